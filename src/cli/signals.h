/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h - what signals do to a command (meshplan(1), Signals) */
#ifndef MPLAN_CLI_SIGNALS_H
#define MPLAN_CLI_SIGNALS_H

#include "meshplan.h"

/* Catches what would end the process, except where the parent had it ignored. */
void cli_catch_signals(void);

/* A command that does not end by itself so long after a signal is ended; 800 by default. */
void cli_stop_sooner(int milliseconds);

/* The first signal that asks the command to stop; 0: none has come. */
int cli_stop_signal(void);

/* Do not return when the process is to end by a signal: after MPLAN_ERR_INTERRUPTED by the one that came,
 * unless that was SIGTERM, which has an exit code; after MPLAN_ERR_IO by SIGPIPE where nobody reads. */
void cli_end_by_signal(mplan_status status);
void cli_end_if_pipe_broke(mplan_status status);

#endif
