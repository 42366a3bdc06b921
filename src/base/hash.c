/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c - XXH3-64 with seed 0, and fingerprints of streams
 *
 * Our own code follows the xxHash specification, version 0.8 (Y. Collet,
 * doc/xxhash_spec.md, "XXH3 algorithm overview"), for seed 0 and the default
 * secret only; letters and constants are the specification's. */
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

#ifdef MPLAN_HAVE_XXHASH
#include <xxhash.h>
#endif

#define PRIME32_1 UINT64_C(0x9E3779B1)
#define PRIME32_2 UINT64_C(0x85EBCA77)
#define PRIME32_3 UINT64_C(0xC2B2AE3D)
#define PRIME64_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME64_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME64_3 UINT64_C(0x165667B19E3779F9)
#define PRIME64_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME64_5 UINT64_C(0x27D4EB2F165667C5)
#define PRIME_MX1 UINT64_C(0x165667919E3779F9)
#define PRIME_MX2 UINT64_C(0x9FB21C651E98DF25)

#define SECRET_BYTES 192
#define STRIPE 64
#define STRIPES_PER_BLOCK ((SECRET_BYTES - STRIPE) / 8)
#define BLOCK ((size_t)STRIPE * STRIPES_PER_BLOCK)

static const uint8_t secret[SECRET_BYTES] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

/* Little-endian, at any alignment. */
static uint64_t read64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* Little-endian, not aligned. */
static uint64_t read32(const uint8_t *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
}

static uint64_t swap64(uint64_t x)
{
    x = (x & UINT64_C(0x00FF00FF00FF00FF)) << 8 | (x >> 8 & UINT64_C(0x00FF00FF00FF00FF));
    x = (x & UINT64_C(0x0000FFFF0000FFFF)) << 16 | (x >> 16 & UINT64_C(0x0000FFFF0000FFFF));
    return x << 32 | x >> 32;
}

/* bits in [1, 63]. */
static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* Low half xor high half of the 128-bit product, by 32-bit pieces. */
static uint64_t multiply_fold(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t ll = al * bl, hl = ah * bl, lh = al * bh, hh = ah * bh;
    uint64_t cross = (ll >> 32) + (uint32_t)hl + lh;
    uint64_t high = (hl >> 32) + (cross >> 32) + hh;
    uint64_t low = cross << 32 | (uint32_t)ll;
    return low ^ high;
}

/* XXH3's last step. */
static uint64_t avalanche(uint64_t h)
{
    h ^= h >> 37;
    h *= PRIME_MX1;
    return h ^ h >> 32;
}

/* XXH64's last step, which XXH3 takes for inputs of up to 3 bytes. */
static uint64_t avalanche_xxh64(uint64_t h)
{
    h ^= h >> 33;
    h *= PRIME64_2;
    h ^= h >> 29;
    h *= PRIME64_3;
    return h ^ h >> 32;
}

/* 16 bytes of input with 16 of the key. */
static uint64_t mix16(const uint8_t *in, const uint8_t *key)
{
    return multiply_fold(read64(in) ^ read64(key), read64(in + 8) ^ read64(key + 8));
}

/* XXH3's rule for up to 16 bytes; the constants are the specification's. */
static uint64_t hash_to_16(const uint8_t *in, size_t size)
{
    if (size > 8) {
        uint64_t low = read64(in) ^ read64(secret + 24) ^ read64(secret + 32);
        uint64_t high = read64(in + size - 8) ^ read64(secret + 40) ^ read64(secret + 48);
        return avalanche(size + swap64(low) + high + multiply_fold(low, high));
    }
    if (size >= 4) {
        uint64_t h = (read32(in + size - 4) + (read32(in) << 32)) ^ read64(secret + 8) ^
                     read64(secret + 16);
        h ^= rotate(h, 49) ^ rotate(h, 24);
        h *= PRIME_MX2;
        h ^= (h >> 35) + size;
        h *= PRIME_MX2;
        return h ^ h >> 28;
    }
    if (size > 0) {
        uint64_t h = (uint64_t)in[0] << 16 | (uint64_t)in[size >> 1] << 24 |
                     (uint64_t)in[size - 1] | (uint64_t)size << 8;
        return avalanche_xxh64(h ^ read32(secret) ^ read32(secret + 4));
    }
    return avalanche_xxh64(read64(secret + 56) ^ read64(secret + 64));
}

/* 17 to 128 bytes, from both ends to the middle. */
static uint64_t hash_to_128(const uint8_t *in, size_t size)
{
    uint64_t sum = size * PRIME64_1;
    for (size_t i = (size - 1) / 32 + 1; i-- > 0;)
        sum += mix16(in + 16 * i, secret + 32 * i) +
               mix16(in + size - 16 * (i + 1), secret + 32 * i + 16);
    return avalanche(sum);
}

/* 129 to 240 bytes. */
static uint64_t hash_to_240(const uint8_t *in, size_t size)
{
    uint64_t sum = size * PRIME64_1;
    for (size_t i = 0; i < 8; i++)
        sum += mix16(in + 16 * i, secret + 16 * i);
    sum = avalanche(sum);
    for (size_t i = 8; i < size / 16; i++)
        sum += mix16(in + 16 * i, secret + 16 * (i - 8) + 3);
    sum += mix16(in + size - 16, secret + 136 - 17);
    return avalanche(sum);
}

/* One stripe of 64 bytes into 8 lanes, with 64 bytes of the key. */
static void accumulate(uint64_t lanes[8], const uint8_t *in, const uint8_t *key)
{
    for (int i = 0; i < 8; i++) {
        uint64_t value = read64(in + 8 * i);
        uint64_t mixed = value ^ read64(key + 8 * i);
        lanes[i ^ 1] += value;
        lanes[i] += (uint64_t)(uint32_t)mixed * (mixed >> 32);
    }
}

/* After each block of stripes. */
static void scramble(uint64_t lanes[8])
{
    for (int i = 0; i < 8; i++) {
        lanes[i] ^= lanes[i] >> 47;
        lanes[i] ^= read64(secret + SECRET_BYTES - STRIPE + 8 * i);
        lanes[i] *= PRIME32_1;
    }
}

/* Lanes of inputs of more than 240 bytes, before the first of them. */
static void begin_lanes(uint64_t lanes[8])
{
    static const uint64_t first[8] = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3,
                                      PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
    memcpy(lanes, first, sizeof first);
}

/* A whole block that is not the end of the input. */
static void take_block(uint64_t lanes[8], const uint8_t *in)
{
    for (size_t s = 0; s < STRIPES_PER_BLOCK; s++)
        accumulate(lanes, in + s * STRIPE, secret + 8 * s);
    scramble(lanes);
}

/* The rest: 1 to BLOCK bytes `in`, the last stripe read from the end of the input (which may begin before them), then all lanes
 * merged. size: of the whole input. */
static uint64_t end_lanes(uint64_t lanes[8], const uint8_t *in, size_t rest, uint64_t size)
{
    const size_t stripes = (rest - 1) / STRIPE;
    for (size_t s = 0; s < stripes; s++)
        accumulate(lanes, in + s * STRIPE, secret + 8 * s);
    accumulate(lanes, in + rest - STRIPE, secret + SECRET_BYTES - STRIPE - 7);
    uint64_t sum = size * PRIME64_1;
    for (int i = 0; i < 4; i++)
        sum += multiply_fold(lanes[2 * i] ^ read64(secret + 11 + 16 * i),
                             lanes[2 * i + 1] ^ read64(secret + 11 + 16 * i + 8));
    return avalanche(sum);
}

/* More than 240 bytes, in blocks of stripes. */
static uint64_t hash_long(const uint8_t *in, size_t size)
{
    uint64_t lanes[8];
    const size_t blocks = (size - 1) / BLOCK;
    begin_lanes(lanes);
    for (size_t b = 0; b < blocks; b++)
        take_block(lanes, in + b * BLOCK);
    return end_lanes(lanes, in + blocks * BLOCK, size - blocks * BLOCK, size);
}

/* XXH3, 64 bits, seed 0, as in its specification: equal to libxxhash's value. */
uint64_t mplan_hash_own(const void *data, size_t size)
{
    if (size <= 16)
        return hash_to_16(data, size);
    if (size <= 128)
        return hash_to_128(data, size);
    if (size <= 240)
        return hash_to_240(data, size);
    return hash_long(data, size);
}

/* XXH3, 64 bits, without a seed: equal with the library and without. */
uint64_t mplan_hash(const void *data, size_t size)
{
#ifdef MPLAN_HAVE_XXHASH
    return XXH3_64bits(data, size);
#else
    return mplan_hash_own(data, size);
#endif
}

/* --- bytes that come in pieces --- */

void mplan_hash_begin(mplan_hash_stream *stream)
{
    assert(stream && BLOCK == MPLAN_HASH_BLOCK && STRIPE == MPLAN_HASH_STRIPE);
    *stream = (mplan_hash_stream){.size = 0};
    begin_lanes(stream->lanes);
}

/* A full block waits until more comes, since the last one of the input is taken in another way. Its last stripe stays: `before`
 * and `block` lie behind one another. */
void mplan_hash_more(mplan_hash_stream *stream, const void *data, size_t size)
{
    const uint8_t *from = data;
    assert(stream && (data || size == 0));
    stream->size += size;
    while (size > 0) {
        if (stream->held == MPLAN_HASH_BLOCK) {
            take_block(stream->lanes, stream->block);
            memcpy(stream->before, stream->block + BLOCK - STRIPE, STRIPE);
            stream->held = 0;
        }
        const size_t room = (size_t)(MPLAN_HASH_BLOCK - stream->held);
        const size_t part = size < room ? size : room;
        memcpy(stream->block + stream->held, from, part);
        stream->held += (int32_t)part;
        from += part;
        size -= part;
    }
}

uint64_t mplan_hash_end(const mplan_hash_stream *stream)
{
    uint64_t lanes[8];
    uint8_t rest[MPLAN_HASH_STRIPE + MPLAN_HASH_BLOCK];
    assert(stream);
    if (stream->size <= 240)
        return mplan_hash_own(stream->block, (size_t)stream->size);
    memcpy(lanes, stream->lanes, sizeof lanes);
    memcpy(rest, stream->before, STRIPE);
    memcpy(rest + STRIPE, stream->block, (size_t)stream->held);
    return end_lanes(lanes, rest + STRIPE, (size_t)stream->held, stream->size);
}

/* --- fingerprints --- */

struct mplan_fingerprint {
    mplan_vector hashes; /* of the pieces, as bytes in the order of the file */
    mplan_vector piece;  /* bytes of the one that is not complete */
    bool failed;         /* memory ran out */
    mplan_team *team;
};

/* NULL without memory; all functions accept NULL, and the end then returns 0. */
mplan_fingerprint *mplan_fingerprint_begin(void)
{
    mplan_fingerprint *print = mplan_alloc(1, sizeof *print, NULL);
    if (print) {
        print->hashes = (mplan_vector)MPLAN_VECTOR_INIT(8);
        print->piece = (mplan_vector)MPLAN_VECTOR_INIT(1);
        print->failed = false;
        print->team = NULL;
    }
    return print;
}

void mplan_fingerprint_share(mplan_fingerprint *print, mplan_team *team)
{
    assert(print);
    print->team = team;
}

static void store64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* The hash of one piece joins the list of hashes. */
static void end_piece(mplan_fingerprint *print, const uint8_t *piece, size_t size)
{
    uint8_t bytes[8];
    store64(bytes, mplan_hash(piece, size));
    if (mplan_vector_push(&print->hashes, bytes, NULL))
        print->failed = true;
}

/* Whole pieces of a stream, hashed side by side: of bytes, or of numbers, which are widened first. */
typedef struct piece_work {
    const uint8_t *bytes; /* NULL: numbers */
    const int32_t *numbers;
    uint8_t *wide;   /* per thread, a piece of numbers */
    uint8_t *hashes; /* 8 bytes a piece */
} piece_work;

enum { PIECE = MPLAN_FINGERPRINT_PIECE, NUMBERS = PIECE / 8 };

/* Numbers as little-endian int64. */
static void widen(uint8_t *to, const int32_t *values, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        store64(to + 8 * k, (uint64_t)(int64_t)values[k]);
}

/* Pieces [begin, end). */
static void hash_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const piece_work *work = data;
    for (int64_t i = begin; i < end; i++) {
        const uint8_t *piece = work->bytes ? work->bytes + i * PIECE : NULL;
        if (!piece) {
            uint8_t *wide = work->wide + (int64_t)thread * PIECE;
            widen(wide, work->numbers + i * NUMBERS, NUMBERS);
            piece = wide;
        }
        store64(work->hashes + 8 * i, mplan_hash(piece, PIECE));
    }
}

/* n whole pieces, where none is begun. */
static void end_pieces(mplan_fingerprint *print, piece_work *work, int64_t n)
{
    work->hashes = mplan_vector_reserve(&print->hashes, n, NULL);
    if (!work->hashes) {
        print->failed = true;
        return;
    }
    mplan_for(print->team, n, 1, hash_pieces, work);
    print->hashes.count += n;
}

/* Hash of the hashes of pieces of MPLAN_FINGERPRINT_PIECE bytes: pieces may be hashed
 * by several threads, and the value does not depend on how the bytes were handed over. */
void mplan_fingerprint_bytes(mplan_fingerprint *print, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size > 0) {
        if (print->piece.count == 0 && size >= PIECE) {
            piece_work work = {.bytes = from};
            const size_t whole = size / PIECE;
            end_pieces(print, &work, (int64_t)whole);
            from += whole * PIECE;
            size -= whole * PIECE;
            continue;
        }
        size_t room = MPLAN_FINGERPRINT_PIECE - (size_t)print->piece.count;
        size_t part = size < room ? size : room;
        uint8_t *end = mplan_vector_reserve(&print->piece, (int64_t)part, NULL);
        if (!end) {
            print->failed = true;
            return;
        }
        memcpy(end, from, part);
        print->piece.count += (int64_t)part;
        from += part;
        size -= part;
        if (print->piece.count == MPLAN_FINGERPRINT_PIECE) {
            end_piece(print, print->piece.data, MPLAN_FINGERPRINT_PIECE);
            print->piece.count = 0;
        }
    }
}

/* Eight bytes, little-endian, on every machine. */
void mplan_fingerprint_i64(mplan_fingerprint *print, int64_t value)
{
    uint8_t bytes[8];
    store64(bytes, (uint64_t)value);
    mplan_fingerprint_bytes(print, bytes, sizeof bytes);
}

/* As little-endian int64, so that the width of ids does not show. */
void mplan_fingerprint_i32s(mplan_fingerprint *print, const int32_t *values, int64_t n)
{
    enum { BATCH = 512 };
    uint8_t few[BATCH * 8];
    assert(print && (values || n == 0));
    const int threads = mplan_team_threads(print->team);
    /* without this memory the pieces come one after the other */
    uint8_t *wide = n >= 3 * NUMBERS && threads > 1 ? mplan_alloc(threads, PIECE, NULL) : NULL;
    while (n > 0) {
        const int64_t whole = print->piece.count == 0 && wide ? n / NUMBERS : 0;
        const int64_t room = (PIECE - print->piece.count + 7) / 8;
        int64_t count = n < BATCH ? n : BATCH;
        if (whole > 0) {
            piece_work work = {.numbers = values, .wide = wide};
            count = whole * NUMBERS;
            end_pieces(print, &work, whole);
        } else {
            count = count < room ? count : room;
            widen(few, values, count);
            mplan_fingerprint_bytes(print, few, (size_t)count * 8);
        }
        values += count;
        n -= count;
    }
    free(wide);
}

/* The hash of the pieces' hashes; false without memory. The stream is released; it may be NULL. */
int mplan_fingerprint_end(mplan_fingerprint *print, uint64_t *value)
{
    if (!print)
        return 0;
    if (print->piece.count > 0)
        end_piece(print, print->piece.data, (size_t)print->piece.count);
    bool whole = !print->failed;
    if (whole)
        *value = mplan_hash(print->hashes.data, (size_t)print->hashes.count * 8);
    free(print->hashes.data);
    free(print->piece.data);
    free(print);
    return whole;
}
