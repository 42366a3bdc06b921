/* SPDX-License-Identifier: Apache-2.0 */
/* native_select.h - the smallest of a list */
#ifndef MPLAN_NATIVE_SELECT_H
#define MPLAN_NATIVE_SELECT_H

#include "meshplan.h"

typedef struct native_ranked {
    float value;
    int32_t index;
} native_ranked;

/* The `count` smallest by value, then index, come first, in no order. */
void mplan_native_select(native_ranked *list, int32_t n, int32_t count);

#endif
