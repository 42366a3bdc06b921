/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_plan_report.c - what meshplan-mpi plan says of a bundle: as text, and as JSON with the keys of `plan --parts` */
#include "mpi/mpi_plan_report.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/part_sets.h"
#include "cli/results.h"
#include "mesh/mesh.h"
#include "mpi/exchange.h"
#include "mpi/mpi_stage.h"

/* What is said, known to all ranks. */
typedef struct outcome {
    const char *output, *how;
    const mpi_written *written;
    int32_t n_parts, n_sets;
    mplan_parts_set *sets; /* names and bases are the parts' */
    mpi_stage_cost costs[MPI_STAGES],
        cost; /* seconds of all ranks together, peaks of the largest; of all stages */
} outcome;

/* What all ranks took, by stage. Collective; equal on every rank afterwards. */
static void sum_costs(MPI_Comm comm, outcome *of)
{
    of->cost = (mpi_stage_cost){"all", 0, 0};
    mpi_stage_costs(of->costs);
    for (int i = 0; i < MPI_STAGES; i++) {
        mpi_stage_cost *cost = &of->costs[i];
        mpi_allreduce(MPI_IN_PLACE, &cost->seconds, 1, MPI_DOUBLE, MPI_SUM, comm);
        cost->peak = mpi_most(comm, cost->peak);
        of->cost.seconds += cost->seconds;
        of->cost.peak = cost->peak > of->cost.peak ? cost->peak : of->cost.peak;
    }
}

/* One for each set of planning: execute and read are members of halos, added over all parts, so that a member counts once for
 * each part that has it in its halo. Collective. */
static void sum_sets(MPI_Comm comm, const mplan_parts *parts, mplan_parts_set *sets)
{
    const planning *p = &parts->whole.p;
    for (int32_t s = 0; s < p->n_sets; s++) {
        sets[s] = (mplan_parts_set){.name = mplan_mesh_set(p->mesh, p->sets[s].mesh_set).name,
                                    .total = p->sets[s].size,
                                    .cut = s == parts->cut,
                                    .base = parts->base[s]};
        for (int32_t q = parts->begin; q < parts->end; q++) {
            sets[s].execute += mplan_parts_halo(parts, q, s)->n_execute;
            sets[s].read += mplan_parts_halo(parts, q, s)->n -
                            mplan_parts_halo(parts, q, s)->n_execute;
        }
        sets[s].execute = mpi_sum(comm, sets[s].execute);
        sets[s].read = mpi_sum(comm, sets[s].read);
    }
}

/* By rank 0, with --verbose. */
static mplan_status show_costs(const outcome *of, mplan_error *err)
{
    cli_table table = {.columns = 3};
    printf("  %.1f seconds of processors, at most %lld bytes of memory a rank\n", of->cost.seconds,
           (long long)of->cost.peak);
    cli_table_cell(&table, "step");
    cli_table_cell(&table, "seconds");
    cli_table_cell(&table, "peak MB");
    for (int i = 0; i < MPI_STAGES; i++) {
        cli_table_cell(&table, "%s", of->costs[i].word);
        cli_table_real(&table, 2, of->costs[i].seconds);
        cli_table_real(&table, 1, 1e-6 * (double)of->costs[i].peak);
    }
    return cli_table_print(&table, "  ", "lrr", err);
}

/* The table of `plan --parts`. By rank 0. */
static mplan_status show(const mpi_call *call, const outcome *of, mplan_error *err)
{
    cli_table table = {0};
    printf("%s: bundle of %d parts, cut by %s, planned by %d ranks, %lld bytes\n",
           cli_shown(of->output), (int)of->n_parts, of->how, (int)call->ranks,
           (long long)of->written->bytes);
    if (of->written->found > 0)
        printf("  %lld parts were planned by an earlier call\n", (long long)of->written->found);
    mplan_status status = call->globals->verbose ? show_costs(of, err) : MPLAN_OK;
    cli_part_sets_head(&table);
    for (int32_t s = 0; s < of->n_sets; s++)
        cli_part_sets_row(&table, &of->sets[s], of->n_parts);
    const mplan_status printed = cli_part_sets_print(&table, err);
    return status ? status : printed;
}

/* One object; keys are a contract: add, never rename. What `plan --parts` says, too, has its keys. By rank 0. */
static mplan_status write_json(const mpi_call *call, const outcome *of, mplan_error *err)
{
    cli_json json = {0};
    cli_results_open(&json, call->cli);
    cli_json_text(&json, "file", of->output);
    cli_json_int(&json, "bytes", of->written->bytes);
    cli_json_int(&json, "parts", of->n_parts);
    cli_json_text(&json, "cut_by", of->how);
    cli_json_open(&json, "sets", '[');
    for (int32_t s = 0; s < of->n_sets; s++)
        cli_part_sets_json(&json, &of->sets[s], of->n_parts);
    cli_json_close(&json, ']');
    cli_json_int(&json, "ranks", call->ranks);
    cli_json_int(&json, "parts_found", of->written->found);
    cli_json_open(&json, "cpu_s", '{');
    for (int i = 0; i < MPI_STAGES; i++)
        cli_json_real(&json, of->costs[i].word, of->costs[i].seconds);
    cli_json_real(&json, "total", of->cost.seconds);
    cli_json_close(&json, '}');
    cli_json_open(&json, "peak_bytes", '{');
    for (int i = 0; i < MPI_STAGES; i++)
        cli_json_int(&json, of->costs[i].word, of->costs[i].peak);
    cli_json_close(&json, '}');
    cli_json_int(&json, "peak_rss_bytes", of->cost.peak);
    return cli_results_write(&json, call->cli, MPLAN_OK, NULL, err);
}

mplan_status mpi_plan_report(const mpi_call *call, const mpi_parts *cut, const char *output,
                             const mpi_written *written, mplan_error *err)
{
    assert(call && cut && cut->parts && output && written);
    const mplan_parts *parts = cut->parts;
    outcome of = {.output = output,
                  .how = parts->how,
                  .written = written,
                  .n_parts = parts->n_parts,
                  .n_sets = parts->whole.p.n_sets};
    of.sets = mplan_alloc(of.n_sets, sizeof *of.sets, err);
    mplan_status status = mpi_agree(call->comm, of.sets ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status) {
        sum_costs(call->comm, &of);
        sum_sets(call->comm, parts, of.sets);
    }
    if (!status && call->rank == 0 && call->cli->report)
        status = show(call, &of, err);
    if (!status && call->rank == 0 && call->cli->json)
        status = write_json(call, &of, err);
    free(of.sets);
    return status;
}
