/* SPDX-License-Identifier: Apache-2.0 */
/* edge_flux.cu - the kernel of edge_flux.c for CUDA */
#include "edge_flux.c"
