#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds of tools/gpu/build with other flags or architectures are not in one folder, and equal ones are.
#   gpu_folders.sh SOURCE_FOLDER
set -eu
path() { # FLAGS [ARCHITECTURE [EXECUTOR]]
    MPLAN_CUDA_FLAGS=$1 MPLAN_CUDA_ARCHITECTURES=${2:-90} "$source/tools/gpu/build" --path "${3:-cuda}"
}
source=$1
all() {
    path ""
    path -DA
    path -DB
    path "-DA -DB"
    path "" 80
    path -DA 80
    path -DA 80 host
}
[ "$(all | sort -u | wc -l)" = 7 ] || { echo "two builds have one folder" && all && exit 1; }
[ "$(all)" = "$(all)" ] && [ "$(path -DA 90 host)" = "$(path "" 80 host)" ] || { echo "one build has two folders" && exit 1; }
