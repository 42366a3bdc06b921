/* SPDX-License-Identifier: Apache-2.0 */
/* option_words.c - options that were read as words of a command line again: for programs that are started */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/options.h"

/* Grows by one text at a time: lists are of words of a command line. After false the list is as it was. */
bool cli_texts_add(cli_texts *texts, const char *format, ...)
{
    va_list args, again;
    char **grown = realloc(texts->item, ((size_t)texts->n + 1) * sizeof *grown);
    if (!grown)
        return false;
    texts->item = grown;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(args);
    va_end(again);
    if (text)
        texts->item[texts->n++] = text;
    return text;
}

/* The list may be filled again. */
void cli_texts_free(cli_texts *texts)
{
    for (int32_t i = 0; i < texts->n; i++)
        free(texts->item[i]);
    free(texts->item);
    *texts = (cli_texts){0};
}

/* "--name=a,b" */
static bool add_list(cli_texts *words, const cli_option *row, const cli_texts *items)
{
    cli_texts joined = {0};
    bool whole = cli_texts_add(&joined, "--%s=%s", row->name, items->item[0]);
    for (int32_t i = 1; i < items->n && whole; i++)
        whole = cli_texts_add(&joined, "%s,%s", joined.item[i - 1], items->item[i]);
    whole = whole && cli_texts_add(words, "%s", joined.item[joined.n - 1]);
    cli_texts_free(&joined);
    return whole;
}

/* value: the member of the command's struct that the row fills, of the type of its kind. Nothing is added where it
 * was not given. */
static bool add_option(cli_texts *words, const cli_option *row, const void *value)
{
    const cli_texts *texts = value;
    const cli_int *number = value;
    const cli_real *real = value;
    const char *text;
    bool whole = true;
    switch (row->kind) {
    case CLI_FLAG: return !*(const bool *)value || cli_texts_add(words, "--%s", row->name);
    case CLI_INT:
    case CLI_BYTES:
        return !number->given ||
               cli_texts_add(words, "--%s=%lld", row->name, (long long)number->value);
    case CLI_REAL:
        return !real->given || cli_texts_add(words, "--%s=%.17g", row->name, real->value);
    case CLI_TEXT:
    case CLI_WORD:
        text = *(const char *const *)value;
        return !text || cli_texts_add(words, "--%s=%s", row->name, text);
    case CLI_LIST: return !texts->n || add_list(words, row, texts);
    case CLI_MANY:
        for (int32_t i = 0; i < texts->n && whole; i++)
            whole = cli_texts_add(words, "--%s=%s", row->name, texts->item[i]);
        return whole;
    case CLI_PLANNING:
        if (!texts->n)
            return true;
        return row->argument ? add_list(words, row, texts) : cli_texts_add(words, "--%s", row->name);
    }
    return whole;
}

/* In the order of the rows, by the names of now: options that were given by older names, too. Words are added to
 * those that are there. */
bool cli_options_words(const cli_option *rows, const void *target, cli_texts *words)
{
    bool whole = true;
    for (const cli_option *row = rows; row->name && whole; row++)
        whole = add_option(words, row, (const char *)target + row->target);
    return whole;
}
