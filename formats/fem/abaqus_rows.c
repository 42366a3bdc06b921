/* SPDX-License-Identifier: Apache-2.0 */
/* abaqus_rows.c - rows of nodes and of elements of Abaqus's files, one by one or by threads */
#include "formats/fem/abaqus_rows.h"

#include <string.h>

#include "formats/not_finite.h"
#include "formats/numbered_rows.h"

bool mplan_abaqus_next_entry(mplan_scanner *scan)
{
    while (!mplan_scan_line_ends(scan) && *scan->at == ',')
        scan->at++;
    return !mplan_scan_line_ends(scan);
}

mplan_status mplan_abaqus_number(mplan_scanner *scan, int64_t part, const char *what,
                                 int64_t *number, mplan_error *err)
{
    mplan_status status = mplan_scan_i64(scan, what, number, err);
    if (!status && (*number < 0 || *number > MPLAN_ABAQUS_MOST_NUMBER))
        status = mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "%s is %lld", what,
                                 (long long)*number);
    if (!status)
        *number += part << MPLAN_ABAQUS_PART_BITS;
    return status;
}

mplan_status mplan_abaqus_node(mplan_scanner *scan, int64_t part, int64_t *number, double xyz[3],
                               mplan_error *err)
{
    xyz[0] = xyz[1] = xyz[2] = 0;
    mplan_status status = mplan_abaqus_number(scan, part, "the number of a node", number, err);
    for (int32_t d = 0; d < 3 && !status && mplan_abaqus_next_entry(scan); d++) {
        status = mplan_scan_f64(scan, "a coordinate", &xyz[d], err);
        if (!status && !(xyz[d] - xyz[d] == 0)) /* also false for NaN */
            status = mplan_scan_fail(scan, err, MPLAN_ERR_MESH, "a coordinate is not finite (%s)",
                                     mplan_not_finite(xyz[d]));
    }
    return status;
}

/* What rows of a block have in common. order: of elements. */
typedef struct abaqus_rows {
    int64_t part;
    int32_t n_nodes;
    const int8_t *order;
} abaqus_rows;

static bool node_row(const void *data, mplan_scanner *line, mplan_numbered_row *row)
{
    const abaqus_rows *rows = data;
    return !mplan_abaqus_node(line, rows->part, &row->number, row->xyz, NULL);
}

/* An element with all its nodes in one line, and nothing behind them. */
static bool element_row(const void *data, mplan_scanner *line, mplan_numbered_row *row)
{
    const abaqus_rows *rows = data;
    int64_t theirs[27];
    bool right = !mplan_abaqus_number(line, rows->part, "", &row->number, NULL);
    for (int32_t k = 0; k < rows->n_nodes && right; k++)
        right = mplan_abaqus_next_entry(line) &&
                !mplan_abaqus_number(line, rows->part, "", &theirs[k], NULL);
    for (int32_t k = 0; k < rows->n_nodes && right; k++)
        row->nodes[k] = theirs[rows->order[k]];
    return right && mplan_scan_line_ends(line);
}

/* Where data end: at the next line that begins with *. */
static const char *end_of_data(const mplan_scanner *scan)
{
    const char *star = scan->at;
    while ((star = memchr(star, '*', (size_t)(scan->end - star)))) {
        const char *at = star;
        while (at > scan->at && at[-1] != '\n' && strchr(" \t\r", at[-1]))
            at--;
        if (at == scan->at || at[-1] == '\n')
            return at;
        star++;
    }
    return scan->end;
}

mplan_status mplan_abaqus_read_rows(mplan_scanner *scan, int64_t part, mplan_cell_type type,
                                    const int8_t *order, bool in_set, mplan_numbered *mesh,
                                    const mplan_context *context, mplan_error *err)
{
    const abaqus_rows rows = {part, order ? mplan_cell_type_nodes(type) : 0, order};
    const mplan_numbered_list list = {.scan = scan,
                                      .end = end_of_data(scan),
                                      .of_nodes = !order,
                                      .type = type,
                                      .read = order ? element_row : node_row,
                                      .data = &rows,
                                      .in_set = in_set};
    return mplan_numbered_read_rows(mesh, &list, context, err);
}
