/* SPDX-License-Identifier: Apache-2.0 */
/* test_decks.c - Abaqus, UNV, Nastran, MFEM, Netgen, libMesh and Fluent in text: what is odd but legal is read, what is not is refused with
 * its line */
#include "support_test.h"

#include "formats/format.h"
#include "mesh/mesh.h"

/* "2 tri3, 4 nodes; name 2, #7 1; facets name 3" of what was read, or the sentence of the error. */
static void say(const mplan_mesh *mesh, char *said, size_t size)
{
    const uint8_t *type = mplan_mesh_cell_types(mesh);
    int64_t n_cells = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size;
    size_t used = 0;
    for (int t = 0; t < MPLAN_N_CELL_TYPES; t++) {
        long long n = 0;
        for (int64_t c = 0; c < n_cells; c++)
            n += type[c] == t;
        if (n > 0)
            used += (size_t)snprintf(said + used, size - used, "%lld %s, ", n,
                                     mplan_cell_type_name((mplan_cell_type)t));
    }
    used += (size_t)snprintf(said + used, size - used, "%lld nodes",
                             (long long)mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "nodes")).size);
    for (int facets = 0; facets < 2; facets++) {
        const int32_t n = facets ? mplan_mesh_n_facet_groups(mesh) : mplan_mesh_n_groups(mesh);
        for (int32_t g = 0; g < n; g++) {
            mplan_group group = facets ? mplan_mesh_facet_group(mesh, g) : mplan_mesh_group(mesh, g);
            used += (size_t)snprintf(said + used, size - used, "%s%s", g ? ", " : "; ",
                                     g == 0 && facets ? "facets " : "");
            used += (size_t)(*group.name ? snprintf(said + used, size - used, "%s %lld", group.name,
                                                    (long long)group.n_members)
                                         : snprintf(said + used, size - used, "#%lld %lld",
                                                    (long long)group.id, (long long)group.n_members));
        }
    }
}

/* Reads the text and compares what is said of it. Where it is refused the sentence begins with "x:LINE: ". */
static void expect(const mplan_file_format *format, const char *text, const char *expected)
{
    const mplan_input input = {.path = "x", .data = (const uint8_t *)text, .size = strlen(text)};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    char said[1024];
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    mplan_status status = format->read(&input, NULL, NULL, mesh, &err);
    if (!status)
        status = mplan_mesh_validate(mesh, NULL, &err);
    if (!status)
        say(mesh, said, sizeof said);
    else
        snprintf(said, sizeof said, "%s", err.text);
    if (status ? !strstr(said, expected) : strcmp(said, expected) != 0)
        fail_msg("%s: '%s' in place of '%s' for\n%s", format->name, said, expected, text);
    mplan_mesh_free(mesh);
}

/* --- Abaqus ---------------------------------------------------------------------------------- */

#define ABAQUS_NODES "*node\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n"

static void abaqus_is_read(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_abaqus;
    expect(of, ABAQUS_NODES "*Element,type=CPS3\n1,1,2,3\n2,1,3,4\n", "2 tri3, 4 nodes");
    /* elements before nodes, blanks in keywords, commas at the end, no line end at the last line */
    expect(of,
           "*ELEMENT , TYPE = cps4 , ELSET = a\n7, 1, 2,\n3, 4,\n* node\n1,0,0,\n2,1,0,0,\n3,1,1\n4,0,1",
           "1 quad4, 4 nodes; a 1");
    /* exponents of Fortran, numbers with signs and gaps, comments between */
    expect(of,
           "*NODE\n+1, 0., 0.E0\n** a comment\n200, 1.D0, -0.\n30, +1., .5d+1\n*ELEMENT, TYPE=S3\n**\n5, 1, 200, 30\n",
           "1 tri3, 3 nodes");
    /* a set twice, one member twice, a range with and without a step */
    expect(of,
           ABAQUS_NODES
           "*Element,type=CPS3\n1,1,2,3\n2,1,3,4\n*Elset,elset=e\n1\n*Elset,elset=e,generate\n1,2\n"
           "*Nset,nset=n,generate\n1,4,2\n",
           "2 tri3, 4 nodes; e 2, n 2");
    /* members that are not there are skipped */
    expect(of, ABAQUS_NODES "*Element,type=CPS3\n1,1,2,3\n*Nset,nset=n\n4, 9\n",
           "1 tri3, 4 nodes; n 1");
    /* sides of a set */
    expect(of,
           ABAQUS_NODES
           "*Element,type=CPS4,elset=all\n1,1,2,3,4\n*Surface,name=s,type=element\nall,S1\n1,S3\n",
           "1 quad4, 4 nodes; all 1; facets s 2");
}

/* Nodes of cell 0 that lie amid others of it, as Gmsh has them: "4: 0 1" for each. */
static void expect_middles(const mplan_file_format *format, const char *text, const char *const *amid)
{
    const mplan_input input = {.path = "x", .data = (const uint8_t *)text, .size = strlen(text)};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    int32_t dimension;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(format->read(&input, NULL, NULL, mesh, &err), &err);
    const double *x = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), &dimension);
    const int32_t *node = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes")).values;
    assert_int_equal(dimension, 3);
    for (int i = 0; amid[i]; i++) {
        int middle, used;
        const char *at = amid[i];
        double sum[3] = {0, 0, 0}, n = 0;
        assert_int_equal(sscanf(at, "%d:%n", &middle, &used), 1);
        for (at += used; *at; at++, n++)
            for (int32_t d = 0; d < 3; d++)
                sum[d] += x[3 * node[*at - '0'] + d];
        for (int32_t d = 0; d < 3; d++)
            assert_float_equal(x[3 * node[middle] + d], sum[d] / n, 1e-12);
    }
    mplan_mesh_free(mesh);
}

/* Medit's tetrahedra of second order as its library documents them; Abaqus's hexahedron of 27 nodes. */
static void middles(void **state)
{
    static const char *const of_tets[] = {"4:01", "5:12", "6:02", "7:03", "8:23", "9:13", NULL};
    static const char *const of_hexes[] = {
        "8:01",    "9:03",    "10:04",   "11:12",   "12:15",       "13:23",   "14:26",
        "15:37",   "16:45",   "17:47",   "18:56",   "19:67",       "20:0123", "21:0145",
        "22:0347", "23:1256", "24:2367", "25:4567", "26:01234567", NULL};
    (void)state;
    expect_middles(&mplan_format_medit,
                   "MeshVersionFormatted 2\nDimension 3\nVertices\n10\n0 0 0 0\n2 0 0 0\n0 4 0 0\n0 0 6 0\n"
                   "1 0 0 0\n1 2 0 0\n0 2 0 0\n0 0 3 0\n1 0 3 0\n0 2 3 0\n"
                   "TetrahedraP2\n1\n1 2 3 4 5 6 7 8 9 10 1\nEnd\n",
                   of_tets);
    expect_middles(&mplan_format_abaqus,
                   "*NODE\n1,0,0,0\n2,2,0,0\n3,2,4,0\n4,0,4,0\n5,0,0,6\n6,2,0,6\n7,2,4,6\n8,0,4,6\n"
                   "9,1,0,0\n10,2,2,0\n11,1,4,0\n12,0,2,0\n13,1,0,6\n14,2,2,6\n15,1,4,6\n16,0,2,6\n"
                   "17,0,0,3\n18,2,0,3\n19,2,4,3\n20,0,4,3\n21,1,2,3\n22,1,2,0\n23,1,2,6\n24,1,0,3\n"
                   "25,2,2,3\n26,1,4,3\n27,0,2,3\n*ELEMENT,TYPE=C3D27\n1,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,\n"
                   "16,17,18,19,20,21,22,23,24,25,26,27\n",
                   of_hexes);
}

static void abaqus_is_refused(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_abaqus;
    expect(of, ABAQUS_NODES "*Element\n1,1,2,3\n", "x:6: the element type '' is unknown");
    expect(of, ABAQUS_NODES "*Element,type=CPS3\n1,1,2\n*Nset,nset=a\n1\n",
           "x:8: an element has 2 nodes, its type needs 3");
    expect(of, ABAQUS_NODES "*Element,type=CPS3\n1,1,2,9\n",
           "x:7: element 1 has a node 9, which is not there");
    expect(of, "*node\n1,0,0\n2,1,zero\n", "x:3: expected a coordinate, found 'zero'");
    expect(of, ABAQUS_NODES "*Elset,elset=e\nnone\n", "x:7: there is no set 'none'");
    expect(of, "*node\n1,0,0\n", "x: the file has no cells");
    expect(of, "", "x: the file has no cells");
}

/* --- UNV --------------------------------------------------------------------------------------- */

#define UNV_NODES                                                                                \
    "    -1\n  2411\n 1 1 1 11\n 0 0 0\n 2 1 1 11\n 1.0D+00 0 0\n 3 1 1 11\n 1 1 0\n 4 1 1 11\n" \
    " 0 1 0\n    -1\n"

static void unv_is_read(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_unv;
    expect(of, UNV_NODES "    -1\n  2412\n 1 91 1 1 7 3\n 1 2 3\n 2 91 1 1 7 3\n 1 3 4\n    -1\n",
           "2 tri3, 4 nodes");
    /* elements before nodes, blank lines, no blanks before -1, an unknown dataset with -1 among other numbers */
    expect(of, "-1\n2412\n1 94 1 1 7 4\n1 2 3 4\n-1\n\n-1\n9999\n-1 5\nwords\n-1\n" UNV_NODES,
           "1 quad4, 4 nodes");
    /* older nodes in one line, an older element; a beam with its line */
    expect(of,
           "-1\n15\n1 0 0 11 0 0 0\n2 0 0 11 1 0 0\n3 0 0 11 1 1 0\n-1\n-1\n780\n1 91 1 1 1 1 3\n1 2 3\n-1\n",
           "1 tri3, 3 nodes");
    expect(of,
           UNV_NODES
           "-1\n2412\n1 91 1 1 7 3\n1 2 3\n2 11 1 1 7 2\n0 1 1\n1 2\n-1\n-1\n2467\n1 0 0 0 0 0 0 1\n"
           "the rim\n8 2 0 0\n-1\n",
           "1 tri3, 4 nodes; facets the rim 1");
    /* a group of both kinds is two, one without members none; without a name its number */
    expect(of,
           UNV_NODES
           "-1\n2412\n1 91 1 1 7 3\n1 2 3\n-1\n-1\n2467\n1 0 0 0 0 0 0 2\nboth\n8 1 0 0 7 4 0 0\n"
           "2 0 0 0 0 0 0 0\nempty\n5 0 0 0 0 0 0 1\n\n8 1 0 0\n-1\n",
           "1 tri3, 4 nodes; both 1, #5 1, both 1");
    /* springs are skipped */
    expect(of, UNV_NODES "-1\n2412\n9 136 1 1 7 2\n1 2\n1 91 1 1 7 3\n1 2 3\n-1\n",
           "1 tri3, 4 nodes");
}

static void unv_is_refused(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_unv;
    expect(of, "  2411\n", "x:1: expected a line of -1 before a dataset");
    expect(of, "-1\nnodes\n", "x:2: expected the number of a dataset, found 'nodes'");
    expect(of, "-1\n2411\n1 1 1 11\n0 zero 0\n-1\n", "x:4: expected a coordinate, found 'zero'");
    expect(of, UNV_NODES "-1\n2412\n1 91 1 1 7 3\n1 2 5\n-1\n",
           "x:14: element 1 has a node 5, which is not there");
    expect(of, UNV_NODES "-1\n2412\n1 91 1 1 7 5\n1 2 3 4 1\n-1\n",
           "x:14: an element of form 91 with 5 nodes is not known");
    expect(of, UNV_NODES "-1\n2412\n1 91 1 1 7 3\n1 2 3\n",
           "x:16: the file ends within dataset 2412");
    expect(of, "", "x: the file has no cells");
}

/* --- Nastran -------------------------------------------------------------------------------------- */

#define GRIDS "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n"

static void nastran_is_read(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_nastran;
    expect(of, GRIDS "CTRIA3,1,7,1,2,3\nCTRIA3,2,8,1,3,4\n", "2 tri3, 4 nodes; #7 1, #8 1");
    /* small letters, blank coordinates, comments behind cards, no ENDDATA */
    expect(of,
           "grid    1\ngrid    2               1.      $ one\n$\ngrid    3               1.      1.\nctria3  1               1       2       3",
           "1 tri3, 3 nodes");
    /* the executive section is skipped; what follows ENDDATA, too */
    expect(of, "SOL 101\nGRID,9\nBEGIN BULK\n" GRIDS "CQUAD4,1,2,1,2,3,4\nENDDATA\nGRID,x\n",
           "1 quad4, 4 nodes; #2 1");
    /* a card that goes on, marked or only by a blank field; 16 columns; exponents without a letter */
    expect(of,
           "BEGIN BULK\nGRID*                  1                              0.              0.\n*                     0.\n"
           "GRID,2,,1.+0,0.,0.\nGRID,3,,10.-1,1.0,\nCTRIA6  1       2       1       2       3\n",
           "1 tri3, 3 nodes; #2 1");
    expect(of,
           GRIDS
           "GRID,5,,0.,0.,1.\nGRID,6,,1.,0.,1.\nGRID,7,,1.,1.,1.\nGRID,8,,0.,1.,1.\nCHEXA,1,2,1,2,3,4,5,6,+A\n+A,7,8\n",
           "1 hex8, 8 nodes; #2 1");
    expect(of,
           GRIDS
           "GRID,5,,0.,0.,1.\nGRID,6,,1.,0.,1.\nGRID,7,,1.,1.,1.\nGRID,8,,0.,1.,1.\nCHEXA,1,2,1,2,3,4,5,6\n,7,8\n",
           "1 hex8, 8 nodes; #2 1");
    /* bars on the boundary are facets; unknown cards are skipped */
    expect(of, GRIDS "CQUAD4,1,2,1,2,3,4\nCBAR,2,9,1,2\nFORCE,1,2,x\n",
           "1 quad4, 4 nodes; #2 1; facets #9 1");
}

static void nastran_is_refused(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_nastran;
    expect(of, GRIDS "CTRIA3,1,7,1,2,5\n", "x:5: element 1 has a node 5, which is not there");
    expect(of, GRIDS "CTRIA3,1,7,1,2\n", "x:5: expected a node of an element, found ''");
    expect(of, GRIDS "CTRIA3,1,p,1,2,3\n", "x:5: expected the number of a property, found 'p'");
    expect(of, "GRID,1,,0.,1.5.2\n", "x:1: expected a coordinate, found '1.5.2'");
    expect(of, GRIDS "\n$\nGRID,2,,5.\nCTRIA3,1,,1,2,3\n", "x: node 2 occurs twice, at two places");
    expect(of, GRIDS, "x: the file has no cells");
}

/* --- MFEM ------------------------------------------------------------------------------------------- */

static void mfem_is_read(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_mfem;
    expect(of,
           "MFEM mesh v1.0\ndimension\n2\nelements\n2\n1 2 0 1 2\n2 2 0 2 3\nboundary\n1\n9 1 0 1\nvertices\n4\n2\n0 0\n1 0\n1 1\n0 1\n",
           "2 tri3, 4 nodes; #1 1, #2 1; facets #9 1");
    /* vertices first, everything in a line, comments anywhere, an empty boundary, attribute 0 is none */
    expect(of,
           "# before\nMFEM mesh v1.3 # kind\ndimension 2\nvertices 3 2 0 0 1 0 # two\n1 1\nelements 1\n# one\n0 2 0 1 2\nboundary 0\n",
           "1 tri3, 3 nodes");
    /* three coordinates of a plane mesh; points as boundary elements of lines */
    expect(of,
           "MFEM mesh v1.0\ndimension\n2\nelements\n1\n3 3 0 1 2 3\nboundary\n0\nvertices\n4\n3\n0 0 5\n1 0 5\n1 1 5\n0 1 5\n",
           "1 quad4, 4 nodes; #3 1");
    expect(of,
           "MFEM mesh v1.0\ndimension\n1\nelements\n2\n1 1 0 1\n1 1 1 2\nboundary\n2\n1 0 0\n2 0 2\nvertices\n3\n1\n0\n1\n2\n",
           "2 line2, 3 nodes; #1 2; facets #1 1, #2 1");
}

static void mfem_is_refused(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_mfem;
    expect(of, "MFEM INLINE mesh v1.0\n", "x:1: only conforming meshes");
    expect(of, "MFEM mesh v1.0\nelements\n1\n1 2 0 1 3\nvertices\n3\n2\n0 0\n1 0\n1 1\n",
           "x:4: vertex 3 is not in [0, 3)");
    expect(of, "MFEM mesh v1.0\nelements\n1\n1 2 0 1\nvertices\n",
           "x:5: expected a vertex of an element, found 'vertices'");
    expect(of, "MFEM mesh v1.0\nvertices\n2\n2\n0 0\n1 nan\n", "x:6: ");
    expect(of, "MFEM mesh v1.0\nelements\n-1\n", "x:3: the number of elements is -1");
}

/* --- Netgen ------------------------------------------------------------------------------------------ */

static void netgen_is_read(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_netgen;
    /* points first, no names, an unknown section, no endmesh */
    expect(of,
           "mesh3d\npoints\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nother\n2\n1 2\n3 4\nvolumeelements\n1\n3 4 1 2 3 4\n",
           "1 tet4, 4 nodes; #3 1");
    /* names of numbers that nothing has, a name of several words, number 0 is not a group */
    expect(of,
           "# c\nmesh3d\ndimension\n2\nsurfaceelements\n2\n1 1 0 0 3 1 2 3\n1 0 0 0 3 1 3 4\npoints\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
           "materials\n2\n5 unused\n1 two words  \nendmesh\nvolumeelements\n",
           "2 tri3, 4 nodes; two words 1");
}

static void netgen_is_refused(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_netgen;
    expect(of, "mesh2d\n", "x:1: expected 'mesh3d'");
    expect(of, "mesh3d\nvolumeelements\n1\n1 4 1 2 3 4\npoints\n1\n0 0 0\n",
           "x:4: node 4 is not in [1, 1]");
    expect(of, "mesh3d\nvolumeelements\n1\n1 4 1 2 3 -9223372036854775808\n",
           "x:4: a node of an element is -9223372036854775808");
    expect(of, "mesh3d\nvolumeelements\n1\n1 7 1 2 3 4\n", "x:4: an element of 7 nodes is not known");
    expect(of, "mesh3d\npoints\n1\n0 0\n", "expected a coordinate");
}

/* --- libMesh ----------------------------------------------------------------------------------------- */

#define XDA(VERSION, COUNTS, WHERE) VERSION "\n" COUNTS WHERE "\t # sides\n" WHERE "\nn/a\t \nn/a\n"
#define SQUARE "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

static void libmesh_is_read(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_libmesh;
    /* blanks before comments, nothing behind the last line, sides of the same element in any order, each once */
    expect(of,
           XDA("libMesh-0.7.0+\t ", "2 # n\n4\n", ".  ") "2\n3 0 0 1 2\n3 4 0 2 3\n" SQUARE
                                                         "4 # n\n1 2 9\n0 0 9\n1 2 9\n0 1 8",
           "2 tri3, 4 nodes; #0 1, #4 1; facets #8 1, #9 2");
    /* nothing said of boundaries and subdomains; nodes of no element may have any coordinates */
    expect(of, XDA("libMesh-0.7.0", "1\n4\n", "n/a") "1\n3 0 1 2\n0 0 0\n1 0 0\n1 1 0\nnan 0 inf\n",
           "1 tri3, 4 nodes");
    /* sides of lines are nodes; points are skipped; of cubic lines the ends are kept */
    expect(of,
           XDA("libMesh-0.7.0", "3\n4\n", ".") "3\n0 1 0 1\n2 1 1 2 3 0\n27 1 3\n" SQUARE
                                               "2\n0 0 5\n1 1 6\n",
           "2 line2, 4 nodes; #1 2; facets #5 1, #6 1");
    /* of the types that have more nodes the first are kept */
    expect(of,
           XDA("libMesh-0.7.0", "1\n7\n", "n/a") "1\n33 0 1 2 4 5 6 3\n" SQUARE
                                                 ".5 0 0\n1 .5 0\n.5 .5 0\n",
           "1 tri6, 7 nodes");
}

static void libmesh_is_refused(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_libmesh;
    expect(of, "DEAL 003:003\n", "x: the file does not begin with 'libMesh'");
    expect(of, XDA("libMesh-0.7.0", "1\n4\n", "n/a") "1\n3 0 1 2\n0 0 0\n1 0 0\n1 nan 0\n0 0 0\n",
           "x: a coordinate of node 2 is not finite");
    expect(of, XDA("libMesh-0.7.0", "1\n4\n", ".") "1\n3 0 0 1 2\n" SQUARE "1\n0 7 1\n",
           "x:15: there is no side 7 of an element 0");
    expect(of, XDA("libMesh-0.7.0", "-1\n4\n", "."), "x:3: the number of elements cannot be -1");
    /* of a long version the first 40 characters are told */
    expect(of, XDA("libMesh-0.6.0-abcdefghijklmnopqrstuvwxyzABCDEFG", "1\n4\n", "n/a"),
           "version 'libMesh-0.6.0-abcdefghijklmnopqrstuvwxyz' is not supported");
}

/* --- Fluent ------------------------------------------------------------------------------------------- */

/* A tet of four faces, its cell 1. */
#define TET                                                                                         \
    "(2 3)\n(10 (0 1 4 0 3))\n(10 (1 1 4 1 3)(\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n))\n(12 (2 1 1 1 2))\n" \
    "(13 (3 1 4 3 3)(\n1 2 3 1 0\n1 4 2 1 0\n2 4 3 1 0\n1 3 4 1 0\n))\n"

static void fluent_is_read(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_fluent;
    expect(of, TET, "1 tet4, 4 nodes; #2 1, #3 4");
    /* comments, sections in one line, capitals, blanks, zones by both numbers; decimal ids */
    expect(of,
           "(0 \"a (comment\")(2 3)(10(1 1 4 1 3)(0 0 0 1 0 0 0 1 0 0 0 1))(12 (A 1 1 1 2))(13 (B 1 4 3 3)(1 2 3 1 0 1 4 2 1 0\n"
           "2 4 3 1 0 1 3 4 1 0))(39 (10 fluid water)())(45 ( 11 wall the-wall ) ())",
           "1 tet4, 4 nodes; water 1, the-wall 4");
    /* nodes of two zones, the second first */
    expect(of,
           "(2 3)\n(10 (1 3 4 1 3)(0 1 0 0 0 1))\n(10 (7 1 2 1 3)(0 0 0 1 0 0))\n(12 (2 1 1 1 2))\n(13 (3 1 4 3 0)(\n"
           "3 1 2 3 1 0\n3 1 4 2 1 0\n3 2 4 3 1 0\n3 1 3 4 1 0))\n",
           "1 tet4, 4 nodes; #2 1, #3 4");
}

static void fluent_is_refused(void **state)
{
    (void)state;
    const mplan_file_format *of = &mplan_format_fluent;
    expect(of, "(10 (1 1 2 1 3)(0 0 0 1 0 0))\n", "x: there is no section (2 DIMENSION)");
    expect(of, "(2 4)\n", "x:1: the dimension must be 2 or 3, not 4");
    expect(of, "(2 3)\n(10 (1 1 2 1 3)(\n0 0 0\n1 0 zero\n))\n", "x:4: expected a coordinate");
    expect(of, "(2 3)\n(10 (1 1 2 1 3)(\n0 0 0\n", "x:2: the file ends within a section");
    expect(of, "(2 3)\n(10 (1 1 1 1 3)(0 0 0))\n(13 (3 1 1 3 3)(\n1 2 3 1 0\n))\n",
           "x:4: node 2 is not in [1, 1]");
    expect(of, "(2 3)\n(10 (1 1 3 1 3)(0 0 0 1 0 0 0 1 0))\n(13 (3 1 1 2 3)(\n1 2 3 1 1\n))\n",
           "x:4: a face has cell 1 on both sides");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middles),
        cmocka_unit_test(abaqus_is_read),
        cmocka_unit_test(abaqus_is_refused),
        cmocka_unit_test(unv_is_read),
        cmocka_unit_test(unv_is_refused),
        cmocka_unit_test(nastran_is_read),
        cmocka_unit_test(nastran_is_refused),
        cmocka_unit_test(mfem_is_read),
        cmocka_unit_test(mfem_is_refused),
        cmocka_unit_test(netgen_is_read),
        cmocka_unit_test(netgen_is_refused),
        cmocka_unit_test(libmesh_is_read),
        cmocka_unit_test(libmesh_is_refused),
        cmocka_unit_test(fluent_is_read),
        cmocka_unit_test(fluent_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
