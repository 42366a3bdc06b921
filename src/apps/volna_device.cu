/* SPDX-License-Identifier: Apache-2.0 */
/* volna_device.cu - the kernels of volna_kernels.h for CUDA */
#include "apps/volna_kernels.h"
