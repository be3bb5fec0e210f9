#!/usr/bin/env python3
"""Names what fell by more than a tenth between two builds: every function of the ops lists, each beside its peer in the same run.

    cmake --preset bench && cmake --build --preset bench --target ops_bench        (in both trees)
    bench/compare.py OLD NEW [--rounds N] [--seconds S] [--filter REGEX] [--leave-out REGEX] [--tenth SHARE] [--json FILE]

OLD and NEW are build folders. Their programs run in turn, a few functions at a time, so that what else the machine does meets
both; a case's figure is the median over the rounds of ours against the peer. A case fell when that did and its own time rose as much:
each program has peers of its own, whose loops the linker may have put where they run twice as fast. What seems to have fallen is
measured again with three times the rounds before it is named. Ends with status 1 when a case fell. A group whose
geometric mean fell by more than a tenth has (!).
"""
import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys

import functions

AT_ONCE = 24  # functions that one run of a program measures


def names(build, pattern):
    """The functions that this build measures."""
    listed = subprocess.run([build / "bench" / "ops_bench", "--list", "--filter", pattern], check=True, text=True, stdout=subprocess.PIPE)
    return list(dict.fromkeys(re.findall(r"\b(?:okk|tpu)_\w+", listed.stdout)))


GROUPS = {}  # of each function, as docs/speed.md has them


def measured(builds, wanted, rounds, seconds):
    """Per case (ratio, own time) of both builds, a list each."""
    found = collections.defaultdict(lambda: ([], []))
    for start in range(0, len(wanted), AT_ONCE):
        pattern = f"^({'|'.join(wanted[start:start + AT_ONCE])})$"
        for number in range(rounds):
            # Who comes first takes turns too.
            for which in ((0, 1) if number % 2 == 0 else (1, 0)):
                for row in functions.measure(builds[which], seconds, pattern, False):
                    if "ratio" in row:
                        GROUPS[row["function"]] = f"{row['chip']} {row['group']}"
                        found[functions.case_of(row)][which].append((row["ratio"], row["ours_us"]))
    return {case: both for case, both in found.items() if all(both)}


def changes(found):
    """Per case how much faster the new build is, beside the peer or by itself: 1 is the same, 0.9 a tenth slower."""
    return {case: max(ratio(new) / ratio(old), own_us(old) / own_us(new)) for case, (old, new) in found.items()}


def ratio(rounds):
    return statistics.median(each[0] for each in rounds)


def own_us(rounds):
    return statistics.median(each[1] for each in rounds)


def print_groups(found):
    """Geometric means of the ratios of each group of functions, old and new, at each size."""
    print("\n| functions |" + "".join(f" {size} old | new |" for size in functions.SIZES))
    print("|---|" + "---:|---:|" * len(functions.SIZES))
    for group in sorted(set(GROUPS.values())):
        line = f"| {group} |"
        for size in functions.SIZES:
            cases = [case for case in found if case[2] == size and GROUPS[case[0]] == group]
            before, after = (functions.mean([ratio(found[case][k]) for case in cases]) if cases else 1 for k in (0, 1))
            line += f" {before:.2f} | {after:.2f}{' (!)' if after < 0.9 * before else ''} |" if cases else " | |"
        print(line)
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.02, help="of each case (default 0.02)")
    parser.add_argument("--filter", default=".", help="regular expression: functions to measure")
    parser.add_argument("--leave-out", help="regular expression: functions not to measure, those with a peer of seconds, say")
    parser.add_argument("--tenth", type=float, default=0.1, help="what counts as fallen (default 0.1)")
    parser.add_argument("--json", type=pathlib.Path, help="write every case's figures to this file")
    options = parser.parse_args()
    builds = options.old, options.new
    old, new = (names(build, options.filter) for build in builds)
    only = sorted(set(old) ^ set(new))
    if only:
        print("in one of the two alone:", " ".join(only))
    wanted = [name for name in new if name in old and not (options.leave_out and re.search(options.leave_out, name))]
    found = measured(builds, wanted, options.rounds, options.seconds)
    suspects = sorted({case[0] for case, change in changes(found).items() if change < 1 - options.tenth})
    if suspects:
        print(f"measured again: {' '.join(suspects)}", file=sys.stderr, flush=True)
        found.update(measured(builds, suspects, 3 * options.rounds, options.seconds))
    change = changes(found)
    if options.json:
        options.json.write_text(json.dumps([{"function": case[0], "types": case[1], "size": case[2], "old": both[0], "new": both[1]}
                                            for case, both in sorted(found.items())], indent=0) + "\n", encoding="utf-8")
    print("| size | cases | old | new | new / old | fell | peer faster |\n|---|---:|---:|---:|---:|---:|---:|")
    for size in functions.SIZES:
        cases = [case for case in found if case[2] == size]
        if cases:
            before, after = (functions.mean([ratio(found[case][k]) for case in cases]) for k in (0, 1))
            fallen = sum(change[case] < 1 - options.tenth for case in cases)
            faster = sum(ratio(found[case][1]) < (1 - options.tenth) * ratio(found[case][0]) for case in cases) - fallen
            print(f"| {size} | {len(cases)} | {before:.3f} | {after:.3f} | {after / before:.3f} | {fallen} | {faster} |")
    print_groups(found)
    fallen = sorted((change[case], case) for case in found if change[case] < 1 - options.tenth)
    for by, (function, types, size) in fallen:
        print(f"{by:.2f} {function} {types} {size}")
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
