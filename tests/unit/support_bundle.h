/* SPDX-License-Identifier: Apache-2.0 */
/* support_bundle.h - parts of a mesh (support_parts.h) with all that a proof asks of them, and bundles of them */
#ifndef MPLAN_SUPPORT_BUNDLE_H
#define MPLAN_SUPPORT_BUNDLE_H

#include "support_parts.h"

#include "planfile/bundle.h"

/* Parts and their manifest. */
typedef struct support_bundle {
    support_parts parts;
    mplan_manifest manifest; /* texts and arrays are its own */
} support_bundle;

/* Loops run in both ways of support_parts_make. The plans get hashes, lists of loops and fingerprints; the request is only
 * its lines of loops and args. Release it with support_bundle_free. */
void support_bundle_make(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                         int32_t n_parts, int32_t *const *part_of, support_bundle *bundle);
void support_bundle_free(support_bundle *bundle);
/* Hashes and fingerprints once more, after something was changed that they are of. */
void support_bundle_rehash(support_bundle *bundle);
/* Lists of two-step of all loops, after rows were changed. */
void support_plan_regather(mplan_plan *plan);
/* Plans for a proof are copies of those of the bundle, which must live as long. */
mplan_parts_source support_bundle_source(support_bundle *bundle);
/* A copy of the plan, with its arrays. */
mplan_plan *support_plan_copy(const mplan_plan *plan);
/* Writes it to a file. */
void support_bundle_write(const support_bundle *bundle, const char *path);

/* A mesh of random tables (faces, cells, nodes; faces_nodes is ragged, some entries are -1) and loops over faces that add to
 * cells, over cells that add to nodes, over cells directly. Members are owned by any part; with `thin` the last part owns
 * nothing. */
typedef struct support_cut_case {
    mplan_mesh *mesh;
    mplan_loop loops[3];
    int32_t *part_of[3]; /* of each member */
    support_bundle bundle;
} support_cut_case;
void support_cut_make(int32_t n_parts, bool thin, uint64_t *seed, support_cut_case *in);
void support_cut_free(support_cut_case *in);

#endif
