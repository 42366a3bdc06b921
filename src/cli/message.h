/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - what the command line says on standard error, and exit codes */
#ifndef MPLAN_CLI_MESSAGE_H
#define MPLAN_CLI_MESSAGE_H

#include "meshplan.h"

/* The user data of the context that commands hand to the library. */
typedef struct cli_listener {
    struct cli_files *files;   /* what the command reads and writes */
    struct mplan_cache *cache; /* that is told of all that decides a plan; NULL: none */
    bool quiet;
    bool draw;                      /* show progress */
    bool terminal;                  /* standard error is one: redraw a line */
    bool line_open;                 /* a progress line waits to be cleared */
    double last_drawn, stage_start; /* seconds */
    char stage[32];
} cli_listener;

/* Fills err and returns status, as the library does for its own sentences. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
mplan_status
cli_fail(mplan_error *err, mplan_status status, const char *format, ...);

/* "meshplan: <sentence>" on standard error. */
void cli_say(cli_listener *listener, const char *text);

/* The same of what is worth knowing, and no fault. */
void cli_notice(cli_listener *listener, const char *text);

/* Callbacks of the context. */
void cli_warning(void *user, const char *text);
void cli_progress(void *user, const char *stage, int64_t done, int64_t total);

/* Clears a progress line that is open. */
void cli_progress_end(cli_listener *listener);

/* The exit code of a status. */
int cli_exit_code(mplan_status status);

/* Seconds since some fixed moment. */
double cli_seconds(void);

#endif
