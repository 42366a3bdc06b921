/* SPDX-License-Identifier: Apache-2.0 */
/* foam_patches.c - groups of boundary faces as OpenFOAM's patches
 *
 * Patches share no face, groups of a mesh may. So that a group of all faces does not swallow those inside it, smaller
 * groups choose first. */
#include "formats/foam/foam_patches.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- names ---------------------------------------------------------------------------- */

void mplan_foam_names_free(mplan_foam_names *names)
{
    for (int32_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
    *names = (mplan_foam_names){0};
}

/* Linear in the names, which are few. */
static bool is_taken(const mplan_foam_names *names, const char *name)
{
    for (int32_t i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

/* What OpenFOAM takes for the end of a word, or for something else than one. */
static bool ends_word(unsigned char c)
{
    return c <= ' ' || c == 127 || strchr("\"'/;{}()$#\\", c);
}

/* A word that OpenFOAM accepts and that no other patch has: other characters become _, and _2,
 * _3 ... follows a word that is taken. The result belongs to `names`; NULL: out of memory. */
const char *mplan_foam_name(mplan_foam_names *names, const mplan_group *group,
                            const mplan_context *context, mplan_error *err)
{
    size_t room = strlen(group->name) + 48;
    char *own = mplan_alloc((int64_t)room, 1, err);
    char **grown = own ? mplan_realloc(names->name, names->n + 1, sizeof *grown, err) : NULL;
    if (!grown) {
        free(own);
        return NULL;
    }
    names->name = grown;
    snprintf(own, room, "%s", group->name);
    if (!own[0])
        snprintf(own, room, "group_%lld", (long long)group->id);
    size_t length = strlen(own);
    for (size_t i = 0; i < length; i++)
        if (ends_word((unsigned char)own[i]) || (i == 0 && isdigit((unsigned char)own[i])))
            own[i] = '_';
    for (int32_t n = 2; is_taken(names, own); n++)
        snprintf(own + length, room - length, "_%d", n);
    if (group->name[0] && strcmp(own, group->name) != 0)
        mplan_warn(context, "the group '%s' is called '%s' in an OpenFOAM mesh", group->name, own);
    return names->name[names->n++] = own;
}

/* --- patches -------------------------------------------------------------------------- */

/* Groups of boundary faces on their way to patches. */
typedef struct patch_finder {
    const mplan_mesh *mesh;
    const mplan_context *context;
    mplan_foam_patches *out;
    mplan_foam_names names;
    int64_t n;         /* boundary faces */
    int32_t n_groups;  /* of boundary faces */
    int32_t *group;    /* of the mesh, by their order there */
    int32_t *by_size;  /* places in `group`, small ones first */
    int32_t *place_of; /* of each face: place in `group` of its patch, -1: none yet */
    int64_t *size;     /* of the patch of each place; */
    uint8_t *is_union; /* whether the group of each place is made of whole patches of others */
    int32_t *patch_of; /* patch of each place; -1: none */
} patch_finder;

/* group, by_size. Insertion keeps equal sizes in their order; groups are few. */
static mplan_status list_groups(patch_finder *f, mplan_error *err)
{
    int32_t set = mplan_mesh_find_set(f->mesh, "boundary_faces"), most = mplan_mesh_n_groups(f->mesh);
    f->group = mplan_alloc(most, sizeof *f->group, err);
    f->by_size = mplan_alloc(most, sizeof *f->by_size, err);
    f->size = mplan_alloc_zero(most + 1, sizeof *f->size, err);
    f->is_union = mplan_alloc_zero(most + 1, sizeof *f->is_union, err);
    f->patch_of = mplan_alloc(most + 1, sizeof *f->patch_of, err);
    f->place_of = mplan_alloc(f->n, sizeof *f->place_of, err);
    if (!f->group || !f->by_size || !f->size || !f->is_union || !f->patch_of || !f->place_of)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < f->n; i++)
        f->place_of[i] = -1;
    for (int32_t g = 0; g < most; g++)
        if (mplan_mesh_group(f->mesh, g).set == set)
            f->group[f->n_groups++] = g;
    for (int32_t i = 0; i < f->n_groups; i++) {
        int64_t size = mplan_mesh_group(f->mesh, f->group[i]).n_members;
        int32_t at = i;
        while (at > 0 && mplan_mesh_group(f->mesh, f->group[f->by_size[at - 1]]).n_members > size) {
            f->by_size[at] = f->by_size[at - 1];
            at--;
        }
        f->by_size[at] = i;
    }
    return MPLAN_OK;
}

/* Whether all members are in patches, and in all of these: their sizes then add up to the group's. seen: of each place
 * which group counted it last.
 * place: of the group, and its mark in seen. size and place_of are of the groups that chose before. */
static bool is_made_of_patches(const patch_finder *f, const mplan_group *group, int32_t place,
                               int32_t *seen)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < group->n_members; i++) {
        int32_t of = f->place_of[group->members[i]];
        if (of < 0)
            return false;
        if (seen[of] != place)
            sum += f->size[of];
        seen[of] = place;
    }
    return group->n_members > 0 && sum == group->n_members;
}

/* place_of, size and is_union.
 * Before: place_of is -1 for all faces. After: it is a place for each face that is in any group. */
static mplan_status deal_out(patch_finder *f, mplan_error *err)
{
    int32_t *seen = mplan_alloc(f->n_groups, sizeof *seen, err);
    if (!seen)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < f->n_groups; i++)
        seen[i] = -1;
    for (int32_t i = 0; i < f->n_groups; i++) {
        int32_t place = f->by_size[i];
        mplan_group group = mplan_mesh_group(f->mesh, f->group[place]);
        f->is_union[place] = is_made_of_patches(f, &group, place, seen);
        for (int64_t k = 0; k < group.n_members && !f->is_union[place]; k++)
            if (f->place_of[group.members[k]] < 0) {
                f->place_of[group.members[k]] = place;
                f->size[place]++;
            }
        int64_t lost = f->is_union[place] ? 0 : group.n_members - f->size[place];
        if (lost > 0)
            mplan_warn(f->context,
                       "the group '%s' loses %lld boundary faces that are in smaller groups: "
                       "a face of an OpenFOAM mesh is in one patch",
                       group.name, (long long)lost);
    }
    free(seen);
    return MPLAN_OK;
}

/* A copy of the name that a group gets.
 * Place n_groups has the faces without a group, OpenFOAM's defaultFaces. */
static char *name_of(patch_finder *f, int32_t place, mplan_error *err)
{
    static const mplan_group rest = {.name = "defaultFaces"};
    mplan_group group = rest;
    if (place < f->n_groups)
        group = mplan_mesh_group(f->mesh, f->group[place]);
    const char *name = mplan_foam_name(&f->names, &group, f->context, err);
    return name ? mplan_strdup(name, err) : NULL;
}

/* The patches, and how many faces each has. Faces of no group have the place behind the last.
 * patch_of[place]: its patch; `first` counts boundary faces from 0, patch after patch. */
static mplan_status make_patches(patch_finder *f, mplan_error *err)
{
    mplan_foam_patches *out = f->out;
    int64_t first = 0;
    out->patches = mplan_alloc_zero(f->n_groups + 1, sizeof *out->patches, err);
    if (!out->patches)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < f->n; i++)
        if (f->place_of[i] < 0) {
            f->place_of[i] = f->n_groups;
            f->size[f->n_groups]++;
        }
    for (int32_t place = 0; place <= f->n_groups; place++) {
        f->patch_of[place] = -1;
        if (f->is_union[place] || (place == f->n_groups && f->size[place] == 0))
            continue;
        f->patch_of[place] = out->n_patches;
        mplan_foam_patch *patch = &out->patches[out->n_patches++];
        *patch = (mplan_foam_patch){name_of(f, place, err), first, f->size[place]};
        if (!patch->name)
            return MPLAN_ERR_MEMORY;
        first += patch->n;
    }
    return MPLAN_OK;
}

/* Groups that are unions of patches: of_patch marks the patches, one byte for each.
 * All members of a union are in patches, so patch_of is not -1 for them. */
static mplan_status make_groups(patch_finder *f, mplan_error *err)
{
    mplan_foam_patches *out = f->out;
    out->groups = mplan_alloc_zero(f->n_groups, sizeof *out->groups, err);
    if (!out->groups)
        return MPLAN_ERR_MEMORY;
    for (int32_t place = 0; place < f->n_groups; place++) {
        if (!f->is_union[place])
            continue;
        mplan_group group = mplan_mesh_group(f->mesh, f->group[place]);
        mplan_foam_patch_group *to = &out->groups[out->n_groups++];
        to->of_patch = mplan_alloc_zero(out->n_patches, 1, err);
        to->name = to->of_patch ? name_of(f, place, err) : NULL;
        if (!to->name)
            return MPLAN_ERR_MEMORY;
        for (int64_t i = 0; i < group.n_members; i++)
            to->of_patch[f->patch_of[f->place_of[group.members[i]]]] = 1;
    }
    return MPLAN_OK;
}

/* order: faces by patch.
 * n entries, ascending within a patch; those of a patch begin at its `first`. */
static mplan_status sort_faces(patch_finder *f, mplan_error *err)
{
    mplan_foam_patches *out = f->out;
    int64_t *next = mplan_alloc(out->n_patches, sizeof *next, err);
    out->order = next ? mplan_alloc(f->n, sizeof *out->order, err) : NULL;
    for (int32_t p = 0; p < out->n_patches && out->order; p++)
        next[p] = out->patches[p].first;
    for (int64_t i = 0; i < f->n && out->order; i++)
        out->order[next[f->patch_of[f->place_of[i]]]++] = (int32_t)i;
    free(next);
    return out->order ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Groups may overlap, patches may not: each of the n boundary faces gets one patch (deal_out),
 * the smallest of its groups; groups that are unions of patches become OpenFOAM's groups.
 * patches->order lists the faces patch by patch. */
mplan_status mplan_foam_patches_find(const mplan_mesh *mesh, int64_t n, mplan_foam_patches *patches,
                                     const mplan_context *context, mplan_error *err)
{
    *patches = (mplan_foam_patches){0};
    patch_finder f = {.mesh = mesh, .context = context, .out = patches, .n = n};
    mplan_status status = list_groups(&f, err);
    if (!status)
        status = deal_out(&f, err);
    if (!status)
        status = make_patches(&f, err);
    if (!status)
        status = make_groups(&f, err);
    if (!status)
        status = sort_faces(&f, err);
    free(f.group);
    free(f.by_size);
    free(f.place_of);
    free(f.size);
    free(f.is_union);
    free(f.patch_of);
    mplan_foam_names_free(&f.names);
    return status;
}

/* Also of patches that were only begun. */
void mplan_foam_patches_free(mplan_foam_patches *patches)
{
    for (int32_t p = 0; p < patches->n_patches; p++)
        free(patches->patches[p].name);
    for (int32_t g = 0; patches->groups && g < patches->n_groups; g++) {
        free(patches->groups[g].name);
        free(patches->groups[g].of_patch);
    }
    free(patches->patches);
    free(patches->groups);
    free(patches->order);
}
