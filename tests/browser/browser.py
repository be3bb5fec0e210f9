"""Chromium for the tests of this folder: a window of a size and a colour scheme, its console, screenshots, contrast."""
import base64
import contextlib
import functools
import http.server
import pathlib
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
HEIGHTS = {1280: 800, 390: 780}

# Per text that can be seen the contrast with what lies behind it; those below 4.5, as lines. Texts on pictures are left out.
CONTRAST = """
const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
const channel = value => { value /= 255; return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const over = ([r, g, b, a = 1], under) => [r, g, b].map((value, k) => value * a + under[k] * (1 - a));
const behind = element => {
  if (!element) return [255, 255, 255];
  const style = getComputedStyle(element), color = parse(style.backgroundColor);
  if (style.backgroundImage !== 'none') return null;
  if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
  const under = behind(element.parentElement);
  return under && over(color, under);
};
const poor = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let seen = 0;
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
  if (text === '' || element.closest('svg, script, style, noscript, option') || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
  const box = element.getBoundingClientRect();
  if (box.width < 2 || box.height < 2) continue;
  const ground = behind(element);
  if (!ground) continue;
  let opacity = 1;
  for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
  const [r, g, b, a = 1] = parse(getComputedStyle(element).color), ink = over([r, g, b, a * opacity], ground);
  const [low, high] = [light(ink), light(ground)].sort((p, q) => p - q), ratio = (high + 0.05) / (low + 0.05);
  ++seen;
  if (ratio < 4.5) poor.add(ratio.toFixed(2) + ' ' + element.tagName + '.' + element.className + ': ' + text.slice(0, 40));
}
return [seen, [...poor]];
"""


class Browser:
    def __init__(self, folder):
        """`folder` gets the screenshots."""
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb",
                     "--disable-dev-shm-usage", "--disable-background-networking", "--window-size=1280,900"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(120)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.problems = []
        self.where = ""

    def look(self, width, scheme):
        """A window of that width; 390 is a phone."""
        self.where = f"{width} {scheme}"
        command = self.driver.execute_cdp_cmd
        command("Emulation.setDeviceMetricsOverride",
                {"width": width, "height": HEIGHTS[width], "deviceScaleFactor": 1, "mobile": width < 600})
        command("Emulation.setTouchEmulationEnabled", {"enabled": width < 600})
        command("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def expect(self, holds, what):
        if not holds:
            self.problems.append(f"{self.where}: {what}")

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, selector):
        """Until the page has what the selector names: seconds, and more where the machine has other work."""
        WebDriverWait(self.driver, 120).until(lambda driver: driver.find_elements(By.CSS_SELECTOR, selector))

    def check_page(self, name):
        """No error on the console, nothing wider than the window, text that can be read; then a screenshot."""
        for entry in self.driver.get_log("browser"):
            self.expect(entry["level"] != "SEVERE", f"{name}: {entry['message']}")
        wide = self.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.expect(wide <= 0, f"{name}: {wide} pixels wider than the window")
        seen, poor = self.js(CONTRAST)
        self.expect(seen > 5, f"{name}: {seen} texts")
        for text in poor:
            self.expect(False, f"{name}: contrast {text}")
        self.shoot(name)

    def shoot(self, name):
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        (self.folder / f"{name}-{self.where.replace(' ', '-')}.png").write_bytes(base64.b64decode(shot))

    def finish(self):
        """The exit status."""
        self.driver.quit()
        print("\n".join([*self.problems, f"{len(self.problems)} problems; screenshots in {self.folder}"]))
        return 1 if self.problems else 0


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a folder: workers, and so the search, want a server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
