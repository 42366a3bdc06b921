# SPDX-License-Identifier: Apache-2.0
# Every option in a command's help is in its page, and the other way round;
# options of every command are in meshplan.1. A page without a section for planning options
# refers to another's (tests/package/man_options.py).
man=$SOURCE/man
in_help() { grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '-+[a-z][a-z-]*' | sort; }
in_page() {
    grep '^\.It Fl' "$1" | grep -oE 'Fl -?[a-z][a-z-]*' | sed -E 's/^Fl /-/' | sort
}
$MESHPLAN help | sed '1,/^Options of every/d' | in_help >help
in_page "$man/meshplan.1" >page
diff help page && echo "meshplan: $([ -s page ] || echo no\ )options"
for command in $($MESHPLAN help | sed -n '/^Commands:/,/^$/p' | sed 1d | awk '{print $1}'); do
    elsewhere='/^Planning options/,$d'
    grep -q '^\.Ss Planning options' "$man/meshplan-$command.1" && elsewhere=
    $MESHPLAN help $command | sed '/^Options of every/,$d' | sed "$elsewhere" | in_help >help
    in_page "$man/meshplan-$command.1" >page
    diff help page && echo "$command: $([ -s page ] || echo no\ )options"
    grep -q "^\.It Cm $command\$" "$man/meshplan.1" || echo "meshplan.1 lacks $command"
done
ls "$man" | sed -E 's/\.[1357]$//' | grep -vE "^meshplan(-(exec|library|job|layers|mpi|outofcore|parts|plan|ranks|tutorial))?$" | sed 's/^meshplan-//' |
    while read -r page; do
        $MESHPLAN help $page >/dev/null || echo "a page for no command: $page"
    done
