/* vtu_convert.c - numbers of every type in a VTK XML file as the machine's whole numbers and reals */
#include <string.h>

#include "formats/vtu.h"

static uint64_t swapped(uint64_t bits, int32_t size)
{
    uint64_t turned = 0;
    for (int32_t k = 0; k < size; k++, bits >>= 8)
        turned = turned << 8 | (bits & 255);
    return turned;
}

void mplan_vtu_swap(uint8_t *bytes, int64_t n, int32_t size)
{
    for (int64_t i = 0; i < n && size > 1; i++) {
        uint64_t bits = 0;
        memcpy(&bits, bytes + i * size, (size_t)size);
        bits = swapped(bits, size);
        memcpy(bytes + i * size, &bits, (size_t)size);
    }
}

#define CONVERT(type)                                                           \
    do {                                                                        \
        type one;                                                               \
        for (int64_t i = 0; i < n; i++, from += sizeof one) {                   \
            memcpy(&one, from, sizeof one);                                     \
            to[i] = TO(one);                                                    \
        }                                                                       \
    } while (0)

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
