/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c - the rows of an npy file in stored order, and back
 *
 * Of a bundle: in the order of canonical ids, so that a file does not tell how many ranks wrote it.
 * Rows are moved as bytes, so every type of number keeps its values and, but for
 * files in Fortran order, its byte order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "formats/input.h"
#include "formats/numpy/npy.h"
#include "plan/plan.h"

/* Bytes gathered at a time. */
#define BATCH ((int64_t)4 << 20)
#define PIECE_BYTES ((int64_t)1 << 18)

/* Output row i is input row from[i], or zeros where from[i] is -1.
 * from and canonical have n_out entries, and one of the two is used; entries are below n_in once check_order has
 * passed. Both are borrowed. */
typedef struct gather {
    const int32_t *from; /* NULL: `canonical` */
    const int64_t *canonical;
    int64_t n_out, n_in;
    bool holes;       /* -1 is legal */
    const char *name; /* of the set */
} gather;

static inline int64_t source_of(const gather *g, int64_t i)
{
    return g->from ? g->from[i] : g->canonical[i];
}

/* g->from: for each row of the output the row of the input, -1 for holes.
 * inverse: from stored order to the mesh's.
 * It borrows from the plan: new_of_old (size entries) or old_of_new (storage_size entries). */
static mplan_status find_order(const mplan_plan *plan, int32_t set, bool inverse, gather *g,
                               mplan_error *err)
{
    const mplan_plan_set *record = mplan_plan_get_set(plan, set);
    mplan_kind kind = inverse ? MPLAN_KIND_NEW_OF_OLD : MPLAN_KIND_OLD_OF_NEW;
    int64_t rows = -1;
    g->from = mplan_plan_data(plan, mplan_key_of_set(kind, set), MPLAN_TYPE_I32, &rows);
    g->n_out = inverse ? record->size : record->storage_size;
    g->n_in = inverse ? record->storage_size : record->size;
    g->holes = !inverse;
    g->name = record->name;
    if (!g->from || rows != g->n_out)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no order of set %s", record->name);
    return MPLAN_OK;
}

/* A plan that nobody proved may point anywhere: every source must be a row of the input, or -1
 * where holes may be. */
static mplan_status check_order(const gather *g, mplan_error *err)
{
    for (int64_t i = 0; i < g->n_out; i++)
        if (source_of(g, i) >= g->n_in || source_of(g, i) < (g->holes ? -1 : 0))
            return mplan_fail(err, MPLAN_ERR_DISPROVED,
                              "the order of set %s leads from %" PRId64 " to %" PRId64
                              ", which is out of range",
                              g->name, i, source_of(g, i));
    return MPLAN_OK;
}

/* The first dimension must be that of the set; *row_bytes: of everything behind
 * it.
 * A row may have 0 bytes; rows longer than 64 bits count are refused before the product is made. */
static mplan_status check_shape(const mplan_npy_header *header, const gather *g, const char *path,
                                int64_t *row_bytes, mplan_error *err)
{
    int64_t rows = header->ndim > 0 ? header->shape[0] : -1;
    if (rows != g->n_in)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: its first dimension is %" PRId64 ", but set %s has %" PRId64 " %s",
                          path, rows < 0 ? INT64_C(0) : rows, g->name, g->n_in,
                          g->holes ? "members" : "places in stored order");
    *row_bytes = header->size;
    for (int32_t d = 1; d < header->ndim; d++) {
        if (header->shape[d] > 0 && *row_bytes > INT64_MAX / header->shape[d])
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: its rows are too long", path);
        *row_bytes *= header->shape[d];
    }
    return MPLAN_OK;
}

/* Rows of the output, from `first` on, to `to`.
 * in: n_in rows of row_bytes bytes each. Row 0 of `to` is row `first` of the output. */
typedef struct gather_work {
    const gather *order;
    const uint8_t *in;
    int64_t row_bytes, first;
    uint8_t *to;
} gather_work;

/* Rows [begin, end) of the batch; holes are zero.
 * Threads write different rows of `to`, so that their number does not change the result. */
static void gather_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const gather_work *work = data;
    int64_t row_bytes = work->row_bytes;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t source = source_of(work->order, work->first + i);
        if (source < 0)
            memset(work->to + i * row_bytes, 0, (size_t)row_bytes);
        else
            memcpy(work->to + i * row_bytes, work->in + source * row_bytes, (size_t)row_bytes);
    }
}

/* In batches, so that memory does not grow with the table.
 * A batch has one row at least, however long rows are. Rows of 0 bytes write nothing. */
static mplan_status write_rows(const gather *g, const uint8_t *in, int64_t row_bytes,
                               mplan_output *output, const mplan_context *context, mplan_error *err)
{
    if (row_bytes == 0)
        return MPLAN_OK;
    int64_t batch = row_bytes < BATCH ? BATCH / row_bytes : 1;
    if (batch > g->n_out)
        batch = g->n_out;
    uint8_t *rows = mplan_alloc(batch, (size_t)row_bytes, err);
    if (!rows)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    mplan_threaded threaded;
    context = mplan_threaded_open(context, &threaded);
    for (int64_t first = 0; !status && first < g->n_out; first += batch) {
        int64_t count = g->n_out - first < batch ? g->n_out - first : batch;
        gather_work work = {g, in, row_bytes, first, rows};
        mplan_for(mplan_team_of(context), count, PIECE_BYTES / row_bytes + 1, gather_rows, &work);
        status = mplan_output_write(output, rows, (size_t)(count * row_bytes), err);
        if (!status)
            status = mplan_heed(context, "apply", first + count, g->n_out, err);
    }
    mplan_threaded_close(&threaded);
    free(rows);
    return status;
}

/* Same type and shape, except for the number of rows. */
static mplan_status write_npy(const gather *g, mplan_npy_header *header, const uint8_t *in,
                              int64_t row_bytes, const char *path, const mplan_context *context,
                              mplan_error *err)
{
    mplan_output *output = NULL;
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (status)
        return status;
    header->shape[0] = g->n_out;
    status = mplan_npy_write_header(output, header->descr, header->ndim, header->shape, err);
    if (!status)
        status = write_rows(g, in, row_bytes, output, context, err);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* Numbers in Fortran order become C order and little-endian first.
 * *copy: header->count numbers of header->size bytes; the caller frees it, also after a failure. */
static mplan_status to_c_order(const mplan_input *input, mplan_npy_header *header, uint8_t **copy,
                               mplan_error *err)
{
    *copy = mplan_alloc(header->count, (size_t)header->size, err);
    if (!*copy)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_npy_copy(input, header, *copy, err);
    if (!status && header->descr[0] == '>')
        header->descr[0] = '<';
    return status;
}

/* The order is known to lead to rows that are there. `copy` holds the rows in C
 * order where the file has them by columns; row r of the result is row g's entry r of the
 * input. */
static mplan_status move_rows(const gather *g, const char *in, const char *out,
                              const mplan_context *context, mplan_error *err)
{
    mplan_input_file file = {0};
    mplan_status status = mplan_input_open(in, &file, context, err);
    if (status)
        return status;
    mplan_npy_header header;
    uint8_t *copy = NULL;
    int64_t row_bytes = 0;
    status = mplan_npy_parse(&file.input, &header, err);
    if (!status)
        status = check_shape(&header, g, file.input.path, &row_bytes, err);
    if (!status && header.fortran)
        status = to_c_order(&file.input, &header, &copy, err);
    if (!status)
        status = write_npy(g, &header, copy ? copy : file.input.data + header.offset, row_bytes,
                           out, context, err);
    free(copy);
    mplan_input_close(&file);
    return status;
}

/* The order is checked before any row is moved. */
mplan_status mplan_plan_apply(const mplan_plan *plan, int32_t set, const char *in, const char *out,
                              bool inverse, const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(in);
    MPLAN_NEED(out);
    if (set < 0 || set >= plan->n_sets)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no set %d", set);
    gather g = {0};
    mplan_status status = find_order(plan, set, inverse, &g, err);
    if (!status)
        status = check_order(&g, err);
    return status ? status : move_rows(&g, in, out, context, err);
}

/* --- bundles --- */

/* Whether the set is where it must be in the plan of part p, and its order and numbers are there.
 * *old_of_new, *ids and *place are borrowed and have size entries: the member at each stored place, the number of each member in the whole
 * mesh, and where each member of the part order is stored, first of all what the part owns; NULL: in that order. */
static mplan_status check_part(const mplan_plan *plan, const mplan_bundle_set *set, int32_t s,
                               int32_t p, const int32_t **old_of_new, const int64_t **ids,
                               const int32_t **place, mplan_error *err)
{
    int64_t places = -1, members = -1, stored = -1;
    *old_of_new = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s), MPLAN_TYPE_I32,
                                  &places);
    *ids = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), MPLAN_TYPE_I64, &members);
    const mplan_plan_set *record = mplan_plan_get_set(plan, s);
    *place = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_PART_PLACES, s), MPLAN_TYPE_I32,
                             &stored);
    if (!record || (*place && stored != record->size) || (!*place && mplan_plan_has_slabs(plan)) ||
        !*old_of_new || !*ids || places != record->size || members != record->size ||
        record->part.owned != set->base[p + 1] - set->base[p])
        return mplan_fail(err, MPLAN_ERR_DISPROVED,
                          "part %d has no order of what it owns of set %s", (int)p, set->name);
    return MPLAN_OK;
}

/* Of what part p owns: canonical[c] is the number of the mesh of the member with canonical id c, or with inverse
 * canonical[number] is c. */
static mplan_status note_part(const mplan_plan *plan, const mplan_bundle_set *set, int32_t s,
                              int32_t p, bool inverse, int64_t *canonical, mplan_error *err)
{
    const int32_t *old_of_new, *place;
    const int64_t *ids;
    mplan_status status = check_part(plan, set, s, p, &old_of_new, &ids, &place, err);
    const int64_t size = status ? 0 : mplan_plan_get_set(plan, s)->size;
    for (int64_t c = set->base[p]; c < set->base[p + 1] && !status; c++) {
        const int64_t at = place ? place[c - set->base[p]] : c - set->base[p];
        const int32_t old = at >= 0 && at < size ? old_of_new[at] : -1;
        const int64_t id = old >= 0 && old < size ? ids[old] : -1;
        if (id < 0 || id >= set->total || (inverse && canonical[id] >= 0))
            return mplan_fail(err, MPLAN_ERR_DISPROVED,
                              "part %d: a member of set %s has no number of its own in the mesh",
                              (int)p, set->name);
        canonical[inverse ? id : c] = inverse ? c : id;
    }
    return status;
}

/* *canonical, the caller's, also after a failure: an entry for each member of the whole set, all of them in range. One
 * part's plan at a time is in memory. */
static mplan_status read_canonical(const mplan_parts_source *source, int32_t set, bool inverse,
                                   const mplan_context *context, int64_t **canonical,
                                   mplan_error *err)
{
    if (set < 0 || set >= source->n_sets)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the parts have no set %d", (int)set);
    const mplan_bundle_set *whole = &source->sets[set];
    /* a member takes 8 bytes of a plan, of which deflate makes one byte of at most 1032 */
    if (whole->total / 129 > source->bytes)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "set %s cannot have %" PRId64 " members",
                          whole->name, whole->total);
    *canonical = mplan_alloc(whole->total, sizeof **canonical, err);
    mplan_status status = *canonical ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (*canonical) /* -1 until a part has set it: check_order refuses what none has set */
        memset(*canonical, 0xff, (size_t)whole->total * sizeof **canonical);
    for (int32_t p = 0; p < source->n_parts && !status; p++) {
        mplan_plan *plan = NULL;
        status = source->read(source->user, p, context, &plan, err);
        if (!status)
            status = note_part(plan, whole, set, p, inverse, *canonical, err);
        mplan_plan_free(plan);
    }
    const gather g = {
        .canonical = *canonical, .n_out = whole->total, .n_in = whole->total, .name = whole->name};
    return status ? status : check_order(&g, err);
}

/* The part whose range of canonical ids holds c. */
static int32_t part_of(const mplan_bundle_set *set, int32_t n_parts, int64_t c)
{
    int32_t low = 0, high = n_parts - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (set->base[middle + 1] <= c)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

mplan_status mplan_parts_owners(const mplan_parts_source *source, int32_t set, int32_t *owner,
                                const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(source);
    MPLAN_NEED(owner);
    int64_t *canonical = NULL;
    mplan_status status = read_canonical(source, set, true, context, &canonical, err);
    for (int64_t i = 0; !status && i < source->sets[set].total; i++)
        owner[i] = part_of(&source->sets[set], source->n_parts, canonical[i]);
    free(canonical);
    return status;
}

mplan_status mplan_parts_apply(const mplan_parts_source *source, int32_t set, const char *in,
                               const char *out, bool inverse, const mplan_context *context,
                               mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(source);
    MPLAN_NEED(in);
    MPLAN_NEED(out);
    int64_t *canonical = NULL;
    mplan_status status = read_canonical(source, set, inverse, context, &canonical, err);
    const int64_t total = status ? 0 : source->sets[set].total;
    const gather g = {.canonical = canonical,
                      .n_out = total,
                      .n_in = total,
                      .name = status ? "" : source->sets[set].name};
    if (!status)
        status = move_rows(&g, in, out, context, err);
    free(canonical);
    return status;
}
