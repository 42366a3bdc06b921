/* SPDX-License-Identifier: Apache-2.0 */
/* line_packing.c - cache-line packing: points in lines that few blocks touch
 *
 * A block loads whole lines of MPLAN_LINE points, so an order costs the sum over lines
 * of the blocks that touch one of its points. Points with the same list of blocks
 * fill lines of their own, which is the best there is; what is left of each group
 * (less than a line) begins as a line with gaps. Gaps are filled up by points of
 * one block only, which cost nothing in a line that their block touches anyhow,
 * and a quarter of a line elsewhere: so two lines that fit into one and have k
 * blocks in common save k - 1 by it. They are joined greedily, largest savings
 * first, then their gaps are filled. What still is short of a line is joined with
 * whatever is next, or (padded) keeps holes. Lines follow one another by the list
 * of their blocks, so that those of a block lie together.
 *
 * Points of very many blocks, in long lists, are not packed: they come last.
 *
 * A line whose best partner has few blocks in common is not looked at again before so few are enough: a quarter of the
 * instructions (82,944 tets to nodes, S = 128: 481 -> 118 million), and the same places.
 *
 * What it brings (150,000 shuffled cells, S = 128): lines of 32 bytes a block, lexicographic order / packed / the least there can be:
 * tets to nodes 22.1 / 19.4 / 13.9, faces of tets 27.4 / 24.7 / 22.2, hexes to nodes 66.7 / 62.1 / 57.5, triangles to nodes 23.3 / 22.0 /
 * 20.2, faces of triangles 27.1 / 25.5 / 24.6; by count, then list: 29.3, 28.7, 74.8, 25.8, 27.9. */
#include <assert.h>
#include <stdlib.h>

#include "base/buckets.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/block_lists.h"
#include "order/order.h"
#include "order/packed_lines.h"

enum { MOST_COMMON = 8, MOST_MET = 512, NONE = -1, POINTS = 1 << 13 };

/* A line in the list of those that a block touches. */
typedef struct mention {
    int32_t line, next;
} mention;

/* Whether points a and b are touched by the same blocks. */
static bool same_list(const mplan_block_lists *lists, int32_t a, int32_t b)
{
    const int64_t *i = lists->offsets + a, *k = lists->offsets + b;
    if (i[1] - i[0] != k[1] - k[0])
        return false;
    for (int64_t t = 0; t < i[1] - i[0]; t++)
        if (lists->blocks[i[0] + t] != lists->blocks[k[0] + t])
            return false;
    return true;
}

/* Groups along the order, but for untouched points and long lists; pieces of the order are looked at by threads. */
typedef struct group_work {
    mplan_packing *p;
    uint8_t *begins; /* per place of the order: whether a group begins there */
    int64_t n_pieces,
        *first; /* n_pieces + 1: groups that begin in a piece; then the number of its first one */
} group_work;

/* Pieces [begin, end): a group begins where a point is not touched by the same blocks as the one before it. */
static void find_begins(void *data, int thread, int64_t begin, int64_t end)
{
    const group_work *work = data;
    const mplan_block_lists *lists = &work->p->lists;
    const int32_t *order = work->p->order;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t count = 0, last = mplan_piece_begin(lists->n_points, work->n_pieces, k + 1);
        for (int64_t i = mplan_piece_begin(lists->n_points, work->n_pieces, k); i < last; i++) {
            int64_t length = lists->offsets[order[i] + 1] - lists->offsets[order[i]];
            work->begins[i] = length > 0 && length <= MPLAN_PACKED_LIST &&
                              (i == 0 || !same_list(lists, order[i - 1], order[i]));
            count += work->begins[i];
        }
        work->first[k + 1] = count;
    }
}

/* Whether the point at place i of the order is in a group. */
static bool is_grouped(const mplan_packing *p, int64_t i)
{
    int64_t length = p->lists.offsets[p->order[i] + 1] - p->lists.offsets[p->order[i]];
    return length > 0 && length <= MPLAN_PACKED_LIST;
}

/* Pieces [begin, end): the groups that begin in them, also where they end behind. */
static void write_groups(void *data, int thread, int64_t begin, int64_t end)
{
    const group_work *work = data;
    mplan_packing *p = work->p;
    const int64_t n = p->lists.n_points;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t g = work->first[k], last = mplan_piece_begin(n, work->n_pieces, k + 1);
        for (int64_t i = mplan_piece_begin(n, work->n_pieces, k); i < last; i++) {
            if (!work->begins[i])
                continue;
            const int64_t *offset = p->lists.offsets + p->order[i];
            int64_t behind = i + 1;
            while (behind < n && !work->begins[behind] && is_grouped(p, behind))
                behind++;
            mplan_packing_groups(p)[g] = (mplan_line_group){i, offset[0], (int32_t)(behind - i),
                                                            (int32_t)(behind - i),
                                                            (int32_t)(offset[1] - offset[0])};
            if (offset[1] - offset[0] == 1)
                p->single[p->lists.blocks[offset[0]]] = (int32_t)g;
            g++;
        }
    }
}

/* p->groups, and the group of each block's own points. */
static mplan_status find_groups(mplan_packing *p, mplan_team *team, mplan_error *err)
{
    group_work work = {.p = p, .n_pieces = mplan_pieces(team, p->lists.n_points, POINTS)};
    work.begins = mplan_alloc(p->lists.n_points, 1, err);
    work.first = mplan_alloc_zero(work.n_pieces + 1, sizeof *work.first, err);
    mplan_status status = work.begins && work.first ? MPLAN_OK : MPLAN_ERR_MEMORY;
    mplan_for(team, status ? 0 : work.n_pieces, 1, find_begins, &work);
    for (int64_t k = 0; k < work.n_pieces && !status; k++)
        work.first[k + 1] += work.first[k];
    if (!status && !mplan_vector_reserve(&p->groups, work.first[work.n_pieces], err))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        p->groups.count = work.first[work.n_pieces];
    mplan_for(team, status ? 0 : work.n_pieces, 1, write_groups, &work);
    free(work.begins);
    free(work.first);
    return status;
}

/* --- lines --------------------------------------------------------------------- */

/* Whether the list of n blocks contains `block`; lists have a few entries only. */
static bool holds(const int32_t *list, int32_t n, int32_t block)
{
    for (int32_t i = 0; i < n; i++)
        if (list[i] == block)
            return true;
    return false;
}

/* Prepends line `number` to the lines in which block `block` is mentioned: a linked
 * list in p->mentions, its head in p->mentioned[block]. */
static mplan_status mention_line(mplan_packing *p, int64_t number, int32_t block, mplan_error *err)
{
    mention entry = {(int32_t)number, p->mentioned[block]};
    mplan_status status = mplan_vector_push(&p->mentions, &entry, err);
    if (!status)
        p->mentioned[block] = (int32_t)(p->mentions.count - 1);
    return status;
}

/* Moves the last `n` unpacked points of a group, whose blocks touch the line, into
 * it. */
static void put(mplan_packing *p, mplan_packed_line *to, int32_t g, int32_t n)
{
    mplan_line_group *from = mplan_packing_groups(p) + g;
    for (int32_t k = 0; k < n; k++) {
        to->group[to->n] = g;
        to->point[to->n++] = p->order[from->first + --from->left];
    }
}

/* Lines that pieces of the groups open. */
typedef struct open_work {
    mplan_packing *p;
    bool shared;
    int64_t n_pieces;
    int64_t *first,
        *mention; /* n_pieces + 1: lines of a piece at k + 1, and its mentions; then the number of its first one */
} open_work;

/* Whether group g has points beyond whole lines, of several blocks (`shared`) or of one. */
static bool is_opened(const open_work *work, const mplan_line_group *g)
{
    return g->left % MPLAN_LINE > 0 && (g->length > 1) == work->shared;
}

static void count_open(void *data, int thread, int64_t begin, int64_t end)
{
    const open_work *work = data;
    const mplan_line_group *groups = mplan_packing_groups(work->p);
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t last = mplan_piece_begin(work->p->groups.count, work->n_pieces, k + 1);
        for (int64_t g = mplan_piece_begin(work->p->groups.count, work->n_pieces, k); g < last; g++)
            if (is_opened(work, groups + g)) {
                work->first[k + 1]++;
                work->mention[k + 1] += groups[g].length;
            }
    }
}

/* A mention has its block in the place of the next one, until link_mentions. */
static void write_open(void *data, int thread, int64_t begin, int64_t end)
{
    const open_work *work = data;
    mplan_packing *p = work->p;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int64_t number = work->first[k],
                last = mplan_piece_begin(p->groups.count, work->n_pieces, k + 1);
        mention *to = (mention *)p->mentions.data + work->mention[k];
        for (int64_t g = mplan_piece_begin(p->groups.count, work->n_pieces, k); g < last; g++) {
            const mplan_line_group *group = mplan_packing_groups(p) + g;
            if (!is_opened(work, group))
                continue;
            for (int32_t i = 0; i < group->length; i++)
                *to++ = (mention){(int32_t)number, p->lists.blocks[group->list + i]};
            mplan_packed_line fresh = {0};
            put(p, &fresh, (int32_t)g, group->left % MPLAN_LINE);
            mplan_packing_lines(p)[number++] = fresh;
        }
    }
}

/* Mentions from number `first` on come to the front of the lists of their blocks, one after the other. */
static void link_mentions(mplan_packing *p, int64_t first)
{
    mention *all = p->mentions.data;
    for (int64_t i = first; i < p->mentions.count; i++) {
        const int32_t block = all[i].next;
        all[i].next = p->mentioned[block];
        p->mentioned[block] = (int32_t)i;
    }
}

/* A line of what each group has beyond whole lines; `shared`: of the groups of several blocks,
 * else of those of one. So gaps of the former can be filled by points of the latter before these
 * open lines. */
static mplan_status open_lines(mplan_packing *p, bool shared, mplan_team *team, mplan_error *err)
{
    const int64_t lines = p->lines.count, mentions = p->mentions.count;
    open_work work = {p, shared, mplan_pieces(team, p->groups.count, POINTS), NULL, NULL};
    work.first = mplan_alloc_zero(work.n_pieces + 1, sizeof *work.first, err);
    work.mention = mplan_alloc_zero(work.n_pieces + 1, sizeof *work.mention, err);
    mplan_status status = work.first && work.mention ? MPLAN_OK : MPLAN_ERR_MEMORY;
    mplan_for(team, status ? 0 : work.n_pieces, 1, count_open, &work);
    if (!status) {
        work.first[0] = lines;
        work.mention[0] = mentions;
        mplan_sum_counts(work.first, work.n_pieces);
        mplan_sum_counts(work.mention, work.n_pieces);
        if (!mplan_vector_reserve(&p->lines, work.first[work.n_pieces] - lines, err) ||
            !mplan_vector_reserve(&p->mentions, work.mention[work.n_pieces] - mentions, err))
            status = MPLAN_ERR_MEMORY;
    }
    if (!status) {
        p->lines.count = work.first[work.n_pieces];
        p->mentions.count = work.mention[work.n_pieces];
        mplan_for(team, work.n_pieces, 1, write_open, &work);
        link_mentions(p, mentions);
    }
    free(work.first);
    free(work.mention);
    return status;
}

/* Points beyond whole lines go first, from the block that has fewest of them; then
 * those of the block that has most. */
static bool better_filler(const mplan_line_group *a, const mplan_line_group *b)
{
    int32_t rest_a = (a->left + MPLAN_LINE - 1) % MPLAN_LINE,
            rest_b = (b->left + MPLAN_LINE - 1) % MPLAN_LINE;
    return rest_a != rest_b ? rest_a < rest_b : a->left > b->left;
}

/* Fills the gaps of a line by points of one of its blocks only. */
static void fill_gaps(mplan_packing *p, mplan_packed_line *at)
{
    while (at->n > 0 && at->n < MPLAN_LINE) {
        int32_t best = NONE;
        for (int32_t k = 0; k < at->n; k++) {
            int32_t length;
            const int32_t *list = mplan_group_list(p, at->group[k], &length);
            for (int32_t i = 0; i < length; i++) {
                int32_t g = p->single[list[i]];
                if (g == NONE || mplan_packing_groups(p)[g].left == 0)
                    continue;
                if (best == NONE ||
                    better_filler(mplan_packing_groups(p) + g, mplan_packing_groups(p) + best))
                    best = g;
            }
        }
        if (best == NONE)
            return;
        put(p, at, best, 1);
    }
}

/* --- lines that are joined ------------------------------------------------------- */

/* Counts in p->common how many of the blocks of line `number` touch each other short line; those lines are
 * p->met. Closed lines leave the lists on the way. Of each block no more than MOST_MET lines are looked at, so that time
 * is linear; lists of real meshes are shorter, and plans the same without a limit. */
static void meet_lines(mplan_packing *p, int32_t number)
{
    int32_t blocks[MPLAN_LINE * MPLAN_PACKED_LIST],
        n = mplan_line_blocks(p, mplan_packing_lines(p) + number, blocks);
    p->n_met = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t left = MOST_MET;
        for (int32_t *link = &p->mentioned[blocks[i]]; *link != NONE && left > 0;) {
            mention *entry = (mention *)p->mentions.data + *link;
            const mplan_packed_line *at = mplan_packing_lines(p) + entry->line;
            if (at->n == 0 || at->n == MPLAN_LINE) {
                *link = entry->next;
                continue;
            }
            if (p->common[entry->line]++ == 0)
                p->met[p->n_met++] = entry->line;
            link = &entry->next;
            left--;
        }
    }
}

/* The line that fits into one with line `number` and has most blocks in common with it, of equals that of most
 * points, then the first; NONE without one. *most: how many blocks. */
static int32_t best_partner(mplan_packing *p, int32_t number, int32_t *most)
{
    const mplan_packed_line *own = mplan_packing_lines(p) + number;
    int32_t best = NONE, fullest = 0;
    *most = 0;
    meet_lines(p, number);
    for (int64_t i = 0; i < p->n_met; i++) {
        int32_t other = p->met[i], common = p->common[other],
                points = mplan_packing_lines(p)[other].n;
        p->common[other] = 0;
        if (other == number || common < *most || own->n + points > MPLAN_LINE)
            continue;
        if (common > *most || points > fullest || (points == fullest && other < best)) {
            best = other;
            *most = common;
            fullest = points;
        }
    }
    return best;
}

/* Moves the points of line `number` into line `into`, which has room; blocks that `into` did not
 * have mention it from now on. Line `number` is empty then, and leaves the lists when they are
 * next walked. */
static mplan_status join(mplan_packing *p, int32_t number, int32_t into, mplan_error *err)
{
    mplan_packed_line *from = mplan_packing_lines(p) + number, *to = mplan_packing_lines(p) + into;
    int32_t blocks[MPLAN_LINE * MPLAN_PACKED_LIST], there[MPLAN_LINE * MPLAN_PACKED_LIST];
    int32_t n = mplan_line_blocks(p, from, blocks), n_there = mplan_line_blocks(p, to, there);
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < n && !status; i++)
        if (!holds(there, n_there, blocks[i]))
            status = mention_line(p, into, blocks[i], err);
    for (int32_t k = 0; k < from->n; k++) {
        to->group[to->n] = from->group[k];
        to->point[to->n++] = from->point[k];
    }
    from->n = 0;
    return status;
}

/* Joins lines while they find partners with `least` blocks in common. A line that had fewer in common with every
 * partner is not looked at again before `least` has fallen so far: where a partner has more since, that partner has
 * looked for itself. */
static mplan_status join_lines(mplan_packing *p, int32_t least, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t k = 0; k < p->lines.count && !status; k++)
        while (p->hope[k] >= least && mplan_packing_lines(p)[k].n > 0 &&
               mplan_packing_lines(p)[k].n < MPLAN_LINE && !status) {
            int32_t partner = best_partner(p, (int32_t)k, &p->hope[k]);
            if (partner != NONE && p->hope[k] >= least)
                status = join(p, partner, (int32_t)k, err);
        }
    return status;
}

/* What no partner was found for: points of the last short line go to the first. */
static void close_up(mplan_packing *p)
{
    int64_t first = 0, last = p->lines.count - 1;
    while (first < last) {
        mplan_packed_line *to = mplan_packing_lines(p) + first, *from = mplan_packing_lines(p) + last;
        if (to->n == 0 || to->n == MPLAN_LINE) {
            first++;
        } else if (from->n == 0 || from->n == MPLAN_LINE) {
            last--;
        } else {
            from->n--;
            to->group[to->n] = from->group[from->n];
            to->point[to->n++] = from->point[from->n];
        }
    }
}

/* Also of a packing that was only begun; p itself is on the caller's stack. */
static void packing_free(mplan_packing *p)
{
    mplan_block_lists_free(&p->lists);
    free(p->order);
    free(p->groups.data);
    free(p->single);
    free(p->lines.data);
    free(p->mentions.data);
    free(p->mentioned);
    free(p->common);
    free(p->met);
    free(p->hope);
}

typedef struct order_work {
    const int32_t *new_of_old;
    int32_t *order;
} order_work;

/* Points [begin, end) at their places. */
static void invert_order(void *data, int thread, int64_t begin, int64_t end)
{
    const order_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->order[work->new_of_old[i]] = (int32_t)i;
}

/* Points by their lists, as a sequence; the places go through new_of_old. */
static mplan_status sort_points(mplan_packing *p, const int32_t *earlier, int32_t *new_of_old,
                                const mplan_context *context, mplan_error *err)
{
    mplan_status status = mplan_order_block_lists(&p->lists, false, earlier, new_of_old, context,
                                                  err);
    p->order = status ? NULL : mplan_alloc(p->lists.n_points, sizeof *p->order, err);
    p->single = mplan_alloc(p->lists.n_blocks, sizeof *p->single, err);
    p->mentioned = mplan_alloc(p->lists.n_blocks, sizeof *p->mentioned, err);
    if (!p->order || !p->single || !p->mentioned)
        return status ? status : MPLAN_ERR_MEMORY;
    order_work work = {new_of_old, p->order};
    mplan_for(mplan_team_of(context), p->lists.n_points, POINTS, invert_order, &work);
    for (int64_t b = 0; b < p->lists.n_blocks; b++)
        p->single[b] = p->mentioned[b] = NONE;
    return MPLAN_OK;
}

/* Partners of all lines are sought in the next pass. */
static void hope_anew(mplan_packing *p)
{
    for (int64_t i = 0; i < p->groups.count; i++)
        p->hope[i] = MOST_COMMON;
}

/* Points of one block list form a group; whole lines of a group are set aside. The rest
 * of each group is joined with rests that have the most blocks in common, from
 * MOST_COMMON common blocks down to two; after the gaps are filled, what is left opens
 * lines of its own. */
static mplan_status pack(mplan_packing *p, bool padded, mplan_team *team, mplan_error *err)
{
    mplan_status status = find_groups(p, team, err);
    p->common = status ? NULL : mplan_alloc_zero(p->groups.count, sizeof *p->common, err);
    p->met = status ? NULL : mplan_alloc(p->groups.count, sizeof *p->met, err);
    p->hope = status ? NULL : mplan_alloc(p->groups.count, sizeof *p->hope, err);
    if (!p->common || !p->met || !p->hope)
        return status ? status : MPLAN_ERR_MEMORY;
    hope_anew(p);
    status = open_lines(p, true, team, err);
    for (int32_t least = MOST_COMMON; least >= 2 && !status; least--)
        status = join_lines(p, least, err);
    for (int64_t k = 0; k < p->lines.count && !status; k++)
        fill_gaps(p, mplan_packing_lines(p) + k);
    if (!status)
        status = open_lines(p, false, team, err);
    hope_anew(p);
    if (!status)
        status = join_lines(p, 1, err);
    if (!status && !padded)
        close_up(p);
    return status;
}

/* Points, sorted by the blocks that touch them, are packed into cache lines of MPLAN_LINE
 * points so that blocks load few lines that hold points of others. `earlier` decides
 * among points of equal lists. */
mplan_status mplan_order_cache_lines(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                     bool padded, const int32_t *earlier, int32_t *new_of_old,
                                     int64_t *storage, const mplan_context *context, mplan_error *err)
{
    assert(maps && block && new_of_old && storage && n_maps > 0);
    mplan_packing p = {.groups = MPLAN_VECTOR_INIT(sizeof(mplan_line_group)),
                       .lines = MPLAN_VECTOR_INIT(sizeof(mplan_packed_line)),
                       .mentions = MPLAN_VECTOR_INIT(sizeof(mention))};
    mplan_status status = mplan_block_lists_create(maps, n_maps, block, &p.lists, context, err);
    if (!status)
        status = sort_points(&p, earlier, new_of_old, context, err);
    if (!status)
        status = pack(&p, padded, mplan_team_of(context), err);
    if (!status)
        status = mplan_packing_order(&p, padded, new_of_old, storage, context, err);
    packing_free(&p);
    return status;
}
