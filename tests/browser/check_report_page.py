#!/usr/bin/env python3
"""The page of `tensorlane run --report FILE.html` in Chromium: opened in both languages, both colour schemes, on a desk and on a
phone, and clicked through; a page with findings; then the page that compares two runs.

    check_report_page.py TENSORLANE PROGRAM RACING SCREENSHOTS

RACING has a kernel of that name with a race, whose lines end in `// race: ...`.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from browser import HEIGHTS, SCHEMES, WIDTHS, Browser
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

WORDS = {"en": ("Why it takes that long", "Source lines"), "zh": ("为什么要这么久", "源代码行")}

# Where time `us` and row or byte lie in the canvas of the timeline, seen whole.
POINT = """
const [us, row, bytes] = arguments, canvas = document.querySelector('.timeline canvas'), run = data.runs[0];
const chart = new Chart(run, charted[0].get(picker.value)), left = canvas.clientWidth < 500 ? 52 : 74;
const memory = kAxis + chart.rows.length * kRow + kGap + kPressure + kGap;
const height = canvas.clientHeight - memory - 6;
const y = row === null ? memory + bytes / run.npu_bytes * height : kAxis + (chart.rows.indexOf(row) + 0.5) * kRow;
return [left + us / chart.us * (canvas.clientWidth - left), y];
"""


class ReportTest:
    def __init__(self, browser):
        self.browser = browser
        self.driver = browser.driver

    @property
    def canvas(self):
        return self.driver.find_element(By.CSS_SELECTOR, ".timeline canvas")

    @property
    def detail(self):
        return self.driver.find_element(By.CSS_SELECTOR, ".detail").text

    def picture(self):
        return self.browser.js("return document.querySelector('.timeline canvas').toDataURL()")

    def click(self, us, row, byte=0):
        x, y = self.browser.js(POINT, us, row, byte)
        box = self.canvas.size
        self.browser.js("arguments[0].scrollIntoView({block: 'center'})", self.canvas)
        ActionChains(self.driver).move_to_element_with_offset(
            self.canvas, round(x - box["width"] / 2), round(y - box["height"] / 2)).click().perform()

    def changes(self, what, act):
        before = self.picture()
        act()
        self.browser.expect(self.picture() != before, f"{what} changes nothing")

    def look_at(self, chart):
        """What is clicked says what it is, and where its data came from."""
        commands, lines = chart["commands"], chart["profile"]["lines"]
        name = lambda k: lines[commands["line"][k]]["call"]
        # The longest command, and the block that is seen longest of those made from others.
        longest = max(range(len(commands["line"])), key=lambda k: commands["end"][k] - commands["start"][k])
        row = lines[commands["line"][longest]]["engine"]
        self.click((commands["start"][longest] + commands["end"][longest]) / 2, row)
        self.browser.expect(name(longest) in self.detail, f"a click on {name(longest)} says: {self.detail}")
        made = [block for block in chart["blocks"] if block[4] >= 0 and chart["sources"][block[4]]]
        begin, end, start, until, writer, *_ = max(made, key=lambda block: (block[1] - block[0]) * (block[3] - block[2]))
        self.click((start + until) / 2, None, (begin + end) / 2)
        listed = self.driver.find_element(By.CSS_SELECTOR, ".detail ul").text
        for k in (writer, *chart["sources"][writer]):
            self.browser.expect(f"#{k} {name(k)}" in listed, f"the origin of a block lacks #{k} {name(k)}: {listed}")

    def move_about(self):
        buttons = self.driver.find_elements(By.CSS_SELECTOR, ".tools button")
        self.changes("the button +", buttons[0].click)
        self.changes("the button for later", buttons[3].click)
        self.changes("the button for everything", buttons[4].click)
        keys = lambda text: lambda: self.canvas.send_keys(text)
        self.changes("the key +", keys("+"))
        self.changes("the key for the right", keys("\ue014"))
        self.changes("the key 0", keys("0"))
        self.changes("the key n", keys("n"))
        first = self.detail
        self.changes("the key n again", keys("n"))
        self.browser.expect(first != self.detail and first, "n shows no other command")

    def pinch(self):
        box = self.browser.js("""
            const canvas = document.querySelector('.timeline canvas');
            canvas.scrollIntoView({block: 'center'});
            const {left, top, width} = canvas.getBoundingClientRect();
            return [left + width / 2, top + 60]""")
        points = lambda gap: [{"x": box[0] - gap, "y": box[1], "id": 0}, {"x": box[0] + gap, "y": box[1], "id": 1}]
        touch = lambda kind, where: self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

        def fingers():
            touch("touchStart", points(30))
            for gap in (50, 70, 90):
                touch("touchMove", points(gap))
            touch("touchEnd", [])
        self.changes("a pinch", fingers)
        self.canvas.send_keys("0")


def check_report(browser, path, language):
    page = ReportTest(browser)
    charts = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text())[1])["runs"][0]["charts"]
    longest = max(charts, key=lambda chart: chart["profile"]["modelled_us"])
    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.look(width, scheme)
            browser.driver.get(path.as_uri())
            browser.check_page(f"report-{language}")
            text = browser.driver.find_element(By.TAG_NAME, "body").text
            for word in WORDS[language]:
                browser.expect(word in text, f"report-{language} lacks '{word}'")
            helps = browser.driver.find_element(By.CSS_SELECTOR, ".why .help").text
            browser.expect(bool(re.search("[\u4e00-\u9fff]{8}", helps)) == (language == "zh"), f"what helps: {helps}")
            why, top = browser.js("return ['.why', '.timeline canvas'].map(each => document.querySelector(each).getBoundingClientRect().top)")
            browser.expect(why < HEIGHTS[width] / 2, f"why begins at {why} pixels")
            browser.expect(top < HEIGHTS[width] * (0.6 if width > 600 else 1), f"the timeline begins at {top} pixels")
            page.look_at(longest)
            browser.shoot(f"report-clicked-{language}")
            page.move_about()
            if width < 600:
                page.pinch()
            picker = Select(browser.driver.find_element(By.TAG_NAME, "select"))
            for option in picker.options:
                page.changes("another launch", lambda option=option: picker.select_by_visible_text(option.text)) \
                    if not option.is_selected() else None
            browser.check_page(f"report-last-{language}")


def check_strip(browser, path):
    """However many launches there are, the strip has all of them, as wide as they are long."""
    text = path.read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    run = data["runs"][0]
    longest = dict(run["launches"][0], host_us=1000.0)
    run["launches"] = [dict(longest, launch=1000 + k, host_us=5.0) for k in range(200)] + [longest]
    packed = json.dumps(data).replace("</", "<\\/")
    path.with_name("many.html").write_text(re.sub(r'(id="data">).*?(</script>)', lambda found: found[1] + packed + found[2], text, count=1))
    for width in WIDTHS:
        browser.look(width, "light")
        browser.driver.get(path.with_name("many.html").as_uri())
        strip, last = browser.js("""const strip = document.querySelector('.strip');
            return [strip, strip.lastElementChild].map(each => each.getBoundingClientRect()).map(({left, right}) => [left, right])""")
        browser.expect(last[1] <= strip[1], f"the last launch ends at {last[1]}, the strip at {strip[1]}")
        share = (last[1] - last[0]) / (strip[1] - strip[0])
        browser.expect(0.45 < share < 0.55, f"a launch of half of the time has {share:.2f} of the strip")


def check_findings(browser, path, source):
    """What the checker found stands at the top with its lines, and the commands concerned are marked."""
    lines = [number for number, line in enumerate(source.read_text().split("\n"), 1) if "// race:" in line]
    data = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text())[1])["runs"][0]
    browser.expect(any(finding["class"] == "race" for finding in data["findings"]), "no race on the page")
    chart = data["charts"][0]
    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.look(width, scheme)
            browser.driver.get(path.as_uri())
            browser.check_page("findings")
            found = browser.driver.find_element(By.CSS_SELECTOR, ".findings")
            browser.expect(found.location["y"] < HEIGHTS[width] / 2, "the findings are far below")
            for word in ("TL-RACE-001", "okk_gdma_32bit_cpy_S2L", "okk_bdc_add_C", *(f"racing.c:{line}" for line in lines)):
                browser.expect(word in found.text, f"the findings lack '{word}'")
            browser.expect("// race: reads" in found.text, "the findings lack their source")
            marked = browser.js("return charted[0] && new Chart(data.runs[0], charted[0].values().next().value).marks")
            names = [chart["profile"]["lines"][line]["line"] in lines for line in chart["commands"]["line"]]
            browser.expect(marked == names, f"marked are {marked}, not {names}")
            page = ReportTest(browser)
            work = next(k for k, line in enumerate(chart["commands"]["line"]) if chart["profile"]["lines"][line]["call"] == "okk_bdc_add_C")
            page.click((chart["commands"]["start"][work] + chart["commands"]["end"][work]) / 2, "BDC")
            for word in ("TL-RACE-001", "okk_bdc_add_C(0x20000, 0x0, 1.5f, &(dim4){1, 64, 1, 4096}, NULL, NULL);", "// race: reads"):
                browser.expect(word in page.detail, f"what is said of the command lacks '{word}': {page.detail}")
            browser.shoot("findings-clicked")


def check_axes(browser, path):
    """Addresses on the axis of local memory are whole numbers."""
    for width in WIDTHS:
        browser.look(width, "light")
        browser.driver.get(path.as_uri())
        labels = browser.js("""const labels = [], old = Timeline.prototype.label;
            Timeline.prototype.label = function (text, y) { labels.push(text); old.call(this, text, y); };
            redraw(); Timeline.prototype.label = old; return labels""")
        addresses = [label for label in labels if label.startswith("0x")]
        browser.expect(len(addresses) >= 4, f"{len(addresses)} addresses")
        for label in addresses:
            browser.expect(re.fullmatch("0x[0-9a-f]+", label), f"the label {label}")


def check_comparison(browser, path):
    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.look(width, scheme)
            browser.driver.get(path.as_uri())
            browser.check_page("comparison")
            canvases = browser.driver.find_elements(By.CSS_SELECTOR, ".timeline canvas")
            browser.expect(len(canvases) == 2, f"{len(canvases)} timelines of two runs")
            text = browser.driver.find_element(By.TAG_NAME, "body").text
            browser.expect("first.html" in text and "second.html" in text, "the runs have no names")
            browser.js("scrollTo(0, document.querySelector('.timeline').offsetHeight)")
            browser.shoot("comparison-below")


def main():
    tensorlane, program, racing, screenshots = sys.argv[1:]
    browser = Browser(screenshots)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def run(path, language, *options, program=(program,)):
            subprocess.run([tensorlane, "run", "--quiet", *options, "--report", folder / path, "--", *program], check=True,
                           stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": f"{language}.UTF-8"})
        run("first.html", "en_US")
        run("chinese.html", "zh_CN")
        run("second.html", "en_US", "--launch-mode", "prebuilt")
        run("racing.htm", "en_US", "--error-exitcode", "0", program=(racing, "racing"))
        check_findings(browser, folder / "racing.htm", pathlib.Path(__file__).with_name("racing.c"))
        check_axes(browser, folder / "first.html")
        check_report(browser, folder / "first.html", "en")
        check_report(browser, folder / "chinese.html", "zh")
        check_strip(browser, folder / "first.html")
        subprocess.run([tensorlane, "report", "compare", folder / "first.html", folder / "second.html",
                        "-o", folder / "both.html"], check=True)
        check_comparison(browser, folder / "both.html")
    return browser.finish()


sys.exit(main())
