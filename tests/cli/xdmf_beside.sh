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
