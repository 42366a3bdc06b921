/* SPDX-License-Identifier: Apache-2.0 */
/* unbind_layers.c - what a bound loop with layers has beside a flat one is released */
#include <assert.h>
#include <stdlib.h>

#include "exec/dat_levels.h"

/* Also of a loop whose binding failed halfway; nothing of a flat loop. */
void mplan_exec_unbind_layers(mplan_exec_loop *bound)
{
    assert(bound);
    mplan_layers_bound *own = bound->layers;
    if (!own)
        return;
    for (int32_t a = 0; a < MPLAN_LAYER_ARGS; a++) {
        mplan_exec_release(bound->exec, own->args[a].scratch);
        mplan_exec_release(bound->exec, own->starts[a]);
        mplan_exec_release(bound->exec, own->list_start[a]);
        mplan_exec_release(bound->exec, own->list[a]);
        mplan_exec_release(bound->exec, own->partial[a]);
        mplan_exec_release(bound->exec, own->partial_any[a]);
    }
    mplan_exec_release(bound->exec, own->device_span);
    mplan_exec_release(bound->exec, own->column_of);
    mplan_exec_release(bound->exec, own->device_start);
    mplan_exec_release(bound->exec, own->device_word);
    mplan_exec_release(bound->exec, own->device_spans);
    mplan_exec_release(bound->exec, own->device_packed);
    mplan_exec_release(bound->exec, own->device_packed_first);
    mplan_exec_release(bound->exec, own->device_light);
    mplan_owner_lists_free(&own->lists);
    for (int32_t t = 0; own->thread_out && t < bound->exec->threads * MPLAN_LAYER_ARGS; t++)
        free(own->thread_out[t]);
    free(own->thread_out);
    free(own);
    bound->layers = NULL;
}
