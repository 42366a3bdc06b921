/* SPDX-License-Identifier: Apache-2.0 */
/* psyclone.h - colour maps and dof maps of a plan, as arrays in Fortran's order, and how they are written */
#ifndef MPLAN_PSYCLONE_H
#define MPLAN_PSYCLONE_H

#include "base/memory.h"
#include "plan/plan.h"

enum { MPLAN_PSYCLONE_RANK = 3 };

/* An array: the first index runs fastest.
 * Of i32 and i64 one holds mplan_psyclone_count numbers, from mplan_alloc; the other is NULL. shape and dimension
 * have `rank` entries in use. */
typedef struct mplan_psyclone_array {
    char name[96];
    const char *about;
    int32_t rank; /* 0: one number */
    int64_t shape[MPLAN_PSYCLONE_RANK];
    char dimension[MPLAN_PSYCLONE_RANK][96]; /* names, in the order of shape */
    int32_t *i32;                            /* or, where a number does not fit, */
    int64_t *i64;
} mplan_psyclone_array;

/* Adds all arrays of the loop to the vector; see meshplan-export(1).
 * The plan has been proved. What the vector holds is released by mplan_psyclone_free, also after a failure. */
mplan_status mplan_psyclone_arrays(const mplan_plan *plan, const mplan_psyclone_options *options,
                                   mplan_vector *arrays, mplan_error *err);
void mplan_psyclone_free(mplan_vector *arrays);

/* Product of the shape. */
static inline int64_t mplan_psyclone_count(const mplan_psyclone_array *array)
{
    int64_t n = 1;
    for (int32_t d = 0; d < array->rank; d++)
        n *= array->shape[d];
    return n;
}

#endif
