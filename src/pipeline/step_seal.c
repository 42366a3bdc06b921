/* SPDX-License-Identifier: Apache-2.0 */
/* step_seal.c - fingerprints, texts, orders and maps complete the plan, which changes no more */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "pipeline/loop_conflicts.h"
#include "pipeline/part_plan.h"
#include "pipeline/plan_request.h"
#include "pipeline/slabs.h"
#include "pipeline/steps.h"

/* "name version" lines of meshplan and of the libraries that took part. text: size bytes; three
 * short lines fit. */
static void versions_text(const mplan_plan_options *options, const planning *p, char *text,
                          size_t size)
{
    bool metis = options->partitioner == MPLAN_PARTITIONER_METIS;
    bool scotch = options->partitioner == MPLAN_PARTITIONER_SCOTCH;
    for (int32_t s = 0; s < p->n_sets; s++)
        scotch = scotch || p->sets[s].renumber == MPLAN_RENUMBER_SCOTCH_GPS;
    int used = snprintf(text, size, "meshplan %s\n", mplan_version());
    for (int32_t i = 0; mplan_library(i); i++) {
        const char *library = mplan_library(i);
        if ((metis && strncmp(library, "metis ", 6) == 0) ||
            (scotch && strncmp(library, "scotch ", 7) == 0))
            used += snprintf(text + used, size - (size_t)used, "%s\n", library);
    }
}

/* Stored maps and orders go to the plan last: every step before reads them. */
static mplan_status hand_over(planning *p, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < p->n_maps && !status; m++) {
        mplan_map map = mplan_planning_stored_map(p, m);
        bool fixed = map.arity > 0;
        int64_t *offsets = p->maps[m].offsets;
        int32_t *values = p->maps[m].values;
        int64_t rows = fixed ? map.n_rows : mplan_map_entries(&map);
        p->maps[m].offsets = NULL;
        p->maps[m].values = NULL;
        status = mplan_plan_take_array(p->plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m),
                                       MPLAN_TYPE_I32, rows, fixed ? map.arity : 1, values, err);
        if (!status && offsets)
            status = mplan_plan_take_array(p->plan, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, m),
                                           MPLAN_TYPE_I64, map.n_rows + 1, 1, offsets, err);
        else
            free(offsets);
    }
    for (int32_t s = 0; s < p->n_sets && !status; s++) {
        int32_t *order = p->sets[s].new_of_old;
        p->sets[s].new_of_old = NULL;
        status = mplan_plan_take_array(p->plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s),
                                       MPLAN_TYPE_I32, p->sets[s].size, 1, order, err);
    }
    return status;
}

/* Request and versions. */
static mplan_status add_texts(planning *p, mplan_error *err)
{
    char versions[256];
    char *request = mplan_planning_request(p, err);
    if (!request)
        return MPLAN_ERR_MEMORY;
    versions_text(p->options, p, versions, sizeof versions);
    mplan_status status = mplan_plan_set_texts(p->plan, request, versions, err);
    if (!status)
        status = mplan_request_fingerprint(request, &p->plan->fingerprints.request, err);
    free(request);
    return status;
}

/* The plan learns which part it is, and who its neighbours are. */
static mplan_status complete_part(planning *p, mplan_error *err)
{
    const bool stored = mplan_planning_goes_by_group(p);
    const int32_t **orders = mplan_alloc_zero(p->n_sets, sizeof *orders, err);
    mplan_status status = orders ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < p->n_sets && !status; s++) {
        int32_t *own = NULL;
        if (!stored)
            status = mplan_planning_part_order(p, s, &own, err);
        orders[s] = stored ? p->sets[s].new_of_old : own;
    }
    if (!status)
        status = p->part->complete(p->part->user, p->plan, orders, err);
    for (int32_t s = 0; orders && !stored && s < p->n_sets; s++)
        free((void *)(uintptr_t)orders[s]);
    free(orders);
    return status;
}

/* Order of the metrics in the file: loop, block set, set, which together are unique. So qsort,
 * which is not stable, gives one result everywhere. */
static int compare_metrics(const void *a, const void *b)
{
    const mplan_block_metrics *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    if (x->block_set != y->block_set)
        return x->block_set < y->block_set ? -1 : 1;
    return (x->set > y->set) - (x->set < y->set);
}

/* Metrics are sorted by what they measure: they were added in the order of the steps. hand_over
 * gives the arrays to the plan without copying, so p must not use them afterwards. */
mplan_status mplan_step_seal(planning *p, mplan_error *err)
{
    assert(p && p->plan);
    mplan_plan *made = p->plan;
    if (made->n_metrics > 1)
        qsort(made->metrics, (size_t)made->n_metrics, sizeof *made->metrics, compare_metrics);
    mplan_status status = mplan_planning_conflicts(p, err);
    if (!status)
        status = mplan_planning_fingerprints(p, &made->fingerprints, err);
    if (!status)
        status = add_texts(p, err);
    if (!status && p->part)
        status = complete_part(p, err);
    if (!status)
        status = hand_over(p, err);
    if (!status && p->asked->device_memory > 0)
        status = mplan_planning_slabs(p, err);
    return !status ? mplan_plan_seal(made, err) : status;
}
