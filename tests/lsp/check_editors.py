#!/usr/bin/env python3
"""What docs/editor.md, editors/vscode and docs/vscode say, held against the server, the checker's texts and editors that are there.

    check_editors.py --tensorlane PROGRAM --sdk INCLUDE --library FOLDER [--cc COMPILER] [--nvim PROGRAM] [--emacs PROGRAM]
                     [--node PROGRAM]
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from check_findings import ROOT, Workplace, faulty_kernel

PAGES = [ROOT / "docs/editor.md", ROOT / "docs/zh/editor.md"]
EXTENSION = ROOT / "editors/vscode"
LEVEL = {"错误": "error", "警告": "warning"}


def listing(page, language):
    return re.search(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S).group(1)


def settings(problems):
    """The same settings in the server, on the pages and in the extension."""
    server = set(re.findall(r'name == "(\w+)"\) \{', (ROOT / "tools/tensorlane/lsp/settings.cc").read_text()))
    package = json.loads((EXTENSION / "package.json").read_text())
    offered = {name.removeprefix("tensorlane.") for name in package["contributes"]["configuration"]["properties"]} - {"path"}
    sent = set(re.findall(r"'(\w+)'", re.search(r"SETTINGS = \[(.*?)\]", (EXTENSION / "extension.js").read_text()).group(1)))
    for what, there in [("the extension's manifest", offered), ("extension.js", sent)] + [
            (page.name, set(re.findall(r"^\| `(\w+)` \|", page.read_text(), re.M))) for page in PAGES]:
        if there != server or len(server) < 9:
            problems.append(f"settings of {what}: {sorted(there ^ server)}")


def commands(problems, program):
    source = (ROOT / "tools/tensorlane/lsp/commands.cc").read_text()
    server = set(re.findall(r'"(tensorlane\.\w+)"', source))
    for page in PAGES:
        there = set(re.findall(r"^\| `(tensorlane\.\w+)` \|", page.read_text(), re.M))
        if there != server or len(server) < 5:
            problems.append(f"commands of {page}: {sorted(there ^ server)}")
    used = set(re.findall(r"'(tensorlane\.(?:run|why|verify|explain|layout))'", (EXTENSION / "extension.js").read_text()))
    if used - {"tensorlane.layout"} != server - {"tensorlane.layout"}:
        problems.append(f"commands of extension.js: {sorted(used ^ server)}")
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    if json.loads((EXTENSION / "package.json").read_text())["version"] != version:
        problems.append(f"the extension is not of version {version}")


def extension(problems, node):
    package = json.loads((EXTENSION / "package.json").read_text())
    wanted = set(re.findall(r"%([\w.]+)%", (EXTENSION / "package.json").read_text()))
    for name in ("package.nls.json", "package.nls.zh-cn.json"):
        if set(json.loads((EXTENSION / name).read_text())) != wanted:
            problems.append(f"{name}: other texts than package.json")
    registered = set(re.findall(r"registerCommand\('([\w.]+)'", (EXTENSION / "extension.js").read_text()))
    if registered != {command["command"] for command in package["contributes"]["commands"]}:
        problems.append(f"commands that the extension registers: {registered}")
    lock = (EXTENSION / "package-lock.json").read_text()
    if "resolved" in lock or "http" in lock:
        problems.append("the lock file names a registry")
    if node and subprocess.run([node, "--check", str(EXTENSION / "extension.js")], check=False).returncode != 0:
        problems.append("extension.js is no JavaScript")


def matchers_of(text):
    """Problem matchers with their two patterns, wherever they stand in a JSON document."""
    found = []

    def walk(node):
        if isinstance(node, dict) and "pattern" in node and "owner" in node:
            found.append(node)
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
            walk(child)
    walk(json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.M)))
    return found


def matchers(problems, work):
    """Every finding of a run has its line in VS Code, in both languages, and once."""
    for file in (EXTENSION / "package.json", ROOT / "docs/vscode/tasks.json"):
        own = [matcher for matcher in matchers_of(file.read_text()) if matcher["owner"] == "tensorlane"]
        for language in ("en", "zh"):
            said = subprocess.run([work.options.tensorlane, "--lang", language, "run", "--quiet", "--check=all,lint", "--json=f.json",
                                   "--", "./program"], cwd=work.folder, check=False, capture_output=True, text=True).stderr.splitlines()
            matched = []
            for matcher in own:
                first, second = (re.compile(pattern["regexp"]) for pattern in matcher["pattern"])
                for line, following in zip(said, said[1:]):
                    head, place = first.match(line), second.match(following)
                    if head and place:
                        severity = matcher.get("severity") or head[matcher["pattern"][0]["severity"]]
                        matched.append((head[matcher["pattern"][0]["code"]], severity, place[1], int(place[2])))
            findings = [each for each in json.loads((work.folder / "f.json").read_text())["findings"]
                        if each["severity"] != "advice" and not each["consequence_of"]]
            wanted = [(each["id"], each["severity"], each["locations"][0]["file"], each["locations"][0]["line"]) for each in findings]
            there = [(code, severity, str((work.folder / path).resolve()), line) for code, severity, path, line in matched]
            if sorted(there) != sorted((code, severity, str((work.folder / path).resolve()), line) for code, severity, path, line in wanted) \
                    or not wanted:
                problems.append(f"{file.name}, {language}: {there} where the run found {wanted}:\n" + "\n".join(said))


def neovim(problems, work, nvim):
    """The page's init.lua: findings come, and a hover says what the function is."""
    (work.folder / "Makefile").write_text("program: kernel.c host.c\n\t" + shlex.join(work.build) + "\n")
    (work.folder / "init.lua").write_text(listing(PAGES[0], "lua"))
    script = """
        local function wait(what, done) if not vim.wait(60000, done, 50) then print("no " .. what) vim.cmd("cquit") end end
        wait("server", function() return #vim.lsp.buf_get_clients(0) > 0 end)
        vim.cmd("TensorlaneRun")
        wait("finding", function() return #vim.diagnostic.get(0) > 0 end)
        for _, each in ipairs(vim.diagnostic.get(0)) do print(each.code, each.lnum + 1, each.severity) end
        vim.fn.search("okk_bdc_add_C")
        local said = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 60000)
        for _, each in pairs(said) do print(each.result.contents.value) end
        vim.cmd("quitall!")"""
    (work.folder / "script.lua").write_text(script)
    said = subprocess.run([nvim, "--headless", "-u", "init.lua", "-i", "NONE", "kernel.c", "-c", "luafile script.lua"], cwd=work.folder,
                          check=False, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PATH": f"{pathlib.Path(work.options.tensorlane).parent}:{os.environ['PATH']}",
                               "XDG_DATA_HOME": str(work.folder), "XDG_STATE_HOME": str(work.folder), "XDG_CACHE_HOME": str(work.folder)})
    text = said.stdout + said.stderr
    lines = (work.folder / "kernel.c").read_text().splitlines()
    found = re.search(r"TL-RACE-001\s+(\d+)\s+1", text)
    if said.returncode != 0 or not found or "okk_bdc_add_C" not in lines[int(found[1]) - 1] or "dst = src + C" not in text:
        problems.append(f"neovim: {said.returncode}\n{text}")


def emacs(problems, work, program):
    """The page's lines for eglot: the server starts with the settings, runs, and says what a function is."""
    (work.folder / "Makefile").write_text("program: kernel.c host.c\n\t" + shlex.join(work.build) + "\n")
    script = """
        (require 'package) (package-initialize)
        (load-file "init.el")
        (find-file "kernel.c")
        (apply #'eglot (eglot--guess-contact))
        (let ((server (eglot--current-server-or-lose)))
          (message "run %s" (jsonrpc-request server :workspace/executeCommand '(:command "tensorlane.run" :arguments []) :timeout 60))
          (search-forward "okk_bdc_add_C")
          (message "hover %s" (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams) :timeout 60)))"""
    (work.folder / "init.el").write_text(listing(PAGES[0], "lisp"))
    (work.folder / "script.el").write_text(script)
    path = f"{pathlib.Path(work.options.tensorlane).parent}:{os.environ['PATH']}"
    said = subprocess.run([program, "--batch", "-q", "-l", "script.el"], cwd=work.folder, check=False, capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PATH": path, "HOME": str(work.folder)})
    if "Cannot open load file" in said.stderr and "eglot" in said.stderr:
        print("this emacs has no eglot: its lines were not run")
    elif said.returncode != 0 or ":errors 1" not in said.stderr or "dst = src + C" not in said.stderr:
        problems.append(f"emacs: {said.returncode}\n{said.stdout}{said.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--tensorlane", "--sdk", "--library"):
        parser.add_argument(name, required=True, type=os.path.abspath)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--nvim")
    parser.add_argument("--emacs")
    parser.add_argument("--node")
    options = parser.parse_args()
    problems = []
    settings(problems)
    commands(problems, options.tensorlane)
    extension(problems, options.node)
    for page in PAGES:
        json.loads(listing(page, "json"))
    with tempfile.TemporaryDirectory(prefix="tensorlane-editors-") as name:
        work = Workplace(options, pathlib.Path(name).resolve(), faulty_kernel("TL-RACE-001"))
        subprocess.run(work.build, cwd=work.folder, check=True)
        matchers(problems, work)
        if options.nvim:
            neovim(problems, work, options.nvim)
        else:
            print("no neovim here: its lines were not run")
        if options.emacs:
            emacs(problems, work, options.emacs)
        else:
            print("no emacs here: its lines were not run")
    print("".join(f"{problem}\n" for problem in problems), f"{len(problems)} problems", sep="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
