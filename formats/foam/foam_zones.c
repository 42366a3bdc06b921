/* SPDX-License-Identifier: Apache-2.0 */
/* foam_zones.c - OpenFOAM's zones of cells, faces and points as groups
 *
 * A file is a list of dictionaries, one for each zone; its members are a list of labels, which is binary where the
 * header says so. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/name_table.h"
#include "base/sort.h"
#include "formats/foam/foam_parts.h"
#include "mesh/mesh.h"

enum { MOST_ZONES = 1 << 16 };

/* The key of the members of a zone, and what they are for messages. */
static const struct {
    const char *key, *what;
} zoned[MPLAN_FOAM_N_ZONED] = {
    {"cellLabels", "cells of a zone"},
    {"faceLabels", "faces of a zone"},
    {"pointLabels", "points of a zone"},
};

/* A file of zones while it is read.
 * Members are in [0, most); number: what they are in the whole case, most entries, or NULL (mplan_foam_take_zones). */
typedef struct zone_reader {
    mplan_foam_file *file;
    mplan_foam_zoned of;
    int64_t most;
    const int32_t *number;
    mplan_vector *zones;    /* mplan_foam_zone */
    mplan_name_table names; /* of those of this kind */
} zone_reader;

/* Also of zones that were never read. */
void mplan_foam_zones_free(mplan_vector *zones)
{
    mplan_foam_zone *zone = zones->data;
    for (int64_t z = 0; z < zones->count; z++) {
        free(zone[z].name);
        free(zone[z].members.data);
    }
    free(zones->data);
    *zones = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(mplan_foam_zone));
}

/* The zone of that name, made at its first use; *index: its place in zones. */
static mplan_status zone_of(zone_reader *r, const mplan_foam_token *name, int64_t *index,
                            mplan_error *err)
{
    *index = mplan_name_find(&r->names, name->text, name->length);
    if (*index >= 0)
        return MPLAN_OK;
    *index = r->zones->count;
    if (r->zones->count == MOST_ZONES)
        return mplan_foam_fail(r->file, err, MPLAN_ERR_UNSUPPORTED, "more than %d zones", MOST_ZONES);
    mplan_foam_zone made = {NULL, r->of, MPLAN_VECTOR_INIT(sizeof(int32_t))};
    made.name = mplan_alloc((int64_t)name->length + 1, 1, err);
    if (!made.name)
        return MPLAN_ERR_MEMORY;
    memcpy(made.name, name->text, name->length);
    made.name[name->length] = '\0';
    mplan_status status = mplan_vector_push(r->zones, &made, err);
    if (status)
        free(made.name);
    return status ? status : mplan_name_put(&r->names, made.name, name->length, *index, err);
}

/* Names of the zones of this kind that are there already, of parts before this one. */
static mplan_status note_names(zone_reader *r, mplan_error *err)
{
    const mplan_foam_zone *zone = r->zones->data;
    mplan_status status = MPLAN_OK;
    for (int64_t z = 0; z < r->zones->count && !status; z++)
        if (zone[z].of == r->of)
            status = mplan_name_put(&r->names, zone[z].name, strlen(zone[z].name), z, err);
    return status;
}

/* Passes "List<label>" or "List<bool>".
 * Where the list begins with something else nothing is taken. */
static void skip_type(mplan_foam_file *file)
{
    mplan_foam_file ahead = *file;
    mplan_foam_token token;
    if (mplan_foam_take(&ahead, &token) && token.length > 4 && memcmp(token.text, "List", 4) == 0)
        *file = ahead;
}

/* The labels of a zone, behind its key.
 * index: of the zone in r->zones. A turned face, ~number, is a member like others; its side is not kept. */
static mplan_status take_members(zone_reader *r, int64_t index, mplan_error *err)
{
    int32_t *members = NULL;
    int64_t n = 0;
    skip_type(r->file);
    mplan_status status = mplan_foam_labels(r->file, zoned[r->of].what, 0, r->most,
                                            r->most < INT32_MAX / 2 ? 2 * r->most : INT32_MAX,
                                            &members, &n, err);
    mplan_vector *into = &((mplan_foam_zone *)r->zones->data)[index].members;
    int32_t *to = status ? NULL : mplan_vector_reserve(into, n, err);
    if (!status && !to)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        int32_t member = r->number ? r->number[members[i]] : members[i];
        to[i] = member < 0 ? ~member : member;
    }
    if (!status)
        into->count += n;
    free(members);
    return status ? status : mplan_foam_need_mark(r->file, ';', err);
}

/* The list of flags says which faces are turned: one byte each in binary files. */
static mplan_status skip_flags(zone_reader *r, mplan_error *err)
{
    mplan_foam_file *file = r->file;
    int64_t n;
    skip_type(file);
    if (mplan_foam_takes(file, ';'))
        return MPLAN_OK;
    if (file->binary) {
        mplan_status status = mplan_foam_count(file, "the number of flags", &n, err);
        if (status)
            return status;
        bool uniform = mplan_foam_takes(file, '{');
        if (!uniform && !mplan_foam_takes(file, '('))
            return n == 0 ? mplan_foam_need_mark(file, ';', err)
                          : mplan_foam_fail_expected(file, "'('", err);
        n = uniform ? 1 : n;
        if (n >= file->end - file->at)
            return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT,
                                   "the file ends before the %lld flags", (long long)n);
        file->at += n;
        status = mplan_foam_need_mark(file, uniform ? '}' : ')', err);
        return status ? status : mplan_foam_need_mark(file, ';', err);
    }
    for (mplan_foam_token token; mplan_foam_take(file, &token);)
        if (token.mark && *token.text == ';')
            return MPLAN_OK;
    return mplan_foam_fail(file, err, MPLAN_ERR_CORRUPT, "the file ends within a zone");
}

/* Entries other than lists are a word or a few, up to a semicolon. */
static mplan_status take_entry(zone_reader *r, const mplan_foam_token *key, int64_t index,
                               mplan_error *err)
{
    mplan_foam_token token;
    if (mplan_foam_is(key, zoned[r->of].key) || mplan_foam_is(key, "indices"))
        return take_members(r, index, err);
    if (mplan_foam_is(key, "flipMap"))
        return skip_flags(r, err);
    while (mplan_foam_take(r->file, &token))
        if (token.mark && *token.text == ';')
            return MPLAN_OK;
    return mplan_foam_fail(r->file, err, MPLAN_ERR_CORRUPT, "the file ends within a zone");
}

/* name { key value; ... } and, by some versions, a semicolon. */
static mplan_status take_zone(zone_reader *r, mplan_error *err)
{
    mplan_foam_token token;
    int64_t index = 0;
    if (!mplan_foam_take(r->file, &token) || token.mark)
        return mplan_foam_fail_expected(r->file, "the name of a zone", err);
    mplan_status status = zone_of(r, &token, &index, err);
    if (!status)
        status = mplan_foam_need_mark(r->file, '{', err);
    while (!status && !mplan_foam_takes(r->file, '}')) {
        if (!mplan_foam_take(r->file, &token) || token.mark)
            return mplan_foam_fail_expected(r->file, "an entry of a zone", err);
        status = take_entry(r, &token, index, err);
    }
    if (!status)
        mplan_foam_takes(r->file, ';');
    return status;
}

/* The list of zones and the end of the file.
 * Without a count before them zones end at the bracket. */
static mplan_status take_all(zone_reader *r, mplan_error *err)
{
    mplan_foam_file *file = r->file;
    int64_t n = MOST_ZONES;
    mplan_status status = MPLAN_OK;
    bool counted = !mplan_foam_takes(file, '('), closed = false;
    if (counted)
        status = mplan_foam_count(file, "the number of zones", &n, err);
    if (!status && n == 0 && !mplan_foam_skip(file))
        return MPLAN_OK;
    if (!status && counted)
        status = mplan_foam_need_mark(file, '(', err);
    for (int64_t z = 0; z < n && !status && !closed; z++) {
        closed = !counted && mplan_foam_takes(file, ')');
        if (!closed)
            status = take_zone(r, err);
    }
    if (!status && !closed)
        status = mplan_foam_need_mark(file, ')', err);
    return status ? status : mplan_foam_end(file, err);
}

/* Names of zones are found by a table that is made for this call: `zones` also has those of parts before. */
mplan_status mplan_foam_take_zones(mplan_foam_file *file, mplan_foam_zoned of, int64_t most,
                                   const int32_t *number, mplan_vector *zones, mplan_error *err)
{
    zone_reader r = {file, of, most, number, zones, {0}};
    mplan_status status = note_names(&r, err);
    if (!status)
        status = take_all(&r, err);
    mplan_name_table_free(&r.names);
    return status;
}

/* --- groups ----------------------------------------------------------------------------- */

/* Members from `from` on of a set, less `from`: ascending, each once.
 * members: n of them, copied; set: by its name. */
static mplan_status add_part(mplan_mesh *mesh, const mplan_foam_zone *zone, int64_t id,
                             int32_t dimension, const char *set, const int32_t *members, int64_t n,
                             int64_t from, mplan_error *err)
{
    int32_t *own = mplan_copy(members, n, sizeof *own, err);
    if (!own)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        own[i] -= (int32_t)from;
    return mplan_mesh_take_group(mesh, zone->name, id, dimension, mplan_mesh_find_set(mesh, set), n,
                                 own, err);
}

/* The next number of groups of faces. */
static int64_t next_id(const mplan_mesh *mesh)
{
    int64_t next = 1;
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        next = group.dimension == 2 && group.id >= next ? group.id + 1 : next;
    }
    return next;
}

/* Zones of faces may have faces of both kinds: then they are two groups of one name and number.
 * Members are sorted here, each once; ids count from 1 within a kind, those of faces behind the patches. */
mplan_status mplan_foam_add_zones(mplan_vector *zones, int64_t n_inner, mplan_mesh *mesh,
                                  mplan_error *err)
{
    int64_t id[MPLAN_FOAM_N_ZONED] = {1, next_id(mesh), 1};
    mplan_status status = MPLAN_OK;
    for (int64_t z = 0; z < zones->count && !status; z++) {
        mplan_foam_zone *zone = (mplan_foam_zone *)zones->data + z;
        int32_t *members = zone->members.data;
        int64_t n = members ? mplan_distinct_i32(members, zone->members.count) : 0, inner = 0;
        int64_t own = id[zone->of]++;
        if (zone->of == MPLAN_FOAM_ZONED_CELLS)
            status = add_part(mesh, zone, own, 3, "cells", members, n, 0, err);
        if (zone->of == MPLAN_FOAM_ZONED_POINTS)
            status = add_part(mesh, zone, own, 0, "nodes", members, n, 0, err);
        if (zone->of != MPLAN_FOAM_ZONED_FACES)
            continue;
        while (inner < n && members[inner] < n_inner)
            inner++;
        if (inner > 0 || n == 0)
            status = add_part(mesh, zone, own, 2, "faces", members, inner, 0, err);
        if (!status && n > inner)
            status = add_part(mesh, zone, own, 2, "boundary_faces", members + inner, n - inner,
                              n_inner, err);
    }
    return status;
}
