/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_fluent_case.c - the reader of Fluent's cases in HDF5 on whatever libhdf5 may say: refused, or a mesh from
 * which all can be derived */
#include "fuzz_hdf5_tree.h"

#define FACES "meshes/1/faces"
#define CELLS "meshes/1/cells/zoneTopology"

static const fuzz_path paths[] = {
    {"meshes/1", MPLAN_HDF5_GROUP, {0}, {"dimension"}},
    {"meshes/1/nodes/coords/1", MPLAN_HDF5_REAL, {8, 3}, {"minId", "maxId"}},
    {FACES "/nodes/1", MPLAN_HDF5_GROUP, {0}, {"minId", "maxId"}},
    {FACES "/nodes/1/nnodes", MPLAN_HDF5_WHOLE, {7}, {NULL}},
    {FACES "/nodes/1/nodes", MPLAN_HDF5_WHOLE, {24}, {NULL}},
    {FACES "/c0/1", MPLAN_HDF5_WHOLE, {7}, {"minId", "maxId"}},
    {FACES "/c1/1", MPLAN_HDF5_WHOLE, {1}, {"minId", "maxId"}},
    {CELLS "/id", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {CELLS "/minId", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {CELLS "/maxId", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {CELLS "/name", MPLAN_HDF5_TEXT, {1}, {NULL}},
    {CELLS "/zoneType", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {FACES "/zoneTopology/id", MPLAN_HDF5_WHOLE, {3}, {NULL}},
    {FACES "/zoneTopology/minId", MPLAN_HDF5_WHOLE, {3}, {NULL}},
    {FACES "/zoneTopology/maxId", MPLAN_HDF5_WHOLE, {3}, {NULL}},
    {FACES "/zoneTopology/name", MPLAN_HDF5_TEXT, {1}, {NULL}},
    {FACES "/zoneTopology/zoneType", MPLAN_HDF5_WHOLE, {3}, {NULL}},
    {"meshes/1/nodes/coords/2", MPLAN_HDF5_REAL, {8, 2}, {"minId", "maxId"}},
    {FACES "/nodes/2", MPLAN_HDF5_GROUP, {0}, {"minId", "maxId"}},
    {FACES "/nodes/2/nnodes", MPLAN_HDF5_WHOLE, {6}, {NULL}},
    {FACES "/nodes/2/nodes", MPLAN_HDF5_WHOLE, {12}, {NULL}},
    {FACES "/c0/2", MPLAN_HDF5_WHOLE, {6}, {"minId", "maxId"}},
    {FACES "/c1/2", MPLAN_HDF5_WHOLE, {6}, {"minId", "maxId"}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_hdf5_read(&mplan_format_fluent_hdf5, paths, (int)(sizeof paths / sizeof *paths),
                          data, size);
}
