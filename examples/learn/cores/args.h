#ifndef ARGS_H_
#define ARGS_H_

// input: rows x cols floats; output: the largest of each row.
typedef struct {
  unsigned long long input, output;
  int rows, cols;
} largest_args;

#endif  // ARGS_H_
