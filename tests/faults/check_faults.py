#!/usr/bin/env python3
"""Holds the fault table of docs/checker.md to what happens.

Each row of ENDS is a kernel of kernels.c that ends in some way, or a way in which its host ends. It
is run under `tensorlane run` and with TENSORLANE_CHECK=all alone, on both systems. Every time the
finding made before the end (TL-ARGS-002) must be reported, and the end itself, at its line.

    check_faults.py --tensorlane PROGRAM --library FOLDER [NAME...]

FOLDER has libbmlib.so for OKKernel, FOLDER/tpukernel that for TPUKernel.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OKKERNEL = ("okkernel", ["-DUSING_CMODEL", "-I", str(ROOT / "sdk/okkernel/include")])
TPUKERNEL = ("tpukernel", ["-fsigned-char", "-DBACKEND_1684X", "-I", str(ROOT / "sdk/tpukernel/include"),
                           "-I", str(ROOT / "sdk/okkernel/include")])

# kernel, id of the finding, words of its message, exit status under `tensorlane run`, and of the
# program itself; `goes_on`: the next launch succeeds.
End = collections.namedtuple("End", "kernel id words status alone goes_on way", defaults=(3, 0, True, ""))
CRASH, EXIT, STOP, CALL = (f"TL-LAUNCH-{number:03}" for number in (2, 3, 4, 1))
SEGV, ABRT, ALRM, INT, KILL, PIPE = (getattr(signal, "SIG" + name)
                                     for name in ("SEGV", "ABRT", "ALRM", "INT", "KILL", "PIPE"))


def ended_by(number):
    return {"status": 128 + number, "alone": -number, "goes_on": False}


ENDS = [
    End("null_write", CRASH, "segmentation fault: writes to the address 0x8"),
    End("null_read", CRASH, "segmentation fault: reads the address 0x8"),
    End("null_call", CRASH, "segmentation fault"),
    End("past_the_file", CRASH, "bus error"),
    End("division", CRASH, "integer division by zero"),
    End("trap", CRASH, "illegal instruction"),
    End("calls_abort", CRASH, "abort() was called"),
    End("asserts", CRASH, "abort() was called"),
    End("overflow", CRASH, "stack overflow"),
    End("null_copy", CRASH, "segmentation fault: reads the address 0x8"),
    End("bad_descriptor", CRASH, "segmentation fault: reads the address 0x"),
    End("throws", CRASH, "an exception leaves the kernel: std::runtime_error: no such plan"),
    End("bad_format", CRASH, "segmentation fault"),
    End("bad_print", CRASH, "segmentation fault"),
    End("bad_free", CRASH, "abort() was called"),
    End("wild_free", CRASH, "segmentation fault"),
    End("bad_name", CRASH, "segmentation fault", **ended_by(SEGV)),
    End("calls_exit", EXIT, "it calls exit()", 7, 7, False),
    End("calls_exit_0", EXIT, "it calls exit()", 3, 0, False),
    End("calls__exit", EXIT, "it calls _exit()", 7, 7, False),
    End("calls_pthread_exit", EXIT, "pthread_exit() was called"),
    End("loops", STOP, "it runs longer than --timeout allows: 1 s"),
    End("sleeps", STOP, "it runs longer than --timeout allows: 1 s"),
    End("loops_over_commands", STOP, "it runs longer than --timeout allows: 1 s"),
    End("waits_for_itself", STOP, "it could not be ended, so the process ends", **ended_by(ALRM)),
    End("loops", STOP, "the program was asked to end (SIGINT)", **ended_by(INT), way="interrupt"),
    End("loops_over_commands", STOP, "the program was asked to end (SIGINT)", **ended_by(INT), way="interrupt"),
    End("calls_closed", CALL, "closed_function is called, which neither the program nor a library"),
    End("gather", CALL, "holds the index 32639"),
    End("print_outside", CALL, "the tensor leaves local memory"),
    End("null_write", CRASH, "segmentation fault", 128 + SEGV, -SEGV, way="crash"),
    End("null_write", CRASH, "segmentation fault", 128 + INT, -INT, way="wait"),
    End("null_write", CRASH, "segmentation fault", way="_exit"),
    End("null_write", CRASH, "segmentation fault", way="quick_exit"),
    *(End("null_write", CRASH, "segmentation fault", way=way) for way in ("execl", "execlp", "execve")),
    End("null_write", CRASH, "segmentation fault", 128 + PIPE, -PIPE, way="pipe"),
    End("null_write", CRASH, "segmentation fault", 128 + ALRM, -ALRM, way="alarm"),
    End("null_write", CRASH, "segmentation fault", 128 + KILL, -KILL, way="kill"),
]
# Ways that end by SIGINT, and what the program says before.
INTERRUPTED = {"interrupt": "ready", "wait": "the next"}
ONLY_TPUKERNEL = {"gather", "print_outside"}


def compile_program(options, folder, system, flags):
    library = options.library + ("" if system == "okkernel" else "/tpukernel")
    objects = []
    for source, compiler in (("kernels.c", [options.cc, "-std=gnu11"]), ("host.c", [options.cc, "-std=gnu11"]),
                             ("throws.cc", [options.cxx, "-std=c++20"])):
        objects.append(str(folder / f"{system}-{source}.o"))
        subprocess.run([*compiler, *flags, "-g", "-Wall", "-Werror", "-c", "-o", objects[-1], str(HERE / source)],
                       check=True)
    program, closed = folder / system, folder / "libclosed.so"
    closed_library = [options.cc, "-shared", "-fPIC", "-o", str(closed), "-x", "c", "-"]
    subprocess.run(closed_library, input="void closed_function(int value) { (void)value; }", text=True, check=True)
    subprocess.run([options.cxx, "-o", str(program), *objects, "-Wl,-z,lazy", "-L", library, "-lbmlib", str(closed),
                    f"-Wl,-rpath,{library}", "-lpthread"], check=True)
    # The library that is there when the program runs lacks the function.
    subprocess.run(closed_library, input="int another_function;", text=True, check=True)
    return program, library


def start(end, words, environment, folder):
    """Runs the program; interrupts it once the kernel loops, or the host waits."""
    process = subprocess.Popen(words, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    if end.way in INTERRUPTED:
        first = ""
        for line in process.stdout:
            first += line
            if line.startswith(INTERRUPTED[end.way]):
                break
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, first + out, err
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def marks():
    return {mark: (path.name, number) for path in (HERE / "kernels.c", HERE / "throws.cc")
            for number, line in enumerate(path.read_text().splitlines(), 1) for mark in re.findall(r"// @(\w+)", line)}


def problems_of(options, folder, system, program, library, end):
    folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
    arguments = [str(program), end.kernel, end.way]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TENSORLANE_")}
    environment["LD_LIBRARY_PATH"] = library
    place = "{}:{}".format(*marks()[end.kernel])

    limit = [] if end.way in INTERRUPTED else ["--timeout", "1"]
    status, out, err = start(end, [options.tensorlane, "run", *limit, "--json=json", "--sarif", "sarif", "--",
                                   *arguments], environment, folder)
    findings = json.loads((folder / "json").read_text())["findings"]
    ids = [finding["id"] for finding in findings if finding["severity"] != "advice"]
    if ids != ["TL-ARGS-002", end.id]:
        yield f"found {ids}\n{err}"
        return
    found = findings[1 if findings[1]["id"] == end.id else -1]
    # A signal may come on any line. Macros may wrap the kernel in another function.
    anywhere = end.kernel == "calls_pthread_exit" or end.way == "interrupt"
    places = [each for location in found["locations"] for each in (location, *location["callers"])]
    if anywhere and not any(each["function"].startswith(end.kernel) for each in places):
        yield f"at {places}"
    if end.words not in found["message"] or found["kernel"] != end.kernel:
        yield f"says {found['message']!r}"
    at = [f"{os.path.basename(each['file'])}:{each['line']}" for each in places]
    if not anywhere and place not in at:
        yield f"at {at}, not at {place}"
    rule = "{}:{}".format(*marks()["rule"])  # the last command, or one in flight
    if rule not in at[1:] and rule not in " ".join(found["notes"]):
        yield f"the last command is not named: {at} {found['notes']}"
    if end.id == CRASH and end.kernel == "null_read" and "{}:{}".format(*marks()["null_read_caller"]) not in at:
        yield f"the caller is not named: {at}"
    if status != end.status:
        yield f"exit status {status}, expected {end.status}\n{err}"
    if ("the next succeeded" in out) != end.goes_on:
        yield f"the next launch: {out}"
    if "opened no emulated device" in err:
        yield err
    invocation = json.loads((folder / "sarif").read_text())["runs"][0]["invocations"][0]
    if invocation["executionSuccessful"]:
        yield f"SARIF speaks of a clean run: {invocation}"

    if end.way not in INTERRUPTED:
        environment["TENSORLANE_TIMEOUT"] = "1"
    status, out, err = start(end, arguments, {**environment, "TENSORLANE_CHECK": "all"}, folder)
    # Nothing can be written after SIGKILL.
    shown = re.findall(r"^error (TL-[A-Z]+-\d+):", err, re.MULTILINE)
    if end.way != "kill" and shown != ["TL-ARGS-002", end.id]:
        yield f"without tensorlane run {shown}\n{err}"
    if status != end.alone:
        yield f"without tensorlane run the exit status is {status}, expected {end.alone}\n{err}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.tensorlane, options.library = map(os.path.abspath, (options.tensorlane, options.library))
    runs = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for system, flags in (OKKERNEL, TPUKERNEL):
            program, library = compile_program(options, folder, system, flags)
            for end in ENDS:
                if options.names and end.kernel not in options.names:
                    continue
                if end.kernel in ONLY_TPUKERNEL and system == "okkernel":
                    continue
                runs.append((options, folder, system, program, library, end))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda run: list(problems_of(*run)), runs))
    for (_, _, system, _, _, end), problems in zip(runs, results):
        for problem in problems:
            print(f"{system} {end.kernel} {end.way}: {problem}")
    bad = sum(bool(problems) for problems in results)
    print(f"{len(runs)} ends, {bad} with problems")
    return 1 if bad or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
