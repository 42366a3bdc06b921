/* SPDX-License-Identifier: Apache-2.0 */
/* plan_prints.c - fingerprints of what planning uses of a mesh */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "pipeline/plan_request.h"

/* Topology over the sets and maps of planning, in its order; coordinates if any
 * set has some. */
mplan_status mplan_planning_fingerprints(const planning *p, mplan_fingerprints *prints,
                                         mplan_error *err)
{
    assert(p && prints);
    int32_t *sets = mplan_alloc(p->n_sets, sizeof *sets, err);
    int32_t *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    mplan_status status = sets && maps ? MPLAN_OK : MPLAN_ERR_MEMORY;
    bool any = false;
    for (int32_t s = 0; s < p->n_sets && !status; s++) {
        sets[s] = p->sets[s].mesh_set;
        any = any || p->mesh->sets[sets[s]].coordinates;
    }
    for (int32_t m = 0; m < p->n_maps && !status; m++)
        maps[m] = p->maps[m].mesh_map;
    if (!status)
        status = mplan_mesh_fingerprint_topology(p->mesh, p->n_sets, sets, p->n_maps, maps,
                                                 &prints->topology, mplan_team_of(p->context), err);
    if (!status && any)
        status = mplan_mesh_fingerprint_coordinates(p->mesh, p->n_sets, sets, &prints->coordinates,
                                                    mplan_team_of(p->context), err);
    free(sets);
    free(maps);
    return status;
}
