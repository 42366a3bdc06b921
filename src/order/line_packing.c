/* SPDX-License-Identifier: Apache-2.0 */
/* line_packing.c - cache-line packing: points in lines that few blocks touch
 *
 * A block loads whole lines of LINE points, so an order costs the sum over lines
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

#include "base/memory.h"
#include "base/threads.h"
#include "order/block_lists.h"
#include "order/lexicographic.h"
#include "order/order.h"

enum { LINE = 4, LONG_LIST = 32, MOST_COMMON = 8, MOST_MET = 512, NONE = -1, POINTS = 1 << 13 };

/* Points order[first ... first + n) of one list; the first `left` are not packed. */
typedef struct group {
    int64_t first;
    int32_t n, left;
} group;

/* A line: points of at most LINE groups; none when it was joined to another. */
typedef struct line {
    int32_t n;
    int32_t point[LINE], group[LINE];
} line;

/* A line in the list of those that a block touches. */
typedef struct mention {
    int32_t line, next;
} mention;

typedef struct packing {
    mplan_block_lists lists;
    int32_t *order;      /* n_points: by their lists */
    mplan_vector groups; /* group: those to be packed, by their lists */
    int32_t *single;     /* per block its group of points of no other; NONE */
    mplan_vector lines;  /* line: the packed ones */
    mplan_vector mentions;
    int32_t *mentioned; /* per block the first of its mentions; NONE */
    int32_t *common;    /* per line, while a partner is sought: zero, or blocks in common */
    int32_t *met;       /* lines whose `common` is not zero */
    int64_t n_met;
    int32_t *hope; /* per line: blocks in common with the best partner, when one was last sought */
} packing;

/* Valid until a group is added. */
static group *groups_of(const packing *p)
{
    return p->groups.data;
}

/* Valid until a line is added. */
static line *lines_of(const packing *p)
{
    return p->lines.data;
}

/* Blocks of group g's points, ascending, of which there are *n <= LONG_LIST. */
static const int32_t *list_of(const packing *p, int64_t g, int32_t *n)
{
    const int64_t *offset = p->lists.offsets + p->order[groups_of(p)[g].first];
    *n = (int32_t)(offset[1] - offset[0]);
    return p->lists.blocks + offset[0];
}

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

typedef struct compare_work {
    const packing *p;
    uint8_t *repeats; /* per place of the order */
} compare_work;

/* Places [begin, end) of the order: whether the point is touched by the same blocks as the one before it, which is so for all
 * points of a group and for none behind it. Lists that are too long for groups are not compared. */
static void compare_neighbours(void *data, int thread, int64_t begin, int64_t end)
{
    const compare_work *work = data;
    const mplan_block_lists *lists = &work->p->lists;
    const int32_t *order = work->p->order;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t length = lists->offsets[order[i] + 1] - lists->offsets[order[i]];
        work->repeats[i] = i > 0 && length <= LONG_LIST && same_list(lists, order[i - 1], order[i]);
    }
}

/* Groups along the order, but for untouched points and long lists. repeats: of compare_neighbours. */
static mplan_status find_groups(packing *p, const uint8_t *repeats, mplan_error *err)
{
    const mplan_block_lists *lists = &p->lists;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < lists->n_points && !status; i++) {
        int32_t point = p->order[i];
        int64_t length = lists->offsets[point + 1] - lists->offsets[point];
        if (length == 0 || length > LONG_LIST)
            continue;
        group *last = p->groups.count ? groups_of(p) + p->groups.count - 1 : NULL;
        if (last && last->first + last->n == i && repeats[i]) {
            last->n++;
            last->left++;
        } else {
            group next = {i, 1, 1};
            if (length == 1)
                p->single[lists->blocks[lists->offsets[point]]] = (int32_t)p->groups.count;
            status = mplan_vector_push(&p->groups, &next, err);
        }
    }
    return status;
}

/* --- lines --------------------------------------------------------------------- */

/* The blocks that touch a line, ascending. */
static int32_t blocks_of(const packing *p, const line *at, int32_t *out)
{
    int32_t count = 0;
    for (int32_t k = 0; k < at->n; k++) {
        int32_t n;
        if (k > 0 && at->group[k] == at->group[k - 1])
            continue;
        const int32_t *list = list_of(p, at->group[k], &n);
        for (int32_t i = 0; i < n; i++) {
            int32_t place = count;
            while (place > 0 && out[place - 1] > list[i])
                place--;
            if (place > 0 && out[place - 1] == list[i])
                continue;
            for (int32_t t = count++; t > place; t--)
                out[t] = out[t - 1];
            out[place] = list[i];
        }
    }
    return count;
}

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
static mplan_status mention_line(packing *p, int64_t number, int32_t block, mplan_error *err)
{
    mention entry = {(int32_t)number, p->mentioned[block]};
    mplan_status status = mplan_vector_push(&p->mentions, &entry, err);
    if (!status)
        p->mentioned[block] = (int32_t)(p->mentions.count - 1);
    return status;
}

/* Moves the last `n` unpacked points of a group, whose blocks touch the line, into
 * it. */
static void put(packing *p, line *to, int32_t g, int32_t n)
{
    group *from = groups_of(p) + g;
    for (int32_t k = 0; k < n; k++) {
        to->group[to->n] = g;
        to->point[to->n++] = p->order[from->first + --from->left];
    }
}

/* A line of what each group has beyond whole lines; `shared`: of the groups of several blocks,
 * else of those of one. So gaps of the former can be filled by points of the latter before these
 * open lines. */
static mplan_status open_lines(packing *p, bool shared, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t g = 0; g < p->groups.count && !status; g++) {
        int32_t length, rest = groups_of(p)[g].left % LINE;
        const int32_t *list = list_of(p, g, &length);
        if (rest == 0 || (length > 1) != shared)
            continue;
        line fresh = {0};
        put(p, &fresh, (int32_t)g, rest);
        for (int32_t i = 0; i < length && !status; i++)
            status = mention_line(p, p->lines.count, list[i], err);
        if (!status)
            status = mplan_vector_push(&p->lines, &fresh, err);
    }
    return status;
}

/* Points beyond whole lines go first, from the block that has fewest of them; then
 * those of the block that has most. */
static bool better_filler(const group *a, const group *b)
{
    int32_t rest_a = (a->left + LINE - 1) % LINE, rest_b = (b->left + LINE - 1) % LINE;
    return rest_a != rest_b ? rest_a < rest_b : a->left > b->left;
}

/* Fills the gaps of a line by points of one of its blocks only. */
static void fill_gaps(packing *p, line *at)
{
    while (at->n > 0 && at->n < LINE) {
        int32_t best = NONE;
        for (int32_t k = 0; k < at->n; k++) {
            int32_t length;
            const int32_t *list = list_of(p, at->group[k], &length);
            for (int32_t i = 0; i < length; i++) {
                int32_t g = p->single[list[i]];
                if (g == NONE || groups_of(p)[g].left == 0)
                    continue;
                if (best == NONE || better_filler(groups_of(p) + g, groups_of(p) + best))
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
static void meet_lines(packing *p, int32_t number)
{
    int32_t blocks[LINE * LONG_LIST], n = blocks_of(p, lines_of(p) + number, blocks);
    p->n_met = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t left = MOST_MET;
        for (int32_t *link = &p->mentioned[blocks[i]]; *link != NONE && left > 0;) {
            mention *entry = (mention *)p->mentions.data + *link;
            const line *at = lines_of(p) + entry->line;
            if (at->n == 0 || at->n == LINE) {
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
static int32_t best_partner(packing *p, int32_t number, int32_t *most)
{
    const line *own = lines_of(p) + number;
    int32_t best = NONE, fullest = 0;
    *most = 0;
    meet_lines(p, number);
    for (int64_t i = 0; i < p->n_met; i++) {
        int32_t other = p->met[i], common = p->common[other], points = lines_of(p)[other].n;
        p->common[other] = 0;
        if (other == number || common < *most || own->n + points > LINE)
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
static mplan_status join(packing *p, int32_t number, int32_t into, mplan_error *err)
{
    line *from = lines_of(p) + number, *to = lines_of(p) + into;
    int32_t blocks[LINE * LONG_LIST], there[LINE * LONG_LIST];
    int32_t n = blocks_of(p, from, blocks), n_there = blocks_of(p, to, there);
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
static mplan_status join_lines(packing *p, int32_t least, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t k = 0; k < p->lines.count && !status; k++)
        while (p->hope[k] >= least && lines_of(p)[k].n > 0 && lines_of(p)[k].n < LINE && !status) {
            int32_t partner = best_partner(p, (int32_t)k, &p->hope[k]);
            if (partner != NONE && p->hope[k] >= least)
                status = join(p, partner, (int32_t)k, err);
        }
    return status;
}

/* What no partner was found for: points of the last short line go to the first. */
static void close_up(packing *p)
{
    int64_t first = 0, last = p->lines.count - 1;
    while (first < last) {
        line *to = lines_of(p) + first, *from = lines_of(p) + last;
        if (to->n == 0 || to->n == LINE) {
            first++;
        } else if (from->n == 0 || from->n == LINE) {
            last--;
        } else {
            from->n--;
            to->group[to->n] = from->group[from->n];
            to->point[to->n++] = from->point[from->n];
        }
    }
}

/* --- the order of the lines -------------------------------------------------------- */

/* Items are packed lines, then the whole lines of each group. */
typedef struct line_list {
    const packing *p;
    int32_t *group; /* of each whole line */
    int32_t *first; /* and its first place in p->order */
} line_list;

/* The list by which item `item` is sorted: items below lines.count are packed lines,
 * the others whole lines of one group, which all touch the blocks of that group. out
 * has room for the longest list. */
static int64_t get_blocks(const void *data, int64_t item, int32_t *out)
{
    const line_list *all = data;
    const packing *p = all->p;
    int32_t n;
    if (item < p->lines.count)
        return blocks_of(p, lines_of(p) + item, out);
    const int32_t *list = list_of(p, all->group[item - p->lines.count], &n);
    for (int32_t i = 0; i < n; i++)
        out[i] = list[i];
    return n;
}

/* The places of all points: line by line, a short line last or with holes; then
 * points of long lists and untouched ones as they were. */
static int64_t place_points(const line_list *all, const int32_t *line_at, int64_t n_lines,
                            bool padded, int32_t *new_of_old)
{
    const packing *p = all->p;
    const line *short_line = NULL;
    int64_t next = 0;
    for (int64_t i = 0; i < p->lists.n_points; i++)
        new_of_old[i] = NONE;
    for (int64_t i = 0; i < n_lines; i++) {
        int64_t item = line_at[i];
        const line *at = item < p->lines.count ? lines_of(p) + item : NULL;
        if (at && (at->n == 0 || (at->n < LINE && !padded))) {
            short_line = at->n > 0 ? at : short_line;
            continue;
        }
        for (int32_t k = 0; k < (at ? at->n : LINE); k++) {
            int32_t point = at ? at->point[k] : p->order[all->first[item - p->lines.count] + k];
            new_of_old[point] = (int32_t)(next + k);
        }
        next += LINE;
    }
    for (int32_t k = 0; short_line && k < short_line->n; k++)
        new_of_old[short_line->point[k]] = (int32_t)next++;
    for (int64_t i = 0; i < p->lists.n_points; i++)
        if (new_of_old[p->order[i]] == NONE)
            new_of_old[p->order[i]] = (int32_t)next++;
    return next;
}

/* Puts lines into the lexicographic order of their blocks and gives places to their
 * points, LINE to a line. new_of_old: out, one per point; *storage: out, the number of
 * places, holes included where `padded`. */
static mplan_status order_lines(const packing *p, bool padded, int32_t *new_of_old,
                                int64_t *storage, const mplan_context *context, mplan_error *err)
{
    int64_t whole = 0, n = p->lines.count;
    for (int64_t g = 0; g < p->groups.count; g++)
        whole += groups_of(p)[g].left / LINE;
    mplan_status status = MPLAN_ERR_MEMORY;
    line_list all = {p, mplan_alloc(whole, sizeof *all.group, err),
                     mplan_alloc(whole, sizeof *all.first, err)};
    int32_t *place = mplan_alloc(n + whole, sizeof *place, err);
    int32_t *line_at = mplan_alloc(n + whole, sizeof *line_at, err);
    if (!all.group || !all.first || !place || !line_at)
        goto done;
    for (int64_t g = 0, i = 0; g < p->groups.count; g++)
        for (int32_t k = 0; k < groups_of(p)[g].left / LINE; k++) {
            all.group[i] = (int32_t)g;
            all.first[i++] = (int32_t)(groups_of(p)[g].first + LINE * k);
        }
    mplan_lists lists = {n + whole, p->lists.n_blocks, LINE * LONG_LIST, get_blocks, &all, NULL};
    status = mplan_order_lists(&lists, NULL, place, context, err);
    for (int64_t i = 0; i < n + whole && !status; i++)
        line_at[place[i]] = (int32_t)i;
    if (!status)
        *storage = place_points(&all, line_at, n + whole, padded, new_of_old);
done:
    free(all.group);
    free(all.first);
    free(place);
    free(line_at);
    return status;
}

/* Also of a packing that was only begun; p itself is on the caller's stack. */
static void packing_free(packing *p)
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

/* Points by their lists, as a sequence; the places go through new_of_old. */
static mplan_status sort_points(packing *p, const int32_t *earlier, int32_t *new_of_old,
                                const mplan_context *context, mplan_error *err)
{
    mplan_status status = mplan_order_block_lists(&p->lists, false, earlier, new_of_old, context,
                                                  err);
    p->order = status ? NULL : mplan_alloc(p->lists.n_points, sizeof *p->order, err);
    p->single = mplan_alloc(p->lists.n_blocks, sizeof *p->single, err);
    p->mentioned = mplan_alloc(p->lists.n_blocks, sizeof *p->mentioned, err);
    if (!p->order || !p->single || !p->mentioned)
        return status ? status : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < p->lists.n_points; i++)
        p->order[new_of_old[i]] = (int32_t)i;
    for (int64_t b = 0; b < p->lists.n_blocks; b++)
        p->single[b] = p->mentioned[b] = NONE;
    return MPLAN_OK;
}

/* Partners of all lines are sought in the next pass. */
static void hope_anew(packing *p)
{
    for (int64_t i = 0; i < p->groups.count; i++)
        p->hope[i] = MOST_COMMON;
}

/* Points of one block list form a group; whole lines of a group are set aside. The rest
 * of each group is joined with rests that have the most blocks in common, from
 * MOST_COMMON common blocks down to two; after the gaps are filled, what is left opens
 * lines of its own. */
static mplan_status pack(packing *p, bool padded, mplan_team *team, mplan_error *err)
{
    compare_work work = {p, mplan_alloc(p->lists.n_points, 1, err)};
    mplan_for(team, work.repeats ? p->lists.n_points : 0, POINTS, compare_neighbours, &work);
    mplan_status status = work.repeats ? find_groups(p, work.repeats, err) : MPLAN_ERR_MEMORY;
    free(work.repeats);
    p->common = status ? NULL : mplan_alloc_zero(p->groups.count, sizeof *p->common, err);
    p->met = status ? NULL : mplan_alloc(p->groups.count, sizeof *p->met, err);
    p->hope = status ? NULL : mplan_alloc(p->groups.count, sizeof *p->hope, err);
    if (!p->common || !p->met || !p->hope)
        return status ? status : MPLAN_ERR_MEMORY;
    hope_anew(p);
    status = open_lines(p, true, err);
    for (int32_t least = MOST_COMMON; least >= 2 && !status; least--)
        status = join_lines(p, least, err);
    for (int64_t k = 0; k < p->lines.count && !status; k++)
        fill_gaps(p, lines_of(p) + k);
    if (!status)
        status = open_lines(p, false, err);
    hope_anew(p);
    if (!status)
        status = join_lines(p, 1, err);
    if (!status && !padded)
        close_up(p);
    return status;
}

/* Points, sorted by the blocks that touch them, are packed into cache lines of LINE
 * points so that blocks load few lines that hold points of others. `earlier` decides
 * among points of equal lists. */
mplan_status mplan_order_cache_lines(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                     bool padded, const int32_t *earlier, int32_t *new_of_old,
                                     int64_t *storage, const mplan_context *context, mplan_error *err)
{
    assert(maps && block && new_of_old && storage && n_maps > 0);
    packing p = {.groups = MPLAN_VECTOR_INIT(sizeof(group)),
                 .lines = MPLAN_VECTOR_INIT(sizeof(line)),
                 .mentions = MPLAN_VECTOR_INIT(sizeof(mention))};
    mplan_status status = mplan_block_lists_create(maps, n_maps, block, &p.lists, context, err);
    if (!status)
        status = sort_points(&p, earlier, new_of_old, context, err);
    if (!status)
        status = pack(&p, padded, mplan_team_of(context), err);
    if (!status)
        status = order_lines(&p, padded, new_of_old, storage, context, err);
    packing_free(&p);
    return status;
}
