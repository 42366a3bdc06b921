/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_bundle.c - parts of a mesh are proved, and each promise about them is refused where it is broken
 *
 * Parts are cut by the plainest code (support_bundle.h). A mutation changes one thing and makes all hashes right again,
 * so that not a hash is refused but what is wrong; hashes are changed by themselves. */
#include "support_bundle.h"

#include "support_memory.h"
#include "support_test.h"

#include "check/check.h"
#include "mesh/mesh.h"

enum { FACES, CELLS, NODES };
enum { FACES_CELLS, FACES_NODES, CELLS_NODES };
enum { PARTS = 3 };

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

static mplan_status prove(support_cut_case *in, bool with_mesh, int32_t part, mplan_error *err)
{
    const mplan_parts_source source = support_bundle_source(&in->bundle);
    return mplan_check_prove_parts(&source, with_mesh ? in->mesh : NULL, part, false, &one_thread,
                                   err);
}

static void right_parts_are_proved(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 200; i += support_every(10)) {
        mplan_error err = {0};
        support_cut_case in;
        const int32_t n_parts = 1 + (int32_t)support_random(&seed, 6);
        support_cut_make(n_parts, n_parts > 1 && i % 3 == 0, &seed, &in);
        for (int with = 0; with < 2; with++)
            for (int32_t part = -1; part < n_parts; part++)
                assert_done(prove(&in, with, part, &err), &err);
        for (int32_t p = 0; p < n_parts; p++)
            assert_done(mplan_check_prove(in.bundle.parts.plan[p], in.mesh, false, &one_thread, &err),
                        &err);
        support_cut_free(&in);
    }
}

/* --- mutations ------------------------------------------------------------------------------ */

static mplan_plan *plan_of(support_cut_case *in, int32_t p)
{
    return in->bundle.parts.plan[p];
}
static mplan_part_set *part_of(support_cut_case *in, int32_t p, int32_t s)
{
    return &plan_of(in, p)->sets[s].part;
}
static void *data_of(support_cut_case *in, int32_t p, mplan_key key)
{
    const mplan_array *array = mplan_plan_find_array(plan_of(in, p), &key);
    return array && array->rows > 0 ? (void *)(uintptr_t)array->data : NULL;
}
static void *of_set(support_cut_case *in, int32_t p, mplan_kind kind, int32_t s)
{
    return data_of(in, p, mplan_key_of_set(kind, s));
}
static void *of_loop(support_cut_case *in, int32_t p, mplan_kind kind, int32_t s, int32_t l)
{
    return data_of(in, p, mplan_key_of_loop_set(kind, s, l));
}
static int32_t *values_of(support_cut_case *in, int32_t p, int32_t m)
{
    return data_of(in, p, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m));
}

/* Each returns whether it found something to change, in parts and sets as they are. The last part and the second map are
 * where most is. */
typedef bool mutation(support_cut_case *in);
#define MUTATE(name_) static bool name_(support_cut_case *in)

/* clang-format off */
MUTATE(base_moved) { ((int64_t *)(uintptr_t)in->bundle.manifest.sets[CELLS].base)[1]++; return true; }
MUTATE(bases_descend) { ((int64_t *)(uintptr_t)in->bundle.manifest.sets[CELLS].base)[1] = 1000; return true; }
MUTATE(total_larger)
{
    in->bundle.manifest.sets[CELLS].total++;
    ((int64_t *)(uintptr_t)in->bundle.manifest.sets[CELLS].base)[PARTS]++;
    return true;
}
MUTATE(other_set_name) { ((char *)(uintptr_t)in->bundle.manifest.sets[NODES].name)[0] = 'N'; return true; }
MUTATE(other_map_name) { ((char *)(uintptr_t)in->bundle.manifest.maps[1].name)[0] = 'F'; return true; }
MUTATE(other_arity) { in->bundle.manifest.maps[FACES_CELLS].arity = 3; return true; }
MUTATE(fewer_sets) { in->bundle.manifest.n_sets--; return true; }
MUTATE(other_entries) { in->bundle.manifest.maps[FACES_NODES].entries--; return true; }
MUTATE(parts_swapped)
{
    mplan_plan *first = plan_of(in, 0);
    in->bundle.parts.plan[0] = plan_of(in, 1);
    in->bundle.parts.plan[1] = first;
    return true;
}
MUTATE(other_parts) { part_of(in, 1, NODES)->parts++; return true; }
MUTATE(other_part) { part_of(in, 1, NODES)->part++; return true; }
MUTATE(negative_total) { part_of(in, 1, NODES)->total = -1; return true; }
MUTATE(base_beyond_total) { part_of(in, 1, NODES)->base = part_of(in, 1, NODES)->total + 1; return true; }
MUTATE(owns_more) { part_of(in, 1, NODES)->owned = plan_of(in, 1)->sets[NODES].size + 1; return true; }
MUTATE(inner_more) { part_of(in, 1, NODES)->inner = part_of(in, 1, NODES)->owned + 1; return true; }
MUTATE(executes_less) { part_of(in, 1, NODES)->executed = part_of(in, 1, NODES)->owned - 1; return true; }
MUTATE(too_many_imports) { part_of(in, 1, NODES)->imports = PARTS; return true; }
MUTATE(too_few_exported) { part_of(in, 1, NODES)->exported = 0; return part_of(in, 1, NODES)->exports > 0; }
MUTATE(holes) { plan_of(in, 1)->sets[NODES].storage_size++; return true; }
MUTATE(split)
{
    free((void *)(uintptr_t)plan_of(in, 1)->sets[NODES].split);
    plan_of(in, 1)->sets[NODES].split = mplan_strdup("cells_nodes", NULL);
    return true;
}
MUTATE(writes_twice)
{
    ((mplan_plan_arg *)(uintptr_t)plan_of(in, 1)->loops[0].args)[2].access = MPLAN_WRITE;
    return true;
}
MUTATE(no_import_list)
{
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_IMPORT_PARTS, CELLS);
    mplan_array *array = (mplan_array *)(uintptr_t)mplan_plan_find_array(plan_of(in, 1), &key);
    array->rows--;
    return part_of(in, 1, CELLS)->imports > 0;
}
MUTATE(ids_descend)
{
    int64_t *ids = of_set(in, 1, MPLAN_KIND_GLOBAL_ID, CELLS);
    ids[1] = ids[0];
    return true;
}
MUTATE(id_too_large)
{
    int64_t *ids = of_set(in, 1, MPLAN_KIND_GLOBAL_ID, CELLS);
    ids[plan_of(in, 1)->sets[CELLS].size - 1] = part_of(in, 1, CELLS)->total;
    return true;
}
/* a member of part 1 gets the number of one of part 0 that is not in part 1 */
MUTATE(owned_twice)
{
    int64_t *ids = of_set(in, 1, MPLAN_KIND_GLOBAL_ID, FACES);
    const int32_t *new_of_old = of_set(in, 1, MPLAN_KIND_NEW_OF_OLD, FACES);
    const int64_t *others = of_set(in, 0, MPLAN_KIND_GLOBAL_ID, FACES);
    const int32_t *places = of_set(in, 0, MPLAN_KIND_NEW_OF_OLD, FACES);
    for (int64_t i = 0; i < plan_of(in, 1)->sets[FACES].size; i++)
        for (int64_t k = 0; k < plan_of(in, 0)->sets[FACES].size; k++)
            if (new_of_old[i] < part_of(in, 1, FACES)->owned && places[k] < part_of(in, 0, FACES)->owned &&
                others[k] > (i ? ids[i - 1] : -1) && others[k] != ids[i] &&
                (i + 1 == plan_of(in, 1)->sets[FACES].size || others[k] < ids[i + 1])) {
                ids[i] = others[k];
                return true;
            }
    return false;
}
MUTATE(halo_of_itself)
{
    int32_t *from = of_set(in, 1, MPLAN_KIND_IMPORT_PARTS, CELLS);
    if (from)
        from[0] = 1;
    return from != NULL;
}
MUTATE(halo_of_nobody)
{
    int32_t *to = of_set(in, 1, MPLAN_KIND_EXPORT_PARTS, CELLS);
    if (to)
        to[part_of(in, 1, CELLS)->exports - 1] = PARTS;
    return to != NULL;
}
MUTATE(range_with_gap)
{
    int64_t *ranges = of_set(in, 1, MPLAN_KIND_IMPORT_RANGES, NODES);
    if (ranges)
        ranges[2]++;
    return ranges != NULL;
}
MUTATE(range_too_short)
{
    int64_t *ranges = of_set(in, 1, MPLAN_KIND_IMPORT_RANGES, NODES);
    const int32_t last = part_of(in, 1, NODES)->imports - 1;
    if (!ranges || ranges[4 * last + 3] - ranges[4 * last + 2] < 2)
        return false;
    ranges[4 * last + 3]--;
    return true;
}
MUTATE(halo_out_of_order)
{
    const int64_t *ranges = of_set(in, 1, MPLAN_KIND_IMPORT_RANGES, NODES);
    int32_t *old = of_set(in, 1, MPLAN_KIND_OLD_OF_NEW, NODES), *place = of_set(in, 1, MPLAN_KIND_NEW_OF_OLD, NODES);
    if (!ranges || ranges[3] - ranges[2] < 2)
        return false;
    const int32_t a = old[ranges[2]], b = old[ranges[2] + 1];
    old[ranges[2]] = b;
    old[ranges[2] + 1] = a;
    place[b] = (int32_t)ranges[2];
    place[a] = (int32_t)ranges[2] + 1;
    return true;
}
MUTATE(export_list_empty)
{
    int64_t *begins = of_set(in, 1, MPLAN_KIND_EXPORT_OFFSETS, CELLS);
    if (part_of(in, 1, CELLS)->exports < 2)
        return false;
    begins[1] = 0;
    return true;
}
MUTATE(export_list_longer)
{
    if (part_of(in, 1, CELLS)->exports < 1)
        return false;
    ((int64_t *)of_set(in, 1, MPLAN_KIND_EXPORT_OFFSETS, CELLS))[part_of(in, 1, CELLS)->exports]++;
    return true;
}
MUTATE(export_list_shorter)
{
    int64_t *begins = of_set(in, 1, MPLAN_KIND_EXPORT_OFFSETS, CELLS);
    const int32_t n = part_of(in, 1, CELLS)->exports;
    if (n < 1 || begins[n] - begins[n - 1] < 2)
        return false;
    begins[n]--;
    return true;
}
MUTATE(export_of_halo)
{
    int32_t *index = of_set(in, 1, MPLAN_KIND_EXPORT_INDEX, CELLS);
    if (index)
        index[0] = (int32_t)part_of(in, 1, CELLS)->owned;
    return index && part_of(in, 1, CELLS)->owned < plan_of(in, 1)->sets[CELLS].size;
}
MUTATE(export_out_of_order)
{
    int32_t *index = of_set(in, 1, MPLAN_KIND_EXPORT_INDEX, NODES);
    const int64_t *begins = of_set(in, 1, MPLAN_KIND_EXPORT_OFFSETS, NODES);
    if (!index || begins[1] < 2)
        return false;
    const int32_t first = index[0];
    index[0] = index[1];
    index[1] = first;
    return true;
}
/* a member that part 0 does not have in its halo; no loop reads faces in a halo but by direct args */
MUTATE(export_of_another)
{
    int32_t *index = of_set(in, 1, MPLAN_KIND_EXPORT_INDEX, FACES);
    if (!index)
        return false;
    bool used[64] = {false};
    for (int64_t i = 0; i < part_of(in, 1, FACES)->exported; i++)
        used[index[i]] = true;
    for (int32_t m = 0; m < part_of(in, 1, FACES)->owned; m++)
        if (!used[m]) {
            int32_t *list = of_loop(in, 1, MPLAN_KIND_LOOP_EXPORTS, FACES, 0);
            list[0] = list[0] == index[0] ? m : list[0];
            index[0] = m;
            return true;
        }
    return false;
}
static void shorten(support_cut_case *in, mplan_key key, int64_t rows)
{
    ((mplan_array *)(uintptr_t)mplan_plan_find_array(plan_of(in, 1), &key))->rows = rows;
}
/* the last export of part 1 is left out, in all of its arrays */
MUTATE(export_missing)
{
    mplan_part_set *part = part_of(in, 1, FACES);
    const int64_t *begins = of_set(in, 1, MPLAN_KIND_EXPORT_OFFSETS, FACES);
    const int64_t *of_loops = of_loop(in, 1, MPLAN_KIND_LOOP_EXPORT_OFFSETS, FACES, 0);
    if (part->exports == 0)
        return false;
    part->exports--;
    part->exported = begins[part->exports];
    shorten(in, mplan_key_of_set(MPLAN_KIND_EXPORT_PARTS, FACES), part->exports);
    shorten(in, mplan_key_of_set(MPLAN_KIND_EXPORT_HASHES, FACES), part->exports);
    shorten(in, mplan_key_of_set(MPLAN_KIND_EXPORT_OFFSETS, FACES), part->exports + 1);
    shorten(in, mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, FACES), part->exported);
    shorten(in, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORTS, FACES, 0), of_loops[part->exports]);
    shorten(in, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_HASHES, FACES, 0), part->exports);
    shorten(in, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_OFFSETS, FACES, 0), part->exports + 1);
    return true;
}
MUTATE(hash_of_import) { uint64_t *h = of_set(in, 1, MPLAN_KIND_IMPORT_HASHES, NODES); if (h) h[0] ^= 1; return h; }
MUTATE(hash_of_export) { uint64_t *h = of_set(in, 1, MPLAN_KIND_EXPORT_HASHES, NODES); if (h) h[0] ^= 1; return h; }
MUTATE(hash_of_loop_import) { uint64_t *h = of_loop(in, 1, MPLAN_KIND_LOOP_IMPORT_HASHES, NODES, 0); if (h) h[0] ^= 1; return h; }
MUTATE(hash_of_loop_export) { uint64_t *h = of_loop(in, 1, MPLAN_KIND_LOOP_EXPORT_HASHES, NODES, 0); if (h) h[0] ^= 1; return h; }
MUTATE(all_inner)
{
    const bool some = part_of(in, 1, CELLS)->inner < part_of(in, 1, CELLS)->owned;
    part_of(in, 1, CELLS)->inner = part_of(in, 1, CELLS)->owned;
    return some;
}
MUTATE(all_points_inner)
{
    const bool some = part_of(in, 1, NODES)->inner < part_of(in, 1, NODES)->owned;
    part_of(in, 1, NODES)->inner = part_of(in, 1, NODES)->owned;
    return some;
}
/* an element that others run, as if it changed an owned point */
MUTATE(element_not_executed)
{
    int32_t *values = values_of(in, 1, CELLS_NODES);
    const int64_t e = part_of(in, 1, CELLS)->executed;
    if (e == plan_of(in, 1)->sets[CELLS].size || part_of(in, 1, NODES)->owned == 0)
        return false;
    values[3 * e] = 0;
    return true;
}
MUTATE(element_executed_in_vain)
{
    int32_t *values = values_of(in, 1, CELLS_NODES);
    const int64_t e = part_of(in, 1, CELLS)->owned;
    if (e == part_of(in, 1, CELLS)->executed)
        return false;
    for (int k = 0; k < 3; k++)
        values[3 * e + k] = -1;
    return true;
}
/* an entry of a row of a halo leads to another point of the halo: only the owner knows */
MUTATE(row_of_halo)
{
    int32_t *values = values_of(in, 1, CELLS_NODES);
    const mplan_part_set *cells = part_of(in, 1, CELLS), *nodes = part_of(in, 1, NODES);
    for (int64_t i = 3 * cells->owned; i < 3 * cells->executed; i++)
        if (values[i] >= nodes->owned && plan_of(in, 1)->sets[NODES].size - nodes->owned > 1) {
            values[i] = values[i] == nodes->owned ? values[i] + 1 : values[i] - 1;
            return true;
        }
    return false;
}
/* an owned element no longer changes the point of another part */
MUTATE(row_of_owner)
{
    int32_t *values = values_of(in, 1, CELLS_NODES);
    const mplan_part_set *cells = part_of(in, 1, CELLS), *nodes = part_of(in, 1, NODES);
    for (int64_t e = cells->inner; e < cells->owned; e++) {
        int32_t *row = values + 3 * e, outside = 0;
        for (int k = 0; k < 3; k++)
            outside += row[k] >= nodes->owned;
        for (int k = 0; k < 3 && outside == 1 && nodes->inner < nodes->owned; k++)
            if (row[k] >= nodes->owned) {
                row[k] = (int32_t)nodes->owned - 1;
                return true;
            }
    }
    return false;
}
static bool drop_first(support_cut_case *in, mplan_kind offsets, mplan_kind list, int32_t s)
{
    const mplan_key key = mplan_key_of_loop_set(list, s, 0);
    mplan_array *array = (mplan_array *)(uintptr_t)mplan_plan_find_array(plan_of(in, 1), &key);
    int64_t *begins = of_loop(in, 1, offsets, s, 0);
    const int32_t n = list == MPLAN_KIND_LOOP_IMPORTS ? part_of(in, 1, s)->imports : part_of(in, 1, s)->exports;
    if (array->rows == 0 || begins[1] == 0)
        return false;
    array->rows--;
    memmove((void *)(uintptr_t)array->data, (const int32_t *)array->data + 1, (size_t)array->rows * 4);
    for (int32_t i = 1; i <= n; i++)
        begins[i]--;
    return true;
}
MUTATE(loop_imports_less) { return drop_first(in, MPLAN_KIND_LOOP_IMPORT_OFFSETS, MPLAN_KIND_LOOP_IMPORTS, NODES); }
MUTATE(loop_exports_less) { return drop_first(in, MPLAN_KIND_LOOP_EXPORT_OFFSETS, MPLAN_KIND_LOOP_EXPORTS, NODES); }
MUTATE(loop_imports_another)
{
    int32_t *list = of_loop(in, 1, MPLAN_KIND_LOOP_IMPORTS, NODES, 0);
    if (!list || list[0] == part_of(in, 1, NODES)->owned)
        return false;
    list[0]--;
    return true;
}
MUTATE(loop_import_list_begins) { int64_t *b = of_loop(in, 1, MPLAN_KIND_LOOP_IMPORT_OFFSETS, NODES, 0); b[0] = 1; return b[1] > 0; }
MUTATE(loop_export_list_ends)
{
    int64_t *begins = of_loop(in, 1, MPLAN_KIND_LOOP_EXPORT_OFFSETS, NODES, 0);
    const int32_t n = part_of(in, 1, NODES)->exports;
    if (n == 0 || begins[n] == begins[n - 1])
        return false;
    begins[n]--;
    return true;
}
MUTATE(loop_exports_twice)
{
    int32_t *list = of_loop(in, 1, MPLAN_KIND_LOOP_EXPORTS, NODES, 0);
    const int64_t *begins = of_loop(in, 1, MPLAN_KIND_LOOP_EXPORT_OFFSETS, NODES, 0);
    if (!list || begins[1] < 2)
        return false;
    list[1] = list[0];
    return true;
}
MUTATE(other_loop_name) { ((char *)(uintptr_t)plan_of(in, 1)->loops[2].name)[0] = 'M'; return true; }

static const struct {
    mutation *mutate;
    bool rehash;
    const char *reason;
} mutations[] = {
    {base_moved, false, "not what the manifest has of set cells"},
    {bases_descend, false, "bases do not ascend"},
    {total_larger, false, "not what the manifest has of set cells"},
    {other_set_name, false, "of set Nodes"},
    {other_map_name, false, "is not map Faces_nodes of the manifest"},
    {other_arity, false, "map faces_cells is not map"},
    {fewer_sets, false, "the manifest has 2 and 3"},
    {other_entries, false, "entries in all parts together"},
    {parts_swapped, false, "which is not what the manifest has"},
    {other_parts, false, "not what the manifest has of set nodes"},
    {other_part, false, "not what the manifest has of set nodes"},
    {negative_total, false, "not what the manifest has of set nodes"},
    {base_beyond_total, false, "not what the manifest has of set nodes"},
    {owns_more, false, "not what the manifest has of set nodes"},
    {inner_more, false, "more inner members than it owns"},
    {executes_less, false, "execute halo that is not between"},
    {too_many_imports, false, "impossible numbers of neighbours"},
    {too_few_exported, false, "impossible numbers of neighbours"},
    {holes, false, "holes"},
    {split, false, "is split or a group"},
    {writes_twice, false, "loop flux: arg 2"},
    {no_import_list, false, "IMPORT_PARTS of set cells has"},
    {ids_descend, false, "does not ascend in [0"},
    {id_too_large, false, "does not ascend in [0"},
    {owned_twice, true, "but a part before it owns it, too"},
    {halo_of_itself, false, "IMPORT_PARTS has part 1"},
    {halo_of_nobody, false, "EXPORT_PARTS has part 3"},
    {range_with_gap, false, "IMPORT_RANGES has"},
    {range_too_short, true, "IMPORT_RANGES end at"},
    {halo_out_of_order, true, "do not ascend at stored index"},
    {export_list_empty, true, "nothing is exported to part 0"},
    {export_list_longer, false, "the list of neighbour"},
    {export_list_shorter, true, "EXPORT_OFFSETS end at"},
    {export_of_halo, false, "EXPORT_INDEX has"},
    {export_out_of_order, true, "order"},
    {export_of_another, true, "order"},
    {export_missing, true, "from part 1, which exports nothing to it"},
    {hash_of_import, false, "IMPORT_HASHES of neighbour 0"},
    {hash_of_export, false, "EXPORT_HASHES of neighbour 0"},
    {hash_of_loop_import, false, "LOOP_IMPORT_HASHES of neighbour 0"},
    {hash_of_loop_export, false, "LOOP_EXPORT_HASHES of neighbour 0"},
    {all_inner, true, "counts as inner"},
    {all_points_inner, true, "counts as inner"},
    {element_not_executed, true, "is in the read halo, but changes a point that the part owns"},
    {element_executed_in_vain, true, "changes no point that the part owns"},
    {loop_imports_less, true, "LOOP_IMPORTS lacks it"},
    {loop_exports_less, true, "exports"},
    {loop_imports_another, true, "LOOP_IMPORTS"},
    {loop_import_list_begins, false, "LOOP_IMPORTS"},
    {loop_export_list_ends, true, "LOOP_EXPORT_OFFSETS do not run"},
    {loop_exports_twice, true, "LOOP_EXPORTS to part"},
    {other_loop_name, false, "the plan has other loops than part 0"},
};
/* clang-format on */

/* Each on random cases until it has changed something a few times: then the proof says so. */
static void mutations_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++) {
        int done = 0;
        for (int tries = 0; tries < 60 && done < 3; tries++) {
            mplan_error err = {0};
            support_cut_case in;
            support_cut_make(PARTS, false, &seed, &in);
            const int32_t n_sets = in.bundle.manifest.n_sets;
            if (mutations[i].mutate(&in)) {
                done++;
                if (mutations[i].rehash)
                    support_bundle_rehash(&in.bundle);
                const mplan_status status = prove(&in, false, -1, &err);
                if (status != MPLAN_ERR_DISPROVED || !strstr(err.text, mutations[i].reason))
                    fail_msg("mutation %zu: '%s' instead of '%s'", i, status ? err.text : "proved",
                             mutations[i].reason);
            }
            in.bundle.manifest.n_sets = n_sets;
            support_cut_free(&in);
        }
        if (!done)
            fail_msg("mutation %zu changes nothing", i);
    }
}

/* What only many parts together can show of rows: tables of gathering are made right for the changed rows. */
static void rows_of_others_are_compared(void **state)
{
    (void)state;
    static const struct {
        mutation *mutate;
        const char *reason;
    } cases[] = {{row_of_halo, "not those that their owners have"},
                 {row_of_owner, "elements of other parts change points that it owns"}};
    uint64_t seed = 23;
    for (size_t i = 0; i < 2; i++) {
        int done = 0;
        for (int tries = 0; tries < 60; tries++) {
            mplan_error err = {0};
            support_cut_case in;
            support_cut_make(PARTS, false, &seed, &in);
            if (cases[i].mutate(&in)) {
                support_plan_regather(plan_of(&in, 1));
                support_bundle_rehash(&in.bundle);
                done++;
                assert_refused(prove(&in, false, -1, &err), MPLAN_ERR_DISPROVED, &err,
                               cases[i].reason);
                assert_refused(prove(&in, true, 1, &err), MPLAN_ERR_DISPROVED, &err,
                               "is not that of the mesh");
            }
            support_cut_free(&in);
        }
        assert_true(done > 0);
    }
}

/* --- the mesh --------------------------------------------------------------------------------- */

/* The first cell of another part that changes a node of part 1; -1: there is none. */
static int64_t find_shared_cell(const support_cut_case *in)
{
    const mplan_map map = mplan_mesh_map(in->mesh, CELLS_NODES);
    for (int64_t e = 0; e < map.n_rows; e++)
        for (int k = 0; k < 3 && in->part_of[CELLS][e] != 1; k++)
            if (map.values[3 * e + k] >= 0 && in->part_of[NODES][map.values[3 * e + k]] == 1)
                return e;
    return -1;
}

/* A bundle of a mesh in which one cell has no nodes, beside the mesh in which it has: the part lacks it. */
static void missing_elements_are_seen(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int i = 0; i < 20; i++) {
        mplan_error err = {0};
        support_cut_case in;
        support_bundle other;
        support_cut_make(PARTS, false, &seed, &in);
        const int64_t cell = find_shared_cell(&in);
        if (cell >= 0) {
            int32_t *row = (int32_t *)(uintptr_t)mplan_mesh_map(in.mesh, CELLS_NODES).values +
                           3 * cell;
            const int32_t kept[3] = {row[0], row[1], row[2]};
            row[0] = row[1] = row[2] = -1;
            support_bundle_make(in.mesh, 3, in.loops, PARTS, in.part_of, &other);
            memcpy(row, kept, sizeof kept);
            mplan_parts_source source = support_bundle_source(&other);
            assert_done(mplan_check_prove_parts(&source, NULL, -1, false, &one_thread, &err), &err);
            assert_refused(mplan_check_prove_parts(&source, in.mesh, 1, false, &one_thread, &err),
                           MPLAN_ERR_OTHER_MESH, &err, "part 1: map cells_nodes: ");
            source.fingerprints = in.bundle.manifest.fingerprints;
            assert_refused(mplan_check_prove_parts(&source, in.mesh, 1, false, &one_thread, &err),
                           MPLAN_ERR_DISPROVED, &err, "entries of the mesh lead to points of nodes");
            assert_refused(mplan_check_prove(other.parts.plan[1], in.mesh, false, &one_thread, &err),
                           MPLAN_ERR_OTHER_MESH, &err, "entries of the mesh lead to points of nodes");
            support_bundle_free(&other);
        }
        support_cut_free(&in);
    }
}

/* Meshes of another size, without a map, and with another entry; a fingerprint of another mesh. */
static void other_meshes_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 41;
    mplan_error err = {0};
    support_cut_case in, larger;
    support_cut_make(PARTS, false, &seed, &in);
    do {
        support_cut_make(PARTS, false, &seed, &larger);
        if (mplan_mesh_set(larger.mesh, FACES).size == mplan_mesh_set(in.mesh, FACES).size)
            support_cut_free(&larger);
        else
            break;
    } while (true);
    const mplan_parts_source source = support_bundle_source(&in.bundle);
    assert_refused(mplan_check_prove_parts(&source, larger.mesh, -1, false, &one_thread, &err),
                   MPLAN_ERR_OTHER_MESH, &err, "faces, but the mesh has");
    support_cut_free(&larger);
    mplan_mesh *bare;
    assert_done(mplan_mesh_create(&bare, &err), &err);
    for (int32_t s = 0; s < 3; s++)
        assert_done(mplan_mesh_add_set(bare, mplan_mesh_set(in.mesh, s).name,
                                       mplan_mesh_set(in.mesh, s).size, NULL, &err),
                    &err);
    assert_refused(mplan_check_prove_parts(&source, bare, -1, false, &one_thread, &err),
                   MPLAN_ERR_OTHER_MESH, &err, "the plan has a map faces_cells");
    mplan_mesh_free(bare);
    mplan_parts_source moved = source;
    moved.fingerprints.topology ^= 1;
    assert_refused(mplan_check_prove_parts(&moved, in.mesh, -1, false, &one_thread, &err),
                   MPLAN_ERR_DISPROVED, &err, "the fingerprint of the whole mesh");
    int32_t *values = (int32_t *)(uintptr_t)mplan_mesh_map(in.mesh, FACES_CELLS).values;
    values[0] = values[0] == 0 ? 1 : 0;
    assert_refused(mplan_check_prove_parts(&source, in.mesh, -1, false, &one_thread, &err),
                   MPLAN_ERR_OTHER_MESH, &err, "map faces_cells: entry 0 of member 0 of faces");
    support_cut_free(&in);
}

/* --- the manifest and arguments ------------------------------------------------------------------ */

static void manifests_are_bounded(void **state)
{
    (void)state;
    uint64_t seed = 51;
    mplan_error err = {0};
    support_cut_case in;
    support_cut_make(PARTS, false, &seed, &in);
    mplan_parts_source source = support_bundle_source(&in.bundle);
    assert_int_equal(mplan_parts_verify(&source, NULL, PARTS, NULL, &err), MPLAN_ERR_ARGUMENT);
    assert_int_equal(mplan_parts_verify(&source, NULL, -2, NULL, &err), MPLAN_ERR_ARGUMENT);
    assert_refused(mplan_parts_verify(&source, NULL, 0, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "of the request does not say 'block_size'");
    source.request = "loop flux over cells calls 1 flops 0 primary\n";
    assert_refused(mplan_parts_verify(&source, NULL, 0, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "part 0: line 1 of the request is 'loop flux over faces calls 1 flops 0 primary', "
                   "but 'loop flux over cells");
    mplan_bundle_set large[3];
    int64_t base[3][PARTS + 1];
    for (int s = 0; s < 3; s++) {
        memcpy(base[s], source.sets[s].base, sizeof base[s]);
        large[s] = (mplan_bundle_set){source.sets[s].name, INT64_C(1) << 40, false, base[s]};
        base[s][PARTS] = large[s].total;
    }
    source.sets = large;
    assert_refused(mplan_parts_verify(&source, NULL, -1, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "members in plans of 1048576 bytes");
    support_cut_free(&in);
}

/* Plans are read without failures: these are of reading. */
static mplan_status read_quietly(void *user, int32_t part, const mplan_context *context,
                                 mplan_plan **plan, mplan_error *err)
{
    (void)context;
    (void)err;
    const bool armed = support_memory.armed;
    support_memory.armed = false;
    *plan = support_plan_copy(((support_bundle *)user)->parts.plan[part]);
    support_memory.armed = armed;
    return MPLAN_OK;
}

/* The whole proof again and again, with each of its allocations failing once. */
static void memory_may_run_out(void **state)
{
    (void)state;
    uint64_t seed = 61;
    support_cut_case in;
    support_cut_make(2, false, &seed, &in);
    mplan_parts_source source = support_bundle_source(&in.bundle);
    source.read = read_quietly;
    for (int64_t k = 0;; k += support_every(7)) {
        mplan_error err = {0};
        const int64_t live = support_memory.live;
        support_memory.left = k;
        support_memory.fired = false;
        support_memory.armed = true;
        const mplan_status status = mplan_check_prove_parts(&source, in.mesh, -1, false,
                                                            &one_thread, &err);
        support_memory.armed = false;
        assert_int_equal(status, support_memory.fired ? MPLAN_ERR_MEMORY : MPLAN_OK);
        assert_int_equal(support_memory.live, live);
        if (!support_memory.fired)
            break;
    }
    support_cut_free(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_parts_are_proved),      cmocka_unit_test(mutations_are_refused),
        cmocka_unit_test(rows_of_others_are_compared), cmocka_unit_test(missing_elements_are_seen),
        cmocka_unit_test(other_meshes_are_refused),    cmocka_unit_test(manifests_are_bounded),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
