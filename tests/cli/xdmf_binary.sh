# SPDX-License-Identifier: Apache-2.0
# XDMF with its numbers in raw files beside it, as meshio writes them, in every length and either byte order.
$MESHPLAN --version | grep -q expat || skip "no expat in this build"
# bytes ORDER LENGTH NUMBER...: whole numbers of LENGTH bytes, little or big first
bytes() {
    local order=$1 length=$2 number byte at digits escaped=''
    shift 2
    for number in "$@"; do
        for ((byte = 0; byte < length; byte++)); do
            at=$byte
            [ "$order" = little ] || at=$((length - 1 - byte))
            printf -v digits '\\x%02x' $(((number >> (8 * at)) & 255))
            escaped+=$digits
        done
    done
    printf '%b' "$escaped"
}
# mesh FORM OF THE TOPOLOGY, WHAT IT HOLDS, FORM OF THE GEOMETRY, WHAT IT HOLDS
mesh() {
    cat <<END
<Xdmf Version="3.0"><Domain><Grid>
<Topology TopologyType="Triangle"><DataItem $1>$2</DataItem></Topology>
<Geometry GeometryType="XY"><DataItem $3>$4</DataItem></Geometry>
<Attribute Name="part" Center="Cell"><DataItem DataType="Int" Format="Binary" Dimensions="2" Precision="1">tags.bin</DataItem></Attribute>
</Grid></Domain></Xdmf>
END
}
text='Format="XML" Dimensions="4 2"'
square='0 0 1 0 1 1 0 1'
printf '\x03\xfd' >tags.bin # 3 and -3
mesh 'Format="XML" Dimensions="2 3"' '0 1 2 0 2 3' "$text" "$square" >text.xdmf
$MESHPLAN convert text.xdmf text.msh --to gmsh-text -q
same() { # the mesh of FILE is that of the text
    $MESHPLAN convert "$1" same.msh --to gmsh-text -q && cmp same.msh text.msh && rm same.msh
}
for order in Little Big; do
    for length in 1 2 4 8; do
        for type in Int UInt; do
            bytes ${order,} $length 0 1 2 0 2 3 >"$order$length.bin"
            mesh "DataType=\"$type\" Format=\"Binary\" Dimensions=\"2 3\" Precision=\"$length\" Endian=\"$order\"" \
                "$order$length.bin" "$text" "$square" >raw.xdmf
            same raw.xdmf
        done
    done
done
# Reals: 1.0 is 3f800000 or 3ff0000000000000. Without Endian they are the machine's, without Precision of 4 bytes; Seek skips.
one=$((0x3f800000))
for words in '' 'Precision="4" Seek="0"' 'NumberType="Float" Seek="3"'; do
    { case $words in *3*) printf abc ;; esac && bytes little 4 0 0 $one 0 $one $one 0 $one; } >xy.bin
    mesh 'Format="XML"' '0 1 2 0 2 3' "Format=\"Binary\" $words" ' xy.bin
' >raw.xdmf
    same raw.xdmf
done
one=$((0x3ff0000000000000))
mkdir 'a folder' && bytes big 8 0 0 $one 0 $one $one 0 $one >'a folder/é.bin'
for name in 'a folder/é.bin' '/elsewhere/é.bin' '../é.bin'; do # meshio writes the path that it was given
    mesh 'Format="XML"' '0 1 2 0 2 3' 'Format="Binary" Precision="8" Endian="Big" Dimensions="4 2"' "$name" >raw.xdmf
    same raw.xdmf
    cp 'a folder/é.bin' . # for the next two
done
# A first node 35,615 is how gzip begins, too: such a file is taken as it is.
bytes little 4 35615 1 2 >gzip.bin
mesh 'DataType="Int" Format="Binary"' gzip.bin "$text" "$square" >raw.xdmf
try $MESHPLAN info raw.xdmf
# What cannot be.
for words in 'Dimensions="4 3" Precision="4"' 'Precision="8"' '' 'Precision="3"' 'Precision="4abc"' 'Precision="2"' 'Endian="Middle"' 'Seek="-1"' \
    'Compression="Zlib"' 'Seek="33"' 'Seek="9223372036854775807"' 'Dimensions="4294967296 4294967296"' \
    'Dimensions="3037000500 3037000500"'; do
    printf 'abcdefghijklmnopqrstuvwxyzabcdef' >xy.bin
    printf x >>xy.bin
    mesh 'Format="XML"' '0 1 2 0 2 3' "Format=\"Binary\" $words" xy.bin >raw.xdmf
    try $MESHPLAN info raw.xdmf
done
for name in missing.bin '' 'a folder' /etc/; do
    mesh 'Format="XML"' '0 1 2 0 2 3' 'Format="Binary"' "$name" >raw.xdmf
    try $MESHPLAN info raw.xdmf
done
mkfifo pipe.bin # is not waited for
mesh 'Format="XML"' '0 1 2 0 2 3' 'Format="Binary" Dimensions="4 2"' pipe.bin >raw.xdmf
try $MESHPLAN info raw.xdmf
