/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_facets.c - groups of facets of a spread mesh become subsets of the faces that were derived
 *
 * A facet goes to the rank that has the lowest of its corners; so do faces, but only those whose lowest corner is that of some
 * facet, first those of the boundary and then, while facets are left, the inner ones: few faces travel. Where both meet, equal
 * corners are found by sorting; what is found goes to the ranks that have the faces, which add it to their groups. Nothing
 * depends on the number of ranks: a face is the only one with its corners. Functions are collective but where they say
 * otherwise. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/derive.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_graph.h"
#include "mpi/mpi_groups.h"

/* Corners, ascending; -1 behind the last of fewer than four. */
typedef struct face_key {
    int64_t corner[MPLAN_FACE_CORNERS];
} face_key;

/* A facet, and what it is found to be: a number of `boundary_faces`, or of `faces`; -1: nothing yet. */
typedef struct facet {
    face_key key;
    int64_t group, number; /* of the facet in its group */
    int64_t face;
    int64_t inner;
} facet;

/* A face that may be one of a facet. */
typedef struct candidate {
    face_key key;
    int64_t face;
} candidate;

/* One call. facets: those whose lowest corner this rank has, by corners, then as they come. */
typedef struct resolving {
    mpi_mesh *mesh;
    const mpi_set *nodes;
    mpi_items facets;
    uint8_t *lowest; /* by node of this rank: some facet that is not found has it as its lowest corner */
} resolving;

/* --- corners ------------------------------------------------------------------------------------------------- */

/* Of n numbers the distinct ones, ascending. n <= MPLAN_FACE_CORNERS. Not collective. */
static face_key key_of(const int64_t *node, int64_t n)
{
    face_key key;
    int32_t kept = 0;
    for (int64_t k = 0; k < n; k++) {
        int32_t at = kept;
        while (at > 0 && key.corner[at - 1] > node[k])
            at--;
        if (at > 0 && key.corner[at - 1] == node[k])
            continue;
        memmove(key.corner + at + 1, key.corner + at, (size_t)(kept - at) * sizeof *key.corner);
        key.corner[at] = node[k];
        kept++;
    }
    for (; kept < MPLAN_FACE_CORNERS; kept++)
        key.corner[kept] = -1;
    return key;
}

static int compare_keys(const face_key *a, const face_key *b)
{
    for (int k = 0; k < MPLAN_FACE_CORNERS; k++)
        if (a->corner[k] != b->corner[k])
            return a->corner[k] < b->corner[k] ? -1 : 1;
    return 0;
}

/* Facets by corners; equal ones by group and number, so that the order is one whatever ranks they came from. */
static int compare_facets(const void *a, const void *b)
{
    const facet *x = a, *y = b;
    const int keys = compare_keys(&x->key, &y->key);
    if (keys)
        return keys;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* --- facets ------------------------------------------------------------------------------------------------------ */

/* The facets that this rank was dealt. list: of `facet`; to: ranks. Numbers of nodes are in the set: it was checked when they were
 * read. Not collective. */
static mplan_status list_facets(const resolving *r, mplan_vector *list, mplan_vector *to,
                                mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; g < r->mesh->n_facets; g++) {
        const mpi_facets *group = &r->mesh->facets[g];
        const int64_t *node = group->nodes;
        for (int64_t i = 0; i < group->n && !status; i++) {
            const mplan_cell_type type = (mplan_cell_type)group->type[i];
            const int64_t number = group->number ? group->number[i] : group->first + i;
            const facet one = {key_of(node, mplan_cell_type_corners(type)), g, number, -1, 0};
            const int32_t rank = mpi_rank_of(r->nodes->first, r->mesh->ranks, one.key.corner[0]);
            node += mplan_cell_type_nodes(type);
            status = mplan_vector_push(list, &one, err);
            if (!status)
                status = mplan_vector_push(to, &rank, err);
        }
    }
    return status;
}

/* To the ranks that have their lowest corners. */
static mplan_status send_facets(resolving *r, mplan_error *err)
{
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(facet)), to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = list_facets(r, &list, &to, err);
    status = mpi_exchange_mixed(r->mesh->comm, status, sizeof(facet), list.data, list.count,
                                to.data, &r->facets, err);
    free(list.data);
    free(to.data);
    if (!status && r->facets.n > 0)
        qsort(r->facets.data, (size_t)r->facets.n, sizeof(facet), compare_facets);
    return status;
}

/* --- faces --------------------------------------------------------------------------------------------------------- */

/* Which own nodes are the lowest corners of facets that are not found. Not collective; returns how many facets these are. */
static int64_t mark_lowest(resolving *r, int64_t n_nodes)
{
    const facet *list = r->facets.data;
    int64_t left = 0;
    memset(r->lowest, 0, (size_t)n_nodes);
    for (int64_t i = 0; i < r->facets.n; i++)
        if (list[i].face < 0) {
            r->lowest[list[i].key.corner[0] - r->nodes->first[r->mesh->rank]] = 1;
            left++;
        }
    return left;
}

/* Own faces whose lowest corner is marked, and where they go. map: from the faces to nodes; marked: by own face. Not
 * collective. */
static mplan_status list_candidates(const resolving *r, const mpi_map *map, const uint8_t *marked,
                                    mplan_vector *list, mplan_vector *to, mplan_error *err)
{
    const int64_t n = mpi_own_members(r->mesh, map->from);
    mplan_status status = MPLAN_OK;
    for (int64_t f = 0; f < n && !status; f++) {
        int64_t length;
        const int64_t *node = mpi_map_row(map, f, &length);
        if (!marked[f])
            continue;
        const candidate one = {key_of(node, length),
                               r->mesh->sets[map->from].first[r->mesh->rank] + f};
        const int32_t rank = mpi_rank_of(r->nodes->first, r->mesh->ranks, one.key.corner[0]);
        status = mplan_vector_push(list, &one, err);
        if (!status)
            status = mplan_vector_push(to, &rank, err);
    }
    return status;
}

/* Whether the lowest corner of each own face is marked. *marked: the caller's, also after a failure. */
static mplan_status fetch_marks(const resolving *r, const mpi_map *map, uint8_t **marked,
                                mplan_error *err)
{
    const int64_t n = mpi_own_members(r->mesh, map->from);
    int64_t *lowest = mplan_alloc(n, sizeof *lowest, err);
    *marked = mplan_alloc(n, 1, err);
    mplan_status status = lowest && *marked ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t f = 0; f < n && !status; f++) {
        int64_t length;
        const int64_t *node = mpi_map_row(map, f, &length);
        lowest[f] = node[0];
        for (int64_t k = 1; k < length; k++)
            lowest[f] = node[k] < lowest[f] ? node[k] : lowest[f];
    }
    status = mpi_fetch_values(r->mesh->comm, status, r->nodes->first, n, lowest, 1, r->lowest,
                              *marked, err);
    free(lowest);
    return mpi_agree(r->mesh->comm, status, err);
}

/* Facets with the corners of a face are this face. Not collective. */
static void find(const resolving *r, const candidate *one, bool inner)
{
    facet *list = r->facets.data;
    int64_t low = 0, high = r->facets.n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare_keys(&list[middle].key, &one->key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < r->facets.n && compare_keys(&list[low].key, &one->key) == 0; low++) {
        list[low].face = one->face;
        list[low].inner = inner;
    }
}

/* Facets that are faces of a set: of the boundary, or inner ones. Nothing where there are none left, or the faces have no nodes
 * or are not derived. */
static mplan_status look_up(resolving *r, bool inner, mplan_error *err)
{
    mpi_mesh *mesh = r->mesh;
    const int32_t set = mpi_mesh_find_set(mesh, inner ? "faces" : "boundary_faces");
    const int32_t map = mpi_mesh_find_map(mesh, inner ? "faces_nodes" : "boundary_faces_nodes");
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(candidate)), to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mpi_items got = {0};
    uint8_t *marked = NULL;
    const int64_t left = mark_lowest(r,
                                     r->nodes->first[mesh->rank + 1] - r->nodes->first[mesh->rank]);
    if (set < 0 || map < 0 || mesh->maps[map].from != set || !mesh->sets[set].derived ||
        mpi_sum(mesh->comm, left) == 0)
        return MPLAN_OK;
    mplan_status status = fetch_marks(r, &mesh->maps[map], &marked, err);
    if (!status)
        status = list_candidates(r, &mesh->maps[map], marked, &list, &to, err);
    status = mpi_exchange_mixed(mesh->comm, status, sizeof(candidate), list.data, list.count,
                                to.data, &got, err);
    for (int64_t i = 0; i < got.n && !status; i++)
        find(r, (const candidate *)got.data + i, inner);
    mpi_items_free(&got);
    free(marked);
    free(list.data);
    free(to.data);
    return status;
}

/* --- groups ----------------------------------------------------------------------------------------------------------- */

/* One warning with the number of facets that no cell has, and the first of them, by rank 0. */
static void warn_of_strays(const resolving *r)
{
    const facet *list = r->facets.data;
    int64_t n = 0, group = INT64_MAX, number = INT64_MAX;
    for (int64_t i = 0; i < r->facets.n; i++)
        if (list[i].face < 0) {
            n++;
            if (list[i].group < group || (list[i].group == group && list[i].number < number)) {
                group = list[i].group;
                number = list[i].number;
            }
        }
    n = mpi_sum(r->mesh->comm, n);
    const int64_t least = -mpi_most(r->mesh->comm, -group);
    number = -mpi_most(r->mesh->comm, group == least ? -number : -INT64_MAX);
    if (n > 0 && r->mesh->rank == 0)
        mplan_warn(r->mesh->context,
                   "%lld facet%s of groups %s not a face of any cell, the first is facet %lld "
                   "of group '%s'",
                   (long long)n, n == 1 ? "" : "s", n == 1 ? "is" : "are", (long long)number,
                   r->mesh->facets[least].name);
}

/* What goes to the rank of a face: its number. */
static mplan_status send_found(const resolving *r, int32_t group, bool inner, const mpi_set *of,
                               mpi_items *got, mplan_error *err)
{
    const facet *list = r->facets.data;
    int64_t n = 0, *faces = mplan_alloc(r->facets.n, sizeof *faces, err);
    int32_t *to = mplan_alloc(r->facets.n, sizeof *to, err);
    mplan_status status = faces && to ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < r->facets.n && !status; i++)
        if (list[i].face >= 0 && list[i].group == group && list[i].inner == inner) {
            faces[n] = list[i].face;
            to[n++] = mpi_rank_of(of->first, r->mesh->ranks, list[i].face);
        }
    status = mpi_exchange_mixed(r->mesh->comm, status, sizeof *faces, faces, n, to, got, err);
    free(faces);
    free(to);
    return status;
}

/* The facets of a group that are faces of the boundary, or inner ones, as a group. An empty group is kept as one of the boundary
 * faces, so that its name is not lost. */
static mplan_status add_part(resolving *r, int32_t group, bool inner, mplan_error *err)
{
    mpi_mesh *mesh = r->mesh;
    const facet *list = r->facets.data;
    const int32_t set = mpi_mesh_find_set(mesh, inner ? "faces" : "boundary_faces");
    int64_t sums[2] = {0, 0};
    for (int64_t i = 0; i < r->facets.n; i++)
        if (list[i].face >= 0 && list[i].group == group)
            sums[list[i].inner]++;
    mpi_sums(mesh->comm, sums, 2);
    if (set < 0 || !mesh->sets[set].derived || (sums[inner] == 0 && (inner || sums[1] > 0)))
        return MPLAN_OK;
    mpi_items got = {0};
    mplan_status status = send_found(r, group, inner, &mesh->sets[set], &got, err);
    const int64_t n = status ? -1 : mpi_each_once(got.data, got.n, err);
    status = mpi_agree(mesh->comm, status ? status : n < 0 ? MPLAN_ERR_MEMORY : MPLAN_OK, err);
    if (!status) {
        status = mpi_groups_add(mesh, mesh->facets[group].name, set, n, got.data, err);
        got.data = NULL;
    }
    mpi_items_free(&got);
    return status;
}

/* Facets that became groups are not kept. Not collective. */
static void drop_waiting(mpi_mesh *mesh)
{
    for (int32_t g = 0; g < mesh->n_facets; g++) {
        free(mesh->facets[g].name);
        free(mesh->facets[g].type);
        free(mesh->facets[g].nodes);
        free(mesh->facets[g].number);
    }
    mesh->n_facets = 0;
}

mplan_status mpi_resolve_facets(mpi_mesh *mesh, mplan_error *err)
{
    assert(mesh);
    const int32_t nodes = mpi_mesh_find_set(mesh, "nodes");
    if (mesh->n_facets == 0 || nodes < 0)
        return MPLAN_OK;
    resolving r = {.mesh = mesh,
                   .nodes = &mesh->sets[nodes],
                   .lowest = mplan_alloc(mpi_own_members(mesh, nodes), 1, err)};
    mplan_status status = mpi_agree(mesh->comm, r.lowest ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status)
        status = send_facets(&r, err);
    if (!status)
        status = look_up(&r, false, err);
    if (!status)
        status = look_up(&r, true, err);
    const int32_t n = mesh->n_facets;
    for (int32_t g = 0; g < n && !status; g++) {
        status = add_part(&r, g, false, err);
        if (!status)
            status = add_part(&r, g, true, err);
    }
    if (!status) {
        warn_of_strays(&r);
        drop_waiting(mesh);
    }
    mpi_items_free(&r.facets);
    free(r.lowest);
    return status;
}
