/* SPDX-License-Identifier: Apache-2.0 */
/* heat.cu - the CUDA kernels of heat.c */
#include "heat.c"
