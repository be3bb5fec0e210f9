#!/usr/bin/env python3
"""Makes a notebook of a script in percent format (# %% and # %% [markdown]), as jupytext writes it.

    scripts/make_notebook.py docs/notebooks/tutorial.py tutorial.ipynb
    scripts/make_notebook.py --run docs/notebooks/tutorial.py tutorial.ipynb    with what the cells show
"""

import re
import sys
from pathlib import Path

import nbformat


def notebook_of(text):
    """The notebook of a script: text before the first marker is left out."""
    notebook = nbformat.v4.new_notebook()
    for number, part in enumerate(re.split(r"^# %%", text, flags=re.M)[1:]):
        marker, _, body = part.partition("\n")
        if marker.strip() == "[markdown]":
            lines = [re.sub(r"^# ?", "", line) for line in body.strip().split("\n")]
            cell = nbformat.v4.new_markdown_cell("\n".join(lines))
        else:
            cell = nbformat.v4.new_code_cell(body.strip())
        cell["id"] = f"cell-{number}"  # the same in every run
        notebook.cells.append(cell)
    return notebook


def run(notebook):
    """Runs the cells and keeps what they show in the notebook."""
    from nbclient import NotebookClient
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()


def main(words):
    runs = words[:1] == ["--run"]
    if len(words) != 2 + runs:
        sys.exit(__doc__)
    source, output = words[runs:]
    notebook = notebook_of(Path(source).read_text(encoding="utf-8"))
    if runs:
        run(notebook)
    nbformat.write(notebook, output)


if __name__ == "__main__":
    main(sys.argv[1:])
