/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_bounds.c - what binding bounds once a plan, not number by number
 *
 * pair32 and loops without pairs, tables longer than a strip, counts of partial sums and
 * threads, orders of sets. */
#include <sys/mman.h>
#include <unistd.h>

#include "support_check.h"
#include "support_exec.h"

/* --- pairs of loops that have none ----------------------------------------------------------- */

#define ENDS_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(low, left, 1, 1, f64, INC)       \
    MAPPED(high, right, 1, 1, f64, INC)
MPLAN_VIEWS(bounds_ends, ENDS_ARGS)
MPLAN_FN void bounds_ends(bounds_ends_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->low[0][0] = 1;
    v->high[0][0] = 2;
}
MPLAN_KERNEL(bounds_ends, ENDS_ARGS, mplan_no_parameters)

/* Says that the entries of a plan are pair32; binding must see that the loop has no pairs. */
static void refuse_pairs(mplan_plan *plan, const mplan_kernel *kernel)
{
    mplan_error err;
    mplan_exec_loop *bound;
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 1);
    assert_int_equal(plan->loops[0].variants[0].encoding, MPLAN_ENCODING_INDEX32);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_bind(exec, kernel->name, 0, kernel, &bound, &err), &err);
    ((mplan_plan_variant *)(uintptr_t)plan->loops[0].variants)[0].encoding = MPLAN_ENCODING_PAIR32;
    assert_refused(mplan_exec_bind(exec, kernel->name, 0, kernel, &bound, &err), MPLAN_ERR_CORRUPT,
                   &err, "owner_row_start is wrong at place 0");
    mplan_exec_close(exec);
    mplan_plan_free(plan);
}

/* Kernels are compiled for pairs where one map of arity 2 is incremented; two maps of arity 1
 * have two columns as well, and one of arity 3 has three. */
static void pairs_need_one_map_of_two_points(void **state)
{
    (void)state;
    uint64_t seed = 33;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    static const int32_t values[6] = {0, 1, 2, 0, 1, 2};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.n_strategies = 1;
    options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    options.encoding = MPLAN_ENCODING_INDEX32;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "bars", 6, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "ends", 3, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "left", 0, 1, 1, NULL, values, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "right", 0, 1, 1, NULL, values, NULL, &err), &err);
    const mplan_arg args[] = {{"low", "left", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"high", "right", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"bounds_ends", "bars", true, 1, 0, 2, args};
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    refuse_pairs(plan, &bounds_ends_host);
    mplan_mesh_free(mesh);
    const support_exec_case *three = support_exec_find("corners-tri");
    mesh = three->make(&seed);
    refuse_pairs(support_exec_plan(three, mesh, &options), three->kernel);
    mplan_mesh_free(mesh);
}

/* --- long tables, limits of a record's counts ---------------------------------------------- */

/* A loop over bars with two ends each. */
static mplan_plan *plan_of_bars(int64_t n, int64_t n_ends, mplan_strategy strategy)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    const mplan_arg args[] = {{"low", "left", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"high", "right", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"bounds_ends", "bars", true, 1, 0, 2, args};
    int32_t *values = malloc((size_t)(n + 1) * sizeof *values);
    for (int64_t i = 0; i < n; i++)
        values[i] = (int32_t)(i % n_ends);
    options.n_strategies = 1;
    options.strategies[0] = strategy;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    options.block_size = 32;
    options.allow_nondeterministic = true;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "bars", n, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "ends", n_ends, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "left", 0, 1, 1, NULL, values, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "right", 0, 1, 1, NULL, values, NULL, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, &options, NULL, &plan, &err), &err);
    mplan_mesh_free(mesh);
    free(values);
    return plan;
}

static mplan_status bind_bars(const mplan_plan *plan, mplan_executor executor, mplan_error *err)
{
    mplan_exec_loop *bound;
    mplan_error other;
    mplan_exec *exec = support_exec_open(plan, executor, executor == MPLAN_EXECUTOR_OPENMP ? 2 : 1);
    assert_done(mplan_exec_declare_all(exec, &other), &other);
    mplan_status status = mplan_exec_bind(exec, "bounds_ends", 0, &bounds_ends_host, &bound, err);
    mplan_exec_close(exec);
    return status;
}

/* Ids are looked at in strips, by threads: the first wrong one is named, wherever it is. */
static void long_tables_name_the_first_wrong_id(void **state)
{
    (void)state;
    static const int64_t places[] = {0, 1, 4094, 4095, 4096, 4097, 8190, 8191, 8192, 8193, 8999};
    mplan_error err;
    char says[80];
    mplan_plan *plan = plan_of_bars(9000, 7, MPLAN_STRATEGY_ATOMIC);
    const mplan_array *map = MAP(MPLAN_KIND_MAP_VALUES, 1);
    for (int e = 0; e < 3; e++) {
        assert_done(bind_bars(plan, (mplan_executor)e, &err), &err);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            const int64_t old = get(map, places[i]), last = get(map, 8999);
            snprintf(says, sizeof says, "values is wrong at place %lld ", (long long)places[i]);
            put(map, places[i], 7);
            assert_refused(bind_bars(plan, (mplan_executor)e, &err), MPLAN_ERR_CORRUPT, &err, says);
            put(map, 8999, -2);
            assert_refused(bind_bars(plan, (mplan_executor)e, &err), MPLAN_ERR_CORRUPT, &err, says);
            put(map, 8999, last);
            put(map, places[i], old);
        }
    }
    mplan_plan_free(plan);
}

/* What is behind the last id is not looked at, wherever strips end. */
static void nothing_behind_a_table_is_read(void **state)
{
    (void)state;
    static const int64_t rows[] = {1, 4094, 4095, 4096, 4097, 8190, 8191, 8192, 8193, 8194};
    mplan_error err;
    mplan_plan *plan = plan_of_bars(9000, 7, MPLAN_STRATEGY_ATOMIC);
    mplan_array *map = MAP(MPLAN_KIND_MAP_VALUES, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t *values = calloc(20000, sizeof *values);
        const mplan_array kept = *map;
        for (int64_t k = rows[i]; k < 20000; k++)
            values[k] = 7;
        map->data = values;
        map->rows = rows[i];
        assert_done(bind_bars(plan, MPLAN_EXECUTOR_SERIAL, &err), &err);
        *map = kept;
        free(values);
    }
    mplan_plan_free(plan);
}

/* Records that end before their header does, and before the memory does. */
static void records_shorter_than_their_header(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = plan_of_bars(10, 3, MPLAN_STRATEGY_BLOCK_GATHER); /* one block */
    mplan_array *records = VARIANT(MPLAN_KIND_BLOCK_RECORDS, 0);
    const mplan_array *at = VARIANT(MPLAN_KIND_BLOCK_RECORD_OFFSETS, 0), kept = *records;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(two != MAP_FAILED && at->rows == 2);
    assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
    static const int64_t sizes[] = {0, 4, 16, 28, 31, 32, 36, 40, 44};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t bytes = sizes[i];
        records->rows = bytes;
        records->data = memcpy(two + page - bytes, kept.data, (size_t)bytes);
        put(at, 1, bytes);
        assert_refused(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), MPLAN_ERR_CORRUPT, &err,
                       "block_records is wrong at place 0 ");
    }
    *records = kept;
    munmap(two, 2 * page);
    mplan_plan_free(plan);
}

/* Rows of a window are numbered within it, also in windows behind the first. */
static void windows_behind_the_first(void **state)
{
    (void)state;
    enum { POINTS = 600, ROWS = 608 };
    mplan_error err;
    uint8_t *points = calloc(ROWS, 1);
    mplan_plan *plan = plan_of_bars(2 * POINTS, POINTS, MPLAN_STRATEGY_OWNER_GATHER);
    mplan_plan_variant *variant = variant_of(plan, 0, 0);
    assert_int_equal(plan->sets[plan->maps[0].to].storage_size, POINTS);
    for (int r = 0; r < POINTS; r++)
        points[r] = (uint8_t)(r % 256);
    plan->sealed = false;
    assert_done(mplan_plan_borrow_array(plan, mplan_key_of_variant(MPLAN_KIND_OWNER_POINTS, 0, 0),
                                        MPLAN_TYPE_U8, ROWS, 1, points, &err),
                &err);
    assert_done(mplan_plan_seal(plan, &err), &err);
    variant->window = 256;
    assert_done(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), &err);
    points[POINTS - 1]++;
    assert_refused(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), MPLAN_ERR_CORRUPT, &err,
                   "owner_points is wrong at place 599 ");
    points[POINTS - 1] -= 2;
    assert_done(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), &err);
    mplan_plan_free(plan);
    free(points);
}

/* Tables of one number, and of none, which may lack data. */
static void short_tables(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = plan_of_bars(1, 1, MPLAN_STRATEGY_ATOMIC);
    put(MAP(MPLAN_KIND_MAP_VALUES, 1), 0, 1);
    assert_refused(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), MPLAN_ERR_CORRUPT, &err,
                   "values is wrong at place 0 ");
    mplan_plan_free(plan);
    plan = plan_of_bars(0, 1, MPLAN_STRATEGY_ATOMIC);
    mplan_array *map = MAP(MPLAN_KIND_MAP_VALUES, 1);
    assert_int_equal(map->rows, 0);
    const void *data = map->data;
    map->data = NULL;
    assert_done(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), &err);
    map->data = data;
    mplan_plan_free(plan);
}

/* How many partial sums there are is the end of their offsets, and fits 31 bits. */
static void partial_sums_at_their_limits(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = plan_of_bars(100, 9, MPLAN_STRATEGY_BLOCK_GATHER);
    mplan_plan_variant *variant = variant_of(plan, 0, 0);
    const int64_t sums = variant->partial_sums;
    char end[64];
    snprintf(end, sizeof end, "partial_offsets is wrong at place %lld ",
             (long long)VARIANT(MPLAN_KIND_PARTIAL_OFFSETS, 0)->rows - 1);
    const struct {
        int64_t value;
        const char *says;
    } cases[] = {{-1, "partial_offsets is wrong at place 0 "},
                 {INT64_MIN, "partial_offsets is wrong at place 0 "},
                 {0, "block_records is wrong at place"},
                 {1, "block_records is wrong at place"},
                 {sums - 1, "block_records is wrong at place"},
                 {sums + 1, end},
                 {INT32_MAX - 1, end},
                 {INT32_MAX, end},
                 {INT64_C(1) << 31, "partial_offsets is wrong at place 0 "},
                 {INT64_MAX, "partial_offsets is wrong at place 0 "}};
    assert_int_equal(variant->sums, MPLAN_SUMS_PARTIAL);
    assert_true(sums > 2 && VARIANT(MPLAN_KIND_PARTIAL_OFFSETS, 0)->rows > 1);
    assert_done(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), &err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        variant->partial_sums = cases[i].value;
        assert_refused(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), MPLAN_ERR_CORRUPT, &err,
                       cases[i].says);
    }
    variant->partial_sums = sums;
    mplan_array *points = VARIANT(MPLAN_KIND_PARTIAL_POINTS, 0);
    points->rows--;
    assert_refused(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), MPLAN_ERR_CORRUPT, &err,
                   "partial_offsets is wrong at place 0 ");
    points->rows++;
    mplan_plan_free(plan);
    plan = plan_of_bars(10, 3, MPLAN_STRATEGY_BLOCK_GATHER); /* one block shares no point */
    assert_int_equal(variant_of(plan, 0, 0)->partial_sums, 0);
    assert_done(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), &err);
    mplan_plan_free(plan);
}

/* Threads of a block and elements of a thread: one is enough, none is wrong. */
static void threads_at_their_limits(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = plan_of_bars(10, 3, MPLAN_STRATEGY_ATOMIC);
    mplan_plan_variant *variant = variant_of(plan, 0, 0);
    for (int32_t threads = -1; threads < 3; threads++)
        for (int32_t elements = -1; elements < 3; elements++) {
            variant->threads = threads;
            variant->elements_per_thread = elements;
            if (threads > 0 && elements > 0)
                assert_done(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), &err);
            else
                assert_refused(bind_bars(plan, MPLAN_EXECUTOR_HOST, &err), MPLAN_ERR_CORRUPT, &err,
                               "threads of");
        }
    mplan_plan_free(plan);
}

/* Dats go in and out by the order of their set, at every limit of it. */
static void orders_at_their_limits(void **state)
{
    (void)state;
    mplan_error err;
    mplan_plan *plan = plan_of_bars(10, 3, MPLAN_STRATEGY_ATOMIC);
    const mplan_array *order = SET(MPLAN_KIND_NEW_OF_OLD, 0);
    const int64_t values[] = {-2, -1, 0, 1, 9, 10, 11, INT32_MAX, INT32_MIN};
    for (int64_t at = 0; at < 10; at++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            const int64_t old = get(order, at);
            mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 1);
            put(order, at, values[i]);
            mplan_status status = mplan_exec_declare(exec, "own", "bars", 1, MPLAN_TYPE_F64, -1,
                                                     &err);
            if (values[i] >= 0 && values[i] < 10)
                assert_done(status, &err);
            else
                assert_refused(status, MPLAN_ERR_CORRUPT, &err, "new_of_old of set bars in the");
            mplan_exec_close(exec);
            put(order, at, old);
        }
    mplan_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_need_one_map_of_two_points),
        cmocka_unit_test(long_tables_name_the_first_wrong_id),
        cmocka_unit_test(nothing_behind_a_table_is_read),
        cmocka_unit_test(records_shorter_than_their_header),
        cmocka_unit_test(windows_behind_the_first),
        cmocka_unit_test(short_tables),
        cmocka_unit_test(partial_sums_at_their_limits),
        cmocka_unit_test(threads_at_their_limits),
        cmocka_unit_test(orders_at_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
