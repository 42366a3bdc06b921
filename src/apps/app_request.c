/* SPDX-License-Identifier: Apache-2.0 */
/* app_request.c - what an application asks of a plan: its loops, with the names that the mesh has */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app.h"
#include "base/error.h"
#include "base/memory.h"

/* Writes a word with the mesh's own name in place of `faces` or
 * `boundary_faces` at its beginning; returns its length. */
static int64_t resolve(const char *word, const mplan_mesh *mesh, char *text, size_t size)
{
    static const char boundary[] = "boundary_faces", faces[] = "faces";
    const char *name = "";
    if (!strncmp(word, boundary, sizeof boundary - 1)) {
        name = mplan_mesh_find_set(mesh, "bedges") >= 0 ? "bedges" : boundary;
        word += sizeof boundary - 1;
    } else if (!strncmp(word, faces, sizeof faces - 1)) {
        name = mplan_mesh_faces_name(mesh);
        word += sizeof faces - 1;
    }
    return snprintf(text, size, "%s%s", name, word);
}

/* Where the parts of a request go: args and texts behind the loops, in one piece. */
typedef struct request_writer {
    const mplan_mesh *mesh;
    mplan_arg *args;
    char *text, *end;
} request_writer;

static const char *put_word(request_writer *out, const char *word)
{
    const char *text = out->text;
    out->text += resolve(word, out->mesh, out->text, (size_t)(out->end - out->text)) + 1;
    return text;
}

/* Names of sets depend on the mesh: faces may be called edges. */
static void put_loop(request_writer *out, const mplan_app_loop *from, mplan_loop *to)
{
    mplan_arg *args = out->args;
    const mplan_kernel *kernel = from->host;
    for (int32_t a = 0; a < kernel->n_args; a++) {
        const mplan_kernel_arg *arg = &kernel->args[a];
        *out->args++ = (mplan_arg){arg->dat,    *arg->map ? put_word(out, arg->map) : NULL,
                                   arg->access, arg->dim,
                                   arg->type,   MPLAN_NONE_REFUSE};
    }
    *to = (mplan_loop){from->name,    put_word(out, from->over),
                       from->primary, from->calls,
                       from->flops,   kernel->n_args,
                       args};
}

/* *loops: one block of memory with all args and words, released by
 * mplan_app_request_free. */
mplan_status mplan_app_request(const mplan_app *app, const mplan_mesh *mesh, mplan_loop **loops,
                               int32_t *n_loops, mplan_error *err)
{
    MPLAN_NEED(app);
    MPLAN_NEED(mesh);
    MPLAN_NEED(loops);
    MPLAN_NEED(n_loops);
    int64_t n_args = 0, text = 0;
    for (int32_t l = 0; l < app->n_loops; l++) {
        const mplan_kernel *kernel = app->loops[l].host;
        n_args += kernel->n_args;
        text += resolve(app->loops[l].over, mesh, NULL, 0) + 1;
        for (int32_t a = 0; a < kernel->n_args; a++)
            text += resolve(kernel->args[a].map, mesh, NULL, 0) + 1;
    }
    int64_t heads = app->n_loops * (int64_t)sizeof **loops + n_args * (int64_t)sizeof(mplan_arg);
    mplan_loop *made = mplan_alloc_zero(heads + text, 1, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    request_writer out = {mesh, (mplan_arg *)(made + app->n_loops), (char *)made + heads,
                          (char *)made + heads + text};
    for (int32_t l = 0; l < app->n_loops; l++)
        put_loop(&out, &app->loops[l], &made[l]);
    *loops = made;
    *n_loops = app->n_loops;
    return MPLAN_OK;
}

void mplan_app_request_free(mplan_loop *loops, int32_t n_loops)
{
    (void)n_loops; /* all of it is one piece */
    free(loops);
}
