/* SPDX-License-Identifier: Apache-2.0 */
/* foam_decomposed.c - the parts of a decomposed OpenFOAM case, joined to the mesh that they were cut from
 *
 * decomposePar leaves in each part which points, faces and cells of the whole it has (pointProcAddressing,
 * faceProcAddressing, cellProcAddressing): the mesh that is made has their numbers, so that it is the one that
 * reconstructParMesh would write. Parts without them, as of meshes that were made in parallel, are refused. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/name_table.h"
#include "formats/foam/foam_parts.h"
#include "mesh/mesh.h"

enum { POINTS, FACES, CELLS, N_KINDS };
static const char *const words[N_KINDS] = {"points", "faces", "cells"};

/* Which points, faces and cells of the whole a part has; of faces ~number: it is turned.
 * number[kind]: n[kind] entries, the number in the whole of the part's point, face or cell at that place, from 0. */
typedef struct addresses {
    int32_t *number[N_KINDS];
    int64_t n[N_KINDS];
} addresses;

/* The parts, and the whole mesh while it grows. */
typedef struct joiner {
    const mplan_foam_decomposed *parts;
    const mplan_input *inputs; /* or NULL: the folders */
    const char *path;
    const mplan_context *context;
    mplan_vector own;   /* addresses, for each part */
    int64_t n[N_KINDS]; /* of the whole */
    double *xyz;
    int32_t *seen_point, *seen_cell;    /* the last part that has it, from 1; 0: none */
    int64_t *begin;                     /* of each face in nodes; -1: not seen */
    int32_t *size;                      /* nodes of each face */
    mplan_vector nodes;                 /* int32_t */
    int32_t *owner, *neighbour, *patch; /* of each face; -1: none so far */
    mplan_foam_boundary patches;
    mplan_name_table names; /* of patches */
    mplan_vector zones;     /* mplan_foam_zone */
    int64_t part;           /* at hand */
} joiner;

typedef mplan_status (*read_part)(joiner *j, const mplan_foam_source *source, mplan_error *err);

/* kind: POINTS, FACES or CELLS, whose list the part lacks: nothing then says where its members belong. */
static mplan_status fail_unaddressed(const mplan_foam_source *source, int32_t kind, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: the part does not say which %s of the whole mesh it has (files "
                      "*ProcAddressing); join the parts with reconstructParMesh",
                      source->folder, words[kind]);
}

/* All parts of the blocks that a file has.
 * which: a file that each part has, so that its blocks are counted. j->part goes up by one with each block: it is
 * the number of the part over all collated files. */
static mplan_status read_blocks(joiner *j, mplan_foam_source *source, int32_t which, read_part read,
                                mplan_error *err)
{
    mplan_foam_blocks *blocks = mplan_alloc_zero(1, sizeof *blocks, err);
    if (!blocks)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_foam_blocks_open(source, blocks, err);
    source->blocks = blocks;
    if (!status && which == MPLAN_FOAM_CELL_ADDRESSES && !blocks->there[which])
        status = fail_unaddressed(source, CELLS, err);
    while (!status && mplan_foam_blocks_more(blocks, which)) {
        status = read(j, source, err);
        j->part++;
    }
    mplan_foam_blocks_close(blocks);
    free(blocks);
    return status;
}

/* Part after part. which: a file that all parts have.
 * j->part is the number of the part while `read` runs: folders are in the order of their parts. */
static mplan_status for_parts(joiner *j, int32_t which, read_part read, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    j->part = 0;
    for (int64_t i = 0; i < j->parts->n && !status; i++) {
        mplan_foam_source source = {.folder = j->inputs ? j->path : j->parts->folders[i],
                                    .inputs = j->inputs,
                                    .part = true,
                                    .context = j->context};
        if (j->parts->collated) {
            status = read_blocks(j, &source, which, read, err);
        } else {
            status = read(j, &source, err);
            j->part++;
        }
        if (!status)
            status = mplan_interrupted(j->context, err);
    }
    return status;
}

/* --- addresses -------------------------------------------------------------------------- */

/* Faces are numbered from 1, with a minus where they are turned.
 * own->number[kind] is allocated here, counts from 0 afterwards, and is the caller's, also after a failure.
 * j->n[kind] becomes at least the largest number of the whole plus one. */
static mplan_status take_addresses(joiner *j, mplan_foam_file *file, int32_t kind, addresses *own,
                                   mplan_error *err)
{
    const bool faces = kind == FACES;
    const int64_t most = file->end - file->begin; /* `n { value }` could ask for any number of them */
    mplan_status status = mplan_foam_labels(file, "addresses of a part", faces ? -INT32_MAX : 0,
                                            INT32_MAX, most, &own->number[kind], &own->n[kind], err);
    if (!status)
        status = mplan_foam_end(file, err);
    for (int64_t i = 0; i < own->n[kind] && !status; i++) {
        int32_t *number = &own->number[kind][i];
        if (faces && *number == 0)
            return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT,
                                   "entry %lld of the addresses of faces is 0", (long long)i);
        if (faces)
            *number = *number > 0 ? *number - 1 : *number; /* -k is ~(k - 1) */
        int64_t of = *number < 0 ? ~*number : *number;
        j->n[kind] = of >= j->n[kind] ? of + 1 : j->n[kind];
    }
    return status;
}

/* The three lists of one part.
 * j->own takes them over: entry p is of part p. */
static mplan_status read_addresses(joiner *j, const mplan_foam_source *source, mplan_error *err)
{
    addresses own = {0};
    mplan_status status = MPLAN_OK;
    for (int32_t kind = 0; kind < N_KINDS && !status; kind++) {
        mplan_foam_file file;
        bool found = true;
        status = mplan_foam_open_source(source, MPLAN_FOAM_POINT_ADDRESSES + kind, &file, &found,
                                        err);
        if (!status && !found)
            status = fail_unaddressed(source, kind, err);
        if (status)
            break;
        status = take_addresses(j, &file, kind, &own, err);
        mplan_foam_close(&file);
    }
    if (!status)
        status = mplan_vector_push(&j->own, &own, err);
    for (int32_t kind = 0; kind < N_KINDS && status; kind++)
        free(own.number[kind]);
    return status;
}

/* Numbers that no part has would be holes: there are at least as many of each kind in the parts. */
static mplan_status check_totals(const joiner *j, mplan_error *err)
{
    const addresses *own = j->own.data;
    for (int32_t kind = 0; kind < N_KINDS; kind++) {
        int64_t total = 0;
        for (int64_t p = 0; p < j->own.count; p++)
            total += own[p].n[kind];
        if (total < j->n[kind])
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: the parts have %lld %s of the %lld that they refer to; join them "
                              "with reconstructParMesh",
                              j->path, (long long)total, words[kind], (long long)j->n[kind]);
    }
    return MPLAN_OK;
}

/* Room for the whole.
 * Arrays over the points, cells and faces of the whole, in which nothing is seen yet; release frees them.
 * Entries of xyz and size are undefined until a part fills them; check_whole refuses what no part filled. */
static mplan_status make_whole(joiner *j, mplan_error *err)
{
    const int64_t n = j->n[FACES];
    j->xyz = mplan_alloc(j->n[POINTS], 3 * sizeof *j->xyz, err);
    j->seen_point = mplan_alloc_zero(j->n[POINTS], sizeof *j->seen_point, err);
    j->seen_cell = mplan_alloc_zero(j->n[CELLS], sizeof *j->seen_cell, err);
    j->begin = mplan_alloc(n, sizeof *j->begin, err);
    j->size = mplan_alloc(n, sizeof *j->size, err);
    j->owner = mplan_alloc(n, sizeof *j->owner, err);
    j->neighbour = mplan_alloc(n, sizeof *j->neighbour, err);
    j->patch = mplan_alloc(n, sizeof *j->patch, err);
    if (!j->xyz || !j->seen_point || !j->seen_cell || !j->begin || !j->size || !j->owner ||
        !j->neighbour || !j->patch)
        return MPLAN_ERR_MEMORY;
    for (int64_t f = 0; f < n; f++) {
        j->begin[f] = -1;
        j->owner[f] = j->neighbour[f] = j->patch[f] = -1;
    }
    return MPLAN_OK;
}

/* --- one part --------------------------------------------------------------------------- */

/* reason: the sentence up to the number, which is of a point, cell or face of the whole, or of a part. */
static mplan_status fail_part(const joiner *j, const mplan_foam_source *source, const char *reason,
                              int64_t number, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_MESH, "%s: part %lld: %s %lld", source->folder,
                      (long long)j->part, reason, (long long)number);
}

/* Lists of addresses are as long as what they are for. */
static mplan_status check_lengths(const joiner *j, const mplan_foam_source *source,
                                  const mplan_foam_mesh *foam, const addresses *own, mplan_error *err)
{
    const int64_t n[N_KINDS] = {foam->n_points, foam->n_faces, foam->n_cells};
    for (int32_t kind = 0; kind < N_KINDS; kind++)
        if (own->n[kind] != n[kind])
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: part %lld: there are %lld addresses of %lld %s", source->folder,
                              (long long)j->part, (long long)own->n[kind], (long long)n[kind],
                              words[kind]);
    return MPLAN_OK;
}

/* A part has each point and cell of the whole once, and a cell is in one part.
 * A point may be in several parts, so its stamp is the part's number from 1: nothing is cleared between parts. */
static mplan_status mark_seen(joiner *j, const mplan_foam_source *source, const addresses *own,
                              mplan_error *err)
{
    const int32_t stamp = (int32_t)j->part + 1;
    for (int64_t p = 0; p < own->n[POINTS]; p++) {
        int32_t *seen = &j->seen_point[own->number[POINTS][p]];
        if (*seen == stamp)
            return fail_part(j, source, "two of its points are point", own->number[POINTS][p], err);
        *seen = stamp;
    }
    for (int64_t c = 0; c < own->n[CELLS]; c++) {
        int32_t *seen = &j->seen_cell[own->number[CELLS][c]];
        if (*seen != 0)
            return fail_part(j, source, "it has, or an earlier part, cell", own->number[CELLS][c],
                             err);
        *seen = stamp;
    }
    return MPLAN_OK;
}

/* Points, and the nodes of faces that no part before had; a turned face keeps its first node. */
static mplan_status add_shapes(joiner *j, const mplan_foam_mesh *foam, const addresses *own,
                               mplan_error *err)
{
    for (int64_t p = 0; p < foam->n_points; p++) {
        memcpy(j->xyz + 3 * own->number[POINTS][p], foam->xyz + 3 * p, 3 * sizeof *j->xyz);
    }
    for (int64_t f = 0; f < foam->n_faces; f++) {
        int32_t g = own->number[FACES][f];
        const bool turned = g < 0;
        g = turned ? ~g : g;
        if (j->begin[g] >= 0)
            continue;
        const int32_t *nodes = foam->nodes + foam->offsets[f];
        const int32_t n = (int32_t)(foam->offsets[f + 1] - foam->offsets[f]);
        int32_t *to = mplan_vector_reserve(&j->nodes, n, err);
        if (!to)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < n; k++)
            to[k] = own->number[POINTS][nodes[turned && k > 0 ? n - k : k]];
        j->begin[g] = j->nodes.count;
        j->size[g] = n;
        j->nodes.count += n;
    }
    return MPLAN_OK;
}

/* Face g of the whole has the cell on one side, which must be free. */
static mplan_status set_side(joiner *j, const mplan_foam_source *source, int32_t g, bool is_owner,
                             int32_t cell, mplan_error *err)
{
    int32_t *side = is_owner ? &j->owner[g] : &j->neighbour[g];
    if (*side >= 0)
        return fail_part(j, source, "two cells are on one side of face", g, err);
    *side = cell;
    return MPLAN_OK;
}

/* Faces between cells of the part.
 * Where the part has a face turned, its owner is the neighbour in the whole. */
static mplan_status add_inner(joiner *j, const mplan_foam_source *source,
                              const mplan_foam_mesh *foam, const addresses *own, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t f = 0; f < foam->n_inner && !status; f++) {
        int32_t g = own->number[FACES][f];
        const bool turned = g < 0;
        g = turned ? ~g : g;
        status = set_side(j, source, g, !turned, own->number[CELLS][foam->owner[f]], err);
        if (!status)
            status = set_side(j, source, g, turned, own->number[CELLS][foam->neighbour[f]], err);
    }
    return status;
}

/* The patch of the whole case of that name, made at its first use with the groups that name it. */
static mplan_status patch_of(joiner *j, const mplan_foam_boundary *from, int64_t p, int64_t *index,
                             mplan_error *err)
{
    const mplan_foam_read_patch *patch = (const mplan_foam_read_patch *)from->patches.data + p;
    const mplan_foam_membership *of = from->memberships.data;
    const bool cyclic = patch->side == MPLAN_FOAM_CYCLIC_PART;
    const char *name = cyclic && patch->refers ? patch->refers : patch->name;
    *index = mplan_name_find(&j->names, name, strlen(name));
    if (*index >= 0)
        return MPLAN_OK;
    mplan_foam_read_patch made = {mplan_strdup(name, err), NULL, 0, 0, MPLAN_FOAM_OUTSIDE};
    *index = j->patches.patches.count;
    if (!made.name || mplan_vector_push(&j->patches.patches, &made, err)) {
        free(made.name);
        return MPLAN_ERR_MEMORY;
    }
    mplan_status status = mplan_name_put(&j->names, made.name, strlen(made.name), *index, err);
    for (int64_t i = 0; i < from->memberships.count && !status && !cyclic; i++) {
        if (of[i].patch != p)
            continue;
        mplan_foam_membership one = {mplan_strdup(of[i].group, err), *index};
        if (!one.group || mplan_vector_push(&j->patches.memberships, &one, err)) {
            free(one.group);
            return MPLAN_ERR_MEMORY;
        }
    }
    return status;
}

/* Faces of a patch: of the case's boundary, or between two parts, where each part says one side.
 * p: a patch of `patches`. A part owns all faces of its patches; of a face between two parts that is turned it has the
 * neighbour of the whole. j->patch: only of faces of the case's boundary. */
static mplan_status add_patch(joiner *j, const mplan_foam_source *source,
                              const mplan_foam_mesh *foam, const addresses *own,
                              const mplan_foam_boundary *patches, int64_t p, mplan_error *err)
{
    const mplan_foam_read_patch *patch = (const mplan_foam_read_patch *)patches->patches.data + p;
    const bool between = patch->side == MPLAN_FOAM_PART;
    int64_t index = -1;
    mplan_status status = between ? MPLAN_OK : patch_of(j, patches, p, &index, err);
    for (int64_t f = patch->first; f < patch->first + patch->n && !status; f++) {
        int32_t g = own->number[FACES][f];
        const bool turned = g < 0;
        g = turned ? ~g : g;
        status = set_side(j, source, g, !(between && turned), own->number[CELLS][foam->owner[f]],
                          err);
        if (!between)
            j->patch[g] = (int32_t)index;
    }
    return status;
}

/* The boundary of one part. */
static mplan_status add_boundary(joiner *j, const mplan_foam_source *source,
                                 const mplan_foam_mesh *foam, const addresses *own, mplan_error *err)
{
    mplan_foam_boundary patches = MPLAN_FOAM_BOUNDARY_INIT;
    mplan_foam_file file;
    mplan_status status = mplan_foam_open_source(source, MPLAN_FOAM_BOUNDARY, &file, NULL, err);
    if (status)
        return status;
    status = mplan_foam_take_boundary(&file, foam->n_inner, foam->n_faces, true, &patches, err);
    mplan_foam_close(&file);
    for (int64_t p = 0; p < patches.patches.count && !status; p++)
        status = add_patch(j, source, foam, own, &patches, p, err);
    mplan_foam_boundary_free(&patches);
    return status;
}

/* Zones of the part, by the numbers of the whole. */
static mplan_status add_zones(joiner *j, const mplan_foam_source *source, const addresses *own,
                              mplan_error *err)
{
    static const int32_t kinds[MPLAN_FOAM_N_ZONED] = {CELLS, FACES, POINTS};
    mplan_status status = MPLAN_OK;
    for (int32_t of = 0; of < MPLAN_FOAM_N_ZONED && !status; of++) {
        mplan_foam_file file;
        bool found;
        status = mplan_foam_open_source(source, MPLAN_FOAM_CELL_ZONES + of, &file, &found, err);
        if (status || !found)
            continue;
        status = mplan_foam_take_zones(&file, (mplan_foam_zoned)of, own->n[kinds[of]],
                                       own->number[kinds[of]], &j->zones, err);
        mplan_foam_close(&file);
    }
    return status;
}

/* One part's mesh into the whole.
 * All addresses are known and the arrays of make_whole are there. */
static mplan_status read_one(joiner *j, const mplan_foam_source *source, mplan_error *err)
{
    mplan_foam_mesh foam = {0};
    if (j->part >= j->own.count)
        return fail_part(j, source, "there are addresses only of parts below", j->own.count, err);
    const addresses *own = (const addresses *)j->own.data + j->part;
    mplan_status status = mplan_foam_read_lists(source, &foam, err);
    if (!status)
        status = check_lengths(j, source, &foam, own, err);
    if (!status)
        status = mark_seen(j, source, own, err);
    if (!status)
        status = add_shapes(j, &foam, own, err);
    if (!status)
        status = add_inner(j, source, &foam, own, err);
    if (!status)
        status = add_boundary(j, source, &foam, own, err);
    if (!status)
        status = add_zones(j, source, own, err);
    mplan_foam_free_mesh(&foam);
    return status;
}

/* --- the whole -------------------------------------------------------------------------- */

/* Everything that is referred to is there, faces between cells come first, then patch by patch.
 * *n_inner: faces with a neighbour. `first` and `n` of each patch are set here: until now patches have no faces. */
static mplan_status check_whole(joiner *j, int64_t *n_inner, mplan_error *err)
{
    mplan_foam_read_patch *patch = j->patches.patches.data;
    int64_t last = -1;
    *n_inner = 0;
    for (int64_t p = 0; p < j->n[POINTS]; p++)
        if (!j->seen_point[p])
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: no part has point %lld", j->path,
                              (long long)p);
    for (int64_t f = 0; f < j->n[FACES]; f++) {
        const bool inner = j->neighbour[f] >= 0;
        if (j->owner[f] < 0)
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: no part has the owner of face %lld",
                              j->path, (long long)f);
        if (inner ? j->patch[f] >= 0 || f > *n_inner : j->patch[f] < last)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: face %lld of the parts is not where a face between cells, or of "
                              "its patch, is in a whole mesh",
                              j->path, (long long)f);
        if (!inner && j->patch[f] < 0)
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: no part has the neighbour of face %lld",
                              j->path, (long long)f);
        *n_inner += inner;
        last = inner ? -1 : j->patch[f];
        if (!inner && patch[last].n++ == 0)
            patch[last].first = f;
    }
    for (int64_t p = 0, first = *n_inner; p < j->patches.patches.count; p++) {
        patch[p].first = first; /* also of patches without faces */
        first += patch[p].n;
    }
    return MPLAN_OK;
}

/* Arrays of the joiner move to foam, faces in their order.
 * xyz, owner and neighbour leave j; nodes are copied, since parts brought them in the order of the parts. */
static mplan_status take_whole(joiner *j, mplan_foam_mesh *foam, mplan_error *err)
{
    int64_t n_inner, n = j->n[FACES], at = 0;
    mplan_status status = check_whole(j, &n_inner, err);
    if (status)
        return status;
    foam->offsets = mplan_alloc(n + 1, sizeof *foam->offsets, err);
    foam->nodes = mplan_alloc(j->nodes.count, sizeof *foam->nodes, err);
    if (!foam->offsets || !foam->nodes)
        return MPLAN_ERR_MEMORY;
    for (int64_t f = 0; f < n; f++) {
        foam->offsets[f] = at;
        memcpy(foam->nodes + at, (const int32_t *)j->nodes.data + j->begin[f],
               (size_t)j->size[f] * sizeof *foam->nodes);
        at += j->size[f];
    }
    foam->offsets[n] = at;
    foam->n_points = j->n[POINTS];
    foam->n_faces = n;
    foam->n_inner = n_inner;
    foam->n_cells = j->n[CELLS];
    foam->xyz = j->xyz;
    foam->owner = j->owner;
    foam->neighbour = j->neighbour;
    j->xyz = NULL;
    j->owner = j->neighbour = NULL;
    for (int64_t f = 0; f < n_inner; f++)
        if (foam->neighbour[f] <= foam->owner[f])
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: face %lld has the owner %d and the neighbour %d", j->path,
                              (long long)f, foam->owner[f], foam->neighbour[f]);
    return MPLAN_OK;
}

/* What the parts said becomes the mesh. */
static mplan_status add_whole(joiner *j, mplan_mesh *mesh, mplan_error *err)
{
    mplan_foam_mesh foam = {0};
    mplan_status status = take_whole(j, &foam, err);
    const int64_t n_inner = foam.n_inner, n_faces = foam.n_faces;
    if (!status)
        status = mplan_foam_add_mesh(&foam, j->path, mesh, j->context, err);
    if (!status)
        status = mplan_foam_add_boundary(&j->patches, n_inner, n_faces, mesh, err);
    if (!status)
        status = mplan_foam_add_zones(&j->zones, n_inner, mesh, err);
    mplan_foam_free_mesh(&foam);
    return status;
}

/* All that joining takes, as far as it was made. */
static void release(joiner *j)
{
    addresses *own = j->own.data;
    for (int64_t p = 0; p < j->own.count; p++)
        for (int32_t kind = 0; kind < N_KINDS; kind++)
            free(own[p].number[kind]);
    free(j->own.data);
    free(j->xyz);
    free(j->seen_point);
    free(j->seen_cell);
    free(j->begin);
    free(j->size);
    free(j->nodes.data);
    free(j->owner);
    free(j->neighbour);
    free(j->patch);
    mplan_name_table_free(&j->names);
    mplan_foam_boundary_free(&j->patches);
    mplan_foam_zones_free(&j->zones);
}

/* Two passes over the processors' folders: addresses first, to know how large the whole is and
 * that no cell is missing; then points, faces and patches, each put in its place. */
mplan_status mplan_foam_read_decomposed(const mplan_foam_decomposed *parts, const mplan_input *inputs,
                                        const char *path, const mplan_context *context,
                                        mplan_mesh *mesh, mplan_error *err)
{
    joiner j = {.parts = parts,
                .inputs = inputs,
                .path = path,
                .context = context,
                .own = MPLAN_VECTOR_INIT(sizeof(addresses)),
                .nodes = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                .patches = MPLAN_FOAM_BOUNDARY_INIT,
                .zones = MPLAN_VECTOR_INIT(sizeof(mplan_foam_zone))};
    mplan_status status = for_parts(&j, MPLAN_FOAM_CELL_ADDRESSES, read_addresses, err);
    if (!status)
        status = check_totals(&j, err);
    if (!status)
        status = make_whole(&j, err);
    if (!status)
        status = for_parts(&j, MPLAN_FOAM_POINTS, read_one, err);
    if (!status)
        status = add_whole(&j, mesh, err);
    release(&j);
    return status;
}
