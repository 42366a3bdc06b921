/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - XXH3-64, the checksum of plan files and fingerprints
 *
 * Y. Collet, XXH3 (xxHash 0.8 specification), seed 0. libxxhash computes it
 * where the build has it, our own scalar code elsewhere; both give equal
 * values on every machine. */
#ifndef MPLAN_HASH_H
#define MPLAN_HASH_H

#include <stddef.h>
#include <stdint.h>

#define MPLAN_FINGERPRINT_PIECE (INT64_C(1) << 20)

/* XXH3-64 with seed 0 of size bytes (data may be NULL when size is 0). */
uint64_t mplan_hash(const void *data, size_t size);
/* The same by our own code, for builds without libxxhash and for tests. */
uint64_t mplan_hash_own(const void *data, size_t size);

/* mplan_hash of bytes that come one piece after the other. */
enum { MPLAN_HASH_BLOCK = 1024, MPLAN_HASH_STRIPE = 64 };
typedef struct mplan_hash_stream {
    uint64_t lanes[8];
    uint64_t size;                     /* of all that came */
    int32_t held;                      /* bytes of `block` that wait */
    uint8_t before[MPLAN_HASH_STRIPE]; /* the last of the block before, followed by */
    uint8_t block[MPLAN_HASH_BLOCK];
} mplan_hash_stream;
void mplan_hash_begin(mplan_hash_stream *stream);
void mplan_hash_more(mplan_hash_stream *stream, const void *data, size_t size);
/* The stream may go on afterwards. */
uint64_t mplan_hash_end(const mplan_hash_stream *stream);

/* Fingerprint of a stream of bytes: the stream is cut into pieces of 1 MiB
 * (the last may be shorter, an empty stream has none); the fingerprint is
 * XXH3-64 of the list of the pieces' XXH3-64, each 8 bytes little-endian. */
typedef struct mplan_fingerprint mplan_fingerprint;
/* NULL when memory runs out. */
mplan_fingerprint *mplan_fingerprint_begin(void);
struct mplan_team; /* base/threads.h */
/* Threads of the team (NULL: none) hash the pieces of what is handed over at once; the value is the same. */
void mplan_fingerprint_share(mplan_fingerprint *print, struct mplan_team *team);
void mplan_fingerprint_bytes(mplan_fingerprint *print, const void *data, size_t size);
void mplan_fingerprint_i64(mplan_fingerprint *print, int64_t value);
/* n numbers, each widened to int64 */
void mplan_fingerprint_i32s(mplan_fingerprint *print, const int32_t *values, int64_t n);
/* Writes the value and releases print (NULL allowed). False when memory ran
 * out on the way. */
int mplan_fingerprint_end(mplan_fingerprint *print, uint64_t *value);

#endif
