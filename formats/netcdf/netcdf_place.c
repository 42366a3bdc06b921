/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_place.c - where the numbers of netCDF variables are in their file
 *
 * Classic files say it in their header; of netCDF-4 files, which are HDF5, libhdf5 tells it, since libnetcdf does not. */
#include "formats/netcdf/netcdf_input.h"

#ifdef MPLAN_HAVE_NETCDF
#include <assert.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/hdf5_image.h"
#include "formats/hdf5_place.h"
#include "formats/netcdf/netcdf_header.h"

/* Kind and size of a type's numbers, which are big-endian in classic files. Size 0: the type is not one of numbers. */
static void take_type(int type, mplan_places_array *array)
{
    static const struct {
        int type;
        char kind;
        int8_t size;
    } types[] = {{NC_BYTE, 'i', 1},   {NC_SHORT, 'i', 2}, {NC_INT, 'i', 4},    {NC_FLOAT, 'f', 4},
                 {NC_DOUBLE, 'f', 8}, {NC_UBYTE, 'u', 1}, {NC_USHORT, 'u', 2}, {NC_UINT, 'u', 4},
                 {NC_INT64, 'i', 8},  {NC_UINT64, 'u', 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) {
            array->kind = types[i].kind;
            array->size = types[i].size;
        }
    array->big_endian = true;
}

#ifdef MPLAN_HAVE_HDF5
/* A variable that is called like a dimension of other members has a name of its own in HDF5 (netCDF's documentation, "NetCDF-4
 * Format"). The file is opened a second time, as its bytes are in memory. */
static void place_in_hdf5(const mplan_netcdf *file, const char *name, mplan_places_array *array)
{
    char other[MPLAN_NETCDF_NAME + 20];
    const hid_t image = mplan_hdf5_open_image(file->input);
    if (image < 0)
        return;
    snprintf(other, sizeof other, "_nc4_non_coord_%s", name);
    const bool renamed = H5Lexists(image, other, H5P_DEFAULT) > 0;
    const hid_t dataset = H5Dopen2(image, renamed ? other : name, H5P_DEFAULT);
    if (dataset >= 0) {
        mplan_hdf5_place(dataset, array);
        H5Dclose(dataset);
    }
    H5Fclose(image);
}
#else
static void place_in_hdf5(const mplan_netcdf *file, const char *name, mplan_places_array *array)
{
    (void)file;
    (void)name;
    (void)array;
}
#endif

mplan_status mplan_netcdf_place(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                int64_t rows, int64_t cols, bool by_column, int32_t *array,
                                mplan_error *err)
{
    assert(file && file->layout && variable && array);
    mplan_places_array a = {.at = -1, .rows = rows, .cols = cols, .by_column = by_column};
    char what[MPLAN_NETCDF_NAME + 80];
    mplan_status status = MPLAN_OK;
    if (mplan_netcdf_is_classic(file->input->data, file->input->size)) {
        take_type(variable->type, &a);
        status = mplan_netcdf_begin_of(file->input, variable->name, &a.at, err);
    } else {
        place_in_hdf5(file, variable->name, &a);
    }
    if (status)
        return status;
    snprintf(what, sizeof what, "variable %s is not in one piece (records, chunks, compression)",
             variable->name);
    if (a.at < 0 && variable->count > 0)
        return mplan_places_refuse(file->input->path, what, err);
    if (a.size == 0) /* without numbers their type does not matter */
        a.size = 1, a.kind = 'i';
    a.at = a.at < 0 ? 0 : a.at;
    memcpy(a.member, variable->name, strlen(variable->name));
    return mplan_places_add_array(file->layout, &a, (int64_t)file->input->size, array, err);
}

/* names: of the map and of its sets. */
mplan_status mplan_netcdf_place_map(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                    const mplan_netcdf_ids *ids, int64_t rows, int64_t cols,
                                    bool by_column, const char *const names[3],
                                    mplan_places_table **table, mplan_error *err)
{
    assert(ids && names && table);
    int32_t array = -1;
    mplan_status status = mplan_netcdf_place(file, variable, rows, cols, by_column, &array, err);
    if (!status)
        status = mplan_places_add_table(file->layout, names[0], names[1], names[2], table, err);
    if (status)
        return status;
    mplan_places_table *t = *table;
    t->base = ids->base;
    t->to_size = ids->n_points;
    t->has_none = ids->none || ids->below;
    t->below = ids->below;
    t->nan = ids->none && (variable->type == NC_FLOAT || variable->type == NC_DOUBLE);
    t->n_fills = ids->none ? mplan_netcdf_fills(file, variable, t->fill) : 0;
    return mplan_places_add_block(file->layout, array, -1, NULL, err);
}
#endif
