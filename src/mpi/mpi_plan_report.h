/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_plan_report.h - what meshplan-mpi plan says of a bundle: as text, and as JSON with the keys of `plan --parts` */
#ifndef MPLAN_MPI_PLAN_REPORT_H
#define MPLAN_MPI_PLAN_REPORT_H

#include "mpi/mpi_command.h"
#include "mpi/mpi_write.h"

/* Collective, as halos and costs are of all ranks; rank 0 writes, and its status may differ from that of others. output: the
 * path of the bundle. */
mplan_status mpi_plan_report(const mpi_call *call, const mpi_parts *cut, const char *output,
                             const mpi_written *written, mplan_error *err);

#endif
