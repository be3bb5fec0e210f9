#!/usr/bin/env python3
"""Chinese has one home, po/zh.po: no source holds a Chinese character but those named here, each for a reason.

    check_one_home.py SOURCE
"""
import pathlib
import re
import sys

FOLDERS = ("src", "tools", "python", "playground", "sdk")
CHINESE = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")
KEPT = {
    "tools/tensorlane/ops_words.cc": "the words that people search with",
    "tools/tensorlane/ops_search.h": "examples of such words",
    "tools/tensorlane/ops_command.cc": "an example of such a word in the help",
    "src/tensorlane/base/language.h": "an example of a translation",
}
KEPT_FOLDERS = {"tools/tensorlane/templates": "files that `tensorlane new` writes for people to read, in both languages"}


def holders(source):
    """The files of the folders that hold Chinese, tests left out."""
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*")):
            if not path.is_file() or re.search(r"_test\.cc$|^test_|\.pyc$", path.name):
                continue
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            if CHINESE.search(text):
                yield path.relative_to(source).as_posix()


def main():
    found = set(holders(pathlib.Path(sys.argv[1])))
    wrong = [f"{name} holds Chinese: it belongs into po/zh.po" for name in sorted(found - KEPT.keys())
             if not any(name.startswith(folder + "/") for folder in KEPT_FOLDERS)]
    wrong += [f"{name} is named here and holds no Chinese" for name in sorted(KEPT.keys() - found)]
    wrong += [f"{folder} is named here and holds no Chinese" for folder in KEPT_FOLDERS
              if not any(name.startswith(folder + "/") for name in found)]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
