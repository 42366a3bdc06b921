/* SPDX-License-Identifier: Apache-2.0 */
/* check_halo.c - a part by itself: its numbers in PARTS, global ids, and lists of imports and exports
 *
 * What the other end of a list has is compared by hashes (check_bundle.c). So here each hash must be that of the ids that
 * the list leads to, in its order. */
#include "check/check_halo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MOST_TOTAL (INT64_C(1) << 62)

/* --- records --- */

/* What is wrong with the numbers of PARTS of one set, as the end of a sentence, or NULL. Afterwards 0 <= inner <=
 * owned <= executed <= size, and base + owned <= total, which is below what 64 bits can overflow. */
static const char *wrong_range(const mplan_plan_set *set)
{
    const mplan_part_set *part = &set->part;
    if (part->total < 0 || part->total > MOST_TOTAL || part->base < 0 || part->base > part->total)
        return "has a base that is not within its total";
    if (part->owned < 0 || part->owned > set->size || part->owned > part->total - part->base)
        return "owns more members than it has";
    if (part->inner < 0 || part->inner > part->owned)
        return "has more inner members than it owns";
    if (part->executed < part->owned || part->executed > set->size)
        return "has an execute halo that is not between its owned members and its end";
    if (part->imports < 0 || part->imports >= part->parts || part->exports < 0 ||
        part->exports >= part->parts || part->exported < part->exports)
        return "has impossible numbers of neighbours";
    return NULL;
}

/* Also what no part may have at all. */
static const char *wrong_set(const mplan_plan *plan, const mplan_plan_set *set)
{
    const mplan_part_set *part = &set->part, *first = &plan->sets[0].part;
    if (part->parts != first->parts || part->part != first->part || part->part < 0 ||
        part->part >= part->parts)
        return "is of another part, or of another number of parts, than the plan";
    if ((set->split && *set->split) || mplan_plan_set_is_group(set))
        return "is split or a group, which no part may be";
    if (set->storage_size != set->size)
        return "has holes, which no part may have";
    return wrong_range(set);
}

/* Loops that run at both ends of a cut must leave the same there. */
static mplan_status check_args(const mplan_plan *plan, mplan_error *err)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++) {
            const mplan_plan_arg *arg = &plan->loops[l].args[a];
            if (arg->map >= 0 && !arg->once && (arg->access == MPLAN_WRITE || arg->access == MPLAN_RW))
                return MPLAN_DISPROVED(err,
                                       "loop %s: arg %d writes points through a map more than once, "
                                       "which no part may do",
                                       plan->loops[l].name, (int)a);
        }
    return MPLAN_OK;
}

/* Of the line "rings N" of a part's request, 1 to 16; else 0, and a line that says something else is refused where the
 * request is read. */
static int64_t rings_of(const mplan_plan *plan)
{
    for (const char *line = plan->request; line && *line; line = strchr(line, '\n') + 1) {
        const size_t length = strcspn(line, "\n");
        if (!line[length])
            return 0;
        if (length < 7 || length > 8 || strncmp(line, "rings ", 6) != 0)
            continue;
        const int64_t high = length == 8 ? line[6] - '0' : 0, low = line[length - 1] - '0';
        return high >= 0 && low >= 0 && low <= 9 && 10 * high + low <= MPLAN_RINGS_MOST
                   ? 10 * high + low
                   : 0;
    }
    return 0;
}

/* Numbers of the records first, each against its neighbours: later proofs index arrays by them. */
mplan_status mplan_check_part_records(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    if (!mplan_plan_is_part(plan))
        return MPLAN_OK;
    check->rings = rings_of(plan);
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const char *wrong = wrong_set(plan, &plan->sets[s]);
        if (wrong)
            return MPLAN_DISPROVED(err, "set %s %s", plan->sets[s].name, wrong);
    }
    return check_args(plan, err);
}

/* --- views --- */

void mplan_check_halo_open(const mplan_check *check, int32_t s, mplan_check_halo *halo)
{
    const mplan_plan_set *set = mplan_check_set(check, s);
    *halo = (mplan_check_halo){
        .name = set->name,
        .size = set->size,
        .part = &set->part,
        .old_of_new = check->part_old ? check->part_old[s] : mplan_check_old_of_new(check, s),
        .ids = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s)),
        .from = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_IMPORT_PARTS, s)),
        .to = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_EXPORT_PARTS, s)),
        .index = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, s)),
        .ranges = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_IMPORT_RANGES, s)),
        .begins = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_EXPORT_OFFSETS, s)),
        .in_hashes = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_IMPORT_HASHES, s)),
        .out_hashes = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_EXPORT_HASHES, s)),
        .depth = 1};
    if (check->rings > 0) {
        halo->depth = check->rings;
        halo->rings = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_HALO_RINGS, s));
        halo->out_rings = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_EXPORT_RINGS, s));
    }
}

/* Args with access read or rw count, direct ones for the set of the loop; globals have no set. */
bool mplan_check_reads_set(const mplan_plan *plan, int32_t loop, int32_t set)
{
    const mplan_plan_loop *record = &plan->loops[loop];
    bool reads = false;
    for (int32_t a = 0; a < record->n_args; a++) {
        const mplan_plan_arg *arg = &record->args[a];
        const int32_t of = arg->map >= 0                  ? plan->maps[arg->map].to
                           : arg->map == MPLAN_MAP_GLOBAL ? -1
                                                          : record->set;
        reads = reads || (of == set && (arg->access == MPLAN_READ || arg->access == MPLAN_RW));
    }
    return reads;
}

bool mplan_check_loop_halo_open(const mplan_check *check, int32_t l, int32_t s,
                                mplan_check_loop_halo *lists)
{
    if (!mplan_check_reads_set(check->plan, l, s))
        return false;
    *lists = (mplan_check_loop_halo){
        mplan_check_data(check, mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORT_OFFSETS, s, l)),
        mplan_check_data(check, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_OFFSETS, s, l)),
        mplan_check_data(check, mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORTS, s, l)),
        mplan_check_data(check, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORTS, s, l)),
        mplan_check_data(check, mplan_key_of_loop_set(MPLAN_KIND_LOOP_IMPORT_HASHES, s, l)),
        mplan_check_data(check, mplan_key_of_loop_set(MPLAN_KIND_LOOP_EXPORT_HASHES, s, l))};
    return true;
}

/* By bisection: ranges of each kind of halo (columns 0 and 1, or 2 and 3) follow one another in the order of the
 * imports, some of them empty. A place that the part owns must not be asked for. */
int32_t mplan_check_owner_of(const mplan_check_halo *halo, int64_t place)
{
    const int64_t *end = halo->ranges + (place < halo->part->executed ? 1 : 3);
    int32_t low = 0, high = halo->part->imports - 1;
    while (low < high) { /* the first range that ends behind the place */
        const int32_t middle = low + (high - low) / 2;
        if (end[4 * (int64_t)middle] > place)
            high = middle;
        else
            low = middle + 1;
    }
    return halo->from[low];
}

/* --- global ids and lists of one set --- */

/* Members are numbered as the whole mesh numbers them. */
static mplan_status check_ids(const mplan_check_halo *halo, mplan_error *err)
{
    for (int64_t i = 0; i < halo->size; i++)
        if (halo->ids[i] < (i ? halo->ids[i - 1] + 1 : 0) || halo->ids[i] >= halo->part->total)
            return MPLAN_DISPROVED(err,
                                   "set %s: GLOBAL_ID %" PRId64 " of member %" PRId64
                                   " does not ascend in [0, %" PRId64 ")",
                                   halo->name, halo->ids[i], i, halo->part->total);
    return MPLAN_OK;
}

/* Parts of neighbours: others, ascending. */
static mplan_status check_neighbours(const mplan_check_halo *halo, const char *array,
                                     const int32_t *parts, int32_t n, mplan_error *err)
{
    for (int32_t i = 0; i < n; i++)
        if (parts[i] < 0 || parts[i] >= halo->part->parts || parts[i] == halo->part->part ||
            (i > 0 && parts[i] <= parts[i - 1]))
            return MPLAN_DISPROVED(err,
                                   "set %s: %s has part %d at place %d, which is not a neighbour",
                                   halo->name, array, (int)parts[i], (int)i);
    return MPLAN_OK;
}

/* One kind of ranges, at column 0 or 2: without gaps from `at` to `end`. *halo->ids ascend in each. */
static mplan_status check_ranges(const mplan_check_halo *halo, int column, int64_t at, int64_t end,
                                 mplan_error *err)
{
    for (int32_t i = 0; i < halo->part->imports; i++) {
        const int64_t *range = halo->ranges + 4 * (int64_t)i + column;
        if (range[0] != at || range[1] < at || range[1] > end)
            return MPLAN_DISPROVED(err,
                                   "set %s: IMPORT_RANGES has %" PRId64 " to %" PRId64
                                   " for part %d, where the range from %" PRId64 " must follow",
                                   halo->name, range[0], range[1], (int)halo->from[i], at);
        for (int64_t m = range[0] + 1; m < range[1]; m++)
            if (mplan_check_global(halo, m) <= mplan_check_global(halo, m - 1))
                return MPLAN_DISPROVED(err,
                                       "set %s: global ids of the halo do not ascend at stored index "
                                       "%" PRId64,
                                       halo->name, m);
        at = range[1];
    }
    return at == end
               ? MPLAN_OK
               : MPLAN_DISPROVED(err, "set %s: IMPORT_RANGES end at %" PRId64 " instead of %" PRId64,
                                 halo->name, at, end);
}

/* Compares the hash of a list that the plan has with that of buffer, the n global ids which the list leads to. stored:
 * what the plan says. The other end of the list has the same hash if both ends mean the same members. */
static mplan_status check_hash(const mplan_check_halo *halo, const char *array, int32_t i,
                               uint64_t stored, const int64_t *buffer, int64_t n, mplan_error *err)
{
    const uint64_t found = mplan_hash(buffer, (size_t)n * sizeof *buffer);
    return found == stored ? MPLAN_OK
                           : MPLAN_DISPROVED(err,
                                             "set %s: %s of neighbour %d is %016" PRIx64
                                             ", but the ids have %016" PRIx64,
                                             halo->name, array, (int)i, stored, found);
}

/* buffer: room for the mesh numbers of one list. Ranges of the importer follow one another, first of the execute halo
 * (0, 1), then of the read halo (2, 3), and their hashes are those of the members. */
static mplan_status check_imports(const mplan_check_halo *halo, int64_t *buffer, mplan_error *err)
{
    const mplan_part_set *part = halo->part;
    mplan_status status = check_neighbours(halo, "IMPORT_PARTS", halo->from, part->imports, err);
    if (!status)
        status = check_ranges(halo, 0, part->owned, part->executed, err);
    if (!status)
        status = check_ranges(halo, 2, part->executed, halo->size, err);
    for (int32_t i = 0; i < part->imports && !status; i++) {
        const int64_t *range = halo->ranges + 4 * (int64_t)i;
        int64_t n = 0;
        for (int64_t m = range[0]; m < range[1]; m++)
            buffer[n++] = mplan_check_global(halo, m);
        for (int64_t m = range[2]; m < range[3]; m++)
            buffer[n++] = mplan_check_global(halo, m);
        status = n > 0 ? check_hash(halo, "IMPORT_HASHES", i, halo->in_hashes[i], buffer, n, err)
                       : MPLAN_DISPROVED(err, "set %s: nothing is imported from part %d",
                                         halo->name, (int)halo->from[i]);
    }
    return status;
}

/* List i of places, index[begins[i]] up to begins[i + 1] of `total`, each of which must be in [first, end). Their
 * global ids go to buffer, which has room for as many as the set has members: longer lists are refused first. Lists of
 * loops may be empty. */
static mplan_status take_list(const mplan_check_halo *halo, const char *array, int32_t i,
                              const int64_t *begins, int64_t total, const int32_t *index,
                              int64_t first, int64_t end, int64_t *buffer, mplan_error *err)
{
    if (begins[i] < 0 || begins[i + 1] < begins[i] || begins[i + 1] > total ||
        (i == 0 && begins[0] != 0) || begins[i + 1] - begins[i] > halo->size)
        return MPLAN_DISPROVED(err,
                               "set %s: the list of neighbour %d in %s runs from %" PRId64
                               " to %" PRId64 " of %" PRId64,
                               halo->name, (int)i, array, begins[i], begins[i + 1], total);
    for (int64_t k = begins[i]; k < begins[i + 1]; k++) {
        if (index[k] < first || index[k] >= end)
            return MPLAN_DISPROVED(err,
                                   "set %s: %s has %d at place %" PRId64
                                   ", which is not in [%" PRId64 ", %" PRId64 ")",
                                   halo->name, array, (int)index[k], k, first, end);
        buffer[k - begins[i]] = mplan_check_global(halo, index[k]);
    }
    return MPLAN_OK;
}

/* Lists hold stored indices of owned members; an empty list is not written, so it is an error. */
static mplan_status check_exports(const mplan_check_halo *halo, int64_t *buffer, mplan_error *err)
{
    const mplan_part_set *part = halo->part;
    mplan_status status = check_neighbours(halo, "EXPORT_PARTS", halo->to, part->exports, err);
    for (int32_t i = 0; i < part->exports && !status; i++) {
        status = take_list(halo, "EXPORT_INDEX", i, halo->begins, part->exported, halo->index, 0,
                           part->owned, buffer, err);
        const int64_t n = status ? 0 : halo->begins[i + 1] - halo->begins[i];
        if (!status)
            status = n > 0
                         ? check_hash(halo, "EXPORT_HASHES", i, halo->out_hashes[i], buffer, n, err)
                         : MPLAN_DISPROVED(err, "set %s: nothing is exported to part %d",
                                           halo->name, (int)halo->to[i]);
    }
    if (!status && halo->begins[part->exports] != part->exported)
        return MPLAN_DISPROVED(err, "set %s: EXPORT_OFFSETS end at %" PRId64 " instead of %" PRId64,
                               halo->name, halo->begins[part->exports], part->exported);
    return status;
}

/* --- lists of loops --- */

/* Whether list i, of a loop, is a part of list i of the set's exports, in its order. */
static bool is_in_order(const mplan_check_halo *halo, const mplan_check_loop_halo *lists, int32_t i)
{
    int64_t at = halo->begins[i];
    for (int64_t k = lists->out_begins[i]; k < lists->out_begins[i + 1]; k++, at++) {
        while (at < halo->begins[i + 1] && halo->index[at] != lists->out[k])
            at++;
        if (at == halo->begins[i + 1])
            return false;
    }
    return true;
}

/* What a loop needs is a part of the whole list, in the same order. rows: of LOOP_EXPORTS. */
static mplan_status check_loop_exports(const mplan_check_halo *halo,
                                       const mplan_check_loop_halo *lists, int64_t rows,
                                       int64_t *buffer, mplan_error *err)
{
    const mplan_part_set *part = halo->part;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < part->exports && !status; i++) {
        status = take_list(halo, "LOOP_EXPORTS", i, lists->out_begins, rows, lists->out, 0,
                           part->owned, buffer, err);
        if (!status)
            status = check_hash(halo, "LOOP_EXPORT_HASHES", i, lists->out_hashes[i], buffer,
                                lists->out_begins[i + 1] - lists->out_begins[i], err);
        if (!status && !is_in_order(halo, lists, i))
            status = MPLAN_DISPROVED(err,
                                     "set %s: LOOP_EXPORTS to part %d is not in the order of the "
                                     "export",
                                     halo->name, (int)halo->to[i]);
    }
    if (!status && (lists->out_begins[part->exports] != rows || lists->out_begins[0] != 0))
        return MPLAN_DISPROVED(err, "set %s: LOOP_EXPORT_OFFSETS do not run from 0 to %" PRId64,
                               halo->name, rows);
    return status;
}

/* rows: of LOOP_IMPORTS; offsets run from 0 to it. Only the halo can be imported. Members and their order are compared
 * with what the loop reads in check_halo_rows.c. */
static mplan_status check_loop_imports(const mplan_check_halo *halo,
                                       const mplan_check_loop_halo *lists, int64_t rows,
                                       int64_t *buffer, mplan_error *err)
{
    const mplan_part_set *part = halo->part;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < part->imports && !status; i++) {
        status = take_list(halo, "LOOP_IMPORTS", i, lists->in_begins, rows, lists->in, part->owned,
                           halo->size, buffer, err);
        if (!status)
            status = check_hash(halo, "LOOP_IMPORT_HASHES", i, lists->in_hashes[i], buffer,
                                lists->in_begins[i + 1] - lists->in_begins[i], err);
    }
    if (!status && (lists->in_begins[part->imports] != rows || lists->in_begins[0] != 0))
        return MPLAN_DISPROVED(err, "set %s: LOOP_IMPORT_OFFSETS do not run from 0 to %" PRId64,
                               halo->name, rows);
    return status;
}

/* How many rows an array of a loop and set has; it must be there. */
static int64_t rows_of(const mplan_check *check, mplan_kind kind, int32_t s, int32_t l)
{
    const mplan_key key = mplan_key_of_loop_set(kind, s, l);
    return mplan_plan_find_array(check->plan, &key)->rows;
}

/* A loop that reads no dat of the set has no lists for it. */
static mplan_status check_loops(const mplan_check *check, const mplan_check_halo *halo, int32_t s,
                                int64_t *buffer, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < check->plan->n_loops && !status; l++) {
        mplan_check_loop_halo lists;
        if (!mplan_check_loop_halo_open(check, l, s, &lists))
            continue;
        status = check_loop_imports(halo, &lists, rows_of(check, MPLAN_KIND_LOOP_IMPORTS, s, l),
                                    buffer, err);
        if (!status)
            status = check_loop_exports(halo, &lists, rows_of(check, MPLAN_KIND_LOOP_EXPORTS, s, l),
                                        buffer, err);
        if (status == MPLAN_ERR_DISPROVED) {
            char place[MPLAN_ERROR_TEXT / 2];
            snprintf(place, sizeof place, "loop %s", check->plan->loops[l].name);
            mplan_fail_prefix(err, status, place);
        }
    }
    return status;
}

/* After the orders, which lead to the numbers of members. Set by set: ids first, since all lists are compared
 * by them; lists of the set before those of loops, which are parts of them. buffer: one global id for each
 * member of the set. */
mplan_status mplan_check_halos(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < plan->n_sets && !status && mplan_plan_is_part(plan); s++) {
        mplan_check_halo halo;
        mplan_check_halo_open(check, s, &halo);
        int64_t *buffer = mplan_alloc(halo.size, sizeof *buffer, err);
        status = buffer ? check_ids(&halo, err) : MPLAN_ERR_MEMORY;
        if (!status)
            status = check_imports(&halo, buffer, err);
        if (!status)
            status = check_exports(&halo, buffer, err);
        if (!status)
            status = check_loops(check, &halo, s, buffer, err);
        free(buffer);
    }
    return status;
}
