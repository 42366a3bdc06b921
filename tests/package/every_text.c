/* SPDX-License-Identifier: Apache-2.0 */
/* every_text.c - all that the library writes and reads as text, in the caller's locale, for german_locale.sh
 *
 * Arguments: files to read. Into the current folder it writes a mesh in every format, a plan and all that is made of
 * plans, and read.txt: what was read from each file, numbers by their bits. All must be the same in every locale.
 * Standard output: the decimal point of the locale. */
#include <inttypes.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meshplan.h"

static FILE *found; /* read.txt */

static void demand(mplan_status status, const char *what, const mplan_error *err)
{
    if (status) {
        fprintf(stderr, "%s: %s\n", what, err->text);
        exit(2);
    }
}

static void on_warning(void *user, const char *text)
{
    (void)user;
    fprintf(found, "warning: %s\n", text);
}

static uint64_t bits(double value)
{
    uint64_t as;
    memcpy(&as, &value, sizeof as);
    return as;
}

/* --- what is read ------------------------------------------------------------------------ */

static void put_mesh(const mplan_mesh *mesh)
{
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh); s++) {
        mplan_set set = mplan_mesh_set(mesh, s);
        int32_t dimension = 0;
        const double *x = mplan_mesh_coordinates(mesh, s, &dimension);
        fprintf(found, "set %s: %" PRId64 "\n", set.name, set.size);
        for (int64_t i = 0; x && i < set.size * dimension; i++)
            fprintf(found, " %016" PRIx64, bits(x[i]));
    }
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        fprintf(found, "\nmap %s:", map.name);
        for (int64_t i = 0; i < mplan_map_entries(&map); i++)
            fprintf(found, " %" PRId32, map.values[i]);
    }
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++)
        fprintf(found, "\ngroup %s %" PRId64, mplan_mesh_group(mesh, g).name,
                mplan_mesh_group(mesh, g).id);
    fprintf(found, "\n");
}

static bool is_job(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending &&
           (!strcmp(ending, ".yaml") || !strcmp(ending, ".yml") || !strcmp(ending, ".json"));
}

static void read_one(const char *path, const mplan_context *context)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_mesh *mesh = NULL;
    mplan_job *job = NULL;
    mplan_plan *plan = NULL;
    fprintf(found, "%s\n", path);
    mplan_status status = is_job(path) ? mplan_job_read(path, context, &job, &err)
                                       : mplan_mesh_read(path, NULL, context, &mesh, &err);
    if (job) {
        fprintf(found, "imbalance %016" PRIx64 ", fill %016" PRIx64 "\n",
                bits(job->options->imbalance), bits(job->options->fill));
        status = mplan_job_load_mesh(job, context, &mesh, &err);
    }
    if (!status && job)
        status = mplan_plan_create(mesh, job->n_loops, job->loops, job->options, context, &plan,
                                   &err);
    if (plan)
        fprintf(found, "%s\n", mplan_plan_request(plan));
    if (mesh)
        put_mesh(mesh);
    if (status)
        fprintf(found, "%s\n", err.text);
    mplan_plan_free(plan);
    mplan_job_free(job);
    mplan_mesh_free(mesh);
}

/* --- what is written --------------------------------------------------------------------- */

static mplan_mesh *make_mesh(const mplan_context *context)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_error err = {MPLAN_OK, ""};
    mplan_mesh *mesh = NULL;
    options.shape = MPLAN_SHAPE_QUAD;
    options.size[0] = 7;
    options.size[1] = 5;
    options.jitter = 0.2;
    demand(mplan_mesh_generate(&options, context, &mesh, &err), "generate", &err);
    return mesh;
}

static void write_meshes(const mplan_mesh *mesh, const mplan_context *context)
{
    static const struct {
        const char *path, *format, *what;
    } files[] = {
        {"binary.msh", "gmsh", NULL},       {"text.msh", "gmsh-text", NULL},
        {"old.msh", "gmsh22", NULL},        {"old-text.msh", "gmsh22-text", NULL},
        {"out.su2", "su2", NULL},           {"out.dat", "op2", NULL},
        {"out.vtu", "vtu", NULL},           {"out.graph", "metis-graph", NULL},
        {"out.mesh", "metis-mesh", NULL},   {"out.npz", "npz", NULL},
        {"out.h5", "op2-hdf5", NULL},       {"out.npy", "npy", "cells_nodes"},
        {"out.txt", "text", "cells_nodes"}, {"out.csv", NULL, "cells_nodes"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        mplan_error err = {MPLAN_OK, ""};
        mplan_status status = mplan_mesh_write(mesh, files[i].path, files[i].format, files[i].what,
                                               context, &err);
        if (status != MPLAN_ERR_UNSUPPORTED)
            demand(status, files[i].path, &err);
        else
            fprintf(found, "%s\n", err.text);
    }
}

static mplan_plan *make_plan(mplan_mesh *mesh, double imbalance, const char *request,
                             const mplan_context *context)
{
    static const mplan_arg args[] = {
        {"x", "faces_nodes", MPLAN_READ, 2, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
        {"r", "faces_cells", MPLAN_INC, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
    };
    static const mplan_loop loop = {"flux", "faces", true, 1, 0, 2, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_error err = {MPLAN_OK, ""};
    mplan_plan *plan = NULL;
    options.imbalance = imbalance;
    options.fill = 0.875;
    demand(mplan_plan_create(mesh, 1, &loop, &options, context, &plan, &err), "plan", &err);
    FILE *to = fopen(request, "w");
    if (!to)
        exit(2);
    fprintf(to, "%s\n%016" PRIx64 "\n%s\n", mplan_plan_request(plan),
            mplan_plan_fingerprints(plan).request, mplan_plan_versions(plan));
    fclose(to);
    return plan;
}

static void on_line(void *user, const char *text)
{
    (void)user;
    fprintf(found, "%s\n", text);
}

static void write_views(const mplan_plan *plan, mplan_mesh *mesh, const mplan_context *context)
{
    mplan_error err = {MPLAN_OK, ""};
    char text[400];
    demand(mplan_plan_write(plan, "out.mplan", NULL, context, NULL, &err), "write", &err);
    demand(mplan_plan_verify(plan, mesh, context, &err), "verify", &err);
    demand(mplan_plan_export_npy(plan, "arrays", context, &err), "export npy", &err);
    demand(mplan_plan_export_part(plan, "out.part", context, &err), "export part", &err);
    demand(mplan_plan_export_vtu(plan, mesh, "plan.vtu", NULL, context, NULL, &err), "export vtu",
           &err);
    demand(mplan_plan_report(plan, mesh, "report.html", "plan", NULL, context, &err), "report", &err);
    mplan_plan *other = make_plan(mesh, 1.5, "other.txt", context);
    if (mplan_plan_compare(plan, other, on_line, NULL, &err) != MPLAN_ERR_DIFFERENT)
        exit(2);
    mplan_plan_free(other);
    mplan_plan_summary(plan, text, sizeof text);
    fprintf(found, "%s\n", text);
    for (int32_t b = 0; b < mplan_plan_n_block_sets(plan); b++) {
        mplan_block_origin_text(&mplan_plan_get_block_set(plan, b)->origin, text, sizeof text);
        fprintf(found, "%s\n", text);
    }
}

int main(int argc, char **argv)
{
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 2;
    context.warning = on_warning;
    if (!setlocale(LC_ALL, "") || !(found = fopen("read.txt", "w")))
        return 2;
    puts(localeconv()->decimal_point);
    mplan_mesh *mesh = make_mesh(&context);
    write_meshes(mesh, &context);
    mplan_plan *plan = make_plan(mesh, 1.25, "request.txt", &context);
    write_views(plan, mesh, &context);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
    for (int i = 1; i < argc; i++)
        read_one(argv[i], &context);
    return fclose(found) ? 2 : 0;
}
