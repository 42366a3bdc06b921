/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_write.c - unstructured grids as VTK's XML files
 *
 * After VTK's documentation, "VTK XML File Formats": the data are behind the XML, each array
 * at the offset that its element names. An array is its length in bytes and these bytes; or,
 * compressed, the number of its blocks, the bytes of a block, those of the last where it is
 * shorter (else 0), the compressed length of each, then the blocks, each a zlib stream. All
 * lengths are u64. Offsets are before the data, so compressed data wait in memory. */
#include "formats/vtk/vtu_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/markup.h"
#include "base/memory.h"
#include "base/threads.h"
#include "formats/vtk/vtk.h"

#ifdef MPLAN_HAVE_ZLIB
#include <zlib.h>
#define COMPRESS true
#else
#define COMPRESS false
#endif

enum {
    BLOCK = 1 << 18, /* bytes that are compressed at once */
    POLYHEDRON = 42,
    LEVEL = 1 /* of zlib: within a tenth of the shortest, in a third of the time */
};

/* What an array of the file holds. */
typedef enum vtu_content {
    FIELD,
    POINTS,
    CONNECTIVITY,
    OFFSETS,
    TYPES,
    FACES,
    FACE_OFFSETS
} vtu_content;

/* An array of the file that is written.
 * bytes: before they are compressed, without lengths in front. offset: set when the places of all arrays before are
 * known. */
typedef struct vtu_array {
    vtu_content content;
    const mplan_vtu_field *field; /* of FIELD */
    const char *type;             /* VTK's word */
    int64_t bytes, offset;        /* in all; from where the data begin */
} vtu_array;

/* A VTU file that is being written.
 * shapes: VTK's order of nodes of each mplan_cell_type. buffer: `room` bytes, of which `used` wait. packed has a
 * slot of packed_slot() bytes for each block of the buffer, lengths what of it is used, 0 after a failure. blocks:
 * the lengths of the running array's blocks; stored: all arrays so far as they will be in the file. */
typedef struct writer {
    const mplan_vtu_grid *grid;
    mplan_output *output;
    const mplan_context *context;
    mplan_error *err;
    mplan_vtk_node_order shapes[MPLAN_N_CELL_TYPES];
    int64_t n_cells, n_nodes; /* entries of CONNECTIVITY */
    int64_t n_faces;          /* entries of FACES; 0: no polyhedra */
    bool wide;                /* indices need 64 bits */
    int32_t n_arrays;
    vtu_array *arrays;
    int64_t done, total; /* bytes, for progress */
    /* a buffer of whole blocks */
    uint8_t *buffer;
    size_t used, room;
    /* compressed: the blocks of the running array, then all arrays */
    uint8_t *packed;
    uint64_t *lengths;
    mplan_vector blocks, stored;
} writer;

/* --- the grid's cells ---------------------------------------------------------- */

/* How many nodes the file has of a cell: entries of -1 are left out, as is the middle of a
 * pyramid's base. */
static int64_t written_nodes(const writer *to, const mplan_vtu_cells *part, int64_t c,
                             const int32_t *nodes, int64_t n)
{
    if (part->types)
        return to->shapes[part->types[c]].n_nodes;
    int64_t valid = 0;
    for (int64_t k = 0; k < n; k++)
        valid += nodes[k] >= 0;
    return valid;
}

/* Sizes of all arrays, which raw files name before their data. Indices are written with 64 bits
 * where one of them may need it: connectivity's own length decides. */
static mplan_status count_cells(writer *to)
{
    for (int32_t p = 0; p < to->grid->n_parts; p++) {
        const mplan_vtu_cells *part = &to->grid->parts[p];
        int64_t cursor = 0, n, cut = 0;
        for (int64_t c = 0; c < part->n; c++) {
            const int32_t *nodes = mplan_vtu_cell_nodes(part, c, &cursor, &n);
            to->n_nodes += written_nodes(to, part, c, nodes, n);
            cut += part->types && part->types[c] == MPLAN_CELL_PYRAMID14;
            if (c % 1048576 == 0 && mplan_interrupted(to->context, to->err))
                return MPLAN_ERR_INTERRUPTED;
        }
        if (cut)
            mplan_warn(to->context,
                       "VTK has no pyramids of 14 nodes: %" PRId64 " are written without the "
                       "node in the centre of their base",
                       cut);
        to->n_cells += part->n;
        to->n_faces += part->face_starts ? part->face_starts[part->n] : 0;
    }
    to->wide = to->n_nodes > INT32_MAX;
    return MPLAN_OK;
}

/* --- bytes on their way -------------------------------------------------------- */

#ifdef MPLAN_HAVE_ZLIB

/* Blocks [begin, end) of the buffer; lengths[i]: compressed.
 * Block i is packed into slot i. A thread writes only to slots of its own blocks, so that the bytes do not depend on
 * how they are shared out. */
static void pack_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const writer *to = data;
    const size_t slot = compressBound(BLOCK);
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        size_t left = to->used - (size_t)i * BLOCK;
        uLongf length = (uLongf)slot;
        int code = compress2(to->packed + (size_t)i * slot, &length, to->buffer + (size_t)i * BLOCK,
                             (uLong)(left < BLOCK ? left : BLOCK), LEVEL);
        to->lengths[i] = code == Z_OK ? length : 0;
    }
}

/* Compresses what the buffer holds, by all threads, and appends the blocks to `stored` in their
 * order, their lengths to `blocks`. */
static mplan_status pack(writer *to)
{
    int64_t n = (int64_t)((to->used + BLOCK - 1) / BLOCK);
    const size_t slot = compressBound(BLOCK);
    mplan_for(mplan_team_of(to->context), n, 1, pack_blocks, to);
    for (int64_t i = 0; i < n; i++) {
        if (to->lengths[i] == 0)
            return mplan_fail(to->err, MPLAN_ERR_MEMORY, "out of memory while deflating");
        uint8_t *room = mplan_vector_reserve(&to->stored, (int64_t)to->lengths[i], to->err);
        if (!room || mplan_vector_push(&to->blocks, &to->lengths[i], to->err))
            return MPLAN_ERR_MEMORY;
        memcpy(room, to->packed + (size_t)i * slot, to->lengths[i]);
        to->stored.count += (int64_t)to->lengths[i];
    }
    return MPLAN_OK;
}

/* Room for one block that does not shrink. */
static size_t packed_slot(void)
{
    return compressBound(BLOCK);
}

#else

static mplan_status pack(writer *to)
{
    return mplan_output_write(to->output, to->buffer, to->used, to->err);
}

static size_t packed_slot(void)
{
    return 1;
}

#endif

/* The buffer is full or the array ends. What is in it is a number of whole blocks, but for the
 * array's end. */
static mplan_status flush(writer *to)
{
    mplan_status status = to->used ? pack(to) : MPLAN_OK;
    to->done += (int64_t)to->used;
    to->used = 0;
    mplan_progress(to->context, "write", to->done, to->total);
    return status ? status : mplan_interrupted(to->context, to->err);
}

/* Any number of bytes, in buffers that are whole blocks. */
static mplan_status put(writer *to, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size > to->room - to->used) {
        size_t part = to->room - to->used;
        memcpy(to->buffer + to->used, from, part);
        to->used = to->room;
        from += part;
        size -= part;
        mplan_status status = flush(to);
        if (status)
            return status;
    }
    memcpy(to->buffer + to->used, from, size);
    to->used += size;
    return MPLAN_OK;
}

/* 64 bits only where 32 do not suffice. */
static mplan_status put_index(writer *to, int64_t index)
{
    if (to->wide)
        return put(to, &index, sizeof index);
    int32_t narrow = (int32_t)index;
    return put(to, &narrow, sizeof narrow);
}

/* --- what the arrays hold -------------------------------------------------------- */

/* Points of two dimensions get a third of 0. */
static mplan_status put_points(writer *to)
{
    const mplan_vtu_grid *grid = to->grid;
    mplan_status status = MPLAN_OK;
    if (grid->dimension == 3)
        return put(to, grid->xyz, (size_t)grid->n_points * 3 * sizeof(double));
    for (int64_t p = 0; p < grid->n_points && !status; p++) {
        double at[3] = {grid->xyz[2 * p], grid->xyz[2 * p + 1], 0};
        status = put(to, at, sizeof at);
    }
    return status;
}

/* CONNECTIVITY, OFFSETS or TYPES of one part; *end counts the nodes of all parts.
 * Entries of -1 are left out; nodes of cells with types change from Gmsh's order to VTK's. */
static mplan_status put_cells(writer *to, const mplan_vtu_cells *part, vtu_content content,
                              int64_t *end)
{
    mplan_status status = MPLAN_OK;
    int64_t cursor = 0, n;
    for (int64_t c = 0; c < part->n && !status; c++) {
        const int32_t *nodes = mplan_vtu_cell_nodes(part, c, &cursor, &n);
        const mplan_vtk_node_order *shape = part->types ? &to->shapes[part->types[c]] : NULL;
        int64_t written = written_nodes(to, part, c, nodes, n);
        uint8_t code = part->face_starts ? POLYHEDRON
                       : shape           ? shape->code
                                         : mplan_vtu_code_by_nodes(written);
        *end += written;
        if (content == TYPES)
            status = put(to, &code, 1);
        else if (content == OFFSETS)
            status = put_index(to, *end);
        else
            for (int64_t k = 0; k < (shape ? written : n) && !status; k++) {
                int32_t node = nodes[shape ? shape->node[k] : k];
                if (node >= 0)
                    status = put_index(to, node);
            }
    }
    return status;
}

/* FACES or FACE_OFFSETS of one part; *end counts the numbers of all parts. Cells of other parts
 * have -1. */
static mplan_status put_faces(writer *to, const mplan_vtu_cells *part, vtu_content content,
                              int64_t *end)
{
    static const int64_t none = -1;
    mplan_status status = MPLAN_OK;
    const int64_t first = *end, n = part->face_starts ? part->face_starts[part->n] : 0;
    *end += n;
    for (int64_t i = 0; content == FACES && i < n && !status; i++) {
        int64_t number = part->faces[i];
        status = put(to, &number, sizeof number);
    }
    for (int64_t c = 0; content == FACE_OFFSETS && c < part->n && !status; c++) {
        int64_t offset = part->face_starts ? first + part->face_starts[c + 1] : none;
        status = put(to, &offset, sizeof offset);
    }
    return status;
}

/* A field by its data, or by the members where it is 1: ascending marks, or n_marks cells from
 * field->first on. */
static mplan_status put_field(writer *to, const mplan_vtu_field *field)
{
    int64_t n = field->of_points ? to->grid->n_points : to->n_cells;
    if (field->data)
        return put(to, field->data, (size_t)n * mplan_type_size(field->type));
    mplan_status status = MPLAN_OK;
    int64_t next = 0;
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t marked = next == field->n_marks ? -1
                         : field->marks         ? field->first + field->marks[next]
                                                : field->first + next;
        uint8_t mark = i == marked;
        next += mark;
        status = put(to, &mark, 1);
    }
    return status;
}

/* All parts, one behind the other.
 * The buffer is empty before and after, since an array begins with a block of its own. */
static mplan_status put_content(writer *to, const vtu_array *array)
{
    mplan_status status = MPLAN_OK;
    int64_t end = 0;
    if (array->content == FIELD)
        status = put_field(to, array->field);
    else if (array->content == POINTS)
        status = put_points(to);
    else
        for (int32_t p = 0; p < to->grid->n_parts && !status; p++)
            status = array->content >= FACES
                         ? put_faces(to, &to->grid->parts[p], array->content, &end)
                         : put_cells(to, &to->grid->parts[p], array->content, &end);
    return status ? status : flush(to);
}

/* --- the list of arrays ------------------------------------------------------------ */

/* VTK's name of a type. */
static const char *word_of(mplan_type type)
{
    switch (type) {
    case MPLAN_TYPE_U8: return "UInt8";
    case MPLAN_TYPE_U16: return "UInt16";
    case MPLAN_TYPE_I32: return "Int32";
    case MPLAN_TYPE_I64: return "Int64";
    case MPLAN_TYPE_F32: return "Float32";
    default: return "Float64";
    }
}

/* Notes an array and its bytes; arrays has room for all there may be. */
static void list_array(writer *to, vtu_content content, const mplan_vtu_field *field,
                       const char *type, int64_t bytes)
{
    to->arrays[to->n_arrays++] = (vtu_array){content, field, type, bytes, 0};
    to->total += bytes;
}

/* In the order of the file: point fields, cell fields, points, cells. */
static mplan_status list_arrays(writer *to)
{
    const mplan_vtu_grid *grid = to->grid;
    to->arrays = mplan_alloc(grid->n_fields + 6, sizeof *to->arrays, to->err);
    if (!to->arrays)
        return MPLAN_ERR_MEMORY;
    for (int32_t pass = 0; pass < 2; pass++)
        for (int32_t f = 0; f < grid->n_fields; f++) {
            const mplan_vtu_field *field = &grid->fields[f];
            mplan_type type = field->data ? field->type : MPLAN_TYPE_U8;
            int64_t n = field->of_points ? grid->n_points : to->n_cells;
            if (field->of_points == (pass == 0))
                list_array(to, FIELD, field, word_of(type), n * (int64_t)mplan_type_size(type));
        }
    const char *index = to->wide ? "Int64" : "Int32";
    const int64_t size = to->wide ? 8 : 4;
    list_array(to, POINTS, NULL, "Float64", grid->n_points * 3 * (int64_t)sizeof(double));
    list_array(to, CONNECTIVITY, NULL, index, to->n_nodes * size);
    list_array(to, OFFSETS, NULL, index, to->n_cells * size);
    list_array(to, TYPES, NULL, "UInt8", to->n_cells);
    if (to->n_faces > 0) {
        list_array(to, FACES, NULL, "Int64", to->n_faces * 8);
        list_array(to, FACE_OFFSETS, NULL, "Int64", to->n_cells * 8);
    }
    return MPLAN_OK;
}

/* --- the file ------------------------------------------------------------------------ */

/* Marks of a group whose name means something else to readers: tags, ghosts, or what is VTK's own. An attribute, which
 * other programs skip, says that they are a group. */
static bool is_hidden_group(const mplan_vtu_field *field)
{
    return field && !field->data &&
           (mplan_vtk_tag_rank(NULL, field->name) >= 0 || strncmp(field->name, "vtk", 3) == 0);
}

/* The head of an array: type, name, where its data begin. */
static mplan_status print_array(writer *to, const vtu_array *array)
{
    static const char *const names[] = {NULL,    "Points", "connectivity", "offsets",
                                        "types", "faces",  "faceoffsets"};
    char *own = array->field ? mplan_markup(array->field->name, to->err) : NULL;
    if (array->field && !own)
        return MPLAN_ERR_MEMORY;
    mplan_status status =
        mplan_output_print(to->output, to->err,
                           "        <DataArray type=\"%s\" Name=\"%s\"%s%s format=\"appended\" "
                           "offset=\"%" PRId64 "\"/>\n",
                           array->type, own ? own : names[array->content],
                           array->content == POINTS ? " NumberOfComponents=\"3\"" : "",
                           is_hidden_group(array->field) ? " meshplan=\"group\"" : "", array->offset);
    free(own);
    return status;
}

/* The elements of one parent; `from` counts on.
 * belongs: whether an array is this parent's; *from moves behind the last of them. */
static mplan_status print_parent(writer *to, const char *parent, int32_t *from,
                                 bool (*belongs)(const vtu_array *array))
{
    mplan_status status = mplan_output_print(to->output, to->err, "      <%s>\n", parent);
    while (!status && *from < to->n_arrays && belongs(&to->arrays[*from]))
        status = print_array(to, &to->arrays[(*from)++]);
    return status ? status : mplan_output_print(to->output, to->err, "      </%s>\n", parent);
}

/* Arrays are in the order of these four parents. */
static bool of_points(const vtu_array *array)
{
    return array->content == FIELD && array->field->of_points;
}

static bool of_cells(const vtu_array *array)
{
    return array->content == FIELD && !array->field->of_points;
}

static bool is_points(const vtu_array *array)
{
    return array->content == POINTS;
}

static bool is_cells(const vtu_array *array)
{
    return array->content > POINTS;
}

/* The XML up to the underscore behind which the data begin. */
static mplan_status print_head(writer *to)
{
    int32_t from = 0;
    mplan_status status =
        mplan_output_print(to->output, to->err,
                           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<VTKFile type=\"UnstructuredGrid\" "
                           "version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"%s>\n"
                           "  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"%" PRId64
                           "\" NumberOfCells=\"%" PRId64 "\">\n",
                           COMPRESS ? " compressor=\"vtkZLibDataCompressor\"" : "",
                           to->grid->n_points, to->n_cells);
    if (!status)
        status = print_parent(to, "PointData", &from, of_points);
    if (!status)
        status = print_parent(to, "CellData", &from, of_cells);
    if (!status)
        status = print_parent(to, "Points", &from, is_points);
    if (!status)
        status = print_parent(to, "Cells", &from, is_cells);
    return status ? status
                  : mplan_output_print(to->output, to->err,
                                       "    </Piece>\n  </UnstructuredGrid>\n"
                                       "  <AppendedData encoding=\"raw\">\n_");
}

/* Behind the data: a line end that belongs to none of them. */
static mplan_status print_end(writer *to)
{
    return mplan_output_print(to->output, to->err, "\n  </AppendedData>\n</VTKFile>\n");
}

/* Heads name offsets, data follow behind '_'. */
static mplan_status write_raw(writer *to)
{
    int64_t offset = 0;
    for (int32_t a = 0; a < to->n_arrays; a++) {
        to->arrays[a].offset = offset;
        offset += to->arrays[a].bytes + 8;
    }
    mplan_status status = print_head(to);
    for (int32_t a = 0; a < to->n_arrays && !status; a++) {
        uint64_t bytes = (uint64_t)to->arrays[a].bytes;
        status = mplan_output_write(to->output, &bytes, sizeof bytes, to->err);
        if (!status)
            status = put_content(to, &to->arrays[a]);
    }
    return status ? status : print_end(to);
}

/* Packs one array behind `stored`, its head of lengths before it.
 * The head is filled in last: number of blocks, bytes of a block, bytes of a shorter last one (else 0), then the
 * compressed length of each. */
static mplan_status pack_array(writer *to, vtu_array *array)
{
    int64_t n = (array->bytes + BLOCK - 1) / BLOCK, head = 8 * (3 + n);
    array->offset = to->stored.count;
    if (!mplan_vector_reserve(&to->stored, head, to->err))
        return MPLAN_ERR_MEMORY;
    to->stored.count += head;
    to->blocks.count = 0;
    mplan_status status = put_content(to, array);
    if (status)
        return status;
    uint64_t first[3] = {(uint64_t)n, BLOCK, (uint64_t)(array->bytes % BLOCK)};
    uint8_t *at = (uint8_t *)to->stored.data + array->offset;
    memcpy(at, first, sizeof first);
    memcpy(at + sizeof first, to->blocks.data ? to->blocks.data : "", 8 * (size_t)n);
    return MPLAN_OK;
}

/* Data are packed first, since heads name offsets in the packed bytes. */
static mplan_status write_packed(writer *to)
{
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < to->n_arrays && !status; a++)
        status = pack_array(to, &to->arrays[a]);
    if (!status)
        status = print_head(to);
    if (!status)
        status = mplan_output_write(to->output, to->stored.data, (size_t)to->stored.count, to->err);
    return status ? status : print_end(to);
}

/* Some blocks for each thread. Released by the caller, also after a failure. */
static mplan_status make_buffers(writer *to)
{
    int64_t n = COMPRESS ? 4 * mplan_team_threads(mplan_team_of(to->context)) : 4;
    to->room = (size_t)n * BLOCK;
    to->buffer = mplan_alloc((int64_t)to->room, 1, to->err);
    to->packed = mplan_alloc(n, packed_slot(), to->err);
    to->lengths = mplan_alloc(n, sizeof *to->lengths, to->err);
    return to->buffer && to->packed && to->lengths ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Compressed where zlib is; the bytes do not depend on the number of threads. */
mplan_status mplan_vtu_write_grid(const mplan_vtu_grid *grid, mplan_output *output,
                                  const mplan_context *context, mplan_error *err)
{
    mplan_threaded threaded;
    context = mplan_threaded_open(context, &threaded);
    writer to = {.grid = grid,
                 .output = output,
                 .context = context,
                 .err = err,
                 .blocks = MPLAN_VECTOR_INIT(8),
                 .stored = MPLAN_VECTOR_INIT(1)};
    for (int32_t t = 0; t < MPLAN_N_CELL_TYPES; t++)
        mplan_vtk_shape_of((mplan_cell_type)t, &to.shapes[t]);
    mplan_status status = count_cells(&to);
    if (!status)
        status = list_arrays(&to);
    if (!status)
        status = make_buffers(&to);
    if (!status)
        status = COMPRESS ? write_packed(&to) : write_raw(&to);
    free(to.arrays);
    free(to.buffer);
    free(to.packed);
    free(to.lengths);
    free(to.blocks.data);
    free(to.stored.data);
    mplan_threaded_close(&threaded);
    return status;
}
