/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_records.c - sections 1 to 21: the plan from the bytes of its records
 *
 * Follows planfile_fields.c, which says where each member of a struct is in the record. planfile_records_write.c writes
 * them. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "planfile/planfile_fields.h"
#include "planfile/planfile_layout.h"

/* Texts get their final zero in a buffer that lives while records are decoded: they follow one another in STRINGS, so
 * `taken` is where the next must begin, and `used` the bytes of `texts` so far. args and variants: all of the plan,
 * loop after loop, as ARGS and VARIANTS have them; loops point into them until they are added, which copies. */
typedef struct decoder {
    const mplan_records *records;
    mplan_plan *plan;
    char *texts;
    int64_t taken, used;
    mplan_plan_arg *args;
    mplan_plan_variant *variants;
    mplan_fault *fault;
    mplan_error *err;
} decoder;

/* Each text must begin where the one before it ended: a file has one way of storing them.
 * member: the char pointer of the record, which points into d->texts. d->used counts the bytes
 * taken there: those of the file and a zero for each text. */
static mplan_status decode_text(decoder *d, uint32_t kind, int64_t row, const mplan_field *f,
                                const uint8_t *at, void *member)
{
    int64_t offset = mplan_load32(at), length = mplan_load32(at + 4);
    if (offset != d->taken)
        return mplan_fault_set(d->fault, kind, row, (int64_t)f->at,
                               "a text begins at %lld, the one before it ends at %lld",
                               (long long)offset, (long long)d->taken);
    if (length > d->records->rows[MPLAN_KIND_STRINGS] - d->taken)
        return mplan_fault_set(d->fault, kind, row, (int64_t)f->at + 4,
                               "a text extends beyond the section of the texts");
    const uint8_t *from = d->records->bytes[MPLAN_KIND_STRINGS] + offset;
    if (memchr(from, 0, (size_t)length))
        return mplan_fault_set(d->fault, kind, row, (int64_t)f->at, "a text contains a zero byte");
    char *to = d->texts + d->used;
    memcpy(to, from, (size_t)length);
    to[length] = '\0';
    d->taken += length;
    d->used += length + 1;
    memcpy(member, &to, sizeof to);
    return MPLAN_OK;
}

/* Bytes that no field covers must be zero, so that later versions can use them. Texts and i64
 * cover 8 bytes, all others 4. */
static mplan_status check_reserved(decoder *d, uint32_t kind, int64_t row, const uint8_t *at)
{
    bool covered[MPLAN_LONGEST_RECORD] = {false};
    const mplan_record_shape *like = mplan_shape_of_record(kind);
    for (size_t i = 0; i < like->n_fields; i++) {
        mplan_field_form form = like->fields[i].form;
        bool wide = form == MPLAN_FIELD_TEXT || form == MPLAN_FIELD_LONG;
        memset(covered + like->fields[i].at, true, wide ? 8 : 4);
    }
    for (size_t b = 0; b < like->bytes; b++)
        if (!covered[b] && at[b])
            return mplan_fault_set(d->fault, kind, row, (int64_t)b, "a reserved byte is not zero");
    return MPLAN_OK;
}

/* record: the struct of the kind, zeroed. Texts are valid as long as the decoder. Numbers are
 * copied as they are, -1 for ones; whether they may be so is said by mplan_rules_records. */
static mplan_status decode_record(decoder *d, uint32_t kind, int64_t row, void *record)
{
    const mplan_record_shape *like = mplan_shape_of_record(kind);
    const uint8_t *bytes = d->records->bytes[kind] + (size_t)row * like->bytes;
    mplan_status status = check_reserved(d, kind, row, bytes);
    for (size_t i = 0; !status && i < like->n_fields; i++) {
        const mplan_field *f = &like->fields[i];
        const uint8_t *at = bytes + f->at;
        char *member = (char *)record + f->member;
        uint32_t word = mplan_load32(at);
        mplan_renumber method = word ? (mplan_renumber)word : MPLAN_RENUMBER_NONE;
        switch (f->form) {
        case MPLAN_FIELD_TEXT: status = decode_text(d, kind, row, f, at, member); break;
        case MPLAN_FIELD_NUMBER: memcpy(member, at, 4); break;
        case MPLAN_FIELD_FLAG:
            if (word > 1)
                status = mplan_fault_set(d->fault, kind, row, (int64_t)f->at,
                                         "%lu is neither 0 nor 1", (unsigned long)word);
            *(bool *)member = word == 1;
            break;
        case MPLAN_FIELD_METHOD:
            if (word == MPLAN_RENUMBER_NONE) /* none is 0 in the file */
                status = mplan_fault_set(d->fault, kind, row, (int64_t)f->at,
                                         "%lu is not a renumbering", (unsigned long)word);
            memcpy(member, &method, sizeof method);
            break;
        case MPLAN_FIELD_LONG: memcpy(member, at, 8); break;
        }
    }
    return status;
}

/* Sets, then maps, as their texts lie in STRINGS. Adding copies the texts, so that the decoder may go. References, as
 * from and to of a map, are not looked at here but by mplan_rules_records, when all records are there. */
static mplan_status decode_sets_and_maps(decoder *d)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; !status && i < d->records->rows[MPLAN_KIND_SETS]; i++) {
        mplan_plan_set set = {0};
        status = decode_record(d, MPLAN_KIND_SETS, i, &set);
        if (!status)
            status = mplan_plan_add_set(d->plan, &set, d->err);
    }
    for (int64_t i = 0; !status && i < d->records->rows[MPLAN_KIND_MAPS]; i++) {
        mplan_plan_map map = {0};
        status = decode_record(d, MPLAN_KIND_MAPS, i, &map);
        if (!status)
            status = mplan_plan_add_map(d->plan, &map, d->err);
    }
    return status;
}

/* ARGS2 behind VARIANTS, as its texts are; empty ones, so far. */
static mplan_status decode_args2(decoder *d)
{
    const int64_t *rows = d->records->rows;
    mplan_status status = MPLAN_OK;
    if (d->records->bytes[MPLAN_KIND_ARGS2] && rows[MPLAN_KIND_ARGS2] != rows[MPLAN_KIND_ARGS])
        return mplan_fault_set(d->fault, MPLAN_KIND_ARGS2, 0, 0,
                               "there are %lld records of 1.2 for %lld args",
                               (long long)rows[MPLAN_KIND_ARGS2], (long long)rows[MPLAN_KIND_ARGS]);
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_ARGS2]; i++) {
        mplan_arg2 two = {0};
        status = decode_record(d, MPLAN_KIND_ARGS2, i, &two);
        if (!status)
            status = mplan_arg2_join(&two, i, &d->args[i], d->fault);
    }
    return status;
}

/* The slots of each arg that ARGS2 counts; none may be left over. Offsets are levels. */
static mplan_status decode_slots(decoder *d)
{
    const int64_t *rows = d->records->rows;
    int64_t next = 0;
    for (int64_t i = 0; i < rows[MPLAN_KIND_ARGS2]; i++)
        for (int32_t k = 0; k < d->args[i].layers.n_slots; k++, next++) {
            mplan_slot_record record = {0};
            if (next >= rows[MPLAN_KIND_SLOTS])
                return mplan_fault_set(d->fault, MPLAN_KIND_ARGS2, i, 40,
                                       "arg %lld has more slots than there are records",
                                       (long long)i);
            mplan_status status = decode_record(d, MPLAN_KIND_SLOTS, next, &record);
            if (status)
                return status;
            if (record.offset < 0 || record.offset > MPLAN_MOST_LEVELS)
                return mplan_fault_set(d->fault, MPLAN_KIND_SLOTS, next, 8,
                                       "the offset of slot %lld is out of range", (long long)next);
            d->args[i].layers.slots[k] = (mplan_slot){record.of, (int32_t)record.offset};
        }
    if (next < rows[MPLAN_KIND_SLOTS])
        return mplan_fault_set(d->fault, MPLAN_KIND_SLOTS, next, 0,
                               "the slot does not belong to any arg");
    return MPLAN_OK;
}

/* One record for each set, in their order. Ranges are for planfile_parts.c; only `parts` is asked for here, because a
 * plan is a part where it is not 0. */
static mplan_status decode_parts(decoder *d)
{
    const int64_t rows = d->records->rows[MPLAN_KIND_PARTS];
    if (!d->records->bytes[MPLAN_KIND_PARTS])
        return MPLAN_OK;
    if (rows != d->plan->n_sets)
        return mplan_fault_set(d->fault, MPLAN_KIND_PARTS, 0, 0,
                               "there are %lld records of parts for %d sets", (long long)rows,
                               (int)d->plan->n_sets);
    for (int64_t i = 0; i < rows; i++) {
        mplan_part_set part = {0};
        mplan_status status = decode_record(d, MPLAN_KIND_PARTS, i, &part);
        if (status)
            return status;
        if (part.parts < 1)
            return mplan_fault_set(d->fault, MPLAN_KIND_PARTS, i, 0, "there cannot be %d parts",
                                   (int)part.parts);
        mplan_plan_set_part(d->plan, (int32_t)i, &part);
    }
    return MPLAN_OK;
}

/* Records of sets with layers. Sets ascend, so that none comes twice. A set without ranges has columns of one height,
 * so least and most are equal then; most is at least 1, since sets without layers have no record. */
static mplan_status decode_layers(decoder *d)
{
    int32_t before = -1;
    for (int64_t i = 0; i < d->records->rows[MPLAN_KIND_LAYERS]; i++) {
        const uint32_t kind = MPLAN_KIND_LAYERS;
        mplan_layers_record record = {0};
        mplan_status status = decode_record(d, kind, i, &record);
        if (status)
            return status;
        if (record.set <= before || record.set >= d->plan->n_sets)
            return mplan_fault_set(d->fault, kind, i, 0,
                                   "the set of layers %lld does not exist or is not behind the one before",
                                   (long long)i);
        if (record.most < 1 || record.most > MPLAN_MAX_LAYERS)
            return mplan_fault_set(d->fault, kind, i, 16, "a set cannot have %lld layers",
                                   (long long)record.most);
        if (record.least < 0 ||
            (record.ranged ? record.least > record.most : record.least != record.most))
            return mplan_fault_set(d->fault, kind, i, 8, "no column can have %lld layers",
                                   (long long)record.least);
        before = record.set;
        mplan_plan_set_layers(d->plan, record.set, (int32_t)record.most, (int32_t)record.least,
                              record.ranged, record.masked);
    }
    return MPLAN_OK;
}

/* Texts are in the order loops, args, variants, so all records are decoded
 * before the first loop is added. */
static mplan_status decode_loops(decoder *d, mplan_plan_loop *loops)
{
    const int64_t *rows = d->records->rows;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_LOOPS]; i++)
        status = decode_record(d, MPLAN_KIND_LOOPS, i, &loops[i]);
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_ARGS]; i++) {
        status = decode_record(d, MPLAN_KIND_ARGS, i, &d->args[i]);
        if (!status)
            status = mplan_arg2_check(&d->args[i], i, d->fault);
    }
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_VARIANTS]; i++)
        status = decode_record(d, MPLAN_KIND_VARIANTS, i, &d->variants[i]);
    if (!status)
        status = decode_args2(d);
    if (!status)
        status = decode_slots(d);
    if (status || !d->records->bytes[MPLAN_KIND_VARIANTS2])
        return status;
    if (rows[MPLAN_KIND_VARIANTS2] != rows[MPLAN_KIND_VARIANTS])
        return mplan_fault_set(d->fault, MPLAN_KIND_VARIANTS2, 0, 0,
                               "there are %lld records of 1.2 for %lld variants",
                               (long long)rows[MPLAN_KIND_VARIANTS2],
                               (long long)rows[MPLAN_KIND_VARIANTS]);
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_VARIANTS]; i++)
        status = decode_record(d, MPLAN_KIND_VARIANTS2, i, &d->variants[i]);
    return status;
}

/* Args and variants of all loops lie one behind the other; each loop takes as many as it says,
 * and none may be left over. 16 and 20 are the bytes of n_args and n_variants in a loop's
 * record. */
static mplan_status add_loops(decoder *d, mplan_plan_loop *loops)
{
    const int64_t *rows = d->records->rows;
    int64_t arg = 0, variant = 0;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_LOOPS]; i++) {
        mplan_plan_loop *loop = &loops[i];
        if (loop->n_args < 0 || loop->n_args > rows[MPLAN_KIND_ARGS] - arg)
            return mplan_fault_set(d->fault, MPLAN_KIND_LOOPS, i, 16,
                                   "the loop has more args than there are records");
        if (loop->n_variants < 0 || loop->n_variants > rows[MPLAN_KIND_VARIANTS] - variant)
            return mplan_fault_set(d->fault, MPLAN_KIND_LOOPS, i, 20,
                                   "the loop has more variants than there are records");
        loop->args = d->args + arg;
        loop->variants = d->variants + variant;
        arg += loop->n_args;
        variant += loop->n_variants;
        status = mplan_plan_add_loop(d->plan, loop, d->err);
    }
    if (!status && arg < rows[MPLAN_KIND_ARGS])
        return mplan_fault_set(d->fault, MPLAN_KIND_ARGS, arg, 0,
                               "the arg does not belong to any loop");
    if (!status && variant < rows[MPLAN_KIND_VARIANTS])
        return mplan_fault_set(d->fault, MPLAN_KIND_VARIANTS, variant, 0,
                               "the variant does not belong to any loop");
    return status;
}

/* Plans of version 1.0 have no origins; they are kept as they are when written again. */
static mplan_status decode_block_sets(decoder *d)
{
    mplan_status status = MPLAN_OK;
    int64_t n = d->records->rows[MPLAN_KIND_BLOCK_SETS];
    bool origins = d->records->bytes[MPLAN_KIND_ORIGINS] != NULL; /* plans of 1.0 have none */
    d->plan->no_origins = !origins;
    if (origins && d->records->rows[MPLAN_KIND_ORIGINS] != n)
        return mplan_fault_set(d->fault, MPLAN_KIND_ORIGINS, 0, 0,
                               "there are %lld origins, but %lld block sets",
                               (long long)d->records->rows[MPLAN_KIND_ORIGINS], (long long)n);
    for (int64_t i = 0; !status && i < n; i++) {
        mplan_plan_block_set set = {0};
        status = decode_record(d, MPLAN_KIND_BLOCK_SETS, i, &set);
        if (!status && origins)
            status = decode_record(d, MPLAN_KIND_ORIGINS, i, &set);
        if (!status)
            status = mplan_plan_add_block_set(d->plan, &set, d->err);
    }
    for (int64_t i = 0; !status && i < d->records->rows[MPLAN_KIND_BLOCK_METRICS]; i++) {
        mplan_block_metrics metrics = {0};
        status = decode_record(d, MPLAN_KIND_BLOCK_METRICS, i, &metrics);
        if (!status)
            status = mplan_plan_add_metrics(d->plan, &metrics, d->err);
    }
    return status;
}

/* Sets ascend, so that none comes twice; of an empty name nothing would be left to write again. */
static mplan_status decode_groups(decoder *d)
{
    mplan_status status = MPLAN_OK;
    int32_t before = -1;
    for (int64_t i = 0; !status && i < d->records->rows[MPLAN_KIND_GROUPS]; i++) {
        mplan_group_record record = {0};
        status = decode_record(d, MPLAN_KIND_GROUPS, i, &record);
        if (status)
            return status;
        if (record.set <= before || record.set >= d->plan->n_sets)
            return mplan_fault_set(d->fault, MPLAN_KIND_GROUPS, i, 8,
                                   "the set of group %lld does not exist or is not behind the one "
                                   "before",
                                   (long long)i);
        if (!*record.parent)
            return mplan_fault_set(d->fault, MPLAN_KIND_GROUPS, i, 4,
                                   "the parent of group %lld has no name", (long long)i);
        before = record.set;
        status = mplan_plan_set_parent(d->plan, record.set, record.parent, record.parent_set,
                                       record.parent_size, d->err);
    }
    return status;
}

/* The step and its conflicts: both are there, or neither. */
static mplan_status decode_step(decoder *d)
{
    const int64_t *rows = d->records->rows;
    mplan_status status = MPLAN_OK;
    if (!d->records->bytes[MPLAN_KIND_STEP] != !d->records->bytes[MPLAN_KIND_STEP_CONFLICTS])
        return mplan_fault_set(d->fault,
                               d->records->bytes[MPLAN_KIND_STEP] ? MPLAN_KIND_STEP
                                                                  : MPLAN_KIND_STEP_CONFLICTS,
                               0, 0, "a step and its conflicts must be there together");
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_STEP]; i++) {
        mplan_step_entry entry = {0};
        status = decode_record(d, MPLAN_KIND_STEP, i, &entry);
        if (!status)
            status = mplan_plan_add_step(d->plan, &entry, d->err);
    }
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_STEP_CONFLICTS]; i++) {
        mplan_step_conflict conflict = {0};
        status = decode_record(d, MPLAN_KIND_STEP_CONFLICTS, i, &conflict);
        if (!status)
            status = mplan_plan_add_conflict(d->plan, &conflict, d->err);
    }
    return status;
}

/* The visit and its streams: both are there, or neither. There is one visit, of at least one slab: 0 slabs mean in
 * memory that a plan has none. */
static mplan_status decode_visit(decoder *d)
{
    const int64_t *rows = d->records->rows;
    const bool visit = d->records->bytes[MPLAN_KIND_VISIT] != NULL;
    mplan_status status = MPLAN_OK;
    if (visit != (d->records->bytes[MPLAN_KIND_STREAMS] != NULL))
        return mplan_fault_set(d->fault, visit ? MPLAN_KIND_VISIT : MPLAN_KIND_STREAMS, 0, 0,
                               "a visit and its streams must be there together");
    if (!visit)
        return MPLAN_OK;
    if (rows[MPLAN_KIND_VISIT] != 1)
        return mplan_fault_set(d->fault, MPLAN_KIND_VISIT, 0, 0, "there are %lld visits",
                               (long long)rows[MPLAN_KIND_VISIT]);
    status = decode_record(d, MPLAN_KIND_VISIT, 0, &d->plan->visit);
    if (!status && d->plan->visit.slabs < 1)
        return mplan_fault_set(d->fault, MPLAN_KIND_VISIT, 0, 0, "a visit cannot have %d slabs",
                               (int)d->plan->visit.slabs);
    for (int64_t i = 0; !status && i < rows[MPLAN_KIND_STREAMS]; i++) {
        mplan_plan_stream stream = {0};
        status = decode_record(d, MPLAN_KIND_STREAMS, i, &stream);
        if (!status)
            status = mplan_plan_add_stream(d->plan, &stream, d->err);
    }
    return status;
}

/* A section that is one text, with a final zero, in new memory; NULL: see status. A zero within
 * it is damage: the text would end there for whoever reads it. */
static char *whole_text(decoder *d, uint32_t kind, mplan_status *status)
{
    size_t length = (size_t)d->records->rows[kind];
    const uint8_t *from = d->records->bytes[kind];
    const uint8_t *zero = length ? memchr(from, 0, length) : NULL;
    if (zero) {
        *status = mplan_fault_set(d->fault, kind, zero - from, 0, "a text contains a zero byte");
        return NULL;
    }
    char *text = mplan_alloc((int64_t)length + 1, 1, d->err);
    if (!text) {
        *status = MPLAN_ERR_MEMORY;
        return NULL;
    }
    if (length)
        memcpy(text, from, length);
    text[length] = '\0';
    return text;
}

/* Request and versions; whether the request says what the records say is for `check` to see. */
static mplan_status decode_texts(decoder *d)
{
    mplan_status status = MPLAN_OK;
    char *request = whole_text(d, MPLAN_KIND_REQUEST, &status);
    char *versions = status ? NULL : whole_text(d, MPLAN_KIND_VERSIONS, &status);
    if (!status)
        status = mplan_plan_set_texts(d->plan, request, versions, d->err);
    free(request);
    free(versions);
    return status;
}

/* The counts of rows come from sections whose bytes are there, so that memory is
 * bounded by the size of the file. */
mplan_status mplan_records_decode(const mplan_records *records, mplan_plan *plan,
                                  mplan_fault *fault, mplan_error *err)
{
    const int64_t *rows = records->rows;
    decoder d = {.records = records, .plan = plan, .fault = fault, .err = err};
    int64_t n_texts = 2 * rows[MPLAN_KIND_SETS] + rows[MPLAN_KIND_MAPS] + rows[MPLAN_KIND_LOOPS] +
                      rows[MPLAN_KIND_ARGS] + rows[MPLAN_KIND_VARIANTS] + rows[MPLAN_KIND_ARGS2] +
                      rows[MPLAN_KIND_GROUPS];
    mplan_status status = MPLAN_ERR_MEMORY;
    mplan_plan_loop *loops = NULL;
    d.texts = mplan_alloc(rows[MPLAN_KIND_STRINGS] + n_texts, 1, err);
    d.args = mplan_alloc_zero(rows[MPLAN_KIND_ARGS], sizeof *d.args, err);
    d.variants = mplan_alloc_zero(rows[MPLAN_KIND_VARIANTS], sizeof *d.variants, err);
    loops = mplan_alloc_zero(rows[MPLAN_KIND_LOOPS], sizeof *loops, err);
    if (!d.texts || !d.args || !d.variants || !loops)
        goto done;
    status = decode_sets_and_maps(&d);
    if (!status)
        status = decode_loops(&d, loops);
    if (!status)
        status = add_loops(&d, loops);
    if (!status)
        status = decode_groups(&d);
    if (!status)
        status = decode_parts(&d);
    if (!status)
        status = decode_layers(&d);
    if (!status && d.taken != rows[MPLAN_KIND_STRINGS])
        status = mplan_fault_set(fault, MPLAN_KIND_STRINGS, d.taken, 0,
                                 "no record refers to this text");
    if (!status)
        status = decode_block_sets(&d);
    if (!status)
        status = decode_step(&d);
    if (!status)
        status = decode_visit(&d);
    if (!status)
        status = decode_texts(&d);
done:
    free(d.texts);
    free(d.args);
    free(d.variants);
    free(loops);
    return status;
}
