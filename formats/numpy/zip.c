/* SPDX-License-Identifier: Apache-2.0 */
/* zip.c - ZIP archives, after PKWARE's APPNOTE.TXT (6.3): 4.3.7 local headers, 4.3.12 the directory,
 * 4.3.14 to 4.3.16 its end, 4.5.3 64-bit sizes
 *
 * Sizes come from the directory: local headers lack them where the writer could not go back. */
#include "formats/numpy/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/numpy/crc32.h"

#ifdef MPLAN_HAVE_ZLIB
#include <zlib.h>
#endif

enum {
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    MOST_COMMENT = 65535,
    DEFLATE_RATIO = 1032, /* the most that deflate makes of a byte */
    PIECE = 16 << 20      /* bytes between two looks at the context */
};

/* Little-endian, up to 8 bytes. */
static uint64_t number_at(const uint8_t *at, int32_t bytes)
{
    uint64_t value = 0;
    for (int32_t i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

/* at: a byte of the archive, perhaps out of it. */
static bool has_mark(const mplan_input *archive, int64_t at, const char *mark)
{
    return at >= 0 && at + 4 <= (int64_t)archive->size && memcmp(archive->data + at, mark, 4) == 0;
}

static mplan_status fail_at(const mplan_input *archive, int64_t at, const char *reason,
                            mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: byte %lld: %s", archive->path, (long long)at,
                      reason);
}

/* A local header, or the end of an empty archive. */
bool mplan_zip_recognise(const uint8_t *data, size_t size)
{
    return size >= 4 && (memcmp(data, "PK\3\4", 4) == 0 || memcmp(data, "PK\5\6", 4) == 0);
}

/* --- the directory ---------------------------------------------------------------- */

/* Where the directory of an archive is: n_members entries in `size` bytes. */
typedef struct zip_directory {
    int64_t at, size, n_members;
} zip_directory;

/* The end of the directory is the last 22 bytes, but for a comment behind it. */
static int64_t find_end(const mplan_input *archive)
{
    int64_t size = (int64_t)archive->size;
    for (int64_t at = size - END_SIZE; at >= 0 && at >= size - END_SIZE - MOST_COMMENT; at--)
        if (has_mark(archive, at, "PK\5\6") &&
            at + END_SIZE + (int64_t)number_at(archive->data + at + 20, 2) == size)
            return at;
    return -1;
}

/* The end record, and for large archives the 64-bit one before it. */
static mplan_status find_directory(const mplan_input *archive, zip_directory *directory,
                                   mplan_error *err)
{
    int64_t size = (int64_t)archive->size, end = find_end(archive);
    if (end < 0)
        return fail_at(archive, size, "the archive ends within its directory", err);
    const uint8_t *at = archive->data + end;
    uint64_t disk = number_at(at + 4, 2), n = number_at(at + 10, 2), bytes = number_at(at + 12, 4),
             first = number_at(at + 16, 4);
    if (has_mark(archive, end - LOCATOR_SIZE, "PK\6\7")) {
        uint64_t end64 = number_at(at - LOCATOR_SIZE + 8, 8);
        if (end64 > (uint64_t)end || (int64_t)end64 > end - LOCATOR_SIZE - END64_SIZE ||
            !has_mark(archive, (int64_t)end64, "PK\6\6"))
            return fail_at(archive, end - LOCATOR_SIZE,
                           "the end of the 64-bit directory is missing", err);
        at = archive->data + end64;
        disk = number_at(at + 16, 4);
        n = number_at(at + 32, 8);
        bytes = number_at(at + 40, 8);
        first = number_at(at + 48, 8);
        end = (int64_t)end64;
    }
    if (disk != 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: byte %lld: archives split into several files are not supported",
                          archive->path, (long long)end);
    if (first > (uint64_t)end || bytes > (uint64_t)end - first || n > bytes / ENTRY_SIZE)
        return fail_at(archive, end, "the directory of the archive is larger than the archive", err);
    *directory = (zip_directory){(int64_t)first, (int64_t)bytes, (int64_t)n};
    return MPLAN_OK;
}

/* The 64-bit numbers that are in an extra field for those that are all ones. */
static bool take_extra(const uint8_t *extra, int64_t length, uint64_t *const numbers[3])
{
    static const uint64_t ones = 0xffffffff;
    bool wanted = *numbers[0] == ones || *numbers[1] == ones || *numbers[2] == ones;
    while (wanted && length >= 4) {
        int64_t kind = (int64_t)number_at(extra, 2), bytes = (int64_t)number_at(extra + 2, 2);
        if (bytes > length - 4)
            return false;
        if (kind == 1) {
            int64_t used = 0;
            for (int32_t i = 0; i < 3; i++) {
                if (*numbers[i] != ones)
                    continue;
                if (used + 8 > bytes)
                    return false;
                *numbers[i] = number_at(extra + 4 + used, 8);
                used += 8;
            }
            return true;
        }
        extra += 4 + bytes;
        length -= 4 + bytes;
    }
    return true;
}

/* The directory's entry at `at`; *next: of the one behind it. */
static mplan_status read_entry(const mplan_input *archive, int64_t at, int64_t end, int64_t *next,
                               mplan_zip_member *member, mplan_error *err)
{
    if (end - at < ENTRY_SIZE || !has_mark(archive, at, "PK\1\2"))
        return fail_at(archive, at, "expected an entry of the archive's directory", err);
    const uint8_t *entry = archive->data + at;
    int64_t name = (int64_t)number_at(entry + 28, 2), extra = (int64_t)number_at(entry + 30, 2),
            comment = (int64_t)number_at(entry + 32, 2);
    if (name + extra + comment > end - at - ENTRY_SIZE)
        return fail_at(archive, at,
                       "an entry of the archive's directory is longer than the directory", err);
    uint64_t size = number_at(entry + 24, 4), packed = number_at(entry + 20, 4),
             header = number_at(entry + 42, 4);
    uint64_t *const numbers[3] = {&size, &packed, &header};
    if (!take_extra(entry + ENTRY_SIZE + name, extra, numbers))
        return fail_at(archive, at, "the extra fields of an entry are damaged", err);
    if (header > archive->size || packed > archive->size - header ||
        size > (uint64_t)archive->size * DEFLATE_RATIO)
        return fail_at(archive, at, "a member of the archive is larger than the archive", err);
    *member = (mplan_zip_member){.name = (const char *)entry + ENTRY_SIZE,
                                 .length = (size_t)name,
                                 .header = (int64_t)header,
                                 .packed = (int64_t)packed,
                                 .size = (int64_t)size,
                                 .crc = (uint32_t)number_at(entry + 16, 4),
                                 .method = (int32_t)number_at(entry + 10, 2),
                                 .encrypted = number_at(entry + 8, 2) & 1};
    *next = at + ENTRY_SIZE + name + extra + comment;
    return MPLAN_OK;
}

/* members: out, in the order of the directory. Sizes are compared with the
 * file's before anything is read. */
mplan_status mplan_zip_list(const mplan_input *archive, mplan_vector *members, mplan_error *err)
{
    zip_directory directory = {0, 0, 0};
    mplan_status status = find_directory(archive, &directory, err);
    if (status)
        return status;
    int64_t at = directory.at, total = 0;
    for (int64_t i = 0; i < directory.n_members && !status; i++) {
        mplan_zip_member member;
        int64_t here = at;
        status = read_entry(archive, at, directory.at + directory.size, &at, &member, err);
        if (!status) {
            total += LOCAL_SIZE + member.packed;
            if (total > (int64_t)archive->size)
                return fail_at(archive, here, "the members of the archive overlap", err);
            status = mplan_vector_push(members, &member, err);
        }
    }
    return status;
}

/* --- members ------------------------------------------------------------------------ */

/* Of the inflated bytes. */
static mplan_status check_crc(const mplan_input *archive, const mplan_zip_member *member,
                              uint32_t crc, mplan_error *err)
{
    if (crc == member->crc)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: byte %lld: the checksum of member %.*s is wrong",
                      archive->path, (long long)member->header,
                      member->length < 100 ? (int)member->length : 100, member->name);
}

#ifdef MPLAN_HAVE_ZLIB
/* Inflates into exactly the size that the directory gives. */
static mplan_status inflate_member(const mplan_input *archive, const mplan_zip_member *member,
                                   const uint8_t *packed, uint8_t *out,
                                   const mplan_context *context, mplan_error *err)
{
    z_stream stream = {0};
    int64_t in = 0, made = 0;
    mplan_status status = MPLAN_OK;
    int result = inflateInit2(&stream, -15);
    if (result != Z_OK)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (in zlib)");
    while (!status && result == Z_OK) {
        int64_t left = member->packed - in, room = member->size - made;
        stream.next_in = (z_const Bytef *)(uintptr_t)(packed + in); /* zlib only reads it */
        stream.avail_in = (uInt)(left < PIECE ? left : PIECE);
        stream.next_out = out + made;
        stream.avail_out = (uInt)(room < PIECE ? room : PIECE);
        uInt had_in = stream.avail_in, had_out = stream.avail_out;
        result = inflate(&stream, Z_NO_FLUSH);
        in += had_in - stream.avail_in;
        made += had_out - stream.avail_out;
        status = mplan_interrupted(context, err);
    }
    inflateEnd(&stream);
    if (!status && result == Z_MEM_ERROR)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (in zlib)");
    if (!status && (result != Z_STREAM_END || made != member->size || in != member->packed))
        return fail_at(archive, packed - archive->data + in, "the deflated data are damaged", err);
    return status ? status : check_crc(archive, member, mplan_crc32(0, out, (size_t)made), err);
}

/* deflate cannot pack more than DEFLATE_RATIO: what claims more is damaged,
 * before memory is taken. */
static mplan_status inflate_to_new(const mplan_input *archive, const mplan_zip_member *member,
                                   const uint8_t *packed, uint8_t **owned,
                                   const mplan_context *context, mplan_error *err)
{
    if (member->size > member->packed * DEFLATE_RATIO + DEFLATE_RATIO)
        return fail_at(archive, member->header,
                       "a member has a larger size than its bytes can give", err);
    *owned = mplan_alloc(member->size + 1, 1, err); /* zlib wants room even for nothing */
    if (!*owned)
        return MPLAN_ERR_MEMORY;
    return inflate_member(archive, member, packed, *owned, context, err);
}
#else
/* Without zlib. */
static mplan_status inflate_to_new(const mplan_input *archive, const mplan_zip_member *member,
                                   const uint8_t *packed, uint8_t **owned,
                                   const mplan_context *context, mplan_error *err)
{
    (void)packed;
    (void)owned;
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: byte %lld: the member %.*s is deflated, which "
                      "needs a build with zlib",
                      archive->path, (long long)member->header,
                      member->length < 100 ? (int)member->length : 100, member->name);
}
#endif

/* *data: the member's bytes, in the archive itself where they are stored, else
 * *owned, which the caller frees. */
mplan_status mplan_zip_member_data(const mplan_input *archive, const mplan_zip_member *member,
                                   const uint8_t **data, uint8_t **owned,
                                   const mplan_context *context, mplan_error *err)
{
    *owned = NULL;
    if (!has_mark(archive, member->header, "PK\3\4") ||
        (int64_t)archive->size - member->header < LOCAL_SIZE)
        return fail_at(archive, member->header, "expected a member of the archive here", err);
    const uint8_t *header = archive->data + member->header;
    int64_t begin = member->header + LOCAL_SIZE + (int64_t)number_at(header + 26, 2) +
                    (int64_t)number_at(header + 28, 2);
    if (begin > (int64_t)archive->size || member->packed > (int64_t)archive->size - begin)
        return fail_at(archive, member->header, "the archive ends within a member", err);
    if (member->encrypted || (member->method != 0 && member->method != 8))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: byte %lld: a member is %s; only stored and deflated members are "
                          "supported",
                          archive->path, (long long)member->header,
                          member->encrypted ? "encrypted"
                                            : "compressed by a method other than deflate");
    const uint8_t *packed = archive->data + begin;
    if (member->method == 8) {
        mplan_status status = inflate_to_new(archive, member, packed, owned, context, err);
        if (status) {
            free(*owned);
            *owned = NULL;
        }
        *data = *owned;
        return status;
    }
    if (member->size != member->packed)
        return fail_at(archive, member->header, "the two sizes of a stored member differ", err);
    *data = packed;
    return check_crc(archive, member, mplan_crc32(0, packed, (size_t)member->size), err);
}
