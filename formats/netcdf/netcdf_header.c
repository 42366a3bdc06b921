/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_header.c - classic netCDF headers, looked over before the library sees them
 *
 * After "NetCDF Classic Format Specification" of the NetCDF Users' Guide: lists of dimensions, attributes
 * and variables, all numbers big-endian, names and values padded to four bytes. */
#include "formats/netcdf/netcdf_header.h"

#include <string.h>

#include "base/error.h"

/* CDF-1, CDF-2 (64-bit offsets) and CDF-5 (64-bit data). */
bool mplan_netcdf_is_classic(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, "CDF", 3) == 0 && (data[3] == 1 || data[3] == 2 || data[3] == 5);
}

/* netCDF-4; other HDF5 files look the same. */
bool mplan_netcdf_is_hdf5(const uint8_t *data, size_t size)
{
    return size >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* The header of a netCDF file, read before the library does.
 * at: the byte that is read next, never behind the end of the input. */
typedef struct header_walk {
    const mplan_input *input;
    size_t at;
    int width; /* bytes of a count: 8 in CDF-5, else 4 */
    mplan_error *err;
    uint64_t records; /* the dimension of records, whose length in the header is 0; UINT64_MAX: none */
    const char *wanted;     /* the variable whose place is looked for; NULL: none */
    bool found, by_records; /* it was met; its numbers lie record by record */
    uint64_t begin;         /* and where they begin */
} header_walk;

/* The mark before each list of a header: NC_DIMENSION, NC_VARIABLE and NC_ATTRIBUTE of the specification. An empty
 * list may have 0 (ABSENT) in its place. */
enum { TAG_DIMENSION = 10, TAG_VARIABLE = 11, TAG_ATTRIBUTE = 12 };

/* at: a byte of the file. */
static mplan_status fail_at(const header_walk *walk, size_t at, const char *what)
{
    return mplan_fail(walk->err, MPLAN_ERR_CORRUPT, "%s: byte %zu: %s", walk->input->path, at, what);
}

/* Big-endian, as all numbers of the header. *value is 0 after a failure. */
static mplan_status take(header_walk *walk, int bytes, uint64_t *value)
{
    *value = 0;
    if (walk->input->size - walk->at < (size_t)bytes)
        return fail_at(walk, walk->at, "the file ends inside its header");
    for (int i = 0; i < bytes; i++)
        *value = *value << 8 | walk->input->data[walk->at++];
    return MPLAN_OK;
}

/* A number of things of at least `least` bytes each, which still have to follow. */
static mplan_status take_count(header_walk *walk, size_t least, uint64_t *count)
{
    size_t at = walk->at;
    mplan_status status = take(walk, walk->width, count);
    if (!status && *count > (walk->input->size - walk->at) / least)
        status = fail_at(walk, at, "a count is larger than what the file can hold");
    return status;
}

/* Everything is padded to four bytes.
 * bytes: bounded before by take_count, so that nothing overflows here. */
static mplan_status skip(header_walk *walk, uint64_t bytes)
{
    uint64_t padded = (bytes + 3) / 4 * 4;
    if (padded > walk->input->size - walk->at)
        return fail_at(walk, walk->at, "the file ends inside its header");
    walk->at += padded;
    return MPLAN_OK;
}

/* Its length, then its characters. */
static mplan_status skip_name(header_walk *walk)
{
    uint64_t length;
    size_t at = walk->at;
    mplan_status status = take_count(walk, 1, &length);
    if (!status && length > 1024)
        status = fail_at(walk, at, "a name of more than 1024 bytes");
    return !status ? skip(walk, length) : status;
}

/* Begins a list of things of at least `least` bytes.
 * A count that is accepted bounds the walk: the file has at least `least` bytes for each. Without a mark it must be
 * 0. */
static mplan_status begin_list(header_walk *walk, uint64_t tag, size_t least, uint64_t *count)
{
    uint64_t found;
    size_t at = walk->at;
    mplan_status status = take(walk, 4, &found);
    if (!status)
        status = take_count(walk, least, count);
    if (!status && (found == 0 ? *count != 0 : found != tag))
        status = fail_at(walk, at, "expected another list here");
    return status;
}

/* *bytes: of one number.
 * size: by the number of the type; 1 to 6 (byte to double) are those of all versions, 7 to 11 came with CDF-5. */
static mplan_status take_type(header_walk *walk, uint64_t *bytes)
{
    static const uint8_t size[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    uint64_t type;
    size_t at = walk->at;
    mplan_status status = take(walk, 4, &type);
    if (!status && (type < 1 || type >= sizeof size))
        status = fail_at(walk, at, "this is not a number type");
    if (!status)
        *bytes = size[type];
    return status;
}

/* Name, type, count and values each.
 * Each takes at least the length of its name, its type of four bytes and its count. */
static mplan_status skip_attributes(header_walk *walk)
{
    uint64_t count, bytes, n;
    mplan_status status = begin_list(walk, TAG_ATTRIBUTE, 8 + 2 * (size_t)walk->width - 4, &count);
    for (uint64_t a = 0; a < count && !status; a++) {
        status = skip_name(walk);
        if (!status)
            status = take_type(walk, &bytes);
        if (!status)
            status = take_count(walk, (size_t)bytes, &n);
        if (!status)
            status = skip(walk, n * bytes);
    }
    return status;
}

/* Whether the name that begins at this byte is the wanted one; all of it is in the file. */
static bool is_wanted(const header_walk *walk, size_t at)
{
    const size_t n = walk->wanted ? strlen(walk->wanted) : 0;
    uint64_t length = 0;
    for (int i = 0; i < walk->width; i++)
        length = length << 8 | walk->input->data[at++];
    return walk->wanted && length == n && memcmp(walk->input->data + at, walk->wanted, n) == 0;
}

/* Dimensions must have been declared, so that the library never follows a wrong
 * number. */
static mplan_status skip_variable(header_walk *walk, uint64_t n_dimensions)
{
    uint64_t rank = 0, bytes, value;
    bool by_records = false;
    const size_t begin = walk->at;
    mplan_status status = skip_name(walk);
    const bool wanted = !status && is_wanted(walk, begin);
    if (!status)
        status = take_count(walk, (size_t)walk->width, &rank);
    for (uint64_t d = 0; !status && d < rank; d++) {
        size_t at = walk->at;
        status = take(walk, walk->width, &value);
        if (!status && value >= n_dimensions)
            status = fail_at(walk, at, "a variable has a dimension that does not exist");
        by_records = by_records || value == walk->records;
    }
    if (!status)
        status = skip_attributes(walk);
    if (!status)
        status = take_type(walk, &bytes);
    if (!status)
        status = take(walk, walk->width, &value); /* its size: follows from the dimensions */
    /* where it begins: behind the end of the file, when no record is written yet */
    if (!status)
        status = take(walk, walk->input->data[3] == 1 ? 4 : 8, &value);
    if (!status && wanted && !walk->found) {
        walk->found = true;
        walk->by_records = by_records;
        walk->begin = value;
    }
    return status;
}

/* The header from its beginning to its end, as libnetcdf will read it.
 * It begins behind the four bytes of the mark. 20 is a safe least size: a variable takes 28 bytes or more. */
static mplan_status walk_header(header_walk *walk)
{
    uint64_t value, n_dimensions, count;
    mplan_status status = take(walk, walk->width, &value); /* records */
    if (!status)
        status = begin_list(walk, TAG_DIMENSION, 2 * (size_t)walk->width, &n_dimensions);
    for (uint64_t d = 0; !status && d < n_dimensions; d++) {
        status = skip_name(walk);
        if (!status)
            status = take(walk, walk->width, &value);
        if (!status && value == 0)
            walk->records = d;
    }
    if (!status)
        status = skip_attributes(walk);
    if (!status)
        status = begin_list(walk, TAG_VARIABLE, 20, &count);
    for (uint64_t v = 0; !status && v < count; v++)
        status = skip_variable(walk, n_dimensions);
    return status;
}

/* A walk that begins behind the mark. */
static header_walk walk_of(const mplan_input *input, mplan_error *err)
{
    return (header_walk){.input = input,
                         .at = 4,
                         .width = input->size > 3 && input->data[3] == 5 ? 8 : 4,
                         .err = err,
                         .records = UINT64_MAX};
}

/* The lists of a classic header are walked before libnetcdf sees them, which trusts their
 * lengths. Files of HDF5 have none. */
mplan_status mplan_netcdf_check_header(const mplan_input *input, mplan_error *err)
{
    header_walk walk = walk_of(input, err);
    return mplan_netcdf_is_classic(input->data, input->size) ? walk_header(&walk) : MPLAN_OK;
}

mplan_status mplan_netcdf_begin_of(const mplan_input *input, const char *variable, int64_t *at,
                                   mplan_error *err)
{
    header_walk walk = walk_of(input, err);
    walk.wanted = variable;
    *at = -1;
    mplan_status status = walk_header(&walk);
    if (!status && walk.found && !walk.by_records && walk.begin <= INT64_MAX)
        *at = (int64_t)walk.begin;
    return status;
}
