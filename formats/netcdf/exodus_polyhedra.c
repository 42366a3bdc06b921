/* SPDX-License-Identifier: Apache-2.0 */
/* exodus_polyhedra.c - blocks nfaced and nsided of Exodus II files
 *
 * A block of polyhedra names the faces of its elements (facconn1, counts in ebepecnt1) by their numbers over all face
 * blocks, which list the nodes of theirs (fbconn1, counts in fbepecnt1). Where there are such blocks, or polygons of
 * more than four nodes, cells go the way of VTK's polyhedra: linear elements of other blocks are beside them. */
#include "formats/netcdf/exodus.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtk.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

static const char *path_of(const mplan_exodus *file)
{
    return file->file.input->path;
}

/* Rows of a list: counts from variable <counts><i + 1> are made ends, whose last must be that of the list.
 * ends: out, n entries that do not descend: row k is [ends[k - 1], ends[k]) of the list, the first from 0, the last
 * up to `total`. */
static mplan_status read_counts(const mplan_exodus *file, const char *stem, int64_t i, int64_t n,
                                int64_t total, int64_t *ends, mplan_error *err)
{
    char name[48];
    mplan_netcdf_variable variable;
    snprintf(name, sizeof name, "%s%lld", stem, (long long)i + 1);
    mplan_status status = mplan_netcdf_need(&file->file, name, 1, &variable, err);
    if (!status && variable.count != n)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable %s has %lld numbers, not %lld",
                            path_of(file), name, (long long)variable.count, (long long)n);
    if (!status)
        status = mplan_netcdf_wholes(&file->file, &variable, ends, err);
    int64_t sum = 0;
    for (int64_t k = 0; k < n && !status; k++) {
        if (ends[k] < 0 || ends[k] > total - sum)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                                "%s: variable %s: entry (%lld) is %lld, but only %lld are left",
                                path_of(file), name, (long long)k, (long long)ends[k],
                                (long long)(total - sum));
        sum += ends[k];
        ends[k] = sum;
    }
    if (!status && sum != total)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable %s says %lld, but there are %lld",
                            path_of(file), name, (long long)sum, (long long)total);
    return status;
}

/* Whether some polygon of a block has more than four nodes. */
static mplan_status has_large_polygons(const mplan_exodus *file, int64_t i, bool *large,
                                       mplan_error *err)
{
    const mplan_exodus_block *block = &file->blocks[i];
    int64_t *ends = mplan_alloc(block->n, sizeof *ends, err);
    if (!ends)
        return MPLAN_ERR_MEMORY;
    mplan_status status = read_counts(file, "ebepecnt", i, block->n, block->connect.count, ends, err);
    for (int64_t k = 0; k < block->n && !status; k++)
        *large = *large || ends[k] - (k ? ends[k - 1] : 0) > 4;
    free(ends);
    return status;
}

/* Whether the cells must be read by their faces: polyhedra, or polygons of more
 * than four corners. */
mplan_status mplan_exodus_find_untyped(mplan_exodus *file, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < file->n_blocks && !status && !file->untyped; i++) {
        const mplan_exodus_block *block = &file->blocks[i];
        file->untyped = block->n > 0 && block->polyhedra;
        if (!file->untyped && block->n > 0 && block->type == MPLAN_N_CELL_TYPES &&
            block->dimension == file->dimension)
            status = has_large_polygons(file, i, &file->untyped, err);
    }
    return status;
}

/* --- faces -------------------------------------------------------------------------------------- */

/* Faces of polyhedra: nodes of face f end at ends[f].
 * A face is listed once for both polyhedra at it: the first has its nodes in this order, the second in reverse. */
typedef struct face_list {
    int64_t n, n_nodes;
    int64_t *ends; /* of the nodes of each face */
    int32_t *nodes;
    uint8_t *uses; /* by polyhedra; the second has it in reverse */
} face_list;

/* Arrays may be NULL. */
static void free_faces(face_list *faces)
{
    free(faces->ends);
    free(faces->nodes);
    free(faces->uses);
}

/* The list of face block i.
 * *list: described, not read yet; *n: its faces, 0 after a failure. */
static mplan_status need_face_block(const mplan_exodus *file, int64_t i,
                                    mplan_netcdf_variable *list, int64_t *n, mplan_error *err)
{
    char name[48];
    mplan_netcdf_variable counts;
    snprintf(name, sizeof name, "fbconn%lld", (long long)i + 1);
    mplan_status status = mplan_netcdf_need(&file->file, name, 1, list, err);
    snprintf(name, sizeof name, "fbepecnt%lld", (long long)i + 1);
    if (!status)
        status = mplan_netcdf_need(&file->file, name, 1, &counts, err);
    *n = !status ? counts.count : 0;
    return status;
}

/* All faces of all face blocks, numbered through from 1 in the file.
 * Sizes are added up first, so that each array is allocated once; then the ends of a block, which count from 0, are
 * moved behind those before it. faces: zeroed; released by the caller, also after a failure. */
static mplan_status read_faces(const mplan_exodus *file, face_list *faces, mplan_error *err)
{
    const mplan_netcdf_ids ids = {.base = 1, .n_points = file->n_nodes, .none = false, .what = "node"};
    mplan_netcdf_variable list;
    int64_t n_blocks, n;
    mplan_status status = mplan_exodus_count(file, "num_fa_blk", &n_blocks, err);
    for (int64_t i = 0; i < n_blocks && !status; i++) {
        status = need_face_block(file, i, &list, &n, err);
        faces->n += n;
        faces->n_nodes += !status ? list.count : 0;
        if (!status)
            status = mplan_interrupted(file->file.context, err);
    }
    if (!status) {
        faces->ends = mplan_alloc(faces->n, sizeof *faces->ends, err);
        faces->nodes = mplan_alloc(faces->n_nodes, sizeof *faces->nodes, err);
        faces->uses = mplan_alloc_zero(faces->n, 1, err);
        status = faces->ends && faces->nodes && faces->uses ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    int64_t face = 0, at = 0;
    for (int64_t i = 0; i < n_blocks && !status; i++) {
        status = need_face_block(file, i, &list, &n, err);
        if (!status)
            status = read_counts(file, "fbepecnt", i, n, list.count, faces->ends + face, err);
        if (!status)
            status = mplan_netcdf_read_ids(&file->file, &list, &ids, faces->nodes + at, err);
        for (int64_t k = 0; k < n && !status; k++)
            faces->ends[face + k] += at;
        face += n;
        at += !status ? list.count : 0;
    }
    return status;
}

/* Where the nodes of a face begin in faces->nodes: ends[f] is behind its last. */
static int64_t first_node(const face_list *faces, int32_t face)
{
    return face ? faces->ends[face - 1] : 0;
}

/* --- cells ------------------------------------------------------------------------------------------ */

/* Cells of all blocks on their way into VTK's form.
 * cells has room for all cells of the file; n_cells counts those that are there, and offsets[n_cells] is always
 * stream.count. */
typedef struct cell_maker {
    const mplan_exodus *file;
    face_list faces;
    mplan_vtk_cells cells;
    mplan_vector stream; /* int32_t: points of cells, faces of polyhedra as VTK's legacy files have them */
} cell_maker;

/* VTK's code of a type: cells are read by what reads VTK's from here on. */
static uint8_t code_of(mplan_cell_type type)
{
    mplan_vtk_node_order order;
    mplan_vtk_shape_of(type, &order);
    return order.code;
}

/* Polyhedron k of a block, whose faces are ids[begin] ... ids[end - 1].
 * The stream gets the number of faces, then for each its number of nodes and these. ids: from 0. */
static mplan_status add_polyhedron(cell_maker *m, const mplan_exodus_block *block,
                                   const int32_t *ids, int64_t begin, int64_t end, mplan_error *err)
{
    int64_t length = 1 + end - begin;
    for (int64_t i = begin; i < end; i++) {
        if (m->faces.uses[ids[i]]++ == 2)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: variable %s: face %d belongs to more than two polyhedra",
                              path_of(m->file), block->connect.name, ids[i] + 1);
        length += m->faces.ends[ids[i]] - first_node(&m->faces, ids[i]);
    }
    int32_t *to = mplan_vector_reserve(&m->stream, length, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    *to++ = (int32_t)(end - begin);
    for (int64_t i = begin; i < end; i++) {
        int64_t first = first_node(&m->faces, ids[i]), n = m->faces.ends[ids[i]] - first;
        *to++ = (int32_t)n;
        bool reversed = m->faces.uses[ids[i]] == 2;
        for (int64_t k = 0; k < n; k++)
            *to++ = m->faces.nodes[reversed ? first + n - 1 - k : first + k];
    }
    m->stream.count += length;
    return MPLAN_OK;
}

/* Rows of a block as cells; ids: what its list holds.
 * ends: where each row ends in ids; NULL: all rows have the length of connect's second dimension. */
static mplan_status add_rows(cell_maker *m, const mplan_exodus_block *block, const int64_t *ends,
                             const int32_t *ids, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t width = ends ? 0 : block->connect.length[1];
    for (int64_t k = 0; k < block->n && !status; k++) {
        int64_t begin = ends ? (k ? ends[k - 1] : 0) : k * width,
                end = ends ? ends[k] : begin + width;
        if (block->polyhedra) {
            status = add_polyhedron(m, block, ids, begin, end, err);
        } else {
            int32_t *to = mplan_vector_reserve(&m->stream, end - begin, err);
            if (!to)
                return MPLAN_ERR_MEMORY;
            if (end > begin)
                memcpy(to, ids + begin, (size_t)(end - begin) * sizeof *to);
            m->stream.count += end - begin;
        }
        m->cells.types[m->cells.n_cells++] = (uint8_t)(block->polyhedra ? MPLAN_VTK_POLYHEDRON
                                                       : ends           ? MPLAN_VTK_POLYGON
                                                                        : code_of(block->type));
        m->cells.offsets[m->cells.n_cells] = m->stream.count;
    }
    return !status ? mplan_interrupted(m->file->file.context, err) : status;
}

/* Cells whose faces are polygons of all their nodes. */
static bool is_linear(mplan_cell_type type)
{
    return type == MPLAN_CELL_TET4 || type == MPLAN_CELL_PYRAMID5 || type == MPLAN_CELL_PRISM6 ||
           type == MPLAN_CELL_HEX8 || type == MPLAN_CELL_TRI3 || type == MPLAN_CELL_QUAD4;
}

/* Elements as VTK's cells: streams of faces for polyhedra, points for others. */
static mplan_status add_block(cell_maker *m, int64_t i, mplan_error *err)
{
    const mplan_exodus_block *block = &m->file->blocks[i];
    const mplan_netcdf_ids ids = {.base = 1,
                                  .n_points = block->polyhedra ? m->faces.n : m->file->n_nodes,
                                  .what = block->polyhedra ? "face" : "node"};
    bool counted = block->polyhedra || block->type == MPLAN_N_CELL_TYPES;
    if (!counted && !is_linear(block->type))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: block %lld (%.32s): %s together with polyhedra or polygons are "
                          "not supported",
                          path_of(m->file), (long long)block->id, block->name,
                          mplan_cell_type_name(block->type));
    int64_t *ends = counted ? mplan_alloc(block->n, sizeof *ends, err) : NULL;
    int32_t *list = mplan_alloc(block->connect.count, sizeof *list, err);
    mplan_status status = (ends || !counted) && list ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && counted)
        status = read_counts(m->file, "ebepecnt", i, block->n, block->connect.count, ends, err);
    if (!status)
        status = mplan_netcdf_read_ids(&m->file->file, &block->connect, &ids, list, err);
    if (!status)
        status = add_rows(m, block, ends, list, err);
    free(ends);
    free(list);
    return status;
}

/* Three coordinates a node in place of two.
 * The third is 0. *xyz: n rows; replaced only on success. */
static mplan_status widen(double **xyz, int64_t n, mplan_error *err)
{
    double *wide = mplan_alloc_zero(n, 3 * sizeof *wide, err);
    if (!wide)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        memcpy(wide + 3 * i, *xyz + 2 * i, 2 * sizeof **xyz);
    free(*xyz);
    *xyz = wide;
    return MPLAN_OK;
}

/* For n_cells cells without points yet.
 * types: n_cells, unset; offsets: n_cells + 1, zeroed. Released by the caller, also after a failure. */
static mplan_status make_room(mplan_vtk_cells *cells, int64_t n_cells, mplan_error *err)
{
    cells->types = mplan_alloc(n_cells, sizeof *cells->types, err);
    cells->offsets = cells->types ? mplan_alloc_zero(n_cells + 1, sizeof *cells->offsets, err) : NULL;
    return cells->offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The rest is as for VTK's cells. xyz belongs to this function, also after a
 * failure. */
mplan_status mplan_exodus_read_untyped(mplan_exodus *file, double *xyz, int32_t stride,
                                       mplan_error *err)
{
    cell_maker m = {.file = file, .stream = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    mplan_vtk_cells *cells = &m.cells;
    cells->xyz = xyz;
    cells->n_points = file->n_nodes;
    mplan_status status = read_faces(file, &m.faces, err);
    if (!status && stride < 3)
        status = widen(&cells->xyz, file->n_nodes, err);
    if (!status)
        status = make_room(cells, file->n_cells, err);
    for (int64_t i = 0; i < file->n_blocks && !status; i++)
        if (file->blocks[i].first_cell >= 0)
            status = add_block(&m, i, err);
    free_faces(&m.faces);
    cells->points = m.stream.data;
    if (!status)
        return mplan_vtk_take_cells(path_of(file), cells, file->mesh, file->file.context, err);
    mplan_vtk_cells_free(cells);
    return status;
}
#else
typedef int mplan_exodus_polyhedra_needs_netcdf; /* a file holds something */
#endif
