/* SPDX-License-Identifier: Apache-2.0 */
/* cgns.h - what the parts of the CGNS reader share
 *
 * cgns.c           opens the file, zones, coordinates
 * cgns_library.c   what libcgns says of errors, arrays and types
 * cgns_join.c      nodes that zones have in common at their interfaces
 * cgns_counted.c   MIXED sections without offsets, of old files
 * cgns_cells.c     sections of elements, and structured zones, become cells
 * cgns_polyhedra.c NGON_n and NFACE_n become faces between cells
 * cgns_groups.c    boundary conditions become groups
 * cgns_places.c    where the numbers of one unstructured zone are, for readers of byte ranges */
#ifndef MPLAN_CGNS_H
#define MPLAN_CGNS_H

#include "base/memory.h"
#include "formats/format.h"

#ifdef MPLAN_HAVE_CGNS
#include <cgnslib.h>

enum { MPLAN_CGNS_NAME = 33 };

/* Elements of one section of a zone: what its header says, and its arrays while
 * they are loaded. */
typedef struct mplan_cgns_section {
    char name[MPLAN_CGNS_NAME];
    int index; /* in the zone, from 1 */
    CGNS_ENUMT(ElementType_t) type;
    int64_t start, end;  /* numbers of its elements in the zone */
    int32_t dimension;   /* of its elements; of MIXED the largest, found when it is read */
    bool counted;        /* MIXED, and without offsets */
    bool old_parents;    /* its parent data are one array */
    bool parents, named; /* has parent data; a boundary condition names some of it */
    int64_t first_cell;  /* in the mesh, of cells and polyhedra; of NGON_n in 3-D the first face */
    int64_t size;        /* of its connectivity */
    cgsize_t *values, *offsets; /* while boundary conditions are read; NULL: not read */
    uint8_t *types;             /* of MIXED, likewise */
    cgsize_t *parent; /* likewise, four lists: cells left and right, sides left and right */
} mplan_cgns_section;

/* A zone, structured or not, and where its nodes begin among those of all zones. */
typedef struct mplan_cgns_zone {
    char name[MPLAN_CGNS_NAME];
    int index; /* in the base, from 1 */
    bool structured;
    int64_t size[3];             /* nodes along each direction; unstructured: nodes, 1, 1 */
    int64_t n_nodes, first_node; /* the latter before nodes are joined */
    int64_t n_cells, first_cell;
    int32_t n_sections;
    mplan_cgns_section *sections;
} mplan_cgns_zone;

/* A CGNS file that is read. */
typedef struct mplan_cgns {
    const mplan_input *input;
    const mplan_context *context;
    mplan_mesh *mesh;
    int file, base;
    int cell_dimension, space_dimension;
    int64_t most_bytes; /* that an array of the file can have */
    bool one_zone;      /* of several, by the option zone; interfaces to others are skipped */
    int32_t n_zones;
    mplan_cgns_zone *zones;
    int64_t n_raw;       /* nodes of all zones */
    int64_t n_nodes;     /* of the mesh */
    double *coordinates; /* of n_raw, then n_nodes, nodes, space_dimension each */
    int32_t *node;       /* of the mesh, of each raw node; NULL: the same */
    bool polyhedra;      /* sections NGON_n and NFACE_n of a 3-D mesh */
    int64_t n_faces;     /* of NGON_n sections */
    int32_t *face_place; /* of each of them: 2 * id + (1 for boundary faces); while groups are made */
    mplan_places *layout; /* NULL: the mesh is read */
} mplan_cgns;

/* "path: zone Z: what the library says" */
mplan_status mplan_cgns_fail_library(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                     mplan_error *err);
/* Numbers of an array at a path below a node, -1 when there is none, -2 when that cannot be read. The library fills memory with whole
 * arrays, however large it was told that the memory is, so this is asked first. */
int64_t mplan_cgns_array_size(const mplan_cgns *file, double node, const char *path);
/* The type of cells of an element type, MPLAN_N_CELL_TYPES for one that is none. */
mplan_cell_type mplan_cgns_cell_type(CGNS_ENUMT(ElementType_t) type);
/* Node of the mesh of node v (from 0) of a zone. */
static inline int32_t mplan_cgns_node(const mplan_cgns *file, const mplan_cgns_zone *zone, int64_t v)
{
    return file->node ? file->node[zone->first_node + v] : (int32_t)(zone->first_node + v);
}
/* Node i + n0 (j + n1 k) of a structured zone. */
static inline int64_t mplan_cgns_grid_node(const mplan_cgns_zone *zone, int64_t i, int64_t j,
                                           int64_t k)
{
    return i + zone->size[0] * (j + zone->size[1] * k);
}

/* Compares the lengths of a section's arrays with its elements, and learns which arrays there are. */
mplan_status mplan_cgns_check_arrays(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                     mplan_cgns_section *section, mplan_error *err);
/* Reads the connectivity of a section into its arrays, unless it is there. */
mplan_status mplan_cgns_load(const mplan_cgns *file, const mplan_cgns_zone *zone,
                             mplan_cgns_section *section, mplan_error *err);
/* The same for a section that is `counted`; its arrays are there. */
mplan_status mplan_cgns_load_counted(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                     mplan_cgns_section *section, mplan_error *err);
void mplan_cgns_unload(mplan_cgns_section *section);
/* Type and nodes (from 1, as in the zone) of element e of a loaded section. */
mplan_status mplan_cgns_element(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                const mplan_cgns_section *section, int64_t e, mplan_cell_type *type,
                                const cgsize_t **nodes, int64_t *n_nodes, mplan_error *err);
/* The section that holds element number `element`; NULL without one. */
mplan_cgns_section *mplan_cgns_section_of(const mplan_cgns_zone *zone, int64_t element);

/* Joins nodes of zones: sets node and n_nodes, and coordinates to those of the mesh's nodes. */
mplan_status mplan_cgns_join(mplan_cgns *file, mplan_error *err);
/* Both add the set cells, numbered zone after zone, and set first_cell and n_cells of the zones; the first with types
 * and rows of nodes, the second with the faces as sets and maps, which fills face_place. Nodes are there before. */
mplan_status mplan_cgns_read_cells(mplan_cgns *file, mplan_error *err);
mplan_status mplan_cgns_read_polyhedra(mplan_cgns *file, mplan_error *err);
/* For a layout: nodes and cells of the only zone, whose sections are described. MPLAN_ERR_UNSUPPORTED, with what helps, for several or
 * structured zones, interfaces, sections of several types or of polyhedra, and ADF. */
mplan_status mplan_cgns_place(const mplan_cgns *file, mplan_error *err);

/* What the header of a boundary condition says. */
enum { MPLAN_CGNS_FAMILY = 33 * 22 };
typedef struct mplan_cgns_condition {
    char name[MPLAN_CGNS_NAME], family[MPLAN_CGNS_FAMILY]; /* family: its own name without one */
    CGNS_ENUMT(BCType_t) kind;
    CGNS_ENUMT(PointSetType_t) points;
    CGNS_ENUMT(GridLocation_t) location;
    cgsize_t n; /* points: numbers, or the two ends of a range */
} mplan_cgns_condition;
/* Kind, location, form of the list and family of boundary condition `index` of the zone, from 1. */
mplan_status mplan_cgns_describe_condition(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                           int index, mplan_cgns_condition *found, mplan_error *err);
/* Whether the points that the file has are those that the library counts. numbers: entries times numbers of one. */
bool mplan_cgns_points_fit(const mplan_cgns *file, const mplan_cgns_zone *zone, int index,
                           int64_t numbers);
/* Adds groups of cells, facets, nodes and faces; unloads the sections. */
mplan_status mplan_cgns_read_groups(mplan_cgns *file, mplan_error *err);
#endif

#endif
