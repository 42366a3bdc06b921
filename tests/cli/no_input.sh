# SPDX-License-Identifier: Apache-2.0
# 66: the input does not exist or is a folder.
mkdir folder
try $MESHPLAN info missing.msh
try $MESHPLAN info folder
try $MESHPLAN plan missing.msh -o p.mplan
try $MESHPLAN verify missing.mplan
try $MESHPLAN compare missing.mplan missing.mplan
try $MESHPLAN convert missing.msh a.dat
try $MESHPLAN export missing.mplan -o a.part
try $MESHPLAN apply missing.mplan --set cells a.npy b.npy
ls
