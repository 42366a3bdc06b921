/* SPDX-License-Identifier: Apache-2.0 */
/* support_known.h - results compared with their fingerprints in a file of tests/data
 *
 * Each line of the file is a name and 16 hexadecimal digits. With MPLAN_UPDATE set the file is written anew. */
#ifndef SUPPORT_KNOWN_H
#define SUPPORT_KNOWN_H

#include "base/hash.h"
#include "meshplan.h"

/* Reads the file, or begins to write it; 0 where that succeeds, as cmocka's setup functions return it. */
int known_begin(const char *path);
int known_end(void);
/* Compares with the line of that name; a name without a line is new, and is not compared. */
void known_compare(const char *name, uint64_t print);
/* Fails where a result differed since the last call, or fewer than `least` were compared. */
void known_check(int least);

/* Parts of fingerprints. */
void known_add_text(mplan_fingerprint *print, const char *text);
void known_add_numbers(mplan_fingerprint *print, int n, const int64_t *numbers);
#define KNOWN_ADD(print, ...)                                                           \
    known_add_numbers(print, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
                      (int64_t[]){__VA_ARGS__})
uint64_t known_end_print(mplan_fingerprint *print);

/* Bytes of the file, or of all files of a folder with their names, sorted; what is there is removed. False where nothing is
 * there. */
bool known_print_of_path(const char *path, uint64_t *print);

/* Sets, maps, groups and types; coordinates: false for those of the airfoil, which are rounded then. */
uint64_t known_print_of_mesh(const mplan_mesh *mesh, bool coordinates);

typedef struct known_name {
    char text[128];
} known_name;
/* Names in a folder that begin so, sorted; at most `most`. */
int known_names_in(const char *path, const char *begin, known_name *names, int most);
/* Adds the numbers of a sentence (lines, bytes, counts, limits) behind the name of a file in `folder` to `to`, at most `room`
 * characters with those that are there. Words may change, and where the folder lies. */
void known_add_sentence(const char *folder, char *to, size_t room, const char *text);

enum { KNOWN_SHAPES = 9 };
/* Name of generated shape s, or NULL past the last. */
const char *known_shape_name(int s);
/* Coordinates of the airfoil take a sine of libm, whose last bit is not the same everywhere. */
bool known_shape_is_exact(int s);
/* A small mesh of that shape; NULL where it cannot have these cells. */
mplan_mesh *known_shape(int s, bool shuffle, mplan_layer_cells cells);

#endif
