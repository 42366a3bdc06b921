/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_convert.c - numbers of every type in a VTK XML file as the machine's whole numbers and reals, and the
 * bytes that they take */
#include <string.h>

#include "formats/vtk/vtu.h"
#include "formats/vtk/vtu_lz4.h"

enum {
    ZLIB_RATIO = 1032, /* deflate's best */
    LZMA_RATIO = 8192  /* a match of 273 bytes costs 14 well predicted bits, 0.31 bits in all */
};

/* Bytes of a number. */
int32_t mplan_vtu_size_of(mplan_vtu_type type)
{
    static const int32_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

/* The fewest bytes in which n numbers can be: a digit and a blank each in text,
 * else by the largest ratio that the compressor reaches. */
int64_t mplan_vtu_least_bytes(const mplan_vtu_file *file, const mplan_vtu_array *array, int64_t n)
{
    int64_t size = mplan_vtu_size_of(array->type);
    if (n == 0)
        return 0;
    if (array->coding == MPLAN_VTU_TEXT)
        return n <= INT64_MAX / 2 ? 2 * n - 1 : INT64_MAX;
    if (n > INT64_MAX / 16)
        return INT64_MAX;
    int64_t bytes = n * size;
    if (file->compressor != MPLAN_VTU_PLAIN)
        return bytes / (file->compressor == MPLAN_VTU_ZLIB  ? ZLIB_RATIO
                        : file->compressor == MPLAN_VTU_LZ4 ? MPLAN_VTU_LZ4_RATIO
                                                            : LZMA_RATIO);
    return array->coding == MPLAN_VTU_BASE64 ? bytes / 3 * 4 : bytes;
}

/* n numbers of a type from bytes that need not be aligned. */
#define CONVERT(type)                                         \
    do {                                                      \
        type one;                                             \
        for (int64_t i = 0; i < n; i++, from += sizeof one) { \
            memcpy(&one, from, sizeof one);                   \
            to[i] = TO(one);                                  \
        }                                                     \
    } while (0)

/* False where a number is above INT64_MAX (to has it wrapped then), or the type is none of whole
 * numbers. */
bool mplan_vtu_convert_whole(mplan_vtu_type type, const uint8_t *from, int64_t n, int64_t *to)
{
#define TO(x) ((int64_t)(x))
    bool fits = true;
    switch (type) {
    case MPLAN_VTU_INT8: CONVERT(int8_t); break;
    case MPLAN_VTU_UINT8: CONVERT(uint8_t); break;
    case MPLAN_VTU_INT16: CONVERT(int16_t); break;
    case MPLAN_VTU_UINT16: CONVERT(uint16_t); break;
    case MPLAN_VTU_INT32: CONVERT(int32_t); break;
    case MPLAN_VTU_UINT32: CONVERT(uint32_t); break;
    case MPLAN_VTU_INT64: CONVERT(int64_t); break;
    case MPLAN_VTU_UINT64:
        CONVERT(uint64_t);
        for (int64_t i = 0; i < n; i++)
            fits = fits && to[i] >= 0;
        break;
    default: return false;
    }
#undef TO
    return fits;
}

/* Whole numbers beyond 2^53 are rounded. */
void mplan_vtu_convert_real(mplan_vtu_type type, const uint8_t *from, int64_t n, double *to)
{
#define TO(x) ((double)(x))
    switch (type) {
    case MPLAN_VTU_INT8: CONVERT(int8_t); break;
    case MPLAN_VTU_UINT8: CONVERT(uint8_t); break;
    case MPLAN_VTU_INT16: CONVERT(int16_t); break;
    case MPLAN_VTU_UINT16: CONVERT(uint16_t); break;
    case MPLAN_VTU_INT32: CONVERT(int32_t); break;
    case MPLAN_VTU_UINT32: CONVERT(uint32_t); break;
    case MPLAN_VTU_INT64: CONVERT(int64_t); break;
    case MPLAN_VTU_UINT64: CONVERT(uint64_t); break;
    case MPLAN_VTU_FLOAT32: CONVERT(float); break;
    case MPLAN_VTU_FLOAT64: CONVERT(double); break;
    }
#undef TO
}
