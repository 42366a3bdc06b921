/* SPDX-License-Identifier: Apache-2.0 */
/* app_request.c - what an application asks of a plan: its loops, with the names that the mesh has */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app.h"
#include "base/error.h"
#include "base/memory.h"

/* Writes a word with the mesh's own name in place of `faces` or
 * `boundary_faces` at its beginning, or the loop's set, where there is one, in place of `patch`; returns its length. `cells_cells` is the map
 * that an application has made of it where that is there. */
static int64_t resolve(const char *word, const char *over, const mplan_mesh *mesh, char *text,
                       size_t size)
{
    static const char boundary[] = "boundary_faces", faces[] = "faces", own[] = "patch";
    const char *name = "";
    if (!strcmp(word, "cells_cells") && mplan_mesh_find_map(mesh, "cells_around") >= 0)
        word = "cells_around";
    if (over && !strncmp(word, own, sizeof own - 1)) {
        name = over;
        word += sizeof own - 1;
    } else if (!strncmp(word, boundary, sizeof boundary - 1)) {
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

/* The word as the mesh names it, behind those that were put before; text_size has counted it, end and all. over: as
 * of resolve. */
static const char *put_word(request_writer *out, const char *word, const char *over)
{
    const char *text = out->text;
    out->text += resolve(word, over, out->mesh, out->text, (size_t)(out->end - out->text)) + 1;
    return text;
}

/* As it is. */
static const char *put_name(request_writer *out, const char *name)
{
    char *text = out->text;
    size_t size = strlen(name) + 1;
    memcpy(text, name, size);
    out->text += size;
    return text;
}

/* The map of an arg as a request names it: MPLAN_GLOBAL for globals, NULL for direct args. */
static const char *map_of(request_writer *out, const mplan_kernel_arg *arg, const char *over)
{
    if (arg->global)
        return MPLAN_GLOBAL;
    return *arg->map ? put_word(out, arg->map, over) : NULL;
}

/* Names of sets depend on the mesh: faces may be called edges. Cells at the boundary have fewer neighbours
 * than faces. */
static void put_loop(request_writer *out, const mplan_app_loop *from, mplan_loop *to)
{
    mplan_arg *args = out->args;
    const mplan_kernel *kernel = from->host;
    const char *over = put_word(out, from->over, NULL);
    for (int32_t a = 0; a < kernel->n_args; a++) {
        const mplan_kernel_arg *arg = &kernel->args[a];
        *out->args++ = (mplan_arg){
            arg->dat,    map_of(out, arg, over),
            arg->access, arg->dim,
            arg->type,   strcmp(arg->map, "cells_cells") ? MPLAN_NONE_REFUSE : MPLAN_NONE_SKIP};
    }
    *to = (mplan_loop){put_name(out, from->name),
                       over,
                       from->primary,
                       from->calls,
                       from->flops,
                       kernel->n_args,
                       args};
}

/* Bytes of all words of the loops, with their ends, and room for the set in each map's name. */
static int64_t text_size(const mplan_app_loop *loops, int32_t n_loops, const mplan_mesh *mesh)
{
    int64_t text = 0;
    for (int32_t l = 0; l < n_loops; l++) {
        const mplan_kernel *kernel = loops[l].host;
        text += (int64_t)strlen(loops[l].name) + 1;
        int64_t over = resolve(loops[l].over, NULL, mesh, NULL, 0);
        text += over + 1;
        for (int32_t a = 0; a < kernel->n_args; a++)
            text += over + resolve(kernel->args[a].map, "", mesh, NULL, 0) + 1;
    }
    return text;
}

/* *loops: one block of memory with all args and words. */
static mplan_status make_request(const mplan_app_loop *from, int32_t n, const mplan_mesh *mesh,
                                 mplan_loop **loops, mplan_error *err)
{
    int64_t n_args = 0, text = text_size(from, n, mesh);
    for (int32_t l = 0; l < n; l++)
        n_args += from[l].host->n_args;
    int64_t heads = n * (int64_t)sizeof **loops + n_args * (int64_t)sizeof(mplan_arg);
    mplan_loop *made = mplan_alloc_zero(heads + text, 1, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    request_writer out = {mesh, (mplan_arg *)(made + n), (char *)made + heads,
                          (char *)made + heads + text};
    for (int32_t l = 0; l < n; l++)
        put_loop(&out, &from[l], &made[l]);
    *loops = made;
    return MPLAN_OK;
}

/* Released by mplan_app_request_free. */
mplan_status mplan_app_request(const mplan_app *app, const mplan_mesh *mesh, mplan_loop **loops,
                               int32_t *n_loops, mplan_error *err)
{
    MPLAN_NEED(app);
    MPLAN_NEED(mesh);
    MPLAN_NEED(loops);
    MPLAN_NEED(n_loops);
    mplan_app_loop *chosen = NULL;
    int32_t n = app->n_loops;
    mplan_status status = app->choose ? app->choose(app, mesh, &chosen, &n, err) : MPLAN_OK;
    if (!status)
        status = make_request(chosen ? chosen : app->loops, n, mesh, loops, err);
    if (!status)
        *n_loops = n;
    free(chosen);
    return status;
}

void mplan_app_request_free(mplan_loop *loops, int32_t n_loops)
{
    (void)n_loops; /* all of it is one piece */
    free(loops);
}
