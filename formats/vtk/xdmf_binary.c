/* SPDX-License-Identifier: Apache-2.0 */
/* xdmf_binary.c - numbers of an XDMF file that are in a raw file beside it (Format="Binary"), as meshio writes them
 *
 * After "Data Item" of the format's description: DataType or NumberType, Precision in bytes, Endian, Seek in bytes, Dimensions.
 * One deviation: the name of the file may be a path from the folder where meshio ran, or an absolute one. So what is not there
 * below the folder of the XDMF file is looked for beside it, by the last part of its name. */
#include "formats/vtk/xdmf.h"

#include "base/error.h"

#ifdef MPLAN_HAVE_EXPAT
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/byte_order.h"
#include "formats/sibling.h"

/* Where the file is: in the folder of the XDMF file or below it; the caller's. */
static mplan_status find_file(const mplan_xdmf *file, const mplan_xdmf_item *item, const char *name,
                              size_t length, char **path, mplan_error *err)
{
    const char *slash = strrchr(file->input->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - file->input->path) : 0;
    size_t last = length;
    while (last > 0 && name[last - 1] != '/' && name[last - 1] != '\\')
        last--;
    *path = NULL;
    if (last == length || length > 2048)
        return mplan_xdmf_fail(file, item->line, MPLAN_ERR_CORRUPT, "expected the name of a file",
                               err);
    if (!file->input->file)
        return mplan_xdmf_fail(file, item->line, MPLAN_ERR_UNSUPPORTED,
                               "numbers must be in a file beside this one", err);
    char *made = mplan_alloc((int64_t)(folder + length + 3), 1, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    memcpy(made, file->input->path, folder);
    bool found = false;
    for (int beside = !mplan_sibling_below(name, length); beside < 2 && !found; beside++) {
        const size_t skip = beside ? last : 0;
        /* "-" is a file here */
        snprintf(made + folder, length + 3, "%s%.*s", folder == 0 && name[skip] == '-' ? "./" : "",
                 (int)(length - skip), name + skip);
        found = access(made, F_OK) == 0;
        if (!found && !beside)
            mplan_looked(file->context, made);
    }
    *path = made; /* where it is not found, opening says so */
    return MPLAN_OK;
}

/* Number i of the item. Bytes of a number that is not whole are those of a float. */
static double number_at(const mplan_xdmf_item *item, const uint8_t *data, int64_t i)
{
    const uint64_t bits = mplan_load_bits(data + i * item->precision, item->precision, item->swapped);
    const int spare = 64 - 8 * item->precision;
    double f64;
    float f32;
    if (item->kind == MPLAN_XDMF_UINT)
        return (double)bits;
    if (item->kind == MPLAN_XDMF_INT) /* the sign is copied into the bytes that the number has not */
        return (double)((int64_t)(bits << spare) >> spare);
    if (item->precision == 8) {
        memcpy(&f64, &bits, sizeof f64);
        return f64;
    }
    const uint32_t low = (uint32_t)bits;
    memcpy(&f32, &low, sizeof f32);
    return f32;
}

/* Where the numbers lie, and how many there are: those that Dimensions tell, else all behind Seek. */
static mplan_status find_numbers(const mplan_xdmf *file, const mplan_xdmf_item *item,
                                 const mplan_file *data, int64_t *n, mplan_error *err)
{
    const int64_t size = (int64_t)data->size, room = size > item->seek ? size - item->seek : 0;
    char what[240];
    *n = item->n >= 0 ? item->n : room / item->precision;
    if (*n <= room / item->precision && (item->n >= 0 || room % item->precision == 0))
        return MPLAN_OK;
    snprintf(what, sizeof what,
             item->n >= 0
                 ? "the file of its numbers has %lld bytes: from byte %lld on, too few for %lld numbers of %d bytes"
                 : "the file of its numbers has %lld bytes: it ends, from byte %lld on, behind %lld numbers of %d "
                   "bytes and a part of one",
             (long long)size, (long long)item->seek, (long long)*n, (int)item->precision);
    return mplan_xdmf_fail(file, item->line, MPLAN_ERR_CORRUPT, what, err);
}

mplan_status mplan_xdmf_binary(const mplan_xdmf *file, const mplan_xdmf_item *item,
                               const char *name, size_t length, mplan_vector *to, mplan_error *err)
{
    mplan_file data = {0}; /* as it is: numbers may begin as gzip does */
    char *path = NULL;
    int64_t n = 0;
    mplan_status status = find_file(file, item, name, length, &path, err);
    if (!status)
        status = mplan_file_open_beside(path, file->context, &data, err);
    if (!status)
        status = find_numbers(file, item, &data, &n, err);
    double *room = status ? NULL : mplan_vector_reserve(to, n, err);
    if (!status && !room && n > 0)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        room[i] = number_at(item, data.data + item->seek, i);
    if (!status)
        to->count = n;
    mplan_file_close(&data);
    free(path);
    return status;
}
#endif
