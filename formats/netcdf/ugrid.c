/* SPDX-License-Identifier: Apache-2.0 */
/* ugrid.c - reads meshes of netCDF files after the UGRID conventions (LFRic, FVCOM, D-Flow FM, ...)
 *
 * After "UGRID Conventions (v1.0) for specifying the topology of unstructured grids", and LFRic's files
 * of several meshes. UGRID's entities of the mesh's dimension are `cells` (faces of a 2-D mesh,
 * volumes, edges of a network), below them `edges`, and in 3-D `all_faces`, in the file's order.
 * Each <from>_<to>_connectivity is the map of these names. Polygons of more than four corners
 * are cells without a type. Longitude and latitude become points of the unit sphere. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/contained_formats.h"
#include "formats/netcdf/netcdf_input.h"
#include "formats/netcdf/netcdf_kind.h"
#include "formats/prism.h"
#include "formats/netcdf/sphere.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

enum { NODE, EDGE, FACE, VOLUME, N_ENTITIES };
static const char *const entity_name[N_ENTITIES] = {"node", "edge", "face", "volume"};

/* One mesh of a UGRID file; arrays are per kind of entity. */
typedef struct ugrid_reader {
    mplan_netcdf file;
    mplan_mesh *mesh;
    int topology; /* variable of the chosen mesh */
    char name[MPLAN_NETCDF_NAME];
    int cell;                /* entity of the mesh's dimension */
    int32_t set[N_ENTITIES]; /* -1: the file does not speak of it */
    int64_t size[N_ENTITIES];
    int dimension[N_ENTITIES]; /* id of the entity's dimension, -1 where none is named */
} ugrid_reader;

static const char *path_of(const ugrid_reader *reader)
{
    return reader->file.input->path;
}

/* --- which mesh ------------------------------------------------------------------------ */

static bool is_topology(const mplan_netcdf *file, int variable)
{
    char role[32];
    return mplan_netcdf_text(file, variable, "cf_role", role, sizeof role) &&
           strcmp(role, "mesh_topology") == 0;
}

/* The mesh `zone`, or the first; *n: how many there are, list: their names. */
static mplan_status find_topology(ugrid_reader *reader, const char *zone, int *n, char *list,
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
static mplan_status choose_topology(ugrid_reader *reader, const char *zone, mplan_error *err)
{
    char list[384];
    int n;
    int64_t dimension;
    mplan_status status = find_topology(reader, zone, &n, list, sizeof list, err);
    if (status)
        return status;
    if (n == 0)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: no variable has the cf_role mesh_topology",
                          path_of(reader));
    if (reader->topology < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no mesh '%.64s' among %s",
                          path_of(reader), zone, list);
    if (!zone && n > 1)
        mplan_warn(reader->file.context, "%s: of %d meshes (%s) the first is read", path_of(reader),
                   n, list);
    if (!mplan_netcdf_whole(&reader->file, reader->topology, "topology_dimension", &dimension) ||
        dimension < 1 || dimension > 3)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: mesh %s: the topology_dimension is not 1, 2 or 3", path_of(reader),
                          reader->name);
    reader->cell = (int)dimension;
    return MPLAN_OK;
}

/* --- sets -------------------------------------------------------------------------------- */

/* Name of the variable that holds a map; false when the mesh names none. */
static bool connectivity(const ugrid_reader *reader, int from, int to, char name[MPLAN_NETCDF_NAME])
{
    char attribute[64];
    snprintf(attribute, sizeof attribute, "%s_%s_connectivity", entity_name[from], entity_name[to]);
    return mplan_netcdf_text(&reader->file, reader->topology, attribute, name, MPLAN_NETCDF_NAME);
}

/* Arity that the conventions fix: an edge has two nodes, and two faces in 2-D; 0: any */
static int64_t arity_of(const ugrid_reader *reader, int from, int to)
{
    return from == EDGE && (to == NODE || (to == FACE && reader->cell == FACE)) ? 2 : 0;
}

/* Whether rows are along the second dimension: the mesh names it, or the arity does not fit. */
static bool is_transposed(const ugrid_reader *reader, int from, int to,
                          const mplan_netcdf_variable *variable)
{
    int named = reader->dimension[from];
    int64_t arity = arity_of(reader, from, to);
    if (named >= 0 && variable->dimension[0] != variable->dimension[1])
        return variable->dimension[1] == named;
    return arity > 0 && variable->length[0] == arity && variable->length[1] != arity;
}

/* Members of an entity: of the dimension that the mesh names, or rows of a map from it. */
static mplan_status count_entity(ugrid_reader *reader, int entity, bool *there, mplan_error *err)
{
    char text[MPLAN_NETCDF_NAME], attribute[64];
    snprintf(attribute, sizeof attribute, "%s_dimension", entity_name[entity]);
    *there = true;
    if (mplan_netcdf_text(&reader->file, reader->topology, attribute, text, sizeof text)) {
        reader->dimension[entity] = mplan_netcdf_dimension(&reader->file, text,
                                                           &reader->size[entity]);
        if (reader->dimension[entity] < 0)
            return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: mesh %s: there is no dimension %.64s",
                              path_of(reader), reader->name, text);
        if (reader->size[entity] > reader->file.most_bytes)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s: dimension %.64s is larger than the file can hold",
                              path_of(reader), text);
        return MPLAN_OK;
    }
    for (int to = NODE; to <= reader->cell; to++) {
        mplan_netcdf_variable variable;
        if (!connectivity(reader, entity, to, text))
            continue;
        mplan_status status = mplan_netcdf_need(&reader->file, text, 2, &variable, err);
        if (!status)
            reader->size[entity] = variable.length[is_transposed(reader, entity, to, &variable)];
        return status;
    }
    *there = false;
    return MPLAN_OK;
}

/* Names as meshplan derives them; faces of the file that are not all derived
 * ones are all_faces. */
static mplan_status add_set(ugrid_reader *reader, int entity, mplan_error *err)
{
    const char *name = entity == NODE           ? "nodes"
                       : entity == reader->cell ? "cells"
                       : entity == EDGE         ? "edges"
                                                : "all_faces";
    if (reader->size[entity] >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: mesh %s: %lld %ss exceed 32 bits",
                          path_of(reader), reader->name, (long long)reader->size[entity],
                          entity_name[entity]);
    return mplan_mesh_add_set(reader->mesh, name, reader->size[entity], &reader->set[entity], err);
}

/* --- coordinates ------------------------------------------------------------------------- */

typedef enum axis { AXIS_LENGTH, AXIS_LONGITUDE, AXIS_LATITUDE } axis;

/* The variables that hold the coordinates of the nodes. */
typedef struct ugrid_axes {
    int n; /* used: 1 to 3 */
    bool sphere;
    double degrees; /* of the file's unit of angle */
    mplan_netcdf_variable variable[3];
} ugrid_axes;

/* Which axis a coordinate variable is, by its standard name or its unit. */
static axis axis_of(const mplan_netcdf *file, int variable)
{
    char text[64];
    static const char *const words[2][2] = {{"longitude", "degrees_east"},
                                            {"latitude", "degrees_north"}};
    static const char *const more[2][3] = {{"degree_east", "degrees_E", "degree_E"},
                                           {"degree_north", "degrees_N", "degree_N"}};
    for (int a = 0; a < 2; a++) {
        if (mplan_netcdf_text(file, variable, "standard_name", text, sizeof text) &&
            strcmp(text, words[a][0]) == 0)
            return a == 0 ? AXIS_LONGITUDE : AXIS_LATITUDE;
        bool has = mplan_netcdf_text(file, variable, "units", text, sizeof text);
        bool named = has && strcmp(text, words[a][1]) == 0;
        for (int w = 0; w < 3; w++)
            named = named || (has && strcmp(text, more[a][w]) == 0);
        if (named)
            return a == 0 ? AXIS_LONGITUDE : AXIS_LATITUDE;
    }
    return AXIS_LENGTH;
}

/* Factor from the unit of an angle to degrees. */
static double degrees_of_unit(const mplan_netcdf *file, int variable)
{
    char text[64];
    bool radian = mplan_netcdf_text(file, variable, "units", text, sizeof text) &&
                  strncmp(text, "rad", 3) == 0;
    return radian ? 57.295779513082320877 : 1;
}

/* Lengths where there are two or three, else longitude and latitude; a mesh may name both. */
static mplan_status choose_axes(const ugrid_reader *reader, char *names, ugrid_axes *axes,
                                mplan_error *err)
{
    mplan_netcdf_variable lengths[3], longitude, latitude;
    int n_lengths = 0;
    bool has_longitude = false, has_latitude = false;
    for (char *rest = names, *name; (name = strtok_r(rest, " \t\n", &rest)) != NULL;) {
        mplan_netcdf_variable found;
        mplan_status status = mplan_netcdf_need(&reader->file, name, 1, &found, err);
        if (status)
            return status;
        switch (axis_of(&reader->file, found.id)) {
        case AXIS_LONGITUDE:
            longitude = found;
            has_longitude = true;
            break;
        case AXIS_LATITUDE:
            latitude = found;
            has_latitude = true;
            break;
        case AXIS_LENGTH:
            if (n_lengths < 3)
                lengths[n_lengths++] = found;
        }
    }
    bool angles = has_longitude && has_latitude && n_lengths < 2;
    *axes = (ugrid_axes){
        .n = angles ? 2 + n_lengths : n_lengths, .sphere = angles && n_lengths == 0, .degrees = 1};
    if (angles) { /* with a height they stay what they are: 3-D all the same */
        axes->variable[0] = longitude;
        axes->variable[1] = latitude;
        axes->degrees = degrees_of_unit(&reader->file, longitude.id);
    }
    for (int i = 0; i < n_lengths; i++)
        axes->variable[angles ? 2 : i] = lengths[i];
    if (axes->n > 0)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: mesh %s: the node_coordinates name no axes",
                      path_of(reader), reader->name);
}

/* xyz: 3 doubles a node; longitude and latitude in, points of the unit sphere
 * out. */
static mplan_status to_sphere(const ugrid_reader *reader, const ugrid_axes *axes, double *xyz,
                              mplan_error *err)
{
    for (int64_t i = 0; i < reader->size[NODE]; i++) {
        double longitude = xyz[3 * i] * axes->degrees, latitude = xyz[3 * i + 1] * axes->degrees;
        bool angles = longitude >= -1e6 && longitude <= 1e6 && latitude >= -90.001 &&
                      latitude <= 90.001; /* false for NaN */
        if (!angles)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: node %lld has longitude %g and latitude %g degrees",
                              path_of(reader), (long long)i, longitude, latitude);
        mplan_sphere_point(longitude, latitude, &xyz[3 * i]);
    }
    return MPLAN_OK;
}

/* Dimension 3 on a sphere, where longitudes have a seam. */
static mplan_status read_axes(ugrid_reader *reader, const ugrid_axes *axes, mplan_error *err)
{
    int32_t dimension = axes->n == 3 || axes->sphere ? 3 : 2;
    double *xyz = mplan_alloc_zero(reader->size[NODE], (size_t)dimension * sizeof *xyz, err);
    mplan_status status = xyz ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int a = 0; a < axes->n && !status; a++) {
        const mplan_netcdf_variable *variable = &axes->variable[a];
        if (variable->length[0] != reader->size[NODE])
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: variable %s has %lld numbers for %lld nodes", path_of(reader),
                                variable->name, (long long)variable->length[0],
                                (long long)reader->size[NODE]);
        if (!status)
            status = mplan_netcdf_reals(&reader->file, variable, xyz + a, dimension, err);
    }
    if (!status && axes->sphere)
        status = to_sphere(reader, axes, xyz, err);
    if (status) {
        free(xyz);
        return status;
    }
    status = mplan_mesh_take_coordinates(reader->mesh, reader->set[NODE], dimension, xyz, err);
    return status == MPLAN_ERR_MESH ? mplan_fail_prefix(err, status, path_of(reader)) : status;
}

/* The nodes, as many as they have coordinates. */
static mplan_status read_nodes(ugrid_reader *reader, mplan_error *err)
{
    char names[1024];
    ugrid_axes axes;
    if (!mplan_netcdf_text(&reader->file, reader->topology, "node_coordinates", names, sizeof names))
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: mesh %s has no node_coordinates",
                          path_of(reader), reader->name);
    mplan_status status = choose_axes(reader, names, &axes, err);
    if (status)
        return status;
    reader->size[NODE] = axes.variable[0].length[0];
    status = add_set(reader, NODE, err);
    return !status ? read_axes(reader, &axes, err) : status;
}

/* --- maps ----------------------------------------------------------------------------------- */

/* Rows of equal length as they are in the file; -1: none. */
typedef struct ugrid_rows {
    char name[MPLAN_NETCDF_NAME];
    int64_t n;
    int32_t arity;
    int32_t *values;
} ugrid_rows;

/* From [corner][cell] to [cell][corner]. */
static mplan_status turn_rows(ugrid_rows *rows, mplan_error *err)
{
    int32_t *turned = mplan_alloc(rows->n * rows->arity, sizeof *turned, err);
    if (!turned)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < rows->arity; k++)
        for (int64_t r = 0; r < rows->n; r++)
            turned[r * rows->arity + k] = rows->values[k * rows->n + r];
    free(rows->values);
    rows->values = turned;
    return MPLAN_OK;
}

/* Numbers in the file begin at 0 or 1. */
static mplan_status start_index(const ugrid_reader *reader, const mplan_netcdf_variable *variable,
                                int64_t *base, mplan_error *err)
{
    *base = 0;
    mplan_netcdf_whole(&reader->file, variable->id, "start_index", base);
    if (*base == 0 || *base == 1)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: variable %s: start_index is %lld, not 0 or 1",
                      path_of(reader), variable->name, (long long)*base);
}

/* rows: owned by the caller; missing corners of smaller cells are -1. */
static mplan_status read_rows(ugrid_reader *reader, int from, int to, ugrid_rows *rows,
                              mplan_error *err)
{
    mplan_netcdf_variable variable;
    int64_t base;
    mplan_status status = mplan_netcdf_need(&reader->file, rows->name, 2, &variable, err);
    if (!status)
        status = start_index(reader, &variable, &base, err);
    if (status)
        return status;
    bool transposed = is_transposed(reader, from, to, &variable);
    int64_t n = variable.length[transposed], arity = variable.length[!transposed];
    if (n != reader->size[from])
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s has %lld rows for %lld %ss",
                          path_of(reader), variable.name, (long long)n,
                          (long long)reader->size[from], entity_name[from]);
    if (arity < 1 || arity > INT32_MAX || (arity_of(reader, from, to) == 2 && arity != 2))
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s has %lld columns", path_of(reader),
                          variable.name, (long long)arity);
    const mplan_netcdf_ids ids = {base, reader->size[to], true, entity_name[to]};
    rows->n = n;
    rows->arity = (int32_t)arity;
    rows->values = mplan_alloc(variable.count, sizeof *rows->values, err);
    if (!rows->values)
        return MPLAN_ERR_MEMORY;
    status = mplan_netcdf_read_ids(&reader->file, &variable, &ids, rows->values, err);
    return !status && transposed ? turn_rows(rows, err) : status;
}

/* Entries before the first -1; -1 when others follow. */
static int32_t row_length(const ugrid_rows *rows, int64_t r)
{
    const int32_t *row = rows->values + r * rows->arity;
    int32_t n = rows->arity, k = 0;
    while (n > 0 && row[n - 1] < 0)
        n--;
    while (k < n && row[k] >= 0)
        k++;
    return k == n ? n : -1;
}

/* Takes -1 entries at the end of rows out; *offsets stays NULL where there are none. False where
 * a row has one in its midst, which is kept. */
static mplan_status pack_rows(ugrid_rows *rows, int64_t **offsets, bool *packed, mplan_error *err)
{
    int64_t n = 0;
    *offsets = NULL;
    *packed = false;
    for (int64_t r = 0; r < rows->n; r++) {
        int32_t length = row_length(rows, r);
        if (length < 0)
            return MPLAN_OK;
        n += length;
    }
    *packed = true;
    if (n == rows->n * rows->arity)
        return MPLAN_OK;
    int64_t *made = mplan_alloc(rows->n + 1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    int64_t at = made[0] = 0;
    for (int64_t r = 0; r < rows->n; r++) {
        int32_t length = row_length(rows, r);
        for (int32_t k = 0; k < length; k++)
            rows->values[at++] = rows->values[r * rows->arity + k];
        made[r + 1] = at;
    }
    *offsets = made;
    int32_t *fitting = mplan_realloc(rows->values, n, sizeof *fitting, err);
    if (!fitting)
        return MPLAN_ERR_MEMORY;
    rows->values = fitting;
    return MPLAN_OK;
}

/* --- cells ----------------------------------------------------------------------------------- */

/* The type of a cell of n corners, or MPLAN_N_CELL_TYPES. */
static mplan_cell_type type_of(int dimension, int64_t n)
{
    if (dimension == 1)
        return n == 2 ? MPLAN_CELL_LINE2 : MPLAN_N_CELL_TYPES;
    if (dimension == 2)
        return n == 3 ? MPLAN_CELL_TRI3 : n == 4 ? MPLAN_CELL_QUAD4 : MPLAN_N_CELL_TYPES;
    switch (n) {
    case 4: return MPLAN_CELL_TET4;
    case 5: return MPLAN_CELL_PYRAMID5;
    case 6: return MPLAN_CELL_PRISM6;
    case 8: return MPLAN_CELL_HEX8;
    default: return MPLAN_N_CELL_TYPES;
    }
}

/* Types of all cells; *typed is false where a polygon has none. */
static mplan_status type_cells(const ugrid_reader *reader, const ugrid_rows *rows,
                               const int64_t *offsets, uint8_t *types, bool *typed, mplan_error *err)
{
    *typed = true;
    for (int64_t c = 0; c < rows->n; c++) {
        int64_t n = offsets ? offsets[c + 1] - offsets[c] : rows->arity;
        mplan_cell_type type = type_of(reader->cell, n);
        types[c] = (uint8_t)type;
        if (type != MPLAN_N_CELL_TYPES)
            continue;
        if (reader->cell == FACE && n >= 3)
            *typed = false;
        else
            return mplan_fail(err,
                              reader->cell == VOLUME && n > 3 ? MPLAN_ERR_UNSUPPORTED : MPLAN_ERR_MESH,
                              "%s: variable %s: %s %lld has %lld nodes", path_of(reader),
                              rows->name, entity_name[reader->cell], (long long)c, (long long)n);
    }
    return MPLAN_OK;
}

/* UGRID does not say which way prisms are numbered: their volume does. */
static void turn_prisms(const ugrid_reader *reader, const uint8_t *types, int32_t *nodes)
{
    int32_t dimension;
    const double *xyz = mplan_mesh_coordinates(reader->mesh, reader->set[NODE], &dimension);
    for (int64_t c = 0; dimension == 3 && c < reader->size[VOLUME]; c++) {
        if (types[c] == MPLAN_CELL_PRISM6)
            mplan_turn_prism(xyz, nodes);
        nodes += mplan_cell_type_nodes((mplan_cell_type)types[c]);
    }
}

/* Adds the set `cells` with what rows and offsets hold, which it takes over. */
static mplan_status take_cells(ugrid_reader *reader, ugrid_rows *rows, int64_t *offsets,
                               mplan_error *err)
{
    bool typed;
    uint8_t *types = mplan_alloc(rows->n, sizeof *types, err);
    mplan_status status = types ? type_cells(reader, rows, offsets, types, &typed, err)
                                : MPLAN_ERR_MEMORY;
    if (!status && typed) {
        if (reader->cell == VOLUME)
            turn_prisms(reader, types, rows->values);
        free(offsets);
        status = mplan_mesh_take_cells(reader->mesh, reader->size[NODE], rows->n, types,
                                       rows->values, err);
        rows->values = NULL;
        reader->set[reader->cell] = mplan_mesh_find_set(reader->mesh, "cells");
        return status;
    }
    free(types);
    if (!status)
        status = add_set(reader, reader->cell, err);
    if (status) {
        free(offsets);
        return status;
    }
    status = mplan_mesh_take_map(reader->mesh, "cells_nodes", reader->set[reader->cell],
                                 reader->set[NODE], offsets ? 0 : rows->arity, offsets,
                                 rows->values, NULL, err);
    rows->values = NULL;
    return status;
}

/* Types follow from the dimension and the number of nodes that are there. */
static mplan_status read_cells(ugrid_reader *reader, mplan_error *err)
{
    ugrid_rows rows = {.n = 0};
    int64_t *offsets = NULL;
    bool packed;
    if (!connectivity(reader, reader->cell, NODE, rows.name))
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: mesh %s has no %s_node_connectivity",
                          path_of(reader), reader->name, entity_name[reader->cell]);
    mplan_status status = read_rows(reader, reader->cell, NODE, &rows, err);
    if (!status)
        status = pack_rows(&rows, &offsets, &packed, err);
    if (!status && !packed)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: variable %s: a node follows a fill value",
                            path_of(reader), rows.name);
    if (!status)
        status = take_cells(reader, &rows, offsets, err);
    else
        free(offsets);
    free(rows.values);
    return status;
}

/* --- the other maps --------------------------------------------------------------------------- */

/* Maps to smaller entities lose the -1 that fill their rows; those to cells and neighbours keep them, as the
 * place in the row is a side. */
static mplan_status read_map(ugrid_reader *reader, int from, int to, const char *variable,
                             mplan_error *err)
{
    char name[64];
    ugrid_rows rows = {.n = 0};
    int64_t *offsets = NULL;
    bool packed;
    snprintf(rows.name, sizeof rows.name, "%s", variable);
    mplan_status status = read_rows(reader, from, to, &rows, err);
    if (!status && to < from)
        status = pack_rows(&rows, &offsets, &packed, err);
    if (status) {
        free(offsets);
        free(rows.values);
        return status;
    }
    snprintf(name, sizeof name, "%s_%s", mplan_mesh_set(reader->mesh, reader->set[from]).name,
             mplan_mesh_set(reader->mesh, reader->set[to]).name);
    return mplan_mesh_take_map(reader->mesh, name, reader->set[from], reader->set[to],
                               offsets ? 0 : rows.arity, offsets, rows.values, NULL, err);
}

/* Further connectivities, such as edges_faces, become maps if both sets are
 * known. */
static mplan_status read_maps(ugrid_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int from = EDGE; from <= reader->cell; from++)
        for (int to = NODE; to <= reader->cell && !status; to++) {
            char name[MPLAN_NETCDF_NAME];
            if ((from == reader->cell && to == NODE) || !connectivity(reader, from, to, name))
                continue;
            if (reader->set[from] >= 0 && reader->set[to] >= 0)
                status = read_map(reader, from, to, name, err);
            else
                mplan_warn(reader->file.context, "%s: variable %s is skipped: the file has no %ss",
                           path_of(reader), name, entity_name[to]);
        }
    return status;
}

/* Cells at both sides of every edge, from the edges of the cells; false where an edge has more. */
static bool fill_sides(const mplan_map *edges, int32_t *cells)
{
    for (int64_t c = 0; c < edges->n_rows; c++) {
        int32_t n;
        const int32_t *row = mplan_map_row(edges, c, &n);
        for (int32_t k = 0; k < n; k++) {
            if (row[k] < 0)
                continue;
            int32_t *side = cells + 2 * (int64_t)row[k];
            if (side[1] >= 0)
                return false;
            side[side[0] >= 0] = (int32_t)c;
        }
    }
    return true;
}

/* LFRic's files tell the edges of faces and not the faces of edges, over which loops run. */
static mplan_status add_sides(ugrid_reader *reader, mplan_error *err)
{
    int32_t index = mplan_mesh_find_map(reader->mesh, "cells_edges");
    if (reader->cell != FACE || index < 0 || mplan_mesh_find_map(reader->mesh, "edges_cells") >= 0)
        return MPLAN_OK;
    mplan_map edges = mplan_mesh_map(reader->mesh, index);
    int32_t *cells = mplan_alloc(edges.n_points, 2 * sizeof *cells, err);
    if (!cells)
        return MPLAN_ERR_MEMORY;
    memset(cells, 0xff, (size_t)edges.n_points * 2 * sizeof *cells);
    if (!fill_sides(&edges, cells)) {
        free(cells);
        return MPLAN_OK;
    }
    return mplan_mesh_take_map(reader->mesh, "edges_cells", reader->set[EDGE], reader->set[FACE], 2,
                               NULL, cells, NULL, err);
}

/* Edges of two cells each are what loops over faces are to run over. */
static mplan_status name_faces(ugrid_reader *reader, mplan_error *err)
{
    int32_t index = mplan_mesh_find_map(reader->mesh, "edges_cells");
    if (reader->cell != FACE || index < 0)
        return MPLAN_OK;
    mplan_map map = mplan_mesh_map(reader->mesh, index);
    int64_t n = mplan_map_entries(&map);
    for (int64_t i = 0; i < n; i++)
        if (map.values[i] < 0)
            return MPLAN_OK;
    return mplan_mesh_dimension(reader->mesh) == 0
               ? MPLAN_OK
               : mplan_mesh_set_faces_name(reader->mesh, "edges", err);
}

/* Cells before sets of lower dimension. */
static mplan_status read_mesh(ugrid_reader *reader, const char *zone, mplan_error *err)
{
    mplan_status status = choose_topology(reader, zone, err);
    if (!status)
        status = read_nodes(reader, err);
    for (int entity = reader->cell; entity >= EDGE && !status; entity--) {
        bool there = false;
        status = count_entity(reader, entity, &there, err);
        if (!status && entity == reader->cell)
            status = read_cells(reader, err);
        else if (!status && there)
            status = add_set(reader, entity, err);
    }
    if (!status)
        status = read_maps(reader, err);
    if (!status)
        status = add_sides(reader, err);
    return !status ? name_faces(reader, err) : status;
}

static mplan_status read_ugrid(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    ugrid_reader reader = {.mesh = mesh, .topology = -1};
    for (int e = 0; e < N_ENTITIES; e++)
        reader.set[e] = reader.dimension[e] = -1;
    mplan_status status = mplan_netcdf_open(input, context, &reader.file, err);
    if (status)
        return status;
    status = read_mesh(&reader, options ? options->zone : NULL, err);
    mplan_netcdf_close(&reader.file);
    return status;
}
#endif

static mplan_recognised recognise_ugrid(const uint8_t *data, size_t size)
{
    return mplan_netcdf_kind_of(data, size) == MPLAN_NETCDF_UGRID ? MPLAN_RECOGNISED_YES
                                                                  : MPLAN_RECOGNISED_NO;
}

#if !defined MPLAN_HAVE_NETCDF && defined MPLAN_HELPER_NETCDF
static mplan_status read_ugrid(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    return mplan_contained_read("ugrid", input, options, context, mesh, err);
}
#endif

const mplan_file_format mplan_format_ugrid = {
    .name = "ugrid",
    .description = "UGRID conventions (LFRic, ...), netCDF-3 and -4, several meshes",
    .extensions = ".nc",
    .recognise = recognise_ugrid,
#ifdef MPLAN_HAVE_NETCDF
    .read = read_ugrid,
#elif defined MPLAN_HELPER_NETCDF
    .read = read_ugrid,
#else
    .missing = "libnetcdf",
#endif
};
