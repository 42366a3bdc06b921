/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_transfer.c - a mesh as a sequence of bytes, written and read
 *
 * Numbers are int64_t; a text is its length and its bytes; texts and arrays are filled up with zeros
 * to whole words. In order: mark, words (number of sets, maps, groups, groups of facets; what follows: 1 types of
 * cells, 2 layers), format, name of the faces, sets, maps, types of cells, groups, groups of facets, layers. */
#include "mesh/mesh_transfer.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/shared_memory.h"
#include "mesh/mesh_checks.h"

enum { WORD = 8, BUFFER = 1 << 16, MOST_SETS = 1 << 16, MOST_NAME = 1 << 16 };
static const int64_t mark = 0x314853454d4c504d;

/* --- writing -------------------------------------------------------------------------------- */

typedef struct sender {
    int fd;
    size_t used;
    mplan_status status;
    mplan_error *err;
    uint8_t buffer[BUFFER];
} sender;

/* The first failure stays in to->status, and nothing is written after it. */
static void flush_out(sender *to)
{
    if (!to->status && to->used)
        to->status = mplan_shared_write(to->fd, to->buffer, to->used, to->err);
    to->used = 0;
}

/* Collects small pieces in a buffer. The first failure is kept in to->status, and later
 * calls do nothing. */
static void put_bytes(sender *to, const void *data, size_t bytes)
{
    if (bytes > BUFFER - to->used)
        flush_out(to);
    if (bytes > BUFFER) {
        if (!to->status)
            to->status = mplan_shared_write(to->fd, data, bytes, to->err);
    } else if (bytes) {
        memcpy(to->buffer + to->used, data, bytes);
        to->used += bytes;
    }
}

/* With zeros up to the next word. */
static void put_array(sender *to, const void *data, int64_t count, size_t size)
{
    static const uint8_t zeros[WORD];
    size_t bytes = (size_t)count * size;
    put_bytes(to, data, bytes);
    put_bytes(to, zeros, (WORD - bytes % WORD) % WORD);
}

/* 8 bytes, in this machine's order: both ends are one machine. */
static void put_number(sender *to, int64_t number)
{
    put_bytes(to, &number, sizeof number);
}

/* NULL goes as "". */
static void put_text(sender *to, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(to, (int64_t)length);
    put_array(to, text, (int64_t)length, 1);
}

/* Each: name, size, dimension (0: no coordinates), coordinates. */
static void put_sets(sender *to, const mplan_mesh *mesh)
{
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const mplan_mesh_set_data *set = &mesh->sets[s];
        int32_t dimension = set->coordinates ? set->dimension : 0;
        put_text(to, set->name);
        put_number(to, set->size);
        put_number(to, dimension);
        put_array(to, set->coordinates, set->size * dimension, sizeof *set->coordinates);
    }
}

/* Each: name, from, to, arity, offsets where the arity is 0, entries. */
static void put_maps(sender *to, const mplan_mesh *mesh)
{
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        put_text(to, map.name);
        put_number(to, map.from);
        put_number(to, map.to);
        put_number(to, map.arity);
        if (map.arity == 0)
            put_array(to, map.offsets, map.n_rows + 1, sizeof *map.offsets);
        put_array(to, map.values, mplan_map_entries(&map), sizeof *map.values);
    }
}

/* Groups of members first, then facets that wait for their faces. */
static void put_groups(sender *to, const mplan_mesh *mesh)
{
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        const mplan_mesh_group_data *group = &mesh->groups[g];
        put_text(to, group->name);
        put_number(to, group->id);
        put_number(to, group->dimension);
        put_number(to, group->set);
        put_number(to, group->n_members);
        put_array(to, group->members, group->n_members, sizeof *group->members);
    }
    for (int32_t g = 0; g < mesh->n_facet_groups; g++) {
        const mplan_mesh_facets *facets = &mesh->facets[g];
        int64_t n = 0;
        for (int64_t f = 0; f < facets->n_facets; f++)
            n += mplan_cell_type_nodes((mplan_cell_type)facets->type[f]);
        put_text(to, facets->name);
        put_number(to, facets->id);
        put_number(to, facets->n_facets);
        put_array(to, facets->type, facets->n_facets, sizeof *facets->type);
        put_array(to, facets->nodes, n, sizeof *facets->nodes);
    }
}

static bool has_layers(const mplan_mesh *mesh)
{
    bool any = false;
    for (int32_t s = 0; s < mesh->n_sets; s++)
        any = any || mesh->sets[s].layers;
    return any;
}

/* For each set: layers, whether columns have ranges (1) and a mask (2), and these. */
static void put_layers(sender *to, const mplan_mesh *mesh)
{
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const mplan_mesh_set_data *set = &mesh->sets[s];
        put_number(to, set->layers);
        put_number(to, (set->ranges != NULL) | (set->mask != NULL) << 1);
        put_array(to, set->ranges, set->ranges ? 2 * set->size : 0, sizeof *set->ranges);
        put_array(to, set->mask, set->mask ? set->size * mplan_mask_words(set->layers) : 0,
                  sizeof *set->mask);
    }
}

/* Texts with their length, numbers as 64-bit words; both sides are programs of one
 * build on one machine. */
mplan_status mplan_mesh_send(const mplan_mesh *mesh, int fd, mplan_error *err)
{
    sender *to = mplan_alloc(1, sizeof *to, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    to->fd = fd;
    to->used = 0;
    to->status = MPLAN_OK;
    to->err = err;
    int32_t cells = mplan_mesh_find_set(mesh, "cells");
    bool typed = mesh->cell_type && cells >= 0, layered = has_layers(mesh);
    const int64_t words[] = {mark,           mesh->n_sets,         mesh->n_maps,
                             mesh->n_groups, mesh->n_facet_groups, typed | layered << 1};
    put_array(to, words, sizeof words / sizeof *words, sizeof *words);
    put_text(to, mesh->format);
    put_text(to, mesh->faces_name);
    put_sets(to, mesh);
    put_maps(to, mesh);
    if (typed)
        put_array(to, mesh->cell_type, mesh->sets[cells].size, sizeof *mesh->cell_type);
    put_groups(to, mesh);
    if (layered)
        put_layers(to, mesh);
    flush_out(to);
    mplan_status status = to->status;
    free(to);
    return status;
}

/* --- reading -------------------------------------------------------------------------------- */

/* Bytes at [at, size) are still to come; at is a multiple of WORD. */
typedef struct receiver {
    const uint8_t *data;
    size_t at, size;
    mplan_mesh *mesh;
    mplan_error *err;
} receiver;

/* At the byte of the stream. */
static mplan_status fail_at(const receiver *from, const char *what)
{
    return mplan_fail(from->err, MPLAN_ERR_CORRUPT, "byte %zu: %s", from->at, what);
}

/* One word in [least, most], else the data are damaged. *number is 0 after a failure. */
static mplan_status take_number(receiver *from, int64_t least, int64_t most, int64_t *number)
{
    *number = 0;
    if (from->size - from->at < WORD)
        return fail_at(from, "it ends too early");
    memcpy(number, from->data + from->at, WORD);
    if (*number < least || *number > most)
        return fail_at(from, "a number is out of range");
    from->at += WORD;
    return MPLAN_OK;
}

/* Steps over an array; *found: where it is. */
static mplan_status step_over(receiver *from, int64_t count, size_t size, const void **found)
{
    size_t left = from->size - from->at;
    if (count < 0 || (uint64_t)count > left / size)
        return fail_at(from, "an array is longer than the rest of the bytes");
    size_t bytes = (size_t)count * size, padded = (bytes + WORD - 1) / WORD * WORD;
    if (padded > left)
        return fail_at(from, "it ends too early");
    *found = from->data + from->at;
    from->at += padded;
    return MPLAN_OK;
}

/* A copy of an array, from mplan_alloc. */
static mplan_status take_array(receiver *from, int64_t count, size_t size, void *out)
{
    const void *found = NULL;
    mplan_status status = step_over(from, count, size, &found);
    if (status)
        return status;
    void *copy = mplan_copy(found, count, size, from->err);
    memcpy(out, &copy, sizeof copy);
    return copy ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* A text, to be released. */
static mplan_status take_text(receiver *from, char **text)
{
    int64_t length = 0;
    const void *found = NULL;
    mplan_status status = take_number(from, 0, MOST_NAME, &length);
    if (!status)
        status = step_over(from, length, 1, &found);
    if (!status && length > 0 && memchr(found, 0, (size_t)length))
        status = fail_at(from, "a name contains a zero byte");
    if (status)
        return status;
    *text = mplan_alloc(length + 1, 1, from->err);
    if (!*text)
        return MPLAN_ERR_MEMORY;
    if (length > 0)
        memcpy(*text, found, (size_t)length);
    (*text)[length] = '\0';
    return MPLAN_OK;
}

/* The receiver believes nothing: each count is compared with the bytes that are left
 * before memory is taken. */
static mplan_status take_set(receiver *from)
{
    char *name = NULL;
    double *coordinates = NULL;
    int64_t size = 0, dimension = 0;
    int32_t set = -1;
    mplan_status status = take_text(from, &name);
    if (!status)
        status = take_number(from, 0, INT32_MAX - 1, &size);
    if (!status)
        status = take_number(from, 0, 3, &dimension);
    if (!status)
        status = mplan_mesh_add_set(from->mesh, name, size, &set, from->err);
    if (!status && dimension > 0)
        status = take_array(from, size * dimension, sizeof *coordinates, &coordinates);
    if (!status && dimension > 0)
        status = mplan_mesh_take_coordinates(from->mesh, set, (int32_t)dimension, coordinates,
                                             from->err);
    free(name);
    return status;
}

/* Sets must exist; entries are checked by mplan_mesh_take_map. */
static mplan_status take_map(receiver *from)
{
    char *name = NULL;
    int64_t of[3] = {0, 0, 0}, *offsets = NULL;
    int32_t *values = NULL;
    int64_t n_sets = from->mesh->n_sets, entries = 0;
    mplan_status status = take_text(from, &name);
    for (int i = 0; i < 3 && !status; i++)
        status = take_number(from, 0, i < 2 ? n_sets - 1 : INT32_MAX, &of[i]);
    int64_t n_rows = status ? 0 : from->mesh->sets[of[0]].size;
    if (!status && of[2] == 0) {
        status = take_array(from, n_rows + 1, sizeof *offsets, &offsets);
        entries = status ? 0 : offsets[n_rows];
    } else if (!status) {
        entries = n_rows * of[2]; /* both below 2^31 */
    }
    if (!status)
        status = take_array(from, entries, sizeof *values, &values);
    if (!status)
        status = mplan_mesh_take_map(from->mesh, name, (int32_t)of[0], (int32_t)of[1],
                                     (int32_t)of[2], offsets, values, NULL, from->err);
    else
        free(offsets);
    free(name);
    return status;
}

/* All cells are of one dimension, and types fit their rows. */
static mplan_status check_types(const receiver *from, const mplan_map *nodes, const uint8_t *type,
                                int32_t *dimension)
{
    *dimension = 0;
    mplan_status status = mplan_check_cells(nodes, type, NULL, from->err);
    for (int64_t c = 0; c < nodes->n_rows && !status; c++) {
        int32_t own = mplan_cell_shape_of((mplan_cell_type)type[c])->dimension;
        if (own < 1 || (c > 0 && own != *dimension))
            return fail_at(from, "cells are of different dimensions");
        *dimension = own;
    }
    return status;
}

/* Cell types come after the maps, whose map cells_nodes they must fit. */
static mplan_status take_types(receiver *from)
{
    mplan_mesh *mesh = from->mesh;
    int32_t cells = mplan_mesh_find_set(mesh, "cells"), nodes = mplan_mesh_find_set(mesh, "nodes");
    int32_t index = mplan_mesh_find_map(mesh, "cells_nodes");
    if (cells < 0 || nodes < 0 || index < 0 || mesh->maps[index].from != cells ||
        mesh->maps[index].to != nodes)
        return fail_at(from, "there are types, but no cells");
    mplan_map map = mplan_mesh_map(mesh, index);
    uint8_t *type = NULL;
    int32_t dimension = 0;
    mplan_status status = take_array(from, map.n_rows, sizeof *type, &type);
    if (!status)
        status = check_types(from, &map, type, &dimension);
    if (status) {
        free(type);
        return status;
    }
    mesh->cell_type = type;
    mesh->dimension = dimension;
    return MPLAN_OK;
}

/* Members are checked by mplan_mesh_take_group. */
static mplan_status take_group(receiver *from)
{
    char *name = NULL;
    int64_t id = 0, dimension = 0, set = 0, n = 0;
    int32_t *members = NULL;
    mplan_status status = take_text(from, &name);
    if (!status)
        status = take_number(from, INT64_MIN, INT64_MAX, &id);
    if (!status)
        status = take_number(from, -1, 3, &dimension);
    if (!status)
        status = take_number(from, 0, (int64_t)from->mesh->n_sets - 1, &set);
    if (!status)
        status = take_number(from, 0, INT32_MAX, &n);
    if (!status)
        status = take_array(from, n, sizeof *members, &members);
    if (!status)
        status = mplan_mesh_take_group(from->mesh, name, id, (int32_t)dimension, (int32_t)set, n,
                                       members, from->err);
    free(name);
    return status;
}

/* Types decide how many nodes follow. */
static mplan_status take_facets(receiver *from)
{
    char *name = NULL;
    int64_t id = 0, n = 0, entries = 0;
    const void *found = NULL;
    uint8_t *type = NULL;
    int32_t *nodes = NULL;
    mplan_status status = take_text(from, &name);
    if (!status)
        status = take_number(from, INT64_MIN, INT64_MAX, &id);
    if (!status)
        status = take_number(from, 0, INT32_MAX, &n);
    if (!status)
        status = take_array(from, n, sizeof *type, &type);
    for (int64_t f = 0; !status && f < n; f++) {
        if (type[f] >= MPLAN_N_CELL_TYPES)
            status = fail_at(from, "a facet of unknown type");
        else
            entries += mplan_cell_type_nodes((mplan_cell_type)type[f]);
    }
    if (!status)
        status = step_over(from, entries, sizeof *nodes, &found);
    if (!status)
        status = mplan_mesh_add_facets(from->mesh, name, id, n, type, found, from->err);
    free(type);
    free(name);
    return status;
}

/* Ranges are checked by mplan_mesh_take_layers, and bits of a mask beside them are cleared; the numbers of sets without layers
 * are 0. */
static mplan_status take_layers(receiver *from, int32_t s)
{
    int64_t layers = 0, more = 0;
    int32_t *ranges = NULL;
    uint32_t *mask = NULL;
    mplan_status status = take_number(from, 0, MPLAN_MAX_LAYERS, &layers);
    if (!status)
        status = take_number(from, 0, layers ? 3 : 0, &more);
    if (!status && (more & 1))
        status = take_array(from, 2 * from->mesh->sets[s].size, sizeof *ranges, &ranges);
    if (!status && layers)
        status = mplan_mesh_take_layers(from->mesh, s, (int32_t)layers, ranges, from->err);
    if (!status && (more & 2))
        status = take_array(from, from->mesh->sets[s].size * mplan_mask_words((int32_t)layers),
                            sizeof *mask, &mask);
    if (!status && (more & 2))
        mplan_mesh_take_mask(from->mesh, s, mask);
    return status;
}

/* Names are checked as those of a caller are: a program that read a file is not trusted. */
static mplan_status take_names(receiver *from)
{
    char *format = NULL, *faces = NULL;
    mplan_status status = take_text(from, &format);
    if (!status)
        status = take_text(from, &faces);
    if (!status && *format)
        status = mplan_mesh_set_format(from->mesh, format, from->err);
    if (!status && *faces)
        status = mplan_mesh_set_faces_name(from->mesh, faces, from->err);
    free(format);
    free(faces);
    return status;
}

/* In the order of mplan_mesh_send. Nothing may follow the last item. */
static mplan_status take_mesh(receiver *from)
{
    enum { SETS, MAPS, GROUPS, FACETS };
    int64_t found, n[4] = {0, 0, 0, 0}, more = 0;
    mplan_status status = take_number(from, mark, mark, &found);
    for (int i = 0; i < 4 && !status; i++)
        status = take_number(from, 0, i < GROUPS ? MOST_SETS : INT32_MAX / 4, &n[i]);
    if (!status)
        status = take_number(from, 0, 3, &more);
    if (!status)
        status = take_names(from);
    for (int64_t s = 0; !status && s < n[SETS]; s++)
        status = take_set(from);
    for (int64_t m = 0; !status && m < n[MAPS]; m++)
        status = take_map(from);
    if (!status && (more & 1))
        status = take_types(from);
    for (int64_t g = 0; !status && g < n[GROUPS]; g++)
        status = take_group(from);
    for (int64_t f = 0; !status && f < n[FACETS]; f++)
        status = take_facets(from);
    for (int32_t s = 0; !status && (more & 2) && s < from->mesh->n_sets; s++)
        status = take_layers(from, s);
    if (!status && from->at != from->size)
        status = fail_at(from, "bytes follow after the mesh");
    return status;
}

/* Whatever is wrong with the data is reported as damage, since the sender is a program
 * that may have been misled. */
mplan_status mplan_mesh_receive(mplan_mesh *mesh, const void *data, size_t size, mplan_error *err)
{
    receiver from = {data, 0, size, mesh, err};
    mplan_status status = take_mesh(&from);
    if (status == MPLAN_ERR_ARGUMENT || status == MPLAN_ERR_MESH) {
        if (err)
            err->status = MPLAN_ERR_CORRUPT;
        status = MPLAN_ERR_CORRUPT;
    }
    return status;
}
