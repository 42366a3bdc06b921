/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h - files of formats that nobody here reads: what they are, and what makes them readable */
#ifndef MPLAN_FOREIGN_H
#define MPLAN_FOREIGN_H

#include "formats/format.h"

typedef struct mplan_foreign {
    const char *what; /* "an XDMF file" */
    const char *help; /* a command whose output is read, as a sentence; NULL: none is known */
} mplan_foreign;

/* What the input seems to be; NULL when nothing tells. By its first bytes; where these are bare numbers, as many
 * formats have them, also by its name. */
const mplan_foreign *mplan_foreign_find(const mplan_input *input);

#endif
