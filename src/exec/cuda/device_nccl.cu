/* SPDX-License-Identifier: Apache-2.0 */
/* device_nccl.cu - messages between devices of this process by NCCL (RCCL with HIP)
 *
 * The library is opened at run time; the few of its functions that are used have had the same form since NCCL 2.7. A group of
 * sends and receives can be captured, each stream into a graph of its own, since NCCL 2.9. */
#include <cassert>
#include <new>
#include <vector>

#include <dlfcn.h>

#include "exec/cuda/device_cuda.h"

extern "C" {
#include "exec/cuda/device_halo.h"
}

namespace {

#ifdef __HIP__
const char *const library_name = "librccl.so.1";
#else
const char *const library_name = "libnccl.so.2";
#endif
constexpr int of_bytes = 0; /* ncclInt8 */

/* The library by its functions (0 is success) and a communicator for each rank, NULL until init_all. Signatures are
 * those of nccl.h, whose enums are int. */
struct library {
    void *object = nullptr;
    int (*init_all)(void **, int, const int *) = nullptr;
    int (*destroy)(void *) = nullptr;
    int (*group_start)() = nullptr;
    int (*group_end)() = nullptr;
    int (*send)(const void *, size_t, int, int, void *, cudaStream_t) = nullptr;
    int (*receive)(void *, size_t, int, int, void *, cudaStream_t) = nullptr;
    const char *(*text)(int) = nullptr;
    std::vector<void *> rank;

    template <typename F> bool find(F *function, const char *name)
    {
        *function = reinterpret_cast<F>(dlsym(object, name));
        return *function != nullptr;
    }
    bool open()
    {
        object = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
        return object && find(&init_all, "ncclCommInitAll") && find(&destroy, "ncclCommDestroy") &&
               find(&group_start, "ncclGroupStart") && find(&group_end, "ncclGroupEnd") &&
               find(&send, "ncclSend") && find(&receive, "ncclRecv") &&
               find(&text, "ncclGetErrorString");
    }
    mplan_status status(int code, const char *call, mplan_error *err) const
    {
        return code == 0 ? MPLAN_OK : mplan_fail(err, MPLAN_ERR_DEVICE, "%s: %s", call, text(code));
    }
};

} // namespace

/* The library stays open when communicators are gone: NCCL has threads of its own. */
mplan_status mplan_gpu_nccl_open(int32_t n, const int32_t *devices, void **nccl, mplan_error *err)
{
    assert(n > 0 && devices && nccl);
    library *made = new (std::nothrow) library;
    if (!made)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    if (!made->open()) {
        const char *why = made->object ? nullptr : dlerror();
        const mplan_status status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "NCCL cannot be used: %s",
                                               why ? why : "its library lacks a function");
        delete made;
        return status;
    }
    made->rank.resize(size_t(n), nullptr);
    const std::vector<int> own(devices, devices + n);
    const mplan_status status = made->status(made->init_all(made->rank.data(), n, own.data()),
                                             "ncclCommInitAll", err);
    if (status)
        delete made;
    else
        *nccl = made;
    return status;
}

/* No message may be under way. The library itself stays loaded. */
void mplan_gpu_nccl_close(void *nccl)
{
    library *own = static_cast<library *>(nccl);
    for (size_t r = 0; own && r < own->rank.size(); r++)
        own->destroy(own->rank[r]);
    delete own;
}

/* One group, since a send and its receive from one thread would wait for each other otherwise. The group is ended
 * in any case; the first failure is told. */
mplan_status mplan_gpu_nccl_exchange(void *nccl, const mplan_nccl_message *messages, int64_t n,
                                     mplan_error *err)
{
    assert(nccl && (messages || n == 0));
    const library *own = static_cast<library *>(nccl);
    int code = own->group_start();
    for (int64_t i = 0; i < n && code == 0; i++) {
        const mplan_nccl_message *m = &messages[i];
        code = own->send(m->from, size_t(m->bytes), of_bytes, m->to_rank,
                         own->rank[size_t(m->from_rank)], static_cast<cudaStream_t>(m->from_stream));
        if (code == 0)
            code = own->receive(m->to, size_t(m->bytes), of_bytes, m->from_rank,
                                own->rank[size_t(m->to_rank)],
                                static_cast<cudaStream_t>(m->to_stream));
    }
    const int ended = own->group_end();
    return own->status(code ? code : ended, "an exchange by NCCL", err);
}
