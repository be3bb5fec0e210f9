#!/usr/bin/env python3
"""docs/timing.md is what validate makes of it: check_timing_page.py TENSORLANE SOURCES"""
import filecmp
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main():
    tensorlane, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    docs = sources / "docs"
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "timing.md"
        shutil.copy(docs / "timing.md", page)
        subprocess.run([tensorlane, "validate", "--data", sources / "data/board", "--markdown", page], check=True,
                       stdout=subprocess.DEVNULL)
        made = sorted(path.name for path in pathlib.Path(folder).iterdir())
        assert len(made) >= 3, made
        stale = [name for name in made if not filecmp.cmp(docs / name, pathlib.Path(folder) / name, shallow=False)]
        assert not stale, f"renew with: tensorlane validate --markdown docs/timing.md ({stale})"


main()
