/* SPDX-License-Identifier: Apache-2.0 */
/* foam_boundary.c - OpenFOAM's patches as groups of boundary faces */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/foam/foam_parts.h"
#include "mesh/mesh.h"

/* Groups of patches are few: a file with more names than this is none that OpenFOAM writes. */
enum { MOST_NAMES = 1 << 16 };

/* The file `boundary` while it is read.
 * Faces [n_inner, n_faces) are on the boundary; patches cover them in their order. */
typedef struct boundary_reader {
    mplan_foam_file *file;
    int64_t n_inner, n_faces;
    bool part; /* of a decomposed case */
    mplan_foam_boundary *found;
} boundary_reader;

/* Terminated; the caller's. */
static char *copy_token(const mplan_foam_token *token, mplan_error *err)
{
    char *text = mplan_alloc((int64_t)token->length + 1, 1, err);
    if (text) {
        memcpy(text, token->text, token->length);
        text[token->length] = '\0';
    }
    return text;
}

/* Within a patch's braces. */
static mplan_status fail_end(const boundary_reader *reader, mplan_error *err)
{
    return mplan_foam_fail(reader->file, err, MPLAN_ERR_CORRUPT, "the file ends within a patch");
}

/* The words in brackets up to the ';': `2(wall hot)`, `List<word> 1(wall)`.
 * Each of them is a membership of the patch at hand, whose place is the number of patches so far. Words outside of
 * the brackets, as the type List<word>, are not names. */
static mplan_status take_groups(boundary_reader *reader, mplan_error *err)
{
    mplan_foam_token token;
    bool inside = false;
    while (mplan_foam_take(reader->file, &token)) {
        if (token.mark && *token.text == ';')
            return MPLAN_OK;
        if (token.mark) {
            inside = *token.text == '(';
            continue;
        }
        if (!inside)
            continue;
        if (reader->found->memberships.count == MOST_NAMES)
            return mplan_foam_fail(reader->file, err, MPLAN_ERR_UNSUPPORTED,
                                   "more than %d names of groups", MOST_NAMES);
        mplan_foam_membership one = {copy_token(&token, err), reader->found->patches.count};
        if (!one.group || mplan_vector_push(&reader->found->memberships, &one, err) != MPLAN_OK) {
            free(one.group);
            return MPLAN_ERR_MEMORY;
        }
    }
    return fail_end(reader, err);
}

/* An entry that says nothing here: up to its ';', or the end of its braces.
 * It has to end before its patch: a '}' without its '{' is an error. */
static mplan_status skip_entry(boundary_reader *reader, mplan_error *err)
{
    mplan_foam_token token;
    int64_t depth = 0;
    while (mplan_foam_take(reader->file, &token)) {
        if (!token.mark)
            continue;
        if (*token.text == '{')
            depth++;
        if (*token.text == '}' && --depth < 0)
            break;
        if (depth == 0 && (*token.text == ';' || *token.text == '}'))
            return MPLAN_OK;
    }
    return fail_end(reader, err);
}

/* A number and the semicolon behind it. */
static mplan_status take_count(boundary_reader *reader, const char *what, int64_t *count,
                               mplan_error *err)
{
    mplan_status status = mplan_foam_count(reader->file, what, count, err);
    if (!status && !mplan_foam_takes(reader->file, ';'))
        status = mplan_foam_fail(reader->file, err, MPLAN_ERR_CORRUPT, "expected ';' after %s", what);
    return status;
}

/* One entry of a patch's dictionary; unknown ones are skipped with what they
 * hold. */
static mplan_status take_entry(boundary_reader *reader, const mplan_foam_token *key,
                               mplan_foam_read_patch *patch, mplan_error *err)
{
    mplan_foam_token value;
    if (mplan_foam_is(key, "nFaces"))
        return take_count(reader, "nFaces", &patch->n, err);
    if (mplan_foam_is(key, "startFace"))
        return take_count(reader, "startFace", &patch->first, err);
    if (mplan_foam_is(key, "inGroups"))
        return take_groups(reader, err);
    if (mplan_foam_is(key, "referPatch") && !patch->refers) {
        if (mplan_foam_take(reader->file, &value) && !(patch->refers = copy_token(&value, err)))
            return MPLAN_ERR_MEMORY;
        return skip_entry(reader, err);
    }
    if (mplan_foam_is(key, "type")) {
        if (mplan_foam_take(reader->file, &value))
            patch->side = mplan_foam_is(&value, "processor")         ? MPLAN_FOAM_PART
                          : mplan_foam_is(&value, "processorCyclic") ? MPLAN_FOAM_CYCLIC_PART
                                                                     : MPLAN_FOAM_OUTSIDE;
        if (patch->side != MPLAN_FOAM_OUTSIDE && !reader->part)
            return mplan_foam_fail(reader->file, err, MPLAN_ERR_UNSUPPORTED,
                                   "this is one part of a decomposed case; name the case, or join "
                                   "its parts with reconstructParMesh");
        return mplan_foam_takes(reader->file, ';')
                   ? MPLAN_OK
                   : mplan_foam_fail(reader->file, err, MPLAN_ERR_CORRUPT,
                                     "expected ';' after the type");
    }
    return skip_entry(reader, err);
}

/* Patches are one behind the other from the first boundary face on.
 * n and first are -1 where the file does not say them. expected: the face at which the next patch must begin. */
static mplan_status check_patch(const boundary_reader *reader, const mplan_foam_read_patch *patch,
                                int64_t expected, mplan_error *err)
{
    if (patch->n < 0 || patch->first < 0)
        return mplan_foam_fail(reader->file, err, MPLAN_ERR_CORRUPT, "patch %.100s has no %s",
                               patch->name, patch->n < 0 ? "nFaces" : "startFace");
    if (patch->n > 0 && patch->first != expected)
        return mplan_foam_fail(reader->file, err, MPLAN_ERR_MESH,
                               "patch %.100s begins at face %lld, not %lld", patch->name,
                               (long long)patch->first, (long long)expected);
    if (patch->n > reader->n_faces - expected)
        return mplan_foam_fail(reader->file, err, MPLAN_ERR_MESH,
                               "patch %.100s has %lld faces, but there are only %lld from face "
                               "%lld on",
                               patch->name, (long long)patch->n,
                               (long long)(reader->n_faces - expected), (long long)expected);
    return MPLAN_OK;
}

/* name { key value; ... }.
 * *expected: the first face of this patch before, of the next one after. The list takes over both names. */
static mplan_status take_patch(boundary_reader *reader, int64_t *expected, mplan_error *err)
{
    mplan_foam_token token;
    mplan_foam_read_patch patch = {NULL, NULL, -1, -1, MPLAN_FOAM_OUTSIDE};
    mplan_status status = MPLAN_OK;
    if (!mplan_foam_take(reader->file, &token) || token.mark || !mplan_foam_takes(reader->file, '{'))
        return mplan_foam_fail(reader->file, err, MPLAN_ERR_CORRUPT,
                               "expected the name of a patch and '{'");
    if (!(patch.name = copy_token(&token, err)))
        return MPLAN_ERR_MEMORY;
    while (!status && !mplan_foam_takes(reader->file, '}')) {
        if (!mplan_foam_take(reader->file, &token))
            status = fail_end(reader, err);
        else if (token.mark)
            status = mplan_foam_fail(reader->file, err, MPLAN_ERR_CORRUPT,
                                     "expected an entry of a patch");
        else
            status = take_entry(reader, &token, &patch, err);
    }
    if (!status)
        status = check_patch(reader, &patch, *expected, err);
    if (!status) {
        patch.first = *expected; /* also of patches without faces */
        *expected += patch.n;
        status = mplan_vector_push(&reader->found->patches, &patch, err);
    }
    if (status) {
        free(patch.name);
        free(patch.refers);
    }
    return status;
}

/* Patches follow each other without gaps, from the first boundary face to the
 * last. Without a number before them they end at the bracket. */
static mplan_status take_patches(boundary_reader *reader, mplan_error *err)
{
    int64_t n = MOST_NAMES, expected = reader->n_inner, p = 0;
    bool counted = !mplan_foam_takes(reader->file, '(');
    mplan_status status = counted ? mplan_foam_count(reader->file, "the number of patches", &n, err)
                                  : MPLAN_OK;
    if (!status && n > MOST_NAMES)
        status = mplan_foam_fail(reader->file, err, MPLAN_ERR_UNSUPPORTED, "more than %d patches",
                                 MOST_NAMES);
    if (!status && n == 0 && !mplan_foam_skip(reader->file))
        return MPLAN_OK;
    if (!status && counted && !mplan_foam_takes(reader->file, '('))
        status = mplan_foam_fail(reader->file, err, MPLAN_ERR_CORRUPT,
                                 "expected '(' before the patches");
    bool closed = false;
    for (; p < n && !status && !closed; p++) {
        closed = !counted && mplan_foam_takes(reader->file, ')');
        if (!closed)
            status = take_patch(reader, &expected, err);
    }
    if (!status && !closed && !mplan_foam_takes(reader->file, ')'))
        status = mplan_foam_fail(reader->file, err, MPLAN_ERR_CORRUPT,
                                 "expected ')' after %lld patches", (long long)n);
    if (!status && expected != reader->n_faces)
        status = mplan_foam_fail(reader->file, err, MPLAN_ERR_MESH,
                                 "faces %lld to %lld do not belong to any patch",
                                 (long long)expected, (long long)(reader->n_faces - 1));
    return !status ? mplan_foam_end(reader->file, err) : status;
}

/* The header may say that the file is binary, but nothing in it is. */
mplan_status mplan_foam_take_boundary(mplan_foam_file *file, int64_t n_inner, int64_t n_faces,
                                      bool part, mplan_foam_boundary *patches, mplan_error *err)
{
    boundary_reader reader = {file, n_inner, n_faces, part, patches};
    file->binary = false;
    return take_patches(&reader, err);
}

/* --- groups ----------------------------------------------------------------------------- */

/* Appends the faces of a patch, as members of boundary_faces.
 * members: int32_t, from 0 at the first boundary face; ascending, since faces of a patch follow each other. */
static mplan_status add_members(const mplan_foam_boundary *found, int64_t n_inner, int64_t p,
                                mplan_vector *members, mplan_error *err)
{
    const mplan_foam_read_patch *patch = (const mplan_foam_read_patch *)found->patches.data + p;
    int32_t *to = mplan_vector_reserve(members, patch->n, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < patch->n; i++)
        to[i] = (int32_t)(patch->first - n_inner + i);
    members->count += patch->n;
    return MPLAN_OK;
}

/* By name of the group, then by patch. */
static int compare_memberships(const void *a, const void *b)
{
    const mplan_foam_membership *x = a, *y = b;
    int order = strcmp(x->group, y->group);
    return order ? order : (x->patch > y->patch) - (x->patch < y->patch);
}

/* Groups may have the names of patches, which then count once. */
static bool is_patch(const mplan_foam_boundary *found, const char *name)
{
    const mplan_foam_read_patch *patches = found->patches.data;
    for (int64_t p = 0; p < found->patches.count; p++)
        if (strcmp(patches[p].name, name) == 0)
            return true;
    return false;
}

/* Patches have the ids 1, 2, ...; groups of patches, in the order of their names, those that follow.
 * Memberships are sorted by name, which ends the order of the file; a patch that names a group twice counts once. */
static mplan_status add_groups(mplan_foam_boundary *found, int64_t n_inner, mplan_mesh *mesh,
                               mplan_error *err)
{
    const mplan_foam_read_patch *patches = found->patches.data;
    mplan_foam_membership *all = found->memberships.data;
    int64_t n = found->memberships.count, id = found->patches.count + 1;
    int32_t set = mplan_mesh_find_set(mesh, "boundary_faces");
    mplan_status status = MPLAN_OK;
    for (int64_t p = 0; p < found->patches.count && !status; p++) {
        mplan_vector members = MPLAN_VECTOR_INIT(sizeof(int32_t));
        status = add_members(found, n_inner, p, &members, err);
        if (status)
            return status;
        status = mplan_mesh_take_group(mesh, patches[p].name, p + 1, 2, set, members.count,
                                       members.data, err);
    }
    if (n > 0)
        qsort(all, (size_t)n, sizeof *all, compare_memberships);
    for (int64_t i = 0, end; i < n && !status; i = end) {
        mplan_vector members = MPLAN_VECTOR_INIT(sizeof(int32_t));
        for (end = i; end < n && strcmp(all[end].group, all[i].group) == 0 && !status; end++)
            if (end == i || all[end].patch != all[end - 1].patch)
                status = add_members(found, n_inner, all[end].patch, &members, err);
        if (status || is_patch(found, all[i].group)) {
            free(members.data);
            continue;
        }
        status = mplan_mesh_take_group(mesh, all[i].group, id++, 2, set, members.count,
                                       members.data, err);
    }
    return status;
}

/* The patch of every boundary face, by its id.
 * ids: n_faces - n_inner entries, from 1; no 0 remains, since patches cover the boundary. */
static mplan_status add_ids(const mplan_foam_boundary *found, int64_t n_inner, int64_t n_faces,
                            mplan_mesh *mesh, mplan_error *err)
{
    const mplan_foam_read_patch *patches = found->patches.data;
    int64_t *ids = mplan_alloc_zero(n_faces - n_inner, sizeof *ids, err);
    if (!ids)
        return MPLAN_ERR_MEMORY;
    for (int64_t p = 0; p < found->patches.count; p++)
        for (int64_t i = 0; i < patches[p].n; i++)
            ids[patches[p].first - n_inner + i] = p + 1;
    free(mesh->boundary_ids);
    mesh->boundary_ids = ids;
    return MPLAN_OK;
}

/* Patches become groups of boundary faces; groups that patches name (inGroups) become groups,
 * too, with the faces of all their patches. n_inner: faces before the first patch. */
mplan_status mplan_foam_add_boundary(mplan_foam_boundary *patches, int64_t n_inner, int64_t n_faces,
                                     mplan_mesh *mesh, mplan_error *err)
{
    mplan_status status = add_groups(patches, n_inner, mesh, err);
    return status ? status : add_ids(patches, n_inner, n_faces, mesh, err);
}

/* Names belong to the lists. They are empty afterwards. */
void mplan_foam_boundary_free(mplan_foam_boundary *patches)
{
    for (int64_t p = 0; p < patches->patches.count; p++) {
        free(((mplan_foam_read_patch *)patches->patches.data)[p].name);
        free(((mplan_foam_read_patch *)patches->patches.data)[p].refers);
    }
    for (int64_t i = 0; i < patches->memberships.count; i++)
        free(((mplan_foam_membership *)patches->memberships.data)[i].group);
    free(patches->patches.data);
    free(patches->memberships.data);
    *patches = (mplan_foam_boundary)MPLAN_FOAM_BOUNDARY_INIT;
}
