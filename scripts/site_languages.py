"""A hook of mkdocs: one site in two languages.

The Chinese pages are those of docs/zh, with the names of their English twins; the last section of `nav` in mkdocs.yml lists them. A
page shows the navigation of its own language, and its header leads to the same page in the other one. What the theme itself says
follows in docs/theme/partials/language.html.
"""
import copy

LANGUAGES = (("en", "English", ""), ("zh", "中文", "zh/"))  # code, name, folder


def of(url):
    """The folder of a page's language."""
    return "zh/" if url.startswith("zh/") else ""


def on_files(files, *, config):
    config["extra"]["urls"] = {file.url for file in files.documentation_pages()}
    return files


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
