/* gmsh_write.c - writes MSH 4.1 and 2.2, text and binary: what the versions share
 *
 * Nodes and elements keep their order. Tags count from 1, elements from the lowest
 * dimension up. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/gmsh/gmsh_internal.h"

enum { MAX_NAME = 127 /* bytes that Gmsh reads of a name */ };

static const char *const kind = "a Gmsh file";

/* --- numbers -------------------------------------------------------------------- */

void mplan_gmsh_put_int(gmsh_writer *to, int32_t value)
{
    if (to->binary)
        mplan_text_bytes(&to->out, &value, sizeof value);
    else
        mplan_text_int(&to->out, value);
}

void mplan_gmsh_put_size(gmsh_writer *to, int64_t value)
{
    if (to->binary)
        mplan_text_bytes(&to->out, &value, sizeof value);
    else
        mplan_text_int(&to->out, value);
}

void mplan_gmsh_put_reals(gmsh_writer *to, const double *values, int32_t n)
{
    if (to->binary)
        mplan_text_bytes(&to->out, values, (size_t)n * sizeof *values);
    for (int32_t i = 0; i < n && !to->binary; i++)
        mplan_text_real(&to->out, values[i]);
}

void mplan_gmsh_put_row(gmsh_writer *to)
{
    if (!to->binary)
        mplan_text_row(&to->out);
}

void mplan_gmsh_put_end(gmsh_writer *to, const char *line)
{
    if (to->binary)
        mplan_text_put(&to->out, "\n");
    mplan_text_put(&to->out, line);
}

void mplan_gmsh_node(const gmsh_writer *to, int64_t node, double xyz[3])
{
    const int32_t d = to->coordinate_dimension;
    for (int32_t k = 0; k < 3; k++)
        xyz[k] = k < d ? to->coordinates[node * d + k] : 0;
}

/* --- names ---------------------------------------------------------------------- */

/* Quotes and line ends within a name are replaced: the format has no escapes. */
static void put_name(gmsh_writer *to, int32_t dimension, const gmsh_physical *group)
{
    char line[MAX_NAME + 64], safe[MAX_NAME + 1];
    size_t n = strlen(group->name);
    n = n < MAX_NAME ? n : MAX_NAME;
    for (size_t i = 0; i < n; i++) {
        char c = group->name[i];
        safe[i] = c == '"' ? '\'' : c == '\n' ? ' ' : c;
    }
    safe[n] = '\0';
    snprintf(line, sizeof line, "%d %lld \"%s\"\n", (int)dimension, (long long)group->tag, safe);
    mplan_text_put(&to->out, line);
}

/* Groups of one tag (the boundary and the inner part of one) share a name. */
static bool needs_name(const gmsh_part *part, int64_t g)
{
    const gmsh_physical *groups = part->groups.data;
    for (int64_t k = 0; k < g; k++)
        if (groups[k].tag == groups[g].tag)
            return false;
    return groups[g].name[0] != '\0';
}

/* Groups without a name, and those whose name is the one that a reader gives
 * them anyway, need no line. */
void mplan_gmsh_put_names(gmsh_writer *to)
{
    int64_t n = 0;
    for (int32_t d = 0; d <= to->dimension; d++)
        for (int64_t g = 0; g < to->parts[d].groups.count; g++)
            n += needs_name(&to->parts[d], g);
    if (n == 0)
        return;
    mplan_text_put(&to->out, "$PhysicalNames\n");
    mplan_text_int(&to->out, n);
    mplan_text_row(&to->out);
    for (int32_t d = 0; d <= to->dimension; d++) {
        const gmsh_physical *groups = to->parts[d].groups.data;
        for (int64_t g = 0; g < to->parts[d].groups.count; g++)
            if (needs_name(&to->parts[d], g))
                put_name(to, d, &groups[g]);
    }
    mplan_text_put(&to->out, "$EndPhysicalNames\n");
}

/* --- the file ------------------------------------------------------------------- */

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
                               mplan_output *output, const mplan_context *context,
                               mplan_error *err)
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

mplan_status mplan_gmsh_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                              const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_file(mesh, 4, true, output, context, err);
}

/* --- the formats that are written only when they are asked for ------------------- */

static mplan_status write_text(const mplan_mesh *mesh, const char *what, mplan_output *output,
                               const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_file(mesh, 4, false, output, context, err);
}

static mplan_status write_binary22(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                   const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_file(mesh, 2, true, output, context, err);
}

static mplan_status write_text22(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                 const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_file(mesh, 2, false, output, context, err);
}

static mplan_recognised recognise_nothing(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return MPLAN_RECOGNISED_NO; /* the format gmsh reads them all */
}

const mplan_file_format mplan_format_gmsh_text = {
    .name = "gmsh-text",
    .description = "Gmsh MSH 4.1 text, asked for by name",
    .extensions = ".msh",
    .recognise = recognise_nothing,
    .write = write_text,
};

const mplan_file_format mplan_format_gmsh22 = {
    .name = "gmsh22",
    .description = "Gmsh MSH 2.2 binary, asked for by name",
    .extensions = ".msh",
    .recognise = recognise_nothing,
    .write = write_binary22,
};

const mplan_file_format mplan_format_gmsh22_text = {
    .name = "gmsh22-text",
    .description = "Gmsh MSH 2.2 text, asked for by name",
    .extensions = ".msh",
    .recognise = recognise_nothing,
    .write = write_text22,
};
