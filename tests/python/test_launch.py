"""Launches: arguments, findings as exceptions, Ctrl-C, threads, forks."""

import ctypes
import faulthandler
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest
from conftest import KERNELS, RMSNORM, Faulty

import tensorlane


def test_rmsnorm_is_what_numpy_says():
    device = tensorlane.Device("bm1684x")
    module = device.compile(RMSNORM)
    x = np.random.default_rng(1).standard_normal((130, 500)).astype(np.float32)
    output = device.empty(x.shape)
    module.launch("rmsnorm", output=output, input=device.tensor(x), rows=130, cols=500,
                  epsilon=1e-5)
    want = x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(output.numpy(), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode, id, line", [
    (Faulty.RACE, "TL-RACE-001", "okk_bdc_add(8192, 0, 0, &shape"),
    (Faulty.OUTSIDE, "TL-MEMORY-002", "&twice_as_wide"),
    (Faulty.LIMIT, "TL-ARGS-001", "&none"),
    (Faulty.CRASH, "TL-LAUNCH-002", "*(volatile int*)8 = 1;"),
])
def test_a_defect_is_an_exception_with_its_line(okk, mode, id, line):
    for _ in range(2):  # the second launch is as wrong as the first
        with pytest.raises(tensorlane.FindingError) as raised:
            okk(mode)
        finding = raised.value.findings[0]
        assert finding.id == id and finding.severity == "error" and finding.kernel == "faulty"
        assert finding.file.endswith("faulty.c")
        assert line in (KERNELS / "faulty.c").read_text().splitlines()[finding.line - 1]
        assert "conftest.py" in str(finding)  # where the launch was
        assert finding.id in finding.explain()
    okk(Faulty.FINE)
    np.testing.assert_array_equal(okk.output.numpy(), okk.array)


def test_a_read_of_what_nobody_computed_is_an_exception(okk):
    okk(Faulty.UNINITIALISED)
    with pytest.raises(tensorlane.FindingError) as raised:
        okk.output.numpy()
    assert raised.value.findings[0].id == "TL-INIT-001"
    with pytest.raises(tensorlane.FindingError) as raised:
        okk.device.empty((4, 4)).numpy()
    assert raised.value.findings[0].id == "TL-COVERAGE-001"


def test_allowed_findings_are_kept_and_not_raised():
    okk = Faulty(tensorlane.Device("bm1684", allow=["TL-RACE-*"]))
    launch = okk(Faulty.RACE)
    assert "TL-RACE-001" in {finding.id for finding in launch.findings}
    assert "TL-RACE-001" in [finding.id for finding in okk.device.findings]


@pytest.mark.parametrize("mode", [Faulty.LIMIT, Faulty.CRASH])
def test_a_launch_that_ends_early_is_an_exception_without_checks_too(mode):
    okk = Faulty(tensorlane.Device("bm1684", check="none"))
    okk(Faulty.RACE)  # nobody looks
    with pytest.raises(tensorlane.FindingError) as raised:
        okk(mode)
    assert raised.value.findings[0].line > 0 and raised.value.launch.failed
    okk(Faulty.FINE)


def test_a_crash_is_an_exception_where_faulthandler_watches():
    faulthandler.enable()
    okk = Faulty(tensorlane.Device("bm1684"))
    with pytest.raises(tensorlane.FindingError):
        okk(Faulty.CRASH)


def test_ctrl_c_ends_the_launch_and_the_device_goes_on(okk):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        okk(Faulty.HANG)
    assert time.monotonic() - started < 20
    timer.join()
    okk(Faulty.FINE)
    np.testing.assert_array_equal(okk.output.numpy(), okk.array)


def test_a_time_limit_is_an_exception():
    okk = Faulty(tensorlane.Device("bm1684", timeout=0.3))
    with pytest.raises(tensorlane.FindingError) as raised:
        okk(Faulty.HANG)
    assert raised.value.findings[0].id == "TL-LAUNCH-004"
    assert "it runs longer than Device(timeout=...) allows: 0.3 s" in str(raised.value)
    tensorlane.Device("bm1684", timeout=1e6)  # the last one given holds for all devices


def test_other_threads_run_while_a_kernel_does(okk):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        okk(Faulty.HANG)
    stop.set()
    thread.join()
    assert len(ticks) > 5


def test_several_devices_from_several_threads():
    failures = []

    def work(number):
        try:
            okk = Faulty(tensorlane.Device("bm1684"))
            for _ in range(50):
                okk.input.write(okk.array + number)
                okk(Faulty.FINE)
                np.testing.assert_array_equal(okk.output.numpy(), okk.array + number)
        except BaseException as error:  # told to the test below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def in_child(okk, queue):
    try:
        okk.output.numpy()
    except tensorlane.UserError as error:
        queue.put(str(error))
    own = Faulty(tensorlane.Device("bm1684"))
    own(Faulty.FINE)
    queue.put(bool((own.output.numpy() == own.array).all()))
    try:
        own(Faulty.CRASH)
    except tensorlane.FindingError as error:
        queue.put(error.findings[0].id)


def test_the_child_of_a_fork_has_devices_of_its_own(okk):
    okk(Faulty.FINE)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(okk, queue))
    child.start()
    assert "open one here" in queue.get(timeout=60)
    assert queue.get(timeout=60) is True
    assert queue.get(timeout=60) == "TL-LAUNCH-002"
    child.join(60)
    assert child.exitcode == 0
    okk(Faulty.FINE)


def test_queued_launches_are_waited_for(okk):
    launches = [okk(Faulty.FINE, wait=False) for _ in range(5)]
    assert [launch.wait().number for launch in launches] == list(range(5))
    okk(Faulty.CRASH, wait=False)
    with pytest.raises(tensorlane.FindingError):
        okk.device.sync()


def test_two_modules_may_have_kernels_of_the_same_name(okk):
    device = okk.device
    source = """
        #include "okk.h"
        typedef struct { unsigned long long output; } args_t;
        void fill(const void* args) {
          const args_t* a = args;
          const dim4 shape = {1, 1, 1, 16};
          okk_initialize();
          okk_gdma_32bit_set_C_system(a->output, VALUE, &shape, NULL);
          okk_poll();
        }
        OKKERNEL_FUNC_REGISTER(fill)
    """.replace("okk_gdma_32bit_set_C_system(a->output, VALUE, &shape, NULL)",
                "okk_gdma_32bit_set_C_system(a->output, (x32){.fp32 = VALUE}, &shape, NULL)")
    modules = [device.compile(source=source, defines={"VALUE": value}) for value in (1, 2, 1)]
    output = device.empty(16)
    for module, value in zip(modules, (1, 2, 1)):
        module.launch("fill", output=output)
        assert (output.numpy() == value).all()
    del module, modules


STRUCT_VALUES = {
    "part": {"low": -3, "high": 200}, "shape": (1, 2, 3, 4), "scale": 0.5, "weights": [1, 2, 3],
    "choice": 5, "pairs[0].a": 1, "pairs[0].b": 2, "pairs[1]": {"a": 3, "b": 4}, "fraction": 1.5,
}


def test_arguments_by_name_reach_the_kernel():
    device = tensorlane.Device("bm1684")
    module = device.compile(KERNELS / "structs.c")
    struct = module.arguments("structs")[0]
    output = device.empty((struct.bytes,), "uint8")
    module.launch("structs", {"output": output, **STRUCT_VALUES})
    record = output.numpy().view(struct.dtype())[0]
    assert (record["part.low"], record["part.high"]) == (-3, 200)
    assert [record[f"shape.{axis}"] for axis in "nchw"] == [1, 2, 3, 4]
    assert record["scale"] == 0.5 and list(record["weights"]) == [1, 2, 3]
    assert record["choice"] == 5 and record["pairs[1].b"] == 4 and record["fraction"] == 1.5
    module.launch("structs", record)  # a record of numpy
    module.launch("structs", record.tobytes())


@pytest.mark.parametrize("pairs", [[[1, 2], [3, 4]], [{"a": 1, "b": 2}, (3, 4)], [1, 2, 3, 4],
                                   np.array([[1, 2], [3, 4]])])
def test_an_array_of_structs_takes_a_sequence(pairs):
    device = tensorlane.Device("bm1684")
    module = device.compile(KERNELS / "structs.c")
    (struct,) = module.arguments("structs")
    output = device.empty((struct.bytes,), "uint8")
    others = {name: value for name, value in STRUCT_VALUES.items() if not name.startswith("pairs")}
    module.launch("structs", others, pairs=pairs, output=output)
    record = output.numpy().view(struct.dtype())[0]
    assert [record[f"pairs[{k}].{name}"] for k in (0, 1) for name in "ab"] == [1, 2, 3, 4]
    for wrong in (pairs[:1], [[1, 2], [3]], [1, 2, 3]):
        with pytest.raises(tensorlane.UserError, match=r"'pairs(\[1\])?' has [123] values"):
            module.launch("structs", others, pairs=wrong, output=output)


def test_an_array_of_addresses_takes_tensors():
    device = tensorlane.Device("bm1684")
    module = device.compile(source="""
#include "okk.h"
typedef struct { unsigned long long inputs[2], output; } join_args;
void join(const void* args) {
  const join_args* a = (const join_args*)args;
  const dim4 shape = {1, 1, 1, 8};
  okk_initialize();
  for (int k = 0; k < 2; ++k) okk_gdma_32bit_cpy_S2S(a->output + 32 * k, a->inputs[k], &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(join)
""")
    halves = np.arange(16, dtype=np.float32).reshape(2, 8)
    output = device.empty(16)
    module.launch("join", inputs=[device.tensor(half) for half in halves], output=output)
    np.testing.assert_array_equal(output.numpy(), halves.reshape(-1))
    for inputs in ([output], [output] * 3, output):
        with pytest.raises(tensorlane.UserError, match="inputs is .* field inputs of join .* has 2"):
            module.launch("join", inputs=inputs, output=output)


def test_too_few_bytes_are_refused(okk):
    for short in (b"123", okk.output.address.to_bytes(8, "little"), np.zeros(1, "i8,i8")):
        with pytest.raises(tensorlane.UserError, match=r"the kernel reads faulty_args of 24 \(faul"):
            okk.module.launch("faulty", short)
    with pytest.raises(tensorlane.UserError, match="no value for output, input, mode of faulty"):
        okk.module.launch("faulty")


class FaultyArgs(ctypes.Structure):
    _fields_ = [("output", ctypes.c_uint64), ("input", ctypes.c_uint64), ("mode", ctypes.c_int)]


def test_a_ctypes_structure_is_an_argument_block(okk):
    okk.module.launch("faulty", FaultyArgs(okk.output.address, okk.input.address, 0))
    np.testing.assert_array_equal(okk.output.numpy(), okk.array)


@pytest.mark.parametrize("fields, says", [
    ({"outputs": 1}, "'outputs' is no field of structs .* did you mean 'output'"),
    ({"part": {"low": -3}}, "no value for .*part.high"),
    ({"part.high": 256}, "part.high = 256 does not fit .* 0 to 255"),
    ({"part.low": -32769}, "part.low = -32769 does not fit .* -32768 to 32767"),
    ({"part.low": 1.5}, "part.low = 1.5 is no integer"),
    ({"shape": (1, 2, 3)}, "'shape' has 3 values; field shape .* has 4: shape.n"),
    ({"weights": [1, 2]}, "weights is 2 values"),
    ({"weights": [1, 2, 1e40]}, "weights = .* is too large"),
    ({"scale": "x"}, "scale = 'x' is no number"),
    ({"scale": np.ones(9)}, r"scale = an array of \(9,\) float64 is no number"),
    ({"output": np.ones((2, 3))}, r"output is an array of \(2, 3\) .* it takes device.tensor\(array"),
])
def test_wrong_arguments_are_named(fields, says):
    device = tensorlane.Device("bm1684")
    module = device.compile(KERNELS / "structs.c")
    values = {"output": device.empty(4), **STRUCT_VALUES}
    values.pop("part")
    values.update({"part.low": 1, "part.high": 2})
    for name in fields:
        for known in [known for known in values if known.startswith(name + ".")]:
            values.pop(known)
    values.update(fields)
    with pytest.raises(tensorlane.UserError, match=says):
        module.launch("structs", values)


def test_a_function_that_nobody_defines_is_named_where_the_kernel_jumps_to_it():
    module = tensorlane.Device("bm1684").compile(source="""
#include "okk.h"
void nodechip_closed(int);
void ends_there(const void* args) { (void)args; nodechip_closed(3); }
OKKERNEL_FUNC_REGISTER(ends_there)
""", flags=["-O2"])
    with pytest.raises(tensorlane.FindingError, match="nodechip_closed is called") as raised:
        module.launch("ends_there", b"")
    assert raised.value.findings[0].locations[0].function == "ends_there"


def test_what_is_not_there_is_named(okk, tmp_path):
    with pytest.raises(tensorlane.UserError, match="registered as 'fualty'; did you mean 'faulty'"):
        okk.module.launch("fualty", b"")
    with pytest.raises(tensorlane.UserError, match="unknown chip 'bm1685'"):
        tensorlane.Device("bm1685")
    with pytest.raises(tensorlane.UserError, match="is no file"):
        okk.device.load(tmp_path / "none.so")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(tensorlane.UserError, match="cannot load"):
        okk.device.load(tmp_path / "text.so")
    with pytest.raises(tensorlane.CompileError) as raised:
        okk.device.compile(source="void kernel(void) { nothing }")
    assert "nothing" in raised.value.output
    with pytest.raises(tensorlane.FindingError, match="TPUKernel"):
        other = tensorlane.Device("bm1684x")
        other.load(okk.module.path).launch("faulty", output=0, input=0, mode=0)


def compile_in_child(queue):
    queue.put(str(Faulty(tensorlane.Device("bm1684")).module.path))


def test_processes_compile_into_one_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TENSORLANE_CACHE", str(tmp_path))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=compile_in_child, args=(queue,)) for _ in range(4)]
    for child in children:
        child.start()
    paths = {queue.get(timeout=120) for _ in children}
    for child in children:
        child.join()
    assert len(paths) == 1 and [file.name for file in (tmp_path / "kernels").iterdir()] == [
        os.path.basename(paths.pop())]


def test_what_close_finds_is_raised_and_views_stay(okk):
    okk(Faulty.FINE)
    view = okk.output.numpy()
    okk.device.close()
    np.testing.assert_array_equal(view, okk.array)
    with pytest.raises(tensorlane.UserError, match="is closed"):
        okk(Faulty.FINE)
