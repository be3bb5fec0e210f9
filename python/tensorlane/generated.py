"""Kernels that compilers write: which files of a folder they are, and the flags that such C needs.

As `tensorlane build` has it. Some of these compilers write into each file what others leave to
ppl_helper.h, which is told by a macro.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Sequence

from .errors import UserError
from .texts import tr

# What sources ask for the chip they are compiled for, beyond the macros of the interface.
_CHIP_DEFINES = {
    "bm1684x": ["BACKEND_1684X", "BACKEND_BM1684X", "__bm1684x__", "__tpu_6_0__"],
    "bm1688": ["BACKEND_1688", "BACKEND_BM1686", "__bm1688__", "__tpul_6_0__"],
    "bm1690": ["BACKEND_SG2260", "__bm1690__", "__tpub_7_1__"],
    "sg2260e": ["BACKEND_SG2260E", "__sg2260e__", "__tpub_7_1_e__"],
}
_OWN = {
    "TENSORLANE_OWN_TENSOR_INFO": rb"\}\s*__ppl_tensor_info\s*;",
    "TENSORLANE_OWN_GET_DTYPE": rb"\b__ppl_get_dtype\s*\(\s*int\s+\w+\s*\)\s*\{",
}
_KERNELS = rb"KERNEL_FUNC_REGISTER|\b(?:tpu|okk)_(?:bdc|gdma|initialize|poll)"


def chip_flags(chip: str) -> list[str]:
    """The macros of a chip, for the compiler."""
    return [f"-D{name}" for name in _CHIP_DEFINES.get(chip, [])]


def kernels_in(paths: Sequence[Path]) -> list[Path]:
    """The files among ``paths``, and of the folders those with kernels."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        found = [file for file in sorted(path.glob("*.c")) if re.search(_KERNELS, file.read_bytes())]
        if not found:
            raise UserError(tr("no kernels in the folder '{}'", path))
        files += found
    return files


def helper_flags(files: Sequence[Path], folder: Path) -> list[str]:
    """Where the headers of generated C are, behind all others, and what of them ``files`` have of
    their own."""
    texts = [file.read_bytes() for file in files if file.suffix == ".c"]
    own = [f"-D{name}" for name, pattern in _OWN.items()
           if any(re.search(pattern, text) for text in texts)]
    return [*own, "-idirafter", str(folder)]
