# SPDX-License-Identifier: Apache-2.0
"""XDMF files as meshio and DOLFINx write them, after the format's description; those with HDF5 beside them are folders' files."""
import re

from fixture import in_folder
from fixtures_gmsh import SOLIDS
import fixtures_fem

WHOLE = "what is missing stands nowhere"
XYZ = "".join(f"{x} {y} {z}\n" for x, y, z in fixtures_fem.XYZ)
MIXED = "9 0 1 2 3 4 5 6 7\n8 4 7 8 5 6 9\n7 1 2 6 5 10\n6 6 5 10 11\n5 0 3 2 1\n4 4 7 8\n2 2 0 1\n1 1 0\n"


def item(text, format="XML", more=""):
    count = f'Dimensions="{len(text.split())}"' if format == "XML" else ""
    return f'<DataItem Format="{format}" {more}{count}>{text}</DataItem>'


def uncounted(text):
    """Without Dimensions, so that numbers may be more or fewer than they tell."""
    return re.sub(' ?Dimensions="[0-9]*"', "", text)


def grid(topology, numbers, inner="", geometry=item(XYZ), form="XYZ", name="mesh"):
    return (f'<Grid Name="{name}" GridType="Uniform">\n<Topology TopologyType="{topology}">{item(numbers)}</Topology>\n'
            + (f'<Geometry GeometryType="{form}">{geometry}</Geometry>\n' if geometry else "<xi:include xpointer=\"x\"/>\n") + inner + "</Grid>\n")


def cells(name, numbers, more='NumberType="Int" '):
    return f'<Attribute Name="{name}" Center="Cell" AttributeType="Scalar">{item(numbers, "XML", more)}</Attribute>\n'


def xdmf(inner, head='<?xml version="1.0"?>\n<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>\n'):
    return f'{head}<Xdmf Version="3.0" xmlns:xi="http://www.w3.org/2001/XInclude"><Domain>\n{inner}</Domain></Xdmf>\n'


def files():
    whole = grid("Mixed", MIXED, cells("u", "1 2 3 4 5 6 7 8", 'NumberType="Float" ') + cells("gmsh:physical", "1 1 2 0 7 0 9 3"))
    says = SOLIDS + "; #1 2, #2 1, #9 2, #3 1, #7 1"
    first = "good-solids.xdmf"
    yield (first, xdmf(whole), says)
    yield ("good-crlf.xmf", xdmf(whole, "").replace("\n", "\r\n"), says, first)
    steps = '<Grid GridType="Collection" CollectionType="Temporal" Name="t">\n' + whole + '<Grid><xi:include xpointer="x"/>' + cells("a", "1 2") + "</Grid></Grid>\n"
    yield ("good-steps.xdmf", xdmf(steps), says, first)
    flat = "0 0\n1 0\n1 1\n0 1\n"
    tags = (grid("PolyLine", "0 1 2 3", cells("facets", "0 5", ""), None, name="facets")
            + grid("Triangle", "2 3 0 1 0 2", cells("tags", "8 9", ""), None, name="tags"))
    yield ("good-tags.xdmf", xdmf(grid("Triangle", "0 1 2 0 2 3", "", item(flat), "XY") + tags),
           "nodes 4, cells 2, faces 1, boundary_faces 4: 2 tri3; #8 1, #9 1, #0 1, #5 1")
    yield ("good-uncounted.xdmf", uncounted(xdmf(whole)), says, first)
    for name, dimensions, product in (("good-rows", " 2 18 ", 36), ("bad-few", "12 2", 24), ("bad-many", "12 4", 48)):
        assert xdmf(whole).count('Dimensions="36"') == 1  # of the coordinates
        counted = xdmf(whole).replace('Dimensions="36"', f'Dimensions="{dimensions}"')
        yield ((f"{name}.xdmf", counted, says, first) if product == 36 else
               (f"{name}.xdmf", counted, f":14: Dimensions must tell how many numbers there are: 36, not {product}"))
    text = uncounted(xdmf(whole))

    def swap(name, before, after, says, placeless=None):
        assert text.count(before) == 1, (name, before)
        return (name, text.replace(before, after), says, placeless)

    yield swap("bad-node.xdmf", "6 6 5 10 11", "6 6 5 10 12", ":5: the topology has a node that is not in the geometry")
    yield swap("bad-cut.xdmf", "2 2 0 1\n1 1 0\n", "2 2 0 1\n1 1 0\n6 1", ":5: the topology ends within a cell")
    yield swap("bad-word.xdmf", "6 6 5 10 11", "6 6 x 10 11", ":5: expected numbers only")
    yield swap("bad-infinite.xdmf", "1.5 0.5 2", "1.5 inf 2", ":14: a coordinate is not finite")
    yield swap("bad-attribute.xdmf", "1 1 2 0 7 0 9 3", "1 1 2 0 7 0 9", ":28: an attribute does not have one number for each cell")
    yield swap("bad-tag.xdmf", "</Domain>", "</Domian>", ":30: mismatched tag")
    yield swap("bad-geometry.xdmf", "1.5 0.5 2\n", "1.5 0.5\n", ":14: the geometry ends within a node")
    yield swap("unsupported-type.xdmf", "6 6 5 10 11", "16 6 5 10 11", ":5: a type of cell in a mixed topology is not supported")
    yield swap("unsupported-topology.xdmf", 'TopologyType="Mixed"', 'TopologyType="3DCoRectMesh"', ":5: the type of the topology is not supported")
    yield swap("unsupported-geometry.xdmf", '"XYZ"', '"ORIGIN_DXDYDZ"', ":14: the geometry must be XYZ or XY")
    yield swap("unsupported-binary.xdmf", f'{XYZ[:6]}', f'<DataItem/>{XYZ[:6]}', ":14: numbers must be text, a table of an HDF5 file or those of a raw file")
    yield ("unsupported-elsewhere.xdmf", xdmf(grid("Triangle", "0 1 2", "", item("/etc/x.h5:/a", "HDF"))), ":6: numbers must be in a file beside this one")
    yield ("unsupported-above.xdmf", xdmf(grid("Triangle", "0 1 2", "", item("../x.h5:/a", "HDF"))), ":6: numbers must be in a file beside this one")
    yield ("bad-no-table.xdmf", xdmf(grid("Triangle", "0 1 2", "", item("x", "HDF"))), ":6: expected FILE:TABLE of an HDF5 file")
    yield ("unsupported-entity.xdmf", xdmf(whole, '<!DOCTYPE Xdmf [<!ENTITY a "b">]>\n'), ":1: declarations of entities are not supported")
    counted = grid("Triangle", "1 2 3 1 3 4", "", item(flat), "XY").replace('"Triangle"', '"Triangle" BaseOffset="1"')
    yield ("good-base.xdmf", xdmf(counted), "nodes 4, cells 2, faces 1, boundary_faces 4: 2 tri3")
    yield ("bad-base.xdmf", xdmf(counted.replace("1 2 3 1", "0 2 3 1")), ":5: the topology has a node that is not in the geometry")
    yield ("bad-fraction.xdmf", xdmf(counted.replace("1 2 3 1", "1 2.5 3 1")), ":5: the topology must hold whole numbers only")
    yield ("bad-nested.xdmf", uncounted(xdmf(grid("Triangle", "0 1" + "<Grid/>" * 40 + " 2", "", item(flat), "XY"))), ":5: the topology ends within a cell")
    yield ("unsupported-light.xdmf", '<?xml version="1.0"?>\n<Xdmf Version="3.0"></Xdmf>\n', ": no grid has both a topology and a geometry")


def fixtures(_):
    yield from in_folder("xdmf", list(files()))
