"""A hook of mkdocs: takes the toolkit behind docs/playground.md into the site, where scripts/playground.sh has built it.

Where it has not (it needs emscripten), the site is built all the same, and the page says that its toolkit is missing.
"""
import logging
import pathlib
import shutil

TOOLKIT = pathlib.Path(__file__).parents[1] / "build/wasm/playground/layouts.js"


def on_post_build(config, **_):
    if TOOLKIT.is_file():
        shutil.copyfile(TOOLKIT, pathlib.Path(config["site_dir"], "playground", TOOLKIT.name))
    else:
        logging.getLogger("mkdocs").info("The playground is left out: scripts/playground.sh builds %s", TOOLKIT)
