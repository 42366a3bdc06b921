/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_export.c - meshplan export: a plan as npy files, as a part file or on its mesh for VTK */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/bundle_file.h"
#include "cli/command.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"

/* As they were given: all but output may be missing. last_inner and last_halo: numbers of cells
 * as text, by depth from 1 on. */
typedef struct export_options {
    const char *output, *to, *mesh, *from, *zone, *loop, *set;
    cli_texts map, coordinates, last_inner, last_halo;
    cli_int variant, last_edge;
} export_options;

/* Words of --to; NULL past the last. */
static const char *format_word(int32_t i)
{
    static const char *const words[] = {"npy", "part", "vtu", "psyclone"};
    return i < 4 ? words[i] : NULL;
}

#define TARGET(member) offsetof(export_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "DIR/|FILE",
     .target = TARGET(output),
     .help = "a folder (existing, or a name that ends in /) for npy files, a part file or a "
             ".vtu file; required"},
    {.name = "to", .old = "format", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(to),
     .word = format_word, .help = "what to write (default: by the name of the output)"},
    {.name = "mesh", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(mesh),
     .help = "vtu: the mesh or job that the plan is for; - is standard input"},
    CLI_MAP_OPTION(TARGET(map)),
    CLI_COORDINATES_OPTION(TARGET(coordinates)),
    {.name = "from", .old = "mesh-format", .kind = CLI_WORD, .argument = "NAME",
     .target = TARGET(from), .word = cli_format_word, .help = "format of the mesh (default: "
                                                              "detected)"},
    CLI_ZONE_OPTION(TARGET(zone)),
    {.name = "loop", .kind = CLI_TEXT, .argument = "NAME", .target = TARGET(loop),
     .help = "vtu, psyclone: the loop (default: the primary loop)"},
    {.name = "variant", .kind = CLI_INT, .argument = "N", .target = TARGET(variant), .least = 0,
     .most = INT32_MAX, .help = "vtu: the variant of the loop, from 0 (default: the default "
                                "variant)"},
    {.name = "set", .kind = CLI_TEXT, .argument = "SET", .target = TARGET(set),
     .help = "vtu: the set to draw (default: the set of the loop; if that has neither nodes nor "
             "coordinates, the first set that the maps of the loop lead to)"},
    {.name = "last-inner", .kind = CLI_LIST, .argument = "N,...", .target = TARGET(last_inner),
     .help = "psyclone: how many cells there are up to inner depth 1, 2, ... (default: to the edge)"},
    {.name = "last-edge", .kind = CLI_INT, .argument = "N", .target = TARGET(last_edge), .least = 0,
     .most = INT32_MAX, .help = "psyclone: how many cells there are up to the edge (default: all)"},
    {.name = "last-halo", .kind = CLI_LIST, .argument = "N,...", .target = TARGET(last_halo),
     .help = "psyclone: how many cells there are up to depth 1, 2, ... of the halo (default: to the "
             "edge)"},
    {.name = NULL},
};
/* clang-format on */

/* From the name of the output, which is not empty; NULL if that says nothing. A folder that is
 * there counts without its '/', too. */
static const char *guess_format(const char *output)
{
    struct stat about;
    size_t length = strlen(output);
    if (output[length - 1] == '/' || (stat(output, &about) == 0 && S_ISDIR(about.st_mode)))
        return "npy";
    return cli_ends_with(output, ".part")  ? "part"
           : cli_ends_with(output, ".vtu") ? "vtu"
           : cli_ends_with(output, ".nc")  ? "psyclone"
                                           : NULL;
}

/* What was drawn, since the choice of set and loop may be ours. field: n_of_set names of the
 * fields of what is drawn, then those of its points up to n_fields. */
static void report_drawn(const char *path, const mplan_drawn *drawn)
{
    printf("%s: %lld %s as %s, which are %s loop %s, variant %d\n", cli_shown(path),
           (long long)drawn->members, cli_shown(drawn->set), drawn->as,
           drawn->elements ? "the elements of" : "points of", cli_shown(drawn->loop),
           (int)drawn->variant);
    printf("  fields of %s:", cli_shown(drawn->set));
    for (int32_t f = 0; f < drawn->n_of_set; f++)
        printf(" %s", cli_shown(drawn->field[f]));
    if (drawn->n_of_set < drawn->n_fields)
        printf("\n  fields of their points:");
    for (int32_t f = drawn->n_of_set; f < drawn->n_fields; f++)
        printf(" %s", cli_shown(drawn->field[f]));
    printf("\n");
}

/* The plan is proved against the mesh first (by mplan_plan_export_vtu): a picture of another
 * mesh would mislead. */
static mplan_status export_vtu(const cli_call *call, const mplan_plan *plan,
                               const cli_mesh_source *source, mplan_error *err)
{
    const export_options *given = call->options;
    mplan_view_options view = MPLAN_VIEW_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    mplan_drawn drawn;
    view.loop = given->loop;
    view.set = given->set;
    if (given->variant.given)
        view.variant = (int32_t)given->variant.value;
    mplan_status status = cli_mesh_load_for(plan, source, call->context, &mesh, err);
    if (!status)
        status = mplan_plan_export_vtu(plan, mesh, given->output, &view, call->context, &drawn, err);
    if (status == MPLAN_ERR_DISPROVED || status == MPLAN_ERR_OTHER_MESH) {
        mplan_error reason = *err;
        cli_fail(err, status, "%s: %.*s", call->words[0], (int)sizeof reason.text / 2, reason.text);
    }
    if (!status && call->report && strcmp(given->output, "-"))
        report_drawn(given->output, &drawn);
    mplan_mesh_free(mesh);
    return status;
}

/* part: the block of every element, else all arrays in a folder. Neither needs the mesh: all of
 * it is in the plan. */
static mplan_status write_arrays(const cli_call *call, const mplan_plan *plan, bool part,
                                 mplan_error *err)
{
    const char *output = ((const export_options *)call->options)->output;
    mplan_status status = part ? mplan_plan_export_part(plan, output, call->context, err)
                               : mplan_plan_export_npy(plan, output, call->context, err);
    if (!status && call->report && strcmp(output, "-")) {
        if (part)
            printf("%s: the block of every element\n", cli_shown(output));
        else
            printf("%s: %d arrays and index.json\n", cli_shown(output),
                   (int)mplan_plan_n_arrays(plan));
    }
    return status;
}

/* Room for limits; LFRic's halos have a few depths. */
enum { MOST_DEPTHS = 64 };

/* Numbers of cells, from a list of words. limits: out, list->n of them, each in [0, 2^31).
 * Whether they rise or fall as depths must is for the library to say. */
static mplan_status read_limits(const char *option, const cli_texts *list,
                                int64_t limits[MOST_DEPTHS], mplan_error *err)
{
    if (list->n > MOST_DEPTHS)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "export: --%s: at most %d depths", option,
                        MOST_DEPTHS);
    for (int32_t i = 0; i < list->n; i++) {
        char *end = NULL;
        const char *text = list->item[i];
        errno = 0;
        limits[i] = strtoll(text, &end, 10);
        if (*text < '0' || *text > '9' || *end || errno || limits[i] > INT32_MAX)
            return cli_fail(err, MPLAN_ERR_ARGUMENT, "export: --%s: '%s' must be a number of cells",
                            option, text);
    }
    return MPLAN_OK;
}

/* Colour maps and dof maps, a folder or a netCDF file. No mesh is needed: cells have the mesh's
 * numbers, which the plan's order leads back to. Without --last-edge all cells count. */
static mplan_status export_psyclone(const cli_call *call, const mplan_plan *plan, mplan_error *err)
{
    const export_options *given = call->options;
    mplan_psyclone_options asked = MPLAN_PSYCLONE_OPTIONS_INIT;
    int64_t inner[MOST_DEPTHS], halo[MOST_DEPTHS];
    mplan_status status = read_limits("last-inner", &given->last_inner, inner, err);
    if (!status)
        status = read_limits("last-halo", &given->last_halo, halo, err);
    asked.loop = given->loop;
    asked.last_edge = given->last_edge.given ? given->last_edge.value : -1;
    asked.n_inner = given->last_inner.n;
    asked.n_halo = given->last_halo.n;
    asked.last_inner = inner;
    asked.last_halo = halo;
    if (!status)
        status = mplan_plan_export_psyclone(plan, given->output, &asked, call->context, err);
    if (!status && call->report)
        printf("%s: colour maps and dof maps of PSyclone's loops\n", cli_shown(given->output));
    return status;
}

/* Options that belong to one format only, and what that needs. One stray option is named, the
 * first in this order: it would have had no effect, which must not happen silently. */
static mplan_status check_options(const export_options *given, bool vtu, bool psyclone, bool bundle,
                                  const cli_mesh_source *source, mplan_error *err)
{
    const char *limit = given->last_inner.n      ? "last-inner"
                        : given->last_edge.given ? "last-edge"
                        : given->last_halo.n     ? "last-halo"
                                                 : NULL;
    if (limit && !psyclone)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "export: --%s is for --to psyclone", limit);
    const char *stray = given->mesh             ? "mesh"
                        : given->map.n          ? "map"
                        : given->coordinates.n  ? "coordinates"
                        : given->from           ? "from"
                        : given->zone           ? "zone"
                        : given->variant.given  ? "variant"
                        : given->set && !bundle ? "set"
                                                : NULL;
    if (!vtu && stray)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "export: --%s is for vtu files", stray);
    if (!vtu && !psyclone && given->loop)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "export: --loop is for vtu files");
    if (vtu && !cli_has_source(source))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "export: a vtu file shows the plan on its mesh: --mesh is required");
    return MPLAN_OK;
}

/* --- bundles ------------------------------------------------------------------------------- */

/* The set whose parts are shown: --set, else the one that was cut. */
static mplan_status find_set(const mplan_bundle *bundle, const char *name, int32_t *set,
                             mplan_error *err)
{
    *set = -1;
    for (int32_t s = 0; s < mplan_bundle_n_sets(bundle); s++) {
        const mplan_bundle_set *one = mplan_bundle_get_set(bundle, s);
        if (name ? !strcmp(one->name, name) : one->cut)
            *set = s;
    }
    return *set >= 0 ? MPLAN_OK
                     : cli_fail(err, MPLAN_ERR_ARGUMENT, "export: the bundle has no set %s",
                                name ? name : "that was cut: give --set");
}

/* The parts on the mesh, which is proved to be the one of the bundle. parts->set is of the bundle before. */
static mplan_status draw_parts(const cli_call *call, mplan_bundle *bundle, mplan_partition *parts,
                               const cli_mesh_source *source, mplan_error *err)
{
    const export_options *given = call->options;
    const mplan_parts_source of = mplan_bundle_source(bundle);
    mplan_plan *plan = NULL; /* of part 0: it tells the zone */
    mplan_mesh *mesh = NULL;
    mplan_status status = mplan_bundle_read_part(bundle, 0, call->context, &plan, err);
    if (!status)
        status = cli_mesh_load_for(plan, source, call->context, &mesh, err);
    if (!status)
        status = mplan_parts_verify(&of, mesh, -1, call->context, err);
    if (!status) /* that brings the nodes of derived faces */
        status = mplan_mesh_derive(mesh, of.sets[parts->set].name, call->context, err);
    if (!status) {
        parts->set = mplan_mesh_find_set(mesh, of.sets[parts->set].name);
        status = mplan_partition_draw(mesh, parts, given->output, call->context, err);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return status;
}

/* The part of each member: as METIS's part file, or on the mesh. */
static mplan_status export_bundle(const cli_call *call, const char *format,
                                  const cli_mesh_source *source, mplan_error *err)
{
    const export_options *given = call->options;
    const bool vtu = !strcmp(format, "vtu");
    mplan_bundle *bundle = NULL;
    int32_t *owner = NULL;
    mplan_partition parts = {.set = -1};
    if ((!vtu && strcmp(format, "part")) || given->loop || given->variant.given)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "export: of a bundle only parts are shown, as .part or .vtu file; 'meshplan split' makes "
                        "plans of it");
    mplan_status status = mplan_bundle_open(call->words[0], call->context, &bundle, err);
    if (!status)
        status = find_set(bundle, given->set, &parts.set, err);
    if (!status) {
        const mplan_parts_source of = mplan_bundle_source(bundle);
        parts.n_elements = of.sets[parts.set].total;
        parts.n_parts = of.n_parts;
        owner = malloc((size_t)parts.n_elements * sizeof *owner + 1);
        parts.part = owner;
        status = owner ? mplan_parts_owners(&of, parts.set, owner, call->context, err)
                       : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    }
    const int32_t set = parts.set;
    if (!status)
        status = vtu ? draw_parts(call, bundle, &parts, source, err)
                     : mplan_partition_write(&parts, given->output, call->context, err);
    if (!status && call->report && strcmp(given->output, "-"))
        printf("%s: the part of each of %lld %s, %lld parts\n", cli_shown(given->output),
               (long long)parts.n_elements, cli_shown(mplan_bundle_get_set(bundle, set)->name),
               (long long)parts.n_parts);
    free(owner);
    mplan_bundle_free(bundle);
    return status;
}

/* words: the plan or bundle. Options and outputs are refused before the plan is read. npy and part files
 * need no mesh: all they hold is in the plan. */
static mplan_status run_export(const cli_call *call, mplan_error *err)
{
    const export_options *given = call->options;
    const char *path = call->words[0];
    if (!given->output)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "export: -o DIR/, -o FILE.part or -o FILE.vtu is required");
    const char *format = given->to ? given->to : guess_format(given->output);
    if (!format)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "export: %s is neither a folder (DIR/) nor a .part, .vtu or .nc file; give "
                        "--to npy, part, vtu or psyclone",
                        given->output);
    bool vtu = !strcmp(format, "vtu"), psyclone = !strcmp(format, "psyclone");
    mplan_plan *plan = NULL;
    cli_mesh_source source = {given->mesh,         given->from, &given->map,
                              &given->coordinates, given->zone, NULL};
    const bool bundle = cli_is_bundle(path);
    mplan_status status = check_options(given, vtu, psyclone, bundle, &source, err);
    if (!status)
        status = cli_check_source("export", path, &source, err);
    if (!status)
        status = cli_files_output(call->files, given->output, err);
    if (!status && bundle)
        return export_bundle(call, format, &source, err);
    if (!status)
        status = mplan_plan_read(path, call->context, &plan, err);
    if (!status)
        status = vtu        ? export_vtu(call, plan, &source, err)
                 : psyclone ? export_psyclone(call, plan, err)
                            : write_arrays(call, plan, !strcmp(format, "part"), err);
    mplan_plan_free(plan);
    return status;
}

const cli_command cli_command_export = {
    .name = "export",
    .arguments = "PLAN|BUNDLE -o DIR/ | -o FILE.part | --mesh MESH -o FILE.vtu | -o FILE.nc [OPTION]...",
    .summary = "write a plan as npy files, as a part file, for VTK, or as PSyclone's maps",
    .details = "A folder gets every order, reordered map and table as a npy file, and an "
               "index.json that describes each file. A part file gets the block of every "
               "element of the set of the primary loop, in the order of the mesh, one line "
               "each, in the form that METIS writes. A vtu file, for ParaView and VTK, gets the "
               "elements of a loop (or its points) on the mesh with block, colours, new index "
               "and, for points, the number of blocks that touch them; the plan is proved "
               "against the mesh first. With --to psyclone a folder of npy files or a netCDF file "
               "gets colours, coloured tiles and dof maps as the loops that PSyclone generates for "
               "LFRic read them. Of a bundle a part file gets the part of every member of the set that "
               "was cut, and a vtu file shows the parts on the mesh.",
    .options = options,
    .options_size = sizeof(export_options),
    .least_words = 1,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_export,
};
