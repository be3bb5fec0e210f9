"""What a kernel does alike on every core is found as on one core, in every order of cores, and is said of all of them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tensorlane

KERNEL = Path(__file__).parent / "kernels" / "each.c"
ORDERS = ["order"] + [f"random:{seed}" for seed in range(1, 8)]
COUNT = 64 * 128


def launch(cores, broken=0, order="order", core_only=None):
    device = tensorlane.Device("sg2260e", cores=order, check="all", allow=["TL-*"])
    x = device.tensor(np.arange(COUNT * 2, dtype=np.float32))
    out, work = (device.tensor(np.zeros(COUNT * 4, np.float32)) for _ in range(2))
    arguments = [{"in": x, "in2": work, "in3": 0, "out": out, "n": COUNT, "broken": broken * (core_only in (None, core))}
                 for core in range(cores)]
    device.compile(KERNEL).launch("each", arguments, cores=cores)
    np.testing.assert_array_equal(out.numpy()[:COUNT * cores].reshape(cores, -1), np.tile(2 * np.arange(COUNT), (cores, 1)))
    work.numpy()  # to which what nobody wrote gets
    return [each for each in device.findings if each.id != "TL-COVERAGE-002"]  # which is of how much that is


def facts(findings):
    """All of them, but for how often each was seen and where."""
    return sorted(json.dumps([each.id, each.message, each.notes, [[place.role, place.line, place.tensors] for place in each.locations],
                              each.details["regions"]]) for each in findings)


def test_a_right_kernel_is_silent_on_any_number_of_cores():
    assert facts(launch(1)) == []
    for order in ORDERS:
        assert facts(launch(4, order=order)) == []


def test_findings_of_all_cores_are_those_of_one():
    one = launch(1, broken=1)
    assert {"TL-LINT-001", "TL-LINT-002", "TL-INIT-001", "TL-RACE-001"} <= {each.id for each in one}
    for order in ORDERS:
        several = launch(4, broken=1, order=order)
        assert facts(several) == facts(one), order
        for each in several:
            launches, = each.details["launches"]
            of_host = each.id == "TL-INIT-001"  # which is found when the host reads
            assert (launches["of_cores"], launches["cores"]) == (4, [] if of_host else [0, 1, 2, 3])
            assert (", on cores 0 to 3 of 4" in str(each)) == (not of_host)


def test_a_finding_names_the_core_that_has_it():
    one = launch(1, broken=1)
    for order in ORDERS:
        for each in launch(4, broken=1, order=order, core_only=2):
            assert each.id in {other.id for other in one}
            assert each.details["launches"][0]["cores"] == ([] if each.id == "TL-INIT-001" else [2])


def run(order, tmp_path=None, broken=0, cores=4, history=False, **options):
    """A launch whose cores get elements of their own: core k works on n / 4 of them."""
    device = tensorlane.Device("sg2260e", cores=order, check="none", history=history, **options)
    x = device.tensor(np.arange(COUNT * 4, dtype=np.float32).reshape(4, -1))
    out, work = (device.tensor(np.zeros((4, COUNT), np.float32)) for _ in range(2))
    arguments = [{"in": x.address + core * COUNT * 4, "in2": work, "in3": 0, "out": out, "n": COUNT // 2,
                  "broken": broken} for core in range(cores)]
    launch = device.compile(KERNEL).launch("each", arguments, cores=cores).wait()
    return device, out, launch


def test_the_log_of_commands_has_their_cores_and_their_times(tmp_path):
    logs = []
    for order in ("order", "random:2"):
        path = tmp_path / f"{order.replace(':', '')}.jsonl"
        device, _, launch = run(order, log=path)
        device.close()
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert lines[0]["cores"] == 4
        np.testing.assert_allclose(lines[-1]["time_us"], launch.time.us)
        commands = [line for line in lines if line["event"] == "command"]
        assert {command["core"] for command in commands} == set(range(4))
        logs.append([[each for each in commands if each["core"] == core] for core in range(4)])
    said = [[[(each["call"], each["line"], each["operands"]) for each in core] for core in log] for log in logs]
    assert said[0] == said[1]


def test_what_is_printed_watched_and_dumped_names_the_core(tmp_path, capfd):
    for order in ("order", "random:2"):
        device, _, _ = run(order, print=["tpu_bdc_fp_add"], watch=["0:0x1000"],
                           dump=[f"tpu_bdc_fp_add={tmp_path}/sum-{{core}}.npy"])
        device.close()
        said = capfd.readouterr().err
        for core in range(4):
            assert f"kernel 'each', core {core}, at " in said
            assert re.search(rf"is written by tpu_bdc_fp_add at .*of device \d+, core {core}\n", said)
            first = np.load(tmp_path / f"sum-{core}.npy").reshape(64, -1)[0, :2]
            np.testing.assert_array_equal(first, [3 * core * COUNT, 3 * core * COUNT + 3])


def test_a_value_is_followed_on_its_core():
    one = run("order", cores=1, history=True)
    for order in ("order", "random:2"):
        device, out, _ = run(order, history=True)
        for core in range(4):
            chain = device.why(out, (core // 2, core % 2 * COUNT // 2 + 7))
            commands = [step for step in chain.steps if step["kind"] == "command"]
            assert [step["launch"]["core"] for step in commands] == [core] * len(commands)
            assert f", core {core}" in str(chain)
        lines = device.why(out, (0, 7)).lines
        assert lines == one[0].why(one[1], (0, 7)).lines
        assert [each["text"] for each in device.why(out, (0, 7)).answer.get("suspects", [])] == [
            each["text"] for each in one[0].why(one[1], (0, 7)).answer.get("suspects", [])]


@pytest.mark.skipif("TENSORLANE_PROGRAM" not in os.environ, reason="the program is not named")
def test_what_is_suspicious_of_a_value_is_the_same_beside_other_cores():
    def suspects(cores, order, core=0):
        element = core * 4 * 1024 + 70
        said = subprocess.run(
            [os.environ["TENSORLANE_PROGRAM"], "why", "--json", "--element", f"out[{element}]", "--expected", str(element / 32 + 1),
             "--", sys.executable, str(KERNEL.parent.parent / "run_tiles.py"), str(cores), order],
            check=True, capture_output=True, text=True).stdout
        answer = json.loads(said)
        answer = answer[0] if isinstance(answer, list) else answer
        return [(each["kind"], each["text"], each["location"]["line"]) for each in answer["suspects"]]

    one = suspects(1, "order")
    assert "C = 2 in place of 3" in one[0][1]
    for order in ("order", "random:3"):
        for core in (0, 3):
            assert suspects(4, order, core) == one


def test_lines_hold_a_launch_up_as_long_as_they_hold_one_core_up():
    one, four = (run("order", cores=cores)[2].time for cores in (1, 4))
    assert four.details["cores"] == 4
    held = [{(each["line"], each["call"]): each["held_us"] for each in time.details["lines"]} for time in (one, four)]
    assert held[0].keys() == held[1].keys()
    np.testing.assert_allclose([held[0][key] for key in held[0]], [held[1][key] for key in held[0]], rtol=0.01)
    assert all(reason.busy_us <= four.us for reason in four.reasons)
