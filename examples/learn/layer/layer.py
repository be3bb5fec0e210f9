"""A transformer layer on an emulated BM1684X beside numpy in fp32: python3 layer.py --help"""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tensorlane

HERE = Path(__file__).parent
GROUP = 128  # rows of a weight of 4 bits that share a scale


@dataclass
class Size:
    hidden: int
    heads: int
    mlp: int
    tokens: int
    defines: dict  # of product.c

    @property
    def dim(self):
        return self.hidden // self.heads


SIZES = {"full": Size(4096, 32, 11008, 128, {}),
         "small": Size(256, 4, 384, 70, {"INNER": 128, "COLS": 192, "GATE_ROWS": 3})}


@dataclass
class Numbers:
    kind: int  # of product.c
    element: str
    tolerance: float  # the error of what the layer adds to its input, of that, by their mean squares


NUMBERS = {"fp16": Numbers(0, "fp16", 2e-3), "bf16": Numbers(0, "bf16", 2e-2),
           "w8a16": Numbers(1, "fp16", 2e-3), "w4a16": Numbers(2, "fp16", 2e-3),
           "w8a8": Numbers(3, "fp16", 5e-2)}


def rounded(values, element):
    """The nearest numbers of a type, as fp32."""
    if element == "fp16":
        return values.astype(np.float16).astype(np.float32)
    return tensorlane.from_bf16(tensorlane.to_bf16(values))


class Weight:
    """A matrix as the kernel `product` takes it, and the same numbers in fp32 for numpy."""

    def __init__(self, device, values, numbers):
        self.kind, scale = numbers.kind, 0
        if numbers.kind == 0:
            self.values = rounded(values, numbers.element)
            self.right = device.tensor(self.values, dtype=numbers.element)
        elif numbers.kind == 2:
            groups = values.reshape(-1, GROUP, values.shape[1])
            scale = rounded(np.abs(groups).max(1, keepdims=True) / 7, "fp16")
            nibbles = np.clip(np.rint(groups / scale), -8, 7)
            self.values = rounded(nibbles * scale, "fp16").reshape(values.shape)
            low, high = np.split(nibbles.astype(np.uint8), 2, axis=1)
            self.right = device.tensor((low & 15 | high << 4).view(np.int8))
            scale = device.tensor(scale, dtype="fp16")
        else:
            scale = np.abs(values).max(0) / 127
            eighth = np.rint(values / scale).astype(np.int8)
            self.values = eighth * scale
            self.right, scale = device.tensor(eighth), device.tensor(scale)
        self.scale = scale


class Layer:
    """Weights, caches and kernels; `device` computes, or numpy."""

    def __init__(self, device, size, numbers, capacity, seed=0):
        self.device, self.size, self.numbers, self.capacity = device, size, numbers, capacity
        random = np.random.default_rng(seed)

        def weight(inner, cols):
            values = random.standard_normal((inner, cols), dtype=np.float32)
            return Weight(device, values / np.sqrt(np.float32(inner)), numbers)

        self.qkv = weight(size.hidden, 3 * size.hidden)
        self.out = weight(size.hidden, size.hidden)
        self.gate_up = weight(size.hidden, 2 * size.mlp)
        self.down = weight(size.mlp, size.hidden)
        self.gammas = [rounded(1 + 0.1 * random.standard_normal(size.hidden, dtype=np.float32),
                               numbers.element) for _ in range(2)]
        self.device_gammas = [device.tensor(gamma, dtype=numbers.element) for gamma in self.gammas]
        angles = np.arange(capacity)[:, None] * 1e4 ** (-np.arange(0, size.dim, 2) / size.dim)
        self.cosine, self.sine = (f(angles).astype(np.float32) for f in (np.cos, np.sin))
        cache = (size.heads, capacity, size.dim)
        self.keys, self.values = (np.zeros(cache, np.float32) for _ in range(2))
        self.device_keys, self.device_values = (self.empty(*cache) for _ in range(2))
        defines = {"TYPE": {"fp16": "DT_FP16", "bf16": "DT_BFP16"}[numbers.element], **size.defines}
        self.kernels = {name: device.compile(HERE / f"{file}.c", defines=defines)
                        for name, file in (("norm", "norm"), ("quantise", "norm"), ("rope", "attention"),
                                           ("attention", "attention"), ("product", "product"),
                                           ("gate", "gate"))}
        self.modelled = 0.0  # microseconds

    def empty(self, *shape, dtype=None):
        return self.device.empty(shape, dtype or self.numbers.element)

    def launch(self, kernel, **args):
        self.modelled += self.kernels[kernel].launch(kernel, **args).time.us

    def product(self, left, weight, addend=0):
        (rows, inner), cols = left.shape, weight.values.shape[1]
        output, scale = self.empty(rows, cols), 0
        if weight.kind == 3:
            row, left = left, self.empty(rows, inner, dtype="int8")
            scale = self.empty(rows, dtype="fp32")
            self.launch("quantise", output=left, scale=scale, input=row, rows=rows, cols=inner)
        self.launch("product", output=output, left=left, right=weight.right, scale=weight.scale,
                    left_scale=scale, addend=addend, rows=rows, inner=inner, cols=cols,
                    kind=weight.kind)
        return output

    def norm(self, x, gamma):
        rows, cols = x.shape
        output = self.empty(rows, cols)
        self.launch("norm", output=output, input=x, gamma=gamma, rows=rows, cols=cols, epsilon=1e-5)
        return output

    def run(self, x, first):
        """The layer on the device; tokens are the positions from `first` on."""
        size, tokens = self.size, x.shape[0]
        heads = {"heads": size.heads, "dim": size.dim, "capacity": self.capacity, "first": first}
        caches = {"key": self.device_keys, "value": self.device_values}
        qkv = self.product(self.norm(x, self.device_gammas[0]), self.qkv)
        query, attended = self.empty(tokens, size.hidden), self.empty(tokens, size.hidden)
        now = slice(first, first + tokens)
        self.launch("rope", query=query, input=qkv, cosine=self.device.tensor(self.cosine[now]),
                    sine=self.device.tensor(self.sine[now]), tokens=tokens, **caches, **heads)
        self.launch("attention", output=attended, query=query, queries=tokens,
                    scale=size.dim ** -0.5, **caches, **heads)
        x = self.product(attended, self.out, x)
        both = self.product(self.norm(x, self.device_gammas[1]), self.gate_up)
        gated = self.empty(tokens, size.mlp)
        self.launch("gate", output=gated, input=both, rows=tokens, cols=size.mlp)
        return self.product(gated, self.down, x)

    def reference(self, x, first):
        """The same in numpy, in fp32."""
        size, tokens = self.size, len(x)
        now = slice(first, first + tokens)

        def norm(x, gamma):
            return x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-5)) * gamma

        def turn(x):  # heads, tokens, dim
            a, b = np.split(x, 2, axis=2)
            cosine, sine = self.cosine[now], self.sine[now]
            return np.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=2)

        qkv = norm(x, self.gammas[0]) @ self.qkv.values
        q, k, v = qkv.reshape(tokens, 3, size.heads, size.dim).transpose(1, 2, 0, 3)
        self.keys[:, now], self.values[:, now] = turn(k), v
        keys, values = self.keys[:, :now.stop], self.values[:, :now.stop]
        score = turn(q) @ keys.transpose(0, 2, 1) * np.float32(size.dim ** -0.5)
        score[:, np.arange(now.stop) > np.arange(first, now.stop)[:, None]] = -np.inf
        power = np.exp(score - score.max(2, keepdims=True))
        heads = power / power.sum(2, keepdims=True) @ values
        x = x + heads.transpose(1, 0, 2).reshape(tokens, size.hidden) @ self.out.values
        gate, up = np.split(norm(x, self.gammas[1]) @ self.gate_up.values, 2, axis=1)
        return x + gate / (1 + np.exp(-gate)) * up @ self.down.values


def measured(work, rounds):
    """What it gives, and its least times by the clock and of all processors, in ms."""
    clock, processors = [], []
    for _ in range(rounds):
        start, used = time.perf_counter(), time.process_time()
        result = work()
        clock.append(time.perf_counter() - start)
        processors.append(time.process_time() - used)
    return result, 1e3 * np.array([min(clock), min(processors)])


def compare(device, size, name, rounds):
    """Tokens and then one more, by both; a line for each. Whether both are right."""
    numbers = NUMBERS[name]
    layer = Layer(device, size, numbers, capacity=size.tokens + 1)
    random, right = np.random.default_rng(1), True
    for tokens, first in ((size.tokens, 0), (1, size.tokens)):
        x = rounded(random.standard_normal((tokens, size.hidden), dtype=np.float32), numbers.element)
        given = device.tensor(x, dtype=numbers.element)
        layer.modelled = 0.0
        got, ours = measured(lambda: layer.run(given, first), rounds)
        modelled = layer.modelled / rounds
        want, theirs = measured(lambda: layer.reference(x, first), rounds)
        got = got.numpy() if numbers.element == "fp16" else tensorlane.from_bf16(got.numpy())
        error = np.linalg.norm(got - want) / np.linalg.norm(want - x)
        right = right and bool(error <= numbers.tolerance)
        print(f"{name:6} {tokens:4} tokens: {modelled / 1e3:.2f} ms modelled, error {error:.1e} of "
              f"{numbers.tolerance:.0e} allowed" +
              (f"; emulated {ours[0]:.0f} ms, numpy {theirs[0]:.0f} ms, of processors {ours[1]:.0f} and "
               f"{theirs[1]:.0f}: {ours[1] / theirs[1]:.2f} times" if rounds > 1 else ""), flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--numbers", choices=NUMBERS, nargs="+", default=list(NUMBERS))
    parser.add_argument("--tokens", type=int, help="of the prompt")
    parser.add_argument("--rounds", type=int, default=1, help="of each; the least time is said")
    parser.add_argument("--check", default="all", help="as tensorlane run has it")
    options = parser.parse_args()
    size = SIZES[options.size]
    size.tokens = options.tokens or size.tokens
    right = True
    for name in options.numbers:
        with tensorlane.Device("bm1684x", check=options.check) as device:
            right = compare(device, size, name, options.rounds) and right
            print("".join(f"{finding}\n" for finding in device.findings), end="")
            right = right and not device.findings
    print("right" if right else "wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
