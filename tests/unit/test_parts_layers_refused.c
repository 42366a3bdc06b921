/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_layers_refused.c - what a bundle says of columns is refused where it is changed; memory may run out */
#include "changed_columns.h"
#include "parts_layers_cases.h"
#include "support_memory.h"

/* Reads parts of a bundle and changes one of them. */
typedef struct changed_source {
    mplan_parts_source from;
    int32_t part;
    void (*change)(mplan_plan *plan);
} changed_source;

static mplan_status read_changed(void *user, int32_t part, const mplan_context *context,
                                 mplan_plan **plan, mplan_error *error)
{
    const changed_source *source = user;
    mplan_status status = source->from.read(source->from.user, part, context, plan, error);
    if (!status && part == source->part)
        source->change(*plan);
    return status;
}

/* Ranges of the cells, in stored order. */
static int32_t *ranges_of(mplan_plan *plan, int64_t *owned, int64_t *size)
{
    const int32_t s = mplan_plan_find_set(plan, "cells");
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, s);
    *owned = plan->sets[s].part.owned;
    *size = plan->sets[s].size;
    return (int32_t *)(uintptr_t)mplan_plan_find_array(plan, &key)->data;
}

/* One layer more or less, where that is in the bounds and does not change the lowest column. */
static void change_range(int32_t *ranges, int64_t begin, int64_t end)
{
    for (int64_t m = begin; m < end; m++)
        if (ranges[2 * m + 1] > ranges[2 * m] && ranges[2 * m + 1] < HIGH) {
            ranges[2 * m + 1]++;
            return;
        }
    fail_msg("no column can be changed");
}
static void of_halo(mplan_plan *plan)
{
    int64_t owned, size;
    int32_t *ranges = ranges_of(plan, &owned, &size);
    change_range(ranges, owned, size);
}
static void of_inner(mplan_plan *plan)
{
    int64_t owned, size;
    int32_t *ranges = ranges_of(plan, &owned, &size);
    change_range(ranges, 0, plan->sets[mplan_plan_find_set(plan, "cells")].part.inner);
}
/* A layer of a face, which its column has, is left out. */
static void change_mask(mplan_plan *plan, bool halo)
{
    const int32_t s = mplan_plan_find_set(plan, "faces");
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_LAYER_MASK, s);
    int32_t *mask = (int32_t *)(uintptr_t)mplan_plan_find_array(plan, &key)->data;
    const mplan_part_set *part = &plan->sets[s].part;
    for (int64_t m = halo ? part->owned : 0; m < (halo ? plan->sets[s].size : part->inner); m++)
        if (mask[m]) {
            mask[m] &= mask[m] - 1;
            return;
        }
    fail_msg("no mask can be changed");
}
static void of_mask(mplan_plan *plan)
{
    change_mask(plan, true);
}
static void of_inner_mask(mplan_plan *plan)
{
    change_mask(plan, false);
}
static void of_most(mplan_plan *plan)
{
    plan->sets[mplan_plan_find_set(plan, "cells")].layers++;
}
static void of_least(mplan_plan *plan)
{
    plan->sets[mplan_plan_find_set(plan, "cells")].layers_least++;
}
static void of_digit(mplan_plan *plan)
{
    char *text = (char *)(uintptr_t)strstr(plan->request, " ranges ") + 8;
    *text = *text == '0' ? '1' : '0';
}
static void of_letter(mplan_plan *plan)
{
    char *text = (char *)(uintptr_t)strstr(plan->request, " ranges ") + 8;
    *text = 'G';
}

static void changed_columns_are_refused(void **state)
{
    (void)state;
    static const struct {
        void (*change)(mplan_plan *plan);
        const char *why;
    } changes[] = {{of_halo, "but a part before it has"},
                   {of_inner, "is not that of the request"},
                   {of_mask, "has another mask than in a part before it"},
                   {of_inner_mask, "is not that of the request"},
                   {of_most, "leads out of its map or levels"},
                   {of_least, "its lowest column has"},
                   {of_digit, "in the manifest"},
                   {of_letter, "of the request is"},
                   {ring_of_halo, "which is at ring 2"}};
    fixture f;
    mplan_bundle *bundle;
    make(&f, 12, 12, true, false, MPLAN_COLUMNS_LAYERS);
    for (f.options.rings = 0; f.options.rings < 3; f.options.rings += 2) {
        write_bundle(&f, 3);
        assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            changed_source changed = {mplan_bundle_source(bundle), 2, changes[i].change};
            mplan_parts_source source = changed.from;
            source.user = &changed;
            source.read = read_changed;
            /* with rings another part may have the inner member, too */
            const bool inner = changes[i].change == of_inner || changes[i].change == of_inner_mask;
            if (f.options.rings > 0 || changes[i].change != ring_of_halo)
                assert_refused(mplan_parts_verify(&source, f.mesh, -1, NULL, &err),
                               MPLAN_ERR_DISPROVED, &err,
                               f.options.rings > 0 && inner ? "" : changes[i].why);
        }
        mplan_bundle_free(bundle);
    }
    drop(&f);
}

/* Rows of a matrix that is stored by owner lie in the halo, too, so those of one rank do not suffice. */
static void owner_matrices_need_all_rows(void **state)
{
    (void)state;
    fixture f;
    mplan_bundle *bundle;
    mplan_exec *exec;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    make(&f, 4, 4, false, false, MPLAN_COLUMNS_OWNER);
    write_bundle(&f, 2);
    options.executor = MPLAN_EXECUTOR_HOST;
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    options.device_memory = 1 << 30;
    assert_refused(mplan_exec_open_part(bundle, NULL, &options, NULL, &exec, &err),
                   MPLAN_ERR_ARGUMENT, &err, "was not made for a limited device memory");
    options.device_memory = 0;
    assert_done(mplan_exec_open_part(bundle, NULL, &options, NULL, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    const dat *m = &f.dats[dat_of("m")], *x = &f.dats[dat_of("x")];
    assert_refused(mplan_exec_upload_own(exec, "m", m->start, m->rows, 64, MPLAN_TYPE_F64, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "stored by owner");
    assert_done(mplan_exec_upload_own(exec, "x", x->start, x->rows, 1, MPLAN_TYPE_F64, &err), &err);
    assert_refused(mplan_exec_upload(exec, "x", x->start, x->rows / x->levels, 1, MPLAN_TYPE_F64,
                                     &err),
                   MPLAN_ERR_ARGUMENT, &err, "its levels for each member");
    mplan_exec_close(exec);
    mplan_bundle_free(bundle);
    drop(&f);
}

/* The k-th allocation fails: while the mesh is cut and its bundle written, while the bundle is proved, or while a function is
 * bound in its parts, of which the first may have it and the second not. */
static mplan_status cut_and_write(fixture *f)
{
    mplan_parts *parts;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 1;
    how.n_parts = 2;
    mplan_status status = mplan_parts_create(f->mesh, N_LOOPS, loops, &f->options, &how, &context,
                                             &parts, &err);
    if (status)
        return status;
    status = mplan_parts_write(parts, bundle_path, NULL, &context, NULL, &err);
    mplan_parts_free(parts);
    return status;
}

static mplan_status open_and_prove(fixture *f)
{
    mplan_bundle *bundle;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 1;
    mplan_status status = mplan_bundle_open(bundle_path, NULL, &bundle, &err);
    if (status)
        return status;
    const mplan_parts_source source = mplan_bundle_source(bundle);
    status = mplan_parts_verify(&source, f->mesh, -1, &context, &err);
    mplan_bundle_free(bundle);
    return status;
}

static void doubled(void *const *views, const int32_t layer[3], const void *user)
{
    double *res = views[2];
    (void)layer, (void)user;
    for (int i = 0; i < 4; i++)
        res[i] = 2 * ((const double *)views[0])[i];
}
static mplan_status bind_and_run(fixture *f)
{
    mplan_bundle *bundle;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    (void)f;
    options.executor = MPLAN_EXECUTOR_HOST;
    mplan_status status = mplan_bundle_open(bundle_path, NULL, &bundle, &err);
    if (status)
        return status;
    status = mplan_exec_open_part(bundle, NULL, &options, NULL, &exec, &err);
    mplan_bundle_free(bundle);
    if (status)
        return status;
    status = mplan_exec_declare_all(exec, &err);
    if (!status)
        status = mplan_exec_bind_layer_function(exec, "flux", -1, doubled, &bound, &err);
    if (!status)
        status = mplan_exec_launch_function(exec, bound, NULL, &err);
    mplan_exec_close(exec);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static mplan_status (*const calls[])(fixture * f) = {cut_and_write, open_and_prove, bind_and_run};
    fixture f;
    make(&f, 2, 2, true, false, MPLAN_COLUMNS_LAYERS);
    write_bundle(&f, 2); /* what is derived in the mesh is there */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int64_t k = 0;; k += support_every(13)) {
            const int64_t live = support_memory.live;
            support_memory.left = k;
            support_memory.fired = false;
            support_memory.armed = true;
            const mplan_status status = calls[i](&f);
            support_memory.armed = false;
            assert_int_equal(status, support_memory.fired ? MPLAN_ERR_MEMORY : MPLAN_OK);
            assert_int_equal(support_memory.live, live);
            if (!support_memory.fired)
                break;
        }
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_columns_are_refused),
        cmocka_unit_test(owner_matrices_need_all_rows),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
