/* SPDX-License-Identifier: Apache-2.0 */
/* support_request.h - random meshes, and random requests for plans of them */
#ifndef MPLAN_SUPPORT_REQUEST_H
#define MPLAN_SUPPORT_REQUEST_H

#include "support_test.h"

enum { SUPPORT_LOOPS = 5, SUPPORT_ARGS = 6 };

/* Equal seeds give equal meshes. Tables: 1 to 4 sets `a`, `b`, ... of 0 to 60
 * members, up to 6 maps a_b, a_b2, ..., ragged ones among them, with -1 entries,
 * some sets with coordinates. */
mplan_mesh *support_tables(uint64_t seed);
/* A small generated mesh, shuffled and jittered at random. */
mplan_mesh *support_generated(uint64_t seed);

/* A request that names what the mesh has or derives. Texts live as long as it. */
typedef struct support_request {
    int32_t n_loops;
    mplan_loop loops[SUPPORT_LOOPS];
    mplan_arg args[SUPPORT_LOOPS][SUPPORT_ARGS];
    char names[SUPPORT_LOOPS * (SUPPORT_ARGS * 2 + 2)][64];
    int32_t n_names;
    mplan_plan_options options;
} support_request;

/* `mesh` is a copy to look at; it may get derived maps. The request may ask for
 * what cannot be (a limit that one element breaks, a split of what is split). */
void support_random_request(uint64_t *seed, mplan_mesh *mesh, support_request *out);

/* Where loops write through maps, other than by increments, only colours serve them: drops all
 * other strategies that are named. */
void support_leave_to_colours(int32_t n_loops, const mplan_loop *loops, mplan_plan_options *options);

/* Whether the build has the library ("metis"). */
bool support_has(const char *library);

#endif
