/* SPDX-License-Identifier: Apache-2.0 */
/* surface_layers.c - rows of cells over a surface, as boundary layers are meshed
 *
 * A panel and a row make a quad or a hex. Hexes are cut into two prisms along the
 * diagonal from the panel's lowest node, in all rows alike; prisms into three tets, each
 * of whose faces between rows runs up from its lower node (J. Dompierre et al., How to
 * subdivide pyramids, prisms and hexahedra into tetrahedra, 8th Int. Meshing Roundtable (1999)), so that
 * neighbours agree by the numbers of their nodes. Where rows of prisms end and tets
 * begin, they meet in triangles. */
#include "generate/surface_layers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "generate/most_members.h"
#include "mesh/mesh.h"

/* What the options leave open. The far field of the default growth lies 20 lengths away. */
static const double default_height = 1e-5, far_field = 20, most_growth = 2, most_distance = 1e6;

typedef struct layers {
    const mplan_surface *surface;
    int64_t n_rows, first_simplex; /* rows from it on consist of triangles or tets */
    bool cut;                      /* below, in space: prisms instead of hexes */
    int64_t n_cells;
    int64_t n_entries; /* nodes of all cells */
} layers;

/* A place in the arrays of cells or facets that are being written. */
typedef struct writer {
    uint8_t *type;
    int32_t *node;
} writer;

void mplan_surface_free(mplan_surface *surface)
{
    free(surface->panel);
    for (int32_t r = 0; r < surface->n_rims; r++)
        free(surface->rim[r].edge);
    memset(surface, 0, sizeof *surface);
}

/* --- distances -------------------------------------------------------------- */

/* Where n rows end, each `growth` times as high as the one before. */
static double end_of_rows(double height, double growth, int64_t n)
{
    double end = 0;
    for (int64_t r = 0; r < n && end <= most_distance; r++, height *= growth)
        end += height;
    return end;
}

/* The growth in [1, most_growth] that brings the last row to the far field: the nearer of
 * the two ends where that is impossible. By bisection, to the last bit. */
static double growth_to_far_field(double height, int64_t n_rows)
{
    double low = 1, high = most_growth;
    if (end_of_rows(height, high, n_rows) <= far_field)
        return high;
    for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
        if (end_of_rows(height, middle, n_rows) < far_field)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* n_rows + 1 distances from the surface, the first 0, which the caller frees; NULL with *status
 * otherwise. Heights grow by a constant factor; where it is not given, the last layer reaches
 * the far field. */
double *mplan_layer_distances(const mplan_generate_options *options, int64_t n_rows,
                              mplan_status *status, mplan_error *err)
{
    double height = options->first_height > 0 ? options->first_height : default_height;
    double growth = options->growth > 0 ? options->growth : growth_to_far_field(height, n_rows);
    *status = MPLAN_OK;
    if (!(end_of_rows(height, growth, n_rows) <= most_distance)) {
        *status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                             "%lld rows that start with height %g and grow by the factor %g end "
                             "beyond %g",
                             (long long)n_rows, height, growth, most_distance);
        return NULL;
    }
    double *distance = mplan_alloc(n_rows + 1, sizeof *distance, err);
    if (!distance) {
        *status = MPLAN_ERR_MEMORY;
        return NULL;
    }
    distance[0] = 0;
    for (int64_t r = 0; r < n_rows; r++, height *= growth)
        distance[r + 1] = distance[r] + height;
    return distance;
}

/* --- sizes ------------------------------------------------------------------- */

/* Cells of a panel in one row. */
static int32_t cells_per_panel(const layers *l, int64_t row)
{
    bool simplex = row >= l->first_simplex;
    if (l->surface->dimension == 2)
        return simplex ? 2 : 1;
    return simplex ? 6 : l->cut ? 2 : 1;
}

/* Entries of the cells of a panel in one row. */
static int32_t entries_per_panel(const layers *l, int64_t row)
{
    bool simplex = row >= l->first_simplex;
    if (l->surface->dimension == 2)
        return simplex ? 6 : 4;
    return simplex ? 24 : l->cut ? 12 : 8;
}

/* Which rows are cut, and how; sizes that mplan_layers_check has seen. */
static layers layers_of(const mplan_surface *surface, int64_t n_rows, mplan_layer_cells cells)
{
    bool simplices = cells == MPLAN_LAYER_CELLS_TRI || cells == MPLAN_LAYER_CELLS_TET;
    layers l = {.surface = surface, .n_rows = n_rows, .first_simplex = simplices ? 0 : n_rows};
    if (cells == MPLAN_LAYER_CELLS_HYBRID)
        l.first_simplex = n_rows - n_rows / 2;
    l.cut = cells != MPLAN_LAYER_CELLS_QUAD && cells != MPLAN_LAYER_CELLS_HEX;
    int64_t n_low = surface->n_panels * l.first_simplex;
    int64_t n_high = surface->n_panels * (n_rows - l.first_simplex);
    l.n_cells = n_low * cells_per_panel(&l, -1) + n_high * cells_per_panel(&l, n_rows);
    l.n_entries = n_low * entries_per_panel(&l, -1) + n_high * entries_per_panel(&l, n_rows);
    return l;
}

/* Before anything is allocated: whether the kind of cells goes with the dimension, and whether
 * nodes and cells can be numbered in 32 bits. */
mplan_status mplan_layers_check(const char *shape, int32_t dimension, int64_t n_nodes,
                                int64_t n_panels, int64_t n_rows, mplan_layer_cells cells,
                                mplan_error *err)
{
    bool plane = cells == MPLAN_LAYER_CELLS_QUAD || cells == MPLAN_LAYER_CELLS_TRI;
    if (cells != MPLAN_LAYER_CELLS_HYBRID && plane != (dimension == 2))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "cells of a %s mesh in %s must be %s", shape,
                          dimension == 2 ? "the plane" : "space",
                          dimension == 2 ? "quad, tri or hybrid" : "hex, prism, tet or hybrid");
    mplan_surface surface = {.dimension = dimension, .n_nodes = n_nodes, .n_panels = n_panels};
    /* at most 2^31 rows and 2^31 nodes: products below 2^62, and 6 cells a panel after that */
    if (n_nodes > MPLAN_MAX_MEMBERS || n_nodes * (n_rows + 1) > MPLAN_MAX_MEMBERS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a %s mesh of this size has more than %lld nodes",
                          shape, (long long)MPLAN_MAX_MEMBERS);
    if (layers_of(&surface, n_rows, cells).n_cells > MPLAN_MAX_MEMBERS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a %s mesh of this size has more than %lld cells",
                          shape, (long long)MPLAN_MAX_MEMBERS);
    return MPLAN_OK;
}

/* --- cells and facets ---------------------------------------------------------- */

static void put(writer *out, mplan_cell_type type, const int32_t *node)
{
    int32_t n = mplan_cell_type_nodes(type);
    *out->type++ = (uint8_t)type;
    memcpy(out->node, node, (size_t)n * sizeof *node);
    out->node += n;
}

/* The quadrilateral over the edge from a to b, `up` being from a node to that above it;
 * in two triangles where it is cut, along the diagonal from the lower node. */
static void put_side(writer *out, int32_t a, int32_t b, int32_t up, bool cut)
{
    const int32_t whole[4] = {a, b, b + up, a + up};
    if (!cut) {
        put(out, MPLAN_CELL_QUAD4, whole);
        return;
    }
    const int32_t rising[6] = {a, b, b + up, a, b + up, a + up};
    const int32_t falling[6] = {a, b, a + up, b, b + up, a + up};
    put(out, MPLAN_CELL_TRI3, a < b ? rising : falling);
    put(out, MPLAN_CELL_TRI3, (a < b ? rising : falling) + 3);
}

/* The panel reversed so that its lowest node comes first: 0 1 2 and 0 2 3 are its triangles. */
static void turn_panel(const int32_t *panel, int32_t first, int32_t node[4])
{
    int32_t lowest = 0;
    for (int32_t k = 1; k < 4; k++)
        if (panel[k] < panel[lowest])
            lowest = k;
    for (int32_t k = 0; k < 4; k++)
        node[k] = first + panel[(lowest + k) % 4];
}

/* The prism over a triangle whose first node is its lowest, in three tets. */
static void put_tets(writer *out, const int32_t node[3], int32_t up)
{
    bool reversed = node[1] > node[2]; /* ascending, the corners run the other way round */
    int32_t a = node[0], b = reversed ? node[2] : node[1], c = reversed ? node[1] : node[2];
    const int32_t tet[3][4] = {{a, b, c, c + up}, {a, b, c + up, b + up}, {a, a + up, b + up, c + up}};
    for (int32_t t = 0; t < 3; t++) {
        const int32_t mirrored[4] = {tet[t][0], tet[t][1], tet[t][3], tet[t][2]};
        put(out, MPLAN_CELL_TET4, reversed ? mirrored : tet[t]);
    }
}

/* Cells of one panel in space in the row whose lower layer begins with node `first`. */
static void put_solid(const layers *l, bool simplex, const int32_t *panel, int32_t first, writer *out)
{
    int32_t up = (int32_t)l->surface->n_nodes, node[8];
    if (!l->cut) {
        for (int32_t k = 0; k < 8; k++)
            node[k] = first + panel[k % 4] + (k < 4 ? 0 : up);
        put(out, MPLAN_CELL_HEX8, node);
        return;
    }
    turn_panel(panel, first, node);
    for (int32_t t = 1; t < 3; t++) {
        const int32_t prism[6] = {node[0],      node[t],      node[t + 1],
                                  node[0] + up, node[t] + up, node[t + 1] + up};
        if (simplex)
            put_tets(out, prism, up);
        else
            put(out, MPLAN_CELL_PRISM6, prism);
    }
}

/* All cells, row by row, panel by panel. */
static mplan_status put_cells(const layers *l, const mplan_context *context, writer out,
                              mplan_error *err)
{
    const mplan_surface *s = l->surface;
    for (int64_t r = 0; r < l->n_rows; r++) {
        int32_t first = (int32_t)(r * s->n_nodes);
        bool simplex = r >= l->first_simplex;
        for (int64_t p = 0; p < s->n_panels; p++) {
            if (s->dimension == 3)
                put_solid(l, simplex, s->panel + 4 * p, first, &out);
            else
                put_side(&out, first + s->panel[2 * p], first + s->panel[2 * p + 1],
                         (int32_t)s->n_nodes, simplex);
        }
        if (mplan_interrupted(context, err) != MPLAN_OK)
            return MPLAN_ERR_INTERRUPTED;
    }
    return MPLAN_OK;
}

/* The panel as facets of the first layer (the wall) or the last one (the far field), seen
 * so that the normal leaves the mesh. */
static void put_panel(const layers *l, bool far, const int32_t *panel, writer *out)
{
    int32_t first = far ? (int32_t)(l->n_rows * l->surface->n_nodes) : 0, node[4];
    if (l->surface->dimension == 2) {
        const int32_t line[2] = {first + panel[far], first + panel[!far]};
        put(out, MPLAN_CELL_LINE2, line);
        return;
    }
    turn_panel(panel, first, node);
    const int32_t out_of_wall[4] = {node[0], node[3], node[2], node[1]};
    const int32_t *seen = far ? node : out_of_wall;
    if (!l->cut) {
        put(out, MPLAN_CELL_QUAD4, seen);
        return;
    }
    const int32_t second[3] = {seen[0], seen[2], seen[3]};
    put(out, MPLAN_CELL_TRI3, seen);
    put(out, MPLAN_CELL_TRI3, second);
}

/* A group of n_facets facets at most, of at most 4 nodes. rim: NULL for wall and far field. */
static mplan_status add_group(const layers *l, const char *name, int64_t id,
                              const mplan_surface_rim *rim, mplan_mesh *mesh, mplan_error *err)
{
    const mplan_surface *s = l->surface;
    int64_t most = 2 * (rim ? rim->n_edges * l->n_rows : s->n_panels);
    uint8_t *type = mplan_alloc(most, 1, err);
    int32_t *nodes = type ? mplan_alloc(most, 4 * sizeof *nodes, err) : NULL;
    mplan_status status = nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    writer out = {type, nodes};
    if (!status && !rim)
        for (int64_t p = 0; p < s->n_panels; p++)
            put_panel(l, id == 2, s->panel + (s->dimension == 3 ? 4 : 2) * p, &out);
    for (int64_t r = 0; !status && rim && r < l->n_rows; r++)
        for (int64_t e = 0; e < rim->n_edges; e++)
            put_side(&out, (int32_t)(r * s->n_nodes) + rim->edge[2 * e],
                     (int32_t)(r * s->n_nodes) + rim->edge[2 * e + 1], (int32_t)s->n_nodes,
                     r >= l->first_simplex);
    if (!status)
        status = mplan_mesh_add_facets(mesh, name, id, out.type - type, type, nodes, err);
    free(type);
    free(nodes);
    return status;
}

/* wall, farfield, and the rims by their names; ids from 1. */
static mplan_status add_groups(const layers *l, mplan_mesh *mesh, mplan_error *err)
{
    mplan_status status = add_group(l, "wall", 1, NULL, mesh, err);
    if (!status)
        status = add_group(l, "farfield", 2, NULL, mesh, err);
    for (int32_t r = 0; r < l->surface->n_rims && !status; r++)
        status = add_group(l, l->surface->rim[r].name, 3 + r, &l->surface->rim[r], mesh, err);
    return status;
}

/* Takes `coordinates`, also after a failure. Cells are written layer by layer, from the surface
 * outwards; put_cells fills exactly the l.n_cells types and l.n_entries nodes that layers_of
 * has counted. */
mplan_status mplan_layers_fill(const mplan_surface *surface, int64_t n_rows,
                               mplan_layer_cells cells, const mplan_context *context,
                               double *coordinates, mplan_mesh *mesh, mplan_error *err)
{
    assert(n_rows >= 1 && cells != MPLAN_LAYER_CELLS_AUTO);
    layers l = layers_of(surface, n_rows, cells);
    uint8_t *type = mplan_alloc(l.n_cells, 1, err);
    int32_t *nodes = type ? mplan_alloc(l.n_entries, sizeof *nodes, err) : NULL;
    mplan_status status = nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = put_cells(&l, context, (writer){type, nodes}, err);
    if (status) {
        free(coordinates);
        free(nodes);
        free(type);
        return status;
    }
    status = mplan_mesh_take_cells(mesh, surface->n_nodes * (n_rows + 1), l.n_cells, type, nodes,
                                   err);
    if (status) {
        free(coordinates);
        return status;
    }
    status = mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"),
                                         surface->dimension, coordinates, err);
    return !status ? add_groups(&l, mesh, err) : status;
}
