/* SPDX-License-Identifier: Apache-2.0 */
/* processors.c - how many threads the process may keep busy
 *
 * Quotas as Documentation/admin-guide/cgroup-v2.rst (cpu.max) and scheduler/sched-bwc.rst (cgroup
 * v1) of Linux describe them. Inside a container, /proc/self/cgroup may name groups that are
 * seen from outside only: those that are not found do not count, the root is looked at always. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/processors.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

enum { MOST_TEXT = 4096 };

/* The beginning of a small file, as text; false where there is none. */
static bool read_text(const char *path, char text[MOST_TEXT])
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t n = read(file, text, MOST_TEXT - 1);
    close(file);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* --- quotas -------------------------------------------------------------------------- */

/* Processors for `quota` microseconds in each `period`; 0: any number. */
static int share_of(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    long long share = quota / period + (quota % period != 0);
    return share < INT_MAX ? (int)share : 0;
}

/* The quota of one group; 0 without one. */
static int quota_of_group(const char *folder)
{
    char path[PATH_MAX], text[MOST_TEXT];
    long long quota, period;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (read_text(path, text)) /* "max 100000" or "150000 100000" */
        return sscanf(text, "%lld %lld", &quota, &period) == 2 ? share_of(quota, period) : 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!read_text(path, text) || sscanf(text, "%lld", &quota) != 1)
        return 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    if (!read_text(path, text) || sscanf(text, "%lld", &period) != 1)
        return 0;
    return share_of(quota, period);
}

/* 0 stands for none. */
static int smaller_quota(int a, int b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

/* Of a group and of those around it, up to `folder`. */
static int quota_of_path(const char *folder, const char *group, size_t length)
{
    char path[PATH_MAX];
    size_t root = strlen(folder);
    int quota = 0;
    if (root + length >= sizeof path)
        return quota_of_group(folder);
    memcpy(path, folder, root);
    memcpy(path + root, group, length);
    path[root + length] = '\0';
    for (;;) {
        quota = smaller_quota(quota, quota_of_group(path));
        char *end = strrchr(path + root, '/');
        if (!end)
            return quota;
        *end = '\0';
    }
}

/* Whether "cpu" is in a list of controllers. */
static bool names_cpu(const char *list, const char *end)
{
    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *stop = comma ? comma : end;
        if (stop - list == 3 && memcmp(list, "cpu", 3) == 0)
            return true;
        list = stop + 1;
    }
    return false;
}

/* Lines "ID:CONTROLLERS:/GROUP": no controllers in version 2; in version 1 each list of
 * controllers has a folder of its own. */
int mplan_processor_quota(const char *groups, const char *folder)
{
    int quota = 0;
    for (const char *line = groups; *line;) {
        const char *end = line + strcspn(line, "\n");
        const char *list = memchr(line, ':', (size_t)(end - line));
        const char *group = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;
        if (group && group == list + 1)
            quota = smaller_quota(quota, quota_of_path(folder, group + 1, (size_t)(end - group - 1)));
        else if (group && names_cpu(list + 1, group)) {
            char own[PATH_MAX];
            snprintf(own, sizeof own, "%s/%.*s", folder, (int)(group - list - 1), list + 1);
            quota = smaller_quota(quota, quota_of_path(own, group + 1, (size_t)(end - group - 1)));
        }
        line = *end ? end + 1 : end;
    }
    return quota;
}

/* --- all -------------------------------------------------------------------------------- */

/* The number at the front of OMP_NUM_THREADS, where it makes sense; 0 else. */
static int wish_of_environment(int most)
{
    const char *text = getenv("OMP_NUM_THREADS");
    char *end;
    if (!text)
        return 0;
    long wish = strtol(text, &end, 10);
    end += strspn(end, " \t");
    return end != text && (*end == '\0' || *end == ',') && wish >= 1 && wish <= most ? (int)wish : 0;
}

/* Those that this process may run on. */
static int count_processors(void)
{
#ifdef __linux__
    cpu_set_t masks[64]; /* 65536 processors */
    if (sched_getaffinity(0, sizeof masks, masks) == 0)
        return CPU_COUNT_S(sizeof masks, masks);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < INT_MAX ? (int)n : 1;
}

/* The least of: processors, OMP_NUM_THREADS, `most`, and the quota of the control
 * group. At least 1. */
int mplan_processors(int most)
{
    char groups[MOST_TEXT];
    int n = count_processors(), wish = wish_of_environment(most);
    n = wish > 0 && wish < n ? wish : n;
    n = n < most ? n : most;
    if (n > 1 && read_text("/proc/self/cgroup", groups)) {
        int quota = mplan_processor_quota(groups, "/sys/fs/cgroup");
        n = quota > 0 && quota < n ? quota : n;
    }
    return n > 1 ? n : 1;
}
