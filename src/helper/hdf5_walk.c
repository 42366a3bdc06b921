/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_walk.c - links and storage of an HDF5 file, looked over before anything follows them
 *
 * Every group is entered once, by the address of its header. Files whose groups are in several
 * places are refused: readers that follow each link take time and memory without end on them. So are
 * links into other files, and datasets whose numbers are in other files: such a file could make any
 * file of the user's a part of what is read. */
#include "helper/reading.h"

#ifdef MPLAN_HAVE_HDF5
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/hdf5_image.h"

enum { DEEPEST = 100, BYTES_A_LINK = 8 };

/* Addresses of the groups that were entered; size a power of two, empty places are 0.
 * links: seen so far; `most` is what a file of this size can hold, at BYTES_A_LINK each. depth: groups that are open. */
typedef struct hdf5_walk {
    const mplan_input *input;
    bool soft;
    int64_t links, most;
    uint64_t *place;
    size_t n, size;
    int depth;
    mplan_status status;
    mplan_error *err;
} hdf5_walk;

/* Notes the failure; its 1 ends the iteration of libhdf5 at every depth. */
static herr_t refuse(hdf5_walk *walk, mplan_status status, const char *name, const char *what)
{
    walk->status = mplan_fail(walk->err, status, "%s: %s%.200s %s", walk->input->path,
                              status == MPLAN_ERR_CORRUPT ? "damaged: " : "", name, what);
    return 1;
}

/* The address of an object's header, +1 so that it is not 0; 0 where it cannot be told. */
static uint64_t address_of(hid_t object)
{
    uint64_t address = 0;
#if H5_VERSION_GE(1, 12, 0)
    H5O_info2_t about;
    if (H5Oget_info3(object, &about, H5O_INFO_BASIC) >= 0)
        memcpy(&address, &about.token, sizeof address);
#else
    H5O_info_t about;
    if (H5Oget_info(object, &about) >= 0)
        address = (uint64_t)about.addr;
#endif
    return address + 1;
}

/* Open addressing in a table of `size` entries, a power of two. False if the
 * address was there. */
static bool put_address(uint64_t *place, size_t size, uint64_t address)
{
    size_t i = (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (size - 1);
    while (place[i] && place[i] != address)
        i = (i + 1) & (size - 1);
    bool fresh = place[i] == 0;
    place[i] = address;
    return fresh;
}

/* False when it was there already, or memory ran out (then status says so).
 * The table is doubled once it is half full, so that a search always meets an empty place. */
static bool enter(hdf5_walk *walk, uint64_t address)
{
    if (walk->n * 2 >= walk->size) {
        size_t size = walk->size ? walk->size * 2 : 64;
        uint64_t *place = mplan_alloc_zero((int64_t)size, sizeof *place, walk->err);
        if (!place) {
            walk->status = MPLAN_ERR_MEMORY;
            return false;
        }
        for (size_t i = 0; i < walk->size; i++)
            if (walk->place[i])
                put_address(place, size, walk->place[i]);
        free(walk->place);
        walk->place = place;
        walk->size = size;
    }
    bool fresh = put_address(walk->place, walk->size, address);
    walk->n += fresh;
    return fresh;
}

/* Virtual datasets and external storage would read other files. */
static herr_t look_at_dataset(hdf5_walk *walk, hid_t dataset, const char *name)
{
    hid_t made = H5Dget_create_plist(dataset);
    herr_t refused = 0;
    if (made < 0)
        return 0;
    if (H5Pget_layout(made) == H5D_VIRTUAL)
        refused = refuse(walk, MPLAN_ERR_UNSUPPORTED, name,
                         "is a virtual dataset, which is not followed");
    else if (H5Pget_external_count(made) > 0)
        refused = refuse(walk, MPLAN_ERR_UNSUPPORTED, name,
                         "has its numbers in another file, which is not read");
    H5Pclose(made);
    return refused;
}

static herr_t look_at_link(hid_t group, const char *name, const H5L_info_t *link, void *data);

/* A group that is reached twice could be a cycle. */
static herr_t look_at_group(hdf5_walk *walk, hid_t group, const char *name)
{
    if (!enter(walk, address_of(group)))
        return walk->status ? 1
                            : refuse(walk, MPLAN_ERR_CORRUPT, name,
                                     "is a group that is reached by several links");
    if (walk->depth >= DEEPEST)
        return refuse(walk, MPLAN_ERR_CORRUPT, name, "is a group that is nested too deeply");
    walk->depth++;
    herr_t refused = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, look_at_link, walk);
    walk->depth--;
    return walk->status ? 1 : refused < 0 ? 0 : refused; /* what cannot be read the reader tells */
}

/* Called by libhdf5 for each link; 1 ends the iteration. */
static herr_t look_at_link(hid_t group, const char *name, const H5L_info_t *link, void *data)
{
    hdf5_walk *walk = data;
    if (++walk->links > walk->most)
        return refuse(walk, MPLAN_ERR_CORRUPT, name, "is one of more links than the file can hold");
    if (link->type != H5L_TYPE_HARD && link->type != H5L_TYPE_SOFT)
        return refuse(walk, MPLAN_ERR_UNSUPPORTED, name,
                      "is a link to another file, which is not followed");
    if (link->type == H5L_TYPE_SOFT && !walk->soft)
        return 0;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0)
        return 0;
    H5I_type_t type = H5Iget_type(object);
    herr_t refused = type == H5I_GROUP     ? look_at_group(walk, object, name)
                     : type == H5I_DATASET ? look_at_dataset(walk, object, name)
                                           : 0;
    H5Oclose(object);
    return refused;
}

/* soft: soft links are followed by the reader, and so looked at. */
mplan_status mplan_hdf5_walk(const mplan_input *input, bool soft, mplan_error *err)
{
    hdf5_walk walk = {
        .input = input, .soft = soft, .most = (int64_t)(input->size / BYTES_A_LINK), .err = err};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = mplan_hdf5_open_image(input);
    if (file < 0)
        return MPLAN_OK;
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    if (root >= 0) {
        look_at_group(&walk, root, "/");
        H5Gclose(root);
    }
    H5Fclose(file);
    free(walk.place);
    return walk.status;
}
#else
mplan_status mplan_hdf5_walk(const mplan_input *input, bool soft, mplan_error *err)
{
    (void)input;
    (void)soft;
    (void)err;
    return MPLAN_OK;
}
#endif
