# SPDX-License-Identifier: Apache-2.0
# "-" as the HDF5 file of an XDMF file is a file of that name, not standard input.
$MESHPLAN --version | grep -q expat || skip "no expat in this build"
$MESHPLAN --version | grep -q hdf5 || skip "no libhdf5 in this build"
cat >dash.xdmf <<'END'
<Xdmf Version="3.0"><Domain><Grid>
<Topology TopologyType="Triangle"><DataItem Format="HDF">-:/t</DataItem></Topology>
<Geometry GeometryType="XY"><DataItem Format="XML">0 0 1 0 0 1</DataItem></Geometry>
</Grid></Domain></Xdmf>
END
echo text | try $MESHPLAN info dash.xdmf
# Dimensions of a table must have the count of its numbers as their product.
cp "$SOURCE/tests/data/dmplex/good-solids.h5" t.h5
for dimensions in '12 3' '36' '12 2' '12 4'; do
    cat >table.xdmf <<END
<Xdmf Version="3.0"><Domain><Grid>
<Topology TopologyType="Triangle"><DataItem Format="XML" Dimensions="1 3">0 1 2</DataItem></Topology>
<Geometry GeometryType="XYZ"><DataItem Format="HDF" Dimensions="$dimensions">t.h5:/geometry/vertices</DataItem></Geometry>
</Grid></Domain></Xdmf>
END
    try $MESHPLAN info table.xdmf
done
