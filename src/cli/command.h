/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - what a command is, what it is given, and all of them */
#ifndef MPLAN_CLI_COMMAND_H
#define MPLAN_CLI_COMMAND_H

#include "cli/command_files.h"
#include "cli/options.h"
#include "cli/planning_rows.h"
#include "meshplan.h"

typedef struct cli_command cli_command;

/* All commands in the order of the help, and the options of every one. */
typedef struct cli_commands {
    int32_t n;
    const cli_command *const *command;
    const cli_option *globals;
} cli_commands;

/* What one run of a command gets. */
typedef struct cli_call {
    const cli_command *command;
    const void *globals; /* the struct of the options of every command */
    const void *options; /* the command's struct, filled from its table */
    int32_t n_words;
    const char *const *words;
    const char *json; /* NULL, a file, or "-" */
    bool report;      /* print the text report: neither --quiet nor --json - */
    bool verbose;
    double start; /* of the program, cli_seconds */
    const mplan_context *context;
    cli_files *files; /* --json is there; a command adds its other outputs before it reads */
    const cli_commands *all;
} cli_call;

struct cli_command {
    const char *name;
    const char *arguments;        /* of the synopsis */
    const char *summary;          /* one line */
    const char *details;          /* paragraphs for the help */
    const cli_option *options;    /* its own */
    const cli_planning *planning; /* the planning options that it takes; NULL: none */
    const cli_option *also; /* options of another command, which its page describes; NULL: none. Those of a name or
                                     letter of its own are not taken. Both commands' structs begin alike */
    size_t options_size; /* of the struct that both fill */
    int32_t least_words, most_words;
    bool has_json;                  /* knows --json */
    bool json_lines;                /* writes an object on each line */
    int32_t inputs;                 /* so many first words are read */
    bool has_output;                /* the word behind them is written */
    const char *(*word)(int32_t i); /* NULL, or what its first word may be */
    const char *word_name;          /* and what that is called */
    bool word_is_command;           /* its first word may be the name of a command; word is NULL */
    mplan_status (*run)(const cli_call *call, mplan_error *err);
};

/* The command of that name, or NULL. */
const cli_command *cli_command_find(const cli_commands *all, const char *name);

/* All options of a command: its own, then planning options. */
enum { CLI_MAX_OPTIONS = 80 };
void cli_command_rows(const cli_command *command, cli_option rows[CLI_MAX_OPTIONS + 1]);

/* Prints what `meshplan --help` and `meshplan COMMAND --help` say. */
void cli_print_overview(const cli_commands *all);
void cli_print_help(const cli_commands *all, const cli_command *command);

extern const cli_command cli_command_plan;
extern const cli_command cli_command_info;
extern const cli_command cli_command_verify;
extern const cli_command cli_command_compare;
extern const cli_command cli_command_apply;
extern const cli_command cli_command_split;
extern const cli_command cli_command_join;
extern const cli_command cli_command_export;
extern const cli_command cli_command_report;
extern const cli_command cli_command_run;
extern const cli_command cli_command_generate;
extern const cli_command cli_command_convert;
extern const cli_command cli_command_renumber;
extern const cli_command cli_command_partition;
extern const cli_command cli_command_batch;
extern const cli_command cli_command_cache;
extern const cli_command cli_command_tune;
extern const cli_command cli_command_device;
extern const cli_command cli_command_formats;
extern const cli_command cli_command_help;
extern const cli_command cli_command_completion;

#endif
