/* SPDX-License-Identifier: Apache-2.0 */
/* support_told.h - a rank that fails in the midst of what ranks do together: all of them fail with its reason, and none waits
 *
 * The ranks are processes, threads or ranks of MPI (told_world). Each case is tried with the first, second, ... allocation, or call of the
 * transport, of rank 1 failing until none is left to fail. */
#ifndef MPLAN_SUPPORT_TOLD_H
#define MPLAN_SUPPORT_TOLD_H

#include "support_memory.h"
#include "support_parts_slabs.h"
#include "support_ring.h"

enum { TOLD_MOST = 8, TOLD_FAILS = 1 /* the rank that does */ };
/* Seconds after which ranks that wait for ever end with a failure. */
enum { TOLD_FOR_EVER = 600 };

/* What a rank says of a case. */
typedef struct told_said {
    int32_t status;
    int32_t fired; /* something has failed by itself */
    int32_t wrong; /* the call behind a failure said something else */
    char text[240];
} told_said;

/* Ranks of one kind. open: a transport that no rank has failed on; close: of it. share: what each says, to all. */
typedef struct told_world {
    int32_t rank, ranks;
    void *user;
    void (*open)(void *user, mplan_transport *transport);
    void (*close)(void *user);
    void (*share)(void *user, const told_said *mine, told_said *all);
} told_world;

/* --- faults ----------------------------------------------------------------------------------- */

/* REFUSAL: of the transport, too, with a status that arguments are refused with. */
typedef enum told_fault { TOLD_NONE, TOLD_ALLOCATION, TOLD_TRANSPORT, TOLD_REFUSAL } told_fault;

/* A transport whose call number `left` fails. */
typedef struct told_way {
    mplan_transport inner;
    int64_t left; /* 0: none */
    mplan_status status;
    bool fired;
} told_way;

static inline mplan_status told_now(told_way *way, mplan_error *err)
{
    if (way->left == 0 || --way->left > 0)
        return MPLAN_OK;
    way->fired = true;
    if (err) {
        err->status = way->status;
        snprintf(err->text, sizeof err->text, "no way to the others");
    }
    return way->status;
}

static inline mplan_status told_exchange(void *user, const mplan_message *in, int32_t n_in,
                                         const mplan_message *out, int32_t n_out, void *stream,
                                         void **request, mplan_error *err)
{
    told_way *way = user;
    const mplan_status status = told_now(way, err);
    return status ? status
                  : way->inner.exchange(way->inner.user, in, n_in, out, n_out, stream, request, err);
}

static inline mplan_status told_wait(void *user, void *request, void *stream, mplan_error *err)
{
    told_way *way = user;
    const mplan_status status = told_now(way, err);
    return status ? status : way->inner.wait(way->inner.user, request, stream, err);
}

static inline mplan_status told_gather(void *user, const void *mine, int64_t bytes, void *all,
                                       mplan_error *err)
{
    told_way *way = user;
    const mplan_status status = told_now(way, err);
    return status ? status : way->inner.all_gather(way->inner.user, mine, bytes, all, err);
}

static inline void told_tell(void *user, mplan_status status, const char *reason)
{
    const told_way *way = user;
    way->inner.tell(way->inner.user, status, reason);
}

static inline mplan_status told_told(void *user, mplan_error *err)
{
    const told_way *way = user;
    return way->inner.told(way->inner.user, err);
}

static inline mplan_transport told_transport(told_way *way)
{
    mplan_transport made = way->inner;
    made.user = way;
    made.exchange = told_exchange;
    made.wait = told_wait;
    made.all_gather = told_gather;
    made.tell = told_tell;
    made.told = told_told;
    return made;
}

/* --- cases --------------------------------------------------------------------------------------- */

/* What ranks do. fault TOLD_NONE: a function of the program, or what is opened, fails. */
typedef struct told_case {
    const char *name;
    const struct told_all *of;
    mplan_status (*run)(const struct told_case *now, const mplan_transport *transport,
                        told_said *said, mplan_error *err);
    int32_t direct;
    int64_t device_memory;
    told_fault fault;
    told_way *way;
    int64_t k;
    bool fails; /* this rank */
} told_case;

/* Bundles: of parts with slabs, one that is damaged in a part of rank 1, one without slabs. */
typedef struct told_all {
    support_parts ring;
    limited slabs;
    char path[3][96];
} told_all;

enum { TOLD_PARTS = 3, TOLD_LIMIT = 3000000 };

/* From here on allocation, or call, number k fails. */
static inline void told_arm(const told_case *now)
{
    if (!now->fails)
        return;
    if (now->fault == TOLD_ALLOCATION)
        support_memory = (support_memory_state){
            .armed = true, .left = now->k, .live = support_memory.live};
    if (now->fault == TOLD_TRANSPORT || now->fault == TOLD_REFUSAL)
        now->way->left = now->k;
}

/* Another call of an executor that has failed fails in the same way, without waiting for anybody; but where direct ranks have agreed that they fail
 * together, they may go on. */
static inline void told_again(const told_case *now, mplan_exec *exec, mplan_status status,
                              const mplan_error *err, told_said *said)
{
    mplan_error other = {MPLAN_OK, ""};
    if (!status || (now->direct && !exec->parts->lost))
        return;
    said->wrong = mplan_exec_wait(exec, &other) != status || strcmp(other.text, err->text) != 0;
}

/* Steps on the ring: exchanges, globals, a reduction. */
static inline mplan_status told_steps_of_ring(mplan_exec *exec, mplan_error *err)
{
    mplan_exec_loop *flux = NULL, *step = NULL;
    const char *const q[] = {"q"};
    double rows[2 * RING_CELLS], sum;
    int64_t first, end;
    for (int i = 0; i < 2 * RING_CELLS; i++)
        rows[i] = (i * 37 % 101) / 101.0;
    mplan_status status = mplan_exec_declare(exec, "q", "cells", 2, MPLAN_TYPE_F64, -1, err);
    if (!status)
        status = mplan_exec_upload(exec, "q", rows, RING_CELLS, 2, MPLAN_TYPE_F64, err);
    if (!status)
        status = mplan_exec_exchange_begin(exec, q, 1, NULL, err);
    if (!status)
        status = mplan_exec_exchange_end(exec, NULL, err);
    if (!status)
        status = mplan_exec_declare_all(exec, err);
    if (!status)
        status = mplan_exec_bind(exec, "ring_flux", 0, &ring_flux_host, &flux, err);
    if (!status)
        status = mplan_exec_bind(exec, "ring_step", 0, &ring_step_host, &step, err);
    for (int i = 0; i < 3 && !status; i++) {
        status = mplan_exec_launch(exec, flux, NULL, NULL, err);
        if (!status)
            status = mplan_exec_launch(exec, step, NULL, NULL, err);
    }
    if (!status)
        status = mplan_exec_own_range(exec, "cells", &first, &end, err);
    if (!status)
        status = mplan_exec_download_own(exec, "q", rows, end - first, 2, MPLAN_TYPE_F64, err);
    return status ? status : mplan_exec_reduce(exec, "q", 0, MPLAN_SUM, &sum, err);
}

static inline mplan_status told_run_ring(const told_case *now, const mplan_transport *transport,
                                         told_said *said, mplan_error *err)
{
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    mplan_exec *exec;
    how.direct = now->direct;
    how.patience = 1e6;
    told_arm(now);
    mplan_status status = support_parts_try(&now->of->ring, transport, MPLAN_EXECUTOR_HOST, &how,
                                            &exec, err);
    if (status)
        return status;
    status = told_steps_of_ring(exec, err);
    if (now->fails)
        support_memory.armed = false;
    told_again(now, exec, status, err, said);
    mplan_exec_close(exec);
    return status;
}

/* Opens a bundle and closes it. Others than the rank that fails take the good one. */
static inline mplan_status told_open(const told_case *now, const mplan_transport *transport,
                                     const char *path, const mplan_exec_options *options,
                                     mplan_exec **exec, mplan_error *err)
{
    mplan_bundle *bundle = NULL;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    how.direct = now->direct;
    mplan_status status = path ? mplan_bundle_open(path, NULL, &bundle, err) : MPLAN_OK;
    if (!status)
        status = mplan_exec_open_part(bundle, transport, options, &how, exec, err);
    mplan_bundle_free(bundle);
    return status;
}

static inline mplan_exec_options told_options(const told_case *now)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_HOST;
    options.threads = 1;
    options.device_memory = now->device_memory;
    return options;
}

static inline mplan_status told_callback(void *user, mplan_exec *exec, int64_t step, mplan_error *err)
{
    const bool fails = *(const bool *)user;
    double sum;
    if (step >= 2 && fails) {
        err->status = MPLAN_ERR_ARGUMENT; /* whatever it is */
        snprintf(err->text, sizeof err->text, "the flow has diverged");
        return MPLAN_ERR_ARGUMENT;
    }
    return mplan_exec_reduce(exec, "rms", 0, MPLAN_SUM, &sum, err);
}

/* Steps by visits, or in memory; the fault is of these. */
static inline mplan_status told_run_slabs(const told_case *now, const mplan_transport *transport,
                                          told_said *said, mplan_error *err)
{
    mplan_exec_entry entries[16];
    mplan_exec *exec = NULL;
    limited of = now->of->slabs;
    bool fails = now->fails && now->fault == TOLD_NONE;
    const mplan_exec_options options = told_options(now);
    mplan_status status = told_open(now, transport, now->of->path[0], &options, &exec, err);
    if (status)
        return status;
    fill(&of, exec, entries);
    told_arm(now);
    status = now->fault == TOLD_NONE
                 ? mplan_exec_steps_lagged(exec, entries, of.n_step, 6, 0, told_callback, &fails, err)
                 : mplan_exec_steps(exec, entries, of.n_step, 3, err);
    double sum;
    if (!status)
        status = mplan_exec_reduce(exec, "rms", 0, MPLAN_SUM, &sum, err);
    if (now->fails)
        support_memory.armed = false;
    told_again(now, exec, status, err, said);
    said->fired = fails;
    mplan_exec_close(exec);
    return status;
}

/* A rank that opens something else than the others: without a bundle (k = 1), a damaged one, one without slabs, for another mesh. */
static inline mplan_status told_run_opens(const told_case *now, const mplan_transport *transport,
                                          told_said *said, mplan_error *err)
{
    mplan_exec *exec = NULL;
    mplan_exec_options options = told_options(now);
    const uint64_t other = 1;
    const bool fails = now->fails && now->k < 5;
    const char *path = !fails        ? now->of->path[0]
                       : now->k == 1 ? NULL
                       : now->k == 2 ? now->of->path[1]
                       : now->k == 3 ? now->of->path[2]
                                     : now->of->path[0];
    if (fails && now->k == 3) /* else it is refused by itself */
        options.device_memory = 0;
    if (fails && now->k == 4)
        options.topology = &other;
    said->fired = fails;
    const mplan_status status = told_open(now, transport, path, &options, &exec, err);
    mplan_exec_close(exec);
    return status;
}

/* --- running them ------------------------------------------------------------------------------- */

/* Whether all failed, with the reason of rank 1 (which has, of ranks that cannot be direct, the words of the others), or none; *fired: it may go on failing. mixed: all ranks have a reason of their own. */
static inline bool told_judge(const told_world *world, const told_said *all, const char *name,
                              int64_t k, bool mixed, bool *fired)
{
    const told_said *first = &all[TOLD_FAILS];
    bool good = first->fired || !first->status;
    *fired = first->fired;
    for (int32_t r = 0; r < world->ranks; r++) {
        good = good && all[r].status == first->status && !all[r].wrong;
        if (r != TOLD_FAILS && first->status && !mixed)
            good = good && (strcmp(all[r].text, first->text) == 0
                                ? strstr(first->text, "rank 1 failed: ") != NULL
                                : strncmp(all[r].text, "rank 1 failed: ", 15) == 0 &&
                                      strncmp(all[r].text + 15, first->text, 100) == 0);
    }
    for (int32_t r = 0; r < world->ranks && !good && world->rank == 0; r++)
        fprintf(stderr, "%s, fault %lld, rank %d of %d: %s%s: %s\n", name, (long long)k, (int)r,
                (int)world->ranks, mplan_status_name((mplan_status)all[r].status),
                all[r].wrong ? ", then something else" : "", all[r].text);
    return good;
}

/* A case with fault k. *fired: there was one. */
static inline bool told_try(const told_world *world, const told_case *from, int64_t k, bool *fired)
{
    told_case now = *from;
    told_way way = {.status = from->fault == TOLD_REFUSAL ? MPLAN_ERR_UNSUPPORTED : MPLAN_ERR_IO};
    told_said mine, all[TOLD_MOST];
    mplan_error err = {MPLAN_OK, ""};
    memset(&mine, 0, sizeof mine);
    world->open(world->user, &way.inner);
    const mplan_transport transport = told_transport(&way);
    now.k = k;
    now.way = &way;
    now.fails = world->rank == TOLD_FAILS;
    if (now.fails)
        support_memory = (support_memory_state){.live = support_memory.live};
    mine.status = (int32_t)now.run(&now, &transport, &mine, &err);
    if (now.fails) {
        support_memory.armed = false;
        mine.fired = mine.fired || way.fired || support_memory.fired;
    }
    snprintf(mine.text, sizeof mine.text, "%.230s", mine.status ? err.text : "");
    world->share(world->user, &mine, all);
    world->close(world->user);
    return told_judge(world, all, now.name, k, now.run == told_run_opens && k == 3, fired);
}

/* All faults of a case, every `step`-th of them; at least `least`, else there was nothing to fail. */
static inline bool told_every(const told_world *world, const told_case *now, int64_t step,
                              int64_t least)
{
    bool fired = true, good = true;
    int64_t k = 1;
    for (; fired && good; k += step)
        good = told_try(world, now, k, &fired);
    if (good && k <= least && world->rank == 0)
        fprintf(stderr, "%s: only %lld faults\n", now->name, (long long)k);
    return good && k > least;
}

/* All cases, with allocations that fail or without. */
static inline bool told_all_cases(const told_world *world, const told_all *of, bool memory,
                                  int64_t step)
{
    const told_case cases[] = {
        {.name = "ring", .run = told_run_ring},
        {.name = "direct ring", .run = told_run_ring, .direct = MPLAN_DIRECT_ALWAYS},
        {.name = "visits", .run = told_run_slabs, .device_memory = TOLD_LIMIT},
        {.name = "slabs in memory", .run = told_run_slabs},
    };
    bool good = true;
    const bool has_parts = world->ranks <= TOLD_PARTS; /* a part for each rank */
    for (size_t i = 0; i < (has_parts ? sizeof cases / sizeof *cases : 2) && good; i++) {
        told_case now = cases[i];
        now.of = of;
        now.fault = TOLD_TRANSPORT;
        if (memory || !now.direct) /* threads are not processes that share memory */
            good = told_every(world, &now, 1, 4);
        now.fault = TOLD_REFUSAL;
        if (good && (memory || !now.direct))
            good = told_every(world, &now, 1, 4);
        now.fault = TOLD_ALLOCATION;
        if (good && memory)
            good = told_every(world, &now, i < 2 ? step : 1, 4);
        now.fault = TOLD_NONE;
        bool fired = false;
        if (good && i >= 2)
            good = told_try(world, &now, 1, &fired) && fired;
    }
    told_case opens = {.name = "opens", .of = of, .run = told_run_opens, .device_memory = 0};
    return good && (!has_parts || told_every(world, &opens, 1, 5));
}

/* --- what they run -------------------------------------------------------------------------------- */

/* A copy of a file, one byte of which is another one. */
static inline void told_damage(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out && fseek(in, 0, SEEK_END) == 0);
    const long n = ftell(in);
    rewind(in);
    char *bytes = malloc((size_t)n);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)n, in), n);
    bytes[n / 2] ^= 1;
    assert_int_equal(fwrite(bytes, 1, (size_t)n, out), n);
    free(bytes);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* name: of files, unlike those of other processes. */
static inline void told_prepare(told_all *of, const char *name)
{
    mplan_mesh *mesh = ring_mesh();
    ring_parts(mesh, false, &of->ring);
    mplan_mesh_free(mesh);
    of->slabs = (limited){.app = mplan_app_find("airfoil")};
    for (int i = 0; i < 3; i++)
        snprintf(of->path[i], sizeof of->path[i], "%s.%d.mplans", name, i);
    make_mesh(&of->slabs, MPLAN_SHAPE_QUAD, 60, 20, 0, false);
    assert_done(make_bundle(&of->slabs, of->path[0], TOLD_PARTS, TOLD_LIMIT, 2, 4,
                            MPLAN_SUMS_ORDER_AUTO),
                &of->slabs.err);
    assert_done(make_bundle(&of->slabs, of->path[2], TOLD_PARTS, 0, 0, 0, MPLAN_SUMS_ORDER_AUTO),
                &of->slabs.err);
    told_damage(of->path[0], of->path[1]);
}

static inline void told_end(told_all *of)
{
    for (int i = 0; i < 3; i++)
        remove(of->path[i]);
    support_parts_free(&of->ring);
    close_all(&of->slabs);
}

#endif
