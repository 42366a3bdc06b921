/* SPDX-License-Identifier: Apache-2.0 */
/* plan_over_mpi.c - bundles that ranks write together are those of one process, byte for byte
 *
 * Every rank makes each mesh, its parts and its loops by itself; rank 0 writes the bundle of mplan_parts_write, and all of
 * them the one of mpi_parts_write. */
#include "mpi/read_bytes.h"
#include "foam_files.h"
#include "plan_cases.h"

#include "plan/plan.h"

/* --- meshes ------------------------------------------------------------------------------------------ */

static mplan_mesh *tets(int32_t n)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh;
    options.shape = MPLAN_SHAPE_TET;
    options.size[0] = options.size[1] = options.size[2] = n;
    options.jitter = 0.2;
    options.shuffle = true;
    NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    NEED_DONE(mplan_mesh_derive(mesh, "faces_cells", NULL, &err), &err);
    NEED_DONE(mplan_mesh_derive(mesh, "faces_nodes", NULL, &err), &err);
    NEED_DONE(mplan_mesh_derive(mesh, "edges_cells", NULL, &err), &err); /* ragged */
    return mesh;
}

/* Three loops with different to-sets; cells are cut. */
static plan_case faces_case(int32_t n, int32_t n_parts, int rule, const char *strategy)
{
    plan_case c = {.mesh = tets(n), .options = MPLAN_PLAN_OPTIONS_INIT};
    add_loop(&c, "flux", "faces");
    add_arg(&c, "q", "faces_cells", MPLAN_READ, 5);
    add_arg(&c, "r", "faces_cells", MPLAN_INC, 5);
    add_arg(&c, "w", NULL, MPLAN_READ, 2);
    add_loop(&c, "nodal", "cells");
    add_arg(&c, "x", "cells_nodes", MPLAN_READ, 3);
    add_arg(&c, "v", "cells_nodes", MPLAN_INC, 1);
    add_loop(&c, "step", "cells");
    add_arg(&c, "r", NULL, MPLAN_RW, 5);
    add_arg(&c, "q", NULL, MPLAN_RW, 5);
    c.loops[0].primary = true;
    add_parts(&c, "cells", n_parts, rule);
    if (strategy)
        for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
            if (!strcmp(mplan_strategy_name((mplan_strategy)s), strategy)) {
                c.options.n_strategies = 1;
                c.options.strategies[0] = (mplan_strategy)s;
            }
    return c;
}

/* A ragged map, and a loop that only reads by it: its own set is cut. */
static plan_case ragged_case(int32_t n_parts, int rule)
{
    plan_case c = {.mesh = tets(3), .options = MPLAN_PLAN_OPTIONS_INIT};
    add_loop(&c, "gather", "edges");
    add_arg(&c, "q", "edges_cells", MPLAN_READ, 2);
    add_arg(&c, "e", NULL, MPLAN_WRITE, 2);
    add_parts(&c, "edges", n_parts, rule);
    return c;
}

/* Links of cell 0 to all others, and of each to its next; each link writes a corner of its own, by a map that leads to each
 * once; corners have a map to cells, which others read, and cells one to their next: chains of rows in halos. */
static plan_case hub_case(int32_t n, int32_t n_parts, int rule)
{
    plan_case c = {.options = MPLAN_PLAN_OPTIONS_INIT};
    int32_t *links = malloc((size_t)(5 * n + 1) * sizeof *links),
            *corners = malloc((size_t)(2 * n + 1) * sizeof *corners);
    NEED(links && corners);
    for (int32_t i = 0; i < n; i++) {
        links[4 * i] = 0;
        links[4 * i + 1] = links[4 * i + 2] = i;
        links[4 * i + 3] = i % 3 == 0 ? -1 : (i + 1) % n;
        corners[2 * i] = 2 * n - 1 - 2 * i;
        corners[2 * i + 1] = 2 * n - 2 - 2 * i;
    }
    NEED_DONE(mplan_mesh_create(&c.mesh, &err), &err);
    NEED_DONE(mplan_mesh_add_set(c.mesh, "links", 2 * n, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(c.mesh, "cells", n, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_set(c.mesh, "corners", 2 * n, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(c.mesh, "links_cells", 0, 1, 2, NULL, links, NULL, &err), &err);
    NEED_DONE(mplan_mesh_add_map(c.mesh, "links_corners", 0, 2, 1, NULL, corners, NULL, &err), &err);
    for (int32_t i = 0; i < 2 * n; i++)
        corners[i] = i * 5 % (n > 0 ? n : 1);
    NEED_DONE(mplan_mesh_add_map(c.mesh, "corners_cells", 2, 1, 1, NULL, corners, NULL, &err), &err);
    for (int32_t i = 0; i < n; i++)
        links[i] = (i + n / 2) % n;
    NEED_DONE(mplan_mesh_add_map(c.mesh, "cells_cells", 1, 1, 1, NULL, links, NULL, &err), &err);
    add_loop(&c, "sum", "links");
    add_arg(&c, "a", "links_cells", MPLAN_INC, 1);
    add_arg(&c, "b", "links_corners", MPLAN_WRITE, 1);
    add_loop(&c, "read", "corners");
    add_arg(&c, "a", "corners_cells", MPLAN_READ, 1);
    add_arg(&c, "b", NULL, MPLAN_RW, 1);
    add_loop(&c, "shift", "cells");
    add_arg(&c, "a", "cells_cells", MPLAN_READ, 1);
    add_arg(&c, "d", NULL, MPLAN_WRITE, 1);
    c.loops[0].primary = true;
    add_parts(&c, "cells", n_parts, rule);
    free(links);
    free(corners);
    return c;
}

/* Random maps between four sets, some rows of which are empty, and one from a set to itself. */
static plan_case random_case(uint64_t seed, int32_t n_parts)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const char *const maps[] = {"a_b", "b_c", "c_b", "b_b"};
    static const int32_t ends[][2] = {{0, 1}, {1, 2}, {2, 1}, {1, 1}};
    plan_case c = {.options = MPLAN_PLAN_OPTIONS_INIT};
    NEED_DONE(mplan_mesh_create(&c.mesh, &err), &err);
    int64_t size[4];
    for (int s = 0; s < 4; s++) {
        size[s] = 5 + mplan_random_below(&seed, 60);
        NEED_DONE(mplan_mesh_add_set(c.mesh, names[s], size[s], NULL, &err), &err);
    }
    for (int m = 0; m < 4; m++) {
        const int32_t arity = m == 2 ? 0 : 1 + (int32_t)mplan_random_below(&seed, 3);
        int64_t offsets[70] = {0};
        int32_t values[70 * 5], n = 0;
        for (int64_t i = 0; i < size[ends[m][0]]; i++) {
            const int32_t length = arity ? arity : (int32_t)mplan_random_below(&seed, 5);
            for (int32_t k = 0; k < length; k++)
                values[n++] = mplan_random_below(&seed, 8) == 0
                                  ? -1
                                  : (int32_t)mplan_random_below(&seed, size[ends[m][1]]);
            offsets[i + 1] = n;
        }
        NEED_DONE(mplan_mesh_add_map(c.mesh, maps[m], ends[m][0], ends[m][1], arity,
                                     arity ? NULL : offsets, values, NULL, &err),
                  &err);
    }
    add_loop(&c, "l0", "a");
    add_arg(&c, "x", "a_b", mplan_random_below(&seed, 2) ? MPLAN_INC : MPLAN_READ, 2);
    add_arg(&c, "ya", NULL, MPLAN_READ, 1);
    add_loop(&c, "l1", "b");
    add_arg(&c, "z", "b_c", MPLAN_INC, 1);
    add_arg(&c, "x", "b_b", MPLAN_READ, 2);
    add_loop(&c, "l2", "c");
    add_arg(&c, "x", "c_b", MPLAN_READ, 2);
    add_arg(&c, "z", NULL, MPLAN_RW, 1);
    c.loops[1].primary = true;
    add_parts(&c, "c", n_parts, (int)mplan_random_below(&seed, 3));
    return c;
}

/* A file of the test data that ranks read by ranges: a loop over each map adds through it. False: this build cannot read it. */
static bool file_case(const char *name, plan_case *c)
{
    static const char *const loops[MOST_LOOPS] = {"l0", "l1", "l2"};
    *c = (plan_case){.options = MPLAN_PLAN_OPTIONS_INIT};
    snprintf(c->path, sizeof c->path, "%s/%s", MPLAN_TEST_DATA, name);
    const mplan_status status = mplan_mesh_read(c->path, NULL, NULL, &c->mesh, &err);
    if (status == MPLAN_ERR_UNSUPPORTED)
        return false;
    NEED_DONE(status, &err);
    for (int32_t m = 0; m < mplan_mesh_n_maps(c->mesh) && m < MOST_LOOPS; m++) {
        const mplan_map map = mplan_mesh_map(c->mesh, m);
        add_loop(c, loops[m], mplan_mesh_set(c->mesh, map.from).name);
        add_arg(c, mplan_mesh_set(c->mesh, map.to).name, map.name, MPLAN_INC, 1);
    }
    c->loops[0].primary = true;
    add_parts(c, mplan_mesh_set(c->mesh, mplan_mesh_map(c->mesh, 0).to).name, 3, 0);
    return true;
}

/* --- numbers beyond 32 bits ----------------------------------------------------------------------------- */

static const int64_t FAR = INT64_C(5) << 31;

/* Members have numbers from FAR on, as if others were before them. */
static void move_away(mpi_mesh *mesh)
{
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        mesh->sets[s].size += FAR;
        for (int32_t r = 0; r <= mesh->ranks; r++)
            mesh->sets[s].first[r] += FAR;
    }
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        const int64_t rows = mpi_own_members(mesh, mesh->maps[m].from);
        const int64_t n = mesh->maps[m].arity ? rows * mesh->maps[m].arity
                                              : mesh->maps[m].offsets[rows];
        for (int64_t i = 0; i < n; i++)
            mesh->maps[m].values[i] += mesh->maps[m].values[i] >= 0 ? FAR : 0;
    }
}

static void make_parts(MPI_Comm comm, const plan_case *c, bool far, mpi_parts *parts)
{
    static const mplan_context none = MPLAN_CONTEXT_INIT;
    int rank;
    int32_t set;
    mpi_mesh *mesh;
    MPI_Comm_rank(comm, &rank);
    NEED_DONE(mpi_mesh_scatter(comm, rank == 0 ? c->mesh : NULL, &mesh, &err), &err);
    if (far)
        move_away(mesh);
    NEED_DONE(mpi_parts_resolve(mesh, c->n_loops, c->loops, parts, &err), &err);
    NEED_DONE(mpi_parts_choose(c->n_loops, c->loops, &c->options, &none, parts, &set, &err), &err);
    const mpi_set *cut = &mesh->sets[parts->parts->whole.p.sets[set].mesh_set];
    const mpi_parts_options how = {.n_parts = c->n_parts,
                                   .owner = c->part + (cut->first[rank] - (far ? FAR : 0)),
                                   .n_owner = cut->size};
    NEED_DONE(mpi_parts_make(mesh, &how, &none, parts, &err), &err);
    mpi_mesh_free(mesh);
}

/* Equal but for numbers in the whole mesh, and hashes of them. */
static void compare_plans(const mplan_plan *near, const mplan_plan *far)
{
    NEED(near->n_arrays == far->n_arrays);
    for (int32_t i = 0; i < near->n_arrays; i++) {
        const mplan_array *a = &near->arrays[i], *b = &far->arrays[i];
        const int64_t n = a->rows * a->cols;
        NEED(memcmp(&a->key, &b->key, sizeof a->key) == 0 && a->rows == b->rows && a->cols == b->cols);
        if (a->key.kind == MPLAN_KIND_GLOBAL_ID)
            for (int64_t k = 0; k < n; k++)
                NEED(((const int64_t *)a->data)[k] + FAR == ((const int64_t *)b->data)[k]);
        else if (a->key.kind != MPLAN_KIND_IMPORT_HASHES && a->key.kind != MPLAN_KIND_EXPORT_HASHES &&
                 a->key.kind != MPLAN_KIND_LOOP_IMPORT_HASHES &&
                 a->key.kind != MPLAN_KIND_LOOP_EXPORT_HASHES)
            NEED(n == 0 || memcmp(a->data, b->data, (size_t)n * mplan_type_size(a->type)) == 0);
    }
}

static void check_far(MPI_Comm comm, plan_case c)
{
    static const mplan_context none = MPLAN_CONTEXT_INIT;
    mpi_parts parts[2];
    mplan_part_mesh room[2];
    point_to_args(&c);
    for (int far = 0; far < 2; far++) {
        make_parts(comm, &c, far, &parts[far]);
        NEED_DONE(mplan_part_mesh_open(parts[far].parts, &room[far], &err), &err);
    }
    for (int32_t q = parts[0].parts->begin; q < parts[0].parts->end; q++) {
        mplan_plan *plan[2];
        for (int far = 0; far < 2; far++)
            NEED_DONE(mplan_parts_plan_in(&room[far], q, NULL, &none, &plan[far], &err), &err);
        compare_plans(plan[0], plan[1]);
        mplan_plan_free(plan[0]);
        mplan_plan_free(plan[1]);
    }
    for (int far = 0; far < 2; far++) {
        mplan_part_mesh_close(&room[far]);
        mpi_parts_free(&parts[far]);
    }
    mplan_mesh_free(c.mesh);
    free(c.part);
}

/* --- all -------------------------------------------------------------------------------------------------- */

/* netCDF-3 and -4, CGNS and OP2's HDF5, with layers and without; each group of ranks takes other files. */
static void files_by_ranges(MPI_Comm comm)
{
    static const char *const names[] = {"ugrid/good-edges.nc",     "mpas/good-layers.cdf",
                                        "icon/good-part.nc",       "cgns/good-solid.cgns",
                                        "exodus/good-solid.exo",   "op2-hdf5/good-arrows.h5",
                                        "ugrid/good-hexagons.cdf", "fesom_diag/good-sea.nc"};
    int ranks;
    MPI_Comm_size(comm, &ranks);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        plan_case c;
        if ((ranks == 1 || (int)(i % 3) == ranks % 3) && file_case(names[i], &c))
            check_case(comm, c);
    }
}

/* All ranks of these tests are on one node: four of them read for the others, or as many as are asked for. */
static void few_readers(MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    for (int32_t wanted = 0; wanted < 4; wanted++) {
        const int64_t most = wanted > 0 ? wanted : 4;
        mpi_readers readers;
        int own;
        mpi_readers_open(comm, wanted, 0, &readers);
        MPI_Comm_rank(readers.group, &own);
        NEED(mpi_sum(comm, own == 0) == (ranks < most ? ranks : most));
        mpi_readers_close(&readers);
    }
}

/* OpenFOAM's binary meshes, for each number of ranks. */
static void foam_by_ranges(MPI_Comm comm)
{
    static const foam_form form = {8, 4, false, false, 0};
    static const char *const files[] = {"points", "faces", "owner", "neighbour", "boundary"};
    int rank;
    char path[160];
    plan_case c = {.options = MPLAN_PLAN_OPTIONS_INIT};
    MPI_Comm_rank(comm, &rank);
    snprintf(c.path, sizeof c.path, "%s/case", folder);
    if (rank == 0) {
        mplan_mesh *mesh = tets(3);
        foam_write(mesh, c.path, &form);
        mplan_mesh_free(mesh);
    }
    MPI_Barrier(comm);
    NEED_DONE(mplan_mesh_read(c.path, NULL, NULL, &c.mesh, &err), &err);
    add_loop(&c, "flux", "faces");
    add_arg(&c, "q", "faces_cells", MPLAN_INC, 5);
    add_loop(&c, "wall", "all"); /* the patch */
    add_arg(&c, "q", "all_cells", MPLAN_INC, 5);
    add_arg(&c, "x", "all_nodes", MPLAN_READ, 3);
    add_loop(&c, "nodal", "cells");
    add_arg(&c, "v", "cells_nodes", MPLAN_INC, 1);
    c.loops[0].primary = true;
    add_parts(&c, "cells", 5, 0);
    check_case(comm, c);
    MPI_Barrier(comm);
    for (size_t i = 0; i < sizeof files / sizeof *files && rank == 0; i++) {
        snprintf(path, sizeof path, "%s/case/%s", folder, files[i]);
        NEED(unlink(path) == 0);
    }
    snprintf(path, sizeof path, "%s/case", folder);
    NEED(rank != 0 || rmdir(path) == 0);
}

static void parts_of_files(MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    check_case(comm, faces_case(3, 5, 0, "owner-gather"));
    if (ranks != 1 && ranks != 4) { /* groups of these numbers try all */
        check_case(comm, hub_case(20, 5, 1));
        check_case(comm, hub_case(7, 3, 1)); /* 16 ranks: some have no cells, and most no part */
        return;
    }
    check_case(comm,
               faces_case(2, 9, 1, NULL)); /* all parts are neighbours; the strategy is left open */
    check_case(comm, faces_case(3, 6, 2, "block-gather"));
    check_cut(comm, faces_case(3, 5, 0, "owner-gather"));
    check_far(comm, faces_case(2, 5, 0, "owner-gather"));
    check_case(comm, ragged_case(4, 0));
    check_case(comm, hub_case(40, 5, 1));
    check_case(comm, hub_case(12, 3, 3)); /* a part without neighbours, others without members */
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_case(comm, random_case(seed, 1 + (int32_t)seed * 2));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    make_folder("plan-over");
    over_ranks(few_readers);
    over_ranks(parts_of_files);
    over_ranks(files_by_ranges);
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks <= 4)
        over_ranks(foam_by_ranges);
    remove_folder();
    MPI_Finalize();
    return 0;
}
