/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_elements.c - $Elements of all MSH versions
 *
 * An element of several physical groups is once in a file of version 4,
 * where its entity lists the groups. In version 2 it is written once per
 * group: by Gmsh in succession under new tags, by others under the same tag.
 * The former are joined here, the latter by gmsh_groups.c. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "formats/gmsh/gmsh_internal.h"
#include "formats/scan_rows.h"

enum {
    STEP = 4096,               /* numbers of a binary file at a time */
    MAX_ROW = 1100,            /* numbers of an element: tag and at most 1000 nodes */
    MAX_TAGS = STEP - MAX_ROW, /* of an element of version 2, partitions included */
    PAUSE_EVERY = 1 << 16,     /* elements */
    CHUNK = 1 << 12,           /* elements of a binary block that one thread reads at a time */
    MAX_TAGGED = 1 << 20 /* elements of version 2 that threads read before they are appended */
};

/* Rows of numbers as they are in the file. */
typedef struct rows {
    const int64_t *values;
    int64_t n, stride;
    int32_t first;  /* column of the first node */
    const char *at; /* of the first row */
    size_t width;   /* bytes of a number, in binary files */
} rows;

/* row: element within `from`, node: position of the node in its row. Binary
 * files name the byte. */
static mplan_status fail_node(const gmsh_reader *reader, const rows *from, int64_t row,
                              int32_t node, mplan_error *err)
{
    const int64_t *values = from->values + row * from->stride;
    size_t place = (size_t)(row * from->stride + from->first + node) * from->width;
    return mplan_gmsh_fail(reader, reader->binary ? from->at + place : NULL, err, MPLAN_ERR_MESH,
                           "element %lld refers to node %lld, which does not exist",
                           (long long)values[0], (long long)values[from->first + node]);
}

/* Numbers of the nodes of rows, one element behind the other; returns the first row with a node that there is not, -1: none. */
static int64_t find_nodes(const gmsh_index *index, const gmsh_shape *shape, const rows *from,
                          int32_t *nodes)
{
    for (int64_t r = 0; r < from->n; r++, nodes += shape->n_nodes) {
        const int64_t *tag = from->values + r * from->stride + from->first;
        int32_t known = 0; /* negative as soon as one is unknown */
        for (int32_t k = 0; k < shape->n_nodes; k++) {
            nodes[k] = gmsh_index_find(index, tag[k]);
            known |= nodes[k];
        }
        if (known < 0)
            return r;
    }
    return -1;
}

/* Appends the elements of rows, whose shape is given. */
static mplan_status append_rows(gmsh_reader *reader, const gmsh_shape *shape, const rows *from,
                                mplan_error *err)
{
    gmsh_elements *to = &reader->elements[shape->dimension];
    if (from->n >= INT32_MAX - to->type.count)
        return mplan_gmsh_fail(reader, from->at, err, MPLAN_ERR_UNSUPPORTED,
                               "more elements than the %d that a set can hold", INT32_MAX - 1);
    uint8_t *type = mplan_vector_reserve(&to->type, from->n, err);
    int32_t *nodes = type ? mplan_vector_reserve(&to->nodes, from->n * shape->n_nodes, err) : NULL;
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    memset(type, (int)shape->type, (size_t)from->n);
    const int64_t unknown = find_nodes(&reader->node_index, shape, from, nodes);
    for (int32_t k = 0; unknown >= 0 && k < shape->n_nodes; k++)
        if (nodes[unknown * shape->n_nodes + k] < 0)
            return fail_node(reader, from, unknown, k, err);
    to->type.count += from->n;
    to->nodes.count += from->n * shape->n_nodes;
    return MPLAN_OK;
}

/* at: the number's place, for messages. Warns once of shapes that are read by their corners. */
static mplan_status find_shape(gmsh_reader *reader, const char *at, int64_t number,
                               gmsh_shape *shape, mplan_error *err)
{
    if (mplan_gmsh_shape(number, shape)) {
        if (shape->n_read > shape->n_nodes && !reader->higher_order) {
            reader->higher_order = true;
            mplan_warn(reader->context,
                       "%s: elements of third or higher order are read by their corners",
                       reader->scan.path);
        }
        return MPLAN_OK;
    }
    return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_UNSUPPORTED,
                           "elements of type %lld, %s, are not supported", (long long)number,
                           mplan_gmsh_shape_word(number));
}

/* --- version 4 ---------------------------------------------------------------- */

/* A block of a binary file that threads read together, CHUNK elements at a time. */
typedef struct block_work {
    const gmsh_reader *reader; /* at the first row */
    const gmsh_shape *shape;
    int64_t n;
    size_t row_bytes;
    int32_t *nodes; /* n_nodes for each element */
    uint8_t bad;    /* some row refers to a node that does not exist, or cannot be read */
} block_work;

/* As many numbers as part->n rows have, of a block of version 4. */
static mplan_status read_numbers(gmsh_reader *reader, const rows *part, int64_t *values,
                                 mplan_error *err)
{
    const int64_t numbers = part->n * part->stride;
    return reader->version == 40
               ? mplan_gmsh_ints(reader, "an element or node tag", numbers, values, err)
               : mplan_gmsh_sizes(reader, "an element or node tag", numbers, values, err);
}

/* Chunks [begin, end): each reads its rows with a reader of its own, which is at them. */
static void read_chunks(void *data, int thread, int64_t begin, int64_t end)
{
    block_work *work = data;
    int64_t values[STEP];
    rows part = {.values = values, .stride = 1 + work->shape->n_read, .first = 1};
    const int64_t step = STEP / part.stride;
    const int64_t last = end * CHUNK < work->n ? end * CHUNK : work->n;
    gmsh_reader own = *work->reader;
    (void)thread;
    own.scan.at += (size_t)begin * CHUNK * work->row_bytes;
    for (int64_t i = begin * CHUNK; i < last; i += part.n) {
        part.n = last - i < step ? last - i : step;
        if (read_numbers(&own, &part, values, NULL) ||
            find_nodes(&own.node_index, work->shape, &part,
                       work->nodes + i * work->shape->n_nodes) >= 0) {
            mplan_mark(&work->bad);
            return;
        }
    }
}

/* Reads a whole block of a binary file by threads. *done: false, and nothing has been read, where a row is wrong, for the caller
 * to say which. The block fits into the file. */
static mplan_status read_block_together(gmsh_reader *reader, const gmsh_shape *shape, int64_t n,
                                        size_t width, bool *done, mplan_error *err)
{
    gmsh_elements *to = &reader->elements[shape->dimension];
    *done = false;
    if (n >= INT32_MAX - to->type.count)
        return MPLAN_OK;
    uint8_t *type = mplan_vector_reserve(&to->type, n, err);
    block_work work = {.reader = reader, .shape = shape, .n = n};
    work.nodes = type ? mplan_vector_reserve(&to->nodes, n * shape->n_nodes, err) : NULL;
    if (!work.nodes)
        return MPLAN_ERR_MEMORY;
    work.row_bytes = (size_t)(1 + shape->n_read) * width;
    mplan_status status = mplan_for_heeding(mplan_team_of(reader->context), (n + CHUNK - 1) / CHUNK,
                                            1, read_chunks, &work, reader->context, err);
    if (status || work.bad)
        return status;
    memset(type, (int)shape->type, (size_t)n);
    to->type.count += n;
    to->nodes.count += n * shape->n_nodes;
    reader->scan.at += (size_t)n * work.row_bytes;
    *done = true;
    return mplan_gmsh_pause(reader, err);
}

/* Lines of text that threads read. */
typedef struct line_work {
    const gmsh_reader *reader;
    const gmsh_shape *shape;
    int32_t *nodes; /* n_nodes for each element */
} line_work;

/* A number, which nobody asks for, and nodes. */
static bool read_line(void *data, mplan_scanner *line, int64_t row)
{
    const line_work *work = data;
    int64_t values[MAX_ROW];
    const rows from = {.values = values, .n = 1, .first = 1};
    for (int32_t k = 0; k < 1 + work->shape->n_read; k++)
        if (mplan_scan_i64(line, "", &values[k], NULL))
            return false;
    return mplan_scan_line_ends(line) && find_nodes(&work->reader->node_index, work->shape, &from,
                                                    work->nodes + row * work->shape->n_nodes) < 0;
}

/* The first rows of a block of text, by threads; *n_read: how many. */
static mplan_status read_lines_together(gmsh_reader *reader, const gmsh_shape *shape, int64_t n,
                                        int64_t *n_read, mplan_error *err)
{
    gmsh_elements *to = &reader->elements[shape->dimension];
    *n_read = 0;
    if (n >= INT32_MAX - to->type.count)
        return MPLAN_OK;
    uint8_t *type = mplan_vector_reserve(&to->type, n, err);
    line_work work = {reader, shape, NULL};
    work.nodes = type ? mplan_vector_reserve(&to->nodes, n * shape->n_nodes, err) : NULL;
    if (!work.nodes)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_scan_rows(&reader->scan, n, read_line, &work, reader->context,
                                          n_read, err);
    if (status)
        return status;
    memset(type, (int)shape->type, (size_t)*n_read);
    to->type.count += *n_read;
    to->nodes.count += *n_read * shape->n_nodes;
    return MPLAN_OK;
}

/* n elements of one shape: number and nodes each. Binary ones in steps that fit
 * `values`. */
static mplan_status read_block_rows(gmsh_reader *reader, const gmsh_shape *shape, int64_t n,
                                    mplan_error *err)
{
    int64_t values[STEP];
    const bool ints = reader->version == 40;
    rows part = {.values = values,
                 .stride = 1 + shape->n_read,
                 .first = 1,
                 .width = ints ? 4 : reader->size_width};
    const int64_t step = reader->binary ? STEP / part.stride : 1;
    mplan_status status = MPLAN_OK;
    bool done = false;
    int64_t first = 0;
    if (reader->binary && n >= 2 * CHUNK)
        status = read_block_together(reader, shape, n, part.width, &done, err);
    else if (!reader->binary && mplan_scan_rows_pays(n, reader->context))
        status = read_lines_together(reader, shape, n, &first, err);
    for (int64_t i = first; !status && !done && i < n; i += part.n) {
        part.n = n - i < step ? n - i : step;
        part.at = reader->scan.at;
        status = read_numbers(reader, &part, values, err);
        if (!status)
            status = append_rows(reader, shape, &part, err);
        if (!status && i / PAUSE_EVERY != (i + part.n) / PAUSE_EVERY)
            status = mplan_gmsh_pause(reader, err);
    }
    return status;
}

/* A block of version 4: elements of one shape and one entity. *n: out, how many. */
static mplan_status read_block(gmsh_reader *reader, int64_t *n, mplan_error *err)
{
    int64_t head[3]; /* 4.1: dimension, tag of the entity, type; 4.0: tag first */
    gmsh_shape shape;
    const char *at = reader->scan.at;
    const bool old = reader->version == 40;
    mplan_status status = mplan_gmsh_ints(reader, "the entity of a block of elements", 3, head, err);
    if (!status)
        status = mplan_gmsh_sizes(reader, "the number of elements of a block", 1, n, err);
    if (!status)
        status = find_shape(reader, at + 8, head[2], &shape, err);
    if (!status)
        status = mplan_gmsh_fits(reader, "elements", *n, 1 + shape.n_read,
                                 (size_t)(1 + shape.n_read) * (old ? 4 : reader->size_width), err);
    if (status)
        return status;
    gmsh_elements *to = &reader->elements[shape.dimension];
    const gmsh_entity *entity = mplan_gmsh_find_entity(reader, old ? head[1] : head[0],
                                                       old ? head[0] : head[1]);
    const int64_t *physicals = reader->physicals.data;
    for (int32_t g = 0; !status && entity && *n > 0 && g < entity->n_physicals; g++)
        if (physicals[entity->first + g] > 0)
            status = mplan_gmsh_add_run(&to->runs, to->type.count, *n, physicals[entity->first + g],
                                        err);
    return status ? status : read_block_rows(reader, &shape, *n, err);
}

/* Fewer or more elements than the head of the section says are an error. */
static mplan_status read_elements_4(gmsh_reader *reader, mplan_error *err)
{
    int64_t head[4], n = 0, total = 0; /* blocks, elements, smallest and largest tag */
    mplan_status status = mplan_gmsh_sizes(reader, "the number of blocks and elements",
                                           reader->version == 40 ? 2 : 4, head, err);
    for (int64_t b = 0; !status && b < head[0]; b++, total += n)
        status = read_block(reader, &n, err);
    if (!status && total != head[1])
        mplan_warn(reader->context,
                   "%s: the blocks of $Elements have %lld elements, but its header says %lld",
                   reader->scan.path, (long long)total, (long long)head[1]);
    return status;
}

/* --- version 2 ---------------------------------------------------------------- */

/* Whether the last element repeats the one before for another group. */
static bool repeats_last(const gmsh_elements *of, const gmsh_shape *shape, int64_t physical,
                         int64_t elementary)
{
    int64_t n = of->type.count;
    const uint8_t *type = of->type.data;
    if (n < 2 || type[n - 1] != type[n - 2] || elementary != of->last_elementary || physical <= 0 ||
        of->last_physical <= 0 || physical == of->last_physical)
        return false;
    const int32_t *last = (const int32_t *)of->nodes.data + of->nodes.count - shape->n_nodes;
    return memcmp(last, last - shape->n_nodes, (size_t)shape->n_nodes * sizeof *last) == 0;
}

/* The element that was appended last, of version 2: it goes again where it repeats the one before. tags: physical and
 * elementary group. */
static mplan_status finish_tagged(gmsh_reader *reader, const gmsh_shape *shape, int64_t number,
                                  const int64_t tags[2], mplan_error *err)
{
    gmsh_elements *to = &reader->elements[shape->dimension];
    int64_t physical = tags[0], elementary = tags[1];
    mplan_status status = MPLAN_OK;
    if (physical < 0) /* the element is reversed, its group is the same */
        physical = physical == INT64_MIN ? INT64_MAX : -physical;
    if (repeats_last(to, shape, physical, elementary)) {
        to->type.count--;
        to->nodes.count -= shape->n_nodes;
    } else {
        status = mplan_vector_push(&to->tags, &number, err);
    }
    to->last_physical = physical;
    to->last_elementary = elementary;
    if (!status && physical > 0)
        status = mplan_gmsh_add_run(&to->runs, to->type.count - 1, 1, physical, err);
    return status;
}

/* An element of version 2: tag, n_tags tags, nodes. */
static mplan_status append_tagged(gmsh_reader *reader, const gmsh_shape *shape, const rows *from,
                                  int64_t n_tags, mplan_error *err)
{
    const int64_t *tag = from->values + from->first - n_tags;
    const int64_t tags[2] = {n_tags > 0 ? tag[0] : 0, n_tags > 1 ? tag[1] : 0};
    mplan_status status = append_rows(reader, shape, from, err);
    return status ? status : finish_tagged(reader, shape, from->values[0], tags, err);
}

/* The same, of nodes that have been found. */
static mplan_status keep_tagged(gmsh_reader *reader, const gmsh_shape *shape, int64_t number,
                                const int64_t tags[2], const int32_t *nodes, mplan_error *err)
{
    gmsh_elements *to = &reader->elements[shape->dimension];
    const uint8_t type = (uint8_t)shape->type;
    if (to->type.count >= INT32_MAX - 1)
        return mplan_gmsh_fail(reader, NULL, err, MPLAN_ERR_UNSUPPORTED,
                               "more elements than the %d that a set can hold", INT32_MAX - 1);
    int32_t *at = mplan_vector_reserve(&to->nodes, shape->n_nodes, err);
    mplan_status status = at ? mplan_vector_push(&to->type, &type, err) : MPLAN_ERR_MEMORY;
    if (status)
        return status;
    memcpy(at, nodes, (size_t)shape->n_nodes * sizeof *nodes);
    to->nodes.count += shape->n_nodes;
    return finish_tagged(reader, shape, number, tags, err);
}

/* Of an element of version 2: more than MAX_TAGS are none that a program writes. */
static mplan_status check_n_tags(const gmsh_reader *reader, const char *at, int64_t n,
                                 mplan_error *err)
{
    if (n >= 0 && n <= MAX_TAGS)
        return MPLAN_OK;
    return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT,
                           "the number of tags of an element is invalid: %lld", (long long)n);
}

/* A line of version 2: number, type, tags, nodes. The first tag is the physical
 * group. */
static mplan_status read_text_element(gmsh_reader *reader, mplan_error *err)
{
    int64_t values[STEP]; /* number, type, number of tags, tags, nodes */
    gmsh_shape shape;
    mplan_status status = mplan_gmsh_ints(reader, "a number of an element", 3, values, err);
    if (!status)
        status = find_shape(reader, NULL, values[1], &shape, err);
    if (!status)
        status = check_n_tags(reader, NULL, values[2], err);
    if (!status)
        status = mplan_gmsh_ints(reader, "a tag of an element", values[2], values + 3, err);
    if (!status)
        status = mplan_gmsh_ints(reader, "a node tag", shape.n_read, values + 3 + values[2], err);
    if (status)
        return status;
    rows row = {.values = values, .n = 1, .first = (int32_t)(3 + values[2])};
    return append_tagged(reader, &shape, &row, values[2], err);
}

/* What an element of version 2 has beside its nodes. */
typedef struct tagged_row {
    int64_t number, tags[2]; /* physical and elementary group; 0 without */
} tagged_row;

/* Lines of version 2 that have the type and the number of tags of the first of them. */
typedef struct tagged_work {
    const gmsh_reader *reader;
    gmsh_shape shape;
    int64_t type, n_tags;
    tagged_row *row;
    int32_t *nodes; /* n_nodes for each element */
} tagged_work;

static bool read_tagged_line(void *data, mplan_scanner *line, int64_t row)
{
    const tagged_work *work = data;
    int64_t values[MAX_ROW], head[3], tag;
    tagged_row *to = &work->row[row];
    const rows from = {.values = values, .n = 1, .first = 0};
    for (int32_t k = 0; k < 3; k++)
        if (mplan_scan_i64(line, "", &head[k], NULL))
            return false;
    if (head[1] != work->type || head[2] != work->n_tags)
        return false;
    *to = (tagged_row){.number = head[0]};
    for (int64_t k = 0; k < work->n_tags; k++) {
        if (mplan_scan_i64(line, "", &tag, NULL))
            return false;
        if (k < 2)
            to->tags[k] = tag;
    }
    for (int32_t k = 0; k < work->shape.n_read; k++)
        if (mplan_scan_i64(line, "", &values[k], NULL))
            return false;
    return mplan_scan_line_ends(line) && find_nodes(&work->reader->node_index, &work->shape, &from,
                                                    work->nodes + row * work->shape.n_nodes) < 0;
}

/* The rows of one type with which a list of n goes on, by threads; *n_read: how many. Behind it all is as after as many calls of
 * read_text_element. */
static mplan_status read_tagged_together(gmsh_reader *reader, int64_t n, int64_t *n_read,
                                         mplan_error *err)
{
    mplan_scanner ahead = reader->scan;
    int64_t number;
    tagged_work work = {.reader = reader};
    *n_read = 0;
    n = n < MAX_TAGGED ? n : MAX_TAGGED;
    if (!mplan_scan_rows_pays(n, reader->context) || mplan_scan_i64(&ahead, "", &number, NULL) ||
        mplan_scan_i64(&ahead, "", &work.type, NULL) ||
        mplan_scan_i64(&ahead, "", &work.n_tags, NULL) ||
        !mplan_gmsh_shape(work.type, &work.shape) || work.n_tags < 0 || work.n_tags > MAX_TAGS ||
        (work.shape.n_read > work.shape.n_nodes && !reader->higher_order))
        return MPLAN_OK;
    const int32_t n_nodes = work.shape.n_nodes;
    work.row = mplan_alloc(n, sizeof *work.row, err);
    work.nodes = work.row ? mplan_alloc(n * n_nodes, sizeof *work.nodes, err) : NULL;
    mplan_status status = work.nodes ? mplan_scan_rows(&reader->scan, n, read_tagged_line, &work,
                                                       reader->context, n_read, err)
                                     : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; !status && i < *n_read; i++)
        status = keep_tagged(reader, &work.shape, work.row[i].number, work.row[i].tags,
                             work.nodes + i * n_nodes, err);
    free(work.row);
    free(work.nodes);
    return status;
}

/* A line of version 1: number, type, physical and elementary group, number of nodes, nodes. */
static mplan_status read_old_element(gmsh_reader *reader, mplan_error *err)
{
    int64_t values[STEP];
    gmsh_shape shape;
    mplan_status status = mplan_gmsh_ints(reader, "a number of an element", 5, values, err);
    if (!status)
        status = find_shape(reader, NULL, values[1], &shape, err);
    if (!status && values[4] != shape.n_read)
        status = mplan_gmsh_fail(reader, NULL, err, MPLAN_ERR_CORRUPT,
                                 "an element of type %lld has %lld nodes, not %lld",
                                 (long long)values[1], (long long)shape.n_read, (long long)values[4]);
    if (!status)
        status = mplan_gmsh_ints(reader, "a node tag", shape.n_read, values + 5, err);
    if (status)
        return status;
    values[4] = values[3]; /* tags directly before the nodes, as append_tagged has them */
    values[3] = values[2];
    rows row = {.values = values, .n = 1, .first = 5};
    return append_tagged(reader, &shape, &row, 2, err);
}

/* A run of elements of a binary file: type, number, number of tags each, rows. */
static mplan_status read_binary_run(gmsh_reader *reader, int64_t left, int64_t *n, mplan_error *err)
{
    int64_t head[3], values[STEP];
    gmsh_shape shape;
    const char *at = reader->scan.at;
    mplan_status status = mplan_gmsh_ints(reader, "the header of elements", 3, head, err);
    if (!status)
        status = find_shape(reader, at, head[0], &shape, err);
    if (!status)
        status = check_n_tags(reader, at + 8, head[2], err);
    if (!status && (head[1] < 1 || head[1] > left))
        status = mplan_gmsh_fail(reader, at + 4, err, MPLAN_ERR_CORRUPT,
                                 "%lld elements follow, but $Elements has only %lld left",
                                 (long long)head[1], (long long)left);
    *n = status ? 0 : head[1];
    for (int64_t i = 0; !status && i < *n; i++) {
        rows row = {.values = values,
                    .n = 1,
                    .first = (int32_t)(1 + head[2]),
                    .at = reader->scan.at,
                    .width = 4};
        status = mplan_gmsh_ints(reader, "an element", row.first + shape.n_read, values, err);
        if (!status)
            status = append_tagged(reader, &shape, &row, head[2], err);
    }
    return status;
}

/* Binary elements come in runs that share a head. */
static mplan_status read_elements_2(gmsh_reader *reader, mplan_error *err)
{
    int64_t total = 0;
    mplan_status status = mplan_gmsh_text_count(reader, "elements", &total, err);
    if (!status)
        status = mplan_gmsh_fits(reader, "elements", total, 4, 8, err);
    int64_t alone = 0,
            wait = 0; /* rows to be read one by one: twice as many after each try that was not worth it */
    for (int64_t i = 0, n = 1; !status && i < total; i += n) {
        if (!reader->binary && reader->version > 10 && alone-- == 0) {
            status = read_tagged_together(reader, total - i, &n, err);
            wait = n < MPLAN_ROWS_LEAST ? 2 * wait + 1 : 0;
            alone = wait;
            if (!status && n > 0)
                status = mplan_gmsh_pause(reader, err);
            if (status || n > 0)
                continue;
        }
        n = 1; /* read_binary_run says otherwise */
        status = reader->binary          ? read_binary_run(reader, total - i, &n, err)
                 : reader->version == 10 ? read_old_element(reader, err)
                                         : read_text_element(reader, err);
        if (!status && i / PAUSE_EVERY != (i + n) / PAUSE_EVERY)
            status = mplan_gmsh_pause(reader, err);
    }
    return status;
}

/* Behind the nodes: elements name them by tags. */
mplan_status mplan_gmsh_read_elements(gmsh_reader *reader, mplan_error *err)
{
    reader->has_elements = true;
    mplan_status status = reader->version < 40 ? read_elements_2(reader, err)
                                               : read_elements_4(reader, err);
    return status ? status
                  : mplan_gmsh_end_section(reader, reader->version == 10 ? "ELM" : "Elements", err);
}
