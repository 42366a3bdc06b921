/* SPDX-License-Identifier: Apache-2.0 */
/* support_cases.c - one right plan, and a line for each thing that is changed in it */
#include "support_cases.h"

static void keep(support_cases *cases, const void *at, size_t size)
{
    support_region *region = &cases->regions[cases->n_regions++];
    assert_true(cases->n_regions <= (int)(sizeof cases->regions / sizeof *cases->regions));
    *region = (support_region){(void *)(uintptr_t)at, malloc(size + 1), size};
    assert_non_null(region->copy);
    if (size)
        memcpy(region->copy, at, size);
}

static void keep_plan(support_cases *cases)
{
    const mplan_plan *plan = cases->plan;
    keep(cases, plan, sizeof *plan);
    keep(cases, plan->sets, (size_t)plan->n_sets * sizeof *plan->sets);
    keep(cases, plan->maps, (size_t)plan->n_maps * sizeof *plan->maps);
    keep(cases, plan->loops, (size_t)plan->n_loops * sizeof *plan->loops);
    for (int32_t l = 0; l < plan->n_loops; l++) {
        const mplan_plan_loop *loop = &plan->loops[l];
        keep(cases, loop->args, (size_t)loop->n_args * sizeof *loop->args);
        keep(cases, loop->variants, (size_t)loop->n_variants * sizeof *loop->variants);
    }
    keep(cases, plan->block_sets, (size_t)plan->n_block_sets * sizeof *plan->block_sets);
    keep(cases, plan->metrics, (size_t)plan->n_metrics * sizeof *plan->metrics);
    keep(cases, plan->arrays, (size_t)plan->n_arrays * sizeof *plan->arrays);
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const mplan_array *array = &plan->arrays[i];
        keep(cases, array->data, (size_t)(array->rows * array->cols) * mplan_type_size(array->type));
    }
}

static void keep_check(support_cases *cases)
{
    const mplan_check *check = &cases->check;
    keep(cases, check, sizeof *check);
    keep(cases, check->loops, (size_t)cases->plan->n_loops * sizeof *check->loops);
    for (int32_t l = 0; l < cases->plan->n_loops; l++) {
        const mplan_check_loop *loop = &check->loops[l];
        keep(cases, loop->maps, (size_t)loop->n_maps * sizeof *loop->maps);
        keep(cases, loop->written, (size_t)loop->n_maps * sizeof *loop->written);
        keep(cases, loop->sets, (size_t)loop->n_sets * sizeof *loop->sets);
        keep(cases, loop->dats, (size_t)loop->n_dats * sizeof *loop->dats);
    }
    keep(cases, check->pairs, (size_t)check->n_pairs * sizeof *check->pairs);
    keep(cases, &cases->asked, sizeof cases->asked);
}

void support_cases_open(support_cases *cases, mplan_mesh *mesh, mplan_plan *plan)
{
    static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};
    mplan_error err;
    *cases = (support_cases){.mesh = mesh, .plan = plan};
    cases->check = (mplan_check){.plan = plan, .context = &one_thread, .threads = 1};
    assert_done(mplan_check_loops(&cases->check, &err), &err);
    keep_plan(cases);
    keep_check(cases);
}

void support_cases_asked(support_cases *cases)
{
    memcpy(cases->regions[cases->n_regions - 1].copy, &cases->asked, sizeof cases->asked);
}

static void restore(support_cases *cases)
{
    for (int i = 0; i < cases->n_regions; i++)
        if (cases->regions[i].size)
            memcpy(cases->regions[i].at, cases->regions[i].copy, cases->regions[i].size);
}

void support_cases_close(support_cases *cases)
{
    restore(cases);
    for (int32_t l = 0; l < cases->plan->n_loops; l++) {
        free(cases->check.loops[l].maps);
        free(cases->check.loops[l].written);
        free(cases->check.loops[l].sets);
        free(cases->check.loops[l].dats);
    }
    free(cases->check.loops);
    free(cases->check.pairs);
    for (int i = 0; i < cases->n_regions; i++)
        free(cases->regions[i].copy);
    mplan_plan_free(cases->plan);
    mplan_mesh_free(cases->mesh);
}

void support_cases_expect(support_cases *cases, const char *file, int line, const char *reason)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_status status = cases->proof(cases, &err);
    restore(cases);
    if (!reason && status != MPLAN_OK)
        fail_msg("%s:%d: refused: %s", file, line, err.text);
    if (reason && status != MPLAN_ERR_DISPROVED)
        fail_msg("%s:%d: got '%s' (%s)", file, line, mplan_status_name(status), err.text);
    if (reason && !strstr(err.text, reason))
        fail_msg("%s:%d: '%s' is not in: %s", file, line, reason, err.text);
}
