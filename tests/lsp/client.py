"""A client of the language server protocol, for tests: what an editor sends, and what comes back."""
import json
import queue
import subprocess
import threading


class Client:
    def __init__(self, command, environment=None, cwd=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=cwd)
        self.number, self.requests, self.answers, self.notifications = 0, 0, {}, []
        self.incoming = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.incoming.put(None)
                    return
                if line == b"\r\n":
                    break
                name, _, value = line.partition(b":")
                assert name == b"Content-Length", line
                length = int(value)
            self.incoming.put(json.loads(out.read(length)))

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_text(self, text):
        data = text.encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def send(self, message):
        self.send_text(json.dumps({"jsonrpc": "2.0", **message}))

    def notify(self, method, params=None):
        self.send({"method": method, "params": params if params is not None else {}})

    def ask(self, method, params=None):
        """Sends a request and returns its id."""
        self.number += 1
        self.requests += 1
        self.send({"id": self.number, "method": method, **({} if params is None else {"params": params})})
        return self.number

    def next(self, timeout=60):
        message = self.incoming.get(timeout=timeout)
        if message is None:
            raise EOFError("the server has ended")
        return message

    def answer_to(self, number, timeout=120):
        """The whole answer; what comes before it is kept."""
        while number not in self.answers:
            message = self.next(timeout)
            if "method" in message:
                self.notifications.append(message)
            else:
                self.answers[message["id"]] = message
        return self.answers.pop(number)

    def request(self, method, params=None, timeout=120):
        """The result; an error of the server is one here."""
        answer = self.answer_to(self.ask(method, params), timeout)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def error_of(self, method, params=None):
        return self.answer_to(self.ask(method, params)).get("error", {}).get("code")

    def take_notifications(self, method):
        found = [each["params"] for each in self.notifications if each["method"] == method]
        self.notifications = [each for each in self.notifications if each["method"] != method]
        return found

    def diagnostics(self, uri):
        """The latest of a document, once everything sent so far is done."""
        self.error_of("test/barrier")
        latest = None
        for each in self.notifications:
            if each["method"] == "textDocument/publishDiagnostics" and each["params"]["uri"] == uri:
                latest = each["params"]["diagnostics"]
        return latest

    def start(self, root, language=None, options=None, capabilities=None):
        result = self.request("initialize", {
            "processId": None, "rootUri": root.as_uri(), **({"locale": language} if language else {}),
            "initializationOptions": options or {},
            "capabilities": capabilities if capabilities is not None else {
                "textDocument": {"hover": {"contentFormat": ["markdown"]},
                                 "completion": {"completionItem": {"snippetSupport": True}},
                                 "publishDiagnostics": {"relatedInformation": True}}}})
        self.notify("initialized")
        return result

    def stop(self):
        self.request("shutdown")
        self.notify("exit")
        return self.end()

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


def at(line, character):
    return {"line": line, "character": character}


def place(uri, text, needle, shift=0, occurrence=0):
    """The position of a text in a document, in UTF-16 units, as a request names it."""
    offset = -1
    for _ in range(occurrence + 1):
        offset = text.index(needle, offset + 1)
    offset += shift
    before = text[:offset]
    line = before.count("\n")
    column = before[before.rfind("\n") + 1:]
    return {"textDocument": {"uri": uri}, "position": at(line, len(column.encode("utf-16-le")) // 2)}


def open_document(client, uri, text):
    client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}})
