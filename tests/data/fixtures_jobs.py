# SPDX-License-Identifier: Apache-2.0
"""Job files: good ones, and one for every kind of fault."""
from fixture import in_folder

PLATE = """meshplan: 1
mesh: ../gmsh/good-4.1-text.msh
loops:
  - name: flux
    over: faces
    primary: true
    calls: 2
    flops: 100
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: r, map: faces_cells, access: inc, dim: 4, type: f64}
  - {name: update, over: cells, args: [{dat: q, access: rw, dim: 4}, {dat: r, access: read, dim: 4}]}
plan: {block_size: 4, strategy: [block-colour, atomic], partitioner: none, renumber: rcm}
"""

TABLES = """# tables without a mesh
meshplan: 1
sets: {edges: 5, cells: 5, spare: 0}
maps:
  - {name: edges_cells, from: edges, to: cells, file: ../npy/good-i4.npy, base: 0}
loops:
- name: ring
  over: edges
  args:
  - dat: r
    map: edges_cells
    access: inc
    dim: 1
    type: f32
plan:
  block_size: 2
  partitioner: none
  strategy: global-colour
  keep_order: never
  point_order: count
  device: a100
  seed: 7
output: never-written.mplan
"""

SPLIT = """{"meshplan": 1, "mesh": "../gmsh/good-4.1-solids.msh",
 "loops": [{"name": "sweep", "over": "cells", "args": [
  {"dat": "a", "map": "cells_faces", "access": "inc", "dim": 3, "type": "f64", "none": "skip"}]}],
 "plan": {"strategy": "block-colour", "partitioner": "none", "max_points": 100, "shared_bytes": 4096,
          "imbalance": 1.5}}
"""


FLUX = "faces 9, nodes 12, cells 8; flux over faces by block-colour, atomic; update over cells by block-colour, atomic"


def good():
    yield ("good-mesh.yaml", PLATE, FLUX)
    yield ("good-crlf.yml", PLATE.replace("\n", "\r\n"), FLUX)
    yield ("good-tables.yaml", TABLES, "edges 5, cells 5; ring over edges by global-colour")
    yield ("good-json.yaml", SPLIT, "cells 4, faces 3; sweep over cells by block-colour")


def bad():
    def swap(name, before, after, says, of=PLATE):
        assert of.count(before) == 1, (name, before)
        return (f"bad-{name}.yaml", of.replace(before, after), says)

    yield ("bad-empty.yaml", "", ":1:1: the file is empty")
    yield ("bad-comment.yaml", "# nothing\n", ":1:1: the file is empty")
    yield ("bad-list.yaml", "- meshplan: 1\n", ":1:1: this is not a job: a job must begin with 'meshplan: 1'")
    yield ("bad-word.yaml", "meshplan\n", ":1:1: this is not a job")
    yield ("bad-bytes.yaml", b"meshplan: 1\nmesh: \xff\xfe\n", ": byte 18: not valid text: ")
    yield ("bad-zero.yaml", b"meshplan: 1\nmesh: \"a\\0b\"\n", ":2:7: a text contains a zero character")
    yield ("bad-deep.yaml", "meshplan: " + "[" * 40 + "]" * 40 + "\n",
           ":1:26: lists and mappings are nested too deeply")
    yield ("bad-many.yaml", "meshplan: 1\nsets: [" + "1," * 5000 + "]\n",
           ": a list or mapping is too long for a job")
    yield swap("syntax", "plan: {block_size", "plan: {block_size: [", ":14:21: no YAML: ")
    yield swap("tab", "    over: faces", "\tover: faces",
               ":5:1: no YAML: found a tab character that violates indentation")
    yield swap("second-document", "plan: {", "---\nplan: {",
               ":14:1: a job must be one document; a second one begins")
    yield swap("anchor", "name: flux", "name: &f flux", ":4:11: anchors (&name) are not supported")
    yield swap("alias", "name: flux", "name: *f", ":4:11: aliases (*name) are not supported")
    yield swap("tag", "calls: 2", "calls: !!int 2", ":7:12: tags (!name) are not supported")
    yield swap("key-list", "name: flux", "[name]: flux", ":4:5: a key must be a word")
    yield swap("no-version", "meshplan: 1\n", "", ":1:1: the job has no key 'meshplan'")
    yield swap("version-word", "meshplan: 1\n", "meshplan: one\n",
               ":1:11: expected a whole number for meshplan, found 'one'")
    yield swap("version-zero", "meshplan: 1\n", "meshplan: 0\n", ":1:11: meshplan is 0, but must be at least 1")
    yield swap("key", "loops:", "lops:", ":3:1: unknown key 'lops'; did you mean 'loops'?")
    yield swap("key-far", "flops: 100", "gigaflops: 100",
               ":8:5: unknown key 'gigaflops'; a loop has name, over, ")
    yield swap("key-twice", "flops: 100", "calls: 100", ":8:5: key 'calls' is given twice")
    yield swap("key-missing", "    over: faces\n", "", ":4:5: a loop must have the key 'over'")
    yield swap("no-mesh", "mesh: ../gmsh/good-4.1-text.msh\n", "",
               ":1:1: the job has neither 'mesh' nor 'maps'")
    yield swap("no-text", "mesh: ../gmsh/good-4.1-text.msh", "mesh:",
               ": expected a text for mesh, found nothing")
    yield swap("no-list", "args: [{dat: q, access: rw, dim: 4}, {dat: r, access: read, dim: 4}]", "args: 4",
               ":13:39: expected a list for args, found '4'")
    yield swap("no-mapping", "{dat: q, access: rw, dim: 4}", "q",
               ":13:40: expected a mapping (key: value) for an arg, found 'q'")
    yield ("bad-no-loops.yaml", "meshplan: 1\nmesh: x.msh\nloops: []\n",
           ":3:8: a job must have at least one loop")
    yield swap("number", "block_size: 4", "block_size: four",
               ":14:20: block_size must be a whole number, not 'four'")
    yield swap("number-quoted", "block_size: 4", 'block_size: "4"',
               ":14:20: block_size must be a number, not a text")
    yield swap("number-small", "block_size: 4", "block_size: -1",
               ":14:20: block_size must be 0 or 1 to 1024, not -1")
    yield swap("number-large", "block_size: 4", "block_size: 1025",
               ":14:20: block_size must be 0 or 1 to 1024, not 1025")
    yield swap("real", "block_size: 4", "imbalance: 0.5",
               ":14:19: imbalance must be 1 to 1024, not 0.5")
    yield swap("real-nan", "block_size: 4", "imbalance: nan", ":14:19: imbalance must be a number, not 'nan'")
    yield swap("boolean", "primary: true", "primary: 1",
               ":6:14: expected true or false for primary, found '1'")
    yield swap("word-unknown", "[block-colour, atomic]", "[block-color]",
               ":14:34: strategy: unknown word 'block-color'; did you mean 'block-colour'?")
    yield swap("word-far", "renumber: rcm", "renumber: random",
               "renumber: unknown word 'random'; known: auto, none, gps, rcm, hilbert, scotch-gps, sloan")
    yield swap("word-list", "renumber: rcm", "renumber: [rcm]", "expected a word or a number for renumber, found a list")
    yield swap("access", "access: inc", "access: add",
               ":12:44: unknown access 'add'; known: read, write, rw, inc")
    yield swap("type", "access: inc, dim: 4, type: f64", "access: inc, dim: 4, type: float",
               ":12:63: unknown type 'float'")
    yield swap("strategy-twice", "[block-colour, atomic]", "[atomic, atomic]",
               ":14:42: strategy: 'atomic' is given twice")
    yield swap("device", "partitioner: none", "device: h2000", "device: unknown word 'h2000'; did you mean 'h200'?")
    yield swap("loop-twice", "{name: update", "{name: flux",
               ":13:12: there is already a loop 'flux', in line 4")
    yield swap("two-primaries", "over: cells", "over: cells, primary: true",
               ":13:42: loop 'flux' is already primary; only one loop can be")
    yield swap("no-dim", "access: inc, dim: 4,", "access: inc,",
               ":12:9: arg 'r' goes through map 'faces_cells' and must have the key 'dim'")
    yield swap("dim-large", "access: inc, dim: 4,", "access: inc, dim: 65537,",
               ":12:54: dim is 65537, but must be at most 65536")
    yield swap("none-alone", "{dat: q, access: rw, dim: 4}", "{dat: q, access: rw, none: skip}",
               ":13:67: arg 'q' has no map, so 'none' has no meaning")
    yield swap("base", "base: 0", "base: 2", ":5:81: base is 2, but must be at most 1", TABLES)
    yield swap("none-word", "base: 0", "none: zero", ":5:81: unknown none 'zero'; known: below-base", TABLES)
    yield swap("set-size", "cells: 5", "cells: -5", ":3:25: the size of a set is -5, but must be at least 0",
               TABLES)
    yield swap("set-large", "cells: 5", "cells: 2147483647",
               ":3:25: the size of a set is 2147483647, but must be at most 2147483646", TABLES)
    yield swap("map-twice", "loops:\n", "  - {name: edges_cells, file: x.npy}\nloops:\n",
               ":6:12: there is already a map 'edges_cells', in line 5", TABLES)
    yield ("unsupported-version.yaml",
           PLATE.replace("meshplan: 1", "meshplan: 2").replace("loops:", "cycles:"),
           ":1:11: this is a job of version 2; only version 1 is supported")


def fixtures(_):
    yield from in_folder("job", [*good(), *bad()])
