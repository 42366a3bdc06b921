/* SPDX-License-Identifier: Apache-2.0 */
/* volna_step_device.cu - the kernels of volna_step_kernels.h for CUDA */
#include "apps/volna_step_kernels.h"
