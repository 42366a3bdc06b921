/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_runtime.h - as much of CUDA as kernels of loops use, on the host: threads of a block run one after the
 * other, as fibers that wait at __syncthreads
 *
 * It shows that a kernel computes what it should and touches nothing beside its arrays; nothing of speed, and no race
 * that needs two threads of a device at once. Each thread of the host is a device of its own, which runs its blocks in
 * ascending order; such devices wait for one another as real ones do. `emulate.py` turns kernel<<<...>>>(...) into emulated::launch(...). */
#ifndef MESHPLAN_EMULATED_CUDA_RUNTIME_H
#define MESHPLAN_EMULATED_CUDA_RUNTIME_H

#include <sched.h>
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __restrict__
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __noinline__
#define __shared__ static

struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(8) int2 {
    int x, y;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

inline thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

enum { STACK = 256 * 1024, SHARED = 256 * 1024 };

/* Where a fiber goes on. */
struct place {
    ucontext_t context;
    jmp_buf at;
    bool begun = false;
};
struct fiber {
    place here;
    std::vector<char> stack;
    bool done;
};
inline thread_local std::deque<fiber> fibers; /* stay where they are, and are used by one block after the other */
inline thread_local place block_place;
inline thread_local int running = -1; /* fiber; -1: threads run without */
inline thread_local bool waited;      /* a thread of the block was at a barrier */
inline thread_local void (*body)(void *);
inline thread_local void *arguments;

/* A clock that only its own readings move, so that waits end by their count, whatever the machine; others go on meanwhile. */
inline long long nanoseconds()
{
    static thread_local long long now;
    sched_yield();
    return now += 1000;
}

/* Without the system calls of swapcontext, which changes what signals are let through; but the address sanitizer knows that one only. */
__attribute__((noinline)) inline void change(place &from, place &to)
{
#ifdef __SANITIZE_ADDRESS__
    swapcontext(&from.context, &to.context);
#else
    from.begun = true;
    if (_setjmp(from.at))
        return;
    if (to.begun)
        _longjmp(to.at, 1);
    setcontext(&to.context);
#endif
}

inline void enter()
{
    for (;;) {
        body(arguments);
        fibers[running].done = true;
        change(fibers[running].here, block_place);
    }
}

inline void barrier()
{
    if (running < 0) {
        std::fprintf(stderr, "emulated: a later block waits where the first did not\n");
        std::abort();
    }
    waited = true;
    const int mine = running;
    change(fibers[mine].here, block_place);
}

/* All threads of a block up to their barriers, again and again. */
inline void run_block(unsigned threads)
{
    while (fibers.size() < threads) {
        fibers.emplace_back();
        fiber &f = fibers.back();
        f.stack.resize(STACK);
        getcontext(&f.here.context);
        f.here.context.uc_stack.ss_sp = f.stack.data();
        f.here.context.uc_stack.ss_size = STACK;
        f.here.context.uc_link = nullptr; /* enter never returns */
        makecontext(&f.here.context, enter, 0);
    }
    for (unsigned t = 0; t < threads; t++)
        fibers[t].done = false;
    for (bool again = true; again;) {
        again = false;
        for (unsigned t = 0; t < threads; t++)
            if (!fibers[t].done) {
                running = int(t);
                threadIdx.x = t;
                change(block_place, fibers[t].here);
                again = again || !fibers[t].done;
            }
    }
    running = -1;
}

inline void poison_shared();

template <typename... P> struct launcher {
    void (*kernel)(P...);
    dim3 grid, block;

    template <typename... A> void operator()(A &&...a) const
    {
        auto call = [&] { kernel(a...); };
        typedef decltype(call) closure;
        body = [](void *data) { (*static_cast<closure *>(data))(); };
        arguments = &call;
        gridDim = grid, blockDim = block;
        waited = false;
        for (unsigned b = 0; b < grid.x * grid.y; b++) {
            blockIdx.x = b % grid.x;
            blockIdx.y = b / grid.x;
            poison_shared();
            if (b == 0 || waited)
                run_block(block.x);
            else
                for (unsigned t = 0; t < block.x; t++) {
                    threadIdx.x = t;
                    call();
                }
        }
    }
};
template <typename... P> launcher<P...> launch(void (*kernel)(P...), dim3 grid, dim3 block,
                                               size_t shared = 0, void * = nullptr)
{
    if (shared > SHARED || block.x > 1024 || block.x == 0 || grid.x == 0 || grid.y == 0 ||
        grid.y > 65535 || grid.z != 1) {
        std::fprintf(stderr, "emulated: a launch that no device takes\n");
        std::abort();
    }
    return launcher<P...>{kernel, grid, block};
}

} // namespace emulated

#define __syncthreads() emulated::barrier()

/* Where the kernels' `extern __shared__` arrays are: each namespace of kernels has those that it names. */
namespace mplan_device_layers {
alignas(16) inline char shared[emulated::SHARED];
}
namespace mplan {
alignas(128) inline unsigned char shared[emulated::SHARED], record[emulated::SHARED];
}
namespace emulated {
inline void poison_shared()
{
    std::memset(mplan_device_layers::shared, 0x7f, 64 * 1024);
    std::memset(mplan::shared, 0x7f, 64 * 1024);
    std::memset(mplan::record, 0x7f, 64 * 1024);
}
inline thread_local int spoken[1024]; /* by each thread of the block */
} // namespace emulated

/* All lanes of 32 take part: they speak, and listen when all have spoken. */
inline int __shfl_sync(unsigned, int value, int from)
{
    const unsigned mine = threadIdx.x;
    emulated::spoken[mine] = value;
    emulated::barrier();
    const int heard = emulated::spoken[mine / 32 * 32 + unsigned(from) % 32];
    emulated::barrier();
    return heard;
}
inline thread_local double emulated_numbers[1024]; /* by each thread of the block */
/* Of lanes in groups of `width`: that of lane `at`, the own one where the group has none. */
inline double emulated_shuffle(double value, int at, int width)
{
    const int mine = int(threadIdx.x), group = mine / width * width;
    emulated_numbers[mine] = value;
    emulated::barrier();
    const double heard = at < 0 || at >= width ? value : emulated_numbers[group + at];
    emulated::barrier();
    return heard;
}
inline double __shfl_sync(unsigned, double value, int from, int width)
{
    return emulated_shuffle(value, from % width, width);
}
inline double __shfl_up_sync(unsigned, double value, unsigned by, int width)
{
    return emulated_shuffle(value, int(threadIdx.x) % width - int(by), width);
}
inline double __shfl_down_sync(unsigned, double value, unsigned by, int width)
{
    return emulated_shuffle(value, int(threadIdx.x) % width + int(by), width);
}
inline bool __any_sync(unsigned, bool here)
{
    emulated_numbers[threadIdx.x] = here;
    emulated::barrier();
    bool any = false;
    for (unsigned t = threadIdx.x / 32 * 32; t < threadIdx.x / 32 * 32 + 32 && t < blockDim.x; t++)
        any = any || emulated_numbers[t] != 0;
    emulated::barrier();
    return any;
}
inline float __fadd_rn(float a, float b)
{
    return a + b;
}
inline double __dadd_rn(double a, double b)
{
    return a + b;
}

/* --- functions of devices --- */

template <typename T> T __ldg(const T *at)
{
    return *at;
}
inline uint32_t __umulhi(uint32_t a, uint32_t b)
{
    return uint32_t(uint64_t(a) * b >> 32);
}
inline double __longlong_as_double(long long bits)
{
    double number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}
/* Order between devices; those of one need none here. */
inline void __threadfence()
{
}
inline void __threadfence_system()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <typename T> T atomicAdd(T *at, T more)
{
    const T before = *at;
    *at = T(before + more);
    return before;
}
template <typename T> T atomicCAS(T *at, T due, T next)
{
    const T before = *at;
    if (before == due)
        *at = next;
    return before;
}
template <typename T> T atomicMin(T *at, T other)
{
    const T before = *at;
    *at = other < before ? other : before;
    return before;
}
template <typename T> T atomicMax(T *at, T other)
{
    const T before = *at;
    *at = before < other ? other : before;
    return before;
}
inline int min(int a, int b)
{
    return a < b ? a : b;
}
inline int max(int a, int b)
{
    return a < b ? b : a;
}
inline long long __double_as_longlong(double number)
{
    long long bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}
inline int __float_as_int(float number)
{
    int bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}
inline float __int_as_float(int bits)
{
    float number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}
using std::fabs;
using std::signbit;

/* --- functions of the runtime; the device has 8 processors, so that both ways of splitting levels are taken --- */

typedef int cudaError_t;
typedef void *cudaStream_t;
enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorLaunchOutOfResources = 701,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxShared = 100
};
struct cudaFuncAttributes {
    size_t localSizeBytes, sharedSizeBytes;
    int maxThreadsPerBlock, numRegs;
    int maxDynamicSharedSizeBytes = 0;
    int ptxVersion = 90; /* as if it were compiled for devices that have bulk copies */
};
inline cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}
inline const char *cudaGetErrorString(int)
{
    return "emulated";
}
inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *value, int what, int)
{
    *value = what == cudaDevAttrMultiProcessorCount ? 8 : 256;
    return cudaSuccess;
}
template <typename K> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *about, K)
{
    *about = cudaFuncAttributes{0, 0, 1024, 32};
    return cudaSuccess;
}
template <typename K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K, int threads, size_t)
{
    *blocks = 2048 / threads;
    return cudaSuccess;
}
template <typename K> cudaError_t cudaFuncSetAttribute(K, int, int)
{
    return cudaSuccess;
}

enum { cudaMemoryTypeDevice = 2, cudaMemoryTypeManaged = 3 };
struct cudaPointerAttributes {
    int type, device;
};

/* Memory and clocks of programs that measure; the times say nothing. */
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
typedef int cudaEvent_t;
template <typename T> cudaError_t cudaMalloc(T **memory, size_t bytes)
{
    *memory = static_cast<T *>(std::malloc(bytes));
    return cudaSuccess;
}
inline cudaError_t cudaMallocManaged(void **memory, size_t bytes)
{
    return cudaMalloc(memory, bytes);
}
enum { cudaStreamNonBlocking = 1 };
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, int)
{
    *stream = nullptr;
    return cudaSuccess;
}
inline cudaError_t cudaFree(void *memory)
{
    std::free(memory);
    return cudaSuccess;
}
inline cudaError_t cudaMemset(void *memory, int byte, size_t bytes)
{
    std::memset(memory, byte, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int)
{
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int)
{
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t *)
{
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t)
{
    return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 1;
    return cudaSuccess;
}

#endif
