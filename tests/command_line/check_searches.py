#!/usr/bin/env python3
"""What newcomers ask for is found: every row of searches.txt, asked in the language it is in.

    check_searches.py --tensorlane PROGRAM

What has to be named stands in the first LINES lines of the answer or in its last paragraph, which says how things are composed.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

LINES = 40


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    tensorlane = os.path.abspath(parser.parse_args().tensorlane)
    rows = [line.split(" | ") for line in (pathlib.Path(__file__).parent / "searches.txt").read_text().splitlines() if line[:1] != "#"]
    problems = []
    for chip, words, wanted in rows:
        chosen = [] if chip == "any" else ["--chip", chip]
        language = "zh_CN.UTF-8" if re.search("[\u4e00-\u9fff]", words) else "C.UTF-8"
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "TENSORLANE_"))}
        said = subprocess.run([tensorlane, "ops", *chosen, *words.split()], env=dict(environment, LANG=language), text=True,
                              capture_output=True, check=False, timeout=60)
        paragraphs = said.stdout.split("\n\n")
        if said.returncode != 0 or wanted not in "\n".join(said.stdout.splitlines()[:LINES] + paragraphs[-1:] + paragraphs[-2:]):
            problems.append(f"ops {' '.join(chosen)} {words} ({said.returncode}) does not name {wanted}:\n"
                            + "\n".join(said.stdout.splitlines()[:8]) + said.stderr)
    print("".join(f"{problem}\n\n" for problem in problems), f"{len(rows)} searches, {len(problems)} problems", sep="")
    return 1 if problems or len(rows) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
