/* SPDX-License-Identifier: Apache-2.0 */
/* xdmf_markup.c - the grids of an XDMF file by expat, with the text of their items */
#include "formats/vtk/xdmf.h"

#include "base/error.h"

#ifdef MPLAN_HAVE_EXPAT
#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/scan.h"

enum { MOST_DEPTH = 64, MOST_PIECE = 1 << 24 };

/* Where the parser is. */
typedef enum where { ELSEWHERE, IN_GRID, IN_TOPOLOGY, IN_GEOMETRY, IN_ATTRIBUTE, IN_ITEM } where;

/* The walk over the markup. */
typedef struct xdmf_walk {
    mplan_xdmf *file;
    XML_Parser parser;
    where stack[MOST_DEPTH];
    int32_t depth;
    int32_t grid[MOST_DEPTH]; /* of each depth: which grid; -1: none */
    mplan_xdmf_item *item;    /* at hand; NULL: none that is read */
    mplan_status status;
    mplan_error *err;
} xdmf_walk;

static const char *find(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcasecmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* The first failure stops the parser. */
static void stop(xdmf_walk *walk, mplan_status status, const char *what)
{
    if (!walk->status)
        walk->status = mplan_xdmf_fail(walk->file, (int64_t)XML_GetCurrentLineNumber(walk->parser),
                                       status, what, walk->err);
    XML_StopParser(walk->parser, XML_FALSE);
}

static mplan_xdmf_grid *grid_at_hand(const xdmf_walk *walk)
{
    int32_t g = walk->grid[walk->depth];
    return g >= 0 ? (mplan_xdmf_grid *)walk->file->grids.data + g : NULL;
}

/* Collections hold grids and are none themselves. */
static void open_grid(xdmf_walk *walk, const XML_Char **attributes)
{
    const char *kind = find(attributes, "GridType"), *collection = find(attributes, "CollectionType");
    const mplan_xdmf_grid added = {.first = walk->file->attributes.count,
                                   .last = walk->file->attributes.count};
    walk->grid[walk->depth] = -1;
    walk->item = NULL; /* of a grid around this one: grids may move */
    if (kind && strcasecmp(kind, "Uniform") != 0) {
        walk->file->spatial = walk->file->spatial ||
                              (strcasecmp(kind, "Collection") == 0 &&
                               (!collection || strcasecmp(collection, "Temporal") != 0));
        return;
    }
    walk->grid[walk->depth] = (int32_t)walk->file->grids.count;
    if (mplan_vector_push(&walk->file->grids, &added, walk->err)) {
        walk->status = MPLAN_ERR_MEMORY;
        XML_StopParser(walk->parser, XML_FALSE);
    }
}

/* Type, nodes per element and BaseOffset of the grid at hand; the next item is its topology. */
static void open_topology(xdmf_walk *walk, const XML_Char **attributes)
{
    mplan_xdmf_grid *grid = grid_at_hand(walk);
    const char *type = find(attributes, "TopologyType"), *nodes = find(attributes, "NodesPerElement");
    const char *base = find(attributes, "BaseOffset");
    type = type ? type : find(attributes, "Type");
    if (!grid)
        return;
    snprintf(grid->type, sizeof grid->type, "%s", type ? type : "");
    grid->nodes_per_element = grid->base = 0;
    if (nodes)
        mplan_parse_i64(nodes, nodes + strlen(nodes), &grid->nodes_per_element);
    if (base)
        mplan_parse_i64(base, base + strlen(base), &grid->base);
    walk->item = &grid->topology;
}

/* XYZ or XY, XYZ where nothing is said; other kinds have no axes, and are refused when the grid is used. */
static void open_geometry(xdmf_walk *walk, const XML_Char **attributes)
{
    mplan_xdmf_grid *grid = grid_at_hand(walk);
    const char *type = find(attributes, "GeometryType");
    type = type ? type : find(attributes, "Type");
    if (!grid)
        return;
    grid->axes = !type || strcasecmp(type, "XYZ") == 0 ? 3 : strcasecmp(type, "XY") == 0 ? 2 : 0;
    walk->item = &grid->geometry;
}

/* Attributes of cells are kept; items of others lead nowhere. */
static void open_attribute(xdmf_walk *walk, const XML_Char **attributes)
{
    mplan_xdmf_grid *grid = grid_at_hand(walk);
    const char *center = find(attributes, "Center"), *name = find(attributes, "Name");
    mplan_xdmf_attribute added = {.whole = false};
    walk->item = NULL;
    if (!grid || !center || strcasecmp(center, "Cell") != 0)
        return;
    snprintf(added.name, sizeof added.name, "%s", name ? name : "");
    if (mplan_vector_push(&walk->file->attributes, &added, walk->err)) {
        stop(walk, MPLAN_ERR_MEMORY, "out of memory");
        return;
    }
    grid->last = walk->file->attributes.count;
    walk->item =
        &((mplan_xdmf_attribute *)walk->file->attributes.data)[walk->file->attributes.count - 1].item;
}

/* "3 4": the product, the largest number where it is larger; -1 for a text that is not a list of numbers. */
static int64_t product_of(const char *text)
{
    const char *end = text ? text + strlen(text) : NULL;
    int64_t product = 1, n_numbers = 0;
    while (text && text < end) {
        int64_t number;
        while (*text == ' ')
            text++;
        const size_t used = mplan_parse_i64(text, end, &number);
        if (!used)
            break;
        if (number < 0)
            return -1;
        if (__builtin_mul_overflow(product, number, &product))
            return INT64_MAX; /* no file holds so many */
        n_numbers++;
        text += used;
    }
    return text == end && n_numbers > 0 ? product : -1;
}

/* What a number is, from NumberType or DataType: a float where nothing is said. Returns whether it is whole. */
static bool find_kind(const char *type, mplan_xdmf_item *item)
{
    const bool is_int = type && (strcasecmp(type, "Int") == 0 || strcasecmp(type, "Char") == 0);
    const bool is_uint = type && (strcasecmp(type, "UInt") == 0 || strcasecmp(type, "UChar") == 0);
    item->kind = is_int ? MPLAN_XDMF_INT : is_uint ? MPLAN_XDMF_UINT : MPLAN_XDMF_FLOAT;
    return is_int || is_uint;
}

/* A whole number and nothing else but white space. */
static bool is_whole(const char *text, int64_t *value)
{
    const char *end = text + strlen(text);
    const size_t used = mplan_parse_i64(text, end, value);
    return used > 0 && strspn(text + used, " \t\r\n") == (size_t)(end - text) - used;
}

/* The form of raw numbers. False: it is not read (compressed, or numbers of other lengths than machines have). */
static bool read_raw(const XML_Char **attributes, bool is_character, mplan_xdmf_item *item)
{
    const uint16_t one = 1;
    const bool little = *(const uint8_t *)&one == 1;
    const char *endian = find(attributes, "Endian"), *compression = find(attributes, "Compression");
    const char *precision = find(attributes, "Precision"), *seek = find(attributes, "Seek");
    int64_t bytes = is_character ? 1 : 4, before = 0;
    if ((precision && !is_whole(precision, &bytes)) || (seek && !is_whole(seek, &before)))
        return false;
    if (endian && strcasecmp(endian, "Little") && strcasecmp(endian, "Big") &&
        strcasecmp(endian, "Native"))
        return false;
    item->precision = (int32_t)bytes;
    item->seek = before;
    item->swapped = endian && strcasecmp(endian, little ? "Big" : "Little") == 0;
    const bool short_one = bytes == 1 || bytes == 2;
    return (bytes == 4 || bytes == 8 || (short_one && item->kind != MPLAN_XDMF_FLOAT)) &&
           before >= 0 && (!compression || strcasecmp(compression, "Raw") == 0);
}

/* The first of its parent; those inside one another and those of other kinds are not read. */
static void open_item(xdmf_walk *walk, where parent, const XML_Char **attributes)
{
    mplan_xdmf_item *item = parent == IN_ITEM ? NULL : walk->item;
    const char *format = find(attributes, "Format"), *kind = find(attributes, "ItemType");
    const char *type = find(attributes, "NumberType");
    type = type ? type : find(attributes, "DataType");
    if (parent == IN_ITEM && walk->item)
        walk->item->odd = true;
    if (!item || item->there)
        return;
    item->there = true;
    item->form = format && strcasecmp(format, "HDF") == 0      ? MPLAN_XDMF_HDF
                 : format && strcasecmp(format, "Binary") == 0 ? MPLAN_XDMF_BINARY
                                                               : MPLAN_XDMF_TEXT;
    const bool whole = find_kind(type, item);
    const bool is_character = type &&
                              (strcasecmp(type, "Char") == 0 || strcasecmp(type, "UChar") == 0);
    item->odd = (kind && strcasecmp(kind, "Uniform") != 0) ||
                (format && item->form == MPLAN_XDMF_TEXT && strcasecmp(format, "XML") != 0) ||
                (item->form == MPLAN_XDMF_BINARY && !read_raw(attributes, is_character, item));
    item->line = (int64_t)XML_GetCurrentLineNumber(walk->parser);
    item->begin = item->end = walk->file->text.count;
    item->n = product_of(find(attributes, "Dimensions"));
    if (parent == IN_ATTRIBUTE && walk->file->attributes.count > 0)
        ((mplan_xdmf_attribute *)walk->file->attributes.data)[walk->file->attributes.count - 1].whole =
            whole;
}

/* Where in the file the parser is: stack has an entry for each element that is open, grid the grid that each lies in. */
static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    xdmf_walk *walk = user;
    const where parent = walk->stack[walk->depth];
    if (walk->depth + 1 == MOST_DEPTH) {
        stop(walk, MPLAN_ERR_CORRUPT, "elements are nested too deeply");
        return;
    }
    walk->depth++;
    walk->grid[walk->depth] = walk->grid[walk->depth - 1];
    where in = ELSEWHERE;
    if (strcasecmp(name, "Grid") == 0) {
        in = IN_GRID;
        open_grid(walk, attributes);
    } else if (strcasecmp(name, "Topology") == 0 && parent == IN_GRID) {
        in = IN_TOPOLOGY;
        open_topology(walk, attributes);
    } else if (strcasecmp(name, "Geometry") == 0 && parent == IN_GRID) {
        in = IN_GEOMETRY;
        open_geometry(walk, attributes);
    } else if (strcasecmp(name, "Attribute") == 0 && parent == IN_GRID) {
        in = IN_ATTRIBUTE;
        open_attribute(walk, attributes);
    } else if (strcasecmp(name, "DataItem") == 0 && parent >= IN_TOPOLOGY) {
        in = IN_ITEM;
        open_item(walk, parent, attributes);
    }
    walk->stack[walk->depth] = in;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    xdmf_walk *walk = user;
    const where in = walk->stack[walk->depth--];
    (void)name;
    if (in == IN_TOPOLOGY || in == IN_GEOMETRY || in == IN_ATTRIBUTE)
        walk->item = NULL;
}

/* Only the text of the item at hand is kept. */
static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    xdmf_walk *walk = user;
    mplan_xdmf_item *item = walk->item;
    if (walk->stack[walk->depth] != IN_ITEM || !item || item->odd ||
        item->end != walk->file->text.count)
        return;
    char *to = mplan_vector_reserve(&walk->file->text, length, walk->err);
    if (!to) {
        walk->status = MPLAN_ERR_MEMORY;
        XML_StopParser(walk->parser, XML_FALSE);
        return;
    }
    memcpy(to, text, (size_t)length);
    walk->file->text.count += length;
    item->end = walk->file->text.count;
}

/* A short file could become an endless one. */
static void XMLCALL on_entity(void *user, const XML_Char *name, int parameter, const XML_Char *value,
                              int length, const XML_Char *base, const XML_Char *system_id,
                              const XML_Char *public_id, const XML_Char *notation)
{
    (void)name, (void)parameter, (void)value, (void)length, (void)base, (void)system_id;
    (void)public_id, (void)notation;
    stop(user, MPLAN_ERR_UNSUPPORTED, "declarations of entities are not supported");
}

/* expat gets pieces of at most MOST_PIECE bytes, so that a large file can be interrupted; its
 * length must fit an int. Entities are refused (on_entity): they could grow without bound. */
mplan_status mplan_xdmf_parse(mplan_xdmf *file, mplan_error *err)
{
    xdmf_walk state = {.file = file, .err = err}, *walk = &state;
    walk->grid[0] = -1;
    const char *at = (const char *)walk->file->input->data, *end = at + walk->file->input->size;
    walk->parser = XML_ParserCreate(NULL);
    if (!walk->parser)
        return mplan_fail(walk->err, MPLAN_ERR_MEMORY, "out of memory (in expat)");
    XML_SetHashSalt(walk->parser, 1); /* as mplan_vtu_find: libc is not to be asked */
    XML_SetUserData(walk->parser, walk);
    XML_SetElementHandler(walk->parser, on_start, on_end);
    XML_SetCharacterDataHandler(walk->parser, on_text);
    XML_SetEntityDeclHandler(walk->parser, on_entity);
    for (bool last = false; !last && !walk->status;) {
        const int n = (int)(end - at < MOST_PIECE ? end - at : MOST_PIECE);
        last = at + n == end;
        if (XML_Parse(walk->parser, at, n, last) == XML_STATUS_ERROR && !walk->status) {
            enum XML_Error code = XML_GetErrorCode(walk->parser);
            stop(walk, code == XML_ERROR_NO_MEMORY ? MPLAN_ERR_MEMORY : MPLAN_ERR_CORRUPT,
                 XML_ErrorString(code));
        }
        at += n;
        if (!walk->status)
            walk->status = mplan_interrupted(walk->file->context, walk->err);
    }
    XML_ParserFree(walk->parser);
    return walk->status;
}
#endif

mplan_status mplan_xdmf_fail(const mplan_xdmf *file, int64_t line, mplan_status status,
                             const char *what, mplan_error *err)
{
    return mplan_fail(err, status, "%s:%lld: %s", file->input->path, (long long)line, what);
}
