/* SPDX-License-Identifier: Apache-2.0 */
/* short_form.c - one loop from --over, --inc and --read */
#include "cli/short_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

#define DEFAULT_DIM 5
#define MOST_DIM 65536

/* Words of types; mplan_type begins at 1. */
static const char *type_word(int32_t i)
{
    return mplan_type_name((mplan_type)(i + 1));
}

#define MAX_SETS 256

/* Set i of the mesh, then those that cells can derive, then groups; NULL past the last. A set that the
 * mesh has already may come twice. */
static const char *set_word(const mplan_mesh *mesh, int32_t i)
{
    static const char *const derived[] = {"faces", "boundary_faces", "edges"};
    int32_t n = mplan_mesh_n_sets(mesh);
    int32_t n_derived = mplan_mesh_dimension(mesh) ? 3 : 0;
    if (i < n)
        return mplan_mesh_set(mesh, i).name;
    if (i - n < n_derived)
        return derived[i - n];
    int32_t group = i - n - n_derived, n_groups = mplan_mesh_n_groups(mesh);
    if (group < n_groups)
        return mplan_mesh_group(mesh, group).name;
    group -= n_groups;
    return group < mplan_mesh_n_facet_groups(mesh) ? mplan_mesh_facet_group(mesh, group).name : NULL;
}

static const char group_prefix[] = "group:";

/* Whether it names a group beyond doubt. */
static bool is_prefixed(const char *word)
{
    return !strncmp(word, group_prefix, sizeof group_prefix - 1);
}

/* Whether it is there, or can be derived: the planner derives it then. "group:" names groups, too. */
static bool is_set(const mplan_mesh *mesh, const char *word)
{
    if (is_prefixed(word))
        return true;
    for (int32_t i = 0; set_word(mesh, i); i++) {
        if (!strcmp(set_word(mesh, i), word))
            return true;
    }
    return false;
}

/* Sets that can be derived count. */
static mplan_status check_over(const mplan_mesh *mesh, const char *over, mplan_error *err)
{
    const char *words[MAX_SETS + 1] = {NULL};
    if (is_set(mesh, over))
        return MPLAN_OK;
    for (int32_t i = 0; i < MAX_SETS && set_word(mesh, i); i++)
        words[i] = set_word(mesh, i);
    const char *nearest = mplan_nearest_word(over, words);
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "--over: the mesh has no set '%s'%s%s%s", over,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* "first_second", or only `first` with second NULL. text: 128 bytes, as long as names of a plan
 * may be. */
static mplan_status put_name(char text[128], const char *subject, const char *first,
                             const char *second, mplan_error *err)
{
    int n = snprintf(text, 128, "%s%s%s", first, second ? "_" : "", second ? second : "");
    if (n < 0 || n >= 128)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s: the name %.40s... is too long", subject, text);
    return MPLAN_OK;
}

/* MAP[:DIM[:TYPE]]. map: out, the name of the map; a word that is a set but no map stands for
 * <over>_<word>, which may be a map that is derived. arg: dim and type are set, the rest is the
 * caller's. */
static mplan_status read_item(const char *subject, const char *item, const char *over,
                              const mplan_mesh *mesh, mplan_arg *arg, char map[128], mplan_error *err)
{
    char word[128];
    mplan_status status = put_name(word, subject, item, NULL, err);
    if (status)
        return status;
    char *dim = strchr(word + (is_prefixed(word) ? sizeof group_prefix - 1 : 0), ':');
    char *type = dim ? strchr(dim + 1, ':') : NULL;
    if (dim)
        *dim++ = 0;
    if (type)
        *type++ = 0;
    int64_t number = DEFAULT_DIM;
    char what[64];
    snprintf(what, sizeof what, "the dim of a map in %s", subject);
    if (dim)
        status = cli_read_int(what, dim, 1, MOST_DIM, &number, err);
    snprintf(what, sizeof what, "%s: unknown type", subject);
    if (!status && type)
        status = cli_check_word(what, type, type_word, err);
    if (status)
        return status;
    arg->dim = (int32_t)number;
    arg->type = MPLAN_TYPE_F64;
    if (type)
        mplan_type_from(type, &arg->type);
    bool short_word = mplan_mesh_find_map(mesh, word) < 0 && is_set(mesh, word);
    return short_word ? put_name(map, subject, over, word, err)
                      : put_name(map, subject, word, NULL, err);
}

/* The set and the map that are meant when nothing is said. *over: in what was given, or NULL;
 * out what is meant. A mesh without faces is one of tables only, where the first map decides, of
 * *over if that was given. */
static mplan_status choose(const mplan_mesh *mesh, const char **over, char map[128], mplan_error *err)
{
    const char *faces = mplan_mesh_faces_name(mesh);
    bool tables = !faces[0]; /* polyhedra have faces, though no dimension */
    if (!*over && !tables)
        *over = faces;
    int32_t chosen = -1;
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh) && chosen < 0 && tables; m++) {
        const char *from = mplan_mesh_set(mesh, mplan_mesh_map(mesh, m).from).name;
        if (!*over || !strcmp(*over, from))
            chosen = m;
    }
    if (chosen >= 0) {
        mplan_map found = mplan_mesh_map(mesh, chosen);
        *over = mplan_mesh_set(mesh, found.from).name;
        return put_name(map, "--over", found.name, NULL, err);
    }
    if (!*over)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--over is required: the mesh has no map");
    if (tables)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "--over: no map leads from a set '%s'", *over);
    return put_name(map, "--over", *over, strcmp(*over, "cells") ? "cells" : "nodes", err);
}

/* One arg for each item; dats are named by access and number, read1, read2, ...: no two items
 * share one. made->args and made->text must have room for them. */
static mplan_status add_list(const char *subject, const cli_texts *list, mplan_access access,
                             const cli_short_form *form, const char *over, const mplan_mesh *mesh,
                             cli_short_loop *made, mplan_error *err)
{
    for (int32_t i = 0; i < list->n; i++) {
        int32_t k = made->loop.n_args;
        mplan_arg *arg = &made->args[k];
        mplan_status status = read_item(subject, list->item[i], over, mesh, arg, made->text[k][1],
                                        err);
        if (status)
            return status;
        snprintf(made->text[k][0], sizeof made->text[k][0], "%s%d", mplan_access_name(access),
                 (int)i + 1);
        arg->dat = made->text[k][0];
        arg->map = made->text[k][1];
        arg->access = access;
        arg->none = form->none;
        made->loop.n_args++;
    }
    return MPLAN_OK;
}

/* Defaults: faces to cells, 5 x f64 read and incremented. made->text owns the names that args
 * point to, made->args the args; form->over must live as long. Nothing is to be released after a
 * failure. With lists the map is not chosen, but the set is where --over is missing. */
mplan_status cli_short_loop_make(const cli_short_form *form, const mplan_mesh *mesh,
                                 cli_short_loop *made, mplan_error *err)
{
    char map[128] = "";
    char *item = map;
    const char *over = form->over;
    cli_texts one = {1, &item};
    bool listed = form->inc->n || form->read->n;
    int32_t most = form->inc->n + form->read->n + 2;
    *made = (cli_short_loop){0};
    made->args = calloc((size_t)most, sizeof *made->args);
    made->text = calloc((size_t)most, sizeof *made->text);
    if (!made->args || !made->text) {
        cli_short_loop_free(made);
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    }
    mplan_status status = over ? check_over(mesh, over, err) : MPLAN_OK;
    if (!status && (!over || !listed))
        status = choose(mesh, &over, map, err);
    if (!status)
        status = add_list("--read", listed ? form->read : &one, MPLAN_READ, form, over, mesh, made,
                          err);
    if (!status)
        status = add_list("--inc", listed ? form->inc : &one, MPLAN_INC, form, over, mesh, made, err);
    if (status) {
        cli_short_loop_free(made);
        return status;
    }
    made->loop.name = "loop";
    made->loop.over = over;
    made->loop.primary = true;
    made->loop.calls = 1;
    made->loop.args = made->args;
    return MPLAN_OK;
}

/* May be called for a struct that is all zero. */
void cli_short_loop_free(cli_short_loop *made)
{
    free(made->args);
    free(made->text);
    *made = (cli_short_loop){0};
}
