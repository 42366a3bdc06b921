/* SPDX-License-Identifier: Apache-2.0 */
/* json_flat.h - reads JSON as a list of paths and values: "loops.0.name", "faces" */
#ifndef MPLAN_CLI_JSON_FLAT_H
#define MPLAN_CLI_JSON_FLAT_H

#include "meshplan.h"

/* A text, number or word (true, false, null). */
typedef struct cli_flat_value {
    const char *path;
    const char *value; /* of a text, without quotes and escapes */
    bool text;
} cli_flat_value;

/* item: n values in the order of the text. Paths and values point into room, which is made once and never moves. */
typedef struct cli_flat {
    cli_flat_value *item;
    int32_t n, capacity;
    char *room; /* that paths and values lie in */
} cli_flat;

/* Reads one value that fills the text. false: that is not JSON, or memory is out; *flat needs no release then. */
bool cli_flat_read(const char *text, size_t size, cli_flat *flat);
/* The value of a path; NULL: there is none. */
const cli_flat_value *cli_flat_find(const cli_flat *flat, const char *path);
/* Its text or number as text; NULL where there is none, and for null. */
const char *cli_flat_text(const cli_flat *flat, const char *path);
/* Its number; `otherwise` where there is none. */
double cli_flat_number(const cli_flat *flat, const char *path, double otherwise);
/* The same without its fraction, of what is less than 2^53 away from 0; `otherwise` for what is further. */
int64_t cli_flat_whole(const cli_flat *flat, const char *path, int64_t otherwise);
void cli_flat_free(cli_flat *flat);

#endif
