/* SPDX-License-Identifier: Apache-2.0 */
/* job_names.c - do the sets and maps that a job's loops name, and the sets whose layers are a number, exist?
 *
 * The planner would refuse them too, but only here is it known in which line
 * they are. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "job/job_fields.h"

/* What a mesh with cells can derive; transposed maps come on top. */
static const char *const derived_sets[] = {"faces", "boundary_faces", "edges"};
static const char *const derived_maps[] = {
    "faces_cells", "faces_nodes", "boundary_faces_cells", "boundary_faces_nodes", "cells_faces",
    "cells_cells", "edges_nodes", "edges_cells",          "nodes_cells"};

/* Name of group i, those whose facets wait for faces behind the others; NULL past the last. */
static const char *group_name(const mplan_mesh *mesh, int32_t i)
{
    int32_t n = mplan_mesh_n_groups(mesh);
    if (i < n)
        return mplan_mesh_group(mesh, i).name;
    return i - n < mplan_mesh_n_facet_groups(mesh) ? mplan_mesh_facet_group(mesh, i - n).name : NULL;
}

/* The names a word may be, ended by NULL; the list is the caller's, the names are the mesh's or
 * constants. A mesh without cells derives nothing but sets of groups. */
static const char **known_names(const mplan_mesh *mesh, bool maps, mplan_error *err)
{
    int32_t own = maps ? mplan_mesh_n_maps(mesh) : mplan_mesh_n_sets(mesh);
    const char *const *derived = maps ? derived_maps : derived_sets;
    int32_t n_derived = mplan_mesh_dimension(mesh) == 0
                            ? 0
                            : (int32_t)(maps ? sizeof derived_maps / sizeof *derived_maps
                                             : sizeof derived_sets / sizeof *derived_sets);
    int64_t n_groups = maps ? 0 : mplan_mesh_n_groups(mesh) + mplan_mesh_n_facet_groups(mesh);
    const char **names = mplan_alloc_zero(own + n_derived + n_groups + 1, sizeof *names, err);
    for (int32_t i = 0; names && i < own; i++)
        names[i] = maps ? mplan_mesh_map(mesh, i).name : mplan_mesh_set(mesh, i).name;
    int32_t n = own;
    for (int32_t i = 0; names && i < n_derived; i++) {
        bool there = maps ? mplan_mesh_find_map(mesh, derived[i]) >= 0
                          : mplan_mesh_find_set(mesh, derived[i]) >= 0;
        if (!there)
            names[n++] = derived[i];
    }
    for (int32_t i = 0; names && i < n_groups; i++)
        if (*group_name(mesh, i) && (n == 0 || strcmp(names[n - 1], group_name(mesh, i)) != 0))
            names[n++] = group_name(mesh, i);
    return names;
}

/* `none: split` makes sets and maps with this in their names, later. */
static bool of_a_split(const char *word)
{
    return strstr(word, "_boundary") != NULL;
}

/* A name of a set or map that neither the mesh has nor can be derived is reported at its place
 * in the job. value: NULL where the key is not there. Trying a name derives it, which the
 * planner would do, too. */
static mplan_status check_name(mplan_job_reader *reader, const mplan_job_value *value, bool map,
                               mplan_mesh *mesh, const mplan_context *context)
{
    if (!value || of_a_split(value->text))
        return MPLAN_OK;
    const char **names = known_names(mesh, map, reader->err);
    if (!names)
        return MPLAN_ERR_MEMORY;
    bool known = false;
    for (int32_t i = 0; names[i]; i++)
        known = known || strcmp(names[i], value->text) == 0;
    mplan_status status = MPLAN_OK;
    if (!known) { /* it may be a transposed map, or of a group */
        status = mplan_mesh_derive(mesh, value->text, context, reader->err);
        if (status == MPLAN_ERR_ARGUMENT)
            status = mplan_job_fail_word(reader, value, map ? "map" : "set", names);
    }
    free(names);
    return status;
}

/* Needs the mesh, and so comes after the job has been read. job->places: the tree, whose loops
 * and args were checked when it was read; NULL for jobs that were made by hand. */
mplan_status mplan_job_check_names(const mplan_job *job, mplan_mesh *mesh,
                                   const mplan_context *context, mplan_error *err)
{
    if (!job->places)
        return MPLAN_OK;
    mplan_job_reader reader = {job->path, "", NULL, NULL, err};
    const mplan_job_value *loops = mplan_job_child(job->places, "loops");
    mplan_status status = MPLAN_OK;
    for (const mplan_job_value *loop = loops->first; loop && !status; loop = loop->next) {
        status = check_name(&reader, mplan_job_child(loop, "over"), false, mesh, context);
        const mplan_job_value *args = mplan_job_child(loop, "args");
        for (const mplan_job_value *arg = args->first; arg && !status; arg = arg->next)
            status = check_name(&reader, mplan_job_child(arg, "map"), true, mesh, context);
    }
    const mplan_job_value *layers = mplan_job_child(job->places, "layers");
    for (const mplan_job_value *set = layers ? layers->first : NULL; set && !status; set = set->next)
        if (set->kind != MPLAN_JOB_MAPPING) /* for the others the mesh has been asked */
            status = check_name(&reader, set->key, false, mesh, context);
    return status;
}
