/* SPDX-License-Identifier: Apache-2.0 */
/* su2_write.c - writes SU2's native meshes (SU2's manual, "Mesh File")
 *
 * Markers are groups of facets or nodes. Cells and points carry their number behind
 * them, as SU2's own tools write it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/gmsh/gmsh_internal.h"
#include "formats/text/su2_parts.h"
#include "formats/skipped_groups.h"
#include "formats/text_out.h"

enum { MOST_NAME = 255 };

static const char *const kind = "an SU2 file";

/* VTK's code of a cell type; 0: SU2 has no such cell. */
static int32_t code_of_type(mplan_cell_type type)
{
    switch (type) {
    case MPLAN_CELL_POINT: return 1;
    case MPLAN_CELL_LINE2: return 3;
    case MPLAN_CELL_TRI3: return 5;
    case MPLAN_CELL_QUAD4: return 9;
    case MPLAN_CELL_TET4: return 10;
    case MPLAN_CELL_HEX8: return 12;
    case MPLAN_CELL_PRISM6: return 13;
    case MPLAN_CELL_PYRAMID5: return 14;
    default: return 0;
    }
}

/* A facet of second order is the one of first order with its corners. */
static mplan_cell_type facet_type(mplan_cell_type type)
{
    switch (mplan_cell_type_corners(type)) {
    case 1: return MPLAN_CELL_POINT;
    case 2: return MPLAN_CELL_LINE2;
    case 3: return MPLAN_CELL_TRI3;
    default: return MPLAN_CELL_QUAD4;
    }
}

/* Types that the format has. */
static mplan_status check_cells(const mplan_mesh *mesh, int64_t n, mplan_error *err)
{
    const uint8_t *type = mplan_mesh_cell_types(mesh);
    for (int64_t c = 0; c < n; c++)
        if (code_of_type((mplan_cell_type)type[c]) == 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "%s can only hold cells of first order, but cell %lld is a %s", kind,
                              (long long)c, mplan_cell_type_name((mplan_cell_type)type[c]));
    return MPLAN_OK;
}

/* Planar meshes have two coordinates in SU2, which a mesh may have with a third of 0. */
static int32_t dimension_of(const mplan_mesh *mesh, int64_t n, const double *xyz, int32_t dimension)
{
    if (dimension != 3 || mplan_mesh_dimension(mesh) == 3)
        return dimension;
    for (int64_t i = 0; i < n; i++)
        if (xyz[3 * i + 2] != 0)
            return 3;
    return 2;
}

/* VTK's code and the nodes, which SU2 orders as meshplan does. */
static void put_element(mplan_text_out *out, mplan_cell_type type, const int32_t *node)
{
    mplan_text_int(out, code_of_type(type));
    for (int32_t k = 0; k < mplan_cell_type_nodes(type); k++)
        mplan_text_int(out, node[k]);
}

/* Number of each behind its nodes. */
static mplan_status write_cells(mplan_text_out *out, const gmsh_part *cells)
{
    const int32_t *node = cells->nodes;
    mplan_text_put(out, "NELEM= ");
    mplan_text_int(out, cells->n);
    mplan_status status = mplan_text_row(out);
    for (int64_t c = 0; c < cells->n && !status; c++) {
        put_element(out, (mplan_cell_type)cells->type[c], node);
        mplan_text_int(out, c);
        status = mplan_text_row(out);
        node += mplan_cell_type_nodes((mplan_cell_type)cells->type[c]);
    }
    return status;
}

/* Two coordinates where all third ones are 0; the number behind them is the point's own, as
 * SU2's older files have it. */
static mplan_status write_points(mplan_text_out *out, int64_t n, const double *xyz, int32_t stride,
                                 int32_t dimension)
{
    mplan_text_put(out, "NPOIN= ");
    mplan_text_int(out, n);
    mplan_status status = mplan_text_row(out);
    for (int64_t i = 0; i < n && !status; i++) {
        for (int32_t d = 0; d < dimension; d++)
            mplan_text_real(out, xyz[i * stride + d]);
        mplan_text_int(out, i);
        status = mplan_text_row(out);
    }
    return status;
}

/* A tag ends at a comment or with its line, and has something in it. */
static void put_tag(mplan_text_out *out, const gmsh_physical *group)
{
    char tag[MOST_NAME + 1];
    size_t n = 0;
    for (const char *c = group->name; *c && n < MOST_NAME; c++)
        tag[n++] = *c == '%' || (unsigned char)*c < ' ' ? '_' : *c;
    tag[n] = '\0';
    if (strspn(tag, " ") == n)
        snprintf(tag, sizeof tag, "marker_%lld", (long long)group->tag);
    mplan_text_put(out, "MARKER_TAG= ");
    mplan_text_put(out, tag);
    mplan_text_put(out, "\n");
}

/* The markers of one part: its groups. */
static mplan_status write_markers(mplan_text_out *out, const gmsh_part *part)
{
    const gmsh_physical *groups = part->groups.data;
    const int64_t *first = part->offsets.data;
    mplan_status status = out->status;
    for (int64_t g = 0; g < part->groups.count && !status; g++) {
        put_tag(out, &groups[g]);
        mplan_text_put(out, "MARKER_ELEMS= ");
        mplan_text_int(out, groups[g].n_members);
        status = mplan_text_row(out);
        for (int64_t i = 0; i < groups[g].n_members && !status; i++) {
            int32_t e = groups[g].members[i];
            put_element(out, facet_type((mplan_cell_type)part->type[e]), part->nodes + first[e]);
            status = mplan_text_row(out);
        }
    }
    return status;
}

/* A group of all cells says nothing that is lost. */
static void warn_of_cells(const gmsh_part *cells, const mplan_context *context)
{
    const gmsh_physical *groups = cells->groups.data;
    mplan_skipped_groups skipped = {0};
    bool lost = false;
    for (int64_t g = 0; g < cells->groups.count; g++) {
        const mplan_group group = {.name = groups[g].name, .id = groups[g].tag};
        mplan_skip_group(&skipped, &group, "cells");
        lost = lost || groups[g].name[0] || groups[g].n_members < cells->n;
    }
    if (lost)
        mplan_warn_skipped(&skipped, kind, context);
}

/* Cells, points, and as markers the groups of facets; groups of points only where facets are not
 * points. Formats such as Gmsh's collect their parts the same way. */
mplan_status mplan_su2_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err)
{
    (void)what;
    int64_t n_nodes;
    int32_t stride, dimension = mplan_mesh_dimension(mesh);
    const double *xyz;
    gmsh_part parts[4];
    mplan_text_out out;
    mplan_status status = mplan_gmsh_find_nodes(mesh, kind, &n_nodes, &xyz, &stride, err);
    if (!status)
        status = check_cells(mesh, mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size,
                             err);
    if (!status)
        status = mplan_gmsh_collect_parts(mesh, kind, parts, context, err);
    if (status)
        return status;
    warn_of_cells(&parts[dimension], context);
    status = mplan_text_begin(&out, output, context, err);
    if (!status) {
        const int32_t written = dimension_of(mesh, n_nodes, xyz, stride);
        const bool points = dimension > 1; /* in a mesh of lines they are the facets */
        mplan_text_put(&out, "NDIME= ");
        mplan_text_int(&out, written);
        mplan_text_row(&out);
        write_cells(&out, &parts[dimension]);
        write_points(&out, n_nodes, xyz, stride, written);
        mplan_text_put(&out, "NMARK= ");
        mplan_text_int(&out,
                       parts[dimension - 1].groups.count + (points ? parts[0].groups.count : 0));
        mplan_text_row(&out);
        write_markers(&out, &parts[dimension - 1]);
        if (points)
            write_markers(&out, &parts[0]);
        status = mplan_text_end(&out);
    }
    mplan_gmsh_free_parts(parts);
    return status;
}
