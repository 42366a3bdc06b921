/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_piece.c - what came to a rank as a mesh whose members have the order of the whole mesh
 *
 * So everything that goes by numbers of members comes out as it does in the whole mesh. */
#include "mpi/mpi_piece.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "mpi/mpi_facts.h"

/* --- sets --------------------------------------------------------------------------------------- */

/* The planning set of a set of the mesh; -1: it is not in the plan. */
static int32_t planned_set(const planning *p, int32_t mesh_set)
{
    for (int32_t s = 0; s < p->n_sets; s++)
        if (p->sets[s].mesh_set == mesh_set)
            return s;
    return -1;
}

/* Likewise of a map. */
static int32_t planned_map(const planning *p, int32_t mesh_map)
{
    for (int32_t m = 0; m < p->n_maps; m++)
        if (p->maps[m].mesh_map == mesh_map)
            return m;
    return -1;
}

/* Members of parts [begin, end) by owner: a counting sort.
 * n: members of the set that came; owner: by these. parts->member[s]: out, numbers in the piece;
 * those of part q from base[q] - base[begin] on, ascending. Every member of these parts has come
 * by now. */
static mplan_status list_members(mplan_parts *parts, int32_t s, int64_t n, mplan_error *err)
{
    const int64_t *base = parts->base[s], from = base[parts->begin];
    int32_t *member = parts->member[s] = mplan_alloc(base[parts->end] - from, sizeof *member, err);
    int64_t *at = mplan_alloc(parts->end - parts->begin, sizeof *at, err);
    for (int32_t q = parts->begin; at && q < parts->end; q++)
        at[q - parts->begin] = base[q] - from;
    for (int64_t i = 0; member && at && i < n; i++) {
        const int32_t q = parts->owner[s][i];
        if (q >= parts->begin && q < parts->end)
            member[at[q - parts->begin]++] = (int32_t)i;
    }
    free(at);
    return member && at ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Layers of columns that differ, with which planning goes on: its own are those of the head, of no members. */
static mplan_status take_layers(mpi_moved_set *set, planning_set *of, mplan_mesh *piece,
                                mplan_error *err)
{
    if (!set->ranges && !set->mask)
        return MPLAN_OK;
    assert(of->layered == &of->file_layers);
    int32_t *ranges = set->ranges;
    set->ranges = NULL;
    mplan_status status = mplan_mesh_take_layers(piece, of->mesh_set, of->layered->layers, ranges,
                                                 err);
    if (status)
        return status;
    mplan_mesh_take_mask(piece, of->mesh_set, set->mask);
    set->mask = NULL;
    of->file_layers.ranges = piece->sets[of->mesh_set].ranges;
    of->file_layers.mask = piece->sets[of->mesh_set].mask;
    return MPLAN_OK;
}

/* Sets that are not in the plan stay, empty, so that numbers are those of the head. ids, owner and member are by planning
 * set.
 * ids[i]: the number in the whole mesh of member i of the piece; owner[i]: its part, n_parts
 * where it came by number only. Both, coordinates (zeros where none came) and layers are handed over by `move`; they belong to
 * `parts` and to the piece, also after a failure. */
static mplan_status add_set(mpi_move *move, int32_t mesh_set, const mplan_mesh *head,
                            mplan_parts *parts, mplan_mesh *piece, mplan_error *err)
{
    const mplan_mesh_set_data *from = &head->sets[mesh_set];
    const int32_t dimension = move->mesh->sets[mesh_set].dimension; /* of centroids, too */
    const int32_t s = planned_set(move->p, mesh_set);
    const int64_t n = s < 0 ? 0 : move->sets[s].n;
    if (n > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "set %s: this rank would have %lld members, and it can have 2^31 - 1; use more ranks",
                          from->name, (long long)n);
    mplan_status status = mplan_mesh_add_set(piece, from->name, n, NULL, err);
    if (status || s < 0)
        return status;
    mpi_moved_set *set = &move->sets[s];
    parts->ids[s] = set->ids;
    parts->owner[s] = set->owner;
    double *xyz = set->xyz;
    set->ids = NULL;
    set->owner = NULL;
    set->xyz = NULL;
    if (dimension > 0)
        status = mplan_mesh_take_coordinates(piece, mesh_set, dimension, xyz, err);
    if (!status)
        status = take_layers(set, &parts->whole.p.sets[s], piece, err);
    return status ? status : list_members(parts, s, n, err);
}

/* --- maps ------------------------------------------------------------------------------------------ */

/* Numbers in the piece of what rows name; -1 stays. ids: numbers of the mesh of the n points of the piece. Every point that a
 * row names is in the piece, at least by number. values: out, entries. */
static void find_points(const mpi_moved_map *rows, int64_t entries, const int64_t *ids, int64_t n,
                        int32_t *values)
{
    mpi_finder points;
    mpi_finder_open(ids, n, &points);
    for (int64_t i = 0; i < entries; i++)
        values[i] = rows->values[i] < 0 ? -1 : (int32_t)mpi_find(&points, rows->values[i]);
    mpi_finder_close(&points);
}

/* The sets are there by now. Maps that are not in the plan have no entries, or -1 where rows must have some. Rows of members
 * that came by number only have no entries; in a map of fixed arity these are -1. */
static mplan_status add_map(const mpi_move *move, int32_t mesh_map, const mplan_mesh *head,
                            const mplan_parts *parts, mplan_mesh *piece, mplan_error *err)
{
    const mplan_map map = mplan_mesh_map(head, mesh_map);
    const int32_t m = planned_map(move->p, mesh_map);
    const int64_t rows = mplan_mesh_set(piece, map.from).size;
    const mpi_moved_map *from = m < 0 ? NULL : &move->maps[m];
    const int64_t entries = map.arity ? rows * map.arity : from ? from->offsets[rows] : 0;
    int64_t *offsets = map.arity ? NULL : mplan_alloc_zero(rows + 1, sizeof *offsets, err);
    int32_t *values = map.arity || offsets ? mplan_alloc(entries, sizeof *values, err) : NULL;
    if (!values) {
        free(offsets);
        return MPLAN_ERR_MEMORY;
    }
    if (from && offsets)
        memcpy(offsets, from->offsets, (size_t)(rows + 1) * sizeof *offsets);
    for (int64_t i = 0; !from && i < entries; i++)
        values[i] = -1;
    if (from) {
        const int32_t to = move->p->maps[m].to;
        find_points(from, entries, parts->ids[to], move->sets[to].n, values);
    }
    return mplan_mesh_take_map(piece, map.name, map.from, map.to, map.arity, offsets, values, NULL,
                               err);
}

/* --- the piece --------------------------------------------------------------------------------------- */

/* A member's number in the piece ascends with its number in the whole mesh, which is what all ties in parts/ and in planning go
 * by; nothing else of the whole mesh is needed there.
 * Not collective: what is needed of other ranks has come. */
mplan_status mpi_piece_make(mpi_move *move, const mplan_mesh *head, mplan_parts *parts,
                            mplan_mesh **piece, mplan_error *err)
{
    assert(move && head && parts && piece && !*piece);
    mplan_status status = mplan_mesh_create(piece, err);
    if (!status)
        status = mplan_mesh_set_source(*piece, head->source, err);
    if (!status && head->zone)
        status = mplan_mesh_set_zone(*piece, head->zone, err);
    for (int32_t s = 0; s < head->n_sets && !status; s++)
        status = add_set(move, s, head, parts, *piece, err);
    for (int32_t m = 0; m < head->n_maps && !status; m++)
        status = add_map(move, m, head, parts, *piece, err);
    if (!status)
        parts->whole.p.mesh = *piece;
    return status;
}

/* parts->whole.p.mesh points to nothing afterwards, until the piece is made again. Arrays that `move` handed over go back. */
void mpi_piece_undo(mpi_move *move, mplan_parts *parts, mplan_mesh **piece)
{
    assert(move && parts && piece && *piece);
    const int32_t n_sets = parts->whole.p.n_sets;
    for (int32_t s = 0; s < n_sets; s++) {
        mplan_mesh_set_data *set = &(*piece)->sets[move->p->sets[s].mesh_set];
        move->sets[s].ids = parts->ids[s];
        move->sets[s].owner = parts->owner[s];
        move->sets[s].xyz = set->coordinates;
        set->coordinates = NULL;
        move->sets[s].ranges = set->ranges;
        move->sets[s].mask = set->mask;
        set->ranges = NULL;
        set->mask = NULL;
        free(parts->member[s]);
        parts->owner[s] = parts->member[s] = NULL;
        parts->ids[s] = NULL;
    }
    for (int64_t i = 0; parts->halo && i < (int64_t)parts->n_parts * n_sets; i++)
        free(parts->halo[i].member);
    free(parts->halo);
    parts->halo = NULL;
    mplan_mesh_free(*piece);
    *piece = NULL;
}

/* An owner of n_parts is the mark of such members.
 * lacking: by planning set, of int64_t, numbers of the whole mesh; a member may be there more
 * than once. */
mplan_status mpi_piece_lacking(const mplan_parts *parts, mplan_vector *lacking, mplan_error *err)
{
    assert(parts && parts->halo && lacking);
    mplan_status status = MPLAN_OK;
    for (int32_t q = parts->begin; q < parts->end; q++)
        for (int32_t s = 0; s < parts->whole.p.n_sets; s++) {
            const mplan_halo *halo = mplan_parts_halo(parts, q, s);
            for (int64_t k = 0; k < halo->n && !status; k++)
                if (parts->owner[s][halo->member[k]] == parts->n_parts)
                    status = mplan_vector_push(&lacking[s], &parts->ids[s][halo->member[k]], err);
        }
    return status;
}
