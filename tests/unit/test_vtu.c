/* SPDX-License-Identifier: Apache-2.0 */
/* test_vtu.c - VTK XML files: polyhedra against typed cells, orientation, base64 cut anywhere */
#include "support_test.h"

#include "formats/vtk/base64.h"
#include "formats/format.h"
#include "formats/polyhedra.h"
#include "mesh/mesh.h"

static mplan_status read_bytes(const char *bytes, size_t size, mplan_mesh **mesh, mplan_error *err)
{
    mplan_input input = {"a.vtu", (const uint8_t *)bytes, size, NULL};
    assert_done(mplan_mesh_create(mesh, err), err);
    mplan_status status = mplan_format_vtu.read(&input, NULL, NULL, *mesh, err);
    if (status != MPLAN_OK) {
        mplan_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* --- cells known by their faces ----------------------------------------------------- */

static const mplan_cell_type typed[] = {MPLAN_CELL_TET4, MPLAN_CELL_PYRAMID5, MPLAN_CELL_PRISM6,
                                        MPLAN_CELL_HEX8};
enum { N_TYPED = sizeof typed / sizeof *typed };

/* Faces of the shape in random order, from a random start, some of them stored in reverse. */
static int32_t shuffled_faces(uint64_t *seed, mplan_cell_type type, int32_t nodes[6][4],
                              mplan_cell_face faces[6])
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    int32_t order[6];
    for (int32_t f = 0; f < shape->n_faces; f++) {
        int32_t at = (int32_t)support_random(seed, f + 1);
        order[f] = order[at];
        order[at] = f;
    }
    for (int32_t f = 0; f < shape->n_faces; f++) {
        int32_t n = shape->face_size[order[f]], start = (int32_t)support_random(seed, n);
        bool reversed = support_random(seed, 2) == 1;
        for (int32_t k = 0; k < n; k++)
            nodes[f][reversed ? n - 1 - k : k] = 100 + 7 * shape->face[order[f]][(start + k) % n];
        faces[f] = (mplan_cell_face){nodes[f], n, reversed};
    }
    return shape->n_faces;
}

static void cells_are_known_by_their_faces(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int32_t round = 0; round < 4000; round++) {
        mplan_cell_type type = typed[round % N_TYPED], found;
        const mplan_cell_shape *shape = mplan_cell_shape_of(type);
        int32_t nodes[6][4], row[MPLAN_MOST_TYPED_NODES];
        mplan_cell_face faces[6];
        int32_t n = shuffled_faces(&seed, type, nodes, faces);
        assert_true(mplan_cell_of_faces(n, faces, &found, row));
        assert_int_equal(found, type);
        /* every face of the shape on the found nodes is one of the faces, as the cell sees it */
        for (int32_t f = 0; f < n; f++) {
            bool there = false;
            for (int32_t g = 0; g < n && !there; g++)
                for (int32_t start = 0;
                     start < faces[g].n && faces[g].n == shape->face_size[f] && !there; start++) {
                    there = true;
                    for (int32_t k = 0; k < faces[g].n; k++) {
                        int32_t at = (start + k) % faces[g].n;
                        there = there &&
                                row[shape->face[f][k]] ==
                                    faces[g].nodes[faces[g].reversed ? faces[g].n - 1 - at : at];
                    }
                }
            assert_true(there);
        }
        /* one face reversed, or one node another: no such cell */
        int32_t changed = (int32_t)support_random(&seed, n);
        faces[changed].reversed = !faces[changed].reversed;
        assert_false(mplan_cell_of_faces(n, faces, &found, row));
        faces[changed].reversed = !faces[changed].reversed;
        nodes[changed][support_random(&seed, faces[changed].n)] = 99;
        assert_false(mplan_cell_of_faces(n, faces, &found, row));
    }
}

/* --- polyhedra ---------------------------------------------------------------------- */

enum { SIDE = 4, N_POINTS = (SIDE + 1) * (SIDE + 1) * (SIDE + 1), N_CELLS = SIDE * SIDE * SIDE };

static int32_t point_of(int32_t i, int32_t j, int32_t k)
{
    return (k * (SIDE + 1) + j) * (SIDE + 1) + i;
}

static void hex_of(int32_t c, int32_t node[8])
{
    static const int8_t at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int32_t i = c % SIDE, j = c / SIDE % SIDE, k = c / SIDE / SIDE;
    for (int32_t v = 0; v < 8; v++)
        node[v] = point_of(i + at[v][0], j + at[v][1], k + at[v][2]);
}

typedef struct text {
    char *data;
    size_t at, size;
} text;

#define ADD(t, ...) \
    ((t)->at += (size_t)snprintf((t)->data + (t)->at, (t)->size - (t)->at, __VA_ARGS__))

static void add_array(text *t, const char *name, const int32_t *values, int32_t n)
{
    ADD(t, "<DataArray type=\"Int32\" Name=\"%s\">", name);
    for (int32_t i = 0; i < n; i++)
        ADD(t, " %d", values[i]);
    ADD(t, "</DataArray>\n");
}

/* A grid of hexahedra; share: those that are written as polyhedra, in percent. A polyhedron's faces run
 * either way when mixed, and the last face is written as two triangles when it is on the
 * boundary and `cut` is set, so that the cell stays a polyhedron. */
static void write_grid(text *t, uint64_t *seed, int32_t share, bool mixed, bool cut)
{
    static int32_t points[8 * N_CELLS], ends[N_CELLS], codes[N_CELLS], faces[48 * N_CELLS],
        face_ends[N_CELLS];
    const mplan_cell_shape *hex = mplan_cell_shape_of(MPLAN_CELL_HEX8);
    int32_t at = 0;
    for (int32_t c = 0; c < N_CELLS; c++) {
        int32_t *node = points + 8 * c;
        bool polyhedron = support_random(seed, 100) < share;
        hex_of(c, node);
        ends[c] = 8 * (c + 1);
        codes[c] = polyhedron ? 42 : 12;
        face_ends[c] = -1;
        if (!polyhedron)
            continue;
        bool top = cut && c / SIDE / SIDE == SIDE - 1;
        faces[at++] = top ? 7 : 6;
        for (int32_t f = 0; f < 6; f++) {
            bool reversed = mixed && support_random(seed, 2) == 1;
            int32_t start = (int32_t)support_random(seed, 4), row[4];
            for (int32_t k = 0; k < 4; k++)
                row[reversed ? 3 - k : k] = node[hex->face[f][(start + k) % 4]];
            if (top && f == 5) {
                const int32_t halves[8] = {3, row[0], row[1], row[2], 3, row[0], row[2], row[3]};
                memcpy(faces + at, halves, sizeof halves);
                at += 8;
                continue;
            }
            faces[at++] = 4;
            memcpy(faces + at, row, sizeof row);
            at += 4;
        }
        face_ends[c] = at;
    }
    ADD(t,
        "<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece NumberOfPoints='%d' NumberOfCells='%d'>\n"
        "<Points><DataArray type='Float32' NumberOfComponents='3'>",
        N_POINTS, N_CELLS);
    for (int32_t p = 0; p < N_POINTS; p++)
        ADD(t, "%d %d %d\n", p % (SIDE + 1), p / (SIDE + 1) % (SIDE + 1),
            p / (SIDE + 1) / (SIDE + 1));
    ADD(t, "</DataArray></Points><Cells>");
    add_array(t, "connectivity", points, 8 * N_CELLS);
    add_array(t, "offsets", ends, N_CELLS);
    add_array(t, "types", codes, N_CELLS);
    add_array(t, "faces", faces, at);
    add_array(t, "faceoffsets", face_ends, N_CELLS);
    ADD(t, "</Cells></Piece></UnstructuredGrid></VTKFile>\n");
    assert_true(t->at < t->size);
}

static mplan_mesh *read_grid(uint64_t *seed, int32_t share, bool mixed, bool cut)
{
    mplan_mesh *mesh;
    mplan_error err;
    text t = {malloc(1 << 18), 0, 1 << 18};
    write_grid(&t, seed, share, mixed, cut);
    assert_done(read_bytes(t.data, t.at, &mesh, &err), &err);
    assert_done(mplan_mesh_validate(mesh, NULL, &err), &err);
    free(t.data);
    return mesh;
}

static mplan_map map_of(mplan_mesh *mesh, const char *name)
{
    mplan_error err;
    assert_done(mplan_mesh_derive(mesh, name, NULL, &err), &err);
    return mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, name));
}

static void assert_same_map(mplan_mesh *a, mplan_mesh *b, const char *name)
{
    mplan_map x = map_of(a, name), y = map_of(b, name);
    assert_int_equal(x.n_rows, y.n_rows);
    assert_int_equal(x.arity, y.arity);
    assert_memory_equal(x.values, y.values, (size_t)mplan_map_entries(&x) * sizeof *x.values);
}

/* Polyhedra that are hexahedra are read as such; those that are not have the faces that hexahedra would have,
 * in the same order and running the same way. */
static void polyhedra_have_the_faces_of_cells(void **state)
{
    (void)state;
    static const char *const maps[] = {"faces_cells", "faces_nodes", "boundary_faces_cells",
                                       "boundary_faces_nodes"};
    uint64_t seed = 11;
    mplan_mesh *hexahedra = read_grid(&seed, 0, false, false);
    for (int32_t round = 0; round < 20; round++) {
        mplan_mesh *regular = read_grid(&seed, 50, false, false);
        assert_non_null(mplan_mesh_cell_types(regular));
        for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
            assert_same_map(hexahedra, regular, maps[m]);
        mplan_mesh_free(regular);
        mplan_mesh *mixed = read_grid(&seed, 5 * round + 5, true, false);
        assert_null(mplan_mesh_cell_types(mixed));
        assert_string_equal(mplan_mesh_faces_name(mixed), "faces");
        for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
            assert_same_map(hexahedra, mixed, maps[m]);
        assert_int_equal(map_of(mixed, "cells_nodes").offsets[N_CELLS], 8 * N_CELLS);
        mplan_mesh_free(mixed);
        mplan_mesh *cut = read_grid(&seed, 100, true, true);
        assert_same_map(hexahedra, cut, "faces_cells");
        assert_int_equal(map_of(cut, "boundary_faces_cells").n_rows, 6 * SIDE * SIDE + SIDE * SIDE);
        assert_int_equal(map_of(cut, "boundary_faces_nodes").arity, 0);
        mplan_mesh_free(cut);
    }
    mplan_mesh_free(hexahedra);
}

/* Two pieces with a polyhedron each: the points of the second one, in its faces too, lie behind those of the first. */
static void polyhedra_of_pieces(void **state)
{
    (void)state;
    static const char piece[] =
        "<Piece NumberOfPoints='5' NumberOfCells='1'><Points><DataArray type='Float64' NumberOfComponents='3' "
        "format='ascii'>%d 0 0 %d 0 0 %d 1 0 %d 1 0 %d 0 1</DataArray></Points><Cells>"
        "<DataArray type='Int64' Name='connectivity' format='ascii'>0 1 2 3 4</DataArray>"
        "<DataArray type='Int64' Name='offsets' format='ascii'>5</DataArray>"
        "<DataArray type='UInt8' Name='types' format='ascii'>42</DataArray>"
        "<DataArray type='Int64' Name='faces' format='ascii'>5 4 0 1 2 3 3 0 1 4 3 1 2 4 3 2 3 4 3 3 0 4</DataArray>"
        "<DataArray type='Int64' Name='faceoffsets' format='ascii'>22</DataArray></Cells></Piece>";
    static char bytes[4096];
    mplan_error err;
    mplan_mesh *mesh = NULL;
    int used = snprintf(bytes, sizeof bytes,
                        "<VTKFile type='UnstructuredGrid' version='1.0'><UnstructuredGrid>");
    for (int i = 0; i < 2; i++) {
        const int x = 4 * i;
        used += snprintf(bytes + used, sizeof bytes - (size_t)used, piece, x, x + 1, x + 1, x, x);
    }
    used += snprintf(bytes + used, sizeof bytes - (size_t)used, "</UnstructuredGrid></VTKFile>");
    assert_done(read_bytes(bytes, (size_t)used, &mesh, &err), &err);
    assert_done(mplan_mesh_derive(mesh, "faces_nodes", NULL, &err), &err);
    mplan_map nodes = map_of(mesh, "cells_nodes"), cells = map_of(mesh, "boundary_faces_cells");
    assert_int_equal(nodes.n_rows, 2);
    assert_int_equal(cells.n_rows, 10);
    for (int64_t c = 0; c < 2; c++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&nodes, c, &n);
        assert_int_equal(n, 5);
        for (int32_t k = 0; k < n; k++)
            assert_true(row[k] >= 5 * c && row[k] < 5 * c + 5);
    }
    mplan_mesh_free(mesh);
}

/* Of the arrays of a section only two matter: others may have the name of any array of a grid's cells. */
static void sections_have_other_arrays(void **state)
{
    (void)state;
    static const char bytes[] =
        "<VTKFile type='PolyData' version='1.0'><PolyData>"
        "<Piece NumberOfPoints='3' NumberOfPolys='1'><Points><DataArray type='Float64' NumberOfComponents='3' "
        "format='ascii'>0 0 0 1 0 0 0 1 0</DataArray></Points>"
        "<Lines><DataArray type='Int64' Name='connectivity' format='ascii'></DataArray>"
        "<DataArray type='Int64' Name='offsets' format='ascii'></DataArray></Lines>"
        "<Polys><DataArray type='Int64' Name='connectivity' format='ascii'>0 1 2</DataArray>"
        "<DataArray type='Int64' Name='polyhedron_offsets' format='ascii'>7</DataArray>"
        "<DataArray type='Int64' Name='offsets' format='ascii'>3</DataArray></Polys>"
        "</Piece></PolyData></VTKFile>";
    mplan_error err;
    mplan_mesh *mesh = NULL;
    assert_done(read_bytes(bytes, sizeof bytes - 1, &mesh, &err), &err);
    assert_int_equal(map_of(mesh, "cells_nodes").n_rows, 1);
    mplan_mesh_free(mesh);
}

/* --- base64 ------------------------------------------------------------------------- */

/* The digits of n bytes, with padding; blanks among them at random. */
static size_t encode(uint64_t *seed, const uint8_t *bytes, size_t n, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t made = 0;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) |
                        (i + 2 < n ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; k++) {
            to[made++] = i + k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=';
            if (support_random(seed, 40) == 0)
                to[made++] = " \n\t\r"[support_random(seed, 4)];
        }
    }
    return made;
}

/* Two runs, one behind the other, taken in pieces of random size. */
static void base64_comes_back(void **state)
{
    (void)state;
    uint64_t seed = 77;
    for (int round = 0; round < 3000; round++) {
        uint8_t bytes[200], back[220];
        char digits[600];
        size_t n[2], total = 0, at = 0, got = 1;
        for (int r = 0; r < 2; r++) {
            n[r] = (size_t)support_random(&seed, 100);
            for (size_t i = 0; i < n[r]; i++)
                bytes[total + i] = (uint8_t)support_random(&seed, 256);
            at += encode(&seed, bytes + total, n[r], digits + at);
            total += n[r];
        }
        const char *from = digits, *end = digits + at;
        for (size_t made = 0; got > 0; made += got) {
            assert_true(mplan_base64_decode(&from, end, back + made,
                                            3 + (size_t)support_random(&seed, 9), &got));
            assert_true(got > 0 ? made + got <= total : made == total);
        }
        assert_memory_equal(bytes, back, total);
        if (at == 0)
            continue;
        size_t wrong = (size_t)support_random(&seed, (int64_t)at); /* no digit: found where it is */
        digits[wrong] = '*';
        bool good = true;
        for (from = digits, got = 1; good && got > 0;)
            good = mplan_base64_decode(&from, end, back, 30, &got);
        assert_false(good);
        assert_true(from <= digits + wrong);
    }
}

/* --- cut files ------------------------------------------------------------------------ */

static void cut_files_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "good-text.vtu",        "good-inline.vtu", "good-raw-big.vtu",  "good-raw-zlib.vtu",
        "good-base64-lzma.vtu", "good-faces.vtu",  "good-polyhedra.vtu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        static char data[1 << 16];
        snprintf(path, sizeof path, "%s/vtu/%s", MPLAN_TEST_DATA, names[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        for (size_t end = 0; end < size; end++) {
            mplan_mesh *mesh;
            mplan_error err;
            char *copy = malloc(end + 1); /* of that size, so that nothing behind it is read unseen */
            memcpy(copy, data, end);
            mplan_status status = read_bytes(copy, end, &mesh, &err);
            free(copy);
            if (status == MPLAN_OK) { /* raw data are whole before their element ends */
                assert_true(end + sizeof "\n</AppendedData>\n</VTKFile>\n" >= size);
                mplan_mesh_free(mesh);
            }
        }
    }
}

int main(void)
{
    if (mplan_format_vtu.missing)
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_known_by_their_faces),
        cmocka_unit_test(polyhedra_have_the_faces_of_cells),
        cmocka_unit_test(polyhedra_of_pieces),
        cmocka_unit_test(sections_have_other_arrays),
        cmocka_unit_test(base64_comes_back),
        cmocka_unit_test(cut_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
