/* SPDX-License-Identifier: Apache-2.0 */
/* cost_host.c - how long a loop will take under a strategy on a core of the host
 *
 * The host executor calls the kernel for runs of elements; what strategies differ by is what happens
 * besides: rows that are looked up, increments that are stored and read again, elements that are
 * computed once for each of their points. Constants are of nanoseconds a slot or a number, as the built-in
 * applications took them; memory and the kernel itself are added, since a core does one after the other. */
#include "pipeline/cost_host.h"

#include <assert.h>
#include <math.h>

#include "plan/strategies.h"

/* seconds: of an element of the kernel besides its flops; of a row's slot that is looked up by a block; of a
 * number that is stored and added later; of an entry of owner-gather, which is a call of its own */
static const double ELEMENT = 5e-9, LOOKED_UP = 1e-9, KEPT = 1.5e-9, ENTRY = 20e-9;
/* times that memory is slower where elements of a colour are far apart */
static const double SCATTERED = 4;
/* seconds of a run: what a thread colour of a block, or a block that gathers, costs besides its elements. Blocks of 64
 * took 1.3 to 2 times as long as blocks of 512 (res_calc, volna, edgefv, lulesh under block-colour). */
static const double RUN = 150e-9;

/* Bytes of every member once. */
static double plain_bytes(const mplan_loop_shape *shape)
{
    double n = (double)shape->elements;
    return n * (shape->direct_read + shape->direct_written +
                4 * (shape->other_slots + shape->local_columns)) +
           (double)shape->active * (shape->point_bytes + 2 * shape->increment_bytes) +
           shape->other_bytes;
}

/* Seconds of one core. HUGE_VAL: the strategy cannot run the loop. `served`: the loop adds
 * through maps that gather lists exist for; `numbers`: what an entry adds, in doubles; `phases`: thread colours of a block. */
double mplan_cost_host_seconds(const mplan_loop_shape *shape, const mplan_device *device,
                               mplan_strategy strategy, int32_t block_size)
{
    assert(shape && device && block_size > 0);
    const double n = (double)shape->elements, entries = (double)shape->entries,
                 numbers = shape->increment_bytes / 8,
                 memory = plain_bytes(shape) / device->copy_rate,
                 kernel = ELEMENT + shape->flops / device->flop_rate,
                 looked_up = n * (shape->local_columns + shape->other_slots) * LOOKED_UP,
                 kept = entries * numbers * KEPT, blocks = ceil(n / block_size),
                 phases = 2 + (shape->active > 0 ? entries / (double)shape->active : 0);
    const bool served = shape->gathers;
    switch (mplan_strategy_way(strategy)) {
    case MPLAN_TRAIT_GLOBAL_COLOURS: return SCATTERED * memory + n * kernel;
    case MPLAN_TRAIT_THREAD_COLOURS: return memory + n * kernel + looked_up + blocks * phases * RUN;
    case MPLAN_TRAIT_SLOT_LISTS:
        return shape->writes ? HUGE_VAL
                             : memory + n * kernel + kept +
                                   2 * entries * (shape->increment_bytes + 8) / device->copy_rate;
    case MPLAN_TRAIT_ATOMIC:
        return shape->writes ? HUGE_VAL
                             : memory + n * kernel + n * shape->added_numbers / device->atomic_rate;
    case MPLAN_TRAIT_RECORDS:
        return served ? memory + n * kernel + looked_up + 2 * kept + blocks * RUN : HUGE_VAL;
    case MPLAN_TRAIT_OWNERS:
        return served && shape->recomputes ? memory + entries * (kernel + ENTRY) : HUGE_VAL;
    default: return HUGE_VAL;
    }
}
