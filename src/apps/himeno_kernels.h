/* SPDX-License-Identifier: Apache-2.0 */
/* himeno_kernels.h - Himeno's benchmark: Poisson's equation in general coordinates, 19 points, single precision
 *
 * After R. Himeno's himenoBMT (RIKEN, 2001): far, cross and back are its a, b and c, source is wrk1, inside is bnd. A step has two sweeps,
 * from p to q and back, in the place of a sweep and a copy. The sum of squared changes is left out: nothing depends on it. */
#ifndef MPLAN_HIMENO_KERNELS_H
#define MPLAN_HIMENO_KERNELS_H

#include "exec/meshplan_kernel.h"

/* omega: part of the way to the solution of a cell's own equation that a sweep goes. */
typedef struct mplan_himeno_parameters {
    float omega; /* of the relaxation */
} mplan_himeno_parameters;

/* Places of the neighbours: stencil_map.h. */
MPLAN_FN float mplan_himeno(const float near[18][1], float own, const float far[4],
                            const float cross[3], const float back[3], float source, float inside,
                            const mplan_himeno_parameters *p)
{
    float sum = far[0] * near[3][0] + far[1] * near[4][0] + far[2] * near[5][0] + source;
    for (int k = 0; k < 3; k++) { /* planes xy, yz, xz */
        const int at = 6 + 4 * k;
        sum += cross[k] * (near[at][0] - near[at + 1][0] - near[at + 2][0] + near[at + 3][0]);
    }
    sum += back[0] * near[2][0] + back[1] * near[1][0] + back[2] * near[0][0];
    return own + p->omega * (sum * far[3] - own) * inside;
}

#define MPLAN_HIMENO_THERE_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    MAPPED_AS(near, p, cells_hex19, 18, 1, f32, READ)                           \
    DIRECT_AS(own, p, 1, f32, READ)                                             \
    DIRECT(far, 4, f32, READ)                                                   \
    DIRECT(cross, 3, f32, READ)                                                 \
    DIRECT(back, 3, f32, READ)                                                  \
    DIRECT(source, 1, f32, READ)                                                \
    DIRECT(inside, 1, f32, READ)                                                \
    DIRECT(q, 1, f32, WRITE)
MPLAN_VIEWS_AS(mplan_himeno_there, MPLAN_HIMENO_THERE_ARGS)
MPLAN_FN void mplan_himeno_there(mplan_himeno_there_views *v, const mplan_himeno_parameters *p)
{
    v->q[0] = mplan_himeno(v->near, v->own[0], v->far, v->cross, v->back, v->source[0],
                           v->inside[0], p);
}
MPLAN_KERNEL_AS(mplan_himeno_there, MPLAN_HIMENO_THERE_ARGS, mplan_himeno_parameters)

#define MPLAN_HIMENO_BACK_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    MAPPED_AS(near, q, cells_hex19, 18, 1, f32, READ)                          \
    DIRECT_AS(own, q, 1, f32, READ)                                            \
    DIRECT(far, 4, f32, READ)                                                  \
    DIRECT(cross, 3, f32, READ)                                                \
    DIRECT(back, 3, f32, READ)                                                 \
    DIRECT(source, 1, f32, READ)                                               \
    DIRECT(inside, 1, f32, READ)                                               \
    DIRECT(p, 1, f32, WRITE)
MPLAN_VIEWS_AS(mplan_himeno_back, MPLAN_HIMENO_BACK_ARGS)
MPLAN_FN void mplan_himeno_back(mplan_himeno_back_views *v, const mplan_himeno_parameters *p)
{
    v->p[0] = mplan_himeno(v->near, v->own[0], v->far, v->cross, v->back, v->source[0],
                           v->inside[0], p);
}
MPLAN_KERNEL_AS(mplan_himeno_back, MPLAN_HIMENO_BACK_ARGS, mplan_himeno_parameters)

#endif
