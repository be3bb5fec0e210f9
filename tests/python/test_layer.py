"""The layer of lesson 13 in all its kinds of numbers: right, and silent, for prompts of several blocks too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LAYER = Path(__file__).parents[2] / "examples" / "learn" / "layer" / "layer.py"


def run(*words):
    result = subprocess.run([sys.executable, LAYER, *words], capture_output=True, text=True, check=False)
    assert result.returncode == 0 and result.stdout.endswith("right\n"), result.stdout + result.stderr


@pytest.mark.parametrize("tokens", [1, 130])
def test_small(tokens):
    run("--tokens", str(tokens))


@pytest.mark.skipif("TENSORLANE_FULL_LAYER" not in os.environ, reason="half a minute: ctest -L full")
def test_full():
    run("--size", "full")
