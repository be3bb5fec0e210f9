#!/usr/bin/env python3
"""Holds the lists of folders in docs/architecture.md and CONTRIBUTING.md to the tree.

    check_folders.py TREE
"""
import pathlib
import re
import sys


def listed_in_architecture(page):
    """The first block of code: "    name, name    what they are"."""
    block = re.search(r"\n\n((?:    .*\n)+)", page).group(1)
    names = set()
    for line in block.splitlines():
        row = re.match(r"    (\S.*?)  +\S", line)  # lines that go on are indented further
        if row:
            names.update(row.group(1).split(", "))
    return names


def listed_in_contributing(page):
    """The first column of the table below "## Folders"; `a/b`, `c` means a/b and a/c."""
    names = set()
    for cell in re.findall(r"^\| (`.*?`) \|", page[page.index("\n## Folders\n"):], re.M):
        parent = ""
        for name in re.findall(r"`([^`]+)`", cell):
            name = name.rstrip("/")
            if "/" in name:
                parent = name.rsplit("/", 1)[0] + "/"
            elif parent:
                name = parent + name
            names.add(name)
    return names


def main():
    tree = pathlib.Path(sys.argv[1])
    root = tree / "src/tensorlane"
    components = {path.parent.name for path in root.glob("*/CMakeLists.txt")}
    # A wing is a folder of components that is none itself.
    rooms = {path.parent.relative_to(root) for path in root.glob("*/*/CMakeLists.txt")}
    rooms = {room for room in rooms if room.parts[0] not in components}
    components |= {str(room) for room in rooms} | {room.parts[0] for room in rooms}
    tests = {f"tests/{path.name}" for path in (tree / "tests").iterdir() if path.is_dir()}
    problems = []

    named = listed_in_architecture((tree / "docs/architecture.md").read_text())
    named = {name for name in named if not name.startswith("tools/")}
    problems += [f"docs/architecture.md does not name {name}" for name in components - named]
    problems += [f"docs/architecture.md names {name}, which is no folder of src/tensorlane"
                 for name in named - components]

    named = listed_in_contributing((tree / "CONTRIBUTING.md").read_text())
    wanted = {f"src/tensorlane/{name}" for name in components} | tests
    problems += [f"CONTRIBUTING.md does not name {name}" for name in wanted - named]
    problems += [f"CONTRIBUTING.md names {name}, which is no folder"
                 for name in named if not (tree / name).is_dir()]
    print("\n".join(sorted(problems)) or f"{len(wanted)} folders")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
