/* SPDX-License-Identifier: Apache-2.0 */
/* memory_room.h - how much memory this process and its children may use now */
#ifndef MPLAN_CLI_MEMORY_ROOM_H
#define MPLAN_CLI_MEMORY_ROOM_H

#include <stdint.h>

/* Bytes: what the system has left, or what the control groups of this process leave, where that is less (jobs of Slurm
 * and containers have such limits). Below 0: not known. */
int64_t cli_memory_room(void);

#endif
