// The argument block that host and kernel share.
#ifndef ADD_ONE_H_
#define ADD_ONE_H_

typedef struct {
  unsigned long long input_addr;
  unsigned long long output_addr;
  int channels, width;
} __attribute__((packed)) add_one_param_t;

#endif  // ADD_ONE_H_
