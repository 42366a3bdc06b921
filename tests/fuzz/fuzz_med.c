/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_med.c - the reader of MED files on whatever libhdf5 may say: refused, or a mesh from which all can be derived */
#include "fuzz_hdf5_tree.h"

#define STATE "ENS_MAA/m/-1"

static const fuzz_path paths[] = {
    {"ENS_MAA/m", MPLAN_HDF5_GROUP, {0}, {"TYP"}},
    {STATE "/NOE/COO", MPLAN_HDF5_REAL, {24}, {"NBR"}},
    {STATE "/MAI/TE4/NOD", MPLAN_HDF5_WHOLE, {8}, {NULL}},
    {STATE "/MAI/HE8/NOD", MPLAN_HDF5_WHOLE, {8}, {NULL}},
    {STATE "/MAI/TR3/NOD", MPLAN_HDF5_WHOLE, {12}, {NULL}},
    {STATE "/MAI/QU4/NOD", MPLAN_HDF5_WHOLE, {8}, {NULL}},
    {STATE "/NOE/FAM", MPLAN_HDF5_WHOLE, {8}, {NULL}},
    {STATE "/MAI/TR3/FAM", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    {STATE "/MAI/TE4/FAM", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {STATE "/MAI/POG/NOD", MPLAN_HDF5_WHOLE, {8}, {NULL}},
    {STATE "/MAI/POG/INN", MPLAN_HDF5_WHOLE, {3}, {NULL}},
    {STATE "/MAI/POG/FAM", MPLAN_HDF5_WHOLE, {2}, {NULL}},
    {STATE "/MAI/SE2/NOD", MPLAN_HDF5_WHOLE, {4}, {NULL}},
    {STATE "/MAI/T10/NOD", MPLAN_HDF5_WHOLE, {10}, {NULL}},
    {STATE "/MAI/PO1/NOD", MPLAN_HDF5_WHOLE, {1}, {NULL}},
    {STATE "/MAI/POE/NOD", MPLAN_HDF5_WHOLE, {1}, {NULL}},
    {STATE "/MAI/P15/NOD", MPLAN_HDF5_WHOLE, {15}, {NULL}},
    {STATE "/MAI/TR7/NOD", MPLAN_HDF5_WHOLE, {7}, {NULL}},
    {"FAS/m/NOEUD/f", MPLAN_HDF5_GROUP, {0}, {"NUM"}},
    {"FAS/m/NOEUD/f/GRO/NOM", MPLAN_HDF5_TEXT, {2}, {NULL}},
    {"FAS/m/ELEME/g", MPLAN_HDF5_GROUP, {0}, {"NUM"}},
    {"FAS/m/ELEME/g/GRO/NOM", MPLAN_HDF5_TEXT, {2}, {NULL}},
    {"FAS/m/ELEME/h", MPLAN_HDF5_GROUP, {0}, {"NUM"}},
    {"FAS/m/ELEME/h/GRO/NOM", MPLAN_HDF5_TEXT, {3}, {NULL}},
    {"ENS_MAA/m/-2/NOE/COO", MPLAN_HDF5_REAL, {24}, {"NBR"}},
    {"ENS_MAA/old/NOE/COO", MPLAN_HDF5_REAL, {24}, {"NBR"}},
    {"ENS_MAA/old/MAI/TR3/NOD", MPLAN_HDF5_WHOLE, {12}, {NULL}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_hdf5_read(&mplan_format_med, paths, (int)(sizeof paths / sizeof *paths), data, size);
}
