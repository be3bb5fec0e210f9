#!/usr/bin/env python3
"""What the clock costs: the operator examples with and without it, side by side in one run.

  bench/clock_cost.py [--build build/release] [--rounds 5]

Every round launches every size of the operators that takes seconds at most without observers, with
--time, and dry; the least time of the rounds counts for each, as the program itself measures it
around the launch. Ratios are of the same machine and the same minutes.
"""
import argparse
import math
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = {"plain": {}, "time": {"TENSORLANE_TIME": "1"}, "dry": {"TENSORLANE_DRY_RUN": "1"}}
# Where data dominates: what takes this long without observers. Choosing tiles takes some
# milliseconds in any mode.
DATA_MS = 10


def launch_times(build, mode):
    """(operator, case) -> milliseconds of the launch."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(build / "sdk"), **MODES[mode]}
    out = subprocess.run([build / "examples/bin/operators", "--all", "--only-launch"], env=environment, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return {(op, int(case)): float(ms)
            for op, case, ms in re.findall(r"^(\w+) +(\d+) .*launched, ([0-9.]+) ms", out, re.MULTILINE)}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--rounds", default=5, type=int)
    options = parser.parse_args()
    best = {mode: {} for mode in MODES}
    for _ in range(options.rounds):
        for mode in MODES:
            for key, ms in launch_times(options.build, mode).items():
                best[mode][key] = min(ms, best[mode].get(key, math.inf))
    plain, timed, dry = (best[mode] for mode in MODES)
    measurable = [key for key in plain if key[1] < 100]  # the published sizes
    print("| operator | sizes | --time / no observer, geometric mean | no observer / --dry-run where data dominates |")
    print("|---|---|---|---|")
    for op in [*dict.fromkeys(op for op, case in measurable), "all"]:
        keys = [key for key in measurable if op in (key[0], "all")]
        heavy = [key for key in keys if plain[key] >= DATA_MS]
        ratios = [plain[key] / max(dry[key], 1e-3) for key in heavy]
        dry_text = (f"{geometric_mean(ratios):.0f} ({len(heavy)} sizes, {min(ratios):.0f} to {max(ratios):.0f})"
                    if heavy else f"no size takes {DATA_MS} ms")
        print(f"| {op} | {len(keys)} | {geometric_mean([timed[key] / plain[key] for key in keys]):.3f} | {dry_text} |")


main()
