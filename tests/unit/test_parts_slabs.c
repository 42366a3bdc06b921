/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_slabs.c - parts for a limited device memory: visits between exchanges give the bits of memory for every number of ranks, and
 * what is wrong with them is refused */
#define MEETING_SLOT 65536
#include "support_meeting.h"
#include "support_parts_slabs.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/threads.h"
#include "check/check.h"
#include "parts/parts.h"
#include "plan/ring_steps.h"

static char bundle_path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(bundle_path, sizeof bundle_path, "test_parts_slabs.%ld.mplans", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    unlink(bundle_path);
    return 0;
}

/* --- bundles ---------------------------------------------------------------------------------- */

enum { PARTS = 3 };

/* All parts beside the mesh, and by themselves. */
static void prove(limited *of)
{
    mplan_bundle *bundle = open_bundle(of, bundle_path);
    const mplan_parts_source source = mplan_bundle_source(bundle);
    assert_done(mplan_parts_verify(&source, of->mesh, -1, NULL, &of->err), &of->err);
    assert_done(mplan_parts_verify(&source, NULL, -1, NULL, &of->err), &of->err);
    mplan_bundle_free(bundle);
}

/* How steps are run. bytes 0: in memory; longer: so many steps more between two exchanges than the plan says. */
typedef struct way {
    mplan_executor executor;
    int64_t bytes;
    int32_t ranks, longer;
} way;

/* By the bundle; halos that are out of date hold NaN. exchanges: out, may be NULL. */
static double *run_bundle(limited *of, const way *by, int64_t n, int64_t *exchanges)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    mplan_bundle *bundle = open_bundle(of, bundle_path);
    mplan_exec_entry entries[16];
    mplan_exec *exec = NULL;
    mplan_exchange_figures figures;
    options.executor = by->executor;
    options.device_memory = by->bytes;
    options.threads = 2;
    how.ranks = by->ranks;
    how.poison = true;
    assert_done(mplan_exec_open_part(bundle, NULL, &options, &how, &exec, &of->err), &of->err);
    fill(of, exec, entries);
    exec->parts->visit_steps += by->longer;
    double *all = take_numbers(of, exec, entries, n);
    assert_done(mplan_exec_exchanged(exec, &figures, &of->err), &of->err);
    if (exchanges)
        *exchanges = figures.exchanges;
    mplan_exec_close(exec);
    mplan_bundle_free(bundle);
    return all;
}

/* By a plan without parts, in memory. */
static double *run_plan(limited *of, int64_t n)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_exec_options memory = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec_entry entries[16];
    mplan_exec *exec = NULL;
    mplan_plan *plan = NULL;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    options.sums_order = MPLAN_SUMS_ORDER_MESH;
    memory.executor = MPLAN_EXECUTOR_HOST;
    assert_done(mplan_plan_create(of->mesh, of->n_loops, of->loops, &options, NULL, &plan, &of->err),
                &of->err);
    assert_done(mplan_exec_open(plan, &memory, &exec, &of->err), &of->err);
    fill(of, exec, entries);
    double *all = take_numbers(of, exec, entries, n);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    return all;
}

/* Whether all numbers have equal bits; b is freed. */
static bool same(const limited *of, const double *a, double *b)
{
    const int64_t cells = mplan_mesh_set(of->mesh, mplan_mesh_find_set(of->mesh, "cells")).size;
    const bool equal = memcmp(a, b, (size_t)(NUMBERS * cells) * sizeof *a) == 0;
    free(b);
    return equal;
}

/* --- bits ------------------------------------------------------------------------------------------ */

static const struct {
    int64_t size[2];
    int64_t bytes;
    int32_t rings, steps; /* steps 0: chosen */
} cases[] = {{{300, 20}, 1500000, 4, 2}, {{200, 30}, 2500000, 6, 0}, {{24, 160}, 2000000, 2, 1}};

/* Every order of sums and every number of ranks has the bits of the same steps in memory; the order of the mesh those of parts without slabs
 * and rings, and of a plan without parts. */
static void visits_have_the_bits_of_memory(void **state)
{
    (void)state;
    static const way ways[] = {{MPLAN_EXECUTOR_HOST, 1, 1, 0},
                               {MPLAN_EXECUTOR_HOST, 1, 2, 0},
                               {MPLAN_EXECUTOR_OPENMP, 1, 3, 0},
                               {MPLAN_EXECUTOR_HOST, 0, 3, 0},
                               {MPLAN_EXECUTOR_OPENMP, 0, 2, 0}};
    for (size_t c = (size_t)support_first(3); c < sizeof cases / sizeof *cases;
         c += (size_t)support_every(3))
        for (int by_mesh = 0; by_mesh < 2; by_mesh++) {
            limited of = {.app = mplan_app_find("airfoil")};
            const way memory = {MPLAN_EXECUTOR_HOST, 0, 1, 0};
            const mplan_sums_order order = by_mesh ? MPLAN_SUMS_ORDER_MESH : MPLAN_SUMS_ORDER_AUTO;
            int64_t first = 0, exchanges;
            make_mesh(&of, MPLAN_SHAPE_QUAD, cases[c].size[0], cases[c].size[1], 0, true);
            assert_done(make_bundle(&of, bundle_path, PARTS, cases[c].bytes, cases[c].steps,
                                    cases[c].rings, order),
                        &of.err);
            prove(&of);
            const int64_t n = 4 * cases[c].rings / 2 + 3;
            double *expected = run_bundle(&of, &memory, n, &first);
            for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
                way by = ways[w];
                by.bytes *= cases[c].bytes;
                assert_true(same(&of, expected, run_bundle(&of, &by, n, &exchanges)));
                assert_int_equal(exchanges, first);
            }
            if (by_mesh) {
                assert_done(make_bundle(&of, bundle_path, PARTS, 0, 0, 0, order), &of.err);
                assert_true(same(&of, expected, run_bundle(&of, &memory, n, NULL)));
                assert_true(same(&of, expected, run_plan(&of, n)));
            }
            free(expected);
            close_all(&of);
        }
}

/* Windows are smaller than the dats, and a visit with a step more than its rings serve gives other numbers. */
static void one_step_more_gives_other_numbers(void **state)
{
    (void)state;
    limited of = {.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 2400, 20, 0, false);
    assert_done(make_bundle(&of, bundle_path, PARTS, 2300000, 2, 4, MPLAN_SUMS_ORDER_MESH), &of.err);
    mplan_bundle *bundle = open_bundle(&of, bundle_path);
    for (int32_t p = 0; p < PARTS; p++) {
        mplan_plan *plan = NULL;
        assert_done(mplan_bundle_read_part(bundle, p, NULL, &plan, &of.err), &of.err);
        assert_true(plan->visit.peak_bytes <= 2300000 && plan->visit.segments > 1);
        bool smaller = false;
        for (int32_t s = 0; s < plan->n_streams; s++)
            smaller = smaller || plan->streams[s].window < plan->streams[s].bytes;
        assert_true(smaller);
        mplan_plan_free(plan);
    }
    mplan_bundle_free(bundle);
    const way memory = {MPLAN_EXECUTOR_HOST, 0, 1, 0}, limits = {MPLAN_EXECUTOR_HOST, 2300000, 2, 0},
              longer = {MPLAN_EXECUTOR_HOST, 2300000, 2, 1};
    double *expected = run_bundle(&of, &memory, 6, NULL);
    assert_true(same(&of, expected, run_bundle(&of, &limits, 6, NULL)));
    assert_false(same(&of, expected, run_bundle(&of, &longer, 6, NULL)));
    free(expected);
    close_all(&of);
}

/* Rows that a process owns, and reductions over them: places of the part order lead to the stored ones. */
static void owned_members_are_found(void **state)
{
    (void)state;
    limited of = {.app = mplan_app_find("airfoil")};
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    mplan_exec *exec = NULL;
    int64_t first, end;
    make_mesh(&of, MPLAN_SHAPE_QUAD, 60, 20, 0, true);
    assert_done(make_bundle(&of, bundle_path, PARTS, 3000000, 0, 2, MPLAN_SUMS_ORDER_MESH), &of.err);
    mplan_bundle *bundle = open_bundle(&of, bundle_path);
    options.executor = MPLAN_EXECUTOR_HOST;
    options.device_memory = 3000000;
    how.ranks = 2;
    how.poison = true;
    assert_done(mplan_exec_open_part(bundle, NULL, &options, &how, &exec, &of.err), &of.err);
    assert_done(mplan_exec_declare_all(exec, &of.err), &of.err);
    assert_done(mplan_exec_own_range(exec, "cells", &first, &end, &of.err), &of.err);
    const int64_t n = end - first;
    int64_t *ids = malloc((size_t)n * sizeof *ids);
    double *rows = malloc((size_t)n * sizeof *rows), sum = 0, due = 0;
    assert_true(ids && rows && first == 0 && n == 1200);
    for (int64_t i = 0; i < n; i++) {
        rows[i] = (double)(i * i % 1009);
        due += rows[i];
    }
    assert_done(mplan_exec_upload(exec, "rms", rows, n, 1, MPLAN_TYPE_F64, &of.err), &of.err);
    assert_done(mplan_exec_reduce(exec, "rms", 0, MPLAN_SUM, &sum, &of.err), &of.err);
    assert_true(sum == due);
    assert_done(mplan_exec_own_ids(exec, "cells", ids, n, &of.err), &of.err);
    assert_done(mplan_exec_download_own(exec, "rms", rows, n, 1, MPLAN_TYPE_F64, &of.err), &of.err);
    for (int64_t i = 0; i < n; i++)
        assert_true(rows[i] == (double)(ids[i] * ids[i] % 1009));
    free(ids);
    free(rows);
    mplan_exec_close(exec);
    mplan_bundle_free(bundle);
    close_all(&of);
}

/* --- ranks ------------------------------------------------------------------------------------------ */

enum { RANKS = 2, CALLS_MOST = 8 };

/* The steps before which a callback was called. */
typedef struct calls {
    int32_t n;
    int64_t at[CALLS_MOST];
} calls;

static mplan_status count_call(void *user, mplan_exec *exec, int64_t step, mplan_error *err)
{
    calls *of = user;
    (void)exec, (void)err;
    if (of->n < CALLS_MOST)
        of->at[of->n++] = step;
    return MPLAN_OK;
}

/* One rank, whose own parts could make more steps a visit than those of rank 0. 0: it was called before each visit of one step. */
static int run_rank(limited *of, const mplan_transport *transport)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    mplan_bundle *bundle = open_bundle(of, bundle_path);
    mplan_exec_entry entries[16];
    mplan_exec *exec = NULL;
    calls seen = {0};
    options.executor = MPLAN_EXECUTOR_HOST;
    options.device_memory = 3000000;
    assert_done(mplan_exec_open_part(bundle, transport, &options, &how, &exec, &of->err), &of->err);
    fill(of, exec, entries);
    if (transport->rank == 0)
        exec->parts->visit_steps = 1;
    assert_done(mplan_exec_steps_lagged(exec, entries, of->n_step, 4, 0, count_call, &seen, &of->err),
                &of->err);
    mplan_exec_close(exec);
    mplan_bundle_free(bundle);
    return seen.n == 4 && seen.at[1] == 1 && seen.at[3] == 3 ? 0 : 1;
}

/* A callback that all ranks come to, as for a sum over them, is called before the same steps on all of them, also before they have made any. */
static void ranks_pause_at_the_same_steps(void **state)
{
    (void)state;
    limited of = {.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 60, 20, 0, false);
    assert_done(make_bundle(&of, bundle_path, PARTS, 3000000, 2, 4, MPLAN_SUMS_ORDER_AUTO), &of.err);
    meeting *at = meeting_open(RANKS);
    fflush(NULL);
    for (int32_t r = 0; r < RANKS; r++) {
        const pid_t child = meeting_fork();
        assert_true(child >= 0);
        if (child == 0) {
            meeting_guest own = {at, r, RANKS, NULL, NULL, 0};
            const mplan_transport transport = meeting_transport(&own);
            _exit(run_rank(&of, &transport));
        }
    }
    int failed = 0;
    for (int32_t r = 0; r < RANKS; r++) {
        int how = 1;
        assert_true(wait(&how) > 0);
        failed += how != 0;
    }
    assert_int_equal(failed, 0);
    meeting_close(at);
    close_all(&of);
}

/* --- steps that parts choose together ------------------------------------------------------------------ */

/* A bar of quads of which part 2 has a twelfth, so that it has few slabs, for fewer steps than the others; parts: out. */
static void make_uneven(limited *of, int64_t bytes, int32_t steps, mplan_parts **parts)
{
    enum { WIDE = 480, HIGH = 20 };
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    int32_t *part = malloc(WIDE * HIGH * sizeof *part);
    assert_non_null(part);
    for (int32_t i = 0; i < WIDE * HIGH; i++)
        part[i] = i % WIDE < WIDE / 2 ? 0 : i % WIDE < 11 * WIDE / 12 ? 1 : 2;
    if (!of->mesh)
        make_mesh(of, MPLAN_SHAPE_QUAD, WIDE, HIGH, 0, false);
    options.n_step = of->n_step;
    options.step = of->step;
    options.step_clears = of->step + of->n_step;
    options.device_memory = bytes;
    options.steps_per_visit = steps;
    options.rings = 12;
    how.part = part;
    how.n_part = WIDE * HIGH;
    assert_done(mplan_parts_create(of->mesh, of->n_loops, of->loops, &options, &how, NULL, parts,
                                   &of->err),
                &of->err);
    free(part);
}

static mplan_plan *plan_by_wish(limited *of, const mplan_parts *parts, int32_t p,
                                mplan_visit_wish *wish)
{
    mplan_plan *plan = NULL;
    mplan_part_mesh room;
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_threaded threaded;
    const mplan_context *own = mplan_threaded_open(&context, &threaded);
    assert_done(mplan_part_mesh_open(parts, &room, &of->err), &of->err);
    assert_done(mplan_parts_plan_in(&room, p, wish, own, &plan, &of->err), &of->err);
    mplan_part_mesh_close(&room);
    mplan_threaded_close(&threaded);
    return plan;
}

/* Plans of a bundle, but that of part 1. */
typedef struct other_source {
    mplan_parts_source from;
    mplan_plan *plan;
} other_source;

static mplan_status read_other(void *user, int32_t part, const mplan_context *context,
                               mplan_plan **plan, mplan_error *err)
{
    other_source *of = user;
    if (part != 1)
        return of->from.read(of->from.user, part, context, plan, err);
    *plan = of->plan;
    of->plan = NULL;
    return MPLAN_OK;
}

/* All parts have the steps that are best together, which are not those that part 0 would have; they are planned as if these were asked for. A
 * bundle of which one part has others is refused, and so is a part that would choose by itself. */
static void parts_choose_steps_together(void **state)
{
    (void)state;
    const int64_t bytes = 1900000;
    limited of = {.app = mplan_app_find("airfoil")};
    mplan_parts *parts = NULL, *asked = NULL;
    mplan_plan *own[PARTS];
    mplan_visit_wish wishes[PARTS] = {{0, {0}}}, other = {1, {0}};
    make_uneven(&of, bytes, 0, &parts);
    for (int32_t p = 0; p < PARTS; p++)
        own[p] = plan_by_wish(&of, parts, p, &wishes[p]);
    const int32_t steps = mplan_parts_visit_steps(wishes, PARTS);
    assert_true(steps > 1 && own[0]->visit.steps != steps);
    assert_refused(mplan_parts_plan(parts, 1, NULL, &own[0], &of.err), MPLAN_ERR_ARGUMENT, &of.err,
                   "one part by itself cannot choose the steps of a visit");
    assert_done(mplan_parts_write(parts, bundle_path, NULL, NULL, NULL, &of.err), &of.err);
    prove(&of);
    make_uneven(&of, bytes, steps, &asked);
    mplan_bundle *bundle = open_bundle(&of, bundle_path);
    for (int32_t p = 0; p < PARTS; p++) {
        mplan_plan *made = NULL, *due = NULL;
        assert_done(mplan_bundle_read_part(bundle, p, NULL, &made, &of.err), &of.err);
        assert_done(mplan_parts_plan(asked, p, NULL, &due, &of.err), &of.err);
        assert_int_equal(made->visit.steps, steps);
        assert_memory_equal(&made->visit, &due->visit, sizeof due->visit);
        assert_int_equal(made->n_streams, due->n_streams);
        assert_memory_equal(made->streams, due->streams,
                            (size_t)due->n_streams * sizeof *due->streams);
        mplan_plan_free(made);
        mplan_plan_free(due);
    }
    other_source changed = {mplan_bundle_source(bundle), plan_by_wish(&of, parts, 1, &other)};
    mplan_parts_source source = changed.from;
    source.user = &changed;
    source.read = read_other;
    assert_int_equal(changed.plan->visit.steps, 1);
    assert_refused(mplan_parts_verify(&source, NULL, -1, NULL, &of.err), MPLAN_ERR_DISPROVED,
                   &of.err, "part 1: a visit has 1 steps, but in a part before it ");
    mplan_bundle_free(bundle);
    for (int32_t p = 0; p < PARTS; p++)
        mplan_plan_free(own[p]);
    mplan_parts_free(parts);
    mplan_parts_free(asked);
    close_all(&of);
}

/* --- what is refused -------------------------------------------------------------------------------- */

static void requests_are_refused(void **state)
{
    (void)state;
    limited of = {.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 60, 20, 0, false);
    assert_refused(make_bundle(&of, bundle_path, PARTS, 3000000, 0, 0, MPLAN_SUMS_ORDER_AUTO),
                   MPLAN_ERR_ARGUMENT, &of.err, "one of 1 step needs 2 rings (--rings), not 0");
    assert_refused(make_bundle(&of, bundle_path, PARTS, 3000000, 0, 1, MPLAN_SUMS_ORDER_AUTO),
                   MPLAN_ERR_ARGUMENT, &of.err, "one of 1 step needs 2 rings (--rings), not 1");
    assert_refused(make_bundle(&of, bundle_path, PARTS, 3000000, 3, 4, MPLAN_SUMS_ORDER_AUTO),
                   MPLAN_ERR_ARGUMENT, &of.err, "one of 3 steps needs 6 rings (--rings), not 4");
    assert_refused(make_bundle(&of, bundle_path, PARTS, 3000000, 9, 16, MPLAN_SUMS_ORDER_AUTO),
                   MPLAN_ERR_ARGUMENT, &of.err,
                   "one of 9 steps needs 18 rings, which is more than the 16");
    const int32_t n = of.n_step;
    of.n_step = 0;
    assert_refused(make_bundle(&of, bundle_path, PARTS, 3000000, 0, 4, MPLAN_SUMS_ORDER_AUTO),
                   MPLAN_ERR_ARGUMENT, &of.err, "needs the step");
    of.n_step = n;
    close_all(&of);
    of = (limited){.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 300, 60, 0, false);
    assert_refused(make_bundle(&of, bundle_path, PARTS, 1048576, 0, 4, MPLAN_SUMS_ORDER_AUTO),
                   MPLAN_ERR_ARGUMENT, &of.err, "is too little");
    close_all(&of);
    of = (limited){.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 6, 2, 0, false);
    assert_refused(make_bundle(&of, bundle_path, PARTS, 3000000, 0, 4, MPLAN_SUMS_ORDER_AUTO),
                   MPLAN_ERR_ARGUMENT, &of.err,
                   "the mesh of a part has 1 slab, which is too few for 2 segments");
    close_all(&of);
}

static mplan_status open_with(limited *of, const mplan_exec_options *options,
                              const mplan_rank_options *how, mplan_exec **exec)
{
    mplan_bundle *bundle = open_bundle(of, bundle_path);
    mplan_status status = mplan_exec_open_part(bundle, NULL, options, how, exec, &of->err);
    mplan_bundle_free(bundle);
    return status;
}

static void runs_are_refused(void **state)
{
    (void)state;
    limited of = {.app = mplan_app_find("airfoil")};
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    mplan_exec_entry entries[16];
    mplan_exec *exec = NULL;
    make_mesh(&of, MPLAN_SHAPE_QUAD, 60, 20, 0, false);
    assert_done(make_bundle(&of, bundle_path, PARTS, 3000000, 0, 2, MPLAN_SUMS_ORDER_AUTO), &of.err);
    options.executor = MPLAN_EXECUTOR_HOST;
    options.device_memory = 100000;
    assert_refused(open_with(&of, &options, &how, &exec), MPLAN_ERR_ARGUMENT, &of.err,
                   "more than the 100000 that are allowed");
    options.device_memory = 3000000;
    options.store = ".";
    assert_refused(open_with(&of, &options, &how, &exec), MPLAN_ERR_UNSUPPORTED, &of.err,
                   "dats of parts cannot be in a file");
    options.store = NULL;
    options.executor = MPLAN_EXECUTOR_SERIAL;
    assert_refused(open_with(&of, &options, &how, &exec), MPLAN_ERR_UNSUPPORTED, &of.err,
                   "executor serial keeps all dats in memory");
    options.executor = MPLAN_EXECUTOR_HOST;
    mplan_bundle *bundle = open_bundle(&of, bundle_path);
    assert_done(mplan_exec_open_part(bundle, NULL, &options, &how, &exec, &of.err), &of.err);
    fill(&of, exec, entries);
    assert_refused(mplan_exec_launch(exec, entries[0].bound, &parameters, NULL, &of.err),
                   MPLAN_ERR_UNSUPPORTED, &of.err, "loops are run by mplan_exec_steps");
    assert_refused(mplan_exec_steps(exec, entries, of.n_step - 1, 1, &of.err), MPLAN_ERR_ARGUMENT,
                   &of.err, "entries, not");
    assert_done(mplan_exec_exchange_begin(exec, NULL, 0, NULL, &of.err), &of.err);
    assert_refused(mplan_exec_steps(exec, entries, of.n_step, 1, &of.err), MPLAN_ERR_ARGUMENT,
                   &of.err, "an exchange has begun");
    assert_done(mplan_exec_exchange_end(exec, NULL, &of.err), &of.err);
    mplan_exec_close(exec);
    options.device_memory = 0;
    assert_done(make_bundle(&of, bundle_path, PARTS, 0, 0, 2, MPLAN_SUMS_ORDER_AUTO), &of.err);
    options.device_memory = 3000000;
    assert_refused(open_with(&of, &options, &how, &exec), MPLAN_ERR_ARGUMENT, &of.err,
                   "was not made for a limited device memory");
    mplan_bundle_free(bundle);
    close_all(&of);
}

/* --- plans that are wrong --------------------------------------------------------------------------- */

/* Two members that change places, of any kind, are noticed by the proof; a place that is there twice by an executor, too. */
static void wrong_places_are_refused(void **state)
{
    (void)state;
    limited of = {.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 60, 20, 0, false);
    assert_done(make_bundle(&of, bundle_path, PARTS, 3000000, 0, 2, MPLAN_SUMS_ORDER_AUTO), &of.err);
    mplan_bundle *bundle = open_bundle(&of, bundle_path);
    mplan_plan *plan = NULL;
    assert_done(mplan_bundle_read_part(bundle, 1, NULL, &plan, &of.err), &of.err);
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const mplan_key key = mplan_key_of_set(MPLAN_KIND_PART_PLACES, s);
        const mplan_array *array = mplan_plan_find_array(plan, &key);
        assert_non_null(array);
        int32_t *place = (int32_t *)(uintptr_t)array->data; /* the plan's own */
        const mplan_part_set *part = &plan->sets[s].part;
        const int64_t ends[] = {0, part->owned, plan->sets[s].size - 1};
        mplan_exec_one_part one = {.part = 1, .plan = plan};
        for (int k = 0; k < 3 && part->owned < plan->sets[s].size; k++) {
            const int64_t i = ends[k], j = ends[(k + 1) % 3];
            const int32_t a = place[i], b = place[j];
            if (i == j)
                continue;
            place[i] = b;
            place[j] = a;
            assert_int_equal(mplan_plan_verify(plan, NULL, NULL, &of.err), MPLAN_ERR_DISPROVED);
            place[j] = b;
            assert_refused(mplan_plan_verify(plan, NULL, NULL, &of.err), MPLAN_ERR_DISPROVED,
                           &of.err, "PART_PLACES has");
            assert_refused(mplan_exec_parts_open_places(&one, &of.err), MPLAN_ERR_CORRUPT, &of.err,
                           "are damaged");
            mplan_exec_parts_close_places(&one);
            one = (mplan_exec_one_part){.part = 1, .plan = plan};
            place[i] = a;
        }
    }
    assert_done(mplan_plan_verify(plan, NULL, NULL, &of.err), &of.err);
    mplan_plan_free(plan);
    mplan_bundle_free(bundle);
    close_all(&of);
}

/* --- steps that rings serve -------------------------------------------------------------------------- */

enum { LOOPS = 4, ARGS = 4 };

/* A part with no members, for proofs of its step only. */
typedef struct step_only {
    mplan_plan plan;
    mplan_plan_set set;
    mplan_plan_loop loops[LOOPS];
    mplan_plan_arg args[LOOPS][ARGS];
    mplan_step_entry step[LOOPS];
} step_only;

static void make_step(step_only *of, uint32_t *seed)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const mplan_access accesses[] = {MPLAN_READ, MPLAN_READ, MPLAN_WRITE, MPLAN_RW, MPLAN_INC};
    *of = (step_only){.set = {.part = {.parts = 2}}};
    of->plan = (mplan_plan){.n_sets = 1,
                            .sets = &of->set,
                            .n_loops = LOOPS,
                            .loops = of->loops,
                            .n_step = LOOPS,
                            .step = of->step,
                            .visit = {.slabs = 1}};
    for (int32_t l = 0; l < LOOPS; l++) {
        of->loops[l] = (mplan_plan_loop){.name = "l", .n_args = 1, .args = of->args[l]};
        of->step[l].loop = l;
        for (int32_t a = 0; a < ARGS; a++) {
            *seed = *seed * 1664525u + 1013904223u;
            const uint32_t r = *seed >> 8;
            mplan_plan_arg *arg = &of->args[l][a];
            arg->dat = names[r % 5];
            arg->map = (int32_t)(r / 5 % 3) - 1;
            arg->access = accesses[r / 15 % 5];
            if (arg->map == 1)
                arg->map = MPLAN_MAP_GLOBAL;
            if (a > 0 && r / 75 % 4 > 0)
                of->loops[l].n_args = a + 1;
            if (arg->access == MPLAN_INC && r / 300 % 2 && a < of->loops[l].n_args)
                of->step[l].clear = a + 1;
        }
    }
}

/* The planner counts forwards, the proof backwards. Both must say the same of any step. */
static void planner_and_proof_count_the_same(void **state)
{
    (void)state;
    uint32_t seed = 7;
    int64_t seen[20] = {0};
    for (int c = 0; c < 3000; c++) {
        step_only of;
        mplan_error err;
        mplan_ring_entry *entries;
        mplan_ring_steps steps;
        make_step(&of, &seed);
        assert_done(mplan_ring_steps_of_plan(&of.plan, &entries, &steps, &err), &err);
        for (int32_t rings = 1; rings < 7; rings++) {
            const int32_t most = mplan_ring_steps_count(&steps, rings, 19);
            mplan_check check = {.plan = &of.plan, .rings = rings};
            seen[most]++;
            of.plan.visit.steps = most;
            assert_true(most == 0 || mplan_check_ring_steps(&check, &err) == MPLAN_OK);
            of.plan.visit.steps = most + 1;
            if (most < 19)
                assert_refused(mplan_check_ring_steps(&check, &err), MPLAN_ERR_DISPROVED, &err,
                               "an exchange of halos serves only");
            if (most > 0 && most < 19)
                assert_true(mplan_ring_steps_rings(&steps, most) <= rings &&
                            mplan_ring_steps_rings(&steps, most + 1) > rings);
        }
        mplan_ring_steps_close(&steps);
        free(entries);
    }
    assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 100 && seen[4] > 10 && seen[19] > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planner_and_proof_count_the_same),
        cmocka_unit_test(requests_are_refused),
        cmocka_unit_test(parts_choose_steps_together),
        cmocka_unit_test(runs_are_refused),
        cmocka_unit_test(wrong_places_are_refused),
        cmocka_unit_test(owned_members_are_found),
        cmocka_unit_test(ranks_pause_at_the_same_steps),
        cmocka_unit_test(one_step_more_gives_other_numbers),
        cmocka_unit_test(visits_have_the_bits_of_memory),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
