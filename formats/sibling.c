/* SPDX-License-Identifier: Apache-2.0 */
/* sibling.c - files beside the one that is read */
#include "formats/sibling.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* How long the path is without its last `endings` endings (.gz is not counted); 0 where the name
 * has fewer. */
size_t mplan_sibling_stem(const char *path, int32_t endings)
{
    const char *slash = strrchr(path, '/');
    size_t first = slash ? (size_t)(slash + 1 - path) : 0, stem = strlen(path);
    if (stem > first + 3 && memcmp(path + stem - 3, ".gz", 3) == 0)
        stem -= 3;
    for (; endings > 0; endings--) {
        while (stem > first && path[stem - 1] != '.')
            stem--;
        if (stem <= first + 1)
            return 0;
        stem--;
    }
    return stem;
}

/* Either kind of slash. */
bool mplan_sibling_below(const char *name, size_t length)
{
    size_t begin = 0;
    if (length > 0 && (name[0] == '/' || name[0] == '\\'))
        return false;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && name[i] != '/' && name[i] != '\\')
            continue;
        if (i - begin == 2 && name[begin] == '.' && name[begin + 1] == '.')
            return false;
        begin = i + 1;
    }
    return true;
}

/* A file beside the input: its stem and another ending. *found: false without an error where
 * there is none, or where the input is not a file of its own (a stream). */
mplan_status mplan_sibling_open(const mplan_input *input, size_t stem, const char *ending,
                                mplan_input_file *opened, bool *found, const mplan_context *context,
                                mplan_error *err)
{
    memset(opened, 0, sizeof *opened);
    *found = false;
    if (!input->file || stem == 0)
        return MPLAN_OK;
    size_t length = strlen(ending);
    char *path = mplan_alloc((int64_t)(stem + length + 1), 1, err);
    if (!path)
        return MPLAN_ERR_MEMORY;
    memcpy(path, input->path, stem);
    memcpy(path + stem, ending, length + 1);
    mplan_status status = MPLAN_OK;
    if (access(path, F_OK) == 0) {
        status = mplan_input_open_beside(path, opened, context, err);
        *found = !status;
    } else {
        mplan_looked(context, path);
    }
    if (!*found)
        free(path); /* else it is opened->input.path */
    return status;
}

/* Of one that was found. */
void mplan_sibling_close(mplan_input_file *opened)
{
    char *path = (char *)(uintptr_t)opened->input.path;
    mplan_input_close(opened);
    free(path);
}
