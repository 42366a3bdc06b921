/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - the version of meshplan and of the libraries it was built with
 *
 * The headers of METIS, SCOTCH and libyaml belong to other modules, so the build
 * passes all versions as strings. */
#include "meshplan.h"

static const char *const libraries[] = {
#ifdef MPLAN_METIS_VERSION
    "metis " MPLAN_METIS_VERSION,
#endif
#ifdef MPLAN_SCOTCH_VERSION
    "scotch " MPLAN_SCOTCH_VERSION,
#endif
#ifdef MPLAN_YAML_VERSION
    "libyaml " MPLAN_YAML_VERSION,
#endif
#ifdef MPLAN_ZLIB_VERSION
    "zlib " MPLAN_ZLIB_VERSION,
#endif
#ifdef MPLAN_XXHASH_VERSION
    "xxhash " MPLAN_XXHASH_VERSION,
#endif
#ifdef MPLAN_NETCDF_VERSION
    "netcdf " MPLAN_NETCDF_VERSION,
#endif
#ifdef MPLAN_EXPAT_VERSION
    "expat " MPLAN_EXPAT_VERSION,
#endif
#ifdef MPLAN_LZMA_VERSION
    "liblzma " MPLAN_LZMA_VERSION,
#endif
#ifdef MPLAN_LZ4_VERSION
    "liblz4 " MPLAN_LZ4_VERSION,
#endif
#ifdef MPLAN_CGNS_VERSION
    "cgns " MPLAN_CGNS_VERSION,
#endif
#ifdef MPLAN_HDF5_VERSION
    "hdf5 " MPLAN_HDF5_VERSION,
#endif
#ifdef MPLAN_CUDA_VERSION
    "cuda " MPLAN_CUDA_VERSION,
#endif
#ifdef MPLAN_HIP_VERSION
    "hip " MPLAN_HIP_VERSION " (not run on a GPU)",
#endif
    NULL,
};

const char *mplan_version(void)
{
    return MPLAN_VERSION;
}

const char *mplan_library(int32_t i)
{
    int32_t n = (int32_t)(sizeof libraries / sizeof *libraries) - 1;
    return i >= 0 && i < n ? libraries[i] : NULL;
}
