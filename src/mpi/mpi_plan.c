/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_plan.c - meshplan-mpi plan: from a mesh that no rank holds to a proved bundle
 *
 * All ranks run the same steps: the request, the mesh, the loops, the parts, their plans and the bundle, the
 * report. Options are read by every rank from its own command line; a job by every rank from the file, which all
 * must see. A fault that one rank can meet for itself is agreed on before the next step is begun. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/mesh_source.h"
#include "cli/message.h"
#include "cli/plan_parts.h"
#include "cli/short_form.h"
#include "mesh/mesh.h"
#include "mpi/exchange.h"
#include "mpi/mpi_command.h"
#include "mpi/mpi_layers.h"
#include "mpi/mpi_parts.h"
#include "mpi/mpi_plan_report.h"
#include "mpi/mpi_ptscotch.h"
#include "mpi/mpi_read.h"
#include "mpi/mpi_stage.h"
#include "mpi/mpi_wishes.h"
#include "mpi/mpi_write.h"

/* What holds where neither the command line nor a job says anything. */
static const mplan_plan_options preset = MPLAN_PLAN_OPTIONS_INIT;

/* What one run holds; released as a whole by run_plan, on success and after a failure. Pointers to texts and loops
 * are borrowed from the command line, from `job` or from `made`, and stay as long as these. */
typedef struct plan_run {
    mplan_job *job;      /* NULL without one */
    mpi_mesh *mesh;      /* until the parts are made, NULL then */
    cli_short_loop made; /* the loop of the short form, and the names that it borrows */
    mpi_facts names;     /* of the mesh, for the loop of the short form only */
    const mplan_loop *loops;
    int32_t n_loops;
    mplan_plan_options request;
    const char *output; /* what is given, else what the job says */
    mpi_asked asked;    /* likewise */
    mpi_parts cut;      /* the parts of this rank, with all that they need */
} plan_run;

/* --- the request --------------------------------------------------------------------------------- */

/* What cannot be, before anything is read. Looks at options and at the job only, so that all ranks with the same
 * options refuse alike. Not collective. path: the job or mesh, for sentences. */
static mplan_status check_options(const mpi_plan_options *given, const plan_run *run,
                                  const char *path, mplan_error *err)
{
    const char *option = !run->job       ? NULL
                         : given->over   ? "over"
                         : given->inc.n  ? "inc"
                         : given->read.n ? "read"
                         : given->none   ? "none"
                         : given->from   ? "from"
                         : given->zone   ? "zone"
                                         : NULL;
    if (option)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "--%s cannot be combined with a job: its loops, maps and mesh are in %s",
                        option, path);
    if (run->job && (!run->job->mesh || run->job->n_tables || run->job->n_coordinates) &&
        !given->whole_input)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: ranks read a mesh file only, not tables; give --whole-input, with which rank 0 "
                        "reads all of it",
                        path);
    if (given->from && !given->whole_input)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--from needs --whole-input");
    if (!run->asked.parts)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "plan: --parts is missing");
    if (!run->output || !strcmp(run->output, "-"))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "plan: no output: give -o BUNDLE, which must be a file");
    return MPLAN_OK;
}

/* Who cuts. A job that names another partitioner is refused, unless the command line names one of ours. Not collective, as the
 * next. */
static mplan_status check_cut(const mpi_plan_options *given, const plan_run *run, mplan_error *err)
{
    const mpi_asked *asked = &run->asked;
    const bool by_job = !given->cut;
    if (!asked->cut || !strcmp(asked->cut, "native") || cli_parts_is_file(asked->parts))
        return given->cut_ranks.given && !mpi_asks_ptscotch(asked)
                   ? cli_fail(err, MPLAN_ERR_ARGUMENT, "--cut-ranks is for --cut ptscotch only")
                   : MPLAN_OK;
    if (!mpi_asks_ptscotch(asked))
        return cli_fail(err, MPLAN_ERR_UNSUPPORTED,
                        "%s%s%s: meshplan-mpi cuts by native and ptscotch only",
                        by_job ? "'cut: " : "--cut ", asked->cut, by_job ? "'" : "");
    return mpi_has_ptscotch() ? MPLAN_OK
                              : cli_fail(err, MPLAN_ERR_UNSUPPORTED,
                                         "%s: this build has not PT-SCOTCH with 64 bits",
                                         by_job ? "'cut: ptscotch'" : "--cut ptscotch");
}

/* A job, and which options hold: one of the command line goes before the same of the job, which goes before the
 * preset. Not collective; run_plan agrees on what it returns. */
static mplan_status load_request(const mpi_call *call, plan_run *run, mplan_error *err)
{
    const mpi_plan_options *given = call->options;
    mplan_status status = MPLAN_OK;
    run->request = preset;
    if (cli_is_job(call->word))
        status = mplan_job_read(call->word, call->context, &run->job, err);
    if (!status && run->job) {
        /* borrowed: the job stays until the end of the run */
        run->loops = run->job->loops;
        run->n_loops = run->job->n_loops;
        if (run->job->options)
            run->request = *run->job->options;
    }
    run->output = given->output ? given->output : run->job ? run->job->output : NULL;
    run->asked.parts = given->parts ? given->parts : run->job ? run->job->parts : NULL;
    run->asked.cut = given->cut ? given->cut : run->job ? run->job->cut : NULL;
    run->asked.cut_ranks = given->cut_ranks.given ? (int32_t)given->cut_ranks.value
                           : run->job             ? run->job->cut_ranks
                                                  : 0;
    if (!status)
        status = check_options(given, run, call->word, err);
    if (!status)
        status = check_cut(given, run, err);
    /* no output replaces an input, by whatever path either is named */
    if (!status && run->job)
        status = cli_files_input(call->cli->files, run->job->mesh, err);
    if (!status && cli_parts_is_file(run->asked.parts))
        status = cli_files_input(call->cli->files, run->asked.parts, err);
    if (!status)
        status = cli_files_input(call->cli->files, given->together, err);
    if (!status)
        status = cli_files_output(call->cli->files, run->output, err);
    return !status
               ? cli_planning_set(mpi_command_plan.planning, &given->planning, &run->request, err)
               : status;
}

/* --- the mesh ---------------------------------------------------------------------------------------- */

/* Rank 0 reads a mesh of any format, and deals it out. Collective: `serial` is NULL on all other ranks, and freed
 * on rank 0 when it is dealt out.
 * The reader needs memory for the whole mesh on rank 0, which afterwards has no more than others. */
static mplan_status deal_out(const mpi_call *call, plan_run *run, mplan_error *err)
{
    const mpi_plan_options *given = call->options;
    static const cli_texts none = {0};
    const cli_mesh_source source = {call->word, given->from, &none, &none, given->zone, NULL};
    mplan_mesh *serial = NULL;
    mplan_status status = MPLAN_OK;
    if (call->rank == 0)
        status = run->job ? mplan_job_load_mesh(run->job, call->context, &serial, err)
                          : cli_mesh_load(&source, call->context, &serial, err);
    status = mpi_agree(call->comm, status, err);
    if (!status)
        status = mpi_mesh_scatter(call->comm, serial, &run->mesh, err);
    mplan_mesh_free(serial);
    return status;
}

/* By byte ranges, unless the whole input is asked for. Collective. run->mesh: out, each rank with its ranges of
 * all sets. */
static mplan_status load_mesh(const mpi_call *call, plan_run *run, mplan_error *err)
{
    const mpi_plan_options *given = call->options;
    mpi_stage(MPI_STAGE_READ);
    if (given->whole_input) {
        const mplan_status dealt = deal_out(call, run, err);
        if (!dealt)
            run->mesh->context = call->context;
        return dealt;
    }
    const mpi_read_options how = {.readers = (int32_t)given->readers.value,
                                  .zone = run->job ? run->job->zone : given->zone,
                                  .context = call->context};
    mplan_status status = mpi_mesh_read(call->comm, run->job ? run->job->mesh : call->word, &how,
                                        &run->mesh, err);
    if (!status)
        run->mesh->context = call->context;
    return status || !run->job
               ? status
               : mpi_layers_of_job(run->mesh, run->job, how.readers, call->context, err);
}

/* The loop of the command line, by the names of the mesh. Collective; with a job there is nothing to do. Every
 * rank makes the same loop for itself, as names and sizes of sets and maps are on every rank. */
static mplan_status make_loop(const mpi_call *call, plan_run *run, mplan_error *err)
{
    const mpi_plan_options *given = call->options;
    cli_short_form form = {given->over, &given->inc, &given->read, MPLAN_NONE_REFUSE};
    if (run->job)
        return MPLAN_OK;
    if (given->none)
        mplan_none_from(given->none, &form.none);
    mplan_status status = mpi_facts_open(run->mesh, &run->names, err);
    if (!status && run->mesh->faces)
        status = mplan_mesh_set_faces_name(run->names.head, run->mesh->faces, err);
    if (!status)
        status = cli_short_loop_make(&form, run->names.head, &run->made, err);
    status = mpi_tell_of_groups(run->mesh, given->over, status, err);
    status = mpi_agree(call->comm, status, err);
    run->loops = &run->made.loop;
    run->n_loops = 1;
    return status;
}

/* --- parts -------------------------------------------------------------------------------------------- */

/* Whether a set may be there, or come to be: derived, of a group, split off. */
static bool may_be_set(const mpi_mesh *mesh, const char *name)
{
    static const char *const derived[] = {"faces", "boundary_faces", "edges"};
    bool may = mpi_mesh_find_set(mesh, name) >= 0 || strstr(name, "_boundary") != NULL;
    for (size_t i = 0; !may && mesh->dimension > 0 && i < sizeof derived / sizeof *derived; i++)
        may = strcmp(name, derived[i]) == 0;
    for (int32_t g = 0; !may && g < mesh->n_groups; g++)
        may = strcmp(name, mesh->groups[g].name) == 0;
    for (int32_t g = 0; !may && g < mesh->n_facets; g++)
        may = strcmp(name, mesh->facets[g].name) == 0;
    return may;
}

/* A set or map of a job that the mesh does not have is a mistake in the job, as it is where one process has the mesh (job/job_names.c); what it
 * has and no loop touches is a request that cannot be. Returns the status. */
static mplan_status judge_names(const plan_run *run, mplan_status status, mplan_error *err)
{
    if (!run->job || status != MPLAN_ERR_ARGUMENT)
        return status;
    bool unknown = strstr(err->text, "there is no set ") != NULL;
    const mplan_layers *layers = run->job->options ? run->job->options->layers : NULL;
    for (int32_t i = 0; layers && i < layers->n_sets && !unknown; i++) {
        const char *name = layers->sets[i].name;
        char text[MPLAN_ERROR_TEXT];
        snprintf(text, sizeof text, "layers of %s: no loop touches this set", name);
        unknown = strcmp(err->text, text) == 0 && !may_be_set(run->mesh, name);
        if (unknown)
            mplan_fail(err, MPLAN_ERR_CORRUPT, "layers of %s: there is no such set", name);
    }
    if (unknown)
        err->status = status = MPLAN_ERR_CORRUPT;
    return status;
}

/* What the request means, and the parts of this rank with all that they need. Collective. run->mesh is released
 * here, whatever comes out: it would be held beside the pieces while parts are planned. */
static mplan_status make_parts(const mpi_call *call, plan_run *run, mplan_error *err)
{
    int32_t cut = -1;
    mpi_wishes wishes = {0};
    mpi_parts_options how = {0};
    mplan_status status = mpi_parts_resolve(run->mesh, run->n_loops, run->loops, &run->cut, err);
    if (!status)
        status = mpi_parts_choose(run->n_loops, run->loops, &run->request, call->context, &run->cut,
                                  &cut, err);
    if (!status) {
        const planning *p = &run->cut.parts->whole.p;
        status = mpi_wishes_read(call, &run->asked, &run->mesh->sets[p->sets[cut].mesh_set],
                                 &wishes, &how, err);
    }
    /* wishes are borrowed until the parts are made */
    if (!status)
        status = mpi_parts_make(run->mesh, &how, call->context, &run->cut, err);
    mpi_wishes_free(&wishes);
    status = judge_names(run, status, err);
    mpi_mesh_free(run->mesh); /* all that is needed of it is in pieces */
    run->mesh = NULL;
    return status;
}

/* --- the command --------------------------------------------------------------------------------------------- */

/* Steps in their order. What is left of a step that failed is released at the end, on every rank. Releasing is not
 * collective, and all of it is in order for what was never made: `run` begins as zeros. */
static mplan_status run_plan(const mpi_call *call, mplan_error *err)
{
    const mpi_plan_options *given = call->options;
    plan_run run = {0};
    mpi_written written = {0};
    if (call->globals->verbose || call->cli->json)
        mpi_stage_peaks();
    mplan_status status = mpi_agree(call->comm, load_request(call, &run, err), err);
    if (!status)
        status = load_mesh(call, &run, err);
    if (!status)
        status = make_loop(call, &run, err);
    if (!status)
        status = make_parts(call, &run, err);
    const mpi_write_options how = {run.output, given->resume, given->compress,
                                   call->globals->verbose};
    if (!status)
        status = mpi_parts_write(call->comm, &run.cut, &how, call->context, &written, err);
    if (!status)
        status = mpi_plan_report(call, &run.cut, run.output, &written, err);
    if (status)
        mplan_job_locate(run.job, err);
    mpi_mesh_free(run.mesh);
    mpi_parts_free(&run.cut);
    cli_short_loop_free(&run.made);
    mpi_facts_close(&run.names);
    mplan_job_free(run.job);
    return status;
}

/* Where an option of the command line goes. */
#define TARGET(member) offsetof(mpi_plan_options, member)
/* Words of --none; NULL past the last. */
static const char *none_word(int32_t i)
{
    return mplan_none_name((mplan_none)i);
}

/* Words of --cut; NULL past the last. */
static const char *cut_word(int32_t i)
{
    static const char *const words[] = {"native", "ptscotch"};
    return i >= 0 && i < 2 ? words[i] : NULL;
}

/* clang-format off */
static const cli_option rows[] = {
    {.name = "output", .letter = 'o', .kind = CLI_TEXT, .argument = "BUNDLE", .target = TARGET(output),
     .help = "the bundle to write. Required if the job does not name one"},
    {.name = "parts", .kind = CLI_TEXT, .argument = "N|NxM|FILE", .target = TARGET(parts),
     .help = "cut the mesh into N parts, into M for each of N nodes, or as a part file says. Required if the job does not say it"},
    {.name = "cut", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(cut), .word = cut_word,
     .help = "who cuts the mesh: native, the same for any number of ranks, or ptscotch (default native)"},
    {.name = "cut-ranks", .kind = CLI_INT, .argument = "N", .target = TARGET(cut_ranks), .least = 1, .most = 65536,
     .help = "ranks that run PT-SCOTCH, at most (default 16)"},
    {.name = "weights", .kind = CLI_MANY, .argument = "SET=FILE", .target = TARGET(weights),
     .help = "what members of the set that is cut weigh, as of 'meshplan plan --parts'"},
    {.name = "together", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(together),
     .help = "members that stay in one part, as of 'meshplan plan --parts'"},
    {.name = "cut-imbalance", .kind = CLI_REAL, .argument = "L", .target = TARGET(cut_imbalance), .least = 1, .most = 1000,
     .help = "largest part by the mean, 1 or more (default 1.01)"},
    {.name = "resume", .kind = CLI_TEXT, .argument = "DIR", .target = TARGET(resume),
     .help = "keep plans of parts in the folder DIR until the bundle is whole, and take those that an earlier call left there"},
    {.name = "over", .kind = CLI_TEXT, .argument = "SET", .target = TARGET(over),
     .help = "the set that the loop runs over, as of 'meshplan plan'"},
    {.name = "inc", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(inc),
     .help = "maps through which the loop increments, as of 'meshplan plan'"},
    {.name = "read", .kind = CLI_LIST, .argument = "LIST", .target = TARGET(read),
     .help = "maps through which the loop reads, as of 'meshplan plan'"},
    {.name = "none", .kind = CLI_WORD, .argument = "WORD", .target = TARGET(none), .word = none_word,
     .help = "what to do with entries of -1 in a map (default refuse)"},
    CLI_FROM_OPTION(TARGET(from), "the input"),
    {.name = "readers", .kind = CLI_INT, .argument = "N", .target = TARGET(readers), .least = 1, .most = 65536,
     .help = "ranks of a node that read the input for its other ranks (default 4)"},
    {.name = "whole-input", .kind = CLI_FLAG, .target = TARGET(whole_input),
     .help = "rank 0 reads the whole input, of any format, and deals it out"},
    {.name = "zone", .kind = CLI_TEXT, .argument = "NAME", .target = TARGET(zone),
     .help = "which mesh to read from a file with several"},
    {.name = "compress", .kind = CLI_FLAG, .target = TARGET(compress),
     .help = "compress the plans; a reader must then inflate them"},
    {.name = NULL},
};
/* clang-format on */
static const cli_planning planning_rows = {.all = true, .preset = &preset, .given = TARGET(planning)};

const mpi_command mpi_command_plan = {.name = "plan",
                                      .arguments = "JOB|MESH --parts N|NxM|FILE -o BUNDLE",
                                      .summary = "plan the parts of a mesh and write their bundle",
                                      .options = rows,
                                      .planning = &planning_rows,
                                      .options_size = sizeof(mpi_plan_options),
                                      .run = run_plan};
