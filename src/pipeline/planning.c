/* SPDX-License-Identifier: Apache-2.0 */
/* planning.c - the state of planning: views of its maps, and its release */
#include "pipeline/planning.h"

#include <assert.h>
#include <stdlib.h>

#include "mesh/mesh.h"

/* The mesh's own entries, with numbers of sets as in planning. */
mplan_map mplan_planning_mesh_map(const planning *p, int32_t map)
{
    assert(p && map >= 0 && map < p->n_maps);
    mplan_map view = mplan_mesh_map(p->mesh, p->maps[map].mesh_map);
    view.from = p->maps[map].from;
    view.to = p->maps[map].to;
    return view;
}

/* Entries under the stored orders. */
mplan_map mplan_planning_stored_map(const planning *p, int32_t map)
{
    assert(p && map >= 0 && map < p->n_maps);
    mplan_map view = mplan_planning_mesh_map(p, map);
    view.offsets = p->maps[map].offsets;
    view.values = p->maps[map].values;
    view.n_points = p->sets[view.to].storage;
    return view;
}

/* Linear in the maps of the loop; the views are borrowed from the mesh and valid until it
 * derives something. */
int32_t mplan_planning_maps_to(const planning *p, const planning_loop *loop, int32_t set,
                               mplan_map *maps)
{
    assert(p && loop && maps);
    int32_t n = 0;
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (p->maps[loop->maps[m]].to == set)
            maps[n++] = mplan_planning_mesh_map(p, loop->maps[m]);
    return n;
}

/* Releases all that steps have left; pointers that a step has handed to the plan are NULL, or
 * the plan's record knows them. p itself and the mesh are the caller's. */
void mplan_planning_free(planning *p)
{
    assert(p);
    for (int32_t s = 0; s < p->n_sets; s++) {
        free(p->sets[s].new_of_old);
        free(p->sets[s].mask);
    }
    for (int32_t m = 0; m < p->n_maps; m++) {
        free(p->maps[m].offsets);
        free(p->maps[m].values);
    }
    for (int32_t l = 0; l < p->n_loops; l++) {
        free(p->loops[l].arg_map);
        free(p->loops[l].arg_once);
        free(p->loops[l].maps);
        free(p->loops[l].map_written);
        free(p->loops[l].targets);
        free(p->loops[l].dats);
        free(p->loops[l].arg_layout);
        free(p->loops[l].variants);
        free(p->loops[l].arg_layers);
    }
    free(p->sets);
    free(p->maps);
    free(p->loops);
    free(p->cuts);
    mplan_level_groups_free(&p->levels);
    free(p->level_piece);
    free(p->numbering.points);
    free(p->numbering.elements);
    free(p->numbering.block);
    free(p->primary_blocks.offsets);
    free(p->primary_blocks.sequence);
    mplan_plan_free(p->plan);
}
