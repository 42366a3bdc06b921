/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - where the numbers of a mesh are in its files: lists of it, as bytes and back */
#include "formats/places.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shared_memory.h"
#include "formats/side_order.h"

/* A path that ends with 0; bytes behind are 0, too. */
typedef struct path_text {
    char text[MPLAN_PLACES_PATH];
} path_text;

/* It takes no memory yet. */
void mplan_places_begin(mplan_places *layout)
{
    assert(layout);
    *layout = (mplan_places){.paths = MPLAN_VECTOR_INIT(sizeof(path_text)),
                             .arrays = MPLAN_VECTOR_INIT(sizeof(mplan_places_array)),
                             .blocks = MPLAN_VECTOR_INIT(sizeof(mplan_places_block)),
                             .tables = MPLAN_VECTOR_INIT(sizeof(mplan_places_table)),
                             .points = MPLAN_VECTOR_INIT(sizeof(mplan_places_points)),
                             .sets = MPLAN_VECTOR_INIT(sizeof(mplan_places_set)),
                             .layers = MPLAN_VECTOR_INIT(sizeof(mplan_places_layers)),
                             .groups = MPLAN_VECTOR_INIT(sizeof(mplan_places_group))};
}

/* Of a layout that was begun, also after a failure. What was borrowed from it is invalid afterwards. */
void mplan_places_free(mplan_places *layout)
{
    assert(layout);
    free(layout->paths.data);
    free(layout->arrays.data);
    free(layout->blocks.data);
    free(layout->tables.data);
    free(layout->points.data);
    free(layout->sets.data);
    free(layout->layers.data);
    free(layout->groups.data);
}

/* --- entries ------------------------------------------------------------------------------------- */

/* The path is copied. Equal paths are not looked for. */
int32_t mplan_places_add_path(mplan_places *layout, const char *path, mplan_error *err)
{
    assert(layout && path);
    path_text added = {{0}};
    if (strlen(path) >= sizeof added.text) {
        mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "a path of more than %d bytes", MPLAN_PLACES_PATH - 1);
        return -1;
    }
    memcpy(added.text, path, strlen(path));
    return mplan_vector_push(&layout->paths, &added, err) ? -1 : (int32_t)layout->paths.count - 1;
}

/* Products that fit into the file do not overflow on the way.
 * array->size: bytes of a number, 1 and more. The array is copied. *index is left as it is after a failure. */
mplan_status mplan_places_add_array(mplan_places *layout, const mplan_places_array *array,
                                    int64_t size, int32_t *index, mplan_error *err)
{
    assert(layout && array && index && array->size > 0);
    const int64_t room = array->at >= 0 && array->at <= size ? size - array->at : -1;
    const int64_t rows = array->rows, cols = array->cols;
    if (rows < 0 || cols < 0 || room < 0 ||
        (rows > 0 && cols > 0 && (rows > room / array->size || cols > room / array->size / rows)))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: byte %lld: the file ends too early: %lld x %lld numbers of %d bytes%s%s "
                          "are to follow from byte %lld on",
                          mplan_places_path_of(layout, array), (long long)size, (long long)rows,
                          (long long)cols, array->size, array->member[0] ? " of " : "",
                          array->member, (long long)array->at);
    mplan_status status = mplan_vector_push(&layout->arrays, array, err);
    if (!status)
        *index = (int32_t)layout->arrays.count - 1;
    return status;
}

/* A name that fits is copied, zeros behind it. */
static mplan_status take_name(char to[MPLAN_PLACES_NAME], const char *name, mplan_error *err)
{
    if (strlen(name) >= MPLAN_PLACES_NAME)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "a name of more than %d bytes: %.40s...",
                          MPLAN_PLACES_NAME - 1, name);
    memcpy(to, name, strlen(name));
    return MPLAN_OK;
}

/* Blocks that are added next are the table's. */
mplan_status mplan_places_add_table(mplan_places *layout, const char *name, const char *from,
                                    const char *to, mplan_places_table **table, mplan_error *err)
{
    assert(layout && name && from && to);
    mplan_places_table added = {.to_size = -1,
                                .has_none = true,
                                .offsets = -1,
                                .counts = -1,
                                .block = (int32_t)layout->blocks.count};
    mplan_status status = take_name(added.name, name, err);
    if (!status)
        status = take_name(added.from, from, err);
    if (!status)
        status = take_name(added.to, to, err);
    if (!status)
        status = mplan_vector_push(&layout->tables, &added, err);
    if (!status && table)
        *table = (mplan_places_table *)layout->tables.data + layout->tables.count - 1;
    return status;
}

/* order: as many numbers as cells of the type have nodes; without a type it is not looked at. As the blocks of a table lie
 * one behind the other, no other table may be begun between them. */
mplan_status mplan_places_add_block(mplan_places *layout, int32_t array, int32_t type,
                                    const int8_t *order, mplan_error *err)
{
    assert(layout && layout->tables.count > 0 && array >= 0);
    mplan_places_table *table = (mplan_places_table *)layout->tables.data + layout->tables.count - 1;
    mplan_places_block added = {.array = array, .type = type};
    for (int k = 0; k < MPLAN_PLACES_NODES; k++)
        added.order[k] = (int8_t)k;
    const int32_t n = type >= 0 ? mplan_cell_type_nodes((mplan_cell_type)type) : 0;
    for (int k = 0; k < n && order; k++)
        added.order[k] = order[k];
    table->n_blocks++;
    return mplan_vector_push(&layout->blocks, &added, err);
}

mplan_status mplan_places_add_set(mplan_places *layout, const char *name, int64_t size,
                                  mplan_error *err)
{
    assert(layout && name && size >= 0);
    mplan_places_set added = {.size = size};
    mplan_status status = take_name(added.name, name, err);
    return status ? status : mplan_vector_push(&layout->sets, &added, err);
}

mplan_status mplan_places_add_group(mplan_places *layout, const char *name, const char *set,
                                    int64_t number, int32_t kind, mplan_places_group **group,
                                    mplan_error *err)
{
    assert(layout && name && name[0] && set && group && kind < MPLAN_N_GROUP_KINDS);
    mplan_places_group added = {.number = number, .kind = kind, .array = -1, .other = -1};
    mplan_status status = take_name(added.name, name, err);
    if (!status)
        status = take_name(added.set, set, err);
    if (!status)
        status = mplan_vector_push(&layout->groups, &added, err);
    if (!status)
        *group = (mplan_places_group *)layout->groups.data + layout->groups.count - 1;
    return status;
}

mplan_status mplan_places_add_layers(mplan_places *layout, const char *of,
                                     mplan_places_layers **layers, mplan_error *err)
{
    assert(layout && of && layers);
    mplan_places_layers added = {.first = -1, .last = -1};
    mplan_status status = take_name(added.of, of, err);
    if (!status)
        status = mplan_vector_push(&layout->layers, &added, err);
    if (!status)
        *layers = (mplan_places_layers *)layout->layers.data + layout->layers.count - 1;
    return status;
}

mplan_status mplan_places_add_points(mplan_places *layout, const char *name, int32_t dimension,
                                     mplan_places_points **points, mplan_error *err)
{
    assert(layout && name && points);
    mplan_places_points added = {.dimension = dimension, .array = {-1, -1, -1}, .degrees = {1, 1}};
    mplan_status status = take_name(added.name, name, err);
    if (!status)
        status = mplan_vector_push(&layout->points, &added, err);
    if (!status)
        *points = (mplan_places_points *)layout->points.data + layout->points.count - 1;
    return status;
}

mplan_status mplan_places_refuse(const char *path, const char *what, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: %s, and cannot be read by ranges: convert it first (meshplan convert, to exodus, npz, "
                      "foam, ...), or give --whole-input",
                      path, what);
}

mplan_cell_type mplan_places_type(int32_t dimension, int64_t n)
{
    if (dimension == 1)
        return n == 2 ? MPLAN_CELL_LINE2 : MPLAN_N_CELL_TYPES;
    if (dimension == 2)
        return n == 3 ? MPLAN_CELL_TRI3 : n == 4 ? MPLAN_CELL_QUAD4 : MPLAN_N_CELL_TYPES;
    switch (n) {
    case 4: return MPLAN_CELL_TET4;
    case 5: return MPLAN_CELL_PYRAMID5;
    case 6: return MPLAN_CELL_PRISM6;
    case 8: return MPLAN_CELL_HEX8;
    default: return MPLAN_N_CELL_TYPES;
    }
}

/* --- as bytes ------------------------------------------------------------------------------------ */

enum { N_LISTS = 7 };

/* What is before the lists: how many entries each has. */
typedef struct head {
    uint64_t flags;
    int64_t n[N_LISTS];
} head;

/* Those that are sent, in this order. */
static void lists_of(mplan_places *layout, mplan_vector *lists[N_LISTS])
{
    lists[0] = &layout->arrays;
    lists[1] = &layout->blocks;
    lists[2] = &layout->tables;
    lists[3] = &layout->points;
    lists[4] = &layout->sets;
    lists[5] = &layout->layers;
    lists[6] = &layout->groups;
}

mplan_status mplan_places_send(const mplan_places *layout, int fd, mplan_error *err)
{
    assert(layout);
    mplan_places copy = *layout; /* of the lists' places only */
    mplan_vector *lists[N_LISTS];
    head about = {.flags = layout->flags};
    lists_of(&copy, lists);
    for (int i = 0; i < N_LISTS; i++)
        about.n[i] = lists[i]->count;
    mplan_status status = mplan_shared_write(fd, &about, sizeof about, err);
    for (int i = 0; i < N_LISTS && !status; i++)
        if (lists[i]->count > 0)
            status = mplan_shared_write(fd, lists[i]->data,
                                        (size_t)lists[i]->count * lists[i]->size, err);
    return status;
}

/* A text that ends in its room. */
static bool ends(const char text[MPLAN_PLACES_NAME])
{
    return memchr(text, 0, MPLAN_PLACES_NAME) != NULL;
}

/* An index of an array, or -1 where there may be none. */
static bool is_array(const mplan_places *layout, int32_t index, bool may_lack)
{
    return (index >= 0 && index < layout->arrays.count) || (may_lack && index == -1);
}

/* Bytes of flags are compared as bytes, since a bool that holds another number than 0 and 1 is none. */
static bool is_flag(const bool *flag)
{
    uint8_t byte;
    memcpy(&byte, flag, 1);
    return byte <= 1;
}

/* Kinds and sizes that read_tables.c can take; the place is compared with the file by mplan_places_add_array. */
static bool is_sound_array(const mplan_places_array *a)
{
    const bool whole = (a->kind == 'i' || a->kind == 'u') &&
                       (a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8);
    const bool real = a->kind == 'f' && (a->size == 4 || a->size == 8);
    return (whole || real) && a->path == 0 && ends(a->member) && is_flag(&a->big_endian) &&
           is_flag(&a->by_column) && a->cols <= INT32_MAX;
}

/* Cells have as many columns as nodes, each of which names another one. */
static bool is_sound_block(const mplan_places *layout, const mplan_places_block *b)
{
    uint32_t seen = 0;
    if (!is_array(layout, b->array, false) || b->type < -1 || b->type >= MPLAN_N_CELL_TYPES)
        return false;
    const int32_t n = b->type < 0 ? 0 : mplan_cell_type_nodes((mplan_cell_type)b->type);
    if (b->type >= 0 && mplan_places_get_array(layout, b->array)->cols != n)
        return false;
    for (int32_t k = 0; k < n; k++) {
        if (b->order[k] < 0 || b->order[k] >= n || (seen >> b->order[k] & 1))
            return false;
        seen |= UINT32_C(1) << b->order[k];
    }
    return true;
}

static bool is_sound_table(const mplan_places *layout, const mplan_places_table *t)
{
    bool sound = ends(t->name) && ends(t->from) && ends(t->to) && is_flag(&t->has_none) &&
                 is_flag(&t->below) && is_flag(&t->nan) && is_flag(&t->perhaps) &&
                 is_flag(&t->makes_sets) && t->n_sizes >= 0 && t->n_sizes <= MPLAN_PLACES_SIZES &&
                 t->base >= 0 && t->base <= 1 && t->to_size >= -1 && t->n_fills >= 0 &&
                 t->n_fills <= 3 && t->lengths >= 0 && t->lengths <= MPLAN_PLACES_COUNTS &&
                 t->types >= 0 && t->types <= MPLAN_PLACES_POLYGONS && t->dimension >= 0 &&
                 t->dimension <= 3 && t->n_blocks >= 1 && t->block >= 0 &&
                 t->n_blocks <= layout->blocks.count - t->block && t->offsets == -1 &&
                 t->first_offset == 0 && is_array(layout, t->counts, true) &&
                 (t->lengths == MPLAN_PLACES_COUNTS) == (t->counts >= 0);
    const mplan_places_block *blocks = layout->blocks.data;
    for (int32_t b = 0; b < t->n_blocks && sound; b++)
        sound = (blocks[t->block + b].type < 0) == (blocks[t->block].type < 0) &&
                (t->lengths == MPLAN_PLACES_FIXED || (t->n_blocks == 1 && blocks[t->block].type < 0));
    return sound;
}

static bool is_sound_points(const mplan_places *layout, const mplan_places_points *p)
{
    int64_t cols = 0;
    bool sound = ends(p->name) && (p->dimension == 2 || p->dimension == 3) && is_flag(&p->sphere) &&
                 is_flag(&p->perhaps_plane) && is_array(layout, p->array[0], false);
    for (int32_t d = 0; d < 3 && sound; d++) {
        sound = is_array(layout, p->array[d], true) && (d < p->dimension || p->array[d] < 0);
        if (sound && p->array[d] >= 0)
            cols += mplan_places_get_array(layout, p->array[d])->cols;
        if (sound && d > 0 && p->array[d] >= 0)
            sound = p->array[d - 1] >= 0 && mplan_places_get_array(layout, p->array[d])->cols == 1 &&
                    mplan_places_get_array(layout, p->array[d])->rows ==
                        mplan_places_get_array(layout, p->array[0])->rows;
    }
    return sound && cols >= 1 && cols <= p->dimension && (!p->sphere || p->dimension == 3);
}

/* Levels are an array of one column; the number of their members is compared when the set is known. */
static bool is_levels(const mplan_places *layout, int32_t index)
{
    return is_array(layout, index, true) &&
           (index < 0 || mplan_places_get_array(layout, index)->cols == 1);
}

static bool is_sound_layers(const mplan_places *layout, const mplan_places_layers *l)
{
    const bool shape = ends(l->of) && ends(l->word) && is_flag(&l->follows) &&
                       is_levels(layout, l->first) && is_levels(layout, l->last);
    const bool follows = l->first == -1 && l->last == -1 &&
                         (l->rule == MPLAN_LAYERS_COMMON || l->rule == MPLAN_LAYERS_SPANNED);
    return shape && (l->follows ? follows
                                : l->layers >= 1 && l->layers <= MPLAN_MAX_LAYERS && l->minus >= 0 &&
                                      l->minus <= 1 && (l->last >= 0 || l->first == -1));
}

/* Rows of elements have as many columns as these have nodes; other arrays have one. */
static bool is_sound_group(const mplan_places *layout, const mplan_places_group *g)
{
    if (!ends(g->name) || !ends(g->set) || g->name[0] == 0 || g->kind < 0 ||
        g->kind >= MPLAN_N_GROUP_KINDS || !is_array(layout, g->array, true) ||
        !is_levels(layout, g->other) || g->type < 0 || g->type >= MPLAN_N_CELL_TYPES)
        return false;
    const mplan_places_array *a = g->array < 0 ? NULL : mplan_places_get_array(layout, g->array);
    const mplan_places_array *o = g->other < 0 ? NULL : mplan_places_get_array(layout, g->other);
    switch (g->kind) {
    case MPLAN_GROUP_RUN:
        return !a && !o && g->first >= 0 && g->n >= 0 && g->first <= INT64_MAX - g->n;
    case MPLAN_GROUP_LIST: return a && a->cols == 1 && !o;
    case MPLAN_GROUP_SIDES:
        return a && a->cols == 1 && o && o->rows == a->rows &&
               (g->numbering == MPLAN_NUMBERING_EXODUS || g->numbering == MPLAN_NUMBERING_CGNS);
    default:
        return a && a->cols == mplan_cell_type_nodes((mplan_cell_type)g->type) &&
               (g->kind == MPLAN_GROUP_ROWS ? o != NULL && g->first >= 0 : !o || o->rows == a->rows);
    }
}

/* Any entry; the bytes of one may begin anywhere. */
typedef union entry {
    mplan_places_array array;
    mplan_places_block block;
    mplan_places_table table;
    mplan_places_points points;
    mplan_places_set set;
    mplan_places_layers layers;
    mplan_places_group group;
} entry;

/* Whether an entry of a list but the first is sound: arrays are taken, and the lists before this one. */
static bool is_sound(const mplan_places *layout, int list, const entry *e)
{
    switch (list) {
    case 1: return is_sound_block(layout, &e->block);
    case 2: return is_sound_table(layout, &e->table);
    case 3: return is_sound_points(layout, &e->points);
    case 4: return ends(e->set.name) && e->set.size >= 0;
    case 5: return is_sound_layers(layout, &e->layers);
    default: return is_sound_group(layout, &e->group);
    }
}

/* Entries are copied one by one as they are found sound; arrays come first, since all others name them. */
static mplan_status take_entries(mplan_places *layout, int64_t size, int list, int64_t n,
                                 const char *data, mplan_error *err)
{
    mplan_vector *lists[N_LISTS];
    mplan_status status = MPLAN_OK;
    lists_of(layout, lists);
    for (int64_t i = 0; i < n && !status; i++) {
        entry e;
        int32_t index;
        memcpy(&e, data + (size_t)i * lists[list]->size, lists[list]->size);
        if (list == 0 ? !is_sound_array(&e.array) : !is_sound(layout, list, &e))
            status = mplan_fail(err, MPLAN_ERR_CORRUPT, "entry %lld of list %d does not hold",
                                (long long)i, list);
        else if (list == 0)
            status = mplan_places_add_array(layout, &e.array, size, &index, err);
        else
            status = mplan_vector_push(lists[list], &e, err);
    }
    return status;
}

mplan_status mplan_places_receive(mplan_places *layout, const char *path, int64_t size,
                                  const void *data, size_t bytes, mplan_error *err)
{
    assert(layout && path && layout->arrays.count == 0);
    head about;
    mplan_vector *lists[N_LISTS];
    size_t at = sizeof about;
    lists_of(layout, lists);
    if (mplan_places_add_path(layout, path, err) < 0)
        return err ? err->status : MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    if (bytes < sizeof about)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "the lists end too early");
    else
        memcpy(&about, data, sizeof about);
    if (!status && about.flags > MPLAN_PLACES_ALL)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "the flags are %llu",
                            (unsigned long long)about.flags);
    for (int i = 0; i < N_LISTS && !status; i++) {
        if (about.n[i] < 0 || (uint64_t)about.n[i] > (bytes - at) / lists[i]->size)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT, "list %d ends too early", i);
        else
            status = take_entries(layout, size, i, about.n[i], (const char *)data + at, err);
        if (!status)
            at += (size_t)about.n[i] * lists[i]->size;
    }
    if (!status && at != bytes)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "bytes follow the lists");
    if (!status)
        layout->flags = (uint32_t)about.flags;
    return status;
}
