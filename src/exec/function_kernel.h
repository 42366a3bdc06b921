/* SPDX-License-Identifier: Apache-2.0 */
/* function_kernel.h - kernels that are made at run time from a function: of one element (function_kernel.c), of one layer or
 * one column of an element (function_layers.c) */
#ifndef MPLAN_EXEC_FUNCTION_KERNEL_H
#define MPLAN_EXEC_FUNCTION_KERNEL_H

#include "exec/dat_levels.h"
#include "exec/exec.h"

/* Members of the one or of the other kind are in use; the chain belongs to an executor. */
struct mplan_function_kernel {
    mplan_function_kernel *next;
    mplan_kernel kernel;
    mplan_kernel_arg args[MPLAN_MAX_ARGS];
    mplan_element_function *function;
    mplan_layer_kernel layer_kernel;
    mplan_layer_arg layer_args[MPLAN_LAYER_ARGS];
    int32_t layer_levels[MPLAN_LAYER_ARGS]; /* of the args' dats; 0: none */
    mplan_layer_function *layer_function;
};

/* What the kernel gets as its parameters. */
typedef struct mplan_function_parameters {
    const mplan_function_kernel *own;
    const void *user;
} mplan_function_parameters;

/* function_kernel.c: the executor takes a kernel, to which a loop was bound or could not be. */
void mplan_exec_keep_function(mplan_exec *exec, mplan_function_kernel *made, bool bound);

#endif
