/* SPDX-License-Identifier: Apache-2.0 */
/* Slabs of columns: steps with layers in less memory of a device have the bits of steps in memory, under every order of levels; changed
 * plans are refused, and wrong schedules give other numbers. */
#include "layered_step.h"
#include "plan/plan.h"
#include "support_test.h"

static const mplan_layer_kernel *const layered[] = {&pile_host, &flow_host, &dofs_host, &take_host,
                                                    &pull_host};
static const mplan_kernel *const flat[] = {&tilt_host, &rise_host};

static layered_step open_step(int wide, int how, int64_t bytes, int32_t steps, int32_t segments)
{
    layered_step step = layered_by(wide, how);
    step.device_memory = bytes;
    step.steps = steps;
    step.segments = segments;
    assert_done(layered_mesh(&step), &step.err);
    assert_done(layered_plan(&step), &step.err);
    return step;
}

static void close_step(layered_step *step)
{
    mplan_plan_free(step->plan);
    mplan_mesh_free(step->mesh);
}

/* All dats behind so many steps; to be freed. device_memory 0: in memory. */
static double *run(layered_step *step, mplan_executor executor, int64_t device_memory,
                   const char *store, int64_t n_steps, int64_t *n)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    double *all;
    int64_t bytes;
    options.executor = executor;
    options.device_memory = device_memory;
    options.store = store;
    options.threads = 2;
    assert_done(layered_run(step, &options, layered, flat, n_steps, &all, n, &bytes), &step->err);
    return all;
}

/* Whether visits, with dats in memory or in a file, give the bits of steps in memory. */
static bool gives_equal_bits(layered_step *step, mplan_executor executor, const char *store)
{
    const int64_t steps = step->plan->visit.steps + 3;
    int64_t n, m;
    double *whole = run(step, MPLAN_EXECUTOR_HOST, 0, NULL, steps, &n),
           *limits = run(step, executor, step->plan->visit.device_memory, store, steps, &m);
    for (int64_t i = 0; i < n; i++)
        assert_true(whole[i] - whole[i] == 0); /* finite */
    const bool equal = n == m && memcmp(whole, limits, (size_t)n * sizeof *whole) == 0;
    free(whole);
    free(limits);
    return equal;
}

/* About the least that the step needs, so that tables move, too: a matrix by component has a window for each of 64 numbers, and with
 * points fastest all dats have one for each level. */
static int64_t limit_of(int how)
{
    const bool points = how & 4, owner = how & 8;
    return owner ? (points ? 5100000 : 3400000) : (points ? 25300000 : 11000000);
}

/* Orders of levels and layouts, ranges and masks, on one executor or the other. */
static void visits_of_columns_have_the_bits(void **state)
{
#ifdef MPLAN_EVERY_CASE
    enum { STEP = 1, FIRST = 0 };
#else
    enum {
        STEP = 5,
        FIRST = 3
    }; /* each order with and without owners, layouts, ranges and masks */
#endif
    (void)state;
    for (int how = FIRST; how < 32; how += STEP * (int)support_every(2)) {
        layered_step step = open_step(300, how, limit_of(how), 1 + how % 2, 0);
        assert_done(mplan_plan_verify(step.plan, step.mesh, NULL, &step.err), &step.err);
        assert_true(gives_equal_bits(&step, how % 2 ? MPLAN_EXECUTOR_OPENMP : MPLAN_EXECUTOR_HOST,
                                     how % 4 == 1 ? "." : NULL));
        close_step(&step);
    }
}

/* A flat dat that becomes the caller's behind the binding of loops with layers, in memory and in slabs. */
static void dats_of_the_caller_are_read(void **state)
{
    (void)state;
    layered_step step = open_step(300, 8, limit_of(8), 1, 0);
    int64_t n;
    double *due = run(&step, MPLAN_EXECUTOR_HOST, 0, NULL, 2, &n);
    step.adopts = true;
    for (int k = 0; k < 2; k++) {
        double *got = run(&step, MPLAN_EXECUTOR_HOST, k ? limit_of(8) : 0, NULL, 2, &n);
        assert_memory_equal(got, due, (size_t)n * sizeof *due);
        free(got);
    }
    free(due);
    close_step(&step);
}

/* A plan of other steps a visit is proved as well, and gives the bits. */
static void visits_of_columns_can_be_changed(void **state)
{
    (void)state;
    layered_step step = open_step(300, 25, limit_of(25), 1, 0);
    mplan_plan *first = step.plan, *changed = NULL; /* which borrows arrays of the first */
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.device_memory = 2 * limit_of(25);
    options.steps_per_visit = 3;
    options.segments = 7;
    assert_done(mplan_plan_revisit(step.plan, &options, &changed, &step.err), &step.err);
    step.plan = changed;
    assert_done(mplan_plan_verify(step.plan, step.mesh, NULL, &step.err), &step.err);
    assert_true(gives_equal_bits(&step, MPLAN_EXECUTOR_HOST, NULL));
    close_step(&step);
    mplan_plan_free(first);
}

/* --- changed plans ------------------------------------------------------------------------------ */

static mplan_event *events_of(const layered_step *step, int64_t *n)
{
    const mplan_key key = mplan_key_of_plan(MPLAN_KIND_SCHEDULE);
    const mplan_array *array = mplan_plan_find_array(step->plan, &key);
    *n = array->rows;
    return (mplan_event *)(uintptr_t)array->data; /* the plan's own, which this test changes */
}

/* The stream of a dat. */
static int32_t stream_of(const layered_step *step, const char *dat)
{
    for (int32_t s = 0; s < step->plan->n_streams; s++) {
        const mplan_plan_stream *stream = &step->plan->streams[s];
        if (stream->arg >= 0 &&
            strcmp(step->plan->loops[stream->loop].args[stream->arg].dat, dat) == 0)
            return s;
    }
    fail_msg("dat %s has no stream", dat);
    return -1;
}

/* One slab more or less for an event in the middle, and the next of its kind and index; then back again. */
static bool move_border(layered_step *step, int32_t kind, int32_t index, int32_t by)
{
    int64_t n;
    mplan_event *event = events_of(step, &n);
    for (int64_t e = n / 3; e < n; e++) {
        if (event[e].kind != kind || event[e].index != index || event[e].end + by <= event[e].first)
            continue;
        for (int64_t f = e + 1; f < n; f++)
            if (event[f].kind == kind && event[f].index == index && event[e].end + by < event[f].end) {
                event[e].end += by;
                event[f].first += by;
                return true;
            }
    }
    return false;
}

/* Refused by the proof; wrong: a run on the host has other bits, or numbers that are none. */
static void assert_caught(layered_step *step, const char *reason, bool wrong)
{
    assert_refused(mplan_plan_verify(step->plan, step->mesh, NULL, &step->err), MPLAN_ERR_DISPROVED,
                   &step->err, reason);
    assert_true(!wrong || !gives_equal_bits(step, MPLAN_EXECUTOR_HOST, NULL));
}

/* Launches a slab too early (flow by rows, take by elements, each in the second step), dats of columns that come late or leave early: of the
 * cells, of the nodes, and the matrix by owner, whose slabs are those of nodes. */
static void wrong_schedules_are_caught(void **state)
{
    static const struct {
        int32_t kind, position;
        const char *dat;
        int32_t by;
        const char *reason;
        bool runs; /* to show that the bits are others */
    } changes[] = {{MPLAN_EVENT_LAUNCH, 7 + 1, NULL, 1, "must be", true},
                   {MPLAN_EVENT_LAUNCH, 7 + 3, NULL, 1, "must be", false},
                   {MPLAN_EVENT_IN, 0, "q", -1, "has not arrived", false},
                   {MPLAN_EVENT_IN, 0, "m", -1, "has not arrived", false},
                   {MPLAN_EVENT_OUT, 0, "x", 1, "which has left", true},
                   {MPLAN_EVENT_OUT, 0, "s", 1, "which has left", false},
                   {MPLAN_EVENT_FREE, 0, "m", 1, "which has left", true}};
    (void)state;
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c += (size_t)support_every(3)) {
        layered_step step = open_step(300, 8, limit_of(8), 2, 0);
        const int32_t index = changes[c].dat ? stream_of(&step, changes[c].dat) : changes[c].position;
        assert_true(move_border(&step, changes[c].kind, index, changes[c].by));
        assert_caught(&step, changes[c].reason, changes[c].runs);
        close_step(&step);
    }
}

/* Every number of a stream; and of the bytes that stay on the device each thing that is counted. */
static void every_record_counts(void **state)
{
    (void)state;
    layered_step step = open_step(300, 15, limit_of(15), 1, 0);
    for (int32_t s = 0; s < step.plan->n_streams; s += (int32_t)support_every(4)) {
        mplan_plan_stream *now = &step.plan->streams[s];
        const mplan_plan_stream old = *now;
        for (int k = 0; k < 4; k++) {
            *now = old;
            now->ways = k == 0 ? (old.ways == MPLAN_STREAM_LAST ? 3 : MPLAN_STREAM_LAST) : old.ways;
            now->enters += k == 1;
            now->bytes += k == 2;
            now->window += k == 3 ? 65536 : 0;
            assert_caught(&step, "", false);
        }
        *now = old;
    }
    step.plan->visit.peak_bytes++;
    assert_caught(&step, "all that is on the device", false);
    step.plan->visit.peak_bytes--;
    assert_done(mplan_plan_verify(step.plan, step.mesh, NULL, &step.err), &step.err);
    close_step(&step);
}

/* t is written whole where all columns have all layers, and then goes home once; where they do not, what no layer writes must come in. */
static void levels_that_no_layer_writes_are_kept(void **state)
{
    (void)state;
    for (int how = 8; how < 10; how++) {
        layered_step step = open_step(300, how, limit_of(how), 1, 0);
        const mplan_plan_stream *stream = &step.plan->streams[stream_of(&step, "t")];
        assert_int_equal(stream->ways,
                         how & 1 ? (MPLAN_STREAM_IN | MPLAN_STREAM_OUT) : MPLAN_STREAM_LAST);
        close_step(&step);
    }
}

/* --- what cannot be ------------------------------------------------------------------------------ */

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    layered_step step = open_step(60, 0, 0, 0, 0); /* without slabs */
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    double *all;
    int64_t n, bytes;
    options.executor = MPLAN_EXECUTOR_HOST;
    options.device_memory = 1 << 20;
    assert_refused(layered_run(&step, &options, layered, flat, 1, &all, &n, &bytes),
                   MPLAN_ERR_ARGUMENT, &step.err, "was not made for a limited device memory");
    free(all);
    mplan_plan_free(step.plan);
    step.plan = NULL;
    step.device_memory = 1 << 20;
    step.strategy = 1 + MPLAN_STRATEGY_TWO_STEP;
    assert_refused(layered_plan(&step), MPLAN_ERR_ARGUMENT, &step.err,
                   "must have owner-gather or atomic as its default variant");
    step.strategy = 1 + MPLAN_STRATEGY_ATOMIC;
    step.by_owner = true;
    assert_refused(layered_plan(&step), MPLAN_ERR_ARGUMENT, &step.err, "");
    close_step(&step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_of_columns_have_the_bits),
        cmocka_unit_test(dats_of_the_caller_are_read),
        cmocka_unit_test(visits_of_columns_can_be_changed),
        cmocka_unit_test(wrong_schedules_are_caught),
        cmocka_unit_test(every_record_counts),
        cmocka_unit_test(levels_that_no_layer_writes_are_kept),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
