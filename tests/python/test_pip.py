"""pip makes the wheel that scripts/wheel.sh makes, of the repository and of its source distribution, and needs no network for it."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Makes a wheel as small as one can be, and notes how it was called.
WHEEL_SH = f"""#!/bin/sh
echo "words: $* python: $(env | grep ^PYTHON)" > called
mkdir -p build/wheel
{sys.executable} - <<END
import zipfile
with zipfile.ZipFile("build/wheel/tensorlane-0.9-py3-none-any.whl", "w") as wheel:
    info = "tensorlane-0.9.dist-info/"
    wheel.writestr("tensorlane/__init__.py", "")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: tensorlane\\nVersion: 0.9\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "tensorlane/__init__.py,,\\n")
END
echo "what the script says"
"""


@pytest.mark.parametrize("build", ["", "build/release"])
def test_pip_takes_the_wheel_of_the_script(tmp_path, build):
    pytest.importorskip("pip")
    copy = tmp_path / "tree"
    (copy / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copy(ROOT / "scripts" / "pip_backend.py", copy / "scripts")
    (copy / "scripts" / "wheel.sh").write_text(WHEEL_SH)
    (copy / "scripts" / "wheel.sh").chmod(0o700)
    settings = ["--config-settings", f"build={build}"] if build else []
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-cache-dir", ".", "-w",
         tmp_path, *settings], cwd=copy, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "tensorlane-0.9-py3-none-any.whl").is_file()
    assert (copy / "called").read_text() == f"words: {build} python: \n"


def test_the_sources_are_those_of_git_and_make_the_wheel(tmp_path):
    """Twice the same bytes, without what git does not have; the wheel comes of the unpacked sources alone."""
    pytest.importorskip("pip")
    copy = tmp_path / "tree"
    (copy / "scripts").mkdir(parents=True)
    (copy / "python" / "metadata").mkdir(parents=True)
    for name in ("pyproject.toml", "CMakeLists.txt", "scripts/pip_backend.py", "python/metadata/METADATA.in"):
        shutil.copy(ROOT / name, copy / name)
    (copy / "scripts" / "wheel.sh").write_text(WHEEL_SH)
    (copy / "scripts" / "wheel.sh").chmod(0o755)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=copy, check=True)
    (copy / "stray").write_text("not in git")
    packed = []
    for turn in ("a", "b"):
        (tmp_path / turn).mkdir()
        subprocess.run([copy / "scripts" / "pip_backend.py", tmp_path / turn], check=True, stdout=subprocess.DEVNULL)
        (archive,) = (tmp_path / turn).iterdir()
        packed.append(archive)
    assert packed[0].read_bytes() == packed[1].read_bytes()
    version = re.fullmatch(r"tensorlane-([\d.]+)\.tar\.gz", packed[0].name).group(1)
    with tarfile.open(packed[0]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
        assert archive.getmember(f"tensorlane-{version}/scripts/wheel.sh").mode == 0o755
        info = archive.extractfile(f"tensorlane-{version}/PKG-INFO").read().decode()
    assert names == {"pyproject.toml", "CMakeLists.txt", "scripts/pip_backend.py", "scripts/wheel.sh", "python/metadata/METADATA.in",
                     "PKG-INFO", "SOURCES"}
    assert f"\nVersion: {version}\n" in info and "@" not in info.split("\n\n")[0]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-cache-dir", packed[0], "-w", tmp_path / "out"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out" / "tensorlane-0.9-py3-none-any.whl").is_file()
