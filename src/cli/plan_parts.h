/* SPDX-License-Identifier: Apache-2.0 */
/* plan_parts.h - `plan --parts`: a bundle of the plans of parts, or the plan of one of them */
#ifndef MPLAN_CLI_PLAN_PARTS_H
#define MPLAN_CLI_PLAN_PARTS_H

#include "cli/command.h"
#include "cli/plan_options.h"

/* Word of --cut; NULL past the last. */
const char *cli_cut_word(int32_t i);

/* What is cut into parts, by the command line or else by a job. */
typedef struct cli_parts_asked {
    const char *parts;  /* N, NxM or the path of a part file; NULL: one plan is asked for */
    const char *cut;    /* a word of cli_cut_word; NULL: native */
    int32_t part;       /* the only one that is planned; -1: all */
    mplan_piece *piece; /* that it is planned from, borrowed; NULL: the mesh is cut */
} cli_parts_asked;
/* job may be NULL. Texts are those of the call or the job. */
cli_parts_asked cli_parts_asked_for(const cli_plan_options *given, const mplan_job *job);

/* Whether `parts` names a file. */
bool cli_parts_is_file(const char *parts);

/* Reads a part file: how->part, of how->n_part numbers, is *part, the caller's to free, also after a failure. */
mplan_status cli_parts_read_file(const char *path, mplan_parts_options *how, int32_t **part,
                                 const mplan_context *context, mplan_error *err);
/* N, NxM or a part file. */
mplan_status cli_parts_read(const char *parts, mplan_parts_options *how, int32_t **part,
                            const mplan_context *context, mplan_error *err);
/* Whether `parts` names a folder, which --scatter wrote. */
bool cli_parts_is_folder(const char *parts);

/* What options say about parts without the mesh: MPLAN_ERR_ARGUMENT for what cannot be combined. */
mplan_status cli_plan_parts_check(const cli_plan_options *given, const cli_parts_asked *asked,
                                  mplan_error *err);

/* Part 0 brings the manifest of the bundle: its path, for a plan at `path`, is the caller's. *also NULL: none is
 * written. */
mplan_status cli_parts_also(const cli_parts_asked *asked, const char *path, char **also,
                            mplan_error *err);

/* Cuts the mesh, plans its parts, writes to `path` and cache->also, keeps them in the cache and says what came of it.
 * `path` is not used in a dry run, and where parts are scattered. mesh: NULL with a piece. start: when the mesh was begun. */
mplan_status cli_plan_parts(const cli_call *call, const cli_parts_asked *asked, mplan_mesh *mesh,
                            int32_t n_loops, const mplan_loop *loops,
                            const mplan_plan_options *request, const char *path, double start,
                            cli_plan_cache *cache, mplan_error *err);

/* Writes what the cache holds to the same places and says what it is: of one part without what is known of all. */
mplan_status cli_plan_parts_found(const cli_call *call, const cli_parts_asked *asked,
                                  const char *path, const cli_plan_cache *cache, mplan_error *err);

#endif
