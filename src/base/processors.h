/* SPDX-License-Identifier: Apache-2.0 */
/* processors.h - how many threads the process may keep busy */
#ifndef MPLAN_PROCESSORS_H
#define MPLAN_PROCESSORS_H

/* The least of: the processors of the calling thread's affinity; the CPU quota of its cgroups,
 * rounded up; OMP_NUM_THREADS (of a list the first), where that is a number from 1 to `most`,
 * else it does not count; and `most`. At least 1. */
int mplan_processors(int most);

/* The quota of the groups that a text as of /proc/self/cgroup names, below a folder as
 * /sys/fs/cgroup; 0 without one. The groups around a group bound it, too. */
int mplan_processor_quota(const char *groups, const char *folder);

#endif
