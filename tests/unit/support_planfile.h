/* SPDX-License-Identifier: Apache-2.0 */
/* support_planfile.h - a plan made by hand that holds an array of every kind, and
 * plan files taken apart and put together again */
#ifndef MPLAN_SUPPORT_PLANFILE_H
#define MPLAN_SUPPORT_PLANFILE_H

#include "support_test.h"

#include "plan/plan.h"

/* Sets cells (5n members, 7n places), faces (6n, split) and nodes (4n); maps
 * faces_cells (arity 2) and faces_nodes (ragged); loops res_calc (every
 * strategy) and update (no maps); block sets 0 (runs), 1 (sequence), 2 (of
 * cells). Orders are true, tables only have the right shape and values that
 * `seed` gives. n >= 1. */
mplan_plan *support_hand_plan(int64_t n, uint64_t seed);

/* The plan of part `part` of a mesh of `parts` pieces that do not touch, each of 12 cells and 20 nodes; the loop adds
 * from cells to nodes. `skipped` members of each set are owned by parts of which there are no plans, before part 0: so
 * canonical ids may be as large as a test wants. The list of arrays is complete. */
mplan_plan *support_part_plan(int32_t parts, int32_t part, int64_t skipped);

/* A plan file in parts that tests may change: the header as it is, and for each
 * section its entry (96 bytes) and its stored bytes. */
typedef struct support_section {
    uint8_t entry[96];
    uint8_t *data;
    size_t size;
} support_section;
typedef struct support_file {
    uint8_t header[128];
    int64_t n;
    support_section *sections;
} support_file;

/* Copies a file apart, without checking it. Room for 4 more sections is there. */
support_file support_file_split(const uint8_t *bytes, size_t size);
void support_file_free(support_file *file);
/* Index of the first section of a kind; fails the test without one. */
int64_t support_file_find(const support_file *file, uint32_t kind);
void support_section_resize(support_section *section, size_t size);
/* Writes the parts one behind the other as the format asks for, with offsets,
 * lengths (stored; raw of sections with codec 0) and hashes made right; all else
 * is left as it is. Release with free(); aligned to 64 bytes. */
uint8_t *support_file_join(const support_file *file, size_t *size);

/* Reads a file from memory and lets the plan go. Fails the test where there are a plan and a failure, or neither. */
mplan_status support_file_read(const uint8_t *bytes, size_t size, const mplan_context *context,
                               mplan_error *err);

/* Hash of a header made right again. */
void support_fix_header(uint8_t *bytes);

/* A folder in memory where there is one: fsync costs nothing in it. */
const char *support_fast_folder(void);

/* The bytes mplan_plan_write gives, aligned to 64, release with free(). */
uint8_t *support_file_bytes(const mplan_plan *plan, bool compress, int32_t threads, size_t *size);

uint32_t support_load32(const uint8_t *at);
uint64_t support_load64(const uint8_t *at);
void support_store32(uint8_t *at, uint32_t value);
void support_store64(uint8_t *at, uint64_t value);

#endif
