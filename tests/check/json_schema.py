"""JSON Schema, as far as docs/checker-report.schema.json uses it; any other keyword is an error."""
import json
import pathlib
import re

REPORT = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs/checker-report.schema.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
OF_OBJECTS = {"required", "properties", "additionalProperties"}
SILENT = {"$schema", "$defs", "title", "description"}


def problems(value, schema=None, path="report"):
    """What is wrong with `value`, a line each."""
    schema = REPORT if schema is None else schema
    for keyword, wanted in schema.items():
        if keyword in SILENT or (value is None and keyword in OF_OBJECTS):
            continue
        if keyword == "$ref":
            yield from problems(value, REPORT["$defs"][wanted.rpartition("/")[2]], path)
        elif keyword == "type":
            types = wanted if isinstance(wanted, list) else [wanted]
            if isinstance(value, bool) or not any(isinstance(value, TYPES[each]) for each in types):
                yield f"{path} is {value!r}, no {wanted}"
                return
        elif keyword in ("const", "enum"):
            if value not in ([wanted] if keyword == "const" else wanted):
                yield f"{path} is {value!r}, not {wanted}"
        elif keyword == "minimum":
            if value < wanted:
                yield f"{path} is {value}, below {wanted}"
        elif keyword == "pattern":
            if value is not None and not re.search(wanted, value):
                yield f"{path} is {value!r}, not like {wanted}"
        elif keyword == "items":
            for number, each in enumerate(value):
                yield from problems(each, wanted, f"{path}[{number}]")
        elif keyword == "required":
            yield from (f"{path} lacks {name}" for name in wanted if name not in value)
        elif keyword == "properties":
            for name in wanted.keys() & value.keys():
                yield from problems(value[name], wanted[name], f"{path}.{name}")
        elif keyword == "additionalProperties":
            yield from (f"{path} has {name}" for name in value if wanted is False and name not in schema["properties"])
        else:
            raise ValueError(f"the schema uses {keyword}")
