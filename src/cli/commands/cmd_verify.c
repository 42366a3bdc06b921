/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_verify.c - meshplan verify: proves that a plan holds what it promises */
#include <stdio.h>
#include <string.h>

#include "cli/bundle_file.h"
#include "cli/command.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/proof_lines.h"
#include "cli/results.h"

/* The mesh may be a job, which is compared, too; map and coordinates make a mesh of tables where
 * there is none. part: of a bundle only. */
typedef struct verify_options {
    const char *mesh, *from, *zone;
    cli_texts map, coordinates;
    cli_int part;
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
    {.name = "part", .kind = CLI_INT, .argument = "I", .target = TARGET(part), .least = 0,
     .most = INT32_MAX, .help = "of a bundle only this part, from 0, by itself (default: all parts)"},
    {.name = NULL},
};
/* clang-format on */

/* What is proved: a plan, or a bundle, all parts of it or one. */
typedef struct subject {
    mplan_plan *plan; /* of a bundle that of the first part that is proved; not while it is proved */
    mplan_bundle *bundle; /* NULL: the plan is a file of its own */
    int32_t part;         /* of the bundle; -1: all */
} subject;

/* Whether all parts of a bundle are proved, and that they fit together. */
static bool is_all(const subject *about)
{
    return about->bundle && about->part < 0;
}

/* reason: why the plan was refuted, and shown: with the plan's name before it; neither is read if
 * proof is MPLAN_OK. "proved" and "unproved" are
 * empty for a plan that does not hold: nothing can be said of it then. */
static mplan_status write_json(const cli_call *call, const subject *about, bool with_mesh,
                               mplan_status proof, const mplan_error *reason,
                               const mplan_error *shown, mplan_error *err)
{
    const verify_options *given = call->options;
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "plan", call->words[0]);
    if (about->bundle)
        cli_json_int(&json, "parts", mplan_bundle_n_parts(about->bundle));
    if (about->bundle && about->part >= 0)
        cli_json_int(&json, "part", about->part);
    cli_json_text(&json, "mesh", given->mesh);
    cli_json_bool(&json, "holds", proof == MPLAN_OK);
    cli_json_bool(&json, "mesh_checked", with_mesh);
    cli_json_text(&json, "status", mplan_status_name(proof));
    cli_json_text(&json, "reason", proof ? reason->text : NULL);
    cli_proof_json(&json, proof ? NULL : about->plan, is_all(about));
    return cli_results_write(&json, call, proof, shown, err);
}

/* What was proved, line by line, and what was not since there was no mesh. mesh: its path, "the
 * tables", or NULL; job: the path is a job's. */
static void report(const char *path, const subject *about, const char *mesh, bool job)
{
    if (is_all(about))
        printf("%s: the plans of all %d parts are proved\n", cli_shown(path),
               (int)mplan_bundle_n_parts(about->bundle));
    else if (about->bundle)
        printf("%s: the plan of part %d is proved\n", cli_shown(path), (int)about->part);
    else
        printf("%s: the plan is proved\n", cli_shown(path));
    for (int i = 0; i < CLI_PROOF_LINES; i++) {
        const char *line = cli_proof_line(about->plan, is_all(about), i);
        if (line)
            printf("  %s\n", line);
    }
    if (mesh)
        printf("  sets, maps and fingerprints agree with %s\n", cli_shown(mesh));
    if (mesh && job)
        printf("  loops, args and options are those of %s\n", cli_shown(mesh));
    if (!mesh)
        printf("Agreement with the mesh was not checked: give --mesh.\n");
    if (mplan_plan_part(about->plan) >= 0 && !is_all(about))
        printf("Agreement with the other parts was not checked: verify the whole bundle.\n");
}

/* What the plan says and nothing can prove, and why. A field is "NAME: reason"; without reasons
 * names only. */
static void report_unproved(const mplan_plan *plan, bool reasons)
{
    printf("Not provable (meshplan-plan(5)%s):", reasons ? "" : "; why: -v");
    for (int32_t i = 0; mplan_unproved_field(i); i++) {
        const char *field = mplan_unproved_field(i);
        if (!cli_proof_says(plan, field))
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

/* Reads the plan of the part that is asked for, or of part 0, into about->plan, which is NULL
 * before. What is reported of a bundle is by this plan: all parts have the same loops and
 * strategies. */
static mplan_status read_first(const cli_call *call, subject *about, mplan_error *err)
{
    return mplan_bundle_read_part(about->bundle, about->part < 0 ? 0 : about->part, call->context,
                                  &about->plan, err);
}

/* A bundle: without the plan that told what to derive in the mesh, so that memory holds one at a time. */
static mplan_status prove_subject(const cli_call *call, subject *about, mplan_mesh *mesh,
                                  mplan_error *err)
{
    if (!about->bundle)
        return mplan_plan_verify(about->plan, mesh, call->context, err);
    mplan_plan_free(about->plan);
    about->plan = NULL;
    const mplan_parts_source source = mplan_bundle_source(about->bundle);
    mplan_status status = mplan_parts_verify(&source, mesh, about->part, call->context, err);
    return status ? status : read_first(call, about, err);
}

/* mesh: NULL: everything is proved but the agreement with it. The JSON is written for a plan
 * that was refuted, too, since that is a result; for a failure to prove (memory, a signal) it is
 * not. */
static mplan_status prove(const cli_call *call, subject *about, mplan_mesh *mesh, mplan_error *err)
{
    const verify_options *given = call->options;
    bool job = given->mesh && cli_is_job(given->mesh);
    mplan_status status = prove_subject(call, about, mesh, err);
    if (!status && job)
        status = compare_job(call, about->plan, mesh, err);
    bool refuted = status == MPLAN_ERR_DISPROVED || status == MPLAN_ERR_OTHER_MESH ||
                   status == MPLAN_ERR_OTHER_REQUEST;
    if (!status && call->report)
        report(call->words[0], about, given->mesh ? given->mesh : mesh ? "the tables" : NULL, job);
    if (!status && call->report)
        report_unproved(about->plan, call->verbose);
    mplan_error failed, reason = *err;
    if (refuted)
        cli_fail(err, status, "%s: %.*s", call->words[0], (int)sizeof reason.text / 2, reason.text);
    if (call->json && (!status || refuted)) {
        mplan_status wrote = write_json(call, about, mesh != NULL, status, &reason, err, &failed);
        if (wrote) {
            *err = failed;
            return wrote;
        }
    }
    return status;
}

/* The plan, or the bundle and the plan of its first part that is to be proved: loading the mesh
 * needs one, to know what to derive. *about is released by the caller, also after a failure. */
static mplan_status open_subject(const cli_call *call, subject *about, mplan_error *err)
{
    const verify_options *given = call->options;
    const char *path = call->words[0];
    *about = (subject){.part = given->part.given ? (int32_t)given->part.value : -1};
    if (!cli_is_bundle(path))
        return given->part.given ? cli_fail_no_bundle("verify: --part", path, err)
                                 : mplan_plan_read(path, call->context, &about->plan, err);
    mplan_status status = mplan_bundle_open(path, call->context, &about->bundle, err);
    return status ? status : read_first(call, about, err);
}

/* words: a plan or a bundle. Exit 1 is a verdict; a plan that cannot be read is not one. The
 * plan is read before the mesh, which is loaded by the zone that the plan names, unless --zone
 * names one. */
static mplan_status run_verify(const cli_call *call, mplan_error *err)
{
    const verify_options *given = call->options;
    const char *path = call->words[0];
    cli_mesh_source source = {given->mesh,         given->from, &given->map,
                              &given->coordinates, given->zone, NULL};
    mplan_mesh *mesh = NULL;
    subject about = {.part = -1};
    mplan_status status = cli_check_source("verify", path, &source, err);
    if (!status)
        status = open_subject(call, &about, err);
    if (!status && cli_has_source(&source))
        status = cli_mesh_load_for(about.plan, &source, call->context, &mesh, err);
    if (!status)
        status = prove(call, &about, mesh, err);
    mplan_mesh_free(mesh);
    mplan_plan_free(about.plan);
    mplan_bundle_free(about.bundle);
    return status;
}

const cli_command cli_command_verify = {
    .name = "verify",
    .arguments = "PLAN|BUNDLE [--mesh FILE] [OPTION]...",
    .summary = "prove that a plan, or every part of a bundle, is correct",
    .details = "Proves a plan with code that shares nothing with the planner, and lists what "
               "was proved. Without --mesh (or --map) everything is proved except that the plan "
               "agrees with the mesh. Of a bundle each part is proved, and that all parts "
               "together are one plan of the mesh. With a job its loops, args and options are also compared. "
               "Exit code 1 means that the plan is wrong, or is for another mesh or request.",
    .options = options,
    .options_size = sizeof(verify_options),
    .least_words = 1,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_verify,
};
