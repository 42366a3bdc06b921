/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.c - elements that lie as in a lattice, of whatever kind */
#include <assert.h>

#include "colour/conflict.h"

/* *n_colours is 0, and colour undefined, where items are blocks or do not lie in a
 * lattice. */
mplan_status mplan_colour_lattice(const mplan_items *items, const mplan_touches *touches,
                                  int32_t *colour, int32_t *n_colours, mplan_error *err)
{
    assert(items && touches && colour && n_colours);
    *n_colours = 0;
    if (items->offsets || items->n == 0)
        return MPLAN_OK;
    mplan_status status = mplan_colour_grid(items, touches, colour, n_colours, err);
    if (!status && *n_colours == 0)
        status = mplan_colour_simplices(items, touches, colour, n_colours, err);
    return status;
}
