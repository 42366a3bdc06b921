/* SPDX-License-Identifier: Apache-2.0 */
/* late_stop.h - ends a command that does not end by itself after a signal */
#ifndef MPLAN_CLI_LATE_STOP_H
#define MPLAN_CLI_LATE_STOP_H

/* Called by the handler of the signal `number`: after so many milliseconds the process removes what is not yet whole
 * and ends, by exit code 75 after SIGTERM and else by the signal. */
void cli_stop_late(int number, int milliseconds);
/* What is said as soon as the signal comes, in the place of "meshplan: interrupted" in the end. `say` is called by a
 * handler, and may only make system calls. Before any signal comes. */
void cli_stop_says(void (*say)(void));

#endif
