#!/usr/bin/env python3
"""What the checks cost: the processor time of launches with each check over that without any.

    check_cost.py --build BUILD [--repeat N] [--checks all,race,...] [--markdown] [OPERATOR...]

Runs every quick case of examples/okkernel/operators/cases.h once per check, on one processor and so
on one thread, and takes the time the device's thread spent in the launch: all of the emulation and
all of the checker, none of the host's own comparison. Of N repetitions, taken in turn, the least
counts. Prints the geometric mean and the worst ratio of each check, and the worst cases of "all".
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = ["args", "values", "memory", "init", "race", "sync", "coverage", "lint", "launch", "host", "all"]


def cases(names):
    text = (ROOT / "examples/okkernel/operators/cases.h").read_text()
    for name, number, full, size in re.findall(
            r'\{"(\w+)", (\d+), [\d.]+, (true|false), "([\d,]+)"\}', text):
        if full == "false" and (not names or name in names):
            yield name, number, size


def seconds(program, case, check, report):
    """Processor seconds of the launch."""
    report.unlink(missing_ok=True)
    environment = dict(os.environ, TENSORLANE_REPORT=str(report), TENSORLANE_CHECK=check)
    subprocess.run([str(program), case[0], "--case", case[1]], env=environment, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for line in report.read_text().splitlines():
        entry = json.loads(line)
        if entry["tool"] == "statistics":
            return sum(kernel["thread_seconds"] for kernel in entry["kernels"])
    raise RuntimeError("no statistics")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--checks", default=",".join(CHECKS))
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("operators", nargs="*")
    options = parser.parse_args()
    checks = options.checks.split(",")
    program = options.build.resolve() / "examples/bin/operators"
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ratios = {check: [] for check in checks}
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        for case in cases(options.operators):
            best = dict.fromkeys(["", *checks], math.inf)
            for _ in range(options.repeat):
                for check in best:
                    best[check] = min(best[check], seconds(program, case, check, report))
            for check in checks:
                ratios[check].append((best[check] / best[""], best[""] * 1e3, " ".join(case)))
    if options.markdown:
        print("| Check | Geometric mean | Worst | Case |\n|---|---|---|---|")
    for check, values in ratios.items():
        mean = math.exp(sum(math.log(ratio) for ratio, *_ in values) / len(values))
        worst, _, case = max(values)
        if options.markdown:
            print(f"| {check} | {mean:.2f} | {worst:.2f} | {case.replace(' ', ', ', 1)} |")
        else:
            print(f"{check:9} geometric mean {mean:.3f}, worst {worst:.2f} ({case})")
    last = ratios[checks[-1]]
    print(f"{len(last)} cases; the slowest under {checks[-1]}:")
    for ratio, plain, case in sorted(last, reverse=True)[:8]:
        print(f"  {ratio:5.2f}  {plain:9.3f} ms  {case}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
