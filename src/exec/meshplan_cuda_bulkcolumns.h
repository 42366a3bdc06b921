/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_bulkcolumns.h - functions of whole columns on a device, where levels are fastest and columns lie one behind the
 * other: bulk copies bring them to shared memory and back
 *
 * A warp has as many columns as its lanes compute at a time. Their numbers are one piece of memory for each dat (for each component,
 * where members are not side by side), so that one instruction moves a piece (meshplan_cuda_bulk.h; elsewhere all
 * threads move words of 16 bytes), and no thread computes addresses.
 *
 * A tridiagonal solve of C96 x 70 takes 81.6 us in place of the 106.6 of staged columns on an H100, with 16 columns to a thread
 * block 83.6; by runs of levels whose divisions do not wait for one another 76.7 in place of 97.4. With 32 columns shared memory
 * has no room for enough thread blocks. A program may define MPLAN_BULK_COLUMNS, the columns of a thread block (8, 16 or 32; 0:
 * never), before it includes the kernels. */
#ifndef MESHPLAN_CUDA_BULKCOLUMNS_H
#define MESHPLAN_CUDA_BULKCOLUMNS_H

#include "meshplan_cuda_bulk.h"
#include "meshplan_cuda_columns.h"

namespace mplan_device_layers {

#ifndef MPLAN_BULK_COLUMNS
#define MPLAN_BULK_COLUMNS 8
#endif
/* Columns of a thread block, which is one warp; TAKES_BULK: whether a launch uses bulk copies. */
enum {
    TAKES_BULK = MPLAN_BULK_COLUMNS > 0,
    BULK_COLUMNS = TAKES_BULK ? MPLAN_BULK_COLUMNS : 16,
    BULK_THREADS = 32
};
static_assert(BULK_COLUMNS % 8 == 0 && BULK_COLUMNS <= BULK_THREADS, "a lane for each column");

/* Where the columns of an arg are in shared memory, as far as possible as in the dat: number c of level j of column t at
 * [c * component + t * pitch + j * level]. MEMBERS: members side by side. Lanes that read one level of neighbouring columns
 * would meet in the same banks where a column is a multiple of 32 bytes: there each column has a gap behind it, and is moved
 * by itself. */
template <int dim, typename T, bool MEMBERS> struct bulk_tile {
    static constexpr int level = MEMBERS ? dim : 1, pieces = MEMBERS ? 1 : dim;
    uint32_t column, pitch; /* bytes */

    MPLAN_INLINE explicit bulk_tile(int32_t levels)
        : column(uint32_t(levels) * level * sizeof(T)), pitch(column + (column % 32 ? 0 : 16))
    {
    }
    MPLAN_INLINE uint32_t piece() const /* bytes from component to component */
    {
        return (BULK_COLUMNS * pitch + 15) / 16 * 16;
    }
    MPLAN_INLINE uint32_t bytes() const
    {
        return pieces * piece();
    }
    /* Bytes of n columns that bulk copies move, of each piece; those behind them are less than a word of 16 bytes. */
    MPLAN_INLINE uint32_t bulk(int32_t n) const
    {
        return uint32_t(n) * column / 16 * 16;
    }
};

/* --- pieces: addresses and bytes are multiples of 16 -------------------------------------------------------- */

/* Piece number k, counted over all pieces of a kernel's turn. OUT: from shared memory to the dat, else to shared memory. */
template <bool OUT>
MPLAN_INLINE void bulk_move(int32_t k, char *near, char *far, uint32_t bytes, uint64_t *barrier)
{
#if MPLAN_HAS_BULK
    if (int32_t(threadIdx.x) != k % BULK_THREADS || bytes == 0)
        return;
    if constexpr (OUT)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(far),
                     "r"(mplan::shared_address(near)), "r"(bytes)
                     : "memory");
    else
        mplan::bulk_bring(near, far, bytes, barrier);
#else
    (void)k, (void)barrier;
    int4 *const to = reinterpret_cast<int4 *>(OUT ? far : near);
    const int4 *const from = reinterpret_cast<const int4 *>(OUT ? near : far);
    for (uint32_t i = threadIdx.x; i < bytes / 16; i += BULK_THREADS)
        to[i] = from[i];
#endif
}

/* Between what threads have written to shared memory and its way out. */
MPLAN_INLINE void bulk_written()
{
#if MPLAN_HAS_BULK
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
}

/* Until shared memory has been read: a thread block that ends gives it back. */
MPLAN_INLINE void bulk_left()
{
#if MPLAN_HAS_BULK
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

/* --- visitors --------------------------------------------------------------------------------------------- */

/* Whether an arg's columns are brought to shared memory, and back. */
template <int access> MPLAN_INLINE bool bulk_moves(bool out, bool exact)
{
    return out ? access != MPLAN_READ : access != MPLAN_WRITE || !exact;
}

/* Bytes that come by bulk copies. */
template <class L, bool MEMBERS> struct bulk_counter {
    const device_call<L> &call;
    int32_t n;
    uint32_t bytes;

    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &)
    {
        const bulk_tile<dim, T, MEMBERS> tile(call.arg[A].levels);
        if (bulk_moves<access>(false, call.arg[A].levels == call.layers))
            bytes += tile.pieces * tile.bulk(n);
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void kept(V &view)
    {
        whole<A, dim, T, MPLAN_WRITE>(view);
    }
    template <int A, int slots, int dim, typename T, typename V> MPLAN_INLINE void near(V &)
    {
    }
    MPLAN_LAYERS_IGNORE(flat, int A, int arity, int dim, typename T)
    MPLAN_LAYERS_IGNORE(own, int A, int dim, typename T)
    MPLAN_LAYERS_IGNORE(value, int A, int dim, typename T)
};

/* Moves columns [first, first + n) between the dats and shared memory. */
template <class L, bool MEMBERS, bool OUT> struct bulk_mover {
    const device_call<L> &call;
    char *shared;
    uint64_t *barrier;
    int32_t first, n, used, k;

    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &)
    {
        const device_arg<typename L::index> &arg = call.arg[A];
        const bulk_tile<dim, T, MEMBERS> tile(arg.levels);
        char *const at = shared + used;
        used += int32_t(tile.bytes());
        if (!bulk_moves<access>(OUT, arg.levels == call.layers))
            return;
#pragma unroll
        for (int c = 0; c < tile.pieces; c++) {
            char *const near = at + c * tile.piece(),
                        *const far = reinterpret_cast<char *>(number_of<T>(arg, first, 0, c));
            if (tile.pitch != tile.column) {
                for (int32_t t = 0; t < n; t++)
                    bulk_move<OUT>(k++, near + t * tile.pitch, far + int64_t(t) * tile.column,
                                   tile.column, barrier);
                continue;
            }
            bulk_move<OUT>(k++, near, far, tile.bulk(n), barrier);
#pragma unroll 1
            for (uint32_t i = tile.bulk(n) + threadIdx.x * sizeof(T); i < n * tile.column;
                 i += BULK_THREADS * sizeof(T))
                *reinterpret_cast<T *>((OUT ? far : near) +
                                       i) = *reinterpret_cast<const T *>((OUT ? near : far) + i);
        }
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void kept(V &view)
    {
        whole<A, dim, T, MPLAN_WRITE>(view);
    }
    template <int A, int slots, int dim, typename T, typename V> MPLAN_INLINE void near(V &)
    {
    }
    MPLAN_LAYERS_IGNORE(flat, int A, int arity, int dim, typename T)
    MPLAN_LAYERS_IGNORE(own, int A, int dim, typename T)
    MPLAN_LAYERS_IGNORE(value, int A, int dim, typename T)
};

/* As column_loader, with the element's own columns in shared memory; t: column of the block. */
template <class L, bool MEMBERS> struct bulk_loader : column_loader<L> {
    char *shared;
    int32_t t, used;

    MPLAN_INLINE bulk_loader(const device_call<L> &call, const place &at, char *shared, int32_t t)
        : column_loader<L>{call, at}, shared(shared), t(t), used(0)
    {
    }
    template <int A, int dim, typename T, int access, typename V> MPLAN_INLINE void whole(V &view)
    {
        const bulk_tile<dim, T, MEMBERS> tile(this->call.arg[A].levels);
        view.at = reinterpret_cast<T *>(shared + used + t * tile.pitch);
        view.level_stride = tile.level;
        view.component_stride = MEMBERS ? 1 : int64_t(tile.piece() / sizeof(T));
        used += int32_t(tile.bytes());
    }
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void kept(V &view)
    {
        whole<A, dim, T, MPLAN_WRITE>(view);
    }
};

template <class L, bool MEMBERS> __global__ void __launch_bounds__(BULK_THREADS)
    bulk_column_kernel(const __grid_constant__ device_call<L> call)
{
    extern __shared__ __align__(16) char shared[];
    uint64_t *const barrier = reinterpret_cast<uint64_t *>(shared);
    char *const columns = shared + 16;
    const int32_t first = int32_t(call.first) + int32_t(blockIdx.x) * BULK_COLUMNS,
                  t = int32_t(threadIdx.x);
    const int32_t left = int32_t(call.n_elements) - first,
                  n = left < BULK_COLUMNS ? left : BULK_COLUMNS;
    typename L::views v;
    bulk_counter<L, MEMBERS> count = {call, n, 0};
    L::each(count, v);
    if (t == 0)
        mplan::bulk_expect(barrier, count.bytes);
    __syncthreads();
    bulk_mover<L, MEMBERS, false> in = {call, columns, barrier, first, n, 0, 0};
    L::each(in, v);
    mplan::bulk_wait(barrier);
    __syncthreads();
    if (t < n) {
        const place at = {first + t, 0};
        v.bottom = 0, v.top = call.layers;
        bulk_loader<L, MEMBERS> load(call, at, columns, t);
        L::each(load, v);
        L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
    }
    bulk_written();
    bulk_mover<L, MEMBERS, true> out = {call, columns, barrier, first, n, 0, 0};
    L::each(out, v);
    bulk_left();
}

/* --- launch ----------------------------------------------------------------------------------------------- */

/* Shared bytes of a thread block; -1: columns have gaps between them, pieces do not begin at words of 16 bytes, or members
 * lie otherwise. */
template <class L, bool MEMBERS> int64_t bulk_bytes(const device_call<L> &call)
{
    int64_t bytes = 16; /* the barrier */
    if (call.ranges || call.old_of_new || column_bytes(call, false) < 0)
        return -1;
    for (int a = 0; a < L::n_args; a++) {
        const device_arg<typename L::index> &arg = call.arg[a];
        const int64_t dim = L::about[a].dim, size = size_of(L::about[a].type),
                      level = MEMBERS ? dim : 1, pieces = MEMBERS ? 1 : dim,
                      column = level * arg.levels * size, pitch = column % 32 ? column : column + 16;
        if (!is_own_column(L::about[a].kind))
            continue;
        if (arg.level != level || arg.column != level * arg.levels ||
            (MEMBERS && dim > 1 && arg.component != 1) ||
            (reinterpret_cast<uintptr_t>(arg.data) + uint64_t(call.first * column)) % 16 ||
            BULK_COLUMNS * column % 16 || (pieces > 1 && arg.component * size % 16))
            return -1;
        bytes += pieces * ((BULK_COLUMNS * pitch + 15) / 16 * 16);
    }
    return bytes;
}

/* Whether a kernel was compiled for devices with bulk copies: for others it would move words, which has no times. */
template <class F> bool has_bulk(F kernel)
{
    cudaFuncAttributes about;
    if (!cudaFuncGetAttributes(&about, reinterpret_cast<const void *>(kernel)))
        return about.ptxVersion >= 90;
    cudaGetLastError(); /* it belongs to no launch */
    return false;
}

/* true: the loop has been launched. */
template <class L, bool MEMBERS> bool launch_bulk(const device_call<L> &call, cudaStream_t stream)
{
    const int64_t bytes = bulk_bytes<L, MEMBERS>(call);
    static const bool compiled = has_bulk(bulk_column_kernel<L, MEMBERS>);
    if (!compiled || bytes < 0 || bytes > STAGED_BYTES ||
        !grant_shared(bulk_column_kernel<L, MEMBERS>, bytes))
        return false;
    if (cudaFuncSetAttribute(reinterpret_cast<const void *>(bulk_column_kernel<L, MEMBERS>),
                             cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared)) {
        cudaGetLastError(); /* else it would be taken for one of the launch that comes instead */
        return false;
    }
    bulk_column_kernel<L, MEMBERS>
        <<<grid_of(call.n_elements - call.first, BULK_COLUMNS), BULK_THREADS, size_t(bytes), stream>>>(call);
    return true;
}

/* Levels fastest: by bulk copies where columns lie one behind the other, else staged, where shared memory has room for so many
 * thread blocks that some move while others compute. Points fastest: kept where it has room for some warps. Else, and where
 * neither gains, columns stay where they are. */
template <class L> int launch_whole(const device_call<L> &call, cudaStream_t stream)
{
    const int64_t bytes = column_bytes(call, call.points_fastest);
    if constexpr (TAKES_BULK)
        if (!call.points_fastest &&
            (launch_bulk<L, true>(call, stream) || launch_bulk<L, false>(call, stream)))
            return cudaGetLastError();
    if (!call.points_fastest && bytes > 0 && bytes <= STAGED_BYTES &&
        grant_shared(staged_column_kernel<L>, bytes)) {
        staged_column_kernel<L><<<grid_of(call.n_elements - call.first, STAGED_COLUMNS),
                                  STAGED_THREADS, size_t(bytes), stream>>>(call);
        return cudaGetLastError();
    }
    if constexpr (count_kept<L>() > 0)
        if (call.points_fastest && bytes > 0 && bytes <= KEPT_BYTES * KEPT_COLUMNS &&
            grant_shared(kept_column_kernel<L>, bytes)) {
            kept_column_kernel<L><<<grid_of(call.n_elements - call.first, KEPT_COLUMNS),
                                    KEPT_COLUMNS, size_t(bytes), stream>>>(call);
            return cudaGetLastError();
        }
    whole_column_kernel<L>
        <<<grid_of(call.n_elements - call.first, COLUMN_THREADS), COLUMN_THREADS, 0, stream>>>(call);
    return cudaGetLastError();
}

} // namespace mplan_device_layers

#endif
