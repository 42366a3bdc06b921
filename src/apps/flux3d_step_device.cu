/* SPDX-License-Identifier: Apache-2.0 */
/* flux3d_step_device.cu - the kernels of flux3d_step_kernels.h for CUDA */
#include "apps/flux3d_step_kernels.h"
