#!/usr/bin/env python3
"""Writes a C file with the example calls of reference pages, each in a function of its own.

    make_example_calls.py HEADER PAGE... > example_calls.c

They stand behind "Example:". What the header declares must take them as they are, or the file does not compile.
"""
import pathlib
import re
import sys

CALL = re.compile(r"^Example:\n\n```c\n(.*?)\n```$", re.M | re.S)


def main():
    header, *pages = sys.argv[1:]
    calls = [call for page in pages for call in CALL.findall(pathlib.Path(page).read_text(encoding="utf-8"))]
    if len(calls) < 100:
        sys.exit(f"{len(calls)} example calls in {pages}")
    print(f"#include <stddef.h>\n#include <stdbool.h>\n#include <{header}>")
    for number, call in enumerate(calls):
        body = call.replace("\n", "\n  ")
        print(f"\nvoid example_{number}(void);\nvoid example_{number}(void) {{\n  {body}\n}}")


main()
