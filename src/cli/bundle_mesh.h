/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_mesh.h - the mesh and the loops that a bundle was made from, put together again from its parts */
#ifndef MPLAN_CLI_BUNDLE_MESH_H
#define MPLAN_CLI_BUNDLE_MESH_H

#include "meshplan.h"

typedef struct cli_bundle_mesh {
    mplan_mesh *mesh; /* sets and maps of the plans, with their numbers; no coordinates */
    mplan_plan *plan; /* of part 0, which names of loops belong to */
    int32_t n_loops;
    mplan_loop *loops;
    mplan_arg *args; /* of all loops, one behind the other */
} cli_bundle_mesh;

/* Rows are those of owned elements. Needs memory of twice the maps, time linear in them. what: the option, for messages.
 * MPLAN_ERR_ARGUMENT for loops with layers, sets that were split, and sets of 2^31 members or more; MPLAN_ERR_CORRUPT for parts
 * that do not make a mesh. Free it also after a failure. */
mplan_status cli_bundle_mesh_create(const mplan_bundle *bundle, const char *what,
                                    const mplan_context *context, cli_bundle_mesh *out,
                                    mplan_error *err);
void cli_bundle_mesh_free(cli_bundle_mesh *mesh);

#endif
