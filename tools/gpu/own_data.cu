/* SPDX-License-Identifier: Apache-2.0 */
/* own_data.cu - memory of the caller's, copies of some rows in streams, and loops cut into ranges
 *
 * Fluxes between cells of a random graph of faces, of numbers whose sums are rounded: ranges in any order,
 * in two streams, must give the bits of one launch wherever mplan_exec_ranges_of promises it. */
#include <cuda_runtime.h>

#include "frame.h"

#define OWN_FLUX_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(q, faces_cells, 2, 3, f64, READ)     \
    DIRECT(area, 1, f64, READ)                  \
    OPPOSITE(res, faces_cells, 3, f64)
MPLAN_VIEWS(own_flux, OWN_FLUX_ARGS)
MPLAN_FN void own_flux(own_flux_views *v, const mplan_no_parameters *)
{
    for (int c = 0; c < 3; c++)
        v->res[c] = v->area[0] * (v->q[1][c] - v->q[0][c]) + 0.1 * v->q[0][(c + 1) % 3];
}
MPLAN_KERNEL(own_flux, OWN_FLUX_ARGS, mplan_no_parameters)

enum { CELLS = 150000, FACES = 400000, DIM = 3 };

static mplan_mesh *mesh;
static std::vector<int32_t> faces_cells(2 * FACES);
static std::vector<double> q(DIM *CELLS), area(FACES);

static void fill()
{
    for (int f = 0; f < FACES; f++) {
        int cell = int(next_random(CELLS));
        faces_cells[2 * f] = cell;
        faces_cells[2 * f + 1] = int((unsigned(cell) + 1 + next_random(700)) % CELLS);
        area[f] = 1 + double(next_random(1000)) / 999;
    }
    for (double &value : q)
        value = double(next_random(100000)) / 99999;
}

/* Units from the last to the first, in two streams where ranges may run at the same time. */
static mplan_status launch_ranges(mplan_exec *exec, mplan_exec_loop *bound, bool atomic,
                                  const mplan_exec_ranges *ranges, cudaStream_t *stream)
{
    const int streams = ranges->any_order || atomic ? 2 : 1;
    const int64_t step = (ranges->count + 6) / 7;
    int turn = 0;
    for (int64_t k = (ranges->count - 1) / step; k >= 0; k--) {
        const int64_t first = k * step;
        const int64_t count = first + step > ranges->count ? ranges->count - first : step;
        MUST(mplan_exec_launch_range(exec, bound, first, count, NULL, stream[turn++ % streams], &err));
    }
    cudaStreamSynchronize(stream[1]);
    MUST(mplan_exec_launch_rest(exec, bound, NULL, stream[0], &err));
    cudaStreamSynchronize(stream[0]);
    return MPLAN_OK;
}

static mplan_status run(const mplan_plan *plan, int32_t variant, cudaStream_t *stream, int64_t *wrong)
{
    gpu_exec gpu;
    mplan_exec_loop *bound;
    mplan_exec_ranges ranges;
    std::vector<double> whole(DIM * CELLS), cut(DIM * CELLS), some(DIM * CELLS);
    MUST(gpu.open(plan));
    mplan_exec *const exec = gpu.exec;
    MUST(mplan_exec_check_mesh(exec, mesh, &err));
    /* res lives in memory of ours */
    mplan_dat_view view;
    void *memory = NULL;
    MUST(mplan_exec_data(exec, "res", MPLAN_READ, &view, &err));
    const int64_t bytes = view.storage_rows * DIM * int64_t(sizeof(double));
    cudaMalloc(&memory, size_t(bytes));
    cudaMemset(memory, 0, size_t(bytes));
    MUST(mplan_exec_adopt(exec, "res", "cells", DIM, MPLAN_TYPE_F64, -1, memory, bytes, &err));
    *wrong = mplan_exec_adopt(exec, "res", "cells", DIM, MPLAN_TYPE_F64, -1, whole.data(), bytes,
                              &err) != MPLAN_ERR_ARGUMENT; /* memory of the host */
    /* q comes in two pieces: a range in one stream, the rest by a list in the other */
    const int64_t half = CELLS / 2;
    std::vector<int32_t> list;
    std::vector<double> listed;
    for (int32_t c = CELLS - 1; c >= half; c--) {
        list.push_back(c);
        listed.insert(listed.end(), &q[DIM * size_t(c)], &q[DIM * size_t(c)] + DIM);
    }
    const mplan_row_choice lower = {0, half, NULL}, upper = {0, int64_t(list.size()), list.data()};
    MUST(mplan_exec_upload_rows(exec, "q", &lower, q.data(), DIM, MPLAN_TYPE_F64, stream[0], &err));
    MUST(mplan_exec_upload_rows(exec, "q", &upper, listed.data(), DIM, MPLAN_TYPE_F64, stream[1],
                                &err));
    MUST(mplan_exec_upload(exec, "area", area.data(), FACES, 1, MPLAN_TYPE_F64, &err));
    MUST(mplan_exec_wait(exec, &err));
    MUST(mplan_exec_bind(exec, "own_flux", variant, &own_flux_device, &bound, &err));
    MUST(mplan_exec_ranges_of(exec, bound, &ranges, &err));
    MUST(mplan_exec_launch(exec, bound, NULL, NULL, &err));
    MUST(mplan_exec_download(exec, "res", whole.data(), CELLS, DIM, MPLAN_TYPE_F64, &err));
    MUST(mplan_exec_fill(exec, "res", 0, &err));
    MUST(mplan_exec_wait(exec, &err));
    MUST(launch_ranges(exec, bound, variant == MPLAN_STRATEGY_ATOMIC, &ranges, stream));
    MUST(mplan_exec_download(exec, "res", cut.data(), CELLS, DIM, MPLAN_TYPE_F64, &err));
    /* the same rows by a list and by a range, in one stream, into pageable memory */
    MUST(mplan_exec_download_rows(exec, "res", &upper, some.data(), DIM, MPLAN_TYPE_F64, stream[0],
                                  &err));
    MUST(mplan_exec_download_rows(exec, "res", &lower, &some[DIM * list.size()], DIM,
                                  MPLAN_TYPE_F64, stream[0], &err));
    cudaStreamSynchronize(stream[0]);
    for (size_t i = 0; i < DIM * CELLS; i++) {
        const double rest = cut[i] - whole[i];
        *wrong += ranges.any_order ? std::memcmp(&cut[i], &whole[i], sizeof cut[i]) != 0
                                   : !(rest < 1e-9 && rest > -1e-9);
    }
    for (size_t i = 0; i < list.size(); i++)
        *wrong += std::memcmp(&some[DIM * i], &cut[DIM * size_t(list[i])], DIM * sizeof(double)) != 0;
    *wrong += std::memcmp(&some[DIM * list.size()], cut.data(),
                          DIM * size_t(half) * sizeof(double)) != 0;
    std::printf("own data, %s: %lld units, %s, %lld wrong\n",
                mplan_strategy_name(mplan_strategy(variant)), (long long)ranges.count,
                ranges.any_order ? "equal bits in any order" : "by rounding", (long long)*wrong);
    gpu.close();
    cudaFree(memory);
    return MPLAN_OK;
}

int main()
{
    mplan_plan *plan = nullptr;
    int64_t all = 0, wrong = 0;
    cudaStream_t stream[2];
    fill();
    mplan_status status = make_mesh({{"faces", FACES}, {"cells", CELLS}},
                                    {{"faces_cells", 0, 1, 2, NULL, faces_cells.data()}}, &mesh);
    if (!status)
        status = make_plan(mesh, own_flux_device, "faces", false, MPLAN_PLAN_OPTIONS_INIT, &plan);
    for (cudaStream_t &one : stream)
        cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    for (int32_t v = 0; v < MPLAN_N_STRATEGIES && !status; v++) {
        status = run(plan, v, stream, &wrong);
        all += wrong;
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    return end_of_case("own data", status, all);
}
