/* SPDX-License-Identifier: Apache-2.0 */
/* run_device.c - plans of a run are for the GPU that they run on
 *
 * Where there is none, or no CUDA, the run itself says so. */
#include "cli/commands/run_device.h"

#include "cli/tune_record.h"

void cli_run_device(const mplan_exec_options *exec, const mplan_context *context, char profile[32])
{
    mplan_tune_machine machine;
    profile[0] = '\0';
    if (exec->executor == MPLAN_EXECUTOR_CUDA &&
        mplan_tune_describe(exec, context, &machine, NULL) == MPLAN_OK)
        cli_tune_device(&machine, false, profile);
}
