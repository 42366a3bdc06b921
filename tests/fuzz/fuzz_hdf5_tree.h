/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_hdf5_tree.h - the functions of formats/hdf5/hdf5_tree.h, answering from the bytes of a fuzzer
 *
 * A target lists the paths that its format knows; the bytes say which of them are there, their kinds, lengths, numbers
 * and attributes, and which call fails. libhdf5 is not called. The file that is opened has to be closed. */
#ifndef MPLAN_FUZZ_HDF5_TREE_H
#define MPLAN_FUZZ_HDF5_TREE_H

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/hdf5/hdf5_tree.h"
#include "fuzz_bytes.h"
#include "fuzz_mesh.h"

enum {
    FUZZ_MOST_PATHS = 48,
    FUZZ_MOST_ATTRIBUTES = 4,
    FUZZ_NUMBERS = 48,
    FUZZ_MOST_BYTES = 1 << 16
};

/* What a format expects at a path: its kind, the lengths of a small example, names of attributes. */
typedef struct fuzz_path {
    const char *path;
    mplan_hdf5_kind kind;
    int64_t length[MPLAN_HDF5_RANK];
    const char *attributes[FUZZ_MOST_ATTRIBUTES];
} fuzz_path;

typedef struct fuzz_entry {
    const fuzz_path *of;
    size_t length; /* of its path */
    bool there[FUZZ_MOST_ATTRIBUTES];
    int64_t value[FUZZ_MOST_ATTRIBUTES];
    mplan_hdf5_shape shape;
    int64_t number[FUZZ_NUMBERS]; /* and again from the first */
} fuzz_entry;

static struct {
    fuzz_entry entries[FUZZ_MOST_PATHS];
    int n, calls, fails_at, open; /* fails_at: 0, none */
} fuzz_tree;

/* Whether n bytes are equal. Neither traced nor watched: names that the target itself holds teach a fuzzer nothing, and
 * comparing them by the library's functions took a third of the time. */
#if defined __clang__
__attribute__((no_sanitize("coverage", "address", "undefined")))
#endif
static bool
fuzz_same(const char *left, const char *right, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (left[i] != right[i])
            return false;
    return true;
}

static const char *const *fuzz_texts; /* of attributes; NULL: there are none */

static bool fuzz_fails(void)
{
    return ++fuzz_tree.calls == fuzz_tree.fails_at;
}

/* --- the file, after the bytes ---------------------------------------------------------------- */

static void fuzz_take_shape(fuzz_bytes *from, const fuzz_path *of, mplan_hdf5_shape *shape)
{
    const int odd = fuzz_take(from, 255);
    *shape = (mplan_hdf5_shape){.kind = of->kind, .length = {1, 1, 1}, .n = 1};
    if (of->kind == MPLAN_HDF5_GROUP && odd < 250)
        return;
    if (odd >= 240)
        shape->kind = (mplan_hdf5_kind)(odd % 5);
    for (int d = 0; d < MPLAN_HDF5_RANK && of->length[d] > 0; d++) {
        shape->length[d] = odd & 1 ? fuzz_take_number(from) : of->length[d];
        shape->rank = d + 1;
    }
    for (int d = 0; d < MPLAN_HDF5_RANK; d++) {
        if (shape->length[d] < 0 || shape->length[d] > FUZZ_MOST_BYTES / 8 ||
            shape->n * shape->length[d] > FUZZ_MOST_BYTES / 8)
            shape->kind = MPLAN_HDF5_NOTHING;
        else
            shape->n *= shape->length[d];
    }
}

static void fuzz_take_entry(fuzz_bytes *from, const fuzz_path *of, fuzz_entry *entry)
{
    memset(entry, 0, sizeof *entry);
    entry->of = of;
    entry->length = strlen(of->path);
    fuzz_take_shape(from, of, &entry->shape);
    for (int a = 0; a < FUZZ_MOST_ATTRIBUTES && of->attributes[a]; a++) {
        entry->there[a] = fuzz_take(from, 7) < 7;
        entry->value[a] = fuzz_take_number(from);
    }
    if (entry->shape.kind == MPLAN_HDF5_GROUP)
        return;
    const int n = entry->shape.n < FUZZ_NUMBERS ? (int)entry->shape.n : FUZZ_NUMBERS;
    for (int i = 0; i < n; i++)
        entry->number[i] = fuzz_take_number(from);
}

/* Which paths are there: a bit each. */
static void fuzz_take_tree(fuzz_bytes *from, const fuzz_path *paths, int n_paths)
{
    uint8_t there[FUZZ_MOST_PATHS / 8 + 1];
    fuzz_tree.calls = fuzz_tree.n = 0;
    fuzz_tree.fails_at = fuzz_take(from, 3) == 1 ? fuzz_take(from, 255) : 0;
    for (int i = 0; i < (n_paths + 7) / 8; i++)
        there[i] = (uint8_t)fuzz_take(from, 255);
    for (int p = 0; p < n_paths && p < FUZZ_MOST_PATHS; p++)
        if (there[p / 8] >> (p % 8) & 1)
            fuzz_take_entry(from, &paths[p], &fuzz_tree.entries[fuzz_tree.n++]);
}

/* --- what the readers call ----------------------------------------------------------------------- */

static const char *fuzz_plain(const char *path)
{
    while (*path == '/')
        path++;
    return path;
}

static const fuzz_entry *fuzz_find(const char *path)
{
    path = fuzz_plain(path);
    const size_t n = strlen(path) + 1;
    for (int i = 0; i < fuzz_tree.n; i++)
        if (fuzz_tree.entries[i].length + 1 == n && fuzz_same(fuzz_tree.entries[i].of->path, path, n))
            return &fuzz_tree.entries[i];
    return NULL;
}

/* The path leads to something in the folder; the name that follows, NULL if it does not. */
static const char *fuzz_inside(const fuzz_entry *entry, const char *folder, size_t *length)
{
    const size_t n = strlen(folder);
    const char *rest = entry->of->path;
    if (n > 0 && (entry->length <= n || !fuzz_same(rest, folder, n) || rest[n] != '/'))
        return NULL;
    rest += n > 0 ? n + 1 : 0;
    *length = strcspn(rest, "/");
    return rest;
}

bool mplan_hdf5_holds(const uint8_t *data, size_t size, const char *path, const char *word)
{
    (void)data;
    (void)size;
    (void)word;
    return mplan_hdf5_look(NULL, path, NULL) != MPLAN_HDF5_NOTHING;
}

mplan_status mplan_hdf5_begin(mplan_hdf5_tree *tree, const mplan_input *input,
                              const mplan_context *context, mplan_error *err)
{
    *tree = (mplan_hdf5_tree){.input = input, .context = context, .most_bytes = FUZZ_MOST_BYTES};
    if (fuzz_fails())
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: cannot be opened", input->path);
    fuzz_tree.open++;
    return MPLAN_OK;
}

void mplan_hdf5_end(mplan_hdf5_tree *tree)
{
    (void)tree;
    fuzz_tree.open--;
}

mplan_hdf5_kind mplan_hdf5_look(const mplan_hdf5_tree *tree, const char *path, mplan_hdf5_shape *shape)
{
    mplan_hdf5_shape found = {.kind = MPLAN_HDF5_NOTHING};
    const fuzz_entry *entry = fuzz_find(path);
    size_t length;
    (void)tree;
    if (entry)
        found = entry->shape;
    for (int i = 0; i < fuzz_tree.n && !entry && found.kind == MPLAN_HDF5_NOTHING; i++)
        if (fuzz_inside(&fuzz_tree.entries[i], fuzz_plain(path), &length))
            found.kind = MPLAN_HDF5_GROUP;
    if (fuzz_fails())
        found = (mplan_hdf5_shape){.kind = MPLAN_HDF5_NOTHING};
    if (shape)
        *shape = found;
    return found.kind;
}

/* Name i of a folder, in the order of the paths, each once; how many there are with a negative i. */
static int64_t fuzz_name(const char *folder, int64_t i, char name[MPLAN_HDF5_NAME])
{
    int64_t n = 0;
    for (int e = 0; e < fuzz_tree.n; e++) {
        size_t length, other;
        bool seen = false;
        const char *at = fuzz_inside(&fuzz_tree.entries[e], folder, &length);
        for (int before = 0; at && before < e && !seen; before++) {
            const char *its = fuzz_inside(&fuzz_tree.entries[before], folder, &other);
            seen = its && other == length && fuzz_same(its, at, length);
        }
        if (!at || seen)
            continue;
        if (n++ == i)
            snprintf(name, MPLAN_HDF5_NAME, "%.*s", (int)length, at);
    }
    return n;
}

int64_t mplan_hdf5_n_names(const mplan_hdf5_tree *tree, const char *path)
{
    (void)tree;
    return fuzz_fails() ? 0 : fuzz_name(fuzz_plain(path), -1, NULL);
}

bool mplan_hdf5_name(const mplan_hdf5_tree *tree, const char *path, int64_t i,
                     char name[MPLAN_HDF5_NAME])
{
    (void)tree;
    return !fuzz_fails() && fuzz_name(fuzz_plain(path), i, name) > i;
}

/* The entry with its shape, where the file can be read. */
static const fuzz_entry *fuzz_table(const mplan_hdf5_tree *tree, const char *path, bool real,
                                    mplan_hdf5_shape *shape, mplan_status *status, mplan_error *err)
{
    const mplan_hdf5_kind kind = mplan_hdf5_look(tree, path, shape);
    const fuzz_entry *entry = fuzz_find(path);
    const bool fits = kind == MPLAN_HDF5_WHOLE || (real && kind == MPLAN_HDF5_REAL);
    *status = fits && entry && !fuzz_fails()
                  ? MPLAN_OK
                  : mplan_hdf5_fail(tree, path, MPLAN_ERR_CORRUPT, "cannot be read", err);
    return entry;
}

mplan_status mplan_hdf5_whole(const mplan_hdf5_tree *tree, const char *path, int64_t **numbers,
                              mplan_hdf5_shape *shape, mplan_error *err)
{
    mplan_status status;
    const fuzz_entry *entry = fuzz_table(tree, path, false, shape, &status, err);
    *numbers = NULL;
    if (!status && !(*numbers = mplan_alloc(shape->n, sizeof **numbers, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; !status && i < shape->n; i++)
        (*numbers)[i] = entry->number[i % FUZZ_NUMBERS];
    return status;
}

mplan_status mplan_hdf5_real(const mplan_hdf5_tree *tree, const char *path, double **numbers,
                             mplan_hdf5_shape *shape, mplan_error *err)
{
    mplan_status status;
    const fuzz_entry *entry = fuzz_table(tree, path, true, shape, &status, err);
    *numbers = NULL;
    if (!status && !(*numbers = mplan_alloc(shape->n, sizeof **numbers, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; !status && i < shape->n; i++)
        (*numbers)[i] = (double)entry->number[i % FUZZ_NUMBERS] / 3;
    return status;
}

/* Short texts of one letter, some of them empty. */
mplan_status mplan_hdf5_texts(const mplan_hdf5_tree *tree, const char *path, char **texts,
                              int64_t *width, mplan_hdf5_shape *shape, mplan_error *err)
{
    const fuzz_entry *entry = fuzz_find(path);
    const mplan_hdf5_kind kind = mplan_hdf5_look(tree, path, shape);
    *texts = NULL;
    if (kind != MPLAN_HDF5_TEXT || !entry || fuzz_fails())
        return mplan_hdf5_fail(tree, path, MPLAN_ERR_CORRUPT, "cannot be read", err);
    *width = 1 + (entry->number[0] & 15) * 8;
    *texts = mplan_alloc_zero(shape->n, (size_t)*width, err);
    for (int64_t i = 0; *texts && i < shape->n; i++) {
        const int64_t number = entry->number[i % FUZZ_NUMBERS];
        memset(*texts + i * *width, "ab ;,c"[(uint64_t)number % 6],
               (size_t)((uint64_t)number % (uint64_t)*width));
    }
    return *texts ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

bool mplan_hdf5_attribute(const mplan_hdf5_tree *tree, const char *path, const char *name,
                          int64_t *value)
{
    const fuzz_entry *entry = fuzz_find(path);
    (void)tree;
    *value = 0;
    for (int a = 0; entry && a < FUZZ_MOST_ATTRIBUTES && entry->of->attributes[a]; a++)
        if (strcmp(entry->of->attributes[a], name) == 0 && entry->there[a] && !fuzz_fails()) {
            *value = entry->value[a];
            return true;
        }
    return false;
}

/* One of the texts that a target knows, by the attribute's number. */
bool mplan_hdf5_text_attribute(const mplan_hdf5_tree *tree, const char *path, const char *name,
                               char *text, size_t size)
{
    int64_t value = 0;
    int n = 0;
    memset(text, 0, size);
    if (!mplan_hdf5_attribute(tree, path, name, &value) || !fuzz_texts)
        return false;
    while (fuzz_texts[n])
        n++;
    snprintf(text, size, "%s", fuzz_texts[(uint64_t)value % (uint64_t)n]);
    return true;
}

/* One execution. */
static inline int fuzz_hdf5_read(const mplan_file_format *format, const fuzz_path *paths,
                                 int n_paths, const uint8_t *data, size_t size)
{
    static const uint8_t head[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    fuzz_bytes from = {data, data + size};
    fuzz_take_tree(&from, paths, n_paths);
    fuzz_read(format, head, sizeof head);
    if (fuzz_tree.open != 0)
        abort();
    return 0;
}

#endif
