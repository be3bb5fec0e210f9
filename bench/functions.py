#!/usr/bin/env python3
"""Measures every function of the ops lists beside its peer and writes the page, the picture and the figures.

    cmake --preset bench && cmake --build --preset bench --target ops_bench
    bench/functions.py [--build build/bench] [--seconds S] [--filter REGEX] [--checks] [--write docs]

Without --write the table goes to standard output. --write replaces speed-functions.csv, speed-functions.svg and
speed-functions.json in that folder, and the tables between the marks of speed.md and zh/speed.md. --from FILE makes them of
figures that were measured before. bench/speed.py runs this too. --class NAME with --write replaces the means and the exceptions of
that class of processors alone, between marks of its own, with the processor, the date and the commit in their header.
"""
import argparse
import collections
import csv
import datetime
import itertools
import json
import math
import os
import pathlib
import platform
import subprocess
import sys

SIZES = ["full", "middle", "small"]
COLOURS = {"full": "#2563eb", "middle": "#d97706", "small": "#6b7280"}
LEAST = {"full": 0.5, "middle": 0.5, "small": 0.3}  # what a function should reach
# Why functions stay below: parts of their names, the sizes and the least ratio it explains, and what bounds them. The first that
# fits counts; what is slower than a bound explains is open.
BOUNDS = [
    (["_load_", "_static", "line_gather", "system_", "S2S", "vector_", "nc_trans_L2L", "generate_arithmetic"], SIZES, 0.05,
     "few bytes, or no gaps between them: a command's own cost, some tenths of a microsecond, is as much as the work"),
    (["fp_mm", "fp_conv2d"], SIZES, 0.02, "fp16 and bf16: each product is cut to the largest exponent of its block, in passes of their "
                                          "own, where the peer has one instruction"),
    (["int_mm", "int_pcs_mm", "int8_mm", "zp_mm"], ["full"], 0.3,
     "bytes: the tiles of 64 products take 0.31 ms and writing 12 MB of sums takes 0.45, in bare loops, where the peer takes 0.75 to 0.9 in "
     "all; 32 bits: sixteen products of bytes, 2.7 ms of tiles in a bare loop, where the peer takes 2.5 to 3"),
    (["int_mm", "int_pcs_mm", "int8_mm", "zp_mm"], ["middle"], 0.2,
     "bytes: tiles 19 us, writing the sums 15 us, and copying rows in parts of 49 columns out of 64 NPUs 11 us, in bare loops, where the peer "
     "takes 24 to 55 us in all; 32 bits: tiles 300 us, where the peer takes 260"),
    (["int_mm", "int_pcs_mm", "int8_mm", "fp32_mm"], ["small"], 0.1,
     "the matrices lie in 64 NPUs in parts of 2 and 4 columns: copying these 9310 parts alone takes 8 us, where the peer takes 6 (bytes) and 13 "
     "(32 bits, of which the tiles of sixteen products of bytes take 26)"),
    (["fp_depthwise", "fp_ins_depthwise"], SIZES, 0.15,
     "bf16 rounds each product and each sum: for a window of 3x3 19 roundings of five instructions beside 18 operations, 113 in all, "
     "where the peer has nine fused multiply-adds"),
    (["fp_scale", "_sqr", "fp_bias"], ["full", "middle"], 0.2,
     "fp16: ten instructions for sixteen elements (widened, multiplied, rounded to 16 bits and back, added, narrowed, every NaN made one), "
     "where the peer takes three for 32 in fp16"),
    (["reduce_mean"], SIZES, 0.04, "two averages in the chip's order, each product and sum rounded, where the peer adds once"),
    (["requant", "dequant"], ["full", "middle"], 0.25, "product, shift, rounding, offset and saturation are some fifteen instructions, in 64 "
                                                       "bits for large multipliers, where the peer has a multiplication and a shift"),
    (["requant", "dequant"], ["small"], 0.08, "280 rows of 49 elements are 1120 vectors of 16, a quarter of them for one element, of some "
                                              "twenty instructions each (widening, product, shift, rounding, offset, saturation, narrowing): "
                                              "4 to 5 us, where the peer computes 32 at once without rounding"),
    (["tpu_bdc_int8_", "int_mm", "int_pcs_mm"], SIZES, 0.2, "operands are read NPU by NPU and finished with shifts, rounding and "
                                                            "saturation"),
    (["conv2d", "matmul", "fp32_mm", "okk_bdc_depthwise"], SIZES, 0.3, "product and sum round one by one, where the peer fuses them"),
    (["div", "reciprocal", "softsign"], SIZES, 0.05, "Newton's steps as the chip has them, sixteen operations and more; the peer has one "
                                                     "instruction"),
    (["taylor"], SIZES, 0.02, "every product and every sum of a term rounds, in 16 bits by two conversions; the peer has one fused "
                              "instruction"),
    (["fp_scale", "_sqr"], ["middle"], 0.25, "fp16 is widened to fp32 and rounded twice, 16 numbers to an instruction: a bare loop of a product and "
                                             "a sum takes 24 us, where the peer's 32 numbers to an instruction take 11"),
    (["fp_diff_abs", "fp_mul_C", "fp_square", "fp_add_C", "fp_sub_C", "fp_C_sub", "fp_bias", "fp_floor", "fp_ceil", "fp_round", "prelu",
      "exponent_part"], ["middle"], 0.35, "fp16 is widened to fp32, rounded, and its NaN are made one: a bare loop of additions takes 18 us, where the peer's 32 "
                      "numbers to an instruction take 13"),
    (["w_gather_exception"], ["full", "middle"], 0.45, "each index is compared with the exception, one element at a time: nine instructions in the "
                                                       "compiled loop, two of them branches, where the peer's gather does not compare"),
    (["tpu_bdc_cast"], ["middle"], 0.43, "fp32 to int16 saturates and has a rule for NaN: four operations more for sixteen elements, counted in the "
                                         "source, than the peer's conversion"),
    (["hsigmoid", "hswish"], SIZES, 0.02, "in 16 bits every operation rounds to the type, in fp32 and back; the peer computes in fp16"),
    (["_vc_"], ["small"], 0.04, "the columns of a row lie on 49 NPUs, four of them side by side: 3430 cache lines; a bare loop of one store to "
                                "each takes 3.5 (bytes) to 6 us (32 bits), where the peer writes dense rows in 0.5 to 1.2"),
    (["_vc_"], ["middle"], 0.16, "4096 rows of 49 columns in 64 NPUs: a bare loop of masked stores takes 4 (bytes) to 16 us (32 bits), each row's "
                                "constant and its short last vector 3 to 6 ns more, where the peer's 64 rows take 8 to 20 us in all"),
    (["matrix_trans_S2L"], SIZES, 0.1, "each element of a row goes to another NPU, and a row begins with a cache line: a line for each "
                                       "element"),
    (["gdma_matrix", "32bit_matrix"], ["small"], 0.02, "70 rows of 196 columns, four of them in each of 49 NPUs: 3430 cache lines; a bare loop "
                                                       "of one store to each takes 3.5 (bytes) to 6 us (32 bits), where memcpy takes 0.1 to 1.1"),
    (["gdma", "set_C"], ["small"], 0.1, "280 rows of 49 elements: bare loops of masked vectors over them take 0.5 us (fills of bytes), 0.7 (copies), "
                                        "of 16 bits 0.9 and 1.2, where one fill or memcpy of all takes 0.13 and 0.4"),
    (["s16_mul_u8", "split_low", "mul_8bit"], SIZES, 0.06, "several steps as the chip takes them, each through memory: four and three work "
                                                          "tensors for a product of 16 by 8 bits, two steps for a low byte"),
    (["fixed_point_packed", "4N_int8"], ["middle"], 0.08, "one image in words of two or four: an element to a word; the plain loop over as many words "
                                                         "of 32 bits takes 50 us with one source, 80 with two, 96 with three, where the dense "
                                                         "elements of the peer take 10 to 40"),
    (["fixed_point_packed", "4N_int8", "int8_to_fp32"], ["full", "small"], 0.08,
     "elements of 8 bits in words of four and of 16 in words of two, in 140 rows: a bare loop that takes two bytes out of each word and adds "
     "takes 1.2 us, shifts with rounding and saturation twelve instructions a vector more, where the peer takes 0.4 to 0.8 for dense arrays"),
    (["tpu_bdc_int_", "_shift"], ["full", "middle"], 0.2, "sums of 32-bit numbers have 33 bits and products 64: lanes of 64 bits, widened and narrowed, "
                                                          "eight to an instruction, where the peer wraps around in sixteen"),
    ([""], ["small"], 0.1, "280 rows of 49 elements on 64 NPUs, each with pages and cache lines of its own: a bare loop of fp32 additions "
                           "over them takes 2.0 us, over dense arrays 0.95"),
]
PRODUCTS = BOUNDS[1]  # the only bound that explains a ratio below LEAST_EXPLAINED at full size
LEAST_EXPLAINED = 0.3
# A class of processors has bounds of its own, each with the loop of bounds_bench.cc that proves it there, and what its functions
# should reach. Where none is listed, the bounds above are those of AVX-512 alone.
CLASS_LEAST = {"full": 0.5, "middle": 0.4, "small": 0.2}
CLASS_BOUNDS = {
    "avx2": [
        PRODUCTS,
        (["gdma_matrix", "32bit_matrix"], ["small"], 0.04, "3430 cache lines: the loops `small lines stored` and `small lines loaded` "
                                                           "take 1.3 to 1.8 us, where memcpy takes 0.1 to 0.5"),
        (["gdma"], ["small"], 0.1, "280 rows of 49 elements: the loop `small bytes copied` takes 0.5 to 0.9 us, where one memcpy of all takes 0.1"),
    ],
}
OPEN = "none known: open"
SHOWN = 30  # functions in the table of the slowest
KEPT = ["function", "chip", "group", "engine", "types", "size", "peer", "ours_us", "peer_us", "ratio", "ratio_with_checks"]


def bounds_of(processors):
    return CLASS_BOUNDS.get(processors.partition("-")[0], [])


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def figure(value):
    return "" if math.isnan(value) else f"{value:.2f}"


def measured_on(processor):
    """The processor, this one where none is named, the instructions it was kept to, the date and the commit."""
    model = processor or next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")),
                 platform.machine())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    return f"{model}, {os.environ.get('TENSORLANE_ISA', 'native')}, {datetime.date.today()}, {commit}"


def measure(build, seconds, pattern, checks):
    command = [str(build / "bench" / "ops_bench"), "--seconds", str(seconds), "--filter", pattern]
    if checks:
        command.append("--checks")
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    return lines_of(done.stdout)


def lines_of(text):
    """The cases of a report, or of a file that --write made of one."""
    return [json.loads(line.rstrip(",")) for line in text.splitlines() if line.startswith("{")]


class Function:
    """The cases of a function, one per type and size."""

    def __init__(self, rows):
        first = rows[0]
        self.name, self.chip, self.group, self.engine = (first[key] for key in ["function", "chip", "group", "engine"])
        self.rows = rows
        self.peer = next((row["peer"] for row in rows if "ratio" in row), first["peer"])

    def ratios(self, size, key="ratio"):
        return [row[key] for row in self.rows if row["size"] == size and key in row]

    def mean(self, size, key="ratio"):
        return mean(self.ratios(size, key))

    def worst(self, size):
        rows = [row for row in self.rows if row["size"] == size and "ratio" in row]
        return min(rows, key=lambda row: row["ratio"], default=None)


def functions_of(rows):
    by_name = collections.defaultdict(list)
    for row in rows:
        if "ours_us" in row:  # without a ratio where this processor has no peer, which "peer" says
            by_name[row["function"]].append(row)
    return sorted((Function(each) for each in by_name.values()), key=lambda function: (not function.ratios("full"), function.mean("full") if function.ratios("full") else 0))


def means_table(functions, header="functions"):
    groups = collections.defaultdict(list)
    for function in functions:
        groups[(function.chip, function.group)].append(function)
    lines = [f"| {header} | number | " + " | ".join(SIZES) + " |", "|---|---:|" + "---:|" * len(SIZES)]
    lines.append(f"| all | {len(functions)} | " +
                 " | ".join(f"**{figure(mean([f.mean(size) for f in functions if f.ratios(size)]))}**" for size in SIZES) + " |")
    for (chip, group), members in sorted(groups.items()):
        cells = [figure(mean([f.mean(size) for f in members if f.ratios(size)])) for size in SIZES]
        lines.append(f"| {chip} {group} | {len(members)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def rows_of(functions, checks):
    """A row per function, slowest at full size first: what a table of them shows."""
    for function in functions:
        row = {"function": function.name, "peer": function.peer}
        for size in SIZES:
            worst = function.worst(size)
            row[size] = figure(function.mean(size))
            row[f"worst {size}"] = f"{worst['ratio']:.2f} {worst['types']}" if worst else ""
        if checks:
            row["full, checks"] = figure(function.mean("full", "ratio_with_checks"))
        yield row


def markdown(rows):
    rows = list(rows)
    lines = ["| " + " | ".join(rows[0]) + " |",
             "|" + "".join("---|" if key in ("function", "peer") or "worst" in key else "---:|" for key in rows[0])]
    return "\n".join(lines + ["| " + " | ".join(row.values()) + " |" for row in rows]) + "\n"


def picture(functions):
    """All functions from the slowest to the fastest: a dot per size, on a scale of powers of ten."""
    width, height, left, top, bottom = 960, 420, 56, 34, 44
    low, high = 1 / 256, 16
    across = width - left - 16

    def x(k):
        return left + across * (k + 0.5) / max(len(functions), 1)

    def y(ratio):
        share = (math.log(max(low, min(high, ratio))) - math.log(low)) / (math.log(high) - math.log(low))
        return height - bottom - share * (height - top - bottom)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" class="tensorlane" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           'font-size="12" role="img">',
           "<title>Speed of every function beside its peer</title>",
           "<style>@media (prefers-color-scheme: dark) { .tensorlane { filter: invert(0.87) hue-rotate(180deg) } }</style>",
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for ratio, text in [(1 / 64, "1/64"), (1 / 16, "1/16"), (0.25, "1/4"), (0.5, "1/2"), (1, "1"), (4, "4")]:
        dash = "" if ratio == 1 else ' stroke-dasharray="2 4"'
        out.append(f'<line x1="{left}" x2="{width - 16}" y1="{y(ratio):.1f}" y2="{y(ratio):.1f}" stroke="#94a3b8"{dash}/>'
                   f'<text x="{left - 8}" y="{y(ratio) + 4:.1f}" text-anchor="end" fill="#334155">{text}</text>')
    for size in reversed(SIZES):
        for k, function in enumerate(functions):
            ratio = function.mean(size)
            if math.isnan(ratio):
                continue
            out.append(f'<circle cx="{x(k):.1f}" cy="{y(ratio):.1f}" r="2" fill="{COLOURS[size]}">'
                       f"<title>{function.name} {size}: {ratio:.2f} of {function.peer}</title></circle>")
    for k, size in enumerate(SIZES):
        at = left + 8 + 230 * k
        out.append(f'<circle cx="{at}" cy="16" r="5" fill="{COLOURS[size]}"/><text x="{at + 12}" y="20" fill="#334155">'
                   f"{size}: geometric mean {figure(mean([f.mean(size) for f in functions if f.ratios(size)]))}</text>")
    out.append(f'<text x="{left + across / 2:.0f}" y="{height - 14}" text-anchor="middle" fill="#334155">{len(functions)} '
               "functions, slowest at full size first; ratio ours / peer</text></svg>\n")
    return "\n".join(out)


def bound_of(name, size, ratio, bounds):
    """What explains such a ratio; OPEN where nothing does."""
    for bound in bounds:
        parts, sizes, least, why = bound
        explains = size in sizes and ratio >= least and any(part in name for part in parts)
        if explains and (size != "full" or ratio >= LEAST_EXPLAINED or bound is PRODUCTS):
            return why
    return OPEN


def below(functions, processors=None):
    """Each (function, size, ratio, what bounds it) below what it should reach in some type, on a class of processors or on the first."""
    bounds, wanted = (bounds_of(processors), CLASS_LEAST) if processors else (BOUNDS, LEAST)
    for function in functions:
        for size in SIZES:
            ratio = min(function.ratios(size), default=1)
            if ratio < wanted[size]:
                yield function, size, ratio, bound_of(function.name, size, ratio, bounds)


def measured_again(rows, options):
    """The rows, where those of open functions are the median of three runs: how the pages of a case lie in the caches differs from
    run to run."""
    names = sorted({function.name for function, *_, why in below(functions_of(rows)) if why == OPEN})
    if not names:
        return rows
    runs = [measure(options.build, options.seconds, f"^({'|'.join(names)})$", options.checks) for _ in range(2)]
    others = collections.defaultdict(list)
    for row in itertools.chain(*runs):
        others[case_of(row)].append(row)
    return [sorted([row, *others[case_of(row)]], key=lambda each: each["ratio"])[1] if "ratio" in row and len(others[case_of(row)]) == 2
            else row for row in rows]


def case_of(row):
    return row["function"], row["types"], row["size"]


def exceptions_table(functions, processors=None):
    """Functions below what they should reach in some type, by what bounds them."""
    bounds = bounds_of(processors) if processors else BOUNDS
    found = collections.OrderedDict((why, []) for why in [*(why for *_, why in bounds), OPEN])
    for function, size, ratio, why in below(functions, processors):
        found[why].append((ratio, f"{function.name} {size}"))
    lines = ["| what bounds them | functions and sizes | least |", "|---|---:|---|"]
    for why, cases in found.items():
        if cases:
            ratio, name = min(cases)
            lines.append(f"| {why} | {len(cases)} | {ratio:.2f} {name} |")
    return "\n".join(lines) + "\n"


def write_parts(folder, parts):
    for page in [folder / "speed.md", folder / "zh" / "speed.md"]:
        text = page.read_text(encoding="utf-8")
        for mark, part in parts:
            begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
            text = text[:text.index(begin) + len(begin)] + part + text[text.index(end):]
        page.write_text(text, encoding="utf-8")


def write(functions, rows, folder, checks):
    (folder / "speed-functions.svg").write_text(picture(functions), encoding="utf-8")
    kept = [{key: row[key] for key in KEPT if key in row} for row in rows if "ours_us" in row]
    (folder / "speed-functions.json").write_text(
        "[\n" + ",\n".join(json.dumps(row) for row in kept) + "\n]\n", encoding="utf-8")
    table = list(rows_of(functions, checks))
    with open(folder / "speed-functions.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    parts = [("means", means_table(functions)), ("slowest", markdown(table[:SHOWN])), ("exceptions", exceptions_table(functions))]
    write_parts(folder, parts)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/bench", type=pathlib.Path)
    parser.add_argument("--seconds", default=0.02, type=float, help="of each case (default 0.02)")
    parser.add_argument("--filter", default=".", help="regular expression: functions to measure")
    parser.add_argument("--checks", action="store_true", help="measure with all checks on as well")
    parser.add_argument("--from", dest="source", type=pathlib.Path, help="figures of an earlier run")
    parser.add_argument("--write", type=pathlib.Path, help="folder of the pages")
    parser.add_argument("--class", dest="processors", metavar="NAME", help="with --write: only the means of this class of processors; avx2-more "
                        "is a further machine of the class avx2")
    parser.add_argument("--processor", help="with --class and --from: the one that those figures are of")
    options = parser.parse_args(words)
    rows = (lines_of(options.source.read_text(encoding="utf-8")) if options.source else
            measured_again(measure(options.build, options.seconds, options.filter, options.checks), options))
    functions = functions_of(rows)
    checks = any("ratio_with_checks" in row for row in rows)
    if options.write and options.processors:
        write_parts(options.write, [(f"class {options.processors}", means_table(functions, measured_on(options.processor))),
                                    (f"exceptions {options.processors}", exceptions_table(functions, options.processors))])
    elif options.write:
        write(functions, rows, options.write, checks)
    else:
        print(means_table(functions) + "\n" + markdown(rows_of(functions, checks)))
    failed = [row for row in rows if "error" in row]
    for row in failed:
        print(f"{row['function']} {row['types']} {row['size']}: {row['error']}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
