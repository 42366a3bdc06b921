/* SPDX-License-Identifier: Apache-2.0 */
/* numbered_rows.c - long lists of numbered nodes and elements, a row on each line, read by threads
 *
 * There is room for as many rows as the list has lines, where these are as long as rows are; each row is written where its number
 * in the list tells (scan_rows.h), and those that are right become a part of the mesh. */
#include "formats/numbered_rows.h"

#include <assert.h>
#include <string.h>

#include "formats/scan_rows.h"

/* Bytes that a row has for each of its numbers, at least: one digit, and what ends it. */
enum { NUMBER_BYTES = 2, NODE_NUMBERS = 4 };

typedef struct row_writer {
    const mplan_numbered_list *list;
    int32_t n_nodes; /* of an element */
    int64_t line;    /* of the first row */
    mplan_number_place *places;
    double *xyz;
    mplan_numbered_element *elements;
    int64_t *wanted;
    int32_t first; /* place of the first node */
} row_writer;

static bool write_row(void *data, mplan_scanner *line, int64_t row)
{
    const row_writer *w = data;
    mplan_numbered_row read = {.group = 0};
    if (!w->list->read(w->list->data, line, &read))
        return false;
    if (w->list->of_nodes) {
        w->places[row] = (mplan_number_place){read.number, (int32_t)(w->first + row)};
        memcpy(w->xyz + 3 * row, read.xyz, sizeof read.xyz);
        return true;
    }
    w->elements[row] = (mplan_numbered_element){read.number, w->line + row, (int32_t)w->list->type,
                                                -1, read.group};
    memcpy(w->wanted + row * w->n_nodes, read.nodes, (size_t)w->n_nodes * sizeof *read.nodes);
    return true;
}

/* Line feeds before the end of the list. */
static int64_t count_lines(const mplan_numbered_list *list)
{
    int64_t n = 0;
    for (const char *at = list->scan->at; at < list->end; at++)
        n += *at == '\n';
    return n;
}

/* Room for n rows behind what the mesh has. */
static mplan_status open_rows(mplan_numbered *mesh, int64_t n, row_writer *w, mplan_error *err)
{
    bool all;
    if (w->list->of_nodes) {
        w->places = mplan_vector_reserve(&mesh->nodes, n, err);
        w->xyz = w->places ? mplan_vector_reserve(&mesh->collection.xyz, 3 * n, err) : NULL;
        all = w->xyz;
    } else {
        w->elements = mplan_vector_reserve(&mesh->elements, n, err);
        w->wanted = w->elements ? mplan_vector_reserve(&mesh->wanted, n * w->n_nodes, err) : NULL;
        all = w->wanted;
    }
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The first n rows are the mesh's now, and members of its last set where they are to be. */
static mplan_status keep_rows(mplan_numbered *mesh, const row_writer *w, int64_t n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && w->list->in_set && !status; i++)
        status = mplan_numbered_member_of(mesh,
                                          w->list->of_nodes ? w->places[i].number
                                                            : w->elements[i].number,
                                          0, err);
    if (w->list->of_nodes) {
        mesh->nodes.count += n;
        mesh->collection.xyz.count += 3 * n;
    } else {
        mesh->elements.count += n;
        mesh->wanted.count += n * w->n_nodes;
    }
    return status;
}

mplan_status mplan_numbered_read_rows(mplan_numbered *mesh, const mplan_numbered_list *list,
                                      const mplan_context *context, mplan_error *err)
{
    assert(mesh && list && list->read && list->end <= list->scan->end);
    row_writer w = {.list = list, .line = 0};
    w.n_nodes = list->of_nodes ? 0 : mplan_cell_type_nodes(list->type);
    w.first = (int32_t)mesh->nodes.count;
    if (!mplan_scan_rows_pays(list->end - list->scan->at, context))
        return MPLAN_OK;
    mplan_scanner rows = *list->scan;
    rows.end = list->end;
    if (!mplan_scan_skip_space(&rows))
        return MPLAN_OK;
    const int64_t n = count_lines(list), numbers = list->of_nodes ? NODE_NUMBERS : 1 + w.n_nodes;
    const int64_t before = list->of_nodes ? mesh->nodes.count : mesh->elements.count;
    if (!mplan_scan_rows_pays(n, context) || n > INT32_MAX - 1 - before ||
        list->end - list->scan->at < NUMBER_BYTES * numbers * n)
        return MPLAN_OK;
    w.line = rows.line;
    int64_t n_read = 0;
    mplan_status status = open_rows(mesh, n, &w, err);
    if (!status)
        status = mplan_scan_rows(&rows, n, write_row, &w, context, &n_read, err);
    if (status || n_read == 0)
        return status;
    list->scan->at = rows.at;
    list->scan->line = rows.line;
    return keep_rows(mesh, &w, n_read, err);
}
