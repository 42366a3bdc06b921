/* SPDX-License-Identifier: Apache-2.0 */
/* tune_table.h - one loop by threads of a block and elements of a thread, beside the default: the table of `tune` */
#ifndef MPLAN_CLI_TUNE_TABLE_H
#define MPLAN_CLI_TUNE_TABLE_H

#include "cli/output.h"
#include "cli/tune_candidates.h"

enum { CLI_TABLE_THREADS = 4, CLI_TABLE_EACH = 4, CLI_TABLE_MESHES = 16 };
extern const int32_t cli_table_threads[CLI_TABLE_THREADS]; /* columns */
extern const int32_t cli_table_each[CLI_TABLE_EACH];       /* rows: elements of a thread */

/* A mesh. result[e][0] is the default, measured in turns with result[e][1 + t]. */
typedef struct cli_tune_table {
    char mesh[64];
    int64_t elements;
    int32_t threads, each; /* of the default */
    mplan_tune_result result[CLI_TABLE_EACH][1 + CLI_TABLE_THREADS];
} cli_tune_table;

/* Plans and measures all of them, a row at a time. mesh and elements are set by the caller. */
mplan_status cli_tune_table_measure(const cli_tune_subject *subject, const mplan_tune *tune,
                                    const mplan_tune_options *how, cli_tune_table *table,
                                    mplan_error *err);

/* The default's time over that of the best of all, 1 where none was faster in three rounds of four; NAN where the default
 * was not measured. */
double cli_tune_table_regret(const cli_tune_table *table);

/* Rows and regret of each mesh; reasons of what was not measured. */
mplan_status cli_tune_table_report(const cli_tune_table *tables, int32_t n, mplan_error *err);
/* The key "tables". */
void cli_tune_table_json(cli_json *json, const cli_tune_table *tables, int32_t n);

#endif
