"""What a compiled library was made of, and whether that is still the same."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Iterable, Sequence

# Options whose value is the next word.
_WITH_A_VALUE = {"-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-I", "-L", "-D", "-U",
                 "-x", "-T", "-B", "-u", "-z", "-l", "-Xlinker", "-Xassembler", "-Xpreprocessor",
                 "--param"}
_OF_THE_SYSTEM = ("/usr/", "/lib/", "/lib64/")


def mark_of(file: Path) -> str:
    """What changes with a file: its content; of those of the system, which are large and change
    with their packages, size and time. Empty where there is none."""
    try:
        if str(file).startswith(_OF_THE_SYSTEM):
            facts = file.stat()
            return f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def digest(files: Iterable[Path]) -> str:
    """One number for files and what is in them."""
    return hashlib.sha256("\0".join(f"{file}\0{mark_of(file)}" for file in files).encode()
                          ).hexdigest()


def files_named_in(flags: Sequence[str]) -> list[Path]:
    """The files that flags of a compiler name: objects, responses ("@file"), scripts of the linker
    ("-Wl,--version-script=file", "-T file"), and all that "-l" and "-L" may mean."""
    names = [part for flag in flags for part in re.split("[,=@]", flag)]
    names += [flag[2:] for flag in flags if flag.startswith(("-T", "-B"))]
    folders = [*_values(flags, "-L"), *os.environ.get("LIBRARY_PATH", "").split(":")]
    for library in _values(flags, "-l"):
        forms = [library[1:]] if library.startswith(":") else [f"lib{library}.so", f"lib{library}.a"]
        names += [os.path.join(folder, form) for folder in filter(None, folders) for form in forms]
    files = (Path(name) for name in dict.fromkeys(names) if name and not name.startswith("-"))
    return [file for file in files if _is_file(file)]


def libraries_in(flags: Sequence[str]) -> list[str]:
    """The flags that the linker has to see after the sources, whose functions they hold."""
    return [flag for before, flag in zip(["", *flags], flags)
            if flag.startswith(("-l", "@")) or
            not flag.startswith("-") and before not in _WITH_A_VALUE and _is_file(Path(flag))]


def _values(flags: Sequence[str], option: str) -> list[str]:
    """Of an option whose value follows at once or as the next word."""
    found = [flag[2:] for flag in flags if flag.startswith(option) and len(flag) > 2]
    return found + [value for flag, value in zip(flags, flags[1:]) if flag == option]


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):  # a word that is no name at all
        return False


def linked_files(said: str) -> list[Path]:
    """The files that a linker tells of with --trace, without those it made on the way."""
    lines = (re.sub(r"\(.*", "", line).strip() for line in said.splitlines())
    files = (Path(line) for line in dict.fromkeys(lines) if line)
    return sorted(file.absolute() for file in files if _is_file(file) and
                  not str(file).startswith(tempfile.gettempdir() + "/cc"))


class Inputs:
    """A note beside a compiled library: what the linker put into it."""

    def __init__(self, path: Path):
        self.path = path

    def library(self, folder: Path) -> Path | None:
        """The library in ``folder``, if it is there and nothing has changed since."""
        try:
            note = json.loads(self.path.read_text(encoding="utf-8"))
            library = folder / note["library"]
            same = all(mark_of(Path(file)) == mark for file, mark in note["linked"].items())
        except (OSError, ValueError, KeyError):
            return None
        return library if same and library.is_file() else None

    def keep(self, library: Path, linked: Iterable[Path]) -> None:
        """Writes the note, whole or not at all."""
        note = {"library": library.name, "linked": {str(file): mark_of(file) for file in linked}}
        with tempfile.NamedTemporaryFile("w", dir=self.path.parent, delete=False,
                                         encoding="utf-8") as out:
            json.dump(note, out)
        os.replace(out.name, self.path)
