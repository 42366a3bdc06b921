/* SPDX-License-Identifier: Apache-2.0 */
/* logicals.h - tables of logical values as Fortran writes them: masks of layers */
#ifndef MPLAN_LOGICALS_H
#define MPLAN_LOGICALS_H

#include "formats/format.h"

/* Whether the first word of a text is a logical value: T, F, .true., .false. and what else Fortran reads as one, in any case. */
bool mplan_logicals_recognise(const mplan_input *input);
/* All logical values of a text, in its order, as whole numbers 1 and 0, `cols` in a row of *numbers, which is then the caller's: lists
 * are read as Fortran reads them, for which ends of lines are blanks. Lines that begin with # or ! are comments.
 * MPLAN_ERR_CORRUPT: "path:7: 'X' is not a logical value", and where the last row is too short. */
mplan_status mplan_read_logicals(const mplan_input *input, int32_t cols, mplan_numbers *numbers,
                                 mplan_error *err);

#endif
