/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - the kinds of sections of a plan: one row each, for messages and exported files */
#include "plan/plan.h"

typedef struct kind_row {
    uint32_t kind;
    const char *label; /* as formats/plan-format.md names it */
    const char *name;  /* of an array, in messages and files; NULL: records and texts */
} kind_row;

#define RECORDS(kind)                  \
    {                                  \
        MPLAN_KIND_##kind, #kind, NULL \
    }
#define ARRAY(kind, name)              \
    {                                  \
        MPLAN_KIND_##kind, #kind, name \
    }

static const kind_row kinds[] = {
    RECORDS(STRINGS),
    RECORDS(SETS),
    RECORDS(MAPS),
    RECORDS(LOOPS),
    RECORDS(ARGS),
    RECORDS(VARIANTS),
    RECORDS(BLOCK_SETS),
    RECORDS(BLOCK_METRICS),
    RECORDS(REQUEST),
    RECORDS(VERSIONS),
    RECORDS(ORIGINS),
    RECORDS(VARIANTS2),
    RECORDS(STEP),
    RECORDS(STEP_CONFLICTS),
    RECORDS(ARGS2),
    RECORDS(GROUPS),
    RECORDS(PARTS),
    RECORDS(LAYERS),
    RECORDS(VISIT),
    RECORDS(SLOTS),
    RECORDS(STREAMS),
    ARRAY(NEW_OF_OLD, "new_of_old"),
    ARRAY(OLD_OF_NEW, "old_of_new"),
    ARRAY(GLOBAL_ID, "global_id"),
    ARRAY(PARENT_INDEX, "parent_index"),
    ARRAY(MAP_VALUES, "values"),
    ARRAY(MAP_OFFSETS, "offsets"),
    ARRAY(LAYER_RANGES, "layer_ranges"),
    ARRAY(LAYER_MASK, "layer_mask"),
    ARRAY(BLOCK_OFFSETS, "block_offsets"),
    ARRAY(BLOCK_SEQUENCE, "block_sequence"),
    ARRAY(BLOCK_POINT_OFFSETS, "block_point_offsets"),
    ARRAY(BLOCK_POINTS, "block_points"),
    ARRAY(BLOCK_LOCAL, "block_local"),
    ARRAY(THREAD_COLOURS, "thread_colours"),
    ARRAY(BLOCK_THREAD_COLOURS, "block_thread_colours"),
    ARRAY(BLOCK_COLOURS, "block_colours"),
    ARRAY(BLOCK_LAUNCH_OFFSETS, "block_launch_offsets"),
    ARRAY(BLOCK_LAUNCH, "block_launch"),
    ARRAY(GLOBAL_COLOURS, "global_colours"),
    ARRAY(GLOBAL_LAUNCH_OFFSETS, "global_launch_offsets"),
    ARRAY(GLOBAL_LAUNCH, "global_launch"),
    ARRAY(GATHER_OFFSETS, "gather_offsets"),
    ARRAY(GATHER_SLOTS, "gather_slots"),
    ARRAY(BLOCK_RECORD_OFFSETS, "block_record_offsets"),
    ARRAY(BLOCK_RECORDS, "block_records"),
    ARRAY(PARTIAL_POINTS, "partial_points"),
    ARRAY(PARTIAL_OFFSETS, "partial_offsets"),
    ARRAY(OWNER_OFFSETS, "owner_offsets"),
    ARRAY(OWNER_ENTRIES, "owner_entries"),
    ARRAY(OWNER_BASE, "owner_base"),
    ARRAY(OWNER_ESCAPE_OFFSETS, "owner_escape_offsets"),
    ARRAY(OWNER_ESCAPES, "owner_escapes"),
    ARRAY(OWNER_ROW_START, "owner_row_start"),
    ARRAY(OWNER_POINTS, "owner_points"),
    ARRAY(OWNER_WINDOWS, "owner_windows"),
    ARRAY(OWNER_PLAIN, "owner_plain"),
    ARRAY(IMPORT_PARTS, "import_parts"),
    ARRAY(IMPORT_RANGES, "import_ranges"),
    ARRAY(IMPORT_HASHES, "import_hashes"),
    ARRAY(EXPORT_PARTS, "export_parts"),
    ARRAY(EXPORT_OFFSETS, "export_offsets"),
    ARRAY(EXPORT_INDEX, "export_index"),
    ARRAY(EXPORT_HASHES, "export_hashes"),
    ARRAY(LOOP_IMPORT_OFFSETS, "loop_import_offsets"),
    ARRAY(LOOP_IMPORTS, "loop_imports"),
    ARRAY(LOOP_IMPORT_HASHES, "loop_import_hashes"),
    ARRAY(LOOP_EXPORT_OFFSETS, "loop_export_offsets"),
    ARRAY(LOOP_EXPORTS, "loop_exports"),
    ARRAY(LOOP_EXPORT_HASHES, "loop_export_hashes"),
    ARRAY(HALO_RINGS, "halo_rings"),
    ARRAY(EXPORT_RINGS, "export_rings"),
    ARRAY(PART_PLACES, "part_places"),
    ARRAY(SLAB_OFFSETS, "slab_offsets"),
    ARRAY(SEGMENTS, "segments"),
    ARRAY(SCHEDULE, "schedule"),
    ARRAY(SLAB_PIECES, "slab_pieces"),
};

/* Linear: asked for messages, and once per section of a file. */
static const kind_row *find(uint32_t kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return &kinds[i];
    return NULL;
}

const char *mplan_kind_name(uint32_t kind)
{
    const kind_row *row = find(kind);
    return row ? row->name : NULL;
}

const char *mplan_kind_label(uint32_t kind)
{
    const kind_row *row = find(kind);
    return row ? row->label : NULL;
}
