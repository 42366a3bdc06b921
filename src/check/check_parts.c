/* SPDX-License-Identifier: Apache-2.0 */
/* check_parts.c - what all proofs use: parts of a proof by threads, the walk over variants, marks, and the data of arrays */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "check/check.h"

/* So many parts between two looks at whether the caller wants to stop; a piece; fewer are not
 * worth a second thread. */
enum { BATCH = 8192, PIECE = 8, FEW = 16 };

/* Parts that are run between two looks at whether to stop. */
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
        while (i < failed &&
               !atomic_compare_exchange_weak_explicit(&b->failed, &failed, i, memory_order_relaxed,
                                                      memory_order_relaxed))
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
        if (status)
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

/* In the order of loops and variants, until one fails. A refusal gets loop, variant and strategy
 * in front. */
mplan_status mplan_check_variants(mplan_check *check, uint32_t traits,
                                  mplan_check_of_variant *prove, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < check->plan->n_loops; l++) {
        const mplan_plan_loop *loop = &check->plan->loops[l];
        for (int32_t v = 0; v < loop->n_variants && !status; v++) {
            if (!mplan_strategy_has(loop->variants[v].strategy, traits))
                continue;
            status = prove(check, l, v, err);
            if (status == MPLAN_ERR_DISPROVED) {
                char place[MPLAN_ERROR_TEXT / 2];
                snprintf(place, sizeof place, "loop %s, variant %d (%s)", loop->name, (int)v,
                         mplan_strategy_name(loop->variants[v].strategy));
                mplan_fail_prefix(err, status, place);
            }
        }
    }
    return status;
}
