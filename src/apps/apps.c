/* SPDX-License-Identifier: Apache-2.0 */
/* apps.c - the built-in applications: the table, and what they ask of a plan */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "apps/app.h"
#include "apps/layers_app.h"

static const mplan_app *const apps[] = {
    &mplan_app_airfoil,
    &mplan_app_airfoil_fused,
    &mplan_app_res_calc,
    &mplan_app_volna,
    &mplan_app_bookleaf,
    &mplan_app_lulesh,
    &mplan_app_miniaero,
    &mplan_app_edgefv,
    &mplan_app_fescatter,
    &mplan_app_flux2d,
    &mplan_app_flux3d,
    &mplan_app_euler2d,
    &mplan_app_volna_step,
    &mplan_app_miniaero_rk4,
    &mplan_app_bookleaf_getq,
    &mplan_app_mixed,
    &mplan_app_cg,
    &mplan_app_lfric_w0,
    &mplan_app_lfric_w2,
    &mplan_app_lfric_w3,
    &mplan_app_column_flux,
    &mplan_app_tridiagonal,
    &mplan_app_column_step,
    &mplan_app_flux3d_step,
    &mplan_app_jacobi,
    &mplan_app_himeno,
    &mplan_app_cip,
};
#define N_APPS ((int32_t)(sizeof apps / sizeof *apps))

const mplan_app *mplan_app_get(int32_t i)
{
    return i >= 0 && i < N_APPS ? apps[i] : NULL;
}

/* NULL if there is none of this name. */
const mplan_app *mplan_app_find(const char *name)
{
    for (int32_t i = 0; name && i < N_APPS; i++)
        if (!strcmp(apps[i]->name, name))
            return apps[i];
    return NULL;
}

const char *mplan_app_name(const mplan_app *app)
{
    return app ? app->name : "";
}

const char *mplan_app_description(const mplan_app *app)
{
    return app ? app->description : "";
}

/* Applications of several loops; those of one loop count launches. */
bool mplan_app_makes_steps(const mplan_app *app)
{
    return app && app->n_loops > 1;
}

/* --- meshes --------------------------------------------------------------- */

/* The mesh has types of cells; an empty one has all its cells of every type. */
static bool all_of_type(const mplan_mesh *mesh, mplan_cell_type type)
{
    const uint8_t *types = mplan_mesh_cell_types(mesh);
    int64_t n = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size;
    for (int64_t i = 0; i < n; i++)
        if (types[i] != type)
            return false;
    return true;
}

/* Dimensions, and types of cells. */
mplan_status mplan_app_accepts(const mplan_app *app, const mplan_mesh *mesh, mplan_error *err)
{
    MPLAN_NEED(app);
    MPLAN_NEED(mesh);
    static const struct {
        mplan_cell_type type;
        const char *words;
    } only[] = {
        [MPLAN_APP_TRIANGLES] = {MPLAN_CELL_TRI3, "triangles"},
        [MPLAN_APP_QUADS] = {MPLAN_CELL_QUAD4, "quads"},
        [MPLAN_APP_TETS] = {MPLAN_CELL_TET4, "tets"},
        [MPLAN_APP_HEXES] = {MPLAN_CELL_HEX8, "hexes"},
    };
    int32_t dimension = mplan_mesh_dimension(mesh);
    if (dimension == 0 || !mplan_mesh_cell_types(mesh))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s needs a mesh with cells", app->name);
    if (app->cells == MPLAN_APP_PLANE && dimension != 2)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s needs a mesh of two dimensions, not %d",
                          app->name, dimension);
    int32_t n_coordinates = 0;
    if (app->planar)
        mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), &n_coordinates);
    if (n_coordinates > 2 && dimension == 2)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s needs a mesh in the plane, not a surface in space", app->name);
    if (app->cells == MPLAN_APP_SOLID && dimension != 3)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s needs a mesh of three dimensions, not %d",
                          app->name, dimension);
    if (app->cells == MPLAN_APP_MIXED &&
        mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes")).arity > 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s needs cells of different shapes (generate --cells hybrid)", app->name);
    if (app->cells >= MPLAN_APP_TRIANGLES && !all_of_type(mesh, only[app->cells].type))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s needs a mesh with only first-order %s",
                          app->name, only[app->cells].words);
    return MPLAN_OK;
}

/* Before the plan is made: derives or adds what the application's loops name and the mesh
 * lacks. */
mplan_status mplan_app_prepare(const mplan_app *app, mplan_mesh *mesh, const mplan_context *context,
                               mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(app);
    MPLAN_NEED(mesh);
    return app->prepare ? app->prepare(mesh, context, err) : MPLAN_OK;
}

/* --- running ------------------------------------------------------------------ */

/* Says in which respect arg a of a loop differs. */
static mplan_status arg_differs(const mplan_loop *own, int32_t a, const char *what,
                                const char *mine, const char *other, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "the plan is not for this application: arg %d (%s) of loop %s has %s %s in "
                      "the plan and %s in the application",
                      (int)a, own->args[a].dat, own->name, what, other, mine);
}

/* Loops of a plan must be those of the application, arg by arg. */
static mplan_status compare_arg(const mplan_plan *plan, const mplan_plan_loop *loop,
                                const mplan_loop *own, int32_t a, mplan_error *err)
{
    const mplan_arg *mine = &own->args[a];
    const mplan_plan_arg *arg = &loop->args[a];
    const char *map = arg->map == MPLAN_MAP_GLOBAL ? MPLAN_GLOBAL
                      : arg->map < 0               ? "none"
                                                   : mplan_plan_get_map(plan, arg->map)->name;
    const char *my_map = mine->map ? mine->map : "none";
    char dim[16], my_dim[16];
    if (strcmp(mine->dat, arg->dat))
        return arg_differs(own, a, "dat", mine->dat, arg->dat, err);
    if (strcmp(my_map, map) || (arg->map == -1) != !mine->map)
        return arg_differs(own, a, "map", my_map, map, err);
    if (mine->access != arg->access)
        return arg_differs(own, a, "access", mplan_access_name(mine->access),
                           mplan_access_name(arg->access), err);
    if (mine->type != arg->type)
        return arg_differs(own, a, "type", mplan_type_name(mine->type), mplan_type_name(arg->type),
                           err);
    snprintf(dim, sizeof dim, "%d", (int)arg->dim);
    snprintf(my_dim, sizeof my_dim, "%d", (int)mine->dim);
    return mine->dim == arg->dim ? MPLAN_OK : arg_differs(own, a, "dim", my_dim, dim, err);
}

/* A loop of the application against the plan's of its name: a plan that was made for
 * other args would have dats of other sizes. */
static mplan_status compare_loop(const mplan_app *app, const mplan_plan *plan,
                                 const mplan_loop *own, mplan_error *err)
{
    const mplan_plan_loop *loop = NULL;
    for (int32_t i = 0; i < mplan_plan_n_loops(plan) && !loop; i++)
        if (!strcmp(mplan_plan_get_loop(plan, i)->name, own->name))
            loop = mplan_plan_get_loop(plan, i);
    if (!loop)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: the plan has no loop '%s'", app->name,
                          own->name);
    const char *set = mplan_plan_get_set(plan, loop->set)->name;
    if (strcmp(set, own->over))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the plan is not for this application: loop %s runs over set %s in the "
                          "plan and %s in the application",
                          own->name, set, own->over);
    if (loop->n_args != own->n_args)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the plan is not for this application: loop %s has %d args in the plan "
                          "and %d in the application",
                          own->name, (int)loop->n_args, (int)own->n_args);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < own->n_args && !status; a++)
        status = compare_arg(plan, loop, own, a, err);
    return status;
}

/* Every loop of the application is in the plan with the same args; the first that is not is named. */
static mplan_status compare_loops(const mplan_app *app, const mplan_mesh *mesh,
                                  const mplan_plan *plan, mplan_error *err)
{
    mplan_loop *loops = NULL;
    int32_t n_loops = 0;
    mplan_status status = mplan_app_request(app, mesh, &loops, &n_loops, err);
    for (int32_t l = 0; l < n_loops && !status; l++)
        status = compare_loop(app, plan, &loops[l], err);
    mplan_app_request_free(loops, n_loops);
    return status;
}

/* Options of the application and of the executor are taken in their own sizes
 * (mplan_options_take), then the mesh, the plan's loops and, with `check`, the kernel against a
 * version written by hand are compared before anything runs. */
mplan_status mplan_app_run(const mplan_app *app, const mplan_mesh *mesh, const mplan_plan *plan,
                           const mplan_app_options *options, mplan_app_result *result,
                           mplan_error *err)
{
    MPLAN_NEED(app);
    MPLAN_NEED(mesh);
    MPLAN_NEED(plan);
    MPLAN_NEED(result);
    mplan_app_options own = MPLAN_APP_OPTIONS_INIT;
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    *result = (mplan_app_result){.error = -1, .equal_bits = true};
    mplan_status status = mplan_options_take(&own, options, "application options", err);
    if (!status)
        status = mplan_options_take(&exec, own.exec, "executor options", err);
    own.exec = &exec;
    if (!status)
        status = mplan_app_accepts(app, mesh, err);
    if (!status)
        status = compare_loops(app, mesh, plan, err);
    if (!status && own.check)
        status = mplan_app_check_hand(app, err);
    if (!status)
        status = app->run(app, mesh, plan, &own, result, err);
    return status;
}

/* --- steps ------------------------------------------------------------------- */

bool mplan_app_has_step(const mplan_app *app)
{
    return app && app->n_step > 0;
}

/* *step: n numbers of loops in the order of a time step, owned by the caller; NULL: the application cannot be run with
 * a limited device memory. */
mplan_status mplan_app_time_step(const mplan_app *app, const mplan_loop *loops, int32_t **step,
                                 int32_t *n, mplan_error *err)
{
    MPLAN_NEED(app);
    MPLAN_NEED(loops);
    MPLAN_NEED(step);
    MPLAN_NEED(n);
    *step = NULL;
    *n = app->n_step;
    if (app->n_step == 0)
        return MPLAN_OK;
    int32_t *made = mplan_alloc(2 * (int64_t)app->n_step, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < app->n_step; i++) {
        const mplan_loop *loop = &loops[app->step[i].loop];
        made[i] = app->step[i].loop;
        made[app->n_step + i] = -1;
        for (int32_t a = 0; a < loop->n_args && app->step[i].clear; a++)
            if (strcmp(loop->args[a].dat, app->step[i].clear) == 0)
                made[app->n_step + i] = a;
    }
    *step = made;
    return MPLAN_OK;
}

/* --- layers ------------------------------------------------------------------ */

/* All that mplan_layers points to, in one piece. */
enum { LAYERED_LOOPS = 4 };
typedef struct layers_piece {
    mplan_layers layers;
    mplan_layered_set set[LAYERED_LOOPS];
    mplan_layered_loop loop[LAYERED_LOOPS];
    mplan_layered_arg arg[LAYERED_LOOPS * MPLAN_APP_LAYERED_ARGS];
} layers_piece;

/* The set of a loop has layers; it may have them already. */
static void add_layered_set(layers_piece *made, const char *set, int32_t layers)
{
    int32_t s = 0;
    while (s < made->layers.n_sets && strcmp(made->set[s].name, set))
        s++;
    if (s == made->layers.n_sets)
        made->set[made->layers.n_sets++] = (mplan_layered_set){set, layers, NULL, NULL};
}

/* Loop l, its set and its args. */
static void add_layered_loop(const mplan_app_layered *about, const mplan_loop *loop, int32_t l,
                             mplan_columns columns, int32_t layers, layers_piece *made)
{
    add_layered_set(made, loop->over, layers);
    made->loop[made->layers.n_loops++] = (mplan_layered_loop){l, about->layering};
    for (int32_t a = 0; a < loop->n_args; a++) {
        const bool matrix = a == 0 && about->rows > 0, mapped = loop->args[a].map != NULL;
        const int32_t levels = mplan_app_levels(about, a, layers);
        if (levels == 0)
            continue;
        mplan_layered_arg *to = &made->arg[made->layers.n_args++];
        *to = (mplan_layered_arg){.loop = l, .arg = a};
        to->layers = (mplan_arg_layers){
            .levels = levels,
            .stride = 1,
            .rows = matrix ? about->rows : 0,
            .columns = columns == MPLAN_COLUMNS_OWNER && !matrix ? MPLAN_COLUMNS_LAYERS : columns,
            .n_slots = mapped ? about->n_slots : 1};
        memcpy(to->layers.slots, about->slots, (size_t)to->layers.n_slots * sizeof *to->layers.slots);
    }
}

/* *out: layers of all columns, and of args what is next to what; owned by the caller. NULL: the application has no
 * layers. */
mplan_status mplan_app_layers(const mplan_app *app, const mplan_loop *loops, int32_t layers,
                              mplan_columns columns, mplan_layers **out, mplan_error *err)
{
    MPLAN_NEED(app);
    MPLAN_NEED(loops);
    MPLAN_NEED(out);
    *out = NULL;
    if ((unsigned)columns >= MPLAN_N_COLUMNS)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%d is not an order of levels", (int)columns);
    if (!app->layered)
        return MPLAN_OK;
    assert(app->n_loops <= LAYERED_LOOPS);
    layers_piece *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->layers = (mplan_layers){.sets = made->set, .loops = made->loop, .args = made->arg};
    for (int32_t l = 0; l < app->n_loops; l++)
        add_layered_loop(&app->layered[l], &loops[l], l, columns, layers, made);
    *out = &made->layers;
    return MPLAN_OK;
}
