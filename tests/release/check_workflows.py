#!/usr/bin/env python3
"""The workflows: each is of the form that workflow.schema.json names, and what it runs and uploads is there.

    check_workflows.py SOURCE
"""
import json
import pathlib
import re
import sys

import jsonschema
import yaml

# Written by a step before; the scripts say so.
MADE = {"build/package/packages": "scripts/package.sh", "build/release-files": "scripts/release.sh", "build/site": "scripts/package.sh"}


class Loader(yaml.SafeLoader):
    """YAML 1.2 has no other true than true: "on" is a word."""


Loader.yaml_implicit_resolvers = {letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
                                  for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))


def problems_of(source, path, schema):
    workflow = yaml.load(path.read_text(encoding="utf-8"), Loader)
    problems = [f"{list(error.absolute_path)}: {error.message}" for error in jsonschema.Draft202012Validator(schema).iter_errors(workflow)]
    if problems:
        return problems
    for name, job in workflow["jobs"].items():
        if job.get("needs", name) not in workflow["jobs"]:
            problems.append(f"{name} needs a job that there is not")
        ids = {step.get("id") for step in job["steps"]}
        problems += [f"{name}: no step {used}" for used in re.findall(r"steps\.(\w+)\.", json.dumps(job)) if used not in ids]
        done = ""
        for step in job["steps"]:
            words = step.get("run", "") + " " + " ".join(str(value) for value in step.get("with", {}).values())
            for word in re.findall(r"(?<![\w$])(\.ci/\w+|(?:scripts|tests|build)/[\w./-]*[\w-])", words):
                made = [script for prefix, script in MADE.items() if word == prefix or word.startswith(prefix + "/")]
                missing = not (source / word).is_file() if not word.startswith("build/") else \
                    not made or not any(script in done or "scripts/release.sh" in done for script in made)
                if missing:
                    problems.append(f"{name}: {word} is not there")
            done += step.get("run", "") + "\n"
    return problems


def main():
    source = pathlib.Path(sys.argv[1])
    schema = json.loads((pathlib.Path(__file__).parent / "workflow.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    paths = sorted((source / ".github/workflows").glob("*.yml")) + [source / "tools/tensorlane/templates/common/workflow.yml"]
    problems = [f"{path.name}: {problem}" for path in paths for problem in problems_of(source, path, schema)]
    commands = "".join(path.read_text() for path in paths)
    problems += [f"no workflow runs {command}" for command in (".ci/run", "scripts/release.sh", "actions/deploy-pages") if command not in commands]
    print("".join(f"{problem}\n" for problem in problems), f"{len(paths)} workflows, {len(problems)} problems", sep="")
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
