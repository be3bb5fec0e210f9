#!/usr/bin/env python3
"""What rests on one row, or one group of rows, alone is said to do so wherever the constant is shown: check_support.py
TENSORLANE OKKERNEL TPUKERNEL SOURCES

For every chip that was compared with a board: the tables of docs/timing.md, `chips` as text and as JSON, the profile and the
report page name the same constants. A table of parameters has no validation row beside it.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ALONE = {"en": re.compile(r"1 row alone|\d+ rows of 1 group alone"), "zh": re.compile(r"仅")}
CALIBRATED = ("bm1684", "bm1684x", "bm1690", "sg2260e")


def of_page(page, chip):
    """What the tables of parameters and of cycles of the chip say: {constant or function: what it rests on}."""
    block = page.split(f"<!-- begin: tensorlane validate {chip} -->")[1].split("<!-- end:")[0]
    table = block.split("\n| parameter |")[1].split("\n\n")[0].splitlines()[2:]
    functions = block.split("\n| function |")[1].split("\n\n")[0].splitlines()[2:]
    assert "validation" not in "".join(table + functions)
    rests = {}
    for line in table + functions:
        cells = [cell.strip(" `") for cell in line.split("|")]
        rests[cells[1]] = cells[-2]
    return rests


def main():
    tensorlane, okkernel, tpukernel, sources = sys.argv[1:]
    page = (pathlib.Path(sources) / "docs/timing.md").read_text(encoding="utf-8")

    def run(*words):
        return subprocess.run([tensorlane, *words], check=True, text=True, capture_output=True).stdout

    for chip in CALIBRATED:
        table = of_page(page, chip)
        alone = {name for name, rests in table.items() if ALONE["en"].fullmatch(rests)}
        constants = json.loads(run("chips", chip, "--json"))[0]
        listed = constants["timing"] + [{"name": each["function"], **each} for each in constants["cycles"]]
        assert alone == {each["name"] for each in listed if each["groups"] == 1}, (chip, alone, listed)
        for name, rests in table.items():
            row = next(each for each in listed if each["name"] == name)
            assert rests == ("1 row alone" if row["rows"] == 1 else f"{row['rows']} rows of 1 group alone" if row["groups"] == 1
                             else f"{row['rows']} rows in {row['groups']} groups"), (chip, name, rests, row)
        text = run("chips", chip)
        said = {line.split()[0] if line.startswith(("  okk_", "  tpu_")) else line[2:28].strip()
                for line in text.splitlines() if ALONE["en"].search(line)}
        assert said == alone, (chip, said, alone)
        host, kernel = (okkernel, "overlap") if chip == "bm1684" else (tpukernel, "overlap")
        with tempfile.TemporaryDirectory() as folder:
            report, profile = f"{folder}/page.html", f"{folder}/profile.json"
            run("run", "--quiet", "--dry-run", "--check=none", "--chip", chip, "--report", report, "--profile", profile, "--",
                host, kernel)
            with open(profile, encoding="utf-8") as file:
                calibration = json.load(file)["launches"][0]["calibration"]
            with open(report, encoding="utf-8") as file:
                data = json.loads(re.search(r'id="data">(.*?)</script>', file.read())[1])
        assert set(calibration["on_one_group"]) == alone, (chip, calibration, alone)
        note = data["runs"][0]["note"]
        assert bool(alone) == ("alone: " in note), note
        if alone:
            # Some names have a comma in them.
            rest = note.split("alone: ")[1]
            for name in sorted(alone, key=len, reverse=True):
                assert name in rest, (chip, name, note)
                rest = rest.replace(name, "", 1)
            assert not rest.strip(", "), rest
        print(f"{chip}: {len(table)} constants, {len(alone)} on one row or group alone")


main()
