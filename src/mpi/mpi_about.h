/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_about.h - what meshplan-mpi says of itself on standard output; one rank calls these */
#ifndef MPLAN_MPI_ABOUT_H
#define MPLAN_MPI_ABOUT_H

void mpi_about_help(void);
/* A line each for meshplan and for the MPI that the program runs with. */
void mpi_about_version(void);

#endif
