/* SPDX-License-Identifier: Apache-2.0 */
/* aflr3_layout.c - the binary layouts of AFLR3's format, and which of them a file has
 *
 * Nothing in a file names its layout. Its seven counts tell how long it is at least and which numbers nodes may
 * have: only in the right layout the numbers agree with that. */
#include <string.h>

#include "formats/aflr/aflr3.h"
#include "formats/byte_order.h"

enum { TRIED = 64 }; /* rows of each kind that are looked at */

static const char *const words[] = {"lb8", "b8", "lb8l", "b8l", "lb4",  "b4",
                                    "lr8", "r8", "lr4",  "r4",  "lb4l", "b4l"};
enum { N_WORDS = sizeof words / sizeof *words };

/* count: one of MPLAN_AFLR3_NODES to MPLAN_AFLR3_HEXES. */
mplan_cell_type mplan_aflr3_type(int32_t count)
{
    static const mplan_cell_type types[] = {
        MPLAN_CELL_POINT,    MPLAN_CELL_TRI3,   MPLAN_CELL_QUAD4, MPLAN_CELL_TET4,
        MPLAN_CELL_PYRAMID5, MPLAN_CELL_PRISM6, MPLAN_CELL_HEX8};
    return types[count];
}

/* word: "lb8", "b8l", ... as AFLR3 has it before ".ugrid"; false for others. Not terminated. */
bool mplan_aflr3_layout_of(const char *word, size_t length, mplan_aflr3_layout *layout)
{
    const uint16_t one = 1;
    const bool machine_is_little = *(const uint8_t *)&one == 1;
    for (int32_t w = 0; w < N_WORDS; w++) {
        if (strlen(words[w]) != length || memcmp(words[w], word, length) != 0)
            continue;
        memset(layout, 0, sizeof *layout);
        memcpy(layout->word, word, length);
        const bool little = word[0] == 'l';
        const char *rest = word + little;
        layout->swapped = little != machine_is_little;
        layout->records = rest[0] == 'r';
        layout->real_bytes = rest[1] - '0';
        layout->whole_bytes = word[length - 1] == 'l' && length > 2 ? 8 : 4;
        return true;
    }
    return false;
}

/* The part of the name before its last ending (.gz is not counted), "" without one; not
 * terminated, in path. */
const char *mplan_aflr3_word(const char *path, size_t *length)
{
    const char *name = strrchr(path, '/'), *last, *before = NULL;
    name = name ? name + 1 : path;
    last = strrchr(name, '.');
    if (last && strcmp(last, ".gz") == 0 && last > name)
        for (const char *at = last; at-- > name;)
            if (*at == '.') {
                last = at;
                break;
            }
    for (const char *at = name; last && at < last; at++)
        if (*at == '.')
            before = at;
    *length = before ? (size_t)(last - before - 1) : 0;
    return before ? before + 1 : name;
}

/* Numbers of a row of each kind: nodes, and of surfaces the id. */
static int32_t row_wholes(int32_t kind)
{
    return kind == MPLAN_AFLR3_NODES
               ? 0
               : mplan_cell_type_nodes(mplan_aflr3_type(kind)) + (kind <= MPLAN_AFLR3_QUADS);
}

/* As a real: counts of a file that is none of ours may be anything. */
double mplan_aflr3_bytes(const mplan_aflr3_layout *layout, const int64_t count[MPLAN_AFLR3_COUNTS])
{
    double bytes = (double)mplan_aflr3_data_at(layout) + (layout->records ? 4 : 0) +
                   3.0 * layout->real_bytes * (double)count[MPLAN_AFLR3_NODES];
    for (int32_t k = MPLAN_AFLR3_TRIS; k < MPLAN_AFLR3_COUNTS; k++)
        bytes += (double)layout->whole_bytes * row_wholes(k) * (double)count[k];
    return bytes;
}

/* A whole number of the layout, with its sign. */
static int64_t load(const mplan_aflr3_layout *layout, const uint8_t *at)
{
    uint64_t bits = mplan_load_bits(at, layout->whole_bytes, layout->swapped);
    return layout->whole_bytes == 4 ? (int32_t)bits : (int64_t)bits;
}

/* The header can be one: three nodes, a cell, no more than 32 bits number. */
static bool header_can_be(const uint8_t *data, size_t size, const mplan_aflr3_layout *layout,
                          int64_t count[MPLAN_AFLR3_COUNTS])
{
    size_t at = mplan_aflr3_header_at(layout);
    size_t wholes = (size_t)(MPLAN_AFLR3_COUNTS * layout->whole_bytes);
    if (size < mplan_aflr3_data_at(layout))
        return false;
    if (layout->records && (mplan_load_bits(data, 4, layout->swapped) != wholes ||
                            mplan_load_bits(data + at + wholes, 4, layout->swapped) != wholes))
        return false;
    int64_t cells = 0;
    for (int32_t k = 0; k < MPLAN_AFLR3_COUNTS; k++) {
        count[k] = load(layout, data + at + (size_t)(k * layout->whole_bytes));
        if (count[k] < 0 || count[k] >= INT32_MAX)
            return false;
        cells += k > MPLAN_AFLR3_NODES ? count[k] : 0;
    }
    return count[MPLAN_AFLR3_NODES] >= 3 && cells > 0;
}

/* The first rows of every kind name nodes that there are. The file is long enough. */
static bool rows_can_be(const uint8_t *data, const mplan_aflr3_layout *layout,
                        const int64_t count[MPLAN_AFLR3_COUNTS])
{
    const uint8_t *at = data + mplan_aflr3_data_at(layout) +
                        3 * layout->real_bytes * count[MPLAN_AFLR3_NODES];
    for (int32_t k = MPLAN_AFLR3_TRIS; k < MPLAN_AFLR3_COUNTS; k++) {
        const int32_t n = mplan_cell_type_nodes(mplan_aflr3_type(k));
        for (int64_t i = 0; i < n * count[k] && i < TRIED; i++) {
            int64_t node = load(layout, at + i * layout->whole_bytes);
            if (node < 1 || node > count[MPLAN_AFLR3_NODES])
                return false;
        }
        at += layout->whole_bytes * n * count[k];
        if (k == MPLAN_AFLR3_QUADS)
            at += layout->whole_bytes * (count[MPLAN_AFLR3_TRIS] + count[MPLAN_AFLR3_QUADS]);
    }
    return true;
}

/* The counts of a binary file are never all letters, digits and blanks. */
static bool is_text(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size && i < 4 * MPLAN_AFLR3_COUNTS; i++)
        if (data[i] >= 0x7f || (data[i] < ' ' && !strchr("\t\r\n", data[i])) || data[i] == 0)
            return false;
    return true;
}

/* How much a header says: in a wrong byte order more than in the right one. Lengths of records, and the word of
 * the name, are not an accident. */
static double doubt_of(const mplan_aflr3_layout *layout, const int64_t count[MPLAN_AFLR3_COUNTS],
                       const char *word, size_t length)
{
    double doubt = 0;
    if (layout->records ||
        (strlen(layout->word) == length && memcmp(layout->word, word, length) == 0))
        return -1;
    for (int32_t k = 0; k < MPLAN_AFLR3_COUNTS; k++)
        doubt += (double)count[k];
    return doubt;
}

/* The layout that fits, or else (false) the one that is most likely meant, so that the message
 * can say what is wrong; layout->word "" for none. count: out, of that layout. The name's word
 * counts only where several fit. */
bool mplan_aflr3_find_layout(const uint8_t *data, size_t size, const char *path,
                             mplan_aflr3_layout *layout, int64_t count[MPLAN_AFLR3_COUNTS])
{
    double least = 0;
    size_t length;
    const char *word = mplan_aflr3_word(path, &length);
    memset(layout, 0, sizeof *layout);
    if (is_text(data, size))
        return false;
    for (int32_t w = 0; w < N_WORDS; w++) {
        mplan_aflr3_layout tried = {.word = ""};
        int64_t counts[MPLAN_AFLR3_COUNTS];
        if (!mplan_aflr3_layout_of(words[w], strlen(words[w]), &tried) ||
            !header_can_be(data, size, &tried, counts))
            continue;
        double doubt = doubt_of(&tried, counts, word, length);
        bool fits = mplan_aflr3_bytes(&tried, counts) <= (double)size &&
                    rows_can_be(data, &tried, counts);
        if (!fits && layout->word[0] && doubt >= least)
            continue;
        least = doubt;
        *layout = tried;
        memcpy(count, counts, sizeof counts);
        if (fits)
            return true;
    }
    return false;
}
