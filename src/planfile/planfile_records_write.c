/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_records_write.c - sections 1 to 21: the bytes of the plan's records
 *
 * Follows planfile_fields.c, which says where each member of a struct is in the record. planfile_records.c reads them. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "planfile/planfile_fields.h"
#include "planfile/planfile_layout.h"

/* Texts lie one behind the other in one section; at: offset and length of this one, 4
 * bytes each. */
static mplan_status append_text(mplan_vector *strings, const char *text, uint8_t *at, mplan_error *err)
{
    size_t length = strlen(text);
    if ((uint64_t)strings->count + length > UINT32_MAX)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the texts of the plan exceed 4 GiB");
    char *room = mplan_vector_reserve(strings, (int64_t)length, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    memcpy(room, text, length);
    mplan_store32(at, (uint32_t)strings->count);
    mplan_store32(at + 4, (uint32_t)length);
    strings->count += (int64_t)length;
    return MPLAN_OK;
}

/* One record into out, field by field as its shape says; texts go to strings. Bytes that no
 * field covers are zero. record: the struct of the kind; all its texts are set, "" where there
 * is none. */
static mplan_status encode_record(uint32_t kind, const void *record, mplan_vector *out,
                                  mplan_vector *strings, mplan_error *err)
{
    const mplan_record_shape *like = mplan_shape_of_record(kind);
    uint8_t bytes[MPLAN_LONGEST_RECORD] = {0};
    for (size_t i = 0; i < like->n_fields; i++) {
        const mplan_field *f = &like->fields[i];
        const char *member = (const char *)record + f->member;
        uint8_t *at = bytes + f->at;
        mplan_renumber method;
        const char *text;
        mplan_status status = MPLAN_OK;
        switch (f->form) {
        case MPLAN_FIELD_TEXT:
            memcpy(&text, member, sizeof text);
            status = append_text(strings, text, at, err);
            break;
        case MPLAN_FIELD_NUMBER: memcpy(at, member, 4); break;
        case MPLAN_FIELD_FLAG: at[0] = *(const bool *)member; break;
        case MPLAN_FIELD_METHOD:
            memcpy(&method, member, sizeof method);
            mplan_store32(at, method == MPLAN_RENUMBER_NONE ? 0 : (uint32_t)method);
            break;
        case MPLAN_FIELD_LONG: memcpy(at, member, 8); break;
        }
        if (status)
            return status;
    }
    char *room = mplan_vector_reserve(out, (int64_t)like->bytes, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    memcpy(room, bytes, like->bytes);
    out->count += (int64_t)like->bytes;
    return MPLAN_OK;
}

/* n records of `size` bytes each, all of one kind. */
static mplan_status encode_array(uint32_t kind, const void *records, int32_t n, size_t size,
                                 mplan_vector *out, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; !status && i < n; i++)
        status = encode_record(kind, (const char *)records + (size_t)i * size, &out[kind],
                               &out[MPLAN_KIND_STRINGS], err);
    return status;
}

/* The args of all loops, as ARGS or ARGS2 has them. */
static mplan_status encode_args(const mplan_plan *plan, uint32_t kind, mplan_vector *out,
                                mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t a = 0; !status && a < plan->loops[l].n_args; a++) {
            mplan_plan_arg one;
            mplan_arg2 two;
            mplan_arg2_split(&plan->loops[l].args[a], &one, &two);
            status = encode_record(kind, kind == MPLAN_KIND_ARGS ? (const void *)&one : &two,
                                   &out[kind], &out[MPLAN_KIND_STRINGS], err);
        }
    return status;
}

/* All loops come before all args, which come before all variants: that is the
 * order of the texts too. */
static mplan_status encode_loops(const mplan_plan *plan, mplan_vector *out, mplan_error *err)
{
    mplan_status status = encode_array(MPLAN_KIND_LOOPS, plan->loops, plan->n_loops,
                                       sizeof *plan->loops, out, err);
    if (!status)
        status = encode_args(plan, MPLAN_KIND_ARGS, out, err);
    for (int32_t i = 0; !status && i < plan->n_loops; i++)
        status = encode_array(MPLAN_KIND_VARIANTS, plan->loops[i].variants,
                              plan->loops[i].n_variants, sizeof *plan->loops[i].variants, out, err);
    if (!status && mplan_record_is_there(plan, MPLAN_KIND_ARGS2))
        status = encode_args(plan, MPLAN_KIND_ARGS2, out, err);
    if (!mplan_record_is_there(plan, MPLAN_KIND_VARIANTS2))
        return status;
    for (int32_t i = 0; !status && i < plan->n_loops; i++)
        status = encode_array(MPLAN_KIND_VARIANTS2, plan->loops[i].variants,
                              plan->loops[i].n_variants, sizeof *plan->loops[i].variants, out, err);
    return status;
}

/* Sets that are groups', ascending. Their texts follow those of the loops. */
static mplan_status encode_groups(const mplan_plan *plan, mplan_vector *out, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; !status && s < plan->n_sets; s++) {
        const mplan_plan_set *set = &plan->sets[s];
        const mplan_group_record record = {set->parent, s, set->parent_set, set->parent_size};
        if (mplan_plan_set_is_group(set))
            status = encode_array(MPLAN_KIND_GROUPS, &record, 1, sizeof record, out, err);
    }
    return status;
}

/* All sets of a plan that is a part, or none. */
static mplan_status encode_parts(const mplan_plan *plan, mplan_vector *out, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; !status && mplan_plan_is_part(plan) && s < plan->n_sets; s++)
        status = encode_array(MPLAN_KIND_PARTS, &plan->sets[s].part, 1, sizeof plan->sets[s].part,
                              out, err);
    return status;
}

/* Sets with layers, ascending, and the slots of all args, arg by arg. */
static mplan_status encode_layers(const mplan_plan *plan, mplan_vector *out, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; !status && s < plan->n_sets; s++) {
        const mplan_plan_set *set = &plan->sets[s];
        const mplan_layers_record record = {s, set->layers_ranged, set->layers_masked,
                                            set->layers_least, set->layers};
        if (set->layers)
            status = encode_array(MPLAN_KIND_LAYERS, &record, 1, sizeof record, out, err);
    }
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t a = 0; a < plan->loops[l].n_args; a++) {
            const mplan_arg_layers *layers = &plan->loops[l].args[a].layers;
            for (int32_t k = 0; !status && k < layers->n_slots; k++) {
                const mplan_slot_record record = {layers->slots[k].of, layers->slots[k].offset};
                status = encode_array(MPLAN_KIND_SLOTS, &record, 1, sizeof record, out, err);
            }
        }
    return status;
}

/* A section that is one text, without an end. */
static mplan_status encode_text(const char *text, mplan_vector *out, mplan_error *err)
{
    size_t length = strlen(text);
    char *room = mplan_vector_reserve(out, (int64_t)length, err);
    if (!room)
        return MPLAN_ERR_MEMORY;
    memcpy(room, text, length);
    out->count += (int64_t)length;
    return MPLAN_OK;
}

/* *records owns one byte array per record kind; mplan_records_free releases them, also after a
 * failure. The order of the calls is that of the texts in STRINGS, which is part of the format:
 * sets, maps, loops, args, variants, args once more, groups. */
mplan_status mplan_records_encode(const mplan_plan *plan, mplan_records *records, mplan_error *err)
{
    mplan_vector out[MPLAN_N_RECORD_KINDS + 1];
    for (int k = 0; k <= MPLAN_N_RECORD_KINDS; k++)
        out[k] = (mplan_vector)MPLAN_VECTOR_INIT(1);
    mplan_status status = encode_array(MPLAN_KIND_SETS, plan->sets, plan->n_sets,
                                       sizeof *plan->sets, out, err);
    if (!status)
        status = encode_array(MPLAN_KIND_MAPS, plan->maps, plan->n_maps, sizeof *plan->maps, out,
                              err);
    if (!status)
        status = encode_loops(plan, out, err);
    if (!status)
        status = encode_groups(plan, out, err);
    if (!status)
        status = encode_parts(plan, out, err);
    if (!status)
        status = encode_layers(plan, out, err);
    if (!status)
        status = encode_array(MPLAN_KIND_BLOCK_SETS, plan->block_sets, plan->n_block_sets,
                              sizeof *plan->block_sets, out, err);
    if (!status)
        status = encode_array(MPLAN_KIND_ORIGINS, plan->block_sets, plan->n_block_sets,
                              sizeof *plan->block_sets, out, err);
    if (!status)
        status = encode_array(MPLAN_KIND_BLOCK_METRICS, plan->metrics, plan->n_metrics,
                              sizeof *plan->metrics, out, err);
    if (!status)
        status = encode_array(MPLAN_KIND_STEP, plan->step, plan->n_step, sizeof *plan->step, out,
                              err);
    if (!status)
        status = encode_array(MPLAN_KIND_STEP_CONFLICTS, plan->conflicts, plan->n_conflicts,
                              sizeof *plan->conflicts, out, err);
    if (!status && mplan_plan_has_slabs(plan))
        status = encode_array(MPLAN_KIND_VISIT, &plan->visit, 1, sizeof plan->visit, out, err);
    if (!status)
        status = encode_array(MPLAN_KIND_STREAMS, plan->streams, plan->n_streams,
                              sizeof *plan->streams, out, err);
    if (!status)
        status = encode_text(plan->request, &out[MPLAN_KIND_REQUEST], err);
    if (!status)
        status = encode_text(plan->versions, &out[MPLAN_KIND_VERSIONS], err);
    for (int k = 0; k <= MPLAN_N_RECORD_KINDS; k++) {
        records->bytes[k] = out[k].data;
        records->rows[k] = mplan_record_bytes(k) ? out[k].count / (int64_t)mplan_record_bytes(k) : 0;
    }
    return status;
}

/* The bytes must be those of mplan_records_encode: those of a file are not ours. */
void mplan_records_free(mplan_records *records)
{
    for (int k = 0; k <= MPLAN_N_RECORD_KINDS; k++)
        free((void *)(uintptr_t)records->bytes[k]);
    memset(records, 0, sizeof *records);
}
