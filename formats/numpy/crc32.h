/* SPDX-License-Identifier: Apache-2.0 */
/* crc32.h - the checksum of ZIP archives */
#ifndef MPLAN_CRC32_H
#define MPLAN_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of ISO 3309; `crc` is 0 or that of the bytes before. zlib's where the build has it. */
uint32_t mplan_crc32(uint32_t crc, const void *data, size_t size);

#endif
