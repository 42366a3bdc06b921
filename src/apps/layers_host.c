/* SPDX-License-Identifier: Apache-2.0 */
/* layers_host.c - the applications with layers: their loops, what the mesh needs for them, and cases by hand */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/layers_app.h"
#include "apps/layers_kernels.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

#ifdef MPLAN_HAVE_CUDA
#define DEVICE(name) &name##_device
extern const mplan_layer_kernel mplan_lfric_w0_device, mplan_lfric_w2_device, mplan_lfric_w3_device,
    mplan_column_flux_device, mplan_tridiagonal_device;
#else
#define DEVICE(name) NULL
#endif

/* --- loops, as a request names them: kernels that only tell args ------------------------------- */

#define ARG(dat_, map_, arity_, dim_, access_)                                          \
    {                                                                                   \
        .dat = dat_, .map = map_, .arity = arity_, .dim = dim_, .type = MPLAN_TYPE_F64, \
        .access = access_                                                               \
    }
#define SHELL(name_, ...)                                                            \
    static const mplan_kernel_arg name_##_shell_args[] = {__VA_ARGS__};              \
    static const mplan_kernel name_##_shell = {                                      \
        .name = #name_,                                                              \
        .n_args = (int32_t)(sizeof name_##_shell_args / sizeof *name_##_shell_args), \
        .args = name_##_shell_args,                                                  \
        .parameter_bytes = sizeof(mplan_no_parameters)};

SHELL(w0, ARG("matrix", "", 1, 64, MPLAN_READ), ARG("x", "cells_nodes", 4, 1, MPLAN_READ),
      ARG("lhs", "cells_nodes", 4, 1, MPLAN_INC))
SHELL(w2, ARG("matrix", "", 1, 36, MPLAN_READ), ARG("x", "cells_dofs", 5, 1, MPLAN_READ),
      ARG("lhs", "cells_dofs", 5, 1, MPLAN_INC))
SHELL(w3, ARG("matrix", "", 1, 1, MPLAN_READ), ARG("x", "", 1, 1, MPLAN_READ),
      ARG("lhs", "", 1, 1, MPLAN_INC))
SHELL(flux, ARG("u", "", 1, 1, MPLAN_READ), ARG("q", "faces_cells", 2, 4, MPLAN_READ),
      ARG("res", "faces_cells", 2, 4, MPLAN_INC))
SHELL(solve, ARG("a", "", 1, 3, MPLAN_READ), ARG("b", "", 1, 1, MPLAN_READ),
      ARG("c", "", 1, 1, MPLAN_WRITE), ARG("y", "", 1, 1, MPLAN_WRITE))

static const mplan_app_loop w0_loops[] = {{"matvec", "cells", &w0_shell, NULL, 128, 1, true}};
static const mplan_app_loop w2_loops[] = {{"matvec", "cells", &w2_shell, NULL, 72, 1, true}};
static const mplan_app_loop w3_loops[] = {{"matvec", "cells", &w3_shell, NULL, 2, 1, true}};
static const mplan_app_loop flux_loops[] = {{"flux", "faces", &flux_shell, NULL, 36, 1, true}};
static const mplan_app_loop solve_loops[] = {{"solve", "cells", &solve_shell, NULL, 9, 1, true}};

/* --- what the mesh needs: the dofs of W2 -------------------------------------------------------- */

/* A side of a cell: its nodes, and where it is. */
typedef struct side {
    int32_t low, high, cell, number;
} side;

/* By both nodes, the lower one first: equal sides of two cells follow one another. By the cell then, so that the
 * order is complete. */
static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Adds the set dofs, one for each side of cells and then one for each cell, and the map cells_dofs: four sides, then the
 * cell's own. Once for each mesh. */
static mplan_status add_dofs(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    (void)context;
    const int32_t cells = mplan_mesh_find_set(mesh, "cells");
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    const int64_t n = nodes.n_rows;
    int32_t n_sides = 0;
    if (mplan_mesh_find_set(mesh, "dofs") >= 0)
        return MPLAN_OK;
    side *sides = mplan_alloc(4 * n, sizeof *sides, err);
    int32_t *rows = mplan_alloc(5 * n, sizeof *rows, err);
    mplan_status status = sides && rows ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < 4 * n && !status; i++) {
        const int32_t *row = nodes.values + i / 4 * nodes.arity;
        const int32_t a = row[i % 4], b = row[(i + 1) % 4];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, (int32_t)(i / 4), (int32_t)(i % 4)};
    }
    if (!status && n > 0)
        qsort(sides, (size_t)(4 * n), sizeof *sides, compare_sides);
    for (int64_t i = 0; i < 4 * n && !status; i++) {
        if (i == 0 || sides[i].low != sides[i - 1].low || sides[i].high != sides[i - 1].high)
            n_sides++;
        rows[5 * (int64_t)sides[i].cell + sides[i].number] = n_sides - 1;
    }
    for (int64_t c = 0; c < n && !status; c++)
        rows[5 * c + 4] = n_sides + (int32_t)c;
    if (!status)
        status = mplan_mesh_add_set(mesh, "dofs", n_sides + n, NULL, err);
    if (!status)
        status = mplan_mesh_add_map(mesh, "cells_dofs", cells, mplan_mesh_find_set(mesh, "dofs"), 5,
                                    NULL, rows, NULL, err);
    free(sides);
    free(rows);
    return status;
}

/* --- cases by hand: the function of one layer or column, without an executor ---------------------- */

/* MPLAN_ERR_INTERNAL unless number i is what was computed by hand, to rounding. */
static mplan_status differs(const mplan_app *app, int i, double got, double due, mplan_error *err)
{
    if (fabs(got - due) <= 1e-14 * (1 + fabs(due)))
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_INTERNAL,
                      "%s: number %d of the case computed by hand is %.17g instead of %.17g",
                      app->name, i, got, due);
}

/* Rows of the matrix hold row + 1 in all columns, x is 1 to 8: each result is (row + 1) * 36; 21 of six. */
static mplan_status hand_w0(const mplan_app *app, mplan_error *err)
{
    mplan_lfric_w0_views v = {.top = 1};
    mplan_status status = MPLAN_OK;
    for (int i = 0; i < 64; i++)
        v.matrix[i] = i % 8 + 1;
    for (int i = 0; i < 8; i++)
        v.x[i][0] = i + 1;
    mplan_lfric_w0(&v, NULL);
    for (int i = 0; i < 8 && !status; i++)
        status = differs(app, i, v.lhs[i][0], 36.0 * (i + 1), err);
    return status;
}

/* Likewise with six rows: x is 1 to 6, whose sum is 21. */
static mplan_status hand_w2(const mplan_app *app, mplan_error *err)
{
    mplan_lfric_w2_views v = {.top = 1};
    mplan_status status = MPLAN_OK;
    for (int i = 0; i < 36; i++)
        v.matrix[i] = i % 6 + 1;
    for (int i = 0; i < 6; i++)
        v.x[i][0] = i + 1;
    mplan_lfric_w2(&v, NULL);
    for (int i = 0; i < 6 && !status; i++)
        status = differs(app, i, v.lhs[i][0], 21.0 * (i + 1), err);
    return status;
}

/* 3 times -2, in a matrix of one number. */
static mplan_status hand_w3(const mplan_app *app, mplan_error *err)
{
    mplan_lfric_w3_views v = {.top = 1, .matrix = {{3}}, .x = {{-2}}};
    mplan_lfric_w3(&v, NULL);
    return differs(app, 0, v.lhs[0][0], -6, err);
}

/* u = 2: all that the first side has flows, twice of it; u = -2: of the second. */
static mplan_status hand_flux(const mplan_app *app, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int turn = 0; turn < 2; turn++) {
        mplan_column_flux_views v = {
            .top = 1, .u = {{turn ? -2 : 2}}, .q = {{1, 2, 3, 4}, {5, 7, 9, 11}}};
        mplan_column_flux(&v, NULL);
        for (int c = 0; c < 4 && !status; c++) {
            const double due = turn ? -2 * v.q[1][c] : 2 * v.q[0][c];
            status = differs(app, c, v.res[0][c], -due, err);
            if (!status)
                status = differs(app, 4 + c, v.res[1][c], due, err);
        }
    }
    return status;
}

/* 2 and -1 in three rows, 1 on the right: 1.5, 2, 1.5. */
static mplan_status hand_solve(const mplan_app *app, mplan_error *err)
{
    double a[9] = {-1, 2, -1, -1, 2, -1, -1, 2, -1}, b[3] = {1, 1, 1}, c[3], y[3];
    mplan_tridiagonal_views v = {
        .bottom = 0, .top = 3, .a = {a, 3, 1}, .b = {b, 1, 1}, .c = {c, 1, 1}, .y = {y, 1, 1}};
    mplan_tridiagonal(&v, NULL);
    mplan_status status = differs(app, 0, y[0], 1.5, err);
    if (!status)
        status = differs(app, 1, y[1], 2, err);
    return status ? status : differs(app, 2, y[2], 1.5, err);
}

/* --- the applications ------------------------------------------------------------------------------ */

static const mplan_app_layered w0_layers = {
    &mplan_lfric_w0_host,
    DEVICE(mplan_lfric_w0),
    MPLAN_LAYERING_LAYERS,
    {0, 1, 1},
    8,
    8,
    {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}},
    hand_w0};
static const mplan_app_layered w2_layers = {&mplan_lfric_w2_host,
                                            DEVICE(mplan_lfric_w2),
                                            MPLAN_LAYERING_LAYERS,
                                            {0, 1, 1},
                                            6,
                                            6,
                                            {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {4, 1}},
                                            hand_w2};
static const mplan_app_layered w3_layers = {&mplan_lfric_w3_host,
                                            DEVICE(mplan_lfric_w3),
                                            MPLAN_LAYERING_LAYERS,
                                            {0, 0, 0},
                                            0,
                                            1,
                                            {{0, 0}},
                                            hand_w3};
static const mplan_app_layered flux_layers = {&mplan_column_flux_host,
                                              DEVICE(mplan_column_flux),
                                              MPLAN_LAYERING_LAYERS,
                                              {0, 0, 0},
                                              0,
                                              2,
                                              {{0, 0}, {1, 0}},
                                              hand_flux};
static const mplan_app_layered solve_layers = {&mplan_tridiagonal_host,
                                               DEVICE(mplan_tridiagonal),
                                               MPLAN_LAYERING_COLUMNS,
                                               {0, 0, 0, 0},
                                               0,
                                               1,
                                               {{0, 0}},
                                               hand_solve};

const mplan_app mplan_app_lfric_w0 = {
    .name = "lfric-matvec",
    .description =
        "LFRic's matrix-vector product on W0: 8 x 8 matrices, dofs on vertices, f64; quads with layers",
    .cells = MPLAN_APP_QUADS,
    .n_loops = 1,
    .loops = w0_loops,
    .layered = &w0_layers,
    .tolerance = 1e-12,
    .run = mplan_app_run_layers,
};
const mplan_app mplan_app_lfric_w2 = {
    .name = "lfric-matvec-w2",
    .description = "the same on W2: 6 x 6 matrices, dofs on sides, below and above; quads with layers",
    .cells = MPLAN_APP_QUADS,
    .n_loops = 1,
    .loops = w2_loops,
    .layered = &w2_layers,
    .tolerance = 1e-12,
    .prepare = add_dofs,
    .run = mplan_app_run_layers,
};
const mplan_app mplan_app_lfric_w3 = {
    .name = "lfric-matvec-w3",
    .description = "the same on W3: one dof in each cell; any cells with layers",
    .cells = MPLAN_APP_ANY_CELLS,
    .n_loops = 1,
    .loops = w3_loops,
    .layered = &w3_layers,
    .tolerance = 1e-12,
    .run = mplan_app_run_layers,
};
const mplan_app mplan_app_column_flux = {
    .name = "column-flux",
    .description =
        "an upwind flux of 4 numbers through the faces between columns, f64; any cells with layers",
    .cells = MPLAN_APP_ANY_CELLS,
    .n_loops = 1,
    .loops = flux_loops,
    .layered = &flux_layers,
    .tolerance = 1e-12,
    .run = mplan_app_run_layers,
};
const mplan_app mplan_app_tridiagonal = {
    .name = "tridiagonal",
    .description = "a tridiagonal system in each column, solved by a function of whole columns, f64; any cells with "
                   "layers",
    .cells = MPLAN_APP_ANY_CELLS,
    .n_loops = 1,
    .loops = solve_loops,
    .layered = &solve_layers,
    .tolerance = 1e-12,
    .run = mplan_app_run_layers,
};
