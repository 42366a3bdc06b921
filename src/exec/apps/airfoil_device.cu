/* airfoil_device.cu - the kernels of airfoil_kernels.h for CUDA */
#include "exec/apps/airfoil_kernels.h"
