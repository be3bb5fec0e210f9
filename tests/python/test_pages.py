"""Every listing of the pages runs, each page as one script; the tutorial runs as a notebook; the examples are right."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "python"


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/zh/python.md", "docs/verify.md"])
def test_listings_run(page, tmp_path):
    for kernel in EXAMPLES.glob("*.c"):
        shutil.copy(kernel, tmp_path)
    listings = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert listings
    script = tmp_path / "page.py"
    script.write_text("\n".join(listings))
    result = subprocess.run([sys.executable, script.name], cwd=tmp_path, capture_output=True,
                            text=True, check=False)
    assert result.returncode == 0, result.stderr
    if "def test_" in script.read_text():
        tests = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                                script.name], cwd=tmp_path, capture_output=True, text=True,
                               check=False)
        assert tests.returncode == 0, tests.stdout


@pytest.mark.parametrize("page", ["python.md", "tuning.md", "verify.md"])
def test_both_languages_have_the_same_listings(page):
    english, chinese = (re.findall(r"^```.*?^```", (ROOT / folder / page).read_text(), re.M | re.S)
                        for folder in ("docs", "docs/zh"))
    assert english == chinese


def test_the_examples_run():
    for command in (["rmsnorm.py"], ["-m", "pytest", "-q", "-p", "no:cacheprovider"]):
        result = subprocess.run([sys.executable, *command], cwd=EXAMPLES, capture_output=True,
                                text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr


def test_the_tutorial_runs():
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    folder = ROOT / "docs" / "notebooks"
    spec = importlib.util.spec_from_file_location("make_notebook",
                                                  ROOT / "scripts" / "make_notebook.py")
    make_notebook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_notebook)
    notebook = make_notebook.notebook_of((folder / "tutorial.py").read_text())
    make_notebook.run(notebook)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code"
               for output in cell.outputs]
    pictures = [output.data["image/svg+xml"] for output in outputs
                if "image/svg+xml" in output.get("data", {})]
    assert len(pictures) == 4  # layout, timeline, memory map, tuning
    said = "".join(output.get("text", "") for output in outputs)
    assert "TL-MEMORY-002" in said and "modelled time of 'scale'" in said
    # The tuned one is neither the smallest nor the largest, and right.
    ranking = re.findall(r"(ok|failed)? +TILE=(\d+)", said)
    assert len(ranking) == 7 and ranking[0][0] == "ok" and 128 < int(ranking[0][1]) < 8192
