/* SPDX-License-Identifier: Apache-2.0 */
/* zip_write.c - ZIP archives, after PKWARE's APPNOTE.TXT (6.3): 4.3.7 local headers, 4.3.12 the
 * directory, 4.3.14 to 4.3.16 its end, 4.5.3 64-bit sizes
 *
 * Members are stored. Their date is the format's first, so that equal content gives
 * equal bytes. */
#include "formats/numpy/zip_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/numpy/crc32.h"

enum {
    VERSION = 20,
    VERSION64 = 45,
    UTF8 = 1 << 11,
    FIRST_DAY = 1 << 5 | 1, /* 1980-01-01 */
    MOST_HEADER = 128,
    PIECE = 1 << 22
};
#define MOST32 INT64_C(0xffffffff)

/* A member that has been written, for the directory. */
typedef struct zip_entry {
    char *name;
    uint32_t crc;
    int64_t size, at;
} zip_entry;

/* The bytes of a header as they are put together. */
typedef struct zip_record {
    uint8_t bytes[MOST_HEADER];
    size_t n;
} zip_record;

/* Little-endian; the record has room for all of its fields. */
static void put(zip_record *record, uint64_t value, int32_t bytes)
{
    for (int32_t i = 0; i < bytes; i++)
        record->bytes[record->n++] = (uint8_t)(value >> 8 * i);
}

/* All ones stands for "in the extra field". */
static uint64_t clipped(int64_t value)
{
    return (uint64_t)(value < MOST32 ? value : MOST32);
}

/* What local headers and directory entries share: versions to the length of the name. */
static void put_common(zip_record *record, const zip_entry *entry, bool wide)
{
    bool plain = true;
    for (const char *c = entry->name; *c; c++)
        plain = plain && (unsigned char)*c < 0x80;
    put(record, wide ? VERSION64 : VERSION, 2);
    put(record, plain ? 0 : UTF8, 2);
    put(record, 0, 2); /* stored */
    put(record, 0, 2); /* midnight */
    put(record, FIRST_DAY, 2);
    put(record, entry->crc, 4);
    put(record, clipped(entry->size), 4);
    put(record, clipped(entry->size), 4);
    put(record, strlen(entry->name), 2);
}

/* A record, the name, and the extra field behind it. */
static mplan_status write_record(mplan_zip_out *zip, const zip_record *record, const char *name,
                                 const zip_record *extra, mplan_error *err)
{
    mplan_status status = mplan_output_write(zip->output, record->bytes, record->n, err);
    if (!status && name)
        status = mplan_output_write(zip->output, name, strlen(name), err);
    if (!status && extra && extra->n > 0)
        status = mplan_output_write(zip->output, extra->bytes, extra->n, err);
    return status;
}

/* Header before the data; 64-bit sizes in an extra field where they are needed. */
static mplan_status write_local(mplan_zip_out *zip, const zip_entry *entry, mplan_error *err)
{
    zip_record record = {.n = 0}, extra = {.n = 0};
    bool wide = entry->size >= MOST32;
    if (wide) {
        put(&extra, 1, 2);
        put(&extra, 16, 2);
        put(&extra, (uint64_t)entry->size, 8);
        put(&extra, (uint64_t)entry->size, 8);
    }
    put(&record, 0x04034b50, 4);
    put_common(&record, entry, wide);
    put(&record, extra.n, 2);
    return write_record(zip, &record, entry->name, &extra, err);
}

/* The member's entry in the directory. */
static mplan_status write_entry(mplan_zip_out *zip, const zip_entry *entry, mplan_error *err)
{
    zip_record record = {.n = 0}, extra = {.n = 0};
    bool large = entry->size >= MOST32, far = entry->at >= MOST32;
    if (large || far) {
        put(&extra, 1, 2);
        put(&extra, (large ? 16 : 0) + (far ? 8 : 0), 2);
        if (large) {
            put(&extra, (uint64_t)entry->size, 8);
            put(&extra, (uint64_t)entry->size, 8);
        }
        if (far)
            put(&extra, (uint64_t)entry->at, 8);
    }
    put(&record, 0x02014b50, 4);
    put(&record, large || far ? VERSION64 : VERSION, 2); /* made by */
    put_common(&record, entry, large || far);
    put(&record, extra.n, 2);
    put(&record, 0, 2); /* comment */
    put(&record, 0, 2); /* disk */
    put(&record, 0, 2); /* attributes, inside and outside */
    put(&record, 0, 4);
    put(&record, clipped(entry->at), 4);
    return write_record(zip, &record, entry->name, &extra, err);
}

/* Released by mplan_zip_release in any case. */
void mplan_zip_begin(mplan_zip_out *zip, mplan_output *output, const mplan_context *context)
{
    *zip = (mplan_zip_out){output, context, MPLAN_VECTOR_INIT(sizeof(zip_entry))};
}

/* In pieces, with progress. */
static mplan_status write_data(mplan_zip_out *zip, const void *data, size_t size, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (size_t at = 0; at < size && !status; at += PIECE) {
        size_t n = size - at < PIECE ? size - at : PIECE;
        status = mplan_interrupted(zip->context, err);
        if (!status)
            status = mplan_output_write(zip->output, (const char *)data + at, n, err);
        mplan_progress(zip->context, "write", (int64_t)(at + n), (int64_t)size);
    }
    return status;
}

/* Data are stored, not deflated: they can be mapped. head: bytes before the
 * data, part of the member. */
mplan_status mplan_zip_add(mplan_zip_out *zip, const char *name, const void *head, size_t head_size,
                           const void *data, size_t size, mplan_error *err)
{
    zip_entry entry = {.name = mplan_strdup(name, err),
                       .crc = mplan_crc32(mplan_crc32(0, head, head_size), data, size),
                       .size = (int64_t)(head_size + size),
                       .at = mplan_output_bytes(zip->output)};
    if (!entry.name)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_vector_push(&zip->members, &entry, err);
    if (status) {
        free(entry.name);
        return status;
    }
    status = write_local(zip, &entry, err);
    if (!status)
        status = mplan_output_write(zip->output, head, head_size, err);
    return status ? status : write_data(zip, data, size, err);
}

/* The directory and its end records. */
mplan_status mplan_zip_finish(mplan_zip_out *zip, mplan_error *err)
{
    const zip_entry *entries = zip->members.data;
    int64_t n = zip->members.count, begin = mplan_output_bytes(zip->output);
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++)
        status = write_entry(zip, &entries[i], err);
    if (status)
        return status;
    int64_t end = mplan_output_bytes(zip->output);
    zip_record record = {.n = 0};
    if (n >= 0xffff || begin >= MOST32 || end - begin >= MOST32) {
        put(&record, 0x06064b50, 4);
        put(&record, 44, 8); /* of what follows */
        put(&record, VERSION64, 2);
        put(&record, VERSION64, 2);
        put(&record, 0, 4);
        put(&record, 0, 4);
        put(&record, (uint64_t)n, 8);
        put(&record, (uint64_t)n, 8);
        put(&record, (uint64_t)(end - begin), 8);
        put(&record, (uint64_t)begin, 8);
        put(&record, 0x07064b50, 4); /* where that is */
        put(&record, 0, 4);
        put(&record, (uint64_t)end, 8);
        put(&record, 1, 4);
    }
    put(&record, 0x06054b50, 4);
    put(&record, 0, 2);
    put(&record, 0, 2);
    put(&record, (uint64_t)(n < 0xffff ? n : 0xffff), 2);
    put(&record, (uint64_t)(n < 0xffff ? n : 0xffff), 2);
    put(&record, clipped(end - begin), 4);
    put(&record, clipped(begin), 4);
    put(&record, 0, 2);
    return write_record(zip, &record, NULL, NULL, err);
}

/* Also of an archive that was not finished. */
void mplan_zip_release(mplan_zip_out *zip)
{
    zip_entry *entries = zip->members.data;
    for (int64_t i = 0; i < zip->members.count; i++)
        free(entries[i].name);
    free(entries);
}
