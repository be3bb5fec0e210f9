"""What `pip install .` asks (PEP 517): the wheel, by scripts/wheel.sh, which has what it needs from Debian.

    pip install .                                           builds what is missing first
    pip install . --config-settings build=build/release     from this build tree, as it stands

Nothing is fetched: there is nothing here that pip would have to install before.
"""

import os
import shutil
import subprocess
import sys
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


class UnsupportedOperation(Exception):
    """PEP 517's word for what a backend does not do."""


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("a source distribution is the repository itself")
