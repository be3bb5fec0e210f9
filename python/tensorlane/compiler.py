"""Kernels from C and C++ sources, compiled as the vendor's model compiles them.

The library lands in a folder of the user's, under a name made from all that it depends on: the next
script, or another process at the same moment, finds it there. That is the preprocessed source, the
flags, the files that they name and the compiler with its environment; and, as the linker tells,
every library and object file that goes into it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

from . import _native, ppl, ppl_source
from .errors import CompileError, UserError
from .generated import chip_flags, helper_flags, kernels_in
from .inputs import Inputs, digest, files_named_in, libraries_in, linked_files, mark_of
from .texts import reason, tr

_INTERFACE_FLAGS = {
    "okkernel": ["-DUSING_CMODEL"],
    "tpukernel": ["-DUSING_CMODEL", "-fsigned-char"],
}
# What the compiler and the programs it calls look at, beyond what the preprocessed source shows.
_ENVIRONMENT = ("LIBRARY_PATH", "LD_RUN_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "LDEMULATION",
                "GCC_COMPARE_DEBUG", "CCC_OVERRIDE_OPTIONS", "GNUTARGET", "COLLECT_GCC_OPTIONS")
_LINKED_SUFFIXES = {".o", ".a", ".so", ".obj"}
_CPP_SUFFIXES = {".cc", ".cpp", ".cxx", ".C"}


def cache_folder() -> Path:
    """Where compiled kernels are kept: TENSORLANE_CACHE, else tensorlane in XDG_CACHE_HOME or
    ~/.cache. May be deleted at any time."""
    own = os.environ.get("TENSORLANE_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "tensorlane"


def include_folders(chip: str, dialect: str = "") -> list[Path]:
    """The folders of the headers that kernels for ``chip`` include ("okk.h", "tpu_kernel.h"), and
    those of a ``dialect`` before them ("ppl")."""
    sdk = Path(__file__).parent / "sdk"
    folders = [*([sdk / dialect / "include"] if dialect else []),
               sdk / _native.interface_of(chip) / "include", sdk / "okkernel" / "include"]
    return list(dict.fromkeys(folders))


def compile_kernels(chip: str, sources: Sequence[Path], flags: Sequence[str] = (),
                    defines: Mapping[str, object] | None = None) -> Path:
    """The shared library of kernels for ``chip``; see Device.compile."""
    sources = [_launcher(chip, source, flags, defines) if is_ppl(source) else source
               for source in sources]
    files, command = _command(chip, sources, flags, defines)
    key = _key(files, command, flags)
    folder, name = cache_folder() / "kernels", f"{files[0].stem}-{key}"
    told = Inputs(cache_folder() / "inputs" / f"{name}.json")
    library = told.library(folder)
    if library is None:
        _make_folder(folder)
        # Several processes may compile the same: each renames a file of its own, all are alike.
        with tempfile.TemporaryDirectory(dir=folder) as private:
            built = Path(private) / "kernel.so"
            # _native bears the name libbmlib.so: the kernels ask for it and find it loaded.
            linked_last = libraries_in(flags)
            words = [word for word in command if word not in linked_last]
            said = _run([*words, "-shared", "-Wl,-z,lazy", "-Wl,--trace", *map(str, files),
                         *linked_last, "-o", str(built), _native.__file__, "-lm"])
            linked = [file for file in linked_files(said.decode(errors="replace"))
                      if file != Path(_native.__file__).absolute()]
            library = folder / f"{name[:-12]}{digest(linked)[:12]}.so"
            os.replace(built, library)
        _make_folder(told.path.parent)
        told.keep(library, linked)
    return library


def _key(files: Sequence[Path], command: Sequence[str], flags: Sequence[str]) -> str:
    """What stands for all that is known before anything is compiled."""
    key = hashlib.sha256("\0".join([*command, _version(command), _native.__file__]).encode())
    for name in _ENVIRONMENT:
        key.update(f"{name}={os.environ.get(name)}\0".encode())
    for file in files:
        if file.suffix in _LINKED_SUFFIXES:
            key.update(file.read_bytes())
            continue
        text = _run([*command, "-E", str(file)])
        key.update(text)
        for name in re.findall(rb'\.incbin\s+\\?"([^"\\]+)', text):  # the assembler's own include
            key.update(_found(os.fsdecode(name), command))
    for file in files_named_in([*command[1:], *flags]):
        key.update(f"{file}\0".encode() + file.read_bytes())
    return key.hexdigest()[:32]


def _found(name: str, command: Sequence[str]) -> bytes:
    folders = [word[2:] for word in command if word.startswith("-I")]
    for folder in (".", *folders):
        file = Path(folder) / name
        if file.is_file():
            return file.read_bytes()
    return os.urandom(16)  # the assembler says what is wrong, or knows more


def is_ppl(source: str | os.PathLike[str]) -> bool:
    """Whether a file is in the PPL dialect, by its name."""
    return Path(source).suffix == ".pl"


def ppl_flags(chip: str, flags: Sequence[str] = ()) -> list[str]:
    """How files in the PPL dialect are compiled, without the name of the compiler."""
    if _native.interface_of(chip) != "tpukernel":
        raise UserError(tr("kernels in PPL are over tpu_kernel.h; {} has another interface", chip))
    own = [word for word in flags if word.startswith("-I")]  # a user's wrappers come first
    count = json.loads(_native.chip_facts(chip))["cores"]
    # Files have the numbers of the BM1690 and the SG2260E themselves.
    cores = [f"-D{name}={count}" for name in ("BLOCK_NUM", "CORE_NUM")] if count <= 2 else []
    return [*ppl.FLAGS, *chip_flags(chip), *cores, *own,
            *(f"-I{folder}" for folder in include_folders(chip, "ppl"))]


def compiler_words(chip: str, source: Path, flags: Sequence[str] = (),
                   defines: Mapping[str, object] | None = None, output: str = "") -> list[str]:
    """How a `.pl` file is compiled to a library."""
    files, command = _command(chip, [_launcher(chip, source, flags, defines)], flags, defines)
    return [*command, "-shared", "-Wl,-z,lazy", *map(str, files), "-o", output]


def _launcher(chip: str, source: Path, flags: Sequence[str],
              defines: Mapping[str, object] | None) -> Path:
    """The C++ file that makes the kernels of a `.pl` file launchable."""
    file = Path(source).absolute()
    kernels = ppl_source.kernels_in(_preprocessed(chip, file, flags, defines, ["-P"]))
    if not kernels:
        raise UserError(tr("'{}' has no function marked __KERNEL__", file))
    return source_file(ppl_source.launcher_text(str(file), kernels), ".ppl.cc")


def kernels_of(chip: str, source: Path, flags: Sequence[str] = (),
               defines: Mapping[str, object] | None = None) -> list[ppl_source.PplKernel]:
    """The kernels of a `.pl` file."""
    return ppl_source.kernels_in(_preprocessed(chip, Path(source).absolute(), flags, defines, ["-P"]))


def test_library(chip: str, source: Path, flags: Sequence[str] = (),
                 defines: Mapping[str, object] | None = None) -> tuple[Path, list[str]]:
    """A library of the tests of a `.pl` file, and their names."""
    text = _preprocessed(chip, Path(source).absolute(), flags, defines, [])
    file = source_file(ppl_source.tests_text(text), ".ppl.cc")
    return compile_kernels(chip, [file], flags, defines), ppl_source.tests_in(text)


def _preprocessed(chip: str, file: Path, flags: Sequence[str],
                  defines: Mapping[str, object] | None, more: Sequence[str]) -> str:
    """The text of a `.pl` file in which the marks of kernels and tests can be told."""
    if not file.is_file():
        raise UserError(tr("source '{}' is no file", file))
    return _run([*_compiler("CXX", "c++"), *ppl_flags(chip, flags),
                 *(f"-D{name}={value}" for name, value in (defines or {}).items()), *flags,
                 f"-D__KERNEL__={ppl_source.MARK}", f"-D__TEST__={ppl_source.TEST_MARK}", "-x",
                 "c++", "-E", *more, str(file)]).decode(errors="replace")


def source_dependencies(chip: str, sources: Sequence[Path], flags: Sequence[str] = (),
                        defines: Mapping[str, object] | None = None) -> list[Path]:
    """The files that kernels are made of: ``sources`` and the headers they include, without those
    of the system."""
    sources = [_launcher(chip, source, flags, defines) if is_ppl(source) else source
               for source in sources]
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
    files = kernels_in([Path(source).absolute() for source in sources])
    for file in files:
        if not file.is_file():
            raise UserError(tr("source '{}' is no file", file))
    interface = _native.interface_of(chip)
    compiler = _compiler("CXX", "c++") if any(f.suffix in _CPP_SUFFIXES for f in files) else (
        _compiler("CC", "cc"))
    if any(file.name.endswith(".ppl.cc") for file in files):
        command = [*compiler, *ppl_flags(chip, flags), "-D__KERNEL__=__attribute__((noinline))",
                   *(f"-D{name}={value}" for name, value in (defines or {}).items()), *flags]
        return files, command
    helpers = Path(__file__).parent / "sdk" / interface / "generated"
    command = [*compiler, "-O2", "-g", "-fPIC", *_INTERFACE_FLAGS[interface], *chip_flags(chip),
               *(f"-I{folder}" for folder in include_folders(chip)),
               *(helper_flags(files, helpers) if helpers.is_dir() else ()),
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


_versions: dict[tuple[str, str], str] = {}


def _version(compiler: Sequence[str]) -> str:
    """What a compiler says of itself, and which file it is."""
    program = shutil.which(compiler[0]) or compiler[0]
    place = f"{program} {mark_of(Path(program))}"
    if (compiler[0], place) not in _versions:
        said = _run([compiler[0], "--version"]).decode(errors="replace")
        _versions[compiler[0], place] = place + said
    return _versions[compiler[0], place]


def _run(command: Sequence[str]) -> bytes:
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode != 0:
        raise CompileError(command, result.stderr.decode(errors="replace"))
    return result.stdout
