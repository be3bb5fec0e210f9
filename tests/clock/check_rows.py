#!/usr/bin/env python3
"""Rows that name kernels and programs, and launches over several cores: check_rows.py TENSORLANE HOST

The kernels of cores.c, as a source, as a module and launched by HOST (clock_cores), take the same time as rows, as `run`
says and as `estimate` says of their recording; replay runs the recording again. Rows that are wrong are refused by number.
"""
import csv
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CORES, COLUMNS = 4, 1024
BLOCKS = f"fp32:{CORES + 1}x64x{COLUMNS}"
ARGUMENTS = {"in": BLOCKS, "out": BLOCKS, "columns": COLUMNS}
WORDS = " ".join(f"{name}={value}" for name, value in ARGUMENTS.items())


class Clock:
    def __init__(self, tensorlane, folder):
        self.tensorlane, self.folder = tensorlane, folder

    def run(self, *words, status=0, lang="en"):
        done = subprocess.run([self.tensorlane, "--lang", lang, *map(str, words)], cwd=self.folder, text=True, check=False,
                              capture_output=True)
        assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout if status == 0 else done.stderr

    def rows(self, *rows, chip="bm1690", **members):
        path = self.folder / "rows.json"
        path.write_text(json.dumps({"chip": chip, "rows": [{"operator": "ours", "time_us": 100, **row, **members} for row in rows]}))
        return path

    def modelled(self, path):
        return [case["modelled_us"] for case in json.loads(self.run("validate", "--rows", path, "--json"))["cases"]]


def same_in_every_way(clock, host):
    """Launches over cores and of the SDMA: as run says, as their recordings say, as rows say."""
    clock.run("run", "--quiet", "--dry-run", "--check=none", "--chip", "bm1690", "--profile", "p.json", "--record",
              "r.jsonl.gz", "--trace", "t.json", "--", host, f"pass_on {CORES}", "carry 1")
    launches = json.loads((clock.folder / "p.json").read_text())["launches"]
    recorded = ["r.jsonl.gz", "r-1.jsonl.gz"]
    assert [launch["kernel"] for launch in launches] == ["pass_on", "carry"]
    for launch, estimate in zip(launches, json.loads(clock.run("estimate", "--json", *recorded)), strict=True):
        for key, ran in (("modelled_us", "modelled_host_us"), ("modelled_at_most_us", "modelled_host_at_most_us"),
                         ("kernel_us", "modelled_us"), ("kernel_at_most_us", "modelled_at_most_us"),
                         *((f"{engine}_busy_us",) * 2 for engine in ("gdma", "bdc", "hau", "sdma"))):
            assert abs(launch[ran] - estimate[key]) < 1e-9 * launch[ran] + 1e-12, (launch["kernel"], key, launch[ran], estimate[key])
    passed, carried = launches
    assert passed["gdma_busy_us"] > 0 and passed["sdma_busy_us"] == 0
    assert carried["sdma"]["bytes"] == 64 * COLUMNS * 4 and carried["ddr_to_ddr"]["bytes"] == 0
    assert carried["bound_by"] == "SDMA" and "SDMA" in carried["calibration"]["unknown"]
    assert carried["modelled_at_most_us"] > carried["modelled_us"] > carried["sdma_busy_us"]
    tracks = {event["tid"]: event["args"]["name"] for event in json.loads((clock.folder / "t.json").read_text())["traceEvents"]
              if event.get("name") == "thread_name"}
    names = [tracks[event["tid"]] for event in json.loads((clock.folder / "t.json").read_text())["traceEvents"]
             if event["ph"] == "B" and event.get("name") == "tpu_sdma_cpy_S2S" and tracks[event["tid"]] != "processor: issue"]
    assert names == ["SDMA"], names
    replayed = clock.run("replay", "--time", "r.jsonl.gz")
    assert f"{passed['modelled_us']:.1f} us" in replayed and f"on {CORES} cores" in replayed, replayed
    return [launch["modelled_host_us"] for launch in launches]


def rows_of_every_kind(clock, host, host_us):
    """The two kernels as recordings, sources, modules and programs, in JSON and in CSV."""
    clock.run("build", "--chip", "bm1690", HERE / "cores.c", "-o", "cores.so")
    (clock.folder / "cores.c").write_text((HERE / "cores.c").read_text())
    passing, carrying = {"kernel": "pass_on", "cores": CORES}, {"kernel": "carry"}
    rows = []
    for kernel, recording in ((passing, "r.jsonl.gz"), (carrying, "r-1.jsonl.gz")):
        rows += [{"recording": recording},
                 {"code": "cores.c", "arguments": ARGUMENTS, **kernel},
                 {"code": ["cores.c"], "arguments": WORDS, **kernel},
                 {"module": "cores.so", "arguments": ARGUMENTS, **kernel},
                 {"program": [host, f"pass_on {CORES}", "carry 1"], "kernel": kernel["kernel"]}]
    for modelled, want in zip(clock.modelled(clock.rows(*rows)), [us for us in host_us for _ in range(5)], strict=True):
        assert abs(modelled - want) < 1e-9 * want, (modelled, want)
    with open(clock.folder / "rows.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["chip", "operator", "time_us", "part", "code", "module", "kernel", "arguments", "cores"])
        table.writerow(["bm1690", "ours", 100, "", "cores.c", "", "pass_on", WORDS, CORES])
        table.writerow(["bm1690", "ours", 100, "", "", "cores.so", "carry", WORDS, ""])
        table.writerow(["bm1690", "ours", 1, "GDMA", "", "cores.so", "carry", WORDS, ""])
    modelled = clock.modelled(clock.folder / "rows.csv")
    assert [round(us, 6) for us in modelled[:2]] == [round(us, 6) for us in host_us], (modelled, host_us)
    assert 0 < modelled[2] < modelled[1]
    assert "| parameter |" in clock.run("fit", "rows.csv", "--parameter", "launch")


def wrong_rows(clock):
    """Each is refused, with its number and what is wrong, in both languages."""
    good = {"code": "cores.c", "kernel": "carry", "arguments": ARGUMENTS}
    wrong = [
        ({**good, "code": "gone.c"}, "'.*gone.c' does not exist", "不存在"),
        ({**good, "kernel": "carri"}, "what 'carri' takes its arguments for is unknown", "不知道 'carri'"),
        ({**good, "arguments": {**ARGUMENTS, "rows": 1}}, r"has no field 'rows'", "没有字段 'rows'"),
        ({**good, "arguments": {"in": BLOCKS}}, "not given: out, columns", "没有给出：out, columns"),
        ({**good, "arguments": {**ARGUMENTS, "in": "fp16:0x4"}}, '"fp16:0x4" is no device memory', "不是设备内存"),
        ({**good, "arguments": {**ARGUMENTS, "columns": "many"}}, "columns = many: a whole number of 32 bits", "32 位的整数"),
        ({**good, "arguments": {**ARGUMENTS, "columns": "fp32:64"}}, "needs a field of 64 bits", "64 位的字段"),
        ({**good, "arguments": {**ARGUMENTS, "columns": 100000000}}, "did not run to its end", "没有运行到底"),
        ({**good, "cores": 9}, "'cores' is 9; the bm1690 has 8", "bm1690 有 8 个"),
        ({"module": "rows.json", "kernel": "carry"}, "cannot load '.*rows.json'", "无法装入"),
        ({"program": "/bin/true"}, "'/bin/true' launched no kernel", "没有启动 kernel"),
        ({"program": "/bin/false"}, "'/bin/false' ended with exit status 1", "退出状态 1"),
        ({"kernel": "carry"}, "what did it is missing", "缺少是什么做的"),
    ]
    path = clock.rows({"program": "./gone"})
    assert "cannot start" in clock.run("validate", "--rows", path, status=127)
    (clock.folder / "broken.c").write_text("void broken(void) { no_such_type x; }\n")
    wrong.append(({**good, "code": "broken.c"}, "'.*broken.c' does not compile", "broken.c"))
    for row, english, chinese in wrong:
        path = clock.rows(good, row) if "program" not in row else clock.rows(row)
        said = clock.run("validate", "--rows", path, status=2)
        assert re.search(english, said), (row, said)
        assert f"rows.json: row {1 if 'program' in row else 2}: " in said, said
        said = clock.run("validate", "--rows", path, status=2, lang="zh")
        assert chinese in said, (row, said)


def main():
    tensorlane, host = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock(tensorlane, pathlib.Path(folder))
        host_us = same_in_every_way(clock, host)
        rows_of_every_kind(clock, host, host_us)
        wrong_rows(clock)
        with gzip.open(clock.folder / "r.jsonl.gz", "rt") as file:
            lines = [json.loads(line) for line in file]
        assert lines[0]["cores"] == CORES
        assert {line["core"] for line in lines if "core" in line} == set(range(CORES))
        assert {"send", "wait", "join"} == {line["message"] for line in lines if "message" in line}
        print(f"{host_us[0]:.1f} us over {CORES} cores, {host_us[1]:.1f} us with the SDMA")


main()
