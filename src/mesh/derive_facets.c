/* SPDX-License-Identifier: Apache-2.0 */
/* derive_facets.c - groups of facets become subsets of the derived faces
 *
 * The distinct facets go into a hash table keyed by their sorted corners, then
 * the boundary faces, and the inner ones while facets are left, look
 * themselves up. The table holds the few facets, not the many faces; a bit per
 * node turns most faces away before they are hashed. */
#include "meshplan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/derive.h"
#include "mesh/mesh_checks.h"

#define NOT_FOUND (-1)

typedef struct facet_key {
    int32_t corner[MPLAN_FACE_CORNERS];
} facet_key;

/* Facets of all groups, one after the other. */
typedef struct facet_table {
    int64_t n;
    facet_key *key;
    int64_t *twin;   /* first facet with the same key, itself if none */
    int64_t *place;  /* of first facets: 2 * face + (1 for inner faces); NOT_FOUND */
    int64_t *bucket; /* mask + 1 entries: a first facet, or -1 */
    uint64_t mask;
    uint8_t *lowest; /* a bit per node: some facet has it as its lowest */
    int64_t n_left;  /* first facets that are not found */
} facet_table;

/* Arrays may be NULL. */
static void free_table(facet_table *table)
{
    free(table->key);
    free(table->twin);
    free(table->place);
    free(table->bucket);
    free(table->lowest);
}

/* Mixes all corners; buckets are taken from the low bits. */
static uint64_t hash_key(const facet_key *key)
{
    uint64_t h = 0;
    for (int i = 0; i < MPLAN_FACE_CORNERS; i++) {
        h = (h ^ (uint32_t)key->corner[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return h;
}

/* The bucket that holds the key or, when none does, the free one for it. */
static int64_t *find_bucket(const facet_table *table, const facet_key *key)
{
    uint64_t at = hash_key(key) & table->mask;
    while (table->bucket[at] >= 0 && memcmp(&table->key[table->bucket[at]], key, sizeof *key) != 0)
        at = (at + 1) & table->mask;
    return &table->bucket[at];
}

/* A hash table of all facets that wait, of at least twice as many buckets as facets (a
 * power of two). twin[i]: the first facet with the same corners, place[i]: the face
 * found for it. */
static mplan_status open_table(const mplan_mesh *mesh, int64_t n_nodes, facet_table *table,
                               mplan_error *err)
{
    for (int32_t g = 0; g < mesh->n_facet_groups; g++)
        table->n += mesh->facets[g].n_facets;
    table->mask = 1;
    while ((int64_t)table->mask < 2 * table->n)
        table->mask = 2 * table->mask + 1;
    int64_t n_buckets = (int64_t)table->mask + 1;
    if (!(table->key = mplan_alloc(table->n, sizeof *table->key, err)) ||
        !(table->twin = mplan_alloc(table->n, sizeof *table->twin, err)) ||
        !(table->place = mplan_alloc(table->n, sizeof *table->place, err)) ||
        !(table->bucket = mplan_alloc(n_buckets, sizeof *table->bucket, err)) ||
        !(table->lowest = mplan_alloc_zero(n_nodes / 8 + 1, 1, err)))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_buckets; i++)
        table->bucket[i] = -1;
    return MPLAN_OK;
}

/* Sorted distinct corners of a facet, a local face of no cell. */
static facet_key key_of_facet(mplan_cell_type type, const int32_t *node)
{
    facet_key key;
    int32_t n = 0;
    for (int32_t k = 0; k < mplan_cell_type_corners(type); k++) {
        int32_t j = 0;
        while (j < n && key.corner[j] != node[k])
            j++;
        if (j == n)
            key.corner[n++] = node[k];
    }
    mplan_face_key(key.corner, n);
    return key;
}

/* Facets in the order of their groups. Equal facets share the entry of the first one.
 * lowest marks the lowest corner of every facet, so that most faces of the mesh are
 * recognised as not wanted without a search. */
static void fill_table(const mplan_mesh *mesh, facet_table *table)
{
    int64_t i = 0;
    for (int32_t g = 0; g < mesh->n_facet_groups; g++) {
        const mplan_mesh_facets *facets = &mesh->facets[g];
        const int32_t *node = facets->nodes;
        for (int64_t f = 0; f < facets->n_facets; f++, i++) {
            mplan_cell_type type = (mplan_cell_type)facets->type[f];
            table->key[i] = key_of_facet(type, node);
            node += mplan_cell_type_nodes(type);
            int64_t *bucket = find_bucket(table, &table->key[i]);
            if (*bucket < 0) {
                int32_t lowest = table->key[i].corner[0];
                table->lowest[lowest >> 3] |= (uint8_t)(1u << (lowest & 7));
                *bucket = i;
                table->n_left++;
            }
            table->twin[i] = *bucket;
            table->place[i] = NOT_FOUND;
        }
    }
}

/* Looks up every face of a set in the table. */
static mplan_status look_up_faces(const mplan_map *nodes, bool inner, facet_table *table,
                                  const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t f = 0; !status && f < nodes->n_rows && table->n_left > 0; f++) {
        int32_t n;
        const int32_t *node = mplan_map_row(nodes, f, &n);
        int32_t lowest = node[0];
        for (int32_t k = 1; k < n; k++)
            lowest = node[k] < lowest ? node[k] : lowest;
        if (table->lowest[lowest >> 3] >> (lowest & 7) & 1) {
            facet_key key;
            assert(n <= MPLAN_FACE_CORNERS);
            memcpy(key.corner, node, (size_t)n * sizeof *node);
            mplan_face_key(key.corner, n);
            int64_t first = *find_bucket(table, &key);
            if (first >= 0 && table->place[first] == NOT_FOUND) {
                table->place[first] = 2 * f + inner;
                table->n_left--;
            }
        }
        if ((f & 0xfffff) == 0xfffff)
            status = mplan_interrupted(context, err);
    }
    return status;
}

/* Adds the facets of a group that are inner (or boundary) faces as a group.
 * place: of its n first facets' twins. An empty group is kept as one of the
 * boundary faces, so that its name is not lost. */
static mplan_status add_part(mplan_mesh *mesh, const mplan_mesh_facets *facets,
                             const facet_table *table, int64_t begin, bool inner, int32_t set,
                             mplan_error *err)
{
    int64_t n = 0, n_other = 0;
    for (int64_t i = 0; i < facets->n_facets; i++) {
        int64_t place = table->place[table->twin[begin + i]];
        n += place != NOT_FOUND && (place & 1) == inner;
        n_other += place != NOT_FOUND && (place & 1) != inner;
    }
    if (set < 0 || (n == 0 && (inner || n_other > 0)))
        return MPLAN_OK;
    int32_t *members = mplan_alloc(n, sizeof *members, err);
    if (!members)
        return MPLAN_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t i = 0; i < facets->n_facets; i++) {
        int64_t place = table->place[table->twin[begin + i]];
        if (place != NOT_FOUND && (place & 1) == inner)
            members[at++] = (int32_t)(place / 2);
    }
    return mplan_mesh_take_group(mesh, facets->name, facets->id, mesh->dimension - 1, set,
                                 mplan_distinct_i32(members, n), members, err);
}

/* A group may have facets on the boundary and inside: it becomes a group of
 * boundary_faces and, if needed, one of faces. ids: per boundary face the id of its
 * group; where groups overlap the first one counts. */
static mplan_status add_groups(mplan_mesh *mesh, const facet_table *table, int32_t faces,
                               int32_t boundary, int64_t *ids, mplan_error *err)
{
    int64_t begin = 0;
    for (int32_t g = 0; g < mesh->n_facet_groups; g++) {
        const mplan_mesh_facets *facets = &mesh->facets[g];
        mplan_status status = add_part(mesh, facets, table, begin, false, boundary, err);
        if (!status)
            status = add_part(mesh, facets, table, begin, true, faces, err);
        if (status)
            return status;
        begin += facets->n_facets;
    }
    if (ids)
        for (int32_t g = mesh->n_groups - 1; g >= 0; g--) {
            const mplan_mesh_group_data *group = &mesh->groups[g];
            for (int64_t i = 0; group->set == boundary && i < group->n_members; i++)
                ids[group->members[i]] = group->id;
        }
    return MPLAN_OK;
}

/* One warning with the number of facets that no cell has, and the first of them. */
static void warn_of_strays(const mplan_mesh *mesh, const facet_table *table,
                           const mplan_context *context)
{
    int64_t i = 0, n = 0, first = 0;
    int32_t group = 0;
    for (int32_t g = 0; g < mesh->n_facet_groups; g++)
        for (int64_t f = 0; f < mesh->facets[g].n_facets; f++, i++) {
            if (table->place[table->twin[i]] != NOT_FOUND)
                continue;
            if (n++ == 0) {
                first = f;
                group = g;
            }
        }
    if (n > 0)
        mplan_warn(context,
                   "%s%s%lld facet%s of groups %s not a face of any cell, the first is facet %lld "
                   "of group '%s'",
                   MPLAN_SOURCE_OF(mesh), (long long)n, n == 1 ? "" : "s", n == 1 ? "is" : "are",
                   (long long)first, mesh->facets[group].name);
}

/* Facets that became groups are not kept. */
static void drop_waiting(mplan_mesh *mesh)
{
    for (int32_t g = 0; g < mesh->n_facet_groups; g++) {
        free(mesh->facets[g].name);
        free(mesh->facets[g].type);
        free(mesh->facets[g].nodes);
    }
    free(mesh->facets);
    mesh->facets = NULL;
    mesh->n_facet_groups = 0;
}

/* Looks up the faces of one set in the table. Nothing where the set does not exist or
 * has no nodes. */
static mplan_status look_up_set(const mplan_mesh *mesh, int32_t set, bool inner, facet_table *table,
                                const mplan_context *context, mplan_error *err)
{
    int32_t map = mplan_mesh_find_map(mesh, inner ? "faces_nodes" : "boundary_faces_nodes");
    if (set < 0 || map < 0 || mesh->maps[map].from != set)
        return MPLAN_OK;
    mplan_map nodes = mplan_mesh_map(mesh, map);
    return look_up_faces(&nodes, inner, table, context, err);
}

/* Turns facets, given by their nodes, into groups of faces, given by their numbers.
 * Called when faces have been derived. */
mplan_status mplan_resolve_facets(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    int32_t faces = mplan_derived_set(mesh, "faces");
    int32_t boundary = mplan_derived_set(mesh, "boundary_faces");
    int64_t n_nodes = mesh->sets[mplan_mesh_find_set(mesh, "nodes")].size;
    facet_table table = {0};
    int64_t *ids = NULL;
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; !status && g < mesh->n_facet_groups; g++)
        status = mplan_check_facets(&mesh->facets[g], mesh->dimension, n_nodes, err);
    if (!status && boundary >= 0 &&
        !(ids = mplan_alloc_zero(mesh->sets[boundary].size, sizeof *ids, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = open_table(mesh, n_nodes, &table, err);
    if (!status) {
        fill_table(mesh, &table);
        status = look_up_set(mesh, boundary, false, &table, context, err);
    }
    if (!status)
        status = look_up_set(mesh, faces, true, &table, context, err);
    if (!status)
        status = add_groups(mesh, &table, faces, boundary, ids, err);
    if (!status) {
        warn_of_strays(mesh, &table, context);
        drop_waiting(mesh);
        free(mesh->boundary_ids);
        mesh->boundary_ids = ids;
        ids = NULL;
    }
    free(ids);
    free_table(&table);
    return status;
}
