/* SPDX-License-Identifier: Apache-2.0 */
/* plan_request.h - what is asked for: options, the text of a request, and of which mesh */
#ifndef MPLAN_PLAN_REQUEST_H
#define MPLAN_PLAN_REQUEST_H

#include "base/memory.h"
#include "pipeline/planning.h"

/* plan_create.c: the options of a request for so many loops, checked, what only the library may default filled in. */
mplan_status mplan_planning_options(const mplan_plan_options *given, int32_t n_loops,
                                    mplan_plan_options *options, mplan_device *device, char *name,
                                    mplan_error *err);

/* plan_create.c: begins planning: *p refers to the caller's mesh, loops and context, and to held, which gets the options as
 * they are asked for and as they will be chosen. End it by mplan_planning_free, also after a failure. */
mplan_status mplan_planning_begin(mplan_mesh *mesh, int32_t n_loops, const mplan_loop *loops,
                                  const mplan_plan_options *options, const mplan_context *context,
                                  mplan_plan_options held[2], planning *p, mplan_error *err);

/* request_text.c: the request in canonical form; NULL with err filled. */
char *mplan_planning_request(const planning *p, mplan_error *err);

/* plan_prints.c: topology and coordinates of the sets and maps that are resolved. */
mplan_status mplan_planning_fingerprints(const planning *p, mplan_fingerprints *prints,
                                         mplan_error *err);

/* request_text.c: appends the line of an option whose value is *member; false with err filled when
 * memory runs out. */
bool mplan_request_option(mplan_vector *text, const mplan_plan_option *option, const void *member,
                          mplan_error *err);

/* request_text.c: of the bytes of the text, without its final zero. */
mplan_status mplan_request_fingerprint(const char *text, uint64_t *value, mplan_error *err);

#endif
