/* SPDX-License-Identifier: Apache-2.0 */
/* tune_record.h - what was measured, as lines of a file beside the plans (PLAN.mtune) */
#ifndef MPLAN_CLI_TUNE_RECORD_H
#define MPLAN_CLI_TUNE_RECORD_H

#include "cli/output.h"
#include "cli/tune_candidates.h"

/* What decides whether a record holds for a plan. */
typedef struct cli_tune_key {
    uint64_t signature; /* args of the loop: how they are reached, arity, dim, type, access */
    uint64_t request;   /* text of the request without tuning and without its device */
    char device[32];    /* profile: "h200", "cpu"; "": none has the machine's name */
} cli_tune_key;

/* The key of a loop of a mesh. device: stays empty. Plans nothing, but derives the maps that loops name. */
mplan_status cli_tune_key_of(const cli_tune_subject *subject, cli_tune_key *key, mplan_error *err);
/* The profile whose name the machine's name holds, the longest; "" for none. host: "cpu". */
void cli_tune_device(const mplan_tune_machine *machine, bool host, char device[32]);

/* All about one tuning. */
typedef struct cli_tuning {
    const cli_tune_subject *subject;
    cli_tune_key key;
    mplan_tune_machine machine;
    const char *executor, *kernels, *input; /* kernels: application or object */
    uint64_t kernel_hash;
    const cli_candidate *list;
    int32_t n, best, dropped;
} cli_tuning;

/* Adds the keys of a record to an object that is open. */
void cli_tuning_json(cli_json *json, const cli_tuning *tuning);
/* Appends a record to a file of records, which is made if it is not there; MPLAN_ERR_CREATE for a file that is none. */
mplan_status cli_tuning_append(const cli_tuning *tuning, const char *path, mplan_error *err);

/* A file of records with a zero behind its *size bytes: the caller's, to be freed. */
mplan_status cli_records_read(const char *path, const mplan_context *context, char **text,
                              size_t *size, mplan_error *err);

/* What a record says of plans that it holds for. */
typedef struct cli_tuned {
    mplan_plan_options request;     /* the base request with the tuned choices */
    uint64_t topology, kernel_hash; /* of the mesh that was measured, and of what holds the kernels */
    int64_t driver, processors;
    double default_us, best_us; /* NAN: not measured */
    char mesh[256], machine[128], executor[16];
} cli_tuned;

/* The latest records for a key of a file, the latest first: at most `most`, one for each topology, kernels and driver;
 * *n >= 1. base: the request without tuning. MPLAN_ERR_ARGUMENT where no record holds, which says why the nearest does
 * not. */
mplan_status cli_tuned_find(const char *path, const cli_tune_key *key,
                            const mplan_plan_options *base, const mplan_context *context,
                            int32_t most, cli_tuned *found, int32_t *n, mplan_error *err);

/* The same for a tuning that goes on in the file: *n is 0 where no record holds, or where there is no file yet.
 * MPLAN_ERR_CREATE for a file of something else, which is not to be appended to. */
mplan_status cli_tuned_look(const char *path, const cli_tune_key *key,
                            const mplan_plan_options *base, const mplan_context *context,
                            int32_t most, cli_tuned *found, int32_t *n, mplan_error *err);
/* Whether a record is of the same kernels and mesh, on the same machine, driver and executor: its result is that of
 * `tuning`, whose machine, executor, kernel_hash and first plan are set. */
bool cli_tuned_is_exact(const cli_tuned *found, const cli_tuning *tuning);
/* The keys of cli_tuning_json for a result that was found in a file of records, and where; without candidates. */
void cli_tuned_json(cli_json *json, const cli_tuning *tuning, const cli_tuned *found,
                    const char *path);
/* The options of `plan` by which the tuned request differs from the base: "--encoding pair32 --block-threads 64"; "the
 * default" where it does not. 512 bytes at text are enough. */
void cli_tuned_words(const cli_tuned *found, const mplan_plan_options *base, char *text, size_t size);

#endif
