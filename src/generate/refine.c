/* refine.c - splits every cell of a mesh into 4 or 8 of its own shape
 *
 * Tets give four tets at their corners and an octahedron, which is cut along
 * its shortest diagonal (S. Zhang, Successive subdivisions of tetrahedra,
 * Houston J. Math. 21 (1995)); of equally long ones along that with the lowest
 * node. Children keep the orientation of their parent; child k of cell c is
 * cell 4c + k or 8c + k. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "generate/generate.h"
#include "mesh/mesh.h"
#include "generate/midpoints.h"

enum { CHECK_EVERY = 1 << 16 };

/* One step of refinement: the coarse mesh and the new nodes in it. */
typedef struct refinement {
    const mplan_mesh *mesh;
    const mplan_context *context;
    bool split; /* false: the mesh is copied */
    mplan_midpoints middle;
    int32_t coordinate_dimension; /* 0: none */
    const double *coordinates;    /* of all nodes, old and new */
} refinement;

/* --- cells ------------------------------------------------------------------- */

/* Corners of quads and hexes as steps along their directions. */
static const int8_t box_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

/* Places of corner k among the 9 or 27 nodes of a split quad or hex. */
static int32_t box_place(int32_t k)
{
    int32_t bits = box_corner[k];
    return 2 * (bits & 1) + 6 * (bits >> 1 & 1) + 18 * (bits >> 2);
}

/* The middle of corners lies at the mean of their places. Returns false when
 * the mesh has no such edge or face, which is legal for facets alone. */
static bool box_lattice(const mplan_midpoints *middle, mplan_cell_type type, const int32_t *node,
                        int32_t centre, int32_t lattice[27])
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    bool found = true;
    for (int32_t k = 0; k < shape->n_corners; k++)
        lattice[box_place(k)] = node[k];
    for (int32_t e = 0; e < shape->n_edges; e++) {
        int32_t a = shape->edge[e][0], b = shape->edge[e][1];
        int32_t id = mplan_midpoint_of_edge(middle, node[a], node[b]);
        lattice[(box_place(a) + box_place(b)) / 2] = id;
        found = found && id >= 0;
    }
    for (int32_t f = 0; shape->dimension == 3 && f < shape->n_faces; f++) {
        int32_t corner[4], place = 0;
        for (int32_t k = 0; k < 4; k++) {
            corner[k] = node[shape->face[f][k]];
            place += box_place(shape->face[f][k]);
        }
        lattice[place / 4] = mplan_midpoint_of_face(middle, corner);
    }
    lattice[shape->dimension == 3 ? 13 : 4] = centre;
    return found;
}

/* out: corners of 4 or 8 children, a quad or hex each. False: a midpoint is missing, so
 * the box is not part of the mesh. */
static bool split_box(const mplan_midpoints *middle, mplan_cell_type type, const int32_t *node,
                      int32_t centre, int32_t *out)
{
    int32_t lattice[27], n = mplan_cell_type_corners(type);
    if (!box_lattice(middle, type, node, centre, lattice))
        return false;
    for (int32_t child = 0; child < n; child++)
        for (int32_t k = 0; k < n; k++)
            *out++ = lattice[(box_place(child) + box_place(k)) / 2];
    return true;
}

/* out: 4 triangles of 3 nodes, the last one in the middle. False as in split_box. */
static bool split_triangle(const mplan_midpoints *middle, const int32_t *node, int32_t *out)
{
    int32_t m[3];
    for (int32_t k = 0; k < 3; k++) {
        m[k] = mplan_midpoint_of_edge(middle, node[k], node[(k + 1) % 3]);
        if (m[k] < 0)
            return false;
    }
    const int32_t children[12] = {node[0], m[0], m[2], m[0], node[1], m[1],
                                  m[2], m[1], node[2], m[0], m[1], m[2]};
    memcpy(out, children, sizeof children);
    return true;
}

/* Between old or new nodes a and b. */
static double squared_distance(const refinement *r, int32_t a, int32_t b)
{
    double sum = 0;
    for (int32_t d = 0; d < r->coordinate_dimension; d++) {
        double difference = r->coordinates[(int64_t)a * r->coordinate_dimension + d] -
                            r->coordinates[(int64_t)b * r->coordinate_dimension + d];
        sum += difference * difference;
    }
    return sum;
}

/* The octahedron's three diagonals, each with the ring of the other four nodes
 * in the sense that makes (first, second, ring[i], ring[i + 1]) positive. */
static int32_t choose_diagonal(const refinement *r, int32_t octahedron[3][6])
{
    int32_t best = 0, best_low = 0;
    double best_length = 0;
    for (int32_t k = 0; k < 3; k++) {
        int32_t a = octahedron[k][0], b = octahedron[k][1], low = a < b ? a : b;
        double length = squared_distance(r, a, b);
        if (k == 0 || length < best_length || (length == best_length && low < best_low)) {
            best = k;
            best_length = length;
            best_low = low;
        }
    }
    return best;
}

/* out: 8 tets of 4 nodes: one at each corner, then four around the chosen diagonal of
 * the octahedron that is left. */
static void split_tet(const refinement *r, const int32_t *node, int32_t *out)
{
    int32_t m[4][4];
    for (int32_t a = 0; a < 4; a++)
        for (int32_t b = a + 1; b < 4; b++)
            m[a][b] = m[b][a] = mplan_midpoint_of_edge(&r->middle, node[a], node[b]);
    for (int32_t corner = 0; corner < 4; corner++)
        for (int32_t k = 0; k < 4; k++)
            *out++ = k == corner ? node[k] : m[corner][k];
    int32_t octahedron[3][6] = {
        {m[0][2], m[1][3], m[0][1], m[1][2], m[2][3], m[0][3]},
        {m[0][3], m[1][2], m[0][2], m[2][3], m[1][3], m[0][1]},
        {m[0][1], m[2][3], m[0][3], m[1][3], m[1][2], m[0][2]}};
    const int32_t *cut = octahedron[choose_diagonal(r, octahedron)];
    for (int32_t k = 0; k < 4; k++) {
        *out++ = cut[0];
        *out++ = cut[1];
        *out++ = cut[2 + k];
        *out++ = cut[2 + (k + 1) % 4];
    }
}

/* Writes all children of all cells. */
static mplan_status split_cells(const refinement *r, uint8_t *type, int32_t *nodes,
                                mplan_error *err)
{
    int32_t centre = (int32_t)r->middle.first_centre, n_children = 1 << r->mesh->dimension;
    for (int64_t c = 0; c < r->middle.cells.n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&r->middle.cells, c, &n);
        mplan_cell_type shape = (mplan_cell_type)r->middle.type[c];
        if (shape == MPLAN_CELL_TRI3)
            split_triangle(&r->middle, node, nodes);
        else if (shape == MPLAN_CELL_TET4)
            split_tet(r, node, nodes);
        else
            split_box(&r->middle, shape, node, centre++, nodes);
        memset(type, shape, (size_t)n_children);
        type += n_children;
        nodes += n_children * n;
        if (c % CHECK_EVERY == 0 && mplan_interrupted(r->context, err) != MPLAN_OK)
            return MPLAN_ERR_INTERRUPTED;
    }
    return MPLAN_OK;
}

/* --- facets ------------------------------------------------------------------ */

/* Facets of one group while they are split. */
typedef struct facet_list {
    mplan_vector types, nodes;
    int64_t dropped; /* facets of no cell */
} facet_list;

/* Nodes of the children of a facet; 0 when it is none of a cell, -1 when its
 * type cannot be split. */
static int32_t split_facet(const refinement *r, mplan_cell_type type, const int32_t *node,
                           int32_t out[16])
{
    if (type == MPLAN_CELL_LINE2) {
        int32_t m = mplan_midpoint_of_edge(&r->middle, node[0], node[1]);
        out[0] = node[0], out[1] = m, out[2] = m, out[3] = node[1];
        return m < 0 ? 0 : 4;
    }
    if (type == MPLAN_CELL_TRI3)
        return split_triangle(&r->middle, node, out) ? 12 : 0;
    if (type == MPLAN_CELL_QUAD4) {
        int32_t centre = mplan_midpoint_of_face(&r->middle, node);
        return centre >= 0 && split_box(&r->middle, type, node, centre, out) ? 16 : 0;
    }
    return -1;
}

/* Appends the facet or its children to the list. Facets that no cell has are counted
 * and dropped. */
static mplan_status add_facet(const refinement *r, const char *group, mplan_cell_type type,
                              const int32_t *node, facet_list *list, mplan_error *err)
{
    int32_t size = mplan_cell_type_nodes(type), children[16], n = size;
    const int32_t *out = node;
    if (r->split) {
        n = split_facet(r, type, node, children);
        out = children;
        if (n < 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "a facet of group '%s' is a %s, which cannot be refined", group,
                              mplan_cell_type_name(type));
        if (n == 0) {
            list->dropped++;
            return MPLAN_OK;
        }
    }
    uint8_t *types = mplan_vector_reserve(&list->types, n / size, err);
    int32_t *nodes = mplan_vector_reserve(&list->nodes, n, err);
    if (!types || !nodes)
        return MPLAN_ERR_MEMORY;
    memset(types, type, (size_t)(n / size));
    memcpy(nodes, out, (size_t)n * sizeof *nodes);
    list->types.count += n / size;
    list->nodes.count += n;
    return MPLAN_OK;
}

/* Hands the group of facets to the new mesh, with a warning about what was dropped. */
static mplan_status finish_facets(const refinement *r, const char *name, int64_t id,
                                  facet_list *list, mplan_mesh *made, mplan_error *err)
{
    if (list->dropped > 0)
        mplan_warn(r->context, "group '%s': %lld facets belong to no cell and are dropped", name,
                   (long long)list->dropped);
    /* arrays even for a group without facets */
    if (!mplan_vector_reserve(&list->types, 1, err) || !mplan_vector_reserve(&list->nodes, 1, err))
        return MPLAN_ERR_MEMORY;
    return mplan_mesh_add_facets(made, name, id, list->types.count, list->types.data,
                                 list->nodes.data, err);
}

/* A group of facets that waits for faces. */
static mplan_status carry_waiting(const refinement *r, const mplan_mesh_facets *group,
                                  mplan_mesh *made, mplan_error *err)
{
    facet_list list = {MPLAN_VECTOR_INIT(1), MPLAN_VECTOR_INIT(sizeof(int32_t)), 0};
    mplan_status status = MPLAN_OK;
    const int32_t *node = group->nodes;
    for (int64_t f = 0; f < group->n_facets && !status; f++) {
        mplan_cell_type type = (mplan_cell_type)group->type[f];
        status = add_facet(r, group->name, type, node, &list, err);
        node += mplan_cell_type_nodes(type);
    }
    if (!status)
        status = finish_facets(r, group->name, group->id, &list, made, err);
    free(list.types.data);
    free(list.nodes.data);
    return status;
}

/* A group whose facets have become members of derived faces already. */
static mplan_status carry_faces(const refinement *r, const mplan_mesh_group_data *group,
                                const mplan_map *faces_nodes, mplan_mesh *made, mplan_error *err)
{
    static const mplan_cell_type type_of_size[5] = {[2] = MPLAN_CELL_LINE2,
                                                    [3] = MPLAN_CELL_TRI3,
                                                    [4] = MPLAN_CELL_QUAD4};
    facet_list list = {MPLAN_VECTOR_INIT(1), MPLAN_VECTOR_INIT(sizeof(int32_t)), 0};
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < group->n_members && !status; i++) {
        int32_t n;
        const int32_t *node = mplan_map_row(faces_nodes, group->members[i], &n);
        status = add_facet(r, group->name, type_of_size[n], node, &list, err);
    }
    if (!status)
        status = finish_facets(r, group->name, group->id, &list, made, err);
    free(list.types.data);
    free(list.nodes.data);
    return status;
}

/* --- groups ------------------------------------------------------------------ */

/* Children of a cell have consecutive numbers: members follow from the numbers of the
 * parents. */
static mplan_status carry_cells(const refinement *r, const mplan_mesh_group_data *group,
                                mplan_mesh *made, mplan_error *err)
{
    int32_t n_children = r->split ? 1 << r->mesh->dimension : 1;
    int32_t *members = mplan_alloc(group->n_members, (size_t)n_children * sizeof *members, err);
    if (!members)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < group->n_members; i++)
        for (int32_t k = 0; k < n_children; k++)
            members[i * n_children + k] = group->members[i] * n_children + k;
    return mplan_mesh_take_group(made, group->name, group->id, group->dimension,
                                 mplan_mesh_find_set(made, "cells"),
                                 group->n_members * n_children, members, err);
}

/* Groups of cells and nodes keep their numbers or children; groups of faces become
 * facets by their nodes. */
static mplan_status carry_group(const refinement *r, const mplan_mesh_group_data *group,
                                mplan_mesh *made, mplan_error *err)
{
    const char *set = r->mesh->sets[group->set].name;
    if (strcmp(set, "cells") == 0)
        return carry_cells(r, group, made, err);
    if (strcmp(set, "nodes") == 0)
        return mplan_mesh_add_group(made, group->name, group->id, group->dimension,
                                    mplan_mesh_find_set(made, "nodes"), group->n_members,
                                    group->members, err);
    const char *map = strcmp(set, "faces") == 0            ? "faces_nodes"
                      : strcmp(set, "boundary_faces") == 0 ? "boundary_faces_nodes"
                                                           : "";
    int32_t index = mplan_mesh_find_map(r->mesh, map);
    if (index < 0)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "group '%s' of set %s cannot be carried to a refined mesh", group->name,
                          set);
    mplan_map faces_nodes = mplan_mesh_map(r->mesh, index);
    return carry_faces(r, group, &faces_nodes, made, err);
}

/* Facets that wait for their faces come first, as they did in the old mesh. */
static mplan_status carry_groups(const refinement *r, mplan_mesh *made, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; g < r->mesh->n_facet_groups && !status; g++)
        status = carry_waiting(r, &r->mesh->facets[g], made, err);
    for (int32_t g = 0; g < r->mesh->n_groups && !status; g++)
        status = carry_group(r, &r->mesh->groups[g], made, err);
    return status;
}

/* --- the mesh ---------------------------------------------------------------- */

/* Refinement knows cells, nodes and what is derived from them; other sets and maps
 * would be lost. */
static mplan_status check_sets(const mplan_mesh *mesh, mplan_error *err)
{
    if (!mesh->cell_type)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a mesh without cells cannot be refined");
    if (mesh->faces_name)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a mesh that brings its own %s cannot be refined", mesh->faces_name);
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const mplan_mesh_set_data *set = &mesh->sets[s];
        if (!set->derived && strcmp(set->name, "nodes") != 0 && strcmp(set->name, "cells") != 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "a mesh with a set %s of its own cannot be refined", set->name);
    }
    return MPLAN_OK;
}

static mplan_status check_cells(const mplan_mesh *mesh, mplan_error *err)
{
    mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    for (int64_t c = 0; c < cells.n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&cells, c, &n);
        uint8_t type = mesh->cell_type[c];
        if (type != MPLAN_CELL_TRI3 && type != MPLAN_CELL_QUAD4 && type != MPLAN_CELL_TET4 &&
            type != MPLAN_CELL_HEX8)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "cell %lld is a %s, only tri3, quad4, tet4 and hex8 can be refined",
                              (long long)c, mplan_cell_type_name((mplan_cell_type)type));
        if (mplan_distinct_nodes(node, n) != n)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "cell %lld repeats a node, such cells cannot be refined",
                              (long long)c);
    }
    return MPLAN_OK;
}

/* Adds cells and coordinates of the refined mesh. */
static mplan_status make_cells(refinement *r, mplan_mesh *made, mplan_error *err)
{
    int32_t n_children = 1 << r->mesh->dimension;
    int64_t n_cells = r->middle.cells.n_rows * n_children;
    int32_t set;
    const double *old = mplan_mesh_coordinates(r->mesh, r->middle.cells.to,
                                               &r->coordinate_dimension);
    double *all = NULL;
    if (old) {
        all = mplan_alloc(r->middle.n_all, (size_t)r->coordinate_dimension * sizeof *all, err);
        if (!all)
            return MPLAN_ERR_MEMORY;
        mplan_midpoints_place(&r->middle, r->coordinate_dimension, old, all);
        r->coordinates = all;
    }
    mplan_status status = mplan_mesh_add_set(made, "nodes", r->middle.n_all, &set, err);
    if (status) {
        free(all);
        return status;
    }
    if (all)
        status = mplan_mesh_take_coordinates(made, set, r->coordinate_dimension, all, err);
    if (status)
        return status;
    uint8_t *type = mplan_alloc(n_cells, sizeof *type, err);
    int32_t *nodes = NULL;
    if (type)
        nodes = mplan_alloc(mplan_map_entries(&r->middle.cells) * n_children, sizeof *nodes, err);
    status = nodes ? split_cells(r, type, nodes, err) : MPLAN_ERR_MEMORY;
    if (status) {
        free(type);
        free(nodes);
        return status;
    }
    return mplan_mesh_take_cells(made, r->middle.n_all, n_cells, type, nodes, err);
}

/* *refined: a new mesh, owned by the caller; old nodes keep their numbers. */
static mplan_status refine_once(const mplan_mesh *mesh, const mplan_context *context,
                                mplan_mesh **refined, mplan_error *err)
{
    refinement r = {.mesh = mesh, .context = context, .split = true};
    mplan_mesh *made = NULL;
    mplan_status status = check_cells(mesh, err);
    if (!status)
        status = mplan_midpoints_make(mesh, context, &r.middle, err);
    if (!status)
        status = mplan_mesh_create(&made, err);
    if (!status)
        status = make_cells(&r, made, err);
    if (!status)
        status = carry_groups(&r, made, err);
    mplan_midpoints_free(&r.middle);
    if (status) {
        mplan_mesh_free(made);
        return status;
    }
    *refined = made;
    return MPLAN_OK;
}

/* For 0 refinements: the cells, coordinates and groups, as a refinement would give
 * them. */
static mplan_status copy_mesh(const mplan_mesh *mesh, const mplan_context *context,
                              mplan_mesh **refined, mplan_error *err)
{
    refinement r = {.mesh = mesh, .context = context, .split = false};
    mplan_mesh *made;
    mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    int32_t dimension;
    const double *coordinates = mplan_mesh_coordinates(mesh, cells.to, &dimension);
    mplan_status status = mplan_mesh_create(&made, err);
    if (status)
        return status;
    status = mplan_mesh_add_cells(made, cells.n_points, cells.n_rows, mesh->cell_type,
                                  cells.values, err);
    if (!status && coordinates)
        status = mplan_mesh_set_coordinates(made, mplan_mesh_find_set(made, "nodes"), dimension,
                                            coordinates, err);
    if (!status)
        status = carry_groups(&r, made, err);
    if (status) {
        mplan_mesh_free(made);
        return status;
    }
    *refined = made;
    return MPLAN_OK;
}

/* Before memory runs out on the way there. */
static mplan_status check_growth(const mplan_mesh *mesh, int32_t times, mplan_error *err)
{
    int64_t n_cells = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size;
    for (int32_t t = 0; t < times && n_cells > 0; t++) {
        n_cells <<= mesh->dimension;
        if (n_cells > MPLAN_MAX_MEMBERS)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "refined %d times the mesh would have more than %lld cells", times,
                              (long long)MPLAN_MAX_MEMBERS);
    }
    return MPLAN_OK;
}

/* Sizes are checked for all steps before the first one. */
mplan_status mplan_mesh_refine(const mplan_mesh *mesh, int32_t times, const mplan_context *context,
                               mplan_mesh **refined, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(refined);
    if (times < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a mesh cannot be refined %d times", times);
    mplan_status status = check_sets(mesh, err);
    if (!status)
        status = check_growth(mesh, times, err);
    if (status)
        return status;
    if (times == 0)
        return copy_mesh(mesh, context, refined, err);
    mplan_mesh *coarse = NULL;
    for (int32_t t = 0; t < times && !status; t++) {
        mplan_mesh *fine = NULL;
        status = refine_once(coarse ? coarse : mesh, context, &fine, err);
        mplan_mesh_free(coarse);
        coarse = fine;
    }
    if (!status)
        *refined = coarse;
    return status;
}
