/* SPDX-License-Identifier: Apache-2.0 */
/* libmesh.c - meshes of libMesh and MOOSE: text (.xda) and XDR (.xdr), versions 0.7.0 to 1.8.0
 *
 * After src/mesh/xdr_io.C of libMesh. A header, elements level by level, nodes, then sides, nodes, edges and faces of shells
 * with boundary conditions; what a version has is told by its number. Subdomains are groups of cells, boundary conditions of
 * sides groups of faces, of nodes groups of nodes. Elements that are refined are replaced by their children; what is said of
 * a side of theirs holds for the sides of children that are parts of it. Of types that meshplan does not have the nodes of
 * the next smaller type are kept. */
#include "formats/fem/libmesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/collection.h"
#include "formats/not_finite.h"
#include "formats/side_order.h"

enum { MOST_LEVELS = 64 };

/* A name that goes with the number of a subdomain or boundary. */
typedef struct libmesh_name {
    int64_t id;
    mplan_libmesh_text text;
} libmesh_name;

/* An element as the file gives it; its nodes begin at nodes[first]. Elements are named by their place, from 0. */
typedef struct libmesh_element {
    int64_t first, subdomain;
    int32_t type;        /* row of types[] */
    int32_t child, last; /* its first and last child; -1: none */
    int32_t next, order; /* the next child of its parent (-1: none), and the how-manieth it is */
    int32_t level;
} libmesh_element;

/* Number `id` of side `side` (from 0) of an element. */
typedef struct libmesh_side {
    int64_t id;
    int32_t element, side;
} libmesh_side;

/* A file that is read. */
typedef struct libmesh_reader {
    mplan_libmesh_items items;
    mplan_collection collection;
    mplan_libmesh_header header;
    mplan_vector elements;         /* libmesh_element */
    mplan_vector nodes;            /* int32_t */
    mplan_vector names[3];         /* libmesh_name, by id: of subdomains, sides, nodes */
    mplan_vector sides;            /* libmesh_side */
    int64_t refined, points, made; /* made: facets */
} libmesh_reader;

enum { OF_SUBDOMAINS, OF_SIDES, OF_NODES };

/* nodes: that the file has for an element, of which the type has the first. */
static const struct {
    int32_t nodes;
    mplan_cell_type type;
} types[] = {
    {2, MPLAN_CELL_LINE2},      {3, MPLAN_CELL_LINE3},      {4, MPLAN_CELL_LINE2},
    {3, MPLAN_CELL_TRI3},       {6, MPLAN_CELL_TRI6},       {4, MPLAN_CELL_QUAD4},
    {8, MPLAN_CELL_QUAD8},      {9, MPLAN_CELL_QUAD9},      {4, MPLAN_CELL_TET4},
    {10, MPLAN_CELL_TET10},     {8, MPLAN_CELL_HEX8},       {20, MPLAN_CELL_HEX20},
    {27, MPLAN_CELL_HEX27},     {6, MPLAN_CELL_PRISM6},     {15, MPLAN_CELL_PRISM15},
    {18, MPLAN_CELL_PRISM18},   {5, MPLAN_CELL_PYRAMID5},   {13, MPLAN_CELL_PYRAMID13},
    {14, MPLAN_CELL_PYRAMID14}, {0, MPLAN_CELL_POINT},      {0, MPLAN_CELL_POINT},
    {0, MPLAN_CELL_POINT},      {0, MPLAN_CELL_POINT},      {0, MPLAN_CELL_POINT},
    {0, MPLAN_CELL_POINT},      {0, MPLAN_CELL_POINT},      {0, MPLAN_CELL_POINT},
    {1, MPLAN_CELL_POINT},      {0, MPLAN_CELL_POINT},      {3, MPLAN_CELL_TRI3},
    {3, MPLAN_CELL_TRI3},       {4, MPLAN_CELL_QUAD4},      {8, MPLAN_CELL_QUAD8},
    {7, MPLAN_CELL_TRI6},       {14, MPLAN_CELL_TET10},     {20, MPLAN_CELL_PRISM18},
    {21, MPLAN_CELL_PRISM18},   {18, MPLAN_CELL_PYRAMID14}, {9, MPLAN_CELL_QUAD9},
};
enum { N_TYPES = sizeof types / sizeof *types };

/* Elements are numbered as the file has them, parents of refined ones included. */
static libmesh_element *element_at(const libmesh_reader *reader, int64_t e)
{
    return (libmesh_element *)reader->elements.data + e;
}

/* Looks for a signal at every 65,536th item. */
static mplan_status pause_at(const libmesh_reader *reader, int64_t i, mplan_error *err)
{
    return i % 65536 == 0 ? mplan_scan_heed(&reader->items.scan, reader->collection.context, err)
                          : MPLAN_OK;
}

/* --- names ------------------------------------------------------------------------------------------ */

/* By id, for bisection. */
static int compare_names(const void *left, const void *right)
{
    const libmesh_name *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

/* Numbers, then names; names: libmesh_name, filled. */
static mplan_status read_names(libmesh_reader *reader, mplan_vector *names, mplan_error *err)
{
    int64_t n = 0, n_ids = 0, n_words = 0;
    names->count = 0;
    mplan_status status = mplan_libmesh_count(&reader->items, &reader->header,
                                              "the number of names", 8, &n, err);
    if (status || n == 0)
        return status;
    status = mplan_libmesh_vector(&reader->items, "numbers that have names", &n_ids, err);
    for (int64_t i = 0; i < n_ids && !status; i++) {
        libmesh_name name = {0, {"", 0}};
        status = mplan_libmesh_next(&reader->items, mplan_libmesh_header_width(&reader->header),
                                    "a number that has a name", &name.id, err);
        if (!status)
            status = mplan_vector_push(names, &name, err);
    }
    mplan_libmesh_end_vector(&reader->items);
    if (!status)
        status = mplan_libmesh_vector(&reader->items, "names", &n_words, err);
    if (!status && (n_words != n || n_ids != n))
        status = mplan_libmesh_fail(&reader->items, err, MPLAN_ERR_CORRUPT,
                                    "%lld names for %lld numbers, not %lld", (long long)n_words,
                                    (long long)n_ids, (long long)n);
    for (int64_t i = 0; i < n_words && !status; i++)
        status = mplan_libmesh_word(&reader->items, "a name",
                                    &((libmesh_name *)names->data)[i].text, err);
    mplan_libmesh_end_vector(&reader->items);
    if (!status)
        qsort(names->data, (size_t)names->count, sizeof(libmesh_name), compare_names);
    return status;
}

/* The name of a number; empty without one. */
static mplan_libmesh_text name_of(const mplan_vector *names, int64_t id)
{
    const libmesh_name *name = names->data;
    int64_t low = 0, high = names->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (name[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < names->count && name[low].id == id ? name[low].text : (mplan_libmesh_text){"", 0};
}

/* Member `member` of the dimension joins the group of a number, which may have a name. */
static mplan_status join(libmesh_reader *reader, int of, int32_t dimension, int64_t member,
                         int64_t id, mplan_error *err)
{
    const mplan_libmesh_text name = name_of(&reader->names[of], id);
    return mplan_collect_member_at(&reader->collection, dimension, member,
                                   id == 0 && name.length ? MPLAN_COLLECTED_ZERO : id, name.at,
                                   name.length, err);
}

/* --- elements --------------------------------------------------------------------------------------- */

/* Child of an element that was read before. */
static mplan_status take_parent(libmesh_reader *reader, libmesh_element *element, mplan_error *err)
{
    int64_t parent = -1;
    const int32_t e = (int32_t)reader->elements.count;
    mplan_status status = mplan_libmesh_next(&reader->items, reader->items.width,
                                             "the parent of an element", &parent, err);
    if (!status && (parent < 0 || parent >= e || element_at(reader, parent)->level >= MOST_LEVELS))
        status = mplan_libmesh_fail(&reader->items, err, MPLAN_ERR_CORRUPT,
                                    "the parent of element %d is %lld", (int)e, (long long)parent);
    if (status)
        return status;
    libmesh_element *of = element_at(reader, parent);
    if (of->child < 0) {
        of->child = e;
        reader->refined++;
    } else {
        element->order = element_at(reader, of->last)->order + 1;
        element_at(reader, of->last)->next = e;
    }
    of->last = e;
    element->level = of->level + 1;
    return MPLAN_OK;
}

/* n nodes of an element at the end of reader->nodes, each in [0, n_nodes). */
static mplan_status take_nodes(libmesh_reader *reader, int32_t n, mplan_error *err)
{
    int32_t *nodes = mplan_vector_reserve(&reader->nodes, n, err);
    mplan_status status = nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < n && !status; k++) {
        int64_t node = 0;
        status = mplan_libmesh_next(&reader->items, reader->items.width, "a node of an element",
                                    &node, err);
        if (!status && (node < 0 || node >= reader->header.n_nodes))
            status = mplan_libmesh_fail(&reader->items, err, MPLAN_ERR_MESH,
                                        "node %lld is not in [0, %lld)", (long long)node,
                                        (long long)reader->header.n_nodes);
        nodes[k] = (int32_t)node;
    }
    reader->nodes.count += status ? 0 : n;
    return status;
}

/* Type, unique id, parent, processor, subdomain, p level, nodes, further numbers: as far as the file has them. */
static mplan_status read_element(libmesh_reader *reader, bool children, mplan_error *err)
{
    libmesh_element element = {.first = reader->nodes.count, .child = -1, .next = -1, .last = -1};
    int64_t type = 0;
    mplan_status status = mplan_libmesh_next(&reader->items, reader->items.width,
                                             "the type of an element", &type, err);
    if (!status && (type < 0 || type >= N_TYPES || types[type].nodes == 0))
        return mplan_libmesh_fail(&reader->items, err, MPLAN_ERR_UNSUPPORTED,
                                  "elements of type %lld are not supported", (long long)type);
    element.type = (int32_t)type;
    if (!status && reader->header.unique_ids)
        status = mplan_libmesh_skip(&reader->items, "the unique id of an element", 1, err);
    if (!status && children)
        status = take_parent(reader, &element, err);
    if (!status && reader->header.partition)
        status = mplan_libmesh_skip(&reader->items, "the processor of an element", 1, err);
    if (!status && reader->header.subdomains)
        status = mplan_libmesh_next(&reader->items, reader->items.width,
                                    "the subdomain of an element", &element.subdomain, err);
    if (!status && reader->header.p_levels)
        status = mplan_libmesh_skip(&reader->items, "the p level of an element", 1, err);
    if (!status)
        status = take_nodes(reader, types[type].nodes, err);
    if (!status)
        status = mplan_libmesh_skip(&reader->items, "a number of an element",
                                    reader->header.element_values, err);
    return status ? status : mplan_vector_push(&reader->elements, &element, err);
}

/* Level by level: how many, and the elements. */
static mplan_status read_elements(libmesh_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t n = 0;
    if (reader->header.version >= 902)
        status = read_names(reader, &reader->names[OF_SUBDOMAINS], err);
    for (int level = 0; reader->elements.count < reader->header.n_elements && !status; level++) {
        status = mplan_libmesh_whole(&reader->items, reader->items.width,
                                     "the number of elements of a level", &n, err);
        if (!status && (n < 0 || n > reader->header.n_elements - reader->elements.count))
            status = mplan_libmesh_fail(&reader->items, err, MPLAN_ERR_CORRUPT,
                                        "a level has %lld elements, but only %lld are left",
                                        (long long)n,
                                        (long long)(reader->header.n_elements -
                                                    reader->elements.count));
        for (int64_t i = 0; i < n && !status; i++) {
            status = read_element(reader, level > 0, err);
            if (!status)
                status = pause_at(reader, i, err);
        }
    }
    return status;
}

/* Those that are not refined become cells, in the order of the file. */
static mplan_status collect_elements(libmesh_reader *reader, mplan_error *err)
{
    const int32_t *node = reader->nodes.data;
    mplan_status status = MPLAN_OK;
    bool told = reader->names[OF_SUBDOMAINS].count > 0;
    for (int64_t e = 0; e < reader->header.n_elements && !told; e++)
        told = element_at(reader, e)->subdomain != 0;
    for (int64_t e = 0; e < reader->header.n_elements && !status; e++) {
        const libmesh_element *element = element_at(reader, e);
        const mplan_cell_type type = types[element->type].type;
        const char *order = mplan_node_order(MPLAN_NUMBERING_CGNS, type);
        const int32_t dimension = mplan_cell_type_dimension(type);
        reader->points += type == MPLAN_CELL_POINT;
        if (element->child >= 0 || type == MPLAN_CELL_POINT)
            continue;
        int32_t *nodes = mplan_collect_cell(&reader->collection, type, err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < mplan_cell_type_nodes(type); k++)
            nodes[k] = node[element->first + (order ? order[k] - 'A' : k)];
        if (told)
            status = join(reader, OF_SUBDOMAINS, dimension,
                          reader->collection.type[dimension].count - 1, element->subdomain, err);
        if (!status)
            status = pause_at(reader, e, err);
    }
    return status;
}

/* --- nodes ---------------------------------------------------------------------------------------- */

/* Numbers that no element has may have any coordinates: libMesh leaves gaps. */
static mplan_status check_nodes(libmesh_reader *reader, mplan_error *err)
{
    const int32_t *node = reader->nodes.data;
    double *xyz = reader->collection.xyz.data;
    for (int64_t i = 0; i < reader->nodes.count; i++)
        for (int32_t d = 0; d < 3; d++)
            if (!(xyz[3 * (int64_t)node[i] + d] - xyz[3 * (int64_t)node[i] + d] == 0))
                return mplan_fail(err, MPLAN_ERR_MESH,
                                  "%s: a coordinate of node %d is not finite (%s)",
                                  reader->items.scan.path, (int)node[i],
                                  mplan_not_finite(xyz[3 * (int64_t)node[i] + d]));
    for (int64_t i = 0; i < reader->collection.xyz.count; i++)
        if (!(xyz[i] - xyz[i] == 0))
            xyz[i] = 0;
    return MPLAN_OK;
}

/* Coordinates of all nodes; unique ids (since 0.9.6) and other numbers of nodes are skipped. */
static mplan_status read_nodes(libmesh_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t unique = 0;
    for (int64_t i = 0; i < reader->header.n_nodes && !status; i++) {
        double xyz[3] = {0, 0, 0};
        for (int32_t d = 0; d < 3 && !status; d++)
            status = mplan_libmesh_real(&reader->items, "a coordinate", &xyz[d], err);
        if (!status)
            status = mplan_collect_node(&reader->collection, xyz, err);
        if (!status)
            status = pause_at(reader, i, err);
    }
    if (!status && reader->header.version >= 906)
        status = mplan_libmesh_whole(&reader->items, 4, "whether nodes have unique ids", &unique,
                                     err);
    if (!status && unique)
        status = mplan_libmesh_skip(&reader->items, "the unique id of a node",
                                    reader->header.n_nodes, err);
    for (int64_t v = 0; v < reader->header.node_values && !status; v++)
        status = mplan_libmesh_skip(&reader->items, "a number of a node", reader->header.n_nodes,
                                    err);
    return status ? status : check_nodes(reader, err);
}

/* --- boundary conditions ----------------------------------------------------------------------------- */

/* CGNS's number of a side of libMesh, both numbers from 1: only prisms and pyramids differ. */
static int32_t cgns_side(mplan_cell_type type, int32_t side)
{
    switch (mplan_cell_type_dimension(type) == 3 ? mplan_cell_type_corners(type) : 0) {
    case 5: return side == 5 ? 1 : side + 1;
    case 6: return side == 1 ? 4 : side == 5 ? 5 : side - 1;
    default: return side;
    }
}

/* Corners of a side, by their places among the nodes; 0: none. */
static int32_t corners_of(int32_t type, int32_t side, int8_t corner[4])
{
    const mplan_cell_type of = types[type].type;
    return mplan_side_corners(MPLAN_NUMBERING_CGNS, of, cgns_side(of, side + 1), corner);
}

/* A side of a cell is a facet of the group; of lines in other meshes it is a node. */
static mplan_status add_side(libmesh_reader *reader, const libmesh_side *side, int32_t e,
                             mplan_error *err)
{
    const libmesh_element *element = element_at(reader, e);
    const int32_t *node = (const int32_t *)reader->nodes.data + element->first;
    int8_t corner[4];
    const int32_t n = corners_of(element->type, side->side, corner);
    if (n == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: element %d has no side %d",
                          reader->items.scan.path, (int)e, (int)side->side);
    if (++reader->made > reader->items.scan.end - reader->items.scan.begin)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: refined elements have more sides than the file can hold",
                          reader->items.scan.path);
    if (n == 1) {
        const mplan_libmesh_text name = name_of(&reader->names[OF_SIDES], side->id);
        return mplan_collect_point(&reader->collection, node[corner[0]],
                                   side->id == 0 && name.length ? MPLAN_COLLECTED_ZERO : side->id,
                                   name.at, name.length, err);
    }
    const mplan_cell_type facet = mplan_facet_type(n);
    const int32_t dimension = mplan_cell_type_dimension(facet);
    int32_t *nodes = mplan_collect_cell(&reader->collection, facet, err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < n; k++)
        nodes[k] = node[corner[k]];
    return join(reader, OF_SIDES, dimension, reader->collection.type[dimension].count - 1, side->id,
                err);
}

/* Child k of a line, triangle, quad or hexahedron is at corner k and has sides of the same numbers there; a triangle's
 * last child is inside. */
static mplan_status is_part(const libmesh_reader *reader, const libmesh_side *side, int32_t e,
                            int32_t child, bool *part, mplan_error *err)
{
    const libmesh_element *element = element_at(reader, e);
    const mplan_cell_type type = types[element->type].type;
    const int32_t dimension = mplan_cell_type_dimension(type);
    int8_t corner[4];
    const int32_t n = corners_of(element->type, side->side, corner);
    *part = false;
    if (dimension == 3 && mplan_cell_type_corners(type) != 8)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: boundary conditions on refined tetrahedra, prisms and pyramids are "
                          "not supported",
                          reader->items.scan.path);
    for (int32_t k = 0; k < n; k++)
        *part = *part || corner[k] == element_at(reader, child)->order;
    return MPLAN_OK;
}

/* The element's side, or those of its children down to cells; no deeper than levels. */
static mplan_status add_sides(libmesh_reader *reader, const libmesh_side *side, int32_t e,
                              mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (element_at(reader, e)->child < 0)
        return add_side(reader, side, e, err);
    for (int32_t c = element_at(reader, e)->child; c >= 0 && !status;
         c = element_at(reader, c)->next) {
        bool part = false;
        status = is_part(reader, side, e, c, &part, err);
        if (!status && part)
            status = add_sides(reader, side, c, err);
    }
    return status;
}

/* Sides of one boundary follow one another, in the order of the elements. */
static int compare_sides(const void *left, const void *right)
{
    const libmesh_side *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->element != b->element)
        return a->element < b->element ? -1 : 1;
    return a->side - b->side;
}

/* Element, side and number each; they become facets, each once. */
static mplan_status read_sides(libmesh_reader *reader, int64_t n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t value[3] = {0, 0, 0};
        for (int k = 0; k < 3 && !status; k++)
            status = mplan_libmesh_next(&reader->items, reader->items.width,
                                        "a number of a boundary condition", &value[k], err);
        if (!status &&
            (value[0] < 0 || value[0] >= reader->header.n_elements || value[1] < 0 || value[1] > 5))
            status = mplan_libmesh_fail(&reader->items, err, MPLAN_ERR_MESH,
                                        "there is no side %lld of an element %lld",
                                        (long long)value[1], (long long)value[0]);
        const libmesh_side side = {value[2], (int32_t)value[0], (int32_t)value[1]};
        if (!status)
            status = mplan_vector_push(&reader->sides, &side, err);
        if (!status)
            status = pause_at(reader, i, err);
    }
    const libmesh_side *side = reader->sides.data;
    if (!status && n > 1)
        qsort(reader->sides.data, (size_t)n, sizeof *side, compare_sides);
    for (int64_t i = 0; i < n && !status; i++)
        if (i == 0 || compare_sides(&side[i], &side[i - 1]) != 0)
            status = add_sides(reader, &side[i], side[i].element, err);
    return status;
}

/* Node and number each. */
static mplan_status read_node_sets(libmesh_reader *reader, int64_t n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t node = 0, id = 0;
        status = mplan_libmesh_next(&reader->items, reader->items.width, "a node of a set", &node,
                                    err);
        if (!status)
            status = mplan_libmesh_next(&reader->items, reader->items.width, "the number of a set",
                                        &id, err);
        if (!status && (node < 0 || node >= reader->header.n_nodes))
            status = mplan_libmesh_fail(&reader->items, err, MPLAN_ERR_MESH,
                                        "node %lld is not in [0, %lld)", (long long)node,
                                        (long long)reader->header.n_nodes);
        if (!status)
            status = join(reader, OF_NODES, 0, node, id, err);
        if (!status)
            status = pause_at(reader, i, err);
    }
    return status;
}

/* Names, where the version has them, and how many conditions there are. */
static mplan_status begin_conditions(libmesh_reader *reader, mplan_vector *names, const char *what,
                                     int64_t *n, mplan_error *err)
{
    mplan_status status = reader->header.version >= 902 ? read_names(reader, names, err) : MPLAN_OK;
    return status ? status : mplan_libmesh_count(&reader->items, &reader->header, what, 8, n, err);
}

/* Of edges and of faces of shells: skipped, with a warning. */
static mplan_status skip_conditions(libmesh_reader *reader, const char *what, mplan_error *err)
{
    mplan_vector names = MPLAN_VECTOR_INIT(sizeof(libmesh_name));
    int64_t n = 0;
    mplan_status status = begin_conditions(reader, &names, what, &n, err);
    free(names.data);
    if (!status && n > 0)
        mplan_warn(reader->collection.context, "%s: %lld %s are skipped", reader->items.scan.path,
                   (long long)n, what);
    return status ? status : mplan_libmesh_skip(&reader->items, what, 3 * n, err);
}

/* Side sets, and since 0.9.2 node sets; those of edges and of faces of shells (since 1.1.0) are skipped. Older texts may end
 * before them. */
static mplan_status read_conditions(libmesh_reader *reader, mplan_error *err)
{
    int64_t n = 0;
    if (!reader->header.conditions || (reader->header.version < 902 && !reader->items.binary &&
                                       !mplan_scan_skip_space(&reader->items.scan)))
        return MPLAN_OK;
    mplan_status status = begin_conditions(reader, &reader->names[OF_SIDES],
                                           "boundary conditions of sides", &n, err);
    if (!status)
        status = read_sides(reader, n, err);
    if (status || reader->header.version < 902)
        return status;
    status = begin_conditions(reader, &reader->names[OF_NODES], "boundary conditions of nodes", &n,
                              err);
    if (!status)
        status = read_node_sets(reader, n, err);
    if (status || reader->header.version < 10100)
        return status;
    status = skip_conditions(reader, "boundary conditions of edges", err);
    return status ? status : skip_conditions(reader, "boundary conditions of faces of shells", err);
}

/* --- the file ------------------------------------------------------------------------------------------ */

/* The parts of the file in its order. Elements wait until nodes are known; parents of refined ones are left out. */
static mplan_status read_all(libmesh_reader *reader, mplan_error *err)
{
    mplan_status status = mplan_libmesh_read_header(&reader->items, &reader->header, err);
    if (!status)
        status = read_elements(reader, err);
    if (!status)
        status = read_nodes(reader, err);
    if (!status)
        status = collect_elements(reader, err);
    if (!status)
        status = read_conditions(reader, err);
    if (!status && reader->points > 0)
        mplan_warn(reader->collection.context, "%s: %lld elements that are points are skipped",
                   reader->items.scan.path, (long long)reader->points);
    if (!status && reader->refined > 0)
        mplan_warn(reader->collection.context,
                   "%s: %lld refined elements are replaced by their children; where cells of different "
                   "sizes meet, their faces are boundary faces",
                   reader->items.scan.path, (long long)reader->refined);
    return status;
}

/* names: of subdomains, sides and nodes, each with the number that the file uses. */
static mplan_status read_libmesh(const mplan_input *input, const mplan_read_options *options,
                                 const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    libmesh_reader reader = {.elements = MPLAN_VECTOR_INIT(sizeof(libmesh_element)),
                             .nodes = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                             .sides = MPLAN_VECTOR_INIT(sizeof(libmesh_side))};
    (void)options;
    if (!mplan_libmesh_begin(&reader.items, input))
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: the file does not begin with 'libMesh'",
                          input->path);
    for (int i = 0; i < 3; i++)
        reader.names[i] = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(libmesh_name));
    mplan_collection_begin(&reader.collection, input->path, context);
    mplan_status status = read_all(&reader, err);
    if (!status)
        status = mplan_collection_to_mesh(&reader.collection, mesh, err);
    mplan_collection_free(&reader.collection);
    for (int i = 0; i < 3; i++)
        free(reader.names[i].data);
    free(reader.elements.data);
    free(reader.nodes.data);
    free(reader.sides.data);
    return status;
}

/* By the version in its first line or item. */
static mplan_recognised recognise_libmesh(const uint8_t *data, size_t size)
{
    const mplan_input input = {"", data, size, NULL};
    mplan_libmesh_items items;
    return mplan_libmesh_begin(&items, &input) ? MPLAN_RECOGNISED_YES : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_libmesh = {
    .name = "libmesh",
    .description = "libMesh and MOOSE, text or XDR, with subdomains and boundary conditions",
    .extensions = ".xda .xdr",
    .recognise = recognise_libmesh,
    .read = read_libmesh,
};
