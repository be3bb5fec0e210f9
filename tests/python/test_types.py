"""mypy has nothing to say about the package, and every name of it has a docstring."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tensorlane

PACKAGE = Path(__file__).parents[2] / "python"


def test_mypy_is_content(tmp_path):
    pytest.importorskip("mypy")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "-p", "tensorlane"],
        cwd=PACKAGE, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_the_stub_names_what_the_module_has():
    stub = (PACKAGE / "tensorlane" / "_native.pyi").read_text()
    native = tensorlane._native
    for name in (name for name in dir(native) if not name.startswith("__")):
        assert f"def {name}(" in stub or f"class {name}" in stub or f"{name}:" in stub, name
        thing = getattr(native, name)
        if inspect.isclass(thing):
            for member in (member for member in vars(thing) if not member.startswith("_")):
                assert f"def {member}(" in stub, f"{name}.{member}"


@pytest.mark.parametrize("name", tensorlane.__all__)
def test_public_names_have_docstrings(name):
    thing = getattr(tensorlane, name)
    if inspect.isclass(thing):
        assert thing.__doc__
        for member, value in vars(thing).items():
            if not member.startswith("_") and inspect.isfunction(value):
                assert value.__doc__, f"{name}.{member}"
    elif callable(thing):
        assert thing.__doc__
