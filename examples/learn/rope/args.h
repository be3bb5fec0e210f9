#ifndef ARGS_H_
#define ARGS_H_

// output, input: heads x tokens x dim floats; cosine, sine: tokens x dim / 2.
typedef struct {
  int heads, tokens, dim;
  unsigned long long output_addr, input_addr, cosine_addr, sine_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
