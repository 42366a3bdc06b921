/* SPDX-License-Identifier: Apache-2.0 */
/* prove_many.c - proves plan after plan as `meshplan verify PLAN --mesh MESH` does, for plan_fields.py
 *
 * Argument: the mesh, or the job (its name ends .yaml). Standard input: for each plan a u64, its length, then
 * its bytes. Standard output: for each plan two bytes: the status, and 1 where a warning was given. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meshplan.h"

static void on_warning(void *user, const char *text)
{
    (void)text;
    *(bool *)user = true;
}

static mplan_status prove(const char *path, const mplan_plan *plan, const mplan_context *context,
                          mplan_error *err)
{
    size_t length = strlen(path);
    bool is_job = length > 5 && strcmp(path + length - 5, ".yaml") == 0;
    mplan_mesh *mesh = NULL;
    mplan_job *job = NULL;
    mplan_context silent = *context;
    silent.warning = NULL;
    mplan_status status = is_job ? mplan_job_read(path, &silent, &job, err) : MPLAN_OK;
    if (!status)
        status = is_job ? mplan_job_load_mesh(job, &silent, &mesh, err)
                        : mplan_mesh_read(path, NULL, &silent, &mesh, err);
    if (status) {
        fprintf(stderr, "%s\n", err->text);
        exit(2);
    }
    status = mplan_plan_verify(plan, mesh, context, err);
    if (!status && job)
        status = mplan_plan_compare_request(plan, mesh, job->n_loops, job->loops, job->options,
                                            context, err);
    mplan_mesh_free(mesh);
    mplan_job_free(job);
    return status;
}

int main(int argc, char **argv)
{
    uint64_t length;
    bool warned;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 1;
    context.warning = on_warning;
    context.user = &warned;
    while (argc == 2 && fread(&length, sizeof length, 1, stdin) == 1) {
        mplan_error err = {MPLAN_OK, ""};
        mplan_plan *plan = NULL;
        void *bytes = aligned_alloc(64, (size_t)(length + 64) / 64 * 64);
        if (!bytes || fread(bytes, 1, (size_t)length, stdin) != length)
            return 1;
        warned = false;
        mplan_status status = mplan_plan_read_borrowed(bytes, (size_t)length, "plan", &context,
                                                       &plan, &err);
        if (!status)
            status = prove(argv[1], plan, &context, &err);
        mplan_plan_free(plan);
        free(bytes);
        putchar((int)status);
        putchar(warned);
        fflush(stdout);
    }
    return argc != 2;
}
