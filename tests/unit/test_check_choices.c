/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_choices.c - variants and block sets are what the request leads to
 *
 * Only the proof is asked (check/check_request.h): each line changes the records, or what was asked,
 * at and beyond a limit. */
#include "support_cases.h"

static support_cases cases;
static mplan_asked *asked;
static mplan_plan_block_set *blocks;
static mplan_map *maps; /* of the plan as it was made */

static mplan_status choices_hold(support_cases *all, mplan_error *err)
{
    mplan_check check = all->check;
    check.maps = maps;
    return mplan_check_choices(&check, &all->asked, err);
}

enum { FLUX, VISC, MOVE }; /* loops over cells, faces, and the direct one over nodes */
enum { GATHER, OWNER, COLOUR, N_VARIANTS }; /* variants of each */

static int open_cases(void **state)
{
    static const mplan_arg flux[] = {
        {"x", "cells_nodes", MPLAN_READ, 3, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE},
        {"res", "cells_nodes", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
    };
    static const mplan_arg visc[] = {
        {"x", "faces_nodes", MPLAN_READ, 3, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE},
        {"sum", "faces_cells", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
    };
    static const mplan_arg move[] = {{"res", NULL, MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                                     {"old", NULL, MPLAN_WRITE, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    static const mplan_loop loops[] = {{"flux", "cells", true, 2, 30, 2, flux},
                                       {"visc", "faces", false, 1, 1, 2, visc},
                                       {"move", "nodes", false, 1, 1, 2, move}};
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_generate_options shape = MPLAN_GENERATE_OPTIONS_INIT;
    (void)state;
    shape.size[0] = 7;
    shape.size[1] = 6;
    options.block_size = 16;
    options.n_strategies = N_VARIANTS;
    options.strategies[GATHER] = MPLAN_STRATEGY_BLOCK_GATHER;
    options.strategies[OWNER] = MPLAN_STRATEGY_OWNER_GATHER;
    options.strategies[COLOUR] = MPLAN_STRATEGY_BLOCK_COLOUR;
    options.encoding = MPLAN_ENCODING_INDEX32;
    options.partitioner = MPLAN_PARTITIONER_NATIVE;
    options.renumber = MPLAN_RENUMBER_RCM;
    assert_done(mplan_mesh_generate(&shape, NULL, &mesh, &err), &err);
    assert_done(mplan_plan_create(mesh, 3, loops, &options, NULL, &plan, &err), &err);
    support_cases_open(&cases, mesh, plan);
    mplan_check check = cases.check;
    assert_done(mplan_check_maps(&check, &err), &err);
    free(check.valid);
    maps = check.maps;
    cases.proof = choices_hold;
    asked = &cases.asked;
    blocks = plan->block_sets;
    *asked = (mplan_asked){.block_size = 16,
                           .n_strategies = N_VARIANTS,
                           .keep_better = true,
                           .encoding = MPLAN_ENCODING_INDEX32,
                           .partitioner = MPLAN_PARTITIONER_NATIVE,
                           .renumber = MPLAN_RENUMBER_RCM,
                           .point_order = MPLAN_POINTS_AUTO,
                           .device = "h200",
                           .device_bytes = 232448,
                           .primary = -1,
                           .target = -1};
    memcpy(asked->strategies, options.strategies, sizeof asked->strategies);
    support_cases_asked(&cases);
    return 0;
}

static int close_cases(void **state)
{
    (void)state;
    support_cases_close(&cases);
    free(maps);
    return 0;
}

/* --- variants --- */

/* All block limits; asked->block_size is what it is. */
static void limit_blocks(int32_t limit)
{
    for (int b = 0; b < cases.plan->n_block_sets; b++)
        blocks[b].block_limit = limit;
    for (int l = 0; l < cases.plan->n_loops; l++)
        for (int v = 0; v < N_VARIANTS; v++) {
            mplan_plan_variant *variant = VARIANT_OF(l, v);
            int32_t threads = variant->strategy == MPLAN_STRATEGY_OWNER_GATHER
                                  ? 128
                                  : (limit + 31) / 32 * 32;
            if (variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER && threads > (l == FLUX ? 256 : 128))
                threads = l == FLUX ? 256 : 128; /* flux increments by 4 columns, visc by 2 */
            variant->block_limit = limit;
            variant->threads = threads;
            if (variant->block_set >= 0)
                variant->elements_per_thread = ((limit + 31) / 32 * 32 + threads - 1) / threads;
        }
}

/* One strategy, chosen for all loops; `move` has nothing to gather. */
static void chosen(mplan_strategy strategy)
{
    asked->n_strategies = 0;
    for (int l = 0; l < cases.plan->n_loops; l++) {
        mplan_plan_variant *variant = VARIANT_OF(l, 0);
        cases.plan->loops[l].n_variants = 1;
        if (l != MOVE)
            *variant = *VARIANT_OF(l, strategy == MPLAN_STRATEGY_BLOCK_GATHER   ? GATHER
                                      : strategy == MPLAN_STRATEGY_OWNER_GATHER ? OWNER
                                                                                : COLOUR);
    }
}

static void block_limits_are_as_asked(void **state)
{
    static const char other[] = "does not have the requested block limit";
    (void)state;
    HOLDS();
    for (int32_t limit = 15; limit <= 17; limit++) {
        HOLDS(limit_blocks(limit), asked->block_size = limit);
        if (limit != 16)
            REFUSED("block set 0 does not have the requested block limit", limit_blocks(limit));
    }
    REFUSED("block set 1 does not have the requested block limit", blocks[1].block_limit = 17);
    REFUSED("loop visc, variant 1 does not have the requested block limit",
            VARIANT_OF(VISC, OWNER)->block_limit = 15);
    /* left open: 256 where strategies are named, else what the first block set has */
    HOLDS(limit_blocks(256), asked->block_size = 0);
    REFUSED(other, limit_blocks(255), asked->block_size = 0);
    REFUSED(other, limit_blocks(257), asked->block_size = 0);
    HOLDS(chosen(MPLAN_STRATEGY_BLOCK_GATHER), asked->block_size = 0);
    HOLDS(chosen(MPLAN_STRATEGY_BLOCK_GATHER), asked->block_size = 0, limit_blocks(100));
    REFUSED(other, chosen(MPLAN_STRATEGY_BLOCK_GATHER), asked->block_size = 0,
            blocks[1].block_limit = 100);
}

static void threads_are_as_asked(void **state)
{
    static const char other[] = "does not have the threads that follow from the request";
    static const char each[] = "does not have the elements per thread that follow from the request";
    static const int32_t limits[] = {1,   31,  32,  33,  64,  127, 128, 129, 160, 161,
                                     255, 256, 257, 288, 289, 511, 512, 513, 1024};
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        HOLDS(limit_blocks(limits[i]), asked->block_size = limits[i]);
    for (int l = 0; l < 3; l++)
        for (int v = 0; v < N_VARIANTS; v++) {
            REFUSED(other, VARIANT_OF(l, v)->threads += 32);
            REFUSED(other, VARIANT_OF(l, v)->threads -= 1);
            REFUSED(each, VARIANT_OF(l, v)->elements_per_thread++);
            REFUSED(other, asked->block_threads = 64, VARIANT_OF(l, v)->threads = 96);
        }
    /* as many columns as the maps that are written have: 3 and 4 */
    HOLDS(limit_blocks(300), asked->block_size = 300);
    REFUSED("loop flux, variant 0 does not have the threads", limit_blocks(300),
            asked->block_size = 300, cases.plan->maps[0].arity = 3, cases.plan->maps[1].arity = 3,
            cases.plan->maps[2].arity = 3);
    /* named */
    asked->block_threads = 64;
    for (int l = 0; l < 3; l++)
        for (int v = 0; v < N_VARIANTS; v++)
            VARIANT_OF(l, v)->threads = 64;
    HOLDS((void)state);
    REFUSED(other, asked->block_threads = 64);
    /* one thread less than a warp, which no request names */
    for (int l = 0; l < 3; l++)
        for (int v = 0; v < N_VARIANTS; v++) {
            VARIANT_OF(l, v)->threads = 31;
            VARIANT_OF(l, v)->elements_per_thread = VARIANT_OF(l, v)->block_set >= 0 ? 2 : 1;
        }
    HOLDS(asked->block_threads = 31);
    /* 100 elements are four warps: two times 64 */
    for (int more = -1; more <= 1; more++) {
        limit_blocks(100);
        asked->block_size = 100;
        asked->block_threads = 64;
        for (int l = 0; l < 3; l++)
            for (int v = 0; v < N_VARIANTS; v++) {
                VARIANT_OF(l, v)->threads = 64;
                VARIANT_OF(l, v)->elements_per_thread = VARIANT_OF(l, v)->block_set >= 0 ? 2 : 1;
            }
        VARIANT_OF(VISC, COLOUR)->elements_per_thread += more;
        if (more)
            REFUSED("loop visc, variant 2 does not have the elements per thread", (void)state);
        else
            HOLDS((void)state);
    }
}

/* Blocks of 100, in rounds of so many elements (0: none) under block-gather; `asks`: in the request. */
static void go_round(int32_t round, int32_t asks)
{
    limit_blocks(100);
    asked->block_size = 100;
    asked->round = asks;
    for (int l = FLUX; l <= VISC && round; l++) {
        VARIANT_OF(l, GATHER)->round = VARIANT_OF(l, GATHER)->threads = round;
        VARIANT_OF(l, GATHER)->elements_per_thread = (128 + round - 1) / round;
    }
}

/* Of block-gather, where blocks may have more elements; threads are those of a round. */
static void rounds_are_as_asked(void **state)
{
    static const char other[] = "does not have the rounds that follow from the request";
    (void)state;
    HOLDS(go_round(0, 0));
    HOLDS(go_round(0, 100));
    HOLDS(go_round(0, 128));
    REFUSED(other, go_round(0, 99));
    REFUSED(other, go_round(0, 32));
    for (int32_t round = 32; round < 100; round += 32) {
        HOLDS(go_round(round, round));
        REFUSED(other, go_round(round, 0));
        REFUSED(other, go_round(round, round + 32));
        REFUSED("does not have the threads", go_round(round, round),
                VARIANT_OF(VISC, GATHER)->threads = 128);
        REFUSED("does not have the threads", go_round(round, round), asked->block_threads = 128);
        REFUSED("does not have the threads", go_round(round, round),
                VARIANT_OF(FLUX, GATHER)->round = 0);
        for (int v = OWNER; v < N_VARIANTS; v++)
            REFUSED("does not have the", go_round(round, round), VARIANT_OF(FLUX, v)->round = round);
        REFUSED(other, go_round(round, round),
                cases.plan->loops[VISC].layering = MPLAN_LAYERING_LAYERS);
    }
}

static void strategies_are_as_asked(void **state)
{
    static const char other[] = "does not have the requested strategy";
    (void)state;
    REFUSED(other, asked->strategies[OWNER] = MPLAN_STRATEGY_TWO_STEP);
    REFUSED("loop flux, variant 0 does not have the requested strategy",
            asked->strategies[GATHER] = MPLAN_STRATEGY_OWNER_GATHER);
    REFUSED("loop move, variant 1 does not have the requested strategy",
            VARIANT_OF(MOVE, 1)->strategy = MPLAN_STRATEGY_OWNER_GATHER);
    REFUSED("loop move, variant 2 does not have the requested strategy",
            VARIANT_OF(MOVE, 2)->strategy = MPLAN_STRATEGY_ATOMIC);
    REFUSED("loop flux has 3 variants, of which 0 is the default, but the request gives 2",
            asked->n_strategies = 2);
    REFUSED("loop visc has 2 variants", cases.plan->loops[VISC].n_variants = 2);
    REFUSED("of which 1 is the default", cases.plan->loops[VISC].default_variant = 1);
    REFUSED("gives 1, and the first", asked->n_strategies = 0);
    /* chosen: any, but atomic where nothing is written by maps */
    HOLDS(chosen(MPLAN_STRATEGY_BLOCK_GATHER));
    HOLDS(chosen(MPLAN_STRATEGY_OWNER_GATHER));
    HOLDS(chosen(MPLAN_STRATEGY_BLOCK_COLOUR));
    REFUSED("loop move, variant 0 does not have the requested strategy",
            chosen(MPLAN_STRATEGY_BLOCK_COLOUR), *VARIANT_OF(MOVE, 0) = *VARIANT_OF(MOVE, COLOUR));
    REFUSED("is not for the requested device", VARIANT_OF(VISC, 1)->device = "h100");
    REFUSED("is not for the requested device", VARIANT_OF(VISC, 1)->device = NULL);
    REFUSED("is not for the requested device", snprintf(asked->device, sizeof asked->device, "h20"));
    HOLDS(VARIANT_OF(VISC, OWNER)->encoding = MPLAN_ENCODING_PAIR32,
          VARIANT_OF(FLUX, OWNER)->encoding = MPLAN_ENCODING_PAIR32,
          asked->encoding = MPLAN_ENCODING_PAIR32);
    REFUSED("loop visc, variant 1 does not have the requested encoding",
            VARIANT_OF(VISC, OWNER)->encoding = MPLAN_ENCODING_PAIR32);
    HOLDS(VARIANT_OF(VISC, OWNER)->encoding = MPLAN_ENCODING_PAIR32,
          asked->encoding = MPLAN_ENCODING_NONE);
    REFUSED("loop flux, variant 0 does not have the requested sums", asked->sums = MPLAN_SUMS_COLOUR);
    REFUSED("loop visc, variant 0 does not have the requested sums",
            VARIANT_OF(VISC, GATHER)->sums = MPLAN_SUMS_COLOUR);
    HOLDS(chosen(MPLAN_STRATEGY_BLOCK_GATHER), VARIANT_OF(VISC, 0)->sums = MPLAN_SUMS_COLOUR);
    for (int v = 0; v < N_VARIANTS; v++)
        if (v != OWNER) {
            HOLDS(VARIANT_OF(FLUX, v)->shared_bytes_max = 232448);
            REFUSED("stages more bytes than a block may",
                    VARIANT_OF(FLUX, v)->shared_bytes_max = 232449);
        }
}

static void promises_are_what_strategies_give(void **state)
{
    static const char none[] = "promises equal bits, but atomic additions do not give them";
    static const char due[] = "gives equal bits, but does not promise them";
    (void)state;
    for (int l = 0; l < 3; l++)
        for (int v = 0; v < N_VARIANTS; v++)
            REFUSED(due, VARIANT_OF(l, v)->deterministic = false);
    REFUSED(none, VARIANT_OF(FLUX, GATHER)->sums = MPLAN_SUMS_ATOMIC);
    REFUSED(none, asked->strategies[OWNER] = MPLAN_STRATEGY_ATOMIC,
            VARIANT_OF(FLUX, OWNER)->strategy = MPLAN_STRATEGY_ATOMIC,
            VARIANT_OF(FLUX, OWNER)->threads = 32);
    for (int l = FLUX; l <= VISC; l++) {
        VARIANT_OF(l, GATHER)->sums = MPLAN_SUMS_ATOMIC;
        VARIANT_OF(l, GATHER)->deterministic = false;
    }
    HOLDS(asked->sums = MPLAN_SUMS_ATOMIC);
    /* what is chosen gives equal bits, unless others are allowed */
    REFUSED("does not give equal bits, but the request requires them",
            chosen(MPLAN_STRATEGY_BLOCK_GATHER), VARIANT_OF(FLUX, 0)->sums = MPLAN_SUMS_ATOMIC,
            VARIANT_OF(FLUX, 0)->deterministic = false);
    HOLDS(chosen(MPLAN_STRATEGY_BLOCK_GATHER), VARIANT_OF(FLUX, 0)->sums = MPLAN_SUMS_ATOMIC,
          VARIANT_OF(FLUX, 0)->deterministic = false, asked->nondeterministic = true);
    REFUSED(none, chosen(MPLAN_STRATEGY_BLOCK_GATHER),
            VARIANT_OF(FLUX, 0)->sums = MPLAN_SUMS_ATOMIC, asked->nondeterministic = true);
    HOLDS(chosen(MPLAN_STRATEGY_BLOCK_GATHER), asked->nondeterministic = true);
}

static void variants_run_their_blocks(void **state)
{
    static const char others[] = "refers to blocks of another loop, or to blocks that it does not run";
    (void)state;
    for (int l = 0; l < 3; l++)
        for (int v = 0; v < N_VARIANTS; v++)
            for (int32_t b = -1; b < 3; b++)
                if (b != VARIANT_OF(l, v)->block_set)
                    REFUSED(others, VARIANT_OF(l, v)->block_set = b);
    /* a loop without blocks of its own runs any over its set */
    HOLDS(cases.plan->n_block_sets = 2);
    HOLDS(cases.plan->n_block_sets = 2, VARIANT_OF(MOVE, COLOUR)->block_set = 0);
    REFUSED(others, cases.plan->n_block_sets = 2, VARIANT_OF(MOVE, COLOUR)->block_set = -1);
}

/* --- block sets --- */

static void limits_of_blocks_are_as_asked(void **state)
{
    static const char points[] = "does not have the requested limit of points";
    static const char bytes[] = "does not have the requested limit of shared bytes";
    (void)state;
    for (int b = 0; b < 3; b++) {
        REFUSED(points, blocks[b].max_points--);
        REFUSED(bytes, blocks[b].shared_bytes--);
        REFUSED(bytes, blocks[b].shared_bytes++);
    }
    REFUSED(points, asked->max_points = 65534);
    HOLDS(asked->max_points = 65535);
    HOLDS(asked->max_points = 1,
          blocks[0].max_points = blocks[1].max_points = blocks[2].max_points = 1);
    REFUSED(bytes, asked->shared_bytes = 232447);
    HOLDS(asked->shared_bytes = 1600,
          blocks[0].shared_bytes = blocks[1].shared_bytes = blocks[2].shared_bytes = 1600);
    REFUSED("stages more bytes than a block may", asked->shared_bytes = 1599,
            blocks[0].shared_bytes = blocks[1].shared_bytes = blocks[2].shared_bytes = 1599);
    REFUSED("was made by the native partitioner, but has no origin",
            blocks[0].origin.origin = MPLAN_ORIGIN_OTHER);
    HOLDS(blocks[0].origin.origin = MPLAN_ORIGIN_OTHER, cases.plan->no_origins = true);
    REFUSED("the plan has no loops", cases.plan->loops[0].primary = false);
    HOLDS(cases.plan->loops[MOVE].calls = 9);
}

/* A cell by itself touches 4 nodes, and stages 4 x 12 and 4 x 16 bytes of them. */
static void only_large_elements_leave_blocks_out(void **state)
{
    static const char none[] = "no blocks, which come first, although no element of it is larger";
    (void)state;
    REFUSED(none, chosen(MPLAN_STRATEGY_OWNER_GATHER), cases.plan->n_block_sets = 0);
    HOLDS(chosen(MPLAN_STRATEGY_OWNER_GATHER), cases.plan->n_block_sets = 0, asked->max_points = 3);
    REFUSED(none, chosen(MPLAN_STRATEGY_OWNER_GATHER), cases.plan->n_block_sets = 0,
            asked->max_points = 4);
    HOLDS(chosen(MPLAN_STRATEGY_OWNER_GATHER), cases.plan->n_block_sets = 0,
          asked->shared_bytes = 111);
    REFUSED(none, chosen(MPLAN_STRATEGY_OWNER_GATHER), cases.plan->n_block_sets = 0,
            asked->shared_bytes = 112);
    /* a block set of another loop is then the first one */
    HOLDS(chosen(MPLAN_STRATEGY_OWNER_GATHER), cases.plan->n_block_sets = 1, blocks[0] = blocks[1],
          blocks[0].max_points = 3, asked->max_points = 3);
}

static void the_primary_loop_is_cut_first(void **state)
{
    static const char cut[] = "block set 0 was not made by the requested partitioner";
    (void)state;
    static const char none[] = "no blocks, which come first, although a variant of it runs some";
    REFUSED(none, blocks[0].loop = VISC);
    REFUSED(none, cases.plan->loops[FLUX].primary = false, cases.plan->loops[VISC].primary = true);
    REFUSED(none, cases.plan->n_block_sets = 0);
    REFUSED(cut, blocks[0].partitioner = MPLAN_PARTITIONER_METIS);
    REFUSED(cut, blocks[0].partitioner = MPLAN_PARTITIONER_NONE);
    REFUSED(cut, asked->partitioner = MPLAN_PARTITIONER_METIS);
    REFUSED(cut, cases.check.loops[FLUX].n_maps = 0); /* nothing to cut by */
    REFUSED("block set 0 is of the primary loop and does not follow the stored order",
            blocks[0].sequence = true);
    REFUSED("block set 0 is of the primary loop and has an alternative",
            blocks[0].alternative_pairs = 0);
    HOLDS(blocks[0].alternative_pairs = -1);
    REFUSED("block set 0 is of the primary loop and has an alternative",
            blocks[0].alternative_pairs = 1000);
    /* the partitioner was left open: native where it made any blocks */
    HOLDS(asked->partitioner = MPLAN_PARTITIONER_AUTO, blocks[1].alternative_pairs = -1,
          blocks[1].sequence = false, blocks[1].partitioner = MPLAN_PARTITIONER_NONE);
    HOLDS(asked->partitioner = MPLAN_PARTITIONER_AUTO, blocks[1].alternative_pairs = -1,
          blocks[1].sequence = false, blocks[1].partitioner = MPLAN_PARTITIONER_NONE,
          blocks[0].partitioner = MPLAN_PARTITIONER_NONE);
    REFUSED(cut, asked->partitioner = MPLAN_PARTITIONER_AUTO,
            blocks[0].partitioner = MPLAN_PARTITIONER_METIS);
    REFUSED(cut, asked->partitioner = MPLAN_PARTITIONER_AUTO,
            blocks[0].partitioner = MPLAN_PARTITIONER_NONE);
}

/* Blocks of visc: runs of the stored order, without being compared with another cut. */
static void runs(void)
{
    blocks[1].partitioner = MPLAN_PARTITIONER_NONE;
    blocks[1].sequence = false;
    blocks[1].alternative_pairs = -1;
}

static void later_loops_are_compared(void **state)
{
    static const char cut[] = "block set 1 was not made by the requested partitioner";
    static const char two[] = "block set 1 has no alternative, but two cuts were compared";
    static const char one[] = "block set 1 has an alternative, but there was only one cut";
    static const char worse[] = "block set 1 was kept, but runs of the stored order are not worse";
    const int32_t pairs = (int32_t)(cases.plan->metrics[1].pairs + cases.plan->metrics[2].pairs);
    const int32_t spare = (int32_t)cases.plan->block_sets[1].alternative_pairs - pairs;
    (void)state;
    REFUSED("block set 1 was made for a loop that already has one", blocks[1].loop = FLUX);
    REFUSED("block set 2 was made for a loop that already has one, or is out of order",
            blocks[2].loop = VISC);
    REFUSED("block set 2 was made for a loop that already has one, or is out of order",
            blocks[1].loop = MOVE, blocks[1].partitioner = MPLAN_PARTITIONER_NONE,
            blocks[1].sequence = false, blocks[1].alternative_pairs = -1, blocks[2].loop = VISC);
    REFUSED(cut, blocks[1].partitioner = MPLAN_PARTITIONER_METIS);
    REFUSED(two, blocks[1].alternative_pairs = -1);
    REFUSED(two, runs());
    HOLDS(runs(), blocks[1].alternative_pairs = 0);
    HOLDS(runs(), blocks[1].alternative_pairs = 1000);
    HOLDS(blocks[1].alternative_pairs = pairs + 1);
    REFUSED(worse, blocks[1].alternative_pairs = pairs);
    REFUSED(worse, blocks[1].alternative_pairs = pairs - 1);
    assert_true(spare > 0);
    REFUSED(worse, cases.plan->metrics[2].pairs += spare);
    HOLDS(cases.plan->metrics[2].pairs += spare - 1);
    HOLDS(cases.plan->metrics[0].pairs += 1000);
    HOLDS(cases.plan->metrics[2].pairs += 1000, cases.plan->metrics[2].loop = FLUX);
    REFUSED("consists of runs of the stored order, but has a sequence", runs(),
            blocks[1].sequence = true, blocks[1].alternative_pairs = 5);
    HOLDS(blocks[1].sequence = false);
    /* no maps, or those of the primary loop over its set: nothing to compare with */
    REFUSED("block set 2 has an alternative, but there was only one cut",
            blocks[2].alternative_pairs = 0);
    REFUSED(cut, cases.check.loops[VISC].n_maps = 0);
    REFUSED("block set 1 has an alternative", cases.check.loops[VISC].n_maps = 0, runs(),
            blocks[1].alternative_pairs = 0);
    HOLDS(cases.plan->loops[VISC].set = cases.plan->loops[FLUX].set);
    HOLDS(cases.check.loops[VISC].n_maps = 1,
          cases.check.loops[VISC].maps[0] = cases.check.loops[FLUX].maps[0],
          cases.check.loops[VISC].written[0] = true);
    HOLDS(cases.plan->loops[VISC].set = cases.plan->loops[FLUX].set,
          cases.check.loops[VISC].n_maps = 1, cases.check.loops[VISC].written[0] = true);
    REFUSED(one, cases.plan->loops[VISC].set = cases.plan->loops[FLUX].set,
            cases.check.loops[VISC].n_maps = 1,
            cases.check.loops[VISC].maps[0] = cases.check.loops[FLUX].maps[0],
            cases.check.loops[VISC].written[0] = true,
            blocks[1].partitioner = MPLAN_PARTITIONER_NONE, blocks[1].sequence = false);
    for (int more = 0; more < 2; more++) {
        cases.plan->loops[VISC].set = cases.plan->loops[FLUX].set;
        cases.check.loops[VISC].n_maps = 1;
        cases.check.loops[VISC].maps[0] = cases.check.loops[FLUX].maps[0];
        cases.check.loops[VISC].written[0] = true;
        if (more)
            REFUSED(cut, (void)one);
        else
            HOLDS(runs());
    }
    /* the partitioner is none, or was left open where no colours of blocks are first */
    REFUSED(one, asked->partitioner = MPLAN_PARTITIONER_NONE,
            blocks[0].partitioner = MPLAN_PARTITIONER_NONE, runs(), blocks[1].alternative_pairs = 5);
    HOLDS(asked->partitioner = MPLAN_PARTITIONER_NONE,
          blocks[0].partitioner = MPLAN_PARTITIONER_NONE, runs());
    REFUSED(cut, asked->partitioner = MPLAN_PARTITIONER_AUTO);
    HOLDS(asked->partitioner = MPLAN_PARTITIONER_AUTO, runs());
    HOLDS(asked->partitioner = MPLAN_PARTITIONER_AUTO, chosen(MPLAN_STRATEGY_BLOCK_COLOUR));
    REFUSED(two, asked->partitioner = MPLAN_PARTITIONER_AUTO, chosen(MPLAN_STRATEGY_BLOCK_COLOUR),
            runs());
}

/* As if the second loop were the primary one: its block set is the first. */
static void a_later_loop_may_be_primary(void **state)
{
    const mplan_plan_block_set first = blocks[0];
    (void)state;
    blocks[0] = blocks[1];
    blocks[1] = first;
    blocks[0].sequence = false;
    blocks[0].alternative_pairs = -1;
    blocks[1].alternative_pairs = 1000;
    for (int v = GATHER; v <= COLOUR; v += COLOUR) {
        VARIANT_OF(FLUX, v)->block_set = 1;
        VARIANT_OF(VISC, v)->block_set = 0;
    }
    cases.plan->loops[FLUX].primary = false;
    HOLDS(cases.plan->loops[VISC].primary = true);
}

static mplan_status arrays_hold(support_cases *all, mplan_error *err)
{
    return mplan_check_arrays(&all->check, err);
}

/* Pairs of points: one map of two columns. */
static void pair32_is_for_pairs(void **state)
{
    (void)state;
    cases.proof = arrays_hold;
    HOLDS();
    REFUSED("loop flux: pair32 is for one map of arity 2",
            VARIANT_OF(FLUX, OWNER)->encoding = MPLAN_ENCODING_PAIR32);
    REFUSED("OWNER_ROW_START of loop visc variant 1 is missing",
            VARIANT_OF(VISC, OWNER)->encoding = MPLAN_ENCODING_PAIR32);
    cases.proof = choices_hold;
}

/* The target: of the first arg that increments through a map, else that writes, else that reads. */
static void the_target_is_found(void **state)
{
    const struct {
        mplan_access access[2];
        int32_t map[2];
        int32_t due; /* arg; -1: none */
    } rows[] = {
        {{MPLAN_READ, MPLAN_INC}, {0, 1}, 1},   {{MPLAN_INC, MPLAN_READ}, {0, 1}, 0},
        {{MPLAN_WRITE, MPLAN_INC}, {0, 1}, 1},  {{MPLAN_INC, MPLAN_INC}, {0, 1}, 0},
        {{MPLAN_READ, MPLAN_WRITE}, {0, 1}, 1}, {{MPLAN_RW, MPLAN_WRITE}, {0, 1}, 0},
        {{MPLAN_READ, MPLAN_READ}, {0, 1}, 0},  {{MPLAN_READ, MPLAN_INC}, {0, -1}, 0},
        {{MPLAN_READ, MPLAN_READ}, {-1, 0}, 1}, {{MPLAN_READ, MPLAN_READ}, {-1, -1}, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mplan_error err;
        cases.plan->maps[0].to = 0;
        cases.plan->maps[1].to = 1;
        for (int a = 0; a < 2; a++) {
            ARG_OF(FLUX, a)->access = rows[i].access[a];
            ARG_OF(FLUX, a)->map = rows[i].map[a];
        }
        assert_done(mplan_check_choices(&cases.check, asked, &err), &err);
        assert_int_equal(asked->primary, FLUX);
        assert_int_equal(asked->cut_by, MPLAN_PARTITIONER_NATIVE);
        assert_int_equal(asked->target, rows[i].due < 0 ? -1 : rows[i].map[rows[i].due]);
        HOLDS((void)state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_limits_are_as_asked),
        cmocka_unit_test(threads_are_as_asked),
        cmocka_unit_test(rounds_are_as_asked),
        cmocka_unit_test(strategies_are_as_asked),
        cmocka_unit_test(promises_are_what_strategies_give),
        cmocka_unit_test(variants_run_their_blocks),
        cmocka_unit_test(limits_of_blocks_are_as_asked),
        cmocka_unit_test(only_large_elements_leave_blocks_out),
        cmocka_unit_test(the_primary_loop_is_cut_first),
        cmocka_unit_test(later_loops_are_compared),
        cmocka_unit_test(pair32_is_for_pairs),
        cmocka_unit_test(a_later_loop_may_be_primary),
        cmocka_unit_test(the_target_is_found),
    };
    return cmocka_run_group_tests(tests, open_cases, close_cases);
}
