#!/usr/bin/env python3
"""The playground in Chromium: what it says and draws is what the command line says and draws.

    check_playground.py SITE TENSORLANE SCREENSHOTS
"""
import json
import pathlib
import subprocess
import sys

from browser import Browser, served
from selenium.webdriver.common.by import By

# Layouts of all kinds: address of the page -> the same options for the command line.
CASES = [
    dict(chip="bm1684", layout="aligned", dtype="fp32", shape="2,3,4,5"),
    dict(chip="bm1684", layout="aligned", dtype="int8", shape="2,5,3,3", start="62"),
    dict(chip="bm1684", layout="compact", dtype="fp32", shape="1,67,2,3", npus="8"),
    dict(chip="bm1684", layout="matrix", dtype="fp32", shape="3,40", columns="6"),
    dict(chip="bm1684", layout="free", dtype="fp32", shape="1,2,2,3", strides="16,8,4,1"),
    dict(chip="bm1684", layout="4N", dtype="int8", shape="6,5,4,5", npus="4"),
    dict(chip="bm1684", layout="2N", dtype="int16", shape="3,4,2,2", npus="4"),
    dict(chip="bm1684", layout="2IC", dtype="fp32", shape="5,3,3,3", npus="4"),
    dict(chip="bm1684", layout="continuous", dtype="fp32", shape="2,3,2,2"),
    dict(chip="bm1684x", layout="line-aligned", dtype="fp16", shape="1,3,3,5", start="1"),
    dict(chip="bm1684x", layout="vector", dtype="fp16", shape="70", columns="8"),
    dict(chip="bm1684x", layout="32IC", dtype="fp16", shape="4,40,2,2", npus="4"),
    dict(chip="bm1684x", layout="64IC", dtype="int8", shape="3,70,1,1", npus="4"),
    dict(chip="mace", layout="IN_OUT_HEIGHT", dtype="fp32", shape="2,5,3,2"),
    dict(chip="mace", layout="CONV2D_FILTER", dtype="fp16", shape="5,3,2,2"),
    dict(chip="mace", layout="NHWC", dtype="fp32", shape="1,2,3,4"),
]
SKIPPED = 77
WORDS = {"start": "--start-npu", "columns": "--cols-per-channel"}


def main():
    site, tensorlane, screenshots = sys.argv[1:]
    if not pathlib.Path(site, "playground/layouts.js").is_file():
        print("the site was built without the playground's toolkit: scripts/playground.sh")
        return SKIPPED
    browser = Browser(screenshots)
    browser.look(1280, "light")

    def told(verb, case, *more):
        options = [word for name, value in case.items() for word in (WORDS.get(name, f"--{name}"), value)]
        return subprocess.run([tensorlane, "layout", verb, *options, *more], check=True, stdout=subprocess.PIPE, text=True).stdout

    with served(site) as address:
        browser.driver.get(f"{address}/playground/")
        browser.wait("#layout-playground .picture svg")
        for case in CASES:
            name = " ".join(case.values())
            browser.js("location.hash = arguments[0]", "&".join(f"{key}={value}" for key, value in case.items()))
            browser.wait(f"#layout-playground select[name=layout] option[value='{case['layout']}']")
            asked = {"chip": case["chip"], "layout": case["layout"], "dtype": case["dtype"],
                     "shape": [int(word) for word in case["shape"].split(",")]}
            asked.update({key: int(case[word]) for key, word in (("start_npu", "start"), ("columns", "columns"), ("npus", "npus"))
                          if word in case})
            if "strides" in case:
                asked["strides"] = [int(word) for word in case["strides"].split(",")]
            ask = lambda what, **more: browser.js("return tensorlanePlayground(arguments[0])", {"do": what, **asked, **more})
            browser.expect(ask("draw").get("svg") == told("draw", case, "--svg").rstrip("\n") or
                           ask("draw").get("svg") == told("draw", case, "--svg"), f"{name}: another picture")
            rows = ask("table").get("rows", [])
            table = json.loads(told("table", case, "--json"))
            browser.expect(rows == table, f"{name}: other addresses, {rows[:1]} and {table[:1]}")
            # What the page shows is this picture, and the command that it names draws it.
            shown = browser.js("return document.querySelector('#layout-playground .picture svg text').textContent")
            browser.expect(case["layout"] in shown, f"{name}: the page shows {shown}")
            command = browser.js("return document.querySelector('#layout-playground code').textContent").split()
            again = subprocess.run([tensorlane, *command[1:]], check=True, stdout=subprocess.PIPE, text=True).stdout
            browser.expect(again == told("draw", case, "--svg"), f"{name}: {command} draws something else")
            last = table[-1]
            where = {"npu": last["npu"], "byte": last["offset"]} if "npu" in last else \
                {"pixel": [last["x"], last["y"], last["lane"]]} if "x" in last else {"byte": last["offset"]}
            browser.expect(ask("element", **where) == {"index": last["index"]}, f"{name}: no way back from {where}")

        # Two layouts of a tensor, at rest and as a copy that runs.
        case = CASES[0]
        asked = {"chip": case["chip"], "layout": case["layout"], "dtype": case["dtype"], "shape": [2, 3, 4, 5], "npus": 4}
        for to, more, words in (({"chip": "mace", "layout": "IN_OUT_CHANNEL"}, {"way": [1, 2, 3, 4]}, ["--way", "1,2,3,4"]),
                                ({"chip": "bm1684", "layout": "matrix", "columns": 8}, {"animate": True},
                                 ["--to-cols-per-channel", "8", "--animate"])):
            drawn = browser.js("return tensorlanePlayground(arguments[0])", {"do": "ways", **asked, "to": to, **more})
            same = told("draw", dict(case, npus="4"), "--to", f"{to['chip']}:{to['layout']}", *words)
            browser.expect(drawn.get("svg") == same, f"{case['layout']} and {to['layout']}: another picture, {drawn.get('error')}")
        browser.driver.get(f"{address}/playground/#chip=mace&layout=NCHW&shape=1,6,3,4&to=mace:IN_OUT_CHANNEL&animate=1&find=0,5,2,3")
        browser.driver.refresh()
        browser.wait("#layout-playground .picture [data-at='way:0,5,2,3']")
        command = browser.js("return document.querySelector('#layout-playground code').textContent").split()
        again = subprocess.run([tensorlane, *command[1:]], check=True, stdout=subprocess.PIPE, text=True).stdout
        browser.expect("way:0,5,2,3" in again and "<animate" in again, f"{command} draws something else")
        browser.shoot("playground-ways")

        # By hand: a form that is changed draws anew and says so in the address; a wrong one says what is wrong.
        browser.driver.get(f"{address}/playground/#chip=bm1684&layout=aligned&shape=2,3,4,5&find=1,2,3,4")
        browser.driver.refresh()
        browser.wait("#layout-playground .picture .found")
        said = browser.driver.find_element(By.CSS_SELECTOR, "#layout-playground .said").text
        browser.expect("NPU 2, offset 204" in said, f"element 1,2,3,4 lies at {said}")
        browser.shoot("playground-found")
        start = browser.driver.find_element(By.CSS_SELECTOR, "#layout-playground input[name=start]")
        start.clear()
        start.send_keys("99")
        wrong = browser.driver.find_element(By.CSS_SELECTOR, "#layout-playground .wrong").text
        browser.expect("99" in wrong, f"start NPU 99: {wrong}")
        browser.expect("start=99" in browser.driver.current_url, f"the address is {browser.driver.current_url}")
        browser.shoot("playground-wrong")
    return browser.finish()


sys.exit(main())
