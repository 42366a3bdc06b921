/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_write.c - writes bundles part by part: formats/plan-format.md, section 13
 *
 * Plans go to the file as they are made, so that memory holds one at a time. Header and table are written last, over the
 * room that was left for them; the file gets its name after that. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/hash.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "planfile/bundle.h"
#include "planfile/planfile_layout.h"

#define PIECE ((size_t)4 << 20)

struct mplan_bundle_writer {
    mplan_output *output;
    const mplan_context *context;
    bool compress;
    int32_t n_parts, next; /* the part that comes next */
    mplan_vector front;    /* bytes */
};

/* NULL is accepted. What was written so far is thrown away. */
void mplan_bundle_abort(mplan_bundle_writer *writer)
{
    if (!writer)
        return;
    mplan_output_abort(writer->output);
    free(writer->front.data);
    free(writer);
}

/* --- what lies before the plans --- */

mplan_status mplan_bundle_front_make(const mplan_manifest *manifest, mplan_vector *front,
                                     mplan_error *err)
{
    assert(manifest && front && front->size == 1 && front->count == 0);
    const int64_t room = MPLAN_BUNDLE_HEADER + MPLAN_BUNDLE_ENTRY * (int64_t)manifest->n_parts;
    uint8_t *head = mplan_vector_reserve(front, room, err);
    if (!head)
        return MPLAN_ERR_MEMORY;
    memset(head, 0, (size_t)room);
    front->count = room;
    mplan_status status = mplan_manifest_print(manifest, front, err);
    if (status)
        return status;
    head = front->data;
    const int64_t text = front->count - room;
    memcpy(head, MPLAN_BUNDLE_MAGIC, MPLAN_MAGIC_BYTES);
    mplan_store16(head + MPLAN_BUNDLE_AT_MAJOR, MPLAN_BUNDLE_MAJOR);
    mplan_store32(head + MPLAN_BUNDLE_AT_HEADER_BYTES, MPLAN_BUNDLE_HEADER);
    mplan_store32(head + MPLAN_BUNDLE_AT_PARTS, (uint32_t)manifest->n_parts);
    mplan_store64(head + MPLAN_BUNDLE_AT_MANIFEST_BYTES, (uint64_t)text);
    mplan_store64(head + MPLAN_BUNDLE_AT_MANIFEST_HASH, mplan_hash(head + room, (size_t)text));
    mplan_store64(head + MPLAN_BUNDLE_AT_TOPOLOGY, manifest->fingerprints.topology);
    mplan_store64(head + MPLAN_BUNDLE_AT_COORDINATES, manifest->fingerprints.coordinates);
    return MPLAN_OK;
}

void mplan_bundle_front_note(uint8_t *front, int32_t part, int64_t offset, int64_t bytes,
                             uint64_t head)
{
    assert(front && part >= 0);
    uint8_t *entry = front + MPLAN_BUNDLE_HEADER + MPLAN_BUNDLE_ENTRY * (int64_t)part;
    mplan_store64(entry + MPLAN_BUNDLE_AT_OFFSET, (uint64_t)offset);
    mplan_store64(entry + MPLAN_BUNDLE_AT_BYTES, (uint64_t)bytes);
    mplan_store64(entry + MPLAN_BUNDLE_AT_HASH, head);
}

void mplan_bundle_front_seal(uint8_t *front, int32_t n_parts, int64_t length)
{
    assert(front && n_parts > 0);
    mplan_store64(front + MPLAN_BUNDLE_AT_FILE_BYTES, (uint64_t)length);
    mplan_store64(front + MPLAN_BUNDLE_AT_TABLE_HASH,
                  mplan_hash(front + MPLAN_BUNDLE_HEADER, MPLAN_BUNDLE_ENTRY * (size_t)n_parts));
    mplan_store64(front + MPLAN_BUNDLE_AT_HEADER_HASH,
                  mplan_hash(front, MPLAN_BUNDLE_AT_HEADER_HASH));
}

/* --- part by part --- */

/* Header and table are written again at the end (mplan_bundle_end), since places and hashes of the parts are not known
 * before. */
mplan_status mplan_bundle_begin(const char *path, const mplan_manifest *manifest,
                                const mplan_write_options *options, const mplan_context *context,
                                mplan_bundle_writer **writer, mplan_error *err)
{
    mplan_write_options own = MPLAN_WRITE_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "write options", err);
    if (status)
        return status;
    mplan_bundle_writer *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made->context = context;
    made->compress = own.compress;
    made->n_parts = manifest->n_parts;
    made->front = (mplan_vector)MPLAN_VECTOR_INIT(1);
    status = mplan_bundle_front_make(manifest, &made->front, err);
    if (!status)
        status = mplan_output_open(path, context, &made->output, err);
    if (!status)
        status = mplan_output_write(made->output, made->front.data, (size_t)made->front.count, err);
    if (status)
        mplan_bundle_abort(made);
    else
        *writer = made;
    return status;
}

/* Zeros up to the place of the next plan. */
static mplan_status pad(mplan_bundle_writer *writer, mplan_error *err)
{
    static const uint8_t zeros[4096];
    const int64_t end = mplan_output_bytes(writer->output), next = mplan_bundle_next(end);
    mplan_status status = MPLAN_OK;
    for (int64_t at = end; at < next && !status; at += (int64_t)sizeof zeros) {
        const int64_t left = next - at, most = (int64_t)sizeof zeros;
        status = mplan_output_write(writer->output, zeros, (size_t)(left < most ? left : most), err);
    }
    return status;
}

/* head: the 128 bytes of the plan's header. */
static void note_part(mplan_bundle_writer *writer, int64_t offset, int64_t bytes, const uint8_t *head)
{
    mplan_bundle_front_note(writer->front.data, writer->next, offset, bytes,
                            mplan_hash(head, MPLAN_HEADER_BYTES));
    writer->next++;
}

/* Parts come in their order. Each begins at a multiple of the alignment of sections, so that a reader may map it. */
mplan_status mplan_bundle_add(mplan_bundle_writer *writer, const mplan_plan *plan, mplan_error *err)
{
    assert(writer->next < writer->n_parts && mplan_plan_part(plan) == writer->next);
    uint8_t head[MPLAN_HEADER_BYTES];
    int64_t bytes = 0;
    mplan_status status = pad(writer, err);
    const int64_t offset = mplan_output_bytes(writer->output);
    if (!status)
        status = mplan_plan_write_into(plan, writer->output, writer->compress, writer->context,
                                       head, &bytes, err);
    if (!status)
        note_part(writer, offset, bytes, head);
    return status;
}

/* Likewise of a plan that is a file already; its head is read for the table. */
mplan_status mplan_bundle_add_bytes(mplan_bundle_writer *writer, const void *bytes, size_t size,
                                    mplan_error *err)
{
    assert(writer->next < writer->n_parts && size >= MPLAN_HEADER_BYTES);
    mplan_status status = pad(writer, err);
    const int64_t offset = mplan_output_bytes(writer->output);
    for (size_t at = 0; at < size && !status; at += PIECE) {
        status = mplan_interrupted(writer->context, err);
        if (!status)
            status = mplan_output_write(writer->output, (const uint8_t *)bytes + at,
                                        size - at < PIECE ? size - at : PIECE, err);
    }
    if (!status)
        note_part(writer, offset, (int64_t)size, bytes);
    return status;
}

/* After the last part. The writer is gone afterwards, also after a failure; *bytes is the size of the file. */
mplan_status mplan_bundle_end(mplan_bundle_writer *writer, int64_t *bytes, mplan_error *err)
{
    assert(writer->next == writer->n_parts);
    const int64_t length = mplan_output_bytes(writer->output);
    const size_t front = MPLAN_BUNDLE_HEADER + MPLAN_BUNDLE_ENTRY * (size_t)writer->n_parts;
    mplan_bundle_front_seal(writer->front.data, writer->n_parts, length);
    mplan_status status = mplan_output_patch(writer->output, 0, writer->front.data, front, err);
    if (!status) {
        mplan_output *output = writer->output;
        writer->output = NULL;
        status = mplan_output_commit(output, err);
    }
    if (!status && bytes)
        *bytes = length;
    mplan_bundle_abort(writer);
    return status;
}
