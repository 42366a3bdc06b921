# SPDX-License-Identifier: Apache-2.0
# 71: out of memory, said in one line.
(ulimit -v 400000 && $MESHPLAN --version >/dev/null 2>&1) || skip "memory cannot be limited here"
(
    ulimit -v 400000
    $MESHPLAN generate hex 400x400x400 --threads 1 -o h.msh 2>err
    echo "exit $?"
    sed "s/ (.*//" err
    rm err
)
ls
