/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cgns_files.c - CGNS files that libcgns writes after the bytes: refused, or a mesh from which all
 * can be derived
 *
 * The bytes say what zones, sections, boundary conditions and interfaces hold, so that our checks are what
 * is tried: what libcgns makes of damaged files is not ours. */
#include <cgnslib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_bytes.h"
#include "fuzz_mesh.h"

/* Numbers, now and then large or negative. */
static cgsize_t take_number(fuzz_bytes *from)
{
    int value = fuzz_take(from, 255);
    return value < 240 ? value % 24 : value < 250 ? -value : value * 8421504;
}

static int fill(fuzz_bytes *from, cgsize_t *list, int most)
{
    int n = fuzz_take(from, most);
    for (int i = 0; i < n; i++)
        list[i] = take_number(from);
    return n;
}

static void write_section(fuzz_bytes *from, int file, int zone, int s)
{
    static const int types[] = {2, 3, 5, 7, 10, 12, 14, 17, 18, 19, 20, 22, 23, 25};
    cgsize_t list[256], offsets[40], parents[160];
    char name[16];
    int made, npe = 0, type = types[fuzz_take(from, 13)], n = 1 + fuzz_take(from, 7);
    snprintf(name, sizeof name, "s%d", s);
    cgsize_t start = 1 + fuzz_take(from, 30);
    for (int i = 0; i < 256; i++)
        list[i] = take_number(from);
    cg_npe((CGNS_ENUMT(ElementType_t))type, &npe);
    if (type == CGNS_ENUMV(MIXED) || type == CGNS_ENUMV(NGON_n) || type == CGNS_ENUMV(NFACE_n)) {
        offsets[0] = 0;
        for (int e = 0; e < n; e++) {
            if (type == CGNS_ENUMV(MIXED))
                list[offsets[e]] = types[fuzz_take(from, 9)];
            npe = 4;
            if (type == CGNS_ENUMV(MIXED))
                cg_npe((CGNS_ENUMT(ElementType_t))list[offsets[e]], &npe);
            offsets[e + 1] = offsets[e] +
                             (type == CGNS_ENUMV(MIXED) ? 1 + npe : 3 + fuzz_take(from, 3));
        }
        cg_poly_section_write(file, 1, zone, name, (CGNS_ENUMT(ElementType_t))type, start,
                              start + n - 1, 0, list, offsets, &made);
    } else {
        cg_section_write(file, 1, zone, name, (CGNS_ENUMT(ElementType_t))type, start, start + n - 1,
                         0, list, &made);
    }
    if (fuzz_take(from, 1)) {
        for (int i = 0; i < 4 * n; i++)
            parents[i] = take_number(from);
        cg_parent_data_write(file, 1, zone, made, parents);
    }
}

static void write_joints(fuzz_bytes *from, int file, int zone, int dimension)
{
    cgsize_t own[32], theirs[32];
    int made, transform[3];
    const char *donor = fuzz_take(from, 1) ? "z1" : "z2";
    int n = fill(from, own, 30);
    for (int i = 0; i < 32; i++)
        theirs[i] = take_number(from);
    if (fuzz_take(from, 1)) {
        cg_conn_write(file, 1, zone, "c", CGNS_ENUMV(Vertex), CGNS_ENUMV(Abutting1to1),
                      CGNS_ENUMV(PointList), n / 3, own, donor,
                      fuzz_take(from, 1) ? CGNS_ENUMV(Structured) : CGNS_ENUMV(Unstructured),
                      CGNS_ENUMV(PointListDonor), CGNS_ENUMV(Integer), n / 3, theirs, &made);
        return;
    }
    for (int d = 0; d < dimension; d++)
        transform[d] = fuzz_take(from, 8) - 4;
    cg_1to1_write(file, 1, zone, "g", donor, own, theirs, transform, &made);
}

static void write_zone(fuzz_bytes *from, int file, int z, int dimension)
{
    char name[16];
    int zone, made;
    cgsize_t size[9] = {0}, list[32];
    double xyz[256] = {0};
    bool structured = fuzz_take(from, 3) == 0;
    snprintf(name, sizeof name, "z%d", z);
    for (int d = 0; d < dimension; d++) {
        size[d] = 1 + fuzz_take(from, structured ? 4 : 20);
        size[dimension + d] = size[d] - 1;
    }
    if (!structured)
        size[1] = fuzz_take(from, 9), size[2] = 0;
    if (cg_zone_write(file, 1, name, size,
                      structured ? CGNS_ENUMV(Structured) : CGNS_ENUMV(Unstructured), &zone))
        return;
    for (int i = 0; i < 256; i++)
        xyz[i] = i * 37 % 11;
    cg_coord_write(file, 1, zone, CGNS_ENUMV(RealDouble), "CoordinateX", xyz, &made);
    cg_coord_write(file, 1, zone, CGNS_ENUMV(RealDouble), "CoordinateY", xyz + 5, &made);
    cg_coord_write(file, 1, zone, CGNS_ENUMV(RealDouble), "CoordinateZ", xyz + 9, &made);
    int n = structured ? 0 : 1 + fuzz_take(from, 3);
    for (int s = 0; s < n; s++)
        write_section(from, file, zone, s);
    n = fuzz_take(from, 2);
    for (int b = 0; b < n; b++) {
        snprintf(name, sizeof name, "b%d", b);
        int k = fill(from, list, 30);
        bool range = fuzz_take(from, 1);
        int width = structured ? dimension : 1;
        cg_boco_write(file, 1, zone, name, CGNS_ENUMV(BCWall),
                      range ? CGNS_ENUMV(PointRange) : CGNS_ENUMV(PointList), range ? 2 : k / width,
                      list, &made);
        cg_boco_gridlocation_write(file, 1, zone, made,
                                   (CGNS_ENUMT(GridLocation_t))(2 + fuzz_take(from, 5)));
    }
    if (fuzz_take(from, 1))
        write_joints(from, file, zone, dimension);
}

static void stay_silent(int is_error, char *text)
{
    (void)is_error;
    (void)text;
}

static bool write_file(const char *path, const uint8_t *data, size_t size)
{
    fuzz_bytes from = {data, data + size};
    int file, base, dimension = 1 + fuzz_take(&from, 2);
    cg_error_handler(stay_silent);
    cg_set_file_type(CG_FILE_ADF);
    if (cg_open(path, CG_MODE_WRITE, &file))
        return false;
    cg_base_write(file, "B", dimension, 3, &base);
    int n = 1 + fuzz_take(&from, 1);
    for (int z = 1; z <= n; z++)
        write_zone(&from, file, z, dimension);
    return cg_close(file) == CG_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    mplan_mesh *mesh = NULL;
    mplan_error err;
    snprintf(path, sizeof path, "%s/mplan-fuzz-cgns-%ld",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
    if (size == 0 || data[0] == 0x89 || memchr(data, '@', size < 64 ? size : 64)) /* a file */
        return 0;
    if (write_file(path, data, size) && mplan_mesh_read(path, NULL, NULL, &mesh, &err) == MPLAN_OK)
        fuzz_derive(mesh);
    mplan_mesh_free(mesh);
    unlink(path);
    return 0;
}
