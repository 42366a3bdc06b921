/* SPDX-License-Identifier: Apache-2.0 */
/* op2.c - reads the grids of OP2's airfoil example (new_grid.dat)
 *
 * Text: "nnode ncell nedge nbedge"; per node x and y; per cell 4 nodes; per
 * edge 2 nodes and 2 cells; per boundary edge 2 nodes, a cell and a number
 * that says which boundary. All ids count from 0, a record is a line.
 *
 * The edges keep names, order and orientation of the file: walking from the
 * first node of an edge to the second, its first cell is on the right. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/op2/op2.h"
#include "formats/op2/op2_write.h"
#include "formats/scan.h"
#include "mesh/mesh.h"

/* An airfoil grid that is read, and the sets it becomes. */
typedef struct op2_reader {
    mplan_scanner scan;
    const mplan_context *context;
    mplan_mesh *mesh;
    int64_t n_nodes, n_cells, n_edges, n_bedges;
    int32_t nodes, edges, bedges; /* sets */
} op2_reader;

/* A number of the record at hand, which must not reach into the next line. */
static mplan_status read_number(mplan_scanner *scan, const char *what, int64_t *value,
                                mplan_error *err)
{
    if (mplan_scan_line_ends(scan))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected %s, found the end of the %s",
                               what, scan->at == scan->end ? "file" : "line");
    return mplan_scan_i64(scan, what, value, err);
}

/* Only white space may follow. */
static mplan_status end_record(mplan_scanner *scan, const char *what, mplan_error *err)
{
    if (!mplan_scan_line_ends(scan))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "more numbers than %s has", what);
    mplan_scan_skip_space(scan);
    return MPLAN_OK;
}

/* Counts are compared with the bytes that their shortest records need.
 * After success each is in [0, 2^31 - 1), and all records together fit into the file. */
static mplan_status read_header(op2_reader *reader, mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    int64_t *const count[4] = {&reader->n_nodes, &reader->n_cells, &reader->n_edges,
                               &reader->n_bedges};
    static const char *const name[4] = {"the number of nodes", "the number of cells",
                                        "the number of edges", "the number of boundary edges"};
    /* shortest record with its line end: "0 0\n", "0 0 0 0\n" */
    static const int64_t bytes[4] = {4, 8, 8, 8};
    int64_t least = 0;
    mplan_scan_skip_space(scan);
    for (int32_t i = 0; i < 4; i++) {
        mplan_status status = read_number(scan, name[i], count[i], err);
        if (status)
            return status;
        if (*count[i] < 0 || *count[i] >= INT32_MAX)
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "%s is %lld, not in [0, %d)",
                                   name[i], (long long)*count[i], INT32_MAX);
        least += *count[i] * bytes[i];
    }
    if (!mplan_scan_line_ends(scan))
        return end_record(scan, "the first line", err);
    if (least > scan->end - scan->at + 1)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "%lld nodes, %lld cells, %lld edges and %lld boundary edges are "
                               "more than the file can hold",
                               (long long)reader->n_nodes, (long long)reader->n_cells,
                               (long long)reader->n_edges, (long long)reader->n_bedges);
    return end_record(scan, "the first line", err);
}

/* 2 doubles a node.
 * The set nodes is there; the mesh takes the array over. */
static mplan_status read_nodes(op2_reader *reader, mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    mplan_status status = MPLAN_OK;
    double *coordinates = mplan_alloc(reader->n_nodes, 2 * sizeof *coordinates, err);
    if (!coordinates)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < 2 * reader->n_nodes && !status; i++) {
        if (mplan_scan_line_ends(scan))
            status = mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                                     "expected a coordinate of node %lld, found the end of the %s",
                                     (long long)(i / 2), scan->at == scan->end ? "file" : "line");
        if (!status)
            status = mplan_scan_f64(scan, "a coordinate", &coordinates[i], err);
        /* also false for NaN */
        if (!status && !(coordinates[i] - coordinates[i] == 0))
            status = mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                     "a coordinate of node %lld is not finite", (long long)(i / 2));
        if (!status && i % 2 == 1)
            status = end_record(scan, "a node", err);
        if (!status && i % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
    }
    if (status) {
        free(coordinates);
        return status;
    }
    return mplan_mesh_take_coordinates(reader->mesh, reader->nodes, 2, coordinates, err);
}

/* *id in [0, n). */
static mplan_status read_id(mplan_scanner *scan, const char *what, int64_t n, int32_t *id,
                            mplan_error *err)
{
    int64_t value;
    mplan_status status = read_number(scan, what, &value, err);
    if (status)
        return status;
    if (value < 0 || value >= n)
        return mplan_scan_fail(scan, err, MPLAN_ERR_MESH, "%s is %lld, not in [0, %lld)", what,
                               (long long)value, (long long)n);
    *id = (int32_t)value;
    return MPLAN_OK;
}

/* nodes: out, 4 a cell. */
static mplan_status read_cell_rows(op2_reader *reader, int32_t *nodes, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t c = 0; c < reader->n_cells && !status; c++) {
        for (int32_t k = 0; k < 4 && !status; k++)
            status = read_id(&reader->scan, "a node of a cell", reader->n_nodes, nodes++, err);
        if (!status)
            status = end_record(&reader->scan, "a cell", err);
        if (!status && c % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
    }
    return status;
}

/* Rows of four nodes: all cells are quads. */
static mplan_status read_cells(op2_reader *reader, mplan_error *err)
{
    uint8_t *type = mplan_alloc(reader->n_cells, sizeof *type, err);
    int32_t *nodes = type ? mplan_alloc(reader->n_cells, 4 * sizeof *nodes, err) : NULL;
    mplan_status status = nodes ? read_cell_rows(reader, nodes, err) : MPLAN_ERR_MEMORY;
    if (status) {
        free(nodes);
        free(type);
        return status;
    }
    memset(type, MPLAN_CELL_QUAD4, (size_t)reader->n_cells);
    return mplan_mesh_take_cells(reader->mesh, reader->n_nodes, reader->n_cells, type, nodes, err);
}

/* n records of two nodes and n_cells (1 or 2) cells, and for one cell the
 * number of its boundary.
 * nodes: out, 2 a record; cells: out, n_cells a record; bound: out, n numbers, or NULL. */
static mplan_status read_edge_rows(op2_reader *reader, int64_t n, int32_t n_cells, int32_t *nodes,
                                   int32_t *cells, int64_t *bound, mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    mplan_status status = MPLAN_OK;
    for (int64_t e = 0; e < n && !status; e++) {
        for (int32_t k = 0; k < 2 && !status; k++)
            status = read_id(scan, "a node of an edge", reader->n_nodes, nodes++, err);
        for (int32_t k = 0; k < n_cells && !status; k++)
            status = read_id(scan, "a cell of an edge", reader->n_cells, cells++, err);
        if (!status && bound)
            status = read_number(scan, "the number of a boundary", bound++, err);
        if (!status)
            status = end_record(scan, "an edge", err);
        if (!status && e % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
    }
    return status;
}

/* Reads edges or (bound not NULL) boundary edges, and adds their two maps.
 * bound: out, n_bedges numbers, the caller's. The sets nodes and cells are there; the mesh takes the ids over. */
static mplan_status read_edges(op2_reader *reader, int64_t *bound, mplan_error *err)
{
    int64_t n = bound ? reader->n_bedges : reader->n_edges;
    int32_t set = bound ? reader->bedges : reader->edges, n_cells = bound ? 1 : 2;
    int32_t *nodes = mplan_alloc(n, 2 * sizeof *nodes, err);
    int32_t *cells = nodes ? mplan_alloc(n * n_cells, sizeof *cells, err) : NULL;
    mplan_status status = MPLAN_ERR_MEMORY;
    if (cells)
        status = read_edge_rows(reader, n, n_cells, nodes, cells, bound, err);
    if (status) {
        free(nodes);
        free(cells);
        return status;
    }
    status = mplan_mesh_take_map(reader->mesh, bound ? "bedges_nodes" : "edges_nodes", set,
                                 reader->nodes, 2, NULL, nodes, NULL, err);
    if (status) {
        free(cells);
        return status;
    }
    return mplan_mesh_take_map(reader->mesh, bound ? "bedges_cells" : "edges_cells", set,
                               mplan_mesh_find_set(reader->mesh, "cells"), n_cells, NULL, cells,
                               NULL, err);
}

/* A boundary edge by the number of its boundary. */
typedef struct bound_edge {
    int64_t bound;
    int32_t edge;
} bound_edge;

/* By bound, then edge: members of a group ascend. */
static int compare_bounds(const void *a, const void *b)
{
    const bound_edge *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* bound: n numbers; edges of one number are a group of that id.
 * Groups are in the order of their numbers and named bound<number>. */
mplan_status mplan_op2_add_bound_groups(mplan_mesh *mesh, int32_t set, int64_t n,
                                        const int64_t *bound, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    bound_edge *sorted = mplan_alloc(n, sizeof *sorted, err);
    int32_t *members = sorted ? mplan_alloc(n, sizeof *members, err) : NULL;
    if (!members) {
        free(sorted);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t e = 0; e < n; e++)
        sorted[e] = (bound_edge){bound[e], (int32_t)e};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_bounds);
    int64_t first = 0;
    for (int64_t e = 0; e < n && !status; e++) {
        members[e - first] = sorted[e].edge;
        if (e + 1 < n && sorted[e + 1].bound == sorted[e].bound)
            continue;
        char name[32];
        snprintf(name, sizeof name, "bound%lld", (long long)sorted[e].bound);
        status = mplan_mesh_add_group(mesh, name, sorted[e].bound, 1, set, e + 1 - first, members,
                                      err);
        first = e + 1;
    }
    free(members);
    free(sorted);
    return status;
}

/* bound: the number behind each boundary edge. */
static mplan_status read_bedges(op2_reader *reader, mplan_error *err)
{
    int64_t *bound = mplan_alloc(reader->n_bedges, sizeof *bound, err);
    if (!bound)
        return MPLAN_ERR_MEMORY;
    mplan_status status = read_edges(reader, bound, err);
    if (!status)
        status = mplan_op2_add_bound_groups(reader->mesh, reader->bedges, reader->n_bedges, bound,
                                            err);
    free(bound);
    return status;
}

/* The sections of new_grid.dat in their order, and nothing behind them. */
static mplan_status read_op2(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    op2_reader reader = {.context = context, .mesh = mesh};
    mplan_scan_begin(&reader.scan, input);
    mplan_status status = read_header(&reader, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", reader.n_nodes, &reader.nodes, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "edges", reader.n_edges, &reader.edges, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "bedges", reader.n_bedges, &reader.bedges, err);
    if (!status)
        status = read_nodes(&reader, err);
    if (!status)
        status = read_cells(&reader, err);
    if (!status)
        status = read_edges(&reader, NULL, err);
    if (!status)
        status = read_bedges(&reader, err);
    if (!status && mplan_scan_skip_space(&reader.scan))
        status = mplan_scan_fail(&reader.scan, err, MPLAN_ERR_CORRUPT,
                                 "the file continues after its last boundary edge");
    if (!status)
        status = mplan_mesh_set_faces_name(mesh, "edges", err);
    return status;
}

/* A line of four counts, then one of two reals. Whole numbers could be any table. */
static mplan_recognised recognise_op2(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size, NULL};
    mplan_scanner scan;
    int64_t count;
    double value;
    mplan_scan_begin(&scan, &input);
    mplan_scan_skip_space(&scan);
    for (int32_t i = 0; i < 4; i++) {
        if (mplan_scan_line_ends(&scan) || mplan_scan_i64(&scan, "", &count, NULL) != MPLAN_OK ||
            count < 0 || count >= INT32_MAX)
            return MPLAN_RECOGNISED_NO;
    }
    if (!mplan_scan_line_ends(&scan) || !mplan_scan_skip_space(&scan))
        return MPLAN_RECOGNISED_NO;
    const char *second = scan.at;
    for (int32_t i = 0; i < 2; i++)
        if (mplan_scan_line_ends(&scan) || mplan_scan_f64(&scan, "", &value, NULL) != MPLAN_OK)
            return MPLAN_RECOGNISED_NO;
    if (!mplan_scan_line_ends(&scan))
        return MPLAN_RECOGNISED_NO;
    return memchr(second, '.', (size_t)(scan.at - second)) ? MPLAN_RECOGNISED_YES
                                                           : MPLAN_RECOGNISED_MAYBE;
}

const mplan_file_format mplan_format_op2 = {
    .name = "op2",
    .description = "grid of OP2's airfoil example, text",
    .extensions = ".dat",
    .recognise = recognise_op2,
    .read = read_op2,
    .write = mplan_op2_write,
};
