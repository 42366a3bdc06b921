/* SPDX-License-Identifier: Apache-2.0 */
/* support_gather.c - the tables of block-gather and owner-gather by the plainest code */
#include "support_gather.h"
#include "support_test.h"

enum { NONE = 65535, WINDOW = 256 };

static void *zeroed(int64_t n, size_t size)
{
    void *data = calloc((size_t)n + 1, size);
    assert_non_null(data);
    return data;
}

/* --- block-gather ------------------------------------------------------------------ */

/* Entry of a map at a position and slot; -1 in holes. */
static int32_t entry_at(const support_gather *in, int32_t m, int64_t position, int32_t slot)
{
    int64_t e = in->sequence ? in->sequence[position] : position;
    return e < 0 ? -1 : in->maps[m].values[e * in->maps[m].arity + slot];
}

/* Whether a block holds a point through the first n_maps maps. */
static bool block_holds(const support_gather *in, int32_t n_maps, int64_t b, int64_t point)
{
    for (int64_t p = in->offsets[b]; p < in->offsets[b + 1]; p++)
        for (int32_t m = 0; m < n_maps; m++)
            for (int32_t s = 0; s < in->maps[m].arity; s++)
                if (entry_at(in, m, p, s) == point)
                    return true;
    return false;
}

int64_t support_gather_shared(const support_gather *in, int32_t *points, int64_t *offsets)
{
    int64_t n = 0;
    offsets[0] = 0;
    for (int64_t p = 0; p < in->maps[0].n_points; p++) {
        int64_t blocks = 0;
        for (int64_t b = 0; b < in->n_blocks; b++)
            blocks += block_holds(in, in->n_increment, b, p);
        if (blocks > 1) {
            points[n] = (int32_t)p;
            offsets[n + 1] = offsets[n] + blocks;
            n++;
        }
    }
    return n;
}

/* Slot of a block's partial sum for a point, -1: none. */
static int32_t slot_of(const support_gather *in, int64_t b, int32_t point)
{
    int32_t *points = zeroed(in->maps[0].n_points, sizeof *points);
    int64_t *offsets = zeroed(in->maps[0].n_points + 1, sizeof *offsets), slot = -1;
    int64_t n = support_gather_shared(in, points, offsets);
    for (int64_t i = 0; i < n; i++)
        if (points[i] == point && block_holds(in, in->n_increment, b, point)) {
            slot = offsets[i];
            for (int64_t before = 0; before < b; before++)
                slot += block_holds(in, in->n_increment, before, point);
        }
    free(points);
    free(offsets);
    return (int32_t)slot;
}

typedef struct writer {
    uint8_t *bytes;
    int64_t size;
} writer;

static void put(writer *out, uint32_t value, int n)
{
    out->bytes = realloc(out->bytes, (size_t)out->size + 32);
    assert_non_null(out->bytes);
    for (int i = 0; i < n; i++)
        out->bytes[out->size++] = (uint8_t)(value >> 8 * i);
}

static uint32_t pad(writer *out)
{
    while (out->size % 16)
        put(out, 0, 1);
    return (uint32_t)out->size;
}

static void put_at(writer *out, int64_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static int32_t *points_of_block(const support_gather *in, int64_t b, int64_t *n)
{
    int32_t *points = zeroed(in->maps[0].n_points, sizeof *points);
    *n = 0;
    for (int64_t p = 0; p < in->maps[0].n_points; p++)
        if (block_holds(in, in->n_local, b, p))
            points[(*n)++] = (int32_t)p;
    return points;
}

static void put_local(const support_gather *in, int64_t b, const int32_t *points, int64_t n_points,
                      int64_t n_padded, writer *out)
{
    int64_t n = in->offsets[b + 1] - in->offsets[b];
    for (int32_t m = 0; m < in->n_local; m++)
        for (int32_t s = 0; s < in->maps[m].arity; s++)
            for (int64_t i = 0; i < n_padded; i++) {
                int32_t point = i < n ? entry_at(in, m, in->offsets[b] + i, s) : -1;
                uint32_t place = NONE;
                for (int64_t k = 0; k < n_points && point >= 0; k++)
                    if (points[k] == point)
                        place = (uint32_t)k;
                put(out, place, 2);
            }
}

/* The entries of one point, appended to a list; returns how many there are then. */
static int64_t list_entries(const support_gather *in, int64_t b, int32_t point, int64_t n_padded,
                            uint16_t *list, int64_t n)
{
    for (int64_t round = 0; round < n_padded; round++) {
        int64_t column = 0;
        for (int32_t m = 0; m < in->n_increment; m++)
            for (int32_t s = 0; s < in->maps[m].arity; s++, column++)
                for (int64_t p = in->offsets[b]; p < in->offsets[b + 1]; p++)
                    if ((in->round ? (p - in->offsets[b]) / in->round : 0) == round &&
                        entry_at(in, m, p, s) == point)
                        list[n++] = (uint16_t)(column * n_padded + p - in->offsets[b]);
    }
    return n;
}

uint8_t *support_gather_record(const support_gather *in, int64_t b, bool partial, int64_t *bytes)
{
    writer out = {0};
    int64_t n_points, n = in->offsets[b + 1] - in->offsets[b], n_entries = 0, columns = 0;
    int64_t n_padded = n + (8 - n % 8) % 8;
    int32_t *points = points_of_block(in, b, &n_points);
    for (int32_t m = 0; m < in->n_increment; m++)
        columns += in->maps[m].arity;
    uint16_t *list = zeroed(columns * n, sizeof *list);
    const uint32_t header[8] = {0, (uint32_t)n, (uint32_t)n_points, (uint32_t)in->offsets[b]};
    for (int i = 0; i < 8; i++)
        put(&out, header[i], 4);
    for (int64_t k = 0; k < n_points; k++)
        put(&out, (uint32_t)points[k], 4);
    pad(&out);
    put_local(in, b, points, n_points, n_padded, &out);
    put_at(&out, 16, pad(&out));
    for (int64_t k = 0; k <= n_points; k++) {
        put(&out, (uint32_t)n_entries, 2);
        if (k < n_points)
            n_entries = list_entries(in, b, points[k], n_padded, list, n_entries);
    }
    put_at(&out, 20, pad(&out));
    put_at(&out, 28, (uint32_t)n_entries);
    for (int64_t i = 0; i < n_entries; i++)
        put(&out, list[i], 2);
    uint32_t end = pad(&out);
    if (partial)
        put_at(&out, 24, end);
    for (int64_t k = 0; partial && k < n_points; k++)
        put(&out, (uint32_t)slot_of(in, b, points[k]), 4);
    put_at(&out, 0, pad(&out));
    free(points);
    free(list);
    *bytes = out.size;
    return out.bytes;
}

/* --- owner-gather ------------------------------------------------------------------- */

int32_t *support_gather_codes(const support_gather *in, int64_t **offsets)
{
    const int64_t n_points = in->maps[0].n_points, n_elements = in->maps[0].n_rows;
    int64_t columns = 0, n = 0;
    for (int32_t m = 0; m < in->n_increment; m++)
        columns += in->maps[m].arity;
    int64_t *begin = zeroed(n_points + 1, sizeof *begin);
    int32_t *codes = zeroed(n_elements * columns, sizeof *codes);
    int64_t *next = zeroed(n_points, sizeof *next);
    /* twice over all entries: to count them, and to write them */
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t code = 0; code < n_elements * columns; code++) {
            int64_t slot = code % columns;
            int32_t m = 0;
            while (slot >= in->maps[m].arity)
                slot -= in->maps[m++].arity;
            int32_t point = in->maps[m].values[code / columns * in->maps[m].arity + slot];
            if (point >= 0 && pass == 0)
                next[point]++;
            else if (point >= 0)
                codes[next[point]++] = (int32_t)code;
        }
        for (int64_t p = 0; p < n_points && pass == 0; p++) {
            begin[p] = n;
            n += next[p];
            next[p] = begin[p];
        }
    }
    begin[n_points] = n;
    free(next);
    *offsets = begin;
    return codes;
}

bool support_gather_pairs(const support_gather *in)
{
    if (in->n_increment != 1 || in->maps[0].arity != 2)
        return false;
    const int32_t *values = in->maps[0].values;
    int64_t n = in->maps[0].n_rows;
    for (int64_t i = 0; i < 2 * n; i++)
        if (values[i] < 0)
            return false;
    for (int64_t e = 0; e < n; e++) {
        int64_t low = values[2 * e] < values[2 * e + 1] ? values[2 * e] : values[2 * e + 1], same = 0;
        for (int64_t f = 0; f < e; f++) {
            int64_t other = values[2 * f] < values[2 * f + 1] ? values[2 * f] : values[2 * f + 1];
            if (other > low)
                return false;
            same += other == low;
        }
        if (same > 30)
            return false;
    }
    return true;
}

bool support_gather_windowed(const support_gather *in)
{
    if (in->n_increment != 1 || in->maps[0].arity != 2)
        return false;
    for (int64_t e = 0; e < in->maps[0].n_rows; e++) {
        const int32_t *pair = in->maps[0].values + 2 * e;
        if ((pair[0] < 0) != (pair[1] < 0))
            return false;
        for (int32_t m = 0; m < in->n_others; m++)
            for (int32_t s = 0; s < in->others[m].arity; s++)
                if (pair[0] >= 0 && in->others[m].values[e * in->others[m].arity + s] < 0)
                    return false;
    }
    for (int32_t m = 0; m < in->n_others; m++)
        if (in->others[m].arity == 0)
            return false;
    return true;
}

/* --- windows16: numbers of an entry, in order --- */

static int32_t fields_of(const support_gather *in)
{
    int32_t n = in->direct ? 2 : 1;
    for (int32_t m = 0; m < in->n_others; m++)
        n += in->others[m].arity;
    return n;
}

/* Number f of the entry for a code. */
static int64_t field_value(const support_gather *in, int64_t code, int32_t f)
{
    int32_t next = 0;
    if (f == next++)
        return in->maps[0].values[code / 2 * 2 + (code % 2 ? 0 : 1)];
    if (in->direct && f == next++)
        return code / 2;
    for (int32_t m = 0; m < in->n_others; m++)
        for (int32_t s = 0; s < in->others[m].arity; s++)
            if (f == next++)
                return in->others[m].values[code / 2 * in->others[m].arity + s];
    fail_msg("field %d", (int)f);
    return -1;
}

/* Where field f of entry k of a row is among the fields of its slice. */
static int64_t field_place(const mplan_owner_table *table, int64_t lane, int64_t k, int32_t f)
{
    int64_t together = 1, belong = table->fields * (table->width ? table->width : 1);
    while (together < 8 && belong % (2 * together) == 0)
        together *= 2;
    int64_t i = k * table->fields + f;
    return i / together * table->rows * together + lane * together + i % together;
}

static int64_t field_at(const mplan_owner_table *table, int64_t row, int64_t k, int32_t f)
{
    int64_t first, s = row / table->rows;
    support_gather_columns(table, s, &first);
    return ((const uint16_t *)table->entries)[first * table->rows * table->fields +
                                              field_place(table, row % table->rows, k, f)];
}

/* Whether entry k of a row says what a code of the row's point does. */
static bool says(const support_gather *in, const mplan_owner_table *table, int64_t row, int64_t k,
                 int64_t code)
{
    const int32_t *word = table->windows + row / table->rows * 16;
    for (int32_t f = 0; f < table->fields; f++) {
        int64_t field = field_at(table, row, k, f);
        assert_in_range(field / 4096, 0, word[15] - 1);
        int64_t place = f == 0 ? field % 4096 / 2 : field % 4096;
        if (word[field / 4096] + place != field_value(in, code, f) ||
            (f == 0 && field % 2 != code % 2))
            return false;
    }
    return true;
}

/* Entries that say the same are told apart by their turn. */
static int64_t decode_windows(const support_gather *in, const mplan_owner_table *table, int64_t row,
                              int64_t k)
{
    const int32_t last = table->windows[row / table->rows * 16 + 15];
    int64_t *begin, found = -2, point = support_gather_point(table, row);
    if (last < 0) {
        for (int32_t f = 0; f < table->fields; f++)
            assert_int_equal(field_at(table, row, k, f), NONE);
        return table->plain[(-1 - (int64_t)last + k) * table->rows + row % table->rows];
    }
    if (field_at(table, row, k, 0) == NONE) {
        for (int32_t f = 0; f < table->fields; f++)
            assert_int_equal(field_at(table, row, k, f), NONE);
        return -1;
    }
    int32_t *codes = support_gather_codes(in, &begin);
    for (int64_t i = begin[point]; i < begin[point + 1]; i++)
        if (says(in, table, row, k, codes[i]) && (found < 0 || i - begin[point] == k))
            found = codes[i];
    free(codes);
    free(begin);
    return found;
}

int64_t support_gather_point(const mplan_owner_table *table, int64_t row)
{
    return table->points ? row / WINDOW * WINDOW + table->points[row] : row;
}

int64_t support_gather_columns(const mplan_owner_table *table, int64_t slice, int64_t *first)
{
    *first = table->width ? table->width * slice : table->offsets[slice];
    return table->width ? table->width : table->offsets[slice + 1] - table->offsets[slice];
}

int64_t support_gather_decode(const support_gather *in, const mplan_owner_table *table, int64_t row,
                              int64_t k)
{
    int64_t first, s = row / table->rows;
    support_gather_columns(table, s, &first);
    int64_t place = table->rows * (first + k) + row % table->rows;
    if (table->encoding == MPLAN_ENCODING_WINDOWS16)
        return decode_windows(in, table, row, k);
    if (table->encoding == MPLAN_ENCODING_INDEX32)
        return ((const int32_t *)table->entries)[place];
    if (table->encoding == MPLAN_ENCODING_INDEX16) {
        int64_t v = ((const uint16_t *)table->entries)[place];
        int64_t escapes = table->escape_offsets[s + 1] - table->escape_offsets[s];
        if (v == NONE)
            return -1;
        return v >= NONE - escapes ? table->escapes[table->escape_offsets[s] + NONE - 1 - v]
                                   : table->base[s] + v;
    }
    int64_t word = ((const int32_t *)table->entries)[place], point = support_gather_point(table, row);
    if (word == -1)
        return -1;
    int64_t column = word & 1, rank = (word & 63) / 2, neighbour = point + (word - (word & 63)) / 64;
    int64_t e = table->row_start[neighbour < point ? neighbour : point] + rank;
    assert_in_range(e, 0, in->maps[0].n_rows - 1);
    return 2 * e + column;
}

/* Points of the rows: in windows by descending valence, then by index; else by index. */
static void order_rows(mplan_owner_table *out, const int64_t *begin, int64_t n_points)
{
    out->window = WINDOW;
    out->points = zeroed(out->rows * out->n_slices, 1);
    for (int64_t p = 0; p < n_points; p++) {
        int64_t place = p / WINDOW * WINDOW, valence = begin[p + 1] - begin[p];
        for (int64_t q = p / WINDOW * WINDOW; q < n_points && q < (p / WINDOW + 1) * WINDOW; q++) {
            int64_t other = begin[q + 1] - begin[q];
            place += other > valence || (other == valence && q < p);
        }
        out->points[place] = (uint8_t)(p % WINDOW);
    }
}

static void lay_out(mplan_owner_table *out, const int64_t *begin, int64_t n_points, uint64_t *seed)
{
    int64_t most = 0;
    for (int64_t p = 0; p < n_points; p++)
        most = begin[p + 1] - begin[p] > most ? begin[p + 1] - begin[p] : most;
    out->n_slices = (n_points + out->rows - 1) / out->rows;
    out->width = most <= 4 ? (int32_t)most : 0;
    out->n_columns = most * out->n_slices;
    if (out->width)
        return;
    if (support_random(seed, 2))
        order_rows(out, begin, n_points);
    out->offsets = zeroed(out->n_slices + 1, sizeof *out->offsets);
    for (int64_t s = 0; s < out->n_slices; s++) {
        most = 0;
        for (int64_t r = out->rows * s; r < out->rows * (s + 1) && r < n_points; r++) {
            int64_t p = support_gather_point(out, r);
            most = begin[p + 1] - begin[p] > most ? begin[p + 1] - begin[p] : most;
        }
        out->offsets[s + 1] = out->offsets[s] + most;
    }
    out->n_columns = out->offsets[out->n_slices];
}

/* Code of a row's entry k, -1: none. */
static int64_t code_at(const mplan_owner_table *table, const int64_t *begin, const int32_t *codes,
                       int64_t n_points, int64_t row, int64_t k)
{
    int64_t p = support_gather_point(table, row);
    return row < n_points && begin[p] + k < begin[p + 1] ? codes[begin[p] + k] : -1;
}

/* A random code of the slice as base: what is below it escapes. */
static void write_slice16(mplan_owner_table *out, const int64_t *begin, const int32_t *codes,
                          int64_t n_points, int64_t s, uint64_t *seed)
{
    int64_t first, columns = support_gather_columns(out, s, &first), n = 0;
    uint16_t *entries = (uint16_t *)out->entries + out->rows * first;
    int32_t *all = zeroed(out->rows * columns, sizeof *all);
    for (int64_t i = 0; i < out->rows * columns; i++) {
        int64_t code = code_at(out, begin, codes, n_points, out->rows * s + i % out->rows,
                               i / out->rows);
        if (code >= 0)
            all[n++] = (int32_t)code;
    }
    out->base[s] = n ? all[support_random(seed, n)] : 0;
    int64_t escapes = 0;
    for (int64_t i = 0; i < out->rows * columns; i++) {
        int64_t code = code_at(out, begin, codes, n_points, out->rows * s + i % out->rows,
                               i / out->rows);
        entries[i] = NONE;
        if (code < 0)
            continue;
        entries[i] = (uint16_t)(code - out->base[s]);
        if (code < out->base[s] || code >= out->base[s] + NONE - out->rows * columns) {
            out->escapes[out->escape_offsets[s] + escapes] = (int32_t)code;
            entries[i] = (uint16_t)(NONE - 1 - escapes++);
        }
    }
    out->escape_offsets[s + 1] = out->escape_offsets[s] + escapes;
    out->n_escapes = out->escape_offsets[s + 1];
    free(all);
}

static int32_t pair_word(const support_gather *in, const mplan_owner_table *table, int64_t point,
                         int64_t code)
{
    const int32_t *pair = in->maps[0].values + code / 2 * 2;
    int64_t neighbour = pair[1 - code % 2], low = neighbour < point ? neighbour : point;
    return (int32_t)(64 * (neighbour - point) + 2 * (code / 2 - table->row_start[low]) + code % 2);
}

static void write32(const support_gather *in, mplan_owner_table *out, const int64_t *begin,
                    const int32_t *codes)
{
    const int64_t n_points = in->maps[0].n_points;
    int32_t *entries = out->entries;
    for (int64_t s = 0; s < out->n_slices; s++) {
        int64_t first, columns = support_gather_columns(out, s, &first);
        for (int64_t i = 0; i < out->rows * columns; i++) {
            int64_t row = out->rows * s + i % out->rows;
            int64_t code = code_at(out, begin, codes, n_points, row, i / out->rows);
            entries[out->rows * first + i] = code >= 0 && out->encoding == MPLAN_ENCODING_PAIR32
                                                 ? pair_word(in, out,
                                                             support_gather_point(out, row), code)
                                                 : (int32_t)code;
        }
    }
}

static void count_row_starts(const support_gather *in, mplan_owner_table *out)
{
    const int32_t *values = in->maps[0].values;
    out->row_start = zeroed(in->maps[0].n_points + 1, sizeof *out->row_start);
    for (int64_t p = 0; p <= in->maps[0].n_points; p++)
        for (int64_t e = 0; e < in->maps[0].n_rows; e++)
            out->row_start[p] += values[2 * e] < p || values[2 * e + 1] < p;
}

/* Windows for fields [f, end) of the codes of a slice: each begins at the least number that those
 * before do not reach. Returns how many there are then. */
static int32_t add_windows(const support_gather *in, const int64_t *codes, int64_t n, int32_t f,
                           int32_t end, int64_t size, int64_t *first, int32_t windows)
{
    int64_t low = -1;
    for (;;) {
        int64_t least = INT64_MAX;
        for (int64_t i = 0; i < n; i++)
            for (int32_t g = f; g < end && codes[i] >= 0; g++)
                if (field_value(in, codes[i], g) >= low && field_value(in, codes[i], g) < least)
                    least = field_value(in, codes[i], g);
        if (least == INT64_MAX || windows == 16)
            return windows;
        first[windows++] = least;
        low = least + size;
    }
}

static void write_windows(const support_gather *in, mplan_owner_table *out, const int64_t *begin,
                          const int32_t *codes, int64_t s)
{
    int64_t at, columns = support_gather_columns(out, s, &at), n = out->rows * columns, first[16];
    int64_t *all = zeroed(n, sizeof *all);
    uint16_t *slice = (uint16_t *)out->entries + out->rows * at * out->fields;
    int32_t *word = out->windows + 16 * s;
    for (int64_t i = 0; i < n; i++)
        all[i] = code_at(out, begin, codes, in->maps[0].n_points, out->rows * s + i % out->rows,
                         i / out->rows);
    int32_t near = add_windows(in, all, n, 0, 1, 2048, first, 0);
    int32_t windows = add_windows(in, all, n, 1, out->fields, 4096, first, near);
    memset(slice, 0xff, (size_t)(n * out->fields) * sizeof *slice);
    word[15] = windows;
    for (int32_t w = 0; w < windows && windows < 16; w++)
        word[w] = (int32_t)first[w];
    for (int64_t i = 0; i < n && windows < 16; i++)
        for (int32_t f = 0; f < out->fields && all[i] >= 0; f++) {
            int64_t value = field_value(in, all[i], f), w = f ? near : 0, size = f ? 4096 : 2048;
            while (value < first[w] || value >= first[w] + size)
                w++;
            value -= first[w];
            slice[field_place(out, i % out->rows, i / out->rows, f)] =
                (uint16_t)(4096 * w + (f ? value : 2 * value + all[i] % 2));
        }
    if (windows == 16) {
        word[15] = (int32_t)(-1 - out->n_plain);
        out->plain = realloc(out->plain,
                             (size_t)(out->rows * (out->n_plain + columns)) * sizeof *out->plain);
        assert_non_null(out->plain);
        for (int64_t i = 0; i < n; i++)
            out->plain[out->rows * out->n_plain + i] = (int32_t)all[i];
        out->n_plain += columns;
    }
    free(all);
}

static void write_all_windows(const support_gather *in, mplan_owner_table *out,
                              const int64_t *begin, const int32_t *codes)
{
    out->fields = fields_of(in);
    out->entries = zeroed(out->rows * out->n_columns * out->fields, 2);
    out->windows = zeroed(16 * out->n_slices, sizeof *out->windows);
    out->plain = zeroed(0, sizeof *out->plain);
    for (int64_t s = 0; s < out->n_slices; s++)
        write_windows(in, out, begin, codes, s);
}

mplan_owner_table support_gather_owner(const support_gather *in, mplan_encoding encoding,
                                       int32_t rows, uint64_t *seed)
{
    mplan_owner_table out = {.encoding = encoding, .rows = rows};
    const int64_t n_points = in->maps[0].n_points;
    int64_t *begin;
    int32_t *codes = support_gather_codes(in, &begin);
    lay_out(&out, begin, n_points, seed);
    if (encoding == MPLAN_ENCODING_INDEX16) {
        out.entries = zeroed(out.rows * out.n_columns, 2);
        out.base = zeroed(out.n_slices, sizeof *out.base);
        out.escape_offsets = zeroed(out.n_slices + 1, sizeof *out.escape_offsets);
        out.escapes = zeroed(begin[n_points], sizeof *out.escapes);
        for (int64_t s = 0; s < out.n_slices; s++)
            write_slice16(&out, begin, codes, n_points, s, seed);
    } else if (encoding == MPLAN_ENCODING_WINDOWS16) {
        write_all_windows(in, &out, begin, codes);
    } else {
        out.entries = zeroed(out.rows * out.n_columns, 4);
        if (encoding == MPLAN_ENCODING_PAIR32)
            count_row_starts(in, &out);
        write32(in, &out, begin, codes);
    }
    free(begin);
    free(codes);
    return out;
}
