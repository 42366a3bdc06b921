/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_npy.c - .npy files as dats, and as tables with some choices of options */
#include <stdlib.h>

#include "formats/numpy/npy.h"
#include "formats/numbers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_dat(const mplan_input *input)
{
    mplan_error err;
    mplan_npy_header header;
    if (mplan_npy_parse(input, &header, &err) != MPLAN_OK)
        return;
    uint8_t *out = malloc((size_t)header.count * (size_t)header.size + 1);
    if (out)
        mplan_npy_copy(input, &header, out, &err);
    free(out);
}

static void read_table(const mplan_input *input, const mplan_table_options *options)
{
    mplan_error err;
    mplan_numbers numbers;
    mplan_mesh *mesh = NULL;
    if (mplan_npy_read_numbers(input, false, &numbers, &err) == MPLAN_OK &&
        mplan_mesh_create(&mesh, &err) == MPLAN_OK)
        mplan_table_from_numbers(mesh, input->path, &numbers, options, NULL, &err);
    mplan_numbers_free(&numbers);
    mplan_mesh_free(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input input = {"edges_cells.npy", data, size, NULL};
    mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
    read_dat(&input);
    read_table(&input, &options);
    options.transposed = true;
    options.none_below_base = true;
    read_table(&input, &options);
    options.transposed = false;
    options.none_below_base = false;
    options.base = 1;
    options.none = 0;
    options.to_size = 1000;
    read_table(&input, &options);
    return 0;
}
