/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for a limited device memory: slabs and schedules of many meshes hold, changed ones are refused, and the host executor
 * gives the bits of the same steps in memory, but not by a wrong schedule. */
#include "support_limited.h"

/* streams: of launches, 0 in memory. */
static mplan_status run_host(limited *of, int64_t device_memory, int32_t streams, uint64_t *bits,
                             bool *equal)
{
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    mplan_app_options how = MPLAN_APP_OPTIONS_INIT;
    mplan_app_result result;
    exec.executor = MPLAN_EXECUTOR_HOST;
    exec.device_memory = device_memory;
    exec.launch_streams = streams;
    how.exec = &exec;
    how.iterations = 0;
    how.repeats = 0;
    mplan_status status = mplan_app_run(of->app, of->mesh, of->plan, &how, &result, &of->err);
    *bits = result.bits;
    *equal = result.equal_bits;
    return status;
}

/* Whether steps through windows give the bits of steps in memory: of the executor host, with one and two streams of launches, and of openmp. */
typedef enum way { HOST, HOST_BY_TWO, OPENMP, OPENMP_BY_TWO, N_WAYS } way;
static bool gives_equal_bits(limited *of, way first, int n)
{
    mplan_exec_options options[N_WAYS];
    for (int k = 0; k < n; k++) {
        options[k] = (mplan_exec_options)MPLAN_EXEC_OPTIONS_INIT;
        options[k].executor = (int)first + k < OPENMP ? MPLAN_EXECUTOR_HOST : MPLAN_EXECUTOR_OPENMP;
        options[k].device_memory = of->plan->visit.device_memory;
        options[k].threads = 2;
        options[k].launch_streams = 1 + ((int)first + k) % 2;
    }
    return same_as_in_memory(of, options, n);
}

static const struct {
    mplan_shape shape;
    int64_t size[3];
    const char *app;
    bool shuffle;
    int64_t bytes;
    int32_t steps, segments;
} cases[] = {
    {MPLAN_SHAPE_QUAD, {400, 40, 0}, "airfoil", false, 3000000, 0, 0},
    {MPLAN_SHAPE_QUAD, {400, 40, 0}, "airfoil", true, 3100000, 2, 8},
    {MPLAN_SHAPE_QUAD, {40, 500, 0}, "airfoil", true, 4500000, 5, 6},
    {MPLAN_SHAPE_QUAD, {100, 90, 0}, "airfoil", true, 16000000, 3, 5},
};

/* Plans hold, and steps through windows give the bits of steps in memory. */
static void schedules_hold(void **state)
{
    (void)state;
    for (size_t c = (size_t)support_first(2); c < sizeof cases / sizeof *cases;
         c += (size_t)support_every(2)) {
        limited of = {.app = mplan_app_find(cases[c].app)};
        uint64_t bits, whole;
        bool equal;
        make_mesh(&of, cases[c].shape, cases[c].size[0], cases[c].size[1], cases[c].size[2],
                  cases[c].shuffle);
        assert_done(make_plan(&of, cases[c].bytes, cases[c].steps, cases[c].segments), &of.err);
        const mplan_plan_visit *visit = mplan_plan_get_visit(of.plan);
        assert_non_null(visit);
        assert_true(visit->peak_bytes <= cases[c].bytes);
        assert_true(!cases[c].steps || visit->steps == cases[c].steps);
        assert_true(!cases[c].segments || visit->segments == cases[c].segments);
        assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
        if (support_every(2) == 1)
            assert_true(gives_equal_bits(&of, HOST, N_WAYS));
        else
            assert_true(gives_equal_bits(&of, c < 2 ? HOST_BY_TWO : OPENMP, 2));
        assert_done(run_host(&of, cases[c].bytes, 0, &bits, &equal), &of.err);
        assert_true(equal);
        assert_done(run_host(&of, 0, 0, &whole, &equal), &of.err);
        assert_true(bits == whole);
        assert_refused(run_host(&of, visit->peak_bytes - 1, 0, &bits, &equal), MPLAN_ERR_ARGUMENT,
                       &of.err, "more than the");
        close_all(&of);
    }
}

/* --- a time step that depends on all cells --------------------------------------------------------- */

/* What runs ahead of visits: the CFL number from a reduction over all cells. */
typedef struct lagging {
    mplan_airfoil_parameters *parameters;
    int64_t steps[16];
    int32_t calls, fails_at;
} lagging;

static mplan_status look_at_all(void *user, mplan_exec *exec, int64_t step, mplan_error *err)
{
    lagging *own = user;
    double most = 0;
    if (own->calls == own->fails_at)
        return MPLAN_ERR_OTHER_MESH;
    own->steps[own->calls++] = step;
    mplan_status status = mplan_exec_reduce(exec, "q", 0, MPLAN_MAX, &most, err);
    own->parameters->cfl = 0.9 / most;
    return status;
}

/* All numbers of q behind n steps, looked at every `every`; to be freed. */
static double *lagged_steps(limited *of, const mplan_exec_options *options, int64_t n,
                            int64_t every, lagging *own)
{
    mplan_airfoil_parameters changed = parameters;
    const int64_t cells = mplan_plan_get_set(of->plan, mplan_plan_find_set(of->plan, "cells"))->size;
    double *q = malloc((size_t)cells * 4 * sizeof *q);
    mplan_exec_entry entries[16];
    mplan_exec *exec = open_random(of, options, entries);
    *own = (lagging){.parameters = &changed, .fails_at = -1};
    for (int32_t i = 0; i < of->n_step; i++)
        entries[i].parameters = &changed;
    assert_done(mplan_exec_steps_lagged(exec, entries, of->n_step, n, every, look_at_all, own,
                                        &of->err),
                &of->err);
    assert_done(mplan_exec_download(exec, "q", q, cells, 4, MPLAN_TYPE_F64, &of->err), &of->err);
    own->calls = own->fails_at = 0;
    assert_int_equal(mplan_exec_steps_lagged(exec, entries, of->n_step, n, every, look_at_all, own,
                                             &of->err),
                     MPLAN_ERR_OTHER_MESH);
    mplan_exec_close(exec);
    return q;
}

/* Equal bits where both look as often; others where they do not. */
static void steps_may_wait_for_all_cells(void **state)
{
    (void)state;
    limited of = {.app = mplan_app_find("airfoil")};
    lagging limits, whole;
    make_mesh(&of, MPLAN_SHAPE_QUAD, 300, 20, 0, true);
    assert_done(make_plan(&of, 1600000, 2, 8), &of.err);
    const size_t bytes =
        32 * (size_t)mplan_plan_get_set(of.plan, mplan_plan_find_set(of.plan, "cells"))->size;
    mplan_exec_options memory = MPLAN_EXEC_OPTIONS_INIT;
    memory.executor = MPLAN_EXECUTOR_HOST;
    mplan_exec_options options = memory;
    options.device_memory = 1600000;
    double *a = lagged_steps(&of, &options, 7, 0, &limits),
           *b = lagged_steps(&of, &memory, 7, 2, &whole),
           *c = lagged_steps(&of, &memory, 7, 0, &whole);
    for (int i = 0; i < 4; i++)
        assert_int_equal(limits.steps[i], 2 * i);
    for (int i = 0; i < 7; i++)
        assert_int_equal(whole.steps[i], i);
    assert_memory_equal(a, b, bytes);
    assert_int_not_equal(memcmp(a, c, bytes), 0);
    free(a);
    free(b);
    free(c);
    close_all(&of);
}

/* --- changed plans ------------------------------------------------------------------------------ */

static mplan_event *events_of(limited *of, int64_t *n)
{
    const mplan_key key = mplan_key_of_plan(MPLAN_KIND_SCHEDULE);
    const mplan_array *array = mplan_plan_find_array(of->plan, &key);
    *n = array->rows;
    return (mplan_event *)(uintptr_t)array->data; /* the plan's own, which this test changes */
}

/* One slab that moves from an event to the next of its kind and index, or back. Returns whether one was found. */
static bool move_border(limited *of, int32_t kind, int32_t index, int32_t by)
{
    int64_t n;
    mplan_event *event = events_of(of, &n);
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

/* Refused by the proof with this reason, and by a run on the host: other bits, or numbers that are none. */
static void assert_caught(limited *of, const char *reason, bool runs_wrong)
{
    assert_refused(mplan_plan_verify(of->plan, of->mesh, NULL, &of->err), MPLAN_ERR_DISPROVED,
                   &of->err, reason);
    assert_true(!runs_wrong || !gives_equal_bits(of, HOST, 1));
    assert_true(!runs_wrong || !gives_equal_bits(of, HOST_BY_TWO, 1));
}

static limited without_plan(void)
{
    limited of = {.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 300, 20, 0, true);
    return of;
}

/* A plan whose schedule a test changes. */
static limited small(void)
{
    limited of = without_plan();
    assert_done(make_plan(&of, 1600000, 2, 8), &of.err);
    return of;
}

static void wrong_schedules_are_caught(void **state)
{
    (void)state;
    limited of = small();
    const int32_t n = of.n_step, update = 4, res_calc = 2;
    assert_true(move_border(&of, MPLAN_EVENT_LAUNCH, update, 1)); /* its shift is one too small there */
    assert_caught(&of, "must be", true);
    close_all(&of);
    of = small();
    assert_true(move_border(&of, MPLAN_EVENT_LAUNCH, n + res_calc, 1));
    assert_caught(&of, "must be", true);
    close_all(&of);
    of = small();
    assert_true(move_border(&of, MPLAN_EVENT_IN, 0, -1)); /* q arrives late */
    assert_caught(&of, "has not arrived", false);
    close_all(&of);
    of = small();
    assert_true(move_border(&of, MPLAN_EVENT_OUT, 0, 1)); /* q leaves early */
    assert_caught(&of, "which has left", true);
    close_all(&of);
}

/* An event of this kind and stream in the middle of the schedule; NULL: none. */
static mplan_event *moving_event(limited *of, int32_t kind, int32_t stream)
{
    int64_t n;
    mplan_event *event = events_of(of, &n);
    for (int64_t e = n / 3; e < n; e++)
        if (event[e].kind == kind && event[e].index == stream)
            return &event[e];
    return NULL;
}

/* An array of the plan that goes in only; -1: none. */
static int32_t static_stream(const limited *of)
{
    for (int32_t s = 0; s < of->plan->n_streams; s++)
        if (of->plan->streams[s].ways == MPLAN_STREAM_IN && of->plan->streams[s].arg < 0)
            return s;
    return -1;
}

/* A slab of q that does not come in, or does not go home; and one of a table that is freed too early, which a run would not
 * survive. */
static void missing_transfers_are_caught(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        limited of = k < 2 ? small() : (limited){.app = mplan_app_find("airfoil")};
        if (k == 2) {
            make_mesh(&of, MPLAN_SHAPE_QUAD, 1200, 20, 0, true);
            assert_done(make_plan(&of, 2600000, 1, 24), &of.err);
        }
        const int32_t stream = k < 2 ? 0 : static_stream(&of);
        assert_true(stream >= 0);
        mplan_event *event = moving_event(&of,
                                          k == 1   ? MPLAN_EVENT_OUT
                                          : k == 2 ? MPLAN_EVENT_FREE
                                                   : MPLAN_EVENT_IN,
                                          stream);
        assert_non_null(event);
        if (k < 2)
            event->first = event->end;
        else
            assert_true(move_border(&of, MPLAN_EVENT_FREE, stream, 1));
        assert_caught(&of, "", k < 2);
        close_all(&of);
    }
}

/* Shifts one too small, with the events that they say. */
static void small_shifts_are_refused(void **state)
{
    (void)state;
    limited of = small();
    for (int32_t i = 0; i < of.n_step; i++) {
        if (of.plan->step[i].shift == 0)
            continue;
        of.plan->step[i].shift--;
        assert_caught(&of, "", false);
        of.plan->step[i].shift++;
    }
    of.plan->visit.step_shift--;
    assert_caught(&of, "", false);
    of.plan->visit.step_shift++;
    assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
    close_all(&of);
}

/* Every event that is missing, and every number of an event that is another. */
static void every_event_counts(void **state)
{
    (void)state;
    limited of = small();
    int64_t n;
    mplan_event *event = events_of(&of, &n);
    for (int64_t e = 0; e < n; e += support_every(7)) {
        const mplan_event old = event[e];
        for (int k = 0; k < 5; k++) {
            event[e] = old;
            event[e].kind += k == 0 ? (old.kind == MPLAN_EVENT_FREE ? -1 : 1) : 0;
            event[e].index += k == 1;
            event[e].first += k == 2;
            event[e].end += k == 3 ? -1 : k == 4;
            assert_caught(&of, "", false);
        }
        event[e] = old;
    }
    assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
    close_all(&of);
}

/* Every number of a stream and of the visit. */
static void every_record_counts(void **state)
{
    (void)state;
    limited of = small();
    for (int32_t s = 0; s < of.plan->n_streams; s++) {
        const mplan_plan_stream old = of.plan->streams[s];
        for (int k = 0; k < 6; k++) {
            mplan_plan_stream *now = &of.plan->streams[s];
            *now = old;
            now->ways = k == 0 ? (old.ways == MPLAN_STREAM_LAST ? 3 : MPLAN_STREAM_LAST) : old.ways;
            now->enters += k == 1;
            now->leaves += k == 2;
            now->bytes += k == 3;
            now->window += k == 4 ? 65536 : 0;
            now->window -= k == 5 ? 65536 : 0;
            assert_caught(&of, "", false);
        }
        of.plan->streams[s] = old;
    }
    mplan_plan_visit *visit = &of.plan->visit;
    int64_t *const numbers[] = {&visit->peak_bytes, &visit->in_bytes,   &visit->out_bytes,
                                &visit->last_bytes, &visit->host_bytes, &visit->device_memory};
    for (int k = 0; k < 6; k++) {
        ++*numbers[k];
        assert_caught(&of, "", false);
        --*numbers[k];
    }
    assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
    close_all(&of);
}

/* SLAB_OFFSETS of a set, which this test changes. */
static int64_t *offsets_of(limited *of, const char *set)
{
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_SLAB_OFFSETS,
                                           mplan_plan_find_set(of->plan, set));
    return (int64_t *)(uintptr_t)mplan_plan_find_array(of->plan, &key)->data;
}

/* All members of the set's slabs are in the last piece, so that slabs may be shorter than they are. */
static void empty_pieces(limited *of, const char *set)
{
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_SLAB_PIECES,
                                           mplan_plan_find_set(of->plan, set));
    const mplan_array *array = mplan_plan_find_array(of->plan, &key);
    if (array)
        memset((void *)(uintptr_t)array->data, 0,
               (size_t)(array->rows * array->cols) * sizeof(int32_t));
}

/* Slabs are as many as rows allow: no border can be nearer to the one before it. Of points near their element only (jacobi), and of those
 * that owners join (flux3d_step, whose cells have slices). */
static void borders_are_the_nearest(void **state)
{
    static const struct {
        const char *app;
        int64_t bytes;
        const char *leads;
        int64_t granule;
    } some[] = {{"jacobi", 1100000, "cells", 4}, {"flux3d_step", 1500000, "cells", 32}};
    (void)state;
    for (size_t c = 0; c < sizeof some / sizeof *some; c++) {
        limited of = {.app = mplan_app_find(some[c].app)};
        make_mesh(&of, MPLAN_SHAPE_HEX, 40, 9, 8, true);
        assert_done(make_plan(&of, some[c].bytes, 1, 0), &of.err);
        int64_t *at = offsets_of(&of, some[c].leads);
        empty_pieces(&of, some[c].leads);
        int32_t moved = 0;
        for (int32_t b = 2; b + 1 < of.plan->visit.slabs; b += (int32_t)support_every(5)) {
            if (at[b] - some[c].granule <= at[b - 1])
                continue;
            at[b] -= some[c].granule;
            assert_caught(&of, "lie in slabs", false);
            at[b] += some[c].granule;
            moved++;
        }
        assert_true(moved > 20 / support_every(5));
        assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
        close_all(&of);
    }
}

/* --- other applications, other visits --------------------------------------------------------------- */

/* The applications whose step is its entries: against the mesh's own order, and against steps in memory. */
static void applications_hold(void **state)
{
    static const struct {
        const char *app;
        mplan_shape shape;
        int64_t size[3];
        int64_t bytes;
    } some[] = {{"jacobi", MPLAN_SHAPE_HEX, {40, 9, 8}, 1100000},
                {"himeno", MPLAN_SHAPE_HEX, {40, 9, 8}, 1500000},
                {"cip", MPLAN_SHAPE_QUAD, {200, 20, 0}, 1100000},
                {"flux3d_step", MPLAN_SHAPE_HEX, {40, 9, 8}, 1500000},
                {"flux3d_step", MPLAN_SHAPE_TET, {30, 5, 4}, 1700000}};
    (void)state;
    const int n = sizeof some / sizeof *some;
    for (int i = support_first(4); i < 3 * n; i += support_every(4)) { /* by 1, 3 and 5 steps */
        const int c = i % n, k = 1 + 2 * (i / n);
        limited of = {.app = mplan_app_find(some[c].app)};
        uint64_t bits, whole;
        bool equal;
        make_mesh(&of, some[c].shape, some[c].size[0], some[c].size[1], some[c].size[2], true);
        assert_done(make_plan(&of, some[c].bytes, k, 0), &of.err);
        assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
        assert_done(run_host(&of, 0, 0, &whole, &equal), &of.err);
        assert_true(equal);
        for (int32_t streams = 1; streams < 3; streams++) {
            assert_done(run_host(&of, some[c].bytes, streams, &bits, &equal), &of.err);
            assert_true(equal && bits == whole);
        }
        close_all(&of);
    }
}

/* A plan with another visit is the plan that planning would have made. */
static void visits_can_be_changed(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes;
        int32_t steps, segments, streams;
    } some[] = {{1600000, 0, 0, 0},
                {3200000, 3, 0, 1},
                {1600000, 1, 12, 2},
                {1 << 24, 7, 5, 0},
                {1 << 24, 0, 0, 1}};
    for (size_t c = 0; c < sizeof some / sizeof *some; c++) {
        limited of = small(), direct = {.app = of.app};
        mplan_plan *changed = NULL;
        mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
        options.device_memory = some[c].bytes;
        options.steps_per_visit = some[c].steps;
        options.segments = some[c].segments;
        options.launch_streams = some[c].streams;
        assert_done(mplan_plan_revisit(of.plan, &options, &changed, &of.err), &of.err);
        assert_done(mplan_plan_verify(changed, of.mesh, NULL, &of.err), &of.err);
        make_mesh(&direct, MPLAN_SHAPE_QUAD, 300, 20, 0, true);
        assert_done(make_plan_of(&direct, some[c].bytes, some[c].steps, some[c].segments,
                                 some[c].streams, "h200"),
                    &direct.err);
        assert_string_equal(changed->request, direct.plan->request);
        assert_true(changed->fingerprints.request == direct.plan->fingerprints.request);
        assert_memory_equal(&changed->visit, &direct.plan->visit, sizeof changed->visit);
        assert_int_equal(changed->n_arrays, direct.plan->n_arrays);
        for (int32_t i = 0; i < changed->n_arrays; i++) {
            const mplan_array *a = &changed->arrays[i], *b = &direct.plan->arrays[i];
            assert_int_equal(mplan_key_compare(&a->key, &b->key), 0);
            assert_int_equal(a->rows * a->cols, b->rows * b->cols);
            assert_memory_equal(a->data, b->data,
                                (size_t)(a->rows * a->cols) * mplan_type_size(a->type));
        }
        mplan_plan_free(changed);
        close_all(&direct);
        close_all(&of);
    }
}

/* Two streams hide launches, at most half of all that runs; on the host there is nothing to hide. */
static void streams_are_predicted(void **state)
{
    (void)state;
    static const char *const devices[] = {"h200", "cpu"};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        int64_t took[3];
        for (int32_t streams = 0; streams < 3; streams++) {
            limited of = without_plan();
            assert_done(make_plan_of(&of, 1 << 24, 7, 5, streams, devices[d]), &of.err);
            assert_done(mplan_plan_verify(of.plan, of.mesh, NULL, &of.err), &of.err);
            assert_true(!strstr(of.plan->request, "launch_streams") == (streams == 0));
            took[streams] = of.plan->visit.predicted_ns;
            close_all(&of);
        }
        assert_true(took[0] == took[2]); /* what is taken without a word */
        assert_true(d == 0 ? took[2] < took[1] && 2 * took[2] >= took[1] : took[2] == took[1]);
    }
}

static void wrong_visits_are_refused(void **state)
{
    (void)state;
    limited of = small();
    mplan_plan *changed = NULL, *plain = NULL;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    assert_refused(mplan_plan_revisit(of.plan, &options, &changed, &of.err), MPLAN_ERR_ARGUMENT,
                   &of.err, "no device-memory");
    assert_done(mplan_plan_create(of.mesh, of.n_loops, of.loops, &options, NULL, &plain, &of.err),
                &of.err);
    options.device_memory = 1 << 20;
    options.steps_per_visit = 200;
    assert_refused(mplan_plan_revisit(of.plan, &options, &changed, &of.err), MPLAN_ERR_ARGUMENT,
                   &of.err, "is too little");
    assert_refused(mplan_plan_revisit(plain, &options, &changed, &of.err), MPLAN_ERR_ARGUMENT,
                   &of.err, "was not made for a limited");
    assert_null(changed);
    mplan_plan_free(plain);
    close_all(&of);
}

/* --- refusals -------------------------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    limited of = {.app = mplan_app_find("airfoil")};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    make_mesh(&of, MPLAN_SHAPE_QUAD, 40, 10, 0, false);
    assert_refused(make_plan(&of, 1 << 20, 200, 0), MPLAN_ERR_ARGUMENT, &of.err, "is too little");
    assert_refused(make_plan(&of, 1 << 20, 0, 1000), MPLAN_ERR_ARGUMENT, &of.err,
                   "too few for 1000 segments");
    const int32_t n_step = of.n_step;
    int32_t *step = of.step, *many = calloc(2 * MPLAN_STEP_MOST, sizeof *many);
    assert_non_null(many);
    for (int32_t i = 0; i < MPLAN_STEP_MOST; i++) {
        many[i] = step[i % n_step];
        many[MPLAN_STEP_MOST + i] = step[n_step + i % n_step];
    }
    of.step = many;
    of.n_step = MPLAN_STEP_MOST;
    assert_refused(make_plan(&of, 1 << 20, 4096, 0), MPLAN_ERR_ARGUMENT, &of.err,
                   "a visit of 4096 steps in 2 segments has ");
    of.step = step;
    of.n_step = n_step;
    free(many);
    options.device_memory = 1 << 26;
    assert_refused(mplan_plan_create(of.mesh, of.n_loops, of.loops, &options, NULL, &of.plan, &of.err),
                   MPLAN_ERR_ARGUMENT, &of.err, "needs the step");
    options.n_step = of.n_step;
    options.step = of.step;
    options.partitioner = MPLAN_PARTITIONER_NATIVE;
    assert_refused(mplan_plan_create(of.mesh, of.n_loops, of.loops, &options, NULL, &of.plan, &of.err),
                   MPLAN_ERR_ARGUMENT, &of.err, "cannot be combined with a partitioner");
    options.partitioner = MPLAN_PARTITIONER_AUTO;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_TWO_STEP;
    assert_refused(mplan_plan_create(of.mesh, of.n_loops, of.loops, &options, NULL, &of.plan, &of.err),
                   MPLAN_ERR_ARGUMENT, &of.err, "must have owner-gather or atomic");
    close_all(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_hold),
        cmocka_unit_test(steps_may_wait_for_all_cells),
        cmocka_unit_test(wrong_schedules_are_caught),
        cmocka_unit_test(missing_transfers_are_caught),
        cmocka_unit_test(small_shifts_are_refused),
        cmocka_unit_test(every_event_counts),
        cmocka_unit_test(every_record_counts),
        cmocka_unit_test(borders_are_the_nearest),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(applications_hold),
        cmocka_unit_test(visits_can_be_changed),
        cmocka_unit_test(streams_are_predicted),
        cmocka_unit_test(wrong_visits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
