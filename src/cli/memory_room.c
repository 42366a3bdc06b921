/* SPDX-License-Identifier: Apache-2.0 */
/* memory_room.c - how much memory this process and its children may use now */
#include "cli/memory_room.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number that a file begins with; -1: it is not there, or says "max". */
static int64_t number_of(const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    long long number = -1;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lld", &number) != 1)
        number = -1;
    if (file)
        fclose(file);
    return number;
}

/* MemAvailable of /proc/meminfo. */
static int64_t available(void)
{
    char line[256];
    long long kilobytes = -1;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && kilobytes < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lld", &kilobytes) != 1)
            kilobytes = -1;
    if (file)
        fclose(file);
    return kilobytes < 0 ? -1 : (int64_t)kilobytes * 1024;
}

/* Below 0 is not known: then the other one. */
static int64_t lesser(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* The least that the groups from `path` upwards leave; what is kept of files only may go. */
static int64_t left_by_groups(const char *root, char *path, const char *limit, const char *used)
{
    int64_t least = -1;
    for (;;) {
        char folder[PATH_MAX];
        snprintf(folder, sizeof folder, "%s%s", root, path);
        int64_t most = number_of(folder, limit), now = number_of(folder, used);
        if (most >= 0 && now >= 0)
            least = lesser(least, most > now ? most - now : 0);
        char *slash = strrchr(path, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Lines of /proc/self/cgroup: "0::/path" of version 2, "4:memory:/path" of version 1. */
int64_t cli_memory_room(void)
{
    char line[PATH_MAX];
    int64_t least = available();
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *path = strchr(line, '/');
        if (!path)
            continue;
        if (!strncmp(line, "0::", 3))
            least = lesser(least,
                           left_by_groups("/sys/fs/cgroup", path, "memory.max", "memory.current"));
        else if (strstr(line, ":memory:"))
            least = lesser(least, left_by_groups("/sys/fs/cgroup/memory", path,
                                                 "memory.limit_in_bytes", "memory.usage_in_bytes"));
    }
    if (file)
        fclose(file);
    return least;
}
