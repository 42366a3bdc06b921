/* SPDX-License-Identifier: Apache-2.0 */
/* mixed_device.cu - the kernels of mixed_kernels.h for CUDA */
#include "apps/mixed_kernels.h"
