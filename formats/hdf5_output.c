/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_output.c - HDF5 files in memory: libhdf5's core driver keeps their bytes, which are written in pieces */
#include "formats/hdf5_output.h"

#include "base/error.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_HDF5

enum { PIECE = 1 << 24, SLACK = 1 << 16 };

/* The library opens what has the name of a file in memory, for reading and writing: nothing can have this one. */
#define NOWHERE "/dev/null/meshplan"

/* At least what a file of the mesh takes. */
static size_t expected_bytes(const mplan_mesh *mesh)
{
    int64_t bytes = SLACK;
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        bytes += mplan_map_entries(&map) * (int64_t)sizeof *map.values;
    }
    for (int32_t s = 0; s < mesh->n_sets; s++)
        bytes += mesh->sets[s].size *
                 (mesh->sets[s].dimension * (int64_t)sizeof(double) + (int64_t)sizeof(int32_t));
    return (size_t)bytes;
}

hid_t mplan_hdf5_output_open(const mplan_mesh *mesh, hid_t create)
{
    hid_t file = -1, access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fapl_core(access, expected_bytes(mesh), false) >= 0)
        file = H5Fcreate(NOWHERE, H5F_ACC_TRUNC, create, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

/* The image of a file that HDF5 keeps in memory, PIECE bytes at a time, straight from the
 * driver's memory: H5Fget_file_image would need a second copy of it. */
mplan_status mplan_hdf5_output_write(hid_t file, mplan_output *output, const mplan_context *context,
                                     mplan_error *err)
{
    void *handle = NULL;
    ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
    if (size < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || !handle)
        return mplan_fail(err, MPLAN_ERR_IO, "HDF5 cannot make 'the file'");
    const char *bytes = *(char *const *)handle; /* the driver's handle begins with where they are */
    mplan_status status = MPLAN_OK;
    for (ssize_t at = 0; at < size && !status; at += PIECE) {
        ssize_t n = size - at < PIECE ? size - at : PIECE;
        status = mplan_interrupted(context, err);
        if (!status)
            status = mplan_output_write(output, bytes + at, (size_t)n, err);
        mplan_progress(context, "write", at + n, size);
    }
    return status;
}

#endif
