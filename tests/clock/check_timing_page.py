#!/usr/bin/env python3
"""docs/timing.md and docs/zh/timing.md, with their pictures, are what validate makes of them: check_timing_page.py TENSORLANE SOURCES"""
import filecmp
import pathlib
import shutil
import subprocess
import sys
import tempfile


def check(tensorlane, sources, language, docs):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "timing.md"
        shutil.copy(sources / docs / "timing.md", page)
        subprocess.run([tensorlane, "--lang", language, "validate", "--data", sources / "data/board", "--markdown", page], check=True,
                       stdout=subprocess.DEVNULL)
        made = sorted(path.name for path in pathlib.Path(folder).iterdir())
        assert len(made) >= 3, made
        stale = [name for name in made
                 if not (sources / docs / name).exists() or not filecmp.cmp(sources / docs / name, pathlib.Path(folder) / name, shallow=False)]
        assert not stale, f"renew with: tensorlane --lang {language} validate --markdown {docs}/timing.md ({stale})"


def main():
    tensorlane, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    check(tensorlane, sources, "en", "docs")
    check(tensorlane, sources, "zh", "docs/zh")


main()
