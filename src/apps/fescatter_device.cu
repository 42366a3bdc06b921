/* SPDX-License-Identifier: Apache-2.0 */
/* fescatter_device.cu - the kernels of fescatter_kernels.h for CUDA */
#include "apps/fescatter_kernels.h"
