/* SPDX-License-Identifier: Apache-2.0 */
/* layers_device.cu - the kernels of layers_kernels.h for CUDA */
#include "apps/layers_kernels.h"
