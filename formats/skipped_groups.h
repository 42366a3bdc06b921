/* SPDX-License-Identifier: Apache-2.0 */
/* skipped_groups.h - groups that a format has no place for: writers count them, and warn once */
#ifndef MPLAN_SKIPPED_GROUPS_H
#define MPLAN_SKIPPED_GROUPS_H

#include "meshplan.h"

/* Zeroed at first. It keeps the first group, whose name must live as long. */
typedef struct mplan_skipped_groups {
    int64_t n;
    mplan_group first;
    const char *set; /* of the first group */
    bool several;    /* sets */
} mplan_skipped_groups;

/* A group of members of `set` is skipped. */
void mplan_skip_group(mplan_skipped_groups *skipped, const mplan_group *group, const char *set);
/* One warning for all of them, where there are any: how many, of which set, and the first by its name or, without one,
 * by its number. kind: "an OpenFOAM mesh". */
void mplan_warn_skipped(const mplan_skipped_groups *skipped, const char *kind,
                        const mplan_context *context);

#endif
