"""A packed model with mistakes planted in it: what people do wrong when they pack, worked out by numpy alone."""
import numpy as np

from models import argument, conv2d_filter, lanes

RULES = """\
[[rule]]
match = ["filter.*", "same.*"]
to = "mace:CONV2D_FILTER"
to_dtype = "fp16"
[[rule]]
match = "argument.*"
to = "mace:ARGUMENT"
[[rule]]
match = "words.*"
to = "bm1684:4N"
npus = 4
[[rule]]
match = "rows.*"
to = "bm1684:aligned"
npus = 4
[[rule]]
match = "matrix.*"
to = "bm1684:matrix"
npus = 8
cols_per_channel = 6
[[rule]]
match = "*"
keep = true
"""


def towards_zero(array):
    half = array.astype("float16")
    down = np.nextafter(half, np.float16(0))
    return np.where(np.abs(half.astype("float32")) > np.abs(array), down, half)


def bfloat16(array):
    bits = array.astype("float32").view("uint32")
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype("uint16").view("float16")


def shifted(array, by):
    data = np.zeros_like(array).reshape(-1).view("uint8")
    data[by:] = array.reshape(-1).view("uint8")[:-by]
    return data.view(array.dtype).reshape(array.shape)


def words_4n(array, npus=4, start=0, order=(0, 1, 2, 3)):
    """(n, c, h, w) bytes -> (npus, bytes): word of four batches, every channel at a multiple of 128 bytes."""
    n, c, h, w = array.shape
    rows, channel = -(-(start + c) // npus), -(-h * w * 4 // 128) * 128
    memory = np.zeros((npus, -(-n // 4), rows, channel), array.dtype)
    for b in range(n):
        for k in range(c):
            at = start + k
            memory[at % npus, b // 4, at // npus, :h * w * 4].reshape(-1, 4)[:, order[b % 4]] = array[b, k].reshape(-1)
    return memory.reshape(npus, -1)


def aligned(array, npus=4, start=0, to=128):
    """(n, c, h, w) -> (npus, elements), every channel at a multiple of `to` bytes."""
    n, c, h, w = array.shape
    rows, each = -(-(start + c) // npus), -(-h * w * array.itemsize // to) * to // array.itemsize
    memory = np.zeros((npus, n, rows, each), array.dtype)
    for k in range(c):
        memory[(start + k) % npus, :, (start + k) // npus, :h * w] = array[:, k].reshape(n, -1)
    return memory.reshape(npus, -1)


def matrix(array, cols, npus=8):
    rows, width = array.shape
    channels = -(-width // cols)
    wide = np.zeros((rows, channels * cols), array.dtype)
    wide[:, :width] = array
    return aligned(wide.reshape(rows, channels, 1, cols), npus)


def padded(array, like):
    """The memory of a smaller packing at the beginning of a larger one's, NPU by NPU."""
    memory = np.zeros_like(like)
    memory[:, :array.shape[1]] = array
    return memory


def planted(random):
    """original, packed, {tensor: words that have to be said, "" for found only}."""
    original, packed, words = {}, {}, {}

    def weights(o=10, i=6, h=3, w=5):
        return random.uniform(-2, 2, size=(o, i, h, w)).astype("float32")

    def plant(name, array, made, said):
        original[name], packed[name], words[name] = array, made, said

    def filters(name, change, said, **extents):
        array = weights(**extents)
        plant("filter." + name, array, conv2d_filter(change(array).astype("float16")), said)

    def image(name, change, said):
        array = weights()
        plant("filter." + name, array, change(conv2d_filter(array.astype("float16")).copy(), array), said)

    filters("hw", lambda x: x.reshape(10, 6, 5, 3).swapaxes(2, 3), "h and w are swapped")
    filters("oi", lambda x: x.reshape(6, 10, 3, 5).swapaxes(0, 1), "o and i are swapped")
    filters("ohwi", lambda x: x.reshape(10, 3, 5, 6).transpose(0, 3, 1, 2), "taken as (o, h, w, i)")
    filters("hwio", lambda x: x.reshape(3, 5, 6, 10).transpose(3, 2, 0, 1), "taken as (h, w, i, o)")
    filters("flipped_o", lambda x: x[::-1], "o runs backwards")
    filters("flipped_w", lambda x: x[..., ::-1], "w runs backwards")
    filters("turned", lambda x: x[..., ::-1, ::-1], "h and w run backwards: turned by half")
    filters("next_o", lambda x: np.concatenate([x[1:], x[:1] * 0]), "o is off by 1")
    filters("one_o", lambda x: np.broadcast_to(x[:1], x.shape), "every o holds what belongs to o 0")
    filters("hole", lambda x: np.where(np.arange(10).reshape(10, 1, 1, 1) == 3, 0, x), "only o = 3 is wrong: it is zero")
    filters("cut", lambda x: np.where(np.arange(6).reshape(1, 6, 1, 1) >= 4, 0, x), "only i = 4 .. 5 is wrong: it is zero")
    image("zero", lambda x, _: np.zeros_like(x), "all elements are zero")
    image("bytes", lambda x, _: x.byteswap(), "bytes of every element stand in the opposite order")
    image("lanes", lambda x, _: x[..., ::-1], "the 4 elements of o that stand side by side are in the opposite order")
    image("late", lambda x, _: shifted(x, 8), "8 bytes behind its place")
    image("rounded", lambda x, w: conv2d_filter(towards_zero(w)), "rounded towards_zero, not half_to_even")
    image("bf16", lambda x, w: conv2d_filter(bfloat16(w)), "the elements are bf16, not fp16")
    image("one", lambda x, _: np.where(np.arange(x.size).reshape(x.shape) == 40, np.float16(9), x), "only o = ")
    image("padding", lambda x, _: np.concatenate([x[:-1], x[-1:] + np.array([0, 0, 7, 7], "float16")]),
          "bytes of padding")
    image("shuffled", lambda x, _: random.permutation(x.reshape(-1)).reshape(x.shape), "")
    array = weights()
    plant("filter.fp32", array, conv2d_filter(array), "its elements are fp32, not fp16")
    plant("filter.as_it_was", array, array.astype("float16"), "it is not packed: its shape is 10x6x3x5, that of the original")
    plant("filter.short", array, conv2d_filter(array.astype("float16"))[:-1], "it has 1056 elements (44x6x4), not 1080 (45x6x4)")
    for name, of in (("same.a", "same.b"), ("same.b", "same.a")):
        original[name] = weights()
        words[name] = f"it holds what belongs to '{of}'"
    for name, of in (("same.a", "same.b"), ("same.b", "same.a")):
        packed[name] = conv2d_filter(original[of].astype("float16"))
    plant("argument.nearby", np.arange(10, dtype="float32"), argument(np.roll(np.arange(10, dtype="float32"), -1)), "4 bytes before its place")
    data = random.integers(-128, 128, size=(6, 9, 4, 5)).astype("int8")
    plant("words.order", data, words_4n(data, order=(3, 2, 1, 0)), "the 4 elements of n that stand side by side are in the opposite order")
    plant("words.unsigned", data, words_4n(data) ^ np.int8(-128), "off by 128: signed and unsigned are mixed up")
    plant("words.npu", data, words_4n(data, start=3), "it begins at NPU 3, not 0")
    rows = random.uniform(-2, 2, size=(2, 9, 4, 5)).astype("float32")
    plant("rows.compact", rows, padded(aligned(rows, to=4), aligned(rows)), "it is packed as compact, not as aligned")
    plant("rows.halves", rows, aligned(rows).view("uint16").reshape(4, -1, 2)[..., ::-1].copy().view("float32").reshape(4, -1),
          "16-bit halves of every element are swapped")
    wide = random.uniform(-2, 2, size=(7, 40)).astype("float32")
    plant("matrix.columns", wide, padded(matrix(wide, 10), matrix(wide, 6)), "a channel has 10 columns, not 6")
    plant("matrix.turned", wide, matrix(wide.reshape(40, 7).T, 6), "row and col are swapped")
    kept = random.uniform(-2, 2, size=(5, 7)).astype("float32")
    plant("kept", kept, kept.reshape(7, 5).T, "row and col are swapped")
    original["gone"], words["gone"] = kept, "it is missing"
    packed["stray"], words["stray"] = kept, "the original has no such tensor"
    return original, packed, words


def right(random):
    """Packed as the rules say, by the same functions without a mistake."""
    weights = random.uniform(-2, 2, size=(10, 6, 3, 5)).astype("float32")
    data = random.integers(-128, 128, size=(6, 9, 4, 5)).astype("int8")
    rows = random.uniform(-2, 2, size=(2, 9, 4, 5)).astype("float32")
    wide = random.uniform(-2, 2, size=(7, 40)).astype("float32")
    original = {"filter.1": weights, "words.1": data, "rows.1": rows, "matrix.1": wide, "argument.1": wide[0], "kept": wide}
    packed = {"filter.1": conv2d_filter(weights.astype("float16")), "words.1": words_4n(data), "rows.1": aligned(rows),
              "matrix.1": matrix(wide, 6), "argument.1": argument(wide[0]), "kept": wide}
    return original, packed
