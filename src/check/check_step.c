/* SPDX-License-Identifier: Apache-2.0 */
/* check_step.c - the conflicts of a step are those of its loops, each once and in order
 *
 * STEP_CONFLICTS of formats/plan-format.md. From every access the step is followed backwards, over
 * its begin into the repetition before, until the dat was written. */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

/* What the args of an entry's loop say of one dat. */
typedef struct dat_access {
    const char *dat;
    int32_t arg; /* the first */
    uint32_t ways;
    bool reads, writes;
    unsigned increments_by; /* the only access, where it is inc, min or max; else 0 */
} dat_access;

/* Per entry of the step its dats, each once, sorted by name: entry[i] has n[i] of them, in room for all args of the
 * loop. */
typedef struct step_proof {
    const mplan_plan *plan;
    dat_access **entry;
    int32_t *n; /* dats of each entry */
    int64_t at; /* conflicts that were found so far */
} step_proof;

/* Args on one dat follow one another, in the order of the loop. */
static int compare_dats(const void *a, const void *b)
{
    const dat_access *x = a, *y = b;
    int c = strcmp(x->dat, y->dat);
    return c ? c : x->arg - y->arg;
}

/* Back to the order of the args. */
static int compare_args(const void *a, const void *b)
{
    const dat_access *x = *(const dat_access *const *)a, *y = *(const dat_access *const *)b;
    return x->arg - y->arg;
}

/* A bit for each way to reach a dat: directly, through a map, as a global. */
static uint32_t way_of(const mplan_plan_arg *arg)
{
    return arg->map >= 0 ? 2 : arg->map == MPLAN_MAP_GLOBAL ? 4 : 1;
}

/* One for each arg, sorted by name, then those of one name become one. A dat that is set to zero first is only written. */
static mplan_status collect_entry(step_proof *proof, int32_t i, mplan_error *err)
{
    const mplan_plan_loop *loop = &proof->plan->loops[proof->plan->step[i].loop];
    const int32_t clear = proof->plan->step[i].clear;
    dat_access *list = mplan_alloc(loop->n_args, sizeof *list, err);
    int32_t n = 0;
    proof->entry[i] = list;
    if (!list)
        return MPLAN_ERR_MEMORY;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_access access = loop->args[a].access;
        list[a] = (dat_access){loop->args[a].dat,      a,
                               way_of(&loop->args[a]), access != MPLAN_WRITE,
                               access != MPLAN_READ,   access < MPLAN_INC ? 0 : (unsigned)access};
    }
    if (loop->n_args > 1)
        qsort(list, (size_t)loop->n_args, sizeof *list, compare_dats);
    for (int32_t a = 0; a < loop->n_args; a++) {
        if (n == 0 || strcmp(list[n - 1].dat, list[a].dat) != 0) {
            list[n++] = list[a];
            continue;
        }
        list[n - 1].ways |= list[a].ways;
        list[n - 1].reads = list[n - 1].reads || list[a].reads;
        list[n - 1].writes = list[n - 1].writes || list[a].writes;
        if (list[n - 1].increments_by != list[a].increments_by)
            list[n - 1].increments_by = 0;
    }
    for (int32_t d = 0; d < n && clear > 0; d++)
        if (strcmp(list[d].dat, loop->args[clear - 1].dat) == 0) {
            list[d].reads = false;
            list[d].increments_by = 0;
        }
    proof->n[i] = n;
    return MPLAN_OK;
}

/* What entry i of the step does with a dat; NULL: nothing. */
static const dat_access *find(const step_proof *proof, int32_t i, const dat_access *like)
{
    int32_t low = 0, high = proof->n[i];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const int c = strcmp(proof->entry[i][middle].dat, like->dat);
        if (c == 0)
            return &proof->entry[i][middle];
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The conflict that must be there. back: how many entries `earlier` is before `later`, 1 to n_step; where it exceeds
 * `later`, the earlier entry is of the repetition before. kinds: 1 read after write, 2 write after read, 4 write after
 * write; 8 by itself where both only add, and in the same way. */
static mplan_step_conflict conflict_due(const step_proof *proof, int32_t later, int32_t back,
                                        const dat_access *own)
{
    const int32_t n = proof->plan->n_step, earlier = (later - back + n) % n;
    const dat_access *other = find(proof, earlier, own);
    uint32_t kinds = 0;
    if (own->increments_by && other->increments_by == own->increments_by)
        kinds = 8;
    else
        kinds = (other->writes && own->reads) + 2u * (other->reads && own->writes) +
                4u * (other->writes && own->writes);
    return (mplan_step_conflict){earlier,     later,     back > later, kinds,
                                 other->ways, own->ways, own->arg};
}

/* All that the file says of it. */
static bool same_conflict(const mplan_step_conflict *a, const mplan_step_conflict *b)
{
    return a->earlier == b->earlier && a->later == b->later && a->repeat == b->repeat &&
           a->kinds == b->kinds && a->earlier_ways == b->earlier_ways &&
           a->later_ways == b->later_ways && a->arg == b->arg;
}

/* Conflicts of one access with those before it, the farthest first. */
static mplan_status check_access(step_proof *proof, int32_t later, const dat_access *own,
                                 mplan_error *err)
{
    const mplan_plan *plan = proof->plan;
    const int32_t n = plan->n_step;
    int32_t far = 0;
    const dat_access *other = NULL;
    while (far < n && !(other && other->writes)) { /* to the last writer, or once around */
        far++;
        other = find(proof, (later - far + n) % n, own);
    }
    for (int32_t back = far; back > 0; back--) {
        other = find(proof, (later - back + n) % n, own);
        if (!other || !(other->writes || own->writes))
            continue;
        const mplan_step_conflict due = conflict_due(proof, later, back, own);
        if (proof->at >= plan->n_conflicts || !same_conflict(&plan->conflicts[proof->at], &due))
            return MPLAN_DISPROVED(err,
                                   "STEP_CONFLICTS: record %" PRId64 " is not the conflict of "
                                   "entries %d and %d of the step about dat %s",
                                   proof->at, (int)due.earlier, (int)later, own->dat);
        proof->at++;
    }
    return MPLAN_OK;
}

/* The accesses of one entry in the order of its args. */
static mplan_status check_entry(step_proof *proof, int32_t later, mplan_error *err)
{
    const dat_access **own = mplan_alloc(proof->n[later], sizeof *own, err);
    mplan_status status = own ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < proof->n[later] && own; i++)
        own[i] = &proof->entry[later][i];
    if (own && proof->n[later] > 1)
        qsort(own, (size_t)proof->n[later], sizeof *own, compare_args);
    for (int32_t i = 0; i < proof->n[later] && !status; i++)
        status = check_access(proof, later, own[i], err);
    free(own);
    return status;
}

/* Whether an entry of the step changes the global. */
static bool changes(const mplan_plan *plan, int32_t i, const char *global)
{
    const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map == MPLAN_MAP_GLOBAL && loop->args[a].access != MPLAN_READ &&
            strcmp(loop->args[a].dat, global) == 0)
            return true;
    return false;
}

/* An entry with lag changes globals, and nobody else changes them. */
static mplan_status check_lag(const mplan_plan *plan, int32_t i, mplan_error *err)
{
    const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
    int32_t changed = 0;
    for (int32_t a = 0; a < loop->n_args && plan->step[i].lag; a++) {
        if (loop->args[a].map != MPLAN_MAP_GLOBAL || loop->args[a].access == MPLAN_READ)
            continue;
        changed++;
        for (int32_t k = 0; k < plan->n_step; k++)
            if (k != i && changes(plan, k, loop->args[a].dat))
                return MPLAN_DISPROVED(err,
                                       "entry %d of the step has lag, but entry %d changes global %s, too",
                                       (int)i, (int)k, loop->args[a].dat);
    }
    if (plan->step[i].lag && changed == 0)
        return MPLAN_DISPROVED(err, "entry %d of the step has lag, but changes no global", (int)i);
    return MPLAN_OK;
}

/* Whether loop and arg are there, and the arg is incremented. */
static bool is_entry(const mplan_plan *plan, const mplan_step_entry *entry)
{
    if (entry->loop < 0 || entry->loop >= plan->n_loops)
        return false;
    const mplan_plan_loop *loop = &plan->loops[entry->loop];
    return entry->clear == 0 || (entry->clear > 0 && entry->clear <= loop->n_args &&
                                 loop->args[entry->clear - 1].access == MPLAN_INC);
}

/* proof.entry[i] lists what entry i reads and writes (proof.n[i] dats), collected from the args of its
 * loop. Each entry is compared with those before it, back to the last writer and at most once
 * around, because the step repeats. The conflicts that are met must be the records of
 * STEP_CONFLICTS in their order: proof.at counts them. */
mplan_status mplan_check_step(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    step_proof proof = {.plan = plan};
    if (plan->n_step == 0)
        return plan->n_conflicts ? MPLAN_DISPROVED(err, "the plan has conflicts, but no step")
                                 : MPLAN_OK;
    for (int32_t i = 0; i < plan->n_step; i++)
        if (!is_entry(plan, &plan->step[i]))
            return MPLAN_DISPROVED(err,
                                   "entry %d of the step is not a loop, or zeroes an arg that its loop does not increment",
                                   (int)i);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < plan->n_step && !status; i++)
        status = check_lag(plan, i, err);
    if (status)
        return status;
    proof.entry = mplan_alloc_zero(plan->n_step, sizeof *proof.entry, err);
    proof.n = mplan_alloc_zero(plan->n_step, sizeof *proof.n, err);
    status = proof.entry && proof.n ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < plan->n_step && !status; i++)
        status = collect_entry(&proof, i, err);
    for (int32_t i = 0; i < plan->n_step && !status; i++)
        status = check_entry(&proof, i, err);
    if (!status && proof.at < plan->n_conflicts)
        status = MPLAN_DISPROVED(err,
                                 "STEP_CONFLICTS has %d records, but only %" PRId64
                                 " conflicts are there",
                                 (int)plan->n_conflicts, proof.at);
    for (int32_t i = 0; i < plan->n_step && proof.entry; i++)
        free(proof.entry[i]);
    free(proof.entry);
    free(proof.n);
    return status;
}
