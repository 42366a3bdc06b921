/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_sets.c - renumbering, holes, splits, layouts and versions are what the request leads to
 *
 * Only the proof is asked (check/check_request.h): each line changes the records, or what was asked,
 * at and beyond a limit. */
#include "support_cases.h"

static support_cases cases;
static mplan_plan_set *cells, *nodes; /* cells are run, nodes are the target */
static mplan_asked *asked;
static const mplan_mesh *seen; /* the mesh that the proof gets */

static mplan_status sets_hold(support_cases *all, mplan_error *err)
{
    return mplan_check_sets(&all->check, &all->asked, seen, err);
}

/* Loop 0 increments res at the nodes of cells; loop 1 runs over nodes. Points are to be stored as
 * renumbered, by their input order. */
static int open_cases(void **state)
{
    static const mplan_arg args[] = {
        {"x", "cells_nodes", MPLAN_READ, 3, MPLAN_TYPE_F32, MPLAN_NONE_REFUSE},
        {"area", NULL, MPLAN_WRITE, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"res", "cells_nodes", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
    };
    static const mplan_arg direct[] = {{"res", NULL, MPLAN_RW, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    static const mplan_loop loops[] = {{"flux", "cells", true, 2, 30, 3, args},
                                       {"move", "nodes", false, 1, 1, 1, direct}};
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_generate_options shape = MPLAN_GENERATE_OPTIONS_INIT;
    (void)state;
    shape.size[0] = 7;
    shape.size[1] = 6;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    options.partitioner = MPLAN_PARTITIONER_NATIVE;
    options.renumber = MPLAN_RENUMBER_NONE;
    options.point_order = MPLAN_POINTS_RENUMBERED;
    assert_done(mplan_mesh_generate(&shape, NULL, &mesh, &err), &err);
    assert_done(mplan_plan_create(mesh, 2, loops, &options, NULL, &plan, &err), &err);
    support_cases_open(&cases, mesh, plan);
    cases.proof = sets_hold;
    asked = &cases.asked;
    *asked = (mplan_asked){.n_strategies = 1,
                           .strategies = {MPLAN_STRATEGY_ATOMIC},
                           .renumber = MPLAN_RENUMBER_NONE,
                           .keep_better = true,
                           .partitioner = MPLAN_PARTITIONER_NATIVE,
                           .cut_by = MPLAN_PARTITIONER_NATIVE,
                           .point_order = MPLAN_POINTS_RENUMBERED};
    cells = &plan->sets[plan->loops[0].set];
    nodes = &plan->sets[plan->loops[1].set];
    asked->target = plan->loops[1].set;
    support_cases_asked(&cases);
    return 0;
}

static int close_cases(void **state)
{
    (void)state;
    support_cases_close(&cases);
    return 0;
}

/* Measures of the three orders of nodes. */
static void measure(int64_t input, int64_t renumbered, int64_t stored)
{
    const int64_t wide[] = {input, renumbered, stored};
    for (int i = 0; i < 3; i++) {
        nodes->bandwidth[i] = wide[i];
        nodes->profile[i] = wide[i] < 0 ? -1 : 2 * wide[i];
    }
}

/* As if nodes had been renumbered so, and stored anyhow. */
static void renumbered_by(mplan_renumber method)
{
    asked->renumber = nodes->renumber = method;
    asked->point_order = MPLAN_POINTS_LEXICOGRAPHIC;
    measure(9, 5, 7);
    nodes->kept = false;
}

static void other_sets_are_as_they_came(void **state)
{
    static const char reason[] = "set cells was renumbered or measured, but it is not";
    (void)state;
    HOLDS();
    REFUSED(reason, cells->kept = true);
    REFUSED(reason, cells->renumber = MPLAN_RENUMBER_RCM);
    for (int i = 0; i < 3; i++) {
        HOLDS(cells->bandwidth[i] = -1);
        REFUSED(reason, cells->bandwidth[i] = 0);
        REFUSED(reason, cells->bandwidth[i] = 1);
    }
}

static void the_target_is_renumbered_as_asked(void **state)
{
    static const char method[] = "was not renumbered as requested";
    (void)state;
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM));
    REFUSED(method, renumbered_by(MPLAN_RENUMBER_RCM), nodes->renumber = MPLAN_RENUMBER_GPS);
    REFUSED(method, renumbered_by(MPLAN_RENUMBER_RCM), asked->renumber = MPLAN_RENUMBER_AUTO);
    HOLDS(renumbered_by(MPLAN_RENUMBER_HILBERT), asked->renumber = MPLAN_RENUMBER_AUTO);
    HOLDS(renumbered_by(MPLAN_RENUMBER_AGGLOMERATE), asked->renumber = MPLAN_RENUMBER_AUTO);
}

static void the_target_is_measured(void **state)
{
    static const char lacks[] =
        "has no measure of one of its orders, or a measure of an order that does not exist";
    static const char bounds[] = "has impossible measures of the renumbered order";
    (void)state;
    HOLDS(asked->point_order = MPLAN_POINTS_COUNT, measure(0, -1, 0));
    REFUSED(lacks, asked->point_order = MPLAN_POINTS_COUNT, measure(-1, -1, 0));
    REFUSED(lacks, asked->point_order = MPLAN_POINTS_COUNT, measure(0, -1, -1));
    REFUSED(lacks, asked->point_order = MPLAN_POINTS_COUNT, measure(0, 0, 0));
    REFUSED(lacks, renumbered_by(MPLAN_RENUMBER_RCM), measure(3, -1, 3));
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), measure(0, 0, 0), nodes->kept = true);
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), measure(2, 1, 0));
    REFUSED(bounds, renumbered_by(MPLAN_RENUMBER_RCM), measure(0, 1, 0));
    REFUSED(bounds, renumbered_by(MPLAN_RENUMBER_RCM), measure(1, 0, 0));
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), measure(1, 1, 0), nodes->kept = true);
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), measure(3, nodes->size - 1, 3), nodes->kept = true);
    REFUSED(bounds, renumbered_by(MPLAN_RENUMBER_RCM), measure(3, nodes->size, 3));
    /* the profile is a sum over points, each of which is at most as wide than the bandwidth */
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 5);
    REFUSED(bounds, renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 4);
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 5 * nodes->size, nodes->kept = true);
    REFUSED(bounds, renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 5 * nodes->size + 1);
    /* one point, or none, lies beside nothing */
    for (int64_t size = 0; size <= 2; size++) {
        HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), measure(0, 0, 0), nodes->kept = true,
              nodes->size = nodes->storage_size = size);
        if (size < 2)
            REFUSED(bounds, renumbered_by(MPLAN_RENUMBER_RCM), measure(1, 1, 1),
                    nodes->size = nodes->storage_size = size, nodes->profile[1] = 1);
    }
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), measure(1, 1, 1),
          nodes->size = nodes->storage_size = 2, nodes->kept = true);
}

static void the_better_order_is_kept(void **state)
{
    static const char was[] = "kept its input order, but the renumbered order must be used";
    static const char due[] = "did not keep its input order, but that order is not worse";
    (void)state;
    REFUSED(was, renumbered_by(MPLAN_RENUMBER_RCM), nodes->kept = true);
    REFUSED(due, renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 18);
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 18, nodes->kept = true);
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 17);
    REFUSED(was, renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 17, nodes->kept = true);
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 18, asked->keep_better = false);
    REFUSED(was, renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 18, nodes->kept = true,
            asked->keep_better = false);
    REFUSED(was, asked->point_order = MPLAN_POINTS_COUNT, nodes->kept = true);
    /* only with a partitioner and a method that was asked for, with block colours or with atomic adds */
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 18,
          asked->cut_by = MPLAN_PARTITIONER_NONE, asked->strategies[0] = MPLAN_STRATEGY_OWNER_GATHER);
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 18, nodes->kept = true,
          asked->cut_by = MPLAN_PARTITIONER_NONE, asked->strategies[0] = MPLAN_STRATEGY_ATOMIC);
    REFUSED(due, renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 18,
            asked->cut_by = MPLAN_PARTITIONER_NONE, asked->strategies[0] = MPLAN_STRATEGY_ATOMIC);
    HOLDS(renumbered_by(MPLAN_RENUMBER_RCM), nodes->profile[1] = 18,
          asked->cut_by = MPLAN_PARTITIONER_NONE,
          asked->strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR, nodes->kept = true);
    HOLDS(renumbered_by(MPLAN_RENUMBER_AGGLOMERATE), nodes->profile[1] = 18,
          asked->renumber = MPLAN_RENUMBER_AUTO, asked->strategies[0] = MPLAN_STRATEGY_OWNER_GATHER);
    HOLDS(renumbered_by(MPLAN_RENUMBER_AGGLOMERATE), nodes->profile[1] = 18, nodes->kept = true,
          asked->renumber = MPLAN_RENUMBER_AUTO, asked->strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR);
    REFUSED(was, renumbered_by(MPLAN_RENUMBER_RCM), nodes->kept = true, asked->keep_better = false,
            asked->strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR, nodes->profile[1] = 18);
}

static void swap_two_nodes(void)
{
    int32_t *order = (int32_t *)(uintptr_t)mplan_check_new_of_old(&cases.check, asked->target);
    order[nodes->size - 1] = (int32_t)(nodes->size - 2);
    order[nodes->size - 2] = (int32_t)(nodes->size - 1);
}

/* As renumbered and stored so: measures of the stored order differ from none of the others. */
static void stored_as_renumbered(void)
{
    renumbered_by(MPLAN_RENUMBER_RCM);
    asked->point_order = MPLAN_POINTS_RENUMBERED;
    measure(9, 5, 5);
}

static void points_are_stored_as_renumbered(void **state)
{
    static const char order[] = "set nodes must be stored in its input order, but is not";
    static const char other[] =
        "set nodes is stored as renumbered, but the measures of the two orders differ";
    (void)state;
    REFUSED(order, swap_two_nodes());
    REFUSED(order, stored_as_renumbered(), measure(5, 5, 5), nodes->kept = true, swap_two_nodes());
    HOLDS(stored_as_renumbered(), swap_two_nodes());
    REFUSED(other, nodes->bandwidth[2]++);
    REFUSED(other, nodes->profile[2]++);
    REFUSED(other, nodes->bandwidth[2]--);
    HOLDS(stored_as_renumbered());
    REFUSED(other, stored_as_renumbered(), nodes->bandwidth[2] = 9);
    REFUSED(other, stored_as_renumbered(), nodes->profile[2] = 18);
    HOLDS(stored_as_renumbered(), measure(5, 6, 5), nodes->kept = true);
    REFUSED(other, stored_as_renumbered(), measure(5, 6, 6), nodes->kept = true);
    HOLDS(asked->point_order = MPLAN_POINTS_COUNT, nodes->bandwidth[2]++, swap_two_nodes());
    HOLDS(cases.plan->loops[0].set = asked->target, nodes->bandwidth[2]++);
    /* left open: it depends on the strategy and the partitioner */
    HOLDS(asked->point_order = MPLAN_POINTS_AUTO);
    REFUSED(other, asked->point_order = MPLAN_POINTS_AUTO, nodes->bandwidth[2]++);
    HOLDS(asked->point_order = MPLAN_POINTS_AUTO, nodes->bandwidth[2]++,
          asked->strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR);
    HOLDS(asked->point_order = MPLAN_POINTS_AUTO, nodes->bandwidth[2]++,
          asked->strategies[0] = MPLAN_STRATEGY_BLOCK_GATHER);
    REFUSED(other, asked->point_order = MPLAN_POINTS_AUTO, nodes->bandwidth[2]++,
            asked->strategies[0] = MPLAN_STRATEGY_BLOCK_GATHER,
            asked->cut_by = MPLAN_PARTITIONER_NONE);
    /* the chosen one decides where none was asked for */
    HOLDS(asked->point_order = MPLAN_POINTS_AUTO, nodes->bandwidth[2]++, asked->n_strategies = 0,
          VARIANT_OF(0, 0)->strategy = MPLAN_STRATEGY_BLOCK_COLOUR);
}

static void holes_are_asked_for(void **state)
{
    static const char reason[] = "has holes, which were not requested";
    (void)state;
    REFUSED("set nodes has holes, which", nodes->storage_size++);
    REFUSED("set cells has holes, which", cells->storage_size++);
    HOLDS(asked->point_order = MPLAN_POINTS_PADDED);
    REFUSED(reason, asked->point_order = MPLAN_POINTS_PADDED, cells->storage_size++);
    REFUSED(reason, asked->point_order = MPLAN_POINTS_PADDED,
            nodes->storage_size++); /* a loop runs over them */
    HOLDS(asked->point_order = MPLAN_POINTS_PADDED, nodes->storage_size++, cases.plan->n_loops = 1);
    REFUSED(reason, asked->point_order = MPLAN_POINTS_COUNT, nodes->storage_size++,
            cases.plan->n_loops = 1);
    REFUSED(reason, asked->point_order = MPLAN_POINTS_PADDED, nodes->storage_size++,
            cases.plan->n_loops = 1, cases.plan->maps[0].from = asked->target);
    REFUSED(reason, asked->point_order = MPLAN_POINTS_PADDED, nodes->storage_size++,
            cases.plan->n_loops = 1, cases.check.loops[0].n_sets = 0);
    REFUSED("set cells has holes", asked->point_order = MPLAN_POINTS_PADDED, cells->storage_size++,
            cases.plan->n_loops = 0);
}

/* Sets s0 -> s1 -> s2 -> s3 by maps, the first of them named; coordinates of one. */
static mplan_mesh *chain(const char *const names[4], int with_coordinates)
{
    static const double xyz[4] = {0, 1, 2, 3};
    static const int32_t values[2] = {0, 1};
    mplan_error err;
    mplan_mesh *mesh;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    for (int s = 0; s < 4; s++)
        assert_done(mplan_mesh_add_set(mesh, names[s], 2, NULL, &err), &err);
    for (int s = 0; s < 3; s++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", names[s], names[s + 1]);
        assert_done(mplan_mesh_add_map(mesh, name, s, s + 1, 1, NULL, values, NULL, &err), &err);
    }
    if (with_coordinates >= 0)
        assert_done(mplan_mesh_set_coordinates(mesh, with_coordinates, 2, xyz, &err), &err);
    return mesh;
}

static void hilbert_needs_coordinates(void **state)
{
    static const char *const first[4] = {"nodes", "b", "c", "d"}, *const second[4] = {"b", "nodes",
                                                                                      "c", "d"};
    static const char *const others[4] = {"a", "b", "c", "d"};
    static const char reason[] = "set nodes was renumbered by hilbert, but there are no coordinates";
    (void)state;
    for (int with = -1; with < 4; with++) {
        mplan_mesh *meshes[] = {chain(first, with), chain(second, with), chain(others, with)};
        for (int m = 0; m < 3; m++) {
            /* its own, or those of what at most two maps lead to */
            const bool reached = m == 0 ? with >= 0 && with <= 2 : m == 1 ? with >= 1 : true;
            seen = meshes[m];
            if (reached)
                HOLDS(renumbered_by(MPLAN_RENUMBER_HILBERT), asked->renumber = MPLAN_RENUMBER_AUTO);
            else
                REFUSED(reason, renumbered_by(MPLAN_RENUMBER_HILBERT),
                        asked->renumber = MPLAN_RENUMBER_AUTO);
            HOLDS(renumbered_by(MPLAN_RENUMBER_HILBERT));
            HOLDS(renumbered_by(MPLAN_RENUMBER_AGGLOMERATE), asked->renumber = MPLAN_RENUMBER_AUTO);
            HOLDS(renumbered_by(MPLAN_RENUMBER_HILBERT), asked->renumber = MPLAN_RENUMBER_AUTO,
                  cases.check.other_coordinates = true);
            /* what is wrong without a mesh is wrong with one */
            REFUSED("was not renumbered", renumbered_by(MPLAN_RENUMBER_RCM),
                    asked->renumber = MPLAN_RENUMBER_AUTO);
            REFUSED("set cells was renumbered", cells->kept = true);
            REFUSED("the measures of the two orders differ", nodes->bandwidth[2]++);
        }
        seen = NULL;
        for (int m = 0; m < 3; m++)
            mplan_mesh_free(meshes[m]);
    }
}

/* Cells are split by the map of arg a, the first that says so; then they are. */
static void split_cells(int32_t a)
{
    ARG_OF(0, a)->none = MPLAN_NONE_SPLIT;
    cells->split = "cells_nodes";
}

static void sets_are_split_as_asked(void **state)
{
    static const char reason[] = "is not split by the requested map";
    (void)state;
    REFUSED("set cells is not split by", cells->split = "cells_nodes");
    REFUSED("set nodes is not split by", nodes->split = "cells_nodes");
    HOLDS(cells->split = NULL);
    HOLDS(split_cells(0));
    HOLDS(split_cells(2));
    REFUSED(reason, split_cells(1)); /* a direct arg splits nothing */
    REFUSED(reason, split_cells(0), cells->split = "cells_node");
    REFUSED(reason, split_cells(0), cells->split = "");
    HOLDS(split_cells(0), nodes->name = "cells_boundary", nodes->split = "cells_nodes");
    REFUSED(reason, split_cells(0), nodes->name = "cells_boundary");
    REFUSED(reason, split_cells(0), nodes->name = "cell_boundary", nodes->split = "cells_nodes");
    REFUSED(reason, split_cells(0), nodes->name = "cellx_boundary", nodes->split = "cells_nodes");
    REFUSED(reason, split_cells(0), nodes->name = "cells_bound", nodes->split = "cells_nodes");
    HOLDS(split_cells(0), nodes->name = "cells_bounding");
    HOLDS(split_cells(0), cells->name = "", nodes->name = "_boundary");
    HOLDS(split_cells(0), nodes->name = "_boundary");
    HOLDS(split_cells(0), nodes->name = "b");
    /* the set of such a name, where nothing splits what it would be the boundary of */
    HOLDS(split_cells(0), cells->name = "nodes_boundary");
}

/* The only arg that counts: of loop l, with these; its layout is the due one, the other one is refused. */
static void has_layout(int32_t l, int32_t map, mplan_access access, int32_t dim,
                       mplan_strategy strategy, mplan_layout due)
{
    for (int wrong = 0; wrong < 2; wrong++) {
        mplan_plan_arg *arg = ARG_OF(l, 0);
        cases.plan->loops[0].n_args = l == 0;
        cases.plan->loops[1].n_args = l == 1;
        *arg = (mplan_plan_arg){"dat",
                                map,
                                access,
                                dim,
                                MPLAN_TYPE_F64,
                                MPLAN_NONE_REFUSE,
                                wrong ? MPLAN_LAYOUT_AOS + MPLAN_LAYOUT_SOA - due : due,
                                {0},
                                0};
        asked->strategies[0] = strategy;
        asked->point_order = MPLAN_POINTS_COUNT;
        if (wrong)
            REFUSED("dat dat does not have the layout that follows from its accesses", (void)arg);
        else
            HOLDS((void)arg);
    }
}

static void a_dat_has_the_cheaper_layout(void **state)
{
    enum { DIRECT = -1, MAP = 0 };
    const mplan_layout aos = MPLAN_LAYOUT_AOS, soa = MPLAN_LAYOUT_SOA;
    const mplan_strategy plain = MPLAN_STRATEGY_ATOMIC, owner = MPLAN_STRATEGY_OWNER_GATHER,
                         blocks = MPLAN_STRATEGY_BLOCK_GATHER;
    (void)state;
    /* more than a sector, not whole vectors, at most a line */
    for (int dim = 1; dim <= 17; dim++)
        has_layout(0, MAP, MPLAN_READ, dim, blocks,
                   dim == 5 || dim == 7 || dim == 9 || dim == 11 || dim == 13 || dim == 15 ? soa
                                                                                           : aos);
    has_layout(0, MAP, MPLAN_RW, 5, blocks, aos);
    for (int dim = 1; dim <= 5; dim++) {
        has_layout(0, MAP, MPLAN_READ, dim, plain, aos);
        has_layout(0, MAP, MPLAN_READ, dim, owner, aos);
        has_layout(0, MAP, MPLAN_RW, dim, plain, aos);
        has_layout(0, MAP, MPLAN_INC, dim, plain, soa);
        has_layout(0, MAP, MPLAN_INC, dim, owner, soa);
        has_layout(0, DIRECT, MPLAN_READ, dim, plain, dim == 3 ? aos : soa);
        has_layout(0, DIRECT, MPLAN_WRITE, dim, plain, dim == 3 ? aos : soa);
        has_layout(0, DIRECT, MPLAN_READ, dim, owner, dim >= 2 ? aos : soa);
        /* nothing is gathered where no map is written: no layout is better */
        has_layout(1, DIRECT, MPLAN_READ, dim, owner, soa);
        has_layout(1, DIRECT, MPLAN_READ, dim, plain, dim == 3 ? aos : soa);
    }
}

/* res is incremented by 168 entries of loop 0, and updated at 56 nodes by loop 1. */
static void uses_of_a_dat(int64_t calls_0, int64_t calls_1, mplan_layout layout)
{
    ARG_OF(0, 2)->dim = ARG_OF(1, 0)->dim = 3;
    ARG_OF(0, 2)->layout = ARG_OF(1, 0)->layout = layout;
    cases.plan->loops[0].calls = calls_0;
    cases.plan->loops[1].calls = calls_1;
}

static void all_uses_of_a_dat_count(void **state)
{
    static const char reason[] = "dat res does not have the layout";
    (void)state;
    assert_int_equal(cells->size, 42);
    assert_int_equal(nodes->size, 56);
    /* half of 168 entries more against a tenth of 56 members more: even at 15 calls for 1 */
    HOLDS(uses_of_a_dat(2, 29, MPLAN_LAYOUT_SOA));
    HOLDS(uses_of_a_dat(2, 31, MPLAN_LAYOUT_AOS));
    REFUSED(reason, uses_of_a_dat(2, 31, MPLAN_LAYOUT_SOA));
    REFUSED(reason, uses_of_a_dat(2, 29, MPLAN_LAYOUT_AOS));
    REFUSED("loop flux: dat res", ARG_OF(0, 2)->layout = ARG_OF(1, 0)->layout = MPLAN_LAYOUT_AOS);
    REFUSED("loop move: dat res", ARG_OF(1, 0)->layout = MPLAN_LAYOUT_AOS);
    REFUSED("loop flux: dat res", ARG_OF(0, 2)->layout = MPLAN_LAYOUT_AOS);
    REFUSED("loop flux: dat x", ARG_OF(0, 0)->layout = MPLAN_LAYOUT_SOA);
    REFUSED("loop flux: dat area", ARG_OF(0, 1)->layout = MPLAN_LAYOUT_AOS);
    HOLDS(cases.plan->loops[0].n_args = cases.plan->loops[1].n_args = 0);
    /* they need not be side by side */
    for (int swapped = 0; swapped < 2; swapped++) {
        uses_of_a_dat(2, swapped ? 31 : 29, swapped ? MPLAN_LAYOUT_AOS : MPLAN_LAYOUT_SOA);
        const mplan_plan_arg first = *ARG_OF(0, 0);
        HOLDS(*ARG_OF(0, 0) = *ARG_OF(0, 2), *ARG_OF(0, 2) = first);
    }
    /* as many bytes as the type has: of 4 and of 8 */
    HOLDS(uses_of_a_dat(1, 29, MPLAN_LAYOUT_AOS), ARG_OF(0, 2)->type = MPLAN_TYPE_F32);
    /* a ragged map of as many entries */
    HOLDS(uses_of_a_dat(2, 29, MPLAN_LAYOUT_SOA), cases.plan->maps[0].arity = 0);
    HOLDS(uses_of_a_dat(2, 29, MPLAN_LAYOUT_AOS), cases.plan->maps[0].arity = 0,
          cases.plan->maps[0].n_entries -= 10);
}

static void versions_are_named(void **state)
{
    static const char *const good[][2] = {
        {"meshplan 1\n", ""},
        {"meshplan 1.2.3-rc~\n", ""},
        {"meshplan 1\nmetis 5\n", "m"},
        {"meshplan 1\nscotch 7\n", "s"},
        {"meshplan 1\nscotch 7\n", "g"},
    };
    static const char *const bad[][2] = {
        {"", ""},
        {"meshplan 1", ""},
        {"meshplan \n", ""},
        {"meshplan\n", ""},
        {"meshplux 1\n", ""},
        {"meshplan1\n", ""},
        {"meshplan 1 \n", ""},
        {"meshplan 1\x7f\n", ""},
        {"meshplan 1\n\n", ""},
        {"\n", ""},
        {"metis 5\n", "m"},
        {"meshplan 1\nmetis 5\n", ""},
        {"meshplan 1\n", "m"},
        {"meshplan 1\nmetis 5", "m"},
        {"scotch 7\n", "s"},
        {"meshplan 1\n", "s"},
        {"meshplan 1\n", "g"},
        {"meshplan 1\nmetis 5\nscotch 7\n", "m"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good + sizeof bad / sizeof *bad; i++) {
        const bool is_good = i < sizeof good / sizeof *good;
        const char *const *one = is_good ? good[i] : bad[i - sizeof good / sizeof *good];
        cases.plan->versions = one[0];
        if (*one[1] == 'g')
            renumbered_by(MPLAN_RENUMBER_SCOTCH_GPS);
        if (*one[1] == 'm' || *one[1] == 's')
            asked->cut_by = *one[1] == 'm' ? MPLAN_PARTITIONER_METIS : MPLAN_PARTITIONER_SCOTCH;
        if (is_good)
            HOLDS((void)one);
        else
            REFUSED("VERSIONS must name meshplan and the libraries", (void)one);
    }
    REFUSED("VERSIONS must name", cases.plan->versions = NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_sets_are_as_they_came),
        cmocka_unit_test(the_target_is_renumbered_as_asked),
        cmocka_unit_test(the_target_is_measured),
        cmocka_unit_test(the_better_order_is_kept),
        cmocka_unit_test(points_are_stored_as_renumbered),
        cmocka_unit_test(holes_are_asked_for),
        cmocka_unit_test(hilbert_needs_coordinates),
        cmocka_unit_test(sets_are_split_as_asked),
        cmocka_unit_test(a_dat_has_the_cheaper_layout),
        cmocka_unit_test(all_uses_of_a_dat_count),
        cmocka_unit_test(versions_are_named),
    };
    return cmocka_run_group_tests(tests, open_cases, close_cases);
}
