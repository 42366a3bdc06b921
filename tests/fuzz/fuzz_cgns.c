/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cgns.c - the reader of CGNS files on whatever libcgns may say: refused, or a mesh from which all can be
 * derived
 *
 * The functions of libcgns that the reader calls are defined here and answer from the bytes: zones, sections,
 * boundary conditions and interfaces, the lengths and numbers of their arrays, and which call fails. As the
 * library does, they fill memory with whole arrays, however long they are. libcgns itself is not called, and
 * costs nothing; fuzz_cgns_files.c goes through it. */
#include <cgns_io.h>
#include <cgnslib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fuzz_bytes.h"
#include "fuzz_mesh.h"

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

/* --- the file, after the bytes --------------------------------------------------------- */

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

/* --- libcgns --------------------------------------------------------------------------- */

static int answer(void)
{
    return ++cgns.calls == cgns.fails_at ? CG_ERROR : CG_OK;
}

static const zone *zone_of(int z)
{
    if (z < 1 || z > cgns.n_zones)
        abort();
    return &cgns.zone[z - 1];
}

static const part *part_of(int kind, int z, int i)
{
    const zone *of = zone_of(z);
    if (i < 1 || i > of->n[kind])
        abort();
    return &of->part[kind][i - 1];
}

/* The whole array, as the library hands it out. */
static void copy_array(const part *of, const char *name, cgsize_t *out)
{
    const array *from = find_array(of, name);
    if (from && from->count > 0)
        memcpy(out, from->number, (size_t)from->count * sizeof *out);
}

int cg_error_handler(void (*handler)(int, char *))
{
    (void)handler;
    return CG_OK;
}

const char *cg_get_error(void)
{
    return "said by nobody";
}

int cg_open(const char *path, int mode, int *file)
{
    (void)path;
    (void)mode;
    *file = 1;
    int result = answer();
    cgns.n_open += result == CG_OK;
    return result;
}

int cg_close(int file)
{
    (void)file;
    cgns.n_open--;
    return CG_OK;
}

int cg_nbases(int file, int *n)
{
    (void)file;
    *n = cgns.n_bases;
    return answer();
}

int cg_base_read(int file, int base, char *name, int *cells, int *space)
{
    (void)file;
    (void)base;
    strcpy(name, "B");
    *cells = cgns.cells;
    *space = cgns.space;
    return answer();
}

int cg_nzones(int file, int base, int *n)
{
    (void)file;
    (void)base;
    *n = cgns.n_zones;
    return answer();
}

int cg_zone_read(int file, int base, int z, char *name, cgsize_t *size)
{
    const zone *of = zone_of(z);
    (void)file;
    (void)base;
    strcpy(name, of->name);
    memcpy(size, of->size, sizeof of->size);
    return answer();
}

int cg_zone_type(int file, int base, int z, CGNS_ENUMT(ZoneType_t) * type)
{
    (void)file;
    (void)base;
    *type = zone_of(z)->structured ? CGNS_ENUMV(Structured) : CGNS_ENUMV(Unstructured);
    return answer();
}

int cg_coord_read(int file, int base, int z, const char *name, CGNS_ENUMT(DataType_t) type,
                  const cgsize_t *first, const cgsize_t *last, void *out)
{
    const zone *of = zone_of(z);
    int64_t n = 1;
    (void)file;
    (void)base;
    (void)type;
    for (int d = 0; d < (of->structured ? cgns.cells : 1); d++) {
        if (first[d] != 1 || last[d] != of->size[d])
            abort();
        n *= last[d];
    }
    for (int64_t i = 0; i < n; i++)
        ((double *)out)[i] = (double)(i * 37 % (name[10] - 'X' + 5));
    return answer();
}

int cg_nsections(int file, int base, int z, int *n)
{
    (void)file;
    (void)base;
    *n = zone_of(z)->n[SECTION];
    return answer();
}

int cg_section_read(int file, int base, int z, int s, char *name, CGNS_ENUMT(ElementType_t) * type,
                    cgsize_t *start, cgsize_t *end, int *n_boundary, int *parents)
{
    const part *of = part_of(SECTION, z, s);
    (void)file;
    (void)base;
    strcpy(name, of->name);
    *type = (CGNS_ENUMT(ElementType_t))of->type;
    *start = of->start;
    *end = of->end;
    *n_boundary = 0;
    *parents = find_array(of, "ParentData") || find_array(of, "ParentElements");
    return answer();
}

const char *cg_ElementTypeName(CGNS_ENUMT(ElementType_t) type)
{
    (void)type;
    return "TYPE_9";
}

int cg_ElementDataSize(int file, int base, int z, int s, cgsize_t *size)
{
    const part *of = part_of(SECTION, z, s);
    (void)file;
    (void)base;
    const array *values = find_array(of, "ElementConnectivity");
    *size = is_ragged(of->type)
                ? (values ? (cgsize_t)values->count : 0)
                : (cgsize_t)(((int64_t)of->end - of->start + 1) * nodes_of(of->type));
    return answer();
}

static void copy_parents(const part *of, cgsize_t *out)
{
    const array *pairs = find_array(of, "ParentElements");
    if (!out)
        return;
    copy_array(of, "ParentData", out);
    copy_array(of, "ParentElements", out);
    if (pairs)
        copy_array(of, "ParentElementsPosition", out + pairs->count);
}

int cg_elements_read(int file, int base, int z, int s, cgsize_t *values, cgsize_t *parents)
{
    const part *of = part_of(SECTION, z, s);
    (void)file;
    (void)base;
    copy_array(of, "ElementConnectivity", values);
    copy_parents(of, parents);
    return answer();
}

/* Offsets that are not in the file the library counts itself. */
int cg_poly_elements_read(int file, int base, int z, int s, cgsize_t *values, cgsize_t *offsets,
                          cgsize_t *parents)
{
    const part *of = part_of(SECTION, z, s);
    const array *starts = &of->array[1];
    (void)file;
    (void)base;
    copy_array(of, "ElementConnectivity", values);
    copy_parents(of, parents);
    int64_t n = starts->name ? starts->count : (int64_t)of->end - of->start + 2;
    if (starts->number)
        memcpy(offsets, starts->number, (size_t)n * sizeof *offsets);
    return starts->number ? answer() : CG_ERROR;
}

int cg_nbocos(int file, int base, int z, int *n)
{
    (void)file;
    (void)base;
    *n = zone_of(z)->n[CONDITION];
    return answer();
}

int cg_boco_info(int file, int base, int z, int i, char *name, CGNS_ENUMT(BCType_t) * type,
                 CGNS_ENUMT(PointSetType_t) * points, cgsize_t *n, int *normal,
                 cgsize_t *normal_size, CGNS_ENUMT(DataType_t) * number, int *n_sets)
{
    const part *of = part_of(CONDITION, z, i);
    (void)file;
    (void)base;
    strcpy(name, of->name);
    *type = CGNS_ENUMV(BCWall);
    *points = (CGNS_ENUMT(PointSetType_t))of->points;
    *n = of->array[0].length[1];
    memset(normal, 0, 3 * sizeof *normal);
    *normal_size = 0;
    *number = CGNS_ENUMV(RealDouble);
    *n_sets = 0;
    return answer();
}

int cg_boco_gridlocation_read(int file, int base, int z, int i, CGNS_ENUMT(GridLocation_t) * location)
{
    (void)file;
    (void)base;
    *location = (CGNS_ENUMT(GridLocation_t))part_of(CONDITION, z, i)->location;
    return answer();
}

int cg_boco_read(int file, int base, int z, int i, cgsize_t *points, void *normals)
{
    const part *of = part_of(CONDITION, z, i);
    (void)file;
    (void)base;
    (void)normals;
    copy_array(of, of->array[0].name, points);
    return answer();
}

/* Zone, ZoneBC_t and the condition are all that the reader goes to. */
int cg_goto(int file, int base, ...)
{
    va_list path;
    (void)file;
    va_start(path, base);
    (void)va_arg(path, const char *);
    int z = va_arg(path, int);
    (void)va_arg(path, const char *);
    (void)va_arg(path, int);
    (void)va_arg(path, const char *);
    int i = va_arg(path, int);
    va_end(path);
    cgns.at = part_of(CONDITION, z, i);
    return answer();
}

int cg_famname_read(char *name)
{
    strcpy(name, cgns.at->family);
    return *name ? answer() : CG_NODE_NOT_FOUND;
}

int cg_n1to1(int file, int base, int z, int *n)
{
    (void)file;
    (void)base;
    *n = zone_of(z)->n[RANGES];
    return answer();
}

int cg_1to1_read(int file, int base, int z, int i, char *name, char *donor, cgsize_t *range,
                 cgsize_t *donor_range, int *transform)
{
    const part *of = part_of(RANGES, z, i);
    (void)file;
    (void)base;
    strcpy(name, of->name);
    strcpy(donor, of->donor);
    copy_array(of, "PointRange", range);
    copy_array(of, "PointRangeDonor", donor_range);
    memcpy(transform, of->transform, (size_t)cgns.cells * sizeof *transform);
    return answer();
}

int cg_1to1_periodic_read(int file, int base, int z, int i, float *center, float *angle,
                          float *translation)
{
    (void)file;
    (void)base;
    memset(center, 0, 3 * sizeof *center);
    memset(angle, 0, 3 * sizeof *angle);
    memset(translation, 0, 3 * sizeof *translation);
    return part_of(RANGES, z, i)->periodic ? answer() : CG_NODE_NOT_FOUND;
}

int cg_nconns(int file, int base, int z, int *n)
{
    (void)file;
    (void)base;
    *n = zone_of(z)->n[LISTS];
    return answer();
}

int cg_conn_info(int file, int base, int z, int i, char *name,
                 CGNS_ENUMT(GridLocation_t) * location, CGNS_ENUMT(GridConnectivityType_t) * kind,
                 CGNS_ENUMT(PointSetType_t) * points, cgsize_t *n, char *donor,
                 CGNS_ENUMT(ZoneType_t) * donor_type, CGNS_ENUMT(PointSetType_t) * donor_points,
                 CGNS_ENUMT(DataType_t) * number, cgsize_t *n_donor)
{
    const part *of = part_of(LISTS, z, i);
    (void)file;
    (void)base;
    strcpy(name, of->name);
    strcpy(donor, of->donor);
    *location = (CGNS_ENUMT(GridLocation_t))of->location;
    *kind = (CGNS_ENUMT(GridConnectivityType_t))of->kind;
    *points = (CGNS_ENUMT(PointSetType_t))of->points;
    *n = of->array[0].length[1];
    *donor_type = of->donor_structured ? CGNS_ENUMV(Structured) : CGNS_ENUMV(Unstructured);
    *donor_points = (CGNS_ENUMT(PointSetType_t))of->donor_points;
    *number = CGNS_ENUMV(Integer);
    *n_donor = of->array[1].length[1];
    return answer();
}

int cg_conn_read(int file, int base, int z, int i, cgsize_t *points, CGNS_ENUMT(DataType_t) number,
                 cgsize_t *donors)
{
    const part *of = part_of(LISTS, z, i);
    (void)file;
    (void)base;
    (void)number;
    copy_array(of, "PointList", points);
    copy_array(of, "PointListDonor", donors);
    return answer();
}

int cg_conn_periodic_read(int file, int base, int z, int i, float *center, float *angle,
                          float *translation)
{
    (void)file;
    (void)base;
    memset(center, 0, 3 * sizeof *center);
    memset(angle, 0, 3 * sizeof *angle);
    memset(translation, 0, 3 * sizeof *translation);
    return part_of(LISTS, z, i)->periodic ? answer() : CG_NODE_NOT_FOUND;
}

/* --- the tree of nodes ------------------------------------------------------------------ */

/* A node is a zone, or a part of one, or an array of a part, by its place: kind 0 is the zone itself. */
static double node_id(int z, int kind, int i, int a)
{
    return ((z * 8 + kind) * 16 + i) * 16 + a;
}

int cg_get_cgio(int file, int *tree)
{
    *tree = file;
    return answer();
}

int cg_zone_id(int file, int base, int z, double *id)
{
    (void)file;
    (void)base;
    zone_of(z);
    *id = node_id(z, 0, 0, 0);
    return answer();
}

int cg_boco_id(int file, int base, int z, int i, double *id)
{
    (void)file;
    (void)base;
    part_of(CONDITION, z, i);
    *id = node_id(z, 1 + CONDITION, i, 0);
    return answer();
}

int cg_1to1_id(int file, int base, int z, int i, double *id)
{
    (void)file;
    (void)base;
    part_of(RANGES, z, i);
    *id = node_id(z, 1 + RANGES, i, 0);
    return answer();
}

int cg_conn_id(int file, int base, int z, int i, double *id)
{
    (void)file;
    (void)base;
    part_of(LISTS, z, i);
    *id = node_id(z, 1 + LISTS, i, 0);
    return answer();
}

int cgio_get_node_id(int tree, double parent, const char *path, double *id)
{
    int place = (int)parent, z = place / 2048, kind = place / 256 % 8, i = place / 16 % 16;
    const char *slash = strchr(path, '/');
    (void)tree;
    for (int s = 1; kind == 0 && slash && s <= zone_of(z)->n[SECTION]; s++) {
        const part *of = part_of(SECTION, z, s);
        if (strlen(of->name) == (size_t)(slash - path) &&
            strncmp(of->name, path, strlen(of->name)) == 0)
            i = i ? i : s; /* names of a zone are there once; of two the first */
    }
    const array *found = i ? find_array(part_of(kind ? kind - 1 : SECTION, z, i),
                                        slash ? slash + 1 : path)
                           : NULL;
    if (!found)
        return CGIO_ERR_NOT_FOUND;
    *id = node_id(z, kind ? kind : 1 + SECTION, i,
                  (int)(found - part_of(kind ? kind - 1 : SECTION, z, i)->array));
    return CGIO_ERR_NONE; /* not found means that it is not there: the read would fail as well */
}

int cgio_get_dimensions(int tree, double id, int *rank, cgsize_t *length)
{
    int place = (int)id;
    const array *of = &part_of(place / 256 % 8 - 1, place / 2048, place / 16 % 16)->array[place % 16];
    (void)tree;
    *rank = of->rank;
    memcpy(length, of->length, sizeof of->length);
    return answer() == CG_OK ? CGIO_ERR_NONE : CGIO_ERR_NOT_FOUND;
}

/* --------------------------------------------------------------------------------------- */

/* The reader looks whether there is a file, and how long it is: one for all executions. */
static const uint8_t *the_file(const char **path)
{
    static uint8_t bytes[FILE_BYTES];
    static char name[32];
    if (!name[0]) {
        FILE *file = tmpfile();
        memcpy(bytes, "@(#)ADF Database Version", 24);
        if (!file || fwrite(bytes, 1, sizeof bytes, file) != sizeof bytes || fflush(file))
            abort();
        snprintf(name, sizeof name, "/dev/fd/%d", fileno(file));
    }
    *path = name;
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path;
    const uint8_t *file = the_file(&path);
    fuzz_bytes from = {data, data + size};
    take_file(&from);
    mplan_read_options options = MPLAN_READ_OPTIONS_INIT;
    options.zone = from.at < from.end && *from.at % 4 == 0 ? cgns.zone[0].name : NULL;
    mplan_mesh *mesh = fuzz_mesh_with(&mplan_format_cgns, path, file, FILE_BYTES, &options);
    if (mesh)
        fuzz_derive(mesh);
    mplan_mesh_free(mesh);
    if (cgns.n_open != 0)
        abort();
    return 0;
}
