#!/usr/bin/env python3
"""Every page is there in both languages, and both say the same: docs/PAGE.md and its twin docs/zh/PAGE.md.

    check_twins.py SOURCE [--write] [PAGE...]

A page of docs/zh has the headings, commands, listings, tables, pictures and links of its English twin, in the same order, and in each
section the same figures and as many paragraphs. Translated may be

    text, headings, links' texts, cells of tables
    what follows two blanks in a line of an indented block: the remark beside a command
    what tools print (blocks ```console and ```text), which the tests that run them compare in both languages

Cells without a word (figures, code) are those of the English page, and a table whose body has no Chinese is the English one but for its
heading: --write copies both into the Chinese pages, so whatever renews tables of the English pages is followed by --write. A link
leads to the twin of the English page's link, which --write sees to as well. All pages can be reached from mkdocs.yml. Links lead to
files that git has, so that they hold in a fresh clone; to what the program writes for the site alone (scripts/write_pages.sh) leads
<!-- site:gallery.md -->gallery<!-- end -->. Beside every README.md of examples stands a README.zh.md with the same commands, rows and
links.
"""
import os
import pathlib
import re
import subprocess
import sys

CHINESE = re.compile(r"[\u4e00-\u9fff]")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
WORD = re.compile(r"[^\W\d_]{2,}")
FIGURE = re.compile(r"(?<![A-Za-z_\d.])\d[\d,.]*\d")
OUTPUT = ("```console", "```text")
ON_SITE = re.compile(r"<!-- site:(\S+) -->[^<>]+<!-- end -->")
WRITTEN = re.compile(r"(zh/)?(gallery\.md|reference/\w+/[\w-]+\.md)$")  # by the program, for the site
ONLY_CHINESE = {"glossary.md"}  # explains the terms of the Chinese pages


class Block:
    """A run of lines of one kind: heading, code (fenced), indented, table, text."""

    def __init__(self, kind, line):
        self.kind, self.line, self.lines = kind, line, []

    def __str__(self):
        return "\n".join(self.lines)


def kind_of(line, before):
    if re.match(r"#{1,6} ", line):
        return "heading"
    if line.startswith("|"):
        return "table"
    if line.startswith("    ") and (before is None or before.kind == "indented" or not before.lines[-1].strip()):
        return "indented"
    return "text"


def blocks(text):
    """The page in blocks; blank lines belong to the block before them."""
    found, fenced = [], False
    for number, line in enumerate(text.split("\n"), 1):
        last = found[-1] if found else None
        if fenced or (last is not None and not line.strip() and last.kind != "table"):
            last.lines.append(line)
            fenced = fenced and not line.startswith("```")
            continue
        kind = "code" if line.startswith("```") else kind_of(line, last)
        fenced = kind == "code"
        if last is None or kind in ("heading", "code") or kind != last.kind:
            found.append(Block(kind, number))
        found[-1].lines.append(line)
    return found


def cells(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def punctuated(cell):
    """A Chinese cell without words as English writes it, a list of names."""
    for chinese, english in (("、", ", "), ("，", ", "), ("；", "; "), ("：", ": ")):
        cell = cell.replace(chinese, english)
    return cell


def commands(lines):
    """What is typed in a block."""
    return [line for line in lines if line.startswith("$ ")]


def plain(cell):
    """A cell without code: what remains to be translated."""
    return re.sub(r"`[^`]*`", "", cell)


class Twin:
    """A page of docs and its Chinese one, compared block by block."""

    def __init__(self, docs, page, write):
        self.docs, self.page, self.write = docs, page, write
        self.english = (docs / page).read_text(encoding="utf-8")
        self.chinese = (docs / "zh" / page).read_text(encoding="utf-8")
        self.problems = []

    def problem(self, block, text):
        self.problems.append(f"docs/zh/{self.page}:{block.line}: {text}")

    def check(self):
        pair = [blocks(self.english), blocks(self.chinese)]
        for kind in ("heading", "code", "indented", "table"):
            mine, theirs = ([block for block in page if block.kind == kind] for page in pair)
            if len(mine) != len(theirs):
                self.problems.append(f"docs/zh/{self.page}: {len(theirs)} blocks of kind {kind}, the English page has {len(mine)}")
                continue
            for english, chinese in zip(mine, theirs):
                getattr(self, kind)(english, chinese)
        for (title, english, mine), (_, chinese, theirs) in zip(self.sections(pair[0]), self.sections(pair[1])):
            missing, more = sorted(english - chinese), sorted(chinese - english)
            if missing or more:
                self.problems.append(f"docs/zh/{self.page}: in '{title}' the English page has the figures {missing}, the Chinese {more}")
            if mine != theirs:
                self.problems.append(f"docs/zh/{self.page}: '{title}' has {mine} paragraphs and items, the Chinese page {theirs}")
        self.links()
        if self.write:
            text = "\n".join(LINK.sub(self.to_twin, str(block)) if block.kind in ("text", "table") else str(block) for block in pair[1])
            (self.docs / "zh" / self.page).write_text(text, encoding="utf-8")
        return self.problems

    def heading(self, english, chinese):
        if english.lines[0].split()[0] != chinese.lines[0].split()[0]:
            self.problem(chinese, f"a heading of another level than '{english.lines[0]}'")

    def code(self, english, chinese):
        mine, theirs = str(english).rstrip().split("\n"), str(chinese).rstrip().split("\n")
        if mine[0] == theirs[0] and mine[0] in OUTPUT and commands(mine) == commands(theirs) or mine == theirs:
            return
        if self.write:
            chinese.lines = [*mine, ""]
        else:
            self.problem(chinese, f"not the listing that stands in docs/{self.page}:{english.line}")

    def indented(self, english, chinese):
        mine, theirs = str(english).rstrip().split("\n"), str(chinese).rstrip().split("\n")
        if len(mine) != len(theirs):
            self.problem(chinese, f"{len(theirs)} lines, docs/{self.page}:{english.line} has {len(mine)}")
            return
        for line, other in zip(mine, theirs):
            remark = re.match(r" {4}(.*?)(?=\s{2,}.*" + CHINESE.pattern + ")", other)
            if line != other and (remark is None or not line.startswith(remark.group(0) + "  ")):
                self.problem(chinese, f"'{other.strip()}' is not '{line.strip()}'")

    def table(self, english, chinese):
        mine, theirs = ([line for line in block.lines if line.startswith("|")] for block in (english, chinese))
        if len(cells(mine[0])) != len(cells(theirs[0])):
            self.problem(chinese, "another number of columns")
            return
        body = mine[1:]
        if CHINESE.search("".join(theirs[2:])):
            if len(mine) != len(theirs):
                self.problem(chinese, f"{len(theirs) - 2} rows, docs/{self.page}:{english.line} has {len(mine) - 2}")
                return
            body = [self.row(row, other) for row, other in zip(mine[1:], theirs[1:])]
        if body == theirs[1:]:
            return
        if self.write:
            chinese.lines = [theirs[0], *body, *[line for line in chinese.lines if not line.startswith("|")]]
            return
        for row, other in zip(body, theirs[1:]):
            if row != other:
                self.problem(chinese, f"the row should be\n  {row}\nand is\n  {other}")

    @staticmethod
    def row(english, chinese):
        """The Chinese row with all cells that have no word as in the English one."""
        mine, theirs = cells(english), cells(chinese)
        if len(mine) != len(theirs) or english.startswith("|--"):
            return english
        said = [other if WORD.search(plain(cell)) and CHINESE.search(other) or cell == punctuated(other) else cell
                for cell, other in zip(mine, theirs)]
        return chinese if said == theirs else "| " + " | ".join(said) + " |"

    @staticmethod
    def sections(page):
        """(heading, figures of its text, number of its paragraphs and list items) of every section."""
        found = [["the beginning", set(), 0]]
        for block in page:
            if block.kind == "heading":
                found.append([block.lines[0].lstrip("# "), set(), 0])
            if block.kind in ("text", "table", "heading"):
                text = LINK.sub(r"\2", str(block))
                found[-1][1].update(figure.rstrip(",.") for figure in FIGURE.findall(text))
            if block.kind == "text":
                found[-1][2] += len(re.findall(r"(?:\A|\n\n)(?=.)|\n(?=- |\d+\. )", str(block)))
        return found

    def links(self):
        english = [link for link in every_target(self.english) if self.twin_of(link, self.page) != f"zh/{self.page}"]
        chinese = [link for link in every_target(self.chinese) if resolved(f"zh/{self.page}", link) not in (self.page, f"zh/{self.page}")]
        mine = [self.twin_of(link, self.page) for link in english]
        theirs = [resolved(f"zh/{self.page}", link) for link in chinese]
        for link in sorted(set(mine) - set(theirs)):
            self.problems.append(f"docs/zh/{self.page}: no link to {link}")
        for link in sorted(set(theirs) - set(mine)):
            self.problems.append(f"docs/zh/{self.page}: a link to {link}, which the English page has not")

    def to_twin(self, found):
        """A link to an English page, made one to its twin."""
        picture, text, link = found.groups()
        place = resolved(f"zh/{self.page}", link)
        twin = self.twin_of(link, f"zh/{self.page}")
        if place.startswith("zh/") or twin == place or place == self.page:
            return found.group(0)
        path = os.path.relpath(self.docs / twin, (self.docs / "zh" / self.page).parent)
        return f"{picture}[{text}]({path}{link[len(link.split('#')[0]):]})"

    def twin_of(self, link, page):
        """Where a link of an English page should lead from its Chinese twin: to the Chinese page or picture where there is one."""
        place = resolved(page, link)
        return f"zh/{place}" if WRITTEN.match(place) or place.endswith((".md", ".svg")) and (self.docs / "zh" / place).exists() else place


def resolved(page, link):
    """A link's place below docs, without its anchor; as it is where it leads elsewhere."""
    if re.match(r"\w+:", link):
        return link
    path, parts = link.split("#")[0], []
    if not path:
        return page
    for part in (pathlib.PurePosixPath(page).parent / path).parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def targets(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return [link for _, _, link in LINK.findall(text)]


def every_target(text):
    """Links, and those that are links on the site alone."""
    return targets(text) + ON_SITE.findall(text)


def tracked(source):
    """The files that a fresh clone has and the folders they lie in; None where SOURCE is no clone."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=False)
    if listed.returncode != 0:
        return None
    files = {pathlib.Path(os.fsdecode(name)) for name in listed.stdout.split(b"\0") if name}
    return files | {folder for file in files for folder in file.parents}


def anchors(text):
    """The anchors of a page's headings, as GitHub and the site make them."""
    found, text = set(), re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for title in re.findall(r"^#{1,6} (.*)$", text, re.M):
        words = re.sub(r"[^\w\- ]", "", LINK.sub(r"\2", title).strip().lower()).replace(" ", "-")
        found.add(words if words not in found else f"{words}_{sum(one.startswith(words) for one in found)}")
    return found


def broken_links(docs, page, there):
    text = (docs / page).read_text(encoding="utf-8")
    for link in ON_SITE.findall(text):
        if not WRITTEN.match(resolved(page, link)):
            yield f"docs/{page}: site:{link} is no page that the program writes"
    if len(ON_SITE.findall(text)) != text.count("<!-- site:"):
        yield f"docs/{page}: a mark of a link on the site reads <!-- site:PAGE.md -->text<!-- end -->"
    for link in targets(text):
        if re.match(r"\w+:", link):
            continue
        place, _, anchor = resolved(page, link), *link.partition("#")[1:]
        if not (docs / place).exists() or there is not None and pathlib.Path(os.path.normpath(f"docs/{place}")) not in there:
            yield f"docs/{page}: {link} leads nowhere"
        elif anchor and anchor not in anchors((docs / place).read_text(encoding="utf-8")):
            yield f"docs/{page}: no heading of {place} is #{anchor}"


def readme_problems(source):
    """Of the READMEs of examples, whose twins stand beside them."""
    def facts(text):
        kinds = {kind: [block for block in blocks(text) if block.kind == kind] for kind in ("indented", "table", "heading")}
        typed = [re.split(r"   +", line.strip())[0] for block in kinds["indented"] for line in block.lines]
        return {"commands": typed, "rows": [len(block.lines) for block in kinds["table"]], "headings": len(kinds["heading"]),
                "links": [re.sub(r"docs/zh/|\.zh(?=\.md)", lambda found: "docs/" if "docs" in found[0] else "", link)
                          for link in targets(text)]}
    for path in sorted(source.glob("examples/**/README.md")):
        twin, name = path.with_name("README.zh.md"), path.relative_to(source)
        if not twin.exists():
            yield f"{name} has no twin {twin.name}"
            continue
        mine, theirs = (facts(each.read_text(encoding="utf-8")) for each in (path, twin))
        for what, wanted in mine.items():
            if theirs[what] != wanted:
                yield f"{name}: its twin has other {what}: {theirs[what]}, not {wanted}"


def home_problems(source):
    """The home says of the chips and shows of a Python program what the README does."""
    for readme, home in (("README.md", "docs/index.md"), ("README.zh.md", "docs/zh/index.md")):
        shown, said = ((source / name).read_text(encoding="utf-8") for name in (readme, home))
        for what, pattern in (("chips", r"(?:^\|.*(?:BM1684|MACE).*\n)+"), ("Python", r"^```python\n.*?^```\n")):
            wanted = re.search(pattern, shown, re.S * (what == "Python") | re.M)
            if wanted is None or wanted[0] not in said:
                yield f"{home}: of {what} it says something else than {readme}"


def unreachable(source, pages):
    """Pages that no link leads to, from those that mkdocs.yml lists."""
    listed = (source / "mkdocs.yml").read_text(encoding="utf-8")
    reached, new = set(), {page for page in re.findall(r"([\w./-]+\.md)$", listed, re.M)} & pages
    while new:
        reached |= new
        links = {resolved(page, link) for page in new for link in targets((source / "docs" / page).read_text(encoding="utf-8"))}
        new = {link for link in links if link in pages} - reached
    return sorted(pages - reached)


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    source = pathlib.Path(words[0]).resolve()
    docs = source / "docs"
    pages = {str(path.relative_to(docs)) for path in docs.rglob("*.md")}
    english = sorted(page for page in pages if not page.startswith("zh/"))
    problems = [f"docs/{page} has no twin docs/zh/{page}" for page in english
                if f"zh/{page}" not in pages and (docs / "zh" / page).parent.exists()]
    problems += [f"docs/{page} has no English twin" for page in sorted(pages)
                 if page.startswith("zh/") and page[3:] not in pages | ONLY_CHINESE]
    compared = [page for page in english if f"zh/{page}" in pages and (not words[1:] or page in words[1:])]
    for page in compared:
        problems += Twin(docs, page, "--write" in sys.argv).check()
    there = tracked(source)
    others = [*source.glob("*.md"), *source.glob("examples/**/*.md")]
    for page in sorted(pages | {os.path.relpath(path, docs) for path in others}):
        problems += broken_links(docs, page, there)
    problems += readme_problems(source)
    problems += home_problems(source)
    problems += [f"docs/{page}: neither mkdocs.yml nor a link leads there" for page in unreachable(source, pages)]
    print("\n".join(problems) + f"\n{len(compared)} pages in both languages, {len(problems)} problems")
    return 1 if problems or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
