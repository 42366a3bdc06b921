/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_file.c - whether a file is a bundle of the plans of parts */
#define _POSIX_C_SOURCE 200809L
#include "cli/bundle_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"

/* By its first bytes. False also where it cannot be read: whoever opens it next says why. */
bool cli_is_bundle(const char *path)
{
    char first[16];
    struct stat about;
    if (stat(path, &about) || !S_ISREG(about.st_mode)) /* a pipe must not be opened twice */
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, first, sizeof first);
    close(fd);
    return n > 0 && mplan_bundle_recognise(first, (size_t)n);
}

mplan_status cli_fail_no_bundle(const char *option, const char *path, mplan_error *err)
{
    if (strcmp(path, "-") != 0 && access(path, R_OK))
        return cli_fail(err, MPLAN_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "%s is for bundles, and %s is none", option, path);
}
