/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_split.c - meshplan split: a bundle as a folder with a file for each part */
#include <stdio.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

typedef struct split_options {
    const char *output;
} split_options;

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_TEXT,
     .argument = "DIR",
     .target = offsetof(split_options, output),
     .help = "the folder; it appears when all files are whole, and replaces an earlier split; required"},
    {.name = NULL},
};

/* Keys are fixed. The names of the files follow from the number of parts
 * (formats/plan-format.md, section 13). */
static mplan_status write_json(const cli_call *call, const mplan_bundle *bundle, mplan_error *err)
{
    const split_options *given = call->options;
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "bundle", call->words[0]);
    cli_json_text(&json, "folder", given->output);
    cli_json_int(&json, "parts", mplan_bundle_n_parts(bundle));
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

/* words: the bundle, whose plans are copied and not proved: `verify` does that. The folder is
 * known as an output before the bundle is opened. */
static mplan_status run_split(const cli_call *call, mplan_error *err)
{
    const split_options *given = call->options;
    mplan_bundle *bundle = NULL;
    if (!given->output)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "split: -o DIR is required");
    mplan_status status = cli_files_output(call->files, given->output, err);
    if (!status)
        status = mplan_bundle_open(call->words[0], call->context, &bundle, err);
    if (!status)
        status = mplan_bundle_split(bundle, given->output, call->context, err);
    if (!status && call->report)
        printf("%s: %d parts and the manifest\n", cli_shown(given->output),
               (int)mplan_bundle_n_parts(bundle));
    if (!status && call->json)
        status = write_json(call, bundle, err);
    mplan_bundle_free(bundle);
    return status;
}

const cli_command cli_command_split = {
    .name = "split",
    .arguments = "BUNDLE -o DIR",
    .summary = "write each part of a bundle as a file of its own",
    .details = "Writes the plan of each part of a bundle as a file, and the manifest, into a folder: "
               "part-0.mplan, part-1.mplan, ..., manifest.mparts. Each file is a plan that `verify`, "
               "`info` and `export` read. `join` makes the bundle of them again, byte by byte.",
    .options = options,
    .options_size = sizeof(split_options),
    .least_words = 1,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_split,
};
