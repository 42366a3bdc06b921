/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_layers.c - layers of columns that follow from those of another set, their sums and hashes, and weights by them
 *
 * A rank makes a small mesh of the rows that it has and the points that these name, and lets mesh/set_layers.c say what follows
 * there; what ranks find of one point is put together on the rank that has it. Bottoms and tops are minima and maxima, masks
 * are unions: so nothing depends on the number of ranks. */
#include "mpi/mpi_layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_ids.h"

/* --- what a set has ------------------------------------------------------------------------------ */

void mpi_layers_take(mpi_mesh *mesh, int32_t set, int32_t layers, int32_t *ranges, uint32_t *mask)
{
    assert(mesh && set >= 0 && set < mesh->n_sets && layers > 0);
    mpi_set *of = &mesh->sets[set];
    const int64_t words = mplan_mask_words(layers), n = mpi_own_members(mesh, set) * words;
    for (int64_t i = 0; mask && i < n; i++)
        mask[i] &= mplan_mask_bits((int32_t)(i % words), ranges ? ranges[i / words * 2] : 0,
                                   ranges ? ranges[i / words * 2 + 1] : layers);
    free(of->ranges);
    free(of->mask);
    of->layers = layers;
    of->ranges = ranges;
    of->mask = mask;
}

/* An mpi_take of mpi_in_turn: user is the stream. */
static void hash_more(void *user, const void *data, int64_t bytes)
{
    mplan_hash_more(user, data, (size_t)bytes);
}

/* The hash of the numbers of all members, in their order; on every rank. */
static mplan_status hash_all(const mpi_mesh *mesh, const void *own, int64_t bytes, uint64_t *hash,
                             mplan_error *err)
{
    mplan_hash_stream stream;
    mplan_hash_begin(&stream);
    mplan_status status = mpi_in_turn(mesh->comm, MPLAN_OK, own, bytes, hash_more, &stream, err);
    *hash = mplan_hash_end(&stream);
    if (!status)
        mpi_bcast(hash, 1, MPI_UINT64_T, 0, mesh->comm);
    return status;
}

mplan_status mpi_layers_count(const mpi_mesh *mesh, int32_t set, mplan_layer_facts *facts,
                              mplan_error *err)
{
    assert(mesh && facts && set >= 0 && set < mesh->n_sets);
    const mpi_set *of = &mesh->sets[set];
    const int64_t n = mpi_own_members(mesh, set);
    mplan_status status = MPLAN_OK;
    *facts = (mplan_layer_facts){0};
    if (!of->ranges && !of->mask)
        return MPLAN_OK;
    for (int64_t i = 0; i < n; i++)
        facts->active += mplan_active_layers(i, of->layers, of->ranges, of->mask);
    facts->active = mpi_sum(mesh->comm, facts->active);
    if (of->ranges)
        status = hash_all(mesh, of->ranges, 2 * n * (int64_t)sizeof *of->ranges, &facts->ranges, err);
    if (!status && of->mask)
        status = hash_all(mesh, of->mask,
                          n * mplan_mask_words(of->layers) * (int64_t)sizeof *of->mask,
                          &facts->mask, err);
    return status;
}

/* --- rows of this rank ----------------------------------------------------------------------------- */

/* The rows of this rank as a mesh: set ROWS has them, set POINTS what they name, ids are the numbers of these. */
enum { ROWS, POINTS };
typedef struct own_rows {
    mplan_mesh *mesh;
    int64_t *ids, n_ids; /* ascending */
} own_rows;

static void close_rows(own_rows *rows)
{
    mplan_mesh_free(rows->mesh);
    free(rows->ids);
    *rows = (own_rows){0};
}

/* Not collective. *rows: to be closed also after a failure. */
static mplan_status open_rows(const mpi_mesh *mesh, const mpi_map *map, own_rows *rows,
                              mplan_error *err)
{
    const int64_t n = mpi_own_members(mesh, map->from), entries = mpi_own_entries(mesh, map);
    int64_t *offsets = NULL;
    int32_t *values = mplan_alloc(entries, sizeof *values, err);
    mplan_status status = values
                              ? mpi_ids_of(map->values, entries, 0, 0, &rows->ids, &rows->n_ids, err)
                              : MPLAN_ERR_MEMORY;
    if (!status && map->offsets && !(offsets = mplan_copy(map->offsets, n + 1, sizeof *offsets, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_mesh_create(&rows->mesh, err);
    if (!status)
        status = mplan_mesh_add_set(rows->mesh, "rows", n, NULL, err);
    if (!status)
        status = mplan_mesh_add_set(rows->mesh, "points", rows->n_ids, NULL, err);
    if (status) {
        free(values);
        free(offsets);
        return status;
    }
    mpi_finder points;
    mpi_finder_open(rows->ids, rows->n_ids, &points);
    for (int64_t i = 0; i < entries; i++)
        values[i] = map->values[i] < 0 ? -1 : (int32_t)mpi_find(&points, map->values[i]);
    mpi_finder_close(&points);
    return mplan_mesh_take_map(rows->mesh, "map", ROWS, POINTS, map->arity, offsets, values, NULL,
                               err);
}

/* Values of the points, from the ranks that have them. own: of `size` bytes a member; *out: the caller's, also after a failure. */
static mplan_status fetch(const mpi_mesh *mesh, const mpi_links *links, mplan_status status,
                          size_t size, const void *own, void **out, mplan_error *err)
{
    *out = status ? NULL : mplan_alloc(links->n, size, err);
    if (!status && !*out)
        status = MPLAN_ERR_MEMORY;
    status = mpi_links_fetch(links, status, size, own, *out, err);
    return mpi_agree(mesh->comm, status, err);
}

/* Layers of the points of rows, as the set `from` has them. */
static mplan_status fetch_layers(const mpi_mesh *mesh, const mpi_set *from, own_rows *rows,
                                 mplan_status status, mplan_error *err)
{
    const size_t words = (size_t)mplan_mask_words(from->layers);
    mpi_links links = {0};
    void *ranges = NULL, *mask = NULL;
    status = mpi_links_make(mesh->comm, status, from->first, rows->n_ids, rows->ids, &links, err);
    if (!status && from->ranges)
        status = fetch(mesh, &links, status, 2 * sizeof *from->ranges, from->ranges, &ranges, err);
    if (!status && from->mask)
        status = fetch(mesh, &links, status, words * sizeof *from->mask, from->mask, &mask, err);
    mpi_links_free(&links);
    if (!status) {
        status = mplan_mesh_take_layers(rows->mesh, POINTS, from->layers, ranges, err);
        ranges = NULL;
    }
    if (!status) {
        mplan_mesh_take_mask(rows->mesh, POINTS, mask);
        mask = NULL;
    }
    free(ranges);
    free(mask);
    return status;
}

/* What this rank found of points goes to the ranks that have them, and is put together there. span: of own members, empty
 * where nobody says anything; mask: likewise, zeros; NULL, on all ranks: not asked for. */
static mplan_status put_together(const mpi_mesh *mesh, int32_t set, const own_rows *rows,
                                 mplan_status status, int32_t *span, uint32_t *mask, mplan_error *err)
{
    const mpi_set *of = &mesh->sets[set];
    const mplan_mesh_set_data *found = status ? NULL : &rows->mesh->sets[POINTS];
    const int64_t words = found ? mplan_mask_words(found->layers) : 0;
    int64_t *counts = status ? NULL : mplan_alloc_zero(mesh->ranks, sizeof *counts, err);
    mpi_items ids = {0}, ranges = {0}, bits = {0};
    if (!status && !counts)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < rows->n_ids && !status; i++)
        counts[mpi_rank_of(of->first, mesh->ranks, rows->ids[i])]++;
    status = mpi_exchange(mesh->comm, status, sizeof *rows->ids, rows->ids, counts, &ids, err);
    if (!status && span)
        status = mpi_exchange(mesh->comm, status, 2 * sizeof *span, found->ranges, counts, &ranges,
                              err);
    if (!status && mask)
        status = mpi_exchange(mesh->comm, status, (size_t)words * sizeof *mask, found->mask, counts,
                              &bits, err);
    for (int64_t i = 0; i < ids.n && !status; i++) {
        const int64_t at = ((const int64_t *)ids.data)[i] - of->first[mesh->rank];
        const int32_t *from = span ? (const int32_t *)ranges.data + 2 * i : NULL;
        if (span && from[0] < from[1]) {
            int32_t *to = span + 2 * at;
            const bool first = to[0] == to[1];
            to[0] = first || from[0] < to[0] ? from[0] : to[0];
            to[1] = first || from[1] > to[1] ? from[1] : to[1];
        }
        for (int64_t w = 0; mask && w < words; w++)
            mask[at * words + w] |= ((const uint32_t *)bits.data)[i * words + w];
    }
    mpi_items_free(&ids);
    mpi_items_free(&ranges);
    mpi_items_free(&bits);
    free(counts);
    return status;
}

/* What rows of this rank say of their points, by the layers of the rows: in rows->mesh. Not collective. masked: by masks, too. */
static mplan_status span_own(const mpi_set *from, bool masked, own_rows *rows, mplan_error *err)
{
    mplan_mesh_set_data *own = &rows->mesh->sets[ROWS];
    own->layers = from->layers;
    own->ranges = from->ranges; /* lent */
    own->mask = masked ? from->mask : NULL;
    mplan_status status = mplan_mesh_spread_layers(rows->mesh, 0, MPLAN_LAYERS_SPANNED, err);
    own->ranges = NULL;
    own->mask = NULL;
    return status;
}

/* --- layers by those of another set ----------------------------------------------------------------- */

/* The set that the map leads from gets the layers that all points of a row have. */
static mplan_status spread_common(mpi_mesh *mesh, const mpi_map *map, int32_t **ranges,
                                  uint32_t **mask, mplan_error *err)
{
    own_rows rows = {0};
    mplan_status status = open_rows(mesh, map, &rows, err);
    status = fetch_layers(mesh, &mesh->sets[map->to], &rows, status, err);
    if (!status)
        status = mplan_mesh_spread_layers(rows.mesh, 0, MPLAN_LAYERS_COMMON, err);
    status = mpi_agree(mesh->comm, status, err);
    if (!status) {
        mplan_mesh_set_data *made = &rows.mesh->sets[ROWS];
        *ranges = made->ranges;
        *mask = made->mask;
        made->ranges = NULL;
        made->mask = NULL;
    }
    close_rows(&rows);
    return status;
}

/* The set that the map leads to gets all layers that some row has. */
static mplan_status spread_spanned(mpi_mesh *mesh, const mpi_map *map, int32_t **ranges,
                                   uint32_t **mask, mplan_error *err)
{
    const mpi_set *from = &mesh->sets[map->from];
    const int64_t n = mpi_own_members(mesh, map->to), words = mplan_mask_words(from->layers);
    own_rows rows = {0};
    mplan_status status = open_rows(mesh, map, &rows, err);
    if (!status)
        status = span_own(from, true, &rows, err);
    if (!status && from->ranges && !(*ranges = mplan_alloc_zero(2 * n, sizeof **ranges, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status && from->mask && !(*mask = mplan_alloc_zero(n * words, sizeof **mask, err)))
        status = MPLAN_ERR_MEMORY;
    /* all ranks have both arrays where this one has: it depends on the set only, once they agree that there is room */
    status = mpi_agree(mesh->comm, status, err);
    if (!status)
        status = put_together(mesh, map->to, &rows, status, *ranges, *mask, err);
    close_rows(&rows);
    return status;
}

mplan_status mpi_layers_spread(mpi_mesh *mesh, int32_t map, mplan_layers_rule rule, mplan_error *err)
{
    assert(mesh && map >= 0 && map < mesh->n_maps);
    const mpi_map *by = &mesh->maps[map];
    const bool common = rule == MPLAN_LAYERS_COMMON;
    const int32_t from = common ? by->to : by->from, to = common ? by->from : by->to;
    const mpi_set *source = &mesh->sets[from];
    int32_t *ranges = NULL;
    uint32_t *mask = NULL;
    mplan_status status = MPLAN_OK;
    if (source->layers == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "layers of %s by map %s: set %s must have layers",
                          mesh->sets[to].name, by->name, source->name);
    if (source->ranges || source->mask)
        status = common ? spread_common(mesh, by, &ranges, &mask, err)
                        : spread_spanned(mesh, by, &ranges, &mask, err);
    if (status) {
        free(ranges);
        free(mask);
        return status;
    }
    mpi_layers_take(mesh, to, source->layers, ranges, mask);
    return MPLAN_OK;
}

/* --- weights --------------------------------------------------------------------------------------- */

/* span: of own members of the set that is cut; by all maps to it from sets whose columns differ. *any: there are some. */
static mplan_status span_points(const mpi_mesh *mesh, const planning *p, int32_t cut, int32_t n_maps,
                                const int32_t *maps, int32_t *span, bool *any, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n_maps && !status; i++) {
        const planning_map *map = &p->maps[maps[i]];
        if (!mpi_ranges_differ(p, map->from))
            continue;
        own_rows rows = {0};
        status = open_rows(mesh, &mesh->maps[map->mesh_map], &rows, err);
        if (!status)
            status = span_own(&mesh->sets[p->sets[map->from].mesh_set], false, &rows, err);
        status = put_together(mesh, p->sets[cut].mesh_set, &rows, status, span, NULL, err);
        close_rows(&rows);
        *any = true;
    }
    return status;
}

mplan_status mpi_layers_weights(const mpi_mesh *mesh, const planning *p, int32_t cut, bool to_set,
                                int32_t n_maps, const int32_t *maps, int64_t **weights,
                                mplan_error *err)
{
    assert(mesh && p && weights);
    const mpi_set *of = &mesh->sets[p->sets[cut].mesh_set];
    const mplan_layered_set *own = p->sets[cut].layered;
    const bool differ = mpi_ranges_differ(p, cut) || mpi_is_masked(p, cut);
    const int64_t n = mpi_own_members(mesh, p->sets[cut].mesh_set);
    bool any = differ;
    *weights = NULL;
    int32_t *span = mplan_alloc_zero(2 * n, sizeof *span, err);
    int64_t *made = mplan_alloc(n, sizeof *made, err);
    mplan_status status = mpi_agree(mesh->comm, span && made ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status && to_set && !differ)
        status = span_points(mesh, p, cut, n_maps, maps, span, &any, err);
    for (int64_t m = 0; m < n && !status; m++) {
        const int32_t height = differ ? mplan_active_layers(m, own->layers,
                                                            own->ranges ? of->ranges : NULL,
                                                            own->mask ? of->mask : NULL)
                                      : span[2 * m + 1] - span[2 * m];
        made[m] = height > 1 ? height : 1;
    }
    if (!status && any) {
        *weights = made;
        made = NULL;
    }
    free(span);
    free(made);
    return status;
}
