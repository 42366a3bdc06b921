/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cgns_bytes.h - what a CGNS file has, after the bytes of a fuzzer: for fuzz_cgns.c, which answers from it */
#ifndef MPLAN_FUZZ_CGNS_BYTES_H
#define MPLAN_FUZZ_CGNS_BYTES_H

#include <cgnslib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fuzz_bytes.h"

enum {
    MOST_ZONES = 3,
    MOST_PARTS = 4,
    MOST_ARRAYS = 8,
    NAME = 33,
    POOL = 1 << 14,
    FILE_BYTES = 2048
};

/* Numbers of the file; an array that is not there has no rank. */
typedef struct array {
    const char *name;
    int rank;
    cgsize_t length[2];
    int64_t count;
    const cgsize_t *number;
} array;

/* A section, boundary condition or interface, with what is below it. */
typedef struct part {
    char name[NAME];
    const char *donor;
    int type, points, location, donor_points, kind, transform[3];
    bool periodic, donor_structured;
    cgsize_t start, end;
    const char *family;
    array array[MOST_ARRAYS];
} part;

enum { SECTION, CONDITION, RANGES, LISTS, N_KINDS };

typedef struct zone {
    char name[NAME];
    bool structured;
    cgsize_t size[9];
    int n[N_KINDS];
    part part[N_KINDS][MOST_PARTS];
} zone;

/* What the functions answer from: the one file of an execution. */
static struct {
    int n_bases, cells, space, n_zones, calls, fails_at, n_open;
    zone zone[MOST_ZONES];
    cgsize_t pool[POOL];
    int64_t used;
    const part *at; /* cg_goto led there */
} cgns;

/* An array of rows of `width`, of another shape now and then. */
static void take_array(fuzz_bytes *from, const char *name, cgsize_t width, cgsize_t rows, array *made)
{
    int odd = fuzz_take(from, 31);
    if (odd == 31)
        return;
    made->name = name;
    made->rank = width > 0 ? 2 : 1;
    made->length[0] = odd == 30 ? (cgsize_t)fuzz_take(from, 255) : width > 0 ? width : rows;
    made->length[1] = odd == 29 ? (cgsize_t)fuzz_take(from, 255) : rows;
    made->count = (int64_t)made->length[0] * (made->rank > 1 ? made->length[1] : 1);
    if (made->count < 0 || made->count > POOL - cgns.used)
        made->count = made->length[0] = made->length[1] = 0;
    cgsize_t *number = cgns.pool + cgns.used;
    for (int64_t i = 0; i < made->count; i++)
        number[i] = (cgsize_t)fuzz_take_number(from);
    made->number = number;
    cgns.used += made->count;
}

static const array *find_array(const part *of, const char *name)
{
    for (int a = 0; a < MOST_ARRAYS; a++)
        if (of->array[a].name && strcmp(of->array[a].name, name) == 0)
            return &of->array[a];
    return NULL;
}

static bool is_ragged(int type)
{
    return type == CGNS_ENUMV(MIXED) || type == CGNS_ENUMV(NGON_n) || type == CGNS_ENUMV(NFACE_n);
}

/* Nodes of the types that are taken below. */
static int nodes_of(int type)
{
    static const uint8_t nodes[] = {
        [2] = 1, [3] = 2, [5] = 3, [7] = 4, [10] = 4, [12] = 5, [14] = 6, [17] = 8, [19] = 27};
    return type >= 0 && type < (int)sizeof nodes ? nodes[type] : 0;
}

/* Elements one after the other, each in its length mostly; those of MIXED with their types. */
static void take_ragged(fuzz_bytes *from, part *made, cgsize_t n)
{
    static const uint8_t types[] = {5, 7, 10, 12, 14, 17, 3, 19};
    cgsize_t offsets[40] = {0};
    array *values = &made->array[0], *starts = &made->array[1];
    cgsize_t *number = cgns.pool + cgns.used;
    if (n > 39 || n < 0 || POOL - cgns.used < 2048)
        return;
    for (cgsize_t e = 0; e < n; e++) {
        int odd = fuzz_take(from, 63), type = types[odd & 7];
        bool mixed = made->type == CGNS_ENUMV(MIXED);
        int length = mixed                              ? nodes_of(type)
                     : made->type == CGNS_ENUMV(NGON_n) ? 3 + (odd & 3)
                                                        : 4 + (odd & 3);
        offsets[e + 1] = offsets[e];
        if (mixed)
            number[offsets[e + 1]++] = odd == 63 ? fuzz_take(from, 60) : type;
        for (int k = 0; k < length; k++)
            number[offsets[e + 1]++] = (cgsize_t)fuzz_take_number(from);
        if (odd == 62)
            offsets[e + 1] += fuzz_take(from, 8) - 4;
        if (offsets[e + 1] < 0)
            offsets[e + 1] = 0;
    }
    cgsize_t length = offsets[n] + (fuzz_take(from, 15) == 15 ? 1 : 0);
    *values = (array){"ElementConnectivity", 1, {length, 1}, length, number};
    cgns.used += length;
    number = cgns.pool + cgns.used;
    memcpy(number, offsets, ((size_t)n + 1) * sizeof *number);
    int odd = fuzz_take(from, 15);
    *starts = (array){odd & 1 ? "ElementStartOffset" : NULL, 1, {n + 1, 1}, n + 1, number};
    if (odd == 15)
        starts->length[0] = starts->count = n + 1 + fuzz_take(from, 40);
    cgns.used += n + 64;
}

static void take_section(fuzz_bytes *from, cgsize_t *next, part *made)
{
    static const uint8_t types[] = {5, 7, 10, 12, 14, 17, 20, 22, 23, 22, 23, 3, 2, 19, 18, 40};
    int what = fuzz_take(from, 255);
    made->type = types[what & 15];
    made->start = what < 224 ? *next : (cgsize_t)fuzz_take_number(from);
    made->end = what >= 248 ? (cgsize_t)fuzz_take_number(from)
                            : (cgsize_t)((int64_t)made->start + fuzz_take(from, 11));
    int64_t n_elements = (int64_t)made->end - made->start + 1;
    cgsize_t n = n_elements < 0 || n_elements > POOL ? 0 : (cgsize_t)n_elements;
    *next = made->end < POOL ? made->end + 1 : 1;
    if (is_ragged(made->type))
        take_ragged(from, made, n);
    else
        take_array(from, "ElementConnectivity", 0, n * nodes_of(made->type), &made->array[0]);
    int parents = fuzz_take(from, 7);
    if (parents == 7)
        take_array(from, "ParentData", n, 4, &made->array[2]);
    if (parents == 5 || parents == 6)
        take_array(from, "ParentElements", n, 2, &made->array[3]);
    if (parents == 6)
        take_array(from, "ParentElementsPosition", n, 2, &made->array[4]);
}

static void take_condition(fuzz_bytes *from, const zone *of, part *made)
{
    static const struct {
        const char *name;
        int points;
    } sets[] = {{"PointList", CGNS_ENUMV(PointList)},
                {"PointRange", CGNS_ENUMV(PointRange)},
                {"ElementList", CGNS_ENUMV(ElementList)},
                {"ElementRange", CGNS_ENUMV(ElementRange)}};
    static const char *const families[] = {"", "wall", "far", "b0", "z0"};
    int what = fuzz_take(from, 255), width = of->structured ? cgns.cells : 1;
    made->points = sets[what & 3].points;
    made->location = what & 4 ? CGNS_ENUMV(Vertex) : 2 + (what >> 3) % 7;
    made->family = families[fuzz_take(from, 4)];
    take_array(from, sets[what & 3].name, width,
               what & 1 && what < 240 ? 2 : 1 + fuzz_take(from, 9), &made->array[0]);
    if (!made->array[0].name) /* the library knows no condition without points */
        made->array[0] = (array){sets[what & 3].name, 2, {width, 0}, 0, cgns.pool};
}

static void take_joint(fuzz_bytes *from, const zone *of, bool lists, part *made)
{
    static const char *const donors[] = {"z0", "z1", "z2", "B/z1", "none"};
    int what = fuzz_take(from, 255);
    cgsize_t n = lists ? 1 + fuzz_take(from, 7) : 2;
    made->donor = donors[fuzz_take(from, 4)];
    made->periodic = what >= 240;
    made->donor_structured = what & 1;
    made->points = what % 16 == 15 ? CGNS_ENUMV(PointRange) : CGNS_ENUMV(PointList);
    made->donor_points = what % 16 == 14 ? CGNS_ENUMV(CellListDonor) : CGNS_ENUMV(PointListDonor);
    made->location = what % 16 == 13 ? CGNS_ENUMV(CellCenter) : CGNS_ENUMV(Vertex);
    made->kind = what % 16 == 12 ? CGNS_ENUMV(Abutting) : CGNS_ENUMV(Abutting1to1);
    for (int d = 0; d < 3; d++)
        made->transform[d] = fuzz_take(from, 1) ? d + 1 : (int)fuzz_take_number(from);
    take_array(from, lists ? "PointList" : "PointRange", of->structured ? cgns.cells : 1, n,
               &made->array[0]);
    take_array(from, lists ? "PointListDonor" : "PointRangeDonor",
               made->donor_structured ? cgns.cells : 1, what % 16 == 11 ? n + 1 : n, &made->array[1]);
    for (int a = 0; a < 2; a++) /* whose lengths the library tells, and which it looks for */
        if (!made->array[a].name)
            made->array[a] = (array){lists ? a ? "PointListDonor" : "PointList"
                                     : a   ? "PointRangeDonor"
                                           : "PointRange",
                                     2,
                                     {1, 0},
                                     0,
                                     cgns.pool};
}

static void take_zone(fuzz_bytes *from, int z, zone *made)
{
    static const uint8_t most[N_KINDS] = {MOST_PARTS, 3, 2, 2};
    cgsize_t next = 1;
    int what = fuzz_take(from, 15);
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "z%d", z);
    made->structured = what < 5;
    for (int d = 0; d < (made->structured ? cgns.cells : 2); d++)
        made->size[d] = what == 15 || what == 4 ? (cgsize_t)fuzz_take_number(from)
                                                : 1 + fuzz_take(from, made->structured ? 4 : 30);
    for (int k = 0; k < N_KINDS; k++) {
        made->n[k] = k == SECTION && made->structured ? 0 : fuzz_take(from, most[k]);
        for (int i = 0; i < made->n[k]; i++) {
            part *one = &made->part[k][i];
            snprintf(one->name, sizeof one->name, "%c%d", "sbrl"[k],
                     fuzz_take(from, 15) < 15 ? i : 0);
            if (k == SECTION)
                take_section(from, &next, one);
            else if (k == CONDITION)
                take_condition(from, made, one);
            else
                take_joint(from, made, k == LISTS, one);
        }
    }
}

static void take_file(fuzz_bytes *from)
{
    int what = fuzz_take(from, 255);
    cgns.n_bases = what < 250 ? 1 : what - 250;
    cgns.cells = 1 + fuzz_take(from, 2);
    cgns.space = what < 240 ? 3 : fuzz_take(from, 4);
    cgns.fails_at = what & 1 ? fuzz_take(from, 255) : 0;
    cgns.n_zones = what % 32 == 31 ? 0 : 1 + fuzz_take(from, MOST_ZONES - 1);
    cgns.calls = cgns.n_open = 0;
    cgns.used = 0;
    cgns.at = NULL;
    for (int z = 0; z < cgns.n_zones; z++)
        take_zone(from, z, &cgns.zone[z]);
}

#endif
