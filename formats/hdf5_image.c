/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_image.c - opens the bytes of an HDF5 file where they are */
#include "formats/hdf5_image.h"

#ifdef MPLAN_HAVE_HDF5
/* Callbacks by which the library, which would copy the file's bytes, uses them where they are: every buffer
 * is the input itself, which it only reads. */
static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *input)
{
    (void)op;
    const mplan_input *of = input;
    return size <= of->size ? (void *)(uintptr_t)of->data : NULL;
}

/* Callbacks by which libhdf5 reads the bytes in place: it asks for copies, gets
 * the input itself, and never frees it. */
static void *image_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *input)
{
    (void)size;
    (void)op;
    (void)input;
    return to == from ? to : NULL;
}

/* libhdf5 must not resize what is only read. */
static void *image_realloc(void *old, size_t size, H5FD_file_image_op_t op, void *input)
{
    (void)old;
    (void)size;
    (void)op;
    (void)input;
    return NULL;
}

/* The bytes are the input's. */
static herr_t image_free(void *old, H5FD_file_image_op_t op, void *input)
{
    (void)old;
    (void)op;
    (void)input;
    return 0;
}

/* The callbacks share one user value, which is not copied. */
static void *keep_input(void *input)
{
    return input;
}

/* As keep_input. */
static herr_t leave_input(void *input)
{
    (void)input;
    return 0;
}

/* Reads from memory, without a copy: libhdf5's core driver would copy the image unless these
 * callbacks give it ours. Negative: it cannot be opened. input must outlive the file. */
hid_t mplan_hdf5_open_image(const mplan_input *input)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    H5FD_file_image_callbacks_t callbacks = {
        image_malloc, image_copy,  image_realloc,           image_free,
        keep_input,   leave_input, (void *)(uintptr_t)input};
    if (access >= 0 && H5Pset_fapl_core(access, 1 << 20, 0) >= 0 &&
        H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
        H5Pset_file_image(access, (void *)(uintptr_t)input->data, input->size) >= 0)
        file = H5Fopen("input", H5F_ACC_RDONLY, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}
#else
typedef int mplan_no_hdf5;
#endif
