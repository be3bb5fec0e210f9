#ifndef ARGS_H_
#define ARGS_H_

typedef struct {
  int ic, oc, h, w;
  unsigned long long output_addr, input_addr, weight_addr;
} args_t;

#endif  // ARGS_H_
