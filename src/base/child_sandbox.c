/* SPDX-License-Identifier: Apache-2.0 */
/* child_sandbox.c - asks a program of libexec what the kernel keeps from it */
#include <limits.h>
#include <stdio.h>

#include "base/child.h"
#include "base/child_place.h"
#include "base/error.h"
#include "meshplan.h"

typedef struct answer {
    char *text;
    size_t size;
    bool given;
} answer;

static void on_answer(void *user, const char *text)
{
    answer *to = user;
    snprintf(to->text, to->size, "%s", text);
    to->given = true;
}

/* All of them limit themselves by the same code. */
static const char *find_program(mplan_error *err)
{
    static const char *const programs[] = {"meshplan-partition", "meshplan-read-hdf5",
                                           "meshplan-read-netcdf", "meshplan-read-cgns"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (mplan_child_find(programs[i], path, sizeof path, i ? NULL : err) == MPLAN_OK)
            return programs[i];
    return NULL;
}

/* A program of libexec is started as for reading a file, but with the word that makes it say
 * what it may still do. `text` gets its answer, ended by a zero, cut to `size` bytes. */
mplan_status mplan_sandbox(char *text, size_t size, mplan_error *err)
{
    static const char *const words[] = {MPLAN_CHILD_SANDBOX, NULL};
    answer to = {.text = text, .size = size};
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_child child = {
        .name = "its sandbox", .words = words, .input = -1, .answer = -1, .cpu_seconds = 10};
    MPLAN_NEED(text);
    if (size)
        *text = '\0';
    child.program = find_program(err);
    if (!child.program)
        return MPLAN_ERR_INTERNAL;
    context.warning = on_answer;
    context.user = &to;
    mplan_status status = mplan_child_run(&child, &context, err);
    if (!status && !to.given)
        status = mplan_fail(err, MPLAN_ERR_INTERNAL, "%s did not say what it may do", child.program);
    return status;
}
