/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_gzip.c - files that may be compressed: refused, or all their bytes are there */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1; /* one for all inputs, in memory: files are what is opened */
    char path[32];
    mplan_error err;
    mplan_input_file opened;
    if (file < 0) {
        snprintf(path, sizeof path, "/mplan-fuzz-%ld", (long)getpid());
        file = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (file < 0 || shm_unlink(path))
            abort();
    }
    if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
        return 0;
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    if (mplan_input_open(path, &opened, NULL, &err) != MPLAN_OK)
        return 0;
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < opened.input.size; i++)
        sum = (uint8_t)(sum + opened.input.data[i]);
    mplan_input_close(&opened);
    return 0;
}
