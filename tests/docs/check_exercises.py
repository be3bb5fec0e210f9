#!/usr/bin/env python3
"""The exercises of the lessons can be solved, and who has not solved them is told so.

    check_exercises.py SOURCE PREFIX

In a copy of examples/learn: every exercise as it stands is wrong, for the reason that belongs to it; with the kernel of solutions/ it is
right, on both chips. Answers in numbers are right where they were worked out by hand. Each lesson ends with two exercises, in both
languages, and none is left out.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What is said of the kernel as it stands; an answer in numbers that is right, and one that is not.
KERNELS = {"frame": "TL-SYNC-005", "squares": "element 1 is", "affine": "element 0 is", "rows": "element 7 is", "large": "KERNEL_ASSERT",
           "overlap": "the engines take turns", "one_buffer": "TL-RACE-001", "idle": "NPUs idle", "tail": "element 6400 is",
           "add_product": "element 0 is", "unread": "TL-INIT-001", "pieces": "its commands are too small"}
ANSWERS = {"bytes": ("1024", "560"), "place": ("3 860", "3 92"), "fits": ("64", "65"), "weights": ("2592", "1296"), "pixel": ("11 2 2", "5 6 2"),
           "filter": ("5 18", "6 5")}


def main():
    source, prefix = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    problems, judged = [], 0
    with tempfile.TemporaryDirectory(prefix="tensorlane exercises ") as name:
        folder = pathlib.Path(name) / "learn"
        shutil.copytree(source / "examples/learn", folder)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "TENSORLANE_"))}
        environment.update(P=str(prefix), LANG="C.UTF-8")

        def judge(words, verdict, reason="", lang="C.UTF-8"):
            nonlocal judged
            judged += 1
            said = subprocess.run([sys.executable, "exercise", *words], cwd=folder, env=dict(environment, LANG=lang), text=True,
                                  capture_output=True, timeout=120, check=False)
            wanted = {"right": 0, "wrong": 1, "对": 0, "不对": 1}[verdict]
            if said.returncode != wanted or not said.stdout.startswith(verdict) or reason not in said.stdout:
                problems.append(f"exercise {' '.join(words)} should be {verdict} ({reason}), but says\n{said.stdout}{said.stderr}")

        listed = subprocess.run([sys.executable, "exercise"], cwd=folder, env=environment, text=True, capture_output=True, check=True).stdout
        for name, reason in KERNELS.items():
            for chip in ("okk", "tpu"):
                judge([name, chip], "wrong", reason)
                shutil.copy(source / f"tests/docs/solutions/{name}/{chip}.c", folder / f"exercises/{name}/{chip}.c")
                judge([name, chip], "right")
        (folder / "exercises/affine/okk.c").write_text("no C\n")
        judge(["affine"], "wrong", "compile")
        judge(["affine"], "不对", "编译不过", "zh_CN.UTF-8")
        for name, (answer, other) in ANSWERS.items():
            judge([name, *answer.split()], "right")
            judge([name, *other.split()], "wrong", "ask: tensorlane layout")
            judge([name], "wrong", "numbers")
        judge(["bytes", "1024"], "对", lang="zh_CN.UTF-8")
        for words in (["nope"], ["affine", "x"]):
            if subprocess.run([sys.executable, "exercise", *words], cwd=folder, env=environment, capture_output=True, check=False).returncode != 2:
                problems.append(f"exercise {words} should end with 2")
    lessons = dict(re.findall(r"lesson (\d)  (\w+)", listed)[::-1])
    if sorted(re.findall(r"  (\w+)$", listed, re.M)) != sorted([*KERNELS, *ANSWERS]):
        problems.append(f"the exercises are other ones:\n{listed}")
    for pages in ("docs/learn", "docs/zh/learn"):
        for lesson in range(1, 10):
            (page,) = (source / pages).glob(f"{lesson}-*.md")
            section = page.read_text().split("\n## Exercises\n" if pages == "docs/learn" else "\n## 练习\n")[1:]
            named = re.findall(r"`\./exercise (\w+)", section[0]) if section else []
            wanted = re.findall(rf"lesson {lesson}  (\w+)", listed)
            if sorted(set(named)) != sorted(wanted) or len(wanted) != 2:
                problems.append(f"{page.relative_to(source)} ends with the exercises {named}, there are {wanted}")
    print("".join(f"{problem}\n" for problem in problems), f"{len(lessons)} lessons, {judged} judgements, {len(problems)} problems", sep="")
    return 1 if problems or judged == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
