/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_layout.c - where the datasets of an OP2 file are */
#include "formats/op2/op2_hdf5_layout.h"

#ifdef MPLAN_HAVE_HDF5
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shared_memory.h"
#include "formats/hdf5_image.h"
#include "formats/library_lock.h"
#include "formats/op2/op2_hdf5_tables.h"

_Static_assert((int)MPLAN_OP2_PLACE_NAME == (int)OP2_NAME_SIZE, "names are copied whole");

/* The numbers of a dataset: type, byte order and place. What is not in one piece, or of another type, has no place. */
static void place_dataset(hid_t dataset, mplan_op2_place *out)
{
    hid_t type = H5Dget_type(dataset), plist = H5Dget_create_plist(dataset);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const size_t size = type >= 0 ? H5Tget_size(type) : 0;
    const H5T_order_t order = type >= 0 ? H5Tget_order(type) : H5T_ORDER_ERROR;
    const bool whole = class == H5T_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8);
    const bool real = class == H5T_FLOAT && (size == 4 || size == 8);
    const haddr_t at = H5Dget_offset(dataset);
    out->at = -1;
    out->size = (uint8_t)(whole || real ? size : 0);
    out->type = real ? 'f' : whole && H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
    out->big_endian = order == H5T_ORDER_BE;
    if ((whole || real) && (order == H5T_ORDER_BE || order == H5T_ORDER_LE) && plist >= 0 &&
        H5Pget_layout(plist) == H5D_CONTIGUOUS && H5Pget_nfilters(plist) == 0 &&
        at != HADDR_UNDEF && at <= INT64_MAX)
        out->at = (int64_t)at;
    if (plist >= 0)
        H5Pclose(plist);
    if (type >= 0)
        H5Tclose(type);
}

static mplan_status place_tables(mplan_op2_file *file, int answer, mplan_error *err)
{
    mplan_status status = mplan_op2_list_tables(file, err);
    for (int64_t t = 0; t < file->n_tables && !status; t++) {
        const mplan_op2_table *of = &file->tables[t];
        mplan_op2_place place = {.kind = of->kind == OP2_KIND_SET   ? 's'
                                         : of->kind == OP2_KIND_MAP ? 'm'
                                                                    : 'd',
                                 .coordinates = mplan_op2_is_coordinates(of),
                                 .rows = of->rows,
                                 .cols = of->cols,
                                 .value = of->value,
                                 .at = -1};
        memcpy(place.name, of->name, sizeof place.name);
        memcpy(place.from, of->from, sizeof place.from);
        memcpy(place.to, of->to, sizeof place.to);
        hid_t dataset = H5Dopen2(file->file, of->name, H5P_DEFAULT);
        if (dataset >= 0) {
            place_dataset(dataset, &place);
            H5Dclose(dataset);
        }
        status = mplan_shared_write(answer, &place, sizeof place, err);
    }
    return status;
}

mplan_status mplan_op2_hdf5_layout(const mplan_input *input, int answer, mplan_error *err)
{
    mplan_status status;
    mplan_op2_file file = {.input = input,
                           .most_bytes = input->size < INT64_MAX ? (int64_t)input->size : INT64_MAX};
    mplan_library_lock();
    mplan_op2_silence before = mplan_op2_be_silent();
    file.file = mplan_hdf5_open_image(input);
    if (file.file >= 0) {
        status = place_tables(&file, answer, err);
        free(file.tables);
        H5Fclose(file.file);
    } else {
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: the HDF5 file cannot be opened: it is damaged or truncated",
                            input->path);
    }
    mplan_op2_speak_again(&before);
    mplan_library_unlock();
    return status;
}
#else
typedef int mplan_no_op2_layout;
#endif
