/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory_plans.c - calls about plans with their k-th allocation failing (support_bench.h) */
#include <dirent.h>
#include <unistd.h>

#include "support_bench.h"
#include "support_memory.h"
#include "support_planfile.h"
#include "support_request.h"

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

/* A ring of cells that name the eight nearest, with coordinates that mislead, as they are and stretched. */
enum { RING = 300 };
static void prepare_ring(bench *b)
{
    static int32_t near[8 * RING];
    static double xy[2 * RING];
    mplan_error err;
    int32_t cells;
    for (int32_t c = 0; c < RING; c++) {
        for (int32_t k = 0; k < 8; k++)
            near[8 * c + k] = (c + RING + (k < 4 ? k - 4 : k - 3)) % RING;
        xy[2 * c] = c * 97 % RING;
        xy[2 * c + 1] = c * 31 % RING;
    }
    assert_done(mplan_mesh_create(&b->mesh, &err), &err);
    assert_done(mplan_mesh_add_set(b->mesh, "cells", RING, &cells, &err), &err);
    assert_done(mplan_mesh_add_map(b->mesh, "near", cells, cells, 8, NULL, near, NULL, &err), &err);
    assert_done(mplan_mesh_set_coordinates(b->mesh, cells, 2, xy, &err), &err);
}

static mplan_status run_plan_of_ring(bench *b, mplan_error *err)
{
    static const mplan_arg args[] = {{"x", "near", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                                     {"y", NULL, MPLAN_WRITE, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    static const mplan_loop loop = {"average", "cells", true, 1, 0, 2, args};
    mplan_status status = mplan_plan_create(b->mesh, 1, &loop, NULL, &one, &b->new_plan, err);
    if (!status)
        assert_int_equal(mplan_plan_get_set(b->new_plan, 0)->renumber, MPLAN_RENUMBER_AGGLOMERATE);
    return status;
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
    const call ring = {"plan_create of a ring", prepare_ring, run_plan_of_ring, NULL, MAY_GROW};
    run_call(&create);
    run_call(&forecast);
    run_call(&ring);
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
    const char *path = bench_path("new.mplan");
    mplan_status status = write_plan(b, path, err);
    if (status == MPLAN_OK)
        unlink(path);
    return status;
}

/* Over a file that is there, which must stay whole. */
static mplan_status run_write_over(bench *b, mplan_error *err)
{
    const char *path = bench_path("old.mplan");
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
    write_text(bench_path("old.mplan"), "an old plan");
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
    return mplan_plan_read(bench_path("old.mplan"), &one, &b->new_plan, err);
}

static void prepare_plan_file(bench *b)
{
    mplan_error err;
    prepare_plan(b);
    assert_done(write_plan(b, bench_path("old.mplan"), &err), &err);
}

static void plans_are_written_and_read(void **state)
{
    (void)state;
    for (int compress = 0; compress <= (int)support_has("zlib"); compress++) {
        const request wanted = {MPLAN_PARTITIONER_NONE, MPLAN_RENUMBER_RCM, false, compress, false};
        const call calls[] = {
            {"plan_write", prepare_plan, run_write_plan, &wanted, KEEPS},
            {"plan_write over an old one", prepare_old_file, run_write_over, &wanted, PLAIN},
            {"plan_read", prepare_plan_file, run_read_plan, &wanted, KEEPS},
            {"plan_read_borrowed", prepare_bytes, run_read_borrowed, &wanted, KEEPS},
        };
        RUN_CALLS(calls);
        unlink(bench_path("old.mplan"));
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
            status = mplan_plan_variant_bounds(b->plan, l, v, &bounds, NULL, err);
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
    FILE *file = fopen(bench_path("in.npy"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, 132, file), 132);
    fclose(file);
}

static mplan_status run_apply(bench *b, mplan_error *err)
{
    const char *in = bench_path("in.npy"), *out = bench_path("out.npy");
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
    const char *path = bench_path("part");
    mplan_status status = mplan_plan_export_part(b->plan, path, &one, err);
    if (status == MPLAN_OK)
        unlink(path);
    return status;
}

/* Arrays that were whole may stay; the index that lists them must not be there. */
static mplan_status run_export_npy(bench *b, mplan_error *err)
{
    char path[128], file[512];
    snprintf(path, sizeof path, "%s", bench_path("arrays"));
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
    const char *path = bench_path("view.vtu");
    mplan_drawn drawn;
    mplan_status status = mplan_plan_export_vtu(b->plan, b->mesh, path, NULL, &one, &drawn, err);
    if (status == MPLAN_OK)
        unlink(path);
    return status;
}

/* A folder, and a netCDF file. */
static mplan_status run_export_psyclone(bench *b, mplan_error *err)
{
    const char *path = bench_path("maps.nc");
    mplan_status status = mplan_plan_export_psyclone(b->plan, path, NULL, &one, err);
    if (status == MPLAN_OK)
        unlink(path);
    return status;
}

static mplan_status run_report(bench *b, mplan_error *err)
{
    const char *path = bench_path("page.html");
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
        {"verify", prepare_plan, run_verify_alone, &whole, KEEPS},
        {"verify with a mesh", prepare_plan, run_verify, &whole, KEEPS},
        {"verify with a fresh mesh", prepare_plan_and_fresh_mesh, run_verify, &whole, MAY_GROW},
        {"verify a split", prepare_plan_and_fresh_mesh, run_verify, &split, MAY_GROW},
        {"bounds", prepare_plan, run_bounds, &whole, KEEPS},
        {"compare", prepare_two_plans, run_compare, &whole, PLAIN},
        {"export_part", prepare_plan, run_export_part, &whole, KEEPS},
        {"export_npy", prepare_plan, run_export_npy, &split, KEEPS},
        {"export_vtu", prepare_plan, run_export_vtu, &whole, MAY_GROW},
        {"export_vtu of a split", prepare_plan_and_fresh_mesh, run_export_vtu, &split, MAY_GROW},
        {"export_psyclone", prepare_plan, run_export_psyclone, &whole, KEEPS},
        {"report", prepare_plan, run_report, &whole, MAY_GROW},
        {"report of a split", prepare_plan_and_fresh_mesh, run_report, &split, MAY_GROW},
        {"apply", prepare_dats, run_apply, &whole, KEEPS},
    };
    RUN_CALLS(calls);
    unlink(bench_path("in.npy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_created),
        cmocka_unit_test(plans_are_written_and_read),
        cmocka_unit_test(plans_are_looked_at),
    };
    return cmocka_run_group_tests(tests, bench_make_folder, bench_remove_folder);
}
