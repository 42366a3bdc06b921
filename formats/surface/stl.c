/* SPDX-License-Identifier: Apache-2.0 */
/* stl.c - surfaces of triangles in STL files, text and binary
 *
 * Binary: 80 bytes of a title, the number of triangles, and for each its normal, three points and two bytes that mean
 * nothing, as 32-bit little-endian reals. Text: solid, facet normal, outer loop, three times vertex, endloop, endfacet,
 * endsolid. Normals are skipped.
 *
 * Every triangle has points of its own there. Points whose coordinates are equal become one node, in order
 * of their first; -0 is 0. They are found in a hash table of open addressing that is never more than half full; a slot
 * holds half of the hash beside the node, so that a point is compared with another only where they are likely
 * equal. Binary files ask for the slots of a run of points before they look at them. Triangles two of whose corners are
 * one node have no area and are dropped, with a warning. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/collection.h"
#include "formats/not_finite.h"
#include "formats/scan.h"
#include "mesh/mesh.h"

enum {
    TITLE_BYTES = 80,
    HEADER_BYTES = 84,
    TRIANGLE_BYTES = 50,
    RUN = 32, /* triangles whose slots are fetched at once */
    FIRST_SLOTS = 1 << 10,
    LOOK_BYTES = 4096
};

/* An entry of the hash table of nodes. */
typedef struct weld_slot {
    uint32_t tag;
    int32_t node; /* -1: empty */
} weld_slot;

/* Finds the node at a point. */
typedef struct welder {
    mplan_collection *collection;
    weld_slot *slots;
    int64_t n_slots; /* a power of two */
} welder;

/* An STL file that is read. */
typedef struct stl_reader {
    mplan_collection collection;
    welder weld;
    int64_t n_triangles; /* in the file, so far */
    int64_t n_dropped, first_dropped;
} stl_reader;

/* --- welding ------------------------------------------------------------------------- */

/* x == 0 holds for -0, too: both get the bits of 0, by which points are hashed. */
static void canonise(double xyz[3])
{
    for (int32_t d = 0; d < 3; d++)
        xyz[d] = xyz[d] == 0 ? 0 : xyz[d]; /* -0 is 0 */
}

/* The finaliser of splitmix64 over the three numbers. */
static uint64_t hash_point(const double xyz[3])
{
    uint64_t bits[3], hash = 0;
    memcpy(bits, xyz, sizeof bits);
    for (int32_t d = 0; d < 3; d++) {
        hash = (hash ^ bits[d]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

/* n: a power of two. */
static mplan_status make_slots(welder *weld, int64_t n, mplan_error *err)
{
    weld->slots = mplan_alloc(n, sizeof *weld->slots, err);
    if (!weld->slots)
        return MPLAN_ERR_MEMORY;
    memset(weld->slots, 0xff, (size_t)n * sizeof *weld->slots);
    weld->n_slots = n;
    return MPLAN_OK;
}

/* Twice the slots. The nodes go in again by their points, as the tag is too short to say where.
 * Doubling makes n insertions cost a constant each. */
static mplan_status grow(welder *weld, mplan_error *err)
{
    const double *xyz = weld->collection->xyz.data;
    int64_t n_nodes = mplan_collected_nodes(weld->collection),
            n = weld->n_slots ? 2 * weld->n_slots : FIRST_SLOTS;
    free(weld->slots);
    mplan_status status = make_slots(weld, n, err);
    for (int64_t node = 0; node < n_nodes && !status; node++) {
        uint64_t hash = hash_point(xyz + 3 * node), at = hash & (uint64_t)(n - 1);
        while (weld->slots[at].node >= 0)
            at = (at + 1) & (uint64_t)(n - 1);
        weld->slots[at] = (weld_slot){(uint32_t)(hash >> 32), (int32_t)node};
    }
    return status;
}

/* Room for n more points with at most half of the slots in use, so that slots stay where they
 * are while a run is read, and a search ends soon: about 1.5 probes on average for a point that
 * is there, 2.5 for a new one (Knuth, vol. 3, 6.4). */
static mplan_status reserve(welder *weld, int64_t n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (!status && 2 * (mplan_collected_nodes(weld->collection) + n) > weld->n_slots)
        status = grow(weld, err);
    return status;
}

/* Corners with equal coordinates are one node. tag: upper half of the hash, compared before the
 * coordinates. There is an empty slot (reserve), so that the search ends. */
static mplan_status find_node(welder *weld, const double xyz[3], uint64_t hash, int32_t *node,
                              mplan_error *err)
{
    uint64_t mask = (uint64_t)weld->n_slots - 1, at = hash & mask;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (; weld->slots[at].node >= 0; at = (at + 1) & mask)
        if (weld->slots[at].tag == tag) {
            const double *there = (const double *)weld->collection->xyz.data +
                                  3 * (int64_t)weld->slots[at].node;
            if (there[0] == xyz[0] && there[1] == xyz[1] && there[2] == xyz[2]) {
                *node = weld->slots[at].node;
                return MPLAN_OK;
            }
        }
    *node = (int32_t)mplan_collected_nodes(weld->collection);
    weld->slots[at] = (weld_slot){tag, *node};
    return mplan_collect_node(weld->collection, xyz, err);
}

/* --- triangles ------------------------------------------------------------------------ */

/* Adds n <= RUN triangles, nine coordinates each. */
static mplan_status add_triangles(stl_reader *reader, double (*xyz)[3], int32_t n, mplan_error *err)
{
    uint64_t hash[3 * RUN];
    mplan_status status = reserve(&reader->weld, 3 * n, err);
    if (status)
        return status;
    if (mplan_collected_nodes(&reader->collection) > INT32_MAX - 1 - 3 * RUN)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: more than 2^31 points",
                          reader->collection.path);
    for (int32_t k = 0; k < 3 * n; k++) {
        canonise(xyz[k]);
        hash[k] = hash_point(xyz[k]);
        __builtin_prefetch(&reader->weld.slots[hash[k] & (uint64_t)(reader->weld.n_slots - 1)]);
    }
    for (int32_t t = 0; t < n && !status; t++) {
        int32_t node[3];
        for (int32_t k = 0; k < 3 && !status; k++)
            status = find_node(&reader->weld, xyz[3 * t + k], hash[3 * t + k], &node[k], err);
        if (status)
            return status;
        int64_t triangle = reader->n_triangles++;
        if (node[0] == node[1] || node[1] == node[2] || node[2] == node[0]) {
            if (reader->n_dropped++ == 0)
                reader->first_dropped = triangle;
            continue;
        }
        int32_t *to = mplan_collect_cell(&reader->collection, MPLAN_CELL_TRI3, err);
        if (!to)
            return MPLAN_ERR_MEMORY;
        memcpy(to, node, sizeof node);
    }
    return status;
}

/* --- binary ---------------------------------------------------------------------------- */

/* The number that the file says; size >= HEADER_BYTES. */
static int64_t triangles_of(const uint8_t *data)
{
    return (int64_t)((uint32_t)data[80] | (uint32_t)data[81] << 8 | (uint32_t)data[82] << 16 |
                     (uint32_t)data[83] << 24);
}

/* The size decides: a binary file's title may begin with "solid", too. */
static bool is_binary(const uint8_t *data, size_t size)
{
    return size >= HEADER_BYTES &&
           (int64_t)size == HEADER_BYTES + TRIANGLE_BYTES * triangles_of(data);
}

/* Text has no zeros. */
static bool has_zeros(const uint8_t *data, size_t size)
{
    return size > 0 && memchr(data, 0, size < LOOK_BYTES ? size : LOOK_BYTES);
}

/* A binary file whose size does not fit its number of triangles. */
static mplan_status fail_size(const mplan_input *input, mplan_error *err)
{
    if (input->size < HEADER_BYTES)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: byte %zu: the file ends before the number of its triangles",
                          input->path, input->size);
    int64_t n = triangles_of(input->data);
    return mplan_fail(err, MPLAN_ERR_CORRUPT,
                      "%s: byte %d: %lld triangles need %lld bytes, but the file has %zu",
                      input->path, TITLE_BYTES, (long long)n,
                      (long long)(HEADER_BYTES + TRIANGLE_BYTES * n), input->size);
}

/* 50 bytes a triangle: normal, corners, attribute. */
static mplan_status read_binary(const mplan_input *input, stl_reader *reader, mplan_error *err)
{
    int64_t n = triangles_of(input->data);
    if (n >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: byte %d: %lld triangles exceed 32 bits",
                          input->path, TITLE_BYTES, (long long)n);
    mplan_status status = mplan_collect_room(&reader->collection, MPLAN_CELL_TRI3, n, err);
    for (int64_t first = 0; first < n && !status; first += RUN) {
        double xyz[3 * RUN][3];
        int32_t count = (int32_t)(n - first < RUN ? n - first : RUN);
        for (int32_t t = 0; t < count; t++) {
            float corner[9];
            const uint8_t *at = input->data + HEADER_BYTES + (first + t) * TRIANGLE_BYTES + 12;
            memcpy(corner, at, sizeof corner);
            for (int32_t k = 0; k < 9; k++) {
                xyz[3 * t + k / 3][k % 3] = (double)corner[k];
                if (!(corner[k] - corner[k] == 0)) /* also false for NaN */
                    return mplan_fail(err, MPLAN_ERR_MESH,
                                      "%s: byte %lld: a coordinate of triangle %lld is not finite (%s)",
                                      input->path, (long long)(at - input->data + 4 * k),
                                      (long long)(first + t), mplan_not_finite(corner[k]));
            }
        }
        status = add_triangles(reader, xyz, count, err);
        if (!status && first % 65536 == 0)
            status = mplan_interrupted(reader->collection.context, err);
    }
    return status;
}

/* --- text -------------------------------------------------------------------------------- */

/* A name within the file. */
typedef struct solid_name {
    const char *text;
    size_t length;
} solid_name;

/* Without regard to case; text is lower-case. */
static bool equal_words(const char *word, size_t length, const char *text)
{
    for (size_t i = 0; i < length; i++)
        if ((word[i] | 0x20) != text[i]) /* also where text ends */
            return false;
    return text[length] == '\0';
}

/* The next word must be `text`, in lower case here, in either case in the file. What was found
 * is shown up to 40 letters, or the first that is none. */
static mplan_status expect_word(mplan_scanner *scan, const char *text, mplan_error *err)
{
    const char *word = "";
    size_t length = 0;
    bool there = mplan_scan_word(scan, &word, &length);
    if (there && equal_words(word, length, text))
        return MPLAN_OK;
    for (size_t i = 0; i < length; i++)
        if (word[i] < 0x20 || word[i] > 0x7e)
            length = i;
    return there ? mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "expected '%s', found '%.*s'",
                                   text, length < 40 ? (int)length : 40, word)
                 : mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "the file ends before '%s'", text);
}

/* "facet" is passed already. Every word must be there: what is not a triangle is not STL. */
static mplan_status read_facet(stl_reader *reader, mplan_scanner *scan, mplan_error *err)
{
    double xyz[3][3], unused;
    mplan_status status = expect_word(scan, "normal", err);
    for (int32_t k = 0; k < 3 && !status; k++)
        status = mplan_scan_f64(scan, "a normal", &unused, err);
    if (!status)
        status = expect_word(scan, "outer", err);
    if (!status)
        status = expect_word(scan, "loop", err);
    for (int32_t k = 0; k < 9 && !status; k++) {
        if (k % 3 == 0)
            status = expect_word(scan, "vertex", err);
        if (!status)
            status = mplan_scan_f64(scan, "a coordinate", &xyz[k / 3][k % 3], err);
        if (!status && !(xyz[k / 3][k % 3] - xyz[k / 3][k % 3] == 0)) /* also false for NaN */
            status = mplan_scan_fail(scan, err, MPLAN_ERR_MESH, "a coordinate is not finite (%s)",
                                     mplan_not_finite(xyz[k / 3][k % 3]));
    }
    if (!status)
        status = expect_word(scan, "endloop", err);
    if (!status)
        status = expect_word(scan, "endfacet", err);
    return status ? status : add_triangles(reader, xyz, 1, err);
}

/* The rest of the line, without blanks at its ends. */
static solid_name take_name(mplan_scanner *scan)
{
    solid_name name = {"", 0};
    if (mplan_scan_line_ends(scan))
        return name;
    name.text = scan->at;
    while (scan->at < scan->end && *scan->at != '\n')
        scan->at++;
    name.length = (size_t)(scan->at - name.text);
    while (name.length > 0 && (unsigned char)name.text[name.length - 1] <= ' ')
        name.length--;
    return name;
}

/* Facets up to endsolid; "solid" is passed already. Those of several solids are groups. A
 * triangle that was dropped is not a cell, so that it joins no group. */
static mplan_status read_solid(stl_reader *reader, mplan_scanner *scan, mplan_error *err)
{
    const char *word;
    size_t length;
    solid_name name = take_name(scan);
    mplan_status status = MPLAN_OK;
    while (!status) {
        if (!mplan_scan_word(scan, &word, &length))
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "the file ends before 'endsolid'");
        if (equal_words(word, length, "endsolid"))
            break;
        if (equal_words(word, length, "end")) { /* "end solid", as some writers have it */
            status = expect_word(scan, "solid", err);
            if (status)
                return status;
            break;
        }
        if (!equal_words(word, length, "facet")) {
            scan->at = word;
            return expect_word(scan, "facet", err);
        }
        int64_t before = reader->collection.type[2].count;
        status = read_facet(reader, scan, err);
        if (!status && name.length && reader->collection.type[2].count > before)
            status = mplan_collect_member(&reader->collection, 2, 0, name.text, name.length, err);
        if (!status && reader->n_triangles % 16384 == 0)
            status = mplan_scan_heed(scan, reader->collection.context, err);
    }
    mplan_scan_next_line(scan); /* a name may follow endsolid */
    return status;
}

/* Several solids are groups by their names. */
static mplan_status read_text(const mplan_input *input, stl_reader *reader, mplan_error *err)
{
    mplan_scanner scan;
    int64_t n_solids = 0;
    mplan_scan_begin(&scan, input);
    mplan_status status = expect_word(&scan, "solid", err);
    while (!status) {
        n_solids++;
        status = read_solid(reader, &scan, err);
        if (status || !mplan_scan_skip_space(&scan))
            break;
        status = expect_word(&scan, "solid", err);
    }
    if (n_solids == 1) /* the whole surface is not a group */
        reader->collection.runs[2].count = 0;
    return status;
}

/* --- the format ---------------------------------------------------------------------------- */

/* A file of zeros within its first bytes is not text: then its size is what is wrong with it. */
static mplan_status read_stl(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    stl_reader reader = {.n_triangles = 0};
    (void)options;
    mplan_collection_begin(&reader.collection, input->path, context);
    reader.weld.collection = &reader.collection;
    mplan_status status = is_binary(input->data, input->size)   ? read_binary(input, &reader, err)
                          : has_zeros(input->data, input->size) ? fail_size(input, err)
                                                                : read_text(input, &reader, err);
    free(reader.weld.slots);
    if (!status && reader.n_dropped > 0)
        mplan_warn(context,
                   "%s: %lld triangles have two corners at one point, the first is triangle "
                   "%lld; they are skipped",
                   input->path, (long long)reader.n_dropped, (long long)reader.first_dropped);
    if (!status)
        status = mplan_collection_to_mesh(&reader.collection, mesh, err);
    mplan_collection_free(&reader.collection);
    return status;
}

/* A binary file has exactly the bytes of its triangles, whatever its title; a text begins with solid, and before long
 * there is a facet. */
static mplan_recognised recognise_stl(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < LOOK_BYTES ? size : LOOK_BYTES, NULL};
    mplan_scanner scan;
    const char *word;
    size_t length;
    if (is_binary(data, size))
        return MPLAN_RECOGNISED_YES;
    if (has_zeros(data, size)) /* cut short, perhaps: then the reader says so */
        return MPLAN_RECOGNISED_BY_NAME;
    mplan_scan_begin(&scan, &input);
    if (!mplan_scan_word(&scan, &word, &length) || !equal_words(word, length, "solid"))
        return MPLAN_RECOGNISED_NO;
    mplan_scan_next_line(&scan);
    bool facet = mplan_scan_word(&scan, &word, &length) &&
                 (equal_words(word, length, "facet") || equal_words(word, length, "endsolid"));
    return facet ? MPLAN_RECOGNISED_YES : MPLAN_RECOGNISED_BY_NAME;
}

const mplan_file_format mplan_format_stl = {
    .name = "stl",
    .description = "STL surface, text and binary; equal points become one node",
    .extensions = ".stl",
    .recognise = recognise_stl,
    .read = read_stl,
};
