# SPDX-License-Identifier: Apache-2.0
"""Bundles of the plans of parts, read by section 13 of formats/plan-format.md only, as planfile.py reads plans."""
import mmap
import re
import struct
from types import SimpleNamespace

from .planfile import Plan, Refused, decode_text, require
from .xxh3 import fingerprint, xxh3_64

MAGIC = b"\x89MPART\n\x1a"
UNIT = 65536
MOST = 1 << 62
NUMBER = re.compile(r"0|[1-9][0-9]*")
PTSCOTCH = re.compile(r"ptscotch-[0-9.]+-(32|64)-[1-9][0-9]{0,8}")


class Lines:
    """The text of a manifest, taken from its begin."""

    def __init__(self, data):
        require(b"\0" not in data, "damaged: the manifest holds a zero byte")
        self.data, self.at = data, 0

    def line(self):
        end = self.data.find(b"\n", self.at)
        require(end >= 0, "damaged: a line of the manifest does not end")
        text = decode_text(self.data[self.at:end], "the manifest")
        self.at = end + 1
        return text

    def begins(self, word):
        return self.data.startswith(word.encode() + b" ", self.at)

    def words(self, word, n, rest=False):
        """Numbers behind a word, and with `rest` the text behind them."""
        parts = self.line().split(" ", n + 1 if rest else -1)
        require(parts[0] == word and len(parts) == n + 1 + rest, f"damaged: line {word} of the manifest")
        require(all(NUMBER.fullmatch(part) for part in parts[1:n + 1]), f"damaged: numbers of line {word}")
        return [int(part) for part in parts[1:n + 1]] + parts[n + 1:]

    def text(self, word):
        length = self.words(word, 1)[0]
        require(self.at + length <= len(self.data), f"damaged: extent of the {word}")
        self.at += length
        return decode_text(self.data[self.at - length:self.at], word)


def read_manifest(data):
    """What the parts are together: parts, sets (name, total, base), maps (name, source, target, arity, entries), cut, how,
    request, versions."""
    lines, sets, maps = Lines(data), [], []
    n_parts = lines.words("parts", 1)[0]
    require(1 <= n_parts < (1 << 31) - 1, "damaged: number of parts")
    while lines.begins("set"):
        total, name = lines.words("set", 1, rest=True)
        base = lines.words("base", n_parts + 1)
        require(total <= MOST and base[0] == 0 and base[-1] == total and base == sorted(base), f"damaged: bases of set {name}")
        sets.append(SimpleNamespace(name=name, total=total, base=base))
    while lines.begins("map"):
        source, target, arity, entries, name = lines.words("map", 4, rest=True)
        require(max(source, target) < len(sets) and arity < 1 << 31 and entries < 1 << 63, f"damaged: map {name} of the manifest")
        maps.append(SimpleNamespace(name=name, source=source, target=target, arity=arity, entries=entries))
    for records in (sets, maps):
        require(len({one.name for one in records}) == len(records), "damaged: two of the manifest have one name")
    words = lines.line().split(" ")
    require(len(words) == 3 and words[0] == "cut" and (words[1] == "-1" or NUMBER.fullmatch(words[1]))
            and int(words[1]) < len(sets) and (words[2] in ("file", "metis", "scotch", "native") or PTSCOTCH.fullmatch(words[2])),
            "damaged: line cut of the manifest")
    request, versions = lines.text("request"), lines.text("versions")
    require(lines.at == len(data), "damaged: bytes behind the manifest")
    return SimpleNamespace(parts=n_parts, sets=sets, maps=maps, cut=int(words[1]), how=words[2], request=request,
                           versions=versions)


class Bundle:
    """A bundle: manifest, fingerprints, len() parts, part(i): a Plan. With lazy, as plans are."""

    def __init__(self, data, lazy=False):
        self.data, self.lazy = memoryview(data), lazy
        data = self.data
        require(len(data) >= 8 and data[:8] == MAGIC, "not a bundle")
        require(len(data) >= 128, "damaged: shorter than the header")
        (major, _, header_bytes, must_know, file_bytes, n, reserved, manifest_bytes, manifest_hash, table_hash, topology,
         coordinates, rest, header_hash) = struct.unpack_from("<HHIQQIIQQQQQ40sQ", data, 8)
        require(major <= 1, "newer than this reader: major version")
        require(header_hash == xxh3_64(data[:120]), "damaged: hash of the header")
        require(major == 1, "damaged: major version 0")
        require(must_know == 0, "newer than this reader: feature bits")
        require(file_bytes == len(data) and header_bytes == 128, "damaged: length of the file or of the header")
        require(reserved == 0 and not any(rest), "damaged: reserved bytes of the header")
        end = 128 + 64 * n + manifest_bytes
        require(n >= 1 and end <= len(data), "damaged: number of parts, or extent of the manifest")
        table = data[128:128 + 64 * n]
        require(table_hash == xxh3_64(table), "damaged: hash of the table")
        text = bytes(data[128 + 64 * n:end])
        require(manifest_hash == xxh3_64(text), "damaged: hash of the manifest")
        self.manifest = read_manifest(text)
        require(self.manifest.parts == n, "damaged: number of parts")
        self.fingerprints = {"topology": topology, "coordinates": coordinates}
        self.places = []
        for p in range(n):
            offset, length, head, rest = struct.unpack_from("<QQQ40s", table, 64 * p)
            require(offset == -(-end // UNIT) * UNIT and 128 <= length <= len(data) - offset and not any(rest),
                    f"damaged: place of part {p}")
            require(not any(data[end:offset]), f"damaged: padding before part {p}")
            end = offset + length
            self.places.append((offset, end, head))
        require(end == len(data), "damaged: bytes behind the last part")

    def __len__(self):
        return len(self.places)

    def part(self, p):
        """The plan of a part, compared with the table and the manifest."""
        begin, end, head = self.places[p]
        data, manifest = self.data[begin:end], self.manifest
        require(head == xxh3_64(data[:128]), f"damaged: part {p}: header")
        try:
            plan = Plan(data, self.lazy)
        except Refused as refusal:
            raise Refused(f"part {p}: {refusal}") from None
        found = [(one.name, one.part and (one.part.parts, one.part.part, one.part.total, one.part.base, one.part.owned))
                 for one in plan.sets]
        due = [(one.name, (manifest.parts, p, one.total, one.base[p], one.base[p + 1] - one.base[p])) for one in manifest.sets]
        require(found == due, f"damaged: part {p}: sets")
        found = [(one.name, one.source, one.target, one.arity) for one in plan.maps]
        require(found == [(one.name, one.source, one.target, one.arity) for one in manifest.maps], f"damaged: part {p}: maps")
        return plan


def read_bundle(path, lazy=False):
    """The bundle in a file, which is mapped into memory and stays so while arrays of it live."""
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (ValueError, OSError):
            data = file.read()
    return Bundle(data, lazy)


__all__ = ["Bundle", "fingerprint", "read_bundle", "read_manifest"]
