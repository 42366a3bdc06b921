/* SPDX-License-Identifier: Apache-2.0 */
/* airfoil_device.cu - the kernels of airfoil_kernels.h for CUDA */
#include "apps/airfoil_kernels.h"
