#ifndef ARGS_H_
#define ARGS_H_

typedef struct {
  int rows, inner, cols;
  unsigned long long output_addr, left_addr, right_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
