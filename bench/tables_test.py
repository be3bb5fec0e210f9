#!/usr/bin/env python3
"""Tables of the benchmarks where the processor has no peer for a case: our figure and the reason stand there, and no ratio."""
import json
import pathlib
import subprocess
import sys
import tempfile

import functions
import launch_profile
import speed

REASON = "oneDNN has none on this processor"


def row(types, **figures):
    return {"function": "tpu_bdc_fp_mm", "chip": "bm1684x", "group": "bdc-mm", "engine": "BDC", "types": types, "size": "full", **figures}


def check_programs():
    text = speed.table([{"name": "fp16/manual_time", "ours": 18.7, "label": REASON},
                        {"name": "fp32/manual_time", "ours": 60.0, "peer": 120.0, "ratio": 0.5}], "GFLOP/s")
    assert f"| fp16 | 18.7 | {REASON} | |" in text, text
    assert "| fp32 | 60.0 | 120.0 | 0.50 |" in text, text


def check_functions():
    alone = row("fp16", ours_us=3.0, peer=REASON)
    other = row("fp32", ours_us=2.0, peer="OpenBLAS: sgemm", peer_us=1.0, ratio=0.5)
    broken = row("bf16", error="no memory")
    both, = functions.functions_of([alone, other, broken])
    assert both.peer == "OpenBLAS: sgemm" and both.ratios("full") == [0.5] and both.worst("full") is other
    table = functions.markdown(functions.rows_of(functions.functions_of([alone]), False))
    assert f"| tpu_bdc_fp_mm | {REASON} |  |  |" in table, table
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "rows"
        for rows, status in [([alone, other], 0), ([alone, other, broken], 1)]:
            report.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
            done = subprocess.run([sys.executable, functions.__file__, "--from", report], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            assert done.returncode == status, done
            assert ("no memory" in done.stderr) == (status == 1), done


def check_bounds():
    def of(ratio, loop=None, size="full", name="tpu_bdc_fp_div", types="fp32"):
        bound = {"loop": "a loop", "loop_us": loop} if loop else {}
        return {"function": name, "chip": "bm1684x", "group": "bdc-fp", "engine": "BDC", "types": types, "size": size, "peer": "loop: div",
                "ours_us": 1 / ratio, "peer_us": 1.0, "ratio": ratio, **bound}

    # A loop that is below the target itself, and one that is not.
    assert functions.bound_of(of(0.45, 2.1)) == "a loop"
    assert functions.bound_of(of(0.45, 1.9)) == functions.OPEN
    assert functions.bound_of(of(0.45)) == functions.OPEN
    # One that the function beats: 2.22 us of its own.
    assert functions.bound_of(of(0.45, 2.5)) == "a loop"
    assert functions.bound_of(of(0.45, 2.6)) == functions.OPEN
    # At full size only 16-bit products are explained below 0.3.
    assert functions.bound_of(of(0.29, 3.0)) == functions.OPEN
    assert functions.bound_of(of(0.29, 3.0, "middle")) == "a loop"
    assert functions.bound_of(of(0.05, name="tpu_bdc_fp_mm", types="fp16")) == functions.PRODUCTS
    assert functions.bound_of(of(0.05, name="tpu_bdc_fp_mm", types="fp32")) == functions.OPEN
    # What nothing bounds is told, although another type of the function is slower and bounded.
    both = functions.functions_of([of(0.45, types="bf16"), of(0.4, 2.6)])
    (_, size, row, why), = functions.below(both)
    assert (size, row["types"], why) == ("full", "bf16", functions.OPEN)
    table = functions.exceptions_table(functions.functions_of([of(0.4, 2.2), of(0.3, 2.6, "middle"), of(0.6, 3.0, "small")]))
    assert "| a loop | 2 | 0.38 to 0.45 | 0.78 to 0.88 | 0.30 tpu_bdc_fp_div middle |" in table, table


def check_launches():
    def of(seconds, arithmetic):
        return {"launches": 2, "seconds": seconds, "phases": {"arithmetic": arithmetic}}

    # Of each kernel the least, whichever run it was in.
    fast, slow = of(2e-6, 1e-6), of(8e-6, 8e-6)
    assert launch_profile.least([{"a": fast, "b": slow}, {"a": slow, "b": fast}]) == {"a": fast, "b": fast}
    table = launch_profile.table([{"chip": "bm1684", "name": "a", "plain": fast, "checked": slow}], "a processor")
    assert table.startswith("| a processor | kernel | launches |") and "| bm1684 | a | 2 | 1 | 0 % | 0 % | 0 % | 50 % |" in table, table


def main():
    check_programs()
    check_functions()
    check_bounds()
    check_launches()
    print("tables of benchmarks: a case without a peer says so")
    return 0


if __name__ == "__main__":
    sys.exit(main())
