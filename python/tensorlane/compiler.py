"""Kernels from C and C++ sources, compiled as the vendor's model compiles them.

The library lands in a folder of the user's, under a name made from the preprocessed source, the
flags and the compiler: the next script, or another process at the same moment, finds it there.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

from . import _native
from .errors import CompileError, UserError
from .texts import reason, tr

_INTERFACE_FLAGS = {
    "okkernel": ["-DUSING_CMODEL"],
    "tpukernel": ["-DUSING_CMODEL", "-DBACKEND_1684X", "-fsigned-char"],
}
_CPP_SUFFIXES = {".cc", ".cpp", ".cxx", ".C"}


def cache_folder() -> Path:
    """Where compiled kernels are kept: TENSORLANE_CACHE, else tensorlane in XDG_CACHE_HOME or
    ~/.cache. May be deleted at any time."""
    own = os.environ.get("TENSORLANE_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "tensorlane"


def include_folders(chip: str) -> list[Path]:
    """The folders of the headers that kernels for ``chip`` include ("okk.h", "tpu_kernel.h")."""
    sdk = Path(__file__).parent / "sdk"
    folders = [sdk / _native.interface_of(chip) / "include", sdk / "okkernel" / "include"]
    return list(dict.fromkeys(folders))


def compile_kernels(chip: str, sources: Sequence[Path], flags: Sequence[str] = (),
                    defines: Mapping[str, object] | None = None) -> Path:
    """The shared library of kernels for ``chip``; see Device.compile."""
    files, command = _command(chip, sources, flags, defines)
    key = hashlib.sha256("\0".join([*command, _version(command), _native.__file__]).encode())
    for file in files:
        key.update(_run([*command, "-E", str(file)]))
    folder = cache_folder() / "kernels"
    library = folder / f"{files[0].stem}-{key.hexdigest()[:32]}.so"
    if not library.exists():
        _make_folder(folder)
        # Several processes may compile the same: each renames a file of its own, all are alike.
        with tempfile.TemporaryDirectory(dir=folder) as private:
            built = Path(private) / "kernel.so"
            # _native bears the name libbmlib.so: the kernels ask for it and find it loaded.
            _run([*command, "-shared", "-Wl,-z,lazy", *map(str, files), "-o", str(built),
                  _native.__file__, "-lm"])
            os.replace(built, library)
    return library


def source_dependencies(chip: str, sources: Sequence[Path], flags: Sequence[str] = (),
                        defines: Mapping[str, object] | None = None) -> list[Path]:
    """The files that kernels are made of: ``sources`` and the headers they include, without those
    of the system."""
    files, command = _command(chip, sources, flags, defines)
    found: list[Path] = []
    for file in files:
        rule = _run([*command, "-MM", "-MT", "kernel", str(file)]).decode()
        # A rule of make: a space in a name has a backslash before it.
        names = re.split(r"(?<!\\)\s+", rule.replace("\\\n", " ").split(":", 1)[1].strip())
        found += [Path(name.replace("\\ ", " ")) for name in names]
    return list(dict.fromkeys(found))


def _command(chip: str, sources: Sequence[Path], flags: Sequence[str],
             defines: Mapping[str, object] | None) -> tuple[list[Path], list[str]]:
    """The files, and how the compiler is called for them."""
    files = [Path(source).absolute() for source in sources]
    for file in files:
        if not file.is_file():
            raise UserError(tr("source '{}' is no file", file))
    compiler = _compiler("CXX", "c++") if any(f.suffix in _CPP_SUFFIXES for f in files) else (
        _compiler("CC", "cc"))
    command = [*compiler, "-O2", "-g", "-fPIC", *_INTERFACE_FLAGS[_native.interface_of(chip)],
               *(f"-I{folder}" for folder in include_folders(chip)),
               *(f"-D{name}={value}" for name, value in (defines or {}).items()), *flags]
    return files, command


def source_file(text: str, suffix: str) -> Path:
    """A file in the cache that holds ``text``, so that findings can show its lines."""
    folder = cache_folder() / "sources"
    file = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}{suffix}"
    if not file.exists():
        _make_folder(folder)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as out:
            out.write(text)
        os.replace(out.name, file)
    return file


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UserError(tr("the cache '{}' cannot be made ({}); TENSORLANE_CACHE names another "
                           "folder", folder, reason(error))) from None


def _compiler(variable: str, default: str) -> list[str]:
    words = os.environ.get(variable, "").split() or [default]
    if shutil.which(words[0]) is None:
        raise UserError(tr("no compiler '{}'; install gcc and g++, or set {}", words[0], variable))
    return words


_versions: dict[str, str] = {}


def _version(compiler: Sequence[str]) -> str:
    if compiler[0] not in _versions:
        _versions[compiler[0]] = _run([*compiler, "--version"]).decode(errors="replace")
    return _versions[compiler[0]]


def _run(command: Sequence[str]) -> bytes:
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode != 0:
        raise CompileError(command, result.stderr.decode(errors="replace"))
    return result.stdout
