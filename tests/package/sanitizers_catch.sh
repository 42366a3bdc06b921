#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The sanitizers stop at each fault that is planted, and say where: sanitizers_catch.sh PLANTED_UNDEFINED
set -eu
program=$1
failed=0
wrong() {
    echo "$1: $2, exit $code: $said"
    failed=1
}
for fault in overflow shift bounds global misaligned null_member freed beyond leak; do
    said=$("$program" $fault 2>&1) && code=0 || code=$?
    case $code in 0 | 2 | 3) wrong $fault "not caught" ;; esac
    case $said in *planted_undefined.c:*) ;; *) wrong $fault "no place" ;; esac
    case $fault,$said in leak,*) ;; *"not caught"*) wrong $fault "it went on" ;; esac
done
said=$("$program" none 2>&1) && code=0 || code=$?
[ "$code" -eq 0 ] || wrong none "stopped"
exit $failed
