"""Launches in a process of their own: the same results, and nothing a kernel does ends the script."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import RMSNORM, Faulty
from test_endings import Escapes

import tensorlane


def isolated(chip="bm1684", **options):
    return tensorlane.Device(chip, isolate=True, **options)


def processes():
    """Those below this one that run or wait: (number, its parent)."""
    said = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,stat="], capture_output=True, text=True,
                          check=True).stdout.split("\n")
    rows = [line.split() for line in said if line.strip()]
    parents = {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}

    def below(pid):
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
        return pid == os.getpid()
    return [pid for pid in parents if pid != os.getpid() and below(pid)]


def rmsnorm(device):
    x = np.random.default_rng(1).standard_normal((130, 500)).astype(np.float32)
    output = device.empty(x.shape)
    launch = device.compile(RMSNORM).launch(
        "rmsnorm", output=output, input=device.tensor(x), rows=130, cols=500, epsilon=1e-5)
    return launch, output, x


def test_results_times_and_pasts_are_those_of_one_process(tmp_path):
    here, there = (tensorlane.Device("bm1684x", history=True, isolate=isolate, log=tmp_path / str(isolate))
                   for isolate in (False, True))
    one, output, x = rmsnorm(here)
    two, other, _ = rmsnorm(there)
    assert output.numpy().tobytes() == other.numpy().tobytes()
    assert other.numpy().base is not None and not other.numpy().flags.writeable
    assert output.address == other.address and here.allocated == there.allocated
    assert two.time.us == one.time.us and two.time.details == one.time.details
    assert str(two.time) == str(one.time)
    assert two.timeline.commands == one.timeline.commands
    assert two.memory_map.blocks == one.memory_map.blocks
    assert "<html" in two.page() and two.done and not two.failed
    two.timeline.save(tmp_path / "trace.json")
    assert (tmp_path / "trace.json").stat().st_size > 100
    own, its = (str(device.why(tensor, (3, 5))) for device, tensor in ((here, output), (there, other)))
    assert own.replace(f"device {here._native.number}", "") == its.replace(
        f"device {there._native.number}", "")
    assert "test_isolation.py" in its
    mine, theirs = here.summary(), there.summary()
    assert mine["functions"] == theirs["functions"] and mine["launches"] == theirs["launches"]
    here.close()
    there.close()
    assert there.summary() == theirs
    assert tensorlane.diff(tmp_path / "False", tmp_path / "True").same


@pytest.mark.parametrize("mode", [Faulty.RACE, Faulty.OUTSIDE, Faulty.LIMIT, Faulty.CRASH])
def test_findings_are_those_of_one_process(mode):
    said = []
    for isolate in (False, True):
        okk = Faulty(tensorlane.Device("bm1684", isolate=isolate))
        with pytest.raises(tensorlane.FindingError) as raised:
            okk(mode)
        number = okk.device._native.number
        said.append(str(raised.value).replace(f"device {number}", "device"))
        okk(Faulty.FINE)
        np.testing.assert_array_equal(okk.output.numpy(), okk.array)
        assert raised.value.launch.failed == (mode not in (Faulty.RACE, Faulty.OUTSIDE)) or mode
    assert said[0] == said[1] and "conftest.py" in said[0]


FATAL = {8: ("malloc(120000)", "TL-LAUNCH-002", "abort"),
         9: ("", "TL-LAUNCH-002", "signal 9"),
         10: ("", "TL-LAUNCH-003", "status 5"),
         13: ("putenv(", "TL-LAUNCH-002", "segmentation fault")}


@pytest.mark.parametrize("check", ["all", "none"])
@pytest.mark.parametrize("mode", FATAL)
def test_what_takes_the_process_down_is_an_exception_with_its_line(mode, check):
    escapes = Escapes(isolated(check=check))
    view = escapes.output.numpy() if check == "none" else None
    line, id, says = FATAL[mode]
    with pytest.raises(tensorlane.FindingError, match=says) as raised:
        escapes(mode)
    finding = raised.value.findings[0]
    assert finding.severity == "error" and finding.kernel == "escapes"
    assert finding.id == id or check == "none" and not finding.id
    if line:
        source = open(finding.file, encoding="utf-8").read().splitlines()
        assert line in source[finding.line - 1]
    launch = pickle.loads(pickle.dumps(raised.value)).launch
    assert launch.kernel == "escapes" and launch.number == 0 and launch.failed
    for use in (lambda: escapes(0), lambda: escapes.device.empty(3), escapes.device.summary):
        with pytest.raises(tensorlane.UserError, match="is lost: its process .* open another one"):
            use()
    with pytest.raises(tensorlane.UserError, match="closed"):
        escapes.output.numpy()
    assert [each for each in escapes.device.findings if each.severity == "error"] == [finding]
    if view is not None:
        assert view.shape == (16,)
    escapes.device.close()
    again = Escapes(isolated())
    again(0)
    assert (again.output.numpy() == 1).all()


def test_a_library_that_crashes_as_it_is_loaded(tmp_path):
    device = isolated()
    with pytest.raises(tensorlane.FindingError, match="signal"):
        device.compile(source="__attribute__((constructor)) void f(void) { *(volatile int*)0 = 1; }")
    assert tensorlane.Device("bm1684")


def test_queued_launches_and_their_ends():
    okk = Faulty(isolated())
    launches = [okk(Faulty.FINE, wait=False) for _ in range(5)]
    assert [launch.wait().number for launch in launches] == list(range(5))
    okk(Faulty.CRASH, wait=False)
    with pytest.raises(tensorlane.FindingError):
        okk.device.sync()
    escapes = Escapes(isolated())
    lost = escapes(9, wait=False)
    with pytest.raises(tensorlane.FindingError, match="signal 9"):
        lost.wait()


def test_ctrl_c_ends_the_launch_and_the_device_goes_on():
    okk = Faulty(isolated())
    for _ in range(2):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            okk(Faulty.HANG)
        assert time.monotonic() - started < 20
        timer.join()
        okk(Faulty.FINE)
        np.testing.assert_array_equal(okk.output.numpy(), okk.array)


def test_a_time_limit_is_of_one_device():
    okk = Faulty(isolated(timeout=0.3))
    with pytest.raises(tensorlane.FindingError, match="Device.timeout=.... allows: 0.3 s"):
        okk(Faulty.HANG)
    okk(Faulty.FINE)
    escapes = Escapes(isolated(timeout=0.3))
    with pytest.raises(tensorlane.FindingError, match="0.3 s"):
        escapes(12)


def test_threads_share_a_device_and_have_their_own():
    okk, failures = Faulty(isolated()), []

    def work(number):
        try:
            own = Faulty(isolated())
            for _ in range(20):
                own.input.write(own.array + number)
                own(Faulty.FINE)
                np.testing.assert_array_equal(own.output.numpy(), own.array + number)
                okk(Faulty.FINE)
                assert (okk.output[0, 3] == okk.array[0, 3]).all()
        except BaseException as error:  # told to the test below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_memory_comes_back():
    device = isolated()
    first = device.empty(1 << 20)
    address, view = first.address, device.tensor(np.ones(5, np.float32))[1:]
    del first
    assert device.empty(1 << 20).address == address
    assert (view == 1).all()
    before = device.allocated
    for _ in range(50):
        device.tensor(np.ones(1 << 16, np.float32)).numpy()
    assert device.allocated <= before + (1 << 20)


def test_no_process_stays():
    devices = [isolated() for _ in range(3)]
    started = processes()
    assert len(started) >= 4
    devices[0].close()
    devices[0]._end()
    for k in (1, 2):
        devices[k].close()
    del devices
    for _ in range(200):
        if len(processes()) <= len(started) - 3:
            break
        time.sleep(0.05)
    else:
        raise AssertionError(processes())
    script = ("import tensorlane, os; d = tensorlane.Device('bm1684', isolate=True); "
              "print(d._native._child, flush=True); os.kill(os.getpid(), 9)")
    child = int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                               check=False).stdout)
    for _ in range(200):
        if not os.path.exists(f"/proc/{child}"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{child}")


def test_what_kernels_print_goes_where_the_script_s_output_goes(capfd):
    escapes = Escapes(isolated())
    escapes(0)
    assert capfd.readouterr().out == "mode 0\n"


def test_the_folder_and_environment_are_the_script_s(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OF_THE_TEST", "found")
    device = isolated()
    module = device.compile(source="""
#include <stdio.h>
#include <stdlib.h>
#include "okk.h"
typedef struct { int unused; } here_args;
void here(const void* args) {
  const here_args* a = args;
  (void)a;
  FILE* file = fopen("said", "w");
  fputs(getenv("OF_THE_TEST"), file);
  fclose(file);
  okk_initialize();
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(here)
""")
    module.launch("here", unused=0)
    assert (tmp_path / "said").read_text() == "found"


def in_child(device, queue):
    try:
        device.empty(3)
    except tensorlane.UserError as error:
        queue.put(str(error))
    own = Faulty(isolated())
    own(Faulty.FINE)
    queue.put(bool((own.output.numpy() == own.array).all()))


def test_the_child_of_a_fork_has_devices_of_its_own():
    import multiprocessing
    okk = Faulty(isolated())
    okk(Faulty.FINE)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(okk.device, queue))
    child.start()
    assert "open one here" in queue.get(timeout=60)
    assert queue.get(timeout=60) is True
    child.join(60)
    assert child.exitcode == 0
    okk(Faulty.FINE)
