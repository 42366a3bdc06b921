# SPDX-License-Identifier: Apache-2.0
# Pieces of a parallel VTK file are one mesh: points that they share are one, cells of other pieces are dropped.
$MESHPLAN --version | grep -q expat || skip "no expat in this build"
# piece NAME FIRST LAST GHOST: quads from column FIRST to LAST of a strip, that of column GHOST another piece's
piece() {
    awk -v first="$2" -v last="$3" -v ghost="$4" -v array="${5:-vtkGhostType}" 'BEGIN {
        n = last - first + 1
        print "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>"
        print "<Piece NumberOfPoints=\"" 2 * (n + 1) "\" NumberOfCells=\"" n "\">\n<PointData>"
        print "<DataArray type=\"UInt8\" Name=\"floor\" format=\"ascii\">"
        for (i = 0; i <= n; i++) print 1, 0
        print "</DataArray>\n</PointData>\n<CellData>\n<DataArray type=\"UInt8\" Name=\"" array "\" format=\"ascii\">"
        for (i = first; i <= last; i++) print i == ghost ? 1 : 0
        print "</DataArray>\n<DataArray type=\"Int32\" Name=\"MaterialIds\" format=\"ascii\">"
        for (i = first; i <= last; i++) print i % 2
        print "</DataArray>\n</CellData>\n<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">"
        for (i = first; i <= last + 1; i++) print i / 3, 0, 0, i / 3, 1, 0
        print "</DataArray>\n</Points>\n<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">"
        for (i = 0; i < n; i++) print 2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1
        print "</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">"
        for (i = 1; i <= n; i++) print 4 * i
        print "</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">"
        for (i = 1; i <= n; i++) print 9
        print "</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>"
    }' >"$1"
}
# whole NAME PIECE...
whole() {
    name=$1
    shift
    {
        echo '<VTKFile type="PUnstructuredGrid" version="1.0" byte_order="LittleEndian">'
        echo '<PUnstructuredGrid GhostLevel="1"><PCellData><PDataArray type="UInt8" Name="vtkGhostType"/></PCellData>'
        for piece in "$@"; do echo "<Piece Source=\"$piece\"/>"; done
        echo '</PUnstructuredGrid></VTKFile>'
    } >"$name"
}
piece one.vtu 0 9 none
mkdir parts
piece parts/a.vtu 0 4 4
piece parts/b.vtu 3 7 3 vtkGhostLevels
piece ./-c.vtu 8 9 none
piece parts/none.vtu 4 3 none
whole all.pvtu parts/a.vtu parts/b.vtu -c.vtu parts/none.vtu
try $MESHPLAN info one.vtu --derive
try $MESHPLAN info all.pvtu --derive
try $MESHPLAN plan all.pvtu -o p.mplan -q
try $MESHPLAN verify p.mplan --mesh all.pvtu -q
whole lost.pvtu parts/a.vtu parts/d.vtu
try $MESHPLAN info lost.pvtu
whole far.pvtu ../parts/a.vtu
try $MESHPLAN info far.pvtu
whole device.pvtu /dev/zero
try timeout 300 $MESHPLAN info device.pvtu
whole again.pvtu all.pvtu
try $MESHPLAN info again.pvtu
whole empty.pvtu
try $MESHPLAN info empty.pvtu
whole ghosts.pvtu parts/none.vtu
try $MESHPLAN info ghosts.pvtu
# very many points at one place take no longer than others
{
    echo '<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="300000" NumberOfCells="1"><Points>'
    echo '<DataArray type="Float32" NumberOfComponents="3" format="ascii">'
    awk 'BEGIN { for (i = 0; i < 300000; i++) print "0 0 0" }'
    echo '</DataArray></Points><Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2</DataArray>'
    echo '<DataArray type="Int32" Name="offsets" format="ascii">3</DataArray>'
    echo '<DataArray type="UInt8" Name="types" format="ascii">5</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>'
} >same.vtu
whole same.pvtu same.vtu same.vtu
(ulimit -t 20 && try $MESHPLAN info same.pvtu)
rm same.vtu same.pvtu
