/* SPDX-License-Identifier: Apache-2.0 */
/* byte_order.h - numbers of files whose byte order is not the machine's */
#ifndef MPLAN_BYTE_ORDER_H
#define MPLAN_BYTE_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bits of a number of 1, 2, 4 or 8 bytes, above them zeros. */
static inline uint64_t mplan_load_bits(const void *from, int32_t size, bool swapped)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1: return *(const uint8_t *)from;
    case 2: memcpy(&two, from, 2); return swapped ? __builtin_bswap16(two) : two;
    case 4: memcpy(&four, from, 4); return swapped ? __builtin_bswap32(four) : four;
    default: memcpy(&eight, from, 8); return swapped ? __builtin_bswap64(eight) : eight;
    }
}

/* Turns n numbers of 1, 2, 4 or 8 bytes about, in place and wherever they lie. */
static inline void mplan_swap_bytes(void *numbers, int64_t n, int32_t size)
{
    uint8_t *at = numbers;
    if (size == 2)
        for (int64_t i = 0; i < n; i++, at += 2) {
            uint16_t x = (uint16_t)mplan_load_bits(at, 2, true);
            memcpy(at, &x, 2);
        }
    else if (size == 4)
        for (int64_t i = 0; i < n; i++, at += 4) {
            uint32_t x = (uint32_t)mplan_load_bits(at, 4, true);
            memcpy(at, &x, 4);
        }
    else if (size == 8)
        for (int64_t i = 0; i < n; i++, at += 8) {
            uint64_t x = mplan_load_bits(at, 8, true);
            memcpy(at, &x, 8);
        }
}

#endif
