# SPDX-License-Identifier: Apache-2.0
# The first line is the version; the others are libraries with theirs.
$MESHPLAN --version | sed '1s/[0-9][0-9.]*/N/' | grep -vE '^(metis|scotch|libyaml|zlib|xxhash|netcdf|expat|liblzma|cgns|hdf5) [0-9]'
$MESHPLAN --version | cmp - <($MESHPLAN plan --version)
