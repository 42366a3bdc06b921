/* SPDX-License-Identifier: Apache-2.0 */
/* euler2d_host.c - euler2d's kernels on the host, and the application: a loop for each patch of a mesh */
#include "apps/euler2d_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app.h"
#include "base/error.h"
#include "base/memory.h"

/* Of the two gradients a mesh has one. Behind the loops: the kernels of patches, of which the harness chooses. */
static const mplan_app_loop loops[] = {
    {"save", "cells", &mplan_euler2d_save_host, MPLAN_APP_DEVICE(mplan_euler2d_save), 0, 1, false},
    {"gradient", "cells", &mplan_euler2d_gradient4_host, MPLAN_APP_DEVICE(mplan_euler2d_gradient4),
     250, 2, false},
    {"flux", "faces", &mplan_euler2d_flux_host, MPLAN_APP_DEVICE(mplan_euler2d_flux), 120, 2, true},
    {"update", "cells", &mplan_euler2d_update_host, MPLAN_APP_DEVICE(mplan_euler2d_update), 17, 2,
     false},
    {"wall", "patch", &mplan_euler2d_wall_host, MPLAN_APP_DEVICE(mplan_euler2d_wall), 15, 2, false},
    {"far", "patch", &mplan_euler2d_far_host, MPLAN_APP_DEVICE(mplan_euler2d_far), 60, 2, false},
};
enum { N_LOOPS = (int)(sizeof loops / sizeof *loops) - 2, GRADIENT = 1 };
static const mplan_app_loop gradient3 = {"gradient",
                                         "cells",
                                         &mplan_euler2d_gradient3_host,
                                         MPLAN_APP_DEVICE(mplan_euler2d_gradient3),
                                         200,
                                         2,
                                         false};

/* --- patches ------------------------------------------------------------------- */

/* The longest names of patches: `flux of` and a group. */
enum { NAME_BYTES = 256 };

/* Group g of the boundary, those whose facets wait for faces behind the others; NULL past the last, "" for groups
 * of other sets and such without members. */
static const char *patch_name(const mplan_mesh *mesh, int32_t g)
{
    int32_t n = mplan_mesh_n_groups(mesh), n_waiting = mplan_mesh_n_facet_groups(mesh);
    if (g >= n + n_waiting)
        return NULL;
    mplan_group group = g < n ? mplan_mesh_group(mesh, g) : mplan_mesh_facet_group(mesh, g - n);
    const char *set = g < n ? mplan_mesh_set(mesh, group.set).name : "boundary_faces";
    bool boundary = !strcmp(set, "boundary_faces") || !strcmp(set, "bedges");
    return boundary && group.n_members > 0 && strlen(group.name) < NAME_BYTES / 2 ? group.name : "";
}

/* Whether an earlier group has the name: together they are one patch. */
static bool named_before(const mplan_mesh *mesh, int32_t g)
{
    for (int32_t i = 0; i < g; i++)
        if (!strcmp(patch_name(mesh, i), patch_name(mesh, g)))
            return true;
    return false;
}

/* A loop over a patch. text: 2 x NAME_BYTES for its name and its set's, which is the group's where no other set has
 * that. What the patch is, the harness decides: both kinds have the same args. */
static mplan_app_loop patch_loop(const mplan_mesh *mesh, const char *group, char *text)
{
    int32_t set = mplan_mesh_find_set(mesh, group);
    bool taken = set >= 0 && !mplan_mesh_parent_index(mesh, set, NULL);
    taken = taken || !strcmp(group, "faces") || !strcmp(group, "edges");
    snprintf(text, NAME_BYTES, "patch_%s", group);
    snprintf(text + NAME_BYTES, NAME_BYTES, "%s%s", taken ? "group:" : "", group);
    mplan_app_loop loop = loops[N_LOOPS];
    loop.name = text;
    loop.over = text + NAME_BYTES;
    return loop;
}

/* A loop for each group of the boundary, one over all of it where there is none; the gradient of triangles or of
 * other cells. */
static mplan_status choose(const mplan_app *app, const mplan_mesh *mesh, mplan_app_loop **chosen,
                           int32_t *n_loops, mplan_error *err)
{
    int32_t most = N_LOOPS + 1 + mplan_mesh_n_groups(mesh) + mplan_mesh_n_facet_groups(mesh), n = 0;
    int64_t bytes = most * ((int64_t)sizeof **chosen + 2 * NAME_BYTES);
    mplan_app_loop *made = mplan_alloc_zero(bytes, 1, err);
    (void)app;
    if (!made)
        return MPLAN_ERR_MEMORY;
    char *text = (char *)(made + most);
    for (; n < N_LOOPS; n++)
        made[n] = loops[n];
    if (mplan_app_all_of_type(mesh, MPLAN_CELL_TRI3) || mplan_app_all_of_type(mesh, MPLAN_CELL_TRI6))
        made[GRADIENT] = gradient3;
    for (int32_t g = 0; patch_name(mesh, g); g++)
        if (*patch_name(mesh, g) && !named_before(mesh, g)) {
            made[n++] = patch_loop(mesh, patch_name(mesh, g), text);
            text += 2 * NAME_BYTES;
        }
    if (n == N_LOOPS) {
        made[n] = patch_loop(mesh, "boundary_faces", text);
        made[n++].over = "boundary_faces";
    }
    *chosen = made;
    *n_loops = n;
    return MPLAN_OK;
}

/* --- a flux by hand ---------------------------------------------------------------- */

/* With gm1 = 1/2 and pressure 1, density 3/2 makes a speed of sound of 1. States without gradients: velocity 1 and 2
 * in x; the normal (2, 0). Fluxes of both per length: 3/2, 5/2, 0, 15/4 and 3, 7, 0, 12; the faster wave has speed 3.
 * 2 x ((a + b) / 2 - 3/2 x (difference of the states)): 9/2, 5, 0, 9. */
static const double case_x[] = {1, 0, 1, 2};
static const double case_centre[] = {0, 1, 2, 1};
static const double case_q[] = {1.5, 1.5, 0, 2.75, 1.5, 3, 0, 5};
static const double case_grad[16] = {0};
static const double case_after[] = {-4.5, -5, 0, -9, 4.5, 5, 0, 9};
static const int32_t case_nodes[] = {0, 1}, case_cells[] = {0, 1};
static const mplan_euler2d_parameters case_parameters = {0.5, 0, 0, 0, {0}};
static const mplan_app_hand_arg case_args[] = {
    {2, case_x, NULL, case_nodes},     {2, case_centre, NULL, case_cells},
    {2, case_q, NULL, case_cells},     {2, case_grad, NULL, case_cells},
    {2, NULL, case_after, case_cells},
};
static const mplan_app_hand hand = {2, &case_parameters, 1, case_args};

const mplan_app mplan_app_euler2d = {
    .name = "euler2d",
    .description =
        "a second-order step of the Euler equations, f64: gradients and limiters of cells, fluxes of "
        "faces, a loop for each patch (walls, but far field where the name of the group says so); "
        "triangles or quads",
    .cells = MPLAN_APP_PLANE,
    .n_loops = N_LOOPS,
    .loops = loops,
    .hand = &hand,
    .tolerance = 1e-12,
    .choose = choose,
    .run = mplan_app_run_euler2d,
};
