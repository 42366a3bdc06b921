/* SPDX-License-Identifier: Apache-2.0 */
/* command_files.h - the files of a command: no output replaces an input or another output */
#ifndef MPLAN_CLI_COMMAND_FILES_H
#define MPLAN_CLI_COMMAND_FILES_H

#include <sys/types.h>

#include "meshplan.h"

/* One file: what its path leads to, through links of both kinds. */
typedef struct cli_file {
    char *path; /* as it was given */
    bool output;
    bool unchanged; /* of an output: it held already what was to be written */
    bool known; /* a file or folder, or the place of a new one; else a device, a pipe, or nothing */
    dev_t device;
    ino_t number;   /* of the file, or of the folder where there is no file yet */
    char name[256]; /* in that folder; "" for a file that is there */
    ino_t inside;   /* of an input: the folder that holds it, on `inside_device`; 0: not known */
    dev_t inside_device;
} cli_file;

/* Zero-initialise; release with cli_files_free. */
typedef struct cli_files {
    const char *command;
    cli_file *item;
    int32_t n, capacity;
    bool refused;     /* two of the files are one */
    bool has_results; /* --json was written */
    bool listed;      /* --depfile lists them in the end */
} cli_files;

/* Each says what the command is about to read or to write, before it does; "-" stands for a standard stream, and NULL
 * for nothing. MPLAN_ERR_ARGUMENT when an output is an input or another output, whichever was named first. */
mplan_status cli_files_input(cli_files *files, const char *path, mplan_error *err);
mplan_status cli_files_output(cli_files *files, const char *path, mplan_error *err);
/* Whether such a file may be replaced after a failure, when the command may not have named all of its files yet:
 * neither it nor another file of the call was refused, and none of the n words leads to it. */
bool cli_files_allow(cli_files *files, const char *output, int32_t n, const char *const *words);
/* An output was left as it is. */
void cli_files_unchanged(cli_files *files, const char *path);
void cli_files_free(cli_files *files);

#endif
