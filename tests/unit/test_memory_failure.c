/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory_failure.c - calls about meshes, jobs and files of any kind with their k-th allocation failing (support_bench.h) */
#include <dirent.h>
#include <unistd.h>

#include "support_bench.h"
#include "support_memory.h"
#include "support_request.h"

/* --- building meshes ----------------------------------------------------------------- */

/* Two triangles and two quads, a group and a marker of facets, coordinates. */
static const uint8_t cell_types[] = {MPLAN_CELL_TRI3, MPLAN_CELL_TRI3, MPLAN_CELL_QUAD4,
                                     MPLAN_CELL_QUAD4};
static const int32_t cell_nodes[] = {0, 1, 3, 1, 4, 3, 1, 2, 5, 4, 3, 4, 7, 6};
static const double node_places[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1, 0, 2, 1, 2};
static const uint8_t facet_types[] = {MPLAN_CELL_LINE2, MPLAN_CELL_LINE2, MPLAN_CELL_LINE2};
static const int32_t facet_nodes[] = {0, 1, 1, 2, 1, 4}, group_members[] = {0, 3};

static void prepare_empty(bench *b)
{
    assert_int_equal(mplan_mesh_create(&b->mesh, NULL), MPLAN_OK);
}

static void prepare_cells(bench *b)
{
    prepare_empty(b);
    assert_int_equal(mplan_mesh_add_cells(b->mesh, 8, 4, cell_types, cell_nodes, NULL), MPLAN_OK);
    assert_int_equal(mplan_mesh_set_coordinates(b->mesh, mplan_mesh_find_set(b->mesh, "nodes"), 2,
                                                node_places, NULL),
                     MPLAN_OK);
}

static void prepare_groups(bench *b)
{
    prepare_cells(b);
    assert_int_equal(mplan_mesh_add_facets(b->mesh, "wall", 7, 3, facet_types, facet_nodes, NULL),
                     MPLAN_OK);
    assert_int_equal(mplan_mesh_add_group(b->mesh, "part", 3, 2, mplan_mesh_find_set(b->mesh, "cells"),
                                          2, group_members, NULL),
                     MPLAN_OK);
}

static void prepare_derived(bench *b)
{
    prepare_groups(b);
    assert_int_equal(mplan_mesh_derive(b->mesh, "cells_faces", &one, NULL), MPLAN_OK);
    assert_int_equal(mplan_mesh_derive(b->mesh, "edges", &one, NULL), MPLAN_OK);
}

static mplan_status run_create(bench *b, mplan_error *err)
{
    return mplan_mesh_create(&b->new_mesh, err);
}

static mplan_status run_add_set(bench *b, mplan_error *err)
{
    int32_t set = -5;
    mplan_status status = mplan_mesh_add_set(b->mesh, "more", 9, &set, err);
    assert_true((status == MPLAN_OK) == (set >= 0));
    return status;
}

static mplan_status run_add_map(bench *b, mplan_error *err)
{
    static const int64_t offsets[] = {0, 2, 2, 3, 5};
    static const int32_t values[] = {1, 2, -1, 0, 3};
    bool ragged = b->data != NULL;
    int32_t cells = mplan_mesh_find_set(b->mesh, "cells"), map = -5;
    mplan_status status = mplan_mesh_add_map(b->mesh, "more", cells, cells, ragged ? 0 : 1,
                                             ragged ? offsets : NULL, values, &map, err);
    assert_true((status == MPLAN_OK) == (map >= 0));
    return status;
}

static mplan_status run_coordinates(bench *b, mplan_error *err)
{
    return mplan_mesh_set_coordinates(b->mesh, mplan_mesh_find_set(b->mesh, "cells"), 2,
                                      node_places, err);
}

static mplan_status run_add_cells(bench *b, mplan_error *err)
{
    return mplan_mesh_add_cells(b->mesh, 8, b->data ? 2 : 4, cell_types, cell_nodes, err);
}

static mplan_status run_add_group(bench *b, mplan_error *err)
{
    return mplan_mesh_add_group(b->mesh, "again", 4, 2, mplan_mesh_find_set(b->mesh, "cells"), 2,
                                group_members, err);
}

static mplan_status run_add_facets(bench *b, mplan_error *err)
{
    return mplan_mesh_add_facets(b->mesh, "again", 8, 3, facet_types, facet_nodes, err);
}

static mplan_status run_validate(bench *b, mplan_error *err)
{
    return mplan_mesh_validate(b->mesh, &one, err);
}

static mplan_status run_derive(bench *b, mplan_error *err)
{
    return mplan_mesh_derive(b->mesh, b->data, &one, err);
}

static mplan_status run_split(bench *b, mplan_error *err)
{
    return mplan_mesh_split(b->mesh, mplan_mesh_find_set(b->mesh, "cells"),
                            mplan_mesh_find_map(b->mesh, "cells_faces"), err);
}

static void meshes_are_built(void **state)
{
    (void)state;
    static const call calls[] = {
        {"mesh_create", NULL, run_create, NULL, PLAIN},
        {"add_set", prepare_cells, run_add_set, NULL, PLAIN},
        {"add_set, the first", prepare_empty, run_add_set, NULL, PLAIN},
        {"add_map", prepare_cells, run_add_map, NULL, PLAIN},
        {"add_map, ragged", prepare_cells, run_add_map, "", PLAIN},
        {"set_coordinates", prepare_cells, run_coordinates, NULL, PLAIN},
        {"add_cells", prepare_empty, run_add_cells, NULL, PLAIN},
        {"add_cells, fixed", prepare_empty, run_add_cells, "", PLAIN},
        {"add_group", prepare_groups, run_add_group, NULL, PLAIN},
        {"add_group after faces", prepare_derived, run_add_group, NULL, PLAIN},
        {"add_facets", prepare_groups, run_add_facets, NULL, PLAIN},
        {"validate", prepare_groups, run_validate, NULL, PLAIN},
        {"split", prepare_derived, run_split, NULL, PLAIN},
        {"derive faces", prepare_groups, run_derive, "faces", PLAIN},
        {"derive edges_cells", prepare_groups, run_derive, "edges_cells", PLAIN},
        /* these derive faces first, which may stay */
        {"derive cells_cells", prepare_groups, run_derive, "cells_cells", MAY_GROW},
        {"derive cells_faces", prepare_groups, run_derive, "cells_faces", MAY_GROW},
        {"derive nodes_cells", prepare_groups, run_derive, "nodes_cells", PLAIN},
        {"derive nodes_boundary_faces", prepare_groups, run_derive, "nodes_boundary_faces", MAY_GROW},
    };
    RUN_CALLS(calls);
}

/* --- made meshes ------------------------------------------------------------------------ */

static mplan_status run_generate(bench *b, mplan_error *err)
{
    mplan_generate_options options = small_mesh(*(const mplan_shape *)b->data);
    return mplan_mesh_generate(&options, &one, &b->new_mesh, err);
}

static mplan_status run_refine(bench *b, mplan_error *err)
{
    return mplan_mesh_refine(b->mesh, 2, &one, &b->new_mesh, err);
}

static mplan_status run_renumber(bench *b, mplan_error *err)
{
    mplan_orders *orders = NULL;
    mplan_status status = mplan_mesh_orders(b->mesh, NULL, &one, &orders, err);
    if (status == MPLAN_OK)
        status = mplan_mesh_reorder(b->mesh, orders, &one, &b->new_mesh, err);
    mplan_orders_free(orders);
    return status;
}

static mplan_status run_renumber_cells(bench *b, mplan_error *err)
{
    mplan_orders *orders = NULL;
    mplan_orders_options how = MPLAN_ORDERS_OPTIONS_INIT;
    how.set = "cells";
    how.renumber = MPLAN_RENUMBER_AUTO;
    mplan_status status = mplan_mesh_orders(b->mesh, &how, &one, &orders, err);
    mplan_orders_free(orders);
    return status;
}

static mplan_status run_partition(bench *b, mplan_error *err)
{
    mplan_partition *partition = NULL;
    mplan_partition_options how = MPLAN_PARTITION_OPTIONS_INIT;
    how.partitioner = *(const mplan_partitioner *)b->data;
    if (how.partitioner == MPLAN_PARTITIONER_NATIVE)
        how.block_size = 4;
    else
        how.n_parts = 3;
    mplan_status status = mplan_mesh_partition(b->mesh, &how, &one, &partition, err);
    mplan_partition_free(partition);
    return status;
}

/* Cut, rings and the plan of a part. */
static mplan_status run_rings(bench *b, mplan_error *err)
{
    static const mplan_arg args[] = {
        {.dat = "q", .map = "faces_cells", .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64},
        {.dat = "res", .map = "faces_cells", .access = MPLAN_INC, .dim = 1, .type = MPLAN_TYPE_F64}};
    static const mplan_loop loop = {
        .name = "flux", .over = "faces", .primary = true, .calls = 1, .n_args = 2, .args = args};
    mplan_parts *parts = NULL;
    mplan_plan *plan = NULL;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    options.rings = 2;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_ATOMIC;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    how.n_parts = 3;
    mplan_status status = mplan_parts_create(b->mesh, 1, &loop, &options, &how, &one, &parts, err);
    if (!status)
        status = mplan_parts_plan(parts, 1, &one, &plan, err);
    mplan_plan_free(plan);
    mplan_parts_free(parts);
    return status;
}

static void meshes_are_made(void **state)
{
    (void)state;
    static const mplan_shape shapes[] = {MPLAN_SHAPE_QUAD,     MPLAN_SHAPE_TRI,
                                         MPLAN_SHAPE_HEX,      MPLAN_SHAPE_TET,
                                         MPLAN_SHAPE_NACA0012, MPLAN_SHAPE_BOUNDARY_LAYER,
                                         MPLAN_SHAPE_WING,     MPLAN_SHAPE_SPHERE};
    for (int s = 0; s < 8; s++) {
        const call generate = {"generate", NULL, run_generate, &shapes[s], PLAIN};
        const call refine = {"refine", prepare_generated, run_refine, &shapes[s], PLAIN};
        run_call(&generate);
        if (shapes[s] != MPLAN_SHAPE_NACA0012) /* whose edges are cut */
            run_call(&refine);
    }
    static const call groups = {"refine groups", prepare_groups, run_refine, NULL, PLAIN};
    static const call renumber = {"renumber", prepare_groups, run_renumber, NULL, PLAIN};
    static const call cells = {"renumber cells", prepare_groups, run_renumber_cells, NULL, PLAIN};
    static const call rings = {"rings", prepare_groups, run_rings, NULL, MAY_GROW};
    run_call(&groups);
    run_call(&renumber);
    run_call(&rings);
    run_call(&cells);
    static const mplan_partitioner partitioners[] = {MPLAN_PARTITIONER_HILBERT,
                                                     MPLAN_PARTITIONER_NATIVE};
    for (int p = 0; p < 2; p++) {
        const call partition = {"partition", prepare_groups, run_partition, &partitioners[p], PLAIN};
        run_call(&partition);
    }
}

/* --- files of meshes ---------------------------------------------------------------------- */

static void prepare_solid(bench *b)
{
    mplan_generate_options options = small_mesh(MPLAN_SHAPE_HEX);
    assert_int_equal(mplan_mesh_generate(&options, &one, &b->mesh, NULL), MPLAN_OK);
    assert_int_equal(mplan_mesh_add_group(b->mesh, "part", 3, 3, mplan_mesh_find_set(b->mesh, "cells"),
                                          2, group_members, NULL),
                     MPLAN_OK);
}

static mplan_status run_read(bench *b, mplan_error *err)
{
    return mplan_mesh_read(b->data, NULL, &one, &b->new_mesh, err);
}

static mplan_status run_write(bench *b, mplan_error *err)
{
    const char *path = bench_path(b->data);
    mplan_status status = mplan_mesh_write(b->mesh, path, NULL, NULL, &one, err);
    if (status == MPLAN_OK && unlink(path)) { /* a folder */
        char command[160];
        snprintf(command, sizeof command, "rm -r '%s'", path);
        assert_int_equal(system(command), 0);
    }
    return status;
}

static void prepare_airfoil(bench *b)
{
    mplan_generate_options options = small_mesh(MPLAN_SHAPE_NACA0012);
    assert_int_equal(mplan_mesh_generate(&options, &one, &b->mesh, NULL), MPLAN_OK);
}

/* Tables of one map only, as .npy and text hold them. */
static void prepare_table(bench *b)
{
    static const int32_t values[] = {0, 1, 1, 2, 2, -1};
    int32_t from, to;
    prepare_empty(b);
    assert_int_equal(mplan_mesh_add_set(b->mesh, "edges", 3, &from, NULL), MPLAN_OK);
    assert_int_equal(mplan_mesh_add_set(b->mesh, "cells", 3, &to, NULL), MPLAN_OK);
    assert_int_equal(mplan_mesh_add_map(b->mesh, "edges_cells", from, to, 2, NULL, values, NULL, NULL),
                     MPLAN_OK);
}

static mplan_status run_read_table(bench *b, mplan_error *err)
{
    mplan_table_options options = MPLAN_TABLE_OPTIONS_INIT;
    options.name = "pairs";
    options.from = "rows";
    options.to = "cells";
    return mplan_mesh_read_table(b->mesh, b->data, &options, &one, err);
}

static mplan_status run_read_coordinates(bench *b, mplan_error *err)
{
    return mplan_mesh_read_coordinates(b->mesh, b->data, mplan_mesh_find_set(b->mesh, "cells"),
                                       &one, err);
}

static mplan_status run_read_layers(bench *b, mplan_error *err)
{
    return mplan_mesh_read_layers(b->mesh, b->data, mplan_mesh_find_set(b->mesh, "cells"), 0, &one,
                                  err);
}

static void meshes_are_written_and_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*prepare)(bench *b);
    } files[] = {{"mesh.msh", prepare_derived},       {"grid.dat", prepare_airfoil},
                 {"mesh.su2", prepare_derived},       {"mesh.graph", prepare_derived},
                 {"mesh.lb8.ugrid", prepare_derived}, {"mesh.mesh", prepare_derived},
                 {"mesh.meshb", prepare_derived},     {"tables.npz", prepare_airfoil},
                 {"edges_cells.npy", prepare_table},  {"edges_cells.txt", prepare_table}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        mplan_error err;
        bench b;
        const call write = {files[i].name, files[i].prepare, run_write, files[i].name, PLAIN};
        run_call(&write);
        snprintf(path, sizeof path, "%s", bench_path(files[i].name));
        bench_open(&b, &write);
        assert_done(mplan_mesh_write(b.mesh, path, NULL, NULL, &one, &err), &err);
        bench_close(&b);
        const call read = {files[i].name, NULL, run_read, path, PLAIN};
        run_call(&read);
        unlink(path);
    }
    char table[128], places[128], layers[128];
    snprintf(table, sizeof table, "%s", bench_path("pairs.txt"));
    snprintf(places, sizeof places, "%s", bench_path("xyz.txt"));
    write_text(table, "0 1\n2 3\n-1 1\n");
    snprintf(layers, sizeof layers, "%s", bench_path("layers.txt"));
    write_text(layers, "2\n5\n0\n7\n");
    write_text(places, "0 1\n2 3.5\n4 5\n1e3 0\n");
    const call calls[] = {
        {"read_table", prepare_groups, run_read_table, table, PLAIN},
        {"read a table", NULL, run_read, table, PLAIN},
        {"read_coordinates", prepare_groups, run_read_coordinates, places, PLAIN},
        {"read_layers", prepare_groups, run_read_layers, layers, PLAIN},
        {"write vtu", prepare_groups, run_write, "mesh.vtu", PLAIN},
        {"write vtk", prepare_groups, run_write, "mesh.vtk", PLAIN},
        {"write exodus", prepare_groups, run_write, "mesh.exo", PLAIN},
        {"write ugrid", prepare_groups, run_write, "mesh.nc", PLAIN},
        {"write foam", prepare_solid, run_write, "polyMesh", PLAIN},
        {"write vtu with rows", prepare_airfoil, run_write, "grid.vtu", PLAIN},
    };
    RUN_CALLS(calls);
    unlink(table);
    unlink(places);
    unlink(layers);
}

/* --- jobs --------------------------------------------------------------------------------- */

static mplan_status run_job_read(bench *b, mplan_error *err)
{
    return mplan_job_read(b->data, NULL, &b->new_job, err);
}

static void prepare_job(bench *b)
{
    mplan_error err;
    assert_done(mplan_job_read(b->data, NULL, &b->job, &err), &err);
}

static mplan_status run_job_load(bench *b, mplan_error *err)
{
    return mplan_job_load_mesh(b->job, &one, &b->new_mesh, err);
}

static void jobs_are_read(void **state)
{
    (void)state;
    char job[128], table[128], places[128], mesh_job[128];
    if (!support_has("libyaml"))
        skip();
    snprintf(job, sizeof job, "%s", bench_path("job.yaml"));
    snprintf(mesh_job, sizeof mesh_job, "%s", bench_path("mesh.yaml"));
    snprintf(table, sizeof table, "%s", bench_path("ec.txt"));
    snprintf(places, sizeof places, "%s", bench_path("xyz.txt"));
    write_text(table, "1 2\n2 3\n3 0\n");
    write_text(places, "0 0\n1 0\n0 1\n");
    write_text(job,
               "meshplan: 1\n"
               "sets: {edges: 3, cells: 3}\n"
               "maps: [{name: edges_cells, from: edges, to: cells, file: ec.txt, base: 1, "
               "none: 0}]\n"
               "coordinates: [{set: cells, file: xyz.txt}]\n"
               "loops:\n"
               "  - {name: flux, over: edges, primary: true, args: [{dat: r, map: edges_cells, "
               "access: inc, dim: 4, type: f64, none: skip}]}\n"
               "  - {name: update, over: cells, args: [{dat: q, access: rw, dim: 1, type: f32}]}\n"
               "plan: {block_size: 4, strategy: [atomic, two-step]}\n"
               "output: out.mplan\n");
    write_text(mesh_job, "meshplan: 1\nmesh: ec.txt\nloops: [{name: l, over: ec, args: []}]\n");
    const call calls[] = {
        {"job_read", NULL, run_job_read, job, PLAIN},
        {"job_load_mesh", prepare_job, run_job_load, job, PLAIN},
        {"job_read of a mesh", NULL, run_job_read, mesh_job, PLAIN},
        {"job_load_mesh of a file", prepare_job, run_job_load, mesh_job, MAY_REFUSE},
    };
    RUN_CALLS(calls);
    unlink(job);
    unlink(mesh_job);
    unlink(table);
    unlink(places);
}

/* --- the fixtures: good, bad and unsupported files of every format ------------------------ */

static mplan_status run_read_plan_file(bench *b, mplan_error *err)
{
    return mplan_plan_read(b->data, &one, &b->new_plan, err);
}

/* flags: FORKS where a program of libexec is started, ALIKE where it reads all. Of what it refuses, only a share is read then: only its
 * sentence comes back, and its allocations do not fail. */
static void read_fixtures(const char *kind, mplan_status (*run)(bench *, mplan_error *), int flags)
{
    char path[512];
    bool whole_build = support_has("zlib") && support_has("libyaml") && support_has("netcdf") &&
                       support_has("expat") && support_has("liblzma") && support_has("liblz4") &&
                       support_has("cgns") && support_has("hdf5");
    snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, kind);
    DIR *files = opendir(path);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        snprintf(path, sizeof path, "%s/%s/%s", MPLAN_TEST_DATA, kind, entry->d_name);
        bool good = strncmp(entry->d_name, "good-", 5) == 0 && whole_build;
        const call read = {entry->d_name, NULL, run, path, flags | (good ? PLAIN : MAY_REFUSE)};
        bool skipped = flags & ALIKE && strncmp(entry->d_name, "good-", 5) != 0 &&
                       (strlen(entry->d_name) + (size_t)support_first(4)) % 4 != 0;
        if (entry->d_name[0] != '.' && !skipped)
            run_call(&read);
    }
    if (files)
        closedir(files);
}

static void fixtures_are_read(void **state)
{
    (void)state;
    static const char *const meshes[] = {
        "gmsh", "su2",     "op2",   "npy",    "text",    "foreign", "gzip",
        "vtk",  "vtu",     "metis", "scotch", "mtx",     "npz",     "medit",
        "stl",  "ply",     "obj",   "foam",   "aflr3",   "fluent",  "abaqus",
        "unv",  "nastran", "mfem",  "netgen", "libmesh", "elmer",   "fesom"};
    static const char *const foreign[] = {"ugrid",      "exodus", "mpas",     "icon",
                                          "fesom_diag", "cgns",   "op2-hdf5", "fluent-hdf5",
                                          "med",        "vtkhdf", "dmplex"};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        read_fixtures(meshes[i], run_read, PLAIN);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        read_fixtures(foreign[i], run_read, FORKS | ALIKE);
    read_fixtures("xdmf", run_read, FORKS); /* which asks a program for arrays only */
    read_fixtures("planfile", run_read_plan_file, PLAIN);
    read_fixtures("job", run_job_read, PLAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_built),
        cmocka_unit_test(meshes_are_made),
        cmocka_unit_test(meshes_are_written_and_read),
        cmocka_unit_test(jobs_are_read),
        cmocka_unit_test(fixtures_are_read),
    };
    return cmocka_run_group_tests(tests, bench_make_folder, bench_remove_folder);
}
