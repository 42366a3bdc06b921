/* SPDX-License-Identifier: Apache-2.0 */
/* run_device.h - the profile that a run is planned for */
#ifndef MPLAN_CLI_COMMANDS_RUN_DEVICE_H
#define MPLAN_CLI_COMMANDS_RUN_DEVICE_H

#include "exec/meshplan_exec.h"

/* profile: out, on a CUDA device the built-in profile whose name the device's has; "" where there is none, without a
 * device and on the host. */
void cli_run_device(const mplan_exec_options *exec, const mplan_context *context, char profile[32]);

#endif
