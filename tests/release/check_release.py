#!/usr/bin/env python3
"""scripts/release.sh, with stand-ins for the scripts that build: files, sums, changes, and what it refuses.

    check_release.py SOURCE
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

MADE = {"package.sh": ["build/package/packages/tensorlane_0.7.1_amd64.deb", "build/package-arm64/packages/tensorlane_0.7.1_arm64.deb"],
        "wheel.sh": ["build/wheel/tensorlane-0.7.1-cp311-cp311-linux.whl"], "vscode.sh": ["build/vscode/tensorlane.vsix"]}
CHANGES = "# Changes\n\n## {}\n\n- one\n- two\n\n## 0.7.0, 2020-01-01\n\n- old\n"


class Tree:
    def __init__(self, source, folder):
        self.folder = folder
        (folder / "scripts").mkdir()
        (folder / "python" / "metadata").mkdir(parents=True)
        for name in ("scripts/release.sh", "scripts/lib.sh", "scripts/pip_backend.py", "python/metadata/METADATA.in"):
            shutil.copy(source / name, folder / name)
        (folder / "CMakeLists.txt").write_text('project(tensorlane VERSION 0.7.1 LANGUAGES CXX\n  DESCRIPTION "a")\n')
        (folder / ".gitignore").write_text("build\n")
        for script, files in MADE.items():
            lines = "".join(f"mkdir -p $(dirname {file}); echo {file} >{file}\n" for file in files)
            (folder / "scripts" / script).write_text("#!/bin/sh -e\n" + lines)
            (folder / "scripts" / script).chmod(0o755)

    def commit(self, heading):
        (self.folder / "CHANGELOG.md").write_text(CHANGES.format(heading))
        for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
            subprocess.run(["git", *command], cwd=self.folder, check=False, stdout=subprocess.DEVNULL)

    def release(self, *words):
        return subprocess.run(["scripts/release.sh", *words], cwd=self.folder, check=False, capture_output=True, text=True)

    def files(self):
        return {path.name: path.read_bytes() for path in (self.folder / "build/release-files").iterdir()}


def main():
    source, problems = pathlib.Path(sys.argv[1]), []

    def expect(what, condition, detail):
        if not condition:
            problems.append(f"{what}: {detail}")

    with tempfile.TemporaryDirectory() as name:
        tree = Tree(source, pathlib.Path(name))
        tree.commit("0.7.1, 2020-02-02")
        said = tree.release()
        expect("a release", said.returncode == 0, said.stdout + said.stderr)
        files = tree.files()
        wanted = {pathlib.Path(file).name for script, made in MADE.items() if script != "vscode.sh" for file in made}
        wanted |= {"tensorlane-0.7.1.tar.gz", "CHANGES.md", "SHA256SUMS"}
        expect("files", set(files) == wanted, set(files) ^ wanted)
        expect("changes", files["CHANGES.md"] == b"- one\n- two\n", files["CHANGES.md"])
        sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
        expect("sums", sums == {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != "SHA256SUMS"}, sums)
        check = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tree.folder / "build/release-files", check=False)
        expect("sha256sum agrees", check.returncode == 0, check)
        tree.release("--vscode")
        expect("the extension", "tensorlane-0.7.1.vsix" in tree.files(), tree.files().keys())

        for what, heading, words, part in (("nothing to draft", "0.7.1, 2020-02-02", ["--draft"], "nothing is unreleased"),
                                           ("another version", "0.7.2, 2020-02-02", [], "CMakeLists.txt has 0.7.1"),
                                           ("unreleased", "Unreleased", [], "CMakeLists.txt has 0.7.1"),
                                           ("an option", "Unreleased", ["--nope"], "no such option")):
            tree.commit(heading)
            said = tree.release(*words)
            expect(what, said.returncode != 0 and part in said.stderr, said.stderr)
        said = tree.release("--draft")
        expect("a draft", said.returncode == 0 and tree.files()["CHANGES.md"] == b"- one\n- two\n", said.stderr)
        tree.commit("0.7.1, 2020-02-02")
        (tree.folder / "CMakeLists.txt").write_text((tree.folder / "CMakeLists.txt").read_text() + "\n")
        said = tree.release()
        expect("a change", said.returncode != 0 and "not committed" in said.stderr, said.stderr)
        tree.commit("0.7.1, 2020-02-02")
        (tree.folder / "scripts/wheel.sh").write_text("#!/bin/sh -e\nmkdir -p build/wheel; echo >build/wheel/tensorlane-0.6.0.whl\n")
        tree.commit("0.7.1, 2020-02-02")
        said = tree.release()
        expect("a file of another version", said.returncode != 0 and "0.6.0.whl is not of version 0.7.1" in said.stderr, said.stderr)
    print("".join(f"{problem}\n" for problem in problems), f"{len(problems)} problems", sep="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
