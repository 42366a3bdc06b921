/* SPDX-License-Identifier: Apache-2.0 */
/* metis_write.c - writes METIS's graphs and meshes (METIS 5.1 manual, sections 4.1.1, 4.1.2)
 *
 * Both count from 1. Neither holds coordinates, groups or types of cells. */
#include "formats/graph/metis_write.h"

#include <string.h>

#include "base/error.h"
#include "formats/text_out.h"
#include "mesh/derive.h"
#include "mesh/mesh.h"

/* The map that is asked for; *found false: none is, and the mesh has typed cells. */
static mplan_status choose_map(const mplan_mesh *mesh, const char *what, mplan_map *map,
                               bool *found, mplan_error *err)
{
    *found = what || !mplan_mesh_cell_types(mesh);
    return *found ? mplan_table_choose(mesh, what, map, err) : MPLAN_OK;
}

/* The graph of a map, of cells by their faces, or the map itself. Memory is
 * checked before it is made. */
static mplan_status make_graph(const mplan_mesh *mesh, const char *what,
                               const mplan_context *context, mplan_csr *graph, mplan_error *err)
{
    mplan_map map;
    bool found;
    mplan_status status = choose_map(mesh, what, &map, &found, err);
    if (!status)
        status = mplan_mesh_check_memory(mesh, context, err);
    if (status)
        return status;
    if (!found)
        return mplan_graph_of_cells(mesh, context, graph, err);
    if (map.from == map.to)
        return mplan_graph_of_map(&map, graph, err);
    if (map.arity == 2)
        return mplan_graph_of_points(&map, 1, 0, graph, err);
    return mplan_graph_of_elements(&map, 1, 0, graph, err);
}

/* Each edge is counted once in the header and written from both ends. */
mplan_status mplan_metis_write_graph(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                     const mplan_context *context, mplan_error *err)
{
    mplan_csr graph = {0};
    mplan_text_out out;
    mplan_status status = make_graph(mesh, what, context, &graph, err);
    if (!status)
        status = mplan_text_begin(&out, output, context, err);
    if (!status) {
        mplan_text_int(&out, graph.n);
        mplan_text_int(&out, graph.offsets[graph.n] / 2);
        mplan_text_row(&out);
        for (int64_t v = 0; v < graph.n && !out.status; v++) {
            for (int64_t i = graph.offsets[v]; i < graph.offsets[v + 1]; i++)
                mplan_text_int(&out, graph.neighbours[i] + INT64_C(1));
            mplan_text_row(&out);
            if (v % 65536 == 0)
                mplan_progress(context, "write", v, graph.n);
        }
        status = mplan_text_end(&out);
    }
    mplan_csr_free(&graph);
    return status;
}

/* METIS has no way to say that an element has no node. */
static mplan_status check_rows(const mplan_map *map, mplan_error *err)
{
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, r, &n);
        for (int32_t k = 0; k < n; k++)
            if (row[k] < 0)
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "a METIS mesh cannot hold -1, as in row %lld of %s", (long long)r,
                                  map->name);
        if (n == 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "a METIS mesh cannot hold an empty row, as row %lld of %s",
                              (long long)r, map->name);
    }
    return MPLAN_OK;
}

/* what: the map to write; NULL: cells_nodes. Elements are rows, nodes are numbered from 1. */
mplan_status mplan_metis_write_mesh(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                    const mplan_context *context, mplan_error *err)
{
    mplan_map map;
    bool found;
    mplan_text_out out;
    mplan_status status = choose_map(mesh, what, &map, &found, err);
    if (!status && !found)
        status = mplan_table_choose(mesh, "cells_nodes", &map, err);
    if (!status)
        status = check_rows(&map, err);
    if (!status)
        status = mplan_text_begin(&out, output, context, err);
    if (status)
        return status;
    mplan_text_int(&out, map.n_rows);
    mplan_text_row(&out);
    for (int64_t r = 0; r < map.n_rows && !out.status; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(&map, r, &n);
        for (int32_t k = 0; k < n; k++)
            mplan_text_int(&out, row[k] + INT64_C(1));
        mplan_text_row(&out);
        if (r % 65536 == 0)
            mplan_progress(context, "write", r, map.n_rows);
    }
    return mplan_text_end(&out);
}
