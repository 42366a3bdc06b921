# SPDX-License-Identifier: Apache-2.0
# The zone of a job: a mesh of it is planned and verified; a job without a mesh has no zone.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
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
cat >job.yaml <<'END'
meshplan: 1
mesh: two.su2
zone: 2
loops:
  - name: flux
    over: faces
    args:
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
output: job.mplan
END
sed /^zone/d job.yaml >both.yaml
sed '/^mesh:/d; s/^zone.*/zone: 2\nsets: {cells: 4}/' job.yaml >none.yaml
try $MESHPLAN plan job.yaml -q
grep -a -o '^zone [0-9]*' job.mplan
try $MESHPLAN verify job.mplan --mesh job.yaml -q
try $MESHPLAN verify job.mplan --mesh both.yaml -q
try $MESHPLAN verify job.mplan --mesh two.su2 -q
try $MESHPLAN plan none.yaml -q
