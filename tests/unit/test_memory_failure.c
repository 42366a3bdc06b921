/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory_failure.c - every public call again with its k-th allocation failing
 *
 * The program is linked with --wrap, so that the allocations of the static
 * library come here. A call with k = 1, 2, ... must say that memory ran out, leave
 * its results and the files untouched and release what it took, until it needs
 * fewer than k allocations. Twice: only the k-th fails, and it and all behind it.
 * Allocations of other libraries are theirs; those of our own code in a child
 * process count. */
#include <dirent.h>
#include <unistd.h>

#include "support_memory.h"
#include "support_planfile.h"
#include "support_request.h"

/* --- a call and what it works on --------------------------------------------------- */

/* Results that a failed call must leave as they are. */
static mplan_mesh *const no_mesh = (mplan_mesh *)(uintptr_t)16;
static mplan_plan *const no_plan = (mplan_plan *)(uintptr_t)32;
static mplan_job *const no_job = (mplan_job *)(uintptr_t)48;

typedef struct bench {
    const void *data; /* of the call */
    mplan_mesh *mesh; /* worked on; released with the bench */
    mplan_plan *plan;
    mplan_job *job;
    mplan_mesh *new_mesh; /* results */
    mplan_plan *new_plan;
    mplan_job *new_job;
    uint8_t *bytes;
    size_t size;
} bench;

enum {
    PLAIN = 0,
    MAY_GROW = 1,   /* the mesh may hold more after a failure */
    MAY_REFUSE = 2, /* may end with another status */
    FORKS = 4       /* each try starts a child process: one pass is enough */
};

typedef struct call {
    const char *name;
    void (*prepare)(bench *b); /* may be NULL */
    mplan_status (*run)(bench *b, mplan_error *err);
    const void *data;
    int flags;
} call;

static const mplan_context one = {.struct_size = sizeof(mplan_context), .threads = 1};
static char folder[64]; /* in memory where that is possible; removed at the end */

static const char *in_folder(const char *name)
{
    static char path[2][128];
    static int next;
    char *out = path[next++ % 2];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static int32_t count_files(const char *path)
{
    int32_t n = 0;
    DIR *files = opendir(path);
    while (files && readdir(files))
        n++;
    if (files)
        closedir(files);
    return n;
}

static void bench_open(bench *b, const call *c)
{
    memset(b, 0, sizeof *b);
    b->data = c->data;
    b->new_mesh = no_mesh;
    b->new_plan = no_plan;
    b->new_job = no_job;
    if (c->prepare)
        c->prepare(b);
}

static void bench_close(bench *b)
{
    if (b->new_plan != no_plan)
        mplan_plan_free(b->new_plan);
    if (b->new_mesh != no_mesh)
        mplan_mesh_free(b->new_mesh);
    if (b->new_job != no_job)
        mplan_job_free(b->new_job);
    mplan_plan_free(b->plan);
    mplan_mesh_free(b->mesh);
    mplan_job_free(b->job);
    free(b->bytes);
}

static void check_failure(const call *c, const bench *b, int64_t k, const int32_t *before,
                          mplan_status status, const mplan_error *err)
{
    if (status != MPLAN_ERR_MEMORY && !(c->flags & MAY_REFUSE))
        fail_msg("%s, allocation %d: status '%s' (%s)", c->name, (int)k, mplan_status_name(status),
                 err ? err->text : "");
    if (err && (err->status != status || !*err->text))
        fail_msg("%s, allocation %d: no sentence", c->name, (int)k);
    if (b->new_mesh != no_mesh || b->new_plan != no_plan || b->new_job != no_job)
        fail_msg("%s, allocation %d: a result was written", c->name, (int)k);
    if (count_files(folder) != before[3])
        fail_msg("%s, allocation %d: a file was left", c->name, (int)k);
    if (b->mesh && !(c->flags & MAY_GROW) &&
        (mplan_mesh_n_sets(b->mesh) != before[0] || mplan_mesh_n_maps(b->mesh) != before[1] ||
         mplan_mesh_n_groups(b->mesh) != before[2]))
        fail_msg("%s, allocation %d: the mesh is another", c->name, (int)k);
}

/* False when the call needed fewer than k allocations. */
static bool fail_allocation(const call *c, int64_t k, bool persistent, bool with_error)
{
    bench b;
    mplan_error text = {MPLAN_OK, ""}, *err = with_error ? &text : NULL;
    int64_t live = support_memory.live;
    bench_open(&b, c);
    int32_t before[4] = {b.mesh ? mplan_mesh_n_sets(b.mesh) : 0,
                         b.mesh ? mplan_mesh_n_maps(b.mesh) : 0,
                         b.mesh ? mplan_mesh_n_groups(b.mesh) : 0, count_files(folder)};
    support_memory.left = k;
    support_memory.persistent = persistent;
    support_memory.fired = false;
    support_memory.armed = true;
    mplan_status status = c->run(&b, err);
    support_memory.armed = false;
    bool more = support_memory.fired || status == MPLAN_ERR_MEMORY; /* the latter from a child */
    if (status != MPLAN_OK)
        check_failure(c, &b, k, before, status, err);
    bench_close(&b);
    if (support_memory.live != live)
        fail_msg("%s, allocation %d: %d allocations left", c->name, (int)k,
                 (int)(support_memory.live - live));
    return more;
}

static void run_call(const call *c)
{
    for (int pass = 0; pass < (c->flags & FORKS ? 1 : 2); pass++) {
        int64_t k = 1;
        while (fail_allocation(c, k, pass == 1, pass == 0))
            if (++k > 20000)
                fail_msg("%s never ends", c->name);
    }
}

static void run_calls(const call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++)
        run_call(&calls[i]);
}

#define RUN_CALLS(calls_) run_calls((calls_), sizeof(calls_) / sizeof *(calls_))

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

static mplan_generate_options small_mesh(mplan_shape shape)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    bool solid = shape == MPLAN_SHAPE_HEX || shape == MPLAN_SHAPE_TET || shape == MPLAN_SHAPE_WING;
    bool round_body = shape > MPLAN_SHAPE_NACA0012;
    options.shape = shape;
    options.size[0] = shape == MPLAN_SHAPE_NACA0012               ? 6
                      : round_body && shape != MPLAN_SHAPE_SPHERE ? 8
                                                                  : 2;
    options.size[1] = 2;
    options.size[2] = solid ? 2 : 0;
    options.jitter = shape == MPLAN_SHAPE_NACA0012 || round_body ? 0 : 0.2;
    options.shuffle = shape != MPLAN_SHAPE_NACA0012;
    if (round_body)
        options.cells = MPLAN_LAYER_CELLS_HYBRID;
    return options;
}

static void prepare_generated(bench *b)
{
    mplan_generate_options options = small_mesh(*(const mplan_shape *)b->data);
    assert_int_equal(mplan_mesh_generate(&options, &one, &b->mesh, NULL), MPLAN_OK);
}

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
    run_call(&groups);
    run_call(&renumber);
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
    const char *path = in_folder(b->data);
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

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
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
        snprintf(path, sizeof path, "%s", in_folder(files[i].name));
        bench_open(&b, &write);
        assert_done(mplan_mesh_write(b.mesh, path, NULL, NULL, &one, &err), &err);
        bench_close(&b);
        const call read = {files[i].name, NULL, run_read, path, PLAIN};
        run_call(&read);
        unlink(path);
    }
    char table[128], places[128];
    snprintf(table, sizeof table, "%s", in_folder("pairs.txt"));
    snprintf(places, sizeof places, "%s", in_folder("xyz.txt"));
    write_text(table, "0 1\n2 3\n-1 1\n");
    write_text(places, "0 1\n2 3.5\n4 5\n1e3 0\n");
    const call calls[] = {
        {"read_table", prepare_groups, run_read_table, table, PLAIN},
        {"read a table", NULL, run_read, table, PLAIN},
        {"read_coordinates", prepare_groups, run_read_coordinates, places, PLAIN},
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
}

/* --- plans ----------------------------------------------------------------------------------- */

static const mplan_arg inner_args[] = {
    {"res", "cells_faces", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_SPLIT},
    {"x", "cells_nodes", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
static const mplan_arg outer_args[] = {
    {"res", "cells_boundary_faces", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
static const mplan_arg flux_args[] = {
    {"res", "faces_cells", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_SKIP},
    {"x", "faces_nodes", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
static const mplan_arg node_args[] = {
    {"vol", "cells_nodes", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
static const mplan_arg edge_args[] = {
    {"res", "edges_cells", MPLAN_INC, 2, MPLAN_TYPE_F64, MPLAN_NONE_SKIP}};
static const mplan_loop split_loops[] = {{"inner", "cells", false, 1, 0, 2, inner_args},
                                         {"outer", "cells_boundary", false, 1, 0, 1, outer_args}};
static const mplan_loop whole_loops[] = {{"flux", "faces", true, 1, 0, 2, flux_args},
                                         {"volumes", "cells", false, 1, 0, 1, node_args},
                                         {"again", "cells", false, 1, 0, 1, node_args},
                                         {"edges", "edges", false, 1, 0, 1, edge_args},
                                         {"direct", "nodes", false, 1, 0, 0, NULL}};

/* What is asked of a plan. */
typedef struct request {
    mplan_partitioner partitioner;
    mplan_renumber renumber;
    bool split;
    bool compress; /* of its file */
    bool forks;    /* runs other libraries in child processes, for one loop */
} request;

static void prepare_plan_mesh(bench *b)
{
    static const mplan_shape quad = MPLAN_SHAPE_QUAD;
    const void *data = b->data;
    b->data = &quad;
    prepare_generated(b);
    b->data = data;
}

static mplan_status create_plan(const request *wanted, mplan_mesh *mesh, mplan_plan **plan,
                                mplan_error *err)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 3;
    /* block-gather and owner-gather do not serve loops that gather nothing */
    options.n_strategies = wanted->forks ? MPLAN_N_STRATEGIES : MPLAN_STRATEGY_ATOMIC + 1;
    for (int s = 0; s < options.n_strategies; s++)
        options.strategies[s] = (mplan_strategy)s;
    options.partitioner = wanted->partitioner;
    options.renumber = wanted->renumber;
    int32_t n_loops = wanted->forks ? 1 : wanted->split ? 2 : 5;
    return mplan_plan_create(mesh, n_loops, wanted->split ? split_loops : whole_loops, &options,
                             &one, plan, err);
}

static void prepare_plan(bench *b)
{
    mplan_error err;
    prepare_plan_mesh(b);
    assert_done(create_plan(b->data, b->mesh, &b->plan, &err), &err);
}

/* The plan beside a mesh that nothing has been derived in. */
static void prepare_plan_and_fresh_mesh(bench *b)
{
    prepare_plan(b);
    mplan_mesh_free(b->mesh);
    prepare_plan_mesh(b);
}

static mplan_status run_plan(bench *b, mplan_error *err)
{
    return create_plan(b->data, b->mesh, &b->new_plan, err);
}

static const mplan_arg volume_args[] = {
    {"vol", "cells_nodes", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
static const mplan_loop volumes = {"volumes", "cells", true, 1, 0, 1, volume_args};

/* Choices and estimates, but no plan. */
static mplan_status run_forecast(bench *b, mplan_error *err)
{
    mplan_forecast *forecast = NULL;
    mplan_status status = mplan_plan_forecast(b->mesh, 1, &volumes, NULL, &one, &forecast, err);
    if (status)
        assert_null(forecast);
    mplan_forecast_free(forecast);
    return status;
}

/* Rows of four points where many elements meet: blocks keep lists of their points. */
static mplan_status run_plan_of_tets(bench *b, mplan_error *err)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.block_size = 9;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_BLOCK_COLOUR;
    options.partitioner = MPLAN_PARTITIONER_NATIVE;
    return mplan_plan_create(b->mesh, 1, &volumes, &options, &one, &b->new_plan, err);
}

static void plans_are_created(void **state)
{
    (void)state;
    static const request requests[] = {
        {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_RCM, false, false, false},
        {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_NONE, true, false, false},
        {MPLAN_PARTITIONER_HILBERT, MPLAN_RENUMBER_HILBERT, false, false, false},
        {MPLAN_PARTITIONER_NATIVE, MPLAN_RENUMBER_RCM, false, false, false},
        {MPLAN_PARTITIONER_NATIVE, MPLAN_RENUMBER_NONE, true, false, false},
        {MPLAN_PARTITIONER_METIS, MPLAN_RENUMBER_AUTO, false, false, true},
        {MPLAN_PARTITIONER_SCOTCH, MPLAN_RENUMBER_NONE, true, false, true},
        {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_SCOTCH_GPS, true, false, true},
        {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_GPS, true, false, false},
        {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_SLOAN, true, false, false},
        {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_AGGLOMERATE, true, false, false},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const request *r = &requests[i];
        const call create = {"plan_create", prepare_plan_mesh, run_plan, r,
                             MAY_GROW | (r->forks ? FORKS : 0)};
        if ((r->partitioner == MPLAN_PARTITIONER_METIS && !support_has("metis")) ||
            ((r->partitioner == MPLAN_PARTITIONER_SCOTCH || r->renumber == MPLAN_RENUMBER_SCOTCH_GPS) &&
             !support_has("scotch")))
            continue;
        run_call(&create);
    }
    static const mplan_shape tets = MPLAN_SHAPE_TET;
    const call create = {"plan_create of tets", prepare_generated, run_plan_of_tets, &tets, MAY_GROW};
    const call forecast = {"plan_forecast", prepare_generated, run_forecast, &tets, MAY_GROW};
    run_call(&create);
    run_call(&forecast);
}

/* --- files of plans ------------------------------------------------------------------------- */

static mplan_status write_plan(const bench *b, const char *path, mplan_error *err)
{
    mplan_write_options options = MPLAN_WRITE_OPTIONS_INIT;
    options.compress = ((const request *)b->data)->compress;
    return mplan_plan_write(b->plan, path, &options, &one, NULL, err);
}

static mplan_status run_write_plan(bench *b, mplan_error *err)
{
    const char *path = in_folder("new.mplan");
    mplan_status status = write_plan(b, path, err);
    if (status == MPLAN_OK)
        unlink(path);
    return status;
}

/* Over a file that is there, which must stay whole. */
static mplan_status run_write_over(bench *b, mplan_error *err)
{
    const char *path = in_folder("old.mplan");
    mplan_status status = write_plan(b, path, err);
    if (status != MPLAN_OK) {
        char text[16] = "";
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(text, sizeof text, file));
        fclose(file);
        assert_string_equal(text, "an old plan");
    }
    return status;
}

static void prepare_old_file(bench *b)
{
    prepare_plan(b);
    write_text(in_folder("old.mplan"), "an old plan");
}

static void prepare_bytes(bench *b)
{
    prepare_plan(b);
    b->bytes = support_file_bytes(b->plan, ((const request *)b->data)->compress, 1, &b->size);
}

static mplan_status run_read_borrowed(bench *b, mplan_error *err)
{
    return mplan_plan_read_borrowed(b->bytes, b->size, "bytes", &one, &b->new_plan, err);
}

static mplan_status run_read_plan(bench *b, mplan_error *err)
{
    return mplan_plan_read(in_folder("old.mplan"), &one, &b->new_plan, err);
}

static void prepare_plan_file(bench *b)
{
    mplan_error err;
    prepare_plan(b);
    assert_done(write_plan(b, in_folder("old.mplan"), &err), &err);
}

static void plans_are_written_and_read(void **state)
{
    (void)state;
    for (int compress = 0; compress <= (int)support_has("zlib"); compress++) {
        const request wanted = {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_RCM, false, compress, false};
        const call calls[] = {
            {"plan_write", prepare_plan, run_write_plan, &wanted, PLAIN},
            {"plan_write over an old one", prepare_old_file, run_write_over, &wanted, PLAIN},
            {"plan_read", prepare_plan_file, run_read_plan, &wanted, PLAIN},
            {"plan_read_borrowed", prepare_bytes, run_read_borrowed, &wanted, PLAIN},
        };
        RUN_CALLS(calls);
        unlink(in_folder("old.mplan"));
    }
}

/* --- what looks at plans ---------------------------------------------------------------- */

static mplan_status run_verify_alone(bench *b, mplan_error *err)
{
    return mplan_plan_verify(b->plan, NULL, &one, err);
}

static mplan_status run_verify(bench *b, mplan_error *err)
{
    return mplan_plan_verify(b->plan, b->mesh, &one, err);
}

/* Of every variant and metrics record. */
static mplan_status run_bounds(bench *b, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < mplan_plan_n_loops(b->plan); l++)
        for (int32_t v = 0; v < mplan_plan_get_loop(b->plan, l)->n_variants && !status; v++) {
            mplan_variant_bounds bounds;
            status = mplan_plan_variant_bounds(b->plan, l, v, &bounds, err);
        }
    for (int32_t i = 0; i < mplan_plan_n_metrics(b->plan) && !status; i++) {
        double reuse;
        const char *tile;
        status = mplan_plan_reuse_bound(b->plan, i, &reuse, &tile, err);
    }
    return status;
}

static void prepare_two_plans(bench *b)
{
    static const request other = {MPLAN_PARTITIONER_HILBERT, MPLAN_RENUMBER_NONE, false, false,
                                  false};
    mplan_error err;
    prepare_plan(b);
    b->new_plan = NULL;
    assert_done(create_plan(&other, b->mesh, &b->new_plan, &err), &err);
}

static void count_line(void *user, const char *text)
{
    (void)text;
    ++*(int *)user;
}

/* Against another plan, which the bench releases, and against itself. */
static mplan_status run_compare(bench *b, mplan_error *err)
{
    int lines = 0;
    mplan_plan *other = b->new_plan;
    b->new_plan = no_plan;
    mplan_status status = mplan_plan_compare(b->plan, other, count_line, &lines, err);
    assert_true(status != MPLAN_OK);
    if (status == MPLAN_ERR_DIFFERENT) {
        assert_true(lines > 0);
        status = mplan_plan_compare(b->plan, b->plan, NULL, NULL, err);
    }
    bool armed = support_memory.armed;
    support_memory.armed = false;
    mplan_plan_free(other);
    support_memory.armed = armed;
    return status;
}

static void prepare_dats(bench *b)
{
    enum { N = 64 };
    static uint8_t bytes[128 + N];
    static const char header[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', "
                                 "'fortran_order': False, 'shape': (4,), }";
    prepare_plan(b);
    memset(bytes, ' ', 128);
    memcpy(bytes, header, sizeof header - 1);
    bytes[127] = '\n';
    FILE *file = fopen(in_folder("in.npy"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, 132, file), 132);
    fclose(file);
}

static mplan_status run_apply(bench *b, mplan_error *err)
{
    const char *in = in_folder("in.npy"), *out = in_folder("out.npy");
    mplan_status status = MPLAN_OK;
    for (int inverse = 0; inverse < 2 && status == MPLAN_OK; inverse++) {
        status = mplan_plan_apply(b->plan, mplan_plan_find_set(b->plan, "cells"), in, out, inverse,
                                  &one, err);
        unlink(out);
    }
    return status;
}

static mplan_status run_export_part(bench *b, mplan_error *err)
{
    const char *path = in_folder("part");
    mplan_status status = mplan_plan_export_part(b->plan, path, &one, err);
    if (status == MPLAN_OK)
        unlink(path);
    return status;
}

/* Arrays that were whole may stay; the index that lists them must not be there. */
static mplan_status run_export_npy(bench *b, mplan_error *err)
{
    char path[128], file[512];
    snprintf(path, sizeof path, "%s", in_folder("arrays"));
    mplan_status status = mplan_plan_export_npy(b->plan, path, &one, err);
    bool armed = support_memory.armed, indexed = false;
    support_memory.armed = false;
    DIR *files = opendir(path);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        indexed = indexed || strcmp(entry->d_name, "index.json") == 0;
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "index.json") != 0 &&
            (length < 4 || strcmp(entry->d_name + length - 4, ".npy") != 0))
            fail_msg("%s was left", file);
        unlink(file);
    }
    if (files)
        closedir(files);
    rmdir(path);
    assert_true(indexed == (status == MPLAN_OK));
    support_memory.armed = armed;
    return status;
}

static mplan_status run_export_vtu(bench *b, mplan_error *err)
{
    const char *path = in_folder("view.vtu");
    mplan_drawn drawn;
    mplan_status status = mplan_plan_export_vtu(b->plan, b->mesh, path, NULL, &one, &drawn, err);
    if (status == MPLAN_OK)
        unlink(path);
    return status;
}

static mplan_status run_report(bench *b, mplan_error *err)
{
    const char *path = in_folder("page.html");
    mplan_status status = mplan_plan_report(b->plan, b->mesh, path, "plan", NULL, &one, err);
    if (status == MPLAN_OK)
        unlink(path);
    return status;
}

static void plans_are_looked_at(void **state)
{
    (void)state;
    static const request whole = {MPLAN_PARTITIONER_HILBERT, MPLAN_RENUMBER_RCM, false, false, false};
    static const request split = {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_RCM, true, false, false};
    static const call calls[] = {
        {"verify", prepare_plan, run_verify_alone, &whole, PLAIN},
        {"verify with a mesh", prepare_plan, run_verify, &whole, PLAIN},
        {"verify with a fresh mesh", prepare_plan_and_fresh_mesh, run_verify, &whole, MAY_GROW},
        {"verify a split", prepare_plan_and_fresh_mesh, run_verify, &split, MAY_GROW},
        {"bounds", prepare_plan, run_bounds, &whole, PLAIN},
        {"compare", prepare_two_plans, run_compare, &whole, PLAIN},
        {"export_part", prepare_plan, run_export_part, &whole, PLAIN},
        {"export_npy", prepare_plan, run_export_npy, &split, PLAIN},
        {"export_vtu", prepare_plan, run_export_vtu, &whole, MAY_GROW},
        {"export_vtu of a split", prepare_plan_and_fresh_mesh, run_export_vtu, &split, MAY_GROW},
        {"report", prepare_plan, run_report, &whole, MAY_GROW},
        {"report of a split", prepare_plan_and_fresh_mesh, run_report, &split, MAY_GROW},
        {"apply", prepare_dats, run_apply, &whole, PLAIN},
    };
    RUN_CALLS(calls);
    unlink(in_folder("in.npy"));
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
    snprintf(job, sizeof job, "%s", in_folder("job.yaml"));
    snprintf(mesh_job, sizeof mesh_job, "%s", in_folder("mesh.yaml"));
    snprintf(table, sizeof table, "%s", in_folder("ec.txt"));
    snprintf(places, sizeof places, "%s", in_folder("xyz.txt"));
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

static void read_fixtures(const char *kind, mplan_status (*run)(bench *, mplan_error *))
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
        const call read = {entry->d_name, NULL, run, path, good ? PLAIN : MAY_REFUSE};
        if (entry->d_name[0] != '.')
            run_call(&read);
    }
    if (files)
        closedir(files);
}

static void fixtures_are_read(void **state)
{
    (void)state;
    static const char *const meshes[] = {
        "gmsh",  "su2",    "op2",    "npy",         "text",  "foreign", "gzip",   "vtk", "vtu",
        "metis", "scotch", "mtx",    "npz",         "ugrid", "exodus",  "medit",  "stl", "ply",
        "obj",   "foam",   "cgns",   "op2-hdf5",    "aflr3", "fluent",  "abaqus", "unv", "nastran",
        "mfem",  "med",    "netgen", "fluent-hdf5", "xdmf",  "libmesh", "elmer"};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        read_fixtures(meshes[i], run_read);
    read_fixtures("planfile", run_read_plan_file);
    read_fixtures("job", run_job_read);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/meshplan-memory-XXXXXX", support_fast_folder());
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_built),
        cmocka_unit_test(meshes_are_made),
        cmocka_unit_test(meshes_are_written_and_read),
        cmocka_unit_test(plans_are_created),
        cmocka_unit_test(plans_are_written_and_read),
        cmocka_unit_test(plans_are_looked_at),
        cmocka_unit_test(jobs_are_read),
        cmocka_unit_test(fixtures_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
