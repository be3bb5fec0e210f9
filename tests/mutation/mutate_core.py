#!/usr/bin/env python3
"""Measures the tests of the core: breaks the product in small ways and looks which are noticed.

Each row of MUTANTS changes one place of one source file. The file is patched where it stands, the
test program of its folder is built and run, and the file is put back. A mutant is killed when the
program fails, crashes or hangs; one that survives is a law no test states.

    mutate_core.py --build BUILD [NAME...]   the mutants whose name or test program contains NAME
    mutate_core.py --check                   only whether each row still fits its file

BUILD is a configured build folder of this tree (ninja); nobody else may build or edit meanwhile.
Ends with status 1 when a mutant survives, or when a text is not found exactly once in its file.
"""
import argparse
import collections
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "src/tensorlane"
SECONDS = 120  # a test program that runs longer hangs

Mutant = collections.namedtuple("Mutant", "name file before after program")


def rows(file, program, *changes):
    """Mutants of one file: (name, before, after)."""
    return [Mutant(name, file, before, after, program) for name, before, after in changes]


MUTANTS = [
    *rows(
        "device/allocator.cc", "device_test",
        ("allocator: sizes are rounded down", "(bytes + Allocator::kGranule - 1)", "(bytes)"),
        ("allocator: a block is freed as one granule", "free_.give_back(first, first + size)",
         "free_.give_back(first, first + 1)"),
        ("allocator: freed blocks are remembered after half is given away",
         "while (block != freed_.end() && block->first < end)",
         "while (block != freed_.end() && block->first + kGranule < end)"),
        ("allocator: an address past a block is inside it",
         "address - block->first >= std::max", "address - block->first > std::max"),
    ),
    *rows(
        "device/free_runs.cc", "device_test",
        ("free runs: not the lowest",
         "if (left.longest >= length) {", "if (left.longest >= length && right.longest < length) {"),
        ("free runs: none spans two halves",
         "left.last + right.first >= length", "left.last >= length"),
        ("free runs: the first run ends at the middle",
         "? left.first + right.first : left.first", "? left.first : left.first"),
    ),
    *rows(
        "device/session.cc", "device_test",
        ("session: parallel_end does not run the region",
         "void Session::parallel_end(const void* call_site) {\n  run_region();",
         "void Session::parallel_end(const void* call_site) {"),
        ("session: poll inside a region is accepted",
         "announce(SyncEvent::kPoll, -1, call_site);\n  if (in_parallel_region) {",
         "announce(SyncEvent::kPoll, -1, call_site);\n  if (false) {"),
        ("session: regions nest",
         "announce(SyncEvent::kParallelStart, regions, call_site);\n  if (in_parallel_region) {",
         "announce(SyncEvent::kParallelStart, regions, call_site);\n  if (false) {"),
        ("session: a region may end twice", "  in_parallel_region = false;\n}\n\nstd::byte*",
         "}\n\nstd::byte*"),
        ("session: initialize leaves the region open",
         "announce(SyncEvent::kInitialize, -1, call_site);\n  in_parallel_region = false;",
         "announce(SyncEvent::kInitialize, -1, call_site);"),
        ("session: commands get the number of the next region",
         "in_parallel_region ? regions - 1 : -1", "in_parallel_region ? regions : -1"),
        ("session: refused commands are counted",
         "  command.sequence = commands;", "  command.sequence = commands++;"),
        ("session: serial commands wait like those of a region",
         "if (in_parallel_region && region != nullptr) {", "if (region != nullptr) {"),
        ("session: a tensor outside its memory is told as a broken limit",
         "error.about_memory() ? Refusal::Kind::kMemory", "false ? Refusal::Kind::kMemory"),
        ("session: the host's float environment", "  const ChipFloatScope chip_float;\n", ""),
        ("session: the reference runs first",
         "if (choice == ImplementationChoice::kFastest) {",
         "if (choice != ImplementationChoice::kFastest) {"),
        ("session: pointers one past the end", "if (offset >= memory.bytes(space)) {",
         "if (offset > memory.bytes(space)) {"),
        ("session: the HAU is not waited for", "region->wait(Engine::kHau,",
         "region->wait(Engine::kGdma,"),
    ),
    *rows(
        "device/region_queue.cc", "device_test",
        ("region queue: early copies wait",
         "(order_.kind == Kind::kEarly && gdma)", "(order_.kind == Kind::kEarly && !gdma)"),
        ("region queue: waits for one command only", "  while (std::any_of(commands.begin()",
         "  if (std::any_of(commands.begin()"),
    ),
    *rows(
        "device/call.cc", "device_test",
        ("call: limits of host functions do not hold", "if (!violations.empty())", "if (false)"),
        ("call: functions of later chips run", "if (op.spec().absence != Absence::kNone)",
         "if (false)"),
        ("call: functions left out by the chip run", "if (!here.has_function(op.name()))",
         "if (false)"),
        ("call: refusals are kept from the observers", "  if (session != nullptr)\n    session->refuse(",
         "  if (session == nullptr)\n    session->refuse("),
        ("call: a failed assertion has no place", "set_failure(message, call_site);",
         "set_failure(message, nullptr);"),
    ),
    *rows(
        "device/kernel_runner.cc", "device_test",
        ("kernel runner: the last failure counts", "if (!running->failure) running->failure",
         "running->failure"),
        ("kernel runner: the session outlives the launch", "  running = nullptr;\n  return", "  return"),
        ("kernel runner: the host's rounding", "    std::fesetenv(FE_DFL_ENV);\n", ""),
        ("kernel runner: the kernel's rounding stays",
         "~KernelFloatScope() { std::fesetenv(&saved_); }", "~KernelFloatScope() {}"),
    ),
    *rows(
        "device/device.cc", "device_test",
        ("device: wait counts failures from before", "return failed > after && failed <= ticket;",
         "return failed >= after && failed <= ticket;"),
        ("device: a free does not wait",
         "  drain();  // a queued launch may still use it\n", ""),
        ("device: a host access does not wait", "  drain();\n  check_host_access", "  check_host_access"),
        ("device: the host may copy past an allocation",
         "room = block->end() - address;", "room = place->bytes_left;"),
        ("device: freed memory is the host's", "    if (block->freed) {", "    if (false) {"),
        ("device: offsets wrap around", "if (offset <= room && bytes <= room - offset) return;",
         "if (offset + bytes <= room) return;"),
        ("device: launches end in the order they began",
         "observer_list_.rbegin(); observer != observer_list_.rend()",
         "observer_list_.begin(); observer != observer_list_.end()"),
        ("device: a failure has no kernel", "  failure->kernel = job.name;\n", ""),
        ("device: an open region is dropped", "  session.finish();\n", ""),
        ("device: exit() in a kernel loses the reports", "    if (device != nullptr)",
         "    if (device == nullptr)"),
        ("device: a forked child ends the parent's launches",
         "if (on_own_thread() || process_ != getpid()) return;", "if (on_own_thread()) return;"),
    ),
    *rows(
        "device/memory.cc", "device_test",
        ("memory: ranges may leave their memory", "bytes > place->bytes_left", "bytes > place->bytes_left + 1"),
        ("memory: static memory starts empty", "if (!chip.static_contents.empty()) {", "if (false) {"),
    ),
    *rows(
        "device/kernel_registry.cc", "device_test",
        ("registry: the first kernel of a name stays", "    found->second = kernel;\n", ""),
    ),
]


def misfits():
    """Rows whose text is not found exactly once."""
    for mutant in MUTANTS:
        path = SOURCES / mutant.file
        found = path.read_text().count(mutant.before) if path.exists() else 0
        if found != 1:
            yield f"{mutant.name}: its text is found {found} times in {mutant.file}"


def build(folder, program):
    """None, or what the compiler said."""
    result = subprocess.run(["nice", "ninja", "-C", str(folder), "-j1", program],
                            capture_output=True, text=True, check=False)
    return None if result.returncode == 0 else result.stdout


def passes(folder, program):
    [path] = [path for path in (folder / "src/tensorlane").glob(f"**/{program}") if path.is_file()]
    try:
        result = subprocess.run([str(path), "--gtest_brief=1", "--gtest_fail_fast"], cwd=path.parent,
                                timeout=SECONDS, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return False
    return result.returncode == 0


def verdict(folder, mutant):
    path = SOURCES / mutant.file
    text = path.read_text()
    path.write_text(text.replace(mutant.before, mutant.after))
    try:
        errors = build(folder, mutant.program)
        if errors:
            return f"does not compile\n{errors[-1500:]}"
        return "SURVIVED" if passes(folder, mutant.program) else "killed"
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    wrong = list(misfits())
    for line in wrong:
        print(line)
    if options.check or wrong:
        print(f"{len(MUTANTS)} mutants, {len(wrong)} that do not fit")
        return 1 if wrong else 0
    if options.build is None:
        parser.error("--build is missing")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # through the finally above
    folder = options.build.resolve()
    chosen = [mutant for mutant in MUTANTS if not options.names or any(
        name in mutant.name or name == mutant.program for name in options.names)]
    programs = sorted({mutant.program for mutant in chosen})
    for program in programs:
        if build(folder, program) or not passes(folder, program):
            print(f"{program} does not build or pass without a mutant")
            return 1
    killed = 0
    for mutant in chosen:
        result = verdict(folder, mutant)
        killed += result == "killed"
        print(f"{result:8}  {mutant.name} [{mutant.program}]", flush=True)
    for program in programs:
        build(folder, program)
    print(f"{killed} of {len(chosen)} mutants killed")
    return 0 if killed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
