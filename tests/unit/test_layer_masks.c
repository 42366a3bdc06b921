/* SPDX-License-Identifier: Apache-2.0 */
/* test_layer_masks.c - layers that are left out inside columns: given, spread, carried, read from files, planned and run
 *
 * 70 layers, so that a mask has three words. Everything is compared with a table of bools and plain loops over it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/meshplan_layers.h"
#include "mesh/mesh_checks.h"
#include "support_planfile.h"
#include "support_test.h"

#ifdef MPLAN_HAVE_ZLIB
#define WITH_ZLIB true
#else
#define WITH_ZLIB false
#endif

enum { CELLS = 40, EDGES = 70, HIGH = 70, WORDS = 3 };

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};
static mplan_error err;

/* A flux of one number between two cells; u tells the sign. */
#define FLUX_ARGS(ARG)                              \
    ARG(COLUMN, u, u, 1, 1, f64, READ)              \
    ARG(LEVELS, q, q, edges_cells, 2, 1, f64, READ) \
    ARG(LEVELS, r, r, edges_cells, 2, 1, f64, INC)
MPLAN_LAYER_VIEWS(flux, FLUX_ARGS)
MPLAN_FN void flux(flux_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->r[0][0] = v->u[0][0] * (v->q[0][0] - v->q[1][0]) + v->bottom;
    v->r[1][0] = -v->u[0][0] * (v->q[0][0] - v->q[1][0]) + v->top;
}
MPLAN_LAYER_KERNEL(flux, FLUX_ARGS, mplan_no_parameters)

/* --- a mesh ---------------------------------------------------------------------------------- */

typedef struct fixture {
    int32_t sides[2 * EDGES], ranges[2 * CELLS];
    uint32_t mask[CELLS * WORDS];
    bool cell[CELLS][HIGH],
        edge[EDGES][HIGH]; /* the layers that are there, an edge's in both of its cells */
    mplan_mesh *mesh;
} fixture;

static void make(fixture *f, uint64_t seed, bool ranged)
{
    for (int i = 0; i < 2 * EDGES; i++)
        f->sides[i] = support_random(&seed, 12) ? (int32_t)support_random(&seed, CELLS) : -1;
    for (int i = 0; i < CELLS * WORDS; i++) {
        f->mask[i] = 0;
        for (int bit = 0; bit < 32; bit++)
            f->mask[i] |= (uint32_t)(support_random(&seed, 4) > 0) << bit;
    }
    for (int c = 0; c < CELLS; c++) {
        f->ranges[2 * c] = (int32_t)support_random(&seed, HIGH + 1);
        f->ranges[2 * c + 1] = f->ranges[2 * c] +
                               (int32_t)support_random(&seed, HIGH + 1 - f->ranges[2 * c]);
        for (int k = 0; k < HIGH; k++)
            f->cell[c][k] = (f->mask[c * WORDS + k / 32] >> (k % 32) & 1) &&
                            (!ranged || (k >= f->ranges[2 * c] && k < f->ranges[2 * c + 1]));
    }
    for (int e = 0; e < EDGES; e++)
        for (int k = 0; k < HIGH; k++) {
            const int32_t a = f->sides[2 * e], b = f->sides[2 * e + 1];
            f->edge[e][k] = (a >= 0 || b >= 0) && (a < 0 || f->cell[a][k]) &&
                            (b < 0 || f->cell[b][k]);
        }
    assert_done(mplan_mesh_create(&f->mesh, &err), &err);
    assert_done(mplan_mesh_add_set(f->mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(f->mesh, "edges", EDGES, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(f->mesh, "edges_cells", 1, 0, 2, NULL, f->sides, NULL, &err),
                &err);
    assert_done(mplan_mesh_set_layers(f->mesh, 0, HIGH, ranged ? f->ranges : NULL, &err), &err);
    assert_done(mplan_mesh_set_layer_mask(f->mesh, 0, f->mask, &err), &err);
}

/* Whether the mask of a set has exactly these layers; member i is row id[i], or i. */
static void assert_mask(const mplan_mesh *mesh, int32_t set, const bool *there, const int64_t *id)
{
    const uint32_t *mask = mplan_mesh_layer_mask(mesh, set);
    const int32_t *ranges;
    assert_int_equal(mplan_mesh_layers(mesh, set, &ranges), HIGH);
    assert_non_null(mask);
    for (int64_t m = 0; m < mplan_mesh_set(mesh, set).size; m++) {
        const bool *row = there + (id ? id[m] : m) * HIGH;
        int32_t n = 0;
        for (int k = 0; k < 32 * WORDS; k++) {
            const bool is = mask[m * WORDS + k / 32] >> (k % 32) & 1;
            assert_int_equal(is, k < HIGH && row[k]);
            n += is;
        }
        assert_int_equal(mplan_active_layers(m, HIGH, ranges, mask), n);
    }
}

/* --- meshes ---------------------------------------------------------------------------------- */

static void masks_follow_maps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 9; seed++) {
        fixture f;
        bool spanned[CELLS][HIGH] = {{false}};
        make(&f, seed, seed % 2);
        assert_mask(f.mesh, 0, &f.cell[0][0], NULL);
        assert_done(mplan_mesh_spread_layers(f.mesh, 0, MPLAN_LAYERS_COMMON, &err), &err);
        assert_mask(f.mesh, 1, &f.edge[0][0], NULL);
        for (int i = 0; i < 2 * EDGES; i++)
            for (int k = 0; k < HIGH && f.sides[i] >= 0; k++)
                spanned[f.sides[i]][k] = spanned[f.sides[i]][k] || f.edge[i / 2][k];
        assert_done(mplan_mesh_spread_layers(f.mesh, 0, MPLAN_LAYERS_SPANNED, &err), &err);
        assert_mask(f.mesh, 0, &spanned[0][0], NULL);
        assert_done(mplan_mesh_set_layers(f.mesh, 0, HIGH, NULL, &err), &err);
        assert_null(mplan_mesh_layer_mask(f.mesh, 0)); /* new layers have none */
        mplan_mesh_free(f.mesh);
    }
}

static void changes_carry_masks(void **state)
{
    (void)state;
    fixture f;
    int32_t turned[CELLS];
    int64_t back[CELLS];
    int32_t *places[2] = {turned, NULL};
    const mplan_orders orders = {.n_sets = 2, .new_of_old = places};
    mplan_mesh *made;
    make(&f, 20, true);
    for (int i = 0; i < CELLS; i++)
        turned[i] = CELLS - 1 - i, back[CELLS - 1 - i] = i;
    assert_done(mplan_mesh_reorder(f.mesh, &orders, NULL, &made, &err), &err);
    assert_mask(made, 0, &f.cell[0][0], back);
    mplan_mesh_free(made);
    assert_done(mplan_mesh_spread_layers(f.mesh, 0, MPLAN_LAYERS_COMMON, &err), &err);
    assert_done(mplan_mesh_split(f.mesh, 1, 0, &err), &err);
    for (int32_t s = 1; s <= 2; s++)
        assert_mask(f.mesh, s, &f.edge[0][0], mplan_mesh_global_ids(f.mesh, s));
    mplan_mesh_free(f.mesh);
}

/* Rows of 0 and 1, as text. */
static void masks_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int rows, columns, wrong;
    } cases[] = {{NULL, CELLS, HIGH, 1},
                 {":3: a layer of cells must be 1 (there) or 0, not 2", CELLS, HIGH, 2},
                 {"39 rows of 70 numbers; the mask of 40 cells must have a row each, of 70 numbers",
                  CELLS - 1, HIGH, 1},
                 {"40 rows of 69 numbers", CELLS, HIGH - 1, 1}};
    char path[] = "/tmp/meshplan-mask-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        make(&f, 30, true);
        FILE *file = fopen(path, "w");
        for (int c = 0; c < cases[i].rows; c++)
            for (int k = 0; k < cases[i].columns; k++)
                fprintf(file, "%d%c",
                        c == 2 && k == 5 ? cases[i].wrong * f.cell[c][k] + 2 * (cases[i].wrong > 1)
                                         : f.cell[c][k],
                        k + 1 < cases[i].columns ? ' ' : '\n');
        fclose(file);
        assert_done(mplan_mesh_set_layers(f.mesh, 0, HIGH, f.ranges, &err), &err);
        const mplan_status status = mplan_mesh_read_layer_mask(f.mesh, path, 0, &one_thread, &err);
        if (cases[i].words)
            assert_refused(status, MPLAN_ERR_MESH, &err, cases[i].words);
        else {
            assert_done(status, &err);
            assert_mask(f.mesh, 0, &f.cell[0][0], NULL);
        }
        mplan_mesh_free(f.mesh);
    }
    unlink(path);
}

/* Logical values in lines that are not rows, as Fortran's list-directed output has them; good words, and what is wrong. */
static void logical_values(void **state)
{
    (void)state;
    static const struct {
        const char *yes, *no, *wrong,
            *words; /* wrong: in the place of the last value but one, NULL: none */
    } cases[] = {{"T", "F", NULL, NULL},
                 {".true.", ".FALSE.", NULL, NULL},
                 {"true", "f", NULL, NULL},
                 {".t.", ".F.", NULL, NULL},
                 {"T", "F", "X", ":134: 'X' is not a logical value"},
                 {"T", "F", "1", ":134: '1' is not a logical value"},
                 {"T", "F", "", ": 2799 logical values do not make whole rows of 70"},
                 {"T", "F", "F\nT ! wet", "'!' is not a logical value"}};
    char path[] = "/tmp/meshplan-mask-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        make(&f, 30, true);
        FILE *file = fopen(path, "w");
        fprintf(file, "# wet cells\n");
        for (int k = 0; k < CELLS * HIGH; k++)
            fprintf(file, " %s%s",
                    k == CELLS * HIGH - 2 && cases[i].wrong ? cases[i].wrong
                    : f.cell[k / HIGH][k % HIGH]            ? cases[i].yes
                                                            : cases[i].no,
                    k % 28 == 27 ? k % 3 ? "\n" : "\r\n! more\n"
                    : i % 2      ? ","
                                 : "");
        fclose(file);
        assert_done(mplan_mesh_set_layers(f.mesh, 0, HIGH, f.ranges, &err), &err);
        const mplan_status status = mplan_mesh_read_layer_mask(f.mesh, path, 0, &one_thread, &err);
        if (cases[i].words)
            assert_refused(status, MPLAN_ERR_CORRUPT, &err, cases[i].words);
        else {
            assert_done(status, &err);
            assert_mask(f.mesh, 0, &f.cell[0][0], NULL);
        }
        mplan_mesh_free(f.mesh);
    }
    FILE *file = fopen(path, "w"); /* a row less */
    for (int k = 0; k < (CELLS - 1) * HIGH; k++)
        fprintf(file, "T ");
    fclose(file);
    fixture f;
    make(&f, 30, true);
    assert_done(mplan_mesh_set_layers(f.mesh, 0, HIGH, f.ranges, &err), &err);
    assert_refused(mplan_mesh_read_layer_mask(f.mesh, path, 0, &one_thread, &err), MPLAN_ERR_MESH,
                   &err, "39 rows of 70 numbers; the mask of 40 cells must have a row each");
    mplan_mesh_free(f.mesh);
    unlink(path);
}

static void what_cannot_be(void **state)
{
    (void)state;
    fixture f;
    make(&f, 40, true);
    assert_refused(mplan_mesh_set_layer_mask(f.mesh, 1, f.mask, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no set 1 with layers");
    assert_refused(mplan_mesh_set_layer_mask(f.mesh, 7, f.mask, &err), MPLAN_ERR_ARGUMENT, &err,
                   "no set 7 with layers");
    assert_refused(mplan_mesh_read_layer_mask(f.mesh, "none.txt", 1, &one_thread, &err),
                   MPLAN_ERR_ARGUMENT, &err, "no set 1 with layers");
    static const mplan_arg args[] = {{"q", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE}};
    static const mplan_loop loop = {"solve", "cells", true, 1, 0, 1, args};
    static const mplan_layered_arg levels = {0, 0, {HIGH, 1, 0, MPLAN_COLUMNS_LAYERS, 1, {{0, 0}}}};
    static const mplan_layered_loop layered = {0, MPLAN_LAYERING_COLUMNS};
    const mplan_layers layers = {0, 1, 1, NULL, &layered, &levels};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan = NULL;
    options.layers = &layers;
    assert_refused(mplan_plan_create(f.mesh, 1, &loop, &options, &one_thread, &plan, &err),
                   MPLAN_ERR_ARGUMENT, &err,
                   "a function of columns needs all layers of a column, but cells have a mask");
    assert_done(mplan_mesh_set_layer_mask(f.mesh, 0, NULL, &err), &err);
    assert_done(mplan_plan_create(f.mesh, 1, &loop, &options, &one_thread, &plan, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(f.mesh);
}

/* --- runs ------------------------------------------------------------------------------------ */

/* A plan over the edges, whose layers the mesh has; kept as a file, which the caller frees behind it, and read again. */
static mplan_plan *plan_of(const fixture *f, mplan_strategy strategy, mplan_columns columns,
                           uint8_t **bytes)
{
    static const mplan_arg args[] = {
        {"u", NULL, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"q", "edges_cells", MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP},
        {"r", "edges_cells", MPLAN_INC, 1, MPLAN_TYPE_F64, MPLAN_NONE_SKIP}};
    static const mplan_loop loop = {"flux", "edges", true, 1, 0, 3, args};
    static const mplan_layered_loop layered = {0, MPLAN_LAYERING_LAYERS};
    mplan_layered_arg levels[3];
    for (int a = 0; a < 3; a++)
        levels[a] = (mplan_layered_arg){
            0, a, {HIGH, 1, 0, columns, 1, {{a ? MPLAN_EVERY_SLOT : 0, 0}}}};
    const mplan_layers layers = {0, 1, 3, NULL, &layered, levels};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan, *again;
    size_t size;
    options.layers = &layers;
    options.n_strategies = 1;
    options.strategies[0] = strategy;
    assert_done(mplan_plan_create(f->mesh, 1, &loop, &options, &one_thread, &plan, &err), &err);
    *bytes = support_file_bytes(plan, WITH_ZLIB, 1, &size);
    mplan_plan_free(plan);
    assert_done(mplan_plan_read_borrowed(*bytes, size, "mask", NULL, &again, &err), &err);
    assert_done(mplan_plan_verify(again, f->mesh, &one_thread, &err), &err);
    return again;
}

/* Whole numbers, whose sums are exact in any order: bits are those of the plain loop. */
static void bits_are_those_of_plain_loops(void **state)
{
    (void)state;
    static const mplan_strategy strategies[] = {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_STRATEGY_TWO_STEP,
                                                MPLAN_STRATEGY_ATOMIC, MPLAN_STRATEGY_OWNER_GATHER};
    for (int i = 0; i < 16; i++) {
        static double u[EDGES * HIGH], q[CELLS * HIGH], due[CELLS * HIGH], got[CELLS * HIGH];
        const bool ranged = i & 1;
        fixture f;
        mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
        mplan_exec *exec;
        mplan_exec_loop *bound;
        uint8_t *bytes;
        uint64_t seed = 50 + (uint64_t)i;
        make(&f, seed, ranged);
        assert_done(mplan_mesh_spread_layers(f.mesh, 0, MPLAN_LAYERS_COMMON, &err), &err);
        for (int n = 0; n < EDGES * HIGH; n++)
            u[n] = (double)support_random(&seed, 9) - 4;
        for (int n = 0; n < CELLS * HIGH; n++)
            q[n] = (double)support_random(&seed, 9) - 4, due[n] = (double)n;
        memcpy(got, due, sizeof got);
        for (int e = 0; e < EDGES; e++)
            for (int k = 0; k < HIGH; k++) {
                const int32_t a = f.sides[2 * e], b = f.sides[2 * e + 1], *own;
                if (!f.edge[e][k])
                    continue;
                mplan_mesh_layers(f.mesh, 1, &own);
                const double d = (a < 0 ? 0 : q[a * HIGH + k]) - (b < 0 ? 0 : q[b * HIGH + k]);
                if (a >= 0)
                    due[a * HIGH + k] += u[e * HIGH + k] * d + (own ? own[2 * e] : 0);
                if (b >= 0)
                    due[b * HIGH + k] += -u[e * HIGH + k] * d + (own ? own[2 * e + 1] : HIGH);
            }
        mplan_plan *plan = plan_of(&f, strategies[i / 2 % 4], (mplan_columns)(i / 8), &bytes);
        options.executor = i % 3 ? MPLAN_EXECUTOR_HOST : MPLAN_EXECUTOR_SERIAL;
        options.threads = 2;
        assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
        assert_done(mplan_exec_declare_all(exec, &err), &err);
        assert_done(mplan_exec_upload(exec, "u", u, EDGES * HIGH, 1, MPLAN_TYPE_F64, &err), &err);
        assert_done(mplan_exec_upload(exec, "q", q, CELLS * HIGH, 1, MPLAN_TYPE_F64, &err), &err);
        assert_done(mplan_exec_upload(exec, "r", got, CELLS * HIGH, 1, MPLAN_TYPE_F64, &err), &err);
        assert_done(mplan_exec_bind_layers(exec, "flux", -1, &flux_host, &bound, &err), &err);
        assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
        assert_done(mplan_exec_download(exec, "r", got, CELLS * HIGH, 1, MPLAN_TYPE_F64, &err), &err);
        assert_memory_equal(got, due, sizeof due);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
        free(bytes);
        mplan_mesh_free(f.mesh);
    }
}

/* A bit of a layer that the column has not: no hash needs to be compared. */
static void stray_bits_are_disproved(void **state)
{
    (void)state;
    fixture f;
    uint8_t *bytes;
    make(&f, 60, true);
    assert_done(mplan_mesh_spread_layers(f.mesh, 0, MPLAN_LAYERS_COMMON, &err), &err);
    mplan_plan *plan = plan_of(&f, MPLAN_STRATEGY_TWO_STEP, MPLAN_COLUMNS_LAYERS, &bytes);
    const int32_t s = mplan_plan_find_set(plan, "edges");
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_LAYER_MASK, s);
    uint32_t *mask = (uint32_t *)(uintptr_t)mplan_plan_find_array(plan, &key)->data;
    mask[WORDS - 1] ^= UINT32_C(1) << 31; /* layer 95 of 70 */
    assert_refused(mplan_plan_verify(plan, NULL, &one_thread, &err), MPLAN_ERR_DISPROVED, &err,
                   "has layer 95, but the member does not");
    mplan_plan_free(plan);
    free(bytes);
    mplan_mesh_free(f.mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_follow_maps),       cmocka_unit_test(changes_carry_masks),
        cmocka_unit_test(masks_are_read),          cmocka_unit_test(logical_values),
        cmocka_unit_test(what_cannot_be),          cmocka_unit_test(bits_are_those_of_plain_loops),
        cmocka_unit_test(stray_bits_are_disproved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
