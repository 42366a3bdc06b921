/* SPDX-License-Identifier: Apache-2.0 */
/* piece_read.c - the file of one part, proved to be such a file: nothing in it leads beyond its arrays
 *
 * Files are not trusted: every length and every number that leads into an array is compared
 * before it is used. Arrays of the piece are in it as soon as they are read, so that
 * mplan_piece_free releases them after a failure, too. Those of set s are called NAME_s, those of
 * map m NAME_m; s and m count as in the rows of `sets` and `maps`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "formats/numpy/npz_arrays.h"
#include "parts/scatter/piece.h"

/* Also the most bytes of a row of reads, which has a bit for each loop. */
enum { MOST_TABLES = 10000 }; /* sets, and maps */

/* A file that is read.
 * path is for messages; piece is filled step by step, and what is not read yet is NULL. */
typedef struct piece_reader {
    mplan_npz_file npz;
    const char *path;
    mplan_piece *piece;
} piece_reader;

/* NULL is allowed, and a piece that is filled in part. Arrays that went to parts stay
 * (piece_parts.c). */
void mplan_piece_free(mplan_piece *piece)
{
    if (!piece)
        return;
    for (int32_t s = 0; piece->of && s < mplan_piece_n_sets(piece); s++) {
        mplan_piece_set *set = &piece->of[s];
        if (!piece->taken) {
            free(set->base);
            free(set->ids);
            free(set->owner);
        }
        free(set->halo);
        free(set->reads);
        free(set->links);
        free(set->exported);
        free(set->exported_reads);
    }
    free(piece->of);
    mplan_mesh_free(piece->mesh);
    mplan_mesh_free(piece->named);
    free(piece->head);
    free(piece->sets);
    free(piece->maps);
    free(piece->reach);
    free(piece->text);
    free(piece->names);
    free(piece->sizes);
    free(piece->map_facts);
    free(piece);
}

/* what: name of the array, without its number. */
static mplan_status refuse(const piece_reader *r, const char *what, int32_t number, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: %s_%d: the numbers do not fit the part", r->path,
                      what, (int)number);
}

/* The array NAME_number; due: its rows, -1: whatever is there.
 * *data: out, rows x cols numbers (cols 0: one dimension), the caller's, also when their number
 * is not the one that is due; NULL where there is no such array. */
static mplan_status take(const piece_reader *r, const char *name, int32_t number, mplan_type type,
                         int64_t cols, int64_t due, int64_t *rows, void *data, mplan_error *err)
{
    char full[40];
    void *made = NULL;
    snprintf(full, sizeof full, "%s_%d", name, (int)number);
    mplan_status status = mplan_npz_take(&r->npz, full, type, cols, rows, &made, err);
    *(void **)data = made;
    return !status && due >= 0 && *rows != due ? refuse(r, name, number, err) : status;
}

/* --- what all sets and maps have ------------------------------------------------------------------ */

/* Both ends are allowed. */
static bool is_within(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most;
}

/* part: the number in the name of the file. A head that begins with a higher version is not
 * looked at further. Sets and maps are at most MOST_TABLES each, which bounds what is allocated
 * for them. */
static mplan_status read_head(const piece_reader *r, int32_t part, mplan_error *err)
{
    mplan_piece *piece = r->piece;
    int64_t rows = 0;
    mplan_status status = mplan_npz_take(&r->npz, "head", MPLAN_TYPE_I64, 0, &rows,
                                         (void **)&piece->head, err);
    if (status)
        return status;
    const int64_t *head = piece->head;
    if (rows < 1 || head[MPLAN_PIECE_VERSION] < 1)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: not the file of a part", r->path);
    if (head[MPLAN_PIECE_VERSION] > 2)
        return mplan_fail(err, MPLAN_ERR_TOO_NEW, "%s: written by a newer meshplan", r->path);
    const bool fits = rows == MPLAN_PIECE_HEAD && head[MPLAN_PIECE_PART] == part &&
                      is_within(head[MPLAN_PIECE_PARTS], part + INT64_C(1), INT32_MAX - 1) &&
                      is_within(head[MPLAN_PIECE_SETS], 1, MOST_TABLES) &&
                      is_within(head[MPLAN_PIECE_MAPS], 0, MOST_TABLES) &&
                      is_within(head[MPLAN_PIECE_CUT], 0, head[MPLAN_PIECE_SETS] - 1) &&
                      is_within(head[MPLAN_PIECE_READ_BYTES], 0, MOST_TABLES);
    return fits ? MPLAN_OK
                : mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: head: not that of part %d", r->path,
                             (int)part);
}

/* Lines become strings; the request is the rest, as it is, without the last line feed.
 * n: bytes of text, which must end with a line feed and have no byte 0. Lines are: how it was
 * cut, zone, names of sets, names of maps; names point into text. The request may have several
 * lines. */
static mplan_status split_text(const piece_reader *r, int64_t n, mplan_error *err)
{
    mplan_piece *piece = r->piece;
    const int32_t n_names = mplan_piece_n_sets(piece) + mplan_piece_n_maps(piece);
    char *text = piece->text, *line = text, **part = NULL;
    piece->names = mplan_alloc_zero(n_names, sizeof *piece->names, err);
    if (!piece->names)
        return MPLAN_ERR_MEMORY;
    bool fits = n > 0 && text[n - 1] == '\n' && !memchr(text, 0, (size_t)n);
    for (int32_t i = 0; fits && i < n_names + 2; i++) {
        char *end = memchr(line, '\n', (size_t)(n - (line - text)));
        fits = end != NULL;
        part = i == 0 ? &piece->how : i == 1 ? &piece->zone : &piece->names[i - 2];
        if (fits) {
            *end = 0;
            *part = line;
            line = end + 1;
        }
    }
    piece->request = line;
    fits = fits && line < text + n;
    if (fits)
        text[n - 1] = 0;
    return fits ? MPLAN_OK
                : mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: text: lines are missing", r->path);
}

/* Sets how, zone, names and request. The numbers of sets and maps are known from the head. */
static mplan_status read_text(const piece_reader *r, mplan_error *err)
{
    int64_t n = 0;
    uint8_t *bytes = NULL;
    mplan_status status = mplan_npz_take(&r->npz, "text", MPLAN_TYPE_U8, 0, &n, (void **)&bytes, err);
    r->piece->text = (char *)bytes;
    return status ? status : split_text(r, n, err);
}

/* One row of `maps` in whole.
 * Whether sets exist and counts can be: they are of the whole mesh, and nothing here can prove
 * them further. */
static bool map_fits(const int64_t *map, int64_t n_sets)
{
    return is_within(map[MPLAN_PIECE_FROM], 0, n_sets - 1) &&
           is_within(map[MPLAN_PIECE_TO], 0, n_sets - 1) &&
           is_within(map[MPLAN_PIECE_ARITY], -INT32_MAX, INT32_MAX) &&
           map[MPLAN_PIECE_ENTRIES] >= 0 &&
           is_within(map[MPLAN_PIECE_PRESENT], 0, map[MPLAN_PIECE_ENTRIES]) &&
           map[MPLAN_PIECE_NONE_ROW] >= -1;
}

/* sizes and map_facts: out, by set and by map, what the whole mesh has. Sizes stay below 2^31,
 * as planning has them by 32 bits. */
static mplan_status read_tables(const piece_reader *r, mplan_error *err)
{
    mplan_piece *piece = r->piece;
    const int32_t n_sets = mplan_piece_n_sets(piece), n_maps = mplan_piece_n_maps(piece);
    int64_t rows[2] = {0, 0};
    mplan_status status = mplan_npz_take(&r->npz, "sets", MPLAN_TYPE_I64, MPLAN_PIECE_SET, &rows[0],
                                         (void **)&piece->sets, err);
    if (!status)
        status = mplan_npz_take(&r->npz, "maps", MPLAN_TYPE_I64, MPLAN_PIECE_MAP, &rows[1],
                                (void **)&piece->maps, err);
    bool fits = !status && rows[0] == n_sets && rows[1] == n_maps;
    piece->sizes = mplan_alloc(n_sets, sizeof *piece->sizes, err);
    piece->map_facts = mplan_alloc(n_maps, sizeof *piece->map_facts, err);
    if (!status && (!piece->sizes || !piece->map_facts))
        return MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < n_sets && fits; s++) {
        const int64_t *set = piece->sets + s * (int64_t)MPLAN_PIECE_SET;
        piece->sizes[s] = set[MPLAN_PIECE_TOTAL];
        fits = is_within(set[MPLAN_PIECE_TOTAL], 0, INT32_MAX) && set[MPLAN_PIECE_EXECUTE] >= 0 &&
               is_within(set[MPLAN_PIECE_DIMENSION], -3, 3);
    }
    for (int32_t m = 0; m < n_maps && fits; m++) {
        const int64_t *map = piece->maps + m * (int64_t)MPLAN_PIECE_MAP;
        piece->map_facts[m] = (mplan_map_facts){map[MPLAN_PIECE_ENTRIES], map[MPLAN_PIECE_PRESENT],
                                                map[MPLAN_PIECE_NONE_ROW],
                                                llabs(map[MPLAN_PIECE_ARITY])};
        fits = map_fits(map, n_sets);
    }
    return status || fits
               ? status
               : mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: sets and maps do not fit", r->path);
}

/* --- sets ------------------------------------------------------------------------------------------- */

/* Numbers ascend below `end`, strictly or not.
 * value: n numbers, all 0 or more. strictly: no two are equal. */
static bool ascends(const int64_t *value, int64_t n, int64_t end, bool strictly)
{
    for (int64_t i = 0; i < n; i++)
        if (value[i] < 0 || value[i] >= end || (i > 0 && value[i] - strictly < value[i - 1]))
            return false;
    return true;
}

/* Members [begin, end) of a list are in the piece, by owner and number; own: of this part, else of others.
 * Of two neighbours in the list the owner must ascend, or with one owner the member: so none is
 * there twice. */
static bool by_owner(const mplan_piece_set *set, const int32_t *member, int64_t begin, int64_t end,
                     int32_t part, bool own)
{
    for (int64_t k = begin; k < end; k++) {
        if (member[k] < 0 || member[k] >= set->n || (set->owner[member[k]] == part) != own)
            return false;
        if (k > begin &&
            (set->owner[member[k - 1]] > set->owner[member[k]] ||
             (set->owner[member[k - 1]] == set->owner[member[k]] && member[k - 1] >= member[k])))
            return false;
    }
    return true;
}

/* Every member is owned by the part or in its halo, once, and the part owns as many as it should.
 * seen: a byte for each member, 0 before. Numbers in the halo were compared with set->n by now.
 * As owned and halo members together are as many as there are, and none counts twice, no member
 * is left over. */
static bool is_whole(const mplan_piece_set *set, int32_t part, uint8_t *seen)
{
    int64_t owned = 0, others = 0;
    for (int64_t i = 0; i < set->n; i++)
        owned += set->owner[i] == part;
    for (int64_t k = 0; k < set->n_halo; k++) {
        others += seen[set->halo[k]] == 0;
        seen[set->halo[k]] = 1;
    }
    return owned == set->base[part + 1] - set->base[part] && others == set->n_halo &&
           owned + others == set->n;
}

/* Links ascend by the part at the other end, which is never the part itself, and share out
 * `exported` without a rest. All exported members are owned by the part, in each of both halos
 * by number. */
static mplan_status check_exports(const piece_reader *r, int32_t s, mplan_error *err)
{
    const int64_t *head = r->piece->head;
    const mplan_piece_set *set = &r->piece->of[s];
    const int32_t part = (int32_t)head[MPLAN_PIECE_PART];
    int64_t last = -1, at = 0;
    for (int64_t i = 0; i < set->n_links; i++) {
        const int64_t *link = set->links + i * MPLAN_PIECE_LINK;
        const int64_t execute = link[MPLAN_PIECE_LINK_EXECUTE], all = link[MPLAN_PIECE_LINK_ALL];
        if (!is_within(link[MPLAN_PIECE_LINK_TO], last + 1, head[MPLAN_PIECE_PARTS] - 1) ||
            link[MPLAN_PIECE_LINK_TO] == part || !is_within(all, 1, set->n_exported - at) ||
            !is_within(execute, 0, all) ||
            !by_owner(set, set->exported, at, at + execute, part, true) ||
            !by_owner(set, set->exported, at + execute, at + all, part, true))
            return refuse(r, "exports", s, err);
        last = link[MPLAN_PIECE_LINK_TO];
        at += all;
    }
    return at == set->n_exported ? MPLAN_OK : refuse(r, "exports", s, err);
}

/* base: n_parts + 1 numbers from 0 to the size of the set. ids: numbers in the whole mesh,
 * ascending, below that size. owner: a part for each member. halo: execute halo first; all of it
 * is owned by others. */
static mplan_status check_set(const piece_reader *r, int32_t s, mplan_error *err)
{
    const mplan_piece *piece = r->piece;
    const mplan_piece_set *set = &piece->of[s];
    const int64_t total = piece->sizes[s], parts = piece->head[MPLAN_PIECE_PARTS],
                  execute = piece->sets[s * (int64_t)MPLAN_PIECE_SET + MPLAN_PIECE_EXECUTE];
    const int32_t part = (int32_t)piece->head[MPLAN_PIECE_PART];
    if (!ascends(set->base, parts + 1, total + 1, false) || set->base[0] != 0 ||
        set->base[parts] != total)
        return refuse(r, "base", s, err);
    if (!ascends(set->ids, set->n, total, true))
        return refuse(r, "ids", s, err);
    for (int64_t i = 0; i < set->n; i++)
        if (!is_within(set->owner[i], 0, parts - 1))
            return refuse(r, "owner", s, err);
    uint8_t *seen = mplan_alloc_zero(set->n, 1, err);
    if (!seen)
        return MPLAN_ERR_MEMORY;
    const bool fits = execute <= set->n_halo && by_owner(set, set->halo, 0, execute, part, false) &&
                      by_owner(set, set->halo, execute, set->n_halo, part, false) &&
                      is_whole(set, part, seen);
    free(seen);
    return fits ? check_exports(r, s, err) : refuse(r, "halo", s, err);
}

/* Lists whose lengths the file tells itself come before those that are compared with them. The
 * set is added to the mesh under its number; it takes the coordinates over. */
static mplan_status read_set(const piece_reader *r, int32_t s, mplan_error *err)
{
    mplan_piece *piece = r->piece;
    mplan_piece_set *set = &piece->of[s];
    const int64_t bytes = piece->head[MPLAN_PIECE_READ_BYTES],
                  dimension = llabs(piece->sets[s * (int64_t)MPLAN_PIECE_SET + MPLAN_PIECE_DIMENSION]);
    double *xyz = NULL;
    int64_t rows = 0;
    mplan_status status = take(r, "base", s, MPLAN_TYPE_I64, 0, piece->head[MPLAN_PIECE_PARTS] + 1,
                               &rows, &set->base, err);
    if (!status)
        status = take(r, "ids", s, MPLAN_TYPE_I64, 0, -1, &set->n, &set->ids, err);
    if (!status)
        status = take(r, "owner", s, MPLAN_TYPE_I32, 0, set->n, &rows, &set->owner, err);
    if (!status)
        status = take(r, "halo", s, MPLAN_TYPE_I32, 0, -1, &set->n_halo, &set->halo, err);
    if (!status)
        status = take(r, "reads", s, MPLAN_TYPE_U8, 0, set->n_halo * bytes, &rows, &set->reads, err);
    if (!status)
        status = take(r, "exports", s, MPLAN_TYPE_I64, MPLAN_PIECE_LINK, -1, &set->n_links,
                      &set->links, err);
    if (!status)
        status = take(r, "exported", s, MPLAN_TYPE_I32, 0, -1, &set->n_exported, &set->exported, err);
    if (!status)
        status = take(r, "exported_reads", s, MPLAN_TYPE_U8, 0, set->n_exported * bytes, &rows,
                      &set->exported_reads, err);
    if (!status)
        status = check_set(r, s, err);
    if (!status)
        status = mplan_mesh_add_set(piece->mesh, piece->names[s], set->n, NULL, err);
    if (!status && dimension > 0)
        status = take(r, "coordinates", s, MPLAN_TYPE_F64, dimension, set->n, &rows, &xyz, err);
    if (!status && dimension > 0)
        return mplan_mesh_take_coordinates(piece->mesh, s, (int32_t)dimension, xyz, err);
    free(xyz);
    return status;
}

/* --- maps -------------------------------------------------------------------------------------------- */

/* Values are proved by the mesh that takes them.
 * Sets of the mesh are there by now. rows: members of the from-set in the piece, owned ones and
 * those of the halo. Offsets ascend from 0, and the last one is the number of values. */
static mplan_status read_map(const piece_reader *r, int32_t m, mplan_error *err)
{
    mplan_piece *piece = r->piece;
    const int64_t *map = piece->maps + m * (int64_t)MPLAN_PIECE_MAP;
    const int64_t arity = mplan_piece_arity(map), rows = piece->of[map[MPLAN_PIECE_FROM]].n;
    int64_t *offsets = NULL, entries = 0, due = 0, n = 0;
    int32_t *values = NULL;
    mplan_status status = MPLAN_OK;
    if (arity > 0 && __builtin_mul_overflow(arity, rows, &due))
        return refuse(r, "map", m, err);
    if (arity == 0)
        status = take(r, "offsets", m, MPLAN_TYPE_I64, 0, rows + 1, &n, &offsets, err);
    if (!status && offsets && (offsets[0] != 0 || !ascends(offsets, n, INT64_MAX, false)))
        status = refuse(r, "offsets", m, err);
    if (!status)
        status = take(r, "map", m, MPLAN_TYPE_I32, 0, offsets ? offsets[rows] : due, &entries,
                      &values, err);
    if (!status)
        return mplan_mesh_take_map(piece->mesh, piece->names[mplan_piece_n_sets(piece) + m],
                                   (int32_t)map[MPLAN_PIECE_FROM], (int32_t)map[MPLAN_PIECE_TO],
                                   (int32_t)arity, offsets, values, NULL, err);
    free(offsets);
    free(values);
    return status;
}

/* --- facts ------------------------------------------------------------------------------------------- */

/* The answer to a question, in the records one behind the other.
 * mplan_mesh_facts.reach; user: the piece. A record is: n, n maps, and the numbers of
 * mplan_reach of the whole mesh. It answers for the same maps in the same order only, as scatter
 * has kept each question as it was asked. */
static mplan_status answer(void *user, int32_t n_maps, const int32_t *maps, mplan_reach *reach,
                           mplan_error *err)
{
    const mplan_piece *piece = user;
    for (int64_t at = 0; at < piece->n_reach;) {
        const int64_t *record = piece->reach + at, n = record[0];
        bool same = n == n_maps;
        for (int32_t m = 0; same && m < n_maps; m++)
            same = record[1 + m] == maps[m];
        at += 1 + n + MPLAN_PIECE_REACH;
        if (!same)
            continue;
        record += 1 + n;
        *reach = (mplan_reach){record[0], record[1], record[2], (record[3] & 1) != 0,
                               (record[3] & 2) != 0};
        return MPLAN_OK;
    }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "the parts were scattered for another request: it does not ask for these maps together");
}

/* Records must fill the array without a rest, so that `answer` needs no checks of lengths. */
static mplan_status read_facts(const piece_reader *r, mplan_error *err)
{
    mplan_piece *piece = r->piece;
    mplan_status status = mplan_npz_take(&r->npz, "reach", MPLAN_TYPE_I64, 0, &piece->n_reach,
                                         (void **)&piece->reach, err);
    bool fits = !status;
    for (int64_t at = 0; fits && at < piece->n_reach;) {
        const int64_t n = piece->reach[at];
        fits = is_within(n, 1, MOST_TABLES) && n + MPLAN_PIECE_REACH < piece->n_reach - at;
        at += 1 + n + MPLAN_PIECE_REACH;
    }
    piece->facts = (mplan_mesh_facts){mplan_piece_n_sets(piece),
                                      mplan_piece_n_maps(piece),
                                      piece->sizes,
                                      piece->map_facts,
                                      answer,
                                      piece,
                                      NULL};
    return status || fits
               ? status
               : mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: reach: records are missing", r->path);
}

/* --- the file ------------------------------------------------------------------------------------------ */

/* In an order in which each step needs only what those before have proved. */
static mplan_status read_all(const piece_reader *r, int32_t part, mplan_error *err)
{
    mplan_piece *piece = r->piece;
    mplan_status status = read_head(r, part, err);
    if (!status)
        status = read_text(r, err);
    if (!status)
        status = read_tables(r, err);
    if (!status)
        status = read_facts(r, err);
    if (!status)
        status = mplan_piece_make_named(piece->zone, mplan_piece_n_sets(piece),
                                        mplan_piece_n_maps(piece), piece->sets, piece->maps,
                                        piece->names, &piece->named, err);
    if (!status)
        status = mplan_mesh_create(&piece->mesh, err);
    if (!status && piece->zone[0])
        status = mplan_mesh_set_zone(piece->mesh, piece->zone, err);
    if (!status && !(piece->of = mplan_alloc_zero(mplan_piece_n_sets(piece), sizeof *piece->of, err)))
        status = MPLAN_ERR_MEMORY;
    for (int32_t s = 0; !status && s < mplan_piece_n_sets(piece); s++)
        status = read_set(r, s, err);
    for (int32_t m = 0; !status && m < mplan_piece_n_maps(piece); m++)
        status = read_map(r, m, err);
    return status;
}

/* *out is left as it is after a failure. The file is closed in any case: all arrays are copies. */
mplan_status mplan_piece_read(const char *folder, int32_t part, const mplan_context *context,
                              mplan_piece **out, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(folder);
    if (!out)
        return mplan_fail_null(err, __func__, "piece");
    if (part < 0 || part == INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no part %d", (int)part);
    piece_reader r = {.path = NULL};
    const size_t size = strlen(folder) + 32;
    char *path = mplan_alloc((int64_t)size, 1, err);
    r.piece = mplan_alloc_zero(1, sizeof *r.piece, err);
    mplan_status status = path && r.piece ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        snprintf(path, size, "%s/part-%d.npz", folder, (int)part);
        r.path = path;
        status = mplan_npz_open(path, &r.npz, context, err);
    }
    if (!status) {
        status = read_all(&r, part, err);
        mplan_npz_close(&r.npz);
    }
    free(path);
    if (!status)
        *out = r.piece;
    else
        mplan_piece_free(r.piece);
    return status;
}

/* Borrowed from the piece; NULL for NULL. */
const mplan_mesh *mplan_piece_names(const mplan_piece *piece)
{
    return piece ? piece->named : NULL;
}
