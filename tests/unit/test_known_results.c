/* SPDX-License-Identifier: Apache-2.0 */
/* test_known_results.c - meshes and plans are what they were: their fingerprints are in tests/data/known-results.txt
 *
 * Other tests prove that results are right; many results would be. Here a change that nobody meant is found: of generated and
 * refined meshes, of every file of tests/data, read or refused, of files that are written, and of plans by meshplan's own methods, all of which are equal for every
 * compiler and number of threads. Who means a change runs the test with MPLAN_UPDATE=1 and reads the difference. */
#include "support_test.h"

#include <dirent.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/hash.h"
#include "mesh/mesh.h"
#include "plan/plan.h"
#include "support_check.h"
#include "support_folder.h"

enum { MOST_LINES = 4000, MOST_LINE = 160 };

static char known[MOST_LINES][MOST_LINE]; /* lines of the file: a name and 16 hexadecimal digits */
static int n_known, n_wrong, n_compared;
static FILE *updated; /* NULL: nothing is written */

static int read_known(void **state)
{
    (void)state;
    const char *path = MPLAN_TEST_DATA "/known-results.txt";
    FILE *file = fopen(path, "r");
    while (file && n_known < MOST_LINES && fgets(known[n_known], MOST_LINE, file))
        n_known++;
    if (file)
        fclose(file);
    if (getenv("MPLAN_UPDATE"))
        updated = fopen(path, "w");
    return updated || n_known > 0 ? 0 : 1;
}

static int close_known(void **state)
{
    (void)state;
    return updated ? fclose(updated) : 0;
}

/* Compares with the line of that name; a name without a line is new. */
static void compare(const char *name, uint64_t print)
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

/* --- meshes --------------------------------------------------------------------------- */

static void add_text(mplan_fingerprint *print, const char *text)
{
    mplan_fingerprint_bytes(print, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_maps(mplan_fingerprint *print, const mplan_mesh *mesh)
{
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        add_text(print, map.name);
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
    add_text(print, group.name);
    mplan_fingerprint_i64(print, group.id);
    mplan_fingerprint_i64(print, group.dimension);
    mplan_fingerprint_i64(print, group.set);
    mplan_fingerprint_i64(print, group.n_members);
    if (group.members)
        mplan_fingerprint_i32s(print, group.members, group.n_members);
}

/* coordinates: those of the airfoil take a sine of libm, whose last bit is not the same everywhere. */
static uint64_t print_of_mesh(const mplan_mesh *mesh, bool coordinates)
{
    uint64_t value = 0;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        int32_t dimension;
        mplan_set set = mplan_mesh_set(mesh, s);
        const double *x = mplan_mesh_coordinates(mesh, s, &dimension);
        add_text(print, set.name);
        mplan_fingerprint_i64(print, set.size);
        mplan_fingerprint_i64(print, dimension);
        if (x && coordinates)
            mplan_fingerprint_bytes(print, x, (size_t)(set.size * dimension) * sizeof *x);
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
    assert_true(mplan_fingerprint_end(print, &value));
    return value;
}

static const struct {
    mplan_shape shape;
    const char *name;
    int64_t size[3];
    double jitter;
} shapes[] = {{MPLAN_SHAPE_QUAD, "quad", {13, 9, 0}, 0.2},
              {MPLAN_SHAPE_TRI, "tri", {11, 8, 0}, 0.3},
              {MPLAN_SHAPE_HEX, "hex", {6, 5, 4}, 0.1},
              {MPLAN_SHAPE_TET, "tet", {4, 3, 5}, 0.2},
              {MPLAN_SHAPE_NACA0012, "naca0012", {24, 6, 0}, 0},
              {MPLAN_SHAPE_BOUNDARY_LAYER, "layer", {24, 6, 0}, 0},
              {MPLAN_SHAPE_BOUNDARY_LAYER, "layer-span", {16, 5, 4}, 0},
              {MPLAN_SHAPE_WING, "wing", {20, 4, 3}, 0},
              {MPLAN_SHAPE_SPHERE, "sphere", {4, 5, 0}, 0}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static mplan_mesh *make_mesh(int shape, bool shuffle, mplan_layer_cells cells)
{
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_generate_options how = MPLAN_GENERATE_OPTIONS_INIT;
    how.shape = shapes[shape].shape;
    memcpy(how.size, shapes[shape].size, sizeof how.size);
    how.jitter = shapes[shape].jitter;
    how.shuffle = shuffle;
    how.cells = cells;
    if (shuffle) { /* other diagonals are the shortest */
        how.stretch[1] = 3;
        how.stretch[2] = 0.4;
    }
    how.seed = 5;
    return mplan_mesh_generate(&how, NULL, &mesh, &err) == MPLAN_OK ? mesh : NULL;
}

static void generated_meshes(void **state)
{
    (void)state;
    static const char *const sets[] = {"faces", "boundary_faces", "edges", "nodes_cells",
                                       "cells_cells"};
    char name[64];
    for (int s = 0; s < N_SHAPES; s++)
        for (int way = 0; way < 8; way++) {
            mplan_error err;
            bool exact = shapes[s].shape != MPLAN_SHAPE_NACA0012;
            mplan_mesh *refined = NULL, *mesh = make_mesh(s, way % 2, (mplan_layer_cells)(way / 2));
            if (!mesh)
                continue;
            for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
                mplan_mesh_derive(mesh, sets[k], NULL, &err);
            snprintf(name, sizeof name, "generate/%s/%d", shapes[s].name, way);
            compare(name, print_of_mesh(mesh, exact));
            snprintf(name, sizeof name, "refine/%s/%d", shapes[s].name, way);
            if (mplan_mesh_refine(mesh, 1, NULL, &refined, &err) == MPLAN_OK)
                compare(name, print_of_mesh(refined, exact));
            mplan_mesh_free(refined);
            mplan_mesh_free(mesh);
        }
    assert_int_equal(n_wrong, 0);
    assert_true(updated || n_compared >= 40);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

typedef struct file_name {
    char text[128];
} file_name;

/* Names in a folder that begin so, sorted; at most `most`. */
static int names_in(const char *path, const char *begin, file_name *names, int most)
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

/* Numbers of a sentence behind the file's name (lines, bytes, counts, limits), which are added to `to`, at most `room`
 * characters with those that are there; words may change. */
static void add_numbers(char *to, size_t room, const char *text)
{
    size_t n = strlen(to);
    const char *name = strstr(text, MPLAN_TEST_DATA);
    const char *at = name ? strchr(name + strlen(MPLAN_TEST_DATA) + 1, ':') : text;
    for (; at && *at && n + 1 < room; at++)
        if ((*at >= '0' && *at <= '9') || *at == '-' || *at == ' ')
            to[n++] = *at;
    to[n] = '\0';
}

enum { MOST_NUMBERS = 4096 };

static void note_warning(void *user, const char *text)
{
    add_numbers(user, MOST_NUMBERS, text);
}

/* Reads a file, and compares what is found, or why nothing is. What this build lacks a library for has no line. */
static void try_file(const char *folder, const char *file)
{
    char path[600], name[300];
    mplan_error err = {0};
    mplan_mesh *mesh = NULL;
    char numbers[MOST_NUMBERS] = "";
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = note_warning;
    context.user = numbers;
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.format = strcmp(folder, "text") == 0 ? "text" : NULL;
    snprintf(path, sizeof path, "%s/%.127s/%.127s", MPLAN_TEST_DATA, folder, file);
    snprintf(name, sizeof name, "%.127s/%.127s", folder, file);
    mplan_status status = mplan_mesh_read(path, &options, &context, &mesh, &err);
    if (status)
        add_numbers(numbers, sizeof numbers, err.text);
    if (!status || (!strstr(err.text, "lib") && !strstr(err.text, "without")))
        compare(name, (status ? (uint64_t)status : print_of_mesh(mesh, true)) ^
                          mplan_hash(numbers, strlen(numbers)));
    mplan_mesh_free(mesh);
}

/* Whether this build lacks what reads the files of a folder. */
static bool is_missing(const char *folder)
{
    mplan_format_info info;
    for (int32_t i = 0; mplan_format(i, &info) == MPLAN_OK; i++)
        if (strcmp(info.name, folder) == 0)
            return info.missing != NULL;
    return false;
}

/* Those of plans and jobs are not meshes. */
static void files_of_tests(void **state)
{
    (void)state;
    static file_name folders[200], files[1000];
    n_compared = n_wrong = 0;
    int n_folders = names_in(MPLAN_TEST_DATA, "", folders, 200);
    for (int d = 0; d < n_folders; d++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%.127s", MPLAN_TEST_DATA, folders[d].text);
        if (strcmp(folders[d].text, "planfile") == 0 || strcmp(folders[d].text, "job") == 0 ||
            is_missing(folders[d].text))
            continue;
        int n_files = names_in(path, "", files, 1000);
        for (int f = 0; f < n_files; f += support_every(4))
            try_file(folders[d].text, files[f].text);
    }
    assert_int_equal(n_wrong, 0);
    assert_true(updated || n_compared >= 100);
}

/* --- files that are written --------------------------------------------------------------- */

/* Bytes of the file, which is removed; 0 without one. */
static uint64_t print_of_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t n = fread(data, 1, sizeof data, file);
    fclose(file);
    unlink(path);
    return mplan_hash(data, n);
}

/* Every shape in every format that is a file of its own; what zlib or libhdf5 write depends on their versions. */
static void written_files(void **state)
{
    mplan_format_info info;
    mplan_error err;
    n_compared = n_wrong = 0;
    assert_int_equal(make_folder(state), 0);
    for (int s = 0; s < N_SHAPES; s++) {
        mplan_mesh *mesh = make_mesh(s, s % 2, MPLAN_LAYER_CELLS_AUTO);
        for (int32_t i = 0; mplan_format(i, &info) == MPLAN_OK; i++) {
            char name[96];
            bool packed = strstr(info.name, "vtu") || strstr(info.name, "hdf5") ||
                          strstr(info.name, "npz");
            if (packed || shapes[s].shape == MPLAN_SHAPE_NACA0012)
                continue;
            snprintf(name, sizeof name, "write-%.32s/%s", info.name, shapes[s].name);
            const char *path = in_folder("written");
            if (mplan_mesh_write(mesh, path, info.name, NULL, NULL, &err) == MPLAN_OK) {
                uint64_t print = print_of_file(path);
                if (print)
                    compare(name, print);
            }
        }
        mplan_mesh_free(mesh);
    }
    assert_int_equal(remove_folder(state), 0);
    assert_int_equal(n_wrong, 0);
    assert_true(updated || n_compared >= 20);
}

/* --- plans ---------------------------------------------------------------------------- */

static uint64_t print_of_plan(const mplan_plan *plan)
{
    uint64_t value = 0;
    mplan_fingerprint *print = mplan_fingerprint_begin();
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const mplan_array *array = &plan->arrays[i];
        const uint32_t key[] = {array->key.kind, array->key.set,     array->key.map,
                                array->key.loop, array->key.variant, array->key.block_set};
        mplan_fingerprint_bytes(print, key, sizeof key);
        mplan_fingerprint_i64(print, array->rows);
        if (array->rows * array->cols > 0)
            mplan_fingerprint_bytes(print, array->data,
                                    (size_t)(array->rows * array->cols) *
                                        mplan_type_size(array->type));
    }
    for (int32_t i = 0; i < plan->n_sets; i++)
        mplan_fingerprint_i64(print, plan->sets[i].storage_size);
    assert_true(mplan_fingerprint_end(print, &value));
    return value;
}

static void plan_one(const char *name, mplan_mesh *mesh, const char *over, const char *map,
                     mplan_plan_options *options)
{
    mplan_error err;
    mplan_plan *plan = NULL;
    mplan_arg args[] = {
        {.dat = "x", .map = map, .access = MPLAN_READ, .dim = 2, .type = MPLAN_TYPE_F64},
        {.dat = "sum", .map = map, .access = MPLAN_INC, .dim = 3, .type = MPLAN_TYPE_F64}};
    mplan_loop loop = {.name = "loop", .over = over, .calls = 1, .n_args = 2, .args = args};
    if (mplan_plan_create(mesh, 1, &loop, options, NULL, &plan, &err) == MPLAN_OK)
        compare(name, print_of_plan(plan));
    mplan_plan_free(plan);
}

static void plans_by_own_methods(void **state)
{
    (void)state;
    static const mplan_renumber renumber[] = {MPLAN_RENUMBER_RCM, MPLAN_RENUMBER_HILBERT,
                                              MPLAN_RENUMBER_SLOAN, MPLAN_RENUMBER_AGGLOMERATE,
                                              MPLAN_RENUMBER_GPS};
    static const mplan_strategy strategies[] = {
        MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_TWO_STEP,
        MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_STRATEGY_OWNER_GATHER};
    static const mplan_encoding encodings[] = {MPLAN_ENCODING_INDEX16, MPLAN_ENCODING_PAIR32,
                                               MPLAN_ENCODING_INDEX32};
    static const char *const loops[][2] = {
        {"faces", "faces_cells"}, {"cells", "cells_nodes"}, {"edges", "edges_nodes"}};
    char name[96];
    n_compared = n_wrong = 0;
    for (int s = 0; s < N_SHAPES; s++)
        for (int way = 0; way < 10 && shapes[s].shape != MPLAN_SHAPE_NACA0012; way++) {
            mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
            mplan_mesh *mesh = make_mesh(s, way % 3 > 0, MPLAN_LAYER_CELLS_AUTO);
            options.partitioner = way == 9   ? MPLAN_PARTITIONER_NONE
                                  : way == 8 ? MPLAN_PARTITIONER_HILBERT
                                             : MPLAN_PARTITIONER_NATIVE;
            options.effort = (mplan_effort)((way + s) % MPLAN_N_EFFORTS);
            options.block_size = (int32_t[]){16, 32, 64, 24}[(way + s) % 4];
            options.renumber = renumber[way % 5];
            options.keep_better = way % 4 == 0;
            options.n_strategies = 5;
            memcpy(options.strategies, strategies, sizeof strategies);
            options.encoding = encodings[way % 3];
            options.sums = way % 2 ? MPLAN_SUMS_PARTIAL : MPLAN_SUMS_COLOUR;
            options.point_order = (mplan_point_order)(way % 4);
            options.max_points = way == 5 ? 40 : 0;
            snprintf(name, sizeof name, "plan/%s/%d", shapes[s].name, way);
            plan_one(name, mesh, loops[way % 3][0], loops[way % 3][1], &options);
            mplan_mesh_free(mesh);
        }
    assert_int_equal(n_wrong, 0);
    assert_true(updated || n_compared >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_meshes),
        cmocka_unit_test(files_of_tests),
        cmocka_unit_test(written_files),
        cmocka_unit_test(plans_by_own_methods),
    };
    return cmocka_run_group_tests(tests, read_known, close_known);
}
