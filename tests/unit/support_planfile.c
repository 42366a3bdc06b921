/* SPDX-License-Identifier: Apache-2.0 */
/* support_planfile.c - a plan made by hand, and plan files taken apart */
#include "support_planfile.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"

/* --- a plan --- */

typedef struct maker {
    mplan_plan *plan;
    uint64_t seed;
    mplan_error err;
} maker;

/* An array of random numbers in [0, limit), limit at most 65535. */
static void add(maker *m, mplan_key key, mplan_type type, int64_t rows, int64_t cols, int64_t limit)
{
    int64_t n = rows * cols;
    size_t size = mplan_type_size(type);
    char *data = mplan_alloc_zero(n, size, &m->err);
    for (int64_t i = 0; i < n; i++) {
        uint16_t value = (uint16_t)support_random(&m->seed, limit);
        memcpy(data + (size_t)i * size, &value, size < 2 ? 1 : 2);
    }
    assert_done(mplan_plan_take_array(m->plan, key, type, rows, cols, data, &m->err), &m->err);
}

/* Offsets that ascend from 0 to total in equal steps. */
static void add_offsets(maker *m, mplan_key key, int64_t n, int64_t total)
{
    int64_t *data = mplan_alloc(n + 1, sizeof *data, &m->err);
    for (int64_t i = 0; i <= n; i++)
        data[i] = n ? total * i / n : 0;
    assert_done(mplan_plan_take_array(m->plan, key, MPLAN_TYPE_I64, n + 1, 1, data, &m->err),
                &m->err);
}

static int32_t *random_order(maker *m, int64_t n)
{
    int32_t *order = mplan_alloc(n, sizeof *order, &m->err);
    for (int64_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t k = support_random(&m->seed, i + 1);
        int32_t swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    return order;
}

static void add_set(maker *m, const char *name, int64_t size, int64_t storage, const char *split)
{
    int32_t s = m->plan->n_sets;
    mplan_plan_set record = {.name = name,
                             .size = size,
                             .storage_size = storage,
                             .split = split,
                             .renumber = s == 0 ? MPLAN_RENUMBER_RCM : MPLAN_RENUMBER_NONE,
                             .kept = s == 0,
                             .bandwidth = {9, 8, -1},
                             .profile = {90, 80, -1}};
    assert_done(mplan_plan_add_set(m->plan, &record, &m->err), &m->err);
    int32_t *places = random_order(m, storage);
    int32_t *new_of_old = mplan_alloc(size, sizeof *new_of_old, &m->err);
    int32_t *old_of_new = mplan_alloc(storage, sizeof *old_of_new, &m->err);
    memset(old_of_new, 0xff, (size_t)storage * sizeof *old_of_new);
    for (int64_t i = 0; i < size; i++) {
        new_of_old[i] = places[i];
        old_of_new[places[i]] = (int32_t)i;
    }
    free(places);
    assert_done(mplan_plan_take_array(m->plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, s),
                                      MPLAN_TYPE_I32, size, 1, new_of_old, &m->err),
                &m->err);
    assert_done(mplan_plan_take_array(m->plan, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, s),
                                      MPLAN_TYPE_I32, storage, 1, old_of_new, &m->err),
                &m->err);
    if (split[0])
        add(m, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s), MPLAN_TYPE_I64, size, 1, 1000);
}

static void add_map(maker *m, const char *name, int32_t from, int32_t to, int32_t arity,
                    int64_t n_entries)
{
    int32_t i = m->plan->n_maps;
    mplan_plan_map record = {name, from, to, arity, n_entries};
    int64_t rows = m->plan->sets[from].storage_size;
    int64_t points = m->plan->sets[to].storage_size;
    assert_done(mplan_plan_add_map(m->plan, &record, &m->err), &m->err);
    mplan_key values = mplan_key_of_map(MPLAN_KIND_MAP_VALUES, i);
    if (arity) {
        add(m, values, MPLAN_TYPE_I32, rows, arity, points < 65535 ? points : 65535);
        return;
    }
    add(m, values, MPLAN_TYPE_I32, n_entries, 1, points < 65535 ? points : 65535);
    add_offsets(m, mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, i), rows, n_entries);
}

static void add_blocks(maker *m, int32_t set, int32_t loop, int64_t n_blocks, bool sequence)
{
    int32_t b = m->plan->n_block_sets;
    const mplan_plan_set *of = &m->plan->sets[set];
    mplan_plan_block_set record = {.set = set,
                                   .loop = loop,
                                   .n_blocks = n_blocks,
                                   .block_limit = 1024,
                                   .sequence = sequence,
                                   .partitioner = MPLAN_PARTITIONER_SCOTCH,
                                   .block_min = 1,
                                   .block_max = 4,
                                   .max_points = 65535,
                                   .shared_bytes = 49152,
                                   .alternative_pairs = sequence ? 1000 : -1};
    if (b == 2) {
        record.partitioner = MPLAN_PARTITIONER_NATIVE;
        record.origin = (mplan_block_origin){MPLAN_ORIGIN_HEXES, true, {5, 4, 3}, 2, 50};
    }
    assert_done(mplan_plan_add_block_set(m->plan, &record, &m->err), &m->err);
    add_offsets(m, mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, b), n_blocks,
                sequence ? of->size : of->storage_size);
    if (sequence)
        assert_done(mplan_plan_take_array(m->plan,
                                          mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, b),
                                          MPLAN_TYPE_I32, of->size, 1, random_order(m, of->size),
                                          &m->err),
                    &m->err);
}

static void add_points(maker *m, int32_t loop, int32_t block_set, int32_t set, int64_t pairs)
{
    mplan_block_metrics record = {loop, block_set, set, 12, pairs, 3, 4, 5, 2};
    assert_done(mplan_plan_add_metrics(m->plan, &record, &m->err), &m->err);
    add_offsets(m, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, block_set, loop, set),
                m->plan->block_sets[block_set].n_blocks, pairs);
    add(m, mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, block_set, loop, set), MPLAN_TYPE_I32,
        pairs, 1, 4);
}

static void add_block_colours(maker *m, int32_t loop, int32_t variant, int64_t positions,
                              int64_t n_blocks)
{
    add(m, mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, loop, variant), MPLAN_TYPE_U16,
        positions, 1, 3);
    add(m, mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, loop, variant), MPLAN_TYPE_U16,
        n_blocks, 1, 3);
    add(m, mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, loop, variant), MPLAN_TYPE_I32, n_blocks,
        1, 2);
    add_offsets(m, mplan_key_of_variant(MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, loop, variant), 2, n_blocks);
    add(m, mplan_key_of_variant(MPLAN_KIND_BLOCK_LAUNCH, loop, variant), MPLAN_TYPE_I32, n_blocks,
        1, 2);
}

/* What format 1.2 adds to a variant. */
#define ADDED(order, nanoseconds) order, 0, 0, 0, 0, 0, 0, nanoseconds, 0, MPLAN_REASON_NONE, {0}, 0

static void add_loops(maker *m)
{
    const mplan_plan_arg args[] = {
        {"q", 0, MPLAN_READ, 4, MPLAN_TYPE_F64, MPLAN_NONE_SKIP, MPLAN_LAYOUT_AOS, {0}, 0},
        {"res", 0, MPLAN_INC, 4, MPLAN_TYPE_F64, MPLAN_NONE_SKIP, MPLAN_LAYOUT_SOA, {0}, 0},
        {"x", 1, MPLAN_RW, 2, MPLAN_TYPE_F32, MPLAN_NONE_SPLIT, MPLAN_LAYOUT_AOS, {0}, 0},
        {"area", -1, MPLAN_READ, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_SOA, {0}, 0},
    };
    const mplan_plan_variant variants[] = {
        {MPLAN_STRATEGY_BLOCK_COLOUR, 256, 256, 1, 0, true, "h200", 12000, 2, 3, 6, 0, 0,
         MPLAN_SUMS_PARTIAL, MPLAN_ENCODING_NONE, 0, 0, ADDED(MPLAN_SUMS_ORDER_STORED, 0)},
        {MPLAN_STRATEGY_GLOBAL_COLOUR, 256, 256, 1, -1, true, "h200", 0, 0, 0, 0, 3, 0,
         MPLAN_SUMS_PARTIAL, MPLAN_ENCODING_NONE, 0, 0, ADDED(MPLAN_SUMS_ORDER_STORED, 0)},
        {MPLAN_STRATEGY_TWO_STEP, 256, 128, 2, -1, true, "a100", 0, 0, 0, 0, 0, 0,
         MPLAN_SUMS_PARTIAL, MPLAN_ENCODING_NONE, 0, 0, ADDED(MPLAN_SUMS_ORDER_MESH, 0)},
        {MPLAN_STRATEGY_ATOMIC, 256, 256, 1, 1, false, "", 0, 0, 0, 0, 0, 0, MPLAN_SUMS_PARTIAL,
         MPLAN_ENCODING_NONE, 0, 0, ADDED(MPLAN_SUMS_ORDER_STORED, 12345678901)},
    };
    const mplan_plan_arg update_arg = {
        "q", -1, MPLAN_WRITE, 4, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE, MPLAN_LAYOUT_AOS, {0}, 0};
    const mplan_plan_variant update_variant = {MPLAN_STRATEGY_BLOCK_COLOUR,
                                               256,
                                               256,
                                               1,
                                               2,
                                               true,
                                               "h200",
                                               0,
                                               2,
                                               1,
                                               2,
                                               0,
                                               0,
                                               MPLAN_SUMS_PARTIAL,
                                               MPLAN_ENCODING_NONE,
                                               0,
                                               0,
                                               ADDED(MPLAN_SUMS_ORDER_STORED, 0)};
    const mplan_plan_loop res_calc = {"res_calc", 1, true, 2, 100, 4, args, 4, 3, variants, 0};
    const mplan_plan_loop update = {"update", 0, false,           1, 0, 1, &update_arg,
                                    1,        0, &update_variant, 0};
    assert_done(mplan_plan_add_loop(m->plan, &res_calc, &m->err), &m->err);
    assert_done(mplan_plan_add_loop(m->plan, &update, &m->err), &m->err);
    const mplan_step_conflict conflict = {0, 2, 1, MPLAN_CONFLICT_FLOW | MPLAN_CONFLICT_ANTI,
                                          3, 1, 0};
    for (int i = 0; i < 3; i++)
        assert_done(mplan_plan_add_step(m->plan, &(mplan_step_entry){.loop = i % 2}, &m->err),
                    &m->err);
    for (int i = 0; i < 2; i++)
        assert_done(mplan_plan_add_conflict(m->plan, &conflict, &m->err), &m->err);
}

static void add_tables(maker *m, int64_t n)
{
    for (int32_t b = 0; b < 2; b++) {
        add_points(m, 0, b, 0, 9 * n);
        add_points(m, 0, b, 2, 8 * n);
        add(m, mplan_key_of_block_local(b, 0, 0), MPLAN_TYPE_U16, 6 * n, 2, 5);
        add(m, mplan_key_of_block_local(b, 0, 1), MPLAN_TYPE_U16, 13 * n, 1, 5);
    }
    add_block_colours(m, 0, 0, 6 * n, 2 * n);
    add(m, mplan_key_of_variant(MPLAN_KIND_GLOBAL_COLOURS, 0, 1), MPLAN_TYPE_I32, 6 * n, 1, 3);
    add_offsets(m, mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, 0, 1), 3, 6 * n);
    add(m, mplan_key_of_variant(MPLAN_KIND_GLOBAL_LAUNCH, 0, 1), MPLAN_TYPE_I32, 6 * n, 1, 6);
    add_offsets(m, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, 0, 0), 7 * n, 11 * n);
    add(m, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, 0, 0), MPLAN_TYPE_I64, 11 * n, 1, 12);
    add_offsets(m, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, 0, 1), 4 * n, 13 * n);
    add(m, mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, 0, 1), MPLAN_TYPE_I64, 13 * n, 1, 13);
    add_block_colours(m, 1, 0, 7 * n, n);
}

mplan_plan *support_hand_plan(int64_t n, uint64_t seed)
{
    maker m = {.seed = seed};
    assert_done(mplan_plan_new(&m.plan, &m.err), &m.err);
    add_set(&m, "cells", 5 * n, 7 * n, "");
    add_set(&m, "faces", 6 * n, 6 * n, "faces_cells");
    add_set(&m, "nodes", 4 * n, 4 * n, "");
    add_map(&m, "faces_cells", 1, 0, 2, 12 * n);
    add_map(&m, "faces_nodes", 1, 2, 0, 13 * n);
    add_loops(&m);
    add_blocks(&m, 1, 0, 2 * n, false);
    add_blocks(&m, 1, 0, 3 * n, true);
    add_blocks(&m, 0, 1, n, false);
    add_tables(&m, n);
    assert_done(mplan_plan_set_texts(m.plan, "loops\nresidual \xc3\xa9", "meshplan 0.1.0\n", &m.err),
                &m.err);
    m.plan->fingerprints = (mplan_fingerprints){0x1234, 0, UINT64_C(0x8000000000000001)};
    assert_done(mplan_plan_seal(m.plan, &m.err), &m.err);
    return m.plan;
}

/* --- its bytes --- */

uint32_t support_load32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint64_t support_load64(const uint8_t *at)
{
    return (uint64_t)support_load32(at) | (uint64_t)support_load32(at + 4) << 32;
}

void support_store32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

void support_store64(uint8_t *at, uint64_t value)
{
    support_store32(at, (uint32_t)value);
    support_store32(at + 4, (uint32_t)(value >> 32));
}

/* Memory, unless there is little of it: containers often have 64 MiB, and tests side by side write more. */
const char *support_fast_folder(void)
{
    struct statvfs about;
    const bool room = access("/dev/shm", W_OK | X_OK) == 0 && statvfs("/dev/shm", &about) == 0 &&
                      (uint64_t)about.f_bavail * about.f_frsize >= UINT64_C(1) << 30;
    return room ? "/dev/shm" : "/tmp";
}

uint8_t *support_file_bytes(const mplan_plan *plan, bool compress, int32_t threads, size_t *size)
{
    mplan_error err;
    char path[64];
    snprintf(path, sizeof path, "%s/meshplan-bytes-XXXXXX", support_fast_folder());
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    mplan_write_options options = MPLAN_WRITE_OPTIONS_INIT;
    options.compress = compress;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = threads;
    int64_t bytes = 0;
    assert_done(mplan_plan_write(plan, path, &options, &context, &bytes, &err), &err);
    uint8_t *data = mplan_alloc_aligned(bytes, 1, &err);
    FILE *file = fopen(path, "rb");
    *size = fread(data, 1, (size_t)bytes, file);
    assert_int_equal(*size, bytes);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    unlink(path);
    return data;
}

support_file support_file_split(const uint8_t *bytes, size_t size)
{
    support_file file = {.n = (int64_t)support_load64(bytes + 48)};
    memcpy(file.header, bytes, 128);
    file.sections = calloc((size_t)file.n + 4, sizeof *file.sections);
    for (int64_t i = 0; i < file.n; i++) {
        support_section *section = &file.sections[i];
        memcpy(section->entry, bytes + 128 + 96 * i, 96);
        size_t offset = (size_t)support_load64(section->entry + 56);
        support_section_resize(section, (size_t)support_load64(section->entry + 64));
        assert_true(offset + section->size <= size);
        memcpy(section->data, bytes + offset, section->size);
    }
    return file;
}

void support_file_free(support_file *file)
{
    for (int64_t i = 0; i < file->n; i++)
        free(file->sections[i].data);
    free(file->sections);
    memset(file, 0, sizeof *file);
}

int64_t support_file_find(const support_file *file, uint32_t kind)
{
    for (int64_t i = 0; i < file->n; i++)
        if (support_load32(file->sections[i].entry) == kind)
            return i;
    fail_msg("no section of kind %u", (unsigned)kind);
    return -1;
}

void support_section_resize(support_section *section, size_t size)
{
    section->data = realloc(section->data, size + 1);
    if (size > section->size)
        memset(section->data + section->size, 0, size - section->size);
    section->size = size;
}

mplan_status support_file_read(const uint8_t *bytes, size_t size, const mplan_context *context,
                               mplan_error *err)
{
    mplan_plan *plan = NULL;
    const mplan_status status = mplan_plan_read_borrowed(bytes, size, "edge", context, &plan, err);
    if ((plan == NULL) != (status != MPLAN_OK))
        fail_msg("a plan and a failure, or neither");
    mplan_plan_free(plan);
    return status;
}

void support_fix_header(uint8_t *bytes)
{
    support_store64(bytes + 120, mplan_hash_own(bytes, 120));
}

uint8_t *support_file_join(const support_file *file, size_t *size)
{
    size_t end = 128 + 96 * (size_t)file->n, room = end;
    for (int64_t i = 0; i < file->n; i++)
        room += file->sections[i].size + 4096;
    uint8_t *bytes = mplan_alloc_aligned((int64_t)room, 1, NULL);
    memset(bytes, 0, room);
    for (int64_t i = 0; i < file->n; i++) {
        const support_section *section = &file->sections[i];
        uint8_t *entry = bytes + 128 + 96 * i;
        size_t unit = section->size > 1048576 ? 4096 : 64;
        size_t offset = (end + unit - 1) / unit * unit;
        memcpy(entry, section->entry, 96);
        support_store64(entry + 56, offset);
        support_store64(entry + 64, section->size);
        if (support_load32(entry + 36) == 0)
            support_store64(entry + 72, section->size);
        support_store64(entry + 80, mplan_hash_own(section->data, section->size));
        if (section->size)
            memcpy(bytes + offset, section->data, section->size);
        end = offset + section->size;
    }
    memcpy(bytes, file->header, 128);
    support_store64(bytes + 32, end);
    support_store64(bytes + 48, (uint64_t)file->n);
    support_store64(bytes + 56, mplan_hash_own(bytes + 128, 96 * (size_t)file->n));
    support_fix_header(bytes);
    *size = end;
    return bytes;
}

/* Adds what section PARTS asks for: one set of a part without neighbours. */
static void make_part_set(mplan_plan *plan, int32_t s, int32_t parts, int32_t part, int64_t skipped)
{
    static const mplan_kind empty[] = {
        MPLAN_KIND_IMPORT_PARTS,       MPLAN_KIND_IMPORT_RANGES,       MPLAN_KIND_IMPORT_HASHES,
        MPLAN_KIND_EXPORT_PARTS,       MPLAN_KIND_EXPORT_OFFSETS,      MPLAN_KIND_EXPORT_INDEX,
        MPLAN_KIND_EXPORT_HASHES,      MPLAN_KIND_LOOP_IMPORT_OFFSETS, MPLAN_KIND_LOOP_IMPORTS,
        MPLAN_KIND_LOOP_IMPORT_HASHES, MPLAN_KIND_LOOP_EXPORT_OFFSETS, MPLAN_KIND_LOOP_EXPORTS,
        MPLAN_KIND_LOOP_EXPORT_HASHES};
    const int64_t size = plan->sets[s].size, base = skipped + part * size;
    const mplan_part_set about = {.parts = parts,
                                  .part = part,
                                  .total = skipped + parts * size,
                                  .base = base,
                                  .owned = size,
                                  .inner = size,
                                  .executed = size};
    int64_t *ids = mplan_alloc(size, sizeof *ids, NULL);
    assert_non_null(ids);
    for (int64_t i = 0; i < size; i++)
        ids[i] = base + i;
    mplan_plan_set_part(plan, s, &about);
    assert_int_equal(mplan_plan_take_array(plan, mplan_key_of_set(MPLAN_KIND_GLOBAL_ID, s),
                                           MPLAN_TYPE_I64, size, 1, ids, NULL),
                     MPLAN_OK);
    for (size_t k = 0; k < sizeof empty / sizeof *empty; k++) {
        const mplan_kind kind = empty[k];
        const bool of_loop = kind >= MPLAN_KIND_LOOP_IMPORT_OFFSETS;
        const bool offsets = kind == MPLAN_KIND_EXPORT_OFFSETS ||
                             kind == MPLAN_KIND_LOOP_IMPORT_OFFSETS ||
                             kind == MPLAN_KIND_LOOP_EXPORT_OFFSETS;
        const bool members = kind == MPLAN_KIND_IMPORT_PARTS || kind == MPLAN_KIND_EXPORT_PARTS ||
                             kind == MPLAN_KIND_EXPORT_INDEX || kind == MPLAN_KIND_LOOP_IMPORTS ||
                             kind == MPLAN_KIND_LOOP_EXPORTS;
        if (of_loop && !mplan_plan_loop_reads(plan, 0, s))
            continue;
        assert_int_equal(mplan_plan_take_array(plan,
                                               of_loop ? mplan_key_of_loop_set(kind, s, 0)
                                                       : mplan_key_of_set(kind, s),
                                               members ? MPLAN_TYPE_I32 : MPLAN_TYPE_I64, offsets,
                                               kind == MPLAN_KIND_IMPORT_RANGES ? 4 : 1,
                                               mplan_alloc_zero(1, 8, NULL), NULL),
                         MPLAN_OK);
    }
}

mplan_plan *support_part_plan(int32_t parts, int32_t part, int64_t skipped)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.size[0] = 4;
    options.size[1] = 3;
    mplan_mesh *mesh = NULL;
    mplan_plan *plan = NULL;
    mplan_error err = {0};
    const mplan_arg args[2] = {
        {.dat = "q", .map = NULL, .access = MPLAN_READ, .dim = 1, .type = MPLAN_TYPE_F64},
        {.dat = "x", .map = "cells_nodes", .access = MPLAN_INC, .dim = 2, .type = MPLAN_TYPE_F64}};
    const mplan_loop loop = {
        .name = "scatter", .over = "cells", .calls = 1, .n_args = 2, .args = args, .primary = true};
    mplan_plan_options how = MPLAN_PLAN_OPTIONS_INIT;
    how.n_strategies = 1;
    how.strategies[0] = MPLAN_STRATEGY_TWO_STEP;
    assert_int_equal(mplan_mesh_generate(&options, NULL, &mesh, &err), MPLAN_OK);
    if (mplan_plan_create(mesh, 1, &loop, &how, NULL, &plan, &err))
        fail_msg("%s", err.text);
    mplan_mesh_free(mesh);
    plan->sealed = false;
    for (int32_t s = 0; s < plan->n_sets; s++)
        make_part_set(plan, s, parts, part, skipped);
    assert_int_equal(mplan_plan_seal(plan, &err), MPLAN_OK);
    return plan;
}
