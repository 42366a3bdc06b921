/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_write.h - the writer of CGNS files */
#ifndef MPLAN_CGNS_WRITE_H
#define MPLAN_CGNS_WRITE_H

#include "formats/format.h"

/* The format's `write`: in the program of libexec that has libhdf5, and as a call of that program elsewhere. */
mplan_status mplan_cgns_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                              const mplan_context *context, mplan_error *err);

#endif
