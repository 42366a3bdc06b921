/* planning.c - the state of planning: views of its maps, and its release */
#include "pipeline/planning.h"

#include <stdlib.h>

#include "mesh/mesh.h"

/* The mesh's own entries, with numbers of sets as in planning. */
mplan_map mplan_planning_mesh_map(const planning *plan, int32_t map)
{
    mplan_map view = mplan_mesh_map(plan->mesh, plan->maps[map].mesh_map);
    view.from = plan->maps[map].from;
    view.to = plan->maps[map].to;
    return view;
}

/* Entries under the stored orders. */
mplan_map mplan_planning_stored_map(const planning *plan, int32_t map)
{
    mplan_map view = mplan_planning_mesh_map(plan, map);
    view.offsets = plan->maps[map].offsets;
    view.values = plan->maps[map].values;
    view.n_points = plan->sets[view.to].storage;
    return view;
}

int32_t mplan_planning_maps_to(const planning *plan, const planning_loop *loop, int32_t set,
                               mplan_map *maps)
{
    int32_t n = 0;
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (plan->maps[loop->maps[m]].to == set)
            maps[n++] = mplan_planning_mesh_map(plan, loop->maps[m]);
    return n;
}

void mplan_planning_free(planning *plan)
{
    for (int32_t s = 0; s < plan->n_sets; s++)
        free(plan->sets[s].new_of_old);
    for (int32_t m = 0; m < plan->n_maps; m++) {
        free(plan->maps[m].offsets);
        free(plan->maps[m].values);
    }
    for (int32_t l = 0; l < plan->n_loops; l++) {
        free(plan->loops[l].arg_map);
        free(plan->loops[l].maps);
        free(plan->loops[l].map_written);
        free(plan->loops[l].targets);
        free(plan->loops[l].dats);
        free(plan->loops[l].arg_layout);
        free(plan->loops[l].variants);
    }
    free(plan->sets);
    free(plan->maps);
    free(plan->loops);
    free(plan->cuts);
    free(plan->numbering.points);
    free(plan->numbering.elements);
    free(plan->numbering.block);
    free(plan->primary_blocks.offsets);
    free(plan->primary_blocks.sequence);
    mplan_plan_free(plan->plan);
}
