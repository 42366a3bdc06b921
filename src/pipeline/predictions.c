/* SPDX-License-Identifier: Apache-2.0 */
/* predictions.c - the cost model's view of a loop, kept for the plan
 *
 * Times of all strategies that may run the loop, which of them was chosen and why, and which one would
 * have been next: who runs the plan can see how close it was, and whether the device agrees. */
#include "pipeline/predictions.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "plan/strategies.h"

/* Whether sums by the strategy have equal bits in every run, or none were asked for. */
static bool gives_bits(const planning *p, const planning_loop *loop, mplan_strategy strategy,
                       bool conflicts)
{
    return p->options->allow_nondeterministic ||
           mplan_variant_is_deterministic(strategy, loop->sums, conflicts);
}

/* Whether it can add in the order of sums that was asked for. */
static bool gives_order(const planning *p, mplan_strategy strategy, bool conflicts)
{
    return !conflicts || p->options->sums_order != MPLAN_SUMS_ORDER_MESH ||
           mplan_strategy_has(strategy, MPLAN_TRAITS_ROWS);
}

/* view->seconds[s]: the modelled time of strategy s. The
 * runner-up is the fastest other one that gives what the request asks for (equal bits, the
 * order of sums); the reason says whether a faster one was left out for that. */
void mplan_planning_predict(const planning *p, planning_loop *loop, bool conflicts,
                            const double seconds[MPLAN_N_STRATEGIES])
{
    assert(p && loop && seconds);
    planning_view *view = &loop->view;
    *view = (planning_view){.reason = conflicts ? MPLAN_REASON_FASTEST : MPLAN_REASON_NO_CONFLICT,
                            .runner_up = MPLAN_N_STRATEGIES};
    memcpy(view->seconds, seconds, sizeof view->seconds);
    double next = HUGE_VAL;
    const double own = view->seconds[loop->strategies[0]];
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++) {
        const mplan_strategy strategy = (mplan_strategy)s;
        const bool bits = gives_bits(p, loop, strategy, conflicts),
                   order = gives_order(p, strategy, conflicts);
        if (strategy == loop->strategies[0] || !(view->seconds[s] < HUGE_VAL))
            continue;
        if (bits && order && view->seconds[s] < next) {
            next = view->seconds[s];
            view->runner_up = strategy;
        }
        if (conflicts && view->seconds[s] < own && !(bits && order))
            view->reason = bits ? MPLAN_REASON_SUMS_ORDER : MPLAN_REASON_EQUAL_BITS;
    }
}

/* Whole nanoseconds, at least 1. */
static int64_t nanoseconds(double seconds)
{
    return seconds < 1e9 ? (int64_t)(1e9 * seconds) + 1 : (int64_t)1e18;
}

/* Stored are the chosen time in nanoseconds and the other strategies in thousandths of it, 1 to
 * 65535; 0: cannot run. Nothing is stored for strategies that the request names itself. */
void mplan_planning_state_view(const planning_loop *loop, mplan_plan_variant *record)
{
    assert(loop && record);
    const planning_view *view = &loop->view;
    if (view->reason == MPLAN_REASON_NONE || !(view->seconds[record->strategy] < HUGE_VAL))
        return;
    record->reason = view->reason;
    record->predicted_ns = nanoseconds(view->seconds[record->strategy]);
    if (view->runner_up < MPLAN_N_STRATEGIES) {
        record->runner_up = 1 + (int32_t)view->runner_up;
        record->runner_up_ns = nanoseconds(view->seconds[view->runner_up]);
    }
    for (int s = 0; s < MPLAN_N_PREDICTED; s++) {
        if (!(view->seconds[s] < HUGE_VAL))
            continue;
        const double share = 1000 * view->seconds[s] / view->seconds[record->strategy] + 0.5;
        record->permille[s] = share < 1 ? 1 : share < 65535 ? (uint16_t)share : 65535;
    }
}
