/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - what the cases of tools/gpu/check share: a mesh, a plan of one kernel, an executor, and what comes out */
#ifndef MPLAN_GPU_FRAME_H
#define MPLAN_GPU_FRAME_H

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "exec/meshplan_exec.h"
#include "exec/meshplan_kernel.h"

static mplan_error err;

/* Returns from a function of mplan_status with the status of a call that failed. */
#define MUST(call_)                     \
    do {                                \
        mplan_status status_ = (call_); \
        if (status_ != MPLAN_OK)        \
            return status_;             \
    } while (0)

/* [0, n), the same numbers at each run. */
inline unsigned next_random(unsigned n)
{
    static unsigned seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

struct frame_set {
    const char *name;
    int64_t size;
};

/* A map of the mesh; from and to are places in the list of its sets. */
struct frame_map {
    const char *name;
    int32_t from, to, arity;
    const int64_t *offsets; /* NULL with an arity */
    const int32_t *values;
};

inline mplan_status make_mesh(std::initializer_list<frame_set> sets,
                              std::initializer_list<frame_map> maps, mplan_mesh **mesh)
{
    MUST(mplan_mesh_create(mesh, &err));
    for (const frame_set &one : sets)
        MUST(mplan_mesh_add_set(*mesh, one.name, one.size, NULL, &err));
    for (const frame_map &one : maps)
        MUST(mplan_mesh_add_map(*mesh, one.name, one.from, one.to, one.arity, one.offsets,
                                one.values, NULL, &err));
    return MPLAN_OK;
}

/* A plan of the kernel over a set, verified; blocks of at most 128. Maps with entries of -1 skip them where `skips`. No strategies:
 * all of them. */
inline mplan_status make_plan(mplan_mesh *mesh, const mplan_kernel &kernel, const char *over,
                              bool skips, mplan_plan_options options, mplan_plan **plan)
{
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    options.block_size = 128;
    for (int s = 0, all = options.n_strategies == 0; s < MPLAN_N_STRATEGIES && all; s++)
        options.strategies[options.n_strategies++] = mplan_strategy(s);
    MUST(mplan_kernel_loop(&kernel, over, args, &loop, &err));
    for (int32_t a = 0; a < loop.n_args; a++)
        args[a].none = args[a].map && skips ? MPLAN_NONE_SKIP : MPLAN_NONE_REFUSE;
    MUST(mplan_plan_create(mesh, 1, &loop, &options, NULL, plan, &err));
    return mplan_plan_verify(*plan, mesh, NULL, &err);
}

/* An executor on the GPU with all dats declared; it is closed where it goes out of sight. */
struct gpu_exec {
    mplan_exec *exec = nullptr;
    mplan_status open(const mplan_plan *plan)
    {
        mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
        options.executor = MPLAN_EXECUTOR_CUDA;
        MUST(mplan_exec_open(plan, &options, &exec, &err));
        return mplan_exec_declare_all(exec, &err);
    }
    mplan_status launch(const mplan_kernel &kernel, int32_t variant, int times = 1)
    {
        mplan_exec_loop *bound;
        MUST(mplan_exec_bind(exec, kernel.name, variant, &kernel, &bound, &err));
        for (int i = 0; i < times; i++)
            MUST(mplan_exec_launch(exec, bound, NULL, NULL, &err));
        return mplan_exec_wait(exec, &err);
    }
    void close()
    {
        mplan_exec_close(exec);
        exec = nullptr;
    }
    ~gpu_exec()
    {
        close();
    }
};

/* Adds to *wrong how many numbers of a dat differ from those of `due`, n rows of dim numbers; bits: zeros of two signs differ, and a
 * NaN does not. */
template <typename T> mplan_status compare(mplan_exec *exec, const char *dat, int64_t n,
                                           int32_t dim, mplan_type type, const T *due,
                                           int64_t *wrong, bool bits = false)
{
    std::vector<T> found(size_t(n) * size_t(dim));
    MUST(mplan_exec_download(exec, dat, found.data(), n, dim, type, &err));
    for (size_t i = 0; i < found.size(); i++)
        *wrong += bits ? std::memcmp(&found[i], &due[i], sizeof(T)) != 0 : found[i] != due[i];
    return MPLAN_OK;
}

/* Says how a case ended; the exit status of main. */
inline int end_of_case(const char *name, mplan_status status, int64_t wrong)
{
    if (status)
        std::printf("%s: %s\n", name, err.text);
    return status || wrong != 0;
}

#endif
