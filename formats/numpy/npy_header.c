/* SPDX-License-Identifier: Apache-2.0 */
/* npy_header.c - the header of .npy files, read strictly and written
 *
 * Source: the description in numpy.lib.format. NumPy evaluates the header as
 * Python; we read the one form that its writers give: the three keys in any
 * order, each once, blanks between the tokens. */
#include "formats/numpy/npy_header.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

enum {
    MAGIC_SIZE = 6,
    PREFIX_V1 = 10, /* magic, version, 2 bytes of length */
    PREFIX_V2 = 12, /* magic, version, 4 bytes of length */
    ALIGNMENT = 64,
    MAX_HEADER = 1 << 16, /* our three keys need far less */
    MAX_DESCR = 16
};

static const uint8_t magic[MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The header while it is read: the file's bytes [at, end). */
typedef struct parser {
    const mplan_input *input;
    size_t at, end;
    bool flags; /* booleans are read, too */
} parser;

/* At the byte where the parser is. */
static mplan_status fail_at(const parser *p, mplan_error *err, const char *message)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: byte %zu: %s", p->input->path, p->at, message);
}

/* Within the header's one line. */
static void skip_blanks(parser *p)
{
    while (p->at < p->end && (p->input->data[p->at] == ' ' || p->input->data[p->at] == '\t'))
        p->at++;
}

/* Passes blanks and then `c`, if it is there. */
static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || p->input->data[p->at] != (uint8_t)c)
        return false;
    p->at++;
    return true;
}

/* Takes the word if it comes next, after blanks. */
static bool take_word(parser *p, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(p);
    if (p->end - p->at < length || memcmp(p->input->data + p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

/* A string in single or double quotes, without escapes. */
static mplan_status read_string(parser *p, char *text, size_t room, mplan_error *err)
{
    char quote = take(p, '\'') ? '\'' : take(p, '"') ? '"' : '\0';
    if (!quote)
        return fail_at(p, err, "a quoted word is missing in the header");
    size_t length = 0;
    while (p->at < p->end && p->input->data[p->at] != (uint8_t)quote) {
        uint8_t c = p->input->data[p->at];
        if (c < 0x20 || c >= 0x7f || c == '\\' || length + 1 >= room)
            return fail_at(p, err, "the header has an unknown quoted word");
        text[length++] = (char)c;
        p->at++;
    }
    if (p->at == p->end)
        return fail_at(p, err, "the header ends within a quoted word");
    p->at++;
    text[length] = '\0';
    return MPLAN_OK;
}

/* Type and byte order, as '<f8'. Records are refused. */
static mplan_status read_descr(parser *p, mplan_npy_header *header, mplan_error *err)
{
    skip_blanks(p);
    size_t start = p->at;
    if (start < p->end && (p->input->data[start] == '[' || p->input->data[start] == '('))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: byte %zu: an array of records is not supported, only plain numbers",
                          p->input->path, start);
    char descr[MAX_DESCR];
    mplan_status status = read_string(p, descr, sizeof descr, err);
    if (status)
        return status;
    char order = descr[0], kind = order ? descr[1] : '\0';
    int32_t size = kind && descr[2] >= '1' && descr[2] <= '9' && !descr[3] ? descr[2] - '0' : 0;
    bool whole = (kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8);
    const bool flag = p->flags && kind == 'b' && size == 1;
    bool real = kind == 'f' && (size == 4 || size == 8);
    bool ordered = order == '<' || order == '>' || (order == '|' && size == 1);
    if (!ordered || !(whole || real || flag))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: byte %zu: numbers of type '%s' are not supported; known are integers "
                          "of 1, 2, 4 and 8 bytes and reals of 4 and 8",
                          p->input->path, start, descr);
    memcpy(header->descr, descr, 4);
    header->kind = flag ? 'u' : kind;
    header->size = size;
    header->big_endian = order == '>' && size > 1;
    return MPLAN_OK;
}

/* Python's words. */
static mplan_status read_boolean(parser *p, bool *value, mplan_error *err)
{
    *value = take_word(p, "True");
    if (!*value && !take_word(p, "False"))
        return fail_at(p, err, "fortran_order must be True or False");
    return MPLAN_OK;
}

/* One length of the shape, without overflow. */
static mplan_status read_extent(parser *p, int64_t *extent, mplan_error *err)
{
    size_t start = p->at;
    int64_t value = 0;
    while (p->at < p->end && p->input->data[p->at] >= '0' && p->input->data[p->at] <= '9') {
        int64_t digit = p->input->data[p->at] - '0';
        if (value > (INT64_MAX - digit) / 10)
            return fail_at(p, err, "the shape is larger than any file");
        value = value * 10 + digit;
        p->at++;
    }
    if (p->at == start)
        return fail_at(p, err, "a number is missing in the shape");
    take(p, 'L'); /* long integers of Python 2 */
    *extent = value;
    return MPLAN_OK;
}

/* A tuple of lengths, with a comma behind a single one. */
static mplan_status read_shape(parser *p, mplan_npy_header *header, mplan_error *err)
{
    if (!take(p, '('))
        return fail_at(p, err, "the shape is not a tuple");
    header->ndim = 0;
    bool comma = true;
    while (!take(p, ')')) {
        if (!comma)
            return fail_at(p, err, "a comma is missing in the shape");
        if (header->ndim == MPLAN_NPY_MAX_DIMENSIONS)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "%s: byte %zu: arrays of more than %d dimensions are not supported",
                              p->input->path, p->at, MPLAN_NPY_MAX_DIMENSIONS);
        mplan_status status = read_extent(p, &header->shape[header->ndim], err);
        if (status)
            return status;
        header->ndim++;
        comma = take(p, ',');
    }
    if (header->ndim == 1 && !comma)
        return fail_at(p, err, "the shape is a number, not a tuple");
    return MPLAN_OK;
}

/* One `key: value` of the dictionary. seen: bits of the keys so far. */
static mplan_status read_entry(parser *p, mplan_npy_header *header, unsigned *seen, mplan_error *err)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char key[MAX_DESCR];
    size_t start = p->at;
    mplan_status status = read_string(p, key, sizeof key, err);
    if (status)
        return status;
    unsigned k = 0;
    while (k < 3 && strcmp(key, keys[k]) != 0)
        k++;
    if (k == 3 || (*seen & (1u << k))) {
        p->at = start;
        return fail_at(p, err,
                       k == 3 ? "the header has an unknown key" : "the header has a key twice");
    }
    *seen |= 1u << k;
    if (!take(p, ':'))
        return fail_at(p, err, "a colon is missing in the header");
    if (k == 0)
        return read_descr(p, header, err);
    return k == 1 ? read_boolean(p, &header->fortran, err) : read_shape(p, header, err);
}

/* A Python literal with three keys in any order, each once. */
static mplan_status read_dictionary(parser *p, mplan_npy_header *header, mplan_error *err)
{
    unsigned seen = 0;
    if (!take(p, '{'))
        return fail_at(p, err, "the header is not a dictionary");
    bool comma = true;
    while (!take(p, '}')) {
        if (!comma)
            return fail_at(p, err, "a comma is missing in the header");
        skip_blanks(p);
        mplan_status status = read_entry(p, header, &seen, err);
        if (status)
            return status;
        comma = take(p, ',');
    }
    if (seen != 7)
        return fail_at(p, err, "the header must have descr, fortran_order and shape");
    skip_blanks(p);
    if (p->at < p->end && p->input->data[p->at] == '\n')
        p->at++;
    return p->at == p->end ? MPLAN_OK : fail_at(p, err, "the header continues after its dictionary");
}

/* Finds the bytes of the header by magic, version and length. */
static mplan_status find_header(const mplan_input *input, parser *p, mplan_error *err)
{
    const uint8_t *data = input->data;
    p->input = input;
    p->at = p->end = 0;
    if (!mplan_npy_recognise(data, input->size))
        return mplan_fail(err, MPLAN_ERR_FORMAT, "%s: byte 0: not a .npy file", input->path);
    p->at = MAGIC_SIZE;
    if (input->size < PREFIX_V1)
        return fail_at(p, err, "the file ends within its first line");
    if (data[6] < 1 || data[6] > 3 || data[7] != 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: byte 6: .npy version %d.%d is not supported, only 1.0, 2.0 and 3.0",
                          input->path, data[6], data[7]);
    size_t prefix = data[6] == 1 ? PREFIX_V1 : PREFIX_V2;
    p->at = MAGIC_SIZE + 2;
    if (input->size < prefix)
        return fail_at(p, err, "the file ends within its first line");
    size_t length = data[8] | (size_t)data[9] << 8;
    if (data[6] > 1)
        length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    if (length > input->size - prefix)
        return fail_at(p, err, "the header is longer than the file");
    if (length > MAX_HEADER)
        return fail_at(p, err, "the header is too long for an array of numbers");
    p->at = prefix;
    p->end = prefix + length;
    return MPLAN_OK;
}

/* Multiplies the shape and compares with the bytes that are there. */
static mplan_status check_size(const parser *p, mplan_npy_header *header, mplan_error *err)
{
    bool empty = false;
    int64_t count = 1, there = (int64_t)(p->input->size - p->end);
    for (int32_t d = 0; d < header->ndim; d++)
        empty = empty || header->shape[d] == 0;
    /* A product that fits into the file cannot overflow on the way. */
    for (int32_t d = 0; d < header->ndim && !empty; d++) {
        if (header->shape[d] > there / header->size / count)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s: byte %zu: the file ends before its last number: it has %" PRId64
                              " bytes of numbers, fewer than its shape needs",
                              p->input->path, p->end, there);
        count *= header->shape[d];
    }
    header->count = empty ? 0 : count;
    if (header->count * header->size != there)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: byte %" PRId64 ": %" PRId64 " bytes follow the last number",
                          p->input->path, (int64_t)p->end + header->count * header->size,
                          there - header->count * header->size);
    return MPLAN_OK;
}

/* 6 bytes; the version follows. */
bool mplan_npy_recognise(const uint8_t *data, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(data, magic, MAGIC_SIZE) == 0;
}

/* header->offset: where the numbers begin. The size of the file must fit the
 * shape. */
static mplan_status parse(const mplan_input *input, bool flags, mplan_npy_header *header,
                          mplan_error *err)
{
    parser p = {.flags = flags};
    mplan_npy_header found = {0};
    mplan_status status = find_header(input, &p, err);
    if (!status)
        status = read_dictionary(&p, &found, err);
    if (!status)
        status = check_size(&p, &found, err);
    if (status)
        return status;
    found.offset = p.end;
    /* With at most one extent above 1 both orders are the same. */
    int32_t wide = 0;
    for (int32_t d = 0; d < found.ndim; d++)
        wide += found.shape[d] > 1;
    found.fortran = found.fortran && wide > 1 && found.count > 0;
    *header = found;
    return MPLAN_OK;
}

mplan_status mplan_npy_parse(const mplan_input *input, mplan_npy_header *header, mplan_error *err)
{
    return parse(input, false, header, err);
}

mplan_status mplan_npy_parse_flags(const mplan_input *input, mplan_npy_header *header,
                                   mplan_error *err)
{
    return parse(input, true, header, err);
}

/* numpy's word of a type, little-endian. */
const char *mplan_npy_descr(mplan_type type)
{
    switch (type) {
    case MPLAN_TYPE_U8: return "|u1";
    case MPLAN_TYPE_U16: return "<u2";
    case MPLAN_TYPE_I32: return "<i4";
    case MPLAN_TYPE_I64: return "<i8";
    case MPLAN_TYPE_F32: return "<f4";
    case MPLAN_TYPE_F64: return "<f8";
    }
    return NULL;
}

/* Padded so that the numbers begin at a multiple of 64 bytes. Returns its
 * length. */
size_t mplan_npy_make_header(char text[MPLAN_NPY_HEADER], const char *descr, int32_t ndim,
                             const int64_t *shape)
{
    size_t prefix = PREFIX_V1;
    size_t length = prefix +
                    (size_t)snprintf(text + prefix, MPLAN_NPY_HEADER - prefix,
                                     "{'descr': '%.8s', 'fortran_order': False, 'shape': (", descr);
    for (int32_t d = 0; d < ndim && d < MPLAN_NPY_MAX_DIMENSIONS; d++)
        length += (size_t)snprintf(text + length, MPLAN_NPY_HEADER - length, "%s%" PRId64,
                                   d ? ", " : "", shape[d]);
    length += (size_t)snprintf(text + length, MPLAN_NPY_HEADER - length, "%s), }",
                               ndim == 1 ? "," : "");
    size_t whole = (length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(text + length, ' ', whole - length);
    text[whole - 1] = '\n';
    memcpy(text, magic, MAGIC_SIZE);
    text[6] = 1;
    text[7] = 0;
    text[8] = (char)((whole - prefix) & 0xff);
    text[9] = (char)((whole - prefix) >> 8);
    return whole;
}

/* shape: ndim lengths. */
mplan_status mplan_npy_write_header(mplan_output *output, const char *descr, int32_t ndim,
                                    const int64_t *shape, mplan_error *err)
{
    char text[MPLAN_NPY_HEADER];
    return mplan_output_write(output, text, mplan_npy_make_header(text, descr, ndim, shape), err);
}

/* "True, " takes the place of "False," so that the header keeps its length. */
mplan_status mplan_npy_write_fortran_header(mplan_output *output, const char *descr, int32_t ndim,
                                            const int64_t *shape, mplan_error *err)
{
    char text[MPLAN_NPY_HEADER];
    const size_t size = mplan_npy_make_header(text, descr, ndim, shape);
    for (size_t i = 0; i + 6 <= size; i++)
        if (memcmp(text + i, "False,", 6) == 0)
            memcpy(text + i, "True, ", 6);
    return mplan_output_write(output, text, size, err);
}
