/* check.c - proves a plan, one group of promises after the other */
#include "check/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_size.h"

/* So many parts between two looks at whether the caller wants to stop; a piece; fewer are not
 * worth a second thread. */
enum { BATCH = 8192, PIECE = 8, FEW = 16 };

typedef struct batch {
    mplan_check_part *part;
    void *proof;
    int64_t begin;
    _Atomic int64_t failed; /* the first part that fails; behind the batch: none */
} batch;

/* Parts behind a failed one cannot be the first. */
static void run_parts(void *data, int thread, int64_t begin, int64_t end)
{
    batch *b = data;
    for (int64_t i = b->begin + begin; i < b->begin + end; i++) {
        int64_t failed = atomic_load_explicit(&b->failed, memory_order_relaxed);
        if (i > failed)
            return;
        if (b->part(b->proof, i, thread, NULL) == MPLAN_OK)
            continue;
        while (i < failed && !atomic_compare_exchange_weak_explicit(
                                 &b->failed, &failed, i, memory_order_relaxed, memory_order_relaxed))
            continue;
        return;
    }
}

/* Calls part(proof, i, thread, err) for i in [0, n_parts), by threads, in batches that
 * let an interruption through. The failure with the lowest i is reported, whatever the
 * number of threads: threads only note that a part failed, and the part is run once
 * more for its message. */
mplan_status mplan_check_each(const mplan_check *check, int64_t n_parts, mplan_check_part *part,
                              void *proof, mplan_error *err)
{
    for (int64_t begin = 0; begin < n_parts; begin += BATCH) {
        mplan_status status = mplan_interrupted(check->context, err);
        if (status != MPLAN_OK)
            return status;
        const int64_t end = n_parts - begin < BATCH ? n_parts : begin + BATCH;
        batch b = {part, proof, begin, end};
        mplan_for(end - begin > FEW ? check->team : NULL, end - begin, PIECE, run_parts, &b);
        if (b.failed < end)
            return part(proof, b.failed, 0, err);
    }
    return MPLAN_OK;
}

/* n marks that no item carries yet: numbers *first + 1 ... *first + n. Only when they
 * run out is check->mark (one per member of the largest set) cleared. */
mplan_status mplan_check_marks(mplan_check *check, int64_t n, uint32_t *first, mplan_error *err)
{
    assert(n >= 0 && n < UINT32_MAX);
    if (!check->mark) {
        check->mark = mplan_alloc_zero(check->n_marks, sizeof *check->mark, err);
        if (!check->mark)
            return MPLAN_ERR_MEMORY;
    } else if ((uint64_t)check->last_mark + (uint64_t)n > UINT32_MAX) {
        memset(check->mark, 0, (size_t)check->n_marks * sizeof *check->mark);
        check->last_mark = 0;
    }
    *first = check->last_mark;
    check->last_mark += (uint32_t)n;
    return MPLAN_OK;
}

/* The array must have been found by mplan_check_arrays. Never NULL. */
const void *mplan_check_data(const mplan_check *check, mplan_key key)
{
    static const int64_t nothing = 0; /* arrays without rows may lack data */
    const mplan_array *array = mplan_plan_find_array(check->plan, &key);
    assert(array);
    return array->data ? array->data : &nothing;
}

/* Also after a proof that ended early: what was not made is NULL. */
static void release(mplan_check *check)
{
    for (int32_t l = 0; check->loops && l < check->plan->n_loops; l++) {
        free(check->loops[l].maps);
        free(check->loops[l].written);
        free(check->loops[l].sets);
        free(check->loops[l].dats);
    }
    free(check->loops);
    free(check->pairs);
    free(check->maps);
    free(check->valid);
    free(check->mark);
}

/* The proofs in an order in which each may rely on those before it: records before
 * arrays, arrays before what they hold. */
mplan_status mplan_check_prove(const mplan_plan *plan, mplan_mesh *mesh, bool asked,
                               const mplan_context *context, mplan_error *err)
{
    static mplan_status (*const proofs[])(mplan_check *, mplan_error *) = {
        mplan_check_records, mplan_check_args,    mplan_check_loops,  mplan_check_arrays,
        mplan_check_orders,  mplan_check_maps,    mplan_check_blocks, mplan_check_points,
        mplan_check_colours, mplan_check_gather,  mplan_check_gatherings, mplan_check_packed,
        mplan_check_owner,   mplan_check_metrics,
    };
    const int64_t n_proofs = (int64_t)(sizeof proofs / sizeof *proofs);
    mplan_threaded threaded;
    if (!plan->sealed)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan is still being built");
    context = mplan_threaded_open(context, &threaded);
    mplan_check check = {.plan = plan, .context = context, .team = mplan_team_of(context)};
    check.threads = mplan_team_threads(check.team);
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n_proofs && status == MPLAN_OK; i++) {
        mplan_progress(context, "check", i, n_proofs + 1);
        status = mplan_interrupted(context, err);
        if (status == MPLAN_OK)
            status = proofs[i](&check, err);
    }
    if (status == MPLAN_OK) {
        mplan_progress(context, "check", n_proofs, n_proofs + 1);
        status = mplan_check_mesh(&check, mesh, err);
    }
    if (status == MPLAN_OK && asked)
        status = mplan_check_asked(&check, mesh, err);
    if (status == MPLAN_OK)
        mplan_progress(context, "check", n_proofs + 1, n_proofs + 1);
    release(&check);
    mplan_threaded_close(&threaded);
    return status;
}

mplan_status mplan_plan_verify(const mplan_plan *plan, mplan_mesh *mesh,
                               const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    return mplan_check_prove(plan, mesh, true, context, err);
}
