/* SPDX-License-Identifier: Apache-2.0 */
/* jacobi_device.cu - the kernels of jacobi_kernels.h for CUDA */
#include "apps/jacobi_kernels.h"
