/* SPDX-License-Identifier: Apache-2.0 */
/* mutation_cases.h - mutations of the fixed plan, each with the reason that it must be refused for */
#ifndef MPLAN_MUTATION_CASES_H
#define MPLAN_MUTATION_CASES_H

#include "support_check.h"
#include "support_test.h"

/* Thousands of small plans are faster without threads. */
static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

/* Every mutation takes the fixed plan; its name and the reason follow below. */
#define MUTATE(name_) static void name_(mplan_plan *plan)

typedef struct mutation {
    void (*mutate)(mplan_plan *plan);
    const char *name, *reason;
} mutation;
#define CASE(name_, reason_)   \
    {                          \
        name_, #name_, reason_ \
    }

/* Texts that a mutation put in place of owned ones go back before the release. */
static inline void check_mutations(const mutation *mutations, size_t n)
{
    mplan_mesh *mesh = support_fixed_mesh();
    for (size_t i = 0; i < n; i++) {
        mplan_error err = {MPLAN_OK, ""};
        mplan_plan *plan = support_fixed_plan(mesh);
        assert_done(support_verify(plan, NULL, &one_thread, &err), &err);
        const char *sets[2] = {plan->sets[1].name, plan->sets[0].split};
        const char *split = plan->sets[BOUNDARY_SET].split;
        const char *map = plan->maps[1].name, *loop = plan->loops[1].name;
        const char *dats[4], *direct = plan->loops[1].args[0].dat;
        for (int32_t a = 0; a < 4; a++)
            dats[a] = plan->loops[0].args[a].dat;
        const int32_t n_metrics = plan->n_metrics;
        mutations[i].mutate(plan);
        mplan_status status = support_verify(plan, NULL, &one_thread, &err);
        if (status != MPLAN_ERR_DISPROVED)
            fail_msg("%s: got '%s' (%s)", mutations[i].name, mplan_status_name(status), err.text);
        if (!strstr(err.text, mutations[i].reason))
            fail_msg("%s: '%s' is not in: %s", mutations[i].name, mutations[i].reason, err.text);
        plan->sets[1].name = sets[0];
        plan->sets[0].split = sets[1];
        plan->sets[BOUNDARY_SET].split = split;
        plan->maps[1].name = map;
        plan->loops[1].name = loop;
        for (int32_t a = 0; a < 4; a++)
            arg_of(plan, 0, a)->dat = dats[a];
        arg_of(plan, 1, 0)->dat = direct;
        plan->n_metrics = n_metrics;
        mplan_plan_free(plan);
    }
    mplan_mesh_free(mesh);
}

#endif
