"""What a user does with the installed Python package.

    python3 use_package.py KERNELS README WORK

KERNELS is the folder of faulty.c, README the page whose listing is run beside rmsnorm.c, in the folder WORK.
"""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree
from importlib import metadata
from pathlib import Path

import numpy as np
import tensorlane

# What faulty.c does wrong, and as what that arrives.
FINE, DEFECTS = 0, {1: "TL-RACE-001", 2: "TL-MEMORY-002", 3: "TL-ARGS-001", 4: "TL-LAUNCH-002", 6: "TL-INIT-001"}

TEST = """
import tensorlane

@tensorlane.cases(shapes=[(2, 3), (4, 5)])
def test_fixture(bm1684x, shape):
    assert bm1684x.empty(shape).shape == shape
"""


def installed_once():
    """The version is the same everywhere, and what lies beside the code is there."""
    command = shutil.which("tensorlane", path=f"{Path(sys.executable).parent}:/usr/bin")
    told = subprocess.run([command, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    assert told == f"tensorlane {tensorlane.__version__}" == f"tensorlane {metadata.version('tensorlane')}", told
    package = Path(tensorlane.__file__).parent
    assert (package / "py.typed").is_file() and (package / "_native.pyi").is_file()
    assert metadata.metadata("tensorlane")["License"] and "numpy" in metadata.requires("tensorlane")


def readme_runs(readme, work):
    listings = re.findall(r"^```python\n(.*?)^```", readme.read_text(encoding="utf-8"), re.M | re.S)
    (work / "readme.py").write_text("\n".join(listings), encoding="utf-8")
    subprocess.run([sys.executable, "readme.py"], cwd=work, stdout=subprocess.DEVNULL, check=True)


def defects_are_exceptions(kernels):
    device = tensorlane.Device("bm1684")
    kernel = device.compile(kernels / "faulty.c")
    array = np.arange(64 * 8 * 8, dtype=np.float32).reshape(1, 64, 8, 8)
    given, output = device.tensor(array), device.empty(array.shape)
    for mode, id in DEFECTS.items():
        try:
            kernel.launch("faulty", output=output, input=given, mode=mode)
            output.numpy()
        except tensorlane.FindingError as error:
            finding = error.findings[0]
            assert finding.id == id and finding.explain(), (mode, str(error))
            assert mode == 6 or Path(finding.file).name == "faulty.c" and finding.line > 0, str(error)
        else:
            raise AssertionError(f"{id} is not found")
    kernel.launch("faulty", output=output, input=given, mode=FINE)
    assert (output.numpy() == array).all()


def pictures_show(work):
    device = tensorlane.Device("bm1684x")
    x = np.ones((128, 512), np.float32)
    output = device.empty(x.shape)
    launch = device.compile(work / "rmsnorm.c").launch(
        "rmsnorm", output=output, input=device.tensor(x), rows=128, cols=512, epsilon=1e-5)
    plan = tensorlane.plan("bm1684x", {"x": (1, 64, 8, 8)})
    for shown in (tensorlane.layout("bm1684x:32IC", (70, 40, 3, 3), "fp16"), launch.timeline, launch.memory_map, plan):
        assert xml.etree.ElementTree.fromstring(shown._repr_svg_()).tag.endswith("svg"), shown


def plug_in_is_found(work):
    (work / "test_fixture.py").write_text(TEST, encoding="utf-8")
    # Without -B pytest leaves bytecode of its own beside the plug-in, of which neither pip nor dpkg knows.
    subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_fixture.py"], cwd=work,
                   stdout=subprocess.DEVNULL, check=True)


def main():
    kernels, readme, work = (Path(word).absolute() for word in sys.argv[1:])
    installed_once()
    readme_runs(readme, work)
    defects_are_exceptions(kernels)
    pictures_show(work)
    plug_in_is_found(work)


main()
