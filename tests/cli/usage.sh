# SPDX-License-Identifier: Apache-2.0
# What is wrong with a command line is said with the nearest valid word; exit 2.
try $MESHPLAN
try $MESHPLAN --quiet
try $MESHPLAN pln
try $MESHPLAN recolour
try $MESHPLAN --quit
try $MESHPLAN --threads
try $MESHPLAN --threads many plan
try $MESHPLAN plan --blok-size 128 m.dat -o p
try $MESHPLAN plan --no-such-thing m.dat -o p
try $MESHPLAN plan -x m.dat -o p
try $MESHPLAN plan --m m.dat -o p
try $MESHPLAN plan m.dat -o
try $MESHPLAN plan m.dat -o ''
try $MESHPLAN plan m.dat --compress=yes -o p
try $MESHPLAN plan m.dat --block-size -1 -o p
try $MESHPLAN plan m.dat --block-size=1025 -o p
try $MESHPLAN plan m.dat --block-size 12.5 -o p
try $MESHPLAN plan m.dat --block-size '' -o p
try $MESHPLAN plan m.dat --shared-bytes -1 -o p
try $MESHPLAN plan m.dat --seed 99999999999999999999 -o p
try $MESHPLAN plan m.dat --imbalance 0.5 -o p
try $MESHPLAN plan m.dat --imbalance nan -o p
try $MESHPLAN plan m.dat --imbalance two -o p
try $MESHPLAN plan m.dat --strategy atomic,,two-step -o p
try $MESHPLAN plan m.dat --fill -1 -o p
try $MESHPLAN plan m.dat --fill 1.5 -o p
try $MESHPLAN plan m.dat --effort most -o p
try $MESHPLAN plan m.dat m2.dat -o p
try $MESHPLAN plan m.dat
try $MESHPLAN plan -o p
try $MESHPLAN plan m.dat -o - --json -
try $MESHPLAN info
try $MESHPLAN compare a
try $MESHPLAN help me
try $MESHPLAN completion tcsh
try $MESHPLAN help --json -
ls
