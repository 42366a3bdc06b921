/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_tetgen.c - the files of TetGen and Triangle from arbitrary bytes, each ended by a byte of 1 */
#include <string.h>

#include "formats/fem/tetgen.h"
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input parts[MPLAN_TETGEN_PARTS];
    const uint8_t *end = data + size;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    mplan_format_tetgen.recognise(data, size);
    for (int p = 0; p < MPLAN_TETGEN_PARTS; p++) {
        const uint8_t *mark = data < end ? memchr(data, 1, (size_t)(end - data)) : NULL;
        const uint8_t *stop = mark ? mark : end;
        parts[p] = (mplan_input){"fuzz", data < end ? data : NULL, (size_t)(stop - data), NULL};
        data = mark ? mark + 1 : end;
    }
    if (!parts[MPLAN_TETGEN_ELE].data || mplan_mesh_create(&mesh, &err) != MPLAN_OK)
        return 0;
    if (mplan_tetgen_read(parts, NULL, mesh, &err) == MPLAN_OK &&
        mplan_mesh_validate(mesh, NULL, &err) == MPLAN_OK)
        fuzz_derive(mesh);
    mplan_mesh_free(mesh);
    return 0;
}
