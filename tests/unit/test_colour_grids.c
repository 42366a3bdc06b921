/* SPDX-License-Identifier: Apache-2.0 */
/* test_colour_grids.c - colours of grids and graphs whose optimum is known */
#include "colour_cases.h"
#include "support_threads.h"

#include "colour/conflict.h"
#include "colour/edge_colour.h"

/* --- grids -------------------------------------------------------------------------- */

static int32_t *random_order(uint64_t *seed, int32_t n)
{
    int32_t *order = malloc(((size_t)n + 1) * sizeof *order);
    for (int32_t i = 0; i < n; i++) {
        int32_t k = (int32_t)support_random(seed, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    return order;
}

/* Quads or hexes of a box, shuffled; corners round about or by direction, each
 * element turned or mirrored by itself. */
static mplan_map shuffled_grid(uint64_t *seed, const int32_t *size, int32_t dimension,
                               bool round_about)
{
    int32_t n = 1, n_points = 1, corners = 1 << dimension;
    for (int32_t d = 0; d < dimension; d++) {
        n *= size[d];
        n_points *= size[d] + 1;
    }
    int32_t *element = random_order(seed, n), *point = random_order(seed, n_points);
    int32_t *values = malloc((size_t)(n * corners) * sizeof *values);
    for (int32_t e = 0; e < n; e++) {
        int32_t at[3] = {e % size[0], e / size[0] % size[1], e / size[0] / size[1]};
        int32_t *axes = random_order(seed, dimension);
        int32_t mirror = (int32_t)support_random(seed, corners);
        for (int32_t k = 0; k < corners; k++) {
            int32_t bits = (round_about ? k ^ (k >> 1 & 1) : k) ^ mirror, number = 0;
            for (int32_t d = dimension - 1; d >= 0; d--)
                number = number * (size[d] + 1) + at[d] + (bits >> axes[d] & 1);
            values[element[e] * corners + k] = point[number];
        }
        free(axes);
    }
    free(element);
    free(point);
    return (mplan_map){"grid", 0, 1, corners, n, n_points, NULL, values};
}

static int32_t colours_of(const mplan_map *map)
{
    mplan_error err;
    int32_t n_colours, *colour = malloc((size_t)map->n_rows * sizeof *colour);
    problem p = {.n_elements = map->n_rows, .n_maps = 1, .maps = {*map}};
    assert_done(mplan_colour_elements(map, 1, NULL, map->n_rows, colour, &n_colours, NULL, &err),
                &err);
    check_colouring(&p, elements_meet, map->n_rows, NULL, colour, n_colours);
    free(colour);
    return n_colours;
}

static void grids_get_their_optimum_in_any_order(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 20; i++) {
        int32_t size[3] = {2 + (int32_t)support_random(&seed, 9),
                           2 + (int32_t)support_random(&seed, 9),
                           2 + (int32_t)support_random(&seed, 5)};
        for (int32_t dimension = 2; dimension <= 3; dimension++) {
            mplan_map map = shuffled_grid(&seed, size, dimension, i % 2);
            assert_int_equal(colours_of(&map), 1 << dimension);
            free((void *)(uintptr_t)map.values);
        }
    }
}

/* Triangles or tets of a box whose cells are cut along their diagonals, shuffled, the
 * corners of each in any order: one for every order in which axes can be gone along. */
static mplan_map shuffled_lattice(uint64_t *seed, const int32_t *size, int32_t dimension)
{
    static const uint8_t axes[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                       {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
    int32_t pieces = dimension == 2 ? 2 : 6, corners = dimension + 1, n = pieces, n_points = 1;
    for (int32_t d = 0; d < dimension; d++) {
        n *= size[d];
        n_points *= size[d] + 1;
    }
    int32_t *element = random_order(seed, n), *point = random_order(seed, n_points);
    int32_t *values = malloc((size_t)(n * corners) * sizeof *values);
    for (int32_t e = 0; e < n; e++) {
        int32_t cell = e / pieces, *place = random_order(seed, corners);
        int32_t at[3] = {cell % size[0], cell / size[0] % size[1], cell / size[0] / size[1]};
        for (int32_t k = 0; k < corners; k++) {
            int32_t number = 0;
            for (int32_t d = dimension - 1; d >= 0; d--)
                number = number * (size[d] + 1) + at[d];
            values[element[e] * corners + place[k]] = point[number];
            if (k < dimension)
                at[axes[e % pieces][k]]++;
        }
        free(place);
    }
    free(element);
    free(point);
    return (mplan_map){"lattice", 0, 1, corners, n, n_points, NULL, values};
}

static void lattices_get_their_optimum_in_any_order(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 10; i++) {
        int32_t size[3] = {2 + (int32_t)support_random(&seed, 7),
                           2 + (int32_t)support_random(&seed, 7),
                           2 + (int32_t)support_random(&seed, 3)};
        for (int32_t dimension = 2; dimension <= 3; dimension++) {
            mplan_map map = shuffled_lattice(&seed, size, dimension);
            int64_t offsets[2] = {0, map.n_rows};
            uint16_t *colour = malloc((size_t)map.n_rows * sizeof *colour), count;
            mplan_error err;
            assert_int_equal(colours_of(&map), dimension == 2 ? 6 : 24);
            assert_done(mplan_colour_threads(&map, 1, 1, offsets, NULL, colour, &count, NULL, &err),
                        &err);
            assert_int_equal(count, dimension == 2 ? 6 : 24);
            free(colour);
            free((void *)(uintptr_t)map.values);
        }
    }
}

/* The same meshes by the methods that know nothing of lattices: every point is as full
 * as any, which leaves them the least room. */
static void chains_of_ejections_come_near_the_bound(void **state)
{
    (void)state;
    uint64_t seed = 8;
    mplan_error err;
    for (int32_t dimension = 2; dimension <= 3; dimension++) {
        int32_t size[3] = {dimension == 2 ? 30 : 7, dimension == 2 ? 40 : 6, 8}, n_colours;
        mplan_map map = shuffled_lattice(&seed, size, dimension);
        int32_t *colour = malloc((size_t)map.n_rows * sizeof *colour);
        problem p = {.n_elements = map.n_rows, .n_maps = 1, .maps = {map}};
        mplan_items items = {.maps = &map, .n_maps = 1, .n = map.n_rows};
        mplan_touches touches;
        assert_done(mplan_touches_create(&items, &touches, NULL, &err), &err);
        mplan_conflicts conflicts = {&items, &touches, NULL,
                                     malloc((size_t)touches.reach * sizeof(int32_t))};
        int32_t most = (int32_t)touches.most;
        assert_done(mplan_colour_dsatur(&conflicts, colour, &n_colours, &err), &err);
        assert_done(mplan_colour_eject(&conflicts, most, 20000, colour, &n_colours, NULL, &err),
                    &err);
        assert_in_range(n_colours, most, most * 11 / 10 + 1);
        check_colouring(&p, elements_meet, map.n_rows, NULL, colour, n_colours);
        free(colour);
        free(conflicts.scratch);
        mplan_touches_free(&touches);
        free((void *)(uintptr_t)map.values);
    }
}

/* Six triangles at a point or none, but no lattice: the torus of seven points, on which
 * the walk comes back to itself wrongly, and stars that meet in points of their rims. */
static void what_is_no_lattice_is_coloured_all_the_same(void **state)
{
    (void)state;
    enum { STARS = 4 };
    int32_t torus[14][3], stars[6 * STARS][3];
    for (int32_t e = 0; e < 7; e++) {
        int32_t rows[2][3] = {{e, (e + 1) % 7, (e + 3) % 7}, {e, (e + 2) % 7, (e + 3) % 7}};
        memcpy(torus[2 * e], rows, sizeof rows);
    }
    mplan_map map = {"torus", 0, 1, 3, 14, 7, NULL, torus[0]};
    assert_in_range(colours_of(&map), 6, 14);
    for (int32_t star = 0; star < STARS; star++) /* they share their first point of the rim */
        for (int32_t k = 0; k < 6; k++) {
            int32_t next = (k + 1) % 6, first = 6 * star;
            int32_t row[3] = {first + 1, k ? first + 1 + k : 0, next ? first + 1 + next : 0};
            memcpy(stars[6 * star + k], row, sizeof row);
        }
    map = (mplan_map){"stars", 0, 1, 3, 6 * STARS, 6 * STARS + 1, NULL, stars[0]};
    assert_in_range(colours_of(&map), 8, 9); /* of two each at the point in common */
    map.n_rows = 12;
    assert_in_range(colours_of(&map), 6, 7);
}

/* Pairs of neighbours of a box of cells, or (triangles) of a strip cut in
 * triangles, which is the honeycomb; shuffled. */
static mplan_map shuffled_faces(uint64_t *seed, const int32_t *size, bool triangles)
{
    int32_t n = 0, n_points = size[0] * size[1] * size[2] * (triangles ? 2 : 1);
    int32_t *point = random_order(seed, n_points);
    int32_t *pairs = malloc((size_t)(6 * n_points) * sizeof *pairs);
    int32_t step[3] = {1, size[0], size[0] * size[1]};
    for (int32_t c = 0; c < size[0] * size[1] * size[2]; c++) {
        int32_t at[3] = {c % size[0], c / size[0] % size[1], c / size[0] / size[1]};
        for (int32_t d = 0; d < 3; d++) {
            if (at[d] + 1 == size[d])
                continue;
            pairs[2 * n] = point[triangles ? 2 * c + 1 : c];
            pairs[2 * n++ + 1] = point[triangles ? 2 * (c + step[d]) : c + step[d]];
        }
        if (triangles) {
            pairs[2 * n] = point[2 * c];
            pairs[2 * n++ + 1] = point[2 * c + 1];
        }
    }
    int32_t *order = random_order(seed, n);
    int32_t *values = malloc((size_t)(2 * n) * sizeof *values);
    for (int32_t e = 0; e < n; e++)
        memcpy(values + 2 * order[e], pairs + 2 * e, 2 * sizeof *values);
    free(order);
    free(pairs);
    free(point);
    return (mplan_map){"faces", 0, 1, 2, n, n_points, NULL, values};
}

static void faces_of_grids_get_their_optimum(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const int32_t flat[3] = {11, 9, 1}, solid[3] = {6, 5, 7};
    for (int i = 0; i < 10; i++) {
        mplan_map quads = shuffled_faces(&seed, flat, false);
        mplan_map triangles = shuffled_faces(&seed, flat, true);
        mplan_map hexes = shuffled_faces(&seed, solid, false);
        assert_int_equal(colours_of(&quads), 4);
        assert_int_equal(colours_of(&triangles), 3);
        assert_int_equal(colours_of(&hexes), 6);
        free((void *)(uintptr_t)quads.values);
        free((void *)(uintptr_t)triangles.values);
        free((void *)(uintptr_t)hexes.values);
    }
}

static int32_t colours_of_edges(int64_t n, int32_t n_points, const int32_t *values)
{
    mplan_map map = {"edges", 0, 1, 2, n, n_points, NULL, values};
    return colours_of(&map);
}

/* Graphs that are not bipartite: as many colours as the degree, but where it is known
 * that one more is needed. */
static void odd_graphs_get_their_optimum(void **state)
{
    (void)state;
    uint64_t seed = 9;
    static const int32_t petersen[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0, 5, 1, 6, 2,
                                       7, 3, 8, 4, 9, 5, 7, 7, 9, 9, 6, 6, 8, 8, 5};
    assert_int_equal(colours_of_edges(15, 10, petersen), 4);
    for (int32_t n = 3; n <= 12; n++) { /* complete graphs */
        int32_t values[2 * 66], count = 0;
        for (int32_t a = 1; a < n; a++)
            for (int32_t b = 0; b < a; b++) {
                values[count++] = a;
                values[count++] = b;
            }
        int32_t n_colours = colours_of_edges(count / 2, n, values);
        assert_in_range(n_colours, n % 2 ? n : n - 1, n > 6 ? n : n - 1 + n % 2);
    }
    for (int i = 0; i < 20; i++) { /* three random matchings and a ring of odd length */
        enum { N = 300 };
        int32_t values[2 * (3 * N / 2 + 3)], count = 0;
        for (int k = 0; k < 3; k++) {
            int32_t *order = random_order(&seed, N);
            for (int32_t at = 0; at < N; at += 2) {
                bool there = false;
                for (int32_t e = 0; e < count; e += 2)
                    there = there || values[e] + values[e + 1] == order[at] + order[at + 1];
                if (there) /* perhaps a double edge */
                    continue;
                values[count++] = order[at];
                values[count++] = order[at + 1];
            }
            free(order);
        }
        const int32_t ring[6] = {N, N + 1, N + 1, N + 2, N + 2, N};
        memcpy(values + count, ring, sizeof ring);
        assert_int_equal(colours_of_edges(count / 2 + 3, N + 3, values), 3);
    }
}

/* A ring of n edges, coloured 0, 1, 2, 3, 0, ...: comes down to what it needs, and what
 * cannot be is undone. */
static void classes_are_ejected(void **state)
{
    (void)state;
    mplan_error err;
    for (int32_t n = 4; n < 90; n++) {
        int32_t values[2 * 90], colour[90], n_colours = 4;
        for (int32_t e = 0; e < n; e++) {
            values[2 * e] = e;
            values[2 * e + 1] = (e + 1) % n;
            colour[e] = e % 4 == 0 && e + 1 == n ? 1 : e % 4;
        }
        mplan_map map = {"ring", 0, 1, 2, n, n, NULL, values};
        problem p = {.n_elements = n, .n_maps = 1, .maps = {map}};
        mplan_items items = {.maps = &map, .n_maps = 1, .n = n};
        mplan_touches touches;
        assert_done(mplan_touches_create(&items, &touches, NULL, &err), &err);
        mplan_conflicts conflicts = {&items, &touches, NULL,
                                     malloc((size_t)touches.reach * sizeof(int32_t))};
        assert_done(mplan_colour_eject(&conflicts, 2, 2000, colour, &n_colours, NULL, &err), &err);
        assert_int_equal(n_colours, 2 + n % 2);
        check_colouring(&p, elements_meet, n, NULL, colour, n_colours);
        free(conflicts.scratch);
        mplan_touches_free(&touches);
    }
}

/* A ring of n blocks, each of which meets the next `reach` ones, and comes with a colour. Returns how many colours ejection leaves. */
static int32_t ejected_of_ring(int32_t n, int32_t reach, int32_t n_colours, int32_t *colour,
                               mplan_team *team)
{
    mplan_error err;
    int32_t *values = malloc((size_t)n * (size_t)(reach + 1) * sizeof *values);
    int64_t *offsets = malloc(((size_t)n + 1) * sizeof *offsets);
    for (int32_t b = 0; b < n; b++) {
        offsets[b] = b;
        for (int32_t k = 0; k <= reach; k++)
            values[b * (reach + 1) + k] = (b + k) % n;
    }
    offsets[n] = n;
    mplan_map map = {"ring", 0, 1, reach + 1, n, n, NULL, values};
    mplan_items items = {.maps = &map, .n_maps = 1, .n = n, .offsets = offsets};
    mplan_touches touches;
    mplan_csr graph;
    assert_done(mplan_touches_create(&items, &touches, NULL, &err), &err);
    assert_done(mplan_conflict_graph(&items, &touches, &graph, NULL, &err), &err);
    mplan_conflicts conflicts = {&items, &touches, &graph, NULL};
    assert_done(mplan_colour_eject(&conflicts, 1, 20 * (int64_t)n, colour, &n_colours, team, &err),
                &err);
    for (int32_t b = 0; b < n; b++)
        for (int32_t k = 1; k <= reach; k++)
            assert_int_not_equal(colour[b], colour[(b + k) % n]);
    mplan_csr_free(&graph);
    mplan_touches_free(&touches);
    free(values);
    free(offsets);
    return n_colours;
}

/* Many blocks: samples of them are tried first. They stop neither what can be done (an even ring has two colours where it had
 * three) nor what only the whole cannot (an odd one keeps three); where any of them cannot, nothing is changed. At any number
 * of threads the colours are the same. */
static void samples_stop_what_they_cannot_do_themselves(void **state)
{
    (void)state;
    enum { N = 6000 };
    int32_t colour[2][N + 1];
    mplan_team team;
    support_team_open(&team, 3);
    for (int32_t n = N; n <= N + 1; n++) {
        for (int32_t t = 0; t < 2; t++) {
            for (int32_t b = 0; b < n; b++)
                colour[t][b] = b == 0 ? 2 : b % 2;
            assert_int_equal(ejected_of_ring(n, 1, 3, colour[t], t == 0 ? NULL : &team), 2 + n % 2);
        }
        assert_memory_equal(colour[0], colour[1], (size_t)n * sizeof **colour);
    }
    for (int32_t t = 0; t < 2;
         t++) { /* each meets two on both sides: three colours, where they go round */
        for (int32_t b = 0; b < N; b++)
            colour[t][b] = b % 3;
        assert_int_equal(ejected_of_ring(N, 2, 3, colour[t], t == 0 ? NULL : &team), 3);
        for (int32_t b = 0; b < N; b++)
            assert_int_equal(colour[t][b], b % 3);
    }
    mplan_team_close(&team);
}

/* Five quads round a node: no grid, and five colours are needed. */
static void what_is_no_grid_is_coloured_all_the_same(void **state)
{
    (void)state;
    int32_t values[5][4];
    for (int32_t e = 0; e < 5; e++) {
        int32_t row[4] = {0, 1 + 2 * e, 2 + 2 * e, 1 + (2 * e + 2) % 10};
        memcpy(values[e], row, sizeof row);
    }
    mplan_map map = {"star", 0, 1, 4, 5, 11, NULL, values[0]};
    assert_int_equal(colours_of(&map), 5);
    map.n_rows = 4; /* a row that repeats a point, and one with none */
    values[1][2] = values[1][1];
    values[2][2] = -1;
    assert_int_equal(colours_of(&map), 4);
}

/* Blocks of a grid of quads, 3 x 3 each: as a grid of their own they need four
 * colours, and every class has about as many. */
static void classes_of_blocks_are_balanced(void **state)
{
    (void)state;
    enum { SIDE = 30, N = SIDE * SIDE, N_BLOCKS = N / 9 };
    uint64_t seed = 6;
    int64_t offsets[N_BLOCKS + 1];
    int32_t sequence[N], filled[N_BLOCKS] = {0}, values[N][4], colour[N_BLOCKS], n_colours;
    int32_t *number = random_order(&seed, N_BLOCKS), size[8] = {0};
    for (int32_t e = 0; e < N; e++) {
        int32_t i = e % SIDE, j = e / SIDE, corner = i + j * (SIDE + 1);
        int32_t row[4] = {corner, corner + 1, corner + SIDE + 2, corner + SIDE + 1};
        int32_t b = number[i / 3 + j / 3 * (SIDE / 3)];
        memcpy(values[e], row, sizeof row);
        sequence[9 * b + filled[b]++] = e;
    }
    for (int32_t b = 0; b <= N_BLOCKS; b++)
        offsets[b] = 9 * b;
    mplan_error err;
    mplan_map map = {"quads", 0, 1, 4, N, (SIDE + 1) * (SIDE + 1), NULL, values[0]};
    assert_done(mplan_colour_blocks(&map, 1, N_BLOCKS, offsets, sequence, colour, &n_colours, NULL,
                                    &err),
                &err);
    assert_in_range(n_colours, 4, 5);
    for (int32_t b = 0; b < N_BLOCKS; b++)
        size[colour[b]]++;
    for (int32_t c = 0; c < n_colours; c++)
        assert_in_range(size[c], N_BLOCKS / n_colours - 5, N_BLOCKS / n_colours + 5);
    free(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_get_their_optimum_in_any_order),
        cmocka_unit_test(lattices_get_their_optimum_in_any_order),
        cmocka_unit_test(chains_of_ejections_come_near_the_bound),
        cmocka_unit_test(what_is_no_lattice_is_coloured_all_the_same),
        cmocka_unit_test(faces_of_grids_get_their_optimum),
        cmocka_unit_test(classes_are_ejected),
        cmocka_unit_test(samples_stop_what_they_cannot_do_themselves),
        cmocka_unit_test(odd_graphs_get_their_optimum),
        cmocka_unit_test(what_is_no_grid_is_coloured_all_the_same),
        cmocka_unit_test(classes_of_blocks_are_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
