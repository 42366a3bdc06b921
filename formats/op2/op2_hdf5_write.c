/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_write.c - writes what OP2's op_decl_set_hdf5, op_decl_map_hdf5 and
 * op_decl_dat_hdf5 read
 *
 * A set is a scalar int, its size. A map is a table of int, with the attributes size (rows),
 * dim (columns) and type ("int"); a dat is a table with size (bytes of a row), dim and type.
 * Maps have from and to besides, dats set: the names of sets, which OP2 takes from its program.
 *
 * HDF5 makes the file in memory, so that it appears whole or not at all, also on standard
 * output, and needs no locks of the file system. Nothing in it depends on the time. */
#include "formats/op2/op2_hdf5_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"

#if defined MPLAN_HAVE_HDF5

#include <hdf5.h>

#include "formats/hdf5_output.h"
#include "formats/library_lock.h"

enum { TYPE_BYTES = 10 /* that OP2 reads of a type's name */ };

static const char int_word[TYPE_BYTES] = "int", double_word[TYPE_BYTES] = "double";

/* An OP2 file that is being written. */
typedef struct op2_file {
    const mplan_mesh *mesh;
    const mplan_context *context;
    hid_t file, properties; /* of datasets */
    int64_t n_maps;         /* written */
    mplan_error *err;
} op2_file;

/* what: a dataset or attribute. The library gives no reason that a user could act on. */
static mplan_status fail_hdf5(const op2_file *to, const char *what)
{
    return mplan_fail(to->err, MPLAN_ERR_IO, "HDF5 cannot make '%.200s'", what);
}

/* --- attributes and datasets ------------------------------------------------------ */

/* A single value; false if any call fails. */
static bool put_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = space < 0 ? -1
                                : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    if (space >= 0)
        H5Sclose(space);
    return done;
}

/* size: with the final zero, and what is behind it */
static bool put_text(hid_t object, const char *name, const char *text, size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool done = type >= 0 && H5Tset_size(type, size) >= 0 && put_attribute(object, name, type, text);
    if (type >= 0)
        H5Tclose(type);
    return done;
}

/* A table of rows x cols numbers, or with cols 0 one number; `size` is the attribute of that
 * name. The dataset stays open in *made for more attributes. */
static mplan_status put_table(const op2_file *to, const char *name, hid_t type,
                              const char word[TYPE_BYTES], int64_t rows, int32_t cols, int64_t size,
                              const void *data, hid_t *made)
{
    const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)cols};
    hid_t space = cols > 0 ? H5Screate_simple(2, shape, NULL) : H5Screate(H5S_SCALAR);
    *made = space < 0
                ? -1
                : H5Dcreate2(to->file, name, type, space, H5P_DEFAULT, to->properties, H5P_DEFAULT);
    bool done = *made >= 0 &&
                (rows == 0 || H5Dwrite(*made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    int bytes = (int)size;
    if (cols > 0)
        done = done && put_attribute(*made, "size", H5T_NATIVE_INT, &bytes) &&
               put_attribute(*made, "dim", H5T_NATIVE_INT, &cols) &&
               put_text(*made, "type", word, TYPE_BYTES);
    if (space >= 0)
        H5Sclose(space);
    if (done)
        return mplan_interrupted(to->context, to->err);
    return fail_hdf5(to, name);
}

/* A dat of a set, <set><ending>. */
static mplan_status put_dat(const op2_file *to, const mplan_mesh_set_data *set, const char *ending,
                            hid_t type, const char word[TYPE_BYTES], int32_t cols, size_t bytes,
                            const void *data)
{
    hid_t made = -1;
    size_t room = strlen(set->name) + strlen(ending) + 1;
    char *name = mplan_alloc((int64_t)room, 1, to->err);
    if (!name)
        return MPLAN_ERR_MEMORY;
    snprintf(name, room, "%s%s", set->name, ending);
    mplan_status status = put_table(to, name, type, word, set->size, cols, (int64_t)bytes * cols,
                                    data, &made);
    if (!status && !put_text(made, "set", set->name, strlen(set->name) + 1))
        status = fail_hdf5(to, name);
    free(name);
    if (made >= 0)
        H5Dclose(made);
    return status;
}

/* --- the mesh --------------------------------------------------------------------- */

/* HDF5 takes / for a folder. */
static bool is_name(const char *name)
{
    return !strchr(name, '/') && strcmp(name, ".") != 0;
}

/* A dataset of one int. */
static mplan_status put_set(const op2_file *to, const mplan_mesh_set_data *set)
{
    const int size = (int)set->size;
    hid_t made = -1;
    if (!is_name(set->name))
        return mplan_fail(to->err, MPLAN_ERR_UNSUPPORTED,
                          "'%.200s' cannot be a name in an OP2 file", set->name);
    mplan_status status = put_table(to, set->name, H5T_NATIVE_INT, int_word, 1, 0, 0, &size, &made);
    if (made >= 0)
        H5Dclose(made);
    return status;
}

/* Why a map has no place; NULL when it has.
 * OP2 has no -1 in maps and no rows of different lengths. */
static const char *unfit(const mplan_map *map)
{
    if (map->arity == 0)
        return "has rows of different lengths";
    if (!is_name(map->name))
        return "has a name with a slash";
    for (int64_t i = 0; i < map->n_rows * map->arity; i++)
        if (map->values[i] < 0)
            return "has entries -1";
    return NULL;
}

/* Maps that OP2 cannot hold are named in a warning. */
static mplan_status put_map(op2_file *to, int32_t index)
{
    mplan_map map = mplan_mesh_map(to->mesh, index);
    const char *from = to->mesh->sets[map.from].name, *into = to->mesh->sets[map.to].name;
    const char *reason = unfit(&map);
    hid_t made = -1;
    if (reason) {
        mplan_warn(to->context, "map '%s' %s and cannot be stored in an OP2 file", map.name, reason);
        return MPLAN_OK;
    }
    mplan_status status = put_table(to, map.name, H5T_NATIVE_INT, int_word, map.n_rows, map.arity,
                                    map.n_rows, map.values, &made);
    if (!status && !(put_text(made, "from", from, strlen(from) + 1) &&
                     put_text(made, "to", into, strlen(into) + 1)))
        status = fail_hdf5(to, map.name);
    if (made >= 0)
        H5Dclose(made);
    to->n_maps++;
    return status;
}

/* Ids of the groups of a set; of two groups that hold a member the first counts.
 * A dat of one int for each member, 0 for those in no group; so ids 0 and beyond 32 bits cannot be stored. */
static mplan_status put_groups(const op2_file *to, int32_t s)
{
    const mplan_mesh *mesh = to->mesh;
    const mplan_mesh_set_data *set = &mesh->sets[s];
    int32_t *id = NULL;
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        const mplan_mesh_group_data *group = &mesh->groups[g];
        if (group->set != s)
            continue;
        if (group->id <= INT32_MIN || group->id > INT32_MAX || group->id == 0) {
            mplan_warn(to->context, "the number %lld of group '%s' cannot be stored in an OP2 file",
                       (long long)group->id, group->name);
            continue;
        }
        if (!id && !(id = mplan_alloc_zero(set->size, sizeof *id, to->err)))
            return MPLAN_ERR_MEMORY;
        for (int64_t i = 0; i < group->n_members; i++)
            if (id[group->members[i]] == 0)
                id[group->members[i]] = (int32_t)group->id;
    }
    if (!id)
        return MPLAN_OK;
    mplan_status status = put_dat(to, set, "_group", H5T_NATIVE_INT, int_word, 1, sizeof *id, id);
    free(id);
    return status;
}

/* Sets, maps, coordinates. */
static mplan_status put_mesh(op2_file *to)
{
    const mplan_mesh *mesh = to->mesh;
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < mesh->n_sets && !status; s++)
        status = put_set(to, &mesh->sets[s]);
    for (int32_t m = 0; m < mesh->n_maps && !status; m++)
        status = put_map(to, m);
    for (int32_t s = 0; s < mesh->n_sets && !status; s++) {
        if (mesh->sets[s].coordinates)
            status = put_dat(to, &mesh->sets[s], "_coordinates", H5T_NATIVE_DOUBLE, double_word,
                             mesh->sets[s].dimension, sizeof(double), mesh->sets[s].coordinates);
        if (!status)
            status = put_groups(to, s);
    }
    if (!status && to->n_maps == 0)
        status = mplan_fail(to->err, MPLAN_ERR_UNSUPPORTED,
                            "none of the maps of the mesh can be stored in an OP2 file");
    return status;
}

/* --- the file --------------------------------------------------------------------- */

/* In memory: nothing is on disk until the bytes are written as any output. */
static bool open_file(op2_file *to)
{
    to->properties = H5Pcreate(H5P_DATASET_CREATE);
    if (to->properties >= 0 && H5Pset_obj_track_times(to->properties, false) >= 0)
        to->file = mplan_hdf5_output_open(to->mesh, H5P_DEFAULT);
    return to->file >= 0;
}

/* What the format has no place for. */
static void warn_of_loss(const mplan_mesh *mesh, const mplan_context *context)
{
    bool named = false;
    for (int32_t g = 0; g < mesh->n_groups; g++)
        named = named || mesh->groups[g].name[0];
    if (mplan_mesh_cell_types(mesh) || named)
        mplan_warn(context, "types of cells and names of groups cannot be stored in an OP2 file");
    if (mesh->n_facet_groups > 0)
        mplan_warn(context,
                   "%d groups of facets cannot be stored in an OP2 file without the set that "
                   "they belong to: --map boundary_faces_nodes makes it",
                   (int)mesh->n_facet_groups);
}

/* As cgns_write.c: made in memory under the lock of the library, then written. */
mplan_status mplan_op2_hdf5_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                  const mplan_context *context, mplan_error *err)
{
    (void)what; /* is there, and all maps are written */
    op2_file to = {mesh, context, -1, -1, 0, err};
    H5E_auto2_t print;
    void *data;
    warn_of_loss(mesh, context);
    mplan_library_lock();
    bool quiet = H5Eget_auto2(H5E_DEFAULT, &print, &data) >= 0 &&
                 H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
    mplan_status status = open_file(&to) ? put_mesh(&to)
                                         : mplan_fail(err, MPLAN_ERR_MEMORY,
                                                      "HDF5 cannot make a file in memory");
    if (!status)
        status = mplan_hdf5_output_write(to.file, output, context, err);
    if (to.properties >= 0)
        H5Pclose(to.properties);
    if (to.file >= 0)
        H5Fclose(to.file);
    if (quiet)
        H5Eset_auto2(H5E_DEFAULT, print, data);
    mplan_library_unlock();
    return status;
}

#elif defined MPLAN_HELPER_HDF5

#include "formats/contained_formats.h"

mplan_status mplan_op2_hdf5_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                  const mplan_context *context, mplan_error *err)
{
    (void)what; /* is there, and all maps are written */
    return mplan_contained_write("op2-hdf5", mesh, output, context, err);
}

#else

mplan_status mplan_op2_hdf5_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                                  const mplan_context *context, mplan_error *err)
{
    (void)mesh;
    (void)what;
    (void)output;
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "OP2's HDF5 files need a build with libhdf5");
}

#endif
