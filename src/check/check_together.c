/* SPDX-License-Identifier: Apache-2.0 */
/* check_together.c - parts that were proved one by one are together one plan of a mesh */
#include "check/check_bundle.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* By what both ends have; the end that receives comes second. */
static int compare_links(const void *left, const void *right)
{
    const mplan_bundle_link *a = left, *b = right;
    const int32_t x[] = {a->set, a->loop, a->to, a->from, a->importer};
    const int32_t y[] = {b->set, b->loop, b->to, b->from, b->importer};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The two ends of one link; they differ in who noted it. */
static bool is_pair(const mplan_bundle_link *a, const mplan_bundle_link *b)
{
    return a->set == b->set && a->loop == b->loop && a->to == b->to && a->from == b->from;
}

/* Each list has one other end, of equal length and hash. */
static mplan_status check_links(mplan_bundle_proof *bundle, mplan_error *err)
{
    mplan_bundle_link *all = bundle->links.data;
    const int64_t n = bundle->links.count;
    if (n > 0)
        qsort(all, (size_t)n, sizeof *all, compare_links);
    for (int64_t i = 0; i < n; i += 2) {
        const char *set = bundle->source->sets[all[i].set].name;
        char of[MPLAN_ERROR_TEXT / 4] = "";
        if (all[i].loop >= 0)
            snprintf(of, sizeof of, "loop %s, ", bundle->loops[all[i].loop]);
        if (i + 1 == n || !is_pair(&all[i], &all[i + 1]))
            return all[i].importer
                       ? MPLAN_DISPROVED(err,
                                         "%sset %s: part %d imports from part %d, which exports "
                                         "nothing to it",
                                         of, set, (int)all[i].to, (int)all[i].from)
                       : MPLAN_DISPROVED(err,
                                         "%sset %s: part %d exports to part %d, which imports nothing "
                                         "from it",
                                         of, set, (int)all[i].from, (int)all[i].to);
        if (all[i].n != all[i + 1].n)
            return MPLAN_DISPROVED(err,
                                   "%sset %s: part %d imports %" PRId64
                                   " members from part %d, which exports %" PRId64 " to it",
                                   of, set, (int)all[i].to, all[i + 1].n, (int)all[i].from, all[i].n);
        if (all[i].hash != all[i + 1].hash && all[i].loop == MPLAN_BUNDLE_RINGS)
            return MPLAN_DISPROVED(err,
                                   "set %s: rings, rows, or entries that lead to members which part "
                                   "%d has of part %d, are not what that part has of them",
                                   set, (int)all[i].to, (int)all[i].from);
        if (all[i].hash != all[i + 1].hash)
            return MPLAN_DISPROVED(err,
                                   "%sset %s: what part %d imports from part %d is not what that part "
                                   "exports, or not in its order",
                                   of, set, (int)all[i].to, (int)all[i].from);
    }
    return MPLAN_OK;
}

/* After all parts: what they owe part p is what p has. Counts first, since they make the better sentence. */
static mplan_status check_rows(const mplan_bundle_proof *bundle, mplan_error *err)
{
    const mplan_parts_source *source = bundle->source;
    for (int32_t p = 0; p < source->n_parts; p++)
        for (int32_t s = 0; s < source->n_sets; s++) {
            const mplan_shared_rows *rows = &bundle->rows[(int64_t)p * source->n_sets + s];
            if (rows->due != rows->found)
                return MPLAN_DISPROVED(err,
                                       "part %d: the execute halo of %s has %" PRId64
                                       " elements, but %" PRId64
                                       " elements of other parts change points that it owns",
                                       (int)p, source->sets[s].name, rows->found, rows->due);
            if (rows->due_hash != rows->found_hash)
                return MPLAN_DISPROVED(err,
                                       "part %d: rows of the execute halo of %s are not those that "
                                       "their owners have",
                                       (int)p, source->sets[s].name);
        }
    return MPLAN_OK;
}

/* No row of a map is lost between parts. */
static mplan_status check_entries(const mplan_bundle_proof *bundle, mplan_error *err)
{
    for (int32_t m = 0; m < bundle->source->n_maps; m++)
        if (bundle->entries[m] != bundle->source->maps[m].entries)
            return MPLAN_DISPROVED(err,
                                   "map %s has %" PRId64
                                   " entries in all parts together, but the manifest has %" PRId64,
                                   bundle->source->maps[m].name, bundle->entries[m],
                                   bundle->source->maps[m].entries);
    return MPLAN_OK;
}

/* Sums of what parts own are totals, and no member is owned twice: so each is owned once. */
mplan_status mplan_bundle_check_bases(const mplan_parts_source *source, mplan_error *err)
{
    for (int32_t s = 0; s < source->n_sets; s++) {
        const mplan_bundle_set *set = &source->sets[s];
        bool good = set->total >= 0 && set->base[0] == 0 && set->base[source->n_parts] == set->total;
        for (int32_t p = 0; p < source->n_parts && good; p++)
            good = set->base[p] <= set->base[p + 1];
        if (!good)
            return MPLAN_DISPROVED(err, "set %s: bases do not ascend from 0 to %" PRId64, set->name,
                                   set->total);
    }
    return MPLAN_OK;
}

mplan_status mplan_bundle_check_together(mplan_bundle_proof *bundle, mplan_error *err)
{
    assert(bundle && bundle->source);
    mplan_status status = check_entries(bundle, err);
    if (!status)
        status = check_links(bundle, err);
    return status ? status : check_rows(bundle, err);
}
