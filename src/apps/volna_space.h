/* SPDX-License-Identifier: Apache-2.0 */
/* volna_space.h - volna's SpaceDiscretization, in single precision
 *
 * Shallow water on triangles: the flux of an edge and the source of the bed
 * on each of its sides go into its two cells, divided by their areas. After Dutykh, Poncet
 * and Dias, "The VOLNA code for the numerical modeling of tsunami waves", Eur. J.
 * Mech. B 30 (2011). flux: depth, momentum, tracer, times the length of the edge;
 * bathy: bed source on the left and right; wall: nonzero where the right side
 * gets nothing. */
#ifndef MPLAN_VOLNA_SPACE_H
#define MPLAN_VOLNA_SPACE_H

#include "exec/meshplan_kernel.h"

#define MPLAN_VOLNA_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(volume, faces_cells, 2, 1, f32, READ)   \
    DIRECT(flux, 4, f32, READ)                     \
    DIRECT(bathy, 2, f32, READ)                    \
    DIRECT(normal, 2, f32, READ)                   \
    DIRECT(wall, 1, i32, READ)                     \
    MAPPED(change, faces_cells, 2, 4, f32, INC)
MPLAN_VIEWS(mplan_volna, MPLAN_VOLNA_ARGS)
/* What a face changes in the cells at its two sides: flux and bathymetry over the cell's
 * volume. At a wall there is no second cell, and its part is zero. */
MPLAN_FN void mplan_volna(mplan_volna_views *v, const mplan_no_parameters *p)
{
    (void)p;
    float left = -1.0f / v->volume[0][0];
    float right = v->wall[0] ? 0.0f : 1.0f / v->volume[1][0];
    v->change[0][0] = left * v->flux[0];
    v->change[0][1] = left * (v->flux[1] + v->bathy[0] * v->normal[0]);
    v->change[0][2] = left * (v->flux[2] + v->bathy[0] * v->normal[1]);
    v->change[0][3] = left * v->flux[3];
    v->change[1][0] = right * v->flux[0];
    v->change[1][1] = right * (v->flux[1] + v->bathy[1] * v->normal[0]);
    v->change[1][2] = right * (v->flux[2] + v->bathy[1] * v->normal[1]);
    v->change[1][3] = right * v->flux[3];
}

#endif
