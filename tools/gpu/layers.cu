/* SPDX-License-Identifier: Apache-2.0 */
/* layers.cu - loops with layers on a GPU: right on small meshes, and how fast at a size of use
 *
 *   layers             every strategy, order of levels and depth of columns against plain loops
 *   layers N LAYERS    times on a cubed sphere of N x N x 6 columns: LFRic's matrix-vector products over W0 (8 x 8) and
 *                      W2 (6 x 6), matrices by (df, df2, ik), (ik, df, df2) and owner rows, and a flux of four numbers
 *                      between columns; microseconds, and the share of a copy's rate that useful bytes reach
 *   layers N LAYERS WORDS  only those rows of the table whose text has these words
 *   layers steps N LAYERS  W0 on such a sphere as the five steps of LFRic's report, with 4 and 6 colours, beside
 *                      meshplan's strategies: checked, then timed on copies in turn, so that small ones are cold
 *   layers depths N LAYERS FILL  columns of different depth, FILL % of all layers on average */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "exec/meshplan_layers.h"
#include "lfric_steps.h"

#define W0_ARGS(ARG)                        \
    ARG(MATRIX, m, m0, 8, 8, f64)           \
    ARG(LEVELS, x, x0, w0, 8, 1, f64, READ) \
    ARG(LEVELS, lhs, lhs0, w0, 8, 1, f64, INC)
MPLAN_LAYER_VIEWS(w0, W0_ARGS)
#define W2_ARGS(ARG)                        \
    ARG(MATRIX, m, m2, 6, 6, f64)           \
    ARG(LEVELS, x, x2, w2, 6, 1, f64, READ) \
    ARG(LEVELS, lhs, lhs2, w2, 6, 1, f64, INC)
MPLAN_LAYER_VIEWS(w2, W2_ARGS)
#define FLUX_ARGS(ARG)                              \
    ARG(COLUMN, u, u, 1, 1, f64, READ)              \
    ARG(LEVELS, q, q, faces_cells, 2, 4, f64, READ) \
    ARG(LEVELS, res, res, faces_cells, 2, 4, f64, INC)
MPLAN_LAYER_VIEWS(flux, FLUX_ARGS)
#define SOLVE_ARGS(ARG)             \
    ARG(WHOLE, a, a, 3, f64, READ)  \
    ARG(WHOLE, b, b, 1, f64, READ)  \
    ARG(WHOLE, c, c, 1, f64, WRITE) \
    ARG(WHOLE, y, y, 1, f64, WRITE)
MPLAN_COLUMN_VIEWS(solve, SOLVE_ARGS)
#define SOLVE_KEPT_ARGS(ARG)       \
    ARG(WHOLE, a, a, 3, f64, READ) \
    ARG(WHOLE, b, b, 1, f64, READ) \
    ARG(KEPT, c, c, 1, f64)        \
    ARG(KEPT, y, y, 1, f64)
MPLAN_COLUMN_VIEWS(solve_kept, SOLVE_KEPT_ARGS)
MPLAN_COLUMN_VIEWS(solve_ahead, SOLVE_KEPT_ARGS)

MPLAN_FN void w0(w0_views *v, const mplan_no_parameters *)
{
#pragma unroll
    for (int row = 0; row < 8; row++)
#pragma unroll
        for (int col = 0; col < 8; col++)
            v->lhs[row][0] += v->m[col * 8 + row] * v->x[col][0];
}
MPLAN_FN void w2(w2_views *v, const mplan_no_parameters *)
{
#pragma unroll
    for (int row = 0; row < 6; row++)
#pragma unroll
        for (int col = 0; col < 6; col++)
            v->lhs[row][0] += v->m[col * 6 + row] * v->x[col][0];
}
MPLAN_FN void flux(flux_views *v, const mplan_no_parameters *)
{
    const double u = v->u[0][0];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const double f = u * (0.5 * (v->q[0][c] + v->q[1][c])) +
                         fabs(u) * 0.5 * (v->q[0][c] - v->q[1][c]);
        v->res[0][c] = -f;
        v->res[1][c] = f;
    }
}
// Thomas's algorithm; a: below, diagonal, above
template <class V> MPLAN_FN void solve_column(V *v)
{
    enum { AHEAD = 8 }; /* levels that are loaded before the first of them is used */
    double c = 0, y = 0;
    for (int first = v->bottom; first < v->top; first += AHEAD) {
        double low[AHEAD], mid[AHEAD], high[AHEAD], b[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int j = first + i < v->top ? first + i : v->top - 1;
            low[i] = MPLAN_LEVEL(v->a, j, 0);
            mid[i] = MPLAN_LEVEL(v->a, j, 1);
            high[i] = MPLAN_LEVEL(v->a, j, 2);
            b[i] = MPLAN_LEVEL(v->b, j, 0);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (first + i >= v->top)
                break;
            const double below = first + i > v->bottom ? low[i] : 0;
            const double scale = 1 / (mid[i] - below * c);
            y = (b[i] - below * y) * scale;
            c = high[i] * scale;
            MPLAN_LEVEL(v->c, first + i, 0) = c;
            MPLAN_LEVEL(v->y, first + i, 0) = y;
        }
    }
    for (int last = v->top - 2; last >= v->bottom; last -= AHEAD) {
        double above[AHEAD], own[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int j = last - i > v->bottom ? last - i : v->bottom;
            above[i] = MPLAN_LEVEL(v->c, j, 0);
            own[i] = MPLAN_LEVEL(v->y, j, 0);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (last - i < v->bottom)
                break;
            y = own[i] - above[i] * y;
            MPLAN_LEVEL(v->y, last - i, 0) = y;
        }
    }
}
MPLAN_FN void solve(solve_views *v, const mplan_no_parameters *)
{
    solve_column(v);
}
MPLAN_FN void solve_kept(solve_kept_views *v, const mplan_no_parameters *)
{
    solve_column(v);
}
// The same, with the next levels loaded while those before are used
MPLAN_FN void solve_ahead(solve_ahead_views *v, const mplan_no_parameters *)
{
    enum { AHEAD = 8 };
    double c = 0, y = 0, next[4][AHEAD];
    auto load = [&](int first) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int j = first + i < v->top ? first + i : v->top - 1;
#pragma unroll
            for (int k = 0; k < 3; k++)
                next[k][i] = MPLAN_LEVEL(v->a, j, k);
            next[3][i] = MPLAN_LEVEL(v->b, j, 0);
        }
    };
    if (v->bottom < v->top)
        load(v->bottom);
    for (int first = v->bottom; first < v->top; first += AHEAD) {
        double now[4][AHEAD];
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                now[k][i] = next[k][i];
        load(first + AHEAD);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (first + i >= v->top)
                break;
            const double below = first + i > v->bottom ? now[0][i] : 0;
            const double scale = 1 / (now[1][i] - below * c);
            y = (now[3][i] - below * y) * scale;
            c = now[2][i] * scale;
            MPLAN_LEVEL(v->c, first + i, 0) = c;
            MPLAN_LEVEL(v->y, first + i, 0) = y;
        }
    }
    for (int j = v->top - 2; j >= v->bottom; j--) {
        y = MPLAN_LEVEL(v->y, j, 0) - MPLAN_LEVEL(v->c, j, 0) * y;
        MPLAN_LEVEL(v->y, j, 0) = y;
    }
}
MPLAN_LAYER_KERNEL(w0, W0_ARGS, mplan_no_parameters)
MPLAN_LAYER_KERNEL(w2, W2_ARGS, mplan_no_parameters)
MPLAN_LAYER_KERNEL(flux, FLUX_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve, SOLVE_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve_kept, SOLVE_KEPT_ARGS, mplan_no_parameters)
MPLAN_COLUMN_KERNEL(solve_ahead, SOLVE_KEPT_ARGS, mplan_no_parameters)

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
static const char *const solvers[] = {"", ", kept", ", kept, loads ahead"};

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
    if (r.strategy == MPLAN_STRATEGY_BLOCK_COLOUR || r.strategy == MPLAN_STRATEGY_BLOCK_GATHER)
        options.block_size = 32; /* tiles of eight layers */
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
    static const mplan_layer_kernel *const all[] = {&w0_device,         &w2_device,
                                                    &flux_device,       &solve_device,
                                                    &solve_kept_device, &solve_ahead_device};
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

static running start(const base &b, const request &r, int layers)
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
    DO(mplan_exec_bind_layers(run.exec, names[r.loop], -1, kernel_of(r), &run.bound, &err));
    return run;
}

static void stop(running &run)
{
    mplan_exec_close(run.exec);
    mplan_plan_free(run.plan);
}

// --- right?

// The plain loops, in the mesh's order.
static std::vector<std::vector<double>> plain(const base &b, const request &r, int layers)
{
    std::vector<std::vector<double>> data;
    for (const field &f : fields_of(b, r.loop, layers))
        data.push_back(values_of(f));
    const int n = r.loop == FLUX ? b.faces : b.cells, nd = r.loop == W0 ? 8 : 6;
    for (int e = 0; e < n; e++) {
        const int bottom = r.ranges.empty() ? 0 : r.ranges[2 * e],
                  top = r.ranges.empty() ? layers : r.ranges[2 * e + 1];
        if (r.loop == SOLVE) {
            std::vector<double> c(layers), y(layers);
            for (int k = bottom; k < top; k++) {
                const double *a = &data[0][size_t(3) * (size_t(e) * layers + k)];
                const double low = k > bottom ? a[0] : 0,
                             s = 1 / (a[1] - low * (k > bottom ? c[k - 1] : 0));
                y[k] = (data[1][size_t(e) * layers + k] - low * (k > bottom ? y[k - 1] : 0)) * s;
                c[k] = a[2] * s;
            }
            for (int k = top - 2; k >= bottom; k--)
                y[k] -= c[k] * y[k + 1];
            for (int k = bottom; k < top; k++)
                data[2][size_t(e) * layers + k] = c[k], data[3][size_t(e) * layers + k] = y[k];
            continue;
        }
        for (int k = bottom; k < top; k++) {
            if (!r.has(e, k, layers))
                continue;
            if (r.loop == FLUX) {
                const size_t x = size_t(b.faces_cells[2 * e]) * layers + k,
                             y = size_t(b.faces_cells[2 * e + 1]) * layers + k;
                const double u = data[0][size_t(e) * layers + k];
                for (int c = 0; c < 4; c++) {
                    const double p = data[1][4 * x + c], q = data[1][4 * y + c];
                    const double f = u * (0.5 * (p + q)) + std::fabs(u) * 0.5 * (p - q);
                    data[2][4 * x + c] -= f, data[2][4 * y + c] += f;
                }
                continue;
            }
            auto place = [&](int s) {
                const int point = r.loop == W0 ? b.w0[4 * e + s % 4] : b.w2[5 * e + (s < 4 ? s : 4)];
                return size_t(point) * (layers + 1) + k + (r.loop == W0 ? s / 4 : s == 5);
            };
            for (int row = 0; row < nd; row++)
                for (int col = 0; col < nd; col++)
                    data[2][place(row)] += data[0][((size_t(e) * layers + k) * nd + col) * nd + row] *
                                           data[1][place(col)];
        }
    }
    return data;
}

static int failures;

static void check(const base &b, const request &r, int layers, const std::string &words)
{
    const std::vector<std::vector<double>> due = plain(b, r, layers);
    const std::vector<field> fields = fields_of(b, r.loop, layers);
    const bool promised = r.strategy != MPLAN_STRATEGY_ATOMIC || r.loop == SOLVE;
    std::vector<std::vector<double>> first;
    double worst = 0;
    bool equal = true;
    for (int turn = 0; turn < 2; turn++) {
        running run = start(b, r, layers);
        DO(mplan_exec_launch(run.exec, run.bound, NULL, NULL, &err));
        DO(mplan_exec_wait(run.exec, &err));
        for (size_t f = 0; f < fields.size(); f++) {
            if (!fields[f].changed)
                continue;
            std::vector<double> got(due[f].size());
            DO(mplan_exec_download(run.exec, fields[f].name, got.data(), fields[f].rows,
                                   fields[f].dim, MPLAN_TYPE_F64, &err));
            for (size_t i = 0; i < got.size(); i++) {
                const double e = std::fabs(got[i] - due[f][i]) / (1 + std::fabs(due[f][i]));
                worst = e <= worst ? worst : e;
            }
            if (turn == 0)
                first.push_back(got);
            else
                equal = equal &&
                        !std::memcmp(first[first.size() - 1 - (fields.size() - 1 - f)].data(),
                                     got.data(), got.size() * sizeof(double));
        }
        stop(run);
    }
    const bool good = worst < 1e-12 && (equal || !promised);
    failures += !good;
    std::printf("%s %-60s error %.1e, bits %s\n", good ? "ok  " : "FAIL", words.c_str(), worst,
                equal ? "equal" : "differ");
}

static void check_all()
{
    static const mplan_strategy strategies[] = {
        MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_TWO_STEP,     MPLAN_STRATEGY_ATOMIC,
        MPLAN_STRATEGY_OWNER_GATHER,  MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_BLOCK_GATHER};
    static const char *const names[] = {"w0", "w2", "flux", "solve"};
    const base b = make_base(7);
    for (int layers : {1, 13, 40})
        for (int loop = W0; loop <= SOLVE; loop++)
            for (int ranged = 0; ranged < (loop == SOLVE ? 2 : 3); ranged++)
                for (int columns = 0; columns < 2; columns++)
                    for (mplan_strategy s : strategies)
                        for (int matrix = 0;
                             matrix < (loop == SOLVE                                     ? 3
                                       : s == MPLAN_STRATEGY_OWNER_GATHER && loop < FLUX ? 2
                                                                                         : 1);
                             matrix++) {
                            request r = {which(loop),
                                         s,
                                         mplan_columns(columns),
                                         matrix && loop < FLUX ? MPLAN_COLUMNS_OWNER
                                                               : mplan_columns(columns),
                                         -1,
                                         -1,
                                         {},
                                         loop == SOLVE ? matrix : 0};
                            const int n = loop == FLUX ? b.faces : b.cells;
                            if (loop == SOLVE && s != MPLAN_STRATEGY_ATOMIC)
                                continue;
                            for (int e = 0; e < n && ranged; e++) {
                                const int bottom = int(number(e) * layers / 2);
                                r.ranges.push_back(bottom);
                                r.ranges.push_back(bottom +
                                                   int(number(e + n) * (layers - bottom + 1)));
                            }
                            for (int i = 0; ranged == 2 && i < n * ((layers + 31) / 32); i++)
                                r.mask.push_back(uint32_t(number(i) * 4294967296.0));
                            check(b, r, layers,
                                  std::string(names[loop]) + ", " + mplan_strategy_name(s) + ", " +
                                      std::to_string(layers) + " layers" +
                                      (ranged == 2   ? ", ranges and mask"
                                       : ranged == 1 ? ", ranges"
                                                     : "") +
                                      (columns ? ", points fastest" : "") +
                                      (loop == SOLVE ? solvers[matrix]
                                       : matrix      ? ", by owner"
                                                     : ""));
                        }
    std::printf(failures ? "layers: %d cases FAILED\n" : "layers: all cases hold\n", failures);
}

// --- how fast?

static double copy_rate()
{
    const size_t bytes = size_t(1) << 30;
    void *a, *b;
    cudaEvent_t begin, end;
    cudaMalloc(&a, bytes), cudaMalloc(&b, bytes);
    cudaMemset(a, 0, bytes), cudaMemset(b, 0, bytes);
    cudaEventCreate(&begin), cudaEventCreate(&end);
    float best = 1e9f;
    for (int i = 0; i < 9; i++) {
        float ms;
        cudaEventRecord(begin);
        cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        best = std::min(best, ms);
    }
    cudaFree(a), cudaFree(b);
    return 2.0 * bytes / (best * 1e-3);
}

__global__ void copy_kernel(const double2 *a, double2 *b, size_t n)
{
    const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
    if (i < n)
        b[i] = a[i];
}

static double kernel_copy_rate()
{
    const size_t n = size_t(1) << 26;
    double2 *a, *b;
    cudaEvent_t begin, end;
    cudaMalloc(&a, n * 16), cudaMalloc(&b, n * 16);
    cudaMemset(a, 0, n * 16), cudaMemset(b, 0, n * 16);
    cudaEventCreate(&begin), cudaEventCreate(&end);
    float best = 1e9f;
    for (int i = 0; i < 9; i++) {
        float ms;
        cudaEventRecord(begin);
        copy_kernel<<<unsigned(n / 256), 256>>>(a, b, n);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        best = std::min(best, ms);
    }
    cudaFree(a), cudaFree(b);
    return 32.0 * n / (best * 1e-3);
}

// Median of rows of launches, one behind the other; the dats are far larger than the cache.
static double microseconds_of(running &run)
{
    enum { ROW = 5 };
    cudaEvent_t begin, end;
    std::vector<float> times;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    for (int i = 0; i < 12; i++) {
        float ms;
        cudaEventRecord(begin);
        for (int k = 0; k < ROW; k++)
            DO(mplan_exec_launch(run.exec, run.bound, NULL, NULL, &err));
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        if (i >= 3)
            times.push_back(ms / ROW);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e3;
}

static std::string wanted; // words of the rows to time

static void time_one(const base &b, const request &r, int layers, double copy,
                     const std::string &words)
{
    if (words.find(wanted) == std::string::npos)
        return;
    running run = start(b, r, layers);
    double useful = 0;
    for (const field &f : fields_of(b, r.loop, layers)) {
        double rows = double(f.rows);
        if (r.loop == W2 && f.dim == 1)
            rows = double(b.faces) * layers + double(b.cells) * (layers + 1);
        useful += rows * f.dim * 8 * (f.changed && r.loop != SOLVE ? 2 : 1);
    }
    useful += 4.0 * (r.loop == FLUX    ? 2.0 * b.faces
                     : r.loop == SOLVE ? 0.0
                                       : double(b.cells) * (r.loop == W0 ? 4 : 5));
    const double us = microseconds_of(run);
    const char *bits = mplan_plan_get_loop(run.plan, 0)->variants[0].deterministic ? "equal" : "no";
    const mplan_plan_variant *v = &mplan_plan_get_loop(run.plan, 0)->variants[0];
    char colours[32] = "";
    if (v->global_colours)
        std::snprintf(colours, sizeof colours, " (%d)", int(v->global_colours));
    std::printf("%-52s %-6s %8.1f us %7.0f GB/s %6.1f %% of copy\n", (words + colours).c_str(),
                bits, us, useful / us * 1e-3, 100 * useful / (us * 1e-6) / copy);
    std::fflush(stdout);
    stop(run);
}

static void time_all(int n, int layers)
{
    const base b = make_base(n);
    const double memcpy_rate = copy_rate(), copy = kernel_copy_rate();
    const mplan_columns fast = MPLAN_COLUMNS_LAYERS, owner = MPLAN_COLUMNS_OWNER;
    std::printf("== C%d x %d: %d columns; copy kernel %.0f GB/s, cudaMemcpy %.0f\n", n, layers,
                b.cells, copy * 1e-9, memcpy_rate * 1e-9);
    for (int loop = W0; loop <= W2; loop++) {
        const std::string name = loop == W0 ? "W0 " : "W2 ";
        const which w = which(loop);
        time_one(b, {w, MPLAN_STRATEGY_OWNER_GATHER, fast, owner, -1, -1, {}}, layers, copy,
                 name + "owner-gather, owner rows");
        time_one(b, {w, MPLAN_STRATEGY_OWNER_GATHER, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers,
                 copy, name + "owner-gather, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_ATOMIC, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers, copy,
                 name + "atomic, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_ATOMIC, fast, fast, MPLAN_LAYOUT_AOS, -1, {}}, layers, copy,
                 name + "atomic, (df,df2,ik)");
        time_one(b, {w, MPLAN_STRATEGY_TWO_STEP, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers,
                 copy, name + "two-step, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_GLOBAL_COLOUR, fast, fast, MPLAN_LAYOUT_SOA, -1, {}}, layers,
                 copy, name + "colours, (ik,df,df2)");
        time_one(b, {w, MPLAN_STRATEGY_GLOBAL_COLOUR, fast, fast, MPLAN_LAYOUT_AOS, -1, {}}, layers,
                 copy, name + "colours, (df,df2,ik)");
    }
    for (int layout = 0; layout < 2; layout++) {
        const std::string words = layout ? "flux by component, " : "flux member by member, ";
        time_one(b, {FLUX, MPLAN_STRATEGY_OWNER_GATHER, fast, fast, -1, layout, {}}, layers, copy,
                 words + "owner-gather");
        time_one(b, {FLUX, MPLAN_STRATEGY_ATOMIC, fast, fast, -1, layout, {}}, layers, copy,
                 words + "atomic");
    }
    time_one(b, {FLUX, MPLAN_STRATEGY_OWNER_GATHER, fast, fast, -1, -1, {}}, layers, copy,
             "flux as planned, owner-gather");
    for (int layout = 0; layout < 2; layout++)
        time_one(b, {FLUX, MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_POINTS, fast, -1, layout, {}},
                 layers, copy,
                 std::string("flux ") + (layout ? "by component" : "member by member") +
                     ", points fastest, owner-gather");
    time_one(b, {FLUX, MPLAN_STRATEGY_GLOBAL_COLOUR, fast, fast, -1, 0, {}}, layers, copy,
             "flux member by member, colours");
    for (int columns = 0; columns < 2; columns++)
        for (int solver = 0; solver < 3; solver++)
            time_one(b,
                     {SOLVE, MPLAN_STRATEGY_ATOMIC, mplan_columns(columns), fast, -1, -1, {}, solver},
                     layers, copy,
                     std::string("tridiagonal, ") + (columns ? "points" : "layers") + " fastest" +
                         solvers[solver]);
}

// --- LFRic's steps

/* Cells by colour, of the plan's exact four; six: two of them in halves, as more colours than needed cost. */
struct coloured {
    std::vector<int> list, begin;
};
static coloured colours_of(const base &b, int layers, int colours)
{
    mplan_plan *plan = plan_of(b,
                               {W0,
                                MPLAN_STRATEGY_GLOBAL_COLOUR,
                                MPLAN_COLUMNS_LAYERS,
                                MPLAN_COLUMNS_LAYERS,
                                -1,
                                -1,
                                {}},
                               layers);
    mplan_key order = MPLAN_KEY_INIT(MPLAN_KIND_NEW_OF_OLD),
              key = MPLAN_KEY_INIT(MPLAN_KIND_GLOBAL_COLOURS);
    order.set = uint32_t(mplan_plan_get_loop(plan, 0)->set);
    key.loop = key.variant = 0;
    const int32_t *place = static_cast<const int32_t *>(mplan_plan_find_array(plan, &order)->data);
    const int32_t *colour = static_cast<const int32_t *>(mplan_plan_find_array(plan, &key)->data);
    const int exact = int(mplan_plan_get_loop(plan, 0)->variants[0].global_colours);
    coloured made;
    for (int c = 0; c < exact; c++) {
        made.begin.push_back(int(made.list.size()));
        for (int e = 0; e < b.cells; e++)
            if (colour[place[e]] == c)
                made.list.push_back(e);
        const int n = int(made.list.size()) - made.begin.back();
        if (exact - c <= colours - exact)
            made.begin.push_back(made.begin.back() + n / 2);
    }
    made.begin.push_back(int(made.list.size()));
    mplan_plan_free(plan);
    return made;
}

template <typename T> static T *on_device(const std::vector<T> &from)
{
    T *to;
    cudaMalloc(&to, from.size() * sizeof(T));
    cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

/* Median time of `copies` launches in a row, one of each copy, over their number. */
template <class F> static double cold_microseconds(int copies, F launch)
{
    cudaEvent_t begin, end;
    std::vector<float> times;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    for (int i = 0; i < 9; i++) {
        float ms;
        cudaEventRecord(begin);
        for (int c = 0; c < copies; c++)
            launch(c);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        if (i >= 2)
            times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e3 / copies;
}

static void print_step(const std::string &words, double us, double useful, double flops,
                       double copy, double worst)
{
    failures += !(worst < 1e-12);
    std::printf("%-46s %9.1f us %7.0f GB/s %6.1f %% of copy %6.3f flop/byte  error %.1e%s\n",
                words.c_str(), us, useful / us * 1e-3, 100 * useful / (us * 1e-6) / copy,
                flops / useful, worst, worst < 1e-12 ? "" : " WRONG");
    std::fflush(stdout);
}

static double difference(const std::vector<double> &got, const std::vector<double> &due)
{
    double worst = 0;
    for (size_t i = 0; i < got.size(); i++) {
        const double e = std::fabs(got[i] - due[i]) / (1 + std::fabs(due[i]));
        worst = e <= worst ? worst : e;
    }
    return worst;
}

static void time_steps(int n, int layers)
{
    static const char *const steps[] = {"original", "loops fused", "collapsed", "inlined",
                                        "single launch, atomic"};
    const base b = make_base(n);
    const std::vector<field> fields = fields_of(b, W0, layers);
    const request plain_request = {
        W0, MPLAN_STRATEGY_ATOMIC, MPLAN_COLUMNS_LAYERS, MPLAN_COLUMNS_LAYERS, -1, -1, {}};
    const std::vector<double> due = plain(b, plain_request, layers)[2];
    std::vector<std::vector<double>> host;
    for (const field &f : fields)
        host.push_back(values_of(f));
    const double useful = 8.0 * (double(host[0].size()) + host[1].size() + 2 * host[2].size()) +
                          16.0 * b.cells;
    const double flops = 2.0 * host[0].size(), copy = kernel_copy_rate();
    const int copies = std::max(1, std::min(24, int(4e8 / useful)));
    std::printf("== W0, %d columns x %d, %d copies; copy kernel %.0f GB/s\n", b.cells, layers,
                copies, copy * 1e-9);
    std::vector<int> map;
    for (int e = 0; e < b.cells; e++)
        for (int df = 0; df < 8; df++)
            map.push_back(b.w0[4 * e + df % 4] * (layers + 1) + df / 4);
    int *device_map = on_device(map);
    std::vector<lfric::data> all;
    for (int c = 0; c < copies; c++)
        all.push_back({device_map, on_device(host[0]), on_device(host[1]), on_device(host[2]),
                       layers});
    for (int colours = 6; colours >= 4; colours -= 2) {
        const coloured by = colours_of(b, layers, colours);
        int *list = on_device(by.list);
        for (int step = 1; step <= lfric::STEPS - (colours == 6); step++) {
            std::vector<double> got(host[2].size());
            cudaMemcpy(all[0].lhs, host[2].data(), got.size() * 8, cudaMemcpyHostToDevice);
            lfric::launch(step, all[0], list, by.begin.data(), int(by.begin.size()) - 1, b.cells);
            cudaMemcpy(got.data(), all[0].lhs, got.size() * 8, cudaMemcpyDeviceToHost);
            const double us = cold_microseconds(copies, [&](int c) {
                lfric::launch(step, all[c], list, by.begin.data(), int(by.begin.size()) - 1, b.cells);
            });
            print_step(std::string("report ") + std::to_string(step) + ", " + steps[step - 1] +
                           (step < lfric::STEPS ? ", " + std::to_string(by.begin.size() - 1) + " colours"
                                                : ""),
                       us, useful, flops, copy, difference(got, due));
        }
        cudaFree(list);
    }
    for (const lfric::data &d : all)
        cudaFree(const_cast<double *>(d.m)), cudaFree(const_cast<double *>(d.x)), cudaFree(d.lhs);
    cudaFree(device_map);
    static const struct {
        const char *words;
        mplan_strategy strategy;
        mplan_columns matrix;
        int layout;
    } ours[] = {
        {"owner-gather, owner rows", MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_OWNER, -1},
        {"owner-gather, (ik,df,df2)", MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_LAYERS,
         MPLAN_LAYOUT_SOA},
        {"owner-gather, (df,df2,ik)", MPLAN_STRATEGY_OWNER_GATHER, MPLAN_COLUMNS_LAYERS,
         MPLAN_LAYOUT_AOS},
        {"two-step, (ik,df,df2)", MPLAN_STRATEGY_TWO_STEP, MPLAN_COLUMNS_LAYERS, MPLAN_LAYOUT_SOA},
        {"colours, (ik,df,df2)", MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_COLUMNS_LAYERS, MPLAN_LAYOUT_SOA},
        {"atomic, (ik,df,df2)", MPLAN_STRATEGY_ATOMIC, MPLAN_COLUMNS_LAYERS, MPLAN_LAYOUT_SOA}};
    for (const auto &one : ours) {
        const request r = {W0, one.strategy, MPLAN_COLUMNS_LAYERS, one.matrix, one.layout, -1, {}};
        std::vector<running> runs;
        for (int c = 0; c < copies; c++)
            runs.push_back(start(b, r, layers));
        std::vector<double> got(host[2].size());
        DO(mplan_exec_launch(runs[0].exec, runs[0].bound, NULL, NULL, &err));
        DO(mplan_exec_wait(runs[0].exec, &err));
        DO(mplan_exec_download(runs[0].exec, "lhs0", got.data(), fields[2].rows, 1, MPLAN_TYPE_F64,
                               &err));
        const double us = cold_microseconds(copies, [&](int c) {
            DO(mplan_exec_launch(runs[c].exec, runs[c].bound, NULL, NULL, &err));
        });
        print_step(std::string("meshplan, ") + one.words, us, useful, flops, copy,
                   difference(got, due));
        for (running &run : runs)
            stop(run);
    }
}

/* An ocean's depths: layers of each cell, smooth, FILL % on average; a face has those of its shallower cell. */
static std::vector<int> depths_of(const base &b, int layers, int fill, which loop)
{
    std::vector<int> cells, faces;
    for (int e = 0; e < b.cells; e++) {
        const double *at = &b.centre[3 * e], turn = 6.283185307179586 / b.n;
        const double wave = std::sin(2 * turn * at[0]) +
                            std::sin(turn * at[1]) * std::cos(3 * turn * at[2]);
        cells.push_back(std::max(1, std::min(layers,
                                             int(layers * fill * 0.01 * (1 + 0.35 * wave) + 0.5))));
    }
    if (loop != FLUX)
        return cells;
    for (int f = 0; f < b.faces; f++)
        faces.push_back(std::min(cells[b.faces_cells[2 * f]], cells[b.faces_cells[2 * f + 1]]));
    return faces;
}
static double share_of(const std::vector<int> &depths, int layers)
{
    double there = 0;
    for (int depth : depths)
        there += depth;
    return there / (double(depths.size()) * layers);
}

/* Columns of such depths; bytes of the layers that are there, of points as of the cells. */
static void time_depths(int n, int layers, int fill)
{
    const base b = make_base(n);
    const double copy = kernel_copy_rate();
    const double filled = share_of(depths_of(b, layers, fill, W0), layers);
    std::printf("== C%d x %d, filled to %.1f %%; copy kernel %.0f GB/s\n", n, layers, 100 * filled,
                copy * 1e-9);
    for (int loop = W0; loop <= FLUX; loop++) {
        const std::vector<int> depths = depths_of(b, layers, fill, which(loop));
        request r = {which(loop),
                     MPLAN_STRATEGY_OWNER_GATHER,
                     MPLAN_COLUMNS_LAYERS,
                     loop == FLUX ? MPLAN_COLUMNS_LAYERS : MPLAN_COLUMNS_OWNER,
                     -1,
                     -1,
                     {}};
        for (int depth : depths)
            r.ranges.push_back(0), r.ranges.push_back(depth);
        running run = start(b, r, layers);
        double useful = 0;
        for (const field &f : fields_of(b, r.loop, layers))
            useful += double(f.rows) * f.dim * 8 * (f.changed ? 2 : 1) *
                      (std::strcmp(f.name, "u") ? filled : share_of(depths, layers));
        const double us = microseconds_of(run);
        std::printf("%-46s %9.1f us %7.0f GB/s %6.1f %% of copy\n",
                    loop == W0   ? "W0 owner-gather, owner rows"
                    : loop == W2 ? "W2 owner-gather, owner rows"
                                 : "flux owner-gather, as planned",
                    us, useful / us * 1e-3, 100 * useful / (us * 1e-6) / copy);
        stop(run);
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && !std::strcmp(argv[1], "steps"))
        time_steps(std::atoi(argv[2]), std::atoi(argv[3]));
    else if (argc == 5 && !std::strcmp(argv[1], "depths"))
        time_depths(std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
    else if (argc == 3 || argc == 4) {
        wanted = argc == 4 ? argv[3] : "";
        time_all(std::atoi(argv[1]), std::atoi(argv[2]));
    } else
        check_all();
    return failures != 0;
}
