/* SPDX-License-Identifier: Apache-2.0 */
/* himeno_device.cu - the kernels of himeno_kernels.h for CUDA */
#include "apps/himeno_kernels.h"
