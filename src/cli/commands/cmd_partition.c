/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_partition.c - meshplan partition: a mesh or graph in parts, as a part file */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/part_weights.h"
#include "cli/results.h"

/* maps: --by between commas; the planning options are those of `uses` below. */
typedef struct partition_options {
    const char *output, *over, *from, *zone;
    cli_texts by, map, coordinates;
    cli_int parts;
    cli_part_wishes wishes;
    cli_planning_given planning;
} partition_options;

#define TARGET(member) offsetof(partition_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "parts", .letter = 'k', .kind = CLI_INT, .argument = "N", .target = TARGET(parts),
     .least = 1, .most = INT32_MAX - 1, .help = "make N parts"},
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "FILE",
     .target = TARGET(output),
     .help = "the part file to write; - is standard output (default IN.part.N); x.vtu: the parts as a "
             "field for ParaView; a name that begins with cellDecomposition: OpenFOAM's labelList"},
    {.name = "over", .kind = CLI_TEXT, .argument = "SET", .target = TARGET(over),
     .help = "the set to cut (default: the cells of a mesh, the nodes of a graph, the from-set of a "
             "table)"},
    {.name = "by", .kind = CLI_LIST, .argument = "MAP", .target = TARGET(by),
     .help = "maps, separated by commas, whose points make elements neighbours; or one map to "
             "the set, each row of which lists neighbours (default cells_nodes, <over>_cells, "
             "or the first map)"},
    CLI_MAP_OPTION(TARGET(map)),
    CLI_COORDINATES_OPTION(TARGET(coordinates)),
    CLI_FROM_OPTION(TARGET(from), "the input"),
    CLI_ZONE_OPTION(TARGET(zone)),
    {.name = "weights", .kind = CLI_MANY, .argument = "SET=FILE", .target = TARGET(wishes.weights),
     .help = "weights of the elements of SET, the set that is cut, one row each; every column is "
             "balanced for itself (metis; one column: also scotch and native); may be repeated (default: those in the "
             "file of a graph)"},
    {.name = "sum-weights", .kind = CLI_FLAG, .target = TARGET(wishes.sum_weights),
     .help = "add up the columns of the weights"},
    {.name = "edge-weights", .kind = CLI_TEXT, .argument = "FILE",
     .target = TARGET(wishes.edge_weights),
     .help = "a weight for each edge of a graph, row of a map to the set, or face between two "
             "cells, 1 or more (metis, scotch, native; default: those in the file of a graph)"},
    {.name = "together", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(wishes.together),
     .help = "elements that stay in one part: the group of each element, one in a row, or -1; or rows of two "
             "elements or more (metis, scotch, native)"},
    {.name = "shares", .kind = CLI_TEXT, .argument = "LIST|FILE", .target = TARGET(wishes.shares),
     .help = "what each part is due, numbers above 0, separated by commas or in a file (metis)"},
    {.name = "ptype", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(wishes.ptype),
     .word = cli_ptype_word, .help = "kway, or rb: recursive bisection (metis)"},
    {.name = "objective", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(wishes.objective),
     .word = cli_objective_word,
     .help = "cut: least edge cut; vol: least communication volume (metis, kway)"},
    {.name = "contiguous", .kind = CLI_FLAG, .target = TARGET(wishes.contiguous),
     .help = "make parts that are in one piece, if the graph is (metis, kway)"},
    {.name = "minconn", .kind = CLI_FLAG, .target = TARGET(wishes.minconn),
     .help = "make parts that have few neighbouring parts (metis, kway)"},
    {.name = "niter", .kind = CLI_INT, .argument = "N", .target = TARGET(wishes.niter), .least = 1,
     .most = 10000, .help = "iterations of each refinement (metis; default 10)"},
    {.name = "ncuts", .kind = CLI_INT, .argument = "N", .target = TARGET(wishes.ncuts), .least = 1,
     .most = 10000, .help = "partitions to make, of which the best is taken (metis; default 1)"},
    {.name = "ncommon", .kind = CLI_INT, .argument = "N", .target = TARGET(wishes.ncommon),
     .least = 1, .most = 1000,
     .help = "points that elements must share to be neighbours, as mpmetis has it; implies --graph "
             "points (default 1)"},
    {.name = NULL},
};
/* clang-format on */

#define OWN(member) offsetof(mplan_partition_options, member)
static const cli_planning_use uses[] = {
    {"block-size", OWN(block_size),
     .help = "make parts of at most S elements, 1 to 1024, instead of a number of parts",
     .otherwise = "-k gives the number of parts"},
    {"partitioner", OWN(partitioner), .help = "partitioner that makes the parts",
     .otherwise = "metis (k-way) for -k, native for --block-size"},
    {"imbalance", OWN(imbalance),
     .help = "largest ratio of the largest part to the mean part that metis, scotch and, with -k, native "
             "may give, at least 1"},
    {"effort", OWN(effort), .help = "how much time native spends to improve the parts"},
    {"fill", OWN(fill),
     .help = "fraction of the block size to which native fills parts, above 0, at most 1"},
    {"graph", OWN(graph), .otherwise = "faces for cells if --by is not given"},
    {"seed", OWN(seed), .otherwise = "that of gpmetis"},
    {.name = NULL},
};
static const mplan_partition_options preset = MPLAN_PARTITION_OPTIONS_INIT;
static const cli_planning planning = {.uses = uses, .preset = &preset, .given = TARGET(planning)};

/* What one run holds. */
typedef struct partition_run {
    mplan_mesh *mesh;
    mplan_partition *partition;
    cli_part_arrays arrays;
    char *made;       /* the name IN.part.N, owned */
    const char *path; /* of the part file */
} partition_run;

/* What the tables of options cannot say: one of -k and --block-size, an input, and an output
 * where no name can be made of the input's. The output that is given is kept for comparison
 * here; a name that is made, once the number of parts is known. */
static mplan_status check_call(const cli_call *call, mplan_error *err)
{
    const partition_options *given = call->options;
    const char *in = call->n_words ? call->words[0] : NULL;
    if (!in && !given->map.n)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "partition: no mesh, table or job given");
    bool by_size = cli_planning_items(&given->planning, "block-size")->n;
    if (given->parts.given == by_size)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        given->parts.given ? "partition: -k and --block-size cannot be combined"
                                           : "partition: -k N or --block-size S is required");
    static const char *const of_native[] = {"fill", "effort"};
    for (int i = 0; i < 2 && given->parts.given; i++)
        if (cli_planning_items(&given->planning, of_native[i])->n)
            return cli_fail(err, MPLAN_ERR_ARGUMENT,
                            "partition: --%s cannot be combined with -k: only native, with --block-size, "
                            "reads it",
                            of_native[i]);
    if (!given->output && (!in || !strcmp(in, "-")))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "partition: -o FILE is required if the input has no name");
    return cli_files_output(call->files, given->output, err);
}

/* how: all of it set; its strings and maps point into `given`, which the caller keeps. Numbers
 * and words were checked when they were parsed. */
static mplan_status options_of(const partition_options *given, mplan_partition_options *how,
                               mplan_error *err)
{
    *how = preset;
    how->over = given->over;
    how->n_maps = given->by.n;
    how->maps = (const char *const *)given->by.item;
    how->n_parts = given->parts.value;
    return cli_planning_set(&planning, &given->planning, how, err);
}

/* METIS's programs name the part file after the input and the number of parts: IN.part.N, which
 * run->made owns then. run->partition must be there: with --block-size the number of parts is
 * its result. */
static mplan_status name_output(const cli_call *call, partition_run *run, mplan_error *err)
{
    const partition_options *given = call->options;
    run->path = given->output;
    if (run->path)
        return MPLAN_OK;
    size_t room = strlen(call->words[0]) + 32;
    run->made = malloc(room);
    if (!run->made)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    snprintf(run->made, room, "%s.part.%lld", call->words[0], (long long)run->partition->n_parts);
    run->path = run->made;
    return cli_files_output(call->files, run->path, err);
}

/* 0, not NaN, for nothing: shares of an empty graph. */
static double ratio(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* Largest part / mean part, at least 1, as METIS reports it; 1 for a set without elements. */
static double imbalance_of(const mplan_partition *p)
{
    return p->n_elements > 0 ? p->imbalance : 1;
}

/* Sizes, edge cut, points. Edges are those of the graph that was cut; pairs and reuse are of the
 * map's points, where the graph comes from a map. */
static void show(const partition_run *run)
{
    const mplan_partition *p = run->partition;
    printf("%s: %lld %s in %lld part%s by %s\n", cli_shown(run->path), (long long)p->n_elements,
           cli_shown(mplan_mesh_set(run->mesh, p->set).name), (long long)p->n_parts,
           p->n_parts == 1 ? "" : "s", mplan_partitioner_name(p->partitioner));
    printf("  sizes %lld to %lld, mean %.1f, imbalance %.4f\n", (long long)p->size_min,
           (long long)p->size_max, ratio(p->n_elements, p->n_parts), imbalance_of(p));
    for (int32_t c = 0; c < p->n_weights; c++)
        printf("  weights, column %d: imbalance %.4f\n", (int)c + 1, p->weight_imbalance[c]);
    printf("  graph%s: edge cut %lld of %lld (%.4f), communication volume %lld\n",
           p->graph == MPLAN_GRAPH_FACES ? " of shared faces"
           : p->entries > 0              ? " of shared points"
                                         : "",
           (long long)p->edge_cut, (long long)p->edges, ratio(p->edge_cut, p->edges),
           (long long)p->volume);
    if (p->entries > 0)
        printf("  points: reuse %.4f, %lld (part, point) pairs, %lld points in several parts\n",
               ratio(p->entries, p->pairs), (long long)p->pairs, (long long)p->shared_points);
}

/* Keys are fixed: added to, never renamed. entries, pairs and shared_points are 0 where the
 * graph was given itself. */
static mplan_status write_json(const cli_call *call, const partition_run *run, mplan_error *err)
{
    const mplan_partition *p = run->partition;
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "file", run->path);
    cli_json_text(&json, "set", mplan_mesh_set(run->mesh, p->set).name);
    cli_json_int(&json, "elements", p->n_elements);
    cli_json_int(&json, "parts", p->n_parts);
    cli_json_text(&json, "partitioner", mplan_partitioner_name(p->partitioner));
    cli_json_text(&json, "graph", mplan_graph_name(p->graph));
    cli_json_int(&json, "size_min", p->size_min);
    cli_json_real(&json, "size_mean", ratio(p->n_elements, p->n_parts));
    cli_json_int(&json, "size_max", p->size_max);
    cli_json_real(&json, "imbalance", imbalance_of(p));
    cli_json_int(&json, "edges", p->edges);
    cli_json_int(&json, "edge_cut", p->edge_cut);
    cli_json_int(&json, "communication_volume", p->volume);
    cli_json_int(&json, "entries", p->entries);
    cli_json_int(&json, "pairs", p->pairs);
    cli_json_int(&json, "shared_points", p->shared_points);
    cli_json_int(&json, "moved", p->moved);
    cli_json_open(&json, "weight_imbalance", '[');
    for (int32_t c = 0; c < p->n_weights; c++)
        cli_json_real(&json, NULL, p->weight_imbalance[c]);
    cli_json_close(&json, ']');
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

/* A warning: --quiet silences it. */
static void say(const cli_call *call, const char *text)
{
    call->context->warning(call->context->user, text);
}

/* What the partitioner was asked for and did not keep: the library mends empty parts, and tells
 * how many elements that took. The imbalance is allowed one element more than asked, since parts
 * are whole numbers. */
static void warn(const cli_call *call, const partition_run *run, const mplan_partition_options *how)
{
    const mplan_partition *p = run->partition;
    char text[256];
    if (how->n_parts > 0 && p->moved > 0) {
        snprintf(text, sizeof text, "%s left parts empty: %lld elements were moved into them",
                 mplan_partitioner_name(p->partitioner), (long long)p->moved);
        say(call, text);
    }
    for (int32_t c = 0; c < p->n_weights; c++)
        if (p->weight_imbalance[c] > how->imbalance + 0.0005) {
            snprintf(text, sizeof text, "column %d of the weights has an imbalance of %.4f, above %g",
                     (int)c + 1, p->weight_imbalance[c], how->imbalance);
            say(call, text);
        }
    if (how->n_weights || how->n_shares || how->n_together)
        return;
    double allowed = how->imbalance * ratio(p->n_elements, p->n_parts);
    if (how->n_parts > 0 && (double)p->size_max > allowed + 1) {
        snprintf(text, sizeof text,
                 "the largest part has %lld elements, which exceeds the imbalance of %g",
                 (long long)p->size_max, how->imbalance);
        say(call, text);
    }
}

/* A build without METIS or SCOTCH names a partitioner that it has; any other failure stays as it
 * is. */
static mplan_status lacking(mplan_status status, mplan_error *err)
{
    mplan_error inner = *err;
    if (status == MPLAN_ERR_UNSUPPORTED && strstr(inner.text, "this build has no "))
        return cli_fail(err, status,
                        "%.*s; give --partitioner native, hilbert or none, or --block-size",
                        (int)sizeof inner.text / 2, inner.text);
    return status;
}

/* What the name of the output asks for: METIS's part file, unless it is for a program that reads
 * others. Only the name behind the last '/' counts, so that folders may have any names.
 * run->path is set (name_output). */
static mplan_status write_parts(const partition_run *run, const mplan_context *context,
                                mplan_error *err)
{
    const char *slash = strrchr(run->path, '/'), *name = slash ? slash + 1 : run->path;
    if (cli_ends_with(name, ".vtu"))
        return mplan_partition_draw(run->mesh, run->partition, run->path, context, err);
    if (strncmp(name, "cellDecomposition", 17) == 0)
        return mplan_partition_write_foam(run->partition, run->path, context, err);
    return mplan_partition_write(run->partition, run->path, context, err);
}

/* words: input, if there is one. "-" as output leaves standard output to the part file: no
 * report then. */
static mplan_status run_partition(const cli_call *call, mplan_error *err)
{
    const partition_options *given = call->options;
    mplan_partition_options how;
    partition_run run = {0};
    cli_mesh_source source = {call->n_words ? call->words[0] : NULL,
                              given->from,
                              &given->map,
                              &given->coordinates,
                              given->zone,
                              NULL};
    mplan_status status = check_call(call, err);
    if (!status)
        status = options_of(given, &how, err);
    if (!status)
        status = cli_part_wishes_load(&given->wishes, &run.arrays, &how, call->context, err);
    if (!status)
        status = cli_mesh_load(&source, call->context, &run.mesh, err);
    if (!status)
        status = cli_part_weights_fit(&given->wishes.weights, given->over, how.weights_of,
                                      how.n_weight_rows, run.mesh, err);
    if (!status)
        status = cli_part_wishes_of_mesh(&given->wishes, given->over, &run.arrays, &how, run.mesh,
                                         call->context, err);
    if (!status)
        status = lacking(mplan_mesh_partition(run.mesh, &how, call->context, &run.partition, err),
                         err);
    if (!status)
        status = name_output(call, &run, err);
    if (!status)
        status = write_parts(&run, call->context, err);
    if (!status)
        warn(call, &run, &how);
    if (!status && call->report && strcmp(run.path, "-"))
        show(&run);
    if (!status && call->json)
        status = write_json(call, &run, err);
    mplan_partition_free(run.partition);
    mplan_mesh_free(run.mesh);
    cli_part_arrays_free(&run.arrays);
    free(run.made);
    return status;
}

const cli_command cli_command_partition = {
    .name = "partition",
    .arguments = "IN -k N | --block-size S [OPTION]...",
    .summary = "cut a mesh or graph into parts, as gpmetis and mpmetis do",
    .details = "Reads a mesh, table, graph or job's mesh, cuts its cells (or the set that "
               "--over names) into parts and writes the part of every element, one line each, "
               "in the form of the programs of METIS. Prints what the parts share. '-' is "
               "standard input or output.",
    .options = options,
    .planning = &planning,
    .options_size = sizeof(partition_options),
    .least_words = 0,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_partition,
};
