/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_rk4_device.cu - the kernels of miniaero_rk4_kernels.h for CUDA */
#include "apps/miniaero_rk4_kernels.h"
