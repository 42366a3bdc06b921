# SPDX-License-Identifier: Apache-2.0
# Files of many names take the time that it takes to read them: groups in a VTU file, dots behind instances in Abaqus's.
head="*NODE\n1,0,0\n2,1,0\n3,0,1\n*ELEMENT,TYPE=CPS3\n1,1,2,3\n"
awk -v head="$head" 'BEGIN {
    printf "%s", head
    for (i = 0; i < 50000; i++)
        printf "*ELSET,ELSET=a_rather_long_name_of_a_set_%d\n1\n", i
}' > sets.inp
(ulimit -t 20 && try $MESHPLAN convert sets.inp sets.vtu -q)
awk -v head="$head" 'BEGIN {
    printf "%s", head
    for (i = 0; i < 60000; i++)
        printf "*PART,NAME=a%d\n*END PART\n", i
    dots = "."
    while (length(dots) < 500000)
        dots = dots dots
    print "*ELSET,ELSET=x\n" dots
}' > dots.inp
(ulimit -t 20 && try $MESHPLAN info dots.inp)
