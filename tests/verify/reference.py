"""The reference of kernels that copy, for commands that name a file."""


def same(args):
    return args["input"]
