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

/* Without the library: by names that the header must contain. */
static mplan_netcdf_kind kind_by_words(const uint8_t *data, size_t size)
{
    size_t first = size < 1u << 20 ? size : 1u << 20;
    if (mplan_bytes_hold(data, first, "mesh_topology"))
        return MPLAN_NETCDF_UGRID;
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

/* What the file is for: a mesh_topology makes it UGRID's, blocks of elements Exodus'. Files that
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
    mplan_netcdf_kind kind = MPLAN_NETCDF_OTHER;
    if (has_topology(&file))
        kind = MPLAN_NETCDF_UGRID;
    else if (mplan_netcdf_dimension(&file, "num_el_blk", NULL) >= 0 &&
             mplan_netcdf_dimension(&file, "num_nodes", NULL) >= 0)
        kind = MPLAN_NETCDF_EXODUS;
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
