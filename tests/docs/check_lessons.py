#!/usr/bin/env python3
"""The lessons are true: their listings are the files that are built, their commands say what the pages show.

    check_lessons.py SOURCE PREFIX [--write] PAGE...

PREFIX is an installed TensorLane; every page runs in a copy of examples/learn of its own. In a page

    <!-- file: hello/okk.c -->               before a fenced block: it is that file of examples/learn
    <!-- function pingpong: pingpong/okk.c -->    it is that function of the file

and in a block ```console a line that begins with "$ " is a command, the lines below it what it prints, on standard output or
standard error: "..." stands for what is left out, as a line or at a line's end. A status other than 0 is
shown as "(exit status 3)". Pictures that a command writes are those of pictures/ beside the page. A page of docs/zh has the
listings and commands of its English one (check_twins.py) and shows what they print and draw where LANG is Chinese; it runs in the
same folder. README.md and README.zh.md are such a pair too, with their pictures in docs/pictures and
docs/zh/pictures.
--write puts listings, pictures, and the output of commands that show none into the pages, and new numbers into the others.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"(?:<!-- (?P<what>file|function (?P<name>\w+)): (?P<file>\S+) -->\n)?```(?P<kind>\w*)\n(?P<text>.*?)```\n", re.S)
MARK = re.compile(r"^<!-- (?:file|function \w+): ", re.M)


def function_of(text, name):
    """From the comment above a function of C or C++ to its last line and its registration; None where there is none."""
    found = re.search(r"(?:^//[^\n]*\n)*^[\w :<>,&*]+\b" + name + r"\([^;{]*\{.*?^\}\n(?:\w+_FUNC_REGISTER\(\w+\)\n)?", text, re.S | re.M)
    return found.group(0) if found else None


class Lesson:
    def __init__(self, source, prefix, page, write):
        self.source, self.prefix, self.page, self.write = source, prefix, page, write
        self.problems, self.commands = [], 0
        self.environment = dict(os.environ, P=str(prefix), PATH=f"{prefix}/bin:{os.environ['PATH']}", MAKEFLAGS="-s",
                                PYTHONPATH=f"{prefix}/lib/python3/dist-packages", PYTHONDONTWRITEBYTECODE="1")
        if python := os.environ.get("TENSORLANE_LESSON_PYTHON"):  # that of the package
            self.environment["PATH"] = f"{pathlib.Path(python).parent}:{self.environment['PATH']}"
        self.environment.pop("TENSORLANE_CHIP", None)

    def check(self):
        with tempfile.TemporaryDirectory(prefix="tensorlane lessons ") as name:
            self.folder = pathlib.Path(name) / "learn"
            shutil.copytree(self.source / "examples/learn", self.folder)
            self.check_page(self.page)
            self.environment = {name: value for name, value in self.environment.items() if not name.startswith("LC_")}
            self.environment["LANG"] = "zh_CN.UTF-8"
            self.check_page(self.page.replace("docs/", "docs/zh/", 1) if "/" in self.page else self.page.replace(".md", ".zh.md"))

    def check_page(self, page):
        path, before = self.source / page, len(self.problems)
        text = path.read_text()
        new = FENCE.sub(self.block, text)
        listed = sum(1 for found in FENCE.finditer(text) if found["what"])
        if listed != len(MARK.findall(text)):
            self.problems.append(f"{len(MARK.findall(text))} listings are named and {listed} stand there")
        self.problems[before:] = [f"{page}: {problem}" for problem in self.problems[before:]]
        if new != text:
            path.write_text(new)
        folder = path.parent if "/" in page else self.source / ("docs/zh" if page.endswith(".zh.md") else "docs")
        self.pictures(folder / "pictures")

    def block(self, found):
        text = found["text"]
        if found["what"]:
            whole = (self.source / "examples/learn" / found["file"]).read_text()
            wanted = function_of(whole, found["name"]) if found["name"] else whole
            if wanted is None:  # never an empty listing, never a note in its place
                self.problems.append(f"{found['file']} has no function {found['name']}")
                return found.group(0)
            if text != wanted and not self.write:
                self.problems.append(f"{found['file']} reads\n{wanted}")
            text = wanted if self.write else text
        elif found["kind"] == "console":
            text = self.console(text)
        begin = found.start("text") - found.start()
        return found.group(0)[:begin] + text + "```\n"

    def console(self, text):
        out = ""
        for part in re.split(r"^(?=\$ )", text, flags=re.M):
            if not part.startswith("$ "):
                if part.strip():
                    self.problems.append(f"a console block begins without a command: {part}")
                continue
            command, shown = re.match(r"\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, re.S).groups()
            out += f"$ {command}\n" + self.run(command, shown.splitlines())
        return out

    def run(self, command, shown):
        self.commands += 1
        run = subprocess.run(["timeout", "120", "bash", "-uc", command], cwd=self.folder, env=self.environment, text=True,
                             capture_output=True, stdin=subprocess.DEVNULL, check=False)
        said = run.stdout.splitlines() + run.stderr.splitlines()
        if run.returncode != 0:
            said.append(f"(exit status {run.returncode})")
            if said[-1] not in shown:
                self.problems.append(f"{command}: {said[-1]}\n{run.stdout}{run.stderr}")
        if self.write and not shown:
            return "".join(line + "\n" for line in run.stdout.splitlines())
        lines, left = [], list(said)
        for line in shown:
            same = [other for other in left if self.same(line, other)]
            if line.strip() != "..." and not same and self.write:
                line, same = self.with_new_numbers(line, left)
            if line.strip() != "..." and not same:
                self.problems.append(f"{command} does not say: {line}\nbut:\n" + "\n".join(said))
            if same:
                left.remove(same[0])
            lines.append(line + "\n")
        return "".join(lines)

    @staticmethod
    def same(line, other):
        return other.startswith(line[:-3]) if line.endswith("...") else line.rstrip() == other.rstrip()

    @staticmethod
    def with_new_numbers(line, left):
        def blank(text):
            return re.sub(r"\s*[\d.]+", "#", text)
        for other in left:
            if line.endswith("...") and blank(other).startswith(blank(line[:-3])):
                return line, []
            if blank(other) == blank(line):
                return other, [other]
        return line, []

    def pictures(self, folder):
        for made in self.folder.glob("*.svg"):
            kept = folder / made.name
            if self.write:
                folder.mkdir(exist_ok=True)
                shutil.copy(made, kept)
            elif not kept.exists() or kept.read_bytes() != made.read_bytes():
                self.problems.append(f"{kept.relative_to(self.source)} is another picture now")


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    source, prefix = (pathlib.Path(word).resolve() for word in words[:2])
    write = "--write" in sys.argv
    problems = commands = 0
    for page in words[2:]:
        lesson = Lesson(source, prefix, page, write)
        lesson.check()
        problems += len(lesson.problems)
        commands += lesson.commands
        for problem in lesson.problems:
            print(f"{problem}\n")
    print(f"{len(words) - 2} lessons, {commands} commands, {problems} problems")
    return 1 if problems or commands == 0 else 0


sys.exit(main())
