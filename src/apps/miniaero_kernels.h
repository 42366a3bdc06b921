/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_kernels.h - the kernel of miniaero_flux.h, in the language of the file that includes it */
#ifndef MPLAN_MINIAERO_KERNELS_H
#define MPLAN_MINIAERO_KERNELS_H

#include "apps/miniaero_flux.h"

MPLAN_KERNEL(mplan_miniaero, MPLAN_MINIAERO_ARGS, mplan_miniaero_parameters)

#endif
