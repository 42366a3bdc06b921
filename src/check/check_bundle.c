/* SPDX-License-Identifier: Apache-2.0 */
/* check_bundle.c - plans of parts are together one plan of a mesh
 *
 * Parts are read, proved and released one after the other. What is kept of each: a bit for each member that it owns, hash
 * and length of each list, entries of its rows, and sums of hashes of the rows that two parts must agree on. So memory
 * holds one part, a bit for each member of the mesh, and lists of neighbours; time is linear.
 *
 * Halos are complete without a mesh, too. The part that owns an element knows whose points it changes: those parts must
 * have it in their execute halo, with its row. Both sides add up, for each part and set, how many such elements there are
 * and the hashes of their rows in global ids. Sums are equal exactly where both have the same rows, but for a chance of
 * about 1 in 2^64. */
#include "check/check_bundle.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/option_size.h"
#include "base/sort.h"

/* Also one that was only begun. */
void mplan_bundle_proof_close(mplan_bundle_proof *bundle)
{
    assert(bundle);
    for (int32_t s = 0; bundle->owned && s < bundle->source->n_sets; s++)
        free(bundle->owned[s]);
    free(bundle->owned);
    free(bundle->sums);
    free(bundle->row_sums);
    for (int32_t s = 0; bundle->columns && s < bundle->source->n_sets; s++)
        mplan_check_columns_close(&bundle->columns[s]);
    free(bundle->columns);
    for (int32_t l = 0; bundle->loops && l < bundle->n_loops; l++)
        free(bundle->loops[l]);
    free(bundle->loops);
    free(bundle->entries);
    free(bundle->rows);
    free(bundle->links.data);
}

/* A file cannot hold more members than its bytes allow: each has 8 bytes of GLOBAL_ID, of which deflate makes one byte of
 * at most 1032. So memory is bounded by the file. */
mplan_status mplan_bundle_proof_open(const mplan_parts_source *source, bool each,
                                     mplan_bundle_proof *bundle, mplan_error *err)
{
    assert(source && bundle);
    *bundle = (mplan_bundle_proof){
        .source = source,
        .visit_steps = -1,
        .owned = each ? mplan_alloc_zero(source->n_sets, sizeof *bundle->owned, err) : NULL,
        .sums = mplan_alloc_zero(source->n_sets, sizeof *bundle->sums, err),
        .row_sums = mplan_alloc_zero(source->n_sets, sizeof *bundle->row_sums, err),
        .entries = mplan_alloc_zero(source->n_maps, sizeof *bundle->entries, err),
        .rows = mplan_alloc_zero((int64_t)source->n_parts * source->n_sets, sizeof *bundle->rows, err),
        .columns = mplan_alloc_zero(source->n_sets, sizeof *bundle->columns, err),
        .links = MPLAN_VECTOR_INIT(sizeof(mplan_bundle_link))};
    if ((each && !bundle->owned) || !bundle->sums || !bundle->row_sums || !bundle->entries ||
        !bundle->rows || !bundle->columns)
        return MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < source->n_sets; s++) {
        const int64_t total = source->sets[s].total;
        mplan_check_columns_open(!each, &bundle->columns[s]);
        if (total / 129 > source->bytes)
            return MPLAN_DISPROVED(err,
                                   "set %s cannot have %" PRId64 " members in plans of %" PRId64
                                   " bytes",
                                   source->sets[s].name, total, source->bytes);
        if (each &&
            !(bundle->owned[s] = mplan_alloc_zero(total / 64 + 1, sizeof **bundle->owned, err)))
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* --- one part is one of these --- */

/* Part p's sets against the manifest: names, totals, the range of canonical ids that it owns. */
static mplan_status check_sets_of(const mplan_parts_source *source, const mplan_plan *plan,
                                  int32_t p, mplan_error *err)
{
    for (int32_t s = 0; s < source->n_sets; s++) {
        const mplan_bundle_set *whole = &source->sets[s];
        const mplan_plan_set *set = &plan->sets[s];
        if (strcmp(whole->name, set->name) != 0 || set->part.parts != source->n_parts ||
            set->part.part != p || set->part.total != whole->total ||
            set->part.base != whole->base[p] ||
            set->part.owned != whole->base[p + 1] - whole->base[p])
            return MPLAN_DISPROVED(err,
                                   "set %s owns %" PRId64 " of %" PRId64 " members from %" PRId64
                                   " on, which is not what the manifest has of set %s",
                                   set->name, set->part.owned, set->part.total, set->part.base,
                                   whole->name);
    }
    return MPLAN_OK;
}

/* Parts are made for one request, which each of them has been proved to follow. */
static mplan_status check_request(const char *whole, const char *part, mplan_error *err)
{
    int64_t line = 1;
    size_t begin = 0, i = 0;
    for (; whole[i] && whole[i] == part[i]; i++)
        if (whole[i] == '\n') {
            line++;
            begin = i + 1;
        }
    if (whole[i] == part[i])
        return MPLAN_OK;
    return MPLAN_DISPROVED(err,
                           "line %" PRId64 " of the request is '%.*s', but '%.*s' in the manifest",
                           line, (int)strcspn(part + begin, "\n"), part + begin,
                           (int)strcspn(whole + begin, "\n"), whole + begin);
}

/* Sets, maps, and the request, which has loops and args. */
static mplan_status check_manifest(const mplan_parts_source *source, const mplan_plan *plan,
                                   int32_t p, bool asked, mplan_error *err)
{
    if (!mplan_plan_is_part(plan) || plan->n_sets != source->n_sets || plan->n_maps != source->n_maps)
        return MPLAN_DISPROVED(err,
                               "the plan has %d sets and %d maps, but the manifest has %d and %d",
                               (int)plan->n_sets, (int)plan->n_maps, (int)source->n_sets,
                               (int)source->n_maps);
    mplan_status status = check_sets_of(source, plan, p, err);
    for (int32_t m = 0; m < source->n_maps && !status; m++) {
        const mplan_bundle_map *whole = &source->maps[m];
        const mplan_plan_map *map = &plan->maps[m];
        if (strcmp(whole->name, map->name) != 0 || whole->from != map->from ||
            whole->to != map->to || whole->arity != map->arity)
            status = MPLAN_DISPROVED(err, "map %s is not map %s of the manifest", map->name,
                                     whole->name);
    }
    if (!status && asked)
        status = check_request(source->request, plan->request, err);
    return status;
}

/* --- what is kept of a part --- */

/* Sets the bit of each member that the part owns; one that is set already has two owners. That none is missing follows
 * from the sum of the ranges. */
static mplan_status note_owned(mplan_bundle_proof *bundle, const mplan_check_halo *halo, int32_t s,
                               mplan_error *err)
{
    uint64_t *bits = bundle->owned ? bundle->owned[s] : NULL;
    for (int64_t m = 0; m < halo->part->owned; m++) {
        const int64_t id = mplan_check_global(halo, m);
        bundle->sums[s] += mplan_bundle_member(id);
        if (!bits)
            continue;
        if (bits[id / 64] >> id % 64 & 1)
            return MPLAN_DISPROVED(err,
                                   "set %s: the part owns member %" PRId64
                                   " of the mesh, but a part before it owns it, too",
                                   halo->name, id);
        bits[id / 64] |= UINT64_C(1) << id % 64;
    }
    return MPLAN_OK;
}

/* Loops are the same in all parts, so that their lists can be told by number. */
static mplan_status note_loops(mplan_bundle_proof *bundle, const mplan_plan *plan, mplan_error *err)
{
    if (bundle->loops) {
        bool same = bundle->n_loops == plan->n_loops;
        for (int32_t l = 0; l < plan->n_loops && same; l++)
            same = strcmp(bundle->loops[l], plan->loops[l].name) == 0;
        return same ? MPLAN_OK : MPLAN_DISPROVED(err, "the plan has other loops than part 0");
    }
    bundle->loops = mplan_alloc_zero(plan->n_loops, sizeof *bundle->loops, err);
    bundle->n_loops = bundle->loops ? plan->n_loops : 0;
    for (int32_t l = 0; l < bundle->n_loops; l++) {
        bundle->loops[l] = mplan_strdup(plan->loops[l].name, err);
        if (!bundle->loops[l])
            return MPLAN_ERR_MEMORY;
    }
    return bundle->loops ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Between two exchanges all parts make equally many steps. */
static mplan_status note_steps(mplan_bundle_proof *bundle, const mplan_plan *plan, mplan_error *err)
{
    const int32_t own = plan->visit.slabs > 0 ? plan->visit.steps : 0, before = bundle->visit_steps;
    bundle->visit_steps = own;
    return before < 0 || before == own
               ? MPLAN_OK
               : MPLAN_DISPROVED(err, "a visit has %d steps, but in a part before it %d", (int)own,
                                 (int)before);
}

/* Lists without members are at neither end. */
static mplan_status note_link(mplan_bundle_proof *bundle, mplan_bundle_link one, mplan_error *err)
{
    return one.n > 0 ? mplan_vector_push(&bundle->links, &one, err) : MPLAN_OK;
}

/* Both ends of what loop l moves for set s: who imports how many members with which hash, who exports them. */
static mplan_status note_loop(mplan_bundle_proof *bundle, const mplan_check_halo *halo, int32_t s,
                              int32_t l, const mplan_check_loop_halo *lists, mplan_error *err)
{
    const int32_t p = halo->part->part;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < halo->part->imports && !status; i++)
        status = note_link(bundle,
                           (mplan_bundle_link){s, l, p, halo->from[i], 1, 0,
                                               lists->in_begins[i + 1] - lists->in_begins[i],
                                               lists->in_hashes[i]},
                           err);
    for (int32_t i = 0; i < halo->part->exports && !status; i++)
        status = note_link(bundle,
                           (mplan_bundle_link){s, l, halo->to[i], p, 0, 0,
                                               lists->out_begins[i + 1] - lists->out_begins[i],
                                               lists->out_hashes[i]},
                           err);
    return status;
}

/* Likewise of the whole halo (loop -1), and then of the loops that have lists of their own. */
static mplan_status note_links(const mplan_check *check, mplan_bundle_proof *bundle,
                               const mplan_check_halo *halo, int32_t s, mplan_error *err)
{
    const int32_t p = halo->part->part;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < halo->part->imports && !status; i++) {
        const int64_t *range = halo->ranges + 4 * (int64_t)i;
        status = note_link(bundle,
                           (mplan_bundle_link){s, -1, p, halo->from[i], 1, 0,
                                               range[1] - range[0] + range[3] - range[2],
                                               halo->in_hashes[i]},
                           err);
    }
    for (int32_t i = 0; i < halo->part->exports && !status; i++)
        status = note_link(bundle,
                           (mplan_bundle_link){s, -1, halo->to[i], p, 0, 0,
                                               halo->begins[i + 1] - halo->begins[i],
                                               halo->out_hashes[i]},
                           err);
    for (int32_t l = 0; l < check->plan->n_loops && !status; l++) {
        mplan_check_loop_halo lists;
        if (mplan_check_loop_halo_open(check, l, s, &lists))
            status = note_loop(bundle, halo, s, l, &lists, err);
    }
    return status;
}

/* Rows of owned elements only: each row of the mesh is counted in one part, so the sum is the mesh's. */
static void note_entries(const mplan_check *check, mplan_bundle_proof *bundle)
{
    for (int32_t m = 0; m < check->plan->n_maps; m++) {
        const mplan_map *map = &check->part_maps[m];
        const int64_t owned = mplan_check_set(check, map->from)->part.owned;
        const int64_t end = map->arity ? owned * map->arity : map->offsets[owned];
        for (int64_t i = 0; i < end; i++)
            bundle->entries[m] += map->values[i] >= 0;
    }
}

/* --- rows that two parts have --- */

/* Scratch for the rows of one element, of all maps that leave its set. */
typedef struct row_hasher {
    const mplan_check *check;
    const mplan_check_halo *halos; /* all sets */
    int32_t set;
    mplan_vector numbers; /* int64_t */
    mplan_vector parts;   /* int32_t: others whose points the element changes */
} row_hasher;

/* Hash of the element's number and rows, in numbers of the mesh. */
static mplan_status hash_rows(row_hasher *in, int64_t e, uint64_t *hash, mplan_error *err)
{
    int64_t id = mplan_check_global(&in->halos[in->set], e);
    in->numbers.count = 0;
    mplan_status status = mplan_vector_push(&in->numbers, &id, err);
    for (int32_t m = 0; m < in->check->plan->n_maps && !status; m++) {
        const mplan_map *map = &in->check->part_maps[m];
        if (map->from != in->set)
            continue;
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        int64_t *numbers = mplan_vector_reserve(&in->numbers, n + INT64_C(1), err);
        if (!numbers)
            return MPLAN_ERR_MEMORY;
        *numbers++ = n;
        for (int32_t k = 0; k < n; k++)
            numbers[k] = row[k] < 0 ? -1 : mplan_check_global(&in->halos[map->to], row[k]);
        in->numbers.count += n + INT64_C(1);
    }
    if (!status)
        *hash = mplan_hash(in->numbers.data, (size_t)in->numbers.count * sizeof(int64_t));
    return status;
}

/* in->parts: the other parts that own a point which the element changes, each once. */
static mplan_status find_parts(row_hasher *in, int64_t e, mplan_error *err)
{
    in->parts.count = 0;
    for (int32_t m = 0; m < in->check->plan->n_maps; m++) {
        const mplan_map *map = &in->check->part_maps[m];
        if (map->from != in->set || !mplan_check_goes_through(in->check->plan, -1, m, true))
            continue;
        const mplan_check_halo *to = &in->halos[map->to];
        int32_t n;
        const int32_t *row = mplan_map_row(map, e, &n);
        for (int32_t k = 0; k < n; k++) {
            const int32_t owner = row[k] >= to->part->owned ? mplan_check_owner_of(to, row[k]) : -1;
            if (owner >= 0 && mplan_vector_push(&in->parts, &owner, err))
                return MPLAN_ERR_MEMORY;
        }
    }
    in->parts.count = mplan_distinct_i32(in->parts.data, in->parts.count);
    return MPLAN_OK;
}

/* Owned elements from `inner` on: those before meet no halo. */
static mplan_status note_due(row_hasher *in, mplan_bundle_proof *bundle, mplan_error *err)
{
    const mplan_part_set *part = in->halos[in->set].part;
    mplan_status status = MPLAN_OK;
    for (int64_t e = part->inner; e < part->owned && !status; e++) {
        uint64_t hash = 0;
        status = find_parts(in, e, err);
        if (!status && in->parts.count > 0)
            status = hash_rows(in, e, &hash, err);
        for (int64_t i = 0; i < in->parts.count && !status; i++) {
            const int64_t to = ((const int32_t *)in->parts.data)[i];
            mplan_shared_rows *rows = &bundle->rows[to * bundle->source->n_sets + in->set];
            rows->due++;
            rows->due_hash += hash;
        }
    }
    return status;
}

/* Rows of the execute halo, as a sum of hashes: it does not depend on the order, which differs between the parts. With rings
 * only those that change something owned: note_rings has the others. */
static mplan_status note_found(row_hasher *in, mplan_bundle_proof *bundle, mplan_error *err)
{
    const mplan_part_set *part = in->halos[in->set].part;
    mplan_shared_rows *rows = &bundle->rows[(int64_t)part->part * bundle->source->n_sets + in->set];
    mplan_status status = MPLAN_OK;
    for (int64_t e = part->owned; e < part->executed && !status; e++) {
        uint64_t hash = 0;
        if (in->halos[in->set].rings && !mplan_check_changes(in->check, -1, in->set, e, 1))
            continue;
        status = hash_rows(in, e, &hash, err);
        rows->found++;
        rows->found_hash += hash;
    }
    return status;
}

/* Rows of all owned elements: who has the mesh can compare them with its own. */
static mplan_status note_all(row_hasher *in, mplan_bundle_proof *bundle, mplan_error *err)
{
    const int64_t owned = in->halos[in->set].part->owned;
    mplan_status status = MPLAN_OK;
    for (int64_t e = 0; e < owned && !status; e++) {
        uint64_t hash = 0;
        status = hash_rows(in, e, &hash, err);
        bundle->row_sums[in->set] += hash;
    }
    return status;
}

/* --- rings --- */

/* Entries that lead to each member of a set, of all maps by which loops change points, map after map. NULL: no memory. */
static uint32_t *count_entries(const mplan_check *check, int32_t s, int32_t *n_maps, mplan_error *err)
{
    const int64_t size = mplan_check_set(check, s)->size;
    *n_maps = 0;
    for (int32_t m = 0; m < check->plan->n_maps; m++)
        *n_maps += check->part_maps[m].to == s && mplan_check_goes_through(check->plan, -1, m, true);
    uint32_t *counts = mplan_alloc_zero(size * *n_maps, sizeof *counts, err);
    for (int32_t m = 0, at = 0; m < check->plan->n_maps && counts; m++) {
        const mplan_map *map = &check->part_maps[m];
        if (map->to != s || !mplan_check_goes_through(check->plan, -1, m, true))
            continue;
        for (int64_t i = 0; i < mplan_map_entries(map); i++)
            if (map->values[i] >= 0)
                counts[at * size + map->values[i]]++;
        at++;
    }
    return counts;
}

/* What both ends of a list must agree on of one member, as numbers behind the others: its ring around the importer; its
 * rows, where the importer has them as they are; and how many entries lead to it, where it has all of them. */
static mplan_status add_ringed(row_hasher *in, mplan_vector *said, int64_t place, int64_t ring,
                               const uint32_t *counts, int32_t n_counts, mplan_error *err)
{
    const mplan_check_halo *halo = &in->halos[in->set];
    uint64_t hash = 0;
    mplan_status status = ring <= halo->depth ? hash_rows(in, place, &hash, err) : MPLAN_OK;
    int64_t numbers[2] = {ring, (int64_t)hash};
    for (int i = 0; i < 2 && !status; i++)
        status = mplan_vector_push(said, &numbers[i], err);
    for (int32_t k = 0; k < n_counts && ring < halo->depth && !status; k++) {
        const int64_t count = counts[k * halo->size + place];
        status = mplan_vector_push(said, &count, err);
    }
    return status;
}

/* One end of the lists of a set: for each neighbour a hash of what is said of its members. importer: the end that has them
 * in its halo. */
static mplan_status note_ring_lists(row_hasher *in, mplan_bundle_proof *bundle, bool importer,
                                    const uint32_t *counts, int32_t n_counts, mplan_error *err)
{
    const mplan_check_halo *halo = &in->halos[in->set];
    const int32_t n = importer ? halo->part->imports : halo->part->exports, own = halo->part->part;
    mplan_vector said = MPLAN_VECTOR_INIT(sizeof(int64_t));
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n && !status; i++) {
        const int64_t *range = importer ? halo->ranges + 4 * (int64_t)i : halo->begins + i;
        int64_t members = 0;
        said.count = 0;
        for (int kind = 0; kind < (importer ? 4 : 2); kind += 2)
            for (int64_t k = range[kind]; k < range[kind + 1] && !status; k++, members++)
                status = importer ? add_ringed(in, &said, k, mplan_check_ring(halo, k), counts,
                                               n_counts, err)
                                  : add_ringed(in, &said, halo->index[k], halo->out_rings[k],
                                               counts, n_counts, err);
        const uint64_t hash = mplan_hash(said.data, (size_t)said.count * sizeof(int64_t));
        if (!status)
            status = note_link(bundle,
                               importer ? (mplan_bundle_link){in->set, MPLAN_BUNDLE_RINGS, own,
                                                              halo->from[i], 1, 0, members, hash}
                                        : (mplan_bundle_link){in->set, MPLAN_BUNDLE_RINGS,
                                                              halo->to[i], own, 0, 0, members, hash},
                               err);
    }
    free(said.data);
    return status;
}

/* The elements that change an owned point are all there (note_due). So an owner knows how many entries lead to each of its
 * members, and that as many lead to it where another part computes it shows that nothing is missing there, ring by ring. */
static mplan_status note_rings(row_hasher *in, mplan_bundle_proof *bundle, mplan_error *err)
{
    int32_t n_counts;
    if (!in->halos[in->set].rings)
        return MPLAN_OK;
    uint32_t *counts = count_entries(in->check, in->set, &n_counts, err);
    mplan_status status = counts ? note_ring_lists(in, bundle, true, counts, n_counts, err)
                                 : MPLAN_ERR_MEMORY;
    if (!status)
        status = note_ring_lists(in, bundle, false, counts, n_counts, err);
    free(counts);
    return status;
}

/* Rows that this part owes to others' execute halos (due), and those that it has in its own (found). */
static mplan_status note_rows(const mplan_check *check, mplan_bundle_proof *bundle,
                              const mplan_check_halo *halos, mplan_error *err)
{
    row_hasher in = {check, halos, 0, MPLAN_VECTOR_INIT(sizeof(int64_t)),
                     MPLAN_VECTOR_INIT(sizeof(int32_t))};
    mplan_status status = MPLAN_OK;
    for (in.set = 0; in.set < check->plan->n_sets && !status; in.set++) {
        status = note_due(&in, bundle, err);
        if (!status)
            status = note_found(&in, bundle, err);
        if (!status && !bundle->owned)
            status = note_all(&in, bundle, err);
        if (!status)
            status = note_rings(&in, bundle, err);
    }
    free(in.numbers.data);
    free(in.parts.data);
    return status;
}

/* What the proof of all parts together needs to know of this one, which is proved by itself. user: the mplan_bundle_proof. */
static mplan_status collect(mplan_check *check, void *user, mplan_error *err)
{
    mplan_bundle_proof *bundle = user;
    const int32_t n_sets = check->plan->n_sets;
    mplan_check_halo *halos = mplan_alloc(n_sets, sizeof *halos, err);
    mplan_status status = halos ? note_loops(bundle, check->plan, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = note_steps(bundle, check->plan, err);
    for (int32_t s = 0; s < n_sets && !status; s++)
        mplan_check_halo_open(check, s, &halos[s]);
    for (int32_t s = 0; s < n_sets && !status; s++) {
        status = note_owned(bundle, &halos[s], s, err);
        if (!status)
            status = note_links(check, bundle, &halos[s], s, err);
        if (!status)
            status = mplan_check_columns_note(check, &halos[s], s, &bundle->columns[s], err);
    }
    if (!status)
        status = note_rows(check, bundle, halos, err);
    if (!status)
        note_entries(check, bundle);
    free(halos);
    return status;
}

/* --- the proof --- */

/* One part, beside the whole mesh where there is one. */
static mplan_status prove_plan(mplan_bundle_proof *bundle, const mplan_plan *plan, int32_t p,
                               bool asked, const mplan_context *context, mplan_error *err)
{
    mplan_status status = check_manifest(bundle->source, plan, p, asked, err);
    if (!status)
        status = mplan_check_prove_part(plan, bundle->whole, asked, bundle->sums ? collect : NULL,
                                        bundle, context, err);
    if (status && status != MPLAN_ERR_INTERRUPTED && status != MPLAN_ERR_MEMORY) {
        char place[64];
        snprintf(place, sizeof place, "part %d", (int)p);
        mplan_fail_prefix(err, status, place);
    }
    return status;
}

/* Reads part p, which says its number where it cannot be read, and proves it. The first one tells what is to be derived in
 * the mesh; whole: zero so far, then. */
static mplan_status prove_part(mplan_bundle_proof *bundle, mplan_mesh *mesh, mplan_check_whole *whole,
                               int32_t p, bool asked, const mplan_context *context, mplan_error *err)
{
    const mplan_parts_source *source = bundle->source;
    mplan_plan *plan = NULL;
    mplan_status status = source->read(source->user, p, context, &plan, err);
    if (!status && mesh && !bundle->whole) {
        status = check_manifest(source, plan, p, asked, err);
        if (!status)
            status = mplan_check_whole_open(plan, mesh, &source->fingerprints, context, whole, err);
        bundle->whole = whole;
    }
    if (!status)
        status = prove_plan(bundle, plan, p, asked, context, err);
    mplan_plan_free(plan);
    return status;
}

/* Rows that equal the mesh's, of each element once, have its fingerprint: so another fingerprint is another mesh. */
static mplan_status check_print(const mplan_check_whole *whole, mplan_error *err)
{
    return whole->mesh && whole->verdict != MPLAN_ERR_DISPROVED
               ? MPLAN_DISPROVED(err, "the fingerprint of the whole mesh is not that of the mesh whose "
                                      "parts these are")
               : MPLAN_OK;
}

mplan_status mplan_bundle_prove_one(mplan_bundle_proof *bundle, int32_t p,
                                    const mplan_context *context, mplan_error *err)
{
    assert(bundle && bundle->source && p >= 0 && p < bundle->source->n_parts);
    return prove_part(bundle, NULL, NULL, p, true, context, err);
}

/* part -1: all, and that they fit together; else only this one, by itself and against the manifest. */
mplan_status mplan_check_prove_parts(const mplan_parts_source *source, mplan_mesh *mesh, int32_t part,
                                     bool asked, const mplan_context *context, mplan_error *err)
{
    mplan_check_whole whole = {0};
    mplan_bundle_proof bundle = {.source = source};
    mplan_status status = mplan_bundle_check_bases(source, err);
    if (!status && part < 0)
        status = mplan_bundle_proof_open(source, true, &bundle, err);
    const int32_t begin = part < 0 ? 0 : part, end = part < 0 ? source->n_parts : part + 1;
    for (int32_t p = begin; p < end && !status; p++)
        status = prove_part(&bundle, mesh, &whole, p, asked, context, err);
    if (!status && part < 0)
        status = mplan_bundle_check_together(&bundle, err);
    for (int32_t s = 0; part < 0 && asked && s < source->n_sets && !status; s++)
        status = mplan_check_columns_end(&source->sets[s], &bundle.columns[s], source->request, err);
    if (!status && part < 0)
        status = check_print(&whole, err);
    mplan_check_whole_free(&whole);
    mplan_bundle_proof_close(&bundle);
    return status;
}

mplan_status mplan_parts_verify(const mplan_parts_source *source, mplan_mesh *mesh, int32_t part,
                                const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(source);
    if (part < -1 || part >= source->n_parts)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no part %d of %d", (int)part,
                          (int)source->n_parts);
    return mplan_check_prove_parts(source, mesh, part, true, context, err);
}
