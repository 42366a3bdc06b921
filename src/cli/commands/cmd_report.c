/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_report.c - meshplan report: a plan as an HTML page */
#include <stdio.h>
#include <string.h>

#include "cli/bundle_file.h"
#include "cli/command.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/output.h"

typedef struct report_options {
    const char *output, *mesh, *from, *zone, *loop;
    cli_texts map, coordinates;
    cli_int variant;
} report_options;

#define TARGET(member) offsetof(report_options, member)
/* clang-format off */
static const cli_option options[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(output),
     .help = "the page; - is standard output; required"},
    {.name = "mesh", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(mesh),
     .help = "the mesh or job of the plan, for pictures; - is standard input"},
    CLI_MAP_OPTION(TARGET(map)),
    CLI_COORDINATES_OPTION(TARGET(coordinates)),
    CLI_FROM_OPTION(TARGET(from), "the mesh"),
    CLI_ZONE_OPTION(TARGET(zone)),
    {.name = "loop", .kind = CLI_TEXT, .argument = "NAME", .target = TARGET(loop),
     .help = "the loop of the pictures (default: the primary loop)"},
    {.name = "variant", .kind = CLI_INT, .argument = "N", .target = TARGET(variant), .least = 0,
     .most = INT32_MAX, .help = "the variant of the loop, from 0 (default: the default variant)"},
    {.name = NULL},
};
/* clang-format on */

/* The title is the plan's name without its folder. mesh may be NULL. The library proves the plan
 * first, also without a mesh, since a chart of wrong figures would convince. */
static mplan_status write_report(const cli_call *call, const mplan_plan *plan, mplan_mesh *mesh,
                                 mplan_error *err)
{
    const report_options *given = call->options;
    const char *path = call->words[0], *name = strrchr(path, '/');
    mplan_view_options view = MPLAN_VIEW_OPTIONS_INIT;
    view.loop = given->loop;
    if (given->variant.given)
        view.variant = (int32_t)given->variant.value;
    mplan_status status = mplan_plan_report(plan, mesh, given->output, name ? name + 1 : path,
                                            &view, call->context, err);
    if (status == MPLAN_ERR_DISPROVED || status == MPLAN_ERR_OTHER_MESH) {
        mplan_error reason = *err;
        cli_fail(err, status, "%s: %.*s", path, (int)sizeof reason.text / 2, reason.text);
    }
    if (!status && call->report && strcmp(given->output, "-"))
        printf("%s: a report on %s%s\n", cli_shown(given->output), cli_shown(path),
               mesh ? "" : ", without pictures (--mesh)");
    return status;
}

/* A bundle: its parts, and what they need of one another. */
static mplan_status report_bundle(const cli_call *call, const cli_mesh_source *source,
                                  mplan_error *err)
{
    const report_options *given = call->options;
    const char *path = call->words[0], *name = strrchr(path, '/');
    mplan_bundle *bundle = NULL;
    mplan_plan *plan = NULL; /* of part 0: it tells the zone */
    mplan_mesh *mesh = NULL;
    if (given->loop || given->variant.given)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "report: --%s is for plans, %s is a bundle; 'meshplan split' makes plans of it",
                        given->loop ? "loop" : "variant", path);
    mplan_status status = mplan_bundle_open(path, call->context, &bundle, err);
    if (!status && cli_has_source(source))
        status = mplan_bundle_read_part(bundle, 0, call->context, &plan, err);
    if (!status && cli_has_source(source))
        status = cli_mesh_load_for(plan, source, call->context, &mesh, err);
    if (!status) {
        const mplan_parts_source of = mplan_bundle_source(bundle);
        status = mplan_parts_report(&of, mesh, given->output, name ? name + 1 : path, call->context,
                                    err);
    }
    if (!status && call->report && strcmp(given->output, "-"))
        printf("%s: a report on %s%s\n", cli_shown(given->output), cli_shown(path),
               mesh ? "" : ", without a picture (--mesh)");
    mplan_mesh_free(mesh);
    mplan_plan_free(plan);
    mplan_bundle_free(bundle);
    return status;
}

/* The mesh is optional: without it there are no pictures. */
static mplan_status run_report(const cli_call *call, mplan_error *err)
{
    const report_options *given = call->options;
    const char *path = call->words[0];
    cli_mesh_source source = {given->mesh,         given->from, &given->map,
                              &given->coordinates, given->zone, NULL};
    mplan_plan *plan = NULL;
    mplan_mesh *mesh = NULL;
    if (!given->output)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "report: -o FILE is required");
    mplan_status status = cli_check_source("report", path, &source, err);
    if (!status)
        status = cli_files_output(call->files, given->output, err);
    if (!status && cli_is_bundle(path))
        return report_bundle(call, &source, err);
    if (!status)
        status = mplan_plan_read(path, call->context, &plan, err);
    if (!status && cli_has_source(&source))
        status = cli_mesh_load_for(plan, &source, call->context, &mesh, err);
    if (!status)
        status = write_report(call, plan, mesh, err);
    mplan_mesh_free(mesh);
    mplan_plan_free(plan);
    return status;
}

const cli_command cli_command_report = {
    .name = "report",
    .arguments = "PLAN|BUNDLE [--mesh FILE] -o FILE.html [OPTION]...",
    .summary = "write an HTML page about a plan or a bundle: figures, charts, pictures, warnings",
    .details = "Writes one HTML page that needs neither network nor scripts: the figures of the "
               "plan with their bounds, histograms of blocks and colours, warnings, the matrix "
               "of neighbours before and after, and with --mesh pictures of blocks, colours and "
               "order on the mesh. Of a bundle it shows parts on the mesh, halos by neighbour and the "
               "parts with the largest halos. All is proved first.",
    .options = options,
    .options_size = sizeof(report_options),
    .least_words = 1,
    .most_words = 1,
    .has_json = true,
    .inputs = 1,
    .run = run_report,
};
