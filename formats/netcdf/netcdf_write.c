/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_write.c - netCDF files of the classic formats, without a library
 *
 * After the NetCDF User's Guide, "File Structure and Performance: The NetCDF Classic Format Specification". All numbers
 * are big-endian; names, values and variables are padded to four bytes. */
#include "formats/netcdf/netcdf_write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/byte_order.h"

/* The mark before each list of the head; an empty list has 0 in its place. */
enum { TAG_DIMENSION = 10, TAG_VARIABLE = 11, TAG_ATTRIBUTE = 12 };

/* What CDF-2 allows a variable to take. */
static const int64_t most_bytes = INT64_C(4294967292);

typedef struct dimension {
    char *name;
    int64_t length; /* 0: of records */
} dimension;

/* Of a variable, or of the file (MPLAN_NETCDF_GLOBAL): a text or one number. Names and texts belong to to->texts. */
typedef struct attribute {
    int32_t variable;
    char *name, *text; /* text NULL: a number */
    mplan_netcdf_type type;
    double value;
} attribute;

/* dimension: places in to->dimensions, the slowest first. */
typedef struct variable {
    char *name;
    mplan_netcdf_type type;
    int32_t n_dimensions, dimension[3];
} variable;

void mplan_netcdf_declare(mplan_netcdf_out *to)
{
    *to = (mplan_netcdf_out){.dimensions = MPLAN_VECTOR_INIT(sizeof(dimension)),
                             .attributes = MPLAN_VECTOR_INIT(sizeof(attribute)),
                             .variables = MPLAN_VECTOR_INIT(sizeof(variable)),
                             .texts = MPLAN_VECTOR_INIT(sizeof(char *))};
}

void mplan_netcdf_forget(mplan_netcdf_out *to)
{
    for (int64_t i = 0; i < to->texts.count; i++)
        free(((char **)to->texts.data)[i]);
    free(to->texts.data);
    free(to->dimensions.data);
    free(to->attributes.data);
    free(to->variables.data);
}

/* A copy, kept until mplan_netcdf_forget; NULL without memory. */
static char *keep(mplan_netcdf_out *to, const char *text)
{
    char *own = mplan_strdup(text, NULL);
    if (own && mplan_vector_push(&to->texts, &own, NULL)) {
        free(own);
        own = NULL;
    }
    to->failed = to->failed || !own;
    return own;
}

/* A failure is kept in to->failed until the head is written, so that callers can declare all without asking. */
int32_t mplan_netcdf_add_dimension(mplan_netcdf_out *to, const char *name, int64_t length)
{
    assert(to && name && length >= 0);
    dimension added = {keep(to, name), length};
    to->failed = mplan_vector_push(&to->dimensions, &added, NULL) != MPLAN_OK || to->failed;
    return (int32_t)to->dimensions.count - 1;
}

int32_t mplan_netcdf_add_variable(mplan_netcdf_out *to, const char *name, mplan_netcdf_type type,
                                  int32_t n_dimensions, int32_t first, int32_t second)
{
    assert(n_dimensions <= 2);
    return mplan_netcdf_add_variable_of(to, name, type, n_dimensions,
                                        (const int32_t[3]){first, second, 0});
}

int32_t mplan_netcdf_add_variable_of(mplan_netcdf_out *to, const char *name, mplan_netcdf_type type,
                                     int32_t n_dimensions, const int32_t of[3])
{
    assert(to && name && n_dimensions >= 0 && n_dimensions <= 3);
    variable added = {keep(to, name), type, n_dimensions, {of[0], of[1], of[2]}};
    to->wide = to->wide || type == MPLAN_NETCDF_INT64;
    to->failed = mplan_vector_push(&to->variables, &added, NULL) != MPLAN_OK || to->failed;
    return (int32_t)to->variables.count - 1;
}

void mplan_netcdf_add_text(mplan_netcdf_out *to, int32_t of, const char *name, const char *text)
{
    assert(to && name && text);
    attribute added = {of, keep(to, name), keep(to, text), MPLAN_NETCDF_CHAR, 0};
    to->failed = mplan_vector_push(&to->attributes, &added, NULL) != MPLAN_OK || to->failed;
}

void mplan_netcdf_add_number(mplan_netcdf_out *to, int32_t of, const char *name,
                             mplan_netcdf_type type, double value)
{
    assert(to && name);
    attribute added = {of, keep(to, name), NULL, type, value};
    to->failed = mplan_vector_push(&to->attributes, &added, NULL) != MPLAN_OK || to->failed;
}

/* --- sizes ---------------------------------------------------------------------------- */

static int64_t type_bytes(mplan_netcdf_type type)
{
    return type == MPLAN_NETCDF_CHAR                                   ? 1
           : type == MPLAN_NETCDF_DOUBLE || type == MPLAN_NETCDF_INT64 ? 8
                                                                       : 4;
}

static int64_t padded(int64_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

static const dimension *dimension_of(const mplan_netcdf_out *to, const variable *of, int32_t d)
{
    return (const dimension *)to->dimensions.data + of->dimension[d];
}

/* Whether the first dimension is that of records.
 * Such a variable gets no numbers: files written here have no records. */
static bool has_records(const mplan_netcdf_out *to, const variable *of)
{
    return of->n_dimensions > 0 && dimension_of(to, of, 0)->length == 0;
}

/* Of a variable, or of one of its records; not padded.
 * The dimension of records, whose length is 0, does not count. */
static int64_t variable_bytes(const mplan_netcdf_out *to, const variable *of)
{
    int64_t bytes = type_bytes(of->type);
    for (int32_t d = 0; d < of->n_dimensions; d++)
        if (dimension_of(to, of, d)->length > 0)
            bytes *= dimension_of(to, of, d)->length;
    return bytes;
}

/* --- the head ------------------------------------------------------------------------- */

/* The head is laid out twice: counted, then written.
 * bytes: of what was put so far, the same in both passes; nothing is written while counting. */
typedef struct head {
    mplan_netcdf_out *to;
    bool counting;
    int64_t bytes;
} head;

/* n bytes, and zeros up to a multiple of four. */
static void put_bytes(head *h, const void *data, int64_t n)
{
    static const char zeros[4] = "";
    if (!h->counting) {
        mplan_text_bytes(&h->to->out, data, (size_t)n);
        mplan_text_bytes(&h->to->out, zeros, (size_t)(padded(n) - n));
    }
    h->bytes += padded(n);
}

/* From the machine's order to big-endian, in place: nothing where they are the same. */
static void swap(void *number, int32_t size)
{
    const uint16_t one = 1;
    if (*(const uint8_t *)&one == 1)
        mplan_swap_bytes(number, 1, size);
}

static void put_word(head *h, int32_t value)
{
    swap(&value, 4);
    put_bytes(h, &value, 4);
}

static void put_long(head *h, int64_t value)
{
    swap(&value, 8);
    put_bytes(h, &value, 8);
}

/* A count: of 64 bits in CDF-5.
 * In CDF-2 it may have all 32 bits: a variable takes up to most_bytes. */
static void put_count(head *h, int64_t value)
{
    if (h->to->wide)
        put_long(h, value);
    else
        put_word(h, (int32_t)(uint32_t)value);
}

/* The length, then the characters without their final zero. */
static void put_name(head *h, const char *name)
{
    int64_t length = (int64_t)strlen(name);
    put_count(h, length);
    put_bytes(h, name, length);
}

/* The value of an attribute: its type, then a text, or the number 1 and a number, big-endian. */
static void put_value(head *h, const attribute *of)
{
    put_word(h, (int32_t)of->type);
    if (of->text) {
        put_name(h, of->text);
        return;
    }
    float single = (float)of->value;
    int32_t whole = (int32_t)of->value;
    double real = of->value;
    void *number = of->type == MPLAN_NETCDF_FLOAT ? (void *)&single
                   : of->type == MPLAN_NETCDF_INT ? (void *)&whole
                                                  : (void *)&real;
    put_count(h, 1);
    swap(number, (int32_t)type_bytes(of->type));
    put_bytes(h, number, type_bytes(of->type));
}

/* Those of a variable, or the global ones.
 * of: the variable's number, or MPLAN_NETCDF_GLOBAL; in the order in which they were added. */
static void put_attributes(head *h, int32_t of)
{
    const attribute *all = h->to->attributes.data;
    int64_t n = 0;
    for (int64_t a = 0; a < h->to->attributes.count; a++)
        n += all[a].variable == of;
    put_word(h, n ? TAG_ATTRIBUTE : 0);
    put_count(h, n);
    for (int64_t a = 0; a < h->to->attributes.count; a++)
        if (all[a].variable == of) {
            put_name(h, all[a].name);
            put_value(h, &all[a]);
        }
}

/* begin: where the data begin; records of no length are behind all others. */
static void put_head(head *h, int64_t begin)
{
    const mplan_netcdf_out *to = h->to;
    const dimension *dimensions = to->dimensions.data;
    const variable *variables = to->variables.data;
    int64_t end = begin;
    for (int64_t v = 0; v < to->variables.count; v++)
        end += has_records(to, &variables[v]) ? 0 : padded(variable_bytes(to, &variables[v]));
    const char magic[4] = {'C', 'D', 'F', to->wide ? 5 : 2};
    put_bytes(h, magic, 4);
    put_count(h, 0); /* records */
    put_word(h, to->dimensions.count ? TAG_DIMENSION : 0);
    put_count(h, to->dimensions.count);
    for (int64_t d = 0; d < to->dimensions.count; d++) {
        put_name(h, dimensions[d].name);
        put_count(h, dimensions[d].length);
    }
    put_attributes(h, MPLAN_NETCDF_GLOBAL);
    put_word(h, to->variables.count ? TAG_VARIABLE : 0);
    put_count(h, to->variables.count);
    for (int64_t v = 0; v < to->variables.count; v++) {
        int64_t bytes = padded(variable_bytes(to, &variables[v]));
        put_name(h, variables[v].name);
        put_count(h, variables[v].n_dimensions);
        for (int32_t d = 0; d < variables[v].n_dimensions; d++)
            put_count(h, variables[v].dimension[d]);
        put_attributes(h, (int32_t)v);
        put_word(h, (int32_t)variables[v].type);
        put_count(h, bytes);
        put_long(h, has_records(to, &variables[v]) ? end : begin);
        begin += has_records(to, &variables[v]) ? 0 : bytes;
    }
}

/* Bytes of the variable that is next; those of records have none. */
static void begin_variable(mplan_netcdf_out *to)
{
    const variable *variables = to->variables.data;
    while (to->next < to->variables.count && has_records(to, &variables[to->next]))
        to->next++;
    to->left = to->next < to->variables.count ? variable_bytes(to, &variables[to->next]) : 0;
}

/* The header says where each variable begins, which depends on the header's own length: it is
 * counted first, then written. 64-bit lengths are used only where a variable needs them. */
mplan_status mplan_netcdf_head(mplan_netcdf_out *to, mplan_output *output,
                               const mplan_context *context, mplan_error *err)
{
    assert(to && output);
    const variable *variables = to->variables.data;
    if (to->failed)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    for (int64_t v = 0; v < to->variables.count; v++)
        to->wide = to->wide || variable_bytes(to, &variables[v]) > most_bytes;
    mplan_status status = mplan_text_begin(&to->out, output, context, err);
    if (status)
        return status;
    head counted = {to, true, 0}, written = {to, false, 0};
    put_head(&counted, 0);
    put_head(&written, counted.bytes);
    assert(written.bytes == counted.bytes);
    begin_variable(to);
    return MPLAN_OK;
}

/* --- numbers -------------------------------------------------------------------------- */

/* Callers put the numbers of a variable in its order, row by row; to->left goes down to 0, as mplan_netcdf_next
 * asserts. */
void mplan_netcdf_put_int(mplan_netcdf_out *to, int32_t value)
{
    swap(&value, 4);
    mplan_text_bytes(&to->out, &value, 4);
    to->left -= 4;
}

void mplan_netcdf_put_long(mplan_netcdf_out *to, int64_t value)
{
    swap(&value, 8);
    mplan_text_bytes(&to->out, &value, 8);
    to->left -= 8;
}

void mplan_netcdf_put_real(mplan_netcdf_out *to, double value)
{
    swap(&value, 8);
    mplan_text_bytes(&to->out, &value, 8);
    to->left -= 8;
}

void mplan_netcdf_put_chars(mplan_netcdf_out *to, const char *text, int64_t width)
{
    static const char zero = '\0';
    int64_t length = (int64_t)strlen(text);
    length = length < width ? length : width;
    mplan_text_bytes(&to->out, text, (size_t)length);
    for (int64_t i = length; i < width; i++)
        mplan_text_bytes(&to->out, &zero, 1);
    to->left -= width;
}

void mplan_netcdf_next(mplan_netcdf_out *to)
{
    static const char zeros[4] = "";
    const variable *of = (const variable *)to->variables.data + to->next;
    int64_t bytes = variable_bytes(to, of);
    assert(to->left == 0);
    mplan_text_bytes(&to->out, zeros, (size_t)(padded(bytes) - bytes));
    to->next++;
    begin_variable(to);
}

mplan_status mplan_netcdf_finish(mplan_netcdf_out *to)
{
    assert(to->out.status || to->next == to->variables.count);
    return mplan_text_end(&to->out);
}
