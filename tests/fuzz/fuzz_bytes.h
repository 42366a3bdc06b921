/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_bytes.h - the bytes of a fuzzer as choices, one after the other; those that are missing are 0 */
#ifndef MPLAN_FUZZ_BYTES_H
#define MPLAN_FUZZ_BYTES_H

#include <stdint.h>

typedef struct fuzz_bytes {
    const uint8_t *at, *end;
} fuzz_bytes;

/* The next choice, in [0, most]; most < 256. */
static inline int fuzz_take(fuzz_bytes *from, int most)
{
    return from->at < from->end ? *from->at++ % (most + 1) : 0;
}

/* A number, mostly one of a small mesh, now and then negative or too large for 32 bits. */
static inline int64_t fuzz_take_number(fuzz_bytes *from)
{
    int value = fuzz_take(from, 255);
    return value < 232 ? value % 24 : value < 244 ? 232 - value : (int64_t)value << (value % 56);
}

#endif
