/* SPDX-License-Identifier: Apache-2.0 */
/* naive_meaning.c - what the arrays and records of a plan mean: orders, maps, blocks, points, metrics */
#include "naive_plan.h"

#include <string.h>

#include "base/hash.h"

#define REFUSE(condition, sentence) \
    do {                            \
        if (condition)              \
            return sentence;        \
    } while (0)
#define U(value) ((uint32_t)(value))

/* --- small questions --- */

bool naive_is_list(const int64_t *offsets, int64_t n, int64_t end)
{
    bool right = offsets[0] == 0 && offsets[n] == end;
    for (int64_t i = 0; i < n && right; i++)
        right = offsets[i] <= offsets[i + 1];
    return right;
}

bool naive_uses(const naive_loop *loop, int32_t map, bool written)
{
    for (uint32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map == map && (!written || loop->args[a].access != NAIVE_READ))
            return true;
    return false;
}

bool naive_reaches(const naive_plan *plan, const naive_loop *loop, uint32_t set)
{
    for (uint32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && plan->maps[loop->args[a].map].to == set)
            return true;
    return false;
}

bool naive_pairs(const naive_plan *plan, int32_t loop, int32_t block_set)
{
    bool pairs = plan->block_sets[block_set].loop == U(loop);
    for (uint32_t v = 0; v < plan->loops[loop].n_variants; v++)
        pairs = pairs || plan->loops[loop].variants[v].block_set == block_set;
    return pairs;
}

static bool listed(const naive_gathering *in, int32_t map)
{
    for (int32_t i = 0; i < in->n_local; i++)
        if (in->maps[i] == map)
            return true;
    return false;
}

bool naive_gathers(const naive_plan *plan, const naive_loop *loop, naive_gathering *out)
{
    *out = (naive_gathering){.target = -1};
    for (uint32_t a = 0; a < loop->n_args; a++) {
        const naive_arg *arg = &loop->args[a];
        if (arg->map < 0 || arg->access == NAIVE_READ)
            continue;
        const naive_map *map = &plan->maps[arg->map];
        if (arg->access != NAIVE_INC || map->arity == 0 ||
            (out->target >= 0 && out->target != (int32_t)map->to))
            return false;
        out->target = (int32_t)map->to;
        if (!listed(out, arg->map)) {
            out->maps[out->n_local++] = arg->map;
            out->columns += map->arity;
            out->entries += map->n_entries;
        }
    }
    out->n_maps = out->n_local;
    out->local_columns = out->columns;
    for (uint32_t a = 0; a < loop->n_args && out->target >= 0; a++) {
        const int32_t m = loop->args[a].map;
        if (m >= 0 && (int32_t)plan->maps[m].to == out->target && plan->maps[m].arity &&
            !listed(out, m)) {
            out->maps[out->n_local++] = m;
            out->local_columns += plan->maps[m].arity;
        }
    }
    return out->target >= 0;
}

int32_t naive_column(const naive_plan *plan, const naive_gathering *gathering, int32_t e, int64_t c)
{
    int32_t i = 0;
    while (c >= plan->maps[gathering->maps[i]].arity)
        c -= plan->maps[gathering->maps[i++]].arity;
    const naive_map *map = &plan->maps[gathering->maps[i]];
    return map->values[e * (int64_t)map->arity + c];
}

const int32_t *naive_row(const naive_map *map, int64_t row, int64_t *n)
{
    *n = map->arity ? map->arity : map->offsets[row + 1] - map->offsets[row];
    return map->values + (map->arity ? row * map->arity : map->offsets[row]);
}

int64_t naive_positions(const naive_plan *plan, const naive_block_set *blocks)
{
    const naive_set *set = &plan->sets[blocks->set];
    return blocks->sequence ? set->size : set->storage;
}

int32_t naive_element(const naive_plan *plan, const naive_block_set *blocks, int64_t position)
{
    if (blocks->sequence)
        return blocks->order[position];
    return plan->sets[blocks->set].old_of_new[position] >= 0 ? (int32_t)position : -1;
}

/* --- sets and maps --- */

static bool is_boundary_of(const naive_set *whole, const naive_set *part)
{
    static const char ending[] = "_boundary";
    const uint32_t n = whole->name.n, m = (uint32_t)(sizeof ending - 1);
    return naive_same_text(whole->split, part->split) && part->name.n == n + m &&
           memcmp(part->name.at, whole->name.at, n) == 0 &&
           memcmp(part->name.at + n, ending, m) == 0;
}

/* Each index in one of the two parts. */
static bool parts_whole(const naive_set *a, const naive_set *b)
{
    int64_t i = 0, j = 0;
    for (int64_t id = 0; id < a->size + b->size; id++)
        if (i < a->size && a->ids[i] == id)
            i++;
        else if (j < b->size && b->ids[j] == id)
            j++;
        else
            return false;
    return true;
}

static const char *set_holds(const naive_plan *plan, const naive_set *set)
{
    int64_t members = 0;
    for (int64_t i = 0; i < set->size; i++) {
        const int32_t at = set->new_of_old[i];
        REFUSE(at < 0 || at >= set->storage || set->old_of_new[at] != i, "new_of_old");
        REFUSE(set->ids && set->ids[i] <= (i ? set->ids[i - 1] : -1), "global ids");
        REFUSE(set->ids && set->ids[i] >= INT32_MAX, "a global id that is not an index");
    }
    for (int64_t i = 0; i < set->storage; i++) {
        REFUSE(set->old_of_new[i] < -1 || set->old_of_new[i] >= set->size, "old_of_new");
        members += set->old_of_new[i] >= 0;
    }
    REFUSE(members != set->size, "old_of_new");
    for (int32_t s = 0; s < plan->n_sets && set->ids; s++)
        REFUSE(is_boundary_of(set, &plan->sets[s]) && !parts_whole(set, &plan->sets[s]),
               "ids of both parts");
    return NULL;
}

static const char *map_holds(const naive_plan *plan, const naive_map *map)
{
    const naive_set *from = &plan->sets[map->from], *to = &plan->sets[map->to];
    REFUSE(!map->arity && !naive_is_list(map->offsets, from->storage, map->n_entries),
           "offsets of a map");
    for (int64_t r = 0; r < from->storage; r++) {
        int64_t n;
        const int32_t *row = naive_row(map, r, &n);
        REFUSE(from->old_of_new[r] < 0 && !map->arity && n, "a hole has a row");
        for (int64_t k = 0; k < n; k++) {
            REFUSE(row[k] < -1 || row[k] >= to->storage, "entry out of range");
            REFUSE(row[k] >= 0 && (from->old_of_new[r] < 0 || to->old_of_new[row[k]] < 0),
                   "entry of or to a hole");
        }
    }
    return NULL;
}

uint64_t naive_topology(const naive_plan *plan)
{
    static int64_t stream[131072];
    const int64_t most = (int64_t)(sizeof stream / sizeof *stream);
    int64_t n = 0;
    stream[n++] = plan->n_sets;
    for (int32_t s = 0; s < plan->n_sets; s++)
        stream[n++] = plan->sets[s].size;
    stream[n++] = plan->n_maps;
    for (int32_t m = 0; m < plan->n_maps; m++) {
        const naive_map *map = &plan->maps[m];
        const naive_set *from = &plan->sets[map->from];
        if (n + 8 + from->size + map->n_entries > most)
            return 0;
        stream[n++] = map->from;
        stream[n++] = map->to;
        stream[n++] = map->arity;
        int64_t length, total = 0;
        for (int64_t i = 0; i < from->size && !map->arity; i++) {
            naive_row(map, from->new_of_old[i], &length);
            stream[n++] = total;
            total += length;
        }
        if (!map->arity)
            stream[n++] = total;
        for (int64_t i = 0; i < from->size; i++) {
            const int32_t *row = naive_row(map, from->new_of_old[i], &length);
            for (int64_t k = 0; k < length; k++)
                stream[n++] = row[k] < 0 ? -1 : plan->sets[map->to].old_of_new[row[k]];
        }
    }
    uint64_t piece = mplan_hash(stream, (size_t)n * sizeof *stream);
    return mplan_hash(&piece, sizeof piece);
}

uint64_t naive_request_print(const naive_plan *plan)
{
    if (plan->request.n == 0)
        return mplan_hash("", 0);
    uint64_t piece = mplan_hash(plan->request.at, plan->request.n);
    return mplan_hash(&piece, sizeof piece);
}

/* --- args --- */

/* Section 10: which strategies may run a loop. */
typedef enum word { YES, ONCE, COLOURS, NO } word;

static bool changes(const naive_arg *arg)
{
    return arg->access != NAIVE_READ;
}

static word word_of_arg(const naive_arg *arg)
{
    if (arg->map < 0)
        return arg->access == NAIVE_RW || arg->access == NAIVE_INC ? ONCE : YES;
    return arg->access == NAIVE_WRITE || arg->access == NAIVE_RW ? COLOURS : YES;
}

static word word_of_pair(const naive_loop *loop, const naive_arg *a, const naive_arg *b)
{
    if (!changes(a) && !changes(b))
        return YES;
    if (a->map < 0 && b->map < 0)
        return a->access == NAIVE_WRITE && b->access == NAIVE_WRITE ? YES : ONCE;
    if (a->map < 0 || b->map < 0)
        return NO;
    if (a->map != b->map && !(naive_uses(loop, a->map, true) && naive_uses(loop, b->map, true)))
        return NO;
    if (a->access == NAIVE_INC || b->access == NAIVE_INC)
        return a->access == b->access ? YES : NO;
    return COLOURS;
}

static bool allows(word said, uint32_t strategy)
{
    return said == YES || (said == ONCE && strategy != OWNER_GATHER) ||
           (said == COLOURS && (strategy == GLOBAL_COLOUR || strategy == BLOCK_COLOUR));
}

static bool all_allow(const naive_loop *loop, word said)
{
    for (uint32_t v = 0; v < loop->n_variants; v++)
        if (!allows(said, loop->variants[v].strategy))
            return false;
    return true;
}

static const char *side_by_side_holds(const naive_loop *loop)
{
    for (uint32_t a = 0; a < loop->n_args; a++) {
        REFUSE(!all_allow(loop, word_of_arg(&loop->args[a])), "an access that a strategy cannot run");
        for (uint32_t b = 0; b < a; b++)
            REFUSE(naive_same_text(loop->args[a].dat, loop->args[b].dat) &&
                       !all_allow(loop, word_of_pair(loop, &loop->args[a], &loop->args[b])),
                   "two accesses that race");
    }
    return NULL;
}

/* One dat has one set, dim, type and layout in the whole plan. */
static const char *dats_hold(const naive_plan *plan)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (uint32_t a = 0; a < plan->loops[l].n_args; a++) {
            const naive_arg *arg = &plan->loops[l].args[a];
            const uint32_t set = arg->map < 0 ? plan->loops[l].set : plan->maps[arg->map].to;
            for (int32_t k = 0; k <= l; k++)
                for (uint32_t b = 0; b < plan->loops[k].n_args; b++) {
                    const naive_arg *other = &plan->loops[k].args[b];
                    const uint32_t its = other->map < 0 ? plan->loops[k].set
                                                        : plan->maps[other->map].to;
                    if (naive_same_text(arg->dat, other->dat))
                        REFUSE(set != its || arg->dim != other->dim || arg->type != other->type ||
                                   arg->layout != other->layout,
                               "a dat that is two things");
                }
        }
    return NULL;
}

static const char *args_hold(const naive_plan *plan, const naive_loop *loop)
{
    const naive_set *set = &plan->sets[loop->set];
    for (uint32_t a = 0; a < loop->n_args; a++) {
        const naive_arg *arg = &loop->args[a];
        for (int64_t e = 0; e < set->storage && arg->map >= 0 && arg->none != 1; e++) {
            int64_t n;
            const int32_t *row = naive_row(&plan->maps[arg->map], e, &n);
            for (int64_t k = 0; k < n; k++)
                REFUSE(row[k] < 0 && set->old_of_new[e] >= 0, "an arg meets -1");
        }
    }
    return side_by_side_holds(loop);
}

/* --- blocks --- */

/* Points of `set` that block b touches for the loop, ascending; counts entries into *entries. */
static int64_t points_of(const naive_plan *plan, const naive_loop *loop,
                         const naive_block_set *blocks, int64_t b, uint32_t set, int32_t *points,
                         int64_t *entries)
{
    static bool touched[NAIVE_MEMBERS];
    memset(touched, 0, sizeof touched);
    for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++) {
        const int32_t e = naive_element(plan, blocks, p);
        for (int32_t m = 0; m < plan->n_maps && e >= 0; m++) {
            int64_t n;
            if (plan->maps[m].to != set || !naive_uses(loop, m, false))
                continue;
            const int32_t *row = naive_row(&plan->maps[m], e, &n);
            for (int64_t k = 0; k < n; k++)
                if (row[k] >= 0) {
                    touched[row[k]] = true;
                    ++*entries;
                }
        }
    }
    int64_t n = 0;
    for (int32_t p = 0; p < plan->sets[set].storage; p++)
        if (touched[p])
            points[n++] = p;
    return n;
}

static const char *blocks_hold(const naive_plan *plan, const naive_block_set *blocks)
{
    const naive_set *set = &plan->sets[blocks->set];
    static bool there[NAIVE_MEMBERS];
    const int64_t positions = naive_positions(plan, blocks);
    int64_t least = INT64_MAX, most = 0;
    memset(there, 0, sizeof there);
    if (blocks->n_blocks == 0)
        REFUSE(blocks->offsets[0] != 0 || set->size != 0, "no blocks");
    else
        REFUSE(!naive_is_list(blocks->offsets, blocks->n_blocks, positions), "offsets of blocks");
    for (int64_t p = 0; p < positions && blocks->sequence; p++) {
        const int32_t e = blocks->order[p];
        REFUSE(e < 0 || e >= set->storage || set->old_of_new[e] < 0 || there[e], "sequence");
        there[e] = true;
    }
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        int64_t n = 0;
        for (int64_t p = blocks->offsets[b]; p < blocks->offsets[b + 1]; p++)
            n += naive_element(plan, blocks, p) >= 0;
        REFUSE(n < 1 || n > blocks->limit, "size of a block");
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    REFUSE(blocks->block_max != most || blocks->block_min != (blocks->n_blocks ? least : 0),
           "block_min, block_max");
    REFUSE(blocks->max_points < 1, "max_points");
    return NULL;
}

static const char *metric_holds(const naive_plan *plan, const naive_metric *metric)
{
    const naive_block_set *blocks = &plan->block_sets[metric->block_set];
    const naive_section *ends = naive_find(plan, 66, metric->set, NAIVE_ONES, metric->loop,
                                           NAIVE_ONES, metric->block_set);
    const naive_section *lists = naive_find(plan, 67, metric->set, NAIVE_ONES, metric->loop,
                                            NAIVE_ONES, metric->block_set);
    const int64_t *offsets = ends->data;
    const int32_t *list = lists->data;
    static int32_t points[NAIVE_MEMBERS];
    static int touched[NAIVE_MEMBERS];
    naive_metric found = {metric->loop, metric->block_set, metric->set, 0, 0, 0, 0, 0, 0};
    memset(touched, 0, sizeof touched);
    REFUSE(offsets[0] != 0, "offsets of points");
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t n = points_of(plan, &plan->loops[metric->loop], blocks, b, metric->set,
                                    points, &found.entries);
        REFUSE(offsets[b + 1] != offsets[b] + n || offsets[b + 1] > lists->rows, "offsets of points");
        for (int64_t i = 0; i < n; i++) {
            REFUSE(list[offsets[b] + i] != points[i], "points of a block");
            found.lines += i == 0 || points[i] / 4 != points[i - 1] / 4;
            found.shared += ++touched[points[i]] == 2;
        }
        found.pairs += n;
        found.lines_ideal += (n + 3) / 4;
        found.points_max = n > found.points_max ? n : found.points_max;
    }
    REFUSE(found.entries != metric->entries || found.pairs != metric->pairs ||
               found.shared != metric->shared || found.points_max != metric->points_max ||
               found.lines != metric->lines || found.lines_ideal != metric->lines_ideal,
           "metrics");
    REFUSE(blocks->loop == metric->loop && metric->points_max > blocks->max_points,
           "limit of points");
    return NULL;
}

static const char *local_holds(const naive_plan *plan, int32_t l, int32_t b, int32_t m)
{
    const naive_block_set *blocks = &plan->block_sets[b];
    const naive_map *map = &plan->maps[m];
    const uint16_t *local = naive_find(plan, 68, NAIVE_ONES, U(m), U(l), NAIVE_ONES, U(b))->data;
    const naive_section *ends = naive_find(plan, 66, map->to, NAIVE_ONES, U(l), NAIVE_ONES, U(b));
    const int64_t *offsets = ends->data;
    const int32_t *list = naive_find(plan, 67, map->to, NAIVE_ONES, U(l), NAIVE_ONES, U(b))->data;
    int64_t at = 0, positions = naive_positions(plan, blocks), block = 0;
    for (int64_t p = 0; p < positions; p++) {
        const int32_t e = naive_element(plan, blocks, p);
        int64_t n = map->arity;
        const int32_t *row = e >= 0 ? naive_row(map, e, &n) : NULL;
        while (blocks->n_blocks && p >= blocks->offsets[block + 1])
            block++;
        for (int64_t k = 0; k < (row || map->arity ? n : 0); k++, at++) {
            const int64_t begin = blocks->n_blocks ? offsets[block] : 0,
                          end = blocks->n_blocks ? offsets[block + 1] : 0;
            if (!row || row[k] < 0)
                REFUSE(local[at] != 65535, "local id of -1");
            else
                REFUSE(local[at] >= end - begin || list[begin + local[at]] != row[k], "local id");
        }
    }
    return NULL;
}

/* Bytes that a block stages for a loop. */
static int64_t staged(const naive_plan *plan, int32_t l, int32_t b, int64_t block)
{
    const naive_loop *loop = &plan->loops[l];
    int64_t bytes = 0;
    for (uint32_t a = 0; a < loop->n_args; a++) {
        const naive_arg *arg = &loop->args[a];
        bool again = arg->map < 0;
        for (uint32_t o = 0; o < a; o++)
            again = again || (loop->args[o].map >= 0 && naive_same_text(loop->args[o].dat, arg->dat));
        if (again)
            continue;
        const int64_t *offsets =
            naive_find(plan, 66, plan->maps[arg->map].to, NAIVE_ONES, U(l), NAIVE_ONES, U(b))->data;
        const int64_t dat = (offsets[block + 1] - offsets[block]) * arg->dim *
                            naive_type_size(arg->type);
        bytes += (dat + 15) / 16 * 16;
    }
    return bytes;
}

static const char *limits_hold(const naive_plan *plan, int32_t b)
{
    const naive_block_set *blocks = &plan->block_sets[b];
    int64_t pairs = 0;
    for (int64_t i = 0; i < blocks->n_blocks; i++)
        REFUSE(staged(plan, (int32_t)blocks->loop, b, i) > blocks->shared, "limit of staged bytes");
    for (int32_t i = 0; i < plan->n_metrics; i++)
        if (plan->metrics[i].block_set == U(b) && plan->metrics[i].loop == blocks->loop)
            pairs += plan->metrics[i].pairs;
    REFUSE(blocks->alternative >= 0 && blocks->alternative < pairs, "alternative pairs");
    return NULL;
}

int64_t naive_staged_max(const naive_plan *plan, int32_t l, int32_t b)
{
    int64_t most = 0;
    for (int64_t i = 0; i < plan->block_sets[b].n_blocks; i++) {
        const int64_t bytes = staged(plan, l, b, i);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static const char *origin_holds(const naive_plan *plan, int32_t b)
{
    const naive_origin *o = &plan->origins[b];
    const int64_t size = plan->sets[plan->block_sets[b].set].size;
    if (o->origin < 2)
        return NULL;
    if (o->origin == 6) {
        REFUSE(o->patches != 1 || o->largest != size ||
                   (int64_t)o->extent[0] * o->extent[2] < size || o->extent[0] > size,
               "layers");
        return NULL;
    }
    REFUSE(o->extent[0] < o->extent[1] || o->extent[1] < o->extent[2], "extents");
    REFUSE(o->largest > (__int128)o->extent[0] * o->extent[1] * o->extent[2], "largest patch");
    REFUSE(o->origin <= 3 && (o->largest > size || o->patches > size), "patches");
    return NULL;
}

/* --- renumbering --- */

/* Bandwidth and profile when the member at stored index i has number order[i]; 0 of a set that the loop (may be
 * NULL) does not reach. */
static void spread(const naive_plan *plan, const naive_loop *loop, int32_t s, const int32_t *order,
                   int64_t out[2])
{
    static int64_t low[NAIVE_MEMBERS];
    const naive_set *set = &plan->sets[s];
    out[0] = out[1] = 0;
    for (int64_t p = 0; p < set->storage; p++)
        low[p] = order ? order[p] : p;
    for (int32_t m = 0; m < plan->n_maps; m++)
        for (int64_t e = 0; loop && e < plan->sets[loop->set].storage; e++) {
            int64_t n;
            if (!naive_uses(loop, m, false) || plan->maps[m].to != U(s))
                continue;
            const int32_t *row = naive_row(&plan->maps[m], e, &n);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) {
                    if (row[i] < 0 || row[j] < 0)
                        continue;
                    const int64_t a = order ? order[row[i]] : row[i],
                                  b = order ? order[row[j]] : row[j];
                    out[0] = a - b > out[0] ? a - b : out[0];
                    low[row[i]] = b < low[row[i]] ? b : low[row[i]];
                }
        }
    for (int64_t p = 0; p < set->storage; p++)
        out[1] += set->old_of_new[p] >= 0 ? (order ? order[p] : p) - low[p] : 0;
}

static const char *renumbering_holds(const naive_plan *plan)
{
    const naive_loop *primary = NULL;
    for (int32_t l = 0; l < plan->n_loops; l++)
        primary = plan->loops[l].primary ? &plan->loops[l] : primary;
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const naive_set *set = &plan->sets[s];
        for (int k = 0; k < 3; k++) {
            int64_t found[2];
            REFUSE((set->bandwidth[k] < 0) != (set->profile[k] < 0), "not measured together");
            if (set->bandwidth[k] < 0 || k == 1)
                continue;
            spread(plan, primary, s, k ? NULL : set->old_of_new, found);
            REFUSE(found[0] != set->bandwidth[k] || found[1] != set->profile[k],
                   "bandwidth or profile");
        }
        REFUSE(set->kept && set->profile[0] > set->profile[1], "kept with the larger profile");
    }
    return NULL;
}

/* --- all --- */

static bool names_differ(const naive_plan *plan)
{
    bool differ = true;
    for (int32_t i = 0; i < plan->n_sets; i++)
        for (int32_t j = 0; j < i; j++)
            differ = differ && !naive_same_text(plan->sets[i].name, plan->sets[j].name);
    for (int32_t i = 0; i < plan->n_maps; i++)
        for (int32_t j = 0; j < i; j++)
            differ = differ && !naive_same_text(plan->maps[i].name, plan->maps[j].name);
    for (int32_t i = 0; i < plan->n_loops; i++)
        for (int32_t j = 0; j < i; j++)
            differ = differ && !naive_same_text(plan->loops[i].name, plan->loops[j].name);
    return differ;
}

static const char *arrays_of_blocks_hold(const naive_plan *plan)
{
    const char *why = NULL;
    for (int32_t b = 0; b < plan->n_block_sets && !why; b++)
        why = blocks_hold(plan, &plan->block_sets[b]);
    for (int32_t i = 0; i < plan->n_metrics && !why; i++)
        why = metric_holds(plan, &plan->metrics[i]);
    for (int32_t l = 0; l < plan->n_loops && !why; l++)
        for (int32_t b = 0; b < plan->n_block_sets && !why; b++)
            for (int32_t m = 0; m < plan->n_maps && !why; m++)
                if (naive_pairs(plan, l, b) && naive_uses(&plan->loops[l], m, false))
                    why = local_holds(plan, l, b, m);
    for (int32_t b = 0; b < plan->n_block_sets && !why; b++)
        why = limits_hold(plan, b);
    for (int32_t b = 0; b < plan->n_origins && !why; b++)
        why = origin_holds(plan, b);
    return why;
}

const char *naive_holds(const naive_plan *plan)
{
    const char *why = NULL;
    for (int32_t s = 0; s < plan->n_sets; s++)
        REFUSE(plan->sets[s].storage >= NAIVE_MEMBERS, NAIVE_TOO_LARGE);
    REFUSE(!names_differ(plan), "names");
    for (int32_t s = 0; s < plan->n_sets && !why; s++)
        why = set_holds(plan, &plan->sets[s]);
    for (int32_t m = 0; m < plan->n_maps && !why; m++)
        why = map_holds(plan, &plan->maps[m]);
    REFUSE(why, why);
    REFUSE(naive_topology(plan) != plan->topology, "fingerprint of the topology");
    REFUSE(naive_request_print(plan) != plan->request_print, "fingerprint of the request");
    for (int32_t l = 0; l < plan->n_loops && !why; l++)
        why = args_hold(plan, &plan->loops[l]);
    why = why ? why : dats_hold(plan);
    why = why ? why : arrays_of_blocks_hold(plan);
    for (int32_t l = 0; l < plan->n_loops && !why; l++)
        why = naive_variants_hold(plan, l);
    return why ? why : renumbering_holds(plan);
}

const char *naive_same_mesh(const naive_plan *plan, const naive_plan *truth)
{
    REFUSE(plan->n_sets != truth->n_sets || plan->n_maps != truth->n_maps, "sets and maps");
    REFUSE(naive_topology(plan) != naive_topology(truth), "the mesh");
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const naive_set *a = &plan->sets[s], *b = &truth->sets[s];
        REFUSE(!naive_same_text(a->name, b->name) || !naive_same_text(a->split, b->split) ||
                   a->size != b->size,
               "a set of the mesh");
        REFUSE(a->ids && memcmp(a->ids, b->ids, (size_t)a->size * sizeof *a->ids) != 0,
               "ids of the mesh");
    }
    for (int32_t m = 0; m < plan->n_maps; m++)
        REFUSE(!naive_same_text(plan->maps[m].name, truth->maps[m].name), "a map of the mesh");
    return NULL;
}
