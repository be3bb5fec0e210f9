#!/usr/bin/env python3
"""check_lessons.py tells a page that has lost code, or shows what a command does not say.

A small source tree of its own, one lesson in both languages: right as it stands, and wrong in each way below.
"""
import pathlib
import subprocess
import sys
import tempfile

CODE = "// Adds one.\nvoid add_one(int* x) {\n  *x += 1;\n}\n"
PAGE = f"""# A lesson

<!-- file: one.c -->
```c
{CODE}```

<!-- function add_one: one.c -->
```c
{CODE}```

```console
$ cat one.c | wc -l
4
$ false
(exit status 1)
```
"""
# What is done to the page, and what has to be said of it.
FAULTS = [
    ("a line of the file is gone", lambda text: text.replace("  *x += 1;\n", "", 1), "one.c reads"),
    ("a line of the function is gone", lambda text: "".join(text.rsplit("  *x += 1;\n", 1)), "one.c reads"),
    ("the listing is empty", lambda text: text.replace(CODE, "", 1), "one.c reads"),
    ("a note stands in its place", lambda text: text.replace(CODE, "(no function)\n", 1), "one.c reads"),
    ("the listing is gone, its mark is not", lambda text: text.replace(f"```c\n{CODE}```\n", "", 1), "2 listings are named and 1 stand there"),
    ("the function is called otherwise", lambda text: text.replace("function add_one:", "function add_two:"), "one.c has no function add_two"),
    ("the output is another", lambda text: text.replace("\n4\n", "\n5\n"), "does not say: 5"),
    ("a status is not shown", lambda text: text.replace("(exit status 1)\n", ""), "(exit status 1)"),
    ("a status is made up", lambda text: text.replace("\n4\n", "\n4\n(exit status 2)\n"), "does not say: (exit status 2)"),
    ("a block has no command", lambda text: text.replace("$ cat one.c | wc -l\n", ""), "begins without a command"),
    ("there is no command at all", lambda text: text[:text.index("```console")], "0 commands"),
]


def check(folder, text, language):
    for name in ("docs", "docs/zh"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "lesson.md").write_text(text if name == language or language == "both" else PAGE)
    (folder / "examples/learn").mkdir(parents=True, exist_ok=True)
    (folder / "examples/learn/one.c").write_text(CODE)
    return subprocess.run([sys.executable, pathlib.Path(__file__).with_name("check_lessons.py"), folder, "/usr", "docs/lesson.md"],
                          capture_output=True, text=True, check=False)


def main():
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="tensorlane lessons ") as name:
        cases = [("right", lambda text: text, None, "both")]
        cases += [(*fault, language) for fault in FAULTS
                  for language in (("both",) if fault[2] == "0 commands" else ("docs", "docs/zh"))]
        for what, change, said, language in cases:
            text = change(PAGE)
            run = check(pathlib.Path(name), text, language)
            if (run.returncode != 0) != (said is not None) or said is not None and said not in run.stdout or said and text == PAGE:
                print(f"{what} ({language}): status {run.returncode}, and it says\n{run.stdout}{run.stderr}")
                wrong += 1
    print(f"{len(cases)} pages, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
