/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of columns for a limited device memory: visits between exchanges have the bits of memory under every order of levels and for every
 * number of ranks; changed columns are refused, and a step more than the rings serve gives other numbers. */
#include "changed_columns.h"
#include "exec/ranks/exec_parts.h"
#include "layered_step.h"
#include "plan/plan.h"
#include "support_test.h"

#include <unistd.h>

static const mplan_layer_kernel *const layered[] = {&pile_host, &flow_host, &dofs_host, &take_host,
                                                    &pull_host};
static const mplan_kernel *const flat[] = {&tilt_host, &rise_host};

enum { PARTS = 3, RINGS = 3, STEPS = 2 }; /* a step needs 2 rings, and each one more 1 more */

static char bundle_path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(bundle_path, sizeof bundle_path, "test_parts_slabs_layers.%ld.mplans", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    unlink(bundle_path);
    return 0;
}

/* how: of layered_by. bytes 0: without slabs. */
static layered_step new_step(int wide, int how, int64_t bytes, int32_t steps, int32_t rings)
{
    layered_step step = layered_by(wide, how);
    step.order = MPLAN_SUMS_ORDER_MESH;
    step.device_memory = bytes;
    step.steps = bytes ? steps : 0;
    step.path = bundle_path;
    step.parts = PARTS;
    step.rings = rings;
    assert_done(layered_mesh(&step), &step.err);
    return step;
}

static void close_step(layered_step *step)
{
    mplan_plan_free(step->plan);
    mplan_mesh_free(step->mesh);
}

/* All dats behind so many steps; to be freed. bytes 0: in memory. */
static double *run(layered_step *step, mplan_executor executor, int64_t bytes, int32_t ranks,
                   int64_t n_steps, int64_t *n)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    double *all;
    int64_t held;
    options.executor = executor;
    options.device_memory = bytes;
    options.threads = 2;
    step->ranks = ranks;
    assert_done(layered_run(step, &options, layered, flat, n_steps, &all, n, &held), &step->err);
    return all;
}

/* The bundle that was made, by itself and beside the mesh. */
static mplan_status prove(layered_step *step)
{
    mplan_bundle *bundle;
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &step->err), &step->err);
    const mplan_parts_source source = mplan_bundle_source(bundle);
    mplan_status status = mplan_parts_verify(&source, NULL, -1, NULL, &step->err);
    if (!status)
        status = mplan_parts_verify(&source, step->mesh, -1, NULL, &step->err);
    mplan_bundle_free(bundle);
    return status;
}

/* How many dats and tables parts move through windows that are smaller than they are. */
static int32_t small_windows(layered_step *step)
{
    mplan_bundle *bundle;
    int32_t n = 0, moved = 0;
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &step->err), &step->err);
    for (int32_t p = 0; p < PARTS; p++) {
        mplan_plan *plan;
        assert_done(mplan_bundle_read_part(bundle, p, NULL, &plan, &step->err), &step->err);
        assert_true(plan->visit.steps == STEPS && plan->visit.peak_bytes <= step->device_memory);
        for (int32_t s = 0; s < plan->n_streams; s++) {
            n += plan->streams[s].window < plan->streams[s].bytes;
            moved += plan->streams[s].ways == (MPLAN_STREAM_IN | MPLAN_STREAM_OUT);
        }
        mplan_plan_free(plan);
    }
    mplan_bundle_free(bundle);
    assert_true(moved > 0);
    return n;
}

/* Makes the bundle with the least limit that all parts have room in: each refusal says what its part needs. */
static void make_tight(layered_step *step)
{
    mplan_status status = layered_plan(step);
    for (int k = 0; status && k < 20; k++) {
        const char *needs = strstr(step->err.text, " needs ");
        assert_non_null(needs);
        step->device_memory = strtoll(needs + 7, NULL, 10);
        status = layered_plan(step);
    }
    assert_done(status, &step->err);
}

/* Ranks with and without a limit against a plan without parts in memory, in the order of the mesh. */
static void visits_of_columns_have_the_bits(void **state)
{
    (void)state;
#ifdef MPLAN_EVERY_CASE
    enum { BY = 1 };
#else
    enum { BY = 5 }; /* each order with and without owners, layouts, ranges and masks */
#endif
    int32_t small = 0;
    for (int how = 3; how < 32; how += BY * (int)support_every(2)) {
        layered_step step = new_step(450, how, 1 << 20, STEPS, RINGS);
        int64_t n, m;
        make_tight(&step);
        assert_done(prove(&step), &step.err);
        small += small_windows(&step);
        double *visits[] = {
            run(&step, MPLAN_EXECUTOR_HOST, step.device_memory, 1, 2 * STEPS + 3, &n),
            run(&step, MPLAN_EXECUTOR_OPENMP, step.device_memory, 3, 2 * STEPS + 3, &n),
            run(&step, MPLAN_EXECUTOR_HOST, 0, 2, 2 * STEPS + 3, &n)};
        layered_step whole = new_step(450, how, 0, 0, 0);
        whole.path = NULL;
        assert_done(layered_plan(&whole), &whole.err);
        double *due = run(&whole, MPLAN_EXECUTOR_HOST, 0, 1, 2 * STEPS + 3, &m);
        assert_int_equal(n, m);
        for (int64_t i = 0; i < n; i++)
            assert_true(due[i] - due[i] == 0); /* finite */
        for (int k = 0; k < 3; k++) {
            assert_memory_equal(visits[k], due, (size_t)n * sizeof *due);
            free(visits[k]);
        }
        free(due);
        close_step(&whole);
        close_step(&step);
    }
    assert_true(small > 0);
}

/* Rings of columns in memory: launches exchange by themselves when nothing right is left. */
static void rings_of_columns_have_the_bits(void **state)
{
    (void)state;
    layered_step whole = new_step(60, 11, 0, 0, 0);
    int64_t n;
    whole.path = NULL;
    assert_done(layered_plan(&whole), &whole.err);
    double *due = run(&whole, MPLAN_EXECUTOR_HOST, 0, 1, 7, &n);
    for (int32_t rings = 0; rings < 5; rings++) {
        layered_step step = new_step(60, 11, 0, 0, rings);
        assert_done(layered_plan(&step), &step.err);
        for (int32_t ranks = 1; ranks <= PARTS; ranks += 2) {
            double *got = run(&step, MPLAN_EXECUTOR_HOST, 0, ranks, 7, &n);
            assert_memory_equal(got, due, (size_t)n * sizeof *due);
            free(got);
        }
        close_step(&step);
    }
    free(due);
    close_step(&whole);
}

/* --- what is refused ------------------------------------------------------------------------------ */

/* A part that is changed while it is read. */
typedef struct changed_source {
    mplan_parts_source from;
    void (*change)(mplan_plan *plan);
} changed_source;

static mplan_status read_changed(void *user, int32_t part, const mplan_context *context,
                                 mplan_plan **plan, mplan_error *error)
{
    const changed_source *source = user;
    mplan_status status = source->from.read(source->from.user, part, context, plan, error);
    if (!status && part == 1)
        source->change(*plan);
    return status;
}

/* The column of a halo is not as high as in the part that owns it. */
static void range_of_halo(mplan_plan *plan)
{
    const int32_t s = mplan_plan_find_set(plan, "cells");
    const int32_t *place = array_of(plan, MPLAN_KIND_PART_PLACES, s);
    int32_t *ranges = array_of(plan, MPLAN_KIND_LAYER_RANGES, s);
    for (int64_t m = plan->sets[s].part.owned; m < plan->sets[s].size; m++) {
        int32_t *own = ranges + 2 * place[m];
        if (own[1] > own[0] && own[1] < HIGH) {
            own[1]++;
            return;
        }
    }
    fail_msg("no column can be changed");
}

static void mask_of_halo(mplan_plan *plan)
{
    const int32_t s = mplan_plan_find_set(plan, "faces");
    const int32_t *place = array_of(plan, MPLAN_KIND_PART_PLACES, s);
    uint32_t *mask = array_of(plan, MPLAN_KIND_LAYER_MASK, s);
    for (int64_t m = plan->sets[s].part.owned; m < plan->sets[s].size; m++)
        if (mask[place[m]]) {
            mask[place[m]] &= mask[place[m]] - 1;
            return;
        }
    fail_msg("no mask can be changed");
}

static void place_of_halo(mplan_plan *plan)
{
    const int32_t s = mplan_plan_find_set(plan, "cells");
    int32_t *place = array_of(plan, MPLAN_KIND_PART_PLACES, s);
    const int64_t i = plan->sets[s].part.owned;
    const int32_t first = place[i - 1];
    place[i - 1] = place[i];
    place[i] = first;
}

static void a_step_more(mplan_plan *plan)
{
    plan->visit.steps++;
}

static void changed_columns_are_refused(void **state)
{
    (void)state;
    static const struct {
        void (*change)(mplan_plan *plan);
        const char *why;
    } changes[] = {{range_of_halo, "but a part before it has"},
                   {mask_of_halo, "has another mask than in a part before it"},
                   {ring_of_halo, "which is at ring 2"},
                   {place_of_halo, ""},
                   {a_step_more, ""}};
    mplan_bundle *bundle;
    layered_step step = new_step(60, 11, 11000000, STEPS, RINGS);
    assert_done(layered_plan(&step), &step.err);
    assert_done(prove(&step), &step.err);
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &step.err), &step.err);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (int with_mesh = 0; with_mesh < 2; with_mesh++) {
            changed_source changed = {mplan_bundle_source(bundle), changes[i].change};
            mplan_parts_source source = changed.from;
            source.user = &changed;
            source.read = read_changed;
            assert_refused(mplan_parts_verify(&source, with_mesh ? step.mesh : NULL, -1, NULL,
                                              &step.err),
                           MPLAN_ERR_DISPROVED, &step.err, changes[i].why);
        }
    mplan_bundle_free(bundle);
    close_step(&step);
}

static void requests_are_refused(void **state)
{
    (void)state;
    layered_step step = new_step(60, 8, 11000000, STEPS, RINGS - 1);
    assert_refused(layered_plan(&step), MPLAN_ERR_ARGUMENT, &step.err,
                   "one of 2 steps needs 3 rings (--rings), not 2");
    step.rings = RINGS;
    step.device_memory = 1 << 20;
    assert_refused(layered_plan(&step), MPLAN_ERR_ARGUMENT, &step.err, "is too little");
    close_step(&step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_refused),
        cmocka_unit_test(changed_columns_are_refused),
        cmocka_unit_test(rings_of_columns_have_the_bits),
        cmocka_unit_test(visits_of_columns_have_the_bits),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
