/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_reader.h - the parts of the reader of VTK's legacy files */
#ifndef MPLAN_VTK_READER_H
#define MPLAN_VTK_READER_H

#include "formats/scan.h"
#include "formats/vtk/vtk.h"

/* A legacy VTK file that is read.
 * xyz: 3 n_points numbers; offsets: n_cells + 1, from 0; points: offsets[n_cells] of them, not compared with
 * n_points yet; types: n_types of VTK's codes. Each is NULL until its section was read. */
typedef struct vtk_reader {
    mplan_scanner scan;
    const mplan_context *context;
    bool binary;
    int64_t major;
    int64_t n_points, n_cells, n_types; /* -1: not there yet */
    double *xyz;
    int64_t *offsets;
    int32_t *points;
    uint8_t *types;
    mplan_vtk_cells fields; /* of which only the fields are used, until all sections are read */
} vtk_reader;

/* A word of the file. */
typedef struct vtk_word {
    char text[64]; /* in lower case; longer ones cut */
} vtk_word;

typedef enum vtk_number { VTK_BIT, VTK_INTEGER, VTK_UNSIGNED, VTK_REAL, VTK_STRING } vtk_number;

/* A type of numbers. */
typedef struct vtk_type {
    const char *name;
    vtk_number number;
    int32_t bytes;
} vtk_type;

extern const vtk_type mplan_vtk_int;

/* "path:line: ", or in binary files, which have no lines, "path: byte N: ". */
#define mplan_vtk_fail_here(reader, ...) \
    mplan_scan_fail_at(&(reader)->scan, (reader)->scan.at, (reader)->binary, __VA_ARGS__)
/* vtk_numbers.c */
char mplan_vtk_lower(char c);
/* The next word; false at the end of the file. */
bool mplan_vtk_take_word(vtk_reader *reader, vtk_word *word);
mplan_status mplan_vtk_need_word(vtk_reader *reader, const char *what, vtk_word *word,
                                 mplan_error *err);
bool mplan_vtk_is(const vtk_word *word, const char *text);
/* A whole number of a keyword's line, at least 0. */
mplan_status mplan_vtk_take_count(vtk_reader *reader, const char *what, int64_t *count,
                                  mplan_error *err);
mplan_status mplan_vtk_take_type(vtk_reader *reader, const vtk_type **type, mplan_error *err);
/* To where the n numbers of a keyword's line begin, which are as many as the file can hold. */
mplan_status mplan_vtk_begin_numbers(vtk_reader *reader, const vtk_type *type, int64_t n,
                                     const char *what, mplan_error *err);
double mplan_vtk_take_binary_real(vtk_reader *reader, const vtk_type *type);
mplan_status mplan_vtk_take_whole(vtk_reader *reader, const vtk_type *type, const char *what,
                                  int64_t *value, mplan_error *err);
mplan_status mplan_vtk_need_whole_type(const vtk_reader *reader, const vtk_type *type,
                                       const char *what, mplan_error *err);
mplan_status mplan_vtk_pause_at(const vtk_reader *reader, int64_t i, mplan_error *err);

/* Lines of text up to an empty one, and numbers that are skipped. */
void mplan_vtk_skip_metadata(vtk_reader *reader);
mplan_status mplan_vtk_skip_numbers(vtk_reader *reader, const vtk_type *type, int64_t n,
                                    mplan_error *err);

/* vtk_data.c: what follows POINT_DATA or CELL_DATA, the word that was read last, as far as it makes groups. */
mplan_status mplan_vtk_read_data(vtk_reader *reader, const vtk_word *first, mplan_error *err);

#endif
