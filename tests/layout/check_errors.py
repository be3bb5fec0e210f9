#!/usr/bin/env python3
"""`tensorlane layout` on bad input and on outputs that fail.

Bad input gets one line on standard error, exit status 2 and leaves no file. A file that cannot be
finished leaves the old one. No answer is wrong in silence.

    check_errors.py --tensorlane PROGRAM
"""
import argparse
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile

FAILED = []


def npy(name, descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    pathlib.Path(name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def make_files():
    floats = struct.pack("<120f", *range(120))
    shape = (2, 3, 4, 5)
    npy("ok.npy", "<f4", shape, floats)
    npy("cut.npy", "<f4", shape, floats[:-4])
    npy("long.npy", "<f4", shape, floats + b"1234")
    npy("zero.npy", "<f4", (2, 0, 4, 5), b"")
    npy("huge.npy", "<f4", (1000000, 1000000, 1000, 1000), b"0" * 64)
    npy("negative.npy", "<f4", (-1, 3, 4, 5), b"0" * 64)
    npy("bool.npy", "|b1", shape, b"\1" * 120)
    npy("complex.npy", "<c8", shape, floats * 2)
    npy("object.npy", "|O", (2,), b"x" * 16)
    npy("scalar.npy", "<f4", (), floats[:4])
    npy("float64.npy", "<f8", shape, struct.pack("<120d", *range(120)))
    npy("big_endian.npy", ">f4", shape, struct.pack(">120f", *range(120)))
    npy("large.npy", "<f4", (1, 64, 32, 32), b"\0" * 262144)
    pathlib.Path("empty.npy").touch()
    pathlib.Path("text.npy").write_text("hello\n" * 30)
    os.symlink("/dev/zero", "endless.npy")


def hold(what, fact, detail=""):
    if not fact:
        FAILED.append(what)
        print(f"fails: {what}: {detail}")


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, line, **options):
        """"tensorlane layout" with the words of `line`."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60, **options}
        return subprocess.run([self.path, "layout", *line.split()], check=False, **options)

    def refused(self, line):
        before = set(os.listdir("."))
        result = self.run(line)
        lines = result.stderr.decode().count("\n")
        files = set(os.listdir(".")) - before
        hold(line, result.returncode == 2 and lines == 1 and not result.stdout and not files,
             f"exit {result.returncode}, {lines} lines, new files {sorted(files)}")

    def succeeds(self, line):
        result = self.run(line)
        hold(line, result.returncode == 0, result.stderr.decode())
        return result.stdout.decode()


def small_files():
    """In the child: no file may grow beyond 4 KiB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def check_input(program):
    for name in ("cut long zero huge negative bool complex object scalar empty text missing float64 "
                 "endless").split():
        program.refused(f"convert {name}.npy out.npy --from continuous --to aligned --quiet")
    place = "locate --layout compact --shape 1,1,1,1 --index 0,0,0,0 --address"
    program.refused(f"{place} -4")
    program.refused(f"{place} 33554432")
    program.refused("locate --layout compact --shape 1,1,1,1 --npu -1 --byte 0")
    program.refused("describe --layout aligned --shape 2,3,4,5 --npus 0")
    program.refused("describe --layout aligned --shape 2,3,4,5 --npu-bytes 0")
    program.refused("describe --layout continuous --shape 2,3,4,5 --start-npu 70")
    program.refused("describe --layout free --memory system --strides 60,20,5,1 --shape 2,3,4,5 --start-npu 1")
    program.refused("locate --layout aligned --shape 1,1,1,4 --offset 4 --index 0,0,0,0")
    program.refused("describe --layout matrix --shape 2,40 --cols-per-channel 0")
    program.refused("table --layout free --strides 1,1,1,1 --shape 1,1,2,2")


def check_conversions(program):
    same = "--from continuous --to continuous --quiet"
    program.succeeds(f"convert ok.npy expected.raw {same}")
    expected = pathlib.Path("expected.raw").read_bytes()
    for line in ("big_endian.npy got.raw", "float64.npy got.raw --to-dtype fp32", "float64.npy got.raw --dtype fp32",
                 "ok.npy got.raw --to-shape 1,1,120,1"):
        pathlib.Path("got.raw").unlink(missing_ok=True)
        program.succeeds(f"convert {line} {same}")
        hold(line, pathlib.Path("got.raw").read_bytes() == expected, "other bytes")


def check_outputs(program):
    for line in ("table --layout aligned --shape 4,64,8,8 --format csv", "describe --layout aligned --shape 4,6,8,8",
                 "draw --layout aligned --shape 4,6,8,8 --npus 4 --svg", "list", "--help"):
        with open("/dev/full", "wb") as full:
            result = program.run(line, stdout=full)
        hold(f"{line} to a full disk", result.returncode == 2 and result.stderr.count(b"\n") == 1,
             f"exit {result.returncode}, {result.stderr.decode()}")
    wrong = "describe --layout alined --shape 1,1,1,1"
    with open("/dev/full", "wb") as full:
        hold("full standard error", program.run(wrong, stderr=full).returncode == 2)
    closed = program.run(wrong, stderr=None, preexec_fn=lambda: os.close(2))
    hold("closed standard error", closed.returncode == 2, f"exit {closed.returncode}")
    closed = program.run("list", stdout=None, preexec_fn=lambda: os.close(1))
    hold("closed standard output", closed.returncode == 2, f"exit {closed.returncode}")
    for name, line in (("old.svg", "draw --layout aligned --shape 4,8,8,8 --npus 8 -o old.svg"),
                       ("old.npy", "convert large.npy old.npy --from continuous --to aligned --quiet")):
        pathlib.Path(name).write_text("old")
        before = set(os.listdir("."))
        result = program.run(line, preexec_fn=small_files)
        hold(f"{line} that cannot finish", result.returncode == 2 and set(os.listdir(".")) == before and
             pathlib.Path(name).read_text() == "old", f"exit {result.returncode}, {sorted(os.listdir('.'))}")


def check_answers(program):
    text = program.succeeds("describe --layout aligned --shape 1,1,1000,1000")
    hold("banks of a tensor that does not fit", "does not fit" in text and "banks" not in text, text)
    text = program.succeeds("describe --layout free --memory system --strides 60,20,5,1 --shape 2,3,4,5")
    hold("the rule of system memory", "NPU" not in text and "n*N + c*C + h*H + w*W" in text, text)
    # A tensor that fills its NPUs to the last byte.
    text = program.succeeds("draw --layout compact --npus 4 --npu-bytes 8192 --shape 1,4,32,64")
    hold("a picture of full NPUs", text.count("|" + "@" * 80) == 4, text)
    program.succeeds("draw --layout compact --shape 1,64,512,256")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorlane", required=True)
    program = Program(os.path.abspath(parser.parse_args().tensorlane))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        check_input(program)
        check_conversions(program)
        check_outputs(program)
        check_answers(program)
        os.chdir("/")
    sys.exit(1 if FAILED else 0)


main()
