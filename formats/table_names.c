/* SPDX-License-Identifier: Apache-2.0 */
/* table_names.c - names of a map and its sets from options and file name */
#include "formats/table_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* A piece of a text that is not ended by zero. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

/* False where the ending is all there is. */
static bool ends_with(piece p, const char *ending)
{
    size_t n = strlen(ending);
    return p.length > n && memcmp(p.text + p.length - n, ending, n) == 0;
}

/* The file's name without folder, .gz and ending. */
static piece stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    piece stem = {slash ? slash + 1 : path, 0};
    stem.length = strlen(stem.text);
    if (ends_with(stem, ".gz"))
        stem.length -= 3;
    for (size_t i = stem.length; i > 1; i--)
        if (stem.text[i - 1] == '.') {
            stem.length = i - 1;
            break;
        }
    return stem;
}

/* Without the locale. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A letter, then letters, digits, '_' and '-': other names are not words. */
static bool is_name(piece p)
{
    if (p.length == 0 || !is_letter(p.text[0]))
        return false;
    for (size_t i = 1; i < p.length; i++) {
        char c = p.text[i];
        if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-')
            return false;
    }
    return true;
}

/* Whether the piece is the name of a set of the mesh. */
static bool is_set(const mplan_mesh *mesh, piece p)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        const char *name = mplan_mesh_set(mesh, s).name;
        if (strlen(name) == p.length && memcmp(name, p.text, p.length) == 0)
            return true;
    }
    return false;
}

/* <from>_<to>; false when there is no underscore with names on both sides. */
static bool split(const mplan_mesh *mesh, piece whole, piece *from, piece *to)
{
    bool found = false;
    for (size_t i = 1; i + 1 < whole.length; i++) {
        piece left = {whole.text, i}, right = {whole.text + i + 1, whole.length - i - 1};
        if (whole.text[i] != '_' || !is_name(left) || !is_name(right))
            continue;
        *from = left;
        *to = right;
        found = true;
        if (is_set(mesh, left) && is_set(mesh, right))
            break;
    }
    return found;
}

/* Terminated; the caller's. */
static char *copy_piece(piece p, mplan_error *err)
{
    char *text = mplan_alloc((int64_t)p.length + 1, 1, err);
    if (text) {
        memcpy(text, p.text, p.length);
        text[p.length] = '\0';
    }
    return text;
}

/* "from_to"; the caller's. NULL without memory. */
static char *join(const char *from, const char *to, mplan_error *err)
{
    size_t size = strlen(from) + strlen(to) + 2;
    char *text = mplan_alloc((int64_t)size, 1, err);
    if (text)
        snprintf(text, size, "%s_%s", from, to);
    return text;
}

/* From the options, else from a name like edges_cells, else elements and points. */
mplan_status mplan_table_names_find(const mplan_mesh *mesh, const char *path,
                                    const mplan_table_options *options, mplan_table_names *names,
                                    mplan_error *err)
{
    piece from = {"elements", 8}, to = {"points", 6};
    if (options->name) {
        piece name = {options->name, strlen(options->name)};
        if (!split(mesh, name, &from, &to))
            split(mesh, stem_of(path), &from, &to);
    } else {
        split(mesh, stem_of(path), &from, &to);
    }
    memset(names, 0, sizeof *names);
    names->from = options->from ? mplan_strdup(options->from, err) : copy_piece(from, err);
    names->to = options->to ? mplan_strdup(options->to, err) : copy_piece(to, err);
    if (names->from && names->to)
        names->name = options->name ? mplan_strdup(options->name, err)
                                    : join(names->from, names->to, err);
    if (names->name)
        return MPLAN_OK;
    mplan_table_names_free(names);
    return MPLAN_ERR_MEMORY;
}

/* Members may be NULL. */
void mplan_table_names_free(mplan_table_names *names)
{
    free(names->name);
    free(names->from);
    free(names->to);
    memset(names, 0, sizeof *names);
}
