/* SPDX-License-Identifier: Apache-2.0 */
/* host_add.c - adding a member to another, and iterations that run side by side */
#include "exec/host/host.h"

#include <assert.h>
#include <string.h>

#include "exec/meshplan_combine.h"

/* --- numbers of a member ---------------------------------------------------------- */

#define COMBINE_AS(type, number)                                                            \
    for (int32_t c = 0; c < about->dim; c++)                                                \
        ((number *)to)[c * stride] = mplan_combine_##type(about->access,                    \
                                                          ((const number *)to)[c * stride], \
                                                          ((const number *)from)[c]);

/* Generic compare and exchange takes what cannot be added atomically: what is there is compared
 * byte by byte. */
#define COMBINE_ATOMIC_AS(type, number)                                                     \
    for (int32_t c = 0; c < about->dim; c++) {                                              \
        number *own = (number *)to + c * stride, before, after;                             \
        __atomic_load(own, &before, __ATOMIC_RELAXED);                                      \
        do                                                                                  \
            after = mplan_combine_##type(about->access, before, ((const number *)from)[c]); \
        while (!__atomic_compare_exchange(own, &before, &after, true, __ATOMIC_RELAXED,     \
                                          __ATOMIC_RELAXED));                               \
    }

#define CLEAR_AS(type, number)               \
    for (int32_t c = 0; c < about->dim; c++) \
        ((number *)sum)[c] = mplan_neutral_##type(about->access);

/* Sums of integers wrap, as they do on the device. */
#define BY_TYPE(DO)                               \
    switch (about->type) {                        \
    case MPLAN_TYPE_F64: DO(f64, double) break;   \
    case MPLAN_TYPE_F32: DO(f32, float) break;    \
    case MPLAN_TYPE_I64: DO(i64, int64_t) break;  \
    case MPLAN_TYPE_I32: DO(i32, int32_t) break;  \
    case MPLAN_TYPE_U16: DO(u16, uint16_t) break; \
    case MPLAN_TYPE_U8: DO(u8, uint8_t) break;    \
    }

void mplan_host_add(const mplan_plan_arg *about, void *to, int64_t stride, const void *from)
{
    assert(about && to && from);
    BY_TYPE(COMBINE_AS)
}

void mplan_host_add_atomic(const mplan_plan_arg *about, void *to, int64_t stride, const void *from)
{
    assert(about && to && from);
    BY_TYPE(COMBINE_ATOMIC_AS)
}

void mplan_host_clear(const mplan_plan_arg *about, void *sum)
{
    assert(about && sum);
    BY_TYPE(CLEAR_AS)
}

int64_t mplan_host_member_bytes(const mplan_exec_loop *bound, int32_t a)
{
    assert(bound);
    const mplan_plan_arg *arg = &bound->loop->args[a];
    return arg->dim * (int64_t)mplan_type_size(arg->type);
}

/* from: dim numbers, one behind the other; added to member p of the dat. */
void mplan_host_add_point(const mplan_exec_loop *bound, int32_t a, int64_t p, const void *from,
                          bool atomic)
{
    assert(bound && from && p >= 0);
    const mplan_plan_arg *arg = &bound->loop->args[a];
    const mplan_host_arg *host = &bound->host.arg[a];
    char *to = (char *)host->data + p * host->member_stride * (int64_t)mplan_type_size(arg->type);
    if (atomic)
        mplan_host_add_atomic(arg, to, host->component_stride, from);
    else
        mplan_host_add(arg, to, host->component_stride, from);
}

void mplan_host_put_point(const mplan_exec_loop *bound, int32_t a, int64_t p, const void *from,
                          bool any)
{
    assert(bound && from && p >= 0);
    const size_t size = mplan_type_size(bound->loop->args[a].type);
    const mplan_host_arg *host = &bound->host.arg[a];
    char *to = (char *)host->data + (size_t)(p * host->member_stride) * size;
    if (!bound->call.arg[a].fresh) {
        if (any)
            mplan_host_add_point(bound, a, p, from, false);
        return;
    }
    for (int32_t c = 0; c < bound->loop->args[a].dim; c++)
        memcpy(to + (size_t)(c * host->component_stride) * size,
               (const char *)from + (size_t)c * size, size);
}

/* --- iterations ------------------------------------------------------------------- */

typedef struct iterations {
    const mplan_exec_loop *bound;
    const mplan_host_call *call;
    int64_t first;
} iterations;

/* Iterations [begin, end) behind the first. */
static void run_iterations(void *data, int thread, int64_t begin, int64_t end)
{
    const iterations *work = data;
    (void)thread;
    work->bound->kernel->run(work->call, work->first + begin, work->first + end);
}

void mplan_host_iterations(const mplan_exec_loop *bound, const mplan_host_call *call, int64_t begin,
                           int64_t end)
{
    assert(bound && call && begin <= end);
    iterations work = {bound, call, begin};
    mplan_host_for(bound, end - begin, MPLAN_HOST_POINTS, run_iterations, &work);
}
