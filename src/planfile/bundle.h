/* SPDX-License-Identifier: Apache-2.0 */
/* bundle.h - bundles as reader and writer share them: formats/plan-format.md, section 13 */
#ifndef MPLAN_BUNDLE_H
#define MPLAN_BUNDLE_H

#include "base/memory.h"
#include "meshplan.h"

/* Bytes of the header, of an entry of the table (one for each part), and the unit at whose multiples plans begin, so
 * that a reader may map each by itself. */
#define MPLAN_BUNDLE_MAGIC "\x89MPART\n\x1a"
#define MPLAN_BUNDLE_MAJOR 1
#define MPLAN_BUNDLE_HEADER 128
#define MPLAN_BUNDLE_ENTRY 64
#define MPLAN_BUNDLE_UNIT INT64_C(65536)

/* Offsets within the header and within an entry of the table. Bytes that none of them covers are reserved and zero.
 * Hashes are mplan_hash: of the manifest, of the whole table, of the header up to its own hash; that of an entry is of
 * the header of the plan, which has the hashes of all else in it. */
enum {
    MPLAN_BUNDLE_AT_MAJOR = 8,
    MPLAN_BUNDLE_AT_MINOR = 10,
    MPLAN_BUNDLE_AT_HEADER_BYTES = 12,
    MPLAN_BUNDLE_AT_MUST_KNOW = 16,
    MPLAN_BUNDLE_AT_FILE_BYTES = 24,
    MPLAN_BUNDLE_AT_PARTS = 32,
    MPLAN_BUNDLE_AT_MANIFEST_BYTES = 40,
    MPLAN_BUNDLE_AT_MANIFEST_HASH = 48,
    MPLAN_BUNDLE_AT_TABLE_HASH = 56,
    MPLAN_BUNDLE_AT_TOPOLOGY = 64,
    MPLAN_BUNDLE_AT_COORDINATES = 72,
    MPLAN_BUNDLE_AT_HEADER_HASH = 120,
    MPLAN_BUNDLE_AT_OFFSET = 0,
    MPLAN_BUNDLE_AT_BYTES = 8,
    MPLAN_BUNDLE_AT_HASH = 16
};

/* What the manifest says. Texts and arrays are the manifest's own. */
typedef struct mplan_manifest {
    int32_t n_parts, n_sets, n_maps;
    mplan_bundle_set *sets; /* bases are n_parts + 1 numbers each */
    mplan_bundle_map *maps;
    int32_t cut; /* the set that was cut; -1: none */
    char *how, *request, *versions;
    mplan_fingerprints fingerprints; /* topology and coordinates, which the header has; and that of the request */
} mplan_manifest;

/* Also of a manifest that is zero or half read. */
void mplan_manifest_free(mplan_manifest *manifest);
/* Prints a manifest as its text, appended to *text. */
mplan_status mplan_manifest_print(const mplan_manifest *manifest, mplan_vector *text,
                                  mplan_error *err);
/* Reads `size` bytes, followed by a zero. A fault: MPLAN_ERR_CORRUPT, *at is its byte and *what says why. */
mplan_status mplan_manifest_read(const char *text, int64_t size, mplan_manifest *manifest,
                                 int64_t *at, const char **what, mplan_error *err);
/* Whether a plan is part `part` of these parts: sizes, names and numbers of its sets and maps.
 * MPLAN_ERR_CORRUPT says what is not. */
mplan_status mplan_manifest_fits(const mplan_manifest *manifest, const mplan_plan *plan,
                                 int32_t part, mplan_error *err);
/* Views that live as long as the bundle: its manifest, and the path by which it was opened. */
const mplan_manifest *mplan_bundle_manifest(const mplan_bundle *bundle);
const char *mplan_bundle_path(const mplan_bundle *bundle);

/* What `split` calls the manifest and the plan of a part: as many digits as the last part needs. */
#define MPLAN_MANIFEST_NAME "manifest.mparts"
enum { MPLAN_PART_NAME = 32 };
void mplan_part_file_name(int32_t part, int32_t n_parts, char name[MPLAN_PART_NAME]);
/* The manifest as a file of its own: fingerprints, then its text. Appends to *text. */
mplan_status mplan_manifest_print_file(const mplan_manifest *manifest, mplan_vector *text,
                                       mplan_error *err);

/* Where the plan behind what ends at `end` begins. */
static inline int64_t mplan_bundle_next(int64_t end)
{
    return (end + MPLAN_BUNDLE_UNIT - 1) / MPLAN_BUNDLE_UNIT * MPLAN_BUNDLE_UNIT;
}

/* What lies before the plans: header, table and manifest, as bytes. `front` gets room for the first two, and all of the
 * header that is known before the plans are. */
mplan_status mplan_bundle_front_make(const mplan_manifest *manifest, mplan_vector *front,
                                     mplan_error *err);
/* The entry of a part in the table. head: hash of the 128 bytes of its plan's header. */
void mplan_bundle_front_note(uint8_t *front, int32_t part, int64_t offset, int64_t bytes,
                             uint64_t head);
/* Length of the file and hashes, when all entries are there. */
void mplan_bundle_front_seal(uint8_t *front, int32_t n_parts, int64_t length);

/* A bundle on its way into a file: begin with everything that is known before the first plan, add the plans of parts
 * 0, 1, ... in this order, end. The file appears when it is whole. After any failure, abort. */
typedef struct mplan_bundle_writer mplan_bundle_writer;
mplan_status mplan_bundle_begin(const char *path, const mplan_manifest *manifest,
                                const mplan_write_options *options, const mplan_context *context,
                                mplan_bundle_writer **writer, mplan_error *err);
mplan_status mplan_bundle_add(mplan_bundle_writer *writer, const mplan_plan *plan, mplan_error *err);
/* The same from the bytes of a plan file, which must be a sound plan's. */
mplan_status mplan_bundle_add_bytes(mplan_bundle_writer *writer, const void *bytes, size_t size,
                                    mplan_error *err);
/* *bytes may be NULL. Releases the writer, also after a failure. */
mplan_status mplan_bundle_end(mplan_bundle_writer *writer, int64_t *bytes, mplan_error *err);
void mplan_bundle_abort(mplan_bundle_writer *writer);

#endif
