/* SPDX-License-Identifier: Apache-2.0 */
/* test_includes.c - decks of Abaqus and Nastran in several files read as the same deck in one, and what cannot be included is
 * refused with the place that includes it */
#include "support_test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "mesh/mesh.h"
#include "support_folder.h"
#include "support_round_trip.h"

static mplan_mesh *read_deck(const char *name)
{
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(mplan_mesh_read(in_folder(name), NULL, NULL, &mesh, &err), &err);
    return mesh;
}

/* sentence: without the folder before it. */
static void expect_refused(const char *name, mplan_status status, const char *sentence)
{
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_refused(mplan_mesh_read(in_folder(name), NULL, NULL, &mesh, &err), status, &err, sentence);
}

static int make_folders(void **state)
{
    int failed = make_folder(state);
    mkdir(in_folder("sub"), 0777);
    return failed;
}

#define TOP "5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
#define ABAQUS                                        \
    "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n" TOP \
    "*ELEMENT, TYPE=C3D8, ELSET=ALL\n1,1,2,3,4,5,\n"  \
    "6,7,8\n*NSET, NSET=BASE\n1, 2\n3\n4\n*SURFACE, NAME=LID\n1, S2\n"

static void same_mesh(const char *a, const char *b)
{
    mplan_mesh *one = read_deck(a), *parts = read_deck(b);
    support_same_cells(one, parts);
    support_same_groups(one, parts, SAME_NAMES | SAME_IDS | SAME_CELL_GROUPS | SAME_NODE_GROUPS);
    mplan_mesh_free(one);
    mplan_mesh_free(parts);
}

/* Between keywords, amid data, amid the nodes of an element, from files that are included, by INPUT of *NODE and *ELEMENT;
 * with quotes, a backslash, a comma at the line's end, CRLF and no line end behind the last line. */
static void abaqus_in_files(void **state)
{
    (void)state;
    put_text("one.inp", ABAQUS);
    put_text("main.inp",
             "*HEADING\nwords\n*INCLUDE, INPUT=sub/nodes.inp\n*ELEMENT, TYPE=C3D8, ELSET=ALL,\n"
             " INPUT=sub/elements.txt\n*NSET, NSET=BASE\n1, 2\n*INCLUDE, INPUT=\"sub/more base.txt\"\n4\n"
             "*Include,\n Input=sub\\surface.inp\n");
    put_text("sub/nodes.inp", "** nodes\r\n*NODE\r\n1,0,0,0\r\n2,1,0,0\r\n3,1,1,0\r\n4,0,1,0\r\n"
                              "*include, input=top.inp");
    put_text("sub/top.inp", TOP);
    put_text("sub/elements.txt", "1,1,2,3,4,5,\n*INCLUDE, INPUT=rest.txt\n");
    put_text("sub/rest.txt", "6,7,8");
    put_text("sub/more base.txt", "3");
    put_text("sub/surface.inp", "*SURFACE, NAME=LID\n1, S2\n");
    same_mesh("one.inp", "main.inp");
}

#define GRIDS                                                                                  \
    "GRID    1               0.      0.      0.\nGRID    2               1.      0.      0.\n" \
    "GRID    3               1.      1.      0.\nGRID,4,,0.,1.,0.\n"

/* In quotes of either kind, over two lines, without quotes; the last card goes on in no other file. */
static void nastran_in_files(void **state)
{
    (void)state;
    put_text("one.bdf", "BEGIN BULK\n" GRIDS "CQUAD4,1,7,1,2,3,4\nCTRIA3,2,8,1,2,3\nENDDATA\n");
    put_text("main.bdf",
             "SOL 101\nINCLUDE 'none.dat'\nBEGIN BULK\nINCLUDE 'sub/grids.dat'\n  include \"sub/\n"
             "    quads.dat\" $ words\nInclude sub/triangles.dat\nENDDATA\n");
    put_text("sub/grids.dat", GRIDS);
    put_text("sub/quads.dat", "$ words\nCQUAD4,1,7,1,2,3,4");
    put_text("sub/triangles.dat", "CTRIA3,2,8,1,2,3\n");
    same_mesh("one.bdf", "main.bdf");
}

/* A file twice is legal, and is read twice. */
static void files_twice(void **state)
{
    (void)state;
    put_text("twice.inp",
             "*INCLUDE, INPUT=sub/points.inp\n*INCLUDE, INPUT=sub/points.inp\n*ELEMENT, TYPE=S3\n1,1,2,3\n");
    put_text("sub/points.inp", "*NODE\n1,0,0\n2,1,0\n3,1,1\n");
    mplan_mesh *mesh = read_deck("twice.inp");
    assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size, 1);
    mplan_mesh_free(mesh);
}

static void refused(void **state)
{
    (void)state;
    char deck[256];
    put_text("a.inp", "*NODE\n1,0,0\n*INCLUDE, INPUT=none.inp\n");
    expect_refused("a.inp", MPLAN_ERR_NO_INPUT, "a.inp:3: ");
    expect_refused("a.inp", MPLAN_ERR_NO_INPUT, "none.inp: No such file or directory");
    put_text("a.inp", "*NODE\n1,0,0\n*ELEMENT,TYPE=T3D2\n1,1,\n*INCLUDE, INPUT=none.txt\n");
    expect_refused("a.inp", MPLAN_ERR_NO_INPUT, "none.txt: No such file or directory");
    put_text("a.inp", "*NODE\n1,0,0\n*INCLUDE\n");
    expect_refused("a.inp", MPLAN_ERR_CORRUPT, "a.inp:3: *INCLUDE must have INPUT=FILE");
    put_text("a.inp", "*NODE\n1,0,0\n*INCLUDE, INPUT=sub/../a.inp\n");
    expect_refused("a.inp", MPLAN_ERR_UNSUPPORTED,
                   "a.inp:3: files that are included must be beside this one or in folders below, not "
                   "'sub/../a.inp'");
    snprintf(deck, sizeof deck, "BEGIN BULK\nINCLUDE '%s'\n", "/dev/null");
    put_text("a.bdf", deck);
    expect_refused("a.bdf", MPLAN_ERR_UNSUPPORTED, "a.bdf:2: files that are included must be");
    /* an element that names a node which is missing is said to be in its own file */
    put_text("a.bdf", "BEGIN BULK\nGRID,1,,0.,0.\nINCLUDE 'sub/bad.dat'\nGRID,2,,1.,0.\n");
    put_text("sub/bad.dat", "\nCROD,1,1,1,9\n");
    expect_refused("a.bdf", MPLAN_ERR_MESH, "sub/bad.dat:2: element 1 has a node 9");
}

/* By its own name, by another file's, by a link. */
static void circles(void **state)
{
    (void)state;
    put_text("c.inp", "*NODE\n1,0,0\n*INCLUDE, INPUT=./c.inp\n");
    expect_refused("c.inp", MPLAN_ERR_CORRUPT, "c.inp:3: ");
    expect_refused("c.inp", MPLAN_ERR_CORRUPT, "c.inp includes itself");
    put_text("c.inp", "*NODE\n1,0,0\n*INCLUDE, INPUT=sub/d.inp\n");
    put_text("sub/d.inp", "\n*INCLUDE, INPUT=link.inp\n");
    assert_int_equal(symlink("../c.inp", in_folder("sub/link.inp")), 0);
    expect_refused("c.inp", MPLAN_ERR_CORRUPT, "sub/link.inp includes itself");
    put_text("sub/d.inp", "*INCLUDE, INPUT=e.inp\n");
    put_text("sub/e.inp", "*INCLUDE, INPUT=d.inp\n");
    expect_refused("c.inp", MPLAN_ERR_CORRUPT, "sub/d.inp includes itself");
}

/* Sixteen files deep is the most; doubling each time ends at a number of files. */
static void limits(void **state)
{
    (void)state;
    char name[32], text[128];
    for (int i = 0; i < 17; i++) {
        snprintf(name, sizeof name, "deep%d.inp", i);
        snprintf(text, sizeof text, "%s*INCLUDE, INPUT=deep%d.inp\n", i ? "" : "*NODE\n1,0,0\n",
                 i + 1);
        put_text(name, text);
    }
    put_text("deep16.inp", "2,1,0\n*ELEMENT,TYPE=T3D2\n1,1,2\n");
    mplan_mesh_free(read_deck("deep0.inp"));
    put_text("deep16.inp", "*INCLUDE, INPUT=deep17.inp\n");
    put_text("deep17.inp", "");
    expect_refused("deep0.inp", MPLAN_ERR_UNSUPPORTED,
                   "deep16.inp:1: files include one another more than 16 deep");
    for (int i = 0; i < 14; i++) {
        snprintf(name, sizeof name, "wide%d.inp", i);
        snprintf(text, sizeof text, "*INCLUDE, INPUT=wide%d.inp\n*INCLUDE, INPUT=wide%d.inp\n",
                 i + 1, i + 1);
        put_text(name, text);
    }
    put_text("wide14.inp", "");
    put_text("wide.inp", "*NODE\n1,0,0\n*INCLUDE, INPUT=wide0.inp\n");
    expect_refused("wide.inp", MPLAN_ERR_UNSUPPORTED, "more than 4096 files are included");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(abaqus_in_files), cmocka_unit_test(nastran_in_files),
        cmocka_unit_test(files_twice),     cmocka_unit_test(refused),
        cmocka_unit_test(circles),         cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folder);
}
