/* SPDX-License-Identifier: Apache-2.0 */
/* visit_steps.c - one number of steps of a visit for all parts, where the request leaves it open
 *
 * All parts make equally many steps between two exchanges. So a number must fit into the limit of each, and of those that do the one is taken
 * with the least time of a step, all parts together: whoever runs several parts runs one after the other. Of numbers within a thousandth the least, as
 * for a plan without parts. */
#include <assert.h>
#include <math.h>

#include "parts/parts.h"

int32_t mplan_parts_visit_steps(const mplan_visit_wish *wishes, int32_t n)
{
    assert(wishes && n > 0);
    double best = HUGE_VAL;
    int32_t steps = 0;
    for (int32_t k = 0; k < MPLAN_VISIT_CHOICES; k++) {
        double all = 0;
        for (int32_t q = 0; q < n; q++)
            all += wishes[q].seconds[k];
        if (all < 0.999 * best) {
            best = all;
            steps = mplan_visit_choice_steps(k);
        }
    }
    return steps;
}
