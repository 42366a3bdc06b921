# SPDX-License-Identifier: Apache-2.0
"""What a fixture is: a file and what meshplan has to say about it."""
import typing


class Fixture(typing.NamedTuple):
    name: str                       # "gmsh/good-x.msh"; the first word of the file says how it ends
    content: typing.Union[None, bytes, dict]  # None: made by meshplan itself; a folder: its files by name
    says: str                       # good: what is in it; bad and unsupported: part of the sentence
    like: typing.Optional[str] = None     # good: name of a file that holds the same
    placeless: typing.Optional[str] = None  # bad: why the sentence has no line and no byte


def encoded(content):
    if isinstance(content, dict):
        return {name: encoded(inner) for name, inner in content.items()}
    return content.encode("ascii") if isinstance(content, str) else content


def in_folder(folder, entries):
    """Fixtures of (name, content, says[, like or placeless]); texts are ASCII."""
    for name, content, says, *more in entries:
        content = encoded(content)
        last = more[0] if more else None
        if name.startswith("good"):
            yield Fixture(f"{folder}/{name}", content, says, last and f"{folder}/{last}")
        else:
            yield Fixture(f"{folder}/{name}", content, says, None, last)
