/* SPDX-License-Identifier: Apache-2.0 */
/* cgns.c - reads CGNS files of unstructured and structured zones, in ADF and HDF5, by libcgns
 *
 * After "CGNS Standard Interface Data Structures" and the mid-level library. All zones of a base become
 * one mesh, or the one that the option zone names; nodes are one where zones are joined one to one. The
 * library opens files by name. */
#include "formats/bytes_hold.h"
#include "formats/contained_formats.h"
#include "formats/cgns/cgns.h"
#include "formats/cgns/cgns_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/library_lock.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_CGNS
#include <cgns_io.h>

/* Deflate makes a byte of 1032 at best; other programs may have compressed an HDF5 file. */
enum { MOST_DEFLATED = 1032 };

/* --- base and zones -------------------------------------------------------------------------- */

/* The first base; of several the others are named. */
static mplan_status choose_base(mplan_cgns *file, mplan_error *err)
{
    char name[MPLAN_CGNS_NAME];
    int n;
    if (cg_nbases(file->file, &n) != CG_OK)
        return mplan_cgns_fail_library(file, NULL, err);
    if (n < 1)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: the file has no base", file->input->path);
    if (n > 1)
        mplan_warn(file->context, "%s: the file has %d bases; only the first is read",
                   file->input->path, n);
    file->base = 1;
    if (cg_base_read(file->file, 1, name, &file->cell_dimension, &file->space_dimension) != CG_OK)
        return mplan_cgns_fail_library(file, NULL, err);
    bool sound = file->cell_dimension >= 1 && file->cell_dimension <= 3 &&
                 file->space_dimension >= file->cell_dimension && file->space_dimension <= 3;
    return sound ? MPLAN_OK
                 : mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s: base %s has cells of dimension %d in a space of %d",
                              file->input->path, name, file->cell_dimension, file->space_dimension);
}

/* zone->size: nodes per direction, 1 where there is no direction; n_nodes and
 * n_cells are products, refused where they overflow.
 * size: as the file has it, nodes for each direction, then cells; of unstructured zones nodes and cells. */
static mplan_status size_zone(const mplan_cgns *file, mplan_cgns_zone *zone, const cgsize_t size[9],
                              mplan_error *err)
{
    int directions = zone->structured ? file->cell_dimension : 1;
    zone->n_nodes = 1;
    zone->n_cells = zone->structured ? 1 : size[1];
    for (int d = 0; d < 3; d++)
        zone->size[d] = 1;
    bool sound = zone->n_cells >= 0;
    for (int d = 0; d < directions && sound; d++) {
        zone->size[d] = size[d];
        sound = size[d] >= 0 && (zone->n_nodes == 0 || size[d] <= file->most_bytes / zone->n_nodes);
        if (sound)
            zone->n_nodes *= size[d];
        if (sound && zone->structured)
            zone->n_cells *= size[d] > 0 ? size[d] - 1 : 0;
    }
    return sound ? MPLAN_OK
                 : mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: zone %s is larger than the file can hold",
                              file->input->path, zone->name);
}

/* What the header of a section says, no element of it. first_cell is -1 until
 * the cells are numbered.
 * section: from header and sizes of arrays, all bounded by file->most_bytes before they are used. */
static mplan_status describe_section(const mplan_cgns *file, const mplan_cgns_zone *zone, int32_t s,
                                     mplan_error *err)
{
    mplan_cgns_section *section = &zone->sections[s];
    cgsize_t start, end, size;
    int n_boundary, parents;
    section->index = s + 1;
    section->first_cell = -1;
    if (cg_section_read(file->file, file->base, zone->index, s + 1, section->name, &section->type,
                        &start, &end, &n_boundary, &parents) != CG_OK ||
        cg_ElementDataSize(file->file, file->base, zone->index, s + 1, &size) != CG_OK)
        return mplan_cgns_fail_library(file, zone, err);
    section->start = start;
    section->end = end;
    section->size = size;
    section->parents = parents != 0;
    int64_t most = file->most_bytes / (int64_t)sizeof(int32_t);
    if (start < 1 || end < start - 1 || (int64_t)end - start >= most || size < 0 || size > most)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: zone %s: section %s has elements %lld to %lld", file->input->path,
                          zone->name, section->name, (long long)start, (long long)end);
    mplan_cell_type type = mplan_cgns_cell_type(section->type);
    section->dimension = type == MPLAN_N_CELL_TYPES ? -1 : mplan_cell_type_dimension(type);
    if (section->type == CGNS_ENUMV(NGON_n))
        section->dimension = 2;
    if (section->type == CGNS_ENUMV(NFACE_n))
        section->dimension = 3;
    if (section->dimension >= 0 || section->type == CGNS_ENUMV(MIXED))
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "%s: zone %s: section %s is of the type %s, which is not supported",
                      file->input->path, zone->name, section->name,
                      cg_ElementTypeName(section->type));
}

/* Of an array of pointers to names. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sizes of arrays are asked by the section's name (cgns_cells.c), so one name has to be one section. */
static mplan_status check_names(const mplan_cgns *file, const mplan_cgns_zone *zone, mplan_error *err)
{
    const char **name = mplan_alloc(zone->n_sections, sizeof *name, err);
    mplan_status status = name ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < zone->n_sections && name; s++)
        name[s] = zone->sections[s].name;
    if (name)
        qsort(name, (size_t)zone->n_sections, sizeof *name, compare_names);
    for (int32_t s = 1; s < zone->n_sections && !status; s++)
        if (strcmp(name[s - 1], name[s]) == 0)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: zone %s: two sections are named %s",
                                file->input->path, zone->name, name[s]);
    free(name);
    return status;
}

/* Name, sizes and sections of zone number `index` of the base, from 1, which becomes z, from 0.
 * file->base is known. zone->sections: n_sections entries, none for structured zones. */
static mplan_status describe_zone(mplan_cgns *file, int32_t z, int32_t index, mplan_error *err)
{
    mplan_cgns_zone *zone = &file->zones[z];
    cgsize_t size[9] = {0};
    CGNS_ENUMT(ZoneType_t) type;
    zone->index = index;
    if (cg_zone_read(file->file, file->base, index, zone->name, size) != CG_OK ||
        cg_zone_type(file->file, file->base, index, &type) != CG_OK)
        return mplan_cgns_fail_library(file, NULL, err);
    zone->structured = type == CGNS_ENUMV(Structured);
    mplan_status status = size_zone(file, zone, size, err);
    if (status || zone->structured)
        return status;
    if (cg_nsections(file->file, file->base, index, &zone->n_sections) != CG_OK)
        return mplan_cgns_fail_library(file, zone, err);
    zone->sections = mplan_alloc_zero(zone->n_sections, sizeof *zone->sections, err);
    if (!zone->sections)
        return MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < zone->n_sections && !status; s++)
        status = describe_section(file, zone, s, err);
    return !status ? check_names(file, zone, err) : status;
}

/* The number, from 1, of the zone of that name; 0: all are read. One of several becomes the only one.
 * Only one zone is then in file->zones, whose index stays that of the file. */
static mplan_status choose_zone(mplan_cgns *file, const char *name, int32_t *chosen, mplan_error *err)
{
    char list[256] = "";
    size_t used = 0;
    *chosen = 0;
    if (!name || strcmp(name, "all") == 0)
        return MPLAN_OK;
    for (int32_t index = 1; index <= file->n_zones; index++) {
        char found[MPLAN_CGNS_NAME];
        cgsize_t size[9];
        if (cg_zone_read(file->file, file->base, index, found, size) != CG_OK)
            return mplan_cgns_fail_library(file, NULL, err);
        if (strcmp(found, name) == 0) {
            file->one_zone = file->n_zones > 1;
            file->n_zones = 1;
            *chosen = index;
            return MPLAN_OK;
        }
        if (used + sizeof found + 8 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     found);
        else if (index == file->n_zones)
            snprintf(list + used, sizeof list - used, ", ...");
    }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no zone '%.64s' among %s",
                      file->input->path, name, list);
}

/* Zones are numbered through: nodes of a zone follow those of the one before, in
 * file->coordinates. */
static mplan_status describe_zones(mplan_cgns *file, const char *name, mplan_error *err)
{
    int32_t chosen;
    if (cg_nzones(file->file, file->base, &file->n_zones) != CG_OK)
        return mplan_cgns_fail_library(file, NULL, err);
    mplan_status status = choose_zone(file, name, &chosen, err);
    if (status)
        return status;
    file->zones = mplan_alloc_zero(file->n_zones, sizeof *file->zones, err);
    if (!file->zones)
        return MPLAN_ERR_MEMORY;
    for (int32_t z = 0; z < file->n_zones && !status; z++) {
        status = describe_zone(file, z, chosen ? chosen : z + 1, err);
        file->zones[z].first_node = file->n_raw;
        file->n_raw += file->zones[z].n_nodes;
        if (!status)
            status = mplan_interrupted(file->context, err);
    }
    if (!status && file->n_raw >= INT32_MAX && !file->layout)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: %lld nodes exceed 32 bits",
                            file->input->path, (long long)file->n_raw);
    return status;
}

/* --- coordinates ------------------------------------------------------------------------------- */

/* scratch: one double per node of the zone. d: axis; 2-D files have two.
 * file->coordinates gets entry d of each of the zone's nodes, from first_node on. */
static mplan_status read_axis(const mplan_cgns *file, const mplan_cgns_zone *zone, int d,
                              double *scratch, mplan_error *err)
{
    static const char *const names[] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
    cgsize_t first[3] = {1, 1, 1}, last[3];
    for (int i = 0; i < 3; i++)
        last[i] = (cgsize_t)zone->size[i];
    if (zone->n_nodes == 0)
        return MPLAN_OK;
    if (cg_coord_read(file->file, file->base, zone->index, names[d], CGNS_ENUMV(RealDouble), first,
                      last, scratch) != CG_OK)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: zone %s: %s: %s", file->input->path,
                          zone->name, names[d], cg_get_error());
    double *out = file->coordinates + file->space_dimension * zone->first_node + d;
    for (int64_t v = 0; v < zone->n_nodes; v++)
        out[v * file->space_dimension] = scratch[v];
    return MPLAN_OK;
}

/* All nodes of all zones, before interfaces join some of them. The size of the
 * file bounds their number.
 * file->coordinates: space_dimension numbers for each of n_raw nodes. */
static mplan_status read_coordinates(mplan_cgns *file, mplan_error *err)
{
    int64_t most = 0;
    mplan_status status = MPLAN_OK;
    for (int32_t z = 0; z < file->n_zones; z++)
        most = file->zones[z].n_nodes > most ? file->zones[z].n_nodes : most;
    if (file->n_raw > file->most_bytes / (int64_t)sizeof(float))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: the zones have %lld nodes, more than the file can hold",
                          file->input->path, (long long)file->n_raw);
    double *scratch = mplan_alloc(most, sizeof *scratch, err);
    file->coordinates = mplan_alloc(file->n_raw,
                                    (size_t)file->space_dimension * sizeof *file->coordinates, err);
    if (!scratch || !file->coordinates)
        status = MPLAN_ERR_MEMORY;
    for (int32_t z = 0; z < file->n_zones && !status; z++)
        for (int d = 0; d < file->space_dimension && !status; d++) {
            status = read_axis(file, &file->zones[z], d, scratch, err);
            if (!status)
                status = mplan_interrupted(file->context, err);
        }
    free(scratch);
    return status;
}

/* Hands the coordinates over to the mesh; a line in one dimension gets a second.
 * n_nodes nodes, after zones are joined; file->coordinates is NULL afterwards, except in one dimension. */
static mplan_status add_nodes(mplan_cgns *file, mplan_error *err)
{
    int32_t set;
    mplan_status status = mplan_mesh_add_set(file->mesh, "nodes", file->n_nodes, &set, err);
    if (status)
        return status;
    double *kept = file->coordinates;
    int32_t dimension = file->space_dimension;
    if (dimension == 1) {
        kept = mplan_alloc_zero(file->n_nodes, 2 * sizeof *kept, err);
        if (!kept)
            return MPLAN_ERR_MEMORY;
        for (int64_t v = 0; v < file->n_nodes; v++)
            kept[2 * v] = file->coordinates[v];
        dimension = 2;
    } else {
        file->coordinates = NULL;
    }
    status = mplan_mesh_take_coordinates(file->mesh, set, dimension, kept, err);
    return status == MPLAN_ERR_MESH ? mplan_fail_prefix(err, status, file->input->path) : status;
}

/* --- the file ------------------------------------------------------------------------------------ */

/* Nodes are joined before cells are read, since cells name the joined nodes. zone: a name, or NULL. */
static mplan_status read_mesh(mplan_cgns *file, const char *zone, mplan_error *err)
{
    mplan_status status = choose_base(file, err);
    if (!status)
        status = describe_zones(file, zone, err);
    if (!status && file->layout)
        return mplan_cgns_place(file, err);
    if (!status)
        status = read_coordinates(file, err);
    if (!status)
        status = mplan_cgns_join(file, err);
    if (!status)
        status = add_nodes(file, err);
    for (int32_t z = 0; !status && z < file->n_zones && file->cell_dimension == 3; z++)
        for (int32_t s = 0; s < file->zones[z].n_sections; s++)
            file->polyhedra = file->polyhedra ||
                              file->zones[z].sections[s].type == CGNS_ENUMV(NFACE_n);
    if (!status)
        status = file->polyhedra ? mplan_cgns_read_polyhedra(file, err)
                                 : mplan_cgns_read_cells(file, err);
    return !status ? mplan_cgns_read_groups(file, err) : status;
}

/* Also after a failure: what was not made is NULL. */
static void release(mplan_cgns *file)
{
    for (int32_t z = 0; file->zones && z < file->n_zones; z++) {
        for (int32_t s = 0; file->zones[z].sections && s < file->zones[z].n_sections; s++)
            mplan_cgns_unload(&file->zones[z].sections[s]);
        free(file->zones[z].sections);
    }
    free(file->zones);
    free(file->coordinates);
    free(file->node);
    free(file->face_place);
}

/* The library prints errors unless told what else to do with them. */
static void stay_silent(int is_error, char *text)
{
    (void)is_error;
    (void)text;
}

/* libcgns reads the whole file by name. Its lock and its error handler are
 * global, which is why a program of libexec runs this. */
static mplan_status read_or_place(const mplan_input *input, const mplan_read_options *options,
                                  const mplan_context *context, mplan_mesh *mesh,
                                  mplan_places *layout, mplan_error *err)
{
    mplan_cgns file = {.input = input, .context = context, .mesh = mesh, .layout = layout};
    mplan_status status;
    file.most_bytes = input->size > (size_t)INT64_MAX / MOST_DEFLATED
                          ? INT64_MAX
                          : (int64_t)input->size * (input->data[0] == 0x89 ? MOST_DEFLATED : 1);
    mplan_library_lock();
    cg_error_handler(stay_silent);
    if (cg_open(input->path, CG_MODE_READ, &file.file) == CG_OK) {
        status = read_mesh(&file, options ? options->zone : NULL, err);
        release(&file);
        cg_close(file.file);
    } else {
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: the CGNS file cannot be opened: %s",
                            input->path, cg_get_error());
    }
    cg_error_handler(NULL);
    mplan_library_unlock();
    return status;
}

static mplan_status read_cgns(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    return read_or_place(input, options, context, mesh, NULL, err);
}

static mplan_status place_cgns(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_places *layout, mplan_error *err)
{
    const bool zone = options && options->zone && strcmp(options->zone, "all") != 0;
    layout->flags |= zone ? (uint32_t)MPLAN_PLACES_ZONE : 0;
    return read_or_place(input, options, context, NULL, layout, err);
}
#endif

/* The root of both kinds of file begins with the node CGNSLibraryVersion. */
static mplan_recognised recognise_cgns(const uint8_t *data, size_t size)
{
    bool hdf5 = size >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0;
    bool adf = !hdf5 && mplan_bytes_hold(data, size < 96 ? size : 96, "ADF Database");
    bool cgns = adf || (hdf5 && mplan_bytes_hold(data, size < 1u << 20 ? size : 1u << 20,
                                                 "CGNSLibraryVersion"));
    return cgns ? MPLAN_RECOGNISED_YES : MPLAN_RECOGNISED_NO;
}

#if !defined MPLAN_HAVE_CGNS && defined MPLAN_HELPER_CGNS
MPLAN_CONTAINED_READER(read_cgns, "cgns")
#endif

const mplan_file_format mplan_format_cgns = {
    .name = "cgns",
    .description = "CGNS, ADF and HDF5: unstructured and structured zones, NGON_n and NFACE_n",
    .extensions = ".cgns",
    .zones = MPLAN_ZONES_JOINED,
    .recognise = recognise_cgns,
    MPLAN_READ_BY_CGNS(read_cgns),
#ifdef MPLAN_HAVE_CGNS
    .layout = place_cgns,
#else /* the program of libexec that has libcgns only reads */
    .write = mplan_cgns_write,
    .writes_without = true,
#endif
};
