/* SPDX-License-Identifier: Apache-2.0 */
/* tune_source.h - mesh, loops and request of what is tuned: of an application, of a job or of a plan */
#ifndef MPLAN_CLI_COMMANDS_TUNE_SOURCE_H
#define MPLAN_CLI_COMMANDS_TUNE_SOURCE_H

#include "cli/mesh_shape.h"
#include "cli/plan_asked.h"
#include "cli/tune_candidates.h"

/* What the command line says of it; NULL where it says nothing. */
typedef struct cli_tune_asked {
    const char *word; /* a job or a plan */
    const char *app, *loop, *mesh, *from, *zone;
    const cli_int *shuffle;
} cli_tune_asked;

/* Zero at first. What is not NULL is owned, but for `app` and `input`. */
typedef struct cli_tune_source {
    const mplan_app *app;
    mplan_job *job;
    mplan_plan *plan;
    cli_asked asked; /* of the plan */
    mplan_mesh *mesh;
    mplan_loop *app_loops;
    int32_t n_app_loops;
    const char *input; /* the mesh, as the command line, the job or the plan's --mesh names it */
} cli_tune_source;

/* Loads all of it. subject: mesh, loops and the loop that is measured are set: the application's, else the one of that
 * name, else the primary one, else the first. base: becomes the request of the job or the plan; without one it stays as it
 * is. device: of --device, or NULL; a plan by a profile from a file needs it. MPLAN_ERR_OTHER_MESH where the mesh is not
 * the plan's. */
mplan_status cli_tune_source_load(const cli_tune_asked *asked, const char *device,
                                  const mplan_context *context, cli_tune_source *source,
                                  cli_tune_subject *subject, mplan_plan_options *base,
                                  mplan_error *err);
/* Also after a failure, and for the next one. */
void cli_tune_source_free(cli_tune_source *source);

#endif
