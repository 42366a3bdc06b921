/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_write.h - unstructured grids as VTK's XML files (.vtu) */
#ifndef MPLAN_VTU_WRITE_H
#define MPLAN_VTU_WRITE_H

#include "base/file_output.h"
#include "meshplan.h"

/* Cells one behind the other in nodes. With types each has the nodes of its type. Without,
 * row c has arity nodes, or [offsets[c], offsets[c + 1]) where arity is 0, and is what its
 * number of nodes says: nothing, a vertex, a line, a triangle, a quad or a polygon; entries of -1 do
 * not count. With face_starts all are polyhedra: the faces of cell c are faces[face_starts[c]] ...: their
 * number, then for each the number of its nodes and these. */
typedef struct mplan_vtu_cells {
    int64_t n;
    const uint8_t *types; /* mplan_cell_type; NULL: by the number of nodes */
    int32_t arity;
    const int64_t *offsets;
    const int32_t *nodes;       /* each in [-1, n_points); with types >= 0, in Gmsh's order */
    const int64_t *face_starts; /* NULL: no polyhedra; else n + 1 */
    const int32_t *faces;
} mplan_vtu_cells;

/* The faces of the cells of a mesh that has no types of cells, from faces, boundary_faces and their maps:
 * arrays of mplan_vtu_cells, from mplan_alloc. Leaves NULL where the mesh has no such maps or cells are
 * not solid: faces of less than three nodes, or nodes in the plane. */
mplan_status mplan_vtu_faces_of(const mplan_mesh *mesh, int64_t **face_starts, int32_t **faces,
                                mplan_error *err);

/* A number for each point or cell. Without data it is 1 for those that are marked and 0 for
 * the others, of type u8: marked are first + marks[i], ascending, or without marks the n_marks
 * from first on. */
typedef struct mplan_vtu_field {
    const char *name;
    bool of_points; /* else of the cells of all parts */
    mplan_type type;
    const void *data;
    int64_t first, n_marks;
    const int32_t *marks;
} mplan_vtu_field;

/* What is to be written: points, cells and fields, all borrowed. */
typedef struct mplan_vtu_grid {
    int64_t n_points;
    int32_t dimension; /* of xyz: 2 or 3; in 2-D z is written as 0 */
    const double *xyz;
    int32_t n_parts, n_fields;
    const mplan_vtu_cells *parts;
    const mplan_vtu_field *fields;
} mplan_vtu_grid;

/* Writes the grid: binary data behind the XML (appended, raw), compressed by zlib where the build
 * has it, with lengths of 64 bits. Pyramids of 14 nodes, which VTK lacks, lose the one in the middle of
 * their base, with a warning. Compressed data is held in memory until all lengths are known; else only a
 * buffer. */
mplan_status mplan_vtu_write_grid(const mplan_vtu_grid *grid, mplan_output *output,
                                  const mplan_context *context, mplan_error *err);

/* Writes the grid as a legacy file of version 3.0, binary: numbers have 32 bits, and fields without data are
 * arrays of the field of groups. MPLAN_ERR_UNSUPPORTED where 32 bits do not suffice. */
mplan_status mplan_vtk_write_grid(const mplan_vtu_grid *grid, mplan_output *output,
                                  const mplan_context *context, mplan_error *err);

/* Nodes of cell c of a part as they are in memory; *cursor is the first of them and moves on. */
static inline const int32_t *mplan_vtu_cell_nodes(const mplan_vtu_cells *part, int64_t c,
                                                  int64_t *cursor, int64_t *n)
{
    const int32_t *nodes = part->nodes + *cursor;
    if (part->types)
        *n = mplan_cell_type_nodes((mplan_cell_type)part->types[c]);
    else
        *n = part->arity ? part->arity : part->offsets[c + 1] - part->offsets[c];
    *cursor += *n;
    return nodes;
}

/* VTK's code of a plane cell without a type of its own, by how many nodes it has: nothing, vertex, line, triangle,
 * quad, polygon. */
static inline uint8_t mplan_vtu_code_by_nodes(int64_t n)
{
    static const uint8_t codes[] = {0, 1, 3, 5, 9};
    return n < 5 ? codes[n] : 7;
}

/* The members of a set with one field, whose of_points is set here: cells or nodes with the cells of the mesh, members of
 * another set as the rows of its map to the nodes. No groups. */
mplan_status mplan_vtu_write_field(const mplan_mesh *mesh, int32_t set, mplan_vtu_field *field,
                                   mplan_output *output, const mplan_context *context,
                                   mplan_error *err);

/* The writer of format `vtk`, as mplan_vtu_write. */
mplan_status mplan_vtk_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err);

/* The writer of format `vtu`: cells, coordinates and groups of a mesh. Each group of cells or nodes is a
 * field of its name; the facets of a group are cells of lower dimension behind the others. */
mplan_status mplan_vtu_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err);

#endif
