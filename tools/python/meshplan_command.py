# SPDX-License-Identifier: Apache-2.0
"""The command meshplan of the package: starts the program, without numpy."""
import importlib.util
import os
import sys


def main() -> None:
    found = importlib.util.find_spec("meshplan")
    folders = list(found.submodule_search_locations or []) if found else []
    for folder in folders:
        program = os.path.join(folder, "_native", "meshplan")
        if os.access(program, os.X_OK):
            os.execv(program, ["meshplan", *sys.argv[1:]])
    sys.exit("meshplan: the package has no program: it was not installed by pip")


if __name__ == "__main__":
    main()
