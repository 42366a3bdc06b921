/* SPDX-License-Identifier: Apache-2.0 */
/* abaqus.c - input files of Abaqus and CalculiX (.inp)
 *
 * A line that begins with * is a keyword with parameters, the lines below are its data; ** begins a comment. Nodes,
 * elements, sets and surfaces are read, other keywords skipped. Parts have numbers of their own; instances are read
 * where their part is. *INCLUDE, and INPUT of *NODE and *ELEMENT, go on in another file, also amid data. */
#include "formats/fem/abaqus.h"
#include "formats/fem/abaqus_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/name_table.h"
#include "formats/includes.h"
#include "formats/numbered.h"
#include "formats/scan.h"

typedef struct abaqus_text {
    const char *at;
    size_t length;
} abaqus_text;

/* A file that is read. */
typedef struct abaqus_reader {
    mplan_scanner scan;
    const mplan_context *context;
    mplan_numbered mesh;
    mplan_name_table parts; /* numbers of parts, also by the names of their instances, which hide parts */
    int64_t part, n_parts;    /* the one that numbers belong to; 0: none */
    int64_t skipped, placed;  /* elements without shape; instances that are moved */
    mplan_scanner head;       /* at the keyword */
    const mplan_input *input; /* the first file; NULL: other files are not read */
    mplan_includes includes;
    mplan_status status; /* of a file that could not be included, and its sentence: */
    mplan_error *err;
    abaqus_text keyword;    /* of the block that is read */
    abaqus_text parameters; /* behind it, to the end of its lines */
} abaqus_reader;

/* ASCII only; the locale is not asked. */
static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

/* Names and keywords do not depend on the case of letters. */
static bool same(abaqus_text a, abaqus_text b)
{
    for (size_t i = 0; i < a.length && a.length == b.length; i++)
        if (upper(a.at[i]) != upper(b.at[i]))
            return false;
    return a.length == b.length;
}

/* Keywords and parameters, which do not depend on case (same). */
static bool is(abaqus_text text, const char *word)
{
    return same(text, (abaqus_text){word, strlen(word)});
}

/* Without blanks and quotes at both ends. Not terminated. */
static abaqus_text trimmed(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n\"", *at))
        at++;
    while (at < end && strchr(" \t\r\n\"", end[-1]))
        end--;
    return (abaqus_text){at, (size_t)(end - at)};
}

/* --- lines ------------------------------------------------------------------------------ */

/* The line at which the scanner is. */
static bool is_comment(const mplan_scanner *scan)
{
    return scan->end - scan->at >= 2 && scan->at[0] == '*' && scan->at[1] == '*';
}

/* Up to a comma or the end of the line. */
static abaqus_text take_text(mplan_scanner *scan)
{
    const char *begin = scan->at;
    while (scan->at < scan->end && *scan->at != ',' && *scan->at != '\n')
        scan->at++;
    return trimmed(begin, scan->at);
}

/* The keyword that begins here; its parameters go on below a line that ends with a comma. */
static void take_keyword(abaqus_reader *reader)
{
    mplan_scanner *scan = &reader->scan;
    scan->at++;
    reader->keyword = take_text(scan);
    const char *begin = scan->at, *end = begin;
    for (bool more = true; more && scan->at < scan->end;) {
        while (scan->at < scan->end && *scan->at != '\n')
            scan->at++;
        end = scan->at;
        abaqus_text line = trimmed(begin, end);
        more = line.length > 0 && line.at[line.length - 1] == ',';
        mplan_scan_next_line(scan);
    }
    reader->parameters = (abaqus_text){begin, (size_t)(end - begin)};
}

/* The value of a parameter; false without it. */
static bool parameter(const abaqus_reader *reader, const char *name, abaqus_text *value)
{
    const char *at = reader->parameters.at, *end = at + reader->parameters.length;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end, *sign = memchr(at, '=', (size_t)(stop - at));
        if (is(trimmed(at, sign ? sign : stop), name)) {
            *value = sign ? trimmed(sign + 1, stop) : (abaqus_text){stop, 0};
            return true;
        }
        at = stop + 1;
    }
    return false;
}

/* --- files that are included -------------------------------------------------------------- */

/* Goes on in the file that a parameter INPUT in that line names; false without one, or if it cannot be opened: reader->status. */
static bool begin_input(abaqus_reader *reader, int64_t line)
{
    abaqus_text name;
    if (!reader->input || !parameter(reader, "INPUT", &name))
        return false;
    reader->status = mplan_include(&reader->includes, reader->input, &reader->scan, line, name.at,
                                   name.length, reader->err);
    if (!reader->status)
        reader->status = mplan_numbered_from(&reader->mesh, reader->scan.path,
                                             reader->scan.end - reader->scan.begin, reader->err);
    return !reader->status;
}

/* The line *INCLUDE, at which the scanner is, amid data or between keywords: false for other keywords. What belongs to
 * the block that is read stays. */
static bool is_include(abaqus_reader *reader)
{
    const abaqus_text keyword = reader->keyword, parameters = reader->parameters;
    const mplan_scanner here = reader->scan;
    take_keyword(reader);
    const bool include = reader->input && is(reader->keyword, "INCLUDE");
    if (!include) {
        reader->scan = here;
    } else if (!begin_input(reader, here.line) && !reader->status) {
        reader->status = mplan_scan_fail(&here, reader->err, MPLAN_ERR_CORRUPT,
                                         "*INCLUDE must have INPUT=FILE");
    }
    reader->keyword = keyword;
    reader->parameters = parameters;
    return include;
}

/* To what is not blank, in the file that included where one ends; false at the end of all. */
static bool skip_space(abaqus_reader *reader)
{
    while (!mplan_scan_skip_space(&reader->scan)) {
        if (!mplan_include_ends(&reader->includes, &reader->scan))
            return false;
        if (!reader->status)
            reader->status = mplan_numbered_from(&reader->mesh, reader->scan.path, 0, reader->err);
    }
    return !reader->status;
}

/* To the next line of data; false where a keyword or the end of the file comes. */
static bool next_row(abaqus_reader *reader)
{
    while (skip_space(reader)) {
        if (*reader->scan.at != '*')
            return true;
        if (is_comment(&reader->scan))
            mplan_scan_next_line(&reader->scan);
        else if (!is_include(reader))
            return false;
    }
    return false;
}

/* The next entry in this line or those below, as long as they are data. */
static bool entry_below(abaqus_reader *reader)
{
    while (!mplan_abaqus_next_entry(&reader->scan))
        if (!next_row(reader))
            return false;
    return true;
}

static mplan_status read_node(abaqus_reader *reader, mplan_error *err)
{
    double xyz[3];
    int64_t number = 0;
    mplan_status status = mplan_abaqus_node(&reader->scan, reader->part, &number, xyz, err);
    return status ? status : mplan_numbered_node(&reader->mesh, number, xyz, err);
}

/* --- nodes and elements --------------------------------------------------------------------- */

/* Members that are read next are of this set. A name that occurs again adds to it. */
static mplan_status begin_set(abaqus_reader *reader, bool of_nodes, abaqus_text name, mplan_error *err)
{
    return mplan_numbered_set_of(&reader->mesh, of_nodes, 0, name.at, name.length, err);
}

/* With NSET they are a set, too. */
static mplan_status read_nodes(abaqus_reader *reader, mplan_error *err)
{
    abaqus_text set;
    const bool in_set = parameter(reader, "NSET", &set);
    begin_input(reader, reader->head.line);
    mplan_status status = in_set ? begin_set(reader, true, set, err) : MPLAN_OK;
    if (!status && !reader->status)
        status = mplan_abaqus_read_rows(&reader->scan, reader->part, MPLAN_CELL_POINT, NULL, in_set,
                                        &reader->mesh, reader->context, err);
    while (!status && next_row(reader)) {
        status = read_node(reader, err);
        const mplan_number_place *nodes = reader->mesh.nodes.data;
        if (!status && in_set)
            status = mplan_numbered_member_of(&reader->mesh,
                                              nodes[reader->mesh.nodes.count - 1].number, 0, err);
        if (!status && reader->mesh.nodes.count % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* A number and nodes, which may go on below. order[k]: where Gmsh's node k is among the file's. */
static mplan_status read_element(abaqus_reader *reader, mplan_cell_type type,
                                 const int8_t order[27], int64_t *number, mplan_error *err)
{
    int64_t theirs[27];
    const int64_t line = reader->scan.line;
    const int32_t n = mplan_cell_type_nodes(type);
    mplan_status status = mplan_abaqus_number(&reader->scan, reader->part,
                                              "the number of an element", number, err);
    for (int32_t k = 0; k < n && !status; k++) {
        if (!entry_below(reader))
            return reader->status ? reader->status
                                  : mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                                    "an element has %d nodes, its type needs %d",
                                                    (int)k, (int)n);
        status = mplan_abaqus_number(&reader->scan, reader->part, "a node of an element",
                                     &theirs[k], err);
    }
    int64_t *nodes = status ? NULL
                            : mplan_numbered_element_of(&reader->mesh, *number, type, line, err);
    if (!nodes)
        return status ? status : err ? err->status : MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < n; k++)
        nodes[k] = theirs[order[k]];
    /* a beam may have one more, which says how its section lies */
    bool more = (!mplan_scan_line_ends(&reader->scan) && *reader->scan.at != ',') ||
                mplan_abaqus_next_entry(&reader->scan);
    if (more && mplan_cell_type_dimension(type) == 1) {
        status = mplan_abaqus_number(&reader->scan, reader->part, "a node of an element",
                                     &theirs[0], err);
        more = mplan_abaqus_next_entry(&reader->scan);
    }
    if (!status && more)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "an element has more than the %d nodes of its type", (int)n);
    return status;
}

/* Of one type; those without shape are counted and skipped. With ELSET they are a set, too. */
static mplan_status read_elements(abaqus_reader *reader, mplan_error *err)
{
    abaqus_text name = {"", 0}, set;
    mplan_cell_type type = MPLAN_CELL_POINT;
    int8_t order[27];
    bool skipped;
    const bool in_set = parameter(reader, "ELSET", &set);
    parameter(reader, "TYPE", &name);
    if (!mplan_abaqus_type(name.at, name.length, &type, order, &skipped))
        return mplan_scan_fail(&reader->head, err, MPLAN_ERR_UNSUPPORTED,
                               "the element type '%.*s' is unknown",
                               name.length < 40 ? (int)name.length : 40, name.at);
    begin_input(reader, reader->head.line);
    mplan_status status = in_set && !skipped ? begin_set(reader, false, set, err) : MPLAN_OK;
    if (!status && !reader->status && !skipped)
        status = mplan_abaqus_read_rows(&reader->scan, reader->part, type, order, in_set,
                                        &reader->mesh, reader->context, err);
    while (!status && next_row(reader)) {
        int64_t number = 0;
        if (skipped)
            reader->skipped++;
        else
            status = read_element(reader, type, order, &number, err);
        if (!status && in_set && !skipped)
            status = mplan_numbered_member_of(&reader->mesh, number, 0, err);
        if (!status && reader->mesh.elements.count % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* --- parts -------------------------------------------------------------------------------- */

/* 0 without one. */
static int64_t find_part(const abaqus_reader *reader, abaqus_text name)
{
    int64_t part = mplan_name_find(&reader->parts, name.at, name.length);
    return part < 0 ? 0 : part;
}

/* part: the number of what has this name; below 2^16, as numbers of members are below 2^40. */
static mplan_status add_part(abaqus_reader *reader, abaqus_text name, int64_t part, mplan_error *err)
{
    if (part >= (INT64_C(1) << 16))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "there are more than 65535 parts");
    return mplan_name_put(&reader->parts, name.at, name.length, part, err);
}

/* A part has numbers of its own from here to END PART. */
static mplan_status begin_part(abaqus_reader *reader, mplan_error *err)
{
    abaqus_text name = {"", 0};
    parameter(reader, "NAME", &name);
    reader->part = ++reader->n_parts;
    return add_part(reader, name, reader->part, err);
}

/* Data below an instance move or turn it; nodes below it are its own. */
static mplan_status begin_instance(abaqus_reader *reader, mplan_error *err)
{
    abaqus_text name = {"", 0}, part = {"", 0};
    parameter(reader, "NAME", &name);
    parameter(reader, "PART", &part);
    int64_t of = find_part(reader, part);
    reader->part = of ? of : ++reader->n_parts;
    reader->placed += next_row(reader);
    return add_part(reader, name, reader->part, err);
}

/* --- sets ---------------------------------------------------------------------------------- */

/* Where the dot of "Part-1-1.5" is, the last one behind an instance; 0 without an instance before one. */
static size_t instance_of(const abaqus_reader *reader, abaqus_text text, int64_t *part)
{
    size_t dot = 0;
    uint64_t hash = 0;
    for (size_t i = 0; i < text.length; i++) {
        int64_t found = text.at[i] == '.' && i > 0
                            ? mplan_name_find_hashed(&reader->parts, text.at, i, hash)
                            : -1;
        if (found > 0) {
            dot = i;
            *part = found;
        }
        hash = mplan_name_hash(&reader->parts, hash, text.at[i]);
    }
    return dot;
}

/* Nothing but one. */
static bool is_number(abaqus_text text, int64_t *number)
{
    return text.length > 0 && mplan_parse_i64(text.at, text.at + text.length, number) == text.length;
}

/* A number, or the name of an earlier set, which is copied; either may be behind an instance and a dot. */
static mplan_status add_entry(abaqus_reader *reader, bool of_nodes, abaqus_text text, int64_t part,
                              int32_t side, mplan_error *err)
{
    int64_t number, own;
    bool found = false;
    size_t dot = is_number(text, &number) ? 0 : instance_of(reader, text, &own);
    if (dot) {
        text = (abaqus_text){text.at + dot + 1, text.length - dot - 1};
        part = own;
    }
    if (is_number(text, &number)) {
        if (number < 0 || number > MPLAN_ABAQUS_MOST_NUMBER)
            return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                   "a member of a set is %lld", (long long)number);
        return mplan_numbered_member_of(&reader->mesh, number + (part << MPLAN_ABAQUS_PART_BITS),
                                        side, err);
    }
    mplan_status status = mplan_numbered_copy_set(&reader->mesh, of_nodes, text.at, text.length,
                                                  side, &found, err);
    if (!status && !found)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "there is no set '%.*s'",
                                 text.length < 80 ? (int)text.length : 80, text.at);
    return status;
}

/* first, last, step. How many members that makes is compared with what there is, so that a short
 * line cannot ask for endless ones. */
static mplan_status add_range(abaqus_reader *reader, bool of_nodes, int64_t part, mplan_error *err)
{
    int64_t value[3] = {0, 0, 1};
    mplan_status status = MPLAN_OK;
    for (int32_t k = 0; k < 3 && !status && mplan_abaqus_next_entry(&reader->scan); k++)
        status = mplan_scan_i64(&reader->scan, "a number of a range", &value[k], err);
    if (status)
        return status;
    const int64_t most = of_nodes ? reader->mesh.nodes.count : reader->mesh.elements.count;
    if (value[0] < 0 || value[1] < 0 || value[2] < 1 ||
        value[2] > MPLAN_ABAQUS_MOST_NUMBER) /* neither difference nor sum overflows */
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "%lld, %lld, %lld are not a first and last number and a step",
                               (long long)value[0], (long long)value[1], (long long)value[2]);
    if (value[1] > MPLAN_ABAQUS_MOST_NUMBER || (value[1] - value[0]) / value[2] > 2 * most + 1000)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "the range %lld, %lld, %lld is longer than what there is",
                               (long long)value[0], (long long)value[1], (long long)value[2]);
    for (int64_t i = value[0]; i <= value[1] && !status; i += value[2])
        status = mplan_numbered_member_of(&reader->mesh, i + (part << MPLAN_ABAQUS_PART_BITS), 0,
                                          err);
    return status;
}

/* Numbers and names of sets between commas, or ranges. INSTANCE names the part. */
static mplan_status read_set(abaqus_reader *reader, bool of_nodes, mplan_error *err)
{
    abaqus_text name = {"", 0}, value;
    const bool range = parameter(reader, "GENERATE", &value);
    int64_t part = reader->part;
    if (parameter(reader, "INSTANCE", &value))
        part = find_part(reader, value);
    parameter(reader, of_nodes ? "NSET" : "ELSET", &name);
    mplan_status status = begin_set(reader, of_nodes, name, err);
    while (!status && next_row(reader)) {
        if (range)
            status = add_range(reader, of_nodes, part, err);
        while (!range && !status && mplan_abaqus_next_entry(&reader->scan))
            status = add_entry(reader, of_nodes, take_text(&reader->scan), part, 0, err);
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* "S3": side 3; "SPOS", "SNEG": all of a shell, 0; "E2": its edge. -1: something else. */
static int32_t side_of(abaqus_text text)
{
    int64_t side;
    if (is(text, "SPOS") || is(text, "SNEG"))
        return 0;
    if (text.length >= 2 && (upper(*text.at) == 'S' || upper(*text.at) == 'E') &&
        mplan_parse_i64(text.at + 1, text.at + text.length, &side) == text.length - 1 &&
        side >= 1 && side <= 6)
        return (int32_t)side;
    return -1;
}

/* Rows of an element, or a set of them, and a side; or of nodes. */
static mplan_status read_surface(abaqus_reader *reader, mplan_error *err)
{
    abaqus_text name = {"", 0}, type = {"ELEMENT", 7};
    parameter(reader, "NAME", &name);
    parameter(reader, "TYPE", &type);
    const bool of_nodes = is(type, "NODE");
    if (!of_nodes && !is(type, "ELEMENT"))
        return MPLAN_OK; /* of curves: it has no elements */
    mplan_status status = begin_set(reader, of_nodes, name, err);
    while (!status && next_row(reader)) {
        abaqus_text member = take_text(&reader->scan);
        const bool sided = mplan_abaqus_next_entry(&reader->scan) && !of_nodes;
        abaqus_text word = sided ? take_text(&reader->scan) : (abaqus_text){"", 0};
        const int32_t side = sided ? side_of(word) : 0;
        if (side < 0)
            return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                   "expected a side such as S1, found '%.*s'",
                                   word.length < 40 ? (int)word.length : 40, word.at);
        if (sided || of_nodes) /* elements without a side mean all free ones, which nobody lists */
            status = add_entry(reader, of_nodes, member, reader->part, side, err);
        mplan_scan_next_line(&reader->scan);
    }
    return status;
}

/* --- the file -------------------------------------------------------------------------------- */

/* The caller skips data of keywords that are not read. */
static mplan_status read_block(abaqus_reader *reader, mplan_error *err)
{
    reader->head = reader->scan;
    take_keyword(reader);
    if (is(reader->keyword, "NODE"))
        return read_nodes(reader, err);
    if (is(reader->keyword, "ELEMENT"))
        return read_elements(reader, err);
    if (is(reader->keyword, "NSET") || is(reader->keyword, "ELSET"))
        return read_set(reader, upper(*reader->keyword.at) == 'N', err);
    if (is(reader->keyword, "SURFACE"))
        return read_surface(reader, err);
    if (is(reader->keyword, "PART"))
        return begin_part(reader, err);
    if (is(reader->keyword, "INSTANCE"))
        return begin_instance(reader, err);
    if (is(reader->keyword, "END PART") || is(reader->keyword, "END INSTANCE"))
        reader->part = 0;
    return MPLAN_OK;
}

/* Keyword by keyword; lines that belong to none that is read are skipped. */
static mplan_status read_all(abaqus_reader *reader, mplan_mesh *mesh, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (!status && skip_space(reader)) {
        if (*reader->scan.at != '*' || is_comment(&reader->scan))
            mplan_scan_next_line(&reader->scan);
        else if (!is_include(reader))
            status = read_block(reader, err);
    }
    if (reader->status || status)
        return reader->status ? reader->status : status;
    if (reader->skipped)
        mplan_warn(reader->context,
                   "%s: %lld elements without shape (springs, masses, ...) are skipped",
                   reader->input->path, (long long)reader->skipped);
    if (reader->placed)
        mplan_warn(reader->context,
                   "%s: %lld instances are read where their part is, not where they are moved",
                   reader->input->path, (long long)reader->placed);
    return mplan_numbered_finish(&reader->mesh, mesh, err);
}

/* Names are views into the input. */
static mplan_status read_abaqus(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    abaqus_reader reader = {.context = context,
                            .parts.any_case = true,
                            .input = input,
                            .includes.context = context,
                            .err = err};
    (void)options;
    mplan_scan_begin(&reader.scan, input);
    mplan_numbered_begin(&reader.mesh, input, context);
    reader.mesh.exodus_side = mplan_abaqus_side;
    mplan_status status = read_all(&reader, mesh, err);
    mplan_numbered_free(&reader.mesh);
    mplan_name_table_free(&reader.parts);
    mplan_includes_free(&reader.includes);
    return status;
}

/* Begins with a keyword, and has nodes in its first part. */
static mplan_recognised recognise_abaqus(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 65536 ? size : 65536, NULL};
    abaqus_reader reader = {.part = 0};
    mplan_scan_begin(&reader.scan, &input);
    if (next_row(&reader) || reader.scan.at == reader.scan.end ||
        reader.scan.end - reader.scan.at < 2 || upper(reader.scan.at[1]) < 'A' ||
        upper(reader.scan.at[1]) > 'Z')
        return MPLAN_RECOGNISED_NO;
    while (mplan_scan_skip_space(&reader.scan)) {
        if (*reader.scan.at == '*' && !is_comment(&reader.scan)) {
            take_keyword(&reader);
            if (is(reader.keyword, "NODE"))
                return MPLAN_RECOGNISED_YES;
        } else {
            mplan_scan_next_line(&reader.scan);
        }
    }
    return MPLAN_RECOGNISED_BY_NAME;
}

const mplan_file_format mplan_format_abaqus = {
    .name = "abaqus",
    .description = "Abaqus and CalculiX input files (.inp), first and second order",
    .extensions = ".inp",
    .recognise = recognise_abaqus,
    .read = read_abaqus,
};
