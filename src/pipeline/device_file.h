/* SPDX-License-Identifier: Apache-2.0 */
/* device_file.h - profiles of devices in files */
#ifndef MPLAN_DEVICE_FILE_H
#define MPLAN_DEVICE_FILE_H

#include "meshplan.h"

/* Bytes of a profile's name with its end. */
#define MPLAN_DEVICE_NAME 32

/* Whether a request names a file in place of a profile: it ends with .yaml. */
bool mplan_device_is_file(const char *word);

/* Reads a profile: lines `key: value`, comments behind #, every key of formats/plan-format.md's profile once. *device
 * points to name, MPLAN_DEVICE_NAME bytes. MPLAN_ERR_FORMAT with path and line for what does not fit. */
mplan_status mplan_device_read(const char *path, const mplan_context *context, mplan_device *device,
                               char *name, mplan_error *err);

/* The line of a request for a profile from a file: "profile ..." with all its numbers, without the end of the line.
 * `size` bytes at text, 512 hold every line. */
void mplan_device_line(const mplan_device *device, char *text, size_t size);

#endif
