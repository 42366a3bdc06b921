/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - options as tables: parsing, help and completion come from them
 *
 * A command lists its options in a table that says where each value goes in
 * the command's own struct, which starts zeroed. */
#ifndef MPLAN_CLI_OPTIONS_H
#define MPLAN_CLI_OPTIONS_H

#include "meshplan.h"

typedef enum cli_kind {
    CLI_FLAG, /* bool */
    CLI_INT,  /* cli_int in [least, most] */
    CLI_BYTES, /* cli_int, at least `least`: digits, then K, M, G or T for 1024, 1024^2, 1024^3 or 1024^4 */
    CLI_REAL,    /* cli_real, at least `least` and, unless that is 0, at most `most` */
    CLI_TEXT,    /* const char *, as given */
    CLI_WORD,    /* const char *, one of the words */
    CLI_LIST,    /* cli_texts: parts between commas, each a word where there are words */
    CLI_MANY,    /* cli_texts: one more each time the option is given */
    CLI_PLANNING /* cli_texts: the value of a planning option, or with `each` those between commas */
} cli_kind;

/* A whole number, and whether it was given. */
typedef struct cli_int {
    bool given;
    int64_t value;
} cli_int;

/* A number, and whether it was given. */
typedef struct cli_real {
    bool given;
    double value;
} cli_real;

/* A list that an option has collected. */
typedef struct cli_texts {
    int32_t n;
    char **item; /* n texts, owned */
} cli_texts;

typedef struct cli_option {
    const char *name; /* without dashes; NULL ends a table */
    const char *old; /* an older name, which is still read, with a notice; NULL: none. Where it is the
                             name of another option now, it is read for whole numbers only */
    char letter;     /* 0: none */
    cli_kind kind;
    const char *argument;           /* name of the value in the help; NULL for flags */
    size_t target;                  /* offset in the command's struct */
    int64_t least, most;            /* both 0: any value */
    const char *(*word)(int32_t i); /* word i, NULL past the last */
    const char *help;
    const mplan_plan_option *planning; /* of CLI_PLANNING, and */
    const char *otherwise;             /* what its default leads to; NULL: the default says it */
    const void *preset;                /* its default */
    bool each;
} cli_option;

/* A table and the struct that it fills. */
typedef struct cli_option_set {
    const cli_option *rows;
    void *target;
} cli_option_set;

#define CLI_MAX_SETS 2
#define CLI_MAX_OLD 8

/* An option that was given by its older name. */
typedef struct cli_old_name {
    const char *old, *name;
} cli_old_name;

typedef struct cli_parser {
    cli_option_set set[CLI_MAX_SETS];
    int32_t n_sets;
    bool stop_at_word;    /* do not touch what follows the first word */
    const char *synopsis; /* of the command's arguments, for messages; may be NULL */
    int32_t n_old;        /* out: options that were given by older names, each once */
    cli_old_name old[CLI_MAX_OLD];
} cli_parser;

/* Reads argv[0 .. argc). words: argc entries, out; *n_words of them are set.
 * *used: how many of argv were read, with stop_at_word without the word.
 * MPLAN_ERR_ARGUMENT with a sentence that names the nearest valid option. */
mplan_status cli_parse(cli_parser *parser, int argc, char **argv, const char **words,
                       int32_t *n_words, int32_t *used, mplan_error *err);

/* Releases the texts that parsing made. */
void cli_options_free(const cli_option_set *set);

/* Texts that are added one after the other, owned by the list; false: out of memory. */
bool cli_texts_add(cli_texts *texts, const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void cli_texts_free(cli_texts *texts);
/* What was given, as words of a command line that mean the same: the struct `target` was filled from rows. */
bool cli_options_words(const cli_option *rows, const void *target, cli_texts *words);

/* The value is one of the known words, or a usage error that names the nearest
 * and all. what: its beginning ("unknown command"). */
mplan_status cli_check_word(const char *what, const char *value, const char *(*word)(int32_t i),
                            mplan_error *err);

/* Whole number in [least, most] (both 0: any) or a usage error. */
mplan_status cli_read_int(const char *subject, const char *text, int64_t least, int64_t most,
                          int64_t *value, mplan_error *err);

/* Prints a table for the help, wrapped at 80 columns. */
void cli_options_print(const cli_option *rows);
/* Prints text wrapped at 80 columns, every line behind `indent` blanks; the
 * first begins in column `column` where the output already is. */
void cli_print_wrapped(const char *text, int indent, int column);

#endif
