/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_read.c - reads a plan file, formats/plan-format.md
 *
 * Nothing is believed before it is checked: header, table, places and padding,
 * the hash of every section, the records, and last the shapes of the arrays that
 * the records ask for. Raw arrays stay where they are in the bytes of the file,
 * which were read into memory of the plan's own: the file may change. */
#include <stdarg.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "planfile/bundle.h"
#include "planfile/planfile_layout.h"

/* One file on its way into a plan. sections is allocated by check_table and released by
 * read_all; plan is NULL until the header, the table and all checksums were right. */
typedef struct reader {
    const char *name;
    const uint8_t *data;
    uint64_t size;
    const mplan_context *context;
    mplan_error *err;
    mplan_file *file;  /* that holds data; NULL: they are borrowed */
    uint64_t inflated; /* bytes of all compressed sections so far */
    int64_t n;
    mplan_section *sections;
    mplan_plan *plan;
} reader;

#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static mplan_status
/* "FILE: damaged at byte N: reason". byte: where the file is not what it must be, or where it
 * ends. */
damaged(reader *r, uint64_t byte, const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return mplan_fail(r->err, MPLAN_ERR_CORRUPT, "%s: damaged at byte %llu: %s", r->name,
                      (unsigned long long)byte, what);
}

/* By the first 8 bytes, which hold a byte above 127, a line end and an end of text, as PNG's do:
 * files that were sent as text are told apart. */
bool mplan_plan_recognise(const void *bytes, size_t size)
{
    return bytes && size >= MPLAN_MAGIC_BYTES && memcmp(bytes, MPLAN_MAGIC, MPLAN_MAGIC_BYTES) == 0;
}

/* --- header and table --- */

/* In this order: not a plan, cut short, newer. A newer plan is told apart before
 * anything else of it is believed. */
static mplan_status check_version(reader *r)
{
    if (r->size >= MPLAN_MAGIC_BYTES && memcmp(r->data, MPLAN_BUNDLE_MAGIC, MPLAN_MAGIC_BYTES) == 0)
        return mplan_fail(r->err, MPLAN_ERR_FORMAT,
                          "%s: is a bundle of the plans of parts, not a plan; 'meshplan split' makes "
                          "plans of it",
                          r->name);
    if (!mplan_plan_recognise(r->data, (size_t)r->size))
        return mplan_fail(r->err, MPLAN_ERR_FORMAT, "%s: not a plan", r->name);
    if (r->size < MPLAN_AT_HEADER_BYTES)
        return damaged(r, r->size, "the file ends within its header");
    unsigned major = mplan_load16(r->data + MPLAN_AT_MAJOR);
    unsigned minor = mplan_load16(r->data + MPLAN_AT_MINOR);
    if (major > MPLAN_FORMAT_MAJOR)
        return mplan_fail(r->err, MPLAN_ERR_TOO_NEW,
                          "%s: plan format %u.%u is newer than this reader (%d.%d)", r->name, major,
                          minor, MPLAN_FORMAT_MAJOR, MPLAN_FORMAT_MINOR);
    if (r->size < MPLAN_HEADER_BYTES)
        return damaged(r, r->size, "the file ends within its header");
    if (mplan_hash(r->data, MPLAN_AT_HEADER_HASH) != mplan_load64(r->data + MPLAN_AT_HEADER_HASH))
        return damaged(r, MPLAN_AT_HEADER_HASH, "the checksum of the header is wrong");
    if (major < 1)
        return damaged(r, MPLAN_AT_MAJOR, "there is no plan format %u.%u", major, minor);
    uint64_t must_know = mplan_load64(r->data + MPLAN_AT_MUST_KNOW) & ~MPLAN_MUST_KNOW_ALL;
    if (must_know)
        return mplan_fail(r->err, MPLAN_ERR_TOO_NEW,
                          "%s: the plan (format %u.%u) uses features (0x%llx) that are newer than "
                          "this reader (%d.%d)",
                          r->name, major, minor, (unsigned long long)must_know, MPLAN_FORMAT_MAJOR,
                          MPLAN_FORMAT_MINOR);
    return MPLAN_OK;
}

/* Lengths, reserved bytes and the checksum of the section table. r->n: number of
 * sections, bounded by the bytes that are there. */
static mplan_status check_header(reader *r)
{
    mplan_status status = check_version(r);
    if (status)
        return status;
    const uint8_t *head = r->data;
    uint64_t file_bytes = mplan_load64(head + MPLAN_AT_FILE_BYTES);
    if (r->size < file_bytes)
        return damaged(r, r->size, "the file ends here instead of at byte %llu",
                       (unsigned long long)file_bytes);
    if (r->size > file_bytes)
        return damaged(r, file_bytes, "%llu bytes follow the end of the plan",
                       (unsigned long long)(r->size - file_bytes));
    if (mplan_load32(head + MPLAN_AT_HEADER_BYTES) != MPLAN_HEADER_BYTES)
        return damaged(r, MPLAN_AT_HEADER_BYTES, "the header does not have 128 bytes");
    if (mplan_load64(head + MPLAN_AT_TABLE_OFFSET) != MPLAN_HEADER_BYTES)
        return damaged(r, MPLAN_AT_TABLE_OFFSET, "the table does not follow the header");
    for (int i = MPLAN_AT_HEADER_RESERVED; i < MPLAN_AT_HEADER_HASH; i++)
        if (head[i])
            return damaged(r, (uint64_t)i, "a reserved byte is not zero");
    uint64_t n = mplan_load64(head + MPLAN_AT_N_SECTIONS);
    if (n > (file_bytes - MPLAN_HEADER_BYTES) / MPLAN_ENTRY_BYTES)
        return damaged(r, MPLAN_AT_N_SECTIONS, "a table of %llu sections extends beyond the file",
                       (unsigned long long)n);
    r->n = (int64_t)n;
    if (mplan_hash(head + MPLAN_HEADER_BYTES, (size_t)n * MPLAN_ENTRY_BYTES) !=
        mplan_load64(head + MPLAN_AT_TABLE_HASH))
        return damaged(r, MPLAN_AT_TABLE_HASH, "the checksum of the section table is wrong");
    return MPLAN_OK;
}

/* First byte of entry i of the section table; behind the last one the first section may begin. */
static uint64_t entry_at(int64_t i)
{
    return MPLAN_HEADER_BYTES + (uint64_t)i * MPLAN_ENTRY_BYTES;
}

/* a * b without overflow. */
static bool product(uint64_t a, uint64_t b, uint64_t *out)
{
    if (b && a > UINT64_MAX / b)
        return false;
    *out = a * b;
    return true;
}

/* What holds for the kinds that version 1.2 knows: type, codec, and that rows x cols x size of
 * type is the decoded length, computed without overflow. Records have one row each, of exactly
 * their length. */
static mplan_status check_known(reader *r, int64_t i)
{
    const mplan_section *s = &r->sections[i];
    uint64_t at = entry_at(i), size = mplan_type_size((mplan_type)s->type), bytes;
    if (!size)
        return damaged(r, at + MPLAN_AT_TYPE, "%lu is not an element type", (unsigned long)s->type);
    if (s->codec > MPLAN_CODEC_ZLIB)
        return damaged(r, at + MPLAN_AT_CODEC, "%lu is not a codec", (unsigned long)s->codec);
    if (s->rows > INT64_MAX || s->cols > INT64_MAX || !product(s->rows, s->cols, &bytes) ||
        !product(bytes, size, &bytes) || bytes != s->raw || bytes > INT64_MAX)
        return damaged(r, at + MPLAN_AT_RAW, "rows, columns and bytes of a section disagree");
    if (s->codec == MPLAN_CODEC_RAW && s->stored != s->raw)
        return damaged(r, at + MPLAN_AT_STORED, "the length of a raw section is wrong");
    if (!mplan_kind_is_record(s->key.kind))
        return MPLAN_OK;
    mplan_key plain = MPLAN_KEY_INIT(s->key.kind);
    if (mplan_key_compare(&s->key, &plain))
        return damaged(r, at + MPLAN_AT_KEY, "the key of section %lu must have only a kind",
                       (unsigned long)s->key.kind);
    if (s->type != MPLAN_TYPE_U8 || s->codec != MPLAN_CODEC_RAW ||
        s->cols != mplan_record_bytes(s->key.kind) || s->rows > INT32_MAX)
        return damaged(r, at + MPLAN_AT_TYPE, "section %lu has the wrong shape",
                       (unsigned long)s->key.kind);
    return MPLAN_OK;
}

/* Place of section i behind `end`, and the zeros between: a section has one place, so that two
 * files of one plan are equal byte by byte. */
static mplan_status check_place(reader *r, int64_t i, uint64_t end)
{
    const mplan_section *s = &r->sections[i];
    uint64_t at = entry_at(i);
    if (s->offset != mplan_section_place(end, s->stored))
        return damaged(r, at + MPLAN_AT_OFFSET, "a section does not begin at the required place");
    if (s->offset > r->size || s->stored > r->size - s->offset)
        return damaged(r, at + MPLAN_AT_STORED, "a section extends beyond the file");
    for (uint64_t b = end; b < s->offset; b++)
        if (r->data[b])
            return damaged(r, b, "a padding byte is not zero");
    return MPLAN_OK;
}

/* r->sections: n entries in ascending order of their keys, places of their bytes one behind the
 * other, without a gap that nobody knows of. Unknown kinds are looked at for their place only: a
 * later version may have added them. */
static mplan_status check_table(reader *r)
{
    r->sections = mplan_alloc(r->n, sizeof *r->sections, r->err);
    if (!r->sections)
        return MPLAN_ERR_MEMORY;
    uint64_t end = entry_at(r->n);
    for (int64_t i = 0; i < r->n; i++) {
        mplan_section *s = &r->sections[i];
        mplan_section_load(s, r->data + entry_at(i));
        if (s->reserved)
            return damaged(r, entry_at(i) + MPLAN_AT_RESERVED, "a reserved byte is not zero");
        if (i > 0 && mplan_key_compare(&s[-1].key, &s->key) >= 0)
            return damaged(r, entry_at(i), "the keys of the section table do not ascend");
        mplan_status status = check_place(r, i, end);
        if (!status && (mplan_kind_is_record(s->key.kind) || mplan_kind_is_array(s->key.kind)))
            status = check_known(r, i);
        if (status)
            return status;
        end = s->offset + s->stored;
    }
    for (int64_t k = 1; k <= MPLAN_N_NEEDED_KINDS; k++)
        if (r->n < k || r->sections[k - 1].key.kind != k)
            return damaged(r, entry_at(k - 1), "section %lld is missing", (long long)k);
    if (end != r->size)
        return damaged(r, end, "bytes follow the last section");
    return MPLAN_OK;
}

/* The lowest section of [begin, end) with a wrong checksum, r->n if there is none. Stops at the
 * first: the others are not hashed then. */
static int64_t first_damaged(void *data, int thread, int64_t begin, int64_t end)
{
    const reader *r = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const mplan_section *s = &r->sections[i];
        if (mplan_hash(r->data + s->offset, (size_t)s->stored) != s->hash)
            return i;
    }
    return r->n;
}

/* Sections of unknown kinds are hashed too: they may be passed on. This reads the whole file,
 * once; small ones by one thread. */
static mplan_status check_hashes(reader *r)
{
    mplan_team *team = r->size > MPLAN_FEW_BYTES ? mplan_team_of(r->context) : NULL;
    int64_t first_bad = mplan_for_least(team, r->n, 1, first_damaged, r, r->n);
    if (first_bad < r->n)
        return damaged(r, r->sections[first_bad].offset,
                       "the checksum of the section that begins here is wrong");
    return mplan_interrupted(r->context, r->err);
}

/* --- records and arrays --- */

/* The plan uses the features that its header states, and has the sections that its records need
 * and no others. records: those of the file. */
static mplan_status check_features(reader *r, const mplan_records *records)
{
    if (mplan_must_know(r->plan) != mplan_load64(r->data + MPLAN_AT_MUST_KNOW))
        return damaged(r, MPLAN_AT_MUST_KNOW, "the features are not those that the plan uses");
    if (r->plan->no_origins && mplan_load16(r->data + MPLAN_AT_MINOR) > 0)
        return damaged(r, MPLAN_AT_MINOR,
                       "the version of the plan must be 1.0, since it has no section %d",
                       MPLAN_KIND_ORIGINS);
    for (uint32_t k = MPLAN_KIND_VARIANTS2; k <= MPLAN_N_RECORD_KINDS; k++)
        if (records->bytes[k] && (r->plan->no_origins || !mplan_record_is_there(r->plan, k)))
            return damaged(r, (uint64_t)(records->bytes[k] - r->data),
                           "section %lu is there without %s", (unsigned long)k,
                           r->plan->no_origins ? "section 11" : "need");
    return MPLAN_OK;
}

/* Records are first in the table, in the order of their kinds; from section 11 on they may be
 * missing. A fault names section, record and byte within it, which become a byte of the file
 * here. */
static mplan_status read_records(reader *r)
{
    mplan_records records = {{NULL}, {0}};
    for (int64_t i = 0; i < r->n && r->sections[i].key.kind <= MPLAN_N_RECORD_KINDS; i++) {
        const mplan_section *s = &r->sections[i];
        if (!mplan_kind_is_record(s->key.kind))
            continue;
        records.bytes[s->key.kind] = r->data + s->offset;
        records.rows[s->key.kind] = (int64_t)s->rows;
    }
    mplan_fault fault = {0};
    mplan_status status = mplan_records_decode(&records, r->plan, &fault, r->err);
    if (!status)
        status = mplan_rules_records(r->plan, &fault, r->err);
    if (!status)
        return check_features(r, &records);
    if (status != MPLAN_ERR_CORRUPT)
        return status;
    uint64_t within = (uint64_t)fault.row * mplan_record_bytes(fault.kind) + (uint64_t)fault.at;
    uint64_t begin = (uint64_t)(records.bytes[fault.kind] - r->data);
    return damaged(r, begin + within, "%s", fault.what);
}

/* The array's data become new memory, owned by the plan. r->inflated: sum so far, which is
 * limited for the whole file. Pages of the file that were inflated are given back at once. */
static mplan_status inflate(reader *r, const mplan_section *s, const mplan_array *array)
{
    uint64_t at = 0;
    const char *what = "";
    const uint8_t *stored = r->data + s->offset;
    mplan_status status = mplan_chunks_check(stored, s->stored, s->raw, &at, &what);
    if (status)
        return damaged(r, s->offset + at, "%s", what);
    r->inflated += s->raw;
    status = mplan_limit_inflated(r->context, r->name, r->inflated, r->err);
    if (status)
        return status;
    uint8_t *raw = mplan_alloc_aligned((int64_t)s->raw, 1, r->err);
    if (!raw)
        return MPLAN_ERR_MEMORY;
    status = mplan_chunks_inflate(stored, s->raw, raw, r->context, &at, &what, r->err);
    if (!status && r->file)
        mplan_file_forget(r->file, (size_t)s->offset, (size_t)(s->offset + s->stored));
    if (!status)
        return mplan_plan_take_array(r->plan, array->key, array->type, array->rows, array->cols,
                                     raw, r->err);
    free(raw);
    if (status == MPLAN_ERR_CORRUPT)
        return damaged(r, s->offset + at, "%s", what);
    return mplan_fail_prefix(r->err, status, r->name);
}

/* Raw arrays are used where they lie in the file; type and shape must be those that the
 * records ask for. */
static mplan_status read_array(reader *r, int64_t i, const mplan_expected *expected)
{
    const mplan_section *s = &r->sections[i];
    const mplan_array array = {s->key, (mplan_type)s->type, (int64_t)s->rows, (int64_t)s->cols,
                               r->data + s->offset};
    const char *name = mplan_kind_name(s->key.kind);
    if (array.type != expected->type)
        return damaged(r, entry_at(i) + MPLAN_AT_TYPE, "array %s is of type %s instead of %s", name,
                       mplan_type_name(array.type), mplan_type_name(expected->type));
    bool fits = expected->at_most ? array.rows <= expected->rows : array.rows == expected->rows;
    if (!fits || array.cols != expected->cols)
        return damaged(r, entry_at(i) + MPLAN_AT_ROWS,
                       "array %s has %lld x %lld entries instead of %lld x %lld", name,
                       (long long)array.rows, (long long)array.cols, (long long)expected->rows,
                       (long long)expected->cols);
    if (s->codec == MPLAN_CODEC_ZLIB)
        return inflate(r, s, &array);
    return mplan_plan_borrow_array(r->plan, array.key, array.type, array.rows, array.cols,
                                   array.data, r->err);
}

/* Goes through table and expectations side by side; both ascend by key, so that the first
 * difference says which array is missing or too much. */
static mplan_status match_arrays(reader *r, const mplan_expected *expected, int64_t n)
{
    int64_t e = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const mplan_section *s = &r->sections[i];
        if (!mplan_kind_is_array(s->key.kind))
            continue;
        int order = e < n ? mplan_key_compare(&s->key, &expected[e].key) : -1;
        if (order < 0)
            return damaged(r, entry_at(i), "no record needs this array %s",
                           mplan_kind_name(s->key.kind));
        if (order > 0)
            return damaged(r, entry_at(i), "an array %s is missing before this one",
                           mplan_kind_name(expected[e].key.kind));
        mplan_status status = read_array(r, i, &expected[e++]);
        if (!status)
            status = mplan_heed(r->context, "read", (int64_t)(s->offset + s->stored),
                                (int64_t)r->size, r->err);
        if (status)
            return status;
    }
    if (e < n)
        return damaged(r, entry_at(r->n), "an array %s is missing",
                       mplan_kind_name(expected[e].key.kind));
    return MPLAN_OK;
}

/* Every array that the records ask for must be there, and no other. One more than there are is
 * asked for, so that a missing one is named by match_arrays. */
static mplan_status read_arrays(reader *r)
{
    int64_t there = 0, n = 0;
    for (int64_t i = 0; i < r->n; i++)
        there += mplan_kind_is_array(r->sections[i].key.kind);
    mplan_expected *expected = NULL;
    mplan_status status = mplan_rules_arrays(r->plan, there + 1, &expected, &n, r->err);
    if (status == MPLAN_ERR_CORRUPT)
        return damaged(r, MPLAN_AT_N_SECTIONS, "the records ask for more arrays than there are");
    if (!status)
        status = match_arrays(r, expected, n);
    free(expected);
    return status;
}

/* Nothing of a section is read before its checksum has been verified. The order of the steps is
 * that of trust: each relies on those before it. */
static mplan_status read_all(reader *r)
{
    mplan_status status = check_header(r);
    if (!status)
        status = check_table(r);
    if (!status)
        status = check_hashes(r);
    if (!status)
        status = mplan_plan_new(&r->plan, r->err);
    if (!status)
        status = read_records(r);
    if (!status)
        status = read_arrays(r);
    if (!status)
        status = mplan_plan_seal(r->plan, r->err);
    if (!status)
        r->plan->fingerprints = (mplan_fingerprints){mplan_load64(r->data + MPLAN_AT_TOPOLOGY),
                                                     mplan_load64(r->data + MPLAN_AT_COORDINATES),
                                                     mplan_load64(r->data + MPLAN_AT_REQUEST)};
    free(r->sections);
    return status;
}

/* Threads live for the length of the call. r->plan is freed after a failure. */
static mplan_status read_plan(reader *r, mplan_plan **plan)
{
    mplan_threaded threaded;
    r->context = mplan_threaded_open(r->context, &threaded);
    mplan_status status = read_all(r);
    mplan_threaded_close(&threaded);
    if (status)
        mplan_plan_free(r->plan);
    else
        *plan = r->plan;
    return status;
}

/* bytes: must stay as they are while the plan lives, aligned to 64, since raw arrays are used
 * where they lie. name: for messages. */
mplan_status mplan_plan_read_borrowed(const void *bytes, size_t size, const char *name,
                                      const mplan_context *context, mplan_plan **plan,
                                      mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(bytes);
    MPLAN_NEED(name);
    MPLAN_NEED(plan);
    if ((uintptr_t)bytes % 64)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: the bytes are not aligned to 64", name);
    reader r = {.name = name, .data = bytes, .size = size, .context = context, .err = err};
    return read_plan(&r, plan);
}

/* What the plan calls when it is freed. */
static void release_file(void *held)
{
    mplan_file_close(held);
    free(held);
}

/* The plan holds the bytes of the file as long as it lives, and releases them with itself: raw arrays are not copied.
 * They were read, not mapped (base/file.h), so nothing that happens to the file later changes the plan. */
mplan_status mplan_plan_read(const char *path, const mplan_context *context, mplan_plan **plan,
                             mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(path);
    MPLAN_NEED(plan);
    mplan_file *file = mplan_alloc_zero(1, sizeof *file, err);
    if (!file)
        return MPLAN_ERR_MEMORY;
    mplan_plan *read = NULL;
    mplan_status status = mplan_file_open(path, context, file, err);
    reader r = {.name = path,
                .data = file->data,
                .size = file->size,
                .context = context,
                .err = err,
                .file = file};
    if (!status)
        status = read_plan(&r, &read);
    if (status) {
        release_file(file);
        return status;
    }
    read->release = release_file;
    read->held = file;
    *plan = read;
    return MPLAN_OK;
}
