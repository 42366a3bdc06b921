/* SPDX-License-Identifier: Apache-2.0 */
/* bookleaf_device.cu - the kernels of bookleaf_kernels.h for CUDA */
#include "apps/bookleaf_kernels.h"
