/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cgns.c - the reader of CGNS files on whatever libcgns may say: refused, or a mesh from which all can be
 * derived
 *
 * The functions of libcgns that the reader calls are defined here and answer from the bytes: zones, sections,
 * boundary conditions and interfaces, the lengths and numbers of their arrays (fuzz_cgns_bytes.h), and which call fails. As the
 * library does, they fill memory with whole arrays, however long they are. libcgns itself is not called, and
 * costs nothing; fuzz_cgns_files.c goes through it. */
#include <cgns_io.h>
#include <cgnslib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fuzz_mesh.h"

#include "fuzz_cgns_bytes.h" /* its names are short: behind all others */

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
