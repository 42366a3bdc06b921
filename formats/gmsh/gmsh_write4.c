/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_write4.c - writes MSH 4.1
 *
 * A block is a run of elements of equal shape and groups. The entities have no
 * boundaries, which the format allows. */
#include <string.h>

#include "base/error.h"
#include "formats/gmsh/gmsh_internal.h"

enum { MOST_NODES = 27 };

/* Entity of a signature, its groups from the last to the first. */
static void write_entity(gmsh_writer *to, const gmsh_part *part, const gmsh_signature *of)
{
    const gmsh_signature *all = part->signatures.data;
    int64_t n = of->parent < 0 && of->physical > 0;
    for (const gmsh_signature *at = of; at->parent >= 0; at = all + at->parent)
        n++;
    mplan_gmsh_put_int(to, of->entity);
    mplan_gmsh_put_reals(to, to->box, part->dimension == 0 ? 3 : 6);
    mplan_gmsh_put_size(to, n);
    if (n > 0 && of->parent < 0)
        mplan_gmsh_put_int(to, (int32_t)of->physical);
    for (const gmsh_signature *at = of; at->parent >= 0; at = all + at->parent)
        mplan_gmsh_put_int(to, (int32_t)at->physical);
    if (part->dimension > 0)
        mplan_gmsh_put_size(to, 0); /* bounding entities */
    mplan_gmsh_put_row(to);
}

/* One entity for each signature that has elements. */
static void write_entities(gmsh_writer *to)
{
    int64_t count[4] = {0};
    for (int32_t d = 0; d <= to->dimension; d++) {
        const gmsh_signature *signatures = to->parts[d].signatures.data;
        for (int64_t s = 0; s < to->parts[d].signatures.count; s++)
            count[d] += signatures[s].entity > 0;
    }
    mplan_text_put(&to->out, "$Entities\n");
    for (int32_t d = 0; d < 4; d++)
        mplan_gmsh_put_size(to, count[d]);
    mplan_gmsh_put_row(to);
    for (int32_t d = 0; d <= to->dimension; d++) {
        const gmsh_signature *signatures = to->parts[d].signatures.data;
        for (int64_t s = 0; s < to->parts[d].signatures.count; s++)
            if (signatures[s].entity > 0)
                write_entity(to, &to->parts[d], &signatures[s]);
    }
    mplan_gmsh_put_end(to, "$EndEntities\n");
}

/* Four numbers of type size_t: blocks, members, smallest and largest tag. */
static void put_totals(gmsh_writer *to, int64_t blocks, int64_t n)
{
    mplan_gmsh_put_size(to, blocks);
    mplan_gmsh_put_size(to, n);
    mplan_gmsh_put_size(to, n > 0);
    mplan_gmsh_put_size(to, n);
    mplan_gmsh_put_row(to);
}

/* Head of a block of nodes or elements. */
static void put_block(gmsh_writer *to, int32_t first, int32_t second, int32_t third, int64_t n)
{
    mplan_gmsh_put_int(to, first);
    mplan_gmsh_put_int(to, second);
    mplan_gmsh_put_int(to, third);
    mplan_gmsh_put_size(to, n);
    mplan_gmsh_put_row(to);
}

/* One block: numbers, then coordinates. */
static void write_nodes(gmsh_writer *to)
{
    mplan_text_put(&to->out, "$Nodes\n");
    put_totals(to, 1, to->n_nodes);
    put_block(to, to->dimension, 1, 0, to->n_nodes); /* of the first entity of the cells */
    for (int64_t i = 0; i < to->n_nodes; i++) {
        mplan_gmsh_put_size(to, i + 1);
        mplan_gmsh_put_row(to);
    }
    for (int64_t i = 0; i < to->n_nodes && !to->out.status; i++) {
        double xyz[3];
        mplan_gmsh_node(to, i, xyz);
        mplan_gmsh_put_reals(to, xyz, 3);
        mplan_gmsh_put_row(to);
    }
    mplan_gmsh_put_end(to, "$EndNodes\n");
}

/* Elements from i on that go into one block. */
static int64_t run_length(const gmsh_part *part, int64_t i)
{
    int64_t j = i + 1;
    while (j < part->n && part->type[j] == part->type[i] &&
           part->signature_of[j] == part->signature_of[i])
        j++;
    return j - i;
}

/* Number and n nodes of one element. */
static void write_row(gmsh_writer *to, int64_t tag, const int32_t *nodes, int32_t n)
{
    int64_t row[1 + MOST_NODES] = {tag};
    for (int32_t k = 0; k < n; k++)
        row[1 + k] = (int64_t)nodes[k] + 1;
    if (to->binary) {
        mplan_text_bytes(&to->out, row, (size_t)(1 + n) * sizeof *row);
        return;
    }
    for (int32_t k = 0; k < 1 + n; k++)
        mplan_text_int(&to->out, row[k]);
    mplan_text_row(&to->out);
}

/* Runs of equal type and signature are one block. */
static void write_part(gmsh_writer *to, const gmsh_part *part, int64_t *tag)
{
    const gmsh_signature *signatures = part->signatures.data;
    const int32_t *nodes = part->nodes;
    for (int64_t i = 0, n; i < part->n && !to->out.status; i += n) {
        n = run_length(part, i);
        mplan_cell_type type = (mplan_cell_type)part->type[i];
        const int32_t n_nodes = mplan_cell_type_nodes(type);
        put_block(to, part->dimension, signatures[part->signature_of[i]].entity,
                  mplan_gmsh_shape_number(type), n);
        for (int64_t k = 0; k < n; k++, nodes += n_nodes)
            write_row(to, *tag + k, nodes, n_nodes);
        *tag += n;
        mplan_progress(to->context, "write", i + n, part->n);
    }
}

/* Counts first: the head of the section holds them. */
static void write_elements(gmsh_writer *to)
{
    int64_t n = 0, blocks = 0, tag = 1;
    for (int32_t d = 0; d <= to->dimension; d++) {
        n += to->parts[d].n;
        for (int64_t i = 0; i < to->parts[d].n; i += run_length(&to->parts[d], i))
            blocks++;
    }
    mplan_text_put(&to->out, "$Elements\n");
    put_totals(to, blocks, n);
    for (int32_t d = 0; d <= to->dimension; d++)
        write_part(to, &to->parts[d], &tag);
    mplan_gmsh_put_end(to, "$EndElements\n");
}

/* Groups become entities: elements with the same list of groups are one entity with these
 * physical groups. Failures are kept in to->out.status. */
void mplan_gmsh_write_version4(gmsh_writer *to)
{
    mplan_text_put(&to->out, to->binary ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4.1 0 8\n");
    if (to->binary)
        mplan_gmsh_put_int(to, 1);
    mplan_gmsh_put_end(to, "$EndMeshFormat\n");
    mplan_gmsh_put_names(to);
    write_entities(to);
    write_nodes(to);
    write_elements(to);
}
