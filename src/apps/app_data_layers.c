/* SPDX-License-Identifier: Apache-2.0 */
/* app_data_layers.c - loops with layers over the mesh as it is, without a plan */
#include <assert.h>
#include <string.h>

#include "apps/app_data.h"
#include "apps/layers_app.h"
#include "base/error.h"

/* All loops of an application have as many layers. */
mplan_status mplan_app_layers_of(const mplan_app *app, const mplan_plan *plan, int32_t *layers,
                                 mplan_error *err)
{
    *layers = 0;
    for (int32_t l = 0; app->layered && l < app->n_loops; l++) {
        const mplan_plan_loop *loop = NULL;
        for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++)
            if (strcmp(mplan_plan_get_loop(plan, i)->name, app->loops[l].name) == 0)
                loop = mplan_plan_get_loop(plan, i);
        const int32_t own = loop ? mplan_plan_get_set(plan, loop->set)->layers : 0;
        if (!loop || loop->layering != app->layered[l].layering || own < 1)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: the plan's loop has no layers",
                              app->name);
        if (l > 0 && own != *layers)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: the plan's loops have %d and %d layers",
                              app->name, (int)*layers, (int)own);
        *layers = own;
    }
    return MPLAN_OK;
}

/* Where the numbers of arg a are: the rows of a member one behind the other, level by level. */
static mplan_layer_data take_rows(const mplan_app_layered *about, const mplan_arg *arg,
                                  const mplan_app_dat *dat, const mplan_mesh *mesh)
{
    mplan_layer_data data = {.data = dat->changed ? dat->reference : dat->rows,
                             .numbers = mplan_app_dat_rows(dat) * dat->dim,
                             .column = (int64_t)dat->levels * dat->dim,
                             .level = dat->dim,
                             .component = 1,
                             .arity = 1,
                             .stride = 1,
                             .levels = dat->levels};
    const int32_t slots = arg->map ? about->n_slots : 1;
    for (int32_t s = 0; s < slots; s++) {
        data.of[s] = arg->map ? about->slots[s].of : 0;
        data.offset[s] = about->slots[s].offset;
    }
    if (arg->map) {
        const mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, arg->map));
        data.rows = map.values;
        data.arity = map.arity;
    }
    return data;
}

/* Element by element in the mesh's order, all layers of one before those of the next. */
void mplan_app_data_step_layers(const mplan_app *app, int32_t i, const mplan_loop *request,
                                const mplan_mesh *mesh, int32_t layers, const void *parameters,
                                mplan_app_data *data)
{
    const mplan_app_layered *about = &app->layered[i];
    const mplan_loop *loop = &request[i];
    mplan_layer_data arg[MPLAN_APP_LAYERED_ARGS];
    mplan_layers_call call = {.arg = arg, .layers = layers, .first_increment = -1};
    assert(loop->n_args <= MPLAN_APP_LAYERED_ARGS && about->rows == 0 && layers > 0);
    for (int32_t a = 0; a < loop->n_args; a++)
        arg[a] = take_rows(about, &loop->args[a], mplan_app_data_find(data, loop->args[a].dat), mesh);
    if (parameters)
        memcpy(call.parameters, parameters, about->host->parameter_bytes);
    const int64_t n = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, loop->over)).size;
    for (int64_t e = 0; e < n; e++)
        about->host->run(&call, e, 0, layers, NULL);
}
