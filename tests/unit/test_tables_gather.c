/* SPDX-License-Identifier: Apache-2.0 */
/* test_tables_gather.c - records of block-gather and tables of owner-gather, against plain
 * references */
#include "support_gather.h"
#include "support_test.h"
#include "support_threads.h"
#include "support_mesh.h"
#include "support_order.h"

enum { MOST_MAPS = 4, NONE = UINT16_MAX };

/* Maps of one loop to one set, and a cut of its elements into blocks. */
typedef struct problem {
    mplan_map maps[MOST_MAPS];
    int64_t *offsets;
    int32_t *sequence;
    support_gather in;
} problem;

static void random_cut(problem *p, uint64_t *seed, int64_t most_in_block)
{
    int64_t n = p->maps[0].n_rows, positions = n, at = 0;
    if (support_random(seed, 2)) { /* a sequence with holes */
        positions += support_random(seed, 6);
        p->sequence = malloc((size_t)(positions + 1) * sizeof *p->sequence);
        for (int64_t i = 0; i < positions; i++) {
            int64_t k = support_random(seed, i + 1);
            p->sequence[i] = p->sequence[k];
            p->sequence[k] = i < n ? (int32_t)i : -1;
        }
    }
    p->offsets = calloc((size_t)(positions + 2), sizeof *p->offsets);
    while (at < positions) {
        at += 1 + support_random(seed, most_in_block);
        at = at < positions ? at : positions;
        p->offsets[++p->in.n_blocks] = at;
    }
    p->in.offsets = p->offsets;
    p->in.sequence = p->sequence;
}

/* n_maps maps of arity 1 to 8, the first n_increment of them increment maps. */
static void random_problem(problem *p, uint64_t *seed, int64_t most_elements, int64_t most_points)
{
    *p = (problem){0};
    int64_t n = support_random(seed, most_elements + 1);
    int64_t n_points = support_random(seed, most_points + 1);
    p->in.maps = p->maps;
    p->in.n_local = (int32_t)(1 + support_random(seed, MOST_MAPS));
    p->in.n_increment = (int32_t)(1 + support_random(seed, p->in.n_local));
    for (int32_t m = 0; m < p->in.n_local; m++)
        p->maps[m] = support_random_map(seed, n, n_points, (int32_t)(1 + support_random(seed, 8)),
                                        (int)support_random(seed, 3) * 40);
    random_cut(p, seed, 1 + support_random(seed, 20));
    p->in.round = (*seed >> 40 & 1) ? (int32_t)(*seed >> 41 & 7)
                                    : 0; /* the seed of what follows stays */
}

static void problem_free(problem *p)
{
    for (int32_t m = 0; m < p->in.n_local; m++)
        support_map_free(&p->maps[m]);
    free(p->offsets);
    free(p->sequence);
}

/* --- records of block-gather ----------------------------------------------------------- */

static void check_partial(const support_gather *in, const mplan_block_records *out)
{
    int32_t *points = calloc((size_t)in->maps[0].n_points + 1, sizeof *points);
    int64_t *offsets = calloc((size_t)in->maps[0].n_points + 2, sizeof *offsets);
    int64_t n = support_gather_shared(in, points, offsets);
    assert_int_equal(out->n_shared, n);
    assert_int_equal(out->n_sums, offsets[n]);
    assert_memory_equal(out->partial_points, points, (size_t)n * sizeof *points);
    assert_memory_equal(out->partial_offsets, offsets, (size_t)(n + 1) * sizeof *offsets);
    free(points);
    free(offsets);
}

static void check_records(const support_gather *in, bool partial, int32_t threads)
{
    mplan_error err;
    mplan_block_records out;
    mplan_threaded team;
    const mplan_context *context = support_threaded_open(NULL, &team, threads);
    int64_t most = 0, staged = 0;
    mplan_block_points points; /* every other time they are at hand */
    assert_done(mplan_table_block_points(in->maps, in->n_local, in->n_blocks, in->offsets,
                                         in->sequence, &points, context, &err),
                &err);
    assert_done(mplan_table_block_records(in->maps, in->n_increment, in->n_local, in->n_blocks,
                                          in->offsets, in->sequence, partial ? &points : NULL,
                                          in->round, partial, 24, &out, context, &err),
                &err);
    mplan_table_block_points_free(&points, in->n_local);
    mplan_threaded_close(&team);
    assert_int_equal(out.offsets[0], 0);
    assert_int_equal((uintptr_t)out.bytes % 64, 0);
    for (int64_t b = 0; b < in->n_blocks; b++) {
        int64_t bytes, n = in->offsets[b + 1] - in->offsets[b];
        uint8_t *record = support_gather_record(in, b, partial, &bytes);
        assert_int_equal(out.offsets[b + 1] - out.offsets[b], bytes);
        assert_memory_equal(out.bytes + out.offsets[b], record, (size_t)bytes);
        int64_t own = bytes + (n + 7) / 8 * 8 * 24;
        most = bytes > most ? bytes : most;
        staged = own > staged ? own : staged;
        free(record);
    }
    assert_int_equal(out.bytes_max, most);
    assert_int_equal(out.staged_max, staged);
    if (partial) {
        check_partial(in, &out);
    } else {
        assert_int_equal(out.n_shared + out.n_sums, 0);
        assert_null(out.partial_points);
        assert_null(out.partial_offsets);
    }
    mplan_table_block_records_free(&out);
}

static void records_equal_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int i = 0; i < 3000; i += support_races_only() ? 11 : 1) {
        problem p;
        random_problem(&p, &seed, 24, 20);
        for (int32_t threads = support_races_only() ? 2 : 1; threads <= 2; threads++)
            check_records(&p.in, support_random(&seed, 2), threads);
        problem_free(&p);
    }
}

/* Every element goes around one point: its list is as long as the block, its sums as
 * many as the blocks. */
static void a_hub_has_a_sum_in_each_block(void **state)
{
    (void)state;
    enum { N = 90 };
    int32_t values[2 * N];
    int64_t offsets[4] = {0, 40, 41, N};
    for (int32_t e = 0; e < N; e++) {
        values[2 * e] = 7;
        values[2 * e + 1] = e % 50;
    }
    mplan_map map = {"hub", 0, 1, 2, N, 50, NULL, values};
    support_gather in = {
        .maps = &map, .n_increment = 1, .n_local = 1, .n_blocks = 3, .offsets = offsets};
    check_records(&in, true, 1);
    check_records(&in, false, 2);
}

/* 65,535 slots of a block fit 16-bit entries. Without elements there is nothing. */
static void more_slots_than_entries_hold_are_refused(void **state)
{
    (void)state;
    enum { FIT = 8184, ARITY = 8 };
    mplan_error err;
    mplan_block_records out;
    int32_t *values = calloc((FIT + 1) * ARITY, sizeof *values);
    mplan_map map = {"wide", 0, 1, ARITY, FIT, 1, NULL, values};
    int64_t offsets[2] = {0, FIT};
    assert_done(mplan_table_block_records(&map, 1, 1, 1, offsets, NULL, NULL, 0, true, 0, &out,
                                          NULL, &err),
                &err);
    uint32_t header[8];
    memcpy(header, out.bytes, sizeof header);
    assert_int_equal(header[7], FIT * ARITY); /* all of them the one point's */
    uint16_t starts[2], last;
    memcpy(starts, out.bytes + header[4], sizeof starts);
    memcpy(&last, out.bytes + header[5] + 2 * (FIT * ARITY - 1), sizeof last);
    assert_int_equal(starts[1], FIT * ARITY);
    assert_int_equal(last, FIT * ARITY - 1);
    mplan_table_block_records_free(&out);
    map.n_rows = offsets[1] = FIT + 1; /* padded to 8192, that is 65,536 slots */
    assert_refused(mplan_table_block_records(&map, 1, 1, 1, offsets, NULL, NULL, 0, true, 0, &out,
                                             NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "block 0 of 8185 elements has more than 65535 slots");
    assert_null(out.bytes);
    assert_null(out.offsets);
    map.n_rows = offsets[1] = 0;
    assert_done(mplan_table_block_records(&map, 1, 1, 0, offsets, NULL, NULL, 0, true, 8, &out,
                                          NULL, &err),
                &err);
    assert_int_equal(out.offsets[0] + out.partial_offsets[0] + out.staged_max, 0);
    mplan_table_block_records_free(&out);
    free(values);
}

/* --- tables of owner-gather -------------------------------------------------------------- */

/* What a table of tests had, so that a test that met nothing fails. */
typedef struct coverage {
    int64_t widths[5], windows, escapes, refused, chosen[MPLAN_N_ENCODINGS];
} coverage;

/* Rows are the points, each once; with windows by descending valence, then by index. */
static void check_rows(const mplan_owner_table *table, const int64_t *begin, int64_t n_points)
{
    for (int64_t r = 0; r < table->rows * table->n_slices; r++) {
        int64_t p = support_gather_point(table, r);
        if (r >= n_points) {
            assert_true(!table->points || table->points[r] == 0);
            continue;
        }
        assert_int_equal(p / 256, r / 256);
        assert_in_range(p, 0, n_points - 1);
        if (!table->window || r % 256 == 0)
            continue;
        int64_t q = support_gather_point(table, r - 1);
        int64_t before = begin[q + 1] - begin[q], own = begin[p + 1] - begin[p];
        assert_true(before > own || (before == own && q < p));
    }
}

static void check_slice(const support_gather *in, const mplan_owner_table *table, int64_t s,
                        const int64_t *begin, const int32_t *codes)
{
    int64_t first, columns = support_gather_columns(table, s, &first), longest = 0, escapes = 0;
    for (int64_t k = 0; k < columns; k++)
        for (int64_t r = table->rows * s; r < table->rows * (s + 1); r++) {
            int64_t p = r < in->maps[0].n_points ? support_gather_point(table, r) : -1;
            int64_t wanted = p >= 0 && begin[p] + k < begin[p + 1] ? codes[begin[p] + k] : -1;
            assert_int_equal(support_gather_decode(in, table, r, k), wanted);
            longest = wanted >= 0 ? k + 1 : longest;
            if (table->encoding != MPLAN_ENCODING_INDEX16)
                continue;
            /* escapes are numbered in the order of their place */
            int64_t v = ((const uint16_t *)table->entries)[table->rows * (first + k) + r % table->rows];
            int64_t own = table->escape_offsets[s + 1] - table->escape_offsets[s];
            if (v != NONE && v >= NONE - own)
                assert_int_equal(NONE - 1 - v, escapes++);
        }
    if (!table->width)
        assert_int_equal(longest, columns);
    if (table->encoding == MPLAN_ENCODING_INDEX16)
        assert_int_equal(escapes, table->escape_offsets[s + 1] - table->escape_offsets[s]);
}

static void check_width(const mplan_owner_table *table, const int64_t *begin, int64_t n_points)
{
    int64_t most = 0;
    for (int64_t p = 0; p < n_points; p++)
        most = begin[p + 1] - begin[p] > most ? begin[p + 1] - begin[p] : most;
    assert_int_equal(table->width, most <= 4 ? most : 0);
    assert_int_equal(table->n_slices, (n_points + table->rows - 1) / table->rows);
    assert_true((table->offsets == NULL) == (table->width > 0));
    assert_true((table->points == NULL) == (table->window == 0));
    assert_int_equal(table->n_columns, table->width ? table->width * table->n_slices
                                                    : table->offsets[table->n_slices]);
}

static void check_table(const support_gather *in, const mplan_owner_table *table)
{
    int64_t *begin;
    int32_t *codes = support_gather_codes(in, &begin);
    const int64_t n_points = in->maps[0].n_points;
    bool pairs = table->encoding == MPLAN_ENCODING_PAIR32;
    bool small = table->encoding == MPLAN_ENCODING_INDEX16;
    check_width(table, begin, n_points);
    assert_true((table->row_start != NULL) == pairs);
    assert_true((table->base != NULL) == small);
    assert_true((table->escape_offsets != NULL) == small);
    for (int64_t p = 0; p <= n_points && pairs; p++) {
        int64_t below = 0;
        for (int64_t e = 0; e < in->maps[0].n_rows; e++)
            below += in->maps[0].values[2 * e] < p || in->maps[0].values[2 * e + 1] < p;
        assert_int_equal(table->row_start[p], below);
    }
    check_rows(table, begin, n_points);
    for (int64_t s = 0; s < table->n_slices; s++)
        check_slice(in, table, s, begin, codes);
    free(begin);
    free(codes);
}

/* The choice of tables.h: the smallest table per entry. */
static mplan_encoding cheapest(const support_gather *in, bool small, int64_t n_escapes)
{
    int64_t *begin;
    free(support_gather_codes(in, &begin));
    double entries = (double)begin[in->maps[0].n_points], best = 8;
    mplan_encoding out = MPLAN_ENCODING_INDEX32;
    free(begin);
    double short_bytes = 6 + (entries > 0 ? 4 * (double)n_escapes / entries : 0);
    if (small && short_bytes < best) {
        best = short_bytes;
        out = MPLAN_ENCODING_INDEX16;
    }
    if (support_gather_pairs(in) && entries > 0 &&
        4 + 4 * (double)in->maps[0].n_points / entries < best)
        out = MPLAN_ENCODING_PAIR32;
    return out;
}

static const mplan_row_order STORED = {MPLAN_SUMS_ORDER_STORED, 0, NULL, 0, false, false};

/* Rows in another order than that of the elements: the same codes, ascending by what the order
 * says. */
static void check_row_order(const support_gather *in, mplan_sums_order by, uint64_t *seed)
{
    const int64_t n = in->maps[0].n_rows, n_points = in->maps[0].n_points;
    int64_t *begin, columns = 0, found = 0;
    int32_t *codes = support_gather_codes(in, &begin), *new_of_old = support_permutation(seed, n),
            *old_of_new = calloc((size_t)n + 1, sizeof *old_of_new);
    for (int32_t m = 0; m < in->n_increment; m++)
        columns += in->maps[m].arity;
    for (int64_t i = 0; i < n; i++)
        old_of_new[new_of_old[i]] = (int32_t)i;
    const mplan_row_order order = {by,    n,    new_of_old, support_random(seed, 2) ? 64 : 0,
                                   false, false};
    mplan_owner_table out;
    mplan_error err;
    assert_done(mplan_table_owner(in->maps, in->n_increment, &order, MPLAN_ENCODING_NONE, &out,
                                  NULL, &err),
                &err);
    for (int64_t row = 0; row < out.n_slices * out.rows; row++) {
        int64_t p = support_gather_point(&out, row), first, last = -1;
        int64_t length = row < n_points ? begin[p + 1] - begin[p] : 0;
        int64_t width = support_gather_columns(&out, row / out.rows, &first);
        for (int64_t k = 0; k < width; k++) {
            int64_t code = support_gather_decode(in, &out, row, k), rank, there = 0;
            assert_int_equal(code >= 0, k < length);
            if (code < 0)
                continue;
            for (int64_t i = begin[p]; i < begin[p + 1]; i++)
                there += codes[i] == code;
            assert_int_equal(there, 1);
            rank = by == MPLAN_SUMS_ORDER_COLUMN
                       ? code % columns * n + code / columns
                       : old_of_new[code / columns] * columns + code % columns;
            assert_true(rank > last);
            last = rank;
            found++;
        }
    }
    assert_int_equal(found, begin[n_points]);
    mplan_table_owner_free(&out);
    free(begin);
    free(codes);
    free(new_of_old);
    free(old_of_new);
}

/* In all encodings; rows: of a slice. */
static void check_owner(const support_gather *in, int32_t rows, coverage *met)
{
    const mplan_row_order order = {MPLAN_SUMS_ORDER_STORED, 0, NULL, rows, false, false};
    mplan_error err;
    mplan_owner_table out;
    bool small = false;
    int64_t n_escapes = 0;
    for (int e = 1; e <= MPLAN_ENCODING_PAIR32; e++) {
        bool lacks = e == MPLAN_ENCODING_PAIR32 && !support_gather_pairs(in);
        mplan_status status = mplan_table_owner(in->maps, in->n_increment, &order,
                                                (mplan_encoding)e, &out, NULL, &err);
        if (e == MPLAN_ENCODING_INDEX16 && status == MPLAN_ERR_ARGUMENT) {
            assert_non_null(strstr(err.text, "index16 cannot hold a point of so many elements"));
            met->refused++;
            continue;
        }
        if (lacks) {
            assert_refused(status, MPLAN_ERR_ARGUMENT, &err, "encoding pair32 needs");
            assert_null(out.entries);
            met->refused++;
            continue;
        }
        assert_done(status, &err);
        assert_int_equal(out.encoding, e);
        assert_int_equal(out.rows, rows);
        check_table(in, &out);
        met->widths[out.width]++;
        met->windows += out.window > 0;
        met->escapes += out.n_escapes;
        small = small || e == MPLAN_ENCODING_INDEX16;
        n_escapes += out.n_escapes;
        mplan_table_owner_free(&out);
    }
    assert_done(mplan_table_owner(in->maps, in->n_increment, &order, MPLAN_ENCODING_NONE, &out,
                                  NULL, &err),
                &err);
    assert_int_equal(out.encoding, cheapest(in, small, n_escapes));
    check_table(in, &out);
    met->chosen[out.encoding]++;
    mplan_table_owner_free(&out);
}

/* What pair32 wants: rows of two points by ascending lower point, either one first. */
static void sort_pairs(problem *p, uint64_t *seed)
{
    int32_t *values = (int32_t *)(uintptr_t)p->maps[0].values; /* the test's own */
    for (int64_t e = 0; e < p->maps[0].n_rows; e++) {
        int32_t a = values[2 * e], b = values[2 * e + 1], low = a < b ? a : b, high = a < b ? b : a;
        int64_t at = e;
        for (; at > 0 && values[2 * at - 2] > low; at--)
            memcpy(values + 2 * at, values + 2 * at - 2, 2 * sizeof *values);
        values[2 * at] = low;
        values[2 * at + 1] = high;
    }
    for (int64_t e = 0; e < p->maps[0].n_rows; e++)
        if (support_random(seed, 2)) {
            int32_t swap = values[2 * e];
            values[2 * e] = values[2 * e + 1];
            values[2 * e + 1] = swap;
        }
}

static void owner_tables_equal_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 32;
    coverage met = {0};
    for (int i = 0; i < 1500; i++) {
        problem p;
        /* few elements: fixed widths; many points: windows that have something to sort */
        int64_t most = i % 3 ? 40 : 12;
        random_problem(&p, &seed, most, i % 10 == 0 ? 600 : 60);
        if (i % 4 == 1 && p.maps[0].n_points > 0) {
            const int64_t n = p.maps[0].n_rows, n_points = p.maps[0].n_points;
            support_map_free(&p.maps[0]);
            p.maps[0] = support_random_map(&seed, n, n_points, 2, 0);
            p.in.n_increment = 1;
            sort_pairs(&p, &seed);
        }
        check_owner(&p.in, i % 8 < 4 ? 32 : 64, &met);
        if (i % 4 < 2)
            check_row_order(&p.in, i % 2 ? MPLAN_SUMS_ORDER_COLUMN : MPLAN_SUMS_ORDER_MESH, &seed);
        problem_free(&p);
    }
    for (int w = 0; w <= 4; w++)
        assert_true(met.widths[w] > 0);
    assert_true(met.chosen[MPLAN_ENCODING_INDEX16] > 0 && met.chosen[MPLAN_ENCODING_PAIR32] > 0);
    assert_true(met.windows > 0 && met.refused > 0);
}

/* Random elements far apart, more of them than 16 bits count. */
static void far_elements_escape(void **state)
{
    (void)state;
    enum { N = 60000, POINTS = 900 };
    uint64_t seed = 33;
    coverage met = {0};
    for (int i = 0; i < 3; i++) {
        int32_t *values = malloc(4 * N * sizeof *values);
        for (int64_t e = 0; e < N; e++) /* near a line, and three of a thousand anywhere */
            for (int64_t s = 0; s < 4; s++)
                values[4 * e + s] = (int32_t)(support_random(&seed, 1000) < (i ? 3 : 1000) &&
                                                      e % (100 * i + 1) == 0
                                                  ? support_random(&seed, POINTS)
                                              : s == 0 && e % 7 == 0 ? e * POINTS / N
                                                                     : -1);
        mplan_map map = {"far", 0, 1, 4, N, POINTS, NULL, values};
        support_gather in = {.maps = &map, .n_increment = 1, .n_local = 1};
        check_owner(&in, 32, &met);
        free(values);
    }
    assert_true(met.escapes > 0);
    assert_int_equal(met.refused, 3); /* pair32 */
}

/* Up to 31 elements may share their lower point. */
static void ranks_of_pair32_end_at_thirty(void **state)
{
    (void)state;
    mplan_error err;
    mplan_owner_table out;
    int32_t values[64];
    for (int32_t e = 0; e < 32; e++) {
        values[2 * e] = e % 2 ? 0 : e + 1;
        values[2 * e + 1] = e % 2 ? e + 1 : 0;
    }
    mplan_map map = {"star", 0, 1, 2, 31, 40, NULL, values};
    support_gather in = {.maps = &map, .n_increment = 1, .n_local = 1};
    assert_done(mplan_table_owner(&map, 1, &STORED, MPLAN_ENCODING_PAIR32, &out, NULL, &err), &err);
    check_table(&in, &out);
    mplan_table_owner_free(&out);
    map.n_rows = 32;
    assert_refused(mplan_table_owner(&map, 1, &STORED, MPLAN_ENCODING_PAIR32, &out, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "at most 31 elements with one lower point");
}

/* The hub of 2,048 elements fills a slice with 65,536 places; codes end at 31 bits. */
static void what_cannot_be_said_is_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_owner_table out;
    mplan_block_records records;
    int32_t *values = calloc(2048, sizeof *values);
    int64_t offsets[2] = {0, 1};
    mplan_map map = {"hub", 0, 1, 1, 2047, 1, NULL, values};
    support_gather in = {.maps = &map, .n_increment = 1, .n_local = 1};
    assert_done(mplan_table_owner(&map, 1, &STORED, MPLAN_ENCODING_INDEX16, &out, NULL, &err), &err);
    check_table(&in, &out);
    mplan_table_owner_free(&out);
    map.n_rows = 2048;
    assert_refused(mplan_table_owner(&map, 1, &STORED, MPLAN_ENCODING_INDEX16, &out, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "index16 cannot hold a point of so many elements");
    assert_done(mplan_table_owner(&map, 1, &STORED, MPLAN_ENCODING_NONE, &out, NULL, &err), &err);
    assert_int_equal(out.encoding, MPLAN_ENCODING_INDEX32);
    check_table(&in, &out);
    mplan_table_owner_free(&out);
    mplan_map many = {"many", 0, 1, 8, INT64_C(1) << 28, 1, NULL, values}; /* never looked at */
    assert_refused(mplan_table_owner(&many, 1, &STORED, MPLAN_ENCODING_NONE, &out, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "slots in 31 bits; 268435456 elements of 8");
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = always;
    assert_refused(mplan_table_owner(&map, 1, &STORED, MPLAN_ENCODING_NONE, &out, &context, &err),
                   MPLAN_ERR_INTERRUPTED, &err, "interrupted");
    assert_refused(mplan_table_block_records(&map, 1, 1, 1, offsets, NULL, NULL, 0, true, 0,
                                             &records, &context, &err),
                   MPLAN_ERR_INTERRUPTED, &err, "interrupted");
    free(values);
}

/* No points, no elements, or elements without points. */
static void tables_of_nothing(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {5, 5}, {1, 1}};
    coverage met = {0};
    int32_t values[10];
    memset(values, 0xff, sizeof values);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        mplan_map map = {"nothing", 0, 1, 2, sizes[i][0], sizes[i][1], NULL, values};
        int64_t offsets[2] = {0, sizes[i][0]};
        support_gather in = {.maps = &map,
                             .n_increment = 1,
                             .n_local = 1,
                             .n_blocks = sizes[i][0] > 0,
                             .offsets = offsets};
        check_owner(&in, 32, &met);
        check_records(&in, true, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_equal_the_reference),
        cmocka_unit_test(a_hub_has_a_sum_in_each_block),
        cmocka_unit_test(more_slots_than_entries_hold_are_refused),
        cmocka_unit_test(owner_tables_equal_the_reference),
        cmocka_unit_test(far_elements_escape),
        cmocka_unit_test(ranks_of_pair32_end_at_thirty),
        cmocka_unit_test(what_cannot_be_said_is_refused),
        cmocka_unit_test(tables_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
