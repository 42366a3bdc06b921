/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_write.c - writes MSH 4.1 and 2.2, text and binary: what the versions share
 *
 * Nodes and elements keep their order. Tags count from 1, elements from the lowest
 * dimension up. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/gmsh/gmsh_internal.h"

static const char *const kind = "a Gmsh file";

/* Also the bounding box, which version 4 wants. */
static mplan_status find_nodes(gmsh_writer *to, const mplan_mesh *mesh, mplan_error *err)
{
    mplan_status status = mplan_gmsh_find_nodes(mesh, kind, &to->n_nodes, &to->coordinates,
                                                &to->coordinate_dimension, err);
    if (status)
        return status;
    to->dimension = mplan_mesh_dimension(mesh);
    const int32_t d = to->coordinate_dimension;
    for (int64_t i = 0; i < to->n_nodes; i++)
        for (int32_t k = 0; k < d; k++) {
            double x = to->coordinates[i * d + k];
            to->box[k] = i == 0 || x < to->box[k] ? x : to->box[k];
            to->box[3 + k] = i == 0 || x > to->box[3 + k] ? x : to->box[3 + k];
        }
    return MPLAN_OK;
}

/* Both versions write the same parts. */
static mplan_status write_file(const mplan_mesh *mesh, int32_t version, bool binary,
                               mplan_output *output, const mplan_context *context, mplan_error *err)
{
    gmsh_writer to = {.context = context, .binary = binary};
    mplan_status status = find_nodes(&to, mesh, err);
    if (!status)
        status = mplan_gmsh_collect_parts(mesh, kind, to.parts, context, err);
    if (status)
        return status;
    status = mplan_text_begin(&to.out, output, context, err);
    if (!status) {
        if (version == 4)
            mplan_gmsh_write_version4(&to);
        else
            mplan_gmsh_write_version2(&to);
        status = mplan_text_end(&to.out);
    }
    mplan_gmsh_free_parts(to.parts);
    return status;
}

/* The format of the name `gmsh`: 4.1, binary. */
mplan_status mplan_gmsh_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                              const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_file(mesh, 4, true, output, context, err);
}

/* --- the formats that are written only when they are asked for ------------------- */

/* 4.1, text. */
static mplan_status write_text(const mplan_mesh *mesh, const char *what, mplan_output *output,
                               const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_file(mesh, 4, false, output, context, err);
}

/* 2.2, binary, which older programs read. */
static mplan_status write_binary22(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                   const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_file(mesh, 2, true, output, context, err);
}

/* 2.2, text. */
static mplan_status write_text22(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                 const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_file(mesh, 2, false, output, context, err);
}

const mplan_file_format mplan_format_gmsh_text = {
    .name = "gmsh-text",
    .description = "Gmsh MSH 4.1 text, only if it is named",
    .extensions = ".msh",
    .write = write_text,
};

const mplan_file_format mplan_format_gmsh22 = {
    .name = "gmsh22",
    .description = "Gmsh MSH 2.2 binary, only if it is named",
    .extensions = ".msh",
    .write = write_binary22,
};

const mplan_file_format mplan_format_gmsh22_text = {
    .name = "gmsh22-text",
    .description = "Gmsh MSH 2.2 text, only if it is named",
    .extensions = ".msh",
    .write = write_text22,
};
