/* SPDX-License-Identifier: Apache-2.0 */
/* read_groups.c - groups of a mesh file, of members and of facets, for a mesh that is spread over ranks
 *
 * Each rank reads a share of what lists members, nodes or sides, and sends it to the ranks that have the members or cells; no
 * rank has a list of all. Facets stay where they are found until faces are derived (mpi_facets.c). Functions are collective but
 * where they say otherwise. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/side_order.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_groups.h"
#include "mpi/mpi_ids.h"
#include "mpi/read_layout.h"

/* A group while its parts are read: what this rank has of it. kept: numbers of this rank's rows by array, of those that several
 * groups share; NULL where they were not read yet. */
typedef struct collecting {
    const mpi_readers *readers;
    const mplan_places *layout;
    mpi_mesh *mesh;
    int64_t **kept;
    bool listed, faced;                 /* parts of members, or of facets, were read */
    int64_t n_before;                   /* facets of all ranks in the parts before */
    mplan_vector members;               /* int64_t */
    mplan_vector types, nodes, numbers; /* of facets: uint8_t, int64_t, int64_t */
} collecting;

/* --- numbers ---------------------------------------------------------------------------------- */

/* The rows of this rank where those of an array are dealt out evenly. Not collective. */
static int64_t share_of(const collecting *c, int32_t array, int64_t *begin)
{
    const int64_t rows = mplan_places_get_array(c->layout, array)->rows;
    *begin = mpi_range_first(rows, c->mesh->ranks, c->mesh->rank);
    return mpi_range_first(rows, c->mesh->ranks, c->mesh->rank + 1) - *begin;
}

/* The rank whose share has a row. Not collective. */
static int32_t range_of(int64_t rows, int32_t ranks, int64_t row)
{
    const int64_t each = rows / ranks, longer = rows % ranks; /* the first `longer` have one more */
    return (int32_t)(row < longer * (each + 1) ? row / (each + 1)
                                               : longer + (row - longer * (each + 1)) / each);
}

/* Numbers of this rank's share, which are the caller's, or with `keep` the group's. least: of them. */
static mplan_status read_share(const collecting *c, int32_t array, const char *what, int64_t least,
                               bool keep, int64_t **out, mplan_error *err)
{
    int64_t begin;
    const int64_t n = share_of(c, array, &begin);
    *out = keep ? c->kept[array] : NULL;
    if (*out)
        return MPLAN_OK;
    mplan_status status = mpi_read_wholes(c->readers, c->layout, array, begin, n, what, least, out,
                                          err);
    if (keep)
        c->kept[array] = *out;
    return status;
}

/* row: of the array, from 0. Not collective. */
static mplan_status out_of_range(const collecting *c, const mplan_places_group *g, int64_t row,
                                 int64_t number, const char *set, int64_t size, mplan_error *err)
{
    char label[MPI_LABEL];
    mpi_label_of(c->layout, g->array, label);
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: row %lld: %lld is out of range: set '%s' has %lld members, numbered from 1",
                      label, (long long)row + 1, (long long)number, set, (long long)size);
}

/* --- members -------------------------------------------------------------------------------------- */

/* Those of the run that this rank has. */
static mplan_status add_run(collecting *c, const mplan_places_group *g, int32_t set, mplan_error *err)
{
    const mpi_set *of = &c->mesh->sets[set];
    const int64_t begin = of->first[c->mesh->rank], end = of->first[c->mesh->rank + 1];
    mplan_status status = MPLAN_OK;
    if (g->n < 0 || g->n > of->size || g->first < 0 ||
        g->first > of->size - g->n) /* alike on all ranks */
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "group %s: %lld members from %lld on of set '%s', which has %lld", g->name,
                          (long long)g->n, (long long)g->first, of->name, (long long)of->size);
    const int64_t low = g->first > begin ? g->first : begin;
    const int64_t high = g->first + g->n < end ? g->first + g->n : end;
    int64_t *out = low < high ? mplan_vector_reserve(&c->members, high - low, err) : NULL;
    if (low < high && !out)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = low; i < high && out; i++)
        out[i - low] = i;
    c->members.count += out ? high - low : 0;
    return mpi_agree(c->mesh->comm, status, err);
}

/* Numbers of the list, to the ranks that have the members. */
static mplan_status add_list(collecting *c, const mplan_places_group *g, int32_t set, mplan_error *err)
{
    const mpi_set *of = &c->mesh->sets[set];
    int64_t begin, *ids = NULL;
    const int64_t n = share_of(c, g->array, &begin);
    mpi_items got = {0};
    mplan_status status = read_share(c, g->array, "a member", 1, false, &ids, err);
    int32_t *to = status ? NULL : mplan_alloc(n, sizeof *to, err);
    if (!status && !to)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        if (ids[i] > of->size) {
            status = out_of_range(c, g, begin + i, ids[i], of->name, of->size, err);
        } else {
            ids[i]--;
            to[i] = mpi_rank_of(of->first, c->mesh->ranks, ids[i]);
        }
    }
    status = mpi_exchange_mixed(c->mesh->comm, status, sizeof *ids, ids, n, to, &got, err);
    for (int64_t i = 0; i < got.n && !status; i++)
        status = mplan_vector_push(&c->members, (const int64_t *)got.data + i, err);
    mpi_items_free(&got);
    free(ids);
    free(to);
    return mpi_agree(c->mesh->comm, status, err);
}

/* --- facets ------------------------------------------------------------------------------------------ */

/* A facet by its n corners. Not collective, as the next. */
static mplan_status add_facet(collecting *c, int32_t n, const int64_t corner[4], int64_t number,
                              mplan_error *err)
{
    const uint8_t type = (uint8_t)mplan_facet_type(n);
    mplan_status status = mplan_vector_push(&c->types, &type, err);
    if (!status)
        status = mplan_vector_push(&c->numbers, &number, err);
    for (int32_t k = 0; k < n && !status; k++)
        status = mplan_vector_push(&c->nodes, &corner[k], err);
    return status;
}

/* Row i of this rank's share: the corners of its element, whose nodes begin with them. */
static mplan_status add_row(collecting *c, const mplan_places_group *g, const mpi_set *of,
                            const int64_t *rows, int64_t begin, int64_t i, int64_t number,
                            mplan_error *err)
{
    const mplan_cell_type type = (mplan_cell_type)g->type;
    const int32_t n = mplan_cell_type_corners(type), cols = mplan_cell_type_nodes(type);
    int64_t corner[4];
    for (int32_t k = 0; k < n; k++) {
        const int64_t node = rows[i * cols + k];
        if (node < 1 || node > of->size)
            return out_of_range(c, g, begin + i, node, of->name, of->size, err);
        corner[k] = node - 1;
    }
    return add_facet(c, n, corner, number, err);
}

/* Elements on the boundary, all of an array or those of a number. */
static mplan_status add_rows(collecting *c, const mplan_places_group *g, int32_t set, mplan_error *err)
{
    const bool keep = g->other >= 0;
    int64_t begin, *rows = NULL, *tags = NULL, count = 0;
    const int64_t n = share_of(c, g->array, &begin);
    mplan_status status = read_share(c, g->array, "a node", INT64_MIN, keep, &rows, err);
    if (!status && keep)
        status = read_share(c, g->other, "the number of a surface", INT64_MIN, true, &tags, err);
    if (status)
        return status; /* of all ranks */
    for (int64_t i = 0; i < n; i++)
        count += !tags || tags[i] == g->tag;
    int64_t number = c->n_before + mpi_sum_before(c->mesh->comm, count);
    for (int64_t i = 0; i < n && !status; i++)
        if (!tags || tags[i] == g->tag)
            status = add_row(c, g, &c->mesh->sets[set], rows, begin, i, number++, err);
    c->n_before += mpi_sum(c->mesh->comm, count);
    if (!keep)
        free(rows);
    return mpi_agree(c->mesh->comm, status, err);
}

/* A row that goes to the rank which reads it. */
typedef struct listed_row {
    int64_t row, number; /* of the array; of the facet in its group */
} listed_row;

/* Rows that a list names: each goes to the rank whose share of the array it is in. */
static mplan_status add_listed(collecting *c, const mplan_places_group *g, int32_t set,
                               mplan_error *err)
{
    const int64_t rows = mplan_places_get_array(c->layout, g->array)->rows;
    int64_t begin, list_begin, *nodes = NULL, *list = NULL, sent = 0;
    const int64_t n = share_of(c, g->other, &list_begin);
    (void)share_of(c, g->array, &begin);
    mpi_items got = {0};
    mplan_status status = read_share(c, g->array, "a node", INT64_MIN, true, &nodes, err);
    if (!status)
        status = read_share(c, g->other, "an element", INT64_MIN, true, &list, err);
    listed_row *items = status ? NULL : mplan_alloc(n, sizeof *items, err);
    int32_t *to = status ? NULL : mplan_alloc(n, sizeof *to, err);
    if (!status && (!items || !to))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        if (list[i] >= g->first && list[i] - g->first < rows) {
            items[sent] = (listed_row){list[i] - g->first, c->n_before + list_begin + i};
            to[sent++] = range_of(rows, c->mesh->ranks, list[i] - g->first);
        }
    status = mpi_exchange_mixed(c->mesh->comm, status, sizeof *items, items, sent, to, &got, err);
    for (int64_t i = 0; i < got.n && !status; i++) {
        const listed_row *item = (const listed_row *)got.data + i;
        status = add_row(c, g, &c->mesh->sets[set], nodes, begin, item->row - begin, item->number,
                         err);
    }
    mpi_items_free(&got);
    free(items);
    free(to);
    return mpi_agree(c->mesh->comm, status, err);
}

/* A side that goes to the rank of its cell. */
typedef struct side {
    int64_t cell, side, number;
} side;

/* Sides of own cells become facets. map: from the cells to their nodes. Not collective. */
static mplan_status take_sides(collecting *c, const mplan_places_group *g, const mpi_map *map,
                               const mpi_items *got, mplan_error *err)
{
    const mpi_set *cells = &c->mesh->sets[map->from];
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < got->n && !status; i++) {
        const side *s = (const side *)got->data + i;
        const int64_t own = s->cell - cells->first[c->mesh->rank];
        const mplan_cell_type type = (mplan_cell_type)cells->cell_type[own];
        int64_t length, corner[4];
        int8_t place[4];
        const int64_t *row = mpi_map_row(map, own, &length);
        const int32_t n = mplan_side_corners((mplan_numbering)g->numbering, type, s->side, place);
        for (int32_t k = 0; k < n; k++)
            corner[k] = row[place[k]];
        status = n > 0 ? add_facet(c, n, corner, s->number, err)
                       : mplan_fail(err, MPLAN_ERR_MESH,
                                    "group %s: element %lld (%s) has no side %lld", g->name,
                                    (long long)s->cell + 1, mplan_cell_type_name(type),
                                    (long long)s->side);
    }
    return status;
}

/* Cells and the numbers of their sides. */
static mplan_status add_sides(collecting *c, const mplan_places_group *g, int32_t set,
                              mplan_error *err)
{
    const mpi_set *of = &c->mesh->sets[set];
    const int32_t map = mpi_mesh_find_map(c->mesh, "cells_nodes");
    int64_t begin, *cells = NULL, *numbers = NULL;
    const int64_t n = share_of(c, g->array, &begin);
    mpi_items got = {0};
    if (map < 0 || c->mesh->maps[map].from != set || c->mesh->dimension == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "group %s: cells have no sides", g->name);
    mplan_status status = read_share(c, g->array, "an element", 1, false, &cells, err);
    if (!status)
        status = read_share(c, g->other, "a side", 1, false, &numbers, err);
    side *sides = status ? NULL : mplan_alloc(n, sizeof *sides, err);
    int32_t *to = status ? NULL : mplan_alloc(n, sizeof *to, err);
    if (!status && (!sides || !to))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        if (cells[i] > of->size) {
            status = out_of_range(c, g, begin + i, cells[i], of->name, of->size, err);
        } else {
            sides[i] = (side){cells[i] - 1, numbers[i], c->n_before + begin + i};
            to[i] = mpi_rank_of(of->first, c->mesh->ranks, sides[i].cell);
        }
    }
    status = mpi_exchange_mixed(c->mesh->comm, status, sizeof *sides, sides, n, to, &got, err);
    if (!status)
        status = take_sides(c, g, &c->mesh->maps[map], &got, err);
    c->n_before += mplan_places_get_array(c->layout, g->array)->rows;
    mpi_items_free(&got);
    free(cells);
    free(numbers);
    free(sides);
    free(to);
    return mpi_agree(c->mesh->comm, status, err);
}

/* --- groups ------------------------------------------------------------------------------------------- */

/* A part of the group; all ranks take the same way. */
static mplan_status add_part(collecting *c, const mplan_places_group *g, int32_t set, mplan_error *err)
{
    c->listed = c->listed || g->kind == MPLAN_GROUP_RUN || g->kind == MPLAN_GROUP_LIST;
    c->faced = c->faced || g->kind >= MPLAN_GROUP_SIDES;
    if (g->kind > MPLAN_GROUP_SIDES && mplan_cell_type_corners((mplan_cell_type)g->type) > 4)
        return mplan_fail(err, MPLAN_ERR_MESH, "group %s: an element of %d corners is not a facet",
                          g->name, (int)mplan_cell_type_corners((mplan_cell_type)g->type));
    switch (g->kind) {
    case MPLAN_GROUP_RUN: return add_run(c, g, set, err);
    case MPLAN_GROUP_LIST: return add_list(c, g, set, err);
    case MPLAN_GROUP_SIDES: return add_sides(c, g, set, err);
    case MPLAN_GROUP_FACETS: return add_rows(c, g, set, err);
    default: return add_listed(c, g, set, err);
    }
}

/* The mesh takes over the facets, if any rank has some. */
static mplan_status hand_facets(collecting *c, const char *name, mplan_error *err)
{
    mpi_mesh *mesh = c->mesh;
    if (mpi_sum(mesh->comm, c->types.count) == 0)
        return MPLAN_OK;
    mpi_facets *grown = mplan_realloc(mesh->facets, mesh->n_facets + 1, sizeof *grown, err);
    if (grown)
        mesh->facets = grown;
    char *copy = grown ? mplan_strdup(name, err) : NULL;
    const mplan_status status = mpi_agree(mesh->comm, copy ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (status) {
        free(copy);
        return status;
    }
    mpi_facets *added = &grown[mesh->n_facets++];
    *added = (mpi_facets){.name = copy, .n = c->types.count, .n_nodes = c->nodes.count};
    added->type = mplan_vector_take(&c->types);
    added->nodes = mplan_vector_take(&c->nodes);
    added->number = mplan_vector_take(&c->numbers);
    return MPLAN_OK;
}

/* What was collected becomes a group of the mesh, and the next one begins. */
static mplan_status hand_over(collecting *c, const char *name, int32_t set, mplan_error *err)
{
    mpi_mesh *mesh = c->mesh;
    mplan_status status = c->faced ? hand_facets(c, name, err) : MPLAN_OK;
    if (!status && c->listed) {
        int64_t n = c->members.count, *members = mplan_vector_take(&c->members);
        n = n > 0 ? mpi_each_once(members, n, err) : 0;
        status = mpi_agree(mesh->comm, n < 0 ? MPLAN_ERR_MEMORY : MPLAN_OK, err);
        if (!status)
            status = mpi_groups_add(mesh, name, set, n, members, err);
        else
            free(members);
    }
    c->types.count = c->nodes.count = c->numbers.count = c->members.count = 0;
    c->listed = c->faced = false;
    c->n_before = 0;
    return status;
}

/* Memory of all that was not handed over. Not collective. */
static void release(collecting *c)
{
    for (int64_t a = 0; c->kept && a < c->layout->arrays.count; a++)
        free(c->kept[a]);
    free(c->kept);
    free(c->members.data);
    free(c->types.data);
    free(c->nodes.data);
    free(c->numbers.data);
}

mplan_status mpi_read_groups(const mpi_readers *readers, const mplan_places *layout, mpi_mesh *mesh,
                             mplan_error *err)
{
    assert(readers && layout && mesh && mesh->n_groups == 0 && mesh->n_facets == 0);
    const mplan_places_group *groups = layout->groups.data;
    collecting c = {.readers = readers,
                    .layout = layout,
                    .mesh = mesh,
                    .kept = mplan_alloc_zero(layout->arrays.count, sizeof *c.kept, err),
                    .members = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                    .types = MPLAN_VECTOR_INIT(sizeof(uint8_t)),
                    .nodes = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                    .numbers = MPLAN_VECTOR_INIT(sizeof(int64_t))};
    mplan_status status = mpi_agree(mesh->comm, c.kept ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    mesh->left_groups = !(layout->flags & MPLAN_PLACES_GROUPS);
    for (int64_t g = 0; g < layout->groups.count && !status; g++) {
        const int32_t set = mpi_mesh_find_set(mesh, groups[g].set);
        const bool last = g + 1 == layout->groups.count || groups[g + 1].number != groups[g].number ||
                          strcmp(groups[g + 1].set, groups[g].set) != 0;
        status = set < 0 ? mplan_fail(err, MPLAN_ERR_MESH, "group %s: there is no set '%s'",
                                      groups[g].name, groups[g].set)
                         : add_part(&c, &groups[g], set, err);
        if (groups[g].kind == MPLAN_GROUP_ROWS && (last || groups[g + 1].other != groups[g].other))
            c.n_before += mplan_places_get_array(layout, groups[g].other)->rows;
        if (!status && last)
            status = hand_over(&c, groups[g].name, set, err);
    }
    release(&c);
    return status;
}
