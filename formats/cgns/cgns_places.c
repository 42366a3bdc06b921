/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_places.c - where the numbers of an unstructured zone of a CGNS file in HDF5 are
 *
 * After "CGNS HDF5 mapping" (the SIDS file mapping manual): the array of a node is the dataset " data" in the group of its name.
 * Nodes of several zones would have to be joined, and sections of several types, or of polyhedra, need numbers to be read before
 * others can be placed: such files are left to the serial reader. */
#include "formats/cgns/cgns.h"

#ifdef MPLAN_HAVE_CGNS
#include <string.h>

#include "base/error.h"
#include "formats/hdf5_image.h"
#include "formats/hdf5_place.h"
#include "formats/side_order.h"

#ifdef MPLAN_HAVE_HDF5

/* A file that is placed: its tree a second time, as its bytes are in memory. */
typedef struct placing {
    const mplan_cgns *file;
    const mplan_cgns_zone *zone;
    hid_t image;
    char base[MPLAN_CGNS_NAME];
} placing;

/* The array of rows x cols numbers of the node at `path` in the zone. */
static mplan_status place_array(const placing *p, const char *path, int64_t rows, int64_t cols,
                                int32_t *index, mplan_error *err)
{
    char name[6 * MPLAN_CGNS_NAME], what[6 * MPLAN_CGNS_NAME + 80];
    mplan_places_array array = {.at = -1, .rows = rows, .cols = cols};
    snprintf(name, sizeof name, "/%s/%s/%s/ data", p->base, p->zone->name, path);
    const hid_t dataset = H5Dopen2(p->image, name, H5P_DEFAULT);
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == rows * cols)
        mplan_hdf5_place(dataset, &array);
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    snprintf(what, sizeof what, "the array %s is not in one piece (chunks, compression)", path);
    if (array.size == 0 || (array.at < 0 && rows > 0))
        return mplan_places_refuse(p->file->input->path, what, err);
    array.at = array.at < 0 ? 0 : array.at;
    memcpy(array.member, path, strlen(path));
    return mplan_places_add_array(p->file->layout, &array, (int64_t)p->file->input->size, index, err);
}

/* As read_axis and add_nodes have them: a line in one dimension gets a second. */
static mplan_status place_nodes(const placing *p, mplan_error *err)
{
    static const char *const names[] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
    const int axes = p->file->space_dimension;
    mplan_places_points *points = NULL;
    mplan_status status = mplan_places_add_points(p->file->layout, "nodes", axes == 3 ? 3 : 2,
                                                  &points, err);
    for (int d = 0; d < axes && !status; d++) {
        char path[2 * MPLAN_CGNS_NAME];
        snprintf(path, sizeof path, "GridCoordinates/%s", names[d]);
        status = place_array(p, path, p->zone->n_nodes, 1, &points->array[d], err);
    }
    return status ? status : mplan_places_add_set(p->file->layout, "nodes", p->zone->n_nodes, err);
}

/* Cells of one type, nodes in the order of ours. */
static mplan_status place_section(const placing *p, mplan_cgns_section *section, int64_t *n_cells,
                                  mplan_error *err)
{
    const mplan_cell_type type = mplan_cgns_cell_type(section->type);
    const int64_t n = section->end - section->start + 1;
    char path[3 * MPLAN_CGNS_NAME];
    int8_t order[MPLAN_PLACES_NODES] = {0};
    int32_t array = -1;
    if (type == MPLAN_N_CELL_TYPES)
        return mplan_places_refuse(p->file->input->path,
                                   "a section has elements of several types, polygons or polyhedra",
                                   err);
    if (section->dimension < p->file->cell_dimension)
        return MPLAN_OK;
    const char *letters = mplan_node_order(MPLAN_NUMBERING_CGNS, type);
    for (int32_t k = 0; letters && k < mplan_cell_type_nodes(type); k++)
        order[k] = (int8_t)(letters[k] - 'A');
    mplan_status status = mplan_cgns_check_arrays(p->file, p->zone, section, err);
    snprintf(path, sizeof path, "%s/ElementConnectivity", section->name);
    if (!status)
        status = place_array(p, path, n, mplan_cell_type_nodes(type), &array, err);
    *n_cells += n;
    return status ? status
                  : mplan_places_add_block(p->file->layout, array, (int32_t)type,
                                           letters ? order : NULL, err);
}

/* Sections of the highest dimension, in their order. */
static mplan_status place_cells(const placing *p, mplan_error *err)
{
    mplan_places *layout = p->file->layout;
    mplan_places_table *table = NULL;
    int64_t n_cells = 0;
    mplan_status status = mplan_places_add_table(layout, "cells_nodes", "cells", "nodes", &table,
                                                 err);
    if (!status) {
        table->base = 1;
        table->has_none = false;
    }
    for (int32_t s = 0; s < p->zone->n_sections && !status; s++)
        status = place_section(p, &p->zone->sections[s], &n_cells, err);
    if (!status && n_cells == 0)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: the zones have no cells", p->file->input->path);
    return status ? status : mplan_places_add_set(layout, "cells", n_cells, err);
}

/* Whether nodes of the zone may be joined to others, or to one another. */
static bool has_interfaces(const mplan_cgns *file, const mplan_cgns_zone *zone)
{
    int n = 0, one_to_one = 0;
    return cg_nconns(file->file, file->base, zone->index, &n) != CG_OK || n > 0 ||
           cg_n1to1(file->file, file->base, zone->index, &one_to_one) != CG_OK || one_to_one > 0;
}

mplan_status mplan_cgns_place(const mplan_cgns *file, mplan_error *err)
{
    placing p = {.file = file, .zone = file->zones, .image = -1};
    int cells, space;
    if (file->n_zones != 1 || p.zone->structured)
        return mplan_places_refuse(file->input->path, "the mesh is not one unstructured zone", err);
    if (has_interfaces(file, p.zone))
        return mplan_places_refuse(file->input->path, "the zone has interfaces", err);
    if (cg_base_read(file->file, file->base, p.base, &cells, &space) != CG_OK)
        return mplan_cgns_fail_library(file, NULL, err);
    p.image = mplan_hdf5_open_image(file->input);
    if (p.image < 0)
        return mplan_places_refuse(file->input->path, "the file is ADF, not HDF5", err);
    mplan_status status = place_nodes(&p, err);
    if (!status)
        status = place_cells(&p, err);
    H5Fclose(p.image);
    return status;
}
#else
mplan_status mplan_cgns_place(const mplan_cgns *file, mplan_error *err)
{
    return mplan_places_refuse(file->input->path, "this build has not libhdf5", err);
}
#endif
#endif
