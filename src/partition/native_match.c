/* native_match.c - pairs of blocks that share points, in groups of disjoint pairs
 *
 * An edge colouring of the graph of blocks, first fit in the order of the blocks
 * (at most twice the degree): pairs of a group can be refined side by side, and
 * what comes out does not depend on who refines them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "partition/native.h"

enum { GROUPS = 64, HUB_BLOCKS = 32 };

/* The blocks that touch each point. */
typedef struct touching {
    int64_t *begin; /* n_points + 2 */
    int32_t *blocks;
} touching;

static mplan_status list_touching(const native_blocks *blocks, touching *out, mplan_error *err)
{
    int64_t n_points = blocks->table->n_points;
    out->begin = mplan_alloc_zero(n_points + 2, sizeof *out->begin, err);
    if (!out->begin)
        return MPLAN_ERR_MEMORY;
    int64_t *place = out->begin + 1; /* ends up as begin */
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        native_block block = mplan_native_block(blocks, b);
        for (int32_t i = 0; i < block.n_points; i++)
            place[block.points[i] + 1]++;
    }
    for (int64_t p = 0; p < n_points; p++)
        place[p + 1] += place[p];
    out->blocks = mplan_alloc(place[n_points], sizeof *out->blocks, err);
    if (!out->blocks)
        return MPLAN_ERR_MEMORY;
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        native_block block = mplan_native_block(blocks, b);
        for (int32_t i = 0; i < block.n_points; i++)
            out->blocks[place[block.points[i]]++] = (int32_t)b;
    }
    return MPLAN_OK;
}

typedef struct match_state {
    const native_blocks *blocks;
    const touching *touching;
    int32_t least;
    int32_t *shared;      /* per block: points shared with the one at hand */
    uint64_t *used;       /* per block: groups that hold it */
    mplan_vector found;   /* blocks that share points with the one at hand */
    mplan_vector pairs;   /* three numbers each: two blocks, group */
} match_state;

/* Neighbours of block b behind it, with the points they share. */
static mplan_status find_neighbours(match_state *s, int64_t b, mplan_error *err)
{
    native_block block = mplan_native_block(s->blocks, b);
    s->found.count = 0;
    for (int32_t i = 0; i < block.n_points; i++) {
        int64_t begin = s->touching->begin[block.points[i]];
        int64_t end = s->touching->begin[block.points[i] + 1];
        if (end - begin > HUB_BLOCKS)
            continue;
        for (int64_t k = begin; k < end; k++) {
            int32_t other = s->touching->blocks[k];
            if (other <= b || s->shared[other]++ > 0)
                continue;
            mplan_status status = mplan_vector_push(&s->found, &other, err);
            if (status != MPLAN_OK)
                return status;
        }
    }
    return MPLAN_OK;
}

/* The first group from `start` on, cyclically, that holds neither block; a pair
 * that finds none of 64 waits for the next round. */
static mplan_status give_groups(match_state *s, int64_t b, int64_t start, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    const int32_t *found = s->found.data;
    for (int64_t i = 0; i < s->found.count && status == MPLAN_OK; i++) {
        int32_t other = found[i];
        uint64_t used = s->used[b] | s->used[other];
        bool worth = s->shared[other] >= s->least;
        s->shared[other] = 0;
        if (!worth || used == UINT64_MAX)
            continue;
        int32_t group = 0;
        while (used >> group & 1)
            group++;
        s->used[b] |= UINT64_C(1) << group;
        s->used[other] |= UINT64_C(1) << group;
        int32_t entry[3] = {(int32_t)b, other, (int32_t)((group + start) % GROUPS)};
        status = mplan_vector_push(&s->pairs, entry, err);
    }
    return status;
}

static mplan_status sort_groups(const match_state *s, native_matching *out, mplan_error *err)
{
    const int32_t *entry = s->pairs.data;
    out->n_groups = GROUPS;
    out->group_begin = mplan_alloc_zero(GROUPS + 2, sizeof *out->group_begin, err);
    out->pairs = mplan_alloc(s->pairs.count * 2, sizeof *out->pairs, err);
    if (!out->group_begin || !out->pairs)
        return MPLAN_ERR_MEMORY;
    int64_t *place = out->group_begin + 1;
    for (int64_t i = 0; i < s->pairs.count; i++)
        place[entry[3 * i + 2] + 1]++;
    for (int32_t g = 0; g < GROUPS; g++)
        place[g + 1] += place[g];
    for (int64_t i = 0; i < s->pairs.count; i++) {
        int64_t at = place[entry[3 * i + 2]]++;
        out->pairs[2 * at] = entry[3 * i];
        out->pairs[2 * at + 1] = entry[3 * i + 1];
    }
    return MPLAN_OK;
}

mplan_status mplan_native_match(const native_blocks *blocks, int32_t least, int64_t rotation,
                                native_matching *matching, const mplan_context *context,
                                mplan_error *err)
{
    touching lists = {NULL, NULL};
    match_state s = {.blocks = blocks, .touching = &lists, .least = least};
    s.found = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int32_t));
    s.pairs = (mplan_vector)MPLAN_VECTOR_INIT(3 * sizeof(int32_t));
    *matching = (native_matching){0};
    s.shared = mplan_alloc_zero(blocks->n_blocks, sizeof *s.shared, err);
    s.used = mplan_alloc_zero(blocks->n_blocks, sizeof *s.used, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (s.shared && s.used)
        status = list_touching(blocks, &lists, err);
    for (int64_t b = 0; b < blocks->n_blocks && status == MPLAN_OK; b++) {
        status = find_neighbours(&s, b, err);
        if (status == MPLAN_OK)
            status = give_groups(&s, b, rotation, err);
    }
    if (status == MPLAN_OK)
        status = mplan_interrupted(context, err);
    if (status == MPLAN_OK)
        status = sort_groups(&s, matching, err);
    free(lists.begin);
    free(lists.blocks);
    free(s.shared);
    free(s.used);
    free(s.found.data);
    free(s.pairs.data);
    if (status != MPLAN_OK)
        mplan_native_matching_free(matching);
    return status;
}

void mplan_native_matching_free(native_matching *matching)
{
    free(matching->group_begin);
    free(matching->pairs);
    *matching = (native_matching){0};
}
