/* SPDX-License-Identifier: Apache-2.0 */
/* prism.c - formats that write prisms in either orientation */
#include "formats/prism.h"

/* If the volume is negative, both triangles are reversed. */
void mplan_orient_prism(const double *xyz, int32_t node[6])
{
    const double *p[4];
    double u[3], v[3], w[3];
    for (int32_t k = 0; k < 4; k++)
        p[k] = xyz + 3 * (int64_t)node[k];
    for (int32_t d = 0; d < 3; d++) {
        u[d] = p[1][d] - p[0][d];
        v[d] = p[2][d] - p[0][d];
        w[d] = p[3][d] - p[0][d];
    }
    double volume = w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
                    w[2] * (u[0] * v[1] - u[1] * v[0]);
    if (volume < 0) {
        for (int32_t k = 1; k < 6; k += 3) {
            int32_t swapped = node[k];
            node[k] = node[k + 1];
            node[k + 1] = swapped;
        }
    }
}
