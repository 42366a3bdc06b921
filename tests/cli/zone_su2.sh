# SPDX-License-Identifier: Apache-2.0
# Zones of SU2 files: joined, or one of them, which the plan remembers.
awk 'BEGIN {
    print "NZONE= 2"
    for (z = 1; z <= 2; z++) {
        n = 3 + z
        print "IZONE= " z "\nNDIME= 2\nNELEM= " n * n
        for (e = 0; e < n * n; e++) {
            p = int(e / n) * (n + 1) + e % n
            print 9, p, p + 1, p + n + 2, p + n + 1
        }
        print "NPOIN= " (n + 1) * (n + 1)
        for (p = 0; p < (n + 1) * (n + 1); p++)
            print p % (n + 1) + 10 * z, int(p / (n + 1))
        print "NMARK= 1\nMARKER_TAG= wall\nMARKER_ELEMS= " n
        for (e = 0; e < n; e++)
            print 3, e, e + 1
    }
}' > two.su2
try $MESHPLAN info two.su2 --derive
try $MESHPLAN info two.su2 --zone all
try $MESHPLAN info two.su2 --zone 2
try $MESHPLAN info two.su2 --zone 3
try $MESHPLAN plan two.su2 -o both.mplan -q
try $MESHPLAN plan two.su2 --zone 2 -o p.mplan -q
grep -a -o '^zone [0-9]*' p.mplan both.mplan
try $MESHPLAN verify p.mplan --mesh two.su2 -q
try $MESHPLAN verify p.mplan --mesh two.su2 --zone 1 -q
try $MESHPLAN verify both.mplan --mesh two.su2 --zone all -q
try $MESHPLAN convert two.su2 second.su2 --zone 2
try $MESHPLAN verify p.mplan --mesh second.su2 -q
try $MESHPLAN report p.mplan --mesh two.su2 -o r.html -q
try $MESHPLAN export p.mplan --mesh two.su2 -o x.vtu -q
try $MESHPLAN info second.su2 --zone 1 -q
try $MESHPLAN convert second.su2 second.msh
try $MESHPLAN info second.msh --zone 1
