/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - options as tables: parsing, help and completion come from them */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

#define MAX_NAMES 128
#define HELP_COLUMN 26
#define HELP_WIDTH 79

/* An option as found: its row and the struct it fills. */
typedef struct found_option {
    const cli_option *row;
    void *target;
} found_option;

/* The list owns copies, of `length` bytes and an end. The list stays as it was after a failure. */
static mplan_status add_text(cli_texts *texts, const char *text, size_t length, mplan_error *err)
{
    char **item = realloc(texts->item, ((size_t)texts->n + 1) * sizeof *item);
    if (item)
        texts->item = item;
    char *copy = item ? malloc(length + 1) : NULL;
    if (!copy)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    memcpy(copy, text, length);
    copy[length] = 0;
    texts->item[texts->n++] = copy;
    return MPLAN_OK;
}

/* The list is empty afterwards and may be filled again. */
static void free_texts(cli_texts *texts)
{
    for (int32_t i = 0; i < texts->n; i++)
        free(texts->item[i]);
    free(texts->item);
    texts->item = NULL;
    texts->n = 0;
}

/* Where the value goes: target is the struct of the set that the row is of. */
static void *target_of(const cli_option *row, void *target)
{
    return (char *)target + row->target;
}

/* Lists only: other values are not owned. */
void cli_options_free(const cli_option_set *set)
{
    if (!set->target)
        return;
    for (const cli_option *row = set->rows; row->name; row++) {
        if (row->kind == CLI_LIST || row->kind == CLI_MANY || row->kind == CLI_PLANNING)
            free_texts(target_of(row, set->target));
    }
}

/* word(i) is NULL behind the last. Words that do not fit are left out, the one that is cut is
 * kept: `size` is far larger than any list. */
static void list_words(const char *(*word)(int32_t i), char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (int32_t i = 0; word(i); i++) {
        int n = snprintf(text + length, size - length, "%s%s", i ? ", " : "", word(i));
        if (n < 0 || (size_t)n >= size - length)
            return;
        length += (size_t)n;
    }
}

/* Names the nearest word, by mplan_nearest_word, and all of them. At most MAX_NAMES words are
 * looked at. */
mplan_status cli_check_word(const char *what, const char *value, const char *(*word)(int32_t i),
                            mplan_error *err)
{
    const char *words[MAX_NAMES + 1] = {NULL};
    for (int32_t i = 0; i < MAX_NAMES && word(i); i++) {
        words[i] = word(i);
        if (!strcmp(words[i], value))
            return MPLAN_OK;
    }
    char known[512];
    list_words(word, known, sizeof known);
    const char *nearest = mplan_nearest_word(value, words);
    if (nearest)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s '%s'; did you mean '%s'? known: %s", what,
                        value, nearest, known);
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s '%s'; known: %s", what, value, known);
}

/* least and most 0: no bounds. The text is a number and nothing else; a sign is taken, a blank
 * before it is not. */
mplan_status cli_read_int(const char *subject, const char *text, int64_t least, int64_t most,
                          int64_t *value, mplan_error *err)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || text[0] == ' ')
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s must be a whole number, not '%s'", subject,
                        text);
    if (least == 0 && most == 0) { /* no bounds were given */
        least = INT64_MIN;
        most = INT64_MAX;
    }
    if (errno == ERANGE || number < least || number > most) {
        if (most == INT64_MAX && number < least)
            return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s must be %lld or more, not %s", subject,
                            (long long)least, text);
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s must be %lld to %lld, not %s", subject,
                        (long long)least, (long long)most, text);
    }
    *value = number;
    return MPLAN_OK;
}

/* "8G" is 8 x 2^30, and so is "8g". A number below `least` is refused, since 0 means "not given" for some options.
 * Fractions are refused, too. */
static mplan_status read_bytes(const char *subject, const char *text, int64_t least, int64_t *value,
                               mplan_error *err)
{
    static const char units[] = "KMGT";
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9';
    int letter = *end & ~0x20; /* the end of the text, and a blank, are 0 */
    const char *unit = digits && letter ? strchr(units, letter) : NULL;
    if (!digits || errno == ERANGE || (*end && (!unit || end[1])) || number < least)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: '%s' is not a number of bytes, such as 800M, 16G or 1T", subject, text);
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (number > INT64_MAX >> shift)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: %s is out of range", subject, text);
    *value = (int64_t)number << shift;
    return MPLAN_OK;
}

/* Bounds are whole numbers in the table; most 0 means none. Neither NaN nor infinity is a number
 * here. */
static mplan_status read_real(const char *subject, const char *text, const cli_option *row,
                              double *value, mplan_error *err)
{
    double least = (double)row->least, most = (double)row->most;
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s must be a number, not '%s'", subject, text);
    if (number < least)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s must be %g or more, not %s", subject, least,
                        text);
    if (most > 0 && number > most)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s must be %g to %g, not %s", subject, least,
                        most, text);
    *value = number;
    return MPLAN_OK;
}

/* value must be one of row->word; the sentence names the option. */
static mplan_status check_option_word(const cli_option *row, const char *value, mplan_error *err)
{
    char what[80];
    snprintf(what, sizeof what, "--%s: unknown word", row->name);
    return cli_check_word(what, value, row->word, err);
}

/* value: items between commas, each copied; an empty one is refused, and one that is none of
 * row->word. Items of planning options are left to the library, which reads numbers, too. */
static mplan_status read_list(const cli_option *row, const char *subject, const char *value,
                              cli_texts *texts, mplan_error *err)
{
    /* The last list counts, as the last value does for other options. */
    free_texts(texts);
    for (const char *part = value;;) {
        size_t length = strcspn(part, ",");
        if (!length)
            return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: an item of the list '%s' is empty",
                            subject, value);
        mplan_status status = add_text(texts, part, length, err);
        if (!status && row->word && !row->planning)
            status = check_option_word(row, texts->item[texts->n - 1], err);
        if (status)
            return status;
        if (!part[length])
            return MPLAN_OK;
        part += length + 1;
    }
}

/* The value is read into options that nobody uses, to refuse it at once; the text is kept, and
 * read again when the options of a request are known (cli_planning_set). scratch is written to
 * only at the option's own member, so that it need not be set. A flag is kept as "true". */
static mplan_status read_planning(const cli_option *row, const char *subject, const char *value,
                                  cli_texts *texts, mplan_error *err)
{
    mplan_plan_options scratch;
    void *member = (char *)&scratch + row->planning->offset;
    mplan_status status = MPLAN_OK;
    if (row->each) {
        status = read_list(row, subject, value, texts, err);
    } else {
        free_texts(texts);
        status = add_text(texts, value ? value : "true", strlen(value ? value : "true"), err);
    }
    for (int32_t i = 0; i < texts->n && !status; i++)
        status = mplan_plan_option_read(row->planning, subject, texts->item[i], member, err);
    return status;
}

/* value: NULL for flags. */
static mplan_status store(const found_option *found, const char *value, mplan_error *err)
{
    const cli_option *row = found->row;
    void *target = target_of(row, found->target);
    char subject[64];
    snprintf(subject, sizeof subject, "--%s", row->name);
    mplan_status status = MPLAN_OK;
    switch (row->kind) {
    case CLI_FLAG: *(bool *)target = true; break;
    case CLI_INT: {
        cli_int *number = target;
        number->given = true;
        status = cli_read_int(subject, value, row->least, row->most, &number->value, err);
        break;
    }
    case CLI_BYTES: {
        cli_int *number = target;
        number->given = true;
        status = read_bytes(subject, value, row->least, &number->value, err);
        break;
    }
    case CLI_REAL: {
        cli_real *number = target;
        number->given = true;
        status = read_real(subject, value, row, &number->value, err);
        break;
    }
    case CLI_TEXT:
    case CLI_WORD:
        if (row->kind == CLI_WORD)
            status = check_option_word(row, value, err);
        else if (!*value)
            status = cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: the value is empty", subject);
        *(const char **)target = value;
        break;
    case CLI_LIST: status = read_list(row, subject, value, target, err); break;
    case CLI_MANY: status = add_text(target, value, strlen(value), err); break;
    case CLI_PLANNING: status = read_planning(row, subject, value, target, err); break;
    }
    return status;
}

/* All options whose name, or older name, begins with the first `length` letters of name; one
 * that is equal is the only one. found: room for `most` entries; returns how many are set. All
 * tables of the parser are searched, the command's first. */
static int32_t matching(const cli_parser *parser, const char *name, size_t length, bool older,
                        found_option *found, int32_t most)
{
    int32_t n = 0;
    for (int32_t s = 0; s < parser->n_sets; s++) {
        for (const cli_option *row = parser->set[s].rows; row->name; row++) {
            const char *own = older ? row->old : row->name;
            if (!own || strncmp(own, name, length))
                continue;
            found_option one = {row, parser->set[s].target};
            if (!own[length]) {
                found[0] = one;
                return 1;
            }
            if (n < most)
                found[n++] = one;
        }
    }
    return n;
}

/* Each option once, however often it is given; more than CLI_MAX_OLD are forgotten: only a
 * notice depends on it. */
static void note_old_name(cli_parser *parser, const cli_option *row)
{
    for (int32_t i = 0; i < parser->n_old; i++)
        if (parser->old[i].name == row->name)
            return;
    if (parser->n_old < CLI_MAX_OLD)
        parser->old[parser->n_old++] = (cli_old_name){row->old, row->name};
}

/* An option that takes words may have the older name of one that takes whole numbers: such a
 * value (NULL: none) is for that one. */
static void take_older(cli_parser *parser, found_option *found, const char *value)
{
    if (!value || !*value || value[strspn(value, "0123456789")])
        return;
    for (int32_t s = 0; s < parser->n_sets; s++) {
        for (const cli_option *row = parser->set[s].rows; row->name; row++) {
            if (!row->old || strcmp(row->old, found->row->name))
                continue;
            *found = (found_option){row, parser->set[s].target};
            note_old_name(parser, row);
            return;
        }
    }
}

/* A command whose output is not an option, as that of most others is. */
static bool has_output_argument(const cli_parser *parser)
{
    return parser->synopsis && strstr(parser->synopsis, " OUT");
}

/* Names the nearest option of the command. */
static mplan_status unknown_option(const cli_parser *parser, const char *given, mplan_error *err)
{
    if (strcmp(given, "output") == 0 && has_output_argument(parser))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "unknown option --output; the output is an argument: %s", parser->synopsis);
    const char *names[MAX_NAMES + 1] = {NULL};
    int32_t n = 0;
    for (int32_t s = 0; s < parser->n_sets; s++) {
        for (const cli_option *row = parser->set[s].rows; row->name && n < MAX_NAMES; row++)
            names[n++] = row->name;
    }
    const char *nearest = mplan_nearest_word(given, names);
    if (nearest)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "unknown option --%s; did you mean --%s?", given,
                        nearest);
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "unknown option --%s", given);
}

/* A beginning is enough if only one option has it. Older names are looked at only where no
 * present name fits, so that a new option never becomes ambiguous by an old one. */
static mplan_status find_long(cli_parser *parser, const char *given, size_t length,
                              found_option *found, mplan_error *err)
{
    found_option all[MAX_NAMES];
    int32_t n = matching(parser, given, length, false, all, MAX_NAMES);
    bool older = n == 0;
    if (older)
        n = matching(parser, given, length, true, all, MAX_NAMES);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, given);
    if (n == 0 || length == 0)
        return unknown_option(parser, name, err);
    if (n > 1)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "option --%s is ambiguous: --%s or --%s", name,
                        all[0].row->name, all[1].row->name);
    *found = all[0];
    if (older)
        note_old_name(parser, found->row);
    return MPLAN_OK;
}

/* Letters are searched in the command's table first, then in that of every command. */
static mplan_status find_letter(const cli_parser *parser, char letter, found_option *found,
                                mplan_error *err)
{
    for (int32_t s = 0; s < parser->n_sets; s++) {
        for (const cli_option *row = parser->set[s].rows; row->name; row++) {
            if (row->letter == letter) {
                *found = (found_option){row, parser->set[s].target};
                return MPLAN_OK;
            }
        }
    }
    if (letter == 'o' && has_output_argument(parser))
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "unknown option -o; the output is an argument: %s",
                        parser->synopsis);
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "unknown option -%c", letter);
}

/* Stores an option; its value is the rest of its own argument (may be NULL) or
 * the argument behind it. shown: the option as it was written. */
static mplan_status take_option(const found_option *found, const char *shown, const char *value,
                                int argc, char **argv, int *i, mplan_error *err)
{
    bool flag = !found->row->argument;
    if (flag && value)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "option %s takes no value", shown);
    if (!flag && !value) {
        if (*i + 1 >= argc)
            return cli_fail(err, MPLAN_ERR_ARGUMENT, "option %s needs a value (%s)", shown,
                            found->row->argument);
        value = argv[++*i];
    }
    return store(found, value, err);
}

/* --name, --name value, --name=value */
static mplan_status parse_long(cli_parser *parser, int argc, char **argv, int *i, mplan_error *err)
{
    const char *name = argv[*i] + 2;
    size_t length = strcspn(name, "=");
    found_option found = {NULL, NULL};
    mplan_status status = find_long(parser, name, length, &found, err);
    if (status)
        return status;
    const char *value = name[length] ? name + length + 1 : NULL;
    take_older(parser, &found, value ? value : *i + 1 < argc ? argv[*i + 1] : NULL);
    char shown[64];
    snprintf(shown, sizeof shown, "--%s", found.row->name);
    return take_option(&found, shown, value, argc, argv, i, err);
}

/* -q, -qv, -o value, -ovalue, -qo value: letters of flags may be joined, and the first that
 * takes a value takes the rest of the argument, or the next argument. */
static mplan_status parse_letters(const cli_parser *parser, int argc, char **argv, int *i,
                                  mplan_error *err)
{
    for (const char *letter = argv[*i] + 1; *letter; letter++) {
        found_option found = {NULL, NULL};
        mplan_status status = find_letter(parser, *letter, &found, err);
        if (status)
            return status;
        char shown[3] = {'-', *letter, 0};
        bool flag = !found.row->argument;
        const char *rest = !flag && letter[1] ? letter + 1 : NULL;
        status = take_option(&found, shown, rest, argc, argv, i, err);
        if (status || !flag)
            return status;
    }
    return MPLAN_OK;
}

/* words: out, argc of them at most; NULL with stop_at_word. used: where a command of its own
 * begins. Options and words may be mixed until "--"; a single "-" is a word: standard input or
 * output. A value is never taken for an option: "--json -q" writes to a file "-q". */
mplan_status cli_parse(cli_parser *parser, int argc, char **argv, const char **words,
                       int32_t *n_words, int32_t *used, mplan_error *err)
{
    bool options_end = false;
    int i = 0;
    *n_words = 0;
    for (; i < argc; i++) {
        bool is_option = !options_end && argv[i][0] == '-' && argv[i][1];
        if (is_option && !strcmp(argv[i], "--")) {
            options_end = true;
        } else if (is_option) {
            bool is_long = argv[i][1] == '-';
            mplan_status status = is_long ? parse_long(parser, argc, argv, &i, err)
                                          : parse_letters(parser, argc, argv, &i, err);
            if (status)
                return status;
        } else if (parser->stop_at_word) {
            break;
        } else {
            words[(*n_words)++] = argv[i];
        }
    }
    *used = i;
    return MPLAN_OK;
}

/* column: where the line already is; lines are broken at HELP_WIDTH. */
void cli_print_wrapped(const char *text, int indent, int column)
{
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + (int)length > HELP_WIDTH) {
            putchar('\n');
            column = 0;
        }
        if (column < indent) {
            printf("%*s", indent - column, "");
            column = indent;
        } else if (column > indent && length) {
            putchar(' ');
            column++;
        }
        fwrite(text, 1, length, stdout);
        column += (int)length;
        text += length;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        if (*text)
            text++;
    }
    putchar('\n');
}

/* " (default 0: what the device has)"; nothing of flags, and where the default is called so. */
static void describe_default(const cli_option *row, char *text, size_t size)
{
    char value[512];
    text[0] = 0;
    if (!row->planning || !row->argument)
        return;
    mplan_plan_option_write(row->planning, row->preset, value, sizeof value);
    if (strcmp(value, "default"))
        snprintf(text, size, " (default %s%s%s)", value, row->otherwise ? ": " : "",
                 row->otherwise ? row->otherwise : "");
}

/* The help text begins at HELP_COLUMN, on the next line where the option's name reaches that
 * far. Defaults and words come from the tables, so that help cannot contradict the parser. */
void cli_options_print(const cli_option *rows)
{
    for (const cli_option *row = rows; row->name; row++) {
        char left[64], right[2048], preset[768];
        snprintf(left, sizeof left, "  %c%c%s--%s%s%s", row->letter ? '-' : ' ',
                 row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
                 row->argument ? " " : "", row->argument ? row->argument : "");
        char words[512] = "";
        if (row->word)
            list_words(row->word, words, sizeof words);
        describe_default(row, preset, sizeof preset);
        snprintf(right, sizeof right, "%s%s%s%s", row->help, preset, *words ? ": " : "", words);
        int column = printf("%s", left);
        if (column >= HELP_COLUMN) {
            putchar('\n');
            column = 0;
        }
        cli_print_wrapped(right, HELP_COLUMN, column);
    }
}
