/* SPDX-License-Identifier: Apache-2.0 */
/* level_major.h - members of several sets in breadth-first levels of all their maps */
#ifndef MPLAN_LEVEL_MAJOR_H
#define MPLAN_LEVEL_MAJOR_H

#include "base/threads.h"
#include "meshplan.h"

/* The graph of members of n_sets sets, in which a row of any map joins its element with its points: the
 * composite graph of all indirect loops. maps: from, to and n_rows, n_points in numbers of sets; the members of all
 * sets together are below 2^31 (else MPLAN_ERR_UNSUPPORTED). */
typedef struct mplan_composite {
    int32_t n_sets, n_maps;
    const int64_t *size; /* of each set */
    const mplan_map *maps;
} mplan_composite;

/* Groups of levels, from one side of each component to the other. Of a grid levels are rows along a side. */
typedef struct mplan_level_groups {
    int64_t n;
    int32_t *group; /* of each member of all sets, those of a set behind those of the sets before */
    int64_t *ends;  /* n: members of the set that counts in and before each group */
} mplan_level_groups;

/* A group has at least `least` members of one set, the set that counts, in at least `together` of its levels, or fewer where not `groups` groups
 * of so many levels are possible. Three searches and one more;
 * scratch about 30 bytes a member of all sets (38 where six threads or more share the searches) and 8 an entry of their maps. Release *out also after a failure. */
mplan_status mplan_order_level_groups(const mplan_composite *graph, int32_t set, int64_t least,
                                      int32_t together, int64_t groups, mplan_level_groups *out,
                                      const mplan_context *context, mplan_error *err);
void mplan_level_groups_free(mplan_level_groups *groups); /* and zeroes it */
/* Sorts n members by group, in a group they stay as order[] has them. group: of each member, below n_groups. order: in and
 * out, new number by member, a permutation. */
mplan_status mplan_order_by_group(int64_t n, const int32_t *group, int64_t n_groups, int32_t *order,
                                  mplan_team *team, mplan_error *err);

#endif
