/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_reading.c - arrays of a piece of a VTK XML file as ends and numbers of points */
#ifdef MPLAN_HAVE_EXPAT
#include "base/error.h"
#include "formats/vtk/vtu_reader.h"

/* The array must be there and long enough for n numbers; the least bytes for
 * them are taken off the budget, which is that of the whole file. */
mplan_status mplan_vtu_need_array(vtu_budget *budget, const mplan_vtu_array *array,
                                  const char *what, int64_t n, mplan_error *err)
{
    if (n == 0)
        return MPLAN_OK;
    if (!array->tag)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no array %s", budget->file->path,
                          what);
    if (!array->begin)
        return mplan_vtu_fail(budget->file, array->tag, err, MPLAN_ERR_CORRUPT,
                              "the array %s is empty", what);
    int64_t least = mplan_vtu_least_bytes(budget->file, array, n);
    if (least > budget->left || least > array->end - array->begin)
        return mplan_vtu_fail(budget->file, array->tag, err, MPLAN_ERR_CORRUPT,
                              "the file ends before the %lld numbers of %s", (long long)n, what);
    budget->left -= least;
    return MPLAN_OK;
}

/* *source: NULL for n = 0. */
mplan_status mplan_vtu_open_array(vtu_budget *budget, const mplan_vtu_piece *piece, int32_t index,
                                  int64_t n, bool exact, mplan_vtu_source **source, mplan_error *err)
{
    const mplan_vtu_array *array = &piece->arrays[index];
    const char *what = mplan_vtu_array_names[index];
    mplan_status status = mplan_vtu_need_array(budget, array, what, n, err);
    return !status ? mplan_vtu_open(budget->file, array, what, n, exact, source, err) : status;
}

/* got: numbers since the last call. */
mplan_status mplan_vtu_pause_after(vtu_reader *reader, int64_t got, mplan_error *err)
{
    reader->done += got;
    return mplan_heed(reader->file.context, "read", reader->done, reader->total, err);
}

/* n ends that ascend, as offsets behind `first`; `base` is added, and the sum bounded, so that
 * pieces cannot add up to more than 64 bits hold. none: -1 means no entries, which an equal
 * end says here. */
mplan_status mplan_vtu_read_ends(vtu_reader *reader, const mplan_vtu_piece *piece, int32_t index,
                                 int64_t n, int64_t base, bool none, int64_t *to, mplan_error *err)
{
    mplan_vtu_source *source = NULL;
    int64_t batch[MPLAN_VTU_BATCH], got = 1, last = 0, at = 0;
    /* faces that no polyhedron has may follow */
    mplan_status status = mplan_vtu_open_array(&reader->budget, piece, index, n,
                                               index != MPLAN_VTU_FACE_OFFSETS, &source, err);
    while (!status && source && got > 0) {
        status = mplan_vtu_next_whole(source, batch, &got, err);
        for (int64_t i = 0; i < got && !status; i++, at++) {
            if (none && batch[i] == -1)
                batch[i] = last;
            if (batch[i] < last || batch[i] > INT64_MAX / 64 - base)
                status = mplan_vtu_fail_in(source, err, MPLAN_ERR_CORRUPT,
                                           "entry %lld of %s is %lld", (long long)at,
                                           mplan_vtu_array_names[index], (long long)batch[i]);
            last = batch[i];
            to[at] = base + last;
        }
        if (!status)
            status = mplan_vtu_pause_after(reader, got, err);
    }
    mplan_vtu_close(source);
    return status;
}

/* n whole numbers in [0, limit); base is added where that is asked for. limit + base must fit 32
 * bits. */
mplan_status mplan_vtu_read_ids(vtu_reader *reader, const mplan_vtu_piece *piece, int32_t index,
                                int64_t n, int64_t base, int64_t limit, bool exact, int32_t *to,
                                mplan_error *err)
{
    mplan_vtu_source *source = NULL;
    int64_t batch[MPLAN_VTU_BATCH], got = 1;
    mplan_status status = mplan_vtu_open_array(&reader->budget, piece, index, n, exact, &source, err);
    while (!status && source && got > 0) {
        status = mplan_vtu_next_whole(source, batch, &got, err);
        for (int64_t i = 0; i < got && !status; i++) {
            if (batch[i] < 0 || batch[i] >= limit)
                status = mplan_vtu_fail_in(source, err, MPLAN_ERR_MESH,
                                           "%s has %lld, which is not in [0, %lld)",
                                           mplan_vtu_array_names[index], (long long)batch[i],
                                           (long long)limit);
            *to++ = (int32_t)(batch[i] + base);
        }
        if (!status)
            status = mplan_vtu_pause_after(reader, got, err);
    }
    mplan_vtu_close(source);
    return status;
}
#else
typedef int mplan_vtu_reading_needs_expat; /* a file holds something */
#endif
