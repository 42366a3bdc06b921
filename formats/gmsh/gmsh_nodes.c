/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_nodes.c - $Nodes of all MSH versions, $ParametricNodes of version 2 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "formats/byte_order.h"
#include "formats/gmsh/gmsh_internal.h"
#include "formats/scan_rows.h"

enum {
    STEP = 1024,          /* nodes of a binary file at a time */
    NODES = 1 << 14,      /* of a piece */
    PAUSE_EVERY = 1 << 16 /* nodes */
};

/* Room for n more nodes, which must fit into the file and into an int32_t. */
static mplan_status reserve_nodes(gmsh_reader *reader, int64_t n, size_t least, mplan_error *err)
{
    mplan_status status = mplan_gmsh_fits(reader, "nodes", n, 4, least, err);
    if (status || n == 0)
        return status;
    if (n >= INT32_MAX - reader->n_nodes)
        return mplan_gmsh_fail(reader, reader->scan.at, err, MPLAN_ERR_UNSUPPORTED,
                               "%lld nodes are more than the %d that a set can hold",
                               (long long)(n + reader->n_nodes), INT32_MAX - 1);
    if (!mplan_vector_reserve(&reader->node_tags, n, err) ||
        !mplan_vector_reserve(&reader->coordinates, 3 * n, err))
        return MPLAN_ERR_MEMORY;
    return MPLAN_OK;
}

/* Appends a point whose numbers begin at `at`. */
static mplan_status add_point(gmsh_reader *reader, const char *at, const double *xyz, mplan_error *err)
{
    double *to = (double *)reader->coordinates.data + reader->coordinates.count;
    for (int i = 0; i < 3; i++) {
        if (!isfinite(xyz[i]))
            return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_MESH,
                                   "a coordinate is %s, but must be a finite number",
                                   isnan(xyz[i]) ? "not a number" : "infinite");
        to[i] = xyz[i];
    }
    reader->coordinates.count += 3;
    return MPLAN_OK;
}

/* at: where the node's tag is. */
static mplan_status fail_duplicate(gmsh_reader *reader, const char *at, int64_t tag, mplan_error *err)
{
    return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_MESH, "the node tag %lld occurs twice",
                           (long long)tag);
}

/* One row of 2.x and 4.0: a tag, three coordinates, then perhaps `extra` more. */
static mplan_status read_mixed_node(gmsh_reader *reader, int32_t extra, mplan_error *err)
{
    int64_t *tag = (int64_t *)reader->node_tags.data + reader->node_tags.count;
    double values[6];
    const char *at = reader->scan.at;
    mplan_status status = mplan_gmsh_ints(reader, "a node tag", 1, tag, err);
    if (!status && reader->n_nodes == reader->duplicate)
        return fail_duplicate(reader, at, *tag, err);
    if (!status)
        status = mplan_gmsh_doubles(reader, "a coordinate", 3 + extra, values, err);
    if (!status)
        status = add_point(reader, at, values, err);
    if (status)
        return status;
    reader->node_tags.count++;
    reader->n_nodes++;
    return reader->n_nodes % PAUSE_EVERY ? MPLAN_OK : mplan_gmsh_pause(reader, err);
}

/* --- lists of text by threads ------------------------------------------------------------ */

/* Where nodes go: row i of a list is tag[i], and 3 numbers from xyz[3 i] on. */
typedef struct node_rows {
    int64_t *tag;
    double *xyz;
    int32_t extra; /* numbers behind the coordinates */
} node_rows;

/* Coordinates, which must be finite, and the numbers behind them, up to the end of the line. */
static bool read_point_line(void *data, mplan_scanner *line, int64_t row)
{
    const node_rows *to = data;
    double xyz[6];
    for (int32_t i = 0; i < 3 + to->extra; i++)
        if (mplan_scan_f64(line, "", &xyz[i], NULL) || (i < 3 && !isfinite(xyz[i])))
            return false;
    memcpy(to->xyz + 3 * row, xyz, 3 * sizeof *xyz);
    return mplan_scan_line_ends(line);
}

/* A tag by itself. */
static bool read_tag_line(void *data, mplan_scanner *line, int64_t row)
{
    const node_rows *to = data;
    return !mplan_scan_i64(line, "", &to->tag[row], NULL) && mplan_scan_line_ends(line);
}

/* A tag and what read_point_line reads. */
static bool read_mixed_line(void *data, mplan_scanner *line, int64_t row)
{
    const node_rows *to = data;
    return !mplan_scan_i64(line, "", &to->tag[row], NULL) && read_point_line(data, line, row);
}

/* As many rows of a list of n as threads can read, for which there is room. A list that is read again for its
 * duplicate is read row by row. */
static mplan_status read_rows(gmsh_reader *reader, int64_t n, int32_t extra, mplan_row_reader *read,
                              int64_t *n_read, mplan_error *err)
{
    node_rows to = {.extra = extra};
    *n_read = 0;
    if (n == 0 || reader->binary || reader->duplicate >= 0)
        return MPLAN_OK;
    to.tag = (int64_t *)reader->node_tags.data + reader->node_tags.count;
    to.xyz = (double *)reader->coordinates.data + reader->coordinates.count;
    return mplan_scan_rows(&reader->scan, n, read, &to, reader->context, n_read, err);
}

/* n rows of read_mixed_node. */
static mplan_status read_mixed_nodes(gmsh_reader *reader, int64_t n, int32_t extra, mplan_error *err)
{
    int64_t done;
    mplan_status status = read_rows(reader, n, extra, read_mixed_line, &done, err);
    if (!status) {
        reader->node_tags.count += done;
        reader->coordinates.count += 3 * done;
        reader->n_nodes += done;
    }
    for (; !status && done < n; done++)
        status = read_mixed_node(reader, extra, err);
    return status;
}

/* Where and on which surface a parametric node of version 2 is: two ints,
 * then one number on a curve and two on a surface. */
static mplan_status skip_parameters(gmsh_reader *reader, mplan_error *err)
{
    int64_t entity[2];
    double uv[2];
    mplan_status status = mplan_gmsh_ints(reader, "an entity of a node", 2, entity, err);
    if (!status && (entity[0] == 1 || entity[0] == 2))
        status = mplan_gmsh_doubles(reader, "a parameter", entity[0], uv, err);
    return status;
}

/* Number and three coordinates each; parametric ones have more behind them. */
static mplan_status read_nodes_2(gmsh_reader *reader, bool parametric, mplan_error *err)
{
    int64_t n = 0;
    mplan_status status = mplan_gmsh_text_count(reader, "nodes", &n, err);
    if (!status)
        status = reserve_nodes(reader, n, 4 + 3 * 8, err);
    if (!status && !parametric)
        return read_mixed_nodes(reader, n, 0, err);
    for (int64_t i = 0; !status && i < n; i++) {
        status = read_mixed_node(reader, 0, err);
        if (!status)
            status = skip_parameters(reader, err);
    }
    return status;
}

/* Tags of a block of 4.1, which come before its coordinates. */
static mplan_status read_tags(gmsh_reader *reader, int64_t n, mplan_error *err)
{
    if (n == 0) /* there may be no array yet */
        return MPLAN_OK;
    int64_t done;
    mplan_status status = read_rows(reader, n, 0, read_tag_line, &done, err);
    if (status)
        return status;
    reader->node_tags.count += done;
    n -= done;
    int64_t *tags = (int64_t *)reader->node_tags.data + reader->node_tags.count;
    int64_t wanted = reader->duplicate >= reader->n_nodes ? reader->duplicate - reader->n_nodes : n;
    const char *at = reader->scan.at;
    status = mplan_gmsh_sizes(reader, "a node tag", wanted < n ? wanted + 1 : n, tags, err);
    if (status)
        return status;
    if (wanted < n)
        return fail_duplicate(reader, reader->binary ? at + (size_t)wanted * reader->size_width : at,
                              tags[wanted], err);
    reader->node_tags.count += n;
    return MPLAN_OK;
}

/* Points of a block of a binary file; each has `width` numbers, of which the first three are coordinates. */
typedef struct point_work {
    const char *from;
    double *to;
    int32_t width;
    bool swap;
} point_work;

/* Points [begin, end), with the bytes of this machine. Returns the first that is not finite. */
static int64_t copy_points(void *data, int thread, int64_t begin, int64_t end)
{
    const point_work *work = data;
    int64_t bad = INT64_MAX;
    (void)thread;
    for (int64_t i = end; i-- > begin;) {
        double *xyz = work->to + 3 * i;
        memcpy(xyz, work->from + i * work->width * 8, 3 * sizeof *xyz);
        if (work->swap)
            mplan_swap_bytes(xyz, 3, 8);
        if (!(isfinite(xyz[0]) && isfinite(xyz[1]) && isfinite(xyz[2])))
            bad = i;
    }
    return bad;
}

/* Reads all points of a block side by side, if they are there and finite: else nothing is read, and one after the
 * other they are read up to the fault. */
static bool copied_points(gmsh_reader *reader, int64_t n, int32_t width)
{
    point_work work = {reader->scan.at,
                       (double *)reader->coordinates.data + reader->coordinates.count, width,
                       reader->swap};
    const int64_t row = 8 * (int64_t)width;
    if (!reader->binary || (reader->scan.end - reader->scan.at) / row < n ||
        mplan_for_least(mplan_team_of(reader->context), n, NODES, copy_points, &work, INT64_MAX) < n)
        return false;
    reader->scan.at += n * row;
    reader->coordinates.count += 3 * n;
    reader->n_nodes += n;
    return true;
}

/* Coordinates of a block of 4.1, `extra` parameters behind each point. In text
 * one point at a time, so that errors have their line. */
static mplan_status read_points(gmsh_reader *reader, int64_t n, int32_t extra, mplan_error *err)
{
    double values[STEP * 6];
    const int64_t step = reader->binary ? STEP : 1, width = 3 + extra;
    if (n == 0 || copied_points(reader, n, 3 + extra))
        return n < PAUSE_EVERY ? MPLAN_OK : mplan_gmsh_pause(reader, err);
    int64_t done;
    mplan_status status = read_rows(reader, n, extra, read_point_line, &done, err);
    if (status)
        return status;
    reader->coordinates.count += 3 * done;
    for (int64_t i = done; i < n; i += step) {
        int64_t m = n - i < step ? n - i : step;
        const char *at = reader->scan.at;
        status = mplan_gmsh_doubles(reader, "a coordinate", m * width, values, err);
        for (int64_t k = 0; !status && k < m; k++)
            status = add_point(reader, at + k * width * 8, values + k * width, err);
        if (!status && i / PAUSE_EVERY != (i + m) / PAUSE_EVERY)
            status = mplan_gmsh_pause(reader, err);
        if (status)
            return status;
    }
    reader->n_nodes += n;
    return MPLAN_OK;
}

/* The head of a block: how many nodes and how many parameters each. Makes room. */
static mplan_status read_block_head(gmsh_reader *reader, size_t least, int64_t *n, int32_t *extra,
                                    mplan_error *err)
{
    int64_t head[3];
    mplan_status status = mplan_gmsh_ints(reader, "the entity of a block of nodes", 3, head, err);
    if (!status)
        status = mplan_gmsh_sizes(reader, "the number of nodes of a block", 1, n, err);
    if (status)
        return status;
    int64_t dimension = reader->version == 40 ? head[1] : head[0];
    if (dimension < 0 || dimension > 3 || head[2] < 0 || head[2] > 1)
        return mplan_gmsh_fail(reader, reader->scan.at, err, MPLAN_ERR_CORRUPT,
                               "a block of nodes of dimension %lld, parametric %lld",
                               (long long)dimension, (long long)head[2]);
    *extra = head[2] ? (int32_t)dimension : 0;
    return reserve_nodes(reader, *n, least, err);
}

/* The total in the head is a hint: Gmsh 4.8 itself writes wrong ones where it
 * leaves out elements. */
static mplan_status read_nodes_4(gmsh_reader *reader, mplan_error *err)
{
    const bool mixed = reader->version == 40;
    const size_t least = (mixed ? 4 : reader->size_width) + 3 * 8;
    int64_t head[4] = {0}, n = 0; /* blocks, nodes, smallest and largest tag */
    int32_t extra = 0;
    mplan_status status = mplan_gmsh_sizes(reader, "the number of blocks and nodes", mixed ? 2 : 4,
                                           head, err);
    const int64_t n_before = reader->n_nodes;
    if (!status && mplan_gmsh_fits(reader, "nodes", head[1], 4, least, NULL) == MPLAN_OK)
        status = reserve_nodes(reader, head[1], least, err);
    for (int64_t b = 0; !status && b < head[0]; b++) {
        status = read_block_head(reader, least, &n, &extra, err);
        if (!status && mixed) {
            status = read_mixed_nodes(reader, n, extra, err);
        } else if (!status) {
            status = read_tags(reader, n, err);
            if (!status)
                status = read_points(reader, n, extra, err);
        }
    }
    if (!status && reader->n_nodes - n_before != head[1])
        mplan_warn(reader->context,
                   "%s: the blocks of $Nodes have %lld nodes, but its header says %lld",
                   reader->scan.path, (long long)(reader->n_nodes - n_before), (long long)head[1]);
    return status;
}

/* Nodes or ParametricNodes, up to the end of the section. */
static mplan_status read_section(gmsh_reader *reader, bool parametric, mplan_error *err)
{
    mplan_status status = reader->version < 40 ? read_nodes_2(reader, parametric, err)
                                               : read_nodes_4(reader, err);
    if (!status)
        status = mplan_gmsh_end_section(reader,
                                        parametric              ? "ParametricNodes"
                                        : reader->version == 10 ? "NOD"
                                                                : "Nodes",
                                        err);
    return status;
}

/* Several sections of nodes are allowed: a second one adds to the first, and the
 * index is built anew. */
mplan_status mplan_gmsh_read_nodes(gmsh_reader *reader, bool parametric, mplan_error *err)
{
    const mplan_scanner start = reader->scan;
    const int64_t n_before = reader->n_nodes;
    reader->has_nodes = true;
    mplan_status status = read_section(reader, parametric, err);
    if (status)
        return status;
    mplan_gmsh_index_free(&reader->node_index);
    status = mplan_gmsh_index_build(&reader->node_index, reader->n_nodes, reader->node_tags.data,
                                    &reader->duplicate, err);
    if (status || reader->duplicate < 0)
        return status;
    /* A tag occurs twice: read again up to there, for its line or byte. */
    reader->scan = start;
    reader->n_nodes = reader->node_tags.count = n_before;
    reader->coordinates.count = 3 * n_before;
    status = read_section(reader, parametric, err);
    return status ? status
                  : mplan_fail(err, MPLAN_ERR_INTERNAL, "a repeated node tag was not found again");
}
