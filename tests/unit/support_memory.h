/* SPDX-License-Identifier: Apache-2.0 */
/* support_memory.h - allocations that fail by count
 *
 * A test that uses it is linked with --wrap (tests/CMakeLists.txt), so that the allocations
 * of the static library come here; those of other libraries are theirs. */
#ifndef MPLAN_SUPPORT_MEMORY_H
#define MPLAN_SUPPORT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct support_memory_state {
    bool armed;      /* allocations count */
    bool persistent; /* all behind the one that fails, too */
    bool fired;      /* one has failed */
    int64_t left;    /* until one fails */
    int64_t live;
} support_memory_state;
extern support_memory_state support_memory;

#endif
