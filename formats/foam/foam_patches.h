/* SPDX-License-Identifier: Apache-2.0 */
/* foam_patches.h - groups of boundary faces as patches, each face in one, and names that are words of OpenFOAM */
#ifndef MPLAN_FOAM_PATCHES_H
#define MPLAN_FOAM_PATCHES_H

#include "formats/format.h"

/* A patch of the file. in_groups: names of groups of patches that it belongs to, from patch_groups. */
typedef struct mplan_foam_patch {
    char *name;
    int64_t first, n; /* of `order`: its faces */
} mplan_foam_patch;

/* A group that is the union of whole patches. */
typedef struct mplan_foam_patch_group {
    char *name;
    uint8_t *of_patch; /* n_patches: whether the patch belongs to it */
} mplan_foam_patch_group;

typedef struct mplan_foam_patches {
    int32_t n_patches, n_groups;
    mplan_foam_patch *patches;
    mplan_foam_patch_group *groups;
    int32_t *order; /* boundary faces by patch, in their order within one */
} mplan_foam_patches;

/* Deals the n boundary faces out to patches: of the groups that a face is in, the smallest one. A group that then is made of
 * whole patches becomes a group of patches; others lose faces with a warning. Faces of no group are a patch
 * defaultFaces, the last one. Release with mplan_foam_patches_free, also after a failure. */
mplan_status mplan_foam_patches_find(const mplan_mesh *mesh, int64_t n, mplan_foam_patches *patches,
                                     const mplan_context *context, mplan_error *err);
void mplan_foam_patches_free(mplan_foam_patches *patches);

/* Names that have been given. */
typedef struct mplan_foam_names {
    char **name;
    int32_t n;
} mplan_foam_names;
/* The group's name with what ends a word of OpenFOAM as '_', "group_7" for none, another one where it is taken; warns of
 * a change. Owned by names; NULL without memory. */
const char *mplan_foam_name(mplan_foam_names *names, const mplan_group *group,
                            const mplan_context *context, mplan_error *err);
void mplan_foam_names_free(mplan_foam_names *names);

#endif
