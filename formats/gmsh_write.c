/* gmsh_write.c - writes MSH 4.1 binary
 *
 * Nodes and elements keep their order: a block is a run of equal shape and
 * groups. Tags count from 1, elements from the lowest dimension up. The
 * entities have no boundaries, which the format allows. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/gmsh_internal.h"

enum {
    BUFFER = 1 << 16,
    MAX_NAME = 127,            /* bytes that Gmsh reads of a name */
    LARGEST_ROW = 8 * (1 + 27) /* an element's tag and nodes */
};

static const char *const kind = "a Gmsh file";

typedef struct writer {
    mplan_output *output;
    const mplan_context *context;
    int32_t dimension; /* of the cells */
    int64_t n_nodes;
    const double *coordinates;
    int32_t coordinate_dimension;
    double box[6]; /* smallest and largest coordinates */
    gmsh_part parts[4];
    size_t used;
    uint8_t buffer[BUFFER];
} writer;

/* --- bytes ------------------------------------------------------------------ */

static mplan_status flush(writer *to, mplan_error *err)
{
    size_t used = to->used;
    to->used = 0;
    return mplan_output_write(to->output, to->buffer, used, err);
}

/* size is at most that of the buffer */
static mplan_status put(writer *to, const void *data, size_t size, mplan_error *err)
{
    if (to->used + size > BUFFER) {
        mplan_status status = flush(to, err);
        if (status)
            return status;
    }
    memcpy(to->buffer + to->used, data, size);
    to->used += size;
    return MPLAN_OK;
}

static mplan_status put_text(writer *to, const char *text, mplan_error *err)
{
    return put(to, text, strlen(text), err);
}

static mplan_status put_int(writer *to, int32_t value, mplan_error *err)
{
    return put(to, &value, sizeof value, err);
}

static mplan_status put_size(writer *to, int64_t value, mplan_error *err)
{
    return put(to, &value, sizeof value, err);
}

/* --- names and entities ------------------------------------------------------- */

static mplan_status write_name(writer *to, int32_t dimension, const gmsh_physical *group,
                               mplan_error *err)
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
    return put_text(to, line, err);
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

static mplan_status write_names(writer *to, mplan_error *err)
{
    int64_t n = 0;
    for (int32_t d = 0; d <= to->dimension; d++)
        for (int64_t g = 0; g < to->parts[d].groups.count; g++)
            n += needs_name(&to->parts[d], g);
    if (n == 0)
        return MPLAN_OK;
    char head[64];
    snprintf(head, sizeof head, "$PhysicalNames\n%lld\n", (long long)n);
    mplan_status status = put_text(to, head, err);
    for (int32_t d = 0; d <= to->dimension; d++) {
        const gmsh_physical *groups = to->parts[d].groups.data;
        for (int64_t g = 0; !status && g < to->parts[d].groups.count; g++)
            if (needs_name(&to->parts[d], g))
                status = write_name(to, d, &groups[g], err);
    }
    return status ? status : put_text(to, "$EndPhysicalNames\n", err);
}

/* Entity of a signature, its groups from the last to the first. */
static mplan_status write_entity(writer *to, const gmsh_part *part, const gmsh_signature *of,
                                 mplan_error *err)
{
    const gmsh_signature *all = part->signatures.data;
    int64_t n = of->parent < 0 && of->physical > 0;
    for (const gmsh_signature *at = of; at->parent >= 0; at = all + at->parent)
        n++;
    mplan_status status = put_int(to, of->entity, err);
    if (!status)
        status = put(to, to->box, (part->dimension == 0 ? 3 : 6) * sizeof(double), err);
    if (!status)
        status = put_size(to, n, err);
    if (!status && n > 0 && of->parent < 0)
        status = put_int(to, (int32_t)of->physical, err);
    for (const gmsh_signature *at = of; !status && at->parent >= 0; at = all + at->parent)
        status = put_int(to, (int32_t)at->physical, err);
    if (!status && part->dimension > 0)
        status = put_size(to, 0, err); /* bounding entities */
    return status;
}

static mplan_status write_entities(writer *to, mplan_error *err)
{
    int64_t count[4] = {0};
    for (int32_t d = 0; d <= to->dimension; d++) {
        const gmsh_signature *signatures = to->parts[d].signatures.data;
        for (int64_t s = 0; s < to->parts[d].signatures.count; s++)
            count[d] += signatures[s].entity > 0;
    }
    mplan_status status = put_text(to, "$Entities\n", err);
    if (!status)
        status = put(to, count, sizeof count, err);
    for (int32_t d = 0; d <= to->dimension; d++) {
        const gmsh_signature *signatures = to->parts[d].signatures.data;
        for (int64_t s = 0; !status && s < to->parts[d].signatures.count; s++)
            if (signatures[s].entity > 0)
                status = write_entity(to, &to->parts[d], &signatures[s], err);
    }
    return status ? status : put_text(to, "\n$EndEntities\n", err);
}

/* --- nodes and elements --------------------------------------------------------- */

static mplan_status write_nodes(writer *to, mplan_error *err)
{
    const int64_t head[4] = {1, to->n_nodes, to->n_nodes > 0, to->n_nodes};
    const int32_t block[3] = {to->dimension, 1, 0}; /* the first entity of the cells */
    mplan_status status = put_text(to, "$Nodes\n", err);
    if (!status)
        status = put(to, head, sizeof head, err);
    if (!status)
        status = put(to, block, sizeof block, err);
    if (!status)
        status = put_size(to, to->n_nodes, err);
    for (int64_t i = 0; !status && i < to->n_nodes; i++)
        status = put_size(to, i + 1, err);
    const int32_t d = to->coordinate_dimension;
    for (int64_t i = 0; !status && i < to->n_nodes; i++) {
        double xyz[3] = {0};
        for (int32_t k = 0; k < d; k++)
            xyz[k] = to->coordinates[i * d + k];
        status = put(to, xyz, sizeof xyz, err);
    }
    return status ? status : put_text(to, "\n$EndNodes\n", err);
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

/* n elements of n_nodes each */
static mplan_status write_rows(writer *to, int64_t n, int32_t n_nodes, const int32_t *nodes,
                               int64_t tag, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; !status && i < n; i++, nodes += n_nodes) {
        if (to->used + LARGEST_ROW > BUFFER)
            status = flush(to, err);
        uint8_t *at = to->buffer + to->used;
        int64_t value = tag + i;
        memcpy(at, &value, 8);
        for (int32_t k = 0; k < n_nodes; k++) {
            value = (int64_t)nodes[k] + 1;
            memcpy(at + 8 + 8 * k, &value, 8);
        }
        to->used += 8 + 8 * (size_t)n_nodes;
    }
    return status;
}

static mplan_status write_part(writer *to, const gmsh_part *part, int64_t *tag, mplan_error *err)
{
    const gmsh_signature *signatures = part->signatures.data;
    const int32_t *nodes = part->nodes;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0, n; !status && i < part->n; i += n) {
        n = run_length(part, i);
        mplan_cell_type type = (mplan_cell_type)part->type[i];
        const int32_t n_nodes = mplan_cell_type_nodes(type);
        const int32_t head[3] = {part->dimension, signatures[part->signature_of[i]].entity,
                                 mplan_gmsh_shape_number(type)};
        status = put(to, head, sizeof head, err);
        if (!status)
            status = put_size(to, n, err);
        if (!status)
            status = write_rows(to, n, n_nodes, nodes, *tag, err);
        *tag += n;
        nodes += n * n_nodes;
        if (!status)
            status = mplan_heed(to->context, "write", mplan_output_bytes(to->output), 0, err);
    }
    return status;
}

static mplan_status write_elements(writer *to, mplan_error *err)
{
    int64_t n = 0, blocks = 0, tag = 1;
    for (int32_t d = 0; d <= to->dimension; d++) {
        n += to->parts[d].n;
        for (int64_t i = 0; i < to->parts[d].n; i += run_length(&to->parts[d], i))
            blocks++;
    }
    const int64_t head[4] = {blocks, n, n > 0, n};
    mplan_status status = put_text(to, "$Elements\n", err);
    if (!status)
        status = put(to, head, sizeof head, err);
    for (int32_t d = 0; !status && d <= to->dimension; d++)
        status = write_part(to, &to->parts[d], &tag, err);
    return status ? status : put_text(to, "\n$EndElements\n", err);
}

/* --- the file ------------------------------------------------------------------- */

static mplan_status find_nodes(writer *to, const mplan_mesh *mesh, mplan_error *err)
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

static mplan_status write_sections(writer *to, mplan_error *err)
{
    mplan_status status = put_text(to, "$MeshFormat\n4.1 1 8\n", err);
    if (!status)
        status = put_int(to, 1, err);
    if (!status)
        status = put_text(to, "\n$EndMeshFormat\n", err);
    if (!status)
        status = write_names(to, err);
    if (!status)
        status = write_entities(to, err);
    if (!status)
        status = write_nodes(to, err);
    if (!status)
        status = write_elements(to, err);
    return status ? status : flush(to, err);
}

mplan_status mplan_gmsh_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                              const mplan_context *context, mplan_error *err)
{
    (void)what;
    writer *to = mplan_alloc_zero(1, sizeof *to, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    to->output = output;
    to->context = context;
    mplan_status status = find_nodes(to, mesh, err);
    if (!status)
        status = mplan_gmsh_collect_parts(mesh, kind, to->parts, context, err);
    if (!status) {
        status = write_sections(to, err);
        mplan_gmsh_free_parts(to->parts);
    }
    free(to);
    return status;
}
