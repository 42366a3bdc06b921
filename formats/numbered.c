/* SPDX-License-Identifier: Apache-2.0 */
/* numbered.c - from numbers of nodes and elements to a collection, and a mesh */
#include "formats/numbered.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "formats/side_order.h"

enum { MOST_SETS = 65536 };

/* most_listed: a member takes a byte of the file at least, but copies of sets do not; both
 * together are bounded. */
void mplan_numbered_begin(mplan_numbered *mesh, const mplan_input *input, const mplan_context *context)
{
    memset(mesh, 0, sizeof *mesh);
    mplan_collection_begin(&mesh->collection, input->path, context);
    mesh->most_listed = (int64_t)input->size + 4096;
    mesh->nodes.size = mesh->places.size = sizeof(mplan_number_place);
    mesh->elements.size = sizeof(mplan_numbered_element);
    mesh->wanted.size = sizeof(int64_t);
    mesh->sets.size = sizeof(mplan_numbered_set);
    mesh->listed.size = sizeof(mplan_numbered_member);
    mesh->origins.size = sizeof(mplan_numbered_origin);
}

/* Also of a mesh that was not finished. */
void mplan_numbered_free(mplan_numbered *mesh)
{
    mplan_collection_free(&mesh->collection);
    free(mesh->nodes.data);
    free(mesh->elements.data);
    free(mesh->places.data);
    free(mesh->wanted.data);
    free(mesh->sets.data);
    free(mesh->listed.data);
    free(mesh->origins.data);
    memset(mesh, 0, sizeof *mesh);
}

/* Files that are included many times are read as often. */
mplan_status mplan_numbered_from(mplan_numbered *mesh, const char *path, int64_t bytes,
                                 mplan_error *err)
{
    const mplan_numbered_origin added = {mesh->elements.count, path};
    mesh->most_listed += bytes;
    return mplan_vector_push(&mesh->origins, &added, err);
}

/* The file of element e. */
static const char *origin_of(const mplan_numbered *mesh, int64_t e)
{
    const mplan_numbered_origin *origin = mesh->origins.data;
    const char *path = mesh->collection.path;
    for (int64_t i = 0; i < mesh->origins.count && origin[i].first <= e; i++)
        path = origin[i].path;
    return path;
}

/* what: "nodes" or "elements". */
static mplan_status fail_full(const mplan_numbered *mesh, const char *what, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: the %s exceed 32 bits",
                      mesh->collection.path, what);
}

/* Places are given in the order of the file, whatever the number. */
mplan_status mplan_numbered_node(mplan_numbered *mesh, int64_t number, const double xyz[3],
                                 mplan_error *err)
{
    mplan_number_place added = {number, (int32_t)mesh->nodes.count};
    if (mesh->nodes.count >= INT32_MAX - 1)
        return fail_full(mesh, "nodes", err);
    mplan_status status = mplan_collect_node(&mesh->collection, xyz, err);
    return status ? status : mplan_vector_push(&mesh->nodes, &added, err);
}

/* Where the caller puts the numbers of the element's nodes, as many as its type has; valid
 * until the next element. They are looked up when all nodes are known. NULL: full, or out of
 * memory. */
int64_t *mplan_numbered_element_of(mplan_numbered *mesh, int64_t number, mplan_cell_type type,
                                   int64_t line, mplan_error *err)
{
    const mplan_numbered_element added = {number, line, (int32_t)type, -1, 0};
    const int32_t n = mplan_cell_type_nodes(type);
    if (mesh->elements.count >= INT32_MAX - 1) {
        fail_full(mesh, "elements", err);
        return NULL;
    }
    int64_t *nodes = mplan_vector_reserve(&mesh->wanted, n, err);
    if (!nodes || mplan_vector_push(&mesh->elements, &added, err))
        return NULL;
    mesh->wanted.count += n;
    return nodes;
}

mplan_status mplan_numbered_set_of(mplan_numbered *mesh, bool of_nodes, int64_t id,
                                   const char *name, size_t length, mplan_error *err)
{
    const mplan_numbered_set added = {
        name, length, id, of_nodes, mesh->listed.count, mesh->listed.count};
    if (mesh->sets.count == MOST_SETS)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: there are more than %d sets",
                          mesh->collection.path, MOST_SETS);
    return mplan_vector_push(&mesh->sets, &added, err);
}

static mplan_numbered_set *last_set(mplan_numbered *mesh)
{
    return (mplan_numbered_set *)mesh->sets.data + mesh->sets.count - 1;
}

mplan_status mplan_numbered_member_of(mplan_numbered *mesh, int64_t number, int32_t side,
                                      mplan_error *err)
{
    const mplan_numbered_member added = {number, side};
    if (mesh->listed.count == mesh->most_listed) /* sets of sets that double each time */
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: sets have more members than the file can hold", mesh->collection.path);
    mplan_status status = mplan_vector_push(&mesh->listed, &added, err);
    last_set(mesh)->end = mesh->listed.count;
    return status;
}

/* Members of another set, with their own sides, or all with `side` where that is not negative. */
static mplan_status copy_members(mplan_numbered *mesh, int64_t from, int32_t side, mplan_error *err)
{
    const mplan_numbered_set set = ((const mplan_numbered_set *)mesh->sets.data)[from];
    for (int64_t i = set.begin; i < set.end; i++) {
        const mplan_numbered_member member = ((const mplan_numbered_member *)mesh->listed.data)[i];
        mplan_status status = mplan_numbered_member_of(mesh, member.number,
                                                       side < 0 ? member.side : side, err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* Without the case of letters. */
static bool same_name(const char *a, size_t n, const char *b, size_t m)
{
    if (n != m)
        return false;
    for (size_t i = 0; i < n; i++) {
        const char x = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] + 32) : a[i];
        const char y = b[i] >= 'A' && b[i] <= 'Z' ? (char)(b[i] + 32) : b[i];
        if (x != y)
            return false;
    }
    return true;
}

/* Linear in sets, and in the members that are copied. */
mplan_status mplan_numbered_copy_set(mplan_numbered *mesh, bool of_nodes, const char *name,
                                     size_t length, int32_t side, bool *found, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    *found = false;
    for (int64_t s = 0; s < mesh->sets.count && !status; s++) {
        const mplan_numbered_set *set = (const mplan_numbered_set *)mesh->sets.data + s;
        if (set->of_nodes != of_nodes || !same_name(set->name, set->length, name, length))
            continue;
        *found = true;
        if (s < mesh->sets.count - 1)
            status = copy_members(mesh, s, side, err);
    }
    return status;
}

/* --- who has a number ------------------------------------------------------------------- */

/* By number, then as in the file. */
static int compare_places(const void *left, const void *right)
{
    const mplan_number_place *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* By number. Files mostly are sorted: that is seen in one pass. */
static void sort_places(mplan_vector *places)
{
    const mplan_number_place *at = places->data;
    bool sorted = true;
    for (int64_t i = 1; i < places->count && sorted; i++)
        sorted = at[i - 1].number < at[i].number;
    if (!sorted)
        qsort(places->data, (size_t)places->count, sizeof *at, compare_places);
}

/* The first of that number; -1 without one. Numbers without gaps are found at once. */
static int32_t find_place(const mplan_vector *places, int64_t number)
{
    const mplan_number_place *at = places->data;
    int64_t low = 0, high = places->count;
    if (high > 0 && number >= at[0].number &&
        (uint64_t)number - (uint64_t)at[0].number < (uint64_t)high) {
        int64_t guess = number - at[0].number;
        if (at[guess].number == number && (guess == 0 || at[guess - 1].number != number))
            return at[guess].place;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (at[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < places->count && at[low].number == number ? at[low].place : -1;
}

/* Nodes of one number must be at one place. */
static mplan_status check_nodes(const mplan_numbered *mesh, mplan_error *err)
{
    const mplan_number_place *at = mesh->nodes.data;
    const double *xyz = mesh->collection.xyz.data;
    for (int64_t i = 1; i < mesh->nodes.count; i++)
        if (at[i].number == at[i - 1].number &&
            memcmp(xyz + 3 * (int64_t)at[i].place, xyz + 3 * (int64_t)at[i - 1].place,
                   3 * sizeof *xyz) != 0)
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: node %lld occurs twice, at two places",
                              mesh->collection.path, (long long)at[i].number);
    return MPLAN_OK;
}

/* Elements become cells of the collection, in the order of the file. */
static mplan_status collect_elements(mplan_numbered *mesh, mplan_error *err)
{
    const int64_t *wanted = mesh->wanted.data;
    mplan_numbered_element *element = mesh->elements.data;
    for (int64_t e = 0; e < mesh->elements.count; e++) {
        const mplan_cell_type type = (mplan_cell_type)element[e].type;
        int32_t *nodes = mplan_collect_cell(&mesh->collection, type, err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < mplan_cell_type_nodes(type); k++) {
            nodes[k] = find_place(&mesh->nodes, *wanted);
            if (nodes[k] < 0)
                return mplan_fail(err, MPLAN_ERR_MESH,
                                  "%s:%lld: element %lld has a node %lld, which is not there",
                                  origin_of(mesh, e), (long long)element[e].line,
                                  (long long)element[e].number, (long long)*wanted);
            wanted++;
        }
        element[e].member = (int32_t)mesh->collection.type[mplan_cell_type_dimension(type)].count - 1;
        if (element[e].group != 0 &&
            mplan_collect_member(&mesh->collection, mplan_cell_type_dimension(type),
                                 element[e].group, "", 0, err))
            return MPLAN_ERR_MEMORY;
        const mplan_number_place place = {element[e].number, (int32_t)e};
        if (mplan_vector_push(&mesh->places, &place, err))
            return MPLAN_ERR_MEMORY;
        if (e % 65536 == 0 && mplan_interrupted(mesh->collection.context, err))
            return MPLAN_ERR_INTERRUPTED;
    }
    sort_places(&mesh->places);
    return MPLAN_OK;
}

/* --- sets --------------------------------------------------------------------------------- */

/* A side of an element becomes a cell of the collection, and a member of the set. */
static mplan_status add_side(mplan_numbered *mesh, const mplan_numbered_set *set, int32_t e,
                             const int64_t *firsts, int32_t side, mplan_error *err)
{
    const mplan_numbered_element *element = (const mplan_numbered_element *)mesh->elements.data + e;
    int8_t corner[4];
    const mplan_cell_type type = (mplan_cell_type)element->type;
    const int32_t theirs = mesh->exodus_side ? mesh->exodus_side(type, side) : side;
    const int32_t n = mplan_side_corners(MPLAN_NUMBERING_EXODUS, type, theirs, corner);
    if (n == 0) {
        mesh->missing++;
        return MPLAN_OK;
    }
    const int64_t *wanted = (const int64_t *)mesh->wanted.data + firsts[e];
    if (n == 1)
        return mplan_collect_point(&mesh->collection, find_place(&mesh->nodes, wanted[corner[0]]),
                                   set->id, set->name, set->length, err);
    const mplan_cell_type facet = mplan_facet_type(n);
    int32_t *nodes = mplan_collect_cell(&mesh->collection, facet, err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < n; k++)
        nodes[k] = find_place(&mesh->nodes, wanted[corner[k]]);
    return mplan_collect_member(&mesh->collection, mplan_cell_type_dimension(facet), set->id,
                                set->name, set->length, err);
}

/* Where the nodes of each element begin in `wanted`. */
static int64_t *first_nodes(const mplan_numbered *mesh, mplan_error *err)
{
    const mplan_numbered_element *element = mesh->elements.data;
    int64_t *firsts = mplan_alloc(mesh->elements.count + 1, sizeof *firsts, err), at = 0;
    for (int64_t e = 0; firsts && e < mesh->elements.count; e++) {
        firsts[e] = at;
        at += mplan_cell_type_nodes((mplan_cell_type)element[e].type);
    }
    return firsts;
}

/* Members of sets [first, last), which have one name, each once: keys of place and side, ascending. */
static mplan_status gather(mplan_numbered *mesh, const mplan_numbered_set *sets, int64_t n_sets,
                           mplan_vector *keys, mplan_error *err)
{
    const mplan_numbered_member *listed = mesh->listed.data;
    keys->count = 0;
    for (int64_t s = 0; s < n_sets; s++)
        for (int64_t i = sets[s].begin; i < sets[s].end; i++) {
            int32_t place = find_place(sets[s].of_nodes ? &mesh->nodes : &mesh->places,
                                       listed[i].number);
            const uint64_t key = (uint64_t)(uint32_t)place << 8 | (uint64_t)(listed[i].side & 255);
            mesh->missing += place < 0;
            if (place >= 0 && mplan_vector_push(keys, &key, err))
                return MPLAN_ERR_MEMORY;
        }
    mplan_sort_u64(keys->data, keys->count);
    return MPLAN_OK;
}

/* Sets of one name as a group, each member once: whole elements by the number of their cell,
 * sides as cells of their own. */
static mplan_status add_set(mplan_numbered *mesh, const mplan_numbered_set *sets, int64_t n_sets,
                            const int64_t *firsts, mplan_vector *keys, mplan_error *err)
{
    const mplan_numbered_element *element = mesh->elements.data;
    mplan_status status = gather(mesh, sets, n_sets, keys, err);
    const uint64_t *key = keys->data;
    for (int64_t i = 0; i < keys->count && !status; i++) {
        const int32_t place = (int32_t)(key[i] >> 8), side = (int32_t)(key[i] & 255);
        if (i > 0 && key[i] == key[i - 1])
            continue;
        if (side > 0) {
            status = add_side(mesh, sets, place, firsts, side, err);
            continue;
        }
        const int32_t dimension =
            sets->of_nodes ? 0 : mplan_cell_type_dimension((mplan_cell_type)element[place].type);
        if (dimension > 0 || sets->of_nodes)
            status = mplan_collect_member_at(&mesh->collection, dimension,
                                             sets->of_nodes ? place : element[place].member,
                                             sets->id, sets->name, sets->length, err);
    }
    return status;
}

/* Sets of one kind and name follow each other; else in the order of the file. */
static int compare_sets(const void *left, const void *right)
{
    const mplan_numbered_set *a = left, *b = right;
    if (a->of_nodes != b->of_nodes)
        return a->of_nodes - b->of_nodes;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = shorter ? memcmp(a->name, b->name, shorter) : 0;
    if (order || a->length != b->length)
        return order ? order : a->length < b->length ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Names of other case are other sets. */
static bool one_set(const mplan_numbered_set *a, const mplan_numbered_set *b)
{
    return a->of_nodes == b->of_nodes && a->id == b->id && a->length == b->length &&
           (a->length == 0 || memcmp(a->name, b->name, a->length) == 0);
}

/* Groups come in the order of kind, id and name, not in that of the file. */
static mplan_status collect_sets(mplan_numbered *mesh, mplan_error *err)
{
    mplan_numbered_set *sets = mesh->sets.data;
    mplan_vector keys = MPLAN_VECTOR_INIT(sizeof(uint64_t));
    if (mesh->sets.count == 0)
        return MPLAN_OK;
    int64_t *firsts = first_nodes(mesh, err);
    mplan_status status = firsts ? MPLAN_OK : MPLAN_ERR_MEMORY;
    qsort(sets, (size_t)mesh->sets.count, sizeof *sets, compare_sets);
    for (int64_t s = 0, last; s < mesh->sets.count && !status; s = last) {
        for (last = s + 1; last < mesh->sets.count && one_set(&sets[s], &sets[last]);)
            last++;
        status = add_set(mesh, &sets[s], last - s, firsts, &keys, err);
    }
    free(keys.data);
    free(firsts);
    if (!status && mesh->missing > 0)
        mplan_warn(mesh->collection.context,
                   "%s: %lld members of sets are skipped: no node, element or side has their number",
                   mesh->collection.path, (long long)mesh->missing);
    return status;
}

/* Nodes first, since elements name them; elements before sets. */
mplan_status mplan_numbered_finish(mplan_numbered *mesh, mplan_mesh *made, mplan_error *err)
{
    sort_places(&mesh->nodes);
    mplan_status status = check_nodes(mesh, err);
    if (!status)
        status = collect_elements(mesh, err);
    if (!status)
        status = collect_sets(mesh, err);
    return status ? status : mplan_collection_to_mesh(&mesh->collection, made, err);
}
