"""The verbs of the command line as its help lists them, and the files that commands over all of them need."""
import os
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]
RECORDING = SOURCE / "data/board/recordings/softmax_0_E.jsonl.gz"
NPY = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little")


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], check=True, text=True, capture_output=True,
                          env=dict(os.environ, LC_ALL="C")).stdout


def leaves(program, words=()):
    """Every verb that has none below it, with its help: {"layout draw": "..."}."""
    text = help_of(program, list(words))
    below = text.split("\nSubcommands:\n")[1:]
    names = re.findall(r"^  ([a-z]+) ", below[0].split("\n\n")[0], re.M) if below else []
    if not names:
        return {" ".join(words): text}
    return {verb: help for name in names for verb, help in leaves(program, (*words, name)).items()}


def scene(tensorlane, program, folder):
    """What the commands name: good.jsonl.gz, in.npy, pages and logs of runs of `program`."""
    (folder / "good.jsonl.gz").symlink_to(RECORDING)
    (folder / "kernel").symlink_to(program)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3, 4), }".ljust(117) + "\n"
    (folder / "in.npy").write_bytes(NPY + header.encode() + bytes(4 * 24))
    for name, case in (("a", "race_load_add"), ("b", "no_poll")):
        subprocess.run([tensorlane, "run", "--quiet", "--check=none", "--report", f"{name}.html", "--log", f"{name}.jsonl", "--",
                        "./kernel", case], cwd=folder, check=True, capture_output=True)


def has_opencl_device(tensorlane):
    said = subprocess.run([tensorlane, "opencl", "devices"], capture_output=True, check=False, env=dict(os.environ, LC_ALL="C"))
    return said.returncode == 0 and b"platform" in said.stdout
