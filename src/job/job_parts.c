/* SPDX-License-Identifier: Apache-2.0 */
/* job_parts.c - the keys `parts`, `cut` and `cut_ranks` of a job: a bundle in place of a plan */
#include <string.h>

#include "job/job_fields.h"

/* Digits from `at` on that are a number above zero: how many; 0: there is none. */
static size_t count_length(const char *at)
{
    const size_t length = strspn(at, "0123456789");
    return strspn(at, "0") == length ? 0 : length;
}

/* "64" and "8x8" are numbers of parts, as the command line has them; all else is the path of a part file. member: the
 * text. */
mplan_status mplan_job_parts(mplan_job_reader *reader, const mplan_job_field *field,
                             const mplan_job_value *value, void *member)
{
    mplan_status status = mplan_job_require(reader, field->key, value, MPLAN_JOB_SCALAR);
    if (status)
        return status;
    const char *text = value->text;
    const size_t digits = strspn(text, "0123456789x");
    if (!text[0] || text[digits])
        return mplan_job_path(reader, field, value, member);
    const size_t first = count_length(text);
    const size_t second = text[first] == 'x' ? count_length(text + first + 1) : 0;
    if (!first || (text[first] && (!second || text[first + 1 + second])))
        return mplan_job_fail(reader, value,
                              "parts must be a number above 0, two of them as in 8x4, or a part file");
    *(const char **)member = text;
    return MPLAN_OK;
}

/* member: the word. */
mplan_status mplan_job_cut(mplan_job_reader *reader, const mplan_job_field *field,
                           const mplan_job_value *value, void *member)
{
    static const char *const words[] = {"native", "metis", "scotch", "ptscotch", NULL};
    mplan_status status = mplan_job_require(reader, field->key, value, MPLAN_JOB_SCALAR);
    for (int i = 0; words[i] && !status; i++)
        if (strcmp(words[i], value->text) == 0) {
            *(const char **)member = words[i];
            return MPLAN_OK;
        }
    return status ? status : mplan_job_fail_word(reader, value, "cut", words);
}

/* Ranks are those of meshplan-mpi, and only PT-SCOTCH asks how many of them cut. */
mplan_status mplan_job_check_cut(const mplan_job_reader *reader, const mplan_job_value *root,
                                 const mplan_job *job)
{
    const mplan_job_value *ranks = mplan_job_child(root, "cut_ranks");
    if (job->cut && !job->parts)
        return mplan_job_fail(reader, mplan_job_child(root, "cut"), "'cut' needs 'parts'");
    if (ranks && (!job->cut || strcmp(job->cut, "ptscotch") != 0))
        return mplan_job_fail(reader, ranks, "'cut_ranks' needs 'cut: ptscotch'");
    return MPLAN_OK;
}
