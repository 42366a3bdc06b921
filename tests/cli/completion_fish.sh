# SPDX-License-Identifier: Apache-2.0
# fish completes commands, options and words, behind "=" and commas, too.
command -v fish >/dev/null || skip "no fish"
$MESHPLAN completion fish >meshplan.fish
fish -n meshplan.fish
touch wing.msh wing.mplan
complete_line() {
    echo "$1 -> $(HOME=$PWD fish --no-config -c 'source meshplan.fish; complete -C $argv[1]' "$1" | cut -f1 | tr '\n' ' ')"
}
complete_line 'meshplan ver'
complete_line 'meshplan plan --keep-o'
complete_line 'meshplan plan --partitioner s'
complete_line 'meshplan plan --partitioner=s'
complete_line 'meshplan plan --strategy block-colour,at'
complete_line 'meshplan plan --strategy=atomic,two-step,a'
complete_line 'meshplan generate na'
complete_line 'meshplan help comp'
complete_line 'meshplan completion z'
complete_line 'meshplan plan --threads '
complete_line 'meshplan verify wing.mplan --mesh wing.ms'
