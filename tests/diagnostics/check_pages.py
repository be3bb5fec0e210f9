#!/usr/bin/env python3
"""Holds docs/diagnostics to what the checker really says.

Every page has a faulty and a repaired program and the message of the faulty one. Both are compiled
as a user would, and run under the checks: the faulty one must give exactly the message on the page,
the repaired one nothing.

A kernel that includes tpu_kernel.h is one for TPUKernel; one that begins with the comment
"tensorlane run --strict" runs so.

    check_pages.py --sdk INCLUDE --library FOLDER [--pages FOLDER] [--update] [ID...]

FOLDER has libbmlib.so for OKKernel, FOLDER/tpukernel that for TPUKernel.

--update writes the message the checker gives into the page instead of comparing, and the titles of
the pages into index.md.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE.parent.parent / "docs" / "diagnostics"
BLOCK = re.compile(r"^```(c|text)\n(.*?)^```$", re.M | re.S)


def section(page, title):
    """Start and end of the text under '## title', and its code blocks."""
    start = page.index(f"\n## {title}\n")
    end = page.find("\n## ", start + 1)
    end = len(page) if end < 0 else end
    return [match for match in BLOCK.finditer(page, start, end)]


def run(options, folder, name, blocks):
    """Compiles a program of one or two blocks (kernel, host) and runs it; what the checker says."""
    sources = [f"{name}.c"]
    (folder / sources[0]).write_text(blocks[0].group(2))
    sources.append("host.c")
    (folder / "host.c").write_text(blocks[1].group(2) if len(blocks) > 1 else (HERE / "host.c").read_text())
    program = folder / name
    kernel = blocks[0].group(2)
    library, flags = options.library, ["-std=gnu99", "-DUSING_CMODEL"]
    if "tpu_kernel.h" in kernel:
        library += "/tpukernel"
        flags = ["-std=gnu11", "-fsigned-char", "-DBACKEND_1684X",
                 "-I", str(pathlib.Path(options.sdk).parents[1] / "tpukernel/include")]
    subprocess.run(
        [options.cc, *flags, "-g", "-Wall", "-Werror", "-I", options.sdk, "-o", str(program), *sources,
         "-L", library, "-lbmlib", f"-Wl,-rpath,{library}"],
        check=True, cwd=folder)
    environment = dict(os.environ, TENSORLANE_CHECK="all,lint,nan", TENSORLANE_TIMEOUT="5",
                       TENSORLANE_STRICT="1" if kernel.startswith("// tensorlane run --strict\n") else "")
    environment.pop("TENSORLANE_REPORT", None)
    said = subprocess.run([str(program)], cwd=folder, env=environment, text=True, timeout=60,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if said.returncode != 0:
        raise RuntimeError(f"{name} ended with status {said.returncode}:\n{said.stderr}")
    begin = re.search(r"^(error|warning|advice|tensorlane check:) ?", said.stderr, re.M)
    return said.stderr[begin.start():] if begin else ""


def check(options, path):
    """Problems of one page, as text."""
    page = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        faulty = run(options, folder, "faulty", section(page, "Faulty kernel"))
        repaired = run(options, folder, "repaired", section(page, "Repaired kernel"))
    message = section(page, "What the checker says")[0]
    problems = ""
    if path.stem not in faulty:
        problems += f"{path.stem}: the faulty kernel does not show it:\n{faulty}\n"
    elif message.group(2) != faulty:
        if options.update:
            path.write_text(page[:message.start(2)] + faulty + page[message.end(2):],
                            encoding="utf-8")
        else:
            problems += f"{path.stem}: the page says\n{message.group(2)}\nthe checker says\n{faulty}\n"
    if re.search(r"^(error|warning) ", repaired, re.M) or path.stem in repaired:
        problems += f"{path.stem}: the repaired kernel is not clean:\n{repaired}\n"
    return problems


def check_index(options):
    """Problems of the list of all pages, as text."""
    index = options.pages / "index.md"
    text = index.read_text(encoding="utf-8")
    head = text[:text.index("\n|---|---|\n") + len("\n|---|---|\n")]
    rows = ""
    for path in sorted(options.pages.glob("TL-*.md")):
        title = path.read_text(encoding="utf-8").splitlines()[0]
        rows += "| [{0}]({0}.md) | {1} |\n".format(*title.removeprefix("# ").split(": ", 1))
    if text == head + rows:
        return ""
    if options.update:
        index.write_text(head + rows, encoding="utf-8")
        return ""
    return "index.md does not list the pages with their titles; --update mends it\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sdk", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--pages", type=pathlib.Path, default=PAGES)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    options.sdk, options.library = map(os.path.abspath, (options.sdk, options.library))
    paths = [path for path in sorted(options.pages.glob("TL-*.md"))
             if not options.ids or path.stem in options.ids]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(lambda path: check(options, path), paths) if text]
    if not options.ids:
        problems += [text for text in [check_index(options)] if text]
    print("\n".join(problems), f"{len(paths)} pages, {len(problems)} with problems", sep="\n")
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
