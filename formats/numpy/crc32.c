/* SPDX-License-Identifier: Apache-2.0 */
/* crc32.c - the checksum of ZIP archives */
#include "formats/numpy/crc32.h"

#if defined MPLAN_HAVE_ZLIB

#include <zlib.h>

enum { PIECE = 1 << 30 };

/* crc: of what came before, 0 at first. The table costs 2,048 steps a call, so that pieces
 * should be large. */
uint32_t mplan_crc32(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *at = data;
    for (size_t n; size > 0; at += n, size -= n) {
        n = size < PIECE ? size : PIECE;
        crc = (uint32_t)crc32(crc, at, (uInt)n);
    }
    return crc;
}

#else

/* Of zip files: polynomial 0x04c11db7, bits reflected. crc: that of the bytes before, 0 at
 * first. The table is made at each call, so that no state is kept. */
uint32_t mplan_crc32(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *at = data;
    uint32_t table[256];
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t c = b;
        for (int32_t k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
        table[b] = c;
    }
    crc = ~crc;
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ at[i]) & 255];
    return ~crc;
}

#endif
