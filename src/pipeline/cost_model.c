/* SPDX-License-Identifier: Apache-2.0 */
/* cost_model.c - how long a loop will take under a strategy, without a device
 *
 * A roofline of several roofs (Williams, Waterman, Patterson, CACM 52 (2009)): the
 * time of a kernel is the largest of what each part of the device needs. Constants
 * were fitted to airfoil, volna, bookleaf, lulesh, miniaero and five kernels on refined gmsh meshes, and to 108 pairs of a loop
 * and a mesh of 30,000 to 6 million elements, on H100 and H200 (`tools/gpu/bench --choices`), which they meet within 12 % (root of
 * the mean square of logarithms). The colourings and owner-gather of tets to nodes are off by up to a factor of two. No libm: sums and
 * products give the same choice on every machine. */
#include "pipeline/cost_model.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "pipeline/cost_host.h"
#include "plan/packed.h"
#include "plan/strategies.h"

/* seconds of a launch and the wait for the one before, where the profile does not say */
static const double LAUNCH = 2.5e-6;
/* shares of the copy rate that kernels reach */
static const double BLOCKS_REACH = 0.945, OWNERS_REACH = 0.95;
/* share of what further blocks move of a point that comes from memory; the L2 cache has the rest, as neighbours run at about the
 * same time */
static const double AGAIN = 0.63;
/* With fewer threads on a processor than so many, memory is kept less busy: flux3d took 45 us where 512 threads were resident (blocks of
 * 512), 35 where 768 were (384). */
static const double BUSY_THREADS = 600, IDLE_SHARE = 0.6;
/* L2 time of slices whose rows differ in length: they are sorted, so that points of a warp lie apart and its loads
 * scatter. Rows are alike where the longest is at most so many times the mean (nodes of tets that were cut from a
 * grid); else a warp's longest row has so many times the mean */
static const double SLICED = 1.3, ALIKE = 1.25, LONGEST = 4.0 / 3;
/* share of the bytes gathered from other sets that the L1 cache does not have */
static const double OTHER_MISSES = 0.25;
/* Where the last turn of blocks is partly full, so much of what it lacks counts. */
static const double PARTIAL_TURN = 0.36;
/* every kernel takes so long, and one by colours, whose elements lie apart */
static const double LEAST = 1.5e-6, COLOUR_LATENCY = 3e-6;
/* a block waits so long for its record and its threads, and a while more for each element */
static const double BLOCK_LATENCY = 0.4e-6, ELEMENT_LATENCY = 11.5e-9;
/* a row that is walked entry by entry waits so long for its first, for each entry, and for each of its flops; an element that adds
 * atomically, for each number. Atomic kernels load so many times what they touch. */
static const double ROW_LATENCY = 1.9e-6, ENTRY_LATENCY = 1e-6, FLOP_LATENCY = 2.9e-9,
                    ADD_LATENCY = 0.2e-6, ATOMIC_LOADS = 1.17;
/* a turn of threads that load all entries of their rows at once waits so long */
static const double TURN_LATENCY = 1.4e-6;
/* shared reads that an element costs in each phase of thread colours */
static const double PHASE_READS = 11;
/* Wavefronts of the L1 pipe, through which loads, stores and shared memory go, for 32 elements: of a number that is
 * kept in shared memory and added (bank conflicts, rows of different lengths), of a number that a block passes on for a point,
 * of a number of a point that is gathered (and so much more where each element has a point of its own), of a number of the
 * element's own. Counted by ncu for edgefv, fescatter, lulesh and miniaero (tools/gpu/RESULTS.md), which this
 * gives within a tenth. A processor does one a clock; shared_rate is four doubles. */
static const double ADDED_WAVES = 10, PASSED_WAVES = 4, GATHERED_WAVES = 6, APART_WAVES = 5,
                    OWN_WAVES = 3.5, WAVES_A_DOUBLE = 0.26;
/* A round waits for the one before, and loads nothing meanwhile. On an H100 lulesh takes 0.92 of the time without rounds where this
 * gives 0.85, bookleaf 0.97 and 0.99 (tools/gpu/RESULTS.md). */
static const double ROUNDS = 1.06;
/* of the parts of a record and of the increments of each dat to 16 bytes */
enum { PADDING = 512 };
enum { SECTOR = 32, MOST_RESIDENT = 32, BLOCK_THREADS = 128 };
/* threads that a processor has registers for: 65,536 by some 64 a thread */
enum { RESIDENT_THREADS = 1024 };
enum { AT_ONCE = 4 }; /* rows of so many entries are loaded at once */

double mplan_cost_launch(const mplan_device *device)
{
    assert(device);
    return device->launch > 0 ? device->launch : LAUNCH;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Square or cube root (degree 2, 3) by Newton's method from above: iterates fall until rounding
 * stops them, so that the loop ends and the result is the same wherever doubles are IEEE 754. 0
 * for x <= 0. */
static double root(double x, int32_t degree)
{
    if (x <= 0)
        return 0;
    double y = larger(x, 1);
    for (;;) {
        double power = degree == 2 ? y : y * y;
        double next = y - (y - x / power) / degree;
        if (next >= y)
            return y;
        y = next;
    }
}

/* Mean number of increments that an active point receives: its elements, counted once for each
 * slot. */
static double valence(const mplan_loop_shape *shape)
{
    return shape->active > 0 ? (double)shape->entries / (double)shape->active : 0;
}

/* Number of blocks when all are full but the last. */
static double blocks_of(const mplan_loop_shape *shape, int32_t block_size)
{
    return (double)((shape->elements + block_size - 1) / block_size);
}

/* Points that a block would touch without a surface, and a layer around it: a ball of
 * p points has (p^(1/d) + c)^d with its surface. c was measured on runs along a Hilbert
 * curve; it is steady from 64 to 512 elements. */
double mplan_cost_points_per_block(const mplan_loop_shape *shape, int32_t block_size)
{
    assert(shape && block_size > 0);
    if (shape->elements == 0 || shape->active == 0)
        return 0;
    double inner = (double)block_size * (double)shape->active / (double)shape->elements;
    double mean = valence(shape), layer;
    if (shape->dimension == 2)
        layer = mean <= 3.5 ? 0.87 : 1.2; /* triangles, all else */
    else
        layer = mean <= 4.5 ? 0.6 : mean <= 6.5 ? 0.87 : 1.06; /* tets, hexes, nodes */
    double side = root(inner, shape->dimension) + layer;
    double touched = side * side * (shape->dimension == 2 ? 1 : side);
    return smaller(touched, smaller((double)block_size * shape->columns, (double)shape->active));
}

/* How the points of blocks overlap. */
typedef struct overlap {
    double pairs;  /* (block, point) */
    double shared; /* points of more than one block */
    double slots;  /* pairs of shared points */
} overlap;

/* `shared` follows the surplus of pairs: measured on the meshes of the layers above. */
static overlap overlap_of(const mplan_loop_shape *shape, int32_t block_size)
{
    double active = (double)shape->active;
    overlap over = {blocks_of(shape, block_size) * mplan_cost_points_per_block(shape, block_size),
                    0, 0};
    over.pairs = larger(over.pairs, active);
    if (active > 0) {
        double surplus = over.pairs / active - 1;
        over.shared = active * smaller(1, 1.35 * surplus / (1.3 + surplus));
    }
    over.slots = over.pairs - active + over.shared;
    return over;
}

/* Rounds serve large blocks, which share fewer points: where those have slots. Threads are those that such loops do best with;
 * kernels of pairs have no lists to save. On the host nothing is staged. */
int32_t mplan_cost_round(const mplan_loop_shape *shape, const mplan_device *device, mplan_sums sums,
                         int32_t block_size)
{
    assert(shape && device && block_size > 0);
    int32_t round = shape->round;
    if (shape->open_round && shape->apart && sums == MPLAN_SUMS_PARTIAL && device->warp > 1)
        round = shape->columns >= 8 ? 128 : shape->columns >= 4 ? 256 : 0;
    return round < block_size ? round : 0;
}

/* What a block-gather block stages when it touches `points` points. */
static double staged_bytes(const mplan_loop_shape *shape, int32_t block_size, double points)
{
    double padded = (double)MPLAN_RECORD_ROWS(block_size);
    return 32 + 10 * points + padded * (2.0 * shape->local_columns + 2.0 * shape->columns) +
           padded * shape->columns * shape->increment_bytes + PADDING;
}

/* The same where rounds keep sums in place of increments. */
static double round_bytes(const mplan_loop_shape *shape, int32_t block_size, double points)
{
    return staged_bytes(shape, block_size, points) + points * shape->increment_bytes -
           (double)MPLAN_RECORD_ROWS(block_size) * shape->columns * shape->increment_bytes;
}

/* Whether the blocks keep the limits however the mesh is shaped. */
static bool blocks_fit(const mplan_loop_shape *shape, int32_t block_size)
{
    double most = smaller((double)block_size * shape->local_columns, (double)shape->points);
    return (double)(block_size + 7) * shape->columns <= MPLAN_LOCAL_MOST &&
           most <= MPLAN_LOCAL_MOST &&
           staged_bytes(shape, block_size, most) <= (double)shape->shared_bytes;
}

static int32_t threads_of_block(int32_t block_size, int32_t round)
{
    return round ? round : block_size < BLOCK_THREADS ? block_size : BLOCK_THREADS;
}

/* Blocks that a processor holds at a time, as shared memory and threads allow. */
static double resident_blocks(const mplan_loop_shape *shape, const mplan_device *device,
                              int32_t block_size, int32_t round)
{
    const double points = mplan_cost_points_per_block(shape, block_size);
    double staged = round ? round_bytes(shape, block_size, points)
                          : staged_bytes(shape, block_size, points);
    const int32_t threads = threads_of_block(block_size, round);
    const int32_t most_threads = device->processor_threads < RESIDENT_THREADS
                                     ? device->processor_threads
                                     : RESIDENT_THREADS;
    /* the driver keeps 1 KiB of every block */
    double resident = (double)(int64_t)((double)device->processor_shared_bytes / (staged + 1024));
    resident = smaller(resident, (double)(most_threads / threads));
    return larger(1, smaller(resident, MOST_RESIDENT));
}

/* Turns that the blocks take on the processors, at least one; the last counts PARTIAL_TURN of a full one where it is partly full. */
static double turns_of_blocks(const mplan_loop_shape *shape, const mplan_device *device,
                              int32_t block_size, double resident)
{
    const double turns = larger(1, blocks_of(shape, block_size) / (device->processors * resident)),
                 begun = (double)(int64_t)turns;
    return turns > begun ? turns + PARTIAL_TURN * (begun + 1 - turns) : turns;
}

/* How long a block waits; one with fewer elements than it could have threads, as long as if it had so many. */
static double block_latency(const mplan_loop_shape *shape, int32_t block_size)
{
    const int32_t threads = shape->columns >= 4 ? 2 * BLOCK_THREADS : BLOCK_THREADS;
    return BLOCK_LATENCY + (block_size > threads ? block_size : threads) * ELEMENT_LATENCY;
}

static double cubed(double x)
{
    return x * x * x;
}

/* Three times that do not hide one another: the root of the sum of cubes is about the largest where they differ, and 1.4 times
 * as much where they are equal. */
static double joined(double a, double b, double c)
{
    const double most = larger(a, larger(b, c));
    return most > 0 ? most * root(cubed(a / most) + cubed(b / most) + cubed(c / most), 3) : 0;
}

/* Bytes that kernels with blocks move: what they share is moved by each of them, `again` of it from memory. */
static double block_bytes(const mplan_loop_shape *shape, const overlap *over, double again)
{
    const double n = (double)shape->elements, active = (double)shape->active;
    const double times = active > 0 ? 1 + again * (over->pairs / active - 1) : 1;
    return n * (shape->direct_read + shape->direct_written + 4 * shape->other_slots) +
           times * (active * (shape->point_bytes + 2 * shape->increment_bytes) + shape->other_bytes);
}

/* Time of the L1 pipes under block-gather, each of which serves its processor; pairs: (block, point). */
static double wave_seconds(const mplan_loop_shape *shape, const mplan_device *device, double pairs)
{
    const double n = (double)shape->elements, apart = n > 0 ? (double)shape->active / n : 0;
    const double gathered = shape->local_columns * shape->point_bytes / 8,
                 own = (shape->direct_read + shape->direct_written) / 8,
                 passed = pairs * shape->increment_bytes / 8;
    const double waves = n * (ADDED_WAVES * shape->added_numbers +
                              (GATHERED_WAVES + APART_WAVES * smaller(1, apart)) * gathered +
                              OWN_WAVES * own) +
                         PASSED_WAVES * passed;
    return waves / 32 / (WAVES_A_DOUBLE * device->shared_rate);
}

/* Elements are computed once, their increments summed in shared memory. */
static double block_gather_seconds(const mplan_loop_shape *shape, const mplan_device *device,
                                   mplan_sums sums, int32_t block_size)
{
    if (!shape->gathers || !blocks_fit(shape, block_size))
        return INFINITY;
    double n = (double)shape->elements, rate = BLOCKS_REACH * device->copy_rate;
    const int32_t round = shape->apart ? mplan_cost_round(shape, device, sums, block_size) : 0;
    overlap over = overlap_of(shape, block_size);
    double record = 6 * over.pairs + n * (2.0 * shape->local_columns + 2.0 * shape->columns);
    const double resident = resident_blocks(shape, device, block_size, round),
                 threads = resident * threads_of_block(block_size, round),
                 idle = IDLE_SHARE * larger(0, BUSY_THREADS / threads - 1),
                 memory = (block_bytes(shape, &over, AGAIN) + record) / rate * (1 + idle),
                 waves = wave_seconds(shape, device, over.pairs),
                 turns = turns_of_blocks(shape, device, block_size, resident),
                 waits = turns * block_latency(shape, block_size);
    double numbers = shape->columns > 0 ? shape->added_numbers / shape->columns : 0;
    double sent = sums == MPLAN_SUMS_PARTIAL ? over.pairs - over.slots : over.pairs;
    double seconds = larger(larger(memory, waves),
                            larger(waits, n * shape->flops / device->flop_rate));
    seconds = larger(seconds, sent * numbers / device->atomic_rate);
    /* blocks of later turns hide what those before them wait for; of one turn, nothing does */
    seconds += larger(0, joined(memory, waves, waits) - seconds) / root(turns, 2);
    seconds = seconds * (round ? ROUNDS : 1) + mplan_cost_launch(device);
    if (sums == MPLAN_SUMS_PARTIAL) /* written, read again, and a list of the slots */
        seconds += mplan_cost_launch(device) + over.slots * (2 * shape->increment_bytes + 8) / rate;
    if (sums == MPLAN_SUMS_COLOUR) /* colours of blocks that share nothing: little is in L2 */
        seconds += 0.5 * seconds + (shape->dimension == 2 ? 5 : 8) * mplan_cost_launch(device);
    return seconds;
}

/* Whether an entry is taken for windows16, which holds all that it leads to in fields of two bytes
 * (step_pack.c decides with the maps themselves). */
static bool has_windows(const mplan_loop_shape *shape)
{
    return shape->columns == 2 && shape->local_columns == 2 &&
           (shape->other_slots > 0 || shape->point_bytes > 0);
}

/* Bytes of owner-gather's table, 64 of a slice's windows among them. */
static double owner_table_bytes(const mplan_loop_shape *shape, double fields)
{
    const double entries = (double)shape->entries, points = (double)shape->points;
    const bool sliced = shape->valence_max > AT_ONCE;
    const double places = sliced ? 1.05 * entries : points * (double)shape->valence_max;
    if (has_windows(shape))
        return 2 * fields * places + 2 * points;
    return 4 * places + (sliced ? points / 4 : 0);
}

/* Entries of the longest row of a warp, as it is expected. */
static double longest_row(const mplan_loop_shape *shape)
{
    return smaller((double)shape->valence_max, LONGEST * valence(shape));
}

/* Bytes of registers that a thread has at most, and may use besides its data; those of a processor, for each thread that it
 * could hold. */
enum { REGISTER_BYTES = 1020, OTHER_REGISTERS = 112, BYTES_A_THREAD = 128 };

/* Whether rows are walked entry by entry: they are long, or what their entries lead to fits no registers. */
static bool walks_rows(const mplan_loop_shape *shape)
{
    const double data = shape->point_bytes + shape->direct_read + shape->direct_written;
    return shape->valence_max > AT_ONCE ||
           (shape->point_bytes > 0 && (double)shape->valence_max * data > REGISTER_BYTES);
}

/* Rows that are walked entry by entry: each entry waits for the one before, so that a thread's own chain, memory and
 * the L2 cache do not hide one another. A thread holds the data of two points and an element, and the sums. */
static double walked_seconds(const mplan_loop_shape *shape, const mplan_device *device,
                             double memory, double cache)
{
    const double bytes = OTHER_REGISTERS + 2 * shape->point_bytes + shape->direct_read +
                         shape->direct_written + shape->increment_bytes;
    const double resident = device->processors * (double)device->processor_threads *
                            smaller(1, BYTES_A_THREAD / bytes),
                 turns = larger(1, (double)shape->points / resident);
    const double chain = turns * (ROW_LATENCY + longest_row(shape) *
                                                    (ENTRY_LATENCY + shape->flops * FLOP_LATENCY));
    return joined(chain, memory, cache);
}

/* Short rows: the entries of a thread are loaded at once, and threads of later turns hide what those before them wait for. */
static double loaded_seconds(const mplan_loop_shape *shape, const mplan_device *device,
                             double memory, double cache)
{
    const double resident = device->processors * smaller(device->processor_threads, RESIDENT_THREADS),
                 turns = larger(1, (double)shape->points / resident), waits = turns * TURN_LATENCY,
                 seconds = larger(larger(memory, cache), waits);
    return seconds + larger(0, joined(memory, cache, waits) - seconds) / root(turns, 2);
}

/* Every element is computed for each point that it increments; all points are looked
 * at, also those that no element increments. */
static double owner_gather_seconds(const mplan_loop_shape *shape, const mplan_device *device)
{
    if (!shape->gathers || !shape->recomputes ||
        (double)shape->elements * shape->columns >= 2147483647.0)
        return INFINITY;
    const double n = (double)shape->elements, entries = (double)shape->entries;
    const bool sliced = shape->valence_max > AT_ONCE, windows = has_windows(shape);
    /* entries of pairs lie as their neighbours do; elements of more points lie apart in any order */
    const bool alike = shape->columns <= 2 && (double)shape->valence_max <= ALIKE * valence(shape);
    const double fields = 1 + (shape->direct_read + shape->direct_written > 0) + shape->other_slots;
    double bytes = n * (shape->direct_read + shape->direct_written +
                        (windows ? 0 : 4 * shape->other_slots)) +
                   (double)shape->active * (shape->point_bytes + 2 * shape->increment_bytes) +
                   owner_table_bytes(shape, fields) + shape->other_bytes;
    /* an entry of a pair names the neighbour; rows of more points are looked up */
    bool rows = shape->local_columns > 2 && shape->point_bytes > 0;
    double cached = entries * ((windows ? 2 * fields : 4 + 4 * shape->other_slots) +
                               shape->direct_read + (rows ? 4 * shape->local_columns : 0) +
                               (shape->local_columns - 1) * shape->point_bytes +
                               OTHER_MISSES * shape->other_row);
    const double memory = bytes / (OWNERS_REACH * device->copy_rate),
                 cache = cached * (sliced && !alike ? SLICED : 1) / device->l2_rate;
    double seconds = walks_rows(shape) ? walked_seconds(shape, device, memory, cache)
                                       : loaded_seconds(shape, device, memory, cache);
    seconds = larger(seconds, entries * shape->flops / device->flop_rate);
    return larger(seconds, LEAST) + mplan_cost_launch(device);
}

/* Bytes of a kernel that moves every member once, in a good order. */
static double plain_bytes(const mplan_loop_shape *shape)
{
    double n = (double)shape->elements;
    return n * (shape->direct_read + shape->direct_written +
                4 * (shape->other_slots + shape->local_columns)) +
           (double)shape->active * (shape->point_bytes + 2 * shape->increment_bytes) +
           shape->other_bytes;
}

/* Bytes that an element moves through the L2 cache where nothing is staged, besides what it adds. */
static double loaded_bytes(const mplan_loop_shape *shape)
{
    return shape->direct_read + shape->direct_written +
           shape->local_columns * (4 + shape->point_bytes);
}

/* The slowest of: bytes over copy rate, what all elements load and add over that of the L2 cache, flops, atomic adds. The
 * formulas of all strategies are in meshplan-plan(1). */
static double atomic_seconds(const mplan_loop_shape *shape, const mplan_device *device)
{
    if (shape->writes)
        return INFINITY;
    double n = (double)shape->elements;
    double seconds = plain_bytes(shape) / (OWNERS_REACH * device->copy_rate);
    seconds = larger(seconds, n * shape->flops / device->flop_rate);
    seconds = larger(seconds, n * shape->added_numbers / device->atomic_rate);
    seconds = larger(seconds, ATOMIC_LOADS * n * (loaded_bytes(shape) + 16 * shape->added_numbers) /
                                  device->l2_rate);
    return larger(seconds, LEAST + shape->added_numbers * ADD_LATENCY) + mplan_cost_launch(device);
}

/* A phase for every thread colour of a block, a launch for every block colour. */
static double block_colour_seconds(const mplan_loop_shape *shape, const mplan_device *device,
                                   int32_t block_size)
{
    double n = (double)shape->elements;
    overlap over = overlap_of(shape, block_size);
    double bytes = block_bytes(shape, &over, 1) + 4 * over.pairs + 2.0 * n * shape->local_columns;
    double seconds = larger(bytes / (BLOCKS_REACH * device->copy_rate),
                            n * shape->flops / device->flop_rate);
    double phases = n * (valence(shape) + 2) * PHASE_READS / device->shared_rate;
    return larger(seconds + phases, COLOUR_LATENCY) +
           (shape->dimension == 2 ? 5 : 8) * 2 * mplan_cost_launch(device);
}

/* Increments of every slot are written, and read again point by point. */
static double two_step_seconds(const mplan_loop_shape *shape, const mplan_device *device)
{
    if (shape->writes)
        return INFINITY;
    double rate = OWNERS_REACH * device->copy_rate, entries = (double)shape->entries,
           sums = 2 * (double)shape->active * shape->increment_bytes;
    double first = (plain_bytes(shape) - sums + entries * shape->increment_bytes) / rate;
    double second = (sums + entries * (shape->increment_bytes + 8) + 8 * (double)shape->points) /
                    rate;
    const double walk = shape->valence_max > AT_ONCE ? longest_row(shape) * ENTRY_LATENCY : 0;
    first = larger(first, (double)shape->elements * shape->flops / device->flop_rate);
    first = larger(first, ((double)shape->elements * loaded_bytes(shape) +
                           entries * shape->increment_bytes) /
                              device->l2_rate);
    return larger(first, LEAST) + larger(second, walk) + 2 * mplan_cost_launch(device);
}

/* A launch for every colour, whose elements are far apart: a sector of memory for
 * every member that one touches. */
static double global_colour_seconds(const mplan_loop_shape *shape, const mplan_device *device)
{
    double n = (double)shape->elements, slots = shape->local_columns + shape->other_slots;
    double row = shape->direct_read + shape->direct_written + 4 * slots +
                 (shape->point_bytes > 0 ? shape->local_columns : 0) *
                     larger(SECTOR, shape->point_bytes) +
                 shape->columns * 2 * larger(SECTOR, shape->increment_bytes) +
                 (shape->other_row > 0 ? larger(SECTOR * shape->other_slots, shape->other_row) : 0);
    double seconds = larger(n * row / (OWNERS_REACH * device->copy_rate),
                            n * shape->flops / device->flop_rate);
    double colours = larger(1, (double)shape->valence_max);
    return larger(seconds, colours * COLOUR_LATENCY) + colours * 2 * mplan_cost_launch(device);
}

/* INFINITY where the strategy cannot serve the loop. block_size: elements of a
 * block, for strategies with blocks. */
double mplan_cost_seconds(const mplan_loop_shape *shape, const mplan_device *device,
                          mplan_strategy strategy, mplan_sums sums, int32_t block_size)
{
    assert(shape && device && block_size > 0);
    if (shape->large && mplan_strategy_has(strategy, MPLAN_TRAIT_BLOCKS))
        return INFINITY;
    if (device->warp == 1)
        return mplan_cost_host_seconds(shape, device, strategy, block_size);
    switch (mplan_strategy_way(strategy)) {
    case MPLAN_TRAIT_GLOBAL_COLOURS: return global_colour_seconds(shape, device);
    case MPLAN_TRAIT_THREAD_COLOURS: return block_colour_seconds(shape, device, block_size);
    case MPLAN_TRAIT_SLOT_LISTS: return two_step_seconds(shape, device);
    case MPLAN_TRAIT_ATOMIC: return atomic_seconds(shape, device);
    case MPLAN_TRAIT_RECORDS: return block_gather_seconds(shape, device, sums, block_size);
    case MPLAN_TRAIT_OWNERS: return owner_gather_seconds(shape, device);
    default: return INFINITY;
    }
}

/* The fastest of the sizes to look at, the smallest of equals; of block-gather the largest that is at most 1 % slower: fewer
 * points are in several blocks, which pays more than the model says (edgefv with atomic sums: 219 us with 256, 207 with 384); of
 * those of 512 without rounds too few fit a processor (1.2 times as long). */
static mplan_loop_choice best_size(const mplan_loop_shape *shape, const mplan_device *device,
                                   mplan_strategy strategy, mplan_sums sums, int32_t block_size)
{
    static const int32_t sizes[] = {64, 128, 256, 384, 512, 1024};
    enum { N_SIZES = sizeof sizes / sizeof *sizes };
    const bool host = device->warp == 1;
    const int n = block_size > 0 ? 1 : N_SIZES;
    mplan_loop_choice best = {strategy, sums, block_size > 0 ? block_size : 256, INFINITY};
    double seconds[N_SIZES];
    for (int i = 0; i < n; i++) {
        int32_t size = block_size > 0 ? block_size : sizes[i];
        seconds[i] = INFINITY;
        /* on the host 1,024 are as fast as 512, which leave threads more to share */
        if (block_size == 0 && size > 512 && host)
            continue;
        /* too few blocks fit a processor: bookleaf took 1.3 times as long at 512 as at 256,
         * lulesh 1.1 times as long at 256 as at 128 */
        if (block_size == 0 &&
            size > (shape->columns >= 8   ? 128
                    : shape->columns >= 4 ? 256
                                          : 1024) &&
            !(shape->apart && mplan_cost_round(shape, device, sums, size)))
            continue;
        seconds[i] = mplan_cost_seconds(shape, device, strategy, sums, size);
        if (seconds[i] < best.seconds)
            best = (mplan_loop_choice){strategy, sums, size, seconds[i]};
    }
    const double least = best.seconds;
    const bool records = mplan_strategy_way(strategy) == MPLAN_TRAIT_RECORDS;
    for (int i = 0; i < n && records && !host && isfinite(least); i++)
        if (block_size == 0 && sizes[i] > best.block_size && seconds[i] <= 1.01 * least &&
            (sizes[i] <= 384 || (shape->apart && mplan_cost_round(shape, device, sums, sizes[i]))))
            best = (mplan_loop_choice){strategy, sums, sizes[i], seconds[i]};
    return best;
}

/* Strategies in a fixed order, so that ties do not depend on anything else;
 * nondeterministic: those without equal bits are allowed. block_size 0: the best
 * of those that are tried. */
mplan_loop_choice mplan_cost_choose(const mplan_loop_shape *shape, const mplan_device *device,
                                    bool nondeterministic, int32_t block_size)
{
    assert(shape && device && block_size >= 0);
    static const struct {
        mplan_strategy strategy;
        mplan_sums sums;
        bool blocks, deterministic;
    } candidates[] = {
        {MPLAN_STRATEGY_OWNER_GATHER, MPLAN_SUMS_PARTIAL, false, true},
        {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_PARTIAL, true, true},
        {MPLAN_STRATEGY_BLOCK_GATHER, MPLAN_SUMS_ATOMIC, true, false},
        {MPLAN_STRATEGY_ATOMIC, MPLAN_SUMS_PARTIAL, false, false},
        {MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_SUMS_PARTIAL, true, true},
        {MPLAN_STRATEGY_TWO_STEP, MPLAN_SUMS_PARTIAL, false, true},
        {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_SUMS_PARTIAL, false, true},
    };
    mplan_loop_shape one_round = *shape;
    one_round.open_round = false;
    int32_t without_blocks = best_size(&one_round, device, MPLAN_STRATEGY_BLOCK_GATHER,
                                       MPLAN_SUMS_PARTIAL, block_size)
                                 .block_size;
    mplan_loop_choice best = {MPLAN_STRATEGY_ATOMIC, MPLAN_SUMS_PARTIAL, without_blocks,
                              mplan_cost_seconds(shape, device, MPLAN_STRATEGY_ATOMIC,
                                                 MPLAN_SUMS_PARTIAL, without_blocks)};
    if (!shape->conflicts)
        return best; /* one launch, in which no two elements meet */
    best.seconds = INFINITY;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (!candidates[i].deterministic && !nondeterministic)
            continue;
        mplan_loop_choice choice = best_size(shape, device, candidates[i].strategy,
                                             candidates[i].sums, block_size);
        if (!candidates[i].blocks)
            choice.block_size = without_blocks;
        if (choice.seconds < best.seconds)
            best = choice;
    }
    return best;
}
