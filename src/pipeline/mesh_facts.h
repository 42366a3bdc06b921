/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_facts.h - what planning asks of a mesh as a whole
 *
 * Sets, maps, loops and choices of a request need sizes and counts, not members. Where a process has the whole mesh they
 * are counted here; where it has names only (the mesh is spread over processes), planning->facts brings them. So both
 * come to the same choices. */
#ifndef MPLAN_MESH_FACTS_H
#define MPLAN_MESH_FACTS_H

#include "pipeline/planning.h"

enum { MPLAN_APART_COLUMNS = 62 };

/* Of the elements of a set, by some maps to one other set. */
typedef struct mplan_reach {
    int64_t entries;     /* that are not -1 */
    int64_t points;      /* that some entry names */
    int64_t valence_max; /* entries that name one point */
    bool all;            /* every element has an entry */
    bool apart; /* no entry is -1, and none of at most MPLAN_APART_COLUMNS columns names a point twice */
} mplan_reach;

typedef struct mplan_map_facts {
    int64_t entries, present; /* all, and those that are not -1 */
    int64_t none_row;         /* the first with an entry of -1; -1: there is none */
    int64_t longest;          /* entries of the longest row */
} mplan_map_facts;

/* Of the columns over a set of which not all are equally high. */
typedef struct mplan_layer_facts {
    int64_t active; /* layers that are there, of all members together */
    uint64_t ranges,
        mask; /* mplan_hash of the numbers of all members in their order; 0 without them */
} mplan_layer_facts;

/* Arrays by set and map of the mesh, which has all of them, without members. */
struct mplan_mesh_facts {
    int32_t n_sets, n_maps;
    const int64_t *sizes;
    const mplan_map_facts *maps;
    /* maps: n_maps maps of the mesh, at least one, all from one set to one set. All processes ask alike. */
    mplan_status (*reach)(void *user, int32_t n_maps, const int32_t *maps, mplan_reach *reach,
                          mplan_error *err);
    void *user;
    const mplan_layer_facts *layers; /* by set; NULL: they are not known, and loops with layers are refused */
};

/* Layers that are there, of all columns over a set of planning that has layers. */
int64_t mplan_planning_active_layers(const planning *p, int32_t set);
/* Members of a set of the mesh. */
int64_t mplan_planning_size(const planning *p, int32_t mesh_set);
/* Of a map of planning. present, none_row: counted over all entries where there are no facts. */
int64_t mplan_planning_entries(const planning *p, int32_t map);
int64_t mplan_planning_present(const planning *p, int32_t map);
int64_t mplan_planning_none_row(const planning *p, int32_t map);
int64_t mplan_planning_longest(const planning *p, int32_t map);
/* maps: n_maps >= 1 maps of planning, all from one set to one set. */
mplan_status mplan_planning_reach(const planning *p, int32_t n_maps, const int32_t *maps,
                                  mplan_reach *reach, mplan_error *err);
/* *once: whether a map leads to each point at most once. */
mplan_status mplan_planning_once(const planning *p, int32_t map, bool *once, mplan_error *err);

#endif
