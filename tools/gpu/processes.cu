/* SPDX-License-Identifier: Apache-2.0 */
/* processes.cu - kernels of processes.c on a device */
#include "processes_kernels.h"
