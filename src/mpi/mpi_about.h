/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_about.h - what meshplan-mpi says of itself on standard output; one rank calls these */
#ifndef MPLAN_MPI_ABOUT_H
#define MPLAN_MPI_ABOUT_H

#include "mpi/mpi_command.h"

void mpi_about_help(void);
/* The options of one command. */
void mpi_about_command(const mpi_command *command);
/* A line each for meshplan and for the MPI that the program runs with. */
void mpi_about_version(void);

#endif
