/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_join.c - nodes that zones of a CGNS file have in common at their interfaces
 *
 * Interfaces one to one of nodes (GridConnectivity1to1_t of structured zones, GridConnectivity_t of kind
 * Abutting1to1) make two nodes one, by union-find. Periodic ones do not: their nodes lie apart. */
#include "formats/cgns/cgns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#ifdef MPLAN_HAVE_CGNS

/* Union-find with path halving. parent: one entry per node of all zones.
 * Invariant: parent[v] <= v, so that the root is the lowest of the nodes that are one. */
static int32_t root_of(int32_t *parent, int32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* The lower becomes the root, so that nodes keep the place of their first. */
static void unite(int32_t *parent, int64_t a, int64_t b)
{
    int32_t x = root_of(parent, (int32_t)a), y = root_of(parent, (int32_t)b);
    if (x < y)
        parent[y] = x;
    else
        parent[x] = y;
}

/* Interfaces lead to zones by name; other bases are not looked into.
 * *donor stays as it is where only one zone is read and the interface leads to another. */
static mplan_status find_donor(const mplan_cgns *file, const mplan_cgns_zone *zone,
                               const char *name, const mplan_cgns_zone **donor, mplan_error *err)
{
    const char *slash = strrchr(name, '/'); /* "base/zone" of other bases */
    name = slash ? slash + 1 : name;
    for (int32_t z = 0; z < file->n_zones; z++)
        if (strcmp(file->zones[z].name, name) == 0) {
            *donor = &file->zones[z];
            return MPLAN_OK;
        }
    if (file->one_zone)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: zone %s: an interface refers to zone %s, which does not exist",
                      file->input->path, zone->name, name);
}

/* name: of the connection in the zone. */
static mplan_status fail_interface(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                   const char *name, mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_MESH,
                      "%s: zone %s: the interface %s refers to nodes outside its zones",
                      file->input->path, zone->name, name);
}

/* --- structured zones: ranges ------------------------------------------------------------------- */

/* Whether a range lies in the zone, and how far it goes in each direction. */
static bool fits(const mplan_cgns_zone *zone, int directions, const cgsize_t *range)
{
    for (int d = 0; d < directions; d++)
        if (range[d] < 1 || range[d] > zone->size[d] || range[directions + d] < 1 ||
            range[directions + d] > zone->size[d])
            return false;
    return zone->structured;
}

/* Vertices from one end of a range to the other in direction d, less one; ranges may run
 * backwards. */
static int64_t steps_of(const cgsize_t *range, int directions, int d)
{
    int64_t steps = (int64_t)range[directions + d] - range[d];
    return steps < 0 ? -steps : steps;
}

/* -1, 0 or 1. */
static int sign_of(int64_t x)
{
    return (x > 0) - (x < 0);
}

/* Every point of a range with the donor's: transform[d] says in which direction of the donor the zone's
 * direction d goes, its sign which way. */
static mplan_status join_range(const mplan_cgns *file, const mplan_cgns_zone *zone,
                               const mplan_cgns_zone *donor, const char *name,
                               const cgsize_t *range, const cgsize_t *donor_range,
                               const int *transform, int32_t *parent, mplan_error *err)
{
    int n = file->cell_dimension;
    int64_t steps[3] = {0, 0, 0};
    bool taken[3] = {false, false,
                     false}; /* directions of the donor: each has to be one of the zone's */
    bool sound = fits(zone, n, range) && fits(donor, n, donor_range);
    for (int d = 0; d < n && sound; d++) {
        int to = transform[d] < -n || transform[d] > n ? -1 : abs(transform[d]) - 1;
        steps[d] = steps_of(range, n, d);
        sound = to >= 0 && !taken[to] && steps_of(donor_range, n, to) == steps[d];
        if (sound)
            taken[to] = true;
    }
    if (!sound)
        return fail_interface(file, zone, name, err);
    for (int64_t k = 0; k <= steps[2]; k++)
        for (int64_t j = 0; j <= steps[1]; j++)
            for (int64_t i = 0; i <= steps[0]; i++) {
                const int64_t step[3] = {i, j, k};
                int64_t own[3] = {1, 1, 1}, theirs[3] = {1, 1, 1};
                for (int d = 0; d < n; d++)
                    theirs[d] = donor_range[d];
                for (int d = 0; d < n; d++) {
                    int to = abs(transform[d]) - 1;
                    own[d] = range[d] + step[d] * sign_of((int64_t)range[n + d] - range[d]);
                    theirs[to] += step[d] * sign_of((int64_t)donor_range[n + to] - donor_range[to]);
                }
                unite(parent,
                      zone->first_node +
                          mplan_cgns_grid_node(zone, own[0] - 1, own[1] - 1, own[2] - 1),
                      donor->first_node +
                          mplan_cgns_grid_node(donor, theirs[0] - 1, theirs[1] - 1, theirs[2] - 1));
            }
    return MPLAN_OK;
}

/* One-to-one interfaces of structured zones. transform says which direction of
 * the donor each own one runs along. */
static mplan_status join_ranges(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                int32_t *parent, mplan_error *err)
{
    int n = 0;
    if (zone->structured && cg_n1to1(file->file, file->base, zone->index, &n) != CG_OK)
        return mplan_cgns_fail_library(file, zone, err);
    mplan_status status = MPLAN_OK;
    for (int i = 1; i <= n && !status; i++) {
        char name[MPLAN_CGNS_NAME], donor_name[2 * MPLAN_CGNS_NAME];
        cgsize_t range[6], donor_range[6];
        int transform[3] = {1, 2, 3};
        float unused[3][3];
        const mplan_cgns_zone *donor = NULL;
        double node;
        if (cg_1to1_id(file->file, file->base, zone->index, i, &node) != CG_OK)
            return mplan_cgns_fail_library(file, zone, err);
        int64_t numbers = 2 * file->cell_dimension;
        if (mplan_cgns_array_size(file, node, "PointRange") != numbers ||
            mplan_cgns_array_size(file, node, "PointRangeDonor") != numbers)
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s: zone %s: a range of interface %d must be two points",
                              file->input->path, zone->name, i);
        if (cg_1to1_read(file->file, file->base, zone->index, i, name, donor_name, range,
                         donor_range, transform) != CG_OK)
            return mplan_cgns_fail_library(file, zone, err);
        if (cg_1to1_periodic_read(file->file, file->base, zone->index, i, unused[0], unused[1],
                                  unused[2]) == CG_OK)
            continue;
        status = find_donor(file, zone, donor_name, &donor, err);
        if (!status && donor)
            status = join_range(file, zone, donor, name, range, donor_range, transform, parent, err);
    }
    return status;
}

/* --- lists of nodes -------------------------------------------------------------------------------- */

/* Node of entry i of a list; -1 for none. Of structured zones an entry is one number a direction.
 * The node is one of all zones, before they are joined. */
static int64_t listed_node(const mplan_cgns *file, const mplan_cgns_zone *zone,
                           const cgsize_t *list, int64_t i)
{
    int64_t at[3] = {1, 1, 1};
    int n = zone->structured ? file->cell_dimension : 1;
    for (int d = 0; d < n; d++) {
        at[d] = list[i * n + d];
        if (at[d] < 1 || at[d] > zone->size[d])
            return -1;
    }
    return zone->first_node + mplan_cgns_grid_node(zone, at[0] - 1, at[1] - 1, at[2] - 1);
}

/* An interface between two zones: n nodes of one are n nodes of the other. */
typedef struct interface {
    char name[MPLAN_CGNS_NAME], donor[2 * MPLAN_CGNS_NAME];
    CGNS_ENUMT(GridLocation_t) location;
    CGNS_ENUMT(GridConnectivityType_t) kind;
    CGNS_ENUMT(PointSetType_t) points, donor_points;
    CGNS_ENUMT(ZoneType_t) donor_type;
    CGNS_ENUMT(DataType_t) donor_number;
    cgsize_t n, n_donor;
} interface;

/* Lists of equal length on both sides: the i-th node of one is the i-th of the
 * other. */
static mplan_status join_list(const mplan_cgns *file, const mplan_cgns_zone *zone, int i,
                              const interface *joint, int32_t *parent, mplan_error *err)
{
    const mplan_cgns_zone *donor = NULL;
    mplan_status status = find_donor(file, zone, joint->donor, &donor, err);
    if (status || !donor)
        return status;
    int64_t most = file->most_bytes / (int64_t)sizeof(int32_t);
    if (joint->n != joint->n_donor || joint->n < 0 || joint->n > most)
        return fail_interface(file, zone, joint->name, err);
    int width = zone->structured ? file->cell_dimension : 1;
    int donor_width = donor->structured ? file->cell_dimension : 1;
    double node;
    if (cg_conn_id(file->file, file->base, zone->index, i, &node) != CG_OK)
        return mplan_cgns_fail_library(file, zone, err);
    if (mplan_cgns_array_size(file, node, "PointList") != (int64_t)joint->n * width ||
        mplan_cgns_array_size(file, node, "PointListDonor") != (int64_t)joint->n * donor_width)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: zone %s: the lengths of the lists of the interface %s do not "
                          "match its number of points",
                          file->input->path, zone->name, joint->name);
    cgsize_t *own = mplan_alloc((int64_t)joint->n * width, sizeof *own, err);
    cgsize_t *theirs = own ? mplan_alloc((int64_t)joint->n * donor_width, sizeof *theirs, err) : NULL;
    if (!theirs)
        status = MPLAN_ERR_MEMORY;
    /* whatever the file's width, the library hands out cgsize_t */
    else if (cg_conn_read(file->file, file->base, zone->index, i, own,
                          sizeof(cgsize_t) == 8 ? CGNS_ENUMV(LongInteger) : CGNS_ENUMV(Integer),
                          theirs) != CG_OK)
        status = mplan_cgns_fail_library(file, zone, err);
    for (int64_t k = 0; k < joint->n && !status; k++) {
        int64_t a = listed_node(file, zone, own, k), b = listed_node(file, donor, theirs, k);
        if (a < 0 || b < 0)
            status = fail_interface(file, zone, joint->name, err);
        else
            unite(parent, a, b);
    }
    free(own);
    free(theirs);
    return status;
}

/* General interfaces that abut node by node; others are refused or skipped with
 * a warning. */
static mplan_status join_lists(const mplan_cgns *file, const mplan_cgns_zone *zone, int32_t *parent,
                               mplan_error *err)
{
    int n;
    if (cg_nconns(file->file, file->base, zone->index, &n) != CG_OK)
        return mplan_cgns_fail_library(file, zone, err);
    mplan_status status = MPLAN_OK;
    for (int i = 1; i <= n && !status; i++) {
        interface joint;
        float unused[3][3];
        if (cg_conn_info(file->file, file->base, zone->index, i, joint.name, &joint.location,
                         &joint.kind, &joint.points, &joint.n, joint.donor, &joint.donor_type,
                         &joint.donor_points, &joint.donor_number, &joint.n_donor) != CG_OK)
            return mplan_cgns_fail_library(file, zone, err);
        if (cg_conn_periodic_read(file->file, file->base, zone->index, i, unused[0], unused[1],
                                  unused[2]) == CG_OK)
            continue;
        bool nodes = joint.kind == CGNS_ENUMV(Abutting1to1) &&
                     joint.location == CGNS_ENUMV(Vertex) && joint.points == CGNS_ENUMV(PointList) &&
                     joint.donor_points == CGNS_ENUMV(PointListDonor);
        if (nodes)
            status = join_list(file, zone, i, &joint, parent, err);
        else if (!file->one_zone)
            mplan_warn(file->context,
                       "%s: zone %s: the interface %s is not a list of pairs of nodes; its "
                       "zones are not joined",
                       file->input->path, zone->name, joint.name);
    }
    return status;
}

/* --- numbers of the joined nodes -------------------------------------------------------------------- */

/* Nodes in the order of their first; coordinates are those of the first.
 * Before: node is the forest of unite. After: numbers in [0, n_nodes). In between -1 - number marks a number. */
static void number_nodes(mplan_cgns *file)
{
    int64_t n = 0;
    for (int64_t v = 0; v < file->n_raw; v++) {
        int32_t root = root_of(file->node, (int32_t)v);
        if (root < v)
            continue;
        for (int d = 0; d < file->space_dimension; d++)
            file->coordinates[n * file->space_dimension + d] =
                file->coordinates[v * file->space_dimension + d];
        n++;
    }
    file->n_nodes = n;
    n = 0; /* roots come before their nodes: theirs is known */
    for (int64_t v = 0; v < file->n_raw; v++)
        file->node[v] = file->node[v] == v ? -(int32_t)n++ - 1 : file->node[v];
    for (int64_t v = 0; v < file->n_raw; v++) {
        int32_t up = file->node[v];
        while (up >= 0)
            up = file->node[up];
        file->node[v] = up;
    }
    for (int64_t v = 0; v < file->n_raw; v++)
        file->node[v] = -file->node[v] - 1;
}

/* file->node: for every node of every zone its number in the joined mesh. The
 * lowest of joined nodes keeps its place, so that numbers follow the order of
 * the file. */
mplan_status mplan_cgns_join(mplan_cgns *file, mplan_error *err)
{
    file->n_nodes = file->n_raw;
    if (file->n_zones < 1)
        return MPLAN_OK;
    file->node = mplan_alloc(file->n_raw, sizeof *file->node, err);
    if (!file->node)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < file->n_raw; v++)
        file->node[v] = (int32_t)v;
    mplan_status status = MPLAN_OK;
    for (int32_t z = 0; z < file->n_zones && !status; z++) {
        status = join_ranges(file, &file->zones[z], file->node, err);
        if (!status)
            status = join_lists(file, &file->zones[z], file->node, err);
    }
    if (!status)
        number_nodes(file);
    if (file->n_nodes == file->n_raw) {
        free(file->node);
        file->node = NULL;
    }
    return status;
}
#endif
