#!/usr/bin/env python3
"""Runs public PPL kernels, unmodified, against numpy: by hand, for the files are not part of TensorLane.

    public_kernels.py FOLDER [--chip CHIP] [NAME...]
                                            FOLDER holds their repositories' files, flat:
                                            FOLDER/torch-tpu/Adam.pl, FOLDER/tpu-mlir/softmax.pl, ...

Each kernel runs at three block sizes with tails, in stages and turn by turn, which must give the same bits, on the
cores that it asks for. A row per file: its state, the largest error, findings. Files for the later chips alone (L2, SDMA,
8-bit floats), and the benchmarks of FOLDER/tilelang-tpu, run where CHIP is one.
"""
import math
import pathlib
import sys
import traceback

import benchmark_references as benchmarks
import later_references as later
import numpy as np
from later_references import Bf16, Fp8, Numbers, Out

import tensorlane

RNG = np.random.default_rng(7)
CHIP = "bm1684x"


def normal(*shape, dtype=np.float32, scale=1.0):
    return (RNG.standard_normal(shape) * scale).astype(dtype)


class Run:
    """One launch: the kernel, its arguments in order, and what its results should be, by argument."""

    def __init__(self, kernel, args, expect, rtol=1e-5, atol=1e-6, around=""):
        self.kernel, self.args, self.expect = kernel, args, expect
        self.rtol, self.atol, self.around = rtol, atol, around  # `around`: a kernel that calls the file's own


HALF = dict(rtol=2e-3, atol=2e-3)
BRAIN = dict(rtol=2e-2, atol=2e-2)


# ---- sophgo/torch-tpu ------------------------------------------------------------------------------


def adam(block):
    n, lr, b1, b2, eps, decay = 777, 1e-3, .9, .999, 1e-8, .01
    g, w, m = normal(n), normal(n), normal(n)
    v, vm, t = abs(normal(n)), abs(normal(n)), np.full(n, 3, np.float32)
    grad = g + decay * w
    m1, v1 = b1 * m + (1 - b1) * grad, b2 * v + (1 - b2) * grad * grad
    # The file has exponentials where its comments say square roots: what it computes is what is compared.
    step = lr * np.exp(1 - b2 ** t) / (1 - b1 ** t)
    w1 = w - step * (m1 / (np.exp(v1) + eps))
    yield Run("adambackward_fp32", [Out(n, "fp32"), Out(n, "fp32"), Out(n, "fp32"), Out(n, "fp32"), g, w, m, v, vm, t,
                                    lr, b1, b2, eps, decay, False, False, n, block], {0: w1, 1: m1}, 1e-3, 1e-4)


def arange(block):
    for kernel, dtype in (("arange_int32", "int32"), ("arange_fp32", "fp32")):
        yield Run(kernel, [np.zeros(block, np.dtype("float32" if dtype == "fp32" else "int32")), 3, 3 + 2 * block, 2, 1],
                  {0: np.arange(3, 3 + 2 * block, 2)})


def arg(block):
    for is_min in (False, True):
        x = normal(70, 50, 33)
        at = (x.argmin if is_min else x.argmax)(1)
        yield Run("arg_fp32", [Out((70, 33), "uint32"), x, Out((70, 33), "fp32"), 70, 50, 33, is_min, block],
                  {0: at, 2: np.take_along_axis(x, at[:, None], 1)[:, 0]})


def binary(block):
    a, b = normal(70, 333), normal(70, 333)
    results = {0: a + b, 1: a - b, 2: a * b}
    for kind, want in results.items():
        yield Run("binary_async_fp32", [Out(a.shape, "fp32"), a, b, kind, block, 70, 333], {0: want})
    yield Run("binary_async_fp32_scalar", [Out(a.shape, "fp32"), a, 0, block, a.size, 2.5, True], {0: a + 2.5})
    # The file loads its first operand with the n of the result and its second with the c, h and w: one that has fewer is
    # read past its end.
    y = normal(5, 70, 4, 33)
    x = normal(5, 70, 4, 1)
    yield Run("binary_bcast_fp32", [Out(y.shape, "fp32"), x, y, 2, min(block, 2), 5, 70, 4, 1, 5, 70, 4, 33], {0: x * y})
    yield Run("binary_bcast_fp32", [Out(y.shape, "fp32"), y, y[:1], 0, min(block, 2), 5, 70, 4, 33, 1, 70, 4, 33],
              {0: y + y[:1]})


def compare(block):
    a, b = normal(70, 333).round(1), normal(70, 333).round(1)
    for mode, want in enumerate([a == b, a != b, a > b, a >= b, a < b, a <= b]):
        yield Run("compare_fp32", [Out(a.shape, "uint8"), a, b, mode, 70, 333, block], {0: want})
    x = abs(normal(70, 333)) + .1
    yield Run("powc_const_fp32", [Out(x.shape, "fp32"), x, 1.7, 70, 333, block], {0: x.astype(np.float64) ** 1.7}, 1e-4, 1e-5)
    i = RNG.integers(-1000, 1000, (70, 333)).astype(np.int32)
    yield Run("shift_const_int32", [Out(i.shape, "int32"), i, 2, 70, 333, block], {0: i << 2})
    yield Run("bitwise_const_int32", [Out(i.shape, "int32"), i, 0x55, 1, 70, 333, block], {0: None})
    yield Run("atan2_const_fp32", [Out(a.shape, "fp32"), a, 1.5, False, 70, 333, block], {0: np.arctan2(a, 1.5)}, 1e-3, 1e-3)


def concat(block):
    parts = [normal(block, width) for width in (5, 17, 33)]
    filler = np.zeros(1, np.float32)
    yield Run("concat_fp32", [Out((block, 55), "fp32"), *parts, *[filler] * 13, 3, block, 55, 1,
                              5, 17, 33, *[0] * 13], {0: np.concatenate(parts, 1)})


def copy_from(block):
    x = normal(70, 333, dtype=np.float16)
    yield Run("convert_impl_half_to_float", [Out(x.shape, "fp32"), x, block, 333, 70], {0: x})


def fill(block):
    yield Run("fill_fp32", [Out(1000, "fp32"), 7, 1000, block], {0: np.full(1000, 7)})


def gather(block):
    x, index = normal(7, 20, block), RNG.integers(0, 20, (7, 11)).astype(np.uint32)
    yield Run("gather_fp32", [Out((7, 11, block), "fp32"), index, x, 7, block, 20, 11],
              {0: np.take_along_axis(x, index[..., None].astype(np.int64), 1)})


def gdmad2d(block):
    x = normal(1000)
    yield Run("gdmad2d_fp32", [Out(1000, "fp32"), x, 1000, block], {0: x})
    y = normal(6, 4, 5, 7)
    yield Run("stridedcopy_fp32", [Out((6, 4, 5, 7), "fp32"), y, 6, 4, 5, 7, 1, 140, 35, 7, 1, 1, 140, 35, 7, 1, 1, 4, block],
              {0: y})


def index_select(block):
    x, index = normal(7, 20, block), RNG.integers(0, 20, 11).astype(np.uint32)
    yield Run("indexselect_fp32", [Out((7, 11, block), "fp32"), index, x, 7, block, 20, 11], {0: x[:, index]})


def rmsnorm_torch(block):
    x, w, b = normal(70, 500), normal(500), normal(500)
    want = x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-5) * w + b
    yield Run("rmsnorm_fp32", [Out(x.shape, "fp32"), x, w, b, 1e-5, True, True, 70, 500, block], {0: want}, 1e-4, 1e-5)


def reduce(block):
    x = normal(100, 333)
    yield Run("reduce_fp32", [Out(333, "fp32"), x, 100, 333, 0, 1, block], {0: x.sum(0, dtype=np.float64)}, 1e-4, 1e-4)
    yield Run("reduce_fp32", [Out(100, "fp32"), x, 100, 333, 1, 0, block], {0: x.mean(1, dtype=np.float64)}, 1e-4, 1e-5)


def repeat(block):
    x = normal(7, block)
    yield Run("repeat_fp32", [Out((7, block * 3), "fp32"), x, 7, block, 3], {0: np.tile(x, (1, 3))})


def scatter(block):
    x, param = normal(70, 20, block), normal(70, 6, block)
    index = np.stack([RNG.permutation(20)[:6] for _ in range(70)]).astype(np.uint32)
    want = x.copy()
    np.put_along_axis(want, index[..., None].astype(np.int64), param, 1)
    yield Run("scatter_fp32", [Out(x.shape, "fp32"), param, x, index, 70, 20, block, 6], {0: want})


def token_update(block):
    ids, new = np.zeros((8, 64), np.int32), np.arange(100, 100 + 8 * 4, dtype=np.int32)
    lengths = [3, 5, 7, 9, 11, 13, 15, 17]
    want = ids.copy()
    for i, length in enumerate(lengths):
        want[i, length:length + block] = new[i:i + block]
    yield Run("tgi_input_ids_update_int32", [ids, new, *lengths, block, 64, 0], {0: want})


def topk(block):
    x = RNG.permutation(64 * 128).reshape(64, 128).astype(np.float32)
    order = np.argsort(-x, 1)[:, :4]
    yield Run("topk_fp32", [Out((64, 4), "uint32"), x, Out((64, 4), "fp32"), 64, 128, 1, 4, True, block],
              {0: order, 2: np.take_along_axis(x, order, 1)}, 1e-3, 1e-1)


def matmul_torch(block):
    m, k, n = 70, 96, 150
    a, b, bias = normal(m, k), normal(n, k), normal(n)
    a, b, bias = Bf16(a), Bf16(b), Bf16(bias)
    want = a.array.astype(np.float64) @ b.array.T
    yield Run("matmul_mn_mn", [Out((m, n), "bf16"), a, b, bias, m, k, n, 64, block, k, 1, True],
              {0: want + bias.array}, **BRAIN)


def sigmoid(block):
    x = normal(1000)
    yield Run("activation_sigmoid_impl_float32", [Out(1000, "fp32"), x, 1000, block], {0: 1 / (1 + np.exp(-x))})


# ---- sophgo/ppl-operator ---------------------------------------------------------------------------


def embedding(block):
    table, index = normal(50, block, dtype=np.float16), RNG.integers(0, 50, 23).astype(np.uint32)
    yield Run("embedding_kernel", [Out((23, block), "fp16"), table, index, 1, block, 50, 23, 0], {0: table[index]})


def matmul_operator(block):
    a, b = normal(2, 20, 96, dtype=np.float16), normal(2, 50, 96, dtype=np.float16)
    want = a.astype(np.float64) @ b.astype(np.float64).transpose(0, 2, 1)
    yield Run("matmul_rtrans_mc", [Out((2, 20, 50), "fp16"), a, b, 2, 20, 96, 50, 6, block], {0: want}, 5e-3, 2e-2)


def rmsnorm_operator(block):
    x, w, b = normal(70, 512, dtype=np.float16), normal(512, dtype=np.float16), normal(512, dtype=np.float16)
    f = x.astype(np.float64)
    want = f / np.sqrt((f * f).mean(1, keepdims=True) + 1e-5) * w + b
    yield Run("rms_norm_kernel", [Out(x.shape, "fp16"), x, w, b, 1e-5, True, True, 1, 70, 1, 512, block], {0: want},
              1e-2, 1e-2)


def rmsnorm_small_row(block):
    x, w, b = normal(4, 1024, dtype=np.float16), normal(1024, dtype=np.float16), normal(1024, dtype=np.float16)
    f = x.astype(np.float64)
    want = f / np.sqrt((f * f).mean(1, keepdims=True) + 1e-5) * w + b
    yield Run("rmsnorm_small_row", [Out(x.shape, "fp16"), x, w, b, 1e-5, True, True, 4, 1024, 64, block], {0: want},
              1e-2, 1e-2)


# ---- sophgo/tpu-mlir -------------------------------------------------------------------------------


def add_const(block):
    x = normal(2, 3, 40, 50)
    yield Run("add_const_f32", [Out(x.shape, "fp32"), x, -.25, 2, 3, 40, 50, block, True], {0: np.maximum(x - .25, 0)})
    h = normal(2, 3, 40, 50, dtype=np.float16)
    yield Run("add_const_f16", [Out(h.shape, "fp16"), h, .5, 2, 3, 40, 50, block, False], {0: h + np.float16(.5)}, **HALF)


# Kernels on local memory, with copies there and back around them.
ADD_LOCAL = """
__KERNEL__ void there_and_back(float* out, float* in, float rhs, int n, int c, int h, int w, bool relu) {
  dim4 shape = {n, c, h, w};
  auto from = tensor<float>(shape, TPU_ALIGN, 0), to = tensor<float>(shape, TPU_ALIGN, 65536);
  dma::load(from, gtensor<float>(shape, GLOBAL, in));
  add_const_f32_local(65536, 0, rhs, n, c, h, w, relu);
  dma::store(gtensor<float>(shape, GLOBAL, out), to);
}
"""
POOL_LOCAL = """
__KERNEL__ void there_and_back(bf16* out, bf16* in, int c, int h, int w, int oh, int ow, const int k) {
  dim4 shape = {2, c, h, w}, pooled = {2, c, oh, ow};
  auto from = tensor<bf16>(shape, TPU_ALIGN, 0), to = tensor<bf16>(pooled, TPU_ALIGN, 65536);
  dma::load(from, gtensor<bf16>(shape, GLOBAL, in));
  avg_pool_2d_local(65536, 0, k, k, 2, 2, 0, 0, 0, 0, 2, c, oh, w, ow, h);
  dma::store(gtensor<bf16>(pooled, GLOBAL, out), to);
}
"""


def add_local(width):
    x = normal(2, 70, 5, width)
    for relu in (False, True):
        yield Run("there_and_back", [Out(x.shape, "fp32"), x, -.25, 2, 70, 5, width, relu],
                  {0: np.maximum(x - .25, 0) if relu else x - .25}, around=ADD_LOCAL)


def pool_local(channels):
    x = Bf16(normal(2, channels, 20, 30))
    want = sum(x.array[:, :, i:i + 17:2, j:j + 27:2].astype(np.float64) for i in range(3) for j in range(3))
    yield Run("there_and_back", [Out(want.shape, "bf16"), x, channels, 20, 30, 9, 14, 3], {0: want / 9}, **BRAIN,
              around=POOL_LOCAL)


def avg_pool(block):
    x = Bf16(normal(2, 40, 20, 30))
    want = np.zeros((2, 40, 9, 14))
    for i in range(3):
        for j in range(3):
            want += x.array[:, :, i:i + 17:2, j:j + 27:2]
    yield Run("avg_pool_2d_bf16", [Out(want.shape, "bf16"), x, 2, 40, 3, 3, 2, 2, 0, 0, 0, 0, 20, 30, 9, 14, 64, block],
              {0: want / 9}, **BRAIN)


def concat_slice(block):
    a, b = normal(2, 8, 9, dtype=np.float16), normal(2, 8, 4, dtype=np.float16)
    yield Run("concat_slice_f16", [Out(a.shape, "fp16"), a, b, 2, 8, 9, 4, block, 1],
              {0: np.concatenate([a, b], 2)[:, :, 4:]})


def concat_volume(block):
    left, right = normal(1, 3, 70, block), normal(1, 3, 70, block)
    want = np.zeros((1, 6, 4, 70, block))
    for d in range(4):
        want[:, :3, d] = left
        want[:, 3:, d, :, d:] = right[..., :block - d] if d else right
    yield Run("concat_volume_f32", [Out(want.shape, "fp32"), left, right, 1, 3, 70, block, 4], {0: want})


def conv2d(block):
    n, ic, size, oc, k = 1, 64, 12, 40, 3
    x, w, b = normal(n, ic, size, size, dtype=np.float16), normal(oc, ic, k, k, dtype=np.float16, scale=.1), normal(oc)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    want = np.zeros((n, oc, size, size)) + b[:, None, None]
    for i in range(k):
        for j in range(k):
            want += np.einsum("nchw,oc->nohw", padded[:, :, i:i + size, j:j + size], w[:, :, i, j].astype(np.float64))
    packed = w.reshape(oc, ic // 32, 32, k * k).transpose(0, 1, 3, 2).reshape(oc, -1, 32)
    yield Run("fconv2d", [Out(want.shape, "fp16"), x, np.ascontiguousarray(packed), b, n, ic, size, size, oc, True, False,
                          k, k, 1, 1, 1, 1, 1, 1, 1, 1, 1, 64, block, ic, size], {0: want}, 1e-2, 2e-2)


def correlation(block):
    left, right = normal(1, 5, 70, block), normal(1, 5, 70, block)
    want = np.zeros((1, 4, 70, block))
    for d in range(4):
        want[:, d, :, d:] = (left[..., d:] * right[..., :block - d]).mean(1)
    yield Run("correlation_f32", [Out(want.shape, "fp32"), left, right, 1, 5, 70, block, 4], {0: want}, 1e-4, 1e-5)


def attention(kernel, half):
    def cases(block):
        b, qm, kvm, d, heads = 1, 20, 50, 32, 4
        kv_heads = heads if "mha" in kernel else 2
        q, k, v = normal(b, qm, heads, d), normal(b, kvm, kv_heads, d), normal(b, kvm, kv_heads, d)
        wrap = (lambda a: a.astype(np.float16)) if half else Bf16
        q, k, v = map(wrap, (q, k, v))
        mask = wrap(np.zeros((b, qm, kvm), np.float32))
        plain = [a.array if isinstance(a, Bf16) else a.astype(np.float64) for a in (q, k, v)]
        keys, values = (np.repeat(a, heads // kv_heads, 2) for a in plain[1:])
        score = np.einsum("bqhd,bkhd->bhqk", plain[0], keys) / math.sqrt(d)
        weight = np.exp(score - score.max(-1, keepdims=True))
        weight /= weight.sum(-1, keepdims=True)
        want = np.einsum("bhqk,bkhd->bqhd", weight, values)
        yield Run(kernel, [Out((b, qm, heads, d), "fp16" if half else "bf16"), q, k, v, mask, b, qm, kvm, d, heads, kv_heads,
                           1 / math.sqrt(d), 1, 1, d, 0, 16, block, 4], {0: want}, **(dict(rtol=1e-2, atol=1e-2) if half else
                                                                                     dict(rtol=5e-2, atol=5e-2)))
    return cases


def insert_api(block):
    base, part = normal(2, 8, 6, block), normal(2, 3, 6, block)
    want = base.copy()
    want[:, 4:7] = part
    yield Run("insert_tensor", [base, part, 1, 4, 2, 8, 6, block, 3, 4], {0: want})


def interpolation(kernel, linear):
    def cases(block):
        x = normal(1, 5, 9, 11)
        oh, ow = 18, 22
        def places(out, size):
            at = (np.arange(out) + .5) * size / out - .5
            return np.clip(at, 0, size - 1)
        ys, xs = places(oh, 9), places(ow, 11)
        if linear:
            y0, x0 = np.floor(ys).astype(int), np.floor(xs).astype(int)
            y1, x1 = np.minimum(y0 + 1, 8), np.minimum(x0 + 1, 10)
            fy, fx = (ys - y0)[:, None], xs - x0
            at = lambda i, j: x[:, :, i][..., j].astype(np.float64)
            want = (at(y0, x0) * (1 - fx) + at(y0, x1) * fx) * (1 - fy) + (at(y1, x0) * (1 - fx) + at(y1, x1) * fx) * fy
        else:
            want = None
        yield Run(kernel, [Out((1, 5, oh, ow), "fp32"), x, 1, 1, 5, 9, 11, oh, ow, block, 22, 0], {0: want}, 1e-3, 1e-3)
    return cases


def chunk_delta(length):
    """The chunks give what the rule gives step by step."""
    heads, vheads, d, chunk = 2, 4, 32, 64
    q, k, v = Bf16(normal(1, length, heads, d)), Bf16(normal(1, length, heads, d)), Bf16(normal(1, length, vheads, d))
    g, beta = Bf16(-.1 * abs(normal(1, length, vheads))), Bf16(RNG.uniform(0, 1, (1, length, vheads)))
    state = Bf16(normal(1, vheads, d, d, scale=.1))
    scale = d ** -.5
    norm = lambda a: a / np.sqrt((a * a).sum(-1, keepdims=True) + 1e-6)
    after, out = state.array[0].astype(np.float64), np.zeros((length, vheads, d))
    for at in range(length):
        for h in range(vheads):
            key, query = norm(k.array[0, at, h // 2]), norm(q.array[0, at, h // 2]) * scale
            after[h] *= np.exp(g.array[0, at, h])
            after[h] += np.outer(key, (v.array[0, at, h] - key @ after[h]) * beta.array[0, at, h])
            out[at, h] = query @ after[h]
    ones = np.ones((chunk, chunk), np.float32)
    masks = [Bf16(each) for each in (np.triu(ones), np.triu(ones, 1), np.tril(ones), np.eye(chunk))]
    yield Run("chunk_gated_delta_rule_bf16", [Out(out.shape, "bf16"), state, q, k, v, g, beta, *masks, 1, length, heads,
                                              vheads, d, scale, chunk, 1, 1, chunk], {0: out, 1: after}, 5e-2, 5e-2)


def recurrent_delta(block):
    heads, vheads, d = 4, 8, 32
    q, k, v = (Bf16(normal(1, 1, n, d)) for n in (heads, heads, vheads))
    g, beta = Bf16(-abs(normal(1, 1, 1, vheads))), Bf16(abs(normal(1, 1, 1, vheads)))
    state = Bf16(normal(1, vheads, d, d, scale=.1))
    scale = d ** -.5
    out, after = np.zeros((vheads, d)), np.zeros((vheads, d, d))
    norm = lambda a: a / np.sqrt((a * a).sum(-1, keepdims=True) + 1e-6)
    for h in range(vheads):
        key, query = norm(k.array[0, 0, h // 2]), norm(q.array[0, 0, h // 2]) * scale
        s = state.array[0, h] * np.exp(g.array[0, 0, 0, h])
        delta = (v.array[0, 0, h] - key @ s) * beta.array[0, 0, 0, h]
        after[h] = s + np.outer(key, delta)
        out[h] = query @ after[h]
    yield Run("recurrent_gated_delta_rule_bf16", [Out((vheads, d), "bf16"), state, q, k, v, g, beta, 1, scale, 1, heads,
                                                  vheads, d, 1, block], {0: out, 1: after[None]}, 1e-1, 5e-2)


def rms_norm(block):
    x, w = normal(70, 500), normal(70, 500)
    want = x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-5)
    yield Run("rms_norm_fp32", [Out(x.shape, "fp32"), x, w, 1e-5, False, 1, 70, 1, 500, block], {0: want}, 1e-4, 1e-5)


def selective_scan(batch):
    # Beyond 32 the file stores each block of batches at batch 0.
    kc, length = 64, 98
    c, u = normal(length, 2 * kc, 1, batch), normal(length, 2 * kc, 1, batch)
    a, bu = RNG.uniform(0, 1, (2 * kc, length, batch)).astype(np.float32), normal(2 * kc, length, batch)
    d = normal(2 * kc)
    want = np.zeros((length, 2 * kc, batch))
    for first, order in ((0, range(length)), (kc, range(length - 1, -1, -1))):
        x = np.zeros((kc, batch))
        rows = slice(first, first + kc)
        for step in order:
            x = x * a[rows, step] + bu[rows, step]
            want[step, rows] = x * c[step, rows, 0] + u[step, rows, 0] * d[rows, None]
    yield Run("selective_scan_f32", [Out(want.shape, "fp32"), c, a, bu, u, d, batch, kc, length], {0: want}, 1e-3, 1e-3)


def softmax(block):
    x = normal(1, 70, 5, 33)
    e = np.exp(x - x.max(2, keepdims=True))
    yield Run("softmax_h_dim", [Out(x.shape, "fp32"), x, 1, 70, 5, 33, 64, 5, block], {0: e / e.sum(2, keepdims=True)})
    y = normal(70, block)
    e = np.exp(y - y.max(1, keepdims=True))
    yield Run("softmax_w_dim", [Out(y.shape, "fp32"), y, 1, 70, 1, block, 64, block], {0: e / e.sum(1, keepdims=True)})


FILES = {
    "torch-tpu/Adam": (adam, (64, 100, 500)), "torch-tpu/Arange": (arange, (5, 64, 1000)),
    "torch-tpu/Arg": (arg, (8, 16, 33)), "torch-tpu/Binary": (binary, (64, 100, 500)),
    "torch-tpu/Compare": (compare, (64, 100, 333)), "torch-tpu/Concat": (concat, (1, 7, 64)),
    "torch-tpu/CopyFrom": (copy_from, (64, 100, 500)), "torch-tpu/Fill": (fill, (64, 300, 1000)),
    "torch-tpu/Gather": (gather, (1, 16, 100)), "torch-tpu/Gdmad2d": (gdmad2d, (64, 300, 1000)),
    "torch-tpu/IndexSelect": (index_select, (1, 16, 100)), "torch-tpu/RMSNorm": (rmsnorm_torch, (64, 100, 500)),
    "torch-tpu/Reduce": (reduce, (64, 100, 333)), "torch-tpu/Repeat": (repeat, (1, 16, 100)),
    "torch-tpu/Scatter": (scatter, (1, 16, 100)), "torch-tpu/Tgi_input_ids_update": (token_update, (1, 2, 4)),
    "torch-tpu/Topk": (topk, (32, 64, 128)), "torch-tpu/matmul": (matmul_torch, (32, 64, 150)),
    "torch-tpu/sigmoid": (sigmoid, (64, 300, 1000)),
    "ppl-operator/embedding": (embedding, (16, 100, 512)), "ppl-operator/matmul": (matmul_operator, (7, 32, 50)),
    "ppl-operator/rmsnorm": (rmsnorm_operator, (100, 256, 512)),
    "ppl-operator/rmsnorm_small_row": (rmsnorm_small_row, (5, 8, 16)),
    "tpu-mlir/add_const_fp": (add_const, (64, 100, 500)), "tpu-mlir/add_const_fp_local": (add_local, (16, 33, 50)),
    "tpu-mlir/avg_pool_2d_local": (pool_local, (8, 64, 100)), "tpu-mlir/avg_pool2d": (avg_pool, (2, 4, 9)),
    "tpu-mlir/chunk_gated_delta_rule": (chunk_delta, (64, 100, 150)),
    "tpu-mlir/concat_slice": (concat_slice, (2, 4, 3)), "tpu-mlir/concat_volume_fp": (concat_volume, (16, 33, 64)),
    "tpu-mlir/conv2d": (conv2d, (4, 5, 12)), "tpu-mlir/correlation_fp": (correlation, (16, 32, 64)),
    "tpu-mlir/fattention_bf16": (attention("flash_attention_mha_bf16", False), (16, 32, 50)),
    "tpu-mlir/fattention_fp16": (attention("flash_attention_gqa_f16", True), (16, 32, 50)),
    "tpu-mlir/fattention_v2": (attention("flash_attention_mha_f16_high_precision", True), (16, 32, 50)),
    "tpu-mlir/insert_api": (insert_api, (1, 16, 100)),
    "tpu-mlir/interp_linear": (interpolation("interp_linear_fp32", True), (4, 6, 18)),
    "tpu-mlir/interp_nearest": (interpolation("interp_nearest_fp32", False), (4, 6, 18)),
    "tpu-mlir/recurrent_gated_delta_rule": (recurrent_delta, (1, 2, 4)),
    "tpu-mlir/rms_norm": (rms_norm, (64, 100, 250)), "tpu-mlir/selective_scan": (selective_scan, (5, 16, 40)),
    "tpu-mlir/softmax": (softmax, (16, 20, 33)),
}


def of_later(cases):
    def runs(block):
        for kernel, args, expect, tolerance in cases(block):
            yield Run(kernel, args, expect, **tolerance)
    return runs


LATER = {name: (of_later(cases), blocks) for name, (cases, blocks) in later.FILES.items()}


def launch(device, file, run):
    tensors = []
    for value in run.args:
        if isinstance(value, Bf16):
            value = device.tensor(tensorlane.to_bf16(value.array), dtype="bf16")
        elif isinstance(value, Fp8):
            tensor = device.empty(value.array.shape, "fp8e4m3")
            tensor.write(value.array)
            value = tensor
        elif isinstance(value, Numbers):
            value = value.array
        elif isinstance(value, Out):
            value = device.empty(value.shape, value.dtype)
        elif isinstance(value, np.ndarray):
            value = device.tensor(value)
        tensors.append(value)
    module = device.compile(source=f'#include "{file.resolve()}"\n{run.around}', suffix=".pl") if run.around else (
        device.compile(file))
    module[run.kernel](*tensors)
    results = {}
    for at in run.expect:
        got = tensors[at].numpy()
        results[at] = tensorlane.from_bf16(got) if tensors[at].dtype == "bf16" else got
    return results


def check(file, cases, blocks):
    """The state of a file, in words: "right", or what is wrong at which block."""
    worst, said, warned = 0.0, [], []
    for block in blocks:
        for run in cases(block):
            outcomes = []
            for pipeline in ("on", "off"):
                device = tensorlane.Device(CHIP, pipeline=pipeline, dma="random:3")
                try:
                    outcomes.append(launch(device, file, run))
                    warned += [f"warning {f.id} line {f.line}" for f in device.findings if f.severity == "warning"]
                except tensorlane.FindingError as error:
                    said.append(f"block {block}: {run.kernel}: {str(error).splitlines()[0]} "
                                f"({pathlib.Path(error.findings[0].file or '?').name}:{error.findings[0].line})")
            if len(outcomes) < 2:
                continue
            for at, want in run.expect.items():
                if not np.array_equal(outcomes[0][at], outcomes[1][at], equal_nan=True):
                    said.append(f"block {block}: {run.kernel}: in stages it differs")
                if want is None:
                    continue
                want = np.asarray(want, np.float64)
                got = outcomes[0][at].astype(np.float64).reshape(want.shape)
                error = abs(got - want)
                worst = max(worst, float(error.max()))
                if not np.all(error <= run.atol + run.rtol * abs(want)):
                    said.append(f"block {block}: {run.kernel}: result {at} is off by {error.max():.3g}")
    return worst, list(dict.fromkeys(said)), list(dict.fromkeys(warned))


def main():
    global CHIP
    words = sys.argv[1:]
    if "--chip" in words:
        at = words.index("--chip")
        CHIP = words[at + 1]
        del words[at:at + 2]
    folder, names = pathlib.Path(words[0]), words[1:]
    files = dict(FILES)
    if CHIP in ("bm1690", "sg2260e"):
        files.update(LATER)
        for file in sorted(folder.glob("tilelang-tpu/*.pl")):
            files[f"tilelang-tpu/{file.stem}"] = of_later(benchmarks.cases(file.stem)), (0,)
    for name, (cases, blocks) in files.items():
        if names and name.split("/")[1] not in names:
            continue
        try:
            worst, said, warned = check(folder / f"{name}.pl", cases, blocks)
            print(f"{name:38} {'right' if not said else 'wrong'} {worst:.2e}", *said[:6], *warned[:3],
                  sep="\n      ", flush=True)
        except Exception as error:  # the row says so
            print(f"{name:38} failed {type(error).__name__}: {str(error)[:300]}", flush=True)
            if "-v" in sys.argv:
                traceback.print_exc()


if __name__ == "__main__":
    main()
