#!/usr/bin/env python3
"""--json has one form in every verb that has it.

    check_json.py --tensorlane PROGRAM --program CORPUS

Alone it prints JSON on standard output in the place of the text (behind what a program prints that is run), --json=FILE writes the
same beside the text, --json=- is standard output; a file behind a blank is refused, with the right spelling. A full disk and a closed standard output are no success. A verb
that has the option and no row here fails.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import verbs

# JSON stands for the option; the status, where it is not 0.
ROWS = {
    "run": ("run --quiet JSON -- true", 0),
    "diff": ("diff JSON a.jsonl b.jsonl", 1),
    "why": ("why JSON --local 0:0 --end -- ./kernel race_load_add", 0),
    "layout list": ("layout list --chip bm1684x JSON", 0),
    "layout describe": ("layout describe JSON --layout aligned --shape 1,2,3,4", 0),
    "layout identify": ("layout identify --shape 2,3,4,5 --strides 32,32,5,1 JSON", 0),
    "layout locate": ("layout locate JSON --layout aligned --shape 1,2,3,4 --index 0,1,2,3", 0),
    "layout table": ("layout table --layout aligned --shape 1,2,3,4 JSON", 0),
    "layout verify": ("layout verify JSON in.npy in.npy --to NCHW", 0),
    "layout loops": ("layout loops --from NCHW --to aligned --shape 1,2,3,4 JSON", 0),
    "layout takers": ("layout takers --layout aligned --shape 1,2,3,4 JSON", 0),
    "layout plan": ("layout plan JSON input:4,64,28,28:x2 output:4,64,28,28", 0),
    "ops": ("ops JSON okk_bdc_add", 0),
    "chips": ("chips JSON bm1684", 0),
    "conformance": (f"conformance {verbs.SOURCE}/testdata/okk --filter okk_bdc_neg JSON", 0),
    "estimate": ("estimate JSON good.jsonl.gz", 0),
    "explain": ("explain JSON TL-RACE-001", 0),
    "replay": ("replay --dry-run JSON good.jsonl.gz", 0),
    "report compare": ("report compare a.html b.html JSON", 0),
    "fit": (f"fit {verbs.SOURCE}/data/board/counters.json JSON --parameter launch", 0),
    "validate": ("validate --chip bm1684x JSON", 0),
    "verify": (f"verify {verbs.SOURCE}/tests/verify/kernels/spin.c --chip bm1684x --kernel spin --size n=3:4 --input input=fp32:n "
               f"--output output=fp32:n --reference {verbs.SOURCE}/tests/verify/reference.py:same --tries 2 JSON", 0),
    "opencl devices": ("opencl devices JSON", 0),
    "opencl verify": ("opencl verify --no-cache --layout in_out_channel --shapes 1 JSON", 0),
    "opencl bench": ("opencl bench --no-cache --layout in_out_channel --mib 1 --turns 1 JSON", 0),
}
WRONG = 2


class Table:
    def __init__(self, tensorlane, folder):
        self.tensorlane, self.folder, self.problems = tensorlane, folder, []

    def run(self, row, option, **options):
        words = [option if word == "JSON" else word for word in row.split()]
        options = {"stdout": subprocess.PIPE, **options}
        return subprocess.run([self.tensorlane, *words], cwd=self.folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False,
                              timeout=120, env=dict(os.environ, LC_ALL="C"), **options)

    def expect(self, what, said, condition):
        if not condition:
            self.problems.append(f"{what}: exit status {said.returncode}\n{said.stdout!r}\n{said.stderr!r}")

    def check(self, verb, row, status):
        file = self.folder / "out.json"
        alone, dash = self.run(row, "--json"), self.run(row, "--json=-")
        for option, said in (("--json", alone), ("--json=-", dash)):
            self.expect(f"{verb} {option}", said, said.returncode == status and is_json(said.stdout))
        said = self.run(row, "--json=out.json")
        self.expect(f"{verb} --json=FILE", said, said.returncode == status and file.exists() and is_json(file.read_bytes())
                    and not is_json(said.stdout))
        if verb != "run":  # whose text goes to standard error
            self.expect(f"{verb} --json=FILE prints the text", said, len(said.stdout) > 0)
        file.unlink(missing_ok=True)
        for apart in ("--json out.json", "--json -"):
            said = self.run(row.replace("JSON", apart), "")
            self.expect(f"{verb} {apart}", said, said.returncode == WRONG and apart.replace(" ", "=").encode() in said.stderr
                        and not file.exists())
        said = self.run(row, "--json=/dev/full")
        self.expect(f"{verb} --json=/dev/full", said, said.returncode == WRONG and b"/dev/full" in said.stderr)
        with open("/dev/full", "wb") as full:
            said = self.run(row, "--json", stdout=full)
        self.expect(f"{verb} --json > /dev/full", said, said.returncode == WRONG)
        said = self.run(row, "--json", stdout=None, preexec_fn=lambda: os.close(1))
        self.expect(f"{verb} --json >&-", said, said.returncode == WRONG)


def is_json(text):
    try:
        json.loads(re.sub(rb"^result .*\n", b"", text))  # the program's own line
        return True
    except ValueError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    tensorlane = os.path.abspath(options.tensorlane)
    offering = [verb for verb, text in verbs.leaves(tensorlane).items() if re.search(r"^ +--json\b", text, re.M)]
    with tempfile.TemporaryDirectory() as name:
        table = Table(tensorlane, pathlib.Path(name))
        verbs.scene(tensorlane, os.path.abspath(options.program), table.folder)
        table.problems = [f"{verb} has --json and no row here" for verb in offering if verb not in ROWS]
        opencl = verbs.has_opencl_device(tensorlane)
        for verb, (row, status) in ROWS.items():
            if verb.startswith("opencl ") and not opencl:
                continue
            if verb not in offering:
                table.problems.append(f"{verb} has no --json")
                continue
            table.check(verb, row, status)
    print("".join(f"{problem}\n" for problem in table.problems), f"{len(offering)} verbs, {len(table.problems)} problems", sep="")
    return 1 if table.problems else 0


if __name__ == "__main__":
    sys.exit(main())
