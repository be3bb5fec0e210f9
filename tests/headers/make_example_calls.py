#!/usr/bin/env python3
"""Writes a C file with the example calls of reference pages, each in a function of its own.

    make_example_calls.py HEADER FOLDER CHINESE_FOLDER > example_calls.c

They stand behind "Example:" and in the pages of both languages alike. What the header declares must take them as they are, or the
file does not compile.
"""
import pathlib
import re
import sys

CALL = re.compile(r"^(?:Example:|例：)\n\n```c\n(.*?)\n```$", re.M | re.S)


def calls_of(folder):
    """(page, call) of every example in the pages of a folder."""
    return [(page.name, call) for page in sorted(pathlib.Path(folder).glob("*.md")) for call in CALL.findall(page.read_text(encoding="utf-8"))]


def main():
    header, *folders = sys.argv[1:]
    english, chinese = map(calls_of, folders)
    if len(english) < 100:
        sys.exit(f"{len(english)} example calls in {folders[0]}")
    if english != chinese:
        sys.exit(f"{folders[1]} has other calls: {sorted(set(english) ^ set(chinese))[:4]}")
    print(f"#include <stddef.h>\n#include <stdbool.h>\n#include <{header}>")
    for number, (_, call) in enumerate(english):
        body = call.replace("\n", "\n  ")
        print(f"\nvoid example_{number}(void);\nvoid example_{number}(void) {{\n  {body}\n}}")


main()
