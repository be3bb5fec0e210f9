def center(args):
    return args["input"] - args["input"].mean(1, keepdims=True)
