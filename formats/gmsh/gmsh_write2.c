/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_write2.c - writes MSH 2.2
 *
 * An element is written once for each group it is in, under one tag, as Gmsh does. Its
 * elementary tag tells elements apart that are in different groups. */
#include <string.h>

#include "base/error.h"
#include "formats/gmsh/gmsh_internal.h"

enum { MOST_NODES = 27, TAGS = 2 };

/* Groups that elements of a signature are in, at least one record without any. */
static int64_t n_records(const gmsh_signature *all, int32_t signature)
{
    int64_t n = 0;
    for (const gmsh_signature *at = all + signature; at->parent >= 0; at = all + at->parent)
        n++;
    return n > 0 ? n : 1;
}

/* Element `tag` in one group; binary files have a header before runs of equal shape, which
 * put_part writes. */
static void put_element(gmsh_writer *to, int64_t tag, int32_t shape, int64_t physical,
                        int32_t entity, const int32_t *nodes, int32_t n)
{
    int32_t row[1 + TAGS + MOST_NODES] = {(int32_t)tag, (int32_t)physical, entity};
    for (int32_t k = 0; k < n; k++)
        row[1 + TAGS + k] = nodes[k] + 1;
    if (to->binary) {
        mplan_text_bytes(&to->out, row, (size_t)(1 + TAGS + n) * sizeof *row);
        return;
    }
    mplan_text_int(&to->out, tag);
    mplan_text_int(&to->out, shape);
    mplan_text_int(&to->out, TAGS);
    for (int32_t k = 0; k < TAGS + n; k++)
        mplan_text_int(&to->out, row[1 + k]);
    mplan_text_row(&to->out);
}

/* Records of the elements from i on that have one shape; *end: the first that has another. */
static int64_t run_records(const gmsh_part *part, int64_t i, int64_t *end)
{
    int64_t n = 0, j = i;
    for (; j < part->n && part->type[j] == part->type[i]; j++)
        n += n_records(part->signatures.data, part->signature_of[j]);
    *end = j;
    return n;
}

/* Elements of `part`, once for each group that holds them; *tag counts the
 * records. */
static void put_part(gmsh_writer *to, const gmsh_part *part, int64_t *tag)
{
    const gmsh_signature *all = part->signatures.data;
    const int32_t *nodes = part->nodes;
    for (int64_t i = 0, end; i < part->n && !to->out.status; i = end) {
        const mplan_cell_type type = (mplan_cell_type)part->type[i];
        const int32_t n_nodes = mplan_cell_type_nodes(type), shape = mplan_gmsh_shape_number(type);
        const int64_t records = run_records(part, i, &end);
        if (to->binary) {
            mplan_gmsh_put_int(to, shape);
            mplan_gmsh_put_int(to, (int32_t)records);
            mplan_gmsh_put_int(to, TAGS);
        }
        for (int64_t e = i; e < end; e++, (*tag)++, nodes += n_nodes) {
            const gmsh_signature *of = all + part->signature_of[e];
            if (of->parent < 0)
                put_element(to, *tag, shape, of->physical, of->entity, nodes, n_nodes);
            for (const gmsh_signature *at = of; at->parent >= 0; at = all + at->parent)
                put_element(to, *tag, shape, at->physical, of->entity, nodes, n_nodes);
        }
        mplan_progress(to->context, "write", end, part->n);
    }
}

/* Elements, once for each group that holds them. */
static int64_t count_records(const gmsh_writer *to)
{
    int64_t n = 0;
    for (int32_t d = 0; d <= to->dimension; d++)
        for (int64_t i = 0, end; i < to->parts[d].n; i = end)
            n += run_records(&to->parts[d], i, &end);
    return n;
}

/* Numbers from 1. */
static void write_nodes(gmsh_writer *to)
{
    mplan_text_put(&to->out, "$Nodes\n");
    mplan_text_int(&to->out, to->n_nodes);
    mplan_text_row(&to->out);
    for (int64_t i = 0; i < to->n_nodes && !to->out.status; i++) {
        double xyz[3];
        mplan_gmsh_node(to, i, xyz);
        mplan_gmsh_put_int(to, (int32_t)(i + 1));
        mplan_gmsh_put_reals(to, xyz, 3);
        mplan_gmsh_put_row(to);
    }
    mplan_gmsh_put_end(to, "$EndNodes\n");
}

/* An element in n groups is written n times, since version 2 has one physical group for each.
 * Failures are kept in to->out.status. */
void mplan_gmsh_write_version2(gmsh_writer *to)
{
    int64_t tag = 1, records = count_records(to);
    if (records > INT32_MAX) {
        to->out.status = mplan_fail(to->out.err, MPLAN_ERR_UNSUPPORTED,
                                    "MSH 2.2 cannot number %lld elements", (long long)records);
        return;
    }
    mplan_text_put(&to->out, to->binary ? "$MeshFormat\n2.2 1 8\n" : "$MeshFormat\n2.2 0 8\n");
    if (to->binary)
        mplan_gmsh_put_int(to, 1);
    mplan_gmsh_put_end(to, "$EndMeshFormat\n");
    mplan_gmsh_put_names(to);
    write_nodes(to);
    mplan_text_put(&to->out, "$Elements\n");
    mplan_text_int(&to->out, records);
    mplan_text_row(&to->out);
    for (int32_t d = 0; d <= to->dimension; d++)
        put_part(to, &to->parts[d], &tag);
    mplan_gmsh_put_end(to, "$EndElements\n");
}
