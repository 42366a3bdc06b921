/* SPDX-License-Identifier: Apache-2.0 */
/* contained_formats.h - formats that programs of libexec read, through libraries that damaged files crash
 *
 * exodus.c, ugrid.c, mpas.c, icon.c, fesom_diag.c, cgns.c, op2_hdf5.c and those of formats/hdf5 are compiled twice: into those programs (src/helper),
 * where they call libnetcdf, libcgns and libhdf5 (MPLAN_HAVE_...), and into the library, where they
 * recognise files by words and ask the programs (MPLAN_HELPER_...). What comes back is a mesh as bytes
 * (mesh/mesh_transfer.h), looked over like any file. */
#ifndef MPLAN_FORMATS_CONTAINED_H
#define MPLAN_FORMATS_CONTAINED_H

#include "formats/format.h"

/* The program of a format, its limits by options and size of the file. `format`: "exodus", ... . What
 * mplan_child_run returns, and what the reader says. */
mplan_status mplan_contained_read(const char *format, const mplan_input *input,
                                  const mplan_read_options *options, const mplan_context *context,
                                  mplan_mesh *mesh, mplan_error *err);

/* `read` of a format that a program reads: FUNCTION calls mplan_contained_read. */
#define MPLAN_CONTAINED_READER(FUNCTION, FORMAT)                                                   \
    static mplan_status FUNCTION(const mplan_input *input, const mplan_read_options *options,      \
                                 const mplan_context *context, mplan_mesh *mesh, mplan_error *err) \
    {                                                                                              \
        return mplan_contained_read(FORMAT, input, options, context, mesh, err);                   \
    }

/* The member of a format's record that says who reads it in this build, or which library is missing. FUNCTION is defined
 * where the library or its program is there. */
#if defined MPLAN_HAVE_NETCDF || defined MPLAN_HELPER_NETCDF
#define MPLAN_READ_BY_NETCDF(FUNCTION) .read = (FUNCTION)
#else
#define MPLAN_READ_BY_NETCDF(FUNCTION) .missing = "libnetcdf"
#endif
#if defined MPLAN_HAVE_CGNS || defined MPLAN_HELPER_CGNS
#define MPLAN_READ_BY_CGNS(FUNCTION) .read = (FUNCTION)
#else
#define MPLAN_READ_BY_CGNS(FUNCTION) .missing = "libcgns"
#endif
#if defined MPLAN_HAVE_HDF5 || defined MPLAN_HELPER_HDF5
#define MPLAN_READ_BY_HDF5(FUNCTION) .read = (FUNCTION)
#else
#define MPLAN_READ_BY_HDF5(FUNCTION) .missing = "libhdf5"
#endif

/* Likewise the program that reads format `of`; `format` may be "?": whichever of the program's the file is of,
 * MPLAN_ERR_FORMAT where it is of none. */
mplan_status mplan_contained_ask(const char *of, const char *format, const mplan_input *input,
                                 const mplan_read_options *options, const mplan_context *context,
                                 mplan_mesh *mesh, mplan_error *err);

/* A file of which a layout is made. */
typedef struct mplan_places_source {
    const char *path, *zone; /* zone: NULL without one */
    int file;                /* descriptor, which programs map */
    int64_t size;            /* bytes of it */
} mplan_places_source;

/* Where the numbers are that the program of format `of` would read, whichever of its formats the file is of; MPLAN_ERR_FORMAT
 * where it is of none. The layout has just begun, and may hold some entries after a failure. */
mplan_status mplan_contained_places(const char *of, const mplan_places_source *source,
                                    const mplan_context *context, mplan_places *layout,
                                    mplan_error *err);

/* The mesh as an HDF5 file: "op2-hdf5" or "cgns". */
mplan_status mplan_contained_write(const char *format, const mplan_mesh *mesh, mplan_output *output,
                                   const mplan_context *context, mplan_error *err);

#endif
