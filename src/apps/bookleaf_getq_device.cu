/* SPDX-License-Identifier: Apache-2.0 */
/* bookleaf_getq_device.cu - the kernels of bookleaf_getq_kernels.h for CUDA */
#include "apps/bookleaf_getq_kernels.h"
