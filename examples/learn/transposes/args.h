#ifndef ARGS_H_
#define ARGS_H_

// Floats in global memory.
typedef struct {
  int n, c, h, w;
  unsigned long long output_addr, input_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
