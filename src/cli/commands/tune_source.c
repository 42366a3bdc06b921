/* SPDX-License-Identifier: Apache-2.0 */
/* tune_source.c - mesh, loops and request of what is tuned */
#include "cli/commands/tune_source.h"

#include <assert.h>
#include <string.h>

#include "cli/app_mesh.h"
#include "cli/bundle_file.h"
#include "cli/mesh_source.h"
#include "cli/message.h"

/* --mesh, prepared for the application where there is one: before the loops of the application are asked for. */
static mplan_status load_mesh(const cli_tune_asked *asked, const mplan_context *context,
                              cli_tune_source *source, mplan_error *err)
{
    const cli_app_mesh wanted = {.command = "tune",
                                 .mesh = asked->mesh,
                                 .from = asked->from,
                                 .zone = asked->zone,
                                 .plan = source->plan,
                                 .shuffle = asked->shuffle};
    source->input = asked->mesh;
    return cli_app_mesh_load(&wanted, context, &source->mesh, err);
}

/* What the application makes of the mesh, and its loops. */
static mplan_status ask_app(const char *name, const mplan_context *context, cli_tune_source *source,
                            mplan_error *err)
{
    source->app = mplan_app_find(name);
    mplan_status status = mplan_app_accepts(source->app, source->mesh, err);
    if (!status)
        status = mplan_app_prepare(source->app, source->mesh, context, err);
    return status ? status
                  : mplan_app_request(source->app, source->mesh, &source->app_loops,
                                      &source->n_app_loops, err);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Whether a kernel of loop a is one of loop b. */
static bool same_loop(const mplan_loop *a, const mplan_loop *b)
{
    if (!same_text(a->over, b->over) || a->n_args != b->n_args)
        return false;
    for (int32_t i = 0; i < a->n_args; i++) {
        const mplan_arg *x = &a->args[i], *y = &b->args[i];
        if (!same_text(x->dat, y->dat) || !same_text(x->map, y->map) || x->access != y->access ||
            x->dim != y->dim || x->type != y->type)
            return false;
    }
    return true;
}

/* Finds the loop that is measured among those of a job or a plan, whose file is `path`: the application's, whose kernel
 * must be one of it, else --loop, else the primary one, else the first. */
static mplan_status find_loop(const cli_tune_asked *asked, const cli_tune_source *source,
                              cli_tune_subject *subject, mplan_error *err)
{
    const mplan_loop *own = source->app_loops;
    const char *name = own ? own->name : asked->loop, *path = asked->word;
    int32_t found = name ? -1 : 0;
    for (int32_t l = 0; l < subject->n_loops; l++)
        if (name ? !strcmp(subject->loops[l].name, name) : subject->loops[l].primary)
            found = l;
    if (found < 0)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: has no loop '%s'%s", path, name,
                        own ? ", which is that of the application" : "");
    if (own && !same_loop(own, &subject->loops[found]))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: loop %s does not have the set and the args of the application's loop of this name",
                        path, name);
    subject->loop = found;
    return MPLAN_OK;
}

/* All loops of a job are planned, as `plan` does; one of them is measured. */
static mplan_status load_job(const cli_tune_asked *asked, const mplan_context *context,
                             cli_tune_source *source, cli_tune_subject *subject,
                             mplan_plan_options *base, mplan_error *err)
{
    mplan_status status = mplan_job_read(asked->word, context, &source->job, err);
    if (!status)
        status = mplan_job_load_mesh(source->job, context, &source->mesh, err);
    if (status)
        return status;
    subject->loops = source->job->loops;
    subject->n_loops = source->job->n_loops;
    *base = *source->job->options;
    source->input = source->job->mesh ? source->job->mesh : source->job->path;
    return MPLAN_OK;
}

/* Refuses another mesh than the plan's, and a request that was not read back as it is. The application has added to
 * the mesh what plans of its loops name. */
static mplan_status match_mesh(const cli_tune_asked *asked, const mplan_context *context,
                               const cli_tune_source *source, mplan_error *err)
{
    const cli_asked *request = &source->asked;
    uint64_t topology;
    mplan_status status = mplan_plan_topology(source->plan, source->mesh, context, &topology, err);
    if (!status && topology != mplan_plan_fingerprints(source->plan).topology)
        status = cli_fail(err, MPLAN_ERR_OTHER_MESH, "%s: is not the mesh of the plan %s",
                          asked->mesh, asked->word);
    return status ? status
                  : mplan_plan_compare_request(source->plan, source->mesh, request->n_loops,
                                               request->loops, &request->options, context, err);
}

/* Loops and options are those of the plan's request. */
static mplan_status load_plan(const cli_tune_asked *asked, const char *device,
                              const mplan_context *context, cli_tune_source *source,
                              cli_tune_subject *subject, mplan_plan_options *base, mplan_error *err)
{
    cli_asked *request = &source->asked;
    if (cli_is_bundle(asked->word))
        return cli_fail(err, MPLAN_ERR_UNSUPPORTED,
                        "%s: is a bundle; tune a plan of the whole mesh, or of a job", asked->word);
    mplan_status status = mplan_plan_read(asked->word, context, &source->plan, err);
    if (!status)
        status = cli_asked_read(source->plan, asked->word, request, err);
    if (!status && request->profile && !device)
        status = cli_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: was made with a profile from a file, %s; give it as --device",
                          asked->word, request->options.device);
    if (!status && request->profile)
        request->options.device = device;
    subject->loops = request->loops;
    subject->n_loops = request->n_loops;
    *base = request->options;
    return !status ? load_mesh(asked, context, source, err) : status;
}

mplan_status cli_tune_source_load(const cli_tune_asked *asked, const char *device,
                                  const mplan_context *context, cli_tune_source *source,
                                  cli_tune_subject *subject, mplan_plan_options *base,
                                  mplan_error *err)
{
    assert(asked && context && source && subject && base);
    mplan_status status = !asked->word ? load_mesh(asked, context, source, err)
                          : cli_is_job(asked->word)
                              ? load_job(asked, context, source, subject, base, err)
                              : load_plan(asked, device, context, source, subject, base, err);
    subject->mesh = source->mesh;
    if (!status && asked->app)
        status = ask_app(asked->app, context, source, err);
    if (!status && source->plan)
        status = match_mesh(asked, context, source, err);
    if (!status && asked->word)
        return find_loop(asked, source, subject, err);
    subject->loops = source->app_loops;
    subject->n_loops = source->n_app_loops;
    subject->loop = 0;
    return status;
}

void cli_tune_source_free(cli_tune_source *source)
{
    mplan_app_request_free(source->app_loops, source->n_app_loops);
    mplan_mesh_free(source->mesh);
    cli_asked_free(&source->asked);
    mplan_plan_free(source->plan);
    mplan_job_free(source->job);
    *source = (cli_tune_source){.app = NULL};
}
