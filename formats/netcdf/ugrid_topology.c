/* SPDX-License-Identifier: Apache-2.0 */
/* ugrid_topology.c - which mesh of a UGRID file is read, and its sets */
#include "formats/netcdf/ugrid_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

const char *const mplan_ugrid_word[UGRID_N_ENTITIES] = {"node", "edge", "face", "volume"};

/* For messages. */
const char *mplan_ugrid_path(const mplan_ugrid *reader)
{
    return reader->file.input->path;
}

/* --- which mesh ------------------------------------------------------------------------ */

/* The convention's mark of a mesh. */
static bool is_topology(const mplan_netcdf *file, int variable)
{
    char role[32];
    return mplan_netcdf_text(file, variable, "cf_role", role, sizeof role) &&
           strcmp(role, "mesh_topology") == 0;
}

/* The mesh `zone`, or the first; *n: how many there are, list: their names. */
static mplan_status find_topology(mplan_ugrid *reader, const char *zone, int *n, char *list,
                                  size_t size, mplan_error *err)
{
    int n_variables = mplan_netcdf_n_variables(&reader->file);
    size_t used = 0;
    *n = 0;
    list[0] = '\0';
    for (int v = 0; v < n_variables; v++) {
        mplan_netcdf_variable variable;
        if (!is_topology(&reader->file, v))
            continue;
        mplan_status status = mplan_netcdf_describe(&reader->file, v, &variable, err);
        if (status)
            return status;
        if (used < size)
            used += (size_t)snprintf(list + used, size - used, "%s%s", *n ? ", " : "", variable.name);
        if (zone ? strcmp(zone, variable.name) == 0 : *n == 0) {
            reader->topology = v;
            memcpy(reader->name, variable.name, sizeof reader->name);
        }
        ++*n;
    }
    return MPLAN_OK;
}

/* zone: the name of a mesh topology, NULL if there is only one. */
mplan_status mplan_ugrid_choose(mplan_ugrid *reader, const char *zone, mplan_error *err)
{
    char list[384];
    int n;
    int64_t dimension;
    mplan_status status = find_topology(reader, zone, &n, list, sizeof list, err);
    if (status)
        return status;
    if (n == 0)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: no variable has the cf_role mesh_topology",
                          mplan_ugrid_path(reader));
    if (reader->topology < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no mesh '%.64s' among %s",
                          mplan_ugrid_path(reader), zone, list);
    if (!zone && n > 1)
        mplan_warn(reader->file.context, "%s: the file has %d meshes (%s); only the first is read",
                   mplan_ugrid_path(reader), n, list);
    if (!mplan_netcdf_whole(&reader->file, reader->topology, "topology_dimension", &dimension) ||
        dimension < 1 || dimension > 3)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: mesh %s: the topology_dimension must be 1, 2 or 3",
                          mplan_ugrid_path(reader), reader->name);
    reader->cell = (int)dimension;
    return MPLAN_OK;
}

/* --- sets -------------------------------------------------------------------------------- */

/* Name of the variable that holds a map; false when the mesh names none. */
bool mplan_ugrid_connectivity(const mplan_ugrid *reader, int from, int to,
                              char name[MPLAN_NETCDF_NAME])
{
    char attribute[64];
    snprintf(attribute, sizeof attribute, "%s_%s_connectivity", mplan_ugrid_word[from],
             mplan_ugrid_word[to]);
    return mplan_netcdf_text(&reader->file, reader->topology, attribute, name, MPLAN_NETCDF_NAME);
}

/* Arity that the conventions fix: an edge has two nodes, and two faces in 2-D; 0: any */
int64_t mplan_ugrid_arity(const mplan_ugrid *reader, int from, int to)
{
    return from == UGRID_EDGE &&
                   (to == UGRID_NODE || (to == UGRID_FACE && reader->cell == UGRID_FACE))
               ? 2
               : 0;
}

/* Whether rows are along the second dimension: the mesh names it, or the arity does not fit. */
bool mplan_ugrid_transposed(const mplan_ugrid *reader, int from, int to,
                            const mplan_netcdf_variable *variable)
{
    int named = reader->dimension[from];
    int64_t arity = mplan_ugrid_arity(reader, from, to);
    if (named >= 0 && variable->dimension[0] != variable->dimension[1])
        return variable->dimension[1] == named;
    return arity > 0 && variable->length[0] == arity && variable->length[1] != arity;
}

/* Members of an entity: of the dimension that the mesh names, or rows of a map from it. */
mplan_status mplan_ugrid_count(mplan_ugrid *reader, int entity, bool *there, mplan_error *err)
{
    char text[MPLAN_NETCDF_NAME], attribute[64];
    snprintf(attribute, sizeof attribute, "%s_dimension", mplan_ugrid_word[entity]);
    *there = true;
    if (mplan_netcdf_text(&reader->file, reader->topology, attribute, text, sizeof text)) {
        reader->dimension[entity] = mplan_netcdf_dimension(&reader->file, text,
                                                           &reader->size[entity]);
        if (reader->dimension[entity] < 0)
            return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: mesh %s: there is no dimension %.64s",
                              mplan_ugrid_path(reader), reader->name, text);
        if (reader->size[entity] > reader->file.most_bytes)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s: dimension %.64s is larger than the file can hold",
                              mplan_ugrid_path(reader), text);
        return MPLAN_OK;
    }
    for (int to = UGRID_NODE; to <= reader->cell; to++) {
        mplan_netcdf_variable variable;
        if (!mplan_ugrid_connectivity(reader, entity, to, text))
            continue;
        mplan_status status = mplan_netcdf_need(&reader->file, text, 2, &variable, err);
        if (!status)
            reader->size[entity] =
                variable.length[mplan_ugrid_transposed(reader, entity, to, &variable)];
        return status;
    }
    *there = false;
    return MPLAN_OK;
}

/* Names as meshplan derives them; faces of the file that are not all derived
 * ones are all_faces. */
const char *mplan_ugrid_set_name(const mplan_ugrid *reader, int entity)
{
    return entity == UGRID_NODE     ? "nodes"
           : entity == reader->cell ? "cells"
           : entity == UGRID_EDGE   ? "edges"
                                    : "all_faces";
}

/* A layout may have sets of 2^31 members and more. */
mplan_status mplan_ugrid_add_set(mplan_ugrid *reader, int entity, mplan_error *err)
{
    const char *name = mplan_ugrid_set_name(reader, entity);
    if (reader->file.layout) {
        reader->set[entity] = (int32_t)reader->file.layout->sets.count;
        return mplan_places_add_set(reader->file.layout, name, reader->size[entity], err);
    }
    if (reader->size[entity] >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: mesh %s: %lld %ss exceed 32 bits",
                          mplan_ugrid_path(reader), reader->name, (long long)reader->size[entity],
                          mplan_ugrid_word[entity]);
    return mplan_mesh_add_set(reader->mesh, name, reader->size[entity], &reader->set[entity], err);
}
#endif
