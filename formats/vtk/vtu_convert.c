/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_convert.c - numbers of every type in a VTK XML file as the machine's whole numbers and reals */
#include <string.h>

#include "formats/vtk/vtu.h"

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
