/* SPDX-License-Identifier: Apache-2.0 */
/* foam_folder.c - where the mesh of an OpenFOAM case is
 *
 * A case, its constant or its polyMesh folder may be named, or one of the files. The mesh of a region is in a folder of
 * its name below constant; those of a decomposed case in folders processor0, processor1, ..., or, collated,
 * processorsN, or processorsN_FIRST-LAST for some of the parts. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/foam/foam_parts.h"
#include "formats/scan.h"

enum { MOST_PARTS = 1 << 20, LIST_BYTES = 256 };

/* False also where the path is too long. */
static bool is_file(const char *folder, const char *name)
{
    char path[4096];
    struct stat about;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Faces and owner are enough to tell the folder of a mesh; reading asks for the other files,
 * too. */
static bool is_mesh(const char *folder)
{
    return (is_file(folder, "faces") || is_file(folder, "faces.gz")) &&
           (is_file(folder, "owner") || is_file(folder, "owner.gz"));
}

/* Where the mesh may be below a folder that is named. */
static const char *const below[] = {"", "/polyMesh", "/constant/polyMesh"};

/* path + below, if a mesh is there, from mplan_alloc; *found NULL: none is. */
static mplan_status try_mesh(const char *path, const char *below_it, char **found, mplan_error *err)
{
    size_t n = strlen(path) + strlen(below_it) + 1;
    char *folder = mplan_alloc((int64_t)n, 1, err);
    *found = NULL;
    if (!folder)
        return MPLAN_ERR_MEMORY;
    snprintf(folder, n, "%s%s", path, below_it);
    if (is_mesh(folder))
        *found = folder;
    else
        free(folder);
    return MPLAN_OK;
}

/* The folder of the mesh; *found NULL: none of this format. */
static mplan_status find_mesh(const char *path, char **found, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    *found = NULL;
    for (size_t i = 0; i < sizeof below / sizeof *below && !*found && !status; i++)
        status = try_mesh(path, below[i], found, err);
    return status;
}

/* The mesh of a region: PATH/constant/REGION/polyMesh, PATH/REGION/polyMesh.
 * region: a name, not a path: one with a slash, or with a dot at its beginning, could lead out of the case. */
static mplan_status find_region(const char *path, const char *region, char **found, mplan_error *err)
{
    static const char *const before[] = {"/constant/", "/"};
    char inside[512];
    mplan_status status = MPLAN_OK;
    *found = NULL;
    for (size_t i = 0; i < sizeof before / sizeof *before && !*found && !status; i++) {
        int n = snprintf(inside, sizeof inside, "%s%s/polyMesh", before[i], region);
        if (n > 0 && (size_t)n < sizeof inside && !strchr(region, '/') && region[0] != '.')
            status = try_mesh(path, inside, found, err);
    }
    return status;
}

/* "processor0", "processors4": parts of a decomposed case.
 * Only the beginning counts here: parse_part reads the rest. */
static bool is_part(const char *name)
{
    if (strncmp(name, "processor", 9) != 0)
        return false;
    name += 9;
    name += *name == 's';
    return *name >= '0' && *name <= '9';
}

/* Whether one of the last three names of a path is a part's: "a/processor0/constant/polyMesh". */
static bool leads_into_part(const char *path)
{
    const char *end = path + strlen(path);
    for (int32_t names = 0; names < 3 && end > path; names++) {
        const char *begin = end;
        while (begin > path && begin[-1] != '/')
            begin--;
        if (is_part(begin))
            return true;
        for (end = begin; end > path && end[-1] == '/'; end--) {
        }
    }
    return false;
}

/* Whether the folder holds parts of a decomposed case. */
static bool has_parts(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool found = false;
    while (folder && !found && (entry = readdir(folder)) != NULL)
        found = is_part(entry->d_name);
    if (folder)
        closedir(folder);
    return found;
}

/* The folder of one of the files that were named: "a/polyMesh/faces.gz", "case.foam".
 * *folder: from mplan_alloc, the caller's; "." where the path has no slash. */
static mplan_status folder_of_file(const mplan_input *input, char **folder, mplan_error *err)
{
    static const char *const names[] = {"points", "faces", "owner", "neighbour", "boundary"};
    const char *slash = strrchr(input->path, '/'), *name = slash ? slash + 1 : input->path;
    size_t length = strlen(name), until = slash ? (size_t)(slash - input->path) : 0;
    bool known = input->size == 0; /* case.foam, ParaView's handle, is empty */
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0)
        length -= 3;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known = known || (strlen(names[i]) == length && memcmp(name, names[i], length) == 0);
    if (!known)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: this is an OpenFOAM file, but not one of a mesh (points, faces, "
                          "owner, neighbour, boundary)",
                          input->path);
    *folder = mplan_alloc((int64_t)until + 2, 1, err);
    if (!*folder)
        return MPLAN_ERR_MEMORY;
    snprintf(*folder, until + 2, "%.*s", slash ? (int)(until ? until : 1) : 1,
             slash ? input->path : ".");
    return MPLAN_OK;
}

/* --- regions ---------------------------------------------------------------------------- */

/* By name. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "fluid, solid": the regions of a case in the order of their names; list is empty without one.
 * Names that do not fit into the list become "...". */
static mplan_status list_regions(const char *path, char list[LIST_BYTES], mplan_error *err)
{
    char constant[4096];
    mplan_vector names = MPLAN_VECTOR_INIT(sizeof(char *));
    mplan_status status = MPLAN_OK;
    size_t used = 0;
    list[0] = '\0';
    int length = snprintf(constant, sizeof constant, "%s/constant", path);
    DIR *folder = length > 0 && (size_t)length < sizeof constant ? opendir(constant) : NULL;
    for (struct dirent *entry; folder && !status && (entry = readdir(folder));) {
        char *mesh = NULL, *name = NULL;
        if (entry->d_name[0] == '.')
            continue;
        status = find_region(path, entry->d_name, &mesh, err);
        if (!status && mesh && !(name = mplan_strdup(entry->d_name, err)))
            status = MPLAN_ERR_MEMORY;
        if (!status && name && mplan_vector_push(&names, &name, err)) {
            free(name);
            status = MPLAN_ERR_MEMORY;
        }
        free(mesh);
    }
    if (folder)
        closedir(folder);
    char **name = names.data;
    if (names.count > 1)
        qsort((void *)name, (size_t)names.count, sizeof *name, compare_names);
    for (int64_t i = 0; i < names.count; i++) {
        bool fits = used + strlen(name[i]) + 8 < LIST_BYTES;
        if (used < LIST_BYTES - 8)
            used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", used ? ", " : "",
                                     fits ? name[i] : "...");
        used = fits ? used : LIST_BYTES;
        free(name[i]);
    }
    free(names.data);
    return status;
}

/* Also a folder named constant or one with the dictionary of a case is OpenFOAM's, whatever it lacks. */
bool mplan_foam_recognise_folder(const char *path)
{
    char *found = NULL, regions[LIST_BYTES];
    if (find_mesh(path, &found, NULL) != MPLAN_OK || list_regions(path, regions, NULL) != MPLAN_OK) {
        free(found);
        return true; /* out of memory is said again by the reader */
    }
    bool ours = found || *regions || has_parts(path) || is_file(path, "system/controlDict");
    free(found);
    return ours;
}

/* --- parts ------------------------------------------------------------------------------ */

/* A folder of parts: which, of how many.
 * Parts first to last are in it, both included; they count from 0. */
typedef struct part_folder {
    int64_t of, first, last; /* of: -1 where the name does not say */
    bool collated;
    char name[64];
} part_folder;

/* A number from `at` on, below MOST_PARTS; -1 for none. */
static int64_t take_number(const char **at)
{
    int64_t value;
    size_t used = mplan_parse_i64(*at, *at + strlen(*at), &value);
    if (used == 0 || **at == '-' || **at == '+' || value < 0 || value >= MOST_PARTS)
        return -1;
    *at += used;
    return value;
}

/* "processor3", "processors4", "processors4_0-1".
 * False for other names and for numbers that contradict each other; *part is then not to be used. */
static bool parse_part(const char *name, part_folder *part)
{
    const char *at = name + 9;
    if (!is_part(name) || strlen(name) >= sizeof part->name)
        return false;
    *part = (part_folder){-1, 0, 0, *at == 's', ""};
    memcpy(part->name, name, strlen(name) + 1);
    at += part->collated;
    int64_t number = take_number(&at);
    if (number < 0)
        return false;
    if (!part->collated) {
        part->first = part->last = number;
        return *at == '\0';
    }
    part->of = number;
    part->last = number - 1;
    if (*at == '_') {
        at++;
        part->first = take_number(&at);
        if (*at++ != '-')
            return false;
        part->last = take_number(&at);
    }
    return *at == '\0' && part->first >= 0 && part->last >= part->first && part->last < part->of;
}

/* Collated ones behind the others, then by number.
 * check_parts reads them in this order. */
static int compare_parts(const void *left, const void *right)
{
    const part_folder *a = left, *b = right;
    if (a->collated != b->collated)
        return a->collated - b->collated;
    if (a->of != b->of)
        return a->of < b->of ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* The folders of parts in a case, in their order.
 * A folder that cannot be opened has none; the caller reports that. */
static mplan_status list_parts(const char *path, mplan_vector *parts, mplan_error *err)
{
    DIR *folder = opendir(path);
    mplan_status status = MPLAN_OK;
    part_folder part;
    for (struct dirent *entry; folder && !status && (entry = readdir(folder));)
        if (parse_part(entry->d_name, &part))
            status = mplan_vector_push(parts, &part, err);
    if (folder)
        closedir(folder);
    if (parts->count > 1)
        qsort(parts->data, (size_t)parts->count, sizeof part, compare_parts);
    return status;
}

/* Parts that are all of a case: 0, 1, ... without gaps.
 * part: n folders, at least one, in the order of compare_parts. */
static mplan_status check_parts(const char *path, const part_folder *part, int64_t n, mplan_error *err)
{
    int64_t expected = 0;
    for (int64_t i = 0; i < n; i++) {
        if (part[i].collated != part[0].collated || part[i].of != part[0].of)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "%s: the case is decomposed twice, into %s and %s; remove what is "
                              "out of date, or join parts with reconstructParMesh",
                              path, part[0].name, part[i].name);
        if (part[i].first != expected)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s: the case is decomposed, but its part %lld is missing", path,
                              (long long)expected);
        expected = part[i].last + 1;
    }
    if (part[0].of > expected)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: the case is decomposed, but its part %lld is missing", path,
                          (long long)expected);
    return MPLAN_OK;
}

/* found->parts: the folders with the meshes of a decomposed case. zone: a region, or NULL.
 * found->parts points to the strings of found->names, which mplan_foam_case_free releases, also after a failure. */
static mplan_status find_parts(const char *path, const char *zone, mplan_foam_case *found,
                               mplan_error *err)
{
    mplan_vector parts = MPLAN_VECTOR_INIT(sizeof(part_folder));
    mplan_status status = list_parts(path, &parts, err);
    const part_folder *part = parts.data;
    found->names = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(char *));
    if (!status && parts.count == 0)
        status = mplan_fail(err, MPLAN_ERR_NO_INPUT,
                            "%s: the folders of its parts are not readable", path);
    if (!status)
        status = check_parts(path, part, parts.count, err);
    for (int64_t i = 0; i < parts.count && !status; i++) {
        char inside[600], *folder = NULL;
        int n = snprintf(inside, sizeof inside, "/%s", part[i].name);
        size_t room = strlen(path) + (size_t)n + 1;
        char *base = mplan_alloc((int64_t)room, 1, err);
        if (!base) {
            status = MPLAN_ERR_MEMORY;
            break;
        }
        snprintf(base, room, "%s%s", path, inside);
        status = zone ? find_region(base, zone, &folder, err) : find_mesh(base, &folder, err);
        if (!status && !folder)
            status = mplan_fail(err, zone ? MPLAN_ERR_ARGUMENT : MPLAN_ERR_NO_INPUT,
                                "%s: there is no mesh%s%s in this part of a decomposed case", base,
                                zone ? " of region " : "", zone ? zone : "");
        if (!status && mplan_vector_push(&found->names, &folder, err)) {
            free(folder);
            status = MPLAN_ERR_MEMORY;
        }
        free(base);
    }
    if (!status)
        found->parts = (mplan_foam_decomposed){found->names.data, found->names.count,
                                               part[0].collated};
    free(parts.data);
    return status;
}

/* --- what was named --------------------------------------------------------------------- */

void mplan_foam_case_free(mplan_foam_case *found)
{
    for (int64_t i = 0; i < found->names.count; i++)
        free(((char **)found->names.data)[i]);
    free(found->names.data);
    free(found->folder);
    *found = (mplan_foam_case){0};
}

/* Neither a mesh nor parts: a case of regions, or none. */
static mplan_status fail_none(const char *path, const char *zone, const char *regions,
                              mplan_error *err)
{
    if (zone && *regions)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no region '%.64s' among %s", path,
                          zone, regions);
    if (zone)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no region '%.64s'", path, zone);
    if (*regions)
        return mplan_fail(err, MPLAN_ERR_NO_INPUT,
                          "%s: there is no mesh in constant/polyMesh, but there are regions: %s; "
                          "--zone REGION reads one, or name %s/constant/REGION",
                          path, regions, path);
    return mplan_fail(err, MPLAN_ERR_NO_INPUT,
                      "%s: there is no mesh in it or in constant/polyMesh (files faces and owner)",
                      path);
}

/* The mesh at a path, or the parts of one.
 * One part is refused where its folder is named: its faces to other parts would be a boundary. */
static mplan_status find_at(const char *path, const char *zone, mplan_foam_case *found,
                            const mplan_context *context, mplan_error *err)
{
    char regions[LIST_BYTES] = "";
    mplan_status status = zone ? find_region(path, zone, &found->folder, err)
                               : find_mesh(path, &found->folder, err);
    if (!status && !(found->folder && zone))
        status = list_regions(path, regions, err);
    if (!status && !found->folder)
        status = has_parts(path) ? find_parts(path, zone, found, err)
                                 : fail_none(path, zone, regions, err);
    if (!status && found->folder && *regions)
        mplan_warn(context, "%s: the case also has regions (%s); only constant/polyMesh is read",
                   path, regions);
    if (!status && found->folder && leads_into_part(found->folder))
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "%s: this is one part of a decomposed case; name the case, or join its "
                            "parts with reconstructParMesh",
                            found->folder);
    return status;
}

mplan_status mplan_foam_find(const mplan_input *input, const char *zone, mplan_foam_case *found,
                             const mplan_context *context, mplan_error *err)
{
    char *named = NULL;
    mplan_status status = !input->data ? MPLAN_OK : folder_of_file(input, &named, err);
    if (!status)
        status = find_at(!input->data ? input->path : named, zone, found, context, err);
    free(named);
    return status;
}
