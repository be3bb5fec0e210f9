#ifndef ARGS_H_
#define ARGS_H_

typedef struct {
  int parts, width;  // parts of as many channels as there are NPUs, `width` floats in each
  unsigned long long output_addr, input_addr;
} __attribute__((packed)) args_t;

#endif  // ARGS_H_
