/* SPDX-License-Identifier: Apache-2.0 */
/* app_mesh.c - the mesh of an application, for run and tune */
#include "cli/app_mesh.h"

#include <stdio.h>

#include "cli/mesh_source.h"
#include "cli/message.h"

/* The first option given that says how a mesh is generated; NULL: none. */
static const char *shape_option(const cli_app_mesh *asked)
{
    return asked->jitter && asked->jitter->given     ? "jitter"
           : asked->shuffle && asked->shuffle->given ? "shuffle"
           : asked->stretch                          ? "stretch"
           : asked->layers                           ? cli_layers_given(asked->layers)
                                                     : NULL;
}

/* size: what is behind the shape and its colon. */
static mplan_status generate(const cli_app_mesh *asked, const char *size,
                             mplan_generate_options *wanted, const mplan_context *context,
                             mplan_mesh **mesh, mplan_error *err)
{
    char option[32];
    snprintf(option, sizeof option, "%s: --mesh", asked->command);
    if (asked->jitter)
        wanted->jitter = asked->jitter->value;
    if (asked->shuffle && asked->shuffle->given) {
        wanted->shuffle = true;
        wanted->seed = (uint64_t)asked->shuffle->value;
    }
    mplan_status status = cli_read_shape_size(option, wanted->shape, size, wanted->size, err);
    if (!status)
        status = cli_read_stretch(asked->command, asked->stretch, wanted->stretch, err);
    if (!status && asked->layers)
        status = cli_read_layers(asked->command, asked->layers, wanted, err);
    return status ? status : mplan_mesh_generate(wanted, context, mesh, err);
}

/* *mesh is replaced; both meshes are in memory for a moment. */
static mplan_status refine(const cli_app_mesh *asked, const mplan_context *context,
                           mplan_mesh **mesh, mplan_error *err)
{
    mplan_mesh *finer = NULL;
    if (asked->refine == 0)
        return MPLAN_OK;
    mplan_status status = mplan_mesh_refine(*mesh, asked->refine, context, &finer, err);
    if (status)
        return status;
    mplan_mesh_free(*mesh);
    *mesh = finer;
    return MPLAN_OK;
}

/* A word such as quad:1200x600 is generated, anything else is the path of a file. Options for generated meshes are
 * refused with a file, so that none is dropped in silence. Refined in both cases. */
mplan_status cli_app_mesh_load(const cli_app_mesh *asked, const mplan_context *context,
                               mplan_mesh **mesh, mplan_error *err)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_status status;
    const char *size;
    if (cli_find_shape(asked->mesh, &wanted.shape, &size)) {
        status = generate(asked, size, &wanted, context, mesh, err);
    } else {
        const char *option = shape_option(asked);
        if (option)
            return cli_fail(err, MPLAN_ERR_ARGUMENT,
                            "%s: --%s is only for generated meshes, such as quad:1200x600",
                            asked->command, option);
        cli_mesh_source source = {asked->mesh, asked->from, NULL, NULL, asked->zone, NULL};
        status = asked->plan ? cli_mesh_load_for(asked->plan, &source, context, mesh, err)
                             : cli_mesh_load(&source, context, mesh, err);
    }
    return status ? status : refine(asked, context, mesh, err);
}
