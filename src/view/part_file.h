/* SPDX-License-Identifier: Apache-2.0 */
/* part_file.h - lines of part files */
#ifndef MPLAN_PART_FILE_H
#define MPLAN_PART_FILE_H

#include "base/file_output.h"

/* One part, >= 0, and the end of its line. */
mplan_status mplan_part_line(mplan_output *output, int32_t part, mplan_error *err);

#endif
