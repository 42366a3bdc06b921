/* SPDX-License-Identifier: Apache-2.0 */
/* support_bind.c - what binding may accept, said a second time and plainly */
#include "support_bind.h"

#include "support_check.h"

typedef struct model {
    const mplan_plan *plan;
    const mplan_plan_loop *loop;
    const mplan_plan_variant *variant;
    int32_t l, v;
    bool complete;
} model;

static const mplan_array *array(const model *m, mplan_key key)
{
    const mplan_array *found = mplan_plan_find_array(m->plan, &key);
    assert_non_null(found);
    return found;
}

static const mplan_array *own(const model *m, mplan_kind kind)
{
    return array(m, mplan_key_of_variant(kind, m->l, m->v));
}

static int64_t count(const mplan_array *list)
{
    return list->rows * list->cols;
}

static bool within(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value < high;
}

static bool all_within(const mplan_array *list, int64_t low, int64_t high)
{
    for (int64_t i = 0; i < count(list); i++)
        if (!within(get(list, i), low, high))
            return false;
    return true;
}

/* Differences are looked at only where both ends are in range, so none overflows. */
static bool cuts(const mplan_array *offsets, int64_t end, int64_t most)
{
    int64_t n = count(offsets);
    if (n == 0 || get(offsets, 0) != 0 || get(offsets, n - 1) != end)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (!within(get(offsets, i), 0, end + 1))
            return false;
    for (int64_t i = 0; i + 1 < n; i++) {
        int64_t length = get(offsets, i + 1) - get(offsets, i);
        if (length < 0 || length > most)
            return false;
    }
    return true;
}

static bool hole(const model *m, int64_t element)
{
    const mplan_plan_set *set = &m->plan->sets[m->loop->set];
    if (set->size == set->storage_size)
        return false;
    return get(array(m, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, m->loop->set)), element) < 0;
}

static bool maps_complete(const model *m)
{
    for (int32_t a = 0; a < m->loop->n_args; a++) {
        int32_t map = m->loop->args[a].map;
        if (map < 0)
            continue;
        const mplan_array *values = array(m, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, map));
        for (int64_t e = 0; e < values->rows; e++)
            for (int64_t s = 0; s < values->cols; s++)
                if (!hole(m, e) && get(values, e * values->cols + s) == -1)
                    return false;
    }
    return true;
}

static bool maps_allowed(const model *m)
{
    for (int32_t a = 0; a < m->loop->n_args; a++) {
        int32_t map = m->loop->args[a].map;
        if (map >= 0 && !all_within(array(m, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, map)), -1,
                                    m->plan->sets[m->plan->maps[map].to].storage_size))
            return false;
    }
    return true;
}

static bool launches_allowed(const model *m, mplan_kind offsets, mplan_kind list, int64_t n)
{
    return all_within(own(m, list), 0, n) && cuts(own(m, offsets), count(own(m, list)), INT64_MAX);
}

/* --- blocks ------------------------------------------------------------------------ */

static const mplan_array *block_offsets(const model *m)
{
    return array(m, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, m->variant->block_set));
}

static int64_t element(const model *m, int64_t position)
{
    int32_t b = m->variant->block_set;
    if (!m->plan->block_sets[b].sequence)
        return position;
    return get(array(m, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b)), position);
}

static bool blocks_allowed(const model *m)
{
    int32_t b = m->variant->block_set;
    const mplan_plan_block_set *blocks = &m->plan->block_sets[b];
    const mplan_plan_set *set = &m->plan->sets[m->loop->set];
    int64_t positions = blocks->sequence ? set->size : set->storage_size;
    if (!cuts(block_offsets(m), blocks->n_blocks ? positions : 0, INT64_MAX))
        return false;
    return !blocks->sequence ||
           all_within(array(m, mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b)), 0,
                      set->storage_size);
}

static bool colours_allowed(const model *m)
{
    const mplan_array *offsets = block_offsets(m), *colour = own(m, MPLAN_KIND_THREAD_COLOURS);
    const mplan_array *n_colours = own(m, MPLAN_KIND_BLOCK_THREAD_COLOURS);
    for (int64_t b = 0; b < m->plan->block_sets[m->variant->block_set].n_blocks; b++) {
        int64_t begin = get(offsets, b), end = get(offsets, b + 1);
        if (get(n_colours, b) > end - begin)
            return false;
        for (int64_t i = begin; i < end; i++)
            if (get(colour, i) != 65535 &&
                (get(colour, i) >= get(n_colours, b) || hole(m, element(m, i))))
                return false;
    }
    return true;
}

static bool locals_allowed(const model *m, int32_t map)
{
    int32_t b = m->variant->block_set, to = m->plan->maps[map].to;
    const mplan_array *local = array(m, mplan_key_of_block_local(b, m->l, map));
    const mplan_array *colour = own(m, MPLAN_KIND_THREAD_COLOURS), *offsets = block_offsets(m);
    const mplan_array *points = array(m, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, b, m->l,
                                                                   to));
    const mplan_array *begin = array(m, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, b,
                                                                  m->l, to));
    int64_t most = 0;
    for (int32_t i = 0; i < m->plan->n_metrics; i++) {
        const mplan_block_metrics *metrics = &m->plan->metrics[i];
        if (metrics->loop == m->l && metrics->block_set == b && metrics->set == to)
            most = metrics->points_max;
    }
    if (!all_within(points, 0, m->plan->sets[to].storage_size) || !cuts(begin, count(points), most))
        return false;
    for (int64_t k = 0; k < m->plan->block_sets[b].n_blocks; k++)
        for (int64_t i = get(offsets, k); i < get(offsets, k + 1); i++)
            for (int64_t s = 0; s < local->cols; s++) {
                int64_t id = get(local, i * local->cols + s), n = get(begin, k + 1) - get(begin, k);
                bool looked_at = !m->complete || get(colour, i) == 65535;
                if (id == 65535 ? !looked_at : id >= n)
                    return false;
            }
    return true;
}

static bool block_colour_allowed(const model *m)
{
    bool all = blocks_allowed(m) &&
               launches_allowed(m, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_KIND_BLOCK_LAUNCH,
                                m->plan->block_sets[m->variant->block_set].n_blocks) &&
               colours_allowed(m);
    for (int32_t a = 0; a < m->loop->n_args; a++)
        if (m->loop->args[a].map >= 0)
            all = all && locals_allowed(m, m->loop->args[a].map);
    return all;
}

/* --- block-gather ------------------------------------------------------------------- */

static int64_t u16_at(const uint8_t *from, int64_t i)
{
    return from[2 * i] | from[2 * i + 1] << 8;
}

static int64_t i32_at(const uint8_t *from, int64_t i)
{
    return (int32_t)((uint32_t)u16_at(from, 2 * i) | (uint32_t)u16_at(from, 2 * i + 1) << 16);
}

static int64_t u32_at(const uint8_t *from, int64_t i)
{
    return (uint32_t)i32_at(from, i);
}

static int64_t next16(int64_t bytes)
{
    return bytes % 16 ? bytes + 16 - bytes % 16 : bytes;
}

static bool record_allowed(const model *m, const mplan_increments *about, int64_t b)
{
    const mplan_array *at = own(m, MPLAN_KIND_BLOCK_RECORD_OFFSETS), *offsets = block_offsets(m);
    const int64_t bytes = get(at, b + 1) - get(at, b), first = get(offsets, b);
    const int64_t n = get(offsets, b + 1) - first, n_padded = n % 8 ? n + 8 - n % 8 : n;
    const uint8_t *record = (const uint8_t *)own(m, MPLAN_KIND_BLOCK_RECORDS)->data + get(at, b);
    const bool partial = m->variant->sums == MPLAN_SUMS_PARTIAL;
    if (get(at, b) % 16 != 0 || bytes < 32)
        return false;
    const int64_t n_points = u32_at(record, 2), n_entries = u32_at(record, 7);
    if (n_points > 65535 || n_entries > 65535)
        return false;
    const int64_t local = 32 + next16(4 * n_points);
    const int64_t starts = local + next16(2 * n_padded * about->local_columns);
    const int64_t entries = starts + next16(2 * n_points + 2);
    const int64_t sums = entries + next16(2 * n_entries);
    const int64_t expected[8] = {sums + (partial ? next16(4 * n_points) : 0),
                                 n,
                                 n_points,
                                 first,
                                 starts,
                                 entries,
                                 partial ? sums : 0,
                                 n_entries};
    if (bytes != expected[0])
        return false;
    for (int64_t k = 0; k < 8; k++)
        if (u32_at(record, k) != expected[k])
            return false;
    for (int64_t k = 0; k < n_points; k++) {
        if (!within(i32_at(record + 32, k), 0, m->plan->sets[about->set].storage_size))
            return false;
        if (partial && !within(i32_at(record + sums, k), -1, m->variant->partial_sums))
            return false;
        if (u16_at(record + starts, k) > u16_at(record + starts, k + 1))
            return false;
    }
    if (u16_at(record + starts, 0) != 0 || u16_at(record + starts, n_points) != n_entries)
        return false;
    for (int64_t c = 0; c < about->local_columns; c++)
        for (int64_t i = 0; i < n_padded; i++) {
            int64_t id = u16_at(record + local, c * n_padded + i);
            bool runs = i < n && !hole(m, element(m, first + i));
            if (id == 65535 ? m->complete && runs : id >= n_points)
                return false;
        }
    for (int64_t j = 0; j < n_entries; j++) {
        int64_t entry = u16_at(record + entries, j);
        if (n == 0 || entry / n_padded >= about->columns || entry % n_padded >= n)
            return false;
    }
    return true;
}

static bool block_gather_allowed(const model *m, const mplan_increments *about)
{
    const int64_t n_blocks = m->plan->block_sets[m->variant->block_set].n_blocks;
    const int64_t sums = m->variant->partial_sums;
    if (!blocks_allowed(m) || !within(sums, 0, INT64_C(1) << 31) ||
        !cuts(own(m, MPLAN_KIND_BLOCK_RECORD_OFFSETS), count(own(m, MPLAN_KIND_BLOCK_RECORDS)),
              INT32_MAX))
        return false;
    for (int64_t b = 0; b < n_blocks; b++)
        if (!record_allowed(m, about, b))
            return false;
    if (m->variant->sums == MPLAN_SUMS_COLOUR)
        return launches_allowed(m, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_KIND_BLOCK_LAUNCH,
                                n_blocks);
    if (m->variant->sums != MPLAN_SUMS_PARTIAL)
        return true;
    const mplan_array *points = own(m, MPLAN_KIND_PARTIAL_POINTS);
    const mplan_array *offsets = own(m, MPLAN_KIND_PARTIAL_OFFSETS);
    return all_within(points, 0, m->plan->sets[about->set].storage_size) &&
           cuts(offsets, sums, INT64_MAX) && count(offsets) == count(points) + 1;
}

/* --- owner-gather ---------------------------------------------------------------------- */

/* Whether a code leads to an element that is there. */
static bool code_allowed(const model *m, const mplan_increments *about, int64_t code)
{
    return within(code, 0, m->plan->sets[m->loop->set].storage_size * about->columns) &&
           !hole(m, code / about->columns);
}

static bool pair_allowed(const model *m, const mplan_increments *about, int64_t word, int64_t p)
{
    const mplan_array *start = own(m, MPLAN_KIND_OWNER_ROW_START);
    const int64_t n_points = m->plan->sets[about->set].storage_size;
    int64_t low = (word % 64 + 64) % 64, neighbour = p + (word - low) / 64;
    if (word == -1)
        return true;
    if (!within(p, 0, n_points) || !within(neighbour, 0, n_points))
        return false;
    int64_t e = get(start, neighbour < p ? neighbour : p) + low / 2;
    return within(e, 0, m->plan->sets[m->loop->set].storage_size) && !hole(m, e);
}

/* Rows of a slice. */
static int64_t slice_rows(const model *m)
{
    return m->variant->slice_rows ? 64 : 32;
}

static bool entry_allowed(const model *m, const mplan_increments *about, int64_t slice, int64_t i)
{
    const int64_t n_points = m->plan->sets[about->set].storage_size;
    int64_t value = get(own(m, MPLAN_KIND_OWNER_ENTRIES), i),
            r = slice_rows(m) * slice + i % slice_rows(m), p = r;
    switch (m->variant->encoding) {
    case MPLAN_ENCODING_INDEX32: return value == -1 || code_allowed(m, about, value);
    case MPLAN_ENCODING_INDEX16: {
        const mplan_array *escapes = own(m, MPLAN_KIND_OWNER_ESCAPE_OFFSETS);
        if (value >= 65535 - (get(escapes, slice + 1) - get(escapes, slice)))
            return true; /* none, or an escape of the slice */
        return code_allowed(m, about, get(own(m, MPLAN_KIND_OWNER_BASE), slice) + value);
    }
    default:
        if (m->variant->window && r < n_points)
            p = r - r % 256 + get(own(m, MPLAN_KIND_OWNER_POINTS), r);
        return pair_allowed(m, about, value, r < n_points ? p : n_points);
    }
}

/* What number f of an entry of windows16 may lead to: members of a set, and, of elements, no holes. */
static bool number_allowed(const model *m, const mplan_increments *about, int64_t f, int64_t value)
{
    bool direct = false;
    int64_t next = 1;
    for (int32_t a = 0; a < m->loop->n_args; a++)
        direct = direct || m->loop->args[a].map < 0;
    if (f == 0)
        return within(value, 0, m->plan->sets[about->set].storage_size);
    if (direct && f == next++)
        return within(value, 0, m->plan->sets[m->loop->set].storage_size) && !hole(m, value);
    for (int32_t a = 0; a < m->loop->n_args; a++) {
        const int32_t map = m->loop->args[a].map;
        bool skip = map < 0;
        for (int32_t o = 0; o < m->loop->n_args; o++)
            skip = skip ||
                   (m->loop->args[o].map == map && (o < a || m->loop->args[o].access == MPLAN_INC));
        if (skip)
            continue;
        if (f < next + m->plan->maps[map].arity)
            return within(value, 0, m->plan->sets[m->plan->maps[map].to].storage_size);
        next += m->plan->maps[map].arity;
    }
    return false;
}

/* Slice s of windows16, whose columns are [begin, end). */
static bool windows_allowed(const model *m, const mplan_increments *about, int64_t s, int64_t begin,
                            int64_t end)
{
    const mplan_array *words = own(m, MPLAN_KIND_OWNER_WINDOWS),
                      *plain = own(m, MPLAN_KIND_OWNER_PLAIN);
    const mplan_array *entries = own(m, MPLAN_KIND_OWNER_ENTRIES);
    const int64_t n_points = m->plan->sets[about->set].storage_size, fields = about->fields;
    const int64_t last = get(words, 16 * s + 15),
                  width = m->variant->width && !m->variant->entry_layout ? m->variant->width : 1;
    int64_t together = 1;
    while (together < 8 && fields * width % (2 * together) == 0)
        together *= 2;
    if (last > 15 || (last < 0 && -1 - last + end - begin > count(plain) / slice_rows(m)))
        return false;
    for (int64_t k = 0; k < end - begin; k++)
        for (int64_t lane = 0; lane < slice_rows(m); lane++) {
            const bool real = slice_rows(m) * s + lane < n_points;
            if (last < 0) {
                int64_t code = get(plain, slice_rows(m) * (-1 - last + k) + lane);
                if (code != -1 && !(real && code_allowed(m, about, code)))
                    return false;
                continue;
            }
            for (int64_t f = 0; f < fields; f++) {
                int64_t i = k * fields + f,
                        at = slice_rows(m) * (fields * begin + i / together * together);
                int64_t field = get(entries, at + lane * together + i % together);
                if (f == 0 && field == 65535)
                    break;
                if (!real || field / 4096 >= last ||
                    !number_allowed(m, about, f,
                                    get(words, 16 * s + field / 4096) +
                                        (f ? field % 4096 : field % 4096 / 2)))
                    return false;
            }
        }
    return true;
}

static bool owner_gather_allowed(const model *m, const mplan_increments *about)
{
    const bool windows = m->variant->encoding == MPLAN_ENCODING_WINDOWS16;
    const int64_t n_points = m->plan->sets[about->set].storage_size;
    const int64_t n_entries = count(own(m, MPLAN_KIND_OWNER_ENTRIES));
    const int64_t n_elements = m->plan->sets[m->loop->set].storage_size;
    if (m->variant->width == 0 &&
        !cuts(own(m, MPLAN_KIND_OWNER_OFFSETS),
              n_entries / slice_rows(m) / (windows ? about->fields : 1), INT64_MAX))
        return false;
    for (int64_t r = 0; m->variant->window && r < n_points; r++)
        if (r - r % 256 + get(own(m, MPLAN_KIND_OWNER_POINTS), r) >= n_points)
            return false;
    if (m->variant->encoding == MPLAN_ENCODING_INDEX16) {
        const mplan_array *escapes = own(m, MPLAN_KIND_OWNER_ESCAPES);
        for (int64_t i = 0; i < count(escapes); i++)
            if (!code_allowed(m, about, get(escapes, i)))
                return false;
        if (!cuts(own(m, MPLAN_KIND_OWNER_ESCAPE_OFFSETS), count(escapes), 65535))
            return false;
    }
    if (m->variant->encoding == MPLAN_ENCODING_PAIR32 &&
        (about->n_maps != 1 || about->columns != 2 ||
         !all_within(own(m, MPLAN_KIND_OWNER_ROW_START), 0, n_elements + 1)))
        return false;
    if (windows && (about->n_maps != 1 || about->columns != 2 || m->variant->threads % 32 != 0))
        return false;
    for (int64_t s = 0; slice_rows(m) * s < n_points; s++) {
        int64_t width = m->variant->width;
        int64_t begin = width ? s * width : get(own(m, MPLAN_KIND_OWNER_OFFSETS), s);
        int64_t end = width ? begin + width : get(own(m, MPLAN_KIND_OWNER_OFFSETS), s + 1);
        if (windows && !windows_allowed(m, about, s, begin, end))
            return false;
        for (int64_t i = slice_rows(m) * begin; i < slice_rows(m) * end && !windows; i++)
            if (!entry_allowed(m, about, s, i))
                return false;
    }
    return true;
}

/* --- all --------------------------------------------------------------------------------- */

static bool gathers_allowed(const model *m)
{
    for (int32_t a = 0; a < m->loop->n_args; a++) {
        int32_t map = m->loop->args[a].map;
        if (map < 0 || m->loop->args[a].access != MPLAN_INC)
            continue;
        const mplan_array *slots = array(m, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, m->l, map));
        if (!all_within(slots, 0, m->plan->maps[map].n_entries) ||
            !cuts(array(m, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, m->l, map)), count(slots),
                  INT64_MAX))
            return false;
    }
    return true;
}

static model model_of(const mplan_plan *plan, int32_t l, int32_t v)
{
    model m = {plan, &plan->loops[l], &plan->loops[l].variants[v], l, v, false};
    m.complete = maps_complete(&m);
    return m;
}

bool support_bind_complete(const mplan_plan *plan, int32_t loop)
{
    return model_of(plan, loop, 0).complete;
}

int64_t support_bind_longest(const mplan_plan *plan, int32_t loop, int32_t variant)
{
    const model m = model_of(plan, loop, variant);
    int64_t longest = 0;
    if (m.variant->strategy != MPLAN_STRATEGY_BLOCK_COLOUR &&
        m.variant->strategy != MPLAN_STRATEGY_BLOCK_GATHER)
        return 0;
    const mplan_array *offsets = block_offsets(&m);
    for (int64_t i = 0; i + 1 < count(offsets); i++)
        if (get(offsets, i + 1) - get(offsets, i) > longest)
            longest = get(offsets, i + 1) - get(offsets, i);
    return longest;
}

bool support_bind_allows(const mplan_plan *plan, int32_t loop, int32_t variant, bool serial)
{
    const model m = model_of(plan, loop, variant);
    int32_t maps[16];
    mplan_increments about;
    mplan_plan_gathers(plan, m.loop, maps, &about);
    if (m.variant->threads < 1 || m.variant->elements_per_thread < 1 || !maps_allowed(&m))
        return false;
    if (serial)
        return true;
    switch (m.variant->strategy) {
    case MPLAN_STRATEGY_GLOBAL_COLOUR:
        return launches_allowed(&m, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, MPLAN_KIND_GLOBAL_LAUNCH,
                                plan->sets[m.loop->set].storage_size);
    case MPLAN_STRATEGY_BLOCK_COLOUR: return block_colour_allowed(&m);
    case MPLAN_STRATEGY_TWO_STEP: return gathers_allowed(&m);
    case MPLAN_STRATEGY_BLOCK_GATHER: return block_gather_allowed(&m, &about);
    case MPLAN_STRATEGY_OWNER_GATHER: return owner_gather_allowed(&m, &about);
    default: return true;
    }
}
