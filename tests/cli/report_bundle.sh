# SPDX-License-Identifier: Apache-2.0
# The page on a bundle: parts on the mesh, halos by neighbour and sizes are those of info and of the faces of the mesh.
$MESHPLAN generate quad 14x10 --shuffle 3 -o q.msh -q
$MESHPLAN plan q.msh --parts 5 -o q.mplans -q
try $MESHPLAN report q.mplans --mesh q.msh -o q.html
$MESHPLAN report q.mplans --mesh q.msh -o - | cmp - q.html
$MESHPLAN report q.mplans -o plain.html -q
$MESHPLAN export q.mplans -o q.part -q
$MESHPLAN convert q.msh faces_cells.npy --map faces_cells -q
cat >check.py <<'END'
import ast, collections, re, struct, sys
import xml.etree.ElementTree as tree

part = [int(line) for line in open("q.part")]
data = open("faces_cells.npy", "rb").read()
size = struct.unpack_from("<H", data, 8)[0]
head = ast.literal_eval(data[10:10 + size].decode())
n = head["shape"][0]
ends = struct.unpack_from("<%d%s" % (2 * n, {"<i4": "i", "<i8": "q"}[head["descr"]]), data, 10 + size)
halo = collections.defaultdict(set)   # (part, owner): members
for a, b in zip(ends[::2], ends[1::2]):
    for mine, other in (a, b), (b, a):
        if part[mine] != part[other]:
            halo[part[mine], part[other]].add(other)
page = tree.parse("q.html").getroot()
space = re.match(r"\{.*\}", page.tag)
ns = space.group(0) if space else ""
rows = {}
for table in page.iter(ns + "table"):
    if "".join(table.find(ns + "caption").itertext()).startswith("Parts"):
        for row in list(table.iter(ns + "tr"))[1:]:
            cells = ["".join(c.itertext()).replace(",", "") for c in row]
            rows[int(cells[0])] = cells[1:]
counts = collections.Counter(part)
for q in range(5):
    own = {o: len(m) for (p, o), m in halo.items() if p == q}
    most = max(sorted(own), key=own.get)
    told = rows[q]
    print(q, told[0] == str(counts[q]), told[1] == str(sum(own.values())), told[2] == str(len(own)),
          int(told[4]) == own[most] and own[int(told[3])] == own[most])
svg = "{http://www.w3.org/2000/svg}"
pictures = list(page.iter(svg + "svg"))
# Five parts, which are neighbours or not: polygons of a colour are the members of parts, and neighbours differ.
colours = {}
for path in pictures[0].iter(svg + "path"):
    if re.fullmatch(r"k\d+", path.get("class", "")):
        colours[path.get("class")] = path.get("d").count("M")
print("polygons:", sum(colours.values()), "of", len(part))
sums = sorted(colours.values())
def fits(left, sizes):
    """Whether sizes can be dealt out to the sums."""
    if not sizes:
        return all(x == 0 for x in left)
    return any(fits(left[:i] + [x - sizes[0]] + left[i + 1:], sizes[1:]) for i, x in enumerate(left) if x >= sizes[0])
print("colours are whole parts:", fits(sums, sorted(counts.values())))
fields = sum(int(m) for path in pictures[1].iter(svg + "path") for m in re.findall(r"h(\d+)", path.get("d", "")))
print("fields of the matrix:", fields == len(halo))
END
python3 check.py
sed 's/<[^>]*>//g' plain.html | grep 'No picture'
try $MESHPLAN report q.mplans --loop flux -o no.html
try $MESHPLAN report q.mplans --variant 0 -o no.html
$MESHPLAN generate quad 14x9 -o other.msh -q
try $MESHPLAN report q.mplans --mesh other.msh -o no.html
$MESHPLAN generate hex 4x3x2 -o h.msh -q
$MESHPLAN plan h.msh --parts 3 -o h.mplans -q
$MESHPLAN report h.mplans --mesh h.msh -o h.html -q
sed 's/<[^>]*>//g' h.html | grep 'No picture'
[ -e no.html ] || echo "nothing was written"
