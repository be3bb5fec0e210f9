#!/usr/bin/env python3
"""Mistakes of newcomers lead to their repair: every row of mistakes.txt.

    check_mistakes.py --tensorlane PROGRAM --program CORPUS
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import verbs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    tensorlane, program = os.path.abspath(options.tensorlane), os.path.abspath(options.program)
    rows = [line.split(" | ") for line in (pathlib.Path(__file__).parent / "mistakes.txt").read_text().splitlines() if line[:1] != "#"]
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        verbs.scene(tensorlane, program, folder)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "TENSORLANE_"))}
        for status, words, wanted in rows:
            said = subprocess.run([tensorlane, *words.split()], cwd=folder, env=dict(environment, LANG="C.UTF-8"), text=True, errors="replace",
                                  capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=60)
            if said.returncode != int(status) or wanted not in said.stderr:
                problems.append(f"{words} ends with {said.returncode}, not with {status} and '{wanted}':\n{said.stderr[-600:]}")
    print("".join(f"{problem}\n" for problem in problems), f"{len(rows)} mistakes, {len(problems)} problems", sep="")
    return 1 if problems or len(rows) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
