/* SPDX-License-Identifier: Apache-2.0 */
/* slabs_over_mpi.c - parts for a limited device memory on ranks of MPI against the same parts on one rank in memory: equal bits
 *
 * Run by mpirun; every rank makes the same bundle, in a file of its own. Ranks that could reach one another's memory are asked for it, too:
 * halos are in memory of the host, so messages go by MPI all the same. */
#include "meshplan_mpi.h"

#include <unistd.h>

#include "layered_step.h"
#include "ranks_sleep.h"
#include "support_parts_slabs.h"

enum { PARTS = 5, STEPS = 7, LIMIT = 2 << 20 };

/* Numbers of all cells of the executor, which is closed; to be freed. Those of other ranks stay as random numbers made them. */
static double *numbers_of(limited *of, mplan_exec *exec)
{
    mplan_exec_entry entries[16];
    fill(of, exec, entries);
    double *all = take_numbers(of, exec, entries, STEPS);
    mplan_exec_close(exec);
    return all;
}

/* Whether the cells that this rank owns have what they have in memory. */
static bool is_same(limited *of, mplan_bundle *bundle, const mplan_transport *transport,
                    int32_t direct)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    mplan_exec *exec = NULL;
    int64_t first, end;
    bool same = true;
    options.executor = MPLAN_EXECUTOR_HOST;
    options.threads = 1;
    ranks.poison = true;
    assert_done(mplan_exec_open_part(bundle, NULL, &options, &ranks, &exec, &of->err), &of->err);
    double *one = numbers_of(of, exec);
    options.device_memory = LIMIT;
    ranks.direct = direct;
    ranks.patience = 1e6; /* however busy the machine is */
    assert_done(mplan_exec_open_part(bundle, transport, &options, &ranks, &exec, &of->err), &of->err);
    assert_done(mplan_exec_own_range(exec, "cells", &first, &end, &of->err), &of->err);
    int64_t *ids = malloc((size_t)(end - first) * sizeof *ids);
    assert_non_null(ids);
    assert_done(mplan_exec_own_ids(exec, "cells", ids, end - first, &of->err), &of->err);
    double *own = numbers_of(of, exec);
    const int64_t cells = mplan_mesh_set(of->mesh, mplan_mesh_find_set(of->mesh, "cells")).size;
    static const int dims[] = {4, 4, 1, 4, 1};
    for (int64_t d = 0, at = 0; d < 5; at += dims[d++] * cells)
        for (int64_t i = 0; i < end - first; i++)
            same = same && memcmp(one + at + ids[i] * dims[d], own + at + ids[i] * dims[d],
                                  (size_t)dims[d] * sizeof *own) == 0;
    free(ids);
    free(one);
    free(own);
    return same;
}

/* --- columns --------------------------------------------------------------------------------------- */

static const mplan_layer_kernel *const layered[] = {&pile_host, &flow_host, &dofs_host, &take_host,
                                                    &pull_host};
static const mplan_kernel *const flat[] = {&tilt_host, &rise_host};

/* All dats of the layered step behind STEPS steps; bytes 0: in memory. To be freed. */
static double *columns_of(layered_step *step, int64_t bytes, int64_t *n)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    double *all;
    int64_t held;
    options.executor = MPLAN_EXECUTOR_HOST;
    options.threads = 1;
    options.device_memory = bytes;
    assert_done(layered_run(step, &options, layered, flat, STEPS, &all, n, &held), &step->err);
    return all;
}

/* Rings of columns, in visits (bytes) or in memory. A rank downloads what it owns: each number must be on some rank what one rank has, which
 * runs all parts in memory. */
static bool columns_are_same(const mplan_transport *transport, const char *path, int64_t bytes)
{
    layered_step step = {.wide = 150,
                         .deep = 7,
                         .ranged = true,
                         .masked = true,
                         .by_owner = true,
                         .device_memory = bytes,
                         .steps = bytes ? 2 : 0,
                         .path = path,
                         .parts = PARTS,
                         .rings = 3,
                         .ranks = 1};
    int64_t n;
    assert_done(layered_mesh(&step), &step.err);
    assert_done(layered_plan(&step), &step.err);
    double *due = columns_of(&step, 0, &n);
    step.transport = transport;
    double *own = columns_of(&step, bytes, &n);
    unsigned char *right = malloc((size_t)n);
    bool all = true;
    assert_non_null(right);
    for (int64_t i = 0; i < n; i++)
        right[i] = memcmp(&own[i], &due[i], sizeof *own) == 0;
    MPI_Allreduce(MPI_IN_PLACE, right, (int)n, MPI_UNSIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
    for (int64_t i = 0; i < n; i++)
        all = all && right[i];
    unlink(path);
    free(right);
    free(due);
    free(own);
    mplan_mesh_free(step.mesh);
    return all;
}

int main(int argc, char **argv)
{
    mplan_mpi mpi;
    mplan_transport transport;
    mplan_error err;
    char path[64];
    MPI_Init(&argc, &argv);
    snprintf(path, sizeof path, "slabs_over_mpi.%ld.mplans", (long)getpid());
    if (mplan_mpi_open(MPI_COMM_WORLD, &mpi, &transport, &err))
        return 1;
    limited of = {.app = mplan_app_find("airfoil")};
    make_mesh(&of, MPLAN_SHAPE_QUAD, 200, 20, 0, true);
    assert_done(make_bundle(&of, path, PARTS, LIMIT, 2, 4, MPLAN_SUMS_ORDER_AUTO), &of.err);
    mplan_bundle *bundle = open_bundle(&of, path);
    unlink(path);
    int same = is_same(&of, bundle, &transport, MPLAN_DIRECT_NEVER), all = 0;
    same = is_same(&of, bundle, &transport, MPLAN_DIRECT_IF_ALL_CAN) && same; /* all ranks come */
    same = columns_are_same(&transport, path, 0) && same;
    same = columns_are_same(&transport, path, 3400000) && same;
    if (!same)
        fprintf(stderr, "rank %d of %d: other bits than one rank in memory\n", (int)transport.rank,
                (int)transport.ranks);
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    mplan_bundle_free(bundle);
    close_all(&of);
    mplan_mpi_close(&mpi);
    MPI_Finalize();
    return all ? 0 : 1;
}
