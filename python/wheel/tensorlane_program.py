"""The command `tensorlane` of the wheel: hands over to the program that lies in the package."""

import os
import sys
from importlib.util import find_spec


def main():
    # Found, not imported: the program needs neither numpy nor the emulator in this process.
    package = os.path.dirname(find_spec("tensorlane").origin)
    # Whose package it is where no shell has activated the environment.
    os.environ.setdefault("TENSORLANE_PYTHON", sys.executable)
    os.execv(os.path.join(package, "bin", "tensorlane"), sys.argv)
