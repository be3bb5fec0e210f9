"""A hook of mkdocs: pages with many pictures are there at once.

A picture is loaded when the reader comes near it, and has its place before that, so that a link into the page leads where it should.
It leads to its own file, where the pointer shows more of it. Beside NAME.svg there may be NAME-narrow.svg, for phones.
"""
import posixpath
import re
from xml.etree import ElementTree

IMAGE = re.compile(r'<img\b([^>]*?)\bsrc="([^":]+\.svg)"([^>]*?)\s*/?>')
SIZES = {}


def size(path):
    """Width and height of an SVG file in pixels."""
    if path not in SIZES:
        _, root = next(ElementTree.iterparse(path, events=("start",)))
        SIZES[path] = [round(float(root.get(name, "0").removesuffix("px"))) for name in ("width", "height")]
    return SIZES[path]


def on_page_content(html, *, page, config, files):
    def placed(match):
        before, source, after = match.groups()
        picture = files.get_file_from_path(posixpath.normpath(posixpath.join(page.url, source)))
        if picture is None:
            return match[0]
        width, height = size(picture.abs_src_path)
        narrow = files.get_file_from_path(picture.src_uri.replace(".svg", "-narrow.svg"))
        if narrow is not None:
            across, down = size(narrow.abs_src_path)
            other = source.replace(".svg", "-narrow.svg")
            return (f'<a class="picture narrows" href="{source}"><picture><source media="(max-width: 599px)" srcset="{other}" '
                    f'width="{across}" height="{down}"><img{before}src="{source}"{after} width="{width}" height="{height}"></picture></a>')
        return f'<a class="picture" href="{source}"><img{before}src="{source}"{after} loading="lazy" width="{width}" height="{height}"></a>'
    return IMAGE.sub(placed, html)
