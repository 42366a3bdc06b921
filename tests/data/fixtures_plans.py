# SPDX-License-Identifier: Apache-2.0
"""Plan files: good ones by meshplan itself, and what bytes of theirs can be damaged to."""
import struct

from fixture import Fixture, in_folder

# what makes the good ones; the last step writes {out}
COMMANDS = {
    "planfile/good-raw.mplan": [
        ["plan", "{data}/gmsh/good-4.1-text.msh", "--partitioner", "none", "--block-size", "4", "--strategy",
         "block-colour,atomic,two-step,global-colour", "-o", "{out}"]],
    "planfile/good-compressed.mplan": [
        ["generate", "quad", "16x16", "-o", "{folder}/x.msh"],
        ["plan", "{folder}/x.msh", "--partitioner", "none", "--block-size", "64", "--strategy",
         "block-colour", "--compress", "-o", "{out}"]],
    "planfile/good-table.mplan": [
        ["plan", "{data}/text/good-ragged.txt", "--inc", "elements_points:2:f32", "--read",
         "elements_points:1:i64", "--partitioner", "none", "--strategy", "two-step", "-o", "{out}"]],
    "planfile/good-gather-partial.mplan": [
        ["generate", "tri", "7x6", "-o", "{folder}/x.msh"],
        ["plan", "{folder}/x.msh", "--over", "cells", "--inc", "cells_nodes:2:f64", "--partitioner", "none",
         "--block-size", "16", "--strategy", "block-gather,owner-gather", "--sums", "partial", "--encoding", "index32", "-o", "{out}"]],
    "planfile/good-gather-atomic.mplan": [
        ["plan", "{data}/gmsh/good-4.1-text.msh", "--partitioner", "none", "--block-size", "4", "--strategy",
         "block-gather,owner-gather", "--sums", "atomic", "--encoding", "index16", "-o", "{out}"]],
    "planfile/good-gather-colour.mplan": [
        ["plan", "{data}/gmsh/good-4.1-text.msh", "--partitioner", "none", "--block-size", "4", "--strategy",
         "block-gather,owner-gather", "--sums", "colour", "--encoding", "pair32", "-o", "{out}"]],
    "planfile/good-origins.mplan": [
        ["generate", "quad", "16x12", "--shuffle", "1", "-o", "{folder}/x.msh"],
        ["plan", "{folder}/x.msh", "--over", "cells", "--inc", "cells_nodes:1:f32", "--partitioner", "native",
         "--block-size", "32", "--strategy", "block-colour", "-o", "{out}"]],
}
RAW = "faces 9, cells 8; loop over faces by block-colour, atomic, two-step, global-colour"
HEADER, ENTRY, HEADER_HASH = 128, 96, 120

# XXH3 of 65 to 128 bytes with seed 0, as the header needs it (xxHash's description, BSD-2-Clause)
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364")
MASK = (1 << 64) - 1


def header_hash(head):
    n = len(head)
    total = n * 0x9E3779B185EBCA87

    def mix(at, secret):
        low, high = (struct.unpack_from("<Q", head, at + 8 * k)[0] ^ struct.unpack_from("<Q", SECRET,
                                                                                        secret + 8 * k)[0]
                     for k in (0, 1))
        return (low * high & MASK) ^ (low * high >> 64)

    for i in range((n - 1) // 32 + 1):
        total += mix(16 * i, 32 * i) + mix(n - 16 * (i + 1), 32 * i + 16)
    total &= MASK
    total = (total ^ total >> 37) * 0x165667919E3779F9 & MASK
    return total ^ total >> 32


def with_header(plan, at, kind, value):
    """The plan with a number of its header changed and the header's checksum made right."""
    head = bytearray(plan[:HEADER])
    struct.pack_into("<" + kind, head, at, value)
    struct.pack_into("<Q", head, HEADER_HASH, header_hash(bytes(head[:HEADER_HASH])))
    return bytes(head) + plan[HEADER:]


def flipped(plan, at):
    return plan[:at] + bytes([plan[at] ^ 0x10]) + plan[at + 1:]


def damaged(plan, packed):
    sections, = struct.unpack_from("<Q", plan, 48)
    assert header_hash(plan[:HEADER_HASH]) == struct.unpack_from("<Q", plan, HEADER_HASH)[0]
    entries = [struct.unpack_from("<6Q", plan, HEADER + ENTRY * i + 40) for i in range(sections)]
    last = max(i for i in range(sections) if entries[i][3])
    offset, stored = entries[last][2:4]
    unknown = "the content is not of a known format"
    yield ("bad-magic.mplan", flipped(plan, 1), unknown, "a content that is not known has no place")
    yield ("bad-line-ends.mplan", plan.replace(b"PLAN\n\x1a", b"PLAN\r\n"), unknown,
           "a content that is not known has no place")
    for size in (8, 60, 127):
        yield (f"bad-truncated-{size}.mplan", plan[:size],
               f": damaged at byte {size}: the file ends within its header")
    yield ("bad-truncated-table.mplan", plan[:HEADER + 300],
           f": damaged at byte {HEADER + 300}: the file ends here")
    yield ("bad-truncated.mplan", plan[:-5],
           f": damaged at byte {len(plan) - 5}: the file ends here instead of at byte {len(plan)}")
    yield ("bad-longer.mplan", plan + bytes(64),
           f": damaged at byte {len(plan)}: 64 bytes follow the end of the plan")
    yield ("bad-header.mplan", flipped(plan, 50),
           ": damaged at byte 120: the checksum of the header is wrong")
    yield ("bad-table.mplan", flipped(plan, HEADER + 41),
           ": damaged at byte 56: the checksum of the section table is wrong")
    yield ("bad-section.mplan", flipped(plan, offset + stored // 2), f": damaged at byte {offset}: ")
    gap = next(i for i in range(last) if entries[i][2] + entries[i][3] < entries[i + 1][2])
    at = entries[gap][2] + entries[gap][3]
    yield ("bad-padding.mplan", flipped(plan, at), f": damaged at byte {at}: ")
    yield ("bad-major.mplan", with_header(plan, 8, "H", 0), ": damaged at byte 8: there is no plan format 0.")
    yield ("bad-length.mplan", with_header(plan, 32, "Q", 1 << 62),
           f": damaged at byte {len(plan)}: the file ends here")
    yield ("bad-header-bytes.mplan", with_header(plan, 12, "I", 64),
           ": damaged at byte 12: the header does not have 128 bytes")
    yield ("bad-table-offset.mplan", with_header(plan, 40, "Q", 1 << 63),
           ": damaged at byte 40: the table does not follow the header")
    yield ("bad-sections.mplan", with_header(plan, 48, "Q", 1 << 60),
           ": damaged at byte 48: a table of 1152921504606846976 sections extends beyond the file")
    yield ("bad-reserved.mplan", with_header(plan, 100, "B", 1),
           ": damaged at byte 100: a reserved byte is not zero")
    yield ("bad-compressed.mplan", flipped(packed, len(packed) - 7), ": damaged at byte ")
    yield ("good-minor.mplan", with_header(plan, 10, "H", 9), RAW)
    yield ("good-may-ignore.mplan", with_header(plan, 16, "Q", 1 << 63), RAW)
    yield ("unsupported-major.mplan", with_header(plan, 8, "H", 2),
           ": plan format 2.1 is newer than this reader (1.")
    yield ("unsupported-features.mplan", with_header(plan, 24, "Q", 1 << 40),
           "uses features (0x10000000000) that are newer than this reader")


def fixtures(here):
    yield Fixture("planfile/good-raw.mplan", None, RAW)
    yield Fixture("planfile/good-compressed.mplan", None,
                  "faces 480, cells 256; loop over faces by block-colour")
    yield Fixture("planfile/good-gather-partial.mplan", None,
                  "cells 84, nodes 56; loop over cells by block-gather, owner-gather")
    for sums in ("atomic", "colour"):
        yield Fixture(f"planfile/good-gather-{sums}.mplan", None,
                      "faces 9, cells 8; loop over faces by block-gather, owner-gather")
    yield Fixture("planfile/good-origins.mplan", None, "cells 192, nodes 221; loop over cells by block-colour")
    yield Fixture("planfile/good-table.mplan", None, "elements 4, points 4; loop over elements by two-step")
    plan, packed = ((here / "planfile" / f"good-{name}.mplan").read_bytes() for name in ("raw", "compressed"))
    yield from in_folder("planfile", damaged(plan, packed))
