/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_device.cu - the kernels of miniaero_kernels.h for CUDA */
#include "apps/miniaero_kernels.h"
