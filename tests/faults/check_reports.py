#!/usr/bin/env python3
"""Whatever goes wrong with the files of a run, the findings are said and the exit status is not 0.

    check_reports.py --tensorlane PROGRAM --library FOLDER
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SDK = HERE.parent.parent / "sdk/okkernel/include"
FILES = ("--json", "--sarif", "--report", "--profile", "--trace", "--record")
FOUND, LOST = 3, 2


def compile_program(options, folder):
    """In a folder whose name is not UTF-8, and so is what the debug information calls its files."""
    folder = os.path.join(os.fsencode(folder), b"kernels-\xff\xfe")
    os.mkdir(folder)
    for name in ("kernels.c", "host.c"):
        with open(os.path.join(folder, name.encode()), "wb") as copy:
            copy.write((HERE / name).read_bytes())
    program = os.path.join(folder, b"program")
    subprocess.run([options.cc, "-std=gnu11", "-g", "-DUSING_CMODEL", "-I", str(SDK), "-DWITHOUT_CLOSED", "-o", program,
                    os.path.join(folder, b"kernels.c"), os.path.join(folder, b"host.c"), "-L", options.library,
                    "-lbmlib", f"-Wl,-rpath,{options.library}", "-lpthread"], check=True)
    return program


class Runner:
    def __init__(self, options, program, folder):
        self.options, self.program, self.folder = options, program, folder
        self.count, self.problems = 0, []

    def run(self, kernel, *words, environment=None):
        words = [self.options.tensorlane, "run", *words, "--", self.program, kernel]
        outer = {key: value for key, value in os.environ.items() if not key.startswith("TENSORLANE_")}
        return subprocess.run(words, cwd=self.folder, env={**outer, **(environment or {})}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False)

    def expect(self, what, said, condition):
        self.count += 1
        if not condition:
            self.problems.append(f"{what}: exit status {said.returncode}\n{said.stdout!r}\n{said.stderr!r}")


def shows_the_crash(said):
    return b"error TL-LAUNCH-002:" in said.stderr and b"error TL-ARGS-002:" in said.stderr


def documents(text):
    """The JSON documents that follow the program's own lines."""
    decoder, found = json.JSONDecoder(), []
    text = text[text.index("{"):]
    while text.strip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:].lstrip()
    return found


def check(runner):
    # Names that are not UTF-8.
    words = [f"{file}={file[2:]}.json" for file in FILES]
    said = runner.run("null_write", *words)
    runner.expect("a name that is not UTF-8", said, said.returncode == FOUND and shows_the_crash(said))
    for file in FILES:
        path = pathlib.Path(runner.folder, file[2:] + ".json")
        try:
            for line in [path.read_text()] if file != "--record" else path.read_text().splitlines():
                json.loads(line)
            good = True
        except ValueError:
            good = False
        runner.expect(f"{file} with a name that is not UTF-8", said, good)

    # Files that cannot be written.
    for file in FILES:
        said = runner.run("null_write", f"{file}=/dev/full")
        runner.expect(f"{file} on a full disk", said, said.returncode == LOST and shows_the_crash(said))
        said = runner.run("good", f"{file}=/dev/full")
        runner.expect(f"{file} on a full disk", said, said.returncode == LOST and b"/dev/full" in said.stderr)
        said = runner.run("good", f"{file}=/no/such/folder/file")
        runner.expect(f"{file} into no folder", said, said.returncode == LOST and b"launch good" not in said.stdout)
    said = runner.run("good", "--report", "/dev/full/page.html")
    runner.expect("--report page", said, said.returncode == LOST)

    # No place for temporary files.
    for place in ("/no/such/folder", "/proc"):
        said = runner.run("null_write", environment={"TMPDIR": place})
        runner.expect(f"TMPDIR={place}", said, said.returncode == FOUND and shows_the_crash(said))
    said = runner.run("null_write", environment={"TENSORLANE_REPORT": "/dev/full"})
    runner.expect("another report", said, said.returncode == FOUND and shows_the_crash(said))

    # Standard output.
    for file in FILES:
        said = runner.run("good", f"{file}=-")
        text = said.stdout.decode(errors="replace")
        runner.expect(f"{file}=-", said, said.returncode == 0 and text.startswith("launch good\n")
                      and (file == "--trace" or documents(text)))
    said = runner.run("null_write", "--json", "--sarif", "-")
    findings, sarif = documents(said.stdout.decode())
    runner.expect("--json --sarif -", said, said.returncode == FOUND and len(findings["findings"]) >= 2
                  and not sarif["runs"][0]["invocations"][0]["executionSuccessful"])

    # Options.
    for words in (("--error-exitcode", "300"), ("--error-exitcode", "-1"), ("--suppressions", "/no/such/file"),
                  ("--timeout", "-1"), ("--check=bogus",)):
        said = runner.run("good", *words)
        runner.expect(" ".join(words), said, said.returncode == LOST and b"launch good" not in said.stdout
                      and len(said.stderr.splitlines()) == 1)
    said = runner.run("null_write", "--error-exitcode", "44")
    runner.expect("--error-exitcode", said, said.returncode == 44)
    switches = ("DRY_RUN", "ADVICE", "TIME")
    plain = runner.run("good", "--quiet")
    for switch in switches:
        program = [os.fsencode(runner.program), b"good"]
        said = subprocess.run(program, env={**os.environ, f"TENSORLANE_{switch}": "0"}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        runner.expect(f"TENSORLANE_{switch}=0", said, said.stdout == plain.stdout and said.stderr == plain.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    options.tensorlane, options.library = map(os.path.abspath, (options.tensorlane, options.library))
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, compile_program(options, folder), folder)
        check(runner)
    print("".join(f"{problem}\n" for problem in runner.problems),
          f"{runner.count} expectations, {len(runner.problems)} not met", sep="")
    return 1 if runner.problems else 0


if __name__ == "__main__":
    sys.exit(main())
