/* SPDX-License-Identifier: Apache-2.0 */
/* memory_limit.h - the most memory that the process may have */
#ifndef MPLAN_CLI_MEMORY_LIMIT_H
#define MPLAN_CLI_MEMORY_LIMIT_H

#include "meshplan.h"

/* Has the system refuse memory beyond so many bytes, so that the library fails with MPLAN_ERR_MEMORY: data and
 * heap count, stacks of threads (0: as many as there are processors) come on top, and the program's own code
 * does. Where the system cannot, only the library's own bounds hold. */
void cli_limit_memory(int64_t bytes, int32_t threads);

#endif
