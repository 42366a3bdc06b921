/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_planfile.c - the reader of plan files, and what looks at a plan it took
 *
 * Checksums would stop every mutation at the door, so each input is read twice:
 * as it is, and with magic, lengths and hashes made right. A plan that is
 * accepted must hold every byte that its arrays claim, and must survive proof,
 * comparison and writing. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "meshplan.h"
#include "planfile/planfile_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const mplan_context one_thread = {.struct_size = sizeof(mplan_context), .threads = 1};

static void make_right(uint8_t *bytes, size_t size)
{
    if (size < MPLAN_HEADER_BYTES)
        return;
    uint64_t n = mplan_load64(bytes + MPLAN_AT_N_SECTIONS);
    uint64_t most = (size - MPLAN_HEADER_BYTES) / MPLAN_ENTRY_BYTES;
    if (n > most)
        n = most;
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *entry = bytes + MPLAN_HEADER_BYTES + i * MPLAN_ENTRY_BYTES;
        uint64_t offset = mplan_load64(entry + MPLAN_AT_OFFSET);
        uint64_t stored = mplan_load64(entry + MPLAN_AT_STORED);
        if (offset <= size && stored <= size - offset)
            mplan_store64(entry + 80, mplan_hash(bytes + offset, stored));
    }
    memcpy(bytes, MPLAN_MAGIC, MPLAN_MAGIC_BYTES);
    mplan_store16(bytes + MPLAN_AT_MAJOR, 1);
    mplan_store64(bytes + MPLAN_AT_MUST_KNOW, 0);
    mplan_store64(bytes + MPLAN_AT_FILE_BYTES, size);
    mplan_store64(bytes + MPLAN_AT_TABLE_HASH,
                  mplan_hash(bytes + MPLAN_HEADER_BYTES, n * MPLAN_ENTRY_BYTES));
    mplan_store64(bytes + MPLAN_AT_HEADER_HASH, mplan_hash(bytes, MPLAN_AT_HEADER_HASH));
}

/* Bounds of a plan that nobody proved. */
static void find_bounds(const mplan_plan *plan)
{
    mplan_error err;
    mplan_variant_bounds bounds;
    double reuse;
    const char *tile;
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++)
        for (int32_t v = 0; v < mplan_plan_get_loop(plan, l)->n_variants; v++)
            if (mplan_plan_variant_bounds(plan, l, v, &bounds, NULL, &err))
                abort();
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++)
        if (mplan_plan_reuse_bound(plan, i, &reuse, &tile, &err))
            abort();
}

static void look_at(const mplan_plan *plan)
{
    mplan_error err;
    volatile uint8_t sum = 0;
    for (int32_t i = 0; i < mplan_plan_n_arrays(plan); i++) {
        const mplan_array *array = mplan_plan_get_array(plan, i);
        size_t bytes = (size_t)(array->rows * array->cols) * mplan_type_size(array->type);
        for (size_t b = 0; b < bytes; b++)
            sum = (uint8_t)(sum + ((const uint8_t *)array->data)[b]);
    }
    for (int32_t m = 0; m < mplan_plan_n_maps(plan); m++)
        if (!mplan_plan_stored_map(plan, m).values)
            abort();
    if (mplan_plan_compare(plan, plan, NULL, NULL, &err))
        abort();
    find_bounds(plan);
    if (mplan_plan_write(plan, "/dev/null", NULL, &one_thread, NULL, &err))
        abort(); /* what can be read can be written */
    (void)mplan_plan_verify(plan, NULL, &one_thread, &err);
    (void)mplan_plan_export_part(plan, "/dev/null", &one_thread, &err);
}

static void read_bytes(const uint8_t *bytes, size_t size)
{
    mplan_error err;
    mplan_plan *plan = NULL;
    if (mplan_plan_read_borrowed(bytes, size, "fuzz", &one_thread, &plan, &err) == MPLAN_OK)
        look_at(plan);
    mplan_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *room = NULL;
    if (posix_memalign(&room, 64, size ? size : 1))
        return 0;
    uint8_t *bytes = room;
    if (size)
        memcpy(bytes, data, size);
    read_bytes(bytes, size);
    make_right(bytes, size);
    read_bytes(bytes, size);
    free(room);
    return 0;
}
