/* SPDX-License-Identifier: Apache-2.0 */
/* support_bundle.c - what a proof of parts asks for, by the plainest code: each list is looked for in the whole mesh */
#include "support_bundle.h"

#include "support_test.h"

#include "base/hash.h"
#include "mesh/mesh.h"

static const void *array(const mplan_plan *plan, mplan_key key)
{
    static const int64_t nothing = 0;
    const mplan_array *found = mplan_plan_find_array(plan, &key);
    return found && found->data ? found->data : &nothing;
}

static int64_t global_id(const mplan_plan *plan, int32_t s, int64_t place)
{
    const int32_t *old = array(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s));
    const int64_t *ids = array(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s));
    return ids[old[place]];
}

static uint64_t hash_of(const mplan_plan *plan, int32_t s, const int32_t *places, int64_t n)
{
    int64_t *ids = malloc((size_t)n * sizeof *ids + 8);
    for (int64_t i = 0; i < n; i++)
        ids[i] = global_id(plan, s, places[i]);
    const uint64_t hash = mplan_hash(ids, (size_t)n * sizeof *ids);
    free(ids);
    return hash;
}

/* Replaces the array of a key, or adds it. */
static void set_array(mplan_plan *plan, mplan_key key, mplan_type type, int64_t rows, void *data)
{
    mplan_error err;
    mplan_array *old = (mplan_array *)(uintptr_t)mplan_plan_find_array(plan, &key);
    if (old) {
        free((void *)(uintptr_t)old->data);
        old->data = data;
        old->rows = rows;
        return;
    }
    plan->sealed = false;
    assert_done(mplan_plan_take_array(plan, key, type, rows, 1, data, &err), &err);
    assert_done(mplan_plan_seal(plan, &err), &err);
}

/* --- what loops read ------------------------------------------------------------------- */

/* Whether an element changes an owned point, in this loop. */
static bool adds_to_owned(const mplan_plan *plan, int32_t l, int64_t e)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    for (int32_t a = 0; a < loop->n_args; a++) {
        if (loop->args[a].map < 0 || loop->args[a].access == MPLAN_READ)
            continue;
        const mplan_plan_map *map = &plan->maps[loop->args[a].map];
        const int32_t *values = array(plan,
                                      mplan_key_of_map(MPLAN_KIND_MAP_VALUES, loop->args[a].map));
        for (int64_t k = e * map->arity; k < (e + 1) * map->arity; k++)
            if (values[k] >= 0 && values[k] < plan->sets[map->to].part.owned)
                return true;
    }
    return false;
}

/* reads: a byte for each place of set s. Maps that change points have an arity here. */
static void mark_reads(const mplan_plan *plan, int32_t l, int32_t s, uint8_t *reads)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_part_set *of = &plan->sets[loop->set].part;
    for (int64_t e = 0; e < plan->sets[loop->set].size; e++)
        for (int32_t a = 0; a < loop->n_args && (e < of->owned || adds_to_owned(plan, l, e)); a++) {
            const mplan_plan_arg *arg = &loop->args[a];
            if (arg->access != MPLAN_READ && arg->access != MPLAN_RW)
                continue;
            if (arg->map == -1 && loop->set == s)
                reads[e] = 1;
            if (arg->map < 0 || plan->maps[arg->map].to != s)
                continue;
            const int32_t *values = array(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, arg->map));
            const int64_t *offsets = array(plan, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, arg->map));
            const int32_t arity = plan->maps[arg->map].arity;
            for (int64_t k = arity ? e * arity : offsets[e];
                 k < (arity ? (e + 1) * arity : offsets[e + 1]); k++)
                if (values[k] >= 0)
                    reads[values[k]] = 1;
        }
}

/* Of part p: by number of the mesh, whether the loop reads the member in the halo. */
static uint8_t *find_reads(const support_parts *parts, int32_t p, int32_t l, int32_t s)
{
    const mplan_plan *plan = parts->plan[p];
    const mplan_plan_set *set = &plan->sets[s];
    uint8_t *reads = calloc((size_t)set->size + 1, 1),
            *by_id = calloc((size_t)set->part.total + 1, 1);
    mark_reads(plan, l, s, reads);
    for (int64_t m = set->part.owned; m < set->size; m++)
        by_id[global_id(plan, s, m)] = reads[m];
    free(reads);
    return by_id;
}

/* The lists of one loop and set: those of the set without what the loop does not read. */
static void add_loop_lists(const support_parts *parts, int32_t p, int32_t l, int32_t s)
{
    mplan_plan *plan = parts->plan[p];
    const mplan_part_set *part = &plan->sets[s].part;
    for (int out = 0; out < 2; out++) {
        const int32_t n = out ? part->exports : part->imports;
        int64_t *begins = calloc((size_t)n + 1, 8), at = 0;
        int32_t *list = calloc((size_t)(out ? part->exported : plan->sets[s].size) + 1, 4);
        uint64_t *hashes = calloc((size_t)n + 1, 8);
        for (int32_t i = 0; i < n; i++) {
            const mplan_part_import in = mplan_plan_part_import(plan, s, i);
            const mplan_part_list to = mplan_plan_part_export(plan, s, i);
            uint8_t *reads = find_reads(parts, out ? to.part : p, l, s);
            for (int64_t k = 0; out && k < to.n; k++)
                if (reads[global_id(plan, s, to.index[k])])
                    list[at++] = to.index[k];
            for (int64_t m = part->owned; !out && m < plan->sets[s].size; m++)
                if (((m >= in.execute[0] && m < in.execute[1]) ||
                     (m >= in.read[0] && m < in.read[1])) &&
                    reads[global_id(plan, s, m)])
                    list[at++] = (int32_t)m;
            begins[i + 1] = at;
            hashes[i] = hash_of(plan, s, list + begins[i], at - begins[i]);
            free(reads);
        }
        set_array(plan,
                  mplan_key_of_loop_set(out ? MPLAN_KIND_LOOP_EXPORT_OFFSETS
                                            : MPLAN_KIND_LOOP_IMPORT_OFFSETS,
                                        s, l),
                  MPLAN_TYPE_I64, n + 1, begins);
        set_array(plan,
                  mplan_key_of_loop_set(out ? MPLAN_KIND_LOOP_EXPORTS : MPLAN_KIND_LOOP_IMPORTS, s, l),
                  MPLAN_TYPE_I32, at, list);
        set_array(plan,
                  mplan_key_of_loop_set(out ? MPLAN_KIND_LOOP_EXPORT_HASHES
                                            : MPLAN_KIND_LOOP_IMPORT_HASHES,
                                        s, l),
                  MPLAN_TYPE_I64, n, hashes);
    }
}

/* --- lists of two-step ---------------------------------------------------------------------- */

void support_plan_regather(mplan_plan *plan)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t m = 0; m < plan->n_maps; m++) {
            const mplan_key key = mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, m);
            if (!mplan_plan_find_array(plan, &key))
                continue;
            const int32_t *values = array(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m));
            const int64_t n = plan->sets[plan->maps[m].to].size, entries = plan->maps[m].n_entries;
            int64_t *offsets = calloc((size_t)n + 1, 8), at = 0;
            int64_t *slots = malloc((size_t)entries * 8 + 8);
            for (int64_t p = 0; p < n; p++) {
                for (int64_t i = 0; i < entries; i++)
                    if (values[i] == p)
                        slots[at++] = i;
                offsets[p + 1] = at;
            }
            set_array(plan, key, MPLAN_TYPE_I64, n + 1, offsets);
            set_array(plan, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, m), MPLAN_TYPE_I64, at,
                      slots);
        }
}

/* --- hashes and fingerprints -------------------------------------------------------------- */

static void add_hashes(mplan_plan *plan, int32_t s)
{
    const mplan_part_set *part = &plan->sets[s].part;
    uint64_t *in_hash = calloc((size_t)part->imports + 1, 8);
    uint64_t *out_hash = calloc((size_t)part->exports + 1, 8);
    int32_t *list = malloc((size_t)plan->sets[s].size * 4 + 4);
    for (int32_t i = 0; i < part->imports; i++) {
        const mplan_part_import in = mplan_plan_part_import(plan, s, i);
        int64_t n = 0;
        for (int64_t m = in.execute[0]; m < in.execute[1]; m++)
            list[n++] = (int32_t)m;
        for (int64_t m = in.read[0]; m < in.read[1]; m++)
            list[n++] = (int32_t)m;
        in_hash[i] = hash_of(plan, s, list, n);
    }
    for (int32_t i = 0; i < part->exports; i++) {
        const mplan_part_list out = mplan_plan_part_export(plan, s, i);
        out_hash[i] = hash_of(plan, s, out.index, out.n);
    }
    free(list);
    set_array(plan, mplan_key_of_set(MPLAN_KIND_IMPORT_HASHES, s), MPLAN_TYPE_I64, part->imports,
              in_hash);
    set_array(plan, mplan_key_of_set(MPLAN_KIND_EXPORT_HASHES, s), MPLAN_TYPE_I64, part->exports,
              out_hash);
}

/* Hashes of lists of loops, of the lists as they are. */
static void rehash_loops(mplan_plan *plan, int32_t l, int32_t s)
{
    for (int32_t i = 0; i < plan->sets[s].part.imports; i++) {
        const mplan_part_list list = mplan_plan_part_loop_import(plan, l, s, i);
        uint64_t *hashes = (uint64_t *)(uintptr_t)
            array(plan, mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORT_HASHES, s, l));
        hashes[i] = hash_of(plan, s, list.index, list.n);
    }
    for (int32_t i = 0; i < plan->sets[s].part.exports; i++) {
        const mplan_part_list list = mplan_plan_part_loop_export(plan, l, s, i);
        uint64_t *hashes = (uint64_t *)(uintptr_t)
            array(plan, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_HASHES, s, l));
        hashes[i] = hash_of(plan, s, list.index, list.n);
    }
}

/* Of the part's own sets and maps, in its own numbers. */
static uint64_t print_topology(const mplan_plan *plan)
{
    mplan_fingerprint *print = mplan_fingerprint_begin();
    uint64_t value = 0;
    mplan_fingerprint_i64(print, plan->n_sets);
    for (int32_t s = 0; s < plan->n_sets; s++)
        mplan_fingerprint_i64(print, plan->sets[s].size);
    mplan_fingerprint_i64(print, plan->n_maps);
    for (int32_t m = 0; m < plan->n_maps; m++) {
        const mplan_plan_map *map = &plan->maps[m];
        const int32_t *row_of = array(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, map->from));
        const int32_t *point = array(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, map->to));
        const int32_t *values = array(plan, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m));
        const int64_t *offsets = array(plan, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, m));
        const int64_t n = plan->sets[map->from].size;
        int64_t end = 0;
        mplan_fingerprint_i64(print, map->from);
        mplan_fingerprint_i64(print, map->to);
        mplan_fingerprint_i64(print, map->arity);
        for (int64_t r = -1; r < n && map->arity == 0; r++) {
            end += r < 0 ? 0 : offsets[row_of[r] + 1] - offsets[row_of[r]];
            mplan_fingerprint_i64(print, end);
        }
        for (int64_t r = 0; r < n; r++) {
            const int64_t row = row_of[r];
            for (int64_t k = map->arity ? row * map->arity : offsets[row];
                 k < (map->arity ? (row + 1) * map->arity : offsets[row + 1]); k++)
                mplan_fingerprint_i64(print, values[k] < 0 ? -1 : point[values[k]]);
        }
    }
    assert_true(mplan_fingerprint_end(print, &value));
    return value;
}

void support_bundle_rehash(support_bundle *bundle)
{
    for (int32_t p = 0; p < bundle->parts.n_parts; p++) {
        mplan_plan *plan = bundle->parts.plan[p];
        for (int32_t s = 0; s < plan->n_sets; s++) {
            add_hashes(plan, s);
            for (int32_t l = 0; l < plan->n_loops; l++)
                if (mplan_plan_loop_reads(plan, l, s))
                    rehash_loops(plan, l, s);
        }
        plan->fingerprints.topology = print_topology(plan);
    }
}

/* --- the manifest --------------------------------------------------------------------------- */

static int64_t count_entries(const mplan_map *map)
{
    int64_t n = 0;
    for (int64_t i = 0; i < mplan_map_entries(map); i++)
        n += map->values[i] >= 0;
    return n;
}

static void make_manifest(const mplan_mesh *mesh, support_bundle *bundle)
{
    mplan_error err;
    const support_parts *parts = &bundle->parts;
    const mplan_plan *plan = parts->plan[0];
    mplan_manifest *out = &bundle->manifest;
    *out = (mplan_manifest){.n_parts = parts->n_parts,
                            .n_sets = plan->n_sets,
                            .n_maps = plan->n_maps,
                            .sets = calloc((size_t)plan->n_sets, sizeof *out->sets),
                            .maps = calloc((size_t)plan->n_maps, sizeof *out->maps),
                            .cut = -1,
                            .how = mplan_strdup("file", &err),
                            .request = mplan_strdup(plan->request, &err),
                            .versions = mplan_strdup("meshplan 0\n", &err)};
    for (int32_t s = 0; s < plan->n_sets; s++)
        out->sets[s] = (mplan_bundle_set){
            mplan_strdup(plan->sets[s].name, &err), plan->sets[s].part.total, false,
            mplan_copy(parts->base + s * (parts->n_parts + 1), parts->n_parts + INT64_C(1), 8, &err)};
    for (int32_t m = 0; m < plan->n_maps; m++) {
        const mplan_map map = mplan_mesh_map(mesh, m);
        out->maps[m] = (mplan_bundle_map){mplan_strdup(map.name, &err), map.from, map.to, map.arity,
                                          count_entries(&map)};
    }
    int32_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    assert_in_range(plan->n_sets + plan->n_maps, 1, 8);
    assert_done(mplan_mesh_fingerprint_topology(mesh, plan->n_sets, all, plan->n_maps, all,
                                                &out->fingerprints.topology, NULL, &err),
                &err);
}

/* Lines of loops and args, as section 11 of the format has them. */
static char *print_request(const mplan_plan *plan)
{
    char *text = calloc(1, 8192);
    size_t at = 0;
    for (int32_t l = 0; l < plan->n_loops; l++) {
        const mplan_plan_loop *loop = &plan->loops[l];
        at += (size_t)snprintf(text + at, 8192 - at, "loop %s over %s calls %lld flops 0%s\n",
                               loop->name, plan->sets[loop->set].name, (long long)loop->calls,
                               loop->primary ? " primary" : "");
        for (int32_t a = 0; a < loop->n_args; a++) {
            const mplan_plan_arg *arg = &loop->args[a];
            at += (size_t)snprintf(text + at, 8192 - at, "arg %s %s%s %s %d %s %s\n", arg->dat,
                                   arg->map >= 0 ? "map " : "direct",
                                   arg->map >= 0 ? plan->maps[arg->map].name : "",
                                   mplan_access_name(arg->access), (int)arg->dim,
                                   mplan_type_name(arg->type), arg->map >= 0 ? "skip" : "refuse");
        }
    }
    return text;
}

void support_bundle_make(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                         int32_t n_parts, int32_t *const *part_of, support_bundle *bundle)
{
    mplan_error err;
    support_parts_make(mesh, n_loops, loops, n_parts, part_of, &bundle->parts);
    for (int32_t p = 0; p < n_parts; p++) {
        mplan_plan *plan = bundle->parts.plan[p];
        char *request = print_request(plan);
        plan->sealed = false;
        assert_done(mplan_plan_set_texts(plan, request, "meshplan 0\n", &err), &err);
        assert_done(mplan_plan_seal(plan, &err), &err);
        mplan_fingerprint *print = mplan_fingerprint_begin();
        mplan_fingerprint_bytes(print, request, strlen(request));
        assert_true(mplan_fingerprint_end(print, &plan->fingerprints.request));
        free(request);
        for (int32_t s = 0; s < plan->n_sets; s++) {
            add_hashes(plan, s);
            for (int32_t l = 0; l < plan->n_loops; l++)
                if (mplan_plan_loop_reads(plan, l, s))
                    add_loop_lists(&bundle->parts, p, l, s);
        }
    }
    make_manifest(mesh, bundle);
    support_bundle_rehash(bundle);
}

void support_bundle_free(support_bundle *bundle)
{
    support_parts_free(&bundle->parts);
    mplan_manifest_free(&bundle->manifest);
}

/* --- plans for others ------------------------------------------------------------------------ */

mplan_plan *support_plan_copy(const mplan_plan *from)
{
    mplan_error err;
    mplan_plan *plan;
    assert_done(mplan_plan_new(&plan, &err), &err);
    for (int32_t s = 0; s < from->n_sets; s++) {
        assert_done(mplan_plan_add_set(plan, &from->sets[s], &err), &err);
        mplan_plan_set_part(plan, s, &from->sets[s].part);
    }
    for (int32_t m = 0; m < from->n_maps; m++)
        assert_done(mplan_plan_add_map(plan, &from->maps[m], &err), &err);
    for (int32_t l = 0; l < from->n_loops; l++)
        assert_done(mplan_plan_add_loop(plan, &from->loops[l], &err), &err);
    for (int32_t i = 0; i < from->n_arrays; i++) {
        const mplan_array *a = &from->arrays[i];
        void *data = mplan_copy(a->data ? a->data : "", a->rows * a->cols, mplan_type_size(a->type),
                                &err);
        assert_done(mplan_plan_take_array(plan, a->key, a->type, a->rows, a->cols, data, &err), &err);
    }
    assert_done(mplan_plan_set_texts(plan, from->request, from->versions, &err), &err);
    plan->fingerprints = from->fingerprints;
    assert_done(mplan_plan_seal(plan, &err), &err);
    return plan;
}

static mplan_status read_copy(void *user, int32_t part, const mplan_context *context,
                              mplan_plan **plan, mplan_error *err)
{
    (void)context;
    (void)err;
    *plan = support_plan_copy(((support_bundle *)user)->parts.plan[part]);
    return MPLAN_OK;
}

mplan_parts_source support_bundle_source(support_bundle *bundle)
{
    const mplan_manifest *manifest = &bundle->manifest;
    return (mplan_parts_source){.n_parts = manifest->n_parts,
                                .n_sets = manifest->n_sets,
                                .n_maps = manifest->n_maps,
                                .sets = manifest->sets,
                                .maps = manifest->maps,
                                .request = manifest->request,
                                .fingerprints = manifest->fingerprints,
                                .bytes = 1 << 20,
                                .user = bundle,
                                .read = read_copy};
}

void support_bundle_write(const support_bundle *bundle, const char *path)
{
    mplan_error err;
    mplan_bundle_writer *writer = NULL;
    assert_done(mplan_bundle_begin(path, &bundle->manifest, NULL, NULL, &writer, &err), &err);
    for (int32_t p = 0; p < bundle->parts.n_parts; p++)
        assert_done(mplan_bundle_add(writer, bundle->parts.plan[p], &err), &err);
    assert_done(mplan_bundle_end(writer, NULL, &err), &err);
}

/* --- a random case ------------------------------------------------------------------------------ */

enum { FACES, CELLS, NODES };

static const mplan_arg flux_args[] = {
    {.dat = "x", .map = "faces_nodes", .access = MPLAN_READ, .dim = 2, .type = MPLAN_TYPE_F64},
    {.dat = "q", .map = "faces_cells", .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64},
    {.dat = "res", .map = "faces_cells", .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64},
    {.dat = "w", .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64}};
static const mplan_arg load_args[] = {
    {.dat = "q", .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64},
    {.dat = "load", .map = "cells_nodes", .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64}};
static const mplan_arg move_args[] = {
    {.dat = "q", .access = MPLAN_WRITE, .dim = 1, .type = MPLAN_TYPE_F64},
    {.dat = "res", .access = MPLAN_RW, .dim = 1, .type = MPLAN_TYPE_F64}};

static void add_random_map(mplan_mesh *mesh, const char *name, int32_t from, int32_t to,
                           int32_t arity, uint64_t *seed)
{
    mplan_error err;
    mplan_map map = support_random_map(seed, mplan_mesh_set(mesh, from).size,
                                       mplan_mesh_set(mesh, to).size, arity, 10);
    assert_done(mplan_mesh_add_map(mesh, name, from, to, arity, map.offsets, map.values, NULL, &err),
                &err);
    free((void *)(uintptr_t)map.offsets);
    free((void *)(uintptr_t)map.values);
}

void support_cut_make(int32_t n_parts, bool thin, uint64_t *seed, support_cut_case *in)
{
    static const char *const names[] = {"faces", "cells", "nodes"};
    mplan_error err;
    int32_t **part_of = in->part_of;
    assert_done(mplan_mesh_create(&in->mesh, &err), &err);
    for (int32_t s = 0; s < 3; s++) {
        const int64_t n = 8 + (int64_t)support_random(seed, 30);
        assert_done(mplan_mesh_add_set(in->mesh, names[s], n, NULL, &err), &err);
        part_of[s] = malloc((size_t)n * 4);
        for (int64_t m = 0; m < n; m++) /* neighbours in number are mostly in one part */
            part_of[s][m] = support_random(seed, 4) ? (int32_t)(m * (n_parts - thin) / n)
                                                    : (int32_t)support_random(seed, n_parts - thin);
    }
    add_random_map(in->mesh, "faces_cells", FACES, CELLS, 2, seed);
    add_random_map(in->mesh, "faces_nodes", FACES, NODES, 0, seed);
    add_random_map(in->mesh, "cells_nodes", CELLS, NODES, 3, seed);
    in->loops[0] = (mplan_loop){.name = "flux", .over = "faces", .n_args = 4, .args = flux_args};
    in->loops[1] = (mplan_loop){.name = "spread", .over = "cells", .n_args = 2, .args = load_args};
    in->loops[2] = (mplan_loop){.name = "move", .over = "cells", .n_args = 2, .args = move_args};
    support_bundle_make(in->mesh, 3, in->loops, n_parts, part_of, &in->bundle);
}

void support_cut_free(support_cut_case *in)
{
    for (int32_t s = 0; s < 3; s++)
        free(in->part_of[s]);
    support_bundle_free(&in->bundle);
    mplan_mesh_free(in->mesh);
}
