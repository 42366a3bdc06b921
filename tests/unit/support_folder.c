/* SPDX-License-Identifier: Apache-2.0 */
/* support_folder.c - a folder of its own for every test, and what is in it */
#include "support_test.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "support_folder.h"
#include "support_planfile.h"

static char folder[64];

int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/meshplan-test-XXXXXX", support_fast_folder());
    return mkdtemp(folder) == NULL;
}

void empty_folder(const char *path)
{
    char inner[600];
    DIR *open_folder = opendir(path);
    struct dirent *entry;
    while (open_folder && (entry = readdir(open_folder)) != NULL) {
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlink(inner) != 0) {
            empty_folder(inner);
            rmdir(inner);
        }
    }
    if (open_folder)
        closedir(open_folder);
}

int remove_folder(void **state)
{
    (void)state;
    empty_folder(folder);
    return rmdir(folder);
}

const char *test_folder(void)
{
    return folder;
}

const char *in_folder(const char *name)
{
    static char path[4][400];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

const char *put_text(const char *name, const char *text)
{
    const char *path = in_folder(name);
    write_file(path, text, strlen(text));
    return path;
}

void assert_holds(const char *path, const void *data, size_t size)
{
    mplan_error err;
    mplan_file file;
    assert_done(mplan_file_open(path, NULL, &file, &err), &err);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.data, data, size);
    mplan_file_close(&file);
}
