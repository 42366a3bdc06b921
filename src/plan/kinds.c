/* kinds.c - the names of a plan's arrays, for messages and exported files */
#include "plan/plan.h"

const char *mplan_kind_name(uint32_t kind)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } names[] = {
        {MPLAN_KIND_NEW_OF_OLD, "new_of_old"},
        {MPLAN_KIND_OLD_OF_NEW, "old_of_new"},
        {MPLAN_KIND_GLOBAL_ID, "global_id"},
        {MPLAN_KIND_MAP_VALUES, "values"},
        {MPLAN_KIND_MAP_OFFSETS, "offsets"},
        {MPLAN_KIND_BLOCK_OFFSETS, "block_offsets"},
        {MPLAN_KIND_BLOCK_SEQUENCE, "block_sequence"},
        {MPLAN_KIND_BLOCK_POINT_OFFSETS, "block_point_offsets"},
        {MPLAN_KIND_BLOCK_POINTS, "block_points"},
        {MPLAN_KIND_BLOCK_LOCAL, "block_local"},
        {MPLAN_KIND_THREAD_COLOURS, "thread_colours"},
        {MPLAN_KIND_BLOCK_THREAD_COLOURS, "block_thread_colours"},
        {MPLAN_KIND_BLOCK_COLOURS, "block_colours"},
        {MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, "block_launch_offsets"},
        {MPLAN_KIND_BLOCK_LAUNCH, "block_launch"},
        {MPLAN_KIND_GLOBAL_COLOURS, "global_colours"},
        {MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, "global_launch_offsets"},
        {MPLAN_KIND_GLOBAL_LAUNCH, "global_launch"},
        {MPLAN_KIND_GATHER_OFFSETS, "gather_offsets"},
        {MPLAN_KIND_GATHER_SLOTS, "gather_slots"},
        {MPLAN_KIND_BLOCK_RECORD_OFFSETS, "block_record_offsets"},
        {MPLAN_KIND_BLOCK_RECORDS, "block_records"},
        {MPLAN_KIND_PARTIAL_POINTS, "partial_points"},
        {MPLAN_KIND_PARTIAL_OFFSETS, "partial_offsets"},
        {MPLAN_KIND_OWNER_OFFSETS, "owner_offsets"},
        {MPLAN_KIND_OWNER_ENTRIES, "owner_entries"},
        {MPLAN_KIND_OWNER_BASE, "owner_base"},
        {MPLAN_KIND_OWNER_ESCAPE_OFFSETS, "owner_escape_offsets"},
        {MPLAN_KIND_OWNER_ESCAPES, "owner_escapes"},
        {MPLAN_KIND_OWNER_ROW_START, "owner_row_start"},
        {MPLAN_KIND_OWNER_POINTS, "owner_points"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == kind)
            return names[i].name;
    return NULL;
}
