/* SPDX-License-Identifier: Apache-2.0 */
/* support_plan_gather.c - variants that gather, for the naive planner */
#include "support_plan_gather.h"
#include "support_gather.h"
#include "support_test.h"

enum { MOST_MAPS = 16 };

/* The local maps of a loop, increment maps first. */
typedef struct gathering {
    int32_t which[MOST_MAPS];
    mplan_map maps[MOST_MAPS], others[MOST_MAPS];
    support_gather in;
} gathering;

static void add_map(gathering *out, const mplan_plan *plan, int32_t map)
{
    for (int32_t m = 0; m < out->in.n_local; m++)
        if (out->which[m] == map)
            return;
    assert_in_range(out->in.n_local, 0, MOST_MAPS - 1);
    out->maps[out->in.n_local] = mplan_plan_stored_map(plan, map);
    out->which[out->in.n_local++] = map;
}

/* Maps by which nothing is incremented, each once, and whether there are direct args. */
static void add_others(gathering *out, const mplan_plan *plan, const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++) {
        const int32_t map = loop->args[a].map;
        bool known = map < 0;
        out->in.direct = out->in.direct || map < 0;
        for (int32_t b = 0; b < a; b++)
            known = known || loop->args[b].map == map;
        for (int32_t m = 0; m < out->in.n_increment; m++)
            known = known || out->which[m] == map;
        assert_in_range(out->in.n_others, 0, MOST_MAPS - 1);
        if (!known)
            out->others[out->in.n_others++] = mplan_plan_stored_map(plan, map);
    }
    out->in.others = out->others;
}

/* False when the loop does not gather. */
static bool collect(const mplan_plan *plan, int32_t l, gathering *out)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    *out = (gathering){0};
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ) {
            bool adds = false;
            for (int32_t b = 0; b < loop->n_args; b++)
                adds = adds ||
                       (loop->args[b].map == loop->args[a].map && loop->args[b].access == MPLAN_INC);
            if (loop->args[a].once && !adds)
                continue; /* stored beside the sums */
            if (loop->args[a].access != MPLAN_INC)
                return false;
            add_map(out, plan, loop->args[a].map);
        }
    out->in.n_increment = out->in.n_local;
    for (int32_t m = 0; m < out->in.n_local; m++)
        if (out->maps[m].arity == 0 || out->maps[m].to != out->maps[0].to)
            return false;
    if (out->in.n_local == 0)
        return false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        int32_t map = loop->args[a].map;
        if (map >= 0 && plan->maps[map].arity > 0 && plan->maps[map].to == out->maps[0].to)
            add_map(out, plan, map);
    }
    out->in.maps = out->maps;
    add_others(out, plan, loop);
    return true;
}

bool support_plan_gathers(const mplan_plan *plan, int32_t loop)
{
    gathering found;
    return collect(plan, loop, &found);
}

bool support_plan_owns(const mplan_plan *plan, int32_t l)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    gathering found;
    bool writes = false;
    if (!collect(plan, l, &found))
        return false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if ((arg->map < 0 && arg->access == MPLAN_INC) || arg->access == MPLAN_RW)
            return false;
        writes = writes || arg->access == MPLAN_WRITE;
    }
    const int32_t *old_of_new = mplan_plan_data(plan,
                                                mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, loop->set),
                                                MPLAN_TYPE_I32, NULL);
    for (int64_t e = 0; writes && e < plan->sets[loop->set].storage_size; e++) {
        bool point = old_of_new[e] < 0;
        for (int32_t m = 0; m < found.in.n_increment; m++)
            for (int32_t s = 0; s < found.maps[m].arity; s++)
                point = point || found.maps[m].values[e * found.maps[m].arity + s] >= 0;
        if (!point)
            return false;
    }
    return true;
}

bool support_plan_pairs(const mplan_plan *plan, int32_t l)
{
    gathering found;
    return support_plan_owns(plan, l) && collect(plan, l, &found) && support_gather_pairs(&found.in);
}

bool support_plan_windowed(const mplan_plan *plan, int32_t l)
{
    gathering found;
    return support_plan_owns(plan, l) && collect(plan, l, &found) &&
           support_gather_windowed(&found.in);
}

static void take(mplan_plan *plan, mplan_kind kind, int32_t l, mplan_type type, int64_t rows,
                 void *data)
{
    mplan_error err;
    if (data)
        assert_done(mplan_plan_take_array(plan,
                                          mplan_key_of_variant(kind, l, plan->loops[l].n_variants),
                                          type, rows, 1, data, &err),
                    &err);
}

/* --- block-gather ------------------------------------------------------------------ */

/* Bytes that a position stages: every column of every dat that is incremented. */
static int64_t bytes_of_position(const mplan_plan *plan, int32_t l, const support_gather *in)
{
    const mplan_plan_loop *loop = &plan->loops[l];
    int64_t columns = 0, bytes = 0;
    for (int32_t m = 0; m < in->n_increment; m++)
        columns += in->maps[m].arity;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        bool counts = arg->map >= 0 && arg->access == MPLAN_INC;
        for (int32_t o = 0; o < a && counts; o++)
            counts = loop->args[o].map < 0 || loop->args[o].access != MPLAN_INC ||
                     strcmp(loop->args[o].dat, arg->dat) != 0;
        if (counts)
            bytes += columns * arg->dim * (int64_t)mplan_type_size(arg->type);
    }
    return bytes;
}

static void take_records(mplan_plan *plan, int32_t l, const support_gather *in,
                         mplan_plan_variant *variant)
{
    int64_t *offsets = calloc((size_t)in->n_blocks + 1, sizeof *offsets);
    int64_t per_position = bytes_of_position(plan, l, in);
    uint8_t *all = malloc(16);
    assert_true(offsets && all);
    for (int64_t b = 0; b < in->n_blocks; b++) {
        int64_t bytes, positions = in->offsets[b + 1] - in->offsets[b];
        uint8_t *record = support_gather_record(in, b, variant->sums == MPLAN_SUMS_PARTIAL, &bytes);
        all = realloc(all, (size_t)(offsets[b] + bytes));
        assert_non_null(all);
        memcpy(all + offsets[b], record, (size_t)bytes);
        offsets[b + 1] = offsets[b] + bytes;
        bytes += (positions + (8 - positions % 8) % 8) * per_position;
        if (bytes > variant->shared_bytes_max)
            variant->shared_bytes_max = bytes;
        free(record);
    }
    take(plan, MPLAN_KIND_BLOCK_RECORDS, l, MPLAN_TYPE_U8, offsets[in->n_blocks], all);
    take(plan, MPLAN_KIND_BLOCK_RECORD_OFFSETS, l, MPLAN_TYPE_I64, in->n_blocks + 1, offsets);
}

void support_plan_block_gather(mplan_plan *plan, int32_t l, mplan_plan_variant *variant)
{
    gathering found;
    const mplan_plan_block_set *blocks = &plan->block_sets[variant->block_set];
    const int32_t b = variant->block_set;
    assert_true(collect(plan, l, &found));
    found.in.n_blocks = blocks->n_blocks;
    found.in.round = variant->round;
    found.in.offsets = mplan_plan_data(plan, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b),
                                       MPLAN_TYPE_I64, NULL);
    if (blocks->sequence)
        found.in.sequence = mplan_plan_data(plan,
                                            mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b),
                                            MPLAN_TYPE_I32, NULL);
    take_records(plan, l, &found.in, variant);
    if (variant->sums != MPLAN_SUMS_PARTIAL)
        return;
    int64_t n_points = found.maps[0].n_points;
    int32_t *points = calloc((size_t)n_points + 1, sizeof *points);
    int64_t *offsets = calloc((size_t)n_points + 1, sizeof *offsets);
    assert_true(points && offsets);
    int64_t n = support_gather_shared(&found.in, points, offsets);
    variant->partial_sums = offsets[n];
    take(plan, MPLAN_KIND_PARTIAL_POINTS, l, MPLAN_TYPE_I32, n, points);
    take(plan, MPLAN_KIND_PARTIAL_OFFSETS, l, MPLAN_TYPE_I64, n + 1, offsets);
}

/* --- owner-gather ------------------------------------------------------------------- */

void support_plan_owner_gather(mplan_plan *plan, int32_t l, mplan_plan_variant *variant,
                               uint64_t *seed)
{
    gathering found;
    assert_true(collect(plan, l, &found));
    variant->slice_rows = (*seed >> 40 & 3) == 3 ? 64 : 0; /* the seed of what follows stays */
    mplan_owner_table table = support_gather_owner(&found.in, variant->encoding,
                                                   variant->slice_rows ? 64 : 32, seed);
    variant->width = table.width;
    variant->window = table.window;
    mplan_type type = variant->encoding == MPLAN_ENCODING_INDEX16 || table.windows ? MPLAN_TYPE_U16
                                                                                   : MPLAN_TYPE_I32;
    const int64_t numbers = table.windows ? table.fields : 1;
    take(plan, MPLAN_KIND_OWNER_OFFSETS, l, MPLAN_TYPE_I64, table.n_slices + 1, table.offsets);
    take(plan, MPLAN_KIND_OWNER_ENTRIES, l, type, table.rows * table.n_columns * numbers,
         table.entries);
    take(plan, MPLAN_KIND_OWNER_BASE, l, MPLAN_TYPE_I32, table.n_slices, table.base);
    take(plan, MPLAN_KIND_OWNER_ESCAPE_OFFSETS, l, MPLAN_TYPE_I64, table.n_slices + 1,
         table.escape_offsets);
    take(plan, MPLAN_KIND_OWNER_ESCAPES, l, MPLAN_TYPE_I32, table.n_escapes, table.escapes);
    take(plan, MPLAN_KIND_OWNER_ROW_START, l, MPLAN_TYPE_I32, found.maps[0].n_points + 1,
         table.row_start);
    take(plan, MPLAN_KIND_OWNER_POINTS, l, MPLAN_TYPE_U8, table.rows * table.n_slices, table.points);
    take(plan, MPLAN_KIND_OWNER_WINDOWS, l, MPLAN_TYPE_I32, 16 * table.n_slices, table.windows);
    take(plan, MPLAN_KIND_OWNER_PLAIN, l, MPLAN_TYPE_I32, table.rows * table.n_plain, table.plain);
}
