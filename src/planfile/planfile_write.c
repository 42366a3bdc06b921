/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_write.c - writes a plan file, formats/plan-format.md
 *
 * Raw arrays go from the plan to the file without a copy: one pass for their
 * hashes, one to write. Compressed ones are held in memory until the table,
 * which is before them and needs their lengths, is written. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "planfile/planfile_layout.h"

/* Shorter arrays gain nothing by zlib. */
#define LEAST_TO_COMPRESS 1024
/* Written at a time, between two looks at whether to stop. */
#define PIECE ((uint64_t)4 << 20)

/* One section of the file: what the table says of it, and its bytes. */
typedef struct part {
    mplan_section section;
    const void *data;    /* section.stored bytes */
    uint8_t *compressed; /* data, when it is ours */
} part;

/* A plan on its way into a file; parts: n sections in the order of the file. */
typedef struct writer {
    const mplan_plan *plan;
    const mplan_context *context;
    mplan_error *err;
    mplan_records records;
    int64_t n;
    part *parts;
    uint8_t *head; /* header and table */
    uint64_t head_bytes, file_bytes;
    int64_t begin; /* of the plan within the output */
} writer;

/* The planner made it, so that this is not a fault of the user's. */
static mplan_status unfit(writer *w, const mplan_fault *fault)
{
    return mplan_fail(w->err, MPLAN_ERR_INTERNAL, "the plan violates a rule of its file format: %s",
                      fault->what);
}

/* What the reader would refuse is not written: the same rules for records and arrays, in memory.
 * n_arrays + 1 is the limit, so that a missing array is found and named. */
static mplan_status check_plan(writer *w)
{
    const mplan_plan *plan = w->plan;
    mplan_fault fault = {0};
    mplan_status status = mplan_rules_records(plan, &fault, w->err);
    if (status)
        return status == MPLAN_ERR_CORRUPT ? unfit(w, &fault) : status;
    mplan_expected *expected = NULL;
    int64_t n = 0;
    /* one more than there are, so that a missing array is found and named */
    status = mplan_rules_arrays(plan, (int64_t)plan->n_arrays + 1, &expected, &n, w->err);
    if (status == MPLAN_ERR_CORRUPT)
        return mplan_fail(w->err, MPLAN_ERR_INTERNAL, "arrays of the plan are missing");
    for (int64_t i = 0; !status && i < n; i++) {
        const mplan_expected *e = &expected[i];
        const mplan_array *a = mplan_plan_find_array(plan, &e->key);
        bool fits = a && a->type == e->type && a->cols == e->cols &&
                    (e->at_most ? a->rows <= e->rows : a->rows == e->rows);
        if (!fits)
            status = mplan_fail(w->err, MPLAN_ERR_INTERNAL,
                                "the plan %s its array %s (set %d, map %d, loop %d, variant %d, "
                                "block set %d)",
                                a ? "has another shape for" : "lacks", mplan_kind_name(e->key.kind),
                                (int)e->key.set, (int)e->key.map, (int)e->key.loop,
                                (int)e->key.variant, (int)e->key.block_set);
    }
    if (!status && n != plan->n_arrays)
        status = mplan_fail(w->err, MPLAN_ERR_INTERNAL, "the plan has arrays that no record needs");
    free(expected);
    return status;
}

/* One section per record kind that the plan has, in the order of their numbers; p->data is w->records', which
 * lives until the file is written. Sections without rows are written, too. */
static void add_records(writer *w)
{
    for (uint32_t kind = 1; kind <= MPLAN_N_RECORD_KINDS; kind++) {
        if (!mplan_record_is_there(w->plan, kind))
            continue;
        part *p = &w->parts[w->n++];
        uint64_t rows = (uint64_t)w->records.rows[kind], cols = mplan_record_bytes(kind);
        p->section = (mplan_section){.key = MPLAN_KEY_INIT(kind),
                                     .type = MPLAN_TYPE_U8,
                                     .codec = MPLAN_CODEC_RAW,
                                     .rows = rows,
                                     .cols = cols,
                                     .stored = rows * cols,
                                     .raw = rows * cols};
        p->data = w->records.bytes[kind];
    }
}

/* Arrays are written from where they lie. compress: those of some size are deflated,
 * and kept so where that saves bytes. */
static mplan_status add_array(writer *w, const mplan_array *array, bool compress)
{
    part *p = &w->parts[w->n++];
    int64_t raw = array->rows * array->cols * (int64_t)mplan_type_size(array->type);
    p->section = (mplan_section){.key = array->key,
                                 .type = (uint32_t)array->type,
                                 .codec = MPLAN_CODEC_RAW,
                                 .rows = (uint64_t)array->rows,
                                 .cols = (uint64_t)array->cols,
                                 .stored = (uint64_t)raw,
                                 .raw = (uint64_t)raw};
    p->data = array->data;
    if (!compress || raw < LEAST_TO_COMPRESS)
        return MPLAN_OK;
    int64_t stored = 0;
    mplan_status status = mplan_chunks_deflate(array->data, raw, &p->compressed, &stored,
                                               w->context, w->err);
    if (status)
        return status;
    if (stored < raw) {
        p->section.codec = MPLAN_CODEC_ZLIB;
        p->section.stored = (uint64_t)stored;
        p->data = p->compressed;
    } else {
        free(p->compressed);
        p->compressed = NULL;
    }
    return MPLAN_OK;
}

/* w->parts: all sections in the order of the file. */
static mplan_status gather_parts(writer *w, bool compress)
{
    const mplan_plan *plan = w->plan;
    w->parts = mplan_alloc_zero((int64_t)plan->n_arrays + MPLAN_N_RECORD_KINDS, sizeof *w->parts,
                                w->err);
    if (!w->parts)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_records_encode(plan, &w->records, w->err);
    add_records(w);
    for (int32_t i = 0; !status && i < plan->n_arrays; i++)
        status = add_array(w, &plan->arrays[i], compress);
    return status;
}

/* Range [begin, end) of parts: a section is hashed by one thread. */
static void hash_some(void *data, int thread, int64_t begin, int64_t end)
{
    const writer *w = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        w->parts[i].section.hash = mplan_hash(w->parts[i].data, (size_t)w->parts[i].section.stored);
}

/* Small plans are hashed by one thread: starting others would take longer. */
static void hash_parts(writer *w)
{
    uint64_t bytes = 0;
    for (int64_t i = 0; i < w->n; i++)
        bytes += w->parts[i].section.stored;
    mplan_for(bytes > MPLAN_FEW_BYTES ? mplan_team_of(w->context) : NULL, w->n, 1, hash_some, w);
}

/* Header and section table in w->head; checksums of the sections are known. */
static void store_header(writer *w)
{
    const mplan_fingerprints *prints = &w->plan->fingerprints;
    uint8_t *head = w->head, *table = head + MPLAN_HEADER_BYTES;
    memcpy(head, MPLAN_MAGIC, MPLAN_MAGIC_BYTES);
    mplan_store16(head + MPLAN_AT_MAJOR, MPLAN_FORMAT_MAJOR);
    mplan_store16(head + MPLAN_AT_MINOR, (uint16_t)mplan_plan_format_minor(w->plan));
    mplan_store32(head + MPLAN_AT_HEADER_BYTES, MPLAN_HEADER_BYTES);
    mplan_store64(head + MPLAN_AT_MUST_KNOW, mplan_must_know(w->plan));
    mplan_store64(head + MPLAN_AT_FILE_BYTES, w->file_bytes);
    mplan_store64(head + MPLAN_AT_TABLE_OFFSET, MPLAN_HEADER_BYTES);
    mplan_store64(head + MPLAN_AT_N_SECTIONS, (uint64_t)w->n);
    mplan_store64(head + MPLAN_AT_TABLE_HASH,
                  mplan_hash(table, (size_t)w->head_bytes - MPLAN_HEADER_BYTES));
    mplan_store64(head + MPLAN_AT_TOPOLOGY, prints->topology);
    mplan_store64(head + MPLAN_AT_COORDINATES, prints->coordinates);
    mplan_store64(head + MPLAN_AT_REQUEST, prints->request);
    mplan_store64(head + MPLAN_AT_HEADER_HASH, mplan_hash(head, MPLAN_AT_HEADER_HASH));
}

/* Places every section, then fills table and header: the table needs the hashes of all sections,
 * the header that of the table, so that this comes last and the file is written from front to
 * back. */
static mplan_status lay_out(writer *w)
{
    w->head_bytes = MPLAN_HEADER_BYTES + (uint64_t)w->n * MPLAN_ENTRY_BYTES;
    w->head = mplan_alloc_zero((int64_t)w->head_bytes, 1, w->err);
    if (!w->head)
        return MPLAN_ERR_MEMORY;
    uint64_t end = w->head_bytes;
    for (int64_t i = 0; i < w->n; i++) {
        mplan_section *section = &w->parts[i].section;
        section->offset = mplan_section_place(end, section->stored);
        end = section->offset + section->stored;
        mplan_section_store(section, w->head + MPLAN_HEADER_BYTES + i * MPLAN_ENTRY_BYTES);
    }
    w->file_bytes = end;
    store_header(w);
    return MPLAN_OK;
}

/* The zeros between two sections, at most a page less one byte, then the bytes of this one in
 * pieces, so that a signal is heeded within a piece. */
static mplan_status write_part(writer *w, const part *p, mplan_output *output)
{
    static const uint8_t zeros[4096];
    uint64_t hole = p->section.offset - (uint64_t)(mplan_output_bytes(output) - w->begin);
    mplan_status status = mplan_output_write(output, zeros, (size_t)hole, w->err);
    for (uint64_t at = 0; !status && at < p->section.stored; at += PIECE) {
        uint64_t left = p->section.stored - at;
        status = mplan_output_write(output, (const uint8_t *)p->data + at,
                                    (size_t)(left < PIECE ? left : PIECE), w->err);
        if (!status)
            status = mplan_heed(w->context, "write", mplan_output_bytes(output) - w->begin,
                                (int64_t)w->file_bytes, w->err);
    }
    return status;
}

/* A sealed plan, behind what `output` holds already; offsets in it count from there (w->begin). Sections are
 * made, hashed, placed and written in this order, as head and table come first in the file and need all
 * lengths and hashes. */
static mplan_status write_all(writer *w, mplan_output *output, bool compress)
{
    w->begin = mplan_output_bytes(output);
    mplan_status status = gather_parts(w, compress);
    status = status ? status : mplan_interrupted(w->context, w->err);
    if (!status) {
        hash_parts(w);
        status = lay_out(w);
    }
    if (!status)
        status = mplan_output_write(output, w->head, (size_t)w->head_bytes, w->err);
    for (int64_t i = 0; !status && i < w->n; i++)
        status = write_part(w, &w->parts[i], output);
    return status;
}

/* Releases what a writer holds. */
static void release(writer *w)
{
    for (int64_t i = 0; i < w->n; i++)
        free(w->parts[i].compressed);
    free(w->parts);
    free(w->head);
    mplan_records_free(&w->records);
}

/* What the reader would refuse is not written; *head (may be NULL) gets the plan's header. */
mplan_status mplan_plan_write_into(const mplan_plan *plan, mplan_output *output, bool compress,
                                   const mplan_context *context, uint8_t *head, int64_t *bytes,
                                   mplan_error *err)
{
    assert(plan->sealed);
    writer w = {.plan = plan, .context = context, .err = err};
    mplan_status status = check_plan(&w);
    if (!status)
        status = write_all(&w, output, compress);
    if (!status && head)
        memcpy(head, w.head, MPLAN_HEADER_BYTES);
    if (!status)
        *bytes = (int64_t)w.file_bytes;
    release(&w);
    return status;
}

/* A plan must be sealed; it is checked by the same rules as when it is read. *bytes (may be
 * NULL): the length of the file. Equal plans and options give equal bytes at any number of
 * threads. */
mplan_status mplan_plan_write(const mplan_plan *plan, const char *path,
                              const mplan_write_options *options, const mplan_context *context,
                              int64_t *bytes, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(path);
    mplan_write_options own = MPLAN_WRITE_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "write options", err);
    if (status)
        return status;
    mplan_threaded threaded;
    mplan_output *output = NULL;
    context = mplan_threaded_open(context, &threaded);
    writer w = {.plan = plan, .context = context, .err = err};
    status = check_plan(&w); /* before the output is touched */
    if (!status)
        status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = write_all(&w, output, own.compress);
    if (!status)
        status = mplan_output_commit(output, err);
    else
        mplan_output_abort(output);
    if (!status && bytes)
        *bytes = (int64_t)w.file_bytes;
    release(&w);
    mplan_threaded_close(&threaded);
    return status;
}
