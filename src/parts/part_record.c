/* SPDX-License-Identifier: Apache-2.0 */
/* part_record.c - section PARTS of a part's plan, and its lists of halos: formats/plan-format.md, kinds 17 and 176 to 190 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "parts/parts.h"

/* One set of the part, and one side of it: the imports of its own halo, or the exports into
 * those of others. Borrows everything; links are those of this part and set, by the part at the
 * other end. */
typedef struct side {
    const mplan_part_mesh *of;
    int32_t set;
    bool out; /* exports */
    const mplan_halo_links *links;
    const int32_t *orders; /* stored index by member of the part */
} side;

/* The halo that a link is about. */
static const mplan_halo *halo_of(const side *w, const mplan_halo_link *link)
{
    return mplan_parts_halo(w->of->parts, link->to, w->set);
}

/* Stored index in this part of member k of the link's halo. An import lies behind what is owned,
 * in the order of the halo itself; an export is a member that this part owns, wherever its order
 * has put it. */
static int32_t stored(const side *w, const mplan_halo *halo, int64_t k)
{
    return w->out ? w->orders[mplan_part_mesh_local(w->of, w->set, halo->member[k])]
                  : (int32_t)(w->of->owned[w->set] + k);
}

/* Whether a loop reads member k of a halo; loop -1 is every loop, and every member of the halo
 * counts. */
static bool is_read_by(const side *w, const mplan_halo *halo, int64_t k, int32_t loop)
{
    return loop < 0 || (halo->reads[k * w->of->parts->read_bytes + loop / 8] >> loop % 8 & 1);
}

/* The members of a link that a loop reads (-1: all): stored indices and numbers in the whole
 * mesh; returns how many. Both arrays have room for the whole link. First the execute halo, then
 * the read halo: both ends list members in this order, which is what makes their messages and
 * hashes agree. */
static int64_t list_link(const side *w, const mplan_halo_link *link, int32_t loop, int32_t *index,
                         int64_t *ids)
{
    const mplan_halo *halo = halo_of(w, link);
    int64_t n = 0;
    for (int way = 0; way < 2; way++) {
        const int64_t *range = way ? link->read : link->execute;
        for (int64_t k = range[0]; k < range[1]; k++)
            if (is_read_by(w, halo, k, loop)) {
                index[n] = stored(w, halo, k);
                ids[n++] = mplan_parts_id(w->of->parts, w->set, halo->member[k]);
            }
    }
    return n;
}

/* Lists of all links, one behind the other. offsets: n + 1, into index; hashes and parts: n, one
 * for each link; index: stored indices; ids: global ids of the link that is being listed, which
 * only its hash is made of. */
typedef struct lists {
    int64_t *offsets, *hashes, *ids;
    int32_t *parts, *index;
} lists;

/* The lists of one side for a loop (-1: for the set as a whole). *out: released by free_lists,
 * also after a failure. A link of which the loop reads nothing keeps an empty list, so that
 * lists of all loops have the same links. */
static mplan_status make_lists(const side *w, int32_t loop, lists *out, mplan_error *err)
{
    int64_t most = 0, at = 0;
    for (int32_t i = 0; i < w->links->n; i++)
        most += mplan_halo_link_size(&w->links->link[i]);
    *out = (lists){.offsets = mplan_alloc_zero(w->links->n + INT64_C(1), sizeof *out->offsets, err),
                   .hashes = mplan_alloc(w->links->n, sizeof *out->hashes, err),
                   .ids = mplan_alloc(most, sizeof *out->ids, err),
                   .parts = mplan_alloc(w->links->n, sizeof *out->parts, err),
                   .index = mplan_alloc(most, sizeof *out->index, err)};
    if (!out->offsets || !out->hashes || !out->ids || !out->parts || !out->index)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < w->links->n; i++) {
        const mplan_halo_link *link = &w->links->link[i];
        const int64_t n = list_link(w, link, loop, out->index + at, out->ids);
        out->parts[i] = w->out ? link->to : link->from;
        out->hashes[i] = (int64_t)mplan_hash(out->ids, (size_t)n * sizeof *out->ids);
        out->offsets[i + 1] = at += n;
    }
    return MPLAN_OK;
}

/* What was taken is NULL by now. */
static void free_lists(lists *all)
{
    free(all->offsets);
    free(all->hashes);
    free(all->ids);
    free(all->parts);
    free(all->index);
}

/* Hands an array to the plan, which owns it also after a failure. array: the address of the
 * pointer, which is NULL afterwards. */
static mplan_status take(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows,
                         int64_t cols, void *array, mplan_error *err)
{
    void *data = *(void **)array;
    *(void **)array = NULL;
    return mplan_plan_take_array(plan, key, type, rows, cols, data, err);
}

/* Stored indices of both ranges of each import, 4 a link (kind 177). They follow one another
 * without gaps, as the links go through the halo in its own order: from owned to executed, then
 * from there to the end. */
static mplan_status add_ranges(const side *w, mplan_plan *plan, mplan_error *err)
{
    const int64_t n = w->links->n, owned = w->of->owned[w->set];
    int64_t *ranges = mplan_alloc_zero(4 * n, sizeof *ranges, err);
    if (!ranges)
        return MPLAN_ERR_MEMORY;
    int64_t execute = owned,
            read = owned + mplan_parts_halo(w->of->parts, w->of->part, w->set)->n_execute;
    for (int64_t i = 0; i < n; i++) {
        const mplan_halo_link *link = &w->links->link[i];
        int64_t *range = ranges + 4 * i;
        range[0] = execute;
        range[1] = execute += link->execute[1] - link->execute[0];
        range[2] = read;
        range[3] = read += link->read[1] - link->read[0];
    }
    return take(plan, mplan_key_of_set(MPLAN_KIND_IMPORT_RANGES, w->set), MPLAN_TYPE_I64, n, 4,
                &ranges, err);
}

/* Kind 189, or 190: at which ring around the importer each member is, in the order of its halo, or of the exports. */
static mplan_status add_rings(const side *w, mplan_plan *plan, mplan_error *err)
{
    const mplan_halo *own = mplan_parts_halo(w->of->parts, w->of->part, w->set);
    int64_t n = w->out ? 0 : own->n, at = 0;
    for (int32_t i = 0; i < w->links->n && w->out; i++)
        n += mplan_halo_link_size(&w->links->link[i]);
    uint8_t *rings = mplan_alloc(n, 1, err);
    if (!rings)
        return MPLAN_ERR_MEMORY;
    if (!w->out && n > 0)
        memcpy(rings, own->ring, (size_t)n);
    for (int32_t i = 0; i < w->links->n && w->out; i++)
        for (int way = 0; way < 2; way++) {
            const mplan_halo_link *link = &w->links->link[i];
            const int64_t *range = way ? link->read : link->execute;
            for (int64_t k = range[0]; k < range[1]; k++)
                rings[at++] = halo_of(w, link)->ring[k];
        }
    return take(plan,
                mplan_key_of_set(w->out ? MPLAN_KIND_EXPORT_RINGS : MPLAN_KIND_HALO_RINGS, w->set),
                MPLAN_TYPE_U8, n, 1, &rings, err);
}

/* Kinds 176 to 178, or 179 to 182. Imports need no indices: what comes from one part are two
 * ranges of the stored order. What leaves lies anywhere among the owned members, and is listed. */
static mplan_status add_side(const side *w, mplan_plan *plan, mplan_error *err)
{
    lists all;
    const int64_t n = w->links->n;
    mplan_status status = make_lists(w, -1, &all, err);
    if (!status)
        status = take(plan,
                      mplan_key_of_set(w->out ? MPLAN_KIND_EXPORT_PARTS : MPLAN_KIND_IMPORT_PARTS,
                                       w->set),
                      MPLAN_TYPE_I32, n, 1, &all.parts, err);
    if (!status)
        status = take(plan,
                      mplan_key_of_set(w->out ? MPLAN_KIND_EXPORT_HASHES : MPLAN_KIND_IMPORT_HASHES,
                                       w->set),
                      MPLAN_TYPE_I64, n, 1, &all.hashes, err);
    if (!status && w->out)
        status = take(plan, mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, w->set), MPLAN_TYPE_I32,
                      all.offsets[n], 1, &all.index, err);
    if (!status && w->out)
        status = take(plan, mplan_key_of_set(MPLAN_KIND_EXPORT_OFFSETS, w->set), MPLAN_TYPE_I64,
                      n + 1, 1, &all.offsets, err);
    free_lists(&all);
    if (!status && w->of->parts->whole.p.asked->rings > 0)
        status = add_rings(w, plan, err);
    return status || w->out ? status : add_ranges(w, plan, err);
}

/* Kinds 183 to 185, or 186 to 188, of one loop: it may read less than the halo, also of imports,
 * which are lists here. */
static mplan_status add_loop_side(const side *w, int32_t loop, mplan_plan *plan, mplan_error *err)
{
    static const mplan_kind kinds[2][3] = {
        {MPLAN_KIND_LOOP_IMPORT_OFFSETS, MPLAN_KIND_LOOP_IMPORTS, MPLAN_KIND_LOOP_IMPORT_HASHES},
        {MPLAN_KIND_LOOP_EXPORT_OFFSETS, MPLAN_KIND_LOOP_EXPORTS, MPLAN_KIND_LOOP_EXPORT_HASHES}};
    const mplan_kind *kind = kinds[w->out];
    const int64_t n = w->links->n;
    lists all;
    mplan_status status = make_lists(w, loop, &all, err);
    if (!status)
        status = take(plan, mplan_key_of_loop_set(kind[1], w->set, loop), MPLAN_TYPE_I32,
                      all.offsets[n], 1, &all.index, err);
    if (!status)
        status = take(plan, mplan_key_of_loop_set(kind[2], w->set, loop), MPLAN_TYPE_I64, n, 1,
                      &all.hashes, err);
    if (!status)
        status = take(plan, mplan_key_of_loop_set(kind[0], w->set, loop), MPLAN_TYPE_I64, n + 1, 1,
                      &all.offsets, err);
    free_lists(&all);
    return status;
}

/* Members that the stored order begins with and that need nothing of others: up to the first of
 * group 1, wherever its block is. All owned ones where there is none. */
static int64_t count_inner(const side *w)
{
    const int64_t owned = w->of->owned[w->set];
    int64_t inner = owned;
    for (int64_t i = 0; i < mplan_mesh_set(w->of->mesh, w->set).size; i++)
        if (w->of->group[w->set][i] == 1 && w->orders[i] < inner)
            inner = w->orders[i];
    return inner;
}

/* The record of the set in section PARTS. in, out: both sides of the same set of the same part. */
static mplan_part_set describe(const side *in, const side *out)
{
    const mplan_parts *parts = in->of->parts;
    const int32_t part = in->of->part;
    mplan_part_set about = {.parts = parts->n_parts,
                            .part = part,
                            .total = parts->base[in->set][parts->n_parts],
                            .base = parts->base[in->set][part],
                            .owned = in->of->owned[in->set],
                            .inner = count_inner(in),
                            .executed = in->of->owned[in->set] +
                                        mplan_parts_halo(parts, part, in->set)->n_execute,
                            .imports = in->links->n,
                            .exports = out->links->n};
    for (int32_t i = 0; i < out->links->n; i++)
        about.exported += mplan_halo_link_size(&out->links->link[i]);
    return about;
}

mplan_status mplan_part_record(void *user, mplan_plan *plan, const int32_t *const *orders,
                               mplan_error *err)
{
    assert(user && plan && orders);
    const mplan_part_mesh *of = user;
    const int32_t n_sets = mplan_plan_n_sets(plan);
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < n_sets && !status; s++) {
        const int64_t at = (int64_t)of->part * n_sets + s;
        const side in = {of, s, false, &of->parts->imports[at], orders[s]};
        const side out = {of, s, true, &of->parts->exports[at], orders[s]};
        const mplan_part_set about = describe(&in, &out);
        mplan_plan_set_part(plan, s, &about);
        status = add_side(&in, plan, err);
        if (!status)
            status = add_side(&out, plan, err);
        for (int32_t l = 0; l < mplan_plan_n_loops(plan) && !status; l++) {
            if (!mplan_plan_loop_reads(plan, l, s))
                continue;
            status = add_loop_side(&in, l, plan, err);
            if (!status)
                status = add_loop_side(&out, l, plan, err);
        }
    }
    return status;
}
