/* SPDX-License-Identifier: Apache-2.0 */
/* test_step_apps.c - what applications of whole steps prove of themselves is noticed when it does not hold */
#include "support_test.h"

#include <stdlib.h>

#include "apps/harness_step.h"

static mplan_error err;

static mplan_mesh *generated(mplan_shape shape, int64_t a, int64_t b, int64_t c)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh = NULL;
    wanted.shape = shape;
    wanted.size[0] = a;
    wanted.size[1] = b;
    wanted.size[2] = c;
    wanted.jitter = shape == MPLAN_SHAPE_BOUNDARY_LAYER || shape == MPLAN_SHAPE_WING ? 0 : 0.2;
    if (wanted.jitter ==
        0) { /* cells of two shapes, and not so different in size that a fault is lost in sums */
        wanted.cells = MPLAN_LAYER_CELLS_HYBRID;
        wanted.first_height = 0.1;
        wanted.growth = 1.2;
    }
    assert_done(mplan_mesh_generate(&wanted, NULL, &mesh, &err), &err);
    return mesh;
}

/* Plans the loops of an application on a mesh, which goes, and runs a changed one by the serial executor. */
static mplan_status run_on(const char *name, const mplan_app *changed, mplan_mesh *mesh,
                           mplan_app_result *result)
{
    const mplan_app *app = mplan_app_find(name);
    mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
    mplan_loop *loops;
    mplan_plan *plan;
    int32_t n_loops;
    assert_done(mplan_app_prepare(app, mesh, NULL, &err), &err);
    assert_done(mplan_app_request(app, mesh, &loops, &n_loops, &err), &err);
    assert_done(mplan_plan_create(mesh, n_loops, loops, NULL, NULL, &plan, &err), &err);
    how.repeats = 0;
    mplan_status status = mplan_app_run(changed ? changed : app, mesh, plan, &how, result, &err);
    mplan_plan_free(plan);
    mplan_app_request_free(loops, n_loops);
    mplan_mesh_free(mesh);
    return status;
}

static mplan_status run_changed(const char *name, const mplan_app *changed, mplan_shape shape,
                                mplan_app_result *result)
{
    return run_on(name, changed,
                  shape == MPLAN_SHAPE_TRI || shape == MPLAN_SHAPE_QUAD ? generated(shape, 8, 7, 0)
                  : shape == MPLAN_SHAPE_BOUNDARY_LAYER                 ? generated(shape, 12, 6, 0)
                  : shape == MPLAN_SHAPE_WING                           ? generated(shape, 12, 4, 2)
                                                                        : generated(shape, 4, 3, 4),
                  result);
}

/* --- a step that changes one number of one member ------------------------------------------- */

static const mplan_app_steps *right;
static int32_t fault_kind;
static const char *fault_dat;

static mplan_status faulty_step(mplan_app_stepper *run, mplan_error *error)
{
    union {
        double f64[8];
        float f32[8];
    } row;
    mplan_status status = right->step(run, error);
    const mplan_app_dat *dat = mplan_app_data_find(&run->data, fault_dat);
    const mplan_row_choice third = {3, 1, NULL};
    if (status || run->plainly || run->kind != fault_kind)
        return status;
    status = mplan_exec_download_rows(run->exec, fault_dat, &third, &row, dat->dim, dat->type, NULL,
                                      error);
    if (dat->type == MPLAN_TYPE_F32)
        row.f32[0] *= 1.001f;
    else
        row.f64[0] *= 1 + 1e-8;
    return !status ? mplan_exec_upload_rows(run->exec, fault_dat, &third, &row, dat->dim, dat->type,
                                            NULL, error)
                   : status;
}

static void refuses(const char *name, mplan_shape shape, const char *dat, int32_t kind,
                    const char *words)
{
    mplan_app app = *mplan_app_find(name);
    mplan_app_steps steps = *app.steps;
    mplan_app_result result;
    right = app.steps;
    fault_kind = kind;
    fault_dat = dat;
    steps.step = faulty_step;
    app.steps = &steps;
    assert_refused(run_changed(name, &app, shape, &result), MPLAN_ERR_DISPROVED, &err, words);
}

static void faults_are_noticed(void **state)
{
    (void)state;
    mplan_app_result result;
    assert_done(run_changed("volna_step", NULL, MPLAN_SHAPE_TRI, &result), &err);
    assert_true(result.error >= 0 && result.error < 1e-5);
    assert_done(run_changed("miniaero_rk4", NULL, MPLAN_SHAPE_HEX, &result), &err);
    assert_true(result.error >= 0 && result.error < 1e-12);
    refuses("volna_step", MPLAN_SHAPE_TRI, "q", 1, "a lake at rest changes");
    refuses("volna_step", MPLAN_SHAPE_TRI, "q", 0, "the water within walls changes");
    assert_done(run_changed("bookleaf_getq", NULL, MPLAN_SHAPE_QUAD, &result), &err);
    assert_true(result.error >= 0 && result.error < 1e-12);
    refuses("bookleaf_getq", MPLAN_SHAPE_QUAD, "energy", 0, "energy changes from");
    refuses("bookleaf_getq", MPLAN_SHAPE_QUAD, "u", 1, "gas that moves as one changes");
    for (int solid = 0; solid < 2; solid++) {
        const mplan_shape shape = solid ? MPLAN_SHAPE_WING : MPLAN_SHAPE_BOUNDARY_LAYER;
        assert_done(run_changed("mixed", NULL, shape, &result), &err);
        assert_true(result.error >= 0 && result.error < 1e-12);
        refuses("mixed", shape, "content", 0, "the content changes from");
        refuses("mixed", shape, "content", 1, "the same everywhere changes");
    }
    refuses("miniaero_rk4", MPLAN_SHAPE_TET, "state", 1, "changes the free stream");
    refuses("miniaero_rk4", MPLAN_SHAPE_TET, "state", 2, "mass within walls changes");
    refuses("miniaero_rk4", MPLAN_SHAPE_HEX, "state", 0, "relative error");
}

/* Fingerprints of the first steps from the start that each application has: who measures it twice, here and on
 * another day, measures the same case. All of them are sums, products, quotients and roots of doubles. */
static void starts_stay(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        mplan_shape shape;
        uint64_t bits;
    } known[] = {
        {"bookleaf_getq", MPLAN_SHAPE_QUAD, UINT64_C(0x0317b8fa11e87889)},
        {"miniaero_rk4", MPLAN_SHAPE_HEX, UINT64_C(0x28e3d7f42517433b)},
        {"euler2d", MPLAN_SHAPE_TRI, UINT64_C(0xb2fded18222480e4)},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        mplan_app_result result = {0};
        assert_done(run_changed(known[i].name, NULL, known[i].shape, &result), &err);
        if (result.bits != known[i].bits)
            print_message("%s: %016llx\n", known[i].name, (unsigned long long)result.bits);
        assert_true(result.bits == known[i].bits);
    }
}

/* The start of a mesh that is twice as wide as it is high: each direction is measured by its own extent. */
static void wide_starts_stay(void **state)
{
    (void)state;
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 8, 7, 0);
    const int32_t set = mplan_mesh_find_set(mesh, "nodes");
    const int64_t n = mplan_mesh_set(mesh, set).size;
    int32_t dimension;
    const double *from = mplan_mesh_coordinates(mesh, set, &dimension);
    double *wide = malloc((size_t)(n * dimension) * sizeof *wide);
    mplan_app_result result = {0};
    for (int64_t i = 0; i < n * dimension; i++)
        wide[i] = i % dimension == 0 ? 2 * from[i] : from[i];
    assert_done(mplan_mesh_set_coordinates(mesh, set, dimension, wide, &err), &err);
    free(wide);
    assert_done(run_on("bookleaf_getq", NULL, mesh, &result), &err);
    if (result.bits != UINT64_C(0x401811cff0c3bbb3))
        print_message("%016llx\n", (unsigned long long)result.bits);
    assert_true(result.bits == UINT64_C(0x401811cff0c3bbb3));
}

/* --- a matrix that is not the one of the right-hand side ---------------------------------------- */

static const mplan_kernel *right_kernel;

/* The first cell gets a little more. */
static void couple_wrongly(const mplan_host_call *call, int64_t begin, int64_t end)
{
    right_kernel->run(call, begin, end);
    if (begin == 0 && end > 0)
        ((double *)call->arg[2].data)[0] += 1e-7 * ((double *)call->arg[0].data)[0];
}

static void wrong_answers_are_noticed(void **state)
{
    (void)state;
    mplan_app app = *mplan_app_find("cg");
    mplan_app_loop loops[2] = {app.loops[0], app.loops[1]};
    mplan_app_result result;
    const mplan_no_parameters none = {0};
    const mplan_app_hand_arg few[3] = {{0}};
    const mplan_app_hand nothing = {0, &none, 0, few};
    right_kernel = loops[1].host;
    mplan_kernel kernel = *right_kernel;
    kernel.run = couple_wrongly;
    loops[1].host = &kernel;
    assert_done(run_changed("cg", NULL, MPLAN_SHAPE_TET, &result), &err);
    assert_true(result.error >= 0 && result.error < 1e-11 && result.equal_bits);
    app.loops = loops;
    app.hand = &nothing; /* else the case by hand would notice it first */
    assert_refused(run_changed("cg", &app, MPLAN_SHAPE_TET, &result), MPLAN_ERR_DISPROVED, &err,
                   "the answer is wrong");
}

/* --- rows that are given away ------------------------------------------------------------------ */

/* A plan of column-step for a limited device memory; loops are to be freed. */
static mplan_plan *limited_plan(const mplan_app *app, mplan_mesh *mesh, mplan_loop **loops,
                                int32_t *n_loops)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_layers *layers = NULL;
    mplan_plan *plan = NULL;
    int32_t *step = NULL;
    assert_done(mplan_app_request(app, mesh, loops, n_loops, &err), &err);
    assert_done(mplan_app_layers(app, *loops, 4, MPLAN_COLUMNS_LAYERS, &layers, &err), &err);
    assert_done(mplan_app_time_step(app, *loops, &step, &options.n_step, &err), &err);
    options.layers = layers;
    options.step = step;
    options.step_clears = step + options.n_step;
    options.device_memory = 16 << 20;
    options.steps_per_visit = 2;
    options.segments = 4;
    assert_done(mplan_plan_create(mesh, *n_loops, *loops, &options, NULL, &plan, &err), &err);
    free(step);
    free(layers);
    return plan;
}

/* Dats that are uploaded one by one, whose rows go, are those that are uploaded together, dat by dat. */
static void rows_that_go_have_been_uploaded(void **state)
{
    (void)state;
    const mplan_app *app = mplan_app_find("column-step");
    mplan_mesh *mesh = generated(MPLAN_SHAPE_QUAD, 30, 5, 0);
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
    mplan_app_data kept = {0}, given = {0};
    mplan_exec *one = NULL, *other = NULL;
    mplan_loop *loops;
    int32_t n_loops;
    mplan_plan *plan = limited_plan(app, mesh, &loops, &n_loops);
    exec.executor = MPLAN_EXECUTOR_HOST;
    exec.device_memory = 16 << 20;
    how.exec = &exec;
    assert_done(mplan_app_data_create(app, mesh, loops, 4, &kept, &err), &err);
    assert_done(mplan_app_data_create(app, mesh, loops, 4, &given, &err), &err);
    mplan_app_data_random(app, 7, &kept);
    mplan_app_data_random(app, 7, &given);
    assert_done(mplan_app_open(plan, &how, &kept, &one, &err), &err);
    assert_done(mplan_app_open_large(plan, &how, &given, &other, &err), &err);
    assert_true(kept.n == 5);
    for (int32_t i = 0; i < kept.n; i++) {
        const mplan_app_dat *dat = &kept.dat[i];
        const size_t bytes = (size_t)mplan_app_dat_bytes(dat);
        char *first = malloc(bytes), *second = malloc(bytes);
        assert_true(first && second && dat->rows && !given.dat[i].rows);
        assert_done(mplan_exec_download(one, dat->name, first, mplan_app_dat_rows(dat), dat->dim,
                                        dat->type, &err),
                    &err);
        assert_done(mplan_exec_download(other, dat->name, second, mplan_app_dat_rows(dat), dat->dim,
                                        dat->type, &err),
                    &err);
        assert_memory_equal(first, second, bytes);
        assert_memory_equal(first, dat->rows, bytes);
        free(first);
        free(second);
    }
    mplan_exec_close(one);
    mplan_exec_close(other);
    mplan_app_data_free(&kept);
    mplan_app_data_free(&given);
    mplan_plan_free(plan);
    mplan_app_request_free(loops, n_loops);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_noticed),
        cmocka_unit_test(starts_stay),
        cmocka_unit_test(wide_starts_stay),
        cmocka_unit_test(wrong_answers_are_noticed),
        cmocka_unit_test(rows_that_go_have_been_uploaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
