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
LEAST = {"full": 0.5, "middle": 0.4, "small": 0.2}  # what a function should reach
# A function below that is bounded where the bare loop that ops_bench times beside it (bench/bounds) stays below as well. One that takes
# MOST_BEATEN of the function's own time or more proves nothing: there is a faster way. At full size no
# loop explains a ratio below LEAST_EXPLAINED, but of products of 16-bit floats: half_products_bench has what each design of sums of them takes.
LEAST_EXPLAINED = 0.3
MOST_BEATEN = 1.15  # the noise of two medians
PRODUCTS = ("fp16 and bf16 products: each is cut to the largest exponent of its block, in passes of their own, where the peer has one "
            "instruction (`half_products_bench`)")
OPEN = "none known: open"
SHOWN = 30  # functions in the table of the slowest
KEPT = ["function", "chip", "group", "engine", "types", "size", "peer", "ours_us", "peer_us", "ratio", "loop", "loop_us", "ratio_with_checks"]


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


def bound_of(row):
    """What explains a ratio below what it should be; OPEN where nothing does."""
    of_halves = any(name in row["types"] for name in ("fp16", "bf16"))
    if of_halves and any(part in row["function"] for part in ("_fp_mm", "_fp_conv2d")):
        return PRODUCTS
    at_any_ratio = row["size"] != "full" or (of_halves and "depthwise" in row["function"]) or row["ratio"] >= LEAST_EXPLAINED
    explains = "loop_us" in row and row["peer_us"] / row["loop_us"] < LEAST[row["size"]]
    beaten = explains and row["loop_us"] >= MOST_BEATEN * row["ours_us"]
    return row["loop"] if explains and at_any_ratio and not beaten else OPEN


def below(functions):
    """Each (function, size, the row with the least ratio, what bounds it) below what it should reach in some type: of rows that nothing
    bounds, if there are any."""
    for function in functions:
        for size in SIZES:
            rows = [row for row in function.rows if row["size"] == size and row.get("ratio", 1) < LEAST[size]]
            free = [row for row in rows if bound_of(row) == OPEN]
            if rows:
                least = min(free or rows, key=lambda row: row["ratio"])
                yield function, size, least, bound_of(least)


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


def exceptions_table(functions):
    """Functions below what they should reach in some type, by the bare loop that bounds them."""
    found = collections.defaultdict(list)
    for _, size, row, why in below(functions):
        found[why].append((row, size))
    lines = ["| bare loop | functions and sizes | peer / loop | loop / ours | least of ours |", "|---|---:|---:|---:|---|"]
    for why in [PRODUCTS, *sorted(found.keys() - {PRODUCTS, OPEN}), OPEN]:
        if why not in found:
            continue
        row, size = min(found[why], key=lambda each: each[0]["ratio"])
        loops = [each for each, _ in found[why] if "loop_us" in each] if why not in (PRODUCTS, OPEN) else []
        peers, ours = ([f"{each['peer_us'] / each['loop_us']:.2f}" for each in loops], [f"{each['loop_us'] / each['ours_us']:.2f}" for each in loops])
        lines.append(f"| {why} | {len(found[why])} | {span(peers)} | {span(ours)} | {row['ratio']:.2f} {row['function']} {size} |")
    return "\n".join(lines) + "\n"


def span(figures):
    return "" if not figures else min(figures) if min(figures) == max(figures) else f"{min(figures)} to {max(figures)}"


def write_parts(folder, parts):
    for page in [folder / "speed.md", folder / "zh" / "speed.md"]:
        text = page.read_text(encoding="utf-8")
        for mark, part in parts:
            begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
            text = text[:text.index(begin) + len(begin)] + part + text[text.index(end):]
        page.write_text(text, encoding="utf-8")


def write(functions, rows, folder, checks, machine):
    (folder / "speed-functions.svg").write_text(picture(functions), encoding="utf-8")
    kept = [{key: row[key] for key in KEPT if key in row} for row in rows if "ours_us" in row]
    (folder / "speed-functions.json").write_text(
        "[\n" + ",\n".join(json.dumps(row) for row in kept) + "\n]\n", encoding="utf-8")
    table = list(rows_of(functions, checks))
    with open(folder / "speed-functions.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    parts = [("means", means_table(functions, machine)), ("slowest", markdown(table[:SHOWN])), ("exceptions", exceptions_table(functions))]
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
    parser.add_argument("--processor", help="with --write and --from: the one that those figures are of")
    options = parser.parse_args(words)
    rows = (lines_of(options.source.read_text(encoding="utf-8")) if options.source else
            measured_again(measure(options.build, options.seconds, options.filter, options.checks), options))
    functions = functions_of(rows)
    checks = any("ratio_with_checks" in row for row in rows)
    if options.write and options.processors:
        write_parts(options.write, [(f"class {options.processors}", means_table(functions, measured_on(options.processor))),
                                    (f"exceptions {options.processors}", exceptions_table(functions))])
    elif options.write:
        write(functions, rows, options.write, checks, measured_on(options.processor))
    else:
        print(means_table(functions) + "\n" + markdown(rows_of(functions, checks)))
    failed = [row for row in rows if "error" in row]
    for row in failed:
        print(f"{row['function']} {row['types']} {row['size']}: {row['error']}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
