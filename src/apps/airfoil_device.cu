/* airfoil_device.cu - the kernels of airfoil_kernels.h for CUDA */
#include "apps/airfoil_kernels.h"
