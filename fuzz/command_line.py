#!/usr/bin/env python3
"""Fuzzes the command line: every verb, with the options that its --help names and values that nobody asked for.

    command_line.py --tensorlane PROGRAM [--runs 3000] [--seed 1] [--program PROGRAM WORD...]

Laws: the exit status is a documented one; no signal, no run of more than 60 s, no more than 4 GiB; a
failure says why in one to three lines and leaves every file as it was (unless it is standard output that
fails); no text of a library reaches the user; nothing temporary is left; what could not be written is no
success. --program is what `run` runs.
Prints each kind of breach once, with a command that repeats it.
"""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shlex
import signal
import stat
import struct
import subprocess
import sys
import tempfile

VERBS = ["run", "layout list", "layout describe", "layout locate", "layout identify", "layout plan", "layout table", "layout loops", "layout takers", "layout draw", "layout convert",
         "layout gallery", "ops", "chips", "conformance", "diff", "estimate", "explain", "replay", "spread", "tune", "validate",
         "opencl devices", "opencl pack", "opencl unpack", "opencl verify", "opencl bench"]
HEAVY = ("conformance", "opencl verify", "opencl bench", "spread", "tune", "validate")  # seconds each: rarely
SECONDS, BYTES = 60, 4 << 30
LIBRARY_TEXT = re.compile(r"std::|json\.exception|terminate called|what\(\)|filesystem error|basic_string|bad_alloc|"
                          r"Sanitizer|runtime error|internal error|stoi|Assertion|Traceback")

INTEGERS = """0 1 -1 2 3 4 6 7 63 64 65 127 255 256 65535 65536 524288 2147483647 2147483648 -2147483648 4294967296
9223372036854775807 -9223372036854775808 9223372036854775808 18446744073709551616 1e3 0x10 1.5 nan inf +5 007 1_000""".split()
WORDS = ["", " ", "\t", "\n", "'", "%s%n", "{}", "{0}", "日本語", "\u202e", "a" * 5000, "-", "--", "-x", "*", "/", "..", "null"]
DTYPES = "fp32 fp16 bf16 int8 uint8 int16 uint16 int32 uint32 int4 fp8_e4m3 f64 int".split()
LAYOUTS = """continuous aligned compact matrix free 4N 2N 2IC line-aligned vector 32IC 64IC 1IC NCHW NHWC OIHW W
IN_OUT_CHANNEL IN_OUT_HEIGHT CONV2D_FILTER ARGUMENT WINOGRAD_FILTER""".split()
INPUTS = ["a.npy", "a.npy", "a.npz", "a.safetensors", "a.raw", "bad.npy", "empty.npy", "r.jsonl", "r.jsonl.gz", "null.jsonl",
          "deep.jsonl", "rules", "folder", ".", "", "missing", "a.npy/x", "loop.npy", "dangling.npy", "/dev/null", "/dev/zero",
          "zero.npy", "/proc/self/mem", "x" * 300 + ".npy", "d/" * 2100, b"latin-\xff.npy", "日本.npy"]
OUTPUTS = ["o.npy", "o.npz", "o.safetensors", "o.raw", "o.svg", "o.json", "o.html", "-", "/dev/full", "full.svg", "/dev/null", "folder",
           "missing/o.npy", "a.npy/o", "dangling.npy", "loop.npy", "a.npy", "", ".", "x" * 300 + ".npy", b"o-\xff.svg", "日本.svg"]
VALUES = {
    "chip": ["bm1684", "bm1684x", "mace", "BM1684", "sg2042"], "dtype": DTYPES, "to-dtype": DTYPES, "buffer-dtype": DTYPES,
    "layout": LAYOUTS, "format": ["text", "json", "csv"], "memory": ["local", "system"], "tensor": ["x", "y"],
    "rounding": ["half_to_even", "toward_zero", "up"], "impl": ["fastest", "reference"], "calibration": ["all", "even"],
    "launch-mode": ["issued", "prebuilt", "list"],
    "check": ["all", "none", "race", "memory,init", "all,nan", "lint", ",", "x,y"], "filter": ["zzz", "okk_bdc_neg"],
    "dma": ["issue", "early", "late", "random", "random:3", "random:-1", "random:x"], "path": ["auto", "staged", "direct"],
    "print": ["x", "a.c:7", "a.c:", ":7", "a.c:-1"], "dump": ["x=o.npy", "a.c:7:y=o.npy", "=", "x=", "x=missing/o.npy"],
    "watch": ["0", "0x10", "3:4+5", "l2:0", "1:", "99:99", "x"], "tolerance": ["0", "-1", "nan", "inf", "1e-3"], "log": OUTPUTS,
    "banks": ["own", "shared", "all"], "index": ["0,0,0,0", "1,2,3,4", "0", "-1,0,0,0"], "shapes": ["0", "1", "-1"], "mib": ["0", "-1", "0.001", "nan"],
    "command": ["a=a", "b=a", "a=b,c:kernel=3x3:pad=1", "d=a,b:kernel=3:stride=2", "c=a:dilation=9", "=", "a", "a=", "a=b:kernel=0", "a=b:pad=-1",
                "a=b:kernel=99999999999", "a=b:x=1", "a=,b"], "emit": ["c", "python", "x"], "language": ["c", "python", ""],
    "original": INPUTS, "at": ["0", "0x40", "0x80000,7", "-1", "0xffffffffffffffff", ",", "x"],
    "turns": ["0", "1", "-1"], "timeout": ["0", "1", "-1", "1e300", "nan"], "cache": ["folder", "a.npy", "", "/dev/null", "new"],
}
NAMES = {"ops": ["okk_bdc_add", "bdc", "tpu_bdc_cast", "zz"], "explain": ["TL-RACE-001", "tl-race-001", "TL-X-1"],
         "chips": ["bm1684", "bm1688"], "layout gallery": ["folder/new", "a.npy", "/dev/null", ""],
         "conformance": ["folder", "a.npy", "missing", ""]}
RECORDING = ('{"header":1,"chip":"bm1684"}\n{"op":"initialize"}\n{"op":"bdc_add_C","dst_addr":0,"src_addr":4096,"C":1.0,'
             '"shape":[1,1,1,4],"dst_stride":null,"src_stride":null}\n{"op":"poll"}\n')


def npy(shape):
    count = 1
    for extent in shape:
        count *= extent
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4 * count)


def make_files():
    tensor = npy((2, 3, 4, 5))
    for name in ("a.npy", "日本.npy", b"latin-\xff.npy"):
        with open(name, "wb") as file:
            file.write(tensor)
    header = b'{"t":{"dtype":"F32","shape":[2,3,4,5],"data_offsets":[0,480]}}'
    for name, data in (("bad.npy", tensor[:-7]), ("empty.npy", b""), ("a.raw", bytes(480)), ("r.jsonl", RECORDING.encode()),
                       ("r.jsonl.gz", gzip.compress(RECORDING.encode())), ("null.jsonl", RECORDING.replace("4096", "null").encode()),
                       ("deep.jsonl", b"[" * 100000), ("rules", b"TL-RACE-001 *\n"),
                       ("a.safetensors", struct.pack("<Q", len(header)) + header + bytes(480))):
        pathlib.Path(name).write_bytes(data)
    subprocess.run([sys.executable, "-m", "zipfile", "-c", "a.npz", "a.npy"], check=True)
    for name, target in (("loop.npy", "loop.npy"), ("dangling.npy", "nowhere"), ("zero.npy", "/dev/zero"), ("full.svg", "/dev/full")):
        os.symlink(target, name)
    os.mkdir("folder")


def options_of(program, verb):
    """From its --help: name, and whether it takes a value, of every option."""
    text = subprocess.run([program, *verb.split(), "--help"], stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.findall(r"^  (?:-\w,)?--([\w-]+)(?:,--[\w-]+)*(?: (\[?=?[A-Z]{3,}))?", text, re.M)
    return [(name, bool(value)) for name, value in found if name != "help"]


class Commands:
    def __init__(self, program, seed, runs):
        self.random, self.runs = random.Random(seed), runs
        # Without OpenCL its verbs have no options but say so.
        self.options = {verb: options_of(program, verb) for verb in VERBS}
        self.hostile = 0.0

    def integers(self):
        pick = self.random.choice
        small = [1, 2, 3, 4, 5, 7, 16, 33, 64]
        count = 4 if self.random.random() > self.hostile else pick([0, 1, 2, 3, 5, 8, 40])
        values = [pick(INTEGERS) if self.random.random() < self.hostile else str(pick(small)) for _ in range(count)]
        return ("," if self.random.random() > self.hostile / 4 else pick([",,", "x", ", "])).join(values)

    def value(self, verb, name):
        pick = self.random.choice
        if self.random.random() < self.hostile / 3:
            return pick(WORDS + INTEGERS)
        plain = name.removeprefix("from-").removeprefix("to-")
        if name in ("json", "sarif", "svg", "markdown", "profile", "trace", "record", "report", "output"):
            return pick(OUTPUTS if self.random.random() < self.hostile + 0.2 else OUTPUTS[:8])
        if name in ("suppressions", "data") or (verb, name) == ("layout identify", "dump"):
            return pick(INPUTS)
        if plain in VALUES:
            return pick(VALUES[plain])
        if name in ("from", "to"):
            return pick(["", "bm1684:", "bm1684x:", "mace:"]) + pick(LAYOUTS)
        if plain in ("shape", "strides", "pixel"):
            return self.integers()
        return pick(INTEGERS) if self.random.random() < self.hostile else str(pick([0, 1, 2, 3, 4, 8, 64, 128]))

    def planned(self):
        """A tensor as 'layout plan' takes it: NAME:SHAPE and more parts in any order."""
        pick, chance = self.random.choice, self.random.random
        parts = [pick([*DTYPES, *LAYOUTS, "x1", "x2", "x3", "whole", f"start={pick(INTEGERS)}", f"cols={pick(INTEGERS)}"])
                 if chance() < self.hostile + 0.2 else pick(["fp32", "fp16", "x2", "aligned"]) for _ in range(pick([0, 1, 1, 2, 3]))]
        name = pick(WORDS) if chance() < self.hostile / 3 else pick("abcd")
        return pick([":"] * 9 + [""]).join([name, self.integers()]) + "".join(":" + part for part in parts)

    def words(self, run_words):
        pick, chance = self.random.choice, self.random.random
        verb = pick(VERBS)
        if verb in HEAVY and chance() < 0.8:
            verb = pick([each for each in VERBS if each not in HEAVY])
        self.hostile = pick([0.0, 0.0, 0.03, 0.1, 0.5])
        groups = []
        for name, takes in self.options[verb]:
            wanted = name in ("layout", "shape", "from", "to", "index", "strides", "filter", "shapes", "mib", "turns")
            if chance() > (0.95 if wanted else 0.12):
                continue
            for _ in range(2 if chance() < 0.03 else 1):
                if name == "json":  # its file belongs to it
                    groups.append([pick(["--json", f"--json={self.value(verb, name)}"])])
                else:
                    groups.append([f"--{name}", self.value(verb, name)] if takes else [f"--{name}"])
        if verb == "opencl bench" or verb == "opencl verify":  # small, whatever else
            groups += [["--turns", "1"], ["--mib", "0.001"]] if verb.endswith("bench") else [["--shapes", "1"]]
        if chance() < 0.03:
            groups.append([pick(["--bogus", "-Z", "--shap", "--", "-o", "--version"])])
        self.random.shuffle(groups)
        words = [word for group in groups for word in group]
        if verb == "run":
            words += ["--"] if chance() < 0.8 else []
            return verb, words + (run_words if chance() < 0.6 else [pick(["true", "false", "./a.npy", "folder", *INPUTS, *WORDS])])
        if verb in NAMES:
            words += [pick(NAMES[verb])] if chance() < 0.9 else []
        elif verb in ("layout convert", "opencl pack", "opencl unpack"):
            words += [pick(INPUTS), pick(OUTPUTS)]
        elif verb == "diff":
            words += [pick(INPUTS), pick(INPUTS)]
        elif verb == "layout plan":
            words += [self.planned() for _ in range(pick([0, 1, 1, 2, 2, 3, 9]))]
        elif verb in ("estimate", "replay"):
            words += [pick(INPUTS + ["r.jsonl"] * 10)]
        return verb, words


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES * 8, BYTES * 8))  # reserved, not used
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (300 << 20,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def files():
    found = {}
    for entry in os.scandir(b"."):
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            found[entry.name] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def breaches(verb, words, status, err, before, after, full):
    """The laws that one run broke."""
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    said = err.count("\n")
    if status < 0:
        yield f"signal {-status}"
    if LIBRARY_TEXT.search(err):
        yield f"text of a library: {LIBRARY_TEXT.search(err).group()}"
    if os.listdir("temporary"):
        yield "something temporary is left"
    if verb == "run":  # the program's own status, output and files
        return
    if status not in ((0, 1, 2) if verb in ("conformance", "diff", "opencl verify") else (0, 2)):
        yield f"exit status {status}"
    if status == 2 and not 1 <= said <= 3:
        yield f"a failure in {said} lines"
    if status == 2 and changed and not full:
        yield f"a failure that changes {sorted(changed)}"
    if status == 0 and full and not {"--quiet", "-o", "--output", "--pages"} & set(words):
        yield "success on a full disk"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", nargs="+", default=["true"])
    options = parser.parse_args()
    program = os.path.abspath(options.tensorlane)
    run_words = [os.path.abspath(options.program[0]) if os.path.exists(options.program[0]) else options.program[0],
                 *options.program[1:]]
    commands = Commands(program, options.seed, options.runs)
    found, counts = {}, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        os.mkdir("temporary")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TENSORLANE_")}
        environment |= {"TMPDIR": os.path.join(folder, "temporary"), "XDG_CACHE_HOME": os.path.join(folder, "cache")}
        originals = {name: pathlib.Path(os.fsdecode(name)).read_bytes() for name in files()}
        for _ in range(options.runs):
            verb, words = commands.words(run_words)
            command = [program, *verb.split(), *words]
            command = [word if isinstance(word, bytes) else word.encode() for word in command]
            full = commands.random.random() < 0.05
            before = files()
            with open("/dev/full", "wb") as full_disk:
                try:
                    said = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=full_disk if full else subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, env=environment, preexec_fn=limit, timeout=SECONDS, check=False)
                    broken = list(breaches(verb, words, said.returncode, said.stderr.decode(errors="replace"), before, files(), full))
                    counts[said.returncode] += 1
                except subprocess.TimeoutExpired:
                    broken = [f"runs longer than {SECONDS} s"]
            for law in broken:
                text = shlex.join(os.fsdecode(word) for word in command[1:]) + (" > /dev/full" if full else "")
                found.setdefault((verb, re.sub(r"\d+", "#", law)), f"{law}: tensorlane {text[:600]}\n    {said.stderr[:400]!r}")
            for name in files().keys() | originals.keys():  # inputs stay what they were
                if name not in originals:
                    os.unlink(name)
                elif files().get(name) != before.get(name):
                    pathlib.Path(os.fsdecode(name)).write_bytes(originals[name])
            for name in os.listdir("temporary"):
                subprocess.run(["rm", "-rf", os.path.join("temporary", name)], check=True)
        os.chdir("/")
    print("".join(f"{text}\n" for text in found.values()),
          f"{options.runs} runs, exit statuses {json.dumps(dict(sorted(counts.items())))}, {len(found)} kinds of breaches", sep="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
