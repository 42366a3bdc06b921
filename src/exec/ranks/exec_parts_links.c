/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_links.c - which members go from which part to which, as the plans of the parts say */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

/* The rank that owns part p. */
static int32_t rank_of(const mplan_exec_parts *parts, int32_t p)
{
    int32_t low = 0, high = parts->ranks;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (parts->first_part[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Number of part p among those that are open here; -1: it is elsewhere. */
static int32_t here_of(const mplan_exec_parts *parts, int32_t p)
{
    const int32_t i = p - parts->here[0].part;
    return i >= 0 && i < parts->n_here ? i : -1;
}

/* By the ranks first: links of one pair of ranks follow one another and make one message, and both ends number them
 * alike. */
static int compare_links(const void *left, const void *right)
{
    const mplan_link *a = left, *b = right;
    const int32_t x[] = {a->from_rank, a->to_rank, a->to, a->from, a->set};
    const int32_t y[] = {b->from_rank, b->to_rank, b->to, b->from, b->set};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Both parts by number, by rank and by place among those that are here (-1: on another rank); lists are filled by the
 * end that has the plan. */
static mplan_link new_link(const mplan_exec_parts *parts, int32_t to, int32_t from, int32_t set)
{
    return (mplan_link){.to = to,
                        .from = from,
                        .to_rank = rank_of(parts, to),
                        .from_rank = rank_of(parts, from),
                        .to_here = here_of(parts, to),
                        .from_here = here_of(parts, from),
                        .set = set};
}

/* Places of an import and a list must be of the set, and parts of the bundle: plans from files may say anything. */
static bool is_range(const int64_t range[2], int64_t first, int64_t end)
{
    return range[0] <= range[1] && (range[0] == range[1] || (range[0] >= first && range[1] <= end));
}

/* Where lists of two plans do not fit together: bundles are checked when they are made, so the file was changed since. */
static mplan_status wrong_link(const mplan_exec_parts *parts, int32_t i, int32_t set, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT,
                      "part %d: the halo lists of set %s lead out of the set; meshplan verify says "
                      "more",
                      (int)parts->here[i].part, mplan_plan_get_set(parts->here[i].plan, set)->name);
}

/* Imports of part i that is here, of one set. */
static mplan_status add_imports(const mplan_exec_parts *parts, int32_t i, int32_t set,
                                mplan_vector *links, mplan_error *err)
{
    const mplan_part_set *about = mplan_exec_parts_set(parts, i, set);
    const int64_t size = mplan_plan_get_set(parts->here[i].plan, set)->size;
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < about->imports && !status; k++) {
        const mplan_part_import in = mplan_plan_part_import(parts->here[i].plan, set, k);
        if (in.part < 0 || in.part >= parts->n_parts || in.part == parts->here[i].part ||
            !is_range(in.execute, about->owned, about->executed) ||
            !is_range(in.read, about->executed, size))
            return wrong_link(parts, i, set, err);
        mplan_link link = new_link(parts, parts->here[i].part, in.part, set);
        link.in = in;
        link.n = in.execute[1] - in.execute[0] + in.read[1] - in.read[0];
        if (link.n > 0)
            status = mplan_vector_push(links, &link, err);
    }
    return status;
}

/* Exports of part i, of one set. */
static mplan_status add_exports(const mplan_exec_parts *parts, int32_t i, int32_t set,
                                mplan_vector *links, mplan_error *err)
{
    const mplan_part_set *about = mplan_exec_parts_set(parts, i, set);
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < about->exports && !status; k++) {
        const mplan_part_list out = mplan_plan_part_export(parts->here[i].plan, set, k);
        if (out.part < 0 || out.part >= parts->n_parts || out.part == parts->here[i].part)
            return wrong_link(parts, i, set, err);
        for (int64_t m = 0; m < out.n; m++)
            if (out.index[m] < 0 || out.index[m] >= about->owned)
                return wrong_link(parts, i, set, err);
        mplan_link link = new_link(parts, out.part, parts->here[i].part, set);
        link.out = out.index;
        link.n = out.n;
        if (link.n > 0)
            status = mplan_vector_push(links, &link, err);
    }
    return status;
}

/* Links of which both ends are here were added twice: they become one. */
static mplan_status join_ends(mplan_exec_parts *parts, mplan_vector *all, mplan_error *err)
{
    mplan_link *link = all->data;
    int64_t n = 0;
    if (all->count > 0)
        qsort(link, (size_t)all->count, sizeof *link, compare_links);
    for (int64_t k = 0; k < all->count; k++) {
        const bool both = link[k].to_here >= 0 && link[k].from_here >= 0;
        mplan_link one = link[k];
        if (both) {
            const bool pair = k + 1 < all->count && compare_links(&link[k], &link[k + 1]) == 0;
            const mplan_link *other = &link[k + (pair ? 1 : 0)];
            if (!pair || other->n != one.n || !one.out == !other->out)
                return mplan_fail(err, MPLAN_ERR_CORRUPT,
                                  "set %s: part %d imports %lld members from part %d, which exports "
                                  "another number; meshplan verify says more",
                                  mplan_plan_get_set(parts->here[0].plan, one.set)->name,
                                  (int)one.to, (long long)one.n, (int)one.from);
            if (one.out)
                one.in = other->in;
            else
                one.out = other->out;
            k++;
        }
        if (one.to_rank == one.from_rank)
            parts->copies[parts->n_copies++] = one;
        else
            link[n++] = one;
    }
    parts->links = link;
    parts->n_links = n;
    return MPLAN_OK;
}

/* A channel for each pair of ranks that has links. */
static mplan_status open_channels(mplan_exec_parts *parts, mplan_error *err)
{
    parts->channels = mplan_alloc_zero(parts->n_links, sizeof *parts->channels, err);
    parts->in = mplan_alloc_zero(parts->n_links, sizeof *parts->in, err);
    parts->out = mplan_alloc_zero(parts->n_links, sizeof *parts->out, err);
    if (!parts->channels || !parts->in || !parts->out)
        return MPLAN_ERR_MEMORY;
    for (int64_t k = 0; k < parts->n_links; k++) {
        const mplan_link *link = &parts->links[k];
        if (k == 0 || link->from_rank != link[-1].from_rank || link->to_rank != link[-1].to_rank)
            parts->channels[parts->n_channels++] = (mplan_channel){
                .from_rank = link->from_rank, .to_rank = link->to_rank, .first = k};
        parts->channels[parts->n_channels - 1].end = k + 1;
    }
    return MPLAN_OK;
}

/* --- lists of stored indices ----------------------------------------------------------------- */

/* n stored indices, in memory of where the part's dats are. list: of the host, released here. */
static mplan_status keep_list(mplan_exec *exec, int32_t *list, int64_t n, int32_t **kept,
                              mplan_error *err)
{
    void *there = NULL;
    if (!mplan_exec_dats_on_device(exec)) {
        *kept = list;
        return MPLAN_OK;
    }
    mplan_status status = mplan_exec_use(exec, err);
    if (!status)
        status = mplan_exec_allocate(exec, n, sizeof *list, &there, err);
    *kept = there;
    if (!status)
        status = mplan_gpu_upload(there, list, n * (int64_t)sizeof *list, err);
    free(list);
    return status;
}

/* Both ends of a link, as far as they are here. */
static mplan_status place_link(const mplan_exec_parts *parts, mplan_link *link, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int end = 0; end < 2 && !status; end++) {
        const int32_t here = end ? link->from_here : link->to_here;
        const mplan_exec_one_part *part = here < 0 ? NULL : &parts->here[here];
        int64_t n = 0;
        if (!part || !part->place)
            continue;
        int32_t *list = mplan_alloc(link->n, sizeof *list, err);
        if (!list)
            return MPLAN_ERR_MEMORY;
        for (int64_t k = 0; end && k < link->n; k++)
            list[n++] = part->place[link->set][link->out[k]];
        for (int64_t p = link->in.execute[0]; !end && p < link->in.execute[1]; p++)
            list[n++] = part->place[link->set][p];
        for (int64_t p = link->in.read[0]; !end && p < link->in.read[1]; p++)
            list[n++] = part->place[link->set][p];
        status = keep_list(part->exec, list, n, end ? &link->out_list : &link->in_list, err);
    }
    return status;
}

static void drop_list(const mplan_exec_parts *parts, int32_t here, int32_t *list)
{
    if (list && mplan_exec_dats_on_device(parts->here[here].exec))
        mplan_exec_release(parts->here[here].exec, list);
    else
        free(list);
}

void mplan_exec_parts_unlink(mplan_exec_parts *parts)
{
    assert(parts);
    for (int64_t k = 0; k < parts->n_links + parts->n_copies; k++) {
        mplan_link *link = k < parts->n_links ? &parts->links[k] : &parts->copies[k - parts->n_links];
        drop_list(parts, link->to_here, link->in_list);
        drop_list(parts, link->from_here, link->out_list);
    }
}

/* --- all links ------------------------------------------------------------------------------- */

/* From the imports and exports of all plans that are here: links between ranks, copies within one, and a channel for
 * each rank that is sent to or heard from. Afterwards no halo list of a plan is read again. */
mplan_status mplan_exec_parts_link(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    mplan_vector all = MPLAN_VECTOR_INIT(sizeof(mplan_link));
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < parts->n_here && !status; i++)
        for (int32_t s = 0; s < mplan_plan_n_sets(parts->here[i].plan) && !status; s++) {
            status = add_imports(parts, i, s, &all, err);
            if (!status)
                status = add_exports(parts, i, s, &all, err);
        }
    if (!status) {
        parts->copies = mplan_alloc(all.count, sizeof *parts->copies, err);
        status = parts->copies ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = join_ends(parts, &all, err);
    if (!parts->links)
        free(all.data);
    for (int64_t k = 0; k < parts->n_links && !status; k++)
        status = place_link(parts, &parts->links[k], err);
    for (int64_t k = 0; k < parts->n_copies && !status; k++)
        status = place_link(parts, &parts->copies[k], err);
    return status ? status : open_channels(parts, err);
}
