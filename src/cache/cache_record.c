/* SPDX-License-Identifier: Apache-2.0 */
/* cache_record.c - what a request led to, by the inputs that it had: text that lies in the cache */
#include "cache/cache_record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* --- writing ------------------------------------------------------------------------ */

/* printf behind what the text (chars) holds. */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
/* printf at the end of the text. The text keeps no zero in its count, but one follows it. */
static mplan_status
append(mplan_vector *text, mplan_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *room = length < 0 ? NULL : mplan_vector_reserve(text, (int64_t)length + 1, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    va_start(args, format);
    vsnprintf((char *)text->data + text->count, (size_t)length + 1, format, args);
    va_end(args);
    text->count += length;
    return MPLAN_OK;
}

/* "@ PATH" below the base, else "= PATH". *impossible: a path that neither begins with the base nor with a slash, so that
 * it is not known what it comes from; or one with an end of a line. */
static mplan_status append_path(mplan_vector *text, const char *path, const char *base,
                                bool *impossible, mplan_error *err)
{
    size_t length = base ? strlen(base) : 0;
    bool below = base && !strncmp(path, base, length) && (length || path[0] != '/');
    *impossible = *impossible || strchr(path, '\n') || (base && !below && path[0] != '/');
    return append(text, err, "%c %s\n", below ? '@' : '=', below ? path + length : path);
}

/* "file DIGITS BYTES PATH", "absent PATH" or "names DIGITS BYTES PATH". */
static mplan_status append_input(mplan_vector *text, const mplan_cache_input *input,
                                 const char *base, bool *impossible, mplan_error *err)
{
    static const char *const words[] = {"file", "absent", "names"};
    char digits[MPLAN_CONTENT_TEXT];
    mplan_content_text(&input->content, digits);
    mplan_status status = append(text, err, "%s ", words[input->kind]);
    if (!status && input->kind != MPLAN_INPUT_ABSENT)
        status = append(text, err, "%s %" PRId64 " ", digits, input->content.bytes);
    return !status ? append_path(text, input->path, base, impossible, err) : status;
}

/* The checksum is of all that is in the text before. */
static mplan_status append_end(mplan_vector *text, mplan_error *err)
{
    char digits[MPLAN_CONTENT_TEXT];
    mplan_content check;
    mplan_status status = mplan_content_of_bytes(text->data, (size_t)text->count, &check, err);
    mplan_content_text(&check, digits);
    return !status ? append(text, err, "end %s\n", digits) : status;
}

/* Lines "plan", "warning", one per input, and "end" with the checksum of all before.
 * *impossible where a text holds an end of a line: the record could not be read again. NULL:
 * out of memory. */
char *mplan_record_print(const mplan_cache_entry *entry, const char *base, bool *impossible,
                         mplan_error *err)
{
    mplan_vector text = MPLAN_VECTOR_INIT(1);
    const mplan_cache_input *input = entry->inputs.list.data;
    char *const *warning = entry->warnings.data, digits[MPLAN_CONTENT_TEXT];
    *impossible = false;
    mplan_content_text(&entry->plan, digits);
    mplan_status status = append(&text, err, "plan %s %" PRId64 " %.3f\n", digits,
                                 entry->plan.bytes, entry->seconds);
    for (int64_t i = 0; i < entry->warnings.count && !status; i++) {
        *impossible = *impossible || strchr(warning[i], '\n');
        status = append(&text, err, "warning %s\n", warning[i]);
    }
    for (int64_t i = 0; i < entry->inputs.list.count && !status; i++)
        status = append_input(&text, &input[i], base, impossible, err);
    if (!status)
        status = append_end(&text, err);
    if (!status)
        return text.data;
    free(text.data);
    return NULL;
}

/* --- reading ------------------------------------------------------------------------ */

/* Whether the line begins with the word and a blank; *rest: what is behind. */
static bool begins(const char *line, const char *word, const char **rest)
{
    size_t length = strlen(word);
    if (strncmp(line, word, length) || line[length] != ' ')
        return false;
    *rest = line + length + 1;
    return true;
}

/* "CONTENT BYTES " */
static bool read_content(const char **text, mplan_content *content)
{
    if (!mplan_content_from_text(*text, content) || (*text)[MPLAN_CONTENT_TEXT - 1] != ' ')
        return false;
    char *end;
    content->bytes = strtoll(*text + MPLAN_CONTENT_TEXT, &end, 10);
    *text = end + 1;
    return *end == ' ' && content->bytes >= 0;
}

/* "PLACE PATH": the path as this call would open it. */
static mplan_status read_path(const char *text, const char *base, char **path, bool *whole,
                              mplan_error *err)
{
    *whole = ((text[0] == '@' && base) || text[0] == '=') && text[1] == ' ' && text[2];
    *path = NULL;
    if (!*whole)
        return MPLAN_OK;
    const char *folder = text[0] == '@' ? base : "";
    size_t room = strlen(folder) + strlen(text + 2) + 1;
    *path = mplan_alloc((int64_t)room, 1, err);
    if (!*path)
        return MPLAN_ERR_MEMORY;
    snprintf(*path, room, "%s%s", folder, text + 2);
    return MPLAN_OK;
}

/* A line of an input, or *whole is false. */
static mplan_status read_input(const char *line, const char *base, mplan_cache_entry *entry,
                               bool *whole, mplan_error *err)
{
    mplan_cache_input input = {.kind = MPLAN_INPUT_ABSENT};
    const char *rest;
    bool file = begins(line, "file", &rest), names = !file && begins(line, "names", &rest);
    *whole = file || names ? read_content(&rest, &input.content) : begins(line, "absent", &rest);
    if (!*whole)
        return MPLAN_OK;
    input.kind = file ? MPLAN_INPUT_FILE : names ? MPLAN_INPUT_NAMES : MPLAN_INPUT_ABSENT;
    mplan_status status = read_path(rest, base, &input.path, whole, err);
    if (status || !*whole)
        return status;
    status = mplan_vector_push(&entry->inputs.list, &input, err);
    if (status)
        free(input.path);
    return status;
}

/* A line that is neither the first nor the last of an entry. */
static mplan_status read_line(const char *line, const char *base, mplan_cache_entry *entry,
                              bool *whole, mplan_error *err)
{
    const char *rest;
    if (!begins(line, "warning", &rest))
        return read_input(line, base, entry, whole, err);
    char *copy = mplan_strdup(rest, err);
    mplan_status status = copy ? mplan_vector_push(&entry->warnings, &copy, err) : MPLAN_ERR_MEMORY;
    if (status)
        free(copy);
    return status;
}

/* The lines of an entry up to `end`, which is the rest of its last line; checked before they are read. */
static mplan_status read_lines(const char *begin, const char *end, const char *base,
                               mplan_cache_entry *entry, bool *whole, mplan_error *err)
{
    size_t size = (size_t)(end - begin);
    char *copy = mplan_copy(begin, (int64_t)size + 1, 1, err), *line = copy;
    if (!copy)
        return MPLAN_ERR_MEMORY;
    copy[size] = '\0';
    mplan_status status = MPLAN_OK;
    const char *rest;
    for (char *next; *whole && !status && line < copy + size; line = next + 1) {
        next = strchr(line, '\n');
        *next = '\0';
        if (line != copy) {
            status = read_line(line, base, entry, whole, err);
            continue;
        }
        *whole = begins(line, "plan", &rest) && read_content(&rest, &entry->plan);
        entry->seconds = *whole ? strtod(rest, NULL) : 0;
    }
    free(copy);
    return status;
}

/* The entry at *text, which moves behind it. *whole is false at the end, and where the entry is
 * cut or its checksum differs: the rest of the record is not looked at then. The entry is the
 * caller's to free in every case. */
mplan_status mplan_record_next(const char **text, const char *base, mplan_cache_entry *entry,
                               bool *whole, mplan_error *err)
{
    *entry = (mplan_cache_entry){.warnings = MPLAN_VECTOR_INIT(sizeof(char *))};
    entry->inputs.list = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(mplan_cache_input));
    const char *begin = *text, *end = strstr(begin, "\nend ");
    mplan_content check = {{0}, 0}, said;
    *whole = end && mplan_content_from_text(end + 5, &said) &&
             end[5 + MPLAN_CONTENT_TEXT - 1] == '\n';
    if (!*whole)
        return MPLAN_OK;
    end++; /* the line before is whole */
    mplan_status status = mplan_content_of_bytes(begin, (size_t)(end - begin), &check, err);
    *whole = !status && said.half[0] == check.half[0] && said.half[1] == check.half[1];
    *text = end + 4 + MPLAN_CONTENT_TEXT;
    return *whole ? read_lines(begin, end, base, entry, whole, err) : status;
}

void mplan_entry_free(mplan_cache_entry *entry)
{
    char **warning = entry->warnings.data;
    for (int64_t i = 0; i < entry->warnings.count; i++)
        free(warning[i]);
    free(warning);
    entry->warnings = (mplan_vector){0};
    mplan_inputs_free(&entry->inputs);
}
