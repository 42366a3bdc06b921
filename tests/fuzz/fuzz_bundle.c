/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_bundle.c - the reader of bundles, and the proof of all parts together
 *
 * An input is read as a file, and then as parts of one, so that inputs are small and no checksum stops a mutation:
 *
 *     u8 parts, u16 manifest bytes, manifest; for each part: u16 bytes, plan
 *
 * The bundle is laid out from them with places and hashes made right, also those of the plans. What is read must survive
 * proof and writing. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "planfile/bundle.h"
#include "planfile/planfile_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PARTS = 4, ROOM = 1 << 20 };

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

/* Hashes of a plan's sections, table and header. */
static void make_plan_right(uint8_t *bytes, size_t size)
{
    if (size < MPLAN_HEADER_BYTES)
        return;
    uint64_t n = mplan_load64(bytes + MPLAN_AT_N_SECTIONS);
    const uint64_t most = (size - MPLAN_HEADER_BYTES) / MPLAN_ENTRY_BYTES;
    n = n > most ? most : n;
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *entry = bytes + MPLAN_HEADER_BYTES + i * MPLAN_ENTRY_BYTES;
        const uint64_t offset = mplan_load64(entry + MPLAN_AT_OFFSET);
        const uint64_t stored = mplan_load64(entry + MPLAN_AT_STORED);
        if (offset <= size && stored <= size - offset)
            mplan_store64(entry + 80, mplan_hash(bytes + offset, stored));
    }
    memcpy(bytes, MPLAN_MAGIC, MPLAN_MAGIC_BYTES);
    mplan_store64(bytes + MPLAN_AT_FILE_BYTES, size);
    mplan_store64(bytes + MPLAN_AT_TABLE_HASH,
                  mplan_hash(bytes + MPLAN_HEADER_BYTES, n * MPLAN_ENTRY_BYTES));
    mplan_store64(bytes + MPLAN_AT_HEADER_HASH, mplan_hash(bytes, MPLAN_AT_HEADER_HASH));
}

/* Reads the bytes as a file of their own; what is accepted is proved. */
static void read_file(const uint8_t *bytes, size_t size)
{
    mplan_error err;
    mplan_bundle *bundle = NULL;
    char path[64];
    int fd = memfd_create("bundle", MFD_CLOEXEC);
    if (fd < 0)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, bytes, size) == (ssize_t)size &&
        mplan_bundle_open(path, &one_thread, &bundle, &err) == MPLAN_OK) {
        const mplan_parts_source source = mplan_bundle_source(bundle);
        mplan_vector text = MPLAN_VECTOR_INIT(1);
        if (mplan_manifest_print_file(mplan_bundle_manifest(bundle), &text, &err))
            abort(); /* what can be read can be written */
        free(text.data);
        (void)mplan_parts_verify(&source, NULL, -1, &one_thread, &err);
        for (int32_t p = 0; p < source.n_parts; p++) {
            mplan_plan *plan = NULL;
            (void)mplan_parts_verify(&source, NULL, p, &one_thread, &err);
            if (mplan_bundle_read_part(bundle, p, &one_thread, &plan, &err) == MPLAN_OK &&
                (mplan_plan_compare(plan, plan, NULL, NULL, &err) ||
                 mplan_plan_write(plan, "/dev/null", NULL, &one_thread, NULL, &err)))
                abort();
            mplan_plan_free(plan);
        }
    }
    mplan_bundle_free(bundle);
    close(fd);
}

/* Takes `size` bytes of the input; as many as there are. */
static size_t take(const uint8_t **at, const uint8_t *end, size_t size, uint8_t *to)
{
    const size_t left = (size_t)(end - *at), n = size < left ? size : left;
    memcpy(to, *at, n);
    *at += n;
    return n;
}

static size_t take16(const uint8_t **at, const uint8_t *end)
{
    uint8_t bytes[2] = {0, 0};
    take(at, end, 2, bytes);
    return mplan_load16(bytes);
}

/* Lays the parts out in `file`, ROOM zero bytes; returns the length. */
static size_t lay_out(const uint8_t *data, size_t size, uint8_t *file)
{
    const uint8_t *at = data + 1, *end = data + size;
    const int32_t n = 1 + data[0] % MOST_PARTS;
    const size_t front = MPLAN_BUNDLE_HEADER + MPLAN_BUNDLE_ENTRY * (size_t)n;
    const size_t manifest = take(&at, end, take16(&at, end), file + front);
    size_t length = front + manifest;
    for (int32_t p = 0; p < n; p++) {
        uint8_t *entry = file + MPLAN_BUNDLE_HEADER + MPLAN_BUNDLE_ENTRY * p;
        const size_t offset = (size_t)mplan_bundle_next((int64_t)length);
        const size_t bytes = take(&at, end, take16(&at, end), file + offset);
        make_plan_right(file + offset, bytes);
        mplan_store64(entry + MPLAN_BUNDLE_AT_OFFSET, offset);
        mplan_store64(entry + MPLAN_BUNDLE_AT_BYTES, bytes);
        mplan_store64(entry + MPLAN_BUNDLE_AT_HASH, mplan_hash(file + offset, MPLAN_HEADER_BYTES));
        length = offset + bytes;
    }
    memcpy(file, MPLAN_BUNDLE_MAGIC, MPLAN_MAGIC_BYTES);
    mplan_store16(file + MPLAN_BUNDLE_AT_MAJOR, MPLAN_BUNDLE_MAJOR);
    mplan_store32(file + MPLAN_BUNDLE_AT_HEADER_BYTES, MPLAN_BUNDLE_HEADER);
    mplan_store64(file + MPLAN_BUNDLE_AT_FILE_BYTES, length);
    mplan_store32(file + MPLAN_BUNDLE_AT_PARTS, (uint32_t)n);
    mplan_store64(file + MPLAN_BUNDLE_AT_MANIFEST_BYTES, manifest);
    mplan_store64(file + MPLAN_BUNDLE_AT_MANIFEST_HASH, mplan_hash(file + front, manifest));
    mplan_store64(file + MPLAN_BUNDLE_AT_TABLE_HASH,
                  mplan_hash(file + MPLAN_BUNDLE_HEADER, front - MPLAN_BUNDLE_HEADER));
    mplan_store64(file + MPLAN_BUNDLE_AT_HEADER_HASH, mplan_hash(file, MPLAN_BUNDLE_AT_HEADER_HASH));
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_file(data, size);
    uint8_t *file = size > 0 ? calloc(ROOM, 1) : NULL;
    if (file)
        read_file(file, lay_out(data, size, file));
    free(file);
    return 0;
}
