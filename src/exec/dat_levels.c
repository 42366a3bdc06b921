/* SPDX-License-Identifier: Apache-2.0 */
/* dat_levels.c - dats with levels: their place in memory, and copies between it and the mesh's order */
#include "exec/dat_levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/packed.h"
#include "plan/strategies.h"

/* --- what leads to each point ------------------------------------------------------------------ */

/* What the lists point to is gone; the struct itself is the caller's. */
void mplan_owner_lists_free(mplan_owner_lists *lists)
{
    assert(lists);
    free(lists->start);
    free(lists->word);
    *lists = (mplan_owner_lists){0};
}

/* Bits of a slot in the words of a loop: of the increment with most slots. */
static int32_t bits_of(const mplan_plan_loop *loop)
{
    int32_t bits = 0;
    for (int32_t a = 0; a < loop->n_args; a++)
        while (mplan_exec_increments(loop, a) && (1 << bits) < loop->args[a].layers.n_slots)
            bits++;
    return bits;
}

/* Writes the words of an entry, which is a column of an element's row: one for each slot that is this column's. to NULL:
 * only counted. */
static int32_t put_words(const mplan_arg_layers *layers, int32_t bits, int64_t e, int32_t column,
                         uint32_t *to)
{
    int32_t n = 0;
    for (int32_t s = 0; s < layers->n_slots; s++)
        if (layers->slots[s].of == column) {
            if (to)
                to[n] = (uint32_t)e << bits | (uint32_t)s;
            n++;
        }
    return n;
}

/* Lists of n_points points with the counts in start[1], start[2], ...: starts, and room for the words. */
static mplan_status sum_counts(mplan_owner_lists *lists, const char *loop, mplan_error *err)
{
    int64_t all = 0;
    for (int64_t p = 0; p < lists->n_points; p++) {
        const int32_t n = lists->start[p + 1];
        lists->longest = n > lists->longest ? n : lists->longest;
        all += n;
        if (all > INT32_MAX)
            return mplan_fail(err, MPLAN_ERR_CORRUPT, "loop %s has too many entries", loop);
        lists->start[p + 1] = (int32_t)all;
    }
    lists->word = mplan_alloc(all, sizeof *lists->word, err);
    return lists->word ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Empty lists; an element must fit beside its slot. */
static mplan_status start_lists(const mplan_plan *plan, const mplan_plan_loop *loop,
                                int64_t n_points, mplan_owner_lists *lists, mplan_error *err)
{
    *lists = (mplan_owner_lists){.n_points = n_points, .bits = bits_of(loop)};
    if (plan->sets[loop->set].storage_size >= INT64_C(1) << (32 - lists->bits))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "loop %s has too many columns to gather",
                          loop->name);
    lists->start = mplan_alloc_zero(n_points + 1, sizeof *lists->start, err);
    return lists->start ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- owner-gather's table, index32 or index16 --- */

/* A variant's table of owners, as it is stored: entries of slice s are entries[offsets[s]] ... */
typedef struct owner_table {
    const int32_t *entries; /* NULL: of 16 bits */
    const uint16_t *entries16;
    const int32_t *base, *escapes; /* index16: per slice; codes that lie too far from it */
    const int64_t *escape_offsets;
    int64_t n_escapes;
    const int64_t *offsets;
    const uint8_t *points;
    int64_t n_entries, n_slices, n_points, n_elements;
    int32_t width, columns;
    const mplan_arg_layers *layers; /* of the increments */
} owner_table;

/* First column of entries of a slice and how many there are; false: out of the table. */
static bool columns_of(const owner_table *table, int64_t slice, int64_t *first, int64_t *n)
{
    *first = table->offsets ? table->offsets[slice] : slice * table->width;
    *n = table->offsets ? table->offsets[slice + 1] - *first : table->width;
    return *first >= 0 && *n >= 0 && *first <= table->n_entries / 32 &&
           *n <= table->n_entries / 32 - *first;
}

/* Code of entry number i, which is of that slice: element x columns + column; -1: none, -2: out of the table. */
static int64_t code_at(const owner_table *table, int64_t slice, int64_t i)
{
    if (!table->entries16)
        return table->entries[i] < 0 ? -1 : table->entries[i];
    const int64_t first = table->escape_offsets[slice], n = table->escape_offsets[slice + 1] - first;
    const int64_t value = table->entries16[i];
    if (value == MPLAN_NONE16)
        return -1;
    if (first < 0 || n < 0 || n > table->n_escapes - first)
        return -2;
    const int64_t escape = MPLAN_INDEX16_ESCAPE(value),
                  code = escape < n ? table->escapes[first + escape] : table->base[slice] + value;
    return code < 0 ? -2 : code;
}

/* Visits each row: counts its words, or writes them. */
static mplan_status walk_rows(const owner_table *table, mplan_owner_lists *lists, bool write,
                              mplan_error *err)
{
    for (int64_t r = 0; r < 32 * table->n_slices; r++) {
        int64_t first, n, count = 0;
        const int64_t p = table->points ? r / 256 * 256 + table->points[r] : r;
        bool good = columns_of(table, r / 32, &first, &n);
        for (int64_t k = 0; k < n && good; k++) {
            const int64_t code = code_at(table, r / 32, 32 * (first + k) + r % 32);
            if (code == -1)
                break;
            good = code >= 0 && p < table->n_points && code / table->columns < table->n_elements;
            if (good)
                count += put_words(table->layers, lists->bits, code / table->columns,
                                   (int32_t)(code % table->columns),
                                   write ? lists->word + lists->start[p] + count : NULL);
        }
        if (!good || (count > 0 && !write && lists->start[p + 1] != 0))
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "row %lld of owner-gather leads out of its table", (long long)r);
        if (!write && count > 0)
            lists->start[p + 1] = (int32_t)count;
    }
    return MPLAN_OK;
}

/* Bases and escapes of index16; false: they are not whole. */
static bool find_short(const mplan_plan *plan, int32_t l, int32_t v, owner_table *table)
{
    int64_t bases = 0, ends = 0;
    table->base = mplan_plan_data(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_BASE, l, v),
                                  MPLAN_TYPE_I32, &bases);
    table->escape_offsets = mplan_plan_data(plan,
                                            mplan_key_of_variant(MPLAN_KIND_OWNER_ESCAPE_OFFSETS, l,
                                                                 v),
                                            MPLAN_TYPE_I64, &ends);
    table->escapes = mplan_plan_data(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_ESCAPES, l, v),
                                     MPLAN_TYPE_I32, &table->n_escapes);
    return bases == table->n_slices && ends == table->n_slices + 1 && table->escape_offsets;
}

/* The arrays of the table; false: it is not whole. */
static bool find_table(const mplan_plan *plan, int32_t l, int32_t v, owner_table *table)
{
    const mplan_plan_variant *variant = &plan->loops[l].variants[v];
    const mplan_key entries = mplan_key_of_variant(MPLAN_KIND_OWNER_ENTRIES, l, v);
    int64_t rows = 0, points = 0;
    if (variant->encoding == MPLAN_ENCODING_INDEX16 && !find_short(plan, l, v, table))
        return false;
    if (variant->encoding == MPLAN_ENCODING_INDEX16)
        table->entries16 = mplan_plan_data(plan, entries, MPLAN_TYPE_U16, &table->n_entries);
    else
        table->entries = mplan_plan_data(plan, entries, MPLAN_TYPE_I32, &table->n_entries);
    if (variant->width == 0)
        table->offsets = mplan_plan_data(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_OFFSETS, l, v),
                                         MPLAN_TYPE_I64, &rows);
    if (variant->window)
        table->points = mplan_plan_data(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_POINTS, l, v),
                                        MPLAN_TYPE_U8, &points);
    return (table->entries || table->entries16 || table->n_entries == 0) &&
           (variant->width != 0 || rows == table->n_slices + 1) &&
           (!variant->window || points == 32 * table->n_slices);
}

/* For each point of loop l the entries of its row in the order in which owner-gather adds them: start has one number
 * more than there are points. */
mplan_status mplan_owner_lists_of(const mplan_plan *plan, int32_t l, int32_t v,
                                  mplan_owner_lists *lists, mplan_error *err)
{
    assert(plan && lists);
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_plan_variant *variant = &loop->variants[v];
    int32_t maps[MPLAN_MAX_ARGS], a = 0;
    mplan_increments increments;
    *lists = (mplan_owner_lists){0};
    if (loop->n_args > MPLAN_MAX_ARGS || !mplan_plan_gathers(plan, loop, maps, &increments) ||
        (variant->encoding != MPLAN_ENCODING_INDEX16 && variant->encoding != MPLAN_ENCODING_INDEX32))
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "loop %s does not gather by owner", loop->name);
    while (!mplan_exec_increments(loop, a))
        a++;
    owner_table table = {.n_points = plan->sets[increments.set].storage_size,
                         .n_elements = plan->sets[loop->set].storage_size,
                         .width = variant->width,
                         .columns = increments.columns,
                         .layers = &loop->args[a].layers};
    table.n_slices = (table.n_points + 31) / 32;
    if (!find_table(plan, l, v, &table))
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "loop %s has no whole table of owner-gather",
                          loop->name);
    mplan_status status = start_lists(plan, loop, table.n_points, lists, err);
    if (!status)
        status = walk_rows(&table, lists, false, err);
    if (!status)
        status = sum_counts(lists, loop->name, err);
    return status ? status : walk_rows(&table, lists, true, err);
}

/* --- two-step's lists; their numbers were checked when the flat call was filled --- */

/* Likewise for two-step, whose lists are stored by point already. */
mplan_status mplan_gather_lists_of(const mplan_plan *plan, int32_t l, int32_t v, int32_t a,
                                   mplan_owner_lists *lists, mplan_error *err)
{
    assert(plan && lists && v >= 0);
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_plan_map *map = mplan_plan_get_map(plan, loop->args[a].map);
    const mplan_key offsets = mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, loop->args[a].map);
    const mplan_key slots = mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, loop->args[a].map);
    int64_t rows = 0, n = 0;
    const int64_t *first = mplan_plan_data(plan, offsets, MPLAN_TYPE_I64, &rows);
    const int64_t *slot = mplan_plan_data(plan, slots, MPLAN_TYPE_I64, &n);
    mplan_status status = start_lists(plan, loop, rows - 1, lists, err);
    for (int turn = 0; turn < 2 && !status; turn++) {
        for (int64_t p = 0; p + 1 < rows; p++) {
            int32_t count = 0;
            for (int64_t i = first[p]; i < first[p + 1]; i++)
                count += put_words(&loop->args[a].layers, lists->bits, slot[i] / map->arity,
                                   (int32_t)(slot[i] % map->arity),
                                   turn ? lists->word + lists->start[p] + count : NULL);
            if (!turn)
                lists->start[p + 1] = count;
        }
        if (!turn)
            status = sum_counts(lists, loop->name, err);
    }
    return status;
}

/* --- matrices by owner ------------------------------------------------------------------------ */

/* NULL is accepted. */
void mplan_owner_rows_free(mplan_owner_rows *rows)
{
    assert(!rows || rows->rows >= 0);
    if (rows)
        free(rows->entry);
    free(rows);
}

/* Numbers the rows of each point, in the order in which owner-gather comes to them. A matrix has as many rows as the
 * increments have slots. */
static mplan_status number_rows(const mplan_owner_lists *lists, mplan_owner_rows *rows,
                                mplan_error *err)
{
    const int64_t n = rows->map.n_rows * rows->rows;
    const uint32_t mask = (UINT32_C(1) << lists->bits) - 1;
    rows->entry = mplan_alloc(n, sizeof *rows->entry, err);
    if (!rows->entry)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        rows->entry[i] = -1;
    for (int64_t p = 0; p < lists->n_points; p++) {
        int32_t count = 0;
        for (int32_t i = lists->start[p]; i < lists->start[p + 1]; i++)
            rows->entry[(int64_t)(lists->word[i] >> lists->bits) * rows->rows +
                        (int32_t)(lists->word[i] & mask)] = count++;
        rows->width = count > rows->width ? count : rows->width;
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t point =
            rows->map.values[i / rows->rows * rows->map.arity + rows->layers.slots[i % rows->rows].of];
        if (point >= lists->n_points)
            return mplan_fail(err, MPLAN_ERR_CORRUPT, "element %lld leads to point %d of %lld",
                              (long long)(i / rows->rows), (int)point, (long long)lists->n_points);
        if (point >= 0 && rows->entry[i] < 0)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "owner-gather never reads row %lld of element %lld",
                              (long long)(i % rows->rows), (long long)(i / rows->rows));
    }
    return MPLAN_OK;
}

/* Of arg a of loop l, by the first variant of owner-gather. */
static mplan_status make_owner_rows(const mplan_plan *plan, int32_t l, int32_t a,
                                    mplan_owner_rows **out, mplan_error *err)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    const mplan_plan_arg *arg = &loop->args[a], *increment = NULL;
    int32_t v = 0;
    while (v < loop->n_variants && !mplan_strategy_has(loop->variants[v].strategy, MPLAN_TRAIT_OWNERS))
        v++;
    for (int32_t b = 0; b < loop->n_args; b++)
        if (loop->args[b].map >= 0 && loop->args[b].access != MPLAN_READ)
            increment = &loop->args[b];
    if (v == loop->n_variants || !increment || arg->layers.slots[0].offset || arg->layers.stride != 1)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "dat %s is stored by owner, so loop %s must have a variant of owner-gather, and "
                          "the dat a level for each layer",
                          arg->dat, loop->name);
    mplan_owner_rows *made = mplan_alloc_zero(1, sizeof *made, err);
    mplan_owner_lists lists = {0};
    if (!made)
        return MPLAN_ERR_MEMORY;
    *made = (mplan_owner_rows){.loop = l,
                               .variant = v,
                               .rows = arg->layers.rows,
                               .map = mplan_plan_stored_map(plan, increment->map),
                               .layers = increment->layers};
    mplan_status status = mplan_owner_lists_of(plan, l, v, &lists, err);
    if (!status)
        status = number_rows(&lists, made, err);
    mplan_owner_lists_free(&lists);
    if (status)
        mplan_owner_rows_free(made);
    else
        *out = made;
    return status;
}

/* --- declaring ------------------------------------------------------------------------------- */

/* Levels, layout and owner of a dat that is being declared are those of the first arg with levels that names it; the
 * plan has one set, dim and type for it in all loops. */
mplan_status mplan_exec_take_levels(const mplan_exec *exec, mplan_exec_dat *made, mplan_error *err)
{
    assert(exec && made && made->name);
    const mplan_plan *plan = exec->plan;
    const mplan_arg_layers *layers = NULL;
    int32_t l = 0, a = 0;
    for (l = 0; l < plan->n_loops && !layers; l++)
        for (a = 0; a < plan->loops[l].n_args && !layers; a++)
            if (plan->loops[l].args[a].layers.levels &&
                strcmp(plan->loops[l].args[a].dat, made->name) == 0)
                layers = &plan->loops[l].args[a].layers;
    made->n_columns = made->storage_size;
    made->column_stride = 1;
    if (!layers)
        return MPLAN_OK;
    made->levels = layers->levels;
    made->columns = layers->columns;
    if (layers->columns == MPLAN_COLUMNS_OWNER) {
        mplan_status status = make_owner_rows(plan, l - 1, a - 1, &made->owner, err);
        if (status)
            return status;
        const mplan_owner_rows *rows = made->owner;
        const int64_t slices = (rows->map.n_points * rows->layers.levels + 31) / 32;
        made->storage_size = 32 * slices * rows->width / rows->rows + 1;
        return MPLAN_OK;
    }
    const bool points = layers->columns == MPLAN_COLUMNS_POINTS;
    made->column_stride = points ? 1 : layers->levels;
    made->level_stride = points ? made->n_columns : 1;
    made->storage_size = made->n_columns * layers->levels;
    return MPLAN_OK;
}

/* Of all places. */
static int64_t bytes_of(const mplan_exec_dat *dat)
{
    return dat->storage_size * dat->dim * (int64_t)mplan_type_size(dat->type);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* Where number c of level j of column p is. */
static int64_t number_at(const mplan_exec_dat *dat, int64_t p, int32_t j, int32_t c)
{
    if (!dat->owner) {
        const int64_t m = p * dat->column_stride + j * dat->level_stride;
        return dat->layout == MPLAN_LAYOUT_SOA ? c * dat->storage_size + m : m * dat->dim + c;
    }
    const mplan_owner_rows *rows = dat->owner;
    const int32_t r = c % rows->rows, cols = dat->dim / rows->rows;
    const mplan_slot *slot = &rows->layers.slots[r];
    const int64_t point = rows->map.values[p * rows->map.arity + slot->of];
    const int64_t t = point * rows->layers.levels + slot->offset + (int64_t)rows->layers.stride * j;
    if (point < 0)
        return -1; /* nobody reads it */
    return ((t / 32 * rows->width + rows->entry[p * rows->rows + r]) * cols + c / rows->rows) * 32 +
           t % 32;
}

/* Both sides of a move: image is the dat's own memory or a copy of it, rows the caller's. */
typedef struct move_work {
    const mplan_exec_dat *dat;
    const int32_t *new_of_old;
    char *image, *rows;
    bool in;
} move_work;

/* Members [begin, end) of the mesh's order, all levels of each. */
static void move_columns(void *data, int thread, int64_t begin, int64_t end)
{
    const move_work *work = data;
    const mplan_exec_dat *dat = work->dat;
    const size_t size = mplan_type_size(dat->type);
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        for (int32_t j = 0; j < dat->levels; j++)
            for (int32_t c = 0; c < dat->dim; c++) {
                const int64_t at = number_at(dat, work->new_of_old[i], j, c);
                char *own = work->image + (size_t)at * size;
                char *row = work->rows + (size_t)((i * dat->levels + j) * dat->dim + c) * size;
                if (at < 0 && !work->in)
                    memset(row, 0, size);
                else if (at >= 0)
                    memcpy(work->in ? own : row, work->in ? row : own, size);
            }
}

/* in is read, or out is written. n: members; rows are members times levels times dim, in the mesh's order. On a device
 * the whole dat goes through memory of the host. */
mplan_status mplan_exec_move_levels(const mplan_exec *exec, const mplan_exec_dat *dat,
                                    const int32_t *new_of_old, int64_t n, const void *in, void *out,
                                    mplan_error *err)
{
    assert(exec && dat && dat->levels > 0 && (new_of_old || n == 0) && (!in || !out));
    const bool device = mplan_exec_dats_on_device(exec);
    const int64_t bytes = bytes_of(dat);
    move_work work = {dat, new_of_old, dat->data, in ? (char *)(uintptr_t)in : out, in != NULL};
    mplan_status status = MPLAN_OK;
    if (device) {
        work.image = mplan_alloc_zero(bytes, 1, err);
        if (!work.image)
            return MPLAN_ERR_MEMORY;
        if (!in && bytes > 0)
            status = mplan_gpu_download(work.image, dat->data, bytes, err);
    }
    if (!status)
        mplan_for(exec->team, n, 64, move_columns, &work);
    if (device) {
        if (!status && in && bytes > 0)
            status = mplan_gpu_upload(dat->data, work.image, bytes, err);
        free(work.image);
    }
    return status;
}

/* All bytes; holes of the stored order stay zero, as everywhere. */
mplan_status mplan_exec_fill_levels(const mplan_exec *exec, const mplan_exec_dat *dat, int byte,
                                    mplan_error *err)
{
    assert(exec && dat && dat->levels > 0);
    const int64_t bytes = bytes_of(dat);
    const mplan_plan_set *set = &exec->plan->sets[dat->set];
    if (set->size < set->storage_size && !dat->owner) { /* holes stay zero */
        char *rows = mplan_alloc(set->size * dat->levels * dat->dim, mplan_type_size(dat->type), err);
        const int32_t *order = mplan_plan_data(exec->plan,
                                               mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, dat->set),
                                               MPLAN_TYPE_I32, NULL);
        if (!rows)
            return MPLAN_ERR_MEMORY;
        memset(rows, byte, (size_t)(set->size * dat->levels * dat->dim) * mplan_type_size(dat->type));
        mplan_status status = mplan_exec_move_levels(exec, dat, order, set->size, rows, NULL, err);
        free(rows);
        return status;
    }
    if (mplan_exec_dats_on_device(exec))
        return bytes > 0 ? mplan_gpu_set(dat->data, byte, bytes, err) : MPLAN_OK;
    memset(dat->data, byte, (size_t)bytes);
    return MPLAN_OK;
}
