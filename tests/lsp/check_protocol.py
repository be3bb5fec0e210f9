#!/usr/bin/env python3
"""A protocol run of the language server: over both interfaces and both languages, with hostile messages among them.

    check_protocol.py --tensorlane PROGRAM [--record FILE]

What each answer has to be is worked out from `tensorlane ops --json` and from the text of the document, never from the server. At
least 200 requests are made; --record writes them with their answers, a line each.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from client import Client, at, open_document, place

LEAST_REQUESTS = 200
PARSE, INVALID, NO_METHOD, PARAMETERS, NOT_INITIALIZED = -32700, -32600, -32601, -32602, -32002
HEADERS = {"bm1684": "okk.h", "bm1684x": "tpu_kernel.h"}
STEP = {"bm1684": 9, "bm1684x": 29}


class Recorded(Client):
    """Keeps what was asked and answered."""
    log = []

    def send(self, message):
        if "id" in message and "method" in message:
            self.log.append({"request": message})
        super().send(message)

    def answer_to(self, number, timeout=120):
        answer = super().answer_to(number, timeout)
        self.log.append({"answer": answer})
        return answer


class Protocol:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.problems, self.requests = [], 0

    def expect(self, what, condition, detail=""):
        if not condition:
            self.problems.append(f"{what}: {detail!r}"[:1500])

    def start(self, language=None, **options):
        client = Recorded([self.program, "lsp"], cwd=self.folder)
        client.start(self.folder, language, **options)
        return client

    def stop(self, client):
        self.expect("exit status after shutdown", client.stop() == 0)
        self.requests += client.requests

    def ops(self, chip):
        said = subprocess.run([self.program, "ops", "--chip", chip, "--json"], check=True, capture_output=True, text=True)
        return json.loads(said.stdout)

    # ---- What is said of functions ----

    def functions(self, chip, language):
        client = self.start(language)
        ops = self.ops(chip)
        names = {op["name"] for op in ops}
        for op in ops[::STEP[chip]]:
            self.function(client, chip, language, op, names)
        self.stop(client)

    def function(self, client, chip, language, op, names):
        name = op["name"]
        what = f"{chip} {language} {name}"
        uri = (self.folder / f"{name}.c").as_uri()
        arguments = ", ".join(f"a{k}" for k in range(len(op["params"])))
        # 芯 is one UTF-16 unit and 𠀀 two; neither is one byte.
        text = f'#include "{HEADERS[chip]}"\nvoid kernel(void) {{\n  /* 芯𠀀 */ {name}({arguments});\n}}\n'
        open_document(client, uri, text)
        hover = client.request("textDocument/hover", place(uri, text, name, 2))
        said = hover["contents"]["value"]
        wanted = [name, op["doc"][language[:2]]] + [param["name"] for param in op["params"]]
        wanted += [limit for limit in op["limits"] if limit != "never"]
        for part in wanted:
            self.expect(f"hover {what}", part in said, (part, said))
        line = text.splitlines()[2]
        begin = len(line[:line.index(name)].encode("utf-16-le")) // 2
        self.expect(f"range of {what}", hover["range"] == {"start": at(2, begin), "end": at(2, begin + len(name))}, hover["range"])
        prefix = name[:name.rfind("_") + 2]
        items = client.request("textDocument/completion", place(uri, text, name, len(prefix)))["items"]
        labels = [item["label"] for item in items]
        self.expect(f"completion {what}", sorted(labels) == sorted(n for n in names if n.startswith(prefix)), labels)
        chosen = next(item for item in items if item["label"] == name)
        resolved = client.request("completionItem/resolve", chosen)
        self.expect(f"resolve {what}", op["doc"][language[:2]] in resolved["documentation"]["value"], resolved)
        if op["params"]:
            last = len(op["params"]) - 1
            shown = client.request("textDocument/signatureHelp", place(uri, text, f"a{last})", 1))
            signature = shown["signatures"][0]
            labels = [signature["label"][a:b] for a, b in (each["label"] for each in signature["parameters"])]
            self.expect(f"signature {what}", labels == [f"{each['type']} {each['name']}" for each in op["params"]], labels)
            self.expect(f"parameter {what}", shown["activeParameter"] == last, shown["activeParameter"])
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    # ---- Texts and places ----

    def documents(self):
        """Edits one by one, as an editor makes them, against the same edits of a Python text."""
        client = self.start()
        uri = (self.folder / "edits.c").as_uri()
        text = '#include "okk.h"\r\nvoid kernel(void) {\r\n  // 注释 𠀀\r\n  okk_poll();\r\n}\r\n'
        open_document(client, uri, text)
        edits = [("okk_poll", "okk_parallel_start"), ("𠀀", "x𠀀y"), ("注释", ""), ("\r\n}", "\r\n  okk_poll();\r\n}"),
                 ("void kernel", "/* é */ void kernel"), ("okk_parallel_start();", "okk_initialize();\n\n  okk_poll();\r  okk_poll();")]
        for old, new in edits:
            start, end = place(uri, self.lf(text), self.lf(old))["position"], place(uri, self.lf(text), self.lf(old), len(self.lf(old)))
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
                {"range": {"start": start, "end": end["position"]}, "text": new}]})
            text = text.replace(old, new, 1)
            shown = self.lf(text)
            for found in re.finditer(r"okk_\w+", shown):
                if found.group() in ("okk_", "okk_h"):
                    continue
                hover = client.request("textDocument/hover", place(uri, shown[:found.start()] + shown[found.start():], found.group(), 1,
                                                                   shown[:found.start()].count(found.group())))
                self.expect(f"edit {old!r}", hover and found.group() in hover["contents"]["value"], (shown, hover))
        hostile = [{"range": {"start": at(10**9, 0), "end": at(10**9, 5)}, "text": "// end\n"},
                   {"range": {"start": at(3, 10**9), "end": at(0, 0)}, "text": ""}, {"text": "okk_poll();"}]
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": hostile})
        hover = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": at(0, 3)})
        self.expect("the last change counts", "okk_poll" in hover["contents"]["value"], hover)
        self.expect("nothing in a line that there is not", client.request(
            "textDocument/hover", {"textDocument": {"uri": uri}, "position": at(7, 3)}) is None)
        self.stop(client)

    @staticmethod
    def lf(text):
        """Line ends of one character, so that lines and columns are those that the protocol counts."""
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def prose(self):
        client = self.start()
        uri = (self.folder / "prose.c").as_uri()
        text = '// okk_poll();\n/* okk_poll */ const char* s = "okk_poll\\" okk_poll"; char c = \'"\'; okk_poll();\n#define P okk_poll()\n'
        open_document(client, uri, text)
        for occurrence, there in enumerate([False, False, False, False, True, True]):
            hover = client.request("textDocument/hover", place(uri, text, "okk_poll", 2, occurrence))
            self.expect(f"occurrence {occurrence}", (hover is not None) == there, hover)
        items = client.request("textDocument/completion", place(uri, text, "okk_poll", 4, 0))["items"]
        self.expect("completion in a comment", items == [], len(items))
        self.stop(client)

    # ---- What breaks ----

    def lifecycle(self):
        client = Recorded([self.program, "lsp"])
        self.expect("before initialize", client.error_of("textDocument/hover", {}) == NOT_INITIALIZED)
        client.notify("textDocument/didOpen", {"nonsense": True})
        client.start(self.folder)
        self.expect("initialize twice", client.error_of("initialize", {"capabilities": {}}) == INVALID)
        client.request("shutdown")
        for method in ("textDocument/hover", "shutdown", "initialize"):
            self.expect(f"{method} after shutdown", client.error_of(method, {}) == INVALID)
        client.notify("exit")
        self.expect("exit after shutdown", client.end() == 0)
        self.requests += client.requests
        for ending in ("exit", None):
            client = Recorded([self.program, "lsp"])
            client.start(self.folder)
            if ending:
                client.notify(ending)
            self.expect("end without shutdown", client.end() == 1)
            self.requests += client.requests
        client = Recorded([self.program, "lsp"])
        client.send_bytes(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\"")
        self.expect("cut off", client.end() == 1)

    def hostile(self):
        """Each is answered by its error, and the server goes on."""
        client = self.start()
        uri = (self.folder / "hostile.c").as_uri()
        text = "void f(void) { okk_bdc_neg(((((;\n{{{ okk_poll(\"\n"
        open_document(client, uri, text)

        def goes_on(what):
            hover = client.request("textDocument/hover", place(uri, text, "okk_poll", 2))
            self.expect(f"after {what}", hover is not None, hover)

        texts = [("{", PARSE), ("", PARSE), ("nul", PARSE), ('{"jsonrpc":"2.0",', PARSE), ("\ufeff{}", INVALID), ('{"a":"\\ud800"}', PARSE),
                 ("[" * 5000, PARSE), ("[]", INVALID), ("3", INVALID), ("null", INVALID), ('"text"', INVALID), ("{}", INVALID),
                 ('{"jsonrpc":"1.0","id":1,"method":"shutdown"}', INVALID), ('{"jsonrpc":"2.0","id":1}', INVALID),
                 ('{"jsonrpc":"2.0","id":1,"method":7}', INVALID), ('{"jsonrpc":"2.0","id":{},"method":"x"}', INVALID),
                 ('{"jsonrpc":"2.0","id":null,"method":"x"}', INVALID), ('{"jsonrpc":"2.0","id":1.5,"method":"x"}', INVALID),
                 ('{"jsonrpc":"2.0","id":1,"method":"x","params":3}', INVALID),
                 ('[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]', INVALID)]
        for sent, code in texts:
            client.requests += 1
            client.send_text(sent)
            answer = self.next_answer(client)
            self.expect(f"{sent[:60]}", answer.get("error", {}).get("code") == code, answer)
            goes_on(sent[:60])
        headers = [b"Content-Length: x\r\n\r\n", b"Content-Length: -5\r\n\r\n", b"Nonsense: 3\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n",
                   b"\xff\xfe\r\n\r\n", b"x" * 100000 + b"\r\n\r\n"]
        for sent in headers:
            client.requests += 1
            client.send_bytes(sent)
            answer = self.next_answer(client)
            self.expect(f"header {sent[:40]}", answer.get("error", {}).get("code") == PARSE, answer)
            goes_on(sent[:40])
        client.send_bytes(b"content-length:   2  \r\ncontent-type: x\r\n\r\n{}")
        self.expect("header fields in any case", self.next_answer(client)["error"]["code"] == INVALID)
        too_long = (64 << 20) + 1
        client.send_bytes(b"Content-Length: %d\r\n\r\n" % too_long)
        for _ in range(65):
            client.send_bytes(b" " * min(1 << 20, too_long))
            too_long -= min(1 << 20, too_long)
        self.expect("a message of 64 MiB", self.next_answer(client)["error"]["code"] == PARSE)
        goes_on("a message of 64 MiB")
        self.parameters(client, uri, goes_on)
        self.stop(client)

    def next_answer(self, client):
        while True:
            message = client.next()
            if "method" not in message:
                return message

    def parameters(self, client, uri, goes_on):
        document = {"textDocument": {"uri": uri}}
        for method in ("hover", "completion", "signatureHelp", "codeAction"):
            for params in (None, [], {}, {"textDocument": 3}, {"textDocument": {"uri": 3}}, {**document, "position": {"line": "x", "character": 0}},
                           {**document, "position": at(-1, 0)}, {**document, "position": at(0, 1.5)},
                           {**document, "range": {"start": at(0, 0)}}):
                if method == "codeAction" and params == {**document, "position": at(-1, 0)}:
                    continue
                wants_none = method == "codeAction" and isinstance(params, dict) and params.get("textDocument") == document["textDocument"] \
                    and "range" not in params
                answer = client.answer_to(client.ask(f"textDocument/{method}", params))
                code = answer.get("error", {}).get("code")
                self.expect(f"{method} {params}", answer.get("result") == [] if wants_none else code == PARAMETERS, answer)
            where = {**document, "textDocument": {"uri": "file:///nowhere.c"}, "position": at(0, 0), "range": {"start": at(0, 0), "end": at(0, 0)}}
            answer = client.answer_to(client.ask(f"textDocument/{method}", where))
            self.expect(f"{method} of a document that is not open", answer.get("result") in (None, []) and "error" not in answer, answer)
            far = {**document, "position": at(2**40, 2**40), "range": {"start": at(2**40, 0), "end": at(2**40, 2**40)}}
            answer = client.answer_to(client.ask(f"textDocument/{method}", far))
            self.expect(f"{method} far away", "error" not in answer, answer)
        goes_on("wrong parameters")
        for method in ("textDocument/rename", "$/nothing", "", "workspace/symbol"):
            self.expect(method, client.error_of(method, {}) == NO_METHOD)
        for command in ({}, {"command": "rm"}, {"command": "tensorlane.explain"}, {"command": "tensorlane.explain", "arguments": ["TL-NO-001"]},
                        {"command": "tensorlane.explain", "arguments": [3]}, {"command": "tensorlane.layout", "arguments": [{}]}):
            self.expect(f"{command}", client.error_of("workspace/executeCommand", command) == PARAMETERS)
        for params in (None, [], {}, {"textDocument": {"uri": uri}}, {"textDocument": {"uri": uri}, "contentChanges": 3},
                       {"textDocument": {"uri": "file:///nowhere.c"}, "contentChanges": []},
                       {"textDocument": {"uri": uri}, "contentChanges": [{"text": 3}]},
                       {"textDocument": {"uri": uri}, "contentChanges": [{"text": "", "range": 3}]}):
            for method in ("didOpen", "didChange", "didClose", "didSave"):
                if method == "didClose" and params == {"textDocument": {"uri": uri}} or (method == "didClose" and params and "contentChanges" in params):
                    continue
                client.notify(f"textDocument/{method}", params)
        for method, params in (("$/cancelRequest", {"id": 77}), ("$/cancelRequest", {}), ("$/unknown", {}), ("nothing", {}),
                               ("workspace/didChangeConfiguration", {"settings": {"tensorlane": {"program": 3}}}),
                               ("workspace/didChangeConfiguration", {"settings": 3}), ("workspace/didChangeWatchedFiles", {"changes": 3})):
            client.notify(method, params)
        client.send({"id": 4711, "result": None})
        client.send({"id": 4712, "error": {"code": 1, "message": "x"}})
        goes_on("wrong notifications")

    # ---- What the text says of calls ----

    def limits(self):
        """Which lines of a kernel have a diagnostic: those with LIMIT, and no other."""
        source = pathlib.Path(__file__).resolve().parent / "kernels" / "limits.c"
        text = source.read_text(encoding="utf-8")
        for language, rule in (("en", "the rule is"), ("zh-CN", "规则")):
            client = self.start(language)
            uri = source.as_uri()
            open_document(client, uri, text)
            shown = client.diagnostics(uri)
            lines = sorted(each["range"]["start"]["line"] for each in shown)
            wanted = sorted(k for k, line in enumerate(text.splitlines()) if "// LIMIT" in line)
            self.expect("limits", lines == wanted, ([k + 1 for k in lines if k not in wanted], [k + 1 for k in wanted if k not in lines]))
            for each in shown:
                line = text.splitlines()[each["range"]["start"]["line"]]
                limit = line.split("// LIMIT ")[-1]
                self.expect("rule", limit in each["message"] and (rule in each["message"]), (line, each["message"]))
            for line in (k for k in wanted):
                actions = client.request("textDocument/codeAction", {
                    "textDocument": {"uri": uri}, "range": {"start": at(line, 0), "end": at(line, 99)}, "context": {"diagnostics": []}})
                self.expect("an action for each", actions and actions[0]["command"]["command"] == "tensorlane.explain", actions)
            self.stop(client)

    def layouts(self):
        """The pictures are those of `tensorlane layout draw`."""
        client = self.start()
        uri = (self.folder / "layout.c").as_uri()
        text = ('#include "okk.h"\nvoid f(void) {\n  dim4 s = {.n = 2, .c = 3, .h = 4, .w = 5}, t = s;\n'
                "  okk_bdc_neg(524288, 524288 + 4096, &(dim4){2, 3, 4, 5}, NULL, &(dim4){128, 64, 8, 1});\n  okk_bdc_neg(x, y, &t, 0, 0);\n}\n")
        open_document(client, uri, text)
        shown = client.request("workspace/executeCommand", {"command": "tensorlane.layout", "arguments": [place(uri, text, "4096")]})
        for picture, options in zip(shown["pictures"], (["--layout", "aligned"], ["--layout", "free", "--strides", "128,64,8,1", "--offset", "4096"])):
            drawn = subprocess.run([self.program, "layout", "draw", "--shape", "2,3,4,5", "--start-npu", "1", "--columns", "80", *options],
                                   check=True, capture_output=True, text=True).stdout
            self.expect(f"picture of {picture['operand']}", picture["text"] == drawn, (picture["text"], drawn))
            self.expect("SVG", picture["svg"].startswith("<svg"), picture["svg"][:80])
        self.expect("two pictures", [each["operand"] for each in shown["pictures"]] == ["dst_addr", "src_addr"], shown)
        hover = client.request("textDocument/hover", place(uri, text, "okk_bdc_neg", 2))["contents"]["value"]
        modelled = subprocess.run([self.program, "ops", "okk_bdc_neg", "--with", "shape=2,3,4,5", "dst_addr=524288", "src_addr=528384",
                                   "src_stride=128,64,8,1"], check=True, capture_output=True, text=True).stdout
        self.expect("operands and time of a hovered call", modelled.strip() in hover, (modelled, hover))
        self.expect("unknown shape", client.error_of("workspace/executeCommand", {
            "command": "tensorlane.layout", "arguments": [place(uri, text, "okk_bdc_neg", 2, 1)]}) == -32803)
        client.notify("workspace/didChangeConfiguration", {"settings": {"tensorlane": {"pictures": "svg"}}})
        small = text.replace("2, 3, 4, 5", "1, 2, 1, 4").replace("&(dim4){128, 64, 8, 1}", "NULL")
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": small}]})
        hover = client.request("textDocument/hover", place(uri, small, "okk_bdc_neg", 2))["contents"]["value"]
        self.expect("SVG in a hover", "](data:image/svg+xml;base64," in hover, hover[-300:])
        self.stop(client)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    parser.add_argument("--record")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        protocol = Protocol(str(pathlib.Path(options.tensorlane).resolve()), pathlib.Path(name).resolve())
        for chip in HEADERS:
            for language in ("en", "zh-cn"):
                protocol.functions(chip, language)
        protocol.documents()
        protocol.prose()
        protocol.lifecycle()
        protocol.hostile()
        protocol.limits()
        protocol.layouts()
    if options.record:
        lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in Recorded.log)
        pathlib.Path(options.record).write_text("".join(lines), encoding="utf-8")
    if protocol.requests < LEAST_REQUESTS:
        protocol.problems.append(f"only {protocol.requests} requests")
    print("".join(f"{problem}\n" for problem in protocol.problems), f"{protocol.requests} requests, {len(protocol.problems)} problems", sep="")
    return 1 if protocol.problems else 0


if __name__ == "__main__":
    sys.exit(main())
