/* SPDX-License-Identifier: Apache-2.0 */
/* part_sets.h - sets of a mesh in parts: how many members parts own, and halos, as a table and as JSON */
#ifndef MPLAN_CLI_PART_SETS_H
#define MPLAN_CLI_PART_SETS_H

#include "cli/output.h"
#include "meshplan.h"

/* Begins a table, adds a set, and prints it all. Of a set name, total, cut, base and both halos are read. */
void cli_part_sets_head(cli_table *table);
void cli_part_sets_row(cli_table *table, const mplan_parts_set *set, int32_t n_parts);
mplan_status cli_part_sets_print(cli_table *table, mplan_error *err);

/* Rings that parts compute as well, by a line of the request; 0: none. */
int32_t cli_part_sets_rings(const char *request);
/* Then a line of what parts compute twice by them; nothing without rings. */
void cli_part_sets_twice(const mplan_parts_set *sets, int32_t n_sets, int32_t rings);

/* The same as an object of an open array. */
void cli_part_sets_json(cli_json *json, const mplan_parts_set *set, int32_t n_parts);

#endif
