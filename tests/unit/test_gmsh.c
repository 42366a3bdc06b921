/* SPDX-License-Identifier: Apache-2.0 */
/* test_gmsh.c - MSH files of every version read alike, errors have their place */
#include "support_test.h"

#include <unistd.h>

#include "formats/format.h"
#include "mesh/mesh.h"
#include "support_gmsh.h"

static mplan_status read_bytes(const void *data, size_t size, mplan_mesh **mesh, mplan_error *err)
{
    /* a copy of that size exactly, so that sanitizers see every step too far */
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    mplan_input input = {"x.msh", copy, size, NULL};
    mplan_status status = mplan_mesh_create(mesh, err);
    assert_int_equal(status, MPLAN_OK);
    status = mplan_format_gmsh.read(&input, NULL, NULL, *mesh, err);
    free(copy);
    if (status) {
        mplan_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* --- samples ------------------------------------------------------------------ */

/* n_nodes and whether 0 ... 3 dimensional, by Gmsh's numbers 1 to 19 */
static const int32_t nodes_of[] = {0, 2,  3,  4,  4,  8, 6, 5,  3,  6,
                                   9, 10, 27, 18, 14, 1, 8, 20, 15, 13};
static const int32_t dimension_of[] = {0, 1, 2, 2, 3, 3, 3, 3, 1, 2, 2, 3, 3, 3, 3, 0, 2, 3, 3, 3};

static int64_t shuffled_tag(uint64_t *seed, int kind, int32_t i)
{
    switch (kind) {
    case 0: return i + 1;
    case 1: return i + 17;
    case 2: /* sparse, in no order */
        return 1 + (int64_t)(i * 7 % SAMPLE_MOST) * 1000003 + support_random(seed, 1000);
    default: /* dense, in no order */ return 5 + (i * 7 % SAMPLE_MOST) * 2;
    }
}

/* Entities of all dimensions up to `dimension`, with random groups; elements
 * with distinct first nodes. */
static void random_sample(uint64_t *seed, gmsh_sample *s, int32_t dimension, int tags, bool flat)
{
    memset(s, 0, sizeof *s);
    s->n_nodes = SAMPLE_MOST;
    for (int32_t i = 0; i < s->n_nodes; i++) {
        s->tag[i] = shuffled_tag(seed, tags, i);
        for (int k = 0; k < (flat ? 2 : 3); k++)
            s->xyz[i][k] = (double)support_random(seed, 1000000) / 999.0 - 500;
    }
    for (int32_t d = 0; d <= dimension; d++)
        for (int32_t t = 0; t < 3; t++) {
            sample_entity *e = &s->entity[s->n_entities++];
            e->dimension = d;
            e->tag = 10 * d + t + 1;
            for (int32_t p = 1; p < 6; p++)
                if (e->n_physicals < 4 && support_random(seed, 3) == 0)
                    e->physicals[e->n_physicals++] = p;
        }
    s->n_elements = (int32_t)support_random(seed, 100) + 1;
    for (int32_t i = 0; i < s->n_elements; i++) {
        sample_element *e = &s->element[i];
        e->entity = i == 0 ? 3 * dimension : (int32_t)support_random(seed, s->n_entities);
        if (i > 0 && support_random(seed, 3)) /* a block goes on */
            e->entity = s->element[i - 1].entity;
        do
            e->number = (int32_t)support_random(seed, 19) + 1;
        while (dimension_of[e->number] != s->entity[e->entity].dimension);
        e->n_nodes = nodes_of[e->number];
        e->nodes[0] = i;
        for (int32_t k = 1; k < e->n_nodes; k++)
            e->nodes[k] = (int32_t)support_random(seed, s->n_nodes);
    }
    static const sample_name all[] = {{3, 1, "fluid"}, {2, 2, "the wall"}, {1, 3, ""},
                                      {2, 1, "x=0"},   {0, 4, "corner"},   {1, 5, "edge"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].dimension <= dimension)
            s->name[s->n_names++] = all[i];
}

/* Name of a group, where version 2.0 knows no dimensions: the first of its number. */
static const char *expected_name(const gmsh_sample *s, int32_t version, int32_t dimension, int64_t id)
{
    for (int32_t i = 0; i < s->n_names; i++)
        if (s->name[i].physical == id && (version == 20 || s->name[i].dimension == dimension))
            return s->name[i].text;
    return "";
}

static bool in_group(const gmsh_sample *s, const sample_element *e, int32_t dimension, int64_t id)
{
    const sample_entity *of = &s->entity[e->entity];
    for (int32_t p = 0; of->dimension == dimension && p < of->n_physicals; p++)
        if (of->physicals[p] == id)
            return true;
    return false;
}

static void expect_cells(const gmsh_sample *s, const mplan_mesh *mesh, int32_t dimension)
{
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    int64_t cell = 0;
    assert_int_equal(map.n_points, s->n_nodes);
    for (int32_t i = 0; i < s->n_elements; i++) {
        const sample_element *e = &s->element[i];
        if (dimension_of[e->number] != dimension)
            continue;
        int32_t n;
        assert_true(cell < map.n_rows);
        const int32_t *row = mplan_map_row(&map, cell, &n);
        mplan_cell_type type = (mplan_cell_type)mplan_mesh_cell_types(mesh)[cell];
        assert_int_equal(n, e->n_nodes);
        assert_int_equal(mplan_cell_type_nodes(type), e->n_nodes);
        assert_int_equal(mplan_cell_type_dimension(type), dimension);
        assert_memory_equal(row, e->nodes, (size_t)n * sizeof *row);
        cell++;
    }
    assert_int_equal(map.n_rows, cell);
}

static void expect_coordinates(const gmsh_sample *s, const mplan_mesh *mesh, int32_t wanted)
{
    int32_t dimension = 0;
    const double *x = mplan_mesh_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), &dimension);
    assert_int_equal(dimension, wanted);
    for (int32_t i = 0; i < s->n_nodes; i++)
        assert_memory_equal(x + i * dimension, s->xyz[i], (size_t)dimension * sizeof *x);
}

/* A group of cells, or of the nodes of elements further down. */
static void expect_group(const gmsh_sample *s, const mplan_mesh *mesh, const mplan_group *group,
                         bool cells)
{
    uint8_t member[SAMPLE_MOST] = {0};
    int32_t cell = 0, n = 0;
    for (int32_t i = 0; i < s->n_elements; i++) {
        const sample_element *e = &s->element[i];
        bool in = in_group(s, e, group->dimension, group->id);
        for (int32_t k = 0; in && !cells && k < e->n_nodes; k++)
            member[e->nodes[k]] = 1;
        if (cells && dimension_of[e->number] == group->dimension)
            member[cell++] = in;
    }
    for (int32_t i = 0; i < SAMPLE_MOST; i++)
        if (member[i]) {
            assert_true(n < group->n_members);
            assert_int_equal(group->members[n++], i);
        }
    assert_int_equal(n, group->n_members);
    assert_string_equal(mplan_mesh_set(mesh, group->set).name, cells ? "cells" : "nodes");
}

static void expect_facets(const gmsh_sample *s, const mplan_mesh_facets *facets, int32_t dimension)
{
    int64_t n = 0, entries = 0;
    for (int32_t i = 0; i < s->n_elements; i++) {
        const sample_element *e = &s->element[i];
        if (!in_group(s, e, dimension, facets->id))
            continue;
        assert_true(n < facets->n_facets);
        assert_int_equal(mplan_cell_type_nodes((mplan_cell_type)facets->type[n]), e->n_nodes);
        assert_memory_equal(facets->nodes + entries, e->nodes, (size_t)e->n_nodes * sizeof *e->nodes);
        entries += e->n_nodes;
        n++;
    }
    assert_int_equal(facets->n_facets, n);
}

/* Groups of a dimension that some element is in. */
static int32_t count_groups(const gmsh_sample *s, int32_t dimension)
{
    int32_t n = 0;
    for (int64_t id = 1; id < 6; id++) {
        bool used = false;
        for (int32_t i = 0; i < s->n_elements; i++)
            used = used || in_group(s, &s->element[i], dimension, id);
        n += used;
    }
    return n;
}

static void expect_sample(const gmsh_sample *s, const mplan_mesh *mesh, int32_t version,
                          int32_t dimension)
{
    int32_t others = 0;
    expect_cells(s, mesh, dimension);
    for (int32_t d = 0; d <= dimension; d++)
        others += d == dimension - 1 ? 0 : count_groups(s, d);
    assert_int_equal(mplan_mesh_n_groups(mesh), others);
    for (int32_t g = 0; g < mplan_mesh_n_groups(mesh); g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        assert_string_equal(group.name, expected_name(s, version, group.dimension, group.id));
        expect_group(s, mesh, &group, group.dimension == dimension);
    }
    assert_int_equal(mesh->n_facet_groups, count_groups(s, dimension - 1));
    for (int32_t f = 0; f < mesh->n_facet_groups; f++) {
        assert_string_equal(mesh->facets[f].name,
                            expected_name(s, version, dimension - 1, mesh->facets[f].id));
        expect_facets(s, &mesh->facets[f], dimension - 1);
    }
}

static void random_dialect(uint64_t *seed, gmsh_dialect *d)
{
    static const int32_t versions[] = {20, 22, 40, 41};
    memset(d, 0, sizeof *d);
    d->version = versions[support_random(seed, 4)];
    d->binary = support_random(seed, 2);
    d->swap = d->binary && support_random(seed, 3) == 0;
    d->width = d->version == 41 && support_random(seed, 3) == 0 ? 4 : 8;
    d->parametric = support_random(seed, 3) == 0;
    d->partitioned = d->version >= 40 && support_random(seed, 3) == 0;
    d->by_group = d->version < 40 && support_random(seed, 3) == 0;
    d->wrong_totals = d->version >= 40 && support_random(seed, 5) == 0;
}

static void all_dialects_read_alike(void **state)
{
    (void)state;
    uint64_t seed = 11;
    gmsh_sample sample;
    for (int round = 0; round < 3000; round++) {
        int tags = round % 4;
        int32_t dimension = 1 + (int32_t)support_random(&seed, 3);
        bool flat = support_random(&seed, 2);
        random_sample(&seed, &sample, dimension, tags, flat);
        gmsh_dialect dialect;
        random_dialect(&seed, &dialect);
        size_t size = 0;
        uint8_t *data = support_gmsh_file(&sample, &dialect, &size);
        char words[128];
        mplan_mesh *mesh = NULL;
        mplan_error err;
        if (mplan_format_gmsh.recognise(data, size) != MPLAN_RECOGNISED_YES ||
            read_bytes(data, size, &mesh, &err))
            fail_msg("round %d: %s: %s", round, support_gmsh_words(&dialect, words, sizeof words),
                     err.text);
        expect_sample(&sample, mesh, dialect.version, dimension);
        expect_coordinates(&sample, mesh, flat && dimension < 3 ? 2 : 3);
        mplan_mesh_free(mesh);
        free(data);
    }
}

/* Whatever is cut off, the reader says so and touches nothing behind the end. */
static void truncated_files_are_refused(void **state)
{
    (void)state;
    uint64_t seed = 12;
    gmsh_sample sample;
    for (int round = 0; round < 40; round++) {
        random_sample(&seed, &sample, 2, round % 4, true);
        gmsh_dialect dialect;
        random_dialect(&seed, &dialect);
        size_t size = 0;
        uint8_t *data = support_gmsh_file(&sample, &dialect, &size);
        size_t end = 0; /* of $EndElements: behind it nothing is needed */
        for (size_t i = 0; i + 12 <= size; i++)
            if (memcmp(data + i, "$EndElements", 12) == 0)
                end = i + 12;
        for (size_t cut = 0; cut < end; cut += 1 + (size_t)support_random(&seed, 97)) {
            mplan_mesh *mesh = NULL;
            mplan_error err = {MPLAN_OK, ""};
            mplan_status status = read_bytes(data, cut, &mesh, &err);
            if (status != MPLAN_ERR_CORRUPT && status != MPLAN_ERR_MESH)
                fail_msg("%zu of %zu bytes: status '%s'", cut, size, mplan_status_name(status));
            if (strncmp(err.text, "x.msh:", 6) != 0)
                fail_msg("no place in '%s'", err.text);
        }
        free(data);
    }
}

/* Damage is refused or harmless, never followed out of bounds (sanitizers look). */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    uint64_t seed = 13;
    gmsh_sample sample;
    for (int round = 0; round < 3000; round++) {
        random_sample(&seed, &sample, 1 + round % 3, round % 4, false);
        gmsh_dialect dialect;
        random_dialect(&seed, &dialect);
        size_t size = 0;
        uint8_t *data = support_gmsh_file(&sample, &dialect, &size);
        for (int64_t k = support_random(&seed, 4); k >= 0; k--)
            data[support_random(&seed, (int64_t)size)] =
                (uint8_t)(dialect.binary ? support_random(&seed, 256)
                                         : "0123456789 -$\n."[support_random(&seed, 15)]);
        mplan_mesh *mesh = NULL;
        mplan_error err;
        if (read_bytes(data, size, &mesh, &err) == MPLAN_OK)
            mplan_mesh_validate(mesh, NULL, &err);
        mplan_mesh_free(mesh);
        free(data);
    }
}

/* --- sentences ------------------------------------------------------------------ */

#define HEAD22 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES22 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
#define NODES41 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"

static const struct {
    const char *text;
    mplan_status status;
    const char *part;
} refusals[] = {
    {"$MeshFormat\n", MPLAN_ERR_CORRUPT, "x.msh:2: expected the version of the MSH format"},
    {"$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", MPLAN_ERR_UNSUPPORTED,
     "x.msh:2: version 3 of the MSH format is not supported"},
    {"$MeshFormat\n4.2 0 8\n$EndMeshFormat\n", MPLAN_ERR_UNSUPPORTED, "version 4.2"},
    {"$MeshFormat\nnan 0 8\n$EndMeshFormat\n", MPLAN_ERR_UNSUPPORTED, "version nan"},
    {"$MeshFormat\n2.2 2 8\n", MPLAN_ERR_CORRUPT, "x.msh:2: expected 0 (text) or 1 (binary)"},
    {"$MeshFormat\n2.2 1 4\n", MPLAN_ERR_UNSUPPORTED, "numbers of 4 bytes"},
    {"$MeshFormat\n2.2 0 8 9\n", MPLAN_ERR_CORRUPT, "x.msh:2: expected the end of the line"},
    {"$MeshFormat\n2.2 0 8\n$Nodes\n", MPLAN_ERR_CORRUPT, "x.msh:3: expected $EndMeshFormat"},
    {"$MeshFormat\n2.2 1 8\nabcd\n", MPLAN_ERR_CORRUPT, "x.msh: byte 20: expected the int 1"},
    {HEAD22 HEAD22, MPLAN_ERR_CORRUPT, "a second $MeshFormat"},
    {"$NOD\n2\n1 0 0 0.0000000000000000000000000000000000000000\n$ENDNOD\n", MPLAN_ERR_CORRUPT,
     "x.msh:4: expected a node tag, found '$ENDNOD'"},
    {"$NOD\n1\n1 0 0 0\n$EndNOD\n", MPLAN_ERR_CORRUPT, "x.msh:4: expected $EndNOD"},
    {"$NOD\n2\n1 0 0 0\n2 1 0 0\n$ENDNOD\n$ELM\n1\n1 1 0 0 3 1 2\n$ENDELM\n", MPLAN_ERR_CORRUPT,
     "x.msh:8: an element of type 1 has 2 nodes, not 3"},
    {"$NOD\n1\n1 0 0 0\n$ENDNOD\n", MPLAN_ERR_CORRUPT, "the file ends without $Elements"},
    {"$ELM\n0\n$ENDELM\n", MPLAN_ERR_CORRUPT, "$ELM comes before $NOD"},
    {HEAD22 "$NOD\n1\n1 0 0 0\n$ENDNOD\n", MPLAN_ERR_CORRUPT, "$NOD is a section of version 1"},
    {"$Nodes\n3\n", MPLAN_ERR_CORRUPT, "$Nodes comes before $MeshFormat"},
    {HEAD22, MPLAN_ERR_CORRUPT, "x.msh:4: the file ends without $Nodes"},
    {HEAD22 NODES22, MPLAN_ERR_CORRUPT, "the file ends without $Elements"},
    {HEAD22 "$Elements\n0\n$EndElements\n", MPLAN_ERR_CORRUPT, "$Elements comes before $Nodes"},
    {HEAD22 "oops\n", MPLAN_ERR_CORRUPT, "x.msh:4: expected a section"},
    {HEAD22 "$Nodes 3\n", MPLAN_ERR_CORRUPT, "x.msh:4: expected the end of the line"},
    {HEAD22 "$View\n1\n2\n", MPLAN_ERR_CORRUPT, "x.msh:5: the section $View has no end"},
    {HEAD22 "$PhysicalNames\n1\n2 x\n", MPLAN_ERR_CORRUPT,
     "x.msh:6: expected the number of a physical group"},
    {HEAD22 "$PhysicalNames\n1\n2 1\n", MPLAN_ERR_CORRUPT, "x.msh:6: expected the name"},
    {HEAD22 "$PhysicalNames\n1\n2 1 \"a\n", MPLAN_ERR_CORRUPT, "x.msh:6: the name of a physical"},
    {HEAD22 "$Nodes\n3\n1 0 0 0\n2 1 0 zero\n3 0 0 0\n", MPLAN_ERR_CORRUPT,
     "x.msh:7: expected a coordinate, found 'zero'"},
    {HEAD22 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n1 1 1 0\n$EndNodes\n", MPLAN_ERR_MESH,
     "x.msh:8: the node tag 1 occurs twice"},
    {HEAD22 "$Nodes\n2\n900000000 0 0 0\n5 1 0 0\n5 1 1 0\n$EndNodes\n", MPLAN_ERR_CORRUPT,
     "x.msh:8: expected $EndNodes"},
    {HEAD22 "$Nodes\n3\n900000000 0 0 0\n5 1 0 0\n5 1 1 0\n$EndNodes\n", MPLAN_ERR_MESH,
     "x.msh:8: the node tag 5 occurs twice"},
    {HEAD22 "$Nodes\n3\n1 0 0 0\n2 inf 0 0\n3 1 1 0\n$EndNodes\n", MPLAN_ERR_MESH,
     "x.msh:7: a coordinate is infinite"},
    {HEAD22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n$EndNodes\n", MPLAN_ERR_CORRUPT,
     "x.msh:9: expected a node tag, found '$EndNodes'"},
    {HEAD22 "$Nodes\n1000000000000\n1 0 0 0\n", MPLAN_ERR_CORRUPT,
     "x.msh:6: 1000000000000 nodes do not fit"},
    {HEAD22 "$Nodes\n-1\n1 0 0 0\n", MPLAN_ERR_CORRUPT, "-1 nodes do not fit"},
    {HEAD22 NODES22 "$Elements\n1\n1 2 2 0 1 1 2 4\n$EndElements\n", MPLAN_ERR_MESH,
     "x.msh:12: element 1 refers to node 4, which does not exist"},
    {HEAD22 NODES22 "$Elements\n1\n1 52 2 0 1 1 2 3\n$EndElements\n", MPLAN_ERR_UNSUPPORTED,
     "x.msh:12: elements of type 52, an incomplete triangle of high order, are not supported"},
    {HEAD22 NODES22 "$Elements\n1\n1 21 2 0 1 1 2 3\n$EndElements\n", MPLAN_ERR_CORRUPT,
     "x.msh:13: expected a node tag, found '$EndElements'"},
    {HEAD22 NODES22 "$Elements\n1\n1 34 2 0 1 1 2 3\n$EndElements\n", MPLAN_ERR_UNSUPPORTED,
     "x.msh:12: elements of type 34, a polygon, are not supported"},
    {HEAD22 NODES22 "$Elements\n1\n1 0 2 0 1 1 2 3\n$EndElements\n", MPLAN_ERR_UNSUPPORTED,
     "of an unknown shape"},
    {HEAD22 NODES22 "$Elements\n1\n1 2 -2 0 1 1 2 3\n", MPLAN_ERR_CORRUPT,
     "x.msh:12: the number of tags of an element is invalid: -2"},
    {HEAD22 NODES22 "$Elements\n1\n1 2 2 0 1 1 2\n$EndElements\n", MPLAN_ERR_CORRUPT,
     "x.msh:13: expected a node tag, found '$EndElements'"},
    {HEAD22 NODES22 "$Elements\n1\n1 15 2 0 1 1\n$EndElements\n", MPLAN_ERR_MESH,
     "x.msh: the file has no cells"},
    {HEAD41 "$Entities\n0 1 0 0\n1 0 0 0 0 0 0 9999 1\n", MPLAN_ERR_CORRUPT,
     "x.msh:6: 9999 physical tags do not fit"},
    {HEAD41 "$Nodes\n1 3 1 3\n4 1 0 3\n1\n2\n3\n", MPLAN_ERR_CORRUPT,
     "x.msh:6: a block of nodes of dimension 4"},
    {HEAD41 "$Nodes\n1 3 1 3\n2 1 0 300\n1\n2\n3\n", MPLAN_ERR_CORRUPT,
     "x.msh:6: 300 nodes do not fit"},
    {HEAD41 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n2\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n", MPLAN_ERR_MESH,
     "x.msh:9: the node tag 2 occurs twice"},
    {HEAD41 NODES41 "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 x\n", MPLAN_ERR_CORRUPT,
     "x.msh:17: expected an element or node tag, found 'x'"},
    {HEAD41 NODES41 "$Elements\n1 1 1 1\n2 1 2 1\n7 1 2 0\n$EndElements\n", MPLAN_ERR_MESH,
     "x.msh:17: element 7 refers to node 0"},
    {HEAD41 NODES41 "$Elements\n1 1 1 1\n2 1 34 1\n7 1 2 0\n$EndElements\n", MPLAN_ERR_UNSUPPORTED,
     "x.msh:16: elements of type 34, a polygon"},
    {HEAD41 NODES41 "$Elements\n1 1 1 1\n2 1 2 50\n7 1 2 0\n$EndElements\n", MPLAN_ERR_CORRUPT,
     "x.msh:16: 50 elements do not fit"},
};

static void text_errors_name_the_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        mplan_mesh *mesh = NULL;
        mplan_error err = {MPLAN_OK, ""};
        assert_refused(read_bytes(refusals[i].text, strlen(refusals[i].text), &mesh, &err),
                       refusals[i].status, &err, refusals[i].part);
    }
}

/* In version 1, too, an element that comes again is the same one for another group only where its elementary group is the
 * same. */
static void old_elements_repeat(void **state)
{
    (void)state;
    for (int elementary = 1; elementary <= 2; elementary++) {
        char text[256];
        mplan_mesh *mesh = NULL;
        mplan_error err;
        const int n = snprintf(text, sizeof text,
                               "$NOD\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$ENDNOD\n$ELM\n2\n"
                               "1 2 7 1 3 1 2 3\n2 2 8 %d 3 1 2 3\n$ENDELM\n",
                               elementary);
        assert_done(read_bytes(text, (size_t)n, &mesh, &err), &err);
        assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size, elementary);
        mplan_mesh_free(mesh);
    }
}

/* Changes a number in a file of one triangle and expects the byte it is at. */
static void expect_byte(const gmsh_dialect *dialect, bool first, int64_t old, int64_t new_value,
                        int width, const char *message)
{
    gmsh_sample s = {.n_nodes = 3, .n_elements = 1, .n_entities = 1};
    for (int i = 0; i < 3; i++) {
        s.tag[i] = 0x01020300 + i;
        s.element[0].nodes[i] = i;
        s.xyz[i][i] = 1;
    }
    s.element[0].number = 2;
    s.element[0].n_nodes = 3;
    s.entity[0] = (sample_entity){2, 1, 0, {0}};
    size_t size = 0, at = 0;
    uint8_t *data = support_gmsh_file(&s, dialect, &size);
    for (size_t i = 0; i + (size_t)width <= size && !(first && at); i++)
        if (memcmp(data + i, &old, (size_t)width) == 0)
            at = i;
    assert_true(at > 0);
    memcpy(data + at, &new_value, (size_t)width);
    char part[128];
    snprintf(part, sizeof part, "x.msh: byte %zu: %s", at, message);
    mplan_mesh *mesh = NULL;
    mplan_error err = {MPLAN_OK, ""};
    mplan_status status = read_bytes(data, size, &mesh, &err);
    if (status != MPLAN_ERR_MESH || strncmp(err.text, part, strlen(part)) != 0)
        fail_msg("version %d: '%s' instead of '%s'", dialect->version, err.text, part);
    free(data);
}

static void binary_errors_name_the_byte(void **state)
{
    (void)state;
    static const gmsh_dialect dialects[] = {
        {.version = 22, .binary = true, .width = 8},
        {.version = 40, .binary = true, .width = 8},
        {.version = 41, .binary = true, .width = 8},
        {.version = 41, .binary = true, .width = 4},
    };
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++) {
        int width = dialects[d].version == 41 ? dialects[d].width : 4;
        /* the tags are in $Nodes first, in $Elements last */
        expect_byte(&dialects[d], false, 0x01020301, 77, width, "element 1 refers to node 77, which");
        expect_byte(&dialects[d], true, 0x01020302, 0x01020300, width,
                    "the node tag 16909056 occurs twice");
    }
}

static void repeated_sections_and_empty_ones(void **state)
{
    (void)state;
    static const char text[] = "$Comments\nhello\n$EndComments\n" HEAD22 NODES22
                               "$Nodes\n1\n9 5 5 0\n$EndNodes\n$Nodes\n0\n$EndNodes\n"
                               "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n"
                               "$Periodic\n1\n1 2\n$EndPeriodicity\n$EndPeriodic\n"
                               "$Elements\n2\n2 2 1 7 2 9 3\n2 2 1 8 2 9 3\n$EndElements";
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_int_equal(mplan_format_gmsh.recognise((const uint8_t *)text, strlen(text)),
                     MPLAN_RECOGNISED_YES);
    assert_done(read_bytes(text, strlen(text), &mesh, &err), &err);
    mplan_map map = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    assert_int_equal(map.n_rows, 2);
    assert_int_equal(map.n_points, 4);
    assert_int_equal(map.values[4], 3);
    assert_int_equal(mplan_mesh_n_groups(mesh), 2);
    assert_int_equal(mplan_mesh_group(mesh, 1).id, 8);
    assert_int_equal(mplan_mesh_group(mesh, 1).members[0], 1);
    mplan_mesh_free(mesh);
    static const char twice[] = HEAD22 NODES22 "$Nodes\n2\n9 5 5 0\n2 1 1 1\n$EndNodes\n";
    assert_refused(read_bytes(twice, strlen(twice), &mesh, &err), MPLAN_ERR_MESH, &err,
                   "x.msh:13: the node tag 2 occurs twice");
}

/* An entity that names a group twice, or an element twice in one group. */
static void members_are_listed_once(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD41 "$Entities\n0 0 1 0\n1 0 0 0 0 0 0 3 5 -5 5 0\n$EndEntities\n" NODES41
               "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n",
        HEAD22 NODES22 "$Elements\n3\n1 2 1 5 1 2 3\n2 1 1 5 1 2\n1 2 1 5 1 2 3\n$EndElements\n",
    };
    for (int i = 0; i < 2; i++) {
        mplan_mesh *mesh = NULL;
        mplan_error err;
        assert_done(read_bytes(texts[i], strlen(texts[i]), &mesh, &err), &err);
        assert_int_equal(mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size, 1);
        assert_int_equal(mplan_mesh_n_groups(mesh), 1);
        assert_int_equal(mplan_mesh_group(mesh, 0).n_members, 1);
        mplan_mesh_free(mesh);
    }
}

/* Names may be in any order, two of them too; of two names for one group the first counts. */
static void names_in_any_order(void **state)
{
    (void)state;
    static const char text[] = HEAD22
        "$PhysicalNames\n2\n2 7 \"late\"\n2 3 \"early\"\n$EndPhysicalNames\n" NODES22
        "$Elements\n2\n1 2 1 7 1 2 3\n2 2 1 3 1 3 2\n$EndElements\n";
    mplan_mesh *mesh = NULL;
    mplan_error err;
    assert_done(read_bytes(text, strlen(text), &mesh, &err), &err);
    assert_int_equal(mplan_mesh_n_groups(mesh), 2);
    for (int32_t g = 0; g < 2; g++) {
        mplan_group group = mplan_mesh_group(mesh, g);
        assert_string_equal(group.name, group.id == 7 ? "late" : "early");
    }
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_dialects_read_alike),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(text_errors_name_the_line),
        cmocka_unit_test(old_elements_repeat),
        cmocka_unit_test(binary_errors_name_the_byte),
        cmocka_unit_test(repeated_sections_and_empty_ones),
        cmocka_unit_test(members_are_listed_once),
        cmocka_unit_test(names_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
