/* SPDX-License-Identifier: Apache-2.0 */
/* medit_write.c - writes medit's meshes: text of version 2, and binary files of version 3 where the name ends .meshb
 *
 * A section for each type of cells, so that cells of several types are sorted by type; then facets of groups. The
 * reference of a vertex, facet or cell is the number of its group, 0 without one. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/gmsh/gmsh_internal.h"
#include "formats/text/medit_parts.h"
#include "formats/text_out.h"
#include "mesh/mesh.h"

static const char *const kind = "a medit file";

enum { KEY_DIMENSION = 3, KEY_END = 54 };

/* The order of sections behind the vertices: cells first. */
static const mplan_cell_type types[] = {MPLAN_CELL_TET4,     MPLAN_CELL_PRISM6, MPLAN_CELL_HEX8,
                                        MPLAN_CELL_PYRAMID5, MPLAN_CELL_TRI3,   MPLAN_CELL_QUAD4,
                                        MPLAN_CELL_LINE2};
enum { N_TYPES = sizeof types / sizeof *types };

/* What is written. */
typedef struct medit_writer {
    mplan_text_out out;
    bool binary;
    int64_t bytes; /* of the binary file so far: sections name where the next one begins */
    int64_t n_nodes;
    const double *xyz;
    int32_t stride;
    gmsh_part parts[4];
    int32_t *reference[4];  /* one for each element of parts[d] */
    int32_t *vertex;        /* likewise for each node */
    int64_t count[N_TYPES]; /* elements of each of `types` */
} medit_writer;

/* --- numbers ---------------------------------------------------------------------- */

static void put_bytes(medit_writer *to, const void *data, size_t size)
{
    mplan_text_bytes(&to->out, data, size);
    to->bytes += (int64_t)size;
}

static void put_whole(medit_writer *to, int32_t value)
{
    if (to->binary)
        put_bytes(to, &value, sizeof value);
    else
        mplan_text_int(&to->out, value);
}

static void put_real(medit_writer *to, double value)
{
    if (to->binary)
        put_bytes(to, &value, sizeof value);
    else
        mplan_text_real(&to->out, value);
}

static mplan_status end_row(medit_writer *to)
{
    return to->binary ? to->out.status : mplan_text_row(&to->out);
}

/* The head of a section of `rows` rows, each of row_bytes in a binary file. */
static void begin_section(medit_writer *to, const mplan_medit_section *section, int64_t rows,
                          int64_t row_bytes)
{
    if (to->binary) {
        int64_t next = to->bytes + 4 + 8 + 4 + rows * row_bytes;
        put_whole(to, section->code);
        put_bytes(to, &next, sizeof next);
    } else {
        mplan_text_put(&to->out, "\n");
        mplan_text_put(&to->out, section->keyword);
        mplan_text_put(&to->out, "\n");
    }
    put_whole(to, (int32_t)rows);
    end_row(to);
}

/* --- sections --------------------------------------------------------------------- */

/* The version, and how many coordinates a vertex has. A 1 tells the byte order, which is the machine's. */
static void put_head(medit_writer *to)
{
    if (!to->binary) {
        mplan_text_put(&to->out, "MeshVersionFormatted 2\nDimension ");
        mplan_text_int(&to->out, to->stride);
        mplan_text_row(&to->out);
        return;
    }
    const int64_t next = 4 + 4 + 4 + 8 + 4;
    put_whole(to, 1);
    put_whole(to, 3);
    put_whole(to, KEY_DIMENSION);
    put_bytes(to, &next, sizeof next);
    put_whole(to, to->stride);
}

/* Coordinates, and the reference of each node, which is that of its group. */
static void put_vertices(medit_writer *to)
{
    begin_section(to, mplan_medit_by_type(MPLAN_CELL_POINT), to->n_nodes, to->stride * 8 + 4);
    for (int64_t i = 0; i < to->n_nodes && !to->out.status; i++) {
        for (int32_t d = 0; d < to->stride; d++)
            put_real(to, to->xyz[i * to->stride + d]);
        put_whole(to, to->vertex[i]);
        end_row(to);
    }
}

/* The elements of types[t], wherever they are among those of their dimension. */
static void put_elements(medit_writer *to, int32_t t)
{
    const int32_t n = mplan_cell_type_nodes(types[t]), d = mplan_cell_type_dimension(types[t]);
    const gmsh_part *part = &to->parts[d];
    const int32_t *node = part->nodes;
    if (to->count[t] == 0)
        return;
    begin_section(to, mplan_medit_by_type(types[t]), to->count[t], (n + 1) * 4);
    for (int64_t e = 0; e < part->n && !to->out.status; e++) {
        if (part->type[e] == types[t]) {
            for (int32_t k = 0; k < n; k++)
                put_whole(to, node[k] + 1);
            put_whole(to, to->reference[d][e]);
            end_row(to);
        }
        node += mplan_cell_type_nodes((mplan_cell_type)part->type[e]);
    }
}

/* Binary files end with a keyword and the place of a next one, 0. */
static void put_end(medit_writer *to)
{
    const int64_t none = 0;
    if (to->binary) {
        put_whole(to, KEY_END);
        put_bytes(to, &none, sizeof none);
    } else {
        mplan_text_put(&to->out, "\nEnd\n");
    }
}

/* --- what is written ---------------------------------------------------------------- */

/* count: of cells and facets; only types that the format has. */
static mplan_status count_elements(medit_writer *to, mplan_error *err)
{
    for (int32_t d = 1; d < 4; d++)
        for (int64_t e = 0; e < to->parts[d].n; e++) {
            int32_t t = 0;
            while (t < N_TYPES && types[t] != to->parts[d].type[e])
                t++;
            if (t == N_TYPES)
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "%s can only hold cells of first order, but cell %lld is a %s",
                                  kind, (long long)e,
                                  mplan_cell_type_name((mplan_cell_type)to->parts[d].type[e]));
            to->count[t]++;
        }
    return MPLAN_OK;
}

/* References of cells and facets, and of nodes, of which parts[0] has those in groups. In a mesh of lines these are
 * the facets. */
static mplan_status find_references(medit_writer *to, const mplan_context *context, mplan_error *err)
{
    mplan_status status = mplan_gmsh_references(to->parts, kind, to->reference, context, err);
    if (!status && !(to->vertex = mplan_alloc_zero(to->n_nodes, sizeof *to->vertex, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < to->parts[0].n && !status; i++)
        to->vertex[to->parts[0].nodes[i]] = to->reference[0][i];
    return status;
}

static bool is_binary(const char *path)
{
    size_t length = strlen(path);
    return length > 6 && strcmp(path + length - 6, ".meshb") == 0;
}

/* Head, vertices, then elements type by type. */
static mplan_status write_file(medit_writer *to, mplan_output *output, const mplan_context *context,
                               mplan_error *err)
{
    mplan_status status = mplan_text_begin(&to->out, output, context, err);
    if (status)
        return status;
    put_head(to);
    put_vertices(to);
    for (int32_t t = 0; t < N_TYPES; t++)
        put_elements(to, t);
    put_end(to);
    return mplan_text_end(&to->out);
}

/* Formats such as Gmsh's collect their parts the same way. */
mplan_status mplan_medit_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                               const mplan_context *context, mplan_error *err)
{
    (void)what;
    medit_writer to = {.binary = is_binary(mplan_output_path(output))};
    mplan_status status = mplan_gmsh_find_nodes(mesh, kind, &to.n_nodes, &to.xyz, &to.stride, err);
    if (!status)
        status = mplan_gmsh_collect_parts(mesh, kind, to.parts, context, err);
    if (status)
        return status;
    status = count_elements(&to, err);
    if (!status)
        status = find_references(&to, context, err);
    if (!status)
        status = write_file(&to, output, context, err);
    for (int32_t d = 0; d < 4; d++)
        free(to.reference[d]);
    free(to.vertex);
    mplan_gmsh_free_parts(to.parts);
    return status;
}
