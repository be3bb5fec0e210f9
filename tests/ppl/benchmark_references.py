"""References for the benchmark kernels of xwhzz/tilelang-tpu (tpu_benchmark/*/pl), by the names of the files, for
public_kernels.py: matmul_fp16_64x64x64, flashattn_bf16_b1_h8_s64_d32, ..."""
import re

import numpy as np
from later_references import Bf16, Out, normal, silu


def rounded(array, dtype):
    """What an array of that type holds."""
    return array.astype(np.float16) if dtype == "fp16" else Bf16(array) if dtype == "bf16" else array


def values(operand):
    return (operand.array if isinstance(operand, Bf16) else operand).astype(np.float64)


def case(name):
    """Inputs and result of a file; the type of the result."""
    family, dtype, size = name.split("_", 2)
    made = lambda *shape: rounded(normal(*shape), dtype)
    numbers = [int(n) for n in re.findall(r"\d+", size)]
    if family == "flashattn":
        b, h, s, d = numbers
        q, k, v = (made(b, s, h, d) for _ in range(3))
        scores = np.einsum("bqhd,bkhd->bhqk", values(q), values(k)) / d ** .5
        power = np.exp(scores - scores.max(-1, keepdims=True))
        return [q, k, v], np.einsum("bhqk,bkhd->bqhd", power / power.sum(-1, keepdims=True), values(v)), dtype
    if family == "matmul":
        a, b = made(*numbers[:2]), made(*numbers[:2])
        product = [values(x.astype(np.float16) if dtype == "fp32" else x) for x in (a, b)]  # the files multiply in fp16
        return [a, b], product[0] @ product[1], dtype
    x = made(*numbers)
    f = values(x)
    if family == "rmsnorm":
        return [x], f / np.sqrt((f * f).mean(1, keepdims=True) + 1e-12), dtype
    if family == "rope":
        cosine, sine = made(*numbers), made(*numbers)
        c, s, want = values(cosine), values(sine), np.empty(numbers)
        want[:, 0::2] = f[:, 0::2] * c[:, 0::2] - f[:, 1::2] * s[:, 1::2]
        want[:, 1::2] = f[:, 1::2] * c[:, 1::2] + f[:, 0::2] * s[:, 0::2]
        return [x, cosine, sine], want, dtype
    y = made(*numbers)
    return [x, y], f + values(y) if family == "add" else silu(f) * values(y), dtype


def cases(name):
    def of(_):
        inputs, want, dtype = case(name)
        near = {"fp32": 1e-5, "fp16": 3e-3, "bf16": 2e-2}[dtype] * max(1, abs(want).max())
        yield "main_kernel", [*inputs, Out(want.shape, dtype)], {len(inputs): want}, dict(rtol=0, atol=near)
    return of
