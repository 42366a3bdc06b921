/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_dmplex.c - the reader of PETSc's DMPlex on whatever libhdf5 may say: refused, or a mesh from which all can be derived */
#include "fuzz_hdf5_tree.h"

#define TOPOLOGY(PATH)                                                 \
    {PATH "topology/cones", MPLAN_HDF5_WHOLE, {15}, {NULL}},           \
        {PATH "topology/order", MPLAN_HDF5_WHOLE, {15}, {NULL}},       \
        {PATH "topology/cells", MPLAN_HDF5_WHOLE, {28}, {"cell_dim"}}, \
    {                                                                  \
        PATH "topology/orientation", MPLAN_HDF5_WHOLE, {28},           \
        {                                                              \
            NULL                                                       \
        }                                                              \
    }
#define FLAT "topologies/f/"

static const fuzz_path paths[] = {
    TOPOLOGY(""),
    {"geometry/vertices", MPLAN_HDF5_REAL, {4, 3}, {NULL}},
    {"labels/Cell Sets/1/indices", MPLAN_HDF5_WHOLE, {1}, {NULL}},
    {"labels/Face Sets/2/indices", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {"labels/marker/0/indices", MPLAN_HDF5_WHOLE, {3}, {NULL}},
    {"labels/marker/x/indices", MPLAN_HDF5_WHOLE, {1}, {NULL}},
    {"viz/topology/cells", MPLAN_HDF5_WHOLE, {2, 4}, {"cell_dim", "cell_corners"}},
    {FLAT "topology/cones", MPLAN_HDF5_WHOLE, {6}, {NULL}},
    {FLAT "topology/order", MPLAN_HDF5_WHOLE, {6}, {NULL}},
    {FLAT "topology/cells", MPLAN_HDF5_WHOLE, {6}, {"cell_dim"}},
    {FLAT "topology/orientation", MPLAN_HDF5_WHOLE, {6}, {NULL}},
    {FLAT "dms/coordinateDM/order", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    {FLAT "dms/coordinateDM/section/atlasOff", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    {FLAT "dms/coordinateDM/vecs/coordinates", MPLAN_HDF5_GROUP, {0}, {"blockSize"}},
    {FLAT "dms/coordinateDM/vecs/coordinates/coordinates", MPLAN_HDF5_REAL, {8}, {NULL}},
    {FLAT "labels/Vertex Sets/3/indices", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {FLAT "topology/strata", MPLAN_HDF5_GROUP, {0}, {NULL}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_hdf5_read(&mplan_format_dmplex, paths, (int)(sizeof paths / sizeof *paths), data,
                          size);
}
