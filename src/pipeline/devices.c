/* devices.c - profiles of the devices that plans are made for
 *
 * Shared memory that one thread block may use: CUDA C++ Programming Guide,
 * technical specifications per compute capability (6.0, 7.0, 8.0, 9.0). */
#include "meshplan.h"

static const mplan_device devices[] = {
    {"p100", 48 * 1024, 1024},  {"v100", 96 * 1024, 1024},  {"a100", 163 * 1024, 1024},
    {"h100", 227 * 1024, 1024}, {"h200", 227 * 1024, 1024},
};

mplan_status mplan_device_get(int32_t i, mplan_device *device)
{
    if (i < 0 || (size_t)i >= sizeof devices / sizeof *devices)
        return MPLAN_ERR_ARGUMENT;
    *device = devices[i];
    return MPLAN_OK;
}
