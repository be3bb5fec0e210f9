#!/usr/bin/env python3
"""Makes a wheel of an installed Python package.

    scripts/make_wheel.py TREE OUTPUT

TREE holds the folders tensorlane and tensorlane-VERSION.dist-info and is changed: the libraries that its programs need
beside those of every Linux are copied into tensorlane/lib, under names of their own, and found there by $ORIGIN.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

SOURCE = Path(__file__).parents[1]

# What a system whose C library is new enough has, by PEP 600.
EVERYWHERE = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux[-\w]*)\.so\.\d+")


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def programs_in(folder):
    """Programs and shared libraries."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def libraries_of(program):
    """The libraries that the loader brings in for `program` and that not every system has: names and files."""
    found = re.findall(r"^\s*(\S+) => (\S+) \(", output_of("ldd", str(program)), re.M)
    return {name: Path(file).resolve() for name, file in found if not EVERYWHERE.fullmatch(name)}


def copy_licence(library, folder):
    """The terms of the Debian package that a library is of."""
    package = output_of("dpkg-query", "--search", f"*/{library.name}").split(":")[0]
    shutil.copy(f"/usr/share/doc/{package}/copyright", folder / f"{package}.txt")


def bundle(package, licences):
    """Copies foreign libraries into the package. Each gets a name made from its content, so that no other package's
    library of the same name stands in for it in one process."""
    folder = package / "lib"
    programs = list(programs_in(package))
    foreign = {}
    for program in programs:
        foreign.update(libraries_of(program))
    names = {}
    for name, file in foreign.items():
        stem, _, rest = name.partition(".so")
        names[name] = f"{stem}-{hashlib.sha256(file.read_bytes()).hexdigest()[:8]}.so{rest}"
        shutil.copy(file, folder / names[name])
        output_of("patchelf", "--set-soname", names[name], str(folder / names[name]))
        copy_licence(file, licences)
    for program in [*programs, *(folder / name for name in names.values())]:
        needed = output_of("patchelf", "--print-needed", str(program)).split()
        replaced = [word for name in needed if name in names for word in ("--replace-needed", name, names[name])]
        place = os.path.relpath(folder, program.parent)
        # One after the other: patchelf 0.14 forgets the first of two changes that both need room.
        if replaced:
            output_of("patchelf", *replaced, str(program))
        output_of("patchelf", "--set-rpath", f"$ORIGIN/{place}" if place != "." else "$ORIGIN", str(program))


def tag():
    """For this Python, and for systems with the C library of this one or a newer one."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    name, version = platform.libc_ver()
    machine = sysconfig.get_platform().split("-")[-1]
    system = f"manylinux_{version.replace('.', '_')}" if name == "glibc" else "linux"
    return f"{python}-{python}-{system}_{machine}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tree, output = Path(sys.argv[1]), Path(sys.argv[2])
    (metadata,) = tree.glob("tensorlane-*.dist-info")
    licences = metadata / "licenses"
    licences.mkdir()
    shutil.copy(SOURCE / "LICENSE", metadata)
    shutil.copy(SOURCE / "python" / "wheel" / "tensorlane_program.py", tree)
    with open(metadata / "entry_points.txt", "a", encoding="utf-8") as file:
        file.write("\n[console_scripts]\ntensorlane = tensorlane_program:main\n")
    (metadata / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: {Path(__file__).name}\nRoot-Is-Purelib: false\n"
                                    f"Tag: {tag()}\n", encoding="utf-8")
    bundle(tree / "tensorlane", licences)
    output.mkdir(parents=True, exist_ok=True)
    # It writes RECORD too.
    output_of(sys.executable, "-m", "wheel", "pack", str(tree), "--dest-dir", str(output))


if __name__ == "__main__":
    main()
