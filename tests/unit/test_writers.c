/* SPDX-License-Identifier: Apache-2.0 */
/* test_writers.c - what every writer writes reads back the same */
#include "support_test.h"

#include <unistd.h>

#if defined MPLAN_HAVE_HDF5
#include <hdf5.h>
#endif

#include "formats/numpy/crc32.h"
#include "mesh/mesh.h"
#include "support_folder.h"
#include "support_round_trip.h"

static void mixed(const char *name, const char *format, bool second)
{
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        mplan_mesh *mesh = support_mixed_mesh(dimension, second);
        mplan_mesh *back = support_write_and_read(mesh, in_folder(name), format, NULL);
        support_same_cells(mesh, back);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

static void su2(void **state)
{
    (void)state;
    support_round_trips(in_folder("a.su2"), NULL, SAME_NAMES | SAME_NODE_GROUPS | SAME_BOUNDARIES, 1);
    mixed("a.su2", NULL, false);
    mplan_error err;
    mplan_mesh *mesh = support_mixed_mesh(2, true), *back = NULL;
    assert_refused(mplan_mesh_write(mesh, in_folder("b.su2"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "cell 3 is a tri6");
    assert_int_equal(access(in_folder("b.su2"), F_OK), -1);
    mplan_mesh_free(mesh);
    /* names that would end a tag, and none */
    static const uint8_t edges[] = {MPLAN_CELL_LINE3};
    static const uint8_t triangle[] = {MPLAN_CELL_TRI3};
    static const int32_t nodes[] = {0, 1, 2, 3, 4, 5}, edge[] = {0, 1, 3};
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, .5, 0, 0, .5, .5, 0, 0, .5, 0};
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_cells(mesh, 6, 1, triangle, nodes, &err), &err);
    assert_done(mplan_mesh_set_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, &err),
                &err);
    assert_done(mplan_mesh_add_facets(mesh, "50% of\nit", 1, 1, edges, edge, &err), &err);
    assert_done(mplan_mesh_add_facets(mesh, "", 17, 1, edges, edge, &err), &err);
    back = support_write_and_read(mesh, in_folder("a.su2"), NULL, NULL);
    assert_int_equal(back->n_facet_groups, 2);
    assert_string_equal(back->facets[0].name, "50_ of_it");
    assert_string_equal(back->facets[1].name, "marker_17");
    assert_int_equal(back->facets[0].type[0], MPLAN_CELL_LINE2);
    assert_int_equal(back->sets[mplan_mesh_find_set(back, "nodes")].dimension, 2); /* z is 0 */
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

static void gmsh(void **state)
{
    (void)state;
    static const char *const formats[] = {"gmsh", "gmsh-text", "gmsh22", "gmsh22-text"};
    for (int f = 0; f < 4; f++) {
        support_round_trips(in_folder("a.msh"), formats[f],
                            SAME_NAMES | SAME_IDS | SAME_CELL_GROUPS | SAME_NODE_GROUPS |
                                SAME_BOUNDARIES,
                            0);
        mixed("a.msh", formats[f], true);
    }
}

/* Elements of several groups and of none, in every version. */
static void gmsh_groups(void **state)
{
    (void)state;
    static const char *const formats[] = {"gmsh", "gmsh-text", "gmsh22", "gmsh22-text"};
    uint64_t seed = 3;
    for (int round = 0; round < 40; round++) {
        mplan_error err;
        mplan_mesh *mesh = support_mixed_mesh(3, true);
        int32_t cells = mplan_mesh_find_set(mesh, "cells");
        int64_t n = mplan_mesh_set(mesh, cells).size;
        for (int32_t g = 1; g <= 5; g++) {
            int32_t members[16];
            int64_t count = 0;
            for (int32_t c = 0; c < n; c++)
                if (support_random(&seed, 3) == 0)
                    members[count++] = c;
            if (count > 0)
                assert_done(mplan_mesh_add_group(mesh, g % 2 ? "odd" : "", g, 3, cells, count,
                                                 members, &err),
                            &err);
        }
        mplan_mesh *back = support_write_and_read(mesh, in_folder("a.msh"), formats[round % 4], NULL);
        support_same_cells(mesh, back);
        support_same_groups(mesh, back, SAME_IDS | SAME_CELL_GROUPS);
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
}

#if defined MPLAN_HAVE_HDF5
static void count(void *user, const char *text)
{
    (void)text;
    ++*(int *)user;
}
#endif

/* Lines of numbers; release with free(). */
static int64_t *numbers_of(const char *path, int64_t *n)
{
    FILE *in = fopen(path, "r");
    int64_t *numbers = malloc(1 << 20);
    *n = 0;
    for (int c = getc(in); c != EOF;) {
        if (c == '\n') {
            numbers[(*n)++] = -1;
            c = getc(in);
        } else if (c == ' ') {
            c = getc(in);
        } else {
            int64_t value = 0;
            for (; c >= '0' && c <= '9'; c = getc(in))
                value = 10 * value + c - '0';
            numbers[(*n)++] = value;
        }
    }
    fclose(in);
    return numbers;
}

static bool share(const mplan_map *map, int64_t a, int64_t b, int32_t least)
{
    int32_t n_a, n_b, both = 0;
    const int32_t *row_a = mplan_map_row(map, a, &n_a), *row_b = mplan_map_row(map, b, &n_b);
    for (int32_t i = 0; i < n_a; i++)
        for (int32_t k = 0; k < n_b; k++)
            both += row_a[i] == row_b[k];
    return both >= least;
}

static void metis_graphs(void **state)
{
    (void)state;
    for (int points = 0; points < 2; points++) {
        mplan_error err;
        mplan_mesh *mesh = support_mesh(MPLAN_SHAPE_TET);
        mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        assert_done(mplan_mesh_write(mesh, in_folder("a.graph"), NULL,
                                     points ? "cells_nodes" : NULL, NULL, &err),
                    &err);
        int64_t n, at = 3, edges = 0, *number = numbers_of(in_folder("a.graph"), &n);
        assert_int_equal(number[0], map.n_rows);
        assert_int_equal(number[2], -1);
        for (int64_t a = 0; a < map.n_rows; a++, at++)
            for (int64_t b = 0; b < map.n_rows; b++)
                if (a != b && share(&map, a, b, points ? 1 : 3)) {
                    assert_int_equal(number[at++], b + 1);
                    edges++;
                }
        assert_int_equal(at, n);
        assert_int_equal(2 * number[1], edges);
        free(number);
        mplan_mesh_free(mesh);
    }
}

/* A graph that is read is written as it was. */
static void metis_graph_again(void **state)
{
    (void)state;
    static const char text[] = "5 4\n2 3\n1 3\n1 2 5\n\n3\n";
    mplan_error err;
    mplan_mesh *mesh = NULL;
    FILE *out = fopen(in_folder("a.graph"), "w");
    fputs(text, out);
    fclose(out);
    assert_done(mplan_mesh_read(in_folder("a.graph"), NULL, NULL, &mesh, &err), &err);
    assert_done(mplan_mesh_write(mesh, in_folder("a.graph"), NULL, NULL, NULL, &err), &err);
    char back[64] = "";
    FILE *in = fopen(in_folder("a.graph"), "r");
    assert_int_equal(fread(back, 1, sizeof back, in), strlen(text));
    fclose(in);
    assert_string_equal(back, text);
    mplan_mesh_free(mesh);
}

static void metis_meshes(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        mplan_error err;
        mplan_mesh *mesh = support_mixed_mesh(dimension, true);
        mplan_mesh *back = support_write_and_read(mesh, in_folder("a.mesh"), NULL, NULL);
        mplan_map x = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
        mplan_map y = mplan_mesh_map(back, mplan_mesh_find_map(back, "cells_nodes"));
        assert_int_equal(x.n_rows, y.n_rows);
        assert_memory_equal(x.offsets, y.offsets, (size_t)(x.n_rows + 1) * sizeof *x.offsets);
        assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * sizeof *x.values);
        mplan_mesh_free(back);
        assert_done(mplan_mesh_derive(mesh, "cells_cells", NULL, &err), &err);
        assert_refused(mplan_mesh_write(mesh, in_folder("b.mesh"), NULL, "cells_cells", NULL, &err),
                       MPLAN_ERR_UNSUPPORTED, &err, "cannot hold -1");
        mplan_mesh_free(mesh);
    }
}

/* Tables, fixed and ragged, between three sets. */
static mplan_mesh *tables(uint64_t *seed)
{
    static const char *const sets[] = {"cells", "nodes", "edges"};
    static const int ends[][2] = {{0, 1}, {2, 1}, {2, 0}, {0, 0}};
    mplan_error err;
    mplan_mesh *mesh = NULL;
    int64_t size[3];
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    for (int s = 0; s < 3; s++) {
        size[s] = 1 + support_random(seed, 30);
        assert_done(mplan_mesh_add_set(mesh, sets[s], size[s], NULL, &err), &err);
    }
    for (int m = 0; m < 4; m++) {
        char name[32];
        mplan_map map = support_random_map(seed, size[ends[m][0]], size[ends[m][1]],
                                           (int32_t)support_random(seed, 4), 10);
        snprintf(name, sizeof name, "%s_%s", sets[ends[m][0]], sets[ends[m][1]]);
        assert_done(mplan_mesh_add_map(mesh, name, ends[m][0], ends[m][1], map.arity, map.offsets,
                                       map.values, NULL, &err),
                    &err);
        support_map_free(&map);
    }
    double xyz[3 * 32];
    for (int i = 0; i < 3 * 32; i++)
        xyz[i] = (double)support_random(seed, 1 << 30) / 3e7;
    assert_done(mplan_mesh_set_coordinates(mesh, 1, 2 + (int32_t)support_random(seed, 2), xyz, &err),
                &err);
    return mesh;
}

static void same_tables(const mplan_mesh *a, const mplan_mesh *b)
{
    assert_int_equal(a->n_sets, b->n_sets);
    assert_int_equal(a->n_maps, b->n_maps);
    for (int32_t m = 0; m < a->n_maps; m++) {
        mplan_map x = mplan_mesh_map(a, m);
        int32_t other = mplan_mesh_find_map(b, x.name);
        assert_true(other >= 0);
        mplan_map y = mplan_mesh_map(b, other);
        assert_string_equal(a->sets[x.from].name, b->sets[y.from].name);
        assert_string_equal(a->sets[x.to].name, b->sets[y.to].name);
        assert_int_equal(x.n_rows, y.n_rows);
        assert_int_equal(x.n_points, y.n_points);
        assert_int_equal(x.arity, y.arity);
        assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * sizeof *x.values);
        if (!x.arity)
            assert_memory_equal(x.offsets, y.offsets, (size_t)(x.n_rows + 1) * sizeof *x.offsets);
    }
    for (int32_t s = 0; s < a->n_sets; s++) {
        const mplan_mesh_set_data *x = &a->sets[s];
        const mplan_mesh_set_data *y = &b->sets[mplan_mesh_find_set(b, x->name)];
        assert_int_equal(x->dimension, y->dimension);
        if (x->coordinates)
            assert_memory_equal(x->coordinates, y->coordinates,
                                (size_t)(x->size * x->dimension) * sizeof *x->coordinates);
    }
}

static void npz(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int round = 0; round < 200; round++) {
        int warnings;
        mplan_error err;
        mplan_mesh *mesh = tables(&seed);
        mplan_mesh *back = support_write_and_read(mesh, in_folder("a.npz"), NULL, &warnings);
        assert_int_equal(warnings, 0);
        same_tables(mesh, back);
        assert_refused(mplan_mesh_write(mesh, in_folder("a.npz"), NULL, "edges_knots", NULL, &err),
                       MPLAN_ERR_ARGUMENT, &err, "edges_knots");
        mplan_mesh_free(back);
        mplan_mesh_free(mesh);
    }
    int warnings;
    mplan_mesh *mesh = support_mesh(MPLAN_SHAPE_QUAD);
    mplan_mesh *back = support_write_and_read(mesh, in_folder("a.npz"), NULL, &warnings);
    assert_int_equal(warnings, 1); /* types and groups */
    assert_null(mplan_mesh_cell_types(back));
    mplan_mesh_free(back);
    mplan_mesh_free(mesh);
}

/* CRC-32 in pieces and as a whole, and the check value that everybody gives. */
static void checksums(void **state)
{
    (void)state;
    assert_int_equal(mplan_crc32(0, "123456789", 9), 0xcbf43926u);
    for (size_t cut = 0; cut <= 9; cut++)
        assert_int_equal(mplan_crc32(mplan_crc32(0, "123456789", cut), &"123456789"[cut], 9 - cut),
                         0xcbf43926u);
    assert_int_equal(mplan_crc32(0, NULL, 0), 0);
}

#if defined MPLAN_HAVE_HDF5
static int attribute(hid_t set, const char *name)
{
    int value = -1;
    hid_t at = H5Aopen(set, name, H5P_DEFAULT);
    assert_true(at >= 0 && H5Aread(at, H5T_NATIVE_INT, &value) >= 0);
    H5Aclose(at);
    return value;
}

/* Reads a dataset as OP2 does and compares it. */
static void expect_dataset(hid_t in, const char *name, const char *type, int64_t rows, int32_t dim,
                           int64_t size, const void *data, size_t bytes)
{
    char word[10];
    hid_t set = H5Dopen2(in, name, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    assert_true(set >= 0);
    H5Tset_size(text, sizeof word);
    hid_t at = H5Aopen(set, "type", H5P_DEFAULT);
    assert_true(at >= 0 && H5Aread(at, text, word) >= 0);
    H5Aclose(at);
    H5Tclose(text);
    assert_string_equal(word, type);
    assert_int_equal(attribute(set, "dim"), dim);
    assert_int_equal(attribute(set, "size"), size);
    void *back = calloc((size_t)(rows * dim) + 1, bytes);
    assert_true(H5Dread(set, bytes == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, H5S_ALL, H5S_ALL,
                        H5P_DEFAULT, back) >= 0);
    assert_memory_equal(back, data, (size_t)(rows * dim) * bytes);
    free(back);
    H5Dclose(set);
}

static void op2_hdf5(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD, MPLAN_SHAPE_TET, MPLAN_SHAPE_NACA0012};
    for (int k = 0; k < 3; k++) {
        mplan_error err;
        mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
        options.shape = shapes[k];
        options.size[0] = 6;
        options.size[1] = 4;
        options.size[2] = k == 1 ? 3 : 0;
        mplan_mesh *mesh = NULL;
        assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
        if (k < 2)
            assert_done(mplan_mesh_derive(mesh, "boundary_faces_cells", NULL, &err), &err);
        assert_done(mplan_mesh_write(mesh, in_folder("a.h5"), NULL, NULL, NULL, &err), &err);
        hid_t in = H5Fopen(in_folder("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(in >= 0);
        for (int32_t s = 0; s < mesh->n_sets; s++) {
            int size = -1;
            hid_t set = H5Dopen2(in, mesh->sets[s].name, H5P_DEFAULT);
            assert_true(set >= 0 &&
                        H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &size) >= 0);
            H5Dclose(set);
            assert_int_equal(size, mesh->sets[s].size);
        }
        for (int32_t m = 0; m < mesh->n_maps; m++) {
            mplan_map map = mplan_mesh_map(mesh, m);
            expect_dataset(in, map.name, "int", map.n_rows, map.arity, map.n_rows, map.values, 4);
        }
        const mplan_mesh_set_data *nodes = &mesh->sets[mplan_mesh_find_set(mesh, "nodes")];
        expect_dataset(in, "nodes_coordinates", "double", nodes->size, nodes->dimension,
                       8 * nodes->dimension, nodes->coordinates, 8);
        if (mesh->boundary_ids) {
            int64_t n = mesh->sets[mplan_mesh_find_set(mesh, "boundary_faces")].size;
            int32_t *id = calloc((size_t)n + 1, sizeof *id);
            for (int64_t i = 0; i < n; i++)
                id[i] = (int32_t)mesh->boundary_ids[i];
            expect_dataset(in, "boundary_faces_group", "int", n, 1, 4, id, 4);
            free(id);
        }
        H5Fclose(in);
        mplan_mesh_free(mesh);
    }
    /* ragged maps and -1 have no place, and without any map nothing is written */
    uint64_t seed = 8;
    for (int round = 0; round < 20; round++) {
        int warnings = 0, unfit = 0;
        mplan_error err;
        mplan_mesh *mesh = tables(&seed);
        for (int32_t m = 0; m < mesh->n_maps; m++) {
            mplan_map map = mplan_mesh_map(mesh, m);
            bool none = false;
            for (int64_t i = 0; map.arity && i < map.n_rows * map.arity; i++)
                none = none || map.values[i] < 0;
            unfit += none || !map.arity;
        }
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.warning = count;
        context.user = &warnings;
        mplan_status status = mplan_mesh_write(mesh, in_folder("b.h5"), NULL, NULL, &context, &err);
        assert_int_equal(status, unfit < mesh->n_maps ? MPLAN_OK : MPLAN_ERR_UNSUPPORTED);
        assert_int_equal(warnings, unfit);
        unlink(in_folder("b.h5"));
        mplan_mesh_free(mesh);
    }
}
#else
static void op2_hdf5(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = support_mesh(MPLAN_SHAPE_QUAD);
    assert_refused(mplan_mesh_write(mesh, in_folder("a.h5"), NULL, NULL, NULL, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "needs a build with libhdf5");
    mplan_mesh_free(mesh);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gmsh),
        cmocka_unit_test(gmsh_groups),
        cmocka_unit_test(su2),
        cmocka_unit_test(metis_graphs),
        cmocka_unit_test(metis_graph_again),
        cmocka_unit_test(metis_meshes),
        cmocka_unit_test(npz),
        cmocka_unit_test(checksums),
        cmocka_unit_test(op2_hdf5),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
