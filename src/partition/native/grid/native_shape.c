/* SPDX-License-Identifier: Apache-2.0 */
/* native_shape.c - which columns cost least: by counting the points of their tiles
 *
 * Cells: columns of a x b cells, cut every T cells. A box of T cells as near to a cube as can be
 * has the fewest corners.
 *
 * Edges: an interface costs the points on it, for a plane in proportion to the largest
 * component of its normal (one end of every edge that crosses is enough), which diagonal
 * planes have least. In the plane the middles of edges are a square lattice of their own,
 * turned by 45 degrees, whose squares are points and faces by turns: strips are straight
 * there. In space, columns along (1,1,1) of hexagons whose sides face (1,-1,0), (0,1,-1) and
 * (-1,0,1), cut along planes across (1,1,1).
 *
 * What diagonal columns bring (tools/bench/ablation: S = 128, 150,000 cells, reuse with / without): faces of quads
 * 3.357 / 3.197, faces of hexes 3.702 / 3.539. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "partition/native/grid/native_shape.h"

enum {
    MOST_WIDTH = 24,
    BLOCKS = 12,
    BLOCKS_OF_MANY = 4, /* of cells of higher order */
    TABLE_BITS = 15,
    TABLE = 1 << TABLE_BITS,
    MOST_CHOICES = 3 * MOST_WIDTH,
    TWELFTHS = 12,
    MOST_TWELFTHS = 20 * TWELFTHS
};

struct tile_costs {
    tile_kind kind;
    int32_t tile;
    native_middles middles;
    double box[2][MOST_WIDTH + 1][MOST_WIDTH + 1]; /* of cross-sections; 0: not known */
    int32_t width;                                 /* best oblique one; 0: not known */
    double oblique;
    uint64_t *points; /* TABLE: of the block at hand */
    int32_t *stamps, now;
    int32_t in_block, blocks;
    int64_t sum;
};

/* --- spots ----------------------------------------------------------------------- */

/* Rounded down, also for negative a; b > 0. */
static int32_t floor_div(int32_t a, int32_t b)
{
    return a / b - (a % b < 0);
}

/* Largest absolute value among a, b and a + b: a distance in a hexagonal
 * lattice. */
static int32_t largest(int32_t a, int32_t b)
{
    int32_t c = a + b;
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    c = c < 0 ? -c : c;
    a = a > b ? a : b;
    return a > c ? a : c;
}

/* The hexagon i (2w,-w,-w) + j (-w,2w,-w) nearest to (a, b, -a-b), w = width / 12. */
static void find_hexagon(int32_t width, int32_t a, int32_t b, tile_spot *spot)
{
    int32_t i = floor_div(4 * (2 * a + b), width), j = floor_div(4 * (a + 2 * b), width);
    int32_t least = INT32_MAX;
    for (int32_t k = 0; k < 4; k++) {
        int32_t ci = i + k % 2, cj = j + k / 2;
        int32_t far = largest(TWELFTHS * a - width * (2 * ci - cj),
                              TWELFTHS * b - width * (2 * cj - ci));
        if (far < least) {
            least = far;
            spot->cell = ci;
            spot->row = cj;
        }
    }
}

/* Strips or hexagons at 45 degrees to the axes: row and cell say which column of
 * tiles, inner where across it, height where along it. */
static void oblique_spot(const tile_shape *shape, const int32_t *place, tile_spot *spot)
{
    if (shape->kind == TILE_PLANE_EDGES) {
        int32_t u = floor_div(place[0] + place[1], 2), v = floor_div(place[0] - place[1], 2);
        spot->row = floor_div(u, shape->width) - shape->row_begin;
        spot->cell = 0;
        spot->height = v - floor_div(shape->low[0] - shape->high[1], 2);
        spot->inner = u - floor_div(u, shape->width) * shape->width;
        return;
    }
    int32_t a = place[0] - place[1], b = place[1] - place[2];
    find_hexagon(shape->width, a, b, spot);
    int32_t from_a = a - floor_div(shape->width * (2 * spot->cell - spot->row), TWELFTHS);
    int32_t from_b = b - floor_div(shape->width * (2 * spot->row - spot->cell), TWELFTHS);
    spot->inner = (from_a + 32) * 64 + (from_b + 32);
    spot->height = place[0] + place[1] + place[2] - shape->low[0] - shape->low[1] - shape->low[2];
    spot->row -= shape->row_begin;
    spot->cell -= shape->cell_begin;
}

/* Extents of places; of doubled ones, in points. */
static int32_t extent_of(const tile_shape *shape, int32_t axis)
{
    int32_t size = shape->high[axis] - shape->low[axis] + 1;
    return shape->kind == TILE_QUADS || shape->kind == TILE_HEXES ? size : (size + 1) / 2;
}

/* Which of `count` even parts of [0, size) holds x, and where it begins. */
static int32_t part_of(int32_t x, int32_t size, int32_t count, int32_t *begin)
{
    int32_t part = (int32_t)(((int64_t)x * count + count - 1) / size);
    *begin = (int32_t)((int64_t)part * size / count);
    if (*begin > x)
        *begin = (int32_t)((int64_t)--part * size / count);
    return part;
}

/* Columns along one axis; widths across it differ by at most one. Coordinates of edges are
 * doubled, so that widths, which count points, are compared with x / 2. */
static void straight_spot(const tile_shape *shape, const int32_t *place, tile_spot *spot)
{
    bool doubled = shape->kind == TILE_PLANE_EDGES || shape->kind == TILE_SPACE_EDGES;
    int32_t part[2] = {0, 0}, offset[2] = {0, 0};
    for (int32_t k = 0; k < 2 && shape->across[k] >= 0; k++) {
        int32_t axis = shape->across[k], begin;
        int32_t x = place[axis] - shape->low[axis];
        part[k] = part_of(doubled ? x / 2 : x, extent_of(shape, axis), shape->count[k], &begin);
        offset[k] = doubled ? x - 2 * begin : x - begin;
    }
    spot->row = part[0];
    spot->cell = part[1];
    spot->height = place[shape->along] - shape->low[shape->along];
    spot->inner = offset[0] * 64 + offset[1];
}

void mplan_tile_spot(const tile_shape *shape, const int32_t *place, tile_spot *spot)
{
    assert(shape && place && spot);
    if (shape->oblique)
        oblique_spot(shape, place, spot);
    else
        straight_spot(shape, place, spot);
}

/* --- counting ---------------------------------------------------------------------- */

/* Scratch for counting the points of tiles in an endless grid; TABLE stamps.
 * NULL without memory. */
tile_costs *mplan_tile_costs_create(tile_kind kind, int32_t tile, native_middles middles,
                                    mplan_error *err)
{
    assert(tile > 0);
    tile_costs *costs = mplan_alloc_zero(1, sizeof *costs, err);
    if (!costs)
        return NULL;
    costs->kind = kind;
    costs->tile = tile;
    costs->middles = middles;
    costs->points = mplan_alloc(TABLE, sizeof *costs->points, err);
    costs->stamps = mplan_alloc_zero(TABLE, sizeof *costs->stamps, err);
    if (!costs->points || !costs->stamps) {
        mplan_tile_costs_free(costs);
        return NULL;
    }
    return costs;
}

void mplan_tile_costs_free(tile_costs *costs)
{
    if (!costs)
        return;
    free(costs->points);
    free(costs->stamps);
    free(costs);
}

/* Empties the table by a new stamp, in constant time. */
static void begin_counting(tile_costs *c)
{
    c->in_block = c->blocks = 0;
    c->sum = 0;
    c->now++;
}

/* At most 8 x 1024 points are in the table, of four times that room; with middles 18 x 1024 and some, of a row of cells. */
static void count_point(tile_costs *c, int32_t x, int32_t y, int32_t z)
{
    uint64_t key = (uint64_t)(uint32_t)(x & 0xfffff) << 40 |
                   (uint64_t)(uint32_t)(y & 0xfffff) << 20 | (uint64_t)(uint32_t)(z & 0xfffff);
    uint64_t i = key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - TABLE_BITS);
    while (c->stamps[i] == c->now && c->points[i] != key)
        i = (i + 1) & (TABLE - 1);
    if (c->stamps[i] == c->now)
        return;
    c->stamps[i] = c->now;
    c->points[i] = key;
    c->sum++;
}

/* All points of a cell of higher order, which are corners and middles of the places of a grid twice as fine. */
static void count_cell(tile_costs *c, int32_t x, int32_t y, int32_t z)
{
    for (int32_t k = 0; k < (c->kind == TILE_QUADS ? 9 : 27); k++) {
        int32_t i = k % 3, j = k / 3 % 3, l = k / 9;
        if (c->middles == NATIVE_ALL_MIDDLES || (i & 1) + (j & 1) + (l & 1) < 2)
            count_point(c, 2 * x + i, 2 * y + j, 2 * z + l);
    }
}

/* The next element of a column; a block that is full gives way to the next. */
static void count_element(tile_costs *c, int32_t x, int32_t y, int32_t z)
{
    int32_t edges = c->kind == TILE_PLANE_EDGES || c->kind == TILE_SPACE_EDGES;
    if (c->in_block == c->tile) {
        c->in_block = 0;
        c->blocks++;
        c->now++;
    }
    c->in_block++;
    if (edges) { /* one of x, y, z is odd: ends are at both sides of it */
        count_point(c, x >> 1, y >> 1, z >> 1);
        count_point(c, (x + 1) >> 1, (y + 1) >> 1, (z + 1) >> 1);
        return;
    }
    if (c->middles != NATIVE_NO_MIDDLES) {
        count_cell(c, x, y, z);
        return;
    }
    for (int32_t k = 0; k < (c->kind == TILE_QUADS ? 4 : 8); k++)
        count_point(c, x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
}

/* Points per element in a column of a x b, its layers filled along b. */
static double cost_of_box(tile_costs *c, int32_t a, int32_t b)
{
    const int32_t blocks = c->middles == NATIVE_NO_MIDDLES ? BLOCKS : BLOCKS_OF_MANY;
    bool doubled = c->kind == TILE_PLANE_EDGES || c->kind == TILE_SPACE_EDGES;
    double *known = &c->box[0][a][b];
    if (*known > 0)
        return *known;
    begin_counting(c);
    bool plane = c->kind == TILE_QUADS || c->kind == TILE_PLANE_EDGES;
    int32_t end_b = plane ? 1 : doubled ? 2 * b : b;
    for (int32_t h = 0; c->blocks < blocks; h++)
        for (int32_t i = 0; i < (doubled ? 2 * a : a); i++)
            for (int32_t k = 0; k < end_b && c->blocks < blocks; k++)
                if (!doubled || (h & 1) + (i & 1) + (k & 1) == 1)
                    count_element(c, i, plane ? h : k, plane ? 0 : h);
    *known = (double)c->sum / ((double)blocks * c->tile + c->in_block);
    return *known;
}

/* Points per element of full blocks cut from an endless oblique strip of this
 * width. */
static double cost_of_strip(tile_costs *c, int32_t width)
{
    double cost = 0;
    for (int32_t from = 0; from < 2; from++) { /* on a point and on a face */
        begin_counting(c);
        for (int32_t v = 0; c->blocks < BLOCKS; v++)
            for (int32_t u = from; u < from + width && c->blocks < BLOCKS; u++)
                count_element(c, u + v + 1, u - v, 0);
        cost += (double)c->sum / ((double)BLOCKS * c->tile + c->in_block) / 2;
    }
    return cost;
}

/* Elements of the hexagon's column at one height. */
static void count_layer(tile_costs *c, const tile_shape *shape, const tile_spot *column, int32_t t)
{
    int32_t at_a = shape->width * (2 * column->cell - column->row) / TWELFTHS;
    int32_t at_b = shape->width * (2 * column->row - column->cell) / TWELFTHS;
    int32_t reach = shape->width / TWELFTHS + 2;
    for (int32_t a = at_a - reach; a <= at_a + reach; a++)
        for (int32_t b = at_b - reach; b <= at_b + reach && c->blocks < BLOCKS; b++) {
            tile_spot spot;
            if ((t + 2 * a + b) % 3 != 0)
                continue;
            int32_t x = (t + 2 * a + b) / 3, y = x - a, z = y - b;
            if ((x & 1) + (y & 1) + (z & 1) != 1)
                continue;
            find_hexagon(shape->width, a, b, &spot);
            if (spot.row == column->row && spot.cell == column->cell)
                count_element(c, x, y, z);
        }
}

/* The same for columns of hexagons in space, mean over the columns that differ. */
static double cost_of_hexagons(tile_costs *c, int32_t width)
{
    enum { COLUMNS = 4 };
    tile_shape shape = {.kind = TILE_SPACE_EDGES, .oblique = true, .width = width};
    double points = 0, elements = 0;
    for (int32_t k = 0; k < COLUMNS; k++) {
        tile_spot column = {.row = 3 * k + k / 2, .cell = 5 * k + 1};
        begin_counting(c);
        for (int32_t t = 3001; c->blocks < BLOCKS && t < 9001; t += 2)
            count_layer(c, &shape, &column, t);
        points += (double)c->sum;
        elements += (double)c->blocks * c->tile + c->in_block;
    }
    return points / elements;
}

/* Tries all widths whose area could suit a tile, coarse steps first. c->width
 * and c->oblique: the best and its cost. */
static void find_oblique(tile_costs *c)
{
    if (c->width > 0)
        return;
    c->oblique = 1e30;
    bool plane = c->kind == TILE_PLANE_EDGES;
    int32_t step = plane ? 1 : 8, least = plane ? 2 : TWELFTHS,
            most = plane ? MOST_WIDTH + 16 : MOST_TWELFTHS;
    for (; step > 0; step /= 4) {
        for (int32_t width = least; width <= most; width += step) {
            int32_t area = plane ? width * width : width * width / 48 * width / 48;
            if (area > 4 * c->tile || 6 * area < c->tile)
                continue;
            double cost = plane ? cost_of_strip(c, width) : cost_of_hexagons(c, width);
            if (cost < c->oblique) {
                c->oblique = cost;
                c->width = width;
            }
        }
        least = c->width - step;
        most = c->width + step;
    }
}

/* --- choosing ------------------------------------------------------------------------ */

/* Numbers of columns across an extent of `size` that give widths of about 1, 2, ... MOST_WIDTH,
 * ascending and at least one. counts: room for MOST_CHOICES. Returns how many. */
static int32_t list_counts(int32_t size, int32_t *counts)
{
    int32_t n = 0;
    for (int32_t width = MOST_WIDTH; width >= 1; width--)
        for (int32_t count = size / width; count <= size / width + 1; count++) {
            bool fits = count >= 1 && count <= size && (int64_t)MOST_WIDTH * count >= size;
            if (fits && (n == 0 || counts[n - 1] < count))
                counts[n++] = count;
        }
    return n;
}

/* Points per element of an a x b column of `length`, estimated from its cross-section: lines of
 * points through it, times a block's layers and one more. For sorting out, not for the choice. */
static double guess(const tile_costs *c, double a, double b, double length)
{
    bool plane = c->kind == TILE_QUADS || c->kind == TILE_PLANE_EDGES;
    bool cells = c->kind == TILE_QUADS || c->kind == TILE_HEXES;
    double finer = c->middles == NATIVE_NO_MIDDLES ? 1 : 2; /* lines of points a cell */
    double section = plane ? a : a * b;
    double around = !cells ? section : plane ? finer * a + 1 : (finer * a + 1) * (finer * b + 1);
    double per_layer = cells ? 1 : plane ? 2 : 3;
    double layers = c->tile / (section * per_layer);
    double ends = 0.5 * around * layers / length; /* columns that turn cost about half an end more */
    if (!cells) /* edges between columns are theirs who come first */
        around = plane ? a + 0.5 : (a + 0.5) * (b + 0.5);
    return (around * (finer * layers + 1) + ends) / c->tile;
}

/* The mean over columns of the two widths on either axis, w and w + 1, by how many elements are
 * in each. */
static double mean_cost(tile_costs *c, const int32_t *size, const int32_t *count)
{
    double sum = 0, share[2][2];
    int32_t width[2];
    for (int32_t k = 0; k < 2; k++) {
        width[k] = size[k] / count[k];
        share[k][1] = (double)(size[k] % count[k]) * (width[k] + 1) / size[k];
        share[k][0] = 1 - share[k][1];
    }
    for (int32_t i = 0; i < 2; i++)
        for (int32_t k = 0; k < 2; k++)
            if (share[0][i] * share[1][k] > 0)
                sum += share[0][i] * share[1][k] * cost_of_box(c, width[0] + i, width[1] + k);
    return sum;
}

/* What is searched, and the best so far. */
typedef struct straight_search {
    tile_costs *costs;
    tile_shape *best;
    double least, bound; /* cost; of guesses worth counting */
} straight_search;

/* Tries all columns along one axis; only guesses below the bound are counted, without one
 * the least guess becomes it. */
static void try_axes(straight_search *s, const tile_shape *of, bool counting)
{
    int32_t counts[2][MOST_CHOICES], n[2] = {1, 1}, size[2] = {1, 1};
    double length = extent_of(of, of->along);
    counts[0][0] = counts[1][0] = 1;
    for (int32_t k = 0; k < 2 && of->across[k] >= 0; k++) {
        size[k] = extent_of(of, of->across[k]);
        n[k] = list_counts(size[k], counts[k]);
    }
    for (int32_t i = 0; i < n[0]; i++)
        for (int32_t k = 0; k < n[1]; k++) {
            int32_t count[2] = {counts[0][i], counts[1][k]};
            double a = (double)size[0] / count[0], b = (double)size[1] / count[1];
            double about = guess(s->costs, a, b, length);
            if (!counting) {
                s->bound = about < s->bound ? about : s->bound;
                continue;
            }
            if (about > 1.05 * s->bound)
                continue;
            double ends = about - guess(s->costs, a, b, 1e30);
            double cost = mean_cost(s->costs, size, count) + ends;
            if (cost < s->least) {
                s->least = cost;
                *s->best = *of;
                s->best->count[0] = s->best->rows = count[0];
                s->best->count[1] = s->best->cells = count[1];
            }
        }
}

/* Axis, order of the others and counts across. An estimate first; only shapes
 * near the best estimate are counted. */
static double choose_straight(tile_costs *costs, tile_shape *shape)
{
    bool plane = costs->kind == TILE_QUADS || costs->kind == TILE_PLANE_EDGES;
    tile_shape from = *shape;
    straight_search s = {costs, shape, 1e30, 1e30};
    for (int32_t counting = 0; counting < 2; counting++)
        for (int32_t along = 0; along < (plane ? 2 : 3); along++)
            for (int32_t turned = 0; turned < (plane ? 1 : 2); turned++) {
                int32_t first = (along + 1) % (plane ? 2 : 3), second = (along + 2) % 3;
                from.along = along;
                from.across[0] = turned ? second : first;
                from.across[1] = plane ? -1 : turned ? first : second;
                try_axes(&s, &from, counting == 1);
            }
    return s.least;
}

/* The least and largest indices of hexagons, or strips, in the box. */
static void bound_oblique(tile_shape *shape)
{
    const int32_t *low = shape->low, *high = shape->high;
    int32_t width = shape->width;
    shape->oblique = true;
    if (shape->kind == TILE_PLANE_EDGES) {
        shape->row_begin = floor_div(floor_div(low[0] + low[1], 2), width);
        shape->rows = floor_div(floor_div(high[0] + high[1], 2), width) - shape->row_begin + 1;
        shape->cell_begin = 0;
        shape->cells = 1;
        return;
    }
    shape->cell_begin = floor_div(4 * (2 * low[0] - high[1] - high[2]), width);
    shape->cells = floor_div(4 * (2 * high[0] - low[1] - low[2]), width) - shape->cell_begin + 2;
    shape->row_begin = floor_div(4 * (low[0] + low[1] - 2 * high[2]), width);
    shape->rows = floor_div(4 * (high[0] + high[1] - 2 * low[2]), width) - shape->row_begin + 2;
}

/* low, high: the box of the patch. *cost: points per element that the shape
 * promises, rims included. */
tile_shape mplan_tile_choose(tile_costs *costs, const int32_t *low, const int32_t *high, double *cost)
{
    assert(costs && low && high && cost);
    tile_shape shape = {.kind = costs->kind, .across = {0, -1}, .count = {1, 1}};
    memcpy(shape.low, low, sizeof shape.low);
    memcpy(shape.high, high, sizeof shape.high);
    tile_shape oblique = shape;
    *cost = choose_straight(costs, &shape);
    if (costs->kind == TILE_QUADS || costs->kind == TILE_HEXES)
        return shape;
    find_oblique(costs);
    if (costs->oblique >= *cost)
        return shape;
    *cost = costs->oblique;
    oblique.width = costs->width;
    bound_oblique(&oblique);
    return oblique;
}
