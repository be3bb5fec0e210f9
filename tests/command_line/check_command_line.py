#!/usr/bin/env python3
"""Every verb on inputs that are none, and on outputs that fail: one clear line, a documented exit status.

    check_command_line.py --tensorlane PROGRAM --program CORPUS

CORPUS is the program of tests/corpus for OKKernel: its kernels and hosts are what is run here.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

CALL = ('{"op":"bdc_matmul","output_addr":0,"left_addr":393216,"right_addr":131072,"bias_addr":0,"left_rows":256,'
        '"left_cols":768,"right_cols":1024,"left_cols_per_channel":48,"right_cols_per_channel":64,"using_bias":0,'
        '"result_add":0}')
WRONG, NOT_FOUND, NOT_STARTED = 2, 127, 126
BOARD = pathlib.Path(__file__).resolve().parent.parent.parent / "data/board"
# A wrong command of every verb.
MISTAKES = ["run --bogus -- true", "run", "layout list --chip nope", "layout describe --layout alined --shape 1,1,1,1",
            "layout locate --layout aligned --shape 1", "layout table --shape 1,1,1,1", "layout draw --layout aligned --shape x",
            "layout convert missing.npy out.npy --from continuous --to aligned", "layout verify missing.npy in.npy --to NCHW",
            "layout gallery /dev/null/x", "ops nope",
            "chips nope", "conformance missing", "estimate missing", "diff missing missing", "diff good.jsonl", "diff -- true",
            "run --print x: -- true", "run --dump a.c:7 -- true", "run --watch x -- true", "run --watch-break -- true",
            "run --dump f=missing/x.npy -- true", "run --log missing/x.jsonl -- true", "explain nope", "replay missing", "validate --data missing",
            "opencl devices --bogus", "nope", "tune", "verify", "verify a.c --chip bm1684", "tune a.c --chip bm1684", "spread", "spread --shards x -- true",
            "conformance missing --shard 3/2", "replay good.jsonl --shard 0/1", "replay good.jsonl --merge missing"]
# Commands that print, and those that write a file (FILE): to a full disk.
PRINTING = ["layout list", "ops", "ops okk_bdc_add", "chips", "chips --json", "explain TL-RACE-001", "estimate good.jsonl",
            "estimate --json good.jsonl", "replay good.jsonl", "--help", "run --help"]
WRITING = ["layout draw --layout aligned --shape 1,2,3,4 -o FILE", "validate --json=FILE", "validate --svg FILE",
           f"conformance {pathlib.Path(__file__).resolve().parents[2]}/testdata/okk --filter okk_bdc_neg --quiet --json=FILE",
           "replay good.jsonl --results FILE"]
WRITING_TENSORS = ["layout convert in.npy FILE --from continuous --to aligned"]
# The same of OpenCL devices, where there are some.
OPENCL_WRITING = ["opencl devices --json=FILE", "opencl verify --layout in_out_channel --shapes 1 --json=FILE",
                  "opencl bench --layout in_out_channel --mib 1 --turns 1 --json=FILE"]
OPENCL_WRITING_TENSORS = ["opencl pack in.npy FILE --layout in_out_channel"]


class Runner:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.count, self.problems = 0, []

    def run(self, words, environment=None, **options):
        outer = {key: value for key, value in os.environ.items() if not key.startswith("TENSORLANE_")}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        words = words.split() if isinstance(words, str) else words
        return subprocess.run([self.program, *words], cwd=self.folder, env={**outer, **(environment or {})},
                              stdin=subprocess.DEVNULL, timeout=60, check=False, **options)

    def expect(self, what, said, condition):
        self.count += 1
        if not condition:
            self.problems.append(f"{what}: exit status {said.returncode}\n{said.stdout!r}\n{said.stderr!r}")

    def refused(self, words, part=b"", status=WRONG, lines=1, **options):
        said = self.run(words, **options)
        name = words if isinstance(words, str) else " ".join(words)
        self.expect(name[:200], said, said.returncode == status and said.stderr.count(b"\n") <= lines and part in said.stderr
                    and b"filesystem error" not in said.stderr)


def check_recordings(runner):
    folder = pathlib.Path(runner.folder)
    (folder / "good.jsonl").write_text(CALL + "\n")
    for field in json.loads(CALL):
        if field == "op":
            continue
        (folder / "null.jsonl").write_text(json.dumps({**json.loads(CALL), field: None}) + "\n")
        for verb in ("estimate", "replay"):
            runner.refused(f"{verb} null.jsonl", b"a number is expected, not null")
    for number in ("4294967296", "-2147483649", "9223372036854775807", "18446744073709551615"):
        (folder / "large.jsonl").write_text(CALL.replace("256", number) + "\n")
        for verb in ("estimate", "replay"):
            runner.refused(f"{verb} large.jsonl", b"does not fit into 32 bits")
    deep = "[" * 100000
    for text in (deep, CALL.replace("256", deep), CALL.replace("256", '{"a":' * 100000), "null", "[]", '{"op":null}', '"x"', "{"):
        (folder / "strange.jsonl").write_text(text + "\n")
        for verb in ("estimate", "replay"):
            runner.refused(f"{verb} strange.jsonl", b"strange.jsonl:1")
    for path in sorted(BOARD.glob("*.json")):
        shutil.rmtree(folder / "data", ignore_errors=True)
        shutil.copytree(BOARD, folder / "data")
        (folder / "data" / path.name).write_text(deep)
        runner.refused("validate --data data", path.name.encode())


def check_two_devices(runner, corpus):
    """The launches of each device and each of its launches have files of their own."""
    said = runner.run(["run", "--quiet", "--record", "calls.jsonl", "--profile", "profile.json", "--", corpus,
                       "second_device_not_filled"])
    recordings = sorted(path.name for path in pathlib.Path(runner.folder).glob("calls*"))
    runner.expect("--record with two devices", said, recordings == ["calls.2.jsonl", "calls.jsonl"])
    for name in recordings:
        again = runner.run(f"replay {name}")
        runner.expect(f"replay {name}", again, again.returncode == 0)
    profiles = sorted(path.name for path in pathlib.Path(runner.folder).glob("profile*"))
    runner.expect("--profile with two devices", said, profiles == ["profile.2.json", "profile.json"])


def check_programs(runner, corpus):
    """Names of 300 characters, in one piece or not; programs that are none."""
    long_name = "x" * 300
    runner.refused(["run", "--", long_name], b"File name too long", NOT_STARTED)
    runner.refused(["run", "--", "./" + long_name], b"File name too long", NOT_STARTED)
    runner.refused(["run", "--", "./missing"], b"No such file", NOT_FOUND)
    runner.refused(["run", "--", "."], b"it is a folder", NOT_STARTED)
    place = pathlib.Path(runner.folder, "d" * 200)
    place.mkdir()
    shutil.copy(corpus, place / ("p" * 200))
    said = runner.run(["run", "--json=long.json", "--", str(place / ("p" * 200)), "no_poll"])
    runner.expect("a program whose path has 400 characters", said, said.returncode == 3 and b"error TL-SYNC-005" in said.stderr)
    for option in ("--json", "--sarif", "--profile", "--trace", "--record", "--report"):
        runner.refused(["run", f"{option}={long_name}/file", "--", "true"], b"cannot be written")
    said = runner.run(["run", "--", corpus, "no_poll"], environment={"TMPDIR": "/no/such/folder"})
    runner.expect("TMPDIR that is missing", said, said.returncode == 3 and b"error TL-SYNC-005" in said.stderr)


def write_tensor(path, shape):
    """Zeros of fp32 in NumPy's format."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(4 * math.prod(shape)))


def check_outputs(runner, corpus):
    for words in MISTAKES:
        runner.refused(words, lines=3)
        closed = runner.run(words, stderr=None, preexec_fn=lambda: os.close(2))
        runner.expect(f"{words} with standard error closed", closed, closed.returncode == WRONG)
        with open("/dev/full", "wb") as full:
            said = runner.run(words, stderr=full)
        runner.expect(f"{words} with standard error full", said, said.returncode == WRONG)
    said = runner.run(["run", "--", corpus, "no_poll"], stderr=None, preexec_fn=lambda: os.close(2))
    runner.expect("a finding with standard error closed", said, said.returncode == 3)
    for words in PRINTING:
        with open("/dev/full", "wb") as full:
            said = runner.run(words, stdout=full)
        runner.expect(f"{words} > /dev/full", said, said.returncode == WRONG and said.stderr.count(b"\n") == 1)
        closed = runner.run(words, stdout=None, preexec_fn=lambda: os.close(1))
        runner.expect(f"{words} >&-", closed, closed.returncode == WRONG)
    check_files(runner)


def check_files(runner):
    """Every option and argument that names a file to be written, and every format of tensors, by its ending."""
    folder = pathlib.Path(runner.folder)
    write_tensor(folder / "in.npy", (1, 2, 3, 4))
    devices = runner.run("opencl devices")
    with_devices = devices.returncode == 0 and b"platform" in devices.stdout
    for words in WRITING + with_devices * OPENCL_WRITING:
        for file in ("/dev/full", "/no/such/folder/file", "."):
            runner.refused(words.replace("FILE", file), file.encode())
    for ending in ("npy", "npz", "safetensors", "raw", "bin"):
        (folder / f"full.{ending}").symlink_to("/dev/full")
        for words in WRITING_TENSORS + with_devices * OPENCL_WRITING_TENSORS:
            runner.refused(words.replace("FILE", f"full.{ending}"), b"/dev/full")
            runner.refused(words.replace("FILE", f"/no/such/folder/file.{ending}"), b"/no/such/folder")
    runner.refused("layout gallery /dev/full", b"/dev/full")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    corpus = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(os.path.abspath(options.tensorlane), folder)
        check_recordings(runner)
        check_two_devices(runner, corpus)
        check_programs(runner, corpus)
        check_outputs(runner, corpus)
    print("".join(f"{problem}\n" for problem in runner.problems),
          f"{runner.count} expectations, {len(runner.problems)} not met", sep="")
    return 1 if runner.problems else 0


if __name__ == "__main__":
    sys.exit(main())
