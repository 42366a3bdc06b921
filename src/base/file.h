/* file.h - whole input files in memory */
#ifndef MPLAN_FILE_H
#define MPLAN_FILE_H

#include <stdio.h>

#include "meshplan.h"

/* The bytes of an input file, mapped or (pipes, standard input) read. */
typedef struct mplan_file {
    const uint8_t *data; /* aligned to a page; never NULL */
    size_t size;
    bool mapped;
} mplan_file;

/* path "-": standard input. MPLAN_ERR_NO_INPUT when it does not exist, is a
 * folder or may not be read; MPLAN_ERR_IO; MPLAN_ERR_MEMORY. Errors name path. */
mplan_status mplan_file_open(const char *path, mplan_file *file, mplan_error *err);
/* Releases; a zeroed file is allowed. */
void mplan_file_close(mplan_file *file);

#endif
