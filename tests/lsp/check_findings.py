#!/usr/bin/env python3
"""Findings in an editor: kernels of docs/diagnostics are built, run and repaired through the language server.

    check_findings.py --tensorlane PROGRAM --sdk INCLUDE --library FOLDER [--cc COMPILER]

What a run has to show is what `tensorlane run --json` says of the same program.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from client import Client, at, open_document, place

ROOT = pathlib.Path(__file__).resolve().parents[2]
MENDED = ["TL-RACE-001", "TL-RACE-002", "TL-RACE-003", "TL-SYNC-005"]
CANCELLED, FAILED = -32800, -32803
SEVERITY = {"error": 1, "warning": 2, "advice": 3}


class Workplace:
    """A folder with kernel.c, host.c and a build that makes `program` of them."""

    def __init__(self, options, folder, kernel):
        self.options, self.folder = options, folder
        self.kernel = folder / "kernel.c"
        self.kernel.write_text(kernel)
        (folder / "host.c").write_text((ROOT / "tests/diagnostics/host.c").read_text())
        self.build = [options.cc, "-std=gnu99", "-DUSING_CMODEL", "-g", "-I", options.sdk, "-o", "program", "kernel.c", "host.c",
                      "-L", options.library, "-lbmlib", f"-Wl,-rpath,{options.library}"]
        self.problems = []

    def expect(self, what, condition, detail=""):
        if not condition:
            self.problems.append(f"{what}: {detail!r}"[:1500])

    def client(self, language="en", **settings):
        client = Client([self.options.tensorlane, "lsp"], cwd="/")
        client.start(self.folder, language, options={"build": self.build, "program": ["./program"], **settings})
        open_document(client, self.kernel.as_uri(), self.kernel.read_text())
        return client

    def run(self, *options):
        subprocess.run(self.build, cwd=self.folder, check=True)
        return subprocess.run([self.options.tensorlane, *options, "--", "./program"], cwd=self.folder, check=False, capture_output=True,
                              text=True, env={**os.environ, "LC_ALL": "C"})


def command(client, name, *arguments):
    return client.request("workspace/executeCommand", {"command": f"tensorlane.{name}", "arguments": list(arguments)})


def faulty_kernel(diagnostic):
    page = (ROOT / "docs/diagnostics" / f"{diagnostic}.md").read_text()
    return re.search(r"## Faulty kernel\n\n```c\n(.*?)^```", page, re.M | re.S).group(1)


def mended(text, edits):
    for edit in reversed(edits):
        lines = text.splitlines(keepends=True)
        line = edit["range"]["start"]["line"]
        assert edit["range"]["start"] == edit["range"]["end"] == at(line, 0), edit
        text = "".join(lines[:line]) + edit["newText"] + "".join(lines[line:])
    return text


def repairs(work, diagnostic):
    """The finding at both of its lines; its repair, put into the text, is the end of it."""
    client = work.client()
    uri = work.kernel.as_uri()
    result = command(client, "run")
    work.expect(f"{diagnostic}: result", result["errors"] == 1 and result["exitStatus"] == 0, result)
    shown = client.diagnostics(uri)
    work.run("run", "--quiet", "--json=said.json")
    said = json.loads((work.folder / "said.json").read_text())["findings"]
    work.expect(f"{diagnostic}: as many", len(shown) == len(said), (shown, said))
    for each, finding in zip(shown, said):
        first = finding["locations"][0]
        work.expect("line", each["range"]["start"]["line"] == first["line"] - 1, (each, first))
        work.expect("message", finding["message"] in each["message"] and finding["repair"] in each["message"], each)
        work.expect("code and severity", (each["code"], each["severity"]) == (finding["id"], SEVERITY[finding["severity"]]), each)
        others = [location["line"] - 1 for location in finding["locations"][1:]] + [launch["host"]["line"] - 1 for launch in finding["launches"]]
        related = [other["location"]["range"]["start"]["line"] for other in each["relatedInformation"]]
        work.expect("related lines", related == others, (related, others))
    line = shown[0]["range"]["start"]["line"]
    actions = client.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": {"start": at(line, 0), "end": at(line, 200)},
                                                         "context": {"diagnostics": shown, "only": ["quickfix"]}})
    edits = [action for action in actions if "edit" in action]
    work.expect(f"{diagnostic}: a repair", len(edits) == 1 and edits[0]["isPreferred"], actions)
    none = client.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": {"start": at(line, 0), "end": at(line, 200)},
                                                      "context": {"diagnostics": shown, "only": ["refactor"]}})
    work.expect("only what is asked for", none == [], none)
    page = command(client, *[actions[-1]["command"]["command"].split(".")[1]], *actions[-1]["command"]["arguments"])
    work.expect("page", page["id"] == diagnostic and "## " in page["markdown"], page)
    work.kernel.write_text(mended(work.kernel.read_text(), edits[0]["edit"]["changes"][uri]))
    result = command(client, "run")
    work.expect(f"{diagnostic}: mended", (result["errors"], result["warnings"]) == (0, 0), (result, work.kernel.read_text()))
    left = [each for each in client.diagnostics(uri) if each["severity"] != SEVERITY["advice"]]
    work.expect("nothing but advice is shown any more", left == [], left)
    work.expect("exit", client.stop() == 0)


def lines_move(work):
    """A finding stays at its line while lines above it come and go, and leaves with it."""
    client = work.client("zh")
    uri = work.kernel.as_uri()
    command(client, "run")
    shown = client.diagnostics(uri)
    line = shown[0]["range"]["start"]["line"]
    work.expect("Chinese", re.search("[一-鿿]", shown[0]["message"]) is not None, shown)
    client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
        {"range": {"start": at(0, 0), "end": at(0, 0)}, "text": "// 一\n// 二\n"}]})
    work.expect("two lines further down", client.diagnostics(uri)[0]["range"]["start"]["line"] == line + 2, client.diagnostics(uri))
    client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [
        {"range": {"start": at(line + 2, 0), "end": at(line + 3, 0)}, "text": ""}]})
    work.expect("gone with its line", client.diagnostics(uri) == [], client.diagnostics(uri))
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    work.expect("of the file on disk again", [each["range"]["start"]["line"] for each in client.diagnostics(uri)] == [line],
                client.diagnostics(uri))
    client.stop()


def files_of_others(work):
    """Findings that someone else's run left in a file, as JSON and as SARIF; calls of its log."""
    said = work.run("run", "--quiet", "--json=f.json", "--sarif", "f.sarif", "--log", "calls.jsonl")
    work.expect("the run", said.returncode == 3, said.stderr)
    shown = {}
    for name in ("f.json", "f.sarif"):
        client = work.client(findings=name, log="calls.jsonl")
        shown[name] = client.diagnostics(work.kernel.as_uri())
        text = work.kernel.read_text()
        hover = client.request("textDocument/hover", place(work.kernel.as_uri(), text, "okk_bdc_add_C", 2))["contents"]["value"]
        work.expect("a recorded call", "1,64,16,16" in hover.split("---")[-1], hover)
        client.stop()
    places = {name: [(each["code"], each["severity"], each["range"]["start"]["line"], len(each["relatedInformation"])) for each in list_]
              for name, list_ in shown.items()}
    work.expect("both forms show the same", places["f.json"] == places["f.sarif"] and places["f.json"], places)
    (work.folder / "broken.json").write_text("{")
    client = work.client(findings="broken.json")
    client.error_of("test/barrier")
    work.expect("a broken file is told of", any("broken.json" in each["message"] for each in client.take_notifications("window/logMessage")))
    work.expect("and nothing is shown", client.diagnostics(work.kernel.as_uri()) in (None, []))
    client.notify("workspace/didChangeConfiguration", {"settings": {"tensorlane": {"findings": "f.json"}}})
    work.expect("until the settings name another", len(client.diagnostics(work.kernel.as_uri())) == len(shown["f.json"]))
    client.stop()


def commands(work):
    client = work.client()
    asked = {"element": "output[3]"}
    why = command(client, "why", asked)
    work.expect("why", "okk_bdc_add_C" in why["text"], why)
    verified = command(client, "verify")
    work.expect("a race is not verified", verified["verified"] is False and len(verified["runs"]) == 2, verified)
    errors = client.answer_to(client.ask("workspace/executeCommand", {"command": "tensorlane.why", "arguments": [{"exec": "x"}]}))
    work.expect("an option that there is not", errors["error"]["code"] == -32602, errors)
    client.stop()

    client = work.client(program="sleep 60", build=None)
    begin = time.monotonic()
    asked = client.ask("workspace/executeCommand", {"command": "tensorlane.run"})
    work.expect("others are answered meanwhile", client.error_of("test/barrier") == -32601)
    client.notify("$/cancelRequest", {"id": asked})
    answer = client.answer_to(asked)
    work.expect("cancelled", answer.get("error", {}).get("code") == CANCELLED and time.monotonic() - begin < 30, answer)
    client.ask("workspace/executeCommand", {"command": "tensorlane.run"})
    client.notify("exit")
    work.expect("the end does not wait for it", client.end() == 1 and time.monotonic() - begin < 40)

    for settings, what in (({"program": None}, "no program"), ({"program": ["./missing"]}, "a missing program")):
        client = work.client(**settings)
        work.expect(what, client.error_of("workspace/executeCommand", {"command": "tensorlane.run"}) == FAILED)
        client.stop()
    client = work.client(build=["false"])
    result = command(client, "run")
    work.expect("a build that fails", result == {"built": False, "exitStatus": 1, "output": ""}, result)
    client.stop()

    client = work.client(runOnSave=True)
    uri = work.kernel.as_uri()
    work.expect("nothing yet", client.diagnostics(uri) == [])
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    deadline = time.monotonic() + 60
    while not client.diagnostics(uri) and time.monotonic() < deadline:
        time.sleep(0.1)
    work.expect("a run on saving", [each["code"] for each in client.diagnostics(uri)] == ["TL-RACE-001"], client.diagnostics(uri))
    client.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--tensorlane", "--sdk", "--library"):
        parser.add_argument(name, required=True, type=os.path.abspath)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    problems = []
    parts = [(diagnostic, lambda work, diagnostic=diagnostic: repairs(work, diagnostic)) for diagnostic in MENDED]
    parts += [("TL-RACE-001", part) for part in (lines_move, files_of_others, commands)]
    for diagnostic, part in parts:
        with tempfile.TemporaryDirectory(prefix="tensorlane lsp 芯 ") as name:
            work = Workplace(options, pathlib.Path(name).resolve(), faulty_kernel(diagnostic))
            part(work)
            problems += work.problems
    print("".join(f"{problem}\n" for problem in problems), f"{len(parts)} parts, {len(problems)} problems", sep="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
