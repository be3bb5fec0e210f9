"""Ends of kernels that would be ends of the script, and of scripts that nobody waits for: by exit(),
fork(), exec(), and by functions that only another module has."""

import os
import subprocess
import sys

import pytest
from conftest import KERNELS

import tensorlane

ESCAPES = {1: ("exit", "exit(3)"), 2: ("_exit", "leave(4)"), 3: ("fork", "fork() == 0"),
           4: ("exec", "execl(")}


class Escapes:
    """The kernel of kernels/escapes.c."""

    def __init__(self, device, flags=()):
        self.device = device
        self.output = device.empty(16)
        self.module = device.compile(KERNELS / "escapes.c", flags=flags)

    def __call__(self, mode, **options):
        return self.module.launch("escapes", output=self.output, mode=mode, **options)


@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize("flags", [(), ("-fno-plt", "-Wl,-z,now,-z,relro")], ids=["lazy", "now"])
@pytest.mark.parametrize("mode", ESCAPES)
def test_a_kernel_cannot_leave_the_process(isolate, flags, mode):
    escapes = Escapes(tensorlane.Device("bm1684", isolate=isolate), flags)
    function, line = ESCAPES[mode]
    for _ in range(2):
        with pytest.raises(tensorlane.FindingError, match=rf"it calls {function}\(\)") as raised:
            escapes(mode)
        finding = raised.value.findings[0]
        assert finding.id == "TL-LAUNCH-003" and finding.kernel == "escapes"
        assert line in (KERNELS / "escapes.c").read_text().splitlines()[finding.line - 1]
    escapes(0)
    assert (escapes.output.numpy() == 1).all()


REFUSED = {5: ("puts(", "segmentation fault"), 6: ("printf(", "segmentation fault"),
           7: ("free(", "abort"), 11: ("*(volatile int*)8", "segmentation fault")}


@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize("check", ["all", "none"])
def test_a_bad_pointer_ends_the_launch_and_nothing_else(isolate, check):
    escapes = Escapes(tensorlane.Device("bm1684", isolate=isolate, check=check))
    for mode in (*REFUSED, *REFUSED):
        line, says = REFUSED[mode]
        with pytest.raises(tensorlane.FindingError, match=says) as raised:
            escapes(mode)
        finding = raised.value.findings[0]
        assert line in (KERNELS / "escapes.c").read_text().splitlines()[finding.line - 1]
        escapes(0)  # which prints, and allocates
    assert (escapes.output.numpy() == 1).all()


@pytest.mark.parametrize("isolate", [False, True])
def test_a_function_that_only_another_module_has_is_missing(isolate):
    device = tensorlane.Device("bm1684", isolate=isolate)
    kernel = """
#include "okk.h"
typedef struct {{ int unused; }} no_args;
{} void {}(const void* args) {{ const no_args* a = args; (void)a; okk_initialize(); other(); okk_poll(); }}
OKKERNEL_FUNC_REGISTER({})
"""
    has = device.compile(source=kernel.format("void other(void) {}", "has", "has"))
    has.launch("has", unused=0)
    asks = device.compile(source=kernel.format("void other(void);", "asks", "asks"))
    for _ in range(2):
        with pytest.raises(tensorlane.FindingError, match="other is called, which neither"):
            asks.launch("asks", unused=0)
    has.launch("has", unused=0)


SCRIPT = """
import sys
import tensorlane
device = tensorlane.Device("bm1684", isolate={isolate})
module = device.compile({kernel!r})
output = device.empty(16)
module.launch("escapes", output=output, mode={mode}, wait=False)
{after}
"""


def run_script(mode, isolate=False, after=""):
    return subprocess.run(
        [sys.executable, "-c", SCRIPT.format(isolate=isolate, mode=mode, after=after,
                                             kernel=str(KERNELS / "escapes.c"))],
        capture_output=True, text=True, timeout=100, check=False, env={**os.environ, "LC_ALL": "C"})


@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize("after", ["", "del device, module, output", "print('said', flush=True)"])
def test_the_end_of_a_script_tells_of_launches_that_nobody_waited_for(isolate, after):
    ended = run_script(11, isolate, after)
    assert ended.returncode == 1, ended.stderr
    assert "TL-LAUNCH-002" in ended.stderr and "escapes.c:" in ended.stderr
    assert ("said" in ended.stdout) == ("said" in after)


@pytest.mark.parametrize("after, status", [("", 0), ("sys.exit(3)", 3)])
def test_what_is_right_ends_as_it_says(after, status):
    ended = run_script(0, after=after)
    assert ended.returncode == status and ended.stderr == "" and ended.stdout == "mode 0\n"


def test_an_exit_status_of_the_script_s_own_stays():
    ended = run_script(11, after="sys.exit(3)")
    assert ended.returncode == 3 and "TL-LAUNCH-002" in ended.stderr
    caught = run_script(11, after="""
try:
    device.sync()
except tensorlane.FindingError:
    print("caught")
""")
    assert caught.returncode == 0 and caught.stderr == "" and caught.stdout == "caught\n"
