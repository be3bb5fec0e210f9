import numpy as np


def rope(args):
    a, b = np.split(args["input"], 2, axis=2)
    cosine, sine = args["cosine"], args["sine"]
    return np.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=2)
