/* SPDX-License-Identifier: Apache-2.0 */
/* check_bundle.h - what is known of the parts of a bundle that were proved one by one, and what all together must be
 *
 * check_bundle.c collects it part by part; check_together.c compares. Ranks of meshplan-mpi collect of some parts each and
 * add up what they have: lists, counts and sums of hashes. */
#ifndef MPLAN_CHECK_BUNDLE_H
#define MPLAN_CHECK_BUNDLE_H

#include "check/check_halo.h"

enum { MPLAN_BUNDLE_RINGS = -2 };

/* Lists as one end has them; both ends of one are equal but for `importer`. */
typedef struct mplan_bundle_link {
    int32_t set,
        loop; /* loop -1: of all loops; MPLAN_BUNDLE_RINGS: of what rings say of all of them */
    int32_t to, from; /* parts */
    int32_t importer; /* 1: the end that receives */
    int32_t unused;   /* 0, so that every byte says something */
    int64_t n;
    uint64_t hash;
} mplan_bundle_link;

/* Elements that others own and the part must run: by their owners, and by itself. */
typedef struct mplan_shared_rows {
    int64_t due, found;
    uint64_t due_hash, found_hash; /* sums */
} mplan_shared_rows;

/* What is collected part by part, since only one plan is in memory at a time. Lists of members are compared by hashes:
 * the importer's and the owner's are made of the same mesh numbers in the same order. */
typedef struct mplan_bundle_proof {
    const mplan_parts_source *source;
    uint64_t **owned; /* per set, a bit for each member that a part before owned; NULL: only sums are kept */
    uint64_t *sums; /* per set, of mplan_bundle_member of all members that parts owned */
    uint64_t *row_sums; /* per set, where `owned` is NULL: of hashes of the rows of all members that parts owned */
    int64_t *entries;             /* per map, of rows of owned elements, -1 left out */
    mplan_shared_rows *rows;      /* [part][set] */
    mplan_check_columns *columns; /* [set] */
    mplan_vector links;           /* of mplan_bundle_link */
    int32_t n_loops;
    char **loops;        /* names; NULL before the first part */
    int32_t visit_steps; /* of all parts so far, 0 without visits; -1 before the first part */
    mplan_check_whole *whole;
} mplan_bundle_proof;

/* A number made of a member's, so that sums tell which members there are, each once. */
static inline uint64_t mplan_bundle_member(int64_t id)
{
    uint64_t x = (uint64_t)id + UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* each: a bit for each member is kept, so that the first that two parts own is named; else sums only. Close it also after
 * a failure. */
mplan_status mplan_bundle_proof_open(const mplan_parts_source *source, bool each,
                                     mplan_bundle_proof *proof, mplan_error *err);
void mplan_bundle_proof_close(mplan_bundle_proof *proof);
/* Reads part p and proves it. */
mplan_status mplan_bundle_prove_one(mplan_bundle_proof *proof, int32_t p,
                                    const mplan_context *context, mplan_error *err);
/* Bases ascend from 0 to the totals. */
mplan_status mplan_bundle_check_bases(const mplan_parts_source *source, mplan_error *err);
/* After all parts: entries, lists, and rows that two parts have. Sorts the links. */
mplan_status mplan_bundle_check_together(mplan_bundle_proof *proof, mplan_error *err);

#endif
