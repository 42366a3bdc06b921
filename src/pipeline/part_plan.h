/* SPDX-License-Identifier: Apache-2.0 */
/* part_plan.h - planning a mesh as a whole, and then the parts of it
 *
 * What a request leaves open is decided once, by the whole mesh. The plan of a part is made from a mesh of its own, which has
 * the members that the part owns and its halo; it takes over these decisions, so that all parts have the same loops,
 * strategies and layouts. */
#ifndef MPLAN_PART_PLAN_H
#define MPLAN_PART_PLAN_H

#include "pipeline/planning.h"

/* The planning of the whole mesh up to where it is ordered: sets, maps, loops, and everything that is chosen. */
typedef struct mplan_whole {
    planning p;
    mplan_plan_options asked, chosen;
} mplan_whole;

/* Fills *whole, which must stay where it is. The loops, facts (NULL: the mesh is all there) and context live as long as it.
 * Release it also after a failure. MPLAN_ERR_ARGUMENT for what no part can have: holes, slabs with too few rings, loops that write through a map
 * which is not `once`, and layers where facts have none; and for names of sets
 * and maps with a line feed. */
mplan_status mplan_whole_open(mplan_mesh *mesh, const mplan_mesh_facts *facts, int32_t n_loops,
                              const mplan_loop *loops, const mplan_plan_options *options,
                              const mplan_context *context, mplan_whole *whole, mplan_error *err);
void mplan_whole_close(mplan_whole *whole);

/* The planning set that mplan_step_renumber orders, -1: none. Maps that lead from it to coordinates may not be in the plan, so
 * parts get coordinates of it from the whole mesh. */
int32_t mplan_planning_renumbered(const planning *p);

/* Numbers of steps of a visit that are looked at where none is asked for: number k, ascending. */
enum { MPLAN_VISIT_CHOICES = 28 };
int32_t mplan_visit_choice_steps(int32_t k);

/* What parts must agree on where the request leaves the steps of a visit open. steps: take these if the part has room for them; 0: those that
 * are best for it. seconds: out, of a step by each of the numbers above, as predicted; HUGE_VAL where there is no room. */
typedef struct mplan_visit_wish {
    int32_t steps;
    double seconds[MPLAN_VISIT_CHOICES];
} mplan_visit_wish;

/* What the planning of a part must keep. All arrays are by set of the whole planning, which the mesh of the part
 * has in the same order, and by member of that mesh. */
struct mplan_planning_part {
    const planning *whole;
    const int64_t *owned; /* members of each set */
    /* the stored order is by group: 0 for owned members that need nothing of other parts, 1 for other owned ones, 2 + place
     * for those of the halo, whose places are given. With slabs this is the part order instead (formats/plan-format.md, PARTS). */
    const int32_t *const *group;
    /* Adds to the plan what it is as a part; orders: stored index by member, of each set; with slabs place in the part order. */
    mplan_status (*complete)(void *user, mplan_plan *plan, const int32_t *const *orders,
                             mplan_error *err);
    void *user;
    mplan_visit_wish *visit; /* NULL: there are no visits, or the request says their steps */
};

/* Plans the part. The mesh has exactly the sets and maps of the whole planning, under their names and in their order,
 * with global ids. */
mplan_status mplan_planning_create_part(mplan_mesh *mesh, const mplan_planning_part *part,
                                        const mplan_context *context, mplan_plan **plan,
                                        mplan_error *err);

/* --- for the steps ------------------------------------------------------------------ */

/* In the place of mplan_step_choose. */
mplan_status mplan_planning_take_choices(planning *p, mplan_error *err);
/* Sorts the elements of the primary loop: owned ones first, as they are, or with `strict` the inner ones before the
 * others; then the halo. */
mplan_status mplan_planning_own_first(planning *p, bool strict, mplan_error *err);
/* Blocks of owned elements that hold one of group 1 go behind those without. n_owned elements of the numbering come first;
 * block: of each of them, renumbered. */
mplan_status mplan_planning_inner_first(planning *p, int64_t n_owned, int32_t *block,
                                        int64_t n_blocks, mplan_error *err);
/* Whether stored orders go by group: in parts without slabs. Slabs have members of halos beside those that they touch. */
static inline bool mplan_planning_goes_by_group(const planning *p)
{
    return p->part && p->asked->device_memory == 0;
}
/* Sorts a set's new_of_old by group. */
mplan_status mplan_planning_by_group(planning *p, int32_t set, mplan_error *err);
/* Where stored orders do not go by group: order[m] becomes the place of member m in the order that does, in which members of a group
 * are as they are stored; its stored index at each place goes to the plan (PART_PLACES). The order is the caller's. */
mplan_status mplan_planning_part_order(planning *p, int32_t set, int32_t **order, mplan_error *err);

#endif
