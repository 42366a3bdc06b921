/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_kind.c - what kind of mesh a netCDF file holds
 *
 * Asked of libnetcdf, or in a build without it, and of files that it cannot open, of the words in the
 * file's first part: which reader it is for can then still be said. */
#include "formats/netcdf/netcdf_kind.h"

#include <string.h>

#include "formats/bytes_hold.h"
#include "formats/netcdf/netcdf_header.h"
#include "formats/netcdf/netcdf_input.h"

/* Without the library: by names that the header must contain.
 * FESOM2's are asked for first, as in mplan_netcdf_kind_of: newer ones have a mesh_topology, too. */
static mplan_netcdf_kind kind_by_words(const uint8_t *data, size_t size)
{
    size_t first = size < 1u << 20 ? size : 1u << 20;
    if (mplan_bytes_hold(data, first, "nlevels_nod2D"))
        return MPLAN_NETCDF_FESOM;
    if (mplan_bytes_hold(data, first, "mesh_topology"))
        return MPLAN_NETCDF_UGRID;
    if (mplan_bytes_hold(data, first, "verticesOnCell") && mplan_bytes_hold(data, first, "nCells"))
        return MPLAN_NETCDF_MPAS;
    if (mplan_bytes_hold(data, first, "vertex_of_cell"))
        return MPLAN_NETCDF_ICON;
    return mplan_bytes_hold(data, first, "num_el_blk") && mplan_bytes_hold(data, first, "num_nodes")
               ? MPLAN_NETCDF_EXODUS
               : MPLAN_NETCDF_OTHER;
}

#ifdef MPLAN_HAVE_NETCDF
/* Whether any variable is a UGRID topology. */
static bool has_topology(const mplan_netcdf *file)
{
    char role[32];
    int n = mplan_netcdf_n_variables(file);
    for (int v = 0; v < n; v++)
        if (mplan_netcdf_text(file, v, "cf_role", role, sizeof role) &&
            strcmp(role, "mesh_topology") == 0)
            return true;
    return false;
}

/* What a file without a mesh_topology is for, by the dimensions and a variable that only such files have. */
static mplan_netcdf_kind kind_by_names(const mplan_netcdf *file)
{
    static const struct {
        mplan_netcdf_kind kind;
        const char *dimensions[2], *variable;
    } kinds[] = {{MPLAN_NETCDF_EXODUS, {"num_el_blk", "num_nodes"}, NULL},
                 {MPLAN_NETCDF_MPAS, {"nCells", "nVertices"}, "verticesOnCell"},
                 {MPLAN_NETCDF_ICON, {"cell", "vertex"}, "vertex_of_cell"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (mplan_netcdf_dimension(file, kinds[k].dimensions[0], NULL) >= 0 &&
            mplan_netcdf_dimension(file, kinds[k].dimensions[1], NULL) >= 0 &&
            (!kinds[k].variable || mplan_netcdf_find(file, kinds[k].variable) >= 0))
            return kinds[k].kind;
    return MPLAN_NETCDF_OTHER;
}

/* What the file is for: nlevels_nod2D makes it FESOM2's, a mesh_topology UGRID's, blocks of elements Exodus'. Files that
 * the library cannot open are judged by the words they hold, so that the reader can say what is
 * wrong. */
mplan_netcdf_kind mplan_netcdf_kind_of(const uint8_t *data, size_t size)
{
    if (!mplan_netcdf_is_classic(data, size) && !mplan_netcdf_is_hdf5(data, size))
        return MPLAN_NETCDF_OTHER;
    const mplan_input input = {.path = "input", .data = data, .size = size};
    mplan_netcdf file;
    if (mplan_netcdf_open(&input, NULL, &file, NULL) != MPLAN_OK)
        return kind_by_words(data, size);
    const mplan_netcdf_kind kind = mplan_netcdf_find(&file, "nlevels_nod2D") >= 0 ? MPLAN_NETCDF_FESOM
                                   : has_topology(&file) ? MPLAN_NETCDF_UGRID
                                                         : kind_by_names(&file);
    mplan_netcdf_close(&file);
    return kind;
}
#else
mplan_netcdf_kind mplan_netcdf_kind_of(const uint8_t *data, size_t size)
{
    return mplan_netcdf_is_classic(data, size) || mplan_netcdf_is_hdf5(data, size)
               ? kind_by_words(data, size)
               : MPLAN_NETCDF_OTHER;
}
#endif
