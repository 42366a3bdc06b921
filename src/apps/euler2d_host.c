/* SPDX-License-Identifier: Apache-2.0 */
/* euler2d_host.c - euler2d's kernels on the host, and the application: what it adds to a mesh, a loop for each patch */
#include "apps/euler2d_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app.h"
#include "base/error.h"
#include "base/memory.h"

/* Of the two gradients a mesh has one. Behind the loops: the kernels of patches, of which the harness chooses. */
static const mplan_app_loop loops[] = {
    {"begin", "cells", &mplan_euler2d_begin_host, MPLAN_APP_DEVICE(mplan_euler2d_begin), 20, 1, false},
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

/* --- what the mesh gets --------------------------------------------------------- */

static const char around[] = "cells_around", ungrouped[] = "ungrouped";

/* The boundary faces, as derived or as the file calls them. */
static int32_t boundary_of(const mplan_mesh *mesh)
{
    int32_t set = mplan_mesh_find_set(mesh, "bedges");
    return set >= 0 ? set : mplan_mesh_find_set(mesh, "boundary_faces");
}

/* Cells of several shapes have rows of several lengths in cells_cells: the same rows, filled up with -1 to 4. */
static mplan_status add_around(mplan_mesh *mesh, mplan_error *err)
{
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_cells"));
    if (map.arity > 0 || mplan_mesh_find_map(mesh, around) >= 0)
        return MPLAN_OK;
    int32_t *rows = mplan_alloc(4 * map.n_rows, sizeof *rows, err);
    if (!rows)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < map.n_rows; c++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&map, c, &n);
        for (int32_t k = 0; k < 4; k++)
            rows[4 * c + k] = k < n ? row[k] : -1;
    }
    mplan_status status = mplan_mesh_add_map(mesh, around, map.from, map.to, 4, NULL, rows, NULL,
                                             err);
    free(rows);
    return status;
}

/* Boundary faces in no group become one. */
static mplan_status add_ungrouped(mplan_mesh *mesh, mplan_error *err)
{
    int32_t set = boundary_of(mesh);
    int64_t size = mplan_mesh_set(mesh, set).size, n = 0;
    uint8_t *seen = mplan_alloc_zero(size, 1, err);
    int32_t *rest = mplan_alloc(size, sizeof *rest, err);
    for (int32_t g = 0; seen && rest && g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        for (int64_t i = 0; group.set == set && *group.name && i < group.n_members; i++)
            seen[group.members[i]] = 1;
    }
    for (int64_t i = 0; seen && rest && i < size; i++)
        if (!seen[i])
            rest[n++] = (int32_t)i;
    mplan_status status = seen && rest ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && n > 0)
        status = mplan_mesh_add_group(mesh, ungrouped, 0, 1, set, n, rest, err);
    free(seen);
    free(rest);
    return status;
}

/* What the loops need and a mesh file rarely has: the faces at the boundary, neighbours of
 * cells, and a group for boundary faces that belong to none. */
static mplan_status prepare(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (boundary_of(mesh) < 0)
        status = mplan_mesh_derive(mesh, "boundary_faces", context, err);
    if (!status)
        status = mplan_mesh_derive(mesh, "cells_cells", context, err);
    if (!status)
        status = add_around(mesh, err);
    return !status ? add_ungrouped(mesh, err) : status;
}

/* --- patches ------------------------------------------------------------------- */

/* Bytes of the name of a patch's loop, and of its set. */
enum { NAME_BYTES = 256 };

/* Group g of the mesh where it is one of the boundary that has members, and no earlier one has its name; else "". */
static const char *patch_name(const mplan_mesh *mesh, int32_t g)
{
    mplan_group group = mplan_mesh_group(mesh, g);
    if (group.set != boundary_of(mesh) || !group.n_members || strlen(group.name) > NAME_BYTES / 2)
        return "";
    for (int32_t i = 0; i < g; i++)
        if (!strcmp(mplan_mesh_group(mesh, i).name, group.name) &&
            mplan_mesh_group(mesh, i).set == group.set)
            return "";
    return group.name;
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

/* A loop for each group of the boundary; the gradient of cells with so many neighbours. */
static mplan_status choose(const mplan_app *app, const mplan_mesh *mesh, mplan_app_loop **chosen,
                           int32_t *n_loops, mplan_error *err)
{
    int32_t most = N_LOOPS + mplan_mesh_n_groups(mesh), n = 0;
    int64_t bytes = most * ((int64_t)sizeof **chosen + 2 * NAME_BYTES);
    int32_t map = mplan_mesh_find_map(mesh, "cells_cells");
    mplan_app_loop *made = mplan_alloc_zero(bytes, 1, err);
    (void)app;
    if (!made)
        return MPLAN_ERR_MEMORY;
    char *text = (char *)(made + most);
    for (; n < N_LOOPS; n++)
        made[n] = loops[n];
    if (mplan_mesh_map(mesh, map).arity == 3)
        made[GRADIENT] = gradient3;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++)
        if (*patch_name(mesh, g)) {
            made[n++] = patch_loop(mesh, patch_name(mesh, g), text);
            text += 2 * NAME_BYTES;
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
        "a second-order step of the Euler equations, f64: the least time of all cells, gradients and limiters of cells, fluxes of "
        "faces, a loop for each patch (walls, but far field where the name of the group says so); "
        "triangles or quads",
    .cells = MPLAN_APP_PLANE,
    .planar = true,
    .n_loops = N_LOOPS,
    .loops = loops,
    .hand = &hand,
    .tolerance = 1e-12,
    .prepare = prepare,
    .choose = choose,
    .run = mplan_app_run_euler2d,
};
