#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one test of the command line: run.sh MESHPLAN TEST.sh
#
# The script runs in a fresh temporary folder. Its standard output and standard
# error must equal TEST.out and TEST.err beside it (no file: nothing printed).
# It finds the program in $MESHPLAN, the sources in $SOURCE, and four functions:
#   try COMMAND...    runs it and prints "exit CODE"
#   skip REASON       ends the test as skipped (code 77)
#   waiting PID       returns when the program of the process catches signals and sleeps, or has ended
#   until_said WORD   reads descriptor 3 until the word has come, or its end
# The last two are for scripts that send signals: how long a program takes to come so far depends on the machine.
# MPLAN_UPDATE=1 writes the expected files in place of comparing them.
set -u
MESHPLAN=$(realpath "$1")
script=$(realpath "$2")
SOURCE=$(realpath "$(dirname "$script")/../..")
export MESHPLAN SOURCE LC_ALL=C

try() {
    "$@"
    echo "exit $?"
}
skip() {
    echo "$1" >"$SKIPPED"
    exit 77
}
waiting() {
    local seen=0 name state caught key value rest
    grep -q SigCgt /proc/self/status || { sleep 1 && return; } # a system that does not say it
    while [ $seen -lt 3 ] && kill -0 "$1" 2>/dev/null; do
        name='' state=Z caught=0
        while read -r key value rest; do
            case $key in
            Name:) name=$value ;;
            State:) state=$value ;;
            SigCgt:) caught=$((0x$value)) ;;
            esac
        done 2>/dev/null <"/proc/$1/status"
        [ "$state" != Z ] || break
        if [ "$name" = "$(basename "$MESHPLAN")" ] && [ "$state" = S ] && [ $((caught & 0x4000)) -ne 0 ]; then # SIGTERM
            seen=$((seen + 1))
        else
            seen=0
        fi
        sleep 0.01
    done
}
until_said() {
    local said='' character
    while read -r -N 1 -u 3 character; do
        said+=$character
        case $said in *"$1") break ;; esac
    done
}
export -f try skip waiting until_said

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/here"
export SKIPPED="$folder/skipped"
(cd "$folder/here" && bash "$script") </dev/null >"$folder/out" 2>"$folder/err"
code=$?
if [ "$code" -eq 77 ]; then
    echo "skipped: $(cat "$SKIPPED")"
    exit 77
fi

expected=${script%.sh}
if [ -n "${MPLAN_UPDATE:-}" ]; then
    for kind in out err; do
        rm -f "$expected.$kind"
        [ -s "$folder/$kind" ] && cp "$folder/$kind" "$expected.$kind"
    done
    exit "$code"
fi
failed=0
for kind in out err; do
    [ -e "$expected.$kind" ] || : >"$folder/expected.$kind"
    [ -e "$expected.$kind" ] && cp "$expected.$kind" "$folder/expected.$kind"
    if ! diff -u --label "expected $kind" --label "actual $kind" \
        "$folder/expected.$kind" "$folder/$kind"; then
        failed=1
    fi
done
if [ "$code" -ne 0 ]; then
    echo "the script ended with code $code"
    failed=1
fi
exit "$failed"
