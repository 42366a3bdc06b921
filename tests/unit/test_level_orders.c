/* SPDX-License-Identifier: Apache-2.0 */
/* test_level_orders.c - components, level structures and the numbering of levels against slow
 * ones that follow the papers literally */
#include "graph_cases.h"

#include "order/layering.h"
#include "order/level_numbering.h"
#include "order/levels.h"

/* --- components ---------------------------------------------------------------------- */

static void components_are_those_of_the_subgraph(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mplan_error err;
    for (int round = 0; round < 300; round++) {
        int64_t n = 1 + support_random(&seed, 40), n_chosen = support_random(&seed, n + 1);
        mplan_csr graph = random_graph(&seed, n, support_random(&seed, n));
        int32_t *chosen = support_permutation(&seed, n);
        bool all = round % 3 == 0;
        mplan_components parts;
        assert_done(mplan_components_make(&graph, all ? NULL : chosen, n_chosen, &parts, NULL, &err),
                    &err);
        if (all)
            n_chosen = n;
        int64_t *part = malloc(((size_t)n + 1) * sizeof *part), members = 0;
        for (int64_t v = 0; v < n; v++)
            part[v] = -1;
        for (int64_t c = 0; c < parts.n; c++) {
            mplan_csr one = mplan_component(&parts, c);
            const int32_t *member = parts.member + parts.first[c];
            assert_true(one.n > 0 && one.n <= parts.largest);
            for (int64_t i = 0; i < one.n; i++, members++) {
                assert_int_equal(part[member[i]], -1);
                part[member[i]] = c;
                assert_true(i == 0 || mplan_degree(&one, (int32_t)i) > 0);
                for (int64_t k = 0; k < one.n; k++)
                    assert_int_equal(support_joined(&one, i, k),
                                     support_joined(&graph, member[i], member[k]));
            }
        }
        assert_int_equal(members, n_chosen);
        for (int64_t i = 0; i < n_chosen; i++)
            for (int64_t k = 0; k < n_chosen; k++) {
                int32_t v = all ? (int32_t)i : chosen[i], w = all ? (int32_t)k : chosen[k];
                assert_true(part[v] >= 0 && (part[v] == part[w] || !support_joined(&graph, v, w)));
            }
        free(part);
        free(chosen);
        mplan_components_free(&parts);
        mplan_csr_free(&graph);
    }
}

/* --- level structures ---------------------------------------------------------------- */

/* Distances from a set by relaxing until nothing changes. */
static void naive_distances(const mplan_csr *graph, const int32_t *root, int64_t n_root,
                            int64_t *distance)
{
    for (int64_t v = 0; v < graph->n; v++)
        distance[v] = INT32_MAX;
    for (int64_t i = 0; i < n_root; i++)
        distance[root[i]] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t v = 0; v < graph->n; v++)
            for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
                if (distance[graph->neighbours[k]] > distance[v] + 1) {
                    distance[graph->neighbours[k]] = distance[v] + 1;
                    changed = true;
                }
    }
}

static void check_rooted(const mplan_csr *graph, const int32_t *root, int64_t n_root,
                         const mplan_levels *levels)
{
    int64_t *distance = malloc((size_t)graph->n * sizeof *distance), widest = 0, squares = 0;
    naive_distances(graph, root, n_root, distance);
    for (int64_t v = 0; v < graph->n; v++)
        assert_int_equal(levels->level[v], distance[v]);
    for (int32_t l = 0; l <= levels->depth; l++) {
        int64_t size = levels->first[l + 1] - levels->first[l];
        assert_true(size > 0);
        for (int64_t i = levels->first[l]; i < levels->first[l + 1]; i++)
            assert_int_equal(levels->level[levels->queue[i]], l);
        widest = size > widest ? size : widest;
        squares += size * size;
    }
    assert_int_equal(levels->first[levels->depth + 1], graph->n);
    assert_int_equal(levels->width, widest);
    assert_int_equal(levels->squares, squares);
    free(distance);
}

/* Algorithm II as the paper tells it; a piece is found by its lowest vertex. */
static void naive_combine(const mplan_csr *graph, const mplan_levels *a, const mplan_levels *b,
                          int32_t *level)
{
    int64_t n = graph->n, *piece = malloc((size_t)n * sizeof *piece);
    int64_t *size = calloc((size_t)n + 1, sizeof *size);
    for (int64_t v = 0; v < n; v++) {
        level[v] = a->level[v] == b->depth - b->level[v] ? a->level[v] : -1;
        piece[v] = level[v] < 0 ? v : -1;
    }
    for (bool changed = true; changed;) { /* the lowest vertex spreads */
        changed = false;
        for (int64_t v = 0; v < n; v++)
            for (int64_t w = 0; w < n; w++)
                if (piece[v] >= 0 && piece[w] > piece[v] && support_joined(graph, v, w)) {
                    piece[w] = piece[v];
                    changed = true;
                }
    }
    for (int64_t v = 0; v < n; v++)
        if (piece[v] >= 0)
            size[piece[v]]++;
    for (;;) {
        int64_t best = 0;
        for (int64_t p = 1; p < n; p++)
            best = size[p] > size[best] ? p : best;
        if (n == 0 || size[best] == 0)
            break;
        int64_t widest[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            for (int32_t l = 0; l <= a->depth; l++) {
                int64_t now = 0, added = 0;
                for (int64_t v = 0; v < n; v++) {
                    now += level[v] == l;
                    added += piece[v] == best && l == (side ? b->depth - b->level[v] : a->level[v]);
                }
                widest[side] = added && now + added > widest[side] ? now + added : widest[side];
            }
        bool by_a = widest[0] != widest[1] ? widest[0] < widest[1] : a->width <= b->width;
        for (int64_t v = 0; v < n; v++)
            if (piece[v] == best) {
                level[v] = by_a ? a->level[v] : b->depth - b->level[v];
                piece[v] = -1;
            }
        size[best] = 0;
    }
    free(piece);
    free(size);
}

/* Rows of points, each joined to the next in its row and to the next row, numbered
 * in sequence; the last `apart` points are joined to none. */
static mplan_csr rows_of_points(int64_t length, int64_t rows, int64_t apart, uint64_t *shuffle)
{
    int64_t n = length * rows, count = 0;
    int32_t *name = shuffle ? support_permutation(shuffle, n) : NULL;
    int32_t *values = malloc(4 * (size_t)n * sizeof *values);
    for (int64_t p = 0; p < n; p++)
        for (int64_t d = 0; d < 2; d++) {
            int64_t q = d ? p + length : p + 1;
            if (q >= n || (d == 0 && q % length == 0))
                continue;
            values[2 * count] = name ? name[p] : (int32_t)p;
            values[2 * count++ + 1] = name ? name[q] : (int32_t)q;
        }
    mplan_map map = {"links_points", 0, 1, 2, count, n + apart, NULL, values};
    mplan_csr graph = graph_of(&map);
    free(values);
    free(name);
    return graph;
}

static void graphs_in_good_order_are_not_copied(void **state)
{
    (void)state;
    enum { LENGTH = 200, ROWS = 300, N = LENGTH * ROWS };
    uint64_t seed = 11;
    mplan_error err;
    for (int which = 0; which < 4; which++) { /* the rest: shuffled, in parts, too small */
        mplan_csr graph = rows_of_points(LENGTH, which == 3 ? 2 : ROWS, which == 2,
                                         which == 1 ? &seed : NULL);
        mplan_components parts;
        assert_done(mplan_components_make(&graph, NULL, 0, &parts, NULL, &err), &err);
        assert_int_equal(parts.borrowed, which == 0);
        assert_int_equal(parts.n, which == 2 ? 2 : 1);
        assert_int_equal(parts.degree, which == 3 ? 3 : 4);
        for (int64_t v = 0; which == 0 && v < N; v++)
            assert_int_equal(parts.member[v], v);
        mplan_components_free(&parts);
        if (which < 3)
            assert_in_range(bandwidth_by(mplan_order_gps, &graph), LENGTH, LENGTH + 1);
        mplan_csr_free(&graph); /* still there */
    }
}

static void level_structures_are_those_of_the_paper(void **state)
{
    (void)state;
    uint64_t seed = 2;
    mplan_error err;
    int64_t combined = 0;
    for (int round = 0; round < 600; round++) {
        int64_t n = 2 + support_random(&seed, 60);
        mplan_csr graph = random_graph(&seed, n, n + support_random(&seed, n));
        mplan_components parts;
        assert_done(mplan_components_make(&graph, NULL, 0, &parts, NULL, &err), &err);
        mplan_csr one = mplan_component(&parts, 0);
        mplan_levels a, b, c;
        assert_done(mplan_levels_create(one.n, &a, &err), &err);
        assert_done(mplan_levels_create(one.n, &b, &err), &err);
        assert_done(mplan_levels_create(one.n, &c, &err), &err);
        int32_t *root = support_permutation(&seed, one.n);
        int64_t n_root = 1 + support_random(&seed, one.n);
        assert_true(mplan_levels_search(&one, root, n_root, one.n, &a));
        check_rooted(&one, root, n_root, &a);
        assert_false(mplan_levels_search(&one, root, n_root, a.width - 1, &b));
        assert_true(mplan_levels_search(&one, root, n_root, a.width, &b));

        mplan_levels_start(&one, &a);
        assert_done(mplan_levels_ends(&one, &a, &b, &c, NULL, &err), &err);
        check_rooted(&one, a.queue, 1, &a);
        check_rooted(&one, b.queue, 1, &b);
        assert_int_equal(a.level[b.queue[0]], a.depth);
        if (a.depth == b.depth) {
            assert_done(mplan_levels_combine(&one, &a, &b, &c, &err), &err);
            int32_t *level = malloc((size_t)one.n * sizeof *level);
            int64_t *size = calloc((size_t)one.n + 1, sizeof *size), widest = 0, squares = 0;
            naive_combine(&one, &a, &b, level);
            assert_memory_equal(c.level, level, (size_t)one.n * sizeof *level);
            for (int64_t v = 0; v < one.n; v++) {
                size[level[v]]++;
                for (int64_t w = 0; w < one.n; w++)
                    assert_true(!support_joined(&one, v, w) || abs(level[v] - level[w]) <= 1);
            }
            for (int32_t l = 0; l <= c.depth; l++) {
                widest = size[l] > widest ? size[l] : widest;
                squares += size[l] * size[l];
            }
            assert_true(c.width == widest && c.squares == squares && c.depth == a.depth);
            combined++;
            free(level);
            free(size);
        }
        mplan_levels_free(&a);
        mplan_levels_free(&b);
        mplan_levels_free(&c);
        free(root);
        mplan_components_free(&parts);
        mplan_csr_free(&graph);
    }
    assert_true(combined > 500);
}

/* --- numbering ----------------------------------------------------------------------- */

/* Numbers w's neighbours at a level, lowest degree first; returns the new end. */
static int64_t naive_neighbours(const mplan_level_task *task, int32_t w, int32_t level,
                                int32_t *sequence, int32_t *place, int64_t found)
{
    for (;;) {
        int64_t next = -1;
        for (int64_t v = 0; v < task->graph->n; v++)
            if (place[v] < 0 && mplan_task_level(task, (int32_t)v) == level &&
                support_joined(task->graph, w, v) && lower(task->graph, v, next))
                next = v;
        if (next < 0)
            return found;
        place[next] = (int32_t)found;
        sequence[found++] = (int32_t)next;
    }
}

/* Algorithm III as the paper tells it. */
static void naive_number(const mplan_level_task *task, int32_t *sequence, int32_t *place)
{
    int64_t n = task->graph->n, found = 0, before = 0;
    for (int64_t v = 0; v < n; v++)
        place[v] = -1;
    for (int64_t i = 0; i < task->n_first; i++) {
        place[task->first[i]] = (int32_t)found;
        sequence[found++] = task->first[i];
    }
    for (int32_t level = 0; level <= task->depth; level++) {
        int64_t begin = level ? found : 0;
        for (int64_t i = before; i < begin; i++)
            found = naive_neighbours(task, sequence[i], level, sequence, place, found);
        for (int64_t i = begin;; i++) {
            if (i == found) {
                int64_t next = -1;
                for (int64_t v = 0; v < n; v++)
                    if (place[v] < 0 && mplan_task_level(task, (int32_t)v) == level &&
                        lower(task->graph, v, next))
                        next = v;
                if (next < 0)
                    break;
                place[next] = (int32_t)found;
                sequence[found++] = (int32_t)next;
            }
            found = naive_neighbours(task, sequence[i], level, sequence, place, found);
        }
        before = begin;
    }
    assert_int_equal(found, n);
}

static void levels_are_numbered_as_in_the_paper(void **state)
{
    (void)state;
    uint64_t seed = 3;
    mplan_error err;
    for (int round = 0; round < 600; round++) {
        int64_t n = 2 + support_random(&seed, 60);
        mplan_csr graph = random_graph(&seed, n, n + support_random(&seed, n));
        mplan_components parts;
        assert_done(mplan_components_make(&graph, NULL, 0, &parts, NULL, &err), &err);
        mplan_csr one = mplan_component(&parts, 0);
        mplan_layering layers;
        assert_done(mplan_layering_choose(&one, &layers, NULL, &err), &err);
        size_t bytes = (size_t)one.n * sizeof(int32_t);
        int32_t *sequence = malloc(bytes), *place = malloc(bytes);
        int32_t *naive_sequence = malloc(bytes), *naive_place = malloc(bytes);
        int32_t *first = malloc(bytes), *row = calloc(1, bytes), *other = malloc(bytes);
        mplan_level_task task = {
            &one, layers.level,         layers.depth, support_random(&seed, 2), NULL, NULL,
            0,    MPLAN_LEVELS_BY_FIRST};
        if (support_random(&seed, 2)) {
            task.first = first;
            task.first_row = row; /* of which there is one */
            for (int64_t v = 0; v < one.n; v++)
                if (mplan_task_level(&task, (int32_t)v) == 0)
                    first[task.n_first++] = (int32_t)v;
        }
        assert_done(mplan_level_number(&task, sequence, place, NULL, &err), &err);
        naive_number(&task, naive_sequence, naive_place);
        assert_memory_equal(sequence, naive_sequence, bytes);
        assert_memory_equal(place, naive_place, bytes);
        if (task.n_first) { /* another order within the same levels */
            task.rule = MPLAN_LEVELS_BY_ROW;
            assert_done(mplan_level_number(&task, other, place, NULL, &err), &err);
            support_check_permutation(one.n, place);
            for (int64_t i = 0; i < one.n; i++) {
                assert_int_equal(layers.level[other[i]], layers.level[sequence[i]]);
                assert_int_equal(place[other[i]], i);
            }
        }
        int32_t *all[] = {sequence, place, naive_sequence, naive_place, first, row, other};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
        mplan_layering_free(&layers);
        mplan_components_free(&parts);
        mplan_csr_free(&graph);
    }
}

/* Layers of rows, each joined with all around: a box from one face on, by rows. */
static void rows_keep_together(void **state)
{
    (void)state;
    enum { X = 9, Y = 7, Z = 6, N = X * Y * Z };
    uint64_t seed = 4;
    mplan_error err;
    mplan_csr graph = shuffled_box(&seed, X, Y, Z, CORNERS);
    assert_int_equal(bandwidth_by(mplan_order_gps, &graph), Y * Z + Z + 1);
    assert_true(profile_by(mplan_order_sloan, &graph) <= profile_by(mplan_order_gps, &graph));
    mplan_layering layers;
    mplan_components parts;
    assert_done(mplan_components_make(&graph, NULL, 0, &parts, NULL, &err), &err);
    mplan_csr one = mplan_component(&parts, 0);
    assert_done(mplan_layering_choose(&one, &layers, NULL, &err), &err);
    assert_true(layers.even && layers.width == Y * Z && layers.depth == X - 1);
    assert_int_equal(layers.squares, (int64_t)X * Y * Z * Y * Z);
    mplan_layering_free(&layers);
    mplan_components_free(&parts);
    mplan_csr_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_those_of_the_subgraph),
        cmocka_unit_test(graphs_in_good_order_are_not_copied),
        cmocka_unit_test(level_structures_are_those_of_the_paper),
        cmocka_unit_test(levels_are_numbered_as_in_the_paper),
        cmocka_unit_test(rows_keep_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
