/* SPDX-License-Identifier: Apache-2.0 */
/* tune_kernels.c - a user's kernels for tests/cli/tune.sh
 *
 * $TUNE_FAULT makes the kernel misbehave in processes other than the one that loaded it, which are trials:
 * "nan": its results are not numbers; "hang": it does not end; another word is a file: who removes it, ends by a
 * signal. So one trial does, and the others go on. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/meshplan_kernel.h"

typedef struct heat_parameters {
    double conductivity;
} heat_parameters;

static pid_t loaded_in;
__attribute__((constructor)) static void remember(void)
{
    loaded_in = getpid();
}

static double misbehave(void)
{
    const char *fault = getenv("TUNE_FAULT");
    if (!fault || getpid() == loaded_in)
        return 0;
    if (!strcmp(fault, "nan"))
        return NAN;
    while (!strcmp(fault, "hang"))
        pause();
    if (!unlink(fault))
        raise(SIGSEGV);
    return 0;
}

#define HEAT_ARGS(MAPPED, DIRECT, OPPOSITE)    \
    MAPPED(heat, faces_cells, 2, 1, f64, READ) \
    DIRECT(area, 1, f64, READ)                 \
    OPPOSITE(change, faces_cells, 1, f64)
MPLAN_VIEWS(heat, HEAT_ARGS)
MPLAN_FN void heat(heat_views *v, const heat_parameters *p)
{
    v->change[0] = p->conductivity * v->area[0] * (v->heat[1][0] - v->heat[0][0]) + misbehave();
}
MPLAN_KERNEL(heat, HEAT_ARGS, heat_parameters)

__attribute__((visibility("default"))) const mplan_kernel *meshplan_kernels(int32_t *n);
__attribute__((visibility("default"))) const void *meshplan_parameters(const char *kernel);

const mplan_kernel *meshplan_kernels(int32_t *n)
{
    *n = 1;
    return &heat_host;
}

const void *meshplan_parameters(const char *kernel)
{
    static const heat_parameters parameters = {0.25};
    return strcmp(kernel, "heat") ? NULL : &parameters;
}
