#ifndef ARGS_H_
#define ARGS_H_

// instance_norm: gamma and beta have c floats; layer_norm: n = h = 1, a row is a channel, gamma and
// beta have w floats.
typedef struct {
  int n, c, h, w;
  float epsilon;
  unsigned long long output_addr, input_addr, gamma_addr, beta_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
