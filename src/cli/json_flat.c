/* SPDX-License-Identifier: Apache-2.0 */
/* json_flat.c - reads JSON as a list of paths and values (RFC 8259)
 *
 * For results of this program and lines of a manifest, which may be cut off anywhere. */
#include "cli/json_flat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 32, PATH_ROOM = 1024 };

/* path: the names on the way to the value that is being read, joined by dots; places of arrays are numbers. */
typedef struct reader {
    const char *at, *end;
    cli_flat *flat;
    size_t used, size; /* of flat->room */
    char path[PATH_ROOM];
    size_t length; /* of path */
} reader;

static bool read_value(reader *r, int depth);

/* The four that JSON has. */
static void skip_blanks(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

/* Takes the character, behind blanks. */
static bool take(reader *r, char c)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* A character of a text or path; the room was made for all of them. */
static bool put(reader *r, char c)
{
    if (r->used == r->size)
        return false;
    r->flat->room[r->used++] = c;
    return true;
}

/* Four hexadecimal digits. */
static bool read_hex(reader *r, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = r->at < r->end ? *r->at : 0;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *code = *code * 16 + (unsigned)digit;
    }
    return true;
}

/* The character as UTF-8; halves of pairs become U+FFFD: this program writes none. */
static bool put_code(reader *r, unsigned code)
{
    if (code >= 0xD800 && code < 0xE000)
        code = 0xFFFD;
    if (code < 0x80)
        return put(r, (char)code);
    if (code < 0x800)
        return put(r, (char)(0xC0 | code >> 6)) && put(r, (char)(0x80 | (code & 0x3F)));
    return put(r, (char)(0xE0 | code >> 12)) && put(r, (char)(0x80 | (code >> 6 & 0x3F))) &&
           put(r, (char)(0x80 | (code & 0x3F)));
}

/* Behind a backslash; \u becomes UTF-8. */
static bool read_escape(reader *r)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    unsigned code;
    if (r->at == r->end)
        return false;
    char c = *r->at++;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter)
        return put(r, meant[letter - letters]);
    return c == 'u' && read_hex(r, &code) && put_code(r, code);
}

/* Behind its first quote; what it says lies in the room, with a zero behind it. */
static bool read_text(reader *r, const char **text)
{
    *text = r->flat->room + r->used;
    while (r->at < r->end && *r->at != '"') {
        char c = *r->at++;
        if ((unsigned char)c < 0x20 || !(c == '\\' ? read_escape(r) : put(r, c)))
            return false;
    }
    return r->at++ < r->end && put(r, 0);
}

/* Numbers and words, by their letters. */
static bool read_word(reader *r, const char **text)
{
    size_t length = 0;
    while (r->at + length < r->end && r->at[length] && !strchr(",]} \t\r\n:\"[{", r->at[length]))
        length++;
    *text = r->flat->room + r->used;
    for (size_t i = 0; i < length; i++)
        if (!put(r, r->at[i]))
            return false;
    r->at += length;
    if (!put(r, 0))
        return false;
    char *end = NULL;
    bool number = ((*text)[0] == '-' || ((*text)[0] >= '0' && (*text)[0] <= '9')) &&
                  (strtod(*text, &end), end && !*end);
    return number || !strcmp(*text, "true") || !strcmp(*text, "false") || !strcmp(*text, "null");
}

/* value lies in flat->room; text: it was in quotes. */
static bool add(reader *r, const char *value, bool text)
{
    cli_flat *flat = r->flat;
    if (flat->n == flat->capacity) {
        int32_t capacity = 2 * flat->capacity + 64;
        cli_flat_value *grown = realloc(flat->item, (size_t)capacity * sizeof *grown);
        if (!grown)
            return false;
        flat->item = grown;
        flat->capacity = capacity;
    }
    char *path = flat->room + r->used;
    for (size_t i = 0; i < r->length; i++)
        if (!put(r, r->path[i]))
            return false;
    flat->item[flat->n++] = (cli_flat_value){path, value, text};
    return put(r, 0);
}

/* A value whose path is that of what holds it, and the name. */
static bool read_member(reader *r, const char *name, int depth)
{
    size_t length = r->length;
    int more = snprintf(r->path + length, PATH_ROOM - length, "%s%s", length ? "." : "", name);
    if (more < 0 || (size_t)more >= PATH_ROOM - length)
        return false;
    r->length += (size_t)more;
    bool whole = read_value(r, depth + 1);
    r->length = length;
    return whole;
}

/* Behind the brace. An empty object leaves no value. */
static bool read_object(reader *r, int depth)
{
    const char *name;
    if (take(r, '}'))
        return true;
    do {
        if (!take(r, '"') || !read_text(r, &name) || !take(r, ':') || !read_member(r, name, depth))
            return false;
    } while (take(r, ','));
    return take(r, '}');
}

/* Behind the bracket; members have the paths P.0, P.1, ... */
static bool read_array(reader *r, int depth)
{
    char name[16];
    if (take(r, ']'))
        return true;
    int i = 0;
    do {
        snprintf(name, sizeof name, "%d", i++);
        if (!read_member(r, name, depth))
            return false;
    } while (take(r, ','));
    return take(r, ']');
}

/* depth: of nesting, bounded so that damaged lines cannot use up the stack. */
static bool read_value(reader *r, int depth)
{
    const char *text;
    if (depth > MOST_DEPTH)
        return false;
    if (take(r, '{'))
        return read_object(r, depth);
    if (take(r, '['))
        return read_array(r, depth);
    bool quoted = take(r, '"');
    return (quoted ? read_text(r, &text) : read_word(r, &text)) && add(r, text, quoted);
}

/* Every byte of the text is a part of at most one text or name, and a path repeats at most PATH_ROOM bytes for each
 * value; texts are counted here to know the room before anything points into it. */
bool cli_flat_read(const char *text, size_t size, cli_flat *flat)
{
    size_t values = 1;
    *flat = (cli_flat){0};
    for (size_t i = 0; i < size; i++)
        values += text[i] == ',' || text[i] == '[' || text[i] == '{';
    if (size > (SIZE_MAX / 4 - 1024) / 2 || values > SIZE_MAX / 4 / 160)
        return false;
    reader r = {text, text + size, flat, 0, 2 * size + 160 * values + 1024, "", 0};
    flat->room = malloc(r.size);
    bool whole = flat->room && read_value(&r, 0);
    skip_blanks(&r);
    if (whole && r.at == r.end)
        return true;
    cli_flat_free(flat);
    return false;
}

/* Values are some dozens: they are looked through one by one. NULL: there is none. */
const cli_flat_value *cli_flat_find(const cli_flat *flat, const char *path)
{
    for (int32_t i = 0; i < flat->n; i++)
        if (!strcmp(flat->item[i].path, path))
            return &flat->item[i];
    return NULL;
}

/* NULL also for null. */
const char *cli_flat_text(const cli_flat *flat, const char *path)
{
    const cli_flat_value *found = cli_flat_find(flat, path);
    return found && (found->text || strcmp(found->value, "null") != 0) ? found->value : NULL;
}

/* otherwise: for a text, null, true or false, and where there is none. */
double cli_flat_number(const cli_flat *flat, const char *path, double otherwise)
{
    const cli_flat_value *found = cli_flat_find(flat, path);
    return found && !found->text && found->value[0] != 'n' && found->value[0] != 't' &&
                   found->value[0] != 'f'
               ? strtod(found->value, NULL)
               : otherwise;
}

int64_t cli_flat_whole(const cli_flat *flat, const char *path, int64_t otherwise)
{
    const double number = cli_flat_number(flat, path, NAN);
    return fabs(number) < 0x1p53 ? (int64_t)number : otherwise; /* false for NaN, too */
}

/* Also of one that was not read to its end. */
void cli_flat_free(cli_flat *flat)
{
    free(flat->item);
    free(flat->room);
    *flat = (cli_flat){0};
}
