"""Models for tests: safetensors and ONNX files written and read by numpy alone, packings of MACE worked out by numpy alone."""
import json
import pathlib
import struct

import numpy as np

NAMES = {"float32": "F32", "float16": "F16", "int8": "I8", "uint8": "U8", "int16": "I16", "int32": "I32", "int64": "I64", "bool": "BOOL"}
ONNX = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10}


def write_safetensors(path, tensors):
    head, at = {}, 0
    for name, array in tensors.items():
        head[name] = {"dtype": NAMES[array.dtype.name], "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array).tobytes())


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    types = {short: name for name, short in NAMES.items()}
    read = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        begin, end = (8 + size + at for at in entry["data_offsets"])
        read[name] = np.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
    return read


def varint(value):
    out = b""
    while value >= 128:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def write_onnx(path, tensors):
    graph = field(2, b"made")
    for name, array in tensors.items():
        dims = b"".join(field(1, extent) for extent in array.shape)
        graph += field(5, dims + field(2, ONNX[array.dtype.name]) + field(8, name.encode()) + field(9, array.tobytes()))
    pathlib.Path(path).write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 17)))


def lanes(array):
    """The first axis in groups of four, which become the last."""
    array = np.concatenate([array, np.zeros((-len(array) % 4, *array.shape[1:]), array.dtype)])
    return np.moveaxis(array.reshape(-1, 4, *array.shape[1:]), 1, -1)


def conv2d_filter(weights):
    """(o, i, h, w) -> pixels (ceil(o / 4) * h * w, i, 4)."""
    _, i, h, w = weights.shape
    return lanes(weights).transpose(0, 2, 3, 1, 4).reshape(-1, i, 4) if h * w else np.zeros((0, i, 4), weights.dtype)


def dw_conv2d_filter(weights):
    """(i, 1, h, w) -> pixels (ceil(i / 4), h * w, 4)."""
    _, _, h, w = weights.shape
    return lanes(weights[:, 0]).reshape(-1, h * w, 4)


def argument(values):
    return lanes(values).reshape(1, -1, 4)
