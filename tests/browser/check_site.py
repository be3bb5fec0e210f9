#!/usr/bin/env python3
"""Pages of the built site in Chromium: they can be read in both colour schemes, on a desk and on a phone, and the search finds
Chinese words.

    check_site.py SITE SCREENSHOTS
"""
import pathlib
import sys
import time

from browser import SCHEMES, WIDTHS, Browser, served

PAGES = {"start": "", "start-zh": "zh/", "lesson": "learn/2-where-a-tensor-lies/", "lesson-zh": "zh/learn/5-ping-pong/",
         "recipe": "learn/recipes/", "recipe-zh": "zh/learn/recipes/",
         "function": "reference/okkernel/bdc-nn/", "function-zh": "zh/reference/tpukernel/bdc-nn/", "gallery": "gallery/",
         "gallery-zh": "zh/gallery/", "playground": "playground/", "playground-zh": "zh/playground/"}
# A word and what the address of one of its first ten results has to contain.
FINDS = {"卷积": "7-convolutions-and-products", "布局": "zh/layouts", "池化": "bdc-nn", "乘积": "reference/"}
LINKS = "return [...document.querySelectorAll('.md-search-result__link')].slice(0, 10).map(link => link.href)"


def search(browser, words, seconds):
    """The addresses that the search of the page in the window shows for words; for none it shows none."""
    browser.js("""
        document.querySelector('#__search').checked = true;
        const query = document.querySelector('.md-search__input');
        query.focus();
        query.value = arguments[0];
        query.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
        query.dispatchEvent(new Event('input', {bubbles: true}));""", words)
    end = time.monotonic() + seconds
    while bool(links := browser.js(LINKS)) != bool(words) and time.monotonic() < end:
        time.sleep(0.1)
    return links


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
        browser.driver.get(f"{address}/zh/")
        seconds = 240  # the browser makes the index at the first question: long where the machine has other work
        for word, page in FINDS.items():
            links = search(browser, word, seconds)
            seconds = 60
            browser.expect(any(page in link for link in links), f"the search for {word} finds no {page}: {links}")
            browser.expect(search(browser, "", seconds) == [], "the results of a search stay when it is over")
        search(browser, next(iter(FINDS)), seconds)
        shown = browser.js("return [...document.querySelectorAll('.md-search-result .md-tag')].filter(tag => tag.checkVisibility()).length")
        browser.expect(shown == 0, f"{shown} words that are for the search alone are shown")
        browser.check_page("search")
    return browser.finish()


sys.exit(main())
