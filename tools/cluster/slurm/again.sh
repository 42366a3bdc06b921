# SPDX-License-Identifier: Apache-2.0
# For tasks of arrays: run_again COMMAND... runs meshplan, passes SIGTERM on, and queues the task again where it ended with 75.
# Slurm sends SIGTERM to the shell only, before the time is over or when the task is preempted; meshplan ends with 75 then
# and leaves nothing that is not whole.
run_again() {
    running=
    stopped=
    trap 'stopped=1; [ -z "$running" ] || kill -TERM "$running" 2>/dev/null' TERM
    "$@" &
    running=$!
    [ -z "$stopped" ] || kill -TERM "$running"
    wait "$running"
    code=$?
    while [ "$code" -gt 128 ] && kill -0 "$running" 2>/dev/null; do # the wait was interrupted, not meshplan
        wait "$running"
        code=$?
    done
    # 75 means "try again", and is the only code that does: all others would come again.
    if [ "$code" -eq 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "${RESTARTS:-10}" ]; then
        echo "interrupted; the task is queued again ($((${SLURM_RESTART_COUNT:-0} + 1)) of ${RESTARTS:-10})"
        scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 60 # it is ended here
    fi
    exit "$code"
}
