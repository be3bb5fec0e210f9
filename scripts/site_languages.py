"""A hook of mkdocs: one site in two languages.

The Chinese pages are those of docs/zh, with the names of their English twins; the last section of `nav` in mkdocs.yml lists them. A
page shows the navigation of its own language, and its header leads to the same page in the other one. What the theme itself says
follows in docs/theme/partials/language.html. Lines of Chinese text are joined without the blank that a browser puts there.
"""
import copy
import re

STOP, HAN = "\u3001-\u303f\uff01-\uff5e", "\u4e00-\u9fff"  # punctuation, characters
LINE_END = re.compile(f"(?<=[{STOP}])\\n|(?<=[{HAN}])\\n(?=[{STOP}{HAN}])")
LANGUAGES = (("en", "English", ""), ("zh", "中文", "zh/"))  # code, name, folder


def of(url):
    """The folder of a page's language."""
    return "zh/" if url.startswith("zh/") else ""


def on_files(files, *, config):
    config["extra"]["urls"] = {file.url for file in files.documentation_pages()}
    return files


def on_page_content(html, *, page, config, files):
    if not of(page.url):
        return html
    parts = re.split(r"(<pre\b.*?</pre>)", html, flags=re.S)
    return "".join(part if part.startswith("<pre") else LINE_END.sub("", part) for part in parts)


def on_page_context(context, *, page, config, nav):
    mine = copy.copy(nav)
    chinese = nav.items[-1]
    mine.items = chinese.children if of(page.url) else nav.items[:-1]
    mine.homepage = next(other for other in nav.pages if other.url == of(page.url))
    context["nav"] = mine
    name = page.url.removeprefix("zh/")
    config["extra"]["alternate"] = [
        {"lang": code, "name": title, "link": folder + name if folder + name in config["extra"]["urls"] else folder or "."}
        for code, title, folder in LANGUAGES]
    config["extra"]["homepage"] = of(page.url) or "."
    return context
