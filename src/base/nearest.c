/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c - which word somebody may have meant
 *
 * Edit distance with transpositions (optimal string alignment: Damerau, Comm.
 * ACM 7 (1964); Wagner & Fischer, J. ACM 21 (1974)). */
#include <stdbool.h>
#include <string.h>

#include "meshplan.h"

enum { MAX_LENGTH = 64 }; /* longer words are near to none */

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Whether two letters are the same, large or small. */
static bool same(char a, char b)
{
    const bool is_large = a >= 'A' && a <= 'Z', is_other_large = b >= 'A' && b <= 'Z';
    return (is_large ? a - 'A' + 'a' : a) == (is_other_large ? b - 'A' + 'a' : b);
}

/* Changes of one character, and exchanges of two neighbours, that turn one word
 * into the other (optimal string alignment); large and small letters are the same. Three rows of the table are kept. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    /* cost[i % 3][j]: to make the first j characters of b of the first i of a */
    int cost[3][MAX_LENGTH + 1];
    for (size_t j = 0; j <= b_length; j++)
        cost[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *now = cost[i % 3];
        const int *before = cost[(i + 2) % 3], *earlier = cost[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int best = before[j - 1] + !same(a[i - 1], b[j - 1]);
            best = min_int(best, min_int(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                best = min_int(best, earlier[j - 2] + 1);
            now[j] = best;
        }
    }
    return cost[a_length % 3][b_length];
}

/* The first of the nearest words, when at most about a third of the letters
 * differ: one in words of up to 3, two up to 6, three beyond. */
const char *mplan_nearest_word(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    size_t length = word && words ? strlen(word) : 0;
    if (length == 0 || length > MAX_LENGTH)
        return NULL;
    int limit = min_int(3, (int)(length + 2) / 3);
    for (; *words; words++) {
        size_t other = strlen(*words);
        if (other == 0 || other > MAX_LENGTH)
            continue;
        int d = distance(word, length, *words, other);
        if (d <= limit && d < (int)length && d < (int)other) {
            nearest = *words;
            limit = d - 1;
            if (d == 0)
                break;
        }
    }
    return nearest;
}
