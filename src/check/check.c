/* check.c - proves a plan, one group of promises after the other */
#include "check/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* So many parts between two looks at whether the caller wants to stop. */
#define BATCH 8192

mplan_status mplan_check_each(const mplan_check *check, int64_t n_parts, mplan_check_part *part,
                              void *proof, mplan_error *err)
{
    for (int64_t begin = 0; begin < n_parts; begin += BATCH) {
        mplan_status status = mplan_interrupted(check->context, err);
        if (status != MPLAN_OK)
            return status;
        const int64_t end = n_parts - begin < BATCH ? n_parts : begin + BATCH;
        int64_t failed = end;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 8) num_threads(check->threads) if (end - begin > 16)
#endif
        for (int64_t i = begin; i < end; i++) {
            int64_t bound;
#ifdef _OPENMP
#pragma omp atomic read
#endif
            bound = failed;
            /* Parts behind a failed one cannot be the first. */
            if (i > bound || part(proof, i, mplan_thread_index(), NULL) == MPLAN_OK)
                continue;
#ifdef _OPENMP
#pragma omp critical
#endif
            if (i < failed) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
                failed = i;
            }
        }
        if (failed < end)
            return part(proof, failed, 0, err);
    }
    return MPLAN_OK;
}

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

const void *mplan_check_data(const mplan_check *check, mplan_key key)
{
    static const int64_t nothing = 0; /* arrays without rows may lack data */
    const mplan_array *array = mplan_plan_find_array(check->plan, &key);
    assert(array);
    return array->data ? array->data : &nothing;
}

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

mplan_status mplan_plan_verify(const mplan_plan *plan, mplan_mesh *mesh,
                               const mplan_context *context, mplan_error *err)
{
    static mplan_status (*const proofs[])(mplan_check *, mplan_error *) = {
        mplan_check_records, mplan_check_loops,   mplan_check_arrays, mplan_check_orders,
        mplan_check_maps,    mplan_check_blocks,  mplan_check_points, mplan_check_colours,
        mplan_check_gather,  mplan_check_gatherings, mplan_check_packed,
        mplan_check_owner,   mplan_check_metrics,
    };
    const int64_t n_proofs = (int64_t)(sizeof proofs / sizeof *proofs);
    mplan_check check = {.plan = plan, .context = context, .threads = mplan_threads(context)};
    if (!plan->sealed)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan is still being built");
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
    if (status == MPLAN_OK)
        mplan_progress(context, "check", n_proofs + 1, n_proofs + 1);
    release(&check);
    return status;
}
