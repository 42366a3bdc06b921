/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - how much memory an input may ask for
 *
 * Inputs are not trusted: 11 bytes may name point 2,000,000,000, and a kilobyte of gzip holds a megabyte. What an
 * input makes a call use is bounded by its bytes (inflated ones where it is compressed), unless the context's
 * max_memory says otherwise. */
#ifndef MPLAN_LIMITS_H
#define MPLAN_LIMITS_H

#include "meshplan.h"

/* The bound without max_memory: 50 bytes for each byte of input, and 64 MB. */
#define MPLAN_MEMORY_PER_INPUT INT64_C(50)
#define MPLAN_MEMORY_BASE INT64_C(64000000)
/* Bytes that one compressed input may hold, without max_inflate: 64 GiB. */
#define MPLAN_INFLATE_LIMIT (INT64_C(64) << 30)

/* MPLAN_ERR_MEMORY when a compressed input of that name holds `bytes`, and that is more than may be inflated or
 * than max_memory of the context. */
mplan_status mplan_limit_inflated(const mplan_context *context, const char *path, uint64_t bytes,
                                  mplan_error *err);

#endif
