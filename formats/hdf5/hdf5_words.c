/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_words.c - HDF5 files looked at without libhdf5, and what is wrong with their tables */
#include <string.h>

#include "base/error.h"
#include "formats/bytes_hold.h"
#include "formats/hdf5/hdf5_tree.h"

/* Bytes at the beginning of a file that are searched: to recognise a large file must not take a walk over all of it. */
enum { LOOKED_AT = 1 << 20 };

bool mplan_hdf5_is_one(const uint8_t *data, size_t size)
{
    return size >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* HDF5 files hold names as they are. */
bool mplan_hdf5_has_word(const uint8_t *data, size_t size, const char *word)
{
    return mplan_bytes_hold(data, size < LOOKED_AT ? size : LOOKED_AT, word);
}

#ifndef MPLAN_HAVE_HDF5
/* Without the library by the word only: where in the tree it is cannot be asked. */
bool mplan_hdf5_holds(const uint8_t *data, size_t size, const char *path, const char *word)
{
    (void)path;
    return mplan_hdf5_is_one(data, size) && mplan_hdf5_has_word(data, size, word);
}
#endif

mplan_status mplan_hdf5_fail(const mplan_hdf5_tree *tree, const char *path, mplan_status status,
                             const char *what, mplan_error *err)
{
    return mplan_fail(err, status, "%s: %.400s %s", tree->input->path, path, what);
}
