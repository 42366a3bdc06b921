/* SPDX-License-Identifier: Apache-2.0 */
/* naive_variants.c - what the tables of the variants must hold: colours, launches, gather lists, records, owners */
#include "naive_plan.h"

#include <stdlib.h>
#include <string.h>

#define REFUSE(condition, sentence) \
    do {                            \
        if (condition)              \
            return sentence;        \
    } while (0)
#define U(value) ((uint32_t)(value))

/* owner[set][point]: last unit that wrote the point in the group that is looked at; groups have numbers above 0. */
typedef struct writers {
    int64_t group[NAIVE_MEMBERS];
    int64_t unit[NAIVE_MEMBERS];
} writers;

/* Notes that `unit` of `group` runs element e; whether another unit of the group writes one of its points. The
 * groups come one after the other. One table for each set: sets differ by their numbers, points by place. */
static bool meets(const naive_plan *plan, const naive_loop *loop, writers *of, int32_t e,
                  int64_t group, int64_t unit)
{
    bool met = false;
    for (int32_t m = 0; m < plan->n_maps; m++) {
        int64_t n;
        if (!naive_uses(loop, m, true))
            continue;
        const int32_t *row = naive_row(&plan->maps[m], e, &n);
        writers *table = &of[plan->maps[m].to];
        for (int64_t k = 0; k < n; k++) {
            if (row[k] < 0)
                continue;
            met = met || (table->group[row[k]] == group && table->unit[row[k]] != unit);
            table->group[row[k]] = group;
            table->unit[row[k]] = unit;
        }
    }
    return met;
}

static writers *no_writers(const naive_plan *plan)
{
    static writers table[NAIVE_RECORDS];
    for (int32_t s = 0; s < plan->n_sets; s++)
        memset(table[s].group, 0, (size_t)plan->sets[s].storage * sizeof *table[s].group);
    return table;
}

/* Launches hold units (those with a colour >= 0) colour by colour, ascending, each colour at least once. */
static const char *launches_hold(int64_t n, const int32_t *colour, int64_t n_colours,
                                 const int64_t *offsets, const int32_t *launch, int64_t listed)
{
    int64_t at = 0;
    for (int64_t c = 0; c < n_colours; c++) {
        REFUSE(offsets[c] != at, "launch offsets");
        for (int64_t i = 0; i < n; i++)
            if (colour[i] == c) {
                REFUSE(at >= listed || launch[at] != i, "launches");
                at++;
            }
        REFUSE(at == offsets[c], "a colour that is not used");
    }
    REFUSE(offsets[n_colours] != at || at != listed, "launch offsets");
    return NULL;
}

static const char *globals_hold(const naive_plan *plan, int32_t l, int32_t v)
{
    const naive_loop *loop = &plan->loops[l];
    const naive_set *set = &plan->sets[loop->set];
    const int64_t n_colours = loop->variants[v].global_colours;
    const int32_t *colour = naive_of_variant(plan, 96, l, v);
    writers *of = no_writers(plan);
    for (int64_t e = 0; e < set->storage; e++)
        REFUSE(set->old_of_new[e] < 0 ? colour[e] != -1 : colour[e] < 0 || colour[e] >= n_colours,
               "global colour");
    for (int64_t c = 0; c < n_colours; c++)
        for (int32_t e = 0; e < set->storage; e++)
            REFUSE(colour[e] == c && meets(plan, loop, of, e, c + 1, e), "elements of a colour meet");
    return launches_hold(set->storage, colour, n_colours, naive_of_variant(plan, 97, l, v),
                         naive_of_variant(plan, 98, l, v), set->size);
}

static const char *block_colours_hold(const naive_plan *plan, int32_t l, int32_t v)
{
    const naive_loop *loop = &plan->loops[l];
    const naive_variant *variant = &loop->variants[v];
    const naive_block_set *blocks = &plan->block_sets[variant->block_set];
    const int32_t *colour = naive_of_variant(plan, 82, l, v);
    writers *of = no_writers(plan);
    for (int64_t b = 0; b < blocks->n_blocks; b++)
        REFUSE(colour[b] < 0 || colour[b] >= variant->block_colours, "block colour");
    for (int64_t c = 0; c < variant->block_colours; c++)
        for (int64_t b = 0; b < blocks->n_blocks; b++)
            for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1] && colour[b] == c; p++) {
                const int32_t e = naive_element(plan, blocks, p);
                REFUSE(e >= 0 && meets(plan, loop, of, e, c + 1, b), "blocks of a colour meet");
            }
    return launches_hold(blocks->n_blocks, colour, variant->block_colours,
                         naive_of_variant(plan, 83, l, v), naive_of_variant(plan, 84, l, v),
                         blocks->n_blocks);
}

static const char *threads_hold(const naive_plan *plan, int32_t l, int32_t v)
{
    const naive_loop *loop = &plan->loops[l];
    const naive_variant *variant = &loop->variants[v];
    const naive_block_set *blocks = &plan->block_sets[variant->block_set];
    const uint16_t *colour = naive_of_variant(plan, 80, l, v),
                   *count = naive_of_variant(plan, 81, l, v);
    const int64_t positions = naive_positions(plan, blocks);
    int64_t most = 0, total = 0, group = 0;
    writers *of = no_writers(plan);
    for (int64_t p = 0; p < positions; p++)
        REFUSE((naive_element(plan, blocks, p) < 0) != (colour[p] == 65535),
               "thread colour of a hole");
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        int64_t largest = 0;
        for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++)
            if (colour[p] != 65535 && colour[p] >= largest)
                largest = colour[p] + 1;
        REFUSE(count[b] != largest, "thread colours of a block");
        for (int64_t c = 0; c < largest; c++, group++) {
            bool used = false;
            for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++) {
                const int32_t e = naive_element(plan, blocks, p);
                if (e < 0 || colour[p] != c)
                    continue;
                used = true;
                REFUSE(meets(plan, loop, of, e, group + 1, e), "threads of a colour meet");
            }
            REFUSE(!used, "a thread colour that is not used");
        }
        total += largest;
        most = largest > most ? largest : most;
    }
    REFUSE(variant->thread_max != most || variant->thread_total != total,
           "numbers of thread colours");
    return NULL;
}

static const char *gather_holds(const naive_plan *plan, int32_t l, int32_t m)
{
    const naive_map *map = &plan->maps[m];
    const naive_section *slots = naive_find(plan, 113, NAIVE_ONES, U(m), U(l), NAIVE_ONES,
                                            NAIVE_ONES);
    const int64_t *offsets = naive_find(plan, 112, NAIVE_ONES, U(m), U(l), NAIVE_ONES, NAIVE_ONES)->data;
    const int64_t *list = slots->data;
    int64_t at = 0;
    for (int32_t p = 0; p < plan->sets[map->to].storage; p++) {
        REFUSE(offsets[p] != at, "gather offsets");
        for (int64_t i = 0; i < map->n_entries; i++)
            if (map->values[i] == p) {
                REFUSE(at >= slots->rows || list[at] != i, "gather slots");
                at++;
            }
    }
    REFUSE(offsets[plan->sets[map->to].storage] != at || at != slots->rows, "gather offsets");
    return NULL;
}

/* --- block-gather --- */

typedef struct shared_points {
    int64_t blocks[NAIVE_MEMBERS]; /* that increment the point */
    int64_t first[NAIVE_MEMBERS];  /* partial slot of the first of them; -1 */
    int64_t seen[NAIVE_MEMBERS];   /* of them so far */
} shared_points;

static bool increments(const naive_plan *plan, const naive_gathering *g,
                       const naive_block_set *blocks, int64_t b, int32_t point)
{
    for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++) {
        const int32_t e = naive_element(plan, blocks, p);
        for (int64_t c = 0; c < g->columns && e >= 0; c++)
            if (naive_column(plan, g, e, c) == point)
                return true;
    }
    return false;
}

static const char *shared_hold(const naive_plan *plan, const naive_gathering *g, int32_t l,
                               int32_t v, shared_points *out)
{
    const naive_variant *variant = &plan->loops[l].variants[v];
    const naive_block_set *blocks = &plan->block_sets[variant->block_set];
    const bool partial = variant->sums == 0;
    const int32_t *points = partial ? naive_of_variant(plan, 130, l, v) : NULL;
    const int64_t *offsets = partial ? naive_of_variant(plan, 131, l, v) : NULL;
    const int64_t n = partial ? naive_rows_of_variant(plan, 130, l, v) : 0;
    int64_t i = 0, slots = 0;
    REFUSE(partial && naive_rows_of_variant(plan, 131, l, v) != n + 1, "rows of partial offsets");
    REFUSE(partial && offsets[0] != 0, "partial offsets");
    for (int32_t p = 0; p < plan->sets[g->target].storage; p++) {
        out->blocks[p] = out->seen[p] = 0;
        out->first[p] = -1;
        for (int64_t b = 0; b < blocks->n_blocks; b++)
            out->blocks[p] += increments(plan, g, blocks, b, p);
        if (!partial || out->blocks[p] < 2)
            continue;
        out->first[p] = slots;
        slots += out->blocks[p];
        REFUSE(i >= n || points[i] != p || offsets[i + 1] != slots, "partial points or offsets");
        i++;
    }
    REFUSE(i != n || variant->partial_sums != slots, "number of partial sums");
    return NULL;
}

static int64_t up16(int64_t n)
{
    return (n + 15) / 16 * 16;
}

/* One record, made anew and compared. room: of the record. */
static const char *record_holds(const naive_plan *plan, const naive_gathering *g,
                                const naive_variant *variant, int64_t b, const uint8_t *record,
                                int64_t size, shared_points *shared)
{
    static uint8_t made[1 << 20];
    static int64_t used = sizeof made; /* bytes that the last record may have left */
    static int32_t points[NAIVE_MEMBERS];
    const naive_block_set *blocks = &plan->block_sets[variant->block_set];
    const int64_t n = blocks->offsets[b + 1] - blocks->offsets[b], padded = (n + 7) / 8 * 8;
    int64_t n_points = 0, at = 32;
    for (int32_t p = 0; p < plan->sets[g->target].storage; p++) {
        bool touched = false;
        for (int64_t i = 0; i < n && !touched; i++) {
            const int32_t e = naive_element(plan, blocks, blocks->offsets[b] + i);
            for (int64_t c = 0; c < g->local_columns && e >= 0; c++)
                touched = touched || naive_column(plan, g, e, c) == p;
        }
        if (touched)
            points[n_points++] = p;
    }
    REFUSE(g->columns * padded > 65535, "record too large");
    memset(made, 0, (size_t)used);
    memcpy(made + 32, points, (size_t)n_points * 4);
    at = up16(32 + 4 * n_points);
    uint16_t *local = (uint16_t *)(void *)(made + at);
    for (int64_t c = 0; c < g->local_columns; c++)
        for (int64_t i = 0; i < padded; i++) {
            const int32_t e = i < n ? naive_element(plan, blocks, blocks->offsets[b] + i) : -1;
            const int32_t point = e < 0 ? -1 : naive_column(plan, g, e, c);
            local[c * padded + i] = 65535;
            for (int64_t k = 0; k < n_points && point >= 0; k++)
                if (points[k] == point)
                    local[c * padded + i] = (uint16_t)k;
        }
    const int64_t starts_at = at + up16(2 * g->local_columns * padded);
    uint16_t *starts = (uint16_t *)(void *)(made + starts_at);
    const int64_t entries_at = starts_at + up16(2 * (n_points + 1));
    uint16_t *entries = (uint16_t *)(void *)(made + entries_at);
    int64_t n_entries = 0;
    for (int64_t k = 0; k < n_points; k++) {
        for (int64_t i = 0; i < g->columns * padded; i++)
            if (local[i] == k)
                entries[n_entries++] = (uint16_t)i;
        starts[k + 1] = (uint16_t)n_entries;
    }
    int64_t end = entries_at + up16(2 * n_entries), partial_at = 0;
    if (variant->sums == 0) {
        partial_at = end;
        int32_t *partial = (int32_t *)(void *)(made + end);
        for (int64_t k = 0; k < n_points; k++) {
            const int32_t p = points[k];
            const bool mine = starts[k + 1] > starts[k] && shared->first[p] >= 0;
            partial[k] = mine ? (int32_t)(shared->first[p] + shared->seen[p]++) : -1;
        }
        end += up16(4 * n_points);
    }
    used = end;
    const uint32_t header[] = {U(end),       U(n),          U(n_points),   U(blocks->offsets[b]),
                               U(starts_at), U(entries_at), U(partial_at), U(n_entries)};
    memcpy(made, header, sizeof header);
    REFUSE(size != end || memcmp(made, record, (size_t)end) != 0, "record of a block");
    return NULL;
}

static const char *records_hold(const naive_plan *plan, int32_t l, int32_t v)
{
    static shared_points shared;
    naive_gathering g;
    const naive_loop *loop = &plan->loops[l];
    const naive_variant *variant = &loop->variants[v];
    const naive_block_set *blocks = &plan->block_sets[variant->block_set];
    const int64_t *offsets = naive_of_variant(plan, 128, l, v);
    const uint8_t *records = naive_of_variant(plan, 129, l, v);
    int64_t most = 0, sizes = 0;
    naive_gathers(plan, loop, &g);
    REFUSE(!naive_is_list(offsets, blocks->n_blocks, naive_rows_of_variant(plan, 129, l, v)),
           "offsets of records");
    const char *why = shared_hold(plan, &g, l, v, &shared);
    REFUSE(why, why);
    for (uint32_t a = 0; a < loop->n_args; a++) {
        bool again = loop->args[a].map < 0 || loop->args[a].access != NAIVE_INC;
        for (uint32_t o = 0; o < a; o++)
            again = again || (loop->args[o].map >= 0 && loop->args[o].access == NAIVE_INC &&
                              naive_same_text(loop->args[o].dat, loop->args[a].dat));
        sizes += again ? 0 : loop->args[a].dim * naive_type_size(loop->args[a].type);
    }
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t size = offsets[b + 1] - offsets[b];
        const int64_t padded = (blocks->offsets[b + 1] - blocks->offsets[b] + 7) / 8 * 8;
        why = record_holds(plan, &g, variant, b, records + offsets[b], size, &shared);
        REFUSE(why, why);
        const int64_t bytes = size + padded * g.columns * sizes;
        most = bytes > most ? bytes : most;
    }
    REFUSE(variant->shared != most, "staged bytes of records");
    return variant->sums == 2 ? block_colours_hold(plan, l, v) : NULL;
}

/* --- owner-gather --- */

/* Entries of a point, ascending by element and column; returns how many. */
static int64_t entries_of(const naive_plan *plan, const naive_gathering *g, int64_t storage,
                          int64_t point, int64_t *codes)
{
    int64_t n = 0;
    for (int32_t e = 0; e < storage; e++)
        for (int64_t c = 0; c < g->columns; c++)
            if (naive_column(plan, g, e, c) == point) {
                if (codes)
                    codes[n] = e * g->columns + c;
                n++;
            }
    return n;
}

typedef struct owner {
    const naive_plan *plan;
    const naive_variant *variant;
    naive_gathering g;
    const void *entries;
    const int32_t *base, *escapes, *row_start;
    const int64_t *escape_offsets;
    int64_t n_points, storage;
} owner;

/* Code of a word of a row of `point`; -1: none; -2: wrong. */
static int64_t code_of(const owner *in, int64_t at, int64_t slice, int64_t point)
{
    if (in->variant->encoding == 1)
        return ((const int32_t *)in->entries)[at];
    if (in->variant->encoding == 2) {
        const int64_t word = ((const uint16_t *)in->entries)[at], first = in->escape_offsets[slice];
        const int64_t n = in->escape_offsets[slice + 1] - first;
        if (word == 65535)
            return -1;
        return word >= 65535 - n ? in->escapes[first + 65534 - word] : in->base[slice] + word;
    }
    const int32_t word = ((const int32_t *)in->entries)[at];
    if (word == -1)
        return -1;
    const int64_t column = word & 1, rank = word >> 1 & 31, neighbour = point + (word >> 6);
    if (neighbour < 0 || neighbour >= in->n_points || rank > 30)
        return -2;
    const int64_t e = in->row_start[point < neighbour ? point : neighbour] + rank;
    if (e < 0 || e >= in->storage ||
        naive_column(in->plan, &in->g, (int32_t)e, 1 - column) != neighbour)
        return -2;
    return 2 * e + column;
}

static const char *window_holds(const owner *in, const uint8_t *own, int64_t n_rows,
                                const int64_t *valence, int64_t *point_of_row)
{
    for (int64_t r = 0; r < n_rows; r++) {
        const int64_t point = point_of_row[r] = own ? r / 256 * 256 + own[r] : r;
        REFUSE(own && r >= in->n_points && own[r] != 0, "rows that are not points");
        REFUSE(r < in->n_points && point >= in->n_points, "a row of no point");
        const int64_t before = r % 256 ? point_of_row[r - 1] : -1;
        REFUSE(own && before >= 0 && r < in->n_points &&
                   (valence[before] < valence[point] ||
                    (valence[before] == valence[point] && before >= point)),
               "order of a window");
    }
    return NULL;
}

/* Slice s against the entries of its 32 rows; columns [first, end). */
static const char *slice_holds(const owner *in, int64_t s, int64_t first, int64_t end,
                               const int64_t *point_of_row, const int64_t *valence, int64_t *escapes)
{
    int64_t longest = 0;
    bool based = false;
    static int64_t of_rows[32][1024];
    for (int64_t lane = 0; lane < 32; lane++) {
        const int64_t r = 32 * s + lane, n = r < in->n_points ? valence[point_of_row[r]] : 0;
        REFUSE(n > 1024, NAIVE_TOO_LARGE);
        if (n)
            entries_of(in->plan, &in->g, in->storage, point_of_row[r], of_rows[lane]);
        longest = n > longest ? n : longest;
    }
    REFUSE(!in->variant->width && end - first != longest, "columns of a slice");
    for (int64_t k = 0; k < end - first; k++)
        for (int64_t lane = 0; lane < 32; lane++) {
            const int64_t r = 32 * s + lane, n = r < in->n_points ? valence[point_of_row[r]] : 0;
            const int64_t at = 32 * (first + k) + lane,
                          code = code_of(in, at, s, r < in->n_points ? point_of_row[r] : r);
            REFUSE(code != (k < n ? of_rows[lane][k] : -1), "entry of owner-gather");
            if (in->variant->encoding == 2) {
                const int64_t word = ((const uint16_t *)in->entries)[at];
                const int64_t escaped = in->escape_offsets[s + 1] - in->escape_offsets[s];
                if (word < 65535 && word >= 65535 - escaped) {
                    REFUSE(65534 - word != *escapes, "number of an escape");
                    ++*escapes;
                } else {
                    based = based || word < 65535;
                }
            }
        }
    REFUSE(in->variant->encoding == 2 && *escapes != in->escape_offsets[s + 1] - in->escape_offsets[s],
           "escapes");
    REFUSE(in->variant->encoding == 2 && !based && in->base[s] != 0,
           "a base that nothing counts from");
    return NULL;
}

static const char *direct_args_hold(const naive_plan *plan, const owner *in, const naive_loop *loop)
{
    bool written = false;
    for (uint32_t a = 0; a < loop->n_args; a++) {
        const naive_arg *arg = &loop->args[a];
        written = written || (arg->map < 0 && arg->access == NAIVE_WRITE);
    }
    for (int32_t e = 0; e < in->storage && written; e++) {
        bool entry = plan->sets[loop->set].old_of_new[e] < 0;
        for (int64_t c = 0; c < in->g.columns; c++)
            entry = entry || naive_column(plan, &in->g, e, c) >= 0;
        REFUSE(!entry, "an element that no point computes");
    }
    return NULL;
}

/* pair32: one increment map of arity 2, no -1, no holes, elements by their lower point; row_start counts them. */
static const char *pairs_hold(const naive_plan *plan, const owner *in, const naive_loop *loop)
{
    int64_t last = -1;
    REFUSE(in->g.n_maps != 1 || in->g.columns != 2 || plan->sets[loop->set].size != in->storage,
           "pair32");
    for (int32_t e = 0; e < in->storage; e++) {
        const int64_t a = naive_column(plan, &in->g, e, 0), b = naive_column(plan, &in->g, e, 1);
        REFUSE(a < 0 || b < 0 || (a < b ? a : b) < last, "pair32: order of the elements");
        last = a < b ? a : b;
    }
    for (int64_t p = 0; p <= in->n_points; p++) {
        int64_t below = 0;
        for (int32_t e = 0; e < in->storage; e++) {
            const int64_t a = naive_column(plan, &in->g, e, 0), b = naive_column(plan, &in->g, e, 1);
            below += (a < b ? a : b) < p;
        }
        REFUSE(in->row_start[p] != below, "row_start");
    }
    return NULL;
}

static const char *owners_hold(const naive_plan *plan, int32_t l, int32_t v)
{
    const naive_loop *loop = &plan->loops[l];
    const naive_variant *variant = &loop->variants[v];
    static int64_t valence[NAIVE_MEMBERS], point_of_row[NAIVE_MEMBERS + 32];
    owner in = {.plan = plan,
                .variant = variant,
                .entries = naive_of_variant(plan, 145, l, v),
                .base = naive_of_variant(plan, 146, l, v),
                .escapes = naive_of_variant(plan, 148, l, v),
                .row_start = naive_of_variant(plan, 149, l, v),
                .escape_offsets = naive_of_variant(plan, 147, l, v),
                .storage = plan->sets[loop->set].storage};
    naive_gathers(plan, loop, &in.g);
    in.n_points = plan->sets[in.g.target].storage;
    const int64_t slices = (in.n_points + 31) / 32, rows = naive_rows_of_variant(plan, 145, l, v);
    const int64_t *columns = naive_of_variant(plan, 144, l, v);
    const char *why = direct_args_hold(plan, &in, loop);
    REFUSE(why, why);
    int64_t longest = 0;
    for (int64_t p = 0; p < in.n_points; p++) {
        valence[p] = entries_of(plan, &in.g, in.storage, p, NULL);
        longest = valence[p] > longest ? valence[p] : longest;
    }
    REFUSE(variant->width != (longest >= 1 && longest <= 4 ? longest : 0), "width");
    why = window_holds(&in, variant->window ? naive_of_variant(plan, 150, l, v) : NULL, 32 * slices,
                       valence, point_of_row);
    REFUSE(why, why);
    REFUSE(!variant->width && (rows % 32 || !naive_is_list(columns, slices, rows / 32)),
           "offsets of slices");
    REFUSE(variant->encoding == 2 &&
               !naive_is_list(in.escape_offsets, slices, naive_rows_of_variant(plan, 148, l, v)),
           "escapes");
    why = variant->encoding == 3 ? pairs_hold(plan, &in, loop) : NULL;
    for (int64_t s = 0; s < slices && !why; s++) {
        int64_t escapes = 0;
        why = slice_holds(&in, s, variant->width ? s * variant->width : columns[s],
                          variant->width ? (s + 1) * variant->width : columns[s + 1], point_of_row,
                          valence, &escapes);
    }
    return why;
}

/* --- variants --- */

static bool writes_through_maps(const naive_loop *loop)
{
    for (uint32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != NAIVE_READ)
            return true;
    return false;
}

static const char *record_of_variant_holds(const naive_plan *plan, int32_t l, const naive_variant *v)
{
    const bool blocks = v->strategy == BLOCK_COLOUR, gathers = v->strategy == BLOCK_GATHER;
    REFUSE(v->threads < 1 || v->elements_per_thread < 1, "threads");
    REFUSE(v->block_set < 0 ? v->block_limit > 1024
                            : v->block_limit != plan->block_sets[v->block_set].limit,
           "block limit");
    REFUSE(v->deterministic && writes_through_maps(&plan->loops[l]) &&
               (v->strategy == ATOMIC || (gathers && v->sums == 1)),
           "promise of equal bits");
    REFUSE(!gathers && v->shared != (blocks ? naive_staged_max(plan, l, v->block_set) : 0),
           "staged bytes");
    REFUSE(!blocks && (v->thread_max || v->thread_total), "thread colours");
    REFUSE(!blocks && !(gathers && v->sums == 2) && v->block_colours, "block colours");
    REFUSE(v->strategy != GLOBAL_COLOUR && v->global_colours, "global colours");
    REFUSE(!(gathers && v->sums == 0) && v->partial_sums, "partial sums");
    return NULL;
}

const char *naive_variants_hold(const naive_plan *plan, int32_t l)
{
    const naive_loop *loop = &plan->loops[l];
    bool two_step = false;
    for (uint32_t i = 0; i < loop->n_variants; i++) {
        const int32_t v = (int32_t)i;
        const naive_variant *variant = &loop->variants[i];
        const char *why = record_of_variant_holds(plan, l, variant);
        if (!why && variant->strategy == GLOBAL_COLOUR)
            why = globals_hold(plan, l, v);
        if (!why && variant->strategy == BLOCK_COLOUR)
            why = threads_hold(plan, l, v);
        if (!why && variant->strategy == BLOCK_COLOUR)
            why = block_colours_hold(plan, l, v);
        if (!why && variant->strategy == BLOCK_GATHER)
            why = records_hold(plan, l, v);
        if (!why && variant->strategy == OWNER_GATHER)
            why = owners_hold(plan, l, v);
        REFUSE(why, why);
        two_step = two_step || variant->strategy == TWO_STEP;
    }
    for (int32_t m = 0; m < plan->n_maps && two_step; m++)
        if (naive_uses(loop, m, true)) {
            const char *why = gather_holds(plan, l, m);
            REFUSE(why, why);
        }
    return NULL;
}
