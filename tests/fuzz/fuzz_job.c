/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_job.c - job files */
#include "job/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_error err;
    mplan_job *job = NULL;
    mplan_job_parse(data, size, "job.yaml", "folder/", &job, &err);
    mplan_job_free(job);
    return 0;
}
