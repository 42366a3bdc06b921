/* SPDX-License-Identifier: Apache-2.0 */
/* nastran.c - bulk data of Nastran (.bdf, .nas, .fem)
 *
 * After the bulk data section of the MSC Nastran quick reference guide. A card is a name and fields: columns of 8
 * characters, of 16 when the name ends with *, or words between commas; lines that begin with a blank field, + or * go on
 * with the card before. GRID and elements are read; their properties are groups. INCLUDE goes on in another file. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/includes.h"
#include "formats/numbered_rows.h"
#include "formats/scan_rows.h"
#include "formats/side_order.h"

enum { MOST_FIELDS = 34, FIELD = 24, LINE = 160 };

/* A card: field[0] is its name, in capitals and without *. */
typedef struct nastran_card {
    int32_t n;
    char field[MOST_FIELDS][FIELD];
    int64_t line;
} nastran_card;

/* A file that is read. */
typedef struct nastran_reader {
    mplan_scanner scan;
    const mplan_context *context;
    mplan_numbered mesh;
    nastran_card card;
    int64_t elsewhere; /* nodes in other systems of coordinates */
    int64_t unknown;   /* elements of shapes that are not known; the first is in line: */
    int64_t unknown_line;
    const char *tried,
        *tried_in; /* lines before that are not tried by threads again, of the file that begins there */
    const mplan_input *input; /* the first file */
    mplan_includes includes;
    mplan_status status; /* of a file that could not be included, and its sentence: */
    mplan_error *err;
} nastran_reader;

/* --- cards ------------------------------------------------------------------------------- */

/* The line without comment and line end, blanks for tabs to the next column of 8.
 * Returns its length, below LINE; what is longer is cut. The scanner is at the line's end or at the comment. */
static int32_t take_line(mplan_scanner *scan, char line[LINE])
{
    int32_t n = 0;
    for (; scan->at < scan->end && *scan->at != '\n'; scan->at++) {
        if (*scan->at == '$')
            break;
        if (*scan->at == '\t')
            do
                line[n < LINE - 1 ? n++ : n] = ' ';
            while (n % 8 && n < LINE - 1);
        else if (*scan->at != '\r' && n < LINE - 1)
            line[n++] = *scan->at ? *scan->at : '?';
    }
    while (n > 0 && line[n - 1] == ' ')
        n--;
    line[n] = '\0';
    return n;
}

/* Characters [begin, end) of a line without blanks around them; too long ones are cut.
 * card->n grows by one, up to MOST_FIELDS; fields are terminated. */
static void put_field(nastran_card *card, const char *line, int32_t begin, int32_t end)
{
    if (card->n == MOST_FIELDS)
        return;
    while (begin < end && line[begin] == ' ')
        begin++;
    while (begin < end && line[end - 1] == ' ')
        end--;
    const int32_t n = end - begin < FIELD - 1 ? end - begin : FIELD - 1;
    memcpy(card->field[card->n], line + begin, (size_t)n);
    card->field[card->n++][n] = '\0';
}

/* The fields behind the first, without that for the continuation.
 * n: length of the line. Fields are of 8 columns, with a * in the name of 16, or between commas. */
static void put_fields(nastran_card *card, const char *line, int32_t n)
{
    const char *comma = strchr(line, ',');
    if (comma) {
        int32_t begin = (int32_t)(comma - line) + 1;
        for (int32_t f = 0; f < 8; f++) {
            int32_t end = begin;
            while (end < n && line[end] != ',')
                end++;
            put_field(card, line, begin < n ? begin : n, end < n ? end : n);
            begin = end + 1;
        }
        return;
    }
    const int32_t width = memchr(line, '*', (size_t)(n < 8 ? n : 8)) ? 16 : 8;
    for (int32_t begin = 8; begin < 72; begin += width)
        put_field(card, line, begin < n ? begin : n, begin + width < n ? begin + width : n);
}

/* Whether the line goes on with the card before. */
static bool goes_on(const char *line, int32_t n)
{
    return n > 0 && (*line == '+' || *line == '*' || *line == ',' || *line == ' ');
}

/* Not by the locale of the caller. */
static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

/* Where the name of a file that is included begins in the line at which the scanner is; NULL: it is another line. */
static const char *included_name(const mplan_scanner *scan)
{
    static const char word[] = "INCLUDE";
    const char *at = scan->at;
    while (at < scan->end && *at == ' ')
        at++;
    for (size_t i = 0; i < sizeof word - 1; i++, at++)
        if (at == scan->end || upper(*at) != word[i])
            return NULL;
    const char *name = at;
    while (name < scan->end && (*name == ' ' || *name == '\t'))
        name++;
    return name < scan->end && (name > at || *name == '\'' || *name == '"') ? name : NULL;
}

/* Goes on in the file of that name: up to the quote with which it begins, also in later lines, which begin with blanks; or
 * to the end of the line.
 * Mesh and scanner go on in that file; reader->status says whether they could. */
static bool begin_include(nastran_reader *reader, const char *name)
{
    enum { MOST_NAME = 1024 };
    char text[MOST_NAME];
    size_t n = 0;
    mplan_scanner *scan = &reader->scan;
    const int64_t line = scan->line;
    const char quote = *name == '\'' || *name == '"' ? *name : '\0';
    scan->at = quote ? name + 1 : name;
    while (scan->at < scan->end && n < MOST_NAME && (quote ? *scan->at != quote : *scan->at != '\n')) {
        if (*scan->at == '\n') {
            mplan_scan_next_line(scan);
            mplan_scan_line_ends(scan);
            continue;
        }
        if (*scan->at != '\r')
            text[n++] = *scan->at;
        scan->at++;
    }
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    mplan_scan_next_line(scan);
    reader->status = mplan_include(&reader->includes, reader->input, scan, line, text, n,
                                   reader->err);
    if (!reader->status)
        reader->status = mplan_numbered_from(&reader->mesh, scan->path, scan->end - scan->begin,
                                             reader->err);
    return !reader->status;
}

/* The next line that is not empty, of a file that is included or, behind it, of the one that includes; 0: there is none.
 * Comments and empty lines are skipped; the scanner is at the end of the line, or at its comment, afterwards. */
static int32_t find_line(nastran_reader *reader, char line[LINE])
{
    mplan_scanner *scan = &reader->scan;
    do {
        while (scan->at < scan->end) {
            const char *name = included_name(scan);
            if (name) {
                if (!begin_include(reader, name))
                    return 0;
                continue;
            }
            const int32_t n = take_line(scan, line);
            if (n > 0)
                return n;
            mplan_scan_next_line(scan);
        }
        if (!mplan_include_ends(&reader->includes, scan))
            return 0;
        reader->status = mplan_numbered_from(&reader->mesh, scan->path, 0, reader->err);
    } while (!reader->status);
    return 0;
}

/* A card of one line of n characters so far: its name in capitals without a *, and fields. */
static void begin_card(nastran_card *card, const char *line, int32_t n)
{
    const char *comma = memchr(line, ',', (size_t)n);
    card->n = 0;
    put_field(card, line, 0, comma ? (int32_t)(comma - line) : n < 8 ? n : 8);
    for (char *c = card->field[0]; *c; c++)
        *c = *c == '*' ? '\0' : upper(*c);
    put_fields(card, line, n);
}

/* The next card; false at the end of the file.
 * reader->card: name in capitals without a *, then the fields of its first line and of those that go on. */
static bool take_card(nastran_reader *reader)
{
    char line[LINE];
    nastran_card *card = &reader->card;
    mplan_scanner *scan = &reader->scan;
    int32_t n = find_line(reader, line);
    if (n == 0)
        return false;
    card->line = scan->line;
    begin_card(card, line, n);
    mplan_scan_next_line(scan);
    while (scan->at < scan->end) {
        mplan_scanner ahead = *scan;
        if (included_name(&ahead))
            break;
        n = take_line(&ahead, line);
        if (n > 0 && !goes_on(line, n))
            break;
        if (n > 0)
            put_fields(card, line, n);
        *scan = ahead;
        mplan_scan_next_line(scan);
    }
    return true;
}

/* The line is the first of the card, not the one that was read last. */
static mplan_status fail_card(const nastran_reader *reader, mplan_error *err, const char *what,
                              const char *field)
{
    mplan_scanner place = reader->scan;
    place.line = reader->card.line;
    return mplan_scan_fail(&place, err, MPLAN_ERR_CORRUPT, "expected %s, found '%s'", what, field);
}

/* "" for fields that the card does not have: they count as blank. */
static const char *field_of(const nastran_card *card, int32_t f)
{
    return f < card->n ? card->field[f] : "";
}

/* Fields hold numbers of nodes and of properties, 0 and above. */
static bool is_whole(const nastran_card *card, int32_t f, int64_t *value)
{
    const char *text = field_of(card, f);
    const size_t n = strlen(text);
    return n > 0 && mplan_parse_i64(text, text + n, value) == n && *value >= 0;
}

static mplan_status whole(const nastran_reader *reader, int32_t f, const char *what, int64_t *value,
                          mplan_error *err)
{
    return is_whole(&reader->card, f, value)
               ? MPLAN_OK
               : fail_card(reader, err, what, field_of(&reader->card, f));
}

/* Blank is 0; exponents may be without a letter: 1.5-3.
 * f: field of the card, from 0 at its name. */
static bool is_real(const nastran_card *card, int32_t f, double *value)
{
    const char *text = field_of(card, f);
    char copy[FIELD + 2];
    size_t n = 0;
    for (size_t i = 0; text[i]; i++) {
        if (i > 0 && (text[i] == '+' || text[i] == '-') && !strchr("eEdD", text[i - 1]))
            copy[n++] = 'e';
        copy[n++] = text[i];
        if (n > FIELD)
            break;
    }
    *value = 0;
    return n == 0 || (mplan_parse_f64(copy, copy + n, value) == n &&
                      *value - *value == 0); /* also false for NaN */
}

static mplan_status real(const nastran_reader *reader, int32_t f, double *value, mplan_error *err)
{
    return is_real(&reader->card, f, value)
               ? MPLAN_OK
               : fail_card(reader, err, "a coordinate", field_of(&reader->card, f));
}

/* --- nodes and elements -------------------------------------------------------------------- */

/* GRID: number, system of coordinates, x, y, z. Other systems than the basic one are only counted. */
static mplan_status read_grid(nastran_reader *reader, mplan_error *err)
{
    int64_t number = 0;
    double xyz[3];
    mplan_status status = whole(reader, 1, "the number of a node", &number, err);
    for (int32_t d = 0; d < 3 && !status; d++)
        status = real(reader, 3 + d, &xyz[d], err);
    const char *system = field_of(&reader->card, 2);
    reader->elsewhere += *system && strcmp(system, "0") != 0;
    return status ? status : mplan_numbered_node(&reader->mesh, number, xyz, err);
}

/* Cards of elements: their nodes begin at a field, and are so many in first and second order (0: there is none). */
typedef struct nastran_shape {
    const char *name;
    int32_t first;
    mplan_cell_type linear, quadratic;
} nastran_shape;

static const nastran_shape shapes[] = {
    {"CTETRA", 3, MPLAN_CELL_TET4, MPLAN_CELL_TET10},
    {"CPYRAM", 3, MPLAN_CELL_PYRAMID5, MPLAN_CELL_PYRAMID13},
    {"CPYRA", 3, MPLAN_CELL_PYRAMID5, MPLAN_CELL_PYRAMID13},
    {"CPENTA", 3, MPLAN_CELL_PRISM6, MPLAN_CELL_PRISM15},
    {"CHEXA", 3, MPLAN_CELL_HEX8, MPLAN_CELL_HEX20},
    {"CTRIA3", 3, MPLAN_CELL_TRI3, MPLAN_CELL_TRI3},
    {"CTRIAR", 3, MPLAN_CELL_TRI3, MPLAN_CELL_TRI3},
    {"CTRIA6", 3, MPLAN_CELL_TRI3, MPLAN_CELL_TRI6},
    {"CQUAD4", 3, MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD4},
    {"CQUADR", 3, MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD4},
    {"CSHEAR", 3, MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD4},
    {"CQUAD8", 3, MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD8},
    {"CQUAD", 3, MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD9},
    {"CQUAD9", 3, MPLAN_CELL_QUAD4, MPLAN_CELL_QUAD9}, /* of Gmsh */
    {"CBAR", 3, MPLAN_CELL_LINE2, MPLAN_CELL_LINE2},
    {"CBEAM", 3, MPLAN_CELL_LINE2, MPLAN_CELL_LINE2},
    {"CROD", 3, MPLAN_CELL_LINE2, MPLAN_CELL_LINE2},
    {"CTUBE", 3, MPLAN_CELL_LINE2, MPLAN_CELL_LINE2},
    {"CONROD", 2, MPLAN_CELL_LINE2, MPLAN_CELL_LINE2},
};

/* An element is of second order if all its nodes are given; some of those on edges may be left out, then they all are. */
static mplan_cell_type type_of(const nastran_card *card, const nastran_shape *shape)
{
    for (int32_t k = 0; k < mplan_cell_type_nodes(shape->quadratic); k++) {
        const char *field = field_of(card, shape->first + k);
        if (!*field || strcmp(field, "0") == 0)
            return shape->linear;
    }
    return shape->quadratic;
}

/* A property's elements are a group.
 * Field 1 is its number, 2 the property, 0 where it is blank; nodes keep the numbers of the file. */
static mplan_status read_element(nastran_reader *reader, const nastran_shape *shape, mplan_error *err)
{
    const mplan_cell_type type = type_of(&reader->card, shape);
    const char *order = mplan_node_order(MPLAN_NUMBERING_EXODUS, type);
    const int32_t n = mplan_cell_type_nodes(type);
    int64_t number = 0, property = 0, theirs[27];
    mplan_status status = whole(reader, 1, "the number of an element", &number, err);
    if (!status && shape->first == 3)
        status = *field_of(&reader->card, 2)
                     ? whole(reader, 2, "the number of a property", &property, err)
                     : MPLAN_OK;
    for (int32_t k = 0; k < n && !status; k++)
        status = whole(reader, shape->first + k, "a node of an element", &theirs[k], err);
    int64_t *nodes = status ? NULL
                            : mplan_numbered_element_of(&reader->mesh, number, type,
                                                        reader->card.line, err);
    if (!nodes)
        return status ? status : err ? err->status : MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < n; k++)
        nodes[k] = theirs[order ? order[k] - 'A' : k];
    mplan_numbered_last(&reader->mesh)->group = property;
    return MPLAN_OK;
}

/* --- cards by threads ----------------------------------------------------------------------- */

/* What cards of a list have in common. shape: NULL, of nodes. */
typedef struct nastran_list {
    const char *name;
    const nastran_shape *shape;
    mplan_cell_type type;
} nastran_list;

/* A node in the basic system of coordinates. */
static bool grid_row(const nastran_card *card, mplan_numbered_row *row)
{
    const char *system = field_of(card, 2);
    bool right = is_whole(card, 1, &row->number) && (!*system || strcmp(system, "0") == 0);
    for (int32_t d = 0; d < 3 && right; d++)
        right = is_real(card, 3 + d, &row->xyz[d]);
    return right;
}

/* As read_element. */
static bool element_row(const nastran_card *card, const nastran_list *list, mplan_numbered_row *row)
{
    const char *order = mplan_node_order(MPLAN_NUMBERING_EXODUS, list->type);
    const int32_t n = mplan_cell_type_nodes(list->type), first = list->shape->first;
    int64_t theirs[27];
    bool right = type_of(card, list->shape) == list->type && is_whole(card, 1, &row->number) &&
                 (first != 3 || !*field_of(card, 2) || is_whole(card, 2, &row->group));
    for (int32_t k = 0; k < n && right; k++)
        right = is_whole(card, first + k, &theirs[k]);
    for (int32_t k = 0; k < n && right; k++)
        row->nodes[k] = theirs[order ? order[k] - 'A' : k];
    return right;
}

/* A card of one line. */
static bool card_row(const void *data, mplan_scanner *line, mplan_numbered_row *row)
{
    const nastran_list *list = data;
    char text[LINE];
    nastran_card card;
    const int32_t n = take_line(line, text);
    if (n == 0)
        return false;
    begin_card(&card, text, n);
    if (strcmp(card.field[0], list->name) != 0)
        return false;
    return list->shape ? element_row(&card, list, row) : grid_row(&card, row);
}

/* Whether a line begins with the name of a card whose fields are not wide. */
static bool begins_card(const char *at, const char *end, const char *name)
{
    for (; *name; name++, at++)
        if (at == end || upper(*at) != *name)
            return false;
    return at < end && (*at == ' ' || *at == ',' || *at == '\t');
}

/* Where the lines end that begin with that name and do not go on: the last one counts only before another card, or at the end. */
static const char *end_of_list(const mplan_scanner *scan, const char *name)
{
    const char *at = scan->at, *last = at;
    while (begins_card(at, scan->end, name)) {
        const char *line_feed = memchr(at, '\n', (size_t)(scan->end - at));
        if (!line_feed)
            return at;
        last = at;
        at = line_feed + 1;
    }
    return at == scan->end || (upper(*at) >= 'A' && upper(*at) <= 'Z') ? at : last;
}

/* Cards like the one that was read, which follow it. */
static mplan_status read_more(nastran_reader *reader, const nastran_shape *shape, mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    const nastran_list cards = {reader->card.field[0], shape,
                                shape ? type_of(&reader->card, shape) : MPLAN_CELL_POINT};
    if (!mplan_scan_rows_pays(scan->end - scan->at, reader->context) ||
        (reader->tried_in == scan->begin && scan->at < reader->tried))
        return MPLAN_OK;
    reader->tried = end_of_list(scan, cards.name);
    reader->tried_in = scan->begin;
    const mplan_numbered_list list = {.scan = scan,
                                      .end = reader->tried,
                                      .of_nodes = !shape,
                                      .type = cards.type,
                                      .read = card_row,
                                      .data = &cards};
    return mplan_numbered_read_rows(&reader->mesh, &list, reader->context, err);
}

/* Both end with a zero. */
static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* A node or an element; other cards are skipped, and counted where their names begin like those of elements. */
static mplan_status read_card(nastran_reader *reader, mplan_error *err)
{
    const char *name = reader->card.field[0];
    if (strcmp(name, "GRID") == 0) {
        mplan_status status = read_grid(reader, err);
        return status ? status : read_more(reader, NULL, err);
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (strcmp(name, shapes[s].name) == 0) {
            mplan_status status = read_element(reader, &shapes[s], err);
            return status ? status : read_more(reader, &shapes[s], err);
        }
    if (begins(name, "CTRI") || begins(name, "CQUAD") || begins(name, "CHEX") ||
        begins(name, "CTET")) {
        reader->unknown_line = reader->unknown++ ? reader->unknown_line : reader->card.line;
    }
    return MPLAN_OK;
}

/* --- the file ------------------------------------------------------------------------------- */

/* Behind BEGIN BULK, if it is there. */
static void find_bulk(mplan_scanner *scan)
{
    mplan_scanner at = *scan;
    char line[LINE];
    for (; at.at < at.end; mplan_scan_next_line(&at)) {
        take_line(&at, line);
        for (char *c = line; *c; c++)
            *c = upper(*c);
        if (!begins(line, "BEGIN") || !strstr(line, "BULK"))
            continue;
        mplan_scan_next_line(&at);
        *scan = at;
        return;
    }
}

/* One warning for each kind of thing that was found and not read. */
static void warn(const nastran_reader *reader)
{
    const char *path = reader->input->path;
    if (reader->elsewhere)
        mplan_warn(reader->context,
                   "%s: %lld nodes are in other systems of coordinates, but are taken as they are",
                   path, (long long)reader->elsewhere);
    if (reader->unknown)
        mplan_warn(reader->context,
                   "%s:%lld: %lld elements of shapes that are not known are skipped, the first is here",
                   path, (long long)reader->unknown_line, (long long)reader->unknown);
}

/* Cards of the bulk data up to ENDDATA. The reader, which holds the fields of a card, is too large for the stack. */
static mplan_status read_nastran(const mplan_input *input, const mplan_read_options *options,
                                 const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    nastran_reader *reader = mplan_alloc_zero(1, sizeof *reader, err);
    mplan_status status = MPLAN_OK;
    (void)options;
    if (!reader)
        return MPLAN_ERR_MEMORY;
    reader->context = reader->includes.context = context;
    reader->input = input;
    reader->err = err;
    mplan_scan_begin(&reader->scan, input);
    mplan_numbered_begin(&reader->mesh, input, context);
    find_bulk(&reader->scan);
    for (int64_t i = 0;
         !status && take_card(reader) && strcmp(reader->card.field[0], "ENDDATA") != 0; i++) {
        status = read_card(reader, err);
        if (!status && i % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, context, err);
    }
    if (!status)
        status = reader->status;
    if (!status)
        warn(reader);
    if (!status)
        status = mplan_numbered_finish(&reader->mesh, mesh, err);
    mplan_numbered_free(&reader->mesh);
    mplan_includes_free(&reader->includes);
    free(reader);
    return status;
}

/* BEGIN BULK, a GRID or an element's card at the beginning of a line. */
static mplan_recognised recognise_nastran(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 65536 ? size : 65536, NULL};
    mplan_scanner scan;
    char line[LINE];
    mplan_scan_begin(&scan, &input);
    for (; scan.at < scan.end; mplan_scan_next_line(&scan)) {
        const int32_t n = take_line(&scan, line);
        for (char *c = line; *c; c++)
            *c = upper(*c);
        if (n >= 10 && begins(line, "BEGIN") && strstr(line, "BULK"))
            return MPLAN_RECOGNISED_YES;
        const char *ends = strpbrk(line, " ,*");
        const size_t length = ends ? (size_t)(ends - line) : 0;
        if (n < 16 || length == 0)
            continue;
        if (length == 4 && begins(line, "GRID"))
            return MPLAN_RECOGNISED_YES;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            if (strlen(shapes[s].name) == length && begins(line, shapes[s].name))
                return MPLAN_RECOGNISED_YES;
    }
    return MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_nastran = {
    .name = "nastran",
    .description = "Nastran bulk data (.bdf, .nas, .fem), first and second order",
    .extensions = ".bdf .nas .fem",
    .recognise = recognise_nastran,
    .read = read_nastran,
};
