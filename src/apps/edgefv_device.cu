/* SPDX-License-Identifier: Apache-2.0 */
/* edgefv_device.cu - the kernels of edgefv_kernels.h for CUDA */
#include "apps/edgefv_kernels.h"
