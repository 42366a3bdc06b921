/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_place.c - where a dataset of an HDF5 file has its numbers */
#include "formats/hdf5_place.h"

#ifdef MPLAN_HAVE_HDF5
#include <assert.h>

/* Numbers are those of the machine's formats in either byte order: whole ones fill all of their bits, and reals are those of
 * IEEE 754, which HDF5's predefined types are compared with. */
static bool is_plain(hid_t type, H5T_class_t class, size_t size)
{
    if (class == H5T_INTEGER)
        return (size == 1 || size == 2 || size == 4 || size == 8) &&
               H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0;
    return class == H5T_FLOAT &&
           (H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0 ||
            H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0);
}

void mplan_hdf5_place(hid_t dataset, mplan_places_array *array)
{
    assert(dataset >= 0 && array);
    const hid_t type = H5Dget_type(dataset), plist = H5Dget_create_plist(dataset);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const size_t size = type >= 0 ? H5Tget_size(type) : 0;
    const H5T_order_t order = type >= 0 ? H5Tget_order(type) : H5T_ORDER_ERROR;
    const bool numbers = type >= 0 && (order == H5T_ORDER_BE || order == H5T_ORDER_LE) &&
                         is_plain(type, class, size);
    const haddr_t at = H5Dget_offset(dataset);
    array->at = -1;
    array->size = numbers ? (int32_t)size : 0;
    array->kind = class == H5T_FLOAT                             ? 'f'
                  : numbers && H5Tget_sign(type) == H5T_SGN_NONE ? 'u'
                                                                 : 'i';
    array->big_endian = order == H5T_ORDER_BE;
    if (numbers && plist >= 0 && H5Pget_layout(plist) == H5D_CONTIGUOUS &&
        H5Pget_nfilters(plist) == 0 && H5Pget_external_count(plist) == 0 && at != HADDR_UNDEF &&
        at <= INT64_MAX)
        array->at = (int64_t)at;
    if (plist >= 0)
        H5Pclose(plist);
    if (type >= 0)
        H5Tclose(type);
}
#else
typedef int mplan_no_hdf5_place;
#endif
