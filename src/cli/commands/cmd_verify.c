/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_verify.c - meshplan verify: proves that a plan holds what it promises */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"

typedef struct verify_options {
    const char *mesh, *from, *zone;
    cli_texts map, coordinates;
} verify_options;

#define TARGET(member) offsetof(verify_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "mesh", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(mesh),
     .help = "the mesh, table or job of the plan; - is standard input"},
    CLI_MAP_OPTION(TARGET(map)),
    CLI_COORDINATES_OPTION(TARGET(coordinates)),
    CLI_FROM_OPTION(TARGET(from), "the mesh"),
    CLI_ZONE_OPTION(TARGET(zone)),
    {.name = NULL},
};
/* clang-format on */

/* Whether any variant of any loop has it: what is proved of a strategy is said once. */
static bool has_strategy(const mplan_plan *plan, mplan_strategy strategy)
{
    for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, i);
        for (int32_t v = 0; v < loop->n_variants; v++) {
            if (loop->variants[v].strategy == strategy)
                return true;
        }
    }
    return false;
}

/* Whether a variant sums rows in the order of the mesh. */
static bool adds_by_mesh(const mplan_plan *plan)
{
    for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, i);
        for (int32_t v = 0; v < loop->n_variants; v++)
            if (loop->variants[v].sums_order == MPLAN_SUMS_ORDER_MESH)
                return true;
    }
    return false;
}

/* Whether a set is a group's. */
static bool has_groups(const mplan_plan *plan)
{
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++)
        if (mplan_plan_get_set(plan, s)->parent[0])
            return true;
    return false;
}

/* Line i of what a verified plan was proved to hold; NULL where it does not
 * apply. Strategies are between blocks and figures. */
static const char *proved_line(const mplan_plan *plan, int i)
{
    const int strategy = i - 3;
    if (i == 0)
        return "orders are injective and inverse to each other; maps and offsets are in range";
    if (i == 1)
        return mplan_plan_n_block_sets(plan)
                   ? "blocks contain every element once and keep their limits; their points and "
                     "local ids are exact"
                   : NULL;
    if (i == 2)
        return has_groups(plan) ? "groups are members of their sets, each once; their maps are rows "
                                  "of those sets' maps in the plan"
                                : NULL;
    if (strategy < MPLAN_N_STRATEGIES)
        return has_strategy(plan, (mplan_strategy)strategy)
                   ? mplan_strategy_proof((mplan_strategy)strategy)
                   : NULL;
    if (strategy == MPLAN_N_STRATEGIES)
        return adds_by_mesh(plan) ? "sums of owner-gather and two-step are in the order of the "
                                    "mesh's own element numbers: equal bits in every plan"
                                  : NULL;
    return strategy == MPLAN_N_STRATEGIES + 1
               ? "stored figures equal recomputed ones"
               : "loops, args, limits, variants and orders are those of the request that the plan "
                 "carries";
}
#define N_PROVED (MPLAN_N_STRATEGIES + 6)

/* Whether the plan says anything of a field that cannot be proved: few have sections VARIANTS2 and VISIT. */
static bool is_said(const mplan_plan *plan, const char *field)
{
    static const char later[] = "VARIANTS2.", visit[] = "VISIT.";
    if (strncmp(field, visit, sizeof visit - 1) == 0)
        return mplan_plan_get_visit(plan) != NULL;
    if (strncmp(field, later, sizeof later - 1) != 0)
        return true;
    for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, i);
        for (int32_t v = 0; v < loop->n_variants; v++)
            if (loop->variants[v].sums_order || loop->variants[v].slice_rows ||
                loop->variants[v].runner_up || loop->variants[v].predicted_ns ||
                loop->variants[v].runner_up_ns || loop->variants[v].reason)
                return true;
    }
    return false;
}

/* reason: why the plan was refuted, and shown: with the plan's name before it; neither is read if
 * proof is MPLAN_OK. "proved" and "unproved" are
 * empty for a plan that does not hold: nothing can be said of it then. */
static mplan_status write_json(const cli_call *call, const mplan_plan *plan, bool with_mesh,
                               mplan_status proof, const mplan_error *reason,
                               const mplan_error *shown, mplan_error *err)
{
    const verify_options *given = call->options;
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "plan", call->words[0]);
    cli_json_text(&json, "mesh", given->mesh);
    cli_json_bool(&json, "holds", proof == MPLAN_OK);
    cli_json_bool(&json, "mesh_checked", with_mesh);
    cli_json_text(&json, "status", mplan_status_name(proof));
    cli_json_text(&json, "reason", proof ? reason->text : NULL);
    cli_json_open(&json, "proved", '[');
    for (int i = 0; i < N_PROVED && !proof; i++) {
        if (proved_line(plan, i))
            cli_json_text(&json, NULL, proved_line(plan, i));
    }
    cli_json_close(&json, ']');
    cli_json_open(&json, "unproved", '[');
    for (int32_t i = 0; mplan_unproved_field(i) && !proof; i++)
        if (is_said(plan, mplan_unproved_field(i)))
            cli_json_text(&json, NULL, mplan_unproved_field(i));
    cli_json_close(&json, ']');
    return cli_results_write(&json, call, proof, shown, err);
}

/* What was proved, line by line, and what was not since there was no mesh. mesh: its path, "the
 * tables", or NULL; job: the path is a job's. */
static void report(const char *path, const mplan_plan *plan, const char *mesh, bool job)
{
    printf("%s: the plan is proved\n", cli_shown(path));
    for (int i = 0; i < N_PROVED; i++) {
        if (proved_line(plan, i))
            printf("  %s\n", proved_line(plan, i));
    }
    if (mesh)
        printf("  sets, maps and fingerprints agree with %s\n", cli_shown(mesh));
    if (mesh && job)
        printf("  loops, args and options are those of %s\n", cli_shown(mesh));
    if (!mesh)
        printf("Agreement with the mesh was not checked: give --mesh.\n");
}

/* What the plan says and nothing can prove, and why. A field is "NAME: reason"; without reasons
 * names only. */
static void report_unproved(const mplan_plan *plan, bool reasons)
{
    printf("Not provable (meshplan-plan(5)%s):", reasons ? "" : "; why: -v");
    for (int32_t i = 0; mplan_unproved_field(i); i++) {
        const char *field = mplan_unproved_field(i);
        if (!is_said(plan, field))
            continue;
        if (reasons)
            printf("\n  %s", field);
        else
            printf("%s %.*s", i ? "," : "", (int)strcspn(field, ":"), field);
    }
    putchar('\n');
}

/* A job says what its plan must be for: given->mesh is its path. The mesh of the job was read
 * before, by itself. */
static mplan_status compare_job(const cli_call *call, const mplan_plan *plan, mplan_mesh *mesh,
                                mplan_error *err)
{
    const verify_options *given = call->options;
    mplan_job *job = NULL;
    mplan_status status = mplan_job_read(given->mesh, call->context, &job, err);
    if (!status)
        status = mplan_plan_compare_request(plan, mesh, job->n_loops, job->loops, job->options,
                                            call->context, err);
    mplan_job_free(job);
    return status;
}

/* mesh: NULL: everything is proved but the agreement with it. The JSON is written for a plan
 * that was refuted, too, since that is a result; for a failure to prove (memory, a signal) it is
 * not. */
static mplan_status prove(const cli_call *call, const mplan_plan *plan, mplan_mesh *mesh,
                          mplan_error *err)
{
    const verify_options *given = call->options;
    bool job = given->mesh && cli_is_job(given->mesh);
    mplan_status status = mplan_plan_verify(plan, mesh, call->context, err);
    if (!status && job)
        status = compare_job(call, plan, mesh, err);
    bool refuted = status == MPLAN_ERR_DISPROVED || status == MPLAN_ERR_OTHER_MESH ||
                   status == MPLAN_ERR_OTHER_REQUEST;
    if (!status && call->report)
        report(call->words[0], plan, given->mesh ? given->mesh : mesh ? "the tables" : NULL, job);
    if (!status && call->report)
        report_unproved(plan, call->verbose);
    mplan_error failed, reason = *err;
    if (refuted)
        cli_fail(err, status, "%s: %.*s", call->words[0], (int)sizeof reason.text / 2, reason.text);
    if (call->json && (!status || refuted)) {
        mplan_status wrote = write_json(call, plan, mesh != NULL, status, &reason, err, &failed);
        if (wrote) {
            *err = failed;
            return wrote;
        }
    }
    return status;
}

/* Exit 1 is a verdict; a plan that cannot be read is not one. */
static mplan_status run_verify(const cli_call *call, mplan_error *err)
{
    const verify_options *given = call->options;
    const char *path = call->words[0];
    cli_mesh_source source = {given->mesh,         given->from, &given->map,
                              &given->coordinates, given->zone, NULL};
    mplan_plan *plan = NULL;
    mplan_mesh *mesh = NULL;
    mplan_status status = cli_check_source("verify", path, &source, err);
    if (!status)
        status = mplan_plan_read(path, call->context, &plan, err);
    if (!status && cli_has_source(&source))
        status = cli_mesh_load_for(plan, &source, call->context, &mesh, err);
    if (!status)
        status = prove(call, plan, mesh, err);
    mplan_mesh_free(mesh);
    mplan_plan_free(plan);
    return status;
}

const cli_command cli_command_verify = {
    .name = "verify",
    .arguments = "PLAN [--mesh FILE] [OPTION]...",
    .summary = "prove that a plan is correct",
    .details = "Proves a plan with code that shares nothing with the planner, and lists what "
               "was proved. Without --mesh (or --map) everything is proved except that the plan "
               "agrees with the mesh. With a job its loops, args and options are also compared. "
               "Exit code 1 means that the plan is wrong, or is for another mesh or request.",
    .options = options,
    .options_size = sizeof(verify_options),
    .least_words = 1,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_verify,
};
