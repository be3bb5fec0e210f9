#ifndef ARGS_H_
#define ARGS_H_

typedef struct {
  int ic, oc, h, w;  // 3 x 3 filters, a border of one pixel of zeros, step 1
  unsigned long long output_addr, input_addr, weight_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
