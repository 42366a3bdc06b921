/* SPDX-License-Identifier: Apache-2.0 */
/* test_threads_foam_cells.c - cells of OpenFOAM's meshes are the same by any number of threads, and those of a naive reading */
#include "support_test.h"

#include "formats/foam/foam_parts.h"
#include "mesh/mesh.h"
#include "support_threads.h"

enum { SIDE = 18, N_BOXES = SIDE * SIDE * SIDE, N_POINTS = (SIDE + 1) * (SIDE + 1) * (SIDE + 1) };
enum { MOST_FACES = 6 * N_BOXES, N_THREADS = 3 };

/* Boxes as they are; every 7th one with its neighbour; or half of them as one cell, with more faces than are sorted by insertion and
 * more corners than each thread has room for. */
typedef enum joining { BOXES, PAIRS, HALF, N_JOININGS } joining;

static int point_at(int x, int y, int z)
{
    return (z * (SIDE + 1) + y) * (SIDE + 1) + x;
}

static int box_at(int x, int y, int z)
{
    return x < 0 || y < 0 || z < 0 || x == SIDE || y == SIDE || z == SIDE
               ? -1
               : (z * SIDE + y) * SIDE + x;
}

/* cell: of each box; returns how many there are. */
static int join_boxes(joining how, int32_t cell[N_BOXES])
{
    int n = 0;
    for (int b = 0; b < N_BOXES; b++) {
        const bool with_last = how == PAIRS ? b % 7 == 1 && b % SIDE
                                            : how == HALF && b && b < N_BOXES / 2;
        n += !with_last;
        cell[b] = n - 1;
    }
    return n;
}

/* The corners of side k of a box; the normal leaves it. */
static void side_of(int x, int y, int z, int k, int32_t corner[4])
{
    static const int at[6][4][3] = {
        {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}, {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}},
        {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}, {{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}},
        {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    for (int c = 0; c < 4; c++)
        corner[c] = point_at(x + at[k][c][0], y + at[k][c][1], z + at[k][c][2]);
}

typedef struct side {
    int32_t owner, neighbour, corner[4];
} side;

/* Sides of cells, those inside in front of those on the boundary; of two cells the box that is seen first owns it. */
static int list_sides(const int32_t cell[N_BOXES], side *sides, int *n_inner)
{
    static const int step[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                   {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    int n = 0;
    for (int inside = 1; inside >= 0; inside--) {
        for (int b = 0; b < N_BOXES; b++) {
            const int x = b % SIDE, y = b / SIDE % SIDE, z = b / SIDE / SIDE;
            for (int k = 0; k < 6; k++) {
                const int beyond = box_at(x + step[k][0], y + step[k][1], z + step[k][2]);
                if ((beyond >= 0) != inside || (inside && (beyond < b || cell[beyond] == cell[b])))
                    continue;
                sides[n] = (side){cell[b], inside ? cell[beyond] : -1, {0}};
                side_of(x, y, z, k, sides[n++].corner);
            }
        }
        *n_inner = inside ? n : *n_inner;
    }
    return n;
}

/* Numbers of faces are mixed, so that those of a cell are far apart; some begin at another corner. */
static void make_foam(joining how, uint64_t *seed, mplan_foam_mesh *foam)
{
    static int32_t cell[N_BOXES];
    static side sides[MOST_FACES];
    int n_inner = 0;
    const int n_cells = join_boxes(how, cell), n = list_sides(cell, sides, &n_inner);
    for (int f = n_inner - 1; f > 0; f--) {
        const int other = (int)mplan_random_below(seed, f + 1);
        const side swap = sides[f];
        sides[f] = sides[other];
        sides[other] = swap;
    }
    *foam = (mplan_foam_mesh){
        .n_points = N_POINTS, .n_faces = n, .n_inner = n_inner, .n_cells = n_cells};
    foam->offsets = malloc((size_t)(n + 1) * sizeof *foam->offsets);
    foam->nodes = malloc((size_t)n * 4 * sizeof *foam->nodes);
    foam->owner = malloc((size_t)n * sizeof *foam->owner);
    foam->neighbour = malloc((size_t)n_inner * sizeof *foam->neighbour);
    for (int f = 0; f < n; f++) {
        const int first = (int)mplan_random_below(seed, 4);
        foam->offsets[f] = 4 * (int64_t)f;
        foam->owner[f] = sides[f].owner;
        if (f < n_inner)
            foam->neighbour[f] = sides[f].neighbour;
        for (int c = 0; c < 4; c++)
            foam->nodes[4 * f + c] = sides[f].corner[(first + c) % 4];
    }
    foam->offsets[n] = 4 * (int64_t)n;
}

static void free_foam(mplan_foam_mesh *foam)
{
    free(foam->offsets);
    free(foam->nodes);
    free(foam->owner);
    free(foam->neighbour);
}

static mplan_mesh *cells_by(const mplan_foam_mesh *foam, int threads)
{
    mplan_threaded team;
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    assert_done(mplan_foam_add_cells(foam, "mesh", mesh, context, &err), &err);
    mplan_threaded_close(&team);
    return mesh;
}

/* Face by face, each node where its cell does not have it yet. Rows have room for all corners. */
static void naive_rows(const mplan_foam_mesh *foam, int64_t *begin, int32_t *rows, int32_t *n)
{
    memset(begin, 0, (size_t)(foam->n_cells + 1) * sizeof *begin);
    memset(n, 0, (size_t)foam->n_cells * sizeof *n);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t f = 0; f < foam->n_faces; f++)
            for (int of = 0; of < (f < foam->n_inner ? 2 : 1); of++) {
                const int32_t c = of ? foam->neighbour[f] : foam->owner[f];
                if (pass == 0)
                    begin[c + 1] += 4;
                for (int k = 0; k < 4 && pass; k++) {
                    int32_t at = 0;
                    while (at < n[c] && rows[begin[c] + at] != foam->nodes[4 * f + k])
                        at++;
                    rows[begin[c] + at] = foam->nodes[4 * f + k];
                    n[c] += at == n[c];
                }
            }
        for (int64_t c = 0; c < foam->n_cells && pass == 0; c++)
            begin[c + 1] += begin[c];
    }
}

/* Rows are the naive ones; of hexes in any order, since the type has one of its own. */
static void compare(const mplan_mesh *mesh, const mplan_foam_mesh *foam, bool hexes)
{
    int64_t *begin = malloc((size_t)(foam->n_cells + 1) * sizeof *begin);
    int32_t *rows = malloc((size_t)(8 * foam->n_faces) * sizeof *rows);
    int32_t *n = malloc((size_t)foam->n_cells * sizeof *n), length;
    naive_rows(foam, begin, rows, n);
    const mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    assert_int_equal(map.n_rows, foam->n_cells);
    for (int64_t c = 0; c < foam->n_cells; c++) {
        const int32_t *row = mplan_map_row(&map, c, &length);
        assert_int_equal(length, n[c]);
        if (!hexes)
            assert_memory_equal(row, rows + begin[c], (size_t)length * sizeof *row);
        for (int32_t i = 0; i < length && hexes; i++) {
            int32_t at = 0;
            while (at < length && row[at] != rows[begin[c] + i])
                at++;
            assert_in_range(at, 0, length - 1);
        }
        if (hexes)
            assert_int_equal(mesh->cell_type[c], MPLAN_CELL_HEX8);
    }
    free(begin);
    free(rows);
    free(n);
}

static void cells_do_not_depend_on_threads(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int how = 0; how < N_JOININGS; how++) {
        mplan_foam_mesh foam;
        make_foam((joining)how, &seed, &foam);
        for (int threads = 1; threads <= N_THREADS; threads += N_THREADS - 1) {
            mplan_mesh *mesh = cells_by(&foam, threads), *one = cells_by(&foam, 1);
            compare(mesh, &foam, how == BOXES);
            const mplan_map a = mplan_mesh_map(mesh, 0), b = mplan_mesh_map(one, 0);
            assert_int_equal(mplan_map_entries(&a), mplan_map_entries(&b));
            assert_memory_equal(a.values, b.values, (size_t)mplan_map_entries(&a) * sizeof *a.values);
            mplan_mesh_free(mesh);
            mplan_mesh_free(one);
        }
        free_foam(&foam);
    }
}

/* A hex of which one face runs the other way is not a hex, wherever it is: all cells are rows then. */
static void one_odd_cell_is_found(void **state)
{
    (void)state;
    uint64_t seed = 6;
    mplan_foam_mesh foam;
    make_foam(BOXES, &seed, &foam);
    for (int run = 0; run < 6; run++) {
        const int64_t f = foam.n_inner + mplan_random_below(&seed, foam.n_faces - foam.n_inner);
        int32_t *node = foam.nodes + 4 * f, swap = node[1];
        node[1] = node[3];
        node[3] = swap;
        mplan_mesh *mesh = cells_by(&foam, N_THREADS);
        assert_int_equal(mplan_mesh_map(mesh, 0).arity, 0);
        compare(mesh, &foam, false);
        mplan_mesh_free(mesh);
        swap = node[1];
        node[1] = node[3];
        node[3] = swap;
    }
    free_foam(&foam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_do_not_depend_on_threads),
        cmocka_unit_test(one_odd_cell_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
