/* SPDX-License-Identifier: Apache-2.0 */
/* job_yaml.c - a YAML document as a tree of values, by libyaml's events
 *
 * One document of mappings, lists and scalars. Anchors, aliases and tags are
 * refused: a job has no use for them, and aliases let a short file unfold into
 * an endless one. */
#include "base/error.h"
#include "job/job.h"

#ifndef MPLAN_HAVE_YAML

/* As below, for builds without libyaml. */
mplan_status mplan_job_tree(const uint8_t *data, size_t size, const char *name,
                            mplan_job_arena *arena, mplan_job_value **root, mplan_error *err)
{
    (void)data;
    (void)size;
    (void)arena;
    (void)root;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: job files cannot be read, this build has no libyaml", name);
}

#else

#include <string.h>
#include <yaml.h>

enum {
    MAX_DEPTH = 16,
    MAX_CHILDREN = 4096 /* of a list or mapping, so that searching them stays quick */
};

/* Where the document is: depth mappings and lists are open, the innermost last. */
typedef struct builder {
    const char *name;
    mplan_job_arena *arena;
    mplan_error *err;
    mplan_job_value *root;
    mplan_job_value *open[MAX_DEPTH]; /* lists and mappings that have begun */
    int depth;
    mplan_job_value *key; /* of the mapping open[depth - 1], waiting for its value */
} builder;

/* libyaml counts lines and columns from 0, messages from 1. */
static mplan_status fail_at(const builder *b, yaml_mark_t mark, const char *message)
{
    return mplan_fail(b->err, MPLAN_ERR_CORRUPT, "%s:%zu:%zu: %s", b->name, mark.line + 1,
                      mark.column + 1, message);
}

/* libyaml's own message, with its line and column. */
static mplan_status fail_parser(const builder *b, const yaml_parser_t *parser)
{
    const char *problem = parser->problem ? parser->problem : "malformed";
    if (parser->error == YAML_MEMORY_ERROR)
        return mplan_fail(b->err, MPLAN_ERR_MEMORY, "out of memory (while reading %s)", b->name);
    if (parser->error == YAML_READER_ERROR)
        return mplan_fail(b->err, MPLAN_ERR_CORRUPT, "%s: byte %zu: not valid text: %s", b->name,
                          parser->problem_offset, problem);
    return mplan_fail(b->err, MPLAN_ERR_CORRUPT, "%s:%zu:%zu: no YAML: %s%s%s", b->name,
                      parser->problem_mark.line + 1, parser->problem_mark.column + 1, problem,
                      parser->context ? ", " : "", parser->context ? parser->context : "");
}

/* Puts a value where the document is: root, item, key or value. In a mapping keys and values
 * alternate: b->key is NULL where a key comes next. A parent with an even number of children and
 * keys ends properly, which libyaml sees to. */
static mplan_status attach(builder *b, mplan_job_value *value, yaml_mark_t mark)
{
    if (b->depth == 0) {
        b->root = value;
        return MPLAN_OK;
    }
    mplan_job_value *parent = b->open[b->depth - 1];
    if (parent->kind == MPLAN_JOB_MAPPING && !b->key) {
        if (value->kind != MPLAN_JOB_SCALAR)
            return fail_at(b, mark, "a key must be a word");
        b->key = value;
        return MPLAN_OK;
    }
    bool batch = b->depth == 2 && parent->kind == MPLAN_JOB_LIST && parent->key &&
                 strcmp(parent->key->text, "batch") == 0; /* which nobody searches */
    if (parent->n == (batch ? INT32_MAX : MAX_CHILDREN))
        return fail_at(b, mark, "a list or mapping is too long for a job");
    value->key = b->key;
    b->key = NULL;
    if (parent->last)
        parent->last->next = value;
    else
        parent->first = value;
    parent->last = value;
    parent->n++;
    return MPLAN_OK;
}

/* Appends a value to the innermost list or mapping and opens it if it is one; anchors and tags
 * are refused. event: of the kind that `kind` says, since a scalar's text is taken from it,
 * copied, with an end that libyaml's own length does not count. */
static mplan_status add_value(builder *b, mplan_job_kind kind, const yaml_event_t *event,
                              const void *anchor, const void *tag)
{
    if (anchor)
        return fail_at(b, event->start_mark, "anchors (&name) are not supported");
    if (tag)
        return fail_at(b, event->start_mark, "tags (!name) are not supported");
    mplan_job_value *value = mplan_job_take(b->arena, 1, sizeof *value, b->err);
    if (!value)
        return MPLAN_ERR_MEMORY;
    value->kind = kind;
    value->line = (int64_t)event->start_mark.line + 1;
    value->column = (int64_t)event->start_mark.column + 1;
    if (kind == MPLAN_JOB_SCALAR) {
        const char *from = (const char *)event->data.scalar.value;
        size_t length = event->data.scalar.length;
        if (memchr(from, '\0', length))
            return fail_at(b, event->start_mark, "a text contains a zero character");
        char *text = mplan_job_take(b->arena, (int64_t)length + 1, 1, b->err);
        if (!text)
            return MPLAN_ERR_MEMORY;
        memcpy(text, from, length);
        value->text = text;
        value->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    }
    mplan_status status = attach(b, value, event->start_mark);
    if (status || kind == MPLAN_JOB_SCALAR)
        return status;
    if (b->depth == MAX_DEPTH)
        return fail_at(b, event->start_mark, "lists and mappings are nested too deeply");
    b->open[b->depth++] = value;
    return MPLAN_OK;
}

/* One event of libyaml. An end closes what was opened last: libyaml pairs them, so that depth is
 * above 0 then. */
static mplan_status take_event(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return b->root
                   ? fail_at(b, event->start_mark, "a job must be one document; a second one begins")
                   : MPLAN_OK;
    case YAML_ALIAS_EVENT:
        return fail_at(b, event->start_mark, "aliases (*name) are not supported");
    case YAML_SCALAR_EVENT:
        return add_value(b, MPLAN_JOB_SCALAR, event, event->data.scalar.anchor,
                         event->data.scalar.tag);
    case YAML_SEQUENCE_START_EVENT:
        return add_value(b, MPLAN_JOB_LIST, event, event->data.sequence_start.anchor,
                         event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return add_value(b, MPLAN_JOB_MAPPING, event, event->data.mapping_start.anchor,
                         event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: b->depth--; return MPLAN_OK;
    default: return MPLAN_OK;
    }
}

/* *root: the whole document, in the arena; depth and the number of children are bounded, and
 * data by mplan_job_parse, so that memory is, too: a value costs some hundred bytes, at least
 * one byte of the file. */
mplan_status mplan_job_tree(const uint8_t *data, size_t size, const char *name,
                            mplan_job_arena *arena, mplan_job_value **root, mplan_error *err)
{
    builder b = {.name = name, .arena = arena, .err = err};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (while reading %s)", name);
    yaml_parser_set_input_string(&parser, data, size);
    mplan_status status = MPLAN_OK;
    for (bool more = true; more && !status;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = fail_parser(&b, &parser);
            break;
        }
        status = take_event(&b, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (!status && !b.root)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s:1:1: the file is empty", name);
    if (!status)
        *root = b.root;
    return status;
}

#endif
