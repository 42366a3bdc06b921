/* SPDX-License-Identifier: Apache-2.0 */
/* euler2d_device.cu - the kernels of euler2d_kernels.h for CUDA */
#include "apps/euler2d_kernels.h"
