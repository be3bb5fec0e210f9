"""Device tensors in gdb: loaded with libbmlib.so, where gdb trusts its folder
(add-auto-load-safe-path).

  tl tensor ADDRESS N,C,H,W TYPE [LAYOUT] [INDEX]
      a tensor in device memory: smallest, largest, mean, NaN, and elements. ADDRESS is what kernels write:
      a local_addr_t or a system_addr_t, as an expression of the program (work_addr + 64, param->input_addr).
      TYPE: fp32, fp16, bf16, int8, uint8, int16, uint16, int32, uint32. LAYOUT: aligned (default in local
      memory), compact, continuous (default elsewhere). INDEX: [n,c,h,w] with numbers, ranges 0:4, or : for all.
      With several devices: `tl device 1` first.
  tl why ...
      `tensorlane why ...` on this program with its arguments.

Memory is read, no function of the program is called: that works in a kernel, in a crash and in a core file.
bm_device_mem_t and dim4 print themselves.
"""
import math
import os
import re
import shlex
import struct

import gdb
import gdb.printing

TYPES = {"fp32": ("f", 4), "fp16": ("e", 2), "bf16": (None, 2), "int8": ("b", 1), "uint8": ("B", 1),
         "int16": ("h", 2), "uint16": ("H", 2), "int32": ("i", 4), "uint32": ("I", 4)}
SPACES = ["local memory", "global memory", "L2", "DTCM", "static memory"]
LOCAL = 0
SHOWN = 8  # elements of a row, and rows


class Device:
    """A device of the table in src/tensorlane/device/debug_table.h."""

    chosen = 0

    def __init__(self):
        try:
            table = int(gdb.parse_and_eval("(unsigned long)&tensorlane_debug_table"))
        except gdb.error as error:
            raise gdb.GdbError(f"TensorLane's libbmlib.so is not loaded: {error}") from error
        version, devices = self.words(table, 2)
        if version != 1 or self.chosen >= devices:
            raise gdb.GdbError(f"this script is not for this libbmlib.so, or it has no device {self.chosen}")
        size = 3 + 3 * len(SPACES)
        words = self.words(table + 16 + 8 * size * self.chosen, size)
        self.npus, self.npu_bytes, self.align = words[:3]
        if self.npus == 0:
            raise gdb.GdbError(f"device {self.chosen} is not open yet")
        self.memories = [words[3 + 3 * k:6 + 3 * k] for k in range(len(SPACES))]

    @staticmethod
    def words(address, count):
        memory = gdb.selected_inferior().read_memory(address, 8 * count)
        return struct.unpack(f"<{count}Q", bytes(memory))

    def find(self, address):
        """Memory and offset of an address as kernels write it."""
        if address < self.npus * self.npu_bytes:
            return LOCAL, address
        for space, (begin, size, host) in enumerate(self.memories):
            if host != 0 and space != LOCAL and begin <= address < begin + size:
                return space, address - begin
        raise gdb.GdbError(f"{address:#x} is in no memory of the device")

    def read(self, space, offset, size):
        _, most, host = self.memories[space]
        if offset < 0 or offset + size > most:
            raise gdb.GdbError(f"{size} bytes at offset {offset:#x} end outside {SPACES[space]} ({most} bytes)")
        return bytes(gdb.selected_inferior().read_memory(host + offset, size))


class Tensor:
    def __init__(self, device, address, shape, dtype, layout):
        self.device, self.shape, self.dtype = device, shape, dtype
        self.space, self.offset = device.find(address)
        self.layout = layout or ("aligned" if self.space == LOCAL else "continuous")
        _, self.width = TYPES[dtype]
        _, channels, height, width = shape
        self.start = self.offset // device.npu_bytes if self.space == LOCAL else 0
        if (self.layout == "continuous") == (self.space == LOCAL):
            raise gdb.GdbError(f"layout {self.layout} is not for {SPACES[self.space]}")
        self.channel = height * width
        if self.layout == "aligned":
            unit = device.align // self.width
            self.channel = -(-self.channel // unit) * unit
        rows = -(-(self.start + channels) // device.npus) if self.space == LOCAL else channels
        self.batch = rows * self.channel

    def row(self, n, c, h):
        """The elements of a row."""
        at = n * self.batch + h * self.shape[3]
        if self.space == LOCAL:
            npu, line = (self.start + c) % self.device.npus, (self.start + c) // self.device.npus
            offset = npu * self.device.npu_bytes + self.offset % self.device.npu_bytes
            at += line * self.channel
        else:
            offset = self.offset
            at += c * self.channel
        data = self.device.read(self.space, offset + at * self.width, self.shape[3] * self.width)
        form, _ = TYPES[self.dtype]
        if form is None:  # bf16: the upper half of an fp32
            halves = struct.unpack(f"<{self.shape[3]}H", data)
            return struct.unpack(f"<{self.shape[3]}f", b"".join(struct.pack("<I", half << 16) for half in halves))
        return struct.unpack(f"<{self.shape[3]}{form}", data)


def text_of(value):
    return str(value) if isinstance(value, int) else f"{value:.7g}"


def chosen(part, extent):
    """The indices that a part of [n,c,h,w] names."""
    if ":" not in part:
        first = int(part, 0)
        last = first + 1
    else:
        begin, end = part.split(":", 1)
        first, last = int(begin or 0), int(end or extent)
    if not 0 <= first < last <= extent:
        raise gdb.GdbError(f"index {part}: there are 0 to {extent - 1}")
    return range(first, last)


def print_tensor(words):
    match = re.fullmatch(r"(.*?)\s+(\d+(?:,\d+){0,3})\s+(\w+)(?:\s+(\w+))?(?:\s*\[([-\d:,\s]*)\])?", words)
    if not match:
        raise gdb.GdbError("tl tensor ADDRESS N,C,H,W TYPE [LAYOUT] [INDEX]")
    address, shape, dtype, layout, index = match.groups()
    if dtype not in TYPES:
        raise gdb.GdbError(f"type {dtype}: there are {', '.join(TYPES)}")
    if layout not in (None, "aligned", "compact", "continuous"):
        raise gdb.GdbError(f"layout {layout}: there are aligned, compact, continuous")
    shape = [int(extent) for extent in shape.split(",")]
    shape = [1] * (4 - len(shape)) + shape
    if 0 in shape:
        raise gdb.GdbError("a shape without elements")
    device = Device()
    tensor = Tensor(device, int(gdb.parse_and_eval(address)), shape, dtype, layout)
    place = f"{SPACES[tensor.space]}, offset {tensor.offset:#x}"
    if tensor.space == LOCAL:
        place = f"NPU {tensor.start}, offset {tensor.offset % device.npu_bytes:#x}"
    print(f"{'x'.join(map(str, shape))} {dtype}, {tensor.layout}, {place}")
    if index is not None:
        parts = [part.strip() for part in index.split(",")]
        if len(parts) != 4:
            raise gdb.GdbError("an index has four parts: [n,c,h,w]")
        ranges = [chosen(part, extent) for part, extent in zip(parts, shape)]
    else:
        ranges = [range(extent) for extent in shape]
    rows = [(n, c, h) for n in ranges[0] for c in ranges[1] for h in ranges[2]]
    least, most, total, count, nans = math.inf, -math.inf, 0.0, 0, 0
    for shown, (n, c, h) in enumerate(rows):
        values = tensor.row(n, c, h)
        values = values[ranges[3].start:ranges[3].stop]
        good = [value for value in values if math.isfinite(value)]
        nans += len(values) - len(good)
        count += len(good)
        if good:
            least, most, total = min(least, *good), max(most, *good), total + sum(good)
        if shown < SHOWN or index is not None:
            width = SHOWN if index is None else len(values)
            tail = " ..." if len(values) > width else ""
            print(f"  [{n},{c},{h}] " + " ".join(map(text_of, values[:width])) + tail)
        elif shown == SHOWN:
            print(f"  ... {len(rows)} rows")
    if count:
        print(f"  min {text_of(least)}, max {text_of(most)}, mean {total / count:.7g}" +
              (f", {nans} NaN or infinite" if nans else ""))
    else:
        print(f"  {nans} NaN or infinite")


def run_why(words):
    program = gdb.current_progspace().filename
    if program is None:
        raise gdb.GdbError("no program is loaded")
    arguments = gdb.parameter("args") or ""
    command = os.environ.get("TENSORLANE", "tensorlane")
    gdb.execute(f"shell {shlex.quote(command)} why {words} -- {shlex.quote(program)} {arguments}")


class Commands(gdb.Command):
    __doc__ = __doc__

    def __init__(self):
        super().__init__("tl", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        verb, _, rest = argument.strip().partition(" ")
        try:
            self.carry_out(verb, rest.strip())
        except (gdb.error, ValueError) as error:  # a misspelt variable, memory that is not there
            raise gdb.GdbError(str(error)) from error

    @staticmethod
    def carry_out(verb, rest):
        if verb == "tensor":
            print_tensor(rest)
        elif verb == "why":
            run_why(rest)
        elif verb == "device":
            Device.chosen = int(rest)
            Device()
        else:
            raise gdb.GdbError("tl tensor, tl why or tl device; `help tl` says more")


class DeviceMemory:
    """bm_device_mem_t: where, how much, and what the first words hold."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        address, size = int(self.value["u"]["device"]["device_addr"]), int(self.value["size"])
        text = f"device memory {address:#x}, {size} bytes"
        try:
            device = Device()
            space, offset = device.find(address)
            data = device.read(space, offset, min(size, 16))
        except gdb.error:  # GdbError too: there is no device yet
            return text
        words = struct.unpack(f"<{len(data) // 4}f", data[:len(data) // 4 * 4])
        return text + ": " + " ".join(map(text_of, words)) + (" ..." if size > 16 else "") + " as fp32"


class Dim4:
    """dim4 as 1x64x28x28."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "x".join(str(int(self.value[name])) for name in "nchw")


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("tensorlane")
    collection.add_printer("bm_device_mem_t", "^bm_(device_mem_t|mem_desc(_t)?)$", DeviceMemory)
    collection.add_printer("dim4", "^dim4$", Dim4)
    return collection


Commands()
gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
