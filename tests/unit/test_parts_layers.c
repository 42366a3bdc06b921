/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_layers.c - loops with layers in the parts of a mesh, run by any number of ranks
 *
 * Columns are never cut: halos are of columns, all levels of each. Halos that are out of date hold NaN. In whole numbers
 * results must be those of the kernels called in the order of the mesh, for every strategy and order of levels; with
 * fractions, equal bits for all ranks, and in the order of the mesh those of a plan without parts; with rings of columns, too, for which
 * halos travel less often. Every other run is by functions of a layer or a column in the place of kernels. */
#include "parts_layers_cases.h"

/* --- functions of the same ------------------------------------------------------------------- */

/* views: m of 64 numbers, x and lhs of 8. */
static void product_function(void *const *views, const int32_t layer[3], const void *user)
{
    const double *m = views[0], *x = views[1];
    double *lhs = views[2];
    assert_true(layer[1] <= layer[0] && layer[0] < layer[2] && user == &err);
    for (int row = 0; row < 8; row++)
        for (int col = 0; col < 8; col++)
            lhs[row] += m[col * 8 + row] * x[col];
}

/* views: q of two cells, u of the face, res of two cells. */
static void flux_function(void *const *views, const int32_t layer[3], const void *user)
{
    const double *q = views[0], *u = views[1];
    double *res = views[2];
    (void)layer, (void)user;
    for (int c = 0; c < 2; c++) {
        res[c] = u[0] * q[2 + c];
        res[2 + c] = u[0] * q[1 - c];
    }
}

/* views: res of HIGH levels, lhs of HIGH + 1 for each of 4 vertices, q of HIGH. */
static void down_function(void *const *views, const int32_t layer[3], const void *user)
{
    const double *res = views[0], *lhs = views[1];
    double *q = views[2], sum = 0;
    (void)user;
    for (int j = layer[1]; j < layer[2]; j++) {
        sum += res[2 * j] - res[2 * j + 1];
        for (int s = 0; s < 4; s++)
            sum += lhs[s * (HIGH + 1) + j];
        q[2 * j] += sum;
        q[2 * j + 1] -= sum;
    }
}

static mplan_layer_function *const functions[N_LOOPS] = {product_function, flux_function,
                                                         down_function};

/* --- results --------------------------------------------------------------------------------- */

typedef struct result {
    double *rows[N_DATS];
} result;

static void drop_result(result *r)
{
    for (int d = 0; d < N_DATS; d++)
        free(r->rows[d]);
}

static void assert_equal(const fixture *f, const result *a, const result *b)
{
    for (int d = 0; f->dats[d].name; d++)
        assert_memory_equal(a->rows[d], b->rows[d],
                            (size_t)(f->dats[d].rows * f->dats[d].dim) * sizeof(double));
}

/* The kernels in the order of the mesh, without a plan. */
static void run_plain(const fixture *f, result *r)
{
    for (int d = 0; f->dats[d].name; d++) {
        const size_t bytes = (size_t)(f->dats[d].rows * f->dats[d].dim) * sizeof(double);
        r->rows[d] = malloc(bytes + 1);
        memcpy(r->rows[d], f->dats[d].start, bytes);
    }
    r->rows[N_DATS - 1] = NULL;
    for (int i = 0; i < ROUNDS * N_LOOPS; i++) {
        const int l = i % N_LOOPS;
        mplan_layer_data data[3];
        mplan_layers_call call = {.arg = data, .layers = HIGH, .first_increment = -1};
        for (int a = 0; a < 3; a++) {
            const mplan_arg *arg = &loops[l].args[a];
            const mplan_arg_layers *layers = &f->args[3 * l + a].layers;
            const int32_t d = dat_of(arg->dat);
            data[a] = (mplan_layer_data){.data = r->rows[d],
                                         .column = layers->levels * arg->dim,
                                         .level = arg->dim,
                                         .component = 1,
                                         .arity = 1,
                                         .stride = 1,
                                         .levels = layers->levels};
            if (!arg->map)
                continue;
            const mplan_map map = mplan_mesh_map(f->mesh, mplan_mesh_find_map(f->mesh, arg->map));
            data[a].rows = map.values;
            data[a].arity = map.arity;
            for (int s = 0; s < layers->n_slots * map.arity; s++) {
                data[a].of[s] = s % map.arity;
                data[a].offset[s] = s / map.arity;
            }
        }
        const int32_t *ranges = f->sets[l == 1].ranges;
        const int64_t n = mplan_mesh_set(f->mesh, l == 1 ? f->faces : f->cells).size;
        for (int64_t e = 0; e < n; e++) {
            const int32_t bottom = ranges ? ranges[2 * e] : 0,
                          top = ranges ? ranges[2 * e + 1] : HIGH;
            if (!f->sets[l == 1].mask)
                kernels[l]->run(&call, e, bottom, top, NULL);
            for (int32_t k = bottom; f->sets[l == 1].mask && k < top; k++)
                if (f->mask[e] >> k & 1)
                    kernels[l]->run(&call, e, k, k + 1, NULL);
        }
    }
}

/* The same by an executor, of parts or not, with kernels or with functions. */
static void run_on(const fixture *f, mplan_exec *exec, bool by_functions, result *r)
{
    mplan_exec_loop *bound[N_LOOPS];
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    for (int d = 0; f->dats[d].name; d++)
        assert_done(mplan_exec_upload(exec, f->dats[d].name, f->dats[d].start, f->dats[d].rows,
                                      f->dats[d].dim, MPLAN_TYPE_F64, &err),
                    &err);
    for (int l = 0; l < N_LOOPS; l++)
        assert_done(by_functions ? mplan_exec_bind_layer_function(exec, loops[l].name, -1,
                                                                  functions[l], &bound[l], &err)
                                 : mplan_exec_bind_layers(exec, loops[l].name, -1, kernels[l],
                                                          &bound[l], &err),
                    &err);
    for (int i = 0; i < ROUNDS * N_LOOPS; i++)
        assert_done(by_functions ? mplan_exec_launch_function(exec, bound[i % N_LOOPS], &err, &err)
                                 : mplan_exec_launch(exec, bound[i % N_LOOPS], NULL, NULL, &err),
                    &err);
    memset(r, 0, sizeof *r);
    for (int d = 0; f->dats[d].name; d++) {
        r->rows[d] = malloc((size_t)(f->dats[d].rows * f->dats[d].dim + 1) * sizeof(double));
        assert_done(mplan_exec_download(exec, f->dats[d].name, r->rows[d], f->dats[d].rows,
                                        f->dats[d].dim, MPLAN_TYPE_F64, &err),
                    &err);
    }
}

static mplan_exec *open_bundle(int32_t ranks, mplan_executor executor, bool overlap)
{
    mplan_bundle *bundle;
    mplan_exec *exec;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    options.executor = executor;
    options.threads = 2;
    how.ranks = ranks;
    how.poison = true;
    how.overlap = overlap;
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    assert_done(mplan_exec_open_part(bundle, NULL, &options, &how, &exec, &err), &err);
    mplan_bundle_free(bundle);
    return exec;
}

/* Returns the exchanges. */
static int64_t run_bundle(const fixture *f, int32_t ranks, mplan_executor executor, bool overlap,
                          bool by_functions, result *r)
{
    mplan_exchange_figures figures;
    mplan_exec *exec = open_bundle(ranks, executor, overlap);
    run_on(f, exec, by_functions, r);
    assert_done(mplan_exec_exchanged(exec, &figures, &err), &err);
    mplan_exec_close(exec);
    return figures.exchanges;
}

/* due NULL: what the first number of ranks gives. exact: sums do not depend on their order, so that the serial executor has
 * the same bits. Returns the exchanges, which are equally many for all. */
static int64_t compare_ranks(const fixture *f, int32_t n_parts, const result *due, bool exact)
{
    static const int32_t counts[] = {1, 2, 3, 16};
    static const mplan_executor executors[] = {MPLAN_EXECUTOR_HOST, MPLAN_EXECUTOR_OPENMP,
                                               MPLAN_EXECUTOR_HOST, MPLAN_EXECUTOR_HOST};
    result first = {{NULL}};
    int64_t exchanges = 0;
    for (size_t k = 0; k < sizeof counts / sizeof *counts && counts[k] <= n_parts; k++) {
        result own;
        const int64_t made = run_bundle(f, counts[k],
                                        exact && k == 2 ? MPLAN_EXECUTOR_SERIAL : executors[k],
                                        k % 2, k % 2, &own);
        assert_true(k == 0 || made == exchanges);
        exchanges = made;
        if (due || k > 0)
            assert_equal(f, &own, due ? due : &first);
        if (k == 0 && !due)
            first = own;
        else
            drop_result(&own);
    }
    drop_result(&first);
    return exchanges;
}

/* --- tests ------------------------------------------------------------------------------------- */

typedef struct way {
    mplan_strategy strategy; /* MPLAN_N_STRATEGIES: auto */
    mplan_columns columns;
    bool ranged;
} way;
static const way ways[] = {{MPLAN_N_STRATEGIES, MPLAN_COLUMNS_LAYERS, false},
                           {MPLAN_N_STRATEGIES, MPLAN_COLUMNS_OWNER, true},
                           {MPLAN_STRATEGY_TWO_STEP, MPLAN_COLUMNS_POINTS, true},
                           {MPLAN_STRATEGY_ATOMIC, MPLAN_COLUMNS_LAYERS, true},
                           {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_COLUMNS_POINTS, false}};

static void results_are_those_of_the_mesh(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (int32_t n_parts = 1; n_parts <= 16;
             n_parts = n_parts < 3 ? n_parts + 2 : 4 * n_parts + 4) {
            fixture f;
            result due;
            make(&f, 9, 7, ways[w].ranged, false, ways[w].columns);
            f.options.n_strategies = ways[w].strategy < MPLAN_N_STRATEGIES;
            f.options.strategies[0] = ways[w].strategy;
            run_plain(&f, &due);
            for (int32_t rings = 0; rings < 4; rings += 1 + (int32_t)w % 3) {
                f.options.rings = rings;
                write_bundle(&f, n_parts);
                compare_ranks(&f, n_parts, &due, true);
            }
            drop_result(&due);
            drop(&f);
        }
}

/* More parts than columns. */
static void empty_parts_do_nothing(void **state)
{
    (void)state;
    fixture f;
    result due;
    make(&f, 2, 1, true, false, MPLAN_COLUMNS_LAYERS);
    run_plain(&f, &due);
    for (f.options.rings = 0; f.options.rings < 3; f.options.rings += 2) {
        write_bundle(&f, 16);
        compare_ranks(&f, 16, &due, true);
    }
    drop_result(&due);
    drop(&f);
}

static void bits_are_those_of_plans_without_parts(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        fixture f;
        result whole;
        mplan_plan *plan;
        mplan_exec *exec;
        mplan_exec_options run = MPLAN_EXEC_OPTIONS_INIT;
        make(&f, 11, 8, turn > 0, true, turn == 2 ? MPLAN_COLUMNS_OWNER : MPLAN_COLUMNS_LAYERS);
        f.options.sums_order = MPLAN_SUMS_ORDER_MESH;
        f.options.n_strategies = turn == 1;
        f.options.strategies[0] = MPLAN_STRATEGY_TWO_STEP;
        run.executor = MPLAN_EXECUTOR_HOST;
        assert_done(mplan_plan_create(f.mesh, N_LOOPS, loops, &f.options, NULL, &plan, &err), &err);
        assert_done(mplan_exec_open(plan, &run, &exec, &err), &err);
        run_on(&f, exec, false, &whole);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
        for (int32_t n_parts = 1; n_parts < 20; n_parts += 6) {
            int64_t made[3];
            for (int32_t k = 0; k < 3; k++) {
                f.options.rings = 2 * k;
                write_bundle(&f, n_parts);
                made[k] = compare_ranks(&f, n_parts, &whole, false);
            }
            assert_true(n_parts == 1 || (made[2] < made[1] && made[1] < made[0]));
        }
        f.options.rings = 3;
        drop_result(&whole);
        /* and without that order equal bits for all ranks */
        f.options.sums_order = MPLAN_SUMS_ORDER_AUTO;
        write_bundle(&f, 16);
        compare_ranks(&f, 16, NULL, false);
        drop(&f);
    }
}

/* A function is of the executor and of the loop that it was bound to; what a loop does not have is refused as without parts. */
static void functions_of_parts_are_refused(void **state)
{
    (void)state;
    fixture f;
    mplan_exec_loop *by_kernel, *bound;
    make(&f, 5, 4, true, false, MPLAN_COLUMNS_LAYERS);
    write_bundle(&f, 3);
    mplan_exec *exec = open_bundle(2, MPLAN_EXECUTOR_HOST, true),
               *other = open_bundle(3, MPLAN_EXECUTOR_HOST, true);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_bind_layers(exec, "flux", -1, &flux_host, &by_kernel, &err), &err);
    assert_done(mplan_exec_bind_layer_function(exec, "flux", -1, flux_function, &bound, &err), &err);
    assert_refused(mplan_exec_launch_function(exec, by_kernel, NULL, &err), MPLAN_ERR_ARGUMENT,
                   &err, "loop flux was not bound to a function");
    assert_refused(mplan_exec_launch_function(other, bound, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "loop flux was not bound to a function");
    assert_refused(mplan_exec_bind_layer_function(exec, "fluxes", -1, flux_function, &bound, &err),
                   MPLAN_ERR_ARGUMENT, &err, "no loop fluxes");
    assert_refused(mplan_exec_bind_layer_function(exec, "flux", 9, flux_function, &bound, &err),
                   MPLAN_ERR_ARGUMENT, &err, "loop flux has variants 0 to");
    mplan_exec_close(exec);
    mplan_exec_close(other);
    drop(&f);
}

/* An ocean that is HIGH deep in one half and flat in the other: parts have equally many levels, not columns. */
static void parts_weigh_layers(void **state)
{
    (void)state;
    for (int by_metis = 0; by_metis < 2; by_metis++) {
        fixture f;
        mplan_parts *parts;
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        make(&f, 30, 30, true, false, MPLAN_COLUMNS_LAYERS);
        const mplan_map nodes = mplan_mesh_map(f.mesh, mplan_mesh_find_map(f.mesh, "cells_nodes"));
        int32_t dimension;
        const double *xyz = mplan_mesh_coordinates(f.mesh, nodes.to, &dimension);
        for (int64_t e = 0; e < nodes.n_rows; e++) {
            f.ranges[0][2 * e] = 0;
            f.ranges[0][2 * e + 1] = xyz[(int64_t)nodes.values[4 * e] * dimension] < 0.5 ? HIGH : 1;
        }
        int64_t levels[4] = {0}, all = 0, most = 0;
        mplan_layers layers = {1,      1,         3,
                               f.sets, f.layered, f.args}; /* of the product, which sums to nodes */
        f.options.layers = &layers;
        how.n_parts = 4;
        how.partitioner = by_metis ? MPLAN_PARTITIONER_METIS : MPLAN_PARTITIONER_NATIVE;
        mplan_status status = mplan_parts_create(f.mesh, 1, loops, &f.options, &how, NULL, &parts,
                                                 &err);
        if (status != MPLAN_ERR_UNSUPPORTED || !by_metis) { /* this build may be without */
            assert_done(status, &err);
            int32_t s = 0;
            while (!mplan_parts_get_set(parts, s).cut)
                s++;
            const mplan_parts_set set = mplan_parts_get_set(parts, s);
            for (int64_t m = 0; m < set.total; m++) {
                int32_t high = 1;
                for (int64_t i = 0; i < 4 * nodes.n_rows; i++)
                    if (nodes.values[i] == m && f.ranges[0][2 * (i / 4) + 1] > high)
                        high = f.ranges[0][2 * (i / 4) + 1];
                levels[set.owner[m]] += high;
                all += high;
            }
            for (int q = 0; q < 4; q++)
                most = levels[q] > most ? levels[q] : most;
            assert_true((double)most < 1.06 * (double)all / 4);
            mplan_parts_free(parts);
        }
        drop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_mesh),
        cmocka_unit_test(empty_parts_do_nothing),
        cmocka_unit_test(bits_are_those_of_plans_without_parts),
        cmocka_unit_test(functions_of_parts_are_refused),
        cmocka_unit_test(parts_weigh_layers),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
