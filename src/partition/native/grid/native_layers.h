/* SPDX-License-Identifier: Apache-2.0 */
/* native_layers.h - blocks as stacks of layers over a mesh of the plane */
#ifndef MPLAN_NATIVE_LAYERS_H
#define MPLAN_NATIVE_LAYERS_H

#include "partition/native/native_table.h"

/* Elements whose rows are a lower and an upper half, as prisms and hexes of a mesh that was
 * extruded; an element above has the lower one's upper points. */
typedef struct native_layers {
    const native_table *table;
    int32_t half; /* points of a row's half: 3 or 4 */
    int64_t n_columns, n_lines;
    int64_t *begin; /* n_columns + 1 */
    int32_t *stack; /* elements, column by column, as they lie on one another */
    int32_t *lines; /* half per column: the lines of points along its edges */
    int32_t *low;   /* per column: level of the lowest element */
    uint8_t *down;  /* per column: its stack begins at the highest */
} native_layers;

/* *found is false where the elements do not lie in columns of some height. */
mplan_status mplan_native_layers_find(const native_table *table, native_layers *layers, bool *found,
                                      const mplan_context *context, mplan_error *err);
void mplan_native_layers_free(native_layers *layers);

#endif
