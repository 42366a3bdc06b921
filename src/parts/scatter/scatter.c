/* SPDX-License-Identifier: Apache-2.0 */
/* scatter.c - a folder with an archive for each part, from which it is planned without the whole mesh
 *
 * What the choices of the request ask of the whole mesh is written, too: the request is resolved once more by names only,
 * as the reader does it, and each question is kept with its answer.
 * Members are written as places in the mesh of the part (mplan_part_mesh), where they ascend by
 * their numbers in the whole mesh. piece_read.c reads what is written here. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folder_output.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "formats/numpy/npz_arrays.h"
#include "parts/scatter/piece.h"
#include "pipeline/plan_request.h"

/* What all parts have in common.
 * sets, maps: rows of MPLAN_PIECE_SET and MPLAN_PIECE_MAP numbers, by set and map of the plan;
 * sizes and map_facts likewise, of the whole mesh. reach: records of questions and answers.
 * text: lines, as in the file. */
typedef struct scattering {
    const mplan_parts *parts;
    const planning *p;
    int64_t *sets, *maps; /* as in the file, but for the execute halos */
    char **names;         /* sets, then maps; borrowed */
    int64_t *sizes;
    mplan_map_facts *map_facts;
    mplan_mesh_facts facts;
    mplan_mesh *named;
    mplan_vector reach; /* int64_t */
    mplan_vector text;  /* char */
} scattering;

/* --- what is asked of the whole mesh ---------------------------------------------------------- */

/* mplan_mesh_facts.reach: maps have the numbers that they have in the plan.
 * user: the scattering. The record is appended: number of maps, the maps, the answer. A question
 * that is asked twice is there twice. */
static mplan_status answer(void *user, int32_t n_maps, const int32_t *maps, mplan_reach *reach,
                           mplan_error *err)
{
    scattering *s = user;
    mplan_status status = mplan_planning_reach(s->p, n_maps, maps, reach, err);
    const int64_t n = n_maps;
    if (!status)
        status = mplan_vector_push(&s->reach, &n, err);
    for (int32_t m = 0; m < n_maps && !status; m++) {
        const int64_t map = maps[m];
        status = mplan_vector_push(&s->reach, &map, err);
    }
    const int64_t told[MPLAN_PIECE_REACH] = {reach->entries, reach->points, reach->valence_max,
                                             reach->all + 2 * (int64_t)reach->apart};
    for (int i = 0; i < MPLAN_PIECE_REACH && !status; i++)
        status = mplan_vector_push(&s->reach, &told[i], err);
    return status;
}

/* Sets and maps in the order of the plan.
 * Names are borrowed from the mesh. Rows are the same in all files but for MPLAN_PIECE_EXECUTE,
 * which put_part sets. s->facts answers by s->sizes, s->map_facts and `answer` from here on. */
static mplan_status list_tables(scattering *s, mplan_error *err)
{
    const planning *p = s->p;
    s->sets = mplan_alloc_zero(p->n_sets * (int64_t)MPLAN_PIECE_SET, sizeof *s->sets, err);
    s->maps = mplan_alloc_zero(p->n_maps * (int64_t)MPLAN_PIECE_MAP, sizeof *s->maps, err);
    s->names = mplan_alloc_zero(p->n_sets + (int64_t)p->n_maps, sizeof *s->names, err);
    s->sizes = mplan_alloc(p->n_sets, sizeof *s->sizes, err);
    s->map_facts = mplan_alloc(p->n_maps, sizeof *s->map_facts, err);
    if (!s->sets || !s->maps || !s->names || !s->sizes || !s->map_facts)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < p->n_sets; i++) {
        const mplan_mesh_set_data *set = &p->mesh->sets[p->sets[i].mesh_set];
        int64_t *row = s->sets + i * (int64_t)MPLAN_PIECE_SET;
        s->names[i] = set->name;
        row[MPLAN_PIECE_TOTAL] = s->sizes[i] = p->sets[i].size;
        row[MPLAN_PIECE_DIMENSION] = set->coordinates ? set->dimension : 0;
    }
    for (int32_t m = 0; m < p->n_maps; m++) {
        const mplan_map map = mplan_planning_mesh_map(p, m);
        const mplan_map_facts facts = {mplan_planning_entries(p, m), mplan_planning_present(p, m),
                                       mplan_planning_none_row(p, m), mplan_planning_longest(p, m)};
        const int64_t row[MPLAN_PIECE_MAP] = {
            map.from,      map.to,        map.arity ? map.arity : -facts.longest,
            facts.entries, facts.present, facts.none_row};
        s->names[p->n_sets + m] = (char *)(uintptr_t)map.name;
        s->map_facts[m] = facts;
        memcpy(s->maps + m * (int64_t)MPLAN_PIECE_MAP, row, sizeof row);
    }
    s->facts = (mplan_mesh_facts){p->n_sets, p->n_maps, s->sizes, s->map_facts, answer, s, NULL};
    return MPLAN_OK;
}

/* The line without its 0, and a line feed behind it. */
static mplan_status add_line(mplan_vector *text, const char *line, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (const char *c = line; *c && !status; c++)
        status = mplan_vector_push(text, c, err);
    return status ? status : mplan_vector_push(text, "\n", err);
}

/* Resolves the request by names; it must come to what it came to with the whole mesh.
 * The second resolving fills s->reach with all that it asks. Texts of both requests, numbers of
 * sets and maps, the primary set, and each loop's number of strategies and first one must be
 * equal: otherwise a reader would plan something else. The request becomes the last lines of the
 * text. */
static mplan_status ask(scattering *s, const mplan_context *context, mplan_error *err)
{
    const planning *p = s->p;
    mplan_whole again;
    char *request = mplan_planning_request(p, err), *other = NULL;
    mplan_status status = request ? mplan_whole_open(s->named, &s->facts, p->n_asked,
                                                     p->asked_loops, p->asked, context, &again, err)
                                  : MPLAN_ERR_MEMORY;
    if (!status && !(other = mplan_planning_request(&again.p, err)))
        status = MPLAN_ERR_MEMORY;
    bool same = !status && strcmp(request, other) == 0 && again.p.n_sets == p->n_sets &&
                again.p.n_maps == p->n_maps && again.p.primary == p->primary;
    for (int32_t l = 0; same && l < p->n_loops; l++)
        same = again.p.loops[l].n_strategies == p->loops[l].n_strategies &&
               again.p.loops[l].strategies[0] == p->loops[l].strategies[0];
    if (!status && !same)
        status = mplan_fail(err, MPLAN_ERR_INTERNAL,
                            "the request means something else without the mesh");
    if (!status)
        status = add_line(&s->text, request, err);
    if (request)
        mplan_whole_close(&again);
    free(request);
    free(other);
    return status;
}

/* What the file of a part cannot say: pieces of a mesh, layers, and sets that are split by
 * entries. */
static mplan_status refuse(const mplan_parts *parts, mplan_error *err)
{
    const planning *p = &parts->whole.p;
    if (parts->ids)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "parts that were scattered cannot be scattered again");
    if (p->asked->rings > 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "parts cannot be scattered with rings");
    for (int32_t i = 0; i < p->n_sets; i++)
        if (p->sets[i].layered)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "parts cannot be scattered where sets have layers");
    for (int32_t l = 0; l < p->n_loops; l++)
        for (int32_t a = 0; a < p->loops[l].loop->n_args; a++)
            if (p->loops[l].loop->args[a].none == MPLAN_NONE_SPLIT)
                return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                  "loop %s, arg %s: parts cannot be scattered where sets are split by entries "
                                  "of -1",
                                  p->loops[l].loop->name, p->loops[l].loop->args[a].dat);
    return MPLAN_OK;
}

/* --- one part -------------------------------------------------------------------------------------- */

/* An array whose name ends with the number of its set or map.
 * rows x cols numbers of data (cols 0: one dimension), borrowed. */
static mplan_status put(mplan_zip_out *zip, const char *name, int32_t number, mplan_type type,
                        int64_t rows, int64_t cols, const void *data, mplan_error *err)
{
    char ending[16];
    snprintf(ending, sizeof ending, "_%d", (int)number);
    return mplan_npz_put(zip, name, ending, type, rows, cols, data, err);
}

/* The owner of each member.
 * owner_S: by member of the part's mesh, the part that owns it. room->member leads to the whole
 * mesh. */
static mplan_status put_owners(mplan_zip_out *zip, const mplan_part_mesh *room, int32_t s,
                               mplan_error *err)
{
    const int64_t n = mplan_mesh_set(room->mesh, s).size;
    int32_t *owner = mplan_alloc(n, sizeof *owner, err);
    for (int64_t i = 0; owner && i < n; i++)
        owner[i] = room->parts->owner[s][room->member[s][i]];
    mplan_status status = owner ? put(zip, "owner", s, MPLAN_TYPE_I32, n, 0, owner, err)
                                : MPLAN_ERR_MEMORY;
    free(owner);
    return status;
}

/* Members of the halo, and which loops read them.
 * halo_S: members in the order of the halo, execute halo first; reads_S: read_bytes for each, as
 * one row of bytes. */
static mplan_status put_halo(mplan_zip_out *zip, const mplan_part_mesh *room, int32_t s,
                             mplan_error *err)
{
    const mplan_halo *halo = mplan_parts_halo(room->parts, room->part, s);
    int32_t *member = mplan_alloc(halo->n, sizeof *member, err);
    for (int64_t k = 0; member && k < halo->n; k++)
        member[k] = mplan_part_mesh_local(room, s, halo->member[k]);
    mplan_status status = member ? put(zip, "halo", s, MPLAN_TYPE_I32, halo->n, 0, member, err)
                                 : MPLAN_ERR_MEMORY;
    free(member);
    return status ? status
                  : put(zip, "reads", s, MPLAN_TYPE_U8, halo->n * room->parts->read_bytes, 0,
                        halo->reads, err);
}

/* What neighbours have of this part in their halos.
 * exports_S: a row for each neighbour, ascending; exported_S and exported_reads_S: their members
 * one behind the other, execute halo before read halo. The order is that of the importer's halo,
 * and reads are what its loops read. All of these members are owned by the part, and so in its
 * mesh. */
static mplan_status put_exports(mplan_zip_out *zip, const mplan_part_mesh *room, int32_t s,
                                mplan_error *err)
{
    const mplan_parts *parts = room->parts;
    const size_t bytes = (size_t)parts->read_bytes;
    const mplan_halo_links *links = &parts->exports[(int64_t)room->part * parts->whole.p.n_sets + s];
    int64_t all = 0, at = 0;
    for (int32_t i = 0; i < links->n; i++)
        all += mplan_halo_link_size(&links->link[i]);
    int64_t *rows = mplan_alloc(links->n * (int64_t)MPLAN_PIECE_LINK, sizeof *rows, err);
    int32_t *member = mplan_alloc(all, sizeof *member, err);
    uint8_t *reads = mplan_alloc(all, bytes, err);
    mplan_status status = rows && member && reads ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < links->n && !status; i++) {
        const mplan_halo_link *link = &links->link[i];
        const mplan_halo *halo = mplan_parts_halo(parts, link->to, s);
        const int64_t row[MPLAN_PIECE_LINK] = {link->to, link->execute[1] - link->execute[0],
                                               mplan_halo_link_size(link)};
        memcpy(rows + i * (int64_t)MPLAN_PIECE_LINK, row, sizeof row);
        for (int way = 0; way < 2; way++) {
            const int64_t *range = way ? link->read : link->execute;
            for (int64_t k = range[0]; k < range[1]; k++) {
                memcpy(reads + at * (int64_t)bytes, halo->reads + k * (int64_t)bytes, bytes);
                member[at++] = mplan_part_mesh_local(room, s, halo->member[k]);
            }
        }
    }
    if (!status)
        status = put(zip, "exports", s, MPLAN_TYPE_I64, links->n, MPLAN_PIECE_LINK, rows, err);
    if (!status)
        status = put(zip, "exported", s, MPLAN_TYPE_I32, all, 0, member, err);
    if (!status)
        status = put(zip, "exported_reads", s, MPLAN_TYPE_U8, all * (int64_t)bytes, 0, reads, err);
    free(rows);
    free(member);
    free(reads);
    return status;
}

/* base_S, ids_S, owner_S, coordinates_S where there are some, and lists of halos. base has all
 * parts. */
static mplan_status put_set(mplan_zip_out *zip, const mplan_part_mesh *room, int32_t s,
                            mplan_error *err)
{
    const mplan_mesh_set_data *set = &room->mesh->sets[s];
    mplan_status status = put(zip, "base", s, MPLAN_TYPE_I64, room->parts->n_parts + INT64_C(1), 0,
                              room->parts->base[s], err);
    if (!status)
        status = put(zip, "ids", s, MPLAN_TYPE_I64, set->size, 0, set->global_ids, err);
    if (!status)
        status = put_owners(zip, room, s, err);
    if (!status && set->coordinates)
        status = put(zip, "coordinates", s, MPLAN_TYPE_F64, set->size, set->dimension,
                     set->coordinates, err);
    if (!status)
        status = put_halo(zip, room, s, err);
    return status ? status : put_exports(zip, room, s, err);
}

/* map_M: entries as places in the part's mesh, row by row, -1 for none; offsets_M: of ragged
 * maps, rows + 1. */
static mplan_status put_map(mplan_zip_out *zip, const mplan_mesh *mesh, int32_t m, mplan_error *err)
{
    const mplan_map map = mplan_mesh_map(mesh, m);
    mplan_status status = put(zip, "map", m, MPLAN_TYPE_I32, mplan_map_entries(&map), 0, map.values,
                              err);
    return status || map.arity
               ? status
               : put(zip, "offsets", m, MPLAN_TYPE_I64, map.n_rows + 1, 0, map.offsets, err);
}

/* room: the mesh of the part is made. s->sets is changed, though s is const: its execute halos
 * are the part's, and so are dimensions of centroids. head: in the order of MPLAN_PIECE_VERSION and what follows it. */
static mplan_status put_part(mplan_zip_out *zip, const scattering *s, const mplan_part_mesh *room,
                             mplan_error *err)
{
    const mplan_parts *parts = s->parts;
    const int32_t n_sets = s->p->n_sets, n_maps = s->p->n_maps;
    int64_t version = 1;
    for (int32_t m = 0; m < n_maps; m++)
        version = s->maps[m * (int64_t)MPLAN_PIECE_MAP + MPLAN_PIECE_ARITY] < 0 ? 2 : version;
    const int64_t head[MPLAN_PIECE_HEAD] = {version,
                                            room->part,
                                            parts->n_parts,
                                            parts->cut,
                                            n_sets,
                                            n_maps,
                                            parts->read_bytes,
                                            (int64_t)parts->prints.topology,
                                            (int64_t)parts->prints.coordinates};
    for (int32_t i = 0; i < n_sets; i++) {
        int64_t *row = s->sets + i * (int64_t)MPLAN_PIECE_SET;
        row[MPLAN_PIECE_EXECUTE] = mplan_parts_halo(parts, room->part, i)->n_execute;
        if (!s->p->mesh->sets[s->p->sets[i].mesh_set].coordinates)
            row[MPLAN_PIECE_DIMENSION] = -room->mesh->sets[i].dimension;
    }
    mplan_status status = mplan_npz_put(zip, "head", "", MPLAN_TYPE_I64, MPLAN_PIECE_HEAD, 0, head,
                                        err);
    if (!status)
        status = mplan_npz_put(zip, "text", "", MPLAN_TYPE_U8, s->text.count, 0, s->text.data, err);
    if (!status)
        status = mplan_npz_put(zip, "sets", "", MPLAN_TYPE_I64, n_sets, MPLAN_PIECE_SET, s->sets,
                               err);
    if (!status)
        status = mplan_npz_put(zip, "maps", "", MPLAN_TYPE_I64, n_maps, MPLAN_PIECE_MAP, s->maps,
                               err);
    if (!status)
        status = mplan_npz_put(zip, "reach", "", MPLAN_TYPE_I64, s->reach.count, 0, s->reach.data,
                               err);
    for (int32_t i = 0; i < n_sets && !status; i++)
        status = put_set(zip, room, i, err);
    for (int32_t m = 0; m < n_maps && !status; m++)
        status = put_map(zip, room->mesh, m, err);
    return status;
}

/* Makes the mesh of the part in room, in place of the one before: memory holds one at a time.
 * The file is complete or not there at all. */
static mplan_status write_part(const scattering *s, mplan_part_mesh *room, int32_t part,
                               mplan_folder_output *folder, const mplan_context *context,
                               mplan_error *err)
{
    char name[32];
    mplan_zip_out zip;
    mplan_output *output = NULL;
    snprintf(name, sizeof name, "part-%d.npz", (int)part);
    mplan_status status = mplan_part_mesh_make(room, part, err);
    if (!status)
        status = mplan_folder_output_file(folder, name, &output, err);
    if (status)
        return status;
    mplan_zip_begin(&zip, output, context);
    status = put_part(&zip, s, room, err);
    if (!status)
        status = mplan_zip_finish(&zip, err);
    mplan_zip_release(&zip);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* Whether scatter writes a file of this name: part-NUMBER.npz. */
static bool is_part_name(const char *name)
{
    const size_t digits = strncmp(name, "part-", 5) ? 0 : strspn(name + 5, "0123456789");
    return digits > 0 && strcmp(name + 5 + digits, ".npz") == 0;
}

/* Only what was scattered before is replaced. Of several other names the first of the alphabet is told: folders list
 * them in an order of their own.
 * folder: a descriptor, which stays open; path: for messages. A folder whose names cannot be
 * read counts as empty here. */
static mplan_status check_earlier(int folder, const char *path, mplan_error *err)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    char first[sizeof((struct dirent *)NULL)->d_name] = "";
    if (!names && fd >= 0)
        close(fd);
    for (struct dirent *entry; names && (entry = readdir(names)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") && strcmp(name, "..") && !is_part_name(name) &&
            (!first[0] || strcmp(name, first) < 0))
            snprintf(first, sizeof first, "%s", name);
    }
    if (names)
        closedir(names);
    return first[0]
               ? mplan_fail(err, MPLAN_ERR_CREATE,
                            "%s: contains %s, which is not the file of a part; the folder is not replaced",
                            path, first)
               : MPLAN_OK;
}

/* --- all of them ------------------------------------------------------------------------------------- */

/* All that the files have in common, before the first of them is written. Lines of the text in
 * the order that split_text of piece_read.c takes them. */
static mplan_status begin(scattering *s, const mplan_context *context, mplan_error *err)
{
    const planning *p = s->p;
    const char *zone = p->mesh->zone ? p->mesh->zone : "";
    mplan_status status = list_tables(s, err);
    if (!status)
        status = mplan_piece_make_named(zone, p->n_sets, p->n_maps, s->sets, s->maps, s->names,
                                        &s->named, err);
    if (!status)
        status = add_line(&s->text, s->parts->how, err);
    if (!status)
        status = add_line(&s->text, zone, err);
    for (int32_t i = 0; i < p->n_sets + p->n_maps && !status; i++)
        status = add_line(&s->text, s->names[i], err);
    return status ? status : ask(s, context, err);
}

/* Files are written into a folder of another name, which gets its own one when all are there.
 * Parts are written one after the other, in their order. */
mplan_status mplan_parts_scatter(const mplan_parts *parts, const char *folder,
                                 const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(parts);
    MPLAN_NEED(folder);
    scattering s = {.parts = parts,
                    .p = &parts->whole.p,
                    .reach = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                    .text = MPLAN_VECTOR_INIT(1)};
    mplan_part_mesh room = {0};
    mplan_folder_output *output = NULL;
    mplan_status status = refuse(parts, err);
    if (!status)
        status = begin(&s, NULL, err);
    if (!status)
        status = mplan_part_mesh_open(parts, &room, err);
    if (!status)
        status = mplan_folder_output_open(folder, check_earlier, context, &output, err);
    for (int32_t q = 0; q < parts->n_parts && !status; q++) {
        status = mplan_heed(context, "scatter", q, parts->n_parts, err);
        if (!status)
            status = write_part(&s, &room, q, output, context, err);
    }
    mplan_progress(context, "scatter", 1, 1);
    if (!status)
        status = mplan_folder_output_commit(output, err);
    else
        mplan_folder_output_abort(output);
    if (room.parts)
        mplan_part_mesh_close(&room);
    mplan_mesh_free(s.named);
    free(s.sets);
    free(s.maps);
    free(s.names);
    free(s.sizes);
    free(s.map_facts);
    free(s.reach.data);
    free(s.text.data);
    return status;
}
