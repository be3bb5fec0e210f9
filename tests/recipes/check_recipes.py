#!/usr/bin/env python3
"""Applies the recipes of CONTRIBUTING.md and runs what they say.

A recipe is a section below "## Recipes". Its steps are paragraphs that begin in bold and end in a
block of code:

    **New file** `PATH`              the file is the block
    **Add to** `PATH` above `TEXT`   the block comes above (below) the line with TEXT, which is
                                     there once
    **Replace** `OLD` in `PATH`      the block takes the place of OLD, which is there once
    **Try**                          lines with "$ " are commands, the others what they print

Nothing of the tree is touched: changed files are copied to a folder of their own, compiled with the
flags of the build, and linked in front of its libraries. What a recipe costs is measured here too;
the table in docs/architecture.md must say the same.

    check_recipes.py --source TREE --build BUILD --work FOLDER RECIPE
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

STEP = re.compile(r"^\*\*(New file|Add to|Replace|Try)\*\*(.*?)^(`{3,})\w*\n(.*?)^\3$", re.M | re.S)
# Files that are made of others, with the object that a program links: what a file below this folder
# changes.
CHIPS = "src/tensorlane/chip/chips/"
PAGES = "docs/diagnostics/"
# Sources that read the list which a header holds.
READERS = {
    "src/tensorlane/observe/check/check_list.h": ["src/tensorlane/observe/check/check_list.cc"],
    "src/tensorlane/compute/rows/row_formulas.h": ["src/tensorlane/compute/rows/typed_rows.cc"],
    "src/tensorlane/tensor/dtype.h": ["src/tensorlane/tensor/dtype.cc",
                                      "src/tensorlane/tensor/convert_simd.cc"],
    "tools/tensorlane/commands.h": ["tools/tensorlane/cli.cc"],
}
# The file whose flags those of a new folder get: it may name everything.
HIGHEST = "src/tensorlane/front_ends/front_ends.cc"


def recipe_text(contributing, title):
    """The section "### title", up to the next heading that is not part of a block of code."""
    lines, fence, found = [], "", False
    for line in contributing[contributing.index("\n## Recipes\n"):].splitlines():
        mark = re.match(r"`{3,}", line)
        if mark and not fence:
            fence = mark.group(0)
        elif fence and line == fence:
            fence = ""
        elif not fence and re.match(r"##+ ", line):
            if found:
                break
            found = line == f"### {title}"
        if found:
            lines.append(line + "\n")
    if not lines:
        sys.exit(f"CONTRIBUTING.md has no recipe '{title}'")
    return "".join(lines)


class Recipe:
    def __init__(self, options):
        self.source, self.build = options.source, options.build
        self.work = options.work / options.recipe.replace(" ", "_")
        shutil.rmtree(self.work, ignore_errors=True)
        self.tree = self.work / "tree"
        (self.work / "objects").mkdir(parents=True)
        self.changed = []  # paths in the tree
        self.new = []
        self.lines = 0
        self.commands = {}
        self.joined = []  # object, files that are compiled as this one, the file that joins them
        self.replaced = {}  # of those objects what a changed file is part of, and what takes its place
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            path = pathlib.Path(entry["file"])
            files = [path]
            if path.parent.name == "Unity":
                files = [pathlib.Path(name) for name in re.findall(r'#include "(.*)"', path.read_text())]
                words = shlex.split(entry["command"])
                self.joined.append((words[words.index("-o") + 1], files, path))
            self.commands.update(dict.fromkeys(files, entry))
        text = (self.source / "CONTRIBUTING.md").read_text()
        self.steps = STEP.findall(recipe_text(text, options.recipe))
        if not self.steps:
            sys.exit(f"the recipe '{options.recipe}' has no steps")

    # The steps.

    def copy(self, path):
        copy = self.tree / path
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.source / path, copy)
            self.changed.append(path)
        return copy

    def apply(self):
        trials = []
        for kind, heading, _, block in self.steps:
            quoted = re.findall(r"`([^`]+)`", heading)
            if kind == "Try":
                trials.append(block)
                continue
            self.lines += len(block.splitlines())
            if kind == "New file":
                path = self.tree / quoted[0]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block)
                self.new.append(quoted[0])
                continue
            name = quoted[0] if kind == "Add to" else quoted[1]
            anchor = quoted[1] if kind == "Add to" else quoted[0]
            path = self.copy(name)
            text = path.read_text()
            if text.count(anchor) != 1:
                sys.exit(f"'{anchor}' stands {text.count(anchor)} times in {name}")
            if kind == "Replace":
                text = text.replace(anchor, block.strip("\n"))
            else:
                line = text.rindex("\n", 0, text.index(anchor)) + 1
                if re.search(r"`\s+below\s+`", heading):
                    line = text.index("\n", line) + 1
                text = text[:line] + block + text[line:]
            path.write_text(text)
        return trials

    def write_signatures(self):
        """What a front end's CMakeLists.txt makes of public headers that the recipe brings."""
        for root in (self.source, self.tree):
            for listing in root.glob("src/tensorlane/*/CMakeLists.txt"):
                for name, pattern in re.findall(r"tensorlane_signatures\((\w+) (\S+)\)", listing.read_text()):
                    brought = fnmatch.filter(self.changed + self.new, pattern)
                    others = {str(path.relative_to(self.source)) for path in self.source.glob(pattern)}
                    headers = [self.tree / path for path in brought]
                    headers += [self.source / path for path in sorted(others.difference(brought))]
                    if brought:
                        self.generate("cmake/signatures", "HEADERS=" + ",".join(map(str, headers)),
                                      self.tree / f"src/tensorlane/{name}/signatures.h")

    # Compiling and linking.

    def compile(self, path, like=None):
        """Compiles a file of the overlay (or one that was made) with the flags of a file beside it."""
        source = next(root / path for root in (self.tree, self.work, self.source) if (root / path).exists())
        like = self.source / (like or path)
        if like not in self.commands:
            like = next((f for f in self.commands if f.parent == like.parent and f.suffix == ".cc"),
                        self.source / HIGHEST)
        entry = self.commands[like]
        words, flags = shlex.split(entry["command"]), []
        while words:
            word = words.pop(0)
            if word in ("-o", "-c", "-MF", "-MT", "-include"):
                words.pop(0)
            elif word not in ("-MD", "-Winvalid-pch", "-fpch-preprocess"):
                flags.append(word)
        first = next(k for k, word in enumerate(flags) if word.startswith("-I"))
        roots = [word[2:] for word in flags if word.startswith("-I" + str(self.source))]
        flags[first:first] = [f"-I{self.tree / pathlib.Path(root).relative_to(self.source)}"
                              for root in roots] + [f"-I{like.parent}"]
        flags[first:first] = [f"-I{folder}" for folder in self.tree.glob("sdk/*/include")]
        target = self.work / "objects" / (str(path).replace("/", "_") + ".o")
        # Of vector code the plain form and one set are enough to see that it works.
        flags = [flag for flag in flags if not flag.startswith("-DHWY_BROKEN_TARGETS")]
        flags += ["-DHWY_BROKEN_TARGETS=(HWY_SSE4|HWY_AVX3)"]
        self.call(flags + ["-O0", "-o", str(target), "-c", str(source)], entry["directory"])
        return target

    def objects(self):
        """The objects of everything that changed, by the name of the object they replace."""
        sources = [path for path in self.changed + self.new if path.endswith(".cc")]
        for header, readers in READERS.items():
            for reader in readers:
                if header in self.changed and reader not in sources:
                    self.copy(reader)
                    sources.append(reader)
        changed = {self.source / path for path in sources}
        joined = {path for _, files, _ in self.joined for path in files}
        # A new file takes the place of none, whatever files elsewhere are called.
        made = {(path if path in self.new else pathlib.Path(path).name) + ".o": self.compile(path)
                for path in sources if self.source / path not in joined}
        if any(path.startswith(CHIPS) for path in self.new):
            names = {path.stem for folder in (self.source, self.tree)
                     for path in (folder / CHIPS).glob("*.cc")}
            self.generate("src/tensorlane/chip/all_chips", "NAMES=" + ",".join(sorted(names)))
            made["all_chips.cc.o"] = self.compile("all_chips.cc", "src/tensorlane/chip/chip.cc")
        if any(path.startswith(PAGES) for path in self.new):
            pages = self.work / "pages"
            shutil.copytree(self.source / PAGES, pages)
            shutil.copytree(self.tree / PAGES, pages, dirs_exist_ok=True)
            self.generate("src/tensorlane/observe/check/embed_pages", f"FOLDER={pages}")
            made["pages.cc.o"] = self.compile("embed_pages.cc",
                                              "src/tensorlane/observe/check/checker.cc")
        # What is compiled together with a changed file is compiled together again, without what was generated anew.
        for number, (target, files, joint) in enumerate(self.joined):
            generated = [path for path in files if path.is_relative_to(self.build) and path.name + ".o" in made]
            if not generated and not changed.intersection(files):
                continue
            text = joint.read_text()
            for path in files:
                line = f'#include "{path}"'
                if path in generated:
                    text = text.replace(line, "")
                elif path in changed:
                    text = text.replace(line, f'#include "{self.tree / path.relative_to(self.source)}"')
            # Changed headers first: beside a file that is not changed lies the old one.
            room = pathlib.Path(target.split("/CMakeFiles/")[0])
            headers = [path for path in self.changed if path.endswith(".h") and pathlib.Path(path).parent == room]
            text = "".join(f'#include "{self.tree / path}"\n' for path in headers) + text
            folder = str(room).replace("/", "_")
            name = f"{folder}_joined_{number}{'_test' if '_test.dir' in target else ''}.cc"
            (self.work / name).write_text(text)
            like = next(path for path in files if path not in generated)
            made[name + ".o"] = self.replaced[target] = self.compile(name, like)
        return made

    def check_lists(self):
        """CMake is not run here: a recipe that writes a folder's list names all its files there."""
        for path in map(pathlib.Path, self.new):
            listing = self.tree / path.parent / "CMakeLists.txt"
            if path.suffix == ".cc" and listing.exists() and \
                    path.name not in re.split(r"[\s()]+", listing.read_text()):
                sys.exit(f"{path} does not stand in the CMakeLists.txt of its folder")

    def generate(self, script, definition, output=None):
        output = output or self.tree / (pathlib.Path(script).name + ".cc")
        self.call(["cmake", f"-D{definition}", f"-DOUTPUT={output}", "-P",
                   str(self.source / (script + ".cmake"))])

    def link(self, target, objects, output):
        """Links a target of the build as the build does, with these objects first."""
        lines = self.call(["ninja", "-C", str(self.build), "-t", "commands", target]).splitlines()
        words = shlex.split(next(line for line in reversed(lines) if " -o " in line))
        words = words[words.index("&&") + 1:]
        words = words[:words.index("&&")]
        words = [str(self.replaced.get(word) or objects.get(pathlib.Path(word).name, word)) for word in words]
        at = words.index("-o")
        words[at + 1] = str(output)
        # Of the others, tests belong to no other program and the command line's files to it alone.
        rest = [str(path) for name, path in objects.items() if str(path) not in words
                and not name.endswith("_test.cc.o")
                and (target == "tensorlane" or not path.name.startswith("tools_"))]
        output.parent.mkdir(parents=True, exist_ok=True)
        self.call(words[:at] + rest + words[at:], self.build)

    # Running.

    def run(self, command):
        words = shlex.split(command)
        stage = self.work / "stage"
        if words[0] == "tensorlane":
            if not (stage / "bin/tensorlane").exists():
                self.link("tensorlane", self.made, stage / "bin/tensorlane")
                self.link("bmlib_run", self.made, stage / "sdk/run/lib/libbmlib.so")
            words[0] = str(stage / "bin/tensorlane")
            words = [str(self.build / "examples/bin" / word[2:]) if word.startswith("./") else word
                     for word in words]
        elif words[:2] == ["./test.sh", "-R"]:
            return self.run_test(words[2])
        else:
            sys.exit(f"a recipe runs tensorlane or ./test.sh -R, not '{command}'")
        return self.call(words, self.work)

    def run_test(self, regex):
        """As `ctest -R`: the cases of one test program, or the pages of the diagnostics."""
        if regex == "diagnostics_pages":
            script = self.source / "tests/diagnostics/check_pages.py"
            ids = [pathlib.Path(path).stem for path in self.new if path.startswith(PAGES)]
            self.link("bmlib", self.made, self.work / "sdk/libbmlib.so")
            return self.call([sys.executable, str(script), "--cc", "cc",
                              "--pages", str(self.work / "pages"),
                              "--sdk", str(self.source / "sdk/okkernel/include"),
                              "--library", str(self.work / "sdk"), *ids])
        name = regex.split("/")[0]
        program = self.work / name
        if not program.exists():
            self.link(name, self.made, program)
        cases, suite = [], ""
        for line in self.call([str(program), "--gtest_list_tests"]).splitlines():
            case = line.split("#")[0].rstrip()
            if not case.startswith(" "):
                suite = case
            elif re.search(regex, f"{name}/{suite}{case.strip()}"):
                cases.append(suite + case.strip())
        if not cases:
            sys.exit(f"no test is called {regex}")
        return self.call([str(program), "--gtest_filter=" + ":".join(cases)])

    def call(self, words, folder=None):
        # The test of all texts reads those that the recipe brings, too.
        done = subprocess.run(words, cwd=folder, text=True, capture_output=True, check=False,
                              env={**os.environ, "TENSORLANE_MORE_SOURCES": str(self.tree)})
        if done.returncode != 0:
            sys.exit(f"{shlex.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def try_it(self, block):
        said = ""
        for line in block.splitlines():
            if line.startswith("$ "):
                said = re.sub(r"[ \t]+", " ", self.run(line[2:]))
                print(line)
            elif line.strip() not in ("", "...") and re.sub(r"[ \t]+", " ", line.strip()) not in said:
                sys.exit(f"'{line.strip()}' is not what it said:\n{said}")

    def check_cost(self, title):
        """The row of docs/architecture.md: | title | files | lines | minutes of this test, measured once |."""
        page = (self.source / "docs/architecture.md").read_text()
        files = len(self.changed) + len(self.new)
        row = re.search(rf"^\| {re.escape(title)} \|.*\| (\d+) \| (\d+) \| [\d.]+ \|$", page, re.M)
        if not row or (int(row.group(1)), int(row.group(2))) != (files, self.lines):
            sys.exit(f"'{title}' touches {files} files and adds {self.lines} lines; "
                     f"the table in docs/architecture.md says {row.group(0) if row else 'nothing'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("recipe")
    options = parser.parse_args()
    recipe = Recipe(options)
    trials = recipe.apply()
    recipe.check_cost(options.recipe)
    recipe.check_lists()
    recipe.write_signatures()
    recipe.made = recipe.objects()
    for block in trials:
        recipe.try_it(block)


if __name__ == "__main__":
    main()
