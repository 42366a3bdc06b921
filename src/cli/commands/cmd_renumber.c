/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_renumber.c - meshplan renumber: a mesh with its members in a better order */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/mesh_figures.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

typedef struct renumber_options {
    const char *set, *from, *to, *map, *zone, *group_array;
    cli_texts order;
    cli_planning_given planning;
} renumber_options;

#define TARGET(member) offsetof(renumber_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "set", .kind = CLI_TEXT, .argument = "SET", .target = TARGET(set),
     .help = "the set to renumber; the others follow it (default nodes, or the to-set of a "
             "table)"},
    {.name = "order", .kind = CLI_MANY, .argument = "[SET=]FILE", .target = TARGET(order),
     .help = "write the new position of each old member of SET (default: the renumbered set) as "
             "a npy file; may be repeated"},
    {.name = "map", .kind = CLI_TEXT, .argument = "NAME", .target = TARGET(map),
     .help = "the map to write, for formats that hold one table"},
    CLI_FROM_IN_OPTION(TARGET(from)),
    CLI_TO_OPTION(TARGET(to)),
    CLI_ZONE_OPTION(TARGET(zone)),
    CLI_GROUP_ARRAY_OPTION(TARGET(group_array)),
    {.name = NULL},
};
/* clang-format on */

#define OWN(member) offsetof(mplan_orders_options, member)
static const cli_planning_use uses[] = {
    {"renumber", OWN(renumber),
     .help = "order of the set; auto: hilbert with coordinates that follow the mesh, else "
             "agglomerate; none: only sort the other sets",
     .otherwise = "Gibbs-Poole-Stockmeyer"},
    {"keep-order", OWN(keep_better),
     .help = "keep the input order of the set if the new order does not have a smaller profile"},
    {.name = NULL},
};
static const mplan_orders_options preset = MPLAN_ORDERS_OPTIONS_INIT;
static const cli_planning planning = {.uses = uses, .preset = &preset, .given = TARGET(planning)};

/* The parts of [SET=]FILE: the file, which points into text, and in *set the index of the set;
 * without SET the renumbered one. */
static mplan_status read_order(const char *text, const mplan_mesh *mesh, const mplan_orders *orders,
                               int32_t *set, const char **file, mplan_error *err)
{
    const char *equals = strchr(text, '=');
    *set = orders->set;
    *file = text;
    if (!equals)
        return MPLAN_OK;
    *file = equals + 1;
    char *name = strndup(text, (size_t)(equals - text));
    if (!name)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    mplan_status status = cli_find_set("--order", mesh, name, set, err);
    free(name);
    if (!status && !**file)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--order %s: must be [SET=]FILE", text);
    return status;
}

/* Says what is wrong with the outputs before any of them is written. The mesh must have been
 * read: sets are looked up in it. */
static mplan_status check_outputs(const cli_call *call, const mplan_mesh *mesh,
                                  const mplan_orders *orders, mplan_error *err)
{
    const renumber_options *given = call->options;
    const char *file;
    int32_t set;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < given->order.n && !status; i++) {
        status = read_order(given->order.item[i], mesh, orders, &set, &file, err);
        if (!status)
            status = cli_files_output(call->files, file, err);
    }
    return status;
}

/* Each --order SET=FILE: new_of_old, as many i32 as the set has members. Sets of the reordered
 * mesh have the numbers, names and sizes of the one that was read. NULL stands for derived sets
 * only, which no reader makes, so that none can be named here. */
static mplan_status write_orders(const cli_call *call, const mplan_mesh *mesh,
                                 const mplan_orders *orders, mplan_error *err)
{
    const renumber_options *given = call->options;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < given->order.n && !status; i++) {
        int32_t set;
        const char *file;
        status = read_order(given->order.item[i], mesh, orders, &set, &file, err);
        if (!status)
            status = mplan_npy_write(file, MPLAN_TYPE_I32, mplan_mesh_set(mesh, set).size, 0,
                                     orders->new_of_old[set], call->context, err);
    }
    return status;
}

/* Bandwidth and profile before and after, of the set that was renumbered. */
static mplan_status show(const cli_call *call, const mplan_mesh *mesh, const mplan_orders *orders,
                         mplan_error *err)
{
    static const char *const heads[] = {"set", "renumber",   "bandwidth in",
                                        "out", "profile in", "out"};
    cli_table table = {.columns = 6};
    printf("%s: ", cli_shown(call->words[1]));
    cli_mesh_print_sizes(mesh);
    for (int i = 0; i < 6; i++)
        cli_table_cell(&table, "%s", heads[i]);
    cli_table_cell(&table, "%s", mplan_mesh_set(mesh, orders->set).name);
    cli_table_cell(&table, "%s%s", mplan_renumber_name(orders->renumber),
                   orders->kept ? " (kept the input order)" : "");
    for (int i = 0; i < 2; i++)
        cli_table_int(&table, orders->bandwidth[i]);
    for (int i = 0; i < 2; i++)
        cli_table_int(&table, orders->profile[i]);
    return cli_table_print(&table, "  ", "llrrrr", err);
}

/* The same figures as the report has; "kept": the input order was as good and --keep-order asked
 * for it. */
static mplan_status write_json(const cli_call *call, const mplan_mesh *mesh,
                               const mplan_orders *orders, mplan_error *err)
{
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "mesh", call->words[1]);
    cli_json_text(&json, "set", mplan_mesh_set(mesh, orders->set).name);
    cli_json_text(&json, "method", mplan_renumber_name(orders->renumber));
    cli_json_bool(&json, "kept", orders->kept);
    cli_json_int(&json, "bandwidth_input", orders->bandwidth[0]);
    cli_json_int(&json, "bandwidth_output", orders->bandwidth[1]);
    cli_json_int(&json, "profile_input", orders->profile[0]);
    cli_json_int(&json, "profile_output", orders->profile[1]);
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

/* *mesh: out, the reordered mesh, or after a failure the one that was read, or NULL; *orders:
 * out. Both are the caller's in every case. All outputs are known and compared before the mesh
 * is written; it is derived maps and all in memory twice for a moment. */
static mplan_status renumber(const cli_call *call, const mplan_orders_options *how,
                             mplan_mesh **mesh, mplan_orders **orders, mplan_error *err)
{
    const renumber_options *given = call->options;
    const char *out = call->words[1];
    cli_mesh_source source = {call->words[0], given->from, NULL,
                              NULL,           given->zone, given->group_array};
    mplan_mesh *reordered = NULL;
    mplan_status status = cli_mesh_load(&source, call->context, mesh, err);
    if (!status && how->set) {
        int32_t set;
        status = cli_find_set("--set", *mesh, how->set, &set, err);
    }
    if (!status)
        status = mplan_mesh_orders(*mesh, how, call->context, orders, err);
    if (!status)
        status = check_outputs(call, *mesh, *orders, err);
    if (!status)
        status = mplan_mesh_reorder(*mesh, *orders, call->context, &reordered, err);
    if (status)
        return status;
    mplan_mesh_free(*mesh);
    *mesh = reordered;
    const char *format = given->to ? given->to : !strcmp(out, "-") ? "gmsh" : NULL;
    return mplan_mesh_write(*mesh, out, format, given->map, call->context, err);
}

/* words: input, output. No report where anything goes to standard output. */
static mplan_status run_renumber(const cli_call *call, mplan_error *err)
{
    const renumber_options *given = call->options;
    mplan_orders_options how = preset;
    bool standard_output = !strcmp(call->words[1], "-");
    for (int32_t i = 0; i < given->order.n; i++)
        standard_output = standard_output || !strcmp(given->order.item[i], "-") ||
                          cli_ends_with(given->order.item[i], "=-");
    mplan_mesh *mesh = NULL;
    mplan_orders *orders = NULL;
    how.set = given->set;
    mplan_status status = cli_planning_set(&planning, &given->planning, &how, err);
    if (!status)
        status = cli_files_output(call->files, call->words[1], err);
    if (!status)
        status = renumber(call, &how, &mesh, &orders, err);
    if (!status)
        status = write_orders(call, mesh, orders, err);
    if (!status && call->report && !standard_output)
        status = show(call, mesh, orders, err);
    if (!status && call->json)
        status = write_json(call, mesh, orders, err);
    mplan_orders_free(orders);
    mplan_mesh_free(mesh);
    return status;
}

const cli_command cli_command_renumber = {
    .name = "renumber",
    .arguments = "IN OUT [OPTION]...",
    .summary = "write a mesh with its nodes and cells in a better order",
    .details = "Reads a mesh, table or job's mesh, renumbers its nodes (or the set that --set "
               "names), sorts every other set by them, and writes the mesh in the format that "
               "the name of OUT (or --to) gives. Groups and coordinates are kept. Prints "
               "bandwidth and profile before and after. '-' is standard input or output.",
    .options = options,
    .planning = &planning,
    .options_size = sizeof(renumber_options),
    .least_words = 2,
    .most_words = 2,
    .has_json = true,
    .inputs = 1,
    .has_output = true,
    .run = run_renumber,
};
