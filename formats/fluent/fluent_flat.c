/* SPDX-License-Identifier: Apache-2.0 */
/* fluent_flat.c - meshes in the plane, whose faces are edges, and surfaces, whose faces have no cells */
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "formats/collection.h"
#include "formats/fluent/fluent.h"

enum { MOST_EDGES = 255 }; /* of a cell */

/* The edges of each cell; entry e: the cell lies to the left of edge e, ~e: to the right.
 * There is room for 2 * n_faces entries: an edge has two cells at most. */
typedef struct cell_edges {
    int64_t *offsets; /* n_cells + 2 */
    int32_t *edges;
} cell_edges;

/* of->offsets[c]: where the edges of cell c begin. Counted in the entry behind, so that filling
 * moves each offset to where it belongs.
 * The edges of a cell ascend, on whatever side it is. */
static mplan_status deal_edges(const mplan_fluent *file, cell_edges *of, mplan_error *err)
{
    const int32_t *side = file->sides.data;
    of->offsets = mplan_alloc_zero(file->n_cells + 2, sizeof *of->offsets, err);
    of->edges = of->offsets ? mplan_alloc(2 * file->n_faces, sizeof *of->edges, err) : NULL;
    if (!of->edges)
        return MPLAN_ERR_MEMORY;
    int64_t *next = of->offsets + 1;
    for (int64_t i = 0; i < 2 * file->n_faces; i++)
        if (side[i] >= 0)
            next[side[i] + 1]++;
    mplan_sum_counts(next, file->n_cells);
    for (int64_t f = 0; f < file->n_faces; f++) {
        if (side[2 * f] >= 0)
            of->edges[next[side[2 * f]]++] = ~(int32_t)f;
        if (side[2 * f + 1] >= 0)
            of->edges[next[side[2 * f + 1]]++] = (int32_t)f;
    }
    return MPLAN_OK;
}

/* The end of an edge as its cell goes round: which 0 its first, 1 its last node. */
static int32_t end_of(const mplan_fluent *file, int32_t entry, int32_t which)
{
    const int64_t *offsets = file->offsets.data;
    const int32_t *nodes = file->nodes.data;
    return entry < 0 ? nodes[offsets[~entry] + 1 - which] : nodes[offsets[entry] + which];
}

/* The corners of a cell, each edge beginning where one ends; corners: n entries. Quadratic in n,
 * at most MOST_EDGES. A chain that closes before all edges are used is two.
 * edges: n entries of cell_edges, in any order. */
static mplan_status chain(const mplan_fluent *file, const int32_t *edges, int64_t n, int64_t cell,
                          int32_t *corners, mplan_error *err)
{
    int32_t at = end_of(file, edges[0], 0);
    for (int64_t k = 0; k < n; k++) {
        int64_t e = 0;
        while (e < n && end_of(file, edges[e], 0) != at)
            e++;
        if (e == n || (k > 0 && at == corners[0]))
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: the faces of cell %lld do not close",
                              file->scan.path, (long long)cell + 1);
        corners[k] = at;
        at = end_of(file, edges[e], 1);
    }
    return at == corners[0]
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_MESH, "%s: the faces of cell %lld do not close",
                            file->scan.path, (long long)cell + 1);
}

/* The cell that was added last joins its zone. */
static mplan_status add_member(const mplan_fluent *file, mplan_collection *collection,
                               int32_t dimension, int64_t id, mplan_error *err)
{
    const mplan_fluent_zone *zone = mplan_fluent_find_zone(file, id);
    return mplan_collect_member(collection, dimension, id, zone ? zone->name : "",
                                zone ? zone->name_length : 0, err);
}

/* Cells of a zone follow each other; those of none are in no group. */
static mplan_status add_cell_zones(const mplan_fluent *file, mplan_collection *collection,
                                   mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t s = 0; s < file->sections.count && !status; s++) {
        const mplan_fluent_section *section = mplan_fluent_section_at(file, s);
        const mplan_fluent_zone *zone = mplan_fluent_find_zone(file, section->zone);
        if (section->kind != MPLAN_FLUENT_CELLS)
            continue;
        for (int64_t c = section->first - 1; c < section->last && !status; c++)
            status = mplan_collect_member_at(collection, 2, c, section->zone, zone ? zone->name : "",
                                             zone ? zone->name_length : 0, err);
    }
    return status;
}

/* Polygons of their edges; cells of more than four are untyped. Edges have two nodes each, which
 * add_zone_faces has seen to. */
static mplan_status add_cells(const mplan_fluent *file, mplan_collection *collection, mplan_error *err)
{
    cell_edges of = {NULL, NULL};
    mplan_status status = deal_edges(file, &of, err);
    for (int64_t c = 0; c < file->n_cells && !status; c++) {
        int64_t n = of.offsets[c + 1] - of.offsets[c];
        if (n < 3 || n > MOST_EDGES) {
            status = mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld has %lld faces",
                                file->scan.path, (long long)c + 1, (long long)n);
            break;
        }
        int32_t *corners = mplan_collect_face(collection, (int32_t)n, err);
        status = corners ? chain(file, of.edges + of.offsets[c], n, c, corners, err)
                         : MPLAN_ERR_MEMORY;
    }
    free(of.offsets);
    free(of.edges);
    return status ? status : add_cell_zones(file, collection, err);
}

/* Edges of the boundary and of zones inside that are more than interior, or in a surface all faces.
 * Edges have two nodes; of a surface, which has no cells, faces have others and become the cells. */
static mplan_status add_zone_faces(const mplan_fluent *file, const mplan_fluent_section *section,
                                   mplan_collection *collection, mplan_error *err)
{
    const int64_t *offsets = file->offsets.data;
    const int32_t *side = file->sides.data;
    mplan_status status = MPLAN_OK;
    for (int64_t f = section->begin; f < section->end && !status; f++) {
        int64_t n = offsets[f + 1] - offsets[f];
        if (n > INT32_MAX || (file->n_cells > 0) != (n == 2))
            return mplan_scan_fail(&section->body, err, MPLAN_ERR_MESH,
                                   "a face of zone %lld has %lld nodes", (long long)section->zone,
                                   (long long)n);
        if (n == 2 && section->type == MPLAN_FLUENT_INTERIOR && side[2 * f] >= 0 &&
            side[2 * f + 1] >= 0)
            continue;
        int32_t *nodes = n == 2 ? mplan_collect_cell(collection, MPLAN_CELL_LINE2, err)
                                : mplan_collect_face(collection, (int32_t)n, err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        memcpy(nodes, (const int32_t *)file->nodes.data + offsets[f], (size_t)n * sizeof *nodes);
        status = add_member(file, collection, n == 2 ? 1 : 2, section->zone, err);
    }
    return status;
}

/* Faces before cells: those of groups are the collection's lines, in a surface its cells. */
mplan_status mplan_fluent_build_flat(const mplan_fluent *file, mplan_mesh *mesh, mplan_error *err)
{
    mplan_collection collection;
    mplan_status status = MPLAN_OK;
    mplan_collection_begin(&collection, file->scan.path, file->context);
    for (int64_t i = 0; i < file->n_nodes && !status; i++)
        status = mplan_collect_node(&collection, file->xyz + 3 * i, err);
    for (int64_t s = 0; s < file->sections.count && !status; s++) {
        const mplan_fluent_section *section = mplan_fluent_section_at(file, s);
        if (section->kind == MPLAN_FLUENT_FACES && section->body.at)
            status = add_zone_faces(file, section, &collection, err);
    }
    if (!status && file->n_cells > 0)
        status = add_cells(file, &collection, err);
    if (!status)
        status = mplan_collection_to_mesh(&collection, mesh, err);
    mplan_collection_free(&collection);
    return status;
}
