/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_records.c - names, ranges and references of records, at and beyond each limit
 *
 * Only the proof is asked: no line needs arrays that fit. */
#include "support_check.h"

#include <limits.h>

#include "support_cases.h"

static support_cases cases;
static mplan_plan *plan;
static mplan_plan_block_set *blocks; /* 0 and 1 cut faces, by runs and by a sequence; 2 and 3 cells */

static mplan_status records_hold(support_cases *all, mplan_error *err)
{
    return mplan_check_records(&all->check, err);
}

static int open_cases(void **state)
{
    (void)state;
    mplan_mesh *mesh = support_fixed_mesh();
    plan = support_fixed_plan(mesh);
    support_cases_open(&cases, mesh, plan);
    cases.proof = records_hold;
    blocks = plan->block_sets;
    return 0;
}

static int close_cases(void **state)
{
    (void)state;
    support_cases_close(&cases);
    return 0;
}

static void names_are_there_and_differ(void **state)
{
    (void)state;
    HOLDS();
    REFUSED("set 0 has no name", plan->sets[0].name = "");
    REFUSED("set 3 has no name", plan->sets[3].name = NULL);
    REFUSED("sets 0 and 3 are both named faces", plan->sets[3].name = "faces");
    REFUSED("sets 2 and 3 are both named nodes", plan->sets[3].name = "nodes");
    REFUSED("sets 0 and 1 are both named a",
            plan->sets[0].name = plan->sets[1].name = plan->sets[2].name = "a");
    REFUSED("map 0 has no name", plan->maps[0].name = "");
    REFUSED("map 2 has no name", plan->maps[2].name = NULL);
    REFUSED("maps 0 and 2 are both named faces_cells", plan->maps[2].name = "faces_cells");
    REFUSED("loop 0 has no name", plan->loops[0].name = "");
    REFUSED("loop 1 has no name", plan->loops[1].name = NULL);
    REFUSED("loops 0 and 1 are both named update", plan->loops[0].name = "update");
    /* one list serves all three: it must be as long as the longest */
    HOLDS(plan->n_maps = 0, plan->n_loops = 0, plan->n_block_sets = 0);
    HOLDS(plan->n_sets = plan->n_maps = plan->n_loops = plan->n_block_sets = 0);
}

static void sets_have_sizes_that_fit(void **state)
{
    mplan_plan_set *set = &plan->sets[2]; /* nodes, without holes; nothing needs their size */
    (void)state;
    plan->n_maps = 0;
    HOLDS(plan->n_maps = plan->n_loops = plan->n_block_sets = 0, set->size = 0,
          set->storage_size = 0);
    REFUSED("set nodes: size -1 and storage size 0 do not match", set->size = -1,
            set->storage_size = 0);
    HOLDS(plan->n_maps = plan->n_loops = plan->n_block_sets = 0, set->storage_size = set->size + 1);
    REFUSED("do not match", set->storage_size = set->size - 1);
    HOLDS(plan->n_maps = plan->n_loops = plan->n_block_sets = 0, set->storage_size = INT32_MAX);
    REFUSED("storage size 2147483648 do not match", set->storage_size = INT64_C(1) << 31);
    REFUSED("there is no renumbering 0", set->renumber = MPLAN_RENUMBER_AUTO);
    REFUSED("there is no renumbering 8", set->renumber = MPLAN_N_RENUMBERS);
    REFUSED("there is no renumbering -1", set->renumber = (mplan_renumber)-1);
    HOLDS(set->renumber = MPLAN_RENUMBER_NONE);
    HOLDS(set->renumber = (mplan_renumber)(MPLAN_N_RENUMBERS - 1));
}

static void measures_come_in_pairs(void **state)
{
    static const char *const orders[] = {"input", "renumbered", "stored"};
    mplan_plan_set *set = &plan->sets[1];
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int64_t wide = -2; wide <= 1; wide++)
            for (int64_t all = -2; all <= 1; all++) {
                char reason[80];
                snprintf(reason, sizeof reason,
                         "bandwidth %d and profile %d of the %s order are impossible", (int)wide,
                         (int)all, orders[i]);
                set->bandwidth[i] = wide;
                set->profile[i] = all;
                if ((wide >= 0 && all >= 0) || (wide == -1 && all == -1))
                    HOLDS((void)set);
                else
                    REFUSED(reason, (void)set);
            }
    for (int64_t renumbered = 4; renumbered <= 6; renumbered++)
        for (int kept = 0; kept < 2; kept++) {
            set->bandwidth[0] = set->bandwidth[1] = 1;
            set->profile[0] = 5;
            set->profile[1] = renumbered;
            set->kept = kept;
            if (kept && renumbered < 5)
                REFUSED("the input order was kept as the better one, but its profile is 5 and the renumbered one 4",
                        (void)set);
            else
                HOLDS((void)set);
        }
}

static void maps_lead_between_sets(void **state)
{
    mplan_plan_map *map = &plan->maps[CELLS_NODES], *ragged = &plan->maps[FACES_NODES];
    (void)state;
    REFUSED("map cells_nodes leads from set -1 to set 2 of 4", map->from = -1);
    REFUSED("map cells_nodes leads from set 4 to set 2 of 4", map->from = 4);
    REFUSED("map cells_nodes leads from set 1 to set -1 of 4", map->to = -1);
    REFUSED("map cells_nodes leads from set 1 to set 4 of 4", map->to = 4);
    for (int32_t s = 0; s < 4; s++)
        HOLDS(map->to = s);
    for (int32_t s = 0; s < 4; s++)
        HOLDS(map->from = s, map->n_entries = plan->sets[s].storage_size);
    REFUSED("map cells_nodes: arity -1 and", map->arity = -1);
    REFUSED("entries are impossible", ragged->n_entries = -1);
    HOLDS(ragged->n_entries = 0);
    HOLDS(ragged->n_entries = 1);
    HOLDS(map->arity = 0);
    HOLDS(map->arity = 0, map->n_entries = 0);
    REFUSED("map cells_nodes has 0 entries instead of", map->n_entries = 0);
    REFUSED("entries instead of", map->n_entries++);
    REFUSED("entries instead of", map->n_entries--);
    REFUSED("map cells_nodes has", map->arity = 2);
}

static void args_are_known(void **state)
{
    mplan_plan_arg *arg = ARG_OF(0, 0);
    (void)state;
    REFUSED("arg 0 has no dat", arg->dat = NULL);
    REFUSED("arg 0 has no dat", arg->dat = "");
    HOLDS(arg->map = -1);
    HOLDS(arg->map = 0);
    HOLDS(arg->map = MPLAN_MAP_GLOBAL);
    REFUSED("arg 0 goes through a map that does not exist", arg->map = -3);
    REFUSED("arg 0 goes through a map that does not exist", arg->map = plan->n_maps);
    REFUSED("arg 0 goes through a map that does not lead from the loop's set",
            arg->map = CELLS_NODES);
    REFUSED("arg 0 goes through a map that does not lead from the loop's set", arg->map = 0,
            plan->maps[0].from = 1, plan->maps[0].n_entries = 2 * plan->sets[1].storage_size);
    for (int value = -1; value <= 6; value++) {
        if (value < 0 || value > 5)
            REFUSED("arg 0 has an unknown access", arg->access = (mplan_access)value);
        else
            HOLDS(arg->access = (mplan_access)value, arg->map = -1);
        if (value < 0 || value > 2)
            REFUSED("arg 0 has an unknown rule for entries of -1", arg->none = (mplan_none)value);
        else
            HOLDS(arg->none = (mplan_none)value);
    }
    REFUSED("arg 0 has a dim below 1", arg->dim = 0);
    HOLDS(arg->dim = 1);
    REFUSED("arg 0 has an unknown type", arg->type = (mplan_type)-1);
    REFUSED("arg 0 has an unknown layout", arg->layout = MPLAN_N_LAYOUTS);
    REFUSED("arg 0 has an unknown layout", arg->layout = (mplan_layout)-1);
    HOLDS(arg->layout = MPLAN_LAYOUT_AOS);
    HOLDS(arg->layout = MPLAN_LAYOUT_SOA);
    REFUSED("arg 3 has a dim below 1", ARG_OF(0, 3)->dim = -1);
}

static void loops_run_over_sets(void **state)
{
    mplan_plan_loop *loop = &plan->loops[1];
    (void)state;
    REFUSED("loop update runs over set -1 of 4 sets", loop->set = -1);
    REFUSED("loop update runs over set 4 of 4 sets", loop->set = 4);
    REFUSED("was made for a loop over another set", loop->set = 0);
    HOLDS(loop->calls = 1);
    REFUSED("loop update: 0 calls of 0 flops are impossible", loop->calls = 0);
    REFUSED("loop update: 1 calls of -1 flops are impossible", loop->flops = -1);
    HOLDS(loop->flops = 0);
    REFUSED("default variant 0 of 0 variants", loop->n_variants = 0);
    REFUSED("default variant -1 of", loop->default_variant = -1);
    REFUSED("default variant", loop->default_variant = loop->n_variants);
    HOLDS(loop->default_variant = 0);
    HOLDS(loop->default_variant = loop->n_variants - 1);
    HOLDS(loop->n_variants = 1, loop->default_variant = 0);
    REFUSED("loops res_calc and update are both primary", loop->primary = true);
    REFUSED("no loop is primary", plan->loops[0].primary = false);
    REFUSED("no loop is primary", plan->loops[0].primary = false, plan->n_loops = 1,
            plan->n_block_sets = 2);
    HOLDS(plan->loops[0].primary = false, loop->primary = true);
}

static int32_t variant_with(mplan_strategy strategy, mplan_sums sums)
{
    for (int32_t v = 0; v < plan->loops[0].n_variants; v++)
        if (VARIANT_OF(0, v)->strategy == strategy && VARIANT_OF(0, v)->sums == sums)
            return v;
    fail_msg("no such variant");
    return -1;
}

static void variants_refer_to_blocks(void **state)
{
    const int32_t owner = variant_with(MPLAN_STRATEGY_OWNER_GATHER, MPLAN_SUMS_PARTIAL);
    mplan_plan_variant *runs = VARIANT_OF(0, BY_RUNS), *atomic = VARIANT_OF(0, ATOMIC);
    mplan_plan_variant *gather = VARIANT_OF(0, variant_with(MPLAN_STRATEGY_BLOCK_GATHER,
                                                            MPLAN_SUMS_PARTIAL));
    (void)state;
    REFUSED("variant 4 has an unknown strategy", atomic->strategy = MPLAN_N_STRATEGIES);
    REFUSED("variant 4 has an unknown strategy", atomic->strategy = (mplan_strategy)-1);
    REFUSED("variant 4 refers to a block set that does not exist", atomic->block_set = -2);
    REFUSED("variant 4 refers to a block set that does not exist",
            atomic->block_set = plan->n_block_sets);
    REFUSED("variant 4 refers to blocks of a set", atomic->block_set = plan->n_block_sets - 1);
    HOLDS(atomic->block_set = 0, atomic->block_limit = blocks[0].block_limit);
    HOLDS(atomic->block_set = -1);
    REFUSED("has no block set", runs->block_set = -1);
    REFUSED("has no block set", gather->block_set = -1);
    REFUSED("gathers by owner and refers to a block set", VARIANT_OF(0, owner)->block_set = 0,
            VARIANT_OF(0, owner)->block_limit = blocks[0].block_limit);
    REFUSED("has unknown sums or an unknown encoding", gather->sums = MPLAN_N_SUMS);
    REFUSED("has unknown sums or an unknown encoding", gather->sums = (mplan_sums)-1);
    REFUSED("has unknown sums or an unknown encoding",
            VARIANT_OF(0, owner)->encoding = MPLAN_N_ENCODINGS);
    REFUSED("has unknown sums or an unknown encoding",
            VARIANT_OF(0, owner)->encoding = (mplan_encoding)-1);
    REFUSED("has a block limit that is not that of its block set", runs->block_limit++);
    REFUSED("has a block limit that is not that of its block set", runs->block_limit--);
    for (int32_t limit = -1; limit <= 1025; limit += limit == 1 ? 1022 : 1)
        if (limit < 0 || limit > 1024)
            REFUSED("has a block limit that is not in 0 to 1024", atomic->block_set = -1,
                    atomic->block_limit = limit);
        else
            HOLDS(atomic->block_set = -1, atomic->block_limit = limit);
    REFUSED("has no threads, or none with elements", atomic->threads = 0);
    REFUSED("has no threads, or none with elements", atomic->elements_per_thread = 0);
    HOLDS(atomic->threads = atomic->elements_per_thread = 1);
}

static void rounds_are_smaller_than_blocks(void **state)
{
    static const char other[] = "has rounds that its blocks cannot have";
    mplan_plan_variant *gather = VARIANT_OF(0, variant_with(MPLAN_STRATEGY_BLOCK_GATHER,
                                                            MPLAN_SUMS_PARTIAL));
    (void)state;
    for (int32_t round = -1; round <= gather->block_limit + 1; round++)
        if (round >= 0 && round < gather->block_limit)
            HOLDS(gather->round = round);
        else
            REFUSED(other, gather->round = round);
    for (int32_t v = 0; v < plan->loops[0].n_variants; v++)
        if (VARIANT_OF(0, v)->strategy != MPLAN_STRATEGY_BLOCK_GATHER)
            REFUSED(other, VARIANT_OF(0, v)->round = 1);
    if (gather->block_limit > 1)
        REFUSED(other, gather->round = 1, plan->loops[0].layering = MPLAN_LAYERING_LAYERS);
}

static void variants_count_colours(void **state)
{
    static const char none[] = "has numbers of colours of blocks and threads, but no such colours";
    static const char more[] = "has more block colours than blocks";
    mplan_plan_variant *runs = VARIANT_OF(0, BY_RUNS), *global = VARIANT_OF(0, GLOBAL),
                       *atomic = VARIANT_OF(0, ATOMIC);
    mplan_plan_variant *parts = VARIANT_OF(0, variant_with(MPLAN_STRATEGY_BLOCK_GATHER,
                                                           MPLAN_SUMS_PARTIAL));
    mplan_plan_variant *adds = VARIANT_OF(0, variant_with(MPLAN_STRATEGY_BLOCK_GATHER,
                                                          MPLAN_SUMS_ATOMIC));
    mplan_plan_variant *colour = VARIANT_OF(0, variant_with(MPLAN_STRATEGY_BLOCK_GATHER,
                                                            MPLAN_SUMS_COLOUR));
    const int64_t size = plan->sets[0].size;
    (void)state;
    mplan_plan_variant *const without[] = {global, atomic, parts, adds};
    for (int i = 0; i < 4; i++) {
        REFUSED(none, without[i]->block_colours = 1);
        REFUSED(none, without[i]->thread_colours_max = 1);
        REFUSED(none, without[i]->thread_colours_total = 1);
    }
    REFUSED(none, colour->thread_colours_max = 1);
    REFUSED(none, colour->thread_colours_total = 1);
    mplan_plan_variant *const by_block[] = {runs, colour};
    for (int i = 0; i < 2; i++) {
        HOLDS(by_block[i]->block_colours = blocks[by_block[i]->block_set].n_blocks);
        REFUSED(more, by_block[i]->block_colours = blocks[by_block[i]->block_set].n_blocks + 1);
        HOLDS(by_block[i]->block_colours = 0);
        REFUSED(more, by_block[i]->block_colours = -1);
        REFUSED("has a number of global colours, but no global colours",
                by_block[i]->global_colours = 1);
        REFUSED("has a number of global colours, but no global colours",
                by_block[i]->global_colours = -1);
    }
    HOLDS(global->global_colours = 0);
    HOLDS(global->global_colours = size);
    REFUSED("has more colours than elements", global->global_colours = size + 1);
    REFUSED("has more colours than elements", global->global_colours = -1);
    REFUSED("promises equal bits, but atomic additions do not give them",
            atomic->deterministic = true);
    REFUSED("promises equal bits, but atomic additions do not give them", adds->deterministic = true);
    HOLDS(atomic->deterministic = true, ARG_OF(0, 2)->access = MPLAN_READ);
    HOLDS(atomic->deterministic = true, ARG_OF(0, 2)->map = -1);
    for (int access = MPLAN_WRITE; access <= MPLAN_INC; access++)
        REFUSED("promises equal bits", atomic->deterministic = true,
                ARG_OF(0, 2)->access = (mplan_access)access);
    HOLDS(parts->deterministic = false, colour->deterministic = false, global->deterministic = false);
    HOLDS(parts->deterministic = true, colour->deterministic = true, global->deterministic = true);
}

static void block_sets_have_limits(void **state)
{
    (void)state;
    REFUSED("block set 0 cuts a set that does not exist", blocks[0].set = -1);
    REFUSED("block set 0 cuts a set that does not exist", blocks[0].set = 4);
    REFUSED("block set 0 was made for a loop that does not exist", blocks[0].loop = -1);
    REFUSED("block set 0 was made for a loop that does not exist", blocks[0].loop = 2);
    REFUSED("block set 0 was made for a loop over another set", blocks[0].loop = 1);
    REFUSED("block set 2 was made for a loop over another set", blocks[2].loop = 0);
    REFUSED("block set 1 has more blocks than elements", blocks[1].n_blocks = -1);
    REFUSED("block set 1 has more blocks than elements", blocks[1].n_blocks = plan->sets[0].size + 1);
    HOLDS(blocks[1].n_blocks = plan->sets[0].size);
    for (int32_t limit = 0; limit <= 1025; limit += limit == 2 ? 1021 : 1) {
        blocks[0].block_limit = limit;
        for (int l = 0; l < 2; l++)
            for (int32_t v = 0; v < plan->loops[l].n_variants; v++)
                if (VARIANT_OF(l, v)->block_set == 0)
                    VARIANT_OF(l, v)->block_limit = limit;
        if (limit < 1 || limit > 1024)
            REFUSED("has a block limit that is not in 1 to 1024", (void)limit);
        else
            HOLDS((void)limit);
    }
    for (int32_t points = 0; points <= 65536; points += points == 2 ? 65532 : 1)
        if (points < 1 || points > 65535)
            REFUSED("has a limit of points that is not in 1 to 65535", blocks[0].max_points = points);
        else
            HOLDS(blocks[0].max_points = points);
    REFUSED("has a negative limit of shared bytes", blocks[0].shared_bytes = -1);
    HOLDS(blocks[0].shared_bytes = 0);
    REFUSED("has an unknown partitioner", blocks[0].partitioner = MPLAN_N_PARTITIONERS);
    REFUSED("has an unknown partitioner", blocks[0].partitioner = MPLAN_PARTITIONER_AUTO);
    HOLDS(blocks[0].partitioner = (mplan_partitioner)(MPLAN_N_PARTITIONERS - 1));
    HOLDS(blocks[0].alternative_pairs = -1);
    HOLDS(blocks[0].alternative_pairs = 0);
    REFUSED("has an alternative of negative cost", blocks[0].alternative_pairs = -2);
}

/* Block set 0 as the native partitioner made it. */
static void came_by(mplan_origin origin, int32_t a, int32_t b, int32_t c, int32_t patches,
                    int64_t largest)
{
    blocks[0].partitioner = MPLAN_PARTITIONER_NATIVE;
    blocks[0].origin = (mplan_block_origin){origin, false, {a, b, c}, patches, largest};
}

/* The same with stacks of layers in a part that owns so many elements of set 0. */
static void stacked_in_part(int64_t owned, int32_t columns, int32_t highest, int64_t largest)
{
    for (int32_t s = 0; s < plan->n_sets; s++)
        plan->sets[s].part = (mplan_part_set){.parts = 2, .owned = s == 0 ? owned : 0};
    came_by(MPLAN_ORIGIN_LAYERS, columns, 9, highest, 1, largest);
}

static void origins_have_figures(void **state)
{
    enum { SIZE = 14, MOST = INT32_MAX - 1 };
    static const char others[] = "has the origin of another partitioner",
                      lacks[] = "has no figures, but its origin needs them";
    static const char surplus[] = "has figures, but its origin has none";
    static const char large[] = "has a figure of its origin that is too large";
    static const char order[] = "has extents that do not descend",
                      room[] = "has a patch that is larger than its extent";
    static const char more[] = "has a patch of more elements than there are";
    static const char layers[] = "has layers that do not match its elements";
    (void)state;
    assert_int_equal(plan->sets[0].size, SIZE);
    HOLDS(came_by(MPLAN_ORIGIN_OTHER, 0, 0, 0, 0, 0));
    HOLDS(came_by(MPLAN_ORIGIN_OTHER, 0, 0, 0, 0, 0), blocks[0].partitioner = MPLAN_PARTITIONER_NONE);
    REFUSED("of unknown origin was refined", came_by(MPLAN_ORIGIN_OTHER, 0, 0, 0, 0, 0),
            blocks[0].origin.refined = true);
    REFUSED("has an unknown origin", came_by(MPLAN_N_ORIGINS, 1, 1, 1, 1, 1));
    REFUSED("has an unknown origin", came_by((mplan_origin)-1, 1, 1, 1, 1, 1));
    for (mplan_origin origin = MPLAN_ORIGIN_OTHER; origin < MPLAN_ORIGIN_QUADS; origin++) {
        HOLDS(came_by(origin, 0, 0, 0, 0, 0));
        REFUSED(surplus, came_by(origin, 1, 0, 0, 0, 0));
        REFUSED(surplus, came_by(origin, 0, 1, 0, 0, 0));
        REFUSED(surplus, came_by(origin, 0, 0, 1, 0, 0));
        REFUSED(surplus, came_by(origin, 0, 0, 0, 1, 0));
        REFUSED(surplus, came_by(origin, 0, 0, 0, 0, 1));
        REFUSED(surplus, came_by(origin, 0, 0, 0, 0, -1));
    }
    for (mplan_origin origin = MPLAN_ORIGIN_OTHER + 1; origin < MPLAN_N_ORIGINS; origin++) {
        const bool figures = origin > MPLAN_ORIGIN_OTHER + 1;
        came_by(origin, figures * SIZE, figures, figures, figures, figures * SIZE);
        const mplan_block_origin good = blocks[0].origin;
        HOLDS(blocks[0].origin.refined = true);
        REFUSED(others, blocks[0].partitioner = MPLAN_PARTITIONER_METIS, blocks[0].origin = good);
        if (!figures)
            continue;
        REFUSED(lacks, came_by(origin, 0, 1, 1, 1, SIZE));
        REFUSED(lacks, came_by(origin, SIZE, 0, 1, 1, SIZE));
        REFUSED(lacks, came_by(origin, SIZE, 1, 0, 1, SIZE));
        REFUSED(lacks, came_by(origin, SIZE, 1, 1, 0, SIZE));
        REFUSED(lacks, came_by(origin, SIZE, 1, 1, 1, 0));
        REFUSED(large, came_by(origin, INT32_MAX, 1, 1, 1, SIZE));
        REFUSED(large, came_by(origin, INT32_MAX, INT32_MAX, 1, 1, SIZE));
        REFUSED(large, came_by(origin, INT32_MAX, INT32_MAX, INT32_MAX, 1, SIZE));
        REFUSED(large, came_by(origin, SIZE, 1, 1, INT32_MAX, SIZE));
        REFUSED(large, came_by(origin, MOST, MOST, 1, 1, INT32_MAX));
    }
    for (mplan_origin origin = MPLAN_ORIGIN_QUADS; origin < MPLAN_ORIGIN_LAYERS; origin++) {
        REFUSED(order, came_by(origin, 3, 4, 1, 1, 1));
        REFUSED(order, came_by(origin, 4, 3, 4, 1, 1));
        HOLDS(came_by(origin, 3, 3, 3, 1, 1));
        HOLDS(came_by(origin, 3, 2, 2, 1, 12));
        REFUSED(room, came_by(origin, 3, 2, 2, 1, 13));
        HOLDS(came_by(origin, MOST, MOST, MOST, 1, SIZE));
        const bool elements = origin == MPLAN_ORIGIN_QUADS || origin == MPLAN_ORIGIN_HEXES;
        HOLDS(came_by(origin, 5, 5, 1, SIZE, SIZE));
        if (elements) {
            REFUSED(more, came_by(origin, 5, 5, 1, SIZE, SIZE + 1));
            REFUSED(more, came_by(origin, 5, 5, 1, SIZE + 1, SIZE));
        } else {
            HOLDS(came_by(origin, 5, 5, 1, SIZE + 1, SIZE + 1));
            HOLDS(came_by(origin, MOST, MOST, 1, MOST, MOST));
        }
    }
    HOLDS(came_by(MPLAN_ORIGIN_LAYERS, 7, 9, 2, 1, SIZE));
    REFUSED(layers, came_by(MPLAN_ORIGIN_LAYERS, 6, 9, 2, 1, SIZE));
    REFUSED(layers, came_by(MPLAN_ORIGIN_LAYERS, 7, 9, 2, 2, SIZE));
    REFUSED(layers, came_by(MPLAN_ORIGIN_LAYERS, 7, 9, 2, 1, SIZE - 1));
    REFUSED(layers, came_by(MPLAN_ORIGIN_LAYERS, 7, 9, 2, 1, SIZE + 1));
    HOLDS(came_by(MPLAN_ORIGIN_LAYERS, SIZE, MOST, MOST, 1, SIZE));
    REFUSED(layers, came_by(MPLAN_ORIGIN_LAYERS, SIZE + 1, 1, 1, 1, SIZE));
    HOLDS(stacked_in_part(SIZE - 4, 5, 2, SIZE - 4));
    HOLDS(stacked_in_part(SIZE - 4, 7, 2, SIZE)); /* all of the set was cut at once */
    REFUSED(layers, stacked_in_part(SIZE - 4, 5, 2, SIZE));
    REFUSED(layers, stacked_in_part(SIZE - 4, 7, 2, SIZE - 3));
    REFUSED(layers, stacked_in_part(SIZE - 4, SIZE - 3, 2, SIZE - 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_there_and_differ),
        cmocka_unit_test(sets_have_sizes_that_fit),
        cmocka_unit_test(measures_come_in_pairs),
        cmocka_unit_test(maps_lead_between_sets),
        cmocka_unit_test(args_are_known),
        cmocka_unit_test(loops_run_over_sets),
        cmocka_unit_test(variants_refer_to_blocks),
        cmocka_unit_test(rounds_are_smaller_than_blocks),
        cmocka_unit_test(variants_count_colours),
        cmocka_unit_test(block_sets_have_limits),
        cmocka_unit_test(origins_have_figures),
    };
    return cmocka_run_group_tests(tests, open_cases, close_cases);
}
