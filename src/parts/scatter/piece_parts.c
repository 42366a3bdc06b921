/* SPDX-License-Identifier: Apache-2.0 */
/* piece_parts.c - the part of a file as parts: a piece of the mesh with one part that can be planned
 *
 * Numbers of members are places in the piece, in which members ascend as they do in the whole
 * mesh. Lists were proved when the file was read (piece_read.c), and are not looked at again. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "parts/scatter/piece.h"
#include "pipeline/plan_request.h"

/* The part's members by number.
 * parts->member[s]: out, places of the members that the part owns, ascending; base says how many
 * they are. owner: by member of the piece, a part of all. */
static mplan_status list_members(mplan_parts *parts, const mplan_piece_set *set, int32_t s,
                                 mplan_error *err)
{
    const int64_t owned = set->base[parts->begin + 1] - set->base[parts->begin];
    int64_t at = 0;
    parts->member[s] = mplan_alloc(owned, sizeof **parts->member, err);
    if (!parts->member[s])
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < set->n; i++)
        if (set->owner[i] == parts->begin)
            parts->member[s][at++] = (int32_t)i;
    return MPLAN_OK;
}

/* A halo, of which the lists are copies.
 * part: whose halo it is. member: n places in the piece, the first `execute` of them the execute
 * halo; reads: n rows of read_bytes. parts releases the copies, also after a failure. */
static mplan_status fill_halo(mplan_parts *parts, int32_t part, int32_t s, int64_t execute, int64_t n,
                              const int32_t *member, const uint8_t *reads, mplan_error *err)
{
    mplan_halo *halo = mplan_parts_halo(parts, part, s);
    *halo = (mplan_halo){.n_execute = execute,
                         .n = n,
                         .member = mplan_copy(member, n, sizeof *member, err),
                         .reads = mplan_copy(reads, n, (size_t)parts->read_bytes, err)};
    return halo->member && halo->reads ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The part's halo, and what is in those of others.
 * Exported members of all links lie one behind the other, those of the execute halo first in
 * each. Of another part's halo only the members that this part owns are there. No two links lead
 * to one part. */
static mplan_status fill_halos(mplan_parts *parts, const mplan_piece *piece, int32_t s,
                               mplan_error *err)
{
    const mplan_piece_set *set = &piece->of[s];
    int64_t at = 0;
    mplan_status status = fill_halo(parts, parts->begin, s,
                                    piece->sets[s * (int64_t)MPLAN_PIECE_SET + MPLAN_PIECE_EXECUTE],
                                    set->n_halo, set->halo, set->reads, err);
    for (int64_t i = 0; i < set->n_links && !status; i++) {
        const int64_t *link = set->links + i * MPLAN_PIECE_LINK, n = link[MPLAN_PIECE_LINK_ALL];
        status = fill_halo(parts, (int32_t)link[MPLAN_PIECE_LINK_TO], s,
                           link[MPLAN_PIECE_LINK_EXECUTE], n, set->exported + at,
                           set->exported_reads + at * parts->read_bytes, err);
        at += n;
    }
    return status;
}

/* Arrays of the piece become those of parts.
 * parts has the request by now, and nothing else. owner, base and ids are the parts' as soon as
 * `taken` is set: mplan_piece_free then leaves them. how and the mesh are borrowed, so that
 * the piece must outlive the parts. Links of halos are found at the end, from halos and owners. */
static mplan_status fill(mplan_parts *parts, mplan_piece *piece, mplan_error *err)
{
    const int32_t n_sets = mplan_piece_n_sets(piece);
    parts->n_parts = (int32_t)piece->head[MPLAN_PIECE_PARTS];
    parts->begin = (int32_t)piece->head[MPLAN_PIECE_PART];
    parts->end = parts->begin + 1;
    parts->cut = (int32_t)piece->head[MPLAN_PIECE_CUT];
    parts->how = piece->how;
    parts->read_bytes = (int32_t)piece->head[MPLAN_PIECE_READ_BYTES];
    parts->prints.topology = (uint64_t)piece->head[MPLAN_PIECE_TOPOLOGY];
    parts->prints.coordinates = (uint64_t)piece->head[MPLAN_PIECE_COORDINATES];
    parts->owner = mplan_alloc_zero(n_sets, sizeof *parts->owner, err);
    parts->base = mplan_alloc_zero(n_sets, sizeof *parts->base, err);
    parts->ids = mplan_alloc_zero(n_sets, sizeof *parts->ids, err);
    parts->member = mplan_alloc_zero(n_sets, sizeof *parts->member, err);
    parts->halo = mplan_alloc_zero((int64_t)parts->n_parts * n_sets, sizeof *parts->halo, err);
    if (!parts->owner || !parts->base || !parts->ids || !parts->member || !parts->halo)
        return MPLAN_ERR_MEMORY;
    piece->taken = true;
    for (int32_t s = 0; s < n_sets; s++) {
        parts->owner[s] = piece->of[s].owner;
        parts->base[s] = piece->of[s].base;
        parts->ids[s] = piece->of[s].ids;
    }
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < n_sets && !status; s++) {
        status = list_members(parts, &piece->of[s], s, err);
        if (!status)
            status = fill_halos(parts, piece, s, err);
    }
    return status ? status : mplan_parts_link_halos(parts, err);
}

/* The request must be the one that the parts were scattered for: it means the same sets and maps, in the same order.
 * Sets and maps of planning must have the numbers of the file, as arrays of the piece are by
 * these; and reads must have a bit for each loop. */
static mplan_status check_request(const mplan_parts *parts, const mplan_piece *piece, mplan_error *err)
{
    const planning *p = &parts->whole.p;
    char *request = mplan_planning_request(p, err);
    if (!request)
        return MPLAN_ERR_MEMORY;
    const bool same = strcmp(piece->request, request) == 0;
    free(request);
    bool fits = same && p->n_sets == mplan_piece_n_sets(piece) &&
                p->n_maps == mplan_piece_n_maps(piece) &&
                (p->n_loops + 7) / 8 == piece->head[MPLAN_PIECE_READ_BYTES];
    for (int32_t s = 0; s < p->n_sets && fits; s++)
        fits = p->sets[s].mesh_set == s;
    for (int32_t m = 0; m < p->n_maps && fits; m++)
        fits = p->maps[m].mesh_map == m;
    return fits
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "the parts were scattered for another request: loops and options must be the same");
}

/* The request is resolved by names and by facts of the whole mesh, as there is no other way to
 * learn the choices that were made with it. Only then does the mesh of the part take the place
 * of the names. *parts is left as it is after a failure. */
mplan_status mplan_piece_parts(mplan_piece *piece, int32_t n_loops, const mplan_loop *loops,
                               const mplan_plan_options *options, const mplan_context *context,
                               mplan_parts **parts, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(piece);
    if (n_loops > 0)
        MPLAN_NEED(loops);
    MPLAN_NEED(parts);
    if (piece->taken)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "parts were made of this piece already");
    mplan_parts *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    mplan_threaded threaded;
    context = mplan_threaded_open(context, &threaded);
    mplan_status status = mplan_whole_open(piece->named, &piece->facts, n_loops, loops, options,
                                           context, &made->whole, err);
    if (!status)
        status = check_request(made, piece, err);
    if (!status)
        status = fill(made, piece, err);
    made->whole.p.context = NULL; /* it ends here */
    if (!status)
        made->whole.p.mesh = piece->mesh;
    mplan_threaded_close(&threaded);
    if (status)
        mplan_parts_free(made);
    else
        *parts = made;
    return status;
}
