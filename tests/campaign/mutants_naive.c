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
