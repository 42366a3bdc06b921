/* SPDX-License-Identifier: Apache-2.0 */
/* tune_machine.c - what a loop was measured on */
#include <stdio.h>
#include <string.h>

#include "apps/app_device.h"
#include "apps/tune_child.h"
#include "base/error.h"
#include "base/option_size.h"
#include "base/processors.h"

#define PATIENCE 60.0 /* seconds until a driver answers */
enum { MOST_THREADS = 1024 };

/* The processor's name as Linux tells it; "host" where it does not. */
static void name_host(char *name, size_t size)
{
    static const char key[] = "model name";
    char line[256];
    FILE *about = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "host");
    while (about && fgets(line, sizeof line, about)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, key, sizeof key - 1) || !value)
            continue;
        value += strspn(value, ": \t");
        snprintf(name, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (about)
        fclose(about);
}

/* What the child finds out of a CUDA device. */
typedef struct finding {
    mplan_status status;
    mplan_error err;
    mplan_tune_machine machine;
} finding;

/* In the child: what is found goes home as bytes, the error's text with it. */
static void look_at_device(void *user, void *to)
{
    const mplan_exec_options *exec = user;
    finding *found = to;
    found->status = mplan_gpu_describe(exec->device, &found->machine, &found->err);
}

mplan_status mplan_tune_describe(const mplan_exec_options *options, const mplan_context *context,
                                 mplan_tune_machine *machine, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(machine);
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&exec, options, "executor options", err);
    *machine = (mplan_tune_machine){.processors = 1};
    if (!status && exec.executor == MPLAN_EXECUTOR_CUDA) {
        finding found = {.status = MPLAN_OK};
        status = mplan_in_child(look_at_device, &exec, &found, sizeof found, PATIENCE, context, err);
        if (!status && found.status && err)
            *err = found.err;
        *machine = found.machine;
        return status ? status : found.status;
    }
    name_host(machine->name, sizeof machine->name);
    if (exec.executor == MPLAN_EXECUTOR_OPENMP)
        machine->processors = exec.threads > 0 ? exec.threads : mplan_processors(MOST_THREADS);
    return status;
}
