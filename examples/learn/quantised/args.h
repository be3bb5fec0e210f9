#ifndef ARGS_H_
#define ARGS_H_

// 3 x 3 filters, a border of one pixel of zeros, step 1. output and input: signed bytes. The
// BM1684 has both in 4N storage, weights (2IC) and biases as floats; the BM1684X has
// bytes, weights in 64IC as bytes, biases of 16 bits.
typedef struct {
  int n, ic, oc, h, w, rshift;
  unsigned long long output_addr, input_addr, weight_addr, bias_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
