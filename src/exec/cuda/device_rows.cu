/* SPDX-License-Identifier: Apache-2.0 */
/* device_rows.cu - dats between the mesh's order and the plan's, on the device */
#include <cassert>

#include "exec/cuda/device_cuda.h"

namespace {

enum way { INTO, OUT, FILL };

/* One thread a number; rows in the mesh's order. */
template <typename T, way direction>
/* numbers: members times dim. direction OUT: rows are written, INTO: read, else
 * `value` is stored. */
__global__ void move_rows(dat_numbers<T> dat, const int32_t *new_of_old, int64_t numbers, T *rows,
                          T value)
{
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= numbers)
        return;
    int64_t member = i / dat.dim;
    T *own = dat.at(new_of_old[member], int32_t(i - member * dat.dim));
    if (direction == OUT)
        rows[i] = *own;
    else
        *own = direction == INTO ? rows[i] : value;
}

template <typename T, way direction>
/* new_of_old: in device memory. */
mplan_status move(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n, void *rows,
                  int byte, mplan_error *err)
{
    int64_t numbers = n * dat->dim;
    T value = T(0);
    for (size_t b = 0; b < sizeof(T); b++)
        reinterpret_cast<unsigned char *>(&value)[b] = static_cast<unsigned char>(byte);
    if (numbers > 0) {
        move_rows<T, direction>
            <<<unsigned((numbers + 255) / 256), 256>>>(dat_numbers<T>(dat), new_of_old, numbers,
                                                       static_cast<T *>(rows), value);
        MPLAN_CUDA(cudaGetLastError());
    }
    MPLAN_CUDA(cudaDeviceSynchronize());
    return MPLAN_OK;
}

/* Numbers are moved as bits of their size. */
template <way direction>
/* By size of the type only: numbers are moved, not converted. */
mplan_status move_any(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n, void *rows,
                      int byte, mplan_error *err)
{
    switch (mplan_type_size(dat->type)) {
    case 1: return move<uint8_t, direction>(dat, new_of_old, n, rows, byte, err);
    case 2: return move<uint16_t, direction>(dat, new_of_old, n, rows, byte, err);
    case 4: return move<uint32_t, direction>(dat, new_of_old, n, rows, byte, err);
    default: return move<unsigned long long, direction>(dat, new_of_old, n, rows, byte, err);
    }
}

} // namespace

/* rows: n members of the caller's order, on the device; member m goes to place new_of_old[m]. */
mplan_status mplan_gpu_scatter_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                    const void *rows, mplan_error *err)
{
    assert(dat && new_of_old && n >= 0);
    return move_any<INTO>(dat, new_of_old, n, const_cast<void *>(rows), 0, err);
}

/* Likewise the other way; holes of the dat are not touched. */
mplan_status mplan_gpu_gather_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                   void *rows, mplan_error *err)
{
    assert(dat && new_of_old && n >= 0);
    return move_any<OUT>(dat, new_of_old, n, rows, 0, err);
}

/* All bytes of all members get this value; holes stay zero. */
mplan_status mplan_gpu_fill_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                 int byte, mplan_error *err)
{
    assert(dat && new_of_old && n >= 0);
    return move_any<FILL>(dat, new_of_old, n, nullptr, byte, err);
}
