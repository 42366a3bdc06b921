/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - finds the command, reads its options, runs it, sets the exit code
 *
 * Options of every command may be before or behind the command's name. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/cache.h"
#include "cli/batch_worker.h"
#include "cli/command.h"
#include "cli/depfile.h"
#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"
#include "cli/signals.h"

/* Options that may be given before or behind the name of a command; the table of rows below fills it. NULL and not
 * given: the defaults of the library. */
typedef struct global_options {
    const char *json, *depfile;
    cli_int threads, read_timeout, max_memory, max_inflate;
    bool quiet, verbose, help, version;
    const char *progress;
} global_options;

/* The library asks now and then, and stops with MPLAN_ERR_INTERRUPTED once a signal has come. */
static bool is_cancelled(void *user)
{
    const cli_listener *listener = user;
    if (listener->cache)
        mplan_cache_show_life(listener->cache);
    return cli_stop_signal() != 0;
}

/* Every file that the library is about to open for reading, those that a job or a case names
 * too. A refusal ends the call. */
static mplan_status on_input(void *user, const char *path, mplan_error *err)
{
    const cli_listener *listener = user;
    mplan_status status = cli_files_input(listener->files, path, err);
    if (!status && listener->cache)
        mplan_cache_note_input(listener->cache, path);
    return status;
}

/* A folder that is read, or a file that would have been. */
static void on_looked(void *user, const char *path)
{
    const cli_listener *listener = user;
    if (listener->cache)
        mplan_cache_note_look(listener->cache, path);
}

/* Warnings are kept with a plan, and said again when it is found. */
static void on_warning(void *user, const char *text)
{
    const cli_listener *listener = user;
    if (listener->cache)
        mplan_cache_note_warning(listener->cache, text);
    cli_warning(user, text);
}

/* An output that was left as it is; who goes by its time wonders otherwise. */
static void on_unchanged(void *user, const char *path)
{
    cli_listener *listener = user;
    char text[MPLAN_ERROR_TEXT];
    size_t length = mplan_text_shown(path, text, sizeof text - 16);
    memcpy(text + length, ": unchanged", sizeof ": unchanged");
    cli_files_unchanged(listener->files, path);
    cli_notice(listener, text);
}

/* Occupies standard streams that the parent closed: a file opened later would
 * get their numbers, and messages would go into it. Opened the wrong way round,
 * so that using them fails as on a closed one. */
static void hold_closed_streams(void)
{
    static const int flags[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", flags[fd]);
}

/* Words of --progress; NULL past the last. */
static const char *progress_word(int32_t i)
{
    static const char *const words[] = {"auto", "always", "never"};
    return i < 3 ? words[i] : NULL;
}

#define TARGET(member) offsetof(global_options, member)
/* clang-format off */
static const cli_option global_rows[] = {
    {.name = "json", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(json),
     .help = "write the results as JSON to FILE; - is standard output, instead of the report"},
    {.name = "depfile", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(depfile),
     .help = "write which files the outputs were made from to FILE, as make and ninja read it"},
    {.name = "threads", .kind = CLI_INT, .argument = "N", .target = TARGET(threads),
     .least = 0, .most = 65536,
     .help = "use at most N threads (default 0: all that are available); results do not depend "
             "on N"},
    {.name = "read-timeout", .kind = CLI_INT, .argument = "SECONDS", .target = TARGET(read_timeout),
     .least = 1, .most = 1000000,
     .help = "stop waiting for a netCDF, HDF5 or CGNS file, or a partitioner, after so long without any progress (default 600)"},
    {.name = "max-memory", .kind = CLI_BYTES, .argument = "BYTES", .target = TARGET(max_memory), .least = 1,
     .help = "use at most BYTES of host memory, such as 800M or 16G (default: by the size of "
             "the input, see meshplan(1))"},
    {.name = "max-inflate", .kind = CLI_BYTES, .argument = "BYTES", .target = TARGET(max_inflate), .least = 1,
     .help = "refuse inputs that are larger than this when inflated (default 64G)"},
    {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .target = TARGET(quiet),
     .help = "print errors only: no report, no warnings, no progress"},
    {.name = "verbose", .letter = 'v', .kind = CLI_FLAG, .target = TARGET(verbose),
     .help = "print more details"},
    {.name = "progress", .kind = CLI_WORD, .argument = "WHEN", .target = TARGET(progress),
     .word = progress_word,
     .help = "show progress on standard error (default auto: on a terminal)"},
    {.name = "help", .letter = 'h', .kind = CLI_FLAG, .target = TARGET(help),
     .help = "print this help"},
    {.name = "version", .kind = CLI_FLAG, .target = TARGET(version),
     .help = "print the versions of meshplan and of the libraries it was built with"},
    {.name = NULL},
};
/* clang-format on */

static const cli_command *const commands[] = {
    &cli_command_plan,       &cli_command_info,    &cli_command_verify,   &cli_command_compare,
    &cli_command_apply,      &cli_command_split,   &cli_command_join,     &cli_command_export,
    &cli_command_report,     &cli_command_run,     &cli_command_tune,     &cli_command_device,
    &cli_command_generate,   &cli_command_convert, &cli_command_renumber, &cli_command_partition,
    &cli_command_batch,      &cli_command_cache,   &cli_command_formats,  &cli_command_help,
    &cli_command_completion,
};
#define N_COMMANDS ((int32_t)(sizeof commands / sizeof *commands))
static const cli_commands all = {N_COMMANDS, commands, global_rows};

/* Name i, in the order of the help; NULL past the last. */
static const char *command_name(int32_t i)
{
    return i < N_COMMANDS ? commands[i]->name : NULL;
}

/* A line for meshplan, then one for each library that this build is linked to or spawns programs
 * of, as mplan_library has it: scripts look for "yaml", "netcdf", ... at the beginning of a
 * line. */
static void print_version(void)
{
    printf("meshplan %s\n", mplan_version());
    for (int32_t i = 0; mplan_library(i); i++)
        printf("%s\n", mplan_library(i));
    char sandbox[64];
    printf("sandbox %s\n",
           mplan_sandbox(sandbox, sizeof sandbox, NULL) ? "without programs" : sandbox);
}

/* n_words must lie in what the command's row allows. The first word must be one of the command's
 * words, or the name of a command for `help`, if the row has either; other words are paths,
 * which nobody can check here. */
static mplan_status check_words(const cli_command *command, int32_t n_words,
                                const char *const *words, mplan_error *err)
{
    if (n_words < command->least_words)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: too few arguments; usage: meshplan %s %s",
                        command->name, command->name, command->arguments);
    if (n_words > command->most_words)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: unexpected argument '%s'", command->name,
                        words[command->most_words]);
    if (!n_words || (!command->word && !command->word_is_command))
        return MPLAN_OK;
    char what[64];
    snprintf(what, sizeof what, "%s: unknown %s", command->name, command->word_name);
    return cli_check_word(what, words[0], command->word_is_command ? command_name : command->word,
                          err);
}

/* In an order that wastes nothing: words and options are refused first, then outputs that would
 * replace one another, and only then does the command read anything. The limit of memory holds
 * from here on, also for programs that are spawned. */
static mplan_status run_command(const cli_call *call, mplan_context *context, mplan_error *err)
{
    const cli_command *command = call->command;
    const global_options *globals = call->globals;
    mplan_status status = check_words(command, call->n_words, call->words, err);
    if (status)
        return status;
    if (globals->json && !command->has_json)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: --json: this command has no JSON results",
                        command->name);
    call->files->command = command->name;
    status = cli_files_output(call->files, globals->json, err);
    if (!status)
        status = cli_files_output(call->files, globals->depfile, err);
    call->files->listed = globals->depfile;
    if (status)
        return status;
    context->threads = (int32_t)globals->threads.value;
    context->read_timeout = (int32_t)globals->read_timeout.value;
    context->max_memory = globals->max_memory.value;
    context->max_inflate = globals->max_inflate.value;
    if (globals->max_memory.given)
        cli_limit_memory(globals->max_memory.value, context->threads);
    status = command->run(call, err);
    if (!status && globals->depfile)
        status = cli_depfile_write(call->files, globals->depfile, globals->json, context, err);
    return status;
}

/* Progress is drawn on a terminal only, unless asked for; --quiet goes before --progress. Called
 * even where the options were refused, since warnings about them may follow. */
static void set_listener(cli_listener *listener, const global_options *globals)
{
    const char *when = globals->progress ? globals->progress : "auto";
    listener->quiet = globals->quiet;
    listener->terminal = isatty(STDERR_FILENO) == 1;
    listener->draw = !globals->quiet &&
                     (!strcmp(when, "always") || (!strcmp(when, "auto") && listener->terminal));
}

/* A notice for each option that was given by its older name, once, in the order in which they
 * were given. --quiet silences it as it does warnings. */
static void say_new_names(const cli_parser *parser, const char *command, const mplan_context *context)
{
    for (int32_t i = 0; i < parser->n_old; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s: --%s is now called --%s; the old name still works",
                 command, parser->old[i].old, parser->old[i].name);
        context->warning(context->user, text);
    }
}

/* Reads and runs what is behind the command's name, argv[0 .. argc). options: the command's
 * struct, of the size that its row says and one byte, so that commands without any get memory,
 * too; all zero, which is what "not given" means everywhere. globals may be filled already, from
 * options before the command: one that is given again behind it wins. The name of the command is
 * put before what the parser says. */
static mplan_status dispatch(const char *name, int argc, char **argv, global_options *globals,
                             mplan_context *context, double start, mplan_error *err)
{
    mplan_status status = cli_check_word("unknown command", name, command_name, err);
    if (status)
        return status;
    const cli_command *command = cli_command_find(&all, name);
    void *options = calloc(1, command->options_size + 1);
    const char **words = calloc((size_t)argc + 1, sizeof *words);
    cli_option rows[CLI_MAX_OPTIONS + 1];
    cli_command_rows(command, rows);
    cli_parser parser = {.set = {{rows, options}, {global_rows, globals}},
                         .n_sets = 2,
                         .synopsis = command->arguments};
    int32_t n_words = 0, used;
    if (!options || !words) {
        status = cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
        goto done;
    }
    status = cli_parse(&parser, argc, argv, words, &n_words, &used, err);
    set_listener(context->user, globals);
    cli_call call = {
        .command = command,
        .globals = globals,
        .options = options,
        .n_words = n_words,
        .words = words,
        .json = globals->json || !status ? globals->json : cli_json_among(argc, argv),
        .report = !globals->quiet && !(globals->json && !strcmp(globals->json, "-")),
        .verbose = globals->verbose,
        .start = start,
        .context = context,
        .files = ((const cli_listener *)context->user)->files,
        .all = &all,
    };
    if (!status)
        say_new_names(&parser, name, context);
    if (status) {
        mplan_error inner = *err;
        cli_fail(err, status, "%s: %.*s", name, (int)sizeof inner.text - 32, inner.text);
        status = cli_results_finish(&call, status, err);
    } else if (globals->help) {
        cli_print_help(&all, command);
    } else if (globals->version) {
        print_version();
    } else {
        status = cli_results_finish(&call, run_command(&call, context, err), err);
    }
    cli_options_free(&parser.set[0]);
done:
    free(options);
    free(words);
    return status;
}

/* Options before the command are those of every command. Without a command only --help and
 * --version mean anything. */
static mplan_status run(int argc, char **argv, mplan_context *context, mplan_error *err)
{
    double start = cli_seconds();
    global_options globals = {0};
    cli_parser parser = {.set = {{global_rows, &globals}}, .n_sets = 1, .stop_at_word = true};
    int32_t n_words, used;
    mplan_status status = cli_parse(&parser, argc, argv, NULL, &n_words, &used, err);
    if (status)
        return status;
    if (used < argc)
        return dispatch(argv[used], argc - used - 1, argv + used + 1, &globals, context, start, err);
    if (globals.help)
        cli_print_overview(&all);
    else if (globals.version)
        print_version();
    else
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "no command given; 'meshplan help' lists them");
    return MPLAN_OK;
}

/* Signals are caught before anything is created; the exit status follows from
 * the status. */
int main(int argc, char **argv)
{
    cli_files files = {0};
    cli_listener listener = {.files = &files};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = on_warning;
    context.progress = cli_progress;
    context.cancelled = is_cancelled;
    context.input = on_input;
    context.unchanged = on_unchanged;
    context.looked = on_looked;
    context.user = &listener;
    hold_closed_streams();
    cli_catch_signals();
    cli_follow_parent();
    mplan_error err = {MPLAN_OK, ""};
    mplan_status status = run(argc - 1, argv + 1, &context, &err);
    /* What fails because of the signal fails in many words. */
    if (status && cli_stop_signal())
        status = cli_fail(&err, MPLAN_ERR_INTERRUPTED, "interrupted");
    if (status == MPLAN_ERR_MEMORY && context.max_memory > 0 && !strstr(err.text, "--max-")) {
        size_t used = strlen(err.text);
        snprintf(err.text + used, sizeof err.text - used, " (--max-memory allows %lld bytes)",
                 (long long)context.max_memory);
    }
    cli_progress_end(&listener);
    mplan_error lost = {MPLAN_OK, ""};
    if (cli_output_close(&lost) && !status) {
        status = lost.status;
        err = lost;
    }
    cli_files_free(&files);
    cli_end_if_pipe_broke(status);
    if (status)
        cli_say(&listener, err.text[0] ? err.text : mplan_status_name(status));
    cli_end_by_signal(status);
    return cli_exit_code(status);
}
