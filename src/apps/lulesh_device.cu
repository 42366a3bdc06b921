/* SPDX-License-Identifier: Apache-2.0 */
/* lulesh_device.cu - the kernels of lulesh_kernels.h for CUDA */
#include "apps/lulesh_kernels.h"
