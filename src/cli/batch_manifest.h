/* SPDX-License-Identifier: Apache-2.0 */
/* batch_manifest.h - the file that `batch` appends a line to for each job */
#ifndef MPLAN_CLI_BATCH_MANIFEST_H
#define MPLAN_CLI_BATCH_MANIFEST_H

#include <sys/types.h>

#include "meshplan.h"

/* path is the caller's. fd -1: not open. Bytes below `known` were told by cli_manifest_read, which tells lines of
 * this process, too. */
typedef struct cli_manifest {
    const char *path;
    int fd;
    off_t known; /* so many bytes were read or written here */
} cli_manifest;

/* A line of it, without its end. */
typedef void cli_manifest_line(void *user, const char *line, size_t length);

/* Opens it, or makes it. */
mplan_status cli_manifest_open(cli_manifest *manifest, const char *path, mplan_error *err);
/* Tells of the whole lines that came since the last call: those of other processes, too. */
mplan_status cli_manifest_read(cli_manifest *manifest, cli_manifest_line *visit, void *user,
                               mplan_error *err);
/* Adds a line at the end, whole or not at all. What a process that was killed left of one is removed. line ends with a
 * line feed. */
mplan_status cli_manifest_append(cli_manifest *manifest, const char *line, size_t length,
                                 mplan_error *err);
/* Whether this process may do the job of that output: false while another one does, which opened the same manifest.
 * Where the file system has no locks, it always may. */
bool cli_manifest_claim(const cli_manifest *manifest, const char *output);
void cli_manifest_release(const cli_manifest *manifest, const char *output);
void cli_manifest_close(cli_manifest *manifest);

#endif
