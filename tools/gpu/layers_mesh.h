/* SPDX-License-Identifier: Apache-2.0 */
/* layers_mesh.h - a cubed sphere, and the plan, data and bound loop of one case of layers.cu */
#ifndef MPLAN_TOOLS_LAYERS_MESH_H
#define MPLAN_TOOLS_LAYERS_MESH_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "layers_loops.h"

static void die(const mplan_error &err)
{
    std::printf("layers: %s\n", err.text);
    std::exit(1);
}
#define DO(call)                          \
    do {                                  \
        mplan_error err = {MPLAN_OK, ""}; \
        if (call)                         \
            die(err);                     \
    } while (0)

static double number(uint64_t i)
{
    i += 0x9E3779B97F4A7C15ull;
    i = (i ^ (i >> 30)) * 0xBF58476D1CE4E5B9ull;
    i = (i ^ (i >> 27)) * 0x94D049BB133111EBull;
    return double((i ^ (i >> 31)) >> 11) / 9007199254740992.0;
}

// --- the base mesh: six panels of n x n cells on the surface of a cube

struct base {
    int n, cells, nodes, faces;
    std::vector<int32_t> w0, w2, faces_cells;    // rows of 4, of 5 (faces, then the cell), of 2
    std::vector<double> centre, node, face, dof; // coordinates
};

static base make_base(int n)
{
    base b;
    b.n = n, b.cells = 6 * n * n;
    std::map<long, int> ids;
    std::map<std::pair<int, int>, int> edges;
    for (int panel = 0; panel < 6; panel++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                int corner[4];
                for (int k = 0; k < 4; k++) {
                    const long x = i + (k == 1 || k == 2), y = j + (k >= 2);
                    const long at[6][3] = {{n, x, y}, {0, x, y}, {x, n, y},
                                           {x, 0, y}, {x, y, n}, {x, y, 0}};
                    const long *p = at[panel];
                    const auto found = ids.emplace((p[0] * (n + 1) + p[1]) * (n + 1) + p[2],
                                                   int(ids.size()));
                    corner[k] = found.first->second;
                    for (int d = 0; d < 3 && found.second; d++)
                        b.node.push_back(double(p[d]));
                }
                b.w0.insert(b.w0.end(), corner, corner + 4);
                for (int d = 0; d < 3; d++)
                    b.centre.push_back((b.node[3 * corner[0] + d] + b.node[3 * corner[2] + d]) / 2);
            }
    b.nodes = int(ids.size());
    for (int c = 0; c < b.cells; c++) {
        for (int k = 0; k < 4; k++) {
            const int x = b.w0[4 * c + k], y = b.w0[4 * c + (k + 1) % 4];
            const int f = edges
                              .emplace(std::make_pair(std::min(x, y), std::max(x, y)),
                                       int(edges.size()))
                              .first->second;
            b.w2.push_back(f);
            if (size_t(2 * f) >= b.faces_cells.size()) {
                b.faces_cells.insert(b.faces_cells.end(), {c, -1});
                for (int d = 0; d < 3; d++)
                    b.face.push_back((b.node[3 * x + d] + b.node[3 * y + d]) / 2);
            } else
                b.faces_cells[2 * f + 1] = c;
        }
        b.w2.push_back(0);
    }
    b.faces = int(edges.size());
    for (int c = 0; c < b.cells; c++)
        b.w2[5 * c + 4] = b.faces + c;
    b.dof = b.face;
    b.dof.insert(b.dof.end(), b.centre.begin(), b.centre.end());
    return b;
}

// --- one loop of it

enum which { W0, W2, FLUX, SOLVE };

struct request {
    which loop;
    mplan_strategy strategy;
    mplan_columns columns, matrix;
    int matrix_layout, layout; // -1: as planned
    std::vector<int32_t> ranges;
    int solver = 0;             // of SOLVE
    std::vector<uint32_t> mask; // as in mplan_layered_set; empty: none
    bool has(int e, int k, int layers) const
    {
        return mask.empty() || (mask[size_t(e) * ((layers + 31) / 32) + k / 32] >> (k % 32) & 1);
    }
};
static const char *const solvers[] = {"", ", kept, loads ahead", ", by runs",
                                      ", by runs, kept, loads ahead", ", by lanes"};

static mplan_arg_layers levels_of(int levels, mplan_columns columns, int n, const int (*slots)[2])
{
    mplan_arg_layers out = {};
    out.levels = levels, out.stride = 1, out.columns = columns, out.n_slots = n;
    for (int s = 0; s < n; s++)
        out.slots[s] = {slots ? slots[s][0] : MPLAN_EVERY_SLOT, slots ? slots[s][1] : 0};
    return out;
}

static mplan_plan *plan_of(const base &b, const request &r, int layers)
{
    static const int w0_slots[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0},
                                      {0, 1}, {1, 1}, {2, 1}, {3, 1}};
    static const int w2_slots[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {4, 1}};
    const mplan_type f64 = MPLAN_TYPE_F64;
    const mplan_none no = MPLAN_NONE_REFUSE;
    const mplan_arg args[4][4] = {{{"m0", NULL, MPLAN_READ, 64, f64, no},
                                   {"x0", "w0", MPLAN_READ, 1, f64, no},
                                   {"lhs0", "w0", MPLAN_INC, 1, f64, no}},
                                  {{"m2", NULL, MPLAN_READ, 36, f64, no},
                                   {"x2", "w2", MPLAN_READ, 1, f64, no},
                                   {"lhs2", "w2", MPLAN_INC, 1, f64, no}},
                                  {{"u", NULL, MPLAN_READ, 1, f64, no},
                                   {"q", "faces_cells", MPLAN_READ, 4, f64, no},
                                   {"res", "faces_cells", MPLAN_INC, 4, f64, no}},
                                  {{"a", NULL, MPLAN_READ, 3, f64, no},
                                   {"b", NULL, MPLAN_READ, 1, f64, no},
                                   {"c", NULL, MPLAN_WRITE, 1, f64, no},
                                   {"y", NULL, MPLAN_WRITE, 1, f64, no}}};
    static const char *const names[] = {"w0", "w2", "flux", "solve"};
    const int n_args = r.loop == SOLVE ? 4 : 3;
    const mplan_loop loop = {names[r.loop], r.loop == FLUX ? "faces" : "cells", true, 1, 0, n_args,
                             args[r.loop]};
    const int n_slots[] = {8, 6, 2, 1};
    const int(*slots[])[2] = {w0_slots, w2_slots, NULL, NULL};
    std::vector<mplan_layered_arg> more;
    for (int a = 0; a < n_args; a++) {
        mplan_layered_arg one = {0, a,
                                 levels_of(layers + (a > 0 && r.loop < FLUX),
                                           a == 0 && r.loop < FLUX ? r.matrix : r.columns,
                                           a > 0 && r.loop < FLUX ? n_slots[r.loop] : 1,
                                           a > 0 && r.loop < FLUX ? slots[r.loop] : NULL)};
        if (a == 0 && r.loop < FLUX)
            one.layers.rows = n_slots[r.loop];
        more.push_back(one);
    }
    const mplan_layered_set set = {loop.over, layers, r.ranges.empty() ? NULL : r.ranges.data(),
                                   r.mask.empty() ? NULL : r.mask.data()};
    const mplan_layered_loop layered = {0, r.loop == SOLVE ? MPLAN_LAYERING_COLUMNS
                                                           : MPLAN_LAYERING_LAYERS};
    const mplan_layers all = {1, 1, n_args, &set, &layered, more.data()};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_mesh *mesh;
    mplan_plan *plan;
    options.layers = &all;
    options.n_strategies = 1;
    options.strategies[0] = r.strategy;
    if (b.n < 32 &&
        (r.strategy == MPLAN_STRATEGY_BLOCK_COLOUR || r.strategy == MPLAN_STRATEGY_BLOCK_GATHER))
        options.block_size = 32; /* tiles of eight layers; meshes that are timed: as planned */
    DO(mplan_mesh_create(&mesh, &err));
    DO(mplan_mesh_add_set(mesh, "cells", b.cells, NULL, &err));
    DO(mplan_mesh_set_coordinates(mesh, 0, 3, b.centre.data(), &err));
    DO(mplan_mesh_add_set(mesh, "nodes", b.nodes, NULL, &err));
    DO(mplan_mesh_add_set(mesh, "faces", b.faces, NULL, &err));
    DO(mplan_mesh_add_set(mesh, "dofs", b.faces + b.cells, NULL, &err));
    DO(mplan_mesh_set_coordinates(mesh, 1, 3, b.node.data(), &err));
    DO(mplan_mesh_set_coordinates(mesh, 2, 3, b.face.data(), &err));
    DO(mplan_mesh_set_coordinates(mesh, 3, 3, b.dof.data(), &err));
    DO(mplan_mesh_add_map(mesh, "w0", 0, 1, 4, NULL, b.w0.data(), NULL, &err));
    DO(mplan_mesh_add_map(mesh, "w2", 0, 3, 5, NULL, b.w2.data(), NULL, &err));
    DO(mplan_mesh_add_map(mesh, "faces_cells", 2, 0, 2, NULL, b.faces_cells.data(), NULL, &err));
    DO(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err));
    DO(mplan_plan_verify(plan, mesh, NULL, &err));
    mplan_mesh_free(mesh);
    return plan;
}

struct field {
    const char *name;
    int64_t rows;
    int dim;
    bool changed;
};

static std::vector<field> fields_of(const base &b, which loop, int layers)
{
    const int64_t cells = int64_t(b.cells) * layers;
    switch (loop) {
    case W0:
        return {{"m0", cells, 64, false},
                {"x0", int64_t(b.nodes) * (layers + 1), 1, false},
                {"lhs0", int64_t(b.nodes) * (layers + 1), 1, true}};
    case W2:
        return {{"m2", cells, 36, false},
                {"x2", int64_t(b.faces + b.cells) * (layers + 1), 1, false},
                {"lhs2", int64_t(b.faces + b.cells) * (layers + 1), 1, true}};
    case FLUX:
        return {{"u", int64_t(b.faces) * layers, 1, false},
                {"q", cells, 4, false},
                {"res", cells, 4, true}};
    default:
        return {{"a", cells, 3, false},
                {"b", cells, 1, false},
                {"c", cells, 1, true},
                {"y", cells, 1, true}};
    }
}

static const mplan_layer_kernel *kernel_of(const request &r)
{
    const mplan_layer_kernel *all[SOLVE + 5] = {NULL};
#if LAYERS_LOOPS & 1
    all[W0] = &w0_device;
#endif
#if LAYERS_LOOPS & 2
    all[W2] = &w2_device;
#endif
#if LAYERS_LOOPS & 4
    all[FLUX] = &flux_device;
#endif
#if LAYERS_LOOPS & 8
    all[SOLVE] = &solve_device, all[SOLVE + 1] = &solve_ahead_device;
    all[SOLVE + 2] = &solve_runs_device, all[SOLVE + 3] = &solve_runs_ahead_device;
    all[SOLVE + 4] = &solve_lanes_device;
#endif
    return all[r.loop + r.solver];
}

struct running {
    mplan_plan *plan;
    mplan_exec *exec;
    mplan_exec_loop *bound;
};

/* Numbers of a field; the last ones are kept, by name and size: a table asks for the same ones again and again. */
static const std::vector<double> &values_of(const field &f)
{
    static std::map<std::pair<std::string, size_t>, std::vector<double>> kept;
    const size_t n = size_t(f.rows) * f.dim;
    if (kept.size() > 8 && !kept.count({f.name, n}))
        kept.clear();
    std::vector<double> &all = kept[{f.name, n}];
    if (!all.empty())
        return all;
    all.resize(n);
    const bool diagonal = !std::strcmp(f.name, "a");
    for (size_t i = 0; i < n; i++)
        all[i] = number(i * 3 + 1 + size_t(f.name[0]) * 7919) - 0.4 +
                 (diagonal && i % 3 == 1 ? 3 : 0);
    return all;
}

/* A kernel whose launches are two, as parts launch loops while messages travel: of the first third of the elements or
 * points and one, so that neither part is a multiple of anything, and of the others. Strategies that cannot be cut have one. */
static const mplan_layer_kernel *whole_kernel;
static int launch_in_pieces(const mplan_layers_call *call, void *stream, const char **what)
{
    const bool points = call->strategy == MPLAN_STRATEGY_OWNER_GATHER;
    mplan_layers_call low = *call, high = *call;
    const int64_t n = points ? call->n_points : call->n_elements, middle = n / 3 + 1;
    if (!points && call->strategy != MPLAN_STRATEGY_ATOMIC)
        return whole_kernel->launch(call, stream, what);
    *(points ? &low.n_points : &low.n_elements) = high.first = middle;
    if (points && call->packed) {
        int32_t number = 0;
        cudaMemcpy(&number, call->packed + 2 * middle, sizeof number, cudaMemcpyDeviceToHost);
        low.n_packed = high.first_packed = number;
    }
    const int code = middle > 0 ? whole_kernel->launch(&low, stream, what) : 0;
    return code ? code : whole_kernel->launch(&high, stream, what);
}

static running start(const base &b, const request &r, int layers, bool pieces = false)
{
    running run = {plan_of(b, r, layers), NULL, NULL};
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_CUDA;
    DO(mplan_exec_open(run.plan, &options, &run.exec, &err));
    if (r.loop < FLUX && r.matrix_layout >= 0)
        DO(mplan_exec_declare(run.exec, r.loop == W0 ? "m0" : "m2", "cells", r.loop == W0 ? 64 : 36,
                              MPLAN_TYPE_F64, r.matrix_layout, &err));
    if (r.loop == FLUX && r.layout >= 0) {
        DO(mplan_exec_declare(run.exec, "q", "cells", 4, MPLAN_TYPE_F64, r.layout, &err));
        DO(mplan_exec_declare(run.exec, "res", "cells", 4, MPLAN_TYPE_F64, r.layout, &err));
    }
    DO(mplan_exec_declare_all(run.exec, &err));
    for (const field &f : fields_of(b, r.loop, layers)) {
        const std::vector<double> &all = values_of(f);
        DO(mplan_exec_upload(run.exec, f.name, all.data(), f.rows, f.dim, MPLAN_TYPE_F64, &err));
    }
    static const char *const names[] = {"w0", "w2", "flux", "solve"};
    static mplan_layer_kernel cut;
    whole_kernel = kernel_of(r);
    cut = *whole_kernel;
    cut.launch = launch_in_pieces;
    DO(mplan_exec_bind_layers(run.exec, names[r.loop], -1, pieces ? &cut : whole_kernel, &run.bound,
                              &err));
    return run;
}

static void stop(running &run)
{
    mplan_exec_close(run.exec);
    mplan_plan_free(run.plan);
}

#endif
