/* SPDX-License-Identifier: Apache-2.0 */
/* contained_any.h - files of which only the programs of libexec can tell the format */
#ifndef MPLAN_CONTAINED_ANY_H
#define MPLAN_CONTAINED_ANY_H

#include "formats/contained_formats.h"

/* Whether a file is netCDF or HDF5: of which format only their libraries can tell. */
bool mplan_contained_is_one(const mplan_input *input);
/* Asks the programs in turn whether the file is theirs; the one whose it is reads it. *found: one did.
 * Where this build has no program for what the words in the file say, mesh is left empty and *missing
 * set to its format. */
mplan_status mplan_contained_read_any(const mplan_input *input, const mplan_read_options *options,
                                      const mplan_context *context, mplan_mesh *mesh, bool *found,
                                      const mplan_file_format **missing, mplan_error *err);
/* The same for the layout of a file, of which `head` is the first part. MPLAN_ERR_UNSUPPORTED, with what helps, where no program
 * knows the file, or this build has not its library. */
mplan_status mplan_contained_places_any(const mplan_input *head, const mplan_places_source *source,
                                        const mplan_context *context, mplan_places *layout,
                                        mplan_error *err);

#endif
