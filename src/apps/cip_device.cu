/* SPDX-License-Identifier: Apache-2.0 */
/* cip_device.cu - the kernels of cip_kernels.h for CUDA */
#include "apps/cip_kernels.h"
