"""The cache of compiled kernels: whatever a kernel is made of changes, the kernel does."""

import shutil
import subprocess
from pathlib import Path

import pytest

import tensorlane

SOURCE = """
#include "okk.h"
typedef struct { system_addr_t output; } value_args;
extern float value(void);
void fill(const void* args) {
  const value_args* a = (const value_args*)args;
  const dim4 shape = {1, 1, 1, 16};
  okk_initialize();
  okk_gdma_32bit_set_C_system(a->output, (x32){.fp32 = value()}, &shape, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(fill)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENSORLANE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "fill.c").write_text(SOURCE)
    return tmp_path


def value_of(*sources, **options):
    device = tensorlane.Device("bm1684")
    output = device.empty(16)
    device.compile(*sources, **options).launch("fill", output=output)
    return output[0]


def build(value, *commands):
    Path("value.c").write_text(f"float value(void) {{ return {value}; }}\n")
    for command in commands:
        subprocess.run(command, shell=True, check=True)


OBJECT = "cc -c -fPIC value.c -o value.o"
ARCHIVE = "rm -f libvalue.a && ar rcs libvalue.a value.o"
SHARED = "cc -shared -fPIC value.c -o libvalue.so"


@pytest.mark.parametrize("commands, sources, flags, environment", [
    ([OBJECT], ["fill.c"], ["value.o"], {}),
    ([OBJECT], ["fill.c", "value.o"], [], {}),
    ([], ["fill.c", "value.c"], [], {}),
    ([OBJECT, ARCHIVE], ["fill.c"], ["libvalue.a"], {}),
    ([OBJECT, ARCHIVE], ["fill.c"], ["-L.", "-lvalue"], {}),
    ([OBJECT, ARCHIVE], ["fill.c"], ["-L", ".", "-l:libvalue.a"], {}),
    ([OBJECT, ARCHIVE], ["fill.c"], ["-lvalue"], {"LIBRARY_PATH": "."}),
    ([OBJECT, ARCHIVE, "echo libvalue.a > words"], ["fill.c"], ["@words"], {}),
    ([OBJECT, "echo 'INPUT(value.o)' > script"], ["fill.c"], ["./script"], {}),
], ids=["object", "source-object", "source", "archive", "library", "named-library", "LIBRARY_PATH",
        "response", "script"])
def test_what_is_linked_is_not_taken_from_yesterday(here, monkeypatch, commands, sources, flags,
                                                    environment):
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    for value in (1, 2):
        build(value, *commands)
        assert value_of(*sources, flags=flags) == value


def test_a_library_that_comes_before_another_counts(here):
    for folder, value in (("second", 1), ("first", 2)):
        (here / folder).mkdir()
        build(value, OBJECT, ARCHIVE)
        shutil.move("libvalue.a", folder)
        assert value_of("fill.c", flags=["-Lfirst", "-Lsecond", "-lvalue"]) == value


def test_headers_and_variables_of_the_environment_count(here, monkeypatch):
    (here / "value.c").write_text('#include <value.h>\nfloat value(void) { return VALUE; }\n')
    for folder, value in (("a", 1), ("b", 2)):
        (here / folder).mkdir()
        (here / folder / "value.h").write_text(f"#define VALUE {value}\n")
    for name in ("CPATH", "C_INCLUDE_PATH"):
        for folder, value in (("a", 1), ("b", 2), ("a", 1)):
            monkeypatch.setenv(name, folder)
            assert value_of("fill.c", "value.c") == value
        monkeypatch.delenv(name)
    (here / "a" / "value.h").write_text("#define VALUE 7\n")
    assert value_of("fill.c", "value.c", flags=["-Ia"]) == 7
    assert value_of("fill.c", "value.c", flags=["-include", "b/value.h", "-Ib"]) == 2
    # What comes before another header of the same name.
    (here / "c").mkdir()
    assert value_of("fill.c", "value.c", flags=["-Ic", "-Ia"]) == 7
    (here / "c" / "value.h").write_text("#define VALUE 8\n")
    assert value_of("fill.c", "value.c", flags=["-Ic", "-Ia"]) == 8


def test_what_the_assembler_includes_counts(here):
    (here / "value.c").write_text(
        'extern const unsigned char first;\n'
        'asm(".section .rodata\\nfirst: .incbin \\"bytes\\"\\n.text");\n'
        'float value(void) { return first; }\n')
    for value in (1, 2):
        (here / "bytes").write_bytes(bytes([value]))
        assert value_of("fill.c", "value.c") == value


def test_another_compiler_of_the_same_version_counts(here, monkeypatch):
    build(1)
    compiler = here / "own-cc"
    monkeypatch.setenv("CC", str(compiler))
    for value in (3, 4):
        compiler.write_text(f'#!/bin/sh\nexec cc "$@" -Dreturn="return {value} +"\n')
        compiler.chmod(0o700)
        (here / "value.c").write_text("float value(void) { return 0; }\n")
        assert value_of("fill.c", "value.c") == value


def test_the_same_is_compiled_once(here, monkeypatch):
    build(1, OBJECT)
    calls = here / "calls"
    (here / "own-cc").write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec cc "$@"\n')
    (here / "own-cc").chmod(0o700)
    monkeypatch.setenv("CC", str(here / "own-cc"))
    for _ in range(3):
        assert value_of("fill.c", "value.o") == 1
    assert sum("-shared" in line for line in calls.read_text().splitlines()) == 1
    assert len(list((here / "cache" / "kernels").iterdir())) == 1
    # A note that nobody can read, or whose library is gone, is as none.
    (note,) = (here / "cache" / "inputs").iterdir()
    note.write_text("{")
    assert value_of("fill.c", "value.o") == 1
    for library in (here / "cache" / "kernels").iterdir():
        library.unlink()
    assert value_of("fill.c", "value.o") == 1
