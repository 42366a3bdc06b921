/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_figures.h - what is in a mesh: the figures of `info`, `generate`, `convert` */
#ifndef MPLAN_CLI_MESH_FIGURES_H
#define MPLAN_CLI_MESH_FIGURES_H

#include "cli/output.h"
#include "meshplan.h"

/* The keys, inside an object that is open. */
void cli_mesh_json(cli_json *json, const mplan_mesh *mesh);
/* The same as text. */
mplan_status cli_mesh_report(const mplan_mesh *mesh, mplan_error *err);
/* "121 nodes, 100 cells" on one line. */
void cli_mesh_print_sizes(const mplan_mesh *mesh);

#endif
