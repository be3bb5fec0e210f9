#!/usr/bin/env python3
"""What `tensorlane why` costs: the first run of a question against plain runs of the same program.

    why_cost.py --build BUILD [--repeat N] [--markdown] [OPERATOR CASE]...

Asks for one element that the host reads back, of cases of examples/okkernel/operators/cases.h (without a choice the largest convolution and a
large product of matrices), on one processor and so on one thread. "launches": processor time of the device's thread in the launches,
which is all of the emulation and of what watches it; of N repetitions the least. "answer": user time that the process takes beside
that, less what a plain one does. "memory": the largest resident set.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

CASES = [("conv2d", "13"), ("matmul", "5")]
QUESTION = {"name": "read:0", "read": 0, "element": [12345]}
RUNS = {"plain": {}, "checks": {"TENSORLANE_CHECK": "all"}, "why": {"TENSORLANE_WHY": json.dumps(QUESTION)}}


def measure(build, case, variables, report):
    """Seconds in launches, user seconds beside them, bytes of memory, and the steps of the answer."""
    report.unlink(missing_ok=True)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(build / "sdk/run"), TENSORLANE_REPORT=str(report), **variables)
    process = subprocess.Popen([build / "examples/bin/operators", case[0], "--case", case[1]], env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"{case} ends with {status}")
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    launches = sum(kernel["thread_seconds"] for line in lines if line["tool"] == "statistics" for kernel in line["kernels"])
    steps = [step for line in lines if line["tool"] == "why" for step in line["steps"]]
    return launches, usage.ru_utime - launches, usage.ru_maxrss * 1024, steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("cases", nargs="*", help="OPERATOR CASE, as often as wanted")
    options = parser.parse_args()
    build = options.build.resolve()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cases = list(zip(options.cases[::2], options.cases[1::2])) or CASES
    if options.markdown:
        print("| Case | plain | with all checks | why, first run | answer | steps | memory, plain and why |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        for case in cases:
            best = dict.fromkeys(RUNS, (math.inf, math.inf, 0, []))
            for _ in range(options.repeat):
                for name, variables in RUNS.items():
                    best[name] = min(best[name], measure(build, case, variables, report), key=lambda found: found[0])
            plain, checks, why = best["plain"], best["checks"], best["why"]
            if any(step["kind"] == "open" for step in why[3]):
                print(f"{' '.join(case)}: the past did not fit, a second run would follow", file=sys.stderr)
            row = [", ".join(case), f"{plain[0]:.3f} s", f"{checks[0]:.3f} s, {checks[0] / plain[0]:.2f}",
                   f"{why[0]:.3f} s, {why[0] / plain[0]:.2f}", f"{max(0, why[1] - plain[1]):.2f} s", str(len(why[3])),
                   f"{plain[2] >> 20} and {why[2] >> 20} MiB"]
            print(f"| {' | '.join(row)} |" if options.markdown else "   ".join(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
