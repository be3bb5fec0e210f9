"""References for the public PPL kernels of the later chips, for public_kernels.py: 8-bit weights with scales, several
cores, L2, and 4-bit weights."""
import numpy as np

import tensorlane

RNG = np.random.default_rng(8)


def normal(*shape, dtype=np.float32, scale=1.0):
    return (RNG.standard_normal(shape) * scale).astype(dtype)


def bf16(array):
    return tensorlane.from_bf16(tensorlane.to_bf16(np.asarray(array, np.float32)))


class Bf16:
    """An argument in bf16."""

    def __init__(self, array):
        self.array = bf16(array)


class Fp8:
    """Random numbers of E4M3, which the chip holds as they are."""

    CODES = [m / 512 if e == 0 else (1 + m / 8) * 2.0 ** (e - 7) for e in range(16) for m in range(8)][:-1]

    def __init__(self, *shape, scale=1.0):
        near = np.clip(np.searchsorted(self.CODES, abs(normal(*shape, scale=scale))), 0, len(self.CODES) - 1)
        self.array = (np.asarray(self.CODES)[near] * RNG.choice((-1, 1), shape)).astype(np.float32)


class Out:
    """A tensor that the kernel writes."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


class Numbers:
    """An array in the struct of arguments itself."""

    def __init__(self, values, count):
        self.array = np.zeros(count, np.int32)
        self.array[:len(values)] = values


def scaled(weights, scales, block):
    """Weights times their blocks' scales, rounded as the kernels round them."""
    rows, columns = weights.array.shape
    grown = np.repeat(np.repeat(scales.array, block, 0)[:rows], block, 1)[:, :columns]
    return bf16(weights.array * grown).astype(np.float64)


def silu(x):
    return x / (1 + np.exp(-x))


BRAIN = dict(rtol=2e-2, atol=2e-2)


def mlp_multicore(block, cores=1):
    b, w, middle = 5, 128, 256
    x = normal(b, w, dtype=np.float16, scale=.3)
    first, gate, last = (normal(*s, dtype=np.float16, scale=.1) for s in ((w, middle), (w, middle), (middle, w)))
    f = [a.astype(np.float64) for a in (x, first, gate, last)]
    # Its barriers are comments: on more cores than one it is wrong.
    yield "llma_mlp_mulit_core_kernel_bf16", [x, first, gate, last, Out((b, w), "fp16"), b, w, middle, cores, b, w, block], {
        4: f[0] @ f[1] * silu(f[0] @ f[2]) @ f[3]}, dict(rtol=2e-3, atol=2e-3)


def w4a16(block):
    m, k, n, group = 20, 256, 250, 64
    left, scale = normal(m, k, dtype=np.float16, scale=.5), normal(n, k // group, dtype=np.float16, scale=.1)
    q, zero = RNG.integers(0, 16, (n, k)), RNG.integers(0, 16, (n, k // group))
    pairs = lambda a: (a[:, 0::2] | a[:, 1::2] << 4).astype(np.uint8)
    packed = np.concatenate([scale.view(np.uint8).reshape(n, -1), pairs(zero)], 1)
    weights = (q.reshape(n, -1, group) - zero[..., None]) * scale[..., None].astype(np.float64)
    want = left.astype(np.float64) @ weights.reshape(n, k).T
    for kernel in ("matmul_w4a16_rtrans_small_m", "matmul_w4a16_rtrans"):
        yield kernel, [Out((m, n), "fp16"), left, pairs(q), packed, m, k, n, group, 16, block], {0: want}, dict(
            rtol=5e-3, atol=2e-2)


def w8a16(block):
    m, k, n, group = 20, 1024, 200, 128
    left, weights, scales = Bf16(normal(m, k)), Fp8(n, k), Bf16(RNG.uniform(.5, 1.5, (2, 8)))
    want = left.array.astype(np.float64) @ scaled(weights, scales, group).T
    for kernel, more in (("k_mn", []), ("k_k", []), ("mn_mn", [2]), ("mn_k", [2])):
        yield f"matmul_w8a16_{kernel}_bf16", [Out((m, n), "bf16"), left, weights, scales, m, k, n, group, block, 128, 128,
                                              *more], {0: want}, dict(rtol=2e-2, atol=1)


def _experts(count, middle, w, block):
    """Gate, up and down weights of an expert, their scales, and what they do to an input."""
    weights = [Fp8(count * middle, w, scale=.5) for _ in range(3)]
    scales = [Bf16(RNG.uniform(.05, .2, (count * -(-middle // block), -(-w // block)))) for _ in range(3)]
    full = [scaled(a, s, block).reshape(count, middle, w) for a, s in zip(weights, scales)]

    def apply(x, expert=0):
        gate, up = (bf16(x @ full[k][expert].T).astype(np.float64) for k in (0, 1))
        return bf16(silu(gate) * up).astype(np.float64) @ full[2][expert]
    return [*weights, *scales], apply


def mlp_w8a16(block):
    w, quantised = 256, 128
    for kernel, batch, middle, more in (
            ("batch_outer_batch", 20, 128, [block]), ("batch_outer_middle_w", 20, 1000, [block, 128]),
            # batches that are no multiple of the last number are wrong: a core clears what another one still copies
            ("bm_outer_middle_w", 24, 2048, [block, 128, 12])):
        x = Bf16(normal(batch, w, scale=.5))
        operands, apply = _experts(1, middle, w, quantised)
        yield f"kernel_mlp_split_inner_{kernel}", [Out((batch, w), "bf16"), x, *operands, quantised, batch, w, middle, *more], {
            0: apply(x.array.astype(np.float64))}, BRAIN


def fused_moe(block):
    batch, w, middle, experts, top = 20, 256, 128, 11, 3
    x = Bf16(normal(batch, w, scale=.5))
    operands, apply = _experts(experts, middle, w, 128)
    chosen = np.stack([RNG.permutation(experts)[:top] for _ in range(batch)]).astype(np.int32)
    want = [[apply(x.array[b].astype(np.float64), e) for e in chosen[b]] for b in range(batch)]
    index = [np.zeros((experts, batch), np.uint32) for _ in range(2)]
    buffers = [np.zeros((experts, batch), np.int8), np.zeros((experts, batch, top), np.int8)]
    yield "moe_multi_core_bf16_fp8e4m3", [
        Out((batch, top, w), "bf16"), x, *operands, chosen, Bf16(np.ones((batch, top))), *index, *buffers, 128, experts, top,
        batch, block, 8, w, middle, 1], {0: want}, BRAIN


def rotated(x, cosine, sine):
    """Pairs come in, halves go out."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.concatenate([even, odd], -1) * cosine + np.concatenate([-odd, even], -1) * sine


class Latent:
    """What both MLA files take: tokens, weights as they are or in 8 bits with scales, angles."""

    heads, dq, dkv, nope, pe, dv = 8, 256, 256, 128, 64, 128

    def __init__(self, tokens, quantised):
        self.q, self.kv, self.k_pe = (Bf16(normal(tokens, d)) for d in (self.dq, self.dkv, self.pe))
        angle = np.tile(normal(tokens, self.pe // 2), 2)
        self.cosine, self.sine = Bf16(np.cos(angle)), Bf16(np.sin(angle))
        shapes = (self.heads * (self.nope + self.pe), self.dq), (self.heads * (self.nope + self.dv), self.dkv)
        if quantised:
            self.weights = [Fp8(*s) for s in shapes]
            self.scales = [Bf16(RNG.uniform(.02, .06, (r // 128, c // 128))) for r, c in shapes]
            full = [scaled(a, s, 128) for a, s in zip(self.weights, self.scales)]
        else:
            self.weights = [Bf16(normal(*s, scale=s[1] ** -.5)) for s in shapes]
            full = [a.array.astype(np.float64) for a in self.weights]
        self.up_q, self.up_kv = full[0], full[1].reshape(self.heads, -1, self.dkv)
        self.scale = (self.nope + self.pe) ** -.5

    def queries(self, token):
        q = (self.up_q @ self.q.array[token]).reshape(self.heads, -1)
        angle = self.cosine.array[token], self.sine.array[token]
        return q[:, :self.nope], rotated(q[:, self.nope:], *angle)

    def turned(self):
        return rotated(self.k_pe.array.astype(np.float64), self.cosine.array, self.sine.array)

    def arguments(self, caches, scratch, mask, out, index, quantised, batch, most, cache, mode, lengths):
        q = [self.q, self.kv, self.k_pe, *caches, scratch, self.cosine, self.sine, *self.weights, mask, out]
        if quantised:
            return [*q, *self.scales, index, index, self.heads, self.nope, self.pe, self.dv, self.dq, self.dkv, self.scale,
                    most, 128, 4, 16, cache, mode, most > 4, batch, Numbers(lengths, 512)]
        return [*q, index, index, 4, 16, self.heads, self.dq, self.dkv, self.nope, self.pe, self.dv, self.scale, most > 4,
                batch, most, cache, mode, Numbers(lengths, 512)]


def attended(scores, values):
    power = np.exp(scores - scores.max())
    return power / power.sum() @ values


def mla_decode(batch):
    cache = 64
    for quantised in (False, True):
        m = Latent(batch, quantised)
        lengths = [int(n) for n in RNG.integers(2, 60, batch)]
        kept, kept_pe = Bf16(normal(batch, cache, m.dkv)), Bf16(normal(batch, cache, m.pe))
        want, new_pe = np.zeros((batch, m.heads, m.dv)), m.turned()
        for b, length in enumerate(lengths):
            keys = np.concatenate([kept.array[b, :length - 1], m.kv.array[b:b + 1]]).astype(np.float64)
            places = np.concatenate([kept_pe.array[b, :length - 1], new_pe[b:b + 1]])
            nope, pe = m.queries(b)
            for h in range(m.heads):
                scores = (keys @ (nope[h] @ m.up_kv[h, :m.nope]) + places @ pe[h]) * m.scale
                want[b, h] = m.up_kv[h, m.nope:] @ attended(scores, keys)
        kernel = "mla_decode_bf16_fp8e4m3" if quantised else "mla_decode_bf16"
        yield kernel, m.arguments([kept, kept_pe], Bf16(np.zeros(16)), Bf16(np.zeros(16)), Out(want.shape, "bf16"),
                                  np.arange(batch, dtype=np.uint32), quantised, batch, 4, cache, 1, lengths), {
            11: want}, BRAIN


def mla_prefill(length):
    # The kernel without 8-bit weights divides by 0; more batches than one need weights that only the first one loads.
    m = Latent(length, True)
    mask = np.triu(np.full((length, length), -15000, np.float32), 1)
    want, places = np.zeros((length, m.heads, m.dv)), m.turned()
    kv = np.einsum("td,hcd->thc", m.kv.array.astype(np.float64), m.up_kv)
    for t in range(length):
        nope, pe = m.queries(t)
        for h in range(m.heads):
            want[t, h] = attended((kv[:, h, :m.nope] @ nope[h] + places @ pe[h]) * m.scale + mask[t], kv[:, h, m.nope:])
    caches = [Out((1, 128, m.dkv), "bf16"), Out((1, 128, m.pe), "bf16")]
    yield "mla_prefill_bf16_fp8e4m3", m.arguments(
        caches, Out((m.heads, length, m.nope + m.dv), "bf16"), Bf16(mask), Out(want.shape, "bf16"),
        np.arange(4, dtype=np.uint32), True, 1, length, 128, 0, [length]), {11: want}, BRAIN


FILES = {
    "ppl-operator/mlp_multicore": (mlp_multicore, (24, 64, 256)), "ppl-operator/w4a16_matmul": (w4a16, (16, 24, 32)),
    "torch-tpu/MmW8A16Dq_ppl": (w8a16, (7, 16, 20)), "torch-tpu/MlpW8A16Dq": (mlp_w8a16, (1, 3, 4)),
    "torch-tpu/fusedMoE": (fused_moe, (2, 4, 7)), "torch-tpu/mla_decode": (mla_decode, (8, 10, 17)),
    "torch-tpu/mla_prefill": (mla_prefill, (16, 40, 70)),
}
