/* fescatter_device.cu - the kernels of fescatter_kernels.h for CUDA */
#include "exec/apps/fescatter_kernels.h"
