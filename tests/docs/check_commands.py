#!/usr/bin/env python3
"""Runs the commands of the pages as a reader would, who copies them line by line.

    check_commands.py SOURCE PREFIX PAGE...

A command is an indented line that begins with a program; a backslash goes on to the next line. Everything runs in one scratch
folder that looks like a checkout after ./demo.sh (build/demo is PREFIX, an installed TensorLane), with the files that the pages
speak of: kernel.c, host.cpp, in.npy, mine.csv. A command fails where its exit status is not 0, or where it names a path
under build/ that is not there. Sessions of gdb run as one. What other tests run, or takes long, is named below, with the reason.
No page with such commands may be missing from the list, where -PAGE is one that cannot be run here; those of docs/zh are their
twins' (check_twins.py).
"""
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

ELSEWHERE = [
    (r"\./(demo|test)\.sh\b.*", "CI runs them"),
    (r"cmake --preset bench\b.*", "a build of its own; tests/mutation and bench/ have smoke tests"),
    (r"(build/bench|bench)/.*", "takes minutes, see docs/speed.md"),
    (r"cmake --preset release && .*", "that is how these tests were built"),
    (r"cmake --install build/release .*|build/mine/.*|cmake --build build/release --target uninstall", "tests/install does it"),
    (r"cmake --preset release -B build/py312 .*", "another Python, which is not on every machine"),
    (r"git clone .*", "has happened"),
    (r"build/release/examples/bin/.*", "a test of its own for each example"),
    (r"tensorlane why --expect .*", "here nothing differs, which it says; tests/suspects asks about programs that are wrong"),
    (r"build/release/src/tensorlane/differential/differential .*", "minutes; differential_test is a sample of the same"),
]
PROGRAMS = r"(\./|tensorlane |build/|bench/|\$P/|P=|gcc |g\+\+ |gdb |cmake |git )"


class Page:
    """The commands of a page in order, each as (first line, text)."""

    def __init__(self, text):
        self.commands = []
        lines = text.splitlines()
        k = 0
        while k < len(lines):
            found = re.match(r"    (?:\$ )?(" + PROGRAMS + r".*)", lines[k])
            first = k + 1
            k += 1
            if not found or re.match(r"tensorlane:", found.group(1)):
                continue
            command = found.group(1)
            while command.endswith("\\"):
                command += "\n" + lines[k].strip()
                k += 1
            if command.startswith("gdb "):
                command, k = self.session(command, lines, k)
            self.commands.append((first, command))

    @staticmethod
    def session(command, lines, k):
        """A session of gdb: every `(gdb)` line from here to the next heading, typed in order."""
        typed = []
        while k < len(lines) and not lines[k].startswith("#"):
            found = re.match(r"    \(gdb\) (.*)", lines[k])
            if found:
                typed.append(re.split(r"\s+# ", found.group(1))[0])
            k += 1
        batch = " ".join("-ex " + shlex.quote(line) for line in typed)
        return command.replace("gdb ", "gdb -batch " + batch + " ", 1), k


def scene(source, prefix, folder):
    """A checkout after ./demo.sh, as far as the pages name it, and the user's own files."""
    for name in ("testdata", "data", "docs"):
        (folder / name).symlink_to(source / name)
    shutil.copytree(source / "examples", folder / "examples")
    (folder / "build").mkdir()
    (folder / "build" / "demo").mkdir()
    for part in prefix.iterdir():
        (folder / "build" / "demo" / part.name).symlink_to(part)
    build_plus_one(folder)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 56, 56, 64)}".ljust(117) + "\n"
    (folder / "in.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                                   + struct.pack("<f", 0.5) * (56 * 56 * 64))
    (folder / "mine.csv").write_text("operator,shape,part,time_us,recording\nscale,4x64,launch,50,mine.jsonl.gz\n")


def build_plus_one(folder):
    """The example that the pages debug, where ./demo.sh puts it."""
    sdk, out = folder / "build/demo/sdk/okkernel", folder / "build/demo/examples/okkernel/plus_one"
    out.mkdir(parents=True)
    flags = ["-O2", "-g", "-DUSING_CMODEL", f"-I{sdk}/include"]
    example = folder / "examples/okkernel/plus_one"
    subprocess.run(["gcc", *flags, "-c", example / "plus_one.c", "-o", folder / "plus_one.o"], check=True)
    subprocess.run(["g++", *flags, example / "host.cpp", folder / "plus_one.o", "-o", out / "plus_one", f"-L{sdk}/lib",
                    "-lbmlib"], check=True)


def own_program(source, system, folder):
    """kernel.c and host.cpp of a user of `system`."""
    for path in (source / "tests" / "install" / f"{system}_sdk").iterdir():
        if path.suffix == ".c":
            shutil.copy(path, folder / "kernel.c")
        elif path.suffix in (".h", ".cpp"):
            shutil.copy(path, folder / path.name)


def unlisted(source, pages):
    """Pages with commands that nobody would run."""
    there = [path for pattern in ("*.md", "docs/*.md", "examples/*/README.md") for path in source.glob(pattern)]
    names = sorted(str(path.relative_to(source)) for path in there)
    return [name for name in names if name not in pages and Page((source / name).read_text()).commands]


def main():
    source, prefix = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    missing_pages = unlisted(source, [page.removeprefix("-") for page in sys.argv[3:]])
    print("".join(f"{page}: has commands and is not in the list of pages\n" for page in missing_pages), end="")
    failed, total = len(missing_pages), 0
    with tempfile.TemporaryDirectory(prefix="tensorlane docs ") as name:
        folder = pathlib.Path(name)
        scene(source, prefix, folder)
        for page in [page for page in sys.argv[3:] if not page.startswith("-")]:
            system = "tpukernel" if "bring-your-own" in page or "tpukernel" in page else "okkernel"
            own_program(source, system, folder)
            sdk = prefix / "sdk" / ("tpuv7" if "tpuv7" in page else system)
            environment = dict(os.environ, PATH=f"{prefix}/bin:{os.environ['PATH']}", SDK=str(sdk), P="build/demo",
                               DEBUGINFOD_URLS="", PKG_CONFIG_PATH=":".join(map(str, prefix.glob("lib/**/pkgconfig"))))
            at = folder / pathlib.Path(page).parent if page.startswith("examples/") else folder
            for line, command in Page((source / page).read_text()).commands:
                if any(re.fullmatch(pattern, command, re.S) for pattern, _ in ELSEWHERE):
                    continue
                total += 1
                run = subprocess.run(["timeout", "200", "bash", "-euc", command], cwd=at, env=environment, text=True,
                                     capture_output=True, stdin=subprocess.DEVNULL, check=False)
                said = run.stdout + run.stderr
                if "Couldn't write extended state" in said:
                    print(f"{page}:{line}: gdb cannot call functions on this machine; what comes before a call was run")
                    continue
                missing = [path for path in re.findall(r"build/demo/[\w./-]+", command) if not (folder / path).exists()]
                if run.returncode != 0 or missing or re.search(r"No symbol|No such file|not defined", said):
                    failed += 1
                    print(f"{page}:{line}: exit {run.returncode} {missing or ''}\n  {command}\n{said[-1500:]}")
    print(f"{total} commands, {failed} failed")
    return 1 if failed or total == 0 else 0


sys.exit(main())
