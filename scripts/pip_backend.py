#!/usr/bin/env python3
"""What `pip install .` asks (PEP 517): the wheel, by scripts/wheel.sh, which has what it needs from Debian; and the sources.

    pip install .                                           builds what is missing first
    pip install . --config-settings build=build/release     from this build tree, as it stands
    scripts/pip_backend.py FOLDER                           tensorlane-VERSION.tar.gz into FOLDER: the files that git has; pip
                                                            installs it like the repository

Nothing is fetched: there is nothing here that pip would have to install before.
"""

import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = (config_settings or {}).get("build")
    # pip hides the system's packages from the Python of a build; the script asks for some by name.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([ROOT / "scripts" / "wheel.sh", *([build] if build else [])], cwd=ROOT, env=environment,
                   stdout=sys.stderr, check=True)
    (wheel,) = (ROOT / "build" / "wheel").glob("tensorlane-*.whl")
    shutil.copy(wheel, wheel_directory)
    return wheel.name


def project(word):
    """What CMakeLists.txt says of the project: its VERSION, its DESCRIPTION."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(rf"^project\([^)]*?\b{word} \"?([^\")\s][^\")\n]*?)(\"| LANGUAGES|\))", text, re.M | re.S).group(1)


def metadata():
    """That of the wheel."""
    template = (ROOT / "python" / "metadata" / "METADATA.in").read_text(encoding="utf-8")
    return re.sub(r"@PROJECT_(\w+)@", lambda found: project(found.group(1)), template)


def sources():
    """The files of the repository; those of an unpacked source distribution, which has no git, are all that it lists."""
    if (ROOT / "PKG-INFO").is_file():
        return (ROOT / "SOURCES").read_text(encoding="utf-8").splitlines()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    names = sorted(name for name in listed.decode().split("\0") if name)
    return [name for name in names if (ROOT / name).is_file() or (ROOT / name).is_symlink()]


def build_sdist(sdist_directory, config_settings=None):
    """The same bytes for the same files: owners and times are left out."""
    name = f"tensorlane-{project('VERSION')}"
    target = Path(sdist_directory) / f"{name}.tar.gz"
    names = sources()
    made = {"PKG-INFO": metadata(), "SOURCES": "".join(f"{each}\n" for each in names)}
    with open(target, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for each in names:
            entry = archive.gettarinfo(str(ROOT / each), f"{name}/{each}")
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            entry.mode = 0o755 if entry.mode & 0o100 else 0o644
            if entry.isfile():
                with open(ROOT / each, "rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)
        for each, text in made.items():
            content = text.encode()
            entry = tarfile.TarInfo(f"{name}/{each}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target.name


if __name__ == "__main__":
    print(build_sdist(sys.argv[1]))
