/* SPDX-License-Identifier: Apache-2.0 */
/* cg.h - a conjugate gradient as a caller writes it: own vectors, own dot products, the matrix by the executor
 *
 * The vectors lie in memory that the executor adopts as dats, in the plan's stored order with its holes, which are
 * zero and stay so: then sums over all places are sums over the members. All numbers of an iteration stay where the
 * vectors are, so that on a GPU an iteration is work in one stream and can be captured. */
#ifndef MPLAN_EXEC_CG_H
#define MPLAN_EXEC_CG_H

#include "exec/meshplan_kernel.h"

MPLAN_KERNEL_DECLARE(mplan_cg_diagonal)
MPLAN_KERNEL_DECLARE(mplan_cg_couple)

#ifdef __cplusplus
extern "C" {
#endif

/* x, r, p, ap: n places each, in one piece of memory that starts at `memory`, each at a multiple of 32 bytes.
 * sums: MPLAN_CG_SUMS numbers, of which the last three are r * r, the same before it changed, and p * ap. */
typedef struct mplan_cg_vectors {
    void *memory;
    int64_t n;
    double *x, *r, *p, *ap, *sums;
} mplan_cg_vectors;

/* Partial sums of a dot product, in an order that depends on n only. */
#define MPLAN_CG_PARTS 256
enum { MPLAN_CG_RR = MPLAN_CG_PARTS, MPLAN_CG_RR_BEFORE, MPLAN_CG_PAP, MPLAN_CG_SUMS };

/* Bytes of `memory` for n places, and where its parts lie. */
static inline int64_t mplan_cg_bytes(int64_t n)
{
    return (4 * ((n + 3) / 4 * 4) + MPLAN_CG_SUMS) * (int64_t)sizeof(double);
}

/* memory and n are set, and memory has mplan_cg_bytes(n). A step of n rounded up to 4 doubles keeps every vector at
 * a multiple of 32 bytes of the start; sums lie behind all four. */
static inline void mplan_cg_lay_out(mplan_cg_vectors *v)
{
    const int64_t step = (v->n + 3) / 4 * 4;
    v->x = (double *)v->memory;
    v->r = v->x + step;
    v->p = v->r + step;
    v->ap = v->p + step;
    v->sums = v->ap + step;
}

/* The vector parts on a GPU, in a stream; memory is of its device. p becomes r, and r * r is there. */
mplan_status mplan_cg_gpu_room(int64_t bytes, void **memory, mplan_error *err);
void mplan_cg_gpu_free(void *memory);
mplan_status mplan_cg_gpu_begin(const mplan_cg_vectors *v, void *stream, mplan_error *err);
/* After ap = A p: x, r and p of the next iteration. */
mplan_status mplan_cg_gpu_iterate(const mplan_cg_vectors *v, void *stream, mplan_error *err);

#ifdef __cplusplus
}
#endif

#endif
