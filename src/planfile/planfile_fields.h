/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_fields.h - where each member of a plan's structs is in a record of the file */
#ifndef MPLAN_PLANFILE_FIELDS_H
#define MPLAN_PLANFILE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum mplan_field_form {
    MPLAN_FIELD_TEXT,   /* u32 offset, u32 length; const char * */
    MPLAN_FIELD_NUMBER, /* u32; int32_t or an enum, ones are -1 */
    MPLAN_FIELD_FLAG,   /* u32, 0 or 1; bool */
    MPLAN_FIELD_METHOD, /* u32; mplan_renumber, where 0 stands for none */
    MPLAN_FIELD_LONG    /* i64 */
} mplan_field_form;

/* A member and its place in the record: `at` is a byte of the record, `member` an offset in the struct. Two fields of
 * a record never overlap; texts and longs cover 8 bytes, others 4. */
typedef struct mplan_field {
    size_t at;
    mplan_field_form form;
    size_t member;
} mplan_field;

/* Bytes of the longest record of any kind: buffers for one record have this length. */
enum { MPLAN_LONGEST_RECORD = 96 };

/* How records of one kind are laid out: `n_fields` fields in the order in which texts are stored; a byte that no field
 * covers is reserved and zero. */
typedef struct mplan_record_shape {
    size_t bytes; /* of a record */
    const mplan_field *fields;
    size_t n_fields;
} mplan_record_shape;

/* What format 1.2 adds to a set that is a group's, in a record of its own. */
typedef struct mplan_group_record {
    const char *parent;
    int32_t set, parent_set;
    int64_t parent_size;
} mplan_group_record;

/* kind must be one of 1 to MPLAN_N_RECORD_KINDS. */
const mplan_record_shape *mplan_shape_of_record(uint32_t kind);

#endif
