/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_layout.c - the section table of a plan file, entry by entry */
#include "planfile/planfile_layout.h"

#include <stdarg.h>
#include <stdio.h>

/* at: the 96 bytes of one entry of the section table. */
void mplan_section_store(const mplan_section *section, uint8_t *at)
{
    const mplan_key *key = &section->key;
    const uint32_t words[10] = {key->kind,    section->type, key->set,       key->map,
                                key->loop,    key->variant,  key->block_set, key->rank,
                                key->segment, section->codec};
    const uint64_t longs[7] = {section->rows, section->cols, section->offset,  section->stored,
                               section->raw,  section->hash, section->reserved};
    for (int i = 0; i < 10; i++)
        mplan_store32(at + 4 * i, words[i]);
    for (int i = 0; i < 7; i++)
        mplan_store64(at + 40 + 8 * i, longs[i]);
}

/* The inverse of mplan_section_store; nothing is checked here. */
void mplan_section_load(mplan_section *section, const uint8_t *at)
{
    *section = (mplan_section){
        .key = {.kind = mplan_load32(at),
                .set = mplan_load32(at + 8),
                .map = mplan_load32(at + 12),
                .loop = mplan_load32(at + 16),
                .variant = mplan_load32(at + 20),
                .block_set = mplan_load32(at + 24),
                .rank = mplan_load32(at + 28),
                .segment = mplan_load32(at + 32)},
        .type = mplan_load32(at + 4),
        .codec = mplan_load32(at + 36),
        .rows = mplan_load64(at + 40),
        .cols = mplan_load64(at + 48),
        .offset = mplan_load64(at + 56),
        .stored = mplan_load64(at + 64),
        .raw = mplan_load64(at + 72),
        .hash = mplan_load64(at + 80),
        .reserved = mplan_load64(at + 88),
    };
}

/* Small sections begin at lines of 64 bytes, those of more than 1 MiB at pages, so that arrays
 * can be mapped and read by vectors where they lie. */
uint64_t mplan_section_place(uint64_t end, uint64_t stored)
{
    uint64_t unit = stored > (UINT64_C(1) << 20) ? 4096 : 64;
    return (end + unit - 1) / unit * unit;
}

/* Records and texts. */
bool mplan_kind_is_record(uint32_t kind)
{
    return kind >= 1 && kind <= MPLAN_N_RECORD_KINDS && mplan_kind_label(kind);
}

/* Kinds of arrays have a name; kinds that are reserved, or of a later version, do not. */
bool mplan_kind_is_array(uint32_t kind)
{
    return mplan_kind_name(kind) != NULL;
}

/* What readers of older versions would read wrongly: other orders, tables or ways to add. */
uint64_t mplan_must_know(const mplan_plan *plan)
{
    uint64_t bits = 0;
    for (int32_t s = 0; s < plan->n_sets; s++) {
        if (plan->sets[s].renumber == MPLAN_RENUMBER_AGGLOMERATE)
            bits |= MPLAN_MUST_KNOW_ORDERS;
        bits |= plan->sets[s].layers_masked ? MPLAN_MUST_KNOW_MASK : 0;
    }
    bits |= mplan_plan_has_new_args(plan) ? MPLAN_MUST_KNOW_ARGS2 : 0;
    bits |= mplan_plan_has_layers(plan) ? MPLAN_MUST_KNOW_LAYERS : 0;
    bits |= mplan_plan_is_part(plan) ? MPLAN_MUST_KNOW_PART : 0;
    bits |= mplan_plan_has_slabs(plan) ? MPLAN_MUST_KNOW_SLABS : 0;
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants; v++) {
            const mplan_plan_variant *variant = &plan->loops[l].variants[v];
            if (variant->sums_order || variant->slice_rows || variant->entry_layout ||
                variant->encoding == MPLAN_ENCODING_WINDOWS16)
                bits |= MPLAN_MUST_KNOW_OWNER2;
            bits |= variant->round ? MPLAN_MUST_KNOW_ROUNDS : 0;
        }
    return bits;
}

/* Whether the plan has a record of this kind. Records of later versions are left out where they
 * would say nothing, so that older readers can read the plan. */
bool mplan_record_is_there(const mplan_plan *plan, uint32_t kind)
{
    switch (kind) {
    case MPLAN_KIND_ORIGINS: return !plan->no_origins;
    case MPLAN_KIND_ARGS2: return mplan_plan_has_args2(plan);
    case MPLAN_KIND_VARIANTS2: return mplan_plan_has_variants2(plan);
    case MPLAN_KIND_STEP:
    case MPLAN_KIND_STEP_CONFLICTS: return plan->n_step > 0;
    case MPLAN_KIND_GROUPS: return mplan_plan_has_groups(plan);
    case MPLAN_KIND_PARTS: return mplan_plan_is_part(plan);
    case MPLAN_KIND_LAYERS:
    case MPLAN_KIND_SLOTS: return mplan_plan_has_layers(plan);
    case MPLAN_KIND_VISIT:
    case MPLAN_KIND_STREAMS: return mplan_plan_has_slabs(plan);
    default: return mplan_kind_is_record(kind);
    }
}

/* A fault names record kind, row and byte within the row: reader and writer turn it
 * into their own words. Returns MPLAN_ERR_CORRUPT. */
mplan_status mplan_fault_set(mplan_fault *fault, uint32_t kind, int64_t row, int64_t at,
                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(fault->what, sizeof fault->what, format, args);
    va_end(args);
    fault->kind = kind;
    fault->row = row;
    fault->at = at;
    return MPLAN_ERR_CORRUPT;
}
