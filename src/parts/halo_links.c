/* SPDX-License-Identifier: Apache-2.0 */
/* halo_links.c - which parts the members of each halo come from: links between two parts, at both of their ends */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "parts/parts.h"

/* Where the members [begin, end) of a halo that one part owns end. */
static int64_t run_end(const mplan_parts *parts, int32_t set, const mplan_halo *halo, int64_t begin,
                       int64_t end)
{
    int64_t at = begin;
    while (at < end && parts->owner[set][halo->member[at]] == parts->owner[set][halo->member[begin]])
        at++;
    return at;
}

/* The owner of member `at`; INT32_MAX at the end of a halo, which is above every part, so that
 * the other halo goes on. */
static int32_t owner_at(const mplan_parts *parts, int32_t set, const mplan_halo *halo, int64_t at,
                        int64_t end)
{
    return at < end ? parts->owner[set][halo->member[at]] : INT32_MAX;
}

/* The owners of a halo, ascending, with their ranges in it. Links go to the part's imports and
 * to the owners' exports. Both halos are by owner: this merges them as two sorted lists.
 * imports, exports: vectors of links, of part q and set s at q * n_sets + s. */
static mplan_status link_halo(mplan_parts *parts, int32_t part, int32_t set, mplan_vector *imports,
                              mplan_vector *exports, mplan_error *err)
{
    const mplan_halo *halo = mplan_parts_halo(parts, part, set);
    const int32_t n_sets = parts->whole.p.n_sets;
    int64_t x = 0, r = halo->n_execute;
    mplan_status status = MPLAN_OK;
    while ((x < halo->n_execute || r < halo->n) && !status) {
        const int32_t by_x = owner_at(parts, set, halo, x, halo->n_execute);
        const int32_t by_r = owner_at(parts, set, halo, r, halo->n);
        mplan_halo_link link = {.to = part, .from = by_x < by_r ? by_x : by_r};
        if (by_x == link.from) {
            link.execute[0] = x;
            link.execute[1] = x = run_end(parts, set, halo, x, halo->n_execute);
        }
        if (by_r == link.from) {
            link.read[0] = r;
            link.read[1] = r = run_end(parts, set, halo, r, halo->n);
        }
        status = mplan_vector_push(&imports[(int64_t)part * n_sets + set], &link, err);
        if (!status)
            status = mplan_vector_push(&exports[(int64_t)link.from * n_sets + set], &link, err);
    }
    return status;
}

/* n empty vectors of links; NULL: out of memory. */
static mplan_vector *new_lists(int64_t n, mplan_error *err)
{
    mplan_vector *lists = mplan_alloc_zero(n, sizeof *lists, err);
    for (int64_t i = 0; lists && i < n; i++)
        lists[i].size = sizeof(mplan_halo_link);
    return lists;
}

/* Hands n vectors of links over to `to`, and releases the list of them. Either is NULL where its memory could
 * not be had; without both no vector holds anything. */
static void keep_links(mplan_vector *from, mplan_halo_links *to, int64_t n)
{
    for (int64_t i = 0; from && to && i < n; i++) {
        to[i].n = (int32_t)from[i].count;
        to[i].link = mplan_vector_take(&from[i]);
    }
    free(from);
}

/* All links of all parts. Parts are taken in ascending order, so that exports ascend by the part
 * at the other end. After a failure the links that are there go to `parts`, too, which releases
 * them. */
mplan_status mplan_parts_link_halos(mplan_parts *parts, mplan_error *err)
{
    assert(parts && parts->halo && !parts->imports && !parts->exports);
    const int32_t n_sets = parts->whole.p.n_sets;
    const int64_t n = (int64_t)parts->n_parts * n_sets;
    mplan_vector *imports = new_lists(n, err), *exports = new_lists(n, err);
    parts->imports = mplan_alloc_zero(n, sizeof *parts->imports, err);
    parts->exports = mplan_alloc_zero(n, sizeof *parts->exports, err);
    mplan_status status = imports && exports && parts->imports && parts->exports ? MPLAN_OK
                                                                                 : MPLAN_ERR_MEMORY;
    for (int32_t q = 0; q < parts->n_parts && !status; q++)
        for (int32_t s = 0; s < n_sets && !status; s++)
            status = link_halo(parts, q, s, imports, exports, err);
    keep_links(imports, parts->imports, n);
    keep_links(exports, parts->exports, n);
    return status;
}
