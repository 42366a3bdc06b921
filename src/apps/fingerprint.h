/* SPDX-License-Identifier: Apache-2.0 */
/* fingerprint.h - a hash of words that is a sum, so that any order of adding gives the same */
#ifndef MPLAN_EXEC_FINGERPRINT_H
#define MPLAN_EXEC_FINGERPRINT_H

#include <stdint.h>

#if defined(__CUDACC__) || defined(__HIP__)
#define MPLAN_WORD_FN __host__ __device__
#else
#define MPLAN_WORD_FN
#endif

/* What a word adds at its place: the finaliser of MurmurHash3 (A. Appleby) over both. */
static inline MPLAN_WORD_FN uint64_t mplan_word_fingerprint(uint64_t word, uint64_t place)
{
    uint64_t h = word ^ (place * UINT64_C(0x9e3779b97f4a7c15) + 1);
    h = (h ^ (h >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ (h >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ (h >> 33);
}

#endif
