/* SPDX-License-Identifier: Apache-2.0 */
/* column_step_device.cu - the kernels of column_step_kernels.h for CUDA */
#include "apps/column_step_kernels.h"
