#!/usr/bin/env python3
"""No code compares the name of a layout, or its axes, with a text.

What code has to know of a layout stands in LayoutInfo (layout/named.h), so that a new layout is one
entry of a table. The names are those of `tensorlane layout list`.

    check_names.py --tensorlane PROGRAM
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["src", "tools", "bench", "fuzz", "examples/opencl"]
COMPARED = re.compile(r'[=!]=\s*"([^"]*)"|"([^"]*)"\s*[=!]=')
BEGINS = re.compile(r'\bstarts_with\(\s*"([^"]*)"')
ENDS = re.compile(r'\bends_with\(\s*"([^"]*)"')


def names_of(program):
    """Names and axes, as the list has them: two blanks before a name, more before its rule."""
    text = subprocess.run([program, "layout", "list"], check=True, capture_output=True, text=True).stdout
    rows = [line.split()[:2] for line in text.splitlines() if re.match(r"  \S", line)]
    return {word for row in rows for word in row}


def breaches(text, names):
    """Line numbers and texts that stand for a layout in a comparison."""
    code = re.sub(r"//[^\n]*", "", text)
    found = [(match.start(), match[1] if match[1] is not None else match[2])
             for match in COMPARED.finditer(code)]
    found = [(at, word) for at, word in found if word in names]
    for pattern, part in ((BEGINS, str.startswith), (ENDS, str.endswith)):
        found += [(match.start(), match[1]) for match in pattern.finditer(code)
                  if len(match[1]) > 2 and any(part(name, match[1]) for name in names)]
    return [(code.count("\n", 0, at) + 1, word) for at, word in found]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorlane", required=True)
    names = names_of(parser.parse_args().tensorlane)
    if not {"aligned", "2IC", "1IC", "WINOGRAD_FILTER", "NCHW", "RK"} <= names:
        sys.exit(f"`layout list` is read wrongly: {sorted(names)}")
    for sample in ('if (info.name == "2IC")', 'axes != "NCHW"', 'x.starts_with("DW_CONV2D")'):
        if not breaches(sample, names):
            sys.exit(f"not noticed: {sample}")
    wrong = files = 0
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            files += 1
            for line, word in breaches(path.read_text(encoding="utf-8"), names):
                print(f"{path.relative_to(ROOT)}:{line}: compares with \"{word}\"; ask LayoutInfo instead")
                wrong += 1
    if files == 0:
        sys.exit("no sources found")
    sys.exit(1 if wrong else 0)


main()
