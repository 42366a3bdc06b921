/* SPDX-License-Identifier: Apache-2.0 */
/* support_ring.h - steps on a ring of cells in seven parts, for ranks that are processes
 *
 * A process that fails says why and ends, since no test framework is in it. Numbers of ranks other than that of the parts, and
 * ranks without neighbours, are in it. */
#ifndef MPLAN_SUPPORT_RING_H
#define MPLAN_SUPPORT_RING_H

#include "support_parts.h"
#include "support_test.h"

#include "mesh/mesh.h"

#define RING_FLUX_ARGS(ARG)                      \
    ARG(MAPPED, q, links_cells, 2, 2, f64, READ) \
    ARG(OPPOSITE, r, links_cells, 1, f64)
MPLAN_VIEWS_ANY(ring_flux, RING_FLUX_ARGS)
MPLAN_FN void ring_flux(ring_flux_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->r[0] = 0.3 * (v->q[1][0] - v->q[0][0]) * v->q[0][1];
}
MPLAN_KERNEL_ANY(ring_flux, RING_FLUX_ARGS, mplan_no_parameters)

#define RING_STEP_ARGS(ARG)    \
    ARG(DIRECT, q, 2, f64, RW) \
    ARG(DIRECT, r, 1, f64, RW) \
    ARG(GLOBAL, sum, 1, f64, INC)
MPLAN_VIEWS_ANY(ring_step, RING_STEP_ARGS)
MPLAN_FN void ring_step(ring_step_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->q[0] += v->r[0];
    v->sum[0] = v->q[0];
    v->r[0] = 0;
}
MPLAN_KERNEL_ANY(ring_step, RING_STEP_ARGS, mplan_no_parameters)

enum { RING_CELLS = 90, RING_PARTS = 7, RING_STEPS = 8 };

/* What a run leaves: the rank's rows of q in canonical order, and two sums over all. */
typedef struct ring_result {
    int64_t first, n;
    double rows[2 * RING_CELLS], sum, reduced;
    mplan_exchange_figures figures;
    char transport[300];
} ring_result;

static mplan_error ring_err;

static inline void ring_must(mplan_status status, const char *what)
{
    if (!status)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, mplan_status_name(status), ring_err.text);
    exit(1);
}

/* Each cell is linked to its next, and to the third behind it. */
static inline mplan_mesh *ring_mesh(void)
{
    mplan_mesh *mesh;
    int32_t links[4 * RING_CELLS];
    for (int32_t c = 0; c < RING_CELLS; c++)
        for (int32_t k = 0; k < 2; k++) {
            links[4 * c + 2 * k] = c;
            links[4 * c + 2 * k + 1] = (c + (k ? 3 : 1)) % RING_CELLS;
        }
    ring_must(mplan_mesh_create(&mesh, &ring_err), "create");
    ring_must(mplan_mesh_add_set(mesh, "links", 2 * RING_CELLS, NULL, &ring_err), "links");
    ring_must(mplan_mesh_add_set(mesh, "cells", RING_CELLS, NULL, &ring_err), "cells");
    ring_must(mplan_mesh_add_map(mesh, "links_cells", 0, 1, 2, NULL, links, NULL, &ring_err), "map");
    return mesh;
}

/* far: of each pair of neighbouring cells, the part is another one. */
static inline void ring_parts(const mplan_mesh *mesh, bool far, support_parts *parts)
{
    mplan_loop loops[2];
    mplan_arg args[2][MPLAN_MAX_ARGS];
    int32_t links[2 * RING_CELLS], cells[RING_CELLS], *part_of[2] = {links, cells};
    for (int32_t c = 0; c < RING_CELLS; c++)
        links[2 * c] = links[2 * c + 1] = cells[c] = far ? c * 5 % RING_PARTS
                                                         : c * RING_PARTS / RING_CELLS;
    ring_must(mplan_kernel_loop(&ring_flux_host, "links", args[0], &loops[0], &ring_err), "flux");
    ring_must(mplan_kernel_loop(&ring_step_host, "cells", args[1], &loops[1], &ring_err), "step");
    support_parts_make(mesh, 2, loops, RING_PARTS, part_of, parts);
}

/* Steps. At first only q is there and is exchanged, then the other dats, so that rooms must grow. An exchange for each step. */
static inline void ring_run(mplan_exec *exec, ring_result *r)
{
    mplan_exec_loop *flux, *step;
    const char *const q[] = {"q"};
    double start[2 * RING_CELLS];
    int64_t end;
    for (int i = 0; i < 2 * RING_CELLS; i++)
        start[i] = (i * 37 % 101) / 101.0;
    ring_must(mplan_exec_declare(exec, "q", "cells", 2, MPLAN_TYPE_F64, -1, &ring_err), "declare");
    ring_must(mplan_exec_upload(exec, "q", start, RING_CELLS, 2, MPLAN_TYPE_F64, &ring_err),
              "upload");
    ring_must(mplan_exec_exchange_begin(exec, q, 1, NULL, &ring_err), "begin");
    ring_must(mplan_exec_exchange_end(exec, NULL, &ring_err), "end");
    ring_must(mplan_exec_declare_all(exec, &ring_err), "declare all");
    ring_must(mplan_exec_bind(exec, "ring_flux", 0, &ring_flux_host, &flux, &ring_err), "bind");
    ring_must(mplan_exec_bind(exec, "ring_step", 0, &ring_step_host, &step, &ring_err), "bind");
    for (int i = 0; i < RING_STEPS; i++) {
        ring_must(mplan_exec_launch(exec, flux, NULL, NULL, &ring_err), "flux");
        ring_must(mplan_exec_launch(exec, step, NULL, NULL, &ring_err), "step");
    }
    ring_must(mplan_exec_own_range(exec, "cells", &r->first, &end, &ring_err), "range");
    r->n = end - r->first;
    ring_must(mplan_exec_download_own(exec, "q", r->rows, r->n, 2, MPLAN_TYPE_F64, &ring_err), "q");
    ring_must(mplan_exec_download(exec, "sum", &r->sum, 1, 1, MPLAN_TYPE_F64, &ring_err), "sum");
    ring_must(mplan_exec_reduce(exec, "q", 0, MPLAN_SUM, &r->reduced, &ring_err), "reduce");
    ring_must(mplan_exec_exchanged(exec, &r->figures, &ring_err), "figures");
    snprintf(r->transport, sizeof r->transport, "%s", r->figures.transport);
}

/* Whether a rank has what all of them in one process have. */
static inline bool ring_is_same(const ring_result *own, const ring_result *one)
{
    return memcmp(own->rows, one->rows + 2 * own->first, (size_t)own->n * 16) == 0 &&
           memcmp(&own->sum, &one->sum, 8) == 0 && memcmp(&own->reduced, &one->reduced, 8) == 0 &&
           own->figures.exchanges == RING_STEPS;
}

#endif
