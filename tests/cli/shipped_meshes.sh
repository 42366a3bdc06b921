# SPDX-License-Identifier: Apache-2.0
# the meshes of meshes/ are what meshes/make makes, and every one can be planned
"$SOURCE/meshes/make" "$MESHPLAN" "$PWD"
for mesh in *.msh *.dat *.npy; do
    cmp "$mesh" "$SOURCE/meshes/$mesh"
    "$MESHPLAN" plan "$mesh" --partitioner none --block-size 32 -o p.mplan --quiet
    "$MESHPLAN" verify p.mplan --mesh "$mesh" --quiet
    echo "$mesh: exit $?"
done
