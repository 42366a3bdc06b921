/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_told.c - a rank that fails tells the others, so that none waits for it for ever
 *
 * Messages carry no word on how their sender is: a rank that has failed sends none. The transport takes its word to all others beside the
 * messages (mplan_transport.tell), and who waits for a message waits for such a word, too. So exchanges cost nothing more, and a rank
 * that gets no messages from the one that failed learns of it as well. Ranks on hosts that store into one another's memory wait for numbers there: a
 * word of that memory ends such a wait, and who was ended passes it on to those that wait for itself.
 *
 * A failure is for good, since ranks are not at the same place any more: calls return it at once, and closing waits for nobody. */
#include <assert.h>
#include <stdio.h>

#include "base/error.h"
#include "exec/ranks/exec_parts_direct.h"

/* From here on all calls fail so. */
static void lose(mplan_exec_parts *parts, mplan_status status, const mplan_error *err)
{
    parts->lost = status;
    snprintf(parts->lost_text, sizeof parts->lost_text, "%s",
             err && *err->text ? err->text : mplan_status_name(status));
    if (parts->transport.tell) /* nothing, where another has told */
        parts->transport.tell(parts->transport.user, status, parts->lost_text);
    if (parts->direct)
        mplan_exec_parts_stop_others(parts);
}

mplan_status mplan_exec_parts_begin_call(mplan_exec_parts *parts, mplan_error *err)
{
    assert(parts);
    parts->together = parts->at_work = false;
    return parts->lost ? mplan_fail(err, parts->lost, "%s", parts->lost_text) : MPLAN_OK;
}

mplan_status mplan_exec_parts_heard(const mplan_exec_parts *parts, mplan_status status,
                                    mplan_error *err)
{
    assert(parts);
    const mplan_transport *transport = &parts->transport;
    mplan_status other = MPLAN_OK;
    if (status && transport->told && parts->ranks > 1 && !parts->has_told && !parts->lost)
        other = transport->told(transport->user, err);
    return other ? other : status;
}

/* Ranks of one process are taken in turn, and all of them fail by one call: then nobody waits. */
mplan_status mplan_exec_parts_end_call(mplan_exec_parts *parts, mplan_status status, mplan_error *err)
{
    assert(parts && err);
    if (!status || parts->lost || parts->rank < 0 || parts->ranks == 1)
        return status;
    const bool refused = !parts->at_work &&
                         (status == MPLAN_ERR_ARGUMENT || status == MPLAN_ERR_UNSUPPORTED);
    const mplan_status heard = mplan_exec_parts_heard(parts, status, err);
    const bool told = parts->has_told ||
                      (parts->transport.told &&
                       parts->transport.told(parts->transport.user, NULL) != MPLAN_OK);
    if (told || (!parts->together && !refused))
        lose(parts, heard, err);
    return heard;
}

void mplan_exec_parts_tell(mplan_exec *exec, mplan_status status, const mplan_error *err)
{
    assert(exec && exec->parts && status);
    if (!exec->parts->lost && exec->parts->rank >= 0)
        lose(exec->parts, status, err);
}
