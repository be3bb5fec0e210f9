#!/usr/bin/env python3
"""What --profile says that a remedy wins, and what it wins: check_remedies.py TENSORLANE PROGRAM SOURCE [PAGE]

Every kernel NAME of the source stands below `// remedy: ID` and has a kernel NAME_cured beside it that does the same
without what ID names; with `// remedy: ID, prebuilt` the cure is --launch-mode prebuilt. What was foretold by itself and
what was won agree within 10 %, the reason is the first one unless the comment goes on with `, not first`, and no launch
has reasons that add up to more than itself. The table between `<!-- remedies: CHIP -->` and `<!-- end -->` of the PAGE is
what comes out here; with --write it is brought up to date.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

NEAR = 0.10  # the promise


def launches(tensorlane, program, names, *options):
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile.json")
        subprocess.run([tensorlane, "run", "--quiet", "--check=none", "--dry-run", *options, "--profile", profile, "--",
                        program, *names], check=True)
        with open(profile) as file:
            return {launch["kernel"]: launch for launch in json.load(file)["launches"]}


def cases_of(source):
    remedy, cases = None, []
    with open(source) as file:
        for line in file:
            if marked := re.match(r"// remedy: (.+)$", line):
                remedy = marked[1].split(", ")
            elif remedy and (begun := re.match(r"(?:static )?void (\w+)\(const void\* args\)", line)):
                cases.append((begun[1], remedy[0], "prebuilt" in remedy, "not first" not in remedy))
                remedy = None
    return cases


def table_of(rows):
    return "\n".join(["| kernel | remedy | us before | foretold | won | off by |", "|---|---|---|---|---|---|",
                      *(f"| {name} | {id} | {before:.1f} | {foretold:.1f} | {won:.1f} | {100 * (foretold / won - 1):+.1f} % |"
                        for name, id, before, foretold, won in rows)])


def main():
    write = "--write" in sys.argv
    tensorlane, program, source, *pages = [word for word in sys.argv[1:] if word != "--write"]
    cases = cases_of(source)
    names = [name for name, _, _, _ in cases] + [f"{name}_cured" for name, _, prebuilt, _ in cases if not prebuilt]
    issued = launches(tensorlane, program, names)
    prebuilt_of = launches(tensorlane, program, [name for name, _, prebuilt, _ in cases if prebuilt] or names[:1],
                           "--launch-mode", "prebuilt")
    assert len(cases) >= 11, len(cases)
    rows, wrong = [], []
    for name, id, prebuilt, first in cases:
        before, after = issued[name], prebuilt_of[name] if prebuilt else issued[f"{name}_cured"]
        won = before["modelled_us"] - after["modelled_us"]
        said = {reason["id"]: reason for reason in before["why"]}
        foretold = said[id]["alone_us"] if id in said else 0
        rows.append((name, id, before["modelled_us"], foretold, won))
        if abs(foretold - won) > NEAR * won:
            wrong.append(f"{name}: {id} was to win {foretold:.2f} us and won {won:.2f} of {before['modelled_us']:.2f}")
        if first and before["why"][0]["id"] != id:
            wrong.append(f"{name}: the first reason is {before['why'][0]['id']} and not {id}")
    for launch in issued.values():
        if sum(reason["lost_us"] for reason in launch["why"]) > launch["modelled_us"] * (1 + 1e-9):
            wrong.append(f"{launch['kernel']}: the reasons add up to more than the launch")
    table = table_of(rows)
    print(table)
    chip = issued[cases[0][0]]["chip"]
    for page in pages:
        with open(page) as file:
            text = file.read()
        begin, end = f"<!-- remedies: {chip} -->\n", "\n<!-- end -->"
        at = text.index(begin) + len(begin)
        until = text.index(end, at)
        if write:
            with open(page, "w") as file:
                file.write(text[:at] + table + text[until:])
        elif text[at:until] != table:
            wrong.append(f"{page} has another table; check_remedies.py ... --write renews it")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
