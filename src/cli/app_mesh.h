/* SPDX-License-Identifier: Apache-2.0 */
/* app_mesh.h - the mesh of an application, for run and tune: a file, or a shape and its size, which is generated */
#ifndef CLI_APP_MESH_H
#define CLI_APP_MESH_H

#include "cli/mesh_shape.h"

/* What the options of a command say. Those that a command does not have are NULL, or 0. */
typedef struct cli_app_mesh {
    const char *command; /* for messages */
    const char *mesh;    /* of --mesh: FILE or SHAPE:SIZE */
    const char *from, *zone;
    const mplan_plan *plan; /* whose mesh a file is: its zone is that of the request; NULL: none */
    const cli_int *shuffle; /* these four are refused for a file, rather than skipped */
    const char *stretch;
    const cli_real *jitter;
    const cli_layers *layers;
    int32_t refine; /* times, each of which makes 4 or 8 cells of one */
} cli_app_mesh;

/* *mesh is the caller's, also after a failure; NULL if there is none. */
mplan_status cli_app_mesh_load(const cli_app_mesh *asked, const mplan_context *context,
                               mplan_mesh **mesh, mplan_error *err);

#endif
