/* SPDX-License-Identifier: Apache-2.0 */
/* plan_mesh.c - a plan for one loop over a mesh, made, proved and kept: step 1 of meshplan-tutorial(7)
 *
 *   cc plan_mesh.c $(pkg-config --cflags --libs meshplan) -o plan_mesh
 *   ./plan_mesh square.msh square.mplan
 *
 * The command that does the same: meshplan plan square.msh --over faces --inc cells:1 --read cells:1 -o square.mplan */
#include <meshplan.h>
#include <stdio.h>
#include <stdlib.h>

/* Every function of meshplan that can fail returns a status, and leaves a sentence for people. */
static mplan_error err;
static void must(mplan_status status)
{
    if (status) {
        fprintf(stderr, "plan_mesh: %s\n", err.text);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: plan_mesh MESH PLAN\n");
        return EXIT_FAILURE;
    }

    /* 1. The mesh: any format that `meshplan formats` lists. */
    mplan_mesh *mesh;
    must(mplan_mesh_read(argv[1], NULL, NULL, &mesh, &err));

    /* 2. The loop: over the faces, which are derived; each reads one number of its two cells and adds to one. */
    const mplan_arg args[] = {
        {"heat", "faces_cells", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"change", "faces_cells", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
    };
    const mplan_loop loop = {
        .name = "flux", .over = "faces", .primary = true, .calls = 1, .n_args = 2, .args = args};

    /* 3. The plan. Without options the cost model chooses; name a device to plan for another one. */
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.device = "h100";
    mplan_plan *plan;
    must(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err));

    /* 4. A proof, by code that shares nothing with the planner; then the file, which appears whole or not at all. */
    must(mplan_plan_verify(plan, mesh, NULL, &err));
    must(mplan_plan_write(plan, argv[2], NULL, NULL, NULL, &err));

    /* 5. What it says. The stored order is what a solver keeps its data in. */
    char summary[400];
    mplan_plan_summary(plan, summary, sizeof summary);
    printf("%s: %s\n", argv[2], summary);
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        printf("  %s: %lld members in %lld places\n", set->name, (long long)set->size,
               (long long)set->storage_size);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return EXIT_SUCCESS;
}
