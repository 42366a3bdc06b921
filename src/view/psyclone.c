/* SPDX-License-Identifier: Apache-2.0 */
/* psyclone.c - colours, coloured tiles and dof maps in the terms of PSyclone's generated loops and LFRic's mesh_type
 *
 * After PSyclone (domain/lfric: cmap, tmap, last_edge_tile_per_colour, ...) and mesh_tiling_mod of LFRic core. Cells keep the
 * mesh's numbers, which an LFRic partition sorts: inner cells, from the deepest on, cells at the edge, halos by depth. So in a
 * colour, or in a tile, all cells up to a limit come first, and so do, in a colour, all tiles that have such cells. Deviation:
 * a tile is a block of any base mesh, of any shape. */
#include "view/psyclone.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "plan/strategies.h"
#include "view/plan_view.h"

/* What the steps share; arrays of cells are in the mesh's order. */
typedef struct maker {
    const mplan_plan *plan;
    int32_t loop;
    int64_t n_cells;
    const mplan_psyclone_options *asked;
    int64_t edge; /* how many cells are up to the edge */
    mplan_vector *arrays;
    mplan_error *err;
} maker;

void mplan_psyclone_free(mplan_vector *arrays)
{
    assert(arrays);
    mplan_psyclone_array *all = arrays->data;
    for (int64_t i = 0; i < arrays->count; i++) {
        free(all[i].i32);
        free(all[i].i64);
    }
    free(arrays->data);
    *arrays = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(mplan_psyclone_array));
}

/* An array of zeros of up to three dimensions, which are named; NULL with err filled. `wide`: of 64 bits.
 * The vector may move with each array that is added: keep addresses of numbers, not of arrays. */
static mplan_psyclone_array *add_array(maker *m, const char *name, const char *about, int32_t rank,
                                       const char *const *dimensions, const int64_t *shape, bool wide)
{
    mplan_psyclone_array added = {.about = about, .rank = rank};
    snprintf(added.name, sizeof added.name, "%s", name);
    for (int32_t d = 0; d < rank; d++) {
        snprintf(added.dimension[d], sizeof added.dimension[d], "%s", dimensions[d]);
        added.shape[d] = shape[d];
    }
    const int64_t n = mplan_psyclone_count(&added);
    if (wide)
        added.i64 = mplan_alloc_zero(n, sizeof *added.i64, m->err);
    else
        added.i32 = mplan_alloc_zero(n, sizeof *added.i32, m->err);
    if ((!added.i64 && !added.i32) || mplan_vector_push(m->arrays, &added, m->err)) {
        free(added.i32);
        free(added.i64);
        return NULL;
    }
    return (mplan_psyclone_array *)m->arrays->data + m->arrays->count - 1;
}

/* An array of rank 0, of 64 bits where the number needs them. */
static mplan_status add_number(maker *m, const char *name, const char *about, int64_t value)
{
    mplan_psyclone_array *made = add_array(m, name, about, 0, NULL, NULL, value > INT32_MAX);
    if (made && made->i64)
        made->i64[0] = value;
    else if (made)
        made->i32[0] = (int32_t)value;
    return made ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- limits ---------------------------------------------------------------------------------- */

/* How many cells are up to limit k: edge, then inner halos by depth from 1, then outer ones.
 * Of a kind whose depths are not given there is one, with the limit of the edge. */
static int64_t limit_of(const maker *m, int32_t k)
{
    if (k == 0)
        return m->edge;
    k--;
    const int32_t n_inner = m->asked->n_inner ? m->asked->n_inner : 1;
    if (k < n_inner)
        return m->asked->n_inner ? m->asked->last_inner[k] : m->edge;
    k -= n_inner;
    return m->asked->n_halo ? m->asked->last_halo[k] : m->edge;
}

/* How many limits a kind with n given depths has; see limit_of. */
static int32_t depths(int32_t n)
{
    return n ? n : 1;
}

/* Which of the ranges between limits a cell is in: in the order of the cells.
 * cell: the mesh's number, from 0. The range is how many limits are at or below it. */
static int32_t range_of(const maker *m, int32_t cell)
{
    const int32_t n = 1 + depths(m->asked->n_inner) + depths(m->asked->n_halo);
    int32_t range = 0;
    for (int32_t k = 0; k < n; k++)
        range += cell >= limit_of(m, k);
    return range;
}

/* Limits ascend: inner cells from the deepest, edge, halos.
 * Each limit is a number of cells in [0, n_cells]. Sets m->edge, which is all cells where none is given. */
static mplan_status check_limits(maker *m)
{
    const mplan_psyclone_options *o = m->asked;
    m->edge = o->last_edge < 0 ? m->n_cells : o->last_edge;
    int64_t before = 0;
    bool good = o->n_inner >= 0 && o->n_halo >= 0 && (o->n_inner == 0 || o->last_inner) &&
                (o->n_halo == 0 || o->last_halo);
    for (int32_t d = o->n_inner - 1; d >= 0 && good; d--) {
        good = o->last_inner[d] >= before;
        before = o->last_inner[d];
    }
    good = good && m->edge >= before;
    before = m->edge;
    for (int32_t d = 0; d < o->n_halo && good; d++) {
        good = o->last_halo[d] >= before;
        before = o->last_halo[d];
    }
    if (good && before <= m->n_cells)
        return MPLAN_OK;
    return mplan_fail(m->err, MPLAN_ERR_ARGUMENT,
                      "the last inner cells must descend with their depth, the last cells of halos ascend, "
                      "the edge must be between them, and there are %lld cells",
                      (long long)m->n_cells);
}

/* --- lists by colour --------------------------------------------------------------------------- */

/* Lists with equal colours behind one another: list l has cells cells[start[l]] ... ascending, and one colour. */
typedef struct lists {
    int64_t n;
    int32_t n_colours;
    int64_t *start; /* n + 1 */
    int32_t *cells;
    int32_t *colour;    /* n, from 0 */
    int32_t *place;     /* n: which of its colour, from 0 */
    int64_t most;       /* of one colour */
    int64_t longest;    /* cells of one list */
    int64_t *of_colour; /* n_colours: how many */
} lists;

static void free_lists(lists *of)
{
    free(of->start);
    free(of->cells);
    free(of->colour);
    free(of->place);
    free(of->of_colour);
    *of = (lists){0};
}

/* A tile, to be sorted. */
typedef struct tile_key {
    int32_t colour, range, block;
} tile_key;

/* By colour, range, then number. No two tiles are equal, so that every qsort gives the same order. */
static int compare_tiles(const void *left, const void *right)
{
    const tile_key *a = left, *b = right;
    if (a->colour != b->colour)
        return a->colour < b->colour ? -1 : 1;
    if (a->range != b->range)
        return a->range < b->range ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

/* place and colour of each list, in the order of colours and, in a colour, of the ranges in which lists begin.
 * start, cells and colour are there before; longest, most and of_colour are there after it. */
static mplan_status place_lists(const maker *m, lists *of)
{
    tile_key *keys = mplan_alloc(of->n, sizeof *keys, m->err);
    of->place = mplan_alloc(of->n, sizeof *of->place, m->err);
    of->of_colour = mplan_alloc_zero(of->n_colours, sizeof *of->of_colour, m->err);
    if (!keys || !of->place || !of->of_colour) {
        free(keys);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t l = 0; l < of->n; l++) {
        const int64_t length = of->start[l + 1] - of->start[l];
        keys[l] = (tile_key){of->colour[l], length ? range_of(m, of->cells[of->start[l]]) : 0,
                             (int32_t)l};
        of->longest = length > of->longest ? length : of->longest;
    }
    if (of->n > 1)
        qsort(keys, (size_t)of->n, sizeof *keys, compare_tiles);
    for (int64_t i = 0; i < of->n; i++)
        of->place[keys[i].block] = (int32_t)of->of_colour[keys[i].colour]++;
    for (int32_t c = 0; c < of->n_colours; c++)
        of->most = of->of_colour[c] > of->most ? of->of_colour[c] : of->most;
    free(keys);
    return MPLAN_OK;
}

/* One list for each number in list_of, which has one for each cell; colour_of: of each cell.
 * Both have n_cells entries; what is below 0 is refused. A counting sort, so that cells of a list ascend. Cells of
 * one list have one colour. */
static mplan_status make_lists(const maker *m, const int32_t *list_of, const int32_t *colour_of,
                               lists *of)
{
    for (int64_t e = 0; e < m->n_cells; e++) {
        if (list_of[e] < 0 || colour_of[e] < 0)
            return mplan_fail(m->err, MPLAN_ERR_DISPROVED, "element %lld has no colour",
                              (long long)e);
        of->n = list_of[e] >= of->n ? list_of[e] + INT64_C(1) : of->n;
        of->n_colours = colour_of[e] >= of->n_colours ? colour_of[e] + 1 : of->n_colours;
    }
    of->start = mplan_alloc_zero(of->n + 2, sizeof *of->start, m->err);
    of->cells = mplan_alloc(m->n_cells, sizeof *of->cells, m->err);
    of->colour = mplan_alloc_zero(of->n, sizeof *of->colour, m->err);
    if (!of->start || !of->cells || !of->colour)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < m->n_cells; e++) /* start[l + 2]: where list l + 1 begins, in the end */
        of->start[list_of[e] + 2]++;
    for (int64_t l = 0; l < of->n; l++)
        of->start[l + 2] += of->start[l + 1];
    for (int64_t e = 0; e < m->n_cells; e++) {
        of->cells[of->start[list_of[e] + 1]++] = (int32_t)e;
        of->colour[list_of[e]] = colour_of[e];
    }
    return place_lists(m, of);
}

/* Cells of list l before a limit.
 * Cells of a list ascend: those before the limit come first. */
static int64_t cells_before(const lists *of, int64_t l, int64_t limit)
{
    int64_t n = 0;
    while (n < of->start[l + 1] - of->start[l] && of->cells[of->start[l] + n] < limit)
        n++;
    return n;
}

/* --- the arrays of colours and tiles -------------------------------------------------------------- */

/* Names of the arrays with limits: by colour (lists are tiles, or with one cell each cells), and by list. */
typedef struct limit_names {
    const char *of_colour[3], *of_list[3]; /* edge, inner, halo */
} limit_names;

static const char *const about_limits[3] = {"limit of loops over the cells of a partition",
                                            "limit of loops over inner cells, by depth from 1",
                                            "limit of loops up to a depth of the halo, from 1"};

/* Arrays of one kind of limit: kind 0 edge, 1 inner, 2 halo; first: of limit_of; n: depths.
 * By colour: n_colours x n, how many lists have a cell before the limit. By list: n_colours x most x n, how many
 * cells of it are before the limit. The colour runs fastest in both. */
static mplan_status add_limit(maker *m, const lists *of, const char *const *dimensions,
                              const limit_names *names, int kind, int32_t first, int32_t n)
{
    const int64_t by_colour[2] = {of->n_colours, n}, by_list[3] = {of->n_colours, of->most, n};
    const char *const depth = kind == 1 ? "inner_depth" : "halo_depth";
    const char *const colour_names[2] = {dimensions[0], depth};
    const char *const list_names[3] = {dimensions[0], dimensions[1], depth};
    mplan_psyclone_array *made = add_array(m, names->of_colour[kind], about_limits[kind],
                                           kind ? 2 : 1, colour_names, by_colour, false);
    int32_t *per_colour = made ? made->i32 : NULL, *per_list = NULL;
    if (made && names->of_list[kind]) {
        made = add_array(m, names->of_list[kind], about_limits[kind], kind ? 3 : 2, list_names,
                         by_list, false);
        per_list = made ? made->i32 : NULL;
    }
    if (!made)
        return MPLAN_ERR_MEMORY;
    for (int32_t d = 0; d < n; d++)
        for (int64_t l = 0; l < of->n; l++) {
            const int64_t cells = cells_before(of, l, limit_of(m, first + d));
            per_colour[of->colour[l] + (int64_t)of->n_colours * d] += cells > 0;
            if (per_list)
                per_list[of->colour[l] + of->n_colours * (of->place[l] + of->most * d)] = (int32_t)cells;
        }
    return MPLAN_OK;
}

/* All three kinds; limits are numbered as in limit_of: the edge is 0, then inner depths, then depths of halos. */
static mplan_status add_limits(maker *m, const lists *of, const char *const *dimensions,
                               const limit_names *names)
{
    const int32_t n_inner = depths(m->asked->n_inner), n_halo = depths(m->asked->n_halo);
    mplan_status status = add_limit(m, of, dimensions, names, 0, 0, 1);
    if (!status)
        status = add_limit(m, of, dimensions, names, 1, 1, n_inner);
    return status ? status : add_limit(m, of, dimensions, names, 2, 1 + n_inner, n_halo);
}

/* How many lists each colour has. */
static mplan_status add_counts(maker *m, const lists *of, const char *name, const char *about,
                               const char *const *dimensions)
{
    const int64_t shape[1] = {of->n_colours};
    mplan_psyclone_array *made = add_array(m, name, about, 1, dimensions, shape, false);
    for (int32_t c = 0; made && c < of->n_colours; c++)
        made->i32[c] = (int32_t)of->of_colour[c];
    return made ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* cmap and what belongs to it; every cell is a list.
 * colour: n_cells entries, from 0. The place of a list is then the place of its cell in the colour. */
static mplan_status add_colours(maker *m, const int32_t *colour)
{
    static const char *const dimensions[] = {"colour", "cell_of_colour"};
    static const limit_names names = {
        {"last_edge_cell_all_colours", "last_inner_cell_all_colours", "last_halo_cell_all_colours"},
        {NULL, NULL, NULL}};
    lists of = {0};
    int32_t *own = mplan_alloc(m->n_cells, sizeof *own, m->err);
    mplan_status status = own ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t e = 0; own && e < m->n_cells; e++)
        own[e] = (int32_t)e;
    if (!status)
        status = make_lists(m, own, colour, &of);
    free(own);
    if (!status)
        status = add_number(m, "ncolour", "colours of cells", of.n_colours);
    if (!status)
        status = add_counts(m, &of, "ncells_per_colour", "cells of each colour", dimensions);
    const int64_t shape[2] = {of.n_colours, of.most};
    mplan_psyclone_array *map = status
                                    ? NULL
                                    : add_array(m, "cmap", "cell number, from 1; 0 behind the last",
                                                2, dimensions, shape, false);
    if (!status && !map)
        status = MPLAN_ERR_MEMORY;
    for (int64_t l = 0; !status && l < of.n; l++)
        map->i32[of.colour[l] + of.n_colours * (int64_t)of.place[l]] = (int32_t)l + 1;
    if (!status)
        status = add_limits(m, &of, dimensions, &names);
    free_lists(&of);
    return status;
}

/* tmap, and the cells of each tile.
 * Fortran's tmap(colour, tile, cell) is at colour + n_colours (tile + most cell), all from 0. */
static mplan_status add_tile_map(maker *m, const lists *of, const char *const *dimensions)
{
    const int64_t shape[3] = {of->n_colours, of->most, of->longest};
    mplan_psyclone_array *made = add_array(m, "ncells_per_coloured_tile", "cells of each tile", 2,
                                           dimensions, shape, false);
    for (int64_t l = 0; made && l < of->n; l++)
        made->i32[of->colour[l] + (int64_t)of->n_colours * of->place[l]] = (int32_t)(of->start[l + 1] -
                                                                                     of->start[l]);
    made = made ? add_array(m, "tmap", "cell number, from 1; 0 behind the last", 3, dimensions,
                            shape, false)
                : NULL;
    for (int64_t l = 0; made && l < of->n; l++)
        for (int64_t k = of->start[l]; k < of->start[l + 1]; k++)
            made->i32[of->colour[l] + of->n_colours * (of->place[l] + of->most * (k - of->start[l]))] =
                of->cells[k] + 1;
    return made ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* block, colour: n_cells entries from 0, each cell's tile and the colour of that tile. Tiles are lists here. */
static mplan_status add_tiles(maker *m, const int32_t *block, const int32_t *colour)
{
    static const char *const dimensions[] = {"tile_colour", "tile", "cell_of_tile"};
    static const limit_names names = {
        {"last_edge_tile_per_colour", "last_inner_tile_per_colour", "last_halo_tile_per_colour"},
        {"last_edge_cell_per_colour_and_tile", "last_inner_cell_per_colour_and_tile",
         "last_halo_cell_per_colour_and_tile"}};
    lists of = {0};
    mplan_status status = make_lists(m, block, colour, &of);
    if (!status)
        status = add_number(m, "ntilecolours", "colours of tiles", of.n_colours);
    if (!status)
        status = add_counts(m, &of, "ntiles_per_colour", "tiles of each colour", dimensions);
    if (!status)
        status = add_tile_map(m, &of, dimensions);
    if (!status)
        status = add_limits(m, &of, dimensions, &names);
    free_lists(&of);
    return status;
}

/* The first variant whose strategy has the trait; -1 without one. */
static int32_t variant_of(const mplan_plan_loop *loop, mplan_trait trait)
{
    for (int32_t v = 0; v < loop->n_variants; v++)
        if (mplan_strategy_has(loop->variants[v].strategy, trait))
            return v;
    return -1;
}

/* Colours of a variant with global colours, tiles of one with colours of blocks; *any: the loop has one of them. */
static mplan_status add_maps(maker *m, bool *any)
{
    const mplan_plan_loop *loop = &m->plan->loops[m->loop];
    static const mplan_trait traits[] = {MPLAN_TRAIT_GLOBAL_COLOURS, MPLAN_TRAIT_THREAD_COLOURS};
    mplan_status status = MPLAN_OK;
    *any = false;
    for (int i = 0; i < 2 && !status; i++) {
        const int32_t v = variant_of(loop, traits[i]);
        if (v < 0)
            continue;
        const mplan_view view = {m->plan, m->loop, v, loop->variants[v].block_set};
        mplan_view_values values = {0};
        status = mplan_view_values_of(&view, loop->set, &values, m->err);
        if (!status && i == 0 && values.global_colour)
            status = add_colours(m, values.global_colour);
        else if (!status && i == 1 && values.block && values.block_colour)
            status = add_tiles(m, values.block, values.block_colour);
        *any = true;
        mplan_view_values_free(&values);
    }
    return status;
}

/* --- dof maps -------------------------------------------------------------------------------------- */

/* map(df, cell) of an arg with levels: the dof of the lowest layer, from 1; the layer above is stride further. Levels of a
 * column lie one behind the other, columns in the mesh's order. 0: no point. */
static mplan_status add_dof_map(maker *m, const mplan_plan_arg *arg)
{
    static const char *const about =
        "dof of the lowest layer, from 1: layer k has map + stride * k; 0: none";
    const mplan_plan_set *set = &m->plan->sets[m->plan->loops[m->loop].set];
    const int32_t to = arg->map < 0 ? m->plan->loops[m->loop].set : m->plan->maps[arg->map].to;
    const int32_t *new_of_old = mplan_plan_data(m->plan,
                                                mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD,
                                                                 m->plan->loops[m->loop].set),
                                                MPLAN_TYPE_I32, NULL);
    const int32_t *old_of_new = mplan_plan_data(m->plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, to),
                                                MPLAN_TYPE_I32, NULL);
    char name[96], ndf[96];
    snprintf(name, sizeof name, "map_%.80s", arg->dat);
    snprintf(ndf, sizeof ndf, "df_%.80s", arg->dat);
    const int64_t undf = m->plan->sets[to].size * arg->layers.levels;
    const int64_t shape[2] = {arg->layers.n_slots, set->size};
    const char *const dimensions[2] = {ndf, "cell"};
    mplan_psyclone_array *made = add_array(m, name, about, 2, dimensions, shape, undf > INT32_MAX);
    if (!made)
        return MPLAN_ERR_MEMORY;
    const mplan_map map = arg->map < 0 ? (mplan_map){0} : mplan_plan_stored_map(m->plan, arg->map);
    for (int64_t e = 0; e < set->size; e++)
        for (int32_t s = 0; s < arg->layers.n_slots; s++) {
            const int64_t row = new_of_old[e], i = s + arg->layers.n_slots * e;
            const int32_t p = arg->map < 0 ? (int32_t)row
                                           : map.values[row * map.arity + arg->layers.slots[s].of];
            const int64_t dof = p < 0 ? 0
                                      : (int64_t)old_of_new[p] * arg->layers.levels +
                                            arg->layers.slots[s].offset + 1;
            if (made->i64)
                made->i64[i] = dof;
            else
                made->i32[i] = (int32_t)dof;
        }
    snprintf(name, sizeof name, "undf_%.80s", arg->dat);
    return add_number(m, name, "dofs in all", undf);
}

/* Each dat once, by its first arg with levels; matrices (rows above 0) have none. *any is set where a dat has one,
 * and else stays as it was. */
static mplan_status add_dof_maps(maker *m, bool *any)
{
    const mplan_plan_loop *loop = &m->plan->loops[m->loop];
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && !status; a++) {
        bool before = loop->args[a].layers.levels == 0 || loop->args[a].layers.rows > 0;
        for (int32_t b = 0; b < a; b++)
            before = before || (strcmp(loop->args[a].dat, loop->args[b].dat) == 0 &&
                                loop->args[b].layers.levels);
        if (before)
            continue;
        *any = true;
        status = add_dof_map(m, &loop->args[a]);
    }
    return status;
}

/* Numbers of the mesh come first, then colours, tiles and dof maps: this is their order in files, too. */
mplan_status mplan_psyclone_arrays(const mplan_plan *plan, const mplan_psyclone_options *options,
                                   mplan_vector *arrays, mplan_error *err)
{
    assert(plan && options && arrays);
    mplan_view view;
    mplan_view_options what = MPLAN_VIEW_OPTIONS_INIT;
    what.loop = options->loop;
    bool colours = false, dofs = false;
    mplan_status status = mplan_view_find(plan, &what, &view, err);
    if (status)
        return status;
    maker m = {.plan = plan,
               .loop = view.loop,
               .n_cells = plan->sets[plan->loops[view.loop].set].size,
               .asked = options,
               .arrays = arrays,
               .err = err};
    status = m.n_cells > 0 ? check_limits(&m)
                           : mplan_fail(err, MPLAN_ERR_ARGUMENT, "loop %s has no elements",
                                        plan->loops[view.loop].name);
    if (!status)
        status = add_number(&m, "ncell", "cells, halos included", m.n_cells);
    if (!status && plan->sets[plan->loops[view.loop].set].layers)
        status = add_number(&m, "nlayers", "layers of the highest column",
                            plan->sets[plan->loops[view.loop].set].layers);
    if (!status)
        status = add_maps(&m, &colours);
    if (!status)
        status = add_dof_maps(&m, &dofs);
    if (!status && !colours && !dofs)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "loop %s has neither colours nor levels: plan it with global-colour, "
                            "block-colour or both",
                            plan->loops[view.loop].name);
    return status;
}
