/* SPDX-License-Identifier: Apache-2.0 */
/* dat_uses.c - which args of which loops name one dat
 *
 * A list sorted by name: what compares or sums over the args of a dat stays linear in the args of all loops, but for
 * the sorting, where a look at every pair of loops takes most of the time from some thousand loops on. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pipeline/dat_uses.h"

/* By name of the dat, then loop, then arg. */
static int compare_uses(const void *a, const void *b)
{
    const planning_use *x = a, *y = b;
    int order = strcmp(x->dat, y->dat);
    if (order != 0)
        return order;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return x->arg < y->arg ? -1 : x->arg > y->arg;
}

/* All args of all loops, uses of one dat side by side; *uses is the caller's. */
mplan_status mplan_planning_uses(const planning *p, planning_use **uses, int64_t *n, mplan_error *err)
{
    assert(p && uses && n);
    int64_t count = 0;
    for (int32_t l = 0; l < p->n_loops; l++)
        count += p->loops[l].loop->n_args;
    planning_use *made = mplan_alloc(count, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    *n = 0;
    for (int32_t l = 0; l < p->n_loops; l++)
        for (int32_t a = 0; a < p->loops[l].loop->n_args; a++)
            made[(*n)++] = (planning_use){p->loops[l].loop->args[a].dat, l, a};
    if (count > 1)
        qsort(made, (size_t)count, sizeof *made, compare_uses);
    *uses = made;
    return MPLAN_OK;
}

/* End of the uses that begin at `begin` and name one dat. */
int64_t mplan_planning_uses_end(const planning_use *uses, int64_t n, int64_t begin)
{
    assert(uses && begin >= 0 && begin < n);
    int64_t end = begin + 1;
    while (end < n && strcmp(uses[end].dat, uses[begin].dat) == 0)
        end++;
    return end;
}
