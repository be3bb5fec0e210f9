// Up to eight tensors at addresses, each copied into local memory and back.
#ifndef TESTS_LAYOUT_PLAN_ARGS_H_
#define TESTS_LAYOUT_PLAN_ARGS_H_

#define MAX_TENSORS 8

typedef struct {
  unsigned long long memory;  // of the device, as large as the largest tensor
  int count;
  struct {
    int n, c, h, w;
    unsigned int address;
    int bits;
  } tensors[MAX_TENSORS];
} __attribute__((packed)) plan_args;

#endif  // TESTS_LAYOUT_PLAN_ARGS_H_
