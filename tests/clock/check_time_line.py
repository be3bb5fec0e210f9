#!/usr/bin/env python3
"""The first line of --time, on every chip, on one core and on all: check_time_line.py TENSORLANE OKKERNEL TPUKERNEL CORES

It has the time, how far off that may be and what bounds the launch, in English and in Chinese, with the same figures; the
time is that of the profile, the share that of the chip's table.
"""
import json
import re
import subprocess
import sys
import tempfile

LINES = {
    "en": re.compile(r"modelled time of '(?P<kernel>\w+)' \(launch 0\), commands issued one by one: (?P<engines>engines )?"
                     r"(?P<us>[\d.]+) us = \d+ cycles at (?P<mhz>\d+) MHz, (?P<error>give or take (?P<percent>\d+) %[^,;]*|how far "
                     r"off is unknown|on (?P<cores>\d) cores, engines those of a core on average, how far off is unknown), bound by "
                     r"(?P<bound>\w+)[^;]*(; .*)?"),
    "zh": re.compile(r"'(?P<kernel>\w+)'.*?：(?P<engines>引擎 )?(?P<us>[\d.]+) us = \d+ 个周期，(?P<mhz>\d+) MHz，(?P<error>.*)"),
}


def first_line(tensorlane, lang, chip, profile, program):
    done = subprocess.run([tensorlane, "--lang", lang, "run", "--quiet", "--dry-run", "--check=none", "--chip", chip, "--time",
                           "--profile", profile, "--", *program], text=True, capture_output=True, check=True)
    text = done.stderr + done.stdout
    return text.splitlines()[0], text


def main():
    tensorlane, okkernel, tpukernel, cores = sys.argv[1:]
    chips = json.loads(subprocess.run([tensorlane, "chips", "--json"], check=True, text=True, capture_output=True).stdout)
    several = 0
    for chip in chips:
        name, most = chip["name"], chip["cores"]
        for count in sorted({1, most}):
            program = [cores, f"pass_on {count}"] if most > 1 else [okkernel if name == "bm1684" else tpukernel, "overlap"]
            said = {}
            for lang, pattern in LINES.items():
                with tempfile.NamedTemporaryFile(suffix=".json") as profile:
                    line, text = first_line(tensorlane, lang, name, profile.name, program)
                    with open(profile.name, encoding="utf-8") as file:
                        launch = json.load(file)["launches"][0]
                match = pattern.fullmatch(line)
                assert match, f"{name}, {count} cores, {lang}: {line}\n{text}"
                said[lang] = match
                assert match["us"] == f"{launch['modelled_us']:.1f}" and int(match["mhz"]) == round(chip["clock_mhz"]), line
                # Where launch and issue are unknown, the figure is that of the engines alone.
                assert bool(match["engines"]) == bool({"launch", "issue"} & set(launch["calibration"]["unknown"])), line
            english, chinese = said["en"], said["zh"]
            assert english["bound"] == launch["bound_by"], english[0]
            if count > 1:
                assert english["cores"] == str(count) and f"{count} 个核" in chinese["error"], chinese[0]
                several += 1
            elif chip["timing_calibration"].startswith("uncalibrated"):
                assert english["error"] == "how far off is unknown" and "未知" in chinese["error"], chinese[0]
            else:
                assert english["percent"] and f"{english['percent']} %" in chinese["error"], chinese[0]
            if launch["bound_by"] != "issue":
                assert launch["bound_by"] in chinese["error"], chinese[0]
            print(english[0])
            print(chinese[0])
    assert len(chips) >= 5 and several >= 3, "a chip is missing"


main()
