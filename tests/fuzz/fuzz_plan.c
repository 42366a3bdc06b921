/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_plan.c - whatever the tables, loops and options: a plan is refused, or made and holds
 *
 * The bytes are choices, taken one after the other; those that are missing are
 * 0. What is left over at the end are the entries of the maps. */
#include <stdio.h>
#include <stdlib.h>

#include "meshplan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_ARGS = 4, MAX_POINTS = 200, MAX_ENTRIES = 4096 };

typedef struct choices {
    const uint8_t *at, *end;
} choices;

/* The next choice, in [0, n). */
static int32_t choose(choices *from, int32_t n)
{
    return from->at < from->end ? *from->at++ % n : 0;
}

/* A map of the elements: fixed rows, or ragged rows of length 0 to 7. */
static mplan_status add_map(mplan_mesh *mesh, const char *name, int64_t rows, int32_t arity,
                            int32_t n_points, choices *from, mplan_error *err)
{
    static int64_t offsets[MAX_ENTRIES + 1];
    static int32_t values[8 * MAX_ENTRIES];
    int64_t n = 0;
    offsets[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        int32_t length = arity ? arity : choose(from, 8);
        for (int32_t k = 0; k < length; k++)
            values[n++] = choose(from, n_points + 1) - 1;
        offsets[r + 1] = n;
    }
    return mplan_mesh_add_map(mesh, name, 0, 1, arity, arity ? NULL : offsets, values, NULL, err);
}

static mplan_status add_coordinates(mplan_mesh *mesh, int32_t set, int64_t n, choices *from,
                                    mplan_error *err)
{
    static double xyz[3 * MAX_ENTRIES];
    int32_t dimension = 2 + choose(from, 2);
    for (int64_t i = 0; i < n * dimension; i++)
        xyz[i] = choose(from, 256) / 16.0 - 4;
    return mplan_mesh_set_coordinates(mesh, set, dimension, xyz, err);
}

static mplan_status make_mesh(choices *from, mplan_mesh **mesh, mplan_error *err)
{
    int32_t has_coordinates = choose(from, 3), arity = choose(from, 5), second = choose(from, 4);
    int32_t n_points = choose(from, MAX_POINTS) + 1, rows = choose(from, 256);
    bool itself = choose(from, 8) == 7; /* from and to are one set */
    if (mplan_mesh_create(mesh, err) || mplan_mesh_add_set(*mesh, "elements", rows, NULL, err) ||
        mplan_mesh_add_set(*mesh, "points", n_points, NULL, err))
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    if (has_coordinates)
        status = add_coordinates(*mesh, has_coordinates - 1, has_coordinates == 1 ? rows : n_points,
                                 from, err);
    if (!status)
        status = add_map(*mesh, "elements_points", rows, arity, n_points, from, err);
    if (!status && second)
        status = add_map(*mesh, "second", rows, second, n_points, from, err);
    if (!status && itself && rows > 0) {
        static int32_t next[256];
        for (int32_t r = 0; r < rows; r++)
            next[r] = choose(from, rows + 1) - 1;
        status = mplan_mesh_add_map(*mesh, "itself", 0, 0, 1, NULL, next, NULL, err);
    }
    return status;
}

static void make_loop(choices *from, const char *const *maps, int32_t n_maps, mplan_arg *args,
                      mplan_loop *loop)
{
    static const char *const dats[] = {"a", "b", "c", "d"};
    loop->n_args = 1 + choose(from, MAX_ARGS);
    loop->primary = choose(from, 4) == 3;
    loop->calls = 1 + choose(from, 3);
    loop->args = args;
    for (int32_t a = 0; a < loop->n_args; a++) {
        bool again = from->at < from->end && *from->at >= 128; /* the dat of the arg before */
        args[a] = (mplan_arg){.dat = dats[a],
                              .map = maps[choose(from, n_maps)],
                              .access = (mplan_access)choose(from, 4),
                              .dim = 1 + choose(from, 9),
                              .type = (mplan_type)(1 + choose(from, 6))};
        args[a].none = args[a].map ? (mplan_none)choose(from, 3) : MPLAN_NONE_REFUSE;
        if (a > 0 && again) {
            args[a].dat = args[a - 1].dat;
            args[a].dim = args[a - 1].dim;
            args[a].type = args[a - 1].type;
        }
    }
}

static void make_options(choices *from, mplan_plan_options *options)
{
    static const mplan_renumber methods[] = {MPLAN_RENUMBER_AUTO,       MPLAN_RENUMBER_NONE,
                                             MPLAN_RENUMBER_RCM,        MPLAN_RENUMBER_HILBERT,
                                             MPLAN_RENUMBER_GPS,        MPLAN_RENUMBER_SLOAN,
                                             MPLAN_RENUMBER_AGGLOMERATE};
    static const mplan_partitioner partitioners[] = {MPLAN_PARTITIONER_NONE, MPLAN_PARTITIONER_NONE,
                                                     MPLAN_PARTITIONER_NATIVE,
                                                     MPLAN_PARTITIONER_HILBERT};
    options->partitioner = partitioners[choose(from, 4)];
    options->renumber = methods[choose(from, 7)];
    options->point_order = (mplan_point_order)choose(from, MPLAN_N_POINT_ORDERS);
    options->keep_better = choose(from, 2);
    options->block_size = 1 + choose(from, 64);
    options->max_points = choose(from, 2) ? choose(from, 64) : 0;
    options->shared_bytes = choose(from, 2) ? 16 * choose(from, 256) : 0;
    int32_t first = choose(from, MPLAN_N_STRATEGIES);
    options->n_strategies = choose(from, MPLAN_N_STRATEGIES + 1); /* 0: by the cost model */
    for (int32_t s = 0; s < options->n_strategies; s++)
        options->strategies[s] = (mplan_strategy)((first + s) % MPLAN_N_STRATEGIES);
}

/* No colouring is below its bound. */
static void check_bounds(const mplan_plan *plan)
{
    mplan_error err;
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        for (int32_t v = 0; v < loop->n_variants; v++) {
            const mplan_plan_variant *variant = &loop->variants[v];
            mplan_variant_bounds bounds;
            if (mplan_plan_variant_bounds(plan, l, v, &bounds, NULL, &err) ||
                variant->block_colours < bounds.block_colours ||
                variant->thread_colours_total < bounds.thread_colours_total ||
                variant->global_colours < bounds.global_colours)
                abort();
        }
    }
}

static void plan_and_prove(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                           const mplan_plan_options *options)
{
    static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};
    mplan_error err;
    mplan_plan *plan = NULL;
    mplan_status status = mplan_plan_create(mesh, n_loops, loops, options, &one_thread, &plan, &err);
    bool refused = status == MPLAN_ERR_ARGUMENT || status == MPLAN_ERR_MESH ||
                   status == MPLAN_ERR_UNSUPPORTED;
    if (!status)
        status = mplan_plan_verify(plan, mesh, &one_thread, &err);
    if (!status)
        check_bounds(plan);
    if (status && !refused) {
        fprintf(stderr, "%s: %s\n", mplan_status_name(status), err.text);
        abort();
    }
    mplan_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const maps[] = {"elements_points", NULL, "second", "itself"};
    static const char *const back[] = {"points_elements", NULL};
    choices from = {data, data + size};
    mplan_error err;
    mplan_mesh *mesh = NULL;
    mplan_arg args[3][MAX_ARGS];
    mplan_loop loops[3] = {{.name = "one", .over = "elements"},
                           {.name = "two", .over = "elements"},
                           {.name = "three", .over = "points"}};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    int32_t n_loops = 1 + choose(&from, 3);
    make_options(&from, &options);
    for (int32_t l = 0; l < n_loops; l++)
        make_loop(&from, l == 2 ? back : maps, l == 2 ? 2 : 4, args[l], &loops[l]);
    if (make_mesh(&from, &mesh, &err) == MPLAN_OK)
        plan_and_prove(mesh, n_loops, loops, &options);
    mplan_mesh_free(mesh);
    return 0;
}
