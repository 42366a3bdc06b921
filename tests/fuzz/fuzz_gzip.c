/* fuzz_gzip.c - files that may be compressed: refused, or all their bytes are there */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *file; /* one for all inputs: files are what is opened */
    char path[32];
    mplan_error err;
    mplan_input_file opened;
    if (!file && !(file = tmpfile()))
        return 0;
    if (ftruncate(fileno(file), 0) || pwrite(fileno(file), data, size, 0) != (ssize_t)size)
        return 0;
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    if (mplan_input_open(path, &opened, NULL, &err) != MPLAN_OK)
        return 0;
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < opened.input.size; i++)
        sum = (uint8_t)(sum + opened.input.data[i]);
    mplan_input_close(&opened);
    return 0;
}
