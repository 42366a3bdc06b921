/* SPDX-License-Identifier: Apache-2.0 */
/* child_place.c - where the programs of libexec are */
#define _GNU_SOURCE /* dladdr1, secure_getenv */
#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child_place.h"
#include "base/error.h"

#ifndef MPLAN_HELPER_FOLDER
#define MPLAN_HELPER_FOLDER "/usr/local/libexec/meshplan"
#endif
#ifndef MPLAN_HELPER_FROM_LIBRARY /* the same folder as seen from the library's */
#define MPLAN_HELPER_FROM_LIBRARY "../libexec/meshplan"
#endif

/* A file that this process may run. */
static bool is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/* Links are followed. */
static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The folder of a file, links followed; false where it cannot be told. */
static bool folder_of(const char *file, char folder[PATH_MAX])
{
    char *slash = file && realpath(file, folder) ? strrchr(folder, '/') : NULL;
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* Looks in the places that a folder of libraries or programs may have beside it. */
static bool find_beside(const char *file, const char *program, char *path, size_t size)
{
    static const char *const beside[] = {MPLAN_HELPER_FROM_LIBRARY, "../libexec/meshplan",
                                         "libexec/meshplan"};
    char folder[PATH_MAX];
    if (!folder_of(file, folder))
        return false;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        int length = snprintf(path, size, "%s/%s/%s", folder, beside[i], program);
        if (length > 0 && (size_t)length < size && is_program(path))
            return true;
    }
    return false;
}

/* The shared library that holds this code; NULL in a program that holds it itself, whose first
 * argument is what the linker would tell. */
static const char *own_library(void)
{
    static const char mark = 0;
    Dl_info about;
    struct link_map *map = NULL;
    if (!dladdr1(&mark, &about, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name)
        return NULL;
    return map->l_name[0] == '/' ? map->l_name : NULL;
}

/* $MPLAN_HELPER, then the folders beside the library and the running program, then the
 * installed one. secure_getenv: the variable does not count in programs with raised
 * rights. */
mplan_status mplan_child_find(const char *program, char *path, size_t size, mplan_error *err)
{
    const char *told = secure_getenv("MPLAN_HELPER");
    if (told && *told) {
        if (is_folder(told))
            snprintf(path, size, "%s/%s", told, program);
        else
            snprintf(path, size, "%s", told);
        if (is_program(path))
            return MPLAN_OK;
        return mplan_fail(err, MPLAN_ERR_INTERNAL,
                          "the program %s, which MPLAN_HELPER names, is missing", path);
    }
    if (find_beside(own_library(), program, path, size) ||
        find_beside("/proc/self/exe", program, path, size))
        return MPLAN_OK;
    snprintf(path, size, "%s/%s", MPLAN_HELPER_FOLDER, program);
    if (is_program(path))
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_INTERNAL,
                      "the program %s is missing; MPLAN_HELPER names the folder that it is in", path);
}
