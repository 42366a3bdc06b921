/* SPDX-License-Identifier: Apache-2.0 */
/* executors.c - the words for the executors */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "exec/exec.h"

static const char *const EXECUTORS[MPLAN_N_EXECUTORS] = {"serial", "host", "openmp", "cuda"};

const char *mplan_executor_name(mplan_executor value)
{
    return (unsigned)value < MPLAN_N_EXECUTORS ? EXECUTORS[value] : NULL;
}

bool mplan_executor_is_built(mplan_executor value)
{
#ifdef MPLAN_HAVE_CUDA
    return (unsigned)value < MPLAN_N_EXECUTORS;
#else
    return (unsigned)value < MPLAN_N_EXECUTORS && value != MPLAN_EXECUTOR_CUDA;
#endif
}

bool mplan_executor_from(const char *word, mplan_executor *value)
{
    for (int i = 0; word && value && i < MPLAN_N_EXECUTORS; i++)
        if (strcmp(word, EXECUTORS[i]) == 0) {
            *value = (mplan_executor)i;
            return true;
        }
    return false;
}

mplan_status mplan_exec_refuse_parts(const char *function, mplan_error *err)
{
    assert(function);
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s is for an executor of one plan; mplan_exec_part gives those of parts",
                      function);
}
