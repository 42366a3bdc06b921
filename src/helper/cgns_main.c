/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_main.c - meshplan-read-cgns: CGNS files by libcgns, in HDF5 and in ADF
 *
 * Nodes may be links, in ADF by a name of a file and of a node. Those into the same file are followed
 * as the library does; those into others are refused before it opens any.
 *
 * A library of version 3 refuses files that one of version 4 wrote, although it reads all that this reader asks
 * for: what version 4 changed, the offsets of ragged sections, it knows from 3.4 on. It is told that such a file
 * is of its own version. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <cgns_io.h>
#include <cgnslib.h>

#include "base/error.h"
#include "base/memory.h"
#include "helper/helper.h"
#include "helper/reading.h"

/* libhdf5 asks for the path behind a name that is a link, before it opens it. The input has none, and
 * nothing else can be opened: every name is its own. The second is what C libraries that check sizes call. */
MPLAN_INSTEAD char *__realpath_chk(const char *name, char *resolved, size_t size);
MPLAN_INSTEAD char *realpath(const char *restrict name, char *restrict resolved);

/* A copy of name, in resolved or, where that is NULL, from malloc; NULL where it needs more than size bytes. */
static char *same_name(const char *name, char *resolved, size_t size)
{
    size_t bytes = strlen(name) + 1;
    char *to = bytes > size ? NULL : resolved ? resolved : malloc(bytes);
    return to ? memcpy(to, name, bytes) : NULL;
}

char *realpath(const char *restrict name, char *restrict resolved)
{
    return same_name(name, resolved, PATH_MAX);
}

char *__realpath_chk(const char *name, char *resolved, size_t size)
{
    return same_name(name, resolved, size);
}

/* What libcgns calls to read the number of a file's version, among all else. The linker puts ours before a static
 * library's (--wrap), the loader before a shared one's. */
#ifdef MPLAN_CGNS_WRAPPED
#define OURS(name) __wrap_##name
#define THEIRS(name) __real_##name
int __real_cgio_read_all_data(int tree, double node, void *data);
int __real_cgio_read_all_data_type(int tree, double node, const char *type, void *data);
#else
#include <dlfcn.h>
#define OURS(name) name
typedef int read_all(int tree, double node, void *data);
typedef int read_all_type(int tree, double node, const char *type, void *data);
#endif
MPLAN_INSTEAD int OURS(cgio_read_all_data)(int tree, double node, void *data);
MPLAN_INSTEAD int OURS(cgio_read_all_data_type)(int tree, double node, const char *type, void *data);

/* Lowers a version of a later generation to the library's own.
 * data: what was read of the node; one float where it is the version. Other nodes are left as they are. */
static void lower_version(int tree, double node, void *data)
{
    char label[CGIO_MAX_NAME_LENGTH + 1] = "", type[CGIO_MAX_DATATYPE_LENGTH + 1] = "";
    float version;
    if (cgio_get_label(tree, node, label) != CGIO_ERR_NONE ||
        strcmp(label, "CGNSLibraryVersion_t") != 0 ||
        cgio_get_data_type(tree, node, type) != CGIO_ERR_NONE || strcmp(type, "R4") != 0)
        return;
    memcpy(&version, data, sizeof version);
    if (version >= (float)(CGNS_VERSION / 1000 + 1)) {
        version = (float)CGNS_DOTVERS;
        memcpy(data, &version, sizeof version);
    }
}

/* In the place of the function of libcgns: reads by it, then lowers the version of the file
 * where the library would refuse it only for its number. */
int OURS(cgio_read_all_data)(int tree, double node, void *data)
{
#ifdef MPLAN_CGNS_WRAPPED
    int result = THEIRS(cgio_read_all_data)(tree, node, data);
#else
    read_all *theirs;
    *(void **)&theirs = dlsym(RTLD_NEXT, "cgio_read_all_data");
    int result = theirs ? theirs(tree, node, data) : CGIO_ERR_FILE_TYPE;
#endif
    if (result == CGIO_ERR_NONE)
        lower_version(tree, node, data);
    return result;
}

/* The same for the function that later versions of libcgns call. */
int OURS(cgio_read_all_data_type)(int tree, double node, const char *type, void *data)
{
#ifdef MPLAN_CGNS_WRAPPED
    int result = THEIRS(cgio_read_all_data_type)(tree, node, type, data);
#else
    read_all_type *theirs;
    *(void **)&theirs = dlsym(RTLD_NEXT, "cgio_read_all_data_type");
    int result = theirs ? theirs(tree, node, type, data) : CGIO_ERR_FILE_TYPE;
#endif
    if (result == CGIO_ERR_NONE)
        lower_version(tree, node, data);
    return result;
}

const mplan_file_format *const mplan_helper_formats[] = {&mplan_format_cgns, NULL};

/* Nodes that wait to be looked at, each by its place in the file. */
typedef struct adf_walk {
    const mplan_input *input;
    int tree;
    int64_t seen, most; /* nodes; more than `most` no file of this size has */
    mplan_vector nodes; /* of double */
} adf_walk;

/* Links within the file are harmless.
 * *is_link: its children are those of its target, which is looked at in its own place. */
static mplan_status look_at_link(const adf_walk *walk, double node, bool *is_link, mplan_error *err)
{
    int length = 0, file = 0, name = 0;
    *is_link = cgio_is_link(walk->tree, node, &length) == CGIO_ERR_NONE && length > 0;
    if (*is_link && (cgio_link_size(walk->tree, node, &file, &name) != CGIO_ERR_NONE || file > 0))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: a node is a link to another file, which is not followed",
                          walk->input->path);
    return MPLAN_OK;
}

/* In pieces, appended to walk->nodes, whose number the size of the file bounds. */
static mplan_status add_children(adf_walk *walk, double node, mplan_error *err)
{
    enum { PIECE = 64 };
    double some[PIECE];
    int n = 0, got = 0;
    mplan_status status = MPLAN_OK;
    if (cgio_number_children(walk->tree, node, &n) != CGIO_ERR_NONE)
        return MPLAN_OK; /* the reader says what is wrong with it */
    for (int first = 1; first <= n && !status; first += PIECE) {
        if (cgio_children_ids(walk->tree, node, first, PIECE, &got, some) != CGIO_ERR_NONE)
            return MPLAN_OK;
        for (int i = 0; i < got && i < PIECE && !status; i++)
            status = mplan_vector_push(&walk->nodes, &some[i], err);
        if (!status && walk->nodes.count + walk->seen > walk->most)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                                "%s: damaged: nodes that contain themselves", walk->input->path);
    }
    return status;
}

/* Before libcgns opens the file: cycles and links out of it would be followed.
 * nodes is a stack of those that wait, so that deep files do not use up the program's own. What cannot be opened is
 * left to the reader. */
static mplan_status walk_adf(const mplan_input *input, mplan_error *err)
{
    adf_walk walk = {.input = input,
                     .most = (int64_t)input->size / 64,
                     .nodes = MPLAN_VECTOR_INIT(sizeof(double))};
    double root;
    if (cgio_open_file(input->path, CGIO_MODE_READ, CGIO_FILE_ADF, &walk.tree) != CGIO_ERR_NONE)
        return MPLAN_OK;
    mplan_status status = MPLAN_OK;
    if (cgio_get_root_id(walk.tree, &root) == CGIO_ERR_NONE)
        status = mplan_vector_push(&walk.nodes, &root, err);
    while (!status && walk.nodes.count > 0) {
        double node = ((double *)walk.nodes.data)[--walk.nodes.count];
        bool is_link = false;
        walk.seen++;
        status = look_at_link(&walk, node, &is_link, err);
        if (!status && !is_link)
            status = add_children(&walk, node, err);
    }
    cgio_close_file(walk.tree);
    return status;
}

/* HDF5 is known by its signature, all else is taken for ADF. Errors of libcgns must not end the program. */
mplan_status mplan_helper_look_over(const mplan_input *input, mplan_error *err)
{
    cgio_error_abort(0);
    bool hdf5 = input->size >= 8 && memcmp(input->data, "\x89HDF\r\n\x1a\n", 8) == 0;
    return hdf5 ? mplan_hdf5_walk(input, false, err) : walk_adf(input, err);
}
