/* SPDX-License-Identifier: Apache-2.0 */
/* job_mesh.c - the mesh of a job: from a mesh file, or from sets and tables */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/option_size.h"
#include "job/job_fields.h"

/* The value of a key of the job; NULL: it is not there, or the job has no places. */
static const mplan_job_value *place_of(const mplan_job *job, const char *key)
{
    return job->places ? mplan_job_child(job->places, key) : NULL;
}

/* Sets of the job that the mesh already has must agree in size. */
static mplan_status add_sets(const mplan_job *job, mplan_mesh *mesh, mplan_error *err)
{
    for (int32_t i = 0; i < job->n_sets; i++) {
        const mplan_set *set = &job->sets[i];
        int32_t there = mplan_mesh_find_set(mesh, set->name);
        mplan_status status = MPLAN_OK;
        if (there < 0)
            status = mplan_mesh_add_set(mesh, set->name, set->size, NULL, err);
        else if (mplan_mesh_set(mesh, there).size != set->size)
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "the job says that set '%s' has %" PRId64
                                " members, but in %s it has %" PRId64,
                                set->name, set->size, job->mesh, mplan_mesh_set(mesh, there).size);
        const mplan_job_value *sets = place_of(job, "sets");
        if (status == MPLAN_ERR_MESH && sets)
            status = mplan_job_put_place(job, mplan_job_child(sets, set->name), status, err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* Lists the sets that there are. */
static mplan_status unknown_set(const mplan_mesh *mesh, const mplan_job_coordinates *coordinates,
                                mplan_error *err)
{
    char names[512] = "";
    size_t length = 0;
    for (int32_t s = 0; s < mplan_mesh_n_sets(mesh) && length < sizeof names; s++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", s ? ", " : "",
                                   mplan_mesh_set(mesh, s).name);
    return mplan_fail(err, MPLAN_ERR_CORRUPT,
                      "%s: coordinates are given for set '%s', which the mesh does not have; it "
                      "has %s",
                      coordinates->file, coordinates->set, names[0] ? names : "none");
}

/* The sets must be there: read from the mesh or table, or named by the job. */
static mplan_status add_coordinates(const mplan_job *job, mplan_mesh *mesh,
                                    const mplan_context *context, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    const mplan_job_value *items = place_of(job, "coordinates");
    const mplan_job_value *item = items ? items->first : NULL;
    for (int32_t i = 0; i < job->n_coordinates && !status; i++, item = item ? item->next : NULL) {
        int32_t set = mplan_mesh_find_set(mesh, job->coordinates[i].set);
        status = set < 0
                     ? mplan_job_put_place(job, item, unknown_set(mesh, &job->coordinates[i], err),
                                           err)
                     : mplan_mesh_read_coordinates(mesh, job->coordinates[i].file, set, context, err);
    }
    return status;
}

/* A set or map that the layers of a set name; what cannot be derived is told with the set, by which its place is
 * found. A name that is not there is a mistake of the file, as it is in a loop (job_names.c). */
static mplan_status derive_for(mplan_mesh *mesh, const char *set, const char *name,
                               const mplan_context *context, mplan_error *err)
{
    char prefix[MPLAN_ERROR_TEXT];
    const mplan_status status = mplan_mesh_derive(mesh, name, context, err);
    if (status != MPLAN_ERR_ARGUMENT)
        return status;
    snprintf(prefix, sizeof prefix, "layers of %s", set);
    return mplan_fail_prefix(err, MPLAN_ERR_CORRUPT, prefix);
}

/* The set of a job's layers; derived, if the mesh has cells. */
static mplan_status find_set(mplan_mesh *mesh, const char *name, const mplan_context *context,
                             int32_t *set, mplan_error *err)
{
    mplan_status status = derive_for(mesh, name, name, context, err);
    *set = mplan_mesh_find_set(mesh, name);
    if (!status && *set < 0)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "layers of %s: there is no such set", name);
    return status;
}

/* Sets from files first, so that the others can follow from any of them. */
static mplan_status add_layers(const mplan_job *job, mplan_mesh *mesh, const mplan_context *context,
                               mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int32_t set = -1;
    for (int32_t i = 0; i < job->n_layers && !status; i++) {
        const mplan_job_layers *one = &job->layers[i];
        if (one->map)
            continue;
        status = find_set(mesh, one->set, context, &set, err);
        if (!status)
            status = one->file
                         ? mplan_mesh_read_layers(mesh, one->file, set, one->layers, context, err)
                         : mplan_mesh_set_layers(mesh, set, one->layers, NULL, err);
        if (!status && one->mask)
            status = mplan_mesh_read_layer_mask(mesh, one->mask, set, context, err);
    }
    for (int32_t i = 0; i < job->n_layers && !status; i++) {
        const mplan_job_layers *one = &job->layers[i];
        if (!one->map)
            continue;
        status = find_set(mesh, one->set, context, &set, err);
        if (!status)
            status = derive_for(mesh, one->set, one->map, context, err);
        const int32_t map = status ? -1 : mplan_mesh_find_map(mesh, one->map);
        const mplan_map by = map < 0 ? (mplan_map){0} : mplan_mesh_map(mesh, map);
        if (!status && (map < 0 || (by.from != set && by.to != set)))
            status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                                "layers of %s: '%s' is not a map from it or to it", one->set,
                                one->map);
        if (!status)
            status = mplan_mesh_spread_layers(mesh, map,
                                              by.from == set ? MPLAN_LAYERS_COMMON
                                                             : MPLAN_LAYERS_SPANNED,
                                              err);
    }
    return status;
}

/* The mesh file, then sets, tables and coordinates, each of which may use what came before. The
 * names of loops are checked at the end, since tables may have brought them. *mesh is not set
 * after a failure. */
mplan_status mplan_job_load_mesh(const mplan_job *job, const mplan_context *context,
                                 mplan_mesh **mesh, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(job);
    MPLAN_NEED(mesh);
    mplan_mesh *made = NULL;
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.zone = job->zone;
    mplan_status status = job->mesh ? mplan_mesh_read(job->mesh, &options, context, &made, err)
                                    : mplan_mesh_create(&made, err);
    if (status)
        return status;
    status = add_sets(job, made, err);
    for (int32_t i = 0; i < job->n_tables && !status; i++)
        status = mplan_mesh_read_table(made, job->tables[i].file, job->tables[i].options, context,
                                       err);
    if (!status)
        status = add_coordinates(job, made, context, err);
    if (!status)
        status = add_layers(job, made, context, err);
    if (!status)
        status = mplan_job_check_names(job, made, context, err);
    if (status) {
        mplan_job_locate(job, err);
        mplan_mesh_free(made);
    } else {
        *mesh = made;
    }
    return status;
}
