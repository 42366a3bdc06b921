/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_device.c - meshplan device: measure the profile of this machine for plan --device */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/apps.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

/* output NULL: the profile is printed; executor NULL: cuda; name NULL: that of the device. */
typedef struct device_options {
    const char *output, *name, *executor;
    cli_int gpu;
} device_options;

/* Words of --executor; NULL past the last. */
static const char *executor_word(int32_t i)
{
    static const char *const words[] = {"cuda", "openmp", "host"};
    return i < 3 ? words[i] : NULL;
}

#define TARGET(member) offsetof(device_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "FILE.yaml", .target = TARGET(output),
     .help = "write the profile to FILE.yaml, which plan --device takes (default: print it)"},
    {.name = "executor", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(executor),
     .word = executor_word,
     .help = "measure what this executor runs on: a CUDA device, or a core of the host (default cuda)"},
    {.name = "gpu", .kind = CLI_INT, .argument = "N", .target = TARGET(gpu),
     .least = 0, .most = 1024, .help = "number of the CUDA device (default 0)"},
    {.name = "name", .kind = CLI_TEXT, .argument = "NAME", .target = TARGET(name),
     .help = "name of the profile (default: that of the device in small letters, or host)"},
    {.name = NULL},
};
/* clang-format on */

/* What goes to the file: where the numbers are from, then the profile's lines, as plan --device
 * reads them. text: out, `size` bytes, which must hold the two lines of comment, too. */
static mplan_status profile_text(const mplan_device *device, char *text, int32_t size,
                                 mplan_error *err)
{
    const int n =
        snprintf(text, (size_t)size,
                 "# measured by meshplan %s: %s\n"
                 "# rates: bytes, f64 instructions, atomic adds, doubles from shared memory and bytes from the "
                 "L2 cache a second; launch: seconds%s\n",
                 mplan_version(), device->warp == 1 ? "one core of the host" : "a CUDA device",
                 device->link > 0
                     ? "; link: bytes to the device a second while half as many come back, link_both: each way"
                     : "");
    return mplan_device_text(device, text + n, size - n, err);
}

/* The same figures as in the file; rates are per second. launch, in seconds, link and link_both are there only where
 * they were measured. */
static mplan_status write_json(const cli_call *call, mplan_device *device, mplan_error *err)
{
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_open(&json, "profile", '{');
    cli_json_text(&json, "name", device->name);
    cli_json_int(&json, "version", device->version);
    cli_json_int(&json, "shared_bytes", device->shared_bytes);
    cli_json_int(&json, "max_threads", device->max_threads);
    cli_json_int(&json, "processors", device->processors);
    cli_json_int(&json, "processor_threads", device->processor_threads);
    cli_json_int(&json, "processor_shared_bytes", device->processor_shared_bytes);
    cli_json_int(&json, "l2_bytes", device->l2_bytes);
    cli_json_int(&json, "warp", device->warp);
    for (int r = 0; r < MPLAN_N_RATES; r++)
        cli_json_real(&json, mplan_rate_name((mplan_rate)r),
                      *mplan_device_rate(device, (mplan_rate)r));
    if (device->launch > 0)
        cli_json_real(&json, "launch", device->launch);
    if (device->link > 0)
        cli_json_real(&json, "link", device->link);
    if (device->link_both > 0)
        cli_json_real(&json, "link_both", device->link_both);
    cli_json_close(&json, '}');
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

/* Measures, then writes: a profile that does not fit its file is refused before anything is written. */
static mplan_status run_device(const cli_call *call, mplan_error *err)
{
    const device_options *given = call->options;
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    mplan_device device;
    char name[32], text[2048];
    exec.executor = MPLAN_EXECUTOR_CUDA;
    if (given->executor)
        mplan_executor_from(given->executor, &exec.executor);
    exec.device = (int32_t)given->gpu.value;
    mplan_status status = given->output ? cli_files_output(call->files, given->output, err)
                                        : MPLAN_OK;
    if (!status)
        status = mplan_app_device_profile(&exec, &device, name, sizeof name, err);
    if (status)
        return status;
    if (given->name)
        device.name = given->name;
    status = profile_text(&device, text, sizeof text, err);
    if (!status && given->output)
        status = mplan_file_write(given->output, text, strlen(text), call->context, err);
    if (!status && call->report && !given->output)
        fputs(text, stdout);
    if (!status && call->report && given->output)
        printf("%s: the profile of %s\n", cli_shown(given->output), cli_shown(device.name));
    if (!status && call->json)
        status = write_json(call, &device, err);
    return status;
}

const cli_command cli_command_device = {
    .name = "device",
    .arguments = "[-o FILE.yaml] [OPTION]...",
    .summary = "measure the profile of a GPU, or of the host, for the cost model",
    .details =
        "Measures what the cost model of 'plan' needs to know of a device: how fast it copies, computes, adds "
        "atomically, reads shared memory and its L2 cache, how long a launch takes, and how fast it copies from and to memory of the host. 'meshplan plan --device "
        "FILE.yaml' plans by the profile. Takes a second or two; nothing else should run on the device.",
    .options = options,
    .options_size = sizeof(device_options),
    .least_words = 0,
    .most_words = 0,
    .has_json = true,
    .run = run_device,
};
