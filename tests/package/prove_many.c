/* SPDX-License-Identifier: Apache-2.0 */
/* prove_many.c - proves a plan and changes of it as `meshplan verify PLAN --mesh MESH` does, for plan_fields.py; and plans, each by
 * itself, as `meshplan verify PLAN` does, for second_reader.py
 *
 * Argument: the mesh, or the job (its name ends .yaml). Standard input: a u64, the length of the plan, then its bytes; then
 * changes of it: `change`, and the bytes that are put there. All checksums of a changed plan are made right again, so that
 * what refuses it is something else. Standard output: for the plan and each change two bytes: the status, and 1 where a
 * warning was given. Without an argument: the input has the length and the bytes of a plan again and again. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "meshplan.h"

/* Offsets of the format (formats/plan-format.md). */
enum {
    HEADER = 128,
    ENTRY = 96,
    TABLE_HASH = 56,
    HEADER_HASH = 120,
    REQUEST_PRINT = 80,
    N_SECTIONS = 48
};
enum { OFFSET = 56, STORED = 64, HASH = 80, KIND_REQUEST = 9 };

typedef struct change {
    uint64_t at;
    uint32_t size;
    int32_t section; /* whose hash is made right: that the bytes are in, or whose entry; -1: of none */
    uint32_t keep_header_hash;
    uint32_t n_sections; /* set here: those of the plan that is changed */
} change;
static_assert(sizeof(change) == 24, "as struct of Python packs it");

static void on_warning(void *user, const char *text)
{
    (void)text;
    *(bool *)user = true;
}

static mplan_status prove(const char *path, const mplan_plan *plan, const mplan_context *context,
                          mplan_error *err)
{
    size_t length = path ? strlen(path) : 0;
    bool is_job = length > 5 && strcmp(path + length - 5, ".yaml") == 0;
    mplan_mesh *mesh = NULL;
    mplan_job *job = NULL;
    mplan_context silent = *context;
    if (!path)
        return mplan_plan_verify(plan, NULL, context, err);
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

static uint64_t number_at(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static void put_hash(uint8_t *at, const uint8_t *bytes, uint64_t size)
{
    const uint64_t hash = mplan_hash(bytes, size);
    memcpy(at, &hash, sizeof hash);
}

/* Of a section, by the offset and length that its entry has now; one that leaves the plan keeps the old hash.
 * length: of the plan. */
static void make_section_hash(uint8_t *plan, uint64_t length, int32_t section)
{
    uint8_t *entry = plan + HEADER + (size_t)ENTRY * (size_t)section;
    const uint64_t offset = number_at(entry + OFFSET), size = number_at(entry + STORED);
    if (offset > length || size > length - offset)
        return;
    uint32_t kind;
    put_hash(entry + HASH, plan + offset, size);
    memcpy(&kind, entry, sizeof kind);
    if (kind == KIND_REQUEST) {
        uint64_t print;
        mplan_fingerprint *of = mplan_fingerprint_begin();
        mplan_fingerprint_bytes(of, plan + offset, size);
        if (!mplan_fingerprint_end(of, &print))
            exit(1);
        memcpy(plan + REQUEST_PRINT, &print, sizeof print);
    }
}

/* Of the section that was changed, the table and the header, unless the change is of one of them. */
static void make_hashes(uint8_t *plan, uint64_t length, const change *c)
{
    if (c->section >= 0)
        make_section_hash(plan, length, c->section);
    /* a change of the number of sections leaves the table as long as it was */
    if (c->at < TABLE_HASH || c->at >= TABLE_HASH + 8)
        put_hash(plan + TABLE_HASH, plan + HEADER, ENTRY * c->n_sections);
    if (!c->keep_header_hash)
        put_hash(plan + HEADER_HASH, plan, HEADER_HASH);
}

/* Proves these bytes, which are given back, and answers. */
static void judge(void *bytes, uint64_t length, const char *mesh, mplan_context *context)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_plan *plan = NULL;
    bool *warned = context->user;
    *warned = false;
    mplan_status status = mplan_plan_read_borrowed(bytes, (size_t)length, "plan", context, &plan,
                                                   &err);
    if (!status)
        status = prove(mesh, plan, context, &err);
    mplan_plan_free(plan);
    free(bytes);
    putchar((int)status);
    putchar(*warned);
    fflush(stdout);
}

static uint8_t *room_for(uint64_t length)
{
    uint8_t *bytes = aligned_alloc(64, (size_t)(length + 64) / 64 * 64);
    if (!bytes)
        exit(1);
    return bytes;
}

/* Plans that have nothing in common, without a mesh. */
static int judge_plans(mplan_context *context)
{
    uint64_t length;
    while (fread(&length, sizeof length, 1, stdin) == 1) {
        uint8_t *plan = room_for(length);
        if (fread(plan, 1, (size_t)length, stdin) != length)
            return 1;
        judge(plan, length, NULL, context);
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t length;
    bool warned;
    change c;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 1;
    context.warning = on_warning;
    context.user = &warned;
    if (argc == 1)
        return judge_plans(&context);
    if (argc != 2 || fread(&length, sizeof length, 1, stdin) != 1)
        return 1;
    uint8_t *plan = room_for(length), *changed = room_for(length);
    if (fread(plan, 1, (size_t)length, stdin) != length)
        return 1;
    memcpy(changed, plan, (size_t)length);
    judge(changed, length, argv[1], &context);
    while (fread(&c, sizeof c, 1, stdin) == 1) {
        if (c.at > length || c.size > length - c.at)
            return 1;
        changed = room_for(length);
        memcpy(changed, plan, (size_t)length);
        if (fread(changed + c.at, 1, c.size, stdin) != c.size)
            return 1;
        c.n_sections = (uint32_t)number_at(plan + N_SECTIONS);
        make_hashes(changed, length, &c);
        judge(changed, length, argv[1], &context);
    }
    free(plan);
    return 0;
}
