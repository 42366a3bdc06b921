/* SPDX-License-Identifier: Apache-2.0 */
/* mutants_naive.c - plans by the naive planner of the unit tests */
#include "support_check.h"

#include "mutants_bases.h"

bool mutants_naive_base(uint64_t seed, mplan_mesh **mesh, mplan_plan **plan)
{
    static support_request request;
    *plan = support_random_plan(&request, &seed);
    *mesh = request.mesh;
    return true;
}

mplan_status mutants_prove_naive(const mplan_plan *plan, mplan_mesh *mesh,
                                 const mplan_context *context, mplan_error *err)
{
    return support_verify(plan, mesh, context, err);
}
