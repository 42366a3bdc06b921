/* SPDX-License-Identifier: Apache-2.0 */
/* test_far_bundle.c - a whole bundle whose members are numbered past 2^31
 *
 * The parts of a small mesh get a part in front of them that owns five thousand million members of every set, as the manifest
 * says: all their bases and numbers in the mesh lie behind it. Nobody opens that part: its plan is that of a small mesh. The
 * others are written, read, proved each by itself and against the manifest, and run by one of two ranks: results
 * are those of the same parts at 0. */
#include "support_bundle.h"
#include "support_steps.h"
#include "support_test.h"

#include <unistd.h>

#include "check/check.h"
#include "exec/meshplan_ranks.h"

#define FAR INT64_C(5000000000)
enum { REAL = 3, PARTS = REAL + 1, N_RUN = 3 };

typedef struct far_case {
    support_steps test;
    support_bundle near, far;
    char path[64];
} far_case;

/* --- making it ----------------------------------------------------------------------------- */

static void *data_of(const mplan_plan *plan, mplan_key key, int64_t *rows)
{
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    *rows = array ? array->rows : 0;
    return array ? (void *)(uintptr_t)array->data : NULL;
}

/* One part of REAL becomes the next one of PARTS, FAR members further on. */
static void move_part(mplan_plan *plan, int32_t part, int64_t by)
{
    static const mplan_kind neighbours[] = {MPLAN_KIND_IMPORT_PARTS, MPLAN_KIND_EXPORT_PARTS};
    for (int32_t s = 0; s < plan->n_sets; s++) {
        mplan_part_set *about = &plan->sets[s].part;
        int64_t rows;
        about->parts = PARTS;
        about->part = part;
        about->base += by;
        about->total += FAR;
        int64_t *ids = data_of(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), &rows);
        for (int64_t i = 0; i < rows; i++)
            ids[i] += by;
        for (int k = 0; k < 2; k++) {
            int32_t *parts = data_of(plan, mplan_key_of_set(neighbours[k], s), &rows);
            for (int64_t i = 0; i < rows; i++)
                parts[i]++;
        }
    }
}

/* near's parts behind a part in front, and a manifest of all; single: the mesh in one part. */
static void make_far(const support_bundle *near, const support_bundle *single, support_bundle *far)
{
    mplan_error err;
    const int32_t n_sets = near->parts.n_sets;
    *far = (support_bundle){.manifest = near->manifest};
    far->parts = (support_parts){PARTS, n_sets,
                                 malloc(sizeof(int64_t) * (PARTS + 1) * (size_t)n_sets),
                                 malloc(sizeof(mplan_plan *) * PARTS), 0};
    far->manifest.n_parts = PARTS;
    far->manifest.how = mplan_strdup(near->manifest.how, &err);
    far->manifest.request = mplan_strdup(near->manifest.request, &err);
    far->manifest.versions = mplan_strdup(near->manifest.versions, &err);
    far->manifest.sets = calloc((size_t)n_sets, sizeof *far->manifest.sets);
    far->manifest.maps = calloc((size_t)near->manifest.n_maps, sizeof *far->manifest.maps);
    for (int32_t s = 0; s < n_sets; s++) {
        int64_t *base = far->parts.base + s * (PARTS + 1);
        const mplan_bundle_set *set = &near->manifest.sets[s];
        base[0] = 0;
        for (int32_t p = 0; p <= REAL; p++)
            base[p + 1] = FAR + near->parts.base[s * (REAL + 1) + p];
        far->manifest.sets[s] = (mplan_bundle_set){mplan_strdup(set->name, &err), set->total + FAR,
                                                   set->cut, mplan_copy(base, PARTS + 1, 8, &err)};
    }
    for (int32_t m = 0; m < near->manifest.n_maps; m++) {
        far->manifest.maps[m] = near->manifest.maps[m];
        far->manifest.maps[m].name = mplan_strdup(near->manifest.maps[m].name, &err);
    }
    far->parts.plan[0] = support_plan_copy(single->parts.plan[0]);
    move_part(far->parts.plan[0], 0, 0);
    for (int32_t p = 0; p < REAL; p++) {
        far->parts.plan[p + 1] = support_plan_copy(near->parts.plan[p]);
        move_part(far->parts.plan[p + 1], p + 1, FAR);
    }
    support_bundle_rehash(far);
}

/* In both the same small mesh, in stripes. */
static void open_case(far_case *in)
{
    support_bundle single;
    int32_t *part_of[3], *zero[3];
    support_steps_make(9, 7, false, &in->test);
    for (int32_t s = 0; s < 3; s++) {
        const int64_t n = mplan_mesh_set(in->test.mesh, s).size;
        part_of[s] = malloc((size_t)n * 4);
        zero[s] = calloc((size_t)n, 4);
        for (int64_t m = 0; m < n; m++)
            part_of[s][m] = (int32_t)(m * REAL / n);
    }
    support_bundle_make(in->test.mesh, N_LOOPS, in->test.loops, REAL, part_of, &in->near);
    support_bundle_make(in->test.mesh, N_LOOPS, in->test.loops, 1, zero, &single);
    make_far(&in->near, &single, &in->far);
    support_bundle_free(&single);
    for (int32_t s = 0; s < 3; s++) {
        free(part_of[s]);
        free(zero[s]);
    }
    snprintf(in->path, sizeof in->path, "test_far.%ld.mplans", (long)getpid());
    support_bundle_write(&in->far, in->path);
}

static void close_case(far_case *in)
{
    unlink(in->path);
    support_bundle_free(&in->near);
    support_bundle_free(&in->far);
    support_steps_free(&in->test);
}

/* --- the file -------------------------------------------------------------------------------- */

/* Each real part by itself and against the manifest; one whose base is one lower is not what the manifest has. */
static void parts_are_proved(void **state)
{
    (void)state;
    mplan_error err;
    far_case in;
    mplan_bundle *bundle;
    open_case(&in);
    assert_done(mplan_bundle_open(in.path, NULL, &bundle, &err), &err);
    const mplan_parts_source source = mplan_bundle_source(bundle);
    assert_int_equal(source.n_parts, PARTS);
    for (int32_t s = 0; s < source.n_sets; s++) {
        assert_int_equal(source.sets[s].base[1], FAR);
        assert_int_equal(source.sets[s].total, FAR + in.near.manifest.sets[s].total);
    }
    for (int32_t p = 1; p < PARTS; p++)
        assert_done(mplan_check_prove_parts(&source, NULL, p, false, NULL, &err), &err);
    mplan_bundle_free(bundle);
    in.far.parts.plan[2]->sets[1].part.base--;
    support_bundle_write(&in.far, in.path);
    assert_done(mplan_bundle_open(in.path, NULL, &bundle, &err), &err);
    const mplan_parts_source changed = mplan_bundle_source(bundle);
    assert_refused(mplan_check_prove_parts(&changed, NULL, 2, false, NULL, &err), MPLAN_ERR_CORRUPT,
                   &err, "not the one that the manifest has");
    mplan_bundle_free(bundle);
    close_case(&in);
}

/* Members that are numbered past 2^32 do not meet those 2^32 lower: a number that loses its upper half is another one. */
static void halves_of_numbers_count(void **state)
{
    (void)state;
    mplan_error err;
    far_case in;
    mplan_bundle *bundle;
    int64_t rows;
    open_case(&in);
    int64_t *ids = data_of(in.far.parts.plan[2], mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, 1), &rows);
    for (int64_t i = 0; i < rows; i++)
        ids[i] = (int64_t)(uint32_t)ids[i];
    support_bundle_write(&in.far, in.path); /* hashes of lists stay those of the whole numbers */
    assert_done(mplan_bundle_open(in.path, NULL, &bundle, &err), &err);
    const mplan_parts_source source = mplan_bundle_source(bundle);
    assert_int_equal(mplan_check_prove_parts(&source, NULL, 2, false, NULL, &err),
                     MPLAN_ERR_DISPROVED);
    assert_non_null(strstr(err.text, "but the ids have"));
    mplan_bundle_free(bundle);
    close_case(&in);
}

/* --- running it ------------------------------------------------------------------------------- */

/* Rank 1 of 2: nobody is its neighbour, so nothing is sent. */
static mplan_status no_exchange(void *user, const mplan_message *in, int32_t n_in,
                                const mplan_message *out, int32_t n_out, void *stream,
                                void **request, mplan_error *err)
{
    (void)user, (void)in, (void)out, (void)stream, (void)err;
    *request = NULL;
    assert_int_equal(n_in + n_out, 0);
    return MPLAN_OK;
}
static mplan_status no_wait(void *user, void *request, void *stream, mplan_error *err)
{
    (void)user, (void)request, (void)stream, (void)err;
    return MPLAN_OK;
}
static mplan_status gather_own(void *user, const void *mine, int64_t bytes, void *all,
                               mplan_error *err)
{
    (void)user, (void)err;
    memset(all, 0, (size_t)bytes);
    memcpy((char *)all + bytes, mine, (size_t)bytes);
    return MPLAN_OK;
}

/* The loops that change no global, twice; heat and load come back in canonical order. */
static void run_loops(const support_steps *test, mplan_exec *exec, double *heat, double *load)
{
    static const int loops[N_RUN] = {0, 3, 4};
    mplan_error err;
    mplan_exec_loop *bound[N_RUN];
    const int64_t cells = support_steps_size(test->mesh, HEAT),
                  nodes = support_steps_size(test->mesh, LOAD);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload_own(exec, "heat", test->start.rows[HEAT], cells, 2,
                                      MPLAN_TYPE_F64, &err),
                &err);
    assert_done(mplan_exec_upload_own(exec, "load", test->start.rows[LOAD], nodes, 1,
                                      MPLAN_TYPE_F64, &err),
                &err);
    for (int l = 0; l < N_RUN; l++)
        assert_done(mplan_exec_bind(exec, test->loops[loops[l]].name, 0,
                                    support_steps_kernels[loops[l]], &bound[l], &err),
                    &err);
    for (int step = 0; step < 2; step++)
        for (int l = 0; l < N_RUN; l++)
            assert_done(mplan_exec_launch(exec, bound[l], NULL, NULL, &err), &err);
    assert_done(mplan_exec_download_own(exec, "heat", heat, cells, 2, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download_own(exec, "load", load, nodes, 1, MPLAN_TYPE_F64, &err), &err);
}

static void results_are_those_at_zero(void **state)
{
    (void)state;
    mplan_error err;
    far_case in;
    mplan_bundle *bundle;
    mplan_exec *exec;
    int64_t first, end;
    const int32_t shares[] = {0, 1, PARTS};
    const mplan_transport transport = {.struct_size = sizeof transport,
                                       .name = "none",
                                       .rank = 1,
                                       .ranks = 2,
                                       .exchange = no_exchange,
                                       .wait = no_wait,
                                       .all_gather = gather_own};
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options ranks = MPLAN_RANK_OPTIONS_INIT;
    open_case(&in);
    const int64_t cells = support_steps_size(in.test.mesh, HEAT),
                  nodes = support_steps_size(in.test.mesh, LOAD);
    double *rows = malloc((size_t)(4 * cells + 2 * nodes) * sizeof *rows);
    int64_t *ids = malloc((size_t)(2 * cells) * sizeof *ids);
    options.executor = MPLAN_EXECUTOR_HOST;
    ranks.poison = true;
    exec = support_parts_open(&in.near.parts, NULL, MPLAN_EXECUTOR_HOST, &ranks);
    run_loops(&in.test, exec, rows, rows + 4 * cells);
    assert_done(mplan_exec_own_ids(exec, "cells", ids, cells, &err), &err);
    mplan_exec_close(exec);
    ranks.first_part = shares;
    assert_done(mplan_bundle_open(in.path, NULL, &bundle, &err), &err);
    assert_done(mplan_exec_open_part(bundle, &transport, &options, &ranks, &exec, &err), &err);
    mplan_bundle_free(bundle);
    run_loops(&in.test, exec, rows + 2 * cells, rows + 4 * cells + nodes);
    assert_done(mplan_exec_own_range(exec, "cells", &first, &end, &err), &err);
    assert_int_equal(first, FAR);
    assert_int_equal(end, FAR + cells);
    assert_done(mplan_exec_own_ids(exec, "cells", ids + cells, cells, &err), &err);
    for (int64_t i = 0; i < cells; i++)
        assert_int_equal(ids[cells + i], FAR + ids[i]);
    mplan_exec_close(exec);
    assert_memory_equal(rows, rows + 2 * cells, (size_t)(2 * cells) * sizeof *rows);
    assert_memory_equal(rows + 4 * cells, rows + 4 * cells + nodes, (size_t)nodes * sizeof *rows);
    free(rows);
    free(ids);
    close_case(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_proved),
        cmocka_unit_test(halves_of_numbers_count),
        cmocka_unit_test(results_are_those_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
