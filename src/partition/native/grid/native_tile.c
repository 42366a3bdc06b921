/* SPDX-License-Identifier: Apache-2.0 */
/* native_tile.c - the elements of a grid in a sequence of columns
 *
 * Patch after patch, row after row of columns, to and fro, up one column and down the
 * next: what follows one another lies side by side, also at the turns, and every T elements of
 * the sequence make a tile. */
#include "partition/native/grid/native_tile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/grid/native_corners.h"
#include "partition/native/grid/native_graph.h"
#include "partition/native/grid/native_shape.h"
#include "partition/native/native_weigh.h"

/* places beyond and columns above are left to others */
enum { FAR = 1 << 24, HIGHEST = 1 << 20 };
/* Times what shapes promise, and a tiling needs no comparison; oblique columns of space lose more
 * at rims. */
static const double sure[] = {
    [TILE_QUADS] = 1.02, [TILE_HEXES] = 1.02, [TILE_PLANE_EDGES] = 1.02, [TILE_SPACE_EDGES] = 1.035};
enum {
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    FEW = 32,
    ELEMENTS = 4096,
    COLUMNS = 16,
    SPARSE = 8
};

typedef struct patch_columns {
    tile_shape shape;
    double cost;   /* points an element, by the shape */
    int64_t first; /* column of the patch */
    int64_t size;  /* vertices of the lattice in it */
} patch_columns;

typedef struct tiling {
    native_view view;
    native_lattice lattice;
    patch_columns *patches;
    int64_t n_columns;
    bool is_sheet;   /* most vertices are in patches that fill little of their boxes */
    int32_t *column; /* per element */
    uint32_t *key;   /* per element: height above the lowest, order in the layer */
    int64_t *begin;  /* n_columns + 1 */
    mplan_team *team;
} tiling;

/* --- places of elements --------------------------------------------------------------- */

/* Whether elements are edges between points of the grid, whose places are doubled; else they are
 * its cells. */
static bool has_edges(const native_view *view)
{
    return view->kind == TILE_PLANE_EDGES || view->kind == TILE_SPACE_EDGES;
}

/* Direction of slot k of v in which b lies; LATTICE_UNKNOWN without. */
static int32_t direction_to(const native_lattice *l, int32_t v, int32_t b)
{
    const int32_t *near = l->near + (int64_t)v * 2 * l->dimension;
    for (int32_t k = 0; k < 2 * l->dimension; k++)
        if (near[k] == b)
            return mplan_lattice_direction(l, v, k);
    return LATTICE_UNKNOWN;
}

/* A direction in which v has no neighbour: there a rim edge may point. */
static int32_t direction_off(const native_lattice *l, int32_t v)
{
    uint32_t used = 0;
    int32_t free_direction = 0;
    for (int32_t k = 0; k < 2 * l->dimension; k++)
        if (l->near[(int64_t)v * 2 * l->dimension + k] >= 0)
            used |= UINT32_C(1) << mplan_lattice_direction(l, v, k);
    while (free_direction < 2 * l->dimension && (used >> free_direction & 1))
        free_direction++;
    return free_direction < 2 * l->dimension ? free_direction : LATTICE_UNKNOWN;
}

/* The place of an edge: from the end in the earlier patch, half a step towards the other. */
static int32_t place_of_edge(const tiling *t, int64_t e, int32_t *place)
{
    const native_lattice *l = &t->lattice;
    int32_t room[3] = {0}, n, direction, first = (int32_t)t->view.first;
    const int32_t *row = mplan_native_view_row(&t->view, e, room, &n);
    int32_t from = row[0] - first;
    if (n == 2) {
        int32_t to = row[1] - first;
        if (l->place[to].patch < l->place[from].patch) {
            to = from;
            from = row[1] - first;
        }
        direction = direction_to(l, from, to);
    } else {
        direction = direction_off(l, from);
    }
    for (int32_t d = 0; d < 3; d++)
        place[d] = 2 * l->place[from].at[d];
    if (direction < 2 * l->dimension)
        place[direction / 2] += direction % 2 ? -1 : 1;
    else
        place[0]++;
    return l->place[from].patch;
}

/* place: out, coordinates in the grid; returns the patch. For edges between
 * points they are doubled, so that the middle of an edge is a whole number. */
static int32_t place_of_element(const tiling *t, int64_t e, int32_t *place)
{
    const native_lattice *l = &t->lattice;
    if (has_edges(&t->view))
        return place_of_edge(t, e, place);
    memcpy(place, l->place[e].at, 3 * sizeof *place);
    return l->place[e].patch;
}

/* --- columns ---------------------------------------------------------------------------- */

/* Box of the elements' places in each patch, and how many vertices it has. False when a patch is
 * too long for the arithmetic of shapes. */
static bool find_boxes(tiling *t)
{
    const native_lattice *l = &t->lattice;
    bool edges = has_edges(&t->view);
    for (int32_t p = 0; p < l->n_patches; p++)
        for (int32_t d = 0; d < 3; d++) {
            t->patches[p].shape.low[d] = d < l->dimension ? INT32_MAX : 0;
            t->patches[p].shape.high[d] = d < l->dimension ? INT32_MIN : 0;
        }
    for (int64_t v = 0; v < l->n; v++) {
        t->patches[l->place[v].patch].size++;
        for (int32_t d = 0; d < l->dimension; d++) {
            tile_shape *shape = &t->patches[l->place[v].patch].shape;
            int32_t x = l->place[v].at[d];
            if (x < -FAR || x > FAR)
                return false;
            if (shape->low[d] > (edges ? 2 * x - 1 : x))
                shape->low[d] = edges ? 2 * x - 1 : x;
            if (shape->high[d] < (edges ? 2 * x + 1 : x))
                shape->high[d] = edges ? 2 * x + 1 : x;
        }
    }
    return true;
}

/* Points of a plane with six neighbours each (cells of a honeycomb) pass for points of space that lie on a sheet across
 * the axes: tiles of space are right there, but far from the best (reuse 4.353, grown blocks 4.621). */
static bool is_sheet(const tiling *t)
{
    int64_t thin = 0;
    for (int32_t p = 0; p < t->lattice.n_patches; p++) {
        const tile_shape *shape = &t->patches[p].shape;
        double room = 1;
        for (int32_t d = 0; d < t->lattice.dimension; d++)
            room *= (shape->high[d] - shape->low[d]) / 2 + 1;
        thin += room > SPARSE * (double)t->patches[p].size ? t->patches[p].size : 0;
    }
    return t->view.kind == TILE_SPACE_EDGES && 2 * thin > t->lattice.n;
}

/* Larger first; equal numbers are the same, so that the order of qsort does not matter. */
static int descending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x < y) - (x > y);
}

/* What was found out, by the largest patch and of equals the first. Axes have no order. */
static mplan_block_origin origin_of(const tiling *t)
{
    static const mplan_origin origins[] = {[TILE_QUADS] = MPLAN_ORIGIN_QUADS,
                                           [TILE_HEXES] = MPLAN_ORIGIN_HEXES,
                                           [TILE_PLANE_EDGES] = MPLAN_ORIGIN_PLANE_EDGES,
                                           [TILE_SPACE_EDGES] = MPLAN_ORIGIN_SPACE_EDGES};
    const patch_columns *most = t->patches;
    for (int32_t p = 1; p < t->lattice.n_patches; p++)
        most = t->patches[p].size > most->size ? &t->patches[p] : most;
    mplan_block_origin origin = {.origin = origins[t->view.kind],
                                 .extent = {1, 1, 1},
                                 .patches = t->lattice.n_patches,
                                 .largest = most->size};
    bool plane = t->view.kind == TILE_QUADS || t->view.kind == TILE_PLANE_EDGES;
    for (int32_t d = 0; d < (plane ? 2 : 3); d++) {
        int32_t span = most->shape.high[d] - most->shape.low[d];
        origin.extent[d] = has_edges(&t->view) ? span / 2 : span + 1;
    }
    qsort(origin.extent, 3, sizeof *origin.extent, descending);
    return origin;
}

/* A shape for each patch; columns are numbered through all patches. *good:
 * whether what the shapes promise together is worth it. */
static mplan_status choose_shapes(tiling *t, int32_t tile, bool *good, mplan_error *err)
{
    int64_t n = t->view.table->n;
    tile_costs *costs = mplan_tile_costs_create(t->view.kind, tile, t->view.table->middles, err);
    if (!costs)
        return MPLAN_ERR_MEMORY;
    t->n_columns = 0;
    for (int32_t p = 0; p < t->lattice.n_patches; p++) {
        patch_columns *patch = &t->patches[p];
        tile_shape *shape = &patch->shape;
        *shape = mplan_tile_choose(costs, shape->low, shape->high, &patch->cost);
        patch->first = t->n_columns;
        t->n_columns += (int64_t)shape->rows * shape->cells;
        *good = *good && t->n_columns <= 4 * n + DIGITS && t->n_columns < INT32_MAX;
    }
    mplan_tile_costs_free(costs);
    return MPLAN_OK;
}

/* Elements [begin, end): column and place within it. Returns how many lie
 * outside their shape, which must be none. */
static int64_t spot_piece(void *data, int thread, int64_t begin, int64_t end)
{
    const tiling *t = data;
    int64_t outside = 0;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int32_t place[3];
        tile_spot spot;
        const patch_columns *patch = &t->patches[place_of_element(t, e, place)];
        const tile_shape *shape = &patch->shape;
        mplan_tile_spot(shape, place, &spot);
        outside += !(spot.row >= 0 && spot.row < shape->rows && spot.cell >= 0 &&
                     spot.cell < shape->cells && spot.inner >= 0 && spot.inner < TILE_INNER &&
                     spot.height >= 0 && spot.height < HIGHEST);
        t->column[e] = (int32_t)(patch->first + (int64_t)spot.row * shape->cells +
                                 (spot.row % 2 ? shape->cells - 1 - spot.cell : spot.cell));
        t->key[e] = (uint32_t)spot.height * TILE_INNER + (uint32_t)spot.inner;
    }
    return outside;
}

/* Columns and keys of all elements. */
static mplan_status spot_elements(tiling *t, bool *good, mplan_error *err)
{
    int64_t n = t->view.table->n;
    t->column = mplan_alloc(n, sizeof *t->column, err);
    t->key = mplan_alloc(n, sizeof *t->key, err);
    if (!t->column || !t->key)
        return MPLAN_ERR_MEMORY;
    *good = mplan_for_sum(t->team, n, ELEMENTS, spot_piece, t) == 0;
    return MPLAN_OK;
}

/* --- sequence --------------------------------------------------------------------------- */

typedef struct sort_room {
    uint32_t *keys[2];
    int32_t *elements; /* the others are in the sequence */
} sort_room;

/* By key, stable; for short columns. */
static void insert_sorted(uint32_t *keys, int32_t *elements, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint32_t key = keys[i];
        int32_t element = elements[i];
        int64_t k = i;
        for (; k > 0 && keys[k - 1] > key; k--) {
            keys[k] = keys[k - 1];
            elements[k] = elements[k - 1];
        }
        keys[k] = key;
        elements[k] = element;
    }
}

/* Moves elements by one digit of their keys; false when it is the same everywhere. */
static bool sort_digit(const uint32_t *keys, const int32_t *elements, int64_t n, int32_t shift,
                       uint32_t *to_keys, int32_t *to_elements)
{
    int64_t place[DIGITS] = {0}, sum = 0;
    for (int64_t i = 0; i < n; i++)
        place[keys[i] >> shift & (DIGITS - 1)]++;
    if (place[keys[0] >> shift & (DIGITS - 1)] == n)
        return false;
    for (int32_t d = 0; d < DIGITS; d++) {
        int64_t count = place[d];
        place[d] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t at = place[keys[i] >> shift & (DIGITS - 1)]++;
        to_keys[at] = keys[i];
        to_elements[at] = elements[i];
    }
    return true;
}

/* Sorts the elements of column c by their keys, up or down: an insertion sort for a few, else a
 * stable radix sort. room: of one thread, for the longest column. Its elements are in
 * sequence[begin ...], by number before. */
static void sort_column(const tiling *t, int64_t c, bool down, int32_t *sequence, sort_room *room)
{
    int64_t begin = t->begin[c], n = t->begin[c + 1] - begin;
    int32_t *own = sequence + begin, *elements[2] = {own, room->elements};
    int32_t side = 0;
    for (int64_t i = 0; i < n; i++)
        room->keys[0][i] = t->key[own[i]];
    if (n <= FEW)
        insert_sorted(room->keys[0], own, n);
    for (int32_t shift = 0; shift < 32 && n > FEW; shift += DIGIT_BITS)
        if (sort_digit(room->keys[side], elements[side], n, shift, room->keys[1 - side],
                       elements[1 - side]))
            side = 1 - side;
    if (side == 1)
        memcpy(own, room->elements, (size_t)n * sizeof *own);
    for (int64_t i = 0; i < n / 2 && down; i++) {
        int32_t swap = own[i];
        own[i] = own[n - 1 - i];
        own[n - 1 - i] = swap;
    }
}

/* begin of every column, and its elements by number. *most: elements of the largest. */
static mplan_status fill_columns(tiling *t, int32_t *sequence, int64_t *most, mplan_error *err)
{
    int64_t n = t->view.table->n;
    t->begin = mplan_alloc_zero(t->n_columns + 2, sizeof *t->begin, err);
    if (!t->begin)
        return MPLAN_ERR_MEMORY;
    int64_t *place = t->begin + 1; /* ends up as begin */
    *most = 0;
    for (int64_t e = 0; e < n; e++)
        place[t->column[e] + 1]++;
    for (int64_t c = 0; c < t->n_columns; c++) {
        *most = place[c + 1] > *most ? place[c + 1] : *most;
        place[c + 1] += place[c];
    }
    for (int64_t e = 0; e < n; e++)
        sequence[place[t->column[e]]++] = (int32_t)e;
    return MPLAN_OK;
}

/* Columns go up and down by turns, empty ones left out. down: per column. */
static void turn_columns(const tiling *t, uint8_t *down)
{
    uint8_t next = 0;
    for (int64_t c = 0; c < t->n_columns; c++) {
        down[c] = next;
        next ^= t->begin[c + 1] > t->begin[c];
    }
}

typedef struct column_work {
    const tiling *t;
    const uint8_t *down;
    int32_t *sequence;
    sort_room *rooms; /* per thread */
} column_work;

/* Columns [begin, end), each by the thread that takes it. */
static void sort_piece(void *data, int thread, int64_t begin, int64_t end)
{
    const column_work *work = data;
    const tiling *t = work->t;
    for (int64_t c = begin; c < end; c++)
        if (t->begin[c + 1] > t->begin[c])
            sort_column(t, c, work->down[c] != 0, work->sequence, &work->rooms[thread]);
}

/* most: elements of the longest column. sequence: elements grouped by column in,
 * sorted within them out. */
static mplan_status sort_columns(const tiling *t, int64_t most, int32_t *sequence, mplan_error *err)
{
    int threads = mplan_team_threads(t->team);
    uint8_t *down = mplan_alloc(t->n_columns, 1, err);
    sort_room *rooms = mplan_alloc_zero(threads, sizeof *rooms, err);
    bool all = down && rooms;
    for (int i = 0; i < threads && all; i++) {
        rooms[i].keys[0] = mplan_alloc(most, sizeof **rooms[i].keys, err);
        rooms[i].keys[1] = mplan_alloc(most, sizeof **rooms[i].keys, err);
        rooms[i].elements = mplan_alloc(most, sizeof *rooms[i].elements, err);
        all = rooms[i].keys[0] && rooms[i].keys[1] && rooms[i].elements;
    }
    if (all) {
        turn_columns(t, down);
        column_work work = {t, down, sequence, rooms};
        mplan_for(t->view.table->n > ELEMENTS ? t->team : NULL, t->n_columns, COLUMNS, sort_piece,
                  &work);
    }
    for (int i = 0; rooms && i < threads; i++) {
        free(rooms[i].keys[0]);
        free(rooms[i].keys[1]);
        free(rooms[i].elements);
    }
    free(rooms);
    free(down);
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- the whole ---------------------------------------------------------------------------- */

/* Columns for every patch, and the sequence along them. *good: false where shapes do not fit.
 * The lattice is freed on the way but for the number of patches, since places are not needed any
 * more and the sequence needs the room. */
static mplan_status lay_out(tiling *t, int32_t tile, int32_t *sequence, bool *good, mplan_error *err)
{
    int64_t most = 0;
    t->patches = mplan_alloc_zero(t->lattice.n_patches, sizeof *t->patches, err);
    if (!t->patches)
        return MPLAN_ERR_MEMORY;
    *good = find_boxes(t);
    t->is_sheet = *good && is_sheet(t);
    mplan_status status = *good ? choose_shapes(t, tile, good, err) : MPLAN_OK;
    if (!status && *good)
        status = spot_elements(t, good, err);
    int32_t n_patches = t->lattice.n_patches;
    mplan_native_lattice_free(&t->lattice);
    t->lattice.n_patches = n_patches;
    if (!status && *good)
        status = fill_columns(t, sequence, &most, err);
    free(t->column);
    t->column = NULL;
    if (!status && *good)
        status = sort_columns(t, most, sequence, err);
    return status;
}

static void tiling_free(tiling *t)
{
    mplan_native_lattice_free(&t->lattice);
    free(t->patches);
    free(t->column);
    free(t->key);
    free(t->begin);
}

/* n elements in order into blocks of `tile`, or, if more blocks are wanted, into
 * that many of nearly equal size. */
mplan_status mplan_native_tile_cut(int64_t n, int32_t tile, int64_t wanted, int64_t **offsets,
                                   int64_t *n_blocks, mplan_error *err)
{
    assert(offsets && n_blocks && n >= 0 && tile > 0);
    int64_t least = n / tile + (n % tile != 0), blocks = wanted > least ? wanted : least;
    *offsets = mplan_alloc(blocks + 1, sizeof **offsets, err);
    if (!*offsets)
        return MPLAN_ERR_MEMORY;
    for (int64_t b = 0; b < blocks; b++)
        (*offsets)[b] = wanted > least ? b * (n / blocks) + b * (n % blocks) / blocks : b * tile;
    (*offsets)[blocks] = n;
    *n_blocks = blocks;
    return MPLAN_OK;
}

/* Points that tiles touch which are as their shapes promise. */
static double expected_points(const tiling *t)
{
    double sum = 0;
    for (int32_t p = 0; p < t->lattice.n_patches; p++) {
        int64_t end = p + 1 < t->lattice.n_patches ? t->patches[p + 1].first : t->n_columns;
        sum += t->patches[p].cost * (double)(t->begin[end] - t->begin[t->patches[p].first]);
    }
    return sum;
}

/* Whether refinement passes gain more from blocks that have room than tiles lose that are not full. */
static bool is_to_be_refined(tile_kind kind, mplan_effort effort)
{
    return effort != MPLAN_EFFORT_FAST &&
           (kind == TILE_SPACE_EDGES || (kind == TILE_PLANE_EDGES && effort == MPLAN_EFFORT_BEST));
}

/* Tiles of a grid, if elements lie in one and the tiles keep all limits: tiling_found->found;
 * else nothing is set. sequence: n, the caller's. Where refinement is to follow, blocks are
 * `wanted` where those are more, so that they have room. *offsets is owned by the caller. */
mplan_status mplan_native_tile(const native_table *table, const native_table *shape,
                               mplan_footprint *footprint, int32_t tile, int64_t wanted,
                               mplan_effort effort, int32_t *sequence, int64_t **offsets,
                               int64_t *n_blocks, native_tiling *tiling_found,
                               const mplan_context *context, mplan_error *err)
{
    assert(table && shape && footprint && sequence && offsets && n_blocks && tiling_found && tile > 0);
    tiling t = {.team = mplan_team_of(context)};
    bool found = false;
    int64_t *ends = NULL, blocks = 0, weight = -1;
    double expected = 0;
    mplan_block_origin origin = {.origin = MPLAN_ORIGIN_OTHER};
    *tiling_found = (native_tiling){.found = false};
    mplan_status status = mplan_native_graph_create(shape, &t.view, &t.lattice, &found,
                                                    mplan_team_of(context), err);
    if (!status && found)
        status = mplan_native_lattice_find(&t.lattice, &found, context, err);
    if (!status && found)
        status = lay_out(&t, tile, sequence, &found, err);
    if (!status && found) {
        expected = expected_points(&t) * shape->set_weight[t.view.set];
        origin = origin_of(&t);
    }
    tiling_free(&t);
    if (!status && found)
        status = mplan_native_tile_cut(table->n, tile,
                                       is_to_be_refined(t.view.kind, effort) ? wanted : 0, &ends,
                                       &blocks, err);
    if (!status && found)
        status = mplan_native_weigh(table, footprint, sequence, blocks, ends, &weight, context, err);
    if (!status && found && weight < 0 && shape->middles != NATIVE_NO_MIDDLES)
        status = mplan_native_corners_cut(table, footprint, sequence, &ends, &blocks, &weight,
                                          context, err);
    if (status || weight < 0) {
        free(ends);
        return status;
    }
    *offsets = ends;
    *n_blocks = blocks;
    *tiling_found = (native_tiling){.found = true,
                                    .kind = t.view.kind,
                                    .weight = weight,
                                    .origin = origin,
                                    .is_sure = table->n_sets == 1 && !t.is_sheet &&
                                               (double)weight < sure[t.view.kind] * expected};
    return MPLAN_OK;
}
