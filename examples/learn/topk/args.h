#ifndef ARGS_H_
#define ARGS_H_

// input: rows x cols floats; values: rows x k floats; indices: rows x k ints; ranks: cols floats,
// cols, cols - 1, ... 1, which the BM1684 needs.
typedef struct {
  int rows, cols, k;
  unsigned long long values_addr, indices_addr, input_addr, ranks_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
