# SPDX-License-Identifier: Apache-2.0
# The first line is the version; the others are libraries with theirs.
$MESHPLAN --version | sed '1s/[0-9][0-9.]*/N/' | grep -vE '^(metis|scotch|libyaml|zlib|xxhash|netcdf|expat|liblzma|liblz4|cgns|hdf5) [0-9]|^sandbox '
# The kernel says what there is; nothing but these.
$MESHPLAN --version | grep -cE '^sandbox (landlock [0-9]+(, seccomp)?|seccomp|none|without programs)$'
# Without the programs of libexec it still answers.
MPLAN_HELPER=/nowhere $MESHPLAN --version | grep sandbox
$MESHPLAN --version | cmp - <($MESHPLAN plan --version)
