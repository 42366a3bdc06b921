/* SPDX-License-Identifier: Apache-2.0 */
/* mutants_bases.h - meshes and right plans for them, by seed */
#ifndef MPLAN_MUTANTS_BASES_H
#define MPLAN_MUTANTS_BASES_H

#include "meshplan.h"

/* By the naive planner of the unit tests: holes, ragged maps, every strategy and encoding. */
bool mutants_naive_base(uint64_t seed, mplan_mesh **mesh, mplan_plan **plan);
/* By the library's planner, random requests; false when it refuses. */
bool mutants_planned_base(uint64_t seed, mplan_mesh **mesh, mplan_plan **plan);

/* What the library proves of plans of the naive planner: all but what concerns the request. */
mplan_status mutants_prove_naive(const mplan_plan *plan, mplan_mesh *mesh,
                                 const mplan_context *context, mplan_error *err);

#endif
