#!/usr/bin/env python3
"""Does the steps of the Containerfile in bare roots, as a container tool would, and uses the last one as a user does.

    tests/packages/check_container.py PACKAGES            the last stage, with the Debian packages of this folder
    tests/packages/check_container.py PACKAGES --build    the first stage as well, which builds them from the sources (half an hour)

Needs root, mmdebstrap and the distribution's mirror.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}


def stages_of(text):
    """Each stage as (base, name, instructions); ARGs in front of the first stand for their values."""
    arguments, stages = {}, []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "ARG":
            name, _, value = rest.partition("=")
            arguments[name] = value
        elif word == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append((base, name, []))
        else:
            stages[-1][2].append((word, rest))
    return arguments, stages


class Builder:
    def __init__(self, arguments, stages, context, folder):
        self.arguments, self.stages, self.context, self.folder = arguments, stages, context, folder
        self.roots = {}

    def root_of(self, name):
        """The root of a stage or of an image, made where it is not there."""
        name = re.sub(r"\$\{(\w+)\}", lambda found: self.arguments[found.group(1)], name)
        if name in self.roots:
            return self.roots[name]
        stage = next((each for each in self.stages if each[1] == name), None)
        if stage is None and name:
            assert name == "docker.io/library/debian:bookworm-slim", name
            root = self.folder / "image"
            subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "bookworm", root], check=True)
            self.roots[name] = (root, dict(ENVIRONMENT), "/", None)
            return self.roots[name]
        self.roots[name] = self.build(stage or self.stages[-1], name or "last")
        return self.roots[name]

    def build(self, stage, name):
        base, _, instructions = stage
        old, environment, folder, command = self.root_of(base)
        root = self.folder / f"stage-{name}"
        subprocess.run(["cp", "-a", old, root], check=True)
        environment = dict(environment)
        for word, rest in instructions:
            print(f"{word} {rest}"[:120], flush=True)
            if word == "ENV":
                key, _, value = rest.partition("=")
                environment[key] = value
            elif word == "WORKDIR":
                folder = rest
                (root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
            elif word == "RUN":
                self.inside(root, environment, folder, ["/bin/sh", "-c", rest], check=True)
            elif word == "COPY":
                self.copy(root, rest)
            elif word == "CMD":
                command = rest
            else:
                raise ValueError(f"the Containerfile says {word}")
        return root, environment, folder, command

    def copy(self, root, rest):
        words = shlex.split(rest)
        origin = self.context
        if words[0].startswith("--from="):
            origin = self.root_of(words.pop(0).removeprefix("--from="))[0]
        *froms, to = words
        target = root / to.lstrip("/")
        for each in froms:
            found = [origin] if each == "." else sorted(origin.glob(each.lstrip("/")))
            assert found, f"COPY: no {each}"
            for path in found:
                if path.is_dir():
                    ignored = shutil.ignore_patterns("build", ".git", "node_modules", "__pycache__") if origin == self.context else None
                    shutil.copytree(path, target, symlinks=True, ignore=ignored, dirs_exist_ok=True)
                else:
                    target.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)

    @staticmethod
    def inside(root, environment, folder, words, **options):
        subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        try:
            return subprocess.run(["chroot", root, "/usr/bin/env", "-i", "-C", folder,
                                   *(f"{key}={value}" for key, value in environment.items()), *words], text=True, **options)
        finally:
            subprocess.run(["umount", root / "proc"], check=True)


def use(root, environment, folder):
    """A kernel of okk.h and a Python script of the package, as they come from the examples."""
    work = root / folder.lstrip("/")
    for name in ("plus_one", "common"):
        shutil.copytree(SOURCE / "examples/okkernel" / name, work / name)
    shutil.copy(SOURCE / "examples/python/rmsnorm.c", work)
    script = ("set -e; cd plus_one; gcc -std=c99 -O2 -g -c *.c $(pkg-config --cflags tensorlane-okkernel); "
              "g++ -std=c++11 -O2 -g *.cpp *.o -o plus_one $(pkg-config --cflags --libs tensorlane-okkernel); tensorlane run -- ./plus_one; cd ..; "
              "tensorlane new scale --chip bm1684x; cmake -S scale -B scale/build; cmake --build scale/build; ctest --test-dir scale/build; "
              "python3 -c 'import tensorlane; tensorlane.Device(\"bm1684x\").compile(\"rmsnorm.c\")'; python3 -m pytest --version; "
              "echo shutdown | tensorlane lsp || test $? = 1")
    said = Builder.inside(root, environment, folder, ["/bin/sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if said.returncode != 0 or "0 errors" not in said.stdout or "100% tests passed" not in said.stdout:
        sys.exit(f"it does not do what it should:\n{said.stdout[-3000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=pathlib.Path)
    parser.add_argument("--build", action="store_true")
    options = parser.parse_args()
    arguments, stages = stages_of((SOURCE / "Containerfile").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="tensorlane-container-") as name:
        folder = pathlib.Path(name)
        context = SOURCE
        if not options.build:
            arguments["PACKAGES"] = "packages"
            context = folder / "context"
            (context / "packages").mkdir(parents=True)
            for package in options.packages.glob("*.deb"):
                shutil.copy(package, context / "packages")
        builder = Builder(arguments, stages, context, folder)
        root, environment, workplace, command = builder.root_of("")
        use(root, environment, workplace)
        size = subprocess.run(["du", "-sm", root], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[0]
        print(f"The container: built, used; {size} MB; it starts {command}")


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("only root can change its root")
    main()
