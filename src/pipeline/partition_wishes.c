/* SPDX-License-Identifier: Apache-2.0 */
/* partition_wishes.c - weights, shares and methods of a partition: checked, and brought to the graph
 *
 * What gpmetis and mpmetis can be asked for, and only METIS can do; SCOTCH and native take one column of weights, and
 * weights of edges. */
#include "pipeline/partition_wishes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define LEAST_SHARE 1e-9               /* of all */
#define MOST_WEIGHT (INT64_C(1) << 62) /* of a column: native multiplies sums with shares */

/* --- options -------------------------------------------------------------------------- */

/* Whether something is asked for that only METIS can do. */
bool mplan_partition_has_wishes(const mplan_partition_options *options)
{
    assert(options);
    return options->n_weights || options->n_edge_weights || options->n_shares || options->n_sizes ||
           options->n_together || options->recursive || options->volume || options->contiguous ||
           options->few_links || options->iterations || options->cuts;
}

/* what: a plural, for the sentence. */
static mplan_status fail_method(const char *what, mplan_partitioner partitioner, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s need partitioner metis, not %s", what,
                      mplan_partitioner_name(partitioner));
}

/* What only METIS does. */
static mplan_status check_partitioner(const mplan_partition_options *options,
                                      mplan_partitioner partitioner, mplan_error *err)
{
    const bool weighs = partitioner == MPLAN_PARTITIONER_SCOTCH ||
                        partitioner == MPLAN_PARTITIONER_NATIVE;
    if (partitioner == MPLAN_PARTITIONER_METIS)
        return MPLAN_OK;
    if (options->n_weights > 1)
        return fail_method("several columns of weights", partitioner, err);
    if (options->n_shares)
        return fail_method("shares of parts", partitioner, err);
    if (options->recursive)
        return fail_method("bisections", partitioner, err);
    if (options->volume)
        return fail_method("parts of least communication volume", partitioner, err);
    if (options->contiguous)
        return fail_method("contiguous parts", partitioner, err);
    if (options->few_links)
        return fail_method("parts of few neighbours", partitioner, err);
    if (options->iterations || options->cuts)
        return fail_method("numbers of iterations and of cuts", partitioner, err);
    if (!weighs && (options->n_weights || options->n_edge_weights || options->n_together))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s need partitioner metis, scotch or native, not %s",
                          options->n_together ? "groups that stay together" : "weights",
                          mplan_partitioner_name(partitioner));
    return MPLAN_OK;
}

/* One for each part, above 0; METIS takes them as shares of 1 in 32 bits. */
static mplan_status check_shares(const mplan_partition_options *options, mplan_error *err)
{
    double all = 0;
    if (options->n_shares && options->n_shares != options->n_parts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there are %lld shares for %lld parts",
                          (long long)options->n_shares, (long long)options->n_parts);
    for (int64_t p = 0; p < options->n_shares; p++) {
        if (!(options->shares[p] > 0 && options->shares[p] <= 1e300))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "share %lld must be above 0, not %g",
                              (long long)p + 1, options->shares[p]);
        all += options->shares[p];
    }
    for (int64_t p = 0; p < options->n_shares; p++)
        if (!(options->shares[p] >= LEAST_SHARE * all))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "share %lld must be a billionth of all shares together or more, not %g of %g",
                              (long long)p + 1, options->shares[p], all);
    return MPLAN_OK;
}

/* What the options by themselves show to be wrong: before a mesh is looked at. What must fit the set's
 * size is checked by mplan_partition_make_wishes. */
mplan_status mplan_partition_check_wishes(const mplan_partition_options *options,
                                          mplan_partitioner partitioner, mplan_error *err)
{
    assert(options);
    if (options->n_weights < 0 || options->n_weights > MPLAN_CUT_MOST_CONSTRAINTS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there may be %d columns of weights, not %d",
                          MPLAN_CUT_MOST_CONSTRAINTS, (int)options->n_weights);
    if ((options->n_weights && !options->weights) ||
        (options->n_edge_weights && !options->edge_weights) ||
        (options->n_shares && !options->shares) || (options->n_sizes && !options->sizes) ||
        (options->n_together && (!options->together || options->together_columns < 1)))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "weights are counted, but not there");
    if (options->iterations < 0 || options->iterations > MPLAN_CUT_MOST_REPEATS ||
        options->cuts < 0 || options->cuts > MPLAN_CUT_MOST_REPEATS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "iterations and cuts must be 1 to %d",
                          MPLAN_CUT_MOST_REPEATS);
    if (options->common < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "neighbours must share 1 point or more, not %d",
                          (int)options->common);
    if (!mplan_partition_has_wishes(options))
        return MPLAN_OK;
    if (options->n_parts == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a block size counts elements: weights, shares, groups and methods of METIS need a "
                          "number of parts");
    mplan_status status = mplan_fail_of_file(err, check_shares(options, err), options->files.shares);
    if (status)
        return status;
    if (options->n_sizes && !options->volume)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "sizes of elements count in the communication volume only");
    if (options->recursive && (options->volume || options->contiguous || options->few_links))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "recursive bisection has no communication volume, contiguous parts or "
                          "parts of few neighbours: only k-way has");
    return check_partitioner(options, partitioner, err);
}

/* --- weights -------------------------------------------------------------------------- */

/* As many rows as elements, each column with something in it; sums that native can divide. */
static mplan_status check_columns(const mplan_partition_options *options, const char *set,
                                  int64_t n, mplan_error *err)
{
    const int32_t columns = options->n_weights;
    if (columns && options->n_weight_rows != n)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there are %lld rows of weights for %lld %s",
                          (long long)options->n_weight_rows, (long long)n, set);
    for (int32_t c = 0; c < columns; c++) {
        int64_t most = 0, left = MOST_WEIGHT;
        for (int64_t e = 0; e < n; e++) {
            int64_t weight = options->weights[e * columns + c];
            if (weight < 0)
                return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                  "weight %d of element %lld must be 0 or more, not %lld",
                                  (int)c + 1, (long long)e, (long long)weight);
            most = weight > most ? weight : most;
            if (weight > left)
                return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                  "the weights of column %d add up to more than 2^62", (int)c + 1);
            left -= weight;
        }
        if (most == 0 && n > 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the weights of column %d are all 0",
                              (int)c + 1);
    }
    return MPLAN_OK;
}

/* Of the set that is cut. An error in their numbers names their file. */
static mplan_status check_weights(const mplan_partition_options *options, const char *set,
                                  int64_t n, mplan_error *err)
{
    if (options->n_weights && options->weights_of && strcmp(options->weights_of, set) != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the weights are of %s, but %s are cut",
                          options->weights_of, set);
    return mplan_fail_of_file(err, check_columns(options, set, n, err), options->files.weights);
}

/* One number, 0 or more, for each element. */
static mplan_status check_sizes(const mplan_partition_options *options, int64_t n, mplan_error *err)
{
    if (options->n_sizes != n)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there are %lld sizes for %lld elements",
                          (long long)options->n_sizes, (long long)n);
    for (int64_t e = 0; e < n; e++)
        if (options->sizes[e] < 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "the size of element %lld must be 0 or more, not %lld", (long long)e,
                              (long long)options->sizes[e]);
    return MPLAN_OK;
}

/* Adds the weights of the rows of vertex v to its entries. place: of each vertex its entry, -1 but for those of v. */
static void add_rows(const mplan_partition_options *options, const mplan_csr *graph,
                     const mplan_map *rows, const mplan_transpose *back, int64_t v, int64_t *place,
                     int64_t *weights)
{
    for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
        place[graph->neighbours[i]] = i;
    for (int64_t i = back->offsets[v]; i < back->offsets[v + 1]; i++) {
        int32_t length;
        const int32_t *pair = mplan_map_row(rows, back->elements[i], &length);
        int32_t other = length == 2 ? (pair[0] == v ? pair[1] : pair[0]) : -1;
        if (other >= 0 && other != v && place[other] >= 0)
            weights[place[other]] += options->edge_weights[back->elements[i]];
    }
    for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
        place[graph->neighbours[i]] = -1;
}

/* wishes->edge_weights: the sum of those of the rows that join two vertices, 1 where none does. */
static mplan_status weigh_edges(const mplan_partition_options *options, const mplan_csr *graph,
                                const mplan_map *rows, mplan_cut_wishes *wishes, mplan_error *err)
{
    const int64_t n = graph->n, entries = graph->offsets[n];
    mplan_transpose back = {0};
    mplan_status status = mplan_map_transpose(rows, false, &back, err);
    if (status)
        return status;
    int64_t *place = mplan_alloc(n, sizeof *place, err);
    int64_t *weights = place ? mplan_alloc_zero(entries, sizeof *weights, err) : NULL;
    if (weights) {
        memset(place, 0xff, (size_t)n * sizeof *place);
        for (int64_t v = 0; v < n; v++)
            add_rows(options, graph, rows, &back, v, place, weights);
        for (int64_t i = 0; i < entries; i++)
            weights[i] = weights[i] > 0 ? weights[i] : 1;
    }
    wishes->edge_weights = weights;
    free(place);
    mplan_transpose_free(&back);
    return weights ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* One number, 1 to 2^31 - 1, for each row. */
static mplan_status check_edge_rows(const mplan_partition_options *options, const mplan_map *rows,
                                    mplan_error *err)
{
    if (options->n_edge_weights != rows->n_rows)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "there are %lld weights of edges for the %lld rows of %s",
                          (long long)options->n_edge_weights, (long long)rows->n_rows, rows->name);
    for (int64_t i = 0; i < options->n_edge_weights; i++)
        if (options->edge_weights[i] < 1 || options->edge_weights[i] > INT32_MAX)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "weight %lld of an edge must be 1 to %d, not %lld", (long long)i + 1,
                              INT32_MAX, (long long)options->edge_weights[i]);
    return MPLAN_OK;
}

/* Of a graph that has edges to be numbered. An error in the numbers names their file. */
static mplan_status check_edges(const mplan_partition_options *options, const mplan_map *rows,
                                mplan_error *err)
{
    if (!rows || (rows->arity != 2 && rows->arity != 0))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "weights of edges need a graph whose edges are rows of a map: that of "
                          "shared faces, or a map of pairs to the set that is cut");
    return mplan_fail_of_file(err, check_edge_rows(options, rows, err), options->files.edge_weights);
}

/* --- the graph ------------------------------------------------------------------------ */

/* Whether all vertices are joined. */
static mplan_status is_connected(const mplan_csr *graph, bool *connected, mplan_error *err)
{
    int64_t reached = 0, next = 0;
    uint8_t *seen = mplan_alloc_zero(graph->n, 1, err);
    int32_t *queue = seen ? mplan_alloc(graph->n, sizeof *queue, err) : NULL;
    if (queue && graph->n > 0) {
        queue[reached++] = 0;
        seen[0] = 1;
    }
    while (queue && next < reached) {
        int32_t v = queue[next++];
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            if (!seen[graph->neighbours[i]]) {
                seen[graph->neighbours[i]] = 1;
                queue[reached++] = graph->neighbours[i];
            }
    }
    *connected = reached == graph->n;
    mplan_status status = queue ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(queue);
    free(seen);
    return status;
}

/* METIS wants shares that add up to 1. */
static mplan_status take_shares(const mplan_partition_options *options, mplan_cut_wishes *wishes,
                                mplan_error *err)
{
    double sum = 0;
    double *shares = mplan_alloc(options->n_shares, sizeof *shares, err);
    if (!shares)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < options->n_shares; p++)
        sum += options->shares[p];
    for (int64_t p = 0; p < options->n_shares; p++)
        shares[p] = options->shares[p] / sum;
    wishes->shares = shares;
    return MPLAN_OK;
}

/* weights: n_constraints numbers for each element; weigh_edges gives each neighbour of the
 * graph its weight, and take_shares scales the shares to a sum of 1. Contiguous parts of a
 * graph that is not connected do not exist: a warning, and the wish is dropped. */
mplan_status mplan_partition_make_wishes(const mplan_partition_options *options, const char *set,
                                         const mplan_csr *graph, const mplan_map *rows,
                                         mplan_cut_wishes *wishes, const mplan_context *context,
                                         mplan_error *err)
{
    assert(options && set && graph && wishes);
    *wishes = (mplan_cut_wishes){.n_constraints = options->n_weights,
                                 .weights = options->weights,
                                 .sizes = options->n_sizes ? options->sizes : NULL,
                                 .recursive = options->recursive,
                                 .volume = options->volume,
                                 .contiguous = options->contiguous,
                                 .few_links = options->few_links,
                                 .iterations = options->iterations,
                                 .cuts = options->cuts};
    mplan_status status = check_weights(options, set, graph->n, err);
    if (!status && options->n_sizes)
        status = check_sizes(options, graph->n, err);
    if (!status && options->n_edge_weights)
        status = check_edges(options, rows, err);
    if (!status && options->n_edge_weights)
        status = weigh_edges(options, graph, rows, wishes, err);
    if (!status && options->n_shares)
        status = take_shares(options, wishes, err);
    if (!status && wishes->contiguous) {
        status = is_connected(graph, &wishes->contiguous, err);
        if (!status && !wishes->contiguous)
            mplan_warn(context, "the graph is not connected: parts are not made contiguous");
    }
    return status;
}

/* Vertex weights are the caller's; these two were made here. */
void mplan_partition_free_wishes(mplan_cut_wishes *wishes)
{
    assert(wishes);
    free((void *)(uintptr_t)wishes->edge_weights);
    free((void *)(uintptr_t)wishes->shares);
}

/* --- figures -------------------------------------------------------------------------- */

/* The largest of the parts' sums, each divided by what the part is due; 1 where there is nothing. Sums of parts from `used` on
 * are 0, and not in the array. */
static double largest_ratio(const mplan_partition_options *options, const mplan_partition *out,
                            int64_t used, const double *sum)
{
    double total = 0, shares = 0, most = 0;
    for (int64_t p = 0; p < used; p++)
        total += sum[p];
    for (int64_t p = 0; p < options->n_shares; p++)
        shares += options->shares[p];
    for (int64_t p = 0; p < used && total > 0; p++) {
        double ratio = options->n_shares ? sum[p] * shares / (total * options->shares[p])
                                         : sum[p] * (double)out->n_parts / total;
        most = ratio > most ? ratio : most;
    }
    return total > 0 ? most : 1;
}

/* The largest part over the share that it should have, for elements (c = -1) and for each
 * column of weights. sum[p]: what part p holds of the column at hand. */
mplan_status mplan_partition_measure_weights(const mplan_partition_options *options,
                                             mplan_partition *out, mplan_error *err)
{
    assert(options && out && out->part);
    const int32_t columns = options->n_weights;
    /* of fewer elements than parts the last parts are empty */
    const int64_t used = out->n_parts < out->n_elements ? out->n_parts : out->n_elements;
    double *sum = mplan_alloc(used, sizeof *sum, err);
    if (columns && sum)
        out->weight_imbalance = mplan_alloc(columns, sizeof *out->weight_imbalance, err);
    if (!sum || (columns && !out->weight_imbalance)) {
        free(sum);
        return MPLAN_ERR_MEMORY;
    }
    for (int32_t c = -1; c < columns; c++) { /* -1: elements are counted */
        memset(sum, 0, (size_t)used * sizeof *sum);
        for (int64_t e = 0; e < out->n_elements; e++)
            sum[out->part[e]] += c < 0 ? 1 : (double)options->weights[e * columns + c];
        double ratio = largest_ratio(options, out, used, sum);
        if (c < 0)
            out->imbalance = ratio;
        else
            out->weight_imbalance[c] = ratio;
    }
    out->n_weights = columns;
    free(sum);
    return MPLAN_OK;
}
