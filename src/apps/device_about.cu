/* SPDX-License-Identifier: Apache-2.0 */
/* device_about.cu - what a CUDA device is, and how fast its clock runs now
 *
 * The clock is asked of NVIDIA's management library (NVML), which is opened where it is: the toolkit that this was built
 * with need not have it, and where there is none nothing is known of the clock. */
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

#include "exec/cuda/device_cuda.h"

extern "C" {
#include "apps/app_device.h"
}

namespace {

/* The four functions of NVML, by its stable interface; success is 0. */
struct management {
    using device = void *;
    int (*init)() = nullptr;
    int (*find)(const char *bus, device *out) = nullptr;
    int (*clock)(device which, int kind, unsigned *megahertz) = nullptr;
    int (*shutdown)() = nullptr;
    void *library = nullptr;
    bool ready = false;

    template <typename function> bool take(function *&to, const char *name)
    {
        void *symbol = dlsym(library, name);
        std::memcpy(&to, &symbol, sizeof to);
        return symbol != nullptr;
    }
    management()
    {
        library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        ready = library && take(init, "nvmlInit_v2") &&
                take(find, "nvmlDeviceGetHandleByPciBusId_v2") &&
                take(clock, "nvmlDeviceGetClockInfo") && take(shutdown, "nvmlShutdown") &&
                init() == 0;
    }
    ~management()
    {
        if (ready)
            shutdown();
        if (library)
            dlclose(library);
    }
};

constexpr int multiprocessors_clock = 1; /* NVML_CLOCK_SM */

} // namespace

/* Sets all of machine. Called in a child process (tune_machine.c), so that this one has no CUDA context yet when
 * trials are forked. */
mplan_status mplan_gpu_describe(int32_t ordinal, mplan_tune_machine *machine, mplan_error *err)
{
    cudaDeviceProp about;
    int driver = 0, runtime = 0, memory_clock = 0;
    MPLAN_CUDA(cudaGetDeviceProperties(&about, ordinal));
    MPLAN_CUDA(cudaDriverGetVersion(&driver));
    MPLAN_CUDA(cudaRuntimeGetVersion(&runtime));
    MPLAN_CUDA(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, ordinal));
    std::snprintf(machine->name, sizeof machine->name, "%s", about.name);
    machine->processors = about.multiProcessorCount;
    machine->driver = driver;
    machine->runtime = runtime;
    machine->memory_clock_khz = memory_clock;
    return MPLAN_OK;
}

/* NVML is opened at the first call and stays open. The device is found by its PCI address, since NVML's own numbers
 * do not heed CUDA_VISIBLE_DEVICES. */
bool mplan_gpu_clock(int32_t ordinal, double *megahertz)
{
    static const management library;
    char bus[32];
    unsigned now = 0;
    management::device device = nullptr;
    if (!library.ready ||
        cudaDeviceGetPCIBusId(bus, static_cast<int>(sizeof bus), ordinal) != cudaSuccess ||
        library.find(bus, &device) != 0 || library.clock(device, multiprocessors_clock, &now) != 0)
        return false;
    *megahertz = now;
    return true;
}
