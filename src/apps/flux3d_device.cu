/* SPDX-License-Identifier: Apache-2.0 */
/* flux3d_device.cu - the kernels of flux3d_kernels.h for CUDA */
#include "apps/flux3d_kernels.h"
