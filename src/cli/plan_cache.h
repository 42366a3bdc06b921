/* SPDX-License-Identifier: Apache-2.0 */
/* plan_cache.h - `plan --cache`: whether this plan was made before */
#ifndef MPLAN_CLI_PLAN_CACHE_H
#define MPLAN_CLI_PLAN_CACHE_H

#include "cache/cache.h"
#include "cli/command.h"
#include "cli/output.h"

/* Options of the command line. */
typedef struct cli_cache_options {
    const char *folder; /* NULL: $MESHPLAN_CACHE; "off": none */
    bool strict, link, check, lease;
    bool if_changed; /* not a matter of the folder: by a stamp beside the output */
} cli_cache_options;

typedef struct cli_plan_cache {
    mplan_cache *cache; /* NULL: there is none */
    bool kept;          /* with a folder; else for stamps only */
    bool stamps;        /* a stamp is read and written */
    bool check;         /* plan in any case, and compare */
    bool lease;
    const char *also; /* path of a second output, which is written with the plan; NULL: none */
    bool found, stored;
    mplan_cache_plan plan; /* that was found */
    const char *why;       /* not stored; NULL: for no reason of its own */
    const char *folder;
    mplan_error failed; /* what the system said where the cache could not be written to */
} cli_plan_cache;

/* The folder that options or the environment name; NULL: none. */
const char *cli_cache_folder(const cli_cache_options *options);
/* Says to a cache what a call of `plan` asks for; arguments as below. */
mplan_status cli_cache_ask(mplan_cache *cache, const cli_call *call, const char *path, bool only,
                           mplan_error *err);
/* Opens the cache that options or the environment name, and has it told of all that is read from here on. path: the
 * argument, or NULL. only: no option names a file. */
mplan_status cli_cache_open(const cli_call *call, const cli_cache_options *options,
                            const char *path, bool only, cli_plan_cache *cache, mplan_error *err);
/* *unchanged: the output is there, and was made by this request from these inputs. */
mplan_status cli_cache_is_unchanged(cli_plan_cache *cache, const cli_call *call, const char *output,
                                    bool *unchanged, mplan_error *err);
/* Looks for the plan; with a lease, again after another process has made it. */
mplan_status cli_cache_find(cli_plan_cache *cache, const cli_call *call, mplan_error *err);
/* Writes what was found, with stamps where they are asked for, and says again what was said when it was made. A plan that
 * turns out to be damaged is none: cache->found becomes false, and it is to be made. */
mplan_status cli_cache_write(cli_plan_cache *cache, const cli_call *call, const char *path,
                             mplan_error *err);
/* After a plan was made and written (and the second output): stores it, or compares it with what was found. */
mplan_status cli_cache_keep(cli_plan_cache *cache, const cli_call *call, const char *path,
                            double seconds, mplan_error *err);
void cli_cache_close(cli_plan_cache *cache, const cli_call *call);

/* The line of the report, and the key "cache" of the JSON; nothing without a cache. */
void cli_cache_report(const cli_plan_cache *cache);
void cli_cache_json(cli_json *json, const cli_plan_cache *cache);

#endif
