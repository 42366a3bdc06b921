/* SPDX-License-Identifier: Apache-2.0 */
/* layers_app.h - what an application with layers has beside a flat one */
#ifndef MPLAN_APPS_LAYERS_APP_H
#define MPLAN_APPS_LAYERS_APP_H

#include "apps/app.h"
#include "exec/meshplan_layers.h"

/* Of a loop. extra_levels[a]: beyond the layers; -1: the arg has no levels. slots: (slot of the map, offset), n_slots of them for args
 * through the map; direct args have one. hand: a case of one column and its results; NULL: that of another application. */
enum { MPLAN_APP_LAYERED_ARGS = 4 };
typedef struct mplan_app_layered {
    const mplan_layer_kernel *host, *device; /* device NULL without CUDA */
    mplan_layered layering;
    int32_t extra_levels[MPLAN_APP_LAYERED_ARGS], rows, n_slots;
    mplan_slot slots[8];
    /* MPLAN_ERR_INTERNAL with the first number that differs. */
    mplan_status (*hand)(const mplan_app *app, mplan_error *err);
} mplan_app_layered;

/* Levels of arg a; 0: it has none. */
static inline int32_t mplan_app_levels(const mplan_app_layered *layered, int32_t a, int32_t layers)
{
    return layered->extra_levels[a] < 0 ? 0 : layers + layered->extra_levels[a];
}

/* harness_layers.c: applications of one loop */
mplan_status mplan_app_run_layers(const mplan_app *app, const mplan_mesh *mesh,
                                  const mplan_plan *plan, const mplan_app_options *options,
                                  mplan_app_result *result, mplan_error *err);

#endif
