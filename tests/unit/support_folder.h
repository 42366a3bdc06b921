/* SPDX-License-Identifier: Apache-2.0 */
/* support_folder.h - a folder of its own for a test or a group of tests, and what is in it
 *
 * cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
 * cmocka_run_group_tests(tests, make_folder, remove_folder) */
#ifndef SUPPORT_FOLDER_H
#define SUPPORT_FOLDER_H

#include <stddef.h>

/* Makes the folder, and takes it away with all files and folders in it. */
int make_folder(void **state);
int remove_folder(void **state);
/* Takes away all files, links and folders in a folder. */
void empty_folder(const char *path);
/* "" before make_folder. */
const char *test_folder(void);
/* FOLDER/name; stays as it is for three further calls. */
const char *in_folder(const char *name);

void write_file(const char *path, const void *data, size_t size);
/* Writes FOLDER/name; returns its path, as in_folder does. */
const char *put_text(const char *name, const char *text);
/* Fails unless the file holds these bytes. */
void assert_holds(const char *path, const void *data, size_t size);

#endif
