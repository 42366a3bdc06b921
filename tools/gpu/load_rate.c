/* SPDX-License-Identifier: Apache-2.0 */
/* load_rate.c - prints how fast a plan file reaches a CUDA device, as JSON
 *
 * load_rate PLAN: the median of five loads; the first ones bring the file to the page cache. */
#include <stdio.h>
#include <stdlib.h>

#include "apps/apps.h"

enum { WARM = 2, LOADS = 5 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double seconds[WARM + LOADS];
    int64_t bytes = 0;
    mplan_error err = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: load_rate PLAN\n");
        return 2;
    }
    for (int i = 0; i < WARM + LOADS; i++)
        if (mplan_app_load_rate(argv[1], 0, &seconds[i], &bytes, &err) != MPLAN_OK) {
            fprintf(stderr, "load_rate: %s\n", err.text);
            return 1;
        }
    qsort(seconds + WARM, LOADS, sizeof *seconds, ascending);
    printf("{\"seconds\": %.6f, \"bytes\": %lld}\n", seconds[WARM + LOADS / 2], (long long)bytes);
    return 0;
}
