"""Bits of the BM1690 and the SG2260E against hashes of outputs that others published: kernels of our own on the same inputs,
which are made by the public rules. A hash covers every byte."""

import hashlib
import math

import numpy as np
import pytest
from conftest import KERNELS

import tensorlane

FLOAT = np.float32
ELEMENTS = 1 << 20  # of the element-wise runs

# Of boards, and the last of the vendor's model: 2 ulp off the rounded quotient.
BINARY = {
    "add": "014b884c7bac8e0ca6d6da60329da9bdf043cfecb4f709b301fe60b64a0f16e0",
    "sub": "9c5f4a94fdfe1ea6e33655d493c860ef06a5eedced9898f5445cce8ff9f1f246",
    "mul": "6548ca9b039b7bf2f2dc5f0d23cc6228ea5b65536b2041c195c30e9cde2fd4fb",
    "div": "3ec4de3707188f541ab128abf9952d749d55b5b004cac11301852d4da8827c9b",
}
PRODUCT_OF_1024 = "91850f6334339294ed5e7504aabf115c427f38c1ef1917ea80a17718d1188799"
PRODUCTS = {
    "nn.float16": "72ba2a78b4bdeee1e8d0a4663f230fe8fb4ad654bd5218f96203db4dc30a46b3",
    "nn.bfloat16": "f6f82956bd7f7db43b1da739d185d2fd48f5104906077e4e384119732f61b2c8",
    "nt.float16": "675c15ed71727cf236e2dfaa78efc1b0bc3163b4481d08a470d08599800a3350",
    "nt.bfloat16": "27f798c1b100365059c86a5733d2b1c95fb220bb064e64d788fd4573d0af67d4",
    "acc.float16": "988de1936dab367858df84293e8ca330b5349446e1940446ebbf650dcdc07d06",
    "acc.bfloat16": "1de5655c0d581c67f80202f0e0e18773551af283f6d9c1480352682f130af582",
}


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def congruential(count):
    """x -> 1664525 x + 1013904223 from 0, as ((x >> 8) mod 16384 - 8192) / 4096; all starts of a block at once."""
    block = 1 << 12
    multiplier, increment, x = 1, 0, 0
    values = np.empty(block, np.uint64)
    for k in range(block):
        multiplier, increment = multiplier * 1664525 % 2**32, (increment * 1664525 + 1013904223) % 2**32
        x = (1664525 * x + 1013904223) % 2**32
        values[k] = x
    out = np.empty(count, np.uint64)
    for first in range(0, count, block):
        out[first:first + block] = values
        values = (values * np.uint64(multiplier) + np.uint64(increment)) & np.uint64(0xffffffff)
    return ((out >> np.uint64(8)) % np.uint64(16384)).astype(FLOAT) / FLOAT(4096) - FLOAT(2)


def fused(a, b, c):
    """a * b + c, rounded once."""
    return (np.asarray(a, np.float64) * np.asarray(b, np.float64) + np.asarray(c, np.float64)).astype(FLOAT)


def logarithm(x):
    """ln x in fp32 by the polynomial of the Cephes library, as vectors of torch have it."""
    bits = np.maximum(x, np.finfo(FLOAT).tiny).view(np.uint32)
    exponent = ((bits >> 23).astype(np.int32) - 126).astype(FLOAT)
    m = ((bits & np.uint32(0x807fffff)) | np.uint32(0x3f000000)).view(FLOAT)
    small = m < FLOAT(math.sqrt(0.5))
    exponent -= small.astype(FLOAT)
    m = (m - FLOAT(1)) + np.where(small, m, FLOAT(0))
    square = m * m
    y = np.full_like(m, 7.0376836292e-2)
    for c in (-1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
              2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1):
        y = fused(y, m, FLOAT(c))
    y = fused(exponent, FLOAT(-2.12194440e-4), y * m * square)
    return fused(exponent, FLOAT(0.693359375), m + fused(-square, FLOAT(0.5), y))


def sine_and_cosine(x):
    """Of x >= 0 in fp32, by the same library."""
    octant = (x * FLOAT(4 / math.pi)).astype(np.int32) + 1 & ~1
    y = octant.astype(FLOAT)
    for c in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8):
        x = fused(y, FLOAT(c), x)
    square = x * x
    cosine = np.full_like(x, 2.443315711809948e-5)
    for c in (-1.388731625493765e-3, 4.166664568298827e-2):
        cosine = fused(cosine, square, FLOAT(c))
    cosine = fused(-square, FLOAT(0.5), cosine * square * square) + FLOAT(1)
    sine = np.full_like(x, -1.9515295891e-4)
    for c in (8.3321608736e-3, -1.6666654611e-1):
        sine = fused(sine, square, FLOAT(c))
    sine = fused(sine * square, x, x)
    swapped = octant & 2 != 0
    s, c = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    return np.where(octant & 4 != 0, -s, s), np.where(octant - 2 & 4 == 0, -c, c)


class Normal:
    """Normal numbers as torch's CPU generator gives them: the Mersenne twister, 24 bits each, Box-Muller in blocks of 16."""

    def __init__(self, seed):
        self.bits = np.random.MT19937()
        self.bits._legacy_seeding(seed)

    def take(self, *shape):
        words = self.bits.random_raw(math.prod(shape)).astype(np.uint32)
        uniform = ((words & np.uint32(0xffffff)).astype(FLOAT) * FLOAT(2**-24)).reshape(-1, 2, 8)
        radius = np.sqrt(FLOAT(-2) * logarithm(FLOAT(1) - uniform[:, 0]))
        sine, cosine = sine_and_cosine(FLOAT(2 * math.pi) * uniform[:, 1])
        return np.stack([radius * cosine, radius * sine], 1).reshape(shape)


def device_of(chip):
    device = tensorlane.Device(chip)
    return device, device.compile(KERNELS / "published.c")


@pytest.mark.parametrize("name", BINARY)
def test_bm1690_fp16(name):
    values = congruential(2 * ELEMENTS)
    left, right = values[:ELEMENTS].astype(np.float16), values[ELEMENTS:]
    if name == "div":
        right = (right + FLOAT(2)) * FLOAT(0.375) + FLOAT(0.5)
    right = right.astype(np.float16)
    assert digest(np.concatenate([left, right])) == (
        "a9c9c9ba374930c24921c219fbb5c3613ac9da5de17aa815c303c7c3af5362ca" if name == "div" else
        "171cadcff2c82f6478fc59a9f95e713d8d7b7379a48796aebdc31ea94d22f5f1")
    device, module = device_of("bm1690")
    shape = (64, ELEMENTS // 64)
    output = device.empty(shape, "fp16")
    launch = module.launch("binary", output=output, left=device.tensor(left.reshape(shape)),
                           right=device.tensor(right.reshape(shape)), operation=list(BINARY).index(name),
                           columns=shape[1])
    assert digest(output.numpy()) == BINARY[name]
    assert launch.evidence["board hash"] == [f"tpu_bdc_fp_{name}"]
    assert launch.evidence["choice"] == launch.evidence["choices_in_outputs"] == []


def test_bm1690_product_of_1024():
    normal = Normal(0)
    left, right = ((normal.take(1024, 1024) * FLOAT(0.25)).astype(np.float16) for _ in range(2))
    device, module = device_of("bm1690")
    output = device.empty((1024, 1024), "fp16")
    module.launch("product", output=output, left=device.tensor(left), right=device.tensor(right), rows=1024,
                  inner=1024, columns=1024, is_bf16=0, transposed=0, half_output=1, start=0)
    assert digest(output.numpy()) == PRODUCT_OF_1024


@pytest.mark.parametrize("case", PRODUCTS)
def test_sg2260e_products(case):
    layout, dtype = case.split(".")
    normal = Normal(2260)

    def narrow(values):
        return tensorlane.to_bf16(values) if dtype == "bfloat16" else values.astype(np.float16)

    left = narrow(normal.take(3, 32))
    normal.take(3, 32)
    transposed = layout == "nt"
    right = narrow(normal.take(*((16, 32) if transposed else (32, 16))))
    device, module = device_of("sg2260e")
    output = device.empty((3, 16), "fp32")
    kind = "bf16" if dtype == "bfloat16" else "fp16"
    module.launch("product", output=output, left=device.tensor(left, dtype=kind), right=device.tensor(right, dtype=kind),
                  rows=3, inner=32, columns=16, is_bf16=dtype == "bfloat16", transposed=transposed,
                  half_output=0, start=float(layout == "acc"))
    assert digest(output.numpy()) == PRODUCTS[case]
