/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - the words of the command line and the job file, and what they mean
 *
 * Those of strategies are in strategies.c. */
#include <string.h>

#include "meshplan.h"

/* A value of an enumeration and its word. Within a list no value and no word comes twice. */
typedef struct word {
    int value;
    const char *text;
} word;

/* NULL for a value that has no word. */
static const char *text_of(const word *words, size_t n, int value)
{
    for (size_t i = 0; i < n; i++)
        if (words[i].value == value)
            return words[i].text;
    return NULL;
}

/* The entry of a text; NULL when it is not there. */
static const word *find(const word *words, size_t n, const char *text)
{
    for (size_t i = 0; text && i < n; i++)
        if (strcmp(words[i].text, text) == 0)
            return &words[i];
    return NULL;
}

/* Defines mplan_NOUN_name, which gives the word of a value, or NULL, from the list NOUN_words. */
#define NAMES(noun)                                                                           \
    const char *mplan_##noun##_name(mplan_##noun value)                                       \
    {                                                                                         \
        return text_of(noun##_words, sizeof noun##_words / sizeof *noun##_words, (int)value); \
    }

/* And mplan_NOUN_from, which finds the value of a word. */
#define WORDS(noun)                                                                               \
    NAMES(noun)                                                                                   \
    bool mplan_##noun##_from(const char *text, mplan_##noun *value)                               \
    {                                                                                             \
        const word *found = find(noun##_words, sizeof noun##_words / sizeof *noun##_words, text); \
        if (found && value)                                                                       \
            *value = (mplan_##noun)found->value;                                                  \
        return found && value;                                                                    \
    }

static const word access_words[] = {{MPLAN_READ, "read"},   {MPLAN_WRITE, "write"},
                                    {MPLAN_RW, "rw"},       {MPLAN_INC, "inc"},
                                    {MPLAN_INC_MIN, "min"}, {MPLAN_INC_MAX, "max"}};
WORDS(access)

static const word choice_reason_words[] = {
    {MPLAN_REASON_FASTEST, "the fastest"},
    {MPLAN_REASON_EQUAL_BITS, "the fastest with equal bits"},
    {MPLAN_REASON_SUMS_ORDER, "the fastest that adds in the order asked for"},
    {MPLAN_REASON_NO_CONFLICT, "the loop writes through no map"},
};
NAMES(choice_reason)

static const word none_words[] = {
    {MPLAN_NONE_REFUSE, "refuse"}, {MPLAN_NONE_SKIP, "skip"}, {MPLAN_NONE_SPLIT, "split"}};
WORDS(none)

static const word sums_words[] = {
    {MPLAN_SUMS_PARTIAL, "partial"}, {MPLAN_SUMS_ATOMIC, "atomic"}, {MPLAN_SUMS_COLOUR, "colour"}};
WORDS(sums)

static const word encoding_words[] = {{MPLAN_ENCODING_NONE, "none"},
                                      {MPLAN_ENCODING_INDEX32, "index32"},
                                      {MPLAN_ENCODING_INDEX16, "index16"},
                                      {MPLAN_ENCODING_PAIR32, "pair32"},
                                      {MPLAN_ENCODING_WINDOWS16, "windows16"}};
WORDS(encoding)

static const word sums_order_words[] = {{MPLAN_SUMS_ORDER_AUTO, "auto"},
                                        {MPLAN_SUMS_ORDER_STORED, "stored"},
                                        {MPLAN_SUMS_ORDER_COLUMN, "column"},
                                        {MPLAN_SUMS_ORDER_MESH, "mesh"}};
WORDS(sums_order)

static const word layout_words[] = {{MPLAN_LAYOUT_AOS, "aos"}, {MPLAN_LAYOUT_SOA, "soa"}};
WORDS(layout)

static const word layered_words[] = {{MPLAN_LAYERING_NONE, "none"},
                                     {MPLAN_LAYERING_LAYERS, "layers"},
                                     {MPLAN_LAYERING_COLUMNS, "columns"}};
NAMES(layered)

static const word columns_words[] = {{MPLAN_COLUMNS_LAYERS, "layers"},
                                     {MPLAN_COLUMNS_POINTS, "points"},
                                     {MPLAN_COLUMNS_OWNER, "owner"}};
WORDS(columns)

static const word partitioner_words[] = {
    {MPLAN_PARTITIONER_AUTO, "auto"},       {MPLAN_PARTITIONER_NONE, "none"},
    {MPLAN_PARTITIONER_METIS, "metis"},     {MPLAN_PARTITIONER_SCOTCH, "scotch"},
    {MPLAN_PARTITIONER_HILBERT, "hilbert"}, {MPLAN_PARTITIONER_NATIVE, "native"}};
WORDS(partitioner)

/* "front": the word of the format for blocks that grew */
static const word origin_words[] = {{MPLAN_ORIGIN_OTHER, "other"},
                                    {MPLAN_ORIGIN_GROWN, "front"},
                                    {MPLAN_ORIGIN_QUADS, "quads"},
                                    {MPLAN_ORIGIN_HEXES, "hexes"},
                                    {MPLAN_ORIGIN_PLANE_EDGES, "plane-edges"},
                                    {MPLAN_ORIGIN_SPACE_EDGES, "space-edges"},
                                    {MPLAN_ORIGIN_LAYERS, "layers"}};
NAMES(origin)

static const word effort_words[] = {
    {MPLAN_EFFORT_DEFAULT, "default"}, {MPLAN_EFFORT_FAST, "fast"}, {MPLAN_EFFORT_BEST, "best"}};
WORDS(effort)

static const word renumber_words[] = {
    {MPLAN_RENUMBER_AUTO, "auto"},       {MPLAN_RENUMBER_NONE, "none"},
    {MPLAN_RENUMBER_GPS, "gps"},         {MPLAN_RENUMBER_RCM, "rcm"},
    {MPLAN_RENUMBER_HILBERT, "hilbert"}, {MPLAN_RENUMBER_SCOTCH_GPS, "scotch-gps"},
    {MPLAN_RENUMBER_SLOAN, "sloan"},     {MPLAN_RENUMBER_AGGLOMERATE, "agglomerate"}};
WORDS(renumber)

static const word graph_words[] = {
    {MPLAN_GRAPH_AUTO, "auto"}, {MPLAN_GRAPH_POINTS, "points"}, {MPLAN_GRAPH_FACES, "faces"}};
WORDS(graph)

static const word point_order_words[] = {
    {MPLAN_POINTS_AUTO, "auto"},   {MPLAN_POINTS_LEXICOGRAPHIC, "lexicographic"},
    {MPLAN_POINTS_COUNT, "count"}, {MPLAN_POINTS_RENUMBERED, "renumbered"},
    {MPLAN_POINTS_LINES, "lines"}, {MPLAN_POINTS_PADDED, "padded"}};
WORDS(point_order)

static const word type_words[] = {{MPLAN_TYPE_U8, "u8"},   {MPLAN_TYPE_U16, "u16"},
                                  {MPLAN_TYPE_I32, "i32"}, {MPLAN_TYPE_I64, "i64"},
                                  {MPLAN_TYPE_F32, "f32"}, {MPLAN_TYPE_F64, "f64"}};
WORDS(type)

/* Bytes of a number; 0 for what is not a type. */
size_t mplan_type_size(mplan_type type)
{
    static const size_t sizes[] = {1, 2, 4, 8, 4, 8};
    /* also of the bytes of a damaged file: nothing is subtracted before it is in range */
    return type >= MPLAN_TYPE_U8 && type <= MPLAN_TYPE_F64 ? sizes[type - MPLAN_TYPE_U8] : 0;
}
