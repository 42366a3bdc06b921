/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_parts.c - parts of a mesh on any number of ranks, against the mesh's own loops
 *
 * The parts are cut by the plainest code (support_parts.h). Halos that are out of date hold NaN, so that a missing
 * exchange is seen. In whole numbers results must be those of the naive loops; with fractions, equal bits for all ranks. */
#include "support_parts.h"

#include "support_test.h"

#include "exec/meshplan_kernel.h"
#include "mesh/mesh.h"

/* --- a step of four loops --------------------------------------------------------------- */

/* Faces write what they need of their cells, and add to them; cells move and are counted. */
#define SLOPE_ARGS(MAPPED, DIRECT, OPPOSITE)   \
    MAPPED(heat, faces_cells, 2, 2, f64, READ) \
    DIRECT(slope, 1, f64, WRITE)
MPLAN_VIEWS(parts_slope, SLOPE_ARGS)
MPLAN_FN void parts_slope(parts_slope_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->slope[0] = v->heat[1][0] - v->heat[0][0] + v->heat[0][1];
}
MPLAN_KERNEL(parts_slope, SLOPE_ARGS, mplan_no_parameters)

#define FLUX_ARGS(ARG)                                \
    ARG(MAPPED, weight, faces_nodes, 2, 1, f32, READ) \
    ARG(DIRECT, slope, 1, f64, READ)                  \
    ARG(OPPOSITE, change, faces_cells, 1, f64)        \
    ARG(DIRECT, runs, 1, i32, RW)                     \
    ARG(GLOBAL, flow, 1, f64, INC)
MPLAN_VIEWS_ANY(parts_flux, FLUX_ARGS)
MPLAN_FN void parts_flux(parts_flux_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->change[0] = v->slope[0] * (double)(v->weight[0][0] + v->weight[1][0]);
    v->flow[0] = v->slope[0];
    v->runs[0] += 1;
}
MPLAN_KERNEL_ANY(parts_flux, FLUX_ARGS, mplan_no_parameters)

#define STEP_ARGS(ARG)              \
    ARG(DIRECT, heat, 2, f64, RW)   \
    ARG(DIRECT, change, 1, f64, RW) \
    ARG(GLOBAL, least, 1, f64, MIN) \
    ARG(GLOBAL, sum, 2, f64, INC)
MPLAN_VIEWS_ANY(parts_step, STEP_ARGS)
MPLAN_FN void parts_step(parts_step_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->heat[0] += v->change[0];
    v->least[0] = v->heat[0];
    v->sum[0] = v->heat[0];
    v->sum[1] = v->heat[1];
    v->change[0] = 0;
}
MPLAN_KERNEL_ANY(parts_step, STEP_ARGS, mplan_no_parameters)

/* Nodes gather from cells, and cells from nodes: a dat that is summed is read at once by the next loop. */
#define SPREAD_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(load, cells_nodes, 4, 1, f64, INC) \
    DIRECT(heat, 2, f64, READ)
MPLAN_VIEWS(parts_spread, SPREAD_ARGS)
MPLAN_FN void parts_spread(parts_spread_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < 4; s++)
        v->load[s][0] = v->heat[0] * (s + 1);
}
MPLAN_KERNEL(parts_spread, SPREAD_ARGS, mplan_no_parameters)

#define COLLECT_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(load, cells_nodes, 4, 1, f64, READ) \
    DIRECT(heat, 2, f64, RW)
MPLAN_VIEWS(parts_collect, COLLECT_ARGS)
MPLAN_FN void parts_collect(parts_collect_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->heat[1] = v->load[0][0] + v->load[1][0] - v->load[2][0] - v->load[3][0];
}
MPLAN_KERNEL(parts_collect, COLLECT_ARGS, mplan_no_parameters)

enum { N_LOOPS = 5, STEPS = 3 };
static const mplan_kernel *const kernels[N_LOOPS] = {
    &parts_slope_host, &parts_flux_host, &parts_step_host, &parts_spread_host, &parts_collect_host};
static const char *const over[N_LOOPS] = {"faces", "faces", "cells", "cells", "cells"};

/* --- the case ------------------------------------------------------------------------------- */

enum { HEAT, SLOPE, WEIGHT, CHANGE, RUNS, LOAD, N_DATS };
static const struct {
    const char *name, *set;
    int32_t dim;
    mplan_type type;
} dats[N_DATS] = {{"heat", "cells", 2, MPLAN_TYPE_F64},   {"slope", "faces", 1, MPLAN_TYPE_F64},
                  {"weight", "nodes", 1, MPLAN_TYPE_F32}, {"change", "cells", 1, MPLAN_TYPE_F64},
                  {"runs", "faces", 1, MPLAN_TYPE_I32},   {"load", "nodes", 1, MPLAN_TYPE_F64}};

typedef struct result {
    char *rows[N_DATS];
    double flow, least, sum[2];
} result;

typedef struct parts_case {
    mplan_mesh *mesh;
    mplan_loop loops[N_LOOPS];
    mplan_arg args[N_LOOPS][MPLAN_MAX_ARGS];
    result start;
} parts_case;

static int64_t size_of(const mplan_mesh *mesh, int d)
{
    return mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, dats[d].set)).size;
}

static size_t bytes_of(const mplan_mesh *mesh, int d)
{
    return (size_t)(size_of(mesh, d) * dats[d].dim) * mplan_type_size(dats[d].type);
}

static void copy_result(const mplan_mesh *mesh, const result *from, result *to)
{
    *to = *from;
    for (int d = 0; d < N_DATS; d++) {
        to->rows[d] = malloc(bytes_of(mesh, d) + 1);
        memcpy(to->rows[d], from->rows[d], bytes_of(mesh, d));
    }
}

static void free_result(result *r)
{
    for (int d = 0; d < N_DATS; d++)
        free(r->rows[d]);
}

/* A grid of cells; faces between two cells, others are left out. */
static mplan_mesh *make_mesh(int32_t nx, int32_t ny)
{
    mplan_error err;
    mplan_mesh *mesh;
    const int64_t cells = (int64_t)nx * ny, nodes = (int64_t)(nx + 1) * (ny + 1);
    int32_t *cells_nodes = malloc((size_t)cells * 16 + 4),
            *faces_cells = malloc((size_t)cells * 16 + 4);
    int32_t *faces_nodes = malloc((size_t)cells * 16 + 4), n = 0;
    for (int32_t y = 0; y < ny; y++)
        for (int32_t x = 0; x < nx; x++) {
            const int32_t c = y * nx + x, a = y * (nx + 1) + x;
            const int32_t corner[4] = {a, a + 1, a + nx + 2, a + nx + 1};
            memcpy(cells_nodes + 4 * c, corner, sizeof corner);
            for (int way = 0; way < 2; way++) {
                if (way ? y + 1 == ny : x + 1 == nx)
                    continue;
                faces_cells[2 * n] = c;
                faces_cells[2 * n + 1] = way ? c + nx : c + 1;
                faces_nodes[2 * n] = way ? corner[3] : corner[1];
                faces_nodes[2 * n++ + 1] = corner[2];
            }
        }
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "faces", n, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", cells, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "nodes", nodes, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "faces_cells", 0, 1, 2, NULL, faces_cells, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "faces_nodes", 0, 2, 2, NULL, faces_nodes, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_nodes", 1, 2, 4, NULL, cells_nodes, NULL, &err),
                &err);
    free(cells_nodes);
    free(faces_cells);
    free(faces_nodes);
    return mesh;
}

/* Requests of the loops, and data: small whole numbers, or fractions. */
static void make_case(int32_t nx, int32_t ny, bool whole, parts_case *test)
{
    mplan_error err;
    uint64_t seed = 7;
    *test = (parts_case){.mesh = make_mesh(nx, ny)};
    for (int l = 0; l < N_LOOPS; l++)
        assert_done(mplan_kernel_loop(kernels[l], over[l], test->args[l], &test->loops[l], &err),
                    &err);
    for (int d = 0; d < N_DATS; d++) {
        test->start.rows[d] = calloc(bytes_of(test->mesh, d) + 1, 1);
        for (int64_t i = 0; i < size_of(test->mesh, d) * dats[d].dim; i++) {
            const double value = whole ? (double)support_random(&seed, 5) - 2
                                       : (double)support_random(&seed, 1000) / 999;
            if (dats[d].type == MPLAN_TYPE_F64)
                ((double *)(void *)test->start.rows[d])[i] = value;
            else if (dats[d].type == MPLAN_TYPE_F32)
                ((float *)(void *)test->start.rows[d])[i] = (float)value;
        }
    }
}

static void free_case(parts_case *test)
{
    free_result(&test->start);
    mplan_mesh_free(test->mesh);
}

/* Loops over the mesh as it is, by the kernels over its own maps. */
static void naive_loop(const parts_case *test, int l, result *r)
{
    mplan_host_call call = {.mode = MPLAN_HOST_ADD};
    for (int32_t a = 0; a < test->loops[l].n_args; a++) {
        const mplan_arg *arg = &test->args[l][a];
        call.arg[a].member_stride = arg->dim;
        call.arg[a].component_stride = 1;
        for (int d = 0; d < N_DATS; d++)
            if (strcmp(dats[d].name, arg->dat) == 0)
                call.arg[a].data = r->rows[d];
        if (strcmp(arg->dat, "flow") == 0)
            call.arg[a].data = &r->flow;
        else if (strcmp(arg->dat, "least") == 0)
            call.arg[a].data = &r->least;
        else if (strcmp(arg->dat, "sum") == 0)
            call.arg[a].data = r->sum;
        if (arg->map && strcmp(arg->map, MPLAN_GLOBAL) != 0)
            call.arg[a].rows =
                mplan_mesh_map(test->mesh, mplan_mesh_find_map(test->mesh, arg->map)).values;
    }
    kernels[l]->run(&call, 0,
                    mplan_mesh_set(test->mesh, mplan_mesh_find_set(test->mesh, over[l])).size);
}

static void naive_steps(const parts_case *test, result *r)
{
    copy_result(test->mesh, &test->start, r);
    for (int i = 0; i < STEPS; i++) {
        r->least = 1e9;
        memset(r->rows[LOAD], 0, bytes_of(test->mesh, LOAD));
        for (int l = 0; l < N_LOOPS; l++)
            naive_loop(test, l, r);
    }
}

/* The owner of each member, by a rule that is nobody else's: parts of cells are given by `cut`. */
enum { STRIPES, DICE, ONE_EMPTY };
static void cut_mesh(const parts_case *test, int32_t n_parts, int cut, int32_t *part_of[3])
{
    uint64_t seed = 3;
    for (int32_t s = 0; s < 3; s++) {
        const int64_t n = mplan_mesh_set(test->mesh, s).size;
        part_of[s] = malloc((size_t)n * 4 + 4);
        for (int64_t m = 0; m < n; m++) {
            part_of[s][m] = cut == DICE ? (int32_t)support_random(&seed, n_parts)
                                        : (int32_t)(m * n_parts / n);
            if (cut == ONE_EMPTY && part_of[s][m] == n_parts / 2)
                part_of[s][m] = 0;
        }
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

typedef struct how {
    mplan_executor executor;
    int32_t variant;
    bool overlap, peer;
} how;

/* Steps from the start values; dats come back in the mesh's order. */
static void run_steps(const parts_case *test, mplan_exec *exec, int32_t variant, result *r)
{
    mplan_error err;
    mplan_exec_loop *bound[N_LOOPS];
    const double far = 1e9;
    copy_result(test->mesh, &test->start, r);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    for (int d = 0; d < N_DATS; d++)
        assert_done(mplan_exec_upload(exec, dats[d].name, r->rows[d], size_of(test->mesh, d),
                                      dats[d].dim, dats[d].type, &err),
                    &err);
    for (int l = 0; l < N_LOOPS; l++)
        assert_done(mplan_exec_bind(exec, kernels[l]->name, variant, kernels[l], &bound[l], &err),
                    &err);
    for (int i = 0; i < STEPS; i++) {
        assert_done(mplan_exec_set(exec, "least", &far, 1, MPLAN_TYPE_F64, NULL, &err), &err);
        assert_done(mplan_exec_clear(exec, "load", NULL, &err), &err);
        for (int l = 0; l < N_LOOPS; l++)
            assert_done(mplan_exec_launch(exec, bound[l], NULL, NULL, &err), &err);
    }
    for (int d = 0; d < N_DATS; d++)
        assert_done(mplan_exec_download(exec, dats[d].name, r->rows[d], size_of(test->mesh, d),
                                        dats[d].dim, dats[d].type, &err),
                    &err);
    assert_done(mplan_exec_download(exec, "flow", &r->flow, 1, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "least", &r->least, 1, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "sum", r->sum, 1, 2, MPLAN_TYPE_F64, &err), &err);
}

static void assert_equal(const parts_case *test, const result *a, const result *b)
{
    for (int d = 0; d < N_DATS; d++)
        if (memcmp(a->rows[d], b->rows[d], bytes_of(test->mesh, d)) != 0)
            fail_msg("dat %s differs", dats[d].name);
    assert_memory_equal(&a->flow, &b->flow, sizeof a->flow);
    assert_memory_equal(&a->least, &b->least, sizeof a->least);
    assert_memory_equal(a->sum, b->sum, sizeof a->sum);
}

static const how hows[] = {
    {MPLAN_EXECUTOR_SERIAL, 0, true, false}, {MPLAN_EXECUTOR_HOST, 0, true, false},
    {MPLAN_EXECUTOR_HOST, 0, false, false},  {MPLAN_EXECUTOR_HOST, 1, true, false},
    {MPLAN_EXECUTOR_OPENMP, 0, true, false}, {MPLAN_EXECUTOR_HOST, 0, true, true},
    {MPLAN_EXECUTOR_HOST, 0, false, true}};
static const int32_t devices[16] = {3, 1, 2, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const int32_t rank_counts[] = {1, 2, 3, 4, 8, 16};
enum { N_HOWS = sizeof hows / sizeof *hows, N_RANKS = sizeof rank_counts / sizeof *rank_counts };

/* Every way to run on every number of ranks; `expected` NULL: what the first number gives. */
static void compare_ranks(const parts_case *test, const support_parts *parts, const result *expected)
{
    for (int h = 0; h < N_HOWS; h++) {
        result first = {{NULL}, 0, 0, {0, 0}};
        for (int k = 0; k < N_RANKS && rank_counts[k] <= parts->n_parts; k++) {
            mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
            result own;
            ranks.ranks = rank_counts[k];
            ranks.poison = true;
            ranks.overlap = hows[h].overlap;
            ranks.devices = hows[h].peer ? devices : NULL;
            mplan_exec *exec = support_parts_open(parts, NULL, hows[h].executor, &ranks);
            run_steps(test, exec, hows[h].variant, &own);
            mplan_exec_close(exec);
            assert_equal(test, &own, expected ? expected : k == 0 ? &own : &first);
            if (k == 0)
                first = own;
            else
                free_result(&own);
        }
        free_result(&first);
    }
}

static void over_ranks(int32_t nx, int32_t ny, int32_t n_parts, int cut, bool whole)
{
    parts_case test;
    support_parts parts;
    result expected;
    int32_t *part_of[3];
    make_case(nx, ny, whole, &test);
    cut_mesh(&test, n_parts, cut, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, n_parts, part_of, &parts);
    naive_steps(&test, &expected);
    compare_ranks(&test, &parts, whole ? &expected : NULL);
    free_result(&expected);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    free_case(&test);
}

/* Whole numbers: sums are exact in any order. */
static void results_are_those_of_the_mesh(void **state)
{
    (void)state;
    over_ranks(13, 11, 16, STRIPES, true);
    over_ranks(9, 7, 5, DICE, true);
    over_ranks(30, 4, 4, STRIPES, true);
    over_ranks(6, 5, 3, ONE_EMPTY, true);
    over_ranks(1, 1, 8, STRIPES, true); /* more parts than cells, sets without members */
}

static void bits_do_not_depend_on_ranks(void **state)
{
    (void)state;
    over_ranks(13, 11, 16, STRIPES, false);
    over_ranks(9, 7, 16, DICE, false);
}

/* --- canonical order ------------------------------------------------------------------------- */

/* What is written in canonical order by one number of ranks is read by another; ids say which member a row is of. */
static void restart_files_are_independent_of_ranks(void **state)
{
    (void)state;
    mplan_error err;
    parts_case test;
    support_parts parts;
    int32_t *part_of[3];
    make_case(8, 6, false, &test);
    cut_mesh(&test, 6, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 6, part_of, &parts);
    const int64_t n = size_of(test.mesh, HEAT);
    double *rows = malloc((size_t)n * 16), *back = malloc((size_t)n * 16);
    int64_t *ids = malloc((size_t)n * 8), first, end;
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    for (int32_t k = 1; k <= 3; k++) {
        ranks.ranks = k;
        mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_done(mplan_exec_own_range(exec, "cells", &first, &end, &err), &err);
        assert_int_equal(first, 0);
        assert_int_equal(end, n);
        assert_done(mplan_exec_own_ids(exec, "cells", ids, n, &err), &err);
        if (k == 1) {
            assert_done(mplan_exec_upload(exec, "heat", test.start.rows[HEAT], n, 2, MPLAN_TYPE_F64,
                                          &err),
                        &err);
            assert_done(mplan_exec_download_own(exec, "heat", rows, n, 2, MPLAN_TYPE_F64, &err),
                        &err);
            for (int64_t i = 0; i < n; i++)
                assert_memory_equal(rows + 2 * i, test.start.rows[HEAT] + 16 * ids[i], 16);
        } else {
            assert_done(mplan_exec_upload_own(exec, "heat", rows, n, 2, MPLAN_TYPE_F64, &err), &err);
            assert_done(mplan_exec_download(exec, "heat", back, n, 2, MPLAN_TYPE_F64, &err), &err);
            assert_memory_equal(back, test.start.rows[HEAT], (size_t)n * 16);
        }
        assert_refused(mplan_exec_upload_own(exec, "heat", rows, n - 1, 2, MPLAN_TYPE_F64, &err),
                       MPLAN_ERR_ARGUMENT, &err, "rows");
        mplan_exec_close(exec);
    }
    free(rows);
    free(back);
    free(ids);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    free_case(&test);
}

/* --- exchanges -------------------------------------------------------------------------------- */

/* A dat is exchanged once after it was written, whoever asks; one message each way between neighbours. */
static void only_stale_halos_travel(void **state)
{
    (void)state;
    mplan_error err;
    parts_case test;
    support_parts parts;
    int32_t *part_of[3];
    make_case(12, 4, false, &test);
    cut_mesh(&test, 2, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 2, part_of, &parts);
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    ranks.ranks = 2;
    mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
    mplan_exec_loop *slope;
    mplan_exchange_figures f;
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "heat", test.start.rows[HEAT], size_of(test.mesh, HEAT), 2,
                                  MPLAN_TYPE_F64, &err),
                &err);
    assert_done(mplan_exec_bind(exec, "parts_slope", 0, kernels[0], &slope, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_done(mplan_exec_launch(exec, slope, NULL, NULL, &err), &err);
        assert_done(mplan_exec_exchanged(exec, &f, &err), &err);
        assert_int_equal(f.exchanges, 1);
        assert_int_equal(f.messages, 2);
        assert_string_equal(f.transport, "local");
    }
    const char *const both[] = {"heat", "load"};
    assert_done(mplan_exec_exchange_begin(exec, both, 2, NULL, &err), &err);
    assert_refused(mplan_exec_exchange_begin(exec, both, 2, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "has begun");
    assert_done(mplan_exec_exchange_end(exec, NULL, &err), &err);
    assert_refused(mplan_exec_exchange_end(exec, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no exchange");
    assert_done(mplan_exec_exchanged(exec, &f, &err), &err);
    assert_int_equal(f.exchanges, 2); /* of load only: heat was not written since */
    assert_int_equal(f.messages, 4);
    mplan_exec_close(exec);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    free_case(&test);
}

/* --- refusals ----------------------------------------------------------------------------------- */

static mplan_status no_record(void *user, void *stream, mplan_error *err)
{
    (void)user, (void)stream, (void)err;
    return MPLAN_OK;
}

static void what_parts_cannot_do_is_refused(void **state)
{
    (void)state;
    mplan_error err;
    parts_case test;
    support_parts parts;
    int32_t *part_of[3], part = -1;
    make_case(5, 4, false, &test);
    cut_mesh(&test, 3, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 3, part_of, &parts);
    mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST,
                                          &(mplan_rank_options)MPLAN_RANK_OPTIONS_INIT);
    mplan_exec_graph *graph;
    mplan_dat_view view;
    int64_t times;
    double sum;
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_refused(mplan_exec_data(exec, "heat", MPLAN_READ, &view, &err), MPLAN_ERR_UNSUPPORTED,
                   &err, "one plan");
    assert_refused(mplan_exec_written(exec, "heat", &times, &err), MPLAN_ERR_UNSUPPORTED, &err,
                   "one plan");
    assert_refused(mplan_exec_capture(exec, no_record, NULL, &graph, &err), MPLAN_ERR_UNSUPPORTED,
                   &err, "only cuda can");
    assert_refused(mplan_exec_upload(exec, "heat", test.start.rows[HEAT], 3, 2, MPLAN_TYPE_F64, &err),
                   MPLAN_ERR_ARGUMENT, &err, "20 rows");
    assert_refused(mplan_exec_reduce(exec, "none", 0, MPLAN_SUM, &sum, &err), MPLAN_ERR_ARGUMENT,
                   &err, "not declared");
    assert_non_null(mplan_exec_part(exec, 2, &part));
    assert_int_equal(part, 2);
    assert_null(mplan_exec_part(exec, 3, &part));
    mplan_exec_close(exec);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    free_case(&test);
}

/* Ranks need devices of their own, and a transport brings its own way. */
static void devices_are_checked(void **state)
{
    (void)state;
    mplan_error err;
    parts_case test;
    support_parts parts;
    int32_t *part_of[3];
    const int32_t twice[3] = {0, 1, 0}, apart[3] = {2, 1, 0};
    make_case(5, 4, false, &test);
    cut_mesh(&test, 3, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 3, part_of, &parts);
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    mplan_exec *exec = NULL;
    ranks.ranks = 3;
    ranks.devices = twice;
    assert_refused(support_parts_try(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks, &exec, &err),
                   MPLAN_ERR_ARGUMENT, &err, "ranks 0 and 2 are both to run on device 0");
    ranks.devices = apart;
    assert_done(support_parts_try(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks, &exec, &err), &err);
    mplan_exchange_figures f;
    const char *const heat[] = {"heat"};
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_exchange_begin(exec, heat, 1, NULL, &err), &err);
    assert_done(mplan_exec_exchange_end(exec, NULL, &err), &err);
    assert_done(mplan_exec_exchanged(exec, &f, &err), &err);
    assert_string_equal(f.transport, "peer, emulated in host memory");
    assert_int_equal(f.messages, 4); /* stripes: the middle one has two neighbours */
    mplan_exec_close(exec);
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    free_case(&test);
}

/* A sum of a dat has the same bits on any number of ranks. */
static void reductions_do_not_depend_on_ranks(void **state)
{
    (void)state;
    mplan_error err;
    parts_case test;
    support_parts parts;
    int32_t *part_of[3];
    double first = 0, most = 0;
    make_case(40, 30, false, &test);
    cut_mesh(&test, 7, STRIPES, part_of);
    support_parts_make(test.mesh, N_LOOPS, test.loops, 7, part_of, &parts);
    const double *heat = (const double *)(const void *)test.start.rows[HEAT];
    for (int64_t i = 0; i < size_of(test.mesh, HEAT); i++)
        most = heat[2 * i + 1] > most ? heat[2 * i + 1] : most;
    for (int32_t k = 1; k <= 7; k++) {
        mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
        ranks.ranks = k;
        ranks.poison = true;
        mplan_exec *exec = support_parts_open(&parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
        double sum = 0, greatest = 0;
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_done(mplan_exec_upload(exec, "heat", heat, size_of(test.mesh, HEAT), 2,
                                      MPLAN_TYPE_F64, &err),
                    &err);
        assert_done(mplan_exec_reduce(exec, "heat", 1, MPLAN_SUM, &sum, &err), &err);
        assert_done(mplan_exec_reduce(exec, "heat", 1, MPLAN_MAX, &greatest, &err), &err);
        first = k == 1 ? sum : first;
        assert_memory_equal(&sum, &first, sizeof sum);
        assert_memory_equal(&greatest, &most, sizeof most);
        mplan_exec_close(exec);
    }
    support_parts_free(&parts);
    for (int s = 0; s < 3; s++)
        free(part_of[s]);
    free_case(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_mesh),
        cmocka_unit_test(bits_do_not_depend_on_ranks),
        cmocka_unit_test(restart_files_are_independent_of_ranks),
        cmocka_unit_test(only_stale_halos_travel),
        cmocka_unit_test(reductions_do_not_depend_on_ranks),
        cmocka_unit_test(what_parts_cannot_do_is_refused),
        cmocka_unit_test(devices_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
