#!/usr/bin/env python3
"""Holds docs/diagnostics and docs/zh/diagnostics to what the checker really says.

Every page has a faulty and a repaired program and the message of the faulty one. Both are compiled
as a user would, and run under the checks: the faulty one must give exactly the message on the page,
the repaired one nothing. The Chinese page has the same programs, and the message in Chinese.

A kernel that includes tpu_kernel.h is one for TPUKernel; one that begins with the comment
"tensorlane run --strict" runs so, with "the two cores of a BM1688" on them.

    check_pages.py --sdk INCLUDE --library FOLDER [--pages FOLDER] [--update] [ID...]

FOLDER has libbmlib.so for OKKernel, FOLDER/tpukernel that for TPUKernel.

--update writes the message the checker gives, and the programs of the English page, into the pages
instead of comparing, and the titles of the pages into index.md.
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
sys.path.insert(0, str(HERE.parent / "language"))
import english  # noqa: E402

PAGES = HERE.parent.parent / "docs" / "diagnostics"
CHINESE_PAGES = "zh/diagnostics"  # beside the folder of the English ones
TITLES = {"en": ("Faulty kernel", "What the checker says", "Repaired kernel"),
          "zh": ("有错的 kernel", "检查器的输出", "改好的 kernel")}
LOCALES = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}
BEGIN = {"en": "error|warning|advice|tensorlane check:", "zh": "错误|警告|建议|tensorlane 检查："}
TWO_CORES = "// the two cores of a BM1688\n"
BLOCK = re.compile(r"^```(c|text)\n(.*?)^```$", re.M | re.S)


def section(page, title):
    """Start and end of the text under '## title', and its code blocks."""
    start = page.index(f"\n## {title}\n")
    end = page.find("\n## ", start + 1)
    end = len(page) if end < 0 else end
    return [match for match in BLOCK.finditer(page, start, end)]


def build(options, folder, name, blocks):
    """Compiles a program of one or two blocks (kernel, host)."""
    sources = [f"{name}.c"]
    kernel = blocks[0].group(2)
    (folder / sources[0]).write_text(kernel)
    sources.append("host.c")
    (folder / "host.c").write_text(blocks[1].group(2) if len(blocks) > 1 else (HERE / "host.c").read_text())
    library, flags = options.library, ["-std=gnu99", "-DUSING_CMODEL"]
    if "tpu_kernel.h" in kernel:
        library += "/tpukernel"
        cores = ["-DCORES=2"] if kernel.startswith(TWO_CORES) else []
        flags = ["-std=gnu11", "-fsigned-char", "-DBACKEND_1684X", *cores,
                 "-I", str(pathlib.Path(options.sdk).parents[1] / "tpukernel/include")]
    subprocess.run(
        [options.cc, *flags, "-g", "-Wall", "-Werror", "-I", options.sdk, "-o", str(folder / name), *sources,
         "-L", library, "-lbmlib", f"-Wl,-rpath,{library}"],
        check=True, cwd=folder)


def run(folder, name, language):
    """What the checker says in a language about a program that was built."""
    kernel = (folder / f"{name}.c").read_text()
    environment = dict(os.environ, TENSORLANE_CHECK="all,lint,nan", TENSORLANE_TIMEOUT="5",
                       LC_ALL=LOCALES[language],
                       TENSORLANE_STRICT="1" if kernel.startswith("// tensorlane run --strict\n") else "")
    if kernel.startswith(TWO_CORES):
        environment["TENSORLANE_CHIP"] = "bm1688"
    for variable in ("TENSORLANE_REPORT", "TENSORLANE_LANG"):
        environment.pop(variable, None)
    said = subprocess.run([str(folder / name)], cwd=folder, env=environment, text=True, timeout=60,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if said.returncode != 0:
        raise RuntimeError(f"{name} ended with status {said.returncode}:\n{said.stderr}")
    begin = re.search(f"^({BEGIN[language]}) ?", said.stderr, re.M)
    return said.stderr[begin.start():] if begin else ""


def hold(options, path, listings, faulty, language):
    """Problems of the page in a language, whose listings are those of the English one."""
    if not path.exists():
        return f"{path.stem}: there is no page in {path.parent}\n"
    page = path.read_text(encoding="utf-8")
    broken, said, mended = (section(page, title) for title in TITLES[language])
    true_texts = [listing.group(2) for listing in listings] + [faulty]
    blocks = broken + mended + [said[0]]
    if [block.group(2) for block in blocks] == true_texts:
        return ""
    if not options.update or len(blocks) != len(true_texts):
        return f"{path}: it has other listings or another message; this is what the checker says\n{faulty}\n"
    for block, text in sorted(zip(blocks, true_texts), key=lambda pair: -pair[0].start()):
        page = page[:block.start(2)] + text + page[block.end(2):]
    path.write_text(page, encoding="utf-8")
    return ""


def check(options, path):
    """Problems of the pages of one diagnostic, as text."""
    page = path.read_text(encoding="utf-8")
    broken, mended = section(page, "Faulty kernel"), section(page, "Repaired kernel")
    problems = ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build(options, folder, "faulty", broken)
        faulty = {language: run(folder, "faulty", language) for language in TITLES}
        build(options, folder, "repaired", mended)
        repaired = run(folder, "repaired", "en")
    if path.stem not in faulty["en"]:
        problems += f"{path.stem}: the faulty kernel does not show it:\n{faulty['en']}\n"
    if re.search(r"^(error|warning) ", repaired, re.M) or path.stem in repaired:
        problems += f"{path.stem}: the repaired kernel is not clean:\n{repaired}\n"
    chinese = options.pages.parent / CHINESE_PAGES / path.name
    problems += hold(options, path, broken + mended, faulty["en"], "en")
    if chinese.parent.is_dir():  # a recipe tries a page before it has its twin
        if left := english.problems_of(faulty["zh"]):
            problems += f"{path.stem}: {left}\n"
        problems += hold(options, chinese, broken + mended, faulty["zh"], "zh")
    return problems


def check_index(options, folder):
    """Problems of the list of all pages of a folder, as text."""
    index = folder / "index.md"
    text = index.read_text(encoding="utf-8")
    head = text[:text.index("\n|---|---|\n") + len("\n|---|---|\n")]
    rows = ""
    for path in sorted(folder.glob("TL-*.md")):
        title = path.read_text(encoding="utf-8").splitlines()[0]
        rows += "| [{0}]({0}.md) | {1} |\n".format(*title.removeprefix("# ").split(": ", 1))
    if text == head + rows:
        return ""
    if options.update:
        index.write_text(head + rows, encoding="utf-8")
        return ""
    return f"{index} does not list the pages with their titles; --update mends it\n"


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
        folders = [options.pages, options.pages.parent / CHINESE_PAGES]
        problems += [text for text in (check_index(options, folder) for folder in folders) if text]
    print("\n".join(problems), f"{len(paths)} pages, {len(problems)} with problems", sep="\n")
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
