/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_put.c - what versions 2.2 and 4.1 write alike: numbers, nodes, names */
#include <stdio.h>
#include <string.h>

#include "formats/gmsh/gmsh_internal.h"

enum { MAX_NAME = 127 /* bytes that Gmsh reads of a name */ };

/* --- numbers -------------------------------------------------------------------- */

/* 4 bytes, or text. */
void mplan_gmsh_put_int(gmsh_writer *to, int32_t value)
{
    if (to->binary)
        mplan_text_bytes(&to->out, &value, sizeof value);
    else
        mplan_text_int(&to->out, value);
}

/* 8 bytes (size_t of the format), or text. */
void mplan_gmsh_put_size(gmsh_writer *to, int64_t value)
{
    if (to->binary)
        mplan_text_bytes(&to->out, &value, sizeof value);
    else
        mplan_text_int(&to->out, value);
}

/* 8 bytes each, or text. */
void mplan_gmsh_put_reals(gmsh_writer *to, const double *values, int32_t n)
{
    if (to->binary)
        mplan_text_bytes(&to->out, values, (size_t)n * sizeof *values);
    for (int32_t i = 0; i < n && !to->binary; i++)
        mplan_text_real(&to->out, values[i]);
}

/* A line end, in text only. */
void mplan_gmsh_put_row(gmsh_writer *to)
{
    if (!to->binary)
        mplan_text_row(&to->out);
}

/* line: of text also in binary files, on a line of its own. */
void mplan_gmsh_put_end(gmsh_writer *to, const char *line)
{
    if (to->binary)
        mplan_text_put(&to->out, "\n");
    mplan_text_put(&to->out, line);
}

/* Missing coordinates are 0. */
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
