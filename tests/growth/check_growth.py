#!/usr/bin/env python3
"""Memory of the tools does not grow with launches and commands.

grow.c is run with each tool, with many short launches and with few long ones. What it takes between a
third of the launches and the end is bounded, whatever the number of launches.

    check_growth.py --tensorlane PROGRAM --grow PROGRAM
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

TOOLS = {
    "nothing": ["--check=none"],
    "the checks": ["--check=all,lint,nan"],
    "--profile": ["--check=none", "--profile", "profile.json"],
    "--trace as JSON": ["--check=none", "--trace", "trace.json"],
    "--trace for Perfetto": ["--check=none", "--trace", "trace.pftrace"],
    "--report": ["--check=none", "--report", "page.html"],
}
# launches, commands of each, kilobytes between a third of the launches and the end
SHORT = (6000, 8, 6000)
LONG = (3, 60000, 60000)


def growth(options, folder, words, launches, commands):
    said = subprocess.run([options.tensorlane, "run", "--quiet", *words, "--", options.grow, str(launches), str(commands)],
                          cwd=folder, text=True, timeout=300, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if said.returncode != 0:
        sys.exit(f"{words}: exit status {said.returncode}\n{said.stderr}")
    then, now = map(int, said.stdout.split())
    return then, now


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--grow", required=True)
    options = parser.parse_args()
    options.tensorlane, options.grow = (str(pathlib.Path(path).resolve()) for path in (options.tensorlane, options.grow))
    problems = 0
    with tempfile.TemporaryDirectory() as folder:
        for tool, words in TOOLS.items():
            for launches, commands, most in (SHORT, LONG):
                then, now = growth(options, folder, words, launches, commands)
                bad = now - then > most
                problems += bad
                print(f"{tool}, {launches} launches of {commands} commands: {then} KB, then {now} KB"
                      f"{f', more than {most} KB added' if bad else ''}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
