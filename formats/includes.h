/* SPDX-License-Identifier: Apache-2.0 */
/* includes.h - text files that a text file includes, which are read in its place
 *
 * Names are relative to the file that includes. Only files beside it, or in folders below, are opened. All stay open to
 * the end, because names in meshes are views into them. */
#ifndef MPLAN_INCLUDES_H
#define MPLAN_INCLUDES_H

#include "base/memory.h"
#include "formats/scan.h"

/* Zero-initialise but for context; release with mplan_includes_free. */
typedef struct mplan_includes {
    const mplan_context *context;
    mplan_vector files; /* struct included_file *: that were opened, in their order */
    mplan_vector open;  /* struct including: places to go back to */
    int64_t bytes;      /* of all files */
} mplan_includes;

/* scan goes to the beginning of the file `name` (not ended by zero); the place behind it is kept. input: the first file;
 * line: of scan's file, where it is included.
 * MPLAN_ERR_CORRUPT for a file that includes itself, MPLAN_ERR_UNSUPPORTED for too many or files elsewhere; else what
 * mplan_input_open returns. Errors begin with "path:line: " of the place that includes. */
mplan_status mplan_include(mplan_includes *includes, const mplan_input *input, mplan_scanner *scan,
                           int64_t line, const char *name, size_t length, mplan_error *err);
/* At the end of a file: scan goes back behind the place that included it; false: it was the first. */
bool mplan_include_ends(mplan_includes *includes, mplan_scanner *scan);
void mplan_includes_free(mplan_includes *includes);

#endif
