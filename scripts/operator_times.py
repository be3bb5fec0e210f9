#!/usr/bin/env python3
"""Modelled times of examples/okkernel/operators beside the published ones: docs/operators.md.

  scripts/operator_times.py            print the tables
  scripts/operator_times.py --write    renew them in docs/operators.md; with all sizes, so some minutes
  scripts/operator_times.py --check    compare the page with a run of the sizes that take seconds
  --build DIR                          where TensorLane is built (default: build/release)

Kernels run dry: nothing is computed, the times are those of a full run (tests/clock).
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/operators.md"
BEGIN, END = "<!-- begin: operator_times.py -->\n", "<!-- end: operator_times.py -->\n"


def published_cases():
    """(operator, case) -> published microseconds, in the order of the tables."""
    with open(ROOT / "data/board/published.json") as file:
        cases = json.load(file)["cases"]
    return {(c["operator"], c["case"]): c["published_us"] for c in cases}


def recorded_times(tensorlane):
    """(operator, case) -> modelled microseconds of the fastest recorded kernel."""
    files = sorted(map(str, (ROOT / "data/board/recordings").iterdir()))
    rows = json.loads(subprocess.run([tensorlane, "estimate", "--json", *files], check=True,
                                     stdout=subprocess.PIPE).stdout)
    times = {}
    for row in rows:
        op, case = pathlib.Path(row["file"]).name.split("_")[:2]
        key = op, int(case)
        times[key] = min(row["modelled_us"], times.get(key, math.inf))
    return times


def own_times(tensorlane, operators, full):
    """(operator, case) -> size and profile of our kernel's launch."""
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile.json"
        out = subprocess.run(
            [tensorlane, "run", "--quiet", "--dry-run", "--profile", profile, "--", operators,
             "--full" if full else "--all", "--only-launch"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        launches = json.loads(profile.read_text())["launches"]
    cases = re.findall(r"^(\w+) +(\d+) +(\S+) +pass:", out, re.MULTILINE)
    assert len(cases) == len(launches), "one launch per case is expected"
    return {(op, int(case)): (size, launch) for (op, case, size), launch in zip(cases, launches)}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def tables(published, recorded, own):
    operators = list(dict.fromkeys(op for op, case in published))
    times = {key: own[key][1]["modelled_host_us"] for key in published}
    text = ("| operator | sizes | published / ours, geometric mean | least | most | ours is faster | "
            "ours takes up to 1.2 times as long |\n|---|---|---|---|---|---|---|\n")
    for op in [*operators, "all"]:
        ratios = [published[key] / times[key] for key in published if op in (key[0], "all")]
        text += (f"| {op} | {len(ratios)} | {geometric_mean(ratios):.2f} | {min(ratios):.2f} | "
                 f"{max(ratios):.2f} | {sum(r > 1 for r in ratios)} | {sum(r > 1 / 1.2 for r in ratios)} |\n")
    for op in operators:
        text += (f"\n## {op}\n\n| case | size | published us | fastest recorded kernel, modelled us | "
                 "ours, modelled us | published / ours | ours is bound by |\n"
                 "|---|---|---|---|---|---|---|\n")
        for key, best in published.items():
            if key[0] != op:
                continue
            size, launch = own[key]
            other = f"{recorded[key]:.0f}" if key in recorded else ""
            text += (f"| {op} {key[1]} | {size.replace(',', ', ')} | {best} | {other} | {times[key]:.0f} | "
                     f"{best / times[key]:.2f} | {launch['bound_by']} |\n")
    return text


def check(published, own):
    """Rows of the page that differ from the run by more than 1 %."""
    rows = re.findall(r"^\| (\w+) (\d+) \|[^|]*\| [^|]* \|[^|]*\| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    stated = {(op, int(case)): float(us) for op, case, us in rows}
    wrong = [f"{op} {case}: no row" for op, case in published if (op, case) not in stated]
    for key, (size, launch) in own.items():
        us = launch["modelled_host_us"]
        if key in stated and abs(stated[key] - us) > 0.01 * us + 0.5:
            wrong.append(f"{key[0]} {key[1]}: the page says {stated[key]:.0f} us, the run {us:.1f} us")
    if wrong:
        sys.exit("\n".join([*wrong, "renew the page: scripts/operator_times.py --write"]))
    print(f"{sum(key in stated for key in own)} of {len(stated)} rows compared")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    tensorlane = options.build / "tools/tensorlane/tensorlane"
    published = published_cases()
    own = own_times(tensorlane, options.build / "examples/bin/operators", full=not options.check)
    if options.check:
        return check(published, own)
    text = tables(published, recorded_times(tensorlane), own)
    if options.write:
        page = PAGE.read_text()
        begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(page[:begin] + text + page[end:])
    else:
        print(text, end="")


main()
