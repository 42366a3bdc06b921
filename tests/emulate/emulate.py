#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""emulate.py OUT FILE...: CUDA sources for a host compiler, launches as calls (cuda_runtime.h of this folder).

Every kernel<<<grid, block, ...>>>(...) becomes emulated::launch(kernel, grid, block, ...)(...). FILE goes to OUT by its name."""
import os
import re
import sys


def begin_of_callee(text, end):
    """Where the name, with its template arguments, begins that ends before `end`."""
    i = end
    while text[i - 1] in " \t\r\n\\":
        i -= 1
    depth = 0
    while i > 0:
        c = text[i - 1]
        if c in ">)":
            depth += 1
        elif c in "<(" and depth > 0:
            depth -= 1
        elif depth == 0 and not (c.isalnum() or c in "_:"):
            break
        i -= 1
    return i


def emulate(text):
    text = re.sub(r"extern __shared__ __align__\(\d+\)", "extern", text)
    text = re.sub(r'asm volatile\("mov.u32 %0, %%tid.x;" : "=r"\((\w+)\)\)', r"\1 = threadIdx.x", text)
    while "<<<" in text:
        at = text.index("<<<")
        begin = begin_of_callee(text, at)
        callee = text[begin:at].rstrip(" \t\r\n\\")
        text = text[:begin] + "emulated::launch(" + callee + ", " + text[at + 3:].replace(">>>", ")", 1)
    return text


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            text = emulate(file.read())
        with open(os.path.join(out, os.path.basename(name)), "w", encoding="utf-8") as file:
            file.write(text)


main()
