/* SPDX-License-Identifier: Apache-2.0 */
/* fluent.h - the parts of the reader of Fluent's meshes and cases
 *
 * fluent.c           the format; from faces to a mesh of volumes
 * fluent_flat.c      from faces to a mesh in the plane, or a surface
 * fluent_rows.c      coordinates and faces
 * fluent_sections.c  which sections there are
 * fluent_hdf5.c      the same in HDF5
 *
 * Source: Fluent's user guide, appendix "Mesh file format". A file is a list of sections in brackets, each begun
 * by a number; what a section is of begins with zone, first, last in hexadecimal. Cells have no nodes, only faces. */
#ifndef MPLAN_FLUENT_H
#define MPLAN_FLUENT_H

#include "base/memory.h"
#include "formats/scan.h"

enum { MPLAN_FLUENT_NODES = 10, MPLAN_FLUENT_CELLS = 12, MPLAN_FLUENT_FACES = 13 };

/* Types of zones of faces. */
enum { MPLAN_FLUENT_INTERIOR = 2, MPLAN_FLUENT_PARENT = 31, MPLAN_FLUENT_INACTIVE = 32 };

/* A section of nodes, cells or faces that belongs to a zone. */
typedef struct mplan_fluent_section {
    int32_t kind;
    int32_t real_bytes; /* 0: text; 4 or 8: binary, whole numbers of 4 bytes */
    int64_t zone, first, last;
    int64_t type,
        shape; /* of faces: the corners of each, 0 mixed, 5 polygons; of nodes: the dimension */
    mplan_scanner body; /* at its first row; `at` NULL: without rows */
    int64_t begin, end; /* of faces: which of those that were read */
} mplan_fluent_section;

/* What a zone is called: views into the file. */
typedef struct mplan_fluent_zone {
    int64_t id;
    const char *type, *name;
    size_t type_length, name_length;
} mplan_fluent_zone;

/* A file that is read. */
typedef struct mplan_fluent {
    const mplan_context *context;
    mplan_scanner scan; /* at the beginning of the file */
    int64_t dimension;
    mplan_vector sections; /* mplan_fluent_section, in the order of the file */
    mplan_vector zones;    /* mplan_fluent_zone, sorted by id */
    int64_t n_nodes, n_faces, n_cells;
    int64_t n_bare;       /* faces without nodes, which are skipped */
    double *xyz;          /* three a node */
    mplan_vector offsets; /* int64_t, n_faces + 1: where the nodes of a face begin */
    mplan_vector nodes;   /* int32_t */
    mplan_vector sides; /* int32_t, two of each face: the cell that its normal enters, and that which it leaves; -1 */
} mplan_fluent;

static inline mplan_fluent_section *mplan_fluent_section_at(const mplan_fluent *file, int64_t i)
{
    return (mplan_fluent_section *)file->sections.data + i;
}

/* Fills dimension, sections and zones. */
mplan_status mplan_fluent_find_sections(mplan_fluent *file, mplan_error *err);
/* NULL without one. */
const mplan_fluent_zone *mplan_fluent_find_zone(const mplan_fluent *file, int64_t id);

/* An empty file, and what it holds. */
void mplan_fluent_begin(mplan_fluent *file, const mplan_context *context);
void mplan_fluent_free(mplan_fluent *file);

/* Fills all of nodes and faces. */
mplan_status mplan_fluent_read_nodes(mplan_fluent *file, mplan_error *err);
mplan_status mplan_fluent_read_faces(mplan_fluent *file, mplan_error *err);

/* Each cell needs faces, and sections must not hold one twice: what bounds the cells that are allocated. */
mplan_status mplan_fluent_check_cells(const mplan_fluent *file, mplan_error *err);
/* The mesh of faces, sections and zones; file->xyz is handed over. */
mplan_status mplan_fluent_build(mplan_fluent *file, mplan_mesh *mesh, mplan_error *err);
/* The mesh of a file of dimension 2, or without cells. */
mplan_status mplan_fluent_build_flat(const mplan_fluent *file, mplan_mesh *mesh, mplan_error *err);

/* A hexadecimal number, behind blanks; it ends at a blank or bracket. */
mplan_status mplan_fluent_hex(mplan_scanner *scan, const char *what, int64_t *value,
                              mplan_error *err);

#endif
