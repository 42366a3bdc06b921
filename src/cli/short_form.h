/* SPDX-License-Identifier: Apache-2.0 */
/* short_form.h - one loop from --over, --inc and --read */
#ifndef MPLAN_CLI_SHORT_FORM_H
#define MPLAN_CLI_SHORT_FORM_H

#include "cli/options.h"
#include "meshplan.h"

/* inc and read have n = 0 where nothing was given; none: what entries of -1 in a map mean. */
typedef struct cli_short_form {
    const char *over;     /* NULL: chosen from the mesh */
    const cli_texts *inc; /* MAP[:DIM[:TYPE]] each */
    const cli_texts *read;
    mplan_none none;
} cli_short_form;

/* The loop named "loop" with its texts; release with cli_short_loop_free. */
typedef struct cli_short_loop {
    mplan_loop loop;
    mplan_arg *args;
    char (*text)[2][128]; /* dat and map of each arg */
} cli_short_loop;

/* Each listed map gets a dat of its own, read1, read2, ..., inc1, ...; a word
 * that names a set stands for the map <over>_<word>. Without lists the loop
 * reads and increments 5 x f64 through one map: of a table, that table; of a
 * mesh, <over>_cells, or cells_nodes for a loop over cells. */
mplan_status cli_short_loop_make(const cli_short_form *form, const mplan_mesh *mesh,
                                 cli_short_loop *made, mplan_error *err);
void cli_short_loop_free(cli_short_loop *made);

#endif
