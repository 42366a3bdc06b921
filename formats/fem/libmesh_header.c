/* SPDX-License-Identifier: Apache-2.0 */
/* libmesh_header.c - what a file of libMesh has, by its version and header
 *
 * After src/mesh/xdr_io.C of libMesh. Numbers of further values, which programs may add to nodes and elements since 1.8.0, and
 * all that is about processors are skipped. */
#include <string.h>

#include "base/error.h"
#include "formats/bytes_hold.h"
#include "formats/fem/libmesh.h"

enum { MOST_VALUES = 1024 };

/* "libMesh-1.8.0", maybe with more behind it.
 * items is at the first byte and behind the version afterwards; header->version is at least 700. */
static mplan_status read_version(mplan_libmesh_items *items, mplan_libmesh_header *header,
                                 mplan_error *err)
{
    mplan_libmesh_text text = {"", 0};
    int64_t part[3] = {0, 0, 0};
    const char *line = items->scan.at, *end = items->scan.end;
    const char *behind = memchr(line, '\n', (size_t)(end - line));
    mplan_status status = mplan_libmesh_line(items, "the version", &text, err);
    if (status)
        return status;
    if (!items->binary && behind &&
        mplan_bytes_hold((const uint8_t *)line, (size_t)(behind - line), "File Format"))
        return mplan_libmesh_fail(items, err, MPLAN_ERR_UNSUPPORTED,
                                  "the file holds a solution, not a mesh");
    const char *at = text.at + strlen("libMesh"), *last = text.at + text.length;
    for (int i = 0; i < 3 && at < last; i++) {
        at += *at == '-' || *at == '.';
        at += mplan_parse_i64(at, last, &part[i]);
        if (part[i] < 0 || part[i] > 99)
            break;
    }
    const bool sound = part[0] >= 0 && part[0] <= 99 && part[1] >= 0 && part[1] <= 99 &&
                       part[2] >= 0 && part[2] <= 99;
    header->version = sound ? 10000 * part[0] + 100 * part[1] + part[2] : 0;
    if (header->version < 700)
        return mplan_libmesh_fail(items, err, MPLAN_ERR_UNSUPPORTED,
                                  "version '%.*s' is not supported, only those since libMesh-0.7.0",
                                  text.length < 40 ? (int)text.length : 40, text.at);
    return MPLAN_OK;
}

/* A count of the header. */
mplan_status mplan_libmesh_count(mplan_libmesh_items *items, const mplan_libmesh_header *header,
                                 const char *what, int64_t bytes, int64_t *n, mplan_error *err)
{
    mplan_status status = mplan_libmesh_whole(items, mplan_libmesh_header_width(header), what, n,
                                              err);
    return status ? status : mplan_libmesh_room(items, what, *n, bytes, err);
}

/* Whether something is in the file: "n/a" is not, "." is; other files are not read. */
static mplan_status take_where(mplan_libmesh_items *items, const char *what, bool *there,
                               mplan_error *err)
{
    mplan_libmesh_text text = {"", 0};
    mplan_status status = mplan_libmesh_line(items, what, &text, err);
    *there = text.length == 1 && text.at[0] == '.';
    if (!status && !*there && !(text.length == 3 && memcmp(text.at, "n/a", 3) == 0))
        status = mplan_libmesh_fail(items, err, MPLAN_ERR_UNSUPPORTED,
                                    "%s are in another file, '%.*s'", what,
                                    text.length < 100 ? (int)text.length : 100, text.at);
    return status;
}

/* n whole numbers in a stream that nobody needs. */
mplan_status mplan_libmesh_skip(mplan_libmesh_items *items, const char *what, int64_t n,
                                mplan_error *err)
{
    int64_t value;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        status = mplan_libmesh_next(items, items->width, what, &value, err);
    }
    return status;
}

/* Names of further values, *n of them.
 * They are bounded, since each of them is one more number at each node or element. */
static mplan_status skip_names(mplan_libmesh_items *items, const char *what, int64_t *n,
                               mplan_error *err)
{
    mplan_libmesh_text text;
    mplan_status status = mplan_libmesh_vector(items, what, n, err);
    for (int64_t i = 0; i < *n && !status; i++)
        status = mplan_libmesh_word(items, what, &text, err);
    if (!status && *n > MOST_VALUES)
        status = mplan_libmesh_fail(items, err, MPLAN_ERR_UNSUPPORTED, "%s are more than %d", what,
                                    MOST_VALUES);
    mplan_libmesh_end_vector(items);
    return status;
}

/* A vector of numbers.
 * *n: its length, compared with the file; the numbers themselves are not needed. */
static mplan_status skip_vector(mplan_libmesh_items *items, const char *what, int64_t *n,
                                mplan_error *err)
{
    mplan_status status = mplan_libmesh_vector(items, what, n, err);
    if (!status)
        status = mplan_libmesh_skip(items, what, *n, err);
    mplan_libmesh_end_vector(items);
    return status;
}

/* Since 0.9.2 the bytes of numbers, since 1.8.0 further values.
 * items->width is set here, before the first stream is read. */
static mplan_status read_sizes(mplan_libmesh_items *items, mplan_libmesh_header *header,
                               mplan_error *err)
{
    static const char *const what[] = {
        "the size of numbers",    "the size of unique ids", "the size of processors",
        "the size of subdomains", "the size of p levels",   "the size of elements",
        "the size of sides",      "the size of boundaries", "the size of more numbers"};
    const int n = header->version >= 10800 ? 9 : 8;
    int64_t size[9] = {0}, n_codes = 0, unused;
    mplan_status status = MPLAN_OK;
    for (int i = 0; i < n && !status; i++)
        status = mplan_libmesh_whole(items, mplan_libmesh_header_width(header), what[i], &size[i],
                                     err);
    if (!status && size[0] != 4 && size[0] != 8)
        status = mplan_libmesh_fail(items, err, MPLAN_ERR_CORRUPT,
                                    "the size of numbers is %lld, not 4 or 8", (long long)size[0]);
    if (status)
        return status;
    header->unique_ids = size[1] != 0;
    if (header->version >= 10300) /* before, numbers were cut to 4 bytes */
        items->width = (int32_t)size[0];
    if (header->version < 10800)
        return MPLAN_OK;
    status = skip_names(items, "names of numbers of nodes", &header->node_values, err);
    if (!status)
        status = skip_names(items, "names of numbers of elements", &header->element_values, err);
    if (!status)
        status = skip_vector(items, "sets of elements", &n_codes, err);
    for (int64_t i = 0; i < n_codes && !status; i++)
        status = skip_vector(items, "a set of elements", &unused, err);
    return status;
}

/* Items come in this order in text and in binary files; each count is compared with the bytes
 * that one item needs at least (8 per element, 24 per node). Sizes of ids are stored since
 * version 0.9.2. */
mplan_status mplan_libmesh_read_header(mplan_libmesh_items *items, mplan_libmesh_header *header,
                                       mplan_error *err)
{
    mplan_status status = read_version(items, header, err);
    if (!status)
        status = mplan_libmesh_count(items, header, "the number of elements", 8,
                                     &header->n_elements, err);
    if (!status)
        status = mplan_libmesh_count(items, header, "the number of nodes", 24, &header->n_nodes, err);
    if (!status)
        status = take_where(items, "boundary conditions", &header->conditions, err);
    if (!status)
        status = take_where(items, "subdomains", &header->subdomains, err);
    if (!status)
        status = take_where(items, "processors", &header->partition, err);
    if (!status)
        status = take_where(items, "p levels", &header->p_levels, err);
    if (!status && header->version >= 902)
        status = read_sizes(items, header, err);
    return status;
}
