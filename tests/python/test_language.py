"""What the package says is Chinese where the language is: errors, findings, comparisons, the table of tune."""
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "language"))
import english  # noqa: E402
from conftest import KERNELS  # noqa: E402

SCRIPT = """
import numpy as np
import tensorlane
from tensorlane import Device, UserError, compare
from tensorlane.tune import main as tune

device = Device("bm1684")
source = '''
#include "okk.h"
typedef struct { unsigned long long input_addr; int count; } args_t;
void twice(const void* args) {
  const args_t* a = (const args_t*)args;
  dim4 shape = {1, 64, 1, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->input_addr + (1 << 20), &shape, 0, 0);  // beyond the tensor
  okk_bdc_mul_C(0, 65536, 2, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(twice)
'''
module = device.compile(source=source)
x = device.tensor(np.zeros((1, 64, 1, 16), np.float32))


def wrong(call):
    try:
        call()
    except Exception as error:
        print(error)
        return
    raise SystemExit("no error")


wrong(lambda: Device("bm168"))
wrong(lambda: device.compile())
wrong(lambda: device.compile("missing.c"))
wrong(lambda: device.compile(source="nonsense"))
wrong(lambda: module.launch("twic", input_addr=x, count=1))
wrong(lambda: module.launch("twice", input_adr=x, count=1))
wrong(lambda: module.launch("twice", input_addr=x))
wrong(lambda: module.launch("twice", input_addr=x, count="many"))
wrong(lambda: module.launch("twice", input_addr=x, count=1 << 40))
wrong(lambda: module.launch("twice", input_addr=x, count=1))
wrong(lambda: device.empty((2, -3)))
wrong(lambda: device.empty((2, 3), "fp13"))
wrong(lambda: compare(np.zeros(3), np.zeros(4)))
wrong(lambda: compare(np.zeros(3), np.zeros(3), rtol=-1))
wrong(lambda: compare(np.zeros(3), np.zeros(3), "1e-3", rtol=1))
wrong(lambda: device.empty(2.7))
wrong(lambda: device.empty((1 << 32, 1 << 32)))
wrong(lambda: float(x))
wrong(lambda: bool(x))
wrong(lambda: len(device.empty(())))
wrong(lambda: x.__dlpack__(stream=1))
wrong(lambda: device.empty(2, "int4").__dlpack__())
print(compare(np.zeros((2, 3), np.float32), np.ones((2, 3), np.float32)))
for finding in device.findings:
    print(finding)
device.close()
wrong(x.numpy)
import sys
apart = Device("bm1684", isolate=True)
module = apart.compile(sys.argv[1])
y = apart.empty(16)
for mode in (1, 3, 4, 9):
    wrong(lambda: module.launch("escapes", output=y, mode=mode))
wrong(lambda: apart.empty(3))
tune(["missing.c", "--chip", "bm1684", "--kernel", "k"])
tune(["missing.c", "--chip", "bm1684", "--kernel", "k", "--macro", "T=4:1:1"])
"""


def said_in_chinese(*words, status=0):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    said = subprocess.run([sys.executable, *words], env={**environment, "LANG": "zh_CN.UTF-8", "PYTHONUTF8": "1"}, text=True,
                          capture_output=True, check=False)
    assert said.returncode == status, said.stdout + said.stderr
    return said


@pytest.mark.parametrize("command", ["tune", "spread"])
def test_help_of_commands(command):
    text = said_in_chinese("-m", f"tensorlane.{command}", "--help").stdout
    assert "打印本帮助并退出" in text
    assert not english.english_in(text), text


WRONG_WORDS = [
    (["tune", "--trials"], "--trials 需要一个值"),
    (["tune"], "缺少：SOURCE, --chip, --kernel"),
    (["tune", "a.c", "--chip", "x", "--kernel", "k", "--trials", "many"], "--trials：'many' 不是整数"),
    (["tune", "a.c", "--chip", "x", "--kernel", "k", "--sampler", "none"], "--sampler：'none' 不在"),
    (["tune", "a.c", "--chip", "x", "--kernel", "k", "--s", "1"], "--s 可以是"),
    (["tune", "a.c", "--chip", "x", "--kernel", "k", "--tiem"], "不认识：--tiem"),
    (["spread", "--shards", "many"], "--shards：'many' 不是整数"),
    (["spread", "--shards"], "--shards 需要一个值"),
]


@pytest.mark.parametrize("words, says", WRONG_WORDS, ids=[" ".join(words) for words, _ in WRONG_WORDS])
def test_wrong_words_are_told_in_chinese(words, says):
    said = said_in_chinese("-m", f"tensorlane.{words[0]}", *words[1:], status=2)
    assert says in said.stderr and said.stderr.count("\n") == 1, said.stderr
    assert not english.english_in(said.stderr.replace("SOURCE", "")), said.stderr


def test_nothing_english_is_said():
    said = said_in_chinese("-c", SCRIPT, str(KERNELS / "escapes.c"))
    # What gcc says is gcc's.
    text = "\n".join(line for line in said.stdout.splitlines() + said.stderr.splitlines() if "error:" not in line)
    assert not english.english_in(text), text
