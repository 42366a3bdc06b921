# SPDX-License-Identifier: Apache-2.0
# Which mesh of a file with several; where libnetcdf is missing there is nothing to see.
$MESHPLAN --version | grep -q '^netcdf' || exit 77
two=$SOURCE/tests/data/ugrid/good-two.nc
cp "$two" two.nc
try $MESHPLAN info two.nc
try $MESHPLAN info two.nc --zone net
try $MESHPLAN info two.nc --zone C9
try $MESHPLAN plan two.nc --zone C1 -o p.mplan -q
try $MESHPLAN verify p.mplan --mesh two.nc --zone C1
try $MESHPLAN verify p.mplan --mesh two.nc --zone net
try $MESHPLAN info p.mplan --zone C1
try $MESHPLAN convert two.nc c.msh --zone C1
try $MESHPLAN verify p.mplan --zone C1
try $MESHPLAN report p.mplan --zone C1 -o no.html
try $MESHPLAN export p.mplan --zone C1 -o no.part
