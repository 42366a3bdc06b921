/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_verify.c - meshplan-mpi verify: proves a bundle part by part over ranks
 *
 * Each rank reads and proves its own parts, by the code of check/. What has to be known of all parts together are
 * counts, hashes of lists, and sums of hashes: rank 0 adds them up. That each member has one owner shows in a sum
 * of hashes of numbers, too: the owned ones are as many as there are members, and have the sum of all. What is
 * refuted in this way is proved once more by rank 0 for itself, so that the sentence is the one of `meshplan
 * verify`: about the first part that is wrong, and the first thing in it.
 *
 * Sums are of whole numbers of 64 bits without sign, which wrap around alike in any order: neither the number of
 * ranks nor which of them proves a part changes them. Functions are collective but prove_own. */
#include "mpi/mpi_verify.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "check/check_bundle.h"
#include "cli/proof_lines.h"
#include "cli/results.h"
#include "mpi/exchange.h"
#include "mpi/mpi_command.h"

enum { PIECE = 1 << 20 };

/* Sums on rank 0 of numbers of 64 bits, in pieces whose length an int can say. n is the same on all ranks; on the
 * others numbers stay as they are. */
static void sum_up(MPI_Comm comm, int32_t rank, uint64_t *numbers, int64_t n)
{
    for (int64_t at = 0; at < n; at += PIECE) {
        const int length = (int)(n - at < PIECE ? n - at : PIECE);
        mpi_reduce(rank == 0 ? MPI_IN_PLACE : numbers + at, numbers + at, length, MPI_UINT64_T,
                   MPI_SUM, 0, comm);
    }
}

/* On rank 0: whether the members that parts own are all members, each once. Every rank adds up its share of them:
 * proof->sums has, by set, the sum over members that its parts own, and becomes that of all parts on rank 0. True
 * on all other ranks. */
static bool all_owned(MPI_Comm comm, int32_t rank, int32_t ranks, mplan_bundle_proof *proof)
{
    bool good = true;
    sum_up(comm, rank, proof->sums, proof->source->n_sets);
    for (int32_t s = 0; s < proof->source->n_sets; s++) {
        const int64_t total = proof->source->sets[s].total,
                      end = mpi_range_first(total, ranks, rank + 1);
        uint64_t all = 0;
        for (int64_t i = mpi_range_first(total, ranks, rank); i < end; i++)
            all += mplan_bundle_member(i);
        sum_up(comm, rank, &all, 1);
        good = good && (rank != 0 || all == proof->sums[s]);
    }
    return good;
}

/* Whether visits of the parts of all ranks have equally many steps; ranks without parts say nothing. The same on all ranks. */
static bool equal_steps(MPI_Comm comm, const mplan_bundle_proof *proof)
{
    const int64_t own = proof->visit_steps, most = mpi_most(comm, own);
    return -mpi_most(comm, own < 0 ? -most : -own) == most;
}

/* Before: every rank has proved its parts, and none has failed. rows: by set, of the mesh; NULL without one. What
 * is found wrong is known to rank 0 only; the caller agrees on it.
 * Rank 0 gets what all ranks have collected, and compares. *again: it does not hold, and which sentence says so is
 * to be found part by part. */
static mplan_status put_together(MPI_Comm comm, int32_t rank, int32_t ranks,
                                 mplan_bundle_proof *proof, const uint64_t *rows, bool *again,
                                 mplan_error *err)
{
    const mplan_parts_source *source = proof->source;
    mpi_items links = {0};
    mplan_status status = mpi_gather(comm, false, MPLAN_OK, sizeof(mplan_bundle_link),
                                     proof->links.data, proof->links.count, &links, err);
    if (status)
        return status;
    sum_up(comm, rank, (uint64_t *)proof->entries, source->n_maps);
    sum_up(comm, rank, (uint64_t *)proof->rows,
           (int64_t)source->n_parts * source->n_sets *
               (int64_t)(sizeof *proof->rows / sizeof(uint64_t)));
    sum_up(comm, rank, proof->row_sums, source->n_sets);
    /* all three are collective, and not every rank knows what the first finds: each is called by all ranks */
    const bool owned = all_owned(comm, rank, ranks, proof);
    bool columns = false;
    status = mpi_columns_agree(comm, proof, &columns, err);
    const bool steps = equal_steps(comm, proof);
    *again = !status && (!owned || !columns || !steps);
    /* the links of all ranks take the place of rank 0's own, which are among them */
    if (rank == 0 && !status && !*again) {
        free(proof->links.data);
        proof->links.data = links.data;
        proof->links.count = proof->links.capacity = links.n;
        links.data = NULL;
        status = mplan_bundle_check_together(proof, err);
    }
    for (int32_t s = 0; rank == 0 && rows && s < source->n_sets && !status && !*again; s++)
        if (rows[s] != proof->row_sums[s])
            status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                                "set %s: rows of the plans are not those of the mesh",
                                source->sets[s].name);
    mpi_items_free(&links);
    return status;
}

/* The parts of this rank, dealt out as evenly as can be, one after the other, until one fails. Not collective.
 * proof collects what has to be compared between parts. */
static mplan_status prove_own(int32_t rank, int32_t ranks, mplan_bundle_proof *proof,
                              const mplan_context *context, mplan_error *err)
{
    const int32_t n = proof->source->n_parts;
    const int32_t end = (int32_t)mpi_range_first(n, ranks, rank + 1);
    mplan_status status = MPLAN_OK;
    for (int32_t p = (int32_t)mpi_range_first(n, ranks, rank); p < end && !status; p++)
        status = mplan_bundle_prove_one(proof, p, context, err);
    return status;
}

mplan_status mpi_source_verify(MPI_Comm comm, const mplan_parts_source *source,
                               const uint64_t *rows, const mplan_context *context, mplan_error *err)
{
    assert(source && context);
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    mplan_bundle_proof proof = {0};
    bool again = false;
    mplan_status status = mplan_bundle_check_bases(source, err);
    if (!status)
        status = mplan_bundle_proof_open(source, false, &proof, err);
    if (!status)
        status = prove_own(rank, ranks, &proof, context, err);
    /* where one rank's part is refuted, nothing is put together: rank 0 finds the sentence */
    const bool failed = mpi_most(comm, status != MPLAN_OK) > 0;
    if (!failed)
        status = put_together(comm, rank, ranks, &proof, rows, &again, err);
    if (proof.source)
        mplan_bundle_proof_close(&proof);
    if (rank == 0 && (failed || again) && status != MPLAN_ERR_INTERRUPTED) {
        mplan_error whole = {MPLAN_OK, ""};
        const mplan_status verdict = mplan_parts_verify(source, NULL, -1, context, &whole);
        if (verdict && err)
            *err = whole;
        status = verdict ? verdict : status;
    } else if (rank != 0 && status) {
        char place[32];
        snprintf(place, sizeof place, "rank %d", rank);
        mplan_fail_prefix(err, status, place);
    }
    return mpi_agree(comm, status, err);
}

/* Every rank opens the bundle, and reads the plans of its own parts from it. */
mplan_status mpi_bundle_verify(MPI_Comm comm, const char *path, const uint64_t *rows,
                               const mplan_context *context, mplan_error *err)
{
    assert(path && context);
    mplan_bundle *bundle = NULL;
    mplan_status status = mpi_agree(comm, mplan_bundle_open(path, context, &bundle, err), err);
    if (!status) {
        const mplan_parts_source source = mplan_bundle_source(bundle);
        status = mpi_source_verify(comm, &source, rows, context, err);
    }
    mplan_bundle_free(bundle);
    return status;
}

/* --- the command ---------------------------------------------------------------------------------- */

/* The keys of `meshplan verify` without a mesh, and how many ranks there were. proof: the verdict, with its reason, also as it is
 * shown. By rank 0. */
static mplan_status write_json(const mpi_call *call, mplan_status proof, const mplan_error *reason,
                               const mplan_error *shown, mplan_error *err)
{
    mplan_bundle *bundle = NULL;
    mplan_plan *plan = NULL;
    cli_json json = {0};
    mplan_status status = mplan_bundle_open(call->word, call->context, &bundle, err);
    if (!status && !proof) /* all parts have the same loops and strategies */
        status = mplan_bundle_read_part(bundle, 0, call->context, &plan, err);
    if (!status) {
        cli_results_open(&json, call->cli);
        cli_json_text(&json, "plan", call->word);
        cli_json_int(&json, "parts", mplan_bundle_n_parts(bundle));
        cli_json_text(&json, "mesh", NULL);
        cli_json_bool(&json, "holds", proof == MPLAN_OK);
        cli_json_bool(&json, "mesh_checked", false);
        cli_json_text(&json, "status", mplan_status_name(proof));
        cli_json_text(&json, "reason", proof ? reason->text : NULL);
        cli_proof_json(&json, plan, true);
        cli_json_int(&json, "ranks", call->ranks);
        status = cli_results_write(&json, call->cli, proof, shown, err);
    }
    mplan_plan_free(plan);
    mplan_bundle_free(bundle);
    return status;
}

/* The sentence begins with the bundle, as that of `meshplan verify` does. JSON is written for a bundle that is refuted, too,
 * since that is a result. */
static mplan_status run_verify(const mpi_call *call, mplan_error *err)
{
    mplan_error reason = {MPLAN_OK, ""}, failed = {MPLAN_OK, ""};
    const mplan_status status = mpi_bundle_verify(call->comm, call->word, NULL, call->context, err);
    const bool refuted = status == MPLAN_ERR_DISPROVED;
    if (refuted) {
        reason = *err;
        mplan_fail_prefix(err, status, call->word);
    }
    if (!status && call->rank == 0 && call->cli->report)
        printf("%s: the plans of all parts are proved, and that they fit together, by %d ranks\n",
               call->word, (int)call->ranks);
    if (call->rank != 0 || !call->cli->json || (status && !refuted))
        return status;
    const mplan_status wrote = write_json(call, status, &reason, err, &failed);
    if (wrote)
        *err = failed;
    return wrote ? wrote : status;
}

static const cli_option rows[] = {{.name = NULL}};

const mpi_command mpi_command_verify = {.name = "verify",
                                        .arguments = "BUNDLE",
                                        .summary = "prove the plans of all parts of a bundle",
                                        .options = rows,
                                        .options_size = sizeof(mpi_verify_options),
                                        .run = run_verify};
