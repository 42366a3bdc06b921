/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c - how blocks came about, in words */
#include <inttypes.h>
#include <stdio.h>

#include "plan/plan.h"

/* " 1200 x 1200", and of what lies in it where that does not fill it (a grid with cells cut
 * out). The extent of plane grids has two numbers that say something. */
static void write_extent(const mplan_block_origin *o, const char *things, char *text, size_t size)
{
    char box[64];
    bool plane = o->origin == MPLAN_ORIGIN_QUADS || o->origin == MPLAN_ORIGIN_PLANE_EDGES;
    double room = (double)o->extent[0] * o->extent[1] * o->extent[2];
    if (plane)
        snprintf(box, sizeof box, "%" PRId32 " x %" PRId32, o->extent[0], o->extent[1]);
    else
        snprintf(box, sizeof box, "%" PRId32 " x %" PRId32 " x %" PRId32, o->extent[0],
                 o->extent[1], o->extent[2]);
    if ((double)o->largest < room)
        snprintf(text, size, "%" PRId64 " %s in %s", o->largest, things, box);
    else
        snprintf(text, size, "%s %s", box, things);
}

/* A sentence part for `info` and reports on how blocks were made; cut to `size`. */
void mplan_block_origin_text(const mplan_block_origin *origin, char *text, size_t size)
{
    if (!text || size == 0)
        return;
    *text = '\0';
    if (!origin)
        return;
    char extent[128];
    bool edges = origin->origin == MPLAN_ORIGIN_PLANE_EDGES ||
                 origin->origin == MPLAN_ORIGIN_SPACE_EDGES;
    const char *things = edges ? "points" : mplan_origin_name(origin->origin);
    const char *how = edges ? "tiles of edges in" : "tiles of";
    const char *then = origin->refined ? ", then refined" : "";
    switch (origin->origin) {
    case MPLAN_ORIGIN_GROWN: snprintf(text, size, "made by greedy graph growing%s", then); return;
    case MPLAN_ORIGIN_LAYERS:
        snprintf(text, size,
                 "stacks of %" PRId32 " layers over %" PRId32 " columns between %" PRId32
                 " lines of points%s",
                 origin->extent[2], origin->extent[0], origin->extent[1], then);
        return;
    case MPLAN_ORIGIN_QUADS:
    case MPLAN_ORIGIN_HEXES:
    case MPLAN_ORIGIN_PLANE_EDGES:
    case MPLAN_ORIGIN_SPACE_EDGES:
        write_extent(origin, things, extent, sizeof extent);
        if (origin->patches == 1)
            snprintf(text, size, "%s a grid of %s%s", how, extent, then);
        else
            snprintf(text, size, "%s %" PRId32 " grids, the largest of %s%s", how, origin->patches,
                     extent, then);
        return;
    case MPLAN_ORIGIN_OTHER:
    case MPLAN_N_ORIGINS: break;
    }
    snprintf(text, size, "%s", "");
}
