/* SPDX-License-Identifier: Apache-2.0 */
/* cost_layers.c - how long a loop with layers will take under a strategy, without a device
 *
 * The slowest of what moves bytes, what adds, and what a thread waits for. Constants were fitted to the section "Loops with
 * layers" of tools/gpu/RESULTS.md (LFRic's products on W0 and W2, a flux between columns, a tridiagonal solve; H100 and
 * H200): times there are met within a quarter, but for atomic adds of the flux (1.6 times). Strategies come out in the measured
 * order wherever two differ by more than half a hundredth (test_cost_layers). No libm, as in cost_model.c. */
#include "pipeline/cost_layers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "pipeline/mesh_facts.h"
#include "plan/strategies.h"

/* Shares of the copy rate. OWNERS: by the way of the matrix; light loops are slower, as each element is computed for all of its
 * points. MEMBERS_OWNERS: every number of a row lies in a sector of its own, four times as many bytes. */
static const double OWNER_ROWS = 0.97, OWNER_COMPONENTS = 0.91, OWNER_LIGHT = 0.86,
                    MEMBERS_OWNERS = 0.14;
static const double FLAT = 0.94, COLOURED = 0.77;
/* of these, where a thread reads a matrix member by member */
static const double MEMBERS = 0.75;
/* functions of whole columns, layers (by bulk copies) or points fastest: a column is a chain of operations of one thread */
static const double WHOLE_LAYERS = 0.84, WHOLE_POINTS = 0.7;
/* Strategies by blocks, without matrices and with them (C96 x 70 on an H100). They move TOUCHED times the bytes of levels, as points
 * at the edges of blocks are in several (32 cells of a grid have 45 corners). */
static const double TOUCHED = 1.4, GATHERED = 0.48, GATHERED_MATRIX = 0.089, BY_BLOCKS = 0.14,
                    BY_BLOCKS_MATRIX = 0.063;
/* share of the rate that is lost where all lanes are idle: columns that are lower than the highest */
static const double IDLE = 0.5;
/* seconds: of a thread, of each number that it reads one after the other, and of a launch */
static const double THREAD = 3e-6, LOAD = 0.15e-6, LAUNCH = 2.5e-6;
/* on a core of the host, seconds: of a layer of an element besides its flops, of a number that is kept and added
 * later, and of a call for one slot */
static const double ELEMENT = 5e-9, KEPT = 1.5e-9, ENTRY = 20e-9;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* --- what the loop is ------------------------------------------------------------------------ */

/* Whether an earlier arg of the loop names the same dat. */
static bool named_before(const mplan_loop *loop, int32_t arg)
{
    for (int32_t a = 0; a < arg; a++)
        if (strcmp(loop->args[a].dat, loop->args[arg].dat) == 0)
            return true;
    return false;
}

/* Points of the map that an arg's slots name: those one above the other are one. */
static int32_t distinct_points(const mplan_arg_layers *layers)
{
    int32_t n = 0;
    for (int32_t s = 0; s < layers->n_slots; s++) {
        bool again = false;
        for (int32_t i = 0; i < s; i++)
            again = again || layers->slots[i].of == layers->slots[s].of;
        n += !again;
    }
    return n;
}

/* A direct arg with levels, or one without levels in whatever way it is reached: as if each element had one of its own. */
static void add_direct(const planning *p, const planning_loop *loop, int32_t a,
                       mplan_layers_shape *shape)
{
    const mplan_arg *arg = &loop->loop->args[a];
    const mplan_arg_layers *layers = &loop->arg_layers[a];
    const double bytes = arg->dim * (double)mplan_type_size(arg->type);
    if (!layers->levels) {
        if (loop->arg_map[a] != MPLAN_MAP_GLOBAL)
            shape->flat_bytes += bytes * (double)p->sets[loop->set].size;
        return;
    }
    if (layers->rows > 0) {
        shape->matrix_bytes += bytes;
        shape->row_loads += arg->dim / layers->rows;
        shape->matrix = layers->columns == MPLAN_COLUMNS_OWNER        ? MPLAN_MATRIX_OWNER
                        : p->options->layouts == 1 + MPLAN_LAYOUT_AOS ? MPLAN_MATRIX_MEMBERS
                                                                      : MPLAN_MATRIX_COMPONENTS;
    } else {
        shape->own_bytes += bytes * (arg->access == MPLAN_READ || arg->access == MPLAN_WRITE ? 1 : 2);
        shape->row_loads += arg->access == MPLAN_READ ? arg->dim : 0;
    }
    shape->loads += arg->access == MPLAN_WRITE ? 0 : arg->dim;
    shape->flops += 2.0 * arg->dim;
}

/* An arg with levels through a map. */
static mplan_status add_mapped(const planning *p, const planning_loop *loop, int32_t a,
                               mplan_layers_shape *shape, mplan_error *err)
{
    const mplan_arg *arg = &loop->loop->args[a];
    const mplan_arg_layers *layers = &loop->arg_layers[a];
    const double bytes = arg->dim * (double)mplan_type_size(arg->type), lanes = shape->lanes;
    const bool reads = arg->access == MPLAN_READ, again = named_before(loop->loop, a);
    mplan_reach reach;
    mplan_status status = mplan_planning_reach(p, 1, &loop->arg_map[a], &reach, err);
    if (status)
        return status;
    const int32_t apart = distinct_points(layers);
    shape->apart_bytes += apart * bytes * (reads ? 1 : 2);
    shape->flops += 2.0 * arg->dim * layers->n_slots;
    if (reads) {
        shape->read_bytes += again ? 0 : (double)reach.points * layers->levels * lanes * bytes;
        shape->loads += (double)layers->n_slots * arg->dim;
        shape->row_loads += (double)layers->n_slots * arg->dim;
        return MPLAN_OK;
    }
    shape->increment_bytes += again ? 0 : (double)reach.points * layers->levels * lanes * bytes;
    shape->result_bytes += layers->n_slots * bytes;
    shape->added_numbers += apart * bytes / sizeof(double);
    shape->conflicts = true;
    shape->slots = layers->n_slots > shape->slots ? layers->n_slots : shape->slots;
    shape->valence_max = reach.valence_max > shape->valence_max ? reach.valence_max
                                                                : shape->valence_max;
    return MPLAN_OK;
}

/* All sums are over the loop's args in their order, so that they do not depend on threads. Known
 * flops of the loop replace those that were guessed from its args. */
mplan_status mplan_planning_layers_shape(const planning *p, const planning_loop *loop,
                                         mplan_layers_shape *shape, mplan_error *err)
{
    assert(p && loop && loop->layering && shape && p->sets[loop->set].layered);
    const double all = (double)p->sets[loop->set].size * p->sets[loop->set].layered->layers;
    *shape = (mplan_layers_shape){.cells = (double)mplan_planning_active_layers(p, loop->set),
                                  .layers = p->sets[loop->set].layered->layers,
                                  .whole = loop->layering == MPLAN_LAYERING_COLUMNS};
    shape->lanes = all > 0 ? shape->cells / all : 1;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->loop->n_args && !status; a++) {
        if (loop->arg_map[a] < 0 || !loop->arg_layers[a].levels)
            add_direct(p, loop, a, shape);
        else
            status = add_mapped(p, loop, a, shape, err);
        shape->points_fastest = shape->points_fastest ||
                                (loop->arg_layers[a].levels &&
                                 loop->arg_layers[a].columns == MPLAN_COLUMNS_POINTS);
    }
    for (int32_t m = 0; m < loop->n_maps; m++)
        shape->flat_bytes += 4 * (double)mplan_planning_entries(p, loop->maps[m]);
    shape->entries = shape->cells * shape->slots;
    if (loop->loop->flops > 0)
        shape->flops = (double)loop->loop->flops;
    return status;
}

/* --- on a device ------------------------------------------------------------------------------- */

/* Bytes per second for a kernel of this reach: threads of layers that are not there are idle.
 * reach: a share of the copy rate; lanes: the share of threads that have a layer. */
static double rate_of(const mplan_layers_shape *shape, const mplan_device *device, double reach)
{
    return reach * device->copy_rate * (1 - IDLE * (1 - shape->lanes));
}

/* Seconds that a launch takes: of the device, where it was measured. */
static double launch_of(const mplan_device *device)
{
    return device->launch > 0 ? device->launch : LAUNCH;
}

/* Everything but what is incremented. */
static double read_bytes(const mplan_layers_shape *shape)
{
    return shape->cells * (shape->matrix_bytes + shape->own_bytes) + shape->read_bytes +
           shape->flat_bytes;
}

/* A thread for each level of each point: rows of the matrix are read once. */
static double owner_seconds(const mplan_layers_shape *shape, const mplan_device *device)
{
    const double reach = shape->matrix == MPLAN_MATRIX_NONE         ? OWNER_LIGHT
                         : shape->matrix == MPLAN_MATRIX_OWNER      ? OWNER_ROWS
                         : shape->matrix == MPLAN_MATRIX_COMPONENTS ? OWNER_COMPONENTS
                                                                    : MEMBERS_OWNERS;
    double seconds = (read_bytes(shape) + 2 * shape->increment_bytes) / rate_of(shape, device, reach);
    seconds = larger(seconds,
                     shape->entries * shape->flops / larger(1, shape->slots) / device->flop_rate);
    return larger(seconds, THREAD + LOAD * shape->row_loads) + launch_of(device);
}

/* A thread for each layer of each element; seconds of it by itself, which bind where columns are few. */
static double layer_seconds(const mplan_layers_shape *shape, const mplan_device *device,
                            double bytes, double reach)
{
    const double members = shape->matrix == MPLAN_MATRIX_MEMBERS ? MEMBERS : 1;
    const double seconds = larger(bytes / rate_of(shape, device, reach * members),
                                  shape->cells * shape->flops / device->flop_rate);
    return larger(seconds, THREAD + LOAD * shape->loads);
}

/* Functions of columns are here, too, and loops that write nothing through maps. */
static double atomic_seconds(const mplan_layers_shape *shape, const mplan_device *device)
{
    const double reach = !shape->whole ? FLAT : shape->points_fastest ? WHOLE_POINTS : WHOLE_LAYERS;
    const double seconds = layer_seconds(shape, device,
                                         read_bytes(shape) + 2 * shape->increment_bytes, reach);
    return larger(seconds, shape->cells * shape->added_numbers / device->atomic_rate) +
           launch_of(device);
}

/* What a layer brings to its slots is written, and read again level by level, by lists of the base. */
static double two_step_seconds(const mplan_layers_shape *shape, const mplan_device *device)
{
    const double results = shape->cells * shape->result_bytes;
    const double second = larger((results + 2 * shape->increment_bytes) / rate_of(shape, device, FLAT),
                                 THREAD);
    return layer_seconds(shape, device, read_bytes(shape) + results, FLAT) + second +
           2 * launch_of(device);
}

/* Elements of a colour share no point, so that each of their points comes from memory. */
static double colour_seconds(const mplan_layers_shape *shape, const mplan_device *device)
{
    const double bytes = shape->cells * (shape->matrix_bytes + shape->own_bytes + shape->apart_bytes) +
                         shape->flat_bytes;
    const double members = shape->matrix == MPLAN_MATRIX_MEMBERS ? MEMBERS : 1;
    const double colours = larger(1, (double)shape->valence_max);
    if (shape->layers > device->max_threads) /* a column is in one thread block */
        return HUGE_VAL;
    double seconds = bytes / rate_of(shape, device, COLOURED * members);
    seconds = larger(seconds, shape->cells * shape->flops / device->flop_rate);
    return larger(seconds, colours * (THREAD + LOAD * shape->loads)) + colours * launch_of(device);
}

/* Thread blocks of a launch share nothing; within a block points come from memory once. */
static double block_colour_seconds(const mplan_layers_shape *shape, const mplan_device *device)
{
    const double launches = larger(1, (double)shape->valence_max);
    const double bytes = shape->cells * (shape->matrix_bytes + shape->own_bytes) + shape->flat_bytes +
                         TOUCHED * (shape->read_bytes + 2 * shape->increment_bytes);
    const double seconds = layer_seconds(shape, device, bytes,
                                         shape->matrix_bytes > 0 ? BY_BLOCKS_MATRIX : BY_BLOCKS);
    return larger(seconds, launches * (THREAD + LOAD * shape->loads)) + launches * launch_of(device);
}

/* Sums of levels that several blocks have are written and read once more. */
static double block_gather_seconds(const mplan_layers_shape *shape, const mplan_device *device)
{
    const double bytes = shape->cells * (shape->matrix_bytes + shape->own_bytes) + shape->flat_bytes +
                         TOUCHED * (shape->read_bytes + 4 * shape->increment_bytes);
    return layer_seconds(shape, device, bytes, shape->matrix_bytes > 0 ? GATHERED_MATRIX : GATHERED) +
           THREAD + 2 * launch_of(device);
}

/* --- on a core of the host ----------------------------------------------------------------------- */

/* The function computes a layer whole, also where one slot of it is wanted (cost_host.c); matrices by owner are read by all
 * strategies. */
static double host_seconds(const mplan_layers_shape *shape, const mplan_device *device,
                           mplan_strategy strategy)
{
    const double memory = (read_bytes(shape) + 2 * shape->increment_bytes) / device->copy_rate,
                 kernel = ELEMENT + shape->flops / device->flop_rate,
                 numbers = shape->cells * shape->result_bytes / sizeof(double);
    switch (mplan_strategy_way(strategy)) {
    case MPLAN_TRAIT_GLOBAL_COLOURS: return memory + shape->cells * kernel;
    case MPLAN_TRAIT_THREAD_COLOURS:
    case MPLAN_TRAIT_RECORDS: return memory + shape->cells * kernel + numbers * KEPT;
    case MPLAN_TRAIT_SLOT_LISTS:
        return memory + shape->cells * kernel + numbers * KEPT +
               2 * shape->cells * shape->result_bytes / device->copy_rate;
    case MPLAN_TRAIT_ATOMIC: return memory + shape->cells * kernel + numbers / device->atomic_rate;
    case MPLAN_TRAIT_OWNERS: return memory + shape->entries * (kernel + ENTRY);
    default: return HUGE_VAL;
    }
}

double mplan_cost_layers_seconds(const mplan_layers_shape *shape, const mplan_device *device,
                                 mplan_strategy strategy)
{
    assert(shape && device);
    if (device->warp == 1)
        return host_seconds(shape, device, strategy);
    if (shape->matrix == MPLAN_MATRIX_OWNER && !mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS))
        return HUGE_VAL;
    switch (mplan_strategy_way(strategy)) {
    case MPLAN_TRAIT_GLOBAL_COLOURS: return colour_seconds(shape, device);
    case MPLAN_TRAIT_SLOT_LISTS: return two_step_seconds(shape, device);
    case MPLAN_TRAIT_ATOMIC: return atomic_seconds(shape, device);
    case MPLAN_TRAIT_OWNERS: return owner_seconds(shape, device);
    case MPLAN_TRAIT_THREAD_COLOURS: return block_colour_seconds(shape, device);
    case MPLAN_TRAIT_RECORDS: return block_gather_seconds(shape, device);
    default: return HUGE_VAL;
    }
}
