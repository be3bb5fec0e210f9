#!/usr/bin/env python3
"""Runs the program of make_tpu_calls.py and compares what each call says with the state that the ops list claims.

    check_tpu_calls.py TENSORLANE PROGRAM tpu_functions.txt

A function of later chips, one that the chip lacks, or one without a definition, must end its launch and say so; any other does what it is for, or
ends the launch with a limit that the zeros break, and names itself.
"""
import json
import re
import subprocess
import sys

MOST_WITHOUT_DEFINITION = 5


def main():
    tensorlane, program, functions = sys.argv[1:]
    with open(functions, encoding="utf-8") as file:
        names = [line.rstrip("\n").split("\t")[1] for line in file if not line.startswith("#")]
    listed = subprocess.run([tensorlane, "ops", "--chip", "bm1684x", "--json"], check=True, capture_output=True, text=True)
    states = {op["name"]: op["state"] for op in json.loads(listed.stdout)}
    run = subprocess.run([program], capture_output=True, text=True, errors="replace", timeout=300, check=False)
    if run.returncode != 0:
        sys.exit(f"the program ends with {run.returncode}:\n{run.stderr[-2000:]}")
    says = {match[1]: match for match in re.finditer(r"^call (\w+)\n(.*?)^(done|ended) \1$", run.stderr, re.M | re.S)}

    problems = []
    for name in names:
        if name not in says:
            problems.append(f"{name}: not called")
            continue
        if name not in states:  # the chip's table leaves it out
            if says[name][3] != "ended" or f"{name} does not exist on the" not in says[name][2]:
                problems.append(f"{name}: not in the list of the chip, but the call says\n{says[name][2]}")
            continue
        text, ended, state = says[name][2], says[name][3] == "ended", states[name]
        if state.startswith("needs a later chip"):
            right = ended and f"{name} does not exist on the" in text and state.split(": ")[1] in text
        elif state == "implemented":
            right = not ended or re.search(rf"^  {name}\b", text, re.M) is not None
        else:
            right = ended and f"{name} is not implemented" in text
        if not right:
            problems.append(f"{name}: {state}, but the call says\n{text}")
    undefined = [name for name in names if states.get(name, "").startswith("not implemented")]
    if len(undefined) > MOST_WITHOUT_DEFINITION:
        problems.append(f"without a definition: {', '.join(undefined)}")
    count = {kind: sum(states[name].startswith(kind) for name in names if name in states)
             for kind in ("implemented", "needs a later chip", "not implemented")}
    print(f"{len(names)} functions: {count}")
    if problems:
        sys.exit("\n".join(problems[:20]) + f"\n{len(problems)} problems")


main()
