/* SPDX-License-Identifier: Apache-2.0 */
/* exodus_write.h - the writer of Exodus II files */
#ifndef MPLAN_EXODUS_WRITE_H
#define MPLAN_EXODUS_WRITE_H

#include "formats/format.h"

/* The format's `write`. */
mplan_status mplan_exodus_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                const mplan_context *context, mplan_error *err);

#endif
