/* SPDX-License-Identifier: Apache-2.0 */
/* mutants_planned.c - plans by the library's planner, of random requests on small meshes */
#include "support_request.h"

#include "mutants_bases.h"

static mplan_mesh *make_mesh(uint64_t seed)
{
    return seed % 3 ? support_tables(seed) : support_generated(seed);
}

bool mutants_planned_base(uint64_t seed, mplan_mesh **mesh, mplan_plan **plan)
{
    static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};
    static support_request request;
    mplan_error err;
    uint64_t draws = seed;
    mplan_mesh *look = make_mesh(seed);
    support_random_request(&draws, look, &request);
    mplan_mesh_free(look);
    if (request.options.partitioner == MPLAN_PARTITIONER_METIS ||
        request.options.partitioner == MPLAN_PARTITIONER_SCOTCH)
        request.options.partitioner = MPLAN_PARTITIONER_NATIVE; /* no child processes */
    *mesh = make_mesh(seed);
    *plan = NULL;
    if (mplan_plan_create(*mesh, request.n_loops, request.loops, &request.options, &one_thread,
                          plan, &err) == MPLAN_OK)
        return true;
    mplan_mesh_free(*mesh);
    *mesh = NULL;
    return false;
}
