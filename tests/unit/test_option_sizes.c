/* SPDX-License-Identifier: Apache-2.0 */
/* test_option_sizes.c - option structs and contexts of callers with an older or a newer header
 *
 * Every public function that takes options or a context has a row, which tests/package/bad_arguments.py
 * demands: what an older caller's struct lacks has its INIT value, what a newer one's holds beyond
 * the known bytes is refused unless it is zero, and a size that was never set is refused. */
#include "support_folder.h"
#include "support_test.h"

#include <unistd.h>

#include "apps/apps.h"

enum { ROOM = 8192, FIRST = sizeof(size_t) };

static mplan_error err;
static char folder[] = "/tmp/meshplan-sizes-XXXXXX";

/* What the calls are made with, and what they make, which `drop` frees. */
static struct {
    mplan_mesh *mesh;
    mplan_plan *plan;
    const mplan_app *app;
    mplan_loop *loops;
    int32_t n_loops;
    char out[64], table[64];
    mplan_mesh *made;
    mplan_plan *planned;
    mplan_forecast *forecast;
    mplan_orders *orders;
    mplan_partition *partition;
    mplan_exec *exec;
} all;

static void drop(void)
{
    mplan_mesh_free(all.made);
    mplan_plan_free(all.planned);
    mplan_forecast_free(all.forecast);
    all.forecast = NULL;
    mplan_orders_free(all.orders);
    mplan_partition_free(all.partition);
    mplan_exec_close(all.exec);
    all.made = NULL;
    all.planned = NULL;
    all.orders = NULL;
    all.partition = NULL;
    all.exec = NULL;
}

static int make_all(void **state)
{
    (void)state;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.size[0] = options.size[1] = 4;
    assert_non_null(mkdtemp(folder));
    snprintf(all.out, sizeof all.out, "%s/out", folder);
    snprintf(all.table, sizeof all.table, "%s/rows_points.txt", folder);
    assert_done(mplan_file_write(all.table, "0 1\n1 2\n", 8, NULL, &err), &err);
    assert_done(mplan_mesh_generate(&options, NULL, &all.mesh, &err), &err);
    all.app = mplan_app_find("res_calc");
    assert_done(mplan_app_request(all.app, all.mesh, &all.loops, &all.n_loops, &err), &err);
    assert_done(mplan_plan_create(all.mesh, all.n_loops, all.loops, NULL, NULL, &all.plan, &err),
                &err);
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    mplan_plan_free(all.plan);
    mplan_app_request_free(all.loops, all.n_loops);
    mplan_mesh_free(all.mesh);
    unlink(all.out);
    unlink(all.table);
    rmdir(folder);
    return 0;
}

/* --- options --------------------------------------------------------------------------- */

typedef enum form {
    BARE,
    PLAIN,
    OLDER,
    NEWER_ZERO,
    NEWER_SET,
    NEWER_FAR,
    UNSET,
    CUT,
    WILD,
    N_FORMS
} form;

/* The struct of `size` bytes at `init` as callers of that form have it; NULL for BARE. */
static const void *formed(form how, const void *init, size_t size)
{
    static _Alignas(16) unsigned char bytes[ROOM];
    const size_t told[N_FORMS] = {0,         size, FIRST,    size + 24,      size + 24,
                                  size + 24, 0,    size + 4, (size_t)1 << 40};
    if (how == BARE)
        return NULL;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, init, size);
    if (how == OLDER) /* what lies behind an older struct is not the library's to read */
        memset(bytes + FIRST, 0xff, sizeof bytes - FIRST);
    if (how == NEWER_SET)
        bytes[size] = 1;
    if (how == NEWER_FAR)
        bytes[size + 23] = 1;
    memcpy(bytes, &told[how], sizeof told[how]);
    return bytes;
}

static mplan_status first_status;

static void judge(const char *function, form how, mplan_status status)
{
    static const char *const sentence[N_FORMS] = {[NEWER_SET] = "newer options",
                                                  [NEWER_FAR] = "newer options",
                                                  [UNSET] = "struct_size is not set",
                                                  [CUT] = "struct_size is not set",
                                                  [WILD] = "struct_size is not set"};
    if (how == BARE)
        first_status = status;
    if (!sentence[how] && status != first_status)
        fail_msg("%s, form %d: %s (%s)", function, (int)how, mplan_status_name(status), err.text);
    if (sentence[how] && (status != MPLAN_ERR_ARGUMENT || !strstr(err.text, sentence[how])))
        fail_msg("%s, form %d: %s, '%s'", function, (int)how, mplan_status_name(status), err.text);
    drop();
}

/* The call, which takes `options`, with the struct in every form: it does what it does with NULL, or
 * is refused. */
#define SIZES(function, init_, ...)                                     \
    do {                                                                \
        for (form how = BARE; how < N_FORMS; how++) {                   \
            const void *options = formed(how, &(init_), sizeof(init_)); \
            memset(&err, 0, sizeof err);                                \
            judge(#function, how, function(__VA_ARGS__, &err));         \
        }                                                               \
    } while (0)

static void test_options(void **state)
{
    (void)state;
    static const mplan_generate_options generate = MPLAN_GENERATE_OPTIONS_INIT;
    static const mplan_read_options read = MPLAN_READ_OPTIONS_INIT;
    static const mplan_table_options table = MPLAN_TABLE_OPTIONS_INIT;
    static const mplan_orders_options orders = MPLAN_ORDERS_OPTIONS_INIT;
    static const mplan_partition_options partition = MPLAN_PARTITION_OPTIONS_INIT;
    static const mplan_plan_options plan = MPLAN_PLAN_OPTIONS_INIT;
    static const mplan_write_options write = MPLAN_WRITE_OPTIONS_INIT;
    static const mplan_view_options view = MPLAN_VIEW_OPTIONS_INIT;
    static const mplan_psyclone_options psyclone = MPLAN_PSYCLONE_OPTIONS_INIT;
    static const mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    static const mplan_app_options app = MPLAN_APP_OPTIONS_INIT;
    mplan_app_result result;
    SIZES(mplan_mesh_generate, generate, options, NULL, &all.made);
    SIZES(mplan_mesh_read, read, MPLAN_MESHES "/tri-6x5.msh", options, NULL, &all.made);
    SIZES(mplan_mesh_read_table, table, (mplan_mesh_create(&all.made, NULL), all.made), all.table,
          options, NULL);
    SIZES(mplan_mesh_orders, orders, all.mesh, options, NULL, &all.orders);
    SIZES(mplan_mesh_partition, partition, all.mesh, options, NULL, &all.partition);
    SIZES(mplan_plan_create, plan, all.mesh, all.n_loops, all.loops, options, NULL, &all.planned);
    SIZES(mplan_plan_revisit, plan, all.plan, options, &all.planned);
    SIZES(mplan_plan_forecast, plan, all.mesh, all.n_loops, all.loops, options, NULL, &all.forecast);
    SIZES(mplan_plan_compare_request, plan, all.plan, all.mesh, all.n_loops, all.loops, options,
          NULL);
    static const mplan_parts_options parts_preset = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts_options two = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    SIZES(mplan_parts_create, parts_preset, all.mesh, all.n_loops, all.loops, NULL, options, NULL,
          &parts);
    two.n_parts = 2;
    assert_done(mplan_parts_create(all.mesh, all.n_loops, all.loops, NULL, &two, NULL, &parts, &err),
                &err);
    SIZES(mplan_parts_write, write, parts, all.out, options, NULL, NULL);
    mplan_piece *piece = NULL;
    mplan_parts *none = NULL;
    char scattered[sizeof all.out + 8];
    snprintf(scattered, sizeof scattered, "%s.parts", all.out);
    assert_done(mplan_parts_scatter(parts, scattered, NULL, &err), &err);
    assert_done(mplan_piece_read(scattered, 0, NULL, &piece, &err), &err);
    SIZES(mplan_piece_parts, plan, piece, 0, NULL, options, NULL, &none);
    mplan_piece_free(piece);
    empty_folder(scattered);
    rmdir(scattered);
    mplan_parts_free(parts);
    SIZES(mplan_plan_write, write, all.plan, all.out, options, NULL, NULL);
    SIZES(mplan_plan_export_vtu, view, all.plan, all.mesh, all.out, options, NULL, NULL);
    SIZES(mplan_plan_export_psyclone, psyclone, all.plan, "/dev/null/maps.nc", options, NULL);
    SIZES(mplan_plan_report, view, all.plan, all.mesh, all.out, "t", options, NULL);
    SIZES(mplan_exec_open, exec, all.plan, options, &all.exec);
    mplan_device profile; /* a name without room: nothing is measured */
    char profile_name[32];
    SIZES(mplan_app_device_profile, exec, options, &profile, profile_name, 1);
    SIZES(mplan_app_run, app, all.app, all.mesh, all.plan, options, &result);
    static const mplan_tune_options tuning = MPLAN_TUNE_OPTIONS_INIT;
    const mplan_plan *plans[] = {all.plan};
    mplan_tune *tune = NULL;
    mplan_tune_machine machine;
    mplan_tune_result measured;
    int32_t dropped;
    assert_int_equal(mplan_tune_of_app(all.app, all.mesh, all.loops, 1, &tune, &err), MPLAN_OK);
    SIZES(mplan_tune_describe, exec, options, NULL, &machine);
    SIZES(mplan_tune_measure, tuning, tune, options, NULL, 1, plans, &measured, &dropped);
    SIZES(mplan_tune_measure_apart, tuning, tune, options, NULL, 1, plans, &measured, &dropped);
    mplan_tune_free(tune);
}

/* Structs that others point to are looked at as well. */
static void test_pointed_to(void **state)
{
    (void)state;
    static const mplan_table_options table = MPLAN_TABLE_OPTIONS_INIT;
    static const mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    mplan_read_options read = MPLAN_READ_OPTIONS_INIT;
    mplan_app_options app = MPLAN_APP_OPTIONS_INIT;
    mplan_app_result result;
    for (form how = BARE; how < N_FORMS; how++) {
        read.table = formed(how, &table, sizeof table);
        judge("mplan_mesh_read, table", how,
              mplan_mesh_read(all.table, &read, NULL, &all.made, &err));
    }
    for (form how = BARE; how < N_FORMS; how++) {
        app.exec = formed(how, &exec, sizeof exec);
        judge("mplan_app_run, exec", how,
              mplan_app_run(all.app, all.mesh, all.plan, &app, &result, &err));
    }
}

/* A caller of half the fields: the others have their defaults, whatever follows in memory. */
static void test_half_of_the_fields(void **state)
{
    (void)state;
    mplan_plan_options half = MPLAN_PLAN_OPTIONS_INIT;
    half.block_size = 64;
    half.struct_size = offsetof(mplan_plan_options, n_strategies);
    half.fill = -1;
    half.seed = 77;
    half.device = "none such";
    mplan_plan_options whole = MPLAN_PLAN_OPTIONS_INIT;
    whole.block_size = 64;
    assert_int_equal(half.struct_size % FIRST, 0);
    assert_done(mplan_plan_create(all.mesh, all.n_loops, all.loops, &half, NULL, &all.planned, &err),
                &err);
    assert_done(mplan_plan_compare_request(all.planned, all.mesh, all.n_loops, all.loops, &whole,
                                           NULL, &err),
                &err);
    drop();
}

/* --- contexts -------------------------------------------------------------------------- */

/* The call, which takes `context`, is refused whatever its other arguments are. */
#define CONTEXT(function, ...)                                              \
    do {                                                                    \
        for (form how = NEWER_SET; how < N_FORMS; how++) {                  \
            static const mplan_context init = MPLAN_CONTEXT_INIT;           \
            const mplan_context *context = formed(how, &init, sizeof init); \
            memset(&err, 0, sizeof err);                                    \
            judge(#function, how, function(__VA_ARGS__, &err));             \
        }                                                                   \
    } while (0)

static void test_contexts(void **state)
{
    (void)state;
    mplan_job *job = NULL;
    mplan_batch *batch = NULL;
    CONTEXT(mplan_mesh_derive, NULL, NULL, context);
    CONTEXT(mplan_app_prepare, NULL, NULL, context);
    CONTEXT(mplan_app_apply_dat, NULL, NULL, NULL, NULL, false, context, NULL);
    CONTEXT(mplan_tune_describe, NULL, context, NULL);
    CONTEXT(mplan_tune_measure, NULL, NULL, context, 1, NULL, NULL, NULL);
    CONTEXT(mplan_tune_measure_apart, NULL, NULL, context, 1, NULL, NULL, NULL);
    CONTEXT(mplan_tune_of_object, NULL, NULL, NULL, context, NULL);
    CONTEXT(mplan_mesh_validate, NULL, context);
    CONTEXT(mplan_mesh_generate, NULL, context, NULL);
    CONTEXT(mplan_mesh_refine, NULL, 1, context, NULL);
    CONTEXT(mplan_mesh_read, NULL, NULL, context, NULL);
    CONTEXT(mplan_mesh_read_table, NULL, NULL, NULL, context);
    CONTEXT(mplan_mesh_read_coordinates, NULL, NULL, 0, context);
    CONTEXT(mplan_mesh_read_layers, NULL, NULL, 0, 1, context);
    CONTEXT(mplan_mesh_read_layer_mask, NULL, NULL, 0, context);
    CONTEXT(mplan_mesh_write, NULL, NULL, NULL, NULL, context);
    CONTEXT(mplan_file_write, NULL, NULL, 0, context);
    CONTEXT(mplan_npy_write, NULL, MPLAN_TYPE_F64, 0, 0, NULL, context);
    CONTEXT(mplan_mesh_orders, NULL, NULL, context, NULL);
    CONTEXT(mplan_mesh_reorder, NULL, NULL, context, NULL);
    CONTEXT(mplan_mesh_partition, NULL, NULL, context, NULL);
    CONTEXT(mplan_partition_write, NULL, NULL, context);
    CONTEXT(mplan_partition_draw, NULL, NULL, NULL, context);
    CONTEXT(mplan_partition_write_foam, NULL, NULL, context);
    CONTEXT(mplan_weights_read, NULL, NULL, NULL, NULL, context);
    CONTEXT(mplan_together_read, NULL, NULL, NULL, NULL, context);
    CONTEXT(mplan_shares_read, NULL, NULL, NULL, context);
    CONTEXT(mplan_plan_topology, NULL, NULL, context, NULL);
    CONTEXT(mplan_plan_create, NULL, 0, NULL, NULL, context, NULL);
    CONTEXT(mplan_plan_forecast, NULL, 0, NULL, NULL, context, NULL);
    CONTEXT(mplan_plan_write, NULL, NULL, NULL, context, NULL);
    CONTEXT(mplan_plan_read, NULL, context, NULL);
    CONTEXT(mplan_bundle_open, NULL, context, NULL);
    CONTEXT(mplan_parts_create, NULL, 0, NULL, NULL, NULL, context, NULL);
    CONTEXT(mplan_parts_manifest, NULL, NULL, NULL, context);
    CONTEXT(mplan_parts_plan, NULL, 0, context, NULL);
    CONTEXT(mplan_parts_scatter, NULL, NULL, context);
    CONTEXT(mplan_piece_read, NULL, 0, context, NULL);
    CONTEXT(mplan_piece_parts, NULL, 0, NULL, NULL, context, NULL);
    CONTEXT(mplan_parts_write, NULL, NULL, NULL, context, NULL);
    CONTEXT(mplan_bundle_read_part, NULL, 0, context, NULL);
    CONTEXT(mplan_bundle_split, NULL, NULL, context);
    CONTEXT(mplan_bundle_join, 0, NULL, NULL, context, NULL);
    CONTEXT(mplan_parts_verify, NULL, NULL, 0, context);
    CONTEXT(mplan_parts_apply, NULL, 0, NULL, NULL, false, context);
    CONTEXT(mplan_parts_owners, NULL, 0, NULL, context);
    CONTEXT(mplan_parts_report, NULL, NULL, NULL, NULL, context);
    CONTEXT(mplan_plan_read_borrowed, NULL, 0, NULL, context, NULL);
    CONTEXT(mplan_plan_verify, NULL, NULL, context);
    CONTEXT(mplan_plan_compare_request, NULL, NULL, 0, NULL, NULL, context);
    CONTEXT(mplan_plan_apply, NULL, 0, NULL, NULL, false, context);
    CONTEXT(mplan_plan_variant_bounds, NULL, 0, 0, NULL, context);
    CONTEXT(mplan_plan_export_npy, NULL, NULL, context);
    CONTEXT(mplan_plan_export_part, NULL, NULL, context);
    CONTEXT(mplan_plan_export_psyclone, NULL, NULL, NULL, context);
    CONTEXT(mplan_plan_export_vtu, NULL, NULL, NULL, NULL, context, NULL);
    CONTEXT(mplan_plan_report, NULL, NULL, NULL, NULL, NULL, context);
    CONTEXT(mplan_job_read, NULL, context, &job);
    CONTEXT(mplan_batch_read, NULL, context, &batch);
    CONTEXT(mplan_job_load_mesh, NULL, context, NULL);
}

static bool called;

static void note_warning(void *user, const char *text)
{
    (void)user;
    (void)text;
    called = true;
}

static void note_progress(void *user, const char *stage, int64_t done, int64_t total)
{
    (void)user;
    (void)stage;
    (void)done;
    (void)total;
    called = true;
}

static bool stop(void *user)
{
    (void)user;
    called = true;
    return true;
}

static mplan_status forbid(void *user, const char *path, mplan_error *error)
{
    (void)user;
    (void)path;
    (void)error;
    called = true;
    return MPLAN_ERR_IO;
}

/* Of a context that ends before a member, that member says nothing. */
static void test_short_contexts(void **state)
{
    (void)state;
    mplan_context context = {.warning = note_warning,
                             .progress = note_progress,
                             .cancelled = stop,
                             .max_memory = 1,
                             .max_inflate = 1,
                             .input = forbid,
                             .read_timeout = 1};
    context.threads = 2;
    context.struct_size = offsetof(mplan_context, warning);
    assert_done(mplan_mesh_read(all.table, NULL, &context, &all.made, &err), &err);
    assert_done(mplan_plan_create(all.mesh, all.n_loops, all.loops, NULL, &context, &all.planned,
                                  &err),
                &err);
    assert_done(mplan_plan_write(all.planned, all.out, NULL, &context, NULL, &err), &err);
    assert_done(mplan_plan_verify(all.planned, NULL, &context, &err), &err);
    assert_false(called);
    drop();
    context.struct_size = offsetof(mplan_context, max_inflate);
    assert_refused(mplan_mesh_read(all.table, NULL, &context, &all.made, &err), MPLAN_ERR_MEMORY,
                   &err, "memory");
    context.max_memory = 0;
    assert_refused(mplan_mesh_read(all.table, NULL, &context, &all.made, &err),
                   MPLAN_ERR_INTERRUPTED, &err, "");
    assert_true(called);
    context.cancelled = NULL;
    assert_done(mplan_mesh_read(all.table, NULL, &context, &all.made, &err), &err);
    drop();
    context.struct_size = sizeof context;
    assert_refused(mplan_mesh_read(all.table, NULL, &context, &all.made, &err), MPLAN_ERR_IO, &err,
                   "");
    drop();
}

/* A newer context whose new members are zero is as good as ours. */
static void test_newer_context(void **state)
{
    (void)state;
    static const mplan_context init = MPLAN_CONTEXT_INIT;
    const mplan_context *context = formed(NEWER_ZERO, &init, sizeof init);
    assert_done(mplan_mesh_read(all.table, NULL, context, &all.made, &err), &err);
    assert_done(mplan_plan_create(all.mesh, all.n_loops, all.loops, NULL, context, &all.planned, &err),
                &err);
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_pointed_to),
        cmocka_unit_test(test_half_of_the_fields),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_short_contexts),
        cmocka_unit_test(test_newer_context),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
