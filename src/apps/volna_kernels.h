/* SPDX-License-Identifier: Apache-2.0 */
/* volna_kernels.h - the kernels of volna_space.h, in the language of the file that includes it */
#ifndef MPLAN_VOLNA_KERNELS_H
#define MPLAN_VOLNA_KERNELS_H

#include "apps/volna_space.h"

MPLAN_KERNEL(mplan_volna, MPLAN_VOLNA_ARGS, mplan_no_parameters)

#endif
