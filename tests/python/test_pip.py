"""pip makes the wheel that scripts/wheel.sh makes, and needs no network for it."""

import os
import shutil
import subprocess
import sys
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
