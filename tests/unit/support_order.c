/* SPDX-License-Identifier: Apache-2.0 */
/* support_order.c - permutations, and graphs numbered by them */
#include "support_order.h"

int32_t *support_permutation(uint64_t *seed, int64_t n)
{
    int32_t *place = malloc(((size_t)n + 1) * sizeof *place);
    for (int64_t i = 0; i < n; i++)
        place[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t k = support_random(seed, i + 1);
        int32_t swap = place[i];
        place[i] = place[k];
        place[k] = swap;
    }
    return place;
}

void support_check_permutation(int64_t n, const int32_t *place)
{
    bool *seen = calloc((size_t)n + 1, sizeof *seen);
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(place[i], 0, n - 1);
        assert_false(seen[place[i]]);
        seen[place[i]] = true;
    }
    free(seen);
}

bool support_joined(const mplan_csr *graph, int64_t v, int64_t w)
{
    for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
        if (graph->neighbours[k] == w)
            return true;
    return false;
}

int64_t support_bandwidth(const mplan_csr *graph, const int32_t *place)
{
    int64_t widest = 0;
    for (int64_t v = 0; v < graph->n; v++)
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int64_t width = labs((long)place[v] - place[graph->neighbours[k]]);
            widest = width > widest ? width : widest;
        }
    return widest;
}
