#!/usr/bin/env python3
"""Holds the pages of docs/wrong-numbers to what the tools really say.

Every page has a kernel that is legal and wrong, its host, and the commands that lead to the wrong line:

    ## Kernel           kernel.c; one that includes tpu_kernel.h is for TPUKernel
    ## Host             host.c; its main returns 1 where the results are wrong
    ## Kernel before    optional: an earlier kernel that was right, before.c
    ## Transcript       a console block: "$ command" and what it prints; a line "..." stands for any lines
    ## The line         the line of kernel.c that the transcript has to name
    ## Repair           two blocks: text of kernel.c, and what to write instead

The twins in docs/zh/wrong-numbers have titles in Chinese, the same listings (tests/docs/check_twins.py), and show what the commands
print where LANG is Chinese.

kernel.c and host.c become ./program, before.c and host.c ./before, in the folder where the commands are typed. The checker finds no
error in ./program, whose numbers are wrong; with the repair they are right; at most two commands ask a tool.

    check_transcripts.py --sdk FOLDER --library FOLDER --tensorlane FILE [--update] [NAME...]

--update writes what the commands print into the page.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGES, TWINS = DOCS / "wrong-numbers", DOCS / "zh" / "wrong-numbers"
CHINESE_TITLES = {"Kernel before": "以前的 kernel", "Transcript": "过程", "The line": "那一行", "Repair": "改法"}
BLOCK = re.compile(r"^```\w+\n(.*?)^```$", re.M | re.S)
MOST_COMMANDS = 2


class Page:
    def __init__(self, path, titles=None):
        self.path, self.titles = path, titles or {}
        self.text = path.read_text(encoding="utf-8")

    def blocks(self, title):
        start = self.text.find(f"\n## {self.titles.get(title, title)}\n")
        if start < 0:
            return []
        end = self.text.find("\n## ", start + 1)
        return list(BLOCK.finditer(self.text, start, end if end >= 0 else len(self.text)))

    def code(self, title):
        blocks = self.blocks(title)
        return blocks[0].group(1) if blocks else None


def typed(transcript):
    """The commands of a transcript with what they print."""
    commands = []
    for line in transcript.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append([line[2:].rstrip("\n"), ""])
        else:
            commands[-1][1] += line
    return commands


def matches(expected, said):
    pattern = "".join(r"(?:.*\n)*?" if line == "...\n" else re.escape(line) for line in expected.splitlines(keepends=True))
    return re.fullmatch(pattern, said) is not None


class Bench:
    """A folder with the programs of a page, in which commands are typed."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.environment = dict(os.environ, DEBUGINFOD_URLS="", LD_LIBRARY_PATH=str(options.library),
                                PATH=f"{options.tensorlane.parent}:{os.environ['PATH']}")
        for name in [name for name in self.environment if name.startswith("TENSORLANE_")]:
            del self.environment[name]
        self.chinese = {name: value for name, value in self.environment.items() if not name.startswith("LC_")} | {"LANG": "zh_CN.UTF-8"}

    def build(self, program, kernel):
        source = (self.folder / kernel).read_text(encoding="utf-8")
        flags = ["-std=gnu11", "-DUSING_CMODEL"]
        if "tpu_kernel.h" in source:
            flags = ["-std=gnu11", "-fsigned-char", "-DBACKEND_1684X", "-I", self.options.sdk / "tpukernel/include"]
        subprocess.run([self.options.cc, *flags, "-O2", "-g", "-Wall", "-Werror", "-I", self.options.sdk / "okkernel/include",
                        kernel, "host.c", "-o", program, "-L", self.options.library, "-lbmlib", "-lm"], check=True, cwd=self.folder)

    def type(self, command, chinese=False):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.chinese if chinese else self.environment, text=True,
                              timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def check_programs(page, bench):
    """The program is legal and wrong, the one with the repair right."""
    problems = []
    wrong, right = (block.group(1).strip("\n") for block in page.blocks("Repair"))
    kernel = page.code("Kernel")
    if kernel.count(wrong) != 1:
        return [f"'{wrong}' is {kernel.count(wrong)} times in the kernel"]
    (bench.folder / "repaired.c").write_text(kernel.replace(wrong, right), encoding="utf-8")
    bench.build("repaired", "repaired.c")
    for program, status in (("program", 1), ("repaired", 0), ("before", 0)):
        if not (bench.folder / program).exists():
            continue
        run = bench.type(f"tensorlane run --quiet -- ./{program}")
        if run.returncode != status or re.search(r"^error ", run.stdout, re.M):
            problems.append(f"./{program} ends with {run.returncode} in place of {status}:\n{run.stdout}")
    (bench.folder / "repaired").unlink()
    return problems


def check_transcript(page, bench, update):
    problems = []
    block = page.blocks("Transcript")[0]
    commands = typed(block.group(1))
    tools = [command for command, _ in commands if re.match(r"tensorlane |gdb ", command)]
    if not 1 <= len(tools) <= MOST_COMMANDS:
        problems.append(f"{len(tools)} commands of tools")
    result, everything = "", ""
    for command, expected in commands:
        said = bench.type(command, chinese=bool(page.titles)).stdout
        everything += said
        if matches(expected, said):
            result += f"$ {command}\n{expected}"
            continue
        result += f"$ {command}\n{said}"
        if not update:
            problems.append(f"$ {command}\nthe page says\n{expected}\nit prints\n{said}")
    if update and result != block.group(1):
        page.path.write_text(page.text[:block.start(1)] + result + page.text[block.end(1):], encoding="utf-8")
    line = page.code("The line").splitlines()[0].strip()
    numbers = [k for k, text in enumerate(page.code("Kernel").splitlines(), 1) if text.strip() == line]
    if len(numbers) != 1:
        problems.append(f"'{line}' is {len(numbers)} times a line of the kernel")
    elif not re.search(rf"\bkernel\.c:{numbers[0]}\b", everything):
        problems.append(f"kernel.c:{numbers[0]} is not named")
    return problems


def check(options, path):
    page = Page(path)
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options, pathlib.Path(name))
        for title, file in (("Kernel", "kernel.c"), ("Host", "host.c"), ("Kernel before", "before.c")):
            if page.code(title) is not None:
                (bench.folder / file).write_text(page.code(title), encoding="utf-8")
        bench.build("program", "kernel.c")
        if page.code("Kernel before") is not None:
            bench.build("before", "before.c")
        problems = check_programs(page, bench) + check_transcript(page, bench, options.update)
        twin = Page(TWINS / path.name, CHINESE_TITLES)
        return problems + [f"zh: {problem}" for problem in check_transcript(twin, bench, options.update)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sdk", required=True, type=pathlib.Path)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("--tensorlane", required=True, type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.sdk, options.library, options.tensorlane = (
        path.resolve() for path in (options.sdk, options.library, options.tensorlane))
    paths = [path for path in sorted(PAGES.glob("*.md"))
             if path.name != "index.md" and (not options.names or path.stem in options.names)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, problems in zip(paths, pool.map(lambda path: check(options, path), paths)):
            failed += bool(problems)
            for problem in problems:
                print(f"{path.stem}: {problem}")
    index = PAGES / "index.md"
    unlisted = [path.name for path in paths if f"({path.name})" not in index.read_text(encoding="utf-8")]
    if unlisted:
        print(f"index.md does not link {', '.join(unlisted)}")
    print(f"{len(paths)} pages, {failed} with problems")
    return 1 if failed or unlisted or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
