"""The pytest plug-in: a suite with failures of every kind, run by a pytest of its own."""

import importlib.util
import os
import re
import subprocess
import sys
import textwrap

import pytest
from conftest import KERNELS

SUITE = textwrap.dedent("""
    import numpy as np
    import pytest
    import tensorlane

    FINE, RACE, OUTSIDE, LIMIT, CRASH, HANG, UNINITIALISED = range(7)

    def run(device, mode, array):
        kernel = device.compile({kernel!r})
        output = device.empty(array.shape, array.dtype)
        kernel.launch("faulty", output=output, input=device.tensor(array), mode=mode)
        return output

    ARRAY = np.arange(64 * 8 * 8, dtype=np.float32).reshape(1, 64, 8, 8)

    def test_right(bm1684):
        tensorlane.assert_equal(run(bm1684, FINE, ARRAY), ARRAY)

    @tensorlane.cases(shapes=[(1, 64, 8, 8), (64, 64)], dtypes=["fp32", "int32"], add=[0, 1])
    def test_cases(bm1684, shape, dtype, add):
        array = np.full(shape, add, tensorlane.numpy_dtype(dtype))
        tensorlane.assert_equal(run(bm1684, FINE, array), array)

    def test_wrong_numbers(bm1684):
        wrong = ARRAY.copy()
        wrong[:, 32:] = 0
        tensorlane.assert_close(run(bm1684, FINE, wrong), ARRAY)

    def test_race(bm1684):
        run(bm1684, RACE, ARRAY)

    @pytest.mark.tensorlane(allow=["TL-RACE-001", "TL-LINT-*"], dma="late")
    def test_allowed_race(bm1684):
        run(bm1684, RACE, ARRAY)

    def test_expected_race(bm1684):
        with pytest.raises(tensorlane.FindingError):
            run(bm1684, RACE, ARRAY)

    def test_crash(bm1684):
        run(bm1684, CRASH, ARRAY)

    def test_of_the_other_chip(bm1684x):
        np.testing.assert_array_equal(bm1684x.tensor(ARRAY).numpy(), ARRAY)
""")


FATAL = textwrap.dedent("""
    import os
    import pytest
    import tensorlane

    def launch(device, mode):
        output = device.empty(16)
        device.compile({kernel!r}).launch("escapes", output=output, mode=mode)
        return output

    def test_crash(bm1684):
        launch(bm1684, 13)

    def test_killed(bm1684):
        launch(bm1684, 9)

    def test_two_devices(bm1684, bm1684x):
        assert (launch(bm1684, 0).numpy() == 1).all()
        assert bm1684x.empty(3).shape == (3,)
        assert bm1684._native._child != bm1684x._native._child

    @pytest.mark.tensorlane(isolate=False)
    def test_here(bm1684):
        launch(bm1684, 0)
        assert not hasattr(bm1684._native, "_child")

    def test_right(bm1684):
        assert (launch(bm1684, 0).numpy() == 1).all()
""")


def test_no_kernel_takes_pytest_down(tmp_path):
    said = run_suite(tmp_path, "--tensorlane-report", "pages", suite=FATAL, kernel="escapes.c")
    assert "2 failed, 3 passed" in said, said
    assert "TL-LAUNCH-002" in said and "signal 9" in said and "putenv((char*)nowhere)" in said
    assert len(list((tmp_path / "pages").iterdir())) == 3
    said = run_suite(tmp_path, "--tensorlane-in-process", "-k", "right or here", suite=FATAL,
                     kernel="escapes.c", status=0)
    assert "2 passed" in said, said


def run_suite(tmp_path, *options, status=1, suite=SUITE, kernel="faulty.c"):
    (tmp_path / "test_suite.py").write_text(suite.format(kernel=str(KERNELS / kernel)))
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
         "tensorlane.pytest_plugin", *options, "test_suite.py"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        env={**os.environ, "PYTEST_ADDOPTS": ""})
    assert result.returncode == status, result.stdout
    return result.stdout


def test_findings_and_wrong_numbers_fail_tests(tmp_path):
    said = run_suite(tmp_path, "--tensorlane-report", "pages")
    assert "3 failed, 12 passed" in said, said
    assert "TL-RACE-001" in said and "TL-LAUNCH-002" in said
    assert "2048 of 4096 elements differ" in said and "channels 32 to 63" in said
    # The chain of the first wrong element leads to the host's copy.
    assert "where element [0, 32, 0, 0] came from" in said
    assert re.search(r"okk_gdma_32bit_cpy_L2S at \S*faulty.c:\d+ in faulty", said)
    assert re.search(r"the host: Tensor.write at \S*test_suite.py:\d+ in run", said)
    pages = sorted(page.name for page in (tmp_path / "pages").iterdir())
    assert pages == ["index.html", "test_suite.py_test_crash.html", "test_suite.py_test_race.html",
                     "test_suite.py_test_wrong_numbers.html"]
    page = (tmp_path / "pages" / "test_suite.py_test_race.html").read_text()
    assert "TL-RACE-001" in page and page.count("<svg") == 2 and "modelled time" in page


def test_parts_put_together_are_the_whole(tmp_path):
    xdist = ["-n", "2"] if importlib.util.find_spec("xdist") else []
    whole = run_suite(tmp_path, "--tensorlane-results", "whole")
    for part in (1, 2):
        run_suite(tmp_path, "--tensorlane-shard", f"{part}/2", "--tensorlane-results", f"part{part}",
                  *xdist)
    merged = run_suite(tmp_path, "--tensorlane-results", "merged",
                       "--tensorlane-merge=part1", "--tensorlane-merge=part2")
    assert "3 failed, 12 passed" in merged, merged
    assert "TL-RACE-001" in merged and merged.count("FAILED test_suite.py::test_") == whole.count(
        "FAILED test_suite.py::test_")
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    assert "are lost" in run_suite(tmp_path, "--tensorlane-merge=part1", status=4)
    assert "3/2" in run_suite(tmp_path, "--tensorlane-shard", "3/2", status=4)


def test_xdist_runs_the_same(tmp_path):
    pytest.importorskip("xdist")
    said = run_suite(tmp_path, "-n", "2", "--tensorlane-report", "pages")
    assert "3 failed, 12 passed" in said, said
    assert len(list((tmp_path / "pages").iterdir())) == 4
