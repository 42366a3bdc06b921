/* cmd_export.c - meshplan export: a plan as npy files or as a part file */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"

typedef struct export_options {
    const char *output, *format;
} export_options;

static const char *format_word(int32_t i)
{
    static const char *const words[] = {"npy", "part"};
    return i < 2 ? words[i] : NULL;
}

#define TARGET(member) offsetof(export_options, member)
static const cli_option options[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "DIR/|FILE",
     .target = TARGET(output),
     .help = "a folder (existing, or a name that ends in /) for npy files, or a part file; needed"},
    {.name = "format", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(format),
     .word = format_word, .help = "what to write (default: by the name of the output)"},
    {.name = NULL},
};

static const char *guess_format(const char *output)
{
    struct stat about;
    size_t length = strlen(output);
    if (output[length - 1] == '/' || (stat(output, &about) == 0 && S_ISDIR(about.st_mode)))
        return "npy";
    return cli_ends_with(output, ".part") ? "part" : NULL;
}

static mplan_status run_export(const cli_call *call, mplan_error *err)
{
    const export_options *given = call->options;
    if (!given->output)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "export: -o DIR/ or -o FILE.part is needed");
    const char *format = given->format ? given->format : guess_format(given->output);
    if (!format)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "export: %s is neither a folder (DIR/) nor a .part file; give --format npy "
                        "or part",
                        given->output);
    bool part = !strcmp(format, "part");
    mplan_plan *plan = NULL;
    mplan_status status = cli_keep_input("export", given->output, call->words[0], err);
    if (!status)
        status = mplan_plan_read(call->words[0], call->context, &plan, err);
    if (!status && part)
        status = mplan_plan_export_part(plan, given->output, call->context, err);
    else if (!status)
        status = mplan_plan_export_npy(plan, given->output, call->context, err);
    if (!status && call->report && strcmp(given->output, "-")) {
        if (part)
            printf("%s: the block of every element\n", given->output);
        else
            printf("%s: %d arrays and index.json\n", given->output,
                   (int)mplan_plan_n_arrays(plan));
    }
    mplan_plan_free(plan);
    return status;
}

const cli_command cli_command_export = {
    .name = "export",
    .arguments = "PLAN -o DIR/ | -o FILE.part [OPTION]...",
    .summary = "write a plan's arrays as npy files, or its blocks as a part file",
    .details = "Into a folder: every order, reordered map and table as a npy file, with an "
               "index.json that says what each is. As a part file: the block of every element of "
               "the primary loop's set in the order of the mesh, a line each, as METIS writes it.",
    .options = options,
    .options_size = sizeof(export_options),
    .least_words = 1,
    .most_words = 1,
    .has_json = false,
    .run = run_export,
};
