/* SPDX-License-Identifier: Apache-2.0 */
/* foam_files.h - binary polyMesh folders of meshes whose faces are derived, which are numbered as OpenFOAM numbers them */
#ifndef MPLAN_TESTS_FOAM_FILES_H
#define MPLAN_TESTS_FOAM_FILES_H

#include <stdarg.h>
#include <sys/stat.h>

#include "meshplan.h"
#include "over_ranks.h"

enum { FOAM_MOST = 4096 }; /* faces and nodes of a mesh here */

/* How a folder is written. */
typedef struct foam_form {
    int label, scalar;               /* bytes of numbers */
    bool big_endian, all_neighbours; /* the latter: -1 for faces on the boundary */
    int64_t merge;                   /* cells below it become one; 0: none */
} foam_form;

/* A number, its bytes in the order that is asked for. */
static inline void foam_number(FILE *file, const foam_form *form, double real, int64_t whole,
                               int size, bool is_real)
{
    const float half = (float)real;
    const int32_t narrow = (int32_t)whole;
    unsigned char bytes[8];
    memcpy(bytes,
           is_real ? (size == 4 ? (const void *)&half : &real)
                   : (size == 4 ? (const void *)&narrow : &whole),
           (size_t)size);
    for (int k = 0; k < size; k++)
        fputc(bytes[form->big_endian ? size - 1 - k : k], file);
}

static inline FILE *foam_begin(const char *folder, const char *name, const char *kind,
                               const foam_form *form)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    NEED(file);
    fprintf(file,
            "/* a case */\nFoamFile\n{\n    format binary;\n    class %s;\n    arch \"%s;label=%d;scalar=%d\";\n}\n",
            kind, form->big_endian ? "MSB" : "LSB", 8 * form->label, 8 * form->scalar);
    return file;
}

static inline void foam_labels(FILE *file, const foam_form *form, int64_t n, const int64_t *labels)
{
    fprintf(file, "\n%lld\n(", (long long)n);
    for (int64_t i = 0; i < n; i++)
        foam_number(file, form, 0, labels[i], form->label, false);
    fprintf(file, ")\n");
}

static inline void foam_points(const char *folder, const mplan_mesh *mesh, const foam_form *form)
{
    int32_t dimension;
    const int32_t nodes = mplan_mesh_find_set(mesh, "nodes");
    const double *xyz = mplan_mesh_coordinates(mesh, nodes, &dimension);
    FILE *file = foam_begin(folder, "points", "vectorField", form);
    NEED(xyz && dimension == 3);
    fprintf(file, "\n%lld\n(", (long long)mplan_mesh_set(mesh, nodes).size);
    for (int64_t i = 0; i < 3 * mplan_mesh_set(mesh, nodes).size; i++)
        foam_number(file, form, xyz[i], 0, form->scalar, true);
    fprintf(file, ")\n// the end\n");
    fclose(file);
}

/* Lists of a mesh while they are made. */
typedef struct foam_arrays {
    int64_t n, n_inner, n_nodes;
    int64_t starts[FOAM_MOST + 1], owner[FOAM_MOST], neighbour[FOAM_MOST], nodes[4 * FOAM_MOST];
} foam_arrays;

static inline int64_t foam_cell(const foam_form *form, int64_t cell)
{
    return cell < form->merge ? 0 : cell - (form->merge > 0 ? form->merge - 1 : 0);
}

/* Faces of a set; those between cells that become one are left out. */
static inline void foam_add(foam_arrays *a, mplan_mesh *mesh, const char *set, const foam_form *form)
{
    char name[64];
    mplan_error err;
    snprintf(name, sizeof name, "%s_nodes", set);
    NEED_DONE(mplan_mesh_derive(mesh, name, NULL, &err), &err);
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, name));
    snprintf(name, sizeof name, "%s_cells", set);
    NEED_DONE(mplan_mesh_derive(mesh, name, NULL, &err), &err);
    const mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, name));
    for (int64_t f = 0; f < nodes.n_rows; f++) {
        int32_t n, sides;
        const int32_t *row = mplan_map_row(&nodes, f, &n), *side = mplan_map_row(&cells, f, &sides);
        const int64_t owner = foam_cell(form, side[0]);
        const int64_t other = sides > 1 ? foam_cell(form, side[1]) : -1;
        if (other == owner)
            continue;
        NEED(a->n < FOAM_MOST && a->n_nodes + n <= 4 * FOAM_MOST);
        a->owner[a->n] = owner;
        a->neighbour[a->n++] = other;
        a->n_inner += other >= 0;
        for (int32_t k = 0; k < n; k++)
            a->nodes[a->n_nodes++] = row[k];
        a->starts[a->n] = a->n_nodes;
    }
}

/* The five files, with two patches; the folder is made. */
static inline void foam_write(mplan_mesh *mesh, const char *folder, const foam_form *form)
{
    static foam_arrays a;
    memset(&a, 0, sizeof a);
    NEED(mkdir(folder, 0700) == 0);
    foam_add(&a, mesh, "faces", form);
    foam_add(&a, mesh, "boundary_faces", form);
    foam_points(folder, mesh, form);
    FILE *file = foam_begin(folder, "faces", "faceCompactList", form);
    foam_labels(file, form, a.n + 1, a.starts);
    foam_labels(file, form, a.n_nodes, a.nodes);
    fclose(file);
    file = foam_begin(folder, "owner", "labelList", form);
    foam_labels(file, form, a.n, a.owner);
    fclose(file);
    file = foam_begin(folder, "neighbour", "labelList", form);
    foam_labels(file, form, form->all_neighbours ? a.n : a.n_inner, a.neighbour);
    fclose(file);
    file = foam_begin(folder, "boundary", "polyBoundaryMesh", form);
    const int64_t outer = a.n - a.n_inner, some = outer / 3;
    fprintf(file,
            "2(some { type patch; inGroups 1(both); nFaces %lld; startFace %lld; }\n"
            "all { type wall; inGroups 2(both wall); nFaces %lld; startFace %lld; })\n",
            (long long)some, (long long)a.n_inner, (long long)(outer - some),
            (long long)(a.n_inner + some));
    fclose(file);
}

#endif
