/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_apply.c - meshplan apply: the data of a set into stored order, or back */
#include <stdio.h>
#include <string.h>

#include "apps/apps.h"
#include "cli/bundle_file.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"

/* Names that a nearest one is looked for among. */
#define MAX_SETS 256

typedef struct apply_options {
    const char *set, *dat; /* one of the two */
    bool inverse;
} apply_options;

#define TARGET(member) offsetof(apply_options, member)
static const cli_option options[] = {
    {.name = "set",
     .kind = CLI_TEXT,
     .argument = "SET",
     .target = TARGET(set),
     .help = "the set whose data IN contains; this or --dat is required"},
    {.name = "dat",
     .kind = CLI_TEXT,
     .argument = "DAT",
     .target = TARGET(dat),
     .help = "a dat of the plan's loops: write it as the executor keeps it in memory"},
    {.name = "inverse",
     .kind = CLI_FLAG,
     .target = TARGET(inverse),
     .help = "convert from the stored order back to the order of the mesh"},
    {.name = NULL},
};

/* Refuses a set that is not there, and names the nearest. path: of the plan or bundle, for the
 * message; names: those that are searched, ended by NULL: the first MAX_SETS. */
static mplan_status no_set(const char *path, const char *name, const char *const *names,
                           mplan_error *err)
{
    const char *nearest = mplan_nearest_word(name, names);
    return cli_fail(err, MPLAN_ERR_ARGUMENT, "--set: %s has no set '%s'%s%s%s", path, name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* *set: out, its number in the plan; -1 after a failure. */
static mplan_status find_set(const mplan_plan *plan, const char *path, const char *name,
                             int32_t *set, mplan_error *err)
{
    const char *names[MAX_SETS + 1] = {NULL};
    *set = mplan_plan_find_set(plan, name);
    for (int32_t i = 0; i < mplan_plan_n_sets(plan) && i < MAX_SETS; i++)
        names[i] = mplan_plan_get_set(plan, i)->name;
    return *set >= 0 ? MPLAN_OK : no_set(path, name, names, err);
}

/* The same in the manifest of a bundle, whose sets are those of the plans of all parts. */
static mplan_status find_set_of_bundle(const mplan_bundle *bundle, const char *path,
                                       const char *name, int32_t *set, mplan_error *err)
{
    const char *names[MAX_SETS + 1] = {NULL};
    *set = -1;
    for (int32_t i = 0; i < mplan_bundle_n_sets(bundle); i++) {
        const char *one = mplan_bundle_get_set(bundle, i)->name;
        if (strcmp(one, name) == 0)
            *set = i;
        if (i < MAX_SETS)
            names[i] = one;
    }
    return *set >= 0 ? MPLAN_OK : no_set(path, name, names, err);
}

/* The whole set, in the order of canonical ids. */
static mplan_status apply_bundle(const cli_call *call, mplan_error *err)
{
    const apply_options *given = call->options;
    const char *path = call->words[0], *out = call->words[2];
    mplan_bundle *bundle = NULL;
    int32_t set = -1;
    if (given->dat)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "apply: --dat is for the plan of one part; 'meshplan split' makes it of %s",
                        path);
    mplan_status status = mplan_bundle_open(path, call->context, &bundle, err);
    if (!status)
        status = find_set_of_bundle(bundle, path, given->set, &set, err);
    if (!status) {
        const mplan_parts_source source = mplan_bundle_source(bundle);
        status = mplan_parts_apply(&source, set, call->words[1], out, given->inverse, call->context,
                                   err);
    }
    if (!status && call->report && (out[0] != '-' || out[1]))
        printf("%s: %lld %s in %s\n", cli_shown(out),
               (long long)mplan_bundle_get_set(bundle, set)->total, cli_shown(given->set),
               given->inverse ? "the mesh's order" : "the order of the parts");
    mplan_bundle_free(bundle);
    return status;
}

/* Of one plan: rows of a dat into the image that the executor adopts, or with --inverse back.
 * What is counted is what was written: numbers of the image, or rows. */
static mplan_status apply_dat(const cli_call *call, const mplan_plan *plan, mplan_error *err)
{
    const apply_options *given = call->options;
    const char *out = call->words[2];
    int64_t numbers = 0;
    mplan_status status = mplan_app_apply_dat(plan, given->dat, call->words[1], out, given->inverse,
                                              call->context, &numbers, err);
    if (!status && call->report && (out[0] != '-' || out[1]))
        printf("%s: dat %s, %lld %s\n", cli_shown(out), cli_shown(given->dat), (long long)numbers,
               given->inverse ? "rows in the mesh's order" : "numbers as loops find them");
    return status;
}

/* words: plan, input, output. The plan is not proved here: the library checks the set's order
 * before it moves a row (mplan_plan_apply), and refuses an input of another number of rows. */
static mplan_status run_apply(const cli_call *call, mplan_error *err)
{
    const apply_options *given = call->options;
    const char *in = call->words[1], *out = call->words[2];
    if (!given->set == !given->dat)
        return cli_fail(err, MPLAN_ERR_ARGUMENT, "apply: --set SET or --dat DAT is required%s",
                        given->set ? ", not both" : "");
    mplan_plan *plan = NULL;
    int32_t set = -1;
    mplan_status status = cli_files_output(call->files, out, err);
    if (!status && cli_is_bundle(call->words[0]))
        return apply_bundle(call, err);
    if (!status)
        status = mplan_plan_read(call->words[0], call->context, &plan, err);
    if (!status && given->dat)
        status = apply_dat(call, plan, err);
    if (given->dat) {
        mplan_plan_free(plan);
        return status;
    }
    if (!status)
        status = find_set(plan, call->words[0], given->set, &set, err);
    if (!status)
        status = mplan_plan_apply(plan, set, in, out, given->inverse, call->context, err);
    if (!status && call->report && (out[0] != '-' || out[1])) {
        const mplan_plan_set *record = mplan_plan_get_set(plan, set);
        printf("%s: %lld %s in %s order\n", cli_shown(out),
               (long long)(given->inverse ? record->size : record->storage_size),
               cli_shown(record->name), given->inverse ? "the mesh's" : "stored");
    }
    mplan_plan_free(plan);
    return status;
}

const cli_command cli_command_apply = {
    .name = "apply",
    .arguments = "PLAN|BUNDLE --set SET|--dat DAT IN.npy OUT.npy [--inverse]",
    .summary = "convert the data of a set to the stored order, or back",
    .details = "Reads an array with one row for each member of a set, in the order of the mesh, "
               "and writes its rows in the stored order of the plan; holes are zero. With "
               "--inverse it converts in the opposite direction. Of a bundle the stored order is that of "
               "the parts, one behind the other: the same for any number of ranks. With --dat the output has one "
               "dimension: the dat as the executor keeps it, in the layout that the plan advises, "
               "with its levels, and with the rows of a matrix that is stored by owner where "
               "their owners read them.",
    .options = options,
    .options_size = sizeof(apply_options),
    .least_words = 3,
    .most_words = 3,
    .has_json = true,
    .inputs = 2,
    .has_output = true,
    .run = run_apply,
};
