/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_own_data.c - dats in the caller's memory, copies of some rows, how often dats were
 * written, and whether a plan is for a mesh */
#include "support_exec.h"
#include "support_test.h"

#include "exec/exec.h"

enum { DIM = 3, MOST = 8192 };

/* Memory of the caller's, with 16 bytes on either side that must stay. */
typedef struct fenced {
    _Alignas(16) unsigned char before[16];
    unsigned char bytes[MOST];
} fenced;

static int64_t place_of(const mplan_dat_view *view, const int32_t *new_of_old, int64_t member,
                        int32_t c)
{
    return new_of_old[member] * view->member_stride + c * view->component_stride;
}

/* Members are kept, holes become zero, nothing else is touched; loops and copies use the memory. */
static void the_callers_memory_is_used(void **state)
{
    (void)state;
    static fenced own, other;
    uint64_t seed = 12;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
    const int64_t n = mplan_plan_get_set(plan, 0)->size,
                  places = mplan_plan_get_set(plan, 0)->storage_size,
                  bytes = places * DIM * (int64_t)sizeof(float);
    float *rows = malloc((size_t)(n * DIM) * sizeof *rows);
    assert_true(bytes + 64 < MOST);
    for (int layout = 0; layout < MPLAN_N_LAYOUTS; layout++) {
        mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
        const int64_t before = mplan_exec_bytes(exec);
        mplan_dat_view view;
        memset(&own, 0x41, sizeof own);
        assert_done(mplan_exec_adopt(exec, "mine", "a", DIM, MPLAN_TYPE_F32, layout, own.bytes,
                                     bytes, &err),
                    &err);
        assert_true(mplan_exec_bytes(exec) == before);
        assert_done(mplan_exec_data(exec, "mine", MPLAN_READ, &view, &err), &err);
        assert_ptr_equal(view.data, own.bytes);
        const int32_t *new_of_old = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, 0),
                                                    MPLAN_TYPE_I32, NULL);
        int64_t kept = 0, zero = 0;
        for (int64_t i = 0; i < places * DIM; i++) {
            uint32_t word;
            memcpy(&word, own.bytes + i * 4, 4);
            kept += word == 0x41414141;
            zero += word == 0;
        }
        assert_true(kept == n * DIM && zero == (places - n) * DIM);
        for (int i = 0; i < 16; i++)
            assert_true(own.before[i] == 0x41 && own.bytes[bytes + i] == 0x41);
        for (int64_t i = 0; i < n * DIM; i++)
            rows[i] = (float)i;
        assert_done(mplan_exec_upload(exec, "mine", rows, n, DIM, MPLAN_TYPE_F32, &err), &err);
        for (int64_t i = 0; i < n; i++)
            for (int32_t c = 0; c < DIM; c++) {
                float value;
                memcpy(&value, own.bytes + 4 * place_of(&view, new_of_old, i, c), 4);
                assert_true(value == (float)(i * DIM + c));
            }
        /* other memory: what was there is the caller's again */
        memset(&other, 0, sizeof other);
        assert_done(mplan_exec_adopt(exec, "mine", "a", DIM, MPLAN_TYPE_F32, -1, other.bytes,
                                     bytes + 8, &err),
                    &err);
        assert_done(mplan_exec_download(exec, "mine", rows, n, DIM, MPLAN_TYPE_F32, &err), &err);
        assert_true(rows[0] == 0 && rows[n * DIM - 1] == 0);
        mplan_exec_close(exec);
    }
    free(rows);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

static void memory_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    static fenced own;
    uint64_t seed = 13;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    const int64_t bytes = mplan_plan_get_set(plan, 0)->storage_size * DIM * 8;
#define ADOPT(set_, dim_, type_, layout_, at_, bytes_) \
    mplan_exec_adopt(exec, "mine", set_, dim_, type_, layout_, own.bytes + (at_), bytes_, &err)
    assert_refused(ADOPT("a", DIM, MPLAN_TYPE_F64, 0, 0, bytes - 1), MPLAN_ERR_ARGUMENT, &err,
                   "bytes; ");
    assert_refused(ADOPT("a", DIM, MPLAN_TYPE_F64, 0, 8, bytes), MPLAN_ERR_ARGUMENT, &err,
                   "multiple of 16");
    assert_refused(ADOPT("z", DIM, MPLAN_TYPE_F64, 0, 0, bytes), MPLAN_ERR_ARGUMENT, &err,
                   "no set z");
    assert_int_equal(mplan_exec_find_dat(exec, "mine"), -1);
    assert_done(ADOPT("a", DIM, MPLAN_TYPE_F64, 0, 0, bytes), &err);
    assert_refused(ADOPT("a", DIM, MPLAN_TYPE_F64, 1, 0, bytes), MPLAN_ERR_ARGUMENT, &err, "layout");
    assert_refused(ADOPT("a", 2, MPLAN_TYPE_F64, -1, 0, bytes), MPLAN_ERR_ARGUMENT, &err,
                   "another set, dim or type");
    assert_refused(ADOPT("a", DIM, MPLAN_TYPE_I64, -1, 0, bytes), MPLAN_ERR_ARGUMENT, &err,
                   "another set, dim or type");
    assert_refused(ADOPT("a", DIM, MPLAN_TYPE_F64, -1, 0, bytes - 1), MPLAN_ERR_ARGUMENT, &err,
                   "bytes; ");
#undef ADOPT
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Memory that changes between launches of a bound loop, and a dat without any. */
static void loops_follow_the_memory(void **state)
{
    (void)state;
    uint64_t seed = 14;
    mplan_error err;
    const support_exec_case *test = support_exec_find("flux");
    mplan_mesh *mesh = test->make(&seed);
    support_dat dat[SUPPORT_EXEC_ARGS];
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_exec_loop *bound;
    mplan_dat_view view;
    int64_t times, later;
    support_exec_fill(test, mesh, &seed, dat);
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
        options.strategies[options.n_strategies++] = (mplan_strategy)s;
    mplan_plan *plan = support_exec_plan(test, mesh, &options);
    for (int32_t v = 0; v < MPLAN_N_STRATEGIES; v++) {
        mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
        const support_dat *res = &dat[2];
        double *whole = malloc((size_t)(res->size * res->dim) * sizeof *whole),
               *found = malloc((size_t)(res->size * res->dim) * sizeof *found);
        for (int32_t a = 0; a < test->kernel->n_args; a++) {
            assert_done(mplan_exec_declare(exec, dat[a].name, dat[a].set, dat[a].dim, dat[a].type,
                                           -1, &err),
                        &err);
            assert_done(mplan_exec_upload(exec, dat[a].name, dat[a].rows, dat[a].size, dat[a].dim,
                                          dat[a].type, &err),
                        &err);
        }
        assert_done(mplan_exec_bind(exec, test->kernel->name, v, test->kernel, &bound, &err), &err);
        assert_done(mplan_exec_launch(exec, bound, support_exec_parameters(test), NULL, &err), &err);
        assert_done(mplan_exec_download(exec, res->name, whole, res->size, res->dim, res->type, &err),
                    &err);
        assert_done(mplan_exec_data(exec, res->name, MPLAN_READ, &view, &err), &err);
        const int64_t bytes = view.storage_rows * res->dim * 8;
        void *memory = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
        assert_done(mplan_exec_adopt(exec, res->name, res->set, res->dim, res->type, -1, memory,
                                     bytes, &err),
                    &err);
        assert_done(mplan_exec_upload(exec, res->name, res->rows, res->size, res->dim, res->type,
                                      &err),
                    &err);
        assert_done(mplan_exec_written(exec, res->name, &times, &err), &err);
        assert_done(mplan_exec_launch(exec, bound, support_exec_parameters(test), NULL, &err), &err);
        assert_done(mplan_exec_written(exec, res->name, &later, &err), &err);
        assert_true(later != times);
        assert_done(mplan_exec_download(exec, res->name, found, res->size, res->dim, res->type, &err),
                    &err);
        assert_memory_equal(whole, found, (size_t)(res->size * res->dim) * sizeof *found);
        /* taken back */
        assert_done(mplan_exec_adopt(exec, res->name, res->set, res->dim, res->type, -1, NULL, 0,
                                     &err),
                    &err);
        free(memory);
        static const char says[] = "is not resident";
        assert_refused(mplan_exec_launch(exec, bound, support_exec_parameters(test), NULL, &err),
                       MPLAN_ERR_ARGUMENT, &err, says);
        assert_refused(mplan_exec_launch_range(exec, bound, 0, 0, support_exec_parameters(test),
                                               NULL, &err),
                       MPLAN_ERR_ARGUMENT, &err, says);
        assert_refused(mplan_exec_data(exec, res->name, MPLAN_READ, &view, &err),
                       MPLAN_ERR_ARGUMENT, &err, says);
        assert_refused(mplan_exec_download(exec, res->name, found, res->size, res->dim, res->type,
                                           &err),
                       MPLAN_ERR_ARGUMENT, &err, says);
        assert_refused(mplan_exec_fill(exec, res->name, 1, &err), MPLAN_ERR_ARGUMENT, &err, says);
        assert_refused(mplan_exec_reduce(exec, res->name, 0, MPLAN_SUM, found, &err),
                       MPLAN_ERR_ARGUMENT, &err, says);
        mplan_exec_close(exec);
        free(whole);
        free(found);
    }
    support_exec_free(test, dat);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Reads change nothing, writes do, and as long as the caller may write nobody knows. */
static void writes_are_counted(void **state)
{
    (void)state;
    uint64_t seed = 15;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    mplan_dat_view view;
    int64_t last, now;
    const int64_t n = mplan_plan_get_set(plan, 0)->size;
    double *rows = calloc((size_t)n, sizeof *rows);
    const mplan_row_choice one = {1, 1, NULL};
#define CHANGED(call_, expected_)                                         \
    do {                                                                  \
        assert_done(mplan_exec_written(exec, "mine", &last, &err), &err); \
        assert_done(call_, &err);                                         \
        assert_done(mplan_exec_written(exec, "mine", &now, &err), &err);  \
        assert_int_equal(now != last, expected_);                         \
    } while (0)
    assert_done(mplan_exec_declare(exec, "mine", "a", 1, MPLAN_TYPE_F64, -1, &err), &err);
    CHANGED(mplan_exec_upload(exec, "mine", rows, n, 1, MPLAN_TYPE_F64, &err), true);
    CHANGED(mplan_exec_download(exec, "mine", rows, n, 1, MPLAN_TYPE_F64, &err), false);
    CHANGED(mplan_exec_fill(exec, "mine", 0, &err), true);
    CHANGED(mplan_exec_upload_rows(exec, "mine", &one, rows, 1, MPLAN_TYPE_F64, NULL, &err), true);
    CHANGED(mplan_exec_download_rows(exec, "mine", &one, rows, 1, MPLAN_TYPE_F64, NULL, &err), false);
    CHANGED(mplan_exec_data(exec, "mine", MPLAN_READ, &view, &err), false);
    CHANGED(mplan_exec_data(exec, "mine", MPLAN_WRITE, &view, &err), true);
    CHANGED(MPLAN_OK, true);
    CHANGED(mplan_exec_data(exec, "mine", MPLAN_RW, &view, &err), true);
    CHANGED(mplan_exec_data(exec, "mine", MPLAN_READ, &view, &err), true);
    CHANGED(MPLAN_OK, false);
#undef CHANGED
    assert_refused(mplan_exec_written(exec, "yours", &now, &err), MPLAN_ERR_ARGUMENT, &err,
                   "not declared");
    free(rows);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Ranges and lists of members, of every size of number and in both layouts, against whole copies. */
static void some_rows_come_and_go(void **state)
{
    (void)state;
    uint64_t seed = 16;
    mplan_error err;
    for (int round = 0; round < 24; round++) {
        mplan_mesh *mesh;
        mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
        mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
        const mplan_type type = (mplan_type)(1 + round % 6);
        const int64_t n = mplan_plan_get_set(plan, 0)->size;
        const size_t row = DIM * mplan_type_size(type);
        unsigned char *all = calloc((size_t)n, row), *some = malloc((size_t)n * row),
                      *found = malloc((size_t)n * row);
        int32_t *list = malloc((size_t)n * sizeof *list);
        for (int64_t i = 0; i < n; i++)
            list[i] = (int32_t)((i + n / 2) % n);
        const int64_t count = 1 + (int64_t)support_random(&seed, (uint64_t)n);
        const mplan_row_choice choice = {round / 6 % 2 ? 0 : n - count, count,
                                         round / 6 % 2 ? list : NULL};
        assert_done(mplan_exec_declare(exec, "mine", "a", DIM, type, round / 12, &err), &err);
        for (size_t i = 0; i < (size_t)count * row; i++)
            some[i] = (unsigned char)(1 + support_random(&seed, 255));
        for (int64_t i = 0; i < count; i++)
            memcpy(all + (size_t)(choice.list ? list[i] : choice.first + i) * row,
                   some + (size_t)i * row, row);
        assert_done(mplan_exec_upload_rows(exec, "mine", &choice, some, DIM, type, NULL, &err), &err);
        assert_done(mplan_exec_download(exec, "mine", found, n, DIM, type, &err), &err);
        assert_memory_equal(found, all, (size_t)n * row);
        memset(found, 0, (size_t)n * row);
        assert_done(mplan_exec_download_rows(exec, "mine", &choice, found, DIM, type, NULL, &err),
                    &err);
        assert_memory_equal(found, some, (size_t)count * row);
        free(all);
        free(some);
        free(found);
        free(list);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
}

static void rows_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 17;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan = support_exec_with_holes(&seed, &mesh);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    const int64_t n = mplan_plan_get_set(plan, 0)->size;
    double rows[64] = {0};
    const int32_t beyond[2] = {0, (int32_t)n}, below[2] = {0, -1};
    const struct {
        mplan_row_choice choice;
        const char *says;
    } wrong[] = {
        {{0, n + 1, NULL}, "from member 0"},
        {{n, 1, NULL}, "1 from member"},
        {{-1, 1, NULL}, "from member -1"},
        {{0, -1, NULL}, "-1 from member 0"},
        {{INT64_MAX, INT64_MAX, NULL}, "from"},
        {{0, 2, beyond}, "place 1 of the list is"},
        {{0, 2, below}, "place 1 of the list is -1"},
        {{1, 1, below}, "not both"},
    };
    assert_done(mplan_exec_declare(exec, "mine", "a", 1, MPLAN_TYPE_F64, -1, &err), &err);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(mplan_exec_upload_rows(exec, "mine", &wrong[i].choice, rows, 1,
                                              MPLAN_TYPE_F64, NULL, &err),
                       MPLAN_ERR_ARGUMENT, &err, wrong[i].says);
        assert_refused(mplan_exec_download_rows(exec, "mine", &wrong[i].choice, rows, 1,
                                                MPLAN_TYPE_F64, NULL, &err),
                       MPLAN_ERR_ARGUMENT, &err, wrong[i].says);
    }
    const mplan_row_choice one = {0, 1, NULL};
    assert_refused(mplan_exec_upload_rows(exec, "mine", &one, rows, 2, MPLAN_TYPE_F64, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "has dim 1, not 2");
    assert_refused(mplan_exec_upload_rows(exec, "mine", &one, rows, 1, MPLAN_TYPE_F32, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "is of type f64 (6), not f32 (5)");
    assert_refused(mplan_exec_upload_rows(exec, "mine", &one, NULL, 1, MPLAN_TYPE_F64, NULL, &err),
                   MPLAN_ERR_ARGUMENT, &err, "rows must not be NULL");
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* A grid of quads. */
static mplan_mesh *quads(int64_t x, int64_t y)
{
    mplan_error err;
    mplan_mesh *mesh;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.size[0] = x;
    options.size[1] = y;
    assert_done(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

/* Sets and maps of the plan that the mesh lacks are derived; another mesh is told from this one. */
static void a_plan_knows_its_mesh(void **state)
{
    (void)state;
    mplan_error err;
    mplan_mesh *mesh = quads(9, 7), *same = quads(9, 7), *other = quads(7, 9), *larger = quads(9, 8);
    mplan_plan *plan;
    uint64_t topology;
    const mplan_arg args[] = {{"q", "faces_cells", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                              {"res", "faces_cells", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    const mplan_loop loop = {"flux", "faces", true, 1, 0, 2, args};
    assert_done(mplan_plan_create(mesh, 1, &loop, NULL, NULL, &plan, &err), &err);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_HOST, 0);
    assert_done(mplan_exec_check_mesh(exec, mesh, &err), &err);
    assert_done(mplan_exec_check_mesh(exec, same, &err), &err);
    assert_done(mplan_plan_topology(plan, same, NULL, &topology, &err), &err);
    assert_true(topology == mplan_plan_fingerprints(plan).topology);
    assert_refused(mplan_exec_check_mesh(exec, larger, &err), MPLAN_ERR_OTHER_MESH, &err, "members");
    mplan_status status = mplan_exec_check_mesh(exec, other, &err);
    assert_int_equal(status, MPLAN_ERR_OTHER_MESH);
    mplan_mesh *empty;
    assert_done(mplan_mesh_create(&empty, &err), &err);
    assert_refused(mplan_exec_check_mesh(exec, empty, &err), MPLAN_ERR_OTHER_MESH, &err,
                   "the mesh has none");
    mplan_mesh_free(empty);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    mplan_mesh_free(same);
    mplan_mesh_free(other);
    mplan_mesh_free(larger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_callers_memory_is_used),
        cmocka_unit_test(memory_that_does_not_fit_is_refused),
        cmocka_unit_test(loops_follow_the_memory),
        cmocka_unit_test(writes_are_counted),
        cmocka_unit_test(some_rows_come_and_go),
        cmocka_unit_test(rows_that_do_not_exist_are_refused),
        cmocka_unit_test(a_plan_knows_its_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
