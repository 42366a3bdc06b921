/* words.c - the words of the command line and the job file, and what they mean */
#include <string.h>

#include "meshplan.h"

#define N(words_) ((int)(sizeof(words_) / sizeof *(words_)))

static const char *const access_words[] = {"read", "write", "rw", "inc"};
static const char *const none_words[] = {"refuse", "skip", "split"};
static const char *const strategy_words[] = {"global-colour", "block-colour", "two-step",
                                             "atomic", "block-gather", "owner-gather"};
static const char *const sums_words[] = {"partial", "atomic", "colour"};
static const char *const encoding_words[] = {"none", "index32", "index16", "pair32"};
static const char *const layout_words[] = {"aos", "soa"};
static const char *const partitioner_words[] = {"none", "metis", "scotch", "hilbert", "native"};
static const char *const origin_words[] = {"other",       "front",       "quads", "hexes",
                                           "plane-edges", "space-edges", "layers"};
static const char *const effort_words[] = {"default", "fast", "best"};
static const char *const renumber_words[] = {"auto",    "none",       "gps",  "rcm",
                                             "hilbert", "scotch-gps", "sloan",
                                             "agglomerate"};
static const char *const graph_words[] = {"auto", "points", "faces"};
static const char *const point_order_words[] = {"lexicographic", "count", "renumbered",
                                                "lines",         "padded"};
/* MPLAN_TYPE_U8 is 1 */
static const char *const type_words[] = {"u8", "u16", "i32", "i64", "f32", "f64"};

static const char *word_of(const char *const *words, int n, int value)
{
    return value >= 0 && value < n ? words[value] : NULL;
}

/* Place of a word in its list, -1 when it is not there. */
static int place_of(const char *const *words, int n, const char *word)
{
    for (int i = 0; word && i < n; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

const char *mplan_access_name(mplan_access value)
{
    return word_of(access_words, N(access_words), (int)value);
}

const char *mplan_none_name(mplan_none value)
{
    return word_of(none_words, N(none_words), (int)value);
}

const char *mplan_strategy_name(mplan_strategy value)
{
    return word_of(strategy_words, N(strategy_words), (int)value);
}

const char *mplan_sums_name(mplan_sums value)
{
    return word_of(sums_words, N(sums_words), (int)value);
}

const char *mplan_encoding_name(mplan_encoding value)
{
    return word_of(encoding_words, N(encoding_words), (int)value);
}

const char *mplan_layout_name(mplan_layout value)
{
    return word_of(layout_words, N(layout_words), (int)value);
}

const char *mplan_partitioner_name(mplan_partitioner value)
{
    if (value == MPLAN_PARTITIONER_AUTO)
        return "auto";
    return word_of(partitioner_words, N(partitioner_words), (int)value);
}

const char *mplan_origin_name(mplan_origin value)
{
    return word_of(origin_words, N(origin_words), (int)value);
}

const char *mplan_effort_name(mplan_effort value)
{
    return word_of(effort_words, N(effort_words), (int)value);
}

const char *mplan_renumber_name(mplan_renumber value)
{
    return word_of(renumber_words, N(renumber_words), (int)value);
}

const char *mplan_graph_name(mplan_graph value)
{
    return word_of(graph_words, N(graph_words), (int)value);
}

const char *mplan_point_order_name(mplan_point_order value)
{
    if (value == MPLAN_POINTS_AUTO)
        return "auto";
    return word_of(point_order_words, N(point_order_words), (int)value);
}

const char *mplan_type_name(mplan_type type)
{
    return mplan_type_size(type) ? type_words[type - MPLAN_TYPE_U8] : NULL;
}

size_t mplan_type_size(mplan_type type)
{
    static const size_t sizes[] = {1, 2, 4, 8, 4, 8};
    /* also of the bytes of a damaged file: nothing is subtracted before it is in range */
    return type >= MPLAN_TYPE_U8 && type <= MPLAN_TYPE_F64 ? sizes[type - MPLAN_TYPE_U8] : 0;
}

bool mplan_type_from(const char *word, mplan_type *value)
{
    int place = value ? place_of(type_words, N(type_words), word) : -1;
    if (place >= 0)
        *value = (mplan_type)(place + 1);
    return place >= 0;
}

bool mplan_access_from(const char *word, mplan_access *value)
{
    int place = value ? place_of(access_words, N(access_words), word) : -1;
    if (place >= 0)
        *value = (mplan_access)place;
    return place >= 0;
}

bool mplan_none_from(const char *word, mplan_none *value)
{
    int place = value ? place_of(none_words, N(none_words), word) : -1;
    if (place >= 0)
        *value = (mplan_none)place;
    return place >= 0;
}

bool mplan_strategy_from(const char *word, mplan_strategy *value)
{
    int place = value ? place_of(strategy_words, N(strategy_words), word) : -1;
    if (place >= 0)
        *value = (mplan_strategy)place;
    return place >= 0;
}

bool mplan_sums_from(const char *word, mplan_sums *value)
{
    int place = value ? place_of(sums_words, N(sums_words), word) : -1;
    if (place >= 0)
        *value = (mplan_sums)place;
    return place >= 0;
}

bool mplan_encoding_from(const char *word, mplan_encoding *value)
{
    int place = value ? place_of(encoding_words, N(encoding_words), word) : -1;
    if (place >= 0)
        *value = (mplan_encoding)place;
    return place >= 0;
}

bool mplan_layout_from(const char *word, mplan_layout *value)
{
    int place = value ? place_of(layout_words, N(layout_words), word) : -1;
    if (place >= 0)
        *value = (mplan_layout)place;
    return place >= 0;
}

bool mplan_partitioner_from(const char *word, mplan_partitioner *value)
{
    if (word && value && strcmp(word, "auto") == 0) {
        *value = MPLAN_PARTITIONER_AUTO;
        return true;
    }
    int place = value ? place_of(partitioner_words, N(partitioner_words), word) : -1;
    if (place >= 0)
        *value = (mplan_partitioner)place;
    return place >= 0;
}

bool mplan_effort_from(const char *word, mplan_effort *value)
{
    int place = value ? place_of(effort_words, N(effort_words), word) : -1;
    if (place >= 0)
        *value = (mplan_effort)place;
    return place >= 0;
}

bool mplan_renumber_from(const char *word, mplan_renumber *value)
{
    int place = value ? place_of(renumber_words, N(renumber_words), word) : -1;
    if (place >= 0)
        *value = (mplan_renumber)place;
    return place >= 0;
}

bool mplan_graph_from(const char *word, mplan_graph *value)
{
    int place = value ? place_of(graph_words, N(graph_words), word) : -1;
    if (place >= 0)
        *value = (mplan_graph)place;
    return place >= 0;
}

bool mplan_point_order_from(const char *word, mplan_point_order *value)
{
    if (word && value && strcmp(word, "auto") == 0) {
        *value = MPLAN_POINTS_AUTO;
        return true;
    }
    int place = value ? place_of(point_order_words, N(point_order_words), word) : -1;
    if (place >= 0)
        *value = (mplan_point_order)place;
    return place >= 0;
}
