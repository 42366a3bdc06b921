/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_about.c - what meshplan-mpi says of itself */
#include "mpi/mpi_about.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "meshplan.h"

void mpi_about_help(void)
{
    printf("Usage: mpirun -n RANKS meshplan-mpi [OPTION]...\n\n"
           "Plans meshes that no single machine holds; see meshplan-mpi(1).\n\n"
           "Options:\n"
           "  -h, --help     print this help\n"
           "      --version  print the versions of meshplan and of MPI\n");
}

void mpi_about_version(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    printf("meshplan %s\nmpi %.*s\n", mplan_version(), (int)strcspn(text, ",\n"), text);
}
