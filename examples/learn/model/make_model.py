"""A model of a few tensors, as a framework would save it: make_model.py FILE.safetensors."""
import json
import struct
import sys


def whole_numbers(count):
    """What common/host.h has under this name, so that the program knows the right result."""
    return [i * 37 % 17 - 8 for i in range(count)]


TENSORS = {  # name: shape, type, values
    "conv1.weight": ((70, 35, 3, 3), "F32", whole_numbers(70 * 35 * 9)),
    "conv1.bias": ((70,), "F32", [0.5] * 70),
    "conv2.weight": ((64, 70, 1, 1), "F32", whole_numbers(64 * 70)),
    "fc.weight": ((10, 64), "F32", whole_numbers(640)),
    "steps": ((), "I64", [1000]),
}

header, data = {}, b""
for name, (shape, dtype, values) in TENSORS.items():
    elements = struct.pack("<%d%s" % (len(values), {"F32": "f", "I64": "q"}[dtype]), *values)
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(elements)]}
    data += elements
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
