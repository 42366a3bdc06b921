/* SPDX-License-Identifier: Apache-2.0 */
/* support_known.c - results compared with their fingerprints in a file of tests/data */
#include "support_known.h"

#include <dirent.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support_test.h"

enum { MOST_LINES = 4000, MOST_LINE = 160, MOST_FILES = 400 };

static char known[MOST_LINES][MOST_LINE]; /* n_known lines of the file */
static int n_known, n_wrong, n_compared;
static FILE *updated; /* NULL: nothing is written */

int known_begin(const char *path)
{
    FILE *file = fopen(path, "r");
    while (file && n_known < MOST_LINES && fgets(known[n_known], MOST_LINE, file))
        n_known++;
    if (file)
        fclose(file);
    if (getenv("MPLAN_UPDATE"))
        updated = fopen(path, "w");
    return updated || n_known > 0 ? 0 : 1;
}

int known_end(void)
{
    return updated ? fclose(updated) : 0;
}

void known_compare(const char *name, uint64_t print)
{
    char line[MOST_LINE];
    int n = snprintf(line, sizeof line, "%s %016" PRIx64 "\n", name, print);
    if (updated)
        fputs(line, updated);
    for (int i = 0; i < n_known && !updated; i++) {
        if (strncmp(known[i], line, strlen(name) + 1) != 0)
            continue;
        n_compared++;
        if (strncmp(known[i], line, (size_t)n) == 0)
            continue;
        n_wrong++;
        print_error("%s is not what it was\n", name);
    }
}

void known_check(int least)
{
    int wrong = n_wrong, compared = n_compared;
    n_wrong = n_compared = 0;
    assert_int_equal(wrong, 0);
    assert_true(updated || compared >= least);
}

/* --- fingerprints ------------------------------------------------------------------------- */

void known_add_text(mplan_fingerprint *print, const char *text)
{
    mplan_fingerprint_bytes(print, text ? text : "", text ? strlen(text) + 1 : 1);
}

void known_add_numbers(mplan_fingerprint *print, int n, const int64_t *numbers)
{
    for (int i = 0; i < n; i++)
        mplan_fingerprint_i64(print, numbers[i]);
}

uint64_t known_end_print(mplan_fingerprint *print)
{
    uint64_t value = 0;
    assert_true(mplan_fingerprint_end(print, &value));
    return value;
}

static void add_file(mplan_fingerprint *print, const char *path)
{
    static uint8_t data[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t n; (n = fread(data, 1, sizeof data, file)) > 0;)
        mplan_fingerprint_bytes(print, data, n);
    fclose(file);
    assert_int_equal(unlink(path), 0);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Files of one folder, without folders in it. */
static void add_folder(mplan_fingerprint *print, const char *path)
{
    static char names[MOST_FILES][256];
    size_t n = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL && n < MOST_FILES;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            snprintf(names[n++], sizeof *names, "%s", entry->d_name);
    closedir(folder);
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) {
        char inner[900];
        snprintf(inner, sizeof inner, "%.600s/%.255s", path, names[i]);
        known_add_text(print, names[i]);
        add_file(print, inner);
    }
    assert_int_equal(rmdir(path), 0);
}

bool known_print_of_path(const char *path, uint64_t *value)
{
    struct stat is;
    if (stat(path, &is) != 0)
        return false;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    if (S_ISDIR(is.st_mode))
        add_folder(print, path);
    else
        add_file(print, path);
    *value = known_end_print(print);
    return true;
}

/* --- generated meshes --------------------------------------------------------------------- */

static const struct {
    mplan_shape shape;
    const char *name;
    int64_t size[3];
    double jitter;
} shapes[KNOWN_SHAPES] = {{MPLAN_SHAPE_QUAD, "quad", {13, 9, 0}, 0.2},
                          {MPLAN_SHAPE_TRI, "tri", {11, 8, 0}, 0.3},
                          {MPLAN_SHAPE_HEX, "hex", {6, 5, 4}, 0.1},
                          {MPLAN_SHAPE_TET, "tet", {4, 3, 5}, 0.2},
                          {MPLAN_SHAPE_NACA0012, "naca0012", {24, 6, 0}, 0},
                          {MPLAN_SHAPE_BOUNDARY_LAYER, "layer", {24, 6, 0}, 0},
                          {MPLAN_SHAPE_BOUNDARY_LAYER, "layer-span", {16, 5, 4}, 0},
                          {MPLAN_SHAPE_WING, "wing", {20, 4, 3}, 0},
                          {MPLAN_SHAPE_SPHERE, "sphere", {4, 5, 0}, 0}};

const char *known_shape_name(int s)
{
    return s < KNOWN_SHAPES ? shapes[s].name : NULL;
}

bool known_shape_is_exact(int s)
{
    return shapes[s].shape != MPLAN_SHAPE_NACA0012;
}

mplan_mesh *known_shape(int s, bool shuffle, mplan_layer_cells cells)
{
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_generate_options how = MPLAN_GENERATE_OPTIONS_INIT;
    how.shape = shapes[s].shape;
    memcpy(how.size, shapes[s].size, sizeof how.size);
    how.jitter = shapes[s].jitter;
    how.shuffle = shuffle;
    how.cells = cells;
    if (shuffle) { /* other diagonals are the shortest */
        how.stretch[1] = 3;
        how.stretch[2] = 0.4;
    }
    how.seed = 5;
    return mplan_mesh_generate(&how, NULL, &mesh, &err) == MPLAN_OK ? mesh : NULL;
}

/* --- meshes, files and sentences --------------------------------------------------------- */

static void add_maps(mplan_fingerprint *print, const mplan_mesh *mesh)
{
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        known_add_text(print, map.name);
        mplan_fingerprint_i64(print, map.from);
        mplan_fingerprint_i64(print, map.to);
        mplan_fingerprint_i64(print, map.arity);
        for (int64_t r = 0; map.offsets && r <= map.n_rows; r++)
            mplan_fingerprint_i64(print, map.offsets[r]);
        mplan_fingerprint_i32s(print, map.values, mplan_map_entries(&map));
    }
}

static void add_group(mplan_fingerprint *print, mplan_group group)
{
    known_add_text(print, group.name);
    mplan_fingerprint_i64(print, group.id);
    mplan_fingerprint_i64(print, group.dimension);
    mplan_fingerprint_i64(print, group.set);
    mplan_fingerprint_i64(print, group.n_members);
    if (group.members)
        mplan_fingerprint_i32s(print, group.members, group.n_members);
}

/* coordinates: false for those of the airfoil, whose last bits are not the same everywhere (support_known.h). */
uint64_t known_print_of_mesh(const mplan_mesh *mesh, bool coordinates)
{
    mplan_fingerprint *print = mplan_fingerprint_begin();
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        int32_t dimension;
        mplan_set set = mplan_mesh_set(mesh, s);
        const double *x = mplan_mesh_coordinates(mesh, s, &dimension);
        known_add_text(print, set.name);
        mplan_fingerprint_i64(print, set.size);
        mplan_fingerprint_i64(print, dimension);
        if (x && coordinates)
            mplan_fingerprint_bytes(print, x, (size_t)(set.size * dimension) * sizeof *x);
        for (int64_t i = 0; x && !coordinates && i < set.size * dimension; i++)
            mplan_fingerprint_i64(print, (int64_t)(x[i] * 1048576 + 1e9)); /* rounded */
    }
    add_maps(print, mesh);
    mplan_fingerprint_i64(print, mplan_mesh_dimension(mesh));
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    if (mplan_mesh_cell_types(mesh) && cells >= 0)
        mplan_fingerprint_bytes(print, mplan_mesh_cell_types(mesh),
                                (size_t)mplan_mesh_set(mesh, cells).size);
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++)
        add_group(print, mplan_mesh_group(mesh, g));
    for (int32_t g = 0; g < mplan_mesh_n_facet_groups(mesh); g++)
        add_group(print, mplan_mesh_facet_group(mesh, g));
    return known_end_print(print);
}

/* Names in a folder that begin so, sorted; at most `most`. */
int known_names_in(const char *path, const char *begin, known_name *names, int most)
{
    int n = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL && n < most;)
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, begin, strlen(begin)) == 0 &&
            strlen(entry->d_name) < sizeof names->text)
            strcpy(names[n++].text, entry->d_name);
    if (folder)
        closedir(folder);
    qsort(names, (size_t)n, sizeof *names, by_name);
    return n;
}

void known_add_sentence(const char *folder, char *to, size_t room, const char *text)
{
    const size_t length = strlen(folder);
    size_t n = strlen(to);
    const char *name = strstr(text, folder);
    const char *at = name ? strchr(name + length + 1, ':') : text;
    for (; at && *at && n + 1 < room; at++)
        if (strncmp(at, folder, length) == 0)
            at += length - 1;
        else if ((*at >= '0' && *at <= '9') || *at == '-' || *at == ' ')
            to[n++] = *at;
    to[n] = '\0';
}
