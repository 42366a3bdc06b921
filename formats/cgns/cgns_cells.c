/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_cells.c - sections of elements, and structured zones, become cells */
#include "formats/cgns/cgns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/side_order.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_CGNS
/* --- sections ---------------------------------------------------------------------------------- */

/* what: the end of the sentence. */
static mplan_status fail_section(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                 const mplan_cgns_section *section, mplan_status status,
                                 const char *what, mplan_error *err)
{
    return mplan_fail(err, status, "%s: zone %s: section %s: %s", file->input->path, zone->name,
                      section->name, what);
}

/* Numbers of an array of the section; -1: not there; -2: there, and of no readable size. */
static int64_t array_size(const mplan_cgns *file, const mplan_cgns_zone *zone,
                          const mplan_cgns_section *section, const char *name)
{
    double node;
    char path[3 * MPLAN_CGNS_NAME];
    snprintf(path, sizeof path, "%s/%s", section->name, name);
    return cg_zone_id(file->file, file->base, zone->index, &node) == CG_OK
               ? mplan_cgns_array_size(file, node, path)
               : -2;
}

/* Sections whose elements have lengths of their own, with offsets in files of CGNS 4, before
 * that counts between the nodes. */
static bool is_ragged(const mplan_cgns_section *section)
{
    return section->type == CGNS_ENUMV(MIXED) || section->type == CGNS_ENUMV(NGON_n) ||
           section->type == CGNS_ENUMV(NFACE_n);
}

/* The length of the connectivity must be what the number of elements asks for,
 * before it is read.
 * Afterwards size, counted, old_parents and parents are what the arrays themselves say. */
mplan_status mplan_cgns_check_arrays(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                     mplan_cgns_section *section, mplan_error *err)
{
    int64_t n = section->end - section->start + 1;
    int64_t found = array_size(file, zone, section, "ElementConnectivity");
    int64_t offsets = array_size(file, zone, section, "ElementStartOffset");
    section->counted = section->type == CGNS_ENUMV(MIXED) && offsets == -1;
    if (is_ragged(section) && !section->counted && offsets == -1 && found >= n)
        found -= n; /* counts of old files, which the library takes out */
    if (!is_ragged(section))
        section->size = n * mplan_cell_type_nodes(mplan_cgns_cell_type(section->type));
    if (found != section->size)
        return fail_section(file, zone, section, MPLAN_ERR_CORRUPT,
                            "the length of its connectivity does not match its elements", err);
    if (section->size > file->most_bytes / (int64_t)sizeof(int32_t))
        return fail_section(file, zone, section, MPLAN_ERR_CORRUPT,
                            "it is larger than the file can hold", err);
    if (is_ragged(section) && offsets != -1 && offsets != n + 1)
        return fail_section(file, zone, section, MPLAN_ERR_CORRUPT,
                            "the number of its offsets does not match its elements", err);
    int64_t parents = array_size(file, zone, section, "ParentElements");
    int64_t sides = array_size(file, zone, section, "ParentElementsPosition");
    int64_t old = array_size(file, zone, section, "ParentData");
    section->old_parents = old == 4 * n;
    section->parents = (parents == 2 * n && sides == 2 * n) || old == 4 * n;
    return MPLAN_OK;
}

/* Values stay loaded until mplan_cgns_unload; a second call does nothing.
 * values: size entries; offsets: n + 1, where elements have lengths of their own; parent: 4 n, only of facets. */
mplan_status mplan_cgns_load(const mplan_cgns *file, const mplan_cgns_zone *zone,
                             mplan_cgns_section *section, mplan_error *err)
{
    int64_t n = section->end - section->start + 1;
    if (section->values)
        return MPLAN_OK;
    mplan_status status = mplan_cgns_check_arrays(file, zone, section, err);
    if (status)
        return status;
    bool parents = section->parents && section->dimension < file->cell_dimension;
    section->values = mplan_alloc(section->size, sizeof *section->values, err);
    if (section->values && is_ragged(section))
        section->offsets = mplan_alloc(n + 1, sizeof *section->offsets, err);
    if (section->values && parents)
        section->parent = mplan_alloc_zero(n, 4 * sizeof *section->parent, err);
    if (!section->values || (is_ragged(section) && !section->offsets) ||
        (parents && !section->parent))
        return MPLAN_ERR_MEMORY;
    if (n == 0)
        return MPLAN_OK;
    if (section->counted)
        return mplan_cgns_load_counted(file, zone, section, err);
    int result = section->offsets
                     ? cg_poly_elements_read(file->file, file->base, zone->index, section->index,
                                             section->values, section->offsets, section->parent)
                     : cg_elements_read(file->file, file->base, zone->index, section->index,
                                        section->values, section->parent);
    return result == CG_OK ? mplan_interrupted(file->context, err)
                           : mplan_cgns_fail_library(file, zone, err);
}

/* Arrays of the section; it may be loaded again. */
void mplan_cgns_unload(mplan_cgns_section *section)
{
    free(section->values);
    free(section->offsets);
    free(section->types);
    free(section->parent);
    section->values = section->offsets = section->parent = NULL;
    section->types = NULL;
}

/* The section that holds the element with this number (from 1, within the zone),
 * NULL if none does. */
mplan_cgns_section *mplan_cgns_section_of(const mplan_cgns_zone *zone, int64_t element)
{
    for (int32_t s = 0; s < zone->n_sections; s++)
        if (element >= zone->sections[s].start && element <= zone->sections[s].end)
            return &zone->sections[s];
    return NULL;
}

/* Element e of the section, from 0. *nodes: views of its node numbers within the
 * zone, from 1. */
mplan_status mplan_cgns_element(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                const mplan_cgns_section *section, int64_t e, mplan_cell_type *type,
                                const cgsize_t **nodes, int64_t *n_nodes, mplan_error *err)
{
    if (!section->offsets) {
        *type = mplan_cgns_cell_type(section->type);
        *n_nodes = mplan_cell_type_nodes(*type);
        *nodes = section->values + e * *n_nodes;
        return MPLAN_OK;
    }
    int64_t first = section->offsets[e], end = section->offsets[e + 1];
    if (first < 0 || end < first || end > section->size)
        return fail_section(file, zone, section, MPLAN_ERR_CORRUPT,
                            "its offsets must ascend and stay within the section", err);
    *type = MPLAN_N_CELL_TYPES;
    if (section->type == CGNS_ENUMV(MIXED)) {
        if (end > first)
            *type = mplan_cgns_cell_type((CGNS_ENUMT(ElementType_t))section->values[first++]);
        if (*type == MPLAN_N_CELL_TYPES || end - first != mplan_cell_type_nodes(*type))
            return fail_section(file, zone, section, MPLAN_ERR_UNSUPPORTED,
                                "an element is of a type that is not supported", err);
    } else if (section->type == CGNS_ENUMV(NGON_n) && (end - first == 3 || end - first == 4)) {
        *type = end - first == 3 ? MPLAN_CELL_TRI3 : MPLAN_CELL_QUAD4;
    }
    *nodes = section->values + first;
    *n_nodes = end - first;
    return MPLAN_OK;
}

/* --- cells ----------------------------------------------------------------------------------------- */

/* The cells of all zones: types one per cell, nodes one cell after the other. */
typedef struct cell_list {
    uint8_t *types;
    int32_t *nodes;
    int64_t n_cells, n_nodes; /* so far */
} cell_list;

/* Appends the cell; cells->nodes has room for it. Nodes become those of the
 * joined mesh. */
static mplan_status add_cell(const mplan_cgns *file, const mplan_cgns_zone *zone,
                             const mplan_cgns_section *section, int64_t e, mplan_cell_type type,
                             const cgsize_t *nodes, cell_list *cells, mplan_error *err)
{
    int32_t n = mplan_cell_type_nodes(type), *out = cells->nodes + cells->n_nodes;
    for (int32_t k = 0; k < n; k++) {
        if (nodes[k] < 1 || nodes[k] > zone->n_nodes)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: zone %s: section %s: element %lld has node %lld, not in [1, %lld]",
                              file->input->path, zone->name, section->name,
                              (long long)(section->start + e), (long long)nodes[k],
                              (long long)zone->n_nodes);
        out[k] = mplan_cgns_node(file, zone, nodes[k] - 1);
    }
    mplan_order_nodes(MPLAN_NUMBERING_CGNS, type, 1, out);
    cells->types[cells->n_cells++] = (uint8_t)type;
    cells->n_nodes += n;
    return MPLAN_OK;
}

/* Cells of the highest dimension only; section->first_cell is where its own
 * begin.
 * cells has room for all elements of the section (count_cells). */
static mplan_status add_section(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                mplan_cgns_section *section, cell_list *cells, mplan_error *err)
{
    int64_t n = section->end - section->start + 1;
    mplan_status status = mplan_cgns_load(file, zone, section, err);
    section->first_cell = cells->n_cells;
    for (int64_t e = 0; e < n && !status; e++) {
        mplan_cell_type type;
        const cgsize_t *nodes;
        int64_t n_nodes;
        status = mplan_cgns_element(file, zone, section, e, &type, &nodes, &n_nodes, err);
        if (!status && type == MPLAN_N_CELL_TYPES)
            status = fail_section(file, zone, section, MPLAN_ERR_UNSUPPORTED,
                                  "polygons of more than four nodes are not supported as cells", err);
        if (!status && mplan_cell_type_dimension(type) == file->cell_dimension)
            status = add_cell(file, zone, section, e, type, nodes, cells, err);
    }
    mplan_cgns_unload(section);
    return status;
}

/* Cells of a structured zone, i fastest, corners in VTK's order.
 * cells has room for zone->n_cells; directions that the zone lacks count as one step. */
static void add_grid(const mplan_cgns *file, const mplan_cgns_zone *zone, cell_list *cells)
{
    static const mplan_cell_type types[] = {MPLAN_CELL_LINE2, MPLAN_CELL_QUAD4, MPLAN_CELL_HEX8};
    static const int8_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int n = file->cell_dimension;
    int64_t steps[3] = {zone->size[0] - 1, n > 1 ? zone->size[1] - 1 : 1,
                        n > 2 ? zone->size[2] - 1 : 1};
    for (int64_t k = 0; k < steps[2] && zone->n_cells > 0; k++)
        for (int64_t j = 0; j < steps[1]; j++)
            for (int64_t i = 0; i < steps[0]; i++) {
                for (int c = 0; c < 1 << n; c++)
                    cells->nodes[cells->n_nodes++] =
                        mplan_cgns_node(file, zone,
                                        mplan_cgns_grid_node(zone, i + corner[c][0],
                                                             j + corner[c][1], k + corner[c][2]));
                cells->types[cells->n_cells++] = (uint8_t)types[n - 1];
            }
}

/* Sections may hold cells: of their dimension, or of several. */
static bool may_hold(const mplan_cgns *file, const mplan_cgns_section *section)
{
    return section->dimension == file->cell_dimension || section->type == CGNS_ENUMV(MIXED);
}

/* At most so many cells and nodes of theirs.
 * Both are bounds for allocation: MIXED sections hold facets, too, and their size counts types. */
static mplan_status count_cells(const mplan_cgns *file, int64_t *n_cells, int64_t *n_nodes,
                                mplan_error *err)
{
    *n_cells = *n_nodes = 0;
    for (int32_t z = 0; z < file->n_zones; z++) {
        const mplan_cgns_zone *zone = &file->zones[z];
        if (zone->structured) {
            *n_cells += zone->n_cells;
            *n_nodes += zone->n_cells << file->cell_dimension;
        }
        for (int32_t s = 0; s < zone->n_sections; s++) {
            mplan_cgns_section *section = &zone->sections[s];
            if (!may_hold(file, section))
                continue;
            mplan_status status = mplan_cgns_check_arrays(file, zone, section, err);
            if (status)
                return status;
            *n_cells += section->end - section->start + 1;
            *n_nodes += section->size;
        }
    }
    if (*n_cells < INT32_MAX)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: %lld cells exceed 32 bits",
                      file->input->path, (long long)*n_cells);
}

/* Gives back the room that was taken for the most cells that there could be. */
static mplan_status fit(cell_list *cells, mplan_error *err)
{
    uint8_t *types = mplan_realloc(cells->types, cells->n_cells, sizeof *types, err);
    cells->types = types ? types : cells->types;
    int32_t *nodes = types ? mplan_realloc(cells->nodes, cells->n_nodes, sizeof *nodes, err) : NULL;
    cells->nodes = nodes ? nodes : cells->nodes;
    return nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Counted first, so that memory is bounded by the size of the file. */
mplan_status mplan_cgns_read_cells(mplan_cgns *file, mplan_error *err)
{
    cell_list cells = {NULL, NULL, 0, 0};
    int64_t most_cells, most_nodes;
    mplan_status status = count_cells(file, &most_cells, &most_nodes, err);
    if (!status) {
        cells.types = mplan_alloc(most_cells, sizeof *cells.types, err);
        cells.nodes = cells.types ? mplan_alloc(most_nodes, sizeof *cells.nodes, err) : NULL;
        status = cells.nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    for (int32_t z = 0; z < file->n_zones && !status; z++) {
        mplan_cgns_zone *zone = &file->zones[z];
        zone->first_cell = cells.n_cells;
        if (zone->structured)
            add_grid(file, zone, &cells);
        for (int32_t s = 0; s < zone->n_sections && !status; s++)
            if (may_hold(file, &zone->sections[s]))
                status = add_section(file, zone, &zone->sections[s], &cells, err);
        zone->n_cells = cells.n_cells - zone->first_cell;
    }
    if (!status && cells.n_cells == 0)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: the zones have no cells", file->input->path);
    if (!status)
        status = fit(&cells, err);
    if (status) {
        free(cells.types);
        free(cells.nodes);
        return status;
    }
    return mplan_mesh_take_cells(file->mesh, file->n_nodes, cells.n_cells, cells.types, cells.nodes,
                                 err);
}
#endif
