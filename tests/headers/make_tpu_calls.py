#!/usr/bin/env python3
"""Writes a C program that launches a kernel for each function of a list, which calls it with zeros.

    make_tpu_calls.py tpu_functions.txt > tpu_calls.c

What tpu_kernel.h declares must have the type that the list says, or the program does not compile. It prints the name of
each function and whether its launch succeeded.
"""
import sys

STRUCTS = {"scalar_t", "var_context_t"}

PREAMBLE = """\
#include <bmlib_runtime.h>
#include <stdio.h>
#include <tpu_kernel.h>

"""

MAIN = """
static const struct {
  const char* name;
  void (*call)(void);
} functions[] = {
%s};

static void call_one(const void* args) {
  tpu_initialize();
  functions[*(const int*)args].call();
}
TPUKERNEL_FUNC_REGISTER(call_one)

int main(void) {
  bm_handle_t handle;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
  const int count = (int)(sizeof functions / sizeof *functions);
  for (int i = 0; i < count; ++i) {
    fprintf(stderr, "call %%s\\n", functions[i].name);
    const bm_status_t status = tpu_kernel_launch_sync(handle, "call_one", &i, sizeof i);
    fprintf(stderr, "%%s %%s\\n", status == BM_SUCCESS ? "done" : "ended", functions[i].name);
  }
  bm_dev_free(handle);
  return 0;
}
"""


def zero(kind):
    return f"({kind}){{0}}" if kind in STRUCTS else f"({kind})0"


def main():
    calls, rows = "", ""
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            result, name, *types = line.rstrip("\n").split("\t")
            parameters = ", ".join(types) or "void"
            calls += (f"static void call_{name}(void) {{\n  {result} (*function)({parameters}) = {name};\n"
                      f"  (void)function({', '.join(map(zero, types))});\n}}\n")
            rows += f'    {{"{name}", call_{name}}},\n'
    print(PREAMBLE + calls + MAIN % rows, end="")


main()
