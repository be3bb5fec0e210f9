#!/usr/bin/env python3
"""Completions and pages of the manual against the help, which all three are made of.

    check_completion.py --tensorlane PROGRAM

Every verb that a help lists is offered by each shell behind its verb, every option behind its verb, every word that an option
knows behind the option; every page of the manual names its options and has no mistake of roff. zsh and fish where they are.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WORDS = {  # what some options and arguments know
    "tensorlane layout describe --chip": "bm1684x", "tensorlane layout draw --layout": "CONV2D_FILTER",
    "tensorlane layout draw --dtype": "bf16", "tensorlane layout table --format": "json", "tensorlane ops": "okk_bdc_conv2d",
    "tensorlane new --chip": "bm1684", "tensorlane new --template": "reduction", "tensorlane ops --json": "okk_bdc_conv2d", "tensorlane completion": "fish", "tensorlane layout describe --chip=": "bm1684x",
}


def output(words, **options):
    options = {"env": dict(os.environ, LC_ALL="C"), **options}
    return subprocess.run(words, check=True, text=True, capture_output=True, **options).stdout


class Command:
    """A verb as its help shows it."""

    def __init__(self, program, words):
        self.words = ["tensorlane", *words]
        text = output([program, *words, "--help"])
        options = text.split("Options:\n")[1].split("\nSubcommands:")[0].split("\nExample")[0]
        self.options = re.findall(r"^  (?:-\w,)?(--[\w-]+)", options, re.M)
        below = text.split("\nSubcommands:\n")[1:]
        names = re.findall(r"^  ([a-z]+) ", below[0].split("\n\n")[0], re.M) if below else []
        self.below = [Command(program, [*words, name]) for name in names]
        self.names = names

    def all(self):
        yield self
        for command in self.below:
            yield from command.all()


def bash_offers(script, line):
    """What bash offers behind `line`, whose words it splits as at a prompt."""
    words = [word for part in line.split(" ") for word in re.split(r"(=)", part) if word] + ([""] if not line.endswith("=") else [])
    text = (f"source {script}; COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}; _tensorlane; "
            "printf '%s\\n' \"${COMPREPLY[@]}\"")
    return output(["bash", "-euc", text]).split("\n")


def fish_offers(script, line):
    text = f"source {script}; complete -C '{line}{'' if line.endswith('=') else ' '}'"
    offers = output(["fish", "--no-config", "-c", text]) + output(["fish", "--no-config", "-c", text.replace("' ", "'").replace("'", "'", 1)])
    options = output(["fish", "--no-config", "-c", f"source {script}; complete -C '{line} -'"])
    return [re.split(r"\t", offer)[0].split("=")[-1] for offer in (offers + options).split("\n")]


def check_shell(name, offers, commands, problems):
    for command in commands:
        line = " ".join(command.words)
        if command.words[1:] == ["run"] and name == "fish":
            continue
        offered = offers(line)
        for word in [*command.names, *command.options]:
            if word not in offered:
                problems.append(f"{name}: '{line}' does not offer {word}: {offered[:40]}")
    for line, word in WORDS.items():
        if word not in offers(line):
            problems.append(f"{name}: '{line}' does not offer {word}: {offers(line)[:40]}")


def check_manual(folder, commands, problems):
    for command in commands:
        page = folder / ("-".join(command.words[:2]) + ".1")
        text = page.read_text().replace("\\-", "-")
        for word in [*command.names, *command.options]:
            if word not in text:
                problems.append(f"{page.name} does not name {word} of '{' '.join(command.words)}'")
        if shutil.which("groff"):
            said = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", str(page)], text=True, capture_output=True, check=False)
            wrong = [line for line in said.stderr.splitlines() if "can't break line" not in line and "cannot adjust" not in line
                     and "cannot break" not in line]
            if said.returncode != 0 or wrong:
                problems.append(f"{page.name}: {said.stderr[:300]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorlane", required=True)
    program = os.path.abspath(parser.parse_args().tensorlane)
    commands = list(Command(program, []).all())
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for shell in ("bash", "zsh", "fish"):
            (folder / shell).write_text(output([program, "completion", shell]))
            if shutil.which(shell):
                subprocess.run([shell, "-n", folder / shell], check=True)
        check_shell("bash", lambda line: bash_offers(folder / "bash", line), commands, problems)
        if shutil.which("fish"):
            check_shell("fish", lambda line: fish_offers(folder / "fish", line), commands, problems)
        output([program, "manual", str(folder / "man")])
        check_manual(folder / "man", commands, problems)
    print("\n".join(problems), f"\n{len(commands)} verbs, {len(problems)} problems")
    return 1 if problems or len(commands) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
