/* SPDX-License-Identifier: Apache-2.0 */
/* support_gmsh.c - writes MSH files of versions 2.0, 2.2, 4.0, 4.1, text and binary */
#include "support_gmsh.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct out {
    const gmsh_sample *sample;
    gmsh_dialect dialect;
    uint8_t *data;
    size_t size, room;
} out;

static void put(out *to, const void *data, size_t size)
{
    while (to->size + size > to->room) {
        to->room = 2 * to->room + 4096;
        to->data = realloc(to->data, to->room);
    }
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void text(out *to, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put(to, line, (size_t)n);
}

static void number(out *to, uint64_t bits, int width)
{
    uint8_t bytes[8];
    for (int i = 0; i < width; i++) /* the tests run on little-endian machines */
        bytes[to->dialect.swap ? width - 1 - i : i] = (uint8_t)(bits >> (8 * i));
    put(to, bytes, (size_t)width);
}

static void whole(out *to, int64_t value)
{
    if (to->dialect.binary)
        number(to, (uint64_t)value, 4);
    else
        text(to, "%lld ", (long long)value);
}

static void count(out *to, int64_t value)
{
    if (to->dialect.binary)
        number(to, (uint64_t)value, to->dialect.width);
    else
        text(to, "%lld ", (long long)value);
}

static void real(out *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    if (to->dialect.binary)
        number(to, bits, 8);
    else
        text(to, "%.17g ", value);
}

static void end_line(out *to)
{
    if (!to->dialect.binary)
        text(to, "\n");
}

static void names(out *to)
{
    const gmsh_sample *s = to->sample;
    text(to, "$Comments\n$ some $EndComment 7\n$EndComments\n$PhysicalNames\n%d\n", s->n_names);
    for (int32_t i = 0; i < s->n_names; i++) {
        if (to->dialect.version > 20)
            text(to, "%d ", s->name[i].dimension);
        text(to, "%d \"%s\"\n", s->name[i].physical, s->name[i].text);
    }
    text(to, "$EndPhysicalNames\n");
}

/* --- version 4 ------------------------------------------------------------------ */

static void entity(out *to, const sample_entity *e, bool partitioned)
{
    whole(to, e->tag);
    if (partitioned) {
        whole(to, e->dimension);
        whole(to, e->tag);
        count(to, 2);
        whole(to, 1);
        whole(to, 2);
    }
    for (int i = 0; i < (e->dimension == 0 && to->dialect.version == 41 ? 3 : 6); i++)
        real(to, 0.25 * i);
    count(to, e->n_physicals);
    for (int32_t i = 0; i < e->n_physicals; i++)
        whole(to, i % 2 ? -e->physicals[i] : e->physicals[i]);
    if (e->dimension > 0) {
        count(to, 2);
        whole(to, 1);
        whole(to, -2);
    }
    end_line(to);
}

static void entities(out *to)
{
    const gmsh_sample *s = to->sample;
    const bool partitioned = to->dialect.partitioned;
    const char *name = partitioned ? "PartitionedEntities" : "Entities";
    text(to, "$%s\n", name);
    if (partitioned) {
        count(to, 2);
        count(to, 1);
        whole(to, 99);
        whole(to, 1);
    }
    for (int32_t d = 0; d < 4; d++) {
        int32_t n = 0;
        for (int32_t i = 0; i < s->n_entities; i++)
            n += s->entity[i].dimension == d;
        count(to, n);
    }
    end_line(to);
    for (int32_t d = 0; d < 4; d++)
        for (int32_t i = 0; i < s->n_entities; i++)
            if (s->entity[i].dimension == d)
                entity(to, &s->entity[i], partitioned);
    text(to, "\n$End%s\n", name);
}

static void point(out *to, int32_t i, int32_t extra)
{
    for (int k = 0; k < 3; k++)
        real(to, to->sample->xyz[i][k]);
    for (int32_t k = 0; k < extra; k++)
        real(to, 0.5);
    end_line(to);
}

static void node_block(out *to, int32_t dimension, int32_t first, int32_t end)
{
    const bool mixed = to->dialect.version == 40;
    int32_t extra = to->dialect.parametric ? dimension : 0;
    whole(to, mixed ? 1 : dimension);
    whole(to, mixed ? dimension : 1);
    whole(to, to->dialect.parametric);
    count(to, end - first);
    end_line(to);
    for (int32_t i = first; !mixed && i < end; i++)
        count(to, to->sample->tag[i]);
    end_line(to);
    for (int32_t i = first; i < end; i++) {
        if (mixed)
            whole(to, to->sample->tag[i]);
        point(to, i, extra);
    }
}

static void nodes_4(out *to)
{
    const int32_t n = to->sample->n_nodes;
    text(to, "$Nodes\n");
    count(to, 5);
    count(to, to->dialect.wrong_totals ? 2 * n : n);
    if (to->dialect.version == 41) {
        count(to, 1);
        count(to, n);
    }
    end_line(to);
    for (int32_t b = 0; b < 5; b++) /* the last block is empty */
        node_block(to, b % 4, b < 4 ? n * b / 4 : n, b < 4 ? n * (b + 1) / 4 : n);
    text(to, "\n$EndNodes\n");
}

static bool same_block(const sample_element *a, const sample_element *b)
{
    return a->entity == b->entity && a->number == b->number;
}

static void elements_4(out *to)
{
    const gmsh_sample *s = to->sample;
    int32_t blocks = 0;
    for (int32_t i = 0; i < s->n_elements; i++)
        blocks += i == 0 || !same_block(&s->element[i], &s->element[i - 1]);
    text(to, "$Elements\n");
    count(to, blocks);
    count(to, to->dialect.wrong_totals ? 0 : s->n_elements);
    if (to->dialect.version == 41) {
        count(to, 1);
        count(to, s->n_elements);
    }
    end_line(to);
    for (int32_t i = 0; i < s->n_elements; i++) {
        const sample_element *e = &s->element[i];
        int32_t n = 1;
        while (i + n < s->n_elements && same_block(e, e + n))
            n++;
        if (i == 0 || !same_block(e, e - 1)) {
            const sample_entity *of = &s->entity[e->entity];
            whole(to, to->dialect.version == 41 ? of->dimension : of->tag);
            whole(to, to->dialect.version == 41 ? of->tag : of->dimension);
            whole(to, e->number);
            count(to, n);
            end_line(to);
        }
        void (*put_tag)(out *, int64_t) = to->dialect.version == 41 ? count : whole;
        put_tag(to, i + 1);
        for (int32_t k = 0; k < e->n_nodes; k++)
            put_tag(to, s->tag[e->nodes[k]]);
        end_line(to);
    }
    text(to, "\n$EndElements\n");
}

/* --- version 2 ------------------------------------------------------------------ */

static void nodes_2(out *to)
{
    const char *name = to->dialect.parametric ? "ParametricNodes" : "Nodes";
    text(to, "$%s\n%d\n", name, to->sample->n_nodes);
    for (int32_t i = 0; i < to->sample->n_nodes; i++) {
        whole(to, to->sample->tag[i]);
        for (int k = 0; k < 3; k++)
            real(to, to->sample->xyz[i][k]);
        if (to->dialect.parametric) {
            whole(to, i % 4);
            whole(to, 1);
            for (int k = 0; k < (i % 4 == 3 ? 0 : i % 4); k++)
                real(to, 0.5);
        }
        end_line(to);
    }
    text(to, "\n$End%s\n", name);
}

/* A row with three tags (one partition), as many as the head says. */
static void row_2(out *to, const sample_element *e, int32_t tag, int32_t physical)
{
    const int32_t n_tags = 4;
    if (to->dialect.binary) {
        whole(to, e->number);
        whole(to, 1);
        whole(to, n_tags);
        whole(to, tag);
    } else {
        whole(to, tag);
        whole(to, e->number);
        whole(to, n_tags);
    }
    whole(to, tag % 2 ? physical : -physical);
    whole(to, to->sample->entity[e->entity].tag);
    whole(to, 1);
    whole(to, 1);
    for (int32_t k = 0; k < e->n_nodes; k++)
        whole(to, to->sample->tag[e->nodes[k]]);
    end_line(to);
}

static void elements_2(out *to)
{
    const gmsh_sample *s = to->sample;
    int32_t n = 0, tag = 0;
    for (int32_t i = 0; i < s->n_elements; i++) {
        int32_t times = s->entity[s->element[i].entity].n_physicals;
        n += times ? times : 1;
    }
    text(to, "$Elements\n%d\n", n);
    for (int32_t pass = 0; pass < (to->dialect.by_group ? 4 : 1); pass++)
        for (int32_t i = 0; i < s->n_elements; i++) {
            const sample_element *e = &s->element[i];
            const sample_entity *of = &s->entity[e->entity];
            if (to->dialect.by_group) {
                if (pass == 0 || pass < of->n_physicals)
                    row_2(to, e, i + 1, of->n_physicals ? of->physicals[pass] : 0);
                continue;
            }
            if (of->n_physicals == 0)
                row_2(to, e, ++tag, 0);
            for (int32_t p = 0; p < of->n_physicals; p++)
                row_2(to, e, ++tag, of->physicals[p]);
        }
    text(to, "\n$EndElements\n");
}

uint8_t *support_gmsh_file(const gmsh_sample *sample, const gmsh_dialect *dialect, size_t *size)
{
    out to = {.sample = sample, .dialect = *dialect};
    text(&to, "$MeshFormat\n%g %d %d\n", dialect->version / 10.0, dialect->binary, dialect->width);
    if (dialect->binary) {
        whole(&to, 1);
        text(&to, "\n");
    }
    text(&to, "$EndMeshFormat\n");
    names(&to);
    if (dialect->version < 40) {
        nodes_2(&to);
        elements_2(&to);
    } else {
        entities(&to);
        nodes_4(&to);
        elements_4(&to);
    }
    text(&to, "$NodeData\n1\n\"a view\"\n1\n0.0\n3\n0\n1\n1\n1 0.0\n$EndNodeData\n");
    *size = to.size;
    return to.data;
}

const char *support_gmsh_words(const gmsh_dialect *dialect, char *words, size_t size)
{
    snprintf(words, size, "version %g%s%s, width %d%s%s%s%s", dialect->version / 10.0,
             dialect->binary ? " binary" : " text", dialect->swap ? " swapped" : "", dialect->width,
             dialect->parametric ? ", parametric" : "", dialect->partitioned ? ", partitioned" : "",
             dialect->by_group ? ", by group" : "", dialect->wrong_totals ? ", wrong totals" : "");
    return words;
}
