/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_about.c - what meshplan-mpi says of itself, and its rows of options */
#include "mpi/mpi_about.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "mpi/mpi_ptscotch.h"

/* --- options ------------------------------------------------------------------------------------------- */

#define TARGET(member) offsetof(mpi_global_options, member)
/* clang-format off */
const cli_option mpi_global_rows[] = {
    {.name = "threads", .kind = CLI_INT, .argument = "N", .target = TARGET(threads), .least = 0, .most = 65536,
     .help = "threads of each rank (default 0: the processors of its node, shared with the ranks there)"},
    {.name = "json", .kind = CLI_TEXT, .argument = "FILE", .target = TARGET(json),
     .help = "write the results as JSON to FILE, or with - to standard output in place of the report"},
    {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .target = TARGET(quiet),
     .help = "print errors only"},
    {.name = "verbose", .letter = 'v', .kind = CLI_FLAG, .target = TARGET(verbose),
     .help = "say which rank begins which part, and what all of it took"},
    {.name = "help", .letter = 'h', .kind = CLI_FLAG, .target = TARGET(help), .help = "print this help"},
    {.name = "version", .kind = CLI_FLAG, .target = TARGET(version),
     .help = "print the versions of meshplan, of MPI and of PT-SCOTCH"},
    {.name = NULL},
};
/* clang-format on */

/* rows: out, ended by a row without a name; room for MPI_MOST_OPTIONS and that one. */
void mpi_command_rows(const mpi_command *command, cli_option rows[MPI_MOST_OPTIONS + 1])
{
    int32_t n = 0;
    for (; command->options[n].name; n++)
        rows[n] = command->options[n];
    assert(n + CLI_MAX_PLANNING <= MPI_MOST_OPTIONS);
    cli_planning_rows(command->planning, rows + n);
}

/* --- texts ---------------------------------------------------------------------------------------------- */

/* What there is, and what every command takes.
 * To stdout; rank 0 calls it only. */
void mpi_about_help(void)
{
    const mpi_command *const commands[] = {&mpi_command_plan, &mpi_command_verify};
    printf("Usage: mpirun -n RANKS meshplan-mpi COMMAND [OPTION]... INPUT\n\n"
           "Plans meshes that no single machine holds; see meshplan-mpi(1).\n\nCommands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-12s%s\n", commands[i]->name, commands[i]->summary);
    printf("\nOptions of every command:\n");
    cli_options_print(mpi_global_rows);
}

/* Planning options are not repeated: meshplan-plan(1) has them, and `meshplan plan --help`. */
void mpi_about_command(const mpi_command *command)
{
    printf("Usage: mpirun -n RANKS meshplan-mpi %s %s [OPTION]...\n\n%c%s.\n", command->name,
           command->arguments, command->summary[0] - 'a' + 'A', command->summary + 1);
    if (command->options[0].name) {
        printf("\nOptions:\n");
        cli_options_print(command->options);
    }
    if (command->planning)
        printf("\nPlanning options are those of 'meshplan plan'.\n");
    printf("\nOptions of every command:\n");
    cli_options_print(mpi_global_rows);
}

/* The second line is what MPI says of itself, up to its first comma; the third one is there where PT-SCOTCH is. */
void mpi_about_version(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    printf("meshplan %s\nmpi %.*s\n", mplan_version(), (int)strcspn(text, ",\n"), text);
    if (mpi_has_ptscotch())
        printf("ptscotch %s\n", mpi_ptscotch_version());
}
