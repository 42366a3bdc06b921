/* SPDX-License-Identifier: Apache-2.0 */
/* tile_bound.c - how much blocks of S elements can reuse points at best
 *
 * Where elements and points lie as in a grid, the fewest points that S elements touch
 * are known; nothing is said of other graphs.
 *
 * Corners. A set of S cells of the grid Z^d has at least (S^(1/d) + 1)^d corners
 * (Brunn and Minkowski, in Z^d): blocks are squares or cubes.
 *
 * Edges, that is faces -> cells of quads or hexes: points are Z^d, elements join
 * neighbours. v points have at most d (v - v^((d-1)/d)) edges between them
 * (Loomis & Whitney, 1949), which bounds a block by itself. All blocks together are
 * bounded more narrowly. Of a block, let i be the points whose 2d edges are all its
 * own, and g the others. As the i and their neighbours are among them, g is least when
 * the i are a ball of the 1-norm (Wang & Wang 1977, SIAM J. Appl. Math. 33). A point
 * that two blocks or more touch is one pair of block and point too many for at least
 * half the blocks that count it in g; and so, with T blocks alike, N points, and M of
 * them with fewer than 2d edges, at the rim of the mesh:
 *
 *   pairs >= N + T x - M / 2,   i + x = (N - M / 2) / T,   x = g(i) / 2 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "colour/conflict.h"
#include "plan/plan.h"
#include "view/bounds.h"

enum { NONE = -1, MOST_DEGREE = 6, SAMPLES = 65536, HALVINGS = 80 };

/* --- the least points ------------------------------------------------------------ */

/* Volume of a cube of side w. */
static double cube(double w)
{
    return w * w * w;
}

/* Edges between the points of a cube of side w in Z^3. */
static double edges_of_cube(double w)
{
    return 3 * (w * w * w - w * w);
}

/* Points within r of the origin in the 1-norm of Z^3, and half of those at r + 1. */
static double half_ring(double r)
{
    return 2 * (r + 1) * (r + 1) + 1;
}

/* Points within r, and half of those at r + 1: i + x of the bound. */
static double ball_and_half_ring(double r)
{
    return (2 * r + 1) * (2 * r * r + 2 * r + 3) / 3 + half_ring(r);
}

/* The w >= 0 of value f(w); halving, so that every machine finds the same.
 * f(0) is at most `value`, and f grows beyond every bound. */
static double solve(double (*f)(double), double value)
{
    double low = 0, high = 1;
    while (f(high) < value)
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (f(middle) < value)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The fewest points that n cells of the grid touch. */
static double least_corners(double n, int32_t dimension)
{
    double side = dimension == 2 ? sqrt(n) : solve(cube, n);
    return dimension == 2 ? (side + 1) * (side + 1) : cube(side + 1);
}

/* The fewest points that n edges of the grid join: the inverse of Loomis and Whitney's bound. */
static double least_ends(double n, int32_t dimension)
{
    double side = dimension == 2 ? (1 + sqrt(1 + 2 * n)) / 2 : solve(edges_of_cube, n);
    return dimension == 2 ? side * side : cube(side);
}

/* x where i + x = area; below a ball of one point in proportion. */
static double least_rim(double area, int32_t dimension)
{
    if (dimension == 2)
        return area < 3 ? area * 2 / 3 : sqrt(2 * area - 2);
    return area < 4 ? area * 3 / 4 : half_ring(solve(ball_and_half_ring, area));
}

/* --- points joined by elements ----------------------------------------------------- */

/* A grid that is read from a map, to bound what tiles of it can reach.
 * degree and number have an entry for each point of the map, sample has SAMPLES at most. n_near[i] says how many of a
 * point's MOST_DEGREE entries of near[i] are set. */
typedef struct lattice {
    const mplan_map *map;
    int32_t dimension;
    int64_t n_touched, n_rim; /* points; those with fewer than 2 x dimension edges */
    uint8_t *degree;          /* edges of each point, MOST_DEGREE + 1 for more */
    int32_t *number;          /* of a point among those looked at; NONE */
    int32_t *near[2];         /* MOST_DEGREE a point looked at: samples, their neighbours */
    uint8_t *n_near[2];
    int32_t *sample;
} lattice;

/* The two points of element e; false where it has not two different ones. */
static bool ends_of(const mplan_map *map, int64_t e, int32_t *ends)
{
    memcpy(ends, map->values + 2 * e, 2 * sizeof *ends);
    return ends[0] >= 0 && ends[1] >= 0 && ends[0] != ends[1];
}

/* False when some point has more edges than any in Z^3.
 * degree: zeros before. It stops at MOST_DEGREE + 1, so that 8 bits hold it. Sets the dimension, n_touched and n_rim;
 * also false where no point has all its edges. */
static bool count_degrees(lattice *l)
{
    int32_t most = 0, ends[2];
    for (int64_t e = 0; e < l->map->n_rows; e++)
        for (int k = 0; ends_of(l->map, e, ends) && k < 2; k++) {
            uint8_t *degree = &l->degree[ends[k]];
            *degree = (uint8_t)(*degree + (*degree <= MOST_DEGREE));
            most = *degree > most ? *degree : most;
        }
    l->dimension = most <= 4 ? 2 : 3;
    for (int64_t p = 0; p < l->map->n_points; p++) {
        l->n_touched += l->degree[p] > 0;
        l->n_rim += l->degree[p] > 0 && l->degree[p] < 2 * l->dimension;
    }
    return most <= MOST_DEGREE && l->n_touched > l->n_rim;
}

/* The neighbours of all points that have a number.
 * n_near: zeros before. No degree is above MOST_DEGREE, so that there is room; two elements between the same points
 * count twice. */
static void find_near(const lattice *l, int32_t *near, uint8_t *n_near)
{
    int32_t ends[2];
    for (int64_t e = 0; e < l->map->n_rows; e++)
        for (int k = 0; ends_of(l->map, e, ends) && k < 2; k++) {
            int32_t number = l->number[ends[k]];
            if (number != NONE)
                near[number * MOST_DEGREE + n_near[number]++] = ends[1 - k];
        }
}

/* Up to SAMPLES points whose edges are all there, evenly over the set.
 * number: of a sample its place in l->sample, NONE of all other points. Returns how many samples there are, one at
 * least. */
static int32_t number_samples(lattice *l)
{
    int64_t full = l->n_touched - l->n_rim, stride = (full + SAMPLES - 1) / SAMPLES, met = 0;
    int32_t n = 0;
    for (int64_t p = 0; p < l->map->n_points; p++) {
        l->number[p] = NONE;
        if (l->degree[p] == 2 * l->dimension && met++ % stride == 0) {
            l->sample[n] = (int32_t)p;
            l->number[p] = n++;
        }
    }
    return n;
}

/* Numbers the neighbours of the samples, which lose their own numbers: their neighbours are what
 * is looked at next. */
static void number_neighbours(lattice *l, int32_t n_samples)
{
    int32_t n = 0;
    for (int32_t s = 0; s < n_samples; s++)
        l->number[l->sample[s]] = NONE;
    for (int32_t s = 0; s < n_samples; s++)
        for (int32_t k = 0; k < l->n_near[0][s]; k++) {
            int32_t *number = &l->number[l->near[0][s * MOST_DEGREE + k]];
            if (*number == NONE)
                *number = n++;
        }
}

/* Points other than `centre` that two neighbours of it are both joined to; NONE when
 * the two are one point, or joined to each other.
 * a and b are neighbours of a sample, which have numbers in the second round (near[1]). */
static int32_t common_of(const lattice *l, int32_t centre, int32_t a, int32_t b)
{
    const int32_t *near_a = l->near[1] + l->number[a] * MOST_DEGREE;
    const int32_t *near_b = l->near[1] + l->number[b] * MOST_DEGREE;
    int32_t common = 0;
    if (a == b)
        return NONE;
    for (int32_t i = 0; i < l->n_near[1][l->number[a]]; i++) {
        if (near_a[i] == b)
            return NONE;
        for (int32_t k = 0; k < l->n_near[1][l->number[b]] && near_a[i] != centre; k++)
            common += near_a[i] == near_b[k];
    }
    return common;
}

/* In Z^d a point is a corner of 2 d (d - 1) squares: of one with each two neighbours
 * that are not opposite. Missing squares leave room at a rim; there are never more.
 * Nine in ten samples must have all of their squares. */
static bool are_squares(const lattice *l, int32_t n_samples)
{
    int32_t wanted = 2 * l->dimension * (l->dimension - 1), complete = 0;
    for (int32_t s = 0; s < n_samples; s++) {
        const int32_t *near = l->near[0] + s * MOST_DEGREE;
        int32_t squares = 0;
        for (int32_t i = 1; i < l->n_near[0][s]; i++)
            for (int32_t k = 0; k < i; k++) {
                int32_t common = common_of(l, l->sample[s], near[i], near[k]);
                if (common == NONE || common > 1)
                    return false;
                squares += common;
            }
        if (squares > wanted)
            return false;
        complete += squares == wanted;
    }
    return (int64_t)complete * 10 >= (int64_t)n_samples * 9;
}

/* dimension stays 0 where the points are not a grid.
 * Scratch is released here: only counts and the dimension of *l are of use afterwards. */
static mplan_status look_at_edges(lattice *l, mplan_error *err)
{
    int64_t n = l->map->n_points, room = n < SAMPLES ? n : SAMPLES;
    mplan_status status = MPLAN_ERR_MEMORY;
    l->degree = mplan_alloc_zero(n, sizeof *l->degree, err);
    l->number = mplan_alloc(n, sizeof *l->number, err);
    l->sample = mplan_alloc(room, sizeof *l->sample, err);
    if (!l->degree || !l->number || !l->sample)
        goto done;
    for (int i = 0; i < 2; i++) {
        int64_t points = i == 0 ? room : n < MOST_DEGREE * room ? n : MOST_DEGREE * room;
        l->near[i] = mplan_alloc(points, MOST_DEGREE * sizeof *l->near[i], err);
        l->n_near[i] = mplan_alloc_zero(points, sizeof *l->n_near[i], err);
        if (!l->near[i] || !l->n_near[i])
            goto done;
    }
    status = MPLAN_OK;
    bool is_grid = count_degrees(l);
    if (is_grid) {
        int32_t n_samples = number_samples(l);
        find_near(l, l->near[0], l->n_near[0]);
        number_neighbours(l, n_samples);
        find_near(l, l->near[1], l->n_near[1]);
        is_grid = are_squares(l, n_samples);
    }
    l->dimension = is_grid ? l->dimension : 0;
done:
    for (int i = 0; i < 2; i++) {
        free(l->near[i]);
        free(l->n_near[i]);
    }
    free(l->degree);
    free(l->number);
    free(l->sample);
    return status;
}

/* *pairs, *tile: the bound for n elements that join the points of a grid, in blocks of
 * block_size; left as they are where the points are not a grid. The larger of the bound for one
 * block and that for all together.
 * map: of arity 2, its values -1 or points, which mplan_bounds_map_is_sound has seen to. */
static mplan_status bound_edges(const mplan_map *map, int64_t n, int32_t block_size, double *pairs,
                                const char **tile, mplan_error *err)
{
    lattice l = {.map = map};
    mplan_status status = look_at_edges(&l, err);
    if (status || l.dimension == 0)
        return status;
    double blocks = (double)((n + block_size - 1) / block_size);
    double points = (double)l.n_touched, rim = (double)l.n_rim;
    double alone = (double)n / block_size * least_ends(block_size, l.dimension);
    double area = (points - rim / 2) / blocks;
    *pairs = points + blocks * least_rim(area, l.dimension) - rim / 2;
    *pairs = alone > *pairs ? alone : *pairs;
    *pairs = points > *pairs ? points : *pairs;
    *tile = l.dimension == 2 ? "diamonds of square cells" : "octahedra of cubic cells";
    return MPLAN_OK;
}

/* --- corners -------------------------------------------------------------------------- */

/* As bound_edges, for cells: mplan_colour_grid says whether they lie in a grid. */
static mplan_status bound_corners(const mplan_map *map, int64_t n, int32_t block_size,
                                  double *pairs, const char **tile, mplan_error *err)
{
    mplan_items items = {.maps = map, .n_maps = 1, .n = map->n_rows};
    mplan_touches touches;
    int32_t n_colours = 0;
    mplan_status status = mplan_touches_create(&items, &touches, NULL, err);
    if (status)
        return status;
    int32_t *colour = mplan_alloc(items.n, sizeof *colour, err);
    status = colour ? mplan_colour_grid(&items, &touches, colour, &n_colours, err) : MPLAN_ERR_MEMORY;
    free(colour);
    mplan_touches_free(&touches);
    if (status || n_colours == 0)
        return status;
    int32_t dimension = map->arity == 4 ? 2 : 3;
    *pairs = (double)n / block_size * least_corners(block_size, dimension);
    *tile = dimension == 2 ? "squares" : "cubes";
    return MPLAN_OK;
}

/* --- the bound ------------------------------------------------------------------------- */

/* The map by which the loop reaches the set; NONE when there are several, or none. */
static int32_t only_map(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t set)
{
    int32_t found = NONE;
    for (int32_t a = 0; a < loop->n_args; a++) {
        int32_t map = loop->args[a].map;
        if (map < 0 || map == found || mplan_plan_get_map(plan, map)->to != set)
            continue;
        if (found != NONE)
            return NONE;
        found = map;
    }
    return found;
}

/* *reuse: NaN, and *tile NULL, where no bound is known. *tile is a text of the library.
 * Maps that are ragged or lead out of their set have none, nor do loops that reach the set by several maps. */
mplan_status mplan_plan_reuse_bound(const mplan_plan *plan, int32_t metrics, double *reuse,
                                    const char **tile, mplan_error *err)
{
    MPLAN_NEED(plan);
    MPLAN_NEED(reuse);
    MPLAN_NEED(tile);
    const mplan_block_metrics *record = mplan_plan_get_metrics(plan, metrics);
    if (!record)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no metrics %d", (int)metrics);
    const mplan_plan_loop *loop = mplan_plan_get_loop(plan, record->loop);
    int32_t block_limit = mplan_plan_get_block_set(plan, record->block_set)->block_limit;
    int64_t n = mplan_plan_get_set(plan, loop->set)->size;
    int32_t m = only_map(plan, loop, record->set);
    double pairs = 0;
    *reuse = (double)NAN;
    *tile = NULL;
    if (m == NONE || n == 0)
        return MPLAN_OK;
    mplan_map map = mplan_plan_stored_map(plan, m);
    int32_t block_size = n < block_limit ? (int32_t)n : block_limit;
    mplan_status status = MPLAN_OK;
    if (map.offsets || !mplan_bounds_map_is_sound(plan, m, NULL))
        return MPLAN_OK;
    if (map.arity == 2)
        status = bound_edges(&map, n, block_size, &pairs, tile, err);
    else if (map.arity == 4 || map.arity == 8)
        status = bound_corners(&map, n, block_size, &pairs, tile, err);
    if (!status && *tile)
        *reuse = (double)record->entries / pairs;
    return status;
}
