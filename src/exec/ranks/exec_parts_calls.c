/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_calls.c - which function of exec/ranks a public call leads to */
#include "exec/ranks/exec_parts.h"

const mplan_exec_calls mplan_exec_parts_calls = {
    .declare = mplan_exec_parts_declare,
    .declare_all = mplan_exec_parts_declare_all,
    .upload = mplan_exec_parts_upload,
    .download = mplan_exec_parts_download,
    .set_global = mplan_exec_parts_set_global,
    .fill = mplan_exec_parts_fill,
    .clear = mplan_exec_parts_clear,
    .wait = mplan_exec_parts_wait,
    .check_mesh = mplan_exec_parts_check_mesh,
    .bind = mplan_exec_parts_bind,
    .bind_layers = mplan_exec_parts_bind_layers,
    .launch = mplan_exec_parts_launch,
    .makes_visits = mplan_exec_parts_makes_visits,
    .agree_visits = mplan_exec_parts_agree_visits,
    .steps = mplan_exec_parts_steps,
    .reduce = mplan_exec_parts_reduce,
    .capture = mplan_exec_parts_capture,
    .replay = mplan_exec_parts_replay,
    .time = mplan_exec_parts_time,
    .graph_free = mplan_exec_parts_graph_free,
    .bytes = mplan_exec_parts_bytes,
    .plan_of = mplan_exec_parts_plan,
    .close = mplan_exec_parts_release,
};
