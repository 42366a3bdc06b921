/* SPDX-License-Identifier: Apache-2.0 */
/* flux2d_device.cu - the kernels of flux2d_kernels.h for CUDA */
#include "apps/flux2d_kernels.h"
