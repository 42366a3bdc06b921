/* SPDX-License-Identifier: Apache-2.0 */
/* part_weights.c - the files and words of `partition` that go to METIS: weights, shares, methods */
#include "cli/part_weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

const char *cli_ptype_word(int32_t i)
{
    static const char *const words[] = {"kway", "rb", NULL};
    return words[i];
}

const char *cli_objective_word(int32_t i)
{
    static const char *const words[] = {"cut", "vol", NULL};
    return words[i];
}

/* Of arrays that were zeroed at first; options that point to them must not be used any more. */
void cli_part_arrays_free(cli_part_arrays *arrays)
{
    free(arrays->set);
    free(arrays->weights);
    free(arrays->edge_weights);
    free(arrays->together);
    free(arrays->shares);
}

static mplan_status fail_memory(mplan_error *err)
{
    return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
}

/* Puts the columns of a file behind those that are there, row by row. */
static mplan_status append_columns(cli_part_arrays *arrays, mplan_partition_options *how,
                                   const int64_t *more, int32_t columns)
{
    const int32_t had = how->n_weights, all = had + columns;
    int64_t *joined = malloc(((size_t)how->n_weight_rows * (size_t)all + 1) * sizeof *joined);
    if (!joined)
        return MPLAN_ERR_MEMORY;
    for (int64_t r = 0; r < how->n_weight_rows; r++) {
        for (int32_t c = 0; c < had; c++)
            joined[r * all + c] = arrays->weights[r * had + c];
        for (int32_t c = 0; c < columns; c++)
            joined[r * all + had + c] = more[r * columns + c];
    }
    free(arrays->weights);
    how->weights = arrays->weights = joined;
    how->n_weights = all;
    return MPLAN_OK;
}

/* One SET=FILE. All must be of one set, and equally long. */
static mplan_status add_weights(const char *text, cli_part_arrays *arrays,
                                mplan_partition_options *how, const mplan_context *context,
                                mplan_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--weights %s: must be SET=FILE", text);
    size_t length = (size_t)(equals - text);
    if (arrays->set && (strlen(arrays->set) != length || strncmp(arrays->set, text, length)))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "--weights %s: one set is cut, but %s has weights, too", text, arrays->set);
    int64_t rows = 0, *weights = NULL;
    int32_t columns = 0;
    bool first = !arrays->set;
    mplan_status status = mplan_weights_read(equals + 1, &rows, &columns, &weights, context, err);
    if (!status && first && !(arrays->set = strndup(text, length)))
        status = fail_memory(err);
    if (!status && first) {
        how->weights_of = arrays->set;
        how->n_weight_rows = rows;
    }
    if (!status && rows != how->n_weight_rows)
        status = cli_fail(err, MPLAN_ERR_ARGUMENT,
                          "--weights %s: %lld rows, but the file before has %lld", text,
                          (long long)rows, (long long)how->n_weight_rows);
    if (!status && append_columns(arrays, how, weights, columns))
        status = fail_memory(err);
    free(weights);
    return status;
}

/* All columns as one. */
static mplan_status sum_columns(cli_part_arrays *arrays, mplan_partition_options *how,
                                mplan_error *err)
{
    const int32_t columns = how->n_weights;
    for (int64_t r = 0; r < how->n_weight_rows; r++) {
        int64_t sum = 0;
        for (int32_t c = 0; c < columns; c++)
            if (__builtin_add_overflow(sum, arrays->weights[r * columns + c], &sum))
                return cli_fail(err, MPLAN_ERR_ARGUMENT,
                                "--sum-weights: the weights of row %lld exceed 64 bits",
                                (long long)r + 1);
        arrays->weights[r] = sum;
    }
    how->n_weights = 1;
    return MPLAN_OK;
}

/* "0.5,0.25,0.25": numbers and commas; else it is the name of a file. */
static bool is_list(const char *text)
{
    return strspn(text, "0123456789.,eE+-") == strlen(text) && strchr(text, ',');
}

/* Numbers between commas: arrays->shares, one per part, owned by arrays. Whether they are above 0 is for the library. */
static mplan_status read_list(const char *text, cli_part_arrays *arrays,
                              mplan_partition_options *how, mplan_error *err)
{
    int64_t n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ',';
    arrays->shares = malloc((size_t)n * sizeof *arrays->shares);
    if (!arrays->shares)
        return fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        size_t length = strcspn(text, ",");
        char *end, number[64];
        snprintf(number, sizeof number, "%.*s", (int)length, text);
        arrays->shares[i] = strtod(number, &end);
        if (end == number || *end || length >= sizeof number)
            return cli_fail(err, MPLAN_ERR_ARGUMENT, "--shares: '%.*s' is not a number",
                            length < 60 ? (int)length : 60, text);
        text += length + (text[length] != '\0');
    }
    how->n_shares = n;
    return MPLAN_OK;
}

/* A weight per edge of the graph, from a file of one column. */
static mplan_status load_edges(const char *path, cli_part_arrays *arrays,
                               mplan_partition_options *how, const mplan_context *context,
                               mplan_error *err)
{
    int32_t columns;
    mplan_status status = mplan_weights_read(path, &how->n_edge_weights, &columns,
                                             &arrays->edge_weights, context, err);
    how->edge_weights = arrays->edge_weights;
    how->files.edge_weights = path;
    if (!status && columns != 1)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "--edge-weights %s: must have one number in a row, not %d", path,
                        (int)columns);
    return status;
}

/* Reads what the options name into `arrays`, which owns it, and lets `how` point there: `how`
 * must not outlive `arrays`. Column k of the weights is the k-th of all files together, in the
 * order of the options. */
mplan_status cli_part_wishes_load(const cli_part_wishes *given, cli_part_arrays *arrays,
                                  mplan_partition_options *how, const mplan_context *context,
                                  mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    how->recursive = given->ptype && !strcmp(given->ptype, "rb");
    how->volume = given->objective && !strcmp(given->objective, "vol");
    how->contiguous = given->contiguous;
    how->few_links = given->minconn;
    how->iterations = (int32_t)given->niter.value;
    how->cuts = (int32_t)given->ncuts.value;
    how->common = (int32_t)given->ncommon.value;
    for (int32_t i = 0; i < given->weights.n && !status; i++)
        status = add_weights(given->weights.item[i], arrays, how, context, err);
    if (!status && given->edge_weights)
        status = load_edges(given->edge_weights, arrays, how, context, err);
    if (!status && given->shares)
        status = is_list(given->shares) ? read_list(given->shares, arrays, how, err)
                                        : mplan_shares_read(given->shares, &how->n_shares,
                                                            &arrays->shares, context, err);
    how->shares = arrays->shares;
    if (given->shares && !is_list(given->shares))
        how->files.shares = given->shares;
    if (!status && given->weights.n == 1) /* of several files the sentence tells the column of all */
        how->files.weights = strchr(given->weights.item[0], '=') + 1;
    if (!status && given->together)
        status = mplan_together_read(given->together, &how->n_together, &how->together_columns,
                                     &arrays->together, context, err);
    how->together = arrays->together;
    how->files.together = given->together;
    return status;
}

/* All files have equally many rows: the first is named. */
mplan_status cli_part_weights_fit(const cli_texts *weights, const char *over, const char *of,
                                  int64_t n_rows, const mplan_mesh *mesh, mplan_error *err)
{
    const bool cut = weights->n && strcmp(of, over ? over : "cells") == 0;
    const int32_t set = cut ? mplan_mesh_find_set(mesh, of) : -1;
    if (set < 0 || mplan_mesh_set(mesh, set).size == n_rows)
        return MPLAN_OK;
    return cli_fail(err, MPLAN_ERR_MESH, "%s: there are %lld rows of weights for %lld %s",
                    strchr(weights->item[0], '=') + 1, (long long)n_rows,
                    (long long)mplan_mesh_set(mesh, set).size, of);
}

/* --- of the mesh ------------------------------------------------------------------------- */

/* Weights of one column or more, and sizes; arrays->weights is a copy, which may be summed. */
static mplan_status take_members(cli_part_arrays *arrays, mplan_partition_options *how,
                                 const mplan_mesh *mesh, int32_t set, mplan_error *err)
{
    int32_t columns;
    const mplan_set of = mplan_mesh_set(mesh, set);
    const int64_t *weights = mplan_mesh_weights(mesh, set, &columns);
    if (weights && !how->n_weights) {
        const size_t bytes = (size_t)of.size * (size_t)columns * sizeof *weights;
        arrays->weights = malloc(bytes + 1);
        if (!arrays->weights)
            return fail_memory(err);
        memcpy(arrays->weights, weights, bytes);
        how->weights = arrays->weights;
        how->n_weights = columns;
        how->n_weight_rows = of.size;
        how->weights_of = of.name;
    }
    if (mplan_mesh_sizes(mesh, set) && how->volume) {
        how->sizes = mplan_mesh_sizes(mesh, set);
        how->n_sizes = of.size;
    }
    return MPLAN_OK;
}

/* Columns of the ocean and the atmosphere cost as much as they have layers (one at least: METIS may leave parts of
 * weight 0 empty). Nothing where all columns of the set, by default the cells, are equally high. */
static mplan_status take_layers(cli_part_arrays *arrays, mplan_partition_options *how,
                                const mplan_mesh *mesh, const char *over, mplan_error *err)
{
    const int32_t *ranges = NULL;
    const int32_t s = mplan_mesh_find_set(mesh, over ? over : "cells");
    if (s < 0 || mplan_mesh_layers(mesh, s, &ranges) == 0 || !ranges)
        return MPLAN_OK;
    const mplan_set set = mplan_mesh_set(mesh, s);
    arrays->weights = malloc(((size_t)set.size + 1) * sizeof *arrays->weights);
    if (!arrays->weights)
        return fail_memory(err);
    for (int64_t m = 0; m < set.size; m++) {
        const int32_t layers = ranges[2 * m + 1] - ranges[2 * m];
        arrays->weights[m] = layers > 1 ? layers : 1;
    }
    how->weights = arrays->weights;
    how->n_weights = 1;
    how->n_weight_rows = set.size;
    how->weights_of = set.name;
    return MPLAN_OK;
}

/* The sets whose members have weights: what is cut, and the edges of its graph; -1: none. */
static void find_weights(const mplan_mesh *mesh, int32_t *members, int32_t *edges)
{
    *members = *edges = -1;
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        if (!mplan_mesh_weights(mesh, s, NULL) && !mplan_mesh_sizes(mesh, s))
            continue;
        *(strcmp(mplan_mesh_set(mesh, s).name, "edges") ? members : edges) = s;
    }
}

mplan_status cli_part_wishes_of_mesh(const cli_part_wishes *given, const char *over,
                                     cli_part_arrays *arrays, mplan_partition_options *how,
                                     const mplan_mesh *mesh, const mplan_context *context,
                                     mplan_error *err)
{
    int32_t members, edges;
    find_weights(mesh, &members, &edges);
    const bool balances = how->n_parts > 0 && (how->partitioner == MPLAN_PARTITIONER_AUTO ||
                                               how->partitioner == MPLAN_PARTITIONER_METIS ||
                                               how->partitioner == MPLAN_PARTITIONER_NATIVE ||
                                               how->partitioner == MPLAN_PARTITIONER_SCOTCH);
    const bool other = over && strcmp(over, members >= 0 ? mplan_mesh_set(mesh, members).name
                                                         : "nodes") != 0;
    mplan_status status = MPLAN_OK;
    if ((members >= 0 || edges >= 0) && (!balances || other)) {
        context->warning(context->user,
                         other ? "the weights in the file are skipped: they are not of the set that is cut"
                               : "the weights in the file are skipped: only metis, scotch and native, with -k, "
                                 "use weights");
    } else {
        if (members >= 0)
            status = take_members(arrays, how, mesh, members, err);
        if (edges >= 0 && !how->n_edge_weights && how->n_maps == 0) {
            how->edge_weights = mplan_mesh_weights(mesh, edges, NULL);
            how->n_edge_weights = mplan_mesh_set(mesh, edges).size;
        }
    }
    if (!status && balances && !how->n_weights)
        status = take_layers(arrays, how, mesh, over, err);
    if (!status && given->sum_weights)
        status = how->n_weights
                     ? sum_columns(arrays, how, err)
                     : cli_fail(err, MPLAN_ERR_ARGUMENT,
                                "--sum-weights: --weights must be given, too, or weights be in "
                                "the file");
    return status;
}
