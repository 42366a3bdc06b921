/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_foam.c - OpenFOAM meshes from arbitrary bytes: refused, or a mesh from which all can be derived
 *
 * The bytes are the files of a mesh in the order of foam_parts.h (points, faces, owner, neighbour, boundary, zones,
 * addresses), one behind the other, with a line of equals signs after each but the last. Points of class
 * decomposedBlockData are those of a case in parts. */
#include <string.h>

#include "formats/foam/foam_parts.h"
#include "fuzz_mesh.h"

static const char cut[] = "\n====\n";
enum { CUT = sizeof cut - 1 };

/* Where the next cut begins, or the end. */
static size_t find_cut(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at + CUT <= size; at++) {
        const uint8_t *newline = memchr(data + at, '\n',
                                        size - at); /* the fuzzer watches memcmp at a price */
        if (!newline || (size_t)(newline - data) + CUT > size)
            break;
        at = (size_t)(newline - data);
        if (data[at + 1] == '=' && memcmp(newline, cut, CUT) == 0)
            return at;
    }
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input parts[MPLAN_FOAM_FILES];
    mplan_mesh *mesh = NULL;
    mplan_error err;
    mplan_format_foam.recognise(data, size);
    for (int i = 0; i < MPLAN_FOAM_FILES; i++) {
        size_t length = i + 1 < MPLAN_FOAM_FILES ? find_cut(data, size) : size;
        size_t used = length + CUT < size ? length + CUT : size;
        parts[i] = (mplan_input){"fuzz", data, length, NULL};
        data += used;
        size -= used;
    }
    if (mplan_mesh_create(&mesh, &err) != MPLAN_OK)
        return 0;
    const mplan_foam_source source = {.folder = "fuzz", .inputs = parts};
    if (mplan_foam_read(&source, mesh, &err) == MPLAN_OK &&
        mplan_mesh_validate(mesh, NULL, &err) == MPLAN_OK)
        fuzz_derive(mesh);
    mplan_mesh_free(mesh);
    return 0;
}
