/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_write.c - writes CGNS files of one unstructured zone, in HDF5
 *
 * After the CGNS documentation, "Standard Interface Data Structures" and "HDF5 implementation": each node is an HDF5 group
 * with the attributes name, label, type and flags, and a dataset " data" whose dimensions are in the opposite order. A
 * section for each type of cells, so that cells of several types are sorted by type; then one for each type of facets of each group,
 * named by a boundary condition. HDF5 makes the file in memory; nothing in it depends on the time. */
#include "formats/cgns/cgns_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"

#if defined MPLAN_HAVE_HDF5

#include <hdf5.h>

#include "formats/hdf5_output.h"
#include "formats/library_lock.h"
#include "formats/side_order.h"
#include "formats/skipped_groups.h"

enum { NAME = 33 };

/* CGNS's number and word of a cell type; 0: none. */
static const struct {
    mplan_cell_type type;
    int32_t number;
    const char *word;
} shapes[] = {{MPLAN_CELL_POINT, 2, "NODE"},        {MPLAN_CELL_LINE2, 3, "BAR_2"},
              {MPLAN_CELL_LINE3, 4, "BAR_3"},       {MPLAN_CELL_TRI3, 5, "TRI_3"},
              {MPLAN_CELL_TRI6, 6, "TRI_6"},        {MPLAN_CELL_QUAD4, 7, "QUAD_4"},
              {MPLAN_CELL_QUAD8, 8, "QUAD_8"},      {MPLAN_CELL_QUAD9, 9, "QUAD_9"},
              {MPLAN_CELL_TET4, 10, "TETRA_4"},     {MPLAN_CELL_TET10, 11, "TETRA_10"},
              {MPLAN_CELL_PYRAMID5, 12, "PYRA_5"},  {MPLAN_CELL_PYRAMID14, 13, "PYRA_14"},
              {MPLAN_CELL_PRISM6, 14, "PENTA_6"},   {MPLAN_CELL_PRISM15, 15, "PENTA_15"},
              {MPLAN_CELL_PRISM18, 16, "PENTA_18"}, {MPLAN_CELL_HEX8, 17, "HEXA_8"},
              {MPLAN_CELL_HEX20, 18, "HEXA_20"},    {MPLAN_CELL_HEX27, 19, "HEXA_27"},
              {MPLAN_CELL_PYRAMID13, 21, "PYRA_13"}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* Members of a group of facets, as rows of nodes. */
typedef struct facet_source {
    const mplan_map *map; /* row i is that of members[i]; NULL: one of nodes, by type */
    const int32_t *members, *nodes;
    const uint8_t *type;
    int64_t n;
} facet_source;

/* A name that is taken. */
typedef struct taken_name {
    char text[NAME];
    int32_t last; /* number behind the last name that was made of it; 0: none */
} taken_name;

/* A CGNS file that is being written. */
typedef struct cgns_writer {
    const mplan_mesh *mesh;
    const mplan_context *context;
    mplan_error *err;
    hid_t file, base, zone, conditions; /* the latter -1: none yet */
    int32_t dimension, stride;
    int64_t n_nodes, n_cells, elements; /* the latter: in sections so far */
    const double *xyz;
    mplan_map cells;
    const uint8_t *type;
    mplan_skipped_groups skipped;
    int32_t n_names;
    taken_name *names; /* of conditions and sections */
} cgns_writer;

static mplan_status fail_hdf5(const cgns_writer *to, const char *what)
{
    return mplan_fail(to->err, MPLAN_ERR_IO, "HDF5 cannot make '%.200s'", what);
}

/* --- nodes of the tree ---------------------------------------------------------------- */

/* An attribute of `size` bytes, which CGNS nodes have for name, label and type; the text is cut or filled with zeros. */
static bool put_word(hid_t node, const char *name, const char *text, size_t size)
{
    char room[NAME] = "";
    snprintf(room, size, "%s", text);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool done = type >= 0 && space >= 0 && H5Tset_size(type, size) >= 0;
    hid_t attribute = done ? H5Acreate2(node, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    done = attribute >= 0 && H5Awrite(attribute, type, room) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

/* name, label, and "MT", "C1", "I4", "R4" or "R8". */
static bool put_words(hid_t node, const char *name, const char *label, const char *type)
{
    return put_word(node, "name", name, NAME) && put_word(node, "label", label, NAME) &&
           put_word(node, "type", type, 3);
}

/* The attribute `flags` of a node: 1, as libcgns writes it. */
static bool put_flags(hid_t node)
{
    const hsize_t one = 1;
    const int32_t flags = 1;
    hid_t space = H5Screate_simple(1, &one, NULL);
    hid_t attribute = space < 0 ? -1
                                : H5Acreate2(node, "flags", H5T_NATIVE_INT32, space, H5P_DEFAULT,
                                             H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT32, &flags) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

/* A dataset whose second dimension is 0 has one only. Without times, which HDF5 would note.
 * first, second: in the order of HDF5, opposite to that of CGNS. */
static bool put_data(hid_t node, const char *name, hid_t type, hsize_t first, hsize_t second,
                     const void *data)
{
    const hsize_t shape[2] = {first, second};
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(second ? 2 : 1, shape, NULL);
    bool done = properties >= 0 && space >= 0 && H5Pset_obj_track_times(properties, false) >= 0;
    hid_t made = done ? H5Dcreate2(node, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT)
                      : -1;
    done = made >= 0 && H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (made >= 0)
        H5Dclose(made);
    if (space >= 0)
        H5Sclose(space);
    if (properties >= 0)
        H5Pclose(properties);
    return done;
}

/* A node without data; negative where it cannot be made. Children keep their order. */
static hid_t make_node(hid_t parent, const char *name, const char *label, const char *type)
{
    hid_t properties = H5Pcreate(H5P_GROUP_CREATE), node = -1;
    if (properties >= 0 &&
        H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0 &&
        H5Pset_obj_track_times(properties, false) >= 0)
        node = H5Gcreate2(parent, name, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (properties >= 0)
        H5Pclose(properties);
    if (node >= 0 && !(put_words(node, name, label, type) && put_flags(node))) {
        H5Gclose(node);
        node = -1;
    }
    return node;
}

/* A node with data and without children. kind: 'C', 'I' (32 bits) or 'R' (64). */
static bool put_node(hid_t parent, const char *name, const char *label, char kind, hsize_t first,
                     hsize_t second, const void *data)
{
    hid_t node = parent < 0 ? -1
                            : make_node(parent, name, label,
                                        kind == 'C'   ? "C1"
                                        : kind == 'I' ? "I4"
                                                      : "R8");
    hid_t type = kind == 'C' ? H5T_NATIVE_CHAR : kind == 'I' ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
    bool done = node >= 0 && put_data(node, " data", type, first, second, data);
    if (node >= 0)
        H5Gclose(node);
    return done;
}

static bool put_text_node(hid_t parent, const char *name, const char *label, const char *text)
{
    return put_node(parent, name, label, 'C', strlen(text), 0, text);
}

/* --- names ---------------------------------------------------------------------------- */

/* At most 32 bytes without a slash, that no node has yet; kept. `end`: "" or what comes behind it.
 * to->names has room for it; `last` of the first equal one saves trying all numbers again. */
static const char *choose_name(cgns_writer *to, const mplan_group *group, const char *end)
{
    char wanted[NAME], *name = to->names[to->n_names].text;
    int room = NAME - 1 - (int)strlen(end) - 4;
    if (group->name[0])
        snprintf(wanted, sizeof wanted, "%.*s",
                 (int)strlen(group->name) + (int)strlen(end) < NAME ? NAME : room, group->name);
    else
        snprintf(wanted, sizeof wanted, "group_%lld", (long long)group->id);
    for (char *c = wanted; *c; c++)
        *c = *c == '/' || (unsigned char)*c < ' ' ? '_' : *c;
    if (wanted[0] == ' ' || wanted[0] == '.')
        wanted[0] = '_';
    snprintf(name, NAME, "%.32s%s", wanted, end);
    taken_name *first = NULL;
    for (int32_t i = 0; i < to->n_names; i++)
        if (strcmp(to->names[i].text, name) == 0) {
            char number[16];
            first = first ? first : &to->names[i];
            first->last = first->last ? first->last + 1 : 2;
            int digits = snprintf(number, sizeof number, "_%d", (int)first->last);
            int left = NAME - 1 - (int)strlen(end) - digits;
            snprintf(name, NAME, "%.*s%s%s", left < room ? left : room, wanted, number, end);
            i = -1;
        }
    if (group->name[0] && !end[0] && strcmp(name, group->name) != 0)
        mplan_warn(to->context, "the group '%s' is called '%s' in a CGNS file", group->name, name);
    to->n_names++;
    return name;
}

/* --- sections ------------------------------------------------------------------------- */

/* *word stays as it is for a type that CGNS does not have, whose number is 0. */
static int32_t number_of(mplan_cell_type type, const char **word)
{
    for (int32_t s = 0; s < N_SHAPES; s++)
        if (shapes[s].type == type) {
            *word = shapes[s].word;
            return shapes[s].number;
        }
    return 0;
}

/* n elements of a type, nodes from 1 in CGNS's order.
 * Elements of all sections are numbered through: this one has the n behind to->elements. */
static mplan_status put_section(cgns_writer *to, const char *name, mplan_cell_type type, int64_t n,
                                const int32_t *nodes)
{
    const char *word = "";
    const int32_t kind[2] = {number_of(type, &word), 0},
                  range[2] = {(int32_t)to->elements + 1, (int32_t)(to->elements + n)};
    hid_t node = make_node(to->zone, name, "Elements_t", "I4");
    bool done = node >= 0 && put_data(node, " data", H5T_NATIVE_INT32, 2, 0, kind) &&
                put_node(node, "ElementRange", "IndexRange_t", 'I', 2, 0, range) &&
                put_node(node, "ElementConnectivity", "DataArray_t", 'I',
                         (hsize_t)(n * mplan_cell_type_nodes(type)), 0, nodes);
    if (node >= 0)
        H5Gclose(node);
    to->elements += n;
    return done ? mplan_interrupted(to->context, to->err) : fail_hdf5(to, name);
}

/* The cells of one type, where there are any. */
static mplan_status put_cells(cgns_writer *to, mplan_cell_type type)
{
    const int32_t arity = mplan_cell_type_nodes(type);
    const char *order = mplan_node_order(MPLAN_NUMBERING_CGNS, type), *word = "";
    int64_t n = 0, at = 0;
    char name[NAME];
    for (int64_t c = 0; c < to->n_cells; c++)
        n += to->type[c] == type;
    if (n == 0)
        return MPLAN_OK;
    int32_t *nodes = mplan_alloc(n * arity, sizeof *nodes, to->err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < to->n_cells; c++) {
        int32_t length;
        const int32_t *row = mplan_map_row(&to->cells, c, &length);
        for (int32_t k = 0; to->type[c] == type && k < arity; k++)
            nodes[at + (order ? order[k] - 'A' : k)] = row[k] + 1;
        at += to->type[c] == type ? arity : 0;
    }
    number_of(type, &word);
    snprintf(name, sizeof name, "Elements_%s", word);
    mplan_status status = put_section(to, name, type, n, nodes);
    free(nodes);
    return status;
}

/* --- boundary conditions -------------------------------------------------------------- */

/* Facets of `corners` corners, by these: from 1, one after the other. Returns how many.
 * nodes: room for what a first call with NULL counted. */
static int64_t gather_facets(const facet_source *from, int32_t corners, int32_t *nodes)
{
    const int32_t *at = from->nodes;
    int64_t n = 0;
    for (int64_t i = 0; i < from->n; i++) {
        int32_t length = 0, own;
        const int32_t *row = at;
        if (from->map)
            row = mplan_map_row(from->map, from->members[i], &length);
        own = from->map ? length : mplan_cell_type_corners((mplan_cell_type)from->type[i]);
        at += from->map ? 0 : mplan_cell_type_nodes((mplan_cell_type)from->type[i]);
        for (int32_t k = 0; own == corners && nodes && k < own; k++)
            nodes[n * corners + k] = row[k] + 1;
        n += own == corners;
    }
    return n;
}

/* The family that a condition names: what the solver is to do there is left to its user. */
static bool put_family(const cgns_writer *to, const char *name)
{
    hid_t node = make_node(to->base, name, "Family_t", "MT");
    bool done = put_text_node(node, "FamilyBC", "FamilyBC_t", "UserDefined");
    if (node >= 0)
        H5Gclose(node);
    return done;
}

/* A condition: a range of elements, or a list of nodes.
 * numbers: n nodes from 1, or the first and the last element. */
static mplan_status put_condition(cgns_writer *to, const char *name, bool of_nodes, int64_t n,
                                  const int32_t *numbers)
{
    if (to->conditions < 0)
        to->conditions = make_node(to->zone, "ZoneBC", "ZoneBC_t", "MT");
    hid_t node = to->conditions < 0 ? -1 : make_node(to->conditions, name, "BC_t", "C1");
    bool done = node >= 0 && put_data(node, " data", H5T_NATIVE_CHAR, 15, 0, "FamilySpecified") &&
                put_text_node(node, "FamilyName", "FamilyName_t", name) && put_family(to, name);
    if (of_nodes)
        done = done && put_node(node, "PointList", "IndexArray_t", 'I', (hsize_t)n, 1, numbers) &&
               put_text_node(node, "GridLocation", "GridLocation_t", "Vertex");
    else
        done = done && put_node(node, "PointRange", "IndexRange_t", 'I', 2, 1, numbers) &&
               put_text_node(node, "GridLocation", "GridLocation_t",
                             to->dimension == 3   ? "FaceCenter"
                             : to->dimension == 2 ? "EdgeCenter"
                                                  : "Vertex");
    if (node >= 0)
        H5Gclose(node);
    return done ? MPLAN_OK : fail_hdf5(to, name);
}

/* A group of facets: a section for each kind, and the condition of all. */
static mplan_status put_facets(cgns_writer *to, const mplan_group *group, const facet_source *from)
{
    const int64_t first = to->elements, n_points = gather_facets(from, 1, NULL);
    mplan_status status = MPLAN_OK;
    if (n_points > 0) { /* of a mesh of lines: its vertices */
        int32_t *nodes = mplan_alloc(n_points, sizeof *nodes, to->err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        gather_facets(from, 1, nodes);
        status = put_condition(to, choose_name(to, group, ""), true, n_points, nodes);
        free(nodes);
    }
    for (int32_t corners = 2; corners <= 4 && !status; corners++) {
        const mplan_cell_type type = mplan_facet_type(corners);
        const char *word = "";
        char end[NAME];
        int64_t n = gather_facets(from, corners, NULL);
        if (n == 0)
            continue;
        int32_t *nodes = mplan_alloc(n * corners, sizeof *nodes, to->err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        gather_facets(from, corners, nodes);
        number_of(type, &word);
        snprintf(end, sizeof end, "_%s", word);
        status = put_section(to, choose_name(to, group, end), type, n, nodes);
        free(nodes);
    }
    const int32_t range[2] = {(int32_t)first + 1, (int32_t)to->elements};
    if (status || to->elements == first)
        return status;
    return put_condition(to, choose_name(to, group, ""), false, 2, range);
}

/* A group of nodes is a boundary condition over a list of vertices, numbered from 1. */
static mplan_status put_nodes(cgns_writer *to, const mplan_group *group)
{
    int32_t *numbers = mplan_alloc(group->n_members, sizeof *numbers, to->err);
    if (!numbers)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < group->n_members; i++)
        numbers[i] = group->members[i] + 1;
    mplan_status status = put_condition(to, choose_name(to, group, ""), true, group->n_members,
                                        numbers);
    free(numbers);
    return status;
}

/* A group of the mesh, by its set; others are mentioned. */
static mplan_status put_group(cgns_writer *to, int32_t g)
{
    mplan_group group = mplan_mesh_group(to->mesh, g);
    const char *set = mplan_mesh_set(to->mesh, group.set).name;
    char name[64];
    snprintf(name, sizeof name, "%.40s_nodes", set);
    int32_t index = mplan_mesh_find_map(to->mesh, name);
    bool faces = strcmp(set, "faces") == 0 || strcmp(set, "boundary_faces") == 0;
    if (group.n_members > 0 && strcmp(set, "nodes") == 0)
        return put_nodes(to, &group);
    if (group.n_members > 0 && faces && index >= 0) {
        mplan_map map = mplan_mesh_map(to->mesh, index);
        facet_source from = {.map = &map, .members = group.members, .n = group.n_members};
        return put_facets(to, &group, &from);
    }
    mplan_skip_group(&to->skipped, &group, set);
    return MPLAN_OK;
}

/* Groups of facets, then those of cells and faces, then those of nodes: a name that is taken gets another.
 * names: each group makes at most four. */
static mplan_status put_groups(cgns_writer *to)
{
    const int32_t n = mplan_mesh_n_groups(to->mesh) + to->mesh->n_facet_groups;
    mplan_status status = MPLAN_OK;
    to->names = mplan_alloc_zero(4 * (int64_t)n + 1, sizeof *to->names, to->err);
    if (!to->names)
        return MPLAN_ERR_MEMORY;
    snprintf(to->names[to->n_names++].text, NAME, "Zone"); /* families are beside it */
    for (int32_t f = 0; f < to->mesh->n_facet_groups && !status; f++) {
        const mplan_mesh_facets *facets = &to->mesh->facets[f];
        mplan_group group = {.name = facets->name, .id = facets->id};
        facet_source from = {.nodes = facets->nodes, .type = facets->type, .n = facets->n_facets};
        status = put_facets(to, &group, &from);
    }
    for (int32_t pass = 0; pass < 2; pass++) /* groups of nodes come last */
        for (int32_t g = 0; g < mplan_mesh_n_groups(to->mesh) && !status; g++) {
            int32_t set = mplan_mesh_group(to->mesh, g).set;
            if ((strcmp(mplan_mesh_set(to->mesh, set).name, "nodes") == 0) == (pass == 1))
                status = put_group(to, g);
        }
    mplan_warn_skipped(&to->skipped, "a CGNS file", to->context);
    return status;
}

/* --- the file ------------------------------------------------------------------------- */

/* What the mesh must have, and the counts that CGNS numbers by: 32 bits hold cells and facets together. */
static mplan_status find_cells(cgns_writer *to)
{
    int32_t nodes = mplan_mesh_find_set(to->mesh, "nodes"),
            map = mplan_mesh_find_map(to->mesh, "cells_nodes");
    to->type = mplan_mesh_cell_types(to->mesh);
    to->xyz = nodes < 0 ? NULL : mplan_mesh_coordinates(to->mesh, nodes, &to->stride);
    if (map < 0 || !to->type || !to->xyz)
        return mplan_fail(to->err, MPLAN_ERR_ARGUMENT,
                          "a CGNS file needs cells with types and coordinates of nodes, which this "
                          "mesh does not have");
    to->cells = mplan_mesh_map(to->mesh, map);
    to->n_nodes = mplan_mesh_set(to->mesh, nodes).size;
    to->n_cells = to->cells.n_rows;
    to->dimension = mplan_mesh_dimension(to->mesh);
    int64_t facets = 0;
    for (int32_t f = 0; f < to->mesh->n_facet_groups; f++)
        facets += to->mesh->facets[f].n_facets;
    for (int32_t g = 0; g < mplan_mesh_n_groups(to->mesh); g++)
        facets += mplan_mesh_group(to->mesh, g).n_members;
    return to->n_cells + facets <= INT32_MAX
               ? MPLAN_OK
               : mplan_fail(to->err, MPLAN_ERR_UNSUPPORTED,
                            "cells and facets of a CGNS file cannot exceed 32 bits here");
}

/* One coordinate of all nodes. */
static mplan_status put_axis(const cgns_writer *to, hid_t parent, int32_t d)
{
    static const char *const names[] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
    double *axis = mplan_alloc(to->n_nodes, sizeof *axis, to->err);
    if (!axis)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < to->n_nodes; i++)
        axis[i] = to->xyz[i * to->stride + d];
    bool done = put_node(parent, names[d], "DataArray_t", 'R', (hsize_t)to->n_nodes, 0, axis);
    free(axis);
    return done ? mplan_interrupted(to->context, to->err) : fail_hdf5(to, names[d]);
}

/* The zone and all that is in it. */
static mplan_status put_zone(cgns_writer *to, hid_t base)
{
    const int32_t size[3] = {(int32_t)to->n_nodes, (int32_t)to->n_cells, 0};
    to->zone = make_node(base, "Zone", "Zone_t", "I4");
    bool done = to->zone >= 0 && put_data(to->zone, " data", H5T_NATIVE_INT32, 3, 1, size) &&
                put_text_node(to->zone, "ZoneType", "ZoneType_t", "Unstructured");
    hid_t grid = done ? make_node(to->zone, "GridCoordinates", "GridCoordinates_t", "MT") : -1;
    mplan_status status = grid >= 0 ? MPLAN_OK : fail_hdf5(to, "Zone");
    for (int32_t d = 0; d < to->stride && !status; d++)
        status = put_axis(to, grid, d);
    if (grid >= 0)
        H5Gclose(grid);
    for (int32_t s = 0; s < N_SHAPES && !status; s++)
        status = put_cells(to, shapes[s].type);
    if (!status)
        status = put_groups(to);
    if (to->conditions >= 0)
        H5Gclose(to->conditions);
    if (to->zone >= 0)
        H5Gclose(to->zone);
    return status;
}

/* The root, version and base. */
static mplan_status put_tree(cgns_writer *to)
{
    static const char version[NAME] = "HDF5 Version 1.8";
    const float release = 3.4F;
    const int32_t dimensions[2] = {to->dimension, to->stride};
    const uint16_t one = 1;
    bool little = *(const uint8_t *)&one == 1;
    bool done = put_words(to->file, "HDF5 MotherNode", "Root Node of HDF5 File", "MT") &&
                put_data(to->file, " format", H5T_NATIVE_CHAR, little ? 15 : 12, 0,
                         little ? "IEEE_LITTLE_32" : "IEEE_BIG_32") &&
                put_data(to->file, " hdf5version", H5T_NATIVE_CHAR, NAME, 0, version);
    hid_t node = done ? make_node(to->file, "CGNSLibraryVersion", "CGNSLibraryVersion_t", "R4") : -1;
    done = node >= 0 && put_data(node, " data", H5T_NATIVE_FLOAT, 1, 0, &release);
    if (node >= 0)
        H5Gclose(node);
    hid_t base = done ? make_node(to->file, "Base", "CGNSBase_t", "I4") : -1;
    done = base >= 0 && put_data(base, " data", H5T_NATIVE_INT32, 2, 0, dimensions);
    to->base = base;
    mplan_status status = done ? put_zone(to, base) : fail_hdf5(to, "Base");
    if (base >= 0)
        H5Gclose(base);
    return status;
}

/* In memory; links are kept in the order in which they are made. */
static bool open_file(cgns_writer *to)
{
    hid_t create = H5Pcreate(H5P_FILE_CREATE);
    if (create >= 0 &&
        H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0 &&
        H5Pset_obj_track_times(create, false) >= 0)
        to->file = mplan_hdf5_output_open(to->mesh, create);
    if (create >= 0)
        H5Pclose(create);
    return to->file >= 0;
}

/* The file is made in memory by HDF5, then written as all others are: an error leaves no half
 * file. HDF5 prints errors by itself; this is off meanwhile, under the lock of the library. */
mplan_status mplan_cgns_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                              const mplan_context *context, mplan_error *err)
{
    (void)what;
    cgns_writer to = {
        .mesh = mesh, .context = context, .err = err, .file = -1, .zone = -1, .conditions = -1};
    H5E_auto2_t print;
    void *data;
    mplan_status status = find_cells(&to);
    if (status)
        return status;
    mplan_library_lock();
    bool quiet = H5Eget_auto2(H5E_DEFAULT, &print, &data) >= 0 &&
                 H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
    status = open_file(&to) ? put_tree(&to)
                            : mplan_fail(err, MPLAN_ERR_MEMORY, "HDF5 cannot make a file in memory");
    if (!status)
        status = mplan_hdf5_output_write(to.file, output, context, err);
    if (to.file >= 0)
        H5Fclose(to.file);
    if (quiet)
        H5Eset_auto2(H5E_DEFAULT, print, data);
    mplan_library_unlock();
    free(to.names);
    return status;
}

#elif defined MPLAN_HELPER_HDF5

#include "formats/contained_formats.h"

mplan_status mplan_cgns_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                              const mplan_context *context, mplan_error *err)
{
    (void)what;
    return mplan_contained_write("cgns", mesh, output, context, err);
}

#else

mplan_status mplan_cgns_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                              const mplan_context *context, mplan_error *err)
{
    (void)mesh;
    (void)what;
    (void)output;
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "CGNS files need libhdf5, which this build lacks");
}
#endif
