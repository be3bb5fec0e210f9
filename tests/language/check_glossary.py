#!/usr/bin/env python3
"""Holds Chinese texts to docs/zh/glossary.md, where two words for one thing have been in use.

    check_glossary.py SOURCE PAGES     PAGES: what scripts/write_pages.sh wrote
"""
import pathlib
import re
import sys

# What is not to be said, in which files, and what the glossary says.
RULES = [
    (r"并行区(?!域)", ["po/zh.po", "docs/zh/**/*.md", "src/**/*.cc", "tools/**/*.cc"], "并行区域"),
    # What an engine is given; what a person types is 命令.
    (r"命令(?!行)", ["PAGES/zh/reference/**/*.md", "src/tensorlane/okk/*.cc", "src/tensorlane/tpukernel/*.cc"], "指令"),
]


def main():
    source, pages = map(pathlib.Path, sys.argv[1:])
    terms = (source / "docs/zh/glossary.md").read_text(encoding="utf-8")
    wrong = []
    for pattern, places, term in RULES:
        assert f"| {term} |" in terms, f"the glossary has no {term}"
        found = [list(pages.glob(place.removeprefix("PAGES/")) if place.startswith("PAGES/") else source.glob(place)) for place in places]
        assert all(found), places
        files = [file for files in found for file in files]
        for file in files:
            for at, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if re.search(pattern, line):
                    wrong.append(f"{file}:{at}: {line.strip()}\n  the glossary says {term}")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
