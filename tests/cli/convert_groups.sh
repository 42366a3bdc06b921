# SPDX-License-Identifier: Apache-2.0
# Groups of cells and of boundary faces from data of VTK and VTU files, through other formats and back.
"$MESHPLAN" info "$SOURCE/tests/data/vtu/good-text.vtu" >/dev/null 2>&1 || skip "this build reads no VTU files"
groups() {
    "$MESHPLAN" info "$1" --derive | sed -n '/^  group /,$p'
}
for file in vtk/good-groups.vtk vtu/good-groups.vtu vtu/good-groups-lines.vtu; do
    echo "$file"
    cp "$SOURCE/tests/data/$file" "in.${file##*.}"
    try "$MESHPLAN" convert "in.${file##*.}" a.vtu
    groups a.vtu
    try "$MESHPLAN" convert a.vtu b.msh
    try "$MESHPLAN" convert b.msh c.vtu
    groups c.vtu
    try "$MESHPLAN" convert c.vtu d.su2
    try "$MESHPLAN" convert d.su2 e.vtu
    groups e.vtu
done
