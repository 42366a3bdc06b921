/* SPDX-License-Identifier: Apache-2.0 */
/* test_partition_wishes.c - weights, shares and methods of a partition: what is refused, and what reaches the partitioner
 *
 * Without a partitioner: METIS and SCOTCH may be missing. */
#include <math.h>
#include <stdlib.h>

#include "pipeline/partition_wishes.h"
#include "support_test.h"

static mplan_error err;
static const int64_t ones[64] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static mplan_partition_options four_parts(void)
{
    mplan_partition_options options = MPLAN_PARTITION_OPTIONS_INIT;
    options.n_parts = 4;
    return options;
}

static mplan_status check(const mplan_partition_options *options, mplan_partitioner partitioner)
{
    return mplan_partition_check_wishes(options, partitioner, &err);
}

#define REFUSED(options_, partitioner_, part_) \
    assert_refused(check(&(options_), partitioner_), MPLAN_ERR_ARGUMENT, &err, part_)

/* Each limit, at it and one beyond. */
static void limits_of_options(void **state)
{
    (void)state;
    const mplan_partitioner metis = MPLAN_PARTITIONER_METIS;
    mplan_partition_options o = four_parts();
    assert_false(mplan_partition_has_wishes(&o));
    assert_done(check(&o, MPLAN_PARTITIONER_NATIVE), &err);
    o.weights = ones;
    o.n_weights = MPLAN_CUT_MOST_CONSTRAINTS;
    assert_done(check(&o, metis), &err);
    o.n_weights++;
    REFUSED(o, metis, "there may be 64 columns of weights, not 65");
    o.n_weights = -1;
    REFUSED(o, metis, "not -1");
    o = four_parts();
    o.n_weights = 1;
    REFUSED(o, metis, "counted, but not there");
    o = four_parts();
    o.n_edge_weights = 1;
    REFUSED(o, metis, "counted, but not there");
    o = four_parts();
    o.n_shares = 4;
    REFUSED(o, metis, "counted, but not there");
    o = four_parts();
    o.n_together = 4;
    o.together_columns = 1;
    REFUSED(o, metis, "counted, but not there");
    o.together = ones;
    o.together_columns = 0;
    REFUSED(o, metis, "counted, but not there");
    for (int which = 0; which < 2; which++) {
        o = four_parts();
        int32_t *number = which ? &o.cuts : &o.iterations;
        *number = MPLAN_CUT_MOST_REPEATS;
        assert_done(check(&o, metis), &err);
        assert_true(mplan_partition_has_wishes(&o));
        ++*number;
        REFUSED(o, metis, "iterations and cuts must be 1 to 10000");
        *number = -1;
        REFUSED(o, metis, "iterations and cuts must be 1 to 10000");
    }
    o = four_parts();
    o.common = -1;
    REFUSED(o, metis, "share 1 point or more, not -1");
    o.common = 0;
    o.recursive = true;
    o.n_parts = 0;
    REFUSED(o, metis, "a block size counts elements");
    o.n_parts = 1;
    assert_done(check(&o, metis), &err);
}

static void shares_of_parts(void **state)
{
    (void)state;
    const mplan_partitioner metis = MPLAN_PARTITIONER_METIS;
    double shares[5] = {1, 2, 3, 4, 5};
    mplan_partition_options o = four_parts();
    o.shares = shares;
    o.n_shares = 4;
    assert_done(check(&o, metis), &err);
    o.n_shares = 5;
    REFUSED(o, metis, "there are 5 shares for 4 parts");
    o.n_shares = 3;
    REFUSED(o, metis, "there are 3 shares for 4 parts");
    o.n_shares = 4;
    shares[2] = 0;
    REFUSED(o, metis, "share 3 must be above 0, not 0");
    shares[2] = NAN;
    REFUSED(o, metis, "share 3 must be above 0");
    shares[2] = 1.1e300;
    REFUSED(o, metis, "share 3 must be above 0");
    shares[0] = shares[1] = shares[2] = shares[3] = 1e300;
    assert_done(check(&o, metis), &err);
    shares[0] = shares[1] = shares[2] = 1;
    shares[3] = 3.0000002e-9; /* a billionth of 3.000000003 and a little */
    assert_done(check(&o, metis), &err);
    shares[3] = 2.9999e-9;
    REFUSED(o, metis,
            "share 4 must be a billionth of all shares together or more, not 2.9999e-09 of 3");
}

/* What each partitioner can do: METIS all, SCOTCH and native one column, edges and groups, others nothing. */
static void methods_of_partitioners(void **state)
{
    (void)state;
    static const double shares[4] = {1, 1, 1, 1};
    static const struct {
        const char *says;
        bool others;
    } rows[] = {{"several columns of weights need partitioner metis", false},
                {"shares of parts need partitioner metis", false},
                {"bisections need partitioner metis", false},
                {"parts of least communication volume need partitioner metis", false},
                {"contiguous parts need partitioner metis", false},
                {"parts of few neighbours need partitioner metis", false},
                {"numbers of iterations and of cuts need partitioner metis", false},
                {"numbers of iterations and of cuts need partitioner metis", false},
                {"weights need partitioner metis, scotch or native", true},
                {"weights need partitioner metis, scotch or native", true},
                {"groups that stay together need partitioner metis, scotch or native", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mplan_partition_options o = four_parts();
        o.weights = ones;
        o.edge_weights = ones;
        o.shares = shares;
        o.n_weights = i == 0 ? 2 : i == 8;
        o.n_shares = i == 1 ? 4 : 0;
        o.recursive = i == 2;
        o.volume = i == 3;
        o.contiguous = i == 4;
        o.few_links = i == 5;
        o.iterations = i == 6;
        o.cuts = i == 7;
        o.n_edge_weights = i == 9;
        o.together = ones;
        o.together_columns = 1;
        o.n_together = i == 10 ? 4 : 0;
        assert_true(mplan_partition_has_wishes(&o));
        assert_done(check(&o, MPLAN_PARTITIONER_METIS), &err);
        REFUSED(o, MPLAN_PARTITIONER_HILBERT, rows[i].says);
        if (rows[i].others) {
            assert_done(check(&o, MPLAN_PARTITIONER_SCOTCH), &err);
            assert_done(check(&o, MPLAN_PARTITIONER_NATIVE), &err);
        } else {
            REFUSED(o, MPLAN_PARTITIONER_SCOTCH, ", not scotch");
            REFUSED(o, MPLAN_PARTITIONER_NATIVE, ", not native");
        }
    }
    for (int which = 0; which < 3; which++) {
        mplan_partition_options o = four_parts();
        o.recursive = true;
        o.volume = which == 0;
        o.contiguous = which == 1;
        o.few_links = which == 2;
        REFUSED(o, MPLAN_PARTITIONER_METIS, "only k-way has");
    }
}

/* A path of five vertices, whose rows are the edges; one row is there twice, one joins a vertex to itself. */
static const int32_t pairs[] = {0, 1, 1, 2, 3, 2, 3, 4, 2, 1, 0, 0};
static int64_t offsets[] = {0, 1, 3, 5, 7, 8};
static int32_t neighbours[] = {1, 0, 2, 1, 3, 2, 4, 3};
static const mplan_csr path = {5, offsets, neighbours};

static mplan_map rows_of_pairs(void)
{
    return (mplan_map){.name = "pairs", .n_rows = 6, .n_points = 5, .arity = 2, .values = pairs};
}

static mplan_status make(const mplan_partition_options *options, const mplan_map *rows,
                         mplan_cut_wishes *wishes)
{
    mplan_context context = MPLAN_CONTEXT_INIT;
    return mplan_partition_make_wishes(options, "cells", &path, rows, wishes, &context, &err);
}

static void weights_of_elements(void **state)
{
    (void)state;
    int64_t weights[10] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 7};
    mplan_partition_options o = four_parts();
    mplan_cut_wishes wishes;
    o.weights = weights;
    o.weights_of = "cells";
    o.n_weights = 2;
    o.n_weight_rows = 5;
    o.iterations = 3;
    o.cuts = 2;
    o.few_links = true;
    assert_done(make(&o, NULL, &wishes), &err);
    assert_int_equal(wishes.n_constraints, 2);
    assert_ptr_equal(wishes.weights, weights);
    assert_true(!wishes.edge_weights && !wishes.shares && wishes.few_links && !wishes.recursive);
    assert_int_equal(wishes.iterations, 3);
    assert_int_equal(wishes.cuts, 2);
    mplan_partition_free_wishes(&wishes);
    weights[9] = 0;
    assert_refused(make(&o, NULL, &wishes), MPLAN_ERR_ARGUMENT, &err,
                   "the weights of column 2 are all 0");
    weights[7] = -1;
    assert_refused(make(&o, NULL, &wishes), MPLAN_ERR_ARGUMENT, &err,
                   "weight 2 of element 3 must be 0 or more, not -1");
    o.n_weight_rows = 4;
    assert_refused(make(&o, NULL, &wishes), MPLAN_ERR_ARGUMENT, &err,
                   "there are 4 rows of weights for 5 cells");
    o.weights_of = "nodes";
    assert_refused(make(&o, NULL, &wishes), MPLAN_ERR_ARGUMENT, &err,
                   "the weights are of nodes, but cells are cut");
}

static void weights_of_edges(void **state)
{
    (void)state;
    static const int64_t edges[6] = {10, 20, 30, INT32_MAX, 5, 99};
    int64_t bad[6] = {1, 1, 1, 1, 1, 0};
    mplan_partition_options o = four_parts();
    mplan_cut_wishes wishes;
    mplan_map rows = rows_of_pairs(), ragged = rows;
    o.edge_weights = edges;
    o.n_edge_weights = 6;
    assert_done(make(&o, &rows, &wishes), &err);
    static const int64_t due[8] = {10, 10, 25, 25, 30, 30, INT32_MAX, INT32_MAX};
    assert_memory_equal(wishes.edge_weights, due, sizeof due);
    mplan_partition_free_wishes(&wishes);
    o.n_edge_weights = 5;
    assert_refused(make(&o, &rows, &wishes), MPLAN_ERR_ARGUMENT, &err,
                   "there are 5 weights of edges for the 6 rows of pairs");
    o.n_edge_weights = 6;
    o.edge_weights = bad;
    assert_refused(make(&o, &rows, &wishes), MPLAN_ERR_ARGUMENT, &err,
                   "weight 6 of an edge must be 1 to 2147483647, not 0");
    bad[5] = INT64_C(1) << 31;
    assert_refused(make(&o, &rows, &wishes), MPLAN_ERR_ARGUMENT, &err, "not 2147483648");
    assert_refused(make(&o, NULL, &wishes), MPLAN_ERR_ARGUMENT, &err, "edges are rows of a map");
    rows.arity = 3;
    assert_refused(make(&o, &rows, &wishes), MPLAN_ERR_ARGUMENT, &err, "edges are rows of a map");
    /* rows of one vertex are edges to nowhere; a neighbour that no row joins weighs 1 */
    static const int64_t begin[] = {0, 2, 3, 5};
    static const int32_t some[] = {0, 1, 2, 3, 4};
    static const int64_t three[] = {7, 8, 9};
    ragged.arity = 0;
    ragged.n_rows = 3;
    ragged.offsets = begin;
    ragged.values = some;
    o.edge_weights = three;
    o.n_edge_weights = 3;
    assert_done(make(&o, &ragged, &wishes), &err);
    static const int64_t sparse[8] = {7, 7, 1, 1, 1, 1, 9, 9};
    assert_memory_equal(wishes.edge_weights, sparse, sizeof sparse);
    mplan_partition_free_wishes(&wishes);
}

static int n_warnings;

static void on_warning(void *user, const char *text)
{
    (void)user;
    n_warnings += strstr(text, "not made contiguous") != NULL;
}

static void shares_and_contiguous_parts(void **state)
{
    (void)state;
    static const double shares[4] = {1, 2, 3, 2};
    static int64_t apart[] = {0, 1, 2, 2, 3, 4};
    static int32_t others[] = {1, 0, 4, 3};
    const mplan_csr graph = {5, apart, others}, none = {0, apart, others};
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_partition_options o = four_parts();
    mplan_cut_wishes wishes;
    context.warning = on_warning;
    o.shares = shares;
    o.n_shares = 4;
    o.contiguous = true;
    assert_done(mplan_partition_make_wishes(&o, "cells", &path, NULL, &wishes, &context, &err), &err);
    assert_true(wishes.contiguous && n_warnings == 0);
    for (int p = 0; p < 4; p++)
        assert_true(wishes.shares[p] == shares[p] / 8);
    mplan_partition_free_wishes(&wishes);
    assert_done(mplan_partition_make_wishes(&o, "cells", &graph, NULL, &wishes, &context, &err),
                &err);
    assert_true(!wishes.contiguous && n_warnings == 1);
    mplan_partition_free_wishes(&wishes);
    assert_done(mplan_partition_make_wishes(&o, "cells", &none, NULL, &wishes, &context, &err), &err);
    assert_true(wishes.contiguous && n_warnings == 1);
    mplan_partition_free_wishes(&wishes);
}

/* Largest part over what it is due, of elements and of each column. */
static void imbalance_is_measured(void **state)
{
    (void)state;
    static int32_t part[6] = {0, 0, 0, 1, 1, 2};
    static const int64_t weights[12] = {1, 0, 1, 0, 2, 0, 4, 0, 4, 0, 4, 9};
    static const double shares[3] = {2, 1, 1};
    mplan_partition_options o = MPLAN_PARTITION_OPTIONS_INIT;
    mplan_partition out = {.n_parts = 3, .n_elements = 6, .part = part};
    assert_done(mplan_partition_measure_weights(&o, &out, &err), &err);
    assert_true(out.imbalance == 1.5 && out.n_weights == 0 && !out.weight_imbalance);
    o.weights = weights;
    o.n_weights = 2;
    assert_done(mplan_partition_measure_weights(&o, &out, &err), &err);
    assert_true(out.imbalance == 1.5 && out.n_weights == 2);
    assert_true(out.weight_imbalance[0] == 1.5 && out.weight_imbalance[1] == 3);
    free(out.weight_imbalance);
    o.shares = shares;
    o.n_shares = 3;
    assert_done(mplan_partition_measure_weights(&o, &out, &err), &err);
    assert_true(fabs(out.imbalance - 4.0 / 3) < 1e-15); /* two of six, due a quarter */
    assert_true(out.weight_imbalance[0] == 2 && out.weight_imbalance[1] == 4);
    free(out.weight_imbalance);
    out.weight_imbalance = NULL;
    out.n_elements = 0;
    o.n_weights = 0;
    assert_done(mplan_partition_measure_weights(&o, &out, &err), &err);
    assert_true(out.imbalance == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_options),       cmocka_unit_test(shares_of_parts),
        cmocka_unit_test(methods_of_partitioners), cmocka_unit_test(weights_of_elements),
        cmocka_unit_test(weights_of_edges),        cmocka_unit_test(shares_and_contiguous_parts),
        cmocka_unit_test(imbalance_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
