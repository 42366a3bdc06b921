/* SPDX-License-Identifier: Apache-2.0 */
/* device_rates.cu - the profile of a CUDA device: its limits as the driver tells them, its rates by small kernels
 *
 * Each kernel keeps one part of the device busy, in the way in which the kernels of loops use that part, so that the
 * cost model's formulas hold with what is measured (mplan_device has the units). Each result is looked at: a kernel that
 * did not do its work has no rate. */
#include <algorithm>
#include <cassert>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "exec/cuda/device_cuda.h"

extern "C" {
#include "apps/app_device.h"
}

namespace {

constexpr int warm = 2, timed = 7; /* runs before the clock counts, and after */
constexpr int threads = 256;

/* Memory for as long as it is in scope. */
struct own_memory {
    void *data = nullptr;
    ~own_memory()
    {
        mplan_gpu_free(data);
    }
    double *doubles() const
    {
        return static_cast<double *>(data);
    }
};

/* Median seconds of `launch`, which launches one or more kernels in the default stream. */
template <typename function>
mplan_status seconds_of(const function &launch, double *seconds, mplan_error *err)
{
    own_event begin, end;
    float milliseconds[timed];
    MPLAN_CUDA(begin.open(cudaEventDefault));
    MPLAN_CUDA(end.open(cudaEventDefault));
    for (int i = -warm; i < timed; i++) {
        MPLAN_CUDA(cudaEventRecord(begin.event));
        launch();
        MPLAN_CUDA(cudaGetLastError());
        MPLAN_CUDA(cudaEventRecord(end.event));
        MPLAN_CUDA(cudaEventSynchronize(end.event));
        if (i >= 0)
            MPLAN_CUDA(cudaEventElapsedTime(&milliseconds[i], begin.event, end.event));
    }
    std::sort(milliseconds, milliseconds + timed);
    *seconds = 1e-3 * static_cast<double>(milliseconds[timed / 2]);
    return MPLAN_OK;
}

/* What a kernel left at `number` must be `expected`. */
mplan_status must_be(const double *number, double expected, const char *what, mplan_error *err)
{
    double found = 0;
    mplan_status status = mplan_gpu_download(&found, number, sizeof found, err);
    if (!status && found != expected)
        status = mplan_fail(err, MPLAN_ERR_DEVICE, "the kernel that measures %s computed %g, not %g",
                            what, found, expected);
    return status;
}

/* --- launches ------------------------------------------------------------------------ */

/* An empty kernel takes as long as a launch does. */
__global__ void nothing()
{
}

/* Seconds of a launch behind another one, which it waits for. */
mplan_status measure_launch(double *seconds, mplan_error *err)
{
    constexpr int launches = 200;
    const auto launch = [] {
        for (int i = 0; i < launches; i++)
            nothing<<<1, 32>>>();
    };
    mplan_status status = seconds_of(launch, seconds, err);
    *seconds /= launches;
    return status;
}

/* --- f64 arithmetic -------------------------------------------------------------------- */

constexpr int chains = 8; /* of a thread, none of which waits for another */
constexpr int links = 2048;

/* Every chain keeps its value, which the compiler cannot know: x * 0.5 + 0.5 x. */
__global__ void __launch_bounds__(threads) multiply_add(double *out, double half, double start)
{
    double x[chains];
    for (int c = 0; c < chains; c++)
        x[c] = start;
    for (int i = 0; i < links; i++)
#pragma unroll
        for (int c = 0; c < chains; c++)
            x[c] = fma(x[c], half, half);
    double sum = 0;
    for (int c = 0; c < chains; c++)
        sum += x[c];
    out[int64_t(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

/* f64 instructions a second; a multiplication and an addition in one count once. */
mplan_status measure_flops(const mplan_device *device, double *out, double *rate, mplan_error *err)
{
    const int blocks = 8 * device->processors;
    double seconds = 0;
    const auto launch = [=] { multiply_add<<<blocks, threads>>>(out, 0.5, 1.0); };
    mplan_status status = seconds_of(launch, &seconds, err);
    if (!status)
        status = must_be(out, chains, "arithmetic", err);
    *rate = double(blocks) * threads * chains * links / seconds;
    return status;
}

/* --- atomic adds ------------------------------------------------------------------------- */

constexpr int components = 4;

/* Edges of a grid add to their cells: edge 2i to cells i and i + 1, edge 2i + 1 to i and i + width, as a mesh in a good
 * order does. `cells` is a power of two, and each cell gets four adds of each component. */
__global__ void __launch_bounds__(threads) add_to_cells(double *x, int64_t cells, int64_t width)
{
    const int64_t e = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t one = e / 2, other = (one + (e % 2 ? width : 1)) & (cells - 1);
    for (int c = 0; c < components; c++) {
        atomicAdd(&x[c * cells + one], 1.0);
        atomicAdd(&x[c * cells + other], 1.0);
    }
}

/* Atomic adds of doubles a second. `room` bytes at x: half of the L2 cache, so that memory is not what they wait for. */
mplan_status measure_atomics(double *x, int64_t room, double *rate, mplan_error *err)
{
    int64_t cells = 1024;
    while (2 * cells * components * int64_t(sizeof *x) <= room)
        cells *= 2;
    double seconds = 0;
    mplan_status status = mplan_gpu_set(x, 0, cells * components * int64_t(sizeof *x), err);
    const auto launch = [=] {
        add_to_cells<<<unsigned(2 * cells / threads), threads>>>(x, cells, 512);
    };
    if (!status)
        status = seconds_of(launch, &seconds, err);
    if (!status)
        status = must_be(x, 4.0 * (warm + timed), "atomic adds", err);
    *rate = 4.0 * components * double(cells) / seconds;
    return status;
}

/* --- shared memory ----------------------------------------------------------------------- */

constexpr int staged = 2048; /* doubles of a block */

/* A number below 2^bits for each i below 2^bits, none twice, without a pattern that banks would like. */
__device__ unsigned scrambled(unsigned i, unsigned bits)
{
    const unsigned mask = (1u << bits) - 1;
    i = (i ^ (i >> (bits / 2))) * 0x9e5u & mask;
    i = (i ^ (i >> (bits / 2))) * 0x6b7u & mask;
    return i ^ (i >> (bits / 2));
}

/* Each thread reads all staged doubles by local ids of 16 bits, as kernels with blocks do; neighbours read ids that
 * follow one another, and doubles in any banks. */
__global__ void __launch_bounds__(threads) read_staged(double *out)
{
    __shared__ double values[staged];
    __shared__ uint16_t ids[staged];
    for (int i = threadIdx.x; i < staged; i += threads) {
        values[i] = i;
        ids[i] = uint16_t(scrambled(unsigned(i), 11));
    }
    __syncthreads();
    double sum = 0;
    unsigned at = threadIdx.x;
#pragma unroll 4
    for (int i = 0; i < staged; i++) {
        sum += values[ids[at]];
        at = (at + 257) & (staged - 1);
    }
    out[int64_t(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

/* Doubles read from shared memory a second. */
mplan_status measure_shared(const mplan_device *device, double *out, double *rate, mplan_error *err)
{
    const int blocks = 8 * device->processors;
    double seconds = 0;
    const auto launch = [=] { read_staged<<<blocks, threads>>>(out); };
    mplan_status status = seconds_of(launch, &seconds, err);
    if (!status)
        status = must_be(out, staged * (staged - 1) / 2, "shared memory", err);
    *rate = double(blocks) * threads * staged / seconds;
    return status;
}

/* --- the L2 cache ------------------------------------------------------------------------ */

constexpr int rounds = 8;
constexpr int window_bits = 8;

/* Two doubles that come from the L2 cache. */
__device__ double2 from_l2(const double2 *at)
{
#ifdef __HIP__
    return *at; /* not taken from the L1 cache: that holds less than a window */
#else
    return __ldcg(at);
#endif
}

/* Each thread reads rows of four doubles; threads beside one another read rows of one window in any order, which is
 * what gathering from a mesh in a good order is. rows: a power of two of at least a window. */
__global__ void __launch_bounds__(threads) read_rows(const double2 *data, int64_t rows, double *out)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    constexpr int64_t window = int64_t(1) << window_bits;
    double sum = 0;
#pragma unroll
    for (int r = 0; r < rounds; r++) {
        const int64_t first = (i / window * window + r * rows / rounds) & (rows - 1);
        const int64_t row = first + scrambled(unsigned(i + 37 * r) & (window - 1), window_bits);
        const double2 a = from_l2(&data[2 * row]), b = from_l2(&data[2 * row + 1]);
        sum += a.x + a.y + b.x + b.y;
    }
    out[i] = sum;
}

/* Ones, so that a row of four read `rounds` times sums to 4 rounds, whatever the order. */
__global__ void fill_ones(double *data, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 1;
}

/* Bytes a second of reads that the L2 cache answers. `room`: bytes at data, a quarter of it; out: a number for each of
 * the rows, of 32 bytes. */
mplan_status measure_l2(double *data, int64_t room, double *out, double *rate, mplan_error *err)
{
    int64_t rows = 1024;
    while (2 * rows * 32 <= room)
        rows *= 2;
    double seconds = 0;
    fill_ones<<<unsigned(4 * rows / threads), threads>>>(data, 4 * rows);
    const auto launch = [=] {
        read_rows<<<unsigned(rows / threads), threads>>>(reinterpret_cast<double2 *>(data), rows,
                                                         out);
    };
    mplan_status status = seconds_of(launch, &seconds, err);
    if (!status)
        status = must_be(out, 4.0 * rounds, "the L2 cache", err);
    *rate = 32.0 * rounds * double(rows) / seconds;
    return status;
}

/* --- the link ---------------------------------------------------------------------------- */

constexpr int64_t link_bytes = int64_t(128) << 20; /* to the device */

/* Pinned memory of the host that is freed on return, and two streams. */
struct link_probe {
    void *in = nullptr, *out = nullptr;
    cudaStream_t to_device = nullptr, to_host = nullptr;
    ~link_probe()
    {
        if (to_device)
            cudaStreamDestroy(to_device);
        if (to_host)
            cudaStreamDestroy(to_host);
        mplan_gpu_host_free(in);
        mplan_gpu_host_free(out);
    }
};

/* Bytes a second to the device while half as many come from it, as in visits whose tables, and what no loop changes, only go in; and each
 * way while as many come back (*both). A link that is full both ways may be slower. The streams are of the default kind, so that events of
 * the default stream see both of them. `device`: 2 x link_bytes. */
mplan_status measure_link(char *device, double *rate, double *both, mplan_error *err)
{
    link_probe probe;
    mplan_status status = mplan_gpu_host_alloc(link_bytes, &probe.in, err);
    if (!status)
        status = mplan_gpu_host_alloc(link_bytes, &probe.out, err);
    if (status)
        return status;
    MPLAN_CUDA(cudaStreamCreate(&probe.to_device));
    MPLAN_CUDA(cudaStreamCreate(&probe.to_host));
    std::memset(probe.in, 1, size_t(link_bytes));
    double seconds = 0;
    int64_t back = link_bytes / 2;
    const auto copies = [&] {
        cudaMemcpyAsync(device, probe.in, size_t(link_bytes), cudaMemcpyHostToDevice,
                        probe.to_device);
        cudaMemcpyAsync(probe.out, device + link_bytes, size_t(back), cudaMemcpyDeviceToHost,
                        probe.to_host);
    };
    status = seconds_of(copies, &seconds, err);
    *rate = double(link_bytes) / seconds;
    back = link_bytes;
    if (!status)
        status = seconds_of(copies, &seconds, err);
    *both = double(link_bytes) / seconds;
    double ones = 0;
    std::memset(&ones, 1, sizeof ones);
    if (!status)
        status = must_be(reinterpret_cast<double *>(device), ones, "the link", err);
    return status;
}

/* --- the profile ------------------------------------------------------------------------- */

/* "NVIDIA H200" as "nvidia-h200". */
void name_of(const char *said, char *name, size_t size)
{
    size_t n = 0;
    for (; *said && n + 1 < size; said++) {
        const auto one = static_cast<unsigned char>(*said);
        if (std::isalnum(one))
            name[n++] = static_cast<char>(std::tolower(one));
        else if (n > 0 && name[n - 1] != '-')
            name[n++] = '-';
    }
    while (n > 0 && name[n - 1] == '-')
        n--;
    std::snprintf(name + n, size - n, "%s", n ? "" : "gpu");
}

/* What the driver tells. */
mplan_status read_limits(int32_t ordinal, mplan_device *device, char *name, size_t size,
                         mplan_error *err)
{
    cudaDeviceProp about;
    int shared = 0, all_shared = 0, most = 0, l2 = 0, warp = 0, resident = 0, processors = 0;
    MPLAN_CUDA(cudaGetDeviceProperties(&about, ordinal));
    MPLAN_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    MPLAN_CUDA(cudaDeviceGetAttribute(&all_shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                                      ordinal));
    MPLAN_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, ordinal));
    MPLAN_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, ordinal));
    MPLAN_CUDA(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, ordinal));
    MPLAN_CUDA(cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, ordinal));
    MPLAN_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, ordinal));
    name_of(about.name, name, size);
    device->name = name;
    device->shared_bytes = shared;
    device->processor_shared_bytes = all_shared;
    device->max_threads = most;
    device->l2_bytes = l2;
    device->warp = warp;
    device->processor_threads = resident;
    device->processors = processors;
    return MPLAN_OK;
}

/* Bytes that every kernel here finds room in: half of the L2 cache, or a number for each thread of those with blocks. */
int64_t room_of(const mplan_device *device)
{
    const int64_t results = int64_t(8) * device->processors * threads * int64_t(sizeof(double));
    return std::max<int64_t>(std::max<int64_t>(device->l2_bytes / 2, results), 64 * 1024);
}

} // namespace

/* Two pieces of memory of room_of bytes, for what kernels read and what they leave; both are freed on return. Rates
 * are those of an idle device: nothing else may run. */
mplan_status mplan_gpu_profile(int32_t ordinal, mplan_device *device, char *name, size_t size,
                               mplan_error *err)
{
    assert(device && name && size > 0);
    own_memory data, out;
    mplan_status status = mplan_gpu_open(ordinal, err);
    if (!status)
        status = read_limits(ordinal, device, name, size, err);
    const int64_t room = status ? 0 : room_of(device);
    if (!status)
        status = mplan_gpu_alloc(room, &data.data, err);
    if (!status)
        status = mplan_gpu_alloc(room, &out.data, err);
    if (!status)
        status = mplan_gpu_copy_rate(&device->copy_rate, err);
    if (!status)
        status = measure_launch(&device->launch, err);
    if (!status)
        status = measure_flops(device, out.doubles(), &device->flop_rate, err);
    if (!status)
        status = measure_atomics(data.doubles(), device->l2_bytes / 2, &device->atomic_rate, err);
    if (!status)
        status = measure_shared(device, out.doubles(), &device->shared_rate, err);
    if (!status)
        status = measure_l2(data.doubles(), device->l2_bytes / 4, out.doubles(), &device->l2_rate,
                            err);
    own_memory both;
    if (!status)
        status = mplan_gpu_alloc(2 * link_bytes, &both.data, err);
    if (!status)
        status = measure_link(static_cast<char *>(both.data), &device->link, &device->link_both, err);
    return status;
}
