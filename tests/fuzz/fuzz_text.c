/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_text.c - text as coordinates, and as tables with some choices of options */
#include <stdlib.h>

#include "formats/numbers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mplan_status read_table(const mplan_input *input, const mplan_table_options *options)
{
    mplan_error err;
    mplan_numbers numbers;
    mplan_mesh *mesh = NULL;
    mplan_status status = mplan_text_read_numbers(input, NULL, &numbers, &err);
    if (status == MPLAN_OK && !options) { /* coordinates */
        mplan_numbers_to_real(&numbers, &err);
        mplan_numbers_require_fixed(input->path, &numbers, &err);
    } else if (status == MPLAN_OK && mplan_mesh_create(&mesh, &err) == MPLAN_OK) {
        mplan_table_from_numbers(mesh, input->path, &numbers, options, NULL, &err);
    }
    mplan_numbers_free(&numbers);
    mplan_mesh_free(mesh);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input input = {"edges_cells.txt", data, size, NULL};
    mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
    mplan_status status = read_table(&input, NULL);
    /* what is recognised by its beginning is read; a short file is all beginning */
    bool recognised = mplan_format_text.recognise(input.data, input.size);
    if (recognised && status != MPLAN_OK && size < 1000)
        abort();
    if (status != MPLAN_OK)
        return 0;
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
