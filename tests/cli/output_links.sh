# SPDX-License-Identifier: Apache-2.0
# Outputs through links, and in the place of what may not be written. Each kind of output has the same writer.
$MESHPLAN generate quad 4x3 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -q -o q.mplan
make() {
    case $1 in
    plan) $MESHPLAN plan q.msh --partitioner none -q -o "$2" ;;
    json) $MESHPLAN info q.mplan -q --json "$2" ;;
    mesh) $MESHPLAN convert q.msh "$2" --to gmsh -q ;;
    part) $MESHPLAN export q.mplan --to part -o "$2" -q ;;
    order) $MESHPLAN renumber q.msh y.msh --order "$2" -q ;;
    esac
    echo "exit $?"
}
mkdir far
for kind in plan json mesh part order; do
    echo "-- $kind"
    make $kind direct
    # a link stays one, and the file that it leads to is replaced; its mode stays
    echo old >far/target
    chmod 640 far/target
    ln -s far/target link
    ln -s ../link far/again
    make $kind far/again
    cmp direct far/target && stat -c '%F %a' link far/target
    # a link that leads to nothing yet
    ln -s far/new dangling
    make $kind dangling
    cmp direct far/new && stat -c %F dangling
    ln -s nowhere/new lost
    make $kind lost
    ln -s loop loop
    make $kind loop
    # what nobody may write stays as it is
    echo old >locked
    chmod 444 locked
    make $kind locked
    cat locked
    rm -f direct far/* link dangling lost loop locked y.msh
done
# descriptors
$MESHPLAN info q.mplan -q --json - >out
$MESHPLAN info q.mplan -q --json /dev/stdout | cmp - out
$MESHPLAN info q.mplan -q --json /dev/fd/7 7>out2
cmp out out2
ls
