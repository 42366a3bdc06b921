/* SPDX-License-Identifier: Apache-2.0 */
/* derive_by_group.c - which set of a group, or map from or to one, a name is
 *
 * By names only, so that a mesh in one process and one that is spread over ranks are asked alike: what they have and what is made
 * comes from functions of theirs. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/derive.h"

/* As a set or as a map. */
static bool exists(const mplan_group_mesh *in, const char *name)
{
    return in->find_set(in->user, name) >= 0 || in->find_map(in->user, name) >= 0;
}

/* *set: of the members of the group that `name` is called after; -1: there is no such group.
 * Faces are derived where the group's facets wait for them. */
static mplan_status find_group_set(const mplan_group_mesh *in, const char *name, int32_t *set,
                                   mplan_error *err)
{
    const char *group = mplan_group_of_set(name);
    mplan_status status = MPLAN_OK;
    *set = in->find_set(in->user, name);
    if (*set >= 0) {
        *set = in->parent_of(in->user, *set) >= 0 ? *set : -1;
        return MPLAN_OK;
    }
    if (in->waits(in->user, group))
        status = in->plain(in->user, "boundary_faces", err);
    if (status || !in->is_group(in->user, group))
        return status;
    status = in->add_set(in->user, name, err);
    *set = status ? -1 : in->find_set(in->user, name);
    return status;
}

/* *map: the parent's map that a group's <set>_<rest> has rows of: <parent>_<rest>, else the one called
 * <rest>; -1: neither can be had. */
static mplan_status find_parent_map(const mplan_group_mesh *in, int32_t parent, const char *rest,
                                    int32_t *map, mplan_error *err)
{
    const char *of = in->set_name(in->user, parent);
    const size_t size = strlen(of) + strlen(rest) + 2;
    char *name = mplan_alloc((int64_t)size, 1, err);
    mplan_error why = {MPLAN_OK, ""};
    *map = -1;
    mplan_status status = in->agree(in->user, name ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (status) {
        free(name);
        return status;
    }
    snprintf(name, size, "%s_%s", of, rest);
    for (int attempt = 0; attempt < 2 && *map < 0 && !status; attempt++) {
        const char *of_parent = attempt ? rest : name;
        status = in->plain(in->user, of_parent, &why);
        *map = in->find_map(in->user, of_parent);
        if (*map >= 0 && in->from_of(in->user, *map) != parent)
            *map = -1;
        if (status == MPLAN_ERR_ARGUMENT)
            status = MPLAN_OK;
    }
    free(name);
    return status ? mplan_fail(err, status, "%s", why.text) : MPLAN_OK;
}

/* The map "<set>_<rest>" of the set of a group. Nothing where that cannot be had. */
static mplan_status derive_group_map(const mplan_group_mesh *in, const char *name, int32_t set,
                                     const char *rest, mplan_error *err)
{
    const int32_t parent = in->parent_of(in->user, set);
    int32_t map = -1;
    if (strcmp(rest, in->set_name(in->user, parent)) == 0)
        return in->add_map(in->user, name, set, -1, err);
    mplan_status status = find_parent_map(in, parent, rest, &map, err);
    return status || map < 0 ? status : in->add_map(in->user, name, set, map, err);
}

/* The set of a group, or "<set>_<rest>" of one: the longest name of a group that it begins with. */
static mplan_status derive_group(const mplan_group_mesh *in, const char *name, mplan_error *err)
{
    int32_t set;
    mplan_status status = find_group_set(in, name, &set, err);
    if (status || set >= 0)
        return status;
    char *begin = mplan_strdup(name, err);
    status = in->agree(in->user, begin ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (size_t i = strlen(name); i > 1 && !status && !exists(in, name); i--) {
        if (name[i - 1] != '_')
            continue;
        begin[i - 1] = '\0';
        status = find_group_set(in, begin, &set, err);
        if (!status && set >= 0)
            status = derive_group_map(in, name, set, name + i, err);
    }
    free(begin);
    return status;
}

/* "<from>_<group>": the group's own map to that set, transposed. Nothing where that cannot be had. */
static mplan_status derive_to_group(const mplan_group_mesh *in, const char *name, mplan_error *err)
{
    const size_t length = strlen(name);
    char *opposite = mplan_alloc((int64_t)length + 1, 1, err);
    mplan_status status = in->agree(in->user, opposite ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (size_t i = 1; i + 1 < length && !status && !exists(in, name); i++) {
        int32_t set = -1;
        if (name[i] != '_')
            continue;
        status = find_group_set(in, name + i + 1, &set, err);
        if (status || set < 0)
            continue;
        snprintf(opposite, length + 1, "%s_%.*s", name + i + 1, (int)i, name);
        status = derive_group(in, opposite, err);
        const int32_t map = status ? -1 : in->find_map(in->user, opposite);
        if (map >= 0)
            status = in->transpose(in->user, name, map, err);
    }
    free(opposite);
    return status;
}

mplan_status mplan_derive_by_group(const mplan_group_mesh *in, const char *name, mplan_error *err)
{
    assert(in && in->user && name);
    mplan_status status = derive_group(in, name, err);
    return !status && !exists(in, name) ? derive_to_group(in, name, err) : status;
}
