/* SPDX-License-Identifier: Apache-2.0 */
/* unv.c - universal files of I-DEAS (.unv), as Salome, Gmsh and others write them
 *
 * After the universal file datasets of SDRC I-DEAS. Datasets are between lines of -1, the first line of each is its
 * number: nodes (15, 781, 2411), elements (71, 780, 2412), groups (2417 to 2477). Others are skipped. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/not_finite.h"
#include "formats/numbered.h"
#include "formats/scan.h"

enum { OF_NODES = 7, OF_ELEMENTS = 8 }; /* kinds of members of groups */

/* A file that is read. */
typedef struct unv_reader {
    mplan_scanner scan;
    const mplan_context *context;
    mplan_numbered mesh;
    int64_t skipped; /* elements without shape */
} unv_reader;

/* Whether the line holds nothing but that number. */
static bool line_is(mplan_scanner scan, int64_t number)
{
    int64_t found;
    mplan_scan_line_ends(&scan);
    size_t used = mplan_parse_i64(scan.at, scan.end, &found);
    scan.at += used;
    return used > 0 && found == number && mplan_scan_line_ends(&scan);
}

/* what: which number. */
static mplan_status fail_place(const unv_reader *reader, const char *what, int64_t number,
                               mplan_error *err)
{
    return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "%s is %lld", what,
                           (long long)number);
}

/* --- nodes ------------------------------------------------------------------------------ */

/* A number, three more, and coordinates, in older files in the same line.
 * Numbers may come in any order and have gaps: the numbered mesh finds nodes by them. */
static mplan_status read_nodes(unv_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (!status && mplan_scan_skip_space(&reader->scan) && !line_is(reader->scan, -1)) {
        int64_t number = 0, unused;
        double xyz[3] = {0, 0, 0};
        status = mplan_scan_i64(&reader->scan, "the number of a node", &number, err);
        for (int32_t k = 0; k < 3 && !status; k++)
            status = mplan_scan_i64(&reader->scan, "a number of a node", &unused, err);
        for (int32_t d = 0; d < 3 && !status; d++) {
            status = mplan_scan_f64(&reader->scan, "a coordinate", &xyz[d], err);
            if (!status && !(xyz[d] - xyz[d] == 0)) /* also false for NaN */
                status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                         "a coordinate is not finite (%s)", mplan_not_finite(xyz[d]));
        }
        if (!status)
            status = mplan_numbered_node(&reader->mesh, number, xyz, err);
        if (!status && reader->mesh.nodes.count % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* --- elements --------------------------------------------------------------------------- */

/* A number of an element's form tells its dimension; -1: none, 0: a spring, mass or tie. */
static int32_t dimension_of(int64_t form)
{
    if (form >= 11 && form <= 37)
        return 1;
    if (form >= 41 && form <= 96)
        return 2;
    if (form >= 101 && form <= 119)
        return 3;
    return (form >= 121 && form <= 151) || form == 161 || form == 171 ? 0 : -1;
}

/* Beams have a line of their own between their numbers and their nodes. */
static bool is_beam(int64_t form)
{
    return form == 11 || (form >= 21 && form <= 25);
}

/* The type, and at which place of the file's nodes Gmsh's k-th is: nodes of second order go round the bottom, corners
 * and middles in turn, upwards, and round the top.
 * order: a letter for each node, 'A' is the file's first; NULL: no such shape. */
static const char *shape_of(int32_t dimension, int64_t n, mplan_cell_type *type)
{
    static const struct {
        int32_t dimension, n;
        mplan_cell_type type;
        const char *order;
    } shapes[] = {
        {1, 2, MPLAN_CELL_LINE2, "AB"},
        {1, 3, MPLAN_CELL_LINE3, "ACB"},
        {2, 3, MPLAN_CELL_TRI3, "ABC"},
        {2, 4, MPLAN_CELL_QUAD4, "ABCD"},
        {2, 6, MPLAN_CELL_TRI6, "ACEBDF"},
        {2, 8, MPLAN_CELL_QUAD8, "ACEGBDFH"},
        {3, 4, MPLAN_CELL_TET4, "ABCD"},
        {3, 5, MPLAN_CELL_PYRAMID5, "ABCDE"},
        {3, 6, MPLAN_CELL_PRISM6, "ABCDEF"},
        {3, 8, MPLAN_CELL_HEX8, "ABCDEFGH"},
        {3, 10, MPLAN_CELL_TET10, "ACEJBDFGIH"},
        {3, 13, MPLAN_CELL_PYRAMID13, "ACEGMBHIDJFKL"},
        {3, 15, MPLAN_CELL_PRISM15, "ACEJLNBFGDHIKOM"},
        {3, 20, MPLAN_CELL_HEX20, "ACEGMOQSBHIDJFKLNTPR"},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (shapes[s].dimension == dimension && shapes[s].n == n) {
            *type = shapes[s].type;
            return shapes[s].order;
        }
    return NULL;
}

/* Older files have two more numbers in the first line.
 * head: number, form, three or four that are not used, and last the number of nodes. Nodes keep the file's numbers. */
static mplan_status read_element(unv_reader *reader, bool old, mplan_error *err)
{
    int64_t head[7] = {0, 0, 0, 0, 0, 0, 0}, theirs[20] = {0}, unused;
    const int64_t line = reader->scan.line;
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < (old ? 7 : 6) && !status; k++)
        status = mplan_scan_i64(&reader->scan, "a number of an element", &head[k], err);
    const int64_t n = head[old ? 6 : 5];
    const int32_t dimension = dimension_of(head[1]);
    mplan_cell_type type = MPLAN_CELL_POINT;
    const char *order = dimension > 0 ? shape_of(dimension, n, &type) : "";
    if (!status && (dimension < 0 || !order))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                 "an element of form %lld with %lld nodes is not known",
                                 (long long)head[1], (long long)n);
    if (!status && (n < 0 || n > (reader->scan.end - reader->scan.at) / 2))
        status = fail_place(reader, "the number of nodes of an element", n, err);
    for (int32_t k = 0; k < 3 && !status && is_beam(head[1]); k++)
        status = mplan_scan_i64(&reader->scan, "a number of a beam", &unused, err);
    for (int64_t k = 0; k < n && !status; k++)
        status = mplan_scan_i64(&reader->scan, "a node of an element",
                                dimension ? &theirs[k] : &unused, err);
    reader->skipped += dimension == 0;
    if (status || dimension == 0)
        return status;
    int64_t *nodes = mplan_numbered_element_of(&reader->mesh, head[0], type, line, err);
    for (int64_t k = 0; nodes && k < n; k++)
        nodes[k] = theirs[order[k] - 'A'];
    return nodes ? MPLAN_OK : err ? err->status : MPLAN_ERR_MEMORY;
}

/* old: datasets 71 and 780. */
static mplan_status read_elements(unv_reader *reader, bool old, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (!status && mplan_scan_skip_space(&reader->scan) && !line_is(reader->scan, -1)) {
        status = read_element(reader, old, err);
        if (!status && reader->mesh.elements.count % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* --- groups ----------------------------------------------------------------------------- */

/* The rest of the line without blanks around it.
 * *text: a view into the file. */
static void take_line(mplan_scanner *scan, const char **text, size_t *length)
{
    mplan_scan_line_ends(scan);
    const char *begin = scan->at, *end = begin;
    for (; scan->at < scan->end && *scan->at != '\n'; scan->at++)
        if (*scan->at != ' ' && *scan->at != '\t' && *scan->at != '\r')
            end = scan->at + 1;
    *text = begin;
    *length = (size_t)(end - begin);
}

/* Kind and number of each member, in newer files with two more numbers. Members of both kinds make two groups.
 * width: numbers of a member, 2 or 4. Members of the other kind are skipped. */
static mplan_status read_members(unv_reader *reader, int64_t n, int32_t width, bool of_nodes,
                                 mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t value[4] = {0, 0, 0, 0};
        for (int32_t k = 0; k < width && !status; k++)
            status = mplan_scan_i64(&reader->scan, "a member of a group", &value[k], err);
        if (!status && value[0] == (of_nodes ? OF_NODES : OF_ELEMENTS))
            status = mplan_numbered_member_of(&reader->mesh, value[1], 0, err);
    }
    return status;
}

/* Eight numbers, the last how many members; a line with the name; members.
 * Members are read twice from the same place, as nodes and as elements. */
static mplan_status read_groups(unv_reader *reader, int32_t width, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (!status && mplan_scan_skip_space(&reader->scan) && !line_is(reader->scan, -1)) {
        int64_t head[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        const char *name;
        size_t length;
        for (int32_t k = 0; k < 8 && !status; k++)
            status = mplan_scan_i64(&reader->scan, "a number of a group", &head[k], err);
        if (!status && (head[7] < 0 || head[7] > (reader->scan.end - reader->scan.at) / (2 * width)))
            status = fail_place(reader, "the number of members of a group", head[7], err);
        if (status)
            return status;
        mplan_scan_next_line(&reader->scan);
        take_line(&reader->scan, &name, &length);
        const mplan_scanner members = reader->scan;
        for (int32_t of_nodes = 0; of_nodes < 2 && !status; of_nodes++) {
            reader->scan = members;
            status = mplan_numbered_set_of(&reader->mesh, of_nodes, length ? 0 : head[0], name,
                                           length, err);
            if (!status)
                status = read_members(reader, head[7], width, of_nodes, err);
        }
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* --- the file ---------------------------------------------------------------------------- */

/* The scanner is at the first line below its number; it stops at the line of -1 behind it. */
static mplan_status read_dataset(unv_reader *reader, int64_t number, mplan_error *err)
{
    switch (number) {
    case 15:
    case 781:
    case 2411: return read_nodes(reader, err);
    case 71:
    case 780: return read_elements(reader, true, err);
    case 2412: return read_elements(reader, false, err);
    case 2417:
    case 2429:
    case 2430:
    case 2432: return read_groups(reader, 2, err);
    case 2435:
    case 2452:
    case 2467:
    case 2477: return read_groups(reader, 4, err);
    default:
        while (reader->scan.at < reader->scan.end && !line_is(reader->scan, -1))
            mplan_scan_next_line(&reader->scan);
        return MPLAN_OK;
    }
}

/* Datasets one after the other, each between two lines of -1. */
static mplan_status read_all(unv_reader *reader, mplan_mesh *mesh, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (!status && mplan_scan_skip_space(&reader->scan)) {
        int64_t number = 0;
        if (!line_is(reader->scan, -1))
            return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                   "expected a line of -1 before a dataset");
        mplan_scan_next_line(&reader->scan);
        if (!mplan_scan_skip_space(&reader->scan))
            break;
        status = mplan_scan_i64(&reader->scan, "the number of a dataset", &number, err);
        mplan_scan_next_line(&reader->scan);
        if (!status)
            status = read_dataset(reader, number, err);
        if (!status && !line_is(reader->scan, -1))
            status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                     "the file ends within dataset %lld", (long long)number);
        mplan_scan_next_line(&reader->scan);
    }
    if (!status && reader->skipped > 0)
        mplan_warn(reader->context,
                   "%s: %lld elements without shape (springs, masses, ...) are skipped",
                   reader->scan.path, (long long)reader->skipped);
    return status ? status : mplan_numbered_finish(&reader->mesh, mesh, err);
}

/* Names of groups are views into the input. */
static mplan_status read_unv(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    unv_reader reader = {.context = context};
    (void)options;
    mplan_scan_begin(&reader.scan, input);
    mplan_numbered_begin(&reader.mesh, input, context);
    mplan_status status = read_all(&reader, mesh, err);
    mplan_numbered_free(&reader.mesh);
    return status;
}

/* A line of -1, and one of a number up to four digits. */
static mplan_recognised recognise_unv(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 4096 ? size : 4096, NULL};
    mplan_scanner scan;
    int64_t number;
    mplan_scan_begin(&scan, &input);
    if (!mplan_scan_skip_space(&scan) || !line_is(scan, -1) || !mplan_scan_next_line(&scan) ||
        mplan_scan_i64(&scan, "", &number, NULL) || number < 1 || number > 9999 ||
        !mplan_scan_line_ends(&scan) || scan.at == scan.end)
        return MPLAN_RECOGNISED_NO;
    return MPLAN_RECOGNISED_YES;
}

const mplan_file_format mplan_format_unv = {
    .name = "unv",
    .description = "I-DEAS universal files (.unv), first and second order, with groups",
    .extensions = ".unv",
    .recognise = recognise_unv,
    .read = read_unv,
};
