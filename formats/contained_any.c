/* SPDX-License-Identifier: Apache-2.0 */
/* contained_any.c - files of which only the programs of libexec can tell the format: who is asked first */
#include "formats/contained_any.h"

#include <string.h>

#include "base/error.h"

enum { MOST_FORMATS = 6 };

/* The formats of one program; those with a mark of their own before others. */
typedef struct group {
    const mplan_file_format *formats[MOST_FORMATS];
} group;
static const group groups[] = {
    {{&mplan_format_fesom_diag, &mplan_format_ugrid, &mplan_format_exodus, &mplan_format_mpas,
      &mplan_format_icon}},
    {{&mplan_format_cgns}},
    {{&mplan_format_med, &mplan_format_vtkhdf, &mplan_format_dmplex, &mplan_format_fluent_hdf5,
      &mplan_format_op2_hdf5}},
};
enum { NETCDF, CGNS, HDF5, N_GROUPS };

/* By the first bytes: netCDF classic, 64-bit, CDF-5, or HDF5. */
bool mplan_contained_is_one(const mplan_input *input)
{
    if (!input->data || input->size < 4)
        return false;
    bool classic = memcmp(input->data, "CDF", 3) == 0 &&
                   (input->data[3] == 1 || input->data[3] == 2 || input->data[3] == 5);
    return classic || (input->size >= 8 && memcmp(input->data, "\x89HDF\r\n\x1a\n", 8) == 0);
}

/* The format of a group that words in the file speak of; NULL: none. */
static const mplan_file_format *format_by_words(const group *of, const mplan_input *input)
{
    for (int i = 0; i < MOST_FORMATS; i++)
        if (of->formats[i] &&
            of->formats[i]->recognise(input->data, input->size) == MPLAN_RECOGNISED_YES)
            return of->formats[i];
    return NULL;
}

/* Those that words speak of come first, netCDF before CGNS before the others in HDF5; then the others, but for
 * CGNS, which only words tell. netCDF comes last of them: its library takes longest to start. */
static int order_of_asking(const mplan_input *input, const group *order[N_GROUPS],
                           const mplan_file_format *words[N_GROUPS])
{
    static const int rest[] = {HDF5, NETCDF};
    bool taken[N_GROUPS] = {false}, hdf5 = input->data[0] == 0x89;
    int n = 0;
    for (int f = 0; f < N_GROUPS; f++) {
        const mplan_file_format *found = hdf5 || f == NETCDF ? format_by_words(&groups[f], input)
                                                             : NULL;
        if (!found)
            continue;
        taken[f] = true;
        words[n] = found;
        order[n++] = &groups[f];
    }
    for (int i = 0; i < 2; i++)
        if (!taken[rest[i]] && (hdf5 || rest[i] == NETCDF)) {
            words[n] = NULL;
            order[n++] = &groups[rest[i]];
        }
    return n;
}

/* Programs are asked one after the other until one says that the file is of its kind.
 * *missing: the format that this build cannot read, if that is the reason. */
mplan_status mplan_contained_read_any(const mplan_input *input, const mplan_read_options *options,
                                      const mplan_context *context, mplan_mesh *mesh, bool *found,
                                      const mplan_file_format **missing, mplan_error *err)
{
    const group *order[N_GROUPS];
    const mplan_file_format *words[N_GROUPS];
    int n = order_of_asking(input, order, words);
    *found = false;
    *missing = NULL;
    for (int i = 0; i < n; i++) {
        if (!order[i]->formats[0]->read) { /* this build has no such program */
            *missing = words[i];
            if (words[i])
                return MPLAN_OK;
            continue;
        }
        mplan_status status = mplan_contained_ask(order[i]->formats[0]->name, "?", input, options,
                                                  context, mesh, err);
        if (status == MPLAN_ERR_FORMAT)
            continue;
        *found = true;
        return status;
    }
    return MPLAN_OK;
}

/* A program that does not know the file leaves the layout empty. */
mplan_status mplan_contained_places_any(const mplan_input *head, const mplan_places_source *source,
                                        const mplan_context *context, mplan_places *layout,
                                        mplan_error *err)
{
    const group *order[N_GROUPS];
    const mplan_file_format *words[N_GROUPS];
    const char *missing = NULL;
    const int n = order_of_asking(head, order, words);
    for (int i = 0; i < n; i++) {
        const mplan_file_format *first = order[i]->formats[0];
        if (!first->read) { /* this build has no such program */
            missing = missing ? missing : first->missing;
            continue;
        }
        const mplan_status status = mplan_contained_places(first->name, source, context, layout, err);
        if (status != MPLAN_ERR_FORMAT)
            return status;
    }
    if (missing)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: this build cannot read the file: it has not %s", source->path,
                          missing);
    return mplan_places_refuse(source->path, "the file is of none of the formats that are read so",
                               err);
}
