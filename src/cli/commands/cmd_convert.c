/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_convert.c - meshplan convert: a mesh from one format into another */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/mesh_figures.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"

/* Once more would make 2^32 triangles of one, which numbers of 32 bits cannot name. */
#define MOST_TIMES 15

/* NULL for what is not given; refine: 0 then. map: the only map that is written, for formats
 * that have one table. */
typedef struct convert_options {
    const char *from, *to, *map, *zone, *group_array;
    cli_int refine;
} convert_options;

#define TARGET(member) offsetof(convert_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "refine", .kind = CLI_INT, .argument = "N", .target = TARGET(refine), .least = 0,
     .most = MOST_TIMES,
     .help = "split every triangle and quad in 4, every tet and hex in 8, N times"},
    {.name = "map", .kind = CLI_TEXT, .argument = "NAME", .target = TARGET(map),
     .help = "the map to write, for formats that hold one table; it is derived if the mesh does "
             "not have it"},
    CLI_FROM_IN_OPTION(TARGET(from)),
    CLI_TO_OPTION(TARGET(to)),
    CLI_ZONE_OPTION(TARGET(zone)),
    CLI_GROUP_ARRAY_OPTION(TARGET(group_array)),
    {.name = NULL},
};
/* clang-format on */

/* *mesh: read and refined; the caller's, also after a failure. --map names a map that is
 * written: it is derived after refining, since refining keeps only what it knows how to refine. */
static mplan_status prepare(const cli_call *call, mplan_mesh **mesh, mplan_error *err)
{
    const convert_options *given = call->options;
    cli_mesh_source source = {call->words[0], given->from, NULL,
                              NULL,           given->zone, given->group_array};
    mplan_status status = cli_mesh_load(&source, call->context, mesh, err);
    if (!status && given->refine.value) {
        mplan_mesh *refined = NULL;
        status = mplan_mesh_refine(*mesh, (int32_t)given->refine.value, call->context, &refined, err);
        if (!status) {
            mplan_mesh_free(*mesh);
            *mesh = refined;
        }
    }
    if (!status && given->map)
        status = mplan_mesh_derive(*mesh, given->map, call->context, err);
    if (!status && given->map && mplan_mesh_find_map(*mesh, given->map) < 0)
        status = cli_fail(err, MPLAN_ERR_ARGUMENT, "--map: '%s' is a set, not a map", given->map);
    return status;
}

/* words: input, output. Formats that hold only a part of a mesh say so by warnings of the
 * library. */
static mplan_status run_convert(const cli_call *call, mplan_error *err)
{
    const convert_options *given = call->options;
    const char *out = call->words[1];
    bool standard_output = !strcmp(out, "-");
    const char *format = given->to ? given->to : standard_output ? "gmsh" : NULL;
    mplan_mesh *mesh = NULL;
    mplan_status status = cli_files_output(call->files, out, err);
    if (!status)
        status = prepare(call, &mesh, err);
    if (!status)
        status = mplan_mesh_write(mesh, out, format, given->map, call->context, err);
    if (!status && call->report && !standard_output) {
        printf("%s: ", cli_shown(out));
        if (given->map)
            printf("map %s of ", cli_shown(given->map));
        cli_mesh_print_sizes(mesh);
    }
    mplan_mesh_free(mesh);
    return status;
}

const cli_command cli_command_convert = {
    .name = "convert",
    .arguments = "IN OUT [OPTION]...",
    .summary = "write a mesh in another format, or refined",
    .details = "Reads a mesh, table or job's mesh and writes it in the format that the name of "
               "OUT (or --to) gives. '-' is standard input or output.",
    .options = options,
    .options_size = sizeof(convert_options),
    .least_words = 2,
    .most_words = 2,
    .has_json = true,
    .inputs = 1,
    .has_output = true,
    .run = run_convert,
};
