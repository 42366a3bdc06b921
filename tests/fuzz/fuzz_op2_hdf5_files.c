/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_op2_hdf5_files.c - OP2's HDF5 files that libhdf5 writes after the bytes: refused, or a mesh from which all
 * can be derived
 *
 * The bytes say what datasets there are and what they hold, so that our checks are what is tried: what
 * libhdf5 makes of damaged files is not ours. */
#include <hdf5.h>

#include "fuzz_bytes.h"
#include "fuzz_mesh.h"

/* Numbers, now and then large or negative. */
static int64_t take_number(fuzz_bytes *from)
{
    int value = fuzz_take(from, 255);
    return value < 200   ? value % 12
           : value < 230 ? -1
           : value < 250 ? -value
                         : (int64_t)value << (value % 56);
}

static void write_attribute(hid_t dataset, const char *name, int value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(dataset, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        H5Awrite(attribute, H5T_NATIVE_INT, &value);
        H5Aclose(attribute);
    }
    H5Sclose(space);
}

static void write_table(fuzz_bytes *from, hid_t file)
{
    static const char *const names[] = {"nodes",
                                        "edges",
                                        "cells",
                                        "bedges",
                                        "pedge",
                                        "pecell",
                                        "pcell",
                                        "pbedge",
                                        "p_x",
                                        "pbecell",
                                        "p_bound",
                                        "edge-->node",
                                        "coords",
                                        "a-->b.c",
                                        "s",
                                        "edges_cells",
                                        "node_coordinates",
                                        "-->"};
    int64_t wide[256];
    double real[256];
    hsize_t length[3];
    const char *name = names[fuzz_take(from, 17)];
    int rank = fuzz_take(from, 3);
    bool is_real = fuzz_take(from, 4) == 0;
    for (int d = 0; d < 3; d++)
        length[d] = (hsize_t)fuzz_take(from, 6);
    for (int i = 0; i < 256; i++) {
        wide[i] = i < 64 ? take_number(from) : 0;
        real[i] = (double)wide[i];
    }
    hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, length, NULL);
    hid_t dataset = H5Dcreate2(file, name,
                               is_real              ? H5T_IEEE_F64LE
                               : fuzz_take(from, 1) ? H5T_STD_I32LE
                                                    : H5T_STD_I64LE,
                               space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (dataset >= 0) {
        if (is_real)
            H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, real);
        else
            H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide);
        if (fuzz_take(from, 1)) {
            write_attribute(dataset, "size", 1);
            write_attribute(dataset, "dim", 1);
            write_attribute(dataset, "type", 1);
        }
        H5Dclose(dataset);
    }
    H5Sclose(space);
}

/* The bytes of a file in memory; NULL on failure. */
static uint8_t *write_file(const uint8_t *data, size_t size, size_t *written)
{
    fuzz_bytes from = {data, data + size};
    uint8_t *image = NULL;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Pset_fapl_core(access, 1 << 16, 0);
    hid_t file = H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    int n = 1 + fuzz_take(&from, 9);
    for (int i = 0; i < n && file >= 0; i++)
        write_table(&from, file);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t length = H5Fget_file_image(file, NULL, 0);
    if (length > 0 && (image = malloc((size_t)length)) != NULL)
        H5Fget_file_image(file, image, (size_t)length);
    *written = length > 0 ? (size_t)length : 0;
    H5Fclose(file);
    H5Pclose(access);
    return image;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t written;
    if (size > 0 && data[0] == 0x89) /* a file */
        return 0;
    uint8_t *image = write_file(data, size, &written);
    if (image)
        fuzz_read(&mplan_format_op2_hdf5, image, written);
    free(image);
    return 0;
}
