/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_numbers.c - one table of an HDF5 file, for readers of files that name tables of other files (XDMF)
 *
 * Known only to the program of libexec; the option zone is the path of the table. What comes back is a mesh of two sets:
 * `numbers`, of which it has a member each, and `pairs`, whose coordinates are the numbers, two by two; a last one is
 * followed by 0. */
#include "formats/hdf5/hdf5_tree.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_HDF5
/* Takes the numbers over.
 * They are n and, where n is odd, a 0 behind them, so that they fill (n + 1) / 2 rows of two. Released here where a
 * set cannot be added. */
static mplan_status put_numbers(mplan_mesh *mesh, int64_t n, double *numbers, mplan_error *err)
{
    int32_t pairs = -1;
    mplan_status status = mplan_mesh_add_set(mesh, "numbers", n, NULL, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "pairs", (n + 1) / 2, &pairs, err);
    if (!status)
        return mplan_mesh_take_coordinates(mesh, pairs, 2, numbers, err);
    free(numbers);
    return status;
}

/* The data set that `zone` names, as coordinates of two columns: an odd number of numbers gets a 0 behind it. */
static mplan_status read_numbers(const mplan_input *input, const mplan_read_options *options,
                                 const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    const char *path = options && options->zone ? options->zone : "";
    mplan_hdf5_tree tree;
    mplan_hdf5_shape shape = {.n = 0};
    double *numbers = NULL, *even = NULL;
    mplan_status status = mplan_hdf5_begin(&tree, input, context, err);
    if (status)
        return status;
    status = mplan_hdf5_real(&tree, path, &numbers, &shape, err);
    mplan_hdf5_end(&tree);
    if (!status && shape.n >= INT32_MAX - 1)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: %.400s has too many numbers",
                            input->path, path);
    if (!status && shape.n % 2 == 1) {
        even = mplan_realloc(numbers, shape.n + 1, sizeof *numbers, err);
        status = even ? MPLAN_OK : MPLAN_ERR_MEMORY;
        numbers = even ? even : numbers;
        if (even)
            even[shape.n] = 0;
    }
    if (!status)
        return put_numbers(mesh, shape.n, numbers, err);
    free(numbers);
    return status;
}

/* Only asked for by name.
 * Any HDF5 file has tables: its content does not say that it is this format's. */
static mplan_recognised recognise_numbers(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_hdf5_numbers = {
    .name = "hdf5-numbers",
    .description = "a table of an HDF5 file",
    .recognise = recognise_numbers,
    .read = read_numbers,
};
#endif
