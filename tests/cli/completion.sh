# SPDX-License-Identifier: Apache-2.0
# The script is valid and completes commands, options, words and files.
try $MESHPLAN completion bash >meshplan.bash
tail -1 meshplan.bash
bash -n meshplan.bash
sed -i '$d' meshplan.bash
source meshplan.bash
touch wing.msh wing.mplan
complete_line() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _meshplan
    # files come in the order of the file system
    [[ ${COMPREPLY[*]} == *wing.m*wing.m* ]] && mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -r)
    echo "${*:2} -> ${COMPREPLY[*]}"
}
complete_line meshplan ''
complete_line meshplan ver
complete_line meshplan --qu
complete_line meshplan plan --pa
complete_line meshplan plan --partitioner ''
complete_line meshplan plan --keep-order b
complete_line meshplan plan wing
complete_line meshplan info --progress a
complete_line meshplan generate ''
complete_line meshplan generate quad 4x4 --s
complete_line meshplan help comp
complete_line meshplan completion ''
complete_line meshplan verify wing.mplan --mesh wing.m
# behind "=", which is a word of its own where it breaks words, and a part of one where it does not
complete_line meshplan plan --partitioner =
complete_line meshplan plan --partitioner = s
complete_line meshplan plan --partitioner=s
complete_line meshplan verify wing.mplan --mesh = wing.ms
complete_line meshplan verify wing.mplan --mesh=wing.ms
# behind the comma of a list, what it does not hold yet
complete_line meshplan plan --strategy b
complete_line meshplan plan --strategy block-colour,
complete_line meshplan plan --strategy = atomic,two-step,o
complete_line meshplan plan --strategy=atomic,two
complete_line meshplan run airfoil --sums partial,
# numbers are not files; values of letters; lists without words
complete_line meshplan plan --threads ''
complete_line meshplan plan -o wing.mp
complete_line meshplan plan wing.msh --inc ''
