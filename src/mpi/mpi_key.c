/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_key.c - hashes of all that the plan of a part is made from
 *
 * Nothing here is collective. What is hashed is in numbers of the whole mesh or in the order of
 * the part's own mesh: a part has the same key whatever rank plans it, and of however many
 * ranks. */
#include "mpi/mpi_key.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

/* NULL: the stream could not begin.
 * print is released; *key is undefined after a failure. Faults on the way are kept in print. */
static mplan_status finish(mplan_fingerprint *print, uint64_t *key, mplan_error *err)
{
    return mplan_fingerprint_end(print, key)
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (hash of a part)");
}

/* With its length before it, so that two texts are not taken for one. */
static void add_text(mplan_fingerprint *print, const char *text)
{
    mplan_fingerprint_i64(print, (int64_t)strlen(text));
    mplan_fingerprint_bytes(print, text, strlen(text));
}

/* Strategies, sums, predictions and layouts are in it, because a request that leaves them open says nothing about them, and
 * they follow from counts over the whole mesh, which the mesh of one part does not have.
 * request: text of the resolved request; compress changes the bytes of the plan files. */
mplan_status mpi_key_of_all(const mplan_parts *parts, const char *request, bool compress,
                            uint64_t *key, mplan_error *err)
{
    assert(parts && request && key);
    const planning *p = &parts->whole.p;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    if (!print)
        return finish(NULL, key, err);
    add_text(print, mplan_version());
    for (int32_t i = 0; mplan_library(i); i++)
        add_text(print, mplan_library(i));
    add_text(print, request);
    mplan_fingerprint_i64(print, compress);
    mplan_fingerprint_i64(print, parts->n_parts);
    mplan_fingerprint_i64(print, p->primary);
    for (int32_t l = 0; l < p->n_loops;
         l++) { /* what was left open may have been decided by the whole mesh */
        const planning_loop *loop = &p->loops[l];
        for (int32_t v = 0; v < loop->n_strategies; v++)
            mplan_fingerprint_i64(print, loop->strategies[v]);
        mplan_fingerprint_i64(print, loop->sums);
        mplan_fingerprint_i64(print, loop->round);
        for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
            mplan_fingerprint_bytes(print, &loop->view.seconds[s], sizeof loop->view.seconds[s]);
        for (int32_t a = 0; a < loop->loop->n_args; a++)
            mplan_fingerprint_i64(print, loop->arg_layout[a]);
    }
    return finish(print, key, err);
}

/* Members that a link moves, as numbers of the mesh, and which loops read them.
 * s: planning set. Both ranges, first the execute halo, each with its length before it. reads:
 * read_bytes for each member. */
static void add_link(mplan_fingerprint *print, const mplan_parts *parts, int32_t s,
                     const mplan_halo_link *link)
{
    const mplan_halo *halo = mplan_parts_halo(parts, link->to, s);
    mplan_fingerprint_i64(print, link->to);
    mplan_fingerprint_i64(print, link->from);
    for (int way = 0; way < 2; way++) {
        const int64_t *range = way ? link->read : link->execute;
        mplan_fingerprint_i64(print, range[1] - range[0]);
        for (int64_t k = range[0]; k < range[1]; k++)
            mplan_fingerprint_i64(print, mplan_parts_id(parts, s, halo->member[k]));
        mplan_fingerprint_bytes(print, halo->reads + range[0] * parts->read_bytes,
                                (size_t)((range[1] - range[0]) * parts->read_bytes));
    }
}

/* Both ends are in the plan of a part: what it gets, and what it has to send.
 * Links ascend by the part at the other end. */
static void add_links(mplan_fingerprint *print, const mplan_parts *parts, int32_t s,
                      const mplan_halo_links *links)
{
    mplan_fingerprint_i64(print, links->n);
    for (int32_t i = 0; i < links->n; i++)
        add_link(print, parts, s, &links->link[i]);
}

/* All arrays of the mesh of the part, in its order: numbers in the whole mesh, groups (which say what is owned and where a
 * member is in its halo), coordinates, rows. Two parts with one hash have one plan. */
mplan_status mpi_key_of_part(const mplan_part_mesh *room, uint64_t of_all, uint64_t *key,
                             mplan_error *err)
{
    assert(room && room->mesh && key);
    const mplan_parts *parts = room->parts;
    const int32_t n_sets = parts->whole.p.n_sets;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    if (!print)
        return finish(NULL, key, err);
    mplan_fingerprint_i64(print, (int64_t)of_all);
    mplan_fingerprint_i64(print, room->part);
    for (int32_t s = 0; s < n_sets; s++) {
        const mplan_mesh_set_data *set = &room->mesh->sets[s];
        const int64_t at = (int64_t)room->part * n_sets + s;
        mplan_fingerprint_i64(print, set->size);
        mplan_fingerprint_i64(print, room->owned[s]);
        mplan_fingerprint_i64(print, parts->base[s][room->part]);
        mplan_fingerprint_i64(print, parts->base[s][parts->n_parts]);
        mplan_fingerprint_bytes(print, set->global_ids, (size_t)set->size * sizeof *set->global_ids);
        mplan_fingerprint_i32s(print, room->group[s], set->size);
        mplan_fingerprint_i64(print, set->dimension);
        if (set->coordinates)
            mplan_fingerprint_bytes(print, set->coordinates,
                                    (size_t)(set->size * set->dimension) * sizeof *set->coordinates);
        add_links(print, parts, s, &parts->imports[at]);
        add_links(print, parts, s, &parts->exports[at]);
    }
    for (int32_t m = 0; m < mplan_mesh_n_maps(room->mesh); m++) {
        const mplan_map map = mplan_mesh_map(room->mesh, m);
        if (map.offsets)
            mplan_fingerprint_bytes(print, map.offsets,
                                    (size_t)(map.n_rows + 1) * sizeof *map.offsets);
        mplan_fingerprint_i32s(print, map.values, mplan_map_entries(&map));
    }
    return finish(print, key, err);
}
