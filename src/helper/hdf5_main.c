/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_main.c - meshplan-read-hdf5: MED, VTK's, PETSc's, Fluent's and OP2's files by libhdf5, which also writes the latter */
#include "formats/hdf5/hdf5_tree.h"
#include "helper/reading.h"

const mplan_file_format *const mplan_helper_formats[] = {&mplan_format_med,
                                                         &mplan_format_vtkhdf,
                                                         &mplan_format_dmplex,
                                                         &mplan_format_fluent_hdf5,
                                                         &mplan_format_op2_hdf5,
                                                         &mplan_format_hdf5_numbers,
                                                         NULL};

mplan_status mplan_helper_look_over(const mplan_input *input, mplan_error *err)
{
    return mplan_hdf5_walk(input, false, err);
}
