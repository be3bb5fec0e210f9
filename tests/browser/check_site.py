#!/usr/bin/env python3
"""Pages of the built site in Chromium: they can be read in both colour schemes, on a desk and on a phone, and the search finds
Chinese words.

    check_site.py SITE SCREENSHOTS
"""
import pathlib
import sys
import time

from browser import SCHEMES, WIDTHS, Browser, served
from selenium.webdriver.common.by import By

PAGES = {"start": "", "start-zh": "zh/", "lesson": "learn/2-where-a-tensor-lies/", "lesson-zh": "zh/learn/5-ping-pong/",
         "recipe": "learn/recipes/", "recipe-zh": "zh/learn/recipes/",
         "function": "reference/okkernel/bdc-nn/", "function-zh": "zh/reference/tpukernel/bdc-nn/", "gallery": "gallery/",
         "gallery-zh": "zh/gallery/", "playground": "playground/", "playground-zh": "zh/playground/"}
# A word and what the address of one of its first ten results has to contain.
FINDS = {"卷积": "7-convolutions-and-products", "布局": "zh/layouts", "池化": "bdc-nn", "乘积": "reference/"}


def found(browser, word):
    """The addresses that the search of the page in the window shows, once it has answered."""
    browser.js("""
        document.querySelector('#__search').checked = true;
        const query = document.querySelector('.md-search__input');
        query.focus();
        query.value = arguments[0];
        query.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
        query.dispatchEvent(new Event('input', {bubbles: true}));""", word)
    for _ in range(600):  # the index is made in the browser: seconds, and more where the machine has other work
        links = [link.get_attribute("href") for link in browser.driver.find_elements(By.CSS_SELECTOR, ".md-search-result__link")]
        if links:
            return links[:10]
        time.sleep(0.1)
    return []


def main():
    site, screenshots = sys.argv[1:]
    browser = Browser(screenshots)
    has_toolkit = pathlib.Path(site, "playground/layouts.js").is_file()
    with served(site) as address:
        for width in WIDTHS:
            for scheme in SCHEMES:
                browser.look(width, scheme)
                browser.driver.get(address)
                browser.js("localStorage.clear()")  # where the theme keeps the scheme of another reader
                for name, page in PAGES.items():
                    if name.startswith("playground") and not has_toolkit:
                        continue
                    browser.driver.get(f"{address}/{page}")
                    shown = browser.js("return document.body.dataset.mdColorScheme")
                    browser.expect(shown == {"light": "default", "dark": "slate"}[scheme], f"{name}: the scheme is {shown}")
                    if name.startswith("playground"):
                        browser.wait("#layout-playground .picture svg")
                    browser.check_page(name)
        browser.look(1280, "light")
        browser.js("localStorage.clear()")
        for word, page in FINDS.items():
            browser.driver.get(f"{address}/zh/")
            links = found(browser, word)
            browser.expect(any(page in link for link in links), f"the search for {word} finds no {page}: {links}")
        shown = browser.js("return [...document.querySelectorAll('.md-search-result .md-tag')].filter(tag => tag.checkVisibility()).length")
        browser.expect(shown == 0, f"{shown} words that are for the search alone are shown")
        browser.check_page("search")
    return browser.finish()


sys.exit(main())
