/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_vtkhdf.c - the reader of VTK's HDF5 files on whatever libhdf5 may say: refused, or a mesh from which all can be derived */
#include "fuzz_hdf5_tree.h"

static const char *const kinds[] = {"UnstructuredGrid", "PolyData", "PartitionedDataSetCollection",
                                    "ImageData", NULL};

#define GRID(PATH)                                               \
    {PATH, MPLAN_HDF5_GROUP, {0}, {"Type"}},                     \
        {PATH "/NumberOfPoints", MPLAN_HDF5_WHOLE, {2}, {NULL}}, \
    {                                                            \
        PATH "/Points", MPLAN_HDF5_REAL, {16, 3},                \
        {                                                        \
            NULL                                                 \
        }                                                        \
    }
#define CELLS(PATH)                                                       \
    {PATH "/NumberOfCells", MPLAN_HDF5_WHOLE, {2}, {NULL}},               \
        {PATH "/NumberOfConnectivityIds", MPLAN_HDF5_WHOLE, {2}, {NULL}}, \
        {PATH "/Offsets", MPLAN_HDF5_WHOLE, {6}, {NULL}},                 \
    {                                                                     \
        PATH "/Connectivity", MPLAN_HDF5_WHOLE, {16},                     \
        {                                                                 \
            NULL                                                          \
        }                                                                 \
    }

static const fuzz_path paths[] = {
    GRID("VTKHDF"),
    CELLS("VTKHDF"),
    {"VTKHDF/Types", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    {"VTKHDF/CellData/MaterialIds", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    {"VTKHDF/CellData/vtkGhostType", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    {"VTKHDF/Steps", MPLAN_HDF5_GROUP, {0}, {"NSteps"}},
    {"VTKHDF/Steps/NumberOfParts", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {"VTKHDF/Steps/CellOffsets", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    CELLS("VTKHDF/Vertices"),
    CELLS("VTKHDF/Lines"),
    CELLS("VTKHDF/Polygons"),
    CELLS("VTKHDF/Strips"),
    GRID("VTKHDF/a"),
    CELLS("VTKHDF/a"),
    {"VTKHDF/a/Types", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    {"VTKHDF/a/CellData/attribute", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    GRID("VTKHDF/b"),
    CELLS("VTKHDF/b/Polygons"),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_texts = kinds;
    return fuzz_hdf5_read(&mplan_format_vtkhdf, paths, (int)(sizeof paths / sizeof *paths), data,
                          size);
}
