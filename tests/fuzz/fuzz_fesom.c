/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_fesom.c - the files of a FESOM2 mesh from arbitrary bytes, each ended by a byte of 1 */
#include <string.h>

#include "formats/fem/fesom.h"
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input files[MPLAN_FESOM_FILES];
    const uint8_t *end = data + size;
    mplan_mesh *mesh = NULL;
    mplan_error err;
    for (int i = 0; i < MPLAN_FESOM_FILES; i++) {
        const uint8_t *cut = data < end ? memchr(data, 1, (size_t)(end - data)) : NULL;
        const size_t length = (size_t)((cut ? cut : end) - data);
        files[i] = (mplan_input){"fuzz", length ? data : NULL, length, NULL};
        data = cut ? cut + 1 : end;
    }
    if (mplan_mesh_create(&mesh, &err) != MPLAN_OK)
        return 0;
    if (mplan_fesom_read(files, NULL, mesh, &err) == MPLAN_OK &&
        mplan_mesh_validate(mesh, NULL, &err) == MPLAN_OK)
        fuzz_derive(mesh);
    mplan_mesh_free(mesh);
    return 0;
}
