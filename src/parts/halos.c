/* SPDX-License-Identifier: Apache-2.0 */
/* halos.c - members of other parts that a part needs
 *
 * The execute halo of a part has the elements with an owned point in a map by which some loop changes points: they run in
 * the part as well, so that its points get all that they are due. The read halo has every other point that owned and
 * executed elements name. Members of the read halo are elements, too: loops may run them, without effect on what is
 * owned. Where they lead to points that are not in the part, part_mesh.c puts others of the halo in their place; where
 * that cannot be (a loop writes each point once; there is no such halo), the true points are added here. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "parts/parts.h"

/* Halos on their way: numbers of members, ascending; vectors of int32_t, one for each part in
 * [begin, end) and set (`of`), in which each member is once after sort_lists; a member is never in
 * both of a part and set. */
typedef struct finding {
    mplan_parts *parts;
    const planning *p;
    mplan_map *maps; /* by map of the plan */
    mplan_map_use *uses;
    mplan_vector *execute, *read;
} finding;

void mplan_parts_map_uses(const planning *p, mplan_map_use *uses)
{
    assert(p && uses);
    memset(uses, 0, (size_t)p->n_maps * sizeof *uses);
    for (int32_t l = 0; l < p->n_loops; l++)
        for (int32_t a = 0; a < p->loops[l].loop->n_args; a++) {
            const int32_t map = p->loops[l].arg_map[a];
            const mplan_access access = p->loops[l].loop->args[a].access;
            if (map < 0 || access == MPLAN_READ)
                continue;
            uses[map].adds = true;
            uses[map].writes |= access == MPLAN_WRITE || access == MPLAN_RW;
        }
}

/* By bisection: the list is ascending. */
static bool is_in(const mplan_vector *list, int32_t member)
{
    return list->count > 0 &&
           bsearch(&member, list->data, (size_t)list->count, sizeof member, mplan_compare_i32);
}

static mplan_vector *of(const finding *f, mplan_vector *lists, int32_t part, int32_t set)
{
    return &lists[(int64_t)(part - f->parts->begin) * f->p->n_sets + set];
}

static bool is_here(const mplan_parts *parts, int32_t part)
{
    return part >= parts->begin && part < parts->end;
}

/* Lists of one kind. */
static int64_t count_lists(const finding *f)
{
    return (int64_t)(f->parts->end - f->parts->begin) * f->p->n_sets;
}

/* Appends a member that is not the last one already. Rows that follow one another often name the
 * same point; sort_lists removes what this leaves. */
static mplan_status push(mplan_vector *list, int32_t member, mplan_error *err)
{
    const int32_t *data = list->data;
    if (list->count > 0 && data[list->count - 1] == member)
        return MPLAN_OK;
    return mplan_vector_push(list, &member, err);
}

/* All lists of one kind: ascending, each member once. Only then is_in may be asked about them. */
static void sort_lists(const finding *f, mplan_vector *lists)
{
    for (int64_t i = 0; i < count_lists(f); i++)
        if (lists[i].count > 0)
            lists[i].count = mplan_distinct_i32(lists[i].data, lists[i].count);
}

/* --- the execute halo ----------------------------------------------------------------- */

/* Every element goes to each part that owns one of its points and not the element. Only maps by
 * which some loop changes points count: through others nothing is added to what a part owns. */
static mplan_status find_execute(finding *f, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < f->p->n_maps && !status; m++) {
        const mplan_map *map = &f->maps[m];
        const int32_t *own = f->parts->owner[map->from], *point = f->parts->owner[map->to];
        for (int64_t e = 0; f->uses[m].adds && e < map->n_rows && !status; e++) {
            int32_t n;
            const int32_t *row = mplan_map_row(map, e, &n);
            for (int32_t k = 0; k < n && !status; k++)
                if (row[k] >= 0 && point[row[k]] != own[e] && is_here(f->parts, point[row[k]]))
                    status = push(of(f, f->execute, point[row[k]], map->from), (int32_t)e, err);
        }
    }
    sort_lists(f, f->execute);
    return status;
}

/* --- the read halo -------------------------------------------------------------------- */

/* The points of a row that part q neither owns nor executes. The lists of `execute` are sorted
 * by now. e: an element that the part owns or executes. */
static mplan_status read_row(finding *f, const mplan_map *map, int32_t part, int64_t e,
                             mplan_error *err)
{
    const mplan_vector *execute = of(f, f->execute, part, map->to);
    mplan_status status = MPLAN_OK;
    int32_t n;
    const int32_t *row = mplan_map_row(map, e, &n);
    for (int32_t k = 0; k < n && !status; k++)
        if (row[k] >= 0 && f->parts->owner[map->to][row[k]] != part && !is_in(execute, row[k]))
            status = push(of(f, f->read, part, map->to), row[k], err);
    return status;
}

/* Of owned elements, and of those that are executed: by all maps of the plan, also those by
 * which loops only change points, as the rows of a part must name members that it has. */
static mplan_status find_read(finding *f, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < f->p->n_maps && !status; m++) {
        const mplan_map *map = &f->maps[m];
        for (int64_t e = 0; e < map->n_rows && !status; e++)
            if (is_here(f->parts, f->parts->owner[map->from][e]))
                status = read_row(f, map, f->parts->owner[map->from][e], e, err);
        for (int32_t q = f->parts->begin; q < f->parts->end && !status; q++) {
            const mplan_vector *execute = of(f, f->execute, q, map->from);
            for (int64_t i = 0; i < execute->count && !status; i++)
                status = read_row(f, map, q, ((const int32_t *)execute->data)[i], err);
        }
    }
    sort_lists(f, f->read);
    return status;
}

/* Adds what rows of the read halo must have; *grown: whether there was something. all: every
 * point that the part does not have, since a loop writes by this map; else one point, where the
 * part would have no halo in that set which part_mesh.c could name in its place. What is new is
 * collected first: the map may lead from a set to itself, and then `rows` and `points` are one
 * list. */
static mplan_status complete_rows(finding *f, int32_t part, const mplan_map *map, bool all,
                                  bool *grown, mplan_error *err)
{
    const mplan_vector *rows = of(f, f->read, part, map->from);
    mplan_vector *points = of(f, f->read, part, map->to);
    const mplan_vector *execute = of(f, f->execute, part, map->to);
    const int64_t n_rows = rows->count;
    mplan_vector more = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n_rows && !status; i++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, ((const int32_t *)rows->data)[i], &n);
        for (int32_t k = 0; k < n && !status; k++) {
            if (row[k] < 0 || f->parts->owner[map->to][row[k]] == part || is_in(execute, row[k]) ||
                is_in(points, row[k]))
                continue;
            if (all || execute->count + points->count + more.count == 0)
                status = push(&more, row[k], err);
        }
    }
    for (int64_t i = 0; i < more.count && !status; i++)
        status = mplan_vector_push(points, (const int32_t *)more.data + i, err);
    if (!status && more.count > 0) {
        points->count = mplan_distinct_i32(points->data, points->count);
        *grown = true;
    }
    free(more.data);
    return status;
}

/* Until nothing is added: what is added has rows, too. It ends, as lists only grow and have at
 * most all members of their sets. */
static mplan_status complete_read(finding *f, int32_t part, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (bool grown = true; grown && !status;) {
        grown = false;
        for (int32_t m = 0; m < f->p->n_maps && !status; m++)
            status = complete_rows(f, part, &f->maps[m], f->uses[m].writes, &grown, err);
    }
    return status;
}

/* --- halos as they are stored ------------------------------------------------------------ */

/* A halo by owner, then by number. list: n members; member: out, n entries. One sort
 * of keys of 64 bits, the owner in the upper half, does both. */
static mplan_status store_list(const mplan_parts *parts, int32_t set, const int32_t *list,
                               int64_t n, int32_t *member, mplan_error *err)
{
    uint64_t *key = mplan_alloc(n, sizeof *key, err);
    if (!key)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        key[i] = (uint64_t)parts->owner[set][list[i]] << 32 | (uint32_t)list[i];
    mplan_sort_u64(key, n);
    for (int64_t i = 0; i < n; i++)
        member[i] = (int32_t)(uint32_t)key[i];
    free(key);
    return MPLAN_OK;
}

/* The execute halo, then the read halo, in one array that the halo owns. Its order is that of
 * messages, so that each range of a link is one piece of it. */
mplan_status mplan_parts_store_halo(const mplan_parts *parts, int32_t set, const int32_t *list,
                                    int64_t n_execute, int64_t n, mplan_halo *halo, mplan_error *err)
{
    assert(parts && (list || n == 0) && n_execute <= n && halo && !halo->member);
    halo->n_execute = n_execute;
    halo->n = n;
    halo->member = mplan_alloc(n, sizeof *halo->member, err);
    if (!halo->member)
        return MPLAN_ERR_MEMORY;
    mplan_status status = store_list(parts, set, list, n_execute, halo->member, err);
    return status ? status
                  : store_list(parts, set, list + n_execute, n - n_execute,
                               halo->member + n_execute, err);
}

/* Both lists of a part, which ascend. */
static mplan_status store_halo(const finding *f, int32_t part, int32_t set, mplan_error *err)
{
    const mplan_vector *execute = of(f, f->execute, part, set), *read = of(f, f->read, part, set);
    const int64_t n = execute->count + read->count;
    int32_t *list = mplan_alloc(n, sizeof *list, err);
    if (!list)
        return MPLAN_ERR_MEMORY;
    if (execute->count > 0)
        memcpy(list, execute->data, (size_t)execute->count * sizeof *list);
    if (read->count > 0)
        memcpy(list + execute->count, read->data, (size_t)read->count * sizeof *list);
    mplan_status status = mplan_parts_store_halo(f->parts, set, list, execute->count, n,
                                                 mplan_parts_halo(f->parts, part, set), err);
    free(list);
    return status;
}

/* n empty vectors, whose elements have `size` bytes; NULL: out of memory. */
static mplan_vector *new_lists(int64_t n, size_t size, mplan_error *err)
{
    mplan_vector *lists = mplan_alloc_zero(n, sizeof *lists, err);
    for (int64_t i = 0; lists && i < n; i++)
        lists[i].size = size;
    return lists;
}

static void free_lists(mplan_vector *lists, int64_t n)
{
    for (int64_t i = 0; lists && i < n; i++)
        free(lists[i].data);
    free(lists);
}

mplan_status mplan_parts_find_halos(mplan_parts *parts, const mplan_context *context, mplan_error *err)
{
    assert(parts && parts->member && !parts->halo);
    const planning *p = &parts->whole.p;
    finding f = {.parts = parts, .p = p};
    const int64_t n = count_lists(&f);
    parts->halo = mplan_alloc_zero((int64_t)parts->n_parts * p->n_sets, sizeof *parts->halo, err);
    f.maps = mplan_alloc(p->n_maps, sizeof *f.maps, err);
    f.uses = mplan_alloc(p->n_maps, sizeof *f.uses, err);
    f.execute = new_lists(n, sizeof(int32_t), err);
    f.read = new_lists(n, sizeof(int32_t), err);
    mplan_status status = parts->halo && f.maps && f.uses && f.execute && f.read ? MPLAN_OK
                                                                                 : MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < p->n_maps && !status; m++)
        f.maps[m] = mplan_planning_mesh_map(p, m);
    if (!status) {
        mplan_parts_map_uses(p, f.uses);
        status = find_execute(&f, err);
    }
    if (!status)
        status = find_read(&f, err);
    for (int32_t q = parts->begin; q < parts->end && !status; q++) {
        status = mplan_interrupted(context, err);
        if (!status)
            status = complete_read(&f, q, err);
        for (int32_t s = 0; s < p->n_sets && !status; s++)
            status = store_halo(&f, q, s, err);
    }
    free_lists(f.execute, n);
    free_lists(f.read, n);
    free(f.maps);
    free(f.uses);
    return status;
}
