# SPDX-License-Identifier: Apache-2.0
# A summary comes first; tables fit 100 columns, whatever a plan holds: columns that do not fit follow below, and words
# of the last one are broken. Nothing is said of blocks where no variant runs by them.
wide() {
    awk -v most=100 'length($0) > most {print length($0) ": " $0}' | grep -v ' blocks #'
}
$MESHPLAN generate naca0012 60x30 -o naca.dat -q
try $MESHPLAN plan naca.dat -o p.mplan
$MESHPLAN plan naca.dat --strategy owner-gather,block-colour,global-colour,block-gather -o all.mplan >all
head -1 all
sed -n '/^loop/,$p' all
wide <all
$MESHPLAN formats | wide
printf '0 1\n1 2\n' >t.txt
long=a_name_that_is_as_long_as_names_of_generated_code_are_in_large_applications
$MESHPLAN plan --map ${long}_map:${long}_edges:${long}_cells=t.txt --over ${long}_edges --inc ${long}_map -o long.mplan >long
sed -n '/^  map/,/layouts/p' long
echo "# letters of more than one byte take one column"
$MESHPLAN generate quad 4x3 -o q.su2 -q
sed 's/left/überström_Öffnung/' q.su2 >u.su2
$MESHPLAN info u.su2 | sed -n '/group/,$p'
cp u.su2 größe.su2
$MESHPLAN batch größe.su2 q.su2 | sed -n 's/planned  .*/planned/p'
