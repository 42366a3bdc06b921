/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_xml.c - finds the arrays of a VTK XML file by expat
 *
 * expat sees the markup and the text between it, but not the numbers: what is in a DataArray or in
 * AppendedData is skipped, so that raw bytes, which are not XML, never reach it, and gigabytes of
 * numbers are walked through once, by the reader of arrays. Therefore the markup is cut here into
 * pieces that end at the end of a tag; expat judges all else about it. */
#ifdef MPLAN_HAVE_EXPAT
#include "formats/vtk/vtk_join.h"
#include "formats/vtk/vtu.h"

#include <expat.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/scan.h"
#include "formats/vtk/vtk.h"

enum { MOST_TAG = MPLAN_VTU_MOST_TAG, MOST_DEPTH = 64, MOST_PIECES = 1 << 20 };

typedef enum where {
    AT_TOP,
    IN_FILE,
    IN_GRID,
    IN_PIECE,
    IN_POINTS,
    IN_CELLS,
    IN_CELL_DATA,
    IN_POINT_DATA,
    IN_SECTION, /* the first of MPLAN_VTU_N_SECTIONS */
    IN_ARRAY = IN_SECTION + MPLAN_VTU_N_SECTIONS,
    IN_APPENDED,
    ELSEWHERE /* fields: skipped */
} where;

/* clang-format off */
const char *const mplan_vtu_array_names[MPLAN_VTU_N_ARRAYS] = {
    "points",      "connectivity",      "offsets",      "types",
    "faces",       "faceoffsets",       "face_connectivity", "face_offsets",
    "polyhedron_to_faces", "polyhedron_offsets",
    "connectivity", "offsets", "connectivity", "offsets", "connectivity", "offsets", "connectivity", "offsets"};

/* Elements of PolyData and the counts of their cells. */
static const char *const sections[MPLAN_VTU_N_SECTIONS] = {"Verts", "Lines", "Polys", "Strips"};
static const char *const counts[MPLAN_VTU_N_SECTIONS] = {
    "NumberOfVerts", "NumberOfLines", "NumberOfPolys", "NumberOfStrips"};
/* clang-format on */

/* The XML of a VTU file while it is parsed; stack: which elements are open. */
typedef struct vtu_walk {
    mplan_vtu_file *file;
    XML_Parser parser;
    mplan_error *err;
    mplan_status status;
    const char *tag; /* the tag that expat is given */
    int32_t depth;
    where stack[MOST_DEPTH];
    mplan_vtu_array *array; /* that whose element is open, or NULL */
    bool has_file, has_grid;
    bool raw; /* AppendedData with raw bytes has begun */
    mplan_vtu_coding appended_coding;
    const char *appended, *appended_end; /* behind the underscore; NULL: none */
} vtu_walk;

/* Line of the place in the file. */
mplan_status mplan_vtu_fail(const mplan_vtu_file *file, const char *at, mplan_error *err,
                            mplan_status status, const char *format, ...)
{
    char message[400];
    int64_t line = 1;
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    for (const char *c = file->begin; c < at && (c = memchr(c, '\n', (size_t)(at - c))) != NULL; c++)
        line++;
    return mplan_fail(err, status, "%s:%lld: %s", file->path, (long long)line, message);
}

/* Fails where the tag at hand begins, and has expat stop. */
#define fail_tag(walk_, status_, ...) \
    stop((walk_), mplan_vtu_fail((walk_)->file, (walk_)->tag, (walk_)->err, (status_), __VA_ARGS__))

/* The first failure counts; expat calls nothing afterwards. */
static void stop(vtu_walk *walk, mplan_status status)
{
    if (walk->status)
        return;
    walk->status = status;
    XML_StopParser(walk->parser, XML_FALSE);
}

/* --- attributes ------------------------------------------------------------------- */

/* Value of the attribute, NULL if there is none. */
static const char *find(const XML_Char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* A count of at least 0; `missing` where there is none, -1: it has to be there. 0 after a
 * failure. */
static int64_t count_of(vtu_walk *walk, const XML_Char **attributes, const char *name, int64_t missing)
{
    int64_t value = missing;
    const char *text = find(attributes, name);
    const char *end = text;
    if (text) {
        while (*text == ' ')
            text++;
        end = text + strlen(text);
        while (end > text && end[-1] == ' ')
            end--;
    }
    if (!text && missing < 0)
        fail_tag(walk, MPLAN_ERR_CORRUPT, "there is no %s", name);
    else if (text && (mplan_parse_i64(text, end, &value) != (size_t)(end - text) || value < 0))
        fail_tag(walk, MPLAN_ERR_CORRUPT, "%s is '%.40s'", name, text);
    return value < 0 ? 0 : value;
}

/* One of VTK's ten types. */
static void take_type(vtu_walk *walk, const XML_Char **attributes, mplan_vtu_type *type)
{
    static const char *const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    const char *name = find(attributes, "type");
    for (size_t t = 0; name && t < sizeof names / sizeof *names; t++)
        if (strcmp(name, names[t]) == 0) {
            *type = (mplan_vtu_type)t;
            return;
        }
    fail_tag(walk, MPLAN_ERR_CORRUPT, "'%.40s' is not a number type", name ? name : "");
}

/* --- elements --------------------------------------------------------------------- */

/* None, zlib, LZMA or LZ4, as far as this build has them. name may be NULL or empty: none. */
static void take_compressor(vtu_walk *walk, const char *name)
{
    if (!name || !*name)
        return;
    if (strcmp(name, "vtkZLibDataCompressor") == 0)
        walk->file->compressor = MPLAN_VTU_ZLIB;
    else if (strcmp(name, "vtkLZMADataCompressor") == 0)
        walk->file->compressor = MPLAN_VTU_LZMA;
    else if (strcmp(name, "vtkLZ4DataCompressor") == 0)
        walk->file->compressor = MPLAN_VTU_LZ4;
    else
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "the compressor %.40s is not supported", name);
#ifndef MPLAN_HAVE_ZLIB
    if (walk->file->compressor == MPLAN_VTU_ZLIB)
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "the compressor %s needs a build with zlib", name);
#endif
#ifndef MPLAN_HAVE_LZMA
    if (walk->file->compressor == MPLAN_VTU_LZMA)
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "the compressor %s needs a build with liblzma", name);
#endif
#ifndef MPLAN_HAVE_LZ4
    if (walk->file->compressor == MPLAN_VTU_LZ4)
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "the compressor %s needs a build with liblz4", name);
#endif
}

/* Names of types that are read, and of the element below VTKFile, by mplan_vtu_kind. */
static const char *const kinds[] = {"UnstructuredGrid", "PolyData", "PUnstructuredGrid"};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Version, byte order, width of headers. */
static where open_file(vtu_walk *walk, const XML_Char **attributes)
{
    const char *type = find(attributes, "type"), *order = find(attributes, "byte_order");
    const char *header = find(attributes, "header_type");
    int64_t version = 0;
    bool known = false;
    const char *text = find(attributes, "version");
    walk->has_file = true;
    for (int k = 0; type && k < N_KINDS; k++)
        if (strcmp(type, kinds[k]) == 0) {
            walk->file->kind = (mplan_vtu_kind)k;
            known = true;
        }
    if (!known)
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED,
                 "a VTK XML file of type %.40s is not supported; only UnstructuredGrid, PolyData and "
                 "PUnstructuredGrid are",
                 type ? type : "(none)");
    if (text && mplan_parse_i64(text, text + strlen(text), &version) && version > 2)
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "version %.20s of the format is unknown", text);
    if (order && strcmp(order, "BigEndian") == 0)
        walk->file->big_endian = true;
    else if (order && strcmp(order, "LittleEndian") != 0)
        fail_tag(walk, MPLAN_ERR_CORRUPT, "byte_order is '%.40s'", order);
    walk->file->header_bytes = header && strcmp(header, "UInt64") == 0 ? 8 : 4;
    if (header && strcmp(header, "UInt64") != 0 && strcmp(header, "UInt32") != 0)
        fail_tag(walk, MPLAN_ERR_CORRUPT, "header_type is '%.40s'", header);
    take_compressor(walk, find(attributes, "compressor"));
    return IN_FILE;
}

/* A piece that is a file of its own. */
static where open_source(vtu_walk *walk, const XML_Char **attributes)
{
    const char *name = find(attributes, "Source");
    char *source = name ? mplan_strdup(name, walk->err) : NULL;
    if (!name)
        fail_tag(walk, MPLAN_ERR_CORRUPT, "there is no Source");
    else if (walk->file->sources.count == MOST_PIECES)
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "more than %d pieces", MOST_PIECES);
    else if (!source || mplan_vector_push(&walk->file->sources, &source, walk->err) != MPLAN_OK)
        stop(walk, MPLAN_ERR_MEMORY);
    else
        return ELSEWHERE;
    free(source);
    return ELSEWHERE;
}

/* PolyData counts cells by sections; those that are not named have none. */
static void count_sections(vtu_walk *walk, const XML_Char **attributes, mplan_vtu_piece *piece)
{
    for (int s = 0; s < MPLAN_VTU_N_SECTIONS; s++) {
        piece->n_of[s] = count_of(walk, attributes, counts[s], 0);
        if (piece->n_of[s] > INT32_MAX)
            fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "%s exceeds 32 bits", counts[s]);
        piece->n_cells += piece->n_of[s];
    }
}

/* Counts are compared with the data later. */
static where open_piece(vtu_walk *walk, const XML_Char **attributes)
{
    mplan_vtu_piece piece = {0};
    if (walk->file->kind == MPLAN_VTU_PARALLEL)
        return open_source(walk, attributes);
    piece.n_points = count_of(walk, attributes, "NumberOfPoints", -1);
    if (walk->file->kind == MPLAN_VTU_POLYDATA)
        count_sections(walk, attributes, &piece);
    else
        piece.n_cells = count_of(walk, attributes, "NumberOfCells", -1);
    if (walk->file->pieces.count == MOST_PIECES)
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "more than %d pieces", MOST_PIECES);
    if (!walk->status && mplan_vector_push(&walk->file->pieces, &piece, walk->err) != MPLAN_OK)
        stop(walk, MPLAN_ERR_MEMORY);
    return IN_PIECE;
}

/* Which array of the piece a DataArray is; -1: none that matters. */
static int32_t array_index(where parent, const XML_Char **attributes)
{
    const char *name = find(attributes, "Name");
    if (parent == IN_POINTS)
        return MPLAN_VTU_POINTS;
    if (parent == IN_CELLS && name)
        for (int32_t i = MPLAN_VTU_CONNECTIVITY; i < MPLAN_VTU_SECTIONS; i++)
            if (strcmp(name, mplan_vtu_array_names[i]) == 0)
                return i;
    if (parent >= IN_SECTION && parent < IN_ARRAY && name)
        for (int32_t i = 0; i < 2; i++)
            if (strcmp(name, mplan_vtu_array_names[MPLAN_VTU_SECTIONS + i]) == 0)
                return MPLAN_VTU_SECTIONS + 2 * (int32_t)(parent - IN_SECTION) + i;
    return -1;
}

/* Whether data may be groups: tags of cells by name, or marks, which VTK's own begin with its name. */
static bool may_be_groups(const mplan_vtu_file *file, const char *name, const char *type,
                          int64_t components, bool of_points, bool marks)
{
    if (!name || !type || strlen(name) >= sizeof((mplan_vtu_data *)0)->name || components != 1)
        return false;
    if (marks)
        return strcmp(type, "UInt8") == 0;
    if (!of_points && mplan_vtk_tag_rank(file->group_array, name) >= 0)
        return true;
    if (!of_points && file->ghosts && mplan_vtk_tells_ghosts(name))
        return true;
    return strcmp(type, "UInt8") == 0 && strncmp(name, "vtk", 3) != 0 && *name;
}

/* Room for an array of CellData or PointData; NULL when it is none that matters. The pointer holds until the
 * next array is added, which is not before this one's element ends. */
static mplan_vtu_array *add_data(vtu_walk *walk, const XML_Char **attributes, bool of_points)
{
    mplan_vtu_data data = {.piece = walk->file->pieces.count - 1, .of_points = of_points};
    const char *name = find(attributes, "Name"), *ours = find(attributes, "meshplan");
    const char *asked = walk->file->group_array;
    data.marks = name && ours && strcmp(ours, "group") == 0 && !(asked && strcmp(asked, name) == 0);
    if (!may_be_groups(walk->file, name, find(attributes, "type"),
                       count_of(walk, attributes, "NumberOfComponents", 1), of_points, data.marks))
        return NULL;
    snprintf(data.name, sizeof data.name, "%s", name);
    if (mplan_vector_push(&walk->file->data, &data, walk->err) != MPLAN_OK) {
        stop(walk, MPLAN_ERR_MEMORY);
        return NULL;
    }
    return &((mplan_vtu_data *)walk->file->data.data)[walk->file->data.count - 1].array;
}

/* NULL for arrays that are not needed. */
static mplan_vtu_array *array_of_piece(vtu_walk *walk, where parent, const XML_Char **attributes)
{
    int32_t index = array_index(parent, attributes);
    if (index < 0)
        return NULL;
    mplan_vtu_piece *pieces = walk->file->pieces.data;
    mplan_vtu_array *array = &pieces[walk->file->pieces.count - 1].arrays[index];
    if (array->tag)
        fail_tag(walk, MPLAN_ERR_CORRUPT, "a second array of %s", mplan_vtu_array_names[index]);
    return array;
}

/* The array's form: text, base64, raw or appended. */
static where open_array(vtu_walk *walk, where parent, const XML_Char **attributes)
{
    const bool data = parent == IN_CELL_DATA || parent == IN_POINT_DATA;
    mplan_vtu_array *array = data ? add_data(walk, attributes, parent == IN_POINT_DATA)
                                  : array_of_piece(walk, parent, attributes);
    const char *format = find(attributes, "format");
    if (!array)
        return IN_ARRAY;
    array->tag = walk->tag;
    take_type(walk, attributes, &array->type);
    array->components = count_of(walk, attributes, "NumberOfComponents", 1);
    if (!format || strcmp(format, "ascii") == 0)
        array->coding = MPLAN_VTU_TEXT;
    else if (strcmp(format, "binary") == 0)
        array->coding = MPLAN_VTU_BASE64;
    else if (strcmp(format, "appended") == 0)
        array->appended = true;
    else
        fail_tag(walk, MPLAN_ERR_CORRUPT, "format is '%.40s'", format);
    if (array->appended)
        array->offset = count_of(walk, attributes, "offset", -1);
    else
        walk->array = array;
    return IN_ARRAY;
}

/* Raw bytes are not XML: they are kept from the parser. */
static where open_appended(vtu_walk *walk, const XML_Char **attributes)
{
    const char *encoding = find(attributes, "encoding");
    if (walk->appended)
        fail_tag(walk, MPLAN_ERR_CORRUPT, "a second AppendedData");
    walk->raw = encoding && strcmp(encoding, "raw") == 0;
    walk->appended_coding = walk->raw ? MPLAN_VTU_RAW : MPLAN_VTU_BASE64;
    if (encoding && !walk->raw && strcmp(encoding, "base64") != 0)
        fail_tag(walk, MPLAN_ERR_CORRUPT, "encoding is '%.40s'", encoding);
    return IN_APPENDED;
}

/* Which element the name is below `parent`; others are skipped with what they hold: below
 * ELSEWHERE everything is ELSEWHERE, but for arrays, which are kept from expat. */
static where enter(vtu_walk *walk, where parent, const char *name, const XML_Char **attributes)
{
    if (parent == AT_TOP) {
        if (strcmp(name, "VTKFile") == 0)
            return open_file(walk, attributes);
        fail_tag(walk, MPLAN_ERR_CORRUPT, "expected VTKFile, found '%.40s'", name);
    }
    if (parent == IN_FILE && strcmp(name, kinds[walk->file->kind]) == 0) {
        walk->has_grid = true;
        return IN_GRID;
    }
    if (parent == IN_FILE && strcmp(name, "AppendedData") == 0)
        return open_appended(walk, attributes);
    if (parent == IN_GRID && strcmp(name, "Piece") == 0)
        return open_piece(walk, attributes);
    if (parent == IN_PIECE && strcmp(name, "Points") == 0)
        return IN_POINTS;
    if (parent == IN_PIECE && strcmp(name, "Cells") == 0)
        return IN_CELLS;
    if (parent == IN_PIECE && strcmp(name, "CellData") == 0)
        return IN_CELL_DATA;
    if (parent == IN_PIECE && strcmp(name, "PointData") == 0)
        return IN_POINT_DATA;
    for (int s = 0; s < MPLAN_VTU_N_SECTIONS && parent == IN_PIECE; s++)
        if (walk->file->kind == MPLAN_VTU_POLYDATA && strcmp(name, sections[s]) == 0)
            return (where)(IN_SECTION + s);
    if (strcmp(name, "DataArray") == 0)
        return open_array(walk, parent, attributes);
    return strcmp(name, "Array") == 0 ? IN_ARRAY : ELSEWHERE;
}

/* expat's callback: walk->stack[walk->depth] is the innermost open element. */
static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    vtu_walk *walk = user;
    if (walk->status)
        return;
    if (walk->depth + 1 == MOST_DEPTH) {
        fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "elements are more than %d deep", MOST_DEPTH - 1);
        return;
    }
    where at = enter(walk, walk->stack[walk->depth], name, attributes);
    walk->stack[++walk->depth] = at;
}

/* expat pairs the tags, so that depth is above 0 here. */
static void XMLCALL on_end(void *user, const XML_Char *name)
{
    vtu_walk *walk = user;
    (void)name;
    if (walk->status)
        return;
    if (walk->stack[walk->depth] == IN_ARRAY)
        walk->array = NULL;
    walk->depth--;
}

/* Entities could make much of little: no VTK file declares any. */
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_subset)
{
    vtu_walk *walk = user;
    (void)name, (void)system_id, (void)public_id, (void)has_subset;
    fail_tag(walk, MPLAN_ERR_UNSUPPORTED, "a document type declaration is not supported");
}

/* --- the walk through the file ------------------------------------------------------ */

/* length bytes at `at`, whole tags or text between them; last: nothing follows. */
static mplan_status feed(vtu_walk *walk, const char *at, size_t length, bool last)
{
    walk->tag = at;
    if (XML_Parse(walk->parser, at, (int)length, last) == XML_STATUS_ERROR && !walk->status) {
        enum XML_Error code = XML_GetErrorCode(walk->parser);
        if (code == XML_ERROR_NO_MEMORY)
            walk->status = mplan_fail(walk->err, MPLAN_ERR_MEMORY, "out of memory (in expat)");
        else
            walk->status = mplan_vtu_fail(walk->file, at, walk->err, MPLAN_ERR_CORRUPT,
                                          "not well-formed XML: %s", XML_ErrorString(code));
    }
    return walk->status;
}

/* XML's four kinds. */
static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* Data begin behind the underscore. [at, end): the text of the element, or with raw bytes the
 * rest of the file. */
static mplan_status begin_appended(vtu_walk *walk, const char *at, const char *end)
{
    at = skip_blanks(at, end);
    if (at == end && walk->appended)
        return MPLAN_OK;
    if (at == end || *at != '_' || walk->appended)
        return mplan_vtu_fail(walk->file, at, walk->err, MPLAN_ERR_CORRUPT,
                              walk->appended ? "AppendedData must be one part"
                                             : "AppendedData does not begin with '_'");
    walk->appended = at + 1;
    walk->appended_end = end;
    return MPLAN_OK;
}

/* Text between two tags: that of an array is noted by its place, that of others given to expat,
 * which finds what no text may hold. */
static mplan_status take_text(vtu_walk *walk, const char *at, const char *end)
{
    where in = walk->stack[walk->depth];
    if (in == IN_APPENDED)
        return begin_appended(walk, at, end);
    if (in == IN_ARRAY) {
        const char *begin = walk->array ? skip_blanks(at, end) : end;
        if (begin == end)
            return MPLAN_OK;
        if (walk->array->begin)
            return mplan_vtu_fail(walk->file, begin, walk->err, MPLAN_ERR_UNSUPPORTED,
                                  "the numbers of an array must be one part");
        walk->array->begin = begin;
        walk->array->end = end;
        return MPLAN_OK;
    }
    while (at < end && !walk->status) {
        size_t length = end - at < MOST_TAG ? (size_t)(end - at) : MOST_TAG;
        feed(walk, at, length, false);
        at += length;
    }
    return walk->status;
}

/* Tag by tag, so that each failure has its line and appended data never reach
 * the parser. */
static mplan_status walk_file(vtu_walk *walk)
{
    const char *at = walk->file->begin, *end = walk->file->end;
    mplan_status status = MPLAN_OK;
    while (at < end && !status) {
        const char *next = *at == '<' ? mplan_vtu_tag_end(at, end)
                                      : memchr(at, '<', (size_t)(end - at));
        if (*at == '<') {
            if (!next)
                return mplan_vtu_fail(walk->file, at, walk->err, MPLAN_ERR_CORRUPT,
                                      "a tag has no end");
            if (walk->stack[walk->depth] == IN_ARRAY && walk->array &&
                mplan_vtu_starts(at, end, "<![CDATA["))
                return mplan_vtu_fail(walk->file, at, walk->err, MPLAN_ERR_UNSUPPORTED,
                                      "the numbers of an array must not be in a CDATA section");
            status = feed(walk, at, (size_t)(next - at), false);
            if (!status && walk->raw)
                return begin_appended(walk, next, end);
        } else {
            next = next ? next : end;
            status = take_text(walk, at, next);
        }
        at = next;
        if (!status)
            status = mplan_interrupted(walk->file->context, walk->err);
    }
    return !status ? feed(walk, end, 0, true) : status;
}

/* Appended arrays know their offset only; the data may come later in the file. */
static mplan_status place_array(vtu_walk *walk, mplan_vtu_array *array, const char *name)
{
    if (!array->appended)
        return MPLAN_OK;
    if (!walk->appended)
        return mplan_vtu_fail(walk->file, array->tag, walk->err, MPLAN_ERR_CORRUPT,
                              "the array %s is appended, but there is no AppendedData", name);
    if (array->offset > walk->appended_end - walk->appended)
        return mplan_vtu_fail(walk->file, array->tag, walk->err, MPLAN_ERR_CORRUPT,
                              "the array %s begins after the end of the file", name);
    array->coding = walk->appended_coding;
    array->begin = walk->appended + array->offset;
    array->end = walk->appended_end;
    return MPLAN_OK;
}

/* Where the arrays in AppendedData are. */
static mplan_status place_appended(vtu_walk *walk)
{
    mplan_vtu_piece *pieces = walk->file->pieces.data;
    mplan_vtu_data *data = walk->file->data.data;
    mplan_status status = MPLAN_OK;
    for (int64_t p = 0; p < walk->file->pieces.count; p++)
        for (int32_t i = 0; i < MPLAN_VTU_N_ARRAYS && !status; i++)
            status = place_array(walk, &pieces[p].arrays[i], mplan_vtu_array_names[i]);
    for (int64_t i = 0; i < walk->file->data.count && !status; i++)
        status = place_array(walk, &data[i].array, data[i].name);
    return status;
}

/* What expat mixes into the hashes of names, not 0. Left to itself it may ask libc for it, and glibc ends the program
 * when the system has no random bytes. */
static unsigned long hash_salt(const void *place)
{
    unsigned long salt = 0;
    if (getrandom(&salt, sizeof salt, 0) != sizeof salt)
        salt = (unsigned long)(uintptr_t)place ^ (unsigned long)getpid() << 20;
    return salt | 1;
}

/* Every array's place and form; no number is read yet. */
mplan_status mplan_vtu_find(mplan_vtu_file *file, mplan_error *err)
{
    vtu_walk walk = {.file = file, .err = err};
    walk.parser = XML_ParserCreate(NULL);
    if (!walk.parser)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (in expat)");
    XML_SetHashSalt(walk.parser, hash_salt(&walk));
    XML_SetUserData(walk.parser, &walk);
    XML_SetElementHandler(walk.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(walk.parser, on_doctype);
    mplan_status status = walk_file(&walk);
    XML_ParserFree(walk.parser);
    if (!status)
        status = place_appended(&walk);
    if (!status && !walk.has_grid)
        status = mplan_vtu_fail(file, file->begin, err, MPLAN_ERR_CORRUPT, "there is no element %s",
                                kinds[file->kind]);
    return status;
}
#else
typedef int mplan_vtu_xml_needs_expat; /* a file holds something */
#endif
