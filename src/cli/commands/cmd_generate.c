/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_generate.c - meshplan generate: meshes for tests and measurements */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/mesh_figures.h"
#include "cli/mesh_shape.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"

/* What is not given leaves what the library has: no jitter, the order of generation, seed 1.
 * stretch and layers are read by cli/mesh_shape.c, for `run` as well. */
typedef struct generate_options {
    const char *output, *to, *stretch;
    cli_layers layers;
    cli_real jitter;
    cli_int shuffle, seed;
} generate_options;

#define TARGET(member) offsetof(generate_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "MESH",
     .target = TARGET(output), .help = "the mesh file to write; - is standard output; required"},
    CLI_LAYER_OPTIONS(TARGET(layers)),
    {.name = "jitter", .kind = CLI_REAL, .argument = "X", .target = TARGET(jitter), .least = 0,
     .help = "move inner nodes at random by at most X of a spacing (default 0)"},
    {.name = "stretch", .kind = CLI_TEXT, .argument = "X[,Y[,Z]]", .target = TARGET(stretch),
     .help = "multiply coordinates by X, Y and Z (default 1), for long and flat cells"},
    {.name = "shuffle", .kind = CLI_INT, .argument = "SEED", .target = TARGET(shuffle),
     .least = 0, .most = INT64_MAX, .help = "number cells and nodes at random, with this seed"},
    {.name = "seed", .kind = CLI_INT, .argument = "N", .target = TARGET(seed),
     .least = 0, .most = INT64_MAX, .help = "seed of --jitter (default 1, or that of --shuffle)"},
    {.name = "to", .old = "format", .kind = CLI_WORD, .argument = "NAME", .target = TARGET(to),
     .word = cli_output_word,
     .help = "format to write (default: by the name of the output; gmsh for standard output)"},
    {.name = NULL},
};
/* clang-format on */

/* What the words say: the shape, which the parser has checked, and its sizes. */
static mplan_status read_shape(const cli_call *call, mplan_generate_options *wanted, mplan_error *err)
{
    for (int32_t i = 0; cli_shape_word(i); i++) {
        if (!strcmp(cli_shape_word(i), call->words[0]))
            wanted->shape = (mplan_shape)i;
    }
    return cli_read_shape_size("generate", wanted->shape, call->words[1], wanted->size, err);
}

/* words: shape, size. One seed serves --shuffle and --jitter: --shuffle's own, or --seed; two
 * different ones would leave open which is meant. */
static mplan_status run_generate(const cli_call *call, mplan_error *err)
{
    const generate_options *given = call->options;
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_status status = read_shape(call, &wanted, err);
    if (!status)
        status = cli_read_stretch("generate", given->stretch, wanted.stretch, err);
    if (!status)
        status = cli_read_layers("generate", &given->layers, &wanted, err);
    if (status)
        return status;
    if (!given->output)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "generate: -o MESH is required");
    if (given->shuffle.given && given->seed.given && given->shuffle.value != given->seed.value)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "generate: --shuffle and --seed give two different seeds");
    wanted.jitter = given->jitter.value;
    wanted.shuffle = given->shuffle.given;
    if (given->shuffle.given || given->seed.given)
        wanted.seed = (uint64_t)(given->shuffle.given ? given->shuffle.value : given->seed.value);
    bool standard_output = !strcmp(given->output, "-");
    const char *format = given->to ? given->to : standard_output ? "gmsh" : NULL;
    mplan_mesh *mesh = NULL;
    status = cli_files_output(call->files, given->output, err);
    if (!status)
        status = mplan_mesh_generate(&wanted, call->context, &mesh, err);
    if (!status)
        status = mplan_mesh_write(mesh, given->output, format, NULL, call->context, err);
    if (!status && call->report && !standard_output) {
        printf("%s: ", cli_shown(given->output));
        cli_mesh_print_sizes(mesh);
    }
    mplan_mesh_free(mesh);
    return status;
}

const cli_command cli_command_generate = {
    .name = "generate",
    .arguments = "SHAPE SIZE [OPTION]... -o MESH",
    .summary = "make a regular mesh",
    .details = "Makes a mesh of the unit square (SHAPE quad, tri) or cube (hex, tet), or of the "
               "air around a NACA 0012 profile (naca0012), as a boundary layer around a profile "
               "(boundary-layer), along a swept wing (wing) or around a sphere (sphere). SIZE "
               "is the number of cells in each direction: 1200x600, 64x64x64, or 3IxJ for "
               "naca0012; tri cuts every quad in 2, tet every hex in 6. A boundary-layer has "
               "NxM cells, N around and M rows outwards, or NxMxK with K along the span, as a "
               "wing; a sphere has NxM, N along each edge of the cube from which its surface is "
               "made; cubed-sphere is that surface itself, six panels of N x N quads, and SIZE is N.",
    .options = options,
    .options_size = sizeof(generate_options),
    .least_words = 2,
    .most_words = 2,
    .has_json = true,
    .word = cli_shape_word,
    .word_name = "shape",
    .run = run_generate,
};
