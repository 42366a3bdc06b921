/* SPDX-License-Identifier: Apache-2.0 */
/* support_parts.c - parts of a mesh by the plainest code */
#include "support_parts.h"

#include "support_test.h"

#include "mesh/mesh.h"

/* Member m of set s as part p sees it. */
enum { ABSENT, OWNED, EXECUTED, READ };

/* One part while it is made; [s][m] by set and member of the mesh. */
typedef struct local_mesh {
    const mplan_mesh *mesh;
    int32_t n_loops, part;
    const mplan_loop *loops;
    int32_t *const *part_of;
    uint8_t **kind;
    int32_t **local, **place; /* number in the local mesh, and stored index; -1: absent */
    int64_t *size;
} local_mesh;

static int64_t members(const mplan_mesh *mesh, int32_t s)
{
    return mplan_mesh_set(mesh, s).size;
}

/* Whether loops use the map at all (1), or write or increment through it (2). */
static int use_of_map(const local_mesh *lm, int32_t m)
{
    const char *name = mplan_mesh_map(lm->mesh, m).name;
    int use = 0;
    for (int32_t l = 0; l < lm->n_loops; l++)
        for (int32_t a = 0; a < lm->loops[l].n_args; a++) {
            const mplan_arg *arg = &lm->loops[l].args[a];
            if (arg->map && strcmp(arg->map, name) == 0)
                use = arg->access != MPLAN_READ ? 2 : use > 1 ? use : 1;
        }
    return use;
}

static bool touches_owned(const local_mesh *lm, const mplan_map *map, int64_t e)
{
    int32_t n = 0;
    const int32_t *row = mplan_map_row(map, e, &n);
    for (int32_t k = 0; k < n; k++)
        if (row[k] >= 0 && lm->kind[map->to][row[k]] == OWNED)
            return true;
    return false;
}

/* Owned, then executed elements, then whatever these read. */
static void find_kinds(local_mesh *lm)
{
    const int32_t n_sets = mplan_mesh_n_sets(lm->mesh), n_maps = mplan_mesh_n_maps(lm->mesh);
    for (int32_t s = 0; s < n_sets; s++)
        for (int64_t m = 0; m < members(lm->mesh, s); m++)
            lm->kind[s][m] = lm->part_of[s][m] == lm->part ? OWNED : ABSENT;
    for (int32_t i = 0; i < n_maps; i++) {
        const mplan_map map = mplan_mesh_map(lm->mesh, i);
        for (int64_t e = 0; use_of_map(lm, i) == 2 && e < map.n_rows; e++)
            if (lm->kind[map.from][e] == ABSENT && touches_owned(lm, &map, e))
                lm->kind[map.from][e] = EXECUTED;
    }
    for (int32_t i = 0; i < n_maps; i++) {
        const mplan_map map = mplan_mesh_map(lm->mesh, i);
        for (int64_t e = 0; use_of_map(lm, i) && e < map.n_rows; e++) {
            const uint8_t kind = lm->kind[map.from][e];
            int32_t n = 0;
            const int32_t *row = mplan_map_row(&map, e, &n);
            for (int32_t k = 0; k < n && (kind == OWNED || kind == EXECUTED); k++)
                if (row[k] >= 0 && lm->kind[map.to][row[k]] == ABSENT)
                    lm->kind[map.to][row[k]] = READ;
        }
    }
}

/* Marks whatever meets a member that is not owned, twice: points of such elements do, too. */
static uint8_t **find_outer(const local_mesh *lm)
{
    const int32_t n_sets = mplan_mesh_n_sets(lm->mesh);
    uint8_t **outer = calloc((size_t)n_sets, sizeof *outer);
    for (int32_t s = 0; s < n_sets; s++)
        outer[s] = calloc((size_t)members(lm->mesh, s) + 1, 1);
    for (int round = 0; round < 2; round++)
        for (int32_t i = 0; i < mplan_mesh_n_maps(lm->mesh); i++) {
            const mplan_map map = mplan_mesh_map(lm->mesh, i);
            for (int64_t e = 0; use_of_map(lm, i) && e < map.n_rows; e++) {
                int32_t n = 0;
                const int32_t *row = mplan_map_row(&map, e, &n);
                bool outside = lm->kind[map.from][e] > OWNED || outer[map.from][e];
                for (int32_t k = 0; k < n; k++)
                    outside = outside || (row[k] >= 0 && lm->kind[map.to][row[k]] > OWNED);
                outer[map.from][e] |= outside;
                for (int32_t k = 0; k < n && outside; k++)
                    if (row[k] >= 0)
                        outer[map.to][row[k]] = 1;
            }
        }
    return outer;
}

/* Numbers members by number of the mesh; places by kind (inner before other owned ones), halos by part. */
static void number_members(local_mesh *lm, int32_t n_parts, mplan_part_set *about)
{
    uint8_t **outer = find_outer(lm);
    for (int32_t s = 0; s < mplan_mesh_n_sets(lm->mesh); s++) {
        int32_t n = 0, place = 0;
        for (int64_t m = 0; m < members(lm->mesh, s); m++) {
            lm->place[s][m] = -1;
            lm->local[s][m] = lm->kind[s][m] == ABSENT ? -1 : n++;
        }
        lm->size[s] = n;
        for (int far = 0; far < 2; far++) {
            for (int64_t m = 0; m < members(lm->mesh, s); m++)
                if (lm->kind[s][m] == OWNED && outer[s][m] == far)
                    lm->place[s][m] = place++;
            if (far == 0)
                about[s].inner = place;
        }
        about[s].owned = place;
        for (uint8_t kind = EXECUTED; kind <= READ; kind++) {
            for (int32_t p = 0; p < n_parts; p++)
                for (int64_t m = 0; m < members(lm->mesh, s); m++)
                    if (lm->kind[s][m] == kind && lm->part_of[s][m] == p)
                        lm->place[s][m] = place++;
            if (kind == EXECUTED)
                about[s].executed = place;
        }
        free(outer[s]);
    }
    free(outer);
}

static void add(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows, int64_t cols,
                void *data)
{
    mplan_error err;
    assert_done(mplan_plan_take_array(plan, key, type, rows, cols, data, &err), &err);
}

/* Orders and numbers of one set. */
static void add_set(const local_mesh *lm, mplan_plan *plan, int32_t s, const mplan_part_set *about)
{
    mplan_error err;
    const int64_t n = lm->size[s];
    int32_t *new_of_old = malloc((size_t)n * 4 + 4), *old_of_new = malloc((size_t)n * 4 + 4);
    int64_t *id = malloc((size_t)n * 8 + 8);
    for (int64_t m = 0; m < members(lm->mesh, s); m++)
        if (lm->local[s][m] >= 0) {
            new_of_old[lm->local[s][m]] = lm->place[s][m];
            old_of_new[lm->place[s][m]] = lm->local[s][m];
            id[lm->local[s][m]] = m;
        }
    mplan_plan_set record = {.name = mplan_mesh_set(lm->mesh, s).name,
                             .size = n,
                             .storage_size = n,
                             .split = "",
                             .parent = "",
                             .parent_set = -1,
                             .renumber = MPLAN_RENUMBER_NONE,
                             .bandwidth = {-1, -1, -1},
                             .profile = {-1, -1, -1},
                             .part = *about};
    assert_done(mplan_plan_add_set(plan, &record, &err), &err);
    mplan_plan_set_part(plan, s, about);
    add(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s), MPLAN_TYPE_I32, n, 1, new_of_old);
    add(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s), MPLAN_TYPE_I32, n, 1, old_of_new);
    add(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), MPLAN_TYPE_I64, n, 1, id);
}

/* Number in the mesh of the member at a place. */
static int64_t member_at(const local_mesh *lm, int32_t s, int64_t place)
{
    for (int64_t m = 0; m < members(lm->mesh, s); m++)
        if (lm->place[s][m] == place)
            return m;
    return -1;
}

/* Rows of elements that do not run are empty: -1, or of length 0. */
static void add_map(const local_mesh *lm, mplan_plan *plan, int32_t i, const mplan_part_set *about)
{
    mplan_error err;
    const mplan_map map = mplan_mesh_map(lm->mesh, i);
    const int64_t n = lm->size[map.from];
    int64_t *offsets = calloc((size_t)n + 1, sizeof *offsets), entries = 0, most = 0;
    for (int64_t e = 0; e < map.n_rows; e++) {
        int32_t length = 0;
        mplan_map_row(&map, e, &length);
        most += length;
    }
    int32_t *values = malloc((size_t)(most + n * (map.arity + 1)) * 4 + 4);
    for (int64_t r = 0; r < n; r++) {
        int32_t length = 0;
        const int32_t *row = mplan_map_row(&map, member_at(lm, map.from, r), &length);
        for (int32_t k = 0; k < length && (map.arity > 0 || r < about[map.from].executed); k++)
            values[entries++] = r < about[map.from].executed && row[k] >= 0
                                    ? lm->place[map.to][row[k]]
                                    : -1;
        offsets[r + 1] = entries;
    }
    mplan_plan_map record = {
        .name = map.name, .from = map.from, .to = map.to, .arity = map.arity, .n_entries = entries};
    assert_done(mplan_plan_add_map(plan, &record, &err), &err);
    add(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, i), MPLAN_TYPE_I32, map.arity ? n : entries,
        map.arity ? map.arity : 1, values);
    if (map.arity == 0)
        add(plan, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, i), MPLAN_TYPE_I64, n + 1, 1, offsets);
    else
        free(offsets);
}

/* Lists of slots of each point by place of the element, for two-step. */
static void add_gather(mplan_plan *plan, int32_t l, int32_t m)
{
    const mplan_plan_map *map = mplan_plan_get_map(plan, m);
    const int64_t n = mplan_plan_get_set(plan, map->to)->storage_size;
    int64_t rows = 0, *offsets = calloc((size_t)n + 1, sizeof *offsets), at = 0;
    int64_t *slots = malloc((size_t)map->n_entries * 8 + 8);
    const int32_t *values = mplan_plan_data(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m),
                                            MPLAN_TYPE_I32, &rows);
    for (int64_t p = 0; p < n; p++) {
        for (int64_t i = 0; i < map->n_entries; i++)
            if (values[i] == p)
                slots[at++] = i;
        offsets[p + 1] = at;
    }
    add(plan, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, m), MPLAN_TYPE_I64, n + 1, 1,
        offsets);
    add(plan, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, m), MPLAN_TYPE_I64, at, 1, slots);
}

static void add_loop(const local_mesh *lm, mplan_plan *plan, int32_t l)
{
    mplan_error err;
    const mplan_loop *loop = &lm->loops[l];
    mplan_plan_arg args[MPLAN_MAX_ARGS] = {{0}};
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_arg *arg = &loop->args[a];
        const bool global = arg->map && strcmp(arg->map, MPLAN_GLOBAL) == 0;
        args[a] = (mplan_plan_arg){.dat = arg->dat,
                                   .map = global     ? MPLAN_MAP_GLOBAL
                                          : arg->map ? mplan_mesh_find_map(lm->mesh, arg->map)
                                                     : -1,
                                   .access = arg->access,
                                   .dim = arg->dim,
                                   .type = arg->type,
                                   /* rows that do not run are empty */
                                   .none = arg->map && !global ? MPLAN_NONE_SKIP : MPLAN_NONE_REFUSE,
                                   .layout = l % 2 ? MPLAN_LAYOUT_SOA : MPLAN_LAYOUT_AOS};
        for (int32_t before = 0; before < l; before++) /* one layout a dat */
            for (int32_t b = 0; b < plan->loops[before].n_args; b++)
                if (strcmp(plan->loops[before].args[b].dat, arg->dat) == 0)
                    args[a].layout = plan->loops[before].args[b].layout;
    }
    const mplan_plan_variant variants[2] = {{.strategy = MPLAN_STRATEGY_TWO_STEP,
                                             .block_limit = 32,
                                             .threads = 32,
                                             .elements_per_thread = 1,
                                             .block_set = -1,
                                             .deterministic = true,
                                             .device = ""},
                                            {.strategy = MPLAN_STRATEGY_ATOMIC,
                                             .block_limit = 32,
                                             .threads = 32,
                                             .elements_per_thread = 1,
                                             .block_set = -1,
                                             .device = ""}};
    mplan_plan_loop record = {.name = loop->name,
                              .set = mplan_mesh_find_set(lm->mesh, loop->over),
                              .primary = l == 0,
                              .calls = 1,
                              .n_args = loop->n_args,
                              .args = args,
                              .n_variants = 2,
                              .variants = variants};
    assert_done(mplan_plan_add_loop(plan, &record, &err), &err);
    for (int32_t a = 0; a < loop->n_args; a++) {
        bool first = args[a].map >= 0 && args[a].access != MPLAN_READ;
        for (int32_t b = 0; b < a; b++)
            first = first && !(args[b].map == args[a].map && args[b].access != MPLAN_READ);
        if (first)
            add_gather(plan, l, args[a].map);
    }
}

/* Ranges of halos by part, and what goes to each other part: owned members that are in its halo, in its order. */
static void add_lists(const local_mesh *own, local_mesh *const *all, int32_t n_parts,
                      mplan_plan *plan, mplan_part_set *about)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(own->mesh); s++) {
        int32_t *from = malloc((size_t)n_parts * 4), *to = malloc((size_t)n_parts * 4);
        int64_t *ranges = calloc((size_t)n_parts * 4, 8), *offsets = calloc((size_t)n_parts + 1, 8);
        int32_t *index = malloc((size_t)(members(own->mesh, s) + 1) * (size_t)n_parts * 4);
        int64_t end[2] = {about[s].owned, about[s].executed};
        int32_t n_from = 0, n_to = 0, at = 0;
        for (int32_t p = 0; p < n_parts; p++) {
            int64_t range[4] = {INT32_MAX, 0, INT32_MAX, 0};
            for (int64_t m = 0; m < members(own->mesh, s); m++) {
                const int64_t place = own->place[s][m];
                int64_t *r = own->kind[s][m] == EXECUTED ? range : range + 2;
                if (own->part_of[s][m] != p || own->kind[s][m] <= OWNED)
                    continue;
                r[0] = place < r[0] ? place : r[0];
                r[1] = place + 1 > r[1] ? place + 1 : r[1];
            }
            const bool imports = range[1] + range[3] > 0;
            for (int k = 0; k < 4; k += 2) { /* ranges without members follow the others, too */
                if (range[k + 1] == 0)
                    range[k] = range[k + 1] = end[k / 2];
                end[k / 2] = range[k + 1];
            }
            if (imports) {
                memcpy(ranges + 4 * n_from, range, sizeof range);
                from[n_from++] = p;
            }
            const int32_t before = at;
            for (int64_t q = 0; q < all[p]->size[s]; q++) {
                const int64_t m = member_at(all[p], s, q);
                if (p != own->part && all[p]->kind[s][m] > OWNED && own->kind[s][m] == OWNED)
                    index[at++] = own->place[s][m];
            }
            if (at > before) {
                offsets[n_to + 1] = at;
                to[n_to++] = p;
            }
        }
        about[s].imports = n_from;
        about[s].exports = n_to;
        about[s].exported = at;
        mplan_plan_set_part(plan, s, &about[s]);
        add(plan, mplan_key_of_set(MPLAN_KIND_IMPORT_PARTS, s), MPLAN_TYPE_I32, n_from, 1, from);
        add(plan, mplan_key_of_set(MPLAN_KIND_IMPORT_RANGES, s), MPLAN_TYPE_I64, n_from, 4, ranges);
        add(plan, mplan_key_of_set(MPLAN_KIND_EXPORT_PARTS, s), MPLAN_TYPE_I32, n_to, 1, to);
        add(plan, mplan_key_of_set(MPLAN_KIND_EXPORT_OFFSETS, s), MPLAN_TYPE_I64, n_to + 1, 1,
            offsets);
        add(plan, mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, s), MPLAN_TYPE_I32, at, 1, index);
    }
}

static local_mesh *new_local(const mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                             int32_t part, int32_t *const *part_of)
{
    const size_t n_sets = (size_t)mplan_mesh_n_sets(mesh);
    local_mesh *lm = calloc(1, sizeof *lm);
    *lm = (local_mesh){mesh,
                       n_loops,
                       part,
                       loops,
                       part_of,
                       calloc(n_sets, sizeof *lm->kind),
                       calloc(n_sets, sizeof *lm->local),
                       calloc(n_sets, sizeof *lm->place),
                       calloc(n_sets, sizeof *lm->size)};
    for (size_t s = 0; s < n_sets; s++) {
        const size_t n = (size_t)members(mesh, (int32_t)s) + 1;
        lm->kind[s] = calloc(n, 1);
        lm->local[s] = calloc(n, sizeof **lm->local);
        lm->place[s] = calloc(n, sizeof **lm->place);
    }
    find_kinds(lm);
    return lm;
}

static void free_local(local_mesh *lm)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(lm->mesh); s++) {
        free(lm->kind[s]);
        free(lm->local[s]);
        free(lm->place[s]);
    }
    free(lm->kind);
    free(lm->local);
    free(lm->place);
    free(lm->size);
    free(lm);
}

void support_parts_make(const mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                        int32_t n_parts, int32_t *const *part_of, support_parts *parts)
{
    mplan_error err;
    const int32_t n_sets = mplan_mesh_n_sets(mesh);
    local_mesh **all = calloc((size_t)n_parts, sizeof *all);
    mplan_part_set *about = calloc((size_t)(n_parts * n_sets), sizeof *about);
    *parts = (support_parts){n_parts, n_sets,
                             calloc((size_t)(n_sets * (n_parts + 1)), sizeof(int64_t)),
                             calloc((size_t)n_parts, sizeof *parts->plan), 0};
    for (int32_t p = 0; p < n_parts; p++) {
        all[p] = new_local(mesh, n_loops, loops, p, part_of);
        number_members(all[p], n_parts, about + p * n_sets);
        for (int32_t s = 0; s < n_sets; s++) {
            int64_t *base = parts->base + s * (n_parts + 1) + p;
            mplan_part_set *own = &about[p * n_sets + s];
            own->parts = n_parts;
            own->part = p;
            own->total = members(mesh, s);
            own->base = base[0];
            base[1] = base[0] + own->owned;
        }
    }
    for (int32_t p = 0; p < n_parts; p++) {
        mplan_plan *plan;
        assert_done(mplan_plan_new(&plan, &err), &err);
        for (int32_t s = 0; s < n_sets; s++)
            add_set(all[p], plan, s, &about[p * n_sets + s]);
        for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++)
            add_map(all[p], plan, m, about + p * n_sets);
        for (int32_t l = 0; l < n_loops; l++)
            add_loop(all[p], plan, l);
        add_lists(all[p], all, n_parts, plan, about + p * n_sets);
        assert_done(mplan_plan_seal(plan, &err), &err);
        parts->plan[p] = plan;
    }
    for (int32_t p = 0; p < n_parts; p++)
        free_local(all[p]);
    free(all);
    free(about);
}

void support_parts_free(support_parts *parts)
{
    for (int32_t p = 0; p < parts->n_parts; p++)
        mplan_plan_free(parts->plan[p]);
    free(parts->plan);
    free(parts->base);
}

static const int64_t *base_of(const void *user, int32_t set)
{
    const support_parts *parts = user;
    return parts->base + set * (parts->n_parts + 1);
}

/* A plan of its own, with arrays of the other: executors free theirs. */
static mplan_status read_part(const void *user, int32_t part, mplan_plan **plan, mplan_error *err)
{
    const mplan_plan *from = ((const support_parts *)user)->plan[part];
    mplan_status status = mplan_plan_new(plan, err);
    for (int32_t s = 0; s < from->n_sets && !status; s++) {
        status = mplan_plan_add_set(*plan, &from->sets[s], err);
        if (!status)
            mplan_plan_set_part(*plan, s, &from->sets[s].part);
    }
    for (int32_t m = 0; m < from->n_maps && !status; m++)
        status = mplan_plan_add_map(*plan, &from->maps[m], err);
    for (int32_t l = 0; l < from->n_loops && !status; l++)
        status = mplan_plan_add_loop(*plan, &from->loops[l], err);
    for (int32_t i = 0; i < from->n_arrays && !status; i++) {
        const mplan_array *a = &from->arrays[i];
        status = mplan_plan_borrow_array(*plan, a->key, a->type, a->rows, a->cols, a->data, err);
    }
    return status ? status : mplan_plan_seal(*plan, err);
}

mplan_status support_parts_try(const support_parts *parts, const mplan_transport *transport,
                               mplan_executor executor, const mplan_rank_options *ranks,
                               mplan_exec **exec, mplan_error *err)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = executor;
    options.threads = executor == MPLAN_EXECUTOR_OPENMP ? 2 : 0;
    options.device_memory = parts->device_memory;
    const mplan_exec_source source = {parts->n_parts, parts->n_sets, parts, base_of, read_part};
    return mplan_exec_open_source(&source, transport, &options, ranks, exec, err);
}

mplan_exec *support_parts_open(const support_parts *parts, const mplan_transport *transport,
                               mplan_executor executor, const mplan_rank_options *ranks)
{
    mplan_error err;
    mplan_exec *exec;
    assert_done(support_parts_try(parts, transport, executor, ranks, &exec, &err), &err);
    return exec;
}
