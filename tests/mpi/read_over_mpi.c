/* SPDX-License-Identifier: Apache-2.0 */
/* read_over_mpi.c - files that ranks read by ranges: the mesh is that of the serial reader, and so are the refusals */
#include "foam_files.h"
#include "over_ranks.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh/mesh.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_read.h"
#include "mpi/read_bytes.h"
#include "mpi/read_layout.h"

static mplan_error err;
static char folder[200];
/* What was compared: sets whose columns are not all alike, groups, groups of facets. */
static int n_ranges, n_groups, n_facets;

/* --- meshes ------------------------------------------------------------------------------------------ */

static mplan_mesh *generate(mplan_shape shape, int64_t a, int64_t b, int64_t c)
{
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_mesh *mesh;
    options.shape = shape;
    options.size[0] = a;
    options.size[1] = b;
    options.size[2] = c;
    options.shuffle = true;
    options.cells = shape == MPLAN_SHAPE_BOUNDARY_LAYER ? MPLAN_LAYER_CELLS_HYBRID
                                                        : MPLAN_LAYER_CELLS_AUTO;
    NEED_DONE(mplan_mesh_generate(&options, NULL, &mesh, &err), &err);
    return mesh;
}

static const char *in_folder(const char *name)
{
    static char path[2][400];
    static int next;
    next = 1 - next;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

/* The group of the serial mesh that has the name, set and size of a group of ranks, where several have it the one that is as many
 * behind the first as that one is. */
static const mplan_mesh_group_data *group_like(const mpi_mesh *mesh, int32_t g,
                                               const mplan_mesh *serial)
{
    const mpi_group *own = &mesh->groups[g];
    int32_t before = 0;
    for (int32_t h = 0; h < g; h++)
        before += strcmp(mesh->groups[h].name, own->name) == 0 && mesh->groups[h].set == own->set;
    for (int32_t h = 0; h < serial->n_groups; h++)
        if (strcmp(serial->groups[h].name, own->name) == 0 && serial->groups[h].set == own->set &&
            before-- == 0)
            return &serial->groups[h];
    return NULL;
}

/* Those with names: of each rank the members that it has. */
static void need_same_groups(const mpi_mesh *mesh, const mplan_mesh *serial)
{
    int32_t named = 0;
    for (int32_t g = 0; g < serial->n_groups; g++)
        named += serial->groups[g].name[0] != 0;
    NEED(mesh->n_groups == named);
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        const mpi_group *own = &mesh->groups[g];
        const mplan_mesh_group_data *group = group_like(mesh, g, serial);
        const int64_t *first = mesh->sets[own->set].first;
        int64_t n = 0;
        NEED(group && own->total == group->n_members);
        for (int64_t i = 0; i < group->n_members; i++)
            if (group->members[i] >= first[mesh->rank] && group->members[i] < first[mesh->rank + 1])
                NEED(n < own->n && own->members[n++] == group->members[i]);
        NEED(n == own->n);
        n_groups += 1;
    }
}

/* Facets that wait: as many in all groups with names; and when faces are derived, the same groups of these. Collective. */
static void need_same_facets(mpi_mesh *mesh, mplan_mesh *serial)
{
    int64_t named = 0, facets = 0, own = 0;
    for (int32_t g = 0; g < serial->n_facet_groups; g++) {
        named += serial->facets[g].name[0] != 0;
        facets += serial->facets[g].name[0] ? serial->facets[g].n_facets : 0;
    }
    for (int32_t g = 0; g < mesh->n_facets; g++)
        own += mesh->facets[g].n;
    if (getenv("MPLAN_SHOW") && mesh->rank == 0)
        fprintf(stderr, "groups of facets: %d for %lld, %lld facets\n", mesh->n_facets,
                (long long)named, (long long)facets);
    NEED(mesh->n_facets == named && mpi_sum(mesh->comm, own) == facets);
    if (named == 0)
        return;
    n_facets += (int)named;
    mplan_error why = {MPLAN_OK, ""};
    const mplan_status status = mpi_mesh_derive(mesh, "boundary_faces", &err);
    NEED(status == mplan_mesh_derive(serial, "boundary_faces", NULL, &why));
    if (!status)
        need_same_groups(mesh, serial);
}

/* Of each rank the layers of the members that it has. */
static void need_same_layers(const mpi_mesh *mesh, const mplan_mesh *serial)
{
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const int32_t *ranges, *own = mesh->sets[s].ranges;
        const int64_t begin = mesh->sets[s].first[mesh->rank];
        const int64_t n = mesh->sets[s].first[mesh->rank + 1] - begin;
        NEED(mesh->sets[s].layers == mplan_mesh_layers(serial, s, &ranges));
        NEED(!ranges == !own && !mesh->sets[s].mask);
        NEED(!own || memcmp(own, ranges + 2 * begin, 2 * (size_t)n * sizeof *own) == 0);
        n_ranges += own != NULL;
    }
}

/* Sets, maps, coordinates, types and layers, in the same order. */
static void need_same(MPI_Comm comm, mpi_mesh *mesh, mplan_mesh *serial)
{
    uint64_t print[2], own[2];
    int32_t sets[32], maps[32];
    for (int32_t i = 0; i < 32; i++)
        sets[i] = maps[i] = i;
    NEED(mesh->n_sets == serial->n_sets && mesh->n_maps == serial->n_maps);
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        NEED(strcmp(mesh->sets[s].name, serial->sets[s].name) == 0);
        NEED(mesh->sets[s].size == serial->sets[s].size);
        NEED(mesh->sets[s].by_largest == serial->sets[s].by_largest);
        const bool types = serial->cell_type && strcmp(mesh->sets[s].name, "cells") == 0;
        const int64_t begin = mesh->sets[s].first[mesh->rank];
        const int64_t n = mesh->sets[s].first[mesh->rank + 1] - begin;
        NEED(types == (mesh->sets[s].cell_type != NULL));
        NEED(!types || memcmp(mesh->sets[s].cell_type, serial->cell_type + begin, (size_t)n) == 0);
    }
    NEED(mesh->dimension == serial->dimension);
    NEED(!mesh->faces == !serial->faces_name);
    NEED(!mesh->faces || strcmp(mesh->faces, serial->faces_name) == 0);
    for (int32_t m = 0; m < mesh->n_maps; m++)
        NEED(strcmp(mesh->maps[m].name, serial->maps[m].name) == 0);
    need_same_layers(mesh, serial);
    if (!mesh->left_groups)
        need_same_groups(mesh, serial);
    NEED_DONE(mpi_mesh_fingerprints(mesh, mesh->n_sets, sets, mesh->n_maps, maps, &own[0], &own[1],
                                    &err),
              &err);
    NEED_DONE(mplan_mesh_fingerprint_topology(serial, mesh->n_sets, sets, mesh->n_maps, maps,
                                              &print[0], NULL, &err),
              &err);
    NEED_DONE(mplan_mesh_fingerprint_coordinates(serial, mesh->n_sets, sets, &print[1], NULL, &err),
              &err);
    NEED(own[0] == print[0] && own[1] == print[1]);
    if (!mesh->left_groups)
        need_same_facets(mesh, serial);
    (void)comm;
}

/* Pieces are short, so that ranges take several. */
static void need_reads(MPI_Comm comm, const char *path)
{
    const mpi_read_options options = {.readers = 2, .piece = 1000};
    mpi_mesh *mesh;
    mplan_mesh *serial;
    const mplan_status status = mplan_mesh_read(path, NULL, NULL, &serial, &err);
    if (status == MPLAN_ERR_UNSUPPORTED || status == MPLAN_ERR_NO_INPUT)
        return; /* by this build, which has not the library */
    NEED_DONE(status, &err);
    NEED_DONE(mpi_mesh_read(comm, path, &options, &mesh, &err), &err);
    if (getenv("MPLAN_SHOW") && mesh->rank == 0)
        fprintf(stderr, "%s: groups %s\n", path, mesh->left_groups ? "left" : "read");
    need_same(comm, mesh, serial);
    mpi_mesh_free(mesh);
    mplan_mesh_free(serial);
}

/* Every rank gets the same sentence, with these words. */
static void need_refused(MPI_Comm comm, const char *path, mplan_status status, const char *words)
{
    mpi_mesh *mesh = NULL;
    mplan_error own = {MPLAN_OK, ""}, first;
    const mplan_status got = mpi_mesh_read(comm, path, NULL, &mesh, &own);
    if (got != status || !strstr(own.text, words))
        fprintf(stderr, "%s: status %d: %s\n", path, (int)got, own.text);
    NEED(got == status && !mesh && strstr(own.text, words));
    first = own;
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, comm);
    NEED(strcmp(first.text, own.text) == 0);
}

/* --- files ---------------------------------------------------------------------------------------------- */

static void copy_file(const char *from, const char *to, int64_t most, int64_t at, const char *bytes)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    NEED(in && out);
    for (int64_t i = 0, c; i < most && (c = fgetc(in)) != EOF; i++)
        fputc(bytes && i >= at && i < at + (int64_t)strlen(bytes) ? bytes[i - at] : (int)c, out);
    fclose(in);
    NEED(fclose(out) == 0);
}

static int64_t size_of(const char *path)
{
    struct stat about;
    NEED(stat(path, &about) == 0);
    return about.st_size;
}

static void write_mesh(const mplan_mesh *mesh, const char *name, const char *what)
{
    NEED_DONE(mplan_mesh_write(mesh, in_folder(name), NULL, what, NULL, &err), &err);
}

/* Not by a build without libhdf5. */
static void write_where_can(const mplan_mesh *mesh, const char *name)
{
    const mplan_status status = mplan_mesh_write(mesh, in_folder(name), NULL, NULL, NULL, &err);
    NEED(!status || status == MPLAN_ERR_UNSUPPORTED);
}

/* Names of some surfaces of AFLR3's files, one of two of them, and one that no facet is on. */
static void write_names(const char *name)
{
    FILE *file = fopen(in_folder(name), "w");
    NEED(file && fputs("4\n1 4000 wall\n2 5000 far\n3 5000 far\n99 1 nobody\n", file) >= 0);
    NEED(fclose(file) == 0);
}

/* Written by the first of all ranks. */
static void write_files(void)
{
    mplan_mesh *tets = generate(MPLAN_SHAPE_TET, 4, 3, 5), *tris = generate(MPLAN_SHAPE_TRI, 4, 3, 0);
    mplan_mesh *hybrid = generate(MPLAN_SHAPE_BOUNDARY_LAYER, 16, 4, 3);
    int32_t links[8] = {0, 1, 1, 2, 2, 3, 3, 9};
    const double xyz[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    write_mesh(hybrid, "hybrid.lb8.ugrid", NULL);
    write_names("hybrid.mapbc");
    write_mesh(hybrid, "hybrid.b8l.ugrid", NULL);
    write_mesh(hybrid, "hybrid.b8.ugrid", NULL);
    write_mesh(hybrid, "hybrid.exo", NULL);
    write_where_can(hybrid, "hybrid.cgns");
    write_mesh(tris, "tris.exo", NULL);
    write_mesh(tets, "tets.msh", NULL);
    write_mesh(tris, "tris.nc", NULL);
    NEED_DONE(mplan_mesh_derive(tets, "faces_cells", NULL, &err), &err);
    NEED_DONE(mplan_mesh_derive(tets, "edges_cells", NULL, &err), &err);
    write_mesh(tets, "tets.npz", NULL);
    write_where_can(tets, "tets.h5");
    write_mesh(tets, "faces_cells.npy", "faces_cells");
    const int64_t size = size_of(in_folder("tets.npz"));
    copy_file(in_folder("tets.npz"), in_folder("short.npz"), size - 100, 0, NULL);
    copy_file(in_folder("hybrid.lb8.ugrid"), in_folder("short.lb8.ugrid"),
              size_of(in_folder("hybrid.lb8.ugrid")) - 1, 0, NULL);
    copy_file(in_folder("hybrid.exo"), in_folder("short.exo"), size_of(in_folder("hybrid.exo")) / 2,
              0, NULL);
    copy_file(in_folder("hybrid.lb8.ugrid"), in_folder("bad.lb8.ugrid"), INT64_MAX,
              size_of(in_folder("hybrid.lb8.ugrid")) - 4, "\xff\xff\xff\x7f");
    /* a folder of arrays */
    NEED(mkdir(in_folder("arrays"), 0700) == 0);
    NEED_DONE(mplan_npy_write(in_folder("arrays/links_cells.npy"), MPLAN_TYPE_I32, 4, 2, links,
                              NULL, &err),
              &err);
    NEED_DONE(mplan_npy_write(in_folder("arrays/links_xy.npy"), MPLAN_TYPE_F64, 4, 2, xyz, NULL, &err),
              &err);
    NEED(mkdir(in_folder("negative"), 0700) == 0);
    links[5] = -7;
    NEED_DONE(mplan_npy_write(in_folder("negative/links_cells.npy"), MPLAN_TYPE_I32, 4, 2, links,
                              NULL, &err),
              &err);
    NEED(mkdir(in_folder("empty"), 0700) == 0);
    mplan_mesh_free(tets);
    mplan_mesh_free(tris);
    mplan_mesh_free(hybrid);
}

/* OpenFOAM's meshes: tets, prisms with tets, polyhedra, and a cell that has faces of all ranks; then what is wrong. */
static void write_foams(void)
{
    static const struct {
        const char *name, *from;
        foam_form form;
    } cases[] = {
        {"tets-44.foam", "tets", {4, 4, false, false, 0}},
        {"tets-48.foam", "tets", {4, 8, false, true, 0}},
        {"tets-84.foam", "tets", {8, 4, true, false, 0}},
        {"tets-88.foam", "tets", {8, 8, false, false, 0}},
        {"hybrid.foam", "hybrid", {4, 8, false, false, 0}},
        {"hub.foam", "hybrid", {8, 8, false, true, 100}},
        {"one.foam", "tets", {4, 8, false, false, 1000}},
    };
    mplan_mesh *tets = generate(MPLAN_SHAPE_TET, 4, 3, 5);
    mplan_mesh *hybrid = generate(MPLAN_SHAPE_BOUNDARY_LAYER, 16, 4, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        foam_write(cases[i].from[0] == 't' ? tets : hybrid, in_folder(cases[i].name), &cases[i].form);
    mplan_mesh_free(tets);
    mplan_mesh_free(hybrid);
    static const char *const files[] = {"points", "faces", "owner", "neighbour", "boundary"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char from[500], to[500];
        snprintf(to, sizeof to, "%s/short-%s", folder, files[i]);
        NEED(mkdir(to, 0700) == 0);
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            snprintf(from, sizeof from, "%s/tets-48.foam/%s", folder, files[k]);
            snprintf(to, sizeof to, "%s/short-%s/%s", folder, files[i], files[k]);
            copy_file(from, to, k == i ? size_of(from) - 40 : INT64_MAX, 0, NULL);
        }
    }
}

/* The first member's method in the archive's directory becomes deflate. */
static void write_compressed(void)
{
    FILE *file = fopen(in_folder("tets.npz"), "rb");
    char *bytes = malloc((size_t)size_of(in_folder("tets.npz")));
    const size_t n = bytes && file ? fread(bytes, 1, (size_t)size_of(in_folder("tets.npz")), file)
                                   : 0;
    size_t at = 0;
    NEED(n > 0);
    while (at + 4 < n && memcmp(bytes + at, "PK\1\2", 4) != 0)
        at++;
    fclose(file);
    free(bytes);
    copy_file(in_folder("tets.npz"), in_folder("packed.npz"), INT64_MAX, (int64_t)at + 10, "\x8");
}

/* --- the tests --------------------------------------------------------------------------------------------- */

static void reads(MPI_Comm comm)
{
    const int groups_before = n_groups, facets_before = n_facets;
    static const char *const names[] = {
        "tets.npz",   "faces_cells.npy", "hybrid.lb8.ugrid", "hybrid.b8l.ugrid", "hybrid.b8.ugrid",
        "hybrid.exo", "tris.exo",        "tets.h5",          "tris.nc",          "hybrid.cgns"};
    int ranks;
    MPI_Comm_size(comm, &ranks);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ranks != 3 || i % 2 == 0)
            need_reads(comm, in_folder(names[i]));
    NEED(n_groups - groups_before > 4 && n_facets - facets_before > 4);
}

/* Whether this build reads netCDF. */
static bool has_netcdf(void)
{
    mplan_mesh *mesh = NULL;
    const bool read = mplan_mesh_read(in_folder("tris.exo"), NULL, NULL, &mesh, &err) == MPLAN_OK;
    mplan_mesh_free(mesh);
    return read;
}

/* Layers that files have: by the last level of each cell, with a first one under ice, and those that follow from them. */
static void oceans(MPI_Comm comm)
{
    static const char *const names[] = {"mpas/good-ocean.cdf", "mpas/good-cavity.cdf",
                                        "mpas/good-layers.cdf", "fesom_diag/good-cavity.nc"};
    const int before = n_ranges;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, names[i]);
        need_reads(comm, path);
    }
    if (!has_netcdf())
        return;
    NEED(n_ranges - before == 9); /* three sets in each file but one, whose columns are all alike */
    need_refused(comm, MPLAN_TEST_DATA "/mpas/bad-level.cdf", MPLAN_ERR_MESH,
                 "bad-level.cdf: variable maxLevelCell: cell ");
    need_refused(comm, MPLAN_TEST_DATA "/fesom_diag/bad-level.nc", MPLAN_ERR_MESH,
                 " cannot have layers 1 to ");
}

static void foams(MPI_Comm comm)
{
    static const char *const names[] = {"tets-44.foam", "tets-48.foam", "tets-84.foam",
                                        "tets-88.foam", "hybrid.foam",  "hub.foam",
                                        "one.foam"};
    mpi_mesh *mesh;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        need_reads(comm, in_folder(names[i]));
    /* one of the files may be named; of the cell that is a hub, most faces are on other ranks */
    NEED_DONE(mpi_mesh_read(comm, in_folder("hub.foam/owner"), NULL, &mesh, &err), &err);
    const mpi_map *map = &mesh->maps[mpi_mesh_find_map(mesh, "cells_nodes")];
    NEED(mesh->rank > 0 || map->offsets[1] > 100);
    mpi_mesh_free(mesh);
    need_refused(comm, in_folder("short-points"), MPLAN_ERR_CORRUPT, "short-points/points: byte ");
    need_refused(comm, in_folder("short-faces"), MPLAN_ERR_CORRUPT, "the file ends before the ");
    need_refused(comm, in_folder("short-owner"), MPLAN_ERR_CORRUPT, "short-owner/owner: byte ");
    need_refused(comm, in_folder("short-neighbour"), MPLAN_ERR_CORRUPT,
                 "short-neighbour/neighbour: byte ");
    need_refused(comm, in_folder("short-boundary"), MPLAN_ERR_CORRUPT, "short-boundary/boundary:");
}

/* Text and packed files, one after the other as the serial reader meets them; numbers that are out of range. */
static void bad_foams(MPI_Comm comm)
{
    static const struct {
        const char *name;
        mplan_status status;
        const char *words;
    } cases[] = {
        {"good-text", MPLAN_ERR_UNSUPPORTED, "points: the file is text, and cannot be read by ranges"},
        {"good-packed", MPLAN_ERR_UNSUPPORTED, "points.gz: the file is compressed, and cannot be"},
        {"good-mixed", MPLAN_ERR_UNSUPPORTED, "owner: the file is text"},
        {"good-binary-list", MPLAN_ERR_UNSUPPORTED, "convert it first (meshplan convert"},
        {"good-decomposed", MPLAN_ERR_UNSUPPORTED, "the case is decomposed"},
        {"bad-binary-cut", MPLAN_ERR_CORRUPT, "faces: byte "},
        {"bad-binary-end", MPLAN_ERR_CORRUPT, "owner: byte "},
        {"bad-binary-label", MPLAN_ERR_CORRUPT, "the file ends before the 15 owners"},
        {"bad-binary-more", MPLAN_ERR_CORRUPT, "faces: byte "},
        {"bad-binary-start", MPLAN_ERR_MESH, "starts of faces: row 2, column 1: the offset is -3"},
        {"bad-binary-point", MPLAN_ERR_MESH,
         "column 3: 99 is out of range: set 'nodes' has 14 members"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/foam/%s", MPLAN_TEST_DATA, cases[i].name);
        need_refused(comm, path, cases[i].status, cases[i].words);
    }
}

/* What the serial reader refuses and ranges do not look at: groups, checksums of archives, and sets of 2^31 members and more,
 * which ranks may have. */
static bool is_spared(const char *name)
{
    static const char *const names[] = {"bad-checksum.npz", "bad-large.npy", "bad-node.lb8.ugrid",
                                        "bad-element.exo",  "bad-side.exo",  "bad-node-set.exo",
                                        "bad-sides.exo"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Every file of the test data of formats that are read by ranges: the mesh of the serial reader, or a refusal. */
static void data_files(MPI_Comm comm)
{
    static const char *const formats[] = {"npy",        "npz",   "aflr3", "exodus",
                                          "op2-hdf5",   "ugrid", "mpas",  "icon",
                                          "fesom_diag", "cgns",  "foam"};
    int n_same = 0, ranks;
    MPI_Comm_size(comm, &ranks);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", MPLAN_TEST_DATA, formats[f]);
        DIR *dir = opendir(path);
        NEED(dir);
        for (struct dirent *entry; (entry = readdir(dir));) {
            mplan_mesh *serial = NULL;
            mpi_mesh *mesh = NULL;
            mplan_error why = {MPLAN_OK, ""};
            snprintf(path, sizeof path, "%s/%s/%s", MPLAN_TEST_DATA, formats[f], entry->d_name);
            if (strncmp(entry->d_name, "good-", 5) != 0 && strncmp(entry->d_name, "bad-", 4) != 0)
                continue;
            /* a quarter of them, the same in any order of the folder */
            unsigned sum = 0;
            for (const char *c = entry->d_name; *c; c++)
                sum += (unsigned char)*c;
            if (ranks > 1 && sum % 4 > 0)
                continue;
            const mplan_status status = mpi_mesh_read(comm, path, NULL, &mesh, &err);
            const mplan_status expected = mplan_mesh_read(path, NULL, NULL, &serial, &why);
            if (!status && !expected) {
                if (getenv("MPLAN_SHOW"))
                    fprintf(stderr, "%s: groups %s\n", path, mesh->left_groups ? "left" : "read");
                need_same(comm, mesh, serial);
                n_same++;
                if (getenv("MPLAN_SHOW"))
                    fprintf(stderr, "same: %s\n", path);
            } else if (!expected && !strstr(err.text, "meshplan convert")) {
                fprintf(stderr, "%s: %s\n", path, err.text);
                NEED(status == MPLAN_OK);
            } else if (!expected) {
                if (getenv("MPLAN_SHOW"))
                    fprintf(stderr, "refused: %s\n", err.text);
            } else if (!status && expected != MPLAN_ERR_UNSUPPORTED) {
                if (!is_spared(entry->d_name))
                    fprintf(stderr, "%s: read, but serially: %s\n", path, why.text);
                NEED(is_spared(entry->d_name) || getenv("MPLAN_SHOW"));
            }
            mpi_mesh_free(mesh);
            mplan_mesh_free(serial);
        }
        closedir(dir);
    }
    NEED(n_same >= (ranks > 1 ? 5 : 20));
    /* MPAS's and FESOM2's oceans */
    NEED(ranks > 1 || n_ranges >= (has_netcdf() ? 8 : 0));
}

static void folders(MPI_Comm comm)
{
    mpi_mesh *mesh;
    NEED_DONE(mpi_mesh_read(comm, in_folder("arrays"), NULL, &mesh, &err), &err);
    NEED(mesh->n_sets == 2 && mesh->n_maps == 1 && mesh->maps[0].arity == 2);
    NEED(strcmp(mesh->sets[0].name, "links") == 0 && mesh->sets[0].size == 4);
    NEED(mesh->sets[0].dimension == 2 && mesh->sets[1].dimension == 0);
    NEED(strcmp(mesh->sets[1].name, "cells") == 0 && mesh->sets[1].size == 10);
    NEED(mesh->sets[1].by_largest && !mesh->sets[0].by_largest);
    for (int64_t row = mesh->sets[0].first[mesh->rank]; row < mesh->sets[0].first[mesh->rank + 1];
         row++) {
        const int64_t i = row - mesh->sets[0].first[mesh->rank];
        NEED(mesh->maps[0].values[2 * i] == row);
        NEED(mesh->maps[0].values[2 * i + 1] == (row == 3 ? 9 : row + 1));
        NEED(mesh->sets[0].coordinates[2 * i] == (row == 1 || row == 2));
    }
    mpi_mesh_free(mesh);
}

static void refusals(MPI_Comm comm)
{
    need_refused(comm, in_folder("short.npz"), MPLAN_ERR_CORRUPT, "short.npz: byte ");
    need_refused(comm, in_folder("short.lb8.ugrid"), MPLAN_ERR_CORRUPT, "the file ends too early");
    const bool netcdf = has_netcdf();
    need_refused(comm, in_folder("short.exo"), netcdf ? MPLAN_ERR_CORRUPT : MPLAN_ERR_UNSUPPORTED,
                 netcdf ? "short.exo: byte " : "it has not libnetcdf");
    need_refused(comm, in_folder("bad.lb8.ugrid"), MPLAN_ERR_MESH,
                 "2147483647 is out of range: set 'nodes' has");
    need_refused(comm, in_folder("negative"), MPLAN_ERR_MESH,
                 "negative/links_cells.npy: row 3, column 2: the number is out of range");
    need_refused(comm, in_folder("packed.npz"), MPLAN_ERR_UNSUPPORTED, "meshplan convert");
    need_refused(comm, in_folder("tets.msh"), MPLAN_ERR_UNSUPPORTED, "meshplan convert");
    need_refused(comm, in_folder("empty"), MPLAN_ERR_UNSUPPORTED, "meshplan convert");
    need_refused(comm, in_folder("nothing.npz"), MPLAN_ERR_NO_INPUT, "nothing.npz: No such file");
}

/* Bytes beyond 32 bits of a file that is nearly all hole, and a range behind its end that only one rank asks for. */
static void far_bytes(MPI_Comm comm)
{
    const int64_t far = (INT64_C(5) << 30) + 17;
    mpi_readers readers;
    int rank, ranks;
    char got[8];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    mpi_readers_open(comm, 1, 3, &readers);
    NEED_DONE(mpi_read_bytes(&readers, MPLAN_OK, in_folder("hole"), far + rank, 5, got, &err), &err);
    NEED(memcmp(got, "abcdefghijklmnopqrstuvwxyz" + rank, 5) == 0);
    const int64_t at = rank == ranks - 1 ? far + 20 : far;
    NEED(mpi_read_bytes(&readers, MPLAN_OK, in_folder("hole"), at, 8, got, &err) == MPLAN_ERR_CORRUPT);
    NEED(strstr(err.text, "hole: byte 5368709163: the file ends too early"));
    mpi_readers_close(&readers);
}

/* A list of members, of which one is there twice; two rows of nodes; three elements: the second row, none, the first row, which is
 * number FIRST_ROW. */
#define FIRST_ROW INT64_C(8000000000)
static const int64_t far_numbers[12] = {(INT64_C(1) << 40) + 3,
                                        INT64_C(5000000001),
                                        (INT64_C(1) << 40) + 3,
                                        7,
                                        INT64_C(6000000000),
                                        (INT64_C(1) << 41) + 1,
                                        INT64_C(1) << 42,
                                        2,
                                        INT64_C(7000000000),
                                        FIRST_ROW + 1,
                                        5,
                                        FIRST_ROW};

/* Members beyond 32 bits: each rank has five of a set whose numbers are far apart, and needs those of all. */
static void far_members(MPI_Comm comm)
{
    enum { OWN = 5, MOST = 16 };
    int rank, ranks;
    int64_t first[MOST + 1], ids[2 * MOST], values[2 * MOST], own[OWN + 1];
    mpi_links links;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int r = 0; r <= ranks; r++)
        first[r] = r * ((INT64_C(3) << 40) + 1);
    for (int r = 0; r < ranks; r++) {
        ids[2 * r] = first[r];
        ids[2 * r + 1] = first[r] + OWN - 1;
        NEED(mpi_rank_of(first, ranks, first[r + 1] - 1) == r);
    }
    for (int64_t i = 0; i < OWN; i++)
        own[i] = first[rank] + i;
    NEED_DONE(mpi_links_make(comm, MPLAN_OK, first, 2 * ranks, ids, &links, &err), &err);
    NEED_DONE(mpi_links_fetch(&links, MPLAN_OK, sizeof *own, own, values, &err), &err);
    NEED(memcmp(values, ids, (size_t)(2 * ranks) * sizeof *ids) == 0);
    mpi_links_free(&links);
    const int64_t many = (INT64_C(1) << 62) + 5;
    NEED(mpi_range_first(many, 5, 0) == 0 && mpi_range_first(many, 5, 5) == many);
    for (int32_t r = 0; r < 5; r++)
        NEED(mpi_range_first(many, 5, r + 1) - mpi_range_first(many, 5, r) ==
             many / 5 + (r < many % 5));
}

/* A part of a group of a set of 2^42 nodes; array and other: of 64-bit numbers from a byte of the file `numbers` on. */
static mplan_places_group *far_part(mplan_places *layout, const char *name, int64_t number,
                                    int32_t kind, int64_t rows, int32_t cols, int64_t at)
{
    mplan_places_group *group;
    const mplan_places_array array = {.at = at, .rows = rows, .cols = cols, .size = 8, .kind = 'i'};
    int32_t index = -1;
    if (rows > 0)
        NEED_DONE(mplan_places_add_array(layout, &array, 1000, &index, &err), &err);
    NEED_DONE(mplan_places_add_group(layout, name, "nodes", number, kind, &group, &err), &err);
    group->array = index;
    group->type = MPLAN_CELL_TRI3;
    return group;
}

/* Groups of members and facets beyond 32 bits, listed by number, as a run, and by elements whose numbers are that large. */
static void far_groups(MPI_Comm comm)
{
    const int64_t all = INT64_C(1) << 42, run = (INT64_C(1) << 33) + 7;
    mpi_readers readers;
    mpi_mesh *mesh;
    mplan_places layout;
    mplan_places_begin(&layout);
    NEED(mplan_places_add_path(&layout, in_folder("numbers"), &err) == 0);
    far_part(&layout, "run", 0, MPLAN_GROUP_RUN, 0, 0, 0)->first = run;
    ((mplan_places_group *)layout.groups.data)->n = 5;
    far_part(&layout, "list", 1, MPLAN_GROUP_LIST, 3, 1, 0);
    mplan_places_group *rows = far_part(&layout, "rows", 2, MPLAN_GROUP_ROWS, 2, 3, 24);
    const mplan_places_array list = {.at = 72, .rows = 3, .cols = 1, .size = 8, .kind = 'i'};
    NEED_DONE(mplan_places_add_array(&layout, &list, 1000, &rows->other, &err), &err);
    rows->first = FIRST_ROW;
    NEED_DONE(mpi_mesh_create(comm, &mesh, &err), &err);
    NEED_DONE(mpi_mesh_add_set(mesh, "nodes", all, NULL, &err), &err);
    mpi_readers_open(comm, 2, 16, &readers);
    NEED_DONE(mpi_read_groups(&readers, &layout, mesh, &err), &err);
    NEED(mesh->n_groups == 2 && mesh->groups[0].total == 5 && mesh->groups[1].total == 2);
    const int64_t *first = mesh->sets[0].first + mesh->rank;
    for (int32_t g = 0; g < 2; g++)
        for (int64_t i = 0; i < mesh->groups[g].n; i++) {
            const int64_t member = mesh->groups[g].members[i];
            NEED(member >= first[0] && member < first[1]);
            NEED(g == 0 ? member >= run && member < run + 5
                        : member == far_numbers[0] - 1 || member == far_numbers[1] - 1);
        }
    NEED(mesh->n_facets == 1 && mpi_sum(comm, mesh->facets[0].n) == 2);
    for (int64_t i = 0; i < mesh->facets[0].n; i++) {
        const int64_t number = mesh->facets[0].number[i];
        NEED(number == 0 || number == 2); /* the list has no row in between */
        for (int k = 0; k < 3; k++)       /* its first one is the last row */
            NEED(mesh->facets[0].nodes[3 * i + k] == far_numbers[(number == 0 ? 6 : 3) + k] - 1);
    }
    mpi_readers_close(&readers);
    mpi_mesh_free(mesh);
    mplan_places_free(&layout);
}

static void write_hole(void)
{
    const int fd = open(in_folder("hole"), O_CREAT | O_WRONLY, 0600);
    NEED(fd >= 0 && pwrite(fd, "abcdefghijklmnopqrstuvwxyz", 26, (INT64_C(5) << 30) + 17) == 26);
    close(fd);
    char padding[1000 - sizeof far_numbers] = {0};
    FILE *file = fopen(in_folder("numbers"), "wb");
    NEED(file && fwrite(far_numbers, sizeof far_numbers, 1, file) == 1);
    NEED(fwrite(padding, sizeof padding, 1, file) == 1 && fclose(file) == 0);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        const char *tmp = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/read_over_mpi.XXXXXX", tmp ? tmp : "/tmp");
        NEED(mkdtemp(folder));
        write_files();
        write_compressed();
        write_foams();
        write_hole();
    }
    MPI_Bcast(folder, sizeof folder, MPI_BYTE, 0, MPI_COMM_WORLD);
    over_ranks(reads);
    over_ranks(oceans);
    over_ranks(foams);
    over_ranks(bad_foams);
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks <= 4)
        data_files(MPI_COMM_WORLD);
    over_ranks(folders);
    over_ranks(refusals);
    over_ranks(far_bytes);
    over_ranks(far_members);
    over_ranks(far_groups);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        char command[300];
        snprintf(command, sizeof command, "rm -r '%s'", folder);
        NEED(system(command) == 0);
    }
    MPI_Finalize();
    return 0;
}
