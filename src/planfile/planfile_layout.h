/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_layout.h - the shapes of formats/plan-format.md that reader and writer share */
#ifndef MPLAN_PLANFILE_LAYOUT_H
#define MPLAN_PLANFILE_LAYOUT_H

#include <string.h>

#include "base/file_output.h"
#include "plan/plan.h"

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "plan files are used as they are, which needs a little-endian machine"
#endif

#define MPLAN_MAGIC "\x89MPLAN\n\x1a"
#define MPLAN_MAGIC_BYTES 8
#define MPLAN_HEADER_BYTES 128
#define MPLAN_ENTRY_BYTES 96

/* Offsets within the header. */
enum {
    MPLAN_AT_MAJOR = 8,
    MPLAN_AT_MINOR = 10,
    MPLAN_AT_HEADER_BYTES = 12,
    MPLAN_AT_MAY_IGNORE = 16,
    MPLAN_AT_MUST_KNOW = 24,
    MPLAN_AT_FILE_BYTES = 32,
    MPLAN_AT_TABLE_OFFSET = 40,
    MPLAN_AT_N_SECTIONS = 48,
    MPLAN_AT_TABLE_HASH = 56,
    MPLAN_AT_TOPOLOGY = 64,
    MPLAN_AT_COORDINATES = 72,
    MPLAN_AT_REQUEST = 80,
    MPLAN_AT_HEADER_RESERVED = 88,
    MPLAN_AT_HEADER_HASH = 120
};

/* Bits of must_know. */
#define MPLAN_MUST_KNOW_ORDERS UINT64_C(1)   /* a set has renumber 7 */
#define MPLAN_MUST_KNOW_ARGS2 UINT64_C(2)    /* an arg is of a global, or has access min or max */
#define MPLAN_MUST_KNOW_OWNER2 UINT64_C(4)   /* tables are read, or rows summed, in ways of 1.2 */
#define MPLAN_MUST_KNOW_PART UINT64_C(8)     /* the plan is one part of a bundle */
#define MPLAN_MUST_KNOW_LAYERS UINT64_C(16)  /* a loop has layers */
#define MPLAN_MUST_KNOW_SLABS UINT64_C(32)   /* the stored orders are cut into slabs */
#define MPLAN_MUST_KNOW_MASK UINT64_C(64)    /* layers are left out in columns */
#define MPLAN_MUST_KNOW_ROUNDS UINT64_C(128) /* sums of blocks are added round by round */
#define MPLAN_MUST_KNOW_ALL                                                    \
    (MPLAN_MUST_KNOW_ORDERS | MPLAN_MUST_KNOW_ARGS2 | MPLAN_MUST_KNOW_OWNER2 | \
     MPLAN_MUST_KNOW_PART | MPLAN_MUST_KNOW_LAYERS | MPLAN_MUST_KNOW_SLABS |   \
     MPLAN_MUST_KNOW_MASK | MPLAN_MUST_KNOW_ROUNDS)

/* The bits that a plan needs. */
uint64_t mplan_must_know(const mplan_plan *plan);

/* Numbers at any byte of a file, which need not be aligned; files are little-endian, and so is the machine. */
static inline uint16_t mplan_load16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t mplan_load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t mplan_load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline void mplan_store16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void mplan_store32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void mplan_store64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* --- the section table --- */

/* How the bytes of a section are stored: as they are, or in chunks of zlib (planfile_chunks.c). Records are always
 * raw. */
typedef enum mplan_codec { MPLAN_CODEC_RAW = 0, MPLAN_CODEC_ZLIB = 1 } mplan_codec;

/* An entry of the section table; `reserved` is zero in a sound file. rows x cols elements of a type, `raw` bytes when
 * decoded, `stored` bytes in the file (the same with codec raw) from byte `offset` of the plan on. hash: of the stored
 * bytes, so that a section is proved before it is inflated. Numbers are as the file has them, not checked yet. */
typedef struct mplan_section {
    mplan_key key;
    uint32_t type, codec;
    uint64_t rows, cols, offset, stored, raw, hash, reserved;
} mplan_section;

/* Offsets within an entry that messages point to. */
enum {
    MPLAN_AT_KEY = 0,
    MPLAN_AT_TYPE = 4,
    MPLAN_AT_CODEC = 36,
    MPLAN_AT_ROWS = 40,
    MPLAN_AT_OFFSET = 56,
    MPLAN_AT_STORED = 64,
    MPLAN_AT_RAW = 72,
    MPLAN_AT_RESERVED = 88
};

void mplan_section_store(const mplan_section *section, uint8_t *at);
void mplan_section_load(mplan_section *section, const uint8_t *at);

/* The only legal offset of a section of `stored` bytes that follows what ends
 * at `end`. */
uint64_t mplan_section_place(uint64_t end, uint64_t stored);

/* Whether version 1.2 knows a kind: records, texts or an array. */
bool mplan_kind_is_record(uint32_t kind);
bool mplan_kind_is_array(uint32_t kind);

/* --- records --- */

/* Sections 1 to 10 are in every plan, 11 in those of version 1.1, later ones where a plan needs
 * them. */
#define MPLAN_N_RECORD_KINDS 21
#define MPLAN_N_NEEDED_KINDS 10

/* Where a plan breaks a rule of the format. */
typedef struct mplan_fault {
    uint32_t kind; /* the section, or 0: the whole plan */
    int64_t row;   /* its record */
    int64_t at;    /* byte within the record */
    char what[200];
} mplan_fault;

/* Fills *fault and returns MPLAN_ERR_CORRUPT. */
#if defined __GNUC__
__attribute__((format(printf, 5, 6)))
#endif
mplan_status
mplan_fault_set(mplan_fault *fault, uint32_t kind, int64_t row, int64_t at, const char *format, ...);

/* The bytes of sections 1 to 21, by kind; NULL: the section is not there. rows: records of that kind, or bytes of a
 * text; 0 where it is not there. Entry 0 is not used. */
typedef struct mplan_records {
    const uint8_t *bytes[MPLAN_N_RECORD_KINDS + 1];
    int64_t rows[MPLAN_N_RECORD_KINDS + 1];
} mplan_records;

/* Whether the file of a plan has the section of a kind of records. */
bool mplan_record_is_there(const mplan_plan *plan, uint32_t kind);

/* Bytes of a record: the cols of its section; 1 for texts, 0 for a kind that is reserved. */
size_t mplan_record_bytes(uint32_t kind);

/* Writes a plan's records into new arrays (released by mplan_records_free, also
 * after a failure). MPLAN_ERR_MEMORY; MPLAN_ERR_ARGUMENT when the texts exceed 4 GiB. */
mplan_status mplan_records_encode(const mplan_plan *plan, mplan_records *records, mplan_error *err);
void mplan_records_free(mplan_records *records);

/* Adds what the records say to an empty plan. MPLAN_ERR_CORRUPT fills *fault,
 * MPLAN_ERR_MEMORY fills *err. */
mplan_status mplan_records_decode(const mplan_records *records, mplan_plan *plan,
                                  mplan_fault *fault, mplan_error *err);

/* A record of ARGS2. What its arg does is in mplan_plan_arg, of which ARGS has the part that format
 * 1.1 knows. */
typedef struct mplan_arg2 {
    const char *view;                     /* name of the view; not kept */
    int32_t way;                          /* 0 through a map, 1 direct, 2 of a global */
    int32_t access;                       /* as mplan_access */
    int64_t first_offset, stride, levels; /* first_offset 0: slots have offsets of their own */
    int32_t n_slots, rows, columns;       /* as mplan_arg_layers */
    int32_t once;                         /* 1: writes through a map that has each point once */
} mplan_arg2;

/* Levels of a column: those of the layers, with a stride, and one more. */
#define MPLAN_MOST_LEVELS 1048576

/* A record of LAYERS: `most` layers of a set and `least` of its lowest column; `ranged` where columns differ and
 * LAYER_RANGES says how, `masked` where LAYER_MASK says which layers are there. A record of SLOTS: slot `of` of the map, and the level that layer 0 has there. Slots follow
 * the args in their order. */
typedef struct mplan_layers_record {
    int32_t set;
    bool ranged, masked;
    int64_t least, most;
} mplan_layers_record;
typedef struct mplan_slot_record {
    int32_t of;
    int64_t offset;
} mplan_slot_record;

/* What records of LAYERS and SLOTS must agree on with the others. MPLAN_ERR_CORRUPT fills *fault. */
mplan_status mplan_rules_layers(const mplan_plan *plan, mplan_fault *fault);
/* The same of VISIT and STREAMS. */
mplan_status mplan_rules_slabs(const mplan_plan *plan, mplan_fault *fault);

/* What the records of PARTS must agree on with one another and with SETS. MPLAN_ERR_CORRUPT fills *fault. */
mplan_status mplan_rules_parts(const mplan_plan *plan, mplan_fault *fault);

/* What both records say of an arg; *one shares its text. */
void mplan_arg2_split(const mplan_plan_arg *arg, mplan_plan_arg *one, mplan_arg2 *two);
/* An arg as ARGS has it, number `row`: what only ARGS2 may say is MPLAN_ERR_CORRUPT. */
mplan_status mplan_arg2_check(const mplan_plan_arg *one, int64_t row, mplan_fault *fault);
/* Completes an arg from ARGS, number `row`, by what ARGS2 says. MPLAN_ERR_CORRUPT fills *fault where
 * the two do not agree. */
mplan_status mplan_arg2_join(const mplan_arg2 *two, int64_t row, mplan_plan_arg *arg,
                             mplan_fault *fault);

/* --- rules --- */

/* Whether the records agree with one another: indices in range, values that
 * are known, metrics complete. MPLAN_ERR_CORRUPT fills *fault. */
mplan_status mplan_rules_records(const mplan_plan *plan, mplan_fault *fault, mplan_error *err);

/* An array that the records of a plan ask for. */
typedef struct mplan_expected {
    mplan_key key;
    mplan_type type;
    int64_t rows, cols;
    bool at_most; /* rows is a limit: the records do not say how many */
} mplan_expected;

/* Lists those arrays, ascending by key, in an array from mplan_alloc. Stops with
 * MPLAN_ERR_CORRUPT (no fault filled) as soon as there are more than `limit`.
 * The records must have passed mplan_rules_records. */
mplan_status mplan_rules_arrays(const mplan_plan *plan, int64_t limit, mplan_expected **expected,
                                int64_t *n, mplan_error *err);

/* Writes a plan behind what `output` holds. head: out, 128 bytes, its header; may be NULL. */
mplan_status mplan_plan_write_into(const mplan_plan *plan, mplan_output *output, bool compress,
                                   const mplan_context *context, uint8_t *head, int64_t *bytes,
                                   mplan_error *err);

/* --- codec 1 --- */

#define MPLAN_CHUNK_BYTES (INT64_C(1) << 20)
/* So many bytes are hashed before another thread has woken up. */
#define MPLAN_FEW_BYTES (UINT64_C(1) << 19)

/* Compresses raw bytes into *stored (released with free()); the same bytes at
 * any number of threads. MPLAN_ERR_UNSUPPORTED without zlib. */
mplan_status mplan_chunks_deflate(const void *raw, int64_t raw_bytes, uint8_t **stored,
                                  int64_t *stored_bytes, const mplan_context *context,
                                  mplan_error *err);

/* Checks the chunk list of a stored section against its decoded length before
 * anything is allocated. MPLAN_ERR_CORRUPT: *at is the byte within the section
 * that is wrong and *what says why. */
mplan_status mplan_chunks_check(const uint8_t *stored, uint64_t stored_bytes, uint64_t raw_bytes,
                                uint64_t *at, const char **what);
/* Decodes a section that passed mplan_chunks_check into raw_bytes bytes at raw. */
mplan_status mplan_chunks_inflate(const uint8_t *stored, uint64_t raw_bytes, uint8_t *raw,
                                  const mplan_context *context, uint64_t *at, const char **what,
                                  mplan_error *err);

#endif
