#!/usr/bin/env python3
"""Whole models: packed by rules, back again, broken off and resumed, in constant memory, and verified.

    check_models.py --tensorlane PROGRAM [files|memory|mistakes|errors]...
"""
import argparse
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

import mistakes
from models import argument, conv2d_filter, dw_conv2d_filter, read_safetensors, write_onnx, write_safetensors

FAILED = []
RULES = """\
chip = "mace"
[[rule]]
match = ["*.conv.weight"]
to = "CONV2D_FILTER"
to_dtype = "fp16"
[[rule]]
match = "*.dw.weight"
to = "DW_CONV2D_FILTER"
[[rule]]
match = "*.bias"
rank = 1
to = "ARGUMENT"
[[rule]]
match = "*.fc.weight"
chip = "bm1684x"
to = "matrix"
cols_per_channel = 16
start_npu = 3
to_dtype = "fp16"
[[rule]]
match = "*.int8.weight"
to = "bm1684x:64IC"
[[rule]]
match = "*.steps"
keep = true
to_dtype = "int32"
[[rule]]
match = "*flags"
skip = true
[[rule]]
match = "*"
keep = true
"""
# A process begins with the peak of the one that it was made from, so that a small one has to stand between.
PEAK = """import os, sys
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(usage.ru_maxrss)
sys.exit(status != 0)"""
BACK = '[[rule]]\nmatch = "*"\nunpack = true\n'


def hold(what, fact, detail=""):
    if not fact:
        FAILED.append(what)
        print(f"fails: {what}: {detail}")


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, verb, *words, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120, **options}
        return subprocess.run([self.path, "layout", verb, *words], check=False, env=dict(os.environ, LC_ALL="C"), **options)

    def pack(self, source, rules, target, *words):
        result = self.run("convert", source, "--rules", rules, "-o", target, *words)
        hold(f"{source} by {rules} to {target}", result.returncode == 0, result.stderr.decode())
        return result.stdout.decode()

    def refused(self, message, *words, **options):
        before = set(os.listdir("."))
        result = self.run(*words, **options)
        said = result.stderr.decode()
        left = set(os.listdir(".")) - before
        hold(" ".join(words), result.returncode == 2 and said.count("\n") == 1 and message in said and not left,
             f"exit {result.returncode}, '{message}' is not in: {said} new files: {sorted(left)}")


def model_of_500(random):
    tensors = {}
    for k in range(99):
        tensors[f"layer{k}.conv.weight"] = random.normal(size=(8 + k % 9, 1 + k % 6, 3, 2)).astype("float32")
        tensors[f"layer{k}.bias"] = random.normal(size=8 + k % 9).astype("float32")
        tensors[f"layer{k}.dw.weight"] = random.normal(size=(5 + k % 8, 1, 3, 3)).astype("float32")
        tensors[f"layer{k}.fc.weight"] = random.normal(size=(3 + k % 5, 70)).astype("float32")
        tensors[f"layer{k}.int8.weight"] = random.integers(-128, 128, size=(5, 66, 1, 1 + k % 3)).astype("int8")
    tensors["steps"] = np.array(7, "float32")
    tensors["odd \"name\"/层\n.steps"] = np.array([3, -4], "int64")
    tensors["empty.conv.weight"] = np.zeros((0, 3, 1, 1), "float32")
    tensors["flags"] = np.array([True, False])
    tensors[""] = np.zeros(3, "int16")
    return tensors


def check_files(program):
    tensors = model_of_500(np.random.default_rng(1))
    nameless = tensors.pop("")
    write_safetensors("m.safetensors", dict(tensors, **{"": nameless}))
    write_onnx("m.onnx", tensors)
    pathlib.Path("rules.toml").write_text(RULES)
    pathlib.Path("back.toml").write_text(BACK)
    program.refused("a name of 0 bytes", "convert", "m.safetensors", "--rules", "rules.toml", "-o", "p.npz")
    said = program.pack("m.safetensors", "rules.toml", "p.safetensors")
    hold("the summary", "499 tensors" in said and "495 converted, 4 kept, 1 left out" in said, said)
    for target in ("p.npz", "p.data", "p.raw"):
        program.pack("m.onnx", "rules.toml", target, "--jobs", "3")
    packed = {"p.safetensors": read_safetensors("p.safetensors"), "p.npz": dict(np.load("p.npz"))}
    for target in ("p.data", "p.raw"):
        manifest, data = json.loads(pathlib.Path(target + ".manifest.json").read_text()), pathlib.Path(target).read_bytes()
        hold(f"{target}: its size", manifest["bytes"] == len(data), "")
        types = {"fp32": "float32", "fp16": "float16"}
        packed[target] = {t["name"]: np.frombuffer(data, types.get(t["dtype"], t["dtype"]), int(np.prod(t["shape"])),
                                                   t["offset"]).reshape(t["shape"]) for t in manifest["tensors"]}
        hold(f"{target}: places", all(t["offset"] % 64 == 0 for t in manifest["tensors"]), "")
    for file, found in packed.items():
        hold(f"{file}: names", set(found) - {""} == set(tensors) - {"flags"}, set(found) ^ set(tensors))
        for name, array in tensors.items():
            if name.endswith(".conv.weight"):
                right = conv2d_filter(array.astype("float16")) if len(array) else array.astype("float16")
            elif name.endswith(".dw.weight"):
                right = dw_conv2d_filter(array)
            elif name.endswith(".bias"):
                right = argument(array)
            elif name.endswith(".steps"):
                right = array.astype("int32")
            else:
                continue
            hold(f"{file}: {name}", found[name].dtype == right.dtype and np.array_equal(found[name], right), found[name].shape)
    for source in packed:
        original = "m.safetensors" if source == "p.safetensors" else "m.onnx"
        hold(f"verify {source}", program.run("verify", source, original, "--rules", "rules.toml").returncode == 0, "")
        for target in ("b.safetensors", "b.npz"):
            if (source, target) == ("p.safetensors", "b.npz"):
                continue  # has the tensor without a name
            program.pack(source, "back.toml", target)
            back = dict(np.load(target)) if target == "b.npz" else read_safetensors(target)
            for name, array in tensors.items():
                if name == "flags":
                    continue
                half = name.endswith((".conv.weight", ".fc.weight"))
                right = array.astype("float16") if half else array.astype("int32") if name.endswith(".steps") else array
                right = right.astype("float32") if half and len(array) else right
                hold(f"{source} and back, {name}", np.array_equal(back[name], right) and back[name].dtype == right.dtype, "")
    check_onnx_peer(program)
    check_resume(program)


def check_onnx_peer(program):
    """Where Debian's python3-onnx is installed, its files are read too."""
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError:
        return
    random = np.random.default_rng(2)
    tensors = {f"{kind}.{k}": random.integers(-90, 90, size=(2, k)).astype(kind)
               for kind in ("float32", "float16", "int8", "uint8", "int16", "int32") for k in (1, 3)}
    made = [numpy_helper.from_array(array, name) for name, array in tensors.items()]
    made.append(onnx.helper.make_tensor("listed", onnx.TensorProto.FLOAT, [3], [1.5, 2, -3]))
    made.append(onnx.helper.make_tensor("bytes", onnx.TensorProto.INT8, [2], [-5, 6]))
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], made)), "peer.onnx")
    pathlib.Path("keep.toml").write_text('[[rule]]\nmatch = "*"\nkeep = true\n')
    program.pack("peer.onnx", "keep.toml", "peer.npz")
    back = dict(np.load("peer.npz"))
    tensors.update(listed=np.array([1.5, 2, -3], "float32"), bytes=np.array([-5, 6], "int8"))
    for name, array in tensors.items():
        hold(f"python3-onnx: {name}", np.array_equal(back[name], array) and back[name].dtype == array.dtype, back[name])


def check_resume(program):
    """Killed in the middle; the same command goes on there and gives the same file."""
    random = np.random.default_rng(3)
    write_safetensors("big.safetensors", {f"t{k}.conv.weight": random.normal(size=(36, 32, 3, 3)).astype("float32") for k in range(300)})
    program.pack("big.safetensors", "rules.toml", "whole.npz")
    whole = pathlib.Path("whole.npz").read_bytes()
    words = [program.path, "layout", "convert", "big.safetensors", "--rules", "rules.toml", "-o", "r.npz", "--jobs", "1"]
    notes = pathlib.Path("r.npz.part.notes")
    for _ in range(20):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while process.poll() is None and (not notes.exists() or notes.read_bytes().count(b"\n") < 60):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        if process.wait() == -signal.SIGKILL:
            break
        for name in ("r.npz", "r.npz.manifest.json"):
            os.remove(name)
    done = notes.read_bytes().count(b"\n") - 1
    hold("killed in the middle", 50 < done < 300 and not os.path.exists("r.npz"), f"{done} tensors, {sorted(os.listdir('.'))}")
    # One of them is not what its note says, as after the machine stopped.
    place = next(t["offset"] for t in json.loads(pathlib.Path("whole.npz.manifest.json").read_text())["tensors"] if t["name"] == "t5.conv.weight")
    with open("r.npz.part", "r+b") as part:
        part.seek(place)
        part.write(b"xx")
    said = program.run("convert", *words[3:]).stdout.decode()
    hold("resumed", f"{done - 1} of them were there from a run that was broken off" in said, said)
    hold("the same file", pathlib.Path("r.npz").read_bytes() == whole, "")
    hold("nothing else is left", not [name for name in os.listdir(".") if ".part" in name], sorted(os.listdir(".")))


def check_memory(program):
    """Six times the tensors take as much memory as one."""
    random, peaks = np.random.default_rng(4), {}
    large = random.normal(size=(1024, 256, 3, 3)).astype("float32")  # 9 MiB
    pathlib.Path("rules.toml").write_text(RULES)
    for count in (1, 8):
        write_safetensors("m.safetensors", {f"t{k}.conv.weight": large for k in range(count)})
        for target in ("p.npz", "p.data"):
            words = [program.path, "layout", "convert", "m.safetensors", "--rules", "rules.toml", "-o", target, "--jobs", "4", "--quiet"]
            said = subprocess.run([sys.executable, "-S", "-c", PEAK, *words], check=False, stdout=subprocess.PIPE)
            hold(f"{count} large tensors to {target}", said.returncode == 0, said)
            peaks[target, count] = int(said.stdout) / 1024
            os.remove(target)
    for target in ("p.npz", "p.data"):
        print(f"{target}: {peaks[target, 1]:.0f} MiB for one tensor of 9 MiB, {peaks[target, 8]:.0f} MiB for eight")
        hold(f"{target}: memory is that of one tensor", peaks[target, 8] < peaks[target, 1] + 9, peaks)


def check_mistakes(program):
    """Planted mistakes: each is found, most are named, nothing is said of what is right."""
    pathlib.Path("rules.toml").write_text(mistakes.RULES)
    original, packed = mistakes.right(np.random.default_rng(5))
    write_safetensors("o.safetensors", original)
    for save, name in ((write_safetensors, "p.safetensors"), (lambda path, made: np.savez(path, **made), "p.npz")):
        save(name, packed)
        result = program.run("verify", name, "o.safetensors", "--rules", "rules.toml")
        hold(f"all right in {name}", result.returncode == 0 and b"all 6 tensors are right" in result.stdout, result)
    original, packed, words = mistakes.planted(np.random.default_rng(6))
    write_safetensors("o.safetensors", original)
    np.savez("p.npz", **packed)
    result = program.run("verify", "p.npz", "o.safetensors", "--rules", "rules.toml", "--json=report.json")
    said = result.stdout.decode()
    report = json.loads(pathlib.Path("report.json").read_text())
    found = {tensor["name"]: tensor.get("explanation") or "" for tensor in report["wrong"]}
    hold("exit status", result.returncode == 1 and f"{len(words)} of {len(words)} tensors are wrong" in said, said[-300:])
    hold("each planted mistake is found", set(found) == set(words), set(found) ^ set(words))
    named = 0
    for name, wanted in words.items():
        block = said[said.find(f"'{name}': "):].split("\n'")[0]
        hold(f"mistake {name}", wanted in block and found.get(name, "") in block, f"'{wanted}' is not in {block[:600]}")
        named += wanted != ""
    hold("30 mistakes, 24 named", len(words) >= 30 and named >= 24, (len(words), named))
    print(f"{len(words)} mistakes planted, {len(found)} found, {named} named")


def check_errors(program):
    tensors = {"a.weight": np.ones((4, 4, 1, 1), "float32"), "b.weight": np.ones((2, 3), "float32"), "n": np.array([1, 2**40]),
               "f": np.array([True])}
    write_safetensors("m.safetensors", tensors)
    convert = ("convert", "m.safetensors", "--rules", "r.toml", "-o")
    rule = '[[rule]]\nmatch = "*"\n'
    keep, skip = rule + "keep = true\n", '[[rule]]\nmatch = ["n", "f"]\nskip = true\n'
    for text, message in (
            ("", "no rules: each begins with a line [[rule]]"), ("rule = 3", "no rules"), ("[rule]\nmatch = 'a'", "no rules"),
            ("[[rule]]\nkeep = true", "a rule needs match"), (rule, "a rule needs one of to, keep"),
            (keep + "skip = true", "a rule needs one of to, keep"), (rule + 'too = "x"', "line 1: unknown key 'too'; did you mean 'to'?"),
            (rule + "to = 3", "to has to be a text"), (keep + "rank = 1.5", "rank has to be a whole number"),
            (rule + "keep = 'yes'", "keep has to be true or false"), (keep + "match = ['x', 1]", "expected a name that is not there yet"),
            (rule + 'to = "NCHW"\nto_dtype = "fp61"', "unknown dtype 'fp61'; did you mean 'fp16'?"),
            (rule + 'to = "NCHW"\nrounding = "upp"', "upp"), (rule + 'to = "NCHW"\nwinograd_block = 3', "winograd_block is 3"),
            ('[[rule]]\nmatch = "?.weight"\nkeep = true', "has no rule for 'n', 'f'; a last rule"),
            (keep, "'n' [2], by the rule in line 1 of 'r.toml': it holds I64, which no chip has; dtype = \"int32\""),
            (skip + rule + 'to = "mace:CONV2D_FILTER"', "'b.weight' [2,3], by the rule in line 4 of 'r.toml': it has 2 axes; CONV2D_FILTER takes 4"),
            (skip + rule + 'to = "mace:CONV_FILTER"', "CONV"), (skip + rule + "unpack = true", "no manifest says how it was packed"),
            ('[[rule]]\nmatch = "f"\nskip = true\n' + rule + 'keep = true\ndtype = "int32"', "a.weight"),
            (keep + "x", "line 4, character 2"), (keep + "\xff", "line 4, character 1: found \\xff")):
        pathlib.Path("r.toml").write_text(text, encoding="latin-1")
        program.refused(message, *convert, "out.npz")
    pathlib.Path("r.toml").write_text('[[rule]]\nmatch = "f"\nskip = true\n[[rule]]\nmatch = "n"\nkeep = true\ndtype = "int32"\n' + keep)
    # A value that does not fit: what was done stays for the next run.
    result = program.run(*convert, "late.npz", "--jobs", "1")
    said = result.stderr.decode()
    hold("a tensor that fails", result.returncode == 2 and "tensors are done and stay in" in said and said.count("\n") == 1, said)
    hold("no half of a file", "late.npz" not in os.listdir(".") and "late.npz.part" in os.listdir("."), sorted(os.listdir(".")))
    pathlib.Path("r.toml").write_text(skip + keep)
    for path in ("/dev/full", "/dev/null"):
        program.refused("the ending tells no format", *convert, path)
    os.symlink("/dev/full", "full.npz")
    program.refused("only a regular file takes", *convert, "full.npz")
    os.mkfifo("pipe.npz")
    program.refused("only a regular file takes", *convert, "pipe.npz")
    program.refused("is the file to be read", *convert, "m.safetensors")
    program.refused("holds one tensor, not those of a model", *convert, "out.npy")
    program.refused("are read, not written", *convert, "out.onnx")
    program.refused("cannot write", *convert, "none/out.npz")
    program.refused("--align 0", *convert, "out.raw", "--align", "0")
    program.refused("--from, --to and --tensor are for one tensor", *convert, "out.npz", "--to", "aligned")
    program.refused("OUT is required", *convert[:-1])
    program.refused("holds bytes only", "convert", "r.toml", "--rules", "r.toml", "-o", "out.npz")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    pathlib.Path("old.npz").write_text("old")
    program.refused("cannot write", *convert, "old.npz", preexec_fn=small_files)
    hold("the old file stays", pathlib.Path("old.npz").read_text() == "old", "")
    with open("/dev/full", "wb") as full:
        hold("a full standard output", program.run(*convert, "full_out.npz", stdout=full).returncode == 2, "")
    reading, writing = os.pipe()
    os.close(reading)
    closed = program.run("verify", "full_out.npz", "m.safetensors", "--rules", "r.toml", stdout=writing)
    os.close(writing)
    hold("a closed pipe", closed.returncode in (2, -signal.SIGPIPE), closed)
    pathlib.Path("bad.json").write_text('{"tensors": [{"name": "a"}]}')
    pathlib.Path("blob.data").write_bytes(bytes(10))
    program.refused("is no manifest of a model", "convert", "blob.data", "--rules", "r.toml", "-o", "o.npz", "--manifest", "bad.json")
    pathlib.Path("bad.json").write_text('{"tensors": [{"name": "a", "dtype": "fp32", "shape": [2], "offset": 4}]}')
    program.refused("it has the bytes 4 to 12, the file 10", "convert", "blob.data", "--rules", "r.toml", "-o", "o.npz", "--manifest",
                    "bad.json")


def main():
    checks = {"files": check_files, "memory": check_memory, "mistakes": check_mistakes, "errors": check_errors}
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("checks", nargs="*", default=list(checks))
    given = parser.parse_args()
    program = Program(os.path.abspath(given.tensorlane))
    for name in given.checks:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            checks[name](program)
            os.chdir("/")
    sys.exit(1 if FAILED else 0)


main()
