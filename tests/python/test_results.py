"""What the command line tells, from Python: times, pictures, why, diff, functions, plans."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import numpy as np
import pytest
from conftest import RMSNORM, Faulty

import tensorlane


def well_formed(svg):
    return xml.etree.ElementTree.fromstring(svg).tag.endswith("svg")


def rmsnorm(device, rows=128, cols=64):
    x = np.random.default_rng(0).standard_normal((rows, cols)).astype(np.float32)
    output = device.empty(x.shape)
    launch = device.compile(RMSNORM).launch(
        "rmsnorm", output=output, input=device.tensor(x), rows=rows, cols=cols, epsilon=1e-5)
    return launch, output, x


def test_times_have_reasons_and_a_dry_run_has_the_same():
    launch, _, _ = rmsnorm(tensorlane.Device("bm1684x"))
    time = launch.time
    assert 0 < time.us <= time.us_at_most and time.host_us > time.us
    assert time.bound_by == "GDMA" and time.reasons and time.reasons[0].help
    assert "modelled time of 'rmsnorm'" in str(time)
    dry, _, _ = rmsnorm(tensorlane.Device("bm1684x", dry_run=True, timeline=False))
    assert dry.time.us == time.us and not dry.timeline.commands
    prebuilt, _, _ = rmsnorm(tensorlane.Device("bm1684x", prebuilt=True))
    assert prebuilt.time.details["launch_mode"] == "prebuilt"


def test_timeline_and_memory_map(tmp_path):
    launch, _, _ = rmsnorm(tensorlane.Device("bm1684x"))
    commands = launch.timeline.commands
    assert len(commands) == 14 and commands[0].call == "tpu_gdma_cpy_S2L"
    assert all(command.end_us >= command.start_us and command.line > 0 for command in commands)
    assert launch.memory_map.peak_bytes > 0
    for block in launch.memory_map.blocks:
        assert block.begin < block.end
    assert repr(launch.timeline) == f"<Timeline of {len(commands)} commands>"
    assert f"at most {launch.memory_map.peak_bytes} bytes of an NPU" in repr(launch.memory_map)
    assert well_formed(launch.timeline.svg()) and well_formed(launch.memory_map._repr_svg_())
    assert launch.timeline.svg().count("data-engine=") == len(commands)
    launch.timeline.save(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())
    tensorlane.save_trace(tmp_path / "trace.pftrace", [launch, launch])
    assert (tmp_path / "trace.pftrace").stat().st_size > 100
    assert "<html" in launch.page()


def test_a_summary_counts():
    device = tensorlane.Device("bm1684x")
    rmsnorm(device)
    summary = device.summary()
    assert summary["launches"] == 1 and summary["failed_launches"] == 0
    device.close()
    assert device.summary() == summary


def test_why_and_run_watch_a_script(tmp_path):
    build = Path(tensorlane._native.__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(build / "python"), "LC_ALL": "C", "TENSORLANE_CACHE": str(tmp_path)}
    script = [sys.executable, str(Path(__file__).resolve().parents[2] / "examples" / "python" / "rmsnorm.py")]

    def tool(*words):
        return subprocess.run([build / "tools" / "tensorlane" / "tensorlane", *words, "--", *script], capture_output=True, text=True,
                              check=False, env=environment, cwd=Path(script[1]).parent)
    why = tool("why", "--element", "output[5]")
    assert why.returncode == 0, why.stderr
    assert "tpu_gdma_cpy_L2S at rmsnorm.c:" in why.stdout and "nothing breaks a pattern" in why.stdout
    outside = tool("why", "--element", "output[99999999]")
    assert outside.returncode == 2 and "is out of range: 65536 elements" in outside.stderr
    page = tmp_path / "page.html"
    assert tool("run", "--quiet", "--report", page).returncode == 0 and page.stat().st_size > 10000


def test_why_leads_back_to_the_host():
    device = tensorlane.Device("bm1684x", history=True)
    _, output, x = rmsnorm(device)
    chain = device.why(output, (3, 5))
    assert chain.steps[0]["call"] == "tpu_gdma_cpy_L2S"
    assert {step["kind"] for step in chain.steps} == {"command", "host"}
    assert any("test_results.py" in line for line in chain.lines)
    assert f"{x[3, 5]:.4g}"[:5] in str(chain) and "tpu_bdc_fp_mul" in str(chain)
    assert device.why(output.address).steps[0]["kind"] == "command"
    with pytest.raises(tensorlane.UserError, match="outside of a tensor of shape"):
        device.why(output, (128, 0))
    with pytest.raises(tensorlane.UserError, match="keeps no history"):
        tensorlane.Device("bm1684x").why(output.address)


def test_logs_of_two_runs_are_compared(tmp_path):
    for name, options in (("a", {}), ("b", {}), ("c", {"mode": Faulty.RACE})):
        device = tensorlane.Device("bm1684", log=tmp_path / name, allow=["TL-*"])
        Faulty(device)(options.get("mode", Faulty.FINE))
        device.close()
    assert tensorlane.diff(tmp_path / "a", tmp_path / "b").same
    difference = tensorlane.diff(tmp_path / "a", tmp_path / "c")
    assert not difference.same and "okk_bdc_add" in difference.text
    with pytest.raises(tensorlane.UserError):
        tensorlane.Device("bm1684", log=tmp_path / "no" / "folder")


def test_a_comparison_says_what_differences_look_like():
    want = np.arange(2 * 64 * 4 * 4, dtype=np.float32).reshape(2, 64, 4, 4)
    got = want.copy()
    got[:, 32:] = 0
    found = tensorlane.compare(got, want)
    assert not found and (found.elements, found.differing) == (2048, 1024)
    assert found.first == ((0, 32, 0, 0), 0.0, 512.0)
    assert any("channels 32 to 63" in pattern for pattern in found.patterns)
    assert tensorlane.compare(want, want)
    assert tensorlane.compare(want * (1 + 1e-3), want, "1e-2")
    assert not tensorlane.compare(want * (1 + 1e-3), want)
    tensorlane.assert_equal(want, want)
    with pytest.raises(AssertionError, match="1024 of 2048 elements differ"):
        tensorlane.assert_close(got, want)
    with pytest.raises(tensorlane.UserError, match="shape"):
        tensorlane.compare(got[:1], want)


def test_functions_are_listed():
    names = {op.name for op in tensorlane.ops("bm1684", "bdc_add")}
    assert "okk_bdc_add" in names
    (op,) = [op for op in tensorlane.ops("bm1684") if op.name == "okk_bdc_add"]
    assert re.match(r"void okk_bdc_add\(local_addr_t dst_addr, ", op.signature)
    assert op.engine == "BDC" and op.limits and op.does_zh
    assert "tpu_bdc_fp_add" in {op.name for op in tensorlane.ops("bm1684x")}


def test_a_plan_places_buffers():
    plan = tensorlane.plan("bm1684x", {
        "x": tensorlane.Operand((16, 64, 112, 112), "fp16", buffers=2),
        "y": tensorlane.Operand((16, 64, 112, 112), "fp16", buffers=2),
        "w": tensorlane.Operand((64, 64, 3, 3), "fp16", "32IC", whole=True)})
    assert not plan.fits and plan.parts > 1 and plan.tile["n"] <= 16
    assert len(plan.buffers) == 5 and well_formed(plan._repr_svg_())
    ends = sorted((buffer.address, buffer.address + buffer.bytes) for buffer in plan.buffers)
    assert all(end <= begin for (_, end), (begin, _) in zip(ends, ends[1:]))
    assert tensorlane.plan("bm1684", {"x": (1, 64, 8, 8)}).fits
    with pytest.raises(tensorlane.UserError):
        tensorlane.plan("mace", {"x": (1, 64, 8, 8)})
