/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_loop.c - what a kernel asks of the planner */
#include "base/error.h"
#include "exec/meshplan_exec.h"

/* One arg of the loop for each of the kernel, in its order. */
mplan_status mplan_kernel_loop(const mplan_kernel *kernel, const char *over, mplan_arg *args,
                               mplan_loop *loop, mplan_error *err)
{
    MPLAN_NEED(kernel);
    MPLAN_NEED(over);
    MPLAN_NEED(args);
    MPLAN_NEED(loop);
    for (int32_t a = 0; a < kernel->n_args; a++) {
        const mplan_kernel_arg *arg = &kernel->args[a];
        args[a] = (mplan_arg){.dat = arg->dat,
                              .map = arg->global   ? MPLAN_GLOBAL
                                     : arg->map[0] ? arg->map
                                                   : NULL,
                              .access = arg->access,
                              .dim = arg->dim,
                              .type = arg->type,
                              .none = MPLAN_NONE_REFUSE};
    }
    *loop = (mplan_loop){
        .name = kernel->name, .over = over, .calls = 1, .n_args = kernel->n_args, .args = args};
    return MPLAN_OK;
}
