/* volna_device.cu - the kernels of volna_kernels.h for CUDA */
#include "exec/apps/volna_kernels.h"
