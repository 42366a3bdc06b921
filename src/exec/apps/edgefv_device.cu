/* edgefv_device.cu - the kernels of edgefv_kernels.h for CUDA */
#include "exec/apps/edgefv_kernels.h"
