#!/usr/bin/env python3
"""Counts the right programs of the corpus of which `tensorlane why` marks a line as breaking a pattern.

Asked is the first element that the host reads, of every silent case that reads something. What is listed as confirmed by nothing does
not count: right kernels have that, too.

    check_right_programs.py --tensorlane FILE --okkernel PROGRAM --tpukernel PROGRAM
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "corpus"))
import check_corpus  # noqa: E402

MOST_MARKED, FEWEST_ASKED = 8, 240


def strong_marks(options, case):
    """Of a case; None where the host reads nothing."""
    program = options.okkernel if case.system == "okkernel" else options.tpukernel
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSORLANE_")}
    environment["LANG"] = "C.UTF-8"
    words = [options.tensorlane, "why", "--json", "--element", "read:0[0]", "--", program, case.name, *case.run]
    answer = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)
    begin = answer.stdout.find("\n{") if not answer.stdout.startswith("{") else 0
    if answer.returncode != 0 or begin < 0:
        return None
    suspects = json.loads(answer.stdout[begin:])["suspects"]
    return [f"{each['location']['line']} {each['call']}: {each['text']}" for each in suspects if not each.get("weak", False)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tensorlane", "okkernel", "tpukernel"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    cases = [case for system in ("okkernel", "tpukernel") for case in check_corpus.cases_of(system) if case.silent]
    asked, marked = 0, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, marks in zip(cases, pool.map(lambda case: strong_marks(options, case), cases)):
            asked += marks is not None
            marked += bool(marks)
            if marks:
                print(case.key, *marks, sep="\n    ")
    print(f"{asked} right programs, {marked} with marks")
    return 0 if asked >= FEWEST_ASKED and marked <= MOST_MARKED else 1


if __name__ == "__main__":
    sys.exit(main())
