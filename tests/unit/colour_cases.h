/* SPDX-License-Identifier: Apache-2.0 */
/* colour_cases.h - what is coloured, and whether its colours are right */
#ifndef MPLAN_COLOUR_CASES_H
#define MPLAN_COLOUR_CASES_H

#include "support_mesh.h"
#include "support_test.h"
#include "colour/colour.h"

enum { MOST_MAPS = 3 };

/* Maps of one loop and a cut of its elements into blocks. */
typedef struct problem {
    int64_t n_elements, n_positions, n_blocks;
    int32_t n_maps;
    mplan_map maps[MOST_MAPS];
    int64_t *offsets;
    int32_t *sequence; /* NULL: positions are elements */
} problem;

/* Whether two elements meet in a point of a set. */
static inline bool elements_meet(const problem *p, int64_t e, int64_t f)
{
    for (int32_t a = 0; a < p->n_maps; a++)
        for (int32_t b = 0; b < p->n_maps; b++) {
            int32_t n, k;
            const int32_t *row = mplan_map_row(&p->maps[a], e, &n);
            const int32_t *other = mplan_map_row(&p->maps[b], f, &k);
            for (int32_t i = 0; i < n && p->maps[a].to == p->maps[b].to; i++)
                for (int32_t j = 0; j < k; j++)
                    if (row[i] >= 0 && row[i] == other[j])
                        return true;
        }
    return false;
}

/* Each of n_colours used, by items that do not meet. */
static inline void check_colouring(const problem *p,
                                   bool (*meet)(const problem *, int64_t, int64_t), int64_t n,
                                   const bool *skip, const int32_t *colour, int32_t n_colours)
{
    bool *used = calloc((size_t)n_colours + 1, sizeof *used);
    for (int64_t i = 0; i < n; i++) {
        if (skip && skip[i]) {
            assert_int_equal(colour[i], -1);
            continue;
        }
        assert_in_range(colour[i], 0, n_colours - 1);
        used[colour[i]] = true;
        for (int64_t k = 0; k < i; k++)
            if (colour[k] == colour[i])
                assert_false(meet(p, i, k));
    }
    for (int32_t c = 0; c < n_colours; c++)
        assert_true(used[c]);
    free(used);
}

#endif
