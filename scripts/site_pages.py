"""A hook of mkdocs: takes the pages that the program writes into the site, and makes links to them where pages of docs have a mark.

The reference and the gallery come from the program itself (scripts/write_pages.sh), of the first of these builds that has one: that of
TENSORLANE, a path of the program, then build/release, build/package. In a clone a reader has no such pages, so that

    <!-- site:gallery.md -->gallery<!-- end -->

is a link on the site and plain words elsewhere.
"""
import os
import pathlib
import re
import subprocess
import tempfile

from mkdocs.exceptions import Abort
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).parents[1]
MARKED = re.compile(r"<!-- site:(\S+) -->(.*?)<!-- end -->", re.S)
FOLDER = tempfile.TemporaryDirectory(prefix="tensorlane pages ")


def program():
    named = os.environ.get("TENSORLANE")
    built = [ROOT / "build" / preset / "tools/tensorlane/tensorlane" for preset in ("release", "package")]
    for path in [pathlib.Path(named)] if named else built:
        if path.is_file():
            return path
    raise Abort(f"no program to write the reference and the gallery: {named or 'build it by ./demo.sh or name it by TENSORLANE'}")


def on_files(files, *, config):
    subprocess.run([ROOT / "scripts/write_pages.sh", program(), FOLDER.name], check=True)
    for path in sorted(pathlib.Path(FOLDER.name).rglob("*.*")):
        name = path.relative_to(FOLDER.name).as_posix()
        files.append(File(name, FOLDER.name, config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, *, page, config, files):
    return MARKED.sub(r"[\2](\1)", markdown)
